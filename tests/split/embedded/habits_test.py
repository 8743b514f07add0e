"""What the history says of two files."""

from __future__ import annotations

from smartcommit.change.history import past_commit
from smartcommit.split.embedded.similarity import UNKNOWN, Habits

PATHS = frozenset([b"a.py", b"a_test.py", b"b.py"])


OTHERS = ((b"x.py", b"y.py"),) * 20


def habits_of(*commits: tuple[bytes, ...]) -> Habits:
    return Habits([past_commit(b"feat: x", paths) for paths in commits], PATHS)


def test_files_that_were_changed_together_share_more() -> None:
    pairs = ((b"a.py", b"a_test.py"), (b"a.py", b"a_test.py"), (b"b.py", b"c.py"), (b"b.py", b"c.py"))
    habits = habits_of(*pairs, *OTHERS)
    pair, others = habits.features(b"a.py", b"a_test.py"), habits.features(b"a.py", b"b.py")
    assert pair["together"] > others["together"]
    assert (pair["never_together"], others["never_together"]) == (0, 1)
    assert pair["history"] == others["history"] == 1


def test_a_commit_of_one_file_or_of_very_many_says_nothing() -> None:
    large = (b"a.py", b"b.py", *(b"%d.py" % number for number in range(40)))
    known = habits_of(*OTHERS).features(b"a.py", b"b.py")
    assert habits_of((b"a.py",), large, *OTHERS).features(b"a.py", b"b.py") == known


def test_the_first_commits_of_a_project_are_no_habits() -> None:
    habits = habits_of((b"a.py", b"b.py"), *OTHERS[:18])
    assert habits.features(b"a.py", b"b.py") == UNKNOWN.features(b"a.py", b"b.py")


def test_without_a_history_nothing_is_known() -> None:
    assert set(UNKNOWN.features(b"a.py", b"b.py").values()) == {0.0}
