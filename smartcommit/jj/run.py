"""Runs jj, reads and describes the working-copy commit, and finds the git repository in which jj keeps its commits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from smartcommit.errors import JjError
from smartcommit.file_lock import HeldLock
from smartcommit.git.repo import Repository

# Time limit of a jj command in seconds.
PATIENCE = 60.0
# jj's root commit, which git does not have.
_ROOT = "0" * 40
# Characters of a change id that are printed.
CHANGE_LENGTH = 8
# Neither take a snapshot of the working copy nor update it.
NO_SNAPSHOT = "--ignore-working-copy"
_FIELDS = ("commit_id", "change_id", "description", "empty", "conflict", "divergent", "immutable", "author")
# Methods, since a user's template aliases can replace keywords.
_VALUES = {
    **{name: f"self.{name}()" for name in _FIELDS},
    "parents": "self.parents().map(|parent| parent.commit_id())",
    "bookmarks": "self.local_bookmarks().map(|bookmark| bookmark.name())",
}
_TEMPLATE = ' ++ "," ++ '.join(f'"\\"{name}\\":" ++ json({value})' for name, value in _VALUES.items())
_TEMPLATE = f'"{{" ++ {_TEMPLATE} ++ "}}\\n"'
_REASON = re.compile(r"^(?:config |internal )?error.*", re.M | re.I)
_NO_WARNING = re.compile(r"^(?!Warning|\s*$).*", re.M)
# A single cause follows on the same line, several below, numbered.
_CAUSE = re.compile(r"^\s*((?:Caused by:|\d+: ).*?)\s*$", re.M)
# The first hint has the lines that continue it, such as a command to run.
_HINT = re.compile(r"^Hint: (.*?)(?=^(?:Hint|Warning|Error): |\Z)", re.M | re.S)
# The name of a revset alias for the working-copy commit, if it is still as it was read.
_READ = "smartcommit_read"


class NoWorkspace(JjError):
    """The directory is not in a jj workspace."""


def run_jj(arguments: Sequence[str], **options: Any) -> bytes:
    """Return the standard output of `jj ARGUMENTS`; output on standard error alone is not a failure.

    Options and errors as `finish_jj`.
    """
    return finish_jj(arguments, **options).stdout


def finish_jj(
    arguments: Sequence[str], *, repository: str | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run `jj ARGUMENTS` to its end. `repository` is the workspace's root.

    Raise JjError if jj is missing, times out, or fails.
    """
    place = () if repository is None else ("-R", repository)
    try:
        done = subprocess.run(
            ["jj", "--no-pager", "--color", "never", *place, *arguments],
            # Always given: a child of a server must never read the server's standard input.
            input=stdin,
            capture_output=True,
            env={**os.environ, "JJ_EDITOR": "false"},
            timeout=PATIENCE,
            check=False,
        )
    except PermissionError:
        raise JjError("cannot run jj", hint="make it executable, or fix PATH") from None
    except OSError:  # not found, also where an entry of PATH is a file
        raise JjError("jj is not installed or not on PATH", hint="install jj (jj-cli), or fix PATH") from None
    except subprocess.TimeoutExpired:
        raise JjError(
            f"'jj {arguments[0]}' timed out after {PATIENCE:g} s",
            hint=f"run 'jj {arguments[0]}' by hand to see what it is waiting for",
        ) from None
    if done.returncode == 0:
        return done
    text = done.stderr.decode("utf-8", "replace")
    reasons = [*_REASON.findall(text), *_NO_WARNING.findall(text), f"status {done.returncode}"]
    reason = " ".join([reasons[0].removeprefix("Error: ").strip(), *_CAUSE.findall(text)])
    hints = [*_HINT.findall(text), ""]
    raise JjError(f"jj failed: {reason.rstrip('.')}", hint=" ".join(hints[0].split()) or None)


def find_root(directory: str) -> str:
    """Return the root of the workspace around `directory`, without starting a process.

    Raise NoWorkspace if there is none, JjError if the directory no longer exists.
    """
    try:
        path = os.path.abspath(directory)
    except FileNotFoundError:
        raise JjError("the current directory no longer exists", hint="change to an existing directory") from None
    while not is_workspace(path):
        parent = os.path.dirname(path)
        if parent == path:
            raise NoWorkspace(
                f"no jj repository in '{directory}'",
                hint="run this inside a jj repository, or run 'jj git init' (with '--colocate' in an existing git "
                "repository)",
            )
        path = parent
    return path


def find_nearest_root(directory: str) -> str | None:
    """Return the root of the workspace around `directory`, or None if there is none or git's repository is nearer."""
    try:
        root = find_root(directory)
    except JjError:
        return None
    path = os.path.abspath(directory)
    while path != root:
        if os.path.lexists(os.path.join(path, ".git")):
            return None
        path = os.path.dirname(path)
    return None if "GIT_DIR" in os.environ else root


def is_workspace(path: str) -> bool:
    return os.path.isdir(os.path.join(path, ".jj"))


def find_state_directory(root: str) -> str:
    """Return the directory of our state files in the workspace at `root`, in place of a git directory."""
    return os.path.join(root, ".jj")


def find_shared_directory(root: str) -> str:
    """Return the directory that all workspaces of the repository share; `.jj/repo` of a second workspace is a file."""
    path = os.path.join(root, ".jj", "repo")
    if not os.path.isfile(path):
        return path
    with open(path, encoding="utf-8") as file:
        return os.path.normpath(os.path.join(root, ".jj", file.read().strip()))


class ChangeMoved(JjError):
    """The working-copy commit is no longer the one that was read, and the new description is not in it."""


class ChangeDiverged(JjError):
    """The working-copy commit has two versions, and the new description may be in one."""


