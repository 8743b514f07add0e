"""What `smartcommit init` did in a repository, kept in its git directory so that it can be undone to the byte."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from smartcommit import state_files
from smartcommit.git.repo import Repository

RECORD_NAME = "init.json"


@dataclass(slots=True)
class Record:
    """The configuration's text before and after (`before` is None where there was no file), and the hook types that
    were added to it and installed. It belongs to the whole repository, as the installed hooks do.
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
            return cls(**json.loads(state_files.load(repository.common_dir, RECORD_NAME) or b""))
        except (ValueError, TypeError):
            return None

    def save(self, repository: Repository) -> bool:
        """Keep the record; False where the git directory cannot be written."""
        return state_files.save(repository.common_dir, RECORD_NAME, json.dumps(asdict(self), indent=1).encode())

    @staticmethod
    def forget(repository: Repository) -> None:
        """Drop the record, if there is one."""
        state_files.drop(repository.common_dir, RECORD_NAME)
