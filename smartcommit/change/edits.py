"""Literal edits: what came, went or was replaced in lines that stay the same otherwise, such as a version or a value.

This finds versions; `literals` finds the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import filterfalse
from operator import itemgetter

from smartcommit.change.text import ALPHANUMERIC, has_digit, read_hunk
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Lines of a hunk in which versions and other literals are looked for: an edit that repeats further is the same edit.
_LINES_OF_VERSIONS, _LINES_OF_LITERALS = 400, 40
# Characters of a commit's name, beside which a comment has the version.
HASH_LENGTH = 40
_VERSION = compile_on_use(
    r"(?<![\w.])(?:[0-9a-f]{40}|v?\d{1,5}(?:\.(?:\d{1,6}|x|\*)){1,3}(?:[-.+]?(?:rc|alpha|beta|a|b|dev|post|pre|final)[\w.]{0,20}|-\d{1,14}(?:-[0-9a-f]{12})?)?"
    r"|(?<=@)v\d{1,5}|(?<=[\"'^~>= :])v?\d{1,5}(?=[\"'\s]|\Z))(?![\w])"
)
# A number that may be no version, with a unit, and an address of the Internet.
_NUMBER = compile_on_use(r"\d+(?:\.\d+)?(em|rem|px|pt|vh|vw|s|ms|fr|deg|f)?\Z")
_ADDRESS = compile_on_use(r"\d{1,3}(?:\.\d{1,3}){3}\Z")
# What says before a number that it is a version: words, or the form of a requirement.
_TELLS_VERSION = compile_on_use(
    r"(?i)version|\b(?:tag|rev|ref|release|sdk|go|toolchain|node|nodejs|python|ruby|rust|java|php)\b|\w-\Z|[@/^~v]\Z"
    r"|(?:[=<>~!]=|\w:|[\"'])\Z|\A\s*[\w.\[\]-]+\s*(?:[=<>~!]=|[<>])\s*\Z"
)
_VERSIONED_NAME = compile_on_use(r"[A-Za-z@_][\w@/.-]*")
# Words that may precede a version without being the name of what has that version.
_NOISE = {
    "version", "rev", "tag", "uses", "from", "image", "gem", "require", "implementation", "api", "testimplementation",
    "classpath", "id", "ref", "const", "let", "var", "key", "value", "git", "branch", "string", "install", "run", "npm",
    "pip", "apt-get", "with", "min", "minimum", "default", "compileonly", "runtimeonly", "x", "v", "arg", "env",
    "export",
}  # fmt: skip
_OWN_NAMES = {"version", "__version__", "appversion", "project-version"}
_OWN_FILES = {
    "package.json", "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "composer.json", "pubspec.yaml",
    "chart.yaml", "version", "__init__.py", "__version__.py", "__about__.py", "mix.exs", "gradle.properties",
    "galaxy.yml", "galaxy.yaml",
}  # fmt: skip
_WORD = compile_on_use(r"[A-Za-z_$][\w$.:-]*\Z")
_ONE_WORD = compile_on_use(r"[\w@./:+*%^~-]{1,40}\Z")
# Constants and operators that are words: alone they say nothing.
_UNTELLING = {
    "true", "false", "none", "null", "nil", "undefined", "yes", "no", "on", "off", "and", "or", "not", "is", "in",
}  # fmt: skip
# Keys of versions and hashes: what is said of them is said as a bump.
_VERSIONED = {
    "revision", "rev", "version", "ref", "tag", "sha", "commit", "hash", "appversion", "sha256", "digest", "checksum",
    "integrity", "resolved", "uses", "image",
}  # fmt: skip


class LiteralEdit(Record):
    """One literal that replaces another, or that only came or only went.

    `kind` is "version", "value", "word", or another term for what it is in the code, such as "argument". `old` is what
    went and `new` what came; one of them can be empty. `name` is what has the version or the value, or None if the
    lines do not say; `own` if that is the project itself. `place` is the function, list or other thing that it is part
    of, or empty if the lines do not say.

    `lines` is the number of changed lines that it explains, which can be a part of one. `line` is the text of the first
    of them, and `context` the line that opens the function around it.
    """

    kind: str
    old: str
    new: str
    name: str | None = None
    own: bool = False
    place: str = ""
    lines: float = 1
    line: str = ""
    context: str = ""


def find_versions(diff: FileDiff) -> tuple[list[LiteralEdit], bool]:
    """Return the version changes in `diff`, and whether it contains nothing else."""
    found: list[LiteralEdit] = []
    only = bool(diff.hunks) and diff.complete
    own_file = _is_own_file(diff.change.path)
    for hunk in _list_required(diff) or diff.hunks:
        pairs = read_hunk(hunk).pairs(_LINES_OF_VERSIONS)
        only = only and pairs is not None
        for before, after in pairs or ():
            edit = None
            if before != after and has_digit(before) and has_digit(after):
                edit = _find_version(before, after, own_file=own_file)
            if edit is None:
                only = only and before == after
            elif edit not in found:
                found.append(edit)
    return found, only and bool(found)


def _is_own_file(path: bytes) -> bool:
    """Whether the file at `path` may hold the version of the project itself."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    return name in _OWN_FILES or (name.startswith("version.") and name.count(".") == 1)


