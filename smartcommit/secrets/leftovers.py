"""Names of what programs and people leave behind: one table of globs, as in the usual ignore lists."""

from __future__ import annotations

import os
import posixpath
import re
from functools import lru_cache

from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

IS_BUILT = "looks like a build artifact"
IS_TEMPORARY = "looks like a temporary file"
IS_SCRATCH = "looks like a scratch file, which no other file mentions"
# What has to be seen besides the name: nothing; that the folder has no tracked file of the same form; also that no
# other file mentions it; that a tool wrote it; that its source is beside it.
NOTHING, UNUSUAL, UNNAMED, CONTENT, SOURCE = range(5)


class Form(Record):
    reason: str
    evidence: int
    pattern: re.Pattern[str]


# Bytes at the end of a path that are examined.
_LENGTH = 400
_GLOB = str.maketrans({".": r"\.", "*": ".*", "?": ".", "$": r"\$", "(": r"\(", ")": r"\)", "!": "^"})


def compile_globs(globs: str, ending: str = "") -> re.Pattern[str]:
    """Return a pattern of the names that one of `globs`, which blanks separate, matches in full."""
    patterns = globs.translate(_GLOB).split()
    # To look for each dot once instead of once for each glob takes a third of the time.
    endings = "|".join(pattern[4:] for pattern in patterns if pattern.startswith(r".*\."))
    others = "|".join(pattern for pattern in patterns if not pattern.startswith(r".*\."))
    return compile_on_use(rf"(?s:(?:{others or '(?!)'}|.*\.(?:{endings or '(?!)'})){ending})")


