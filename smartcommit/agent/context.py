"""What the tools work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from smartcommit.git.repo import Repository


class Context(Protocol):
    """A change: the trees before and after it. `target` is None for the index, as it is inside `git commit`."""

    @property
    def repository(self) -> Repository: ...

    @property
    def base(self) -> str: ...

    @property
    def target(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Trees:
    """A change and nothing else, as a draft looks at it."""

    repository: Repository
    base: str
    target: str | None = None
