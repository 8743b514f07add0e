"""Commits of the past: a snapshot of their change, and those above them, which get other parents and else stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from smartcommit.change.wording import format_count
from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.fast_import import Identity, NewCommit, WrittenCommit, sign_commits
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Pathspecs, Snapshot, take_range_snapshot
from smartcommit.git.transaction.recover import refuse_if_interrupted
from smartcommit.message.characters import printable
from smartcommit.rewrite.commits import SIGNATURES, CommitRange, OldCommit
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Prepared
from smartcommit.split.flow import check_not_jj


@contextmanager
def take_past_snapshot(
    repository: Repository, since: str | None, until: str, *, tip: str, paths: Pathspecs | None = None
) -> Iterator[Snapshot]:
    """Yield a snapshot of the commits of `until` since `since`, while signals exit; raise unless HEAD is `tip`."""
    check_not_jj(repository.worktree)
    refuse_if_interrupted(repository)
    with exit_on_signals(), take_range_snapshot(repository, since, until, paths=paths) as snapshot:
        if snapshot.head != tip:
            raise SplitPlanOutdated("HEAD has moved in the meantime", hint="run the command again")
        yield snapshot


def move_above(prepared: Prepared, commits: CommitRange, identity: Identity, *, drops_first: bool = False) -> Prepared:
    """Write the commits above the range again, upon the last commit of `prepared`; return it with them and with notes.

    They stay as they are if that commit is the old one. With `drops_first` nothing is left of the first of them.
    """
    tip = prepared.commits[-1].commit
    oids = [commit.oid for commit in commits.above]
    moved = {}
    if tip != commits.head:
        moved[commits.head] = tip
    if drops_first:
        moved[oids[0]] = tip
    for commit in commits.above:
        if commit.oid not in moved and not moved.keys().isdisjoint(commit.parents):
            moved[commit.oid] = _write_moved(prepared.snapshot, commit, moved, identity)
    if moved and commits.tip not in moved:
        raise SplitError(
            "HEAD descends from these commits only by a graft", hint="run 'git replace --convert-graft-file'"
        )
    prepared = replace(
        prepared,
        continued=(*prepared.continued, *oids),
        replaced=(*prepared.replaced, *oids),
        above=tuple(moved.get(oid, oid) for oid in oids),
    )
    return replace(prepared, notes=tuple(_list_losses(prepared, commits, identity, drops_first=drops_first)))


def _write_moved(snapshot: Snapshot, commit: OldCommit, moved: Mapping[str, str], identity: Identity) -> str:
    """Write `commit` on the parents that `moved` has for its own; git signs it as configured if it was signed."""
    head, end, message = commit.content.partition(b"\n\n")
    lines = []
    is_signature = False
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key:  # else the line continues another header
            is_signature = key in SIGNATURES
        if key == b"parent":
            lines.append(b"parent " + moved.get(value.decode(), value.decode()).encode())
        elif not is_signature:
            lines.append(line)
    name = snapshot.run.quarantine.write_commit(b"\n".join(lines) + end + message)
    if commit.signed and identity.signed:
        parents = tuple(moved.get(parent, parent) for parent in commit.parents)
        new = NewCommit(commit.message, parents, author=commit.author, encoding=commit.encoding)
        name = sign_commits(snapshot.repository, [new], [WrittenCommit(name, commit.tree)], identity)[0].commit
    return name


def _list_losses(prepared: Prepared, commits: CommitRange, identity: Identity, *, drops_first: bool) -> Iterator[str]:
    """Yield what has become of the commits above, and of signatures, in words for the user."""
    gone = set(prepared.replaced) - set(prepared.all_commits)
    moved = len([commit for commit in commits.above if commit.oid in gone])
    if drops_first:
        moved -= 1
        yield f"'{printable(commits.above[0].title)}' is gone: all of it was absorbed"
    if moved:
        yield f"{format_count(moved, 'commit')} above moved onto these, otherwise unchanged"
    all_commits = (*commits.commits, *commits.above)
    signed = [commit for commit in all_commits if commit.signed and commit.oid in gone]
    if signed and not identity.signed:
        yield f"{format_count(len(signed), 'signature')} dropped: 'commit.gpgSign' is not set"
