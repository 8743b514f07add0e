"""What is kept of an agent's output: a log, its last lines, and the commit message that it suggests."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import FileIO

from smartcommit.errors import TaskPlanError, explain_os_error
from smartcommit.executor.plan_dir import OUTPUT, PlanFolder

# How an agent begins the message that it suggests, and the reason why it failed.
MARKER = "SUGGESTED_COMMIT_MESSAGE:"
FAILED = "TASK_FAILED:"
# The prompt's placeholder for the message, which some agents repeat.
PLACEHOLDER = "<your descriptive commit message>"
# Lines at the end of the output that are searched for a message, and that are told of a failure.
SEARCHED = 100
_REASON_LINES = 40
# Bytes of a line that are read, of an attempt and of a log that are kept, and of a message.
LINE_LIMIT = 1 << 20
ATTEMPT_LIMIT = 1 << 22
LOG_LIMIT = 1 << 23
MESSAGE_LIMIT = 1 << 14
# Colors and other terminal control sequences. Source: ECMA-48.
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class OutputCapture:
    """The output of one attempt. `seen` gets its lines, beyond ATTEMPT_LIMIT bytes only the last of those at once.

    `admitted` is why the agent reported failure, unless it has suggested a message since.
    """

    def __init__(self, *, seen: Callable[[Sequence[str]], None] = lambda lines: None) -> None:
        self._file: FileIO | None = None
        self._seen = seen
        # The last lines, each with whether a text of the agent starts with it.
        self._lines: deque[tuple[str, bool]] = deque(maxlen=SEARCHED)
        self.admitted = ""
        # The line that has not ended yet, and whether it starts a text.
        self._open_line = bytearray()
        self._starts_text = True
        # Bytes that are still kept.
        self._room = ATTEMPT_LIMIT

    @contextmanager
    def keep(self, folder: PlanFolder, name: str) -> Iterator[None]:
        ended = "failed"
        # Open for the whole attempt, so that writing does not fail if the agent removes the directory.
        with folder.open_log(OUTPUT, LOG_LIMIT) as self._file:
            self._log(f"=== {name}, {_write_time()}\n".encode())
            try:
                yield
                ended = "succeeded"
            finally:
                self.flush()
                self._log(f"=== {name} {ended}, {_write_time()}\n".encode())

    def feed(self, data: bytes) -> None:
        is_flood = not self._room
        self._log(data)
        *ends, rest = data.split(b"\n")
        lines = [self._end_line(end) for end in ends]
        self._extend_line(rest)
        if lines:
            self._seen(lines[-1:] if is_flood else lines)

    def flush(self) -> None:
        if self._open_line:
            self.feed(b"\n")

    def add_text(self, text: str) -> None:
        """Add a text of the agent, which is no part of the line before it."""
        self.flush()
        self._starts_text = True
        self.feed(text.encode("utf-8", "surrogatepass") + b"\n")
        self._starts_text = True

    def list_last_lines(self) -> list[str]:
        """Return the lines at the end, which say why a command failed."""
        return [line for line, _ in self._lines][-_REASON_LINES:]

    def extract_commit_message(self) -> str:
        """Return the last message suggested in the last lines; a marker, a closing fence or the text's end ends it."""
        message: list[str] = []
        is_open = False
        for line, begins in self._lines:
            if _is_suggestion(line):
                message, is_open = [line[len(MARKER) :]], True
            elif begins or line.startswith((MARKER, FAILED)):
                is_open = False
            elif is_open and line.lstrip().startswith("```"):
                is_open = not "".join(message).strip()  # a fence may open before the text
            elif is_open:
                message.append(line)
        text = "\n".join(item.rstrip() for item in message).strip()
        if len(text.encode("utf-8", "replace")) > MESSAGE_LIMIT:
            return ""
        return text

    def _extend_line(self, part: bytes) -> None:
        self._open_line += part[: LINE_LIMIT - len(self._open_line)]

    def _end_line(self, end: bytes) -> str:
        self._extend_line(end)
        text = self._open_line.decode("utf-8", "replace").rstrip("\r")
        self._open_line.clear()
        line = _CONTROL.sub("", text).rpartition("\r")[2]
        self._lines.append((line, self._starts_text))
        if line.startswith(FAILED):
            self.admitted = line[len(FAILED) :].strip()[:MESSAGE_LIMIT] or "no reason given"
        elif _is_suggestion(line):
            self.admitted = ""
        self._starts_text = False
        return line

    def _log(self, data: bytes) -> None:
        logged = data[: self._room]
        self._room -= len(logged)
        if self._file is None or not logged:
            return
        if len(logged) < len(data):
            logged += b"\n[the rest of this attempt is not kept]\n"
        try:
            while logged:
                logged = logged[self._file.write(logged) or 0 :]
        except OSError as error:
            raise TaskPlanError(f"cannot write '{self._file.name}': {explain_os_error(error)}") from None


def _is_suggestion(line: str) -> bool:
    return line.startswith(MARKER) and line[len(MARKER) :].strip() != PLACEHOLDER


def _write_time() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
