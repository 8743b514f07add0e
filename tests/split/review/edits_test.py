"""The operations of a review: what each makes of the commits, what is refused, and that no hunk is lost or doubled."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.errors import SplitError
from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import Unit
from smartcommit.split.plan import PlannedCommit, list_ids
from smartcommit.split.review import edits
from smartcommit.split.review.edits import NEW, UNCOMMITTED

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


def held(commits: Sequence[PlannedCommit]) -> list[list[str]]:
    return [list_ids(commit.units) for commit in commits]


def subjects(commits: Sequence[PlannedCommit]) -> list[str]:
    return [commit.subject for commit in commits]


DONE: dict[str, tuple[Callable[[], list[PlannedCommit]], list[list[str]]]] = {
    "merge takes the later one in": (
        lambda: edits.merge(COMMITS, 1, [3]),
        [["a::1", "a::2", "c::1", "c::2", "c::3"], ["b::1"]],
    ),
    "merge takes the earlier one in": (
        lambda: edits.merge(COMMITS, 3, [1]),
        [["b::1"], ["c::1", "c::2", "c::3", "a::1", "a::2"]],
    ),
    "merge takes several in, in the order given": (
        lambda: edits.merge(COMMITS, 2, [3, 1, 3]),
        [["b::1", "c::1", "c::2", "c::3", "a::1", "a::2"]],
    ),
    "delete leaves hunks in no commit": (
        lambda: edits.delete(COMMITS, 2),
        [["a::1", "a::2"], ["c::1", "c::2", "c::3"]],
    ),
    "move to another commit": (
        lambda: edits.move(COMMITS, units("a::2", "c::1"), 2),
        [["a::1"], ["b::1", "a::2", "c::1"], ["c::2", "c::3"]],
    ),
    "move to a new commit": (
        lambda: edits.move(COMMITS, units("c::2"), NEW, message="chore: more"),
        [["a::1", "a::2"], ["b::1"], ["c::1", "c::3"], ["c::2"]],
    ),
    "move out of all commits": (
        lambda: edits.move(COMMITS, units("c::2"), UNCOMMITTED),
        [["a::1", "a::2"], ["b::1"], ["c::1", "c::3"]],
    ),
    "move back into a commit": (
        lambda: edits.move(COMMITS, units("d::1"), 2, skipped=units("d::1", "d::2")),
        [["a::1", "a::2"], ["b::1", "d::1"], ["c::1", "c::2", "c::3"]],
    ),
    "move the last hunk of a commit": (
        lambda: edits.move(COMMITS, units("b::1"), 3),
        [["a::1", "a::2"], ["c::1", "c::2", "c::3", "b::1"]],
    ),
    "move the last hunks of two commits to a new one": (
        lambda: edits.move(COMMITS, units("b::1", "a::2", "a::1"), NEW, message="chore: more"),
        [["c::1", "c::2", "c::3"], ["b::1", "a::2", "a::1"]],
    ),
    "split puts the parts in the commit's place": (
        lambda: edits.split(COMMITS, 1, [part("feat: x\n", "a::2"), part("feat: y\n", "a::1")]),
        [["a::2"], ["a::1"], ["b::1"], ["c::1", "c::2", "c::3"]],
    ),
    "order to the front": (
        lambda: edits.reorder(COMMITS, 3, 1),
        [["c::1", "c::2", "c::3"], ["a::1", "a::2"], ["b::1"]],
    ),
    "order to the end": (
        lambda: edits.reorder(COMMITS, 1, 3),
        [["b::1"], ["c::1", "c::2", "c::3"], ["a::1", "a::2"]],
    ),
}


@pytest.mark.parametrize("name", DONE)
def test_each_operation_moves_hunks_as_it_says_and_leaves_its_input_alone(name: str) -> None:
    act, expected = DONE[name]
    before = copy.deepcopy(COMMITS)
    assert held(act()) == expected
    assert before == COMMITS


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no commit 0": (lambda: edits.delete(COMMITS, 0), "no commit 0"),
    "no commit 4": (lambda: edits.reorder(COMMITS, 1, 4), "no commit 4"),
    "no commit -2": (lambda: edits.move(COMMITS, units("a::1"), -2), "no commit -2"),
    "the only commit": (lambda: edits.delete(COMMITS[:1], 1), "only commit"),
    "with itself": (lambda: edits.merge(COMMITS, 2, [1, 2]), "itself"),
    "with nothing": (lambda: edits.merge(COMMITS, 2, []), "no commit to merge"),
    "an unknown hunk": (lambda: edits.move(COMMITS, units("z::1"), 1), "'z::1' is not part"),
    "where it is": (lambda: edits.move(COMMITS, units("a::1"), 1), "already in that commit"),
    "uncommitted already": (
        lambda: edits.move(COMMITS, units("z::1"), UNCOMMITTED, skipped=units("z::1")),
        "already in that commit",
    ),
    "no hunk": (lambda: edits.move(COMMITS, units(), 1), "no hunk"),
    "every hunk": (lambda: edits.move(COMMITS[1:2], units("b::1"), UNCOMMITTED), "cannot skip every hunk"),
    "a new commit without a message": (lambda: edits.move(COMMITS, units("a::1"), NEW), "needs a message"),
    "a hunk missing": (
        lambda: edits.split(COMMITS, 3, [part("x", "c::1"), part("y", "c::2")]),
        "not add up to commit 3",
    ),
    "a hunk doubled": (lambda: edits.split(COMMITS, 1, [part("x", "a::1", "a::2"), part("y", "a::2")]), "not add up"),
    "an empty part": (lambda: edits.split(COMMITS, 2, [part("x", "b::1"), part("y")]), "not add up"),
    "a blank message": (lambda: edits.set_message(COMMITS, 1, " \n"), "needs a message"),
    "a blank subject": (lambda: edits.set_subject(COMMITS, 1, " "), "a single line"),
    "a subject of two lines": (lambda: edits.set_subject(COMMITS, 1, "a\nb"), "a single line"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_nonsense_is_refused_with_its_reason(name: str) -> None:
    act, reason = REFUSED[name]
    with pytest.raises(SplitError, match=reason):
        act()


def test_a_subject_replaces_the_first_line_only() -> None:
    assert edits.set_subject(COMMITS, 1, " feat: add another ")[0].message == "feat: add another\n\n- first\n"
    assert edits.set_subject(COMMITS, 2, "fix: mend it")[1].message == "fix: mend it\n"


def test_a_message_ends_in_one_newline() -> None:
    assert edits.set_message(COMMITS, 2, "fix: it\n\nWhy.\n\n\n")[1].message == "fix: it\n\nWhy.\n"


plans = st.lists(st.integers(1, 4), min_size=1, max_size=6).map(
    lambda sizes: [part(f"feat: commit {n}\n", *(f"{n}::{k}" for k in range(size))) for n, size in enumerate(sizes)]
)
numbers = st.integers(-2, 7)
OPERATIONS = ("merge", "delete", "move", "split", "reorder", "set_message", "set_subject")


@given(plans, st.lists(st.tuples(st.sampled_from(OPERATIONS), numbers, numbers, st.data()), max_size=8))
def test_no_operation_loses_or_doubles_a_hunk(
    commits: list[PlannedCommit], steps: Sequence[tuple[str, int, int, st.DataObject]]
) -> None:
    everything = set(chain.from_iterable(held(commits)))
    for name, one, other, data in steps:
        before = list(chain.from_iterable(held(commits)))
        skipped = sorted(everything - set(before))
        try:
            commits = step(name, commits, one, other, skipped=skipped, data=data)
        except SplitError:
            continue
        after = Counter(chain.from_iterable(held(commits)))
        assert set(after) <= everything
        assert set(after.values()) <= {1}
        assert commits
        assert all(commit.units and commit.message.strip() for commit in commits)
        if name not in ("delete", "move"):
            assert sorted(after) == sorted(before)
        elif name == "move" and other != UNCOMMITTED:
            assert set(before) <= set(after)


def step(
    name: str, commits: list[PlannedCommit], one: int, other: int, *, skipped: Sequence[str], data: st.DataObject
) -> list[PlannedCommit]:
    if name == "move":
        known = sorted({*skipped, *chain.from_iterable(held(commits))})
        hunks = data.draw(st.lists(st.sampled_from(known), max_size=6))
        return edits.move(commits, units(*hunks), other, skipped=units(*skipped), message="chore: new")
    if name == "split":
        hunks = list_ids(commits[one - 1].units) if 1 <= one <= len(commits) else []
        cut = data.draw(st.integers(0, len(hunks)))
        return edits.split(commits, one, [part("feat: x\n", *hunks[:cut]), part("feat: y\n", *hunks[cut:])])
    if name in ("set_message", "set_subject"):
        result: list[PlannedCommit] = getattr(edits, name)(commits, one, data.draw(st.text(max_size=5)))
        return result
    if name == "delete":
        return edits.delete(commits, one)
    if name == "merge":
        return edits.merge(commits, one, [other, *data.draw(st.lists(numbers, max_size=3))])
    return edits.reorder(commits, one, other)
