"""Lines as tokens: names, numbers, strings, comments and signs, by the marks of the language.

There is one lexer for all languages. In code a token is a name, a number or a sign; in data and commands it is a word,
so that `--depth=1`, `pkgs.m4` and `openjdk:8` are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from re import escape

from smartcommit.change.languages import Language
from smartcommit.change.text import LINES_READ, read_line
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from smartcommit.change.text import Side
    from smartcommit.git.diff import Hunk

NAME = "name"
NUMBER = "number"
STRING = "string"
COMMENT = "comment"
SIGN = "sign"
OPENING = ("(", "[", "{")
CLOSING = (")", "]", "}")
# How many brackets more are open after a token.
_STEPS = {**dict.fromkeys(OPENING, 1), **dict.fromkeys(CLOSING, -1)}
# A regular expression of JavaScript or Ruby, by what stands before it.
_PATTERNS = r"|(?:(?<=[=,:&|?] )|(?<=[(\[]))/(?![*/ ])(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/[a-z]*"
_STRINGS = r"[bfruBFRU@$]{0,2}\"(?:[^\"\\]|\\.)*\"|(?<!\w)[bfruBFRU]{0,2}'(?:[^'\\]|\\.)*'|`[^`]*`"
# In Rust and C, what a single quote begins may be a lifetime, or is one character.
_STRINGS_OF_CHARACTERS = r"[bLru]{0,2}#?\"(?:[^\"\\]|\\.)*\"#?|'(?:[^'\\]|\\.[^']{0,8})'"
_DASH = r"(?:-(?=[a-z])[\w-]+(?<=\w))?"
_CODE = (
    rf"(?P<number>\d[\w.]*)|(?P<name>[@$#]?[^\W\d][\w$]*[!?]?(?<![^=]!(?==)){_DASH})"
    r"|(?P<sign>[=!]==?|<=>|[<>*+/&|%^?~-]?=(?![=>])|=>|->|&&|\|\||\?\?|\?\.|::|\.{2,3}|<-|\|>|\*\*|\S)"
)
_WORDS = (
    r"(?P<name>(?:\$\{\{?[^}]*\}?\}|[^\s\"'`\[\]{}(),;=<>|&:]|:(?=[^\s\"'\[{])(?<=\w:))+)"
    r"|(?P<sign>==|=>|&&|\|\||[<>]=|>>|\S)"
)
# Endings of languages whose names may have dashes, though they are code; and languages that are read as words.
_DASHED = list_words("css scss less clj lisp el scm nix")
_OF_WORDS = {"shell"}
_OF_CHARACTERS = {"rust", "c"}
_NO_COMMENTS = (b"/*", b"*/", b"* ", b"<!--")
# What a mark of comments is not followed by: the interpreter of a script, a command to Go's compiler.
_EXCEPT = {b"#": "(?!!/)", b"//": "(?!go:)", b"@doc": r'(?!\s+false|.*""")', b"@moduledoc": '(?!.*""")'}
_PREFIX = "[rRbBuUfF]{0,2}"
_PREFIXED = compile_on_use(rf"\s*{_PREFIX}\Z")
# What code has, and words hardly have.
_CODE_SIGNS = compile_on_use(r"[=()\[\]{}]|:\s*\Z|^\s*(?:return|import|from|pass|raise|yield|@\w)\b")
# What stands before a text on several lines that is the value of something.
_BEFORE_TEXT = ("=", "(", ",", "[", "return", "+", "in")


class Token:
    """A token; `line` counts from 0 within what was read, and `gap` says that a blank or the line's start precedes."""

    __slots__ = ("gap", "kind", "line", "text")

    def __init__(self, text: str, kind: str, line: int, *, gap: bool) -> None:
        self.text = text
        self.kind = kind
        self.line = line
        self.gap = gap


class _Syntax:
    """How a language is lexed: the pattern of a token, and what closes each mark that opens several lines."""

    def __init__(self, language: Language) -> None:
        is_dashed = not _DASHED.isdisjoint(language.endings.split())
        self.is_code = is_dashed or (bool(language.name) and language.name not in _OF_WORDS)
        self.blocks: dict[str, str] = {}
        if b"//" in language.comments:
            self.blocks["/*"] = "*/"
        if b"<!--" in language.comments:
            self.blocks["<!--"] = "-->"
        self.blocks.update(language.blocks)
        # Those of comments and documentation.
        self.marks = {mark for mark in (*self.blocks, *self.blocks.values()) if mark != "`"}
        strings = _STRINGS_OF_CHARACTERS if language.name in _OF_CHARACTERS else _STRINGS
        if language.name in ("javascript", "ruby"):
            strings += _PATTERNS
        tokens = _WORDS
        if self.is_code:
            tokens = _CODE if is_dashed else _CODE.replace(_DASH, "")
        comments = []
        for start in language.comments:
            if start not in _NO_COMMENTS:
                # `a#b` and `https://b` are words.
                before = "" if self.is_code else r"(?<!\S)"
                comments.append(before + escape(start.decode()) + _EXCEPT.get(start, ""))
        blocks = [_PREFIX * (mark[0] in "\"'") + escape(mark) for mark in self.blocks]
        never = "(?!)"
        self.pattern: re.Pattern[str] = compile_on_use(
            rf"\s*(?:(?P<block>{'|'.join(blocks) or never})|(?P<comment>(?:{'|'.join(comments) or never}).*)"
            rf"|(?P<string>{strings})|{tokens})"
        )


read_syntax = cache(_Syntax)


class _State(Record):
    """What is known before a line: what closes the text that is open and its kind, both empty if none is; the last
    token of code, and the number of the line.
    """

    close: str = ""
    kind: str = ""
    last: str = ""
    line: int = 0


def _lex(lines: Sequence[str], language: Language, state: _State) -> tuple[list[list[Token]], _State]:
    """Return the tokens of each line, and the state after the last one.

    Those of a comment or text on several lines are one a line.
    """
    syntax = read_syntax(language)
    close, kind, last = state.close, state.kind, state.last
    found: list[list[Token]] = []
    for number, line in enumerate(lines, state.line):
        tokens: list[Token] = []
        position = 0
        while position < len(line):
            start = position
            if close:
                position, close = _find_end(line, close, position)
                if line[start:position].strip():
                    tokens.append(Token(line[start:position].strip(), kind, number, gap=True))
                continue
            match = syntax.pattern.match(line, position)
            if match is None:
                break
            group, position = match.lastgroup or SIGN, match.end()
            text = match[group]
            begin = position - len(text)
            if group == "block":
                close = syntax.blocks[text.lstrip("rRbBuUfF") or text]
                # A text that stands alone documents something.
                is_text = text == "`" or (text[-1] in "\"'" and (tokens or last in _BEFORE_TEXT))
                group = kind = STRING if is_text and last not in ("@doc", "@moduledoc") else COMMENT
                if tokens and kind == COMMENT:
                    tokens[-1].kind = COMMENT
                position, close = _find_end(line, close, position)
                text = line[begin:position]
            tokens.append(Token(text, group, number, gap=begin > start or not start))
            last = last if group == COMMENT else text
        found.append(tokens)
    return found, _State(close, kind, last, state.line + len(lines))


def _find_end(line: str, close: str, position: int) -> tuple[int, str]:
    """Return where a text on several lines ends that `close` closes, and what is still needed to close it, if any."""
    stop = line.find(close, position)
    return (len(line), close) if stop < 0 else (stop + len(close), "")


def _find_state(lines: Sequence[str], language: Language) -> _State:
    """Return in what the first of `lines` begins, as the first mark below tells: one that closes was opened above."""
    text = "\n".join(lines)
    for opening, closing in read_syntax(language).blocks.items():
        if opening not in text and closing not in text:
            continue
        for number, line in enumerate(lines):
            start, end = line.find(opening), line.find(closing)
            if line.lstrip().startswith("//"):
                continue  # `// reads **/lib/*.js`
            if opening == "`" or (start < 0 and end < 0) or (opening == closing and line.count(opening) % 2 == 0):
                continue
            # In a text, as in a pattern of paths, they are no marks.
            is_mark = line.strip().startswith(("*", "/*")) or line.rstrip().endswith(closing) or start >= 0
            if opening != closing and (not is_mark or set(line[: max(start, 0)]) & set("\"'`")):
                continue
            opens = 0 <= start < end or end < 0
            if opening == closing:
                opens = _opens(lines[:number], line[:start], line[start + len(opening) :], lines[number + 1 :])
            if not opens:
                return _State(closing, COMMENT)
            break
    return _State()


def _opens(above: Sequence[str], before: str, after: str, below: Sequence[str]) -> bool:
    """Whether a mark that opens and closes alike opens; alone on its line, it stands above or below the words."""
    if before.strip() or after.strip():
        is_value = before.rstrip()[-1:] in ("=", "(", ",", "[") or before.lstrip()[:1] == "@"
        return is_value or _PREFIXED.match(before) is not None
    previous, following = [line for line in above if line.strip()][-2:], [line for line in below if line.strip()][:2]
    code = sum(_CODE_SIGNS.search(line) is not None for line in previous)
    code_below = sum(_CODE_SIGNS.search(line) is not None for line in following)
    if code == code_below:
        return not previous or previous[-1].rstrip().endswith(":")
    return code > code_below


class LexedHunk:
    """The tokens of a hunk: of the lines before it, and of those on each of its sides."""

    def __init__(self, hunk: Hunk, language: Language) -> None:
        self.above, self.below = _decode(hunk.before), _decode(hunk.after)
        self.old_lines, self.new_lines = _decode(hunk.removed), _decode(hunk.added)
        state = _find_state([*self.above, *(self.new_lines or self.old_lines), *self.below], language)
        if "`" in read_syntax(language).blocks and not state.close and sum(line.count("`") for line in self.above) % 2:
            # A text begins above these lines, or else ends below: then what is in it is no code either way.
            state = _State("`", STRING)
        self.before, state = _lex(self.above, language, state)
        self.old, _ = _lex(self.old_lines, language, state)
        self.new, _ = _lex(self.new_lines, language, state)


def _decode(raw: Sequence[bytes]) -> list[str]:
    return [read_line(line).rstrip() for line in raw[:LINES_READ]]


def lex_hunk(hunk: Hunk, language: Language) -> LexedHunk:
    # Cached on the hunk, which belongs to one file.
    kept = vars(hunk)
    lexed: LexedHunk | None = kept.get("_lexed")
    if lexed is None:
        lexed = kept["_lexed"] = LexedHunk(hunk, language)
    return lexed


def is_in_text(hunk: Hunk, language: Language) -> bool:
    """Whether a hunk is within a text on several lines, in a format in which these document nothing, as in TOML."""
    text = b"\n".join(hunk.before)
    return not read_syntax(language).marks and any(text.count(mark) % 2 == 1 for mark in (b'"""', b"'''"))


# A comment that a tool reads.
DIRECTIVE = compile_on_use(
    r"[\s/#*;<!{-]*(?:(?:noqa|type|pylint|ruff|mypy|pyright|fmt|isort|flake8|pragma|rubocop|phpcs|c?spell|go|swiftlint):"
    r"|noqa\Z|@ts-|(?i:nolint|noinspection|nosec|nosonar)|(?:es|ts|style|md|markdown)lint-"
    r"|(?:prettier|oxfmt|dprint|biome|deno-lint)-?ignore|istanbul |[vc]8 ignore|shellcheck )"
)


def find_prose(hunk: Hunk, language: Language, side: Side) -> Sequence[bool]:
    """Return of each line of one side whether it is blank, a comment or a documentation and nothing else."""
    kept = vars(hunk)
    found: dict[Side, list[bool]] | None = kept.get("_prose")
    if found is None:
        # In a text of TOML, `#` begins no comment.
        is_silent = bytes.isspace if is_in_text(hunk, language) else language.is_comment
        found = {
            "removed": [not line or is_silent(line) for line in hunk.removed],
            "added": [not line or is_silent(line) for line in hunk.added],
        }
        # Only what is on several lines takes tokens.
        text = b"\n".join((*hunk.before, *hunk.removed, *hunk.added, *hunk.after))
        if any(mark.encode() in text for mark in read_syntax(language).marks):
            lexed = lex_hunk(hunk, language)
            for flags, tokens in ((found["removed"], lexed.old), (found["added"], lexed.new)):
                for number, line in enumerate(tokens):
                    flags[number] = flags[number] or is_prose(line)
        kept["_prose"] = found
    return found[side]


def is_prose(tokens: Sequence[Token]) -> bool:
    """Whether a line is a comment and nothing else, or blank."""
    return all(token.kind == COMMENT for token in tokens)


def write(tokens: Sequence[Token]) -> str:
    """Return tokens as they are written, on one line."""
    text, line = "", -1
    for token in tokens:
        is_apart = token.gap or token.line != line
        if text and is_apart and text[-1] not in "([" and token.text not in (")", "]", ","):
            text += " "
        text, line = text + token.text, token.line
    return text


def list_texts(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def drop_comments(lines: Sequence[Sequence[Token]]) -> list[Token]:
    found: list[Token] = []
    for line in lines:
        found += [token for token in line if token.kind != COMMENT]
    return found


def list_names(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.text.strip("\"'`") for token in tokens if token.kind in (NAME, STRING))


def unquote(text: str) -> str:
    """Return a text without its quotes if it is one word that says something alone."""
    bare = text[1:-1]
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'`" and not any(char.isspace() for char in bare):
        return bare if any(char.isalnum() for char in bare) or len(bare) > 2 else text
    return text


def find_open(tokens: Sequence[Token]) -> list[int]:
    """Return the positions of the brackets that are open at the end of `tokens`, the outermost first."""
    opened: list[int] = []
    for position, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(position)
        elif token.text in CLOSING and opened:
            opened.pop()
    return opened


def split_entries(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens between commas outside of brackets; no part is empty."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += _STEPS.get(token.text, 0)
        if token.text in (",", ";") and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def count_open(tokens: Sequence[Token]) -> int:
    """Return how many brackets more `tokens` open than they close."""
    return sum(_STEPS.get(token.text, 0) for token in tokens)


def is_balanced(tokens: Sequence[Token]) -> bool:
    depth = 0
    for token in tokens:
        depth += _STEPS.get(token.text, 0)
        if depth < 0:
            return False
    return depth == 0
