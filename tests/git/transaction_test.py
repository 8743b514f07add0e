"""HEAD and index move together or not at all: undo, recovery, locks, and processes that interfere or die."""

import errno
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.errors import LockedError, SplitError
from smartcommit.git.lockfile import FileLock
from smartcommit.git.repo import Repository
from smartcommit.git.transaction import journal, move, publish
from smartcommit.git.transaction.recover import recover
from smartcommit.git.transaction.undo import undo
from smartcommit.split import apply
from smartcommit.split.outcome import DONE, GIT_FAILED
from tests.support.profile import choose, repeat
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS, contents
from tests.support.splitting import add_all_tree, assert_line, assert_sound, flags_of, head_of, run, status_of

ROOT = Path(__file__).parents[2]


def repository(repo: Repo) -> Repository:
    return Repository.find(str(repo.path))


def index_of(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--absolute-git-dir").strip()) / "index"


def has_reftable(repo: Repo) -> bool:
    return (repo.path / ".git/reftable").exists()


def mixed(repo: Repo) -> None:
    """Something staged, something not, something new, something only intended, in several folders."""
    SITUATIONS["staged_then_edited"](repo)
    SITUATIONS["intent_to_add"](repo)
    SITUATIONS["skipped_entries"](repo)
    repo.write("src/a.py", "a = 1\n")
    repo.write("docs/a.md", "# a\n")


def test_the_last_splits_are_kept_and_undone_one_after_the_other(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "KEPT", 2)
    heads = []
    for number in range(5):
        heads.append(head_of(based))
        based.write(f"new{number}.txt", "x\n")
        assert run(based)[0] == DONE
    kept = {entry.name for entry in journal.read_all(repository(based))}
    assert {path.name for path in based.path.glob(".git/smartcommit/split/*")} == kept
    for expected in reversed(heads[3:]):
        undo(repository(based))
        assert head_of(based) == expected
    with pytest.raises(SplitError, match="nothing to undo"):
        undo(repository(based))


def test_a_journal_that_cannot_be_read_is_named(based: Repo) -> None:
    based.write("new.txt", "x\n")
    run(based)
    journal_file = next(based.path.glob(".git/smartcommit/split/*/journal"))
    later = json.dumps({**json.loads(journal_file.read_text()), "version": 9})
    based.write("more.txt", "x\n")
    for content in ("", "[]", "{}", later):
        journal_file.write_text(content)
        status, text = run(based)
        assert (status, "is not a valid split journal of this version" in text) == (GIT_FAILED, True), content


@pytest.mark.parametrize(
    "since",
    [
        ["commit -q --allow-empty -m more"],
        ["switch -q -c side"],
        ["add more.txt"],
        ["update-ref --no-deref MERGE_HEAD HEAD"],
        ["reset -q --soft HEAD~", "add more.txt"],
    ],
)
def test_undo_is_refused_when_something_has_happened_since(based: Repo, since: list[str]) -> None:
    based.write("new.txt", "x\n")
    run(based)
    based.write("more.txt", "x\n")
    for command in since:
        based.git(*command.split())
    before = based.state()
    with pytest.raises(SplitError):
        undo(repository(based))
    assert based.state() == before
    assert_sound(based)


@pytest.mark.parametrize(
    ("before", "since", "command"),
    [
        ("switch -q main", "commit -q --allow-empty -m later", "git reset --keep {}"),
        ("switch -q main", "switch -q -c side", "git checkout main"),
        ("checkout -q --detach", "commit -q --allow-empty -m later", "git checkout --detach {}"),
    ],
)
def test_the_command_a_refused_undo_names_allows_it(based: Repo, before: str, since: str, command: str) -> None:
    based.git(*before.split())
    start = based.git("rev-parse", "HEAD")
    based.write("new.txt", "x\n")
    run(based)
    command = command.format(based.git("rev-parse", "HEAD")[:12])
    based.git(*since.split())
    with pytest.raises(SplitError) as refused:
        undo(repository(based))
    assert f"run '{command}'" in (refused.value.hint or "")
    based.git(*command.split()[1:])
    undo(repository(based))
    assert based.git("rev-parse", "HEAD") == start
    assert status_of(based) == "?? new.txt\0"


def test_undo_does_not_take_a_split_that_another_process_is_undoing(
    based: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    based.write("new.txt", "x\n")
    run(based)
    (entry,) = journal.read_all(repository(based))
    before = based.state()
    lock = journal.lock
    monkeypatch.setattr(journal, "lock", lambda file, *, patience: lock(file, patience=0.1))
    with journal.SplitRun(repository(based), entry.name).take_over() as ours:
        assert ours
        with pytest.raises(LockedError, match="another process is undoing this split"):
            undo(repository(based))
    assert based.state() == before
    undo(repository(based))


def test_undo_goes_on_where_git_was_killed_in_an_earlier_one(based: Repo) -> None:
    old = based.commit("feat: two things", {"a.txt": "x\n", "b/c.py": "print(1)\n"})
    assert git_smart_commit(["range", "HEAD", "--strategy", "file", "--yes", "--repo", str(based.path)]) == DONE
    assert head_of(based) != old
    (folder,) = based.path.glob(".git/smartcommit/split/*")
    (folder / "before.lock").touch()
    undo(repository(based))
    assert (head_of(based), status_of(based)) == (old, "")


def test_undo_is_refused_after_a_change_of_the_sparse_checkout(based: Repo) -> None:
    based.commit("feat: two folders", {"in/a.txt": "x\n", "out/b.txt": "x\n"})
    based.write("in/a.txt", "y\n")
    run(based)
    based.git("sparse-checkout", "set", "in")
    with pytest.raises(SplitError, match="sparse checkout"):
        undo(repository(based))
    assert status_of(based) == ""
    based.git("sparse-checkout", "disable")
    undo(repository(based))
    assert status_of(based) == " M in/a.txt\0"


def test_undo_brings_a_skipped_file_back_that_a_folder_has_replaced(based: Repo) -> None:
    based.commit("feat: a file", {"a": "x\n"})
    based.git("update-index", "--skip-worktree", "a")
    (based.path / "a").unlink()
    based.write("a/b.txt", "x\n")
    before = based.state()
    run(based)
    assert based.git("ls-files", "a") == "a/b.txt\n"
    undo(repository(based))
    assert based.state() == before


def test_an_index_that_a_symbolic_link_names_is_locked_and_replaced_where_it_is(based: Repo, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere/index"
    real.parent.mkdir()
    index_of(based).rename(real)
    index_of(based).symlink_to("../../elsewhere/index")
    based.write("new.txt", "x\n")
    before, head, lock = real.read_bytes(), head_of(based), Path(f"{real}.lock")
    lock.write_text("somebody's")
    assert git_smart_commit(["recover", "--repo", str(based.path)]) == GIT_FAILED
    status, text = run(based)
    assert (status, str(lock) in text, lock.read_text()) == (GIT_FAILED, True, "somebody's")
    lock.unlink()
    assert (head_of(based), status_of(based)) == (head, "?? new.txt\0")
    assert run(based)[0] == DONE
    assert index_of(based).is_symlink()
    assert status_of(based) == ""
    undo(repository(based))
    assert index_of(based).is_symlink()
    assert real.read_bytes() == before
    assert_sound(based)


def test_half_a_copy_of_the_new_index_does_not_stay_as_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = tmp_path / "content"
    content.write_bytes(b"x" * 1000)
    lock = FileLock(str(tmp_path / "index"))

    def no_links(*names: str) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as failed:
            lock.take(str(content))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert failed.value.filename == lock.path
    assert not os.path.exists(lock.path)
    lock.take(str(content))
    assert lock.was_taken_with(str(content))


@pytest.mark.parametrize(("name", "word"), [("index", "--yes"), ("HEAD", "recover")])
def test_a_lock_that_is_given_up_soon_is_waited_for(based: Repo, name: str, word: str) -> None:
    based.write("new.txt", "x\n")
    lock = based.write(f".git/{name}.lock")
    process = subprocess.Popen(["sh", "-c", f"sleep 0.3; rm '{lock}'"])
    assert git_smart_commit([word, "--repo", str(based.path)]) == DONE
    process.wait()


def interfered(based: Repo, monkeypatch: pytest.MonkeyPatch, interfere: Callable[[], object]) -> tuple[int, str]:
    """Split while `interfere` happens between the snapshot and the transaction."""
    published = apply.publish

    def late(*arguments: object, **options: object) -> object:
        interfere()
        return published(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(apply, "publish", late)
    return run(based)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("commit", "-q", "--allow-empty", "-m", "chore: meanwhile"), "HEAD has moved"),
        (("reset", "-q", "--soft", "HEAD~"), "HEAD has moved"),
        (("switch", "-q", "-c", "side"), "another branch"),
        (("add", "new.txt"), "staged in the meantime"),
        (("update-index", "--assume-unchanged", "base.txt"), "staged in the meantime"),
    ],
)
def test_what_another_process_does_meanwhile_refuses_the_split(
    based: Repo, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], reason: str
) -> None:
    based.commit("chore: second", {"second.txt": "x\n"})
    based.write("new.txt", "x\n")
    after: list[object] = []

    def interfere() -> None:
        based.git(*arguments)
        after.append(based.state())

    status, text = interfered(based, monkeypatch, interfere)
    assert (status, reason in text) == (GIT_FAILED, True), text
    assert based.state() == after[0]
    assert_sound(based)


