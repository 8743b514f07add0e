"""Cheap git queries for the hooks' hot path.

They have short answers and no input, and no module is imported for them that takes longer than git. Everything else
belongs in `smartcommit.git.run`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from smartcommit.processes.spawn import run_and_read
from smartcommit.record import Record

_HEAD = "HEAD^{commit}"
_POLICY = "HEAD:.smartcommit"
_LOG_OPTIONS = (
    # Each of these has a setting; a signature, for example, would be printed before the commit.
    "--encoding=UTF-8", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-relative",
    "--ignore-submodules=none",
)  # fmt: skip


def ask(arguments: Sequence[str | bytes], *, directory: str | None = None) -> tuple[int, bytes]:
    """Run `git ARGUMENTS` without input and return its status and output; standard error is dropped.

    `directory` is passed to git as `-C`. The environment is not changed: inside a hook, `GIT_INDEX_FILE` names the
    index of the commit being made. If git is not installed, the status is 127.
    """
    command: list[str | bytes] = ["git", *arguments]
    if directory is not None:
        command[1:1] = ["-C", directory]
    try:
        return run_and_read(command)
    except OSError:
        return 127, b""


def make_log_command(
    form: str,
    *options: str,
    last: int | None = None,
    revisions: Iterable[str] = ("HEAD",),
    paths: Iterable[str | bytes] = (),
    with_nul: bool = True,
) -> list[str | bytes]:
    """Return git's arguments to print commits in git's format `form`; more than `last` never.

    Each ends with a NUL if `with_nul`. Only those that touch `paths` are printed, if there are any. The names of
    revisions may look like options or files.
    """
    command: list[str | bytes] = ["log", *_LOG_OPTIONS, f"--format={form}", *options]
    if with_nul:
        command.append("-z")
    if last is not None:
        command.append(f"-{last}")
    return [*command, "--end-of-options", *revisions, "--", *paths]


class Place(Record):
    """Where a repository is, and if that was asked, what its HEAD has.

    `worktree` is the top level of the working tree. `git_dir` belongs to this worktree, `common_dir` to the whole
    repository. `head` is the commit of HEAD, None before the first one, and `has_policy` is False if that commit has no
    `.smartcommit`.
    """

    worktree: str
    git_dir: str
    common_dir: str
    object_format: str
    head: str | None = None
    has_policy: bool = True


def locate(directory: str | None = None, *, with_head: bool = False) -> Place | None:
    """Return where the repository around `directory` is, by one process; None outside a working tree.

    A partial clone may have to fetch what is asked `with_head`.
    """
    # A path can contain a newline, so a known word separates them.
    mark = "--show-object-format"
    wanted = [mark, "--absolute-git-dir", mark, "--git-common-dir", mark, "--show-toplevel", mark]
    if with_head:
        wanted += [_HEAD, _POLICY]
    # The status only says that a name is unknown. git repeats the first of those instead of an object's name.
    _, answer = ask(("rev-parse", *wanted), directory=directory)
    object_format, _, rest = os.fsdecode(answer).partition("\n")
    parts = rest.split(f"\n{object_format}\n")
    if len(parts) != 4:
        return None
    # git writes `/` on Windows too, where Python joins by `\`.
    git_dir, common_dir, worktree = (part.replace("/", os.sep) for part in parts[:3])
    names = parts[3]
    # It may be relative to where git ran.
    common_dir = os.path.realpath(os.path.join(directory or os.curdir, common_dir))
    place = Place(worktree=worktree, git_dir=git_dir, common_dir=common_dir, object_format=object_format)
    head, _, policy = names.partition("\n")
    if head == _HEAD or policy.rstrip("\n") == _POLICY:
        place.has_policy = False
    if head != _HEAD:
        place.head = head or None
    return place


def is_found_from(worktree: str, git_dir: str) -> bool:
    """Whether git finds the git directory from the top level: `core.worktree` may name any other directory."""
    path = os.path.join(worktree, ".git")
    if os.path.isfile(path):
        try:
            with open(path, "rb") as file:
                content = os.fsdecode(file.read())
        except OSError:
            return False
        path = os.path.join(worktree, content.removeprefix("gitdir: ").rstrip("\r\n"))
    return os.path.realpath(path) == os.path.realpath(git_dir)


def list_kept(git_dir: str, names: Sequence[str]) -> set[str]:
    """Return which of `names`, such as `MERGE_HEAD`, there are in the git directory of a worktree.

    Those that git counts as refs, such as `CHERRY_PICK_HEAD`, are files only if the other refs are; otherwise
    `refs/heads` is a file, and finding them takes one process. Source: gitglossary(7), "pseudoref".
    """
    names_kept = {name for name in names if os.path.exists(os.path.join(git_dir, name))}
    if os.path.isfile(os.path.join(git_dir, "refs", "heads")):
        _, listing = ask((f"--git-dir={git_dir}", "for-each-ref", "--include-root-refs", "--format=%(refname)", *names))
        names_kept.update(listing.decode().split())
    return names_kept


def parse_boolean(value: str | None) -> bool | None:
    """Return what `value` means to git as a boolean or a number, or None if git rejects it; None itself is true.

    Source: git-config(1), "Values": a key without a value is true.
    """
    if value is None or value.lower() in ("true", "yes", "on"):
        return True
    if value.lower() in ("false", "no", "off", ""):
        return False
    if value.isascii() and value.isdigit():
        return value.strip("0") != ""
    return None


def parse_config(listing: bytes) -> list[tuple[str, str | None]]:
    """Parse the output of `git config -z --list`, in git's order; a key without a value (`[a] b`) has None."""
    entries: list[tuple[str, str | None]] = []
    for entry in listing.split(b"\0"):
        if entry:
            key, separator, value = entry.partition(b"\n")
            entries.append((os.fsdecode(key), os.fsdecode(value) if separator else None))
    return entries
