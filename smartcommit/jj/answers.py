"""The planner's answers: every one of them says where the plan stands and what can follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from smartcommit.errors import SmartcommitError
from smartcommit.jj import guidance
from smartcommit.jj.change import JjChange
from smartcommit.jj.description import EditRejected, ParsedDescription
from smartcommit.jj.models import AlignmentCheck, NextActions, PlanState, ToolResponse
from smartcommit.jj.run import NoWorkspace
from smartcommit.message.rules import Rules

Response = TypeVar("Response", bound=ToolResponse)


@dataclass(slots=True)
class PlanSnapshot:
    """One look at the change, with the project's rules at that time."""

    change: JjChange
    reading: ParsedDescription
    rules: Rules

    @property
    def state(self) -> PlanState:
        """Where the plan stands; a change that is modified and undescribed is being planned already."""
        if self.reading.message is not None:
            return PlanState.from_message(self.reading.message)
        untouched = self.change.empty and not self.change.description.strip()
        return PlanState(phase="uninitialized" if untouched else "planning")


def respond(
    kind: type[Response],
    look: PlanSnapshot,
    action: str,
    *,
    failed: bool = False,
    question: AlignmentCheck | None = None,
) -> Response:
    """A response that tells where the plan stands in `look`."""
    state = look.state
    return kind(
        status="error" if failed else "success",
        action_taken=action + _notes(look.change),
        current_state=state,
        next_actions=guidance.next_actions(look.reading, state),
        alignment_check=question,
        raw_commit_content=look.reading.text if look.reading.malformed else None,
    )


def refused(kind: type[Response], look: PlanSnapshot, refusal: EditRejected) -> Response:
    """The answer to a call that is against the rules."""
    question = refusal.question
    check = AlignmentCheck(question=question, required_confirmation=True) if question else None
    return respond(kind, look, f"refused: {refusal}", failed=True, question=check)


def malformed(kind: type[Response], look: PlanSnapshot) -> Response:
    """The answer of every tool that would need a plan where the description is none."""
    told = "; ".join(look.reading.problems)
    action = f"refused: the description is no plan and read-only, see verify_plan: {told}"
    return respond(kind, look, action, failed=True)


def asked(look: PlanSnapshot) -> str:
    """The question that a description without a plan's structure raises, and what is wrong with it."""
    return f"{guidance.template(look.reading.text)}\n\nWhat is wrong: {'; '.join(look.reading.problems)}."


def absent(look: PlanSnapshot) -> str:
    """What is there instead of a description."""
    if look.change.empty:
        return "the change is empty and has no description: nothing is planned"
    return "the change has modifications and no description: the work began without a plan"


def _notes(change: JjChange) -> str:
    notes = []
    if change.divergent:
        notes.append(
            f"this change is divergent: \"jj log -r 'change_id({change.change_id[:12]})'\" shows its versions, "
            "'jj abandon' drops one"
        )
    if change.conflict:
        notes.append("this change has conflicts: 'jj resolve' or an editor settles them")
    return "".join(f". Note: {note}" for note in notes)


def busy(kind: type[Response], error: SmartcommitError) -> Response:
    """The answer where somebody else was in the way: the same call can be made again."""
    hint = error.hint or "try again"
    return kind(
        status="error",
        action_taken=f"nothing was written: {error}; {hint}",
        next_actions=NextActions(recommended=[f"get_plan: {hint}"], available=list(guidance.TOOLS)),
    )


def halted_response(kind: type[Response], error: SmartcommitError) -> Response:
    """The answer where no tool works: all work stops until somebody has fixed what is wrong."""
    hint = error.hint or "run 'jj status' and fix what it reports"
    if isinstance(error, NoWorkspace):
        action = f"{error}: {hint}"
    else:
        action = (
            f"CRITICAL, stop all work: {error}. Nothing was written, and no planner tool works until this is fixed: "
            f"{hint}"
        )
    return kind(
        status="error",
        action_taken=action,
        next_actions=guidance.stop_actions(str(error), hint),
    )
