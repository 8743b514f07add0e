"""Receipts of the `commit-msg` hook: which commits have passed it, by message, tree and parent.

They are left only where a coding agent has a session: a look afterwards tells by them which commits went around the
hooks. The file, one for all worktrees, exists as long as a session may be there.
"""

from __future__ import annotations

import os

from smartcommit import state_files
from smartcommit.git.query import Place, ask
from smartcommit.record import Record

# Bytes of the file up to which it grows.
_LIMIT = 1 << 20
# Bytes that are kept of a longer file.
_KEPT = 1 << 18
_NONE = "-"


class Receipt(Record):
    """A message that the hook has accepted, as it is in the index's `tree` upon `head`, "" before the first commit."""

    head: str
    tree: str
    message: bytes
    by_agent: bool


def begin(common_dir: str) -> bool:
    """Let the hook leave receipts from now on; return whether it did so before."""
    if os.path.exists(state_files.find_path(common_dir, state_files.RECEIPTS)):
        return True
    state_files.save(common_dir, state_files.RECEIPTS, b"")
    return False


def end(common_dir: str) -> None:
    state_files.drop(common_dir, state_files.RECEIPTS)


def leave(place: Place, message: bytes, *, by_agent: bool) -> None:
    """Note that the hook accepts `message` for the commit that is being made; one process, where any are wanted.

    An empty one is none: git aborts, and other messages begin like it.
    """
    path = state_files.find_path(place.common_dir, state_files.RECEIPTS)
    if not message.strip() or not os.path.exists(path):
        return
    _, tree = ask(("write-tree",))
    fields = [place.head or _NONE, tree.decode().strip(), str(int(by_agent)), message.strip().hex()]
    try:
        # A line that is appended at once is not torn by another commit, and begins anew after one of a full disk.
        with open(state_files.open_regular(path, os.O_WRONLY | os.O_APPEND), "ab", buffering=0) as file:
            file.write(("\n" + " ".join(fields)).encode())
    except OSError:
        pass


def read(common_dir: str) -> list[Receipt]:
    content = state_files.load(common_dir, state_files.RECEIPTS) or b""
    if len(content) > _LIMIT:
        content = content[-_KEPT:].partition(b"\n")[2]
        state_files.save(common_dir, state_files.RECEIPTS, content)
    receipts = []
    for line in content.decode("ascii", "replace").split("\n"):
        try:
            head, tree, by_agent, message = line.split(" ")
            receipts.append(Receipt(head.strip(_NONE), tree, bytes.fromhex(message), by_agent == "1"))
        except ValueError:  # the first line, which is empty, or one that was written when the disk was full
            continue
    return receipts
