"""The commits that are rewritten: which they are, what git recorded of them, and which must not be."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from smartcommit.change.wording import format_count
from smartcommit.errors import GitError, SplitError
from smartcommit.git.fast_import import decode_message
from smartcommit.git.repo import Repository

# Commits of a range that is found without being named: older ones are seldom meant.
_COMMITS_FOUND = 100
# Commits of a range that is named.
_COMMITS_READ = 2000


@dataclass(frozen=True, slots=True)
class OldCommit:
    """A commit as git records it.

    `author` and `committer` are `Name <email> SECONDS ZONE`. `message` is in `encoding`, None for UTF-8.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: bytes
    committer: bytes
    encoding: str | None
    message: bytes
    signed: bool

    @property
    def text(self) -> str:
        return decode_message(self.message, self.encoding)

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The commits of `head` that `base` does not have, oldest first; `base` is None if the first one has no parent.

    `has_merges` is whether they are more than one line of commits.
    """

    base: str | None
    head: str
    commits: tuple[OldCommit, ...]
    has_merges: bool

    @property
    def oids(self) -> list[str]:
        return [commit.oid for commit in self.commits]


def read_named_range(
    repository: Repository, name: str, *, allow_merges: bool = False, allow_pushed: bool = False
) -> CommitRange:
    """Return the range that the user calls `name`: `BASE..`, `BASE..HEAD` or `BASE`; four processes.

    If HEAD's branch has left BASE behind, its commits since it did so. Raise SplitError if there is no such range, it
    is not HEAD's, has no commits, or has merges or commits that were pushed and these are not allowed.
    """
    start, dots, end = name.partition("..")
    if not start or end.startswith(".") or (dots and end not in ("", "HEAD", "@")):
        raise SplitError(
            f"'{name}' is not a range of commits up to HEAD",
            hint="name the commit before the first one, as in 'main..'",
        )
    head = repository.head()
    if head is None:
        raise SplitError("there are no commits yet")
    base = _find_base(repository, start, head)
    found = read_commits_since(repository, base, head, limit=_COMMITS_READ + 1)
    if not found:
        raise SplitError(f"there are no commits since '{start}'")
    if len(found) > _COMMITS_READ:
        raise SplitError(f"there are more than {_COMMITS_READ} commits since '{start}'", hint="name a later commit")
    has_merges = any(len(commit.parents) != 1 for commit in found)
    if has_merges and not allow_merges:
        raise SplitError(
            f"the commits since '{start}' have merges, which would become part of the new commits",
            hint="name a later commit, or add '--allow-merges'",
        )
    if not allow_pushed:
        _check_unpushed(repository, head, base, total=len(found))
    return CommitRange(base, head, tuple(found), has_merges)


def find_unpushed_range(repository: Repository) -> CommitRange:
    """Return the commits of HEAD that no remote-tracking branch has, above the last merge; three processes.

    They are the last 100 at most. Raise SplitError if there are none.
    """
    head = repository.head()
    if head is None:
        raise SplitError("there are no commits yet")
    commits: list[OldCommit] = []
    for commit in reversed(
        read_commits(repository, ["--first-parent", head, "--not", "--remotes"], limit=_COMMITS_FOUND)
    ):
        if len(commit.parents) > 1:
            break
        commits.insert(0, commit)
    if not commits:
        raise SplitError(
            "there are no commits that were not pushed",
            hint="name the commits with 'BASE..', and use '--allow-pushed' if they may be rewritten",
        )
    base = next(iter(commits[0].parents), None)
    return CommitRange(base, head, tuple(commits), has_merges=False)


def _find_base(repository: Repository, name: str, head: str) -> str:
    """Return where HEAD's history leaves the commit `name`."""
    try:
        start = repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        found = repository.run("merge-base", start.decode().strip(), head)
    except GitError:
        raise SplitError(
            f"cannot tell which commits there are since '{name}'", hint="name a commit that HEAD descends from"
        ) from None
    return found.decode().strip()


def _check_unpushed(repository: Repository, head: str, base: str, *, total: int) -> None:
    listing = repository.run("rev-list", "--count", head, f"^{base}", "--not", "--remotes")
    pushed = total - int(listing)
    if pushed:
        raise SplitError(
            f"{format_count(pushed, 'commit')} of the {total} were pushed already: others may have them",
            hint="name a later commit, or add '--allow-pushed' and push with '--force-with-lease' afterwards",
        )


def read_commits_since(repository: Repository, base: str | None, head: str, *, limit: int) -> list[OldCommit]:
    """Return the last commits of `head` that `base` does not have, if there is one; as `read_commits`."""
    return read_commits(repository, [head, f"^{base}"] if base else [head], limit=limit)


def read_commits(repository: Repository, revisions: Sequence[str], *, limit: int) -> list[OldCommit]:
    """Return the last commits that `git rev-list` lists, `limit` at most, oldest first; two processes."""
    listing = repository.run("rev-list", "--topo-order", f"--max-count={limit}", *revisions)
    oids = listing.decode().split()
    if not oids:
        return []
    output = repository.run("cat-file", "--batch", "--buffer", stdin=listing)
    return list(_parse_batch(output))[::-1]


def _parse_batch(output: bytes) -> Iterator[OldCommit]:
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        oid, _, size = output[position:end].split()
        content = output[end + 1 : end + 1 + int(size)]
        yield parse_commit(oid.decode(), content)
        position = end + 2 + int(size)


def parse_commit(oid: str, content: bytes) -> OldCommit:
    """Return the commit with this content. Source: gitformat-commit, as `git cat-file commit` prints it."""
    head, _, message = content.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        if not line.startswith(b" "):  # a line that continues another header, such as a signature
            name, _, value = line.partition(b" ")
            fields.setdefault(name, []).append(value)
    encoding = fields.get(b"encoding", [b""])[0]
    return OldCommit(
        oid=oid,
        tree=fields[b"tree"][0].decode(),
        parents=tuple(map(bytes.decode, fields.get(b"parent", ()))),
        author=fields[b"author"][0],
        committer=fields[b"committer"][0],
        encoding=os.fsdecode(encoding) or None,
        message=message,
        signed=b"gpgsig" in fields or b"gpgsig-sha256" in fields,
    )
