"""Facts of a change: what happened to each file, and version bumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, filterfalse
from operator import attrgetter

from smartcommit.change import filetypes
from smartcommit.change.filetypes import changed_lines, classify_diff, classify_path
from smartcommit.change.symbols import LINE_LIMIT, SymbolChanges, symbol_changes
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.message.header_proposals import is_one_edit_away
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Files whose lines are read; of the others only names, kinds and natures count.
FILES_READ = 300
_VERSIONED = {filetypes.MANIFEST, filetypes.LOCK, filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION}
# Natures and kinds that say nothing about the purpose if anything else changed too.
_COSMETIC = filetypes.FORMATTING | {"comments", "mode"}
# Files that follow from others.
DERIVED = {filetypes.LOCK, filetypes.GENERATED, filetypes.ASSET}
_WORD = compile_on_use(r"[^\W\d_]{3,}")
# Marks and spaces between letters, as in `auto-import` and `isn't`.
_MARK = compile_on_use(r"(?<=[A-Za-z])['’.,-]?(?: (?=[a-z])|(?=[\sA-Za-z]|\Z))")
# Words that differ in more than one letter must share more letters than this to be one word.
_LONG = 4
LINES_LIMIT = 400

_VERSION = compile_on_use(
    r"(?<![\w.])(?:[0-9a-f]{40}|v?\d{1,5}(?:\.(?:\d{1,6}|x|\*)){1,3}(?:[-.+]?(?:rc|alpha|beta|a|b|dev|post|pre|final)[\w.]{0,20}|-\d{1,14}(?:-[0-9a-f]{12})?)?"
    r"|(?<=@)v\d{1,5}|(?<=[\"'^~>= :])v?\d{1,5}(?=[\"'\s]|\Z))(?![\w])"
)
_NAME = compile_on_use(r"[A-Za-z@_][\w@/.-]*")
# Words that may precede a version without being the name of what has that version.
_NOISE = {
    "version", "rev", "tag", "uses", "from", "image", "gem", "require", "implementation", "api", "testimplementation",
    "classpath", "id", "ref", "const", "let", "var", "key", "value", "git", "branch", "string", "install", "run", "npm",
    "pip", "apt-get", "with", "min", "minimum", "default", "compileonly", "runtimeonly", "x", "v", "arg", "env",
    "export",
}  # fmt: skip
_OWN_NAMES = {"version", "__version__", "appversion", "project-version"}
_OWN_FILES = compile_on_use(
    r"(?:^|/)(?:package\.json|cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|composer\.json|pubspec\.yaml|chart\.yaml|version"
    r"|version\.\w+|__init__\.py|__version__\.py|__about__\.py|mix\.exs|gradle\.properties|galaxy\.ya?ml)$"
)


class FileFacts(Record):
    """A changed file. `bumped` if only version numbers changed in it."""

    __slots__ = ("bumped", "bumps", "diff", "kind", "nature", "symbols")

    def __init__(self, diff: FileDiff, kind: str, nature: str, bumped: bool = False) -> None:
        self.diff = diff
        self.kind = kind
        self.nature = nature
        self.symbols: SymbolChanges = SymbolChanges()
        self.bumps: list[Bump] = []
        self.bumped = bumped

    @property
    def path(self) -> bytes:
        return self.diff.change.path

    @property
    def lines_added(self) -> int:
        """Lines added, as counted by git or else as far as they were read."""
        return self.diff.change.added or len(changed_lines(self.diff)[1])

    @property
    def lines_removed(self) -> int:
        """Lines removed, as counted by git or else as far as they were read."""
        return self.diff.change.deleted or len(changed_lines(self.diff)[0])


class ChangeFacts:
    """The facts of a change, with its files in git's order."""

    def __init__(self, diffs: Sequence[FileDiff]) -> None:
        self.files = [_facts(diff, read=index < FILES_READ) for index, diff in enumerate(diffs)]

    @property
    def paths(self) -> list[bytes]:
        return [file.path for file in self.files]

    @cached_property
    def core(self) -> list[FileFacts]:
        """The files the change is about: source, else anything but tests, locks and the like, else tests, else all."""
        if self.only_submodules:
            return [file for file in self.files if file.nature == "submodule"]
        relevant: list[FileFacts] = []
        source: list[FileFacts] = []
        others: list[FileFacts] = []
        tests: list[FileFacts] = []
        for file in self.files:
            if file.nature in _COSMETIC:
                continue
            relevant.append(file)
            if file.kind == filetypes.SOURCE:
                source.append(file)
            elif file.kind == filetypes.TESTS:
                tests.append(file)
            elif file.kind not in DERIVED:
                others.append(file)
        return source or others or tests or relevant or self.files

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(file.kind for file in self.files)

    @cached_property
    def only_submodules(self) -> bool:
        """Whether nothing but submodules changed, and the file that lists them."""
        return {file.nature for file in self.files if file.path != b".gitmodules"} == {"submodule"}

    @cached_property
    def upkeep(self) -> bool:
        """Whether nothing but versions changed, required or locked ones."""
        return bool(self.files) and all(file.bumped or file.kind == filetypes.LOCK for file in self.files)

    def of_kind(self, *wanted: str) -> list[FileFacts]:
        """Return the files of these kinds."""
        return [file for file in self.files if file.kind in wanted]

    def hunks(self, *wanted: str) -> Iterator[Hunk]:
        """Yield the hunks of the files of these kinds, of the first FILES_READ."""
        for file in self.of_kind(*wanted)[:FILES_READ]:
            yield from file.diff.hunks


