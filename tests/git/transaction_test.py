"""HEAD and index move together or not at all: undo, recovery, locks, and processes that interfere or die."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.commands.split_flow import DONE, GIT_FAILED
from smartcommit.errors import LockedError, SplitError
from smartcommit.git import journal, refs, transaction
from smartcommit.git.repo import Repository
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS, contents
from tests.support.splitting import add_all_tree, assert_line, assert_sound, flags_of, head_of, run, status_of

ROOT = Path(__file__).parents[2]


def repository(repo: Repo) -> Repository:
    return Repository.find(str(repo.path))


def index_of(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--absolute-git-dir").strip()) / "index"


def mixed(repo: Repo) -> None:
    """Something staged, something not, something new, something only intended, in several folders."""
    SITUATIONS["staged_then_edited"](repo)
    SITUATIONS["intent_to_add"](repo)
    SITUATIONS["skipped_entries"](repo)
    repo.write("src/a.py", "a = 1\n")
    repo.write("docs/a.md", "# a\n")


@pytest.mark.parametrize("name", ["mixed", *SITUATIONS])
@pytest.mark.parametrize("staged", [False, True])
def test_undo_restores_head_and_index_byte_for_byte(based: Repo, name: str, staged: bool) -> None:
    mixed(based) if name == "mixed" else SITUATIONS[name](based)
    if staged:
        based.git("-c", "core.safecrlf=false", "add", "-A")
    status, head = status_of(based), head_of(based)
    files, reference = contents(based.path), based.run("symbolic-ref", "HEAD").stdout
    index = index_of(based).read_bytes()
    assert run(based, staged=staged)[0] == DONE
    transaction.undo(repository(based))
    assert index_of(based).read_bytes() == index
    assert (head_of(based), based.run("symbolic-ref", "HEAD").stdout) == (head, reference)
    assert contents(based.path) == files
    assert status_of(based) == status
    assert based.git("for-each-ref", "refs/split") == ""
    assert_sound(based)


def test_undo_of_the_first_commits_leaves_a_branch_without_commits(repo: Repo) -> None:
    repo.stage({"a.txt": "a\n"})
    repo.write("d/b.txt", "b\n")
    status = status_of(repo)
    run(repo)
    transaction.undo(repository(repo))
    assert head_of(repo) == ""
    assert status_of(repo) == status
    assert run(repo)[0] == DONE


def test_splits_are_undone_one_after_the_other(based: Repo) -> None:
    heads = [head_of(based)]
    for number in range(3):
        based.write(f"new{number}.txt", "x\n")
        assert run(based)[0] == DONE
        heads.append(head_of(based))
    for expected in reversed(heads[:-1]):
        transaction.undo(repository(based))
        assert head_of(based) == expected
    with pytest.raises(SplitError, match="no split to undo"):
        transaction.undo(repository(based))


def test_only_the_last_splits_are_kept(based: Repo) -> None:
    for number in range(transaction.KEPT + 3):
        based.write(f"new{number}.txt", "x\n")
        assert run(based)[0] == DONE
    kept = {entry.backup for entry in journal.read_all(repository(based))}
    assert len(kept) == transaction.KEPT + 1
    assert set(based.git("for-each-ref", "--format=%(refname)", "refs/split").split()) == kept


def test_undo_keeps_what_was_edited_since(based: Repo) -> None:
    based.write("new.txt", "x\n")
    run(based)
    based.write("new.txt", "x\nsince\n")
    transaction.undo(repository(based))
    assert (based.path / "new.txt").read_text() == "x\nsince\n"
    assert status_of(based) == "?? new.txt\0"


def test_a_message_kept_for_the_next_commit_goes_and_comes_back(based: Repo) -> None:
    based.git("switch", "-q", "-c", "side")
    based.commit("feat: side", {"side.txt": "x\n"})
    based.git("switch", "-q", "main")
    based.git("merge", "-q", "--squash", "side")
    kept = (based.path / ".git/SQUASH_MSG").read_text()
    run(based)
    assert not (based.path / ".git/SQUASH_MSG").exists()
    transaction.undo(repository(based))
    assert (based.path / ".git/SQUASH_MSG").read_text() == kept


@pytest.mark.parametrize(
    ("content", "reason"), [("", "no journal"), ("[]", "no journal"), ('{"version": 9}', "version 9")]
)
def test_a_journal_that_cannot_be_read_is_named(based: Repo, content: str, reason: str) -> None:
    based.write("new.txt", "x\n")
    run(based)
    next(based.path.glob(".git/smartcommit/split/*/journal")).write_text(content)
    based.write("more.txt", "x\n")
    status, text = run(based)
    assert (status, reason in text) == (GIT_FAILED, True), text


@pytest.mark.parametrize("since", ["commit", "switch", "stage", "merge"])
def test_undo_is_refused_when_something_has_happened_since(based: Repo, since: str) -> None:
    based.write("new.txt", "x\n")
    run(based)
    if since == "commit":
        based.commit("chore: more", {"more.txt": "x\n"})
    elif since == "switch":
        based.git("switch", "-q", "-c", "side")
    elif since == "stage":
        based.stage({"more.txt": "x\n"})
    else:
        (based.path / ".git/MERGE_HEAD").write_text(based.git("rev-parse", "HEAD"))
    before = based.state()
    with pytest.raises(SplitError):
        transaction.undo(repository(based))
    assert based.state() == before
    assert_sound(based)


def test_what_was_only_staged_survives_a_collection_of_garbage(based: Repo) -> None:
    based.stage({"am.txt": "staged only\n"})
    based.write("am.txt", "other\n")
    run(based)
    based.git("reflog", "expire", "--expire=now", "--all")
    based.git("gc", "-q", "--prune=now")
    transaction.undo(repository(based))
    assert based.git("show", ":am.txt") == "staged only\n"


def test_a_held_lock_refuses_and_is_left_alone(based: Repo) -> None:
    based.write("new.txt", "x\n")
    lock = Path(f"{index_of(based)}.lock")
    lock.write_text("somebody's")
    head = head_of(based)
    status, text = run(based)
    assert status == GIT_FAILED
    assert "index.lock" in text
    assert lock.read_text() == "somebody's"
    lock.unlink()
    assert (head_of(based), status_of(based)) == (head, "?? new.txt\0")
    assert_sound(based)


def test_the_holder_of_the_lock_is_named(based: Repo) -> None:
    based.write("new.txt", "x\n")
    holder = based.path.parent / "git-holder"
    holder.write_text("#!/bin/sh\nexec sleep 60\n")
    process = subprocess.Popen(["git-held", "60"], executable="/bin/sleep", cwd=based.path)
    try:
        Path(f"{index_of(based)}.lock").touch()
        assert f"process {process.pid} (git-held 60)" in run(based)[1]
    finally:
        process.kill()
        process.wait()


def test_a_lock_that_is_given_up_soon_is_waited_for(based: Repo) -> None:
    based.write("new.txt", "x\n")
    lock = Path(f"{index_of(based)}.lock")
    lock.touch()
    process = subprocess.Popen(["sh", "-c", f"sleep 0.3; rm '{lock}'"])
    assert run(based)[0] == DONE
    process.wait()


def interfered(based: Repo, monkeypatch: pytest.MonkeyPatch, interfere: Callable[[], object]) -> tuple[int, str]:
    """Split while `interfere` happens between the snapshot and the transaction."""
    publish = transaction.publish

    def late(*arguments: object, **options: object) -> object:
        interfere()
        return publish(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(transaction, "publish", late)
    return run(based)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("commit", "-q", "--allow-empty", "-m", "chore: meanwhile"), "HEAD has moved"),
        (("reset", "-q", "--soft", "HEAD~"), "HEAD has moved"),
        (("switch", "-q", "-c", "side"), "another branch"),
        (("add", "new.txt"), "staged meanwhile"),
        (("update-index", "--assume-unchanged", "base.txt"), "staged meanwhile"),
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
    assert (based.path / ".git/ran").read_text() == "reference-transaction prepared\nreference-transaction committed\n"
    assert {name: (path.read_bytes(), path.stat().st_mtime_ns) for name, path in hooks.items()} == before


@pytest.mark.parametrize("vetoed", ["prepared", "none"])
def test_the_hook_for_refs_is_asked_and_may_refuse(based: Repo, vetoed: str) -> None:
    script = f'#!/bin/sh\ncat >> .git/seen\ntest "$1" != {vetoed}\n'
    hook = based.write(".git/hooks/reference-transaction", script, executable=True)
    based.write("src/new.py", "SECRET = 'only here'\n")
    before, objects = based.state(), based.git("count-objects", "-v")
    status, _ = run(based)
    hook.unlink()
    seen = {line.split()[2] for line in (based.path / ".git/seen").read_text().splitlines()}
    assert {name.rpartition("/")[0] for name in seen} == {"", "refs/heads", "refs/split/backup"}
    if vetoed == "none":
        assert status == DONE
        return
    assert status == GIT_FAILED
    assert (based.state(), based.git("count-objects", "-v")) == (before, objects)
    assert_sound(based)


def test_a_signal_between_refs_and_index_comes_too_late(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.write("new.txt", "x\n")
    move = refs.move_refs

    def signalled(*arguments: object, **options: object) -> None:
        move(*arguments, **options)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(transaction, "move_refs", signalled)
    assert run(based)[0] == DONE
    assert status_of(based) == ""
    assert_sound(based)


PRELUDE = """
import os, signal, sys
sys.path.insert(0, {root!r})
from smartcommit.cli import git_smart_commit
from smartcommit.git import chain, journal, locks, quarantine, refs, runs, snapshot, transaction

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
    "commits written": ("chain, '_feed'", False),
    "journal written": ("journal, 'write'", False),
    "lock taken": ("locks.FileLock, 'take'", False),
    "objects released": ("quarantine.Quarantine, 'release'", False),
    "refs moved": ("transaction, 'move_refs'", True),
    "index installed": ("locks.FileLock, 'install'", True),
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


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_killed_split_is_old_or_complete_and_recovers(based: Repo, fault: str, when: str) -> None:
    mixed(based)
    old, expected, files, flags = head_of(based), add_all_tree(based), contents(based.path), flags_of(based)
    index, status = index_of(based).read_bytes(), status_of(based)
    place, in_force = FAULTS[fault]
    killed(based, f"die_around({place}, {when!r}); git_smart_commit()", "--yes")
    if fault == "refs moved" and when == "before":
        in_force = False
    assert assert_old_or_complete(based, old, expected, files) == in_force
    # git must refuse a plain commit, or make one that reverts nothing.
    lost = based.run("commit", "-q", "-m", "chore: plain", "--allow-empty").returncode == 0 and in_force
    if lost:
        assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
        return
    if head_of(based) not in (old, ""):
        based.git("reset", "-q", "--soft", old) if not in_force else None
    transaction.recover(repository(based))
    if in_force:
        assert status_of(based) == ""
        assert flags_of(based) == flags
    else:
        assert head_of(based) == old
        assert (index_of(based).read_bytes(), status_of(based)) == (index, status)
        assert run(based)[0] == DONE
        assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert_sound(based)


