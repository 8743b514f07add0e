"""Statements on files as files: added, moved, made executable, or with typos corrected and other links.

Also the names of files, as sentences mention them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, list_hunks, list_paths, values_of
from smartcommit.change.filetypes import FORMATTING, changed_lines
from smartcommit.change.languages import find_language
from smartcommit.change.spelling import is_respelled
from smartcommit.change.text import read_hunk, read_lines
from smartcommit.change.tokens import find_prose
from smartcommit.change.wording import (
    format_count,
    join_names,
    make_printable,
    safe_name,
    safe_path,
)
from smartcommit.draft.embedded.view import UPKEEP, ChangeView, Kind, Statement, count_lines
from smartcommit.git.diff import LINK_MODE

_NATURE = Kind(0.8, is_whole=True)
# A few new files are the summary if no other statement is strong, and the names of files if there is none at all.
_NEW_FILES = Kind(0.385, is_whole=True)
_NAMES = Kind(0.1, is_whole=True)
_REMOVED_FILE = Kind(0.75, types=UPKEEP)
# Number of names that a sentence lists; if there are more, it gives their number.
NAMES_LISTED = 3
# Number of files of a change from which on the names of new ones are not the summary.
MANY_FILES = 9
# How many times as many lines came as went, or the other way round, of what is longer or shorter now, and what else
# was done to files of a kind.
_MUCH = 3
_EDITED = {filetypes.TESTS: "adapt", filetypes.DOCUMENTATION: "revise"}
# Files that occur in every folder: their names mean little without the folder's.
_COMMON_NAMES = {
    b"index", b"main", b"mod", b"lib", b"__init__", b"__main__", b"readme", b"init", b"package", b"makefile",
}  # fmt: skip
# The file that makes a folder a Python package.
_PACKAGE = b"__init__.py"
# Maximum number of replaced lines in a hunk of corrections.
_LINES_CORRECTED = 20


def say_nature(view: ChangeView) -> Iterator[Statement]:
    """Yield what happened to all files, if that does not depend on their contents."""
    files = omit_locks(view.about)
    texts = list(_say_gained_commits(view)) or list(_list_nature_texts(files))
    if not texts:
        return
    kind, share = _NATURE, view.share_of_core
    if len(files) > NAMES_LISTED and values_of(files, "nature") in ({"added"}, {"deleted"}):
        texts = list_names(view)
    if values_of(files, "nature") == {"added"} and not view.change.only_submodules:
        kind, share = _NEW_FILES, 1.0
        if len(files) > NAMES_LISTED or len(view.change.files) >= MANY_FILES:
            kind = _NAMES
    yield Statement(texts, kind, share)


def omit_locks(files: Sequence[FileFacts]) -> Sequence[FileFacts]:
    """Return `files` without lock files, unless there are no others."""
    return [file for file in files if file.kind != filetypes.LOCK] or files


def _say_gained_commits(view: ChangeView) -> Iterator[str]:
    """Yield what the only updated submodule has gained, if its commits are known."""
    path = view.about[0].path
    subjects = view.submodules.get(path, ())
    if not view.change.only_submodules or len(view.about) > 1 or not subjects:
        return
    name = f"submodule {safe_path(path)}"
    if len(subjects) > 1:
        yield f"update {name} by {format_count(len(subjects), 'commit')}"
    else:
        yield f"update {name}: {make_printable(subjects[0], 60)}"
    yield f"update {name}"


def say_names(view: ChangeView) -> Iterator[Statement]:
    """Yield which files changed: always true, and never more than that."""
    yield Statement(list_names(view), _NAMES, 1.0)


def list_names(view: ChangeView) -> list[str]:
    files = omit_locks(view.about)
    natures = values_of(files, "nature")
    verb = "update"
    if natures == {"added"}:
        verb = "add"
    elif natures == {"deleted"}:
        verb = "remove"
    if len(files) > NAMES_LISTED:
        # What is counted are all files to which this happened, not only those that the change is about.
        files = [file for file in view.files if verb == "update" or file.nature in natures]
    return list(name_sentences(files, verb))


def name_edit(files: Sequence[FileFacts]) -> str:
    """Return a verb for what was done to `files` by their lines alone: `extend`, `shorten`, or what is always true."""
    if values_of(files, "nature") != {"modified"}:
        return "update"
    added, removed = sum(file.lines_added for file in files), sum(file.lines_removed for file in files)
    if added > _MUCH * removed:
        return "extend"
    if removed > _MUCH * added:
        return "shorten"
    return _EDITED.get(files[0].kind, "update") if len(values_of(files, "kind")) == 1 else "update"


def say_removed(view: ChangeView) -> Iterator[Statement]:
    """Yield which files were removed if others were edited too, unless their lines were moved to another file."""
    removed = [file for file in view.core if file.nature == "deleted"]
    statuses = {file.status for file in view.core}
    if not 0 < len(removed) <= NAMES_LISTED or len(removed) == len(view.core) or not statuses <= {"M", "D"}:
        return
    lines = read_lines(list_hunks(removed), "removed")
    if 2 * len(set(lines) & set(view.added)) > len(set(lines)):
        return
    share = view.share(count_lines(removed))
    yield Statement([f"remove {file_names(removed)}"], _REMOVED_FILE, share)


def _list_nature_texts(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences on what happened to all of `files`, the best first; nothing if that depends on their contents."""
    natures = values_of(files, "nature")
    if natures != {"moved"} and {file.status for file in files} == {"R"}:
        for sentence in move_sentences(files, "move"):
            yield f"{sentence} and edit {'it' if len(files) == 1 else 'them'}"
    elif len(natures) == 1 and natures <= _SENTENCES.keys():
        yield from _SENTENCES[natures.pop()](files)
    elif natures <= FORMATTING:
        act = "reformat" if "style" in natures else "adjust whitespace in"
        yield f"{act} {file_names(files)}"
    elif {"comments"} < natures <= FORMATTING | {"comments"}:
        yield f"revise comments and whitespace in {file_names(files)}"


