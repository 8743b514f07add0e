"""An agent's output: a bounded log, its last lines, and the commit message that it suggests."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO

from smartcommit.errors import TaskPlanError
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import OUTPUT, PlanFolder, require_plain
from smartcommit.message.characters import printable
from smartcommit.secret_scan import certain_secrets

MARKER = "SUGGESTED_COMMIT_MESSAGE:"
FAILED = "TASK_FAILED:"
# What the prompt puts in a suggestion's place, for agents that repeat it.
PLACEHOLDER = "<your descriptive commit message>"
SEARCHED = 100
# Bytes of a line that are looked at, of an attempt and of a log that are kept, and of a message that may be suggested;
# of a reason as many characters.
LINE_LIMIT = 1 << 20
ATTEMPT_LIMIT = 1 << 22
LOG_LIMIT = 1 << 23
MESSAGE_LIMIT = 1 << 14

# Colours and other orders to a terminal. Source: ECMA-48, control sequences.
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
PREFIX = "[rafa]"
# Why `commit-msg` would refuse a text; empty where it would accept it.
Judge = Callable[[str], str]


class OutputCapture:
    """The output of one plan's agents; `begin` and `end` frame an attempt, and only its own lines are searched.

    `seen` gets the lines as they are complete: all of the first ATTEMPT_LIMIT bytes, then the last of each piece.
    """

    def __init__(
        self, folder: PlanFolder | None = None, *, seen: Callable[[Sequence[str]], None] = lambda lines: None
    ) -> None:
        self._folder = folder
        # The log, open for the whole attempt: an agent that removes its folder must not make another write fail.
        self._file: FileIO | None = None
        self._seen = seen
        # A line, and whether an agent's message begins with it.
        self._lines: deque[tuple[str, bool]] = deque(maxlen=SEARCHED)
        # What is admitted counts however much is said after it: that many lines.
        self._admitted, self._since = "", 0
        self._rest = bytearray()
        self._fresh = True
        self._room = ATTEMPT_LIMIT

    def begin(self, task_id: str, attempt: int) -> None:
        """Start an attempt: what was said before does not count.

        Raises: TaskPlanError when the log cannot be written.
        """
        self._lines.clear()
        self._rest.clear()
        self._admitted = ""
        self._fresh, self._room = True, ATTEMPT_LIMIT
        self._open_log()
        self._log(f"=== task {task_id}, attempt {attempt}, {_now()}\n".encode())

    def end(self, task_id: str, *, success: bool) -> None:
        """End an attempt.

        Raises: TaskPlanError when the log cannot be written.
        """
        self.flush()
        self._log(f"=== task {task_id} {'succeeded' if success else 'failed'}, {_now()}\n".encode())
        self._close_log()

    def feed(self, data: bytes) -> None:
        """Take in raw output as it comes."""
        flood = not self._room
        self._log(data)
        if flood:
            data = self._skip(data)
        *pieces, rest = data.split(b"\n")
        lines = [self._take(piece) for piece in pieces]
        self._grow(rest)
        if lines:
            self._seen(lines[-1:] if flood else lines)

    def flush(self) -> None:
        """Take in a last line that did not end."""
        if self._rest:
            self.feed(b"\n")

    def message(self, text: str) -> None:
        """Take in a whole message of the agent's, which no suggestion reaches beyond."""
        self.flush()
        self._fresh = True
        self.feed(text.encode("utf-8", "surrogatepass") + b"\n")
        self._fresh = True

    def last(self, count: int) -> list[str]:
        """The last lines of this attempt."""
        return [line for line, _ in self._lines][-count:]

    def extract_commit_message(self) -> str:
        """The message that this attempt suggests, empty where it suggests none: the last in its last 100 lines.

        It goes to the next marker, a closing fence, or the end of the agent's message.
        """
        place = self._marked()
        if place < 0:
            return ""
        lines = list(self._lines)
        return _text(_belonging(lines[place][0][len(MARKER) :], lines[place + 1 :]))

    def extract_failure(self) -> str:
        """Why the agent says anywhere in this attempt that it failed, one line; empty where it does not, or suggests a
        message after that.
        """
        place = self._marked()
        after = place >= 0 and len(self._lines) - place <= self._since
        return "" if after and self.extract_commit_message() else self._admitted

    def _marked(self) -> int:
        """The place of the last line that begins with the marker, -1 where there is none."""
        for place in range(len(self._lines) - 1, -1, -1):
            line = self._lines[place][0]
            if line.startswith(MARKER) and line[len(MARKER) :].strip() != PLACEHOLDER:
                return place
        return -1

    def _skip(self, data: bytes) -> bytes:
        """The end of `data` with the last lines; of those above only an admission of failure counts."""
        skipped, *last = data.rsplit(b"\n", SEARCHED + 1)
        if len(last) <= SEARCHED:
            return data
        first, _, skipped = skipped.partition(b"\n")
        self._take(first)
        if FAILED.encode() in skipped:
            for line in skipped.split(b"\n"):
                if FAILED.encode() in line:
                    self._take(line)
        return b"\n".join(last)

    def _grow(self, piece: bytes) -> None:
        self._rest += piece[: LINE_LIMIT - len(self._rest)]

    def _take(self, end: bytes) -> str:
        """Take in the line that ends with `end`; returns it as text."""
        self._grow(end)
        text = self._rest.decode("utf-8", "replace").rstrip("\r")
        self._rest.clear()
        line = _CONTROL.sub("", text).rpartition("\r")[2]
        self._lines.append((line, self._fresh))
        self._since += 1
        if line.startswith(FAILED):
            self._admitted = line[len(FAILED) :].strip()[:MESSAGE_LIMIT] or "it gives no reason"
            self._since = 0
        self._fresh = False
        return line

    def _open_log(self) -> None:
        self._close_log()
        if self._folder is None:
            return
        path = self._folder.path(OUTPUT)
        try:
            require_plain(path, self._folder.worktree)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # A long history of attempts is of less use than a file that can be opened.
            too_long = os.path.exists(path) and os.path.getsize(path) > LOG_LIMIT
            self._file = open(path, "wb" if too_long else "ab", buffering=0)  # noqa: SIM115 - until the attempt ends
        except OSError as error:
            raise _unwritable(path, error) from None

    def _close_log(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _log(self, data: bytes) -> None:
        kept = data[: self._room]
        self._room -= len(kept)
        if self._file is None or not kept:
            return
        if len(kept) < len(data):
            kept += b"\n[the rest of this attempt is not kept]\n"
        try:
            while kept:
                kept = kept[self._file.write(kept) or 0 :]
        except OSError as error:
            raise _unwritable(self._file.name, error) from None


def _unwritable(path: str, error: OSError) -> TaskPlanError:
    return TaskPlanError(f"cannot write '{path}': {(error.strerror or 'error').lower()}")


def _belonging(first: str, lines: list[tuple[str, bool]]) -> list[str]:
    """What stands behind a marker, and the lines below it that belong to it; a fence may open behind the marker."""
    taken = [first]
    for line, begins in lines:
        if begins or line.startswith((MARKER, FAILED)):
            break
        if not line.lstrip().startswith("```"):
            taken.append(line)
        elif any(kept.strip() for kept in taken):
            break
    return taken


def _text(lines: list[str]) -> str:
    lines = [line.rstrip() for line in lines]
    text = "\n".join([lines[0].strip(), *lines[1:]]).strip("\n")
    return text if len(text.encode("utf-8", "replace")) <= MESSAGE_LIMIT else ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A message to commit with; `rejected` is what the agent suggested where that could not be used, and `reason` says
    why, in one line that may quote the agent.
    """

    text: str
    rejected: str | None = None
    reason: str = ""


def get_commit_message(task: PlanTask, output: OutputCapture, *, judge: Judge, prefix: str = PREFIX) -> CommitMessage:
    """The message for `task`: what the agent suggested where `judge` accepts it and it holds no secret.

    Agents end with words of their own: where the whole suggestion is refused, its first line may be accepted.
    """
    suggested = output.extract_commit_message()
    if not suggested.strip():
        return CommitMessage(default_message(task, prefix), reason="the agent suggested no commit message")
    refusal = _refusal(suggested, judge)
    if not refusal:
        return CommitMessage(suggested)
    first = suggested.partition("\n")[0]
    if first != suggested and not _refusal(first, judge):
        reason = f"only the first line of the suggested message was used: {refusal}"
        return CommitMessage(first, rejected=suggested, reason=reason)
    reason = f"the suggested message was not used: {refusal}"
    return CommitMessage(default_message(task, prefix), rejected=suggested, reason=reason)


def default_message(task: PlanTask, prefix: str = PREFIX) -> str:
    """The message where none was suggested."""
    return f"{prefix} Complete task {printable(task.id)}: {printable(task.title)}"


def _refusal(text: str, judge: Judge) -> str:
    if not text.strip():
        return "it is empty"
    if certain_secrets(text):
        return "it contains a secret"
    return judge(text)


def plan_message(plan: TaskPlan, prefix: str = PREFIX) -> str:
    """The message of a commit that holds nothing but the plan's completion."""
    return f"{prefix} Complete plan: {printable(plan.name)} ({len(plan.tasks)} tasks)"
