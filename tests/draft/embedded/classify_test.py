"""Type, scope and the mark of what may break, as the project's own history would have them."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, past_commit
from smartcommit.draft.embedded.classify import choose_scope, rate_types, removes_public
from smartcommit.draft.embedded.measure import measure
from smartcommit.draft.result import Draft
from smartcommit.message.rules import DEFAULT_TYPES, PLAN_TYPES
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


def change(*paths: str) -> ChangeFacts:
    return ChangeFacts([make_diff(path, make_hunk(["b = other(c)"], ["a = one"])) for path in paths])


def history(*commits: tuple[str, str]) -> History:
    return History(past_commit(header.encode(), [path.encode() for path in paths.split()]) for header, paths in commits)


NONE = history()
SCOPED = history(
    *[("fix(auth): a", "src/auth/a.py")] * 3, *[("fix(web): b", "src/web/b.py")] * 3, *[("docs: c", "docs/c.md")] * 3
)


def choose_type(change: ChangeFacts, history: History, types: Sequence[str]) -> str:
    return next(iter(rate_types(change, history, types)))


@rows(
    ("paths", "expected"),
    [
        (["docs/a.md"], "docs"),
        ([".github/workflows/a.yml"], "ci"),
        (["Makefile"], "build"),
        (["tests/a.py"], "test"),
        (["tests/a.py", "docs/a.md"], "docs"),
        ([".gitignore"], "chore"),
        (["docs/a.md", ".gitignore"], "docs"),
        (["docs/a.md", "Makefile"], "build"),
        (["docs/a.md", "Makefile", ".github/workflows/a.yml"], "ci"),
        (["Cargo.lock"], "build"),
    ],
)
def test_the_decision_matrix_rules_where_nothing_else_is_known(paths: list[str], expected: str) -> None:
    assert choose_type(change(*paths), NONE, DEFAULT_TYPES) == expected


@rows(
    ("path", "expected"),
    [(".github/workflows/a.yml", "ci"), ("package.json", "build"), ("src/web/b.py", "fix")],
)
def test_workflows_and_manifests_alone_are_no_fix_by_habit(path: str, expected: str) -> None:
    habits = history(*[("fix: a", f"{path} src/web/b.py")] * 9, ("ci: a", "a.yml"))
    assert choose_type(change(path), habits, ("feat", "fix", expected)) == expected


def test_comments_alone_are_no_bump() -> None:
    facts = ChangeFacts([make_diff("a.py", make_hunk(["# since zlib 1.2.4"], ["# since zlib 1.2.3"]))])
    assert choose_type(facts, NONE, DEFAULT_TYPES) == "docs"


def test_a_projects_habit_moves_the_type() -> None:
    habit = history(*[("chore: x", ".github/workflows/ci.yml")] * 9)
    assert choose_type(change(".github/workflows/ci.yml"), habit, DEFAULT_TYPES) == "chore"


@rows(("path", "expected"), [(".github/workflows/ci.yml", "ci"), ("Makefile", "build"), (".editorconfig", "chore")])
def test_one_first_commit_is_no_habit(path: str, expected: str) -> None:
    first = history(("feat: initial commit", "a.py README.md Makefile .editorconfig .github/workflows/ci.yml"))
    assert choose_type(change(path), first, DEFAULT_TYPES) == expected


def test_a_habit_never_leaves_the_configured_types() -> None:
    habit = history(*[("test: x", "tests/a.py")] * 9)
    assert choose_type(change("tests/a.py"), habit, PLAN_TYPES) == "chore"
    assert choose_type(change("tests/a.py"), habit, ("feat", "test")) == "test"


@rows(("used", "expected"), [("style", "style"), ("lint", "lint"), ("fix", "style")])
def test_of_types_that_mean_the_same_the_projects_own_is_drafted(used: str, expected: str) -> None:
    formatted = ChangeFacts([make_diff("a.py", make_hunk(["a  =  1"], ["a = 1"]))])
    habit = history(*[(f"{used}: x", "src/b.py")] * 9)
    assert choose_type(formatted, habit, DEFAULT_TYPES) == expected


def test_the_projects_own_order_decides() -> None:
    paths = ["docs/a.md", "Makefile"]
    assert choose_type(change(*paths), NONE, ("docs", "build", "feat")) == "docs"


def test_bumps_take_the_type_of_the_projects_bumps() -> None:
    habit = history(*[("chore(deps): bump x from 1.0 to 1.1", "Cargo.lock")] * 2, *[("fix: y", "Cargo.lock")] * 9)
    assert choose_type(change("Cargo.lock"), habit, DEFAULT_TYPES) == "chore"
    assert choose_scope(change("Cargo.lock"), habit, None) == "deps"


@rows(
    ("paths", "expected"),
    [(["src/auth/z.py"], "auth"), (["src/web/b.py", "tests/web_test.py"], "web"), (["docs/z.md"], None)],
)
def test_the_scope_is_the_one_that_such_paths_had(paths: list[str], expected: str | None) -> None:
    assert choose_scope(change(*paths), SCOPED, None) == expected


AREAS = history(
    *[("net/http: reject x", "src/net/http/a.go")] * 3, *[("tsdb: Keep x", "tsdb/a.go")] * 3,
    *[("Prepare x", "README.md web/a.ts")] * 3, ("all: rename x", "web/b.ts"),
)  # fmt: skip


@rows(
    ("paths", "expected"),
    [
        (["src/net/http/b.go"], "net/http"),
        (["src/net/http/a.go", "src/net/http/b.go"], "net/http"),
        (["tsdb/b.go"], "tsdb"),
        (["README.md"], None),
        (["web/b.ts"], None),
    ],
)
def test_where_headers_begin_with_areas_the_area_is_the_scope(paths: list[str], expected: str | None) -> None:
    changed = change(*paths)
    scope = choose_scope(changed, AREAS, None)
    assert (scope and AREAS.spell_scope(scope, changed.paths)) == expected
    assert AREAS.types == ()
    assert set(rate_types(changed, AREAS, DEFAULT_TYPES)) <= set(DEFAULT_TYPES)


def test_among_usual_types_the_name_of_a_folder_is_a_type() -> None:
    usual = [("feat: add x", "src/a.py")] * 4
    past = history(*usual, *[("examples: show x", "examples/a.py")] * 3, ("show x", "web/a.py"))
    assert set(past.type_counts()) == {"feat", "examples"}
    assert not past.scopes
    areas = history(*[("net: add x", "net/a.go")] * 3, ("tools(lint): add x", "tools/a.go"))
    assert dict(areas.scopes) == {"net": 3, "lint": 1}


def test_the_scope_never_repeats_the_type() -> None:
    habit = history(*[("fix(tests): a", "tests/a.py")] * 3)
    assert choose_scope(change("tests/a.py"), habit, None, chosen_type="fix") == "tests"
    assert choose_scope(change("tests/a.py"), habit, None, chosen_type="test") is None


def test_only_listed_scopes_are_given() -> None:
    assert choose_scope(change("src/auth/a.py"), SCOPED, ("web",)) is None
    assert choose_scope(change("src/auth/a.py"), NONE, ("api", "auth")) == "auth"
    assert choose_scope(change("src/auth/a.py", "src/api/b.py"), NONE, ("api", "auth")) is None


@rows(
    ("paths", "expected"),
    [
        (["src/auth/a.py"], "auth"),
        (["src/auth/a.py", "src/auth/deep/b.py"], "auth"),
        (["src/auth/a.py", "src/web/b.py"], None),
        (["a.py"], None),
        (["auth/a.py"], None),
        (["docs/auth/a.md"], None),
        (["a/Exit_Codes/x.py"], "exit-codes"),
    ],
)
def test_without_habits_the_common_folder_is_the_scope(paths: list[str], expected: str | None) -> None:
    assert choose_scope(change(*paths), NONE, None) == expected


def test_a_new_folder_beside_scoped_ones_gives_the_scope() -> None:
    services = history(*[(f"fix({name}): a", f"services/{name}/a.py") for name in ("s3", "gcs", "azure", "cos")])
    assert choose_scope(change("services/http/b.py"), services, None) == "http"


def test_after_many_headers_only_people_give_new_scopes() -> None:
    release = ("chore(auth): release 1.2.0", "NEWS.md")
    for number, expected in ((4, "auth"), (20, None)):
        habits = history(release, *[("fix(api): a", "core/a.py")] * number)
        assert choose_scope(change("src/auth/auth.py"), habits, None) == expected


def test_a_scope_that_a_file_had_once_gives_way_to_what_its_path_spells() -> None:
    habits = history(("fix(lint): a", "src/auth/a.py"), *[("fix(auth): b", "src/auth/b.py")] * 2)
    assert choose_scope(change("src/auth/a.py"), habits, None) == "auth"


def test_a_project_that_gives_no_scopes_is_given_none() -> None:
    assert choose_scope(change("src/auth/a.py"), history(*[("fix: a", "src/auth/a.py")] * 3), None) is None


def test_formatting_alone_is_style_and_tests_alone_are_tests() -> None:
    formatted = make_diff("src/a.py", make_hunk(['x = load("a")'], ["x = load('a')"]))
    fixes = [("fix: a", "src/a.py tests/test_a.py")] * 30
    assert choose_type(ChangeFacts([formatted]), NONE, DEFAULT_TYPES) == "style"
    assert choose_type(ChangeFacts([formatted]), history(*fixes), DEFAULT_TYPES) == "style"
    assert choose_type(change("tests/test_a.py"), history(*fixes), DEFAULT_TYPES) == "test"


@rows(
    ("path", "before", "after", "expected"),
    [
        ("a.py", ["def load(path):", "    return 1"], [], True),
        ("a.py", ["def load(path):"], ["def read(path):"], True),
        ("a.go", ["func Load() {"], [], True),
        ("a.rs", ["pub fn load() {"], [], True),
        ("a.ts", ["export function load() {"], [], True),
        ("a.ts", ["  load(path) {"], [], True),
        ("a.php", ["function load($path) {"], [], True),
        ("a.ts", ["  private load(path) {"], [], False),
        ("a.py", ["def _load(path):"], [], False),
        ("a.py", ["def load(path):"], ["x = 1", "def load(path, depth=1):"], False),
        ("a.py", ["x = 1"], ["x = 2"], False),
        ("a.go", ["func load() {"], [], False),
        ("a.rs", ["fn load() {"], [], False),
        ("a.ts", ["function load() {"], [], False),
        ("tests/test_a.py", ["def load(path):"], [], False),
    ],
)
def test_a_public_name_that_goes_away_may_break(path: str, before: list[str], after: list[str], expected: bool) -> None:
    assert removes_public(ChangeFacts([make_diff(path, make_hunk(after, before))])) is expected


def test_an_exclamation_mark_is_offered_and_not_drafted() -> None:
    made = Draft("feat(api): update b.py\n", weak=True, candidates=("remove load",), second_type="fix", breaking=True)
    assert str(made.header) == "feat(api): update b.py"
    assert made.list_headers() == [
        "feat(api): remove load", "feat(api): update b.py", "fix(api): remove load", "feat(api)!: remove load",
    ]  # fmt: skip


def test_words_of_tests_and_documentation_beside_the_source_count() -> None:
    files = [
        make_diff("src/cart.py", make_hunk(["a = 2"], ["a = 1"])),
        make_diff("tests/cart_test.py", make_hunk(["def test_refuses_nothing():", "    pass"])),
        make_diff("news/12.bugfix.md", make_hunk(["Correct the total."])),
    ]
    assert {"test refuses", "prose correct", "beside bugfix"} <= set(measure(ChangeFacts(files)))


def test_a_change_of_any_size_has_a_bounded_number_of_measures() -> None:
    lines = [f"word{chr(97 + n % 26) * (2 + n % 17)} = other{chr(97 + n % 23) * 3}" for n in range(20_000)]
    assert len(measure(ChangeFacts([make_diff("a.py", make_hunk(lines))]))) < 1000
