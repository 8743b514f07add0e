"""Write-ahead journal of a split, for undo and crash recovery."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from smartcommit.errors import SplitError
from smartcommit.git.lockfile import sync_file, sync_folder
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.git.runs import SplitRun, all_runs

VERSION = 2


@dataclass(frozen=True, slots=True)
class Journal:
    """One run: HEAD goes from `old` (None: no commit yet) to `new`, `count` commits further.

    `branch` is None where HEAD is detached. `index` is the path of the index from the git directory, so that a copy of
    the repository has a journal of its own index; it holds `staged_tree` before the move and `index_tree` after it.
    `time` orders the runs, in nanoseconds. `state` says how far it is: the move or its undoing may be half done, or the
    move is done. `backup_ref` is what keeps the objects for undoing where version 1 of the journal was written.
    """

    name: str
    old: str | None
    new: str
    branch: str | None
    count: int
    index: str
    staged_tree: str
    index_tree: str
    time: int
    state: Literal["moving", "done", "undoing"] = "moving"
    backup_ref: str | None = None
    version: int = VERSION


def write(run: SplitRun, journal: Journal) -> None:
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


def read(run: SplitRun) -> Journal | None:
    """The run's journal, None where it has none.

    Raises: SplitError when it cannot be read.
    """
    text = read_file(run.journal)
    if text is None:
        return None
    try:
        fields = json.loads(text)
        version = fields["version"]
        if version == 1:
            return Journal(**_upgraded(fields, run.repository.git_dir))
        if version == VERSION:
            return Journal(**fields)
    except (ValueError, KeyError, TypeError) as error:
        raise SplitError(
            f"'{run.journal}' is not a valid split journal", hint=f"remove '{run.path}' if no split is running"
        ) from error
    raise SplitError(f"'{run.journal}' has unsupported version {version}", hint="update smartcommit")


def _upgraded(fields: dict[str, Any], git_dir: str) -> dict[str, Any]:
    """The fields of version 1, which named the index by its absolute path and kept what was staged by a ref."""
    kept = {name: value for name, value in fields.items() if name != "locks"}
    ref = f"refs/split/backup/{fields['name']}"
    return {
        **kept,
        "index": os.path.relpath(fields["index"], git_dir),
        "staged_tree": f"{ref}^3^{{tree}}",
        "backup_ref": ref,
        "version": VERSION,
    }
