"""Patterns for `.gitignore` that a model suggests: select the usable ones, and add them to the file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.message.characters import is_plain
from smartcommit.state_files import replace_file

# Limits for one plan: characters of a pattern, and number of patterns.
_PATTERN_CHARACTERS, _PATTERNS_SUGGESTED = 120, 20
_MARKER = b"# suggested by smartcommit"
# Patterns that hide everything, or undo others, are not suggestions.
_BEGINNINGS = ("#", "!")
_EVERYTHING = {"*", "**", "/", "/*", "/**", ".", "./", "**/*", "*.*"}
# What a command of a shell has, and no pattern that a person would write.
_COMMAND = re.compile(r"[`;|&<>]|\$[({]|\s-")


def select_patterns(lines: Iterable[str]) -> list[str]:
    """Return the patterns among `lines` that can be suggested, each once: short and plain, not hiding everything.

    What a shell would run is no pattern.
    """
    patterns = dict.fromkeys(map(str.strip, lines))
    return list(filter(_is_suggestion, patterns))[:_PATTERNS_SUGGESTED]


def _is_suggestion(line: str) -> bool:
    if not line or len(line) > _PATTERN_CHARACTERS or not is_plain(line):
        return False
    return not line.startswith(_BEGINNINGS) and line not in _EVERYTHING and not _COMMAND.search(line)


def drop_tracked(repository: Repository, patterns: Iterable[str]) -> list[str]:
    """Return the `patterns` that match no tracked file: others would hide new files of the project; a process each.

    Raise GitError if git fails.
    """
    kept: list[str] = []
    for pattern in patterns:
        if not repository.run("ls-files", "-z", "--cached", "--ignored", f"--exclude={pattern}"):
            kept.append(pattern)
    return kept


def list_missing(worktree: str, lines: Sequence[str]) -> list[str]:
    """Return the `lines` that are not yet in the top level's `.gitignore`."""
    present = set(map(bytes.strip, _read(worktree).split(b"\n")))
    return [line for line in lines if line.encode() not in present]


def add_patterns(worktree: str, lines: Sequence[str]) -> list[str]:
    """Append the missing `lines` to the top level's `.gitignore`, without staging it, and return them.

    Raise SplitError if the file is a symlink, and OSError if it cannot be written.
    """
    new = list_missing(worktree, lines)
    if new:
        path = _path(worktree)
        if os.path.islink(path):
            raise SplitError("'.gitignore' is a symlink; not writing to it", hint="add the lines by hand")
        content = _read(worktree)
        if content and not content.endswith(b"\n"):
            content += b"\n"
        if _MARKER not in content.split(b"\n"):
            content += _MARKER + b"\n"
        replace_file(path, content + "\n".join([*new, ""]).encode())
    return new


def _path(worktree: str) -> str:
    return os.path.join(worktree, ".gitignore")


def _read(worktree: str) -> bytes:
    try:
        with open(_path(worktree), "rb") as file:
            return file.read()
    except OSError:
        return b""
