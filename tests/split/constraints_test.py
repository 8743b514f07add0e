"""What stays together whatever the strategy, and in which order commits come."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.git.hunks import Unit, list_units
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.ordering import order_groups
from tests.support.table import rows

Change = tuple[str, str] | tuple[str, str, str]


def unit(status: str, path: str, old: str = "", *, mode: str = "100644", lines: tuple[str, str] = ("", "")) -> Unit:
    """A whole-file unit; `lines` are the text removed and added."""
    removed, added = ([line.encode() for line in text.splitlines()] for text in lines)
    change = FileChange(
        status=status,
        path=path.encode(),
        old_path=old.encode() or None,
        old_mode="000000" if status == "A" else mode,
        new_mode="000000" if status == "D" else mode,
        old_id="0",
        new_id="1",
        added=len(added),
        deleted=len(removed),
    )
    return list_units([FileDiff(change, [Hunk(1, len(removed), 1, len(added), b"", removed, added)])], ())[0]


def names(groups: Sequence[Sequence[Unit]]) -> list[list[str]]:
    return [[unit.change.path.decode() for unit in group] for group in groups]


@rows(
    ("units", "expected"),
    [
        ([("M", "a"), ("M", "b")], [["a"], ["b"]]),
        ([("D", "a"), ("A", "a/b/c"), ("A", "other")], [["a", "a/b/c"], ["other"]]),
        ([("D", "a/b"), ("D", "a/c/d"), ("A", "a"), ("A", "ab")], [["a/b", "a/c/d", "a"], ["ab"]]),
        ([("R", "a/b", "a"), ("M", "ab.txt")], [["a/b"], ["ab.txt"]]),
        ([("R", "x", "a"), ("A", "a/b")], [["x", "a/b"]]),
        ([("M", "package.json"), ("M", "package-lock.json"), ("M", "a.js")],
         [["package.json", "package-lock.json"], ["a.js"]]),
        ([("M", "web/package.json"), ("M", "package.json"), ("M", "yarn.lock")],
         [["web/package.json"], ["package.json", "yarn.lock"]]),
        ([("M", "crates/a/Cargo.toml"), ("M", "Cargo.lock")], [["crates/a/Cargo.toml", "Cargo.lock"]]),
        ([("M", "package.json"), ("M", "Cargo.lock"), ("M", "go.sum")], [["package.json"], ["Cargo.lock"], ["go.sum"]]),
        ([("M", "api/a.proto"), ("M", "api/a.pb.go"), ("M", "api/a_grpc.pb.go"), ("M", "api/b_pb2.py")],
         [["api/a.proto", "api/a.pb.go", "api/a_grpc.pb.go"], ["api/b_pb2.py"]]),
        ([("M", "lib/a.dart"), ("M", "lib/a.g.dart"), ("M", "t/__snapshots__/a.test.ts.snap"), ("M", "t/a.test.ts")],
         [["lib/a.dart", "lib/a.g.dart"], ["t/__snapshots__/a.test.ts.snap", "t/a.test.ts"]]),
        ([("M", "go.mod"), ("M", "sub/go.sum")], [["go.mod"], ["sub/go.sum"]]),
    ],
)  # fmt: skip
def test_bundles(units: list[Change], expected: list[list[str]]) -> None:
    assert names(find_inseparable([unit(*change) for change in units])) == expected


def test_a_submodule_stays_with_gitmodules_only_where_that_changes() -> None:
    modules, one, two = unit("M", ".gitmodules"), unit("M", "one", mode="160000"), unit("M", "two", mode="160000")
    assert names(find_inseparable([modules, one, two])) == [[".gitmodules", "one", "two"]]
    assert names(find_inseparable([one, two])) == [["one"], ["two"]]


@rows(
    ("paths", "expected"),
    [
        (["docs/a.md", "tests/a_test.py", "src/a.py", "setup.py", ".gitattributes"],
         [".gitattributes", "setup.py", "src/a.py", "tests/a_test.py", "docs/a.md"]),
        ([".github/workflows/ci.yml", "src/b.py", "src/a.py"], ["src/b.py", "src/a.py", ".github/workflows/ci.yml"]),
        (["docs/.gitignore", "a/.gitmodules", "package.json"], ["docs/.gitignore", "a/.gitmodules", "package.json"]),
    ],
)  # fmt: skip
def test_order_by_kind(paths: list[str], expected: list[str]) -> None:
    assert [group[0] for group in names(order_groups([[unit("M", path)] for path in paths]))] == expected


def test_a_name_is_added_before_it_is_used() -> None:
    use = unit("M", "src/a.py", lines=("", "value = make_widget()"))
    definition = unit("M", "src/z.py", lines=("", "def make_widget():"))
    assert names(order_groups([[use], [definition]])) == [["src/z.py"], ["src/a.py"]]


def test_the_uses_of_a_name_go_before_it_does() -> None:
    definition = unit("M", "src/a.py", lines=("def make_widget():", ""))
    use = unit("M", "src/z.py", lines=("value = make_widget()", "value = 1"))
    assert names(order_groups([[definition], [use]])) == [["src/z.py"], ["src/a.py"]]


def test_need_outranks_kind_and_a_circle_becomes_one() -> None:
    documentation = unit("M", "docs/conf.py", lines=("", "def make_widget():"))
    source = unit("M", "src/a.py", lines=("", "make_widget()"))
    assert names(order_groups([[source], [documentation]])) == [["docs/conf.py"], ["src/a.py"]]
    one = unit("M", "src/a.py", lines=("", "def first_name():\n    second_name()"))
    two = unit("M", "src/b.py", lines=("", "def second_name():\n    first_name()"))
    other = unit("M", "README.md", lines=("", "first_name second_name"))
    assert names(order_groups([[other], [two], [one]])) == [["src/b.py", "src/a.py"], ["README.md"]]


def test_order_takes_time_in_proportion() -> None:
    groups = [[unit("M", f"src/f{n}.py", lines=("", f"def name_{n}():\n    name_{n + 1}()"))] for n in range(2000)]
    assert names(order_groups(groups)) == [[f"src/f{n}.py"] for n in reversed(range(2000))]
