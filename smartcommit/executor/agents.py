"""Runs agents, which are any command or Claude Code, and the checks of their work; and what is kept of their output."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import FileIO

from smartcommit.errors import TaskPlanError, explain_os_error
from smartcommit.executor.plan_dir import OUTPUT, PlanFolder
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.git.run import scrub_environment
from smartcommit.json_text import as_list
from smartcommit.llm.program import split_command
from smartcommit.processes import EXECUTION
from smartcommit.processes.run import TimedOut, describe_status, run_group

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
# The prompt goes to standard input, since a long one does not fit an argument. Edits are allowed; everything else is
# left to the user's configuration. Source: Claude Code's documentation of `claude --print`.
_OPTIONS = ("--print", "--verbose", "--output-format", "stream-json", "--input-format", "text")
_EDITS = ("--permission-mode", "acceptEdits")


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


class CommandAgent:
    """Any command, which gets the prompt on standard input and succeeds with status 0."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def run(self, prompt: str, output: OutputCapture, run: Run) -> None:
        """Run the agent on `prompt`, with its output going to `output`; raise AttemptFailed if it does not succeed."""
        _execute(self._words, "the agent", output.feed, run, stdin=prompt)
        output.flush()


class ClaudeAgent(CommandAgent):
    """`claude`, or the program in the words; success needs a result without an error, and not only exit status 0."""

    def command(self) -> list[str]:
        program, *options = self._words
        if not any(option.startswith(("--permission-mode", "--dangerously")) for option in options):
            options = [*_EDITS, *options]
        return [program, *_OPTIONS, *options]

    def run(self, prompt: str, output: OutputCapture, run: Run) -> None:
        events = Events(output)
        _execute(self.command(), "the agent", events.feed, run, stdin=prompt)
        events.close()
        if events.error:
            raise AttemptFailed(f"the agent reported an error: {events.error}")
        if not events.ended:
            raise AttemptFailed("the agent exited without a result")


def make_agent(line: str) -> CommandAgent:
    """Return the agent that a command line starts; raise TaskPlanError if its program is not installed."""
    words = split_command(line, setting="smartcommit.agent")
    if shutil.which(words[0]) is None:
        raise TaskPlanError(
            f"agent '{words[0]}' not found on PATH",
            hint="install it, or choose another with '--agent COMMAND' or 'git config smartcommit.agent COMMAND'",
        )
    if os.path.basename(words[0]) == "claude":
        return ClaudeAgent(words)
    return CommandAgent(words)


def run_check(command: str, run: Run, *, seen: Callable[[Sequence[str]], None] = lambda lines: None) -> None:
    """Run the shell `command`, of which `seen` gets the lines; raise AttemptFailed with the end of its output."""
    output = OutputCapture(seen=seen)
    try:
        _execute(["sh", "-c", command], f"the check '{command}'", output.feed, run)
    except AttemptFailed as error:
        output.flush()
        raise AttemptFailed("\n".join([str(error), *output.list_last_lines()])) from None


def _execute(words: Sequence[str], what: str, feed: Callable[[bytes], None], run: Run, *, stdin: str = "") -> None:
    environment = {**scrub_environment(os.environ), EXECUTION: run.id}
    try:
        status = run_group(
            words, directory=run.directory, environment=environment, feed=feed,
            stdin=stdin.encode("utf-8", "surrogatepass"), limits=run.limits, stopped=run.stopped,
        )  # fmt: skip
    except TimedOut as error:
        raise AttemptFailed(f"{what} {error}") from None
    if status:
        raise AttemptFailed(f"{what} {describe_status(status)}")


class Events:
    """The events that `claude` prints, one JSON object a line: what it says and does goes to `output`.

    `error` is what its result says has failed, and `ended` whether there is a result.
    """

    def __init__(self, output: OutputCapture) -> None:
        self._output = output
        self._rest = b""
        self._said = ""
        self.error = ""
        self.ended = False

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._read_event(line)
        if len(self._rest) > 4 * LINE_LIMIT:
            self._rest = b""

    def close(self) -> None:
        if self._rest:
            self._read_event(self._rest)

    def _read_event(self, line: bytes) -> None:
        event = None
        with suppress(ValueError, RecursionError):
            event = json.loads(line)
        if not isinstance(event, dict):
            self._output.feed(line + b"\n")
            return
        message = event.get("message")
        if event.get("type") == "assistant" and isinstance(message, dict):
            for part in as_list(message.get("content")):
                self._read_part(part)
        elif event.get("type") == "result":
            self.ended = True
            text = str(event.get("result") or "")
            if event.get("is_error") or str(event.get("subtype", "success")) != "success":
                self.error = text or str(event.get("subtype") or "no reason given")
            elif text and text != self._said:
                self._say(text)

    def _read_part(self, part: object) -> None:
        if not isinstance(part, dict):
            return
        if part.get("type") == "text":
            self._say(str(part.get("text", "")))
        elif part.get("type") == "tool_use":
            given, target = part.get("input"), ""
            if isinstance(given, dict) and given:
                target = str(next(iter(given.values()))).split("\n")[0][:200]
            self._output.add_text(f"> {part.get('name')}: {target}")

    def _say(self, text: str) -> None:
        self._said = text
        self._output.add_text(text)
