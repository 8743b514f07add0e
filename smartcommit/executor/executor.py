"""Runs a plan's tasks: attempts, their prompts, and what a plan's backend must do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from smartcommit.errors import Cancelled, GitError, SmartcommitError, TaskPlanError
from smartcommit.executor.agents import AttemptFailed, RunContext, Runner, check
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.output import (
    FAILED,
    MARKER,
    PLACEHOLDER,
    PREFIX,
    CommitMessage,
    MessageCheck,
    OutputCapture,
    get_commit_message,
)
from smartcommit.executor.plan import PlanTask, TaskPlan

ATTEMPTS = 5
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


@dataclass(slots=True)
class Summary:
    """The outcome of a run: its commits with their messages, and its duration in seconds."""

    commits: list[tuple[str, str]]
    seconds: float = 0.0


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

    def ended(self, summary: Summary, text: str) -> None:
        """The run is over; `text` says how."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How tasks are run: `judge` checks suggested messages, `complete` gives one a header if it has none, other
    messages start with `prefix`, and a task gets up to `attempts`.
    """

    judge: MessageCheck
    attempts: int = ATTEMPTS
    prefix: str = PREFIX
    complete: Callable[[str, PlanBackend], str | None] = lambda text, backend: None


class Executor:
    """One run of the plan in `backend`, by `runner`; the caller holds the lock of the working tree."""

    def __init__(
        self,
        backend: PlanBackend,
        runner: Runner,
        output: OutputCapture,
        *,
        context: RunContext,
        options: RunOptions,
        observer: RunObserver | None = None,
    ) -> None:
        self._backend = backend
        self._runner = runner
        self._output = output
        self._context = context
        self._options = options
        self.observer = observer or RunObserver()
        self.summary = Summary(backend.commits)

    @property
    def completed(self) -> bool:
        """Whether the plan is completed."""
        return self._backend.plan.status == "completed"

    def run(self) -> None:
        """Run every task that is not completed, and fill `summary`.

        Raise TaskPlanError if the run cannot start or go on, or if all attempts at a task failed; Cancelled; GitError.
        The backend then has the state, and the working tree the work.
        """
        started = time.monotonic()
        try:
            self._tell(self._backend.open())
            for task in self._backend.plan.tasks:
                if task.status != "completed":
                    self._run_task(task)
            self._finish()
        finally:
            self.summary.seconds = time.monotonic() - started

    def _run_task(self, task: PlanTask) -> None:
        failure = self._backend.last_failure(task)
        # Every task gets at least one attempt in this run.
        if task.attempts >= self._options.attempts:
            task.attempts = 0
        while task.attempts < self._options.attempts:
            if self._context.stopped():
                raise Cancelled("stopped between attempts")
            self._backend.start(task)
            self.observer.started(task, task.attempts, self._options.attempts)
            try:
                self._attempt(task, failure)
                return
            except AttemptFailed as error:
                failure = str(error)
                self.observer.failed(task, failure)
                self._backend.fail(task, failure)
            except Cancelled:
                self._backend.cancel(task)
                raise
            except SmartcommitError as error:
                # After the commit the task stays completed, whatever is wrong with the tree.
                if task.status != "completed":
                    self._backend.stop(task, _reason(error))
                # Ctrl-C on a terminal also reaches a git process.
                if self._context.stopped():
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
        self._output.begin(task.id, task.attempts)
        try:
            self._run_agent(task, failure)
            success = True
        finally:
            self._output.end(task.id, success=success)
        options = self._options
        message = get_commit_message(
            task, self._output, judge=options.judge, prefix=options.prefix,
            complete=lambda text: options.complete(text, self._backend),
        )  # fmt: skip
        commit = self._backend.complete(task, message)
        self.observer.completed(task, commit, message)

    def _run_agent(self, task: PlanTask, failure: str) -> None:
        """Raise AttemptFailed unless the agent, the checks and the working tree show success."""
        plan = self._backend.plan
        prompt = build_prompt(task, plan_context(plan), task.attempts, self._options.attempts, failure=failure)
        try:
            self._runner.run(prompt, self._output, self._context)
        except AttemptFailed as error:
            # The next attempt gets the end of the output.
            raise AttemptFailed("\n".join([str(error), *self._output.last(_REASON_LINES)])) from None
        finally:
            self._tell(self._backend.restore_protected())
        admitted = self._output.extract_failure()
        if admitted:
            raise AttemptFailed(f"the agent reported failure: {admitted}")
        try:
            for command in filter(None, dict.fromkeys((task.check, plan.check))):
                check(command, self._context, seen=self.observer.lines)
        finally:
            # A check runs what the agent has written.
            self._tell(self._backend.restore_protected())
        self._backend.inspect_worktree(task)

    def _tell(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.observer.settled(text)

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
