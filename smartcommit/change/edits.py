"""Literal edits: what came, went or was replaced in lines that stay the same otherwise, such as a version or a value.

This finds versions, pairs the lines of a hunk, and has what is common to `replaced_tokens` and `line_blocks`, which say
what differs in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import filterfalse
from operator import itemgetter

from smartcommit.change.text import (
    ALPHANUMERIC,
    HUNKS_COMPARED,
    JOINED_TOKEN,
    LINE_BYTES,
    LINES_COMPARED,
    FileText,
    HunkText,
    Lines,
    TokenEdit,
    compare_tokens,
    count_common_ends,
    find_edit,
    has_digit,
    read_hunk,
    says_nothing,
)
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# Lines of a hunk in which versions and other literals are looked for: an edit that repeats further is the same edit.
_LINES_OF_VERSIONS, _LINES_OF_LITERALS = 400, 40
_VERSION = compile_on_use(
    r"(?<![\w.])(?:[0-9a-f]{40}|v?\d{1,5}(?:\.(?:\d{1,6}|x|\*)){1,3}(?:[-.+]?(?:rc|alpha|beta|a|b|dev|post|pre|final)[\w.]{0,20}|-\d{1,14}(?:-[0-9a-f]{12})?)?"
    r"|(?<=@)v\d{1,5}|(?<=[\"'^~>= :])v?\d{1,5}(?=[\"'\s]|\Z))(?![\w])"
)
_VERSIONED_NAME = compile_on_use(r"[A-Za-z@_][\w@/.-]*")
# Words that may precede a version without being the name of what has that version.
_NOISE = {
    "version", "rev", "tag", "uses", "from", "image", "gem", "require", "implementation", "api", "testimplementation",
    "classpath", "id", "ref", "const", "let", "var", "key", "value", "git", "branch", "string", "install", "run", "npm",
    "pip", "apt-get", "with", "min", "minimum", "default", "compileonly", "runtimeonly", "x", "v", "arg", "env",
    "export",
}  # fmt: skip
_OWN_NAMES = {"version", "__version__", "appversion", "project-version"}
_OWN_FILES = {
    "package.json", "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "composer.json", "pubspec.yaml",
    "chart.yaml", "version", "__init__.py", "__version__.py", "__about__.py", "mix.exs", "gradle.properties",
    "galaxy.yml", "galaxy.yaml",
}  # fmt: skip
_SETTING = compile_on_use(r"[\s\"'-]*([A-Za-z_][\w.-]{1,60})[\"']?\s*(?::[^=]{0,40})?[:=]\s*([^=\s].{0,80}?)[,;]?\Z")
_WORD = compile_on_use(r"[A-Za-z_$][\w$.:-]*\Z")
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
# What looks like a call, but is part of the language, or an assertion.
NOT_CALLS = {
    "if", "for", "while", "switch", "return", "assert", "print", "catch", "elif", "super", "expect", "Some", "Ok",
    "Err", "and", "or", "not", "in", "format", "require", "println!", "vec!", "assert!", "assert_eq!", "foreach",
    "with", "function", "match", "case", "else", "await", "yield", "func", "fn", "def", "lambda", "typeof", "sizeof",
}  # fmt: skip
# A name with the names that it is reached by: `os.path`, `std::fs`, `x-api-key`.
NAME = compile_on_use(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::|->|-)[\w$]+)*[!?]?\Z")
_VALUE = compile_on_use(
    r"(?:\"[^\"]*\"|'[^']*'|`[^`]*`|-?[\d.]+\w*|true|false|True|False|null|None|nil|@?[A-Za-z_$][\w$.:>-]*)\Z"
)
_ONE_WORD = compile_on_use(r"[\w@./:+*%^~-]{1,40}\Z")
_DEFINITION = compile_on_use(
    r"\b(?:def|func|fn|fun|function|sub|proc|constructor|macro)\b"
    r"|^(?:public|private|protected|static|async|export|inline|virtual|override)\b.*\{\Z"
)
# Constants and operators that are words: alone they say nothing.
_UNTELLING = {
    "true", "false", "none", "null", "nil", "undefined", "yes", "no", "on", "off", "and", "or", "not", "is", "in",
}  # fmt: skip
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
# Signs that are written without a space before them, and without one after them.
_JOINED_TO_PREVIOUS = {",", ";", ":", ")", "]", "}", ".", "=", "?.", "?", "->", ".."}
_JOINED_TO_NEXT = {"(", "[", "{", "!", "~", "@", ".", "=", "?.", "$", "->", "..", "..."}


class LiteralEdit(Record):
    """One literal that replaces another, or that only came or only went.

    `kind` is "version", "value", "word", or another term for what it is in the code, such as "argument". `old` is what
    went and `new` what came; one of them can be empty. `name` is what has the version or the value, or None if the
    lines do not say; `own` if that is the project itself. `place` is the function, list or other thing that it is part
    of, or empty if the lines do not say.

    `lines` is the number of changed lines that it explains, which can be a part of one. `line` is the text of the first
    of them, and `context` the line that opens the function around it.
    """

    kind: str
    old: str
    new: str
    name: str | None = None
    own: bool = False
    place: str = ""
    lines: float = 1
    line: str = ""
    context: str = ""


def find_versions(diff: FileDiff) -> tuple[list[LiteralEdit], bool]:
    """Return the version changes in `diff`, and whether it contains nothing else."""
    found: list[LiteralEdit] = []
    only = bool(diff.hunks) and diff.complete
    own_file = _is_own_file(diff.change.path)
    for hunk in _list_required(diff) or diff.hunks:
        pairs = read_hunk(hunk).pairs(_LINES_OF_VERSIONS)
        only = only and pairs is not None
        for before, after in pairs or ():
            edit = None
            if before != after and has_digit(before) and has_digit(after):
                edit = _find_version(before, after, own_file=own_file)
            if edit is None:
                only = only and before == after
            elif edit not in found:
                found.append(edit)
    return found, only and bool(found)


def _is_own_file(path: bytes) -> bool:
    """Whether the file at `path` may hold the version of the project itself."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace").lower()
    return name in _OWN_FILES or (name.startswith("version.") and name.count(".") == 1)


