"""What an agent is told at the end of a turn: once until it commits, and only if its lines have several concerns."""

from __future__ import annotations

import hashlib
import shlex
import signal
from contextlib import contextmanager

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.session.ledger import open_ledger
from smartcommit.signals import handle_signals
from smartcommit.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from smartcommit.git.repo import Repository
    from smartcommit.session.ledger import SessionFile

# By session, at which HEAD an agent was told, and the lines that were planned. Only the newest are kept.
_TOLD = "agent-plans.json"
_KEPT = 20
# Seconds to wait for the ledger, and for a plan; every harness waits half a minute for a hook.
_PATIENCE = 5.0
_TIMEOUT = 18.0
_HEADERS = 12
_HEADER_LENGTH = 100


class _TimeOver(BaseException):
    """A plan takes too long; nothing that handles errors may hold it up."""


def find_reason(repository: Repository, session: str) -> str | None:
    """Return what to tell the agent about its uncommitted lines; None if there is nothing, or nothing new.

    An agent is told once until it has committed something: a turn ends many times while it works on a change.
    """
    known = state_files.load_json(repository.git_dir, _TOLD, dict) or {}
    head = repository.head() or ""
    told, lines = _read_known(known.get(session))
    if told == head:
        return None
    with open_ledger(repository, patience=_PATIENCE) as ledger:
        ledger.refresh()
        files = [file for file in ledger.list_files(session) if file.own]
    current = _identify(files)
    if not files or current == lines:
        return None
    headers = _plan(repository, session)
    if len(headers) > 1:
        told = head
    known.pop(session, None)
    known[session] = [told, current]
    state_files.save_json(repository.git_dir, _TOLD, dict(list(known.items())[-_KEPT:]))
    if len(headers) < 2:
        return None
    return "\n".join(_write_reason(headers, session))


def _write_reason(headers: Sequence[str], session: str) -> list[str]:
    lines = [f"Your uncommitted changes have {len(headers)} concerns:"]
    lines += [f"- {header}" for header in headers[:_HEADERS]]
    if len(headers) > _HEADERS:
        lines.append(f"- and {len(headers) - _HEADERS} more")
    lines.append("If you were asked to commit, CHECK being the command of the quick tests:")
    lines.append(f"next: smartcommit session commit --session {shlex.quote(session)} --exec 'CHECK'")
    lines.append("Otherwise commit nothing: tell the person of these concerns, and end your turn.")
    return lines


def _read_known(entry: object) -> tuple[str | None, str | None]:
    """Return HEAD when the session was told of its concerns, and its lines when they were last planned."""
    if isinstance(entry, list) and len(entry) == 2:
        return entry[0], entry[1]
    return None, None


def _identify(files: Sequence[SessionFile]) -> str:
    """Return a text that differs for other lines."""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(repr((file.path, file.base, file.composed)).encode())
    return digest.hexdigest()


def _plan(repository: Repository, session: str) -> list[str]:
    """Return the headers of the commits that the session's lines would become; none if that takes too long."""
    # Most turns end without a plan, and what it needs is heavy.
    from smartcommit.session.commits import plan

    try:
        with _limit_time(_TIMEOUT):
            commits = plan(repository, session).document.get("commits", [])
    except (SmartcommitError, OSError, MemoryError, _TimeOver):
        return []
    return [printable(commit["message"].partition("\n")[0])[:_HEADER_LENGTH] for commit in commits]


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    """Raise _TimeOver, as a signal would, if the block is not over after so many seconds."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TimeOver

    with handle_signals(stop, [signal.SIGALRM]):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
