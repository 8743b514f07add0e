"""The message that `commit-msg` refused, kept in the git directory for the next attempt."""

from __future__ import annotations

from smartcommit import state_files
from smartcommit.git.query import ask
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Files beside the text in `state_files.REFUSED`, which contains nothing else, so that `git commit -F` can read it.
_ATTEMPT = "refused-attempt"
_REPORT = "refused-report"


class _Attempt(Record):
    """What a rejected commit would have recorded: its parent, its branch, and each staged path with its object name.

    Before the first commit, parent and branch are empty. `mentioned` is whether the user has been told where the text
    is. All names are bytes, as git prints them.
    """

    parent: bytes
    branch: bytes
    files: Mapping[bytes, bytes]
    mentioned: bool = False

    @classmethod
    def current(cls) -> _Attempt:
        """Return the commit being made, according to its index (`GIT_INDEX_FILE`)."""
        status, answer = ask(("rev-parse", "HEAD", "--symbolic-full-name", "HEAD"))
        if status != 0:
            answer = b""
        parent, _, branch = answer.rstrip(b"\n").partition(b"\n")
        _, listing = ask(("diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative"))
        # Each path follows `:mode mode object object status`. Source: git-diff-index(1), "Raw output format".
        fields = listing.split(b"\0")
        files = {}
        for place in range(0, len(fields) - 1, 2):
            files[fields[place + 1]] = fields[place].split(b" ")[3]
        return cls(parent, branch, files)

    @classmethod
    def load(cls, git_dir: str) -> _Attempt | None:
        """Return the attempt whose message was saved, or None if it is unknown."""
        mentioned, *rest = (state_files.load(git_dir, _ATTEMPT) or b"").split(b"\0")
        if len(rest) < 2:
            return None
        files = {}
        for entry in rest[2:]:
            content, _, path = entry.partition(b" ")
            files[path] = content
        return cls(rest[0], rest[1], files, mentioned=bool(mentioned))

    def save(self, git_dir: str) -> bool:
        """Save it; return False if the git directory cannot be written."""
        files = [content + b" " + path for path, content in self.files.items()]
        mentioned = b"mentioned" if self.mentioned else b""
        return state_files.save(git_dir, _ATTEMPT, b"\0".join((mentioned, self.parent, self.branch, *files)))

    def is_retried_by(self, other: _Attempt) -> bool:
        """Return whether `other` is another attempt at this commit.

        If branch and parent are the same, one path in common is enough, since files are edited between attempts. If
        only one of them is, some path must have the same content, or neither attempt has anything staged.
        """
        same_parent = self.parent == other.parent
        same_branch = self.branch == other.branch
        if same_parent and same_branch and not self.files.keys().isdisjoint(other.files):
            return True
        same_content = self.files == other.files or not self.files.items().isdisjoint(other.files.items())
        return (same_parent or same_branch) and same_content


def save(git_dir: str, text: bytes, report: str) -> bool:
    """Save `text` for the commit being made, with the `report` that says why it was refused.

    Return False if the git directory cannot be written.
    """
    if not _Attempt.current().save(git_dir):
        return False
    state_files.save(git_dir, _REPORT, report.encode("utf-8", "backslashreplace"))
    return state_files.save(git_dir, state_files.REFUSED, text)


def load_report(git_dir: str) -> list[str]:
    """Return the lines of the report on the saved text."""
    return (state_files.load(git_dir, _REPORT) or b"").decode("utf-8", "replace").splitlines()


def is_retried(git_dir: str) -> bool:
    """Return whether the commit being made is another attempt at the one whose message was saved."""
    attempt = _Attempt.load(git_dir)
    return attempt is not None and attempt.is_retried_by(_Attempt.current())


def drop_if_retried(git_dir: str) -> None:
    """Delete the saved text if the commit being made is another attempt at its commit."""
    if is_retried(git_dir):
        state_files.drop(git_dir, state_files.REFUSED)
        state_files.drop(git_dir, _ATTEMPT)
        state_files.drop(git_dir, _REPORT)


def is_mentioned(git_dir: str) -> bool:
    """Return whether `note_mention` was called for the saved text."""
    attempt = _Attempt.load(git_dir)
    return attempt is not None and attempt.mentioned


def note_mention(git_dir: str) -> None:
    """Record that the user was told where the text is, so that they are told only once."""
    attempt = _Attempt.load(git_dir)
    if attempt is not None:
        attempt.mentioned = True
        attempt.save(git_dir)
