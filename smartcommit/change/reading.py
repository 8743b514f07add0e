"""Reads a file's change as edits: lines that replace each other by what differs in them, and others by their form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import chain, pairwise

from smartcommit.change.bumps import is_version
from smartcommit.change.commands import compare_commands, compare_images, compare_instructions, find_quoted
from smartcommit.change.conditions import GUARDED, say_conditional
from smartcommit.change.edits import (
    LONGEST,
    NOT_CALLS,
    OTHER,
    Around,
    Edit,
    Edits,
    Spot,
    find_defined,
    find_module,
    read_path,
)
from smartcommit.change.filetypes import DOCUMENTATION, classify_path
from smartcommit.change.languages import find_language
from smartcommit.change.pairing import count_common_ends, find_differences, is_respelled, pair_lines
from smartcommit.change.roles import read_spot
from smartcommit.change.statement_forms import COMMANDS, IGNORED, TARGETS, WORDS, YAML, find_family
from smartcommit.change.statements import Block, find_parent, is_run, list_parents, read_block
from smartcommit.change.text import LINK, count_indent, is_import, read_line
from smartcommit.change.tokens import (
    CLOSING,
    COMMENT,
    DIRECTIVE,
    NAME,
    STRING,
    Token,
    drop_comments,
    is_balanced,
    is_in_text,
    is_prose,
    lex_hunk,
    list_names,
    list_texts,
    unquote,
    write,
)
from smartcommit.change.wording import join_names, mentions_secret
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.patterns import compile_on_use, list_words

# What begins a block that handles errors, and what is called.
_HANDLING = {"catch", "except", "rescue"}
_CALLED = compile_on_use(r"([\w.$#:]*\w)\(")
# A call, or a `with`, whose block are the next lines, by the language; the first group is what is called.
_BLOCK_OF_CALL = r"(?:return )?((?=[^ ]*[.(]|.* \()[@\w$]+(?:\.[\w$]+)*)(?: ?\(.*\))?"
_FUNCTION_OF_CALL = r"(?:await |return )*([\w$]+(?:\.[\w$]+)*) ?\((?:.*, ?)?{} ?\{{\Z"
_AROUND = {
    "python": compile_on_use(r"(?:async )?with ([\w.]+)(?:\(.*\))?(?: as \w+)?:\Z"),
    "ruby": compile_on_use(_BLOCK_OF_CALL + r" (?:do|\{)(?: ?\|.*\|)?\Z"),
    "jvm": compile_on_use(_BLOCK_OF_CALL + r" ?\{(?: ?[\w, ]+ ->)?\Z"),
    "swift": compile_on_use(_BLOCK_OF_CALL + r" ?\{(?:.* in)?\Z"),
    "csharp": compile_on_use(r"(lock) ?\(.*\)(?: ?\{)?\Z"),
    "javascript": compile_on_use(_FUNCTION_OF_CALL.format(r"(?:async )?(?:(?:\(.*\)|\w+) =>|function ?\(.*\))")),
    "c": compile_on_use(_FUNCTION_OF_CALL.format(r"\^(?:\(.*\))?")),
}
# What holds a lock: the word before it, or its name.
_LOCKS = compile_on_use(r"(?:lock|synchronized) ?\(([\w.]+)\)|(?:async )?with ((?:\w+\.)*\w*(?i:lock|mutex))(?:\(\))?:")
# What closes a value at its end: `with` of Python, `try` of Java, `using` of C#.
_CLOSING_AT_END = (
    (compile_on_use(r"(?:async )?with (?P<value>.+) as (?P<name>\w+):\Z"), "a with statement"),
    (compile_on_use(r"try ?\((?P<value>.+?);?\) ?\{\Z"), "try-with-resources"),
    (compile_on_use(r"(?:await )?using (?P<value>\w+ \w+ = .+);\Z"), "a using declaration"),
)
# The end of a function with what it depends on, and the hook of React that it is for.
_DEPENDENCIES = compile_on_use(r"\s*\}, ?\[([\w., ?]*)\]\);?\Z")
_HOOK = compile_on_use(r"\b(use(?:Effect|LayoutEffect|Memo|Callback))\(")
# A call of Go whose error is checked, and that call.
_CHECKED = compile_on_use(r"(?:if )?err :?= (([\w.]+)\(.*\));? (?:if )?err != nil \{")
# What a statement calls.
_STATED = compile_on_use(r"(?:await )?([\w.$?]+[\w$!])\(.*\);?\Z")
_HUNKS = 60  # of a file that are read
_NAME_LETTERS = 4  # of a function whose name says what is done
_OF_PREPROCESSOR = ("#if", "#ifdef", "#ifndef", "#elif", "#else", "#endif")
_LINES_OF_USE = 6  # of a side of a hunk of which no more is known than what it calls
_LINES = 40  # of a side of a hunk: in a larger one, what replaces what is a guess
_KEPT = 0.3  # the share of its tokens that a hunk keeps if what differs in it is one edit
_TOKENS = 6  # that differ in one edit
_PLACES = 3  # in which a line differs
# Keys of data that tell less than what they are below.
_PLAIN_KEYS = list_words(
    "action count days default disabled effect enable enabled host hours interval level limit max memory min mode path "
    "cpu port protocol size source state status target timeout type url value"
)
# Values that are no secret, whatever they are of.
_SWITCHES = {"true", "false", "yes", "no", "on", "off"}
_NAMED = compile_on_use(r"\s*- name: [\"']?([\w.-]+)[\"']?\Z")
# Tokens by which a place in a line can be moved.
_SHIFTED = 6
# An element of markup with nothing but a text in it.
_TEXT_OF_ELEMENT = compile_on_use(r"(<[\w.:-]+[^<>]*>)([^<>{}]+)</[\w.:-]+>\Z")
# Kinds of definitions that a place is named after.
_DEFINITIONS = list_words("function method class struct interface trait enum type macro module test table resource")
DOCUMENTS = (b".md", b".mdx", b".rst", b".adoc", b".asciidoc")
_REASON = compile_on_use(r"  | (?:--|//) ")  # what stands before the reason of a directive
_MARKS_OF_COMMENTS = "/#-*;%! \t"
# What PHP calls annotations are comments that tools read; these tags are documentation alone.
_ANNOTATION = compile_on_use(
    r"\*?\s*@(?!(?:param|return|throws|var|see|link|since|deprecated|author|copyright|license|package|version|todo|"
    r"example|internal|method|property|mixin|template|extends|implements|phpstan|psalm)\b)[A-Za-z]"
)
# An action of a workflow that is named by its commit.
_PINNED = compile_on_use(r"(?:- )?uses: [\"']?([\w./-]+)@[0-9a-f]{40}\b")
_USES = compile_on_use(r"(?:- )?uses: [\"']?([\w.-]+/[\w./-]+)@")
_LINES_EXPLAINING = 2  # why code is a comment now
# Code that is a comment.
_COMMENTED = compile_on_use(
    r"[/#*;-]+ ?(?:#include\b.*|.*[;{]|\}.*|[\w.]+\(.*\)|(?:const|let|var|def|return) .*[=(].*)\Z"
)
# What says in a documentation that something is deprecated.
_DEPRECATED = compile_on_use(r"@deprecated\b|\bDeprecated:|\.\. deprecated::")
# What says who may use a file.
_LICENSED = compile_on_use(r"(?i)\bcopyright (?:\(c\)|\u00a9|\d)|SPDX-License-Identifier:")
_MARKS_OF_DOCUMENTATION = ('"""', "'''", "/**", "///", "//!", "@doc", "@moduledoc")

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

Lines = Sequence[Sequence[Token]]


def list_edits(diff: FileDiff) -> Iterator[Edit]:
    moved = _read_order(diff)
    if moved is not None:
        yield moved
        return
    action: Edit | None = None
    for hunk in diff.hunks[:_HUNKS]:
        reader = _HunkReader(diff, hunk)
        found = reader.read()
        for edit in found:
            reader.set_parent_of(edit, is_alone=len(found) == 1)
        actions = [edit for edit in found if edit.role == "program" and _USES.match(edit.text.strip())]
        if len(actions) == 1 and _is_of_step(hunk):
            action = actions[0]
        elif action is None or not _is_below(hunk, action.text):
            yield from found
            continue
        # What a step has beside the action that took the place of another one follows from that.
        action.lines += sum(edit.lines for edit in found if edit is not action)
        if action in actions:
            yield action


def _is_of_step(hunk: Hunk) -> bool:
    """Whether the lines of each side begin no second item of a list."""
    counts = []
    for side in (hunk.removed, hunk.added):
        counts.append(sum(line.strip().startswith(b"- ") for line in side))
    return max(counts) < 2


def _is_below(hunk: Hunk, line: str) -> bool:
    """Whether no item of a list begins between a line and a hunk below it, nor in that."""
    above = [read_line(text).strip() for text in hunk.before]
    place = len(above) - above[::-1].index(line.strip()) if line.strip() in above else -1
    between = [*above[place:], *[read_line(text).strip() for text in (*hunk.removed, *hunk.added)]]
    return place >= 0 and not any(text.startswith("- ") for text in between)


def _read_order(diff: FileDiff) -> Edit | None:
    """Return the edit of a file with the same lines in another order, or None; what moves in code has to be known."""
    removed, added = [], []
    for hunk in diff.hunks[:_HUNKS]:
        removed += [line.rstrip() for line in hunk.removed if line.strip()]
        added += [line.rstrip() for line in hunk.added if line.strip()]
    are_entries = all(line.endswith(b",") for line in (*removed, *added))
    gone, come = [line.rstrip(b" ,") for line in removed], [line.rstrip(b" ,") for line in added]
    if not gone or sorted(gone) != sorted(come):
        return None
    language = find_language(diff.change.path)
    texts = [read_line(line) for line in come]
    symbols = [symbol[0] for text in texts if (symbol := language.read_symbol(text))] if language.name else []
    role, holder = OTHER, ""
    if all(is_import(text) for text in texts):
        role, holder = "order", "includes" if texts[0].startswith("#") else "imports"
    elif len(symbols) == 1:
        role, holder = "moved", symbols[0]
    elif (not language.name or are_entries) and len(diff.hunks) <= 2:
        first, last = diff.hunks[0], diff.hunks[-1]
        distance = last.new_start - first.new_start - first.new_count
        between = [line for line in last.before[-distance:] if line.strip()] if distance > 0 else []
        # Below what is indented less, or in another section, it has another parent now.
        least = min(count_indent(line) for line in come)
        if any(count_indent(line) < least or line.startswith(b"[") for line in between):
            return None
        role, holder = "order", "entries"
    lines = sum(max(len(hunk.removed), len(hunk.added)) for hunk in diff.hunks)
    return Edit(role, "lines", "lines", holder, "", lines)


class _HunkReader:
    def __init__(self, diff: FileDiff, hunk: Hunk) -> None:
        path = diff.change.path
        self._is_document = path.lower().endswith(DOCUMENTS)
        self._language = find_language(path)
        name = path.rpartition(b"/")[2]
        # Without an ending, `README` is a document, and `run` is a program.
        if not self._language.endings and (b"." in name or name.isupper()):
            self._is_document = self._is_document or classify_path(path) == DOCUMENTATION
        self._lexed = lex_hunk(hunk, self._language)
        self._is_in_text = is_in_text(hunk, self._language)
        self._family = find_family(path.decode("utf-8", "replace").lower())
        self._place, self._kind = self._find_place(hunk)

    def read(self) -> Edits:
        lexed = self._lexed
        if self._is_document:
            from smartcommit.change.documents import read_document  # most changes are of code

            return read_document(lexed)
        if self._is_in_text:
            return [self._make(OTHER, "text", "text", max(len(lexed.old_lines), len(lexed.new_lines)))]
        commented = _find_commented(lexed.old_lines, lexed.new_lines, lexed.old, lexed.new)
        uncommented = _find_commented(lexed.new_lines, lexed.old_lines, lexed.new, lexed.old)
        if commented or uncommented:
            return [self._make("commented", uncommented, commented, len(lexed.new_lines))]
        old, new = _list_telling(lexed.old), _list_telling(lexed.new)
        old_tokens, new_tokens = _flatten(lexed.old), _flatten(lexed.new)
        texts, new_texts = list_texts(old_tokens), list_texts(new_tokens)
        if texts == new_texts:
            return self._read_comments() if self._is_layout(old, new) else [self._make(OTHER, "x", "x", len(new))]
        is_same = [text for text in texts if text != ";"] == [text for text in new_texts if text != ";"]
        if is_same and len(texts) != len(new_texts):
            sides = ("", ";") if len(new_texts) > len(texts) else (";", "")
            return [self._make("semicolon", *sides, len(lexed.new_lines))]
        if max(len(old), len(new)) > _LINES:
            return [self._make(OTHER, "lines", "lines", max(len(old), len(new)))]
        if not old or not new:
            return self._read_dependencies() or self._read_lines(old and lexed.old, new and lexed.new)
        tried = self._read_tried(old, new) or self._read_guarded(old, new)
        if tried:
            return [tried]
        # In a list of words each line is an entry, also where the last one had no line feed.
        found = self._read_place(old_tokens, new_tokens) if self._family not in (IGNORED, WORDS) else []
        if any(edit.role != OTHER for edit in found):
            return found
        pairs = self._read_pairs(old, new)
        # What differs in more lines than one may be known of each of them.
        is_known = len(pairs) > 1 and all(edit.role != OTHER for edit in pairs)
        found = found if found and len(old_tokens) != len(new_tokens) and not is_known else pairs
        is_unknown = max(len(old), len(new)) <= _LINES_OF_USE and all(edit.role == OTHER for edit in found)
        return (is_unknown and self._read_used(old_tokens, new_tokens)) or found

    def set_parent_of(self, edit: Edit, *, is_alone: bool) -> None:
        """Let a key of data whose name says little be in what it is below; below a secret, no value is said."""
        lines = [*self._lexed.above, *self._lexed.new_lines]
        is_set = edit.role in ("setting", "value") and not (edit.place or self._language.name)
        if not is_set or edit.text not in lines:
            return
        place = len(lines) - lines[::-1].index(edit.text) - 1
        above = lines[:place]
        if edit.new not in _SWITCHES and any(mentions_secret(parent) for parent in list_parents(edit.text, above)):
            edit.role = OTHER
        if edit.holder.strip("\"'").lower() not in _PLAIN_KEYS:
            return
        named = _NAMED.match(above[-1]) if above and edit.holder == "value" else None
        if named is None:
            edit.place = find_parent(edit.text, above) if is_alone else ""
            return
        # A variable of the environment.
        edit.holder = named[1]
        if mentions_secret(edit.holder):
            edit.role = OTHER

    def _read_dependencies(self) -> Edits:
        """Read what a hook of React depends on from now on, where that was nothing."""
        lexed = self._lexed
        ends = [_DEPENDENCIES.match(line) for line in (*lexed.old_lines, *lexed.new_lines)]
        hook = next((found for line in reversed(lexed.above) if (found := _HOOK.search(line))), None)
        if len(ends) != 2 or not ends[0] or not ends[1] or ends[0][1] or hook is None:
            return []
        edit = self._make("item", "", join_names(ends[1][1].split(", ")), 1)
        edit.holder = f"the dependencies of {hook[1]}"
        return [edit]

    def _read_tried(self, old: Lines, new: Lines) -> Edit | None:
        """Read a block around a statement that was there before that handles its errors."""
        starts = [number for number, line in enumerate(new) if line[0].text in ("try", "begin") and len(line) <= 2]
        ends = [number for number, line in enumerate(new) if _HANDLING & set(list_texts(line[:2]))]
        is_one = len(starts) == len(ends) == 1 and ends[0] - starts[0] == 2
        if not is_one or any("try" in list_texts(line) for line in old):
            return None
        calls = [_CALLED.search(write(drop_comments(lines))) for lines in (old, new[starts[0] : ends[0]])]
        if not calls[0] or not calls[1] or calls[0][1] != calls[1][1]:
            return None
        types = [token.text for token in new[ends[0]] if token.kind == NAME and token.text[0].isupper()]
        edit = self._make("caught", "", " and ".join(types[:2]) or f"errors of {calls[0][1]}", len(new))
        edit.names = list_names(drop_comments(new))
        return edit

    def _read_guarded(self, old: Lines, new: Lines) -> Edit | None:
        """Read a condition, a call or a lock around statements that were there before."""
        checked = _CHECKED.match(" ".join([write(line) for line in new])) if len(old) == 1 else None
        if checked and checked[1] == write(drop_comments(old)).removeprefix("_ = "):
            return self._make("check", "", f"the error of {checked[2]}", len(new))
        # `}, 100);` ends the call around them.
        inner = new[1:-1] if len(new) > 2 and new[-1][0].text == "}" else new[1:]
        if [list_texts(line) for line in inner] != [list_texts(line) for line in old]:
            return None
        head = GUARDED.match(write(new[0]))
        if head is None or len(old) > 1:
            return self._read_around(old, new)
        said = say_conditional(head[1], write(_flatten(old)), only=" only")
        edit = self._make("done", "", said, len(new))
        edit.names, edit.text = list_names(new[0]), " ".join(self._lexed.new_lines)
        return edit if said else None

    def _read_around(self, old: Lines, new: Lines) -> Edit | None:
        """Read a call, or a lock, in whose block what was there before is now."""
        text, pattern = write(drop_comments(new[:1])), _AROUND.get(self._language.name)
        head = pattern.match(text) if pattern else None
        if head is None or head[1] in NOT_CALLS:
            return None
        locked = _LOCKS.match(text)
        name = (locked[1] or locked[2]) if locked else head[1]
        edit = self._make("locked" if locked else "wrapped", "", name, len(new))
        called = _STATED.match(write(drop_comments(old))) if len(old) == 1 else None
        edit.holder = called[1] if called else "code"
        edit.names, edit.text = list_names(new[0]), text
        return edit

    def _read_used(self, old: Sequence[Token], new: Sequence[Token]) -> Edits:
        """Read lines whose only new name is that of a function that they call, maybe instead of another one."""
        names = {token.text for token in new if token.kind == NAME}
        others = {token.text for token in old if token.kind == NAME}
        symbols = [self._language.read_symbol(line) for line in (*self._lexed.old_lines, *self._lexed.new_lines)]
        defined = {symbol[0] for symbol in symbols if symbol}
        gone, come = _list_called(old, others - names - defined), _list_called(new, names - others - defined)
        if len(names - others) != 1 or len(come) != 1 or len(gone) > 1:
            return []
        called = next(iter(come))
        if len(called) < _NAME_LETTERS:
            return []
        # What is called neither with nor on the same things does something else.
        alike = [name for name in gone if gone[name] & come[called] or gone[name] == come[called]]
        role, other = ("callee", alike[0]) if alike else ("newly-called", "x")
        edit = self._make(role, other, called, len({token.line for token in new}))
        edit.names = list_names(new)
        return [edit]

    def _read_place(self, old_tokens: Sequence[Token], new_tokens: Sequence[Token]) -> Edits:
        """Read lines that differ in one place, as a call on several lines that gained an argument; else nothing."""
        start, end = count_common_ends(list_texts(old_tokens), list_texts(new_tokens))
        gone, come = (start, len(old_tokens) - end), (start, len(new_tokens) - end)
        sizes = gone[1] - gone[0], come[1] - come[0]
        is_one = max(sizes) <= (_TOKENS if min(sizes) else 4 * _TOKENS)
        is_one = is_one and start + end >= _KEPT * max(len(old_tokens), len(new_tokens))
        # A text in parts.
        kinds = {token.kind for token in (*old_tokens, *new_tokens)}
        is_one = is_one or (bool(self._language.name) and kinds == {STRING})
        is_on_one_line = all(side[0].line == side[-1].line for side in (old_tokens, new_tokens) if side)
        if not is_one or is_on_one_line:
            return []
        return read_spot(self._make_spot(old_tokens, new_tokens, gone, come))

    def _is_layout(self, old: Lines, new: Lines) -> bool:
        """Whether lines with the same tokens mean the same: where indentation has a meaning, it has to be the same."""
        lexed, start = self._lexed, len(self._lexed.above)
        sides = []
        for side, texts in ((old, lexed.old_lines), (new, lexed.new_lines)):
            lines = [texts[line[0].line - start] for line in side]
            sides.append([count_indent(line) for line in lines])
        return not self._language.indents or sides[0] == sides[1] or len(old) != len(new)

    def _make(self, role: str, old: str, new: str, lines: float) -> Edit:
        return Edit(role, old, new, "", self._place, lines, new or old)

    def _make_spot(
        self, old: Sequence[Token], new: Sequence[Token], gone: tuple[int, int], come: tuple[int, int]
    ) -> Spot:
        """Return the place at which `old` and `new` differ, with all tokens of the hunk before it."""
        lexed = self._lexed
        side, start, texts, lines = new, come[0], lexed.new_lines, lexed.new
        if come[0] == come[1]:
            side, start, texts, lines = old, gone[0], lexed.old_lines, lexed.old
        first = side[0].line if side else 0
        above = drop_comments([line for line in lines if line and line[0].line < first])
        before = [*drop_comments(lexed.before), *above, *side[:start]]
        stop = come[1] if side is new else gone[1]
        if come[0] == come[1] or gone[0] == gone[1]:
            shift = _find_shift(list_texts(side), start, stop)
            start, stop = start - shift, stop - shift
            gone, come = (gone[0] - shift, gone[1] - shift), (come[0] - shift, come[1] - shift)
            before = before[: len(before) - shift] if shift else before
        around = Around(self._language, self._place, self._kind, [*lexed.above, *texts], lexed.below)
        return Spot(
            before, old[slice(*gone)], new[slice(*come)], side[stop:], around, len({token.line for token in side})
        )

    def _read_pair(self, old: Sequence[Token], new: Sequence[Token]) -> Edits:
        """Read two lines that replace each other."""
        found = self._read_command(old, new)
        old, new = drop_comments([old]), drop_comments([new])
        places = _join_paths(find_differences(list_texts(old), list_texts(new)), old)
        changed: set[str] = set()
        for place in places:
            changed |= {*list_texts(old[slice(*place[:2])]), *list_texts(new[slice(*place[2:])])}
        if found or changed <= {",", ";"}:
            return found
        text, other = write(old).removesuffix(";"), write(new)
        for pattern, noun in _CLOSING_AT_END:
            closing = pattern.match(other)
            if closing and text == " = ".join(reversed([group for group in closing.groups() if group])):
                return [self._make("used", "call", noun, 2)]
        first, last = places[0], places[-1]
        modules = [find_module(side) for side in (old, new)]
        if len(places) > 1 and all(modules) and modules[0] != modules[1]:
            # Another name of another module.
            return [*self._read_lines([old], []), *self._read_lines([], [new])]
        found = read_spot(self._make_spot(old, new, (first[0], last[1]), (first[2], last[3])))
        if found[0].role == OTHER and LINK.fullmatch(unquote(found[0].old)) and LINK.fullmatch(unquote(found[0].new)):
            found[0].role = "link"
        if found[0].role == OTHER and 1 < len(places) <= _PLACES:
            found = self._read_enclosed(old, new, places)
            for place in places if not found else ():
                spot = self._make_spot(old, new, place[:2], place[2:])
                spot.lines /= len(places)
                found += read_spot(spot)
        return found

    def _read_enclosed(self, old: Sequence[Token], new: Sequence[Token], places: Sequence[tuple[int, ...]]) -> Edits:
        """Read a call around a part of a line, whose brackets are all that came, or went; else nothing."""
        side, start = (new, 2) if places[0][0] == places[0][1] else (old, 0)
        parts = [list_texts(side[place[start] : place[start + 1]]) for place in places]
        others = [place[2 - start] == place[3 - start] for place in places]
        if len(parts) == 2 and all(others) and parts[0][1:] in (["&&", "("], ["and", "("]) and parts[1] == [")"]:
            # A value that was there before, if something else holds: `a && (b)`
            (begin, end, new_begin, new_end), _ = places
            return [self._make_spot(old, new, (begin, end), (new_begin, new_end)).make_moved("check", parts[0][0])]
        if len(parts) != 2 or not all(others) or parts[0][-1:] != ["("] or parts[1] != [")"] or len(parts[0]) < 2:
            return []
        first, last = places[0][start], places[1][start + 1]
        inner = side[places[0][start + 1] : places[1][start]]
        around = (first, first), (first, last)
        spot = self._make_spot(old, new, *(around if side is new else reversed(around)))
        is_member = first > 0 and side[first - 1].text in (".", "?.", "::", "->")
        if is_member or parts[0][0] in ("(", ".") or not is_balanced(inner) or parts[0][0] in NOT_CALLS:
            return []
        called = "".join(parts[0][:-1])
        edit = spot.make_moved("wrapped", called, write(inner))
        if len(edit.holder) > LONGEST:
            edit.role, edit.holder = "call", ""
        return [edit] if called.replace(".", "").replace("::", "").isidentifier() else []

    def _read_pairs(self, old: Lines, new: Lines) -> Edits:
        found: Edits = []
        old_end = new_end = 0
        pairs = pair_lines([list_texts(line) for line in old], [list_texts(line) for line in new])
        for before, after in [*pairs, (len(old), len(new))]:
            lexed = self._lexed
            gone, come = _between(old, old_end, before, lexed.old), _between(new, new_end, after, lexed.new)
            found += self._read_lines(gone, come)
            if before < len(old) and list_texts(old[before]) != list_texts(new[after]):
                found += self._read_pair(old[before], new[after])
            elif before < len(old):
                found.append(self._make("layout", "x", "x", 1))
            old_end, new_end = before + 1, after + 1
        return found

    def _read_lines(self, old: Lines, new: Lines) -> Edits:
        """Read lines that only came, and lines that only went."""
        lexed = self._lexed
        old, new = _drop_prose(old), _drop_prose(new)
        if old and new:
            edit = self._make(OTHER, "lines", "lines", max(len(old), len(new)))
            edit.names = list_names(drop_comments(new))
            return [edit]
        if not old and not new:
            return []
        side, lines = (lexed.new, lexed.new_lines) if new else (lexed.old, lexed.old_lines)
        block = _drop_closing(new or old, side)
        start = len(lexed.above)
        first, last = block[0][0].line - start, block[-1][0].line - start
        around = Around(self._language, self._place, self._kind, [*lexed.above, *lines])
        before = drop_comments([*lexed.before, *[line for line in side if line and line[0].line < block[0][0].line]])
        tokens: Sequence[Token] = drop_comments(block)
        gone, come = ((), tokens) if new else (tokens, ())
        spot = Spot(before, gone, come, (), around, len(block))
        texts = [lines[line[0].line - start] for line in block]
        above, below = [*lexed.above, *lines[:first]], [*lines[last + 1 :], *lexed.below]
        return read_block(Block(block, texts, spot, self._family, above, below))

    def _read_command(self, old: Sequence[Token], new: Sequence[Token]) -> Edits:
        """Read a line of commands, or of words, that replaces another; nothing if it is neither."""
        lexed = self._lexed
        start = len(lexed.above)
        before, after = lexed.old_lines[old[0].line - start].strip(), lexed.new_lines[new[0].line - start]
        above = [*lexed.above, *lexed.new_lines[: new[0].line - start]]
        image, other = before.strip("\"'"), after.strip().strip("\"'")
        words, others = image.split(), other.split()
        found: Edits = []
        pinned = _PINNED.match(other) if "@" in other else None
        element = _TEXT_OF_ELEMENT.match(before) if before.startswith("<") else None
        if other.startswith(f"{image}@sha256:"):
            found = [Edit("pin", "", image.split()[-1].rpartition("/")[2])]
        elif pinned and not _PINNED.match(image) and f"{pinned[1]}@" in image:
            found = [Edit("pin", "", pinned[1])]
        elif words[:1] == others[:1] and words[0] in ("FROM", "image:") and len(words) > 1 and len(others) > 1:
            found = compare_images(words[1], others[1])
        elif "uses: " in image and (used := _USES.match(image)) and (uses := _USES.match(other)) and used[1] != uses[1]:
            found = [Edit("program", used[1], uses[1])]
        elif element and (now := _TEXT_OF_ELEMENT.match(other)):
            found = _compare_elements(element, now)
        elif self._family in (WORDS, IGNORED):
            found = _compare_words(before, other, self._family)
        elif self._family == TARGETS and not after.startswith("\t"):
            found = _compare_targets(before, other)
        elif self._family in (COMMANDS, TARGETS) or (self._family == YAML and is_run(after, above)):
            quoted = find_quoted(before, after.strip())
            instructed = compare_instructions(before, other) if self._family == COMMANDS else None
            if quoted:
                found = [Edit("quotes", "", quoted)]
            elif instructed is not None:
                found = instructed
            else:
                found = list(compare_commands(before, other))
        for edit in found:
            edit.place, edit.text, edit.names = self._place, after, frozenset(edit.new.split())
        return found

    def _read_comments(self) -> Edits:
        """Read a change of comments and documentation alone."""
        lexed = self._lexed
        old, new = _list_comments(lexed.old), _list_comments(lexed.new)
        if old == new:
            return [self._make("layout", "x", "x", 0)]
        texts = [*old, *new]
        above = [text.strip() for text in lexed.above if text.strip()]
        marks = (*_MARKS_OF_DOCUMENTATION, "*/")
        opened = [text for text in above if text.startswith(marks) or text.endswith(("*/", '"""'))]
        is_within = opened and opened[-1].startswith(_MARKS_OF_DOCUMENTATION) and texts[0][:1] not in ("#", "/")
        is_documentation = is_within or any(text.startswith(_MARKS_OF_DOCUMENTATION) for text in texts)
        role = "docstring" if is_documentation else "comment"
        if role == "docstring" and self._language.name != "python":
            role = "documentation" if self._find_documented() else "comment"
        changed = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
        if len(old) == len(new) and all(is_respelled(*pair) for pair in changed):
            role = "spelling"
        elif len({LINK.sub("", " ".join(side)) for side in (old, new)}) == 1:
            role = "link"
        elif self._language.name == "php" and all(_ANNOTATION.match(text) for text in texts):
            role = "annotation"
            old, new = [text.lstrip("* ") for text in old], [text.lstrip("* ") for text in new]
        elif all(DIRECTIVE.match(text) for text in list(chain(*changed)) or texts):
            role = "directive"
            old, new = [_name_directive(text) for text in old], [_name_directive(text) for text in new]
            if old == new:
                role = "layout"
        elif _LICENSED.search(" ".join(new or old)) and not (old and new):
            role = "copyright"
        elif any(_DEPRECATED.search(text) for text in new) and not any(_DEPRECATED.search(text) for text in old):
            return [self._make("deprecated", "", self._find_documented() or self._place, len(new))]
        elif is_documentation and not (old and new) and self._is_part(texts):
            role = "extended"
        if role == "comment" and not new and 2 * sum(_COMMENTED.match(text) is not None for text in old) > len(old):
            role = "dead-code"
        edit = self._make(role, " ".join(old), " ".join(new), max(len(old), len(new)))
        edit.holder = self._find_documented() if role != "dead-code" else ""
        return [edit]

    def _is_part(self, texts: Sequence[str]) -> bool:
        """Whether comments that came, or went, are only a part of a documentation: it goes on beside them."""
        beside = [line.strip() for line in (*self._lexed.above[-1:], *self._lexed.below[:1])]
        if texts[0][:3] in ("///", "//!"):
            return any(line.startswith(texts[0][:3]) for line in beside)
        return not texts[0].startswith(_MARKS_OF_DOCUMENTATION)

    def _find_documented(self) -> str:
        """Return what a documentation is of: in Python the definition above, else the one below."""
        is_above = self._language.name == "python"
        return ("" if is_above else find_defined(self._language, self._lexed.below)) or self._place

    def _find_place(self, hunk: Hunk) -> tuple[str, str]:
        """Return the name and kind of the definition around a hunk: the nearest above, indented less, else git's."""
        lexed = self._lexed
        lines = [line for line in (lexed.new_lines or lexed.old_lines) if line.strip()]
        least = min((count_indent(line) for line in lines), default=0)
        if not self._language.name:
            return "", ""
        for text in (*reversed(lexed.above), read_line(hunk.context)):
            if text.strip(" \t{}()") and count_indent(text) < least:
                least = count_indent(text)
                found = self._language.read_symbol(text)
                if found and found[1] in _DEFINITIONS:
                    return found
        return "", ""


