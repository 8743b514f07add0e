"""Every commit builds, language by language: what a file names is there in each commit, whatever is split from what."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.support.repository import Repo
from tests.support.splitting import run
from tests.support.table import rows

Files = Mapping[str, str]
GAP = "".join(f"// {number}\n" for number in range(9))
HASHES = GAP.replace("//", "  #")


@dataclass(frozen=True)
class Case:
    """A change from `before` to `after`.

    Where a text of `needs` is in a file that is not documentation, the path is there, with the text that follows it
    after a colon. `commits` is how many are made.
    """

    before: Files
    after: Files
    needs: Mapping[str, str]
    commits: int = 2


CASES = {
    "typescript, a module is renamed": Case(
        {"a/helpers.ts": "export const call = 1;\n", "b/use.ts": "import { call } from '../a/helpers';\n"},
        {"a/noop-helpers.ts": "export const call = 1;\n", "b/use.ts": "import { call } from '../a/noop-helpers';\n"},
        {"a/helpers'": "a/helpers.ts", "a/noop-helpers'": "a/noop-helpers.ts"}, commits=1),
    "typescript, a folder's index": Case({}, {"src/a.ts": "export * from './parts';\n",
        "src/parts/index.ts": "export const part = 1;\n"}, {"./parts'": "src/parts/index.ts"}),
    "typescript, an ending that is not the file's": Case(
        {}, {"src/a.ts": "export * from './z.js';\n", "src/z.ts": "export const part = 1;\n"}, {"./z.js": "src/z.ts"}),
    "typescript, an alias": Case({}, {"src/a.vue": "import Cart from '@/views/Cart.vue'\n",
        "src/views/Cart.vue": "<template></template>\n"}, {"@/views/Cart.vue": "src/views/Cart.vue"}),
    "typescript, a name that is exported again": Case({"a.ts": "export {};\n", "z.ts": "export const one = 1;\n"},
        {"a.ts": "import { merge } from './z';\nexport { merge };\n", "z.ts": "export { merge } from 'lodash';\n"},
        {"import { merge } from './z'": "z.ts:merge"}),
    "go, a package": Case({"go.mod": "module example.com/shop\n"}, {"go.mod": "module example.com/shop\n",
        "cart.go": 'package shop\n\nimport "example.com/shop/rates"\n\nvar r = rates.Of\n',
        "rates/z.go": "package rates\n\nvar Of = 1\n"}, {"shop/rates": "rates/z.go"}),
    "go, an embedded folder and a pattern": Case({},
        {"a/a.go": "package a\n\n//go:embed all:pages\nvar pages embed.FS\n",
        "a/b.go": 'package a\n\n//go:embed "sql/*.sql"\nvar sql embed.FS\n',
        "a/pages/z.html": "z\n", "a/sql/z.sql": "z\n"},
        {"all:pages": "a/pages/z.html", "sql/*": "a/sql/z.sql"}, commits=4),
    "go, a package moves": Case({"old/a.go": f'package shop\n{GAP}', "old/b.go": f'package shop\n\nvar x = 1\n{GAP}'},
        {"new/a.go": f'package shop\n{GAP}', "new/b.go": f'package shop\n\nvar x = 1\n{GAP}'}, {}, commits=1),
    "rust, a module and its declaration": Case({"src/a.rs": "", "src/main.rs": "mod a;\n\nfn main() {}\n"},
        {"src/a.rs": "use crate::io::read;\n", "src/main.rs": "mod a;\nmod io;\n\nfn main() {}\n",
        "src/io.rs": "pub fn read() {}\n"}, {"mod io;": "src/io.rs", "crate::io": "src/main.rs:mod io;"}, commits=3),
    "java, a class of another package": Case({},
        {"src/main/java/a/Cart.java": "package a;\n\nimport z.Map;\n\nclass Cart {\n}\n",
        "src/main/java/z/Map.java": "package z;\n\npublic class Map {\n}\n"},
        {"import z.Map": "src/main/java/z/Map.java"}),
    "c, a header in a folder that is searched": Case({"src/a.c": "int main(void) { return 0; }\n"},
        {"src/a.c": '#include "lib/z.h"\nint main(void) { return 0; }\n', "zoo/lib/z.h": "#define RATE 1\n"},
        {"z.h": "zoo/lib/z.h"}),
    "c#, a generic method": Case({"Cart.cs": "class Cart {\n}\n"},
        {"Cart.cs": "class Cart {\n  int total = rates.SumOf();\n}\n",
        "Z.cs": "static class Z {\n  public static int SumOf<T>(this T[] rates) {\n  }\n}\n"},
        {"rates.SumOf": "Z.cs"}),
    "ruby": Case({}, {"lib/a.rb": "require 'shop/z'\n", "lib/shop/z.rb": "require_relative 'zz'\n",
        "lib/shop/zz.rb": "RATE = 1\n"}, {"shop/z": "lib/shop/z.rb", "'zz'": "lib/shop/zz.rb"}, commits=3),
    "go, a variable is renamed": Case(
        {"a.go": f'package a\n\nfunc f() int {{\n\tb := pick(1)\n{GAP}\treturn b + 1\n}}\n'},
        {"a.go": f'package a\n\nfunc f() int {{\n\tvar last = take(2)\n{GAP}\treturn last * 2\n}}\n'}, {}, commits=1),
    "php": Case({}, {"src/Cart.php": "<?php\nuse App\\Models\\Tax;\n",
        "src/Models/Tax.php": "<?php\nclass Tax {\n}\n"}, {"Models\\Tax": "src/Models/Tax.php"}),
    "lua": Case({}, {"lua/shop/a.lua": "local z = require('shop.z')\n", "lua/shop/z/init.lua": "return {}\n"},
        {"shop.z": "lua/shop/z/init.lua"}),
    "lua, a field": Case({"lua/a.lua": "local z = require('z')\n", "lua/z.lua": "local z = {}\nreturn z\n"},
        {"lua/a.lua": "local z = require('z')\npaint(z.has_color)\n",
        "lua/z.lua": "local z = {}\nz.has_color = true\nreturn z\n"}, {"paint(z.has_color)": "lua/z.lua:has_color"}),
    "dart": Case({}, {"lib/a.dart": "import 'package:shop/src/z.dart';\n", "lib/src/z.dart": "part 'zz.dart';\n",
        "lib/src/zz.dart": "part of 'z.dart';\n"}, {"shop/src/z.dart": "lib/src/z.dart",
        "part 'zz.dart'": "lib/src/zz.dart"}),
    "swift": Case({}, {"Sources/A.swift": "let rates = RateTable()\n", "Sources/Z.swift": "struct RateTable {\n}\n"},
        {"RateTable()": "Sources/Z.swift"}),
    "python, a key": Case({"a.py": "SIZE = 1\n", "z.py": "CONFIG = {\n    'size': 1,\n}\n"},
        {"a.py": "SIZE = CONFIG['max_size']\n", "z.py": "CONFIG = {\n    'size': 1,\n    'max_size': 2,\n}\n"},
        {"CONFIG['max_size']": "z.py:max_size"}),
    "python, a package by its name": Case({"a/settings.py": "APPS = [\n    'auth',\n]\n"},
        {"a/settings.py": "APPS = [\n    'auth',\n    'reviews',\n]\n", "reviews/__init__.py": "RATE = 1\n"},
        {"'reviews'": "reviews/__init__.py"}),
    "an entry point": Case({"pyproject.toml": '[project]\nname = "shop"\n'},
        {"pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.console:main"\n',
        "shop/console.py": "def main():\n    pass\n"}, {"shop.console:main": "shop/console.py"}),
    "go, a short name": Case({"a.go": "package a\n\nvar x = 1\n", "z.go": "package a\n\nvar y = 1\n"},
        {"a.go": "package a\n\nvar x = Sum(1)\n",
        "z.go": "package a\n\nvar y = 1\n\nfunc Sum(a int) int {\n\treturn a\n}\n"},
        {"= Sum(1)": "z.go:func Sum"}),
    "rust, a variant that is matched": Case(
        {"src/a.rs": "fn f(k: Kind) {\n    match k {\n        Kind::Plain => 1,\n    }\n}\n",
        "src/z.rs": "pub enum Kind {\n    Plain,\n}\n"},
        {"src/a.rs": "fn f(k: Kind) {\n    match k {\n        Kind::Plain => 1,\n        Kind::Bold => 2,\n    }\n}\n",
        "src/z.rs": "pub enum Kind {\n    Plain,\n    Bold,\n}\n"}, {}, commits=1),
    "rust, a name that is exported again": Case(
        {"src/a.rs": "", "src/b/c.rs": "pub struct One;\n", "src/b/mod.rs": "mod c;\n"},
        {"src/a.rs": "use crate::b::Two;\n", "src/b/c.rs": "pub struct One;\npub struct Two;\n",
        "src/b/mod.rs": "mod c;\npub use c::Two;\n"}, {"crate::b::Two": "src/b/mod.rs:Two", "c::Two": "src/b/c.rs:Two"},
        commits=3),
    "shell, a script": Case({"ci/a.sh": "echo 1\n"}, {"ci/a.sh": "./tools/z.sh\n", "tools/z.sh": "echo 2\n"},
        {"tools/z.sh": "tools/z.sh"}),
    "shell, a file beside this one": Case({"bin/a.sh": "echo 1\n"},
        {"bin/a.sh": '. "$(dirname "$0")/z.sh"\n. "${here}/zz.sh"\n', "bin/z.sh": "echo 2\n", "bin/zz.sh": "echo 3\n"},
        {"/z.sh": "bin/z.sh", "/zz.sh": "bin/zz.sh"}, commits=3),
    "shell, a variable": Case({"a.sh": "echo 1\n", "z.sh": "RATE=1\n"}, {"a.sh": 'echo "$CACHE"\n',
        "z.sh": "RATE=1\nexport CACHE=/tmp\n"}, {"$CACHE": "z.sh:CACHE="}),
    "a key of configuration": Case({"a.js": "show(1)\n", "z.json": '{\n  "port": 1\n}\n'},
        {"a.js": "show(config.retries)\n",
        "z.json": '{\n  "port": 1,\n  "retries": 3\n}\n'}, {"config.retries": 'z.json:"retries"'}),
    "a list of objects, beside a header and in a folder": Case({"Makefile": "OBJECTS = a.o\n", "b.mk": "A = a.o\n"},
        {"Makefile": "OBJECTS = a.o z.o\n", "b.mk": "A = a.o src/zz.o\n", "z.c": '#include "z.h"\n',
        "z.h": "#define Z 1\n", "src/zz.c": "int zz;\n"}, {" z.o": "z.c", "src/zz.o": "src/zz.c", "z.h": "z.h"},
        commits=5),
    "a template": Case({}, {"app/a.py": "PAGE = render('cart.html')\n", "app/templates/cart.html": "cart\n"},
        {"cart.html": "app/templates/cart.html"}),
    "python, a variable in a list of imports": Case(
        {"a.py": "from z import (\n    Cart,\n    Shop,\n)\n", "z.py": "Cart = make()\nShop = make()\n"},
        {"a.py": "from z import (\n    Cart,\n    rates,\n    Shop,\n)\n",
        "z.py": "Cart = make()\nShop = make()\nrates = make()\n"}, {"rates,": "z.py:rates"}),
    "typescript, a property of a component": Case({"a.vue": "<template>\n</template>\n",
        "z.vue": "<script>\ndefineProps<{\n  title: string\n}>()\n</script>\n"},
        {"a.vue": "<template>\n  <Card :accent=\"1\" />\n</template>\n",
        "z.vue": "<script>\ndefineProps<{\n  title: string\n  accent: number\n}>()\n</script>\n"},
        {":accent=": "z.vue:accent"}),
    "rust, a field of a struct": Case({"src/a.rs": "fn f() -> Cart {\n    Cart {\n        size: 1,\n    }\n}\n",
        "src/z.rs": "pub struct Cart {\n    pub size: u32,\n}\n"},
        {"src/a.rs": "fn f() -> Cart {\n    Cart {\n        size: 1,\n        rate: 2,\n    }\n}\n",
        "src/z.rs": "pub struct Cart {\n    pub size: u32,\n    pub rate: u32,\n}\n"}, {}, commits=1),
    "c#, a project": Case({"a/a.csproj": "<Project>\n</Project>\n"},
        {"a/a.csproj": '<Project>\n<ProjectReference Include="..\\z\\z.csproj" />\n</Project>\n',
        "z/z.csproj": "<Project>\n</Project>\n"}, {"z.csproj": "z/z.csproj"}),
    "a partial template": Case({}, {"a.html.erb": "<%= render 'shared/row' %>\n", "b.php": "view('cart.page');\n",
        "shared/_row.html.erb": "<b>\n", "views/cart/page.blade.php": "<p>\n"},
        {"shared/row": "shared/_row.html.erb", "cart.page": "views/cart/page.blade.php"}, commits=4),
    "typescript, a function moves out of its file": Case(
        {"a.ts": f"import {{ cart }} from './cart';\n{GAP}function line() {{\n  return cart;\n}}\n{GAP}line();\n"},
        {"a.ts": f"import {{ cart }} from './cart';\nimport {{ line }} from './z';\n{GAP}{GAP}line();\n",
        "z.ts": "export function line() {\n  return 1;\n}\n"}, {"from './z'": "z.ts:line"}),
    "typescript, a method of an interface": Case(
        {"a.ts": "class Disk implements Store {\n  size = 1;\n}\n", "z.ts": "interface Store {\n  size: number;\n}\n"},
        {"a.ts": "class Disk implements Store {\n  size = 1;\n\n  clear(): void {\n    this.size = 0;\n  }\n}\n",
        "z.ts": "interface Store {\n  size: number;\n  clear(): void;\n}\n"}, {}, commits=1),
    "javascript, a variable that is required by its name": Case(
        {"a.js": "show(1);\n", "z.js": "module.exports = {};\n"},
        {"a.js": "const { registry } = require('./z');\nshow(registry);\n",
        "z.js": "const registry = new Map();\nmodule.exports = { registry };\n"}, {"{ registry } =": "z.js:registry"}),
    "go, an import and its use": Case({"a.go": f"package a\n\nimport (\n\t\"fmt\"\n)\n{GAP}\nvar x = fmt.A\n"},
        {"a.go": f"package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n{GAP}\nvar x = fmt.A + os.B\n"}, {}, commits=1),
    "go, a field is renamed": Case({"a.go": "package a\n\nvar x = m.Text\n",
        "z.go": "package a\n\ntype M struct {\n\tText string\n}\n"}, {"a.go": "package a\n\nvar x = m.Body\n",
        "z.go": "package a\n\ntype M struct {\n\tBody string\n}\n"}, {}, commits=1),
    "c, a function moves": Case({"a.c": "int a;\n\nint find_cart(void)\n{\n\treturn 1;\n}\n", "z.c": "int z;\n"},
        {"a.c": "int a;\n", "z.c": "int z;\n\nint find_cart(void)\n{\n\treturn 1;\n}\n"}, {}, commits=1),
    "c++, a function that a header declares": Case(
        {"a.cpp": "int a;\n", "z.cpp": "int z;\n", "b.hpp": "class B;\n"},
        {"a.cpp": "int a = find_at(1);\n", "z.cpp": "int z;\n\nint find_at(int a) {\n    return a;\n}\n",
        "b.hpp": "class B;\nint find_at(int a);\n"}, {"= find_at": "z.cpp:find_at"}, commits=3),
    "python, a method gets the name of another one": Case(
        {"a.py": "print(cart.value, cart.get_total())\n",
        "z.py": "class Cart:\n    def get_total(self):\n        pass\n"},
        {"a.py": "print(cart.value, cart.value())\n", "z.py": "class Cart:\n    def value(self):\n        pass\n"},
        {}, commits=1),
    "rust, a function is renamed as its module": Case(
        {"src/a.rs": "pub use count::{count};\n", "src/count.rs": "pub fn count(a: u8) -> u8 {\n    a\n}\n"},
        {"src/a.rs": "pub use count::{count_all};\n", "src/count.rs": "pub fn count_all(a: u8) -> u8 {\n    a\n}\n"},
        {}, commits=1),
    "perl, a module": Case({"bin/a.pl": "print 1;\n"}, {"bin/a.pl": "use Shop::Z qw(sum);\nprint sum(1);\n",
        "lib/Shop/Z.pm": "package Shop::Z;\nour @EXPORT_OK = qw(sum);\nsub sum {\n  return 2;\n}\n1;\n"},
        {"Shop::Z qw": "lib/Shop/Z.pm"}),
    "java, the constructor of a parent": Case(
        {"a/Base.java": "class Base {\n    Base(int size) {\n    }\n}\n",
        "a/Cart.java": "class Cart extends Base {\n    Cart() {\n        super(1);\n    }\n}\n"},
        {"a/Base.java": "class Base {\n    Base(int size, int rate) {\n    }\n}\n",
        "a/Cart.java": "class Cart extends Base {\n    Cart() {\n        super(1, 2);\n    }\n}\n"}, {}, commits=1),
    "python, the constructor of a parent": Case(
        {"a.py": "class Cart(Base):\n    def __init__(self):\n        super().__init__(1)\n",
        "z.py": "class Base:\n    def __init__(self, size):\n        pass\n"},
        {"a.py": "class Cart(Base):\n    def __init__(self):\n        super().__init__(1, 2)\n",
        "z.py": "class Base:\n    def __init__(self, size, rate):\n        pass\n"}, {}, commits=1),
    "go, a table of structs": Case(
        {"a.go": "package a\n\nvar x = []Cart{\n\t{1},\n\t{2},\n}\n",
        "z.go": "package a\n\ntype Cart struct {\n\tsize int\n}\n"},
        {"a.go": "package a\n\nvar x = []Cart{\n\t{1, 3},\n\t{2, 4},\n}\n",
        "z.go": "package a\n\ntype Cart struct {\n\tsize int\n\trate int\n}\n"}, {}, commits=1),
    "go, a struct with the names of its fields": Case(
        {"a.go": "package a\n\nvar x = Cart{size: 1}\n",
        "z.go": "package a\n\ntype Cart struct {\n\tsize int\n}\n"},
        {"a.go": "package a\n\nvar x = Cart{size: 1, rate: 2}\n",
        "z.go": "package a\n\ntype Cart struct {\n\tsize int\n\trate int\n}\n"}, {"rate: 2": "z.go:rate int"}),
    "a folder of its own build": Case({"CMakeLists.txt": "project(a)\n", "main.tf": "x = 1\n"},
        {"CMakeLists.txt": "project(a)\nadd_subdirectory(parts)\n", "parts/CMakeLists.txt": "add_library(z)\n",
        "main.tf": 'x = 1\ny = "./modules/z"\n', "modules/z/main.tf": "z = 1\n"},
        {"parts": "parts/CMakeLists.txt", "modules/z": "modules/z/main.tf"}, commits=4),
}  # fmt: skip


@pytest.mark.parametrize("strategy", [pytest.param("file", marks=pytest.mark.slow), "hunk"])
@pytest.mark.parametrize("name", CASES)
def test_what_a_file_names_is_there_in_every_commit(based: Repo, name: str, strategy: str) -> None:
    case = CASES[name]
    if case.before:
        based.commit("chore: a", dict(case.before))
    old = based.git("rev-parse", "HEAD").strip()
    change_files(based, case.before, case.after)
    assert run(based, strategy=strategy)[0] == 0
    commits = based.git("rev-list", "--reverse", f"{old}..HEAD").split()
    assert len(commits) == case.commits
    for commit in commits:
        files = read_files(based, commit)
        for text, needed in case.needs.items():
            path, _, content = needed.partition(":")
            if any(text in other for user, other in files.items() if user != path):
                assert path in files, (text, commits.index(commit))
                assert content in files[path], (text, commits.index(commit))


@rows(
    ("name", "before", "after"),
    ("a.rb", f"def show\n  kept = 2\n{HASHES}  puts kept\nend\n", f"def show\n{HASHES}  puts 1\nend\n"),
    ("a.lua", "local kept = 2\n--\n--\n--\n--\nprint(kept)\n", "--\n--\n--\n--\nprint(1)\n"),
)
def test_a_variable_stays_until_its_last_use(based: Repo, name: str, before: str, after: str) -> None:
    old = based.commit("chore: a", {name: before})
    based.write(name, after)
    assert run(based, strategy="hunk")[0] == 0
    commits = based.git("rev-list", "--reverse", f"{old}..HEAD").split()
    assert ["kept = 2" in read_files(based, commit)[name] for commit in commits] == [True, False]


def change_files(repo: Repo, before: Files, after: Files) -> None:
    for name in before.keys() - after.keys():
        (repo.path / name).unlink()
    for name, content in after.items():
        repo.write(name, content)


def read_files(repo: Repo, commit: str) -> dict[str, str]:
    names = repo.git("ls-tree", "-r", "--name-only", commit).split()
    return {name: repo.git("show", f"{commit}:{name}") for name in names}
