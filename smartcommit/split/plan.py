"""`SplitPlan`, and its JSON form for plan files."""

from __future__ import annotations

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, starmap, zip_longest
from typing import Any, TypeVar, get_args

from smartcommit.change.syntax import States, parser_of
from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import Kind, Unit
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.unwanted import SuspectFile

VERSION = 1

Value = TypeVar("Value")
# Bytes of the largest file that is read as a plan: one of a hundred thousand commits.
_LIMIT = 128 << 20


@dataclass(frozen=True, slots=True)
class PlannedCommit:
    """A commit to create: its message, ending in one newline, and its units."""

    message: str
    units: tuple[Unit, ...]

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class Issue:
    """Something wrong that a model noticed in a file: it is shown to a person, and never committed."""

    message: str
    path: str


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """The commits in their order, bound to the snapshot they were made for.

    `base` is the commit they start from (None: none yet) and `target` the tree they end in; `staged` means that the
    index was split, not the working tree. Units in `skipped` stay uncommitted, and so do the paths in `left_out`.
    `issues` and `gitignore` are remarks of a model for the user. `warnings` are files that look like secrets or build
    artifacts. `hides_untracked` is whether untracked files stay uncommitted because git is configured to hide them.
    `confidence` is the probability that the embedded splitter chose the right number of commits; None if it did not
    choose it.
    """

    base: str | None
    target: str
    staged: bool
    engine: str
    commits: tuple[PlannedCommit, ...]
    left_out: tuple[bytes, ...] = ()
    skipped: tuple[Unit, ...] = ()
    issues: tuple[Issue, ...] = ()
    gitignore: tuple[str, ...] = ()
    warnings: tuple[SuspectFile, ...] = ()
    hides_untracked: bool = False
    confidence: float | None = None

    @property
    def units(self) -> list[Unit]:
        """All units, skipped ones first."""
        return [*self.skipped, *list_units(self.commits)]

    def check(self, units: Sequence[Unit]) -> None:
        """Raise SplitError if a commit is empty or a unit is unknown, used twice, or neither planned nor skipped.

        `units` are all units of the snapshot.
        """
        if not self.commits:
            raise SplitError("the plan has no commits")
        for commit in self.commits:
            if not commit.units:
                raise SplitError("the plan has a commit without changes")
        planned, known = Counter(list_ids(self.units)), set(list_ids(units))
        for names, problem in (
            (planned.keys() - known, "is not part of the change"),
            (planned - Counter(known), "is in more than one commit"),
            (known - planned.keys(), "is not in any commit"),
        ):
            if names:
                raise SplitError(f"'{next(iter(names))}' {problem}", hint="create a new plan")

    def with_commits(self, commits: Sequence[PlannedCommit], units: Sequence[Unit]) -> SplitPlan:
        """Return this plan with other commits, their units in the order of `units`, which are those of the change.

        Those that are in no commit stay uncommitted. Raise SplitError if a commit has a unit that is not among them.
        """
        places = {unit.id: place for place, unit in enumerate(units)}
        ordered = []
        left = {unit.id: unit for unit in units}
        for commit in commits:
            for unit in commit.units:
                if unit.id not in places:
                    raise SplitError(f"'{unit.id}' is not part of the change", hint="create a new plan")
                left.pop(unit.id, None)
            chosen = sorted(commit.units, key=lambda unit: places[unit.id])
            ordered.append(PlannedCommit(commit.message, tuple(chosen)))
        return replace(self, commits=tuple(ordered), skipped=tuple(left.values()))

    def to_json(self, *, states: Sequence[States] = (), made: Sequence[str] = ()) -> str:
        """Return the plan as one JSON object.

        `states` adds to each commit the files that it leaves partly changed, and `made` its object name.
        """
        commits = []
        for commit, between, oid in zip_longest(self.commits, states, made):
            entry: dict[str, object] = {"message": commit.message, "units": list(map(_encode, commit.units))}
            if between is not None:
                entry["between"] = list(starmap(_state_to_dict, between.items()))
            if oid is not None:
                entry["oid"] = oid
            commits.append(entry)
        document: dict[str, object] = {"version": VERSION}
        for field in dataclasses.fields(self):
            document[field.name] = getattr(self, field.name)
        document["commits"] = commits
        return json.dumps(document, indent=2, default=_encode)


