"""What a change shows: its paths with what happened to them, and its lines, as git prints them with OPTIONS."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from smartcommit.change.filetypes import classify_file
from smartcommit.git.diff import RENAME_LIMIT, SUBMODULE_MODE
from smartcommit.git.run import DIFF_OPTIONS
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Side = Literal["added", "removed", "context"]

# Lines around a change that are read, too: a message may name what stands there.
_CONTEXT_LINES = 30
OPTIONS = (
    "--raw", "-p", f"-U{_CONTEXT_LINES}", "--inter-hunk-context=0", "--full-index", "-M", f"-l{RENAME_LIMIT}",
    *DIFF_OPTIONS,
)  # fmt: skip
# Nothing is said of a change with more bytes in its lines, or with more paths.
MAX_BYTES = 1 << 20
MAX_PATHS = 2000
# Bytes of one line that are kept: a longer one is data.
_LINE_BYTES = 1000
# git's letters for a path that has come (added, copied, renamed), and for one whose old name is gone.
_COMING = ("A", "C", "R")
_GOING = ("D", "R")
_SIDES: tuple[Side, ...] = ("added", "removed", "context")
# How git begins the lines of a side; those of the context begin with a blank.
_SIGNS: dict[bytes, Side] = {b"+": "added", b"-": "removed"}
_HUNK = compile_on_use(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)")
# Drops what joins the words of an identifier.
_WITHOUT_JOINTS = str.maketrans("", "", "_-")


def fold(text: str) -> str:
    """Return `text` as it is searched: `read_only`, `ReadOnly` and `read-only` are the same."""
    return text.lower().translate(_WITHOUT_JOINTS)


class ChangedPath:
    """A file that changed, at `path`, with its changed lines and those around them.

    `names` are its path alone, or the old and the new one of what was renamed or copied, and `status` is git's letter
    for that. It is `unread` if git prints no lines of it, as of a mere rename, a binary file and a submodule.
    """

    def __init__(self, status: str, names: Sequence[str], *, unread: bool) -> None:
        self.status = status
        self.names = names
        self.path = names[-1]
        self.unread = unread
        self.lines: dict[Side, list[str]] = {"added": [], "removed": [], "context": []}

    @cached_property
    def kinds(self) -> set[str]:
        lines = [line.encode() for line in self.lines["added"] + self.lines["removed"]]
        return {classify_file(name.encode("utf-8", "surrogateescape"), lines) for name in self.names}


class ChangeEvidence:
    """What one change shows. It is `complete` unless it has more than MAX_BYTES or MAX_PATHS."""

    def __init__(self) -> None:
        self.paths: list[ChangedPath] = []
        self.complete = True

    @cached_property
    def lines(self) -> Mapping[Side, list[str]]:
        """The lines of each side that are not blank; the line behind the numbers of a hunk is context."""
        lines: dict[Side, list[str]] = {side: [] for side in _SIDES}
        for path in self.paths:
            for side in _SIDES:
                lines[side] += [line for line in path.lines[side] if line.strip()]
        return lines

    @cached_property
    def texts(self) -> Mapping[Side, str]:
        """The lines of each side, and the paths that came or went, folded."""
        names: dict[Side, list[str]] = {side: [] for side in _SIDES}
        for path in self.paths:
            if path.status in _COMING:
                names["added"].append(path.path)
            if path.status in _GOING:
                names["removed"].append(path.names[0])
        return {side: fold("\n".join(self.lines[side] + names[side])) for side in _SIDES}

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of files that change, as `change.filetypes` names them."""
        return set().union(*(path.kinds for path in self.paths))

    @cached_property
    def changed_lines(self) -> list[str]:
        return self.lines["added"] + self.lines["removed"]

    @cached_property
    def path_text(self) -> str:
        names: list[str] = []
        for path in self.paths:
            names += path.names
        return fold("\n".join(names))

    @cached_property
    def whole_text(self) -> str:
        return "\n".join([self.path_text, *self.texts.values()])

    @cached_property
    def is_readable(self) -> bool:
        """Whether every changed line is known, so that what none of them and no path has did not change."""
        return self.complete and bool(self.changed_lines) and not any(path.unread for path in self.paths)


class EvidenceReader:
    """Makes a `ChangeEvidence` of the lines that git prints for one change: its paths, then a patch of all of them."""

    def __init__(self) -> None:
        self.evidence = ChangeEvidence()
        # The path of each section of the patch that is still to come, and of the one that is being read.
        self._following: deque[ChangedPath] = deque()
        self._current: ChangedPath | None = None
        self._size = 0
        # Lines that the hunk still has, before and after the change: counted, since any may look like a header.
        self._old_left = 0
        self._new_left = 0

    def read(self, lines: Iterable[bytes]) -> ChangeEvidence:
        for line in lines:
            self.read_line(line)
        return self.evidence

    def read_line(self, line: bytes) -> None:
        # "\ No newline at end of file" is not counted.
        if (self._old_left or self._new_left) and not line.startswith(b"\\"):
            # An empty line of the context has no space before it if `diff.suppressBlankEmpty` is set.
            side = _SIGNS.get(line[:1], "context")
            if side != "added":
                self._old_left -= 1
            if side != "removed":
                self._new_left -= 1
            self._keep(side, line[1:])
        elif line.startswith(b":"):
            self._read_entry(line.rstrip(b"\n"))
        elif line.startswith(b"@@ "):
            match = _HUNK.match(line)
            if match:
                self._old_left, self._new_left = int(match[1] or 1), int(match[2] or 1)
                self._keep("context", match[3])
        elif line.startswith(b"diff --git "):
            self._current = self._following.popleft() if self._following else None
        elif line.startswith(b"Binary files ") and self._current is not None:
            self._current.unread = True

    def _keep(self, side: Side, content: bytes) -> None:
        self._size += len(content)
        if self._size > MAX_BYTES or self._current is None:
            self.evidence.complete = False
            return
        text = content[:_LINE_BYTES].decode("utf-8", "replace").rstrip("\r\n")
        self._current.lines[side].append(text)

    def _read_entry(self, line: bytes) -> None:
        # Such as `:100644 100644 83db48f bfe2b7d R090`, a tab, the old path, a tab, and the new path.
        head, *names = line.split(b"\t")
        old_mode, new_mode, old_id, new_id, status = head[1:].decode("ascii").split(" ")
        if len(self.evidence.paths) >= MAX_PATHS:
            self.evidence.complete = False
            return
        is_submodule = SUBMODULE_MODE in (old_mode, new_mode)
        is_renamed_alone = len(names) > 1 and old_id == new_id
        path = ChangedPath(status[0], [_read_path(name) for name in names], unread=is_submodule or is_renamed_alone)
        self.evidence.paths.append(path)
        self._following.append(path)
        if status == "T":  # printed as a deletion and an addition
            self._following.append(path)


def _read_path(name: bytes) -> str:
    if name.startswith(b'"'):
        # git escapes as Python does, byte by byte; in Latin-1 every byte is a character.
        name = name[1:-1].decode("unicode_escape").encode("latin-1")
    return name.decode("utf-8", "surrogateescape")
