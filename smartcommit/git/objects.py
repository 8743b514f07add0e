"""Bounded reads of git's objects: files of a tree, patches, logs and commit messages.

`target` is a tree, or None for the index. `watch` is called several times a second and may raise, which stops git.
Patterns are POSIX extended and searched by git: one that is invalid or takes too much memory ends in a GitError, and
one that takes too long in fewer results.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TypeVar

from smartcommit.errors import GitError
from smartcommit.git.diff import SUBMODULE_MODE, FileChange, make_diff_command
from smartcommit.git.grep import MEMORY, check_pattern, search_text
from smartcommit.git.query import make_log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import DIFF_OPTIONS, NO_LAZY_FETCH, explain_end, make_environment
from smartcommit.processes.run import read_errors, start

# Maximum bytes that are read of a file, a patch or other output.
LIMIT = 1 << 20
# Seconds that one read may take.
TIMEOUT = 3.0

Watch = Callable[[], None]
Match = TypeVar("Match")
# Bytes of one part of a blob, and of the overlap with the next part.
_PART_SIZE = 1 << 22
_REPEATED_SIZE = 1 << 10
_CHUNK_SIZE = 1 << 16


def read_blob(repository: Repository, tree: str | None, path: bytes, *, watch: Watch) -> tuple[bytes, bool]:
    """Return the content of the file `path` in `tree` (None: the index), at most LIMIT bytes, and if that is all."""
    name = f"{tree or ':0'}:".encode() + path
    return _read_output(repository, ("cat-file", "blob", name), limit=LIMIT, watch=watch)


def read_patch(
    repository: Repository, base: str, target: str | None, paths: Sequence[bytes], *, watch: Watch
) -> tuple[bytes, bool]:
    """Return the unified diff of `paths` (all if empty), at most LIMIT bytes, and whether that is all of it."""
    command = make_diff_command(base, target, ("-p", "-M", *DIFF_OPTIONS), thorough=False)
    return _read_output(repository, (*command, "--", *paths), limit=LIMIT, watch=watch)


def search_tree(
    repository: Repository, tree: str | None, pattern: str, path: bytes, *, watch: Watch
) -> list[tuple[bytes, bytes, bytes]]:
    """Return the matching lines of `tree`, each as path, number and text; a `path` limits it to a file or directory."""
    check_pattern(pattern)
    command: list[str | bytes] = ["grep", "-z", "-n", "-I", "-E", "--full-name", "--no-color", "--threads=1"]
    command += ["-e", pattern, tree or "--cached", "--", *([path] if path else [])]
    output, _ = _read_output(repository, command, limit=1 << 16, expected=(0, 1), memory=MEMORY, watch=watch)
    prefix = f"{tree}:".encode()
    hits = []
    for line in output.split(b"\n")[:-1]:
        name, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        if tree is not None:
            name = name.removeprefix(prefix)
        hits.append((name, number, text))
    return hits


def search_lines(pattern: str, text: bytes, *, context: int, watch: Watch) -> list[str]:
    """Return the matching lines of `text` as `number:line`, context as `number-line`, and `--` between groups."""
    options = ("-h", "-n", "--no-color", f"-C{context}")
    output, _ = search_text(pattern, text, options, limit=LIMIT, timeout=TIMEOUT, watch=watch)
    return output.decode("utf-8", "replace").split("\n")[:-1]


def read_log(
    repository: Repository, revision: str, paths: Sequence[bytes], *, count: int, form: str, watch: Watch
) -> list[str]:
    """Return the last `count` commits at `revision` that touch `paths` (any if empty), each in git's format `form`."""
    command = make_log_command(form, "--no-merges", last=count, revisions=[revision], paths=paths)
    output, _ = _read_output(repository, command, limit=1 << 18, watch=watch)
    entries = output.decode("utf-8", "replace").split("\0")
    return [entry.strip("\n") for entry in entries if entry.strip("\n")]


def read_commits(repository: Repository, commits: Sequence[str], *, watch: Watch) -> list[tuple[bytes, bytes]]:
    """Return the message of each of `commits` and its patch without context, of as many as fit into LIMIT bytes."""
    options = ("--no-walk=unsorted", "-p", "-U0", "-M", *DIFF_OPTIONS)
    command = make_log_command("%x00%B%x00", *options, revisions=commits)
    output, complete = _read_output(repository, command, limit=LIMIT, watch=watch)
    found: list[tuple[bytes, bytes]] = []
    message = b""
    for field in output.split(b"\0"):
        # Each message stands between two NULs, and git begins a new line before its patch.
        if field.startswith(b"\ndiff --git "):
            found.append((message, field))
        elif field:
            message = field
    return found if complete else found[:-1]


def _read_output(
    repository: Repository, arguments: Sequence[str | bytes], *, limit: int, watch: Watch, **bounds: object
) -> tuple[bytes, bool]:
    reader = repository.extended(**NO_LAZY_FETCH)
    return reader.read_head(arguments, limit=limit, timeout=TIMEOUT, watch=watch, **bounds)


