"""Writes a line of commits by one `git fast-import`.

It runs in the quarantine, so that the ref it works on, and the report that it leaves when it crashes, go with that. No
hook runs.
"""

from __future__ import annotations

import codecs
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import environment_of, reason
from smartcommit.message.cleanup import git_boolean

ABSENT = "000000"
# The ref that commits are written under, by each of the streams of a run anew.
_WORK_REF = b"refs/split/work"
_COMMAND = (
    # A pack costs one fsync where loose objects cost one each.
    "git", "-c", f"core.hooksPath={os.devnull}", "-c", "fastimport.unpackLimit=0", "-c", "core.fsync=objects",
    # Trees distinguish `Docs` and `docs` also where the file system does not.
    "-c", "core.ignoreCase=false", "fast-import", "--quiet", "--force", "--date-format=raw-permissive",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one path: `mode` is git's octal text, ABSENT where the path goes away.

    `oid` is the object that has the content, or had it.
    """

    path: bytes
    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to be made. `message` ends in one newline.

    A parent is an object name, or the position of an earlier new commit in the same list. The tree is the first
    parent's with `edits` made to it, or `tree` where that is given.
    """

    message: str
    parents: tuple[str | int, ...]
    edits: Sequence[Edit] = ()
    tree: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A commit that was written, by its object names."""

    commit: str
    tree: str


def write_commits(
    repository: Repository, base: str | None, commits: Sequence[NewCommit], identity: Identity
) -> list[Written]:
    """Write `commits` and return their names in the same order, after those of `base`; one process.

    `repository` is the quarantine's.

    `base` None stands for no commit at all, which is called by the null name and has the empty tree.

    Raises: GitError when git fails.
    """
    lines = _feed(repository, _stream(repository, base, commits, identity)).decode().splitlines()
    if base is None:
        lines = [repository.null_id, f"040000 tree {repository.empty_tree}", *lines]
    else:
        lines.insert(0, base)
    return [Written(commit, tree.split()[2]) for commit, tree in zip(lines[::2], lines[1::2], strict=True)]


def sign(
    repository: Repository, commits: Sequence[NewCommit], written: Sequence[Written], identity: Identity
) -> list[Written]:
    """Write a chain that `write_commits` wrote once more, signed as `commit.gpgSign` asks: a process for each commit.

    The first of `commits` names its parent, or none; every other one follows the one before it.

    Raises: GitError when git fails, say because a key is locked.
    """
    signed: list[Written] = []
    parents = commits[0].parents
    for commit, made in zip(commits, written, strict=True):
        message, encoding = identity.encode(commit.message)
        told = ("-c", f"i18n.commitEncoding={encoding or 'UTF-8'}")
        follows = (word for parent in parents for word in ("-p", str(parent)))
        oid = repository.run(*told, "commit-tree", "-S", *follows, made.tree, stdin=message).decode().strip()
        signed.append(Written(oid, made.tree))
        parents = (oid,)
    return signed


def _feed(repository: Repository, pieces: Iterable[bytes]) -> bytes:
    """What fast-import answers to `pieces`, of which only one need be in memory at a time."""
    with tempfile.TemporaryFile() as answers, tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(
            _COMMAND,
            cwd=repository.worktree,
            env=environment_of(repository.environment),
            stdin=subprocess.PIPE,
            stdout=answers,
            stderr=complaints,
        ) as process:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it died: its status says so
                process.stdin.writelines(pieces)
            with suppress(BrokenPipeError):
                process.stdin.close()
        if process.returncode:
            complaints.seek(0)
            text = reason(complaints.read())
            raise GitError(f"'git fast-import' failed: {text}", status=process.returncode)
        answers.seek(0)
        return answers.read()


def _stream(
    repository: Repository, base: str | None, commits: Sequence[NewCommit], identity: Identity
) -> Iterator[bytes]:
    # Without `done` at its end a stream that was cut off by our death would count as complete.
    yield b"feature done\n"
    if base is not None:
        yield b'ls %s ""\n' % base.encode()
    for number, commit in enumerate(commits, start=1):
        yield from _commit(number, commit, identity)
        yield b'get-mark :%d\nls :%d ""\n' % (number, number)
    yield b"done\n"


def _commit(number: int, commit: NewCommit, identity: Identity) -> Iterator[bytes]:
    message, encoding = identity.encode(commit.message)
    if not commit.parents:
        yield b"reset %s\n\n" % _WORK_REF
    yield b"commit %s\nmark :%d\nauthor %s\ncommitter %s\n" % (_WORK_REF, number, identity.author, identity.committer)
    if encoding:
        yield b"encoding %s\n" % encoding.encode()
    yield b"data %d\n%s\n" % (len(message), message)
    for word, parent in zip((b"from", *[b"merge"] * len(commit.parents)), commit.parents, strict=False):
        yield b"%s %s\n" % (word, parent.encode() if isinstance(parent, str) else b":%d" % (parent + 1))
    if commit.tree is not None:
        yield b'deleteall\nM 040000 %s ""\n' % commit.tree.encode()
    yield from _edits(commit.edits)


def _edits(edits: Sequence[Edit]) -> Iterator[bytes]:
    # What goes away makes room for what comes: a file may become a folder.
    yield from (b"D %s\n" % _quote(edit.path) for edit in edits if edit.mode == ABSENT)
    for edit in edits:
        if edit.mode != ABSENT:
            yield b"M %s %s %s\n" % (edit.mode.encode(), edit.oid.encode(), _quote(edit.path))


def _quote(path: bytes) -> bytes:
    """`path` as git-fast-import(1) quotes it: only these three bytes have a meaning between quotes."""
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


@dataclass(frozen=True, slots=True)
class Identity:
    """`author` and `committer` are `Name <email> SECONDS ZONE` in git's bytes.

    `encoding` is what messages are recorded in, as `i18n.commitEncoding` spells it, None for UTF-8; `signed` says that
    `commit.gpgSign` is on.
    """

    author: bytes
    committer: bytes
    encoding: str | None = None
    signed: bool = False

    def encode(self, message: str) -> tuple[bytes, str | None]:
        """The bytes of `message`, and the encoding to name in the commit: none where that cannot hold the message."""
        if self.encoding is not None:
            try:
                return message.encode(self.encoding), self.encoding
            except UnicodeEncodeError:
                pass
        return message.encode("utf-8", "surrogateescape"), None


def read_identity(repository: Repository, configuration: Iterable[tuple[str, str | None]]) -> Identity:
    """The identity by git's own rules; two processes. `configuration` lists git's settings, the last one counting.

    Raises: GitError when git does not know who commits.
    """
    settings = dict(configuration)
    encoding = settings.get("i18n.commitencoding")
    try:
        author, committer = (
            repository.run("var", name).rstrip(b"\n") for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")
        )
    except GitError as error:
        raise GitError(
            str(error),
            status=error.status,
            hint="run 'git config --global user.name NAME' and 'git config --global user.email ADDRESS'",
        ) from error
    signed = git_boolean(settings.get("commit.gpgsign", "false")) is True
    return Identity(author, committer, encoding if _other_than_utf8(encoding) else None, signed)


def _other_than_utf8(encoding: str | None) -> bool:
    try:
        return encoding is not None and codecs.lookup(encoding).name != "utf-8"
    except LookupError:
        return False
