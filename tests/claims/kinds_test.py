"""What kind of change a message may claim to be."""

from __future__ import annotations

from smartcommit.claims.evidence import ChangedPath, ChangeEvidence
from smartcommit.claims.kinds import check_type
from tests.support.table import rows


@rows(
    ("lines", "warned"),
    [
        (["#!/bin/sh", "cp {{ source }} $target"], False),
        (["Names are read as they are.", "A host without one is left out."], True),
    ],
)
def test_a_text_file_is_a_document_for_claims_as_for_drafts(lines: list[str], warned: bool) -> None:
    change = ChangeEvidence()
    change.paths.append(ChangedPath("M", "templates/install.txt", None, unread=False))
    change.paths[0].lines["added"] += lines
    assert bool(check_type("feat: read hosts", change)) is warned
