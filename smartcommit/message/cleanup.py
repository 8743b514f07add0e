"""What git records of a message file: its cleanup modes, comments, scissors and character set.

Source: git-commit(1) `--cleanup`, git's builtin/commit.c, wt-status.c and strbuf.c (2.39 to 2.51), and git's record of
every layout in the tests. What is given as `--cleanup=` on the command line is invisible to a hook; only a cut line
that git wrote itself gives it away.
"""

from __future__ import annotations

import codecs

from smartcommit.message.trailers import find_trailers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

STRIP, WHITESPACE, VERBATIM = "strip", "whitespace", "verbatim"

# git's own candidates for `core.commentChar = auto`, in its order.
_AUTO_CANDIDATES = b"#;@!$%^&|:"
_CUT = b" ------------------------ >8 ------------------------"
# Codecs that Python has beside charsets; to iconv, and so to git, they are unknown.
_NO_CHARSETS = ("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_8_sig", "utf8_sig")
# The characters git's isspace knows: neither vertical tab nor form feed.
_BLANKS = b" \t\n\r"


class Cleaning:
    """How git cleans one message file.

    `mode` is STRIP, WHITESPACE or VERBATIM; `comment` the comment string, empty where no line can be a comment; `cut`
    tells whether git drops everything from the first cut line on; `encoding` is the charset the message is recorded in,
    None for UTF-8; `editor` tells whether a person edits the file.
    """

    __slots__ = ("comment", "cut", "editor", "encoding", "mode")

    def __init__(
        self,
        mode: str = STRIP,
        *,
        comment: bytes = b"#",
        cut: bool = False,
        encoding: str | None = None,
        editor: bool = True,
    ) -> None:
        self.mode = mode
        self.comment = comment
        self.cut = cut
        self.encoding = encoding
        self.editor = editor


class Cleaned:
    """What git records: `text` in bytes, and for each of its lines the line of the file it came from, from 1."""

    __slots__ = ("lines", "text")

    def __init__(self, text: bytes, lines: list[int]) -> None:
        self.text = text
        self.lines = lines


def find_cleaning(data: bytes, config: Iterable[tuple[str, str | None]], *, editor: bool) -> Cleaning:
    """How git will clean the message file `data`.

    `config` holds the entries of `git config -z --list` in git's order; `editor` is False where the hook's environment
    has `GIT_EDITOR=:`, which is how git says that no editor is used.
    """
    mode, encoding, verbose, comment = "default", None, False, "#"
    for key, value in config:
        if key == "commit.cleanup":
            mode = value or "default"
        elif key in ("core.commentchar", "core.commentstring"):
            comment = value or comment
        elif key == "commit.verbose":
            verbose = _is_true(value)
        elif key == "i18n.commitencoding":
            encoding = value
    prefix = _comment_string(data, comment, editor=editor)
    written = _cut_line_of_git(data, prefix) if editor else None
    if mode == "scissors" or (written == "scissors" and mode == "default"):
        verbose, mode = verbose or editor, WHITESPACE
    elif mode not in (STRIP, WHITESPACE, VERBATIM):
        mode = STRIP if editor else WHITESPACE
    if encoding is not None and encoding.upper() in ("UTF-8", "UTF8"):
        encoding = None
    return Cleaning(mode, comment=prefix, cut=verbose or written is not None, encoding=encoding, editor=editor)


def clean(data: bytes, cleaning: Cleaning) -> Cleaned:
    """The bytes git will record for the message file `data`, before git's repair of what is not UTF-8."""
    if cleaning.cut:
        position = find_cut(data, cleaning.comment)
        data = data if position is None else data[:position]
    if cleaning.mode == VERBATIM:
        return Cleaned(data, list(range(1, data.count(b"\n") + 2)))
    return strip_space(data, cleaning.comment if cleaning.mode == STRIP else b"")


def strip_space(data: bytes, comment: bytes) -> Cleaned:
    """`git stripspace`, with `--strip-comments` where `comment` is not empty."""
    kept: list[bytes] = []
    numbers: list[int] = []
    blank = False
    for number, line in enumerate(data.split(b"\n"), 1):
        if comment and line.startswith(comment):
            continue
        stripped = line.rstrip(_BLANKS)
        if not stripped:
            blank = True
            continue
        if blank and kept:
            kept.append(b"")
            numbers.append(number - 1)
        kept.append(stripped)
        numbers.append(number)
        blank = False
    return Cleaned(b"\n".join(kept) + b"\n" if kept else b"", numbers)


