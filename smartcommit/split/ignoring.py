"""What a model would have git ignore: only what git does not track, and written to `.gitignore` if the user agrees."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import describe_error
from smartcommit.git.run import read_file
from smartcommit.git.snapshot import Snapshot
from smartcommit.state_files import replace_file
from smartcommit.terminal import printable

NAME = ".gitignore"


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


def can_add(snapshot: Snapshot) -> bool:
    """Whether lines can be added to `.gitignore` after a split: not while a hook runner holds back unstaged lines."""
    if snapshot.staged or snapshot.is_committed:
        return False
    path = os.path.join(snapshot.repository.worktree, NAME)
    if os.path.lexists(path):
        return os.path.isfile(path) and not os.path.islink(path)
    # One that is deleted, or that a sparse checkout leaves out, would come back without its lines.
    return not snapshot.repository.run("ls-tree", "--name-only", snapshot.staged_tree, "--", NAME)


def add_patterns(worktree: str, patterns: Sequence[str]) -> str:
    """Add `patterns` to `.gitignore`, and return what to tell the user: the commits are made, whatever happens."""
    path = os.path.join(worktree, NAME)
    shown = printable(", ".join(patterns))
    try:
        content = read_file(path) or b""
        end = b"\r\n" if b"\r\n" in content else b"\n"
        if content and not content.endswith(b"\n"):
            content += end
        for pattern in patterns:
            content += pattern.encode() + end
        replace_file(path, content)
    except OSError as error:
        return f"not added to .gitignore: {shown} ({describe_error(error)})"
    return f"added to .gitignore: {shown}"
