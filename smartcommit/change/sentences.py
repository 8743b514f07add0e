"""Sentences for changes of one nature, for small edits, and for corrected spelling; the names in them."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import attrgetter

from smartcommit.change import filetypes
from smartcommit.change.edits import find_literal_edit, is_versioned, is_word, list_pairs, tells_alone
from smartcommit.change.facts import FileFacts, list_hunks, list_paths, values_of
from smartcommit.change.filetypes import FORMATTING, changed_lines, is_expected_output
from smartcommit.change.pairing import count_common_ends
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import FileText, mentions, read_hunk, read_lines
from smartcommit.change.wording import (
    format_count,
    join_names,
    join_safe,
    make_printable,
    may_be_secret,
    pluralize,
    safe_name,
    safe_path,
    split_name,
)
from smartcommit.git.diff import LINK_MODE, SUBMODULE_MODE, Hunk
from smartcommit.message.header_proposals import is_one_edit_away
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.files import may_hold_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Number of names that a sentence lists; if there are more, it gives their number.
NAMES_LISTED = 3
# Files that occur in every folder: their names mean little without the folder's.
_COMMON_NAMES = {
    b"index", b"main", b"mod", b"lib", b"__init__", b"__main__", b"readme", b"init", b"package", b"makefile",
}  # fmt: skip
# The file that makes a folder a Python package: a sentence names the folder instead.
_PACKAGE = b"__init__.py"
# Number of hunks examined: if an edit is repeated in more, the first ones show it.
_HUNKS_EXAMINED = 60
# Maximum characters of a literal to mention: a longer one is data.
_LITERAL_LENGTH = 100
_OUTER_KEYS = {"jobs", "steps"}
# Names, for example of Terraform resources, that would read as ordinary words of a sentence.
_UNSPOKEN = {"this", "self", "default"}
# Documents that everyone knows without the extension, such as `README.md`.
_KNOWN_DOCUMENT = compile_on_use(rb"([A-Z][A-Z_-]{2,})\.[a-z]+\Z")
_URL = compile_on_use(r"https?://[^\s)>\"'`]{1,300}|\]\([^)\s]{1,300}\)")
_CODE = compile_on_use(r"`{1,2}(?=[^`\s]{0,20}[A-Za-z])([^`\s]{2,40})`{1,2}")
_NAME = compile_on_use(r"(?<![\w.$])[A-Za-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]+){1,6}(?![\w$])")
_OPTION = compile_on_use(r"(?<![\w-])--[a-z][a-z0-9-]{2,40}")
_SPELLED_WORD = compile_on_use(r"[^\W\d_]{3,}")
# Marks and spaces between letters, as in `auto-import` and `isn't`.
_MARK = compile_on_use(r"(?<=[A-Za-z])['’.,-]?(?: (?=[a-z])|(?=[\sA-Za-z]|\Z))")
# Words that differ in more than one letter count as the same word only if they share more letters than this.
_LETTERS_SHARED = 4
# Maximum number of replaced lines in a hunk of corrections.
_LINES_CORRECTED = 20


def nature_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences on what happened to all of `files`, the best first; nothing if that depends on their contents."""
    natures = values_of(files, "nature")
    if natures != {"moved"} and values_of(files, "diff.change.status") == {"R"}:
        for sentence in move_sentences(files, "move"):
            yield f"{sentence} and edit {'it' if len(files) == 1 else 'them'}"
    elif len(natures) == 1 and natures <= _SENTENCES.keys():
        yield from _SENTENCES[natures.pop()](files)
    elif natures <= FORMATTING:
        act = "reformat" if "style" in natures else "adjust whitespace in"
        yield f"{act} {file_names(files, whole=True)}"
    elif natures <= FORMATTING | {"comments"}:
        yield f"update comments and whitespace in {file_names(files)}"


