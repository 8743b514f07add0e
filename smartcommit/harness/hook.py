"""What a harness runs for each of its events: JSON on standard input, an answer on standard output.

This is between the agent and each of its tools, so it loads little, and a bug of ours says nothing and stops nothing.
"""

from __future__ import annotations

import gc
import os
import sys

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.git.query import is_shadow, locate
from smartcommit.harness import events
from smartcommit.harness.products import AFTER, BEFORE, END, PRODUCTS, READ, SHELL, STOP
from smartcommit.processes import EXECUTION
from smartcommit.session.written import may_be_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.git.repo import Repository
    from smartcommit.harness.events import Notice
    from smartcommit.harness.guard import Refusal
    from smartcommit.harness.products import Product

# Bytes of an event that are read: a tool may write a large file.
_LIMIT = 32 << 20
# Seconds to wait for the ledger. Without a notice, lines are nobody's; the agent must not wait longer for that.
_PATIENCE = 5.0
_CONTEXT = """\
Other people's lines may be in this working tree, so commit yours alone, with --session {session}: \
'smartcommit session plan', then 'smartcommit session commit --plan - --exec CHECK'. The skill smartcommit says more."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer the event on standard input for the product that is named, and return 0 whatever happens."""
    if arguments is None:
        arguments = sys.argv[1:]
        gc.disable()  # the end of this process frees the memory
    product = PRODUCTS.get(next(iter(arguments), ""))
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
        sys.stdout.write(_write(answer) + "\n")
        sys.stdout.flush()
    return 0


def _answer(product: Product, data: bytes) -> dict[str, object] | None:
    """Return the answer to an event, None if there is none."""
    fields = _parse(data) if len(data) <= _LIMIT else None
    notice = events.read_notice(product, fields) if isinstance(fields, dict) else None
    place = _find_place(notice) if notice is not None else None
    if notice is None or place is None:
        return None
    directory, top = place
    if notice.kind == BEFORE and notice.tool == SHELL:
        refused = _refuse(product, notice)
        if refused is not None or not may_be_written(top):
            return refused
    # An agent of our executor has no session: the executor makes the commits.
    repository = None if EXECUTION in os.environ else _find_repository(directory)
    if repository is None:
        return None
    if notice.kind in (BEFORE, AFTER):
        _note(notice, repository)
        return None
    if notice.kind == STOP:
        from smartcommit.harness.stop import find_reason

        reason = None if notice.again else find_reason(repository, notice.session)
        return events.prolong(product, reason) if reason is not None else None
    return _begin_or_end(product, notice, repository)


def _refuse(product: Product, notice: Notice) -> dict[str, object] | None:
    """Return the answer that refuses a command, None if it may run."""
    refusal = _judge(notice)
    if refusal is None:
        return None
    return events.deny(product, f"{refusal.reason}\nnext: {_name_session(refusal.next, notice.session)}")


def _begin_or_end(product: Product, notice: Notice, repository: Repository) -> dict[str, object] | None:
    from shlex import quote

    from smartcommit.session.ledger import open_ledger

    with open_ledger(repository, patience=_PATIENCE) as ledger:
        if notice.kind == END:
            ledger.end(notice.session)
            return None
        ledger.start(notice.session, product=product.name)
    return events.tell(product, _CONTEXT.format(session=quote(notice.session)))


def _find_place(notice: Notice) -> tuple[str, str] | None:
    """Return the directory that an event is about and its top level, None outside of a working tree; without git.

    An agent may edit a file of another working tree.
    """
    directory = os.path.dirname(notice.changes[0].path) if notice.changes else notice.directory
    while not os.path.isdir(directory) and directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
    top = os.path.realpath(directory)
    while not os.path.lexists(os.path.join(top, ".git")):
        if top == os.path.dirname(top):
            return None
        top = os.path.dirname(top)
    return directory, top


def _find_repository(directory: str) -> Repository | None:
    """Return the repository around a directory, None if there is none or if a program keeps it to itself."""
    # Each event needs only some modules, and loading them takes most of the time: so here and below.
    from smartcommit.git.repo import Repository

    place = locate(directory)
    if place is None or is_shadow(place):
        return None
    return Repository.at(place)


def _judge(notice: Notice) -> Refusal | None:
    """Return why a command must not run, if it must not."""
    from smartcommit.harness.guard import judge

    def list_foreign(paths: Sequence[str] | None) -> Sequence[bytes]:
        from smartcommit.session.ledger import open_ledger

        repository = _find_repository(notice.directory)
        if repository is None:
            return []
        encoded = None if paths is None else [os.fsencode(path) for path in paths]
        with open_ledger(repository, patience=_PATIENCE) as ledger:
            return ledger.has_foreign_lines(notice.session, encoded)

    return judge(notice.command, directory=notice.directory, environment=os.environ, foreign=list_foreign)


def _name_session(command: str, session: str) -> str:
    """Return a command with the session for those of ours that need it: few harnesses tell their shell its id."""
    for verb in ("commit", "status"):
        own = f"smartcommit session {verb}"
        if own in command:
            from shlex import quote

            command = command.replace(own, f"{own} --session {quote(session)}", 1)
    return command


def _note(notice: Notice, repository: Repository) -> None:
    """Tell the ledger what a tool is about to do, or has done."""
    from smartcommit.session.ledger import UNKNOWN, open_ledger

    with open_ledger(repository, patience=_PATIENCE) as ledger:
        if notice.tool == SHELL:
            tell = ledger.before_shell if notice.kind == BEFORE else ledger.after_shell
            tell(notice.session, notice.call)
            return
        for change in notice.changes:
            path = _find_path(change.path, repository)
            if path is None:
                continue
            if notice.tool == READ:
                ledger.look(path)
            elif notice.kind == BEFORE:
                ledger.before_edit(notice.session, path, notice.call)
            else:
                original = change.original if change.has_original else UNKNOWN
                ledger.after_edit(notice.session, path, notice.call, change.edit, original=original)


def _find_path(path: str, repository: Repository) -> bytes | None:
    """Return a path below the top level, as git has it; None for what git does not keep."""
    top = os.path.realpath(repository.worktree)
    below = os.path.relpath(os.path.realpath(path), top)
    parts = below.split(os.sep)
    if parts[0] in (os.pardir, ".git", os.curdir):
        return None
    return os.fsencode(below)


def _write(value: object) -> str:
    """Return objects and strings as JSON, as `_parse` without the module `json`."""
    if isinstance(value, dict):
        members = [f"{_write(key)}: {_write(member)}" for key, member in value.items()]
        return "{" + ", ".join(members) + "}"
    letters = []
    for letter in str(value):
        plain = " " <= letter <= "~" and letter not in '"\\'
        letters.append(letter if plain else _escape(letter))
    return '"' + "".join(letters) + '"'


def _escape(letter: str) -> str:
    code = ord(letter)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


class _Context:
    """What the scanner of JSON asks for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


def _parse(data: bytes) -> object:
    """Return the value that JSON is, None if it is none.

    The module `json` loads `re`, which takes longer than everything else that most events need.
    """
    try:
        text = data.decode("utf-8").strip()
    except UnicodeDecodeError:
        return None
    try:
        from _json import make_scanner
    except ImportError:  # another Python than CPython
        from json import loads

        return loads(text)
    try:
        value, end = make_scanner(_Context())(text, 0)  # type: ignore[arg-type]
    except (ValueError, StopIteration, RecursionError):
        return None
    return value if end == len(text) else None
