"""The edits of an agent's tools that make one content of another."""

from __future__ import annotations

from random import Random

from smartcommit.session.edits import Edit, NewContent, Replacement
from tests.session.simulation.lines import Version, find_changed


def find_replacement(random: Random, old: Version, new: Version, ending: str) -> Replacement | None:
    """Return the replacement of a text that stands once in `old`; None where there is none but the whole file."""
    before, after = old.pieces(ending), new.pieces(ending)
    if len(before) != len(old.lines) or len(after) != len(new.lines):
        return None
    keys = [list(zip(version.lines, pieces, strict=True)) for version, pieces in ((old, before), (new, after))]
    first, old_end, new_end = find_changed(*keys)
    whole = "".join(before)
    while True:
        found = "".join(before[first:old_end])
        if found and whole.count(found) == 1:
            break
        choices = [side for side, there in (("above", first > 0), ("below", old_end < len(before))) if there]
        if not choices:
            return None
        if random.choice(choices) == "above":
            first -= 1
        else:
            old_end, new_end = old_end + 1, new_end + 1
    put = "".join(after[first:new_end])
    if found == put:
        return None
    return shorten(random, whole, found, put, ending)


def shorten(random: Random, whole: str, found: str, put: str, ending: str) -> Replacement:
    """Return the replacement without the end of the last line, or of a part of a line, as models like it."""
    if found.count(ending) == put.count(ending) == 1 and random.random() < 0.5:
        first, found_end, put_end = find_changed(found, put)
        first = max(0, first - random.randint(0, 8))
        small = found[first:found_end]
        if small and whole.count(small) == 1:
            return Replacement(small, put[first:put_end])
    ends = found.endswith(ending) and put.endswith(ending)
    if ends and random.random() < 0.5:
        small = found.removesuffix(ending)
        if small and whole.count(small) == 1:
            return Replacement(small, put.removesuffix(ending))
    return Replacement(found, put)


def find_edit(random: Random, old: Version | None, new: Version, ending: str, whole: float) -> Edit:
    if old is not None and random.random() >= whole:
        replacement = find_replacement(random, old, new, ending)
        if replacement is not None:
            return replacement
    return NewContent(new.text(ending))
