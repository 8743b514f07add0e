"""Command lines of programs that answer a prompt, and which of them are known to keep it on this machine."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from smartcommit.errors import ConfigError
from smartcommit.llm.api import is_cloud_model, is_loopback
from smartcommit.llm.local_ollama import ollama_address
from smartcommit.secrets.scan import redact

# What `smartcommit model` offers: programs that send what they read to another machine, with the command line by which
# each answers one prompt, and where it sends it. Sources: `claude --help`,
# https://developers.openai.com/codex/noninteractive, https://github.com/google-gemini/gemini-cli,
# https://llm.datasette.io/en/stable/usage.html
KNOWN = {
    "claude": ("claude -p", "to Anthropic"),
    "codex": ("codex exec --skip-git-repo-check -", "to OpenAI"),
    "gemini": ("gemini", "to Google"),
    "copilot": ("copilot", "to GitHub"),
    "cursor-agent": ("cursor-agent -p", "to Cursor"),
    "opencode": ("opencode run", "to the provider it is set up for"),
    "qwen": ("qwen", "to the provider it is set up for"),
    "llm": ("llm", "to the provider of its model"),
    "aichat": ("aichat", "to the provider of its model"),
    "mods": ("mods", "to the provider of its model"),
    "sgpt": ("sgpt", "to the provider of its model"),
}


def split_command(line: str, *, setting: str = "smartcommit.command") -> tuple[str, ...]:
    """Return the words of a command line, split as in a shell; errors name the `setting` that it comes from.

    Raise ConfigError if it is empty or malformed.
    """
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(f"invalid command '{redact(line)}': {error}", hint=f"set {setting} to a command") from None
    if not words:
        raise ConfigError("no command configured", hint=f"run 'git config --global {setting} COMMAND'")
    return words


def is_local(command: tuple[str, ...], environment: Mapping[str, str] = os.environ) -> bool:
    """Whether `command` is known to keep what it reads on this machine.

    A program that starts another one, such as a shell, `npx` or a script, is not: what it starts cannot be known.
    """
    name = name_of(command[0])
    if name == "llama-cli":
        # These let llama.cpp compute on other machines.
        return "--rpc" not in command and "LLAMA_ARG_RPC" not in environment
    if name != "ollama" or command[1:2] != ("run",) or any(map(is_cloud_model, command)):
        return False
    try:
        return is_loopback(urlsplit(ollama_address(environment)).hostname)
    except ValueError:
        return False


def name_of(word: str) -> str:
    """Return the name of a program, given as the first word of a command line."""
    return os.path.basename(word).removesuffix(".exe")
