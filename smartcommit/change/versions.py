"""Finds which dependencies changed their versions, even if the name is in a line above the version."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import filterfalse

from smartcommit.change import filetypes
from smartcommit.change.edits import LiteralEdit
from smartcommit.change.facts import FileFacts
from smartcommit.change.text import LINES_COMPARED, has_digit, read_hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Hunks of a file that are read, and lines above a version in which its name is looked for.
_HUNKS_READ, _LINES_ABOVE = 200, 6
_VERSION = compile_on_use(
    r"v?\d+(?:\.[\w*]+)+(?:[-+][\w.+-]+)?|\b[0-9a-f]{40}\b"
    r"|(?<=@)v\d+\b|(?<=:)\d[\w.-]*|(?<=[\"'^~>= ])v?\d+(?=[\"'\s]|\Z)"
)
# Lines with a version and the name of what has it.
_NAMED = tuple(map(compile_on_use, (
    r"\buses:\s*[\"']?([\w./-]+)@",
    r"(?i)^FROM\s+(?:--\S+\s+)?([\w./-]+)[:@]",
    r"<(?:PackageReference|PackageVersion|PackageDownload)\s+(?:Include|Update)=\"([^\"]+)\"",
    r"<([\w.-]+?)[.-]?[vV]ersion>",
    r"\.add_(?:\w+_)?dependency\(?\s*[\"']([\w-]+)[\"']",
    r"^gem\s+[\"']([\w-]+)[\"']",
    r"^(?:require\s+)?((?:[\w-]+\.)+[\w-]+/[\w./-]+)\s+v\d",
    r"^(go|toolchain|ruby|node|python|rust)\s+[\"']?v?(?:go)?\d",
    r"^([\w.-]+) \([\d.]",
    r"^[\"']?([\w@/][\w@/.-]*?)[\"']?\s*[:=]\s*\{?\s*(?:(?:version|ref|tag|rev)\s*[:=]\s*)?[\"']?[\^~>=<v\d]",
    r"^(?:-\s*)?[\"']?([\w.\[\]-]+?)\s*(?:==|>=|~=|<=|<|>)\s*v?\d",
    r"[\"'](?:npm:|github:)?([\w@/.:-]+?)[@:]v?\d[\w.-]*[\"']",
    r"\b(?:image|docker|container)\b[^\n]{0,80}?([\w./-]+):v?\d",
    r"([\w./-]+)@(?:v?\d|[0-9a-f]{40})",
)))  # fmt: skip
# Lines above a version with the name of what has it.
_NAMING = tuple(map(compile_on_use, (
    r"<artifactId>([^<]+)</artifactId>",
    r"^name\s*[:=]\s*[\"']?([\w@/.-]+)",
    r"^\"name\":\s*\"([^\"]+)\"",
    r"\"(?:[^\"]*node_modules/)([^\"]+)\":\s*\{",
    r"^-?\s*(?:repo|repository|image):\s*[\"']?(?:https?://)?([\w./-]+)",
    r"^\"?(@?[\w/.-]+)@[^:]+:\s*\Z",
    r"^([\w-]+)\s*[:=]\s*\{\s*\Z",
    r"^'?(@?[\w/.-]+)'?:\s*\Z",
    r"^\[(?:[\w-]+\.)*([\w-]+)\]",
)))  # fmt: skip
# Names that are those of the version itself, or of a section, and not of a dependency.
_NO_NAMES = {
    "version", "revision", "rev", "tag", "ref", "from", "image", "commit", "sha", "checksum", "integrity", "resolved",
    "hash", "digest", "url", "appversion", "value", "install_info", "limit", "size", "width", "height", "timeout",
    "dependencies", "require", "package", "packages", "default", "with",
}  # fmt: skip
# Files that hold only a version, with the name of what has it.
_VERSION_FILES = {
    b".go-version": "go", b".java-version": "java", b".node-version": "node", b".nvmrc": "node",
    b".python-version": "python", b".ruby-version": "ruby", b".terraform-version": "terraform",
}  # fmt: skip
_SAYS_VERSION = compile_on_use(r"(?i)version|rev|tag|ref|commit|sha")
_HASH = compile_on_use(r"integrity|resolved|checksum|sha\d+|hash|digest|\burl\b")
# A comment after a hash that says which version it is.
_COMMENT = compile_on_use(r"#\s*(?:tag[:=]\s*)?(v?\d[\w.-]*)\s*\Z")
_SUFFIX = compile_on_use(r"(?<=.)(?:[_.-]?version|Version|_VERSION)\Z")
_REQUIRES = compile_on_use(r"[\"'=^~> @v]\d+\.\d|\*[\"']|workspace\s*=\s*true|\bversion\b")


class VersionChanges(Record):
    """The versions that changed in a file.

    `edits` are those of named dependencies, and `explained` counts their lines. `unnamed` counts the lines in which
    only a version changed that has no known name, and `others` the rest of the changed lines, without hashes.
    """

    edits: Sequence[LiteralEdit]
    explained: int
    unnamed: int
    others: int


def find_named_versions(file: FileFacts, text: str = "") -> VersionChanges:
    """Return the versions that changed in `file`; `text` is its new content, for names above the changed lines."""
    rows: list[str] = []
    # In a chart, lines above the version name something else.
    if not file.path.endswith(b"Chart.yaml"):
        rows = text.split("\n")
    of_file = _VERSION_FILES.get(file.path.rpartition(b"/")[2])
    found: dict[str, LiteralEdit] = {}
    explained = unnamed = others = 0
    for hunk in file.diff.hunks[:_HUNKS_READ]:
        pairs = read_hunk(hunk).pairs(LINES_COMPARED)
        if pairs is None:
            others += max(len(hunk.removed), len(hunk.added))
            continue
        for number, (before, after) in enumerate(pairs):
            if before == after or "indirect" in after:
                continue
            moved = _find_moved(before, after)
            if moved is None:
                others += _HASH.search(after) is None
                continue
            name = of_file or _find_name(after) or _find_name_above(after, rows, hunk.new_start - 1 + number)
            # `||` is in a range of supported versions.
            if not name or "||" in after:
                unnamed += 1
                continue
            explained += 1
            name = _SUFFIX.sub("", name)
            found.setdefault(name, LiteralEdit("version", *moved, name))
    return VersionChanges(list(found.values()), explained, unnamed, others)


def _find_moved(before: str, after: str) -> tuple[str, str] | None:
    """Return the old and the new version, without a leading `v`, or None if anything else differs between the lines."""
    if not has_digit(before) or not has_digit(after):
        return None
    old, new = _VERSION.findall(before), _VERSION.findall(after)
    if not old or len(old) != len(new) or old == new or _VERSION.sub("", before) != _VERSION.sub("", after):
        return None
    was, now = next((a, b) for a, b in zip(old, new, strict=True) if a != b)
    named = _COMMENT.search(before), _COMMENT.search(after)
    if named[0] and named[1]:
        was, now = named[0][1], named[1][1]
    was, now = was.lstrip("v"), now.lstrip("v")
    if was == now:
        return None
    return was, now


def _find_name(line: str) -> str | None:
    """Return the name of what has the version in `line`, or None if the line does not have it."""
    for pattern in _NAMED:
        found = pattern.search(line)
        if found:
            name = found[1].split("[")[0].strip("./")
            if name.lower() not in _NO_NAMES and not name.isdigit() and len(name) > 1:
                return name
    return None


def _find_name_above(line: str, rows: Sequence[str], number: int) -> str | None:
    """Return the name of what has the version in `line`, the row `number`, from the nearest row above with a name."""
    if not _SAYS_VERSION.search(line) or number > len(rows):
        return None
    for row in reversed(rows[max(0, number - _LINES_ABOVE) : number]):
        bare = row.strip()[:400]
        for pattern in _NAMING:
            found = pattern.search(bare)
            if found and found[1].lower() not in _NO_NAMES:
                return _shorten(found, bare)
        if bare in ("", "}", "},"):
            break
    return None


def _shorten(found: re.Match[str], row: str) -> str:
    """Return a found name, or its last part if it is in an address."""
    if "://" in row and "node_modules" not in row:
        return found[1].rpartition("/")[2]
    return found[1]


def find_requirements(file: FileFacts) -> tuple[list[str], list[str]]:
    """Return the dependencies that a manifest gains, and those that it loses."""
    sides: tuple[dict[str, None], dict[str, None]] = ({}, {})
    for hunk in file.diff.hunks[:_HUNKS_READ]:
        reading = read_hunk(hunk)
        for names, lines in zip(sides, (reading.added, reading.removed), strict=True):
            for line in lines.read(LINES_COMPARED):
                name = _find_name(line)
                if name and "// indirect" not in line and _REQUIRES.search(line):
                    names[name] = None
    added, removed = sides
    gained = list(filterfalse(removed.__contains__, added))
    lost = list(filterfalse(added.__contains__, removed))
    return gained, lost


def is_versioned(file: FileFacts) -> bool:
    """Whether a file may hold versions of dependencies, except for `go.sum`, which follows from `go.mod`."""
    if file.nature != "modified" or file.path.endswith((b"go.sum", b"go.work.sum")):
        return False
    return file.kind in (
        filetypes.MANIFEST, filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.SOURCE, filetypes.LOCK,
    )  # fmt: skip
