"""Plan files: a plan as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import zip_longest
from typing import Any, get_args

from smartcommit.errors import SplitError
from smartcommit.git.diff import FileChange, Hunk
from smartcommit.git.hunks import Kind, Unit
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.plan import Issue, PlannedCommit, SplitPlan, clean_message
from smartcommit.split.reasons import explain_plan

VERSION = 1


def print_plan(plan: SplitPlan) -> str:
    return f"{json.dumps(describe_plan(plan), indent=2)}\n"


def describe_plan(plan: SplitPlan, made: Sequence[str] = ()) -> dict[str, Any]:
    """Return the plan as JSON can hold it, with the object names of the commits if they were `made`."""

    def describe(unit: Unit) -> dict[str, object]:
        change = unit.change
        return {
            "id": unit.id, "kind": unit.kind, "fingerprint": unit.fingerprint,
            "status": change.status, "path": os.fsdecode(change.path),
            "old_path": None if change.old_path is None else os.fsdecode(change.old_path),
            "hunks": [_describe_numbers(hunk) for hunk in unit.hunks], **plan.evidence.get(unit.id, {}),
        }  # fmt: skip

    commits = []
    for commit, why, oid in zip_longest(plan.commits, explain_plan(plan), made):
        entry: dict[str, object] = {"message": commit.message, "open": commit.open, "why": why}
        entry["units"] = [describe(unit) for unit in commit.units]
        if oid is not None:
            entry["oid"] = oid
        commits.append(entry)
    return {
        "version": VERSION, "base": plan.base, "target": plan.target, "staged": plan.staged, "engine": plan.engine,
        "commits": commits, "left_out": [os.fsdecode(path) for path in plan.left_out],
        "skipped": [describe(unit) for unit in plan.skipped], "issues": [asdict(issue) for issue in plan.issues],
        "gitignore": list(plan.gitignore), "warnings": [describe_suspect(warning) for warning in plan.warnings],
        "hides_untracked": plan.hides_untracked, "confidence": plan.confidence,
    }  # fmt: skip


def describe_suspect(suspect: SuspectFile) -> dict[str, object]:
    return {"path": os.fsdecode(suspect.path), "reason": suspect.reason, "left_out": suspect.left_out}


def _describe_numbers(hunk: Hunk) -> dict[str, object]:
    return dict(zip(_HUNK_FIELDS, hunk.numbers, strict=True))


def read_plan(text: str) -> SplitPlan:
    """Return the plan that is in a file, to be bound; raise SplitError if it is none, or of another version."""
    try:
        document = json.loads(text.removeprefix("\ufeff"))  # some editors begin a file with a byte order mark
    except (ValueError, RecursionError):
        document = None
    return read_object(document)


def read_object(document: Any) -> SplitPlan:
    """Return the plan that `describe_plan` describes; raise SplitError if it is none, or of another version."""
    try:
        _check_types(document, {"version": (int,)})
        if document["version"] != VERSION:
            raise SplitError(f"unsupported plan version {document['version']}", hint="create a new plan")
        document = {"issues": [], "gitignore": [], "confidence": None, **document}
        _check_types(document, _TYPES)
        commits = []
        for commit in document["commits"]:
            is_open = commit.get("open", False)
            _check_types(is_open, (bool,))
            commits.append(PlannedCommit(clean_message(commit["message"]), _read_units(commit["units"]), open=is_open))
        return SplitPlan(
            document["base"], document["target"], document["staged"], document["engine"], tuple(commits),
            left_out=tuple(os.fsencode(path) for path in document["left_out"]),
            skipped=_read_units(document["skipped"]),
            issues=tuple(Issue(issue["message"], issue["path"]) for issue in document["issues"]),
            gitignore=tuple(document["gitignore"]), confidence=document["confidence"],
        )  # fmt: skip
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
    """Raise TypeError, or KeyError, if `value` is not as `types` says, which is written as `_TYPES` is."""
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


def _read_units(entries: list[dict[str, Any]]) -> tuple[Unit, ...]:
    units = []
    for fields in entries:
        hunks = []
        for hunk in fields["hunks"]:
            old_start, old_count, new_start, new_count = (hunk[name] for name in _HUNK_FIELDS)
            hunks.append(Hunk(old_start, old_count, new_start, new_count, b"", [], []))
        if fields["kind"] not in get_args(Kind):
            raise ValueError
        # The path may be one that no file can have, which raises ValueError.
        change = FileChange("", os.fsencode(fields["path"]), None, "", "", "", "")
        units.append(Unit(fields["id"], fields["kind"], change, tuple(hunks), fields["fingerprint"]))
    return tuple(units)


def list_plan_files(worktree: str, names: Iterable[str], planned: Container[str]) -> list[bytes]:
    """Return the files among `names` that are plans and no part of the change, relative to the top level `worktree`.

    These are empty or contain a plan, and are not among the paths `planned` to be committed. A file with other content
    is part of the change, even if a plan will overwrite it.
    """
    top = os.path.join(os.path.realpath(worktree), "")
    files = []
    for file in {os.path.realpath(name) for name in names}:
        path = file.removeprefix(top).replace(os.sep, "/")
        if not file.startswith(top) or path in planned or not os.path.isfile(file):
            continue
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            text = opened.read()
        with suppress(SplitError):
            if text:
                read_plan(text)
            files.append(os.fsencode(path))
    return files
