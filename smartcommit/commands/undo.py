"""`git smart-commit undo`: the last split, absorb or range is taken back."""

from __future__ import annotations

from collections.abc import Sequence

import click

from smartcommit.commands import split as shared
from smartcommit.git.transaction.undo import undo
from smartcommit.jj.moves import undo_split
from smartcommit.jj.run import lock
from smartcommit.split.outcome import DONE, SplitResult, print_result


@click.command(cls=shared.SplitCommand, epilog=shared.STATUSES)
@shared.repository_option
@shared.quiet_option
def command(*, repo: str | None, quiet: bool) -> int:
    """Undo the last split, absorb or range: restore HEAD and the index, leave files alone."""
    root, repository = shared.find_repository(repo)
    warnings: Sequence[str] = ()
    if root is not None:
        with lock(root):
            operation = undo_split(root)
        result = f"jj is back at operation {operation[:12]}, files are unchanged"
    else:
        entry, warnings = undo(repository)
        result = "HEAD has no commits again"
        if entry.old:
            result = f"HEAD is back at {entry.old[:10]}"
        if entry.keeps_index:
            result += ", index and files are unchanged"
        else:
            result += ", the index is restored, files are unchanged"
    lines = [f"split undone: {result}"]
    if quiet:
        lines = []
    print_result(SplitResult(DONE, lines, warnings=warnings, done="the split was undone"), click.echo, shared.complain)
    return DONE