def find_cut(data: bytes, comment: bytes, start: int = 0) -> int | None:
    """Where the first cut line at or after `start`, a line's begin, stands; it is a whole line, ended by LF alone."""
    line = comment + _CUT + b"\n"
    if data.startswith(line, start):
        return start
    position = data.find(b"\n" + line, start)
    return None if position < 0 else position + 1


def repair(text: bytes) -> bytes:
    """What git records of text that should be UTF-8 and is not: each wrong byte read as Latin-1.

    Source: git's verify_utf8 in commit.c, which takes Unicode's non-characters for wrong too.
    """
    if text.isascii():
        return text
    codecs.register_error("smartcommit-latin1", _latin1)
    decoded = text.decode("utf-8", "smartcommit-latin1")
    for code in _NON_CHARACTERS:
        character = chr(code)
        if character in decoded:
            decoded = decoded.replace(character, character.encode().decode("latin-1"))
    return decoded.encode()


def decode(text: bytes, encoding: str | None) -> str:
    """The recorded bytes as text; `encoding` as in `Cleaning`.

    Raises: ValueError, with the reason, for bytes that are not in `encoding` and for a charset nobody knows.
    """
    if encoding is None:
        return repair(text).decode()
    try:
        if encoding.lower().replace("-", "_") in _NO_CHARSETS:
            raise LookupError
        return text.decode(encoding)
    except LookupError:
        raise ValueError(f"i18n.commitEncoding names the unknown charset '{encoding}'") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not {encoding}, which i18n.commitEncoding names") from None


def _is_true(value: str | None) -> bool:
    """git's boolean or number, as commit.verbose takes it; a key without a value is true."""
    if value is None:
        return True
    return value.lower() not in ("", "false", "no", "off") and value.strip("0") != ""


def _comment_string(data: bytes, configured: str, *, editor: bool) -> bytes:
    if configured.lower() != "auto":
        return configured.encode("utf-8", "surrogateescape")
    if not editor:
        # git takes a character that starts no line of the message, so nothing is a comment.
        return b""
    for candidate in _AUTO_CANDIDATES:
        character = bytes((candidate,))
        if _cut_line_of_git(data, character):
            return character
    last = data.rstrip(_BLANKS).rpartition(b"\n")[2][:1]
    return last if last and last in _AUTO_CANDIDATES else b"#"


def _cut_line_of_git(data: bytes, comment: bytes) -> str | None:
    """Who made git write a cut line: `verbose`, `scissors`, or None where the file has only what a person typed.

    git writes two comment lines of explanation below its cut line; below those stands the diff, or with
    `--cleanup=scissors` the status as further comment lines.
    """
    position = find_cut(data, comment)
    while position is not None:
        first = data.find(b"\n", position) + 1
        second = data.find(b"\n", first) + 1
        third = data.find(b"\n", second) + 1
        if second and third and all(data.startswith(comment + b" ", line) for line in (first, second)):
            return "scissors" if data.startswith(comment, third) else "verbose"
        position = find_cut(data, comment, first)
    return None


def _latin1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(error.object[error.start]), error.start + 1


_NON_CHARACTERS = (*range(0xFDD0, 0xFDF0), *(plane << 16 | low for plane in range(17) for low in (0xFFFE, 0xFFFF)))


def editable(content: bytes, comment: bytes) -> bytes:
    """What stands above the cut line, comments included; all of `content` where there is no cut line.

    Source: git-commit(1), `--cleanup=scissors`.
    """
    cut = find_cut(content, comment)
    return content if cut is None else content[:cut]


def awaits_draft(content: bytes, comment: bytes) -> bool:
    """Whether nobody has written a message yet: above the cut line are blank lines, comments and trailers only.

    git leaves the first line free for the header and puts trailers (`--signoff`, `--trailer`) below it; a text of the
    same form in the first line, say `feat: x`, is another hook's message.
    """
    # Latin-1 has a character for every byte, and what decides here is ASCII and the comment string.
    sign = comment.decode("latin-1")
    lines = editable(content, comment).decode("latin-1").split("\n")
    begin, end = find_trailers(lines, sign)
    return not any(line.strip(" \t\r") and not line.startswith(sign) for line in (*lines[:begin], *lines[end:]))
