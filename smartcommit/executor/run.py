"""One run of a plan, and its attempt as it is saved for a later run.

The attempt is in the git directory, since writing it to the tree after a commit would leave the tree
dirty, and since the plan's files cannot be trusted after an agent was killed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from smartcommit import state_files
from smartcommit.errors import LockedError, TaskPlanError
from smartcommit.executor.protected_files import Protected, find_changed
from smartcommit.processes.run import Limits, terminate_run, wait_for_run

LOCK = "executor.lock"
_CHECKS = "executor-checks"
# Phases of an attempt: the agent is running; it succeeded and its work is being committed; it ended without a commit.
AGENT = "agent"
COMMIT = "commit"
ENDED = "ended"
# Appended to the run's id for the processes of a commit: the next run waits for them instead of terminating them.
COMMITTING = ":commit"
# Seconds for an agent to exit after SIGTERM, and for a commit in progress to finish with its hooks.
_GRACE_SECONDS = 5.0
_COMMIT_TIMEOUT = 120.0


class AttemptFailed(Exception):
    """An attempt failed; the text says why, for the next one."""


class ProtectedFileChanged(TaskPlanError):
    """Configuration or hooks were changed while an agent ran: git may not run. `changed` are the files."""

    def __init__(self, changed: list[str]) -> None:
        named = ", ".join(repr(item) for item in changed[:10])
        super().__init__(
            f"{named} was changed while the agent ran, and git has not run since",
            hint="undo the change unless you want it, then resume: the next run takes the file as it is",
        )
        self.changed = changed


@dataclass(frozen=True, slots=True)
class Run:
    """A run in `directory`; `id` is in the environment of its processes. With `allow_dirty` nothing is committed."""

    directory: str
    id: str
    limits: Limits = field(default_factory=Limits)
    attempts: int = 5
    allow_dirty: bool = False
    stopped: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class PendingAttempt:
    """An attempt at a task of `plan` that has no commit yet."""

    plan: str
    # The id of the task; empty before the first.
    task: str
    # The commit at which the attempt started.
    head: str | None
    run_id: str
    phase: str = AGENT
    # The commit at which the task started: since then agents may have committed. In jj, the parent of the change.
    base: str | None = None
    # None if HEAD is detached. In jj, the change with the plan.
    branch: str | None = None
    # The paths that it left changed; None if it was killed: then all are its own.
    left: list[str] | None = None
    # What the agent may not change.
    protected: Protected = field(default_factory=dict)
    # The plan as it was saved last.
    plan_json: str = ""
    # Why the task failed last, and its title, for drafts of messages.
    failure: str = ""
    title: str = ""
    # The paths that were hidden from git before.
    hidden: list[str] = field(default_factory=list)
    # Once a commit was tried: what identifies its content without the plan's files, and its text and why the agent's
    # was not used.
    work: str = ""
    message: list[str] = field(default_factory=list)
    # jj's last operation before the task.
    operation: str = ""

    @property
    def killed(self) -> bool:
        """Whether its run was killed, or it left the branch: what it made of the plan's files cannot be trusted."""
        return self.phase != ENDED


def load(directory: str) -> PendingAttempt | None:
    return state_files.load_json(directory, state_files.ATTEMPT, lambda fields: PendingAttempt(**fields))


def save(directory: str, attempt: PendingAttempt) -> None:
    """Save the pending attempt. Raise TaskPlanError, like `approve`, if the directory cannot be written."""
    _save(directory, state_files.ATTEMPT, asdict(attempt))


def drop(directory: str) -> None:
    state_files.drop(directory, state_files.ATTEMPT)


def approve(directory: str, commands: list[str]) -> None:
    _save(directory, _CHECKS, sorted({*read_approved(directory), *commands}))


def read_approved(directory: str) -> set[str]:
    return state_files.load_json(directory, _CHECKS, set) or set()


def _save(directory: str, name: str, content: object) -> None:
    if not state_files.save_json(directory, name, content):
        raise TaskPlanError(
            f"cannot write '{state_files.find_path(directory, name)}'", hint="make the directory writable"
        )


def take_over(directory: str) -> PendingAttempt | None:
    """Return the attempt that an earlier run left, after its processes have ended; or raise LockedError."""
    attempt = load(directory)
    if attempt is None:
        return None
    terminate_run(attempt.run_id, _GRACE_SECONDS)
    # A hook of a commit that is over may have left a daemon.
    if attempt.phase == COMMIT and not wait_for_run(attempt.run_id + COMMITTING, _COMMIT_TIMEOUT):
        raise LockedError("an earlier run is still committing", hint="wait for it to finish, or stop its git process")
    check_protected(directory, attempt)
    return attempt


def check_protected(directory: str, attempt: PendingAttempt) -> None:
    """Raise ProtectedFileChanged once if the agent has changed what it may not; no process of git is run."""
    if not os.path.isdir(directory):  # an agent removed it, and git says so
        return
    changed = find_changed(attempt.protected)
    if not changed:
        return
    attempt.protected = {}
    save(directory, attempt)
    raise ProtectedFileChanged(changed)
