"""`git smart-commit range`: the commits of the current branch are cut anew."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from smartcommit.commands import split as shared
from smartcommit.rewrite.commits import read_named_range
from smartcommit.rewrite.in_jj import cut_changes
from smartcommit.rewrite.recut import cut_range


@click.command(cls=shared.SplitCommand, epilog=shared.STATUSES)
@click.argument("revisions", metavar="BASE..")
@shared.repository_option
@click.option("--allow-merges", is_flag=True, help="Make merges part of the new commits.")
@click.option("--allow-pushed", is_flag=True, help="Rewrite commits that were pushed, too.")
@click.option("--branches", is_flag=True, help="Make a branch for each commit, as a stack.")
@shared.planning_options
@shared.message_options
@shared.writing_options
def command(*, revisions: str, repo: str | None, allow_merges: bool, allow_pushed: bool, **given: Any) -> int:
    """Cut the commits of the current branch since BASE anew; what is not committed stays."""
    root, repository = shared.find_repository(repo)
    if root is not None:
        shared.refuse_in_jj("--allow-merges", given=allow_merges, reason="changes that are merges stay")
        shared.refuse_in_jj("--branches", given=given["branches"], reason="'jj git push --change' names them")
        return shared.run_flow(repository, partial(cut_changes, root, revisions, allow_pushed=allow_pushed), **given)
    commits = read_named_range(repository, revisions, allow_merges=allow_merges, allow_pushed=allow_pushed)
    return shared.run_flow(repository, partial(cut_range, repository, commits), **given)
