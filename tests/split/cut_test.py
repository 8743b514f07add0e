"""Cutting a hunk: where it is allowed, what becomes of it, and that a written plan does it again."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.config import load
from smartcommit.errors import SplitError
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.git.hunks import ChangeUnits, Text, divide_file, read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.cut import cut_unit, divide_unit, reapply_cuts
from smartcommit.split.plan import SplitPlan
from smartcommit.split.plan_file import print_plan, read_plan
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of
from tests.support.situations_split import FORTY, SITUATIONS, edited
from tests.support.splitting import plan_of
from tests.support.table import rows


def changed(repo: Repo, name: str, before: str, after: str) -> ChangeUnits:
    repo.commit("chore: a", {name: before})
    repo.write(name, after)
    return pieces_of(repo)


def test_halves_have_names_of_their_own_and_can_be_cut_again(based: Repo) -> None:
    pieces = changed(based, "a.txt", FORTY, FORTY.replace("line 4\nline 5\n", "four\n\nfive\n\nsix\n"))
    whole = pieces.units[0].fingerprint
    pieces, _ = cut_unit(pieces, "a.txt::1", removed=1, added=2)
    assert [unit.id for unit in pieces.units] == ["a.txt::1.1", "a.txt::1.2"]
    assert [unit.kind for unit in pieces.units] == ["text", "text"]
    pieces, _ = cut_unit(pieces, "a.txt::1.2", removed=1, added=2)
    assert [unit.id for unit in pieces.units] == ["a.txt::1.1", "a.txt::1.2.1", "a.txt::1.2.2"]
    assert [unit.hunks[0].added for unit in pieces.units] == [[b"four", b""], [b"five", b""], [b"six"]]
    assert [unit.key for unit in pieces.units] == [
        (whole, ((5, 1, 5, 2),)),
        (whole, ((6, 1, 7, 2),)),
        (whole, ((6, 0, 9, 1),)),
    ]


def test_other_units_keep_their_names(based: Repo) -> None:
    SITUATIONS["two_far_hunks"](based)
    based.write("other.txt", "x\n")
    based.write("a.txt", (based.path / "a.txt").read_text().replace("edited 30\n", "thirty\nmore\n"))
    pieces = pieces_of(based)
    halved, halves = cut_unit(pieces, "a.txt::2", removed=1, added=1)
    assert [unit.id for unit in halved.units] == ["a.txt::1", "a.txt::2.1", "a.txt::2.2", "other.txt::1"]
    assert halves == halved.units[1:3]
    assert {unit.fingerprint for unit in pieces.units if unit.id != "a.txt::2"} < {u.fingerprint for u in halved.units}


# The file, what is added to it, and after how many of these lines the cut is.
@rows(
    ("name", "text", "added", "allowed"),
    ("a.go", "package a\n|func A() {\n\tb()\n}\nfunc C() {\n}\n", 3, True),
    ("a.go", "package a\n|func A() {\n\tb()\n}\nfunc C() {\n}\n", 2, False),
    ("a.js", "let a\n|function b() {\n  c()\n}\nd()\n", 3, True),
    ("a.js", "let a\n|function b() {\n  c()\n}\nd()\n", 1, False),
    ("a.rs", "fn z() {}\n|fn a() {\n    b();\n}\nfn c() {}\n", 2, False),
    ("a.java", "class A {\n|  void b() {\n  }\n  int c;\n|}\n", 2, True),
    ("a.java", "class A {\n|  void b() {\n  }\n  int c;\n|}\n", 1, False),
    ("a.json", '{\n|"a": [1,\n2],\n"b": 3,\n|"c": 4}\n', 2, True),
    ("a.json", '{\n|"a": [1,\n2],\n"b": 3,\n|"c": 4}\n', 1, False),
    ("a.py", "if x\n|a = (1,\n2)\nb = 1\n", 1, True),
    ("a.txt", "top\n|one\n  two\nthree\n", 2, True),
    ("a.txt", "top\n|one\n  two\nthree\n", 1, False),
    ("a.txt", "top\n|one\n\n  two\nthree\n", 2, True),
)
def test_other_files_are_cut_as_their_parts_allow(based: Repo, name: str, text: str, added: int, allowed: bool) -> None:
    before, new, after = (*text.split("|"), "")[:3]
    pieces = changed(based, name, before + after, before + new + after)
    if allowed:
        assert len(cut_unit(pieces, f"{name}::1", removed=0, added=added)[0].units) == len(pieces.units) + 1
        return
    with pytest.raises(SplitError, match=r"^cannot cut "):
        cut_unit(pieces, f"{name}::1", removed=0, added=added)


REFUSED = [
    ("z::1", 0, 1, "'z::1' is not part of the change"),
    ("new.txt::1", 0, 1, "not a hunk of modified text"),
    ("a.txt::1", 2, 0, "it removes 1 and adds 2 lines"),
    ("a.txt::1", -1, 0, "it removes 1 and adds 2 lines"),
    ("a.txt::1", 0, 0, "one half would change nothing"),
    ("a.txt::1", 1, 2, "one half would change nothing"),
    ("same.txt::1.2", 0, 0, "one half would change nothing"),
    ("end.txt::1", 0, 1, "ends there without a newline"),
    ("grown.txt::1", 1, 1, "ends there without a newline"),
]


def test_what_cannot_be_cut_is_named_with_the_reason(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "a\nb\nc\n", "same.txt": "x\ny\n", "end.txt": "a\n", "grown.txt": "a\nb"})
    new = {"new.txt": "x\ny\n", "a.txt": "a\n1\n2\nc\n", "same.txt": "x\nz\n\nw\n", "end.txt": "a\nb\nc"}
    for name, text in {**new, "grown.txt": "a\nb\nc\n"}.items():
        based.write(name, text)
    pieces, _ = divide_unit(pieces_of(based), "same.txt::1", [(0, 1)])
    for unit, removed, added, reason in REFUSED:
        with pytest.raises(SplitError, match=reason):
            cut_unit(pieces, unit, removed=removed, added=added)


@given(st.integers(0, 2**32))
def test_any_choice_of_halves_is_a_choice_of_their_lines(seed: int) -> None:
    chance = random.Random(seed)
    old = [b"o%d\n" % n for n in range(chance.randrange(5))]
    new = [b"n%d\n" % n for n in range(chance.randrange(5))]
    if not old and not new:
        return
    sides = ([line[:-1] for line in old], [line[:-1] for line in new])
    hunk = Hunk(1 + bool(old), len(old), 1 + bool(new), len(new), b"", *sides)
    change = FileChange("M", b"a", None, "100644", "100644", "0", "1", len(new), len(old))
    diff = FileDiff(change, [hunk])
    base, target = (b"".join([b"top\n", *lines, b"end\n"]) for lines in (old, new))
    pieces = ChangeUnits({b"a": divide_file(diff, Text(base, target, [hunk]))})
    removed, added = chance.randint(0, len(old)), chance.randint(0, len(new))
    if (removed, added) in ((0, 0), (len(old), len(new))):
        return
    text = divide_unit(pieces, "a::1", [(removed, added)])[0].texts[b"a"]
    for first in (False, True):
        for second in (False, True):
            lines = [*(new[:added] if first else old[:removed]), *(new[added:] if second else old[removed:])]
            chosen = [n for n, take_snapshot in enumerate((first, second)) if take_snapshot]
            assert text.compose(chosen) == b"".join([b"top\n", *lines, b"end\n"])


def test_a_written_plan_cuts_again_what_it_was_made_of(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.write("a.bin", b"\0")  # has no hunks, and comes first
    based.write("a.txt", edited(FORTY, 4, 5, 6, 30))
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        fresh = pieces
        for unit in ("a.txt::1", "a.txt::1.2"):
            pieces, _ = cut_unit(pieces, unit, removed=1, added=1)
        plan = plan_of(snapshot, [[unit] for unit in reversed(pieces.units)], pieces)
        written = read_plan(print_plan(plan))
        assert any(unit.kind != "file" for unit in written.units)
        assert replayed(written, fresh, snapshot) == plan


@pytest.mark.parametrize("lines", [(4, 5), (4, 5, 30)], ids=["one hunk", "two hunks"])
def test_a_person_cuts_the_only_hunk_of_a_file_that_the_plan_has_whole(based: Repo, lines: tuple[int, ...]) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.write("a.txt", edited(FORTY, *lines))
    repository = Repository.find(str(based.path))
    with take_snapshot(repository) as snapshot:
        analyzer = ChangeReader(snapshot, load(based.path))
        fields = json.loads(print_plan(plan_of(snapshot, [analyzer.files.units], analyzer.files)))
        (commit,) = fields["commits"]
        (unit,) = commit["units"]
        assert unit["kind"] == "file"
        halves = []
        for line in (5, 6):
            hunk = {"old_start": line, "old_lines": 1, "new_start": line, "new_lines": 1}
            halves.append({**unit, "id": f"{unit['id']}.{line}", "kind": "text", "hunks": [hunk]})
        fields["commits"] = [{"message": f"chore: {half['id']}", "units": [half]} for half in halves]
        written = read_plan(json.dumps(fields))
        change = analyzer.divide_as(written)
        if len(lines) > 2:
            with pytest.raises(SplitError, match=r"'a\.txt::1\.5' is not part of the change") as refused:
                written.bind(change, base=snapshot.base, target=snapshot.target)
            assert "kind 'text'" in (refused.value.hint or "")
            return
        bound = written.bind(change, base=snapshot.base, target=snapshot.target)
        assert [commit.units[0].hunks[0].old_start for commit in bound.commits] == [5, 6]


@rows(
    "bent",
    (4, 9, 4, 1),
    (3, 1, 4, 1),
    (4, 0, 4, 0),
    (4, -1, 4, -1),
    (0, 0, 0, 0),
    (4, 1, 10**30, 1),
    (4, 10**9, 4, 10**9),
)
def test_a_cut_that_a_plan_makes_up_is_refused(based: Repo, bent: tuple[int, int, int, int]) -> None:
    SITUATIONS["two_far_hunks"](based)
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        fields = json.loads(print_plan(plan_of(snapshot, [pieces.units], pieces)))
        names = ("old_start", "old_lines", "new_start", "new_lines")
        fields["commits"][0]["units"][0]["hunks"] = [dict(zip(names, bent, strict=True))]
        written = read_plan(json.dumps(fields))
        with pytest.raises(SplitError):
            replayed(written, pieces, snapshot)


def test_a_part_that_has_the_id_of_another_unit_is_refused(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.write("a.txt", edited(FORTY, 4, 5, 30))
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        fresh = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        pieces, _ = cut_unit(fresh, "a.txt::1", removed=1, added=1)
        fields = json.loads(print_plan(plan_of(snapshot, [pieces.units], pieces)))
        fields["commits"][0]["units"][0]["id"] = "a.txt::2"
        with pytest.raises(SplitError, match="in more than one commit"):
            replayed(read_plan(json.dumps(fields)), fresh, snapshot)


def replayed(written: SplitPlan, pieces: ChangeUnits, snapshot: Snapshot) -> SplitPlan:
    cut_again = reapply_cuts(pieces, written.units)
    return written.bind(cut_again, base=snapshot.base, target=snapshot.target)
