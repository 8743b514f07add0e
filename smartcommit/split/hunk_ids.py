"""The ids of a change's hunks as a model sees them, and what it may mean by one that is none."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Container, Iterable, Mapping, Sequence

from smartcommit.errors import ToolRetry
from smartcommit.git.hunks import Unit
from smartcommit.message.characters import printable
from smartcommit.secret_scan import redact

_CANDIDATES = 3


class Names:
    """Each unit of a change by the id that a model has for it, in the order of the change.

    It is the unit's own id wherever that can be sent as it is. Names of files can hold a secret, line breaks, or bytes
    that are no text: then what is sent is another text, which has to lead back to the same unit.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self.hunk_map: dict[str, Unit] = {}
        self._names: dict[str, str] = {}
        self.renew(units)

    def renew(self, units: Sequence[Unit]) -> None:
        """Name `units` instead; those that had a name keep it."""
        taken = set(self._names.values())
        names: dict[str, str] = {}
        for unit in units:
            names[unit.id] = self._names.get(unit.id) or _unlike(redact(printable(unit.id)), taken)
            taken.add(names[unit.id])
        self._names = names
        self.hunk_map = {names[unit.id]: unit for unit in units}

    def of(self, hunks: Iterable[str]) -> list[str]:
        """What a model calls the units with these ids, in the order of the change."""
        wanted = set(hunks)
        return [name for name, unit in self.hunk_map.items() if unit.id in wanted]

    def without(self, hunks: Iterable[str]) -> list[str]:
        """What it calls all units but those with these ids, in the order of the change."""
        taken = set(hunks)
        return [name for name, unit in self.hunk_map.items() if unit.id not in taken]

    def find(self, names: Sequence[str]) -> list[Unit]:
        """The units that `names` stand for.

        Raises: ToolRetry that names each one that stands for none, with those that may be meant.
        """
        # Some write blanks or marks around an id, which can also be part of one.
        bare = [name if name in self.hunk_map else name.strip().strip("`") for name in names]
        unknown = [name for name in bare if name not in self.hunk_map]
        if unknown:
            told = (f"'{name[:200]}' is no hunk of this change{self._meant(name)}" for name in unknown[:20])
            raise ToolRetry("; ".join(told))
        return [self.hunk_map[name] for name in bare]

    def _meant(self, name: str) -> str:
        path = name.rpartition("::")[0] or name
        beside = [known for known in self.hunk_map if known.rpartition("::")[0] == path]
        close = difflib.get_close_matches(name[:400], beside or self._like(path), n=_CANDIDATES, cutoff=0.4)
        found = [known for known in self.hunk_map if known in close] or beside[:_CANDIDATES]
        return f", did you mean {' or '.join(map(repr, found))}?" if found else ""

    def _like(self, path: str) -> list[str]:
        """Hunks of files with the same bare name; where there are none all, as far as comparing them takes no time."""
        bare = posixpath.basename(path)
        same = [name for name in self.hunk_map if posixpath.basename(name.rpartition("::")[0]) == bare]
        return same or list(self.hunk_map)[:1000]


def _unlike(name: str, taken: Container[str]) -> str:
    number, found = 2, name
    while found in taken:
        number, found = number + 1, f"{name}~{number}"
    return found


def assigned(commits: Sequence[Mapping[str, object]], hunks: Iterable[str]) -> dict[str, str]:
    """Those of `hunks` that a commit holds already, each with that commit's number and subject."""
    wanted = set(hunks)
    return {
        hunk: f"commit {number}, '{str(commit['message']).splitlines()[0]}'"
        for number, commit in enumerate(commits, 1)
        for hunk in commit["hunks"]  # type: ignore[attr-defined]
        if hunk in wanted
    }
