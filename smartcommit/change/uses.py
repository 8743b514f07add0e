"""What the groups of a change need of each other: names that others define, and files that they add."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from smartcommit.change import filetypes
from smartcommit.change.imports import ImportedFiles, list_imported_packages, read_package
from smartcommit.change.languages import IMPORT_WORDS, Language, find_language
from smartcommit.change.parameters import (
    count_grown,
    count_values,
    list_grown,
    read_arguments,
    squeeze_parameters,
)
from smartcommit.change.symbols import SymbolChanges, find_symbol_changes
from smartcommit.change.text import HunkText, Lines, find_names, read_hunk, split_identifier
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# A word of this length is no common one.
_DISTINCT_NAME = 6
# Names that languages call by themselves.
_IMPLICIT = {
    "constructor", "default", "init", "main", "toString", "String", "Error", "equals", "hashCode", "Self", "None",
    "Some", "Default",
}  # fmt: skip
_HEADERS = (b".h", b".hh", b".hpp", b".hxx")
# The class that another one extends, and how that calls its constructor.
_PARENT = compile_on_use(r"\bextends\s+(\w+)|\bclass\s+\w+\s*[:(]\s*(?:public\s+)?(\w+)")
_OF_PARENT = ("__init__", "super", "base")
# Kinds of symbols that no other file uses.
_UNUSED = {"test", "section", "target"}
# Kinds of symbols that are used behind a point, or called.
_CALLED = {"function", "method", "macro"}
# A name with what stands before and after it, which tell how it is used.
_MENTION = compile_on_use(r"([.>:#@$'\"]?)\s*([A-Za-z_]\w*)\s*(=(?!=)|[(!<:]?)")
# A line of a list of names that are imported or exported.
_LISTED = compile_on_use(r"(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?(?:,\s*[\w$]+(?:\s+as\s+[\w$]+)?)*,?$|['\"]\w+['\"],?$")
# Lines between a declaration and its use: few functions are longer.
_REACH = 80
# A script in a manifest, and a command that runs one.
_SCRIPT = compile_on_use(r"\"([\w:.-]+)\": ?\"")
_RUN = compile_on_use(r"\b(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)")
_ASSIGNMENT = compile_on_use(r"\$?(\w+(?:,\s*\$?\w+)*)\s*=(?![=~>])")


class Use(NamedTuple):
    """The group `user` has lines that use what the group `definer` adds or removes (`side`).

    A use is not sure where the name is a common word that may also stand for something else.
    """

    side: Side
    user: int
    definer: int
    is_sure: bool = True


@dataclass(slots=True)
class _Definers:
    """The groups that define a name, by the paths of the files where they do.

    `growth` is how many parameters more a definition that changes has.
    """

    kind: str
    groups: dict[bytes, int] = field(default_factory=dict)
    growth: int = 0

    def find(self, user: bytes) -> int | None:
        """Return the group that is meant in the file at `user`, None if it could be several."""
        if user in self.groups:
            return self.groups[user]
        groups = set(self.groups.values())
        if len(groups) > 1:
            # C declares in a header what it defines elsewhere.
            groups = {group for path, group in self.groups.items() if path.endswith(_HEADERS)}
        return groups.pop() if len(groups) == 1 else None

    def find_source(self) -> tuple[bytes, int | None]:
        """Return a path with the only group that has it outside of headers, or anywhere; None if there are several."""
        groups = {path: group for path, group in self.groups.items() if not path.endswith(_HEADERS)} or self.groups
        return next(iter(groups.items())) if len(set(groups.values())) == 1 else (b"", None)


# The names of each language with their definers.
_Names = dict[str, dict[str, _Definers]]


class _Side:
    """What the change adds, or what it removes.

    `names` has for each language the names that are defined. `files` has the group of each path, and `bound` for each
    file the names that its imports make known there, with their groups. `packages` are those of manifests. `spoken`
    has all names on the lines of each language, and `written` those of each file with their groups.
    """

    def __init__(self) -> None:
        self.names: _Names = {}
        self.files: dict[bytes, int] = {}
        self.bound: dict[bytes, dict[str, int]] = {}
        self.packages: dict[str, _Definers] = {}
        self.spoken: dict[str, set[str]] = {}
        self.written: dict[bytes, list[tuple[int, Lines]]] = {}

    @cached_property
    def imported(self) -> ImportedFiles:
        """The files that are added or removed, and those that others may import new names of."""
        listing = [path for path in self.written if find_language(path).lists_names]
        return ImportedFiles(dict.fromkeys((*self.files, *listing)))

    @cached_property
    def members(self) -> dict[str, set[str]]:
        """The names of each language that lines read or set as members."""
        members: dict[str, set[str]] = {}
        for path, written in self.written.items():
            names = members.setdefault(find_language(path).name, set())
            for line in chain.from_iterable(lines.read() for _, lines in written):
                for before, name, after in _MENTION.findall(line):
                    if before == "." or after in (":", "="):
                        names.add(name)
        return members

    def find_writers(self, path: bytes, names: set[str], other: _Side) -> set[int]:
        """Return the groups on whose lines of the file at `path` one of `names` is, which is not there in `other`."""
        old: set[str] = set()
        for _, lines in other.written.get(path, ()):
            old.update(lines.spoken)
        return {group for group, lines in self.written.get(path, ()) if not (names - old).isdisjoint(lines.spoken)}

    def drop_old(self, other: _Side) -> None:
        """Leave out what is not only on this side, except names that are defined elsewhere on the other."""
        for language, names in self.names.items():
            elsewhere = other.names.get(language, {})
            for name in names.keys() & other.spoken.get(language, set()):
                is_old = name not in elsewhere
                # A field can have the name of a type.
                if names[name].kind == "member":
                    is_old = not is_old or name in other.members.get(language, set())
                if is_old:
                    names[name].groups.clear()
        for path, bound in self.bound.items():
            for name in bound.keys() & other.bound.get(path, {}).keys():
                del bound[name], other.bound[path][name]
        for package in self.packages.keys() & other.packages.keys():
            del self.packages[package], other.packages[package]


def list_uses(groups: Sequence[Sequence[FileDiff]]) -> Iterator[Use]:
    """Yield what each of `groups` uses that another one adds or removes; some more than once.

    What several groups add, or what the change also uses where it removes lines, is not new, or it is not clear which
    of them is meant: it is left out. Documentation uses and defines nothing. Renaming removes a name and adds another.
    What has to change at the same time is used on both sides.
    """
    if len(groups) > 1:
        yield from _Change(groups).list_uses()


def list_callers(groups: Sequence[Sequence[FileDiff]]) -> Iterator[tuple[int, int]]:
    """Yield which group has new lines with the name of a definition, and the other one that alone edits it.

    Either builds without the other; people change a definition before they call it.
    """
    edited: _Names = {}
    for number, diffs in enumerate(groups):
        for diff in diffs:
            symbols = find_symbol_changes(diff)
            names = edited.setdefault(find_language(diff.change.path).name, {})
            telling = [symbol for symbol in symbols.touched if len(split_identifier(symbol.name)) > 1]
            for symbol in (*telling, *(after for _, after in symbols.changed)):
                if symbol.kind not in _UNUSED:
                    _define(names, symbol.name, symbol.kind, _Place(diff.change.path, number))
    scripts = _list_scripts(groups)
    for number, diffs in enumerate(groups):
        for diff in diffs:
            names = edited[find_language(diff.change.path).name]
            for hunk in diff.hunks:
                for _, definer in _list_called(read_hunk(hunk).added, _Place(diff.change.path, number), names):
                    yield number, definer
                run = _RUN.findall("\n".join(read_hunk(hunk).added.read())) if scripts else []
                for definer in {scripts.get(name, number) for name in run} - {number}:
                    yield number, definer


def _list_scripts(groups: Sequence[Sequence[FileDiff]]) -> dict[str, int]:
    """Return the groups that add or edit scripts of packages, by the names of these."""
    scripts: dict[str, int] = {}
    for number, diffs in enumerate(groups):
        for diff in [diff for diff in diffs if posixpath.basename(diff.change.path) == b"package.json"]:
            for hunk in diff.hunks:
                for line in read_hunk(hunk).added.read():
                    found = _SCRIPT.match(line)
                    scripts.update({found[1]: number} if found else {})
    return scripts


class _Change:
    """What all groups of a change define and use.

    `_files` has the diffs with the numbers of their groups, and `_divided` the files that are in several of them.
    `_changed` has the names whose definitions change, and `_renamed` the old and new names of each language.
    `_declared` and `_declared_new` are those that others implement, and `_moves` has the groups that move files of a
    language from one folder to another.
    """

    def __init__(self, groups: Sequence[Sequence[FileDiff]]) -> None:
        self._files: list[tuple[int, FileDiff]] = []
        self._divided: set[bytes] = set()
        self._added, self._removed = _Side(), _Side()
        self._sides: tuple[tuple[Side, _Side, _Side], ...] = (
            ("added", self._added, self._removed),
            ("removed", self._removed, self._added),
        )
        self._changed: _Names = {}
        self._renamed: dict[str, dict[tuple[str, str], int]] = {}
        self._declared: set[str] = set()
        self._declared_new: set[str] = set()
        self._moves: dict[tuple[str, bytes, bytes], list[int]] = {}
        seen: set[bytes] = set()
        for number, diffs in enumerate(groups):
            for diff in diffs:
                path = diff.change.path
                self._collect_moves(number, diff.change)
                if filetypes.classify_path(path) == filetypes.DOCUMENTATION and not find_language(path).name:
                    continue
                self._files.append((number, diff))
                if path in seen:
                    self._divided.add(path)
                seen.add(path)
        for number, diff in self._files:
            self._collect(number, diff)
        for _, side, other in self._sides:
            side.drop_old(other)

    def list_uses(self) -> Iterator[Use]:
        yield from self._list_ties()
        yield from self._list_moved()
        yield from self._list_bound()
        yield from self._list_local()
        for number, diff in self._files:
            for hunk in diff.hunks:
                yield from self._list_uses_of_hunk(read_hunk(hunk), _Place(diff.change.path, number))

    def _list_uses_of_hunk(self, text: HunkText, place: _Place) -> Iterator[Use]:
        path = place.path
        ties = {*self._find_changed(text, path), *self._find_matched(text.added, path), *self._find_renamed(text, path)}
        ties.update(self._find_filled(text, path))
        words_of_both = text.removed.spoken & text.added.spoken
        needed: dict[str, set[int]] = {}
        for name, side, other in self._sides:
            lines = text.side(name)
            named = dict.fromkeys(_list_named(lines, path, side, other))
            needed[name] = set(named)
            used = _list_definers(lines, place, side)
            for word, definer, is_sure in chain((("", group, True) for group in named), used):
                if word not in words_of_both:
                    needed[name].add(definer)
                if definer != place.group:
                    yield Use(name, place.group, definer, is_sure)
        # What a compiler knows of is used in place of what the same group removes.
        if find_language(path).is_compiled:
            ties |= needed["added"] & needed["removed"]
        for definer in ties - {place.group}:
            yield from _tie(place.group, definer)

    def _collect(self, number: int, diff: FileDiff) -> None:
        change = diff.change
        kind = filetypes.classify_path(change.path)
        language = find_language(change.path)
        self._define_symbols(number, change.path, find_symbol_changes(diff, with_touched=False))
        changed = self._changed.setdefault(language.name, {})
        for hunk in diff.hunks:
            text = read_hunk(hunk)
            for (name, kind_of_name), growth in list_grown(text, language):
                _define(changed, name, kind_of_name, _Place(change.path, number), growth=growth)
            for name, side, _ in self._sides:
                lines = text.side(name)
                if not lines.spoken:
                    continue
                side.written.setdefault(change.path, []).append((number, lines))
                side.spoken.setdefault(language.name, set()).update(lines.spoken)
                for line in lines.read() if kind == filetypes.MANIFEST else ():
                    package = read_package(line)
                    if package is not None:
                        side.packages.setdefault(package, _Definers("package")).groups.setdefault(change.path, number)
                if kind != filetypes.TESTS and language.members is not None:
                    self._define_members(side, lines, change, number)
                bound = side.bound.setdefault(change.path, {}) if change.path in self._divided else {}
                for line in lines.read() if change.path in self._divided else ():
                    bound.update(dict.fromkeys(language.list_imported(line), number))

    def _collect_moves(self, number: int, change: FileChange) -> None:
        """Add that the group `number` adds or removes a file, or moves it to another folder."""
        if change.status in "ARC":
            self._added.files[change.path] = number
        if change.status in "DR":
            self._removed.files[change.old_path or change.path] = number
        language = find_language(change.path)
        if change.status == "R" and change.old_path is not None and language.name:
            folders = posixpath.dirname(change.old_path), posixpath.dirname(change.path)
            if folders[0] != folders[1]:
                self._moves.setdefault((language.name, *folders), []).append(number)

    def _define_symbols(self, number: int, path: bytes, symbols: SymbolChanges) -> None:
        language = find_language(path)
        new = [*symbols.added, *(after for _, after in symbols.renamed)]
        old = [*symbols.removed, *(before for before, _ in symbols.renamed)]
        definers = self._changed.setdefault(language.name, {})
        for before, after in symbols.renamed:
            if before.kind not in _UNUSED and (_is_distinct(before.name) or _is_distinct(after.name)):
                self._renamed.setdefault(language.name, {})[before.name, after.name] = number
        for before, after in symbols.changed:
            if squeeze_parameters(before.line) != squeeze_parameters(after.line):
                if after.kind not in _UNUSED:
                    grown = count_grown(before.line, after.line, (after.name,))
                    _define(definers, after.name, after.kind, _Place(path, number), growth=grown)
                # An interface or a trait declares what others implement.
                if after.line.endswith(";"):
                    self._declared.add(after.name)
        for symbol in new:
            if symbol.kind in _CALLED and symbol.line.endswith(";"):
                self._declared_new.add(symbol.name)
        for names, symbols_of_side in ((self._added.names, new), (self._removed.names, old)):
            for symbol in symbols_of_side:
                if symbol.kind not in _UNUSED:
                    _define(names.setdefault(language.name, {}), symbol.name, symbol.kind, _Place(path, number))

    def _define_members(self, side: _Side, lines: Lines, change: FileChange, number: int) -> None:
        """Define what is in the middle of a type; of a whole file only what is used without another name of it."""
        language, is_whole = find_language(change.path), change.status != "M"
        defined = side.names.setdefault(language.name, {})
        is_read = not is_whole or change.path.endswith(_HEADERS)
        for line in lines.read():
            if is_whole and language.name == "go":
                is_read = line in ("const (", "var (") or (is_read and line != ")")
            declared = language.members.match(line) if language.members and is_read else None
            if declared:
                group = declared.lastindex or 0
                name, kind = declared[group], "member"
                rest = line[declared.end(group) :].lstrip()
                # The last constant of an enum of Java has arguments, but no type before it.
                is_last = not declared.start(group) and language.name == "jvm"
                if rest.startswith("(") and rest.endswith(";") and not is_last:
                    kind = "function"
                    if language.name != "c" and side is self._added:
                        self._declared_new.add(name)
                elif group != 1 or (is_whole and language.name == "go"):
                    kind = "constant"
                if not is_whole or kind != "member":
                    _define(defined, name, kind, _Place(change.path, number))

    def _list_ties(self) -> Iterator[Use]:
        """Yield what has to change at the same time: files that move together, and methods that implement others."""
        tied = list(self._moves.values())
        for names in self._changed.values():
            for name, definers in names.items():
                if name in self._declared and _is_distinct(name):
                    tied.append(list(definers.groups.values()))
        for names in self._added.names.values():
            tied += [list(names[name].groups.values()) for name in names.keys() & self._declared_new]
        for numbers in tied:
            for one, other in pairwise(numbers):
                if one != other:
                    yield from _tie(one, other)

    def _list_moved(self) -> Iterator[Use]:
        """Yield the definitions that a group removes from one file and another adds to another one."""
        for language, names in self._removed.names.items():
            added = self._added.names.get(language, {})
            for name in names.keys() & added.keys():
                (old_path, remover), (path, definer) = names[name].find_source(), added[name].find_source()
                if remover is None or definer is None or remover == definer:
                    continue
                # C and a package of Go do not have two functions of one name.
                folders = {posixpath.dirname(old_path), posixpath.dirname(path)}
                is_alone = language == "c" or (language == "go" and len(folders) == 1)
                if is_alone and names[name].kind == "function" and _is_distinct(name):
                    yield from _tie(remover, definer)
                else:
                    yield Use("added", remover, definer, is_sure=_is_distinct(name))

    def _list_bound(self) -> Iterator[Use]:
        """Yield what goes with an import in a file of several groups: a definition that it replaces; in Go, its use."""
        for _, side, other in self._sides:
            for path, bound in side.bound.items():
                language = find_language(path)
                defined = other.names.get(language.name, {})
                for word, number in bound.items():
                    if word in defined and path in defined[word].groups:
                        yield from _tie(number, defined[word].groups[path])
                    for user, lines in side.written[path] if language.name == "go" else ():
                        if user != number and any(f"{word}." in line for line in lines.having({word})):
                            yield from _tie(number, user)
                            break

    def _list_local(self) -> Iterator[Use]:
        """Yield what hunks of one file use that another group declares in the same function.

        Only what is new on a side of a hunk counts: what also occurs on its other side was, or stays, declared
        elsewhere.
        """
        sides: tuple[tuple[Side, Side], ...] = (("added", "removed"), ("removed", "added"))
        hunks: dict[bytes, list[tuple[int, Hunk]]] = {}
        for number, diff in self._files:
            if diff.change.path in self._divided and find_language(diff.change.path).name:
                hunks.setdefault(diff.change.path, []).extend((number, hunk) for hunk in diff.hunks)
        for path, placed_hunks in hunks.items():
            if find_language(path).name == "c":
                yield from _list_includes(placed_hunks, find_language(path))
            placed_hunks.sort(key=lambda placed: (placed[1].new_start, placed[1].old_start))
            for side, other in sides:
                yield from _list_local_uses(placed_hunks, find_language(path), side, other)

    def _find_changed(self, text: HunkText, path: bytes) -> Iterator[int]:
        """Yield the groups that change definitions whose uses this hunk in the file at `path` changes."""
        language = find_language(path)
        changed = self._changed.get(language.name, {})
        names = changed.keys() & text.removed.spoken & text.added.spoken
        if not names:
            return
        before: dict[str, list[list[str]]] = {}
        for mention in _list_mentions(text.removed, path, names):
            before.setdefault(mention.name, []).append(read_arguments(mention.line, mention.name))
        for mention in _list_mentions(text.added, path, names):
            definers, arguments = changed[mention.name], read_arguments(mention.line, mention.name)
            olds = before.get(mention.name, ())
            definer = definers.find(path)
            if arguments in olds or definer is None:
                continue
            # What is called behind an object may be another one's, but not if it grows alike.
            if any((len(arguments) - len(old)) * definers.growth > 0 for old in olds) or (
                language.is_compiled
                and definers.kind in _CALLED
                and (not mention.before or _is_distinct(mention.name))
                and _is_use(mention, definers, path, language)
            ):
                yield definer

    def _find_filled(self, text: HunkText, path: bytes) -> Iterator[int]:
        """Yield the groups that change what this hunk hands all values to: constructors of parents, structs of Go."""
        language = find_language(path)
        parent = _PARENT.search(text.context)
        if parent is None and language.name != "go":
            return
        for name, definers in self._changed.get(language.name, {}).items():
            if parent and name in parent.groups():
                calls = [f"{call}(" for call in _OF_PARENT]
            elif language.name == "go" and definers.kind == "struct":
                # The elements of a list may leave out the type.
                calls = [f"{name}{{", *["{"] * (f"{name}{{" in text.context)]
            else:
                continue
            before, after = count_values(text.removed, calls), count_values(text.added, calls)
            definer = definers.find(path)
            if definer is not None and before and after and (after - before) * definers.growth > 0:
                yield definer

    def _find_renamed(self, text: HunkText, path: bytes) -> Iterator[int]:
        """Yield the groups that rename what this hunk in the file at `path` calls by its new name."""
        old, new = text.removed.spoken, text.added.spoken
        for (before, after), number in self._renamed.get(find_language(path).name, {}).items():
            if before in old and after in new and (before not in new or after not in old):
                yield number

    def _find_matched(self, lines: Lines, path: bytes) -> Iterator[int]:
        """Yield the groups that add what has to be complete: variants that are matched, fields of Rust's structs."""
        language = find_language(path)
        if language.name not in ("rust", "jvm") or language.members is None:
            return
        names = self._added.names.get(language.name, {})
        arrow = "=>" if language.name == "rust" else "->"
        for mention in _list_mentions(lines, path, lines.spoken & names.keys()):
            kind, before = names[mention.name].kind, mention.line.partition(mention.name)[0]
            # A parameter is declared as a field is set, behind a parenthesis.
            is_set = mention.after == ":" and (not before or "{" in before) and not language.members.match(mention.line)
            is_field = kind == "member" and is_set and language.name == "rust"
            if is_field or (kind == "constant" and arrow in mention.line):
                definer = names[mention.name].find(path)
                if definer is not None:
                    yield definer


