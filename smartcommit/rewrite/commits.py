"""The commits that are rewritten: which they are, what git recorded of them, and which must not be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from smartcommit.change.wording import format_count
from smartcommit.errors import GitError, SplitError
from smartcommit.git.fast_import import decode_message
from smartcommit.git.objects import read_objects
from smartcommit.git.repo import Repository

# Commits of a range that the user does not name: older ones are seldom meant.
_COMMITS_FOUND = 100
# Commits of a range that the user names.
_COMMITS_READ = 2000
_NAMING = "name the commits with 'BASE..', and use '--allow-pushed' if they may be rewritten"
# No limit, as `git rev-list --max-count` takes it.
_UNLIMITED = -1
# Headers of a commit that have its signature. Source: gitformat-signature.
SIGNATURES = (b"gpgsig", b"gpgsig-sha256")


@dataclass(frozen=True, slots=True)
class OldCommit:
    """A commit as git records it.

    `author` and `committer` are `Name <email> SECONDS ZONE`. `message` is in `encoding`, None for UTF-8. `content` is
    all of it.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: bytes
    committer: bytes
    encoding: str | None
    message: bytes
    signed: bool
    content: bytes

    @property
    def text(self) -> str:
        return decode_message(self.message, self.encoding)

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The `commits` of `head` that `base` does not have, oldest first; `base` is None if the first one has no parent.

    With `has_merges` they are more than one line of commits. `above` are the commits of HEAD that descend from `head`,
    parents first.
    """

    base: str | None
    head: str
    commits: tuple[OldCommit, ...]
    has_merges: bool
    above: tuple[OldCommit, ...] = ()

    @property
    def oids(self) -> list[str]:
        return [commit.oid for commit in self.commits]

    @property
    def tip(self) -> str:
        return self.above[-1].oid if self.above else self.head

    @property
    def name(self) -> str:
        """What the range is called on the command line."""
        if len(self.commits) == 1:
            return self.head[:12]
        name = f"{(self.base or '')[:12]}.."
        if self.above:
            name += self.head[:12]
        return name


def read_named_range(
    repository: Repository, name: str, *, allow_merges: bool = False, allow_pushed: bool = False
) -> CommitRange:
    """Return the commits that the user calls `name`: `BASE..`, `BASE..END` or one commit; seven processes.

    If END's history has left BASE behind, they are its commits since it did so. Raise SplitError if there are no such
    commits, they are not in HEAD's history, or are merges or were pushed, or those above them were, and these are not
    allowed.
    """
    tip = repository.head()
    if tip is None:
        raise SplitError("there are no commits yet")
    start, dots, end = name.partition("..")
    if not start or start.startswith("^") or end.startswith("."):
        raise SplitError(f"'{name}' is not a range of commits", hint="name the commit before the first one: 'main..'")
    base: str | None
    if dots:
        head = _find_commit(repository, end) if end else tip
        base = _find_base(repository, start, head)
    else:
        head = _find_commit(repository, start)
        (commit,) = read_commits(repository, [head], limit=1)
        base = _find_parent(repository, commit, name)
    commits = read_commits_since(repository, base, head, limit=_COMMITS_READ + 1)
    if not commits:
        raise SplitError(f"there are no commits in '{name}'")
    above = _read_above(repository, name, head, tip)
    if len(commits) > _COMMITS_READ:
        raise SplitError(f"'{name}' is more than {_COMMITS_READ} commits", hint="name a later commit")
    has_merges = _has_merges(commits)
    if has_merges and not allow_merges:
        raise SplitError(
            f"there are merges in '{name}'",
            hint="name later commits; 'range' makes merges part of the new ones with '--allow-merges'",
        )
    if len(commits) > 1 and _has_merges(above):
        # What they merge may have begun in the middle of the range.
        raise SplitError(f"there are merges above '{name}'", hint="name one commit, or all since another: 'main..'")
    if not allow_pushed:
        excluded = [base] if base else []
        unpushed = repository.run("rev-list", tip, "--not", "--remotes", *excluded).decode().split()
        pushed = {commit.oid for commit in (*commits, *above)}.difference(unpushed)
        if pushed:
            raise SplitError(
                f"pushed already: {len(pushed)} of {format_count(len(commits) + len(above), 'commit')}, "
                "which others may have",
                hint="name later ones, or add '--allow-pushed' and push with '--force-with-lease' afterwards",
            )
    return CommitRange(base, head, tuple(commits), has_merges, tuple(above))


def _find_parent(repository: Repository, commit: OldCommit, name: str) -> str | None:
    """Return the first parent of a commit, None if it has none; raise SplitError if a shallow clone lacks that."""
    if not commit.parents:
        return None
    try:
        repository.run("cat-file", "-e", commit.parents[0])
    except GitError:
        raise SplitError(
            f"the commit before '{name}' is not in this clone",
            hint="run 'git fetch --unshallow', or name later commits",
        ) from None
    return commit.parents[0]


def _read_above(repository: Repository, name: str, head: str, tip: str) -> list[OldCommit]:
    """Return the commits of `tip` that descend from `head`, called `name` by the user; raise SplitError if none do."""
    if head == tip:
        return []
    above = read_commits(repository, ["--ancestry-path", tip, f"^{head}"], limit=_UNLIMITED)
    if not above:
        raise SplitError(f"'{name}' is not in the history of HEAD", hint="check out a branch that has it")
    return above


def _has_merges(commits: Sequence[OldCommit]) -> bool:
    return any(len(commit.parents) > 1 for commit in commits)


def find_unpushed_range(repository: Repository, name: str = "HEAD") -> CommitRange:
    """Return the commits up to `name` that no remote-tracking branch has, above the last merge; seven processes.

    They are the last 100 at most. Raise SplitError if there are none, if `name` is not in HEAD's history, or if a
    shallow clone ends there.
    """
    tip = repository.head()
    if tip is None:
        raise SplitError("there are no commits yet")
    head = _find_commit(repository, name)
    above = _read_above(repository, name, head, tip)
    commits = read_commits(repository, ["--first-parent", head, "--not", "--remotes"], limit=_COMMITS_FOUND)
    while _has_merges(commits):
        del commits[0]
    if not commits:
        raise SplitError(f"all commits up to '{name}' were pushed, or belong to a merge", hint=_NAMING)
    base = _find_parent(repository, commits[0], commits[0].oid[:10])
    return CommitRange(base, head, tuple(commits), has_merges=False, above=tuple(above))


def read_range_below(repository: Repository, name: str, since: str | None, *, allow_pushed: bool) -> CommitRange:
    """Return the commits below the one called `name`, which is the first of those above them.

    They are those since the base in `since`, `BASE..`, or if it is None those that were not pushed. Raise SplitError if
    there are none, as the other two functions do, or if one of them or of those above is a merge.
    """
    _find_commit(repository, name)  # no name at all would be HEAD's after 'BASE..'
    if since is None:
        whole = find_unpushed_range(repository, name)
    elif since.endswith(".."):
        whole = read_named_range(repository, since + name, allow_pushed=allow_pushed)
    else:
        raise SplitError(f"'{since}' is not 'BASE..'", hint="name the commit before the first one: 'main..'")
    if _has_merges(whole.above):
        # What they merge may have begun below.
        raise SplitError(f"there are merges above '{name}'", hint="name a commit above the last merge")
    *below, commit = whole.commits
    if not below:
        raise SplitError(f"there are no commits below '{name}' to absorb it", hint=_NAMING)
    return CommitRange(whole.base, below[-1].oid, tuple(below), has_merges=False, above=(commit, *whole.above))


def _find_commit(repository: Repository, name: str) -> str:
    wanted = name if name.startswith(":/") else f"{name}^{{commit}}"  # git searches for all that is behind ':/'
    try:
        output = repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
    except GitError:
        raise SplitError(f"'{name}' is not a commit", hint="name one as for 'git show'") from None
    return output.decode().strip()


def _find_base(repository: Repository, name: str, head: str) -> str:
    """Return where the history of the commit `head` leaves the commit `name`."""
    start = _find_commit(repository, name)
    try:
        return repository.run("merge-base", start, head).decode().strip()
    except GitError:
        raise SplitError(
            f"cannot tell which commits there are since '{name}'", hint="name a commit that HEAD descends from"
        ) from None


def read_commits_since(repository: Repository, base: str | None, head: str, *, limit: int) -> list[OldCommit]:
    """Return the last commits of `head` that `base` does not have, if there is one; as `read_commits`."""
    return read_commits(repository, [head, f"^{base}"] if base else [head], limit=limit)


def read_commits(repository: Repository, revisions: Sequence[str], *, limit: int) -> list[OldCommit]:
    """Return the last commits that `git rev-list` lists, `limit` at most, oldest first; two processes."""
    listing = repository.run("rev-list", "--topo-order", f"--max-count={limit}", *revisions)
    oids = listing.decode().split()
    return [*map(parse_commit, oids, read_objects(repository, oids, b"commit"))][::-1]


def parse_commit(oid: str, content: bytes) -> OldCommit:
    """Return the commit with this content. Source: gitformat-commit, as `git cat-file commit` prints it.

    Raise SplitError if it lacks what each commit has: only other programs than git make such ones.
    """
    head, _, message = content.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        if not line.startswith(b" "):  # a line that continues another header, such as a signature
            name, _, value = line.partition(b" ")
            fields.setdefault(name, []).append(value)
    if not fields.keys() >= {b"tree", b"author", b"committer"}:
        raise SplitError(f"commit {oid[:10]} has no author or no committer", hint="name later commits, after it")
    encoding = fields.get(b"encoding", [b""])[0]
    return OldCommit(
        oid=oid,
        tree=fields[b"tree"][0].decode(),
        parents=tuple(item.decode() for item in fields.get(b"parent", ())),
        author=fields[b"author"][0],
        committer=fields[b"committer"][0],
        encoding=os.fsdecode(encoding) or None,
        message=message,
        signed=not fields.keys().isdisjoint(SIGNATURES),
        content=content,
    )
