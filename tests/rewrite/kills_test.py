"""Rewriting that is killed at any step leaves the old state or the new one, once it is recovered."""

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import DONE
from tests.support.histories import History, assert_same, assert_undone, read_state
from tests.support.kills import KILLED, Kills
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.splitting import head_of


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize(
    "command", [["range", "start.."], ["absorb"], ["absorb", "--from", "HEAD"]], ids=["range", "absorb", "past"]
)
def test_every_step_can_be_the_last(folder: Path, command: list[str]) -> None:
    assert check_kills(folder, 4, command, every=choose(fast=25, full=4)) > 3


def check_kills(folder: Path, seed: int, command: list[str], *, every: int) -> int:
    """Kill the rewriting of one random history at one of `every` steps, and its undo; return the number of kills."""
    chance = random.Random(seed)
    history = History(folder / "base", chance, commits=4)
    # A commit that is not kept: else there may be nothing to do.
    history.repo.write("work.txt", "work in progress\n")
    history.repo.write("more.txt", "more of it\n")
    history.commit(b"wip\n")
    history.repo.write("work.txt", "work that is done\n")
    history.repo.write("last.txt", "last\n")
    history.commit(b"docs: note what comes last\n")
    history.edit_lines(3)
    history.leave_uncommitted()
    kills = Kills(folder / "base", folder, {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        count = kill_each(kills, [*command, "--yes"], chance.randrange(1, every + 1), every)
        return count + kill_each(kills, ["undo"], chance.randrange(1, every + 1), every, first=command)
    finally:
        kills.close()


def kill_each(kills: Kills, arguments: list[str], step: int, every: int, first: Sequence[str] = ()) -> int:
    """Kill a run at `step` and each `every` steps later until it ends by itself; return how many were killed."""
    count = 0
    while True:
        repo = Repo(kills.copy(f"copy{step}"))
        if first:
            assert kills.run_together(repo.path, [*first, "--yes"]) == [DONE]
        before, head = read_state(repo), head_of(repo)
        index = (repo.path / ".git/index").read_bytes()
        (status,) = kills.run_together(repo.path, arguments, step=step)
        if status != KILLED:
            assert status == DONE
            return count
        count += 1
        assert git_smart_commit(["recover", "--quiet", "--repo", str(repo.path)]) == DONE, step
        assert repo.run("fsck", "--no-dangling").returncode == 0
        assert not list(repo.path.glob(".git/**/*.lock"))
        if head_of(repo) == head:
            assert_same(before, read_state(repo))
            assert (repo.path / ".git/index").read_bytes() == index
        else:
            assert (repo.path / ".git/index").exists()
            assert_same({"files": before["files"], "refs": before["refs"]}, read_state(repo))
            if not first:
                assert_undone(repo, head, before)
        shutil.rmtree(repo.path.parent)
        step += every
