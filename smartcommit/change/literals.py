"""All literal edits of a file."""

from __future__ import annotations

from smartcommit.change.edited_lines import read_edits
from smartcommit.change.edits import LiteralEdit
from smartcommit.change.line_blocks import find_in_block
from smartcommit.change.replaced_tokens import find_replaced
from smartcommit.change.text import FileText
from smartcommit.git.diff import FileDiff


def list_literals(diff: FileDiff) -> list[LiteralEdit]:
    """Return what came, went or was replaced in the lines of a file, as far as a sentence could name it."""
    file = FileText(diff.change.path)
    edits = read_edits(diff)
    found: list[LiteralEdit] = []
    for replaced in edits.replaced:
        found += find_replaced(replaced, file)
    for block in edits.came:
        found += find_in_block(block, file, "added")
    for block in edits.went:
        found += find_in_block(block, file, "removed")
    return found
