"""Literal edits: what came, went or was replaced in lines that stay the same otherwise, such as a version or a value.

The lines of a file are first divided into those that were replaced, with the one place that differs, and the blocks
that only came or only went. What that is in terms of code, `replaced_tokens` and `line_blocks` tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import filterfalse

from smartcommit.change.text import (
    HUNKS_COMPARED,
    JOINED_TOKEN,
    LINE_BYTES,
    LINES_COMPARED,
    Lines,
    TokenEdit,
    compare_tokens,
    count_common_ends,
    find_edit,
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
_NAME = compile_on_use(r"[A-Za-z@_][\w@/.-]*")
# Words that may precede a version without being the name of what has that version.
_NOISE = {
    "version", "rev", "tag", "uses", "from", "image", "gem", "require", "implementation", "api", "testimplementation",
    "classpath", "id", "ref", "const", "let", "var", "key", "value", "git", "branch", "string", "install", "run", "npm",
    "pip", "apt-get", "with", "min", "minimum", "default", "compileonly", "runtimeonly", "x", "v", "arg", "env",
    "export",
}  # fmt: skip
_OWN_NAMES = {"version", "__version__", "appversion", "project-version"}
_OWN_FILES = compile_on_use(
    r"(?:^|/)(?:package\.json|cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|composer\.json|pubspec\.yaml|chart\.yaml|version"
    r"|version\.\w+|__init__\.py|__version__\.py|__about__\.py|mix\.exs|gradle\.properties|galaxy\.ya?ml)$"
)
_SETTING = compile_on_use(r"[\s\"'-]*([A-Za-z_][\w.-]{1,60})[\"']?\s*(?::[^=]{0,40})?[:=]\s*([^=\s].{0,80}?)[,;]?\Z")
_WORD = compile_on_use(r"[A-Za-z_$][\w$.:-]*\Z")


# Strings, options, names with their dots, signs that belong together: what a reader takes for one thing.
_TOKEN = compile_on_use(
    r"\"(?:[^\"\\]|\\.){0,200}\"|'(?:[^'\\]|\\.){0,200}'|`[^`]{0,200}`|--?[A-Za-z][\w-]*"
    r"|@?[\w$]+(?:(?:\.|::|->|-(?=[A-Za-z0-9]))[\w$]+)*[!?]?|[=!]==?|[<>+*/&|-]?=|=>|->|&&|\|\||\?\?|\?\.|\.{2,3}|[^\w\s]"
)
_TRAILING_COMMA = compile_on_use(r",(?=\s*[)\]}])")
# Lines of each side of a hunk that are aligned: in a larger one, what replaces what is a guess.
_LINES_ALIGNED = 30
# New lines after the last pair in which the one that replaces an old line is looked for.
_LINES_AHEAD = 6
# Share of the tokens that a line keeps if it is replaced, and the same if both sides have as many lines.
_TOKENS_KEPT, _TOKENS_KEPT_BESIDE = 0.5, 0.35
# Tokens that went or came: in one place of a hunk of several lines, and of a line.
_TOKENS_OF_HUNK, _TOKENS_OF_LINE = 12, 16


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


class Block(Record):
    """Adjacent lines that only came, or only went, each with its indentation in characters."""

    lines: list[tuple[int, str]]
    context: str


class FileEdits:
    """What happened to the lines of a file; `unread` is the number of those that are too many to compare."""

    def __init__(self) -> None:
        self.replaced: list[Replacement] = []
        self.came: list[Block] = []
        self.went: list[Block] = []
        self.unread = 0


def read_edits(diff: FileDiff) -> FileEdits:
    """Return what happened to the lines of a file, as far as they say anything."""
    edits = FileEdits()
    for hunk in diff.hunks[:HUNKS_COMPARED]:
        reading = read_hunk(hunk)
        removed = _list_telling(hunk.removed, reading.removed)
        added = _list_telling(hunk.added, reading.added)
        if not removed or not added:
            if added:
                edits.came.append(Block(added, reading.context))
            if removed:
                edits.went.append(Block(removed, reading.context))
        elif max(len(removed), len(added)) > _LINES_ALIGNED:
            edits.unread += max(len(removed), len(added))
        else:
            _compare_lines(edits, removed, added, reading.context)
    return edits


def _list_telling(raw: Sequence[bytes], lines: Lines) -> list[tuple[int, str]]:
    """Return the lines that say something, each with its indentation."""
    found = []
    for bare, text in zip(raw, lines.read(LINES_COMPARED), strict=False):
        if not says_nothing(text):
            start = bare[:LINE_BYTES]
            found.append((len(start) - len(start.lstrip()), text))
    return found


def _compare_lines(
    edits: FileEdits, removed: Sequence[tuple[int, str]], added: Sequence[tuple[int, str]], context: str
) -> None:
    """Add what happened to the lines of one hunk to `edits`: one edit if they differ in one place, else several."""
    old, new = [line for _, line in removed], [line for _, line in added]
    is_open = ""
    if len(old) != len(new):
        # One line that was divided into several, or a call on several lines that gained an argument.
        whole = _compare_texts("\n".join(old), "\n".join(new))
        if whole is not None and len(whole.gone) + len(whole.come) <= _TOKENS_OF_HUNK:
            edits.replaced.append(Replacement(whole, new[0], old[0], context, max(len(old), len(new))))
            return
    for before, after in _align(old, new):
        if before is None and after is not None:
            _extend(edits.came, added[after], context, adjacent=is_open == "came")
            is_open = "came"
        elif after is None and before is not None:
            _extend(edits.went, removed[before], context, adjacent=is_open == "went")
            is_open = "went"
        elif before is not None and after is not None and old[before] != new[after]:
            is_open = ""
            tokens = _compare_texts(old[before], new[after])
            if tokens is None or len(tokens.gone) + len(tokens.come) > _TOKENS_OF_LINE:
                edits.unread += 1
            else:
                edits.replaced.append(Replacement(tokens, new[after], old[before], context, 1))


def _extend(blocks: list[Block], line: tuple[int, str], context: str, *, adjacent: bool) -> None:
    """Add a line to the last of the `blocks`, or as a new one."""
    if adjacent:
        blocks[-1].lines.append(line)
    else:
        blocks.append(Block([line], context))


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


def _align(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield the positions of the lines that replace each other, in order, and of those that only went or came."""
    old_tokens, new_tokens = list(map(_TOKEN.findall, old)), list(map(_TOKEN.findall, new))
    used = 0
    for position, tokens in enumerate(old_tokens):
        place = None
        best = _TOKENS_KEPT
        if (
            len(old) == len(new)
            and used <= position
            and _measure_kept(tokens, new_tokens[position]) > _TOKENS_KEPT_BESIDE
        ):
            place = position
            best = 1.0
        for number in range(used, min(len(new), used + _LINES_AHEAD)):
            kept = _measure_kept(tokens, new_tokens[number])
            if kept > best:
                best, place = kept, number
        if place is None:
            yield position, None
            continue
        for number in range(used, place):
            yield None, number
        yield position, place
        used = place + 1
    for number in range(used, len(new)):
        yield None, number


def _measure_kept(old: Sequence[str], new: Sequence[str]) -> float:
    """Return the share of tokens at both ends that two lines have in common; lines of one token count as alike."""
    if len(old) == len(new) == 1:
        return _TOKENS_KEPT
    return sum(count_common_ends(old, new)) / max(len(old), len(new), 1)


def find_versions(diff: FileDiff) -> tuple[list[LiteralEdit], bool]:
    """Return the version changes in `diff`, and whether it contains nothing else."""
    found: list[LiteralEdit] = []
    only = bool(diff.hunks) and diff.complete
    path = diff.change.path.decode("utf-8", "replace").lower()
    for hunk in _list_required(diff) or diff.hunks:
        pairs = read_hunk(hunk).pairs(_LINES_OF_VERSIONS)
        only = only and pairs is not None
        for before, after in pairs or ():
            edit = _find_version(before, after, own_file=_OWN_FILES.search(path) is not None)
            if edit is None:
                only = only and before == after
            elif edit not in found:
                found.append(edit)
    return found, only and bool(found)


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
    words = [word.strip("@./-") for word in _NAME.findall(before[: first.start()])]
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
