"""Names that a file uses between commits while they are not defined: not yet, or no longer."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.git.hunks import Unit
from smartcommit.split.definitions import is_documentation, names_in, read_definitions
from smartcommit.split.messages import diffs_of


def find_missing(commits: Sequence[Sequence[Unit]], skipped: Sequence[Unit] = ()) -> dict[bytes, list[range]]:
    """For each path the positions of the commits that leave it with a name missing, as far as names tell.

    That is from the commit that uses a name to the one that defines it, and from the one that removes a name to the one
    that stops using it. Between the removal of a name and its new definition it is missing everywhere. What is
    `skipped` counts as a commit that is never made.
    """
    diffs = [diffs_of(units) for units in (*commits, skipped)]
    defined = read_definitions(diffs)
    missing: dict[bytes, list[range]] = {diff.change.path: [] for group in diffs for diff in group}
    for number, diff in ((number, diff) for number, group in enumerate(diffs) for diff in group):
        if is_documentation(diff):
            continue
        found = missing[diff.change.path]
        for hunk in diff.hunks:
            found += [range(number, defined.added[name]) for name in names_in(hunk.added) & defined.added.keys()]
            found += [range(defined.removed[name], number) for name in names_in(hunk.removed) & defined.removed.keys()]
    moved = [
        range(defined.removed[name], defined.added[name]) for name in defined.removed.keys() & defined.added.keys()
    ]
    return {path: [span for span in (*found, *moved) if span] for path, found in missing.items()}
