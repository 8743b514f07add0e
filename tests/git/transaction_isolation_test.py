"""A split beside hooks and garbage collection, in copies and after moves: nobody loses what is theirs."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.transaction.undo import undo
from smartcommit.split.outcome import DONE, GIT_FAILED
from tests.git.transaction_test import COMMAND, ROOT, interfered, repository
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS
from tests.support.splitting import add_all_tree, assert_sound, head_of, run, status_of

HOOK = ".git/hooks/reference-transaction"


def staged_then_edited(repo: Repo) -> None:
    """Edit a file again after it was staged, so that no commit of a split has its staged content."""
    repo.stage({"am.txt": "staged only\n"})
    repo.write("am.txt", "edited since\n")


def test_objects_that_a_hook_creates_survive(based: Repo) -> None:
    script = """#!/bin/sh
[ "$1" = committed ] || exit 0
while read -r old new ref; do
    [ "$ref" = refs/heads/main ] && git notes --ref=audit add -f -m moved "$new"
done
exit 0
"""
    based.write(HOOK, script, executable=True)
    based.write("new.txt", "x\n")
    assert run(based)[0] == DONE
    (based.path / HOOK).unlink()
    based.git("fsck", "--strict")
    based.git("gc", "-q", "--prune=now")
    assert based.git("notes", "--ref=audit", "show", "HEAD") == "moved\n"


@pytest.mark.parametrize("phase", ["prepared", "committed"])
def test_a_hook_sees_the_environment_and_the_objects_of_the_caller(
    based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    # Where the index is is the caller's to say.
    monkeypatch.setenv("GIT_INDEX_FILE", str(based.path / ".git/index"))
    seen = tmp_path / "seen"
    script = f"""#!/bin/sh
