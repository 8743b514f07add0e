"""Laws of rewritten commits over random histories: nothing else changes, nobody's work is lost, and undo is exact."""

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import OldCommit, find_unpushed_range
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING
from tests.support.histories import (
    AUTHORS,
    History,
    assert_same,
    assert_undone,
    read_state,
    rewrite,
    run_quietly,
)
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.splitting import add_all_tree, head_of
from tests.support.table import rows


def make_history(path: Path, seed: int) -> History:
    chance = random.Random(seed)
    history = History(path, chance, commits=chance.randrange(1, 7))
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


def assert_left_alone(repo: Repo, status: int, head: str, before: dict[str, object]) -> None:
    """Assert that there was nothing to do, and that nothing was done."""
    assert status == NOTHING
    assert head_of(repo) == head
    assert_same(before, read_state(repo))


@rows("seed", *range(repeat(fast=4, full=30)))
def test_a_range_is_cut_anew_and_nothing_else_changes(seed: int, tmp_path: Path) -> None:
    repo = make_history(tmp_path / str(seed), seed).repo
    state, head, old = read_state(repo), head_of(repo), list_commits(repo)
    status = rewrite(repo, "range", "start..")
    if status != DONE:
        assert_left_alone(repo, status, head, state)
        return
    assert_same(state, read_state(repo))
    new = list_commits(repo)
    assert tree_of(repo, "HEAD") == tree_of(repo, head)
    assert new[0].parents == old[0].parents
    assert_authors_kept(old, new)
    assert repo.run("fsck", "--no-dangling").returncode == 0
    if head_of(repo) != head:
        assert_undone(repo, head, state)


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


def list_signatures(commits: Sequence[OldCommit]) -> list[tuple[object, ...]]:
    """What absorbing never changes of commits."""
    return [(commit.author, commit.message, commit.encoding) for commit in commits]