def _list_required(diff: FileDiff) -> list[Hunk]:
    """Return the hunks of a `go.mod` without indirect requirements, which follow from the others."""
    required: list[Hunk] = []
    if not diff.change.path.endswith(b"go.mod"):
        return required
    for hunk in diff.hunks:
        removed = list(filterfalse(_is_indirect, hunk.removed))
        added = list(filterfalse(_is_indirect, hunk.added))
        if removed or added:
            counts = (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count)
            required.append(Hunk(*counts, hunk.context, removed, added))
    return required


def _is_indirect(line: bytes) -> bool:
    return line.endswith(b"// indirect")


def _find_version(before: str, after: str, *, own_file: bool) -> LiteralEdit | None:
    old, new = list(_VERSION.finditer(before)), list(_VERSION.finditer(after))
    if not old or len(old) != len(new) or _VERSION.sub("\0", before) != _VERSION.sub("\0", after):
        return None
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a[0] != b[0]]
    if not moved:
        return None
    first, (was, now) = moved[0][0], moved[-1]
    words = [word.strip("@./-") for word in _VERSIONED_NAME.findall(before[: first.start()])]
    names = [word for word in words if word and word.lower() not in _NOISE]
    if was[0].lstrip("v").isdigit() and not before[: was.start()].endswith("@"):
        # A number without a point is a version only if the line says so: `node-version: 20`.
        if not words or not words[-1].lower().endswith("version"):
            return None
        names = [words[-1][: -len("version")].rstrip("-_")]
    own = own_file and not _OWN_NAMES.isdisjoint(map(str.lower, words)) and set(names) <= {"__version__"}
    name = None
    if names and not own:
        name = names[-1] or None
    return LiteralEdit("version", was[0].lstrip("v"), now[0].lstrip("v"), name, own)


