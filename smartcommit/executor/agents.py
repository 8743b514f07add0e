"""Agents: any command, or Claude Code; and the environment they run in."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from smartcommit.check import EXECUTION
from smartcommit.errors import TaskPlanError
from smartcommit.executor.output import LINE_LIMIT, OutputCapture
from smartcommit.executor.process_group import Ended, Limits, run_group
from smartcommit.git.run import REPOSITORY_VARIABLES

# Lines of a command that failed which are told as the reason.
_TOLD = 40
# The prompt comes on standard input: a long one does not fit an argument. Edits are granted, everything else is as the
# person has configured it. Source: Claude Code's documentation of `claude --print`.
_OPTIONS = ("--print", "--verbose", "--output-format", "stream-json", "--input-format", "text")
_EDITS = ("--permission-mode", "acceptEdits")
# What of a tool's input says what it was used on.
_TARGETS = ("file_path", "path", "pattern", "command", "url", "description")


class AttemptFailed(Exception):
    """An attempt came to nothing; the text says why, for the next one."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """Where and how commands are run: `mark` names the run to its processes, `stopped` tells that a person cancels."""

    directory: str
    mark: str
    limits: Limits = field(default_factory=Limits)
    stopped: Callable[[], bool] = lambda: False

    def environment(self, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The environment of an agent or check."""
        return {**scrubbed(inherited), EXECUTION: self.mark}


class Runner(Protocol):
    """An agent of one kind."""

    @property
    def program(self) -> str:
        """The program that must be installed."""

    def run(self, prompt: str, output: OutputCapture, around: RunContext) -> None:
        """Let the agent work on `prompt`, with what it says going to `output`.

        Raises: AttemptFailed when it did not succeed; Cancelled.
        """


class CommandRunner:
    """Any command, which gets the prompt on standard input and succeeds with status 0.

    In its words `{directory}` stands for the working tree's top level.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)

    @property
    def program(self) -> str:
        """The command's first word."""
        return self._words[0]

    def run(self, prompt: str, output: OutputCapture, around: RunContext) -> None:
        """Run the command.

        Raises: AttemptFailed, Cancelled.
        """
        words = [word.replace("{directory}", around.directory) for word in self._words]
        execute(words, "the agent", output.feed, around, stdin=prompt.encode("utf-8", "surrogatepass"))
        output.flush()


def check(command: str, around: RunContext, *, seen: Callable[[Sequence[str]], None] = lambda lines: None) -> None:
    """Run the check `command`, a shell's, which must pass; `seen` gets its lines.

    Raises: AttemptFailed with what it said; Cancelled.
    """
    heard = OutputCapture(seen=seen)
    try:
        execute(["sh", "-c", command], f"the check '{command}'", heard.feed, around)
    except AttemptFailed as error:
        heard.flush()
        raise AttemptFailed("\n".join([str(error), *heard.last(_TOLD)])) from None


def execute(
    words: Sequence[str], what: str, feed: Callable[[bytes], None], around: RunContext, *, stdin: bytes = b""
) -> None:
    """Run `words` to their end.

    Raises: AttemptFailed, saying of `what`, when they end badly; Cancelled.
    """
    try:
        status = run_group(
            words, directory=around.directory, environment=around.environment(), feed=feed, stdin=stdin,
            limits=around.limits, stopped=around.stopped,
        )  # fmt: skip
    except Ended as error:
        raise AttemptFailed(f"{what} {error}") from None
    if status:
        number = status - 128
        ended = f"was ended by signal {number}" if number in signal.valid_signals() else f"ended with status {status}"
        raise AttemptFailed(f"{what} {ended}")


def words_of(command: str) -> list[str]:
    """The words of a command line, split as a shell does.

    Raises: TaskPlanError when it is none.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TaskPlanError(f"'{command}' is no command: {error}") from None
    if not words:
        raise TaskPlanError("the agent's command is empty", hint="run 'git config smartcommit.agent COMMAND'")
    return words


def require(runner: Runner) -> None:
    """Raises: TaskPlanError when the agent's program is not installed: no attempt is worth making."""
    if shutil.which(runner.program) is None:
        raise TaskPlanError(
            f"the agent '{runner.program}' is not on PATH",
            hint="install it, or name another with '--agent COMMAND' or 'git config smartcommit.agent COMMAND'",
        )


