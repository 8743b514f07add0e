"""Splits for MCP clients: the units of the change, a proposal, a check, the commits, and undo.

Each call reads the change again, and goes through the same flow as `git smart-commit`, with the same refusals. Units
are named as a client can send them, with escapes where the name of a file is no text. What a name stands for is kept in
the git directory, because a client may start a server for each call.
"""

from __future__ import annotations

import inspect
import json
import os
import threading
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

from mcp.types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from smartcommit import config, state_files
from smartcommit.change.wording import format_count
from smartcommit.errors import SmartcommitError, SplitError, describe_error
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.git.transaction.undo import undo
from smartcommit.mcp.tool import JsonTool, make_tool
from smartcommit.message.characters import printable
from smartcommit.secrets.files import is_any_above
from smartcommit.secrets.scan import redact
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.embedded.partition import STRATEGIES
from smartcommit.split.engine import EMBEDDED, EngineOptions
from smartcommit.split.flow import split
from smartcommit.split.model.prompt import text_of
from smartcommit.split.options import SplitOptions
from smartcommit.split.outcome import DONE, NOTHING
from smartcommit.split.plan import SplitPlan, SuspectFile, list_files_left_out, list_ids, list_left_out
from smartcommit.split.plan_file import print_plan, read_plan
from smartcommit.split.unwanted import take_screened_snapshot

INSTRUCTIONS = (
    "Splits uncommitted changes into atomic commits: list_units or propose_split, check_split, apply_split; undo_split "
    "takes the last split back. Files are never written."
)
# The last units that were listed or proposed, as a plan file.
_LISTED = "mcp-units.json"
# Characters of all hunks together that one answer shows, and how many units and commits one call may name.
_CHARACTERS_SHOWN = 40_000
_UNITS, _COMMITS = 20_000, 1000
_SPLIT_TOOLS = ("list_units", "propose_split", "check_split", "apply_split", "undo_split")


class PlannedCommit(BaseModel):
    """A commit of a plan: its message, and the units that it commits."""

    model_config = ConfigDict(extra="forbid")

    message: Annotated[str, Field(max_length=100_000, description="the whole message, with a conventional header")]
    units: Annotated[list[str], Field(max_length=_UNITS, description="ids from list_units or propose_split")]


class ListedUnit(BaseModel):
    """A unit of the change: a hunk, or a whole file; `diff` is absent if there is no room for it."""

    id: str
    kind: str
    diff: str | None = None


class LeftOut(BaseModel):
    """A file that stays uncommitted, and why."""

    path: str
    reason: str


class SplitResponse(BaseModel):
    """The answer of every tool; `uncommitted` are the units that no commit has.

    `details` is what the command line prints for a verb of a session.
    """

    status: Literal["success", "error"]
    message: str
    units: list[ListedUnit] | None = None
    commits: list[PlannedCommit] | None = None
    uncommitted: list[str] | None = None
    left_out: list[LeftOut] | None = None
    created: list[str] | None = None
    details: dict[str, Any] | None = None
    next_actions: list[str] = []

    def as_json(self) -> str:
        """Return it as JSON, without absent fields."""
        return self.model_dump_json(exclude_none=True)


