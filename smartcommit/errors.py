"""Exceptions for expected errors, reported in one line without a traceback.

ToolRetry and ToolFailed are raised by tools and handled by the agent's loop, which passes them to the model. A broken
rule in a message is not an error but a violation (`smartcommit.message.rules`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class SmartcommitError(Exception):
    """An error that the user can fix; `hint` says how, and `following` are commands that do it."""

    def __init__(self, message: str, *, hint: str | None = None, following: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.following = tuple(following)


class ConfigError(SmartcommitError):
    """A setting or policy value is invalid."""


class GitError(SmartcommitError):
    """git exited with an unexpected status."""

    def __init__(self, message: str, *, status: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class JjError(SmartcommitError):
    """jj exited with an unexpected status."""


class LockedError(SmartcommitError):
    """Another process holds a lock."""


class Cancelled(SmartcommitError):
    """The user pressed Ctrl-C to continue without what we were waiting for."""


class LLMError(SmartcommitError):
    """A model gave no usable answer."""


class LLMConnectError(LLMError):
    """The server cannot be reached, or may not be used."""


class LLMTimeout(LLMError):
    """There was no complete answer before the deadline."""


class LLMStatusError(LLMError):
    """The server rejected the request; `status` is HTTP's, and `text` its answer, which users do not see."""

    def __init__(self, message: str, *, status: int, text: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.text = text


class LLMReplyError(LLMError):
    """The reply is not an answer of the API: truncated, endless, or something else."""


class LLMPromptTooLong(LLMError):
    """The prompt exceeds the server's context: it rejected the prompt, or read only a part of it."""


class AgentError(SmartcommitError):
    """The agent's loop ended without a result."""


class TurnLimitExceeded(AgentError):
    """The model used all its turns."""


class NoTerminalCall(AgentError):
    """The model never made the call that ends the loop."""


class NoToolCalls(NoTerminalCall):
    """The model called no tool at all: perhaps it cannot."""


class ToolRetry(ValueError):
    """A tool cannot use its arguments; the text tells the model how to fix them."""


class ToolFailed(Exception):
    """A tool failed, and would fail again; the text tells the model why."""


class SplitError(SmartcommitError):
    """A change cannot be split; nothing was modified."""


class SplitPlanOutdated(SplitError):
    """The repository has changed since the plan was created."""


class NothingToUndo(SplitError):
    """No split was made, or all of them are undone."""


class TreeMismatch(SplitError):
    """The composed tree is not the snapshot's, so a change would have been lost; nothing was modified."""


class TaskPlanError(SmartcommitError):
    """A task plan cannot be read or resumed; the working tree is unchanged."""


def explain(error: SmartcommitError) -> str:
    return f"{str(error).removesuffix('.')}; {error.hint}" if error.hint else str(error)


def explain_os_error(error: OSError) -> str:
    """Return why a call of the system failed, as git words it: `permission denied`."""
    return (error.strerror or str(error)).lower()


def name_file(error: OSError, path: str) -> None:
    """Name the file `path` in an error that names none: a call on an open file does not know its name."""
    if error.filename is None:
        error.filename = path


def describe_error(error: OSError | SmartcommitError) -> str:
    """Return what failed; for a call of the system the file, if that is known, and why: `'x': permission denied`."""
    if isinstance(error, SmartcommitError):
        return str(error)
    reason = explain_os_error(error)
    return reason if error.filename is None else f"'{error.filename}': {reason}"