def _name_directive(comment: str) -> str:
    """Return a comment for a tool without its marks and its reason: `noqa: E501` for `# noqa: E501  # a link`."""
    return _REASON.split(comment.strip(_MARKS_OF_COMMENTS), maxsplit=1)[0]


def _compare_words(old: str, new: str, family: str) -> Edits:
    """Return the words of a line that are others, or one pattern of ignored paths for another one."""
    if family == IGNORED:
        return [Edit("ignored", old, new)] if {"!", "#"}.isdisjoint(old[:1] + new[:1]) else []
    words, others = old.split(), new.split()
    begin, end = count_common_ends(words, others)
    gone, come = words[begin : len(words) - end], others[begin : len(others) - end]
    return [Edit("item", " ".join(gone), " ".join(come), words[0])] if begin and len(gone) + len(come) <= 3 else []


def _compare_targets(old: str, new: str) -> Edits:
    """Return what a target of make needs that it did not, or the other way around."""
    target, sign, needed = old.partition(":")
    other, _, needed_now = new.partition(":")
    gone, come = set(needed.split()), set(needed_now.split())
    if target != other or not sign or needed_now[:1] == "=" or (gone - come and come - gone):
        return []
    return [Edit("prerequisite", " ".join(sorted(gone - come)), " ".join(sorted(come - gone)), target)]


