"""Recognizes files to keep out of commits by their paths: secrets, and what programs and people leave behind.

`secrets.scan` judges what is in a file.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

IS_BUILT = "looks like a build artifact"
IS_TEMPORARY = "looks like a temporary file"
IS_SCRATCH = "looks like a scratch file, which no other file mentions"
# What has to be seen besides the name of a file.
NOTHING = 0
# Its folder has no tracked file of the same form.
UNUSUAL = 1
# And no other file mentions it.
UNNAMED = 2
# Bytes at the end of a path that are examined.
_PATH_BYTES = 400
# What the signs of a glob are in a pattern, in the order in which they are replaced.
_GLOB = {".": r"\.", "*": ".*", "?": ".", "$": r"\$", "(": r"\(", ")": r"\)", "!": "^"}
_SIGNS = frozenset("*?![]{}")


class Globs:
    """Globs of names, separated by blanks. Most are a name or an ending: these are looked up, and compile nothing.

    They are read when they are first used: a draft needs few of them.
    """

    def __init__(self, globs: str, ending: str = "") -> None:
        self._globs = globs
        self._ending = ending

    @cached_property
    def _parts(self) -> tuple[frozenset[str], tuple[str, ...], re.Pattern[str] | None]:
        names, endings, others = [], [], []
        for glob in self._globs.split():
            bare = glob.removeprefix("*")
            if self._ending or not _SIGNS.isdisjoint(bare):
                others.append(glob)
            elif bare == glob:
                names.append(glob)
            else:
                endings.append(bare)
        pattern = "|".join(others)
        for sign, meaning in _GLOB.items():
            pattern = pattern.replace(sign, meaning)
        matching = re.compile(rf"(?s:(?:{pattern}){self._ending})") if others else None
        return frozenset(names), tuple(endings), matching

    def fullmatch(self, name: str) -> bool:
        """Whether one of them matches `name` in full."""
        names, endings, others = self._parts
        return name in names or name.endswith(endings) or (others is not None and others.fullmatch(name) is not None)


class Form(Record):
    """A form of names: `reason` says what a file of it looks like, `evidence` what has to be seen besides."""

    reason: str
    evidence: int
    pattern: Globs | re.Pattern[str]


# Endings of code and text, but for languages in which a file is used by what it declares, and not by its own name.
_CODE = (
    r"\.(?:py|js|jsx|ts|tsx|mjs|cjs|rb|sh|bash|ps1|bat|php|pl|lua|r|jl|sql|rs|ex|exs|dart|zig|nim|erl|clj|ml|groovy|hs|html"
    r"|css|json|csv|xml|ya?ml|txt|ipynb|md|vue|svelte|f90|d|cr|v|asm|s|rkt|el|vb|fs)"
)
_LEFTOVERS = (
    # made by compilers, linters, test runners, profilers and package managers, for one machine
    (IS_BUILT, NOTHING, """
        __debug_bin* *.beam cachegrind.out* callgrind.out* celerybeat-schedule* *.class core.[0-9]* .coverage
        .coverage.* *.cpuprofile *.diagsession .dmypy.json *.elc erl_crash.dump .eslintcache *.fdb_latexmk
        .flutter-plugins-dependencies *.gcda *.gch *.gcno gmon.out *.heapprofile *.heapsnapshot *.hprof hs_err_pid*.log
        *.ilk .installed.cfg .jekyll-metadata *.jfr .jshintcache lerna-debug.log* .lock-w[as]* massif.out* *.nettrace
        npm-debug.log* npm-error.log* *.o perf.data perf.data.old .php-cs-fixer.cache .php_cs.cache .phpcs-cache
        .phpcs.cache .phplint-cache .phpunit.result.cache pip-delete-this-directory.txt pip-log.txt pip-selfcheck.json
        .pnp.loader.mjs.* pnpm-debug.log* .prettiercache .psalm.cache *.py[co] replay_pid*.log *.rs.bk .rspec_status
        .rubocop-cache rustc-ice-*.txt .scannerwork *.stackdump .stylelintcache *.synctex.gz *.tsbuildinfo .twigcs.cache
        vgcore.[0-9]* yarn-debug.log* yarn-error.log* .yarn-integrity .yarn-state.yml *.profraw *.profdata *.tfplan
        tfplan *.tfstate *.tfstate.backup .terraform.tfstate.lock.info .hugo_build.lock install-state.gz
        events.out.tfevents.* *.rdata .rhistory .rapp.history .rdatatmp .httr-oauth .byebug_history .irb-history
        .python_history .node_repl_history .bash_history celerybeat.pid *.dyn_hi *.dyn_o *.hi *.chi .factorypath
        .spyderproject .spyproject *.sage.py *.retry *.nupkg.metadata *.ipr *.iws
    """),
    # made by systems, editors, merges and downloads
    (IS_TEMPORARY, NOTHING, """
        .#?* #?*# ?*~ ._* *___jb_old___ *___jb_tmp___ *_backup_[0-9]{2,7}.* *.backup.[0-9]{2,7}.* *.crdownload
        *.csproj.user desktop.ini .ds_store ehthumbs*.db .fuse_hidden* .goutputstream-* *.kate-swp .netrwhist
        .nfs[0-9a-f]* nohup.out *.orig *.pro.user *.pro.user.* *.rej .ropeproject *.rsuser session.vim
        local.properties *.sublime-workspace *.suo .*.sw[a-p] *.sw[op] tempcoderunnerfile.* .tern-port thumbs.db
        *.userosscache *.userprefs *.vbproj.user *.vcxproj.user *.xcuserstate ~$* .~lock.*#
    """),
    # indexes of sources, and pages for browsers
    (IS_BUILT, UNUSUAL, """
        a.out *[-.][0-9a-f]{8,20}.*js *[-.][0-9a-f]{8,20}.css *.bundle.js *.chunk.css *.chunk.js *.cjs.map
        compile_commands.json composer.phar cscope.*.out cscope.files cscope.out *.css.map *.d.ts.map etags gpath
        grtags gsyms gtags gtags.files id.utf-8 *.js.map *.mjs.map tags .tags tags.lock tags.temp .tags[0-9] tmtags
        *.wasm.map
    """),
    # logs, processes, local databases, profiles, coverage, crashes, and copies that editors and people make
    (IS_TEMPORARY, UNUSUAL, """
        *.aof *.autosave *.backup *.bak *.bak.* *.bak[0-9]* *.bck *.bk *.bkp c.out *.cachegrind *.callgrind *.core
        *.cover cover.out cover.xml coverage-final.json coverage-summary.json coverage.info coverage.json coverage.out
        coverage.txt coverage.xml *.coverprofile *.crash *.db-journal *.db-shm *.db-wal dhat-heap.json *.dmp dump.rdb
        error_log flame.svg flamegraph*.svg *.gcov heapdump* heaptrack.* junit.xml *.lcov lcov.info *.log *.log.[0-9]*
        *.lprof *.mdmp *.mine mono_crash.* nosetests.xml nytprof.out *.old *.part *.partial *.perf *.pid *.pid.lock
        *.pprof pprof.*.pb.gz *.prof profile.cov profile.out profile.svg *.pstats *.releasebackup report.[0-9]*.json
        *.save *.save.[0-9] *.speedscope.json *.sqlite *.sqlite-* *.sqlite3 *.sqlite3-* *.stackprof *.temp *.tmp
        trace.out *.tracy *.trx *.versionsbackup *.xt
    """),
    # dumps of databases
    (IS_TEMPORARY, UNNAMED, """
        *[-_.]backup*.sql *[-_.]dump.sql *[-_.]dump[-_.0-9]*.sql *[-_.]prod*20[0-9][0-9]*.sql backup*.sql *.bacpac
        *db[-_.]20[0-9][0-9]*.sql *.dump *.dump.gz dump.sql dump[-_.0-9]*.sql live*20[0-9][0-9]*.sql *.mysqldump
        *.pgdump prod*20[0-9][0-9]*.sql *.sql.bz2 *.sql.gz *.sql.xz *.sql.zip *.sql.zst staging*20[0-9][0-9]*.sql
    """),
)  # fmt: skip
# Without an ending, which is one of source or text.
_SCRATCH = """
    scratch scratch[-_0-9]{1,12} scratchpad* scratchfile tmp tmp[0-9]{1,4} tmp[-_]* temp temp[0-9]{1,4} junk
    junk[-_0-9]{1,12} wip wip[-_0-9]{1,12} throwaway* untitled* asd asdf* asdas* sdf* qwe qwer* zxc* blah* bla hoge fuga
    deleteme* delete[-_]me* removeme* remove[-_]me* trash trash[0-9]{1,4} garbage [tx][0-9] aa aaa* xx xxx* yy zz zzz*
    abc abc123 xyz foo foo[0-9]{1,4} bar bar[0-9]{1,4} baz foobar* qux foo[-_]bar test[0-9]{1,4} test[-_][0-9]{1,4}
    mytest* my[-_]test* quicktest* quick[-_]test* testtest tst ttt copy[!a-z0-9]of[!a-z0-9]* *(copy) *(*[!a-z]copy)
    new[!a-z0-9_.-]* *[!a-z0-9]copy *[!a-z0-9]copy[0-9] *[!a-z0-9]copy[!a-z0-9][0-9] *[!a-z0-9]([0-9])
    *[!a-z0-9]([0-9][0-9]) *[-_.]tmp *[-_.]scratch *[-_.]junk *[-_.]wip *[-_.]old *[-_.]old[0-9] *[-_.]throwaway
    notes[-_]todo notes?to?self todo[-_]me my[-_]notes hello[0-9] whatever stuff idk playground* repro
    repro[-_0-9]{1,12} tryout* try[0-9]{1,4} experiment[0-9]{1,4} debug[-_]me debugging dbg
