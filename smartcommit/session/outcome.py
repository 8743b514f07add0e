"""What the verbs of `smartcommit session` answer: an exit status, and an object to print as JSON."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any

from smartcommit.change.hidden_files import find_reason_to_hide
from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.record import Record
from smartcommit.secrets.redaction import redact
from smartcommit.session.ledger import SessionFile
from smartcommit.session.left_hunks import LeftHunk
from smartcommit.split.outcome import explain_failure, find_status


class Outcome(Record):
    """How a verb ended: the exit status, as of a split, and the object, whose values JSON can hold."""

    status: int
    document: dict[str, Any]


def next_command(name: str, session: str) -> str:
    return f"smartcommit session {name} --session {shlex.quote(session)}"


def describe_answer(session: str, *following: str, **fields: Any) -> dict[str, Any]:
    """Return what a verb answers: `fields`, the session, and what to run next."""
    return {"status": "ok", "session": session, **fields, "next": list(following)}


class SessionRefused(SplitError):
    """A verb cannot do what it was asked for; nothing was changed. `details` are more fields for the object."""

    def __init__(self, message: str, *, hint: str | None, following: Sequence[str] = (), **details: object) -> None:
        super().__init__(message, hint=hint, following=following)
        self.details = details


def describe_failure(error: SmartcommitError | OSError | MemoryError) -> Outcome:
    explained = explain_failure(error)
    document: dict[str, Any] = {"status": "error", "error": str(explained), "hint": explained.hint}
    if isinstance(explained, SessionRefused):
        document |= explained.details
    return Outcome(find_status(explained), {**document, "next": list(explained.following)})


def describe_file(file: SessionFile) -> dict[str, Any]:
    """Return a file as JSON; what an agent reads it passes on: no secrets, and no lines of others' new files."""
    left = []
    for hunk in file.left:
        described = describe_hunk(hunk)
        if file.base is not None and find_reason_to_hide(file.path) is None:
            lines = [line.decode("utf-8", "surrogateescape").removesuffix("\n") for line in hunk.lines]
            described["lines"] = redact("\n".join(lines)).split("\n")
        left.append(described)
    return {"path": os.fsdecode(file.path), "own": file.own, "left": left}


def describe_hunk(hunk: LeftHunk) -> dict[str, Any]:
    described = hunk.as_dict()
    del described["lines"], described["numbers"]
    return described
