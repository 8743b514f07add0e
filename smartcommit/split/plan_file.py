"""Plan files: a plan as JSON, read again for the snapshot that it was made for."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from typing import Any, NamedTuple, get_args

from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.diff import Hunk, Range
from smartcommit.git.hunks import Kind, Unit, UnitKey
from smartcommit.split.plan import Issue, OtherPlan, PlannedCommit, SplitPlan, SuspectFile, clean_message
from smartcommit.split.reasons import explain_plan

VERSION = 1
# What a plan file has of a plan, in this order.
_FIELDS = (
    "base", "target", "staged", "engine", "commits", "left_out", "skipped", "issues", "gitignore", "warnings",
    "hides_untracked", "confidence", "other",
)  # fmt: skip


def print_plan(plan: SplitPlan) -> str:
    return f"{json.dumps(describe_plan(plan), indent=2)}\n"


def describe_plan(plan: SplitPlan, made: Sequence[str] = ()) -> dict[str, Any]:
    """Return the plan for JSON, with the name of each commit if they are `made`."""

    def describe(unit: Unit) -> dict[str, object]:
        return {**_unit_to_dict(unit), **plan.evidence.get(unit.id, {})}

    commits = []
    for commit, why, oid in zip_longest(plan.commits, explain_plan(plan), made):
        entry: dict[str, object] = {
            "message": commit.message,
            "open": commit.open,
            "why": why,
            "units": [describe(unit) for unit in commit.units],
        }
        if oid is not None:
            entry["oid"] = oid
        commits.append(entry)
    document: dict[str, object] = {"version": VERSION}
    for name in _FIELDS:
        document[name] = getattr(plan, name)
    document["commits"] = commits
    document["left_out"] = [os.fsdecode(path) for path in plan.left_out]
    document["skipped"] = [describe(item) for item in plan.skipped]
    document["issues"] = [asdict(issue) for issue in plan.issues]
    document["gitignore"] = list(plan.gitignore)
    document["warnings"] = [describe_suspect(warning) for warning in plan.warnings]
    if plan.other is not None:
        document["other"] = _other_to_dict(plan.other)
    return document


def describe_suspect(suspect: SuspectFile) -> dict[str, object]:
    return {**asdict(suspect), "path": os.fsdecode(suspect.path)}


def _unit_to_dict(unit: Unit) -> dict[str, object]:
    change = unit.change
    return {
        "id": unit.id, "kind": unit.kind, "fingerprint": unit.fingerprint,
        "status": change.status, "path": os.fsdecode(change.path),
        "old_path": None if change.old_path is None else os.fsdecode(change.old_path),
        "hunks": [_hunk_to_dict(hunk) for hunk in unit.hunks],
    }  # fmt: skip


def _hunk_to_dict(hunk: Hunk) -> dict[str, object]:
    return dict(zip(_HUNK_FIELDS, hunk.range, strict=True))


def _other_to_dict(other: OtherPlan) -> dict[str, object]:
    hunks = [{"path": os.fsdecode(path), **_hunk_to_dict(hunk)} for path, hunk in other.hunks]
    return {"count": other.count, "kind": other.kind, "hunks": hunks}


class WrittenUnit(NamedTuple):
    """A unit as it is in a plan file."""

    id: str
    kind: str
    fingerprint: str
    path: str
    ranges: tuple[Range, ...]

    @property
    def key(self) -> UnitKey:
        return self.fingerprint, self.ranges


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan file: a `plan` whose `commits` have no units, and `groups` of units: skipped ones, and each commit."""

    plan: SplitPlan
    commits: list[PlannedCommit]
    groups: list[list[WrittenUnit]]

    @property
    def units(self) -> list[WrittenUnit]:
        return list(chain.from_iterable(self.groups))

    @property
    def paths(self) -> set[str]:
        return {unit.path for unit in self.units}

    @property
    def is_cut(self) -> bool:
        """Whether files are split into hunks, so that the snapshot must be, too."""
        return any(unit.kind != "file" for unit in self.units)

    @property
    def whole_paths(self) -> set[bytes]:
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
        skipped, *groups = (_find_units(group, by_key) for group in self.groups)
        commits = []
        for commit, found in zip(self.commits, groups, strict=True):
            commits.append(replace(commit, units=found))
        plan = replace(self.plan, commits=tuple(commits), skipped=skipped)
        plan.check(units)
        return plan

    def _describe_edit(self, units: Sequence[Unit]) -> str:
        """Return what of the change, which has `units` now, has changed since the plan was created."""
        known = {unit.fingerprint for unit in units}
        planned = {entry.fingerprint for entry in self.units}
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
        path = os.fsdecode(unit.change.path)
        if (entry.id, entry.kind, entry.path) != (unit.id, unit.kind, path):
            raise SplitError(
                f"'{entry.id}' ({entry.kind}, path '{entry.path}') has the fingerprint of "
                f"'{unit.id}' ({unit.kind}, path '{path}')",
                hint="move units as a whole, or create the plan again",
            )
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
        _check_types(document, {"version": (int,)})
        if document["version"] != VERSION:
            raise SplitError(f"unsupported plan version {document['version']}", hint="create a new plan")
        document = {"issues": [], "gitignore": [], "confidence": None, **document}
        _check_types(document, _TYPES)
        issues = []
        for issue in document["issues"]:
            issues.append(Issue(issue["message"], issue["path"]))
        plan = SplitPlan(
            document["base"], document["target"], document["staged"], document["engine"], (),
            left_out=tuple(os.fsencode(path) for path in document["left_out"]), issues=tuple(issues),
            gitignore=tuple(document["gitignore"]), confidence=document["confidence"],
        )  # fmt: skip
        commits, groups = [], [_read_units(document["skipped"])]
        for commit in document["commits"]:
            is_open = commit.get("open", False)
            _check_types(is_open, (bool,))
            commits.append(PlannedCommit(clean_message(commit["message"]), (), open=is_open))
            groups.append(_read_units(commit["units"]))
        return WrittenPlan(plan, commits, groups)
    except (ValueError, KeyError, TypeError) as error:
        hint = "create one with '--save-plan FILE', or with 'smartcommit session plan'"
        raise SplitError("this is not a split plan", hint=hint) from error


