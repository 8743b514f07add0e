"""The planner's twelve tools: read the description, edit the plan, write it back.

Nothing is kept between calls. Every response has the state of the plan, also that to a call that is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from smartcommit.errors import LockedError, SmartcommitError
from smartcommit.jj import guidance, planner
from smartcommit.jj.description import EditRejected, ParsedDescription, Search, read, strip_fence, unmet, write
from smartcommit.jj.guidance import (
    PlanSnapshot,
    Response,
    ask_choice,
    describe_absence,
    refuse,
    refuse_malformed,
    report_busy,
    report_failure,
    respond,
)
from smartcommit.jj.models import (
    AlignmentCheck,
    CommitPlan,
    ConstraintsResponse,
    PlanResponse,
    TasksResponse,
    ToolResponse,
    build_nodes,
)
from smartcommit.jj.planner import NO_PLAN, PlanEdit, TaskItem
from smartcommit.jj.run import ChangeDiverged, ChangeMoved, describe, find_root, lock, read_change, require_mutable
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import PLAN_TYPES, Rules

Choice = Literal["A", "B"]
# How often an edit is tried if another process changes the change in the meantime.
_ATTEMPTS = 5
_CHOICE = "Choose: A) reformat this commit, or B) work with the current message as read-only context?"


def _make_default_rules() -> Rules:
    return Rules(types=PLAN_TYPES)


class Tools:
    """The tools on the workspace around `directory`, which is looked up at every call.

    `rules` returns the project's rules, also at every call; `search` is as in `message.checks.check`. A call that reads
    runs one jj process, and one that writes three: to read, to write, and to read again. Only if another process
    interferes there are more. jj takes a snapshot of the working copy in every call, so all calls meet the same errors.
    `check` is called before each write; nothing is written if it raises an exception.
    """

    def __init__(
        self,
        directory: str,
        *,
        rules: Callable[[], Rules] = _make_default_rules,
        search: Search | None = None,
    ) -> None:
        self._directory = directory
        self._rules = rules
        self._search = search
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
        """The workspace's root. Raise JjError if there is none."""
        return find_root(self._directory)

    def start_planning(
        self, header_type: str, summary: str, *, scope: str | None = None, breaking: bool = False, confirm: bool = False
    ) -> ToolResponse:
        """Start a plan; replace an existing description only with `confirm`."""
        header = Header(header_type, summary, scope=scope, breaking=breaking)

        def edit(snapshot: PlanSnapshot) -> PlanEdit:
            started = planner.start(snapshot.reading, header, confirm=confirm)
            if not snapshot.change.empty:
                started.action += (
                    '. Note: the change already has modifications; if they are not part of this work, run "jj split -m '
                    "MESSAGE 'all()'\" to move them out, as 'smartcommit execute run @' requires"
                )
            return started

        return self._edit(edit, fresh=True)

    def get_plan(self) -> PlanResponse:
        """Read the plan, or the text in its place."""

        def answer(snapshot: PlanSnapshot) -> PlanResponse:
            response = self._read(PlanResponse, snapshot, "read the plan", fresh=True)
            if snapshot.reading.message is not None:
                response.plan = CommitPlan.from_message(snapshot.reading.message)
            return response

        return self._answer(PlanResponse, answer)

    def update_goal(self, **parts: object) -> ToolResponse:
        """Change `type`, `scope`, `summary` or `breaking`; None leaves a part as it is."""
        given = {name: value for name, value in parts.items() if value is not None}
        return self._edit(lambda snapshot: planner.set_goal(_plan(snapshot), given))

    def update_description(self, description: str) -> ToolResponse:
        """Write the long description."""
        return self._edit(lambda snapshot: planner.set_description(_plan(snapshot), description))

    def get_constraints(self) -> ConstraintsResponse:
        """Read the constraints."""

        def answer(snapshot: PlanSnapshot) -> ConstraintsResponse:
            response = self._read(ConstraintsResponse, snapshot, "read the constraints")
            if snapshot.reading.message is not None:
                response.constraints = snapshot.reading.message.constraints or []
            return response

        return self._answer(ConstraintsResponse, answer)

    def set_constraints(self, constraints: Sequence[str]) -> ToolResponse:
        """Replace the constraints."""
        return self._edit(lambda snapshot: planner.set_constraints(_plan(snapshot), constraints))

    def get_tasks(self) -> TasksResponse:
        """Read the tasks as a tree, with their ids."""

        def answer(snapshot: PlanSnapshot) -> TasksResponse:
            response = self._read(TasksResponse, snapshot, "read the tasks")
            if snapshot.reading.message is not None:
                response.tasks = build_nodes(snapshot.reading.message.tasks or [])
            return response

        return self._answer(TasksResponse, answer)

    def set_tasks(self, items: Sequence[TaskItem]) -> ToolResponse:
        """Replace the tasks."""
        return self._edit(lambda snapshot: planner.set_tasks(_plan(snapshot), items))

    def mark_task(self, task_id: str, completed: bool | None = None) -> ToolResponse:
        """Set the state of a leaf task, or toggle it if `completed` is None."""
        return self._edit(lambda snapshot: planner.mark_task(_plan(snapshot), task_id, completed))

    def finish_job(self) -> ToolResponse:
        """Finish the plan if all tasks are complete and the message keeps the project's rules."""
        return self._edit(self._finish)

    def unfinish_job(self) -> ToolResponse:
        """Reopen a finished plan."""
        return self._edit(lambda snapshot: planner.unfinish_job(_plan(snapshot)))

    def verify_plan(
        self, choice: Choice | None = None, *, snapshot: PlanSnapshot | None = None, proposal: str | None = None
    ) -> ToolResponse:
        """Check the description. If it is not a plan, ask for A or B, and with A replace it by `proposal`.

        `snapshot` is what `proposal` was made from; nothing else is overwritten.
        """
        if snapshot is None:
            return self._answer(ToolResponse, lambda found: self._verify(found, choice, proposal))
        return self._guard(ToolResponse, lambda: self._verify(snapshot, choice, proposal))

    def refuse(self, reason: str) -> ToolResponse:
        """Respond to a call that cannot be made, for `reason`."""
        return self._answer(ToolResponse, lambda snapshot: refuse(ToolResponse, snapshot, EditRejected(reason)))

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

    def _edit(self, edit: Callable[[PlanSnapshot], PlanEdit], *, fresh: bool = False) -> ToolResponse:
        """Read, edit and write under one lock; try again if the change has moved.

        With `fresh` the description need not be a plan.
        """

        def run() -> ToolResponse:
            with lock(self.root):
                for _ in range(_ATTEMPTS - 1):
                    snapshot = self._read_change()
                    try:
                        return self._apply(snapshot, edit, fresh=fresh)
                    except ChangeMoved:
                        continue
                return self._apply(self._read_change(), edit, fresh=fresh)

        return self._guard(ToolResponse, run)

    def _apply(self, snapshot: PlanSnapshot, edit: Callable[[PlanSnapshot], PlanEdit], *, fresh: bool) -> ToolResponse:
        if snapshot.reading.malformed and not fresh:
            return refuse_malformed(ToolResponse, snapshot)
        try:
            done = edit(snapshot)
            if done.tail is None:
                done.tail = snapshot.reading.tail
            self._write(snapshot, done.message, done.tail)
        except EditRejected as refusal:
            # The edit may have changed the message, so it is read again for the response.
            snapshot.reading = read(snapshot.change.description, snapshot.rules)
            return refuse(ToolResponse, snapshot, refusal)
        except ChangeDiverged as error:
            now = PlanSnapshot(error.change, read(error.change.description, snapshot.rules), snapshot.rules)
            return respond(ToolResponse, now, f"{done.action}, but {error}", failed=True)
        check = None
        if done.question:
            check = AlignmentCheck(question=done.question, required_confirmation=done.confirm)
        return respond(ToolResponse, snapshot, done.action, question=check)

    def _write(self, snapshot: PlanSnapshot, message: Message, tail: Sequence[str]) -> None:
        """Write `message` to the change, and update `snapshot`."""
        # The planner's form has 'Constraints: none' if there are no constraints.
        message.constraints = message.constraints or []
        text = write(message, tail, snapshot.rules)
        if text != snapshot.change.description:
            self.check()
            describe(self.root, snapshot.change, text)
        snapshot.reading = ParsedDescription(text, message, tail=list(tail))

    def _finish(self, snapshot: PlanSnapshot) -> PlanEdit:
        done = planner.finish_job(_plan(snapshot))
        done.message.constraints = done.message.constraints or []
        text = write(done.message, snapshot.reading.tail, snapshot.rules)
        problems = unmet(text, snapshot.rules, search=self._search)
        if problems:
            raise EditRejected(f"this message would break the project's rules: {'; '.join(problems)}")
        return done

    def _verify(self, snapshot: PlanSnapshot, choice: Choice | None, proposal: str | None) -> ToolResponse:
        reading = snapshot.reading
        if reading.message is not None:
            verdict = "it is valid"
            if problems := unmet(reading.text, snapshot.rules, search=self._search):
                verdict = f"the commit-msg hook would reject it: {'; '.join(problems)}"
            question = "does the state of every task match the work that was actually done, within every constraint?"
            check = AlignmentCheck(question=question, required_confirmation=False)
            return respond(ToolResponse, snapshot, f"verified the plan: {verdict}", question=check)
        if not reading.malformed:
            return respond(ToolResponse, snapshot, f"verified: {describe_absence(snapshot)}")
        if choice == "B":
            action = "read-only: the current message is context only, and no tool can write until it is reformatted"
            return respond(ToolResponse, snapshot, action)
        if choice is None:
            check = AlignmentCheck(question=_CHOICE, required_confirmation=True)
            return respond(ToolResponse, snapshot, ask_choice(snapshot), question=check)
        if proposal is not None:
            return self._reformat(snapshot, proposal)
        action = (
            f"{guidance.template(reading.text)}\n\nYou chose A. Problems: {'; '.join(reading.problems)}.\nReformat "
            "it step by step: call start_planning with confirm=true and the goal from the message, then "
            "update_description, set_constraints and set_tasks with its content."
        )
        return respond(ToolResponse, snapshot, action)

    def _reformat(self, snapshot: PlanSnapshot, proposal: str) -> ToolResponse:
        proposed = read(strip_fence(proposal), snapshot.rules)
        if proposed.message is None:
            problems = "; ".join(proposed.problems) or "it is empty"
            refusal = EditRejected(f"the reformatted message is still not a plan: {problems}", question=_CHOICE)
            return refuse(ToolResponse, snapshot, refusal)
        # Only finish_job writes the finished heading.
        proposed.message.finished = False
        done = PlanEdit(
            proposed.message,
            "reformatted the description into a plan",
            question="does the reformatted message say everything the old one said? If not, run 'jj undo'.",
            confirm=True,
            tail=proposed.tail,
        )

        def replace(now: PlanSnapshot) -> PlanEdit:
            if now.reading.text != snapshot.reading.text:
                raise ChangeMoved("the description was changed in the meantime", hint="run verify_plan again")
            return done

        return self._edit(replace, fresh=True)

    def _answer(self, kind: type[Response], answer: Callable[[PlanSnapshot], Response]) -> Response:
        return self._guard(kind, lambda: answer(self.take_snapshot()))

    def _read(self, kind: type[Response], snapshot: PlanSnapshot, action: str, *, fresh: bool = False) -> Response:
        if snapshot.reading.malformed:
            return refuse_malformed(kind, snapshot)
        if snapshot.reading.message is not None:
            return respond(kind, snapshot, action)
        if fresh:
            return respond(kind, snapshot, describe_absence(snapshot))
        return refuse(kind, snapshot, EditRejected(NO_PLAN))

    def _guard(self, kind: type[Response], run: Callable[[], Response]) -> Response:
        """Return the response of `run`, or one for the error if jj or the configuration fails."""
        try:
            return run()
        except (LockedError, ChangeMoved) as error:
            return report_busy(kind, error)
        except SmartcommitError as error:
            return report_failure(kind, error)


def _plan(snapshot: PlanSnapshot) -> Message:
    if snapshot.reading.message is None:
        raise EditRejected(NO_PLAN)
    return snapshot.reading.message
