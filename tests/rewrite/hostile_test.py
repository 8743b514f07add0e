"""Names, messages and files of others are data: they are never options, commands, or escapes of a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING, USAGE
from tests.rewrite.odd_commits_test import make
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, head_of
from tests.support.table import rows

ESCAPES = "feat: \x1b[31mred\x1b]0;title\x07 \u202eright\u202c\x00\r\nbody\x9b31m\n"


@pytest.fixture
def branch(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(based.path)
    based.git("branch", "start")
    return based


def assert_printable(text: str) -> None:
    for character in text:
        assert character in "\n" or (ord(character) >= 32 and not 127 <= ord(character) < 160), repr(text)
        assert character not in "\u202e\u202c", repr(text)


@pytest.mark.parametrize(
    "name",
    ["--all..", "-x", "--upload-pack=touch made..", "$(touch made)..", "`touch made`", "a\x1b[31mb..",
     "start..\x1b[31m", "start..HEAD^", "^start", "start\n", ":/wip..",
     "HEAD:base.txt..", "HEAD^{tree}..", "..", "...", "", "\udce9..",
     "..HEAD", "start..start", "start...HEAD", "nowhere..", "HEAD.."],
)  # fmt: skip
def test_what_is_no_range_is_refused_in_one_line(branch: Repo, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    branch.commit("wip", {"a.txt": "a\n"})
    before = branch.state()
    assert git_smart_commit(["range", "--yes", "--", name]) in (GIT_FAILED, USAGE)
    said = capfd.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    assert_printable(said.err)
    assert branch.state() == before
    assert not Path("made").exists()


@pytest.mark.parametrize("options", [["--yes"], ["--dry-run"], ["--json"], []])
def test_old_messages_are_printed_escaped(branch: Repo, options: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(2):
        branch.write(f"new\nline{number}.py", f"def f{number}():\n    return {number}\n")
        branch.write(f"esc\x1b[31m{number}.py", f"a{number} = 1\n")
        branch.git("add", "-A")
        make(branch, author=b"\x1b[31mEve <e\x07@x> 1 +0000", message=ESCAPES.encode())
    old = head_of(branch)
    status = git_smart_commit(["range", "start..", *options])
    said = capfd.readouterr()
    assert "Traceback" not in said.err
    assert_printable(said.out)
    assert_printable(said.err)
    assert branch.git("rev-parse", "HEAD^{tree}") == branch.git("rev-parse", f"{old}^{{tree}}")
    if head_of(branch) != old:
        assert git_smart_commit(["undo"]) == DONE
        assert head_of(branch) == old
    assert status in (DONE, NOTHING, GIT_FAILED, 4)


Plan = dict[str, Any]

# What nobody should do to the JSON of a plan.
SPOIL: dict[str, Callable[[Plan], object]] = {
    "a unit twice": lambda plan: plan["commits"][-1]["units"].extend(plan["commits"][0]["units"]),
    "no unit": lambda plan: plan["commits"][0].update(units=[]),
    "a commit gone": lambda plan: plan["commits"].pop(),
    "a commit skipped": lambda plan: plan.update(skipped=plan["commits"].pop()["units"]),
    "another fingerprint": lambda plan: plan["commits"][0]["units"][0].update(fingerprint="0" * 20),
    "another id": lambda plan: plan["commits"][0]["units"][0].update(id="nowhere.py::1"),
    "another type": lambda plan: plan["commits"][0].update(units={"id": 1}),
    "no message": lambda plan: plan["commits"][0].update(message=""),
    "many commits": lambda plan: plan.update(commits=plan["commits"] * 5000),
    "another base": lambda plan: plan.update(base="0" * 40),
    "no base": lambda plan: plan.update(base=None),
    "another target": lambda plan: plan.update(target="0" * 40),
    "only staged": lambda plan: plan.update(staged=True),
    "deep": lambda plan: plan.update(commits=json.loads("[" * 500 + "]" * 500)),
}


@pytest.fixture
def planned(branch: Repo, capfd: pytest.CaptureFixture[str]) -> str:
    """The JSON of a plan for two commits, beside which something is staged."""
    for number in range(2):
        branch.commit(f"wip {number}", {f"part{number}/a.py": f"a = {number}\n", "base.txt": f"base\n{number}\n"})
    branch.stage({"staged.txt": "x\n"})
    assert git_smart_commit(["range", "start..", "--json"]) == DONE
    return capfd.readouterr().out


@rows("how", *SPOIL)
def test_a_plan_that_was_edited_badly_is_refused(
    branch: Repo, planned: str, tmp_path: Path, how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    plan = json.loads(planned)
    SPOIL[how](plan)
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    before = branch.state()
    assert git_smart_commit(["range", "start..", "--plan", str(tmp_path / "plan.json"), "--yes"]) != DONE
    said = capfd.readouterr().err
    assert said.startswith("smartcommit: ")
    assert "Traceback" not in said
    assert branch.state() == before
    assert not list(branch.path.glob(".git/smartcommit/split/*"))
    assert_sound(branch)
