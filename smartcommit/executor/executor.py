"""Runs a plan's tasks: attempts, their prompts, and what a plan's backend must do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from smartcommit.errors import Cancelled, GitError, SmartcommitError, TaskPlanError
from smartcommit.executor.agents import Agent, run_check
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.output import FAILED, MARKER, PLACEHOLDER, OutputCapture
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.executor.task_message import CommitMessage, MessageCheck, choose_message

# Lines at the end of a failed agent's output that the next attempt gets.
_REASON_LINES = 20
# Characters at the end of a failure that the next attempt gets.
FAILURE_LIMIT = 6000

_INSTRUCTIONS = f"""## Instructions
1. Implement the task as described
2. Verify ALL acceptance criteria are met
3. If you have a code review skill available (e.g., `/code-review`), use it
4. **DO NOT commit your changes** - smartcommit commits them for you
5. When done, output your suggested commit message in this format:
   {MARKER} {PLACEHOLDER}

IMPORTANT: Leave changes uncommitted. They are validated and committed for you.
If you cannot meet every criterion, output a line '{FAILED} <why>' instead of a message.
"""
_RETRY = (
    "**Note**: Previous attempts failed. If there are uncommitted changes from previous attempts, "
    "review them and continue from where the previous attempt left off."
)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run has come to; `ending` says how it ended, after so many `seconds`.

    `commits` are those that it made, oldest first, each with its message, and `empty_tasks` the tasks that it completed
    although nothing was changed. `next_steps` say what is left uncommitted and what can be pushed, with the commands.
    """

    ending: str
    seconds: float
    commits: Sequence[tuple[str, str]]
    empty_tasks: Sequence[PlanTask]
    next_steps: Sequence[str]


