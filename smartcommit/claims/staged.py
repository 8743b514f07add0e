"""Compares a message with the staged change, for the hook: nothing is loaded and no process started without a claim."""

from __future__ import annotations

from smartcommit.message.verbs import find_verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.claims.evidence import ChangeEvidence
    from smartcommit.message.parse import Parsed
    from smartcommit.message.rules import Violation

# What a header without a claim has none of: signs of names and paths, and types and verbs that say what changes.
SIGNS = ("`", "_", "/", ".", "::", "()", "--")
TYPES = ("test", "docs", "ci", "build", "style")
VERBS = ("remove", "delete", "drop", "rename", "move")
# Bytes that git may print, and seconds it may take: more is not waited for.
_OUTPUT_BYTES = 1 << 22
_TIMEOUT = 3.0


class StagedChange:
    """The staged change of the repository at `worktree`, read when a message claims something.

    A commit may amend HEAD, and no hook is told so. Then the change is the one since HEAD's parent, so that is read too
    where something would be reported, and what either of the two shows is not reported.
    """

    def __init__(self, worktree: str) -> None:
        self._worktree = worktree
        self._read: dict[str, ChangeEvidence] = {}

    def compare(self, parsed: Parsed, *, thorough: bool) -> list[Violation]:
        """Return what the message claims and the change does not show; a plain header counts only if `thorough`."""
        if not thorough and is_plain(parsed):
            return []
        from smartcommit.claims.compare import find_violations  # patterns, which most plain commits do not need

        found = find_violations(parsed, self._read_since("HEAD"))
        if found:
            amended = find_violations(parsed, self._read_since("HEAD^"))
            found = [violation for violation in found if violation in amended]
        return found

    def _read_since(self, base: str) -> ChangeEvidence:
        if base not in self._read:
            self._read[base] = self._run(base)
        return self._read[base]

    def _run(self, base: str) -> ChangeEvidence:
        from smartcommit.claims.evidence import OPTIONS, EvidenceReader
        from smartcommit.errors import GitError
        from smartcommit.git.diff import WITH_INDEX
        from smartcommit.git.run import NO_LAZY_FETCH, read_head

        command = ("-c", "core.quotePath=false", *WITH_INDEX, "-r", *OPTIONS, base)
        reader = EvidenceReader()
        try:
            output, complete = read_head(
                command, limit=_OUTPUT_BYTES, directory=self._worktree, environment=NO_LAZY_FETCH, timeout=_TIMEOUT
            )
        except GitError:
            # There is no such commit, or a partial clone lacks contents.
            output, complete = b"", False
        change = reader.read(output.splitlines())
        change.complete = change.complete and complete
        return change


def is_plain(parsed: Parsed) -> bool:
    """Whether the message is a header alone that names nothing and has no type and verb that could be compared."""
    header = parsed.message.header
    if header is None or any(parsed.lines[1:]) or header.type in TYPES:
        return False
    if any(sign in header.summary for sign in SIGNS) or find_verb(header.summary) in VERBS:
        return False
    return not _has_inner_capital(header.summary)


def _has_inner_capital(text: str) -> bool:
    """Whether a capital follows a lower-case letter, as in `fooBar`."""
    for before, after in zip(text, text[1:], strict=False):
        if before.islower() and after.isupper():
            return True
    return False
