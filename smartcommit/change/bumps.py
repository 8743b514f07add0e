"""Versions that replace others, in lines that stay the same otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from smartcommit.change.languages import find_language
from smartcommit.change.text import has_digit, read_hunk
from smartcommit.change.tokens import find_prose
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Lines of a hunk in which versions are looked for: one that repeats further is the same.
_LINES_OF_VERSIONS = 400
# Characters of a commit's name, beside which a comment has the version.
HASH_LENGTH = 40
VERSION = compile_on_use(
    r"v?\d+(?:\.[\w*]+)+(?:[-+](?!(?:all|bin|src)\.)[\w.+-]+)?|\b[0-9a-f]{40}\b"
    r"|(?<=@)v\d+\b|(?<=[a-z]:)\d[\w.-]*|(?<=[\"'^~>= ])v?\d+(?=[\"'\s]|\Z)"
)
# A number that may be no version, with a unit, and an address of the Internet.
_NUMBER = compile_on_use(r"\d+(?:\.\d+)?(em|rem|px|pt|vh|vw|s|ms|fr|deg|f)?\Z")
_UNIT = compile_on_use(r" ?(?:[kKMG]i?[bB]|bytes|ms|%)(?!\w)")
_ADDRESS = compile_on_use(r"\d{1,3}(?:\.\d{1,3}){3}\Z")
# What says before a number that it is a version: words, or the form of a requirement.
_TELLS_VERSION = compile_on_use(
    r"(?i)version|\b(?:tag|rev|ref|release|sdk|go|toolchain|node|nodejs|python|ruby|rust|java|php)\b|\w-\Z|[@/^~v]\Z"
    r"|(?:[=<>~!]=|\w:|[\"'])\Z|\A\s*[\w.\[\]-]+\s*(?:[=<>~!]=|[<>])\s*\Z"
)
# Ends the line of a requirement of Go that another one has.
_INDIRECT = b"// indirect"
# What passes a number to a function as text, as in `Decimal("0.19")`.
_PASSES_TEXT = compile_on_use(r"\w\([\"']\Z")
# A hash with a comment that says which version it is, and the digest of an image that has a version.
_NAMED_HASH = compile_on_use(r"[0-9a-f]{40}([\"']?)\s+#\s*(?:tag[:=]\s*)?(v?\d[\w.-]*)\s*\Z")
_DIGEST = compile_on_use(r"@sha256:[0-9a-f]{64}")
# What has the project's own version in TOML.
_OWN_SECTIONS = (b"package]", b"project]", b"poetry]", b"commitizen]")
# What stands before the version of the project itself, and the files that may have it.
_OWN_NAME = compile_on_use(
    r"(?i)\W*(?:(?:const|let|var|static|export|final|string|val)\s+)*(?:app-?|project-)?_*version_*\W*\Z"
)
_OWN_FILES = {
    "package.json", "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "composer.json", "pubspec.yaml",
    "chart.yaml", "version", "__init__.py", "__version__.py", "__about__.py", "mix.exs", "gradle.properties",
    "galaxy.yml", "galaxy.yaml",
}  # fmt: skip
# Keys of versions and hashes: what is said of them is said as a bump.
_VERSIONED = {
    "revision", "rev", "version", "ref", "tag", "sha", "commit", "hash", "appversion", "sha256", "digest", "checksum",
    "integrity", "resolved", "uses",
}  # fmt: skip


# Numbers and words of a version, and the words for versions before a release by their order.
_PART = compile_on_use(r"\d+|[a-z]+")
_STAGES = {
    "dev": 0, "nightly": 0, "snapshot": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "canary": 3, "m": 3, "milestone": 3,
    "next": 3, "pre": 3, "preview": 3, "cr": 4, "rc": 4,
}  # fmt: skip
# A letter that counts patches, as in `1.0.2k`.
_LETTER = compile_on_use(r"(?<=\d)[a-z](?![a-z]|[.-]?\d)")


class Bump(Record):
    """A version that replaces another, without a leading `v`; `own` if it is that of the project itself."""

    old: str
    new: str
    own: bool = False

    @property
    def is_lower(self) -> bool:
        """Whether the new version is before the old one, by the first number or stage that differs."""
        if HASH_LENGTH in (len(self.old), len(self.new)):
            return False
        old, new = _list_parts(self.old), _list_parts(self.new)
        for was, now in zip_longest(old, new, fillvalue="0"):
            if was.isdigit() and now.isdigit():
                if int(was) != int(now):
                    return int(now) < int(was)
            elif was != now:
                return _rank_stage(now) < _rank_stage(was)
        return False


def _list_parts(version: str) -> list[str]:
    """Return the numbers and words that tell which of two versions is lower: what is behind `+` does not."""
    bare = version.lower().partition("+")[0]
    return _PART.findall(_LETTER.sub(lambda letter: f".{ord(letter[0])}", bare))


def _rank_stage(part: str) -> int:
    """Return which stage before a release a part of a version tells, or that it is one, or later."""
    if part == "post":
        return len(_STAGES) + 1
    return _STAGES.get(part, len(_STAGES))


def find_bumps(diff: FileDiff, *, is_source: bool = False) -> tuple[list[Bump], bool]:
    """Return the versions that changed in `diff`, and whether nothing else did; in source, texts have none."""
    bumps: list[Bump] = []
    only = bool(diff.hunks) and diff.complete
    name = diff.change.path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    has_own = name in _OWN_FILES or (name.startswith("version.") and name.count(".") == 1)
    for hunk in list_required(diff):
        pairs = read_hunk(hunk).pairs(_LINES_OF_VERSIONS)
        only = only and pairs is not None
        prose = find_prose(hunk, find_language(diff.change.path), "added")
        for raw, (before, after), is_prose in zip(hunk.removed, pairs or (), prose, strict=False):
            bump = read_bump(before, after) if before != after and not is_prose else None
            if bump is None or _may_be_none(bump, before, is_source=is_source):
                only = only and before == after
                continue
            # In a chart, the versions of dependencies are indented.
            may_be_own = has_own and not (name == "chart.yaml" and raw[:1].isspace())
            if name.endswith(".toml"):
                sections = [line.strip() for line in hunk.before if line.startswith(b"[")]
                may_be_own = may_be_own and (not sections or sections[-1].endswith(_OWN_SECTIONS))
            bump.own = may_be_own and _OWN_NAME.match(before.partition(bump.old)[0].removesuffix("v")) is not None
            if bump not in bumps:
                bumps.append(bump)
    return bumps, only and bool(bumps)


def _may_be_none(bump: Bump, line: str, *, is_source: bool) -> bool:
    """Whether it may be no version: a number without a point, as in `node: 20`, or in source a word of a text."""
    if bump.old.isdigit() and f"@{bump.old}" not in line and f"@v{bump.old}" not in line and "ersion" not in line:
        return True
    # `"tool 0.1 ready"`
    before = line.partition(bump.old)[0].removesuffix("v").rpartition(" ")[0]
    return is_source and any(before.count(mark) % 2 == 1 for mark in "\"'`")


def read_bump(before: str, after: str) -> Bump | None:
    """Return the old and the new version in a line, or None if anything else differs."""
    if not has_digit(before) or not has_digit(after):
        return None
    is_pinned = "#" in after and _NAMED_HASH.search(after) is not None and _NAMED_HASH.search(before) is None
    before, after = _drop_hashes(before), _drop_hashes(after)
    old, new = list(VERSION.finditer(before)), list(VERSION.finditer(after))
    if not old or len(old) != len(new) or VERSION.sub("\0", before) != VERSION.sub("\0", after):
        return None
    moved = []
    for was, now in zip(old, new, strict=True):
        if was[0] != now[0] and not is_number(now):
            moved.append((was[0].lstrip("v"), now[0].lstrip("v")))
    # Which of several versions is meant, as in a list of them, is not known.
    if not moved or (len(set(moved)) > 1 and len(moved[0][0]) != HASH_LENGTH):
        return None
    # Another form of the same version, as `1.2` for `v1.2` and `16` for `16.x`, is no bump, nor is the hash of `v4.3.1`
    # in place of `v4`.
    first, last = (version.removesuffix(".x") for version in moved[0])
    is_same = first == last or (is_pinned and last.startswith(f"{first}."))
    return None if is_same else Bump(*moved[0])


def _drop_hashes(line: str) -> str:
    """Return a line with the version that a hash stands for in its place."""
    if len(line) < HASH_LENGTH:
        return line
    return _DIGEST.sub("", _NAMED_HASH.sub(r"\2\1", line))


def list_required(diff: FileDiff) -> Sequence[Hunk]:
    """Return the hunks of `diff`; those of a `go.mod` without indirect requirements, which follow from the others."""
    required: list[Hunk] = []
    if not diff.change.path.endswith(b"go.mod"):
        return diff.hunks
    for hunk in diff.hunks:
        removed = [line for line in hunk.removed if not line.endswith(_INDIRECT)]
        added = [line for line in hunk.added if not line.endswith(_INDIRECT)]
        if removed or added:
            counts = (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)
            required.append(Hunk(*counts, hunk.context, removed, added))
    return required or diff.hunks


def is_number(found: re.Match[str]) -> bool:
    """Whether what looks like a version in a line is a number, as in `sleep(1.5)`, or an address."""
    before = found.string[: found.start()]
    if _UNIT.match(found.string, found.end()):
        return True
    if _ADDRESS.match(found[0]):
        return "ersion" not in before
    number = _NUMBER.match(found[0])
    if number is None or number[1]:
        return number is not None
    if _PASSES_TEXT.search(before):
        return "ersion" not in before
    # In a text, `>= 1.5` has a version.
    is_quoted = before.count('"') % 2 == 1 or before.count("'") % 2 == 1
    return not is_quoted and _TELLS_VERSION.search(before) is None


def is_version(text: str) -> bool:
    """Whether a text is a version with points, so that a bump says it."""
    return "." in text and VERSION.match(text) is not None


def is_versioned(key: str) -> bool:
    return key.lower() in _VERSIONED or key.endswith("Version")
