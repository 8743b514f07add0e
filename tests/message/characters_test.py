"""Which characters change how a text is shown without being seen, at both ends of each range."""

import unicodedata

from smartcommit.message.characters import find_unsafe, is_plain, is_unsafe, printable
from tests.support.table import rows

# Signs of numbers and verses, which are seen.
SHOWN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"


def test_every_character_of_the_first_plane_that_is_not_seen_is_unsafe() -> None:
    for character in map(chr, range(0x10000)):
        category = unicodedata.category(character)
        is_hidden = category in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in SHOWN
        if category != "Cn":
            assert is_unsafe(character) == (is_hidden or character in FILLERS), hex(ord(character))
    assert [is_unsafe(chr(code)) for code in (0xDFFFF, 0xE0000, 0xE007F, 0xE0080)] == [False, True, True, False]


@rows(
    ("line", "at"),
    ("a\tb\r", -1),
    ("a\rb", 1),
    ("a\u3164", 1),
    ("\u6f22\u200d\u5b57", -1),
    ("a\u200d\u5b57", 1),
    ("\u6f22\u200da", 1),
    ("\u6f22\u200d", 1),
    ("\u200d\u6f22", 0),
    ("\u6f22\u200d\u200d\u6f22", 1),
)
def test_an_unsafe_character_is_found(line: str, at: int) -> None:
    assert find_unsafe(line) == at


@rows(("text", "expected"), ("abc", True), ("a\n", False), ("\u6f22", True), ("\u6f22\u3164", False), ("\xad", False))
def test_plain_text_is_seen(text: str, expected: bool) -> None:
    assert is_plain(text) == expected


@rows(
    ("text", "shown"),
    ("a\x1b\x9b", "a\\x1b\\x9b"),
    ("a\n\tb", "a\n\\x09b"),
    ("\u202e\uffa0", "\\u202e\\uffa0"),
    ("\U000e0041", "\\U000e0041"),
    ("\udcff", "\\xff"),
    ("\ud800", "\\ud800"),
)
def test_what_is_printed_is_seen(text: str, shown: str) -> None:
    assert printable(text, keep="\n") == shown
