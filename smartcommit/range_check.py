"""The messages of commits that are made already, each judged by the rules and compared with what its commit changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from functools import partial

from smartcommit.claims.compare import find_violations
from smartcommit.claims.ranges import read_changes
from smartcommit.errors import GitError
from smartcommit.git.grep import matches
from smartcommit.git.objects import RecordedMessage, read_messages
from smartcommit.git.own_headers import find_named, find_origin, read_named
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.message.checks import find_autosquash_target
from smartcommit.message.cleanup import WHITESPACE, Cleaned, Cleaning
from smartcommit.message.parse import Parsed
from smartcommit.message.rules import Rules, Violation
from smartcommit.verdict import CheckResult, check_recorded, reject

Compare = Callable[[Parsed], Sequence[Violation]]
CLEANING = Cleaning(WHITESPACE)
# Characters of a commit's id that name it in the output.
NAME_LENGTH = 12
# How a message of the executor begins, if its agent has suggested none.
_CLAIM = b"[rafa] Complete task "


def check_range(revisions: Sequence[str], rules: Rules) -> Iterator[tuple[str, CheckResult]]:
    """Yield the verdict on every message of `revisions`; what history proves to be git's or the executor's, passes."""
    naming: list[tuple[RecordedMessage, str]] = []
    # Brackets are part of the names of bots.
    patterns = [pattern.lower().replace("[", "[[]") for pattern in rules.exempt_authors]
    changes = _read_changes(revisions, rules)
    for recorded in read_messages(*revisions):
        commit, compare_it = next(changes)
        if commit != recorded.commit:  # a branch has moved since its messages were read
            compare_it = None
        exempt = find_origin(recorded.message, recorded.parents, {})
        named = find_named(recorded.message)
        if exempt is None and any(fnmatch(recorded.author.lower(), pattern) for pattern in patterns):
            exempt = f"by {printable(recorded.author)}"
        if exempt is None and named is not None:
            naming.append((recorded, named.commit))
            continue
        if exempt is None and _is_executors(recorded):
            exempt = "the executor"
        verdict = CheckResult(recorded.message, [], exempt=exempt)
        if exempt is None:
            verdict = judge_recorded(recorded.message, rules, compare_it)
        yield recorded.commit[:NAME_LENGTH], verdict
    commits_named = read_named(commit for _, commit in naming)
    for recorded, _ in naming:
        origin = find_origin(recorded.message, recorded.parents, commits_named)
        verdict = CheckResult(recorded.message, [], exempt=origin)
        if origin is None:
            verdict = judge_recorded(recorded.message, rules)
        yield recorded.commit[:NAME_LENGTH], verdict


def _read_changes(revisions: Sequence[str], rules: Rules) -> Iterator[tuple[str, Compare | None]]:
    """Yield each commit of `revisions` with how its message is compared with its change; without end, None at last."""
    if not rules.is_off("claims"):
        try:
            for commit, change in read_changes(*revisions):
                yield commit, partial(find_violations, change=change)
        except GitError as error:
            # The messages can be checked without it, and tell what is wrong with the revisions.
            print(f"smartcommit: warning: claims are not compared: {error}", file=sys.stderr)
    while True:
        yield "", None


def _is_executors(recorded: RecordedMessage) -> bool:
    """Whether the executor made a commit: it changes a plan, and has the form of its messages, which proves nothing."""
    if b"\n" in recorded.message.strip() or not recorded.message.startswith(_CLAIM):
        return False
    from smartcommit.executor.task_message import changes_plan  # few commits are made by the executor

    return changes_plan(Repository.find(), recorded.commit)


def judge_recorded(message: bytes, rules: Rules, compare: Compare | None = None) -> CheckResult:
    subject = message.partition(b"\n")[0].decode("utf-8", "surrogateescape")
    if find_autosquash_target(subject) is not None:
        text, expected = "unsquashed fixup, squash or amend commit", "no such commit; run 'git rebase -i --autosquash'"
        return reject(message, rules, Violation("autosquash", 0, 0, text, expected=expected))
    cleaned = Cleaned(message, list(range(1, message.count(b"\n") + 2)))
    return check_recorded(cleaned, CLEANING, rules=rules, search=matches, compare=compare)
