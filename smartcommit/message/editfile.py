"""The file a message is edited in: what of it a person writes, and what git or a template put there.

Everything works on the file's bytes as they are before cleanup. `comment` is the comment string that holds for the
file (`smartcommit.message.cleanup`), never empty.
"""

from __future__ import annotations

from smartcommit.message.cleanup import find_cut
from smartcommit.message.trailers import find_trailers


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
