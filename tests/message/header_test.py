"""The header's form: what is one, and where a line stops being one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.message.checks import check_header, fix_header
from smartcommit.message.header import Header, Scan, parse_header
from smartcommit.message.rules import Rules

RULES = Rules()
ANY = Rules(types=("build", "chore", "ci", "docs", "feat", "fix", "new", "perf", "refactor", "test", "update"))


@pytest.mark.parametrize(
    ("line", "header"),
    [
        ("feat: x", Header("feat", "x")),
        ("fix(api-2)!: a: b (#3)", Header("fix", "a: b (#3)", scope="api-2", breaking=True)),
        ("feat: : : odd", Header("feat", ": : odd")),
        ("feat: 🚀 launch", Header("feat", "🚀 launch")),
        ("feat: trailing  ", Header("feat", "trailing")),
        ("chore(release): 1.2.3 [skip ci]", Header("chore", "1.2.3 [skip ci]", scope="release")),
    ],
)
def test_a_header_is_read_into_its_parts(line: str, header: Header) -> None:
    assert parse_header(line) == header
    assert check_header(line, RULES) == []


# (line, [(code, column from 1)], the corrected line, whether that is sure)
REFUSED = [
    ("", [("header-form", 1)], None, None),
    ("Added a flag", [("header-form", 1)], None, None),
    ("fx", [("header-form", 2)], None, None),
    ("feat", [("header-form", 5)], None, None),
    ("feat add a flag", [("header-form", 5)], "feat: add a flag", False),
    ("FEAT: x", [("type-case", 1)], "feat: x", True),
    ("fixx: x", [("type-unknown", 4)], "fix: x", False),
    ("faet: x", [("type-unknown", 2)], "feat: x", False),
    ("feature: x", [("type-unknown", 5)], "feat: x", False),
    ("wip: x", [("type-unknown", 1)], None, None),
    (": x", [("header-form", 1)], None, None),
    (" feat: x", [("header-form", 1)], "feat: x", True),
    ("feat : x", [("header-form", 5)], "feat: x", True),
    ("feat!(api): x", [("header-form", 6)], "feat(api)!: x", True),
    ("feat(api)(b): x", [("header-form", 10)], None, None),
    ("feat(api: x", [("header-form", 9)], None, None),
    ("feat((", [("header-form", 6)], None, None),
    ("feat(): x", [("scope-form", 6)], "feat: x", True),
    ("feat(API): x", [("scope-case", 6)], "feat(api): x", True),
    ("feat(a b): x", [("scope-form", 7)], None, None),
    ("feat(-a): x", [("scope-form", 6)], None, None),
    ("feat(a,b): x", [("scope-form", 7)], None, None),
    ("feat:x", [("header-space", 6)], "feat: x", True),
    ("feat:  x", [("header-space", 6)], "feat: x", True),
    ("feat:\tx", [("header-space", 6)], "feat: x", True),
    ("feat:\xa0x", [("header-space", 6)], "feat: x", True),
    ("feat:", [("summary-empty", 6)], None, None),
    ("feat(api)!: ", [("summary-empty", 13)], None, None),
    ("feat: " + "x" * 121, [("summary-length", 127)], None, None),
    ("Feat(API):x", [("type-case", 1), ("scope-case", 6), ("header-space", 11)], "feat(api): x", True),
    ("fеat: cyrillic", [("type-unknown", 2)], "feat: cyrillic", False),
]


@pytest.mark.parametrize(("line", "expected", "mended", "sure"), REFUSED, ids=[repr(row[0][:20]) for row in REFUSED])
def test_each_break_is_shown_at_its_character_with_its_correction(
    line: str, expected: list[tuple[str, int]], mended: str | None, sure: bool | None
) -> None:
    violations = check_header(line, RULES)
    assert [(violation.code, violation.column + 1) for violation in violations] == expected
    for violation in violations:
        assert violation.replacement == (None if mended is None else [mended])
        assert mended is None or violation.sure is sure


def test_120_code_points_are_the_limit() -> None:
    assert check_header("feat: " + "é" * 120, RULES) == []
    assert [v.code for v in check_header("feat: " + "é" * 121, RULES)] == ["summary-length"]
    assert check_header("feat: " + "é" * 121, Rules(summary_limit=121)) == []


def test_a_project_lists_its_types_and_scopes() -> None:
    rules = Rules(types=("perf", "fix"), scopes=("api", "cli"))
    assert check_header("perf(api): x", rules) == []
    assert [v.code for v in check_header("feat(api): x", rules)] == ["type-unknown"]
    (violation,) = check_header("fix(web): x", rules)
    assert (violation.code, violation.expected) == ("scope-unknown", "api, cli")


@pytest.mark.parametrize(
    ("line", "mended"),
    [("feat: added a flag", "feat: add a flag"), ("fix: Stops the loop", None), ("fix: tests for x", None),
     ("fix: applies it", "fix: apply it"), ("fix: dropping it", "fix: drop it"), ("fix: made it", "fix: make it")],
)  # fmt: skip
def test_the_imperative_is_asked_for_where_a_project_wants_it(line: str, mended: str | None) -> None:
    assert check_header(line, RULES) == []
    violations = check_header(line, Rules(imperative=True))
    assert [v.replacement for v in violations] == ([] if mended is None else [[mended]])


# Samples of the columns that parsers of Conventional Commits report, counted from 0.
@pytest.mark.parametrize(
    ("line", "column"),
    [("fea", 3), ("feat?", 4), ("fix(scope)", 10), ("fix!:a", 5), ("fix(scope)!:", 12), ("chore((", 6),
     ("docs(az)(", 8), ("refac", 5), ("build?", 5), ("fei", 2), ("ci(scope)!:  ", 13)],
)  # fmt: skip
def test_the_column_is_where_other_parsers_stop_too(line: str, column: int) -> None:
    assert next(violation.column for violation in check_header(line, ANY)) == column


@given(st.text(alphabet="featix()!: \tA-é\u200b", max_size=14))
def test_a_line_is_a_header_exactly_when_no_rule_is_broken(line: str) -> None:
    header = parse_header(line)
    good = header is not None and header.type in RULES.types
    assert good == (check_header(line, RULES) == [])


@given(st.text(alphabet="feat fixFEAT()!:  abcAPI-", max_size=24))
def test_a_proposed_header_always_passes(line: str) -> None:
    proposal = fix_header(line, RULES)
    if proposal is not None:
        assert check_header(proposal[0], RULES) == []


@given(st.text(max_size=40))
def test_a_scan_never_fails_and_points_into_the_line(line: str) -> None:
    scan = Scan(line)
    assert 0 <= scan.summary <= len(line)
    assert scan.misplaced is None or 0 <= scan.misplaced <= len(line)
