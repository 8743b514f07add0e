"""Splits for MCP clients: the units of the change, a proposal, a check, the commits, and undo.

Each call reads the change again, and goes through the same flow as `git smart-commit`, with the same refusals. Units
are named as a client can send them, with escapes where the name of a file is no text. What a name stands for is kept in
the git directory, because a client may start a server for each call.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Sequence
from functools import wraps
from operator import itemgetter
from typing import Annotated, Any, Literal

from anyio import from_thread
from pydantic import BaseModel, ConfigDict, Field

from smartcommit import config, state_files
from smartcommit.change.wording import format_count
from smartcommit.errors import SplitError
from smartcommit.git.hunks import Unit
from smartcommit.git.repo import Repository
from smartcommit.git.transaction.undo import undo
from smartcommit.mcp.tool import JsonTool, make_tool
from smartcommit.message.characters import printable
from smartcommit.secrets.files import is_any_above
from smartcommit.secrets.scan import redact
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.embedded.partition import STRATEGIES
from smartcommit.split.flow import split
from smartcommit.split.model.prompt import text_of
from smartcommit.split.outcome import EXPECTED, explain_failure
from smartcommit.split.plan import SplitPlan
from smartcommit.split.plan_file import WrittenPlan, describe_plan, read_object
from smartcommit.split.source import EMBEDDED, EngineOptions, SplitOptions
from smartcommit.split.unwanted import take_screened_snapshot

# The last units that were listed or proposed, as a plan file.
_LISTED = "mcp-units.json"
# Characters of all hunks together that one answer shows, and how many units and commits one call may name.
_CHARACTERS_SHOWN = 40_000
_UNITS, _COMMITS = 20_000, 1000


class PlannedCommit(BaseModel):
    """A commit of a plan: its message, and the units that it commits."""

    model_config = ConfigDict(extra="forbid")

    message: Annotated[str, Field(max_length=100_000, description="the whole message, with a conventional header")]
    units: Annotated[list[str], Field(max_length=_UNITS, description="ids from list_units or propose_split")]


class SplitResponse(BaseModel):
    """The answer of every tool.

    `units` are hunks, or whole files, with their diffs while there is room, and `uncommitted` those that no commit has.
    `left_out` are files with the reason why they stay uncommitted. `details` is what the command line prints for a verb
    of a session.
    """

    status: Literal["success", "error"] = "success"
    message: str
    units: list[dict[str, str]] | None = None
    commits: list[PlannedCommit] | None = None
    uncommitted: list[str] | None = None
    left_out: list[dict[str, str]] | None = None
    created: list[str] | None = None
    details: dict[str, Any] | None = None
    next_actions: list[str] = []


Commits = Annotated[list[PlannedCommit], Field(max_length=_COMMITS)]


class Toolbox:
    """Tools on the repository in `directory`, its public methods; `check` is a command that every commit has to pass.

    Only whoever starts the server can name that command: a client must not run commands through it.
    """

    # What the client's model is told of these tools at the start.
    instructions = ""

    def __init__(self, directory: str, *, check: str | None = None) -> None:
        self._directory = directory
        self._check = check
        self._lock = threading.Lock()

    def list_tools(self) -> list[JsonTool]:
        listed = []
        for name, method in vars(type(self)).items():
            if inspect.isfunction(method) and not name.startswith("_"):
                listed.append(make_tool(self._guard(getattr(self, name)), _refuse))
        return listed

    def _guard(self, method: Callable[..., SplitResponse]) -> Callable[..., SplitResponse]:
        """Return `method` as a function of which one call runs at a time."""

        @wraps(method)
        def call(**named: Any) -> SplitResponse:
            with self._lock:
                # A call that the client cancels must not write: the client may repeat it.
                from_thread.check_cancelled()
                return method(**named)

        return call

    def _find_repository(self) -> Repository:
        return Repository.find(self._directory)

    def _keep(self, repository: Repository, plan: dict[str, Any]) -> None:
        """Keep the units of a plan, which later calls name."""
        if not state_files.save_json(repository.git_dir, _LISTED, plan):
            raise SplitError("cannot write to the git directory", hint="check its permissions and the space on disk")

    def _read(self, repository: Repository, commits: Sequence[PlannedCommit]) -> WrittenPlan:
        kept = state_files.load_json(repository.git_dir, _LISTED, dict)
        if kept is None:
            raise SplitError("no units were listed", hint="list units, or have commits proposed, first")
        return assign_units(kept, commits)


class SplitTools(Toolbox):
    """The tools for splits."""

    instructions = (
        "Splits uncommitted changes into atomic commits: list_units or propose_split, check_split, apply_split; "
        "undo_split takes the last split back. Files are never written."
    )

    def list_units(
        self,
        *,
        staged: Annotated[bool, Field(description="only what is staged")] = False,
        path: Annotated[str, Field(description="show only the diffs of units whose id begins with this")] = "",
    ) -> SplitResponse:
        """List the hunks of the uncommitted change with their diffs, as the units that commits are made of."""
        repository = self._find_repository()
        taking = take_screened_snapshot(repository, staged=staged, apart=(), planned=(), include_secrets=False)
        with taking as (snapshot, suspects):
            reader = ChangeReader(snapshot, config.load(repository.worktree, listing=snapshot.config))
            units = tuple(reader.hunks.units)
            plan = SplitPlan(
                snapshot.base, snapshot.target, snapshot.staged, engine="client", commits=(), skipped=units,
                warnings=tuple(suspects),
            )  # fmt: skip
            document = describe_plan(plan)
            shown = _show_units(units, document, path)
        self._keep(repository, document)
        return SplitResponse(
            message=f"the change has {format_count(len(shown), 'unit')}",
            units=shown,
            left_out=_show_left_out(document),
            next_actions=["check_split with commits made of these units", "propose_split"],
        )

    def propose_split(
        self,
        *,
        staged: Annotated[bool, Field(description="only what is staged")] = False,
        count: Annotated[int | None, Field(ge=1, le=_COMMITS, description="number of commits to aim for")] = None,
        strategy: Annotated[str, Field(description=f"how to group: one of {', '.join(STRATEGIES)}")] = "auto",
    ) -> SplitResponse:
        """Propose atomic commits for the uncommitted change; nothing is changed."""
        if strategy not in STRATEGIES:
            raise SplitError(f"unknown strategy '{strategy}'", hint=f"use one of {', '.join(STRATEGIES)}")
        repository = self._find_repository()
        # The client is a model itself, so no other one is asked.
        choice = EngineOptions(engine=EMBEDDED, strategy=strategy, count=count)
        plan = _split(repository, SplitOptions(choice, json=True), staged=staged)
        self._keep(repository, plan)
        return show_plan(plan, "nothing was changed", ["apply_split with these commits, or with edited ones"])

    def check_split(self, *, commits: Commits) -> SplitResponse:
        """Check a plan as apply_split would, and change nothing. Units that no commit names stay uncommitted."""
        plan = self._run(commits, apply=False)
        return show_plan(plan, "the plan can be applied; nothing was changed", ["apply_split with the same commits"])

    def apply_split(self, *, commits: Commits) -> SplitResponse:
        """Create the commits of a plan, all of them or none. Units that no commit names stay uncommitted."""
        plan = self._run(commits, apply=True)
        return show_plan(plan, f"created {format_count(len(commits), 'commit')}", ["undo_split takes them back"])

    def undo_split(self) -> SplitResponse:
        """Undo the last split: HEAD and the index become as before it, and files stay as they are."""
        entry, warnings = undo(self._find_repository())
        place = "HEAD has no commits again"
        if entry.old:
            place = f"HEAD is back at {entry.old[:10]}"
        done = f"{place}, the index is restored, files are unchanged"
        return SplitResponse(message="; ".join([done, *map(printable, warnings)]), next_actions=["list_units"])

    def _run(self, commits: Sequence[PlannedCommit], *, apply: bool) -> dict[str, Any]:
        """Try the plan of these commits, or `apply` it, and return it with what was created."""
        repository = self._find_repository()
        plan = self._read(repository, commits)
        options = SplitOptions(plan=plan, check=self._check, json=True, dry_run=not apply)
        return _split(repository, options, staged=plan.plan.staged, yes=apply)


def _refuse(reason: str, next_actions: Sequence[str]) -> SplitResponse:
    return SplitResponse(status="error", message=printable(reason), next_actions=list(map(printable, next_actions)))


def _split(repository: Repository, options: SplitOptions, *, staged: bool, yes: bool = False) -> dict[str, Any]:
    """Return the plan of a split, with the commits created; raise SplitError with what it complains of if it fails."""
    said: list[str] = []
    try:
        result = split(repository, staged=staged, yes=yes, terminal=None, complain=said.append, options=options)
    except EXPECTED as error:
        explained = explain_failure(error)
        message = "\n".join([*said, str(explained)])
        raise SplitError(message, hint=explained.hint, following=explained.following) from None
    if result.plan is None:
        raise SplitError("\n".join([*result.lines, *said]))
    return result.plan


def _show_units(units: Sequence[Unit], document: dict[str, Any], path: str) -> list[dict[str, str]]:
    """Return the `units`, which a plan skips, with the diffs of those whose name begins with `path`, if there is room.

    Those of files that are left out are not shown.
    """
    shown = []
    room = _CHARACTERS_SHOWN
    withheld = _list_withheld(document)
    for name, unit in zip(name_units(document), units, strict=True):
        if is_any_above(unit.change.path, withheld):
            continue
        entry = {"id": name, "kind": unit.kind}
        if room > 0 and name.startswith(path):
            entry["diff"] = "\n".join(map(printable, text_of(unit)))[:room]
            room -= len(entry["diff"])
        shown.append(entry)
    return shown


def _show_left_out(plan: dict[str, Any]) -> list[dict[str, str]]:
    left_out = filter(itemgetter("left_out"), plan["warnings"])
    return [{"path": redact(printable(each["path"])), "reason": each["reason"]} for each in left_out]


def _list_withheld(plan: dict[str, Any]) -> list[bytes]:
    """Return the paths of the files that stay uncommitted as a whole."""
    left_out = filter(itemgetter("left_out"), plan["warnings"])
    return [os.fsencode(each["path"]) for each in left_out if each["line"] is None]


def name_units(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the units of a plan by names that a client can send: printable, without secrets, and unique."""
    entries = list(document["skipped"])
    for commit in document["commits"]:
        entries += commit["units"]
    named: dict[str, dict[str, Any]] = {}
    for entry in entries:
        name = redact(printable(entry["id"]))
        while name in named:
            name += f"~{len(named)}"
        named[name] = entry
    return named


def assign_units(document: dict[str, Any], commits: Sequence[PlannedCommit]) -> WrittenPlan:
    """Return the plan of a document with these commits instead, and all other units uncommitted.

    Raise SplitError if it is no plan, a unit is unknown, or its file is left out.
    """
    read_object(document)
    named, withheld = name_units(document), _list_withheld(document)
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
    return read_object({**document, "commits": made, "skipped": list(left.values())})


def show_plan(document: dict[str, Any], message: str, next_actions: list[str]) -> SplitResponse:
    names = {entry["id"]: name for name, entry in name_units(document).items()}
    commits, created = [], []
    for commit in document["commits"]:
        units = [names[entry["id"]] for entry in commit["units"]]
        commits.append(PlannedCommit(message=printable(commit["message"], keep="\n"), units=units))
        if "oid" in commit:
            created.append(commit["oid"])
    return SplitResponse(
        message=message,
        commits=commits,
        uncommitted=[names[entry["id"]] for entry in document["skipped"]],
        left_out=_show_left_out(document),
        created=created or None,
        next_actions=next_actions,
    )
