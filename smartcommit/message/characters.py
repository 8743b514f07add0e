"""Characters that change how a terminal shows what stands around them, or that show nothing at all.

Control characters, bidirectional marks and overrides, zero-width characters, line and paragraph separators, fillers,
tags, and lone surrogates (bytes that were no text). Source: Unicode 15, general categories Cc, Cf, Cs, Zl and Zp, less
the visible number and verse signs of Arabic, Syriac and Kaithi; Unicode Technical Report 36.
"""

from __future__ import annotations

_UNSAFE = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
# These are letters or marks to Python, so `str.isprintable` lets them pass.
_PRINTABLE_BUT_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_JOINERS = "\u200c\u200d"


def is_unsafe(character: str) -> bool:
    """Whether `character` is one of these."""
    code = ord(character)
    return any(low <= code <= high for low, high in _UNSAFE)


def is_plain(text: str) -> bool:
    """Whether every character of `text` shows; line feeds and tabs do not."""
    return text.isprintable() and (text.isascii() or not any(c in text for c in _PRINTABLE_BUT_BLANK))


def find_unsafe(line: str, start: int = 0) -> int:
    """The offset of the first unsafe character of a line at or after `start`, -1 where there is none.

    A tab passes, a carriage return at the line's end, and a joiner between two characters beyond ASCII: Persian, Indic
    scripts and emoji need it.
    """
    line = line.removesuffix("\r")
    if is_plain(line):
        return -1
    for position in range(start, len(line)):
        character = line[position]
        if character.isprintable() and character not in _PRINTABLE_BUT_BLANK:
            continue
        if is_unsafe(character) and character != "\t" and not _joins(line, position):
            return position
    return -1


def escape(character: str) -> str:
    """How an unsafe character is shown: `\\x1b`, `\\u202e`; a byte that was no text (surrogateescape) as `\\xff`."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def printable(text: str, *, keep: str = "") -> str:
    """`text` with every unsafe character written as an escape; characters in `keep` (say a line feed) pass."""
    if is_plain(text):
        return text
    return "".join(c if c in keep or not is_unsafe(c) else escape(c) for c in text)


def _joins(line: str, position: int) -> bool:
    if line[position] not in _JOINERS or not 0 < position < len(line) - 1:
        return False
    before, after = line[position - 1], line[position + 1]
    return before > "\x7f" and after > "\x7f" and not is_unsafe(before) and not is_unsafe(after)
