"""The header of a message: `type(scope)!: summary`.

Source: the commit planner's header rules, which are Conventional Commits 1.0.0 with a fixed order of type, scope, `!`,
colon, one space, and a scope of lower-case letters, digits and dashes.
"""

from __future__ import annotations

from smartcommit.record import Record

# How the headers begin that git writes, and those that `git rebase --autosquash` drops.
SQUASHED = "Squashed commit of the following:"
GIT_FORMS = ("Merge ", 'Revert "', 'Reapply "', SQUASHED)
FIXUPS = ("fixup! ", "squash! ")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAME = _LETTERS + "0123456789-"
_WORD = _NAME + _LETTERS.upper() + "_./@"


class Header(Record):
    """The first line of a message, in parts; `scope` is None if there is none."""

    type: str
    summary: str
    scope: str | None = None
    breaking: bool = False

    def __str__(self) -> str:
        text = self.type
        if self.scope is not None:
            text += f"({self.scope})"
        if self.breaking:
            text += "!"
        return f"{text}: {self.summary}"


class Scan:
    """A header line split into its parts, however malformed. Positions are offsets in code points, or None.

    `type` and `scope` are copied as they are. `bang` is the offset of the `!`, `colon` that of the colon, and `summary`
    that of the first character after the colon and spaces (the end of the line if there is none). `misplaced` is the
    offset of the first character that cannot be where it is, or the end of the line if a part is missing; None if the
    shape is right.
    """

    def __init__(self, line: str) -> None:
        self.line = line
        self.misplaced: int | None = None
        self.scope: str | None = None
        self.bang: int | None = None
        self.colon: int | None = None
        position = find_any(line, "(!: \t")
        self.type = line[:position]
        if line.startswith("(", position):
            opening, position = position, find_any(line, "()!:", position + 1)
            if line.startswith(")", position):
                self.scope = line[opening + 1 : position]
                position += 1
            else:
                self.misplaced = position
        if self.misplaced is None and line.startswith("!", position):
            self.bang = position
            position += 1
        if self.misplaced is None and line.startswith(":", position):
            self.colon = position
            position += 1
        elif self.misplaced is None:
            self.misplaced = position
        self.summary = len(line) - len(line[position:].lstrip(" "))


def is_name(text: str) -> bool:
    """Whether `text` can be a scope or a type: `^[a-z][a-z0-9-]*$`."""
    return text != "" and text[0] in _LETTERS and not text.strip(_NAME)


def split_scopes(scope: str, delimiters: str = ",/\\") -> list[str]:
    """Return the scopes that `scope` lists, separated by any of `delimiters`; a space may follow a comma."""
    for mark in delimiters:
        scope = scope.replace(f"{mark} " if mark == "," else mark, mark).replace(mark, "\n")
    return scope.split("\n")


def is_word(text: str) -> bool:
    """Whether `text` is made of letters, digits and what joins them in file names, as some scopes are."""
    return text[:1].isalnum() and text.isascii() and not text.strip(_WORD)


def split_mark(line: str) -> tuple[str, str]:
    """Return the emoji before the type, with the space after it, or an empty string; and the rest of the line."""
    first, space, rest = line.partition(" ")
    is_code = first.startswith(":") and first.endswith(":") and first.strip(":").replace("_", "").isalnum()
    if space and (is_code or (first != "" and not first[0].isascii() and not first[0].isalnum())):
        return first + space, rest
    return "", line


def parse_header(line: str) -> Header | None:
    """Return the header in `line`, or None if it does not have exactly this form; any type and scope will do.

    An emoji before the type is left out.
    """
    _, line = split_mark(line)
    scan = Scan(line)
    if scan.misplaced is not None or scan.colon is None or not is_name(scan.type):
        return None
    if scan.scope is not None and not all(is_word(each) for each in split_scopes(scan.scope)):
        return None
    summary = line[scan.summary :].rstrip()
    if scan.summary != scan.colon + 2 or not summary or summary[0].isspace():
        return None
    return Header(scan.type, summary, scope=scan.scope, breaking=scan.bang is not None)


def parse_loose_header(line: str) -> Header | None:
    """Return the header in `line` as projects and models write it: any case, any scope, any space after the colon.

    None if there is nothing before the colon or nothing after it, and for `std::vector`. The type is as it is written,
    and may be several words.
    """
    _, line = split_mark(line)
    position = find_any(line, "(!:")
    name, rest = line[:position], line[position:]
    scope = None
    if rest.startswith("("):
        scope, _, rest = rest[1:].partition(")")
    breaking = rest.startswith("!")
    rest = rest.removeprefix("!")
    summary = rest[1:].strip()
    if not name or not summary or not rest.startswith(":") or rest.startswith("::") or "(" in (scope or ""):
        return None
    return Header(name, summary, scope=scope, breaking=breaking)


def find_any(line: str, characters: str, start: int = 0) -> int:
    """Return the offset of the first of `characters` at or after `start`, or the length of the line."""
    offsets = [line.find(character, start) for character in characters]
    return min([offset for offset in offsets if offset >= 0], default=len(line))
