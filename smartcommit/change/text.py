"""What the lines of a change say: its text, and the names and words in it.

The reading is cached on the hunk, so that it is done once for the whole package. It is lazy, so that unused parts cost
nothing, and bounded by the limits below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property, lru_cache

from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr, Literal

    from smartcommit.git.diff import Hunk

    Side = Literal["removed", "added"]

SIDES: tuple[Side, Side] = ("removed", "added")
# Bytes of a line that are read: longer lines are data or generated, and would take patterns a long time.
LINE_BYTES = 400
# Lines of each side of a hunk that are read: the rest of a generated file tells nothing new.
LINES_READ = 4000
# Comparing takes longer than reading.
LINES_COMPARED = 400  # of each side of a hunk
HUNKS_COMPARED = 100  # of a file
# Lines of a whole change that are sampled for its words. The weights of drafts are fitted to samples of this size.
LINES_SAMPLED = 300
# Number of files whose lines are sampled: the first ones show what a large change is about.
FILES_SAMPLED = 60
# Maximum characters of a name: a longer one is data.
NAME_LENGTH = 61

_NAME = compile_on_use(rf"[A-Za-z_][A-Za-z0-9_]{{0,{NAME_LENGTH - 1}}}")
# Between `parse` and `HTTP` and between `HTTP` and `Server` in `parseHTTPServer`, and at underscores.
_PARTS = compile_on_use(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|_+")
_WORD = compile_on_use(r"[a-z]{2,20}")
_IMPORT = compile_on_use(
    r"^(?:import\b|from\s+\S+\s+import\b|#\s*include\b|(?:pub\s+)?(?:use\s+[\w:]+[;:]|mod\s+\w+;))"
    # A part of a declaration of several lines, in Rust.
    r"|^(?:\w+::)+\{[\w, :*{}]*\},?\Z"
    # `require(x > 0, "none")` is a condition.
    r"|\brequire(?:_relative)?\s+['\"]|\b(?:import|require)\s*\(\s*(?:['\"`/\[]|\Z|path\.|[\w.$]+\s*\))|\bfrom\s+['\"]"
)
# One of these is in every line that imports something; most have none.
_IMPORT_WORDS = ("import", "from", "include", "require", "use", "mod", "::")
# Tokens of code.
TOKEN = compile_on_use(r"\w+|[^\w\s]")
# A link in a text, also as Markdown has it.
LINK = compile_on_use(r"https?://[^\s)>\"'`]{1,300}|\]\([^)\s]{1,300}\)")
# A letter, a digit or an underscore: what has none says nothing.
ALPHANUMERIC = compile_on_use(r"\w")
# Lines that only close what others opened.
_CLOSING = {"end", "else", "else:", "} else {", "fi", "done", "esac"}
_DIGITS = frozenset("0123456789")


def read_line(line: bytes) -> str:
    """Return as text what is read of a line: whatever looks at lines of a change takes them from here."""
    return line[:LINE_BYTES].decode("utf-8", "replace")


class Lines:
    """The removed or the added lines of a hunk, as text without indentation."""

    def __init__(self, raw: Sequence[bytes]) -> None:
        self._raw = raw
        self._lines: list[str] = []
        self._names: list[list[str]] = []

    def read(self, limit: int = LINES_READ) -> list[str]:
        """Return the first lines, at most `limit` and LINES_READ; the list is not the caller's to change."""
        lines = self._lines
        if len(lines) == len(self._raw) <= limit:
            return lines
        for line in self._raw[len(lines) : min(limit, LINES_READ)]:
            lines.append(read_line(line).strip())
        return lines[:limit]

    def names(self, limit: int = LINES_READ) -> list[str]:
        """Return the names in the first lines, in their order, as often as they occur."""
        for line in self.read(limit)[len(self._names) :]:
            self._names.append(find_names(line))
        found: list[str] = []
        for names in self._names[:limit]:
            found += names
        return found

    @cached_property
    def spoken(self) -> frozenset[str]:
        return frozenset(self.names())

    def having(self, names: Set[str]) -> Iterator[str]:
        if not names:
            return
        self.names()
        for line, found in zip(self._lines, self._names, strict=True):
            if not names.isdisjoint(found):
                yield line


