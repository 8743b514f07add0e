"""`range` and `absorb` in a jj repository.

The changes below the one at work are cut anew, or get hunks of it; those that stay keep their ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from smartcommit.change.wording import format_count
from smartcommit.errors import JjError
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_commit_snapshot
from smartcommit.jj.run import NO_SNAPSHOT, JjChange, find_jj_repository, read_changes
from smartcommit.rewrite.absorb import make_absorb_flow
from smartcommit.rewrite.commits import CommitRange, read_commits_since
from smartcommit.rewrite.in_jj import JjPublisher, find_base, read_author, read_change_at_work, take_change_snapshot
from smartcommit.rewrite.recut import make_range_flow
from smartcommit.signals import exit_on_signals
from smartcommit.split.outcome import SplitResult
from smartcommit.split.plan_file import list_plan_files
from smartcommit.split.source import Source, SplitOptions
from smartcommit.split.unwanted import find_suspects

# Changes of a range that is found without being named: older ones are seldom meant.
_CHANGES_FOUND = 100


def read_range(root: str, name: str, *, allow_pushed: bool) -> list[JjChange]:
    """Return the changes that the user calls `name`: `BASE..`, `BASE..@-` or `BASE`, where BASE is a revset.

    They are one line, oldest first.

    Raise JjError if there is no such range, or if it has no changes, merges, conflicts, immutable changes, or pushed
    ones that are not allowed.
    """
    start, dots, end = name.partition("..")
    if not start or (dots and end not in ("", "@-")):
        raise JjError(
            f"'{name}' is not a range of changes up to @-",
            hint="name the change before the first one, as in 'trunk()..'",
        )
    revset = f"({start})..@-"
    changes = read_changes(root, revset, NO_SNAPSHOT)[::-1]
    if not changes:
        raise JjError(f"there are no changes between '{start}' and the one at work")
    _require_line(changes)
    if not allow_pushed:
        pushed = read_changes(root, f"({revset}) & ::remote_bookmarks()", NO_SNAPSHOT)
        if pushed:
            counted = f"{format_count(len(pushed), 'change')} of the {len(changes)}"
            raise JjError(
                f"{counted} were pushed already: others may have them",
                hint="name a later change, or add '--allow-pushed'",
            )
    return changes


def make_range(store: Repository, changes: Sequence[JjChange]) -> CommitRange:
    """Return the commits of these changes."""
    base, head = find_base(changes[0]), changes[-1].commit_id
    commits = read_commits_since(store, base, head, limit=len(changes))
    return CommitRange(base, head, tuple(commits), has_merges=False)


def _require_line(changes: Sequence[JjChange]) -> None:
    """Raise JjError unless the changes are one line, and can be rewritten."""
    below = changes[0].parents[0]
    for change in changes:
        name = change.change_id[:8]
        if list(change.parents) != [below]:
            raise JjError(f"the changes are not one line: see {name}", hint="name a later change")
        obstacle = _find_obstacle(change)
        if obstacle:
            raise JjError(f"the change {name} {obstacle}", hint="name a later change")
        below = change.commit_id


def find_range(root: str) -> list[JjChange]:
    """Return the changes below the one at work that were not pushed and can be rewritten, above the last merge.

    They are the last 100 at most. Raise JjError if there are none.
    """
    found = read_changes(root, f"ancestors(@-, {_CHANGES_FOUND}) ~ ::remote_bookmarks()", NO_SNAPSHOT)
    changes: list[JjChange] = []
    for change in found:
        is_line = not changes or changes[0].parents[0] == change.commit_id
        if not is_line or len(change.parents) != 1 or _find_obstacle(change):
            break
        changes.insert(0, change)
    if not changes:
        raise JjError("there are no changes that were not pushed", hint="name the changes with 'BASE..'")
    return changes


def _find_obstacle(change: JjChange) -> str:
    """Return why a change cannot be rewritten, empty if it can."""
    if change.conflict:
        return "has conflicts"
    if change.divergent:
        return "has several versions"
    if change.immutable:
        return "is immutable"
    return ""


def cut_changes(
    root: str, name: str, *, allow_pushed: bool, yes: bool, options: SplitOptions, **console: Any
) -> SplitResult:
    """Replace the changes of the range `name` by better ones; the other arguments and the result are as for a split."""
    change = read_change_at_work(root)
    store = find_jj_repository(root)
    old = read_range(root, name, allow_pushed=allow_pushed)
    commits = make_range(store, old)
    with exit_on_signals(), take_commit_snapshot(store, commits.head, commits.base, branch=None) as snapshot:
        source = Source(snapshot, (), options, identify=partial(read_author, snapshot, change), **console)
        return make_range_flow(source, commits, JjPublisher(source, change, old=old)).run(yes=yes)


def absorb_change(
    root: str, name: str | None, *, allow_pushed: bool, yes: bool, options: SplitOptions, **console: Any
) -> SplitResult:
    """Put the hunks of the change at work into those of the range `name`, or of what was not pushed, as they belong.

    The other arguments and the result are as for a split.
    """
    change = read_change_at_work(root)
    store = find_jj_repository(root)
    old = find_range(root) if name is None else read_range(root, name, allow_pushed=allow_pushed)
    commits = make_range(store, old)
    apart = list_plan_files(root, options.plan_files, options.planned_paths)
    with exit_on_signals(), take_change_snapshot(store, change, apart) as snapshot:
        suspects = find_suspects(snapshot, options.planned_paths, include_all=False)
        source = Source(snapshot, suspects, options, identify=partial(read_author, snapshot, change), **console)
        return make_absorb_flow(source, commits, JjPublisher(source, change, apart, old)).run(yes=yes)
