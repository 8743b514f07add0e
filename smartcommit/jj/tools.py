"""The planner's twelve tools on a real change: read the description, edit the plan, write it back, answer.

Nothing is kept between calls. Every answer says where the plan stands; a refusal is an answer, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal, TypeVar

from smartcommit.errors import LockedError, SmartcommitError
from smartcommit.jj import change as changes
from smartcommit.jj import guidance, planner
from smartcommit.jj.change import Change, ChangeMoved
from smartcommit.jj.planner import NO_PLAN, Edit, Reading, Refused, Search, TaskItem
from smartcommit.jj.run import find_root
from smartcommit.jj.state import (
    AlignmentCheck,
    CommitPlan,
    ConstraintsResponse,
    NextActions,
    PlanResponse,
    PlanState,
    TasksResponse,
    ToolResponse,
    nodes,
)
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.rules import Rules

Choice = Literal["A", "B"]
# How often an edit is made anew when somebody else changed the change in between.
_ATTEMPTS = 5
_Response = TypeVar("_Response", bound=ToolResponse)
_CHOICE = "Choose: A) reformat this commit, or B) work with the current message as read-only context?"


@dataclass(slots=True)
class Look:
    """One look at the change, with the project's rules at that time."""

    change: Change
    reading: Reading
    rules: Rules

    @property
    def state(self) -> PlanState:
        """Where the plan stands; a change that is modified and undescribed is being planned already."""
        if self.reading.message is not None:
            return PlanState.from_message(self.reading.message)
        untouched = self.change.empty and not self.change.description.strip()
        return PlanState(phase="uninitialized" if untouched else "planning")


