"""The ledger's files, one for each path, in the git directory of a working tree.

A file has the state of its path whole: the weave, the content that was last looked at, and what HEAD had. It is
replaced by renaming, so that a process that is killed leaves the old state or the new one. A state that cannot be read
is as good as none: then all that differs from HEAD is nobody's.
"""

from __future__ import annotations

import os
import time
import zlib

from smartcommit import json_text
from smartcommit.record import Record
from smartcommit.session.weave import Change, Content, Run, Weave, join_lines, list_lines
from smartcommit.state_files import drop, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Of a state's format; another one is not read.
_VERSION = 1
# Bytes of a name that a file name spells out: hashes are an extension module, which takes longer to load than a notice.
_NAME = 100
# Calls of tools that are remembered for a path until they come back, and seconds that they are.
_CALLS, _CALL_AGE = 50, 24 * 3600.0
# Texts of removed lines that are remembered for a path.
GONE_LIMIT = 20_000


class Blob(Record):
    """A file in a tree: git's octal mode, and the object name of its content."""

    mode: str
    oid: str


class Call(Record):
    """What was known before a tool's call: the state's revision, the next change, and when that was (Unix time)."""

    revision: int
    next_change: int
    time: float


class PathState:
    """What the ledger knows of one path.

    `base` is what the commit `head` has there, None if nothing. `raw` has the file as it was last looked at where git
    may convert it. `stamp` tells whether it was written since, and `is_filtered` whether git's attributes convert it in
    ways other than line ends.
    """

    def __init__(self, path: bytes, weave: Weave) -> None:
        self.path = path
        self.weave = weave
        self.head = ""
        self.base: Blob | None = None
        self.raw: bytes | None = None
        self.stamp: list[int] = []
        self.is_filtered = False
        self.calls: dict[str, Call] = {}

    def note_call(self, call: str, now: float) -> None:
        """Remember that the call of a tool begins; forget those that never came back."""
        recent = {}
        for name, known in self.calls.items():
            if known.time > now - _CALL_AGE:
                recent[name] = known
        recent[call] = Call(self.weave.revision, self.weave.next_change, now)
        self.calls = dict(list(recent.items())[-_CALLS:])


def name_file(text: bytes) -> str:
    """Return a name for the file about `text`, which may be anything."""
    if len(text) <= _NAME:
        return text.hex()
    import hashlib

    return f"long-{hashlib.sha256(text).hexdigest()}"


def directory(git_dir: str) -> str:
    """Return where the states are."""
    return os.path.join(git_dir, "smartcommit", "ledger", "paths")


def load_state(git_dir: str, path: bytes) -> PathState | None:
    """Return the state of `path`, or None if there is none that can be read."""
    try:
        with open(os.path.join(directory(git_dir), name_file(path)), "rb") as file:
            state = decode_state(file.read())
    except OSError:
        return None
    return state if state is not None and state.path == path else None


def list_states(git_dir: str) -> Iterator[PathState]:
    """Yield all states that can be read."""
    for name in sorted(os.listdir(directory(git_dir))):
        try:
            with open(os.path.join(directory(git_dir), name), "rb") as file:
                state = decode_state(file.read())
        except OSError:
            continue
        if state is not None and name_file(state.path) == name:
            yield state


def save_state(git_dir: str, state: PathState) -> None:
    """Replace the state of a path. Raise OSError if it cannot be written; then the old one is unchanged."""
    replace_file(
        os.path.join(directory(git_dir), name_file(state.path)), encode_state(state), mode=0o600, durable=False
    )


def drop_state(git_dir: str, path: bytes) -> None:
    """Forget the state of a path."""
    drop(git_dir, os.path.join("ledger", "paths", name_file(path)))


def remove_old(git_dir: str, age: float) -> None:
    """Remove files that were not written for `age` seconds: states without uncommitted lines, and what a kill left."""
    for name in os.listdir(directory(git_dir)):
        place = os.path.join(directory(git_dir), name)
        if os.stat(place).st_mtime > time.time() - age:
            continue
        with open(place, "rb") as file:
            state = decode_state(file.read())
        if state is None or state.weave.is_committed:
            os.unlink(place)


def encode_state(state: PathState) -> bytes:
    """Return the bytes of a state: a checksum, a line of JSON, and the contents."""
    weave = state.weave
    content = join_lines(weave.lines)
    data = b"" if content is None else content.data
    raw = state.raw or b""
    header = {
        "version": _VERSION,
        "path": _to_text(state.path),
        "head": state.head,
        "base": state.base and [state.base.mode, state.base.oid],
        "mode": content and content.mode,
        "size": len(data),
        "raw": None if state.raw is None else len(raw),
        "stamp": state.stamp,
        "filtered": state.is_filtered,
        "calls": {name: list(call.as_dict().values()) for name, call in state.calls.items()},
        "runs": [_encode_run(run) for run in weave.runs],
        "changes": {number: [change.owner, change.shell] for number, change in weave.changes.items()},
        "next": weave.next_change,
        "revision": weave.revision,
        "gone": {_to_text(text): sorted(owners) for text, owners in weave.gone.items()},
    }
    body = json_text.dumps(header).encode() + b"\n" + data + raw
    return b"%08x" % zlib.crc32(body) + body


def decode_state(encoded: bytes) -> PathState | None:
    """Return the state of these bytes, or None if they are damaged or of another version."""
    body = encoded[8:]
    if encoded[:8] != b"%08x" % zlib.crc32(body):
        return None
    line, _, contents = body.partition(b"\n")
    try:
        return _read_state(json_text.loads(line.decode()), contents)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _read_state(header: Any, contents: bytes) -> PathState | None:
    if header["version"] != _VERSION:
        return None
    weave = Weave()
    size = header["size"]
    if header["mode"] is not None:
        weave.lines = list_lines(Content(header["mode"], contents[:size]))
    weave.runs = [_decode_run(fields) for fields in header["runs"]]
    if sum(run.count for run in weave.runs if run.is_live) != len(weave.lines):
        return None
    weave.changes = {int(number): Change(*fields) for number, fields in header["changes"].items()}
    if not {run.change for run in weave.runs} <= {0, *weave.changes}:
        return None
    weave.next_change = header["next"]
    weave.revision = header["revision"]
    weave.gone = {_to_bytes(text): set(owners) for text, owners in header["gone"].items()}
    state = PathState(_to_bytes(header["path"]), weave)
    state.head = header["head"]
    state.base = header["base"] and Blob(*header["base"])
    state.stamp = header["stamp"]
    state.is_filtered = header["filtered"]
    state.calls = {name: Call(*fields) for name, fields in header["calls"].items()}
    if header["raw"] is not None:
        state.raw = contents[size : size + header["raw"]]
    return state


def _encode_run(run: Run) -> list[Any]:
    return [run.count, run.change, run.in_head, run.is_live, [_to_text(text) for text in run.texts]]


def _decode_run(fields: list[Any]) -> Run:
    count, change, in_head, is_live, texts = fields
    return Run(count, change, in_head=in_head, is_live=is_live, texts=[_to_bytes(text) for text in texts])


def _to_text(data: bytes) -> str:
    """Return bytes as JSON can hold them, whatever their encoding is."""
    return data.decode("latin-1")


def _to_bytes(text: str) -> bytes:
    return text.encode("latin-1")