def _list_required(diff: FileDiff) -> list[Hunk]:
    """Return the hunks of a `go.mod` without indirect requirements, which follow from the others."""
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


def is_number(found: re.Match[str]) -> bool:
    """Whether what looks like a version in a line is a number, as in `sleep(1.5)`, or an address."""
    before = found.string[: found.start()]
    if _ADDRESS.match(found[0]):
        return "ersion" not in before
    number = _NUMBER.match(found[0])
    if number is None or number[1]:
        return number is not None
    # In a text, `>= 1.5` has a version.
    is_quoted = before.count('"') % 2 == 1 or before.count("'") % 2 == 1
    return not is_quoted and _TELLS_VERSION.search(before) is None


def _find_version(before: str, after: str, *, own_file: bool) -> LiteralEdit | None:
    old, new = list(_VERSION.finditer(before)), list(_VERSION.finditer(after))
    if not old or len(old) != len(new) or _VERSION.sub("\0", before) != _VERSION.sub("\0", after):
        return None
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a[0] != b[0]]
    if all(map(is_number, map(itemgetter(1), moved))):
        return None
    pairs = {(a[0].lstrip("v"), b[0].lstrip("v")) for a, b in moved}
    if len(pairs) > 1 and len(moved[0][0][0]) != HASH_LENGTH:
        # Which of several versions is meant, as in a list of them, is not known.
        return None
    first, (was, now) = moved[0][0], moved[-1]
    words = [word.strip("@./-") for word in _VERSIONED_NAME.findall(before[: first.start()])]
    names = [word for word in words if word and word.lower() not in _NOISE]
    if was[0].lstrip("v").isdigit() and not before[: was.start()].endswith("@"):
        # A number without a point is a version only if the line says so: `node-version: 20`.
        if not words or not words[-1].lower().endswith("version"):
            return None
        names = [words[-1][: -len("version")].rstrip("-_")]
    if "://" in before[: first.start()].rpartition(" ")[2]:
        # What stands before a version in an address is a host or a folder.
        names = []
    own = own_file and not _OWN_NAMES.isdisjoint(map(str.lower, words)) and set(names) <= {"__version__"}
    name = None
    if names and not own:
        name = names[-1] or None
    return LiteralEdit("version", was[0].lstrip("v"), now[0].lstrip("v"), name, own)


def list_pairs(hunks: Iterable[Hunk]) -> list[tuple[str, str]]:
    """Return the lines that replace each other, side by side; empty if any hunk does more than replace lines."""
    found: list[tuple[str, str]] = []
    for hunk in hunks:
        pairs = read_hunk(hunk).pairs(_LINES_OF_LITERALS)
        if pairs is None:
            return []
        for before, after in pairs:
            if before != after:
                found.append((before, after))
    return found


def is_word(text: str) -> bool:
    """Whether `text` begins as names do, so that a sentence can mention it alone."""
    return _WORD.match(text) is not None


def strip_quotes(token: str) -> str:
    """Return a literal without its quotes if it is one word."""
    if len(token) > 2 and token[0] == token[-1] and token[0] in "\"'" and _ONE_WORD.match(token[1:-1]):
        return token[1:-1]
    return token


def tells_alone(text: str) -> bool:
    """Whether a literal says something without what has or combines it: no operator, boolean or empty value does."""
    return ALPHANUMERIC.search(text) is not None and text.strip("\"'").lower() not in _UNTELLING


def is_versioned(key: str) -> bool:
    """Whether the value of `key` is a version or a hash."""
    return key.lower() in _VERSIONED