def _compare_elements(old: re.Match[str], new: re.Match[str]) -> Edits:
    """Return what differs in an element of markup with a text."""
    if old[1] != new[1] or old[2] == new[2]:
        return []
    if is_respelled(old[2], new[2]):
        return [Edit("spelling", old[2], new[2])]
    if is_version(old[2]) and is_version(new[2]):
        return []
    if new[2].count(" ") > 1:
        return [Edit("message", old[2], new[2], "text")]
    return [Edit("value", old[2], new[2], old[1].partition(" ")[0].strip("<>"))]


def _find_commented(code: Sequence[str], comments: Sequence[str], code_tokens: Lines, comment_tokens: Lines) -> str:
    """Return the first of the comments that have all of the lines of code, and few others; or an empty text."""
    if not code or not comments or not all(is_prose(line) for line in comment_tokens if line):
        return ""
    # `// A word` that became `/// A word` was no code.
    if all(is_prose(line) for line in code_tokens):
        return ""
    bare = [line.strip(_MARKS_OF_COMMENTS) for line in code]
    kept = [comment.strip() for comment in comments if comment.strip(_MARKS_OF_COMMENTS) in bare]
    texts = {comment.strip(_MARKS_OF_COMMENTS) for comment in comments}
    return kept[0] if texts.issuperset(bare) and len(comments) - len(kept) <= _LINES_EXPLAINING else ""