_HUNK_FIELDS = ("old_start", "old_lines", "new_start", "new_lines")
_HUNK = dict.fromkeys(_HUNK_FIELDS, (int,))
_UNITS = [{"id": (str,), "kind": (str,), "fingerprint": (str,), "path": (str,), "hunks": [_HUNK]}]
# The types that values of a plan file have; a list has one entry, which is that of its items.
_TYPES = {
    "base": (str, type(None)), "target": (str,), "staged": (bool,), "engine": (str,), "left_out": [(str,)],
    "issues": [{"message": (str,), "path": (str,)}], "gitignore": [(str,)], "confidence": (float, type(None)),
    "commits": [{"message": (str,), "units": _UNITS}], "skipped": _UNITS,
}  # fmt: skip


def _check_types(value: Any, types: Any) -> None:
    """Raise TypeError, or KeyError, if `value` has other types than `types` says."""
    if isinstance(types, dict):
        for name, part in types.items():
            _check_types(value[name], part)
    elif isinstance(types, list):
        _check_types(value, (list,))
        for item in value:
            _check_types(item, types[0])
    # Of exactly this type: for Python True is an int, and 1.0 equals 1.
    elif type(value) not in types:
        raise TypeError


def _read_units(entries: list[dict[str, Any]]) -> list[WrittenUnit]:
    units = []
    for fields in entries:
        ranges = []
        for hunk in fields["hunks"]:
            old_start, old_count, new_start, new_count = (hunk[name] for name in _HUNK_FIELDS)
            ranges.append((old_start, old_count, new_start, new_count))
        if fields["kind"] not in get_args(Kind):
            raise ValueError
        os.fsencode(fields["path"])  # raises ValueError for one that no file can have
        units.append(WrittenUnit(fields["id"], fields["kind"], fields["fingerprint"], fields["path"], tuple(ranges)))
    return units


def list_plan_files(worktree: str, names: Iterable[str], planned: Container[str]) -> list[bytes]:
    """Return the files among `names` that are plans and no part of the change, relative to the top level `worktree`.

    These are empty or contain a plan, and are not among the paths `planned` to be committed. A file with other content
    is part of the change, even if a plan will overwrite it.
    """
    top = os.path.join(os.path.realpath(worktree), "")
    found = []
    for file in {os.path.realpath(name) for name in names}:
        path = file.removeprefix(top).replace(os.sep, "/")
        if file.startswith(top) and _is_plan_or_empty(file) and path not in planned:
            found.append(os.fsencode(path))
    return found


def _is_plan_or_empty(file: str) -> bool:
    if not os.path.isfile(file):
        return False
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        text = opened.read()
    try:
        read_plan(text)
    except SplitError:
        return not text
    return True
