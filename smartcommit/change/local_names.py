"""Parameters and variables that one hunk of a file declares, and another hunk of the same function uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from smartcommit.change.filetypes import is_comment
from smartcommit.change.text import Lines, find_names, read_hunk
from smartcommit.git.diff import Hunk
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Lines between a declaration and its use: few functions are longer.
_REACH = 80
# Languages in which an assignment declares a variable, and those that write its type before it.
_ASSIGNED = {"python", "ruby", "php"}
_TYPED = {"c", "jvm", "csharp", "dart"}
_KEYWORD = compile_on_use(r"(?:let|var|val|const|local|auto|final)\s+(?:mut\s+)?(\w+)(?!\w*\s*\()")
_SHORT = compile_on_use(r"(?:(?:if|for|switch)\s+)?(\w+(?:,\s*\w+)*)\s*:=")
_ASSIGNMENT = compile_on_use(r"\$?(\w+(?:,\s*\$?\w+)*)\s*=(?![=~>])")
_TYPE_AND_NAME = compile_on_use(
    r"(?!(?:return|goto|throw|else|delete|new|import|package|using|typedef)\b)"
    r"[\w:<>\[\].]+(?:\s+[\w:<>\[\].]+)*[\s*&]+(\w+)\s*(?:=(?!=)|;$)"
)
_PARAMETERS = compile_on_use(r"(?:\w+\s+)*(?:def|func|fn|fun|function)\b[^(]*\((.*)")


class LocalUse(NamedTuple):
    """The group `user` has a hunk that uses what a hunk of the group `definer` declares on one side of the change."""

    side: Side
    user: int
    definer: int


def list_local_uses(hunks: Sequence[tuple[int, Hunk]], path: bytes, language: str) -> Iterator[LocalUse]:
    """Yield the uses between the hunks of the file at `path`, given with their groups.

    Only what is new on a side of a hunk counts: what also occurs on its other side was, or stays, declared elsewhere.
    """
    patterns = _list_patterns(language)
    assignments = [_ASSIGNMENT] if language in _ASSIGNED else []
    ordered = sorted(hunks, key=lambda found: (found[1].new_start, found[1].old_start))
    sides: tuple[tuple[Side, Side], ...] = (("added", "removed"), ("removed", "added"))
    for side, other in sides:
        declared: dict[str, tuple[int, Hunk]] = {}
        for group, hunk in ordered:
            text = read_hunk(hunk)
            lines = text.side(side)
            new = lines.spoken - text.side(other).spoken
            own = _find_declared(lines, patterns)
            for name in (new - own) & declared.keys():
                definer, place = declared[name]
                if definer != group and _share_function(place, hunk) and _is_used(name, lines, path):
                    yield LocalUse(side, group, definer)
            own |= _find_declared(lines, assignments)
            declared.update(dict.fromkeys(own & new, (group, hunk)))


def _list_patterns(language: str) -> list[re.Pattern[str]]:
    """Return the patterns of declarations that make a name another one in their function."""
    patterns = [_KEYWORD, _PARAMETERS]
    if language == "go":
        patterns.append(_SHORT)
    if language in _TYPED:
        patterns.append(_TYPE_AND_NAME)
    return patterns


def _find_declared(lines: Lines, patterns: Sequence[re.Pattern[str]]) -> set[str]:
    """Return the names that `lines` declare."""
    found: set[str] = set()
    for line in lines.read():
        for pattern in patterns:
            declared = pattern.match(line)
            if declared:
                found.update(find_names(declared[1]))
    return found


def _share_function(one: Hunk, other: Hunk) -> bool:
    """Whether `other` can be in the function that `one` is in or begins."""
    if abs(other.new_start - one.new_start) > _REACH:
        return False
    return one.context == other.context or any(line.startswith(other.context) for line in one.removed if other.context)


def _is_used(name: str, lines: Lines, path: bytes) -> bool:
    """Whether `name` stands in code, and not behind an object."""
    use = re.compile(rf"(?<![\w.@>]){re.escape(name)}\b")
    for line in lines.having({name}):
        if use.search(line) and not is_comment(line.encode(), path.decode("utf-8", "replace")):
            return True
    return False
