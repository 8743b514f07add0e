"""The order of commits, language by language: what is used is there before its uses, and stays as long as they do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import Repo
from tests.support.splitting import run

# A file that uses a name and sorts before the one that defines it.
USES = {
    "python": ("a.py", "from z import make_widget\n\nmake_widget()\n", "z.py", "def make_widget():\n    pass\n"),
    "javascript": ("a.js", "make_widget()\n", "z.js", "export function make_widget() {\n}\n"),
    "typescript": ("a.ts", "const x: WidgetMaker = y\n", "z.ts", "export interface WidgetMaker {\n}\n"),
    "go": ("a.go", "package a\n\nvar x = MakeWidget()\n", "z.go", "package a\n\nfunc MakeWidget() int {\n}\n"),
    "rust": ("a.rs", "fn main() {\n    make_widget();\n}\n", "z.rs", "pub fn make_widget() {\n}\n"),
    "java": ("A.java", "class Main {\n  WidgetMaker x;\n}\n", "Z.java", "public class WidgetMaker {\n}\n"),
    "c": ("a.c", "int main(void)\n{\n  return make_widget();\n}\n", "z.c", "int make_widget(void)\n{\n}\n"),
    "c++": ("a.cpp", "WidgetMaker x;\n", "z.cpp", "class WidgetMaker {\n};\n"),
    "c#": ("A.cs", "class Main {\n  WidgetMaker x;\n}\n", "Z.cs", "public class WidgetMaker {\n}\n"),
    "ruby": ("a.rb", "make_widget\n", "z.rb", "def make_widget\nend\n"),
    "shell": ("a.sh", "make_widget\n", "z.sh", "make_widget() {\n  true\n}\n"),
}


def files_of_commits(repo: Repo, old: str) -> list[list[str]]:
    return [
        sorted(repo.git("diff-tree", "--no-commit-id", "--name-only", "-r", commit).split())
        for commit in repo.git("rev-list", "--reverse", f"{old}..HEAD").split()
    ]


@pytest.mark.parametrize("language", USES)
def test_a_definition_is_committed_before_its_use(based: Repo, language: str) -> None:
    user, use, definer, definition = USES[language]
    old = based.git("rev-parse", "HEAD").strip()
    based.write(user, use)
    based.write(definer, definition)
    assert run(based, strategy="file")[0] == 0
    assert files_of_commits(based, old) == [[definer], [user]]


@pytest.mark.parametrize("language", USES)
def test_a_definition_goes_after_its_uses(based: Repo, language: str) -> None:
    user, use, definer, definition = USES[language]
    # Sorting must not do it: the definition comes first.
    based.commit("chore: a", {f"y/{user}": use, f"b/{definer}": definition})
    old = based.git("rev-parse", "HEAD").strip()
    based.git("rm", "-q", f"y/{user}", f"b/{definer}")
    assert run(based, strategy="file")[0] == 0
    assert files_of_commits(based, old) == [[f"y/{user}"], [f"b/{definer}"]]


def test_what_needs_one_another_is_one_commit(based: Repo) -> None:
    old = based.git("rev-parse", "HEAD").strip()
    for name, needed in (("first", "second"), ("second", "third"), ("third", "first")):
        based.write(f"{name}.py", f"from {needed} import make_{needed}\n\n\ndef make_{name}():\n    make_{needed}()\n")
    based.write("other.py", "def unrelated():\n    pass\n")
    assert run(based, strategy="file")[0] == 0
    assert sorted(files_of_commits(based, old), key=len) == [["other.py"], ["first.py", "second.py", "third.py"]]


def test_hunks_of_one_file_come_in_the_order_that_they_need(based: Repo) -> None:
    lines = [f"value_{number} = {number}" for number in range(20)]
    based.commit("chore: a", {"a.py": "\n".join(lines) + "\n"})
    old = based.git("rev-parse", "HEAD").strip()
    lines[2] = "value_2 = make_widget"
    lines[15:15] = ["def make_widget():", "    pass"]
    based.write("a.py", "\n".join(lines) + "\n")
    assert run(based, strategy="hunk")[0] == 0
    first = based.git("rev-list", "--reverse", f"{old}..HEAD").split()[0]
    assert "def make_widget" in based.git("show", f"{first}:a.py")
    assert "= make_widget" not in based.git("show", f"{first}:a.py")


CART = "from util import calc_total\n\n" + "".join(f"VALUE_{n} = {n}\n" for n in range(9)) + "print(calc_total([1]))\n"


@pytest.mark.parametrize("strategy", ["hunk", "file"])
def test_a_rename_is_one_commit_with_the_lines_that_use_the_name(based: Repo, strategy: str) -> None:
    util = "def calc_total(items):\n    return sum(items)\n"
    base = {"cart.py": CART, "util.py": util, "README.md": "Use `calc_total`.\n"}
    based.commit("chore: a", base)
    old = based.git("rev-parse", "HEAD").strip()
    for name, content in base.items():
        based.write(name, content.replace("calc_total", "compute_sum"))
    assert run(based, strategy=strategy)[0] == 0
    # What only mentions the name breaks neither way, and comes after.
    assert files_of_commits(based, old) == [["cart.py", "util.py"], ["README.md"]]


# Two files that import each other.
CIRCLES = {
    "python": {"left.py": "import right\n", "right.py": "import left\n"},
    "python, short names": {
        "left.py": "from .right import g\ndef f():\n    g()\n",
        "right.py": "from .left import f\ndef g():\n    f()\n",
    },
    "typescript": {"left.ts": "import g from './right'\n", "right.ts": "const f = require('./left')\n"},
    "c": {"left.h": '#include "right.h"\n', "right.h": '#include "left.h"\n'},
}


@pytest.mark.parametrize("strategy", ["hunk", "file"])
@pytest.mark.parametrize("language", CIRCLES)
def test_modules_that_import_each_other_are_one_commit(based: Repo, language: str, strategy: str) -> None:
    old = based.git("rev-parse", "HEAD").strip()
    for name, content in {**CIRCLES[language], "other.py": "import os\n"}.items():
        based.write(name, content)
    assert run(based, strategy=strategy)[0] == 0
    assert sorted(files_of_commits(based, old), key=len) == [["other.py"], sorted(CIRCLES[language])]


GAP = "\n\n" + "".join(f"LINE_{n} = {n}\n" for n in range(9))
ROUND = "class Round:\n    pass\n"
# A package before and after names and modules are renamed, moved, removed and added, some in a circle.
BEFORE = {
    "cart.py": CART.replace("print", "from helpers import show\nshow") + "from gone import removed\n",
    "report.py": f"from shapes import Square\nfrom util import calc_total\nimport util\n{GAP}util.RATE_BASIC\n",
    "util.py": f"def calc_total(items):\n    return sum(items)\n{GAP}RATE_BASIC = 2\n",
    "helpers.py": "def show(thing):\n    return thing\n",
    "shapes.py": f"class Square:\n    side = 1\n{GAP}{ROUND}",
    "gone.py": "removed = 1\n",
}
AFTER = {
    "cart.py": CART.replace("calc_total", "compute_sum").replace("print", "from support import show\nshow")
    + "import extra\nfrom left import start\n",
    "report.py": f"from figures import Square\nfrom util import compute_sum\nimport util\n{GAP}util.RATE_PLAIN\n",
    "util.py": f"def compute_sum(items):\n    return sum(items)\n{GAP}RATE_PLAIN = 2\n",
    "support.py": "def show(thing):\n    return thing\n",
    "shapes.py": f"{GAP}{ROUND}",
    "figures.py": "class Square:\n    side = 1\n",
    "extra.py": "EXTRA = 1\n",
    "left.py": "import right\n\n\ndef start():\n    return right.stop\n",
    "right.py": "import left\n\n\ndef stop():\n    return left.start\n",
}


@pytest.mark.parametrize(
    "strategy", ["auto", "hunk", *(pytest.param(name, marks=pytest.mark.slow) for name in ("file", "directory"))]
)
def test_every_commit_of_a_python_package_can_be_imported(based: Repo, tmp_path: Path, strategy: str) -> None:
    based.commit("chore: a", BEFORE)
    old = based.git("rev-parse", "HEAD").strip()
    for name in BEFORE.keys() - AFTER.keys():
        (based.path / name).unlink()
    for name, content in AFTER.items():
        based.write(name, content)
    assert run(based, strategy=strategy)[0] == 0
    commits = based.git("rev-list", "--reverse", f"{old}..HEAD").split()
    assert len(commits) > (2 if strategy in ("hunk", "file") else 0)
    based.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"), old)
    tree = Repo(tmp_path / "tree")
    for commit in [old, *commits]:
        tree.git("checkout", "-q", commit)
        modules = [name.removesuffix(".py") for name in tree.git("ls-files", "*.py").split()]
        for module in modules:
            done = subprocess.run(
                [sys.executable, "-B", "-c", f"import {module}"],
                cwd=tree.path, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, (based.git("log", "-1", "--stat", commit), done.stderr)
