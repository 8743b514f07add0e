"""`smartcommit jj-editor` as the editor of real jj: drafts and the check."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.jj.tools_test import FINISHED
from tests.support.workspace import Workspace

OURS = [sys.executable, "-c", "import sys; from smartcommit.cli import main; sys.exit(main())", "jj-editor"]
WITH_COMMIT = 'concat(builtin_draft_commit_description, if(!conflict, "JJ: Commit ID: " ++ commit_id ++ "\\n"))'
# Notes what it is opened with, and writes the texts it is told before jj's comments; both are in files beside it.
EDITOR = """\
import json, os, sys
here = os.path.dirname(__file__)
content = open(sys.argv[1]).read()
open(os.path.join(here, "opened"), "w").write(content)
texts = json.load(open(os.path.join(here, "typed")))
lines = [line for line in content.splitlines(keepends=True) if line.startswith("JJ:")]
places = [number + 1 for number, line in enumerate(lines) if line.startswith("JJ: describe ")] or [0]
for place, text in reversed(list(zip(places, texts))):
    lines.insert(place, text)
if texts:
    open(sys.argv[1], "w").writelines(lines)
"""


class Editing(Workspace):
    """A workspace whose jj opens `smartcommit jj-editor`, and that an editor which types what it is told."""

    def edit(self, *arguments: str, typed: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run jj; `typed` are the descriptions that the user writes, none to leave the file as it is."""
        (self.path.parent / "typed").write_text(json.dumps(typed))
        return self.run(*arguments)

    @property
    def opened(self) -> str:
        return (self.path.parent / "opened").read_text()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.path / f"{name}.py").write_text(text)

    def subjects(self, revset: str) -> list[str]:
        return self.jj("log", "--no-graph", "-r", revset, "-T", 'description.first_line() ++ "\\n"').splitlines()


