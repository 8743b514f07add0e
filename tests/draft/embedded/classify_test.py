"""Type, scope and the mark of what may break, as the project's own history would have them."""

from collections.abc import Sequence

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, read_past_commit
from smartcommit.change.public_names import removes_public
from smartcommit.draft.embedded.classify import list_types, rate_types
from smartcommit.draft.embedded.measure import measure
from smartcommit.draft.embedded.scope import choose_scope
from smartcommit.draft.result import Draft
from smartcommit.message.rules import DEFAULT_TYPES, PLAN_TYPES
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


def change(*paths: str) -> ChangeFacts:
    return ChangeFacts([make_diff(path, make_hunk(["b = other(c)"], ["a = one"])) for path in paths])


def history(*commits: tuple[str, str]) -> History:
    return History(
        read_past_commit(header.encode(), [path.encode() for path in paths.split()]) for header, paths in commits
    )


NONE = history()
SCOPED = history(
    *[("fix(auth): a", "src/auth/a.py")] * 3, *[("fix(web): b", "src/web/b.py")] * 3, *[("docs: c", "docs/c.md")] * 3
)


def choose_type(change: ChangeFacts, history: History, types: Sequence[str]) -> str:
    return next(iter(rate_types(change, history, types)))


CI = ".github/workflows/ci.yml"
FIRST = history(("feat: initial commit", f"a.py README.md Makefile .editorconfig {CI}"))
TESTED = history(*[("test: x", "tests/a.py")] * 9)
BUMPED = history(*[("chore(deps): bump x from 1.0 to 1.1", "Cargo.lock")] * 2, *[("fix: y", "Cargo.lock")] * 9)
FIXED = history(*[("fix: a", "src/a.py tests/test_a.py")] * 30)


def fix_with(path: str) -> History:
    """A project in which this file is edited by fixes of source."""
    return history(*[("fix: a", f"{path} src/web/b.py")] * 9, ("ci: a", "a.yml"))


@rows(
    ("paths", "past", "types", "expected"),
    # The decision matrix rules where nothing else is known.
    ("docs/a.md", NONE, DEFAULT_TYPES, "docs"),
    (".github/workflows/a.yml", NONE, DEFAULT_TYPES, "ci"),
    ("Makefile", NONE, DEFAULT_TYPES, "build"),
    ("tests/a.py", NONE, DEFAULT_TYPES, "test"),
    ("tests/a.py docs/a.md", NONE, DEFAULT_TYPES, "docs"),
    (".gitignore", NONE, DEFAULT_TYPES, "chore"),
    ("docs/a.md .gitignore", NONE, DEFAULT_TYPES, "docs"),
    ("docs/a.md Makefile", NONE, DEFAULT_TYPES, "build"),
    ("docs/a.md Makefile .github/workflows/a.yml", NONE, DEFAULT_TYPES, "ci"),
    ("Cargo.lock", NONE, DEFAULT_TYPES, "build"),
    # The project's own order decides.
    ("docs/a.md Makefile", NONE, ("docs", "build", "feat"), "docs"),
    # Workflows and manifests alone are no fix by habit, and one first commit is none.
    (CI, fix_with(CI), ("feat", "fix", "ci"), "ci"),
    ("package.json", fix_with("package.json"), ("feat", "fix", "build"), "build"),
    ("src/web/b.py", fix_with(""), ("feat", "fix"), "fix"),
    (CI, history(*[("chore: x", CI)] * 9), DEFAULT_TYPES, "chore"),
    (CI, FIRST, DEFAULT_TYPES, "ci"), ("Makefile", FIRST, DEFAULT_TYPES, "build"),
    (".editorconfig", FIRST, DEFAULT_TYPES, "chore"),
    ("Cargo.lock", BUMPED, DEFAULT_TYPES, "chore"),
    ("Cargo.lock", history(*[("chore(deps): bump x from 1.0 to 1.1", "Cargo.lock")] * 2,
                           ("build: bump x from 1.0 to 1.1", "Cargo.lock")), DEFAULT_TYPES, "chore"),
    # A habit never leaves the configured types.
    ("tests/a.py", TESTED, PLAN_TYPES, "chore"), ("tests/a.py", TESTED, ("feat", "test"), "test"),
    ("tests/test_a.py", FIXED, DEFAULT_TYPES, "test"),
    ("Cargo.lock", history(*[("build: bump x from 1.0 to 1.1", "Cargo.lock")] * 2), ("feat", "chore"), "chore"),
)  # fmt: skip
def test_a_type_is_what_files_and_habits_say(paths: str, past: History, types: Sequence[str], expected: str) -> None:
    assert choose_type(change(*paths.split()), past, types) == expected


@rows(("is_partial", "expected"), (False, "fix"), (True, "feat"))
def test_one_of_several_commits_looks_like_a_fix_more_often_than_it_is_one(is_partial: bool, expected: str) -> None:
    past = history(("fix: a", "src/b.py"), *[("feat: a", "src/b.py")] * 26)
    assert next(iter(rate_types(change("src/b.py"), past, ("feat", "fix"), is_partial=is_partial))) == expected