def make_plan(
    snapshot: Snapshot,
    commits: Sequence[PlannedCommit],
    units: Sequence[Unit],
    *,
    engine: str,
    issues: Sequence[Issue] = (),
    gitignore: Sequence[str] = (),
) -> SplitPlan:
    """Return the plan that makes `commits` of `units`; those in none of them stay uncommitted."""
    left_out: tuple[bytes, ...] = ()
    if not snapshot.staged:
        # A path that HEAD has and only the index lacks is no change: it was neither added nor left out.
        known = set(snapshot.removed)
        for unit in units:
            known.update(unit.paths)
        left_out = tuple(path for path in snapshot.untracked if path not in known)
    plan = SplitPlan(
        base=snapshot.base,
        target=snapshot.target,
        staged=snapshot.staged,
        engine=engine,
        commits=(),
        left_out=left_out,
        issues=tuple(dict.fromkeys(issues)),
        gitignore=tuple(gitignore),
        hides_untracked=snapshot.hides_untracked,
    )
    return plan.with_commits(commits, units)


def list_ids(units: Iterable[Unit]) -> list[str]:
    """Return the ids of `units`."""
    return [unit.id for unit in units]


def list_groups(commits: Iterable[PlannedCommit]) -> list[list[Unit]]:
    """Return the units of each of `commits`."""
    return [list(commit.units) for commit in commits]


def list_units(commits: Iterable[PlannedCommit]) -> list[Unit]:
    """Return the units of all `commits`."""
    return list(chain.from_iterable(commit.units for commit in commits))


def clean_message(message: str) -> str:
    """Return `message` without whitespace at the ends of lines and ending in one newline, as git records it."""
    lines = (line.rstrip(" \t\r") for line in message.split("\n"))
    return "\n".join(lines).strip("\n") + "\n"


def _state_to_dict(path: bytes, sound: bool | None) -> dict[str, object]:
    parser = None if sound is None else parser_of(path)
    return {"path": path, "parses": sound, "parser": parser}


