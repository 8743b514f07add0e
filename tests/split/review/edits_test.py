"""The operations of a review: what each makes of the commits, what is refused, and that no hunk is lost or doubled."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.errors import SplitError
from smartcommit.split.plan import CommitDict
from smartcommit.split.review import edits
from smartcommit.split.review.edits import NEW, UNCOMMITTED

COMMITS: list[CommitDict] = [
    {"message": "feat: add one\n\n- first\n", "hunks": ["a::1", "a::2"]},
    {"message": "fix: mend two\n", "hunks": ["b::1"]},
    {"message": "docs: tell three\n", "hunks": ["c::1", "c::2", "c::3"]},
]


def held(commits: Sequence[CommitDict]) -> list[list[str]]:
    return [commit["hunks"] for commit in commits]


def subjects(commits: Sequence[CommitDict]) -> list[str]:
    return [commit["message"].split("\n")[0] for commit in commits]


def part(message: str, *hunks: str) -> CommitDict:
    return {"message": message, "hunks": list(hunks)}


DONE: dict[str, tuple[Callable[[], list[CommitDict]], list[list[str]]]] = {
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
        lambda: edits.move(COMMITS, ["a::2", "c::1"], 2),
        [["a::1"], ["b::1", "a::2", "c::1"], ["c::2", "c::3"]],
    ),
    "move to a new commit": (
        lambda: edits.move(COMMITS, ["c::2"], NEW, message="chore: more"),
        [["a::1", "a::2"], ["b::1"], ["c::1", "c::3"], ["c::2"]],
    ),
    "move out of all commits": (
        lambda: edits.move(COMMITS, ["c::2"], UNCOMMITTED),
        [["a::1", "a::2"], ["b::1"], ["c::1", "c::3"]],
    ),
    "move back into a commit": (
        lambda: edits.move(COMMITS, ["d::1"], 2, skipped=["d::1", "d::2"]),
        [["a::1", "a::2"], ["b::1", "d::1"], ["c::1", "c::2", "c::3"]],
    ),
    "move the last hunk of a commit": (
        lambda: edits.move(COMMITS, ["b::1"], 3),
        [["a::1", "a::2"], ["c::1", "c::2", "c::3", "b::1"]],
    ),
    "move the last hunks of two commits to a new one": (
        lambda: edits.move(COMMITS, ["b::1", "a::2", "a::1"], NEW, message="chore: more"),
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
    "no commit -2": (lambda: edits.move(COMMITS, ["a::1"], -2), "no commit -2"),
    "the only commit": (lambda: edits.delete(COMMITS[:1], 1), "only commit"),
    "with itself": (lambda: edits.merge(COMMITS, 2, [1, 2]), "itself"),
    "with nothing": (lambda: edits.merge(COMMITS, 2, []), "no commit to merge"),
    "an unknown hunk": (lambda: edits.move(COMMITS, ["z::1"], 1), "'z::1' is not part"),
    "where it is": (lambda: edits.move(COMMITS, ["a::1"], 1), "already in that commit"),
    "uncommitted already": (
        lambda: edits.move(COMMITS, ["z::1"], UNCOMMITTED, skipped=["z::1"]),
        "already in that commit",
    ),
    "no hunk": (lambda: edits.move(COMMITS, [], 1), "no hunk"),
    "every hunk": (lambda: edits.move(COMMITS[1:2], ["b::1"], UNCOMMITTED), "cannot skip every hunk"),
    "a new commit without a message": (lambda: edits.move(COMMITS, ["a::1"], NEW), "needs a message"),
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
    assert edits.set_subject(COMMITS, 1, " feat: add another ")[0]["message"] == "feat: add another\n\n- first\n"
    assert edits.set_subject(COMMITS, 2, "fix: mend it")[1]["message"] == "fix: mend it\n"


def test_a_message_ends_in_one_newline() -> None:
    assert edits.set_message(COMMITS, 2, "fix: it\n\nWhy.\n\n\n")[1]["message"] == "fix: it\n\nWhy.\n"


plans = st.lists(st.integers(1, 4), min_size=1, max_size=6).map(
    lambda sizes: [
        {"message": f"feat: commit {n}\n", "hunks": [f"{n}::{k}" for k in range(size)]} for n, size in enumerate(sizes)
    ]
)
numbers = st.integers(-2, 7)
OPERATIONS = ("merge", "delete", "move", "split", "reorder", "set_message", "set_subject")


@given(plans, st.lists(st.tuples(st.sampled_from(OPERATIONS), numbers, numbers, st.data()), max_size=8))
def test_no_operation_loses_or_doubles_a_hunk(
    commits: list[CommitDict], steps: Sequence[tuple[str, int, int, st.DataObject]]
) -> None:
    everything = {hunk for commit in commits for hunk in commit["hunks"]}
    for name, one, other, data in steps:
        before = [hunk for commit in commits for hunk in commit["hunks"]]
        skipped = sorted(everything - set(before))
        try:
            commits = step(name, commits, one, other, skipped=skipped, data=data)
        except SplitError:
            continue
        after = Counter(hunk for commit in commits for hunk in commit["hunks"])
        assert set(after) <= everything
        assert set(after.values()) <= {1}
        assert commits
        assert all(commit["hunks"] and commit["message"].strip() for commit in commits)
        if name not in ("delete", "move"):
            assert sorted(after) == sorted(before)
        elif name == "move" and other != UNCOMMITTED:
            assert set(before) <= set(after)


def step(
    name: str, commits: list[CommitDict], one: int, other: int, *, skipped: Sequence[str], data: st.DataObject
) -> list[CommitDict]:
    if name == "move":
        known = sorted({*skipped, *(hunk for commit in commits for hunk in commit["hunks"])})
        hunks = data.draw(st.lists(st.sampled_from(known), max_size=6))
        return edits.move(commits, hunks, other, skipped=skipped, message="chore: new")
    if name == "split":
        hunks = commits[one - 1]["hunks"] if 1 <= one <= len(commits) else []
        cut = data.draw(st.integers(0, len(hunks)))
        return edits.split(commits, one, [part("feat: x\n", *hunks[:cut]), part("feat: y\n", *hunks[cut:])])
    if name in ("set_message", "set_subject"):
        result: list[CommitDict] = getattr(edits, name)(commits, one, data.draw(st.text(max_size=5)))
        return result
    if name == "delete":
        return edits.delete(commits, one)
    if name == "merge":
        return edits.merge(commits, one, [other, *data.draw(st.lists(numbers, max_size=3))])
    return edits.reorder(commits, one, other)
