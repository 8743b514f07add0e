"""What is skipped stays uncommitted, byte for byte, and staged or not staged as it was; hunks go in any order."""

import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

import pytest

from smartcommit.errors import SplitError, TreeMismatch
from smartcommit.git.diff import FileChange, FileDiff
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import ChangeUnits, FileUnits, Unit, read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.git.transaction.undo import undo
from smartcommit.split.apply import prepare
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import divide_unit
from tests.support.profile import choose, repeat
from tests.support.repository import Repo
from tests.support.situations_split import FORTY, SITUATIONS, contents, edited
from tests.support.splitting import (
    WHO,
    Groups,
    add_all_tree,
    assert_line,
    assert_sound,
    choose_from,
    flags_of,
    head_of,
    joined_index,
    list_index,
    plan_of,
    read_states,
    run_grouped,
    run_shuffled,
    status_of,
)
from tests.support.table import rows


@pytest.mark.parametrize("seed", range(repeat(fast=1, full=2)))
@pytest.mark.parametrize("name", SITUATIONS)
def test_every_situation_can_be_committed_in_part_and_in_any_order(based: Repo, name: str, seed: int) -> None:
    SITUATIONS[name](based)
    chance = random.Random(seed)
    expected, old, files = add_all_tree(based), head_of(based), contents(based.path)
    entries, flags, status, states = list_index(based), flags_of(based), status_of(based), read_states(based)
    index = joined_index(based)

    def some(units: Sequence[Unit]) -> tuple[Groups, list[Unit]]:
        bundles = find_inseparable(units)
        chance.shuffle(bundles)
        kept = len(bundles) // 2
        return bundles[kept:], [unit for units in bundles[:kept] for unit in units]

    groups, skipped = run_grouped(based, some)
    committed = {path.decode("utf-8", "surrogateescape") for units in groups for unit in units for path in unit.paths}
    whole = {path.decode("utf-8", "surrogateescape") for unit in skipped for path in unit.paths} - committed
    assert contents(based.path) == files
    assert len(assert_line(based, old)) == len(groups)
    assert choose_from(read_states(based), whole) == choose_from(states, whole)
    assert choose_from(list_index(based), whole) == choose_from(entries, whole)
    assert add_all_tree(based) == expected
    assert flags_of(based) == flags
    undo(Repository.find(str(based.path)))
    assert ((based.path / ".git/index").read_bytes(), status_of(based)) == (index, status)
    count = run_shuffled(based, chance, times=choose(fast=2, full=5), halved=chance.random() < 0.7)
    assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert contents(based.path) == files
    assert flags_of(based) == flags
    assert status_of(based, "--ignore-submodules=dirty") == ""
    assert len(assert_line(based, old)) == count
    assert_sound(based)


def skipping(*ids: str) -> Callable[[Sequence[Unit]], tuple[Groups, list[Unit]]]:
    def group(units: Sequence[Unit]) -> tuple[Groups, list[Unit]]:
        return [[unit] for unit in units if unit.id not in ids], [unit for unit in units if unit.id in ids]

    return group


# The lines edited in the index, the hunk that is skipped, and what git's two letters and the index are then.
@pytest.mark.parametrize(
    ("staged", "skipped", "letters", "indexed"),
    [
        ((), 1, " M", (30,)),
        ((3, 30), 1, "M ", (3, 30)),
        ((3,), 1, "M ", (3, 30)),
        ((3,), 2, " M", (3,)),
        ((30,), 1, " M", (30,)),
        ((3, 20), 1, "MM", (3, 20, 30)),
    ],
)
def test_hunks_of_one_file_keep_their_state(
    based: Repo, staged: tuple[int, ...], skipped: int, letters: str, indexed: tuple[int, ...]
) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.stage({"a.txt": edited(FORTY, *staged)})
    based.write("a.txt", edited(FORTY, 3, 30))
    run_grouped(based, skipping(f"a.txt::{skipped}"))
    assert based.git("show", "HEAD:a.txt") == edited(FORTY, 30 if skipped == 1 else 3)
    assert based.git("show", ":a.txt") == edited(FORTY, *indexed)
    assert status_of(based) == f"{letters} a.txt\0"


@rows(("staged", "indexed"), ((4, 5), (4, 5)), ((), (4,)), ((5,), (4,)), ((4, 5, 20), (4, 20)))
def test_a_staged_part_of_a_hunk_stays_so(based: Repo, staged: tuple[int, ...], indexed: tuple[int, ...]) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.stage({"a.txt": edited(FORTY, *staged)})
    based.write("a.txt", edited(FORTY, 4, 5))
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        pieces, _ = divide_unit(pieces, "a.txt::1", [(1, 1)])
        plan = plan_of(snapshot, [pieces.units[:1]], pieces, pieces.units[1:])
        prepare(snapshot, plan, Identity(WHO, WHO)).publish()
    assert based.git("show", "HEAD:a.txt") == edited(FORTY, 4)
    assert based.git("show", ":a.txt") == edited(FORTY, *indexed)