class RunObserver:
    """Receives the events of a run. In this base class every method does nothing."""

    def settled(self, text: str) -> None:
        """Something of an earlier run, or that an agent has changed, was put in order."""

    def started(self, task: PlanTask, attempt: int, attempts: int) -> None:
        """An attempt started."""

    def lines(self, texts: Sequence[str]) -> None:
        """The agent printed these lines, which may contain anything."""

    def failed(self, task: PlanTask, reason: str) -> None:
        """The attempt failed."""

    def completed(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        """The task is completed; `commit` is None if there was nothing to commit, or nothing may be committed."""

    def ended(self, summary: RunSummary) -> None:
        """The run is over."""


class Executor:
    """Runs the plan in `backend` by `agent`; the caller holds the lock of the working tree.

    `judge` checks suggested messages, and `complete` gives one a header if it has none.
    """

    def __init__(
        self,
        run: Run,
        backend: PlanBackend,
        agent: Agent,
        *,
        judge: MessageCheck,
        complete: Callable[[str], str | None] = lambda text: None,
        observer: RunObserver | None = None,
    ) -> None:
        self._run = run
        self._backend = backend
        self._agent = agent
        self._judge = judge
        self._complete = complete
        self._observer = observer or RunObserver()

    def run(self) -> None:
        """Run every task that is not completed.

        Raise TaskPlanError if the run cannot start or go on, or if all attempts at a task failed; Cancelled; GitError.
        The backend then has the state, and the working tree the work.
        """
        started = time.monotonic()
        ending = "plan not completed"
        opened = False
        backend = self._backend
        try:
            self._tell(backend.open())
            opened = True
            for task in backend.plan.tasks:
                if task.status != "completed":
                    self._run_task(task)
            self._finish()
            ending = "plan completed"
        except Cancelled:
            ending = f"stopped; run 'smartcommit execute resume {backend.name}' to continue"
            raise
        finally:
            # The last commit can leave the tree dirty, which is an error.
            if backend.plan.status == "completed":
                ending = "plan completed"
            next_steps = backend.list_next_steps() if opened else []
            seconds = time.monotonic() - started
            self._observer.ended(RunSummary(ending, seconds, backend.commits, backend.empty_tasks, next_steps))

    def _run_task(self, task: PlanTask) -> None:
        failure = self._backend.last_failure(task)
        # Every task gets at least one attempt in this run.
        if task.attempts >= self._run.attempts:
            task.attempts = 0
        while task.attempts < self._run.attempts:
            if self._run.stopped():
                raise Cancelled("stopped between attempts")
            self._backend.start(task)
            self._observer.started(task, task.attempts, self._run.attempts)
            try:
                self._attempt(task, failure)
                return
            except AttemptFailed as error:
                failure = str(error)
                self._observer.failed(task, failure)
                self._backend.fail(task, failure)
            except Cancelled:
                self._backend.cancel(task)
                raise
            except SmartcommitError as error:
                # After the commit the task stays completed, whatever is wrong with the tree.
                if task.status != "completed":
                    self._backend.stop(task, _reason(error))
                # Ctrl-C on a terminal also reaches a git process.
                if self._run.stopped():
                    raise Cancelled("stopped while git was running") from None
                raise
        self._backend.give_up(task)
        often = "once" if task.attempts == 1 else f"{task.attempts} times"
        raise TaskPlanError(
            f"task {task.id} failed {often}: {' '.join(failure.splitlines()[:2]) or 'no reason'}",
            hint="its work is still in the working tree; inspect it, then run 'smartcommit execute resume "
            f"{self._backend.name}'",
        )

    def _attempt(self, task: PlanTask, failure: str) -> None:
        success = False
        output = OutputCapture(self._backend.private, seen=self._observer.lines)
        output.begin(task.id, task.attempts)
        try:
            self._run_agent(task, failure, output)
            success = True
        finally:
            output.end(task.id, success=success)
        suggested = output.extract_commit_message()
        message = choose_message(task, suggested, judge=self._judge, prefix=self._run.prefix, complete=self._complete)
        commit = self._backend.complete(task, message)
        self._observer.completed(task, commit, message)

    def _run_agent(self, task: PlanTask, failure: str, output: OutputCapture) -> None:
        """Raise AttemptFailed unless the agent, the checks and the working tree show success."""
        plan = self._backend.plan
        prompt = build_prompt(task, plan_context(plan), task.attempts, self._run.attempts, failure=failure)
        try:
            self._agent.run(prompt, output, self._run)
        except AttemptFailed as error:
            # The next attempt gets the end of the output.
            raise AttemptFailed("\n".join([str(error), *output.last(_REASON_LINES)])) from None
        finally:
            self._tell(self._backend.restore_protected())
        admitted = output.extract_failure()
        if admitted:
            raise AttemptFailed(f"the agent reported failure: {admitted}")
        try:
            for command in filter(None, dict.fromkeys((task.check, plan.check))):
                run_check(command, self._run, seen=self._observer.lines)
        finally:
            # A check runs what the agent has written.
            self._tell(self._backend.restore_protected())
        self._backend.inspect_worktree(task)

    def _tell(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._observer.settled(text)

    def _finish(self) -> None:
        try:
            self._backend.finish()
        except AttemptFailed as error:
            raise TaskPlanError(str(error)) from None


def _reason(error: SmartcommitError) -> str:
    return f"git failed: {error}" if isinstance(error, GitError) else str(error)


def plan_context(plan: TaskPlan) -> str:
    """Return what each agent gets of the plan: its name, purpose and source, and which tasks are done."""
    lines = [f"# Plan: {plan.name}"]
    if plan.description:
        lines += ["", plan.description]
    if plan.source_file:
        lines += ["", f"Source document: {plan.source_file}"]
    lines += ["", "Tasks:"]
    for task in plan.tasks:
        box = "[x]" if task.status == "completed" else "[ ]"
        lines.append(f"- {box} {task.id} {task.title}")
    return "\n".join(lines)


def build_prompt(task: PlanTask, plan_context: str, attempt: int, max_attempts: int, *, failure: str = "") -> str:
    """Return the prompt for an attempt at `task`; `failure` is why the last one failed."""
    blocks = [plan_context, f"## Task {task.id}: {task.title}"]
    if task.description:
        blocks.append(task.description)
    blocks.append(f"Attempt {attempt} of {max_attempts}")
    if attempt > 1 or failure:
        blocks.append(_RETRY)
    if failure:
        blocks.append(f"The last attempt failed with:\n\n{_quoted(failure)}")
    if task.acceptance_criteria:
        numbered = [f"{number}. {text}" for number, text in enumerate(task.acceptance_criteria, 1)]
        blocks.append("\n".join(["## Acceptance criteria", *numbered]))
    blocks.append(_INSTRUCTIONS)
    return "\n\n".join(blocks)


def _quoted(text: str) -> str:
    return "\n".join(f"    {line}" for line in text[-FAILURE_LIMIT:].splitlines())
