"""What is staged and when files were modified: how it is read, and what it says about pairs of files."""

from __future__ import annotations

import os

import pytest

from smartcommit.config import Settings
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_snapshot
from smartcommit.split.embedded.hints import Hints, read_hints
from smartcommit.split.embedded.partition import find_partition
from smartcommit.split.engine import EngineOptions, make, read_change
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of

HOUR = 3600


@pytest.fixture
def mixed(based: Repo) -> Repo:
    """A change of three files that have little in common."""
    based.write("src/app/login.py", "def login(user):\n    return user\n")
    based.write("src/app/logout.py", "def leave(session):\n    session.close()\n")
    based.write("docs/guide.md", "# Guide\n\nRead the manual first.\n")
    return based


@pytest.fixture
def worked_on(mixed: Repo) -> Repo:
    """The same with two files staged, one of which was edited since, and the third one old."""
    mixed.git("add", "src/app/login.py", "docs/guide.md")
    mixed.write("docs/guide.md", "# Guide\n\nRead nothing.\n")
    os.utime(mixed.path / "src/app/logout.py", (HOUR, HOUR))
    return mixed


def test_staged_files_belong_together_rather_than_with_others() -> None:
    hints = Hints(staged={b"a", b"b"})
    assert hints.weight(b"a", b"b") > 0
    assert hints.weight(b"a", b"c") < 0
    assert hints.weight(b"c", b"d") == 0


def test_files_modified_within_two_hours_belong_together_rather_than_with_others() -> None:
    hints = Hints(modified={b"a": HOUR, b"b": 2 * HOUR, b"c": 9 * HOUR})
    assert hints.weight(b"a", b"b") == 0
    assert hints.weight(b"a", b"c") < 0
    assert hints.weight(b"a", b"deleted") == 0


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([b"staged"], []),
        ([b"staged", b"new"], ["what is staged"]),
        ([b"new", b"old"], ["when files were modified"]),
        ([b"staged", b"new", b"old"], ["what is staged", "when files were modified"]),
    ],
)
def test_a_hint_is_named_if_it_distinguishes_the_files(paths: list[bytes], names: list[str]) -> None:
    hints = Hints(staged={b"staged"}, modified={b"staged": 9 * HOUR, b"new": 9 * HOUR, b"old": HOUR})
    assert hints.describe(paths) == names


def test_groups_follow_what_is_staged(mixed: Repo) -> None:
    together = Hints(staged={b"src/app/login.py", b"docs/guide.md"})
    groups = find_partition(pieces_of(mixed), count=2, hints=together).groups
    alone = next(group for group in groups if len(group) == 1)
    assert alone[0].change.path == b"src/app/logout.py"


def test_hints_are_what_the_index_and_the_files_say(worked_on: Repo) -> None:
    with take_snapshot(Repository.find(str(worked_on.path))) as snapshot:
        hints = read_hints(snapshot, read_change(snapshot))
    assert hints.staged == {b"src/app/login.py"}
    assert hints.modified[b"src/app/logout.py"] == HOUR


def test_staged_changes_alone_have_no_hints(worked_on: Repo) -> None:
    with take_snapshot(Repository.find(str(worked_on.path)), staged=True) as snapshot:
        assert read_hints(snapshot, read_change(snapshot)) == Hints()


@pytest.mark.parametrize(
    ("strategy", "value", "used"), [("auto", "true", True), ("auto", "false", False), ("file", "true", False)]
)
def test_hints_can_be_turned_off(worked_on: Repo, strategy: str, value: str, used: bool) -> None:
    settings = Settings(git=[("smartcommit.splithints", value)])
    with take_snapshot(Repository.find(str(worked_on.path))) as snapshot:
        made = make(snapshot, settings, EngineOptions(strategy=strategy), terminal=None, report=print)
    assert made is not None
    assert bool(made.plan.hints) is used
