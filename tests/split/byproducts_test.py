"""Files that were left behind, and those that only resemble them, in projects of several kinds."""

from dataclasses import dataclass, field

import pytest

from smartcommit.git.repo import Repository
from smartcommit.split.outcome import DONE
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, split

MINIFIED = "var a=1;" * 200 + "\n"
BUNDLED = "(()=>{var e={};console.log(e)})();\n//# sourceMappingURL=x.js.map\n"
SOURCE = "export function area(w, h) {\n  return w * h;\n}\n"
LETMEIN = "let" + "mein"


@dataclass
class Project:
    """A project as it is committed, what is then left behind in it, and what is meant; texts by path."""

    base: dict[str, str]
    junk: dict[str, str] = field(default_factory=dict)
    meant: dict[str, str] = field(default_factory=dict)


PY = "def total(items):\n    return sum(items)\n"
JS = "function total(items) {\n  return items.length;\n}\n"
GO = "package shop\n\nfunc Total(items []int) int {\n\treturn len(items)\n}\n"
RS = "pub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n"
RB = "class Cart\n  def total\n    0\n  end\nend\n"
TS = "import { x } from './x';\n\nexport const area = (w: number) => x * w;\n"
PHP = "<?php\nfunction total($items) {\n    return count($items);\n}\n"
ELF = "\x7fELF\x02\x01"
DUMPED = "-- MySQL dump 10.13\nINSERT INTO `users` VALUES (1,'a');\n"
SCHEMA = "-- PostgreSQL database dump\nCREATE TABLE users (id int);\n"
SOURCES = {"py": PY, "js": JS, "go": GO, "rs": RS, "rb": RB, "ts": TS, "php": PHP}


def files(names: str, text: str = "") -> dict[str, str]:
    """Return files with these names, which blanks separate, all with one text, or each as its language is written."""
    return {name: text or SOURCES.get(name.rpartition(".")[2], "x\n") for name in names.split()}


