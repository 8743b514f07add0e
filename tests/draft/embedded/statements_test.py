"""What each source of statements says of a change, and which share of its lines that explains."""

from collections.abc import Callable, Iterator

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, read_past_commit
from smartcommit.draft.embedded import changelogs, definitions, own_words, replacements, sayings, versions, whole_files
from smartcommit.draft.embedded.view import ChangeView, Purpose, Statement
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

Source = Callable[[ChangeView], Iterator[Statement]]
BODY = [f"    record_host_number(hosts[{number}])" for number in range(8)]
NEW_FILES = ("README.md", "a.py", "b.py", "c.py")
READ = ["def read_all_hosts():", "    return 1"]
SOURCE_TOO = make_diff("src/names.py", make_hunk(["reject(names)"], ["keep(names)"]))
SOURCE = make_diff("src/hosts.py", make_hunk(["reject(hosts, empty)"], ["keep(hosts)"]))
RELEASE = make_diff("package.json", make_hunk(['  "version": "1.2.0",'], ['  "version": "1.1.0",']))
GONE_FOLDERS = [make_diff(f"q/{name}.py", make_hunk([], ["x = 1"]), status="D")
                for name in ("fusion/a", "fusion/b", "jsonc/a", "jsonc/b")]  # fmt: skip
LOCALS = make_hunk([], ["  local fusion = 1", "  local jsonc = 1"])
LOCALS.context = b"local function read(a)"
GONE = make_diff("src/nodes.py", make_hunk([], BODY), status="D")
WORKFLOW = make_diff(".github/workflows/a.yml", make_hunk(["name: Nightly audit", "jobs:"]), status="A")
TEST = make_diff("tests/test_hosts.py", make_hunk(["def test_hosts_have_names():"]))
TITLES = make_diff(
    "tests/hosts_test.py", make_hunk(["def test_rejects_empty_hosts():", "def test_stores_far_names():"])
)
SPECIFIED = make_diff("controller/hosts_test.go", make_hunk(['\tIt("rejects empty hosts", func() {']))
TOUCHED = make_hunk(["    return round(a * 2)"], ["    return a * 2"])
TOUCHED.context = b"def tax(a):"
TOUCHED_NAMELESS = make_hunk(["  a = 2"], ["  a = 1"])
TOUCHED_NAMELESS.context = b'resource "aws_addon" "this" {'
CHECKED = [make_diff(f"src/{name}.ts", make_hunk(["if (ready) {", "}"])) for name in "abcd"]
ENTRIES = [f"- Reject hosts of kind {number}" for number in range(4)]
LONG_ENTRY = (
    "Keep hosts in the groups that they were declared in instead of adding them to the group of all other hosts again."
)


def test_files_are_counted_with_those_that_are_not_named() -> None:
    tests = make_diff("tests/names_test.py", make_hunk(["check(names)"], ["check()"]))
    names = whole_files.list_names(ChangeView(ChangeFacts([SOURCE, SOURCE_TOO, tests])))
    assert (names[0], names[-1]) == ("update hosts.py and names.py", "update 3 files")
    added = make_diff("src/nodes.py", make_hunk(["NODES = 1"]), status="A")
    names = whole_files.list_names(ChangeView(ChangeFacts([SOURCE, SOURCE_TOO, added])))
    assert names[0] == "update hosts.py and names.py and add nodes.py"
    tests.hunks = [make_hunk(BODY[1:])]
    names = whole_files.list_names(ChangeView(ChangeFacts([make_diff("pom.xml", make_hunk(["<x/>"])), tests])))
    assert names[0] == "update pom.xml and names_test.py"


def say(source: Source, *diffs: FileDiff) -> list[tuple[str, float]]:
    return [(statement.text, round(statement.share, 2)) for statement in source(ChangeView(ChangeFacts(diffs)))]


