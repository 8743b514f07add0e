"""One run of a plan: where it is, its id, and what the user chose."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from smartcommit.executor.task_message import PREFIX
from smartcommit.git.run import scrub_environment
from smartcommit.processes import EXECUTION
from smartcommit.processes.group import Limits

ATTEMPTS = 5


class AttemptFailed(Exception):
    """An attempt failed; the text says why, for the next one."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run in `directory`; `id` is in the environment of its processes, and `stopped` says if the user cancels.

    A task gets up to `attempts`, each within `limits`; default messages start with `prefix`. With `allow_dirty` nothing
    is committed; with `screened` changes are scanned for secrets before they are.
    """

    directory: str
    id: str
    limits: Limits = field(default_factory=Limits)
    attempts: int = ATTEMPTS
    prefix: str = PREFIX
    allow_dirty: bool = False
    screened: bool = True
    stopped: Callable[[], bool] = lambda: False

    def environment(self, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the environment of an agent or check."""
        return {**scrub_environment(inherited), EXECUTION: self.id}
