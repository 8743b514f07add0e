"""Summary and bullet points of a change, by what happened to its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter, itemgetter

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, Bump, ChangeFacts, FileFacts, decode_lines, list_lines, values_of
from smartcommit.change.sentences import NAMED, edit_sentences, file_names, name_sentences, nature_sentences, used_names
from smartcommit.change.symbols import Symbol
from smartcommit.change.wording import (
    format_count,
    imperative,
    join_names,
    join_safe,
    make_printable,
    pluralize,
    safe_path,
    split_name,
)

# Items in a list of what else changed; more are counted.
POINTS = 6
# Beyond this many files their number says more than any name in them.
_FILES_EXAMINED = 50
# Kinds of files that belong together in one concern.
_CONCERNS = (
    (filetypes.SOURCE,), (filetypes.CI,), (filetypes.BUILD, filetypes.MANIFEST, filetypes.LOCK),
    (filetypes.CONFIGURATION,), (filetypes.DOCUMENTATION,), (filetypes.TESTS,), (filetypes.GENERATED, filetypes.ASSET),
)  # fmt: skip
_CHANGELOG = re.compile(rb"(?i)(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)(?:\.\w+)?$")
_FRAGMENT = re.compile(
    rb"(?i)(?:^|/)(?:\.changeset|newsfragments|news|changelog\.d|changes|changelog/unreleased)/[^/]+$"
)
_BULLET = re.compile(r"(?:[-*+]|\d+\.)\s+(\S.*)")


def summaries(change: ChangeFacts, submodules: Mapping[bytes, Sequence[str]] | None = None) -> list[str]:
    """Return sentences that say what the change does, the best first: never empty, each one line of safe text.

    `submodules` holds, by path, the subjects of the commits that an updated submodule has gained.
    """
    path = change.core[0].path
    subjects: Sequence[str] = ()
    if change.only_submodules and len(change.core) == 1:
        subjects = (submodules or {}).get(path, ())
    if not subjects:
        return [*titles(change), *sentences(change.core)]
    name = f"submodule {safe_path(path)}"
    if len(subjects) == 1:
        return [f"update {name}: {make_printable(subjects[0], 60)}", f"update {name}"]
    return [f"update {name} by {format_count(len(subjects), 'commit')}", f"update {name}"]


def points(change: ChangeFacts, submodules: Mapping[bytes, Sequence[str]] | None = None) -> list[list[str]]:
    """Return what else changed: for each point its sentences, the best first. Empty if there is one concern."""
    found: list[list[str]] = []
    if change.only_submodules:
        for path in change.paths:
            for subject in filter(str.strip, (submodules or {}).get(path, ())):
                found.append([make_printable(subject, 68)])
        if len(change.core) > 1 or len(found) < 2:
            return []
        return _limit_points(found, "commit")
    covered = set(map(id, change.core))
    for concern in _CONCERNS:
        files = [file for file in change.of_kind(*concern) if id(file) not in covered]
        if files and not _follows(files, change):
            found.append(sentences(files))
    return _limit_points(found, "concern")


def _follows(files: Sequence[FileFacts], change: ChangeFacts) -> bool:
    """Whether these files only accompany the others: tests and documentation of source, locks, images."""
    if change.core[0].kind == filetypes.SOURCE and files[0].kind in (filetypes.TESTS, filetypes.DOCUMENTATION):
        return True
    return values_of(files, "kind") <= DERIVED


def _limit_points(items: list[list[str]], noun: str) -> list[list[str]]:
    if len(items) <= POINTS:
        return items
    return [*items[: POINTS - 1], [format_count(len(items) - POINTS + 1, f"more {noun}")]]


def sentences(files: Sequence[FileFacts]) -> list[str]:
    """Return sentences for files that belong together, the best first; the last one is short and always true."""
    files = [file for file in files if file.kind != filetypes.LOCK] or files
    natures = values_of(files, "nature")
    verb = "add" if natures == {"added"} else "update"
    if natures == {"deleted"}:
        verb = "remove"
    found = [*nature_sentences(files), *_version_sentences(files)]
    if len(files) <= _FILES_EXAMINED:
        found += [*edit_sentences(files), *_definition_sentences(files), *_usage_sentences(files)]
    return [*found, *name_sentences(files, verb)]


def _version_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    if files[0].kind == filetypes.LOCK:  # then all are lock files
        yield "update locked dependencies" if len(files) > 1 else f"update {safe_path(files[0].path)}"
        return
    if not all(map(attrgetter("bumped"), files)):
        return
    bumps = list(dict.fromkeys(chain.from_iterable(map(attrgetter("bumps"), files))))
    for bump in bumps:
        if bump.own:
            yield f"bump version from {make_printable(bump.old)} to {make_printable(bump.new)}"
            yield f"bump version to {make_printable(bump.new)}"
            return
    named = list(filter(attrgetter("name"), bumps))
    if named:
        yield from _bump_sentences(named)
    elif bumps:
        yield f"bump versions in {file_names(files)}"


def _bump_sentences(bumps: Sequence[Bump]) -> Iterator[str]:
    names = list(dict.fromkeys(make_printable(bump.name or "") for bump in bumps))
    if len(names) == 1:
        old, new = bumps[0].old, bumps[0].new
        if max(len(old), len(new)) < 40:
            yield f"bump {names[0]} from {make_printable(old)} to {make_printable(new)}"
            yield f"bump {names[0]} to {make_printable(new)}"
        yield f"bump {names[0]}"
    elif len(names) <= NAMED:
        yield f"bump {join_names(names)}"
    yield f"bump {format_count(len(names), 'dependency').replace('dependencys', 'dependencies')}"


def _definition_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences that name what was added or, if nothing was, what was removed."""
    verb, side, preposition = "add", "added", "to"
    if not _symbols(files, side):
        verb, side, preposition = "remove", "removed", "from"
    symbols = _most_important(_symbols(files, side).values())
    if not symbols:
        return
    where = ""
    if len(files) <= NAMED:
        names = values_of(symbols, "name")
        holders = [file for file in files if not names.isdisjoint(_symbols([file], side))]
        where = f" {preposition} {file_names(holders)}"
    if len(symbols) <= NAMED:
        yield f"{verb} {_list(symbols)}{where}"
        yield f"{verb} {_list(symbols)}"
    if len(symbols) > 1:
        yield f"{verb} {_list(symbols[:1])} and {len(symbols) - 1} more{where}"
    else:
        yield f"{verb} {_list(symbols)}"


