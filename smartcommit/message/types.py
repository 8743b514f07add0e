"""Commit types: which there are, which wins, and which names a kind of change.

Source of the eight types and their order: the commit planner's decision matrix.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# In the order of the decision matrix: the first that any change has is the type of the whole.
DEFAULT_TYPES = ("feat", "fix", "refactor", "ci", "build", "docs", "chore", "lint")

MEANINGS = {
    "feat": "adds or modifies functionality visible to the user",
    "fix": "aligns behaviour with what was promised",
    "refactor": "restructures code without altering behaviour",
    "ci": "changes files of continuous integration",
    "build": "changes the build process",
    "docs": "updates documentation",
    "chore": "modifies configuration files",
    "lint": "formats files",
}

# For each kind of change the types that name it, best first; a project's own list decides which of them exists.
TYPES_OF_KIND = {
    "feature": ("feat",),
    "fix": ("fix",),
    "performance": ("perf", "refactor"),
    "refactoring": ("refactor",),
    "ci": ("ci", "build", "chore"),
    "build": ("build", "chore"),
    "dependencies": ("deps", "build", "chore"),
    "documentation": ("docs",),
    "tests": ("test", "tests", "chore"),
    "formatting": ("style", "lint", "chore"),
    "configuration": ("chore", "build"),
    "revert": ("revert", "fix"),
}


def decide(types: Iterable[str], order: Sequence[str] = DEFAULT_TYPES) -> str:
    """The type of a change whose parts have `types`: the one that stands first in `order`.

    Raises: ValueError when `types` is empty or holds none of `order`.
    """
    present = set(types)
    for name in order:
        if name in present:
            return name
    raise ValueError(f"none of {sorted(present)} is among the types {', '.join(order)}")


def type_of_kind(kind: str, types: Sequence[str] = DEFAULT_TYPES) -> str:
    """The type among `types` that names a change of `kind`, a key of TYPES_OF_KIND, else `chore` or the last one.

    Raises: KeyError for an unknown kind.
    """
    for name in TYPES_OF_KIND[kind]:
        if name in types:
            return name
    return "chore" if "chore" in types else types[-1]
