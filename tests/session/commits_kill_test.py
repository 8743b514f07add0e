"""A kill at any step of `session commit` or `session undo` leaves all as before or as after it."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.session.ledger import open_ledger
from tests.support.kills import Kills
from tests.support.repository import Repo
from tests.support.sessions import Agent
from tests.support.situations_split import FORTY, contents, edited

KILLS = 8


@pytest.fixture
def kills(based: Repo, tmp_path: Path) -> Iterator[Kills]:
    """Copies of a repository in which a session and a person edit a file, and another file is staged."""
    based.commit("chore: forty", {"a.txt": FORTY})
    agent = Agent(based, "session-1")
    agent.replace("a.txt", "line 3\n", "edited 3\n")
    based.write("a.txt", edited(FORTY, 3, 30))
    agent.write("new.py", "x = 1\n")
    based.stage({"b.txt": "staged\n"})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SMARTCOMMIT_SESSION": "session-1"}
    found = Kills(based.path, tmp_path / "kills", environment)
    yield found
    found.close()


def steps(kills: Kills, verb: list[str], prepare: list[list[str]]) -> int:
    """How many steps the command has: it is killed at none that comes later."""
    last = 256
    first = 0
    while first + 1 < last:
        middle = (first + last) // 2
        place = kills.copy(f"count{middle}")
        for arguments in prepare:
            assert kills.run_together(place, arguments) == [0]
        if kills.run_together(place, verb, step=middle) == [0]:
            last = middle
        else:
            first = middle
    return first


COMMIT = ["session", "commit", "--message", "feat: add x"]
UNDO = ["session", "undo"]


@pytest.mark.parametrize(("verb", "prepare"), [(COMMIT, []), (UNDO, [COMMIT])])
def test_a_kill_loses_nothing(kills: Kills, verb: list[str], prepare: list[list[str]]) -> None:
    chance = random.Random(25)
    count = steps(kills, verb, prepare)
    assert count > KILLS
    for step in sorted(chance.sample(range(1, count + 1), KILLS)):
        place = kills.copy(f"kill{step}")
        repo = Repo(place)
        for arguments in prepare:
            assert kills.run_together(place, arguments) == [0]
        before, files = repo.git("rev-parse", "HEAD"), contents(place)
        assert kills.run_together(place, verb, step=step) != [0]
        kills.run_together(place, ["split", "--recover"])
        assert contents(place) == files
        moved = repo.git("rev-parse", "HEAD") != before
        committed = moved != bool(prepare)
        assert repo.git("diff", "--cached", "--name-only").split() == ["b.txt"]
        expected = edited(FORTY, 3) if committed else FORTY
        assert repo.git("show", "HEAD:a.txt") == expected
        repo.git("fsck", "--strict")
        with open_ledger(Repository.find(str(place))) as ledger:
            own = {file.path: file.own for file in ledger.list_files("session-1")}
        if committed:
            assert set(own.values()) == {0}
        else:
            # What was not undone to the end is nobody's, and can be claimed.
            assert own == {b"a.txt": 2, b"new.py": own[b"new.py"], b"b.txt": 0} or prepare
