"""Decides which files no model sees: what `secrets` suspects by its path, and kinds of files that tell it nothing."""

from __future__ import annotations

from smartcommit.change.filetypes import ASSET, GENERATED, LOCK, classify_path
from smartcommit.secrets.files import may_hold_secrets

_REASONS = {LOCK: "a lock file", GENERATED: "generated or vendored", ASSET: "not text"}


def find_reason_to_hide(path: bytes) -> str | None:
    """Return why a model may not see the content of the file at `path`, or None if it may."""
    if may_hold_secrets(path):
        return "may contain secrets"
    return _REASONS.get(classify_path(path))
