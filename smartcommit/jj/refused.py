"""The descriptions that `smartcommit jj-editor` refused: kept in the workspace for the next edit of the same change."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from smartcommit import state_files

_NAME = "refused-descriptions.json"
# Number of changes whose description is kept.
_KEPT = 20


@dataclass(slots=True)
class RefusedDescription:
    """A text that was refused, with the lines of the report that says why.

    `before` is the description that the user has edited.
    """

    before: str
    text: str
    report: Sequence[str]


def load(root: str, change_id: str) -> RefusedDescription | None:
    """Return what is kept of the change in the workspace at `root`, or None."""
    return _load_all(root).get(change_id)


def save(root: str, change_id: str, refused: RefusedDescription | None) -> bool:
    """Keep `refused` for the change in the workspace at `root`, or nothing; return False if it cannot be written."""
    kept = _load_all(root)
    if kept.pop(change_id, None) is None and refused is None:
        return True
    if refused is not None:
        kept[change_id] = refused
    content = {name: asdict(one) for name, one in list(kept.items())[-_KEPT:]}
    return state_files.save_json(_directory(root), _NAME, content)


def _load_all(root: str) -> dict[str, RefusedDescription]:
    def read(content: dict[str, dict[str, Sequence[str]]]) -> dict[str, RefusedDescription]:
        kept = {}
        for change_id, fields in content.items():
            report = list(map(str, fields["report"]))
            kept[change_id] = RefusedDescription(str(fields["before"]), str(fields["text"]), report)
        return kept

    return state_files.load_json(_directory(root), _NAME, read) or {}


def _directory(root: str) -> str:
    return os.path.join(root, ".jj")
