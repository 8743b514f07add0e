"""Responses of the planner's tools, with the next actions they recommend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smartcommit.errors import LockedError, SmartcommitError
from smartcommit.jj.description import EditRejected, ParsedDescription
from smartcommit.jj.models import AlignmentCheck, NextActions, PlanState, ToolResponse
from smartcommit.jj.planner import NO_PLAN
from smartcommit.jj.run import ChangeDiverged, ChangeMoved, JjChange, NoWorkspace
from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import LEVELS, PREFIXES
from smartcommit.message.rules import MEANINGS, PLAN_TYPES, Rules

TOOLS = (
    "start_planning", "get_plan", "update_goal", "update_description", "get_constraints", "set_constraints",
    "get_tasks", "set_tasks", "mark_task", "finish_job", "unfinish_job", "verify_plan",
)  # fmt: skip
_ALWAYS = ("start_planning", "get_plan", "verify_plan")
_READING = ("start_planning", "get_plan", "get_constraints", "get_tasks", "verify_plan")
FORM = """type(scope)!: summary

long description

Constraints:
- Do not: [constraint]

Tasks [ ]:
- [ ] summary: details"""
PARTS = (
    "why the change is necessary, what changes at a high level, how it is done, and the context that a reader of "
    "the code needs"
)
WORKFLOW = "start_planning, update_description, set_constraints, set_tasks, mark_task for each leaf, finish_job"


def list_next_actions(reading: ParsedDescription, state: PlanState) -> NextActions:
    if reading.message is not None:
        return _list_actions(_recommend(state), _find_blocked(state))
    allowed: Sequence[str] = _ALWAYS
    reason = NO_PLAN
    recommended = "start_planning: state what the change should do, as type(scope): summary"
    if reading.malformed:
        allowed, reason = _READING, "the description is not a plan and is read-only until it is reformatted"
        recommended = "verify_plan: choose A) reformat this commit, or B) work with it as read-only"
    blocked = dict.fromkeys(TOOLS, reason)
    for name in allowed:
        del blocked[name]
    return _list_actions([recommended], blocked)


def write_template(raw: str) -> str:
    """Return the question about a text without the planner's structure. Source: the specification's prompt template."""
    return f"""Current commit message does not follow structured format.

CURRENT MESSAGE:
{raw.rstrip()}

Please reformat into this structure:
{FORM}

Choose: A) Reformat this commit, or B) Work with current message as read-only context"""


def write_guide(rules: Rules) -> str:
    """Return the guide to planning by the project's `rules`, for a model that has these tools."""
    types = "\n".join(f"- {name}: {MEANINGS[name]}" for name in PLAN_TYPES)
    prefixes = "- " + "\n- ".join(PREFIXES)
    return f"""# Planning a change in its own description

The plan is the description of jj's working-copy commit. It holds all of the state: nothing is remembered between
calls, every response includes the current state of the plan, and what you report as done is not verified.

## Ideal workflow
{WORKFLOW}. For example:
1. start_planning(type="feat", scope="parser", summary="accept comments in lists")
2. update_description("Configurations of users have comments ...")
3. set_constraints(["Do not: change how strings are read"])
4. set_tasks([{{"summary": "read comments", "details": "in the tokeniser"}},
   {{"summary": "keep positions", "level": 1}}, {{"summary": "test both", "level": 1}}, {{"summary": "document them"}}])
5. mark_task("keep-positions", completed=true) after each piece of work
6. finish_job() once everything is done; then `jj new` starts the next change

## Planning practice
- One change, one purpose. If the work needs two scopes, plan two changes.
- The description says {PARTS}.
- List tasks in working order, each small enough to be clearly done, up to {LEVELS} levels deep. Only leaf tasks contain
  work; a parent groups them and is complete when all of its children are.
- Mark a task when its work is done, not before. After changing the plan, review the state of every task.

## Flexibility
Any order of calls that ends in a complete plan is fine: goal, description, constraints and tasks can be changed at any
time. Every response lists what is recommended, available and blocked, and why.

## Form
The header is type(scope)!: summary, with the scope in lower case and optional, '!' for a breaking
change, and a summary ({describe_summary(rules)}). Use the first type in this list that applies to any part of the
change (projects can define their own list):
{types}

A constraint is one line that begins with one of these prefixes:
{prefixes}
"""


def describe_summary(rules: Rules) -> str:
    return f"imperative, one line, at most {rules.summary_limit} characters"


def _list_actions(recommended: list[str], blocked: dict[str, str]) -> NextActions:
    return NextActions(
        recommended=recommended,
        blocked=[f"{name}: {blocked[name]}" for name in TOOLS if name in blocked],
        available=[name for name in TOOLS if name not in blocked],
    )


