"""Runs agents, which are any command or Claude Code, and the checks of their work."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress

from smartcommit.errors import TaskPlanError
from smartcommit.executor.output import LINE_LIMIT, OutputCapture
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.git.run import scrub_environment
from smartcommit.json_text import as_list
from smartcommit.llm.program import split_command
from smartcommit.processes import EXECUTION
from smartcommit.processes.run import TimedOut, describe_status, run_group

# The prompt goes to standard input, since a long one does not fit an argument. Edits are allowed; everything else is
# left to the user's configuration. Source: Claude Code's documentation of `claude --print`.
_OPTIONS = ("--print", "--verbose", "--output-format", "stream-json", "--input-format", "text")
_EDITS = ("--permission-mode", "acceptEdits")


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