PROJECTS = {
    "python": Project(
        base=files("shop/cart.py shop/order.py shop/tax.py shop/util.py shop/cli.py tests/test_cart.py prices.sqlite")
        | {"pyproject.toml": "[project]\nname = 'shop'\n", "shop/rate.py": "import temp\n" + PY,
            "Makefile": "check:\n\tpython test123.py\n\tpython tools/debug.py\n"},
        junk=files("scratch.py shop/tmp.py test42.py core.swp shop/.cart.py.swp shop/cart.py.rej .#cart.py "
            ".DS_Store Thumbs.db nohup.out shop/x.pyc .coverage coverage.xml debug.log logs/app.log Untitled.ipynb "
            "notes-todo.txt cart_old.py experiment.py dist/shop-1.0.tar.gz build/lib/shop/cart.py")
        | files("shop/cart.py~ shop/cart.py.orig shop/cart.py.bak", PY)
        | files("core core.4711", ELF)
        | {"#cart.py#": PY, "shop/cart copy.py": PY, "config.local": "DB_HOST=db\nDB_PASSWORD=hunter2\n",
            "settings.ini": f'[db]\npassword = {LETMEIN}\n', "deploy.cfg": 'api_key = "k3y4a5b6c7"\n'},
        meant=files("shop/temp.py test123.py tools/debug.py tests/test_tmp.py tests/tmp_data.txt docs/notes.txt "
            "tests/data/sample.log shop/logs.py shop/backup.py shop/template.py shop/contest1.py TODO.md taxes.sqlite")
        | {"settings.example.ini": f'password = {LETMEIN}\n',
            "app.ini": "[db]\npassword = changeme\nsecret_file = /run/secret\n",
            "prod.toml": 'password = "${DB_PASSWORD}"\ntoken = "<your-token>"\npassword_min_length = 8\n',
            "tests/fixtures/app.yml": f'password: {LETMEIN}\n', "locales/de.yml": "password: Kennwort\n",
            ".github/workflows/ci.yml": f'env:\n  POSTGRES_PASSWORD: {LETMEIN}\n'},
    ),
    "node": Project(
        base=files("src/index.js src/cart.js src/server.js scripts/seed.js")
        | files("build/webpack.base.js src/site.js", SOURCE)
        | {"package.json": '{"scripts": {"gen": "node tools/tmp-gen.js"}}\n', "build/Dockerfile": "FROM node\n",
            "public/js/jquery-3.6.0.min.js": "/*! jQuery */" + MINIFIED},
        junk=files("src/site.js.map dist/index.js npm-debug.log coverage/lcov.info "
            "node_modules/a/index.js .idea/workspace.xml foo.js tmp.json tmp/foo.txt Dockerfile.bak")
        | files("static/main.3f2a9c1b.js", MINIFIED)
        | files("out/main.js", BUNDLED)
        | {"docker-compose.yml": f'services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: {LETMEIN}\n',
            "config/config.local.json": '{"db": 1,\n  "dbPassword": "hunter2"\n}\n'},
        meant=files("build/webpack.prod.js src/build/plan.js scripts/bundle.js src/core.js "
            "src/components/bar.js tools/tmp-gen.js", SOURCE)
        | files("vendor/d3.min.js", MINIFIED)
        | files("tsconfig.build.json")
        | {"build/release.sh": "npm publish\n", "public/js/bootstrap.min.js": "/*! Bootstrap */" + MINIFIED,
            "src/all.js": "import a from './components/bar.js';\n",
            "compose.dev.yml": "environment:\n  POSTGRES_PASSWORD: postgres\n  API_KEY: ${API_KEY}\n",
            ".env.example": "DB_PASSWORD=hunter2\n",
            "k8s/app.yaml": "existingSecret: shop-db\n"},
    ),
    "action": Project(base=files("package.json src/a.js") | files("dist/index.js",
        BUNDLED) | {"action.yml": "runs:\n  main: dist/index.js\n"}, meant=files("dist/post.js",
        BUNDLED) | files("src/b.js", SOURCE) | {"dist/index.js": BUNDLED + "//\n"}),
    "rust, a crate": Project(
        base=files("src/cart.rs src/rate.rs")
        | {"Cargo.toml": "[package]\n", "src/lib.rs": f'mod cart;\n{RS}'},
        junk=files("src/foo.rs src/qux.rs src/lib_old.rs perf.data perf.data.old callgrind.out.123 "
            "cachegrind.out.9 massif.out.8 flamegraph.svg rustc-ice-1.txt src/.lib.rs.kate-swp src/lib.rs.bk "
            "src/lib.rs.bak src/lib.rs.orig src/lib_BACKUP_471.rs src/lib.rs~ dhat-heap.json")
        | files("bin/shop", ELF)
        | files("src/lib.rs.save", RS)
        | {"src/lib (copy).rs": RS, "src/cart - Copy.rs": RS},
        meant=files("src/x.rs src/old.rs src/copy.rs src/backup.rs src/temperature.rs src/trace.rs benches/t.rs "
            "tests/data/a.out rustfmt.toml")
        | files("lib/scratch.rb")
        | {"src/main.rs": "mod x;\n", "docs/flamegraph.svg": "<svg/>\n", "assets/logo.svg": "<svg/>\n",
            "lib/load.rb": "require_relative 'scratch'\n"},
    ),
    "go, a module": Project(
        base=files("internal/store/store.go conn.go retry.go")
        | {"go.mod": "module shop\n", "cmd/api/main.go": "package main\n\nvar _ = temp.Open()\n",
            "run.go": "package shop\n\nvar limit = readLimit()\n"},
        junk=files("bin/server out/server_linux_amd64 server cmd/api/api store.test build/shop-v1.2 core", ELF)
        | files("cpu.prof mem.pprof coverage.out __debug_bin12 trace.out cpu.pprof.tmp")
        | {"shop.exe": "MZ\x01\x02",
            "config/prod.yaml": "db: postgres://shop:hunter22@db.internal/shop\n"},
        meant=files("testdata/hello third_party/bin/protoc", ELF)
        | files("Dockerfile OWNERS bin/lint internal/debug/debug.go")
        | {"internal/temp/tmp.go": "package temp\n\nfunc Open() int { return 1 }\n",
            "a.go": "package shop\n\nfunc readLimit() int { return 1 }\n", "scripts/run": "#!/bin/sh\n",
            "internal/store/x_test.go": "x\n",
            "config/dev.yaml": "db: postgres://postgres:postgres@localhost/shop\n"},
    ),
    "php, a shop": Project(
        base=files("composer.json src/Cart.php src/Order.php src/Tax.php db/migrations/1_init.sql index.php"),
        junk=files(".phpunit.result.cache .php-cs-fixer.cache error_log src/Cart.php.bck index.php.save "
            "cachegrind.out.12 src/Cart.php.old test1.php src/asdf.php backup_20240102.sql.gz "
            ".history/src/Cart_20240101.php")
        | files("backup.sql db/production-2024-03-01.sql", DUMPED)
        | files("nppBackup/Cart.php.2024-01-01_1.bak", PHP)
        | {"config.local.php": f"<?php\nreturn ['db' => ['password' => '{LETMEIN}']];\n",
            "wp-config-local.php": f"<?php\ndefine('DB_PASSWORD', '{LETMEIN}');\n", "db/shop_2024.dump": "PGDMP\x01\n"},
        meant=files("db/seeds/prod.sql", DUMPED)
        | files("db/schema.sql", SCHEMA)
        | files("src/Backup.php src/Dump.php src/Tags.php scripts/nightly-backup.sh")
        | {"db/migrations/20240101_backup_prices.sql": "INSERT INTO a VALUES (1);\n",
            "sql/insert.sql": "INSERT INTO a VALUES (1);\n",
            "config/app.php": "<?php\nreturn ['password' => env('DB_PASSWORD'), 'secret' => ''];\n",
            "config.php": "<?php\n$password = getenv('P');\n$labels = ['password' => 'Password'];\n"},
    ),
    "typescript, an app": Project(
        base=files("package.json src/cart.ts src/item.ts tsconfig.json src/main.ts")
        | {"src/api.ts": f"import {{ a }} from './z';\n{TS}"},
        junk=files(".eslintcache .stylelintcache tsconfig.tsbuildinfo isolate-0x1-v8.log a.cpuprofile "
            "b.heapsnapshot src/cart.ts.bak report.20240101.1.0.json .~lock.notes.odt# src/.cart.ts.swp "
            "src/cart.ts.rej .cache/x playwright-report/a.xml src/temp.ts.tmp src/asdf.ts src/blah.tsx src/foo.css "
            "tmp2.html temp.json")
        | {"src/cart (1).ts": TS, "config.local.js": f"module.exports = {{ host: 'x', password: '{LETMEIN}' }};\n",
            "Copy of notes.txt": "x\n",
            "src/config.private.ts": f"export const smtp = {{ smtpPassword: '{LETMEIN}' }};\n",
            "New Text Document.txt": "x\n"},
        meant=files("src/z.ts src/tags.ts src/profile.ts src/dump.ts src/copy.ts src/xml.ts src/foo/index.ts "
            "src/newsletter.ts src/untitled/Untitled.tsx e2e/tmp.ts src/__tests__/a.ts src/backup.worker.ts .nvmrc")
        | files("docs/x.js examples/foo.js public/tags.json", TS)
        | {"src/config.ts": "export const c = { password: process.env.P, passwordLabel: 'Your password' };\n",
            ".env.example": "A_PASSWORD=hunter2\n",
            "src/locale.ts": f"export const t = {{ password: '{LETMEIN}' }};\n"},
    ),
    "python, a service": Project(
        base=files("setup.py shop/cart.py shop/order.py shop/tax.py shop/rate.py Makefile"),
        junk=files("cscope.out tags TAGS GPATH GTAGS shop/profile.prof a.out Session.vim shop/.cart.py.un~ "
            ".goutputstream-A1 .coverage.h.1 db.sqlite3-journal .mypy_cache/x .pytest_cache/v shop/cart.py.~1~ "
            "shop/#cart.py# celerybeat-schedule.db pip-log.txt shop/zzz.py foo.py try2.py shop/hoge.py "
            "shop/cart_wip.py shop/cart.bak.py")
        | files("core", ELF)
        | files("dump.sql", DUMPED)
        | {"settings_local.py": f"DATABASES = {{'default': {{'NAME': 'x', 'PASSWORD': '{LETMEIN}'}}}}\n",
            "local.properties": f'sdk.dir=/opt\ndb.password={LETMEIN}\n',
            "shop/local_settings.py": f"DB_PASSWORD = '{LETMEIN}'\n"},
        meant=files("shop/tags.py shop/profile.py shop/scratchcard.py shop/threshold.py settings_base.py "
            "shop/backup.py tests/t.py shop/newsletter.py shop/template_old_style.py shop/xx/__init__.py docs/x.py "
            "shop/dump.py core_app/app.py scripts/x.sh")
        | files("notes.md bin/manage .python-version", PY)
        | {"settings.py": "PASSWORD = os.environ['P']\nSECRET_KEY = 'django-insecure-x'\nAPI_KEY = 'map-1234'\n",
            "Procfile": "web: x\n", "Justfile": "all:\n  scripts/x.sh\n",
            "shop/test_settings.py": f"PASSWORD = '{LETMEIN}'\n"},
    ),
    "what is built is tracked, or written by hand": Project(
        base=files("package.json dist/a.js node_modules/a.js"),
        meant=files("build/release.sh dist/b.js node_modules/b.js src/target/plan.rs tools/dist/pack.py vendor/a.go"),
    ),
    "a folder is built beside the file that says so": Project(
        base=files("web/package.json action/package.json"),
        junk=files("web/dist/a.js"), meant=files("action/dist/a.js action/action.yml dist/a.js"),
    ),
    "more names than one command can search for": Project(
        base={"a.txt": "a\n"}, meant={f"{number}/asdf.py": "x\n" for number in range(401)}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_what_is_left_behind_stays_and_what_resembles_it_is_committed(repo: Repo, name: str) -> None:
    project = PROJECTS[name]
    repo.commit("chore: base", project.base)
    changes = {**project.base, **project.junk, **project.meant}
    for path, text in changes.items():
        repo.write(path, text)
    repository = Repository.find(str(repo.path))
    assert split(repository, staged=False, yes=True, terminal=None, out=print) == DONE
    committed = set(repo.git("-c", "core.quotePath=false", "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0"))
    assert sorted(committed & project.junk.keys()) == []
    left = set(repo.git("ls-files", "-o", "-z").split("\0")) - {""}
    assert sorted(left - project.junk.keys()) == []
    assert repo.git("diff", "--name-only") == ""
    for path in project.base:
        assert (repo.path / path).read_text() == changes[path]
    assert_sound(repo)
