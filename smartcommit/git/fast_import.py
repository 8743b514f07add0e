"""Writes new blobs, and a line of commits, each by one `git fast-import`.

It runs in the quarantine, with which its ref and the report of a crash are removed. No hook runs.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Self

from smartcommit.errors import GitError
from smartcommit.git.diff import ABSENT, FileChange
from smartcommit.git.query import parse_boolean
from smartcommit.git.repo import Repository
from smartcommit.git.run import explain_end, make_environment
from smartcommit.processes.run import read_errors, start

# Authors that fast-import takes, in its way of reading dates. Source: parse_ident of git 2.55.
_PLAIN_AUTHOR = re.compile(rb"([^<>\n\0]* )?<[^<>\n\0]*> -?\d+ [+-]\d+")
# The ref that commits are written under; each stream of a run starts it again.
_WORK_REF = b"refs/split/work"
_COMMAND = (
    # A pack needs one fsync, loose objects one each.
    "-c", f"core.hooksPath={os.devnull}", "-c", "fastimport.unpackLimit=0", "-c", "core.fsync=objects",
    # Trees distinguish `Docs` and `docs` also where the file system does not.
    "-c", "core.ignoreCase=false", "fast-import", "--quiet", "--force", "--date-format=raw-permissive",
)  # fmt: skip


class BlobPack:
    """Writes new blobs into the quarantine `repository`; they are there at the end of the `with` block. One process."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._names: set[str] = set()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        return self

    def add(self, content: bytes) -> str:
        """Write `content`, and return the name of the object."""
        digest = hashlib.new(self._repository.object_format, b"blob %d\0" % len(content))
        digest.update(content)
        name = digest.hexdigest()
        if name in self._names:
            return name
        self._names.add(name)
        if self._process is None:
            environment = make_environment(self._repository.environment)
            options = {"cwd": self._repository.worktree, "env": environment, "stdin": subprocess.PIPE}
            self._process, self._errors = self._stack.enter_context(start(("git", *_COMMAND), **options))
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # git has ended, and says why
            for part in (b"blob\ndata %d\n" % len(content), content, b"\n"):
                self._process.stdin.write(part)
        return name

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        with self._stack:
            if self._process is None:
                return
            with suppress(BrokenPipeError):
                self._process.communicate()
            status = self._process.wait()
            if status and kind is None:
                raise GitError(f"cannot write blobs: {explain_end(status, read_errors(self._errors))}", status=status)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one path: `mode` is git's octal text, ABSENT to delete it; `oid` is its content, or what it was."""

    path: bytes
    mode: str
    oid: str

    @classmethod
    def of(cls, change: FileChange) -> Edit:
        """Return the edit that makes `change`, which is no rename."""
        return cls(change.path, change.new_mode, change.old_id if change.new_mode == ABSENT else change.new_id)


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to write. `message` ends in one newline; in bytes it is recorded as it is, in `encoding` (None: UTF-8).

    A parent is an object name, or the position of an earlier commit in the same list. The tree is `tree` if given, else
    the first parent's with `edits` applied. `author` is as in Identity; without one it is that of whoever commits.
    """

    message: str | bytes
    parents: tuple[str | int, ...]
    edits: Sequence[Edit] = ()
    tree: str | None = None
    author: bytes | None = None
    encoding: str | None = None

    @property
    def title(self) -> str:
        message = self.message
        if isinstance(message, bytes):
            message = decode_message(message, self.encoding)
        return message.partition("\n")[0]


class WrittenCommit(NamedTuple):
    commit: str
    tree: str


def write_commits(
    repository: Repository, base: str | None, commits: Sequence[NewCommit], identity: Identity
) -> list[WrittenCommit]:
    """Write `commits` into the quarantine `repository`, by one process; return their names after those of `base`.

    If `base` is None there is no commit yet: its name is the null one, and its tree is empty. Authors that only other
    programs record, with two addresses for example, stay as they are, for a process more for each commit.
    """
    # Without `done` at its end, a stream that was interrupted because we were killed would count as complete.
    stream = [b"feature done\n"]
    if base is not None:
        stream.append(b'ls %s ""\n' % base.encode())
    for number, commit in enumerate(commits, start=1):
        stream += _print_commit(number, commit, identity)
        stream.append(b'get-mark :%d\nls :%d ""\n' % (number, number))
    output = repository.run(*_COMMAND, stdin=b"".join([*stream, b"done\n"]))
    lines = output.decode().split("\n")[:-1]
    if base is None:
        lines = [repository.null_id, f"040000 tree {repository.empty_tree}", *lines]
    else:
        lines.insert(0, base)
    written = [WrittenCommit(commit, tree.split()[2]) for commit, tree in zip(lines[::2], lines[1::2], strict=True)]
    if all(_is_plain(commit.author) for commit in commits):
        return written
    # Parents get other names, so all commits are written again.
    for number, commit in enumerate(commits, start=1):
        content = _make_content(commit, written, number, identity)
        oid = repository.run("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=content)
        written[number] = WrittenCommit(oid.decode().strip(), written[number].tree)
    return written


def _is_plain(author: bytes | None) -> bool:
    return author is None or _PLAIN_AUTHOR.fullmatch(author) is not None


def _make_content(commit: NewCommit, written: Sequence[WrittenCommit], number: int, identity: Identity) -> bytes:
    """Return what git records of the commit at a position in `written`. Source: gitformat-commit."""
    message, encoding = identity.encode_for(commit)
    lines = [f"tree {written[number].tree}".encode()]
    for parent in commit.parents:
        name = parent if isinstance(parent, str) else written[parent + 1].commit
        lines.append(f"parent {name}".encode())
    author = identity.author if commit.author is None else commit.author
    lines += [b"author " + author, b"committer " + identity.committer]
    if encoding:
        lines.append(b"encoding " + os.fsencode(encoding))
    return b"\n".join(lines) + b"\n\n" + message


def sign_commits(
    repository: Repository, commits: Sequence[NewCommit], written: Sequence[WrittenCommit], identity: Identity
) -> list[WrittenCommit]:
    """Write the chain from `write_commits` again, signed as `commit.gpgSign` asks, by a process for each commit.

    The first of `commits` names its parents; the parent of each other one is the commit before it. git strips from an
    author's name what it never records itself, as in `git commit --amend`. A locked key is one reason to fail.
    """
    signed: list[WrittenCommit] = []
    parents = commits[0].parents
    for commit, made in zip(commits, written, strict=True):
        message, encoding = identity.encode_for(commit)
        environment = {}
        if commit.author is not None:
            person, _, date = commit.author.rpartition(b"> ")
            name, _, address = person.rpartition(b"<")
            environment = {
                "GIT_AUTHOR_NAME": os.fsdecode(name.strip()),
                "GIT_AUTHOR_EMAIL": os.fsdecode(address),
                "GIT_AUTHOR_DATE": f"@{os.fsdecode(date)}",
            }
        arguments = ["-c", f"i18n.commitEncoding={encoding or 'UTF-8'}", "commit-tree", "-S"]
        for parent in parents:
            arguments += ["-p", str(parent)]
        try:
            oid = repository.extended(**environment).run(*arguments, made.tree, stdin=message).decode().strip()
        except GitError as error:
            raise GitError(f"cannot sign '{commit.title}': {error}", status=error.status, hint=error.hint) from None
        signed.append(WrittenCommit(oid, made.tree))
        parents = (oid,)
    return signed


def _print_commit(number: int, commit: NewCommit, identity: Identity) -> Iterator[bytes]:
    """Yield a commit with the mark `number` in the format of git-fast-import(1)."""
    message, encoding = identity.encode_for(commit)
    author = commit.author or identity.author
    if not _is_plain(commit.author):
        author = NOBODY.author  # the commit is written again
    if not commit.parents:
        yield b"reset %s\n\n" % _WORK_REF
    yield b"commit %s\nmark :%d\nauthor %s\ncommitter %s\n" % (_WORK_REF, number, author, identity.committer)
    if encoding:
        yield b"encoding %s\n" % os.fsencode(encoding)
    yield b"data %d\n%s\n" % (len(message), message)
    command = b"from"
    for parent in commit.parents:
        name = parent if isinstance(parent, str) else f":{parent + 1}"
        yield b"%s %s\n" % (command, name.encode())
        command = b"merge"
    if commit.tree is not None:
        yield b'deleteall\nM 040000 %s ""\n' % commit.tree.encode()
    # Deletions come first: a file may become a directory.
    for edit in commit.edits:
        if edit.mode == ABSENT:
            yield b"D %s\n" % _quote(edit.path)
    for edit in commit.edits:
        if edit.mode != ABSENT:
            yield b"M %s %s %s\n" % (edit.mode.encode(), edit.oid.encode(), _quote(edit.path))


def _quote(path: bytes) -> bytes:
    """Quote `path` as git-fast-import(1) does: only these three bytes have a meaning between quotes."""
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


@dataclass(frozen=True, slots=True)
class Identity:
    """Who commits: `author` and `committer` are `Name <email> SECONDS ZONE` in git's bytes.

    `encoding` is the encoding of messages as `i18n.commitEncoding` spells it, None for UTF-8; `signed` is
    `commit.gpgSign`.
    """

    author: bytes
    committer: bytes
    encoding: str | None = None
    signed: bool = False

    @property
    def sign_off(self) -> str:
        """The committer as `Name <email>`, which is what `git commit -s` signs off with.

        git takes a name's bytes for those of the message's encoding; ones that are UTF-8 are read as such here.
        """
        try:
            committer = self.committer.decode()
        except UnicodeDecodeError:
            committer = decode_message(self.committer, self.encoding)
        return committer.rpartition(" ")[0].rpartition(" ")[0]

    def encode_for(self, commit: NewCommit) -> tuple[bytes, str | None]:
        if isinstance(commit.message, bytes):
            return commit.message, commit.encoding
        return self.encode(commit.message)

    def encode(self, message: str) -> tuple[bytes, str | None]:
        """Return the bytes of `message`, and the encoding to name in the commit: None if that cannot encode it."""
        try:
            return message.encode(self.encoding or "utf-8"), self.encoding
        except (LookupError, ValueError):
            return message.encode("utf-8", "surrogateescape"), None


# Of commits that carry a tree and are never published.
NOBODY = Identity(b"smartcommit <> 0 +0000", b"smartcommit <> 0 +0000")


def read_identity(repository: Repository, configuration: Iterable[tuple[str, str | None]]) -> Identity:
    """Ask git for the identity. `configuration` lists git's settings, of which the last one counts."""
    settings = dict(configuration)
    encoding = settings.get("i18n.commitencoding")
    try:
        if encoding is not None and codecs.lookup(encoding).name == "utf-8":
            encoding = None
    except LookupError:
        encoding = None
    try:
        author = repository.run("var", "GIT_AUTHOR_IDENT").rstrip(b"\n")
        committer = repository.run("var", "GIT_COMMITTER_IDENT").rstrip(b"\n")
    except GitError as error:
        hint = "run 'git config --global user.name NAME' and 'git config --global user.email ADDRESS'"
        raise GitError(str(error), status=error.status, hint=hint) from error
    return Identity(author, committer, encoding, parse_boolean(settings.get("commit.gpgsign", "false")) is True)


def decode_message(message: bytes, encoding: str | None) -> str:
    """Return the text of a recorded message, whose commit names `encoding` (None: UTF-8); no byte is refused."""
    try:
        return message.decode(encoding or "utf-8", "surrogateescape")
    except (LookupError, ValueError):
        # Not every one of Python's encodings is for all bytes, or for text.
        return message.decode("utf-8", "surrogateescape")