"""
FORMS = (
    *(Form(reason, evidence, Globs(globs)) for reason, evidence, globs in _LEFTOVERS),
    Form(IS_SCRATCH, UNNAMED, Globs(_SCRATCH, _CODE)),
)
# How names of files begin that are about scratch files.
_ABOUT_SCRATCH = ("clean", "clear", "purge", "make", "mk", "create", "reset", "rotate", "prune")
# The same for names that are usual in packages.
SCRATCH_AT_TOP = Form(IS_SCRATCH, UNNAMED, Globs("debug debug[0-9]* try experiment", _CODE))
# Folders that programs make, and nobody by hand.
FOLDER = Globs("""
    node_modules bower_components jspm_packages __pycache__ __pypackages__ .venv .tox .nox .pytest_cache .mypy_cache
    .ruff_cache .pytype .hypothesis .ipynb_checkpoints .eggs *.egg-info htmlcov .gradle .kotlin .next .nuxt .svelte-kit
    .parcel-cache .turbo .angular .expo .nyc_output lcov-report .sass-cache .cache .terraform .terragrunt-cache
    .serverless .aws-sam .dart_tool .stack-work dist-newstyle .vagrant xcuserdata deriveddata .vs .jekyll-cache
    cmakefiles cmake-build-* __macosx $recycle.bin .trash-[0-9]* .spotlight-v100 .fseventsd .elixir_ls .pnpm-store
    zig-cache .zig-cache zig-out .cpcache .bloop elm-stuff *.dsym .history .localhistory .lh nppbackup .ccls-cache
    .clangd .cquery_cached_index .metals .phpunit.cache .php-cs-fixer.cache .rpt2_cache .eslintcache .docusaurus
    .vuepress-cache .vite .swc .nx .yalc .ropeproject .pyre .scannerwork .ltximg _minted-* .clj-kondo-cache
    .jython_cache nimcache .sconf_temp .output .wrangler .vercel .netlify .astro .dist .tmp.driveupload
    playwright-report allure-results .import .godot auto-save-list _rebar_cache testresults storybook-static
    lightning_logs mlruns wandb catboost_info .mlflow .scrapy .rproj.user .spago .psci_modules .fake .ionide .paket
    .benchmarkdotnet benchmarkdotnet.artifacts .vscode-test .meteor .c9 .settings.local .idea_modules
