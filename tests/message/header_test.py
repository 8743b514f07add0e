"""Headers and their parts: what is one, what a project can ask of it, and what is proposed where it breaks a rule."""

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.config import Settings, make_rules
from smartcommit.message.checks import check, check_header
from smartcommit.message.header import Header, Scan, parse_header, parse_loose_header
from smartcommit.message.header_proposals import adapt_summary, find_release, fix_header
from smartcommit.message.parse import parse
from smartcommit.message.rules import OFF, Rules, fill_message, find_type_of_kind
from tests.support.table import rows

RULES = Rules()


def rules_with(policy: str) -> Rules:
    """The rules of a policy, as `name = value; name = value`."""
    entries = []
    for line in policy.split(";"):
        name, _, value = line.partition("=")
        entries.append((f"smartcommit.{name.strip().lower()}", value.strip()))
    return make_rules(Settings(policy=entries, environment={}))


@rows(
    ("line", "header"),
    ("feat: x", Header("feat", "x")),
    ("fix(api-2)!: a: b (#3)", Header("fix", "a: b (#3)", scope="api-2", breaking=True)),
    ("feat: : : odd", Header("feat", ": : odd")),
    ("feat: trailing  ", Header("feat", "trailing")),
)
def test_a_header_is_read_into_its_parts(line: str, header: Header) -> None:
    assert parse_header(line) == header
    assert check_header(line, RULES) == []


@rows(
    ("line", "header"),
    ("Bug Fix:mend it", Header("Bug Fix", "mend it")),
    ("feat(oio::read)!:  x ", Header("feat", "x", scope="oio::read", breaking=True)),
    ("feat(): x", Header("feat", "x", scope="")),
    ("std::vector: x", None),
    ("feat(a(b)): x", None),
    ("feat: ", None),
    (": x", None),
)
def test_a_header_is_read_however_it_is_spelled(line: str, header: Header | None) -> None:
    assert parse_loose_header(line) == header


