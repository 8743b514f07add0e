"""Hunk ids as shown to a model, with suggestions for unknown ids."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterable, Sequence

from smartcommit.errors import ToolRetry
from smartcommit.git.hunks import Unit
from smartcommit.message.characters import printable
from smartcommit.secrets.redaction import redact
from smartcommit.split.plan import PlannedCommit, list_ids

# Hunks that are suggested for an unknown id, and unknown ids that are reported at once.
_HUNKS_SUGGESTED = 3
_UNKNOWN_REPORTED = 20
# Lines after a path, as in `a.py:12`, `a.py:12-20` and `a.py#L12`.
_LINES = re.compile(r"(?::|#|@| lines? )L?(\d{1,7})(?:-L?(\d{1,7}))?\Z")


class Names:
    """The units of a change by the ids that a model sees, in the order of the change.

    A unit's own id is used wherever it can be sent as it is. If the name of its file contains a secret, a line break or
    undecodable bytes, the model sees another id that leads back to the same unit.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self.hunk_map: dict[str, Unit] = {}
        self._names: dict[str, str] = {}
        self._by_path: dict[str, list[Unit]] = {}
        self.renew(units)

    def renew(self, units: Sequence[Unit]) -> None:
        """Name `units` instead; those that had a name keep it."""
        taken = set(self._names.values())
        names = self._names
        self._names, self.hunk_map, self._by_path = {}, {}, {}
        for unit in units:
            name = names.get(unit.id)
            if name is None:
                number, shown = 2, redact(printable(unit.id))
                name = shown
                while name in taken:
                    number, name = number + 1, f"{shown}~{number}"
            taken.add(name)
            self._names[unit.id] = name
            self.hunk_map[name] = unit
            self._by_path.setdefault(name.rpartition("::")[0], []).append(unit)

    def of(self, hunks: Iterable[str]) -> list[str]:
        """Return the names of the units with these ids, in the order of the change."""
        wanted = set(hunks)
        return [name for name, unit in self.hunk_map.items() if unit.id in wanted]

    def without(self, hunks: Iterable[str]) -> list[str]:
        return self.of(self._names.keys() - set(hunks))

    def find(self, names: Sequence[str]) -> list[Unit]:
        """Return the units with these `names`; the path of a file will do if no other hunk of it can be meant.

        Raise ToolRetry, with suggestions, if a name is unknown.
        """
        found: list[Unit] = []
        problems: list[str] = []
        for given in names:
            # Some models write spaces or backticks around an id; an id can also contain them.
            name = given if given in self.hunk_map else given.strip().strip("`")
            unit = self.hunk_map.get(name) or self._find_by_path(name)
            if unit is not None:
                found.append(unit)
            elif len(problems) < _UNKNOWN_REPORTED:
                problems.append(f"'{name[:200]}' is not a hunk of this change{self._meant(name)}")
        if problems:
            raise ToolRetry("; ".join(problems))
        return found

    def _find_by_path(self, name: str) -> Unit | None:
        """Return the only unit of the file that `name` names, or its only one at the lines that follow the path."""
        path = name.removeprefix("./")
        units = self._by_path.get(path)
        lines = _LINES.search(path)
        if units is None and lines is not None:
            first = int(lines[1])
            last = int(lines[2] or first)
            units = self._by_path.get(path[: lines.start()], [])
            if len(units) > 1:
                here = []
                for unit in units:
                    for hunk in unit.hunks:
                        if hunk.new_start <= last and first < hunk.new_start + max(hunk.new_count, 1):
                            here.append(unit)
                units = here
        if units is None or len(units) != 1:
            return None
        return units[0]

    def _meant(self, name: str) -> str:
        """Return a question about the hunks that `name` may stand for, or nothing."""
        path = name.rpartition("::")[0] or _LINES.sub("", name)
        beside, alike = [], []
        for known in self.hunk_map:
            place = known.rpartition("::")[0]
            if place == path:
                beside.append(known)
            elif posixpath.basename(place) == posixpath.basename(path):
                alike.append(known)
        # Comparing with more hunks would take long.
        candidates = beside or alike or list(self.hunk_map)[:1000]
        close = difflib.get_close_matches(name[:400], candidates, n=_HUNKS_SUGGESTED, cutoff=0.4)
        found = [known for known in candidates if known in close] or beside[:_HUNKS_SUGGESTED]
        if not found:
            return ""
        return f", did you mean {' or '.join(repr(item) for item in found)}?"


def find_assigned(commits: Sequence[PlannedCommit], units: Iterable[Unit]) -> dict[str, str]:
    """Return the ids of those of `units` that are in a commit, each with that commit's number and subject."""
    wanted = list_ids(units)
    found: dict[str, str] = {}
    for number, commit in enumerate(commits, 1):
        held = set(list_ids(commit.units)).intersection(wanted)
        found.update(dict.fromkeys(held, f"commit {number}, '{commit.subject}'"))
    return found
