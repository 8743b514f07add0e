"""Lines that call our hooks, for hook files that a project tracks, such as those of husky.

They look for the commands on PATH, since every clone has these files, and a commit without the commands passes. Our
lines come first in a script: its own last status must stay the hook's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup.git_hooks import TRACKED, find_hooks_path, is_below
from smartcommit.setup.hook_scripts import GENERATED, MODULES
from smartcommit.setup.pieces import PieceRecord, cut, read, read_content

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
_BEGIN, _END = "# smartcommit: begin\n", "# smartcommit: end\n"
# The first lines of a script, below which ours go: comments, and the line by which husky 8 runs a script once more.
_TOP = re.compile(r"(?:[ \t]*(?:#.*)?(?:\n|\Z)|\. .*husky\.sh.*(?:\n|\Z))*")
_SHELLS = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?(?:ba|da|k|z|a)?sh\b")
# Programs that write their hooks again, and with them any file that they have once written.
_GENERATORS = (b"lefthook", b"overcommit", b"husky.local.sh", f"{GENERATED}pre".encode())


class LineHooks:
    """Our lines in the hooks of a working tree, if git looks for hooks there."""

    def __init__(self, repository: Repository, record: PieceRecord) -> None:
        self._record = record
        self._top = os.path.realpath(repository.worktree)
        self._found = find_hooks_path(repository)

    def list_installed(self) -> list[str]:
        """Return the names of the hooks that have our lines, whoever added them."""
        installed = []
        for name, path in self._list_paths(MODULES):
            if _BEGIN in (read(path) or ""):
                installed.append(name)
        return installed

    def install(self, names: Sequence[str]) -> list[str]:
        """Add our lines to the hooks `names`; or raise SmartcommitError, with nothing changed."""
        paths = self._list_paths(names)
        if not paths:
            raise SmartcommitError(
                "git looks for no hooks in this working tree", hint="run 'smartcommit install' without --add-lines"
            )
        for name, path in paths:
            self._refuse(name, path)
        said = []
        for name, path in paths:
            text = read(path)
            if _BEGIN not in (text or ""):
                self._record.insert(path, [_make_piece(text, name)], mode=0o777)
                said.append(f"added lines to '{os.path.relpath(path, self._top)}'")
        return said or ["these hooks have our lines already"]

    def uninstall(self) -> list[str]:
        """Remove our lines and the files that were made for them."""
        said = []
        for name, path in self._list_paths(MODULES):
            text = read(path) or ""
            if _BEGIN not in text or not is_below(os.path.realpath(path), self._top):
                self._record.forget(path)
                continue
            pieces = [(0, _write_block(name))]
            entry = self._record.find(path)
            if entry is not None:
                pieces = list(entry.pieces)
            # Lines that somebody else has added are the same.
            rest, _ = cut(text, pieces)
            if _BEGIN in rest:
                said.append(f"our lines in '{os.path.relpath(path, self._top)}' were edited: remove them by hand")
                continue
            self._record.restore(path, rest)
            said.append(f"removed our lines from '{os.path.relpath(path, self._top)}'")
        return said

    def _list_paths(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the hooks `names`, each with the file for its lines; none if git looks elsewhere for hooks."""
        if self._found.owner != TRACKED:
            return []
        folder = self._found.path
        if os.path.basename(folder) == "_":
            # husky generates this directory, and its hooks run those of the directory above.
            folder = os.path.dirname(folder)
        paths = []
        for name in names:
            paths.append((name, os.path.join(folder, name)))
        return paths

    def _refuse(self, name: str, path: str) -> None:
        """Raise SmartcommitError if the hook `path` cannot have our lines."""
        content = read_content(path)
        problem = None
        if os.path.lexists(path) and not os.path.isfile(path):
            problem = "is not a file"
        elif content.startswith(b"#!") and not _SHELLS.match(content):
            problem = "is not a shell script"
        elif not is_below(os.path.realpath(path), self._top):
            problem = "is a symbolic link to a file outside this repository"
        elif any(program in read_content(os.path.join(self._found.path, name)) for program in _GENERATORS):
            problem = "is written again by the program that made it"
        if problem is not None:
            hint = f"see {DOCS}/installing.md#beside-other-hooks"
            raise SmartcommitError(f"'{path}' {problem}, so no lines were added", hint=hint)


def _make_piece(text: str | None, name: str) -> tuple[int, str]:
    """Return where to insert what into the script `text`, None for a new one: our lines below its first ones."""
    if text is None:
        return 0, "#!/bin/sh\n" + _write_block(name)
    found = _TOP.match(text)
    place = found.end() if found else 0
    if text[:place] and not text[:place].endswith("\n"):
        return place, "\n" + _write_block(name)
    return place, _write_block(name)


def _write_block(name: str) -> str:
    return _BEGIN + LINES[name] + _END