def _list_comments(lines: Lines) -> list[str]:
    texts: list[str] = []
    for line in lines:
        texts += [token.text for token in line if token.kind == COMMENT]
    return texts


def _flatten(lines: Lines) -> list[Token]:
    """Return the tokens of lines without comments, and without commas that only end a list."""
    found: list[Token] = []
    for token in drop_comments(lines):
        if token.text in CLOSING and found and found[-1].text == ",":
            found.pop()
        found.append(token)
    return found


def _drop_prose(lines: Lines) -> Lines:
    """Return the lines of code, those of a preprocessor's condition only if there is nothing else."""
    told = [line for line in lines if not is_prose(line)]
    return [line for line in told if line[0].text not in _OF_PREPROCESSOR] or told


def _list_called(tokens: Sequence[Token], names: Set[str]) -> dict[str, set[str]]:
    """Return which of some names are called, each with the names and texts that it is called with and on."""
    found: dict[str, set[str]] = {}
    for place, (token, following) in enumerate(pairwise(tokens)):
        if following.text == "(" and token.text in names and token.text not in NOT_CALLS:
            *owner, name = read_path(tokens, place).split(".")
            line = [other for other in tokens[place + 2 :] if other.line == token.line]
            texts = [other.text for other in line if other.kind in (NAME, STRING)]
            found.setdefault(name, set()).update(owner, texts)
    return found