JIRA = "headerForm = {type}({scope}): Jira {ticket} {summary}"
# (policy, line, [(code, column from 1)], the corrected line, whether that is sure)
JUDGED = [
    ("", "", [("header-form", 1)], None, None),
    ("", "Added a flag", [("header-form", 1)], None, None),
    ("", "fx", [("header-form", 2)], None, None),
    ("", "feat", [("header-form", 5)], None, None),
    ("", "feat add a flag", [("header-form", 5)], "feat: add a flag", False),
    ("", "FEAT: x", [("type-case", 1)], "feat: x", True),
    ("", "fixx: x", [("type-unknown", 4)], "fix: x", False),
    ("", "faet: x", [("type-unknown", 2)], "feat: x", False),
    ("", "wip: x", [("type-unknown", 1)], None, None),
    ("", ": x", [("header-form", 1)], None, None),
    ("", " feat: x", [("header-form", 1)], "feat: x", True),
    ("", "feat : x", [("header-form", 5)], "feat: x", True),
    ("", "feat!(api): x", [("header-form", 6)], "feat(api)!: x", True),
    ("", "feat(api)(b): x", [("header-form", 10)], None, None),
    ("", "feat(api: x", [("header-form", 9)], "feat(api): x", False),
    ("", "feat((", [("header-form", 6)], None, None),
    ("", "feat(): x", [("scope-form", 6)], "feat: x", True),
    ("", "feat(API): x", [("scope-case", 6)], "feat(api): x", True),
    ("", "feat(a b): x", [("scope-form", 7)], "feat(a-b): x", False),
    ("", "feat(-a): x", [("scope-form", 6)], "feat: x", False),
    ("", "feat(a,b): x", [("scope-form", 7)], "feat: x", False),
    ("", "Feat(api, CLI)!: x", [("type-case", 1), ("scope-form", 9)], "feat!: x", False),
    ("", "feat(PROJ-12): x", [("scope-case", 6)], "feat: x (PROJ-12)", False),
    ("", "feat:x", [("header-space", 6)], "feat: x", True),
    ("", "feat:\tx", [("header-space", 6)], "feat: x", True),
    ("", "feat:", [("summary-empty", 6)], None, None),
    ("", "feat(api)!: ", [("summary-empty", 13)], None, None),
    ("", "feat: " + "é" * 120, [], None, None),
    ("", "feat: " + "é" * 121, [("summary-length", 127)], None, None),
    ("summaryLimit = 121", "feat: " + "é" * 121, [], None, None),
    ("", "Feat(API):x", [("type-case", 1), ("scope-case", 6), ("header-space", 11)], "feat(api): x", True),
    ("", "fеat: cyrillic", [("type-unknown", 2)], "feat: cyrillic", False),
    ("", r"feat: x\nCloses: #1", [("line-break", 8)], None, None),
    ("", r"feat: x\n- one\n- two", [("line-break", 8)], None, None),
    ("", r"fix: escape a trailing \n", [], None, None),
    ("", r"fix: read \n in names as C:\new", [], None, None),
    ("types = perf fix; scopes = api cli", "perf(api): x", [], None, None),
    ("types = perf fix; scopes = api cli", "feat(api): x", [("type-unknown", 2)], None, None),
    ("types = perf fix; scopes = api cli", "fix(web): x", [("scope-unknown", 5)], None, None),
    ("imperative = true", "feat: added a flag", [("summary-imperative", 7)], "feat: add a flag", True),
    ("imperative = true", "fix: Stops the loop", [], None, None),
    ("imperative = true", "fix: tests for x", [], None, None),
    ("imperative = true", "fix: applies it", [("summary-imperative", 6)], "fix: apply it", True),
    ("imperative = true", "fix: dropping it", [("summary-imperative", 6)], "fix: drop it", True),
    # The words of the form before the summary are none of it.
    (f"imperative = true; {JIRA}", "fix: Jira AB-1 made it", [("summary-imperative", 16)], None, None),
    (f"imperative = true; {JIRA}", "fix: [x] made it", [("summary-imperative", 10)], None, None),
    (f"imperative = true; {JIRA}", "fix: made it", [("summary-imperative", 6)], "fix: make it", True),
    ("summaryCase = lower-first", "feat: Add it", [("summary-case", 7)], "feat: add it", True),
    ("summaryCase = lower-first", "feat: Java runs", [("summary-case", 7)], "feat: java runs", False),
    ("summaryCase = lower-first", "feat: API keys", [("summary-case", 7)], None, None),
    ("summaryCase = lower-first", "feat: `Cart` is new", [], None, None),
    ("summaryCase = upper-first", "feat: add it", [("summary-case", 7)], "feat: Add it", True),
    ("summaryCase = upper-first", "feat: npm runs", [("summary-case", 7)], "feat: Npm runs", False),
    ("summaryCase = upper-first", "feat: Äpfel", [], None, None),
    ("summaryCase = lower-case", "feat: add the API", [("summary-case", 15)], "feat: add the api", False),
    ("summaryCase = lower-case", "feat: add `API` and it's", [], None, None),
    ("summaryCase = lower-case", "feat: 日本語 API", [], None, None),
    ("fullStop = forbid", "feat: add it.", [("summary-stop", 13)], "feat: add it", True),
    ("fullStop = forbid", "feat: add it...", [], None, None),
    ("fullStop = forbid", "add it.", [("header-form", 1), ("summary-stop", 7)], None, None),
    ("fullStop = require", "feat: add it", [("summary-stop", 13)], "feat: add it.", True),
    ("fullStop = require", "feat: add it.", [], None, None),
    ("headerLimit = 20", "feat(api): add it to", [], None, None),
    ("headerLimit = 20", "feat(api): add it to x", [("header-length", 21)], None, None),
    ("headerLimit = 200", "feat: " + "x" * 194, [], None, None),
    ("headerLimit = 200; summaryLimit = 50", "feat: " + "x" * 51, [("summary-length", 57)], None, None),
    ("scope = require", "feat: add it", [("scope-missing", 5)], None, None),
    ("scope = require", "feat(): add it", [("scope-missing", 5)], None, None),
    ("scope = require", "Feat(api): add it", [("type-case", 1)], "feat(api): add it", True),
    ("scope = forbid", "feat(api): add it", [("scope-forbidden", 5)], "feat: add it", False),
    ("scopes = API my_scope", "feat(my_scope): add it", [], None, None),
    ("scopes = API my_scope", "Feat(API): add it", [("type-case", 1)], "feat(API): add it", True),
    ("scopes = API my_scope", "feat(my-scope): add it", [("scope-unknown", 6)], "feat(my_scope): add it", True),
    ("scopes = api web; off = scope-form scope-case", "feat(api,web): x", [], None, None),
    ("scopes = api web; off = scope-form scope-case", "feat(API): x", [("scope-unknown", 6)], "feat(api): x", True),
    ("scopes = api; off = scope-form", "feat(api/db): x", [("scope-unknown", 10)], None, None),
    ("scopeForm = comma", "feat(api, cli): x", [], None, None),
    ("scopeForm = comma", "feat(api,CLI): x", [("scope-case", 10)], "feat(api,cli): x", True),
    ("scopeForm = comma", "feat(api/cli): x", [("scope-form", 9)], "feat: x", False),
    ("scopeForm = slash", "feat(api/cli): x", [], None, None),
    ("scopeForm = comma slash", "Feat(api/db,cli): x", [("type-case", 1)], "feat(api/db,cli): x", True),
    ("scopeForm = word", "Feat(PROJ-123): x", [("type-case", 1)], "feat(PROJ-123): x", True),
    ("scopeForm = word", "feat(v1.2_x): x", [], None, None),
    ("scopeForm = word", "feat(two words): x", [("scope-form", 9)], "feat(two-words): x", False),
    ("scopeForm = word,comma; scopes = API cli", "feat(API,cli): x", [], None, None),
    ("scopeForm = word,comma; scopes = API cli", "feat(API,web): x", [("scope-unknown", 10)], None, None),
    ("scopeForm = comma; scopes = API cli", "feat(api,cli): x", [("scope-unknown", 6)], "feat(API,cli): x", True),
    ("scopes = API cli", "feat(API,cli): x", [("scope-form", 6)], "feat: x", False),
    ("off = scope-form", "feat(Two words): x", [("scope-case", 6)], "feat(two-words): x", False),
    ("off = scope-form scope-case", "Feat(Two words): x", [("type-case", 1)], "feat(Two words): x", True),
    ("off = scope-form scope-case", "feat(): x", [], None, None),
]