@pytest.fixture
def editing(request: pytest.FixtureRequest, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Editing:
    made = Editing.init(workspace.path.parent / "edited", getattr(request, "param", "--no-colocate"))
    script = made.path.parent / "editor.py"
    script.write_text(EDITOR)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    monkeypatch.delenv("GIT_EDITOR")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made.configure(f"ui.editor={json.dumps(OURS)}")
    (made.path / ".smartcommit").write_text("[smartcommit]\n\ttypes = feat fix docs chore\n")
    made.jj("commit", "-m", "chore: base")
    return made


@pytest.mark.parametrize("editing", ["--colocate", "--no-colocate"], indirect=True)
@pytest.mark.parametrize("command", ["describe", "commit"])
def test_the_draft_is_recorded_if_the_user_agrees(editing: Editing, command: str) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    assert editing.edit(command).returncode == 0
    first = editing.opened.partition("\n")[0]
    assert first.startswith("feat")
    assert "stripes" in first
    assert "\n\nJJ: Change ID: " in editing.opened
    assert first in editing.subjects("::@")


def test_a_description_that_breaks_the_rules_is_refused_and_left_in_its_file(editing: Editing) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    before = editing.subjects("all()")
    done = editing.edit("commit", typed=("added stripes\n\nThey are seven.\n",))
    assert done.returncode == 1
    assert ".jjdescription:1:1: header-form" in done.stderr
    assert editing.subjects("all()") == before
    (left,) = re.findall(r"Edited description is left in (\S+)", done.stderr)
    assert Path(left).read_text().startswith("added stripes\n\nThey are seven.\n")


def test_a_header_without_a_type_is_completed_in_the_report(editing: Editing) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    done = editing.edit("describe", typed=("add the stripes of a zebra\n",))
    assert done.returncode == 1
    assert "feat: add the stripes of a zebra" in done.stderr or "feat(" in done.stderr


def test_a_part_of_a_change_gets_a_draft_only_if_its_content_is_known(editing: Editing) -> None:
    editing.write(stripes="def stripes():\n    return 7\n", spots="def spots():\n    return 8\n")
    assert editing.edit("split", "root:stripes.py").returncode == 0
    assert editing.opened.startswith("JJ: Enter a description for the selected changes.\n\n\nJJ: Change ID: ")
    editing.jj("undo")
    # The files of this part are all that are in the change, and still it is only a part: jj lets the user choose lines.
    editing.jj("config", "set", "--repo", "merge-tools.all.program", '"true"')
    done = editing.edit("commit", "--interactive", "--tool", "all")
    assert done.returncode == 0, done.stderr
    assert editing.opened.startswith("\n\nJJ: Change ID: ")
    editing.jj("undo")
    editing.jj("config", "set", "--repo", "templates.draft_commit_description", WITH_COMMIT)
    assert editing.edit("split", "root:stripes.py").returncode == 0
    intro, first, *_ = editing.opened.split("\n")
    assert intro == "JJ: Enter a description for the selected changes."
    assert "stripes" in first
    assert "spots" not in editing.opened
    assert editing.subjects("@-") == [first]


def test_a_weak_draft_leaves_the_summary_open_and_offers_headers(editing: Editing) -> None:
    for number in range(6):
        editing.write(**{f"module{number}": f"def f(x):\n    return x + {number}\n"})
    editing.jj("commit", "-m", "feat: add modules")
    for number in range(6):
        other = ("x - {}", "sorted(x)[{}]", "max(x, {}) or None")[number % 3].format(number)
        editing.write(**{f"module{number}": f"def f(x):\n    return {other}\n"})
    done = editing.edit("describe")
    assert done.returncode == 1
    assert "the summary is empty" in done.stderr
    first, *_ = opened = editing.opened.split("\n")
    assert first.endswith(": ")
    offered, *_ = [line.removeprefix("JJ: ") for line in opened if line.startswith(f"JJ: {first}")]
    choice = f"{first}\n\nJJ: smartcommit: write the summary, or delete the 'JJ: ' before this:\n{offered}\n"
    assert editing.edit("describe", typed=(choice,)).returncode == 0
    assert editing.description == f"{offered}\n"


def test_several_descriptions_are_drafted_and_checked_one_by_one(editing: Editing) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    editing.jj("new")
    editing.write(spots="def spots():\n    return 8\n")
    done = editing.edit("describe", "@-", "@", typed=("feat: add stripes\n", "added spots\n"))
    assert done.returncode == 1
    drafts = [line for line in editing.opened.split("\n") if line.startswith("feat")]
    assert ["stripes" in draft for draft in drafts] == [True, False]
    assert done.stderr.count("header-form") == 1
    assert editing.subjects("@- | @") == ["", ""]
    assert editing.edit("describe", "@-", "@", typed=("feat: add stripes\n", "feat: add spots\n")).returncode == 0
    assert editing.subjects("@- | @") == ["feat: add spots", "feat: add stripes"]


def test_an_open_plan_is_checked_as_a_plan(editing: Editing) -> None:
    (editing.path / ".smartcommit").write_text("[smartcommit]\n\trequired = description\n\tsignOff = require\n")
    plan = FINISHED.replace("Tasks [X]:", "Tasks [ ]:").replace("[X]", "[ ]")
    done = editing.edit("describe", typed=(plan,))
    assert done.returncode == 0, done.stderr
    assert editing.description == plan
    broken = plan.replace("Do not:", "Never ever:")
    done = editing.edit("describe", typed=(broken,))
    assert done.returncode == 1
    assert "constraints-" in done.stderr
    assert editing.description == plan


def test_an_empty_description_is_the_users_choice(editing: Editing) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    assert editing.edit("describe", typed=("\n",)).returncode == 0
    assert editing.description == ""


def test_nothing_is_refused_where_nobody_asks_for_conventional_messages(editing: Editing) -> None:
    editing.jj("new", "root()")
    editing.jj("bookmark", "list")
    done = editing.edit("commit", typed=("mm: drop a lock\n",))
    assert done.returncode == 0, done.stderr
    assert "type-unknown" in done.stderr


def test_other_files_are_only_opened(editing: Editing) -> None:
    assert editing.edit("sparse", "edit").returncode == 0
    assert editing.opened == ".\n"


def test_another_workspace_is_the_one_that_jj_works_on(editing: Editing, tmp_path: Path) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    outside = Editing(tmp_path / "outside")
    outside.path.mkdir()
    done = outside.edit("-R", str(editing.path), "describe")
    assert done.returncode == 0, done.stderr
    assert "stripes" in editing.description


def test_the_editor_is_never_ours(editing: Editing, monkeypatch: pytest.MonkeyPatch) -> None:
    editing.write(stripes="def stripes():\n    return 7\n")
    monkeypatch.setenv("VISUAL", "smartcommit jj-editor")
    assert editing.edit("describe").returncode == 0
    assert "stripes" in editing.opened
    monkeypatch.setenv("EDITOR", "smartcommit jj-editor")
    monkeypatch.setenv("GIT_EDITOR", "smartcommit jj-editor")
    done = editing.edit("describe")
    assert done.returncode == 1
    assert "no editor to open" in done.stderr
    monkeypatch.setenv("GIT_EDITOR", "false")
    assert editing.edit("describe").returncode == 1
