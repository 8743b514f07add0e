"""Facts of a change: what happened to each of its files, what it is about, and the names on each of its sides."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from smartcommit.change import filetypes
from smartcommit.change.bumps import Bump, find_bumps
from smartcommit.change.filetypes import changed_lines, classify_diff, classify_file, is_expected_output, is_word_list
from smartcommit.change.languages import Language, find_language
from smartcommit.change.symbols import SymbolChanges, find_symbol_changes
from smartcommit.change.text import HUNKS_COMPARED, LINES_COMPARED, read_hunk, read_lines
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Number of files whose lines are read; of the others only names, kinds and natures count.
_FILES_READ = 300
_VERSIONED = {
    filetypes.MANIFEST, filetypes.LOCK, filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.SOURCE,
}  # fmt: skip
# Natures that say nothing about the purpose if anything else changed too.
_COSMETIC = filetypes.FORMATTING | {"comments", "mode"}
# Kinds of files that are made from others.
DERIVED = {filetypes.LOCK, filetypes.GENERATED, filetypes.ASSET}
# What begins the tests in a module of source.
_TESTS_OF_MODULE = compile_on_use(r"\s*(?:pub(?:\([\w ]+\))? )?mod tests?\b")
# How many lines comments have for each other line, if a change is about them as well.
_LINES_OF_COMMENTS = 3
# How many lines tests, or new documents, have for each line that follows from them.
_LINES_OF_TESTS = 8
# Maximum lines of what only lists a new test: more are a change of their own, which the tests are for.
_LINES_OF_LISTING = 2
# How many lines configuration and the like have for each line of source, if a change is about them.
_LINES_OF_REST = 2
_TRANSLATED = 3  # files of one text at least, to be known as translated
# Maximum files whose names on one side are collected: of more, a sentence gives the number and no names.
_FILES_NAMED = 60


class FileFacts(Record):
    """A changed file. `versions` are those that changed in it, and `bumped` says that nothing else did."""

    diff: FileDiff
    kind: str
    nature: str
    symbols: SymbolChanges = SymbolChanges()
    versions: Sequence[Bump] = ()
    bumped: bool = False

    # There is one object of each file, which is looked for among hundreds.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def path(self) -> bytes:
        return self.diff.change.path

    @property
    def status(self) -> str:
        return self.diff.change.status

    @property
    def language(self) -> Language:
        return find_language(self.path)

    @property
    def lines_added(self) -> int:
        """Lines added, as counted by git or else as far as they were read."""
        return self.diff.change.added or sum(len(hunk.added) for hunk in self.diff.hunks)

    @property
    def lines_removed(self) -> int:
        """Lines removed, as counted by git or else as far as they were read."""
        return self.diff.change.deleted or sum(len(hunk.removed) for hunk in self.diff.hunks)


class ChangeFacts:
    """The facts of a change, with its files in git's order."""

    def __init__(self, diffs: Sequence[FileDiff]) -> None:
        self.files: list[FileFacts] = []
        for index, diff in enumerate(diffs):
            kind = classify_file(diff.change.path, chain(*changed_lines(diff)))
            if kind == filetypes.SOURCE and diff.hunks and all(is_in_tests(hunk) for hunk in diff.hunks):
                kind = filetypes.TESTS
            facts = FileFacts(diff, kind, classify_diff(diff))
            self.files.append(facts)
            if index >= _FILES_READ or not diff.hunks:
                continue
            if kind != filetypes.LOCK and not is_expected_output(facts.path):
                facts.symbols = find_symbol_changes(diff)
            if kind in _VERSIONED:
                facts.versions, facts.bumped = find_bumps(diff, is_source=kind == filetypes.SOURCE)

    @property
    def paths(self) -> list[bytes]:
        return list_paths(self.files)

    @cached_property
    def core(self) -> list[FileFacts]:
        """The files that the change is about.

        Usually these are the source, else anything but tests and derived files, else the tests. They are all files if
        every one was renamed, and of a change of submodules these.
        """
        if self.only_submodules:
            return [file for file in self.files if file.nature == "submodule"]
        if {file.status for file in self.files} == {"R"}:
            return self.files
        relevant = [file for file in self.files if file.nature not in _COSMETIC]
        commented = [file for file in self.files if file.nature == "comments"]
        # What is corrected in the comments of source, and in tests as well, is about the source.
        least = 1 if find_kinds(relevant) == {filetypes.TESTS} else _LINES_OF_COMMENTS
        if relevant and _count_lines(commented) > least * _count_lines(relevant):
            relevant = [file for file in self.files if file in relevant or file in commented]
        # Texts in many languages follow from what shows them, and lists of words from what has them.
        told = [file for file in relevant if file not in self.translations and not is_word_list(file.path)]
        if not find_kinds(told).isdisjoint((filetypes.SOURCE, filetypes.CONFIGURATION)):
            relevant = told
        source = [file for file in relevant if file.kind == filetypes.SOURCE]
        tests = [file for file in relevant if file.kind == filetypes.TESTS]
        others = [file for file in relevant if file.kind not in {*DERIVED, filetypes.SOURCE, filetypes.TESTS}]
        beside = _count_lines(others)
        if 0 < beside <= _LINES_OF_LISTING and _count_lines(tests) >= _LINES_OF_TESTS * beside:
            # What lists a new test, or what tests need, is not what the change is about.
            others = []
        pages = [file for file in others if file.kind == filetypes.DOCUMENTATION and file.nature == "added"]
        rest = [file for file in others if file.kind != filetypes.DOCUMENTATION]
        rest = [file for file in rest if not filetypes.is_changelog_fragment(file.path)]
        if pages and _count_lines(pages) >= _LINES_OF_TESTS * _count_lines(source):
            # Lines that refer to a new page are not what the change is about.
            source = []
        elif source and _count_lines(rest) >= _LINES_OF_REST * _count_lines(source):
            source, others = [], rest
        return source or others or tests or relevant or self.files

    @cached_property
    def translations(self) -> list[FileFacts]:
        """The files that have the same texts in several languages, as their folders or names say."""
        found: dict[bytes, list[FileFacts]] = {}
        languages: dict[bytes, set[bytes]] = {}
        for file in self.files:
            place, language = filetypes.find_translated(file.path)
            if place:
                found.setdefault(place, []).append(file)
                languages.setdefault(place, set()).add(language)
        # Rules such as `no-if.md` and `no-or.md` are in one language.
        told = [place for place in found if len(found[place]) >= _TRANSLATED and len(languages[place]) > 1]
        return list(chain(*[found[place] for place in told]))

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(find_kinds(self.files))

    @cached_property
    def only_submodules(self) -> bool:
        return {file.nature for file in self.files if file.path != b".gitmodules"} == {"submodule"}

    @cached_property
    def upkeep(self) -> bool:
        """Whether only required or locked versions changed, and not those that CI alone has."""
        is_routine = all(file.bumped or file.kind == filetypes.LOCK for file in self.files)
        return bool(self.files) and is_routine and not all(is_of_ci(file) for file in self.files)

    def of_kind(self, *wanted: str) -> list[FileFacts]:
        return [file for file in self.files if file.kind in wanted]


