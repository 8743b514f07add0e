"""Statements about one name that the files of a change have in common: it is new in each of them, or gone from each.

In a split, where another commit defines a name, they say that this one tests, documents or uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, FileFacts, list_hunks, values_of
from smartcommit.change.languages import find_language
from smartcommit.change.text import HUNKS_COMPARED, Lines, find_names, is_import, read_hunk, split_identifier
from smartcommit.change.tokens import find_prose
from smartcommit.change.wording import make_printable
from smartcommit.draft.embedded.view import UPKEEP, ChangeView, Kind, Statement, list_telling
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side
    from smartcommit.git.diff import Hunk

# What is said of the name itself, such as that a parameter is new, says more.
_ADDED = Kind(0.3)
_OF_FILES = Kind(0.6)
_CHANGED = Kind(0.6, types=UPKEEP)
_TESTED = Kind(0.65, types=("test",))
_DESCRIBED = Kind(0.65, types=("docs",))
# The share of the files of a change that have a name in common, and how many at least.
_MOST = 0.6
_FEWEST = 3
# From how many files on a name is the subject, and of which share of the change, if all files have it.
_MANY = 4
_OF_MANY = 0.75
_NEARLY_ALL = 0.8
_NAME_LENGTH = 40
_SHORTEST = 5  # name of one word
_WORDS_OF_IMPORTS = {"import", "include", "require", "using", "const", "export", "typing", "static"}
# `parse2` and `parse_` are the same name.
_LOOSE = compile_on_use(r"[\d_]+")
_NO_DEFINITIONS = {"key", "section", "test"}
# How many times as many lines come as go in tests that are new rather than adapted.
_MOSTLY_NEW = 3
_SIDES: tuple[tuple[Side, Side], ...] = (("added", "removed"), ("removed", "added"))


def say_shared(view: ChangeView) -> Iterator[Statement]:
    """Yield the name of which most lines tell, of those that came to most files, and of those that went from them."""
    silent = (*DERIVED, filetypes.DOCUMENTATION, filetypes.TESTS)
    files = [file for file in view.core if file.diff.hunks and file.kind not in silent]
    for side, other in _SIDES if len(files) > 1 else ():
        defined: set[str] = set()
        for file in view.change.files:
            defined.update(
                [symbol.name for symbol in getattr(file.symbols, side) if symbol.kind not in _NO_DEFINITIONS]
            )
        found: dict[str, list[FileFacts]] = {}
        kept: set[str] = set()
        for file in files:
            names, others = _list_names(file, side), _list_names(file, other, with_context=True)
            kept.update([_LOOSE.sub("", name).lower() for name in others])
            for name in names - others:
                found.setdefault(name, []).append(file)
        best: tuple[float, str, Kind] | None = None
        least = min(len(files), max(_FEWEST, _MOST * len(files)))
        for name, having in found.items():
            if len(having) < least or len(name) > _NAME_LENGTH or _LOOSE.sub("", name).lower() in kept:
                continue
            if name in defined and len(defined) > NAMES_LISTED:
                continue  # it is one of many
            is_compound = len(split_identifier(name)) > 1
            is_word = len(name) >= _SHORTEST and name not in _WORDS_OF_IMPORTS
            is_type = name in defined and name[:1].isupper()
            if is_compound or (is_word and (is_type or _are_imports(having, side, name))):
                share = view.share(sum([_count_lines(file, {name}) for file in having]))
                # What is in many files is the subject, however long these are.
                kind, coverage = _ADDED, len(having) / len(files)
                if side == "removed" and not is_compound:
                    share = coverage
                elif len(having) >= _MANY and coverage >= _NEARLY_ALL:
                    kind, share = _OF_FILES, max(share, _OF_MANY * coverage)
                best = max(best or (0.0, "", kind), (share, name, kind), key=lambda item: item[:2])
        if best is not None:
            share, name, kind = best
            text = _say_name(name, found[name], side, is_defined=name in defined)
            if text:
                yield Statement([text], kind if text.startswith(("add ", "use ")) else _CHANGED, share)


def _are_imports(files: Sequence[FileFacts], side: Side, name: str) -> bool:
    for file in files:
        lines: list[str] = []
        for hunk in file.diff.hunks[:HUNKS_COMPARED]:
            lines += read_hunk(hunk).side(side).having({name})
        # A command that calls `require` imports nothing.
        if not find_language(file.path).name or not any(is_import(line) for line in lines):
            return False
    return True


def say_elsewhere(view: ChangeView) -> Iterator[Statement]:
    """Yield what other commits of a plan define that the tests, documents or code here are about."""
    kinds = values_of(view.core, "kind")
    names = view.purpose.elsewhere
    if not names or kinds <= DERIVED or len(kinds) > 1:
        return
    counts: Counter[str] = Counter()
    for file in view.core:
        here = _list_names(file, "added") - _list_names(file, "removed", with_context=True)
        for name in [name for name in here & names if len(split_identifier(name)) > 1]:
            counts[name] += _count_lines(file, {name})
    for name, lines in counts.most_common(1):
        having = [file for file in view.core if name in _list_names(file, "added")]
        shown, share = make_printable(name, _NAME_LENGTH), view.share(lines)
        added = sum(file.lines_added for file in view.core)
        removed = sum(file.lines_removed for file in view.core)
        if kinds == {filetypes.DOCUMENTATION}:
            yield Statement([f"document {shown}"], _DESCRIBED, share)
        elif kinds == {filetypes.TESTS} and added >= _MOSTLY_NEW * removed:
            yield Statement([f"add tests for {shown}", f"test {shown}"], _TESTED, share)
        else:
            yield Statement([f"use {shown} in {file_names(having)}", f"use {shown}"], _ADDED, share)


def _say_name(name: str, files: Sequence[FileFacts], side: Side, *, is_defined: bool) -> str:
    """Return the sentence about a name; nothing if the rest of the files may still have it, or have had it before."""
    shown, where = make_printable(name, _NAME_LENGTH), file_names(files)
    if is_defined:
        return f"add {shown}" if side == "added" else f"remove {shown}"
    declared = compile_on_use(rf"\W*(?:option\W+)?{name}\W{{0,2}}[:=\s]")
    if side == "removed":
        return f"stop using {shown} in {where}" if _are_imports(files, side, name) else ""
    lines: list[str] = []
    for hunk in list_hunks(files):
        lines += read_hunk(hunk).side(side).having({name})
    if all(is_import(line) for line in lines):
        return f"import {shown} in {where}"
    is_declared = any(declared.match(line) for line in lines)
    return f"add {shown} to {where}" if is_declared else f"use {shown} in {where}"


def _list_names(file: FileFacts, side: Side, *, with_context: bool = False) -> set[str]:
    """Return the names in the code of one side, and with the context those that stayed around it."""
    names: set[str] = set()
    hunks = file.diff.hunks[:HUNKS_COMPARED]
    around: dict[bytes, None] = {}
    for hunk in hunks:
        flags = find_prose(hunk, find_language(file.path))[side == "added"]
        for line, is_prose in zip(read_hunk(hunk).side(side).read(), flags, strict=False):
            names.update(() if is_prose else find_names(line))
        around.update(dict.fromkeys((*hunk.before, *hunk.after) if with_context else ()))
    for hunk in hunks:
        for added in hunk.added:
            around.pop(added, None)
    return names | Lines(list(around)).spoken


def _count_lines(file: FileFacts, names: Collection[str]) -> int:
    """Return how many telling lines the hunks have that have one of `names` on a changed line."""
    return sum([_measure_hunk(file, hunk) for hunk in file.diff.hunks[:HUNKS_COMPARED] if _has(hunk, names)])


def _has(hunk: Hunk, names: Collection[str]) -> bool:
    reading = read_hunk(hunk)
    return not (reading.added.spoken | reading.removed.spoken).isdisjoint(names)


def _measure_hunk(file: FileFacts, hunk: Hunk) -> int:
    reading, prose = read_hunk(hunk), find_prose(hunk, find_language(file.path))
    counts = []
    for side, flags in zip((reading.removed.read(), reading.added.read()), prose, strict=True):
        counts.append(len(list_telling(side, flags)))
    return max(counts)
