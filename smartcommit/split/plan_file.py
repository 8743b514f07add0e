"""Plan files: a plan as JSON, read again for the snapshot that it was made for."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Any, TypeVar, get_args

from smartcommit.change.definitions import find_missing
from smartcommit.change.syntax import States, parser_of
from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.diff import Hunk, Range
from smartcommit.git.hunks import Kind, Unit, UnitKey
from smartcommit.split.file_states import Checker
from smartcommit.split.plan import (
    Issue,
    OtherPlan,
    PlannedCommit,
    SplitPlan,
    SuspectFile,
    clean_message,
    list_groups,
)

VERSION = 1
# What a plan file has of a plan, in this order.
_FIELDS = (
    "base", "target", "staged", "engine", "commits", "left_out", "skipped", "issues", "gitignore", "warnings",
    "hides_untracked", "confidence", "other",
)  # fmt: skip

Value = TypeVar("Value")
# Maximum bytes of a plan file: enough for a hundred thousand commits.
_BYTES_READ = 128 << 20


def print_plan(plan: SplitPlan) -> str:
    """Return the plan as JSON."""
    return json.dumps(describe_plan(plan), indent=2)


def find_states(plan: SplitPlan) -> list[States]:
    """Return what is known of the files between the commits, for each commit; parsing them may take some seconds."""
    commits = list_groups(plan.commits)
    found = Checker(plan.change).check(commits)
    if not any(found):
        return found
    missing = find_missing(commits, plan.skipped)
    for number, states in enumerate(found):
        for path, sound in states.items():
            # A file that uses a name that does not exist yet counts as not checked.
            if sound and any(number in span for span in missing[path]):
                states[path] = None
    return found


def describe_with_states(plan: SplitPlan, made: Sequence[str] = ()) -> dict[str, Any]:
    """Return the plan as `describe_plan` does, with the files that are partly changed between its commits."""
    return describe_plan(plan, states=find_states(plan), made=made)


def describe_plan(plan: SplitPlan, *, states: Sequence[States] = (), made: Sequence[str] = ()) -> dict[str, Any]:
    """Return the plan as an object that JSON can hold; bytes of paths that are no UTF-8 are lone surrogates.

    `states` adds to each commit the files that it leaves partly changed, and `made` its object name.
    """

    def describe(unit: Unit) -> dict[str, object]:
        return {**_unit_to_dict(unit), **plan.evidence.get(unit.id, {})}

    commits = []
    for commit, between, oid in zip_longest(plan.commits, states, made):
        entry: dict[str, object] = {"message": commit.message, "units": list(map(describe, commit.units))}
        if between is not None:
            entry["between"] = list(map(_state_to_dict, between, between.values()))
        if oid is not None:
            entry["oid"] = oid
        commits.append(entry)
    document: dict[str, object] = {"version": VERSION}
    for name in _FIELDS:
        document[name] = getattr(plan, name)
    document["commits"] = commits
    document["left_out"] = list(map(os.fsdecode, plan.left_out))
    document["skipped"] = list(map(describe, plan.skipped))
    document["issues"] = list(map(asdict, plan.issues))
    document["gitignore"] = list(plan.gitignore)
    document["warnings"] = list(map(describe_suspect, plan.warnings))
    if plan.other is not None:
        document["other"] = _other_to_dict(plan.other)
    return document


def describe_suspect(suspect: SuspectFile) -> dict[str, object]:
    """Return a suspect file as an object that JSON can hold."""
    return {**asdict(suspect), "path": os.fsdecode(suspect.path)}


def _state_to_dict(path: bytes, sound: bool | None) -> dict[str, object]:
    parser = None if sound is None else parser_of(path)
    return {"path": os.fsdecode(path), "parses": sound, "parser": parser}


def _unit_to_dict(unit: Unit) -> dict[str, object]:
    change = unit.change
    return {
        "id": unit.id, "kind": unit.kind, "fingerprint": unit.fingerprint,
        "status": change.status, "path": os.fsdecode(change.path),
        "old_path": None if change.old_path is None else os.fsdecode(change.old_path),
        "hunks": list(map(_hunk_to_dict, unit.hunks)),
    }  # fmt: skip


def _hunk_to_dict(hunk: Hunk) -> dict[str, object]:
    return {
        "old_start": hunk.old_start, "old_lines": hunk.old_count,
        "new_start": hunk.new_start, "new_lines": hunk.new_count,
    }  # fmt: skip


def _other_to_dict(other: OtherPlan) -> dict[str, object]:
    hunks = [{"path": os.fsdecode(path), **_hunk_to_dict(hunk)} for path, hunk in other.hunks]
    return {"count": other.count, "kind": other.kind, "hunks": hunks}


@dataclass(frozen=True, slots=True)
class WrittenUnit:
    """A unit as it is in a plan file."""

    id: str
    kind: str
    fingerprint: str
    path: str
    ranges: tuple[Range, ...]

    @property
    def key(self) -> UnitKey:
        """What no other unit has."""
        return self.fingerprint, self.ranges


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan file, not yet compared with any snapshot: the plan without commits, and what they and `skipped` hold."""

    plan: SplitPlan
    commits: tuple[tuple[str, tuple[WrittenUnit, ...]], ...]
    skipped: tuple[WrittenUnit, ...]

    @property
    def units(self) -> list[WrittenUnit]:
        """All units, skipped ones first."""
        units = list(self.skipped)
        for _, written in self.commits:
            units += written
        return units

    @property
    def paths(self) -> set[str]:
        """The paths that the units change; of a rename the new one."""
        return {unit.path for unit in self.units}

    @property
    def is_cut(self) -> bool:
        """Whether files are split into hunks, so that the snapshot must be, too."""
        return any(unit.kind != "file" for unit in self.units)

    @property
    def whole_paths(self) -> set[bytes]:
        """The paths of the files that are not split; of a rename the new one."""
        return {os.fsencode(unit.path) for unit in self.units if unit.kind == "file"}

    def bind(self, units: Sequence[Unit], *, base: str | None, target: str, staged: bool = False) -> SplitPlan:
        """Return the plan for the snapshot of `base` and `target`, or what is `staged` of it, with its `units`.

        Raise SplitPlanOutdated, saying what differs, if it was made for another snapshot, and SplitError if it does not
        cover all units, or an entry's `id`, `kind` or `path` is not that of the unit with its fingerprint.
        """
        if staged and not self.plan.staged:
            raise SplitPlanOutdated(
                "the plan covers all changes, not only staged ones", hint="run again without '--staged'"
            )
        if self.plan.base != base:
            raise SplitPlanOutdated("HEAD is not the commit the plan was created for", hint="create a new plan")
        if self.plan.target != target:
            raise SplitPlanOutdated(self._describe_edit(units), hint="create a new plan")
        by_key = {unit.key: unit for unit in units}
        commits = []
        for message, written in self.commits:
            commits.append(PlannedCommit(message, _find_units(written, by_key)))
        plan = replace(self.plan, commits=tuple(commits), skipped=_find_units(self.skipped, by_key))
        for entry, unit in zip(self.units, plan.units, strict=True):
            path = os.fsdecode(unit.change.path)
            if (entry.id, entry.kind, entry.path) != (unit.id, unit.kind, path):
                raise SplitError(
                    f"'{entry.id}' ({entry.kind}, path '{entry.path}') has the fingerprint of "
                    f"'{unit.id}' ({unit.kind}, path '{path}')",
                    hint="move units as a whole, or create the plan again",
                )
        plan.check(units)
        return plan

    def _describe_edit(self, units: Sequence[Unit]) -> str:
        """Return what of the change, which has `units` now, has changed since the plan was created."""
        known, planned = {unit.fingerprint for unit in units}, {entry.fingerprint for entry in self.units}
        for entry in self.units:
            if entry.fingerprint not in known:
                return f"'{entry.id}' has changed since the plan was created"
        said = "the files have changed since the plan was created"
        for unit in units:
            if unit.fingerprint not in planned:
                return f"{said}: '{unit.id}' is not in the plan"
        return said