def _find_blocked(state: PlanState) -> dict[str, str]:
    open_tasks = state.total_tasks - state.completed_tasks
    blocked = {
        "start_planning": (
            "the change already has a plan; pass confirm=true to replace it, or run 'jj new' to start another change"
        )
    }
    if not state.has_tasks:
        blocked |= {"mark_task": "there are no tasks", "finish_job": "a plan without tasks is never complete"}
    elif open_tasks:
        blocked["finish_job"] = f"{open_tasks}/{state.total_tasks} tasks open"
    elif state.phase == "complete":
        blocked["finish_job"] = "the job is finished"
    if state.phase != "complete":
        blocked["unfinish_job"] = "the job is not finished"
    return blocked


def _recommend(state: PlanState) -> list[str]:
    if state.phase == "complete":
        return ["verify_plan: do a final check, then run 'jj new' to start the next change"]
    steps = []
    if not state.has_description:
        steps.append(f"update_description: explain {PARTS}")
    if not state.has_constraints and not state.has_tasks:
        steps.append("set_constraints: say what must not happen, if anything")
    if not state.has_tasks:
        steps.append("set_tasks: break the work into steps")
    elif state.current_task_id is not None:
        steps.append(f"mark_task: when '{state.current_task_id}' is done")
    else:
        steps.append("finish_job: all tasks are complete")
    return steps


@dataclass(slots=True)
class PlanSnapshot:
    """The change and the project's rules as they were read for one call."""

    change: JjChange
    reading: ParsedDescription
    rules: Rules

    @property
    def state(self) -> PlanState:
        """The state of the plan. A change with modifications but no description counts as being planned."""
        if self.reading.message is not None:
            return PlanState.from_message(self.reading.message)
        if self.change.empty and not self.change.description.strip():
            return PlanState(phase="uninitialized")
        return PlanState(phase="planning")

    def require_plan(self) -> Message:
        """Return the plan. Raise EditRejected if there is none."""
        if self.reading.malformed:
            problems = "; ".join(self.reading.problems)
            raise EditRejected(f"the description is not a plan, so it is read-only (see verify_plan): {problems}")
        if self.reading.message is None:
            raise EditRejected(NO_PLAN)
        return self.reading.message


def respond(
    snapshot: PlanSnapshot, action: str, *, failed: bool = False, question: str | None = None, confirm: bool = False
) -> ToolResponse:
    """Return a response with the state of the plan in `snapshot`, and a question that the user has to `confirm`."""
    reading, state, change = snapshot.reading, snapshot.state, snapshot.change
    action += reading.note
    if change.divergent:
        action += (
            f". Note: this change is divergent: run \"jj log -r 'change_id({change.change_id[:12]})'\" to see its "
            "versions, and 'jj abandon COMMIT' to drop one"
        )
    if change.conflict:
        action += ". Note: this change has conflicts: resolve them with 'jj resolve' or in an editor"
    response = ToolResponse(
        status="error" if failed else "success",
        action_taken=action,
        current_state=state,
        next_actions=list_next_actions(reading, state),
    )
    if question:
        response.alignment_check = AlignmentCheck(question=question, required_confirmation=confirm)
    if reading.malformed:
        response.raw_commit_content = reading.text
    return response


def refuse(snapshot: PlanSnapshot, refusal: EditRejected) -> ToolResponse:
    return respond(snapshot, f"refused: {refusal}", failed=True, question=refusal.question, confirm=True)


def describe_absence(snapshot: PlanSnapshot) -> str:
    """Say that there is no description, and whether the change has modifications."""
    if snapshot.change.empty:
        return "the change is empty and has no description: nothing is planned yet"
    return "the change has modifications but no description: work started without a plan"


def report_error(error: SmartcommitError) -> ToolResponse:
    """Return the response if jj or the configuration failed, or another process was in the way."""
    if isinstance(error, (LockedError, ChangeMoved)):  # the same call can be repeated
        hint = error.hint or "try again"
        action = f"nothing was written: {error}; {hint}"
        actions = _list_actions([f"get_plan: {hint}"], {})
    else:
        hint = error.hint or "run 'jj status' and fix what it reports"
        action = f"{error}: {hint}"
        actions = _list_actions([f"stop: {hint}"], dict.fromkeys(TOOLS, str(error)))
        if not isinstance(error, (NoWorkspace, ChangeDiverged)):
            fix = f"Nothing was written, and no planner tool works until this is fixed: {hint}"
            action = f"CRITICAL, stop all work: {error}. {fix}"
    return ToolResponse(status="error", action_taken=action, next_actions=actions)