@rows(
    ("source", "diffs", "expected"),
    # A removed file, unless its lines went elsewhere.
    (whole_files.say_removed, [GONE, SOURCE], [("remove nodes.py", 0.89)]),
    (whole_files.say_removed, [GONE, make_diff("src/main.py", make_hunk(BODY))], []),
    (whole_files.say_removed, [GONE], []),
    # A file of the same name, with another ending and in the same folder, is the same in another language.
    (whole_files.say_converted, [GONE, make_diff("src/nodes.rs", make_hunk(BODY), status="A"), SOURCE],
     [("convert nodes.py to rs", 0.94)]),
    (whole_files.say_converted, [GONE, make_diff("tests/nodes.rs", make_hunk(BODY), status="A")], []),
    # It has most of its words, or a format of the same family, and no third one had its name.
    (whole_files.say_converted, [GONE, make_diff("src/nodes.rs", make_hunk(READ), status="A")], []),
    (whole_files.say_converted, [make_diff("src/a.js", make_hunk([], BODY), status="D"),
                                 make_diff("src/a.ts", make_hunk(READ), status="A")], [("convert a.js to ts", 1.0)]),
    (whole_files.say_converted, [make_diff("src/a.js", make_hunk([], BODY), status="D"),
                                 make_diff("src/a.css", make_hunk([], BODY), status="D"),
                                 make_diff("src/a.ts", make_hunk(BODY), status="A")], []),
    # Folders are named if a list loses their names.
    (whole_files.say_removed, [*GONE_FOLDERS, make_diff("a.lua", make_hunk([], ["fusion = 1,", "jsonc = 1,"]))],
     [("remove fusion and jsonc", 0.67)]),
    (whole_files.say_removed, [*GONE_FOLDERS, make_diff("a.lua", make_hunk([], ["fusion = 1,", "other = 1,"]))], []),
    # Not if a function loses variables of these names, or if the folders keep files.
    (whole_files.say_removed, [*GONE_FOLDERS, make_diff("a.lua", LOCALS)], []),
    (whole_files.say_removed, [*GONE_FOLDERS, make_diff("a.lua", make_hunk([], ["fusion = 1,", "jsonc = 1,"])),
                               make_diff("q/fusion/c.py", make_hunk(["x = 1"]))], []),
    (definitions.say_definitions, [make_diff("a.js", make_hunk(["export const value = 1"]), status="A")],
     [("add value to a.js", 1.0)]),
    # What has another name in its place was renamed, if they share words or uses, and the body; else replaced.
    (definitions.say_definitions, [make_diff("a.go", make_hunk(['const AppLabelName = 1;'], ['const AppTagName = 1']))],
     [("rename AppTagName to AppLabelName", 1.0)]),
    (definitions.say_definitions, [make_diff("a.go", make_hunk(['const AppLabelName = 2'], ['const AppTagName = 1']))],
     [("replace AppTagName with AppLabelName in a.go", 1.0)]),
    (definitions.say_definitions,
     [make_diff("a.py", make_hunk(["def save(path):", "    dump(path)"], ["def load(path):", "    return 1"]))],
     [("replace load with save in a.py", 1.0)]),
    (definitions.say_definitions,
     [make_diff("a.ts", make_hunk(["function omitHidden(rows: Rows): Rows {"], ["function drop(rows: Rows) {"]),
                make_hunk(["  show(omitHidden(rows));"], ["  show(drop(rows));"]))],
     [("rename drop to omitHidden", 1.0)]),
    (definitions.say_definitions,
     [make_diff("a.rb", make_hunk(["def list_hosts(all)", "  all"], ["def find_nodes", "  []"]))],
     [("replace find_nodes with list_hosts in a.rb", 1.0)]),
    # What describes something else is named only where nothing else is new.
    (definitions.say_definitions,
     [make_diff("a.ts", make_hunk(["interface HostsProps {", "  a: 1", "}", "interface Host {", "  b: 2", "}"]))],
     [("add Host to a.ts", 0.7 * 0.5)]),
    # What another file loses is not new.
    (definitions.say_definitions, [make_diff("a.py", make_hunk(READ)), make_diff("b.py", make_hunk([], READ))], []),
    # New files are no more of a change than what is beside them leaves them.
    (whole_files.say_nature,
     [make_diff("a.sh", make_hunk(["run hosts"]), status="A"), make_diff("a.yml", make_hunk(["a: 1"]))],
     [("add a.sh", 0.5)]),
    # New tests are said only if nothing but tests changed.
    (own_words.say_new_tests, [TEST, SOURCE], []),
    # A title explains as much as the source has of its words.
    (own_words.say_tests, [TITLES, SOURCE], [("reject empty hosts", 1.0), ("store far names", 0.0)]),
    (own_words.say_tests, [SPECIFIED, SOURCE], [("reject empty hosts", 1.0)]),
    # What the source lost it does not do, and what is right was accepted before.
    (own_words.say_tests, [SPECIFIED, make_diff("src/a.go", make_hunk(["\tkeep(hosts)"], ["\treject(empty)"]))],
     [("reject empty hosts", 0.5)]),
    (own_words.say_tests, [make_diff("a.test.ts", make_hunk(["it('accepts all valid hosts', () => {"])), SOURCE], []),
    (own_words.say_tests, [make_diff("src/test/ATest.java", make_hunk(["@Test", "void passesWhenHostsAreEmpty() {"])),
                           SOURCE], []),
    (own_words.say_tests, [make_diff("a_test.py", make_hunk(["def test_rejects_empty_hosts():"]), status="A"), SOURCE],
     [("reject empty hosts", 1.0)]),
    # A new file of source has tests of its own.
    (own_words.say_tests, [make_diff("src/a.rs", make_hunk(["#[test]", "fn rejects_empty_hosts() {"]), status="A"),
                           SOURCE], []),
    # A new file is called by what it is titled, defines or tests, and one line beside it does not count.
    (whole_files.say_subject, [WORKFLOW], [("add nightly audit workflow", 1.0)]),
    (whole_files.say_subject, [make_diff("docs/a.md", make_hunk(["# Named hosts", "text"]), status="A")],
     [('add "Named hosts"', 1.0)]),
    (whole_files.say_subject, [make_diff("docs/SECURITY.md", make_hunk(["# Security Policy", "text"]), status="A")],
        [("add SECURITY.md", 1.0)]),
    (whole_files.say_subject, [make_diff("src/hosts.go", make_hunk(["type hostList struct {", "}", "func Get()"]),
                                         status="A")], [("add hosts.go", 1.0)]),
    (whole_files.say_subject, [make_diff("src/list.ts", make_hunk(["type Host = string;", "export function a() {", "}",
     "export function b() {", "}"]), status="A")], [("add list.ts", 1.0)]),
    (whole_files.say_subject, [make_diff("src/list.rs", make_hunk(["struct Host {", "}", "pub struct HostList {", "}"]),
                                         status="A")], [("add HostList", 1.0)]),
    (whole_files.say_subject, [make_diff("src/a.py", make_hunk(["class HostList:", " x = 1", " y"]), status="A"),
                           make_diff("src/b.py", make_hunk(["hosts = HostList()"]))], [("add HostList", 0.75)]),
    (whole_files.say_subject, [WORKFLOW, make_diff(".github/scripts/audit.py", make_hunk(BODY[:2]), status="A")],
     [("add a.yml and audit.py", 1.0)]),
    # A folder that has what describes it is new, unless it only has tests of what was changed.
    (whole_files.say_subject, [make_diff(f"examples/host/{name}", make_hunk(BODY), status="A") for name in NEW_FILES],
     [("add examples/host", 1.0)]),
    (whole_files.say_subject, [make_diff(f"examples/host/{name}", make_hunk(BODY), status="A") for name in NEW_FILES[1:]
                               ] + [make_diff("examples/host/d.py", make_hunk(BODY), status="A")], []),
    (whole_files.say_subject, [SOURCE, *[make_diff(f"tests/host/{name}", make_hunk(BODY), status="A")
                                         for name in NEW_FILES]], []),
    (whole_files.say_subject, [make_diff("CMakeLists.txt", make_hunk(["add_test(hosts)"])),
                           make_diff("tests/test_hosts.cpp", make_hunk(BODY), status="A")],
     [("add tests for hosts", 1.0)]),
    (whole_files.say_subject, [make_diff("src/a.css", make_hunk(BODY), status="A"), SOURCE], []),
    (whole_files.say_subject, [make_diff("src/a.py", make_hunk(["x = 1"]), status="A"), SOURCE, SOURCE_TOO], []),
    (whole_files.say_subject, [WORKFLOW, make_diff("docs/ci.md", make_hunk(BODY))],
     [("add nightly audit workflow", 1.0)]),
    (whole_files.say_removed, [make_diff(".github/workflows/a.yml", make_hunk([], ["x: 1"]), status="D")],
     [("remove a workflow", 1.0)]),
    # The only comment that says what is done.
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Skip hosts without", "# a name.", "keep(hosts)"]))],
     [("skip hosts without a name", 1.0)]),
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# The hosts of a name", "keep(hosts)"]))], []),
    # Of several comments it is the one that instructs, and none within what another one is about.
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# The hosts of a name", "# are kept.", "x(1)"]),
                                       make_hunk(["# Skip hosts without a name.", "if x:", "  # Keep all of the rest",
                                                  "  keep(hosts)"]))], [("skip hosts without a name", 1.0)]),
    (own_words.say_reasons, [make_diff("a.py", make_hunk(["# Keeping hosts would break names", "x(1)"]))], []),
    # What stands above a definition says what that does.
    (own_words.say_reasons, [make_diff("a.c", make_hunk(["// Begin the count of hosts", "static int begin(int x) {"]))],
     []),
    # The tests in a module of source have comments of their own.
    (own_words.say_reasons, [make_diff("a.rs", make_hunk(["keep(hosts)"]),
                                       make_hunk(["#[cfg(test)]", "mod tests {", "// Load the hosts of a file"]))], []),
    # Of several tests, one may be about what stays.
    (own_words.say_tests, [make_diff("a.test.ts", make_hunk(["it('reject still rejects empty hosts', () => {",
                                                             "it('stores names', () => {"])), SOURCE], []),
    # Of many entries, none says what the change is about.
    (changelogs.say_entries, [make_diff("CHANGELOG.md", make_hunk(ENTRIES[:1])), SOURCE],
     [("reject hosts of kind 0", 1.0)]),
    (changelogs.say_entries, [make_diff("CHANGELOG.md", make_hunk(ENTRIES)), SOURCE], []),
    # What is too long ends before a purpose or an alternative.
    (changelogs.say_entries, [make_diff("news/1.fix.md", make_hunk([LONG_ENTRY]), status="A"), SOURCE],
     [("keep hosts in the groups that they were declared in", 1.0)]),
    # The entries of a release are about the commits before it.
    (changelogs.say_entries, [make_diff("CHANGELOG.md", make_hunk(ENTRIES[:1])), RELEASE], []),
    # A place is named in the files that have it.
    (definitions.say_places, [make_diff("a.py", make_hunk(["NAMES = 1"])), make_diff("b.py", TOUCHED)],
     [("update tax in b.py", 0.5)]),
    # Files are counted only if no other one has the same in another form.
    (sayings.say_edits, CHECKED, [("check ready in 4 files", 1.0)]),
    (sayings.say_edits, [*CHECKED, make_diff("src/e.ts", make_hunk(["const port = ready && open();"]))],
     [("check ready", 0.89)]),
    (sayings.say_edits, [*[make_diff(f"{name}/a.toml", make_hunk([], ["old-host = []"])) for name in "abcd"],
                         make_diff("e/b.yml", make_hunk([], ["      old-host"]))], [("remove old-host", 1.0)]),
    # Many documents do not follow from a workflow, nor comments of other files from a new one.
    (whole_files.say_subject, [WORKFLOW, *[make_diff(f"docs/{name}.md", make_hunk(BODY)) for name in "abcd"]], []),
    (whole_files.say_subject, [make_diff("src/a.ts", make_hunk(["// One."]), status="A"),
                               make_diff("src/b.ts", make_hunk(["// Two.", "// Three.", "// Four.", "// Five."]))], []),
    # The formula of a package is known by another name than that of its class.
    (definitions.say_definitions, [make_diff("pins/b.rb", make_hunk(["class CliAT01 < Formula", "end"]))], []),
    # One that has no name is none of those that are named.
    (definitions.say_places, [make_diff("main.tf", TOUCHED, TOUCHED_NAMELESS)], []),
    # What replaces a word in comments alone is no name.
    (replacements.say_replacement, [make_diff("src/a.js", make_hunk(["x(1); // skip suite"], ["x(1); // skip test"]),
                                              make_hunk(["y(1); // skip suite"], ["y(1); // skip test"]))],
     [("replace test with suite in comments of a.js", 1.0)]),
)  # fmt: skip
def test_statements_say_what_is_there(source: Source, diffs: list[FileDiff], expected: list[tuple[str, float]]) -> None:
    assert say(source, *diffs) == expected


