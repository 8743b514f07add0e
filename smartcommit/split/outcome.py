"""How a split ends: the exit statuses, and what the user is told of errors."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence

from smartcommit.errors import (
    AgentError,
    Cancelled,
    ConfigError,
    LLMError,
    SmartcommitError,
    SplitError,
    describe_error,
)
from smartcommit.terminal import format_error, printable

DONE, NOTHING, MODEL_FAILED, GIT_FAILED, CANCELLED, USAGE = 0, 1, 2, 3, 4, 64

Out = Callable[[str], None]

EXPECTED = (SmartcommitError, OSError, MemoryError)


def report_error(error: SmartcommitError | OSError | MemoryError, complain: Out) -> int:
    """Report the error and return its status."""
    explained = explain_failure(error)
    complain(format_error(explained))
    return find_status(explained)


def explain_failure(error: SmartcommitError | OSError | MemoryError) -> SmartcommitError:
    """Return an error that can be reported: the same, or what the system has refused, and what to do about it."""
    if isinstance(error, MemoryError):
        return SplitError("out of memory", hint="allow the process more memory, see 'ulimit -v'")
    if isinstance(error, OSError):
        hint = None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = "free some disk space"
        return SplitError(describe_error(error), hint=hint)
    return error


def find_status(error: SmartcommitError) -> int:
    """Return the exit status for an error; unless it is a model's, the user's or usage, it counts as git's."""
    for kind, status in (((LLMError, AgentError), MODEL_FAILED), (ConfigError, USAGE), (Cancelled, CANCELLED)):
        if isinstance(error, kind):
            return status
    return GIT_FAILED


def show_untidy(warnings: Sequence[str]) -> list[str]:
    """Return lines for the user about what could not be cleaned up after a finished split."""
    lines = list(map("warning: {}".format, map(printable, warnings)))
    if lines:
        lines.append("hint: all else is done; once the cause is gone, 'git smart-commit recover' tidies up")
    return lines


def discard_output() -> None:
    """Discard standard output and its buffer, which Python would fail to write again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
