"""Scores against cases that can be counted by hand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

import pytest

from smartcommit.bench.history import Line
from smartcommit.bench.replay import DraftScore, average, edit_distance, score_draft, score_split
from smartcommit.message.header import Header


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [("", "", 0), ("abc", "abc", 0), ("", "ab", 1), ("kitten", "sitting", 3 / 7), ("ab", "ba", 1)],
)
def test_edit_distance_is_a_share_of_the_longer_text(first: str, second: str, distance: float) -> None:
    assert edit_distance(first, second) == pytest.approx(distance)
    assert edit_distance(second, first) == pytest.approx(distance)


def test_drafts_are_scored_part_by_part() -> None:
    recorded = Header("fix", "abcd", scope="x")
    scores = [
        replace(score_draft("name", recorded, recorded, valid=True), seconds=1),
        replace(score_draft("name", recorded, Header("feat", "abcd"), valid=True), seconds=3),
        replace(score_draft("name", recorded, None, valid=False), seconds=2),
    ]
    assert average(scores[:2]).seconds == 2
    assert average([replace(score, seconds=None) for score in scores]).seconds is None
    # `fix(x): abcd` is 12 characters, of which `feat: abcd` has 7 in order.
    assert average(scores) == DraftScore(
        "name", pytest.approx(1 / 3), pytest.approx(1 / 3), pytest.approx((0 + 5 / 12 + 1) / 3), pytest.approx(2 / 3), 2
    )


def scored(lines: Mapping[Line, int], groups: Mapping[Line, Hashable]) -> tuple[float, float]:
    score = score_split("name", lines, groups)
    return score.balanced, score.exact


def test_a_split_is_exact_if_its_groups_are_the_commits() -> None:
    lines = {(b"a", "+", 1): 0, (b"a", "+", 2): 0, (b"b", "+", 1): 1}
    assert scored(lines, {line: f"group {commit}" for line, commit in lines.items()}) == (1.0, True)
    assert scored(lines, dict.fromkeys(lines, 0)) == (0.5, False)
    assert scored(lines, {}) == (0.0, False)


def test_groups_are_matched_so_that_the_score_is_largest() -> None:
    # Taking the best group of each commit in turn would give group 0 to commit 0.
    lines = {(b"a", "+", number): int(number > 10) for number in range(1, 16)}
    groups = {(b"a", "+", number): int(6 < number <= 10) for number in range(1, 16)}
    balanced, exact = scored(lines, groups)
    assert (balanced, exact) == (pytest.approx((4 / 10 + 1) / 2), False)


def test_a_commit_in_two_groups_is_not_exact() -> None:
    lines = {(b"a", "+", 1): 0, (b"a", "+", 2): 0, (b"b", "+", 1): 1}
    assert scored(lines, {line: line for line in lines}) == (0.75, False)