def find_added(
    repository: Repository, changes: Iterable[FileChange], find: Callable[[bytes], Iterable[Match]]
) -> list[tuple[bytes, Match]]:
    """Return what `find` finds in the new content of each of `changes` and not in its old content, with the path.

    Whole files are read and no diff is made, so that no attribute hides anything; two processes at most.
    """
    new: dict[bytes, str] = {}
    old: dict[bytes, str] = {}
    for change in changes:
        if change.status != "D" and change.new_mode != SUBMODULE_MODE:
            new[change.path] = change.new_id
            if change.status != "A" and change.old_mode != SUBMODULE_MODE:
                old[change.path] = change.old_id
    matches = _search_blobs(repository, new, find)
    old_matches = _search_blobs(repository, {path: old[path] for path, _ in matches if path in old}, find)
    return [match for match in matches if match not in old_matches]


def _search_blobs(
    repository: Repository, blobs: Mapping[bytes, str], find: Callable[[bytes], Iterable[Match]]
) -> dict[tuple[bytes, Match], None]:
    paths = list(blobs)
    matches: dict[tuple[bytes, Match], None] = {}
    for position, part in read_parts(repository, list(blobs.values())):
        for match in find(part):
            matches[paths[position], match] = None
    return matches


def filter_tracked(repository: Repository, base: str, paths: Iterable[bytes]) -> list[bytes]:
    """Return those of `paths`, of which folders end in a slash, that the tree `base` has; none with a line break."""
    names = []
    wanted = []
    for path in paths:
        if b"\n" not in path:
            names.append(path)
            wanted.append(f"{base}:".encode() + path.rstrip(b"/") + b"\n")
    if not names:
        return []
    listing = repository.run("cat-file", "--batch-check=%(objecttype)", "--buffer", stdin=b"".join(wanted))
    kinds = zip(names, listing.split(b"\n"), strict=False)
    return [name for name, kind in kinds if kind in (b"blob", b"tree")]


def read_sizes(repository: Repository, oids: Sequence[str]) -> list[int]:
    if not oids:
        return []
    listing = repository.run("cat-file", "--batch-check=%(objectsize)", "--buffer", stdin=_join_names(oids))
    return [int(part) for part in listing.split()]


def read_objects(repository: Repository, oids: Sequence[str], kind: bytes = b"blob") -> Iterator[bytes]:
    for oid, size, stream in _open_objects(repository, oids, kind):
        yield _read_exactly(oid, stream, size)


def read_parts(repository: Repository, oids: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the contents of the blobs `oids` in overlapping parts, each with its blob's position; one process."""
    for position, (oid, size, stream) in enumerate(_open_objects(repository, oids, b"blob")):
        left, seen = size, b""
        while left:
            data = _read_exactly(oid, stream, min(left, _PART_SIZE))
            yield position, seen + data
            seen = data[-_REPEATED_SIZE:]
            left -= len(data)


def _read_exactly(oid: str, stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise _make_unreadable_error(oid)
    return data


def _make_unreadable_error(oid: str) -> GitError:
    return GitError(f"cannot read object '{oid}'", status=1, hint="run 'git fsck'")


def _open_objects(repository: Repository, oids: Sequence[str], kind: bytes) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Yield each of `oids` with the size of its object, and the stream to read it from, up to the object's end.

    Every object must have the type `kind`, so a submodule's commit is refused as a file's content.
    """
    if not oids:
        return
    command = ("git", "cat-file", "--batch", "--buffer")
    environment = make_environment(repository.environment)
    with tempfile.TemporaryFile() as names:
        # A file and not a pipe: git writes before it has read all names.
        names.write(_join_names(oids))
        names.seek(0)
        streams = {"stdin": names, "stdout": subprocess.PIPE}
        with start(command, cwd=repository.worktree, env=environment, **streams) as (process, _):
            assert process.stdout is not None
            for oid in oids:
                fields = process.stdout.readline().split()
                if len(fields) != 3 or fields[1] != kind:
                    raise _make_unreadable_error(oid)
                yield oid, int(fields[2]), process.stdout
                process.stdout.read(1)  # the newline after each


def _join_names(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


@dataclass(slots=True)
class RecordedMessage:
    """A commit's object name, the number of its parents, its author's name, and its message in UTF-8 bytes."""

    commit: str
    parents: int
    author: str
    message: bytes


def read_messages(*revisions: str) -> Iterator[RecordedMessage]:
    """Yield the messages of `revisions` (as git log takes them), newest first, in constant memory."""
    command = ("git", "--no-pager", *make_log_command("%H %P%n%an%n%B", revisions=revisions))
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with start(command, env=make_environment(), **streams) as (process, errors):
        assert process.stdout is not None
        rest = b""
        while chunk := process.stdout.read(_CHUNK_SIZE):
            *entries, rest = (rest + chunk).split(b"\0")
            yield from (_parse_message(entry) for entry in entries)
        if rest:
            yield _parse_message(rest)
        status, stderr = process.wait(), read_errors(errors)
    if status != 0:
        reason = explain_end(status, stderr)
        hint = "check the revision names; in a shallow clone, run 'git fetch --unshallow'"
        if reason.startswith("not a git repository"):
            hint = "run this inside a repository"
        raise GitError(f"cannot read '{' '.join(revisions)}': {reason}", status=status, hint=hint)


def _parse_message(entry: bytes) -> RecordedMessage:
    head, author, message = entry.split(b"\n", 2)
    commit, *parents = head.decode("ascii").split()
    return RecordedMessage(commit, len(parents), author.decode("utf-8", "replace"), message)