_CODE = (
    r"\.(?:py|js|jsx|ts|tsx|mjs|cjs|rb|sh|bash|ps1|bat|php|pl|lua|r|jl|sql|java|kt|go|rs|c|cc|cpp|h|cs|swift|scala|ex"
    r"|exs|dart|zig|nim|erl|clj|ml|groovy|hs|html|css|json|csv|xml|ya?ml|txt|ipynb|md|vue|svelte|f90|d|cr|v|asm|s|rkt|el|vb|fs)"
)
_LEFTOVERS = (
    # made by compilers, linters, test runners, profilers and package managers, for one machine
    (IS_BUILT, NOTHING, """
        *$py.class __debug_bin* *.beam cachegrind.out* callgrind.out* celerybeat-schedule* *.class core.[0-9]*
        .coverage .coverage.* *.cpuprofile *.diagsession .dmypy.json *.elc erl_crash.dump .eslintcache *.fdb_latexmk
        .flutter-plugins-dependencies *.gcda *.gch *.gcno gmon.out *.heapprofile *.heapsnapshot *.hprof hs_err_pid*.log
        *.ilk .installed.cfg .jekyll-metadata *.jfr .jshintcache lerna-debug.log* .lock-w[as]* massif.out* *.nettrace
        npm-debug.log* npm-error.log* *.o perf.data perf.data.old .php-cs-fixer.cache .php_cs.cache .phpcs-cache
        .phpcs.cache .phplint-cache .phpunit.result.cache pip-delete-this-directory.txt pip-log.txt pip-selfcheck.json
        .pnp.loader.mjs.* pnpm-debug.log* .prettiercache .psalm.cache *.py[co] replay_pid*.log *.rs.bk .rspec_status
        .rubocop-cache rustc-ice-*.txt .scannerwork *.stackdump .stylelintcache *.synctex.gz *.tsbuildinfo
        .twigcs.cache vgcore.[0-9]* yarn-debug.log* yarn-error.log* .yarn-integrity .yarn-state.yml *.profraw *.profdata
        *.tfplan tfplan *.tfstate *.tfstate.backup .terraform.tfstate.lock.info .hugo_build.lock install-state.gz
        events.out.tfevents.* *.rdata .rhistory .rapp.history .rdatatmp .httr-oauth .byebug_history .irb-history
        .python_history .node_repl_history .bash_history celerybeat.pid celerybeat-schedule.* *.dyn_hi *.dyn_o *.hi
        *.chi .factorypath .spyderproject .spyproject *.sage.py *.retry *.nupkg.metadata *.ipr *.iws
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
        error_log flame.svg flamegraph*.svg *.gcov heapdump* heaptrack.* isolate-*.log junit.xml *.lcov lcov.info *.log
        *.log.[0-9]* *.lprof *.mdmp memleak.log *.mine mono_crash.* nosetests.xml nytprof.out *.old *.part *.partial
        *.perf *.pid *.pid.lock *.pprof pprof.*.pb.gz *.prof profile.cov profile.out profile.svg *.pstats
        *.releasebackup report.[0-9]*.json *.save *.save.[0-9] *.speedscope.json *.sqlite *.sqlite-* *.sqlite3
        *.sqlite3-* *.stackprof *.temp *.tmp trace.out *.tracy *.trx v8.log *.versionsbackup *.xt
    """),
    # dumps of databases
    (IS_TEMPORARY, UNNAMED, """
        *[-_.]backup*.sql *[-_.]dump.sql *[-_.]dump[-_.0-9]*.sql *[-_.]prod*20[0-9][0-9]*.sql backup*.sql *.bacpac
        *db[-_.]20[0-9][0-9]*.sql *.dump *.dump.gz dump.sql dump[-_.0-9]*.sql live*20[0-9][0-9]*.sql *.mysqldump
        *.pgdump prod*20[0-9][0-9]*.sql *.sql.bz2 *.sql.gz *.sql.xz *.sql.zip *.sql.zst staging*20[0-9][0-9]*.sql
    """),
    (IS_TEMPORARY, CONTENT, "*.sql"),
    (IS_BUILT, CONTENT, "bundle.*js bundle.css *[-.]bundle.*js *[-.]bundle.css"),
    (IS_BUILT, SOURCE, "*[-.]min.js *[-.]min.mjs *[-.]min.cjs *[-.]min.css"),
    (IS_TEMPORARY, SOURCE, """
        *[-_.]backup.* *[-_.]bak.* *[-_.]orig.* *[-_.]base_[0-9]* *[-_.]local_[0-9]* *[-_.]remote_[0-9]*
    """),
)  # fmt: skip
# Without an ending, which is one of source or text.
_SCRATCH = """
    scratch scratch[-_0-9]{1,12} scratchpad* scratchfile tmp tmp[0-9]{1,4} tmp[-_]* temp temp[0-9]{1,4} junk
    junk[-_0-9]{1,12} wip wip[-_0-9]{1,12} throwaway* untitled* asd asdf* asdas* sdf* qwe qwer* zxc* blah* bla hoge
    fuga deleteme* delete[-_]me* removeme* remove[-_]me* trash trash[0-9]{1,4} garbage [tx][0-9] aa aaa* xx xxx*
    yy zz zzz* abc abc123 xyz foo foo[0-9]{1,4} bar bar[0-9]{1,4} baz foobar* qux foo[-_]bar test[0-9]{1,4}
    test[-_][0-9]{1,4} mytest* my[-_]test* quicktest* quick[-_]test* testtest tst ttt copy[!a-z0-9]of[!a-z0-9]* *(copy)
    *(*[!a-z]copy) new[!a-z0-9_.-]* *[!a-z0-9]copy *[!a-z0-9]copy[0-9] *[!a-z0-9]copy[!a-z0-9][0-9] *[!a-z0-9]([0-9])
    *[!a-z0-9]([0-9][0-9]) *[-_.]tmp *[-_.]scratch *[-_.]junk *[-_.]wip *[-_.]old *[-_.]old[0-9] *[-_.]throwaway
    notes[-_]todo notes?to?self todo[-_]me todo[-_]tmp notes[-_]tmp my[-_]notes hello[0-9] whatever stuff idk
    playground* repro repro[-_0-9]{1,12} tryout* try[0-9]{1,4} experiment[0-9]{1,4} debug[-_]me debugging dbg
"""
FORMS = (
    *(Form(reason, evidence, compile_globs(globs)) for reason, evidence, globs in _LEFTOVERS),
    Form(IS_SCRATCH, UNNAMED, compile_globs(_SCRATCH, _CODE)),
)
_ABOUT_SCRATCH = ("clean", "clear", "purge", "make", "mk", "create", "reset", "rotate", "prune")
# The same for names that are usual in packages.
SCRATCH_AT_TOP = Form(IS_SCRATCH, UNNAMED, compile_globs("debug debug[0-9]* try experiment", _CODE))
# In a folder of output.
PACKED = Form(IS_BUILT, UNUSUAL, compile_globs("""
    *.whl *.egg *.tgz *.tar.* *.zip *.jar *.war *.ear *.exe *.dll *.so *.so.* *.dylib *.a *.o *.obj *.lib *.class *.pdb
    *.wasm *.apk *.aab *.ipa *.dmg *.deb *.rpm *.msi *.bin *.elf *.hex *.nupkg *.gem *.crate *.rlib *.rmeta *.d *.pyc
    cmakecache.txt cmake_install.cmake .ninja_log .ninja_deps"""
))  # fmt: skip
COMPILED = Form(IS_BUILT, CONTENT, compile_globs("*.js *.mjs *.cjs *.css *.html *.map *.d.ts *.d.mts *.d.cts"))
# Folders that programs make, and nobody by hand.
FOLDER = compile_globs("""
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
    """Return the first form that the name of the file at `path` has."""
    name = os.fsdecode(posixpath.basename(path[-_LENGTH:])).lower()
    form = next((form for form in FORMS if form.pattern.fullmatch(name)), None)
    # `clean_tmp.sh` is about such files, and is none.
    return None if form is not None and form.reason == IS_SCRATCH and name.startswith(_ABOUT_SCRATCH) else form