@pytest.mark.parametrize("layout", ["branch", "detached", "linked"])
def test_locks_of_refs_that_died_with_the_split_are_released(based: Repo, layout: str, tmp_path: Path) -> None:
    repo = based
    if layout == "detached":
        based.git("checkout", "-q", "--detach")
    elif layout == "linked":
        based.git("worktree", "add", "-q", "-b", "deep/side", str(tmp_path / "linked"))
        repo = Repo(tmp_path / "linked")
    repo.write("new.txt", "x\n")
    script = "quarantine.Quarantine.release = lambda self: os.killpg(0, signal.SIGKILL); git_smart_commit()"
    killed(repo, "os.setsid();" + script, "--yes")
    assert repo.run("commit", "-q", "--allow-empty", "-m", "chore: plain").returncode != 0
    transaction.recover(repository(repo))
    assert status_of(repo) == "?? new.txt\0"
    assert run(repo)[0] == DONE
    assert_sound(repo)


@pytest.mark.parametrize("option", ["--yes", "--undo"])
def test_a_lock_of_head_that_git_had_no_time_to_give_up_is_released(based: Repo, option: str) -> None:
    based.write("new.txt", "x\n")
    if option == "--undo":
        assert run(based)[0] == DONE
    # The same lock, by its inode, stands there again when git has moved the refs and both are killed.
    script = """
tell = refs._tell
def cut(process, words, answer):
    if words == "commit\\n":
        os.link(".git/HEAD.lock", ".git/kept")
    done = tell(process, words, answer)
    if words == "commit\\n":
        os.rename(".git/kept", ".git/HEAD.lock")
        os.kill(os.getpid(), signal.SIGKILL)
    return done
refs._tell = cut
git_smart_commit()
"""
    killed(based, script, option)
    assert based.run("update-ref", "-m", "x", "HEAD", "HEAD~0").returncode != 0
    transaction.recover(repository(based))
    assert not (based.path / ".git" / "HEAD.lock").exists()
    assert_sound(based)


