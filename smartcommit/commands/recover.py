"""`git smart-commit recover`: what a crash interrupted is finished or rolled back."""

from __future__ import annotations

import click

from smartcommit.commands import split as shared
from smartcommit.git.transaction.recover import check_unlocked, recover
from smartcommit.split.outcome import DONE, SplitResult, print_result

_OUTCOMES = {True: "completed", False: "rolled back"}


@click.command(cls=shared.SplitCommand, epilog=shared.STATUSES)
@shared.repository_option
@shared.quiet_option
def command(*, repo: str | None, quiet: bool) -> int:
    """Finish or roll back a split, absorb or range that was interrupted by a crash."""
    _, repository = shared.find_repository(repo)
    recovered, warnings = recover(repository)
    lines = [f"split {entry.name}: {_OUTCOMES[in_force]}" for entry, in_force in recovered]
    if not lines:
        lines = ["nothing to recover"]
    if quiet:
        lines = []
    print_result(SplitResult(DONE, lines, warnings=warnings, done="recovered"), click.echo, shared.complain)
    check_unlocked(repository)
    return DONE
