"""Files and hunks that were left behind, and those that only resemble them, in projects of several kinds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from smartcommit.git.repo import Repository
from smartcommit.split.engine import SplitOptions
from smartcommit.split.outcome import DONE, NOTHING
from smartcommit.split.plan_file import read_plan
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, split

MINIFIED = "var a=1;" * 200 + "\n"
BUNDLED = "(()=>{var e={};console.log(e)})();\n//# sourceMappingURL=x.js.map\n"
SOURCE = "export function area(w, h) {\n  return w * h;\n}\n"
LETMEIN = "let" + "mein"


@dataclass
class Project:
    """A project as it is committed, what is then left behind in it, and what is meant; texts by path.

    A change of a tracked file replaces it; what is left behind there are the `prints`, by path and first line.
    """

    base: dict[str, str]
    junk: dict[str, str] = field(default_factory=dict)
    meant: dict[str, str] = field(default_factory=dict)
    prints: set[str] = field(default_factory=set)


PY = """\
import os


def total(items):
    result = 0
    for item in items:
        result += item
    return result
"""
PY_CLI = """\
import argparse


def main():
    args = argparse.ArgumentParser().parse_args()
    print(args)
    return 0
"""
JS = """\
function total(items) {
  let sum = 0;
  for (const item of items) sum += item;
  return sum;
}
"""
GO = """\
package shop

func Total(items []int) int {
	sum := 0
	for _, i := range items {
		sum += i
	}
	return sum
}
"""
RS = """\
pub fn total(items: &[u32]) -> u32 {
    let mut sum = 0;
    for i in items {
        sum += i;
    }
    sum
}
"""
RB = """\
class Cart
  def total
    sum = 0
    items.each { |i| sum += i.price }
    sum
  end
end
"""
TS = """\
import { x } from './x';

export class Api {
  async get(id: string) {
    const res = await fetch(id);
    return res.json();
  }
}
"""
JAVA = """\
package a;

public class Cart {
  int total() {
    int sum = 0;
    for (int i : items) sum += i;
    return sum;
  }
}
"""
PHP = """\
<?php
function total($items) {
    $sum = 0;
    foreach ($items as $i) { $sum += $i; }
    return $sum;
}
"""
C = """\
#include <stdio.h>

