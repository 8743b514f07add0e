"""The edits of a review: what each makes of the commits, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.message.rules import Rules
from smartcommit.split.plan import PlannedCommit, SplitPlan, list_ids, list_units
from smartcommit.split.review.session import NEW, UNCOMMITTED, Session
from tests.support.table import rows

FILE = FileChange(
    status="M", path=b"a", old_path=None, old_mode="100644", new_mode="100644", old_id="0" * 40, new_id="1" * 40
)


def units(*names: str) -> list[Unit]:
    return [Unit(name, "text", FILE, (), name) for name in names]


def part(message: str, *names: str) -> PlannedCommit:
    return PlannedCommit(message, tuple(units(*names)))


COMMITS = [
    part("feat: add one\n\n- first\n", "a::1", "a::2"),
    part("fix: mend two\n", "b::1"),
    part("docs: tell three\n", "c::1", "c::2", "c::3"),
]


def review(commits: Sequence[PlannedCommit], *skipped: str) -> Session:
    """A review of `commits`, which also skips some hunks."""
    plan = SplitPlan("1" * 40, "2" * 40, staged=False, engine="test", commits=tuple(commits))
    change = ChangeUnits([], [*list_units(commits), *units(*skipped)], {})
    return Session(plan, change, rules=Rules(), describe=lambda units: PlannedCommit("chore: new\n", tuple(units)))


def held(session: Session) -> list[list[str]]:
    return [list_ids(commit.units) for commit in session.commits]


# What is done, and the hunks of each commit then; the tables of commands and of keys have the plainer cases.
DONE: dict[str, tuple[Callable[[Session], object], str]] = {
    "merge takes several in": (lambda session: session.merge(2, 3, 1, 3), "a::1 a::2 b::1 c::1 c::2 c::3"),
    "move a skipped hunk": (lambda session: session.move(units("d::1"), 2), "a::1 a::2 | b::1 d::1 | c::1 c::2 c::3"),
    "move what is partly there": (
        lambda session: session.move(units("b::1", "c::1"), 3),
        "a::1 a::2 | b::1 c::1 c::2 c::3",
    ),
    "move the last hunks of two commits to a new one": (
        lambda session: session.move(units("b::1", "a::2", "a::1"), NEW),
        "c::1 c::2 c::3 | a::1 a::2 b::1",
    ),
    "order to where it is": (lambda session: session.reorder(2, 2), "a::1 a::2 | b::1 | c::1 c::2 c::3"),
}


@rows("name", DONE)
def test_each_operation_moves_hunks_as_it_says_and_is_undone(name: str) -> None:
    act, expected = DONE[name]
    session = review(COMMITS, "d::1", "d::2")
    act(session)
    assert held(session) == [names.split() for names in expected.split(" | ")]
    session.undo()
    assert list(session.commits) == COMMITS


REFUSED: dict[str, tuple[Callable[[Session], object], str]] = {
    "no commit 0": (lambda session: session.delete(0), "no commit 0"),
    "no commit 4": (lambda session: session.reorder(1, 4), "no commit 4"),
    "no commit -2": (lambda session: session.move(units("a::1"), -2), "no commit -2"),
    "with itself": (lambda session: session.merge(2, 1, 2), "itself"),
    "with nothing": (lambda session: session.merge(2), "no commit to merge"),
    "where it is": (lambda session: session.move(units("a::1"), 1), "already in that commit"),
    "uncommitted already": (lambda session: session.move(units("d::1"), UNCOMMITTED), "already in that commit"),
    "no hunk": (lambda session: session.move([], 1), "no hunk"),
    "every hunk": (lambda session: session.move(list_units(COMMITS), UNCOMMITTED), "cannot skip every hunk"),
    "a blank message": (lambda session: session.set_message(1, " \n"), "needs a message"),
    "a blank subject": (lambda session: session.set_subject(1, " "), "a single line"),
    "a subject of two lines": (lambda session: session.set_subject(1, "a\nb"), "a single line"),
}


@rows("name", REFUSED)
def test_nonsense_is_refused_with_its_reason_and_changes_nothing(name: str) -> None:
    act, reason = REFUSED[name]
    session = review(COMMITS, "d::1")
    with pytest.raises(SplitError, match=reason):
        act(session)
    assert list(session.commits) == COMMITS


def test_the_only_commit_cannot_be_deleted() -> None:
    with pytest.raises(SplitError, match="only commit"):
        review(COMMITS[:1]).delete(1)


def test_a_subject_replaces_the_first_line_only() -> None:
    session = review(COMMITS)
    session.set_subject(1, " feat: add another ")
    session.set_subject(2, "fix: mend it")
    assert [commit.message for commit in session.commits[:2]] == ["feat: add another\n\n- first\n", "fix: mend it\n"]