@rows(("policy", "header", "expected", "mended", "sure"), *JUDGED)
def test_each_style_is_judged_with_its_correction(
    policy: str, header: str, expected: list[tuple[str, int]], mended: str | None, sure: bool | None
) -> None:
    rules = rules_with(policy)
    violations = check(parse(header), rules)
    assert [(violation.code, violation.column + 1) for violation in violations] == expected
    for violation in violations:
        assert violation.replacement == (None if mended is None else [mended])
        assert mended is None or violation.sure is sure
    # A level that is off asks nothing.
    codes = {code for code, _ in expected}
    rules.levels.update(dict.fromkeys(codes, OFF))
    assert codes.isdisjoint(violation.code for violation in check(parse(header), rules))


@rows(
    ("line", "proposed"),
    (":sparkles: feat: add login", "feat: add login"), ("✨ feat(ui): add login", "feat(ui): add login"),
    ("fixes: the crash", "fix: the crash"), ("testing: x", "test: x"),
    ("doc: x", "docs: x"),
    ("[fix] the crash", "fix: the crash"), ("[fix](a): b", "fix(a): b"),
    ("fix[api]: the crash", "fix(api): the crash"), ("fix(v1.x): the crash", "fix: the crash"),
    ("fix/api!: the crash", "fix(api)!: the crash"), ("fix((api)): the crash", "fix(api): the crash"),
    ("Fix - the crash", "fix: the crash"), ("fix; x", "fix: x"), ("fix::x", "fix: x"),
    ("ABC-12: fix: the crash", "fix: the crash (ABC-12)"), ("[ABC-12]fix: x", "fix: x (ABC-12)"),
    ("#12 fix: the crash", "fix: the crash (#12)"),
    ("- fix: x", "fix: x"), ("'fix: x'", "fix: x"), ("**fix**: x", "fix: x"), ("WIP: fix: x", "fix: x"),
    ("docs update the guide", "docs: update the guide"), ("fix login redirect", "fix: login redirect"),
    ("test add a case", "test: add a case"),
    ('Revert "feat: add login"', "revert: feat: add login"),
    (":sparkles: storm alerts", "feat: storm alerts"), ("🐛 crash on empty names", "fix: crash on empty names"),
    ("⚡️ Sped up the lexer", "perf: Sped up the lexer"), ("✨ Added alerts", "feat: add alerts"),
    (":bug: docs: the crash", "docs: the crash"),
)  # fmt: skip
def test_a_type_is_known_in_every_form_that_people_write(line: str, proposed: str) -> None:
    found = fix_header(line, RULES)
    assert found.line == proposed


