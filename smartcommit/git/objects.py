"""Bounded reads of git's objects: files of a tree, patches, logs and commit messages.

`target` is a tree, or None for the index. `watch` is called several times a second and may raise, which ends the look.
Patterns are POSIX extended and searched by git: one that is invalid or takes too much memory ends in a GitError, and
one that takes too long in fewer results.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TypeVar

from smartcommit.errors import GitError
from smartcommit.git.diff import LARGE_FILE, SUBMODULE_MODE, WITH_INDEX, FileChange
from smartcommit.git.grep import MEMORY, check_pattern
from smartcommit.git.repo import Repository
from smartcommit.git.run import DIFF_OPTIONS, NO_LAZY_FETCH, environment_of, head_of_output, reason, run

# Bytes that are read of anything.
LIMIT = 1 << 20
# Seconds that one look may take.
PATIENCE = 3.0

Watch = Callable[[], None]
# Bytes that are read at once, and how many of them are seen again with the next ones.
_PART = 1 << 22
_OVERLAP = 1 << 10

Match = TypeVar("Match")
_CHUNK = 1 << 16


def read_blob(repository: Repository, tree: str | None, path: bytes, *, watch: Watch) -> tuple[bytes, bool]:
    """The content of the file `path` in `tree` (None: the index), at most LIMIT bytes, and whether that is all.

    Raises: GitError when there is no such file.
    """
    name = (b":0:" if tree is None else tree.encode() + b":") + path
    return _look(repository, ("cat-file", "blob", name), limit=LIMIT, watch=watch)


def patch(
    repository: Repository, base: str, target: str | None, paths: Sequence[bytes] = (), *, watch: Watch
) -> tuple[bytes, bool]:
    """The unified diff of `paths` (default: of all), at most LIMIT bytes, and whether that is all of it.

    Raises: GitError when git fails.
    """
    trees = (base,) if target is None else (base, target)
    command = WITH_INDEX if target is None else ("diff-tree",)
    return _look(
        repository,
        ("-c", f"core.bigFileThreshold={LARGE_FILE}", *command, "-r", "-p", "-M", *DIFF_OPTIONS, *trees, "--", *paths),
        limit=LIMIT,
        watch=watch,
    )


def search_tree(
    repository: Repository, tree: str | None, pattern: str, path: bytes = b"", *, watch: Watch
) -> list[tuple[bytes, bytes, bytes]]:
    """The lines of `tree` that match, each as path, number and text; `path` narrows it to a file or folder.

    Raises: GitError when the pattern cannot be used.
    """
    check_pattern(pattern)
    where = ("--cached",) if tree is None else (tree,)
    output, _ = _look(
        repository,
        ("grep", "-z", "-n", "-I", "-E", "--full-name", "--no-color", "--threads=1", *(where if tree is None else ()),
         "-e", pattern, *(where if tree is not None else ()), "--", *((path,) if path else ())),
        limit=1 << 16,
        expected=(0, 1),
        memory=MEMORY,
        watch=watch,
    )  # fmt: skip
    prefix = b"" if tree is None else tree.encode() + b":"
    found = []
    for line in output.split(b"\n")[:-1]:
        name, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        found.append((name.removeprefix(prefix), number, text))
    return found


def search_text(pattern: str, text: bytes, *, context: int = 0, watch: Watch) -> list[str]:
    """The lines of `text` that match, as `number:line` with lines around them as `number-line`, groups parted by `--`.

    Raises: GitError when the pattern cannot be used.
    """
    check_pattern(pattern)
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/text", "wb") as file:
            file.write(text)
        output, _ = head_of_output(
            ("grep", "--no-index", "--text", "-h", "-n", "-E", "--no-color", "--threads=1", f"-C{context}",
             "-e", pattern, "--", "text"),
            limit=LIMIT, directory=directory, expected=(0, 1), timeout=PATIENCE, memory=MEMORY, watch=watch,
        )  # fmt: skip
    return output.decode("utf-8", "replace").split("\n")[:-1]


def log(
    repository: Repository, revision: str, paths: Sequence[bytes] = (), *, count: int, form: str, watch: Watch
) -> list[str]:
    """The last `count` commits at `revision` that touch `paths` (default: any), each as git prints `form`.

    Raises: GitError when the revision is unknown.
    """
    output, _ = _look(
        repository,
        ("log", f"-{count}", "--no-merges", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8",
         f"--format={form}", "--end-of-options", revision, "--", *paths),
        limit=1 << 18,
        watch=watch,
    )  # fmt: skip
    return [entry.strip("\n") for entry in output.decode("utf-8", "replace").split("\0") if entry.strip("\n")]


def _look(
    repository: Repository, arguments: Sequence[str | bytes], *, limit: int, watch: Watch,
    expected: Sequence[int] = (0,), memory: int | None = None,
) -> tuple[bytes, bool]:  # fmt: skip
    return head_of_output(
        arguments, limit=limit, directory=repository.worktree,
        environment={**repository.environment, **NO_LAZY_FETCH}, expected=expected, timeout=PATIENCE,
        memory=memory, watch=watch,
    )  # fmt: skip


def find_added(
    repository: Repository, changes: Iterable[FileChange], find: Callable[[bytes], Iterable[Match]]
) -> list[tuple[bytes, Match]]:
    """What `find` finds in the new content of each of `changes` and not in its old content, with the path.

    Whole files are read and no diff is made, so that no attribute hides anything; two processes at most.

    Raises: GitError when a file cannot be read.
    """
    files = [change for change in changes if change.status != "D" and change.new_mode != SUBMODULE_MODE]
    found = _find(repository, [(change.path, change.new_id) for change in files], find)
    paths = {path for path, _ in found}
    old = []
    for change in files:
        if change.path in paths and change.status != "A" and change.old_mode != SUBMODULE_MODE:
            old.append((change.path, change.old_id))
    known = _find(repository, old, find)
    return [match for match in found if match not in known]


def _find(
    repository: Repository, blobs: Sequence[tuple[bytes, str]], find: Callable[[bytes], Iterable[Match]]
) -> dict[tuple[bytes, Match], None]:
    """What `find` finds in `blobs`, which are given as path and object name; in order and without duplicates."""
    found: dict[tuple[bytes, Match], None] = {}
    if blobs:
        for position, part in read_parts(repository, [oid for _, oid in blobs]):
            for match in find(part):
                found[blobs[position][0], match] = None
    return found


def read_sizes(repository: Repository, oids: Sequence[str]) -> list[int]:
    """The sizes of the blobs `oids` in bytes; one process at most.

    Raises: GitError when one cannot be read.
    """
    if not oids:
        return []
    listing = repository.run(
        "cat-file", "--batch-check=%(objectsize)", "--buffer", stdin="".join(f"{oid}\n" for oid in oids).encode()
    )
    return [int(size) for size in listing.split()]


def read_parts(repository: Repository, oids: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """The contents of the blobs `oids`, in parts that overlap, each behind its blob's place in `oids`; one process.

    Raises: GitError when one cannot be read.
    """
    with tempfile.TemporaryFile() as wanted:
        # A file and not a pipe: git writes before it has read all names.
        wanted.write("".join(f"{oid}\n" for oid in oids).encode())
        wanted.seek(0)
        with subprocess.Popen(
            ("git", "cat-file", "--batch", "--buffer"), cwd=repository.worktree, stdin=wanted, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment_of(repository.environment),
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for place, oid in enumerate(oids):
                for part in _parts(process.stdout, oid):
                    yield place, part


def _parts(stream: IO[bytes], oid: str) -> Iterator[bytes]:
    words = stream.readline().split()
    if len(words) != 3 or words[1] != b"blob":
        raise GitError(f"object '{oid}' cannot be read", status=1, hint="run 'git fsck'")
    left, seen = int(words[2]), b""
    while left > 0:
        data = stream.read(min(left, _PART))
        if not data:
            raise GitError(f"object '{oid}' cannot be read", status=1, hint="run 'git fsck'")
        left -= len(data)
        yield seen + data
        seen = data[-_OVERLAP:]
    stream.read(1)  # the newline behind each


@dataclass(slots=True)
class Recorded:
    """A commit's object name, the number of its parents, and its message in UTF-8 bytes."""

    commit: str
    parents: int
    message: bytes


