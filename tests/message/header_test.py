"""The header's form: what is one, and where a line stops being one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.message.checks import check_header
from smartcommit.message.header import Header, Scan, parse_header, parse_loose_header
from smartcommit.message.header_proposals import fix_header
from smartcommit.message.rules import Rules
from tests.support.table import rows

RULES = Rules()


@rows(
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


@rows(
    ("line", "header"),
    [
        ("Bug Fix:mend it", Header("Bug Fix", "mend it")),
        ("feat(oio::read)!:  x ", Header("feat", "x", scope="oio::read", breaking=True)),
        ("feat(): x", Header("feat", "x", scope="")),
        ("std::vector: x", None),
        ("feat(a(b)): x", None),
        ("feat: ", None),
        (": x", None),
    ],
)
def test_a_header_is_read_however_it_is_spelled(line: str, header: Header | None) -> None:
    assert parse_loose_header(line) == header


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
    ("feat(api: x", [("header-form", 9)], "feat(api): x", False),
    ("feat((", [("header-form", 6)], None, None),
    ("feat(): x", [("scope-form", 6)], "feat: x", True),
    ("feat(API): x", [("scope-case", 6)], "feat(api): x", True),
    ("feat(a b): x", [("scope-form", 7)], "feat(a-b): x", False),
    ("feat(-a): x", [("scope-form", 6)], "feat: x", False),
    ("feat(a,b): x", [("scope-form", 7)], "feat: x", False),
    ("feat(a/b): x", [("scope-form", 7)], "feat: x", False),
    ("Feat(api, CLI)!: x", [("type-case", 1), ("scope-form", 9)], "feat!: x", False),
    ("feat(PROJ-12): x", [("scope-case", 6)], "feat: x (PROJ-12)", False),
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


@rows(("line", "expected", "mended", "sure"), REFUSED, ids=[repr(row[0][:20]) for row in REFUSED])
def test_each_break_is_shown_at_its_character_with_its_correction(
    line: str, expected: list[tuple[str, int]], mended: str | None, sure: bool | None
) -> None:
    violations = check_header(line, RULES)
    assert [(violation.code, violation.column + 1) for violation in violations] == expected
    for violation in violations:
        assert violation.replacement == (None if mended is None else [mended])
        assert mended is None or violation.sure is sure


@rows(
    ("line", "proposed"),
    [
        (":sparkles: feat: add login", "feat: add login"), ("✨ feat(ui): add login", "feat(ui): add login"),
        ("fixes: the crash", "fix: the crash"), ("Fixed: the crash", "fix: the crash"), ("testing: x", "test: x"),
        ("doc: x", "docs: x"),
        ("[fix] the crash", "fix: the crash"), ("(fix): the crash", "fix: the crash"), ("[fix](a): b", "fix(a): b"),
        ("fix[api]: the crash", "fix(api): the crash"), ("fix(v1.x): the crash", "fix: the crash"),
        ("fix/api!: the crash", "fix(api)!: the crash"), ("fix((api)): the crash", "fix(api): the crash"),
        ("Fix - the crash", "fix: the crash"), ("fix — the crash", "fix: the crash"), ("fix; x", "fix: x"),
        ("ABC-12: fix: the crash", "fix: the crash (ABC-12)"), ("[ABC-12]fix: x", "fix: x (ABC-12)"),
        ("#12 fix: the crash", "fix: the crash (#12)"), ("fix(ABC-12): the crash", "fix: the crash (ABC-12)"),
        ("- fix: x", "fix: x"), ("'fix: x'", "fix: x"), ("**fix**: x", "fix: x"), ("WIP: fix: x", "fix: x"),
        ("fix(two words): x", "fix(two-words): x"), ("fix(a_b): x", "fix(a-b): x"), ("fix::x", "fix: x"),
        ("docs update the guide", "docs: update the guide"), ("chore update deps", "chore: update deps"),
        ("fix login redirect", "fix: login redirect"),
        ('Revert "feat: add login"', "revert: feat: add login"),
        (":sparkles: storm alerts", "feat: storm alerts"), ("🐛 crash on empty names", "fix: crash on empty names"),
        ("⚡️ Sped up the lexer", "perf: Sped up the lexer"), ("✨ Added alerts", "feat: add alerts"),
        (":bug: docs: the crash", "docs: the crash"),
        ("Ran prettier", "style: run prettier"), ("Formatted code with ruff", "style: format code with ruff"),
        ("apply gofmt to all files", "style: apply gofmt to all files"),
        ("Fixed trailing whitespace", "style: fix trailing whitespace"),
    ],
)  # fmt: skip
def test_a_type_is_known_in_every_form_that_people_write(line: str, proposed: str) -> None:
    found = fix_header(line, RULES)
    assert found is not None
    assert found[0] == proposed


GUESSED = [
    "feat", "feat:", "[fix]", ":bug:", "feat(core)(cli): x", "[api] fix: x", "core: x", "cli: x", "jest: x",
    "ui: x", "[fix!]: x", "improvement: x", "build fails on Windows", "style guide updated", "docs for the parser",
    "🐛", "💥 away with it", "📝 api: say more", "Run black in CI", "Use black", "Add prettier",
    "fix date formatting", "Merge branch 'x'", "https://x.example/y", "src/a.py: x", "UTF-8: x", "ABC-12",
]  # fmt: skip


@rows(
    ("line", "proposed"),
    [
        *[(line, None) for line in GUESSED],
        ("Initial commit", "chore: initial commit"), ("first commit.", "chore: first commit"),
        ("Initial commit of the parser", None), ("Fixes the login", "fix: fix the login"),
        ("Fixed the crash (#12)", "fix: fix the crash (#12)"), ("Fix #12", "fix: fix #12"),
        ("Refactored the parser", "refactor: refactor the parser"), ("Documented the API", "docs: document the API"),
        ("\u2728 Fixed the crash", "fix: fix the crash"), ("ABC-12 Fixed the crash", "fix: fix the crash (ABC-12)"),
        # What is edited says more than the verb, and the hook asks the drafter.
        ("fixed typo", None), ("Fix lint errors", None), ("Fixed the tests", None), ("Fix login and logout", None),
        ("Added a flag", None), ("Updated README", None), ("Removed dead code", None), ("v1.2.3", None),
        ("Add test mode to the runner", None), ("Tests added", None), ("Updates to the API", None),
    ],
)  # fmt: skip
def test_a_sentence_gets_a_type_only_if_its_verb_states_one(line: str, proposed: str | None) -> None:
    found = fix_header(line, RULES)
    assert (found and found[0]) == proposed


def test_a_line_that_no_summary_can_hold_is_not_taken_apart() -> None:
    for mark in ("\u2728", '"', "- ", "ABC-1 ", "("):
        assert fix_header(f"{mark * 200_000}feat: x", RULES) is None


def test_a_ticket_stays_out_of_the_header_where_it_has_a_line_of_its_own() -> None:
    assert fix_header("ABC-12: fix: x", Rules(ticket="^Refs: ABC-[0-9]+")) == ("fix: x", False)
    assert fix_header("ABC-12: fix: x", Rules(ticket="ABC-[0-9]+")) == ("fix: x (ABC-12)", False)


@rows(
    ("types", "line", "proposed"),
    [("feature bugfix", "fix: x", "bugfix: x"), ("feat tests", "test: x", "tests: x"),
     ("feat lint", "style: x", "lint: x"), ("feat fix", "test: x", None), ("docs wip", "doc: x", "docs: x")],
)  # fmt: skip
def test_the_word_of_the_project_is_proposed(types: str, line: str, proposed: str | None) -> None:
    found = fix_header(line, Rules(types=types.split()))
    assert (found and found[0]) == proposed


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


@rows(
    ("line", "mended"),
    [("feat: added a flag", "feat: add a flag"), ("fix: Stops the loop", None), ("fix: tests for x", None),
     ("fix: applies it", "fix: apply it"), ("fix: dropping it", "fix: drop it"), ("fix: made it", "fix: make it")],
)  # fmt: skip
def test_the_imperative_is_asked_for_where_a_project_wants_it(line: str, mended: str | None) -> None:
    assert check_header(line, RULES) == []
    violations = check_header(line, Rules(imperative=True))
    assert [v.replacement for v in violations] == ([] if mended is None else [[mended]])


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