def _list_telling(lines: Lines) -> list[Sequence[Token]]:
    """Return the lines that are no comments and not only the end of something."""
    found = []
    for line in lines:
        text = "".join(list_texts(line))
        if not is_prose(line) and text.strip("()[]{},;<>/ ") and text not in ("end", "else", "fi", "done", "esac"):
            found.append(line)
    return found


def _between(telling: Lines, start: int, end: int, side: Lines) -> Lines:
    """Return the lines from one that says something to another, with those between that only close brackets."""
    if start == end:
        return []
    last = telling[end][0].line if end < len(telling) else 1 << 30
    return [line for line in side if line and telling[start][0].line <= line[0].line < last]


def _drop_closing(block: Lines, side: Lines) -> Lines:
    """Return what came, or went, without the brackets at its start that close what stands before it."""
    lines = [list(drop_comments([line])) for line in block]
    first = next((line for line in side if line), [])
    closing: list[Token] = []
    while lines and (lines[0] == [] or (lines[0][0].text in (*CLOSING, ",") and block[0][0] in first)):
        if lines[0]:
            closing.append(lines[0].pop(0))
        else:
            lines.pop(0)
    told = [line for line in lines if line]
    if told and not is_balanced(_flatten(told)):
        # What closed what stands before closes what came now.
        told[-1] = told[-1] + closing
    return told or block


def _join_paths(places: Sequence[tuple[int, int, int, int]], old: Sequence[Token]) -> list[tuple[int, int, int, int]]:
    """Make one of two places between which only a dot stands: `e.fail` that became `log.Printf` is one name."""
    joined = list(places[:1])
    for start, end, new_start, new_end in places[1:]:
        first, last, new_first, new_last = joined[-1]
        if start - last == new_start - new_last == 1 and old[last].text in (".", "::", "->"):
            joined[-1] = (first, end, new_first, new_end)
        else:
            joined.append((start, end, new_start, new_end))
    return joined


def _find_shift(texts: Sequence[str], start: int, stop: int) -> int:
    """Return how far to the left the same tokens came, or went, as a part of a list or of a condition."""
    for shift in range(min(start, _SHIFTED) + 1):
        if texts[start - shift : start] != texts[stop - shift : stop]:
            break
        moved = texts[start - shift : stop - shift]
        if moved and {moved[0], moved[-1]} & {",", "&&", "||", "and", "or"}:
            return shift
    return 0
