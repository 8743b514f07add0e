"""`session commit` and `undo` in processes that are killed, or that run at the same time: nothing is lost."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.session.ledger import open_ledger
from tests.support.kills import Kills
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.sessions import Agent
from tests.support.situations_split import FORTY, contents, edited


# For each verb, steps that it has at least.
@pytest.mark.parametrize(("verb", "count"), [("commit", 170), ("undo", 50)])
def test_a_kill_loses_nothing(based: Repo, tmp_path: Path, verb: str, count: int) -> None:
    based.commit("chore: forty", {"a.txt": FORTY})
    agent = Agent(based, "session-1")
    agent.replace("a.txt", "line 3\n", "edited 3\n")
    based.write("a.txt", edited(FORTY, 3, 30))
    agent.write("new.py", "x = 1\n")
    based.stage({"b.txt": "staged\n"})
    arguments = ["session", verb, "--session", "session-1"]
    if verb == "undo":
        agent.commit(message="feat: add x")
    else:
        arguments += ["--message", "feat: add x"]
    kills = Kills(based.path, tmp_path / "kills", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    chance = random.Random(25)
    for step in sorted(chance.sample(range(1, count + 1), choose(fast=4, full=45))):
        place = kills.copy(f"kill{step}")
        assert kills.run_together(place, arguments, step=step) != [0]
        kills.run_together(place, ["recover"])
        check(Repo(place), before=based, undone=verb == "undo")
    kills.close()


def test_sessions_that_commit_at_the_same_time_all_do(based: Repo, tmp_path: Path) -> None:
    based.commit("chore: forty", {"a.txt": FORTY})
    runs = []
    for number in (3, 20, 30):
        session = f"session-{number}"
        Agent(based, session).replace("a.txt", f"line {number}\n", f"edited {number}\n")
        runs.append(["session", "commit", "--session", session, "--message", f"docs: edit line {number}"])
    kills = Kills(based.path, tmp_path / "together", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    repo = Repo(kills.copy("together"))
    assert kills.run_together(repo.path, *runs) == [0, 0, 0]
    kills.close()
    assert sorted(repo.subjects("HEAD~3..")) == ["docs: edit line 20", "docs: edit line 3", "docs: edit line 30"]
    assert repo.git("status", "--porcelain") == ""


def check(repo: Repo, *, before: Repo, undone: bool) -> None:
    """That the commit, which may be undone, was made as a whole or not at all."""
    assert contents(repo.path) == contents(before.path)
    assert repo.git("diff", "--cached", "--name-only").split() == ["b.txt"]
    repo.git("fsck", "--strict")
    moved = repo.git("rev-parse", "HEAD") != before.git("rev-parse", "HEAD")
    with open_ledger(Repository.find(str(repo.path))) as ledger:
        files = {file.path: file for file in ledger.list_files("session-1")}
    left = sum(hunk.old_count + hunk.new_count for hunk in files[b"a.txt"].left)
    if moved != undone:
        assert repo.git("show", "HEAD:a.txt") == edited(FORTY, 3)
        assert repo.git("show", "HEAD:new.py") == "x = 1\n"
        assert (files[b"a.txt"].own, left) == (0, 2)
    else:
        assert repo.git("show", "HEAD:a.txt") == FORTY
        assert (files[b"a.txt"].own, left) == (2, 2)
