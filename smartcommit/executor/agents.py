"""Agents: how one is given a task, and what counts as its success."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from smartcommit.errors import TaskPlanError
from smartcommit.executor.environment import scrubbed
from smartcommit.executor.output import OutputCapture
from smartcommit.executor.process_group import MARK, Ended, Limits, run_group

# Lines of a command that failed which are told as the reason.
_TOLD = 40


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
        return {**scrubbed(inherited), MARK: self.mark}


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
