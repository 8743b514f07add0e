"""What a run is about to do, on disk before it does it, so that it can be undone, or settled after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Literal

from smartcommit.errors import SplitError
from smartcommit.git.locks import sync_file, sync_folder
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.git.runs import Run, all_runs

BACKUPS = "refs/split/backup/"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Journal:
    """One run: HEAD goes from `old` (None: no commit yet) to `new`, `count` commits further.

    `branch` is None where HEAD is detached, `index` is the path of the index and `index_tree` what it holds after the
    move; `time` orders the runs, in nanoseconds. `state` says how far it is: the move or its undoing may be half done,
    or the move is done. `locks` identifies those that git took for it by their paths (`smartcommit.git.reflocks`);
    there are none before that.
    """

    name: str
    old: str | None
    new: str
    branch: str | None
    count: int
    index: str
    index_tree: str
    time: int
    state: Literal["moving", "done", "undoing"] = "moving"
    locks: Mapping[str, str] = field(default_factory=dict)
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
    found = (read(run) for run in all_runs(repository))
    return sorted((journal for journal in found if journal is not None), key=lambda journal: journal.time)


def read(run: Run) -> Journal | None:
    """The run's journal, None where it has none.

    Raises: SplitError when it cannot be read.
    """
    text = read_file(run.journal)
    if text is None:
        return None
    try:
        fields = json.loads(text)
        version = fields["version"]
        if version == VERSION:
            return Journal(**fields)
    except (ValueError, KeyError, TypeError) as error:
        raise SplitError(
            f"'{run.journal}' is no journal", hint=f"remove '{run.path}' if no split is running"
        ) from error
    raise SplitError(f"'{run.journal}' is of version {version}", hint="update smartcommit")