class ClaudeRunner:
    """Runs `claude`, or the program in `words`, whose further words are options of a person's."""

    def __init__(self, words: Sequence[str] = ("claude",)) -> None:
        self._words = list(words)

    @property
    def program(self) -> str:
        """The program's name or path."""
        return self._words[0]

    def command(self) -> list[str]:
        """The whole command line."""
        chosen = any(word.startswith(("--permission-mode", "--dangerously")) for word in self._words)
        return [self._words[0], *_OPTIONS, *(() if chosen else _EDITS), *self._words[1:]]

    def run(self, prompt: str, output: OutputCapture, around: RunContext) -> None:
        """Run it; success is a result that is no error, and not the exit status alone.

        Raises: AttemptFailed, Cancelled.
        """
        events = Events(output)
        execute(self.command(), "the agent", events.feed, around, stdin=prompt.encode("utf-8", "surrogatepass"))
        events.close()
        if events.error:
            raise AttemptFailed(f"the agent reported an error: {events.error}")
        if not events.ended:
            raise AttemptFailed("the agent ended without a result")


class Events:
    """The stream of events: what is said goes to `output` as text; `error` is what the result says went wrong."""

    def __init__(self, output: OutputCapture) -> None:
        self._output = output
        self._rest = bytearray()
        self._said = ""
        self._partial = ""
        self.error = ""
        self.ended = False

    def feed(self, data: bytes) -> None:
        """Take in output as it comes; lines that are no events are text."""
        head, end, rest = data.rpartition(b"\n")
        if end:
            lines = bytes(self._rest) + head
            self._rest.clear()
            self._take(lines)
        self._rest += rest
        if len(self._rest) > 4 * LINE_LIMIT:
            self._rest.clear()

    def close(self) -> None:
        """Take in what did not end in a line feed, and pieces of a message that never came whole."""
        if self._rest:
            self._take(bytes(self._rest))
        if self._partial:
            self._say(self._partial)

    def _take(self, lines: bytes) -> None:
        if b"{" not in lines:
            self._output.feed(lines + b"\n")
            return
        for line in lines.split(b"\n"):
            event = _event(line)
            if event is None:
                self._output.feed(line + b"\n")
            else:
                self._read(event)

    def _read(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "assistant":
            self._read_message(event.get("message"))
        elif kind == "stream_event":
            self._read_piece(event.get("event"))
        elif kind == "result":
            self._read_result(event)

    def _read_message(self, message: object) -> None:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict):
                continue
            if part.get("type") == "text":
                self._partial = ""
                self._say(str(part.get("text", "")))
            elif part.get("type") == "tool_use":
                self._output.message(f"> {part.get('name')}: {_target(part.get('input'))}")

    def _read_piece(self, event: object) -> None:
        delta = event.get("delta") if isinstance(event, dict) else None
        if isinstance(delta, dict) and delta.get("type") == "text_delta":
            self._partial = (self._partial + str(delta.get("text", "")))[-LINE_LIMIT:]

    def _read_result(self, event: dict[str, Any]) -> None:
        self.ended = True
        text = str(event.get("result") or "")
        if event.get("is_error") or str(event.get("subtype", "success")) != "success":
            self.error = text or str(event.get("subtype") or "it gives no reason")
        elif text and text != self._said:
            self._say(text)

    def _say(self, text: str) -> None:
        self._partial = ""
        self._said = text
        self._output.message(text)


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _target(given: object) -> str:
    if not isinstance(given, dict):
        return ""
    return next((str(given[name]).split("\n")[0][:200] for name in _TARGETS if given.get(name)), "")


def scrubbed(inherited: Mapping[str, str]) -> dict[str, str]:
    """`inherited` without our variables, without git's places, and with our settings among git's emptied."""
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith("SMARTCOMMIT_") and name not in REPOSITORY_VARIABLES
    }
    for name, value in inherited.items():
        # Source: git-config(1), GIT_CONFIG_COUNT: settings by number, none of which may be missing.
        if name.startswith("GIT_CONFIG_KEY_") and value.lower().startswith("smartcommit."):
            kept[f"GIT_CONFIG_VALUE_{name.removeprefix('GIT_CONFIG_KEY_')}"] = ""
    return kept
