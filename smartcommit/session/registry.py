"""Which sessions there are in a working tree, and which are dead.

A session is dead if no tool of it was noticed for two weeks, or if it has ended and nothing uncommitted is its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection

from smartcommit.coding_agent import find_session
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.record import Record
from smartcommit.session.store import name_file
from smartcommit.session.worktree import read_branch
from smartcommit.state_files import drop, find_path, load_json, save_json

# Seconds after which a session without a notice is dead.
DEAD_AFTER = 14 * 24 * 3600.0
# Characters of a session's id.
_LENGTH = 128
_FOLDER = os.path.join("ledger", "sessions")


class Session(Record):
    """A session that commits upon `branch`; `ended` is 0 while it lasts.

    `task` is the last instruction in a person's prompts, in one line, and is kept no longer than the session lasts. It
    was given when `commits` had been made here.
    """

    id: str
    product: str
    branch: str
    started: float
    ended: float = 0.0
    task: str = ""
    commits: int = 0


def check_id(session: str) -> str:
    """Return `session`. Raise SmartcommitError if it is no id of a session: 1 to 128 printable characters."""
    if not 1 <= len(session) <= _LENGTH or not session.isprintable():
        raise SmartcommitError(
            "the session's id is not 1 to 128 printable characters", hint="pass the id that the coding agent gives"
        )
    return session


def start(repository: Repository, session: str, product: str) -> bool:
    """Register a session, or one that has ended again; return whether it is new."""
    entry = find(repository, check_id(session))
    if entry is None or entry.ended:
        _save(repository, Session(session, product, read_branch(repository), time.time()))
    return entry is None


def note(repository: Repository, session: str) -> None:
    """Note that a session is alive; register it if it is not known."""
    check_id(session)
    try:
        os.utime(find_path(repository.git_dir, _name(session)))
    except OSError:
        start(repository, session, "")


def end(repository: Repository, session: str) -> None:
    """Note that a session has ended; its task is forgotten."""
    entry = find(repository, check_id(session))
    if entry is not None:
        entry.ended, entry.task = time.time(), ""
        _save(repository, entry)


def note_task(repository: Repository, session: str, task: str) -> None:
    """Remember what a person has asked a session's agent for, as long as the session lasts."""
    entry = find(repository, check_id(session))
    if entry is not None and not entry.ended:
        entry.task, entry.commits = task, _count_commits(repository)
        _save(repository, entry)


def read_task(repository: Repository, session: str) -> str:
    """Return what a session's agent was asked for last; empty once something was committed."""
    entry = find(repository, session)
    if entry is None or entry.commits != _count_commits(repository):
        return ""
    return entry.task


def move(repository: Repository, known: Session) -> None:
    """Let a session commit upon the branch that is checked out from now on."""
    known.branch = read_branch(repository)
    _save(repository, known)


def find(repository: Repository, session: str) -> Session | None:
    return _load(repository.git_dir, _name(session))


def choose(repository: Repository, session: str | None, *, begins: bool) -> str:
    """Return the id `session`, else that of the coding agent around, else of the only session that lasts.

    Raise SmartcommitError if there is none, or, naming them, if several last. One that `begins` needs an id of its own.
    """
    session = session or find_session()
    if session is not None:
        return check_id(session)
    if begins:
        raise SmartcommitError("no session", hint="pass its id as --session ID")
    lasting = list_lasting(repository.git_dir)
    if not lasting:
        raise SmartcommitError("no session", hint="begin one with 'smartcommit session start --session ID'")
    if len(lasting) > 1:
        names = ", ".join(f"'{entry.id}' of {entry.product or 'an agent'}" for entry in lasting)
        raise SmartcommitError(f"{len(lasting)} sessions are at work here: {names}", hint="pass yours as --session ID")
    return lasting[0].id


def list_sessions(git_dir: str) -> list[Session]:
    sessions = []
    for name in _list_names(git_dir):
        session = _load(git_dir, name)
        if session is not None:
            sessions.append(session)
    return sorted(sessions, key=lambda session: session.started)


def list_lasting(git_dir: str) -> list[Session]:
    return [session for session in list_sessions(git_dir) if not session.ended]


def is_any_alive(common_dir: str) -> bool:
    git_dirs = [common_dir]
    linked = os.path.join(common_dir, "worktrees")
    if os.path.isdir(linked):
        git_dirs += [item.path for item in os.scandir(linked)]
    return any(list_lasting(git_dir) for git_dir in git_dirs)


def remove_dead(repository: Repository, owners: Collection[str]) -> None:
    """Remove dead sessions; `owners` are the sessions with uncommitted lines."""
    for name in _list_names(repository.git_dir):
        session = _load(repository.git_dir, name)
        age = time.time() - os.stat(find_path(repository.git_dir, name)).st_mtime
        if session is None or age > DEAD_AFTER or (session.ended and session.id not in owners):
            drop(repository.git_dir, name)


def _load(git_dir: str, name: str) -> Session | None:
    return load_json(git_dir, name, lambda fields: Session(**fields))


def _save(repository: Repository, session: Session) -> None:
    if not save_json(repository.git_dir, _name(session.id), session.as_dict()):
        raise SmartcommitError("cannot write the ledger of sessions", hint="check that the git directory is writable")


def _list_names(git_dir: str) -> list[str]:
    try:
        names = os.listdir(find_path(git_dir, _FOLDER))
    except OSError:
        return []
    return [os.path.join(_FOLDER, name) for name in sorted(names) if name.endswith(".json")]


def _name(session: str) -> str:
    return os.path.join(_FOLDER, f"{name_file(os.fsencode(session))}.json")


def _count_commits(repository: Repository) -> int:
    """Return how many commits HEAD's reflog knows that `git commit` has made; 0 if there is none, or not in files."""
    return (read_file(os.path.join(repository.git_dir, "logs", "HEAD")) or b"").count(b"\tcommit")
