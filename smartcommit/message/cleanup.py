"""What git records of a message file: its cleanup modes, comments, scissors and character set.

Source: git-commit(1) `--cleanup`, git's builtin/commit.c, wt-status.c and strbuf.c (2.39 to 2.51), and what git records
for every layout in the tests. A hook cannot see `--cleanup=` on the command line; only a scissors line that git wrote
itself reveals it.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from smartcommit.message.trailers import find_trailers
from smartcommit.record import Record

STRIP = "strip"
WHITESPACE = "whitespace"
VERBATIM = "verbatim"

# git's candidates for `core.commentChar = auto`, in its order.
_AUTO_CANDIDATES = b"#;@!$%^&|:"
_CUT = b" ------------------------ >8 ------------------------"
# Python codecs that are not charsets; iconv, and so git, does not know them.
_NO_CHARSETS = ("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_8_sig", "utf8_sig")
# What turns `commit.verbose` off, which is a boolean or a number.
_NOT_VERBOSE = ("false", "no", "off", "0", "")
# The characters of git's isspace: no vertical tab, no form feed.
_BLANKS = b" \t\n\r"
# The last two code points of every plane, and a block of Arabic Presentation Forms.
_NON_CHARACTERS = (*range(0xFFFE, 0x110000, 0x10000), *range(0xFFFF, 0x110000, 0x10000), *range(0xFDD0, 0xFDF0))


class Cleaning(Record):
    """How git cleans one message file.

    `mode` is STRIP, WHITESPACE or VERBATIM; `comment` the comment string, empty if no line can be a comment; `cut` is
    whether git drops everything from the first scissors line on; `encoding` is the charset of the recorded message,
    None for UTF-8; `editor` is whether the user edits the file.
    """

    mode: str = STRIP
    comment: bytes = b"#"
    cut: bool = False
    encoding: str | None = None
    editor: bool = True


class Cleaned(Record):
    """What git records: `text` in bytes, and for each of its lines the number of the file's line, from 1."""

    text: bytes
    lines: list[int]


def find_cleaning(data: bytes, config: Iterable[tuple[str, str | None]], *, editor: bool) -> Cleaning:
    """Return how git will clean the message file `data`.

    `config` holds the entries of `git config -z --list` in git's order; `editor` is False if the hook's environment
    has `GIT_EDITOR=:`, which means that git opens no editor, unless the user has set it and git has written its hint.
    """
    mode = "default"
    encoding = None
    verbose = False
    comment = "#"
    for key, value in config:
        if key == "commit.cleanup":
            mode = value or "default"
        elif key in ("core.commentchar", "core.commentstring"):
            comment = value or comment
        elif key == "commit.verbose":
            verbose = value is None or value.lower() not in _NOT_VERBOSE
        elif key == "i18n.commitencoding":
            encoding = value
    editor = editor or _has_hint(data, comment)
    prefix = _find_comment_string(data, comment, editor=editor)
    written = _find_reason_of_scissors(data, prefix) if editor else None
    if mode == "scissors" or (written == "scissors" and mode == "default"):
        verbose, mode = verbose or editor, WHITESPACE
    elif mode not in (STRIP, WHITESPACE, VERBATIM):
        mode = STRIP if editor else WHITESPACE
    if encoding is not None and encoding.upper() in ("UTF-8", "UTF8"):
        encoding = None
    return Cleaning(mode, comment=prefix, cut=verbose or written is not None, encoding=encoding, editor=editor)


def clean(data: bytes, cleaning: Cleaning) -> Cleaned:
    """Return the bytes git will record for the message file `data`, before it repairs what is not UTF-8."""
    if cleaning.cut:
        data = cut_at_scissors(data, cleaning.comment)
    if cleaning.mode == VERBATIM:
        return Cleaned(data, list(range(1, data.count(b"\n") + 2)))
    if cleaning.mode == WHITESPACE:
        return strip_space(data, b"")
    return strip_space(data, cleaning.comment)


def strip_space(data: bytes, comment: bytes) -> Cleaned:
    """Do what `git stripspace` does, with `--strip-comments` if `comment` is not empty."""
    lines: list[bytes] = []
    numbers: list[int] = []
    blank = False
    for number, line in enumerate(data.split(b"\n"), 1):
        if comment and line.startswith(comment):
            continue
        stripped = line.rstrip(_BLANKS)
        if not stripped:
            blank = True
            continue
        if blank and lines:
            lines.append(b"")
            numbers.append(number - 1)
        lines.append(stripped)
        numbers.append(number)
        blank = False
    if lines:
        lines.append(b"")
    return Cleaned(b"\n".join(lines), numbers)


def find_scissors(data: bytes, comment: bytes, start: int = 0) -> int | None:
    """Return the offset of the first scissors line at or after `start`, the start of a line.

    It has nothing else on the line, and ends with LF, not CR LF.
    """
    line = comment + _CUT + b"\n"
    if data.startswith(line, start):
        return start
    position = data.find(b"\n" + line, start)
    return None if position < 0 else position + 1