def _tie(one: int, other: int) -> Iterator[Use]:
    yield Use("added", one, other)
    yield Use("removed", one, other)


class _Place(NamedTuple):
    path: bytes
    group: int


def _define(names: dict[str, _Definers], name: str, kind: str, place: _Place, *, growth: int = 0) -> None:
    # Lua and Ruby define `table.name` and `Module::Name`.
    last = find_names(name)[-1:]
    if last and last[0] not in _IMPLICIT and not last[0].startswith("__"):
        definers = names.setdefault(last[0], _Definers(kind))
        definers.groups.setdefault(place.path, place.group)
        definers.growth = growth or definers.growth


class _Mention(NamedTuple):
    """A name on a line, with the sign before and after it."""

    line: str
    before: str
    name: str
    after: str
    is_import: bool


def _list_mentions(lines: Lines, path: bytes, names: Set[str]) -> Iterator[_Mention]:
    language = find_language(path)
    for line in lines.having(names):
        # What a comment names, it does not use.
        if language.name and language.is_comment(line.encode()):
            continue
        is_import = language.list_imports(line)
        for before, name, after in _MENTION.findall(line):
            if name in names:
                yield _Mention(line, before, name, after, is_import)


def _list_definers(lines: Lines, place: _Place, side: _Side) -> Iterator[tuple[str, int, bool]]:
    """Yield the names that the lines of a hunk use, with the groups that define them, and whether that is sure."""
    language = find_language(place.path)
    defined = side.names.get(language.name, {})
    bound = side.bound.get(place.path)
    if bound:
        for name in lines.spoken & bound.keys():
            yield name, bound[name], True
    names = {}
    # Code reads the keys of configuration.
    keys = side.names.get("", {})
    for name in lines.spoken & keys.keys():
        if keys[name].kind == "key":
            names[name] = keys[name]
    for name in lines.spoken & defined.keys():
        names[name] = defined[name]
    for mention, definer in _list_called(lines, place, names):
        definers = names[mention.name]
        is_sure = mention.is_import or place.path in definers.groups or _is_distinct(mention.name)
        if definers.kind in ("member", "key") and not language.is_compiled:
            is_sure = False
        yield mention.name, definer, is_sure
        # What a header declares is defined elsewhere.
        for group in set(definers.groups.values()) - {definer, place.group} if language.name == "c" else ():
            yield mention.name, group, False


