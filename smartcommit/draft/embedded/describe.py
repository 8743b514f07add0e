"""Summary and bullet points of a change, by what happened to its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter, itemgetter

from smartcommit.change import filetypes
from smartcommit.change.edits import LiteralEdit
from smartcommit.change.facts import (
    DERIVED,
    ChangeFacts,
    FileFacts,
    SideNames,
    values_of,
)
from smartcommit.change.sentences import (
    NAMES_LISTED,
    edit_sentences,
    file_names,
    name_sentences,
    name_symbols,
    nature_sentences,
    says_where,
    used_names,
    whole_edit_sentences,
)
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import read_lines
from smartcommit.change.wording import (
    format_count,
    join_names,
    join_safe,
    make_printable,
    pluralize,
    safe_path,
    split_name,
)
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Maximum items in a list of what else changed; the others are only counted.
POINTS = 6
# Maximum names in a fact.
_NAMES_TOLD = 4
# With more files than this, their number says more than any name in them.
_FILES_EXAMINED = 50
# Kinds of files that belong together in one concern.
_CONCERNS = (
    (filetypes.SOURCE,), (filetypes.CI,), (filetypes.BUILD, filetypes.MANIFEST, filetypes.LOCK),
    (filetypes.CONFIGURATION,), (filetypes.DOCUMENTATION,), (filetypes.TESTS,), (filetypes.GENERATED, filetypes.ASSET),
)  # fmt: skip
_VERSION_SUFFIX = compile_on_use(r"(?<=.)[-_]?[vV]ersion\Z")


def summaries(
    change: ChangeFacts,
    submodules: Mapping[bytes, Sequence[str]] | None = None,
) -> list[str]:
    """Return sentences that say what the change does, the best first: never empty, each one line of safe text.

    `submodules` holds, by path, the subjects of the commits that an updated submodule has gained.
    """
    path = change.core[0].path
    subjects: Sequence[str] = ()
    if change.only_submodules and len(change.core) == 1:
        subjects = (submodules or {}).get(path, ())
    if not subjects:
        return sentences(change.core)
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


def list_facts(change: ChangeFacts) -> list[str]:
    """Return what happened, each fact one short line: how many files, and which names came and went."""
    counts = Counter(file.diff.change.status for file in change.files)
    parts = []
    for status, verb in (("M", "changed"), ("A", "added"), ("D", "removed"), ("R", "renamed")):
        if counts[status]:
            parts.append(f"{counts[status]} {verb}")
    facts = [f"{format_count(len(change.files), 'file')}: {', '.join(parts)}" if parts else ""]
    if len(change.files) == 1:
        facts = []
    for side in ("added", "removed"):
        names = [make_printable(name, 40) for name in _symbols(change.core, side)]
        if names:
            more = f" and {len(names) - _NAMES_TOLD} more" if len(names) > _NAMES_TOLD else ""
            facts.append(f"{side}: {', '.join(names[:_NAMES_TOLD])}{more}")
    return list(filter(None, facts))


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
    verb = choose_verb_of_files(files)
    found = [*nature_sentences(files), *_version_sentences(files)]
    if len(files) <= _FILES_EXAMINED:
        found += [*edit_sentences(files), *_definition_sentences(files), *_usage_sentences(files)]
    return [*found, *name_sentences(files, verb)]


def choose_verb_of_files(files: Sequence[FileFacts]) -> str:
    """Return the verb that says what happened to all of `files`."""
    natures = values_of(files, "nature")
    if natures == {"added"}:
        return "add"
    return "remove" if natures == {"deleted"} else "update"


def _version_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    if files[0].kind == filetypes.LOCK:  # then all are lock files
        yield "update locked dependencies" if len(files) > 1 else f"update {safe_path(files[0].path)}"
        return
    if not all(map(attrgetter("bumped"), files)):
        return
    bumps = list(dict.fromkeys(chain.from_iterable(map(attrgetter("versions"), files))))
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


def _bump_sentences(bumps: Sequence[LiteralEdit]) -> Iterator[str]:
    names = list(dict.fromkeys(make_printable(_VERSION_SUFFIX.sub("", bump.name or "")) for bump in bumps))
    if len(names) == 1:
        old, new = bumps[0].old, bumps[0].new
        if max(len(old), len(new)) < 40:
            yield f"bump {names[0]} from {make_printable(old)} to {make_printable(new)}"
            yield f"bump {names[0]} to {make_printable(new)}"
        yield f"bump {names[0]}"
    elif len(names) <= NAMES_LISTED:
        yield f"bump {join_names(names)}"
    yield f"bump {format_count(len(names), 'dependency').replace('dependencys', 'dependencies')}"


def _definition_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences that name what was added or, if nothing was, what was removed."""
    new, gone = _list_one_sided(files, "added"), _list_one_sided(files, "removed")
    if new:
        yield from _symbol_sentences(files, new, "add", "to")
    elif gone:
        yield from _symbol_sentences(files, gone, "remove", "from")


