"""Facts of a change: what happened to each file, and version bumps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from smartcommit.change import filetypes
from smartcommit.change.filetypes import kind_of, nature_of
from smartcommit.change.symbols import LINE_LIMIT, SymbolChanges, symbol_changes
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.message.checks import is_one_edit_away

# Files whose lines are looked into; of the others names, kinds and natures count.
FILES_READ = 300
_VERSIONED = {filetypes.MANIFEST, filetypes.LOCK, filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION}
# What says nothing about the purpose where anything else changed too.
_FOLLOWERS = {filetypes.LOCK, filetypes.GENERATED, filetypes.ASSET}
_WORD = re.compile(r"[^\W\d_]{3,}")
LINES_LIMIT = 400

_VERSION = re.compile(
    r"(?<![\w.])(?:[0-9a-f]{40}|v?\d{1,5}(?:\.(?:\d{1,6}|x|\*)){1,3}(?:[-.+]?(?:rc|alpha|beta|a|b|dev|post|pre|final)[\w.]{0,20})?"
    r"|(?<=@)v\d{1,5}|(?<=[\"'^~>= :])v?\d{1,5}(?=[\"'\s]|\Z))(?![\w])"
)
_NAME = re.compile(r"[A-Za-z@_][\w@/.-]*")
# Words that stand before a version without being the name of what has it.
_NOISE = {
    "version", "rev", "tag", "uses", "from", "image", "gem", "require", "implementation", "api", "testimplementation",
    "classpath", "id", "ref", "const", "let", "var", "key", "value", "git", "branch", "string", "install", "run", "npm",
    "pip", "apt-get", "with", "min", "minimum", "default", "compileonly", "runtimeonly", "x", "v", "arg", "env",
    "export",
}  # fmt: skip
_OWN_NAMES = {"version", "__version__", "appversion", "project-version"}
_OWN_FILES = re.compile(
    r"(?:^|/)(?:package\.json|cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|composer\.json|pubspec\.yaml|chart\.yaml|version"
    r"|version\.\w+|__init__\.py|__version__\.py|__about__\.py|mix\.exs|gradle\.properties|galaxy\.ya?ml)$"
)


@dataclass(slots=True)
class FileFacts:
    """One file of a change. `bumped` says that version numbers are all that changed in it."""

    diff: FileDiff
    kind: str
    nature: str
    symbols: SymbolChanges = field(default_factory=SymbolChanges)
    bumps: list[Bump] = field(default_factory=list)
    bumped: bool = False

    @property
    def path(self) -> bytes:
        return self.diff.change.path

    @property
    def lines_added(self) -> int:
        """Lines added, as far as they were counted or read."""
        counted = self.diff.change.added
        return counted if counted is not None else sum(len(hunk.added) for hunk in self.diff.hunks)

    @property
    def lines_removed(self) -> int:
        """Lines removed, as far as they were counted or read."""
        counted = self.diff.change.deleted
        return counted if counted is not None else sum(len(hunk.removed) for hunk in self.diff.hunks)


class ChangeFacts:
    """A change and its facts; the order of the files is git's."""

    def __init__(self, diffs: Sequence[FileDiff]) -> None:
        self.files = [_facts(diff, read=index < FILES_READ) for index, diff in enumerate(diffs)]

    @property
    def paths(self) -> list[bytes]:
        return [file.path for file in self.files]

    @cached_property
    def core(self) -> list[FileFacts]:
        """What the change is about: source, else what is no lock, test or generated file, else what there is."""
        if self.only_submodules:
            return [file for file in self.files if file.nature == "submodule"]
        real = [file for file in self.files if file.nature not in filetypes.FORMATTING | {"comments", "mode"}]
        for chosen in (
            [file for file in real if file.kind == filetypes.SOURCE],
            [file for file in real if file.kind not in (_FOLLOWERS | {filetypes.TESTS})],
            [file for file in real if file.kind not in _FOLLOWERS],
        ):
            if chosen:
                return chosen
        return real or self.files

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(file.kind for file in self.files)

    @cached_property
    def only_submodules(self) -> bool:
        """Whether submodules, and the file that lists them, are all that changed."""
        return {file.nature for file in self.files if file.path != b".gitmodules"} == {"submodule"}

    @cached_property
    def upkeep(self) -> bool:
        """Whether versions, locked or required, are all that changed."""
        return any(file.bumps or file.kind == filetypes.LOCK for file in self.files) and all(
            file.bumped or file.kind == filetypes.LOCK for file in self.files
        )

    def of_kind(self, *wanted: str) -> list[FileFacts]:
        return [file for file in self.files if file.kind in wanted]

    def hunks(self, *wanted: str) -> Iterator[Hunk]:
        """The hunks of all files of these kinds."""
        for file in self.of_kind(*wanted)[:FILES_READ]:
            yield from file.diff.hunks


