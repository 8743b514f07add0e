"""A file's content with some of its hunks: made from its two blobs, never by applying a patch.

A hunk stands for a choice between lines of the base and lines of the target. So any subset in any order has exactly one
result, without context, offsets or fuzz.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from smartcommit.errors import GitError
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.repo import Repository


class Text:
    """The base and target lines of one file, and the hunks between them in their order."""

    __slots__ = ("_base", "_hunks", "_target")

    def __init__(self, base: bytes, target: bytes, hunks: Sequence[Hunk]) -> None:
        self._base = split_lines(base)
        self._target = split_lines(target)
        self._hunks = hunks

    def cut_into(self, hunks: Sequence[Hunk]) -> Text:
        """The same text with smaller `hunks`."""
        return Text(*self.ends, hunks)

    def compose(self, chosen: Collection[int], beside: Text | None = None) -> bytes:
        """The content with the hunks whose positions are in `chosen`.

        `beside` has the same base: those of its hunks come in as well that touch none of the chosen ones.
        """
        taken = [(hunk, self._target) for number, hunk in enumerate(self._hunks) if number in chosen]
        if beside is not None:
            free = [hunk for hunk in beside._hunks if not any(_touch(hunk, other) for other, _ in taken)]
            taken = sorted([*taken, *((hunk, beside._target) for hunk in free)], key=lambda pair: _first_old(pair[0]))
        lines: list[bytes] = []
        position = 0
        for hunk, target in taken:
            start, new = _first_old(hunk), _first(hunk.new_start, hunk.new_count)
            lines += self._base[position:start]
            lines += target[new : new + hunk.new_count]
            position = start + hunk.old_count
        return b"".join(lines + self._base[position:])

    @property
    def ends(self) -> tuple[bytes, bytes]:
        """The content without any of the hunks, and with all of them."""
        return b"".join(self._base), b"".join(self._target)

    def is_exact(self) -> bool:
        """Whether all hunks together give the target and none the base: only then may the file be cut."""
        return (self.compose(()), self.compose(range(len(self._hunks)))) == self.ends


def read_texts(repository: Repository, diffs: Iterable[FileDiff]) -> dict[bytes, Text]:
    """The text of each file of `diffs` by its path; one process.

    Raises: GitError when git fails.
    """
    diffs = list(diffs)
    wanted = [oid for diff in diffs for oid in (diff.change.old_id, diff.change.new_id)]
    blobs = _read_blobs(repository, wanted) if wanted else []
    return {
        diff.change.path: Text(base, target, diff.hunks)
        for diff, base, target in zip(diffs, blobs[::2], blobs[1::2], strict=True)
    }


def split_lines(content: bytes) -> list[bytes]:
    """The lines of `content` with their ends. Only a newline ends one, as for git."""
    *lines, last = content.split(b"\n")
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _first(start: int, count: int) -> int:
    """The index of a range's first line: without lines git names the line before it."""
    return start - 1 if count else start


def _first_old(hunk: Hunk) -> int:
    return _first(hunk.old_start, hunk.old_count)


def _touch(one: Hunk, other: Hunk) -> bool:
    """Whether two hunks replace lines of the base that overlap or meet, so that their order would matter."""
    a, b = _first_old(one), _first_old(other)
    return a <= b + other.old_count and b <= a + one.old_count


def _read_blobs(repository: Repository, oids: Sequence[str]) -> list[bytes]:
    output = memoryview(repository.run("cat-file", "--batch", "--buffer", stdin="\n".join([*oids, ""]).encode()))
    blobs, position = [], 0
    for oid in oids:
        end = position + bytes(output[position : position + 200]).index(b"\n")
        words = bytes(output[position:end]).split()
        if len(words) != 3 or words[1] != b"blob":
            raise GitError(f"object '{oid}' cannot be read", status=1, hint="run 'git fsck'")
        size = int(words[2])
        blobs.append(bytes(output[end + 1 : end + 1 + size]))
        position = end + 1 + size + 1
    return blobs