class Toolbox:
    """What tools have in common: one call at a time, and errors as responses."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.check_cancelled: Callable[[], object] = lambda: None

    def refuse(self, reason: str) -> SplitResponse:
        """Respond to a call that cannot be made, for `reason`."""
        return SplitResponse(status="error", message=printable(reason))

    def guard(self, call: Callable[[], SplitResponse]) -> SplitResponse:
        """Return what `call` returns, or its error as a response."""
        with self._lock:
            try:
                return call()
            except SmartcommitError as error:
                steps = [printable(error.hint)] if error.hint else []
                return SplitResponse(status="error", message=printable(str(error)), next_actions=steps)
            except OSError as error:
                return self.refuse(describe_error(error))


class SplitTools(Toolbox):
    """The tools on the repository in `directory`; `check` is a shell command that every commit has to pass.

    Only whoever starts the server can name that command: a client must not run commands through it.
    """

    def __init__(self, directory: str, *, check: str | None = None) -> None:
        super().__init__()
        self._directory = directory
        self._check = check

    def list_units(
        self,
        *,
        staged: Annotated[bool, Field(description="only what is staged")] = False,
        path: Annotated[str, Field(description="show only the diffs of units whose id begins with this")] = "",
    ) -> SplitResponse:
        """List the hunks of the uncommitted change with their diffs, as the units that commits are made of."""
        return self.guard(lambda: self._list(staged=staged, path=path))

    def propose_split(
        self,
        *,
        staged: Annotated[bool, Field(description="only what is staged")] = False,
        count: Annotated[int | None, Field(ge=1, le=_COMMITS, description="number of commits to aim for")] = None,
        strategy: Annotated[str, Field(description=f"how to group: one of {', '.join(STRATEGIES)}")] = "auto",
    ) -> SplitResponse:
        """Propose atomic commits for the uncommitted change; nothing is changed."""
        return self.guard(lambda: self._propose(staged=staged, count=count, strategy=strategy))

    def check_split(self, *, commits: Annotated[list[PlannedCommit], Field(max_length=_COMMITS)]) -> SplitResponse:
        """Check a plan as apply_split would, and change nothing. Units that no commit names stay uncommitted."""
        return self.guard(lambda: self._run(commits, apply=False))

    def apply_split(self, *, commits: Annotated[list[PlannedCommit], Field(max_length=_COMMITS)]) -> SplitResponse:
        """Create the commits of a plan, all of them or none. Units that no commit names stay uncommitted."""
        return self.guard(lambda: self._run(commits, apply=True))

    def undo_split(self) -> SplitResponse:
        """Undo the last split: HEAD and the index become as before it, and files stay as they are."""
        return self.guard(self._undo)

    def _list(self, *, staged: bool, path: str) -> SplitResponse:
        repository = Repository.find(self._directory)
        taking = take_screened_snapshot(repository, staged=staged, apart=(), planned=(), include_secrets=False)
        with taking as (snapshot, suspects):
            analyzer = GitAnalyzer(snapshot, config.load(repository.worktree, listing=snapshot.config))
            units = analyzer.hunks.units
            left_out = list_files_left_out(suspects)
            plan = SplitPlan(
                snapshot.base,
                snapshot.target,
                snapshot.staged,
                engine="client",
                commits=(),
                skipped=tuple(units),
                warnings=tuple(suspects),
            )
            shown = _show_units(units, path, left_out)
        self._keep(repository, print_plan(plan))
        return SplitResponse(
            status="success",
            message=f"the change has {format_count(len(shown), 'unit')}",
            units=shown,
            left_out=_show_left_out(suspects),
            next_actions=["check_split with commits made of these units", "propose_split"],
        )

    def _propose(self, *, staged: bool, count: int | None, strategy: str) -> SplitResponse:
        if strategy not in STRATEGIES:
            raise SplitError(f"unknown strategy '{strategy}'", hint=f"use one of {', '.join(STRATEGIES)}")
        repository = Repository.find(self._directory)
        # The client is a model itself, so no other one is asked.
        choice = EngineOptions(engine=EMBEDDED, strategy=strategy, count=count)
        output = _split(repository, SplitOptions(choice, json=True), staged=staged)
        self._keep(repository, output)
        return show_plan(
            json.loads(output), "nothing was changed", ["apply_split with these commits, or with edited ones"]
        )

    def _run(self, commits: Sequence[PlannedCommit], *, apply: bool) -> SplitResponse:
        repository = Repository.find(self._directory)
        plan = read_plan(assign_units(self._load(repository), commits))
        self.check_cancelled()
        options = SplitOptions(plan=plan, check=self._check, json=True, dry_run=not apply)
        output = _split(repository, options, staged=plan.plan.staged, yes=apply)
        if apply:
            return show_plan(
                json.loads(output), f"created {format_count(len(commits), 'commit')}", ["undo_split takes them back"]
            )
        done = "the plan can be applied; nothing was changed"
        return show_plan(json.loads(output), done, ["apply_split with the same commits"])

    def _undo(self) -> SplitResponse:
        entry, warnings = undo(Repository.find(self._directory))
        place = f"HEAD is back at {entry.old[:10]}" if entry.old else "HEAD has no commits again"
        message = "; ".join([f"{place}, the index is restored, files are unchanged", *map(printable, warnings)])
        return SplitResponse(status="success", message=message, next_actions=["list_units"])

    def _keep(self, repository: Repository, plan: str) -> None:
        """Keep the units of a plan, which later calls name."""
        if not state_files.save(repository.git_dir, _LISTED, plan.encode()):
            raise SplitError("cannot write to the git directory", hint="check its permissions and the space on disk")

    def _load(self, repository: Repository) -> str:
        """Return the plan that was kept."""
        kept = state_files.load(repository.git_dir, _LISTED)
        if kept is None:
            raise SplitError("no units were listed", hint="call list_units or propose_split first")
        text = kept.decode("utf-8", "replace")
        read_plan(text)  # raises an error that says what to do if it is none
        return text


def list_tools(tools: SplitTools) -> list[JsonTool]:
    """Return the tools, which call the methods of `tools`."""
    listed = []
    for name in _SPLIT_TOOLS:
        annotations = ToolAnnotations(
            read_only_hint=name not in ("apply_split", "undo_split"),
            destructive_hint=name == "undo_split",
            idempotent_hint=name not in ("apply_split", "undo_split"),
            open_world_hint=False,
        )
        method = getattr(tools, name)
        listed.append(make_tool(method, inspect.getdoc(method) or "", annotations, tools.refuse))
    return listed


def _split(repository: Repository, options: SplitOptions, *, staged: bool, yes: bool = False) -> str:
    """Return the JSON that a split prints; raise SplitError with what it complains of if it fails."""
    printed: list[str] = []
    complaints: list[str] = []
    out, complain = printed.append, complaints.append
    status = split(repository, staged=staged, yes=yes, terminal=None, out=out, complain=complain, options=options)
    if status == DONE:
        return "\n".join(printed)
    text = "\n".join(complaints).removeprefix("smartcommit: ")
    message, _, hint = text.partition("\nhint: ")
    if status == NOTHING and not message:
        message = "nothing to split"
    raise SplitError(message, hint=hint or None)


def name_units(ids: Sequence[str]) -> list[str]:
    """Return for each id a name that a client can send: printable, without secrets, and unique."""
    names: dict[str, None] = {}
    for one in ids:
        name = start = redact(printable(one))
        number = 1
        while name in names:
            number += 1
            name = f"{start}~{number}"
        names[name] = None
    return list(names)


def _show_units(units: Sequence[Unit], path: str, left_out: Sequence[bytes]) -> list[ListedUnit]:
    """Return the units by name, with the diffs of those whose name begins with `path`, as far as there is room.

    Those of files that are `left_out` are not shown.
    """
    shown = []
    room = _CHARACTERS_SHOWN
    for name, unit in zip(name_units(list_ids(units)), units, strict=True):
        if is_any_above(unit.change.path, left_out):
            continue
        diff = None
        if room > 0 and name.startswith(path):
            diff = "\n".join(map(printable, text_of(unit)))[:room]
            room -= len(diff)
        shown.append(ListedUnit(id=name, kind=unit.kind, diff=diff))
    return shown


def _show_left_out(suspects: Sequence[SuspectFile]) -> list[LeftOut]:
    found = []
    for suspect in list_left_out(suspects):
        found.append(LeftOut(path=redact(printable(os.fsdecode(suspect.path))), reason=suspect.reason))
    return found


def _list_withheld(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the warnings of a plan about files that stay uncommitted."""
    return [warning for warning in document["warnings"] if warning["left_out"]]


