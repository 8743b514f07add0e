"""The git repository in which jj keeps its commits."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from smartcommit.git.repo import Repository
from smartcommit.jj.run import NO_SNAPSHOT, run_jj


def list_bases(repository: Repository, commit: str) -> list[str]:
    """Return what `commit` changes: its parents, or the empty tree if it has none; one process."""
    _, *parents = repository.run("rev-list", "--parents", "--max-count=1", commit, "--").decode().split()
    return parents or [repository.empty_tree]


def find_jj_repository(root: str) -> Repository:
    """Return the git repository in which jj keeps the commits of the workspace at `root`; one process."""
    git_dir = os.fsdecode(run_jj(("git", "root", NO_SNAPSHOT), repository=root)).rstrip("\n")
    return Repository(
        worktree=root, git_dir=git_dir, common_dir=git_dir, object_format="sha1", environment={"GIT_DIR": git_dir}
    )


def list_left_by_jj(root: str, commit: str) -> list[str]:
    """Return the files in the workspace at `root` that are not ignored and that jj does not record in `commit`.

    jj leaves out of `commit`, its last snapshot, new files that are too large (`snapshot.max-new-file-size`) or that it
    does not track by itself (`snapshot.auto-track`), and nested repositories; it also does not look at files outside of
    its sparse patterns, which it has removed from the working copy.
    """
    with tempfile.TemporaryDirectory(prefix="smartcommit-") as scratch:
        repository = find_jj_repository(root).pinned(GIT_INDEX_FILE=os.path.join(scratch, "index"))
        repository.run("read-tree", commit)
        found = repository.run("ls-files", "--others", "--exclude-standard", "--exclude=/.jj/", "-z").split(b"\0")[:-1]
        patterns = run_jj(("sparse", "list", NO_SNAPSHOT), repository=root).split(b"\n")[:-1]
        if b"." not in patterns:
            tracked = repository.run("ls-files", "-z").split(b"\0")[:-1]
            found += _list_outside(os.fsencode(root), tracked, patterns)
    return list(map(os.fsdecode, found))


def _list_outside(root: bytes, paths: Sequence[bytes], patterns: Sequence[bytes]) -> list[bytes]:
    """Return those of `paths`, relative to `root`, that exist and are neither one of `patterns` nor below one."""
    inside = tuple(pattern + b"/" for pattern in patterns)
    found = []
    for path in paths:
        if not (path + b"/").startswith(inside) and os.path.lexists(os.path.join(root, path)):
            found.append(path)
    return found
