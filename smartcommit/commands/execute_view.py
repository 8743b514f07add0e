"""Progress display for a run: live on a terminal, lines with the time otherwise."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from smartcommit.change.wording import format_count
from smartcommit.executor.executor import RunObserver, RunSummary
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.task_message import CommitMessage
from smartcommit.terminal import printable

# The maximum number of the agent's lines that are shown.
_LINES = 12
# Seconds without any output after which a log says that the run still goes on.
_SILENCE = 300.0
_SYMBOLS = {"pending": "○", "in_progress": "▶", "completed": "✓", "failed": "✗"}
_STYLES = {"in_progress": "bold cyan", "completed": "green", "failed": "red"}


@contextmanager
def view(plan: TaskPlan) -> Iterator[RunObserver]:
    """Open a display for a run of `plan`."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        plain = PlainView(plan)
        with _report_silence(plain):
            yield plain
        return
    shown = LiveView(plan, console)
    with shown.live:
        yield shown


@contextmanager
def _report_silence(shown: PlainView) -> Iterator[None]:
    """Let `shown` say from time to time, until the block ends, that nothing was printed for long."""
    ended = threading.Event()

    def report() -> None:
        while not ended.wait(_SILENCE - shown.silence() % _SILENCE):
            shown.report_silence()

    reporter = threading.Thread(target=report, daemon=True)
    reporter.start()
    try:
        yield
    finally:
        ended.set()
        reporter.join()


