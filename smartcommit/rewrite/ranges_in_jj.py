"""`range` and `absorb` in a jj repository.

The changes below the one at work are cut anew, or get hunks of it; those that stay keep their ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from smartcommit.change.wording import format_count
from smartcommit.errors import JjError, SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_commit_snapshot
from smartcommit.jj.moves import HiddenOperations, WantedChange, rewrite_changes
from smartcommit.jj.run import NO_SNAPSHOT, JjChange, find_jj_repository, lock, read_changes
from smartcommit.rewrite.absorb import AbsorbFlow
from smartcommit.rewrite.commits import CommitRange, read_commits_since
from smartcommit.rewrite.in_jj import JjFlow, find_base, read_change_at_work, take_change_snapshot
from smartcommit.rewrite.recut import RangeFlow
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Prepared
from smartcommit.split.engine import SplitOptions
from smartcommit.split.outcome import SplitResult
from smartcommit.split.plan_file import list_plan_files
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
        flow = JjRangeFlow(snapshot, (), options, commits=commits, change=change, old=old, **console)
        return flow.run(yes=yes)


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
        flow = JjAbsorbFlow(
            snapshot, suspects, options, commits=commits, change=change, old=old, apart=apart, **console
        )
        return flow.run(yes=yes)


class RewritingFlow(JjFlow):
    """A rewrite of `old`, the line of changes below the one at work; the other arguments are those of JjFlow."""

    def __init__(self, *arguments: Any, old: Sequence[JjChange], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._old = tuple(old)
        for change in old:
            self._change_ids[change.commit_id] = change.change_id

    def publish(self, prepared: Prepared) -> Prepared:
        replaced = self.list_replaced(prepared)
        kept = 0
        for change, made in zip(replaced, prepared.commits[:-1], strict=False):
            if change.commit_id != made.commit:
                break
            kept += 1
        with lock(self._root):
            hidden = HiddenOperations(self._root, self._snapshot.run.repository)
            (now,) = hidden.read("@")
            self.require_current(now)
            copies, commits = self.copy_commits(prepared, find_base(replaced[kept]))
            wanted = []
            for copy, commit, name in zip(copies, commits, self.list_continued(prepared)[kept:], strict=True):
                wanted.append(WantedChange(copy, commit.text, name))
            rewrite = partial(rewrite_changes, change=now, old=replaced[kept:], wanted=wanted)
            return self.take_over(prepared, hidden, copies, rewrite)

    def list_replaced(self, prepared: Prepared) -> Sequence[JjChange]:
        """Return the changes in whose place the commits come."""
        return self._old

    def list_continued(self, prepared: Prepared) -> list[str | None]:
        """Return the id of the change that each commit continues, None for a new one."""
        raise NotImplementedError

    def describe_move(self, prepared: Prepared) -> str:
        changes = format_count(len(self.list_replaced(prepared)), "change")
        return f"rewrite {changes} below {self._change.change_id[:8]}, which stays the working-copy commit"


class JjRangeFlow(RewritingFlow, RangeFlow):
    """A range of changes that is cut anew."""

    def require_current(self, now: JjChange) -> None:
        if (now.change_id, list(now.parents)) != (self._change.change_id, list(self._change.parents)):
            raise SplitPlanOutdated("the changes were rewritten in the meantime", hint="run the command again")

    def list_continued(self, prepared: Prepared) -> list[str | None]:
        names = []
        for successor in self._successors:
            names.append(None if successor.old is None else self._old[successor.old].change_id)
        return names


class JjAbsorbFlow(RewritingFlow, AbsorbFlow):
    """The change at work, absorbed by the changes below it."""

    def publish(self, prepared: Prepared) -> Prepared:
        if self._options.fixup:
            return JjFlow.publish(self, prepared)
        return super().publish(prepared)

    def list_replaced(self, prepared: Prepared) -> Sequence[JjChange]:
        return self._old[-len(prepared.commits) :]

    def list_continued(self, prepared: Prepared) -> list[str | None]:
        return [change.change_id for change in self.list_replaced(prepared)]