def _count_lines(files: Iterable[FileFacts]) -> int:
    return sum(file.lines_added + file.lines_removed for file in files)


def is_of_ci(file: FileFacts) -> bool:
    """Whether a file of CI changed without its actions: a version there is no dependency of the project."""
    return file.kind == filetypes.CI and not any("uses:" in line for line in read_lines(file.diff.hunks, "added"))


def begins_tests(line: str) -> bool:
    """Whether the tests in a module of source begin on a line."""
    return "mod test" in line and _TESTS_OF_MODULE.match(line) is not None


def is_in_tests(hunk: Hunk) -> bool:
    return begins_tests(read_hunk(hunk).context)


def find_kinds(files: Iterable[FileFacts]) -> set[str]:
    return {file.kind for file in files}


def find_natures(files: Iterable[FileFacts]) -> set[str]:
    return {file.nature for file in files}


def list_paths(files: Iterable[FileFacts]) -> list[bytes]:
    return [file.path for file in files]


def list_hunks(files: Iterable[FileFacts]) -> list[Hunk]:
    hunks: list[Hunk] = []
    for file in files:
        hunks += file.diff.hunks
    return hunks


class SideNames:
    """The names on one side: in its lines, of its symbols, and of files that exist on this side only.

    They are read when they are first needed. Of a very large change, only the first files and lines are read.
    """

    def __init__(self, files: Sequence[FileFacts], side: Side) -> None:
        self._files = files[:_FILES_NAMED]
        self._side = side

    def have(self, name: str) -> bool:
        return name in self._names

    @cached_property
    def _names(self) -> set[str]:
        names: set[str] = set()
        for file in self._files:
            names.update([symbol.name for symbol in getattr(file.symbols, self._side)])
            change = file.diff.change
            path = change.old_path if self._side == "removed" else None
            if change.status in {"added": "AR", "removed": "D"}[self._side]:
                path = change.path
            if path is not None:
                names.add(posixpath.basename(path).decode("utf-8", "replace").split(".")[0])
            for hunk in file.diff.hunks[:HUNKS_COMPARED]:
                names.update(read_hunk(hunk).side(self._side).names(LINES_COMPARED))
        return names