def list_pairs(hunks: Iterable[Hunk]) -> list[tuple[str, str]]:
    """Return the lines that replace each other, side by side; empty if any hunk does more than replace lines."""
    found: list[tuple[str, str]] = []
    for hunk in hunks:
        pairs = read_hunk(hunk).pairs(_LINES_OF_LITERALS)
        if pairs is None:
            return []
        for before, after in pairs:
            if before != after:
                found.append((before, after))
    return found


def find_literal_edit(pairs: Sequence[tuple[str, str]]) -> LiteralEdit | None:
    """Return the edit if one token was replaced by another in all `pairs` and nothing else changed, else None.

    The edit is of kind "value" if all lines set the same key to it, but not if a word is replaced in several lines.
    """
    replaced, keys = set(), set()
    for before, after in pairs:
        edit = find_edit(before, after, JOINED_TOKEN)
        if len(edit.gone) != 1 or len(edit.come) != 1:
            return None
        replaced.add((edit.gone[0], edit.come[0]))
        found = _SETTING.match(after)
        if found and edit.come[0] in found[2]:
            keys.add(found[1])
    if len(replaced) != 1:
        return None
    old, new = replaced.pop()
    are_words = is_word(old) and is_word(new)
    if len(keys) != 1 or (are_words and len(pairs) > 1):
        return LiteralEdit("word", old, new)
    return LiteralEdit("value", old, new, keys.pop())


def is_word(text: str) -> bool:
    """Whether `text` begins as names do, so that a sentence can mention it alone."""
    return _WORD.match(text) is not None


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


def strip_quotes(token: str) -> str:
    """Return a literal without its quotes if it is one word."""
    if len(token) > 2 and token[0] == token[-1] and token[0] in "\"'" and _ONE_WORD.match(token[1:-1]):
        return token[1:-1]
    return token


def tells_alone(text: str) -> bool:
    """Whether a literal says something without what has or combines it: no operator, boolean or empty value does."""
    return ALPHANUMERIC.search(text) is not None and text.strip("\"'").lower() not in _UNTELLING


def is_value(text: str) -> bool:
    """Whether `text` is a string, a number, a constant or a name."""
    return _VALUE.match(text) is not None


def is_definition(line: str) -> bool:
    """Whether `line` defines a function, in any of the usual languages."""
    return _DEFINITION.search(line) is not None


def is_balanced(tokens: Sequence[str]) -> bool:
    """Whether every bracket in `tokens`, or in a text, is closed in them."""
    depth = 0
    for token in tokens:
        depth += (token in OPENING) - (token in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def join_tokens(tokens: Sequence[str]) -> str:
    """Return tokens as they are written in code."""
    text = previous = ""
    for token in tokens:
        if text and text not in ("&", "*") and _needs_space(previous, token):
            text += " "
        text += token
        previous = token
    return text


def _needs_space(previous: str, token: str) -> bool:
    if token in _JOINED_TO_PREVIOUS or previous in _JOINED_TO_NEXT:
        return False
    return not (token in ("(", "[") and ALPHANUMERIC.match(previous[-1]))


def find_opening(tokens: Sequence[str]) -> int:
    """Return the position of the innermost bracket that is open at the end of `tokens`, or -1."""
    depth = 0
    for position in range(len(tokens) - 1, -1, -1):
        if tokens[position] in CLOSING:
            depth += 1
        elif tokens[position] in OPENING:
            if depth == 0:
                return position
            depth -= 1
    return -1


def split_at_commas(tokens: Sequence[str]) -> list[list[str]]:
    """Return the tokens between commas outside of brackets; no part is empty."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in (*OPENING, "<")) - (token in (*CLOSING, ">"))
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return list(filter(None, parts))
