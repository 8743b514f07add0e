"""What the verbs of a session do besides planning and committing.

The help of `smartcommit session` is made of these docstrings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.session import registry
from smartcommit.session.edits import UNKNOWN, Deletion, Edit, NewContent, Patch, Replacement, encode
from smartcommit.session.ledger import open_ledger
from smartcommit.session.outcome import describe_answer, describe_file, next_command

_EDITS: Mapping[str, type[Replacement | NewContent | Deletion | Patch]] = {
    "replace": Replacement,
    "write": NewContent,
    "delete": Deletion,
    "patch": Patch,
}
# Fields of edits that are no text.
_TYPES = {"every": bool}


def start(repository: Repository, session: str, *, product: str = "") -> dict[str, Any]:
    """Begin a session: what is uncommitted by now is nobody's."""
    with open_ledger(repository) as ledger:
        ledger.start(session, product=product)
    return describe_answer(repository, session, next_command("status", session))


def end(repository: Repository, session: str) -> dict[str, Any]:
    """End a session: others can claim what it left."""
    with open_ledger(repository) as ledger:
        ledger.end(session)
    return describe_answer(repository, session)


def note(repository: Repository, session: str, notice: Any) -> dict[str, Any]:
    """Tell what a tool of the session is about to do or has done. Raise SmartcommitError if that is no notice."""
    try:
        _take_notice(repository, session, notice)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise SmartcommitError(
            "this is no notice", hint="pass an object with 'event', 'path', 'call' and 'edit', as docs/agents.md says"
        ) from None
    return describe_answer(repository, session)


def status(repository: Repository, session: str) -> dict[str, Any]:
    """List what the session can commit, and what stays uncommitted and why."""
    with open_ledger(repository) as ledger:
        files = ledger.list_files(session)
        unread = ledger.list_unread()
    others = []
    for known in registry.list_sessions(repository.git_dir):
        if known.id != session:
            others.append({"session": known.id, "product": known.product, "ended": bool(known.ended)})
    following = []
    if any(map(attrgetter("own"), files)):
        following.append(next_command("plan", session))
    listed = list(map(describe_file, files))
    return describe_answer(
        repository, session, *following, files=listed, unread=list(map(os.fsdecode, unread)), others=others
    )


def claim(repository: Repository, session: str, hunks: Sequence[str]) -> dict[str, Any]:
    """Take hunks that are nobody's, by the ids that `status` lists."""
    with open_ledger(repository) as ledger:
        ledger.claim(session, hunks)
    return describe_answer(repository, session, next_command("plan", session))


def _take_notice(repository: Repository, session: str, notice: Any) -> None:
    event, call = notice["event"], str(notice.get("call", ""))
    with open_ledger(repository) as ledger:
        if event == "before-shell":
            ledger.before_shell(session)
        elif event == "after-shell":
            ledger.after_shell(session)
        elif event == "read":
            ledger.look(_find_path(repository, notice["path"]))
        elif event == "before":
            ledger.before_edit(session, _find_path(repository, notice["path"]), call)
        elif event == "after":
            original: Any = notice.get("original", UNKNOWN)
            if original not in (None, UNKNOWN):
                original = encode(original)
            edit = _read_edit(notice.get("edit"))
            ledger.after_edit(session, _find_path(repository, notice["path"]), call, edit, original=original)
        else:
            raise ValueError(event)


def _find_path(repository: Repository, name: str) -> bytes:
    if os.path.isabs(name):
        folder = os.path.realpath(os.path.dirname(name))
        name = os.path.relpath(os.path.join(folder, os.path.basename(name)), os.path.realpath(repository.worktree))
    return os.fsencode(name)


def _read_edit(fields: Any) -> Edit | None:
    if fields is None:
        return None
    values = dict(fields)
    kind = _EDITS[values.pop("kind")]
    for name, value in values.items():
        if type(value) is not _TYPES.get(name, str):
            raise TypeError(name)
    return kind(**values)
