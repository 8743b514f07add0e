"""Files between the commits: where one would not parse, the commits are one."""

from __future__ import annotations

import pytest

from smartcommit.change import syntax
from smartcommit.change.syntax import parses
from smartcommit.git.hunks import ChangeUnits, read_units
from smartcommit.git.repo import Repository
from smartcommit.split import ordering
from smartcommit.split.embedded.partition import partition
from smartcommit.split.ordering import Checker
from tests.support.repository import Repo
from tests.support.splitting import run
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
    broken = {path.decode() for paths in checker.find_broken(apart) for path in paths}
    assert broken == set(BLOCKS)
    joined = checker.merge_broken(apart)
    assert {unit.change.path.decode() for units in joined for unit in units if len(units) > 1} == set(BLOCKS)
    assert not any(checker.find_broken(joined))


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
