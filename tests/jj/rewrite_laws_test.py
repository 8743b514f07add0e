"""jj rewrites random histories as git does: the same trees and messages, and undo is exact."""

import os
import random
import shutil
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.jj.run import JjChange, read_change, read_changes
from smartcommit.split.outcome import DONE, NOTHING
from tests.support import histories
from tests.support.histories import History
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.workspace import Workspace


def is_utf8(text: bytes) -> bool:
    return text.decode("utf-8", "ignore").encode() == text


@pytest.fixture(autouse=True)
def in_utf8(with_jj: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories have what jj can read: text in UTF-8."""
    monkeypatch.setattr(histories, "NAMES", tuple(name for name in histories.NAMES if is_utf8(os.fsencode(name))))
    monkeypatch.setattr(histories, "MESSAGES", tuple(filter(is_utf8, histories.MESSAGES)))
    monkeypatch.setattr(histories, "AUTHORS", tuple(filter(is_utf8, histories.AUTHORS)))


def commits_of(repo: Repo, revisions: str) -> list[tuple[str, str]]:
    """The tree and the message of each commit."""
    entries = repo.git("log", "-z", "--format=%T%n%B", revisions).split("\0")
    return [(tree, message.rstrip("\n")) for tree, _, message in (entry.partition("\n") for entry in entries)]


def changes_of(root: str) -> list[JjChange]:
    return read_changes(root, "start..@")


@pytest.mark.parametrize("arguments", [["range", "start.."], ["absorb"]], ids=["range", "absorb"])
@pytest.mark.parametrize("seed", range(repeat(fast=4, full=15)))
def test_jj_rewrites_as_git_does(tmp_path: Path, seed: int, arguments: list[str]) -> None:
    chance = random.Random(seed)
    history = History(tmp_path / "git", chance, commits=chance.randrange(1, 7))
    repo = history.repo
    history.edit_lines(4)
    repo.git("tag", "-d", "v1")
    shutil.copytree(repo.path, tmp_path / "jj", symlinks=True)
    work, other = Workspace(tmp_path / "jj"), Repo(tmp_path / "jj")
    work.jj("git", "init", "--colocate", ".")
    root = str(work.path)
    before, old = read_change(root, snapshot=True), changes_of(root)
    statuses = [main([*arguments, "--yes", "--quiet", "--repo", str(path)]) for path in (repo.path, work.path)]
    assert statuses in ([DONE, DONE], [NOTHING, NOTHING])
    now = read_change(root, snapshot=True)
    assert commits_of(other, f"start..{now.parents[0]}") == commits_of(repo, "start..main")
    assert (now.change_id, now.conflict) == (before.change_id, False)
    assert not work.jj("diff", "--from", before.commit_id, "--to", "@")
    assert other.git("status", "--porcelain", "-z") == repo.git("status", "--porcelain", "-z").replace("?? ", " A ")
    if statuses == [DONE, DONE]:
        assert main(["undo", "--quiet", "--repo", root]) == DONE
        assert [change.commit_id for change in changes_of(root)] == [change.commit_id for change in old]
