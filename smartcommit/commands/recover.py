"""`git smart-commit recover`: what a crash interrupted is finished or rolled back."""

from __future__ import annotations

import click

from smartcommit.commands import split as shared
from smartcommit.commands.undo import report
from smartcommit.git.transaction.recover import check_unlocked, recover
from smartcommit.split.outcome import DONE, show_untidy


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
    if not quiet:
        report(lines or ["nothing to recover"], done="recovered")
    for line in show_untidy(warnings):
        click.echo(line, err=True)
    check_unlocked(repository)
    return DONE
