"""`SplitPlan`, and its JSON form for plan files."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, get_args

from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import Kind, Unit
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.screen import SuspectFile
from smartcommit.split.syntax import States, parser_of

VERSION = 1

# A commit as a model, a reviewer and a person handle it: {"message": text, "hunks": [ids of units]}.
CommitDict = dict[str, Any]
Value = TypeVar("Value")
# Bytes of the largest file that is taken for a plan: one of a hundred thousand commits.
_LIMIT = 128 << 20


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


@dataclass(frozen=True, slots=True)
class WrittenUnit:
    """How a unit was written down."""

    id: str
    kind: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan as it was written down, not yet held against any snapshot; the fields are those of SplitPlan."""

    base: str | None
    target: str
    staged: bool
    engine: str
    commits: tuple[tuple[str, tuple[WrittenUnit, ...]], ...]
    left_out: tuple[bytes, ...]
    skipped: tuple[WrittenUnit, ...]
    issues: tuple[dict[str, str], ...]
    gitignore: tuple[str, ...]

    @property
    def units(self) -> list[WrittenUnit]:
        """All units, those of the commits and the skipped ones."""
        return [*self.skipped, *(unit for _, units in self.commits for unit in units)]

    @property
    def paths(self) -> set[str]:
        """The paths that the units are about, a rename's new one."""
        return {unit.id.rpartition("::")[0] for unit in self.units}

    @property
    def is_cut(self) -> bool:
        """Whether files come in parts, so that a snapshot must be looked at in hunks."""
        return any(unit.kind != "file" for unit in self.units)

    def bound(self, units: Sequence[Unit], *, base: str | None, target: str) -> SplitPlan:
        """The plan for the snapshot of `base` and `target` with its `units`.

        Raises: SplitPlanOutdated, naming what differs, when it was made for another snapshot; SplitError when it is not
        one for all units, or an entry's `id` or `kind` is not that of the unit which its fingerprint names.
        """
        by_fingerprint = {unit.fingerprint: unit for unit in units}
        plan = SplitPlan(
            base=self.base,
            target=self.target,
            staged=self.staged,
            engine=self.engine,
            commits=tuple(PlannedCommit(message, _found(written, by_fingerprint)) for message, written in self.commits),
            left_out=self.left_out,
            skipped=_found(self.skipped, by_fingerprint),
            issues=self.issues,
            gitignore=self.gitignore,
        )
        if plan.base != base:
            raise SplitPlanOutdated("HEAD is not the commit that the plan was made for", hint="make the plan again")
        if plan.target != target:
            planned = {unit.id for unit in plan.units}
            new = next((f": '{unit.id}' is not in the plan" for unit in units if unit.id not in planned), "")
            raise SplitPlanOutdated(f"the files have changed since the plan was made{new}", hint="make the plan again")
        for entry, unit in zip(self.units, plan.units, strict=True):
            if (entry.id, entry.kind) != (unit.id, unit.kind):
                raise SplitError(
                    f"'{entry.id}' ({entry.kind}) has the fingerprint of '{unit.id}' ({unit.kind})",
                    hint="move units as a whole, or make the plan again",
                )
        plan.check(units)
        return plan


def read_plan(text: str) -> WrittenPlan:
    """The plan that `SplitPlan.to_json` wrote.

    Raises: SplitError when it is none, or of another version.
    """
    try:
        fields = json.loads(text.removeprefix("\ufeff"))  # some editors begin a file with a byte order mark
        version = _value(fields, "version", int)
        if version != VERSION:
            raise SplitError(f"this plan is of version {version}", hint="make the plan again")
        return WrittenPlan(
            base=None if fields["base"] is None else _value(fields, "base", str),
            target=_value(fields, "target", str),
            staged=_value(fields, "staged", bool),
            engine=_value(fields, "engine", str),
            commits=tuple(
                (clean(_value(entry, "message", str)), _units(entry, "units")) for entry in _list(fields, "commits")
            ),
            left_out=tuple(map(os.fsencode, _texts(fields, "left_out"))),
            skipped=_units(fields, "skipped"),
            issues=tuple(
                {name: _value(issue, name, str) for name in ("message", "path")}
                for issue in _list(fields, "issues", optional=True)
            ),
            gitignore=tuple(_texts(fields, "gitignore", optional=True)),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SplitError("this is not a split plan", hint="make one with '--save-plan FILE'") from error


def _value(fields: Any, name: str, kind: type[Value]) -> Value:
    # Of exactly this type: for Python True is an int, and 1.0 equals 1.
    if type(value := fields[name]) is not kind:
        raise TypeError(name)
    return value


def _list(fields: Any, name: str, *, optional: bool = False) -> list[Any]:
    return [] if optional and name not in fields else _value(fields, name, list)


def _texts(fields: Any, name: str, *, optional: bool = False) -> list[str]:
    entries = _list(fields, name, optional=optional)
    if any(type(entry) is not str for entry in entries):
        raise TypeError(name)
    return entries


def _units(fields: Any, name: str) -> tuple[WrittenUnit, ...]:
    units = tuple(
        WrittenUnit(*(_value(entry, part, str) for part in ("id", "kind", "fingerprint")))
        for entry in _list(fields, name)
    )
    if any(unit.kind not in get_args(Kind) for unit in units):
        raise TypeError(name)
    return units


def _found(written: Sequence[WrittenUnit], by_fingerprint: Mapping[str, Unit]) -> tuple[Unit, ...]:
    for entry in written:
        if entry.fingerprint not in by_fingerprint:
            raise SplitPlanOutdated(f"'{entry.id}' has changed since the plan was made", hint="make the plan again")
    return tuple(by_fingerprint[entry.fingerprint] for entry in written)


def apart(worktree: str, names: Iterable[str], plan: WrittenPlan | None) -> list[bytes]:
    """Those of the files `names` that are no part of the change, as paths below the top level `worktree`.

    These hold a plan or nothing, and `plan`, which is to be carried out, is not about them. What a plan is written over
    is a change like any other where it was something else.
    """
    top = os.path.join(os.path.realpath(worktree), "")
    files = {os.path.realpath(name) for name in names}
    paths = [file.removeprefix(top) for file in files if file.startswith(top) and _holds_plan_or_nothing(file)]
    return [os.fsencode(path) for path in paths if plan is None or path not in plan.paths]


def _holds_plan_or_nothing(file: str) -> bool:
    if not os.path.isfile(file) or os.path.getsize(file) > _LIMIT:
        return False
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        text = opened.read()
    try:
        read_plan(text)
    except SplitError:
        return not text
    return True
