"""Untrusted patterns: which of them are refused before git sees them."""

import pytest

from smartcommit.errors import ConfigError, GitError
from smartcommit.git.grep import check_pattern, matches
from tests.support.table import rows


@rows(
    "pattern",
    "", "(", ")", "{", "a{", "a{,}", "a{x}", "a{1007}", "{1008}", ".{0,200}[0-9]{4}-[0-9]{2}", r"a\{99\}{99}",
    "[{9}]{99}", "[{999}a{999}]",
    "[]({9]{99}", "([A-Z]{2,10}-[0-9]{1,7}, ){1,9}", "(a{1,9}){1,99}", "x" * 5000,
)  # fmt: skip
def test_patterns_with_few_repetitions_pass(pattern: str) -> None:
    check_pattern(pattern)


@rows(
    "pattern",
    "a{1008}", "a{1,5000}", "a{,5000}", "a{5000,}", "(a{1,99}){1,99}", "((a{99})*){99}", "a{99}{99}", "(){30000}",
    "((){1,30000}){1,30000}", "(ab|c){999}",
    "((((a{1,99}){1,99}){1,99}){1,99})", r"(\(a{1,99}){99}", "([[:alpha:]]{1,99}){1,99}",
)  # fmt: skip
def test_patterns_whose_repetitions_multiply_are_refused(pattern: str) -> None:
    with pytest.raises(GitError, match="its repetitions expand to more than 1000 copies"):
        check_pattern(pattern)


def test_a_ticket_pattern_is_searched_line_by_line() -> None:
    assert matches("^Refs: ZOO-[0-9]+$", "feat: x\n\nRefs: ZOO-7\n")
    assert not matches("^ZOO", "feat: x\n\nRefs: ZOO-7\n")
    with pytest.raises(ConfigError, match="its repetitions expand to more than"):
        matches("((((a{1,99}){1,99}){1,99}){1,99})", "feat: x\n")
