"""Runs a plan's tasks: attempts, their prompts, and what a plan's backend must do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from smartcommit.errors import Cancelled, GitError, SmartcommitError, TaskPlanError
from smartcommit.executor.agents import AttemptFailed, RunContext, Runner, check
from smartcommit.executor.output import (
    FAILED,
    MARKER,
    PLACEHOLDER,
    PREFIX,
    CommitMessage,
    Judge,
    OutputCapture,
    get_commit_message,
)
from smartcommit.executor.plan import PlanTask, TaskPlan

ATTEMPTS = 5
# Lines of an agent that failed which the next one is told.
_TOLD = 20
# Characters of a failure that the next attempt is told: its end, where reasons stand.
FAILURE_LIMIT = 6000

_INSTRUCTIONS = f"""## Instructions
1. Implement the task as described
2. Verify ALL acceptance criteria are met
3. If you have a code review skill available (e.g., `/code-review`), use it
4. **DO NOT commit your changes** - the orchestrator will handle the commit
5. When done, output your suggested commit message in this format:
   {MARKER} {PLACEHOLDER}

IMPORTANT: Leave changes uncommitted. The orchestrator will commit after validating.
If you cannot meet every criterion, output a line '{FAILED} <why>' instead of a message.
"""
_RETRY = (
    "**Note**: Previous attempts failed. If there are uncommitted changes from previous attempts, "
    "review them and continue from where the previous attempt left off."
)


@dataclass(slots=True)
class Summary:
    """What a run has come to: the commits that were made in it with their messages, and its duration in seconds."""

    commits: list[tuple[str, str]]
    seconds: float = 0.0


class RunObserver:
    """Whoever looks on; does nothing by itself."""

    def settled(self, text: str) -> None:
        """Something of an earlier run was brought in order."""

    def started(self, task: PlanTask, attempt: int, attempts: int) -> None:
        """An attempt begins."""

    def lines(self, texts: Sequence[str]) -> None:
        """The agent said these lines, which may hold anything."""

    def failed(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing."""

    def completed(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        """The task is completed; `commit` is None where there was nothing to commit, or nothing may be."""

    def ended(self, summary: Summary, text: str) -> None:
        """The run is over; `text` says how."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How tasks are worked on: `attempts` at most; `judge` judges suggestions, `prefix` begins other messages."""

    judge: Judge
    attempts: int = ATTEMPTS
    prefix: str = PREFIX


class Executor:
    """One run of the plan that `books` keeps, by `runner`; the caller holds the working tree's lock."""

    def __init__(
        self,
        books: PlanBackend,
        runner: Runner,
        output: OutputCapture,
        *,
        around: RunContext,
        manner: RunOptions,
        watcher: RunObserver | None = None,
    ) -> None:
        self._books = books
        self._runner = runner
        self._output = output
        self._around = around
        self._manner = manner
        self.watcher = watcher or RunObserver()
        self.summary = Summary(books.commits)

    def run(self) -> None:
        """Work on every task that is not completed; `summary` grows with it.

        Raises: TaskPlanError when the run must not begin or cannot go on, or a task used up its attempts; Cancelled;
        GitError. The books then say where it stands, and the work is in the tree.
        """
        begun = time.monotonic()
        try:
            for text in self._books.open():
                self.watcher.settled(text)
            for task in self._books.plan.tasks:
                if task.status != "completed":
                    self._work_on(task)
            self._finish()
        finally:
            self.summary.seconds = time.monotonic() - begun

    def _work_on(self, task: PlanTask) -> None:
        failure = self._books.last_failure(task)
        # A task is never given up without having been tried in this run.
        if task.attempts >= self._manner.attempts:
            task.attempts = 0
        while task.attempts < self._manner.attempts:
            if self._around.stopped():
                raise Cancelled("stopped between two attempts")
            self._books.start(task)
            self.watcher.started(task, task.attempts, self._manner.attempts)
            try:
                self._attempt(task, failure)
                return
            except AttemptFailed as error:
                failure = str(error)
                self.watcher.failed(task, failure)
                self._books.fail(task, failure)
            except Cancelled:
                self._books.cancel(task)
                raise
            except SmartcommitError as error:
                # After the commit the task stays completed, whatever is wrong with the tree.
                if task.status != "completed":
                    self._books.stop(task, _reason(error))
                # Ctrl-C at a terminal reaches a git that only looks, too.
                if self._around.stopped():
                    raise Cancelled("stopped while git was at work") from None
                raise
        self._books.give_up(task)
        often = "once" if task.attempts == 1 else f"{task.attempts} times"
        raise TaskPlanError(
            f"task {task.id} failed {often}: {' '.join(failure.splitlines()[:2]) or 'no reason'}",
            hint="the work is in the tree; look at it, then 'smartcommit execute resume'",
        )

    def _attempt(self, task: PlanTask, failure: str) -> None:
        success = False
        self._output.begin(task.id, task.attempts)
        try:
            self._run_agent(task, failure)
            success = True
        finally:
            self._output.end(task.id, success=success)
        message = get_commit_message(task, self._output, judge=self._manner.judge, prefix=self._manner.prefix)
        commit = self._books.complete(task, message)
        self.watcher.completed(task, commit, message)

    def _run_agent(self, task: PlanTask, failure: str) -> None:
        """Success needs evidence: the agent's own word, and the checks.

        Raises: AttemptFailed.
        """
        context = plan_context(self._books.plan)
        prompt = build_prompt(task, context, task.attempts, self._manner.attempts, failure=failure)
        try:
            self._runner.run(prompt, self._output, self._around)
        except AttemptFailed as error:
            # The next attempt sees what this one came to, as a person would.
            raise AttemptFailed("\n".join([str(error), *self._output.last(_TOLD)])) from None
        admitted = self._output.extract_failure()
        if admitted:
            raise AttemptFailed(f"the agent says that it failed: {admitted}")
        for command in filter(None, dict.fromkeys((task.check, self._books.plan.check))):
            check(command, self._around, seen=self.watcher.lines)
        self._books.settle(task)

    def _finish(self) -> None:
        try:
            self._books.finish()
        except AttemptFailed as error:
            raise TaskPlanError(str(error)) from None


def _reason(error: SmartcommitError) -> str:
    return f"git failed: {error}" if isinstance(error, GitError) else str(error)


class PlanBackend(Protocol):
    """A plan with the state of its tasks, and the commits, which move together or not at all."""

    @property
    def plan(self) -> TaskPlan:
        """The plan as it is now; its tasks are the ones to give to the methods."""

    @property
    def commits(self) -> list[tuple[str, str]]:
        """The commits that were made in this run, oldest first, each with its message; it grows with every one."""

    def open(self) -> list[str]:
        """Settle what an earlier run left; returns what was settled, in words."""

    def last_failure(self, task: PlanTask) -> str:
        """Why the task failed last; empty where it has not."""

    def start(self, task: PlanTask) -> None:
        """An attempt begins."""

    def settle(self, task: PlanTask) -> None:
        """The agent is done: see where it left the repository."""

    def fail(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing; the run goes on unless it lost what was there."""

    def give_up(self, task: PlanTask) -> None:
        """No attempt is left."""

    def cancel(self, task: PlanTask) -> None:
        """A person stops the run."""

    def stop(self, task: PlanTask, reason: str) -> None:
        """The run cannot go on."""

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Mark the task completed and commit everything; the commit's id, None where there is none."""

    def finish(self) -> str | None:
        """All tasks are completed; the commit's id where that took one more."""


def plan_context(plan: TaskPlan) -> str:
    """What every task's agent is told of the plan: its name, purpose, source, and which tasks are done."""
    lines = [f"# Plan: {plan.name}"]
    if plan.description:
        lines += ["", plan.description]
    if plan.source_file:
        lines += ["", f"Source document: {plan.source_file}"]
    lines += ["", "Tasks:"]
    marks = {"completed": "x"}
    lines += [f"- [{marks.get(task.status, ' ')}] {task.id} {task.title}" for task in plan.tasks]
    return "\n".join(lines)


def build_prompt(task: PlanTask, plan_context: str, attempt: int, max_attempts: int, *, failure: str = "") -> str:
    """The prompt for an attempt at `task`; `failure` is why the last one failed, in its own words."""
    blocks = [plan_context, f"## Task {task.id}: {task.title}"]
    if task.description:
        blocks.append(task.description)
    blocks.append(f"Attempt {attempt} of {max_attempts}")
    if attempt > 1 or failure:
        blocks.append(_RETRY)
    if failure:
        blocks.append(f"The last attempt ended with:\n\n{_quoted(failure)}")
    if task.acceptance_criteria:
        numbered = [f"{number}. {text}" for number, text in enumerate(task.acceptance_criteria, 1)]
        blocks.append("\n".join(["## Acceptance criteria", *numbered]))
    blocks.append(_INSTRUCTIONS)
    return "\n\n".join(blocks)


def _quoted(text: str) -> str:
    cut = text[-FAILURE_LIMIT:]
    return "\n".join(f"    {line}" for line in cut.splitlines())
