"""Runs a plan's tasks: attempts, their prompts, and what a plan's backend must do."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Sequence

from smartcommit.change.wording import format_count
from smartcommit.config import Settings
from smartcommit.errors import Cancelled, SmartcommitError, TaskPlanError
from smartcommit.executor.agents import CommandAgent, run_check
from smartcommit.executor.backend import CommitMessage, PlanBackend
from smartcommit.executor.message_choice import choose_message
from smartcommit.executor.output import FAILED, MARKER, PLACEHOLDER, OutputCapture
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.run import AttemptFailed, ProtectedFileChanged, Run
from smartcommit.secrets.redaction import redact

# Characters at the end of a failure that are kept, and that the next attempt gets.
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


class Executor:
    """Runs the plan in `backend` by `agent`, and tells lines, which may contain anything, about what happens."""

    def __init__(
        self,
        run: Run,
        backend: PlanBackend,
        agent: CommandAgent,
        settings: Settings,
        *,
        tell: Callable[[Sequence[str]], None],
    ) -> None:
        self._run = run
        self._backend = backend
        self._agent = agent
        self._settings = settings
        self._tell = tell
        self._resume = f"smartcommit execute resume {backend.name}"
        # What the run has come to, in lines, once it has ended.
        self.summary: list[str] = []

    def run(self) -> None:
        """Run every task that is not completed; raise TaskPlanError if one failed, Cancelled if the user stops it."""
        started = time.monotonic()
        try:
            self._tell(self._backend.open())
            for number, task in enumerate(self._backend.plan.tasks, 1):
                if task.status != "completed":
                    self._run_task(task, number)
        except SmartcommitError as error:
            error.hint = error.hint or f"fix that, then run '{self._resume}'"
            raise
        finally:
            self._summarize(time.monotonic() - started)

    def _summarize(self, seconds: float) -> None:
        backend = self._backend
        ending = "plan not completed"
        if len(backend.plan.completed) == len(backend.plan.tasks):
            ending = "plan completed"
        elif self._run.stopped():
            ending = f"stopped; run '{self._resume}' to continue"
        self.summary.append(f"{ending} ({format_duration(seconds)}, {format_count(len(backend.commits), 'commit')})")
        for commit, message in backend.commits:
            self.summary.append(f"  {commit[:12]} {message}".rstrip())
        for task in backend.empty_tasks:
            self.summary.append(f"nothing was changed in task {task.id} {task.title}")

    def _run_task(self, task: PlanTask, number: int) -> None:
        failure = self._backend.find_last_failure(task)
        # The message, if only the commit is still missing.
        finished = self._backend.find_finished(task)
        # Every task gets at least one attempt in this run.
        if task.attempts >= self._run.attempts:
            task.attempts = 0
        while task.attempts < self._run.attempts:
            if self._run.stopped():
                raise Cancelled("stopped between attempts")
            self._backend.start(task)
            place = f"task {number} of {len(self._backend.plan.tasks)}, attempt {task.attempts} of {self._run.attempts}"
            self._tell([f"{place}: {task.id} {task.title}"])
            try:
                self._attempt(task, failure, finished)
                return
            except AttemptFailed as error:
                failure = shorten(str(error))
                self._show(failure.splitlines(), mark="failed:")
                if finished is None:
                    self._backend.fail(task, failure, is_last=task.attempts >= self._run.attempts)
                else:  # an attempt without an agent does not count
                    self._backend.stop(task, "run_stopped")
                finished = None
            except ProtectedFileChanged:
                raise
            except Cancelled:
                self._backend.stop(task, "plan_cancelled")
                raise
            except SmartcommitError:
                # After the commit the task stays completed, whatever is wrong with the tree.
                if task.status != "completed":
                    self._backend.stop(task, "run_stopped")
                # Ctrl-C on a terminal also reaches a git process.
                if self._run.stopped():
                    raise Cancelled("stopped while git was running") from None
                raise
        reason = " ".join(failure.splitlines()[:2])
        hint = f"its work is still in the working tree; inspect it, then run '{self._resume}'"
        raise TaskPlanError(f"task {task.id} failed {format_count(task.attempts, 'time')}: {reason}", hint=hint)

    def _attempt(self, task: PlanTask, failure: str, message: CommitMessage | None) -> None:
        """Run the agent and commit its work, or commit with `message` what an earlier run has finished."""
        if message is None:
            output = OutputCapture(seen=self._show)
            with output.keep(self._backend.private, f"task {task.id}, attempt {task.attempts}"):
                self._run_agent(task, failure, output)
            message = choose_message(task, output.extract_commit_message(), self._backend, self._settings)
        else:
            self._tell(["  an earlier run has finished the work; committing it"])
            self._backend.inspect(task)
        commit = self._backend.complete(task, message)
        if commit is None:
            self._tell(["  completed without a commit"])
            return
        self._tell([f"  committed {commit[:12]} {message.subject}"])
        if message.reason:
            self._tell([f"  {message.reason}"])

    def _show(self, lines: Sequence[str], mark: str = "|") -> None:
        self._tell([f"  {mark} {line.expandtabs()}" for line in lines])

    def _run_agent(self, task: PlanTask, failure: str, output: OutputCapture) -> None:
        plan = self._backend.plan
        prompt = build_prompt(plan, task, self._run.attempts, failure=failure)
        try:
            self._agent.run(prompt, output, self._run)
        except AttemptFailed as error:
            # The next attempt gets the end of the output.
            raise AttemptFailed("\n".join([str(error), *output.list_last_lines()])) from None
        finally:
            self._backend.check_protected()
        if output.admitted:
            raise AttemptFailed(f"the agent reported failure: {output.admitted}")
        try:
            for command in dict.fromkeys(check for check in (task.check, plan.check) if check):
                run_check(command, self._run, seen=self._show)
        finally:
            # A check runs what the agent has written.
            self._backend.check_protected()
        self._backend.inspect(task)


def shorten(failure: str) -> str:
    first, _, rest = failure.partition("\n")
    if len(rest) > FAILURE_LIMIT:
        # The first word is cut in half, and half a secret would not be recognized.
        rest = rest[-FAILURE_LIMIT:].partition(" ")[2]
    return "\n".join([redact(first)[:FAILURE_LIMIT], redact(rest)]).rstrip()


def format_duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def build_prompt(plan: TaskPlan, task: PlanTask, max_attempts: int, *, failure: str = "") -> str:
    """Return what the agent is told: the plan, the task, and why the last attempt failed, if there was one."""
    tasks = ["Tasks:"]
    for each in plan.tasks:
        tasks.append(f"- [{'x' if each.status == 'completed' else ' '}] {each.id} {each.title}")
    source = f"Source document: {plan.source_file}" if plan.source_file else ""
    blocks = [f"# Plan: {plan.name}", plan.description, source, "\n".join(tasks)]
    blocks += [f"## Task {task.id}: {task.title}", task.description, f"Attempt {task.attempts} of {max_attempts}"]
    if task.attempts > 1 or failure:
        blocks.append(_RETRY)
    if failure:
        blocks.append(f"The last attempt failed with:\n\n{textwrap.indent(failure, '    ')}")
    if task.acceptance_criteria:
        numbered = [f"{number}. {text}" for number, text in enumerate(task.acceptance_criteria, 1)]
        blocks.append("\n".join(["## Acceptance criteria", *numbered]))
    blocks.append(_INSTRUCTIONS)
    return "\n\n".join(block for block in blocks if block)
