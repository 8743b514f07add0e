"""The messages of commits that are made already, each judged by the rules and compared with what its commit changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from functools import partial

from smartcommit.claims.compare import find_violations
from smartcommit.claims.ranges import read_changes
from smartcommit.errors import GitError
from smartcommit.git.objects import RecordedMessage, read_messages
from smartcommit.git.own_headers import find_named, find_origin, read_named
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.message.checks import find_autosquash_target
from smartcommit.message.cleanup import WHITESPACE, Cleaned, Cleaning
from smartcommit.message.rules import Rules, Violation
from smartcommit.state_files import PLANS
from smartcommit.verdict import EXECUTOR_TITLE, CheckResult, Compare, check_recorded, reject

# Characters of a commit's id that name it in the output.
NAME_LENGTH = 12


def check_range(revisions: Sequence[str], rules: Rules) -> Iterator[tuple[str, CheckResult]]:
    """Yield the verdict on every message of `revisions`; what history proves to be git's or the executor's, passes.

    Those that name another commit as their proof, as a revert does, come last: these commits are read together.
    """
    changes = _read_changes(revisions, rules)
    # Brackets are part of the names of bots.
    exempt_authors = [pattern.lower().replace("[", "[[]") for pattern in rules.exempt_authors]
    postponed: list[tuple[RecordedMessage, str]] = []
    for recorded in read_messages(*revisions):
        commit, compare = next(changes)
        if commit != recorded.commit:  # a branch has moved since its messages were read
            compare = None
        origin = find_origin(recorded.message, recorded.parents, {})
        if origin is None and any(fnmatch(recorded.author.lower(), pattern) for pattern in exempt_authors):
            origin = f"by {printable(recorded.author)}"
        named = find_named(recorded.message)
        if origin is None and named is not None:
            postponed.append((recorded, named.commit))
            continue
        if origin is None and _is_executors(recorded):
            origin = "the executor"
        yield recorded.commit[:NAME_LENGTH], _judge(recorded.message, rules, origin, compare)
    commits_named = read_named(commit for _, commit in postponed)
    for recorded, _ in postponed:
        origin = find_origin(recorded.message, recorded.parents, commits_named)
        yield recorded.commit[:NAME_LENGTH], _judge(recorded.message, rules, origin)


def _judge(message: bytes, rules: Rules, origin: str | None, compare: Compare | None = None) -> CheckResult:
    if origin is not None:
        return CheckResult(message, [], exempt=origin)
    return judge_recorded(message, rules, compare)


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
    """Whether the executor made a commit: it has the form of its messages, which proves nothing, and changes a plan."""
    if b"\n" in recorded.message.strip() or not recorded.message.startswith(EXECUTOR_TITLE.encode()):
        return False
    command = ("diff-tree", "--root", "-r", "--name-only", "--no-commit-id", recorded.commit, "--", PLANS)
    return bool(Repository.find().run(*command))


def judge_recorded(message: bytes, rules: Rules, compare: Compare | None = None) -> CheckResult:
    """Return the verdict on the message of a commit that is made already; git cleans it no more."""
    subject = message.partition(b"\n")[0].decode("utf-8", "surrogateescape")
    if find_autosquash_target(subject) is not None:
        text, expected = "unsquashed fixup, squash or amend commit", "no such commit; run 'git rebase -i --autosquash'"
        return reject(message, rules, Violation("autosquash", 0, 0, text, expected=expected))
    cleaned = Cleaned(message, list(range(1, message.count(b"\n") + 2)))
    return check_recorded(cleaned, Cleaning(WHITESPACE), rules=rules, compare=compare)
