"""Whether a change only corrects spelling."""

from __future__ import annotations

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts
from smartcommit.change.text import FileText, count_common_ends, read_hunk, read_lines
from smartcommit.git.diff import Hunk
from smartcommit.message.header_proposals import is_one_edit_away
from smartcommit.patterns import compile_on_use

_WORD = compile_on_use(r"[^\W\d_]{3,}")
# Marks and spaces between letters, as in `auto-import` and `isn't`.
_MARK = compile_on_use(r"(?<=[A-Za-z])['’.,-]?(?: (?=[a-z])|(?=[\sA-Za-z]|\Z))")
# Words that differ in more than one letter count as the same word only if they share more letters than this.
_LETTERS_SHARED = 4
# Maximum number of replaced lines in a hunk of corrections.
_LINES_CORRECTED = 20


def fixes_spelling(file: FileFacts) -> bool:
    """Whether only the spelling of prose changed: in code, one letter can make another name."""
    hunks = file.diff.hunks
    if not file.diff.complete or not hunks or not all(map(is_typo, hunks)):
        return False
    if file.kind == filetypes.DOCUMENTATION or file.nature == "comments":
        return True
    return all(map(FileText(file.path).is_comment, read_lines(hunks, "added")))


def is_typo(hunk: Hunk) -> bool:
    """Whether a hunk only corrects the spelling of a few words."""
    pairs = read_hunk(hunk).pairs(_LINES_CORRECTED)
    return pairs is not None and all(_respelled(before, after) for before, after in pairs)


def _respelled(before: str, after: str) -> bool:
    if before != after and _MARK.sub("", before) == _MARK.sub("", after):
        return True
    old, new = _WORD.findall(before), _WORD.findall(after)
    if _WORD.sub("\0", before) != _WORD.sub("\0", after) or len(old) != len(new):
        return False
    respelled = 0
    for word, other in zip(old, new, strict=True):
        if word == other:
            continue
        respelled += 1
        if min(len(word), len(other)) <= 3 or not _is_misspelling(word, other):
            return False
    return 0 < respelled <= 3


def _is_misspelling(word: str, other: str) -> bool:
    """Whether the words are one edit apart or, if they are long, differ in two adjacent letters, or in one for two."""
    if is_one_edit_away(word, other):
        return True
    start, end = count_common_ends(word, other)
    parted = sorted((len(word) - start - end, len(other) - start - end))
    return min(start, end) > 0 and start + end > _LETTERS_SHARED and parted in ([0, 2], [1, 2])
