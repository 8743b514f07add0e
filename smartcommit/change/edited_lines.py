"""What happened to the lines of a file: replaced in one place, or in a block that only came or only went.

What that is in terms of code, `replaced_tokens`, `replaced_values` and `line_blocks` tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

from smartcommit.change.edits import LiteralEdit
from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINE_BYTES,
    LINES_COMPARED,
    FileText,
    HunkText,
    Lines,
    TokenEdit,
    compare_tokens,
    count_common_ends,
    read_hunk,
    says_nothing,
)
from smartcommit.git.diff import FileDiff
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# Strings, options, names with their dots, signs that belong together: what a reader takes for one thing.
_TOKEN = compile_on_use(
    r"\"(?:[^\"\\]|\\.){0,200}\"|'(?:[^'\\]|\\.){0,200}'|`[^`]{0,200}`|--?[A-Za-z][\w-]*"
    r"|@?[\w$]+(?:(?:\.|::|->|-(?=[A-Za-z0-9]))[\w$]+)*[!?]?|[=!]==?|[<>+*/&|-]?=|=>|->|&&|\|\||\?\?|\?\."
    r"|\.{2,3}|[^\w\s]"
)
_TRAILING_COMMA = compile_on_use(r",(?=\s*[)\]}])")
# Lines of each side of a hunk that are aligned: in a larger one, what replaces what is a guess.
_LINES_ALIGNED = 30
# New lines after the last pair in which the one that replaces an old line is looked for.
_LINES_AHEAD = 4
# Share of the tokens that a line keeps if it is replaced, and the same if both sides have as many lines.
_TOKENS_KEPT, _TOKENS_KEPT_BESIDE = 0.5, 0.35
# Tokens that went or came: in one place of a hunk of several lines, and of a line.
_TOKENS_OF_HUNK, _TOKENS_OF_LINE = 12, 16

# Lines that say something, each with its indentation in characters.
IndentedLines = Sequence[tuple[int, str]]


class Replacement(Record):
    """Lines that replace others and differ in one place.

    `line` is the text of the first new line and `old_line` that of the first old one, `context` the line that opens the
    function around them, and `lines` the number of lines on the longer side.
    """

    tokens: TokenEdit
    line: str
    old_line: str
    context: str
    lines: int

    def make(self, kind: str, old: str, new: str, *, name: str | None = None, place: str = "") -> LiteralEdit:
        """Return a literal edit that explains these lines."""
        line = self.line if new else self.old_line
        return LiteralEdit(kind, old, new, name, False, place, self.lines, line, self.context)

    def make_each(self, kind: str, words: Sequence[str], *, place: str = "") -> list[LiteralEdit]:
        """Return an edit for each of the words that came, or went, in one place; each explains a part of the lines."""
        found = []
        for word in words:
            if self.tokens.come:
                edit = self.make(kind, "", word, place=place)
            else:
                edit = self.make(kind, word, "", place=place)
            edit.lines /= len(words)
            found.append(edit)
        return found


class Block(Record):
    """Adjacent lines that only came, or only went; `indent` is the least indentation, of brackets around them too."""

    lines: IndentedLines
    context: str
    indent: int


class EditedLines:
    """What happened to the lines of a file, as far as they can be compared."""

    def __init__(self) -> None:
        self.replaced: list[Replacement] = []
        self.came: list[Block] = []
        self.went: list[Block] = []

    def add_blocks(
        self, removed: IndentedLines, added: IndentedLines, context: str, lines: Sequence[bytes] = ()
    ) -> None:
        """Add the lines that went and those that came in one place, if any; `lines` are all of a hunk of one side."""
        for found, blocks in ((removed, self.went), (added, self.came)):
            if found:
                indents = [len(line) - len(line.lstrip()) for line in filter(bytes.strip, lines)]
                blocks.append(Block(found, context, min([*indents, *map(itemgetter(0), found)])))


def read_edits(diff: FileDiff) -> EditedLines:
    """Return what happened to the lines of a file that say something and are no comments."""
    edits = EditedLines()
    file = FileText(diff.change.path)
    compared = 0
    for hunk in diff.hunks[:HUNKS_COMPARED]:
        reading = read_hunk(hunk)
        removed = _list_telling(hunk.removed, reading.removed, file)
        added = _list_telling(hunk.added, reading.added, file)
        if not removed or not added:
            edits.add_blocks(removed, added, reading.context, hunk.removed or hunk.added)
        elif max(len(removed), len(added)) <= _LINES_ALIGNED and compared <= LINES_COMPARED:
            compared += len(added)
            whole = None
            if len(removed) != len(added):
                whole = _compare_whole(reading, file)
            if whole is not None:
                size = max(len(removed), len(added))
                edits.replaced.append(Replacement(whole, added[0][1], removed[0][1], reading.context, size))
            else:
                _compare_lines(edits, removed, added, reading.context)
    return edits


def _list_telling(raw: Sequence[bytes], lines: Lines, file: FileText) -> IndentedLines:
    """Return the lines that say something, without comments."""
    found = []
    for bare, text in zip(raw, lines.read(LINES_COMPARED), strict=False):
        if not says_nothing(text) and not file.is_comment(text):
            start = bare[:LINE_BYTES]
            found.append((len(start) - len(start.lstrip()), text))
    return found


def _compare_whole(reading: HunkText, file: FileText) -> TokenEdit | None:
    """Return the one place in which all lines of a hunk differ, or None if that is not a small one.

    So a line that was divided into several, and a call on several lines that gained an argument, are one edit.
    """
    texts = []
    for side in (reading.removed, reading.added):
        texts.append("\n".join(line for line in side.read(LINES_COMPARED) if not file.is_comment(line)))
    edit = _compare_texts(texts[0], texts[1])
    return edit if edit is not None and len(edit.gone) + len(edit.come) <= _TOKENS_OF_HUNK else None


def _compare_lines(edits: EditedLines, removed: IndentedLines, added: IndentedLines, context: str) -> None:
    """Add what happened to the lines of one hunk, line by line."""
    old, new = [line for _, line in removed], [line for _, line in added]
    old_end = new_end = 0
    for before, after in _align(old, new):
        edits.add_blocks(removed[old_end:before], added[new_end:after], context)
        old_end, new_end = before + 1, after + 1
        tokens = _compare_texts(old[before], new[after])
        if tokens is None or (len(old) != len(new) and _is_elsewhere(tokens.gone, new, after)):
            continue
        if len(tokens.gone) + len(tokens.come) <= _TOKENS_OF_LINE:
            edits.replaced.append(Replacement(tokens, new[after], old[before], context, 1))
    edits.add_blocks(removed[old_end:], added[new_end:], context)


def _is_elsewhere(gone: Sequence[str], lines: Sequence[str], position: int) -> bool:
    """Whether the one token that went is in another of the new lines: then its line was divided, not edited."""
    if len(gone) != 1:
        return False
    return any(gone[0] in line for number, line in enumerate(lines) if number != position)


def _compare_texts(before: str, after: str) -> TokenEdit | None:
    """Return how two texts differ, or None if they have nothing in common, or no difference.

    Two texts of one token each replace each other all the same.
    """
    old, new = _TOKEN.findall(_TRAILING_COMMA.sub("", before)), _TOKEN.findall(_TRAILING_COMMA.sub("", after))
    edit = compare_tokens(old, new)
    if not edit.gone and not edit.come:
        return None
    if not edit.kept and max(len(old), len(new)) > 1:
        return None
    return _begin_with_comma(edit)


def _begin_with_comma(edit: TokenEdit) -> TokenEdit:
    """Return the same edit with the comma of `f(a)` to `f(a, b)` at its start, if it can stand there."""
    longer = edit.gone or edit.come
    is_one_sided = not (edit.gone and edit.come)
    if is_one_sided and longer[-1] == "," and edit.before and edit.after and edit.before[-1] == ",":
        moved = [",", *longer[:-1]]
        gone, come = (moved, []) if edit.gone else ([], moved)
        return TokenEdit(edit.before[:-1], gone, come, [",", *edit.after])
    return edit


def _align(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of lines that replace each other, in order."""
    old_tokens, new_tokens = list(map(_TOKEN.findall, old)), list(map(_TOKEN.findall, new))
    used = 0
    for position, tokens in enumerate(old_tokens):
        place = None
        if len(old) == len(new) and used <= position:
            beside = _measure_kept(tokens, new_tokens[position])
            place = position if beside > _TOKENS_KEPT_BESIDE else None
        if place is None:
            place = _find_likest(tokens, new_tokens, used)
        if place is not None:
            yield position, place
            used = place + 1


def _find_likest(tokens: Sequence[str], others: Sequence[Sequence[str]], start: int) -> int | None:
    """Return which of the next lines from `start` on is most like one of `tokens`, or None if none is."""
    likest = None
    best = _TOKENS_KEPT
    for number in range(start, min(len(others), start + _LINES_AHEAD)):
        kept = _measure_kept(tokens, others[number])
        if kept > best:
            best, likest = kept, number
    return likest


def _measure_kept(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the share of tokens at both ends that two lines have in common; lines of one token count as alike."""
    if len(old) == len(new) == 1:
        return _TOKENS_KEPT
    return sum(count_common_ends(old, new)) / max(len(old), len(new), 1)