def messages(revisions: str) -> Iterator[Recorded]:
    """The messages of `revisions` (as git log takes them), newest first; memory does not grow with their number.

    Raises: GitError when git does not know the revisions.
    """
    command = ["git", "--no-pager", "log", "-z", "--no-show-signature", "--encoding=UTF-8", "--format=%H %P%n%B"]
    with subprocess.Popen(
        [*command, "--end-of-options", revisions, "--"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        rest = b""
        while chunk := process.stdout.read(_CHUNK):
            *entries, rest = (rest + chunk).split(b"\0")
            for entry in entries:
                yield _parse(entry)
        if rest:
            yield _parse(rest)
        said = process.stderr.read()
    if process.returncode != 0:
        raise GitError(
            f"cannot read '{revisions}': {reason(said)}",
            status=process.returncode,
            hint="name commits that are here; a shallow clone has them after 'git fetch --unshallow'",
        )


def subjects(commits: Iterable[str]) -> dict[str, str]:
    """The subject of each of `commits`, object names, that exists; one process."""
    names = "".join(f"{commit}\n" for commit in commits)
    if not names:
        return {}
    done = run(
        ("log", "-z", "--no-walk=unsorted", "--ignore-missing", "--stdin", "--encoding=UTF-8", "--format=%H %s"),
        stdin=names.encode(),
    )
    entries = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return dict(entry.split(" ", 1) for entry in entries if " " in entry)


def _parse(entry: bytes) -> Recorded:
    head, _, message = entry.partition(b"\n")
    commit, *parents = head.decode("ascii").split()
    return Recorded(commit, len(parents), message)
