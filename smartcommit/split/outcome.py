"""How a split ends: its result, the exit statuses, and what the user is told of errors."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from smartcommit.errors import (
    AgentError,
    Cancelled,
    ConfigError,
    LLMError,
    NothingToUndo,
    SmartcommitError,
    SplitError,
    describe_error,
)
from smartcommit.message.characters import printable
from smartcommit.terminal import format_error

DONE = 0
NOTHING = 1
MODEL_FAILED = 2
GIT_FAILED = 3
CANCELLED = 4
USAGE = 64

_BY_ERROR = {
    LLMError: MODEL_FAILED,
    AgentError: MODEL_FAILED,
    ConfigError: USAGE,
    Cancelled: CANCELLED,
    NothingToUndo: NOTHING,
}

Out = Callable[[str], None]

EXPECTED = (SmartcommitError, OSError, MemoryError)


@dataclass(frozen=True, slots=True)
class SplitResult:
    """How a command ended that makes or moves commits; errors are raised instead.

    `status` is the exit status, `lines` are for the user, and `warnings` say what could not be tidied up. `plan` is the
    plan with the commits that were created, as an object that JSON can hold, if JSON was asked for.
    `done` says what has changed by now, in words.
    """

    status: int
    lines: Sequence[str] = ()
    plan: dict[str, Any] | None = None
    warnings: Sequence[str] = ()
    done: str = ""


def print_result(result: SplitResult, out: Out, complain: Out, *, as_json: bool = False) -> None:
    """Print a result by `out`, which writes to stdout; if that fails, still `complain`, with what was done."""
    lines, show = result.lines, out
    if result.plan is not None:
        lines = [json.dumps(result.plan, indent=2)]
    elif as_json and result.status == NOTHING:
        show = complain
    try:
        for line in lines:
            show(line)
    except OSError as error:
        if not result.done or show is complain:
            raise
        # Python would fail to write its buffer again at exit.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        complain(f"{result.done}, but the result cannot be printed: {error.strerror}")
    for warning in result.warnings:
        complain(f"warning: {printable(warning)}")


def report_error(error: SmartcommitError | OSError | MemoryError, complain: Out) -> int:
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
    for kind, status in _BY_ERROR.items():
        if isinstance(error, kind):
            return status
    return GIT_FAILED
