"""Which files a model may look into; of all others it learns the name and how many lines changed."""

from __future__ import annotations

from smartcommit.change.filetypes import ASSET, GENERATED, LOCK, kind_of
from smartcommit.secret_scan import may_hold_secrets


def why_hidden(path: bytes) -> str | None:
    """Why the content of the file at `path` is not shown, or None where it is."""
    if may_hold_secrets(path):
        return "may hold secrets"
    return {LOCK: "a lock file", GENERATED: "generated or vendored", ASSET: "not text"}.get(kind_of(path))