def _find_units(written: Sequence[WrittenUnit], by_key: Mapping[UnitKey, Unit]) -> tuple[Unit, ...]:
    units = []
    for entry in written:
        unit = by_key.get(entry.key)
        if unit is None:
            # The unit of a file with one hunk is the file, which has no parts.
            hint = "to cut a hunk, give its parts kind 'text' and its fingerprint, and divide its lines by 'hunks'"
            raise SplitError(f"'{entry.id}' is not part of the change", hint=hint)
        units.append(unit)
    return tuple(units)


def read_plan(text: str) -> WrittenPlan:
    """Return the plan that is in a file; raise SplitError if it is none, or of another version."""
    try:
        document = json.loads(text.removeprefix("\ufeff"))  # some editors begin a file with a byte order mark
    except (ValueError, RecursionError):
        document = None
    return read_object(document)


def read_object(document: Any) -> WrittenPlan:
    """Return the plan that `describe_plan` describes; raise SplitError if it is none, or of another version."""
    try:
        version = _value(document, "version", int)
        if version != VERSION:
            raise SplitError(f"unsupported plan version {version}", hint="create a new plan")
        document = {"issues": [], "gitignore": [], "confidence": None, **document}
        plan = SplitPlan(
            base=None if document["base"] is None else _value(document, "base", str),
            target=_value(document, "target", str),
            staged=_value(document, "staged", bool),
            engine=_value(document, "engine", str),
            commits=(),
            left_out=tuple(map(os.fsencode, _texts(document, "left_out"))),
            issues=_read_issues(document),
            gitignore=tuple(_texts(document, "gitignore")),
            confidence=None if document["confidence"] is None else _value(document, "confidence", float),
        )
        return WrittenPlan(plan, _read_commits(document), _read_units(document, "skipped"))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "create one with '--save-plan FILE', or with 'smartcommit session plan'"
        raise SplitError("this is not a split plan", hint=hint) from error