def test_staged_lines_that_were_edited_again_give_way_to_the_committed_ones(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.stage({"a.txt": edited(FORTY, 3, 30).replace("edited 3\n", "between\n")})
    based.write("a.txt", edited(FORTY, 3, 30))
    run_grouped(based, skipping("a.txt::2"))
    assert based.git("show", "HEAD:a.txt") == edited(FORTY, 3)
    assert based.git("show", ":a.txt") == edited(FORTY, 3, 30)


@pytest.mark.parametrize("later", [(), (30,)])
@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("skipped", ["mode", "text"])
def test_a_mode_keeps_its_state(based: Repo, staged: bool, skipped: str, later: tuple[int, ...]) -> None:
    based.commit("chore: a", {"a.sh": FORTY})
    based.write("a.sh", edited(FORTY, 3), executable=True)
    if staged:
        based.git("add", "a.sh")
    based.write("a.sh", edited(FORTY, 3, *later), executable=True)
    run_grouped(based, skipping(f"a.sh::{2 + len(later)}" if skipped == "mode" else "a.sh::1"))
    assert status_of(based) == ("M  a.sh\0" if staged else " M a.sh\0")
    head = based.git("ls-tree", "HEAD", "a.sh").split()[0]
    assert head == ("100644" if skipped == "mode" else "100755")


def test_what_was_only_intended_stays_so(based: Repo) -> None:
    SITUATIONS["intent_to_add"](based)
    based.write(".gitignore", "content.txt\n")
    run_grouped(based, skipping("content.txt::1"))
    assert status_of(based) == " A content.txt\0"


@pytest.mark.parametrize("instead", ["nothing", "folder"])
def test_what_was_only_intended_may_go_away_meanwhile(based: Repo, instead: str) -> None:
    SITUATIONS["intent_to_add"](based)
    based.write("new.txt", "x\n")

    def vanish() -> None:
        based.path.joinpath("content.txt").unlink()
        if instead == "folder":
            based.write("content.txt/other", "y\n")

    run_grouped(based, skipping("content.txt::1", "empty.txt::1"), meanwhile=vanish)
    assert based.git("show", "--format=", "--name-only", "HEAD") == "new.txt\n"
    assert status_of(based) == " A empty.txt\0" + ("?? content.txt/other\0" if instead == "folder" else "")
    assert_sound(based)


def test_what_is_skipped_of_the_staged_part_stays_staged(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": FORTY})
    based.stage({"a.txt": edited(FORTY, 3, 30), "new.txt": "x\n"})
    based.write("new.txt", "x\ny\n")
    index = based.git("ls-files", "--stage", "--debug")
    run_grouped(based, skipping("a.txt::1", "new.txt::1"), staged=True)
    assert based.git("ls-files", "--stage", "--debug") == index
    assert status_of(based) == "M  a.txt\0AM new.txt\0"
    undo(Repository.find(str(based.path)))
    assert status_of(based) == "M  a.txt\0AM new.txt\0"


def test_staging_more_since_a_partial_split_refuses_to_undo_it(based: Repo) -> None:
    SITUATIONS["two_far_hunks"](based)
    run_grouped(based, skipping("a.txt::1"))
    based.git("add", "a.txt")
    with pytest.raises(SplitError, match="changes were staged"):
        undo(Repository.find(str(based.path)))


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_skipped_file_that_another_path_displaces_keeps_its_flag(based: Repo, flag: str) -> None:
    based.commit("chore: two", {"file": "x\n", "folder/file": "x\n"})
    based.git("update-index", flag, "file", "folder/file")
    (based.path / "file").unlink()
    (based.path / "folder/file").unlink()
    (based.path / "folder").rmdir()
    for path in ("file/new", "folder", "new.txt"):
        based.write(path, "x\n")
    flags, index = flags_of(based), (based.path / ".git/index").read_bytes()
    run_grouped(based, skipping("file::1", "file/new::1", "folder::1", "folder/file::1"))
    assert based.git("show", "--format=", "--name-only", "HEAD") == "new.txt\n"
    assert flags_of(based) == flags
    undo(Repository.find(str(based.path)))
    assert (based.path / ".git/index").read_bytes() == index


def test_what_takes_the_place_of_a_path_cannot_be_parted_from_it(based: Repo) -> None:
    SITUATIONS["file_becomes_folder_and_back"](based)
    before = based.state()
    with pytest.raises(SplitError, match="cannot separate 'tofile' from 'tofile/a'"):
        run_grouped(based, skipping("tofile/a::1"))
    assert based.state() == before


def test_a_plan_that_makes_no_commit_is_refused(based: Repo) -> None:
    based.write("a.txt", "x\n")
    with pytest.raises(SplitError, match="has no commits"):
        run_grouped(based, lambda units: ([], list(units)))


def stage_only(repo: Repo, name: str) -> None:
    """Stage what the working tree does not have: an edit, a file, or that one goes away."""
    if name == "edited":
        repo.commit("chore: s", {"s.txt": "v0\n"})
        repo.stage({"s.txt": "precious\n"})
        repo.write("s.txt", "v0\n")
    elif name == "added":
        repo.stage({"s.txt": "precious\n"})
        repo.path.joinpath("s.txt").unlink()
    else:
        repo.commit("chore: s", {"s.txt": "v0\n"})
        repo.git("rm", "-q", "--cached", "s.txt")


@pytest.mark.parametrize("name", ["edited", "added", "removed"])
def test_what_is_staged_only_stays_staged_beside_leftovers(based: Repo, name: str) -> None:
    stage_only(based, name)
    before = [line for line in based.git("status", "--porcelain").splitlines() if "s.txt" in line]
    entry = list_index(based).get("s.txt")
    based.write("n.py", "n = 1\n")
    based.write("m.md", "# m\n")
    index = (based.path / ".git/index").read_bytes()
    run_grouped(based, skipping("m.md::1"))
    after = based.git("status", "--porcelain").splitlines()
    assert sorted(after) == sorted([*before, "?? m.md"])
    assert list_index(based).get("s.txt") == entry
    assert based.git("show", "--format=", "--name-only", "HEAD") == "n.py\n"
    undo(Repository.find(str(based.path)))
    assert (based.path / ".git/index").read_bytes() == index
    assert_sound(based)


def test_what_is_staged_only_gives_way_where_a_commit_takes_its_place(based: Repo) -> None:
    based.stage({"place/s.txt": "precious\n"})
    based.path.joinpath("place/s.txt").unlink()
    based.path.joinpath("place").rmdir()
    based.write("place", "a file\n")
    based.write("m.md", "# m\n")
    run_grouped(based, skipping("m.md::1"))
    assert status_of(based) == "?? m.md\0"
    undo(Repository.find(str(based.path)))
    assert "place/s.txt" in list_index(based)


Bend = Callable[[Snapshot, list[Unit]], list[Unit]]


def unchanged(snapshot: Snapshot, units: list[Unit]) -> list[Unit]:
    """A unit that changes nothing, before the others."""
    oid = snapshot.repository.run("rev-parse", f"{snapshot.base}:base.txt").decode().strip()
    change = FileChange("M", b"base.txt", None, "100644", "100644", oid, oid)
    return [Unit("base.txt::1", "file", change, (), "x"), *units]


def lost(snapshot: Snapshot, units: list[Unit]) -> list[Unit]:
    return units[1:]


def altered(snapshot: Snapshot, units: list[Unit]) -> list[Unit]:
    change = copy(units[0].change)
    change.new_mode = "100755"
    return [replace(units[0], change=change), *units[1:]]


@rows(("bend", "reason"), (unchanged, "empty"), (lost, "end in tree"), (altered, "end in tree"))
def test_a_chain_that_is_not_the_change_is_refused(based: Repo, bend: Bend, reason: str) -> None:
    for name in "abc":
        based.write(name, f"{name}\n")
    before, objects = based.state(), based.git("count-objects", "-v")
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=False)
        units = bend(snapshot, pieces.units)
        files = {unit.change.path: FileUnits(FileDiff(unit.change, []), [unit]) for unit in units}
        plan = plan_of(snapshot, [[unit] for unit in units], ChangeUnits(files))
        with pytest.raises(TreeMismatch, match=reason):
            prepare(snapshot, plan, Identity(WHO, WHO))
    assert (based.state(), based.git("count-objects", "-v")) == (before, objects)
    assert_sound(based)


@rows("field", "base", "target", "staged")
def test_a_plan_for_another_snapshot_is_refused(based: Repo, field: str) -> None:
    based.write("a", "a\n")
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=False)
        plan = replace(plan_of(snapshot, [pieces.units], pieces), **{field: "1" * 40})
        with pytest.raises(SplitError, match="another snapshot"):
            prepare(snapshot, plan, Identity(WHO, WHO))
