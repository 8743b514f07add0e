"""Other refs move with HEAD, to commits that replace older ones, and are undone and recovered with it."""

import os
import re
import shlex
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.errors import GitError, LockedError, SmartcommitError
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.recover import recover
from smartcommit.git.transaction.undo import undo
from smartcommit.split.outcome import DONE, GIT_FAILED
from tests.git.transaction_test import killed, repository
from tests.support.repository import Repo
from tests.support.situations_split import contents
from tests.support.splitting import assert_sound, head_of, rewrite, status_of

# Refs that move, each to the commit with this position. git moves them in the order of their names.
MOVED = {"refs/heads/early": 0, "refs/heads/stack/1-new": 1, "refs/heads/zlate": -1}


def make_branch(based: Repo) -> Repo:
    """A branch of three commits since `start`, of which two others name some, with changes that are not committed."""
    based.git("branch", "start")
    for number in range(3):
        based.commit(f"wip {number}", {f"part{number}/code.py": f"part = {number}\n", "notes.md": f"note {number}\n"})
    based.git("branch", "early", "HEAD~2")
    based.git("branch", "zlate", "HEAD~1")
    based.write("base.txt", "staged\n")
    based.git("add", "base.txt")
    based.write("base.txt", "unstaged\n")
    based.write("intended.txt", "x\n")
    based.git("add", "-N", "intended.txt")
    based.git("update-index", "--assume-unchanged", "part0/code.py")
    based.write("part1/code.py", "unstaged too\n")
    based.write("untracked", "\n")
    return based


@pytest.fixture
def branch(based: Repo) -> Repo:
    return make_branch(based)


def refs_of(repo: Repo) -> dict[str, str]:
    """All refs, with what HEAD is."""
    found = {"HEAD": repo.run("symbolic-ref", "-q", "HEAD").stdout.decode() or head_of(repo)}
    for line in repo.git("for-each-ref", "--format=%(objectname) %(refname)").splitlines():
        oid, _, name = line.partition(" ")
        found[name] = oid
    return found


def everything(repo: Repo) -> tuple[Any, ...]:
    """All of a repository that rewriting may change, and that undoing must restore."""
    status = repo.git("--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all")
    # git writes no size for a file that was changed in the instant in which the index was written.
    entries = re.sub("size: .*", "", repo.git("ls-files", "--stage", "-v", "-f", "--debug"))
    return refs_of(repo), status, entries, contents(repo.path)


def split_recovers(repo: Repo) -> list[bool]:
    return [split.is_in_effect for split in recover(repository(repo))[0]]


@pytest.mark.parametrize("layout", ["loose", "packed", "detached"])
def test_refs_move_and_undo_moves_them_back(branch: Repo, layout: str) -> None:
    if layout == "packed":
        branch.git("pack-refs", "--all")
    if layout == "detached":
        branch.git("checkout", "-q", "--detach")
    # It is for the next commit, which a rewriting is not.
    message = branch.write(".git/SQUASH_MSG", "feat: mine\n")
    before = everything(branch)
    made = rewrite(branch, "start", refs=MOVED)
    assert message.exists()
    after = refs_of(branch)
    assert {name: after[name] for name in MOVED} == {name: made.commits[at].commit for name, at in MOVED.items()}
    assert branch.git("rev-parse", "HEAD").strip() == made.commits[-1].commit
    assert everything(branch)[1:] == before[1:]
    entry, warnings = undo(repository(branch))
    assert (len(entry.refs), warnings) == (3, [])
    assert everything(branch) == before
    assert_sound(branch)


def test_a_ref_that_moved_or_vanished_since_stays_as_it_is(branch: Repo) -> None:
    before = refs_of(branch)
    rewrite(branch, "start", refs=MOVED)
    branch.git("branch", "-f", "early", "start")
    branch.git("branch", "-D", "stack/1-new")
    _, warnings = undo(repository(branch))
    assert [line.partition("'")[2].partition("'")[0] for line in warnings] == [
        "refs/heads/early",
        "refs/heads/stack/1-new",
    ]
    assert refs_of(branch) == {**before, "refs/heads/early": before["refs/heads/start"]}
    assert_sound(branch)


def test_undo_does_not_take_a_branch_from_another_worktree(branch: Repo, tmp_path: Path) -> None:
    before = refs_of(branch)
    rewrite(branch, "start", refs=MOVED)
    other = tmp_path / "other"
    branch.git("worktree", "add", "-q", str(other), "stack/1-new")
    kept = refs_of(branch)["refs/heads/stack/1-new"]
    _, warnings = undo(repository(branch))
    assert "refs/heads/stack/1-new" in "".join(warnings)
    assert refs_of(branch) == {**before, "refs/heads/stack/1-new": kept}
    assert status_of(Repo(other)) == ""