@rows("seed", *range(repeat(fast=4, full=30)))
def test_what_is_absorbed_leaves_everything_else_as_it_was(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    history = History(tmp_path / str(seed), chance, commits=chance.randrange(1, 7))
    history.edit_lines(chance.randrange(1, 6))
    history.leave_uncommitted()
    history.edit_lines(chance.randrange(3))
    repo = history.repo
    state, head, old = read_state(repo), head_of(repo), list_commits(repo)
    index = (repo.path / ".git/index").read_bytes()
    staged, unstaged = count_changes(repo, "--cached"), count_changes(repo)
    options = []
    if chance.random() < 0.2:
        options.append("--staged")
    if chance.random() < 0.3:
        options.append("--whole-file")
    status = rewrite(repo, "absorb", *options)
    if status != DONE:
        assert_left_alone(repo, status, head, state)
        return
    assert_same(state, read_state(repo), but=("status", "entries"))
    new = list_commits(repo)
    assert list_signatures(new) == list_signatures(old)
    assert new[0].parents == old[0].parents
    assert_fewer(staged, count_changes(repo, "--cached"))
    assert_fewer(unstaged, count_changes(repo))
    assert repo.run("fsck", "--no-dangling").returncode == 0
    assert_undone(repo, head, state)
    assert (repo.path / ".git/index").read_bytes() == index


@rows("seed", *range(repeat(fast=4, full=30)))
def test_a_commit_that_is_absorbed_leaves_everything_else_as_it_was(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    history = History(tmp_path / str(seed), chance, commits=chance.randrange(1, 6))
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
    options = ["--whole-file"] if chance.random() < 0.5 else []
    status = rewrite(repo, "absorb", "start..", "--from", review, *options)
    assert (repo.path / ".git/index").read_bytes() == index
    if status != DONE:
        assert_left_alone(repo, status, head, state)
        return
    assert_same(state, read_state(repo))
    new = list_commits(repo)
    assert tree_of(repo, "HEAD") == tree_of(repo, head)
    place = [commit.oid for commit in old].index(review)
    assert list_signatures(new[:place]) == list_signatures(old[:place])
    assert new[0].parents == old[0].parents
    above = old[place:]
    if len(new) < len(old):
        # What was absorbed is all of the commit.
        assert new[place - 1].tree == above.pop(0).tree
    for before, after in zip(above, new[place:], strict=True):
        assert after.content == before.content.replace(before.parents[0].encode(), after.parents[0].encode())
    assert repo.run("fsck", "--no-dangling").returncode == 0
    assert_undone(repo, head, state)


# In the first two some hunks have no place, and in the next two all have one.
PLANNED = (1, 5, 0, 3)


@rows("seed", *PLANNED, *range(6, repeat(fast=6, full=30)))
def test_any_hunk_can_go_into_any_commit_where_it_has_a_place(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each hunk is for one of the last two commits."""
    chance = random.Random(seed)
    history = History(tmp_path / str(seed), chance, commits=chance.randrange(2, 6))
    history.edit_lines(4)
    repo, document = history.repo, tmp_path / f"plan{seed}.json"
    state, head, old, tree = read_state(repo), head_of(repo), list_commits(repo), add_all_tree(repo)
    command = ["absorb", "start..", "--whole-file"]
    planned = git_smart_commit([*command, "--quiet", "--repo", str(repo.path), "--save-plan", str(document)])
    if planned == NOTHING:
        assert seed not in PLANNED
        return
    plan = json.loads(document.read_text())
    units = [*plan["skipped"], *(unit for commit in plan["commits"] for unit in commit["units"])]
    plan["skipped"], plan["commits"] = [], []
    for unit in units:
        plan["commits"].append({"message": f"fixup! {old[-1 - chance.randrange(2)].oid}\n", "units": [unit]})
    document.write_text(json.dumps(plan))
    status = rewrite(repo, *command, "--plan", str(document))
    if seed in PLANNED:
        assert status == (GIT_FAILED if seed in PLANNED[:2] else DONE)
    if status != DONE:
        assert status == GIT_FAILED
        assert "has no place in" in capsys.readouterr().err
        assert head_of(repo) == head
        assert_same(state, read_state(repo))
        return
    new = list_commits(repo)
    assert tree_of(repo, "HEAD") == tree
    assert list_signatures(new) == list_signatures(old)
    assert [commit.oid for commit in new[:-2]] == [commit.oid for commit in old[:-2]]
    assert_undone(repo, head, state)


OPERATIONS = ([], ["--staged"], ["range", "start.."], ["absorb"], ["absorb", "start..", "--from", "HEAD"])


@rows("seed", *range(repeat(fast=10, full=60)))
def test_undo_needs_nothing_that_git_has_removed_since(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    history = History(tmp_path / str(seed), chance, commits=chance.randrange(1, 7))
    if chance.random() < 0.3:
        history.move_to_worktree(tmp_path / f"linked{seed}")
    history.leave_uncommitted()
    history.edit_lines(chance.randrange(3))
    history.leave_only_in_index()
    repo = history.repo
    state, head = read_state(repo), head_of(repo)
    if rewrite(repo, *OPERATIONS[seed % len(OPERATIONS)]) != DONE or head_of(repo) == head:
        assert_same(state, read_state(repo))
        return
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert_undone(repo, head, state)
    repo.git("write-tree")
    assert repo.run("fsck", "--no-dangling").returncode == 0


# What a name may have, though it ends a line, is invisible, or is no text.
ODD = (
    "\u2028", "\u2029", "\x85", "\xa0", "\u202e", "\ufeff", "\udcff", "\udc80", '"', "'", "`", "$(x)", "#1", ";", "&",
)  # fmt: skip
# git accepts these in the names of files alone.
CONTROL = ("\n", "\r", "\t", "\x0b", "\x0c", "\x1b", "\x1c", "\x1d", "\x1e", "\x7f", " ", ":", "\\", "*", "?", "[")


@pytest.mark.parametrize("seed", range(repeat(fast=2, full=5)))
def test_no_name_that_git_accepts_is_in_the_way(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(seed)
    marks = [*ODD, *(os.fsdecode(bytes(chance.choices(range(128, 256), k=3))) for _ in range(5))]
    names = []
    for mark in (*marks, *CONTROL):
        names += [f"q{mark}q", f"{mark}/app.cfg"]
    repo = Repo.init(tmp_path / "repo", "--template=")
    repo.commit("chore: base", dict.fromkeys(names, "value = 1\nother = 1\n"))
    repo.git("branch", "start")
    for number, mark in enumerate(marks):
        files = dict.fromkeys(chance.sample(names, 3), f"value = {number + 2}\nother = 1\n")
        repo.commit(chance.choice(("feat: step %d", "wip %d")) % number, files)
        repo.git("branch", f"topic-{mark}-{number}")
    repo.git("worktree", "add", "-q", str(tmp_path / "li\nnk\u2028ed"), f"topic-{ODD[0]}-0")
    repo.git("checkout", "-q", "-b", f"now-{chance.choice(ODD)}")
    repo.git("config", "rebase.updateRefs", "true")
    # The same words describe these two.
    for name in ("q\u2028q", "q\nq", *chance.sample(names, 6)):
        repo.write(name, (repo.path / name).read_bytes() + b"# x\n")
    for operation in (["--strategy", "file"], ["absorb"], ["absorb", "--fixup"]):
        head, state = head_of(repo), read_state(repo)
        status = rewrite(repo, *operation)
        assert status in (DONE, NOTHING), capsys.readouterr().err
        if status == DONE:
            assert_undone(repo, head, state)
        assert head_of(repo) == head
        assert_same(state, read_state(repo))
    repo.git("stash", "-q", "-u")
    head, state = head_of(repo), read_state(repo)
    assert rewrite(repo, "range", "start..") == DONE, capsys.readouterr().err
    assert_undone(repo, head, state)
