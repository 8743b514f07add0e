"""Sentences for files that all changed in the same way, whatever is in them: new, gone, moved, a mode, a link."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from smartcommit.change.facts import FileFacts
from smartcommit.change.filetypes import FORMATTING, LINK_MODE, SUBMODULE_MODE
from smartcommit.change.wording import counted, join, safe, safe_name, safe_path

# Names that a sentence lists; more are counted.
NAMED = 3
# Files that every folder has say where they are only with their folder's name.
_COMMON_NAMES = {
    b"index",
    b"main",
    b"mod",
    b"lib",
    b"__init__",
    b"__main__",
    b"readme",
    b"init",
    b"package",
    b"makefile",
}


def nature_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """What happened to all of `files`, the best first; empty where their contents have to say it."""
    natures = {file.nature for file in files}
    if all(file.diff.change.status == "R" for file in files) and not natures <= {"moved"}:
        yield from (f"{sentence} and edit {'it' if len(files) == 1 else 'them'}" for sentence in _moves(files, "move"))
    elif len(natures) == 1 and natures <= _SENTENCES.keys():
        yield from _SENTENCES[natures.pop()](files)
    elif natures <= FORMATTING:
        yield f"adjust whitespace in {file_names(files)}"
    elif natures <= FORMATTING | {"comments"}:
        yield f"update comments and whitespace in {file_names(files)}"


def name_sentences(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """What happened, by the files' names: `add a.py, b.py and c.py`, `add 12 files to docs`, `add 12 files`."""
    folder = _common_folder([file.path for file in files])
    preposition = {"add": "to", "remove": "from"}.get(verb, "in")
    if len(files) <= NAMED:
        yield f"{verb} {join(_distinct(files))}"
    if len(files) > 1 and folder:
        yield f"{verb} {counted(len(files), 'file')} {preposition} {safe_path(folder)}"
    yield f"{verb} {counted(len(files), 'file')}" if len(files) > 1 else f"{verb} {_telling(files[0].path)}"


def file_names(files: Sequence[FileFacts]) -> str:
    """The files in a few words: their names, or how many there are and where."""
    if len(files) <= NAMED:
        return join(_distinct(files))
    folder = _common_folder([file.path for file in files])
    return f"{counted(len(files), 'file')} in {safe_path(folder)}" if folder else counted(len(files), "file")


def _distinct(files: Sequence[FileFacts]) -> list[str]:
    """The files' names, with their folders where the bare names would be the same."""
    names = [_telling(file.path) for file in files]
    return names if len(set(names)) == len(names) else [safe_path(file.path) for file in files]


def _telling(path: bytes) -> str:
    """The file's name, after its folder's where every folder has a file of that name."""
    folder, name = posixpath.split(path)
    if folder and name.lower().split(b".")[0] in _COMMON_NAMES:
        return safe_path(posixpath.join(posixpath.basename(folder), name))
    return safe_name(path)


def _common_folder(paths: Sequence[bytes]) -> bytes:
    return posixpath.commonpath([posixpath.dirname(path) for path in paths]) if paths else b""


def _moves(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    targets = {posixpath.dirname(file.path) for file in files}
    target = safe_path(next(iter(targets))) + "/" if len(targets) == 1 and b"" not in targets else None
    if len(files) == 1:
        change = files[0].diff.change
        old, new = change.old_path or change.path, change.path
        if posixpath.dirname(old) == posixpath.dirname(new):
            yield f"{'rename' if verb == 'move' else verb} {safe_name(old)} to {safe_name(new)}"
        elif posixpath.basename(old) == posixpath.basename(new):
            yield f"{verb} {safe_name(old)} to {target or 'the top level'}"
        else:
            yield f"{verb} {safe_path(old)} to {safe_path(new)}"
    elif target:
        yield f"{verb} {join(_distinct(files)) if len(files) <= NAMED else counted(len(files), 'file')} to {target}"
    yield f"{verb} {counted(len(files), 'file')}"


def _modes(files: Sequence[FileFacts]) -> Iterator[str]:
    executable = {file.diff.change.new_mode == "100755" for file in files}
    if len(executable) == 1:
        yield f"make {file_names(files)} {'executable' if executable == {True} else 'not executable'}"
    yield f"change the mode of {file_names(files)}"


def _links(files: Sequence[FileFacts]) -> Iterator[str]:
    if len(files) == 1:
        change, name = files[0].diff.change, safe_name(files[0].path)
        lines = [line for hunk in files[0].diff.hunks for line in hunk.added]
        target = safe(lines[-1].decode("utf-8", "surrogateescape")) if lines else ""
        if change.new_mode != LINK_MODE:
            yield f"remove link {name}" if change.status == "D" else f"replace link {name} with a file"
        elif target and change.status == "A":
            yield f"link {name} to {target}"
        elif target and change.old_mode == LINK_MODE:
            yield f"point {name} to {target}"
        elif target:
            yield f"replace {name} with a link to {target}"
    yield f"update {counted(len(files), 'link')}" if len(files) > 1 else f"update link {safe_name(files[0].path)}"


def _submodules(files: Sequence[FileFacts]) -> Iterator[str]:
    verbs = {{"A": "add", "D": "remove"}.get(file.diff.change.status, "update") for file in files}
    verb = verbs.pop() if len(verbs) == 1 else "update"
    if len(files) == 1:
        change, name = files[0].diff.change, safe_path(files[0].path)
        if change.status == "T" and change.new_mode == SUBMODULE_MODE:
            yield f"replace {name} with a submodule"
        elif change.status == "T":
            yield f"replace submodule {name} with a {'link' if change.new_mode == LINK_MODE else 'file'}"
        elif verb == "update":
            yield f"update submodule {name} from {change.old_id[:7]} to {change.new_id[:7]}"
        yield f"{verb} submodule {name}"
    yield f"{verb} {counted(len(files), 'submodule')}"


def _line_endings(files: Sequence[FileFacts]) -> Iterator[str]:
    ending = "CRLF" if any(line.endswith(b"\r") for hunk in files[0].diff.hunks for line in hunk.added) else "LF"
    yield f"convert line endings of {file_names(files)} to {ending}"


_SENTENCES: dict[str, Callable[[Sequence[FileFacts]], Iterator[str]]] = {
    "added": lambda files: name_sentences(files, "add"),
    "deleted": lambda files: name_sentences(files, "remove"),
    "moved": lambda files: _moves(files, "move"),
    "copied": lambda files: _moves(files, "copy"),
    "mode": _modes,
    "link": _links,
    "submodule": _submodules,
    "line endings": _line_endings,
    "final newline": lambda files: iter([f"change the final newline of {file_names(files)}"]),
    "whitespace": lambda files: iter([f"adjust whitespace in {file_names(files)}"]),
    "comments": lambda files: iter([f"update comments in {file_names(files)}"]),
    "type": lambda files: iter([f"change the file type of {file_names(files)}"]),
}
