"""The message that `commit-msg` refused, kept in the git directory for the next attempt."""

from __future__ import annotations

from collections.abc import Set

from smartcommit import state_files
from smartcommit.git.query import ask
from smartcommit.record import Record

# Files beside the text in `state_files.REFUSED`, which contains nothing else, so that `git commit -F` can read it.
_ATTEMPT = "refused-attempt"
_REPORT = "refused-report"


class _Attempt(Record):
    """What a rejected commit would have recorded: its parent, its branch, and each staged object with its path.

    Before the first commit, parent and branch are empty. All are bytes, as git prints them.
    """

    parent: bytes
    branch: bytes
    entries: Set[bytes]

    @classmethod
    def current(cls) -> _Attempt:
        """Return the commit being made, according to its index (`GIT_INDEX_FILE`)."""
        status, answer = ask(("rev-parse", "HEAD", "--symbolic-full-name", "HEAD"))
        parent, _, branch = (answer if status == 0 else b"").rstrip(b"\n").partition(b"\n")
        _, listing = ask(("diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative"))
        # Each path follows `:mode mode object object status`. Source: git-diff-index(1), "Raw output format".
        fields = listing.split(b"\0")
        entries = set()
        for place in range(0, len(fields) - 1, 2):
            entries.add(fields[place].split(b" ")[3] + b" " + fields[place + 1])
        return cls(parent, branch, entries)

    @classmethod
    def load(cls, git_dir: str) -> _Attempt | None:
        parent, *rest = (state_files.load(git_dir, _ATTEMPT) or b"").split(b"\0")
        if not rest:
            return None
        return cls(parent, rest[0], set(rest[1:]))

    def save(self, git_dir: str) -> bool:
        return state_files.save(git_dir, _ATTEMPT, b"\0".join((self.parent, self.branch, *self.entries)))

    def is_retried_by(self, other: _Attempt) -> bool:
        """Return whether `other` is another attempt at this commit.

        If branch and parent are the same, one path in common is enough, since files are edited between attempts. If
        only one of them is, some path must have the same content, or neither attempt has anything staged.
        """
        same_parent = self.parent == other.parent
        same_branch = self.branch == other.branch
        if same_parent and same_branch and not self._paths().isdisjoint(other._paths()):
            return True
        same_content = self.entries == other.entries or not self.entries.isdisjoint(other.entries)
        return (same_parent or same_branch) and same_content

    def _paths(self) -> Set[bytes]:
        return {entry.partition(b" ")[2] for entry in self.entries}


def save(git_dir: str, text: bytes, report: str) -> bool:
    """Save `text` and the `report` that says why it was refused; return False if it cannot be written."""
    if not _Attempt.current().save(git_dir):
        return False
    state_files.save(git_dir, _REPORT, report.encode("utf-8", "backslashreplace"))
    return state_files.save(git_dir, state_files.REFUSED, text)


def load_report(git_dir: str) -> list[str]:
    return (state_files.load(git_dir, _REPORT) or b"").decode("utf-8", "replace").splitlines()


def is_retried(git_dir: str) -> bool:
    """Return whether the commit being made is another attempt at the one whose message was saved."""
    attempt = _Attempt.load(git_dir)
    return attempt is not None and attempt.is_retried_by(_Attempt.current())


def drop_if_retried(git_dir: str) -> None:
    if is_retried(git_dir):
        for name in (state_files.REFUSED, _ATTEMPT, _REPORT):
            state_files.drop(git_dir, name)