def _facts(diff: FileDiff, *, read: bool) -> FileFacts:
    facts = FileFacts(diff, classify_path(diff.change.path), classify_diff(diff))
    if read and diff.hunks:
        if facts.kind != filetypes.LOCK:
            facts.symbols = symbol_changes(diff)
        if facts.kind in _VERSIONED or facts.kind == filetypes.SOURCE:
            facts.bumps, facts.bumped = bumps(diff)
    return facts


def decode_lines(lines: Sequence[bytes], limit: int = 2000) -> Iterator[str]:
    """Yield the first `limit` lines as text, each cut after LINE_LIMIT bytes."""
    for line in lines[:limit]:
        yield line[:LINE_LIMIT].decode("utf-8", "replace").strip()


def is_typo(hunk: Hunk) -> bool:
    """Whether a hunk only corrects the spelling of a few words."""
    if len(hunk.removed) != len(hunk.added) or len(hunk.removed) > 20:
        return False
    for before, after in zip(decode_lines(hunk.removed), decode_lines(hunk.added), strict=True):
        if not _respelled(before, after):
            return False
    return True


def _respelled(before: str, after: str) -> bool:
    if before != after and _MARK.sub("", before) == _MARK.sub("", after):
        return True
    old, new = _WORD.findall(before), _WORD.findall(after)
    if _WORD.sub("\0", before) != _WORD.sub("\0", after) or len(old) != len(new):
        return False
    pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return 0 < len(pairs) <= 3 and all(min(len(a), len(b)) > 3 and _is_misspelling(a, b) for a, b in pairs)


def _is_misspelling(word: str, other: str) -> bool:
    """Whether the words are one edit apart or, if they are long, differ in two adjacent letters, or in one for two."""
    if is_one_edit_away(word, other):
        return True
    shortest = min(len(word), len(other))
    start = 0
    while start < shortest and word[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and word[-1 - end] == other[-1 - end]:
        end += 1
    parted = sorted((len(word) - start - end, len(other) - start - end))
    return min(start, end) > 0 and start + end > _LONG and parted in ([0, 2], [1, 2])


class Bump(Record):
    """A changed version. `name` is None if the lines do not name its package; `own` if it is the project itself."""

    __slots__ = ("name", "new", "old", "own")

    def __init__(self, name: str | None, old: str, new: str, own: bool = False) -> None:
        self.name = name
        self.old = old
        self.new = new
        self.own = own


def bumps(diff: FileDiff) -> tuple[list[Bump], bool]:
    """Return the version changes in `diff`, and whether it contains nothing else."""
    found: list[Bump] = []
    only = bool(diff.hunks) and diff.complete
    path = diff.change.path.decode("utf-8", "replace").lower()
    for hunk in _list_required(diff) or diff.hunks:
        pairs = _pairs(hunk)
        only = only and pairs is not None
        for before, after in pairs or ():
            bump = _bump(before, after, own_file=_OWN_FILES.search(path) is not None)
            if bump is None:
                only = only and before == after
            elif bump not in found:
                found.append(bump)
    return found, only and bool(found)


def _list_required(diff: FileDiff) -> list[Hunk]:
    """Return the hunks of a `go.mod` without what follows from them: the modules that others require."""
    required: list[Hunk] = []
    if not diff.change.path.endswith(b"go.mod"):
        return required
    for hunk in diff.hunks:
        removed = list(filterfalse(_is_indirect, hunk.removed))
        added = list(filterfalse(_is_indirect, hunk.added))
        if removed or added:
            counts = (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)
            required.append(Hunk(*counts, hunk.context, removed, added))
    return required


def _is_indirect(line: bytes) -> bool:
    return line.endswith(b"// indirect")


def _pairs(hunk: Hunk) -> list[tuple[str, str]] | None:
    """Return the lines of a hunk that replaces lines one by one, side by side; None for every other hunk."""
    if len(hunk.removed) != len(hunk.added) or len(hunk.removed) > LINES_LIMIT:
        return None
    return list(zip(decode_lines(hunk.removed), decode_lines(hunk.added), strict=True))


def _bump(before: str, after: str, *, own_file: bool) -> Bump | None:
    old, new = list(_VERSION.finditer(before)), list(_VERSION.finditer(after))
    if not old or len(old) != len(new) or _VERSION.sub("\0", before) != _VERSION.sub("\0", after):
        return None
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a[0] != b[0]]
    if not moved:
        return None
    first, (was, now) = moved[0][0], moved[-1]
    words = [word.strip("@./-") for word in _NAME.findall(before[: first.start()])]
    names = [word for word in words if word and word.lower() not in _NOISE]
    if was[0].lstrip("v").isdigit() and not before[: was.start()].endswith("@"):
        # A number without a point is a version only if the line says so: `node-version: 20`.
        if not words or not words[-1].lower().endswith("version"):
            return None
        names = [words[-1][: -len("version")].rstrip("-_")]
    own = own_file and not _OWN_NAMES.isdisjoint(map(str.lower, words)) and set(names) <= {"__version__"}
    name = None
    if names and not own:
        name = names[-1] or None
    return Bump(name, was[0].lstrip("v"), now[0].lstrip("v"), own)


def values_of(items: Iterable[object], attribute: str) -> set[Any]:
    """Return the different values that an attribute has among `items`, such as the kinds of files."""
    return set(map(attrgetter(attribute), items))


def list_paths(files: Iterable[FileFacts]) -> list[bytes]:
    return list(map(attrgetter("path"), files))


def list_hunks(files: Iterable[FileFacts]) -> list[Hunk]:
    return list(chain.from_iterable(map(attrgetter("diff.hunks"), files)))


def list_lines(hunks: Iterable[Hunk], side: str) -> list[bytes]:
    """Return the lines of all `hunks` on one side, `added` or `removed`."""
    return list(chain.from_iterable(map(attrgetter(side), hunks)))
