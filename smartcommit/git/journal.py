"""What a run is about to do, on disk before it does it, so that it can be undone, or settled after a crash."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from smartcommit.errors import SplitError
from smartcommit.git.locks import sync_file, sync_folder
from smartcommit.git.repo import Repository
from smartcommit.git.runs import Run, all_runs

BACKUPS = "refs/split/backup/"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Journal:
    """One run: HEAD goes from `old` (None: no commit yet) to `new`, `count` commits further.

    `branch` is None where HEAD is detached, `index` is the path of the index, `time` orders the runs, in nanoseconds.
    `state` says how far it is: the move or its undoing may be half done, or the move is done. `head_lock` identifies
    the lock of HEAD that git took for it, None before that.
    """

    name: str
    old: str | None
    new: str
    branch: str | None
    count: int
    index: str
    time: int
    state: Literal["moving", "done", "undoing"] = "moving"
    head_lock: str | None = None
    version: int = VERSION

    @property
    def backup(self) -> str:
        """The ref that keeps what the index and the working tree held."""
        return BACKUPS + self.name


def write(run: Run, journal: Journal) -> None:
    """Put the journal on disk, with the indexes it speaks of."""
    for path in (run.before, run.after):
        with suppress(FileNotFoundError):
            sync_file(path)
    draft = run.journal + ".new"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(asdict(journal), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, run.journal)
    for folder in (run.path, os.path.dirname(run.path)):
        sync_folder(folder)


def read_all(repository: Repository) -> list[Journal]:
    """The journals of this worktree, oldest first.

    Raises: SplitError when one cannot be read, say because a later version wrote it.
    """
    found = []
    for run in all_runs(repository):
        with suppress(FileNotFoundError):
            found.append(_read(run.journal))
    return sorted(found, key=lambda journal: journal.time)


def _read(path: str) -> Journal:
    with open(path, encoding="utf-8") as file:
        try:
            fields = json.load(file)
            version = fields["version"]
            if version == VERSION:
                return Journal(**fields)
        except (ValueError, KeyError, TypeError) as error:
            folder = os.path.dirname(path)
            raise SplitError(f"'{path}' is no journal", hint=f"remove '{folder}' if no split is running") from error
    raise SplitError(f"'{path}' is of version {version}", hint="update smartcommit")
