"""Errors that stop a command: expected ones, shown in one line and never as a traceback.

    SmartcommitError(message, hint=None)
        ConfigError             a setting or policy that cannot be used
        GitError                git ended with a status that was not expected
        JjError                 jj ended with a status that was not expected
        LockedError             somebody else holds a lock
        SplitError
            SplitPlanOutdated   the repository is no longer what the plan was made for
            TreeMismatch        the proof that nothing was lost failed

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


class SplitError(SmartcommitError):
    """A change cannot be split; nothing was touched."""


class SplitPlanOutdated(SplitError):
    """The repository has changed since the plan was made."""


class TreeMismatch(SplitError):
    """The composed tree is not the snapshot's: the proof failed, so nothing was touched."""
