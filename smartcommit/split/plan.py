"""The split plan: which units go into which commit, in which order, under which message."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from smartcommit.errors import SplitError
from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import Unit
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.file_states import States
from smartcommit.split.screen import SuspectFile
from smartcommit.split.syntax import parser_of

VERSION = 1

# A commit as a model, a reviewer and a person handle it: {"message": text, "hunks": [ids of units]}.
CommitDict = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlannedCommit:
    """One commit to be made: its message, ending in one newline, and its units in the order of the change."""

    message: str
    units: tuple[Unit, ...]

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """The commits in their order, bound to the snapshot they were made for.

    `base` is the commit they start from (None: none yet) and `target` the tree they end in; `staged` says that the
    index was split, not the working tree. Units in `skipped` stay uncommitted, and `left_out` names paths that do, in
    git's bytes. `issues` are what a model noticed, each with `message` and `path`, and `gitignore` what it would
    ignore: both are for a person to read. `warnings` name files that look like secrets or build artifacts.
    """

    base: str | None
    target: str
    staged: bool
    engine: str
    commits: tuple[PlannedCommit, ...]
    left_out: tuple[bytes, ...] = ()
    skipped: tuple[Unit, ...] = ()
    issues: tuple[dict[str, str], ...] = ()
    gitignore: tuple[str, ...] = ()
    warnings: tuple[SuspectFile, ...] = ()

    @property
    def units(self) -> list[Unit]:
        """All units, those of the commits and the skipped ones."""
        return [*self.skipped, *(unit for commit in self.commits for unit in commit.units)]

    def check(self, units: Sequence[Unit]) -> None:
        """Hold the plan against all units of its snapshot.

        Raises: SplitError when there is no commit or an empty one, or a unit is unknown, in two places, or neither
        planned nor skipped.
        """
        if not self.commits:
            raise SplitError("the plan makes no commit")
        if any(not commit.units for commit in self.commits):
            raise SplitError("the plan holds a commit without changes")
        planned = Counter(unit.id for unit in self.units)
        known = {unit.id for unit in units}
        for name, problem in (
            (next(iter(planned.keys() - known), None), "is not part of the change"),
            (next((name for name, times in planned.items() if times > 1), None), "is in more than one commit"),
            (next(iter(known - planned.keys()), None), "is in no commit"),
        ):
            if name is not None:
                raise SplitError(f"'{name}' {problem}", hint="make the plan again")

    def with_commits(self, commits: Sequence[CommitDict], units: Sequence[Unit]) -> SplitPlan:
        """This plan with other commits; those of `units` that are in none of them stay uncommitted.

        Raises: SplitError when a commit names a unit that is not there.
        """
        planned = commits_from_dicts(commits, units)
        taken = {unit.id for commit in planned for unit in commit.units}
        return replace(self, commits=planned, skipped=tuple(unit for unit in units if unit.id not in taken))

    def to_json(self, *, states: Sequence[States] = (), made: Sequence[str] = ()) -> str:
        """The plan as one JSON object.

        With `states` each commit tells of the files that it leaves in between, and with `made` its name.
        """
        commits = [_commit_to_dict(commit) for commit in self.commits]
        for commit, between in zip(commits, states, strict=False):
            commit["between"] = [_state_to_dict(path, sound) for path, sound in between.items()]
        for commit, oid in zip(commits, made, strict=False):
            commit["oid"] = oid
        return json.dumps(
            {
                "version": VERSION,
                "base": self.base,
                "target": self.target,
                "staged": self.staged,
                "engine": self.engine,
                "commits": commits,
                "left_out": [os.fsdecode(path) for path in self.left_out],
                "skipped": [_unit_to_dict(unit) for unit in self.skipped],
                "issues": self.issues,
                "gitignore": self.gitignore,
                "warnings": [_warning_to_dict(warning) for warning in self.warnings],
            },
            indent=2,
        )


def plan_of(
    snapshot: Snapshot,
    commits: Sequence[CommitDict],
    units: Sequence[Unit],
    *,
    engine: str,
    gitignore: Sequence[str] = (),
) -> SplitPlan:
    """The plan that makes `commits` of `units`; those in none of them stay uncommitted.

    Raises: SplitError when a commit names a unit that is not there.
    """
    # What HEAD has too and only the index does not is no change: it was neither added nor left out.
    known = snapshot.removed.union(path for unit in units for path in unit.paths)
    plan = SplitPlan(
        base=snapshot.base,
        target=snapshot.target,
        staged=snapshot.staged,
        engine=engine,
        commits=(),
        left_out=() if snapshot.staged else tuple(path for path in snapshot.untracked if path not in known),
        issues=tuple({str(issue): issue for commit in commits for issue in commit.get("issues", ())}.values()),
        gitignore=tuple(gitignore),
    )
    return plan.with_commits(commits, units)


def commits_to_dicts(commits: Sequence[PlannedCommit]) -> list[CommitDict]:
    """`commits` as they are handled outside of a plan."""
    return [{"message": commit.message, "hunks": [unit.id for unit in commit.units]} for commit in commits]


def commits_from_dicts(entries: Sequence[CommitDict], units: Sequence[Unit]) -> tuple[PlannedCommit, ...]:
    """The commits that `entries` describe, each with its units in the order of the change.

    Raises: SplitError when an id is not one of `units`.
    """
    places = {unit.id: place for place, unit in enumerate(units)}
    commits = []
    for entry in entries:
        unknown = [hunk for hunk in entry["hunks"] if hunk not in places]
        if unknown:
            raise SplitError(f"'{min(unknown)}' is not part of the change", hint="make the plan again")
        found = tuple(units[place] for place in sorted({places[hunk] for hunk in entry["hunks"]}))
        commits.append(PlannedCommit(clean(entry["message"]), found))
    return tuple(commits)


def clean(message: str) -> str:
    """`message` without blanks and carriage returns at the ends of its lines, ending in one newline, as git records."""
    lines = (line.rstrip(" \t\r") for line in message.split("\n"))
    return "\n".join(lines).strip("\n") + "\n"


def _commit_to_dict(commit: PlannedCommit) -> dict[str, object]:
    return {"message": commit.message, "units": [_unit_to_dict(unit) for unit in commit.units]}


def _state_to_dict(path: bytes, sound: bool | None) -> dict[str, object]:
    parser = None if sound is None else parser_of(path)
    return {"path": os.fsdecode(path), "parses": sound, "parser": parser}


def _warning_to_dict(warning: SuspectFile) -> dict[str, object]:
    return {"path": os.fsdecode(warning.path), "reason": warning.reason, "left_out": warning.left_out}


def _unit_to_dict(unit: Unit) -> dict[str, object]:
    change = unit.change
    return {
        "id": unit.id,
        "kind": unit.kind,
        "fingerprint": unit.fingerprint,
        "status": change.status,
        "path": os.fsdecode(change.path),
        "old_path": None if change.old_path is None else os.fsdecode(change.old_path),
        "hunks": [_hunk_to_dict(hunk) for hunk in unit.hunks],
    }


def _hunk_to_dict(hunk: Hunk) -> dict[str, int]:
    return {
        "old_start": hunk.old_start,
        "old_lines": hunk.old_count,
        "new_start": hunk.new_start,
        "new_lines": hunk.new_count,
    }
