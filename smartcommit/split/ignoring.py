"""What a model would have git ignore: only what git does not track, and written to `.gitignore` if the user agrees."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from smartcommit.git.run import read_file
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.journal import SplitRun
from smartcommit.split.plan import SplitPlan
from smartcommit.state_files import replace_file

NAME = ".gitignore"
PATH = b".gitignore"
# Notes of a run, as in `Addition`.
_BEFORE = "gitignore-before"
_AFTER = "gitignore-after"


def select_useful(snapshot: Snapshot, patterns: Sequence[str]) -> list[str]:
    """Return the `patterns` that match no tracked file and are not in `.gitignore` yet.

    Two processes, and one for each pattern if any of them matches a tracked file.
    """
    if not patterns:
        return []
    path = os.path.join(snapshot.repository.worktree, NAME)
    present = set()
    if os.path.isfile(path):
        present = {line.strip() for line in (read_file(path) or b"").split(b"\n")}
    # The index of the snapshot has the new files too.
    tracked = snapshot.repository.extended(GIT_INDEX_FILE=os.path.join(snapshot.run.work, "tracked"))
    tracked.run("read-tree", snapshot.staged_tree)
    new = [pattern for pattern in patterns if pattern.encode() not in present]
    listing = ("ls-files", "-z", "--cached", "--ignored")
    if not new or not tracked.run(*listing, *[f"--exclude={pattern}" for pattern in new]):
        return new
    return [pattern for pattern in new if not tracked.run(*listing, f"--exclude={pattern}")]


def can_add(snapshot: Snapshot, plan: SplitPlan) -> bool:
    """Whether lines can be added to `.gitignore`, and are then all that `plan` does not know yet."""
    # Lines beside these would be one hunk with them.
    if any(unit.change.path == PATH for unit in plan.skipped):
        return False
    path = os.path.join(snapshot.repository.worktree, NAME)
    if os.path.lexists(path):
        return os.path.isfile(path) and not os.path.islink(path)
    # One that is deleted, or that a sparse checkout leaves out, would come back without its lines.
    is_tracked = snapshot.repository.run("ls-tree", "--name-only", snapshot.staged_tree, "--", NAME)
    return not (is_tracked or snapshot.hides_untracked)


class Addition(NamedTuple):
    """Lines that were added to the file `path`, by its content `before` (None: there was no file) and `after`."""

    path: str
    before: bytes | None
    after: bytes

    def take_back(self) -> bool:
        """Write what was there before, and return True, unless somebody has changed the file since."""
        if not os.path.isfile(self.path) or read_file(self.path) != self.after:
            return False
        if self.before is None:
            os.unlink(self.path)
        else:
            replace_file(self.path, self.before)
        return True

    def note(self, run: SplitRun) -> None:
        """Keep this until the run is undone."""
        os.mkdir(run.notes)
        for name, content in ((_BEFORE, self.before), (_AFTER, self.after)):
            if content is not None:
                replace_file(os.path.join(run.notes, name), content)


def add(worktree: str, patterns: Sequence[str]) -> Addition:
    path = os.path.join(worktree, NAME)
    before = read_file(path)
    end = b"\n"
    if before is not None and b"\r\n" in before:
        end = b"\r\n"
    after = before or b""
    if after and not after.endswith(b"\n"):
        after += end
    for pattern in patterns:
        after += pattern.encode() + end
    replace_file(path, after)
    return Addition(path, before, after)


def read_addition(run: SplitRun) -> Addition | None:
    """Return what was added to `.gitignore` for the run, if anything was."""
    after = read_file(os.path.join(run.notes, _AFTER))
    if after is None:
        return None
    return Addition(os.path.join(run.repository.worktree, NAME), read_file(os.path.join(run.notes, _BEFORE)), after)
