"""Judging what is recorded already: the only place where the result of a squash is ever seen."""

from __future__ import annotations

from collections.abc import Iterator

from smartcommit.check import Verdict, judge
from smartcommit.exemption import autosquash_target
from smartcommit.git.grep import matches
from smartcommit.git.log import Recorded, messages, subjects
from smartcommit.message.cleanup import WHITESPACE, Cleaning
from smartcommit.message.report import place
from smartcommit.message.rules import Rules
from smartcommit.message.violation import Violation

_CLEANING = Cleaning(WHITESPACE, editor=False)
_NAME = 12


def judge_range(revisions: str, rules: Rules) -> Iterator[tuple[str, Verdict]]:
    """The verdict on every message of `revisions`, each with the short name of its commit.

    A merge is git's own where the commit has two parents, a revert where the commit it names exists and has the subject
    it quotes. What was meant for autosquash is refused.

    Raises: GitError when git does not know the revisions.
    """
    reverts: list[tuple[Recorded, str, str]] = []
    for recorded in messages(revisions):
        reverted = _reverted(recorded.message) if recorded.message.startswith((b"Revert ", b"Reapply ")) else None
        if recorded.parents > 1:
            yield recorded.commit[:_NAME], Verdict(recorded.message, [], exempt="a merge")
        elif reverted is not None:
            reverts.append((recorded, *reverted))
        else:
            yield recorded.commit[:_NAME], _judge(recorded.message, rules)
    known = subjects(commit for _, commit, _ in reverts)
    for recorded, commit, subject in reverts:
        if known.get(commit) == subject:
            yield recorded.commit[:_NAME], Verdict(recorded.message, [], exempt="a revert")
        else:
            yield recorded.commit[:_NAME], _judge(recorded.message, rules)


def judge_recorded(message: bytes, rules: Rules) -> Verdict:
    """The verdict on a message that is recorded as it stands, in UTF-8."""
    return _judge(message, rules)


def _judge(message: bytes, rules: Rules) -> Verdict:
    subject = message.partition(b"\n")[0].decode("utf-8", "surrogateescape")
    if autosquash_target(subject) is not None:
        violation = Violation(
            "autosquash", 0, 0, "an autosquash was left over", expected="'git rebase -i --autosquash'"
        )
        return Verdict(message, [subject], place([violation], rules, [1]))
    return judge(message, range(1, message.count(b"\n") + 2), _CLEANING, rules=rules, search=matches)


def _reverted(message: bytes) -> tuple[str, str] | None:
    """The commit that git's own text of a revert names and the subject it quotes."""
    text = message.decode("utf-8", "surrogateescape")
    subject, _, body = text.partition("\n")
    quoted = subject.partition(' "')[2].removesuffix('"')
    if subject.startswith("Reapply "):
        quoted = f'Revert "{quoted}"'
    marker = "This reverts commit "
    position = body.find(marker)
    commit = body[position + len(marker) :].split(".", 1)[0].split(",", 1)[0].strip() if position >= 0 else ""
    if len(commit) not in (40, 64) or commit.strip("0123456789abcdef"):
        return None
    return commit, quoted
