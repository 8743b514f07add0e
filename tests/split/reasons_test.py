"""A plan says why each of its commits is one: in a line that the change shows, whatever the files are called."""

import os
from collections.abc import Mapping, Sequence

from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.reasons import explain_plan
from tests.support.repository import Repo
from tests.support.table import rows

CART = "def format_price(x):\n    return x\n"
WORKFLOW = "on: push\njobs:\n  build:\n    runs-on: ubuntu\n"
SPACED = "cluster {}\n" + "-\n" * 9 + "cluster {}\n"
# In parts, since tools that search for keys would find it here.
TOKEN = "ghp_" + "a1B2" * 9
# The files before, those after, the names of each commit's files, and why each is one.
ROWS: list[tuple[Mapping[str, str], Mapping[str, str | None], Sequence[str], Sequence[str]]] = [
    ({}, {"a.py": CART}, ["a.py"], [""]),
    ({}, {"cart.py": CART, "test_cart.py": "def test_a():\n    assert 1\n", "ci.yml": WORKFLOW},
     ["cart.py test_cart.py", "ci.yml"], ["tests named after cart.py", "no name in common with the others"]),
    ({}, {"cart.py": CART, "api.py": "show(format_price)\n", "README.md": "Use `format_price`.\n"},
     ["cart.py api.py", "README.md"],
     ["api.py uses format_price of cart.py", "README.md describes format_price of cart.py in commit 1"]),
    ({}, {"cart.py": CART, "README.md": "Use `format_price`.\n"}, ["cart.py README.md"],
     ["README.md describes format_price of cart.py"]),
    ({}, {"cart.py": CART, "api.py": "show(format_price)\n"}, ["cart.py", "api.py"],
     ["one file", "api.py uses format_price of cart.py in commit 1"]),
    ({"a.c": "old_rate;\n", "b.c": "x = old_rate;\n"}, {"a.c": "new_rate;\n", "b.c": "x = new_rate;\n"}, ["a.c b.c"],
     ["same edit in 2 files"]),
    ({"a.cfg": "release 1.2.3\n", "b.cfg": "image 1.2.3\n"}, {"a.cfg": "release 1.2.4\n", "b.cfg": "image 1.2.4\n"},
     ["a.cfg b.cfg"], ["same edit in 2 files"]),
    ({"API_VERSION": "4.1.1\n", "api.h": "VERSION(4, 1, 0)\n"},
     {"API_VERSION": "4.2.0\n", "api.h": "VERSION(4, 2, 0)\n"},
     ["API_VERSION api.h"], ["version 4.2.0 in 2 files"]),
    ({"a.yml": "uses: a/one@v1\n", "b.yml": "uses: a/two@v2\n"},
     {"a.yml": f"uses: a/one@{'a1' * 20}\n", "b.yml": f"uses: a/two@{'b2' * 20}\n"},
     ["a.yml b.yml"], ["pinned to digests in 2 files"]),
    ({"a/one.txt": "password=old\n", "b/two.py": "password=old\n"},
     {"a/one.txt": "password=hunter2\n", "b/two.py": "password=hunter2\n"}, ["a/one.txt b/two.py"],
     ["same edit in 2 files"]),
    ({"package.json": "{}\n", "package-lock.json": "{}\n"}, {"package.json": "{ }\n", "package-lock.json": "{ }\n"},
     ["package.json package-lock.json"], ["only white space differs"]),
    # A test writes a file of this name, which is no use of it, and a program has the name of a folder.
    ({"pyproject.toml": "a = 1\n"}, {"pyproject.toml": "a = 2\n", "tests/test_load.py": 'FILES = ["pyproject.toml"]\n'},
     ["pyproject.toml", "tests/test_load.py"], ["one file"] * 2),
    ({"cliff/Cargo.toml": "a = 1\n"}, {"cliff/Cargo.toml": "a = 2\n", "Dockerfile": 'RUN cliff "$@"\n'},
     ["cliff/Cargo.toml", "Dockerfile"], ["no name in common with the others"] * 2),
    # A long line differs at its end.
    ({"a.md": "word " * 99 + "one\n", "b.md": "c\n"}, {"a.md": "word " * 99 + "two\n", "b.md": "d\n"},
     ["a.md", "b.md"], ["no name in common with the others"] * 2),
    ({}, {"a.py": f"x = {TOKEN}\n", "b.py": f"y = {TOKEN}\n"}, ["a.py b.py"], ["names shared: a secret"]),
    ({}, {"docs/a.md": "one\n", "docs/b.md": "two\n"}, ["docs/a.md docs/b.md"], ["same kind of file in docs"]),
    ({}, {"docs/a.md": "one\n", "b.py": "two\n"}, ["docs/a.md b.py"], ["no reason found"]),
    ({}, {"c\x1b[2J\u202e.py": "import loaded\n", "loaded.py": "y = 1\n"}, ["c\x1b[2J\u202e.py loaded.py"],
     ["c\\x1b[2J\\u202e.py uses loaded.py"]),
    # A word is no use of the file that has its name, and a test is used by nobody.
    ({}, {"show.py": "x = loaded\n", "loaded.py": "y = 1\n"}, ["show.py loaded.py"],
     ["same kind of file in the top folder"]),
    ({"src/merge.js": "const again = (retry) => 1;\n", "test/retry.js": "test();\n"},
     {"src/merge.js": "const again = (retry) => 2;\n", "test/retry.js": "test(1);\n"}, ["src/merge.js test/retry.js"],
     ["words shared: retry"]),
    ({}, {"shop/run.go": "package shop\n\nvar x = makeCart(1)\n",
          "shop/cart_test.go": "package shop\n\nfunc makeCart(a int) {\n}\n"}, ["shop/run.go shop/cart_test.go"],
     ["names shared: makeCart"]),
    # An interface declares what it does not use.
    ({}, {"api/Cart.java": "interface Cart {\n    boolean isFullCart();\n}\n",
      "impl/Cart.java": "class Impl {\n    public boolean isFullCart() {\n    }\n}\n",
      "Shop.java": "class Shop {\n    boolean b = c.isFullCart();\n}\n"}, ["api/Cart.java impl/Cart.java Shop.java"],
     ["names shared: isFullCart"]),
    # A member of the same object is its own, and tests use no names that another test has in a text.
    ({}, {"cart.py": "def total_price(self):\n    return 1\n", "shop.py": "x = self.total_price\n"},
     ["cart.py shop.py"], ["names shared: total_price"]),
    ({}, {"tests/CartTests.cs": "class Cart {\n  void MapAll() {\n  }\n}\n",
          "tests/ShopTests.cs": "var x = MapAll();\n"}, ["tests/CartTests.cs tests/ShopTests.cs"],
     ["names shared: MapAll"]),
    # Any folder has an `index.ts`.
    ({}, {"src/cart/index.ts": "let q = 1\n", "test/shop/index.spec.ts": "let r = 2\n"},
     ["src/cart/index.ts test/shop/index.spec.ts"], ["no reason found"]),
    ({}, {"src/cart/index.ts": "let q = 1\n", "src/cart/index.spec.ts": "let r = 2\n"},
     ["src/cart/index.ts src/cart/index.spec.ts"], ["tests named after index.ts"]),
    # Of sources of one name, tests are about that which is nearer.
    ({}, {"cart/rate.go": "var a = 1\n", "shop/rate.go": "var b = 1\n", "shop/rate_test.go": "var c = 1\n"},
     ["cart/rate.go shop/rate.go shop/rate_test.go"],
     ["tests named after shop/rate.go; not explained: cart/rate.go"]),
    # Two fragments of a changelog name the same package.
    ({}, {".changeset/a.md": '---\n"@cart/shop": patch\n---\n\nOne.\n',
          ".changeset/b.md": '---\n"@cart/shop": patch\n---\n\nTwo.\n'},
     [".changeset/a.md .changeset/b.md"], ["same kind of file in .changeset"]),
    # What is private is not used elsewhere.
    ({}, {"cart.ex": "defmodule A do\n  defp read_rate(a) do\n    a\n  end\nend\n", "shop.ex": "x = read_rate(1)\n"},
     ["cart.ex shop.ex"], ["names shared: read_rate"]),
    # What moves is used by neither file.
    ({"a.py": CART}, {"a.py": "", "b.py": CART}, ["a.py b.py"], ["names shared: format_price"]),
    ({}, {"cart.py": CART, "api.py": "format_price(1)\n", "web.py": "format_price(2)\n", "x/ci.yml": WORKFLOW},
     ["cart.py api.py web.py x/ci.yml"],
     ["api.py and web.py use format_price of cart.py; no name in common: ci.yml"]),
    # A name counts wherever it is on a changed line, as `cluster` on a line that another word of changes.
    ({"a.cfg": "cluster one\n", "b.cfg": "cluster two\n"}, {"a.cfg": "cluster 1\n", "b.cfg": "cluster 2\n"},
     ["a.cfg", "b.cfg"], ["one file", "one file"]),
    ({"a.cfg": SPACED.format("one", "two")}, {"a.cfg": SPACED.format("1", "2")}, ["a.cfg::1", "a.cfg::2"],
     ["part of one file", "part of one file"]),
    ({"dag.py": "a\n", "jobs/b.py": "b\n"}, {"dag.py": "a\nif job.all():\n", "jobs/b.py": "b\nif job.all():\n"},
     ["dag.py jobs/b.py"], ["'if job.all():' added in 2 files"]),
    ({"dag.py": "a\n", "jobs/b.py": "b\n"}, {"dag.py": "a\njob.all()\n", "jobs/b.py": "b\njob.all()\n"},
     ["dag.py jobs/b.py"], ["'job.all()' added in 2 files"]),
    ({"dag.py": "a\n", "jobs/b.py": "b\n"}, {"dag.py": "a\njobs()\n", "jobs/b.py": "b\njobs()\n"},
     ["dag.py jobs/b.py"], ["same kind of edit in 2 files"]),
    ({"dag.py": "if job.all():\n", "jobs/b.py": "if job.all():\n"}, {"dag.py": "", "jobs/b.py": ""},
     ["dag.py jobs/b.py"], ["'if job.all():' removed in 2 files"]),
    ({"a.sh": "sh one\n", "b.sh": "sh two\n", "c.sh": "run x\n", "d.sh": "run y\n"},
     {"a.sh": "bash one\n", "b.sh": "bash two\n", "c.sh": "start x\n", "d.sh": "start y\n"},
     ["a.sh b.sh c.sh d.sh"], ["same edit in 2 files; another edit in 2 files"]),
    ({"ci-hook.yml": "a: 1\n", "hook/package.json": "{}\n", "b.py": "1\n"},
     {"ci-hook.yml": "a: 2\n", "hook/package.json": '{"b": 1}\n', "b.py": "2\n"},
     ["ci-hook.yml hook/package.json", "b.py"], ["paths share: hook", "no name in common with the others"]),
    ({"docs/a.md": "the cluster one\n", "b.py": "x = 1\n"}, {"docs/a.md": "the cluster 1\n", "b.py": "x = cluster\n"},
     ["docs/a.md b.py"], ["words shared: cluster"]),
    # A file that a comment names is not used, and code reads no documentation.
    ({}, {"a.py": "# see loaded.py\nx = 1\n", "b/loaded.py": "y = 1\n"}, ["a.py b/loaded.py"],
     ["words shared: loaded"]),
    ({}, {"mkdocs.yml": "nav:\n  - docs/start.md\n", "docs/start.md": "one\n"}, ["mkdocs.yml docs/start.md"],
     ["mkdocs.yml names start.md"]),
    # A word is no use of the data that has its name, and a pattern of no manifest.
    ({}, {"Cargo.toml": '[[example]]\nname = "tracing"\n', "examples/tracing.tape": "Sleep 1s\n"},
     ["Cargo.toml examples/tracing.tape"], ["words shared: tracing"]),
    # Code among the documents uses what other code there defines, and a program its settings by no name of theirs.
    ({}, {"docs/site/map.ts": "readPages(1);\n", "docs/site/pages.ts": "export const readPages = (a) => a;\n"},
     ["docs/site/map.ts docs/site/pages.ts"], ["map.ts uses readPages of pages.ts"]),
    ({}, {".site.config.ts": "export const chainPacks = (a) => a;\n", "src/keys.ts": "const one = chainPacks;\n"},
     [".site.config.ts src/keys.ts"], ["names shared: chainPacks"]),
    ({}, {".github/labeler.yml": "files: ['**/package.json']\n", "package.json": "{}\n"},
     [".github/labeler.yml package.json"], ["no reason found"]),
    # A link names a page, and an entry of a changelog a package.
    ({"docs/upload-guide.md": "a\n", "docs/b.md": "c\n"},
     {"docs/upload-guide.md": "d\n", "docs/b.md": "See [it](upload-guide).\n"},
     ["docs/upload-guide.md", "docs/b.md"], ["one file"] * 2),
    ({"libs/shop-cart/setup.cfg": "a = 1\n", "notes/x.md": "b\n"},
     {"libs/shop-cart/setup.cfg": "a = 2\n", "notes/x.md": "shop-cart: minor\n"},
     ["libs/shop-cart/setup.cfg", "notes/x.md"], ["one file"] * 2),
    # A name in a comment is no use, and what a strong reason leaves is explained by weak ones, or named.
    ({}, {"cart.rs": "fn fill_cart() {\n}\n", "b/api.rs": "/// Kept for fill_cart, which is slow.\nfn run() {\n}\n"},
     ["cart.rs b/api.rs"], ["names shared: fill_cart"]),
    ({}, {"cart.go": "func fillCart() {\n}\n", "b/api.go": "/*\nfillCart is slow.\n*/\nfunc run() {\n}\n"},
     ["cart.go b/api.go"], ["names shared: fillCart"]),
    ({"a.sh": "sh cluster\n", "b.sh": "sh cluster 2\n", "c/x.py": "log(cluster)\n", "d/y.toml": "a = 'q'\n"},
     {"a.sh": "bash cluster\n", "b.sh": "bash cluster 2\n", "c/x.py": "log(cluster, 1)\n", "d/y.toml": "a = 'r'\n"},
     ["a.sh b.sh c/x.py d/y.toml"],
     ["same edit in 2 files; words shared: cluster; no name in common: y.toml"]),
    # What moved past other lines is no layout, and all imports have their words.
    ({"a.md": "- one\n- two\n- six\n", "b.py": "x\n"}, {"a.md": "- two\n- six\n- one\n", "b.py": "y\n"},
     ["a.md", "b.py"], ["no name in common with the others", "no name in common with the others"]),
    ({}, {"a.py": "from os import path\n", "test/b.ts": "import { a } from 'b'\n"}, ["a.py test/b.ts"],
     ["no reason found"]),
    # Nor do words of languages, keys of data and folders of any project, and lines of such words alone.
    ({}, {"a/one.java": "public class A extends B {\n", "b/two.ts": "class C extends String {\n"},
     ["a/one.java b/two.ts"], ["no reason found"]),
    ({}, {"a/one.yml": "attributes: 1\nxs: 2\n", "b/two.yml": "attributes: 3\n"}, ["a/one.yml b/two.yml"],
     ["no reason found"]),
    ({}, {"a/one.ts": "/** title: id */\n", "b/two.go": "/** title: id */\n"}, ["a/one.ts b/two.go"],
     ["no reason found"]),
    ({}, {"apps/a/x.py": "q = 1\n", "apps/b/y.yml": "r: 2\n", "z.md": "s\n"}, ["apps/a/x.py apps/b/y.yml", "z.md"],
     ["no reason found", "no name in common with the others"]),
    # What a deleted file used, and what both files only lay out otherwise or put in another order.
    ({"ci/check.yml": "path: ./people.json\n", "people.json": "[]\n"}, {"ci/check.yml": None, "people.json": None},
     ["ci/check.yml people.json"], ["check.yml uses people.json"]),
    ({"a/x.ts": "f(\n  a,\n);\n", "b/y.js": "g(\n  b,\n);\n"}, {"a/x.ts": "f(a);\n", "b/y.js": "g(b);\n"},
     ["a/x.ts b/y.js"], ["only reformatted: x.ts and y.js"]),
    ({"a/x.md": "first\nsecond\n", "b/y.md": "first\nsecond\n"},
     {"a/x.md": "second\nfirst\n", "b/y.md": "second\nfirst\n"},
     ["a/x.md::1 a/x.md::2 b/y.md::1 b/y.md::2"], ["same edit in 2 files"]),
    # Hunks of one file that leave the others.
    ({"a.cfg": SPACED.format("old_rate", "old_rate") + SPACED.format(1, 2)},
     {"a.cfg": SPACED.format("new_rate", "new_rate") + SPACED.format(1, 3)}, ["a.cfg::1 a.cfg::2", "a.cfg::3"],
     ["part of one file, whose hunks share new_rate and old_rate", "part of one file"]),
]  # fmt: skip


