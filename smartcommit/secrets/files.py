"""Recognizes files to keep out of commits by their paths: secrets, and what programs build, cache or leave behind.

`secrets.scan` judges what is in a file.
"""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from smartcommit.patterns import compile_on_use
from smartcommit.secrets.leftovers import FOLDER, IS_BUILT, IS_TEMPORARY, NOTHING, compile_globs, find_form

IS_SECRET = "looks like a secrets file"
# Bytes at the end of a path that are examined.
_PATH_BYTES = 400

# Names of files, in lower case, that hold secrets and nothing else, by what they belong to.
_SECRET_NAMES = compile_globs("""
    .netrc _netrc .git-credentials .git-credential-store .cvspass .authinfo .pgpass pgpass.conf .my.cnf .mylogin.cnf
    .msmtprc .fetchmailrc .esmtprc sasl_passwd .smbcredentials .ftpconfig sftp-config.json sftp.json sitemanager.xml
    filezilla.xml recentservers.xml winscp.ini datasources.local.xml credentials-config.json .htpasswd .htdigest
    .xauthority .s3cfg .boto .passwd-s3fs .edgerc .databrickscfg rootkey.csv accesskeys.csv accesstokens.json keys.txt
    application_default_credentials.json local.settings.json .dockercfg .dockerconfigjson .dockerconfig.json k3s.yaml
    admin.conf kubelet.conf rclone.conf .terraformrc credentials.tfrc.json .vault-token .vault_pass .vault-pass
    .vault_password .vault-password .env .envrc .dev.vars .secrets secrets.sh credentials.sh .sentryclirc ngrok.yml
    msal_token_cache.json msal_token_cache.bin kaggle.json master.key hudson.util.secret .pypirc settings-security.xml
    key.properties keystore.properties signing.properties ipsec.secrets chap-secrets pap-secrets wpa_supplicant.conf
    wireguard.conf logins.json key3.db key4.db signons.sqlite login?data cookies.sqlite cookies.txt wallet.dat
    default_wallet shadow gshadow secring.gpg .history .lesshst .viminfo consolehost_history.txt .dbshell
""")
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
_SENSITIVE_NAME = compile_on_use(
    r"\.env\.(?!example$|sample$|template$|dist$)[\w.-]+|[\w.-]+\.env|\.npmrc|credentials(?:\.\w+)?"
    r"|wp-config\.php|local_settings\.py|settings\.local\.php|nuget\.config|google-services\.json|googleservice-info\.plist"
    r"|pip\.conf|pip\.ini|\.yarnrc\.yml|[\w.-]+\.(?:pem|key|asc|gpg|pgp|tfvars|snk)"
)

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
        b"build.gradle", b"build.gradle.kts", b"setup.py", b"pubspec.yaml", b"package.json", b"pyproject.toml",
        b"CMakeLists.txt", b"meson.build",
    ),
    b"out": (b"package.json", b"CMakeLists.txt"),
    b"_build": (b"mix.exs", b"dune-project"),
    b".build": (b"Package.swift",),
    b"cover": (b"mix.exs", b"rebar.config"),
    b"public": (b"hugo.toml", b"hugo.yaml", b"hugo.json", b"gatsby-config.js", b"gatsby-config.ts"),
    b"_site": (b"_config.yml", b".eleventy.js", b"eleventy.config.js"),
    b"site": (b"mkdocs.yml",),
    b"staticfiles": (b"manage.py",),
}  # fmt: skip
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
    if _SECRET_NAMES.fullmatch(name):
        return True
    if original.endswith(_HARMLESS_ENDINGS) or _HARMLESS.search(original):
        return False
    return _SECRET_NAME.fullmatch(name) is not None or _SECRET_PATH.search(original) is not None


def may_hold_secrets(path: bytes) -> bool:
    """Return whether the content of the file at `path` should not be shown to a model."""
    if is_secret_file(path):
        return True
    name = posixpath.basename(_in_lower_case(path))
    return _SENSITIVE_NAME.fullmatch(name) is not None and _PUBLIC_NAME.search(name) is None


def find_unwanted(paths: Collection[bytes], find_tracked: Callable[[list[bytes]], set[bytes]]) -> dict[bytes, str]:
    """Return those of the new `paths` that nobody means to commit, each with the reason.

    Files that a program made in one folder are that folder, which ends in a slash. A folder that is tracked is meant:
    `find_tracked` is called at most once, with files and folders, and returns those that git tracks.
    """
    folders = _find_built_folders(paths, find_tracked)
    found = {}
    sizes: Counter[bytes] = Counter()
    for path in paths:
        folder = next(filter(folders.__contains__, _list_folders(path)), None)
        if folder is not None:
            sizes[folder] += 1
        elif reason := _judge_file(path):
            found[path] = reason
    for folder, count in sizes.items():
        found[folder] = f"{IS_BUILT}, {count:,} {'file' if count == 1 else 'files'}"
    return found


def is_any_above(path: bytes, unwanted: Collection[bytes]) -> bool:
    return path in unwanted or any(folder in unwanted for folder in _list_folders(path))


def _judge_file(path: bytes) -> str | None:
    if is_secret_file(path):
        return IS_SECRET
    if _OF_AN_EDITOR.search(_in_lower_case(path)):
        return IS_TEMPORARY
    form = find_form(path)
    return form.reason if form and form.evidence == NOTHING else None


def _find_built_folders(paths: Collection[bytes], find_tracked: Callable[[list[bytes]], set[bytes]]) -> set[bytes]:
    certain: set[bytes] = set()
    possible: set[bytes] = set()
    for folder in set(map(posixpath.dirname, paths)):
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
    certain.update(filter(partial(_is_built, present), possible))
    return certain - tracked


def _find_written_folders(paths: Collection[bytes], folders: Collection[bytes]) -> set[bytes]:
    """Return those of `folders` that have a script or the like, or nothing but icons."""
    written: set[bytes] = set()
    filled: set[bytes] = set()
    for path in paths:
        folder, _, name = path.rpartition(b"/")
        if folder + b"/" in folders and WRITTEN.fullmatch(_in_lower_case(name)):
            written.add(folder + b"/")
        if not name.endswith(_ICONS):
            filled.update(_list_folders(path))
    return written.union(set(folders) - filled)


def _is_built(present: Collection[bytes], folder: bytes) -> bool:
    is_run = any(map(present.__contains__, _list_beside(folder, _RUN_BESIDE)))
    return not is_run and any(map(present.__contains__, _list_beside(folder, BUILT_BESIDE)))


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