def _list_one_sided(files: Sequence[FileFacts], side: Side) -> list[Symbol]:
    """Return the symbols that are added, or removed, unless the other side has their names: they may have moved.

    Private ones only if there are no others.
    """
    other = SideNames(files, "added" if side == "removed" else "removed")
    found = [symbol for symbol in _symbols(files, side).values() if not other.have(symbol.name)]
    if filetypes.SOURCE in values_of(files, "kind"):
        # Tests that stand in the source accompany what they test.
        found = [symbol for symbol in found if symbol.kind != "test"]
    return [symbol for symbol in found if not symbol.name.startswith("_")] or found


def _symbol_sentences(
    files: Sequence[FileFacts], symbols: Sequence[Symbol], verb: str, preposition: str
) -> Iterator[str]:
    """Yield sentences on symbols of one side: all of them, what they have in common, or the first."""
    symbols = choose_important(symbols)
    side = "removed" if preposition == "from" else "added"
    names = values_of(symbols, "name")
    holders = [file for file in files if not names.isdisjoint(_symbols([file], side))]
    where = ""
    if len(files) <= NAMES_LISTED:
        where = f" {preposition} {file_names(holders)}"
    natures = values_of(holders, "nature")
    if natures == {"deleted"}:
        yield from name_sentences(holders, verb)
    said = ""
    if len(symbols) <= NAMES_LISTED:
        said = _list(symbols)
    elif common := _common_words(symbols):
        said = f"{common} {_plural_kind(symbols)}"
    if said:
        yield f"{verb} {said}{where}"
        yield f"{verb} {said}"
    if natures == {"added"} and len(symbols) > NAMES_LISTED:
        yield from name_sentences(holders, verb)
    if len(symbols) > 1 and symbols[0].kind not in _PLENTIFUL:
        yield f"{verb} {_list(symbols[:1])} and {len(symbols) - 1} more{where}"


def _common_words(symbols: Sequence[Symbol]) -> str:
    """Return the words that most of the symbols' names share, in the order of the first name; empty without any."""
    counts: Counter[str] = Counter()
    for symbol in symbols:
        counts.update(set(split_name(symbol.name).split()))
    shared = []
    for word in split_name(symbols[0].name).split():
        if counts[word] >= 0.7 * len(symbols) and len(word) > 2 and word.isalpha():
            shared.append(word)
    return " ".join(shared)[:40]


def _plural_kind(symbols: Sequence[Symbol]) -> str:
    """Return what the symbols are, in the plural."""
    kinds = values_of(symbols, "kind")
    kind = kinds.pop() if len(kinds) == 1 else "name"
    return {"class": "classes", "key": "settings"}.get(kind, f"{kind}s")


def _usage_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences that say which names the edited lines now use, and which symbols they are part of."""
    edited: dict[Symbol, None] = {}
    for file in files:
        edited.update(dict.fromkeys(map(itemgetter(1), file.symbols.changed)))
    edited.update(dict.fromkeys(_symbols(files, "touched").values()))
    symbols = choose_important(filter(says_where, edited))
    used = used_names(files)
    if 0 < len(used) <= 2:
        names = join_safe(used)
        where = _list(symbols) if len(symbols) == 1 else _files_using(used, files)
        yield f"use {names} in {where}"
        yield f"use {names}"
    if 0 < len(symbols) <= NAMES_LISTED:
        named, place = _list(symbols), file_names(files)
        if len(files) <= NAMES_LISTED and place.lower().partition(".")[0] != named.lower():
            yield f"update {named} in {place}"
        yield f"update {named}"


def _files_using(names: Iterable[str], files: Sequence[FileFacts]) -> str:
    """Return the files whose added lines have any of `names`, in words."""
    using = []
    for file in files:
        text = "\n".join(read_lines(file.diff.hunks, "added"))
        if any(map(text.__contains__, names)):
            using.append(file)
    return file_names(using or files)


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
# Kinds of which a file has so many that the first of several says nothing.
_PLENTIFUL = {"key", "section"}
# Kinds that a sentence mentions after the names.
NOUNS = {"section", "test", "option", "variable", "output", "resource", "target"}


def choose_important(symbols: Iterable[Symbol]) -> list[Symbol]:
    """Return the symbols of the most important kind among them: a class says more than its methods."""
    symbols = list(symbols)
    for kind in _IMPORTANCE:
        found = [symbol for symbol in symbols if symbol.kind == kind]
        if found:
            return found
    return symbols


def _list(symbols: Sequence[Symbol]) -> str:
    names = join_names(name_symbols(symbols))
    kind = symbols[0].kind
    if kind in NOUNS and values_of(symbols, "kind") == {kind}:
        return f"{names} {pluralize(kind, len(symbols))}"
    return names


def certain_sentences(files: Sequence[FileFacts]) -> list[str]:
    """Return sentences that say all that happened, if its nature, its versions or its few words tell that."""
    if values_of(files, "nature") == {"added"}:
        return []
    found = [*nature_sentences(files), *_version_sentences(files)]
    if not found and len(files) <= _FILES_EXAMINED:
        found += whole_edit_sentences(files)
    return found