[ "$1" = {phase} ] || exit 0
env -0 | sort -z > '{seen}'
while read -r old new ref; do git cat-file -e "$new" || exit 1; done
"""
    based.write(HOOK, script, executable=True)
    based.git("update-ref", "refs/heads/plain", "HEAD")
    expected = seen.read_bytes()
    based.write("new.txt", "x\n")
    assert run(based)[0] == DONE
    assert seen.read_bytes() == expected
    seen.unlink()
    undo(repository(based))
    assert seen.read_bytes() == expected


@pytest.mark.parametrize("phase", ["prepared", "committed"])
@pytest.mark.parametrize(
    ("command", "status"),
    [
        # git holds the lock of the index around its own commits, too.
        ("git update-index -q --refresh", DONE),
        ("rm .git/index.lock; git update-index -q --refresh; git update-index --force-remove base.txt", GIT_FAILED),
        ("rm .git/index.lock; echo hook > hook.txt; git add hook.txt", GIT_FAILED),
        ("rm .git/index.lock; git read-tree --empty", GIT_FAILED),
    ],
)
def test_a_hook_that_rewrites_the_index_does_not_make_the_next_commit_revert_the_split(
    based: Repo, phase: str, command: str, status: int
) -> None:
    based.write(HOOK, f"#!/bin/sh\n[ $1 = {phase} ] || exit 0\n{command}\nexit 0\n", executable=True)
    based.write("src/a.py", "a = 1\n")
    based.write("docs/a.md", "# a\n")
    old, expected = head_of(based), add_all_tree(based)
    found, text = run(based)
    (based.path / HOOK).unlink()
    assert found == status, text
    assert ("changed the index in the meantime" in text) == (status != DONE)
    assert not (based.path / ".git/index.lock").exists()
    assert head_of(based) != old
    based.git("commit", "-q", "--allow-empty", "-m", "chore: next")
    assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert_sound(based)


def test_a_git_that_is_killed_after_it_has_moved_head_does_not_hide_the_success(based: Repo) -> None:
    based.write(HOOK, "#!/bin/sh\n[ $1 = committed ] && kill -9 $PPID\nexit 0\n", executable=True)
    based.write("new.txt", "x\n")
    status, text = run(based)
    (based.path / HOOK).unlink()
    assert (status, status_of(based)) == (DONE, "")
    assert "to undo: " in text
    assert "warning: 'git update-ref' failed: killed" in text
    undo(repository(based))
    assert_sound(based)


def test_what_a_hook_leaves_running_holds_nothing(based: Repo) -> None:
    script = '#!/bin/sh\n[ "$1" = committed ] || exit 0\nsleep 60 &\necho $! > .git/daemon\n'
    based.write(HOOK, script, executable=True)
    based.write("new.txt", "x\n")
    assert run(based)[0] == DONE
    daemon = int((based.path / ".git/daemon").read_text())
    try:
        (based.path / HOOK).unlink()
        undo(repository(based))
        assert status_of(based) == "?? new.txt\0"
        os.kill(daemon, 0)
    finally:
        os.kill(daemon, signal.SIGKILL)


@pytest.mark.parametrize("how", ["copied", "moved"])
def test_a_copy_or_a_moved_repository_undoes_itself_and_nothing_else(based: Repo, tmp_path: Path, how: str) -> None:
    staged_then_edited(based)
    before, old = based.state(), head_of(based)
    assert run(based)[0] == DONE
    made, new = based.state(), head_of(based)
    other = Repo(tmp_path / "other")
    if how == "copied":
        subprocess.run(["cp", "-a", based.path, other.path], check=True)
    else:
        shutil.move(based.path, other.path)
    undo(repository(other))
    assert (head_of(other), other.git("show", ":am.txt")) == (old, "staged only\n")
    assert other.git("status", "--porcelain=v2", "-z", "--untracked-files=all") == before[0]
    assert_sound(other)
    if how == "copied":
        assert (based.state(), head_of(based)) == (made, new)
        undo(repository(based))
        assert based.state() == before


def test_a_split_of_another_index_is_undone_in_it(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other-index"
    shutil.copy2(based.path / ".git/index", other)
    own = (based.path / ".git/index").read_bytes()
    based.write("new.txt", "x\n")
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    before = other.read_bytes()
    assert run(based)[0] == DONE
    monkeypatch.delenv("GIT_INDEX_FILE")
    with pytest.raises(SplitError, match="another index"):
        undo(repository(based))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    undo(repository(based))
    assert other.read_bytes() == before
    assert (based.path / ".git/index").read_bytes() == own


def test_undo_does_not_need_a_shared_index_that_git_has_removed(based: Repo) -> None:
    SITUATIONS["split_index"](based)
    based.git("config", "splitIndex.sharedIndexExpire", "now")
    before, entries = status_of(based), based.git("ls-files", "--stage", "-v", "-z")
    status, text = run(based)
    assert status == DONE, text
    # git writes another shared index, and removes what is not needed any more.
    based.git("update-index", "--split-index", "--force-write-index")
    for path in based.path.glob(".git/sharedindex.*"):
        if path.name not in based.git("rev-parse", "--shared-index-path"):
            path.unlink(missing_ok=True)
    undo(repository(based))
    assert (status_of(based), based.git("ls-files", "--stage", "-v", "-z")) == (before, entries)
    assert_sound(based)


COLLECT = "while ! test -e .git/stop; do git gc -q --prune=now; git prune --expire=now; git repack -q -a -d; done"


@pytest.mark.parametrize("attempt", range(repeat(fast=2, full=4)))
def test_a_collection_of_garbage_at_the_same_time_loses_nothing(based: Repo, attempt: int) -> None:
    for number in range(20):
        based.write(f"d{number}/file.txt", f"{number} {attempt}\n")
    staged_then_edited(based)
    before, expected = based.state(), add_all_tree(based)
    based.git("prune", "--expire=now")  # else what the line above wrote is there, and goes under the split's feet
    collector = subprocess.Popen(["sh", "-c", COLLECT], cwd=based.path, stderr=subprocess.DEVNULL)
    try:
        status, text = run(based)
        assert status == DONE, text
        assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
        undo(repository(based))
    finally:
        based.write(".git/stop")
        collector.wait()
    assert based.state() == before
    assert based.git("show", ":am.txt") == "staged only\n"
    based.git("fsck", "--strict", "--no-dangling")


def test_an_object_that_is_gone_refuses_the_split(based: Repo) -> None:
    # git does not write what is there already, so it counts on an object that nothing refers to.
    oid = based.git("hash-object", "-w", "--stdin", stdin=b"known\n").strip()
    based.write("new.txt", "known\n")
    lost = based.path / ".git/objects" / oid[:2] / oid[2:]
    before = based.state()
    with pytest.MonkeyPatch.context() as patch:
        assert interfered(based, patch, lost.unlink)[0] == GIT_FAILED
    assert based.state() == before
    assert run(based)[0] == DONE
    assert_sound(based)


@pytest.mark.parametrize("name", ["plain", "a:colon", '"quoted"'])
def test_a_repository_that_borrows_objects_is_split(based: Repo, tmp_path: Path, name: str) -> None:
    lender, borrower = tmp_path / name / "lender", tmp_path / name / "borrower"
    shutil.copytree(based.path, lender)
    based.git("clone", "-q", "--shared", str(lender), str(borrower))
    repo = Repo(borrower)
    repo.git("remote", "remove", "origin")
    repo.write("base.txt", "edited\n")
    repo.write("new.txt", "x\n")
    expected = add_all_tree(repo)
    assert run(repo)[0] == DONE
    assert repo.git("rev-parse", "HEAD^{tree}").strip() == expected
    undo(repository(repo))
    assert_sound(repo)


def test_a_mirror_gets_nothing_of_a_split_but_its_commits(based: Repo, tmp_path: Path) -> None:
    staged_then_edited(based)
    assert run(based)[0] == DONE
    mirror = Repo.init(tmp_path / "mirror", "--bare")
    based.git("push", "-q", "--mirror", str(mirror.path))
    assert mirror.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    assert "staged only" not in mirror.git("cat-file", "--batch-all-objects", "--batch")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("word", ["undo", "recover"])
def test_what_was_done_is_a_success_where_it_cannot_be_printed(based: Repo, word: str) -> None:
    based.write("new.txt", "x\n")
    assert run(based)[0] == DONE
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND[:-1], word], cwd=based.path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == DONE, done.stderr
    assert b"cannot be printed: No space left on device" in done.stderr
    assert status_of(based) == ("?? new.txt\0" if word == "undo" else "")


# The limit is what the loaded program has, and little more.
LIMITED = """
import resource, sys
from smartcommit.cli import git_smart_commit
from smartcommit.commands import split
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, ((pages << 12) + (16 << 20),) * 2)
sys.exit(git_smart_commit())
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_too_little_memory_is_an_error_of_one_line(based: Repo) -> None:
    line = "x" * 200
    based.commit("chore: files", {f"{name}.txt": f"{line}\nold\n" * 300 for name in range(100)})
    for name in range(100):
        based.write(f"{name}.txt", f"{line}\nnew\n" * 300)
    before = based.state()
    limited = subprocess.run(
        [sys.executable, "-c", LIMITED, "--yes", "--strategy", "hunk"], cwd=based.path, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MALLOC_ARENA_MAX": "1"}, check=False,
    )  # fmt: skip
    assert limited.returncode == GIT_FAILED
    assert b"Traceback" not in limited.stderr
    assert b"smartcommit: out of memory\nhint: " in limited.stderr
    assert based.state() == before


MAY_MOUNT = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not MAY_MOUNT, reason="needs 'unshare -rm', to mount a small disk")
def test_a_full_disk_is_named_and_nothing_is_changed(based: Repo) -> None:
    commands = f"""
mkdir ../small && mount -t tmpfs -o size=700k none ../small && cp -a . ../small && cd ../small || exit 77
head -c 400000 /dev/urandom > big
"{sys.executable}" -c "$0" --yes
echo $? "$(git status --porcelain)"
git fsck --strict
"""
    script = COMMAND[2]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", commands, script], cwd=based.path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{GIT_FAILED} ?? big\n"), done.stderr
    assert "No space left on device" in done.stderr
    assert "hint: free some disk space; nothing was changed" in done.stderr
