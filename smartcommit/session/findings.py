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
    from smartcommit.session.ledger import Taken

_NAME = os.path.join("ledger", "findings.json")
_FOLDER = os.path.join("ledger", "lost")
# How many are kept, how many files with lines that vanished, and for how many seconds.
_KEPT, _KEPT_LOST, _AGE = 30, 1000, 14 * 24 * 3600.0
# How many are told at once.
_TOLD = 10


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
            try:
                is_open = read_file(os.path.join(repository.worktree, finding.path)) != before
            except OSError:  # a directory by now, or unreadable
                is_open = True
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


def add_lost(git_dir: str, session: str, lost: Sequence[Taken]) -> None:
    """Keep the bytes of files whose lines have vanished, before and after."""
    found = read(git_dir)
    for taken in lost:
        number = _choose_number(found)
        for name, content in (("before", taken.before), ("after", taken.after)):
            state_files.save(git_dir, os.path.join(_FOLDER, f"{number}.{name}"), content or b"")
        path = os.fsdecode(taken.path)
        text, following = f"lines of others are gone from '{printable(path)}'", f"smartcommit agents restore {number}"
        found.append(Finding(number, session, text, following, time.time(), path))
    _save(git_dir, found)


def tell(git_dir: str, session: str) -> str:
    """Return what the session was not told yet, with the commands that mend it; empty if there is nothing.

    The ledger is locked: another session may tell at the same time.
    """
    found = read(git_dir)
    new = [finding for finding in found if finding.session == session and not finding.is_told]
    lines = []
    for finding in new:
        finding.is_told = True
    for finding in new[:_TOLD]:
        lines += [finding.text, f"next: {finding.next}"]
    if len(new) > _TOLD:
        lines += [f"and {len(new) - _TOLD} more", "next: smartcommit agents status"]
    if new:
        _save(git_dir, found)
    return "\n".join(lines)


def restore(repository: Repository, number: int) -> str:
    """Bring back the lines of the finding `number` that vanished from a file; return its path.

    Raise SmartcommitError, with nothing changed, if there is none, if its file could not be kept, or if others have
    changed the same lines since.
    """
    git_dir = repository.git_dir
    path = next((known.path for known in read(git_dir) if known.number == number and known.path), None)
    if path is None:
        raise SmartcommitError(f"no lines were lost as number {number}", hint="run 'smartcommit agents status'")
    before, after = (
        state_files.path(git_dir, os.path.join(_FOLDER, f"{number}.{name}")) for name in ("before", "after")
    )
    content = read_file(before)
    if content is None:
        raise SmartcommitError(f"the former content of '{path}' could not be kept", hint="the disk may have been full")
    target = os.path.join(repository.worktree, path)
    if os.path.islink(target) or not is_own_place(repository, os.fsencode(path)):
        raise SmartcommitError(f"'{path}' is behind a link by now", hint=f"its former content is in '{before}'")
    try:
        if read_file(target) not in (None, read_file(after)):
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
    recent = [finding for finding in found if finding.time > time.time() - _AGE]
    lost = [finding for finding in recent if finding.path][-_KEPT_LOST:]
    others = [finding for finding in recent if not finding.path][-_KEPT:]
    kept = sorted([*lost, *others], key=lambda finding: finding.number)
    numbers = {finding.number for finding in kept}
    for finding in found:
        if finding.number not in numbers:
            state_files.drop(git_dir, os.path.join(_FOLDER, f"{finding.number}.before"))
            state_files.drop(git_dir, os.path.join(_FOLDER, f"{finding.number}.after"))
    state_files.save_json(git_dir, _NAME, [finding.as_dict() for finding in kept])
