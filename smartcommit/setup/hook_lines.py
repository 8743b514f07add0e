"""Lines that call our hooks, for hook files that a project tracks, such as those of husky.

They look for the commands on PATH, since every clone has these files, and a commit without the commands passes. Our
lines come first in a script: its own last status must stay the hook's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup.hook_files import read_content
from smartcommit.setup.hook_scripts import GENERATED, MODULES
from smartcommit.setup.hooks_owner import TRACKED, find_hooks_path, is_below
from smartcommit.state_files import replace_file

LINES = {
    "prepare-commit-msg": """\
if command -v smartcommit-prepare-commit-msg >/dev/null; then
  smartcommit-prepare-commit-msg "$@" || exit
else
  echo "smartcommit is not on PATH: no draft" >&2
fi
""",
    "commit-msg": """\
if command -v smartcommit-commit-msg >/dev/null; then
  smartcommit-commit-msg "$1" || exit
else
  echo "smartcommit is not on PATH: message not checked" >&2
fi
""",
}
HINT = f"{DOCS}/installing.md#beside-other-hooks"
_SHEBANG = b"#!/bin/sh\n"
_BEGIN, _END = b"# smartcommit: begin", b"# smartcommit: end\n"
# What the first line says if removing the block alone would not restore the file.
_NEW_FILE, _OPEN_LINE = b", in a new file", b", after a line without line feed"
_BLOCK = re.compile(rb"^%b(|%b|%b)\n(?:.*\n)*?%b" % (_BEGIN, _NEW_FILE, _OPEN_LINE, _END), re.MULTILINE)
# The first lines of a script, below which ours go: comments, and the line by which husky 8 runs a script once more.
_TOP = re.compile(rb"(?:[ \t]*(?:#.*)?(?:\n|\Z)|\. .*husky\.sh.*(?:\n|\Z))*")
_SHELLS = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?(?:ba|da|k|z|a)?sh\b")
# Programs that write their hooks again, and with them any file that they have once written.
_GENERATORS = (b"lefthook", b"overcommit", b"husky.local.sh", f"{GENERATED}pre".encode())


@dataclass(frozen=True, slots=True)
class HookPlace:
    """The tracked file `path` for our hook `name`, and why our lines cannot be added to it, if so."""

    name: str
    path: str
    problem: str | None = None


def find_places(repository: Repository, names: Sequence[str]) -> list[HookPlace] | None:
    """Return where lines for the hooks `names` belong, None unless git looks for hooks in the working tree."""
    found = find_hooks_path(repository)
    if found.owner != TRACKED:
        return None
    top = os.path.realpath(repository.worktree)
    folder = found.path
    if os.path.basename(folder) == "_":
        # husky generates this directory, and its hooks run those of the directory above.
        folder = os.path.dirname(folder)
    places = []
    for name in names:
        installed = os.path.join(found.path, name)
        path = os.path.join(folder, name)
        places.append(HookPlace(name, path, _find_problem(path, installed, top)))
    return places


def _find_problem(path: str, installed: str, top: str) -> str | None:
    content = read_content(path)
    if not is_below(os.path.realpath(path), top):
        return "is a symbolic link to a file outside this repository"
    if os.path.lexists(path) and not os.path.isfile(path):
        return "is not a file"
    if content.startswith(b"#!") and not _SHELLS.match(content):
        return "is not a shell script"
    if any(name in read_content(installed) for name in _GENERATORS):
        return "is written again by the program that made it"
    return None


def add(places: Sequence[HookPlace]) -> list[str]:
    """Add our lines to all `places` and return the paths of those that changed.

    Raise SmartcommitError if one of them has a problem; then none is changed. Raise OSError if one cannot be written.
    """
    for place in places:
        if place.problem is not None:
            raise SmartcommitError(f"'{place.path}' {place.problem}, so no lines were added", hint=f"see {HINT}")
    changed = []
    for place in places:
        content, lines = read_content(place.path), LINES[place.name].encode()
        if _BLOCK.search(content):
            continue
        if os.path.lexists(place.path):
            replace_file(place.path, _insert(content, lines))
        else:
            os.makedirs(os.path.dirname(place.path), exist_ok=True)
            replace_file(place.path, _SHEBANG + _BEGIN + _NEW_FILE + b"\n" + lines + _END, mode=0o777)
        changed.append(place.path)
    return changed


def _insert(content: bytes, lines: bytes) -> bytes:
    """Return the script `content` with our `lines` below its first ones."""
    found = _TOP.match(content)
    place = 0
    if found:
        place = found.end()
    top, rest, remark = content[:place], content[place:], b""
    if top and not top.endswith(b"\n"):
        top, remark = top + b"\n", _OPEN_LINE
    return top + _BEGIN + remark + b"\n" + lines + _END + rest


def remove(repository: Repository) -> list[str]:
    """Remove our lines from the hooks in the working tree, and the files that `add` made; return their paths.

    Raise OSError if a file cannot be written.
    """
    changed = []
    for place in find_places(repository, list(MODULES)) or ():
        content = read_content(place.path)
        found = _BLOCK.search(content)
        if found is None or place.problem is not None:
            continue
        top, rest = content[: found.start()], content[found.end() :]
        if found[1] == _NEW_FILE and top + rest == _SHEBANG:
            os.unlink(place.path)
            with suppress(OSError):  # other hooks are there
                os.rmdir(os.path.dirname(place.path))
        else:
            if found[1] == _OPEN_LINE and not rest:
                top = top.removesuffix(b"\n")
            replace_file(place.path, top + rest)
        changed.append(place.path)
    return changed


def list_added(repository: Repository) -> list[str]:
    """Return the names of the hooks in the working tree that have our lines."""
    found = []
    for place in find_places(repository, list(MODULES)) or ():
        if _BLOCK.search(read_content(place.path)):
            found.append(place.name)
    return found
