"""Branches that point into a range of commits, and names for those of a stack."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import count

from smartcommit.git.query import parse_boolean
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.journal import RefMove
from smartcommit.git.transaction.move import read_refs
from smartcommit.message.characters import printable
from smartcommit.rewrite.fitting import read_summary
from smartcommit.split.apply import Prepared

_HEADS = "refs/heads/"
_NOTES = "refs/notes/"
# Settings that `git notes copy` gets: which notes are copied and how, and who commits the copies.
_NOTES_SETTINGS = ("notes.", "user.", "author.", "committer.")
# Characters of a message in the name of a branch.
_SLUG_LENGTH = 40


def find_moves(prepared: Prepared, *, stacked: bool = False) -> tuple[list[RefMove], list[str]]:
    """Return how refs move with commits that come in the place of others, and what the user is told of it.

    Other branches than HEAD's move as `git rebase` moves them, and the refs of git's notes as it is configured. If the
    commits are to be `stacked`, each of the plan's but HEAD gets a branch.
    """
    if not prepared.replaced:
        return [], []
    snapshot, commits = prepared.snapshot, prepared.all_commits
    pairs = zip(prepared.continued, commits, strict=True)
    successors = {old: new for old, new in pairs if old is not None}
    is_updating = parse_boolean(dict(snapshot.config).get("rebase.updaterefs", "false"))
    replaced = set(prepared.replaced) - set(commits)
    moves: list[RefMove] = []
    notes = []
    names = set()
    for ref, (commit, use) in read_refs(snapshot.run.repository, _HEADS).items():
        name = ref.removeprefix(_HEADS)
        names.add(name)
        if commit not in replaced or name == snapshot.branch:
            continue
        if is_updating and commit in successors and not use:
            moves.append((ref, commit, successors[commit]))
            notes.append(f"branch '{printable(name)}' was moved to {successors[commit][:10]}")
        else:
            reason = f": {use}" if is_updating and use else ""
            notes.append(f"branch '{printable(name)}' still has the old commits{reason}")
    if stacked and snapshot.branch is not None:
        for number, (title, commit) in enumerate(zip(prepared.titles, commits[:-1], strict=False), start=1):
            name = _choose_name(f"{snapshot.branch}-{number}", title, names)
            moves.append((_HEADS + name, None, commit))
            notes.append(f"branch '{name}' is at {commit[:10]}")
    return [*moves, *_copy_notes(snapshot, successors)], notes


def _choose_name(start: str, title: str, taken: Collection[str]) -> str:
    """Return `BRANCH-1-what-it-does` for a commit with this title, with another number if that is taken."""
    slug = "-".join(re.findall(r"[a-z0-9]+", read_summary(title).lower()))[:_SLUG_LENGTH]
    name = f"{start}-{slug}".rstrip("-")
    if name not in taken:
        return name
    return next(f"{name}-{number}" for number in count(2) if f"{name}-{number}" not in taken)


def _copy_notes(snapshot: Snapshot, successors: Mapping[str, str]) -> list[RefMove]:
    """Copy the notes of git on old commits to those that continue them, if that is configured.

    The copies are made in the quarantine. Return how the refs of notes move to them.
    """
    if "notes.rewriteref" not in dict(snapshot.config):
        return []
    quarantine = snapshot.run.quarantine.repository
    listing = snapshot.run.repository.run("for-each-ref", "--format=create %(refname) %(objectname)", _NOTES)
    quarantine.run("update-ref", "--stdin", stdin=listing)
    before = read_refs(quarantine, _NOTES)
    options = []
    for key, value in snapshot.config:
        if key.startswith(_NOTES_SETTINGS) and "=" not in key:
            options += ["-c", key if value is None else f"{key}={value}"]
    pairs = "".join(f"{old} {new}\n" for old, new in successors.items() if old != new)
    quarantine.run(*options, "notes", "copy", "--for-rewrite=rebase", "--stdin", stdin=pairs.encode())
    moves: list[RefMove] = []
    for ref, (commit, _) in read_refs(quarantine, _NOTES).items():
        old, _ = before.get(ref, (None, ""))
        if old != commit:
            moves.append((ref, old, commit))
    return moves