def _list_called(lines: Lines, place: _Place, names: dict[str, _Definers]) -> Iterator[tuple[_Mention, int]]:
    """Yield the uses of `names` on the lines of a hunk, each with the other group that it means."""
    language = find_language(place.path)
    wanted: dict[str, int] = {}
    for name in lines.spoken & names.keys():
        definer = names[name].find(place.path)
        if definer is not None and definer != place.group:
            wanted[name] = definer
    for mention in _list_mentions(lines, place.path, wanted.keys()):
        if _is_use(mention, names[mention.name], place.path, language):
            yield mention, wanted[mention.name]


def _is_use(mention: _Mention, definers: _Definers, path: bytes, language: Language) -> bool:
    is_behind = mention.before in (".", ">", ":")
    if not language.name:
        return is_behind
    if definers.kind == "key" or (definers.kind == "member" and not language.is_compiled):
        is_listed = mention.after == "=" or mention.is_import or _LISTED.match(mention.line) is not None
        is_read = mention.before in (".", ">", "'", '"') or language.calls_bare or path in definers.groups
        return is_read or (is_listed and definers.kind == "member")
    if definers.kind == "member" or (definers.kind == "module" and not language.calls_bare):
        return is_behind or mention.after in (":", "=") or (definers.kind == "module" and mention.is_import)
    if path in definers.groups or is_behind or mention.is_import or language.calls_bare:
        return True
    if definers.kind not in _CALLED or mention.after not in ("", "=") or _LISTED.match(mention.line):
        return True
    # A function is also given to others by its name, and a macro may be a constant.
    return len(split_identifier(mention.name)) > 1 or mention.name.isupper()


