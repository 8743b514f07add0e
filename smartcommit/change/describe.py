"""Summary and bullet points of a change, by what happened to its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import Bump, ChangeFacts, FileFacts, text_of
from smartcommit.change.sentences import NAMED, edit_sentences, file_names, name_sentences, nature_sentences, used_names
from smartcommit.change.symbols import Symbol
from smartcommit.change.wording import counted, imperative, join, safe, safe_path, words_of_name

# Points that a list of what else changed has; more are counted.
POINTS = 6
# Beyond this many files their number says more than any name in them.
FILES_TOLD = 50
# Kinds of files that belong together in one concern.
_CONCERNS = (
    (filetypes.SOURCE,),
    (filetypes.CI,),
    (filetypes.BUILD, filetypes.MANIFEST, filetypes.LOCK),
    (filetypes.CONFIGURATION,),
    (filetypes.DOCUMENTATION,),
    (filetypes.TESTS,),
    (filetypes.GENERATED, filetypes.ASSET),
)
_CHANGELOG = re.compile(rb"(?i)(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)(?:\.\w+)?$")
_FRAGMENT = re.compile(
    rb"(?i)(?:^|/)(?:\.changeset|newsfragments|news|changelog\.d|changes|changelog/unreleased)/[^/]+$"
)
_BULLET = re.compile(r"(?:[-*+]|\d+\.)\s+(\S.*)")


def summaries(change: ChangeFacts, submodules: Mapping[bytes, Sequence[str]] | None = None) -> list[str]:
    """Sentences that say what the change does, the best first; never empty, each on one line of safe text.

    `submodules` holds, by path, the subjects of the commits that a moved submodule has gained.
    """
    subjects = (submodules or {}).get(change.core[0].path, ()) if change.only_submodules else ()
    if subjects and len(change.core) == 1:
        name = f"submodule {safe_path(change.core[0].path)}"
        if len(subjects) == 1:
            return [f"update {name}: {safe(subjects[0], 60)}", f"update {name}"]
        return [f"update {name} by {counted(len(subjects), 'commit')}", f"update {name}"]
    return [*titles(change), *sentences(change.core)]


def points(change: ChangeFacts, submodules: Mapping[bytes, Sequence[str]] | None = None) -> list[list[str]]:
    """What else changed, for each point its sentences, the best first; empty where there is one concern."""
    gained = [
        [safe(text, 68)] for file in change.files for text in (submodules or {}).get(file.path, ()) if text.strip()
    ]
    if change.only_submodules:
        return _bounded(gained, "commit") if len(change.core) == 1 and len(gained) > 1 else []
    covered = {id(file) for file in change.core}
    rest = [[file for file in change.of_kind(*concern) if id(file) not in covered] for concern in _CONCERNS]
    return _bounded([sentences(files) for files in rest if files and not _follows(files, change)], "concern")


def _follows(files: Sequence[FileFacts], change: ChangeFacts) -> bool:
    """Whether these files only go with the change of the others: tests and documentation of source, locks, images."""
    kind = files[0].kind
    if change.core[0].kind == filetypes.SOURCE and kind in (filetypes.TESTS, filetypes.DOCUMENTATION):
        return True
    return all(file.kind in (filetypes.LOCK, filetypes.GENERATED, filetypes.ASSET) for file in files)


def _bounded(items: list[list[str]], noun: str) -> list[list[str]]:
    if len(items) <= POINTS:
        return items
    return [*items[: POINTS - 1], [counted(len(items) - POINTS + 1, f"more {noun}")]]


def sentences(files: Sequence[FileFacts]) -> list[str]:
    """Sentences for files that belong together, the best first; the last one is short and always true."""
    files = [file for file in files if file.kind != filetypes.LOCK] or files
    natures = {file.nature for file in files}
    verb = "add" if natures == {"added"} else "remove" if natures == {"deleted"} else "update"
    content = _by_content(files) if len(files) <= FILES_TOLD else ()
    return [*nature_sentences(files), *_by_versions(files), *content, *name_sentences(files, verb)]


def _by_versions(files: Sequence[FileFacts]) -> Iterator[str]:
    if all(file.kind == filetypes.LOCK for file in files):
        yield "update locked dependencies" if len(files) > 1 else f"update {safe_path(files[0].path)}"
        return
    if not all(file.bumped or file.kind == filetypes.LOCK for file in files):
        return
    moved = list(dict.fromkeys(bump for file in files for bump in file.bumps))
    own = [bump for bump in moved if bump.own]
    named = [bump for bump in moved if bump.name]
    if own:
        yield f"bump version from {safe(own[0].old)} to {safe(own[0].new)}"
        yield f"bump version to {safe(own[0].new)}"
    elif named:
        yield from _bumps(named)
    elif moved:
        yield f"bump versions in {file_names(files)}"


def _bumps(moved: Sequence[Bump]) -> Iterator[str]:
    names = list(dict.fromkeys(safe(bump.name or "") for bump in moved))
    if len(names) == 1:
        short = len(moved[0].old) < 40 and len(moved[0].new) < 40
        if short:
            yield f"bump {names[0]} from {safe(moved[0].old)} to {safe(moved[0].new)}"
            yield f"bump {names[0]} to {safe(moved[0].new)}"
        yield f"bump {names[0]}"
    elif len(names) <= NAMED:
        yield f"bump {join(names)}"
    yield f"bump {counted(len(names), 'dependency').replace('dependencys', 'dependencies')}"


def _by_content(files: Sequence[FileFacts]) -> Iterator[str]:
    yield from edit_sentences(files)
    added = _symbols(files, "added")
    removed = _symbols(files, "removed")
    chosen = _weightiest(added or removed)
    if chosen:
        names = {symbol.name for symbol in chosen}
        which = "added" if added else "removed"
        holders = [file for file in files if any(symbol.name in names for symbol in getattr(file.symbols, which))]
        where = f" {'to' if added else 'from'} {file_names(holders)}" if len(files) <= NAMED else ""
        verb = "add" if added else "remove"
        if len(chosen) <= NAMED:
            yield f"{verb} {_list(chosen)}{where}"
            yield f"{verb} {_list(chosen)}"
        yield (
            f"{verb} {_list(chosen[:1])} and {len(chosen) - 1} more{where}"
            if len(chosen) > 1
            else f"{verb} {_list(chosen)}"
        )
    changed = [after for file in files for _, after in file.symbols.changed]
    touched = _weightiest(list(dict.fromkeys([*changed, *_symbols(files, "touched")])))
    used = [safe(name, 40) for name in used_names(files)]
    if 0 < len(used) <= 2:
        yield f"use {join(used)} in {_list(touched) if len(touched) == 1 else file_names(files)}"
        yield f"use {join(used)}"
    if touched and len(touched) <= NAMED:
        yield f"update {_list(touched)} in {file_names(files)}"
        yield f"update {_list(touched)}"


def _symbols(files: Sequence[FileFacts], which: str) -> list[Symbol]:
    """The symbols of all files, each name once: the same function in two files is one thing to say."""
    found: dict[str, Symbol] = {}
    for file in files:
        for symbol in getattr(file.symbols, which):
            found.setdefault(symbol.name, symbol)
    return list(found.values())


_WEIGHT = (
    "variable",
    "class",
    "struct",
    "interface",
    "trait",
    "enum",
    "type",
    "module",
    "function",
    "method",
    "macro",
    "table",
    "target",
)


def _weightiest(symbols: Sequence[Symbol]) -> list[Symbol]:
    """The symbols of the weightiest kind among them: a class says more than its methods."""
    if not symbols:
        return []
    best = min(_WEIGHT.index(symbol.kind) if symbol.kind in _WEIGHT else len(_WEIGHT) for symbol in symbols)
    return [symbol for symbol in symbols if best == len(_WEIGHT) or symbol.kind == _WEIGHT[best]]


def _list(symbols: Sequence[Symbol]) -> str:
    names = join([_quoted(symbol) for symbol in symbols])
    kind = symbols[0].kind
    if (
        kind in ("section", "test", "option", "variable", "output", "resource", "target")
        and len({s.kind for s in symbols}) == 1
    ):
        return f"{names} {kind}{'s' if len(symbols) > 1 else ''}"
    return names


def _quoted(symbol: Symbol) -> str:
    return safe(symbol.name.strip("\"'`* "), 40) or "a name"


def titles(change: ChangeFacts) -> list[str]:
    """What the change says about itself, as instructions; empty where it says nothing, or more than one thing."""
    own = list(_changelog_entries(change))
    if len(own) == 1:
        return own
    tests = list(_test_titles(change))
    return tests if len(tests) == 1 and _has_source(change) else []


def _has_source(change: ChangeFacts) -> bool:
    return any(file.kind == filetypes.SOURCE for file in change.core)


def _changelog_entries(change: ChangeFacts) -> Iterator[str]:
    if len(change.files) < 2:
        return
    for file in change.files:
        if file.nature == "added" and _FRAGMENT.search(file.path):
            texts = [" ".join(line for line in _added(file) if line)]
        elif _CHANGELOG.search(file.path):
            texts = list(_entries(_added(file)))
        else:
            continue
        yield from filter(None, map(imperative, texts))


def _entries(lines: Iterable[str]) -> Iterator[str]:
    """The points of a list, each with the lines that continue it."""
    entry = ""
    for line in lines:
        found = _BULLET.match(line)
        if found or not line or line.startswith(("#", "=", "--", "..", ":")):
            if entry:
                yield entry
            entry = found[1] if found else ""
        elif entry:
            entry += " " + line
    if entry:
        yield entry


def _test_titles(change: ChangeFacts) -> Iterator[str]:
    for file in change.of_kind(filetypes.TESTS, filetypes.SOURCE):
        for symbol in file.symbols.added:
            title = words_of_name(symbol.name)
            sentence = imperative(title, base=title == symbol.name) if symbol.kind == "test" else None
            if sentence:
                yield sentence


def _added(file: FileFacts) -> Iterator[str]:
    return text_of([line for hunk in file.diff.hunks for line in hunk.added], 200)
