"""Claude Code on its command line, which tells what it does as JSON, one event a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from smartcommit.executor.agents import AttemptFailed, RunContext, execute
from smartcommit.executor.output import LINE_LIMIT, OutputCapture

# The prompt comes on standard input: a long one does not fit an argument. Edits are granted, everything else is as the
# person has configured it. Source: Claude Code's documentation of `claude --print`.
_OPTIONS = ("--print", "--verbose", "--output-format", "stream-json", "--input-format", "text")
_EDITS = ("--permission-mode", "acceptEdits")
# What of a tool's input says what it was used on.
_TARGETS = ("file_path", "path", "pattern", "command", "url", "description")


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
