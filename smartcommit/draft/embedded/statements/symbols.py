"""Statements about definitions, named as they are spelled in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.edits import is_word
from smartcommit.change.facts import FileFacts, SideNames, values_of
from smartcommit.change.sentences import NAMES_LISTED, file_names
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINES_COMPARED,
    FileText,
    Lines,
    find_names,
    is_import,
    read_hunk,
    says_nothing,
    split_identifier,
)
from smartcommit.change.wording import join_names, make_printable, pluralize
from smartcommit.draft.embedded.describe import NOUNS, choose_important
from smartcommit.draft.embedded.statements.view import ChangeView, Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Files whose definitions are named.
_FILES_NAMED = 40
_SIDES: tuple[tuple[Side, str, str], ...] = (("added", "add", "to"), ("removed", "remove", "from"))
# Minimum characters of a name worth mentioning.
_LEAST_CHARACTERS = 4
# Kinds of symbols that other statements are about: keys, headings and tests.
_TOLD_OTHERWISE = {"key", "section", "test"}
# Factor for the share that definitions explain if there are others of less important kinds.
_SHARE_OF_SOME = 0.7
# How much of a change of tests the name of the new one explains.
_SHARE_OF_TEST = 0.9
# Maximum characters of the name of a test.
_TEST_NAME_LENGTH = 56


def say_definitions(view: ChangeView) -> Iterator[Statement]:
    """Yield which definitions were added, and which were removed: those of the most important kind, if they are few."""
    for side, verb, preposition in _SIDES:
        found = _list_only(view, side)
        symbols = choose_important(found)
        if not 0 < len(symbols) <= NAMES_LISTED:
            continue
        share = view.share(_count_explained(view, side, symbols))
        if len(found) > len(symbols):
            share *= _SHARE_OF_SOME
        where = ""
        holders = [file for file in view.core if not set(symbols).isdisjoint(getattr(file.symbols, side))]
        if len(split_identifier(symbols[0].name)) == 1 and len(holders) == 1 and holders[0].nature == "modified":
            # A single word such as `select` says little without its file.
            where = f" {preposition} {file_names(holders, whole=True)}"
        yield Statement(f"{verb} {_spell(symbols)}{where}", f"symbol {side}", symbols[0].name, share)


def _list_only(view: ChangeView, side: str) -> list[Symbol]:
    """Return the symbols of one side whose names do not occur on the other side of the change."""
    other = SideNames(view.change.files, "removed" if side == "added" else "added")
    found: dict[str, Symbol] = {}
    for file in view.core[:_FILES_NAMED]:
        for symbol in getattr(file.symbols, side):
            if symbol.kind not in _TOLD_OTHERWISE and not other.have(symbol.name) and _is_telling(symbol):
                found.setdefault(symbol.name, symbol)
    return list(found.values())


def _is_telling(symbol: Symbol) -> bool:
    """Whether the name of a symbol is long enough and not private."""
    return len(symbol.name) >= _LEAST_CHARACTERS and not symbol.name.startswith("_")


def _spell(symbols: Sequence[Symbol]) -> str:
    names = join_names([make_printable(symbol.name, 40) for symbol in symbols])
    kind = symbols[0].kind
    if kind in NOUNS and values_of(symbols, "kind") == {kind}:
        return f"{names} {pluralize(kind, len(symbols))}"
    return names


def _count_explained(view: ChangeView, side: Side, symbols: Sequence[Symbol]) -> int:
    """Return how many lines of one side define `symbols` or mention them.

    Of a hunk with a definition, all lines count but as many as the other side has: those were only edited.
    """
    names = values_of(symbols, "name")
    explained = 0
    for file in view.core[:_FILES_NAMED]:
        defining = {symbol.hunk for symbol in getattr(file.symbols, side) if symbol.name in names}
        for number, hunk in enumerate(file.diff.hunks[:HUNKS_COMPARED]):
            reading = read_hunk(hunk)
            lines = _list_telling(reading.side(side), file)
            if number in defining:
                other = reading.removed if side == "added" else reading.added
                explained += max(0, len(lines) - len(_list_telling(other, file)))
            else:
                explained += sum(not names.isdisjoint(find_names(line)) for line in lines)
    return explained


def _list_telling(lines: Lines, file: FileFacts) -> list[str]:
    """Return the lines that say something and are not imports or comments."""
    text = FileText(file.path)
    found = []
    for line in lines.read(LINES_COMPARED):
        if not (says_nothing(line) or is_import(line) or text.is_comment(line)):
            found.append(line)
    return found


def say_new_test(view: ChangeView) -> Iterator[Statement]:
    """Yield the new test if only tests were edited and there is just one; the name of a new file would say more."""
    if values_of(view.core, "kind") != {filetypes.TESTS} or "added" in values_of(view.core, "nature"):
        return
    found: dict[str, list[str]] = {"added": [], "removed": []}
    for file in view.core[:_FILES_NAMED]:
        for side, names in found.items():
            for symbol in getattr(file.symbols, side):
                if symbol.kind == "test":
                    names.append(symbol.name)
    if len(found["added"]) != 1 or found["removed"] or len(found["added"][0]) > _TEST_NAME_LENGTH:
        return
    name = said = make_printable(found["added"][0], _TEST_NAME_LENGTH)
    if " " in name:
        said = f'"{name}"'
    if "test" not in name.lower():
        said += " test"
    yield Statement(f"add {said}", "new test", name, _SHARE_OF_TEST)


def say_renames(view: ChangeView) -> Iterator[Statement]:
    """Yield `rename A to B` for the identifier that is replaced most often if a definition is renamed so."""
    pairs: dict[tuple[str, str], float] = {}
    for _, edit in view.literals:
        if edit.kind == "word" and is_word(edit.old) and is_word(edit.new):
            pairs[edit.old, edit.new] = pairs.get((edit.old, edit.new), 0) + edit.lines
    if not pairs:
        return
    old, new = max(pairs, key=pairs.__getitem__)
    renamed = set()
    for file in view.change.files:
        for before, after in file.symbols.renamed:
            renamed.add((before.name, after.name))
    if (old.rpartition(".")[2], new.rpartition(".")[2]) in renamed:
        text = f"rename {make_printable(old, 60)} to {make_printable(new, 60)}"
        yield Statement(text, "rename", new, view.share(pairs[old, new]), "refactor")
