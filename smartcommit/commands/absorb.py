"""`git smart-commit absorb`: hunks go into the earlier commits that they belong to."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from smartcommit.commands import split as shared
from smartcommit.rewrite.absorb import absorb
from smartcommit.rewrite.commits import find_unpushed_range, read_named_range
from smartcommit.rewrite.in_jj import absorb_change


@click.command(cls=shared.SplitCommand, epilog=shared.STATUSES)
@click.argument("revisions", metavar="[BASE..]", required=False)
@shared.paths_argument
@shared.repository_option
@click.option("--staged", is_flag=True, help="Absorb only the staged changes.")
@click.option("--fixup", is_flag=True, help="Make 'fixup!' commits for 'git rebase --autosquash', and rewrite nothing.")
@click.option("--allow-pushed", is_flag=True, help="Rewrite commits that were pushed, too.")
@shared.writing_options
def command(*, revisions: str | None, repo: str | None, staged: bool, allow_pushed: bool, **given: Any) -> int:
    """Put each hunk into the commit of the current branch that it belongs to; what has no sure target stays.

    It may go into the commits since BASE; without it, into those that were not pushed. With PATHs, hunks of these alone
    are absorbed.
    """
    root, repository = shared.find_repository(repo)
    given["paths"] = shared.limit_to_paths(given["paths"], repo)
    if root is not None:
        shared.refuse_in_jj("--staged", given=staged, reason="it has no index")
        shared.refuse_in_jj("PATH", given=given["paths"] is not None, reason="'jj absorb PATH' takes them")
        flow = partial(absorb_change, root, revisions, allow_pushed=allow_pushed)
        return shared.run_flow(repository, flow, **given)
    if revisions is None:
        commits = find_unpushed_range(repository)
    else:
        commits = read_named_range(repository, revisions, allow_pushed=allow_pushed)
    return shared.run_flow(repository, partial(absorb, repository, commits, staged=staged), **given)