class HunkText:
    def __init__(self, hunk: Hunk) -> None:
        self.hunk = hunk
        self.removed = Lines(hunk.removed)
        self.added = Lines(hunk.added)

    def side(self, side: Side) -> Lines:
        return self.added if side == "added" else self.removed

    @cached_property
    def context(self) -> str:
        """The line that opens the enclosing function, or an empty text if git does not know it."""
        return read_line(self.hunk.context)

    def pairs(self, limit: int) -> list[tuple[str, str]] | None:
        """Return the lines that replace each other, side by side; None if there are more than `limit`, or unpaired."""
        if len(self.hunk.removed) != len(self.hunk.added) or len(self.hunk.added) > limit:
            return None
        return list(zip(self.removed.read(), self.added.read(), strict=True))


def read_hunk(hunk: Hunk) -> HunkText:
    # Cached on the hunk, which a split shares with the drafts of its messages.
    kept = vars(hunk)
    text: HunkText | None = kept.get("_text")
    if text is None:
        text = kept["_text"] = HunkText(hunk)
    return text


def share_text(hunk: Hunk, other: Hunk) -> None:
    """Let `other`, which has the same lines, have what is read of those of `hunk`."""
    vars(other)["_text"] = read_hunk(hunk)


def read_lines(hunks: Iterable[Hunk], side: Side, limit: int = LINES_READ) -> list[str]:
    """Return the first `limit` lines that all `hunks` together have on one side."""
    lines: list[str] = []
    for hunk in hunks:
        if len(lines) >= limit:
            break
        lines += read_hunk(hunk).side(side).read(limit - len(lines))
    return lines


def mentions(text: str, name: str) -> bool:
    """Whether `name` stands in `text` as a whole word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not ALPHANUMERIC.match(text[start - 1 : start]) and not ALPHANUMERIC.match(text[end : end + 1]):
            return True
        start = text.find(name, start + 1)
    return False


def find_names(text: str) -> list[str]:
    """Return the names (identifiers, keywords and other words) in `text`, in their order."""
    return _NAME.findall(text)


@lru_cache(maxsize=4096)
def split_identifier(name: str) -> tuple[str, ...]:
    """Return the words that a name consists of, in lower case: `parse`, `http` and `2` of `parseHTTP_2`."""
    return tuple([part.lower() for part in _PARTS.split(name.replace("-", "_")) if part])


def find_words(texts: Iterable[str]) -> dict[str, None]:
    """Return the words of `texts` and of the compound names in them, in their order."""
    return dict.fromkeys(_WORD.findall(_PARTS.sub(" ", "\n".join(texts)).lower()))


def squeeze(line: str) -> str:
    """Return `line` without blanks."""
    return "".join(line.split())


def drop_parentheses(text: str) -> str:
    """Return `a` for `(a)`, but `(a) && (b)` as it is."""
    depth = 0
    for sign in text[:-1]:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0:
            return text
    return text[1:-1].strip() if text.endswith(")") else text


def count_indent(line: AnyStr) -> int:
    return len(line) - len(line.lstrip())


def has_digit(text: str) -> bool:
    """Whether `text` has a digit, without which it holds no version."""
    return not _DIGITS.isdisjoint(text)


def is_import(line: str) -> bool:
    """Whether `line` imports something, in any of the usual languages."""
    return any(word in line for word in _IMPORT_WORDS) and _IMPORT.search(line) is not None


def says_nothing(line: str) -> bool:
    """Whether a line is blank or holds only brackets, signs or the end of a block."""
    return not ALPHANUMERIC.search(line) or line in _CLOSING
