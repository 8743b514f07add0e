"""The order of commits, language by language: what is used is there before its uses, and stays as long as they do."""

from __future__ import annotations

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