def _is_distinct(name: str) -> bool:
    """Whether a name is too special to stand for several things in one project."""
    return len(name) >= _DISTINCT_NAME or len(split_identifier(name)) > 1


def _list_named(lines: Lines, path: bytes, side: _Side, other: _Side) -> Iterator[int]:
    """Yield the groups that add, or remove, the files and packages that the lines of a hunk in the file at `path` name.

    A file that only changes counts if the line, or the list that it ends or begins, imports a new name of it. Go embeds
    files by a pattern or with their whole folder.
    """
    for line in lines.having(side.imported.names & lines.spoken):
        groups: set[int] = set()
        imported = side.imported.find(line, path)
        # A list of objects means sources, not their headers.
        sources = {imported_path for imported_path in imported if not imported_path.endswith(_HEADERS)}
        for imported_path in imported if find_language(path).name else sources or imported:
            if imported_path in side.files:
                groups.add(side.files[imported_path])
            elif find_language(path).lists_names:
                groups |= side.find_writers(imported_path, _list_imported(lines, line), other)
        if len(groups) == 1:
            yield groups.pop()
    folder = posixpath.dirname(path.decode("utf-8", "replace"))
    for line in lines.having({"embed"}):
        for pattern in line.split()[1:] if line.startswith("//go:embed ") else ():
            wanted = posixpath.join(folder, pattern.strip('"`').removeprefix("all:"))
            for imported_path, group in side.files.items():
                name = imported_path.decode("utf-8", "replace")
                if fnmatchcase(name, wanted) or name.startswith(f"{wanted}/"):
                    yield group
    for line in lines.read() if side.packages else ():
        for package in side.packages.keys() & set(list_imported_packages(line, path)):
            definer = side.packages[package].find(path)
            if definer is not None:
                yield definer