@rows(("before", "after", "commits", "reasons"), *ROWS)
def test_a_commit_says_why_it_is_one(
    based: Repo,
    before: Mapping[str, str],
    after: Mapping[str, str | None],
    commits: Sequence[str],
    reasons: Sequence[str],
) -> None:
    based.git("read-tree", "--empty")
    for name, content in before.items():
        based.write(name, content)
        based.git("add", "--", name)
    base = based.git("write-tree").strip()
    for name, content in after.items():
        if content is None:
            based.git("update-index", "--force-remove", "--", name)
            continue
        based.write(name, content)
        based.git("add", "--", name)
    change = read_units(Repository.find(str(based.path)), base, based.git("write-tree").strip(), cut=True)
    by_name = {unit.id: unit for unit in change.units}
    by_name |= {os.fsdecode(unit.change.path): unit for unit in change.units}
    planned = []
    for names in commits:
        planned.append(PlannedCommit("chore: a\n", tuple(map(by_name.__getitem__, names.split()))))
    plan = SplitPlan(None, base, staged=False, engine="test", commits=tuple(planned))
    assert explain_plan(plan) == list(reasons)


def test_a_line_is_bounded(based: Repo) -> None:
    for number in range(60):
        based.write(
            f"{'deep' * 30}/{'file_name' * 15}_{number}.py", f"def {'name_' * 40}{number}():\n    shared_name\n"
        )
    based.git("add", "-A")
    change = read_units(Repository.find(str(based.path)), "HEAD", based.git("write-tree").strip(), cut=False)
    plan = SplitPlan(None, "", False, "test", (PlannedCommit("chore: a\n", tuple(change.units), source="x" * 500),))
    (why,) = explain_plan(plan)
    assert 0 < len(why) <= 300
