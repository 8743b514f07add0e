"""Statements on arguments, values, items, keys and other literals of edited lines."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.literals import say_literals
from smartcommit.draft.embedded.view import ChangeView, Statement
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from tests.support.table import rows


def diff(path: str, before: str, after: str, context: str = "") -> FileDiff:
    removed, added = before.encode().splitlines(), after.encode().splitlines()
    hunk = Hunk(1, len(removed), 1, len(added), context.encode(), removed, added)
    return FileDiff(FileChange("M", path.encode(), None, "100644", "100644", "a" * 40, "b" * 40), [hunk])


def say(*diffs: FileDiff) -> dict[str, Statement]:
    return {statement.text: statement for statement in say_literals(ChangeView(ChangeFacts(diffs)))}


@rows(
    ("path", "before", "after", "context", "expected"),
    [
        ("a.py", "    s = open_store(path)", "    s = open_store(path, mode)", "", "pass mode to open_store"),
        ("a.py", "    s = open_store(a, b)", "    s = open_store(a, mode=3, b)", "", "pass mode=3 to open_store"),
        ("a.py", "    s = open_store(path, mode)", "    s = open_store(path)", "", "stop passing mode to open_store"),
        ("a.py", "def load(path):", "def load(path, depth=2):", "", "add depth parameter to load"),
        ("A.java", "  public int load(int a) {", "  public int load(int a, long b) {", "", "add b parameter to load"),
        ("a.rs", "pub(crate) async fn load(a: u8) {", "pub(crate) async fn load(a: u8, b: u8) {", "",
         "add b parameter to load"),
        ("a.py", "class Store(Base):", "class Store(Base, Mixin):", "", "add Mixin to Store"),
        # What is called here is not defined.
        ("a.py", "    x = re.sub(a, b)", "    x = re.sub(a, b, flags)", "", "pass flags to re.sub"),
        ("a.ts", "export const s = make(a, {", "export const s = make(a, b, {", "", "pass b to make"),
        ("a.py", "    x = func(depth=2)", "    x = func(depth=9)", "", "set depth to 9 in a.py"),
        ("a.py", "    LIMIT = 5", "    LIMIT = 60", "class Store:", "set LIMIT to 60 in Store"),
        ("a.py", "def load(depth=2):", "def load(depth=9):", "", "set depth to 9 in a.py"),
        ("a.yml", "  name: Old", "  name: New", "", "change name from Old to New in a.yml"),
        ("a.py", "KINDS = ['a1', 'b1']", "KINDS = ['a1', 'b1', 'c1']", "", "add c1 to KINDS"),
        ("Cargo.toml", 'x = { features = ["a"] }', 'x = { features = ["a", "b"] }', "", "add b to features of x"),
        ("ci.yml", "", "    timeout-minutes: 10", "", "set timeout-minutes to 10 in ci.yml"),
        ("ci.yml", "    services:\n      db:\n        image: x", "", "", "remove services from ci.yml"),
        ("a.go", "\tif a {", "\tif a && b.Ready() {", "func (s *S) Load() {", "check b.Ready() in Load"),
        ("a.ts", "", "  stopTimer(id);", "function close() {", "call stopTimer in close"),
        ("a.go", "", "\tcase keyEvent:\n\t\tm.press()", "func (m M) Update() {", "handle keyEvent in Update"),
        ("a.rs", "", "    Code::Busy => true,", "fn retries() {", "handle Code::Busy in retries"),
        ("a.zsh", "", "alias gx='git x'", "", "add gx alias to a.zsh"),
        ("a.py", "", "    self.tries = 3", "class Store:", "set self.tries to 3 in Store"),
        ("a.go", "\tappMinor uint = 10", "\tappMinor uint = 11", "", "set appMinor to 11 in a.go"),
        ("a.go", "var name string = a", "var name string = b", "", "change name from a to b in a.go"),
        ("a.js", "", "  retries: 4,", "", "set retries to 4 in a.js"),
        ("a.py", "x", "y", "", "replace x with y in a.py"),
        ("README.md", "", "| `fast` | Skips checks |", "", "add fast to README.md"),
        ("Dockerfile", "FROM a/base:v1", "FROM a/base:v1@sha256:0f1e", "", "pin base to a digest in Dockerfile"),
    ],
)  # fmt: skip
def test_a_literal_edit_is_said(path: str, before: str, after: str, context: str, expected: str) -> None:
    found = say(diff(path, before, after, context))
    assert expected in found
    assert found[expected].share == 1


def test_the_same_edit_in_many_files_is_one_statement() -> None:
    files = [diff(f"A{number}.java", "", "    @Override", f"class A{number} {{") for number in range(4)]
    assert say(*files)["add @Override to 4 files"].share == 1


def test_a_key_is_removed_from_files_of_one_name() -> None:
    found = say(*[diff(f"crate{number}/Cargo.toml", "authors.workspace = true", "") for number in range(4)])
    assert "remove authors.workspace from 4 Cargo.toml files" in found


def test_several_objects_of_one_place_are_listed() -> None:
    found = say(diff("ci.yml", "", '- "3.11"\n- "3.12"'))
    assert found["add 3.11 and 3.12 to ci.yml"].share == 1
    assert found["add 3.11 to ci.yml"].share == 0.5


@rows(
    ("before", "after"),
    [
        # What is added stood elsewhere before, and what is removed still stands somewhere.
        ("- fuzzy\n- sorted", "- plain\n- x\n- y\n- z\n- w\n- v\n- sorted\n- quick\n- fuzzy"),
        ("steps: fuzzy", "- fuzzy"),
    ],
)
def test_what_moved_is_not_added(before: str, after: str) -> None:
    assert not [text for text in say(diff("a.yml", before, after)) if text.startswith("add") and "fuzzy" in text]


@rows(
    ("path", "before", "after"),
    [
        # What went, or was replaced, still stands.
        ("a.py", "t = Table(tokenize)", "t = Table()\nt.tokenize = read(2)"),
        ("a.py", "def load(path, depth):", "def load(path):\n    depth = read(path, 2)"),
        ("a.py", "x = load(one)\ny = keep(two)", "x = load(two)\ny = keep(one)"),
        # An entry came, beside others.
        ("ci.yml", "", "  - os: ubuntu-latest\n    target: x86_64"),
        ("a.json", "", '    {\n      "os": "linux"\n    },'),
        ("a.toml", "", '[[bin]]\npath = "x"'),
        # A boolean, an operator or nothing at all.
        ("a.py", "load(x)", "load(x, True)"),
        ("a.py", "if a and b:", "if a or b:"),
        ("a.js", "trigger(true)", "trigger(false)"),
        ("a.c", "if (a == 0)", "if (a <= 0)"),
        # What is no call, and no import.
        ("a.py", "except (OSError, KeyError):", "except (OSError, KeyError, ValueError):"),
        ("a.ts", "export { A } from './a';", ""),
        ("a.rs", "", "mod hosts;"),
        # Several keys with their values.
        ("a.properties", "a=1", "a=2\nb=3"),
        # What programs write.
        ("src/page.approved.json", '  "content-length": 841', '  "content-length": 842'),
        ("poetry.lock", 'content = "a"', 'content = "b"'),
    ],
)
def test_nothing_is_said_where_it_would_be_untrue_or_tell_nothing(path: str, before: str, after: str) -> None:
    assert not say(diff(path, before, after))


def test_a_call_whose_arguments_moved_to_other_lines_is_still_made() -> None:
    found = say(diff("a.py", "    log.debug(f'{x} and {y}')", "    log.debug(\n        'what is', z(1, 2),\n    )"))
    assert not [text for text in found if text.startswith("stop calling")]


@rows(
    ("path", "before", "after"),
    [
        ("a.py", "api_key = 'Zx81kd02mmQ1'", "api_key = 'Zx81kd02mmQ2'"),
        (".env", "PORT=1", "PORT=2"),
        ("a.py", "connect(host)", "connect(host, password='hunter2')"),
    ],
)
def test_a_value_that_may_be_secret_is_not_said(path: str, before: str, after: str) -> None:
    assert not say(diff(path, before, after))


@rows(
    ("path", "before", "after"),
    [
        ("pom.properties", "libVersion = 3.1.0", "libVersion = 3.2.0"),
        ("a.md", "It was good.", "It was fine."),
        (".github/workflows/a.yml", "name: Run tests", "name: Run unit tests"),
        ("a.py", "x = 1", "def y(): pass"),
        ("a.py", "x = table[a]", "x = table[a, b]"),
        ("a.py", "@deco(extra=1)", "@deco(\n    Config(extra=1)\n)  # older versions take no keywords here"),
        ("a.py", "", "    'one is more words than another, '"),
        ("a.py", "from b import (", "from b import (\n    Store,"),
    ],
)
def test_nothing_is_said_of_versions_prose_and_other_code(path: str, before: str, after: str) -> None:
    assert not say(diff(path, before, after))