@rows(
    ("past", "expected"),
    ("update {} to 1.1.0", "update lodash to 4.17.21"),
    ("bump {} from 1.0.0 to 1.1.0", "bump lodash from 4.17.20 to 4.17.21"),
    ("Upgrade {} to v1.1.0 (#12)", "upgrade lodash to v4.17.21"),
    ("reject {}", "bump lodash from 4.17.20 to 4.17.21"),
)
def test_a_bump_is_worded_like_those_of_other_packages(past: str, expected: str) -> None:
    headers = [f"build: {past.format(name)}".encode() for name in ("react", "vite", "zod", "eslint")]
    history = History([read_past_commit(header, [b"package.json"]) for header in headers])
    assert versions.adapt_bumps(["bump lodash from 4.17.20 to 4.17.21"], history) == [expected]


@rows(
    ("header", "expected"),
    ("chore: update translations", ["update translations"]), ("chore: release 1.{} (#12)", ["release 1.2.0"]),
    # What was mended or came before may not have again, and other numbers are not known.
    ("chore: fix typo", []), ("chore: add hosts", []), ("fix: hosts are unknown", []),
    ("chore: update hosts of week 12", []), ("chore: update hosts {}", []),
)  # fmt: skip
def test_a_summary_recurs_with_its_paths(header: str, expected: list[str]) -> None:
    headers = [header.format(number).encode() for number in range(3)]
    view = ChangeView(ChangeFacts([RELEASE]))
    history = History([read_past_commit(header, [b"package.json"]) for header in headers])
    assert [statement.text for statement in versions.say_recurring(view, history)] == expected
    history = History([read_past_commit(header, [b"package.json", b"a"]) for header in headers])
    assert not list(versions.say_recurring(view, history))


def test_one_of_two_titles_is_no_summary_of_a_part() -> None:
    priors = []
    for is_partial in (False, True):
        view = ChangeView(ChangeFacts([TITLES, SOURCE]), purpose=Purpose(is_partial=is_partial))
        priors.append(next(own_words.say_tests(view)).kind.prior)
    assert priors == [0.48, 0.3]