""")


@lru_cache(1 << 14)
def find_form(path: bytes) -> Form | None:
    name = posixpath.basename(_in_lower_case(path))
    form = next((form for form in FORMS if form.pattern.fullmatch(name)), None)
    if form is not None and form.reason == IS_SCRATCH and name.startswith(_ABOUT_SCRATCH):
        return None
    return form


IS_SECRET = "looks like a secrets file"

# Names of files, in lower case, that hold secrets and nothing else, by what they belong to.
_SECRET_NAMES = list_words("""
    .netrc _netrc .git-credentials .git-credential-store .cvspass .authinfo .pgpass pgpass.conf .my.cnf .mylogin.cnf
    .msmtprc .fetchmailrc .esmtprc sasl_passwd .smbcredentials .ftpconfig sftp-config.json sftp.json sitemanager.xml
    filezilla.xml recentservers.xml winscp.ini datasources.local.xml credentials-config.json .htpasswd .htdigest
    .xauthority .s3cfg .boto .passwd-s3fs .edgerc .databrickscfg rootkey.csv accesskeys.csv accesstokens.json keys.txt
    application_default_credentials.json local.settings.json .dockercfg .dockerconfigjson .dockerconfig.json k3s.yaml
    admin.conf kubelet.conf rclone.conf .terraformrc credentials.tfrc.json .vault-token .vault_pass .vault-pass
    .vault_password .vault-password .env .envrc .dev.vars .secrets secrets.sh credentials.sh .sentryclirc ngrok.yml
    msal_token_cache.json msal_token_cache.bin kaggle.json master.key hudson.util.secret .pypirc settings-security.xml
    key.properties keystore.properties signing.properties ipsec.secrets chap-secrets pap-secrets wpa_supplicant.conf
    wireguard.conf logins.json key3.db key4.db signons.sqlite login_data login-data cookies.sqlite cookies.txt
    wallet.dat default_wallet shadow gshadow secring.gpg .history .lesshst .viminfo consolehost_history.txt .dbshell
