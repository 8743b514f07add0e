"""Compares a message with the staged change, for the hook: nothing is loaded and no process started without a claim."""

from __future__ import annotations

import os

from smartcommit.git.query import Place, ask, make_log_command
from smartcommit.message.parse import Parsed
from smartcommit.message.rules import Rules, Violation
from smartcommit.message.verbs import find_verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.claims.evidence import ChangeEvidence

# What a header without a claim has none of: signs of names and paths, and types and verbs that say what changes.
_SIGNS = ("`", "_", "/", ".", "::", "()", "--")
_TYPES = ("test", "docs", "ci", "build", "style")
_VERBS = ("remove", "delete", "drop", "rename", "move")
# Seconds that git may take: more is not waited for.
_TIMEOUT = 3.0


class StagedChange:
    """The staged change of the repository at `place`, read when a message claims something.

    A header that names nothing counts only if the comparison is `thorough`.

    A commit may amend HEAD: git gives hooks the author's date, which is then that of HEAD. Where something would be
    reported of such a commit, it is compared with the change since HEAD's parent. If only the message is amended,
    nothing is staged, and nothing is reported.
    """

    def __init__(self, place: Place, rules: Rules, *, thorough: bool) -> None:
        self._place = place
        self._rules = rules
        self._thorough = thorough
        self._read: dict[str, ChangeEvidence] = {}

    def compare(self, parsed: Parsed) -> list[Violation]:
        if self._rules.is_off("claims") or self._place.head is None or (not self._thorough and is_plain(parsed)):
            return []
        from smartcommit.claims.compare import find_violations  # patterns, which most plain commits do not need

        violations = find_violations(parsed, self._read_since("HEAD"))
        if not violations:
            return violations
        # git exports it as `@SECONDS ZONE`.
        date = os.environ.get("GIT_AUTHOR_DATE", "").partition(" ")[0]
        _, answer = ask(make_log_command("@%at", last=1), directory=self._place.worktree)
        if date.encode() == answer.rstrip(b"\0\n"):
            return find_violations(parsed, self._read_since("HEAD^"))
        return violations

    def _read_since(self, base: str) -> ChangeEvidence:
        if base in self._read:
            return self._read[base]
        from smartcommit.claims.evidence import MAX_BYTES, OPTIONS, ChangeEvidence, read_evidence
        from smartcommit.errors import GitError
        from smartcommit.git.diff import WITH_INDEX
        from smartcommit.git.run import NO_LAZY_FETCH, read_head

        change = ChangeEvidence([], complete=False)
        directory = self._place.worktree
        try:
            output, complete = read_head(
                (*WITH_INDEX, "-r", *OPTIONS, base),
                limit=MAX_BYTES, directory=directory, environment=NO_LAZY_FETCH, timeout=_TIMEOUT,
            )  # fmt: skip
            if complete:
                change = read_evidence(output)
        except GitError:  # there is no such commit, or a partial clone lacks contents
            pass
        self._read[base] = change
        return change


def is_plain(parsed: Parsed) -> bool:
    """Whether the message is a header alone that names nothing and has no type and verb that could be compared."""
    header = parsed.message.header
    if header is None or any(parsed.lines[1:]) or header.type in _TYPES:
        return False
    if any(sign in header.summary for sign in _SIGNS) or find_verb(header.summary) in _VERBS:
        return False
    pairs = zip(header.summary, header.summary[1:], strict=False)
    return not any(before.islower() and after.isupper() for before, after in pairs)
