"""The planner's twelve tools: read the description, edit the plan, write it back.

Nothing is kept between calls. Every response has the state of the plan, also that to a call that is rejected. Names,
descriptions and parameters are what MCP clients see (`smartcommit.mcp.server`) and what `smartcommit plan` calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field

from smartcommit.errors import SmartcommitError
from smartcommit.jj import planner
from smartcommit.jj.description import EditRejected, ParsedDescription, find_unmet_rules, read, write
from smartcommit.jj.guidance import PlanSnapshot, describe_absence, refuse, report_error, respond, write_template
from smartcommit.jj.models import CommitPlan, TaskItem, ToolResponse, build_nodes
from smartcommit.jj.planner import PlanEdit
from smartcommit.jj.run import ChangeMoved, describe, find_root, lock, read_change, require_mutable
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import PREFIXES
from smartcommit.message.rules import PLAN_TYPES, Rules

Choice = Literal["A", "B"]
Edit = Callable[[PlanSnapshot], PlanEdit]
# How often an edit is tried if another process modifies the change in the meantime.
_ATTEMPTS = 5
_CHOICE = "Choose: A) reformat this commit, or B) work with the current message as read-only context?"
_TYPE = Field(description=f"{', '.join(PLAN_TYPES)}, or one of the project's own types")
# The server adds the project's limit.
_SUMMARY = Field(description="imperative, one line")
_BREAKING = Field(description="whether the change makes the previous interface incompatible")
_CONSTRAINTS = Field(description=f"one line each, beginning with one of: {' '.join(PREFIXES)}; empty for none")


class Planner:
    """The tools on the workspace around `directory`, which is looked up at every call.

    `rules` returns the project's rules, also at every call. A call that reads runs one jj process, and one that writes
    three: to read, to write, and to read again. Only if another process interferes there are more. jj takes a snapshot
    of the working copy in every call, so all calls meet the same errors. `check` is called before each write; nothing
    is written if it raises an exception.
    """

    def __init__(self, directory: str, *, rules: Callable[[], Rules] | None = None) -> None:
        self._directory = directory
        self._rules = rules or (lambda: Rules(types=PLAN_TYPES))
        self.check: Callable[[], None] = lambda: None

    @property
    def rules(self) -> Rules:
        """The project's rules, or the usual ones if they cannot be read: each tool then says why."""
        try:
            return self._rules()
        except SmartcommitError:
            return Rules()

    @property
    def root(self) -> str:
        return find_root(self._directory)

    def start_planning(
        self,
        type: Annotated[str, _TYPE],  # noqa: A002
        summary: Annotated[str, _SUMMARY],
        *,
        scope: Annotated[str | None, Field(description="lower-case noun for the affected part, if any")] = None,
        breaking: Annotated[bool, _BREAKING] = False,
        confirm: Annotated[bool, Field(description="replace the existing description")] = False,
    ) -> ToolResponse:
        """Start a new plan in the description of jj's working-copy commit, with the header type(scope): summary.

        Refuses to replace an existing plan or description unless confirm is true; ask the user before you confirm.
        """
        header = Header(type, summary, scope=scope, breaking=breaking)
        return self._edit(lambda snapshot: planner.start(snapshot.reading, header, confirm=confirm))

    def get_plan(self) -> ToolResponse:
        """Read the plan. It has a header, a description, constraints, tasks with their ids, and progress."""
        response, message = self._read("read the plan", or_absence=True)
        if message is not None:
            response.plan = CommitPlan.from_message(message)
        return response

    def update_goal(
        self,
        *,
        type: Annotated[str | None, _TYPE] = None,  # noqa: A002
        scope: Annotated[str | None, Field(description="an empty string removes the scope")] = None,
        summary: Annotated[str | None, _SUMMARY] = None,
        breaking: Annotated[bool | None, _BREAKING] = None,
    ) -> ToolResponse:
        """Change parts of the header; omitted parts stay the same."""
        parts = {"type": type, "scope": scope, "summary": summary, "breaking": breaking}
        given = {name: value for name, value in parts.items() if value is not None}
        return self._edit_plan(planner.set_goal, given)

    def update_description(
        self, description: Annotated[str, Field(description="prose; replaces the existing description")]
    ) -> ToolResponse:
        """Write the long description. A good one has four parts: why the change is necessary, what changes at a
        high level, how it is done, and the context that readers of the code need. This is guidance and not enforced.
        """
        return self._edit_plan(planner.set_description, description)

    def get_constraints(self) -> ToolResponse:
        """Read the constraints. They are absolute."""
        response, message = self._read("read the constraints")
        if message is not None:
            response.constraints = message.constraints or []
        return response

    def set_constraints(self, constraints: Annotated[Sequence[str], _CONSTRAINTS]) -> ToolResponse:
        """Replace the constraints: what must not happen in this change."""
        return self._edit_plan(planner.set_constraints, constraints)

    def get_tasks(self) -> ToolResponse:
        """Read the tasks as a tree, with ids and states."""
        response, message = self._read("read the tasks")
        if message is not None:
            response.tasks = build_nodes(message.tasks or [])
        return response

    def set_tasks(
        self, tasks: Annotated[Sequence[TaskItem], Field(description="in working order; use level to nest them")]
    ) -> ToolResponse:
        """Replace the task list. Only leaf tasks contain work; up to four levels. Tasks are open unless given as
        completed, and the heading is reopened. The answer lists the tasks that were complete before, so you can mark
        those that still are.
        """
        return self._edit_plan(planner.set_tasks, tasks)

    def mark_task(
        self,
        task_id: Annotated[
            str, Field(description="the id from get_tasks; use the path parent/child if a slug is not unique")
        ],
        completed: Annotated[
            bool | None, Field(description="give it, so that a call can be repeated; toggles when omitted")
        ] = None,
    ) -> ToolResponse:
        """Mark a leaf task as complete or incomplete; parents follow. This is not verified: mark a task only when it is
        done.
        """
        return self._edit_plan(planner.mark_task, task_id, completed)

    def finish_job(self) -> ToolResponse:
        """Mark the whole plan as complete. Every task must be complete."""
        return self._edit_plan(planner.finish_job, final=True)

    def unfinish_job(self) -> ToolResponse:
        """Mark the whole plan as incomplete again. The states of tasks stay."""
        return self._edit_plan(planner.unfinish_job)

    def verify_plan(self, choice: Choice | None = None, *, snapshot: PlanSnapshot | None = None) -> ToolResponse:
        """Check the description against the project's rules, and that task states match the work. If the message is
        not in the planner's format, asks you to choose: A) reformat it, or B) work with it as read-only context.
        """
        try:
            return self._verify(snapshot or self.take_snapshot(), choice)
        except SmartcommitError as error:
            return report_error(error)

    def refuse(self, reason: str) -> ToolResponse:
        try:
            return refuse(self.take_snapshot(), EditRejected(reason))
        except SmartcommitError as error:
            return report_error(error)

    def take_snapshot(self) -> PlanSnapshot:
        """Return the change after jj took a snapshot of the working copy.

        Raise SmartcommitError if jj fails, the change is immutable, or the rules cannot be read.
        """
        with lock(self.root):
            return self._read_change()

    def _read_change(self) -> PlanSnapshot:
        """Return the change; the caller holds the lock."""
        rules = self._rules()
        change = read_change(self.root, snapshot=True)
        require_mutable(change)
        return PlanSnapshot(change, read(change.description, rules), rules)

    def _read(self, action: str, *, or_absence: bool = False) -> tuple[ToolResponse, Message | None]:
        """Return the response and the plan, None if there is none; with `or_absence` to find none is a success."""
        try:
            snapshot = self.take_snapshot()
        except SmartcommitError as error:
            return report_error(error), None
        if or_absence and not snapshot.reading.text.strip():
            return respond(snapshot, describe_absence(snapshot)), None
        try:
            return respond(snapshot, action), snapshot.require_plan()
        except EditRejected as refusal:
            return refuse(snapshot, refusal), None

    def _edit_plan(self, edit: Callable[..., PlanEdit], *arguments: object, final: bool = False) -> ToolResponse:
        return self._edit(lambda snapshot: edit(snapshot.require_plan(), *arguments), final=final)

    def _edit(self, edit: Edit, *, final: bool = False) -> ToolResponse:
        """Read, edit and write under one lock; try again if the change has moved.

        With `final` the result must keep all rules of the project.
        """
        try:
            with lock(self.root):
                for _ in range(_ATTEMPTS - 1):
                    with suppress(ChangeMoved):
                        return self._apply(self._read_change(), edit, final=final)
                return self._apply(self._read_change(), edit, final=final)
        except SmartcommitError as error:
            return report_error(error)

    def _apply(self, snapshot: PlanSnapshot, edit: Edit, *, final: bool) -> ToolResponse:
        try:
            done = edit(snapshot)
            self._write(snapshot, done, final=final)
        except EditRejected as refusal:
            # The edit may have changed the message, so it is read again for the response.
            snapshot.reading = read(snapshot.change.description, snapshot.rules)
            return refuse(snapshot, refusal)
        return respond(snapshot, done.action, question=done.question, confirm=done.confirm)

    def _write(self, snapshot: PlanSnapshot, done: PlanEdit, *, final: bool) -> None:
        tail = snapshot.reading.tail if done.tail is None else list(done.tail)
        text = print_edit(done, tail, snapshot.rules, final=final)
        if text != snapshot.change.description:
            self.check()
            describe(self.root, snapshot.change, text)
        snapshot.reading = ParsedDescription(text, done.message, tail=tail, note=snapshot.reading.note)

    def _verify(self, snapshot: PlanSnapshot, choice: Choice | None) -> ToolResponse:
        reading = snapshot.reading
        if reading.message is not None:
            verdict = "it is valid"
            if broken := find_unmet_rules(reading.text, snapshot.rules):
                verdict = f"the commit-msg hook would reject it: {'; '.join(broken)}"
            question = "does the state of every task match the work that was actually done, within every constraint?"
            return respond(snapshot, f"verified the plan: {verdict}", question=question)
        if not reading.malformed:
            return respond(snapshot, f"verified: {describe_absence(snapshot)}")
        if choice == "B":
            action = "read-only: the current message is context only, and no tool can write until it is reformatted"
            return respond(snapshot, action)
        action = f"{write_template(reading.text)}\n\nProblems: {'; '.join(reading.problems)}."
        if choice is None:
            return respond(snapshot, action, question=_CHOICE, confirm=True)
        return respond(
            snapshot,
            f"{action}\nYou chose A. Reformat it step by step: call start_planning with confirm=true and the goal from "
            "the message, then update_description, set_constraints and set_tasks with its content.",
        )


def print_edit(done: PlanEdit, tail: Sequence[str], rules: Rules, *, final: bool) -> str:
    """Return the description after an edit; raise EditRejected if it is malformed, or `final` and breaks a rule."""
    # The planner's form has 'Constraints: none' if there are no constraints.
    done.message.constraints = done.message.constraints or []
    text = write(done.message, tail, rules)
    problems = find_unmet_rules(text, rules) if final else []
    if problems:
        raise EditRejected(f"this message would break the project's rules: {'; '.join(problems)}")
    return text