""") | {"login data"}
_WORD = r"(?:[\w.@+-]*[._@+-])?"
# Extensions of data: a program or page of such a name is about secrets.
_DATA = r"ya?ml|json5?|toml|ini|txt|csv|conf|cfg|properties|xml|env|tfvars|plist|edn|docx?|xlsx?|ods"
_SECRET_NAME = compile_on_use(
    r"[\w.@+-]*\.env|env\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|live|secrets?|private)"
    # `.env.test` and `.env.ci` belong to the project, and `.env.vault` is encrypted.
    r"|\.env[._-](?!(?:tests?|testing|ci|vault)$)[\w.-]+|\.dev\.vars\.[\w.-]+"
    rf"|{_WORD}(?:passwords?|passwds?|pass(?:phrase|code)s?|(?:vault|keystore|db|admin|root|become|sudo)[_-]pass|secrets?|credentials?|creds?|api[_-]?keys?|mnemonics?"
    r"|(?:access|secret|private|account|auth|ssh|signing|service[_-]account)[_-]?keys?|(?:seed|recovery)[_-]?phrase"
    r"|(?:recovery|backup)[_-]?codes?|(?:access|auth|oauth|api|bot|refresh|github|gitlab|npm|slack)[_-]?tokens?)"
    rf"(?:[._-](?:prod(?:uction)?|dev(?:elopment)?|staging|local|live|private|auto))?(?:\.(?:{_DATA}))?"
    rf"|{_WORD}tokens?(?:\.txt)?|token\.(?:json|pickle)"
    rf"|\.{_WORD}(?:password|passwd|passphrase|secret|credential|token|api[_-]?key)s?(?:\.\w{{1,5}})?"
    rf"|(?:.*[_-])?id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[._-][\w.@-]*)?|[\w.@+-]+[_-](?:rsa|dsa|ecdsa|ed25519)"
    rf"|{_WORD}(?:deploy|host|priv)[_-]?key|privkey\w*\.pem|ssh_host_\w+_key"
    r"|client_?secrets?[\w.-]*\.json|[\w.-]*firebase-adminsdk[\w.-]*\.json|[\w.-]*service[_-]?account[\w.-]*\.json"
    r"|[\w.-]*access_?keys\.csv|(?:gcp|gcloud|google)[\w.-]*(?:key|creds?|credentials)[\w.-]*\.json"
    rf"|{_WORD}kubeconfig(?:[._-][\w.-]+)?|[\w.-]*tfstate(?:\.[\w.-]+)?|utc--\d{{4}}-.*|wg\d+\.conf|krb5cc_\w+"
    rf"|(?:private|secret)[\w.-]*\.(?:asc|gpg|pgp)|{_WORD}(?:private|secret)[_-]?keys?\.(?:asc|gpg|pgp)|[._]?\w*_history"
    # Exports of password managers.
    r"|(?:bitwarden|lastpass|1password|keepass|dashlane|enpass|nordpass)[\w.-]*(?:\.csv|[_-](?:export|vault|backup)[\w.-]*)"
    # The word for a key, or for what holds keys, as an extension.
    r"|.*\.(?:pem|key|p12|pfx|pkcs12|p8|ppk|jks|jceks|bks|bcfks|keystore|keytab|kdbx?|psafe3|agilekeychain|keychain"
    r"|keychain-db|opvault|1pif|1pux|wallet|ovpn|nmconnection|mobileprovision|provisionprofile|publishsettings|htpasswd"
    r"|rdg|ccache|secrets?)"
)
# What belongs to a program only in its folder, where other names occur as well.
_SECRET_PATH = compile_on_use(
    r"(?:^|/)(?:\.docker/config\.json|\.?containers/auth\.json|\.(?:composer|codex)/auth\.json|\.aws/(?:credentials|config)"
    r"|\.kube/(?:config|cache/.*)|\.(?:gem|cargo)/credentials(?:\.toml)?|\.m2/settings\.xml|\.gradle/gradle\.properties"
    r"|\.azure/.*\.(?:json|bin)|\.oci/.*|\.config/gcloud/.*|gcloud/(?:credentials|access_tokens)\.db|gh/hosts\.yml"
    r"|doctl/config\.yaml|\.fly/config\.yml|\.circleci/cli\.yml|\.snowsql/config|\.chef/.*\.pem"
    r"|\.ssh/(?!config$|known_hosts|authorized_keys).*|\.gnupg/.*|\.password-store/.*"
    r"|\.config/solana/.*\.json|\.config/hub|glab-cli/config\.yml"
    rf"|\.?(?:secrets|credentials|private[_-]?keys)/(?:.*/)?(?!makefile|dockerfile|readme|license|package|plugin|kustomiz|chart"
    rf"|tsconfig)[\w-]+(?:\.(?:{_DATA}))?"
    r"|(?:firefox|chrome|chromium)/(?:.*/)?(?:cookies|web data))$|^auth\.json$"
)
# Copies that a person or an editor makes of a file.
_COPY = compile_on_use(
    r"(?:\.(?:bak|backup|old|orig|save|saved|copy|tmp|zip|t?gz|tar|7z|rar|\d{1,8})|~| \(\d{1,3}\)| copy){1,4}$"
)
# Certificates and public keys.
_PUBLIC_NAME = compile_on_use(
    r"(?:^|[/._-])(?:pub(?:lic)?(?:[._-]?keys?)?\.(?:pem|key|asc|gpg|pgp)"
    r"|(?:ca|certs?|cacerts?|certificates?|chain|fullchain|bundle|root|csr|crt|dhparams?)\d*\.pem)$"
)
# What has the form of a secret but holds none: templates, public parts, certificates, what is encrypted, mails that ask
# for a password, translations, programs and pages.
_HARMLESS = compile_on_use(
    r"(?:^|[/._-])(?=[^/]*$)(?:examples?|samples?|templates?|tmpl|tpl|dist|defaults?|schema|enc|encrypted|sops|sealed|external|j2|erb"
    r"|dummy|fake|mock|skel|pub|public)(?:[._-]|$)|\.(?:in|age)$|(?:^|/)(?:templates/|debug\.keystore$)"
    rf"|{_PUBLIC_NAME.pattern}|(?:^|/)(?:locales?|i18n|l10n|lang(?:uage)?s?|translations?|(?:sealed|external)-secrets?)/"
    r"|(?:reset|forgot|forgotten|change|lost|recover|update|new|confirm|request)[._-]?passw"
)
# The same for programs and pages, by their endings. Most files of a change have one, and then no pattern is compiled.
_HARMLESS_ENDINGS = (
    ".adoc", ".bash", ".bat", ".c", ".cc", ".cjs", ".cjsx", ".cpp", ".cs", ".css", ".cts", ".ctsx", ".dart", ".diff",
    ".erl", ".ex", ".exs", ".gif", ".go", ".graphql", ".h", ".hh", ".hpp", ".hs", ".htm", ".html", ".ipynb", ".java",
    ".jl", ".jpeg", ".jpg", ".js", ".jsx", ".kt", ".kts", ".lua", ".md", ".mdx", ".mjs", ".mjsx", ".ml", ".mts",
    ".mtsx", ".patch", ".php", ".pl", ".pm", ".png", ".proto", ".ps1", ".py", ".pyi", ".r", ".rb", ".rs", ".rst",
    ".scala", ".scss", ".sh", ".sql", ".svelte", ".svg", ".swift", ".tf", ".ts", ".tsx", ".vue",
)  # fmt: skip
# Files that may hold secrets; many of these names also have harmless uses.
_SENSITIVE_NAMES = Globs(
    "*.env .npmrc credentials wp-config.php local_settings.py settings.local.php nuget.config google-services.json"
    " googleservice-info.plist pip.conf pip.ini .yarnrc.yml *.pem *.key *.asc *.gpg *.pgp *.tfvars *.snk"
)
_TEMPLATES = (".env.example", ".env.sample", ".env.template", ".env.dist")

# Output folders of Microsoft's compilers, by the platform and the kind of build.
_BUILD = compile_on_use(rb"(?:.*/)?(?:bin|obj|x64|x86|Win32|ARM64)/(?:Debug|Release)/")
# Files that a program puts into a folder that it makes, whatever the folder's name is.
_MARKERS = frozenset((
    b"pyvenv.cfg", b"CACHEDIR.TAG", b"CMakeCache.txt", b"lcov.info", b"coverage-final.json", b"project.assets.json",
    b"asset-manifest.json",
))  # fmt: skip
# Folders that are built if one of these files is beside them; elsewhere, a folder of that name may be meant.
BUILT_BESIDE = {
    b"target": (b"Cargo.toml", b"pom.xml", b"build.sbt"),
    b"dist": (b"package.json", b"pyproject.toml", b"setup.py"),
    b"build": (
        b"build.gradle",
        b"build.gradle.kts",
        b"setup.py",
        b"pubspec.yaml",
        b"package.json",
        b"pyproject.toml",
        b"CMakeLists.txt",
        b"meson.build",
    ),
    b"out": (b"package.json", b"CMakeLists.txt"),
    b"_build": (b"mix.exs", b"dune-project"),
    b".build": (b"Package.swift",),
    b"cover": (b"mix.exs", b"rebar.config"),
    b"public": (b"hugo.toml", b"hugo.yaml", b"hugo.json", b"gatsby-config.js", b"gatsby-config.ts"),
    b"_site": (b"_config.yml", b".eleventy.js", b"eleventy.config.js"),
    b"site": (b"mkdocs.yml",),
    b"staticfiles": (b"manage.py",),
}
# What people write, and keep in a folder of such a name as well.
WRITTEN = compile_on_use(
    r".*\.(?:sh|bash|ps1|bat|cmd|mk|cmake|gradle|py|rb|go|rs|java|c|cc|cpp|h|hpp|cs|swift|kts?|php|pl|md|rst|ya?ml|toml|nsi|iss"
    r"|plist|in|tmpl|tpl|spec)|.*(?<!\.d)\.[mc]?tsx?|makefile|dockerfile[\w.-]*|(?:.*[-._])?(?:webpack|rollup|vite|gulp\w*|grunt\w*|esbuild"
    r"|babel|config|conf|build|release|deploy|setup|utils?|env|check|server|make|package|notari[sz]e|sign|install\w*|publish"
    r"|script|tasks?|helpers?)(?:[-._].*)?\.[mc]?js"
)
# What a packager of desktop applications takes from a folder `build`.
_ICONS = (b".png", b".icns", b".ico", b".svg", b".desktop")
# GitHub runs an action from the `dist` beside this file.
_RUN_BESIDE = {b"dist": (b"action.yml", b"action.yaml")}
_OF_AN_EDITOR = compile_on_use(
    r"(?:^|/)\.idea/(?:workspace\.xml|tasks\.xml|usage\.statistics\.xml|shelf/.*|httprequests/.*)$"
)


def is_secret_file(path: bytes) -> bool:
    """Return whether the file at `path` holds secrets and nothing else."""
    text = _in_lower_case(path)
    original = text if text.endswith(_HARMLESS_ENDINGS) else _COPY.sub("", text)
    name = posixpath.basename(original)
    if name in _SECRET_NAMES:
        return True
    if original.endswith(_HARMLESS_ENDINGS) or _HARMLESS.search(original):
        return False
    return _SECRET_NAME.fullmatch(name) is not None or _SECRET_PATH.search(original) is not None


def may_hold_secrets(path: bytes) -> bool:
    """Return whether the content of the file at `path` should not be shown to a model."""
    if is_secret_file(path):
        return True
    name = posixpath.basename(_in_lower_case(path))
    is_environment = name.startswith(".env.") and name not in _TEMPLATES
    is_credentials = name.startswith("credentials.") and name.count(".") == 1
    is_sensitive = is_environment or is_credentials or _SENSITIVE_NAMES.fullmatch(name)
    return is_sensitive and _PUBLIC_NAME.search(name) is None


def find_unwanted(paths: Collection[bytes], find_tracked: Callable[[list[bytes]], set[bytes]]) -> dict[bytes, str]:
    """Return those of the new `paths` that nobody means to commit, each with the reason.

    Files that a program made in one folder are that folder, which ends in a slash. A folder that is tracked is meant:
    `find_tracked` is called at most once, with files and folders, and returns those that git tracks.
    """
    folders = _find_built_folders(paths, find_tracked)
    reasons = {}
    sizes: Counter[bytes] = Counter()
    for path in paths:
        folder = next((folder for folder in _list_folders(path) if folder in folders), None)
        if folder is not None:
            sizes[folder] += 1
        elif reason := _judge_file(path):
            reasons[path] = reason
    for folder, count in sizes.items():
        reasons[folder] = f"{IS_BUILT}, {count:,} {'file' if count == 1 else 'files'}"
    return reasons


def is_any_above(path: bytes, unwanted: Collection[bytes]) -> bool:
    return path in unwanted or any(folder in unwanted for folder in _list_folders(path))


def _judge_file(path: bytes) -> str | None:
    if is_secret_file(path):
        return IS_SECRET
    if _OF_AN_EDITOR.search(_in_lower_case(path)):
        return IS_TEMPORARY
    form = find_form(path)
    if form is not None and form.evidence == NOTHING:
        return form.reason
    return None


def _find_built_folders(paths: Collection[bytes], find_tracked: Callable[[list[bytes]], set[bytes]]) -> set[bytes]:
    certain: set[bytes] = set()
    possible: set[bytes] = set()
    for folder in {posixpath.dirname(path) for path in paths}:
        for above in _list_folders(folder + b"/"):
            name = posixpath.basename(above[:-1])
            if FOLDER.fullmatch(_in_lower_case(name)) or _BUILD.fullmatch(above):
                certain.add(above)
            elif name in BUILT_BESIDE:
                possible.add(above)
    for path in paths:
        folder, _, name = path.rpartition(b"/")
        if folder and name in _MARKERS:
            certain.add(folder + b"/")
    if possible:
        possible -= _find_written_folders(paths, possible)
    if not certain and not possible:
        return set()
    asked = [*certain, *possible]
    for folder in possible:
        asked += (*_list_beside(folder, BUILT_BESIDE), *_list_beside(folder, _RUN_BESIDE))
    tracked = find_tracked(asked)
    present = tracked.union(paths)
    for folder in possible:
        is_built = not present.isdisjoint(_list_beside(folder, BUILT_BESIDE))
        if is_built and present.isdisjoint(_list_beside(folder, _RUN_BESIDE)):
            certain.add(folder)
    return certain - tracked


def _find_written_folders(paths: Collection[bytes], folders: Collection[bytes]) -> set[bytes]:
    written: set[bytes] = set()
    filled: set[bytes] = set()
    for path in paths:
        folder, _, name = path.rpartition(b"/")
        if folder + b"/" in folders and WRITTEN.fullmatch(_in_lower_case(name)):
            written.add(folder + b"/")
        if not name.endswith(_ICONS):
            filled.update(_list_folders(path))
    return written.union(set(folders) - filled)


def _list_beside(folder: bytes, names: Mapping[bytes, Sequence[bytes]]) -> list[bytes]:
    above, name = posixpath.split(folder[:-1])
    return [posixpath.join(above, file) for file in names.get(name, ())]


def _list_folders(path: bytes) -> Iterator[bytes]:
    """Yield the folders that `path` is in, from the outermost, each ending in a slash."""
    end = path.find(b"/")
    while end >= 0:
        yield path[: end + 1]
        end = path.find(b"/", end + 1)


def _in_lower_case(path: bytes) -> str:
    return os.fsdecode(path[-_PATH_BYTES:]).lower()
