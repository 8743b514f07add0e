"""Messages that git or the executor writes, recognised by state and never by what can be typed."""

from __future__ import annotations

import os

from smartcommit import state_files
from smartcommit.git.query import ask
from smartcommit.message.cleanup import strip_space
from smartcommit.process_table import is_ancestor, started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A state file of git, and what is going on while it exists. Source: gitrepository-layout(5), git's branch.c and the
# table of operations in the tests. A cherry-pick is not among them: its message is one that somebody wrote.
_STATES = (("MERGE_HEAD", "a merge"), ("REVERT_HEAD", "a revert"), ("SQUASH_MSG", "a squashed merge"))
_AUTOSQUASH = ("fixup! ", "squash! ", "amend! ")
# How far back the target of a fixup is looked for, in commits.
_REACH = 2000


def by_state(git_dir: str) -> str | None:
    """What git says is going on that writes its own message, None where a person's message is being committed."""
    for name, what in _STATES:
        if os.path.exists(os.path.join(git_dir, name)):
            return what
    return None


def prove(head: str | None, message: bytes) -> bytes:
    """What shows, while it is kept as `store.PROOF`, that this process commits `message` on top of `head`."""
    pid = os.getpid()
    found = started(pid)
    return "\n".join([str(pid), found[1] if found else "", head or "", _digest(message), ""]).encode()


def by_proof(git_dir: str, message: bytes) -> str | None:
    """That the executor is committing the message file `message`: its proof is there, and all of it holds.

    The proof names a process and when it began, HEAD, and the message; that process must have started this one.
    """
    kept = state_files.load(git_dir, state_files.PROOF)
    if kept is None:
        return None
    pid, start, head, digest, *_ = [*kept.decode("ascii", "replace").split("\n"), "", "", "", ""]
    status, answer = ask(("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
    here = answer.decode("ascii", "replace").strip() if status == 0 else ""
    holds = digest == _digest(message) and head == here and pid.isdigit() and start and is_ancestor(int(pid), start)
    return "the executor" if holds else None


def _digest(message: bytes) -> str:
    import hashlib  # loads a cryptographic library, for the commits of the executor alone

    # However git is told to clean it, blanks alone never make another message.
    return hashlib.sha256(strip_space(message, b"").text).hexdigest()


def autosquash_target(subject: str) -> str | None:
    """The subject that a `fixup!`, `squash!` or `amend!` names, None where `subject` is no such thing."""
    target = subject
    while target.startswith(_AUTOSQUASH):
        target = target.partition(" ")[2]
    return target if target != subject else None


def has_target(target: str) -> bool:
    """Whether autosquash would find `target` among HEAD's last commits, by the subject's begin or the commit's name."""
    if not target.strip():
        return False
    # A signature that is shown would stand before the subject, and a file can be called HEAD.
    form = ("-z", "--format=%H %s", "--encoding=UTF-8", "--no-show-signature")
    status, log = ask(("log", f"-{_REACH}", *form, "HEAD", "--"))
    if status != 0:
        return False
    entries = log.decode("utf-8", "surrogateescape").split("\0")
    name = target.strip().lower()
    return any(_matches(entry, target, name) for entry in entries)


def _matches(entry: str, target: str, name: str) -> bool:
    commit, _, subject = entry.partition(" ")
    return subject.startswith(target) or (len(name) >= 4 and commit.startswith(name))


def without_prefix(lines: Sequence[str]) -> list[str]:
    """The message that an `amend!` puts in place of its target's: what stands below the first blank line."""
    body = list(lines[1:])
    while body and not body[0]:
        del body[0]
    return body
