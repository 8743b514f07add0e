"""Where a session's commits go, and which session is meant by a command that names none."""

import os
import shlex
from pathlib import Path

import pytest

from tests.support.repository import Repo
from tests.support.sessions import Agent, call

COMMIT = ("commit", "--session", "one", "--message", "feat: add new")


# What is run after the session has begun on `main` at a second commit, and the place that its commit is refused upon.
PLACES = {
    "the same": ([], None),
    "the same after a commit": (["commit --allow-empty -m docs:x"], None),
    "another branch": (["switch -c other"], "other"),
    "a branch with a blank in no place of its own": (["switch -c a/b"], "a/b"),
    "a branch like the mark of a reftable": (["switch -c x.invalid"], "x.invalid"),
    "no branch": (["checkout --detach"], "HEAD"),
    "there and back": (["switch -c other", "switch main"], None),
    "a branch that is not born": (["checkout --orphan new/branch"], "new/branch"),
}


def test_a_commit_elsewhere_needs_a_word(tmp_path: Path) -> None:
    for number, (case, (steps, refused)) in enumerate(PLACES.items()):
        repo = Repo.init(tmp_path / f"repo{number}")
        repo.commit("chore: first", {"f": "a\n"})
        repo.commit("chore: second", {"f": "a\nb\n"})
        agent = Agent(repo, "one")
        agent.write("new.py", "x = 1\n")
        for step in steps:
            repo.git(*step.split())
        before = repo.state()
        answer = call(repo, *COMMIT)
        if refused is not None:
            assert (answer["status"], answer["branch"]) == ("error", refused), case
            assert refused in answer["error"], case
            assert repo.state() == before, case
            assert call(repo, *COMMIT, "--branch", "main")["status"] == "error", case
            (following,) = answer["next"]
            answer = call(repo, *shlex.split(following)[2:])
        assert (answer["status"], answer["branch"]) == ("ok", refused or "main"), case
        # Once said, it is the session's.
        agent.write("other.py", "y = 1\n")
        assert call(repo, "undo", "--session", "one")["status"] == "ok", case
        assert call(repo, *COMMIT)["status"] == "ok", case


def test_every_answer_names_the_branch(based: Repo) -> None:
    for arguments in (("start",), ("status",), ("plan",), ("undo",), ("claim", "none"), ("end",)):
        assert call(based, *arguments, "--session", "one")["branch"] == "main", arguments


# The sessions that have begun and ended, what the environment names, and the session that is meant, or the error.
MEANT: dict[str, tuple[list[str], list[str], dict[str, str], str]] = {
    "one that lasts": (["one"], [], {}, "one"),
    "one that lasts beside one that has ended": (["one", "two"], ["one"], {}, "two"),
    "the environment's": (["one", "two"], [], {"COPILOT_AGENT_SESSION_ID": "two"}, "two"),
    "our own variable first": (
        ["one", "two"], [], {"SMARTCOMMIT_SESSION": "one", "GEMINI_SESSION_ID": "two"}, "one",
    ),
    "none": ([], [], {}, "no session"),
    "only ended ones": (["one"], ["one"], {}, "no session"),
    "several": (["one", "two"], [], {}, "2 sessions are at work here: 'one' of claude, 'two' of claude"),
}  # fmt: skip


def test_which_session_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (case, (begun, ended, variables, expected)) in enumerate(MEANT.items()):
        repo = Repo.init(tmp_path / f"repo{number}")
        repo.commit("chore: first", {"f": "a\n"})
        for session in begun:
            call(repo, "start", "--session", session, "--product", "claude")
        for session in ended:
            call(repo, "end", "--session", session)
        with monkeypatch.context() as context:
            for name, value in variables.items():
                context.setenv(name, value)
            answer = call(repo, "status")
        assert answer.get("session", answer.get("error")) == expected, case
    # Who begins is nobody who has begun before.
    assert call(repo, "start")["error"] == "no session"


@pytest.mark.components
@pytest.mark.usefixtures("reftable")
def test_sessions_in_a_repository_with_a_reftable(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    agent = Agent(repo, "one")
    agent.write("first.py", "x = 1\n")
    assert call(repo, *COMMIT)["branch"] == "main"
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    for place, branch in ((repo, "main"), (Repo(tmp_path / "linked"), "linked")):
        agent = Agent(place, "one")
        agent.write("new.py", "y = 1\n")
        place.write("own.txt", "a person's\n")
        answer = call(place, *COMMIT)
        assert (answer["status"], answer["branch"]) == ("ok", branch)
        assert place.git("status", "--porcelain") == "?? own.txt\n"
        assert call(place, "undo", "--session", "one")["status"] == "ok"
        assert place.git("status", "--porcelain") == "?? new.py\n?? own.txt\n"
    assert os.path.isfile(repo.path / ".git" / "refs" / "heads")