def test_a_refreshed_index_and_an_edited_file_do_not_stop_a_split(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.write("new.txt", "first\n")
    expected = add_all_tree(based)

    def interfere() -> None:
        os.utime(based.path / "base.txt", (1, 1))
        based.git("update-index", "--refresh")
        based.write("new.txt", "other\n")

    assert interfered(based, monkeypatch, interfere)[0] == DONE
    assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert status_of(based) == " M new.txt\0"


def test_an_edit_of_the_same_size_in_the_same_instant_is_not_missed(based: Repo) -> None:
    # Else git would also look at the inode's time, which no test can set.
    based.git("config", "core.trustctime", "false")
    then = (1_700_000_000, 1_700_000_000)
    path = based.write("base.txt", "edit\n")
    os.utime(path, then)
    based.git("add", "base.txt")
    path.write_text("tide\n")
    os.utime(path, then)
    os.utime(index_of(based), then)
    assert run(based)[0] == DONE
    assert based.git("show", "HEAD:base.txt") == "tide\n"


# Source: githooks(5). Those for mail, patches, pushes and rebases cannot run here.
HOOKS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change", "post-checkout",
    "post-rewrite", "pre-auto-gc", "reference-transaction",
)  # fmt: skip


def test_only_the_hook_for_refs_runs_and_no_hook_is_displaced(based: Repo) -> None:
    hooks = {
        name: based.write(f".git/hooks/{name}", f"#!/bin/sh\necho {name} $1 >> .git/ran\n", executable=True)
        for name in HOOKS
    }
    before = {name: (path.read_bytes(), path.stat().st_mtime_ns) for name, path in hooks.items()}
    mixed(based)
    (based.path / ".git/ran").unlink(missing_ok=True)
    assert run(based)[0] == DONE
    ran = (based.path / ".git/ran").read_text().splitlines()
    # Later versions of git call it earlier, too.
    assert ran[-2:] == ["reference-transaction prepared", "reference-transaction committed"]
    assert ran[:-2] in ([], ["reference-transaction preparing"])
    assert {name: (path.read_bytes(), path.stat().st_mtime_ns) for name, path in hooks.items()} == before


