"""Whether an edit of source is what a formatter does: quotes, line breaks, last commas, the layout of imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from smartcommit.git.diff import Hunk
from smartcommit.patterns import compile_on_use

# A text on one line is one token, since its blanks are no layout.
TOKEN = compile_on_use(rb'"[^"\\]*"|\w+|[^\w\s]')
_NAME = compile_on_use(rb"\w")
# Endings of source in which both kinds of quotes mean the same, and of all source in which imports are sorted.
_QUOTED_ALIKE = {"py", "pyi", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "dart"}
_FORMATTED = {*_QUOTED_ALIKE, "go", "rs", "java", "kt", "scala", "swift", "cs", "php"}
_IMPORT_WORDS = {b"import", b"from", b"use", b"using"}
# Tokens after which a bracket at the end of a line of Python only allows the expression to go on.
_BEFORE_EXPRESSION = {b"=", b"return", b"in", b"assert"}
_OPENING, _CLOSING = {b"(", b"[", b"{"}, {b")", b"]", b"}"}
# A comma at the end of a line, until it is known that it ends no list.
_LAST_COMMA = b",\n"


def differ_in_style(hunks: Iterable[Hunk], ending: str, *, indented: bool) -> bool:
    """Whether only the style differs in all hunks of a file; `indented` says that its indentation has a meaning."""
    if ending not in _FORMATTED:
        return False
    # The names in the imports of each side: they move from one hunk to another.
    imported: tuple[set[bytes], set[bytes]] = set(), set()
    for hunk in hunks:
        sides = []
        for lines, names in zip((hunk.removed, hunk.added), imported, strict=True):
            side: list[bytes] = []
            for indentation, tokens in _Statements(ending).read(lines):
                if tokens[0] in _IMPORT_WORDS:
                    names.update(filter(_NAME.search, tokens))
                else:
                    side += [b"\n", indentation, *tokens] if indented else tokens
            sides.append(side)
        if sides[0] != sides[1]:
            return False
    return imported[0] == imported[1]


class _Statements:
    """Reads lines as statements, which go on while a bracket is open, without the tokens that only allow that."""

    def __init__(self, ending: str) -> None:
        self._ending = ending
        self._tokens: list[bytes] = []
        # For each open bracket, whether it is left out.
        self._opened: list[bool] = []

    def read(self, lines: Sequence[bytes]) -> Iterator[tuple[bytes, list[bytes]]]:
        """Yield the indentation and the tokens of each statement."""
        indentation = b""
        for line in filter(bytes.strip, lines):
            if not self._tokens:
                indentation = line[: len(line) - len(line.lstrip())]
            parts = TOKEN.findall(line.replace(b"'", b'"') if self._ending in _QUOTED_ALIKE else line)
            is_continued = parts[-1] == b"\\"
            if is_continued:
                parts.pop()
            for number, part in enumerate(parts, 1):
                self._take(part, is_last=number == len(parts))
            if self._tokens and not self._opened and not is_continued:
                yield indentation, self._tokens
                self._tokens = []
        if self._tokens:
            yield indentation, self._tokens

    def _take(self, part: bytes, *, is_last: bool) -> None:
        tokens = self._tokens
        if tokens and tokens[-1] == _LAST_COMMA:
            tokens[-1] = b","
            if part in _CLOSING:
                tokens.pop()
        is_left_out = False
        if part in _OPENING:
            is_expression = part == b"(" and tokens and tokens[-1] in _BEFORE_EXPRESSION
            is_left_out = is_last and bool(is_expression) and self._ending == "py"
            self._opened.append(is_left_out)
        elif part in _CLOSING and self._opened:
            is_left_out = self._opened.pop()
        if not is_left_out:
            tokens.append(_LAST_COMMA if part == b"," and is_last and self._opened else part)
