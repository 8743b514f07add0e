"""Statements about definitions, named as they are spelled: which came and went, and which were edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, SideNames, find_kinds
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import read_lines, split_identifier
from smartcommit.change.wording import join_names, join_safe, make_printable, pluralize
from smartcommit.draft.embedded.own_words import list_test_names
from smartcommit.draft.embedded.view import UPKEEP, ChangeView, Kind, Statement, count_lines, is_overload
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

NEW_DEFINITION = Kind(0.25, is_new=True)
# One that is all of the change is a feature.
_FEATURE = Kind(0.6, types=("feat",))
_ALL = 0.9
# What others use is for them.
_HELPER = Kind(0.25, is_new=True)
_REMOVED_DEFINITION = Kind(0.7, types=UPKEEP)
_REPLACED = Kind(0.6)
_OVERLOADED = Kind(0.55)
# Languages in which definitions of one name differ in their parameters; in Python a decorator says so.
_OVERLOADING = {"jvm", "csharp", "c", "swift"}
_FUNCTIONS = {"function", "method"}
_RENAMED = Kind(0.7, types=("refactor", "chore"))
# Definitions of which the first says nothing of the others.
_MANY = 9
_ONE_OF_MANY = Kind(0.4)
_PLACE = Kind(0.12)
# Of what has a value alone its place is a title, but no summary.
_PLACE_OF_VALUE = Kind(0.24)
_VALUES = {"variable", "constant", "option", "key", "output"}
_LINES_OF_VALUE = 3  # of each
# Files whose definitions are named.
_FILES_NAMED = 40
_SIDES: tuple[tuple[Side, str, str, Kind], ...] = (
    ("added", "add", "to", NEW_DEFINITION), ("removed", "remove", "from", _REMOVED_DEFINITION),
)  # fmt: skip
# Minimum characters of a name worth mentioning.
_LEAST_CHARACTERS = 4
# Kinds of symbols, the more important ones first: a class says more than its methods.
_IMPORTANCE = (
    "variable", "class", "struct", "interface", "trait", "enum", "type", "module", "function", "method", "macro",
    "table", "target",
)  # fmt: skip
# Kinds that a sentence mentions after the names.
_NOUNS = {"section", "test", "option", "variable", "output", "resource", "target"}
# Kinds of symbols that other statements are about: keys, headings and tests.
_TOLD_OTHERWISE = {"key", "section", "test"}
# Names of places that say nothing: keys that contain all of a workflow, and names that read as ordinary words.
_NAMELESS = {"this", "self", "default", "exports"}
_NO_PLACES = {"jobs", "steps", "main", *_NAMELESS}
# How types end that say what a component or a function gets, or returns.
_ENDINGS_OF_TYPES = ("Args", "Options", "Parameters", "Params", "Props", "Request", "Response", "Result")
# Factor for the share that definitions explain if not all are named, or there are others of less important kinds.
_SHARE_OF_SOME = 0.7


def say_definitions(view: ChangeView) -> Iterator[Statement]:
    """Yield which definitions were added, removed or renamed: those of the most important kind, if they are few."""
    for before, after in view.renamed.items():
        lines = max(view.count_about({before}, "removed"), view.count_about({after}, "added"))
        yield Statement([f"rename {before} to {after}"], _RENAMED, view.share(lines))
    yield from _say_overloads(view)
    only = {side: _list_only(view, side) for side, *_ in _SIDES}
    replaced = list(_list_replaced(only["removed"], only["added"], view))
    yield from replaced
    for side, verb, preposition, kind in _SIDES if not replaced else ():
        found = only[side]
        symbols = _choose_important(found)
        if side == "added":
            symbols = [symbol for symbol in symbols if symbol.name not in view.helpers] or symbols
        if not symbols:
            continue
        share = view.share(view.count_about({symbol.name for symbol in symbols}, side))
        if len(found) > len(symbols) or len(symbols) > NAMES_LISTED:
            share *= _SHARE_OF_SOME
        holders = [file for file in view.core if not set(symbols).isdisjoint(getattr(file.symbols, side))]
        where = ""
        if len(holders) <= NAMES_LISTED:
            where = f" {preposition} {file_names(holders)}"
        kinds = {symbol.kind for symbol in symbols}
        names = join_safe([symbol.name for symbol in symbols])
        if len(symbols) > NAMES_LISTED:
            names = f"{make_printable(symbols[0].name, 40)} and {len(symbols) - 1} more"
        elif kinds <= _NOUNS and len(kinds) == 1:
            names = f"{names} {pluralize(kinds.pop(), len(symbols))}"
        text = f"{verb} {names}"
        texts = [text + where, text]
        is_single = len(symbols) <= 2 and all(len(split_identifier(symbol.name)) == 1 for symbol in symbols)
        is_vague = is_single and (holders[0].nature == "modified" or symbols[0].kind == "constant")
        if len(symbols) <= NAMES_LISTED and not is_vague:
            # Only a single word such as `select` says little without its file.
            texts.pop(0)
        has_source = filetypes.SOURCE in find_kinds(view.core)
        is_feature = side == "added" and share >= _ALL and not view.removed and has_source
        chosen = _ONE_OF_MANY if len(symbols) > _MANY else kind
        is_helper = all(symbol.name in view.helpers or _describes_another(symbol) for symbol in symbols)
        if side == "added" and is_helper:
            is_feature, chosen = False, _HELPER
        yield Statement(texts, _FEATURE if is_feature else chosen, share)


def _list_replaced(gone: Iterable[Symbol], come: Iterable[Symbol], view: ChangeView) -> Iterator[Statement]:
    """Yield the definitions that stand in the place of others, if these are the most important of a change."""
    removed, added = _choose_important(gone), _choose_important(come)
    are_in_place = [(one.hunk, one.kind) for one in removed] == [(one.hunk, one.kind) for one in added]
    files = [file for file in view.core if set(removed) <= set(file.symbols.removed)]
    files = [file for file in files if set(added) <= set(file.symbols.added)]
    if 0 < len(removed) <= NAMES_LISTED and are_in_place and files:
        names, others = [symbol.name for symbol in removed], [symbol.name for symbol in added]
        lines = max(view.count_about(names, "removed"), view.count_about(others, "added"))
        text = f"replace {join_safe(names)} with {join_safe(others)}"
        yield Statement([f"{text} in {file_names(files)}", text], _REPLACED, view.share(lines))


def _say_overloads(view: ChangeView) -> Iterator[Statement]:
    """Yield the names that already had a definition, and got others with other parameters."""
    names: dict[str, None] = {}
    number = 0
    for file, hunks in view.told[:_FILES_NAMED]:
        lines = read_lines(hunks, "added")
        # In a new class, it is a method of that.
        kinds = {symbol.kind for symbol in file.symbols.added}
        can_overload = file.language.name in _OVERLOADING and kinds <= _FUNCTIONS
        for symbol in file.symbols.added if can_overload or "@overload" in lines else ():
            if is_overload(file, symbol.line):
                names[symbol.name] = None
                number += len([line for line in lines if file.language.read_symbol(line) == (symbol.name, symbol.kind)])
    if 0 < len(names) <= NAMES_LISTED:
        share = view.share(view.count_about(names, "added"))
        yield Statement([f"add {pluralize('overload', number)} of {join_safe(names)}"], _OVERLOADED, share)


def _list_only(view: ChangeView, side: Side) -> list[Symbol]:
    """Return the symbols of one side whose names do not occur on the other side of the change."""
    other = SideNames(view.change.files, "removed" if side == "added" else "added")
    found: dict[str, Symbol] = {}
    renamed = {*view.renamed, *view.renamed.values()}
    for file, hunks in view.told[:_FILES_NAMED]:
        tests = set(list_test_names(file)) if file.kind == filetypes.SOURCE else ()
        told = set(read_lines(hunks, side))
        for symbol in getattr(file.symbols, side):
            is_told = symbol.kind in _TOLD_OTHERWISE or symbol.name in tests
            # Nobody calls the formula of a package by its class.
            is_told = is_told or symbol.line.rstrip().endswith("< Formula")
            is_telling = len(symbol.name) >= _LEAST_CHARACTERS and not symbol.name.startswith("_")
            is_told = is_told or symbol.line.strip() not in told or symbol.name in renamed
            if is_telling and not (is_told or other.have(symbol.name) or is_overload(file, symbol.line, side)):
                found.setdefault(symbol.name, symbol)
    return list(found.values())


def _choose_important(symbols: Iterable[Symbol]) -> list[Symbol]:
    symbols = list(symbols)
    symbols = [symbol for symbol in symbols if not _describes_another(symbol)] or symbols
    for kind in _IMPORTANCE:
        found = [symbol for symbol in symbols if symbol.kind == kind]
        if found:
            return found
    return symbols


def _describes_another(symbol: Symbol) -> bool:
    """Whether a type by its name only describes what something else gets or returns."""
    return symbol.kind not in _FUNCTIONS and symbol.name.endswith(_ENDINGS_OF_TYPES)


def say_places(view: ChangeView) -> Iterator[Statement]:
    """Yield which definitions the edited lines are part of."""
    edited: dict[Symbol, None] = {}
    for file, hunks in view.told:
        # Tests are not where the rest of a file changed.
        is_all = len(hunks) == len(file.diff.hunks)
        symbols = [symbol for symbol in _list_edited(file) if is_all or symbol.kind != "test"]
        edited.update(dict.fromkeys(symbols))
    places = _choose_important([symbol for symbol in edited if symbol.name not in _NO_PLACES])
    # Where one of the places has no name, the others are not all.
    if not 0 < len(places) <= NAMES_LISTED or any(symbol.name in _NAMELESS for symbol in edited):
        return
    holders = [file for file in view.core if not set(places).isdisjoint(_list_edited(file))]
    place = join_names([make_printable(symbol.name.strip("\"'`* "), 40) for symbol in places])
    where = ""
    if len(holders) <= NAMES_LISTED and file_names(holders).lower().partition(".")[0] != place.lower():
        where = f" in {file_names(holders)}"
    # What changed in other files is no part of these.
    share = view.share(count_lines(holders)) if len(holders) < len(view.core) else 1.0
    # What lost a line, or got one, has more than another value.
    has_values = {symbol.kind for symbol in edited} <= _VALUES and not any("=>" in symbol.line for symbol in edited)
    has_values = has_values and view.lines <= _LINES_OF_VALUE * len(edited)
    for _, hunks in view.told:
        has_values = has_values and all(hunk.old_count == hunk.new_count for hunk in hunks)
    yield Statement([f"update {place}{where}", f"update {place}"], _PLACE_OF_VALUE if has_values else _PLACE, share)


def _list_edited(file: FileFacts) -> list[Symbol]:
    return [*(after for _, after in file.symbols.changed), *file.symbols.touched]