def name_sentences(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """Yield what happened by file names: `add a.py, b.py and c.py`, `add 12 files to docs`, `add 12 files`."""
    whole = verb == "remove"
    if verb == "add":
        whole = values_of(files, "kind") == {filetypes.DOCUMENTATION}
    if len(files) <= NAMES_LISTED:
        yield f"{verb} {join_names(_unique_names(files, whole=whole))}"
    if len(files) == 1:
        yield f"{verb} {_recognizable_name(files[0].path, whole=whole)}"
        return
    number = format_count(len(files), "file")
    folder = _common_folder(files)
    if folder:
        preposition = {"add": "to", "remove": "from"}.get(verb, "in")
        yield f"{verb} {number} {preposition} {safe_path(folder)}"
    yield f"{verb} {number}"


def file_names(files: Sequence[FileFacts], *, whole: bool = False) -> str:
    """Return the names of a few files, or the number of many and the folder they share.

    A file to which something is done as a file (it is moved, converted, made executable) is `whole`: it keeps what is
    left out where a file is only the place of the change, the extension of `README.md` and the name `__init__.py`.
    """
    if len(files) <= NAMES_LISTED:
        return join_names(_unique_names(files, whole=whole))
    number = format_count(len(files), "file")
    folder = _common_folder(files)
    if folder:
        return f"{number} in {safe_path(folder)}"
    return number


def _unique_names(files: Sequence[FileFacts], *, whole: bool = False) -> list[str]:
    """Return the files' names, or their whole paths if two files have the same name.

    A file that only makes its folder a package is left out beside others.
    """
    paths = [path for path in list_paths(files) if posixpath.basename(path) != _PACKAGE] or list_paths(files)
    names = [_recognizable_name(path, whole=whole) for path in paths]
    if len(set(names)) < len(names):
        return list(map(safe_path, paths))
    return names


def _recognizable_name(path: bytes, *, whole: bool = False) -> str:
    """Return the file's name, with its folder if the name is a common one; `whole` is as for `file_names`."""
    folder, name = posixpath.split(path)
    if name == _PACKAGE and folder and not whole:
        return safe_name(folder)
    stem = name.split(b".")[0]
    is_common = stem.lower() in _COMMON_NAMES or folder.startswith(b".")
    if folder and is_common and not folder.startswith(b".github"):
        name = posixpath.join(posixpath.basename(folder), name)
    if not whole and stem.isupper() and _KNOWN_DOCUMENT.match(posixpath.basename(path)):
        name = name[: name.rindex(b".")]
    return safe_path(name)


def name_symbols(symbols: Sequence[Symbol]) -> list[str]:
    """Return the symbols' names as they are written, and those of tests in words, safe to print."""
    names = []
    for symbol in symbols:
        name = symbol.name.strip("\"'`* ")
        if symbol.kind == "test":
            names.append(make_printable(split_name(name), 60))
        else:
            names.append(make_printable(name, 40))
    return names


def says_where(symbol: Symbol) -> bool:
    """Whether the symbol names a place: neither a key that contains all of a workflow nor `this` does."""
    if symbol.name in _UNSPOKEN:
        return False
    return symbol.kind != "key" or symbol.name not in _OUTER_KEYS


def _common_folder(files: Sequence[FileFacts]) -> bytes:
    return posixpath.commonpath(list(map(posixpath.dirname, list_paths(files))))


def move_sentences(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """Yield where files went that git sees as renamed or copied, the best sentence first; the last has their number."""
    targets = set(map(posixpath.dirname, list_paths(files)))
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
        yield f"{verb} {join_names(_unique_names(files, whole=True))} to {target}"
    elif target:
        yield f"{verb} {number} to {target}"
    yield f"{verb} {number}"


def _modes(files: Sequence[FileFacts]) -> Iterator[str]:
    modes, names = values_of(files, "diff.change.new_mode"), file_names(files, whole=True)
    if modes == {"100755"}:
        yield f"make {names} executable"
    elif "100755" not in modes:
        yield f"make {names} not executable"
    yield f"change the mode of {names}"


def _links(files: Sequence[FileFacts]) -> Iterator[str]:
    if len(files) > 1:
        yield f"update {format_count(len(files), 'link')}"
        return
    change, name = files[0].diff.change, safe_name(files[0].path)
    target = ""
    for line in read_lines(files[0].diff.hunks, "added")[-1:]:
        target = make_printable(line)
    if change.status == "D":
        yield f"remove link {name}"
    elif change.new_mode != LINK_MODE:
        yield f"replace link {name} with a file"
    elif target and change.status == "A":
        yield f"link {name} to {target}"
    elif target and change.old_mode == LINK_MODE:
        yield f"point {name} at {target}"
    elif target:
        yield f"replace {name} with a link to {target}"
    yield f"update link {name}"


def _submodules(files: Sequence[FileFacts]) -> Iterator[str]:
    statuses = values_of(files, "diff.change.status")
    verb = "update"
    if statuses == {"A"}:
        verb = "add"
    elif statuses == {"D"}:
        verb = "remove"
    if len(files) == 1:
        change, name = files[0].diff.change, safe_path(files[0].path)
        if change.status == "T" and change.new_mode == SUBMODULE_MODE:
            yield f"replace {name} with a submodule"
        elif change.status == "T":
            yield f"replace submodule {name} with a {'link' if change.new_mode == LINK_MODE else 'file'}"
        elif verb == "update":
            yield f"update submodule {name} from {change.old_id[:7]} to {change.new_id[:7]}"
        yield f"{verb} submodule {name}"
    yield f"{verb} {format_count(len(files), 'submodule')}"


def _line_endings(files: Sequence[FileFacts]) -> Iterator[str]:
    ending = "LF"
    if any(line.endswith(b"\r") for line in changed_lines(files[0].diff)[1]):
        ending = "CRLF"
    yield f"convert line endings of {file_names(files, whole=True)} to {ending}"


def _comments(files: Sequence[FileFacts]) -> Iterator[str]:
    verb, preposition = "update", "in"
    if not any(map(attrgetter("lines_removed"), files)):
        verb, preposition = "add", "to"
    elif not any(map(attrgetter("lines_added"), files)):
        verb, preposition = "remove", "from"
    if all(map(fixes_spelling, files)):
        typos = pluralize("typo", len(list_hunks(files)))
        yield f"fix {typos} in {file_names(files, whole=True)}"
        yield f"fix {typos} in comments"
    yield f"{verb} comments {preposition} {file_names(files, whole=True)}"
    yield f"{verb} comments"


def edit_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield what the edited lines say, the best sentence first; nothing if they say nothing simple."""
    whole = list(whole_edit_sentences(files))
    yield from whole
    if whole or not values_of(files, "nature") <= {"modified", "comments"}:
        return
    hunks = list_hunks(files)[:_HUNKS_EXAMINED]
    where = ""
    if len(files) <= 2:
        where = f" in {file_names(files)}"
    yield from _new_options(files, hunks)
    if values_of(files, "kind") == {filetypes.DOCUMENTATION}:
        yield from _code_mentions(hunks, where)


def whole_edit_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences that say all that was edited, the best first; nothing if that is not one simple thing."""
    hunks = list_hunks(files)[:_HUNKS_EXAMINED]
    if not hunks or not values_of(files, "nature") <= {"modified", "comments"}:
        return
    where = ""
    if len(files) <= 2:
        where = f" in {file_names(files)}"
    everywhere = where or f" in {format_count(len(files), 'file')}"
    if all(map(fixes_spelling, files)):
        yield f"fix {pluralize('typo', len(hunks))}{everywhere}"
        return
    renamed = only_rename(files)
    if renamed:
        yield f"rename {make_printable(renamed[0], 40)} to {make_printable(renamed[1], 40)}"
        return
    pairs = list_pairs(hunks)
    if pairs and all(_URL.sub("", before) == _URL.sub("", after) for before, after in pairs):
        yield f"fix {pluralize('link', len(pairs))}{everywhere}"
        return
    yield from _ignore_patterns(files, hunks)
    if not any(map(is_expected_output, list_paths(files))):
        may_quote = not any(map(may_hold_secrets, list_paths(files)))
        yield from _literal_sentences(pairs, where, may_quote=may_quote)


def _literal_sentences(pairs: Sequence[tuple[str, str]], where: str, *, may_quote: bool) -> Iterator[str]:
    """Yield `use B instead of A` if one word was replaced throughout, `set KEY to VALUE` if one value was.

    A value that may be a secret is not repeated, and none is unless `may_quote`.
    """
    edit = find_literal_edit(pairs)
    if edit is None or max(len(edit.old), len(edit.new)) > _LITERAL_LENGTH:
        return
    old, new = make_printable(edit.old, 40), make_printable(edit.new, 40)
    name = make_printable(edit.name or "", 40)
    if not may_quote or any(map(may_be_secret, chain.from_iterable(pairs))):
        if edit.name:
            yield f"update {name}{where}"
    elif edit.name and not is_versioned(edit.name):
        yield f"set {name} to {make_printable(edit.new, 30)}{where}"
    elif all(map(is_word, (edit.old, edit.new))) and all(map(tells_alone, (edit.old, edit.new))):
        if any(mentions(after.replace(edit.new, ""), edit.old) for _, after in pairs):
            return
        yield f"use {new} instead of {old}{where}"
        yield f"use {new} instead of {old}"


def only_rename(files: Sequence[FileFacts]) -> tuple[str, str] | None:
    """Return the old and the new name if renaming one symbol is all that `files` do, else None."""
    renamed = set()
    for file in files:
        if not file.diff.complete:
            return None
        for old, new in file.symbols.renamed:
            renamed.add((old.name, new.name))
    hunks = list_hunks(files)
    if len(renamed) != 1 or len(hunks) > _HUNKS_EXAMINED:
        return None
    edit = find_literal_edit(list_pairs(hunks))
    return None if edit is None or (edit.old, edit.new) not in renamed else renamed.pop()


def _new_options(files: Sequence[FileFacts], hunks: Sequence[Hunk]) -> Iterator[str]:
    if filetypes.SOURCE not in values_of(files, "kind"):
        return
    new = _new_names(_OPTION, hunks)
    if 0 < len(new) <= 2:
        yield f"add {join_names(new)} {pluralize('option', len(new))}"


def _ignore_patterns(files: Sequence[FileFacts], hunks: Sequence[Hunk]) -> Iterator[str]:
    if not all(path.endswith(b"ignore") for path in list_paths(files)):
        return
    forms: tuple[tuple[str, Side, str], ...] = (
        ("ignore", "added", "more path"), ("stop ignoring", "removed", "path"),
    )  # fmt: skip
    for verb, side, noun in forms:
        patterns = [line for line in read_lines(hunks, side) if line and not line.startswith("#")]
        if 0 < len(patterns) <= 3:
            yield f"{verb} {join_safe(patterns, 30)}"
        if patterns:
            yield f"{verb} {format_count(len(patterns), noun)}"
            return


def _code_mentions(hunks: Sequence[Hunk], where: str) -> Iterator[str]:
    """Yield `document X` if the added text names code that the removed text does not."""
    new = _new_names(_CODE, hunks)
    if 0 < len(new) <= 2:
        yield f"document {join_safe(new)}{where}"


def used_names(files: Sequence[FileFacts]) -> list[str]:
    """Return the compound names in the added lines but not in the removed ones, the most frequent first."""
    return _new_names(_NAME, list_hunks(files)[:_HUNKS_EXAMINED])


def _new_names(pattern: re.Pattern[str], hunks: Sequence[Hunk]) -> list[str]:
    """Return what `pattern` finds in the added lines but not in the removed ones, the most frequent first."""
    counts = Counter(_find_all(pattern, hunks, "added"))
    for name in _find_all(pattern, hunks, "removed"):
        counts.pop(name, None)
    return sorted(counts, key=counts.__getitem__, reverse=True)


def _find_all(pattern: re.Pattern[str], hunks: Sequence[Hunk], side: Side) -> Iterator[str]:
    for line in read_lines(hunks, side):
        yield from pattern.findall(line)


def fixes_spelling(file: FileFacts) -> bool:
    """Whether only the spelling of prose changed: in code, one letter can make another name."""
    hunks = file.diff.hunks
    if not file.diff.complete or not hunks or not all(map(is_typo, hunks)):
        return False
    if file.kind == filetypes.DOCUMENTATION or file.nature == "comments":
        return True
    return all(map(FileText(file.path).is_comment, read_lines(hunks, "added")))


def is_typo(hunk: Hunk) -> bool:
    """Whether a hunk only corrects the spelling of a few words."""
    pairs = read_hunk(hunk).pairs(_LINES_CORRECTED)
    return pairs is not None and all(_respelled(before, after) for before, after in pairs)


def _respelled(before: str, after: str) -> bool:
    if before != after and _MARK.sub("", before) == _MARK.sub("", after):
        return True
    old, new = _SPELLED_WORD.findall(before), _SPELLED_WORD.findall(after)
    if _SPELLED_WORD.sub("\0", before) != _SPELLED_WORD.sub("\0", after) or len(old) != len(new):
        return False
    respelled = 0
    for word, other in zip(old, new, strict=True):
        if word == other:
            continue
        respelled += 1
        if min(len(word), len(other)) <= 3 or not _is_misspelling(word, other):
            return False
    return 0 < respelled <= 3


def _is_misspelling(word: str, other: str) -> bool:
    """Whether the words are one edit apart or, if they are long, differ in two adjacent letters, or in one for two."""
    if is_one_edit_away(word, other):
        return True
    start, end = count_common_ends(word, other)
    parted = sorted((len(word) - start - end, len(other) - start - end))
    return min(start, end) > 0 and start + end > _LETTERS_SHARED and parted in ([0, 2], [1, 2])


_SENTENCES: dict[str, Callable[[Sequence[FileFacts]], Iterator[str]]] = {
    "added": lambda files: name_sentences(files, "add"),
    "deleted": lambda files: name_sentences(files, "remove"),
    "moved": lambda files: move_sentences(files, "move"),
    "copied": lambda files: move_sentences(files, "copy"),
    "mode": _modes,
    "link": _links,
    "submodule": _submodules,
    "line endings": _line_endings,
    "final newline": lambda files: iter([f"change the final newline of {file_names(files, whole=True)}"]),
    "whitespace": lambda files: iter([f"adjust whitespace in {file_names(files, whole=True)}"]),
    "style": lambda files: iter([f"reformat {file_names(files, whole=True)}"]),
    "comments": _comments,
    "type": lambda files: iter([f"change the file type of {file_names(files, whole=True)}"]),
}
