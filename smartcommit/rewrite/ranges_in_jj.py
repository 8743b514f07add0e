"""`range` and `absorb` in a jj repository.

The changes below the one at work are cut anew, or get hunks of it; those that stay keep their ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from smartcommit.change.wording import format_count
from smartcommit.errors import JjError, SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_commit_snapshot
from smartcommit.jj.moves import HiddenOperations, WantedChange, rewrite_changes
from smartcommit.jj.run import NO_SNAPSHOT, JjChange, lock, read_changes
from smartcommit.jj.store import find_jj_repository
from smartcommit.rewrite.absorb import AbsorbFlow
from smartcommit.rewrite.commits import CommitRange, read_commits
from smartcommit.rewrite.in_jj import ROOT, JjFlow, read_change_at_work, take_change_snapshot
from smartcommit.rewrite.recut import RangeFlow
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Prepared
from smartcommit.split.options import SplitOptions
from smartcommit.split.outcome import Out, SplitResult
from smartcommit.split.plan_file import list_plan_files
from smartcommit.split.unwanted import find_suspects
from smartcommit.terminal import Terminal

# Changes of a range that is found without being named: older ones are seldom meant.
_CHANGES_FOUND = 100


@dataclass(frozen=True, slots=True)
class ChangeRange:
    """A line of changes, oldest first, below the one at work, and their commits."""

    changes: tuple[JjChange, ...]
    commits: CommitRange


def read_range(root: str, store: Repository, name: str, *, allow_pushed: bool) -> ChangeRange:
    """Return the range that the user calls `name`: `BASE..`, `BASE..@-` or `BASE`, where BASE is a revset.

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
    return make_range(store, changes)


def make_range(store: Repository, changes: Sequence[JjChange]) -> ChangeRange:
    """Return the range of these changes, oldest first."""
    base = None if changes[0].parents[0] == ROOT else changes[0].parents[0]
    head = changes[-1].commit_id
    commits = read_commits(store, [head, *([f"^{base}"] if base else [])], limit=len(changes))
    return ChangeRange(tuple(changes), CommitRange(base, head, tuple(commits), has_merges=False))


def _require_line(changes: Sequence[JjChange]) -> None:
    """Raise JjError unless the changes are one line, and can be rewritten."""
    below = changes[0].parents[0]
    for change in changes:
        name = change.change_id[:8]
        if list(change.parents) != [below]:
            raise JjError(f"the changes are not one line: see {name}", hint="name a later change")
        if change.conflict or change.divergent or change.immutable:
            reasons = {"conflicts": change.conflict, "several versions": change.divergent}
            found = " and ".join(reason for reason, holds in reasons.items() if holds)
            said = f"the change {name} has {found}" if found else f"the change {name} is immutable"
            raise JjError(said, hint="name a later change")
        below = change.commit_id


def find_range(root: str, store: Repository) -> ChangeRange:
    """Return the changes below the one at work that were not pushed and can be rewritten, above the last merge.

    They are the last 100 at most. Raise JjError if there are none.
    """
    found = read_changes(root, f"ancestors(@-, {_CHANGES_FOUND}) ~ ::remote_bookmarks()", NO_SNAPSHOT)
    changes: list[JjChange] = []
    for change in found:
        if (changes and changes[0].parents[0] != change.commit_id) or not _is_rewritable(change):
            break
        changes.insert(0, change)
    if not changes:
        raise JjError("there are no changes that were not pushed", hint="name the changes with 'BASE..'")
    return make_range(store, changes)


def _is_rewritable(change: JjChange) -> bool:
    return len(change.parents) == 1 and not (change.conflict or change.divergent or change.immutable)


def cut_changes(
    root: str,
    name: str,
    *,
    allow_pushed: bool,
    yes: bool,
    terminal: Terminal | None,
    complain: Out,
    options: SplitOptions,
) -> SplitResult:
    """Replace the changes of the range `name` by better ones; the other arguments and the result are as for a split."""
    change = read_change_at_work(root)
    store = find_jj_repository(root)
    found = read_range(root, store, name, allow_pushed=allow_pushed)
    commits = found.commits
    with exit_on_signals(), take_commit_snapshot(store, commits.head, commits.base, branch=None) as snapshot:
        flow = JjRangeFlow(
            snapshot, (), options, terminal, complain=complain, commits=commits, change=change, old=found.changes
        )
        return flow.run(yes=yes)


def absorb_change(
    root: str,
    name: str | None,
    *,
    allow_pushed: bool,
    yes: bool,
    terminal: Terminal | None,
    complain: Out,
    options: SplitOptions,
) -> SplitResult:
    """Put the hunks of the change at work into those of the range `name`, or of what was not pushed, as they belong.

    The other arguments and the result are as for a split.
    """
    change = read_change_at_work(root)
    store = find_jj_repository(root)
    found = find_range(root, store) if name is None else read_range(root, store, name, allow_pushed=allow_pushed)
    apart = list_plan_files(root, options.plan_files, options.planned_paths)
    with exit_on_signals(), take_change_snapshot(store, change, apart) as snapshot:
        suspects = find_suspects(snapshot, options.planned_paths, include_all=False)
        flow = JjAbsorbFlow(
            snapshot, suspects, options, terminal, complain=complain,
            commits=found.commits, change=change, old=found.changes, apart=apart,
        )  # fmt: skip
        return flow.run(yes=yes)


class RewritingFlow(JjFlow):
    """A rewrite of `old`, the line of changes below the one at work; the other arguments are those of JjFlow."""

    def __init__(self, *arguments: Any, old: Sequence[JjChange], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._old = tuple(old)
        self._change_ids |= {change.commit_id: change.change_id for change in old}

    def publish(self, prepared: Prepared) -> Prepared:
        replaced = self.list_replaced(prepared)
        old = [change.commit_id for change in replaced]
        made = [commit.commit for commit in prepared.commits]
        kept = 0
        while kept < min(len(old), len(made) - 1) and old[kept] == made[kept]:
            kept += 1
        with lock(self._root):
            hidden = HiddenOperations(self._root, self._snapshot.run.repository)
            (now,) = hidden.read("@")
            self.require_current(now)
            below = replaced[kept].parents[0]
            copies, commits = self.copy_commits(prepared, None if below == ROOT else below)
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
