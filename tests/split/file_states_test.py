"""Files between the commits: whether they parse there is known, and where one would not, the commits are one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from smartcommit.change import syntax
from smartcommit.change.syntax import parses
from smartcommit.git.hunks import ChangeUnits, read_units
from smartcommit.git.repo import Repository
from smartcommit.split import ordering
from smartcommit.split.embedded.partition import partition
from smartcommit.split.ordering import Checker
from smartcommit.split.plan import SplitPlan
from smartcommit.split.plan_file import WrittenPlan, describe_plan, read_plan
from smartcommit.split.source import SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import run, split
from tests.support.table import rows

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


def ids(groups: object) -> list[list[str]]:
    return [[unit.id for unit in units] for units in groups]  # type: ignore[attr-defined]


def test_commits_between_which_a_file_would_not_parse_are_one(based: Repo) -> None:
    pieces = changed(based, {name: (before, f"{after}\n") for name, (before, after) in BLOCKS.items()})
    apart = partition(pieces, strategy="hunk")
    assert {len(units) for units in apart} == {1}
    checker = Checker(pieces)
    broken = {path.decode() for states in checker.check(apart) for path, sound in states.items() if sound is False}
    assert broken == set(BLOCKS)
    joined = checker.merge_broken(apart)
    assert {unit.change.path.decode() for units in joined for unit in units if len(units) > 1} == set(BLOCKS)
    assert False not in {sound for states in checker.check(joined) for sound in states.values()}


def test_what_parses_alone_stays_apart(based: Repo) -> None:
    before = "x = 1\ny = 2\nz = 3\n" + "\n".join(f"v{n} = {n}" for n in range(9)) + "\n"
    after = before.replace("x = 1", "x = '''1").replace("z = 3", "z = 3'''").replace("v8 = 8", "v8 = 9")
    pieces = changed(based, {"a.py": (before, after)})
    assert ids(Checker(pieces).merge_broken([[unit] for unit in pieces.units])) == [["a.py::1", "a.py::2"], ["a.py::3"]]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", "x = (1\ny\nz = 1\n", "x = (2\ny\nz = 2\n"),
        ("a.py", "x = 1\ny\nz = 1\n", "x = (2\ny\nz = 2\n"),
        ("a.unknown", "{\ny\nz\n", "{{\ny\n}}\n"),
    ],
    ids=["broken before", "broken after", "no parser"],
)
def test_where_nothing_can_be_expected_nothing_is_checked(based: Repo, name: str, before: str, after: str) -> None:
    pieces = changed(based, {name: (before, after)})
    checker = Checker(pieces)
    assert checker.check([[unit] for unit in pieces.units]) == [{name.encode(): None}, {}]
    assert len(checker.merge_broken([[unit] for unit in pieces.units])) == 2


def test_checking_ends_where_its_budget_does(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = changed(based, {"a.py": BLOCKS["a.py"]})
    monkeypatch.setattr(ordering, "BUDGET", 40)
    assert Checker(pieces).check([[unit] for unit in pieces.units]) == [{b"a.py": None}, {}]


@rows(
    ("name", "content", "expected"),
    [
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
    ],
)
def test_parses(name: str, content: bytes, expected: bool | None) -> None:
    assert parses(name.encode(), content) is expected


def test_every_intermediate_commit_of_a_split_by_hunks_parses(based: Repo) -> None:
    based.commit("chore: a", {name: before for name, (before, _) in BLOCKS.items()})
    for name, (_, after) in BLOCKS.items():
        based.write(name, after)
    old = based.git("rev-parse", "HEAD").strip()
    assert run(based, strategy="hunk")[0] == 0
    for commit in based.git("rev-list", f"{old}..HEAD").split():
        for name in BLOCKS:
            assert parses(name.encode(), based.git("show", f"{commit}:{name}").encode()), (commit, name)


def test_the_plan_tells_what_does_not_parse(based: Repo) -> None:
    based.commit("chore: a", {"a.py": BLOCKS["a.py"][0]})
    based.write("a.py", BLOCKS["a.py"][1])
    based.write("b.py", "y = 1\n")
    shown = tell(based, plan=apart(based))
    assert "a.py does not parse at this commit" in shown
    assert "files between commits: 0 parse, 1 do not parse, 0 not checked" in shown


@pytest.mark.parametrize(
    ("name", "parses", "parser"),
    [("a.py", False, "ast"), ("a.toml", False, "tomllib"), ("a.js", False, "tree-sitter"), ("a.txt", None, None)],
)
def test_the_written_plan_tells_what_parses_between_and_is_carried_out(
    based: Repo, tmp_path: Path, name: str, parses: bool | None, parser: str | None
) -> None:
    before, after = BLOCKS.get(name, ("1\n2\n3\n", "0\n2\n4\n"))
    based.commit("chore: a", {name: before})
    based.write(name, after)
    file = tmp_path / "plan"
    written = tell(based, plan=apart(based), json=True, save_plan=str(file))
    found = [commit["between"] for commit in json.loads(written)["commits"]]
    assert found == [[{"path": name, "parses": parses, "parser": parser}], []]
    assert file.read_text() == f"{written}\n"
    made = json.loads(tell(based, plan=read_plan(written), json=True, yes=True))
    assert [commit["between"] for commit in made["commits"]] == found
    assert len(based.subjects()) == 4


USES = "".join(f"a{n} = {{name}}\n" if n in (0, 9) else f"a{n} = {n}\n" for n in range(10))
OTHERS = "".join(f"b{n} = {n}\n" for n in range(10))


@rows(
    ("before", "after", "order", "expected"),
    [
        (("old_name", "def old_name(): pass\n"), ("new_name", "def new_name(): pass\n"), [0, 1, 2], [None]),
        (("old_name", "def old_name(): pass\n"), ("new_name", "def new_name(): pass\n"), [2, 0, 1], [None]),
        (("0", ""), ("new_name", "def new_name(): pass\n"), [0, 1, 2], [None]),
        (("0", ""), ("new_name", "def new_name(): pass\n"), [2, 0, 1], [True]),
        (("old_name", "def old_name(): pass\n"), ("0", ""), [2, 0, 1], [None]),
        (("old_name", "def old_name(): pass\n"), ("0", ""), [0, 1, 2], [True]),
        (("old_name", "def old_name(): pass\n"), ("0", ""), [2, 0], [None]),
        (("0", ""), ("new_name", "def new_name(): pass\n"), [0], [None]),
    ],
    ids=[
        "a rename after its first use", "a rename before its last use", "a definition after its first use",
        "a definition before its uses", "a removal before the last use", "a removal after the last use",
        "a use that stays uncommitted", "a definition that stays uncommitted",
    ],
)  # fmt: skip
def test_a_file_in_which_a_name_is_missing_is_not_said_to_parse(
    based: Repo, before: tuple[str, str], after: tuple[str, str], order: list[int], expected: list[bool | None]
) -> None:
    based.commit("chore: a", {"a.py": USES.replace("{name}", before[0]), "b.py": OTHERS + before[1]})
    based.write("a.py", USES.replace("{name}", after[0]))
    based.write("b.py", OTHERS + after[1])
    plan = apart(based)
    assert [unit.id for unit in plan.units] == ["a.py::1", "a.py::2", "b.py::1"]
    shown = json.loads(tell(based, plan=choose(plan, order), json=True))
    assert [state["parses"] for commit in shown["commits"] for state in commit["between"]] == expected


@rows(("order", "expected"), [((2, 0, 3, 1), None), ((3, 0, 2, 1), True)])
def test_a_definition_that_is_removed_before_it_is_in_its_new_place_is_missing(
    based: Repo, order: tuple[int, ...], expected: bool | None
) -> None:
    moved = "def moved_name(): pass\n"
    based.commit("chore: a", {"a.py": USES.replace("{name}", "0"), "b.py": OTHERS + moved, "c.py": OTHERS})
    based.write("a.py", USES.replace("{name}", "1"))
    based.write("b.py", OTHERS)
    based.write("c.py", OTHERS + moved)
    shown = json.loads(tell(based, plan=choose(apart(based), order), json=True))
    assert [state["parses"] for commit in shown["commits"] for state in commit["between"]] == [expected]


def tell(repo: Repo, *, yes: bool = False, **options: object) -> str:
    """What a split with these `options` prints."""
    lines: list[str] = []
    split(
        Repository.find(str(repo.path)), staged=False, yes=yes, terminal=None, out=lines.append,
        options=SplitOptions(**options),  # type: ignore[arg-type]
    )  # fmt: skip
    return "\n".join(lines)


def apart(repo: Repo) -> WrittenPlan:
    """A plan with a commit for each hunk."""
    plan = json.loads(tell(repo, json=True))
    whole = SplitPlan(None, "", staged=False, engine="test", commits=(), skipped=tuple(changed_pieces(repo).units))
    units = describe_plan(whole)["skipped"]
    plan["commits"] = [{"message": f"chore: step {n}\n", "units": [unit]} for n, unit in enumerate(units)]
    return read_plan(json.dumps(plan))


def choose(plan: WrittenPlan, order: Sequence[int]) -> WrittenPlan:
    """These commits of the plan, in this order; the others stay uncommitted."""
    left = [unit for number, unit in enumerate(plan.units) if number not in order]
    messages = [plan.messages[number] for number in order]
    return replace(plan, messages=messages, groups=[left, *(plan.groups[number + 1] for number in order)])


def changed_pieces(repo: Repo) -> ChangeUnits:
    repo.git("add", "-A")
    target = repo.git("write-tree").strip()
    repo.git("reset", "-q")
    return read_units(Repository.find(str(repo.path)), "HEAD", target, cut=True)
