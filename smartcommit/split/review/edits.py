"""The edits of a review, as pure functions that each return a new list of commits.

Commits are numbered from 1, as they are shown. No edit loses a hunk or gives it to two commits; `delete`, and `move` to
UNCOMMITTED, remove hunks from all commits, and `move` can add them again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from smartcommit.errors import SplitError
from smartcommit.split.plan import CommitDict, collect

# The numbers of what no commit holds, and of a commit that does not exist yet.
UNCOMMITTED, NEW = 0, -1

Commits = list[CommitDict]
# Returns the message of a commit once it holds other hunks.
Redraft = Callable[[CommitDict, Sequence[str]], str]
# Returns the message of the commit that several become.
Reword = Callable[[Sequence[CommitDict]], str]


def find_commit(commits: Sequence[CommitDict], number: int) -> CommitDict:
    """Return commit `number`; raise SplitError if there is none."""
    if not 1 <= number <= len(commits):
        raise SplitError(f"no commit {number}", hint=f"choose a number from 1 to {len(commits)}")
    return commits[number - 1]


def set_message(commits: Sequence[CommitDict], number: int, message: str) -> Commits:
    """Replace the message of commit `number` by one that ends in one newline.

    Raise SplitError if there is no such commit or the message is blank.
    """
    commit = find_commit(commits, number)
    if not message.strip():
        raise SplitError("a commit needs a message")
    return _with(commits, number, {**commit, "message": message.rstrip("\n") + "\n"})


def set_subject(commits: Sequence[CommitDict], number: int, subject: str) -> Commits:
    """Replace the first line of the message of commit `number`.

    Raise SplitError if there is no such commit, or the subject is blank or more than one line.
    """
    _, newline, rest = find_commit(commits, number)["message"].partition("\n")
    if not subject.strip() or "\n" in subject:
        raise SplitError("a subject must be a single line")
    return set_message(commits, number, subject.strip() + newline + rest)


def _keep_first(merged: Sequence[CommitDict]) -> str:
    message: str = merged[0]["message"]
    return message


def merge(commits: Sequence[CommitDict], number: int, others: Sequence[int], *, join: Reword = _keep_first) -> Commits:
    """Merge commits `others` into commit `number`, which keeps its place, with the message that `join` returns.

    Raise SplitError if there is no such commit, or commit `number` would be merged with itself or with none.
    """
    numbers = list(dict.fromkeys(others))
    merged = [find_commit(commits, one) for one in (number, *numbers)]
    if number in numbers:
        raise SplitError("a commit cannot be merged with itself")
    if not numbers:
        raise SplitError("no commit to merge")
    whole = {**merged[0], "message": join(merged), "hunks": collect(merged, "hunks")}
    left: Commits = []
    for place, commit in enumerate(commits, start=1):
        if place == number:
            left.append(whole)
        elif place not in numbers:
            left.append(commit)
    return left


def delete(commits: Sequence[CommitDict], number: int) -> Commits:
    """Remove commit `number`; its hunks stay uncommitted.

    Raise SplitError if there is no such commit or no other.
    """
    find_commit(commits, number)
    if len(commits) == 1:
        raise SplitError("cannot delete the only commit", hint="quit to commit nothing")
    return _without(commits, number)


def _keep_message(commit: CommitDict, hunks: Sequence[str]) -> str:
    message: str = commit["message"]
    return message


def move(
    commits: Sequence[CommitDict],
    hunks: Sequence[str],
    to: int,
    *,
    skipped: Sequence[str] = (),
    message: str = "",
    redraft: Redraft = _keep_message,
) -> Commits:
    """Move `hunks` from commits or `skipped` to commit `to`, UNCOMMITTED or NEW; commits without hunks disappear.

    A new commit is the last one and has `message`. `redraft` is called for every other one that holds other hunks then.

    Raise SplitError if there is no such commit or hunk, a hunk is there already, or no commit would be left.
    """
    wanted = list(dict.fromkeys(hunks))
    _check_movable(commits, wanted, to, skipped)
    taken = set(wanted)
    moved: Commits = []
    for number, commit in enumerate(commits, start=1):
        left = [hunk for hunk in commit["hunks"] if hunk not in taken]
        if number == to:
            left += wanted
        if left == commit["hunks"]:
            moved.append(commit)
        elif left:
            moved.append({**commit, "message": redraft(commit, left), "hunks": left})
    if to == NEW:
        return set_message([*moved, {"message": "", "hunks": wanted}], len(moved) + 1, message)
    if not moved:
        raise SplitError("cannot skip every hunk", hint="quit to commit nothing")
    return moved


def _check_movable(commits: Sequence[CommitDict], hunks: Sequence[str], to: int, skipped: Sequence[str]) -> None:
    there: Sequence[str] = ()
    if to == UNCOMMITTED:
        there = skipped
    elif to != NEW:
        there = find_commit(commits, to)["hunks"]
    known = {*skipped, *collect(commits, "hunks")}
    for hunk in hunks:
        if hunk not in known:
            raise SplitError(f"'{hunk}' is not part of the change")
        if hunk in there:
            raise SplitError(f"'{hunk}' is already in that commit")
    if not hunks:
        raise SplitError("no hunk given")


def split(commits: Sequence[CommitDict], number: int, parts: Sequence[CommitDict]) -> Commits:
    """Replace commit `number` by `parts`, which together hold its hunks.

    Raise SplitError if there is no such commit, or a hunk is missing or doubled.
    """
    whole = find_commit(commits, number)
    if Counter(collect(parts, "hunks")) != Counter(whole["hunks"]) or not all(part["hunks"] for part in parts):
        raise SplitError(f"the parts do not add up to commit {number}")
    return [*commits[: number - 1], *parts, *commits[number:]]


def reorder(commits: Sequence[CommitDict], number: int, place: int) -> Commits:
    """Move commit `number` to `place`. Raise SplitError if there is no such commit or place."""
    commit = find_commit(commits, number)
    find_commit(commits, place)
    others = _without(commits, number)
    return [*others[: place - 1], commit, *others[place - 1 :]]


def replace_hunk(commits: Sequence[CommitDict], hunk: str, halves: Sequence[str]) -> Commits:
    """Replace `hunk`, if a commit holds it, by its `halves`."""
    found = list(commits)
    for place, commit in enumerate(commits):
        hunks = commit["hunks"]
        if hunk in hunks:
            at = hunks.index(hunk)
            found[place] = {**commit, "hunks": [*hunks[:at], *halves, *hunks[at + 1 :]]}
    return found


def _with(commits: Sequence[CommitDict], number: int, commit: CommitDict) -> Commits:
    return [*commits[: number - 1], commit, *commits[number:]]


def _without(commits: Sequence[CommitDict], number: int) -> Commits:
    return [*commits[: number - 1], *commits[number:]]