def _list_imported(lines: Lines, line: str) -> set[str]:
    """Return the names that `line` imports, with those on lines of a list that may belong to it."""
    text = line
    if "'" in line or '"' in line:
        text = line.rpartition(" from ")[0] or line.partition("=")[0]
    names = set(find_names(text))
    for listed in lines.read():
        if _LISTED.match(listed):
            names.update(find_names(listed))
    return names - IMPORT_WORDS


def _list_includes(hunks: Sequence[tuple[int, Hunk]], language: Language) -> Iterator[Use]:
    """Yield that all hunks of a file come after those that only include: nobody knows what is in a header."""
    including = set()
    for group, hunk in hunks:
        added = [line for line in read_hunk(hunk).added.read() if line]
        if added and all(language.list_imports(line) for line in added):
            including.add(group)
    for definer in including:
        for user in {group for group, _ in hunks} - including:
            yield Use("added", user, definer)


def _list_local_uses(hunks: Sequence[tuple[int, Hunk]], language: Language, side: Side, other: Side) -> Iterator[Use]:
    declared: dict[str, tuple[int, Hunk]] = {}
    for group, hunk in hunks:
        lines = read_hunk(hunk).side(side)
        new = lines.spoken - read_hunk(hunk).side(other).spoken
        own = _find_declared(lines, language.declarations)
        for name in (new - own) & declared.keys():
            definer, place = declared[name]
            # In code, and not behind an object.
            use = re.compile(rf"(?<![\w.@>]){re.escape(name)}\b")
            used = [line for line in lines.having({name}) if use.search(line)]
            is_code = any(not language.is_comment(line.encode()) for line in used)
            # It can be in the function that `place` is in or begins.
            is_begun = any(line.startswith(hunk.context) for line in place.removed if hunk.context)
            is_near = abs(hunk.new_start - place.new_start) <= _REACH
            if definer != group and is_code and is_near and (is_begun or place.context == hunk.context):
                yield Use(side, group, definer)
        own |= _find_declared(lines, [_ASSIGNMENT] if language.assigns else [])
        declared.update(dict.fromkeys(own & new, (group, hunk)))


def _find_declared(lines: Lines, patterns: Sequence[re.Pattern[str]]) -> set[str]:
    names: set[str] = set()
    for line in lines.read():
        for pattern in patterns:
            declared = pattern.match(line)
            if declared:
                names.update(find_names(declared[1]))
    return names