def _facts(diff: FileDiff, *, read: bool) -> FileFacts:
    facts = FileFacts(diff, kind_of(diff.change.path), nature_of(diff))
    if read and diff.hunks:
        if facts.kind != filetypes.LOCK:
            facts.symbols = symbol_changes(diff)
        if facts.kind in _VERSIONED or facts.kind == filetypes.SOURCE:
            facts.bumps, facts.bumped = bumps(diff)
    return facts


def text_of(lines: Sequence[bytes], limit: int = 2000) -> Iterator[str]:
    """The first lines as text, each cut to what a pattern may be tried on."""
    for line in lines[:limit]:
        yield line[:LINE_LIMIT].decode("utf-8", "replace").strip()


def is_typo(hunk: Hunk) -> bool:
    """Whether a hunk does nothing but mend the spelling of a few words of prose."""
    if len(hunk.removed) != len(hunk.added) or len(hunk.removed) > 20:
        return False
    return all(
        _respelled(before, after) for before, after in zip(text_of(hunk.removed), text_of(hunk.added), strict=True)
    )


def _respelled(before: str, after: str) -> bool:
    old, new = _WORD.findall(before), _WORD.findall(after)
    if _WORD.sub("\0", before) != _WORD.sub("\0", after) or len(old) != len(new):
        return False
    pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return 0 < len(pairs) <= 3 and all(min(len(a), len(b)) > 3 and is_one_edit_away(a, b) for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Bump:
    """A version that moved; `name` is None where the lines do not tell whose it is, `own` marks the project itself."""

    name: str | None
    old: str
    new: str
    own: bool = False


def bumps(diff: FileDiff) -> tuple[list[Bump], bool]:
    """The versions that `diff` moves, and whether it does nothing else."""
    found: list[Bump] = []
    only = bool(diff.hunks) and diff.complete
    path = diff.change.path.decode("utf-8", "replace").lower()
    for hunk in diff.hunks:
        pairs = _pairs(hunk)
        only = only and pairs is not None
        for before, after in pairs or ():
            bump = _bump(before, after, own_file=_OWN_FILES.search(path) is not None)
            if bump is None:
                only = only and before == after
            elif bump not in found:
                found.append(bump)
    return found, only and bool(found)


def _pairs(hunk: Hunk) -> list[tuple[str, str]] | None:
    """The lines of a hunk that only replaces lines, side by side; None for every other hunk."""
    if len(hunk.removed) != len(hunk.added) or len(hunk.removed) > LINES_LIMIT:
        return None
    return [(_text(before), _text(after)) for before, after in zip(hunk.removed, hunk.added, strict=True)]


def _text(line: bytes) -> str:
    return line[:LINE_LIMIT].decode("utf-8", "replace").strip()


def _bump(before: str, after: str, *, own_file: bool) -> Bump | None:
    old, new = list(_VERSION.finditer(before)), list(_VERSION.finditer(after))
    if not old or len(old) != len(new) or _VERSION.sub("\0", before) != _VERSION.sub("\0", after):
        return None
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a[0] != b[0]]
    if not moved:
        return None
    first, (was, now) = moved[0], moved[-1]
    words = [word.strip("@./-") for word in _NAME.findall(before[: first[0].start()])]
    names = [word for word in words if word and word.lower() not in _NOISE]
    if was[0].lstrip("v").isdigit() and not before[: was.start()].endswith("@"):
        # A number without a point is a version only where the line says so: `node-version: 20`.
        if not words or not words[-1].lower().endswith("version"):
            return None
        names = [words[-1][: -len("version")].rstrip("-_")]
    own = own_file and any(word.lower() in _OWN_NAMES for word in words) and not set(names) - {"__version__"}
    return Bump(None if own or not names else names[-1] or None, was[0].lstrip("v"), now[0].lstrip("v"), own)
