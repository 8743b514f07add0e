"""Which messages of old commits are kept."""

from smartcommit.message.header import Header
from smartcommit.message.rules import Rules
from smartcommit.rewrite.fitting import KeptMessage, find_kept_message, is_vague
from tests.support.table import rows

RULES = Rules()


@rows(
    "title",
    "wip", "WIP: parse dates", "[wip] parse dates", "tmp", "do not merge: parse dates",
    "fixup! feat: parse dates", "squash! x", "amend! x",
    "fix", "fix tests", "fix: lint", "chore: fmt", "fix typo", "update", "more", ".", "", "oops, again",
    "address review comments", "Address Bob's comments", "fix: address review feedback from Ada", "PR feedback",
    "Apply suggestions from code review", "[pre-commit.ci] auto fixes from pre-commit.com hooks",
    "ci: apply automated fixes", "Merge branch 'main' into dates", "Merge pull request #12 from ada/dates",
    "fix tests (#12)", "style: format code [skip ci]",
)  # fmt: skip
def test_what_says_nothing_is_vague(title: str) -> None:
    assert is_vague(title)
    assert find_kept_message(f"{title}\n", RULES) is None


@rows(
    "title",
    "feat: parse dates", "fix(cli): exit with 2 for a wrong date", "test: add tests for leap years",
    "docs: describe the review of a plan", "Update the comments of the parser", "Draft invoices from orders",
    "Review the plan before it is applied", "fix: merge overlapping ranges", "Format dates as ISO 8601",
)  # fmt: skip
def test_what_says_something_is_not_vague(title: str) -> None:
    assert not is_vague(title)


@rows(
    ("text", "kept"),
    ("feat: parse dates\n\nThey come from the form.\n\nCloses: #12\n", None),
    ("Feat : parse dates\n\nWhy.\n", "feat: parse dates\n\nWhy.\n"),
)
def test_a_message_is_kept_to_the_byte_but_for_what_is_certain(text: str, kept: str | None) -> None:
    assert find_kept_message(text, RULES) == KeptMessage(kept or text)


def test_a_sentence_without_a_type_gets_that_of_the_draft() -> None:
    kept = find_kept_message("Add a parser for dates\n\nWhy.\n", RULES)
    assert kept.lacks_type
    completed = kept.complete(Header("feat", "parse", scope="dates"), RULES)
    assert completed == "feat(dates): add a parser for dates\n\nWhy.\n"


@rows("text", "feat: parse dates\nwithout a blank line\n", "Add a parser\nwithout one\n", "fixx: parse dates\n")
def test_a_message_that_breaks_another_rule_is_replaced(text: str) -> None:
    assert find_kept_message(text, RULES) is None