@pytest.mark.parametrize("cause", ["hook", "exists", "moved", "folder", "lock", "name"])
def test_a_ref_that_cannot_move_refuses_everything(branch: Repo, cause: str) -> None:
    refs = dict(MOVED)
    if cause == "hook":
        script = '#!/bin/sh\ntest "$1" != prepared || ! grep -q 1-new\n'
        branch.write(".git/hooks/reference-transaction", script, executable=True)
    elif cause == "folder":
        refs["refs/heads/early/below"] = 0
    elif cause == "lock":
        branch.write(".git/refs/heads/zlate.lock")
    elif cause == "name":
        refs["refs/heads/two..dots"] = 0
    before = everything(branch)
    changed = {"exists": "refs/heads/stack/1-new", "moved": "refs/heads/zlate"}.get(cause)

    def interfere() -> None:
        if changed:
            branch.git("update-ref", changed, "start")

    with pytest.raises(LockedError if cause == "lock" else GitError) as refused:
        rewrite(branch, "start", refs=refs, meanwhile=interfere)
    if changed:
        before[0][changed] = before[0]["refs/heads/start"]
    if cause == "lock":
        lock = branch.path / ".git/refs/heads/zlate.lock"
        assert f"run: rm -f {lock}" in (refused.value.hint or "")
        lock.unlink()
    assert everything(branch) == before
    assert journal.read_all(repository(branch)) == []
    assert_sound(branch)


def test_the_name_of_a_ref_may_be_any_bytes(branch: Repo) -> None:
    name = os.fsdecode(b'refs/heads/caf\xe9-"quoted"')
    before = everything(branch)
    made = rewrite(branch, "start", refs={name: 0})
    assert branch.run("rev-parse", os.fsencode(name)).stdout.decode().strip() == made.commits[0].commit
    assert undo(repository(branch))[1] == []
    assert everything(branch) == before


SCRIPT = """
from pathlib import Path
from tests.git.transaction_refs_test import MOVED
from tests.support.repository import Repo
from tests.support.splitting import rewrite
{fault}
rewrite(Repo(Path.cwd()), "start", refs=MOVED)
"""


def killed_at(repo: Repo, fault: str, when: str) -> None:
    killed(repo, SCRIPT.format(fault=f"die_around({fault}, {when!r})"))


def list_subsets() -> list[tuple[str, ...]]:
    names = ["refs/heads/main", *MOVED]
    found: list[tuple[str, ...]] = []
    for size in range(len(names) + 1):
        found += combinations(names, size)
    return found


@pytest.mark.parametrize("undoing", [False, True])
def test_a_git_killed_between_two_refs_is_finished_or_rolled_back(branch: Repo, tmp_path: Path, undoing: bool) -> None:
    before = everything(branch)
    if undoing:
        rewrite(branch, "start", refs=MOVED)
        killed(branch, "die_around(move, 'move_refs', 'before'); git_smart_commit()", "undo")
    else:
        killed_at(branch, "move, 'move_refs'", "before")
    (entry,) = journal.read_all(repository(branch))
    moves = [("refs/heads/main", entry.old, entry.new), *entry.refs]
    for number, moved in enumerate(list_subsets()):
        copy = Repo(tmp_path / f"copy{number}")
        # With the lock of the index, which is a link.
        subprocess.run(["cp", "-a", str(branch.path), str(copy.path)], check=True)
        for name, old, new in moves:
            wanted = old if undoing else new
            if name in moved:
                copy.git("update-ref", *([name, wanted] if wanted else ["-d", name]))
        done = "refs/heads/main" in moved
        assert split_recovers(copy) == [done != undoing]
        after = everything(copy)
        assert after[1:] == before[1:]
        if done == undoing:
            assert after[0] == before[0], moved
        else:
            assert [after[0].get(name) for name, _, _ in moves] == [new for _, _, new in moves], moved
        assert_sound(copy)


@pytest.mark.parametrize(
    ("layout", "ref"), [("branch", "early"), ("branch", "main"), ("branch", "zlate"), ("detached", "early")]
)
def test_a_git_that_fails_between_two_refs_leaves_no_half(branch: Repo, layout: str, ref: str) -> None:
    if layout == "detached":  # else HEAD's branch is the last that git moves
        branch.git("checkout", "-q", "--detach")
    before = everything(branch)
    # The rename of a lock that is gone fails, after those of the refs before it.
    script = f'#!/bin/sh\n[ "$1" = prepared ] && rm -f .git/refs/heads/{ref}.lock\nexit 0\n'
    hook = branch.write(".git/hooks/reference-transaction", script, executable=True)
    with pytest.raises(SmartcommitError):
        rewrite(branch, "start", refs=MOVED)
    hook.unlink()
    if layout == "branch":
        assert everything(branch) == before
    else:
        assert split_recovers(branch) == [True]
        assert undo(repository(branch))[1] == []
        assert everything(branch) == before
    assert_sound(branch)


def test_a_lock_of_another_ref_that_a_killed_git_left_is_named(branch: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    before = everything(branch)
    killed_at(branch, "move, 'move_refs'", "before")
    (entry,) = journal.read_all(repository(branch))
    branch.git("update-ref", "refs/heads/early", entry.refs[0][2])
    lock = branch.write(".git/refs/heads/early.lock")
    assert git_smart_commit(["recover", "--repo", str(branch.path)]) == GIT_FAILED
    error = capfd.readouterr().err
    assert str(lock) in error
    command = error.partition("run: ")[2].strip()
    assert shlex.split(command)[:2] == ["rm", "-f"]
    subprocess.run(command, shell=True, check=True)
    assert git_smart_commit(["recover", "--repo", str(branch.path)]) == DONE
    assert everything(branch) == before
    assert_sound(branch)