class PlainView(RunObserver):
    """Prints a line for each event, and the agent's own lines, each after the time since the run started."""

    def __init__(self, plan: TaskPlan) -> None:
        self._plan = plan
        self._begun = self._printed = time.monotonic()

    def _print(self, text: str) -> None:
        _write(lambda: click.echo(printable(text)))

    def _tell(self, text: str) -> None:
        self._print(self._after_time(text))
        self._printed = time.monotonic()

    def _after_time(self, text: str) -> str:
        # The columns of a run that takes hours stay in line.
        return f"{clock(time.monotonic() - self._begun):>7} {text}"

    def silence(self) -> float:
        """Return for how many seconds nothing was printed."""
        return time.monotonic() - self._printed

    def report_silence(self) -> None:
        """Print for how long nothing was printed, if that is long."""
        silence = self.silence()
        if silence >= _SILENCE:
            self._print(self._after_time(f"  no output for {clock(silence)}"))

    def settled(self, text: str) -> None:
        """Print what was recovered of an earlier run."""
        self._tell(text)

    def started(self, task: PlanTask, attempt: int, attempts: int) -> None:
        """Print the start of an attempt."""
        number = _position(self._plan, task.id) + 1
        place = f"task {number} of {len(self._plan.tasks)}, attempt {attempt} of {attempts}"
        self._tell(f"{place}: {task.id} {task.title}")

    def lines(self, texts: Sequence[str]) -> None:
        """Print lines of the agent."""
        self._printed = time.monotonic()
        shown = "\n".join(self._after_time(f"  | {printable(text.expandtabs())}") for text in texts)
        _write(lambda: click.echo(shown))

    def failed(self, task: PlanTask, reason: str) -> None:
        """Print why an attempt failed."""
        for line in reason.splitlines():
            self._tell(f"  failed: {line.expandtabs()}")

    def completed(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        """Print the commit of a completed task."""
        if commit is None:
            self._tell("  completed without a commit")
            return
        subject = message.text.split("\n", 1)[0]
        self._tell(f"  committed {commit[:12]} {subject}")
        if message.reason:
            self._tell(f"  {message.reason}")

    def ended(self, summary: RunSummary) -> None:
        """Print the summary of the run."""
        made = format_count(len(summary.commits), "commit")
        self._print(f"{summary.ending} ({clock(summary.seconds)}, {made})")
        for commit, message in summary.commits:
            subject = message.partition("\n")[0]
            self._print(f"  {commit[:12]} {subject}".rstrip())
        for task in summary.empty_tasks:
            self._print(f"nothing was changed in task {task.id} {task.title}")
        for step in summary.next_steps:
            self._print(step)


class LiveView(PlainView):
    """Redraws the status of the run several times a second, below the lines that stay on the terminal."""

    def __init__(self, plan: TaskPlan, console: Console) -> None:
        super().__init__(plan)
        self._console = console
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._task: str | None = None
        self._attempt = ""
        self._done: set[str] = set(plan.completed)
        self.live = Live(
            console=console, get_renderable=self.renderable, refresh_per_second=4, transient=True, redirect_stdout=False
        )

    def _print(self, text: str) -> None:
        _write(lambda: self._console.print(Text(printable(text))))

    def started(self, task: PlanTask, attempt: int, attempts: int) -> None:
        """Print the start of an attempt and show it in the status."""
        super().started(task, attempt, attempts)
        self._task = task.id
        self._attempt = f"attempt {attempt} of {attempts}"
        self._lines.clear()
        _write(self.live.refresh)

    def lines(self, texts: Sequence[str]) -> None:
        """Show lines of the agent in the status: the first of an attempt at once, the others with the next redraw."""
        is_first = not self._lines
        self._lines.extend(text.expandtabs() for text in texts if text.strip())
        if is_first:
            _write(self.live.refresh)

    def completed(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        """Print the commit of a completed task and count the task as done."""
        self._done.add(task.id)
        self._task = None
        self._attempt = ""
        self._lines.clear()
        super().completed(task, commit, message)

    def renderable(self) -> Group:
        """Return the current status."""
        elapsed = time.monotonic() - self._begun
        width, height = self._console.size
        moment = Moment(self._task, self._done, self._attempt, list(self._lines), elapsed)
        return render(self._plan, moment, width=width, height=height)


@dataclass(frozen=True, slots=True)
class Moment:
    """The progress of a run: the id of the current task, the ids of completed ones, and the agent's last lines."""

    task: str | None
    done: set[str]
    attempt: str
    lines: list[str]
    elapsed: float

    def state_of(self, task: str) -> str:
        """Return the status of a task in the plan."""
        if task in self.done:
            return "completed"
        if task == self.task:
            return "in_progress"
        return "pending"


def render(plan: TaskPlan, now: Moment, *, width: int, height: int) -> Group:
    """Return the status of a run, for a terminal of so many columns and lines."""
    rows: list[Text] = []
    total = len(plan.tasks)
    current = _position(plan, now.task)
    # The tasks around the current one, as many as leave room for what the agent prints.
    visible = max(3, height // 2 - 2)
    first = max(0, min(current - visible // 2, total - visible))
    for task in plan.tasks[first : first + visible]:
        state = now.state_of(task.id)
        rows.append(_row(f"{_SYMBOLS[state]} {task.id} {task.title}", width, _STYLES.get(state, "dim")))
    head = f"task {current + 1}/{total}" if now.task else f"{len(now.done)}/{total} tasks"
    rows.append(_row(" │ ".join(filter(None, (head, now.attempt, clock(now.elapsed)))), width, "bold"))
    room = max(0, height - len(rows) - 2)
    for line in now.lines[max(0, len(now.lines) - room) :]:
        rows.append(_row(f"  {line}", width, "dim"))
    return Group(*rows)


def _write(write: Callable[[], None]) -> None:
    """Print something; a run continues when nobody reads its output any more, as after `| head`."""
    try:
        write()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def clock(seconds: float) -> str:
    """Return a duration as `1:02:03`, or `2:03` below an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"


def _row(text: str, width: int, style: str) -> Text:
    row = Text(printable(text), style=style, no_wrap=True, overflow="ellipsis")
    row.truncate(max(1, width - 1), overflow="ellipsis")
    return row


def _position(plan: TaskPlan, task: str | None) -> int:
    """Return the place of a task in the plan, 0 if there is no current one."""
    for position, one in enumerate(plan.tasks):
        if one.id == task:
            return position
    return 0
