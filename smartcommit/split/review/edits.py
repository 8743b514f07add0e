"""The edits of a review, as pure functions that each return a new list of commits.

Commits are numbered from 1, as they are shown. No edit loses a hunk or gives it to two commits; `delete`, and `move` to
UNCOMMITTED, remove hunks from all commits, and `move` can add them again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from smartcommit.errors import SplitError
from smartcommit.git.hunks import Unit
from smartcommit.split.plan import PlannedCommit, clean_message, list_ids, list_units

# The numbers of what no commit holds, and of a commit that does not exist yet.
UNCOMMITTED, NEW = 0, -1

Commits = list[PlannedCommit]
# Returns the message of a commit once it holds other hunks.
Redraft = Callable[[PlannedCommit, Sequence[Unit]], str]
# Returns the message of the commit that several become.
Reword = Callable[[Sequence[PlannedCommit]], str]


def find_commit(commits: Sequence[PlannedCommit], number: int) -> PlannedCommit:
    """Return commit `number`; raise SplitError if there is none."""
    if not 1 <= number <= len(commits):
        raise SplitError(f"no commit {number}", hint=f"choose a number from 1 to {len(commits)}")
    return commits[number - 1]


def set_message(commits: Sequence[PlannedCommit], number: int, message: str) -> Commits:
    """Replace the message of commit `number` by one that ends in one newline.

    Raise SplitError if there is no such commit or the message is blank.
    """
    commit = find_commit(commits, number)
    if not message.strip():
        raise SplitError("a commit needs a message")
    return _with(commits, number, replace(commit, message=clean_message(message)))


def set_subject(commits: Sequence[PlannedCommit], number: int, subject: str) -> Commits:
    """Replace the first line of the message of commit `number`.

    Raise SplitError if there is no such commit, or the subject is blank or more than one line.
    """
    _, newline, rest = find_commit(commits, number).message.partition("\n")
    if not subject.strip() or "\n" in subject:
        raise SplitError("a subject must be a single line")
    return set_message(commits, number, subject.strip() + newline + rest)


def _keep_first(merged: Sequence[PlannedCommit]) -> str:
    return merged[0].message


def merge(
    commits: Sequence[PlannedCommit], number: int, others: Sequence[int], *, join: Reword = _keep_first
) -> Commits:
    """Merge commits `others` into commit `number`, which keeps its place, with the message that `join` returns.

    Raise SplitError if there is no such commit, or commit `number` would be merged with itself or with none.
    """
    numbers = list(dict.fromkeys(others))
    merged = [find_commit(commits, one) for one in (number, *numbers)]
    if number in numbers:
        raise SplitError("a commit cannot be merged with itself")
    if not numbers:
        raise SplitError("no commit to merge")
    whole = PlannedCommit(join(merged), tuple(list_units(merged)))
    left: Commits = []
    for place, commit in enumerate(commits, start=1):
        if place == number:
            left.append(whole)
        elif place not in numbers:
            left.append(commit)
    return left


def delete(commits: Sequence[PlannedCommit], number: int) -> Commits:
    """Remove commit `number`; its hunks stay uncommitted.

    Raise SplitError if there is no such commit or no other.
    """
    find_commit(commits, number)
    if len(commits) == 1:
        raise SplitError("cannot delete the only commit", hint="quit to commit nothing")
    return _without(commits, number)


def _keep_message(commit: PlannedCommit, units: Sequence[Unit]) -> str:
    return commit.message


def move(
    commits: Sequence[PlannedCommit],
    units: Sequence[Unit],
    to: int,
    *,
    skipped: Sequence[Unit] = (),
    message: str = "",
    redraft: Redraft = _keep_message,
) -> Commits:
    """Move `units` from commits or `skipped` to commit `to`, UNCOMMITTED or NEW; commits without hunks disappear.

    A new commit is the last one and has `message`. `redraft` is called for every other one that holds other hunks then.

    Raise SplitError if there is no such commit or hunk, a hunk is there already, or no commit would be left.
    """
    wanted = {unit.id: unit for unit in units}
    _check_movable(commits, list(wanted), to, skipped)
    moved: Commits = []
    for number, commit in enumerate(commits, start=1):
        left = [unit for unit in commit.units if unit.id not in wanted]
        if number == to:
            left += wanted.values()
        if len(left) == len(commit.units):
            moved.append(commit)
        elif left:
            moved.append(PlannedCommit(redraft(commit, left), tuple(left)))
    if to == NEW:
        return set_message([*moved, PlannedCommit("", tuple(wanted.values()))], len(moved) + 1, message)
    if not moved:
        raise SplitError("cannot skip every hunk", hint="quit to commit nothing")
    return moved


def _check_movable(commits: Sequence[PlannedCommit], hunks: Sequence[str], to: int, skipped: Sequence[Unit]) -> None:
    there: Sequence[Unit] = ()
    if to == UNCOMMITTED:
        there = skipped
    elif to != NEW:
        there = find_commit(commits, to).units
    names = set(list_ids(there))
    known = {*list_ids(skipped), *list_ids(list_units(commits))}
    for hunk in hunks:
        if hunk not in known:
            raise SplitError(f"'{hunk}' is not part of the change")
        if hunk in names:
            raise SplitError(f"'{hunk}' is already in that commit")
    if not hunks:
        raise SplitError("no hunk given")


def split(commits: Sequence[PlannedCommit], number: int, parts: Sequence[PlannedCommit]) -> Commits:
    """Replace commit `number` by `parts`, which together hold its hunks.

    Raise SplitError if there is no such commit, or a hunk is missing or doubled.
    """
    whole = find_commit(commits, number)
    held = Counter(list_ids(list_units(parts)))
    if held != Counter(list_ids(whole.units)) or not all(part.units for part in parts):
        raise SplitError(f"the parts do not add up to commit {number}")
    return [*commits[: number - 1], *parts, *commits[number:]]


def reorder(commits: Sequence[PlannedCommit], number: int, place: int) -> Commits:
    """Move commit `number` to `place`. Raise SplitError if there is no such commit or place."""
    commit = find_commit(commits, number)
    find_commit(commits, place)
    others = _without(commits, number)
    return [*others[: place - 1], commit, *others[place - 1 :]]


def replace_unit(commits: Sequence[PlannedCommit], unit: Unit, halves: Sequence[Unit]) -> Commits:
    """Replace `unit`, if a commit holds it, by its `halves`."""
    found = list(commits)
    for place, commit in enumerate(commits):
        if unit in commit.units:
            at = commit.units.index(unit)
            found[place] = replace(commit, units=(*commit.units[:at], *halves, *commit.units[at + 1 :]))
    return found


def _with(commits: Sequence[PlannedCommit], number: int, commit: PlannedCommit) -> Commits:
    return [*commits[: number - 1], commit, *commits[number:]]


def _without(commits: Sequence[PlannedCommit], number: int) -> Commits:
    return [*commits[: number - 1], *commits[number:]]