@dataclass(slots=True, frozen=True)
class JjChange:
    """A commit, most often the working-copy commit of one workspace.

    `description` ends with a line feed unless it is empty. `empty` is as of the last snapshot. The ids are complete.
    `parents` are ids of commits, `bookmarks` names, and `author` has `name`, `email` and `timestamp`.
    """

    commit_id: str
    change_id: str
    description: str
    empty: bool
    conflict: bool
    divergent: bool
    immutable: bool
    author: Mapping[str, str]
    parents: Sequence[str]
    bookmarks: Sequence[str]


def read_change(root: str, *, snapshot: bool) -> JjChange:
    """Return the working-copy commit of the workspace at `root`; one process.

    With `snapshot` jj takes a snapshot first, which fails if the working copy is stale; the caller holds the lock.
    Raise JjError if jj fails or its output is something else.
    """
    (change,) = read_changes(root, "@", *(() if snapshot else (NO_SNAPSHOT,)))
    return change


def read_changes(root: str, revset: str, *options: str) -> list[JjChange]:
    """Return the commits of `revset`, newest first; one process, to which `options` are passed.

    Raise JjError if jj fails or its output is something else.
    """
    output = run_jj(("log", *options, "-r", revset, "--no-graph", "-T", _TEMPLATE), repository=root)
    try:
        return [JjChange(**json.loads(line)) for line in output.splitlines()]
    except (ValueError, TypeError):
        raise JjError("unexpected output from jj", hint="run 'jj log -r @' and check your template aliases") from None


def read_change_at_work(root: str, *, snapshot: bool = True) -> JjChange:
    """Return the working-copy commit, by default after a snapshot.

    Raise JjError, with what to do, if it cannot be rewritten.
    """
    with lock(root):
        change, *parents = read_changes(root, "@ | @-", *(() if snapshot else (NO_SNAPSHOT,)))
    require_mutable(change)
    if change.conflict:
        raise JjError("the working-copy commit has conflicts", hint="run 'jj resolve' first")
    if change.divergent:
        name = change.change_id[:CHANGE_LENGTH]
        raise JjError(
            f"the change {name} is divergent: it has several versions",
            hint=f"see 'jj log -r \"change_id({name})\"', and run 'jj abandon' for those that are not wanted",
        )
    if len(parents) != 1:
        raise JjError(
            "the working-copy commit is a merge",
            hint="run 'jj new', then 'jj squash --keep-emptied --from @- --into @': your changes are above the merge "
            "then",
        )
    if parents[0].conflict:
        raise JjError(
            "the change below the working-copy commit has conflicts",
            hint="if the files resolve them, run 'jj squash' to move that there; see 'jj log' for those below",
        )
    return change


def find_base(change: JjChange) -> str | None:
    """Return the commit that the change starts from, or None if that is jj's root, which is empty."""
    (parent,) = change.parents
    return None if parent == _ROOT else parent


def require_mutable(change: JjChange) -> None:
    if change.immutable:
        raise JjError("the working-copy commit is immutable", hint="run 'jj new' to start a change of your own")


def describe(root: str, change: JjChange, description: str) -> None:
    """Set the description of the working-copy commit if it still is `change`, apart from its files; two processes.

    jj takes a snapshot first, and compares: the revset is an error if anything but the files has changed. A jj command
    that takes a snapshot at the same moment can still make a second version of the change, so the commit is read again,
    and only that counts: jj may also have failed after the write. Raise ChangeMoved if it is another change or has
    another description, ChangeDiverged if there are two of it now; JjError if jj fails or the change is immutable.
    """
    require_mutable(change)
    failure = None
    # A description can be longer than an argument, so the revset is in a file.
    with tempfile.NamedTemporaryFile(prefix="smartcommit-", suffix=".toml") as file:
        escaped = change.description.replace("\\", "\\\\").replace('"', '\\"')
        revset = f'@ & change_id({change.change_id}) & description(exact:"{escaped}")'
        alias = json.dumps(revset, ensure_ascii=False).replace("\x7f", "\\u007f")
        file.write(f"[revset-aliases]\n{_READ} = {alias}\n".encode())
        file.flush()
        write = ("describe", "--config-file", file.name, "-r", f"exactly({_READ}, 1)", "--stdin")
        try:
            run_jj(write, repository=root, stdin=description.encode())
        except JjError as error:
            failure = error
    now = read_change(root, snapshot=False)
    # jj may have added trailers from the user's template.
    is_written = now.change_id == change.change_id and now.description.startswith(description.rstrip("\n"))
    has_moved = (now.change_id, now.description) != (change.change_id, change.description)
    if now.divergent and not change.divergent:
        raise ChangeDiverged(
            "another jj command changed the working-copy commit at the same time, which is divergent now",
            hint=f"see 'jj log -r \"change_id({now.change_id[:12]})\"', and drop one by 'jj abandon COMMIT'",
        )
    if is_written:
        return
    if failure is not None and not has_moved:
        raise failure
    raise ChangeMoved("another program changed the working-copy commit", hint="review it and try again")


def lock(root: str) -> AbstractContextManager[None]:
    """Return the lock of the repository around `root`, for reading with a snapshot and for writing.

    All workspaces share it: rewriting a commit rewrites its descendants, which may be in another workspace.
    """
    return HeldLock(os.path.join(find_shared_directory(root), "smartcommit.lock"))


def find_jj_repository(root: str) -> Repository:
    """Return the git repository in which jj keeps the commits of the workspace at `root`; one process."""
    git_dir = os.fsdecode(run_jj(("git", "root", NO_SNAPSHOT), repository=root)).rstrip("\n")
    return Repository(
        worktree=root, git_dir=git_dir, common_dir=git_dir, object_format="sha1", environment={"GIT_DIR": git_dir}
    )
