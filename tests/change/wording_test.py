"""Safe names, instructions and texts that fit."""

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change.wording import choose_fitting, imperative, make_printable, split_name, vary
from tests.support.table import rows


@rows(
    ("title", "expected"),
    ("should reject an empty host", "reject an empty host"),
    ("rejects an empty host", "reject an empty host"),
    ("Rejected hosts without a name (#12).", "reject hosts without a name"),
    ("does not throw on null", "do not throw on null"),
    ("should not throw on null", "do not throw on null"),
    ("Added [a thing](https://x.example/1) for it", "add a thing for it"),
    ("stopped reading at once", "stop reading at once"),
    ("retries failed calls", "retry failed calls"),
    ("an empty host", None),
    ("fixes", None),
    ("should", None),
    ("", None),
)
def test_a_title_becomes_an_instruction(title: str, expected: str | None) -> None:
    assert imperative(title) == expected


@rows(
    ("name", "expected"),
    ("test_rejects_empty_host", "reject empty host"),
    ("TestRejectsEmptyHost", "reject empty host"),
    ("test_run_some", None),
)
def test_a_tests_name_is_read_where_it_says_what_holds(name: str, expected: str | None) -> None:
    assert imperative(split_name(name), base=False) == expected


@given(st.text(max_size=200), st.integers(10, 60))
def test_safe_text_is_short_and_one_line(text: str, limit: int) -> None:
    shown = make_printable(text, limit)
    assert 0 < len(shown) <= max(limit, len("a blank name"))
    assert "\n" not in shown


@given(
    st.lists(st.text("ab ", min_size=1, max_size=30).map(lambda text: text.strip() or "a"), min_size=1),
    st.integers(1, 40),
)
def test_the_chosen_text_fits(candidates: list[str], limit: int) -> None:
    chosen = choose_fitting(candidates, 10, limit)
    assert 0 < len(chosen) <= limit
    assert chosen == chosen.strip()


def test_an_earlier_text_that_fits_well_is_taken_before_a_later_one() -> None:
    assert choose_fitting(["a" * 80, "b" * 40, "c"], 50, 100) == "b" * 40
    assert choose_fitting(["a" * 80, "b" * 90], 50, 100) == "a" * 80
    assert choose_fitting(["add one and two"], 5, 9) == "add one"


@rows(
    ("summary", "kind", "expected"),
    ("fix crash on empty lists", "fix", "prevent crash on empty lists"),
    ("fix a memory leak", "fix", "prevent a memory leak"),
    ("fix hosts being sorted twice", "fix", "prevent hosts being sorted twice"),
    ("Fix rounding of totals", "fix", "Correct rounding of totals"),
    ("fixture files get a path", "fix", "fixture files get a path"),
    ("fix-up commits are read", "fix", "fix-up commits are read"),
    ("fix rounding of totals", "chore", "fix rounding of totals"),
    ("refactor store", "refactor", "rework store"),
    ("update CI", "ci", "update the pipeline"),
    ("update CI.yml", "ci", "update CI.yml"),
)
def test_a_summary_does_not_repeat_its_type(summary: str, kind: str, expected: str) -> None:
    assert vary(summary, kind) == expected
