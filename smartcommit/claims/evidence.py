"""What a change shows: its paths with what happened to them, and its lines, as git prints them with OPTIONS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from smartcommit.change.filetypes import classify_file
from smartcommit.git.diff import SUBMODULE_MODE, FileDiff, list_change_options, parse_change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Side = Literal["added", "removed", "context"]

# Lines around a change that are read, too: a message may name what stands there.
_CONTEXT_LINES = 30
OPTIONS = list_change_options(around=_CONTEXT_LINES)
# Nothing is said of a change for which git prints more bytes.
MAX_BYTES = 1 << 20
# Bytes of one line that are kept: a longer one is data.
_LINE_BYTES = 1000
# git's letters for a path that has come (added, copied, renamed), and for one whose old name is gone.
_COMING = ("A", "C", "R")
_GOING = ("D", "R")
# Drops what joins the words of an identifier.
_WITHOUT_JOINTS = str.maketrans("", "", "_-")


def fold(text: str) -> str:
    """Return `text` as it is searched: `read_only`, `ReadOnly` and `read-only` are the same."""
    return text.lower().translate(_WITHOUT_JOINTS)


def read_evidence(output: bytes) -> ChangeEvidence:
    """Return what a change shows for which git has printed `output`, or more than MAX_BYTES of that."""
    if len(output) > MAX_BYTES:
        return ChangeEvidence([], complete=False)
    return ChangeEvidence(parse_change(output, around=_CONTEXT_LINES))


class ChangeEvidence:
    """What one change shows; nothing unless it is `complete`."""

    def __init__(self, diffs: Sequence[FileDiff], *, complete: bool = True) -> None:
        self.complete = complete
        self._diffs = diffs

    @cached_property
    def paths(self) -> list[str]:
        return [_decode_path(diff.change.path) for diff in self._diffs]

    @cached_property
    def lines(self) -> Mapping[Side, list[str]]:
        """The lines of each side that are not blank.

        Context are the lines around hunks, and those that git prints behind their numbers: each once, and none that is
        among the added ones.
        """
        lines: dict[Side, list[str]] = {"added": [], "removed": [], "context": []}
        # Hunks that are close to each other have the same lines around them, and the lines that the other one adds.
        context: dict[bytes, None] = {}
        for diff in self._diffs:
            for hunk in diff.hunks:
                lines["added"] += _decode_lines(hunk.added)
                lines["removed"] += _decode_lines(hunk.removed)
                context |= dict.fromkeys((hunk.context, *hunk.before, *hunk.after))
        added = set(lines["added"])
        lines["context"] = [line for line in _decode_lines(context) if line not in added]
        return lines

    @cached_property
    def texts(self) -> Mapping[Side, str]:
        """The lines of each side, and the paths that came or went, folded."""
        names: dict[Side, list[str]] = {"added": [], "removed": [], "context": []}
        for diff in self._diffs:
            if diff.change.status in _COMING:
                names["added"].append(_decode_path(diff.change.path))
            if diff.change.status in _GOING:
                names["removed"].append(_decode_path(diff.change.old_path or diff.change.path))
        return {side: fold("\n".join(self.lines[side] + names[side])) for side in names}

    @cached_property
    def kinds(self) -> set[str]:
        """The kinds of files that change, as `change.filetypes` names them."""
        kinds: set[str] = set()
        for diff in self._diffs:
            lines: list[bytes] = []
            for hunk in diff.hunks:
                lines += hunk.added + hunk.removed
            kinds.update(classify_file(name, lines) for name in _list_names(diff))
        return kinds

    @cached_property
    def changed_lines(self) -> list[str]:
        return self.lines["added"] + self.lines["removed"]

    @cached_property
    def path_text(self) -> str:
        names: list[str] = []
        for diff in self._diffs:
            names += [_decode_path(name) for name in _list_names(diff)]
        return fold("\n".join(names))

    @cached_property
    def whole_text(self) -> str:
        return "\n".join([self.path_text, *self.texts.values()])

    @cached_property
    def is_readable(self) -> bool:
        """Whether every changed line is known, so that what none of them and no path has did not change."""
        return self.complete and bool(self.changed_lines) and all(_is_read(diff) for diff in self._diffs)


def _is_read(diff: FileDiff) -> bool:
    """Whether git prints the lines of a file, as not of a mere rename, a binary file and a submodule."""
    change = diff.change
    is_renamed_alone = change.old_path is not None and change.old_id == change.new_id
    return not (change.binary or is_renamed_alone or SUBMODULE_MODE in (change.old_mode, change.new_mode))


def _list_names(diff: FileDiff) -> list[bytes]:
    return [name for name in (diff.change.old_path, diff.change.path) if name is not None]


def _decode_path(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _decode_lines(lines: Iterable[bytes]) -> list[str]:
    return [line[:_LINE_BYTES].decode("utf-8", "replace").rstrip("\r") for line in lines if line.strip()]
