"""What commands of coding agents have done: kept until the agent and the person are told, with what mends it.

If lines have vanished, their file is kept as it was before, so that one command brings them back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from smartcommit import state_files
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.git.query import ask
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.message.characters import printable
from smartcommit.record import Record
from smartcommit.session.losses import TakenLines
from smartcommit.session.worktree import is_own_place

_NAME = os.path.join("ledger", "findings.json")
_FOLDER = os.path.join("ledger", "lost")
# Seconds that a finding is kept.
_AGE = 14 * 24 * 3600.0
# Findings that are told at once.
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
    return state_files.load_json(git_dir, _NAME, lambda found: [Finding(**fields) for fields in found]) or []


def list_open(repository: Repository) -> list[Finding]:
    """Return the findings, without those about commits that no branch has any more, and about lines that are back."""
    findings = []
    for finding in read(repository.git_dir):
        is_open = True
        if finding.commits:
            options = (f"--contains={commit}" for commit in finding.commits)
            _, listing = ask(("branch", *options), directory=repository.worktree)
            is_open = bool(listing)
        elif finding.path:
            before = state_files.load(repository.git_dir, _name_content(finding.number, "before"))
            try:
                is_open = read_file(os.path.join(repository.worktree, finding.path)) != before
            except OSError:  # a directory by now, or unreadable
                is_open = True
        if is_open:
            findings.append(finding)
    return findings


def add(git_dir: str, session: str, text: str, following: str, *, commits: Sequence[str] = ()) -> None:
    """Keep a finding, unless the same is kept already."""
    findings = read(git_dir)
    if all(known.text != text or known.is_told for known in findings):
        number = _choose_number(findings)
        _save(git_dir, [*findings, Finding(number, session, text, following, time.time(), commits=commits)])


def add_lost(git_dir: str, session: str, lost: Sequence[TakenLines]) -> None:
    findings = read(git_dir)
    for lines in lost:
        number = _choose_number(findings)
        state_files.save(git_dir, _name_content(number, "before"), lines.before or b"")
        state_files.save(git_dir, _name_content(number, "after"), lines.after or b"")
        path = os.fsdecode(lines.path)
        text, following = f"lines of others are gone from '{printable(path)}'", f"smartcommit agents restore {number}"
        findings.append(Finding(number, session, text, following, time.time(), path))
    _save(git_dir, findings)


def tell(git_dir: str, session: str) -> str:
    """Return what the session was not told yet, with what mends it; the ledger must be locked."""
    findings = read(git_dir)
    lines = []
    for finding in findings:
        if finding.session == session and not finding.is_told:
            finding.is_told = True
            lines.append(f"{finding.text}\nnext: {finding.next}")
    if lines:
        _save(git_dir, findings)
    if len(lines) > _TOLD:
        lines[_TOLD:] = [f"and {len(lines) - _TOLD} more\nnext: smartcommit agents status"]
    return "\n".join(lines)


def restore(repository: Repository, number: int) -> str:
    """Bring back the lines of the finding `number` that vanished from a file; return its path.

    Raise SmartcommitError, with nothing changed, if there is none, if its file could not be kept, or if others have
    changed the same lines since.
    """
    git_dir = repository.git_dir
    path = ""
    for known in read(git_dir):
        if known.number == number:
            path = known.path
    if not path:
        raise SmartcommitError(f"no lines were lost as number {number}", hint="run 'smartcommit agents status'")
    before = state_files.find_path(git_dir, _name_content(number, "before"))
    after = state_files.find_path(git_dir, _name_content(number, "after"))
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
    return found[-1].number + 1 if found else 1


def _name_content(number: int, name: str) -> str:
    return os.path.join(_FOLDER, f"{number}.{name}")


def _save(git_dir: str, found: Sequence[Finding]) -> None:
    documents = []
    for finding in found:
        if finding.time > time.time() - _AGE:
            documents.append(finding.as_dict())
        elif finding.path:
            state_files.drop(git_dir, _name_content(finding.number, "before"))
            state_files.drop(git_dir, _name_content(finding.number, "after"))
    state_files.save_json(git_dir, _NAME, documents)
