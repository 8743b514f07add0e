"""Commits that share a hunk become one: by the hunks alone, whatever their messages say."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import Unit
from smartcommit.message.rules import Rules
from smartcommit.split.messages import join_by_strength, join_messages, merge_overlapping, part_overlapping
from smartcommit.split.plan import PlannedCommit, list_ids, list_units
from tests.support.table import rows

FILE = FileChange(
    status="M", path=b"a", old_path=None, old_mode="100644", new_mode="100644", old_id="0" * 40, new_id="1" * 40
)


def entry(message: str, *hunks: str) -> PlannedCommit:
    units = [Unit(hunk, "text", FILE, (), hunk) for hunk in hunks]
    return PlannedCommit(f"{message}\n", tuple(units))


def worded(messages: Sequence[str]) -> str:
    return join_by_strength(messages, Rules())


CASES = [
    ([], []),
    ([("a", "1"), ("b", "2")], [["1"], ["2"]]),
    ([("a", "1"), ("b", "2"), ("c", "1")], [["1"], ["2"]]),
    ([("a", "1", "2"), ("b", "2", "3")], [["1", "2", "3"]]),
    ([("a", "1"), ("b", "2"), ("c", "2", "1")], [["1", "2"]]),
    ([("a", "1", "2"), ("b", "9"), ("c", "2", "3"), ("d", "3", "4")], [["1", "2", "3", "4"], ["9"]]),
]


def test_those_that_share_a_hunk_become_one_at_the_place_of_the_first() -> None:
    for commits, expected in CASES:
        merged = merge_overlapping([entry(*commit) for commit in commits], worded)
        assert [list_ids(commit.units) for commit in merged] == expected


def test_one_that_overlaps_several_leaves_them_what_they_share() -> None:
    whole = entry("all", "1", "2", "3")
    assert part_overlapping([entry("a", "1"), entry("b", "2", "9"), whole]) == [
        entry("a", "1"), entry("b", "2", "9"), entry("all", "3"),
    ]  # fmt: skip
    assert part_overlapping([entry("all", "1", "2"), entry("a", "1"), entry("b", "2")]) == [
        entry("a", "1"),
        entry("b", "2"),
    ]
    assert part_overlapping([entry("a", "1"), whole]) == [entry("a", "1"), whole]


def test_the_subjects_of_the_others_are_points() -> None:
    merged = merge_overlapping([entry("feat: add a\n\nWhy.", "1"), entry("fix(x): mend b", "1", "2")], worded)
    assert merged == [entry("feat: add a\n\nWhy.\n\n- mend b", "1", "2")]


@given(st.lists(st.lists(st.integers(0, 9).map(str), min_size=1, max_size=4, unique=True), max_size=8))
def test_no_hunk_is_lost_and_none_is_in_two_commits(groups: list[list[str]]) -> None:
    merged = merge_overlapping(part_overlapping([entry("feat: x", *group) for group in groups]), worded)
    hunks = list_ids(list_units(merged))
    assert len(hunks) == len(set(hunks))
    assert set(hunks) == {hunk for group in groups for hunk in group}


WORDED = [
    (["docs: tell of a\n", "feat: add a\n"], Rules(), "feat: add a\n\n- tell of a\n"),
    (["feat: add a\n", "fix(x)!: drop b\n\nBREAKING CHANGE: use a\n"], Rules(),
     "fix(x)!: drop b\n\n- add a\n\nBREAKING CHANGE: use a\n"),
    (["feat: add a\n", "feat: add a very long thing\n"], Rules(line_limit=20, levels={"line-length": "error"}),
     "feat: add a\n"),
]  # fmt: skip


@rows(("messages", "rules", "text"), WORDED)
def test_the_strongest_type_leads_and_the_rules_have_the_last_word(
    messages: list[str], rules: Rules, text: str
) -> None:
    assert join_by_strength(messages, rules) == text


JOINED = [
    ("feat: a\n", "fix: b\n", "feat: a\n\n- b\n"),
    ("feat: a\n\nWhy a.\n", "fix: b\n\nWhy b.\n", "feat: a\n\nWhy a.\n\n- b\n\nWhy b.\n"),
    ("feat: a\n\nWhy.\n\n- a\n- b\n", "fix: c\n\n- d\n\nWhy.\n", "feat: a\n\nWhy.\n\n- a\n- b\n- c\n- d\n\nWhy.\n"),
    ("feat: a\n\n- b\n  and more\n", "fix: c\n", "feat: a\n\n- b\n  and more\n- c\n"),
    ("feat: a\n\nSame.\n", "fix: b\n\nSame.\n", "feat: a\n\nSame.\n\n- b\n"),
    ("feat: a\n", "fix: A\n\nWhy.\n", "feat: a\n\nWhy.\n"),
    ("feat: a\n\n- b\n", "fix: B\n", "feat: a\n\n- b\n"),
    ("feat: a\n", "no header\n\nWhy.\n", "feat: a\n\n- no header\n\nWhy.\n"),
    ("feat: a\n", "fix: [ ] b\n", "feat: a\n\n- [ ] b\n"),
    ("feat: a\n", "fix(x)!: b\n", "feat!: a\n\n- b\n"),
    ("feat: a\n\nWhy.\n\nRefs: 1\nSigned-off-by: A <a@b>\n", "fix: b\n\nRefs: 2\nSigned-off-by: A <a@b>\n",
        "feat: a\n\nWhy.\n\n- b\n\nRefs: 1\nSigned-off-by: A <a@b>\nRefs: 2\n"),
    ("feat!: a\n\nBREAKING CHANGE: x is gone\n", "fix!: b\n\nBREAKING CHANGE: y is gone\n",
        "feat!: a\n\n- b\n\nBREAKING CHANGE: x is gone; y is gone\n"),
    ("feat: a\n\nConstraints:\n- Never: do x\n", "fix: b\n\nConstraints:\n- Never: do y\n",
        "feat: a\n\n- b\n\nConstraints:\n- Never: do x\n- Never: do y\n"),
    ("no header at all\n", "fix: b\n\nWhy.\n", "no header at all\n"),
    ("feat: a\n\nWhy a.\n", "fix: b\n\n#7 is why.\n", "feat: a\n\nWhy a.\n\n- b\n"),
]  # fmt: skip


@rows(("first", "second", "joined"), JOINED)
def test_a_merged_message_says_what_both_said_under_the_first_subject(first: str, second: str, joined: str) -> None:
    assert join_messages([first, second], Rules()) == joined