def assign_units(listed: str, commits: Sequence[PlannedCommit]) -> str:
    """Return the plan `listed`, as JSON, with these commits instead, and all other units uncommitted.

    Raise SplitError if a unit is unknown, or its file is left out.
    """
    document = json.loads(listed)
    entries = list(chain(document["skipped"], *(commit["units"] for commit in document["commits"])))
    named = dict(zip(name_units([entry["id"] for entry in entries]), entries, strict=True))
    withheld = [os.fsencode(warning["path"]) for warning in _list_withheld(document) if warning["line"] is None]
    left = dict(named)
    made = []
    for commit in commits:
        units = []
        for name in commit.units:
            if name not in named:
                raise SplitError(f"'{name[:200]}' is no unit of this change", hint="list the units to see them")
            if is_any_above(os.fsencode(named[name]["path"]), withheld):
                raise SplitError(f"'{name}' is left out: see left_out", hint="a person can commit it by name")
            units.append(named[name])
            left.pop(name, None)
        made.append({"message": commit.message, "units": units})
    return json.dumps({**document, "commits": made, "skipped": list(left.values())})


def show_plan(document: dict[str, Any], message: str, next_actions: list[str]) -> SplitResponse:
    """Return the response for a plan that was printed as JSON."""
    entries = list(chain(document["skipped"], *(commit["units"] for commit in document["commits"])))
    ids = [entry["id"] for entry in entries]
    names = dict(zip(ids, name_units(ids), strict=True))
    commits = []
    for commit in document["commits"]:
        units = [names[entry["id"]] for entry in commit["units"]]
        commits.append(PlannedCommit(message=printable(commit["message"], keep="\n"), units=units))
    left_out = []
    for warning in _list_withheld(document):
        left_out.append(LeftOut(path=redact(printable(warning["path"])), reason=warning["reason"]))
    return SplitResponse(
        status="success",
        message=message,
        commits=commits,
        uncommitted=[names[entry["id"]] for entry in document["skipped"]],
        left_out=left_out,
        created=[commit["oid"] for commit in document["commits"] if "oid" in commit] or None,
        next_actions=next_actions,
    )
