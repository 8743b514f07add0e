"""What a harness runs for each of its events: JSON on standard input, an answer on standard output.

This is between the agent and each of its tools, so it loads little, and a bug of ours says nothing and stops nothing.
"""

from __future__ import annotations

import gc
import os
import sys

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.git.query import Place, is_shadow, locate
from smartcommit.git.run import read_file
from smartcommit.harness import events
from smartcommit.harness.products import AFTER, BEFORE, END, PRODUCTS, READ, SHELL, START, STOP
from smartcommit.json_text import dumps, loads
from smartcommit.processes import EXECUTION
from smartcommit.session import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.git.repo import Repository
    from smartcommit.harness.events import Change, Notice
    from smartcommit.harness.products import Product
    from smartcommit.session.ledger import Ledger

# Bytes of an event that are read: a tool may write a large file. No system has longer paths.
_LIMIT, _PATH_LENGTH = 32 << 20, 4096
# Seconds to wait for the ledger. Without a notice, lines are nobody's; the agent must not wait longer for that.
_PATIENCE = 5.0
# With one of these words, git's configuration may say where a working tree is, or what names objects have.
_SPECIAL = (b"include", b"objectformat", b"worktree")
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
        answer = _answer(product, sys.stdin.buffer.read(_LIMIT + 1))
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
        fields = None
    notice = None
    if isinstance(fields, dict) and len(data) <= _LIMIT:
        notice = events.read_notice(product, fields)
    top = _find_top(notice)
    if notice is None or top is None:
        return None
    is_command = notice.tool == SHELL and notice.kind == BEFORE
    refused = None
    if is_command:
        refused = _refuse(product, notice)
    # An agent of our executor has no session: the executor makes the commits.
    if refused is not None or EXECUTION in os.environ:
        return refused
    git_dir = written.find_git_dir(top)
    began = written.find_command(git_dir, notice.session)
    if is_command and began is None and not written.is_moved(git_dir) and not written.may_be_written(top, git_dir):
        written.note_command(git_dir, notice.session)
        return None
    place = _read_place(top, git_dir) or locate(top)
    if place is None or is_shadow(place):
        return None
    # Each event needs only some modules, and loading them takes most of the time: so here and below.
    from smartcommit.git.repo import Repository

    return _take(product, notice, Repository.at(place), began)


def _take(product: Product, notice: Notice, repository: Repository, began: int | None) -> dict[str, object] | None:
    """Take over what an event says, and return the answer; a command `began` before of which no end is known."""
    if notice.kind in (BEFORE, AFTER):
        return _note(product, notice, repository, began)
    if notice.kind == STOP and not notice.again:
        from smartcommit.harness.stop import find_reason

        reason = find_reason(repository, notice.session, product, began)
        if reason is None:
            return None
        return events.prolong(product, reason)
    written.forget_command(repository.git_dir, notice.session)
    if notice.kind == STOP:
        return None
    return _begin_or_end(product, notice, repository)


def _refuse(product: Product, notice: Notice) -> dict[str, object] | None:
    if not notice.command:
        return None
    from smartcommit.harness.guard import judge

    refusal = judge(notice.command, directory=notice.directory, session=notice.session)
    if refusal is None:
        return None
    return events.deny(product, f"{refusal.reason}\nnext: {refusal.next.format(session=notice.session)}")


def _begin_or_end(product: Product, notice: Notice, repository: Repository) -> dict[str, object] | None:
    from smartcommit import receipts
    from smartcommit.harness.afterwards import look
    from smartcommit.session import registry
    from smartcommit.session.ledger import open_ledger

    with open_ledger(repository, patience=_PATIENCE) as ledger:
        if notice.kind == END:
            ledger.end(notice.session)
            if not registry.is_any_alive(repository.common_dir):
                receipts.end(repository.common_dir)
            return None
        ledger.start(notice.session, product=product.name)
        ledger.refresh()
        look(ledger, notice.session, product, None, event=notice.kind)
    return events.tell(product, START, _CONTEXT.format(session=notice.session))


def _find_top(notice: Notice | None) -> str | None:
    """Return the top level of what an event is about, None outside of a working tree; without git.

    An agent may edit a file of another working tree.
    """
    if notice is None:
        return None
    top = notice.directory
    if notice.changes:
        top = os.path.dirname(notice.changes[0].path)
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
    """Return where the repository of a working tree is, None if git has to be asked; without git.

    It has to be where the configuration says something special.
    """
    common_dir = git_dir
    named = read_file(os.path.join(git_dir, "commondir"))
    if named is not None:
        common_dir = os.path.realpath(os.path.join(git_dir, os.fsdecode(named.strip())))
    config = (read_file(os.path.join(common_dir, "config")) or b"").lower()
    if not config or any(word in config for word in _SPECIAL):
        return None
    return Place(top, git_dir, common_dir, "sha1")


def _note(product: Product, notice: Notice, repository: Repository, began: int | None) -> dict[str, object] | None:
    """Tell the ledger what a tool is about to do, or has done; return what the agent is told of what was seen.

    A command has `began` before, if any, and ended now or without notice.
    """
    from smartcommit.session.ledger import open_ledger

    is_command = notice.tool == SHELL
    if is_command and notice.kind == AFTER:
        began = began or 0
    with open_ledger(repository, patience=_PATIENCE) as ledger:
        if began is not None or is_command:
            from smartcommit.harness.afterwards import look

            look(ledger, notice.session, product, began, event=notice.kind)
        if is_command and notice.kind == BEFORE:
            ledger.before_shell(notice.session)
        for change in notice.changes:
            _note_change(ledger, notice, change)
        told = ""
        if notice.kind == AFTER:
            from smartcommit.session import findings

            told = findings.tell(repository.git_dir, notice.session)
    # Not before: if the ledger was locked, the next event has to look.
    written.forget_command(repository.git_dir, notice.session)
    if is_command and notice.kind == BEFORE:
        written.note_command(repository.git_dir, notice.session)
    if not told:
        return None
    return events.tell(product, AFTER, told)


def _note_change(ledger: Ledger, notice: Notice, change: Change) -> None:
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
