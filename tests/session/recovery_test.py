"""`session commit` and `undo` that are killed at any step and recovered, or run at the same time: nothing is lost."""

import os
import random
import sys
from pathlib import Path

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.git.transaction.journal import Journal
from smartcommit.session import commits
from smartcommit.split.outcome import DONE, NOTHING
from tests.support.kills import KILLED, Kills
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.sessions import Agent
from tests.support.situations_split import FORTY, contents, edited


@pytest.mark.parametrize("verb", ["commit", "undo"])
def test_a_recovery_includes_the_ledger(based: Repo, tmp_path: Path, verb: str) -> None:
    based.commit("chore: forty", {"a.txt": FORTY})
    agent, other = Agent(based, "one"), Agent(based, "two")
    based.stage({"b.txt": "staged\n"})
    agent.replace("a.txt", "line 3\n", "edited 3\n")
    if verb == "undo":
        agent.commit(message="docs: edit a line")
    agent.replace("a.txt", "line 30\n", "edited 30\n")
    other.replace("a.txt", "line 20\n", "edited 20\n")
    head = based.git("rev-parse", "HEAD")
    arguments = ["session", verb, "--session", "one"]
    if verb == "commit":
        arguments += ["--message", "docs: edit lines"]
    kills = Kills(based.path, tmp_path / "kills", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    listed = kills.list_steps("whole", arguments)
    count = len(listed)
    # After HEAD had moved the ledger was once left as it was.
    (move,) = [number for number, what in enumerate(listed, 1) if "'update-ref'" in what]
    moved = range(move, move + 5)
    steps = {*random.Random(8).sample(range(1, count), 4), *moved}
    found = set()
    for step in sorted({*steps, *range(1, count, choose(fast=count, full=4))}):
        place = kills.copy(f"kill{step}")
        repo = Repo(place)
        assert kills.run_together(place, arguments, step=step) == [KILLED], step
        if step in moved:
            found.add(repo.git("rev-parse", "HEAD") != head)
        kills.run_together(place, ["recover"])
        assert contents(place) == contents(based.path), step
        assert repo.git("diff", "--cached", "--name-only").split() == ["b.txt"], step
        repo.git("fsck", "--strict")
        is_moved = repo.git("rev-parse", "HEAD") != head
        one, two = Agent(repo, "one"), Agent(repo, "two")
        left = {hunk.owner for file in one.files() for hunk in file.left}
        assert left == {"two", "nobody"}, step
        is_done = verb == "commit" and is_moved
        assert one.commit(message="docs: edit again").status == (NOTHING if is_done else DONE), step
        assert repo.git("show", "HEAD:a.txt") == edited(FORTY, 3, 30), step
        assert two.commit(message="docs: edit more").status == DONE, step
        assert repo.git("status", "--porcelain") == "A  b.txt\n", step
    kills.close()
    assert found == {False, True}


def test_of_sessions_that_commit_at_the_same_time_the_later_do_when_asked_again(based: Repo, tmp_path: Path) -> None:
    based.commit("chore: forty", {"a.txt": FORTY})
    runs = []
    for number in (3, 20, 30):
        session = f"session-{number}"
        Agent(based, session).replace("a.txt", f"line {number}\n", f"edited {number}\n")
        runs.append(["session", "commit", "--session", session, "--message", f"docs: edit line {number}"])
    kills = Kills(based.path, tmp_path / "together", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    repo = Repo(kills.copy("together"))
    statuses = kills.run_together(repo.path, *runs)
    assert 0 in statuses
    for run, status in zip(runs, statuses, strict=True):
        assert status == 0 or kills.run_together(repo.path, run) == [0]
    kills.close()
    assert sorted(repo.subjects("HEAD~3..")) == ["docs: edit line 20", "docs: edit line 3", "docs: edit line 30"]
    assert repo.git("status", "--porcelain") == ""


def test_an_undo_that_is_refused_changes_no_owner(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.commit("chore: forty", {"a.txt": FORTY})
    agent = Agent(based, "one")
    agent.replace("a.txt", "line 3\n", "edited 3\n")
    agent.commit(message="docs: edit a line")
    agent.replace("a.txt", "line 30\n", "edited 30\n")
    undo = commits.undo_split

    def commit_before(repository: Repository, *, name: str) -> tuple[Journal, list[str]]:
        based.git("commit", "-q", "--allow-empty", "-m", "docs: a person's")
        return undo(repository, name=name)

    monkeypatch.setattr(commits, "undo_split", commit_before)
    files = [(file.own, file.left) for file in agent.files()]
    with pytest.raises(SplitError):
        agent.undo()
    assert [(file.own, file.left) for file in agent.files()] == files