def _read_commits(document: Any) -> tuple[tuple[str, tuple[WrittenUnit, ...]], ...]:
    commits = []
    for entry in _value(document, "commits", list):
        commits.append((clean_message(_value(entry, "message", str)), _read_units(entry, "units")))
    return tuple(commits)


def _read_units(entry: Any, name: str) -> tuple[WrittenUnit, ...]:
    units = []
    for fields in _value(entry, name, list):
        kind, ranges = _value(fields, "kind", str), tuple(map(_read_range, _value(fields, "hunks", list)))
        if kind not in get_args(Kind):
            raise TypeError(name)
        fingerprint, path = _value(fields, "fingerprint", str), _value(fields, "path", str)
        os.fsencode(path)  # raises ValueError for one that no file can have
        units.append(WrittenUnit(_value(fields, "id", str), kind, fingerprint, path, ranges))
    return tuple(units)


def _read_range(hunk: Any) -> Range:
    return (
        _value(hunk, "old_start", int), _value(hunk, "old_lines", int),
        _value(hunk, "new_start", int), _value(hunk, "new_lines", int),
    )  # fmt: skip


def _read_issues(document: Any) -> tuple[Issue, ...]:
    issues = []
    for issue in _value(document, "issues", list):
        issues.append(Issue(_value(issue, "message", str), _value(issue, "path", str)))
    return tuple(issues)


def _value(fields: Any, name: str, kind: type[Value]) -> Value:
    # Of exactly this type: for Python True is an int, and 1.0 equals 1.
    if type(value := fields[name]) is not kind:
        raise TypeError(name)
    return value


def _texts(document: Any, name: str) -> list[str]:
    entries = _value(document, name, list)
    if not {str}.issuperset(map(type, entries)):
        raise TypeError(name)
    return entries


def list_plan_files(worktree: str, names: Iterable[str], planned: Container[str]) -> list[bytes]:
    """Return the files among `names` that are plans and no part of the change, relative to the top level `worktree`.

    These are empty or contain a plan, and are not among the paths `planned` to be committed. A file with other content
    is part of the change, even if a plan will overwrite it.
    """
    top = os.path.join(os.path.realpath(worktree), "")
    found = []
    for file in set(map(os.path.realpath, names)):
        path = file.removeprefix(top)
        if file.startswith(top) and _is_plan_or_empty(file) and path not in planned:
            found.append(os.fsencode(path))
    return found


def _is_plan_or_empty(file: str) -> bool:
    if not os.path.isfile(file) or os.path.getsize(file) > _BYTES_READ:
        return False
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        text = opened.read()
    try:
        read_plan(text)
    except SplitError:
        return not text
    return True
