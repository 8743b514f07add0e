"""The file in which jj lets a user edit the description of a change, or the descriptions of several.

Source: cli/src/description_util.rs of jj, and what jj 0.45 does in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from smartcommit.message.cleanup import Cleaned, Cleaning, clean

# How jj ends the names of these files; it also opens others in the user's editor, such as its configuration.
SUFFIX = ".jjdescription"
# jj removes lines that begin with it, and in any case what follows the line that ends a description.
CLEANING = Cleaning(comment=b"JJ:")
_END = b"JJ: ignore-rest"
# What stands before each of several descriptions, with the start of its commit's id in between.
_BEFORE = b"JJ: describe "
_AFTER = b" -------"
_LISTED = b"JJ:     "


@dataclass(slots=True)
class DescriptionPart:
    """What a description file says of one change.

    `name` is empty if the file has no other. `lead` has the comment lines before the description, and `body` all lines
    from there on, without line ends; `first` is the number of lines in the file before the body.
    """

    name: bytes = b""
    lead: list[bytes] = field(default_factory=list)
    body: list[bytes] = field(default_factory=list)
    first: int = 0

    @property
    def text(self) -> bytes:
        """The description with comments, up to the line that ends it."""
        return b"\n".join(self.body[: self._end])

    @property
    def change_id(self) -> str:
        """The start of the change's id, as jj shows it; empty if it does not (before jj 0.31)."""
        return self._read("Change ID")

    @property
    def commit_id(self) -> str:
        """The id of the commit that has the described content, if the user's template shows it; else empty."""
        return self._read("Commit ID")

    @property
    def listing(self) -> str:
        """The changed files as `jj log` prints a summary of them: `M` and a path relative to where jj runs."""
        files = b""
        for line in self.body[: self._end]:
            if line.startswith(_LISTED):
                files += line.removeprefix(_LISTED) + b"\n"
        return files.decode("utf-8", "replace")

    def clean(self) -> Cleaned:
        """Return the description without comments and superfluous space; lines are numbered as in the file."""
        return clean(b"\n" * self.first + self.text, CLEANING)

    def replace(self, body: bytes) -> None:
        self.body = body.split(b"\n")

    @property
    def _end(self) -> int:
        for number, line in enumerate(self.body):
            if line.startswith(_END):
                return number
        return len(self.body)

    def _read(self, title: str) -> str:
        # jj writes it below the description, which may contain anything.
        start = f"JJ: {title}: ".encode()
        for line in reversed(self.body[: self._end]):
            if line.startswith(start):
                name = line.removeprefix(start).strip().decode("latin-1")
                return name if name.isalnum() else ""
        return ""


def read_parts(content: bytes) -> list[DescriptionPart]:
    parts = [DescriptionPart()]
    for number, line in enumerate(content.split(b"\n")):
        part = parts[-1]
        if line.startswith(_BEFORE) and line.rstrip().endswith(_AFTER):
            name = line.removeprefix(_BEFORE).split(b" ")[0]
            parts.append(DescriptionPart(name, [line], first=number + 1))
        elif not part.body and line.startswith(CLEANING.comment) and not line.startswith(_END):
            part.lead.append(line)
            part.first = number + 1
        else:
            part.body.append(line)
    return parts


def join_parts(parts: list[DescriptionPart]) -> bytes:
    lines: list[bytes] = []
    for part in parts:
        lines += part.lead + part.body
    return b"\n".join(lines)
