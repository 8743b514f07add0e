"""What a model would ignore: suggestions for `.gitignore`, which a person accepts or does not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from smartcommit.errors import SplitError
from smartcommit.message.characters import is_plain
from smartcommit.state_files import replace_file

_LENGTH, _LINES = 120, 20
_MARKER = b"# suggested by smartcommit"
# Patterns that hide everything, or take back what others hide, are not suggestions.
_BEGINNINGS = ("#", "!")
_EVERYTHING = {"*", "**", "/", "/*", "/**", ".", "./", "**/*", "*.*"}


def vetted(lines: Iterable[str]) -> list[str]:
    """Those of `lines` that may be suggested, each once: short, plain patterns that do not hide everything."""
    bare = dict.fromkeys(line.strip() for line in lines)
    return [
        line
        for line in bare
        if line and len(line) <= _LENGTH and is_plain(line)
        and not line.startswith(_BEGINNINGS) and line not in _EVERYTHING
    ][:_LINES]  # fmt: skip


def missing(worktree: str, lines: Sequence[str]) -> list[str]:
    """Those of `lines` that the top level's `.gitignore` does not have yet."""
    present = {line.strip() for line in _read(worktree).split(b"\n")}
    return [line for line in lines if line.encode() not in present]


def add(worktree: str, lines: Sequence[str]) -> list[str]:
    """Append what is missing of `lines` to the top level's `.gitignore`, and return it; nothing is staged.

    Raises: SplitError when the file is a link; OSError when it cannot be written.
    """
    new = missing(worktree, lines)
    if new:
        path = _path(worktree)
        if os.path.islink(path):
            raise SplitError("'.gitignore' is a link, so it is not written to", hint="add the lines by hand")
        before = _read(worktree)
        end = b"" if not before or before.endswith(b"\n") else b"\n"
        marker = [] if _MARKER in before.split(b"\n") else [_MARKER]
        replace_file(path, before + end + b"\n".join([*marker, *(line.encode() for line in new)]) + b"\n")
    return new


def _path(worktree: str) -> str:
    return os.path.join(worktree, ".gitignore")


def _read(worktree: str) -> bytes:
    try:
        with open(_path(worktree), "rb") as file:
            return file.read()
    except OSError:
        return b""
