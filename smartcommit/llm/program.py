"""A program in place of a model server: it reads the conversation on standard input and prints the answer.

It runs in an empty directory, so that it reads no settings of the repository, and never gets text of the repository in
its arguments. When it ends, the deadline comes, or this process is gone, its whole process group is killed.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

from smartcommit.errors import ConfigError, LLMConnectError, LLMReplyError, explain_os_error
from smartcommit.git.run import scrub_environment
from smartcommit.llm.api import CHARACTERS_QUOTED, RESPONSE_BYTES, Json, as_object
from smartcommit.processes.run import describe_status, run_in_session
from smartcommit.secrets.redaction import redact
from smartcommit.signals import exit_on_signals
from smartcommit.waiting import Deadline


class KnownProgram(NamedTuple):
    """A program that sends what it reads to another machine: the command line that answers a prompt, and where to."""

    command: str
    receiver: str


# What `smartcommit model` offers. Sources: `claude --help`, https://developers.openai.com/codex/noninteractive,
# https://github.com/google-gemini/gemini-cli, https://llm.datasette.io/en/stable/usage.html
KNOWN_PROGRAMS = {
    "claude": KnownProgram("claude -p", "to Anthropic"),
    "codex": KnownProgram("codex exec --skip-git-repo-check -", "to OpenAI"),
    "gemini": KnownProgram("gemini", "to Google"),
    "copilot": KnownProgram("copilot", "to GitHub"),
    "cursor-agent": KnownProgram("cursor-agent -p", "to Cursor"),
    "opencode": KnownProgram("opencode run", "to the provider it is set up for"),
    "qwen": KnownProgram("qwen", "to the provider it is set up for"),
    "llm": KnownProgram("llm", "to the provider of its model"),
    "aichat": KnownProgram("aichat", "to the provider of its model"),
    "mods": KnownProgram("mods", "to the provider of its model"),
    "sgpt": KnownProgram("sgpt", "to the provider of its model"),
}
# Bytes kept of its errors.
_ERROR_BYTES = 1 << 14
# Programs expect no terminal, but some color their output by these variables alone.
_PLAIN = {"NO_COLOR": "1", "TERM": "dumb"}
_HEADINGS = {"system": "Instructions", "user": "Task", "assistant": "Your answer", "tool": "Result"}
# Keys of which each event of a stream has one.
_EVENT_KEYS = {"type", "event", "done"}
# Keys of a message, which may have a type, too.
_MESSAGE_KEYS = {"summary", "subject", "title"}
_ENDING = "Answer with text alone: use no tools of your own, change no files, and ask no questions."


def split_command(line: str, *, setting: str = "smartcommit.command") -> tuple[str, ...]:
    """Return the words of a command line, split as in a shell; raise ConfigError, which names the `setting`."""
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(f"invalid command '{redact(line)}': {error}", hint=f"set {setting} to a command") from None
    if not words:
        raise ConfigError("no command configured", hint=f"run 'git config --global {setting} COMMAND'")
    return words


def find_program_name(word: str) -> str:
    return os.path.basename(word).removesuffix(".exe")


def find_program(name: str) -> str:
    """Return the path of the program `name`. Raise LLMConnectError if there is none that can be run."""
    hint = "set smartcommit.command to a program on PATH or an absolute path"
    name = os.path.expanduser(name)
    if "/" in name and not os.path.isabs(name):
        # It would be another program in each repository, even one that came with a clone.
        raise LLMConnectError(f"cannot run '{name}': not an absolute path", hint=hint)
    path = shutil.which(name)
    if path is None or not os.path.isabs(path):
        raise LLMConnectError(f"cannot run '{name}': not found on PATH", hint=hint)
    return path


def render_conversation(messages: Sequence[Json]) -> str:
    parts = []
    for message in messages:
        parts.append(f"# {_HEADINGS.get(str(message.get('role')), 'Task')}\n\n{message.get('content') or ''}")
    return "\n\n".join([*parts, _ENDING]) + "\n"


def run_program(command: Sequence[str], text: str, *, deadline: Deadline) -> str:
    """Run `command` with `text` on its standard input, and return what it prints. Raise LLMError, or Cancelled."""
    path = find_program(command[0])
    name = os.path.basename(path)
    output = bytearray()
    errors = bytearray()

    def take_output(printed: bytes) -> None:
        output.extend(printed)
        if len(output) > RESPONSE_BYTES:
            raise LLMReplyError(f"'{name}' printed more than {RESPONSE_BYTES >> 20} MiB")

    def take_errors(printed: bytes) -> None:
        errors.extend(printed)
        del errors[:-_ERROR_BYTES]

    folders = tempfile.TemporaryDirectory(prefix="smartcommit-", ignore_cleanup_errors=True)
    # A signal that ends git and its hooks at once must leave neither the program nor its folder.
    try:
        with exit_on_signals(), folders as folder:
            status = run_in_session(
                [path, *command[1:]],
                directory=folder,
                environment={**scrub_environment(os.environ), **_PLAIN},
                stdin=text.encode("utf-8", "replace"),
                feed=take_output,
                feed_errors=take_errors,
                watch=deadline.check,
            )
    except OSError as error:
        raise LLMConnectError(f"cannot run '{path}': {explain_os_error(error)}") from None
    if status:
        lines = errors.decode("utf-8", "replace").split("\n")
        lines = [" ".join(line.split()) for line in lines if line.strip()]
        reason = f": {redact(lines[-1])[:CHARACTERS_QUOTED]}" if lines else ""
        raise LLMReplyError(f"'{name}' {describe_status(status)}{reason}")
    answer = output.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if not answer:
        raise LLMReplyError(f"'{name}' printed no answer")
    if _is_event_stream(answer):
        hint = "set smartcommit.command to a command line that prints the answer alone"
        if name in KNOWN_PROGRAMS:
            hint += f", such as '{KNOWN_PROGRAMS[name].command}'"
        raise LLMReplyError(f"'{name}' printed a stream of events", hint=hint)
    return answer


def _is_event_stream(text: str) -> bool:
    """Whether `text` is several objects, in lines or in a list, none of which is a message, or server-sent events."""
    if text.startswith(("data: {", "event: ")):
        return True
    try:
        events = json.loads(text)
    except (ValueError, RecursionError):
        events = [as_object(line) for line in text.split("\n") if line.strip()]
    if not isinstance(events, list) or len(events) < 2:
        return False
    for event in events:
        if not isinstance(event, dict) or _EVENT_KEYS.isdisjoint(event) or not _MESSAGE_KEYS.isdisjoint(event):
            return False
    return True