def cut_off_while_locking(repo: Repo, *held: str) -> list[Path]:
    """Leave what a split leaves whose git was killed when it had taken the locks `held` after that of its own ref."""
    repo.write("new.txt", "x\n")
    killed(repo, "die_around(transaction, 'move_refs', 'before'); git_smart_commit()", "--yes")
    own = journal.read_all(repository(repo))[0].backup
    return [repo.write(f".git/{name}.lock") for name in (own, *held)]


@pytest.mark.parametrize("held", [(), ("HEAD",), ("HEAD", "refs/heads/main"), ("HEAD", "packed-refs")])
def test_locks_that_git_died_taking_are_released(based: Repo, held: tuple[str, ...]) -> None:
    cut_off_while_locking(based, *held)
    transaction.recover(repository(based))
    assert_sound(based)
    assert run(based)[0] == DONE


@pytest.mark.parametrize(
    ("content", "age"), [("ref: refs/heads/other\n", 0), ("", 3600)], ids=["other content", "older than the split"]
)
def test_a_lock_of_head_that_is_not_ours_stays(based: Repo, content: str, age: int) -> None:
    own, lock = cut_off_while_locking(based, "HEAD")
    lock.write_text(content)
    then = lock.stat().st_mtime - age
    os.utime(lock, (then, then))
    transaction.recover(repository(based))
    assert (lock.exists(), own.exists()) == (True, False)
    assert head_of(based) == based.git("rev-parse", "main").strip()


