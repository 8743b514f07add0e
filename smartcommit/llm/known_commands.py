"""Command lines of programs that answer a prompt, and which of them are known to send it to another machine."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from smartcommit.errors import ConfigError
from smartcommit.llm.api import is_cloud_model
from smartcommit.secret_scan import redact

# Programs that run another one, which is among their arguments.
_WRAPPERS = {
    "sh", "bash", "dash", "zsh", "fish", "env", "nice", "nohup", "time", "timeout", "npx", "bunx", "uv", "uvx", "pipx",
    "docker", "podman", "sudo", "ssh",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownCommand:
    """A program that sends what it reads to another machine; `line` makes it answer one prompt."""

    line: str
    sends: str


# By the program's name. Sources: `claude --help`, https://developers.openai.com/codex/noninteractive,
# https://github.com/google-gemini/gemini-cli, https://llm.datasette.io/en/stable/usage.html
KNOWN = {
    "claude": KnownCommand("claude -p", "to Anthropic"),
    "codex": KnownCommand("codex exec --skip-git-repo-check -", "to OpenAI"),
    "gemini": KnownCommand("gemini", "to Google"),
    "copilot": KnownCommand("copilot", "to GitHub"),
    "cursor-agent": KnownCommand("cursor-agent -p", "to Cursor"),
    "opencode": KnownCommand("opencode run", "to the provider it is set up for"),
    "qwen": KnownCommand("qwen", "to the provider it is set up for"),
    "llm": KnownCommand("llm", "to the provider of its model"),
    "aichat": KnownCommand("aichat", "to the provider of its model"),
    "mods": KnownCommand("mods", "to the provider of its model"),
    "sgpt": KnownCommand("sgpt", "to the provider of its model"),
}


def split_command(line: str) -> tuple[str, ...]:
    """Return the words of a command line, split as in a shell. Raise ConfigError if it is empty or malformed."""
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(
            f"invalid command '{redact(line)}': {error}", hint="set smartcommit.command to a command"
        ) from None
    if not words:
        raise ConfigError("no command configured", hint="run 'git config --global smartcommit.command COMMAND'")
    return words


def find_receiver(command: Sequence[str]) -> str | None:
    """Return where `command` is known to send what it reads, as in `to OpenAI`; None if it is not known to send it.

    A program that runs another, as in `sh -c 'claude -p'`, counts as that one.
    """
    names = [name_of(command[0])]
    if names[0] in _WRAPPERS:
        names += map(name_of, " ".join(command[1:]).split())
    for name in names:
        if name in KNOWN:
            return KNOWN[name].sends
    if "ollama" in names and any(map(is_cloud_model, command)):
        return "through Ollama"
    return None


def name_of(word: str) -> str:
    """Return the name of a program, given as a word of a command line."""
    return os.path.basename(word.strip("'\"();|&")).removesuffix(".exe")
