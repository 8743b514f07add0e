"""Where hooks lie, and what commands do to them: delete, move, overwrite, or make them not executable."""

from __future__ import annotations

import os

from smartcommit.harness.shell_run import locate
from smartcommit.harness.shell_values import UNKNOWN, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from smartcommit.harness.git_commands import GitCommand
    from smartcommit.harness.shell_run import Invocation, Written

_NAMES = """
    applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
    post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
    reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
"""
_HOOKS = _NAMES.split()
# Directories in a working tree that hold hooks.
_TRACKED = (".husky", ".githooks", ".git-hooks")
_DELETING = frozenset(("rm", "rmdir", "unlink", "shred", "trash", "trash-put", "rimraf", "mv", "truncate"))
_COPYING = frozenset(("cp", "ln", "install", "rsync"))
_EDITING = frozenset(("sed", "gsed", "perl", "ed", "ex", "patch"))
_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/shm/")


class Place:
    """The repository of a directory: its top level and its git directories, as far as they are on disk."""

    def __init__(self, directory: str) -> None:
        self.top = directory
        self.git_directories = [os.path.join(directory, ".git")]
        here = directory
        while True:
            path = os.path.join(here, ".git")
            if os.path.lexists(path):
                self.top = here
                self.git_directories = [path, *_read_git_file(path)]
                return
            parent = os.path.dirname(here)
            if parent == here:
                return
            here = parent

    def contains(self, path: str) -> bool:
        """Whether `path` lies in the working tree or in a git directory of it."""
        return any(_is_below(path, root) for root in (self.top, *self.git_directories))

    def is_worked_on(self, directory: str) -> bool:
        """Whether git in `directory` works on this repository's tree: not on one within it, or elsewhere."""
        if not _is_below(directory, self.top):
            return directory in self.git_directories
        while directory != self.top and not os.path.lexists(os.path.join(directory, ".git")):
            directory = os.path.dirname(directory)
        return directory == self.top

    def list_parts(self, path: str) -> list[str] | None:
        """Return the parts of `path` within a git directory, also within that of another repository that lasts."""
        for root in self.git_directories:
            if _is_below(path, root):
                return [part for part in path[len(root) :].split("/") if part]
        parts = path.split("/")
        for number, part in enumerate(parts):
            named = part == ".git" or (
                part[:1] == "." and any(letter in part for letter in "*?[") and matches(".git", part)
            )
            if named and (self.contains(path) or not path.startswith(_TEMPORARY)):
                return parts[number + 1 :]
        return None


def _read_git_file(path: str) -> Iterator[str]:
    """Yield the git directories that a `.git` file of a linked worktree leads to."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            git_directory = file.read(4096).partition("gitdir: ")[2].strip()
        git_directory = os.path.join(os.path.dirname(path), git_directory)
        yield os.path.normpath(git_directory)
        with open(os.path.join(git_directory, "commondir"), encoding="utf-8", errors="surrogateescape") as file:
            yield os.path.normpath(os.path.join(git_directory, file.read(4096).strip()))
    except OSError:
        return


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def find_harm(invocation: Invocation, place: Place) -> str:
    """Return what a program would do to hooks or to git's own files, empty if nothing."""
    for written in invocation.written:
        harm = _find_overwritten(written, invocation, place)
        if harm:
            return harm
    name = invocation.name
    if name in ("git", "hub"):
        return ""
    operands = [field.pattern or field.text for field in invocation.words[1:] if not field.text.startswith("-")]
    for path in _list_targets(invocation, operands):
        if _is_hook(path, invocation, place):
            return f"'{name}' on '{path}' takes the repository's hooks away"
        if name in _EDITING and any("hook" in text.lower() for text in operands):
            parts = place.list_parts(locate(invocation.shell, path)) or _list_user_config(path)
            if parts == ["config"]:
                return f"'{name}' on '{path}' changes which hooks run"
    return ""


def _list_targets(invocation: Invocation, operands: Sequence[str]) -> Sequence[str]:
    """Return the operands that a program deletes, moves, writes, or makes not executable."""
    name = invocation.name
    arguments = invocation.arguments
    if name in _COPYING:
        directory = arguments.index("-t") + 1 if "-t" in arguments else 0
        return arguments[directory : directory + 1] if directory else operands[-1:]
    if name == "dd":
        return [text[3:] for text in operands if text.startswith("of=")]
    if name == "chmod":
        harms = not _adds_execution(arguments)
    elif name == "find":
        harms = "-delete" in arguments
        wanted = operands[-1] if "-name" in arguments else ""
        if wanted and not _names_hook(wanted):
            return [f"{path}/{wanted}" for path in operands[:-1]] if harms else ()
    elif name in _EDITING:
        harms = any(text.startswith(("-i", "--in-place", "-pi")) for text in arguments)
    else:
        harms = name in _DELETING
    return operands if harms else ()


def find_tracked_harm(command: GitCommand, invocation: Invocation, place: Place) -> str:
    """Return what `git rm` or `git mv` would do to hooks, empty if nothing."""
    if command.name not in ("rm", "mv") or command.has("cached") or command.has("dry-run") or command.has("n"):
        return ""
    for field in command.operands:
        if _is_hook(field.pattern or field.text, invocation, place):
            return f"'git {command.name}' on '{field.text}' takes the repository's hooks away"
    return ""


def _list_user_config(path: str) -> list[str]:
    return ["config"] if os.path.basename(path) == ".gitconfig" or path.endswith("/git/config") else []


def _find_overwritten(written: Written, invocation: Invocation, place: Place) -> str:
    path = written.path
    if not written.appends and _is_hook(path, invocation, place):
        return f"writing to '{path}' replaces one of the repository's hooks"
    parts = place.list_parts(locate(invocation.shell, path)) or _list_user_config(path)
    if parts[:2] == ["refs", "heads"] or parts in (["HEAD"], ["packed-refs"]):
        return f"writing to '{path}' moves a branch around the repository's hooks"
    names_hooks = "hookspath" in written.content.lower() or "[hook" in written.content
    if parts == ["config"] and (names_hooks or not written.appends):
        return f"writing to '{path}' changes git's configuration, which says which hooks run"
    return ""


def _is_hook(path: str, invocation: Invocation, place: Place) -> bool:
    """Whether `path`, which may be a pattern, is a hook, or a directory of hooks or above it in a git directory."""
    whole = locate(invocation.shell, path)
    parts = place.list_parts(whole)
    if parts is not None:
        if not parts:
            return True
        return matches("hooks", parts[0]) and (len(parts) == 1 or _names_hook(parts[1]))
    components = whole.split("/")
    for number, part in enumerate(components):
        if part in _TRACKED and (place.contains(whole) or not whole.startswith(_TEMPORARY)):
            rest = components[number + 1 :]
            return not rest or rest[0] == "_" or _names_hook(rest[-1])
    return False


def _names_hook(name: str) -> bool:
    return any(matches(hook, name) for hook in _HOOKS) or name.removesuffix(".legacy") in _HOOKS


def _adds_execution(arguments: Sequence[str]) -> bool:
    """Whether `chmod` leaves what it changes executable for its owner, or does not ask that."""
    for text in arguments:
        mode = text[-3:]
        if len(text) in (3, 4) and all(letter in "01234567" for letter in text):
            return int(mode[0]) % 2 == 1
        if "-x" in text or (text.startswith("-") and "x" in text) or UNKNOWN in text:
            return False
        if "=" in text and not text.startswith("--"):
            return "x" in text.partition("=")[2].lower() or text[:1] in ("g", "o")
        if text.startswith(("-r", "-w", "a-", "u-")) and "x" in text:
            return False
    return True
