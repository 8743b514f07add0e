"""What `smartcommit doctor` finds beside the hooks: versions, rules, keys and the terminal."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence

from smartcommit import __version__
from smartcommit.commands.finding import ERROR, NOTE, OK, WARNING, Finding
from smartcommit.config import (
    NAMES,
    Settings,
    find_path_from_here,
    find_policy_file,
    load,
    make_rules,
    read_policy,
    wants_model,
)
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import api_config, find_misdirected_key
from smartcommit.message.checks import find_errors
from smartcommit.settings import KEYS
from smartcommit.terminal import Terminal

# Seconds that a program may take to say its version.
_TIMEOUT = 10
_PROGRAMS = ("git", "pre-commit", "prek", "jj")


def read_versions() -> dict[str, str | None]:
    """Return the versions of smartcommit, of Python and of the programs it works with, None for those not there."""
    versions: dict[str, str | None] = {"smartcommit": __version__, "python": platform.python_version()}
    for name in _PROGRAMS:
        versions[name] = _ask_version(name)
    return versions


def _ask_version(name: str) -> str | None:
    """Return the version that a program prints, None if it is not on PATH or does not work."""
    if shutil.which(name) is None:
        return None
    try:
        done = subprocess.run(
            [name, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    for word in words:
        if word[:1].isdigit():
            return word[:40]
    return None


def find_settings(repository: Repository) -> tuple[Settings | None, list[Finding]]:
    """Return the settings, None if they are not valid, and what is found about them and the policy file."""
    try:
        policy = read_policy(repository.worktree)
        settings = load(repository.worktree)
        # A pattern is read when the first message is checked.
        find_errors("feat: x", make_rules(settings), search=matches)
    except SmartcommitError as error:
        blocked = Finding(
            "policy", NOTE, "until this is fixed, nothing is drafted, and commit-msg rejects every message"
        )
        return None, [Finding("policy", ERROR, str(error), error.hint), blocked]
    return settings, [_describe_policy(repository, settings, policy), *_find_key_problems(settings)]


def _describe_policy(repository: Repository, settings: Settings, policy: Sequence[tuple[str, str | None]]) -> Finding:
    name = find_policy_file(repository.worktree)
    if name is None and policy:
        return Finding("policy", OK, f"'{NAMES[0]}' is valid, as it is in HEAD; it is not in the working tree")
    if name is None:
        hint = "run 'smartcommit policy' to propose one"
        return Finding("policy", NOTE, f"no policy file '{NAMES[0]}'", hint)
    given = {name for name, _ in policy}
    names = [key.git_name.partition(".")[2] for key in KEYS if key.git_name.lower() in given]
    sets = ", ".join(names) or "nothing"
    text = f"'{name}' is valid and sets {sets}"
    if not settings.words("types") and policy:
        text += "; it does not set types, so the usual ones are allowed, and none from the history"
    if not repository.run("ls-files", "--", name):
        hint = f"run 'git add {find_path_from_here(name, repository.worktree)}'"
        return Finding("policy", WARNING, f"'{name}' is not tracked, so it applies only to you", hint)
    return Finding("policy", OK, text)


def _find_key_problems(settings: Settings) -> Iterator[Finding]:
    """Yield a finding for a key that is sent unencrypted, and for one that belongs to another provider."""
    misdirected = find_misdirected_key(settings)
    if misdirected is not None:
        source = settings.source("api-key")
        hint = f"run 'unset {source}'"
        if source == "git config":
            hint = "run 'git config --unset-all smartcommit.apiKey', with the scope that 'smartcommit config' shows"
        yield Finding("model", WARNING, misdirected, hint)
    if not wants_model(settings):
        return
    try:
        exposed = api_config(settings).exposed
    except ConfigError:
        # Trying the model reports the error.
        return
    if exposed is not None:
        hint = "use an address with https://, or a tunnel, such as 'ssh -L 11434:localhost:11434 HOST'"
        yield Finding("model", WARNING, exposed, hint)


def find_environment() -> Iterator[Finding]:
    """Yield what is found about the terminal and the table of processes."""
    terminal = Terminal.open()
    if terminal is None:
        yield Finding("terminal", NOTE, "no terminal: no prompts are shown, and a split is made without a review")
    else:
        with terminal:
            yield Finding("terminal", OK, f"terminal of {terminal.width} columns; a split can be reviewed")
    if not os.path.isdir("/proc/self") and not shutil.which("ps"):
        hint = "run 'git smart-commit' in its place"
        yield Finding("processes", WARNING, "neither /proc nor ps: 'pre-commit run split' cannot be recognized", hint)