@rows(("path", "expected"), ("src/ksp/b.py", True), ("src/web/b.py", False), ("docs/x.md", False))
def test_a_type_of_one_work_is_that_of_its_files_alone(path: str, expected: bool) -> None:
    past = [("ksp: a", "src/ksp/a.py"), ("fix: b", "src/web/a.py")] * 6
    commits = [read_past_commit(header.encode(), [file.encode()], day=day) for day, (header, file) in enumerate(past)]
    assert ("ksp" in list_types(change(path), History(commits))) is expected


@rows(
    ("before", "after", "past", "expected"),
    # Comments alone are no bump.
    ("# since zlib 1.2.3", "# since zlib 1.2.4", NONE, "docs"),
    # In code, one letter can make another name.
    ("recieve = 1", "receive = 1", NONE, "fix"),
    # Of types that mean the same the project's own is drafted.
    ("a = 1", "a  =  1", history(*[("style: x", "src/b.py")] * 9), "style"),
    ("a = 1", "a  =  1", history(*[("lint: x", "src/b.py")] * 9), "lint"),
    ("a = 1", "a  =  1", history(*[("fix: x", "src/b.py")] * 9), "style"),
    # Blanks in a text are no layout.
    ("x = ('a b')", "x = ('a  b')", FIXED, "fix"),
    ("x = load('a')", 'x = load("a")', NONE, "style"), ("x = load('a')", 'x = load("a")', FIXED, "style"),
)  # fmt: skip
def test_comments_and_formatting_are_told_by_lines(before: str, after: str, past: History, expected: str) -> None:
    formatted = ChangeFacts([make_diff("src/a.py", make_hunk([after], [before]))])
    assert choose_type(formatted, past, DEFAULT_TYPES) == expected


RELEASED = ("chore(auth): release 1.2.0", "NEWS.md")


@rows(
    ("paths", "past", "listed", "expected"),
    # The scope is the one that such paths had.
    ("src/auth/z.py", SCOPED, None, "auth"), ("src/web/b.py tests/web_test.py", SCOPED, None, "web"),
    ("docs/z.md", SCOPED, None, None), ("Cargo.lock", BUMPED, None, "deps"),
    # Only listed ones are given.
    ("src/auth/a.py", SCOPED, ("web",), None), ("src/auth/a.py", NONE, ("api", "auth"), "auth"),
    ("src/auth/a.py src/api/b.py", NONE, ("api", "auth"), None),
    # Without habits it is the common folder.
    ("src/auth/a.py", NONE, None, "auth"), ("src/auth/a.py src/auth/deep/b.py", NONE, None, "auth"),
    ("src/auth/a.py src/web/b.py", NONE, None, None), ("a.py", NONE, None, None),
    ("auth/a.py", NONE, None, None), ("docs/auth/a.md", NONE, None, None),
    ("a/Exit_Codes/x.py", NONE, None, "exit-codes"),
    # A new folder beside scoped ones gives it, and a project that gives none is given none.
    ("services/http/b.py",
     history(*[(f"fix({name}): a", f"services/{name}/a.py") for name in ("s3", "gcs", "azure", "cos")]),
     None, "http"),
    ("src/auth/a.py", history(*[("fix: a", "src/auth/a.py")] * 3), None, None),
    # After many headers only people give new ones.
    ("src/auth/auth.py", history(RELEASED, *[("fix(api): a", "core/a.py")] * 4), None, "auth"),
    ("src/auth/auth.py", history(RELEASED, *[("fix(api): a", "core/a.py")] * 20), None, None),
    # Then one that a single commit had is no habit, also where versions changed; a language is no scope.
    ("web/app.py", history(("fix(web): a", "web/b.py"), *[("fix(api): a", "core/a.py")] * 20), None, "web"),
    ("web/app.py", history(("fix(joke): a", "web/app.py"), *[("fix(api): a", "core/a.py")] * 20), None, None),
    ("web/app.py", history(*[("fix(web): a", "web/app.py")] * 2, *[("fix(api): a", "core/a.py")] * 20), None, "web"),
    ("Cargo.lock", history(("chore(joke): bump x from 1.0 to 1.1", "Cargo.lock"),
                           *[("fix(api): a", "core/a.py")] * 20), None, None),
    ("src/groovy/a.py", history(*[(f"fix({name}): a", f"src/{name}/a.py") for name in ("s3", "gcs", "azure", "cos")],
                                *[("fix(api): a", "core/a.py")] * 20), None, None),
    # One that a file had once gives way to what its path spells.
    ("src/auth/a.py", history(("fix(lint): a", "src/auth/a.py"), *[("fix(auth): b", "src/auth/b.py")] * 2),
     None, "auth"),
)  # fmt: skip
def test_the_scope_is_what_habits_and_folders_say(
    paths: str, past: History, listed: Sequence[str] | None, expected: str | None
) -> None:
    assert choose_scope(change(*paths.split()), past, listed) == expected