GUESSED = [
    "feat", "feat:", "[fix]", ":bug:", "feat(core)(cli): x", "[api] fix: x", "core: x", "cli: x", "jest: x",
    "ui: x", "[fix!]: x", "improvement: x", "build fails on Windows", "style guide updated", "docs for the parser",
    "🐛", "💥 away with it", "📝 api: say more", "Ran prettier", "Fixed trailing whitespace",
    "fix date formatting", "Merge branch 'x'", "https://x.example/y", "src/a.py: x", "UTF-8: x", "ABC-12",
]  # fmt: skip


@rows(
    ("line", "proposed"),
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
)  # fmt: skip
def test_a_sentence_gets_a_type_only_if_its_verb_states_one(line: str, proposed: str | None) -> None:
    found = fix_header(line, RULES)
    assert (found and found.line) == proposed


def test_a_line_that_no_summary_can_hold_is_not_taken_apart() -> None:
    for mark in ("\u2728", '"', "- ", "ABC-1 ", "("):
        assert fix_header(f"{mark * 200_000}feat: x", RULES) is None


@rows(
    ("policy", "line", "proposed"),
    ("types = feature bugfix", "fix: x", "bugfix: x"), ("types = feat tests", "test: x", "tests: x"),
     ("types = feat lint", "style: x", "lint: x"), ("types = feat fix", "test: x", None),
     ("types = docs wip", "doc: x", "docs: x"),
     # A ticket stays out of the header where it has a line of its own.
     ("ticket = ^Refs: ABC-[0-9]+", "ABC-12: fix: x", "fix: x"),
     ("ticket = ABC-[0-9]+", "ABC-12: fix: x", "fix: x (ABC-12)"),
)  # fmt: skip
def test_what_the_project_asks_for_is_proposed(policy: str, line: str, proposed: str | None) -> None:
    found = fix_header(line, rules_with(policy))
    assert (found and found.line) == proposed


def test_lines_of_trailers_have_a_limit_of_their_own() -> None:
    text = f"feat: x\n\n{'b' * 40}\n\nReviewed-by: {'r' * 40}\nLink: https://example.com/{'l' * 40}"
    assert check(parse(text), rules_with("trailerLimit = 60")) == []
    found = check(parse(text), rules_with("trailerLimit = 50; lineLimit = 30"))
    assert [(violation.code, violation.line, violation.expected) for violation in found] == [
        ("line-length", 2, "at most 30"), ("line-length", 4, "at most 50")
    ]  # fmt: skip