def test_a_lock_that_a_living_git_may_hold_stays(based: Repo) -> None:
    with subprocess.Popen(["git", "cat-file", "--batch"], cwd=based.path, stdin=subprocess.PIPE) as living:
        _, lock = cut_off_while_locking(based, "HEAD")
        transaction.recover(repository(based))
        assert lock.exists()
        assert living.stdin is not None
        living.stdin.close()


def test_a_lock_of_head_that_stands_alone_stays(based: Repo) -> None:
    based.write("new.txt", "x\n")
    killed(based, "die_around(transaction, 'move_refs', 'after'); git_smart_commit()", "--yes")
    lock = based.write(".git/HEAD.lock", "")
    transaction.recover(repository(based))
    assert lock.exists()


def test_a_split_whose_git_lives_on_is_not_dead(based: Repo) -> None:
    based.write("new.txt", "x\n")
    # git has ended when the hook has; until then nothing may be settled.
    wait = based.write(".git/wait")
    script = "#!/bin/sh\nwhile test -e .git/wait; do sleep 0.05; done\n"
    based.write(".git/hooks/reference-transaction", script, executable=True)
    script = """
def tell(process, words, answer):
    process.stdin.write(words.encode())
    process.stdin.flush()
    process.stdout.readline()
    os.kill(os.getpid(), signal.SIGKILL)
refs._tell = tell
git_smart_commit()
"""
    killed(based, script, "--yes")
    with pytest.raises(LockedError, match="still at work"):
        transaction.recover(repository(based))
    wait.unlink()
    assert [in_force for _, in_force in transaction.recover(repository(based))] == [False]
    assert_sound(based)