@rows(
    ("path", "before", "after", "expected"),
    ("package.json", '  "version": "1.1.0",', '  "version": "1.2.0",', None),
    ("Cargo.toml", 'version = "1.1.0"', 'version = "1.2.0"', None),
    ("package.json", '  "carts": "1.1.0",', '  "carts": "1.2.0",', "deps-dev"),
)
def test_the_projects_own_version_is_no_dependency(path: str, before: str, after: str, expected: str | None) -> None:
    past = history(*[("chore(deps-dev): bump x from 1.0 to 1.1", path)] * 20, *[("fix: a", "src/a.py")] * 9)
    bumped = ChangeFacts([make_diff(path, make_hunk([after], [before]))])
    assert choose_scope(bumped, past, None) == expected


def test_a_scope_has_half_of_the_files_and_lines() -> None:
    past = history(*[("feat(texts): a", "texts/a.py")] * 9, *[("feat: a", "core/a.py")] * 12)
    texts = [make_diff(f"texts/{name}.py", make_hunk(["a = 1"])) for name in "abcdef"]
    core = make_diff("core/a.py", make_hunk(["    keep(hosts)"] * 9))
    assert choose_scope(ChangeFacts(texts), past, None) == "texts"
    assert choose_scope(ChangeFacts([make_diff("texts/b.py", status="R")]), past, None) == "texts"
    assert choose_scope(ChangeFacts([*texts, core]), past, None) is None
    others = [make_diff(f"hosts/{name}.py", make_hunk(["a = 1"])) for name in "abc"]
    usual = history(*[("feat(texts): a", "texts/a.py")] * 9)
    assert choose_scope(ChangeFacts([*texts[:3], *others]), usual, None) == "texts"
    assert choose_scope(ChangeFacts([*texts[:2], *others]), usual, None) == "hosts"


@rows(
    ("path", "line", "kind", "scope"),
    (".github/workflows/a.yml", "          java-version: {}", "chore", "ci"),
    (".gitlab-ci.yml", "  image: node:{}", "chore", "ci"),
    (".github/workflows/a.yml", "      - uses: carts/setup@v{}", "chore", "deps"),
)
def test_a_version_of_ci_is_typed_like_other_changes_of_ci(path: str, line: str, kind: str, scope: str) -> None:
    past = history(
        *[("chore(ci): keep hosts", path)] * 9, *[("chore(deps): bump x from 1.0 to 1.1", path)] * 9,
        *[("fix: a", "src/a.py")] * 9,
    )  # fmt: skip
    bumped = ChangeFacts([make_diff(path, make_hunk([line.format("17.0.2")], [line.format("11.0.1")]))])
    chosen = choose_type(bumped, past, ("feat", "fix", "chore"))
    assert (chosen, choose_scope(bumped, past, None, chosen_type=chosen)) == (kind, scope)


def test_the_scope_never_repeats_the_type() -> None:
    habit = history(*[("fix(tests): a", "tests/a.py")] * 3)
    assert choose_scope(change("tests/a.py"), habit, None, chosen_type="fix") == "tests"
    assert choose_scope(change("tests/a.py"), habit, None, chosen_type="test") is None


AREAS = history(
    *[("net/http: reject x", "src/net/http/a.go")] * 3, *[("tsdb: Keep x", "tsdb/a.go")] * 3,
    *[("Prepare x", "README.md web/a.ts")] * 3, ("all: rename x", "web/b.ts"),
)  # fmt: skip


@rows(
    ("paths", "expected"),
    (["src/net/http/b.go"], "net/http"),
    (["src/net/http/a.go", "src/net/http/b.go"], "net/http"),
    (["tsdb/b.go"], "tsdb"),
    (["README.md"], None),
    (["web/b.ts"], None),
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
    assert set(past.count_types()) == {"feat", "examples"}
    assert not past.scopes
    areas = history(*[("net: add x", "net/a.go")] * 3, ("tools(lint): add x", "tools/a.go"))
    assert dict(areas.scopes) == {"net": 3, "lint": 1}


@rows(
    ("path", "before", "after", "expected"),
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
    ("a.vue", ["function load() {"], [], False),
    ("a.c", ["static int load(void) {"], [], False),
    ("a.lua", ["local function load(path)"], [], False),
    ("tests/test_a.py", ["def load(path):"], [], False),
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
        make_diff("src/cart.py", make_hunk(["a = 2", "def et(): pass"], ["a = 1"])),
        make_diff("tests/cart_test.py", make_hunk(["def test_refuses_nothing():", "    pass"])),
        make_diff("news/12.bugfix.md", make_hunk(["Correct the total."])),
    ]
    measures = measure(ChangeFacts(files))
    assert {"test refuses", "prose correct", "beside bugfix"} <= set(measures)
    # One line more; a new name has the mark `n`.
    assert measures["net"] == 1 / 40


def test_a_change_of_any_size_has_a_bounded_number_of_measures() -> None:
    lines = [f"word{chr(97 + n % 26) * (2 + n % 17)} = other{chr(97 + n % 23) * 3}" for n in range(20_000)]
    assert len(measure(ChangeFacts([make_diff("a.py", make_hunk(lines))]))) < 1000