class Tools:
    """The tools on the workspace around `directory`, which is looked for at every call.

    `rules` gives the project's rules, asked for at every call; `search` is as for `smartcommit.message.rules.check`.
    At most two jj processes run for a call, more only where somebody else changes the change meanwhile.
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
        return self._edit(lambda look: planner.start(look.reading, header, confirm=confirm), snapshot=True, fresh=True)

    def get_plan(self) -> PlanResponse:
        """The plan, or what stands in its place."""

        def answer(look: Look) -> PlanResponse:
            message = look.reading.message
            response = self._read(PlanResponse, look, "read the plan", fresh=True)
            response.plan = CommitPlan.from_message(message) if message is not None else None
            return response

        return self._look(PlanResponse, answer, snapshot=True)

    def update_goal(self, **parts: object) -> ToolResponse:
        """Change `type`, `scope`, `summary` or `breaking`; None leaves one as it is."""
        given = {name: value for name, value in parts.items() if value is not None}
        return self._edit(lambda look: planner.set_goal(_plan(look), given))

    def update_description(self, description: str) -> ToolResponse:
        """Write the long description."""
        return self._edit(lambda look: planner.set_description(_plan(look), description))

    def get_constraints(self) -> ConstraintsResponse:
        """The constraints."""

        def answer(look: Look) -> ConstraintsResponse:
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

        def answer(look: Look) -> TasksResponse:
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
        self, choice: Choice | None = None, *, look: Look | None = None, proposal: str | None = None
    ) -> ToolResponse:
        """Judge the description; for one that is no plan ask A or B, and with A put `proposal` in its place.

        `look` is what `proposal` was made from: it is not written over anything else.
        """
        if look is None:
            return self._look(ToolResponse, lambda found: self._verify(found, choice, proposal), snapshot=True)
        return self._guarded(ToolResponse, lambda: self._verify(look, choice, proposal))

    def refuse(self, reason: str) -> ToolResponse:
        """The answer to a call that cannot be made."""
        return self._look(ToolResponse, lambda look: _refused(look, Refused(reason)))

    def look(self) -> Look:
        """The change as it is now, with a snapshot of the working copy.

        Raises: SmartcommitError when jj fails or the rules cannot be read.
        """
        return self._take(snapshot=True)

    def _take(self, *, snapshot: bool, locked: bool = False) -> Look:
        root, rules = self.root, self._rules()
        with changes.lock(root) if snapshot and not locked else nullcontext():
            change = changes.read(root, snapshot=snapshot)
        return Look(change, planner.read(change.description, rules), rules)

    def _edit(self, edit: Callable[[Look], Edit], *, snapshot: bool = False, fresh: bool = False) -> ToolResponse:
        """Read, edit, write, all under one lock; made anew when the change has moved."""

        def run() -> ToolResponse:
            with changes.lock(self.root):
                for _ in range(_ATTEMPTS - 1):
                    look = self._take(snapshot=snapshot, locked=True)
                    try:
                        return self._apply(look, edit, fresh=fresh)
                    except ChangeMoved:
                        continue
                return self._apply(self._take(snapshot=snapshot, locked=True), edit, fresh=fresh)

        return self._guarded(ToolResponse, run)

    def _apply(self, look: Look, edit: Callable[[Look], Edit], *, fresh: bool) -> ToolResponse:
        if look.reading.malformed and not fresh:
            return _malformed(ToolResponse, look)
        try:
            done = edit(look)
            self._write(look, done.message, () if fresh else look.reading.tail)
        except Refused as refusal:
            # The edit may have touched the message, so the answer tells of the text as it stands.
            return _refused(Look(look.change, planner.read(look.change.description, look.rules), look.rules), refusal)
        question = AlignmentCheck(question=done.question, required_confirmation=done.confirm) if done.question else None
        return _respond(ToolResponse, look, done.action, question=question)

    def _write(self, look: Look, message: Message, tail: Sequence[str]) -> None:
        """Write `message` in the change; `look` shows it from then on."""
        # What the planner writes says 'none' where there are no constraints: the literal is part of the form.
        message.constraints = message.constraints or []
        text = planner.write(message, tail, look.rules)
        if text != look.change.description:
            changes.describe(self.root, look.change, text)
        look.reading = Reading(text, message, tail=list(tail))

    def _finish(self, look: Look) -> Edit:
        done = planner.finish_job(_plan(look))
        done.message.constraints = done.message.constraints or []
        text = planner.write(done.message, look.reading.tail, look.rules)
        problems = planner.unmet(text, look.rules, search=self._search)
        if problems:
            raise Refused(f"the project's rules would refuse this message: {'; '.join(problems)}")
        return done

    def _verify(self, look: Look, choice: Choice | None, proposal: str | None) -> ToolResponse:
        reading = look.reading
        if reading.message is not None:
            problems = planner.unmet(reading.text, look.rules, search=self._search)
            judged = f"the commit-msg hook would refuse it: {'; '.join(problems)}" if problems else "it is valid"
            question = "does the state of every task match the work that was really done, within every constraint?"
            check = AlignmentCheck(question=question, required_confirmation=False)
            return _respond(ToolResponse, look, f"verified the plan: {judged}", question=check)
        if not reading.malformed:
            return _respond(ToolResponse, look, f"verified: {_absent(look)}")
        if choice == "B":
            action = "read-only: the current message is context, and no tool writes until it is reformatted"
            return _respond(ToolResponse, look, action)
        if choice is None:
            check = AlignmentCheck(question=_CHOICE, required_confirmation=True)
            return _respond(ToolResponse, look, _ask(look), question=check)
        if proposal is not None:
            return self._reformat(look, proposal)
        action = (
            f"{guidance.template(reading.text)}\n\nA was chosen. What is wrong: {'; '.join(reading.problems)}.\n"
            "Reformat it step by step: start_planning with confirm=true and the goal that the message has, then "
            "update_description, set_constraints and set_tasks with what it says."
        )
        return _respond(ToolResponse, look, action)

    def _reformat(self, look: Look, proposal: str) -> ToolResponse:
        proposed = planner.read(planner.unfenced(proposal), look.rules)
        if proposed.message is None:
            told = "; ".join(proposed.problems) or "it is empty"
            return _refused(look, Refused(f"the reformatted message is no plan either: {told}", question=_CHOICE))
        # Only finish_job writes the finished heading.
        proposed.message.finished = False
        try:
            with changes.lock(self.root):
                self._write(look, proposed.message, proposed.tail)
        except Refused as refusal:
            return _refused(look, refusal)
        check = AlignmentCheck(
            question="does the reformatted message say what the old one said? 'jj undo' brings that back.",
            required_confirmation=True,
        )
        return _respond(ToolResponse, look, "reformatted the description into a plan", question=check)

    def _look(self, kind: type[_Response], answer: Callable[[Look], _Response], *, snapshot: bool = False) -> _Response:
        return self._guarded(kind, lambda: answer(self._take(snapshot=snapshot)))

    def _read(self, kind: type[_Response], look: Look, action: str, *, fresh: bool = False) -> _Response:
        if look.reading.malformed:
            return _malformed(kind, look)
        if look.reading.message is not None:
            return _respond(kind, look, action)
        if fresh:
            return _respond(kind, look, _absent(look))
        return _refused(look, Refused(NO_PLAN), kind)

    def _guarded(self, kind: type[_Response], run: Callable[[], _Response]) -> _Response:
        """The answer of `run`, or one that stops everything where jj or the configuration fails."""
        try:
            return run()
        except (LockedError, ChangeMoved) as error:
            hint = error.hint or "try again"
            actions = NextActions(recommended=[f"get_plan: {hint}"], available=list(guidance.TOOLS))
            return kind(
                status="error",
                action_taken=f"nothing was written: {error}; {hint}",
                current_state=PlanState(),
                next_actions=actions,
            )
        except SmartcommitError as error:
            hint = error.hint or "run 'jj status' and mend what it reports"
            return kind(
                status="error",
                action_taken=f"CRITICAL, stop all work: {error}. Nothing was written, and no planner tool works until "
                f"this is mended: {hint}",
                current_state=PlanState(),
                next_actions=guidance.halted(str(error), hint),
            )


def _plan(look: Look) -> Message:
    if look.reading.message is None:
        raise Refused(NO_PLAN)
    return look.reading.message


def _respond(
    kind: type[_Response], look: Look, action: str, *, failed: bool = False, question: AlignmentCheck | None = None
) -> _Response:
    state = look.state
    return kind(
        status="error" if failed else "success",
        action_taken=action + _notes(look.change),
        current_state=state,
        next_actions=guidance.next_actions(look.reading, state),
        alignment_check=question,
        raw_commit_content=look.reading.text if look.reading.malformed else None,
    )


def _refused(look: Look, refusal: Refused, kind: type[_Response] = ToolResponse) -> _Response:  # type: ignore[assignment]
    question = refusal.question
    check = AlignmentCheck(question=question, required_confirmation=True) if question else None
    return _respond(kind, look, f"refused: {refusal}", failed=True, question=check)


def _malformed(kind: type[_Response], look: Look) -> _Response:
    told = "; ".join(look.reading.problems)
    action = f"refused: the description is no plan and read-only, see verify_plan: {told}"
    return _respond(kind, look, action, failed=True)


def _ask(look: Look) -> str:
    return f"{guidance.template(look.reading.text)}\n\nWhat is wrong: {'; '.join(look.reading.problems)}."


def _absent(look: Look) -> str:
    if look.change.empty:
        return "the change is empty and has no description: nothing is planned"
    return "the change has modifications and no description: the work began without a plan"


def _notes(change: Change) -> str:
    notes = []
    if change.divergent:
        notes.append(
            f"this change is divergent: \"jj log -r 'change_id({change.change_id[:12]})'\" shows its versions, "
            "'jj abandon' drops one"
        )
    if change.conflict:
        notes.append("this change has conflicts: 'jj resolve' or an editor settles them")
    if change.immutable:
        notes.append("this change is immutable: 'jj new' makes one that can be planned")
    return "".join(f". Note: {note}" for note in notes)
