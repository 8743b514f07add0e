"""Laws of rewritten commits over random histories: nothing else changes, nobody's work is lost, and undo is exact."""

import json
import os
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import OldCommit, find_unpushed_range
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING
from tests.support.histories import AUTHORS, History, assert_same, read_state, run_quietly
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.splitting import add_all_tree, head_of
from tests.support.table import rows


def make_history(folder: str, seed: int) -> History:
    chance = random.Random(seed)
    history = History(Path(folder) / "repo", chance, commits=chance.randrange(1, 7))
    history.leave_uncommitted()
    return history


def list_commits(repo: Repo) -> list[OldCommit]:
    return list(find_unpushed_range(Repository.find(str(repo.path))).commits)


def tree_of(repo: Repo, commit: str) -> str:
    return repo.git("rev-parse", f"{commit}^{{tree}}").strip()


def assert_authors_kept(old: Sequence[OldCommit], new: Sequence[OldCommit]) -> None:
    """Assert that who wrote the old commits wrote the new ones, and that what was not touched is the same commit."""
    known = {commit.author.rpartition(b"> ")[0] for commit in old}
    assert {commit.author.rpartition(b"> ")[0] for commit in new} <= known
    for before, after in zip(old, new, strict=False):
        if (before.tree, before.message, before.author, before.parents) != (
            after.tree, after.message, after.author, after.parents
        ):  # fmt: skip
            break
        assert after.oid == before.oid


