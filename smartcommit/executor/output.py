"""An agent's output: a bounded log, its last lines, and the commit message in them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import FileIO

from smartcommit.errors import TaskPlanError, explain_os_error
from smartcommit.executor.plan_dir import OUTPUT, PlanFolder

MARKER = "SUGGESTED_COMMIT_MESSAGE:"
FAILED = "TASK_FAILED:"
# The prompt's placeholder for the message, which some agents repeat.
PLACEHOLDER = "<your descriptive commit message>"
# Lines at the end of the output that are searched for a message.
SEARCHED = 100
_REASON_LINES = 40
# Limits in bytes: of a line that is read, of an attempt and of a log that are kept, and of a message.
LINE_LIMIT = 1 << 20
ATTEMPT_LIMIT = 1 << 22
LOG_LIMIT = 1 << 23
MESSAGE_LIMIT = 1 << 14
# Colors and other terminal control sequences. Source: ECMA-48.
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class OutputCapture:
    """The output of one attempt; `seen` gets its lines, beyond ATTEMPT_LIMIT bytes the last of each read alone."""

    def __init__(self, *, seen: Callable[[Sequence[str]], None] = lambda lines: None) -> None:
        self._file: FileIO | None = None
        self._seen = seen
        # Each line, and whether a message of the agent starts with it.
        self._lines: deque[tuple[str, bool]] = deque(maxlen=SEARCHED)
        # Why the agent reported failure, unless it has suggested a message since.
        self.admitted = ""
        self._rest = bytearray()
        self._fresh = True
        self._room = ATTEMPT_LIMIT

    @contextmanager
    def keep(self, folder: PlanFolder, name: str) -> Iterator[None]:
        ended = "failed"
        # Open for the whole attempt, so that writing does not fail if the agent removes the directory.
        with folder.open_log(OUTPUT, LOG_LIMIT) as self._file:
            self._log(f"=== {name}, {_now()}\n".encode())
            try:
                yield
                ended = "succeeded"
            finally:
                self.flush()
                self._log(f"=== {name} {ended}, {_now()}\n".encode())

    def feed(self, data: bytes) -> None:
        flood = not self._room
        self._log(data)
        *ends, rest = data.split(b"\n")
        lines = [self._take(end) for end in ends]
        self._grow(rest)
        if flood:
            lines = lines[-1:]
        if lines:
            self._seen(lines)

    def flush(self) -> None:
        if self._rest:
            self.feed(b"\n")

    def message(self, text: str) -> None:
        """Process a complete message of the agent; a suggestion ends with its message at the latest."""
        self.flush()
        self._fresh = True
        self.feed(text.encode("utf-8", "surrogatepass") + b"\n")
        self._fresh = True

    def last(self) -> list[str]:
        """Return the lines at the end that say why a command failed."""
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
        text = "\n".join(map(str.rstrip, message)).strip()
        if len(text.encode("utf-8", "replace")) > MESSAGE_LIMIT:
            return ""
        return text

    def _grow(self, part: bytes) -> None:
        self._rest += part[: LINE_LIMIT - len(self._rest)]

    def _take(self, end: bytes) -> str:
        self._grow(end)
        text = self._rest.decode("utf-8", "replace").rstrip("\r")
        self._rest.clear()
        line = _CONTROL.sub("", text).rpartition("\r")[2]
        self._lines.append((line, self._fresh))
        if line.startswith(FAILED):
            self.admitted = line[len(FAILED) :].strip()[:MESSAGE_LIMIT] or "no reason given"
        elif _is_suggestion(line):
            self.admitted = ""
        self._fresh = False
        return line

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
            raise TaskPlanError(f"cannot write '{self._file.name}': {explain_os_error(error)}") from None


def _is_suggestion(line: str) -> bool:
    return line.startswith(MARKER) and line[len(MARKER) :].strip() != PLACEHOLDER


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
