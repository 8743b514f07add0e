"""`session undo` that is killed at any step, recovered: HEAD, the index and the ledger agree."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

from smartcommit.split.outcome import DONE
from tests.support.kills import Kills
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.sessions import Agent
from tests.support.situations_split import FORTY, edited

# Steps that an undo has at least, and those around the move of HEAD, after which the ledger was once left as it was.
STEPS, MOVED = 66, range(40, 52)


def test_a_killed_undo_and_its_recovery_include_the_ledger(based: Repo, tmp_path: Path) -> None:
    based.commit("chore: forty", {"a.txt": FORTY})
    agent, other = Agent(based, "one"), Agent(based, "two")
    agent.replace("a.txt", "line 3\n", "edited 3\n")
    agent.commit(message="docs: edit a line")
    agent.replace("a.txt", "line 30\n", "edited 30\n")
    other.replace("a.txt", "line 20\n", "edited 20\n")
    head = based.git("rev-parse", "HEAD")
    kills = Kills(based.path, tmp_path / "kills", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    undone = 0
    steps = {*random.Random(8).sample(range(1, STEPS), 6), *MOVED}
    for step in choose(fast=sorted(steps), full=list(range(1, STEPS))):
        place = kills.copy(f"kill{step}")
        assert kills.run_together(place, ["session", "undo", "--session", "one"], step=step) != [0]
        kills.run_together(place, ["recover"])
        repo = Repo(place)
        is_undone = repo.git("rev-parse", "HEAD") != head
        undone += is_undone
        one, two = Agent(repo, "one"), Agent(repo, "two")
        left = {hunk.owner for file in one.files() for hunk in file.left}
        assert left == {"two"}, step
        assert one.commit(message="docs: edit again").status == DONE, step
        assert repo.git("show", "HEAD:a.txt") == edited(FORTY, 3, 30), step
        assert repo.git("rev-list", "--count", f"{head.strip()}~..HEAD").strip() == ("1" if is_undone else "2"), step
        assert two.commit(message="docs: edit more").status == DONE, step
        assert repo.git("status", "--porcelain") == "", step
    kills.close()
    assert 0 < undone < len(steps)
