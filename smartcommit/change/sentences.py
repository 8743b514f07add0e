"""Sentences for changes of one nature, and for small edits."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, is_typo, text_of
from smartcommit.change.filetypes import FORMATTING
from smartcommit.change.wording import counted, join, safe, safe_name, safe_path
from smartcommit.git.diff import LINK_MODE, SUBMODULE_MODE, Hunk

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
# Hunks and lines looked at: an edit that repeats further is the same edit.
HUNKS, LINES = 60, 40

_URL = re.compile(r"https?://[^\s)>\"'`]{1,300}|\]\([^)\s]{1,300}\)")
_TOKEN = re.compile(r"[\w$]+(?:[.:-]+[\w$]+)*|[^\w\s]")
_WORD = re.compile(r"[A-Za-z_$][\w$.:-]*\Z")
_SETTING = re.compile(r"[\s\"'-]*([A-Za-z_][\w.-]{1,60})[\"']?\s*(?::[^=]{0,40})?[:=]\s*([^=\s].{0,80}?)[,;]?\Z")
_CODE = re.compile(r"`{1,2}([^`\s]{2,40})`{1,2}")
_NAME = re.compile(r"(?<![\w.$])[A-Za-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]+){1,6}(?![\w$])")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]{2,40}")


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
            yield f"point {name} at {target}"
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


def edit_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """What the edited lines say, the best first; empty where they say nothing simple."""
    hunks = [hunk for file in files for hunk in file.diff.hunks][:HUNKS]
    if not hunks or any(file.nature not in ("modified", "comments") for file in files):
        return
    where = f" in {join([safe_name(file.path) for file in files])}" if len(files) <= 2 else ""
    if all(is_typo(hunk) for hunk in hunks):
        yield f"fix {'typo' if len(hunks) == 1 else 'typos'}{where or _in_files(files)}"
        return
    renamed = only_rename(files)
    if renamed:
        yield f"rename {safe(renamed[0], 40)} to {safe(renamed[1], 40)}"
        return
    pairs = _pairs(hunks)
    if pairs and all(_URL.sub("", a) == _URL.sub("", b) and a != b for a, b in pairs):
        yield f"update {'link' if len(pairs) == 1 else 'links'}{where or _in_files(files)}"
        return
    yield from _ignored(files, hunks)
    yield from _replacement(pairs, where)
    yield from _new_options(files, hunks)
    if all(file.kind == filetypes.DOCUMENTATION for file in files):
        yield from _documented(hunks, where)


def _pairs(hunks: Sequence[Hunk]) -> list[tuple[str, str]]:
    """The lines that replace each other, side by side; empty where any hunk does more than replace lines."""
    if any(len(hunk.removed) != len(hunk.added) or len(hunk.removed) > LINES for hunk in hunks):
        return []
    return [
        pair
        for hunk in hunks
        for pair in zip(text_of(hunk.removed), text_of(hunk.added), strict=True)
        if pair[0] != pair[1]
    ]


def _replacement(pairs: Sequence[tuple[str, str]], where: str) -> Iterator[str]:
    """`use B instead of A` where one word was replaced throughout; `set KEY to VALUE` where one value was."""
    replaced = _throughout(pairs)
    if replaced is None:
        return
    old, new = replaced
    setting = {found[1] for _, after in pairs if (found := _SETTING.match(after)) and new in found[2]}
    if len(setting) == 1 and not (_WORD.match(old) and _WORD.match(new) and len(pairs) > 1):
        yield f"set {safe(setting.pop(), 40)} to {safe(new, 30)}{where}"
    elif _WORD.match(old) and _WORD.match(new):
        yield f"use {safe(new, 40)} instead of {safe(old, 40)}{where}"
        yield f"use {safe(new, 40)} instead of {safe(old, 40)}"
    else:
        yield f"change {safe(old, 30)} to {safe(new, 30)}{where}"


def _throughout(pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    replaced = {_replaced(before, after) for before, after in pairs}
    return replaced.pop() if len(replaced) == 1 else None


def only_rename(files: Sequence[FileFacts]) -> tuple[str, str] | None:
    """The old and the new name where giving one symbol a new name is all that `files` do, or None."""
    renamed = {(old.name, new.name) for file in files for old, new in file.symbols.renamed}
    hunks = [hunk for file in files for hunk in file.diff.hunks]
    if len(renamed) != 1 or len(hunks) > HUNKS or not all(file.diff.complete for file in files):
        return None
    return renamed.pop() if _throughout(_pairs(hunks)) in renamed else None


def _replaced(before: str, after: str) -> tuple[str, str] | None:
    """The one run of words that was replaced by another, or None where more or less was done."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    was, now = old[start : len(old) - end], new[start : len(new) - end]
    return (was[0], now[0]) if len(was) == len(now) == 1 else None


def _new_options(files: Sequence[FileFacts], hunks: Sequence[Hunk]) -> Iterator[str]:
    if not any(file.kind == filetypes.SOURCE for file in files):
        return
    before = {name for hunk in hunks for line in text_of(hunk.removed) for name in _OPTION.findall(line)}
    after = [name for hunk in hunks for line in text_of(hunk.added) for name in _OPTION.findall(line)]
    new = [name for name in dict.fromkeys(after) if name not in before]
    if 0 < len(new) <= 2:
        yield f"add {join(new)} option{'s' if len(new) > 1 else ''}"


def _in_files(files: Sequence[FileFacts]) -> str:
    return f" in {counted(len(files), 'file')}"


def _ignored(files: Sequence[FileFacts], hunks: Sequence[Hunk]) -> Iterator[str]:
    if not all(safe_name(file.path).endswith("ignore") for file in files):
        return
    for verb, side in (("ignore", "added"), ("stop ignoring", "removed")):
        patterns = [
            line for hunk in hunks for line in text_of(getattr(hunk, side)) if line and not line.startswith("#")
        ]
        if patterns:
            if len(patterns) <= 3:
                yield f"{verb} {join([safe(pattern, 30) for pattern in patterns])}"
            yield f"{verb} {counted(len(patterns), 'more path' if verb == 'ignore' else 'path')}"
            return


def _documented(hunks: Sequence[Hunk], where: str) -> Iterator[str]:
    """`document X` where the text now names a piece of code that it did not name in these lines before."""
    new = _new(hunks, _CODE)
    if 0 < len(new) <= 2:
        yield f"document {join([safe(name, 40) for name in new])}{where}"


def used_names(files: Sequence[FileFacts]) -> list[str]:
    """Compound names of code that the edited lines use now and did not use before, the most frequent first."""
    return _new([hunk for file in files for hunk in file.diff.hunks][:HUNKS], _NAME)


def _new(hunks: Sequence[Hunk], pattern: re.Pattern[str]) -> list[str]:
    before = {name for hunk in hunks for line in text_of(hunk.removed, LINES) for name in pattern.findall(line)}
    after = Counter(name for hunk in hunks for line in text_of(hunk.added, LINES) for name in pattern.findall(line))
    return [name for name, _ in after.most_common() if name not in before]
