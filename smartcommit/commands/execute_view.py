"""What a person sees of a run: a live status on a terminal, plain lines without one."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from smartcommit.executor.executor import RunObserver, Summary
from smartcommit.executor.output import CommitMessage
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.terminal import printable

# Lines of the agent that are shown at most.
_LINES = 12
# Seconds between two drawings that lines of the agent cause.
_PAUSE = 0.1
_SYMBOLS = {"pending": "○", "in_progress": "▶", "completed": "✓", "failed": "✗"}
_STYLES = {"in_progress": "bold cyan", "completed": "green", "failed": "red"}


@contextmanager
def view(plan: TaskPlan) -> Iterator[RunObserver]:
    """A watcher that shows the run of `plan`."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        yield PlainView(plan)
        return
    watcher = LiveView(plan, console)
    with watcher.live:
        yield watcher


class PlainView(RunObserver):
    """One line for each thing that happens, and the agent's own lines."""

    def __init__(self, plan: TaskPlan) -> None:
        self._plan = plan

    def _say(self, text: str) -> None:
        _tell(lambda: click.echo(printable(text)))

    def settled(self, text: str) -> None:
        """Something of an earlier run was brought in order."""
        self._say(text)

    def started(self, task: PlanTask, attempt: int, attempts: int) -> None:
        """An attempt begins."""
        self._say(
            f"task {_number(self._plan, task)} of {len(self._plan.tasks)}, attempt {attempt} of {attempts}: "
            f"{task.id} {task.title}"
        )

    def lines(self, texts: Sequence[str]) -> None:
        """The agent said these lines."""
        shown = "\n".join(f"  | {printable(text.expandtabs())}" for text in texts)
        _tell(lambda: click.echo(shown))

    def failed(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing."""
        for line in reason.splitlines():
            self._say(f"  failed: {line.expandtabs()}")

    def completed(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        """The task is completed."""
        if commit is None:
            self._say("  completed without a commit")
            return
        subject = message.text.split("\n", 1)[0]
        self._say(f"  committed {commit[:12]} {subject}")
        if message.reason:
            self._say(f"  {message.reason}")

    def ended(self, summary: Summary, text: str) -> None:
        """The run is over."""
        for line in summary_lines(summary, text):
            self._say(line)


class LiveView(PlainView):
    """The state of the run, drawn anew several times a second; what lasts is printed above it."""

    def __init__(self, plan: TaskPlan, console: Console) -> None:
        super().__init__(plan)
        self._console = console
        self._drawn = 0.0
        self._begun = time.monotonic()
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._task: str | None = None
        self._attempt = ""
        self._done: set[str] = {task.id for task in plan.tasks if task.status == "completed"}
        self.live = Live(
            console=console, get_renderable=self.renderable, refresh_per_second=4, transient=True, redirect_stdout=False
        )

    def _say(self, text: str) -> None:
        _tell(lambda: self._console.print(Text(printable(text))))

    def started(self, task: PlanTask, attempt: int, attempts: int) -> None:
        """An attempt begins."""
        super().started(task, attempt, attempts)
        self._task = task.id
        self._attempt = f"attempt {attempt} of {attempts}"
        self._lines.clear()
        self._drawn = 0.0
        _tell(self.live.refresh)

    def lines(self, texts: Sequence[str]) -> None:
        """The agent said these lines."""
        self._lines.extend(text.expandtabs() for text in texts if text.strip())
        now = time.monotonic()
        # What comes first is shown at once, and a flood of lines is not drawn line by line.
        if now - self._drawn > _PAUSE:
            self._drawn = now
            _tell(self.live.refresh)

    def completed(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        """The task is completed."""
        self._done.add(task.id)
        self._task = None
        self._attempt = ""
        self._lines.clear()
        super().completed(task, commit, message)

    def renderable(self) -> Group:
        """The status as it is now."""
        elapsed = time.monotonic() - self._begun
        width, height = self._console.size
        moment = Moment(self._task, self._done, self._attempt, list(self._lines), elapsed)
        return render(self._plan, moment, width=width, height=height)


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a run is: the id of the task at work, those that are done, and what was said last."""

    task: str | None
    done: set[str]
    attempt: str
    lines: list[str]
    elapsed: float


def render(plan: TaskPlan, now: Moment, *, width: int, height: int) -> Group:
    """The status of a run on a terminal of so many columns and lines."""
    rows: list[Text] = []
    place = next((n for n, one in enumerate(plan.tasks) if one.id == now.task), 0)
    # The tasks around the one at work, as many as leave room for what the agent says.
    shown = max(3, height // 2 - 2)
    first = max(0, min(place - shown // 2, len(plan.tasks) - shown))
    for one in plan.tasks[first : first + shown]:
        state = "completed" if one.id in now.done else "in_progress" if one.id == now.task else "pending"
        rows.append(_row(f"{_SYMBOLS[state]} {one.id} {one.title}", width, _STYLES.get(state, "dim")))
    total = len(plan.tasks)
    head = f"task {place + 1}/{total}" if now.task else f"{len(now.done)}/{total} tasks"
    rows.append(_row(" │ ".join(part for part in (head, now.attempt, clock(now.elapsed)) if part), width, "bold"))
    room = max(0, height - len(rows) - 2)
    rows += [_row(f"  {line}", width, "dim") for line in (now.lines[-room:] if room else [])]
    return Group(*rows)


def _tell(say: Callable[[], None]) -> None:
    """Say something; a run goes on when nobody listens any more, as after `| head`, and says nothing then."""
    try:
        say()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def clock(seconds: float) -> str:
    """A duration as `1:02:03`, or `2:03` below an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def summary_lines(summary: Summary, text: str) -> list[str]:
    """What is said at the end of a run."""
    count = len(summary.commits)
    lines = [f"{text} ({clock(summary.seconds)}, {count} commit{'' if count == 1 else 's'})"]
    lines += [f"  {commit[:12]} {message.split(chr(10), 1)[0]}".rstrip() for commit, message in summary.commits]
    return lines


def _row(text: str, width: int, style: str) -> Text:
    row = Text(printable(text), style=style, no_wrap=True, overflow="ellipsis")
    row.truncate(max(1, width - 1), overflow="ellipsis")
    return row


def _number(plan: TaskPlan, task: PlanTask) -> int:
    return next(number for number, one in enumerate(plan.tasks, 1) if one.id == task.id)