def test_a_split_that_was_cut_off_must_be_recovered_first(based: Repo) -> None:
    based.write("new.txt", "x\n")
    killed(based, "die_around(transaction, 'move_refs', 'after'); git_smart_commit()", "--yes")
    assert "git smart-commit --recover" in run(based)[1]
    with pytest.raises(SplitError, match="cut off"):
        transaction.undo(repository(based))
    transaction.recover(repository(based))
    assert status_of(based) == ""
    transaction.undo(repository(based))
    assert status_of(based) == "?? new.txt\0"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_undo_recovers(based: Repo, when: str) -> None:
    mixed(based)
    index, old = index_of(based).read_bytes(), head_of(based)
    run(based)
    new = head_of(based)
    killed(based, f"die_around(transaction, 'move_refs', {when!r}); git_smart_commit()", "--undo")
    transaction.recover(repository(based))
    if when == "after":
        assert (head_of(based), index_of(based).read_bytes()) == (old, index)
    else:
        assert (head_of(based), status_of(based)) == (new, "")
        transaction.undo(repository(based))
        assert index_of(based).read_bytes() == index
    assert_sound(based)


def test_splits_killed_at_random_instants_recover(based: Repo) -> None:
    for number in range(40):
        based.write(f"d{number}/file.txt", f"{number}\n")
    old, expected, files = head_of(based), add_all_tree(based), contents(based.path)
    began = time.monotonic()
    command = [sys.executable, "-c", PRELUDE.format(root=str(ROOT)) + "sys.exit(git_smart_commit())", "--yes"]
    subprocess.run([*command[:-1], "--dry-run"], cwd=based.path, check=True, capture_output=True)
    took = time.monotonic() - began
    chance = random.Random(5)
    for _ in range(12):
        process = subprocess.Popen(
            command, cwd=based.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            process.wait(chance.uniform(0.3, 1.1) * took)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        complete = assert_old_or_complete(based, old, expected, files)
        transaction.recover(repository(based))
        if complete:
            assert status_of(based) == ""
            transaction.undo(repository(based))
        assert_sound(based)
        assert head_of(based) == old
    assert run(based)[0] == DONE


def test_a_stream_that_is_cut_off_leaves_no_ref(based: Repo) -> None:
    for number in range(5):
        based.write(f"d{number}/file.txt", f"{number}\n")
    script = """
stream = chain._stream
def cut(*arguments):
    pieces = list(stream(*arguments))
    yield from pieces[:-1]
    yield pieces[-1].partition(b"reset ")[0]
    sys.stdout.close()
    os.kill(os.getpid(), signal.SIGKILL)
chain._stream = cut
feed = chain.subprocess.Popen
chain.subprocess.Popen = lambda *a, **o: feed(*a, **{**o, "stderr": 2, "bufsize": 0})
git_smart_commit()
"""
    # Reading standard error to its end waits for git, which outlives us and shares it.
    killed(based, script, "--yes")
    assert based.git("for-each-ref", "refs/split") == ""
    assert run(based)[0] == DONE
    assert_sound(based)


@pytest.mark.parametrize("fault", ["commits written", "journal written", "lock taken"])
def test_nothing_of_a_killed_split_is_left_in_the_repository(based: Repo, fault: str) -> None:
    based.write("secret.txt", "only here: 4711\n")
    killed(based, f"die_around({FAULTS[fault][0]}, 'after'); git_smart_commit()", "--yes")
    transaction.recover(repository(based))
    objects = based.git("cat-file", "--batch-all-objects", "--batch")
    assert "base\n" in objects
    assert "4711" not in objects
    assert status_of(based) == "?? secret.txt\0"
    assert_sound(based)


def test_two_splits_at_once_make_one(based: Repo) -> None:
    for number in range(10):
        based.write(f"d{number}/file.txt", f"{number}\n")
    old, expected = head_of(based), add_all_tree(based)
    command = [sys.executable, "-c", PRELUDE.format(root=str(ROOT)) + "sys.exit(git_smart_commit())", "--yes"]
    both = [subprocess.Popen(command, cwd=based.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in "12"]
    for process in both:
        process.communicate()
    assert DONE in {process.returncode for process in both}
    assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert status_of(based) == ""
    assert_line(based, old)
    assert_sound(based)
