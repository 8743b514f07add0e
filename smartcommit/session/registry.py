"""Which sessions there are in a working tree, what tree each began with, and which are dead."""

from __future__ import annotations

import os
import time

from smartcommit.errors import SmartcommitError
from smartcommit.record import Record
from smartcommit.session.store import name_file
from smartcommit.state_files import load_json, path, save_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.git.repo import Repository

# Characters of a session's id.
_LENGTH = 128


class Session(Record):
    """A session of a coding agent; times are Unix times, and `ended` is 0 while it lasts."""

    id: str
    product: str
    started: float
    ended: float = 0.0


def check_id(session: str) -> str:
    """Return `session`. Raise SmartcommitError if it is no id of a session: 1 to 128 printable characters."""
    if not 1 <= len(session) <= _LENGTH or not session.isprintable():
        raise SmartcommitError(
            "the session's id is not 1 to 128 printable characters", hint="pass the id that the coding agent gives"
        )
    return session


def start(repository: Repository, session: str, product: str) -> None:
    """Register a session."""
    check_id(session)
    if find(repository, session) is None:
        save_json(repository.git_dir, _name(session), Session(session, product, time.time()).as_dict())


def note(repository: Repository, session: str) -> None:
    """Remember that the session is alive; register it if it is unknown."""
    check_id(session)
    try:
        os.utime(path(repository.git_dir, _name(session)))
    except OSError:
        start(repository, session, "")


def find(repository: Repository, session: str) -> Session | None:
    """Return a session that is registered."""
    return load_json(repository.git_dir, _name(session), lambda fields: Session(**fields))


def _name(session: str) -> str:
    return os.path.join("ledger", "sessions", f"{name_file(session.encode())}.json")
