"""What an agent is told at the end of a turn: what its commands did, and once until it commits of its concerns."""

from __future__ import annotations

from zlib import crc32

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.harness.afterwards import look
from smartcommit.harness.products import STOP
from smartcommit.message.characters import printable
from smartcommit.session import findings
from smartcommit.session.ledger import open_ledger
from smartcommit.session.written import forget_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from smartcommit.git.repo import Repository
    from smartcommit.harness.products import Product

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


def find_reason(repository: Repository, session: str, product: Product, began: int | None) -> str | None:
    """Return what to tell the agent at the end of its turn; None if there is nothing, or nothing new.

    A command that `began` and was not heard of again has ended. An agent is told of its concerns once until it has
    committed something: a turn ends many times while it works on a change.
    """
    known = state_files.load_json(repository.git_dir, _TOLD, dict) or {}
    told, lines = known.pop(session, (None, None))
    with open_ledger(repository, patience=_PATIENCE) as ledger:
        look(ledger, session, product, began, event=STOP)
        head = ledger.read_head()
        files = []
        if told != head:
            files = [file for file in ledger.list_files(session) if file.own]
        seen = findings.tell(repository.git_dir, session)
    forget_command(repository.git_dir, session)
    current = crc32(repr(files).encode())
    if not files or current == lines:
        return seen or None
    headers = []
    # One hunk is one concern, and what divides several takes long to load.
    if len(files) > 1 or files[0].is_scattered:
        headers = _plan(repository, session)
    reason = list(filter(None, [seen]))
    if len(headers) > 1:
        told = head
        reason += _write_reason(headers, session)
    known[session] = (told, current)
    state_files.save_json(repository.git_dir, _TOLD, dict(list(known.items())[-_KEPT:]))
    return "\n".join(reason) or None


def _write_reason(headers: Sequence[str], session: str) -> list[str]:
    lines = [f"Your uncommitted changes have {len(headers)} concerns:"]
    lines += [f"- {header}" for header in headers[:_HEADERS]]
    if len(headers) > _HEADERS:
        lines.append(f"- and {len(headers) - _HEADERS} more")
    lines.append("If you were asked to commit, CHECK being the command of the quick tests:")
    lines.append(f"next: smartcommit session commit --session {session} --exec 'CHECK'")
    lines.append("Otherwise commit nothing: tell the person of these concerns, and end your turn.")
    return lines


def _plan(repository: Repository, session: str) -> list[str]:
    # Most turns end without a plan, and what it needs is heavy.
    import signal

    from smartcommit.session.commits import plan
    from smartcommit.signals import handle_signals

    try:
        with handle_signals(_end, [signal.SIGALRM]):
            signal.setitimer(signal.ITIMER_REAL, _TIMEOUT)
            try:
                commits = plan(repository, session).document.get("commits", [])
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    except (SmartcommitError, OSError, MemoryError, _TimeOver):
        return []
    return [printable(commit["message"].partition("\n")[0])[:_HEADER_LENGTH] for commit in commits]


def _end(number: int, frame: FrameType | None) -> None:
    raise _TimeOver