def _usage_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences that say which names the edited lines now use, and which symbols they are part of."""
    edited: dict[Symbol, None] = {}
    for file in files:
        edited.update(dict.fromkeys(map(itemgetter(1), file.symbols.changed)))
    edited.update(dict.fromkeys(_symbols(files, "touched").values()))
    symbols = _most_important(edited)
    used = used_names(files)
    if 0 < len(used) <= 2:
        yield f"use {join_safe(used)} in {_list(symbols) if len(symbols) == 1 else file_names(files)}"
        yield f"use {join_safe(used)}"
    if 0 < len(symbols) <= NAMED:
        yield f"update {_list(symbols)} in {file_names(files)}"
        yield f"update {_list(symbols)}"


def _symbols(files: Iterable[FileFacts], which: str) -> dict[str, Symbol]:
    """Return the symbols of all files by name: the same function in two files counts once."""
    found: dict[str, Symbol] = {}
    for file in files:
        for symbol in getattr(file.symbols, which):
            found.setdefault(symbol.name, symbol)
    return found


_IMPORTANCE = (
    "variable", "class", "struct", "interface", "trait", "enum", "type", "module", "function", "method", "macro",
    "table", "target",
)  # fmt: skip
# Kinds that a sentence mentions after the names.
_NOUNS = {"section", "test", "option", "variable", "output", "resource", "target"}


def _most_important(symbols: Iterable[Symbol]) -> list[Symbol]:
    """Return the symbols of the most important kind among them: a class says more than its methods."""
    symbols = list(symbols)
    for kind in _IMPORTANCE:
        found = [symbol for symbol in symbols if symbol.kind == kind]
        if found:
            return found
    return symbols


def _list(symbols: Sequence[Symbol]) -> str:
    names = join_names(list(map(_safe_name, symbols)))
    kind = symbols[0].kind
    if kind in _NOUNS and values_of(symbols, "kind") == {kind}:
        return f"{names} {pluralize(kind, len(symbols))}"
    return names


def _safe_name(symbol: Symbol) -> str:
    return make_printable(symbol.name.strip("\"'`* "), 40) or "a name"


def titles(change: ChangeFacts) -> list[str]:
    """Return what the change says about itself, in the imperative; empty if that is nothing or several things."""
    entries = list(_changelog_entries(change))
    if len(entries) == 1:
        return entries
    tests = list(_test_titles(change))
    if len(tests) == 1 and filetypes.SOURCE in values_of(change.core, "kind"):
        return tests
    return []


def _changelog_entries(change: ChangeFacts) -> Iterator[str]:
    if len(change.files) < 2:
        return
    for file in change.files:
        lines = decode_lines(list_lines(file.diff.hunks, "added"), 200)
        if file.nature == "added" and _FRAGMENT.search(file.path):
            texts = [" ".join(filter(None, lines))]
        elif _CHANGELOG.search(file.path):
            texts = list(_list_items(lines))
        else:
            continue
        yield from filter(None, map(imperative, texts))


def _list_items(lines: Iterable[str]) -> Iterator[str]:
    """Yield the items of a list, each with the lines that continue it."""
    item = ""
    for line in lines:
        found = _BULLET.match(line)
        if found or not line or line.startswith(("#", "=", "--", "..", ":")):
            if item:
                yield item
            item = ""
            if found:
                item = found[1]
        elif item:
            item += f" {line}"
    if item:
        yield item


def _test_titles(change: ChangeFacts) -> Iterator[str]:
    for file in change.of_kind(filetypes.TESTS, filetypes.SOURCE):
        for symbol in file.symbols.added:
            if symbol.kind != "test":
                continue
            title = split_name(symbol.name)
            sentence = imperative(title, base=title == symbol.name)
            if sentence:
                yield sentence
