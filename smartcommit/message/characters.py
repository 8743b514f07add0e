"""Invisible and control characters that affect how text is displayed.

Control characters, bidirectional marks and overrides, zero-width characters, line and paragraph separators, fillers,
tags, and lone surrogates (bytes that are not text). Source: Unicode 15, general categories Cc, Cf, Cs, Zl and Zp,
except the visible number and verse signs of Arabic, Syriac and Kaithi; Unicode Technical Report 36.
"""

from __future__ import annotations

from collections.abc import Sequence

_UNSAFE = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
# Python counts these as letters or marks, so `str.isprintable` accepts them.
_PRINTABLE_BUT_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_JOINERS = "\u200c\u200d"


def is_unsafe(character: str) -> bool:
    code = ord(character)
    return any(low <= code <= high for low, high in _UNSAFE)


def is_plain(text: str) -> bool:
    """Return whether every character of `text` is visible; line feeds and tabs are not."""
    return text.isprintable() and (text.isascii() or not any(c in text for c in _PRINTABLE_BUT_BLANK))


def find_unsafe(line: str) -> int:
    """Return the offset of the first unsafe character of a line, or -1.

    Tabs, a carriage return at the end, and joiners between two non-ASCII characters are allowed: Persian, Indic scripts
    and emoji need joiners.
    """
    line = line.removesuffix("\r")
    if is_plain(line):
        return -1
    for position, character in enumerate(line):
        if character.isprintable() and character not in _PRINTABLE_BUT_BLANK:
            continue
        if is_unsafe(character) and character != "\t" and not _joins(line, position):
            return position
    return -1


def escape(character: str) -> str:
    """Return an unsafe character as `\\x1b` or `\\u202e`, and a byte that is not text (surrogateescape) as `\\xff`."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def printable(text: str, *, keep: str = "") -> str:
    """Return `text` with its unsafe characters escaped, except those in `keep` (such as a line feed)."""
    if is_plain(text):
        return text
    for character in set(text).difference(keep):
        if is_unsafe(character):
            text = text.replace(character, escape(character))
    return text


def list_some(names: Sequence[str], most: int) -> str:
    """Return the first `most` of `names`, and how many more there are."""
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def _joins(line: str, position: int) -> bool:
    if line[position] not in _JOINERS or not 0 < position < len(line) - 1:
        return False
    before, after = line[position - 1], line[position + 1]
    return before > "\x7f" and after > "\x7f" and not is_unsafe(before) and not is_unsafe(after)
