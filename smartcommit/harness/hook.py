"""What a harness runs for each of its events: JSON on standard input, an answer on standard output.

This is between the agent and each of its tools, so it loads little, and a bug of ours says nothing and stops nothing.
"""

from __future__ import annotations

import gc
import os
import sys
from zlib import crc32

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.git.query import Place, is_found_from, locate
from smartcommit.git.run import read_file
from smartcommit.harness import events
from smartcommit.harness.products import AFTER, BEFORE, END, PATIENCE, PRODUCTS, PROMPT, READ, SHELL, START, STOP
from smartcommit.json_text import dumps, loads
from smartcommit.message.characters import printable
from smartcommit.processes import EXECUTION
from smartcommit.session import last_look
from smartcommit.session.last_look import LOOKED, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from smartcommit.git.repo import Repository
    from smartcommit.harness.events import Notice, ToolChange
    from smartcommit.harness.products import Product
    from smartcommit.session.ledger import Ledger

# Larger events are not read: a tool may write a large file.
_MAX_BYTES = 32 << 20
# No system has longer paths.
_PATH_LENGTH = 4096
# A configuration with one of these may say where the working tree is, or how objects are named: git is asked then.
_SPECIAL = (b"include", b"objectformat", b"worktree")
# What agents were told at the end of a turn.
_PLANS = "agent-plans.json"
# Maximum sessions in that file: the newest are kept.
_SESSIONS_KEPT = 20
# Seconds that a plan may take; every harness waits half a minute for a hook.
_PLAN_SECONDS = 18.0
# Headers of a plan that an agent is told of, and characters of each.
_HEADERS_SHOWN = 12
_HEADER_LENGTH = 100
_CONTEXT = """\
Other people's lines may be in this working tree, so commit yours alone, with --session {session}: \
'smartcommit session plan', then 'smartcommit session commit --plan - --exec CHECK'. The skill smartcommit says more."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer the event on standard input for the product that is named, and return 0 whatever happens."""
    if arguments is None:
        gc.disable()
        main(sys.argv[1:])
        os._exit(0)  # the end of this process frees the memory, and faster than Python does
    product = PRODUCTS.get("".join(arguments))
    if product is None:
        print(f"usage: smartcommit-agent-hook {'|'.join(PRODUCTS)} < EVENT", file=sys.stderr)
        return 0
    try:
        answer = _answer(product, sys.stdin.buffer.read(_MAX_BYTES + 1))
    except SmartcommitError:
        # git or the ledger cannot be used now; the harness would show the reason with each call.
        answer = None
    except Exception:  # a bug of ours must not stop an agent; a harness may take any status for a refusal
        place = locate()
        if place is not None:
            state_files.save_traceback(place.git_dir)
        answer = None
    if answer is not None:
        sys.stdout.write(dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


def _answer(product: Product, data: bytes) -> dict[str, object] | None:
    try:
        fields = loads(data.decode())
    except ValueError:
        return None
    if not isinstance(fields, dict) or len(data) > _MAX_BYTES:
        return None
    notice = events.read_notice(product, fields)
    top = None if notice is None else _find_top(notice)
    if notice is None or top is None:
        return None
    # Each event needs only some modules, and loading them takes most of the time: so here and below.
    is_command = notice.tool == SHELL and notice.kind == BEFORE
    if is_command and notice.command:
        from smartcommit.harness.guard import judge

        refusal = judge(notice.command, directory=notice.directory, session=notice.session)
        if refusal is not None:
            return events.deny(product, f"{refusal.reason}\nnext: {refusal.next.format(session=notice.session)}")
    # An agent of our executor has no session: the executor makes the commits.
    if EXECUTION in os.environ:
        return None
    git_dir = last_look.find_git_dir(top)
    began = last_look.find_mark(git_dir, RUNNING, notice.session)
    if notice.kind not in (BEFORE, AFTER):
        last_look.drop_mark(git_dir, LOOKED, notice.session)
    has_to_look = not is_command or began is not None or last_look.find_mark(git_dir, LOOKED, notice.session) is None
    # Before a command the ledger looks at what was written: only then is it seen afterwards what that did to new lines.
    if not (has_to_look or last_look.is_moved(git_dir) or last_look.may_be_written(top, git_dir)):
        last_look.set_mark(git_dir, RUNNING, notice.session)
        return None
    place = _read_place(top, git_dir) or locate(top)
    if place is None or not is_found_from(place.worktree, place.git_dir):
        return None  # agents keep their checkpoints in repositories of their own
    from smartcommit.git.repo import Repository

    return _handle(product, notice, Repository.at(place), began)


def _handle(product: Product, notice: Notice, repository: Repository, began: int | None) -> dict[str, object] | None:
    """Take over what an event says, and return the answer; a command `began` before of which no end is known."""
    if notice.kind in (BEFORE, AFTER):
        return _note_tool(product, notice, repository, began)
    if notice.kind == PROMPT:
        from smartcommit.session.task import note_prompt

        note_prompt(repository, notice.session, notice.prompt)
        return None
    if notice.kind == STOP and not notice.again:
        reason = find_reason(repository, notice.session, product, began)
        return events.prolong(product, reason) if reason is not None else None
    last_look.drop_mark(repository.git_dir, RUNNING, notice.session)
    if notice.kind == STOP:
        return None
    from smartcommit import receipts
    from smartcommit.harness.afterwards import look
    from smartcommit.session import registry
    from smartcommit.session.ledger import Ledger

    with Ledger(repository, patience=PATIENCE) as ledger:
        if notice.kind == END:
            ledger.end(notice.session)
            if not registry.is_any_alive(repository.common_dir):
                receipts.end(repository.common_dir)
            return None
        ledger.start(notice.session, product=product.name)
        ledger.refresh()
        look(ledger, notice.session, product, None, event=notice.kind)
    return events.tell(product, START, _CONTEXT.format(session=notice.session))


def _find_top(notice: Notice) -> str | None:
    """Return the top level of the working tree that an event is about, which may be another one; without git."""
    top = os.path.dirname(notice.changes[0].path) if notice.changes else notice.directory
    try:
        top = os.path.realpath(top[:_PATH_LENGTH])
    except ValueError:
        # No path has a null character or half of a character.
        return None
    while not os.path.lexists(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return None
        top = os.path.dirname(top)
    return top


def _read_place(top: str, git_dir: str) -> Place | None:
    """Return where a repository is, None if git has to be asked since the configuration says something special."""
    common_dir = last_look.find_common_dir(git_dir)
    config = (read_file(os.path.join(common_dir, "config")) or b"").lower()
    if not config or any(word in config for word in _SPECIAL):
        return None
    return Place(top, git_dir, common_dir, "sha1")


def _note_tool(product: Product, notice: Notice, repository: Repository, began: int | None) -> dict[str, object] | None:
    """Tell the ledger of a tool, and return what the agent is told; a command `began` before, if any, and has ended."""
    from smartcommit.session.ledger import Ledger

    is_command = notice.tool == SHELL
    if is_command and notice.kind == AFTER:
        began = began or 0
    with Ledger(repository, patience=PATIENCE) as ledger:
        if began is not None or is_command:
            from smartcommit.harness.afterwards import look

            look(ledger, notice.session, product, began, event=notice.kind)
        if is_command and notice.kind == BEFORE:
            is_first = last_look.find_mark(repository.git_dir, LOOKED, notice.session) is None
            ledger.before_shell(notice.session, is_first=is_first)
            last_look.set_mark(repository.git_dir, LOOKED, notice.session)
        for change in notice.changes:
            _note_change(ledger, notice, change)
        text = ""
        if notice.kind == AFTER:
            from smartcommit.session import findings

            text = findings.tell(repository.git_dir, notice.session)
    # Not before: if the ledger was locked, the next event has to look.
    last_look.drop_mark(repository.git_dir, RUNNING, notice.session)
    if is_command and notice.kind == BEFORE:
        last_look.set_mark(repository.git_dir, RUNNING, notice.session)
    if not text:
        return None
    return events.tell(product, AFTER, text)


def _note_change(ledger: Ledger, notice: Notice, change: ToolChange) -> None:
    below = os.path.relpath(os.path.realpath(change.path), ledger.repository.worktree)
    path = os.fsencode(below)
    if below.split(os.sep)[0] in (os.pardir, ".git", os.curdir):
        # git does not keep it.
        return
    if notice.tool == READ:
        ledger.look(path)
    elif notice.kind == BEFORE:
        ledger.before_edit(notice.session, path, notice.call)
    else:
        ledger.after_edit(notice.session, path, notice.call, change.edit, original=change.original)


class _TimeOver(BaseException):
    """A plan takes too long; nothing that handles errors may hold it up."""


def find_reason(repository: Repository, session: str, product: Product, began: int | None) -> str | None:
    """Return why the agent should not end its turn yet; None if there is no reason, or no new one.

    A command that `began` and was not heard of again has ended. An agent is told of its concerns once until it has
    committed something: a turn ends many times while it works on a change.
    """
    from smartcommit.harness.afterwards import look
    from smartcommit.session import findings
    from smartcommit.session.ledger import Ledger

    # By session, at which HEAD it was told of its concerns, and the checksum of the lines that were planned.
    plans = state_files.load_json(repository.git_dir, _PLANS, dict) or {}
    told_at, planned = plans.pop(session, (None, None))
    with Ledger(repository, patience=PATIENCE) as ledger:
        look(ledger, session, product, began, event=STOP)
        head = ledger.read_head()
        files = []
        if told_at != head:
            files = [file for file in ledger.list_files(session) if file.own]
        news = findings.tell(repository.git_dir, session)
    last_look.drop_mark(repository.git_dir, RUNNING, session)
    checksum = crc32(repr(files).encode())
    if not files or checksum == planned:
        return news or None
    headers: Sequence[str] = ()
    # One hunk is one concern, and what divides several takes long to load.
    if len(files) > 1 or files[0].is_scattered:
        headers = _plan_headers(repository, session)
    reason = [news] if news else []
    if len(headers) > 1:
        told_at = head
        reason.append(f"Your uncommitted changes have {len(headers)} concerns:")
        reason += [f"- {header}" for header in headers[:_HEADERS_SHOWN]]
        if len(headers) > _HEADERS_SHOWN:
            reason.append(f"- and {len(headers) - _HEADERS_SHOWN} more")
        reason.append("If you were asked to commit, CHECK being the command of the quick tests:")
        reason.append(f"next: smartcommit session commit --session {session} --exec 'CHECK'")
        reason.append("Otherwise commit nothing: tell the person of these concerns, and end your turn.")
    plans[session] = (told_at, checksum)
    state_files.save_json(repository.git_dir, _PLANS, dict(list(plans.items())[-_SESSIONS_KEPT:]))
    return "\n".join(reason) or None


def _plan_headers(repository: Repository, session: str) -> list[str]:
    # Most turns end without a plan, and what it needs is heavy.
    import signal

    from smartcommit.session.commits import plan
    from smartcommit.signals import handle_signals

    try:
        with handle_signals(_stop_planning, [signal.SIGALRM]):
            signal.setitimer(signal.ITIMER_REAL, _PLAN_SECONDS)
            try:
                commits = plan(repository, session).document.get("commits", [])
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    except (SmartcommitError, OSError, MemoryError, _TimeOver):
        return []
    return [printable(commit["message"].partition("\n")[0])[:_HEADER_LENGTH] for commit in commits]


def _stop_planning(number: int, frame: FrameType | None) -> None:
    raise _TimeOver
