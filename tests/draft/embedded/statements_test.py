"""What each source of statements says of a change, and which share of its lines that explains."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, past_commit
from smartcommit.change.pairing import is_respelled
from smartcommit.draft.embedded import changelogs, definitions, own_words, sayings, versions, whole_files
from smartcommit.draft.embedded.judge import Judge
from smartcommit.draft.embedded.view import ChangeView, Kind, Statement
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

Source = Callable[[ChangeView], Iterator[Statement]]
BODY = [f"    record_host_number(hosts[{number}])" for number in range(8)]
READ = ["def read_all_hosts():", "    return 1"]
SOURCE_TOO = make_diff("src/names.py", make_hunk(["reject(names)"], ["keep(names)"]))
SOURCE = make_diff("src/hosts.py", make_hunk(["reject(hosts, empty)"], ["keep(hosts)"]))
RELEASE = make_diff("package.json", make_hunk(['  "version": "1.2.0",'], ['  "version": "1.1.0",']))
GONE = make_diff("src/nodes.py", make_hunk([], BODY), status="D")
WORKFLOW = make_diff(".github/workflows/a.yml", make_hunk(["name: Nightly audit", "jobs:"]), status="A")
TEST = make_diff("tests/test_hosts.py", make_hunk(["def test_hosts_have_names():"]))
QUOTED_TEST = make_diff("tests/hosts.test.ts", make_hunk(["it('has names', () => {"]))
TITLES = make_diff(
    "tests/hosts_test.py", make_hunk(["def test_rejects_empty_hosts():", "def test_stores_far_names():"])
)
TOUCHED = make_hunk(["    return round(a * 2)"], ["    return a * 2"])
TOUCHED.context = b"def tax(a):"
TOUCHED_NAMELESS = make_hunk(["  a = 2"], ["  a = 1"])
TOUCHED_NAMELESS.context = b'resource "aws_addon" "this" {'
ENTRIES = [f"- Reject hosts of kind {number}" for number in range(4)]
ADDED_FUNCTIONS = make_hunk(
    [line for name in ("int", "str", "list", "map") for line in (f"def parse_{name}(x):", "  1")]
)


def say(source: Source, *diffs: FileDiff) -> list[tuple[str, float]]:
    return [(statement.text, round(statement.share, 2)) for statement in source(ChangeView(ChangeFacts(diffs)))]


@rows(
    ("source", "diffs", "expected"),
    [
        # A removed file, unless its lines went elsewhere.
        (whole_files.say_removed, [GONE, SOURCE], [("remove nodes.py", 0.89)]),
        (whole_files.say_removed, [GONE, make_diff("src/main.py", make_hunk(BODY))], []),
        (whole_files.say_removed, [GONE], []),
        # Patterns in another form, and exceptions, ignore nothing more.
        (sayings.say_edits, [make_diff(".gitignore", make_hunk(["c"]))], [("ignore c", 1.0)]),
        (sayings.say_edits, [make_diff(".gitignore", make_hunk(["/b/"], ["b"]))], [("ignore /b/ instead of b", 1.0)]),
        (sayings.say_edits, [make_diff(".gitignore", make_hunk([], ["b"]))], [("stop ignoring b", 1.0)]),
        (sayings.say_edits, [make_diff(".gitignore", make_hunk(["!build/a"]))], []),
        # Definitions keep their names. A single word says little without its file.
        (definitions.say_definitions, [make_diff("a.py", make_hunk(READ))], [("add read_all_hosts", 1.0)]),
        (definitions.say_definitions, [make_diff("a.py", make_hunk(["def select():", "    return 1"]))],
         [("add select to a.py", 1.0)]),
        (definitions.say_definitions, [make_diff("main.tf", make_hunk([], ['variable "host_name" {', "}"]))],
         [("remove host_name variable", 1.0)]),
        (definitions.say_definitions, [make_diff("a.py", ADDED_FUNCTIONS)],
         [("add parse_int and 3 more to a.py", 0.7)]),
        (definitions.say_definitions, [make_diff("a.js", make_hunk(["export const value = 1"]), status="A")],
         [("add value to a.js", 1.0)]),
        # What another file loses is not new.
        (definitions.say_definitions, [make_diff("a.py", make_hunk(READ)), make_diff("b.py", make_hunk([], READ))], []),
        (definitions.say_definitions, [make_diff("a.py", make_hunk(["def _read_hosts():"]))], []),
        # The only new tests, if nothing but tests changed.
        (own_words.say_new_tests, [TEST], [("add test_hosts_have_names", 0.9)]),
        (own_words.say_new_tests, [QUOTED_TEST], [('add test "has names"', 0.9)]),
        (own_words.say_new_tests, [TEST, SOURCE], []),
        # A title explains as much as the source has of its words.
        (own_words.say_tests, [TITLES, SOURCE], [("reject empty hosts", 1.0), ("store far names", 0.0)]),
        (own_words.say_tests, [TITLES], []),
        # A new file is called by what it is titled, defines or tests, and one line beside it does not count.
        (whole_files.say_subject, [WORKFLOW], [("add nightly audit workflow", 1.0)]),
        (whole_files.say_subject, [make_diff("docs/a.md", make_hunk(["# Named hosts", "text"]), status="A")],
         [('add "Named hosts"', 1.0)]),
        (whole_files.say_subject, [make_diff("src/a.py", make_hunk(["class HostList:", " x = 1", " y"]), status="A"),
                               make_diff("src/b.py", make_hunk(["hosts = HostList()"]))], [("add HostList", 0.75)]),
        (whole_files.say_subject, [make_diff("CMakeLists.txt", make_hunk(["add_test(hosts)"])),
                               make_diff("tests/test_hosts.cpp", make_hunk(BODY * 4), status="A")],
         [("add tests for hosts", 1.0)]),
        (whole_files.say_subject, [make_diff("src/a.css", make_hunk(BODY), status="A"), SOURCE], []),
        (whole_files.say_subject, [make_diff("src/a.py", make_hunk(["x = 1"]), status="A"), SOURCE, SOURCE_TOO], []),
        (whole_files.say_subject, [WORKFLOW, make_diff("docs/ci.md", make_hunk(BODY))],
         [("add nightly audit workflow", 1.0)]),
        (whole_files.say_removed, [make_diff(".github/workflows/a.yml", make_hunk([], ["x: 1"]), status="D")],
         [("remove a workflow", 1.0)]),
        # The only error, and the only comment that says what is done.
        (own_words.say_reasons, [make_diff("a.py", make_hunk(['    raise ValueError("host must have a name.")']))],
         [('report "host must have a name"', 1.0)]),
        (own_words.say_reasons, [make_diff("a.py", make_hunk(['raise E("no such host")', 'raise E("no other name")']))],
         []),
        (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Skip hosts without", "# a name.", "keep(hosts)"]))],
         [("skip hosts without a name", 1.0)]),
        (own_words.say_reasons, [make_diff("a.py", make_hunk(["# The hosts of a name", "keep(hosts)"]))], []),
        (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Keeping hosts would break names", "x(1)"]))], []),
        # Of many entries, none says what the change is about.
        (changelogs.say_entries, [make_diff("CHANGELOG.md", make_hunk(ENTRIES[:1])), SOURCE],
         [("reject hosts of kind 0", 1.0)]),
        (changelogs.say_entries, [make_diff("CHANGELOG.md", make_hunk(ENTRIES)), SOURCE], []),
        # The entries of a release are about the commits before it.
        (changelogs.say_entries, [make_diff("CHANGELOG.md", make_hunk(ENTRIES[:1])), RELEASE], []),
        # Comments have no version.
        (versions.say_versions, [make_diff("a.py", make_hunk(["# since zlib 1.2.4"], ["# since zlib 1.2.3"]))], []),
        # Of a version whose name is not shown, only the numbers are told.
        (versions.say_versions, [make_diff("pom.xml", make_hunk(["<version>2.1<"], ["<version>2.0<"]))],
         [("bump a version in pom.xml from 2.0 to 2.1", 1.0)]),
        # A requirement in another form is not removed.
        (versions.say_requirements, [make_diff("Cargo.toml", make_hunk(
            ["hosts = { features = [], workspace = true }"], ['hosts = "0.2"', 'names = "0.3"']))],
         [("remove names dependency", 1.0)]),
        # A place is named in the files that have it.
        (definitions.say_places, [make_diff("a.py", make_hunk(["NAMES = 1"])), make_diff("b.py", TOUCHED)],
         [("update tax in b.py", 0.5)]),
        # One that has no name is none of those that are named.
        (definitions.say_places, [make_diff("main.tf", TOUCHED, TOUCHED_NAMELESS)], []),
        (versions.say_bumps, [make_diff("go.mod", make_hunk(["go 1.22"], ["go 1.21"]))],
         [("bump go from 1.21 to 1.22", 1.0)]),
        (versions.say_requirements, [make_diff("requirements.txt", make_hunk(["docutils==0.2"]))],
         [("add docutils dependency", 1.0)]),
        (versions.say_requirements, [make_diff("requirements.txt", make_hunk(["discord.py==0.2"]))],
         [("add discord.py dependency", 1.0)]),
        (versions.say_requirements, [make_diff("requirements.txt", make_hunk([], ["docutils==0.2"]))],
         [("remove docutils dependency", 1.0)]),
        # Numbers and addresses are no versions, and a language is no dependency.
        (versions.say_bumps, [make_diff("a.py", make_hunk(["alpha: float = 0.7"], ["alpha: float = 0.5"]))], []),
        (versions.say_bumps, [make_diff("a.css", make_hunk(["  margin: 2.5em;"], ["  margin: 1.5em;"]))], []),
        (versions.say_bumps, [make_diff("a.py", make_hunk(['H = "10.0.0.2"'], ['H = "10.0.0.1"']))], []),
        (versions.say_bumps, [make_diff("a.py", make_hunk(['U = "http://b.c:8081"'], ['U = "http://b.c:8080"']))], []),
        (versions.say_bumps, [make_diff("a.json", make_hunk(['"localhost:8081"'], ['"localhost:8080"']))], []),
        (versions.say_bumps, [make_diff("a.yml", make_hunk(["at: 10:45"], ["at: 10:30"]))], []),
        # The project's own version is no dependency's.
        (versions.say_bumps, [make_diff("a.py", make_hunk(['__version__ = "1.1"'], ['__version__ = "1.0"']))], []),
        (versions.say_requirements, [make_diff("Cargo.toml", make_hunk(['rust-version = "1.70"']))], []),
        (versions.say_requirements, [make_diff("pyproject.toml", make_hunk(['requires-python = ">=3.9"']))], []),
        (versions.say_requirements, [make_diff("pyproject.toml", make_hunk(["fail_under = 90.5"]))], []),
        (versions.say_requirements, [make_diff("pyproject.toml", make_hunk(['    "setup.toml:version",']))], []),
        (versions.say_requirements, [make_diff("package.json", make_hunk(['    "node": ">=18.0"']))], []),
    ],
)  # fmt: skip
def test_a_statement_says_what_its_lines_show(
    source: Source, diffs: list[FileDiff], expected: list[tuple[str, float]]
) -> None:
    assert say(source, *diffs) == expected


@rows(
    ("path", "before", "after", "expected"),
    [
        ("package.json", '"@types/node": "~1.2.0"', '"@types/node": "~1.3.0"', "@types/node from 1.2.0 to 1.3.0"),
        ("Cargo.toml", 'a-b = { version = "1.0.1" }', 'a-b = { version = "1.0.2" }', "a-b from 1.0.1 to 1.0.2"),
        ("setup.cfg", "  requests >= 2.31", "  requests >= 2.32", "requests from 2.31 to 2.32"),
        ("a.yml", "image: redis:6.2", "image: redis:7.0", "redis from 6.2 to 7.0"),
        ("go.mod", "\tgithub.com/a/b v1.2.3", "\tgithub.com/a/b v1.3.0", "github.com/a/b from 1.2.3 to 1.3.0"),
        ("a.properties", "zstdVersion = 1.5.7-7", "zstdVersion = 1.5.7-11", "zstd from 1.5.7-7 to 1.5.7-11"),
        ("go.mod", "\ta.b/c v0.0.0-20250102030405-0123456789ab", "\ta.b/c v0.0.0-20260102030405-abcdef012345",
         "a.b/c from 0.0.0-20250102030405-0123456789ab to 0.0.0-20260102030405-abcdef012345"),
        ("ci.yml", "node-version: 18", "node-version: 20", "node from 18 to 20"),
        ("Dockerfile", "FROM python:3.11-slim", "FROM python:3.12-slim", "python from 3.11-slim to 3.12-slim"),
    ],
)  # fmt: skip
def test_a_bump_names_what_has_the_version(path: str, before: str, after: str, expected: str) -> None:
    assert [text for text, _ in say(versions.say_bumps, make_diff(path, make_hunk([after], [before])))] == [
        f"bump {expected}"
    ]


@rows(
    ("past", "expected"),
    [
        ("update {} to 1.1.0", "update lodash to 4.17.21"),
        ("bump {} from 1.0.0 to 1.1.0", "bump lodash from 4.17.20 to 4.17.21"),
        ("Upgrade {} to v1.1.0 (#12)", "upgrade lodash to v4.17.21"),
        ("reject {}", "bump lodash from 4.17.20 to 4.17.21"),
    ],
)
def test_a_bump_is_worded_like_those_of_other_packages(past: str, expected: str) -> None:
    headers = [f"build: {past.format(name)}".encode() for name in ("react", "vite", "zod", "eslint")]
    history = History([past_commit(header, [b"package.json"]) for header in headers])
    assert versions.adapt_bumps(["bump lodash from 4.17.20 to 4.17.21"], history) == [expected]


@rows(
    ("summary", "expected"),
    [
        ("update translations", ["update translations"]), ("release 1.{} (#12)", ["release 1.2.0"]),
        # What was mended or came before may not have again, and other numbers are not known.
        ("fix typo", []), ("add hosts", []), ("update hosts of week 12", []), ("update hosts {}", []),
    ],
)  # fmt: skip
def test_a_summary_recurs_with_its_paths(summary: str, expected: list[str]) -> None:
    headers = [f"chore: {summary.format(number)}".encode() for number in range(3)]
    view = ChangeView(ChangeFacts([RELEASE]))
    history = History([past_commit(header, [b"package.json"]) for header in headers])
    assert [statement.text for statement in versions.say_recurring(view, history)] == expected
    history = History([past_commit(header, [b"package.json", b"a"]) for header in headers])
    assert not list(versions.say_recurring(view, history))


@rows(
    ("before", "after", "expected"),
    [
        ("We recieve it.", "We receive it.", True),
        ("Call parse_hosts.", "Call parse_host.", False),
        ("Use --verbose here.", "Use --verbos here.", False),
        ("Run `foo install`.", "Run `foo instal`.", False),
        ("the pagage manager", "the package manager", True),
        ("It isnt auto imported, it's path is", "It isn't auto-imported, its path is", True),
        ("Use it etc without x.", "Use it, etc. without x.", True),
        ("the current value", "the correct value", False),
        ("public keys", "published keys", False),
        ("include it", "exclude it", False),
        ("loading it", "logging it", False),
        ("costs 3.14", "costs 31.4", False),
        ("a -- b", "a b", False),
        ("We receive it.", "We receive it.", False),
        ("We receive it", "We receive it.", False),
    ],
)
def test_a_few_letters_or_marks_are_a_typo(before: str, after: str, expected: bool) -> None:
    assert is_respelled(before, after) is expected


@rows(
    ("path", "lines", "is_whole", "expected"),
    [("a.py", BODY, False, "fix"), ("a.py", BODY, True, "feat"), ("a.py", BODY[:2], False, "feat"),
     ("test_a.py", BODY[:2], False, "fix")],
)  # fmt: skip
def test_what_comes_is_a_feature_where_that_is_likely(
    path: str, lines: list[str], is_whole: bool, expected: str
) -> None:
    kind = Kind(0.9, is_whole=is_whole, types=("feat",))
    view = ChangeView(ChangeFacts([make_diff(path, make_hunk(lines))]))
    judge = Judge(view, [Statement(["add hosts to a list"], kind, 1.0)], {"fix": 0.6, "feat": 0.4})
    assert judge.choose_type() == expected