@pytest.mark.parametrize("vetoed", ["prepared", "none"])
def test_the_hook_for_refs_is_asked_and_may_refuse(based: Repo, vetoed: str) -> None:
    script = f'#!/bin/sh\ncat >> .git/seen\ntest "$1" != {vetoed}\n'
    hook = based.write(".git/hooks/reference-transaction", script, executable=True)
    based.write("src/new.py", "SECRET = 'only here'\n")
    before = based.state()
    status, _ = run(based)
    hook.unlink()
    seen = {line.split()[2] for line in (based.path / ".git/seen").read_text().splitlines()}
    assert seen == {"HEAD", "refs/heads/main"}
    if vetoed == "none":
        assert status == DONE
        return
    assert status == GIT_FAILED
    assert based.state() == before
    # As after a push that a hook has refused, the objects are left to git.
    based.git("gc", "-q", "--prune=now")
    assert "only here" not in based.git("cat-file", "--batch-all-objects", "--batch")
    assert_sound(based)


def test_a_signal_between_refs_and_index_comes_too_late(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.write("new.txt", "x\n")
    move_refs = move.move_refs

    def signalled(*arguments: object, **options: object) -> None:
        move_refs(*arguments, **options)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(move, "move_refs", signalled)
    assert run(based)[0] == DONE
    assert status_of(based) == ""
    assert_sound(based)


class FailingCalls:
    """Lets one of the calls that change files fail once git has moved HEAD: the one with the number `place`, from 1."""

    NAMES = ("open", "link", "unlink", "rmdir", "mkdir", "replace", "rename", "fsync")

    def __init__(self, patch: pytest.MonkeyPatch, place: int) -> None:
        self.seen = 0
        self._place = place
        self._patch = patch
        move_refs = move.move_refs

        def moved(*arguments: object, **options: object) -> None:
            move_refs(*arguments, **options)  # type: ignore[arg-type]
            for name in self.NAMES:
                self._break(name)

        patch.setattr(move, "move_refs", moved)

    def _break(self, name: str) -> None:
        call = getattr(os, name)

        def counted(*arguments: object, **options: object) -> object:
            self.seen += 1
            if self.seen == self._place:
                # As the system does: a name is relative to a descriptor, and a call on a descriptor has none.
                raise OSError(errno.EIO, os.strerror(errno.EIO), arguments[0] if name != "fsync" else None)
            return call(*arguments, **options)

        self._patch.setattr(os, name, counted)


@pytest.mark.parametrize("word", ["--yes", "undo"])
def test_a_failure_once_head_moved_hides_no_success(based: Repo, word: str, capfd: pytest.CaptureFixture[str]) -> None:
    old, done = head_of(based), {"--yes": "made", "undo": "undone"}[word]
    place, unfinished, step = 1, 0, choose(fast=7, full=1)
    while True:
        based.write("new.txt", "x\n")
        if word == "undo":
            assert run(based)[0] == DONE
        capfd.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            calls = FailingCalls(patch, place)
            status = git_smart_commit([word, "--repo", str(based.path)])
        said, complaint = capfd.readouterr()
        assert (head_of(based) == old) == (word == "undo")
        if calls.seen < place:
            break
        if status == DONE:
            assert ("to undo:" if done == "made" else "undone:") in said
            assert "warning: cannot tidy up: '" in complaint
        else:
            unfinished += 1
            assert f"the split was {done}, but the index may not match it yet: '" in complaint
        assert "git smart-commit recover" in complaint
        assert all(name.startswith(str(based.path)) for name in re.findall("'(.*?)': ", complaint)), complaint
        assert git_smart_commit(["recover", "--repo", str(based.path)]) == DONE
        assert status_of(based) == ("" if done == "made" else "?? new.txt\0")
        assert_sound(based)
        if done == "made":
            undo(repository(based))
        place += step
    # Only the index must be installed.
    assert unfinished == 1 or step > 1


PRELUDE = """
import os, signal, sys
sys.path.insert(0, {root!r})
from smartcommit.cli import git_smart_commit
from smartcommit.git import fast_import, lockfile, snapshot
from smartcommit.git.transaction import journal, move, publish
from smartcommit.split import apply

def die_around(owner, name, when):
    inner = getattr(owner, name)
    def wrapped(*arguments, **options):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = inner(*arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(owner, name, wrapped)
"""
# Where to die, and whether the split is in force after recovery.
FAULTS = {
    "index copied": ("snapshot, '_copy_index'", False),
    "snapshot taken": ("snapshot, '_write_tree'", False),
    "commits written": ("apply, 'write_commits'", False),
    "journal written": ("journal, 'write'", False),
    "lock taken": ("lockfile.FileLock, 'take'", False),
    "objects released": ("publish, 'add_packs'", False),
    "refs moved": ("move, 'move_refs'", True),
    "index installed": ("lockfile.FileLock, 'install'", True),
}


def killed(repo: Repo, script: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE.format(root=str(ROOT)) + script, *arguments],
        cwd=repo.path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done


def assert_old_or_complete(repo: Repo, old: str, expected: str, files: object) -> bool:
    """Assert that HEAD and index belong together and nothing else changed; return whether the split is in force."""
    assert contents(repo.path) == files
    assert repo.run("fsck", "--strict", "--no-dangling").returncode == 0
    if head_of(repo) == old:
        return False
    assert repo.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert_line(repo, old)
    return True


def list_kills() -> list[Any]:
    """Each fault and when to die; what lies between one and the next changes nothing in most cases."""
    apart = ("index copied", "refs moved", "index installed")
    found: list[Any] = []
    for fault in FAULTS:
        marks = () if fault in apart else (pytest.mark.slow,)
        found += [(fault, "after"), pytest.param(fault, "before", marks=marks)]
    return found


@pytest.mark.parametrize(("fault", "when"), list_kills())
def test_a_killed_split_is_old_or_complete_and_recovers(based: Repo, fault: str, when: str) -> None:
    mixed(based)
    based.write("notes.txt", "only here: 4711\n")
    old, expected, files, flags = head_of(based), add_all_tree(based), contents(based.path), flags_of(based)
    based.git("prune", "--expire=now")  # the line above wrote the objects, too
    index, status = index_of(based).read_bytes(), status_of(based)
    place, in_force = FAULTS[fault]
    killed(based, f"die_around({place}, {when!r}); git_smart_commit()", "--yes")
    in_force = in_force and (fault, when) != ("refs moved", "before")
    assert assert_old_or_complete(based, old, expected, files) == in_force
    # git must refuse a plain commit, or make one that reverts nothing.
    lost = based.run("commit", "-q", "-m", "chore: plain", "--allow-empty").returncode == 0 and in_force
    if lost:
        assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
        return
    if not in_force:
        based.git("reset", "-q", "--soft", old)
    recover(repository(based))
    if in_force:
        assert status_of(based) == ""
        assert flags_of(based) == flags
    else:
        assert head_of(based) == old
        assert (index_of(based).read_bytes(), status_of(based)) == (index, status)
        # The objects are released before HEAD moves, and then left to git.
        released = fault in ("objects released", "refs moved")
        assert released or "only here: 4711" not in based.git("cat-file", "--batch-all-objects", "--batch")
        assert run(based)[0] == DONE
        assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert_sound(based)


COMMAND = [sys.executable, "-c", PRELUDE.format(root=str(ROOT)) + "sys.exit(git_smart_commit())", "--yes"]


def waiting_in_hook(repo: Repo) -> subprocess.Popen[bytes]:
    """A split that waits in its hook for refs, in a session of its own, until `.git/wait` is removed."""
    repo.write("new.txt", "x\n")
    repo.write(".git/wait")
    script = (
        "#!/bin/sh\n[ $1 = prepared ] || exit 0\ntouch .git/waiting\nwhile test -e .git/wait; do sleep 0.05; done\n"
    )
    repo.write(".git/hooks/reference-transaction", script, executable=True)
    process = subprocess.Popen(
        COMMAND, cwd=repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not (repo.path / ".git/waiting").exists():
        assert process.poll() is None
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("layout", ["branch", "detached"])
def test_a_lock_of_a_killed_git_is_named_in_errors(based: Repo, layout: str, capfd: pytest.CaptureFixture[str]) -> None:
    if layout == "detached":
        based.git("checkout", "-q", "--detach")
    index, head = index_of(based).read_bytes(), head_of(based)
    process = waiting_in_hook(based)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (based.path / ".git/hooks/reference-transaction").unlink()
    left = [path for path in based.path.glob(".git/**/*.lock") if path.name != "index.lock"]
    assert {path.name for path in left} & {"HEAD.lock", "tables.list.lock"}
    for _ in range(2):
        assert git_smart_commit(["recover", "--repo", str(based.path)]) == GIT_FAILED
        error = capfd.readouterr().err
        assert all(str(path) in error for path in left)
        assert (head_of(based), index_of(based).read_bytes()) == (head, index)
        assert not Path(f"{index_of(based)}.lock").exists()
    command = error.partition("run: ")[2].strip()
    assert command.startswith("rm -f ")
    subprocess.run(command, shell=True, check=True)
    assert git_smart_commit(["recover", "--repo", str(based.path)]) == DONE
    assert run(based)[0] == DONE
    assert_sound(based)


@pytest.mark.parametrize("name", ["index", "HEAD", "branch", "packed-refs"])
def test_recover_leaves_and_names_a_lock_of_others(based: Repo, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    if name == "branch":
        name = "reftable/tables.list" if has_reftable(based) else "refs/heads/main"
    lock = based.write(f".git/{name}.lock", "somebody's")
    assert git_smart_commit(["recover", "--repo", str(based.path)]) == GIT_FAILED
    assert str(lock) in capfd.readouterr().err
    assert lock.read_text() == "somebody's"


def test_a_split_whose_git_lives_on_is_not_dead(based: Repo) -> None:
    process = waiting_in_hook(based)
    process.kill()
    process.wait()
    with pytest.raises(LockedError, match="still running"):
        recover(repository(based))
    (based.path / ".git/wait").unlink()
    assert [split.is_in_effect for split in recover(repository(based))[0]] == [True]
    assert status_of(based) == ""
    assert_sound(based)


def test_ctrl_c_reaches_a_hook_and_nothing_is_changed(based: Repo) -> None:
    process = waiting_in_hook(based)
    before = based.state()
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == GIT_FAILED
    assert based.state() == before
    assert_sound(based)


@pytest.mark.parametrize("staged", [False, True])
def test_what_was_staged_after_a_lock_was_removed_by_hand_is_not_lost(based: Repo, staged: bool) -> None:
    based.write("new.txt", "x\n")
    killed(based, "die_around(move, 'move_refs', 'after'); git_smart_commit()", "--yes")
    Path(f"{index_of(based)}.lock").unlink()
    if staged:
        based.stage({"since.txt": "since\n"})
        with pytest.raises(SplitError, match="index was changed"):
            recover(repository(based))
        assert based.git("show", ":since.txt") == "since\n"
        based.git("reset", "-q")
    assert [split.is_in_effect for split in recover(repository(based))[0]] == [True]
    assert status_of(based) == ("?? since.txt\0" if staged else "")
    assert_sound(based)


def test_a_split_that_was_cut_off_must_be_recovered_first(based: Repo) -> None:
    based.write("new.txt", "x\n")
    killed(based, "die_around(move, 'move_refs', 'after'); git_smart_commit()", "--yes")
    assert "git smart-commit recover" in run(based)[1]
    with pytest.raises(SplitError, match="interrupted"):
        undo(repository(based))
    recover(repository(based))
    assert status_of(based) == ""
    undo(repository(based))
    assert status_of(based) == "?? new.txt\0"


def test_a_journal_that_a_killed_undo_was_writing_is_removed_by_the_next_run(based: Repo) -> None:
    based.write("new.txt", "x\n")
    run(based)
    killed(based, "die_around(os, 'replace', 'before'); git_smart_commit()", "undo")
    assert list(based.path.glob(".git/smartcommit/split/*/journal.*"))
    based.write("more.txt", "x\n")
    assert run(based)[0] == DONE
    assert_sound(based)


def test_a_message_kept_for_the_next_commit_survives_a_kill(based: Repo) -> None:
    kept = based.path / ".git/SQUASH_MSG"
    kept.write_text("feat: squashed by hand\n")
    based.write("new.txt", "x\n")
    killed(based, "die_around(move, 'move_refs', 'after'); git_smart_commit()", "--yes")
    recover(repository(based))
    assert not kept.exists()
    killed(based, "die_around(move, 'move_refs', 'after'); git_smart_commit()", "undo")
    recover(repository(based))
    assert kept.read_text() == "feat: squashed by hand\n"


def wait_for_group(group: int) -> None:
    """Wait until the last process of a killed group has exited: as long as a git is left, its run is not over."""
    with suppress(ProcessLookupError):
        while True:
            os.killpg(group, 0)
            time.sleep(0.01)


def test_splits_killed_at_random_instants_recover(based: Repo) -> None:
    for number in range(40):
        based.write(f"d{number}/file.txt", f"{number}\n")
    old, expected, files = head_of(based), add_all_tree(based), contents(based.path)
    began = time.monotonic()
    subprocess.run([*COMMAND[:-1], "--dry-run"], cwd=based.path, check=True, capture_output=True)
    took = time.monotonic() - began
    chance = random.Random(5)
    for _ in range(repeat(fast=2, full=12)):
        process = subprocess.Popen(
            COMMAND, cwd=based.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            process.wait(chance.uniform(0.3, 1.1) * took)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            wait_for_group(process.pid)
        complete = assert_old_or_complete(based, old, expected, files)
        recover(repository(based))
        if complete:
            assert status_of(based) == ""
            undo(repository(based))
        assert_sound(based)
        assert head_of(based) == old
    assert run(based)[0] == DONE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_stream_that_is_cut_off_leaves_nothing(based: Repo, number: signal.Signals) -> None:
    for each in range(5):
        based.write(f"d{each}/file.txt", f"{each}\n")
    script = f"""
stream = fast_import._stream
def cut(*arguments):
    pieces = list(stream(*arguments))
    yield from pieces[:-1]
    os.kill(os.getpid(), {number:d})
    yield pieces[-1]
fast_import._stream = cut
sys.exit(git_smart_commit())
"""
    prelude = PRELUDE.format(root=str(ROOT))
    subprocess.run([sys.executable, "-c", prelude + script, "--yes"], cwd=based.path, capture_output=True, check=False)
    assert not list(based.path.glob(".git/fast_import_crash*"))
    assert based.git("for-each-ref", "refs/split") == ""
    if number == signal.SIGTERM:
        assert not list(based.path.glob(".git/smartcommit/split/*"))
    assert run(based)[0] == DONE
    assert len(list(based.path.glob(".git/smartcommit/split/*"))) == 1
    assert_sound(based)


def test_two_splits_at_once_make_one(based: Repo) -> None:
    for number in range(10):
        based.write(f"d{number}/file.txt", f"{number}\n")
    old, expected = head_of(based), add_all_tree(based)
    both = [subprocess.Popen(COMMAND, cwd=based.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in "12"]
    for process in both:
        process.communicate()
    assert DONE in {process.returncode for process in both}
    assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert status_of(based) == ""
    assert_line(based, old)
    assert_sound(based)
