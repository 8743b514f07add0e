"""Statements, which are possible summaries, and the view of a change from which they are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType

from smartcommit.change import filetypes
from smartcommit.change.edits import Edit
from smartcommit.change.facts import DERIVED, ChangeFacts, FileFacts, begins_tests, find_kinds, is_in_tests, list_hunks
from smartcommit.change.filetypes import is_expected_output
from smartcommit.change.reading import list_edits
from smartcommit.change.symbols import Symbol, keeps_body
from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINES_COMPARED,
    LINES_READ,
    SIDES,
    count_indent,
    find_names,
    is_import,
    read_hunk,
    read_lines,
    says_nothing,
    split_identifier,
    squeeze,
)
from smartcommit.change.tokens import find_prose
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Files that statements are made from. Of a larger change, they cannot say much anyway.
FILES_EXAMINED = 60
# After so many edits, or changed lines, no further file is read: an edit that is repeated has been seen by then.
_EDITS_EXAMINED = 400
_LINES_EXAMINED = 2000
# Letters of a name that other names have in them because of it.
_PART_LETTERS = 5

# How annotations and attributes begin, which stand above what they are about.
_ANNOTATIONS = ("@", "#[")
# Kinds of symbols that may only be there for the code that uses them.
_KINDS_OF_HELPERS = {"function", "method", "constant", "macro"}
# Kinds of symbols that are known by more than their names.
_UNNAMED = {"key", "section", "test"}
# The types of changes that bring nothing new and mend nothing.
UPKEEP = ("refactor", "chore", "style", "docs", "test", "ci", "build", "deps")


class Kind(Record):
    """A kind of statements. `prior` is the share of them that were kept, among those that explain all changed lines.

    A reader kept a summary if they would have committed it as it is, or edited a word or two. `is_whole` says that
    they are about the whole change, however many files it has, and `is_title` that they quote tests. `types` are the
    classes of types of which a change with such a summary has one, such as "ci" for a new workflow. `source` says where
    the author said it, as in "the branch", and is empty if the change shows it; `is_sentence` that it was a sentence,
    which says why rather than what. `is_new` says that they are the likelier, the likelier the change is a feature.
    """

    prior: float
    source: str = ""
    is_sentence: bool = False
    is_whole: bool = False
    is_title: bool = False
    is_new: bool = False
    types: Sequence[str] = ()


class Statement(Record):
    """A possible summary, which says only what the changed lines or files show.

    `texts` has the best form first; shorter ones follow. `share` is the share of the changed lines that it explains,
    from 0 to 1.
    """

    texts: Sequence[str]
    kind: Kind
    share: float

    @property
    def text(self) -> str:
        return self.texts[0]


# Where the author says something of a change before it is committed: the setting that switches that off, and how a
# draft names it. What is more likely about this very change comes first.
ORIGINS = {
    "wip-commits": "the amended commit",
    "agent-prompts": "what the agent was asked",
    "plan-tasks": "the plan",
    "branch-names": "the branch",
}


class Purpose(Record):
    """What is known of why a change is made: the name of its branch, and whether that has commits already.

    `author` has the words and the initials of who makes it, in lower case, which may stand in front of that name.
    `said` has what else the author said, by its origin in ORIGINS, each in one line. `is_partial` says that other
    commits have the rest of it, and `elsewhere` has the names that these define.
    """

    branch: str = ""
    is_continued: bool = False
    said: Mapping[str, str] = MappingProxyType({})
    author: Collection[str] = ()
    is_partial: bool = False
    elsewhere: Set[str] = frozenset()


class ChangeView:
    """A change with what several kinds of statements need, computed once.

    Statements are about the files that the change is about, or about those in `part`. `submodules` holds, by path, the
    subjects of the commits that an updated submodule has gained, the newest first.
    """

    def __init__(
        self,
        change: ChangeFacts,
        *,
        part: Sequence[FileFacts] | None = None,
        submodules: Mapping[bytes, Sequence[str]] | None = None,
        purpose: Purpose | None = None,
    ) -> None:
        self.change = change
        self.purpose = purpose or Purpose()
        self.is_part = part is not None
        self.files = part or change.files
        self.about = part or change.core
        self.core = self.about[:FILES_EXAMINED]
        self.submodules = submodules or {}

    @cached_property
    def lines(self) -> int:
        """Number of changed lines in `core` that statements have to explain, at least 1."""
        return count_lines(self.core)

    @cached_property
    def told(self) -> Sequence[tuple[FileFacts, list[Hunk]]]:
        """The hunks of each file in `core`, without the tests in a module of source unless these are all."""
        return list(zip(self.core, list_told(self.core), strict=True))

    @cached_property
    def edits(self) -> Sequence[tuple[FileFacts, Edit]]:
        found: list[tuple[FileFacts, Edit]] = []
        lines = 0
        for file, hunks in self.told:
            # What programs write follows from what else changed.
            if file.nature not in ("modified", "comments") or file.kind in DERIVED or is_expected_output(file.path):
                continue
            if lines > _LINES_EXAMINED or len(found) > _EDITS_EXAMINED:
                break
            lines += file.lines_added + file.lines_removed
            for edit in list_edits(FileDiff(file.diff.change, hunks)):
                found.append((file, edit))
        return found

    @cached_property
    def is_in_one_place(self) -> bool:
        """Whether all edits are in one definition, or in one section of a document."""
        if find_kinds(self.core) == {filetypes.DOCUMENTATION}:
            sections = {edit.holder for _, edit in self.edits if edit.holder}
            return len(self.core) == 1 and len(sections) <= 1
        places = {(file.path, edit.place) for file, edit in self.edits}
        return len(places) == 1 and all(place for _, place in places)

    @cached_property
    def added(self) -> Sequence[str]:
        return read_lines(list_hunks(self.change.files[:FILES_EXAMINED]), "added")

    @cached_property
    def removed(self) -> Sequence[str]:
        return read_lines(list_hunks(self.change.files[:FILES_EXAMINED]), "removed")

    @cached_property
    def share_of_core(self) -> float:
        """The share of the files that statements are about in the changed lines, as `weigh_beside` counts them."""
        if self.is_part:
            return 1.0
        return self.lines / (self.lines + weigh_beside(self.change, self.about))

    @cached_property
    def new_names(self) -> Mapping[Side, Set[str]]:
        """The names that only the lines of one side have."""
        names: dict[Side, set[str]] = {"added": set(), "removed": set()}
        for side, found in names.items():
            for file in self.change.files[:FILES_EXAMINED]:
                for hunk in file.diff.hunks[:HUNKS_COMPARED]:
                    found.update(read_hunk(hunk).side(side).names(LINES_COMPARED))
        return {"added": names["added"] - names["removed"], "removed": names["removed"] - names["added"]}

    @cached_property
    def kept_names(self) -> Set[str]:
        """The names that the changed files still have, as far as their hunks show."""
        kept = set(find_names("\n".join(self.added)))
        for hunk in list_hunks(self.change.files[:FILES_EXAMINED]):
            around = b"\n".join((*hunk.before, *hunk.after)).decode("utf-8", "replace")
            kept.update(find_names(around))
        return kept

    @cached_property
    def helpers(self) -> Set[str]:
        """The names of new functions and constants that other changed code uses, which says what they are for."""
        defined: dict[str, set[str]] = {}
        constants: set[str] = set()
        for file in self.core:
            for symbol in file.symbols.added:
                # Any name of one word, such as `list`, may be another one's as well, unless it has capitals.
                is_told = len(split_identifier(symbol.name)) > 1 or (symbol.name.isupper() and len(symbol.name) > 3)
                if symbol.kind in _KINDS_OF_HELPERS and is_told:
                    defined.setdefault(symbol.name, set()).add(symbol.line.strip())
                    if symbol.kind == "constant":
                        constants.add(symbol.name)
        used: set[tuple[str, str]] = set()
        definitions: Counter[str] = Counter()
        for file, hunks in self.told if defined else ():
            for hunk in hunks[:HUNKS_COMPARED]:
                user = ""
                for line in read_telling(file, hunk, "added", LINES_COMPARED):
                    names = defined.keys() & set(find_names(line))
                    begun = file.language.read_symbol(line) if "(" in line else None
                    user = begun[0] if begun else user
                    definitions[user] += begun is not None
                    for name in names - {user} if begun else names:
                        if line not in defined[name] and (name in constants or f"{name}(" in line):
                            used.add((name, user))
        # Definitions of one name, with other parameters each, use each other.
        return {name for name, user in used if name != user or definitions[name] == 1}

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """The definitions that came in place of others, by the names of these.

        They have nearly the same body, and share half of their words, or what used the one uses the other.
        """
        uses = {(edit.gone, edit.come) for _, edit in self.edits}
        found: dict[str, str] = {}
        defined: Counter[str] = Counter()
        for file in self.change.files:
            defined.update([symbol.name for symbol in file.symbols.added])
        for file in self.core:
            removed = set(file.symbols.removed)
            places: dict[tuple[int, str], list[Symbol]] = {}
            for symbol in (*file.symbols.removed, *file.symbols.added):
                places.setdefault((symbol.hunk, symbol.kind), []).append(symbol)
            for (_, kind), (before, *others) in places.items():
                if kind in _UNNAMED or len(others) != 1 or defined[others[0].name] != 1:
                    continue
                after = others[0]
                words = set(split_identifier(before.name)), set(split_identifier(after.name))
                is_alike = 2 * len(words[0] & words[1]) >= max(map(len, words))
                is_renamed = is_alike or (before.name, after.name) in uses
                if is_renamed and before in removed and keeps_body(file.diff.hunks, before, after):
                    found[before.name] = after.name
        return found

    def count_about(self, names: Collection[str], side: Side) -> int:
        """Return how many lines of one side mention one of `names`, also as a part of another name, or are below one.

        Those below it are indented more. What is annotated goes with its annotations.
        """
        return self._lines_of[side].count(names)

    @cached_property
    def _lines_of(self) -> Mapping[Side, _TellingLines]:
        return {"added": _TellingLines(self.told, "added"), "removed": _TellingLines(self.told, "removed")}

    def share(self, lines: float) -> float:
        """Return which share of the changed lines a number of `lines` is, at most 1."""
        return min(1.0, lines / self.lines)


class _TellingLines:
    """The lines of one side that tell something, with the words of their names.

    Many statements ask which lines a name is in, so each line is read once.
    """

    def __init__(self, told: Iterable[tuple[FileFacts, Sequence[Hunk]]], side: Side) -> None:
        # The indentation of each line, and the line; hunks are separated by one that nothing belongs to.
        self._lines: list[tuple[int, str]] = [(-1, "")]
        # The numbers of the lines that have each word in a name, and of those that have several in one.
        self._places: dict[str, set[int]] = {}
        self._found: dict[Sequence[str], list[int]] = {}
        for file, hunks in told:
            for hunk in hunks[:HUNKS_COMPARED]:
                prose, raw = find_prose(hunk, file.language, side), getattr(hunk, side)
                for number, line in enumerate(read_hunk(hunk).side(side).read(LINES_COMPARED)):
                    if not (prose[number] or says_nothing(line) or is_import(line)):
                        self._add(count_indent(raw[number]), line)
                self._lines.append((-1, ""))

    def _add(self, indent: int, line: str) -> None:
        if not line.startswith(_ANNOTATIONS):
            for name in find_names(line):
                for word in split_identifier(name):
                    self._places.setdefault(word, set()).add(len(self._lines))
        self._lines.append((indent, line))

    def count(self, names: Collection[str]) -> int:
        found: set[int] = set()
        for part in {split_identifier(name) for name in names}:
            found.update(self._find(part))
        count = end = 0
        for number in sorted(found):
            if number < end:
                continue  # it is below one that is counted
            above, end = number, number + 1
            while self._lines[above - 1][1].startswith(_ANNOTATIONS):
                above -= 1
            while self._is_below(number, end):
                end += 1
            count += end - above
        return count

    def _find(self, part: Sequence[str]) -> list[int]:
        if part not in self._found:
            places = [self._places.get(word, set()) for word in part]
            numbers = []
            for number in set.intersection(*places) if places else ():
                if any(_mentions_part(name, part) for name in find_names(self._lines[number][1])):
                    numbers.append(number)
            self._found[part] = numbers
        return self._found[part]

    def _is_below(self, number: int, below: int) -> bool:
        (indent, _), (other, line) = self._lines[number], self._lines[below]
        return other > indent or (other == indent and line[:1] in (")", "]", "}"))


def _mentions_part(name: str, part: Sequence[str]) -> bool:
    """Whether `name` has the words of `part` in it; a short word has to be all of it."""
    words = split_identifier(name)
    size = len(part) if len("".join(part)) >= _PART_LETTERS else len(words)
    return any(words[start : start + size] == part for start in range(len(words) - size + 1))


def is_overload(file: FileFacts, line: str, side: Side = "added") -> bool:
    """Whether a definition of one side stands in other lines as well, with other parameters than that of `line`."""
    head = line.strip().partition("(")[0].encode()
    kept = vars(file)  # each definition of a file asks
    if side not in kept:
        own: set[bytes] = set()
        others: set[bytes] = set()
        for hunk in file.diff.hunks:
            own.update(getattr(hunk, side))
            others.update(hunk.before, hunk.after)
            if side == "added":
                others.update(hunk.removed)
        kept[side] = {other.strip().partition(b"(")[0] for other in others - own if b"(" in other}
    return b" " in head and head in kept[side]


def weigh_beside(change: ChangeFacts, files: Sequence[FileFacts]) -> float:
    """Return how many lines of other files than `files` have to be explained.

    Documents, translations, what is derived and the entry of a submodule usually follow, and so do tests of source;
    other tests follow in part.
    """
    beside = 0.0
    are_source = filetypes.SOURCE in find_kinds(files)
    for file in change.files[:FILES_EXAMINED]:
        follows = file.kind in (*DERIVED, filetypes.DOCUMENTATION) or file.path == b".gitmodules"
        follows = follows or file in change.translations
        if file in files or follows or file.nature in filetypes.FORMATTING:
            continue
        if file.kind != filetypes.TESTS:
            beside += count_lines([file])
        elif not are_source:
            beside += count_lines([file]) / 2
    return beside


def list_told(files: Sequence[FileFacts]) -> list[list[Hunk]]:
    """Return the hunks of each file without the tests in a module of source, unless these are all."""
    told: list[list[Hunk]] = []
    for file in files:
        hunks: list[Hunk] = []
        for hunk in file.diff.hunks:
            starts = [number for number, line in enumerate(read_hunk(hunk).added.read()) if begins_tests(line)]
            if file.kind != filetypes.TESTS and is_in_tests(hunk):
                continue
            added = hunk.added[: starts[0]] if starts else hunk.added
            while starts and added and (not added[-1].strip() or added[-1].startswith(b"#[")):
                added.pop()
            if not starts:
                hunks.append(hunk)
            elif hunk.removed or added:
                part = hunk.select(range(len(hunk.removed)), range(len(added)))
                part.before = hunk.before
                hunks.append(part)
        told.append(hunks)
    return told if any(told) else [file.diff.hunks for file in files]


def count_lines(files: Sequence[FileFacts]) -> int:
    """Return the number of changed lines that statements have to explain, at least 1.

    An edited line counts once. Comments, imports, tests among source, and what moved in its hunk or has other blanks
    count only if nothing else changed. After LINES_READ lines, the rest is counted without being read.
    """
    telling = shown = lines = 0
    for file, hunks in zip(files, list_told(files), strict=True):
        for hunk in hunks:
            lines += len(hunk.removed) + len(hunk.added)
            if lines > LINES_READ:
                longer = max(len(hunk.removed), len(hunk.added))
                telling, shown = telling + longer, shown + longer
                continue
            reading, of_hunk, of_hunk_shown = read_hunk(hunk), 0, 0
            kept = {squeeze(line) for line in reading.removed.read()} & {squeeze(line) for line in reading.added.read()}
            for side in SIDES:
                told = [line for line in read_telling(file, hunk, side) if squeeze(line) not in kept]
                of_hunk = max(of_hunk, len(told))
                of_hunk_shown = max(of_hunk_shown, sum(not says_nothing(line) for line in reading.side(side).read()))
            telling, shown = telling + of_hunk, shown + of_hunk_shown
    return telling or shown or 1


def read_telling(file: FileFacts, hunk: Hunk, side: Side, limit: int = LINES_READ) -> list[str]:
    """Return the lines of one side of a hunk that say something and are no comments or imports."""
    pairs = zip(read_hunk(hunk).side(side).read(limit), find_prose(hunk, file.language, side), strict=False)
    return [line for line, is_prose in pairs if not (is_prose or says_nothing(line) or is_import(line))]
