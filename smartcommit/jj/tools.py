"""The planner's twelve tools on a real change: read the description, edit the plan, write it back, answer.

Nothing is kept between calls. Every answer says where the plan stands; a refusal is an answer, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from smartcommit.errors import LockedError, SmartcommitError
from smartcommit.jj import guidance, planner
from smartcommit.jj.description import EditRejected, ParsedDescription, Search, read, unfenced, unmet, write
from smartcommit.jj.guidance import (
    PlanSnapshot,
    Response,
    absent,
    asked,
    busy,
    halted_response,
    malformed,
    refused,
    respond,
)
from smartcommit.jj.models import (
    AlignmentCheck,
    CommitPlan,
    ConstraintsResponse,
    PlanResponse,
    TasksResponse,
    ToolResponse,
    nodes,
)
from smartcommit.jj.planner import NO_PLAN, PlanEdit, TaskItem
from smartcommit.jj.run import ChangeDiverged, ChangeMoved, describe, find_root, lock, read_change, require_mutable
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import Rules

Choice = Literal["A", "B"]
# How often an edit is made anew when somebody else changed the change in between.
_ATTEMPTS = 5
_CHOICE = "Choose: A) reformat this commit, or B) work with the current message as read-only context?"


class Tools:
    """The tools on the workspace around `directory`, which is looked for at every call.

    `rules` gives the project's rules, asked for at every call; `search` is as for `smartcommit.message.rules.check`.
    A call that reads takes one jj process, and one that writes three: to read, to write, and to see what came of it.
    There are more only where another program changes the change meanwhile. jj takes a snapshot of the working copy for
    every call, so that all of them meet the same errors.
    """

    def __init__(self, directory: str, *, rules: Callable[[], Rules] = Rules, search: Search | None = None) -> None:
        self._directory = directory
        self._rules = rules
        self._search = search

    @property
    def root(self) -> str:
        """The workspace's root.

        Raises: JjError when there is none.
        """
        return find_root(self._directory)

    def start_planning(
        self, header_type: str, summary: str, *, scope: str | None = None, breaking: bool = False, confirm: bool = False
    ) -> ToolResponse:
        """Begin a plan; over a text that is there already only with `confirm`."""
        header = Header(header_type, summary, scope=scope, breaking=breaking)
        return self._edit(lambda look: planner.start(look.reading, header, confirm=confirm), fresh=True)

    def get_plan(self) -> PlanResponse:
        """The plan, or what stands in its place."""

        def answer(look: PlanSnapshot) -> PlanResponse:
            message = look.reading.message
            response = self._read(PlanResponse, look, "read the plan", fresh=True)
            response.plan = CommitPlan.from_message(message) if message is not None else None
            return response

        return self._look(PlanResponse, answer)

    def update_goal(self, **parts: object) -> ToolResponse:
        """Change `type`, `scope`, `summary` or `breaking`; None leaves one as it is."""
        given = {name: value for name, value in parts.items() if value is not None}
        return self._edit(lambda look: planner.set_goal(_plan(look), given))

    def update_description(self, description: str) -> ToolResponse:
        """Write the long description."""
        return self._edit(lambda look: planner.set_description(_plan(look), description))

    def get_constraints(self) -> ConstraintsResponse:
        """The constraints."""

        def answer(look: PlanSnapshot) -> ConstraintsResponse:
            response = self._read(ConstraintsResponse, look, "read the constraints")
            if look.reading.message is not None:
                response.constraints = look.reading.message.constraints or []
            return response

        return self._look(ConstraintsResponse, answer)

    def set_constraints(self, constraints: Sequence[str]) -> ToolResponse:
        """Replace the constraints."""
        return self._edit(lambda look: planner.set_constraints(_plan(look), constraints))

    def get_tasks(self) -> TasksResponse:
        """The tasks, nested, with their ids."""

        def answer(look: PlanSnapshot) -> TasksResponse:
            response = self._read(TasksResponse, look, "read the tasks")
            if look.reading.message is not None:
                response.tasks = nodes(look.reading.message.tasks or [])
            return response

        return self._look(TasksResponse, answer)

    def set_tasks(self, items: Sequence[TaskItem]) -> ToolResponse:
        """Replace the tasks."""
        return self._edit(lambda look: planner.set_tasks(_plan(look), items))

    def mark_task(self, task_id: str, completed: bool | None = None) -> ToolResponse:
        """Set or turn over the state of a leaf task."""
        return self._edit(lambda look: planner.mark_task(_plan(look), task_id, completed))

    def finish_job(self) -> ToolResponse:
        """Finish the plan, when all tasks are complete and the project's rules accept the message."""
        return self._edit(self._finish)

    def unfinish_job(self) -> ToolResponse:
        """Open a finished plan again."""
        return self._edit(lambda look: planner.unfinish_job(_plan(look)))

    def verify_plan(
        self, choice: Choice | None = None, *, look: PlanSnapshot | None = None, proposal: str | None = None
    ) -> ToolResponse:
        """Judge the description; for one that is no plan ask A or B, and with A put `proposal` in its place.

        `look` is what `proposal` was made from: it is not written over anything else.
        """
        if look is None:
            return self._look(ToolResponse, lambda found: self._verify(found, choice, proposal))
        return self._guarded(ToolResponse, lambda: self._verify(look, choice, proposal))

    def refuse(self, reason: str) -> ToolResponse:
        """The answer to a call that cannot be made."""
        return self._look(ToolResponse, lambda look: refused(ToolResponse, look, EditRejected(reason)))

    def look(self) -> PlanSnapshot:
        """The change as it is now, after a snapshot of the working copy.

        Raises: SmartcommitError when jj fails, the change is immutable, or the rules cannot be read.
        """
        with lock(self.root):
            return self._take()

    def _take(self) -> PlanSnapshot:
        """The change as it is now; the caller holds the lock."""
        rules = self._rules()
        change = read_change(self.root, snapshot=True)
        require_mutable(change)
        return PlanSnapshot(change, read(change.description, rules), rules)

    def _edit(self, edit: Callable[[PlanSnapshot], PlanEdit], *, fresh: bool = False) -> ToolResponse:
        """Read, edit, write, all under one lock; made anew when the change has moved.

        With `fresh` the edit is also for a description that is no plan.
        """

        def run() -> ToolResponse:
            with lock(self.root):
                for _ in range(_ATTEMPTS - 1):
                    look = self._take()
                    try:
                        return self._apply(look, edit, fresh=fresh)
                    except ChangeMoved:
                        continue
                return self._apply(self._take(), edit, fresh=fresh)

        return self._guarded(ToolResponse, run)

    def _apply(self, look: PlanSnapshot, edit: Callable[[PlanSnapshot], PlanEdit], *, fresh: bool) -> ToolResponse:
        if look.reading.malformed and not fresh:
            return malformed(ToolResponse, look)
        try:
            done = edit(look)
            self._write(look, done.message, look.reading.tail if done.tail is None else done.tail)
        except EditRejected as refusal:
            # The edit may have touched the message, so the answer tells of the text as it stands.
            look.reading = read(look.change.description, look.rules)
            return refused(ToolResponse, look, refusal)
        except ChangeDiverged as error:
            now = PlanSnapshot(error.change, read(error.change.description, look.rules), look.rules)
            return respond(ToolResponse, now, f"{done.action}, but {error}", failed=True)
        question = AlignmentCheck(question=done.question, required_confirmation=done.confirm) if done.question else None
        return respond(ToolResponse, look, done.action, question=question)

    def _write(self, look: PlanSnapshot, message: Message, tail: Sequence[str]) -> None:
        """Write `message` in the change; `look` shows it from then on."""
        # What the planner writes says 'none' where there are no constraints: the literal is part of the form.
        message.constraints = message.constraints or []
        text = write(message, tail, look.rules)
        if text != look.change.description:
            describe(self.root, look.change, text)
        look.reading = ParsedDescription(text, message, tail=list(tail))

    def _finish(self, look: PlanSnapshot) -> PlanEdit:
        done = planner.finish_job(_plan(look))
        done.message.constraints = done.message.constraints or []
        text = write(done.message, look.reading.tail, look.rules)
        problems = unmet(text, look.rules, search=self._search)
        if problems:
            raise EditRejected(f"the project's rules would refuse this message: {'; '.join(problems)}")
        return done

    def _verify(self, look: PlanSnapshot, choice: Choice | None, proposal: str | None) -> ToolResponse:
        reading = look.reading
        if reading.message is not None:
            problems = unmet(reading.text, look.rules, search=self._search)
            judged = f"the commit-msg hook would refuse it: {'; '.join(problems)}" if problems else "it is valid"
            question = "does the state of every task match the work that was really done, within every constraint?"
            check = AlignmentCheck(question=question, required_confirmation=False)
            return respond(ToolResponse, look, f"verified the plan: {judged}", question=check)
        if not reading.malformed:
            return respond(ToolResponse, look, f"verified: {absent(look)}")
        if choice == "B":
            action = "read-only: the current message is context, and no tool writes until it is reformatted"
            return respond(ToolResponse, look, action)
        if choice is None:
            check = AlignmentCheck(question=_CHOICE, required_confirmation=True)
            return respond(ToolResponse, look, asked(look), question=check)
        if proposal is not None:
            return self._reformat(look, proposal)
        action = (
            f"{guidance.template(reading.text)}\n\nA was chosen. What is wrong: {'; '.join(reading.problems)}.\n"
            "Reformat it step by step: start_planning with confirm=true and the goal that the message has, then "
            "update_description, set_constraints and set_tasks with what it says."
        )
        return respond(ToolResponse, look, action)

    def _reformat(self, look: PlanSnapshot, proposal: str) -> ToolResponse:
        proposed = read(unfenced(proposal), look.rules)
        if proposed.message is None:
            told = "; ".join(proposed.problems) or "it is empty"
            return refused(
                ToolResponse, look, EditRejected(f"the reformatted message is no plan either: {told}", question=_CHOICE)
            )
        # Only finish_job writes the finished heading.
        proposed.message.finished = False
        done = PlanEdit(
            proposed.message,
            "reformatted the description into a plan",
            question="does the reformatted message say what the old one said? 'jj undo' brings that back.",
            confirm=True,
            tail=proposed.tail,
        )

        def replace(now: PlanSnapshot) -> PlanEdit:
            if now.reading.text != look.reading.text:
                raise ChangeMoved("the description was changed meanwhile", hint="run verify_plan again")
            return done

        return self._edit(replace, fresh=True)

    def _look(self, kind: type[Response], answer: Callable[[PlanSnapshot], Response]) -> Response:
        return self._guarded(kind, lambda: answer(self.look()))

    def _read(self, kind: type[Response], look: PlanSnapshot, action: str, *, fresh: bool = False) -> Response:
        if look.reading.malformed:
            return malformed(kind, look)
        if look.reading.message is not None:
            return respond(kind, look, action)
        if fresh:
            return respond(kind, look, absent(look))
        return refused(kind, look, EditRejected(NO_PLAN))

    def _guarded(self, kind: type[Response], run: Callable[[], Response]) -> Response:
        """The answer of `run`, or one that stops everything where jj or the configuration fails."""
        try:
            return run()
        except (LockedError, ChangeMoved) as error:
            return busy(kind, error)
        except SmartcommitError as error:
            return halted_response(kind, error)


def _plan(look: PlanSnapshot) -> Message:
    if look.reading.message is None:
        raise EditRejected(NO_PLAN)
    return look.reading.message
