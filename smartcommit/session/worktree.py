"""Reads files of the working tree and of HEAD as git would record them, for the ledger.

Each function takes any number of paths and runs a constant number of git processes, mostly none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from smartcommit.errors import GitError
from smartcommit.files import read_content
from smartcommit.git.query import ask
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.record import Record
from smartcommit.session.store import Blob
from smartcommit.session.weave import Content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.git.status import WorktreeStatus

# Bytes of a file whose lines are told apart; larger ones are not read.
LINE_LIMIT = 5 << 20
# Bytes of paths that are passed to a process.
_ARGUMENTS = 1 << 17
# Bytes that a process may print.
_OUTPUT = 1 << 26
# Attributes by which git converts a file, besides its line ends. Source: gitattributes(5).
_CONVERTING = (b"filter", b"ident", b"working-tree-encoding")
_BRANCH = b"ref: refs/heads/"


class WorkFile(Record):
    """A file of the working tree, its bytes None if there is none, and unread if it `is_large`, above LINE_LIMIT."""

    mode: str
    raw: bytes | None
    stamp: list[int]
    is_large: bool = False


def read_stamp(repository: Repository, path: bytes) -> list[int]:
    """Return what changes when the file is written: times, size, inode and mode; empty if there is no file."""
    try:
        status = os.lstat(os.path.join(os.fsencode(repository.worktree), path))
    except OSError:
        return []
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode]


def read_work_file(repository: Repository, path: bytes) -> WorkFile:
    """Read the file `path`. A directory, or what git cannot track, counts as no file. Raise OSError."""
    full = os.path.join(os.fsencode(repository.worktree), path)
    stamp = read_stamp(repository, path)
    if not stamp:
        return WorkFile("", None, stamp)
    *_, size, _, mode = stamp
    if stat.S_ISLNK(mode):
        return WorkFile("120000", os.readlink(full), stamp)
    if not stat.S_ISREG(mode):
        return WorkFile("", None, stamp)
    name = "100755" if mode & 0o100 else "100644"
    if size > LINE_LIMIT:
        return WorkFile(name, b"", stamp, is_large=True)
    with open(full, "rb") as file:
        return WorkFile(name, file.read(), stamp)


def is_own_place(repository: Repository, path: bytes) -> bool:
    """Whether `path` can be tracked here: below no symbolic link, git directory or other repository."""
    if not path or path.startswith(b"/") or b"\0" in path:
        return False
    parts = path.split(b"/")
    if any(part in (b"", b".", b"..") or part.lower() == b".git" for part in parts):
        return False
    place = os.fsencode(repository.worktree)
    for part in parts[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place) or os.path.lexists(os.path.join(place, b".git")):
            return False
    return True


def is_ignored(repository: Repository, path: bytes) -> bool:
    status, _ = ask(("check-ignore", "--quiet", "--", b"./" + path), directory=repository.worktree)
    return status == 0


def read_branch(repository: Repository) -> str:
    """Return the branch that is checked out, "HEAD" if none is."""
    return repository.branch() or "HEAD"


def read_head_commit(repository: Repository) -> str:
    """Return the commit of HEAD, "" before the first one; no process if the branch is in git's files."""
    head = (read_file(os.path.join(repository.git_dir, "HEAD")) or b"").strip()
    if head.startswith(_BRANCH):
        branch = head.removeprefix(b"ref: ")
        loose = read_file(os.path.join(repository.common_dir, os.fsdecode(branch)))
        head = (loose or b"").strip()
        if not head:
            packed = read_file(os.path.join(repository.common_dir, "packed-refs")) or b""
            before, mark, _ = packed.partition(b" " + branch + b"\n")
            head = before.rpartition(b"\n")[2] if mark else b""
    if len(head) == len(repository.null_id):
        return head.decode()
    return repository.head() or ""


def read_tree(repository: Repository, commit: str, paths: Sequence[bytes]) -> dict[bytes, tuple[Blob, int]]:
    """Return which of `paths` the `commit` has, with the sizes of the blobs; a submodule has none, and size -1."""
    entries: dict[bytes, tuple[Blob, int]] = {}
    if not commit or not paths:
        return entries
    wanted = set(paths)
    # All paths, if so many do not fit on a command line.
    limits = paths if sum(len(path) for path in paths) + 16 * len(paths) < _ARGUMENTS else ()
    for line in _ask(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *limits).split(b"\0")[:-1]:
        fields, _, path = line.partition(b"\t")
        mode, kind, oid, size = fields.split()
        if path in wanted:
            entries[path] = Blob(mode.decode(), oid.decode()), int(size) if kind == b"blob" else -1
    return entries


def read_contents(repository: Repository, blobs: Sequence[Blob]) -> dict[str, bytes]:
    if not blobs:
        return {}
    oids = sorted({blob.oid for blob in blobs})
    if len(oids) == 1:
        return {oids[0]: _ask(repository, "cat-file", "blob", oids[0])}
    from smartcommit.git.objects import read_objects

    return dict(zip(oids, read_objects(repository, oids), strict=True))


def may_be_filtered(repository: Repository, path: bytes) -> bool:
    """Whether git's attributes may convert `path` otherwise than line ends; those of the system are not read."""
    own = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    names = [os.path.join(os.fsencode(repository.common_dir), b"info", b"attributes")]
    names.append(os.path.join(os.fsencode(own), b"git", b"attributes"))
    place = os.fsencode(repository.worktree)
    for part in path.split(b"/"):
        names.append(os.path.join(place, b".gitattributes"))
        place = os.path.join(place, part)
    text = b"\n".join(map(read_content, names))
    return any(word in text for word in _CONVERTING)


def convert(repository: Repository, path: bytes, raw: bytes) -> bytes:
    """Return what git would record for `raw` at `path`; two processes. Raise GitError if a filter fails."""
    name = repository.run(
        "-c", "core.safecrlf=false", "hash-object", "-w", "--stdin", b"--path=" + path, stdin=raw
    ).decode()
    return _ask(repository, "cat-file", "blob", name.strip())


def write_blobs(repository: Repository, folder: str, contents: Sequence[Content]) -> list[Blob]:
    """Write `contents` as objects, by one process, and return their names; files in `folder` are passed to git."""
    if not contents:
        return []
    names = []
    try:
        for number, content in enumerate(contents):
            name = os.path.join(folder, f"{os.getpid()}.{number}.blob")
            names.append(name)
            with open(name, "wb") as file:
                file.write(content.data)
        listing = "\n".join(names).encode()
        oids = repository.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listing).decode().split()
    finally:
        for name in names:
            os.unlink(name)
    return [Blob(content.mode, oid) for content, oid in zip(contents, oids, strict=True)]


def read_status(repository: Repository) -> WorktreeStatus:
    """Return what differs from HEAD or is untracked; a repository in a folder ends in a slash."""
    from smartcommit.git.status import STATUS, parse_status

    return parse_status(_ask(repository, *STATUS, "--untracked-files=all", "--ignore-submodules=none"))


def has_modes(repository: Repository) -> bool:
    """Whether files here can be executable or not. Source: git-config(1), core.fileMode, as git init writes it."""
    return b"filemode = false" not in read_content(os.path.join(repository.common_dir, "config")).lower()


def _ask(repository: Repository, *arguments: str | bytes) -> bytes:
    output, complete = repository.read_head(arguments, limit=_OUTPUT)
    if not complete:
        raise GitError("git printed too much", status=0)
    return output