def repair(text: bytes) -> bytes:
    """Return what git records of text that should be UTF-8: each invalid byte is read as Latin-1.

    Source: git's verify_utf8 in commit.c, which rejects Unicode's non-characters too.
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
    """Return the recorded bytes as text. Raise ValueError if they are not in `encoding`, or it is unknown."""
    if encoding is None:
        return repair(text).decode()
    try:
        if encoding.lower().replace("-", "_") in _NO_CHARSETS:
            raise LookupError
        return text.decode(encoding)
    except LookupError:
        raise ValueError(f"i18n.commitEncoding is set to an unknown encoding, '{encoding}'") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not valid {encoding} (from i18n.commitEncoding)") from None


def _find_comment_string(data: bytes, configured: str, *, editor: bool) -> bytes:
    if configured.lower() != "auto":
        return configured.encode("utf-8", "surrogateescape")
    if not editor:
        # git chooses a character that starts no line of the message, so nothing is a comment.
        return b""
    for candidate in _AUTO_CANDIDATES:
        character = bytes((candidate,))
        if _find_reason_of_scissors(data, character) or b"" in _list_comments_at_end(data, character):
            return character
    # Somebody has deleted git's comments, so the message it chose a character for is not known.
    return b"#"


def _list_comments_at_end(data: bytes, comment: bytes) -> list[bytes]:
    """Return the last comment lines before the scissors line, without the comment string; git adds an empty one."""
    comments: list[bytes] = []
    for line in reversed(cut_at_scissors(data, comment).rstrip(_BLANKS).split(b"\n")):
        if not line.startswith(comment):
            break
        comments.insert(0, line[len(comment) :].strip(_BLANKS))
    return comments


def _has_hint(data: bytes, configured: str) -> bool:
    """Whether git has explained in comments what becomes of lines with the comment string, as it does for an editor.

    The words are in the user's language, but they name the string, and an empty comment follows them.
    """
    comments = [configured.encode("utf-8", "surrogateescape")]
    if configured.lower() == "auto":
        comments = [bytes((candidate,)) for candidate in _AUTO_CANDIDATES]
    for comment in comments:
        if _find_reason_of_scissors(data, comment):
            return True
        lines = _list_comments_at_end(data, comment)
        if b"" in lines and comment in b" ".join(lines[: lines.index(b"")]):
            return True
    return False


def _find_reason_of_scissors(data: bytes, comment: bytes) -> str | None:
    """Return why git wrote a scissors line, `verbose` or `scissors`; None if it did not, whatever the user typed.

    git writes two comment lines of explanation after its scissors line; then comes the diff, or with
    `--cleanup=scissors` the status as further comment lines. With `-vv` the diff has a title, in comment lines too.
    """
    position = find_scissors(data, comment)
    while position is not None:
        first = data.find(b"\n", position) + 1
        second = data.find(b"\n", first) + 1
        third = data.find(b"\n", second) + 1
        explained = data.startswith(comment + b" ", first) and data.startswith(comment + b" ", second)
        if second and third and explained:
            return "scissors" if _has_status_at(third, data, comment) else "verbose"
        position = find_scissors(data, comment, first)
    return None


def _has_status_at(start: int, data: bytes, comment: bytes) -> bool:
    """Whether the comment lines from `start` on are git's status, which has paths, and no title of a diff."""
    place = start
    while place < len(data) and data.startswith(comment, place):
        if data.startswith(comment + b"\t", place):
            return True
        place = data.find(b"\n", place) + 1 or len(data)
    return start < place == len(data)


def _latin1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(error.object[error.start]), error.start + 1


def cut_at_scissors(content: bytes, comment: bytes) -> bytes:
    """Return what is before the scissors line, or all of `content`. Source: git-commit(1), `--cleanup=scissors`."""
    return content[: find_scissors(content, comment)]


def is_left_empty(text: bytes, mode: str) -> bool:
    """Whether git aborts a commit with the cleaned `text`. Source: message_is_empty in git's sequencer.c."""
    if mode == VERBATIM:
        return not text
    return not any(line.strip() and not line.startswith(b"Signed-off-by: ") for line in text.split(b"\n"))


def awaits_draft(content: bytes, comment: bytes) -> bool:
    """Whether there is no message yet: only blank lines, comments and trailers before the scissors line.

    git leaves the first line free for the header and adds trailers (`--signoff`, `--trailer`) after it; a first line of
    the same form, such as `feat: x`, is a message from another hook. An empty `comment` is the start of no line.
    """
    # Latin-1 has a character for every byte, and only ASCII and the comment string matter here.
    sign = comment.decode("latin-1")
    lines = cut_at_scissors(content, comment).decode("latin-1").split("\n")
    begin, end = find_trailers(lines, sign)
    for line in (*lines[:begin], *lines[end:]):
        is_comment = sign != "" and line.startswith(sign)
        if line.strip(" \t\r") and not is_comment:
            return False
    return True
