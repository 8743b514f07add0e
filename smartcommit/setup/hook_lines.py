"""Lines that call our hooks, for hook files that a project tracks, such as those of husky.

They look for the commands on PATH, since every clone has these files, and a commit without the commands passes. Our
lines come first in a script: its own last status must stay the hook's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup.hook_files import read_content
from smartcommit.setup.hook_scripts import GENERATED, MODULES
from smartcommit.setup.hooks_owner import TRACKED, find_hooks_path, is_below
from smartcommit.setup.pieces import PieceRecord, cut, read

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
_SHEBANG = "#!/bin/sh\n"
_BEGIN, _END = "# smartcommit: begin\n", "# smartcommit: end\n"
# The first lines of a script, below which ours go: comments, and the line by which husky 8 runs a script once more.
_TOP = re.compile(r"(?:[ \t]*(?:#.*)?(?:\n|\Z)|\. .*husky\.sh.*(?:\n|\Z))*")
_SHELLS = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?(?:ba|da|k|z|a)?sh\b")
# Programs that write their hooks again, and with them any file that they have once written.
_GENERATORS = (b"lefthook", b"overcommit", b"husky.local.sh", f"{GENERATED}pre".encode())


class HookPlace(NamedTuple):
    """The tracked file `path` for our hook `name`, and why our lines cannot be added to it, if so."""

    name: str
    path: str
    problem: str | None


class LineHooks:
    """Our lines in the hooks of a working tree, if git looks for hooks there."""

    def __init__(self, repository: Repository, record: PieceRecord) -> None:
        self._repository, self._record = repository, record

    def list_installed(self) -> list[str]:
        """Return the names of the hooks that have our lines, whoever added them."""
        return [place.name for place in self.find_places(MODULES) if _BEGIN in (read(place.path) or "")]

    def install(self, names: Sequence[str]) -> list[str]:
        """Add our lines to the hooks `names`, and return what was done.

        Raise SmartcommitError, with nothing changed, if one of them cannot have lines. Raise OSError if one cannot be
        written.
        """
        places = self.find_places(names)
        if not places:
            raise SmartcommitError(
                "git looks for no hooks in this working tree", hint="run 'smartcommit install' without --add-lines"
            )
        for place in places:
            if place.problem is not None:
                raise SmartcommitError(f"'{place.path}' {place.problem}, so no lines were added", hint=f"see {HINT}")
        said = []
        for place in places:
            text = read(place.path)
            if _BEGIN not in (text or ""):
                self._record.insert(place.path, [_make_piece(text, place.name)], mode=0o777)
                said.append(f"added lines to '{self._shorten(place.path)}'")
        return said or ["these hooks have our lines already"]

    def uninstall(self) -> list[str]:
        """Remove our lines and the files that were made for them, and return what was done.

        Raise OSError if a file cannot be written.
        """
        said = []
        for place in self.find_places(MODULES):
            text = read(place.path)
            if text is None or _BEGIN not in text or place.problem is not None:
                self._record.forget(place.path)
                continue
            entry = self._record.find(place.path)
            # Lines that somebody else has added are the same.
            rest, left = cut(text, entry.pieces if entry is not None else [(0, _write_block(place.name))])
            if _BEGIN in rest and left:
                said.append(f"our lines in '{self._shorten(place.path)}' were edited: remove them by hand")
                continue
            self._record.restore(place.path, rest)
            said.append(f"removed our lines from '{self._shorten(place.path)}'")
        return said

    def find_places(self, names: Sequence[str] | dict[str, str]) -> list[HookPlace]:
        """Return where lines for the hooks `names` belong; nowhere unless git looks for hooks in the working tree."""
        found = find_hooks_path(self._repository)
        if found.owner != TRACKED:
            return []
        top = os.path.realpath(self._repository.worktree)
        folder = found.path
        if os.path.basename(folder) == "_":
            # husky generates this directory, and its hooks run those of the directory above.
            folder = os.path.dirname(folder)
        places = []
        for name in names:
            path = os.path.join(folder, name)
            places.append(HookPlace(name, path, _find_problem(path, os.path.join(found.path, name), top)))
        return places

    def _shorten(self, path: str) -> str:
        return os.path.relpath(path, os.path.realpath(self._repository.worktree))


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


def _make_piece(text: str | None, name: str) -> tuple[int, str]:
    """Return where to insert what into the script `text`, None for a new one: our lines below its first ones."""
    if text is None:
        return 0, _SHEBANG + _write_block(name)
    found = _TOP.match(text)
    place = found.end() if found else 0
    if text[:place] and not text[:place].endswith("\n"):
        return place, "\n" + _write_block(name)
    return place, _write_block(name)


def _write_block(name: str) -> str:
    return _BEGIN + LINES[name] + _END
