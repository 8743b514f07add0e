"""Patterns for `.gitignore` that a model suggests: which of them can be, and adding them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from smartcommit.errors import SplitError
from smartcommit.message.characters import is_plain
from smartcommit.state_files import replace_file

# Characters of a pattern, and patterns.
_LONGEST, _MOST = 120, 20
_MARKER = b"# suggested by smartcommit"
# Patterns that hide everything, or undo others, are not suggestions.
_BEGINNINGS = ("#", "!")
_EVERYTHING = {"*", "**", "/", "/*", "/**", ".", "./", "**/*", "*.*"}


def select_patterns(lines: Iterable[str]) -> list[str]:
    """Return the patterns among `lines` that can be suggested, each once: short and plain, not hiding everything."""
    patterns = dict.fromkeys(map(str.strip, lines))
    return list(filter(_is_suggestion, patterns))[:_MOST]


def _is_suggestion(line: str) -> bool:
    if not line or len(line) > _LONGEST or not is_plain(line):
        return False
    return not line.startswith(_BEGINNINGS) and line not in _EVERYTHING


def list_missing(worktree: str, lines: Sequence[str]) -> list[str]:
    """Return those of `lines` that the top level's `.gitignore` does not have yet."""
    present = set(map(bytes.strip, _read(worktree).split(b"\n")))
    return [line for line in lines if line.encode() not in present]


def add_patterns(worktree: str, lines: Sequence[str]) -> list[str]:
    """Append what is missing of `lines` to the top level's `.gitignore`, and return it; nothing is staged.

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
