"""Quarantine for the new objects of a run, until the run is accepted.

It is a repository of its own below the run's directory, where no `git gc` of the user's repository looks. fast-import
runs in it, so its ref, its locks and its crash reports are nobody else's either.
"""

from __future__ import annotations

import os

from smartcommit.git.repo import Repository


class Quarantine:
    """A repository that takes new objects and reads those of the user's repository as well.

    `environment` makes a git that runs in the user's repository write there; `repository` is for one that needs nothing
    of the user's but the objects.
    """

    def __init__(self, repository: Repository, path: str) -> None:
        self._known = repository.objects
        self._objects = os.path.join(path, "objects")
        self.environment = {"GIT_OBJECT_DIRECTORY": self._objects, **alternates(self._known)}
        self.repository = Repository(
            worktree=repository.worktree,
            git_dir=path,
            common_dir=path,
            object_format=repository.object_format,
            environment={**self.environment, "GIT_DIR": path, "GIT_WORK_TREE": repository.worktree},
        )

    @property
    def folders(self) -> tuple[str, str]:
        """Where new objects are, and where those of the repository are; that one knows where it borrows others."""
        return self._objects, self._known

    def create(self) -> None:
        """Create the repository, empty: the least that git takes for one. Source: gitrepository-layout(5)."""
        path = self.repository.git_dir
        os.makedirs(os.path.join(self._objects, "pack"))
        os.mkdir(os.path.join(path, "refs"))
        with open(os.path.join(path, "config"), "w", encoding="ascii") as config:
            config.write("[core]\n\trepositoryFormatVersion = 1\n")
            config.write(f"[extensions]\n\tobjectFormat = {self.repository.object_format}\n")
        with open(os.path.join(path, "HEAD"), "w", encoding="ascii") as head:
            head.write("ref: refs/heads/main\n")


def alternates(objects: str) -> dict[str, str]:
    """What makes git read the object directory `objects` beside its own. Source: git(1)."""
    inherited = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    paths = [_quote(objects), *([inherited] if inherited else [])]
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(paths)}


def _quote(path: str) -> str:
    """`path` for a list that is divided by colons. Source: git(1), GIT_ALTERNATE_OBJECT_DIRECTORIES."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
