"""What stays together whatever the strategy, and the order of commits: what is used is there, and each file parses."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change import syntax
from smartcommit.change.syntax import parses
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Unit, divide_file, read_units
from smartcommit.git.repo import Repository
from smartcommit.split import ordering
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.embedded.partition import find_partition
from smartcommit.split.ordering import Checker, order_among, order_groups, strongly_connected
from smartcommit.split.plan import list_ids
from tests.support.repository import Repo
from tests.support.splitting import run
from tests.support.table import rows

Change = tuple[str, str] | tuple[str, str, str]


def unit(
    status: str, path: str, old: str = "", *, mode: str = "100644", lines: tuple[str, str] = ("", ""), context: str = ""
) -> Unit:
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
    hunk = Hunk(1, len(removed), 1, len(added), context.encode(), removed, added)
    return divide_file(FileDiff(change, [hunk])).units[0]


def names(groups: Sequence[Sequence[Unit]]) -> list[list[str]]:
    return [[unit.change.path.decode() for unit in group] for group in groups]


@rows(
    ("units", "expected"),
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
)  # fmt: skip
def test_bundles(units: list[Change], expected: list[list[str]]) -> None:
    assert names(find_inseparable([unit(*change) for change in units])) == expected


def test_a_submodule_stays_with_gitmodules_only_where_that_changes() -> None:
    modules, one, two = unit("M", ".gitmodules"), unit("M", "one", mode="160000"), unit("M", "two", mode="160000")
    assert names(find_inseparable([modules, one, two])) == [[".gitmodules", "one", "two"]]
    assert names(find_inseparable([one, two])) == [["one"], ["two"]]


@rows(
    ("paths", "expected"),
    (["docs/a.md", "tests/a_test.py", "src/a.py", "setup.py", ".gitattributes"],
     [".gitattributes", "setup.py", "src/a.py", "tests/a_test.py", "docs/a.md"]),
    ([".github/workflows/ci.yml", "src/b.py", "src/a.py"], ["src/b.py", "src/a.py", ".github/workflows/ci.yml"]),
    (["docs/.gitignore", "a/.gitmodules", "package.json"], ["docs/.gitignore", "a/.gitmodules", "package.json"]),
    (["a.py", "b.png", "a.pb.go", "c.png", "Makefile"], ["Makefile", "b.png", "a.pb.go", "c.png", "a.py"]),
)  # fmt: skip
def test_order_by_kind(paths: list[str], expected: list[str]) -> None:
    assert [group[0] for group in names(order_groups([[unit("M", path)] for path in paths]))] == expected


def test_what_calls_a_definition_comes_after_what_edits_it() -> None:
    caller = unit("M", "a.py", lines=("", "load_all(1)"))
    edited = unit("M", "z.py", lines=("def load_all(size):", "def load_all(size: int):"))
    assert names(order_groups([[caller], [edited]])) == [["z.py"], ["a.py"]]


def test_what_runs_a_script_comes_after_its_package() -> None:
    workflow = unit("A", "b/package.json", lines=("", '    "release": "npm run build:all",'))
    package = unit("M", "package.json", lines=("", '    "build:all": "tsc",'))
    assert names(order_groups([[workflow], [package]])) == [["package.json"], ["b/package.json"]]


@rows("line", "String result = parse({});", "assert isValid({});", "LAST({});")
def test_a_line_that_two_groups_call_alike_ties_them_not(line: str) -> None:
    one = unit("M", "a/Cart.java", lines=("", line.format("cart")))
    two = unit("M", "b/Order.java", lines=("", line.format("order")))
    assert names(order_groups([[one], [two]])) == [["a/Cart.java"], ["b/Order.java"]]


@rows(
    ("line", "are_tied"),
    ("discount: 0,", True),
    ("let cart = Cart { discount: 0 };", True),
    ("discount: u64,", False),
    ("fn find(discount: u64) {", False),
)
def test_what_sets_a_new_field_goes_with_it(line: str, are_tied: bool) -> None:
    field = unit("M", "src/cart.rs", lines=("", "    discount: u64,"))
    assert (len(order_groups([[field], [unit("M", "src/order.rs", lines=("", line))]])) == 1) == are_tied


@rows(
    ("path", "context", "definition", "call", "groups"),
    ("z.py", "", "def show(size%):", "show(1%)", 1),
    ("z.py", "", "def show_all(a%):", "x = ak._util.show_all(a%)", 1),
    ("z.py", "class Cart:", "    def __init__(self, size%):", "Cart(1%)", 1),
    ("z.py", "def show(", "%    unit: int,", "show(1%)", 1),
    ("z.ts", "export class Cart {", "  constructor(size%) {", "new Cart(1%)", 1),
    ("z.go", "", "func (c *Cart) Load(a int%) {", "c.Load(1%)", 1),
    ("Z.java", "class Z {", "    public void load(int a%) {", "z.load(f(1, 2)%);", 1),
    ("Z.java", "class Z {", "    public Z(int a%) {", "new Z(1%);", 1),
    ("Z.kt", "", "class Cart(val size: Int%)", "Cart(1%)", 1),
    ("z.rb", "", "def load_all(a%)", "x.load_all(1%)", 1),
    ("z.py", "", "def show(size%):", "show(1) + f(2%)", 2),
    ("z.py", "", "def show(size=1%):", "draw(1%)", 2),
)  # fmt: skip
def test_a_signature_and_its_calls_are_one(path: str, context: str, definition: str, call: str, groups: int) -> None:
    """The parameter stands at the sign, or in the line that begins with it; it comes, or it goes."""
    without, _, line = definition.partition("%")
    sides = [definition.replace("%", item) for item in ("", ", unit")] if without else ["", line]
    calls = [call.replace("%", item) for item in ("", ", 2")]
    for step in (1, -1):
        definer = unit("M", path, lines=(sides[::step][0], sides[::step][1]), context=context)
        caller = unit("M", f"a.{path.partition('.')[2]}", lines=(calls[::step][0], calls[::step][1]))
        assert len(order_groups([[caller], [definer]])) == groups


@rows(
    ("manifest", "line", "user", "use"),
    ("go.mod", "github.com/redis/go-redis/v9 v9.0.1", "a.go", '"github.com/redis/go-redis/v9"'),
    ("package.json", '"date-fns": "^4.0.0",', "a.ts", "import x from 'date-fns/format';"),
    ("requirements/dev.txt", "attrs==2", "a.py", "import attrs"),
    ("pyproject.toml", '"google-cloud-storage>=2",', "a.py", "from google.cloud.storage import Blob"),
    ("Cargo.toml", "anyhow.workspace = true", "src/a.rs", "use anyhow::Result;"),
    ("build.gradle.kts", 'implementation("io.ktor:ktor-client:2")', "A.kt", "import io.ktor.client.HttpClient"),
    ("pom.xml", "<groupId>org.acme</groupId>", "A.java", "import org.acme.lang.Text;"),
    ("a.csproj", '<PackageReference Include="Acme.Json" Version="1" />', "A.cs", "using Acme.Json;"),
)
def test_a_package_is_listed_while_code_uses_it(manifest: str, line: str, user: str, use: str) -> None:
    other = "other 1"
    added = [[unit("M", user, lines=("", use))], [unit("M", manifest, lines=(other, line))]]
    assert names(order_groups(added)) == [[manifest], [user]]
    removed = [[unit("M", manifest, lines=(line, other))], [unit("M", user, lines=(use, ""))]]
    assert names(order_groups(removed)) == [[user], [manifest]]


def test_what_only_leaves_a_manifest_goes_after_the_code() -> None:
    manifest = unit("M", "package.json", lines=('"a": "1",\n"tailwind": "2"', '"a": "1"'))
    assert names(order_groups([[manifest], [unit("M", "a.py")]])) == [["a.py"], ["package.json"]]


def test_need_outranks_kind_and_a_circle_becomes_one() -> None:
    documentation = unit("M", "docs/conf.py", lines=("", "def make_widget():"))
    source = unit("M", "src/a.py", lines=("", "make_widget()"))
    assert names(order_groups([[source], [documentation]])) == [["docs/conf.py"], ["src/a.py"]]
    one = unit("M", "src/a.py", lines=("", "def first_name():\n    second_name()"))
    two = unit("M", "src/b.py", lines=("", "def second_name():\n    first_name()"))
    other = unit("M", "README.md", lines=("", "first_name second_name"))
    assert names(order_groups([[other], [two], [one]])) == [["src/b.py", "src/a.py"], ["README.md"]]


@rows(
    ("spans", "expected"),
    # What a kept group uses comes before it if it was there by then; what stays comes when it came.
    ([(5, 5), (6, 6), (1, 1), (7, 7)], [2, 0, 1, 3]),
    ([(5, 5), (6, 6), (9, 9), (3, 3)], [3, 0, 1, 2]),
    ([(9, 9), (2, 2), (9, 9), (2, 2)], [3, 2, 0, 1]),
)
def test_kept_groups_stay_in_their_order_among_the_others(spans: list[tuple[int, int]], expected: list[int]) -> None:
    kept = [[unit("M", "a.py", lines=("", "make_widget()"))], [unit("M", "b.py")]]
    others = [[unit("M", "z.py", lines=("", "def make_widget():"))], [unit("M", "README.md")]]
    assert order_among(kept, others, spans) == expected


def files_of_commits(repo: Repo, old: str) -> list[list[str]]:
    return [
        sorted(repo.git("diff-tree", "--no-commit-id", "--name-only", "-r", commit).split())
        for commit in repo.git("rev-list", "--reverse", f"{old}..HEAD").split()
    ]


CART = "from util import calc_total\n\n" + "".join(f"VALUE_{n} = {n}\n" for n in range(9)) + "print(calc_total([1]))\n"


@pytest.mark.parametrize("strategy", ["hunk", "file"])
def test_a_rename_is_one_commit_with_the_lines_that_use_the_name(based: Repo, strategy: str) -> None:
    util = "def calc_total(items):\n    return sum(items)\n"
    base = {"cart.py": CART, "util.py": util, "README.md": "Use `calc_total`.\n"}
    old = based.commit("chore: a", base)
    for name, content in base.items():
        based.write(name, content.replace("calc_total", "compute_sum"))
    assert run(based, strategy=strategy)[0] == 0
    # What only mentions the name breaks neither way, and comes after.
    assert files_of_commits(based, old) == [["cart.py", "util.py"], ["README.md"]]


GAP = "\n\n" + "".join(f"LINE_{n} = {n}\n" for n in range(9))
ROUND = "class Round:\n    pass\n"
# A package before and after names and modules are renamed, moved, removed and added, some in a circle.
BEFORE = {
    "cart.py": CART.replace("print", "from helpers import show\nshow") + "from gone import removed\n",
    "report.py": f"from shapes import Square\nfrom util import calc_total\nimport util\n{GAP}util.RATE_BASIC\n",
    "util.py": f"def calc_total(items):\n    return sum(items)\n{GAP}RATE_BASIC = 2\n",
    "helpers.py": "def show(thing):\n    return thing\n",
    "shapes.py": f"class Square:\n    side = 1\n{GAP}{ROUND}",
    "gone.py": "removed = 1\n",
}
AFTER = {
    "cart.py": CART.replace("calc_total", "compute_sum").replace("print", "from support import show\nshow")
    + "import extra\nfrom left import start\n",
    "report.py": f"from figures import Square\nfrom util import compute_sum\nimport util\n{GAP}util.RATE_PLAIN\n",
    "util.py": f"def compute_sum(items):\n    return sum(items)\n{GAP}RATE_PLAIN = 2\n",
    "support.py": "def show(thing):\n    return thing\n",
    "shapes.py": f"{GAP}{ROUND}",
    "figures.py": "class Square:\n    side = 1\n",
    "extra.py": "EXTRA = 1\n",
    "left.py": "import right\n\n\ndef start():\n    return right.stop\n",
    "right.py": "import left\n\n\ndef stop():\n    return left.start\n",
}


@pytest.mark.parametrize("strategy", ["auto", "hunk"])
def test_every_commit_of_a_python_package_can_be_imported(based: Repo, tmp_path: Path, strategy: str) -> None:
    old = based.commit("chore: a", BEFORE)
    for name in BEFORE.keys() - AFTER.keys():
        (based.path / name).unlink()
    for name, content in AFTER.items():
        based.write(name, content)
    assert run(based, strategy=strategy)[0] == 0
    commits = based.git("rev-list", "--reverse", f"{old}..HEAD").split()
    assert len(commits) > (2 if strategy == "hunk" else 0)
    based.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"), old)
    tree = Repo(tmp_path / "tree")
    for commit in [old, *commits]:
        tree.git("checkout", "-q", commit)
        modules = [name.removesuffix(".py") for name in tree.git("ls-files", "*.py").split()]
        for module in modules:
            done = subprocess.run(
                [sys.executable, "-B", "-c", f"import {module}"],
                cwd=tree.path, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, (based.git("log", "-1", "--stat", commit), done.stderr)


def reached(needs: list[set[int]], start: int) -> set[int]:
    found: set[int] = set()
    waiting = [start]
    while waiting:
        new = needs[waiting.pop()] - found
        found |= new
        waiting += new
    return found | {start}


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.sets(st.integers(0, n - 1)), min_size=n, max_size=n)))
def test_circles_are_those_of_the_definition(needs: list[set[int]]) -> None:
    reach = [reached(needs, start) for start in range(len(needs))]
    expected = {tuple(b for b in sorted(reach[a]) if a in reach[b]) for a in range(len(needs))}
    assert strongly_connected(needs) == sorted(map(list, expected))


def test_a_long_chain_takes_no_recursion() -> None:
    size = 20_000
    assert strongly_connected([{number + 1} for number in range(size - 1)] + [set()]) == [
        [number] for number in range(size)
    ]
    assert strongly_connected([{(number + 1) % size} for number in range(size)]) == [list(range(size))]


# A block that two hunks open and close around a line that stays; alone neither parses.
BLOCKS = {
    "a.py": ("x = 1\ny = 2\nz = 3\n", 'x = """1\ny = 2\nz = 3"""\n'),
    "a.json": ('{\n"a": 1,\n"b": 2\n}\n', '{\n"c": {\n"a": 1,\n"d": {},\n"b": 2}\n}\n'),
    "a.toml": ("a = 1\nb = 2\nc = 3\n", "a = '''1\nb = 2\nc = 3'''\n"),
    "a.js": ("a()\nb()\n", "if (x) {\na()\n}\nb()\n"),
    "a.ts": ("let a: number\nb()\n", "if (x) {\nlet a: number\n}\nb()\n"),
    "a.tsx": ("let a = <b/>\nc()\n", "if (x) {\nlet a = <b/>\n}\nc()\n"),
    "a.go": ("package a\nfunc A() {\n\tb()\n\tc()\n}\n", "package a\nfunc A() {\n\tif x {\n\tb()\n\t}\n\tc()\n}\n"),
    "a.rs": ("fn a() {\nb();\nc();\n}\n", "fn a() {\nif x {\nb();\n}\nc();\n}\n"),
    "a.java": ("class A {\nint b;\nint c;\n}\n", "class A {\nclass B {\nint b;\n}\nint c;\n}\n"),
    "a.c": ("int a;\nint b;\n", "struct x {\nint a;\n};\nint b;\n"),
    "a.cpp": ("int a;\nint b;\n", "namespace x {\nint a;\n}\nint b;\n"),
    "a.cs": ("class A {}\nclass B {}\n", "namespace x {\nclass A {}\n}\nclass B {}\n"),
    "a.rb": ("a\nb\n", "if x\na\nend\nb\n"),
    "a.sh": ("a\nb\n", "if x; then\na\nfi\nb\n"),
}


def changed(repo: Repo, files: dict[str, tuple[str, str]]) -> ChangeUnits:
    repo.commit("chore: a", {name: before for name, (before, _) in files.items()})
    repo.stage({name: after for name, (_, after) in files.items()})
    return read_units(Repository.find(str(repo.path)), "HEAD", repo.git("write-tree").strip(), cut=True)


def test_commits_between_which_a_file_would_not_parse_are_one(based: Repo) -> None:
    pieces = changed(based, {name: (before, f"{after}\n") for name, (before, after) in BLOCKS.items()})
    apart = find_partition(pieces, strategy="hunk").groups
    assert {len(units) for units in apart} == {1}
    checker = Checker(pieces)
    broken = {path.decode() for paths in checker.find_broken(apart) for path in paths}
    assert broken == set(BLOCKS)
    joined = checker.merge_broken(apart)
    assert {unit.change.path.decode() for units in joined for unit in units if len(units) > 1} == set(BLOCKS)
    assert not any(checker.find_broken(joined))


def test_what_parses_alone_stays_apart(based: Repo) -> None:
    before = "x = 1\ny = 2\nz = 3\n" + "\n".join(f"v{n} = {n}" for n in range(9)) + "\n"
    after = before.replace("x = 1", "x = '''1").replace("z = 3", "z = 3'''").replace("v8 = 8", "v8 = 9")
    pieces = changed(based, {"a.py": (before, after)})
    joined = Checker(pieces).merge_broken([[unit] for unit in pieces.units])
    assert [list_ids(units) for units in joined] == [["a.py::1", "a.py::2"], ["a.py::3"]]


@rows(
    ("name", "before", "after"),
    ("a.py", "x = (1\ny\nz = 1\n", "x = (2\ny\nz = 2\n"),
    ("a.py", "x = 1\ny\nz = 1\n", "x = (2\ny\nz = 2\n"),
    ("a.unknown", "{\ny\nz\n", "{{\ny\n}}\n"),
)
def test_where_nothing_can_be_expected_nothing_is_checked(based: Repo, name: str, before: str, after: str) -> None:
    pieces = changed(based, {name: (before, after)})
    checker = Checker(pieces)
    assert not any(checker.find_broken([[unit] for unit in pieces.units]))
    assert len(checker.merge_broken([[unit] for unit in pieces.units])) == 2


def test_checking_ends_where_its_budget_does(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = changed(based, {"a.py": BLOCKS["a.py"]})
    apart = [[unit] for unit in pieces.units]
    assert any(Checker(pieces).find_broken(apart))
    monkeypatch.setattr(ordering, "BUDGET", 40)
    assert not any(Checker(pieces).find_broken(apart))


@rows(
    ("name", "content", "expected"),
    ("a.py", b"x = 1\n", True),
    ("a.py", b"x = (\n", False),
    ("a.py", b"\xff\n", False),
    ("a.py", b"\0\n", False),
    ("a.PY", b"'\\d'\n", True),
    ("a.py", b"-" * 200_000 + b"1", None),
    ("a.py", b"a" + b".b" * 100_000, None),
    ("a.py", b"#" * (syntax.BYTES_PARSED + 1), None),
    ("a.json", b"[" * 200_000, None),
    ("a.json", b"// x\n{}", False),
    ("a.toml", b"\xff", False),
    ("a.go", b"package a\nfunc {", False),
    ("Makefile", b"x", None),
)
def test_parses(name: str, content: bytes, expected: bool | None) -> None:
    assert parses(name.encode(), content) is expected


def test_every_intermediate_commit_of_a_split_by_hunks_parses(based: Repo) -> None:
    old = based.commit("chore: a", {name: before for name, (before, _) in BLOCKS.items()})
    for name, (_, after) in BLOCKS.items():
        based.write(name, after)
    assert run(based, strategy="hunk")[0] == 0
    for commit in based.git("rev-list", f"{old}..HEAD").split():
        for name in BLOCKS:
            assert parses(name.encode(), based.git("show", f"{commit}:{name}").encode()), (commit, name)
