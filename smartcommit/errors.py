"""Errors that stop a command: expected ones, shown in one line and never as a traceback.

    SmartcommitError(message, hint=None)
        ConfigError             a setting or policy that cannot be used
        GitError                git ended with a status that was not expected
        JjError                 jj ended with a status that was not expected
        LockedError             somebody else holds a lock
        Cancelled               a person pressed Ctrl-C while something was waited for
        LLMError                a model gave no answer that can be used
            LLMConnectError     its server cannot be reached, or must not be
            LLMTimeout          the deadline came first
            LLMStatusError      the server refused the request
            LLMReplyError       what came is no answer: cut off, endless, or not the API's
            LLMPromptTooLong    the server refused the prompt for its length, or read only a part of it
        AgentError
            TurnLimitExceeded   the loop's turns are used up
            NoTerminalCall      the model never made the call that ends the loop
        SplitError
            SplitPlanOutdated   the repository is no longer what the plan was made for
            TreeMismatch        the proof that nothing was lost failed
        TaskPlanError           a plan of tasks cannot be read, or not be gone on with

ToolRetry and ToolFailed are raised by tools and caught by the loop only, which tells the model.
A broken rule in a message is not an error but a violation (`smartcommit.message.rules`).
"""

from __future__ import annotations


class SmartcommitError(Exception):
    """Something a person can mend; `hint` names the command or the change that does it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(SmartcommitError):
    """A setting or a policy value that cannot be used."""


class GitError(SmartcommitError):
    """git ended with a status its caller did not expect."""

    def __init__(self, message: str, *, status: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class JjError(SmartcommitError):
    """jj ended with a status its caller did not expect."""


class LockedError(SmartcommitError):
    """A lock is held by another process."""


class Cancelled(SmartcommitError):
    """A person pressed Ctrl-C; whoever waited goes on without what it waited for."""


class LLMError(SmartcommitError):
    """A model gave no answer that can be used."""


class LLMConnectError(LLMError):
    """The server cannot be reached, or must not be."""


class LLMTimeout(LLMError):
    """The deadline came before the answer was whole."""


class LLMStatusError(LLMError):
    """The server refused the request; `status` is HTTP's, `text` what it said, for the program and not for a person."""

    def __init__(self, message: str, *, status: int, text: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.text = text


class LLMReplyError(LLMError):
    """What came back is no answer of the API: cut off, endless, or something else."""


class LLMPromptTooLong(LLMError):
    """The server's context is smaller than the prompt: it refused it, or read only a part of it."""


class AgentError(SmartcommitError):
    """The loop with the model ended without a result."""


class TurnLimitExceeded(AgentError):
    """The turns are used up."""


class NoTerminalCall(AgentError):
    """The model never made the call that ends the loop; `text` is what it said last."""

    def __init__(self, message: str, *, text: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.text = text


class ToolRetry(ValueError):
    """Arguments that a tool cannot use; the text tells the model how to mend them."""


class ToolFailed(Exception):
    """A tool that cannot do its work; the text tells the model why, and trying again is of no use."""


class SplitError(SmartcommitError):
    """A change cannot be split; nothing was touched."""


class SplitPlanOutdated(SplitError):
    """The repository has changed since the plan was made."""


class TreeMismatch(SplitError):
    """The composed tree is not the snapshot's: the proof failed, so nothing was touched."""


class TaskPlanError(SmartcommitError):
    """A plan of tasks cannot be read, or not be gone on with; the work in the tree stays."""
