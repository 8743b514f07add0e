"""Putting a draft into the message file: at its top, and without touching a byte of what is there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def insert(
    text: str, content: bytes, *, comment: bytes, encoding: str | None = None, remarks: Sequence[str] = ()
) -> bytes | None:
    """`content` with the draft `text` before it; None where the draft is empty or its header would be a comment.

    A blank line separates the draft from what follows; where `content` opens with the needed line ends they are used,
    so a trailer block stays one blank line away. `encoding` is the commit encoding, None for UTF-8; what it cannot hold
    becomes `?`. `remarks` follow the draft as comment lines, each a line of safe text; they are only for files whose
    comments git drops.
    """
    codec = "utf-8" if encoding is None else _codec(encoding)
    header, *body = [line.encode(codec, "replace") for line in text.strip("\n").split("\n")]
    if not header.strip() or header.startswith(comment):
        return None
    lines = [header, *(_kept(line, comment) for line in body)]
    if remarks:
        lines += [b"", *(comment + b" " + remark.encode(codec, "replace") for remark in remarks)]
    draft = b"\n".join(lines)
    opening = len(content) - len(content.lstrip(b"\n"))
    return draft + b"\n" * (max(0, 2 - opening) if content else 1) + content


def _kept(line: bytes, comment: bytes) -> bytes:
    """`line`, indented where git would otherwise drop it as a comment or cut the message off at it."""
    if line.startswith((comment, b"diff --git")):
        return (b"\t" if comment.startswith(b" ") else b" ") + line
    return line


def _codec(encoding: str) -> str:
    """`encoding` where Python knows it and it writes ASCII as git needs it, else ASCII."""
    probe = "feat: x\n"
    try:
        known = probe.encode(encoding, "replace") == probe.encode()
    except (LookupError, UnicodeError, ValueError):
        known = False
    return encoding if known else "ascii"
