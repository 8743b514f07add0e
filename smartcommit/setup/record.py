"""What `smartcommit init` did in a repository, kept in its git directory so that it can be undone to the byte."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field

from smartcommit.files import replace
from smartcommit.git.repo import Repository


@dataclass(slots=True)
class Record:
    """The configuration's text before and after (`before` is None where there was no file), and the hook types that
    were added to it and installed.
    """

    repo: str
    before: str | None
    after: str
    types: list[str] = field(default_factory=list)
    installed: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, repository: Repository) -> Record | None:
        """The record of this repository, None where there is none that can be read."""
        try:
            with open(_path(repository), encoding="utf-8") as file:
                return cls(**json.load(file))
        except (OSError, ValueError, TypeError):
            return None

    def save(self, repository: Repository) -> None:
        """Keep the record.

        Raises: OSError when it cannot be written.
        """
        os.makedirs(os.path.dirname(_path(repository)), exist_ok=True)
        replace(_path(repository), json.dumps(asdict(self), indent=1).encode())

    @staticmethod
    def forget(repository: Repository) -> None:
        """Drop the record, if there is one."""
        if os.path.exists(_path(repository)):
            os.unlink(_path(repository))


def _path(repository: Repository) -> str:
    return os.path.join(repository.common_dir, "smartcommit", "init.json")
