"""Runs a plan's tasks: attempts, their prompts, and what a plan's backend must do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from smartcommit.change.wording import format_count
from smartcommit.errors import Cancelled, GitError, SmartcommitError, TaskPlanError
from smartcommit.executor.agents import CommandAgent, run_check
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.output import FAILED, MARKER, PLACEHOLDER, OutputCapture
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.run import AttemptFailed, ProtectedFileChanged, Run
from smartcommit.executor.task_message import CommitMessage, MessageCheck, choose_message, plan_message

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


class RunObserver(Protocol):
    """Receives what happens in a run, in words, which may contain anything."""

    def begin(self, text: str) -> None:
        """An attempt starts."""

    def tell(self, text: str) -> None:
        """Something has happened."""

    def show(self, lines: Sequence[str]) -> None:
        """The agent has printed these lines."""


class Executor:
    """Runs the plan in `backend` by `agent`; the caller holds the lock of the working tree.

    `judge` checks suggested messages, and `complete` gives one a header if it has none.
    """

    def __init__(
        self,
        run: Run,
        backend: PlanBackend,
        agent: CommandAgent,
        *,
        observer: RunObserver,
        judge: MessageCheck,
        complete: Callable[[str], str | None],
    ) -> None:
        self._run = run
        self._backend = backend
        self._agent = agent
        self._judge = judge
        self._complete = complete
        self._observer = observer
        # What the run has come to, in lines, once it has ended.
        self.summary: list[str] = []

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
            for text in backend.open():
                self._observer.tell(text)
            opened = True
            for number, task in enumerate(backend.plan.tasks, 1):
                if task.status != "completed":
                    self._run_task(task, number)
            self._finish()
            ending = "plan completed"
        except ProtectedFileChanged:
            opened = False  # git may not run to look for next steps
            raise
        except Cancelled:
            ending = f"stopped; run 'smartcommit execute resume {backend.name}' to continue"
            raise
        finally:
            # The last commit can leave the tree dirty, which is an error.
            if backend.plan.status == "completed":
                ending = "plan completed"
            self.summary = self._summarize(ending, time.monotonic() - started)
            if opened:
                # Whatever ended the run is what the user must hear of.
                with suppress(SmartcommitError):
                    self.summary += backend.list_next_steps()

    def _summarize(self, ending: str, seconds: float) -> list[str]:
        commits = self._backend.commits
        lines = [f"{ending} ({format_duration(seconds)}, {format_count(len(commits), 'commit')})"]
        for commit, message in commits:
            lines.append(f"  {commit[:12]} {_subject(message)}".rstrip())
        return lines + [f"nothing was changed in task {task.id} {task.title}" for task in self._backend.empty_tasks]

    def _run_task(self, task: PlanTask, number: int) -> None:
        failure = self._backend.log.last_failure(task.id)
        # Every task gets at least one attempt in this run.
        if task.attempts >= self._run.attempts:
            task.attempts = 0
        while task.attempts < self._run.attempts:
            if self._run.stopped():
                raise Cancelled("stopped between attempts")
            self._backend.start(task)
            place = f"task {number} of {len(self._backend.plan.tasks)}, attempt {task.attempts} of {self._run.attempts}"
            self._observer.begin(f"{place}: {task.id} {task.title}")
            try:
                self._attempt(task, failure)
                return
            except AttemptFailed as error:
                failure = str(error)
                self._fail(task, failure)
            except ProtectedFileChanged:
                raise
            except Cancelled:
                self._backend.stop(task, "plan_cancelled")
                raise
            except SmartcommitError as error:
                # After the commit the task stays completed, whatever is wrong with the tree.
                if task.status != "completed":
                    self._backend.stop(task, "run_stopped", _reason(error))
                # Ctrl-C on a terminal also reaches a git process.
                if self._run.stopped():
                    raise Cancelled("stopped while git was running") from None
                raise
        reason = " ".join(failure.splitlines()[:2]) or "no reason"
        raise TaskPlanError(
            f"task {task.id} failed {format_count(task.attempts, 'time')}: {reason}",
            hint="its work is still in the working tree; inspect it, then run 'smartcommit execute resume "
            f"{self._backend.name}'",
        )

    def _fail(self, task: PlanTask, reason: str) -> None:
        for line in reason.splitlines():
            self._observer.tell(f"  failed: {line.expandtabs()}")
        self._backend.fail(task, reason, is_last=task.attempts >= self._run.attempts)

    def _attempt(self, task: PlanTask, failure: str) -> None:
        success = False
        output = OutputCapture(self._backend.private, seen=self._observer.show)
        output.begin(task.id, task.attempts)
        try:
            self._run_agent(task, failure, output)
            success = True
        finally:
            output.end(task.id, success=success)
        suggested = output.extract_commit_message()
        message = choose_message(task, suggested, judge=self._judge, complete=self._complete)
        commit = self._backend.complete(task, message)
        if commit is None:
            self._observer.tell("  completed without a commit")
            return
        self._observer.tell(f"  committed {commit[:12]} {_subject(message.text)}")
        if message.reason:
            self._observer.tell(f"  {message.reason}")

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
            self._backend.check_protected()
        admitted = output.extract_failure()
        if admitted:
            raise AttemptFailed(f"the agent reported failure: {admitted}")
        try:
            for command in filter(None, dict.fromkeys((task.check, plan.check))):
                run_check(command, self._run, seen=self._observer.show)
        finally:
            # A check runs what the agent has written.
            self._backend.check_protected()
        self._backend.inspect(task)

    def _finish(self) -> None:
        """Complete the plan, unless its last task did."""
        plan = self._backend.plan
        if plan.status == "completed":
            return
        try:
            self._backend.complete(None, CommitMessage(plan_message(plan)))
        except AttemptFailed as error:
            raise TaskPlanError(str(error)) from None


def _reason(error: SmartcommitError) -> str:
    return f"git failed: {error}" if isinstance(error, GitError) else str(error)


def format_duration(seconds: float) -> str:
    """Return a duration as `1:02:03`, or `2:03` below an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"


def _subject(message: str) -> str:
    return message.partition("\n")[0]


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
