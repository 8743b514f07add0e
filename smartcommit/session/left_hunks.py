"""What of a file stays uncommitted when a session commits its own lines."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.record import Record
from smartcommit.session.weave import NOBODY, UNCLEAR, Weave

# Lines of a hunk that are listed.
_LINES = 50
# Bytes of each line.
_WIDTH = 400
# By whether the line is in HEAD.
_SIGNS = {False: b"+", True: b"-"}
_NAMES = {NOBODY: "nobody", UNCLEAR: "unclear"}
_REASONS = {
    NOBODY: "no session is proven to have made this change",
    UNCLEAR: "the change is mixed with lines of others",
}


class LeftHunk(Record):
    """Successive changed lines of one owner that a session's commit leaves out.

    `id` stays the same until the lines change. `owner` is `nobody`, `unclear` or a session's id. Line numbers count
    from 1, in HEAD and in the working tree; the mode is line 0. `lines` begin with `-` or `+`, and are the first ones;
    `numbers` are the entries of the weave.
    `during_shell_of` is the session after whose shell command the change was found, if any.
    """

    id: str
    owner: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: Sequence[bytes]
    numbers: Sequence[int]
    reason: str
    during_shell_of: str = ""


def find_left(weave: Weave, path: bytes, session: str, chosen: set[int]) -> list[LeftHunk]:
    """Return the hunks that a commit of the session leaves out, which has the entries of the weave in `chosen`."""
    import hashlib

    entries = weave.entries
    # Successive entries of one owner, with the numbers of their first lines in HEAD and in the file.
    groups: list[tuple[list[int], int, int]] = []
    previous = None
    old = new = 0
    for number, entry in enumerate(entries):
        change = None
        if entry.change and number not in chosen:
            change = weave.changes[entry.change]
            if change != previous:
                groups.append(([], old, new))
            groups[-1][0].append(number)
        previous = change
        if entry.in_head:
            old += 1
        if entry.is_live:
            new += 1
    left_hunks = []
    seen: dict[str, int] = {}
    for group, old, new in groups:
        lines = [_SIGNS[entries[number].in_head] + entries[number].text for number in group]
        removed = len([number for number in group if entries[number].in_head])
        change = weave.changes[entries[group[0]].change]
        fingerprint = hashlib.sha256(b"\0".join([path, *lines])).hexdigest()[:12]
        # The order tells equal changes of one file apart.
        count = seen[fingerprint] = seen.get(fingerprint, 0) + 1
        reason = _REASONS.get(change.owner, f"the change belongs to session '{change.owner}'")
        if change.owner == session:
            reason = "it cannot be committed without lines of others"
        hunk = LeftHunk(
            id=f"{fingerprint}-{count}",
            owner=_NAMES.get(change.owner, change.owner),
            old_start=old,
            old_count=removed,
            new_start=new,
            new_count=len(group) - removed,
            lines=[line.replace(b"\0", b"")[:_WIDTH] for line in lines[:_LINES]],
            numbers=group,
            reason=reason,
            during_shell_of=change.shell,
        )
        left_hunks.append(hunk)
    return left_hunks
