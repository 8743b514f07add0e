"""New objects kept apart until they are wanted, so that a run that is given up leaves none behind.

The directory lies in the object store under a name that `git gc` removes by itself (`tmp_*`, git-prune), should this
process be killed. git's own quarantine for pushes works the same way (git-receive-pack(1), "QUARANTINE ENVIRONMENT").
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from smartcommit.git.repo import Repository

_PREFIX = "tmp_split_"
# A pack counts as complete once its index is there, so the index comes last.
_LAST = (".pack", ".rev", ".idx")


class Quarantine:
    """A directory that takes the new objects of one run; `environment` makes git write there and read all."""

    def __init__(self, repository: Repository, name: str) -> None:
        self._objects = repository.objects
        self.path = os.path.join(self._objects, _PREFIX + name)
        inherited = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        self.environment = {
            "GIT_OBJECT_DIRECTORY": self.path,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(
                [_quote(self._objects), *([inherited] if inherited else [])]
            ),
        }

    @property
    def folders(self) -> tuple[str, str]:
        """Where new objects are, and where those of the repository are; that one knows where it borrows others."""
        return self.path, self._objects

    def create(self) -> None:
        """Make the directory, empty."""
        os.makedirs(os.path.join(self.path, "pack"))

    def release(self) -> None:
        """Move every object into the object store; what it has already is left out."""
        for folder, _, names in os.walk(self.path):
            target = os.path.join(self._objects, os.path.relpath(folder, self.path))
            if not os.path.isdir(target):
                os.mkdir(target)
                shutil.copymode(folder, target)  # git made the folder as core.sharedRepository asks
            for name in sorted(names, key=_rank):
                if not name.startswith("tmp_") and not os.path.exists(os.path.join(target, name)):
                    os.replace(os.path.join(folder, name), os.path.join(target, name))

    def discard(self) -> None:
        """Remove the directory and what is left in it."""
        discard(self.path)


def discard(path: str) -> None:
    """Remove a quarantine by its path, if it is still there."""
    with suppress(FileNotFoundError):
        shutil.rmtree(path)


def _rank(name: str) -> int:
    suffix = os.path.splitext(name)[1]
    return _LAST.index(suffix) if suffix in _LAST else -1


def _quote(path: str) -> str:
    """`path` for a list that is divided by colons. Source: git(1), GIT_ALTERNATE_OBJECT_DIRECTORIES."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
