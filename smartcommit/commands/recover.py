"""`git smart-commit recover`: what a crash interrupted is finished or rolled back."""

from __future__ import annotations

import click

from smartcommit.commands import split as shared
from smartcommit.git.transaction.recover import check_unlocked, recover
from smartcommit.split.outcome import DONE, SplitResult, print_result


@click.command(cls=shared.SplitCommand, name="recover", epilog=shared.STATUSES)
@shared.repository_option
@shared.quiet_option
def command(*, repo: str | None, quiet: bool) -> int:
    """Finish or roll back a split, absorb or range that was interrupted by a crash."""
    _, repository = shared.find_repository(repo)
    lines = []
    recovered, warnings = recover(repository)
    for entry, in_force in recovered:
        outcome = "completed" if in_force else "rolled back"
        lines.append(f"split {entry.name}: {outcome}")
    lines = [] if quiet else lines or ["nothing to recover"]
    print_result(SplitResult(DONE, lines, warnings=warnings, done="recovered"), click.echo, shared.complain)
    check_unlocked(repository)
    return DONE
