"""The ledger's files, one for each path, in the git directory of a working tree.

A file has the state of its path whole: the weave, the content that was last looked at, and what HEAD had. It is
replaced by renaming, so that a process that is killed leaves the old state or the new one. A state that cannot be read
is as good as none: then all that differs from HEAD is nobody's.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from smartcommit import json_text
from smartcommit.record import Record
from smartcommit.session.weave import LineChange, Weave, WeaveLine, join_lines
from smartcommit.state_files import drop, find_path, load, save_or_raise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDER = os.path.join("ledger", "paths")
# Bytes of a path that a file name spells out. Longer ones are hashed, for which an extension module has to be loaded.
_NAME = 100
# Calls of tools that are remembered for a path until they come back.
_CALLS = 50
# Texts of removed lines that are remembered for a path.
GONE_LIMIT = 20_000


class Blob(Record):
    """A file in a tree: git's octal mode, and the object name of its content."""

    mode: str
    oid: str


class Call(Record):
    """What was known before a tool's call: the state's revision, and the next change."""

    revision: int
    next_change: int


class PathState:
    """What the ledger knows of one path.

    `base` is what the commit `head` has there, None if nothing. `raw` has the bytes of the file at the last look, if
    git may convert them; otherwise they are the lines of the weave. `stamp` tells whether it was written since. `calls`
    has what was known before each call of a tool that has not ended yet.
    """

    def __init__(self, path: bytes, weave: Weave) -> None:
        self.path = path
        self.weave = weave
        self.head = ""
        self.base: Blob | None = None
        self.raw: bytes | None = None
        self.stamp: list[int] = []
        self.calls: dict[str, Call] = {}

    @property
    def content(self) -> bytes | None:
        """The bytes of the file at the last look; None if there was none."""
        content = join_lines(self.weave.lines)
        if self.raw is not None or content is None:
            return self.raw
        return content.data

    def note_call(self, call: str) -> None:
        self.calls[call] = Call(self.weave.revision, self.weave.next_change)
        if len(self.calls) > _CALLS:
            del self.calls[next(iter(self.calls))]


def name_file(text: bytes) -> str:
    if len(text) <= _NAME:
        return text.hex()
    import hashlib

    return f"long-{hashlib.sha256(text).hexdigest()}"


def directory(git_dir: str) -> str:
    return find_path(git_dir, _FOLDER)


def load_state(git_dir: str, path: bytes) -> PathState | None:
    state = _read(git_dir, name_file(path))
    if state is None or state.path != path:
        return None
    return state


def list_states(git_dir: str) -> Iterator[PathState]:
    for name in sorted(os.listdir(directory(git_dir))):
        state = _read(git_dir, name)
        if state is not None and name_file(state.path) == name:
            yield state


def _read(git_dir: str, name: str) -> PathState | None:
    encoded = load(git_dir, os.path.join(_FOLDER, name))
    if encoded is None:
        return None
    try:
        return _read_state(json_text.loads(encoded.decode()))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def save_state(git_dir: str, path: bytes, state: PathState | None) -> None:
    name = name_file(path)
    if state is None:
        drop(git_dir, os.path.join(_FOLDER, name))
        return
    save_or_raise(git_dir, os.path.join(_FOLDER, name), _encode_state(state))


def remove_old(git_dir: str, age: float, alive: set[str]) -> list[bytes]:
    """Remove states not written for `age` seconds that have no lines of those `alive`, and return their paths."""
    removed = []
    for name in os.listdir(directory(git_dir)):
        place = os.path.join(directory(git_dir), name)
        if os.stat(place).st_mtime > time.time() - age:
            continue
        state = _read(git_dir, name)
        if state is None or alive.isdisjoint(state.weave.list_owners()):
            os.unlink(place)
            if state is not None:
                removed.append(state.path)
    return removed


def _encode_state(state: PathState) -> bytes:
    weave = state.weave
    runs: list[list[Any]] = []
    last = None
    for entry in weave.entries:
        kind = (entry.change, entry.in_head, entry.is_live)
        if kind != last:
            runs.append([*kind, []])
            last = kind
        runs[-1][3].append(_to_text(entry.text))
    fields = {
        "path": _to_text(state.path),
        "head": state.head,
        "base": None if state.base is None else [state.base.mode, state.base.oid],
        "raw": None if state.raw is None else _to_text(state.raw),
        "stamp": state.stamp,
        "calls": {name: [call.revision, call.next_change] for name, call in state.calls.items()},
        "runs": runs,
        "changes": {number: [change.owner, change.shell] for number, change in weave.changes.items()},
        "next": weave.next_change,
        "revision": weave.revision,
        "gone": {_to_text(text): sorted(owners) for text, owners in weave.gone.items()},
    }
    return json_text.dumps(fields).encode()


def _read_state(fields: Any) -> PathState:
    weave = Weave()
    for change, in_head, is_live, texts in fields["runs"]:
        for text in texts:
            weave.entries.append(WeaveLine(_to_bytes(text), in_head, is_live, change))
    for number, change in fields["changes"].items():
        weave.changes[int(number)] = LineChange(*change)
    weave.next_change = fields["next"]
    weave.revision = fields["revision"]
    for text, owners in fields["gone"].items():
        weave.gone[_to_bytes(text)] = set(owners)
    state = PathState(_to_bytes(fields["path"]), weave)
    state.head = fields["head"]
    if fields["base"] is not None:
        state.base = Blob(*fields["base"])
    if fields["raw"] is not None:
        state.raw = _to_bytes(fields["raw"])
    state.stamp = fields["stamp"]
    for name, call in fields["calls"].items():
        state.calls[name] = Call(*call)
    return state


def _to_text(data: bytes) -> str:
    """Return bytes as JSON can hold them, whatever their encoding is."""
    return data.decode("latin-1")


def _to_bytes(text: str) -> bytes:
    return text.encode("latin-1")
