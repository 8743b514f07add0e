"""Whether only the spelling of words changed: in a text one letter corrects a word, in code it makes another name."""

from __future__ import annotations

from smartcommit.change.pairing import count_common_ends
from smartcommit.message.header_proposals import is_one_edit_away
from smartcommit.patterns import compile_on_use

# A word of prose: one in a name, an option or a path is no matter of spelling.
_SPELLED_WORD = compile_on_use(r"(?<![\w`/\\.$@-])[^\W\d_]{3,}(?![\w`/\\(=-]|://)")
# Marks and spaces between letters, as in `auto-import` and `isn't`.
_MARK = compile_on_use(r"(?<=[A-Za-z])['’.,-]?(?: (?=[a-z])|(?=[\sA-Za-z]|\Z))")
# Words that differ in more than one letter count as the same word only if they share more letters than this.
_LETTERS_SHARED = 4


def is_respelled(before: str, after: str) -> bool:
    if before.rstrip(".,:; ") == after.rstrip(".,:; "):
        return False  # a full stop at the end corrects no word
    if before != after and _MARK.sub("", before) == _MARK.sub("", after):
        return True
    old, new = _SPELLED_WORD.findall(before), _SPELLED_WORD.findall(after)
    if _SPELLED_WORD.sub("\0", before) != _SPELLED_WORD.sub("\0", after) or len(old) != len(new):
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