int total(int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
"""
NODE_SRV = """\
const express = require('express');
const app = express();

app.get('/', (req, res) => {
  res.send('ok');
});

app.listen(3000);
"""
VUE = """\
<script>
export default {
  data() {
    return 1;
  },
};
</script>
"""


def after(text: str, line: int, *added: str) -> str:
    """Return `text` with lines added after the one of this number."""
    lines = text.splitlines(keepends=True)
    lines[line:line] = [f"{each}\n" for each in added]
    return "".join(lines)


PROJECTS = {
    "python": Project(
        base={
            "pyproject.toml": "[project]\nname = 'shop'\n", "shop/cart.py": PY, "shop/order.py": PY,
            "shop/tax.py": PY,
            "shop/cli.py": PY_CLI, "shop/util.py": PY, "tests/test_cart.py": PY, "shop/rate.py": "import temp\n" + PY,
            "shop/verbose.py": after(PY, 4, "    print(items)"),
            "Makefile": "check:\n\tpython test123.py\n\tpython tools/debug.py\n",
        },
        junk={
            "scratch.py": "print(1)\n", "shop/tmp.py": "x = 1\n", "test42.py": "x = 1\n", "core.swp": "b0VIM\n",
            "shop/.cart.py.swp": "b0VIM\n", "shop/cart.py~": PY, "shop/cart.py.orig": PY, "shop/cart.py.rej": "***\n",
            "shop/cart.py.bak": PY, "#cart.py#": PY, ".#cart.py": "x\n", ".DS_Store": "\0\0", "Thumbs.db": "\0",
            "nohup.out": "hello\n", "core": "\x7fELF\x01", "core.4711": "\x7fELF", "shop/x.pyc": "\0",
            ".coverage": "!\n",
            "coverage.xml": "<coverage/>\n", "debug.log": "x\n", "logs/app.log": "x\n", "Untitled.ipynb": "{}\n",
            "notes-todo.txt": "buy milk\n", "cart_old.py": PY, "shop/cart copy.py": PY, "dist/shop-1.0.tar.gz": "x\n",
            "build/lib/shop/cart.py": PY, "config.local": "DB_HOST=db\nDB_PASSWORD=hunter2\n",
            "settings.ini": f"[db]\npassword = {LETMEIN}\n", "deploy.cfg": 'api_key = "abc"\n',
        },
        meant={
            "shop/temp.py": PY, "test123.py": PY, "tools/debug.py": PY, "tests/test_tmp.py": PY,
            "tests/tmp_data.txt": "x\n",
            "docs/notes.txt": "x\n", "tests/data/sample.log": "x\n", "shop/logs.py": PY, "shop/backup.py": PY,
            "shop/template.py": PY, "shop/contest1.py": PY, "settings.example.ini": f"password = {LETMEIN}\n",
            "app.ini": "[db]\npassword = changeme\nsecret_file = /run/secret\n", "TODO.md": "- x\n",
            "prod.toml": 'password = "${DB_PASSWORD}"\ntoken = "<your-token>"\npassword_min_length = 8\n',
            "tests/fixtures/app.yml": f"password: {LETMEIN}\n", "locales/de.yml": "password: Kennwort\n",
            ".github/workflows/ci.yml": f"env:\n  POSTGRES_PASSWORD: {LETMEIN}\n",
            "shop/cli.py": after(PY_CLI, 5, "    print(args.name)"),
            "shop/verbose.py": after(PY, 4, "    print(items)", "    print(result)"),
            "shop/util.py": after(PY, 4, '    print("debugging", items)', "    items = list(items)"),
        },
        prints={"shop/cart.py:5", "shop/order.py:6", "shop/tax.py:8"},
    ),
    "node": Project(
        base={
            "package.json": '{"main": "src/index.js"}\n', "src/index.js": JS, "src/cart.js": JS, "src/server.js": JS,
            "build/webpack.base.js": SOURCE, "build/Dockerfile": "FROM node\n", "src/site.js": SOURCE,
            "public/js/jquery-3.6.0.min.js": "/*! jQuery */" + MINIFIED, "scripts/seed.js": JS,
        },
        junk={
            "build/out.js": JS, "bundle.min.js": MINIFIED, "src/site.min.js": MINIFIED, "src/site.js.map": "{}\n",
            "dist/index.js": JS, "out/main.js": BUNDLED, "public/bundle.js": BUNDLED, "npm-debug.log": "x\n",
            "static/main.3f2a9c1b.js": MINIFIED, "coverage/lcov.info": "TN:\n", "node_modules/a/index.js": "x\n",
            ".idea/workspace.xml": "<x/>\n", "foo.js": "let a = 1;\n", "tmp.json": "{}\n", "Dockerfile.bak": "x\n",
            "docker-compose.yml": f"services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: {LETMEIN}\n",
            "config/config.local.json": '{"db": 1,\n  "dbPassword": "hunter2"\n}\n',
        },
        meant={
            "build/webpack.prod.js": SOURCE, "build/release.sh": "npm publish\n", "src/build/plan.js": SOURCE,
            "public/js/bootstrap.min.js": "/*! Bootstrap */" + MINIFIED, "vendor/d3.min.js": MINIFIED,
            "scripts/bundle.js": SOURCE, "src/core.js": SOURCE, "src/components/bar.js": SOURCE,
            "src/all.js": "import a from './components/bar.js';\n",
            "compose.dev.yml": "environment:\n  POSTGRES_PASSWORD: postgres\n  API_KEY: ${API_KEY}\n",
            ".env.example": "DB_PASSWORD=hunter2\n",
            "src/server.js": after(JS, 2, "  console.log('Listening on port', 3000);"),
            "scripts/seed.js": after(JS, 2, "  console.log(items);"), "k8s/app.yaml": "existingSecret: shop-db\n",
            "tsconfig.build.json": "{}\n",
        },
        prints={"src/index.js:3", "src/cart.js:4"},
    ),
    "action": Project(
        base={
            "action.yml": "runs:\n  main: dist/index.js\n", "package.json": "{}\n", "dist/index.js": BUNDLED,
            "src/a.js": JS,
        },
        meant={"dist/index.js": BUNDLED + "//\n", "dist/post.js": BUNDLED, "dist/index.js.map": "{}\n",
        "src/b.js": SOURCE},
    ),
    "go": Project(
        base={
            "go.mod": "module shop\n", "total.go": GO, "main.go": GO, "cmd/shop/main.go": GO,
            "maps/maps.go": "type Scratch int\n",
        },
        junk={
            "tmp.go": "package shop\n", "cover.out": "mode: set\n", "shop.prof": "x\n",
            "deploy/values.yaml": f"db:\n  password: {LETMEIN}\n", "bin/shop.exe": "MZ\n",
            "k8s/shop.yaml": f"env:\n- name: DB_PASSWORD\n  value: {LETMEIN}\n",
        },
        meant={
            "maps/scratch.go": "package maps\n\ntype Scratch struct{}\n", "internal/target/target.go": GO,
            "build/ci.go": GO,
            "cmd/shop/main.go": after(GO, 4, "\tfmt.Println(items)"), "testdata/out.log": "x\n", "core/core.go": GO,
        },
        prints={"total.go:5", "main.go:6"},
    ),
    "rust and ruby": Project(
        base={"Cargo.toml": "[package]\n", "src/lib.rs": RS, "lib/cart.rb": RB, "lib/order.rb": RB, "src/log.rs": RS},
        junk={"target/debug/shop.d": "x\n", "src/lib.rs.bk": RS, "scratch2.rb": "x\n",
        "playground.rs": "fn main() {}\n"},
        meant={
            "src/temp.rs": RS, "lib/scratch.rb": RB, "lib/load.rb": "require_relative 'scratch'\n",
            "examples/tmp.rs": RS,
            "src/log.rs": after(RS, 2, '    info!("total of {} items", items.len());'), "debug.rs": RS,
            "src/main.rs": "mod temp;\n#[path = \"../debug.rs\"]\nmod debug;\n",
        },
        prints={"src/lib.rs:4", "lib/cart.rb:4", "lib/order.rb:4"},
    ),
    "java": Project(
        base={
            "pom.xml": "<project/>", "src/main/java/a/Cart.java": JAVA, "src/main/java/a/Main.java": JAVA,
            "src/main/resources/application.yml": "server: 1\n", "src/test/java/a/CartTest.java": JAVA,
            "src/main/java/a/Order.java": JAVA,
        },
        junk={
            "target/classes/a/Cart.class": "x", "hs_err_pid12.log": "x",
            "src/main/resources/application-prod.yml": f"spring:\n  datasource:\n    password: {LETMEIN}\n",
            "app.jar.bak": "x", "src/main/java/a/Cart.java~": JAVA, "Test123.java": "class Test123{}\n",
            "src/main/resources/application-local.properties": "spring.datasource.password=s3cr3t!\n",
            "heap.hprof": "x", ".idea/tasks.xml": "x", "bin/Main.class": "x",
        },
        meant={
            "src/main/java/a/target/Target.java": JAVA, "src/main/java/a/build/Builder.java": JAVA,
            "src/main/resources/messages_de.properties": "login.password=Kennwort\npassword=passwort\n",
            "src/test/resources/application-test.yml": f"password: {LETMEIN}\n",
            "src/main/resources/logback.xml": "<x/>", "src/main/java/a/TempFile.java": JAVA,
            "src/main/java/a/Main.java": after(JAVA, 6, '    System.out.println("Total: " + sum);'),
            "src/main/java/a/Debug.java": JAVA,
            "src/main/resources/application-dev.yml": "password: ${DB_PASSWORD}\n  token-uri: https://x/y\n",
            "gradle.properties": "org.gradle.daemon=true\n",
            "src/main/java/a/Order.java": after(JAVA, 6, '    log.debug("total {}", sum);'),
        },
        prints={
            "src/main/java/a/Cart.java:6",
        },
    ),
    "web": Project(
        base={
            "package.json": '{"scripts":{"build": "vite build", "gen": "node tools/tmp-gen.js"}}',"src/api.ts": TS,
            "src/app.ts": TS, "server.js": NODE_SRV, "static/css/site.css": "a{}\n", "static/js/app.js": JS,
            "static/vendor/x.min.js": MINIFIED, ".gitattributes": "public/build/** linguist-generated\n",
            "src/store.ts": TS, "src/log.ts": after(TS, 4, "    console.log(id);"), "assets/js/a.min.js": MINIFIED,
            "src/view.vue": VUE,
        },
        junk={
            "static/css/site.min.css": "a{}", "static/js/app.min.js": MINIFIED, "static/js/app.js.map": "{}",
            "dist/assets/index-BkL3x9aQ.js": BUNDLED, "dist/index.html": "<html>", ".cache/x": "x", "scratch.ts": "x",
            "untitled.txt": "x", "Untitled-1.js": "x", "tmp/foo.txt": "x", "src/api.ts.bak": TS,
            "yarn-error.log": "x", "src/api copy.ts": TS, "dev.sqlite3": "x", ".parcel-cache/a": "x",
            "config/database.yml": f"production:\n  password: {LETMEIN}\n",
            "config/settings.local.json": '{\n  "smtp": {"host": "x"},\n  "apiKey": "abc123"\n}\n',"test1.js": "x",
            "temp.html": "x", "out/index.js": BUNDLED, "server.log": "x",
        },
        meant={
            "public/build/app.js": BUNDLED, "static/vendor/y.min.js": MINIFIED,
            "static/js/jquery.min.js": "/*! jQuery v3 | (c) */\n"+MINIFIED, "assets/js/b.min.js": MINIFIED,
            "tools/tmp-gen.js": JS, "src/temp/index.ts": TS, "src/untitled/Untitled.tsx": TS,
            "src/pages/notes.ts": TS, "src/backup.ts": TS,
            "config/settings.json": '{\n  "apiKey": "",\n  "password": null\n}\n',
            "config/default.json": '{"password": "x1234"}\n',"locales/en.json": '{\n  "password": "Password"\n}\n',
            "src/log.ts": after(TS, 4, "    console.log(id);", "    console.log(id.length);"),
            "server.js": after(NODE_SRV, 7, "console.log('listening on 3000');"), "src/build/index.ts": TS,
            "docs/debug.log.md": "x", "examples/scratch.js": "x",
            "cypress/fixtures/user.json": '{"password": "letmein1"}\n',".vscode/launch.json": "{}",
            ".idea/codeStyles/Project.xml": "<x/>", "build/icon.png": "x", "swagger.yaml": "password: letmein1\n",
            "src/test2.spec.ts": TS,
        },
        prints={
            "src/api.ts:6", "src/app.ts:6", "src/store.ts:1", "src/view.vue:4",
        },
    ),
    "c and php": Project(
        base={
            "Makefile": "all:\n\tcc *.c\n", "total.c": C, "cart.php": PHP, "order.php": PHP,
            "CMakeLists.txt": "project(x)\n", "build/README.md": "x", "report.py": PY, "cli/run.py": PY,
            "shop/a.py": PY, "shop/b.py": PY, "conf/app.ini": "[db]\nhost = x\nuser = y\n",
        },
        junk={
            "build/total.o": "x", "build/CMakeCache.txt": "x", "a.out": "x", "total.c.orig": C,
            "tmp.c": "int main(){}\n", "foo.c": "x", "core.99": "x", "tags~": "x", "vgcore.12": "x", "dump.rdb": "x",
            "old_backup.sql": "x", "junk.txt": "x", "wip.md": "x", "asdf.py": "x", "delete_me.sh": "x",

            ".env.production": f"DB_PASSWORD={LETMEIN}\n", "secrets.yml": "x",
        },
        meant={
            "build/toolchain.cmake": "x", "conf/example.ini": f"password = {LETMEIN}\n",
            "conf/app.conf.dist": f"password = {LETMEIN}\n",
            "ansible/vars.yml": "db_password: '{{ vault_db_password }}'\n",
            "helm/values.yaml": "image:\n  pullSecret: regcred\nauth:\n  existingSecret: shop\n  password: ''\n",
            "redis.conf": "# requirepass foobared\nport 1\n", "php.ini": "session.use_only_cookies = 1\n",
            "cli/run.py": after(PY, 6, "        print(item)"), "report.py": after(PY, 6, "        print(item)"),
            "shop/b.py": after(PY, 6, "        logging.debug(item)"), "order.php": after(PHP, 3, "    echo $sum;"),
            "core.py": "x", "contrib/hi.sh": "echo hi\n", "log.c": C, "temp.h": C, "use.c": '#include "temp.h"\n',
            "bar.py": "from shop import a\n", "run.sh": "python bar.py\n",
            "compose.yaml": "environment:\n  MYSQL_ROOT_PASSWORD: root\n  MYSQL_PASSWORD: ${P:-x}\n",
        },
        prints={
            "total.c:5", "cart.php:4", "shop/a.py:7",
        },
    ),
}  # fmt: skip
PRINTS = {
    "shop/cart.py": after(PY, 4, "    import pdb; pdb.set_trace()"),
    "shop/order.py": after(PY, 5, '    print("here")'),
    "shop/tax.py": after(after(PY, 6, "        print(item)"), 0, "import sys"),
    "src/index.js": after(JS, 2, "  console.log('items', items);"),
    "src/cart.js": after(JS, 3, "  debugger;"),
    "total.go": after(GO, 4, '\tfmt.Println("DEBUG", items)'),
    "main.go": after(GO, 5, '\t\tfmt.Printf("%+v\\n", i)'),
    "src/lib.rs": after(RS, 3, "        dbg!(i);"),
    "lib/cart.rb": after(RB, 3, "    binding.pry"),
    "lib/order.rb": after(RB, 3, "    puts sum.inspect"),
    "src/main/java/a/Cart.java": after(JAVA, 5, '    System.out.println(">>> " + sum);'),
    "src/api.ts": after(TS, 5, "    console.log('res', res);"),
    "src/app.ts": after(TS, 5, "    debugger;"),
    "src/store.ts": after(TS, 0, "console.log('loaded store here');"),
    "src/view.vue": after(VUE, 3, "    console.log('data called');"),
    "total.c": after(C, 4, '    printf("here %d\\n", n);'),
    "cart.php": after(PHP, 3, "    var_dump($items);"),
    "shop/a.py": after(PY, 6, '        print(f"item: {item}")'),
}

ELF = "\x7fELF\x02\x01"
DUMPED = "-- MySQL dump 10.13\nINSERT INTO `users` VALUES (1,'a');\n"
SCHEMA = "-- PostgreSQL database dump\nCREATE TABLE users (id int);\n"


def files(names: str, text: str = "x\n") -> dict[str, str]:
    """Return files with these names, which blanks separate, all with one text."""
    return dict.fromkeys(names.split(), text)


PROJECTS |= {
    "rust, a crate": Project(
        base={"Cargo.toml": "[package]\n", "src/lib.rs": f"mod cart;\n{RS}", "src/cart.rs": RS, "src/rate.rs": RS},
        junk={
            **files("src/foo.rs src/qux.rs src/lib_old.rs", "fn main() {}\n"),
            **files("perf.data perf.data.old callgrind.out.123 cachegrind.out.9 massif.out.8 flamegraph.svg"
                " rustc-ice-1.txt"),
            **files("src/.lib.rs.kate-swp src/lib.rs.bk src/lib.rs.bak src/lib.rs.orig src/lib_BACKUP_471.rs"
                " src/lib.rs~ dhat-heap.json"),
            "src/lib (copy).rs": RS, "src/cart - Copy.rs": RS, "bin/shop": ELF, "src/lib_LOCAL_471.rs": RS,
            "src/lib.rs.save": RS,
        },
        meant={
            **files("src/x.rs src/old.rs src/copy.rs src/backup.rs src/temperature.rs src/trace.rs benches/t.rs", RS),
            "src/main.rs": "mod x;\n", "docs/flamegraph.svg": "<svg/>\n", "tests/data/a.out": "x\n",
            "rustfmt.toml": "x = 1\n",
            "src/rate.rs": after(RS, 3, '        log::info!("rate {}", i);'), "assets/logo.svg": "<svg/>\n",
        },
        prints={"src/cart.rs:4"},
    ),
    "go, a module": Project(
        base={
            "go.mod": "module shop\n", "internal/store/store.go": GO,
            "cmd/api/main.go": 'package main\n\nvar _ = temp.Open()\n',
            "conn.go": GO, "retry.go": GO, "run.go": "package shop\n\nvar limit = readLimit()\n",
        },
        junk={
            **files("bin/server out/server_linux_amd64 server cmd/api/api store.test build/shop-v1.2 core", ELF),
            "shop.exe": "MZ\x01\x02",
            **files("cpu.prof mem.pprof coverage.out __debug_bin12 trace.out cpu.pprof.tmp"),
            **files("internal/store/tmp.go asdf.go internal/store/foo.go",
            "package x\n\nfunc unused() {}\n"),
            "config/prod.yaml": "db: postgres://shop:hunter22@db.internal/shop\n",
        },
        meant={
            "internal/temp/tmp.go": "package temp\n\nfunc Open() int { return 1 }\n",
            "a.go": "package shop\n\nfunc readLimit() int { return 1 }\n", "testdata/hello": ELF,
            "scripts/run": "#!/bin/sh\n",
            **files("Dockerfile OWNERS internal/store/x_test.go bin/lint"), "third_party/bin/protoc": ELF,
            "internal/debug/debug.go": GO,
            "retry.go": after(GO, 4, '\tlog.Printf("debug mode is on for %d items", len(items))'),
            "config/dev.yaml": "db: postgres://postgres:postgres@localhost/shop\n",
        },
        prints={"conn.go:5"},
    ),
    "php, a shop": Project(
        base={
            "composer.json": "{}\n", "src/Cart.php": PHP, "src/Order.php": PHP, "src/Tax.php": PHP,
            "db/migrations/1_init.sql": "x\n",
            "index.php": PHP,
        },
        junk={
            **files(".phpunit.result.cache .php-cs-fixer.cache error_log src/Cart.php.bck index.php.save"
                " cachegrind.out.12 src/Cart.php.old"),
            **files("test1.php src/asdf.php", "<?php\n"),
            "config.local.php": f"<?php\nreturn ['db' => ['password' => '{LETMEIN}']];\n",
            "wp-config-local.php": f"<?php\ndefine('DB_PASSWORD', '{LETMEIN}');\n", "shop.sql": DUMPED,
            "backup.sql": DUMPED,
            "db/production-2024-03-01.sql": DUMPED, "db/shop_2024.dump": "PGDMP\x01\n", "backup_20240102.sql.gz": "x",
            ".history/src/Cart_20240101.php": PHP, "nppBackup/Cart.php.2024-01-01_1.bak": PHP,
        },
        meant={
            "db/migrations/20240101_backup_prices.sql": "INSERT INTO a VALUES (1);\n", "db/seeds/prod.sql": DUMPED,
            "db/schema.sql": SCHEMA, "sql/insert.sql": "INSERT INTO a VALUES (1);\n", "src/Backup.php": PHP,
            "src/Dump.php": PHP,
            "config/app.php": "<?php\nreturn ['password' => env('DB_PASSWORD'), 'secret' => ''];\n",
            "src/Tags.php": PHP,
            "config.php": "<?php\n$password = getenv('P');\n$labels = ['password' => 'Password'];\n",
            "src/Tax.php": after(PHP, 3, "    error_log('could not read the rate');"),
            "scripts/nightly-backup.sh": "x\n",
        },
        prints={"src/Order.php:4"},
    ),
    "typescript, an app": Project(
        base={
            "package.json": "{}\n", "src/api.ts": f"import {{ a }} from './z';\n{TS}", "src/cart.ts": TS,
            "src/item.ts": TS,
            "tsconfig.json": "{}\n", "src/main.ts": TS,
        },
        junk={
            **files(".eslintcache .stylelintcache tsconfig.tsbuildinfo isolate-0x1-v8.log a.cpuprofile b.heapsnapshot"
                " src/cart.ts.bak"),
            **files("report.20240101.1.0.json .~lock.notes.odt# src/.cart.ts.swp src/cart.ts.rej .cache/x"
                " playwright-report/a.xml src/temp.ts.tmp"),
            **files("src/asdf.ts src/blah.tsx src/foo.css tmp2.html temp.json", "let a;\n"),
            "src/cart (1).ts": TS,
            "config.local.js": f"module.exports = {{ host: 'x', password: '{LETMEIN}' }};\n",
            "Copy of notes.txt": "x\n",
            "src/config.private.ts": f"export const smtp = {{ smtpPassword: '{LETMEIN}' }};\n",
            "New Text Document.txt": "x\n",
        },
        meant={
            **files("src/z.ts src/tags.ts src/profile.ts src/dump.ts src/copy.ts src/xml.ts src/foo/index.ts"
                " src/newsletter.ts", TS),
            **files("e2e/tmp.ts src/__tests__/a.ts docs/x.js examples/foo.js public/tags.json", TS),
            "src/config.ts": "export const c = { password: process.env.P, passwordLabel: 'Your password' };\n",
            "src/item.ts": after(TS, 5, "    logger.info('here is the item that was asked for');"),
            ".env.example": "A_PASSWORD=hunter2\n",
            "src/locale.ts": f"export const t = {{ password: '{LETMEIN}' }};\n", "src/backup.worker.ts": TS,
            ".nvmrc": "20\n",
        },
        prints={"src/cart.ts:6", "src/main.ts:6"},
    ),
    "python, a service": Project(
        base={"setup.py": "x = 1\n", "shop/cart.py": PY, "shop/order.py": PY, "shop/tax.py": PY, "shop/rate.py": PY,
        "Makefile": "all:\n"},
        junk={
            **files("cscope.out tags TAGS GPATH GTAGS shop/profile.prof a.out Session.vim shop/.cart.py.un~"
                " .goutputstream-A1 .coverage.h.1"),
            **files("db.sqlite3-journal .mypy_cache/x .pytest_cache/v shop/cart.py.~1~ shop/#cart.py#"
                " celerybeat-schedule.db pip-log.txt"),
            **files("shop/zzz.py foo.py try2.py shop/hoge.py shop/cart_wip.py", "x = 1\n"),
            "core": ELF, "shop/cart.bak.py": PY,
            "settings_local.py": f"DATABASES = {{'default': {{'NAME': 'x', 'PASSWORD': '{LETMEIN}'}}}}\n",
            "dump.sql": DUMPED,
            "local.properties": f"sdk.dir=/opt\ndb.password={LETMEIN}\n",
            "shop/local_settings.py": f"DB_PASSWORD = '{LETMEIN}'\n",
        },
        meant={
            **files("shop/tags.py shop/profile.py shop/scratchcard.py shop/threshold.py settings_base.py"
                " shop/backup.py tests/t.py", PY),
            **files("shop/newsletter.py shop/template_old_style.py shop/xx/__init__.py docs/x.py notes.md bin/manage"
                " .python-version", PY),
            "settings.py": "PASSWORD = os.environ['P']\nSECRET_KEY = 'django-insecure-x'\nAPI_KEY = 'map-1234'\n",
            "shop/dump.py": PY, "core_app/app.py": PY,
            "shop/rate.py": after(PY, 7, '    logger.info("=== Phase two: load the index of prices ===")'),
            "Procfile": "web: x\n",
            "scripts/x.sh": "echo\n", "Justfile": "all:\n  scripts/x.sh\n",
            "shop/test_settings.py": f"PASSWORD = '{LETMEIN}'\n",
        },
        prints={"shop/cart.py:5", "shop/order.py:6", "shop/tax.py:8"},
    ),
    "c++ and java": Project(
        base={
            "CMakeLists.txt": "project(x)\n", "src/main.c": "int main() {\n    run();\n    return start();\n}\n",
            "include/a.h": "int run();\n",
            "src/App.java": JAVA, "src/Log.java": JAVA,
        },
        junk={
            **files("gmon.out main.gcda vgcore.9 compile_commands.json a.dSYM/Contents/x .clangd/index/x x.pro.user"
                " java_pid1.hprof rec.jfr"),
            **files("src/foo.c asdf.java", "static int unused(void) {\n}\n"), "prog": ELF,
            "src/prog.out": ELF, "src/main.o": "x",
            **files("hs_err_pid7.log replay_pid7.log heapdump-1.bin crash.dmp src/main.c.autosave"
                " src/App.java.releaseBackup"),
        },
        meant={
            "src/r.c": "#include \"a.h\"\n\nint run() {\n    return 1;\n}\n",
            "src/b.c": "int start(void) {\n    return 1;\n}\n",
            **files("include/tmp.h src/core.c src/trace.c cmake/x.cmake src/Copy.java src/Temp.java", C),
            "firmware/boot.bin": ELF,
            "src/use.c": '#include "tmp.h"\n',
            "src/Log.java": after(JAVA, 5, '    log.warn("test of the cart failed");'),
        },
        prints={"src/App.java:6"},
    ),
}  # fmt: skip
PRINTS |= {
    "src/cart.rs": after(RS, 3, '        eprintln!("xxx {}", i);'),
    "conn.go": after(GO, 4, '\tlog.Println("DEBUG conn", items)'),
    "src/Order.php": after(PHP, 3, "    error_log('here');"),
    "src/cart.ts": after(TS, 5, "    console.error('!!!', res);"),
    "src/main.ts": after(TS, 5, "    this.logger.debug('HERE 2');"),
    "src/App.java": after(JAVA, 5, '    log.info("==========");'),
}


@pytest.mark.parametrize("name", PROJECTS)
def test_what_is_left_behind_stays_and_what_resembles_it_is_committed(repo: Repo, name: str) -> None:
    project = PROJECTS[name]
    repo.commit("chore: base", project.base)
    changes = {**project.junk, **project.meant}
    printed_in = {line.partition(":")[0] for line in project.prints}
    changes.update((path, PRINTS[path]) for path in printed_in)
    for path, text in changes.items():
        repo.write(path, text)
    printed: list[str] = []
    options = SplitOptions(json=True)
    repository = Repository.find(str(repo.path))
    assert split(repository, staged=False, yes=True, terminal=None, out=printed.append, options=options) == DONE
    warnings = json.loads(printed[-1])["warnings"]
    prints = {f"{warning['path']}:{warning['line']}" for warning in warnings if warning["line"]}
    committed = set(repo.git("-c", "core.quotePath=false", "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0"))
    assert sorted(committed & project.junk.keys()) == []
    left = set(repo.git("ls-files", "-o", "-z").split("\0")) - {""}
    assert sorted(left - project.junk.keys()) == []
    assert prints == project.prints
    assert set(repo.git("diff", "--name-only").split()) == printed_in
    for path in project.base:
        assert (repo.path / path).read_text() == changes.get(path, project.base[path])
    assert_sound(repo)


@pytest.mark.parametrize("way", ["plan file", "message", "staged", "included", "alone", "needed"])
def test_a_debug_print_stays_in_the_file_unless_it_is_wanted(repo: Repo, way: str) -> None:
    repo.commit("chore: base", {"a.py": PY, "b.py": PY})
    edited = after(PY, 8, '    return "unreachable"')
    printing = after(edited, 5, '    print("here")')
    if way == "alone":
        printing, edited = after(PY, 5, '    print("here")'), PY
    if way == "needed":
        # The function has no other body.
        repo.commit("chore: base", {"a.py": f"{PY}\n\ndef later():\n    pass\n"})
        printing = edited = f'{PY}\n\ndef later():\n    print("here")\n'
    repo.write("a.py", printing)
    if way == "staged":
        repo.git("add", "a.py")
    options = {
        "plan file": SplitOptions(json=True),
        "message": SplitOptions(message="feat: add more"),
        "included": SplitOptions(include_secrets=True),
    }
    repository = Repository.find(str(repo.path))
    shown: list[str] = []

    def run(options: SplitOptions | None, *, yes: bool = True) -> int:
        return split(repository, staged=way == "staged", yes=yes, terminal=None, out=shown.append, options=options)

    status = run(options.get(way), yes=way != "plan file")
    if way == "plan file":
        written = read_plan(shown[-1])
        status = run(SplitOptions(plan=written))
    assert status == (NOTHING if way == "alone" else DONE), shown
    assert repo.git("show", "HEAD:a.py") == (printing if way == "included" else edited)
    assert (repo.path / "a.py").read_text() == printing
    is_named = "not included: a.py:6 (looks like a debug print)" in "\n".join(shown)
    assert is_named == (way in ("message", "staged", "alone"))
    assert_sound(repo)