@rows(
    ("below", "line", "column"),
    ("T:\nReviewed-by: B", 2, 2),
    ("Reviewed-by: B", 0, 0),
    ("Refs: AB-1", None, None),
)
def test_a_missing_ticket_is_missed_at_its_trailer(below: str, line: int | None, column: int | None) -> None:
    found = check(
        parse(f"feat: x\n\n{below}\n"), rules_with("ticket = AB-"), search=lambda pattern, text: pattern in text
    )
    assert [(violation.code, violation.line, violation.column) for violation in found] == (
        [] if line is None else [("ticket", line, column)]
    )


@rows(
    ("policy", "summary", "adapted"),
    ("imperative = true; summaryCase = upper-first; fullStop = require", "added it", "Add it."),
    ("summaryCase = lower-first; fullStop = forbid", "Add it.", "add it"),
    ("summaryCase = lower-first", "GitHub is read", "GitHub is read"),
    ("fullStop = require", "add it?", "add it?"),
    ("fullStop = forbid", "add it...", "add it..."),
)
def test_a_summary_is_adapted_as_far_as_that_is_possible(policy: str, summary: str, adapted: str) -> None:
    assert adapt_summary(summary, rules_with(policy)) == adapted


@rows(
    ("line", "version"),
    ("Version 0.4.0", "0.4.0"), ("v1.2.3!", "1.2.3"), ("Release v1.0-rc", "1.0-rc"),
    ("release 12", None), ("release x.4", None), ("1.2+3", None), ("the 1.2", None), ("", None),
)  # fmt: skip
def test_a_version_alone_is_a_release(line: str, version: str | None) -> None:
    assert find_release(line) == version


@rows(
    ("text", "filled"),
    ("feat(api): add x\n\nWhy.", "feat(api): AB-1 add x\n\nWhy."),
    ("✨ feat: add x", "✨ feat: AB-1 add x"),
    ("feat: add AB-1", "feat: add AB-1"),
    ("add x\n", "add x\n"),
)
def test_a_form_is_filled_with_what_there_is(text: str, filled: str) -> None:
    assert fill_message(text, "{type}({scope}): {ticket} {summary}", "AB-1") == filled


@rows(
    ("scope", "expected"),
    ("web/new_part", True), ("web/newpart", True), ("api/new_part", False), ("web/New", False), ("web", False),
)  # fmt: skip
def test_a_scope_is_spelled_as_two_others_are(scope: str, expected: bool) -> None:
    assert Rules(spellings={"web/one_part", "web/two_part"}).knows_spelling(scope) is expected


@rows(("types", "expected"), (("feat", "fix"), "fix"), (("feat", "chore"), "chore"), (("feat", "misc"), "misc"))
def test_a_kind_has_the_type_that_fits_or_the_last(types: tuple[str, ...], expected: str) -> None:
    assert find_type_of_kind("fix", types) == expected


@given(st.text(alphabet="featix()!: \tA-é\u200b", max_size=14))
def test_a_line_is_a_header_exactly_when_no_rule_is_broken(line: str) -> None:
    header = parse_header(line)
    good = header is not None and header.type in RULES.types
    assert good == (check_header(line, RULES) == [])


@given(st.text(alphabet="feat fixFEAT()!:  abcAPI-", max_size=24))
def test_a_proposed_header_always_passes(line: str) -> None:
    proposal = fix_header(line, RULES)
    if proposal is not None:
        assert check_header(proposal.line, RULES) == []


@given(st.text(max_size=40))
def test_a_scan_never_fails_and_points_into_the_line(line: str) -> None:
    scan = Scan(line)
    assert 0 <= scan.summary <= len(line)
    assert scan.misplaced is None or 0 <= scan.misplaced <= len(line)
