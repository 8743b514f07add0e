"""What the executor keeps in the git directory: the attempt that is not over yet, and a journal of its commits.

A commit cannot hold its own id, and writing that into the tree afterwards would leave the tree dirty. What a killed
process was at must be known though the plan's files, as an agent left them, are not to be trusted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from smartcommit import state_files
from smartcommit.errors import TaskPlanError
from smartcommit.executor.suggestion import CommitMessage

LOCK = "executor.lock"
UNFINISHED, _JOURNAL, _CHECKS = "executor-state", "executor-journal", "executor-checks"
_ASIDE = "executor-plan.json"
# Entries of the journal that are kept.
_KEPT = 1000
# How far an attempt is: the agent is at work; it succeeded, and the commit is being made; it was ended in order.
AGENT, COMMIT, STOPPED = "agent", "commit", "stopped"


@dataclass(slots=True)
class PendingAttempt:
    """An attempt without its commit: of `plan`, a folder's name, begun on `branch` on top of the commit `parent`.

    `mark` is in the environment of every process of the run. In phase COMMIT `message`, `rejected` and `reason` are the
    parts of the `CommitMessage`, and `changes` tells what is committed, once that is staged. `left` are the paths that
    the attempt left changed, None where it was killed and nobody looked; `dirty` those that were changed before it by
    somebody else, and `inside` the submodules that had changes inside. `plan_json` is the plan as it was written down
    with it. With `astray` the attempt left the branch, or took the commit back. `base` is the commit that its task
    began on, on which agents may have built since.
    """

    plan: str
    task: str
    parent: str | None
    mark: str
    phase: str = AGENT
    message: str = ""
    rejected: str | None = None
    reason: str = ""
    changes: str = ""
    left: list[str] | None = None
    dirty: list[str] = field(default_factory=list)
    plan_json: str = ""
    branch: str | None = None
    astray: bool = False
    base: str | None = None
    inside: list[str] = field(default_factory=list)

    @property
    def commit_message(self) -> CommitMessage:
        """The message that is being committed."""
        return CommitMessage(self.message, self.rejected, self.reason)

    @commit_message.setter
    def commit_message(self, message: CommitMessage) -> None:
        self.message, self.rejected, self.reason = message.text, message.rejected, message.reason

    @property
    def killed(self) -> bool:
        """Whether its run did not come to an end in order."""
        return self.left is None

    @property
    def unsettled(self) -> bool:
        """Whether it is to be gone on with before anything else: it was not ended in order, or lacks its commit."""
        return self.phase != STOPPED or self.astray


def load(git_dir: str) -> PendingAttempt | None:
    """The attempt that is not over, None where there is none."""
    kept = state_files.load(git_dir, UNFINISHED)
    if kept is None:
        return None
    try:
        return PendingAttempt(**json.loads(kept))
    except (ValueError, TypeError):  # of another version
        return None


def save(git_dir: str, unfinished: PendingAttempt) -> None:
    """Keep `unfinished` until it is dropped.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    _save(git_dir, UNFINISHED, json.dumps(asdict(unfinished)).encode())


def drop(git_dir: str) -> None:
    """The attempt is over, and its commit is in the journal."""
    state_files.drop(git_dir, UNFINISHED)


def journal(git_dir: str) -> list[dict[str, str | None]]:
    """The commits that were made here, oldest first: `plan`, `task`, `commit` and `parent`."""
    entries = []
    for line in (state_files.load(git_dir, _JOURNAL) or b"").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries


def record(git_dir: str, **entry: str | None) -> None:
    """Put a commit into the journal, once.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    entries = journal(git_dir)
    if entry not in entries[-1:]:
        lines = [json.dumps(one) for one in [*entries[1 - _KEPT :], entry]]
        _save(git_dir, _JOURNAL, "".join(f"{line}\n" for line in lines).encode())


def set_aside(git_dir: str, content: bytes) -> str:
    """Keep the last `content` of a plan's file that was not gone on with; returns where.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    _save(git_dir, _ASIDE, content)
    return state_files.path(git_dir, _ASIDE)


def approve(git_dir: str, commands: list[str]) -> None:
    """A person of this clone wants the check `commands` to be run.

    Raises: TaskPlanError when the git directory cannot be written.
    """
    _save(git_dir, _CHECKS, json.dumps(sorted({*approved(git_dir), *commands})).encode())


def approved(git_dir: str) -> set[str]:
    """The commands that were approved."""
    try:
        return set(json.loads(state_files.load(git_dir, _CHECKS) or b"[]"))
    except (ValueError, TypeError):
        return set()


def _save(git_dir: str, name: str, content: bytes) -> None:
    if not state_files.save(git_dir, name, content):
        raise TaskPlanError(f"cannot write '{state_files.path(git_dir, name)}'", hint="make the git directory writable")
