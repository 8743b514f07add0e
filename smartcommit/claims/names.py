"""Whether the names and versions of a message are in its change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from smartcommit.claims.evidence import ChangeEvidence, fold
from smartcommit.claims.mentions import Mention, Statement, is_identifier
from smartcommit.patterns import compile_on_use

# Characters of a name that is looked for; a shorter one is found anywhere.
_SHORTEST = 3
# Up to this length, and without an inner capital or an underscore, a name must be a word of its own.
_PLAIN = 8
_PIECE = compile_on_use(r"[\w$-]+")
# A piece of code with more than a name.
_SNIPPET = compile_on_use(r"[ =\"'<>]|\([^)]")
_VERSION = compile_on_use(
    r"(?i)(?:\bto|\b(?:bump|upgrad|updat|releas|version|prepar)\w*|->|→)\s+(?:\w+\s+)??v?(\d+\.\d+(?:\.\d+)*)(?![\w-]|\.\w)"
)


def check_names(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    """Yield the names and paths that are in no line and no path of the change."""
    for mention in statement.list_mentions():
        # Of files that git does not print, the paths are known.
        if not mention.is_path and not change.is_readable:
            continue
        if not _is_shown(mention, change):
            what = "path" if mention.is_path else "name"
            text = f"'{mention.words}' is in no line or path of the change"
            yield mention.offset, text, f"the {what} of what changes, as it is written there"


def _is_shown(mention: Mention, change: ChangeEvidence) -> bool:
    text = change.whole_text
    if mention.is_path:
        name = mention.words.rstrip("/").rpartition("/")[2].lower()
        return re.search(rf"(?<![a-z0-9]){re.escape(name)}", text.lower()) is not None
    shown: list[bool] = []
    is_missing = False
    for piece in _PIECE.findall(mention.words):
        if len(fold(piece)) >= _SHORTEST:
            shown.append(_has(text, piece))
            # Of `Url.parseQuery()` the first word may be from elsewhere, unless it could be nothing but an identifier.
            is_missing = is_missing or (not shown[-1] and is_identifier(piece))
    if not shown or (any(shown) and _SNIPPET.search(mention.words)):
        return True
    return shown[-1] and not is_missing


def _has(text: str, word: str) -> bool:
    """Whether a text has the word, in any casing, or in the plural, or as a part of another name."""
    folded, searched = fold(word), fold(text)
    for name in (folded, folded.removesuffix("s")):
        if len(name) < _SHORTEST or name not in searched:
            continue
        if len(name) > _PLAIN or is_identifier(word):
            return True
        # A short word is in many others by chance: `bool` in `symbolic`.
        start = f"(?<![A-Za-z]){name}|(?<![a-z]){name.upper()}|{name.capitalize()}"
        if re.search(f"(?:{start}|(?<![A-Za-z]){re.escape(word)})(?![a-rt-z])", text):
            return True
    return False


def check_versions(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    """Yield the versions in the header that are in no line, where it says that one changes."""
    text = change.whole_text
    for match in _VERSION.finditer(statement.header):
        numbers = match[1]
        if not re.search(rf"(?<![\d.]){re.escape(numbers.removesuffix('.0'))}(?!\d)", text):
            yield match.start(1), f"'{numbers}' is in no line or path of the change", "the version that changes"
