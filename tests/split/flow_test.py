"""The question about the number of commits: when it is asked, and what the answers do."""

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smartcommit.errors import Cancelled, ConfigError
from smartcommit.git.repo import Repository
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED, NOTHING, USAGE, report_error
from smartcommit.split.plan_file import read_plan
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.splitting import head_of, run_with, split
from tests.support.table import rows
from tests.support.tty import person, run_on_terminal

QUESTION = "1 commit or 2? ["


@pytest.fixture
def close(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A change of two files that may be one commit as well as two, reviewed by text commands."""
    monkeypatch.setenv("SMARTCOMMIT_REVIEW", "text")
    based.write("src/app/login.py", "def login(user):\n    return user\n")
    based.write("src/app/theme.css", "a {\n  color: red;\n}\n")
    return based


def plan_of(repo: Repo, count: int | None = None) -> dict[str, Any]:
    """The plan for the change of `repo`, as JSON has it."""
    status, printed, _ = run_with(repo, SplitOptions(choice=EngineOptions(count=count), json=True), yes=False)
    assert status == DONE
    plan: dict[str, Any] = json.loads(printed)
    return plan


def test_the_plan_says_how_sure_it_is_unless_the_number_was_given(close: Repo) -> None:
    assert 0 < plan_of(close)["confidence"] < 1
    given = plan_of(close, 2)
    assert given["confidence"] is None
    assert len(given["commits"]) == 2


def ask(repo: Repo, typed: str, **options: Any) -> tuple[int, str]:
    """The status of a split by somebody who types this, and what they are told."""
    told: list[str] = []
    with person(typed) as somebody:
        status = split(
            Repository.find(str(repo.path)), staged=False, yes=False, terminal=somebody.terminal, out=told.append,
            options=SplitOptions(**options),
        )  # fmt: skip
    return status, "\n".join([somebody.shown, *told])


@pytest.mark.parametrize("answer", ["1", "2", ""])
def test_the_user_is_asked_for_the_number(close: Repo, tmp_path: Path, answer: str) -> None:
    old, plan, likelier = head_of(close), tmp_path / "plan.json", len(plan_of(close)["commits"])
    status, shown = ask(close, f"{answer}\ny\n", save_plan=str(plan))
    assert status == DONE, shown
    assert shown.count(f"{QUESTION}{likelier}] ") == shown.count(QUESTION) == 1
    assert "stays together: one commit" in shown
    assert "becomes 2 commits" in shown
    assert len(close.subjects(f"{old}..HEAD")) == int(answer or likelier)
    assert json.loads(plan.read_text())["confidence"] is None


@pytest.mark.parametrize("quits", ["q", "QUIT", None])
def test_no_number_is_asked_again_and_q_quits(close: Repo, quits: str | None) -> None:
    before, likelier = close.state(), len(plan_of(close)["commits"])
    status, shown = ask(close, "?\n7\n" + (f"{quits}\n" if quits else "\x04"))
    assert status == CANCELLED, shown
    assert shown.count(QUESTION) == 3
    assert shown.count(f"answer 1 or 2; Enter for {likelier}, q to quit") == 2
    assert "create these commits?" not in shown
    assert "cancelled: nothing was changed" in shown
    assert close.state() == before


def test_with_yes_or_a_number_nothing_is_asked(installation: Installation, close: Repo) -> None:
    likelier = len(plan_of(close)["commits"])
    for arguments, count in ((["--count", str(3 - likelier)], 3 - likelier), (["--yes"], likelier)):
        old = head_of(close)
        command = [installation.script("git-smart-commit"), *arguments]
        shown, status = run_on_terminal(command, cwd=close.path, answers="y\n")
        assert (status, QUESTION in shown) == (DONE, False)
        assert len(close.subjects(f"{old}..HEAD")) == count
        close.git("reset", "-q", old)


@rows(
    ("branch", "typed", "given", "status", "expected"),
    ("main", "ABC-3\ny\n", None, DONE, "Refs: ABC-3"),
    ("main", "DEF-3\n", None, USAGE, "the ticket 'DEF-3' does not match 'ABC-[0-9]+'"),
    ("main", "y\n", "ABC-5", DONE, "Refs: ABC-5"),
    ("abc/ABC-7-login", "y\n", None, DONE, "Refs: ABC-7"),
)
def test_the_ticket_is_given_named_by_the_branch_or_asked_for(
    close: Repo, branch: str, typed: str, given: str | None, status: int, expected: str
) -> None:
    close.git("config", "smartcommit.ticket", "ABC-[0-9]+")
    close.git("checkout", "-q", "-B", branch)
    ended, told = ask(close, typed, choice=EngineOptions(count=1), ticket=given)
    assert ended == status, told
    if status == DONE:
        assert close.message().rstrip().endswith(expected)
        close.git("reset", "-q", "HEAD^")
    else:
        assert expected in told


@rows(
    ("error", "said", "status"),
    (MemoryError(), "smartcommit: out of memory\nhint: allow the process more memory, see 'ulimit -v'", GIT_FAILED),
    (OSError(errno.ENOSPC, "full", "a"), "smartcommit: 'a': full\nhint: free some disk space", GIT_FAILED),
    (OSError(errno.EIO, "broken", "a"), "smartcommit: 'a': broken", GIT_FAILED),
    (Cancelled("stopped"), "smartcommit: stopped", CANCELLED),
    (ConfigError("wrong"), "smartcommit: wrong", USAGE),
)
def test_an_error_is_told_with_what_to_do_and_has_a_status(error: Exception, said: str, status: int) -> None:
    told: list[str] = []
    assert (report_error(error, told.append), told) == (status, [said])


def test_what_is_not_to_be_committed_at_all_is_told(based: Repo) -> None:
    assert run_with(based, SplitOptions(json=True)) == (NOTHING, "", ["nothing to commit"])
    assert run_with(based, SplitOptions(), staged=True)[:2] == (NOTHING, "nothing staged")
    based.write("a.txt", "a\n")
    (based.path / ".jj").mkdir()
    assert "this is a jj repository" in run_with(based, SplitOptions())[2][0]


def test_a_message_is_for_one_commit_of_all(close: Repo) -> None:
    status, printed, _ = run_with(close, SplitOptions(message="feat: add all  \n\nWhy.\n\n", json=True))
    (commit,) = json.loads(printed)["commits"]
    assert (status, commit["message"], commit["oid"]) == (DONE, "feat: add all\n\nWhy.\n", head_of(close))
    assert run_with(close, SplitOptions(message="feat: add more"))[0] == NOTHING


def test_a_coding_agent_is_told_the_first_lines(close: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMARTCOMMIT_CODING_AGENT", "yes")
    for number in range(20):
        close.write(f"docs/{number:02}.md", "text\n")
    for yes in (False, True):
        shown = run_with(close, SplitOptions(choice=EngineOptions(strategy="file")), yes=yes)[1].splitlines()
        (rest,) = [place for place, line in enumerate(shown) if line.endswith("more lines; '--json' prints all")]
        assert rest == 12


def test_a_message_that_breaks_a_rule_is_only_printed_to_be_edited(close: Repo) -> None:
    close.write(".smartcommit", "[smartcommit]\n\tticket = ABC-[0-9]+\n")
    status, printed, _ = run_with(close, SplitOptions(json=True), yes=False)
    assert status == DONE
    status, _, said = run_with(close, SplitOptions(), yes=False)
    assert (status, "breaks rule 'ticket'" in said[0]) == (GIT_FAILED, True)
    final = SplitOptions(json=True, dry_run=True, plan=read_plan(printed))
    assert run_with(close, final, yes=False)[0] == GIT_FAILED
    assert run_with(close, replace(final, dry_run=False), yes=False)[0] == DONE


def test_who_is_unknown_to_git_is_told_so_before_a_review(close: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "")
    status, told = ask(close, "y\n", choice=EngineOptions(count=1))
    assert status == GIT_FAILED, told
    assert "create these commits?" not in told
    assert "user.email" in told