def _encode(value: object) -> object:
    """Return the JSON form of the parts of a plan."""
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, (SuspectFile, Issue)):
        return asdict(value)
    if isinstance(value, Hunk):
        return {
            "old_start": value.old_start, "old_lines": value.old_count,
            "new_start": value.new_start, "new_lines": value.new_count,
        }  # fmt: skip
    assert isinstance(value, Unit)
    change = value.change
    return {
        "id": value.id, "kind": value.kind, "fingerprint": value.fingerprint,
        "status": change.status, "path": os.fsdecode(change.path), "old_path": change.old_path,
        "hunks": list(map(_encode, value.hunks)),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class WrittenUnit:
    """A unit as it is in a plan file."""

    id: str
    kind: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan file, not yet compared with any snapshot; the fields are those of SplitPlan."""

    base: str | None
    target: str
    staged: bool
    engine: str
    commits: tuple[tuple[str, tuple[WrittenUnit, ...]], ...]
    left_out: tuple[bytes, ...]
    skipped: tuple[WrittenUnit, ...]
    issues: tuple[Issue, ...]
    gitignore: tuple[str, ...]
    confidence: float | None

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
        return {unit.id.rpartition("::")[0] for unit in self.units}

    @property
    def is_cut(self) -> bool:
        """Whether files are split into hunks, so that the snapshot must be, too."""
        return any(unit.kind != "file" for unit in self.units)

    def bind(self, units: Sequence[Unit], *, base: str | None, target: str, staged: bool = False) -> SplitPlan:
        """Return the plan for the snapshot of `base` and `target`, or what is `staged` of it, with its `units`.

        Raise SplitPlanOutdated, saying what differs, if it was made for another snapshot, and SplitError if it does not
        cover all units, or an entry's `id` or `kind` is not that of the unit with its fingerprint.
        """
        if staged and not self.staged:
            raise SplitPlanOutdated(
                "the plan covers all changes, not only staged ones", hint="run again without '--staged'"
            )
        by_fingerprint = {unit.fingerprint: unit for unit in units}
        commits = []
        for message, written in self.commits:
            commits.append(PlannedCommit(message, _find_units(written, by_fingerprint)))
        plan = SplitPlan(
            base=self.base, target=self.target, staged=self.staged, engine=self.engine, commits=tuple(commits),
            left_out=self.left_out, skipped=_find_units(self.skipped, by_fingerprint), issues=self.issues,
            gitignore=self.gitignore, confidence=self.confidence,
        )  # fmt: skip
        if plan.base != base:
            raise SplitPlanOutdated("HEAD is not the commit the plan was created for", hint="create a new plan")
        if plan.target != target:
            planned = set(list_ids(plan.units))
            new = next((f": '{unit.id}' is not in the plan" for unit in units if unit.id not in planned), "")
            raise SplitPlanOutdated(f"the files have changed since the plan was created{new}", hint="create a new plan")
        for entry, unit in zip(self.units, plan.units, strict=True):
            if (entry.id, entry.kind) != (unit.id, unit.kind):
                raise SplitError(
                    f"'{entry.id}' ({entry.kind}) has the fingerprint of '{unit.id}' ({unit.kind})",
                    hint="move units as a whole, or create the plan again",
                )
        plan.check(units)
        return plan


def read_plan(text: str) -> WrittenPlan:
    """Return the plan that `SplitPlan.to_json` wrote; raise SplitError if it is none, or of another version."""
    try:
        document = json.loads(text.removeprefix("\ufeff"))  # some editors begin a file with a byte order mark
        version = _value(document, "version", int)
        if version != VERSION:
            raise SplitError(f"unsupported plan version {version}", hint="create a new plan")
        document = {"issues": [], "gitignore": [], "confidence": None, **document}
        return WrittenPlan(
            base=None if document["base"] is None else _value(document, "base", str),
            target=_value(document, "target", str),
            staged=_value(document, "staged", bool),
            engine=_value(document, "engine", str),
            commits=_read_commits(document),
            left_out=tuple(map(os.fsencode, _texts(document, "left_out"))),
            skipped=_read_units(document, "skipped"),
            issues=_read_issues(document),
            gitignore=tuple(_texts(document, "gitignore")),
            confidence=None if document["confidence"] is None else _value(document, "confidence", float),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SplitError("this is not a split plan", hint="create one with '--save-plan FILE'") from error


def _read_commits(document: Any) -> tuple[tuple[str, tuple[WrittenUnit, ...]], ...]:
    commits = []
    for entry in _value(document, "commits", list):
        commits.append((clean_message(_value(entry, "message", str)), _read_units(entry, "units")))
    return tuple(commits)


def _read_units(entry: Any, name: str) -> tuple[WrittenUnit, ...]:
    units = []
    for fields in _value(entry, name, list):
        unit = WrittenUnit(_value(fields, "id", str), _value(fields, "kind", str), _value(fields, "fingerprint", str))
        if unit.kind not in get_args(Kind):
            raise TypeError(name)
        units.append(unit)
    return tuple(units)


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


def _find_units(written: Sequence[WrittenUnit], by_fingerprint: Mapping[str, Unit]) -> tuple[Unit, ...]:
    units = []
    for entry in written:
        unit = by_fingerprint.get(entry.fingerprint)
        if unit is None:
            raise SplitPlanOutdated(f"'{entry.id}' has changed since the plan was created", hint="create a new plan")
        units.append(unit)
    return tuple(units)


def list_plan_files(worktree: str, names: Iterable[str], planned: Container[str]) -> list[bytes]:
    """Return those of the files `names` that are not part of the change, relative to the top level `worktree`.

    They are empty or contain a plan, and are not among the paths `planned` to be committed. A file that a plan will
    overwrite is part of the change if it was something else.
    """
    top = os.path.join(os.path.realpath(worktree), "")
    found = []
    for file in set(map(os.path.realpath, names)):
        path = file.removeprefix(top)
        if file.startswith(top) and _is_plan_or_empty(file) and path not in planned:
            found.append(os.fsencode(path))
    return found


def _is_plan_or_empty(file: str) -> bool:
    if not os.path.isfile(file) or os.path.getsize(file) > _LIMIT:
        return False
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        text = opened.read()
    try:
        read_plan(text)
    except SplitError:
        return not text
    return True
