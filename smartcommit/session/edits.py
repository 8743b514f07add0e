"""What a coding agent's tool says that it did to a file, and what it makes of a content.

Contents are bytes of the working tree, before any conversion of git's; None is a file that does not exist.
"""

from __future__ import annotations

from smartcommit.record import Record

# The lines of a patch in the format of Codex's tool `apply_patch`.
_BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_END_OF_FILE = "*** End of File"
_ADD = "*** Add File: "
_UPDATE = "*** Update File: "
_DELETE = "*** Delete File: "
_MOVE = "*** Move to: "


class FoundContent(Record):
    """What a tool says that it found in a file; None if there was no file."""

    data: bytes | None


class Replacement(Record):
    """The text `old` became `new`: in the one place where it stood or, with `every`, in all places."""

    old: str
    new: str
    every: bool = False


class NewContent(Record):
    """The whole file was written."""

    content: str


class Deletion(Record):
    """The file was deleted."""


class Patch(Record):
    """The part of a patch that is about one path, in the format of Codex's tool `apply_patch`."""

    text: str


ToolEdit = Replacement | NewContent | Deletion | Patch


def apply_edit(content: bytes | None, edit: ToolEdit) -> bytes | None:
    """Return what `edit` makes of `content`. Raise ValueError if it does not apply, or in more than one place."""
    if isinstance(edit, NewContent):
        return encode(edit.content)
    if isinstance(edit, Deletion):
        return None
    if isinstance(edit, Patch):
        return _apply_patch(content, edit.text)
    return _replace(content, edit)


def list_patched(text: str) -> dict[str, Patch]:
    """Return the paths that a patch names, each with its own part of the patch; both paths of a moved file.

    Raise ValueError if this is not a patch, or if it names a path twice.
    """
    lines = text.strip().split("\n")
    if lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise ValueError("not a patch")
    parts: dict[str, list[str]] = {}
    for line in lines[1:-1]:
        header = next((mark for mark in (_ADD, _UPDATE, _DELETE, _MOVE) if line.startswith(mark)), None)
        if header is not None:
            named = line.removeprefix(header).strip()
            if named in parts:
                raise ValueError(f"the patch names '{named}' twice")
            # A moved file is in one part, under either path.
            part = parts[next(reversed(parts))] if header == _MOVE and parts else []
            parts[named] = part
        elif not parts:
            raise ValueError("the patch names no file")
        parts[next(reversed(parts))].append(line)
    return {path: Patch("\n".join(part)) for path, part in parts.items()}


def encode(text: str) -> bytes:
    """Return the bytes of a text, of which a harness may have made lone surrogates."""
    return text.encode("utf-8", "surrogateescape")


def _replace(content: bytes | None, edit: Replacement) -> bytes:
    old, new = encode(edit.old), encode(edit.new)
    if not old and not content:  # how Claude Code's tool creates a file
        return new
    if content is None or not old:
        raise ValueError("there is nothing to replace")
    # Tools show CRLF as LF, and write it again.
    if old not in content and 0 < content.count(b"\r\n") == content.count(b"\n"):
        unix = _replace(content.replace(b"\r\n", b"\n"), edit)
        return unix.replace(b"\n", b"\r\n")
    count = content.count(old)
    if count == 0 or (count > 1 and not edit.every):
        raise ValueError(f"the text to replace stands in {count} places")
    return content.replace(old, new)


def _apply_patch(content: bytes | None, text: str) -> bytes | None:
    header, _, body = text.partition("\n")
    lines = body.split("\n") if body else []
    if header.startswith(_ADD):
        added = [line.removeprefix("+") for line in lines if line.startswith("+")]
        if content is not None or len(added) != len(lines):
            raise ValueError("the patch does not add the file")
        return encode("\n".join([*added, ""]))
    if content is None:
        raise ValueError("the patch is for a file that does not exist")
    if header.startswith(_DELETE) and not lines:
        return None
    # What becomes of both paths of a moved file cannot be told from one of them.
    if not header.startswith(_UPDATE) or _MOVE in body:
        raise ValueError("the patch does not change the file alone")
    return _update(content, lines)


def _update(content: bytes, lines: list[str]) -> bytes:
    """Source: the tool `apply_patch` of Codex, which looks for each part after the one before."""
    old = content.split(b"\n")
    if not old[-1]:
        old.pop()
    result: list[bytes] = []
    position = 0
    for part in _list_parts(lines):
        first = position
        if part.anchor:
            first = _find_once([part.anchor], old, position) + 1
        # Without a context, lines are added at the end.
        place = _find_once(part.old, old, first) if part.old else len(old)
        if part.is_last and place + len(part.old) != len(old):
            raise ValueError("the patch does not apply at the end of the file")
        result += old[position:place] + part.new
        position = place + len(part.old)
    return b"\n".join([*result, *old[position:], b""])


class _PatchPart(Record):
    """Lines that replace others, below the line `anchor` if there is one; if it `is_last`, the file ends there."""

    anchor: bytes
    old: list[bytes]
    new: list[bytes]
    is_last: bool = False


def _list_parts(lines: list[str]) -> list[_PatchPart]:
    parts: list[_PatchPart] = []
    for line in lines:
        if line.startswith("@@"):
            parts.append(_PatchPart(encode(line.removeprefix("@@").strip()), [], []))
            continue
        if not parts:
            parts.append(_PatchPart(b"", [], []))
        if line == _END_OF_FILE:
            parts[-1].is_last = True
            continue
        mark, text = line[:1], encode(line[1:])
        if mark not in ("", " ", "-", "+"):
            raise ValueError("not a line of a patch")
        if mark != "+":
            parts[-1].old.append(text)
        if mark != "-":
            parts[-1].new.append(text)
    return parts


def _find_once(wanted: list[bytes], lines: list[bytes], start: int) -> int:
    size = len(wanted)
    places = []
    for place in range(start, len(lines) - size + 1):
        if lines[place] == wanted[0] and lines[place : place + size] == wanted:
            places.append(place)
    if len(places) != 1:
        raise ValueError(f"a part of the patch stands in {len(places)} places")
    return places[0]
