"""Changes made of lines, without a repository."""

from collections.abc import Sequence

from smartcommit.git.diff import FileChange, FileDiff, Hunk


def make_hunk(added: Sequence[str], removed: Sequence[str] = (), context: str = "") -> Hunk:
    sides = [line.encode() for line in removed], [line.encode() for line in added]
    return Hunk(1, len(removed), 1, len(added), context.encode(), *sides)


def make_diff(path: str, *hunks: Hunk, status: str = "M") -> FileDiff:
    return FileDiff(FileChange(status, path.encode(), None, "100644", "100644", "1" * 40, "2" * 40), list(hunks))