@rows("seed", *range(repeat(fast=4, full=30)))
def test_a_range_is_cut_anew_and_nothing_else_changes(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_range(folder, seed)


def check_range(folder: str, seed: int) -> int:
    """Cut the commits of one random history anew, and undo it; return how many there were, or 0 if it was refused."""
    repo = make_history(folder, seed).repo
    state, head, old = read_state(repo), head_of(repo), list_commits(repo)
    status = git_smart_commit(["range", "start..", "--yes", "--quiet", "--repo", str(repo.path)])
    assert_same(state, read_state(repo))
    if status != DONE:
        assert status == NOTHING
        assert head_of(repo) == head
        return 0
    new = list_commits(repo)
    assert tree_of(repo, "HEAD") == tree_of(repo, head)
    assert new[0].parents == old[0].parents
    assert_authors_kept(old, new)
    assert repo.run("fsck", "--no-dangling").returncode == 0
    if head_of(repo) != head:
        assert git_smart_commit(["undo", "--quiet", "--repo", str(repo.path)]) == DONE
        assert head_of(repo) == head
        assert_same(state, read_state(repo))
    return len(new)


def count_changes(repo: Repo, *options: str) -> dict[bytes, tuple[int, int]]:
    """The numbers of lines that are added and removed in each file, -1 for a binary one."""
    listing = run_quietly(repo, "diff", "--numstat", "-z", "--no-renames", *options)
    found = {}
    for line in listing.split(b"\0")[:-1]:
        added, removed, path = line.split(b"\t", 2)
        found[path] = (int(added.replace(b"-", b"-1")), int(removed.replace(b"-", b"-1")))
    return found


def assert_fewer(before: dict[bytes, tuple[int, int]], after: dict[bytes, tuple[int, int]]) -> None:
    """Assert that no file has lines that are changed afterwards and were not before."""
    for path, (added, removed) in after.items():
        assert path in before, path
        assert added <= before[path][0], path
        assert removed <= before[path][1], path


def signature(commit: OldCommit) -> tuple[object, ...]:
    """What absorbing never changes of a commit."""
    return commit.author, commit.message, commit.encoding


@rows("seed", *range(repeat(fast=4, full=30)))
def test_what_is_absorbed_leaves_everything_else_as_it_was(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_absorb(folder, seed)


def check_absorb(folder: str, seed: int) -> int:
    """Absorb into one random history, and undo it; return how many commits are others then."""
    chance = random.Random(seed)
    history = History(Path(folder) / "repo", chance, commits=chance.randrange(1, 7))
    history.edit_lines(chance.randrange(1, 6))
    history.leave_uncommitted()
    history.edit_lines(chance.randrange(3))
    repo = history.repo
    state, head, old = read_state(repo), head_of(repo), list_commits(repo)
    index = (repo.path / ".git/index").read_bytes()
    staged, unstaged = count_changes(repo, "--cached"), count_changes(repo)
    options = ["absorb", "--quiet", "--repo", str(repo.path)]
    if chance.random() < 0.2:
        options.append("--staged")
    if chance.random() < 0.3:
        options.append("--whole-file")
    status = git_smart_commit([*options, "--yes"])
    after = read_state(repo)
    assert_same(state, after, but=("status", "entries"))
    if status != DONE:
        assert status == NOTHING
        assert head_of(repo) == head
        assert_same(state, after)
        return 0
    new = list_commits(repo)
    assert [signature(commit) for commit in new] == [signature(commit) for commit in old]
    assert new[0].parents == old[0].parents
    assert_fewer(staged, count_changes(repo, "--cached"))
    assert_fewer(unstaged, count_changes(repo))
    assert repo.run("fsck", "--no-dangling").returncode == 0
    assert git_smart_commit(["undo", "--quiet", "--repo", str(repo.path)]) == DONE
    assert head_of(repo) == head
    assert (repo.path / ".git/index").read_bytes() == index
    assert_same(state, read_state(repo))
    return sum(before.oid != after.oid for before, after in zip(old, new, strict=True))


@rows("seed", *range(repeat(fast=4, full=30)))
def test_a_commit_that_is_absorbed_leaves_everything_else_as_it_was(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_absorb_from(folder, seed)


def check_absorb_from(folder: str, seed: int) -> int:
    """Absorb a commit of one random history, and undo it; return by how many commits there are fewer, or -1 if none."""
    chance = random.Random(seed)
    history = History(Path(folder) / "repo", chance, commits=chance.randrange(1, 6))
    history.edit_lines(chance.randrange(1, 6))
    if chance.random() < 0.3:
        history.change()
    history.commit(b"caf\xe9: what came up", AUTHORS[1])
    review = head_of(history.repo)
    for _ in range(chance.randrange(4)):
        history.change()
        history.commit(b"feat: go on\n", chance.choice(AUTHORS))
    history.leave_uncommitted()
    repo = history.repo
    state, head, old = read_state(repo), head_of(repo), list_commits(repo)
    index = (repo.path / ".git/index").read_bytes()
    options = ["absorb", "start..", "--from", review, "--quiet", "--repo", str(repo.path)]
    if chance.random() < 0.5:
        options.append("--whole-file")
    status = git_smart_commit([*options, "--yes"])
    assert_same(state, read_state(repo))
    assert (repo.path / ".git/index").read_bytes() == index
    if status != DONE:
        assert status == NOTHING
        assert head_of(repo) == head
        return -1
    new = list_commits(repo)
    assert tree_of(repo, "HEAD") == tree_of(repo, head)
    place = [commit.oid for commit in old].index(review)
    assert [signature(commit) for commit in new[:place]] == [signature(commit) for commit in old[:place]]
    assert new[0].parents == old[0].parents
    above = old[place:]
    if len(new) < len(old):
        # What was absorbed is all of the commit.
        assert new[place - 1].tree == above.pop(0).tree
    for before, after in zip(above, new[place:], strict=True):
        assert after.content == before.content.replace(before.parents[0].encode(), after.parents[0].encode())
    assert repo.run("fsck", "--no-dangling").returncode == 0
    assert git_smart_commit(["undo", "--quiet", "--repo", str(repo.path)]) == DONE
    assert head_of(repo) == head
    assert_same(state, read_state(repo))
    return len(old) - len(new)


# In the first two some hunks have no place, and in the next two all have one.
PLANNED = (1, 5, 0, 3)


@rows("seed", *PLANNED, *range(6, repeat(fast=6, full=30)))
def test_any_hunk_can_go_into_any_commit_where_it_has_a_place(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        status = check_plan(folder, seed)
    errors = capsys.readouterr().err
    assert status != GIT_FAILED or "has no place in" in errors
    if seed in PLANNED:
        assert status == (GIT_FAILED if seed in PLANNED[:2] else DONE)


def check_plan(folder: str, seed: int) -> int:
    """Absorb each hunk into one of the last two commits of one history, and undo it; return how that ended."""
    chance = random.Random(seed)
    history = History(Path(folder) / "repo", chance, commits=chance.randrange(2, 6))
    history.edit_lines(4)
    repo, document = history.repo, Path(folder) / "plan.json"
    state, head, old, tree = read_state(repo), head_of(repo), list_commits(repo), add_all_tree(repo)
    command = ["absorb", "start..", "--whole-file", "--quiet", "--repo", str(repo.path)]
    if git_smart_commit([*command, "--save-plan", str(document)]) == NOTHING:
        return NOTHING
    plan = json.loads(document.read_text())
    units = [*plan["skipped"], *(unit for commit in plan["commits"] for unit in commit["units"])]
    plan["skipped"], plan["commits"] = [], []
    for unit in units:
        plan["commits"].append({"message": f"fixup! {old[-1 - chance.randrange(2)].oid}\n", "units": [unit]})
    document.write_text(json.dumps(plan))
    status = git_smart_commit([*command, "--plan", str(document), "--yes"])
    if status != DONE:
        assert status == GIT_FAILED
        assert head_of(repo) == head
        assert_same(state, read_state(repo))
        return status
    new = list_commits(repo)
    assert tree_of(repo, "HEAD") == tree
    assert [signature(commit) for commit in new] == [signature(commit) for commit in old]
    assert [commit.oid for commit in new[:-2]] == [commit.oid for commit in old[:-2]]
    assert git_smart_commit(["undo", "--quiet", "--repo", str(repo.path)]) == DONE
    assert head_of(repo) == head
    assert_same(state, read_state(repo))
    return DONE


OPERATIONS = (
    ["--yes"], ["--yes", "--staged"], ["range", "start..", "--yes"], ["absorb", "--yes"],
    ["absorb", "start..", "--from", "HEAD", "--yes"],
)  # fmt: skip


@rows("seed", *range(repeat(fast=10, full=60)))
def test_undo_needs_nothing_that_git_has_removed_since(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_undo(folder, seed)


def check_undo(folder: str, seed: int) -> bool:
    """Undo an operation after git has removed what nothing refers to; return whether it was not refused."""
    chance = random.Random(seed)
    history = History(Path(folder) / "repo", chance, commits=chance.randrange(1, 7))
    if chance.random() < 0.3:
        history.move_to_worktree(Path(folder) / "linked")
    history.leave_uncommitted()
    history.edit_lines(chance.randrange(3))
    history.leave_only_in_index()
    repo = history.repo
    state, head = read_state(repo), head_of(repo)
    operation = OPERATIONS[seed % len(OPERATIONS)]
    if git_smart_commit([*operation, "--quiet", "--repo", str(repo.path)]) != DONE or head_of(repo) == head:
        assert_same(state, read_state(repo))
        return False
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert git_smart_commit(["undo", "--quiet", "--repo", str(repo.path)]) == DONE
    assert head_of(repo) == head
    assert_same(state, read_state(repo))
    repo.git("write-tree")
    assert repo.run("fsck", "--no-dangling").returncode == 0
    return True


# What a name may have, though it ends a line, is invisible, or is no text.
ODD = (
    "\u2028", "\u2029", "\x85", "\xa0", "\u202e", "\ufeff", "\udcff", "\udc80", '"', "'", "`", "$(x)", "#1", ";", "&",
)  # fmt: skip
# git accepts these in the names of files alone.
CONTROL = ("\n", "\r", "\t", "\x0b", "\x0c", "\x1b", "\x1c", "\x1d", "\x1e", "\x7f", " ", ":", "\\", "*", "?", "[")


@pytest.mark.parametrize("seed", range(repeat(fast=2, full=5)))
def test_no_name_that_git_accepts_is_in_the_way(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(seed)
    marks = [*ODD, *(os.fsdecode(bytes(chance.choices(range(128, 256), k=3))) for _ in range(5))]
    names = []
    for mark in (*marks, *CONTROL):
        names += [f"q{mark}q", f"{mark}/app.cfg"]
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repo", "--template=")
        repo.commit("chore: base", dict.fromkeys(names, "value = 1\nother = 1\n"))
        repo.git("branch", "start")
        for number, mark in enumerate(marks):
            files = dict.fromkeys(chance.sample(names, 3), f"value = {number + 2}\nother = 1\n")
            repo.commit(chance.choice(("feat: step %d", "wip %d")) % number, files)
            repo.git("branch", f"topic-{mark}-{number}")
        repo.git("worktree", "add", "-q", str(Path(folder) / "li\nnk\u2028ed"), f"topic-{ODD[0]}-0")
        repo.git("checkout", "-q", "-b", f"now-{chance.choice(ODD)}")
        repo.git("config", "rebase.updateRefs", "true")
        # The same words describe these two.
        for name in ("q\u2028q", "q\nq", *chance.sample(names, 6)):
            repo.write(name, (repo.path / name).read_bytes() + b"# x\n")
        at = ["--quiet", "--repo", str(repo.path)]
        for operation in (["--strategy", "file"], ["absorb"], ["absorb", "--fixup"]):
            head, state = head_of(repo), read_state(repo)
            status = git_smart_commit([*operation, "--yes", *at])
            assert status in (DONE, NOTHING), capsys.readouterr().err
            if status == DONE:
                assert git_smart_commit(["undo", *at]) == DONE
            assert head_of(repo) == head
            assert_same(state, read_state(repo))
        repo.git("stash", "-q", "-u")
        head = head_of(repo)
        assert git_smart_commit(["range", "start..", "--yes", *at]) == DONE, capsys.readouterr().err
        assert git_smart_commit(["undo", *at]) == DONE
        assert head_of(repo) == head
