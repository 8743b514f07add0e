"""What a project can ask of headers and trailers beside form, type and scope: settings, and what is proposed."""

from __future__ import annotations

from smartcommit.config import Settings, make_rules
from smartcommit.message.checks import check
from smartcommit.message.header import Header
from smartcommit.message.header_proposals import adapt_summary
from smartcommit.message.parse import parse
from smartcommit.message.rules import OFF, Rules
from tests.support.table import rows


def rules_with(policy: str) -> Rules:
    """The rules of a policy, as `name = value; name = value`."""
    entries = []
    for line in policy.split(";"):
        name, _, value = line.partition("=")
        entries.append((f"smartcommit.{name.strip().lower()}", value.strip()))
    return make_rules(Settings(policy=entries, environment={}))


# (policy, header, [(code, column from 1)], the corrected line, whether that is sure)
JUDGED = [
    ("summaryCase = lower-first", "feat: add it", [], None, None),
    ("summaryCase = lower-first", "feat: Add it", [("summary-case", 7)], "feat: add it", True),
    ("summaryCase = lower-first", "feat: Java runs", [("summary-case", 7)], "feat: java runs", False),
    ("summaryCase = lower-first", "feat: API keys", [("summary-case", 7)], None, None),
    ("summaryCase = lower-first", "feat: `Cart` is new", [], None, None),
    ("summaryCase = lower-first", "feat: 日本語", [], None, None),
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
    ("scopes = API my_scope", "feat(API): add it", [], None, None),
    ("scopes = API my_scope", "feat(my_scope): add it", [], None, None),
    ("scopes = API my_scope", "Feat(API): add it", [("type-case", 1)], "feat(API): add it", True),
    ("scopes = API my_scope", "feat(my-scope): add it", [("scope-unknown", 6)], "feat(my_scope): add it", True),
    ("scopes = api web; off = scope-form scope-case", "feat(api,web): x", [], None, None),
    ("scopes = api web; off = scope-form scope-case", "feat(API): x", [("scope-unknown", 6)], "feat(api): x", True),
    ("scopes = api; off = scope-form", "feat(api/db): x", [("scope-unknown", 10)], None, None),
    ("scopeForm = comma", "feat(api,cli)!: x", [], None, None),
    ("scopeForm = comma", "feat(api, cli): x", [], None, None),
    ("scopeForm = comma", "feat(api,CLI): x", [("scope-case", 10)], "feat(api,cli): x", True),
    ("scopeForm = comma", "feat(api/cli): x", [("scope-form", 9)], "feat: x", False),
    ("scopeForm = slash", "feat(api/cli): x", [], None, None),
    ("scopeForm = comma slash", "Feat(api/db,cli): x", [("type-case", 1)], "feat(api/db,cli): x", True),
    ("scopeForm = word", "feat(PROJ-123): x", [], None, None),
    ("scopeForm = word", "Feat(PROJ-123): x", [("type-case", 1)], "feat(PROJ-123): x", True),
    ("scopeForm = word", "feat(v1.2_x): x", [], None, None),
    ("scopeForm = word", "feat(api/cli): x", [("scope-form", 9)], "feat: x", False),
    ("scopeForm = word", "feat(two words): x", [("scope-form", 9)], "feat(two-words): x", False),
    ("scopeForm = word,comma; scopes = API cli", "feat(API,cli): x", [], None, None),
    ("scopeForm = word,comma; scopes = API cli", "feat(API,web): x", [("scope-unknown", 10)], None, None),
    ("scopeForm = comma; scopes = API cli", "feat(api,cli): x", [("scope-unknown", 6)], "feat(API,cli): x", True),
    ("scopes = API cli", "feat(API,cli): x", [("scope-form", 6)], "feat: x", False),
    ("off = scope-form", "feat(Two words): x", [("scope-case", 6)], "feat(two-words): x", False),
    ("off = scope-form scope-case", "Feat(Two words): x", [("type-case", 1)], "feat(Two words): x", True),
    ("off = scope-form scope-case", "feat(): x", [], None, None),
]


@rows(("policy", "header", "expected", "mended", "sure"), JUDGED)
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
    rules.levels.update(dict.fromkeys([code for code, _ in expected], OFF))
    assert check(parse(header), rules) == []


@rows(
    ("header", "column"),
    [
        (r"feat: x\n\nCo-authored-by: A <a@example.com>", 7),
        (r"feat: x\nCloses: #1", 7),
        (r"feat: x\n- one\n- two", 7),
        (r"fix: escape a trailing \n", None),
        (r"fix: read \n in names as C:\new", None),
    ],
)  # fmt: skip
def test_a_line_feed_in_two_characters_gets_a_word(header: str, column: int | None) -> None:
    found = [(violation.code, violation.column) for violation in check(parse(header), Rules())]
    assert found == ([] if column is None else [("line-break", column)])


def test_lines_of_trailers_have_a_limit_of_their_own() -> None:
    text = f"feat: x\n\n{'b' * 40}\n\nReviewed-by: {'r' * 40}\nLink: https://example.com/{'l' * 40}"
    assert check(parse(text), rules_with("trailerLimit = 60")) == []
    found = check(parse(text), rules_with("trailerLimit = 50; lineLimit = 30"))
    assert [(violation.code, violation.line, violation.expected) for violation in found] == [
        ("line-length", 2, "at most 30"), ("line-length", 4, "at most 50")
    ]  # fmt: skip


@rows(
    ("policy", "summary", "adapted"),
    [
        ("imperative = true; summaryCase = upper-first; fullStop = require", "added it", "Add it."),
        ("summaryCase = lower-first; fullStop = forbid", "Add it.", "add it"),
        ("summaryCase = lower-first", "GitHub is read", "GitHub is read"),
        ("fullStop = require", "add it?", "add it?"),
        ("fullStop = forbid", "add it...", "add it..."),
    ],
)
def test_a_summary_is_adapted_as_far_as_that_is_possible(policy: str, summary: str, adapted: str) -> None:
    assert adapt_summary(summary, rules_with(policy)) == adapted


@rows("header", ["feat: add it", "feat(api)!: add it"])
def test_default_rules_ask_for_no_style(header: str) -> None:
    assert not Rules().has_style()
    assert isinstance(parse(header).message.header, Header)
    assert check(parse(header.replace("add it", "Add it.")), Rules()) == []
