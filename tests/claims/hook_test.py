"""The rule `claims` in the hook, in ranges and for a pull request: what is compared, at which level, at what cost."""

import json
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit_hooks.commit_msg import main as run_hook
from tests.support.repository import Repo

WRONG = "fix: mend `wrong_name`"


@pytest.fixture
def here(inside: Repo) -> Repo:
    """A repository with two commits and a staged change, which is the current directory."""
    inside.commit("feat: base", {"a.py": "a = 1\n"})
    inside.commit("feat: more", {"b.py": "before_name = 1\n"})
    inside.stage({"a.py": "a = 1\nright_name = 2\n"})
    return inside


def hook(here: Repo, message: str) -> int:
    return run_hook([str(here.write(".git/COMMIT_EDITMSG", message + "\n"))])


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which git notes the processes that were started."""
    path = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(path))
    return path


def list_commands(trace: Path) -> list[str]:
    found = []
    for line in trace.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "cmd_name":
            found.append(event["name"])
    return found


def test_a_claim_is_a_warning_for_people(here: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert hook(here, WRONG) == 0
    assert capsys.readouterr().err == (
        f"{here.path}/.git/COMMIT_EDITMSG:1:12: claims warning: 'wrong_name' is in no line or path of the change\n"
        "  fix: mend `wrong_name`\n"
        "             ^^^^^^^^^^\n"
        "  expected the name of what changes, as it is written there\n"
    )


@pytest.mark.parametrize(
    ("policy", "agent", "status"),
    [
        ("", "1", 0),
        ("agentClaims = error", "", 0),
        ("agentClaims = error", "1", 1),
        ("errors = claims", "", 1),
        ("agentClaims = error\n\toff = claims", "1", 0),
    ],
)
def test_a_policy_forbids_it(here: Repo, monkeypatch: pytest.MonkeyPatch, policy: str, agent: str, status: int) -> None:
    here.write(".smartcommit", f"[smartcommit]\n\ttypes = fix\n\t{policy}\n")
    monkeypatch.setenv("SMARTCOMMIT_CODING_AGENT", "yes" if agent else "no")
    assert hook(here, WRONG) == status


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("fix: add a second line", 0),
        ("fix: mend `right_name`", 1),
        ("fix: mend it\n\nThe second line was missing.", 1),
        ("docs: mend it", 2),
        ("fix: remove a line", 2),
        (WRONG, 2),
    ],
)
def test_what_is_read_depends_on_what_is_claimed(here: Repo, trace: Path, message: str, count: int) -> None:
    """One process, and one more for the date of HEAD where something would be reported."""
    assert hook(here, message) == 0
    commands = list_commands(trace)
    assert len([name for name in commands if name in ("diff-index", "log")]) == count


def test_nothing_is_read_if_the_rule_is_off(here: Repo, trace: Path) -> None:
    here.git("config", "smartcommit.off", "claims")
    assert hook(here, WRONG) == 0
    assert "diff-index" not in list_commands(trace)


def test_an_amended_commit_is_compared_with_all_that_it_changes(
    here: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hook(here, "fix: mend `before_name`") == 0
    assert "before_name" in capsys.readouterr().err
    monkeypatch.setenv("GIT_AUTHOR_DATE", here.git("log", "-1", "--format=@%at +0000").strip())
    assert hook(here, "fix: mend `before_name`") == 0
    assert capsys.readouterr().err == ""
    assert hook(here, WRONG) == 0
    assert "wrong_name" in capsys.readouterr().err


def test_git_says_what_it_amends(here: Repo, tmp_path: Path) -> None:
    """What `StagedChange` relies on."""
    here.write(".git/hooks/commit-msg", f'#!/bin/sh\necho "$GIT_AUTHOR_DATE" >>"{tmp_path}/dates"\n', executable=True)
    past = {"GIT_AUTHOR_DATE": "1700000000 +0000"}
    here.git("commit", "-q", "-m", "fix: one", env=past)
    here.git("commit", "-q", "--amend", "-m", "fix: two")
    here.git("commit", "-q", "--allow-empty", "-m", "fix: three")
    dates = (tmp_path / "dates").read_text().splitlines()
    assert dates[1] == "@1700000000 +0000"
    assert dates[2] != dates[1]


def test_the_first_commit_is_not_compared(inside: Repo) -> None:
    inside.stage({"a.py": "a = 1\n"})
    inside.git("config", "smartcommit.errors", "claims")
    assert hook(inside, WRONG) == 0


def test_each_commit_of_a_range_is_compared_with_its_own_change(here: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    here.commit("fix: mend `right_name`")
    wrong = here.commit("fix: mend `right_name` again", {"b.py": "before_name = 2\n"})
    here.git("checkout", "-q", "-b", "side", "HEAD~")
    here.commit("fix: mend c_name", {"c.py": "c_name = 1\n"})
    here.git("merge", "-q", "-m", "Merge `any_name`", "main")
    assert main(["check", "--range", "HEAD~3..HEAD", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = [(entry["name"], entry["violations"]) for entry in document["messages"] if entry["violations"]]
    assert [(name, [each["code"] for each in violations]) for name, violations in found] == [(wrong[:12], ["claims"])]
    assert main(["check", "--range", f"{wrong}~..{wrong}"]) == 0
    assert "claims warning" in capsys.readouterr().out


def test_a_clone_without_contents_says_that_nothing_was_compared(
    here: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here.commit(WRONG)
    here.git("config", "uploadpack.allowFilter", "true")
    here.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{here.path}", str(tmp_path / "clone"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "clone"))
    assert main(["check", "--range", "HEAD~..HEAD"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("smartcommit: warning: claims are not compared: ")


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--title", "fix: mend `right_name`"], False),
        (["--title", "fix: mend `before_name`"], True),
        (["--title", "fix: mend `before_name`", "--range", "HEAD~..HEAD"], False),
        (["--title", "fix: mend `right_name`", "--range", "HEAD~..HEAD"], True),
        (["--message", "fix: mend it\n\nAdd `wrong_name`.\n"], True),
        (["message"], True),
    ],
)
def test_a_given_message_is_compared_with_a_range_or_what_is_staged(
    here: Repo, capsys: pytest.CaptureFixture[str], arguments: list[str], reported: bool
) -> None:
    here.write("message", WRONG + "\n")
    assert main(["check", "--claims", *arguments]) == 0
    assert ("claims warning" in capsys.readouterr().out) == reported
    without = arguments[:2] if "--range" in arguments else arguments
    assert main(["check", *without]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments",
    [[], ["--range", "HEAD"], ["--title", "fix: x", "--range", "HEAD"], ["--title", "fix: x", "--range", "a..b"]],
)
def test_claims_need_a_message_and_a_range(
    here: Repo, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--claims", *arguments]) == 2
    assert "partial clone" not in capsys.readouterr().err