def name_sentences(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """Yield what happened by file names: `add a.py, b.py and c.py`, `add 12 files to docs`, `add 12 files`."""
    if len(files) <= NAMES_LISTED:
        yield f"{verb} {join_names(_unique_names(files))}"
    if len(files) == 1:
        return
    number = format_count(len(files), "file")
    folder = _common_folder(files)
    if folder:
        preposition = {"add": "to", "remove": "from"}.get(verb, "in")
        yield f"{verb} {number} {preposition} {safe_path(folder)}"
    yield f"{verb} {number}"


def file_names(files: Sequence[FileFacts]) -> str:
    """Return the names of a few files, or the number of many and the folder they share."""
    if len(files) <= NAMES_LISTED:
        return join_names(_unique_names(files))
    number = format_count(len(files), "file")
    folder = _common_folder(files)
    if folder:
        return f"{number} in {safe_path(folder)}"
    return number


def _unique_names(files: Sequence[FileFacts]) -> list[str]:
    """Return the files' names, or their whole paths if two files have the same name.

    A file that only makes its folder a package is left out beside others.
    """
    paths = [path for path in list_paths(files) if posixpath.basename(path) != _PACKAGE] or list_paths(files)
    names = [_recognizable_name(path) for path in paths]
    if len(set(names)) < len(names):
        return [safe_path(path) for path in paths]
    return names


def _recognizable_name(path: bytes) -> str:
    """Return the file's name, with its folder if the name is a common one."""
    folder, name = posixpath.split(path)
    is_common = name.split(b".")[0].lower() in _COMMON_NAMES or folder.startswith(b".")
    if folder and is_common and not folder.startswith(b".github"):
        name = posixpath.join(posixpath.basename(folder), name)
    return safe_path(name)


def _common_folder(files: Sequence[FileFacts]) -> bytes:
    return posixpath.commonpath([posixpath.dirname(file.path) for file in files])


def move_sentences(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """Yield where files went that git sees as renamed or copied, the best sentence first; the last has their number."""
    targets = {posixpath.dirname(file.path) for file in files}
    target = ""
    if len(targets) == 1 and b"" not in targets:
        target = f"{safe_path(targets.pop())}/"
    number = format_count(len(files), "file")
    if len(files) == 1:
        change = files[0].diff.change
        old, new = change.old_path or change.path, change.path
        if posixpath.dirname(old) == posixpath.dirname(new):
            yield f"{verb.replace('move', 'rename')} {safe_name(old)} to {safe_name(new)}"
        elif posixpath.basename(old) == posixpath.basename(new):
            yield f"{verb} {safe_name(old)} to {target or 'the top level'}"
        else:
            yield f"{verb} {safe_path(old)} to {safe_path(new)}"
    elif target and len(files) <= NAMES_LISTED:
        yield f"{verb} {join_names(_unique_names(files))} to {target}"
    elif target:
        yield f"{verb} {number} to {target}"
    yield f"{verb} {number}"


def _modes(files: Sequence[FileFacts]) -> Iterator[str]:
    modes, names = {file.diff.change.new_mode for file in files}, file_names(files)
    if modes == {"100755"}:
        yield f"make {names} executable"
    elif "100755" not in modes:
        yield f"make {names} not executable"
    yield f"change the mode of {names}"


def _links(files: Sequence[FileFacts]) -> Iterator[str]:
    change, name = files[0].diff.change, safe_name(files[0].path)
    target = "".join(read_lines(files[0].diff.hunks, "added")[-1:])
    if len(files) > 1:
        yield f"update {format_count(len(files), 'link')}"
    elif change.status == "D":
        yield f"remove link {name}"
    elif change.new_mode != LINK_MODE:
        yield f"replace link {name} with a file"
    elif target:
        yield f"link {name} to {make_printable(target)}"
    yield "update links"


def _submodules(files: Sequence[FileFacts]) -> Iterator[str]:
    statuses = {file.status for file in files}
    change, name = files[0].diff.change, safe_path(files[0].path)
    verb = "update"
    if statuses == {"A"}:
        verb = "add"
    elif statuses == {"D"}:
        verb = "remove"
    if statuses == {"T"}:
        yield f"change the file type of {file_names(files)}"
    elif statuses == {"M"} and len(files) == 1:
        yield f"{verb} submodule {name} from {change.old_id[:7]} to {change.new_id[:7]}"
    if len(files) == 1:
        yield f"{verb} submodule {name}"
    yield f"{verb} {format_count(len(files), 'submodule')}"


def _line_endings(files: Sequence[FileFacts]) -> Iterator[str]:
    ending = "LF"
    if b"\r" in b"".join(changed_lines(files[0].diff)[1]):
        ending = "CRLF"
    yield f"convert line endings of {file_names(files)} to {ending}"


def fixes_spelling(file: FileFacts) -> bool:
    """Whether only the spelling of prose changed: in code, one letter can make another name."""
    hunks = file.diff.hunks
    for hunk in hunks:
        pairs = read_hunk(hunk).pairs(_LINES_CORRECTED)
        if pairs is None or not all(is_respelled(before, after) for before, after in pairs):
            return False
    if not file.diff.complete or not hunks:
        return False
    if file.kind == filetypes.DOCUMENTATION or file.nature == "comments":
        return True
    return all(all(find_prose(hunk, find_language(file.path))[1]) for hunk in hunks)


_SENTENCES: dict[str, Callable[[Sequence[FileFacts]], Iterator[str]]] = {
    "added": lambda files: name_sentences(files, "add"),
    "deleted": lambda files: name_sentences(files, "remove"),
    "moved": lambda files: move_sentences(files, "move"),
    "copied": lambda files: move_sentences(files, "copy"),
    "mode": _modes,
    "link": _links,
    "submodule": _submodules,
    "line endings": _line_endings,
    "final newline": lambda files: iter([f"change the final newline of {file_names(files)}"]),
    "whitespace": lambda files: iter([f"adjust whitespace in {file_names(files)}"]),
    "style": lambda files: iter([f"reformat {file_names(files)}"]),
    "type": lambda files: iter([f"change the file type of {file_names(files)}"]),
}
