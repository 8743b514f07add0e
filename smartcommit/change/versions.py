"""Version numbers that a change moves: of the project's dependencies, and of the project itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from smartcommit.change.symbols import LINE_LIMIT
from smartcommit.git.diff import FileDiff, Hunk

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
