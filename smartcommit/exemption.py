"""Messages that git writes itself, recognised by git's state and never by what can be typed."""

from __future__ import annotations

import os

from smartcommit.git.query import ask

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
    status, log = ask(("log", f"-{_REACH}", "-z", "--format=%H %s", "--encoding=UTF-8", "HEAD"))
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
