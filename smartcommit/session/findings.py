"""What was seen after the commands of coding agents: kept until they and the person are told, with what mends it.

Of lines that have vanished the file is kept as it was, so that one command brings them back.
"""

from __future__ import annotations

import os
import time

from smartcommit import state_files
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.git.query import ask
from smartcommit.git.run import read_file
from smartcommit.message.characters import printable
from smartcommit.record import Record
from smartcommit.session.worktree import is_own_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from smartcommit.git.repo import Repository

_NAME = os.path.join("ledger", "findings.json")
_FOLDER = os.path.join("ledger", "lost")
# How many are kept, and for how many seconds.
_KEPT, _AGE = 30, 14 * 24 * 3600.0


class Finding(Record):
    """Something that a command has done: what, in one line, and the command that mends it.

    `session` is that of the agent, `time` a Unix time. `path` is that of a file with lines that vanished, else empty.
    `commits` are those that it is about, if any.
    """

    number: int
    session: str
    text: str
    next: str
    time: float
    path: str = ""
    is_told: bool = False
    commits: Sequence[str] = ()


def read(git_dir: str) -> list[Finding]:
    """Return the findings of a working tree, the first ones first."""
    if not os.path.exists(state_files.path(git_dir, _NAME)):
        return []
    return state_files.load_json(git_dir, _NAME, _read) or []


def list_open(repository: Repository) -> list[Finding]:
    """Return the findings but for commits that no branch has any more, and for lines that are back."""
    found = []
    for finding in read(repository.git_dir):
        is_open = True
        if finding.commits:
            options = [f"--contains={commit}" for commit in finding.commits]
            _, listing = ask(("branch", *options), directory=repository.worktree)
            is_open = bool(listing)
        elif finding.path:
            before = state_files.load(repository.git_dir, os.path.join(_FOLDER, f"{finding.number}.before"))
            is_open = read_file(os.path.join(repository.worktree, finding.path)) != before
        if is_open:
            found.append(finding)
    return found


def _read(loaded: Any) -> list[Finding]:
    return [Finding(**fields) for fields in loaded]


def add(git_dir: str, session: str, text: str, following: str, *, commits: Sequence[str] = ()) -> None:
    """Keep a finding, unless the same is kept already."""
    found = read(git_dir)
    if all(known.text != text or known.is_told for known in found):
        number = _choose_number(found)
        _save(git_dir, [*found, Finding(number, session, text, following, time.time(), commits=commits)])


def add_lost(git_dir: str, session: str, path: str, *, before: bytes | None, after: bytes | None) -> None:
    """Keep the bytes of a file whose lines have vanished: `before` and `after`, None for no file."""
    found = read(git_dir)
    number = _choose_number(found)
    for name, content in (("before", before), ("after", after)):
        state_files.save(git_dir, os.path.join(_FOLDER, f"{number}.{name}"), content or b"")
    text, following = f"lines of others are gone from '{printable(path)}'", f"smartcommit agents restore {number}"
    _save(git_dir, [*found, Finding(number, session, text, following, time.time(), path)])


def tell(git_dir: str, session: str) -> str:
    """Return what the session was not told yet, with the commands that mend it; empty if there is nothing."""
    found = read(git_dir)
    lines = []
    for finding in found:
        if finding.session == session and not finding.is_told:
            lines += [finding.text, f"next: {finding.next}"]
            finding.is_told = True
    if lines:
        _save(git_dir, found)
    return "\n".join(lines)


def restore(repository: Repository, number: int) -> str:
    """Bring back the lines of the finding `number` that vanished from a file; return its path.

    Raise SmartcommitError, with nothing changed, if there is none, or if others have changed the same lines since.
    """
    git_dir = repository.git_dir
    path = next((known.path for known in read(git_dir) if known.number == number and known.path), None)
    if path is None:
        raise SmartcommitError(f"no lines were lost as number {number}", hint="run 'smartcommit agents status'")
    before, after = (
        state_files.path(git_dir, os.path.join(_FOLDER, f"{number}.{name}")) for name in ("before", "after")
    )
    target = os.path.join(repository.worktree, path)
    if os.path.islink(target) or not is_own_place(repository, os.fsencode(path)):
        raise SmartcommitError(f"'{path}' is behind a link by now", hint=f"its former content is in '{before}'")
    try:
        if read_file(target) in (None, read_file(after)):
            content = read_file(before) or b""
        else:
            # It prints conflicts, and ends with their number.
            merged = repository.ended("merge-file", "-p", target, after, before, expected=range(256))
            if merged.returncode:
                raise SmartcommitError(
                    f"'{path}' has other changes in these lines by now", hint=f"its former content is in '{before}'"
                )
            content = merged.stdout
        os.makedirs(os.path.dirname(target), exist_ok=True)
        state_files.replace_file(target, content)
    except OSError as error:
        raise SmartcommitError(f"cannot write '{path}': {explain_os_error(error)}") from None
    return path


def _choose_number(found: Sequence[Finding]) -> int:
    return max((known.number for known in found), default=0) + 1


def _save(git_dir: str, found: Sequence[Finding]) -> None:
    """Save the newest of the findings; of others, what was kept goes."""
    kept = [finding for finding in found if finding.time > time.time() - _AGE][-_KEPT:]
    for finding in found:
        if finding not in kept:
            state_files.drop(git_dir, os.path.join(_FOLDER, f"{finding.number}.before"))
            state_files.drop(git_dir, os.path.join(_FOLDER, f"{finding.number}.after"))
    state_files.save_json(git_dir, _NAME, [finding.as_dict() for finding in kept])
