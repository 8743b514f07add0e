"""`git smart-commit absorb`: hunks go into the commits that they belong to; and `range`: commits are cut anew."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from smartcommit.commands import split_options
from smartcommit.errors import SplitError
from smartcommit.rewrite.absorb import absorb as absorb_hunks
from smartcommit.rewrite.absorb import absorb_change, absorb_commit
from smartcommit.rewrite.commits import find_unpushed_range, read_named_range, read_range_below
from smartcommit.rewrite.recut import cut_changes, cut_range


@click.command(cls=split_options.SplitCommand, epilog=split_options.STATUSES)
@click.argument("revisions", metavar="[BASE..]", required=False)
@split_options.paths_argument
@split_options.repository_option
@click.option("--from", "commit", metavar="REV", help="Absorb the change of the commit REV into those below it.")
@click.option("--staged", is_flag=True, help="Absorb only the staged changes.")
@click.option("--fixup", is_flag=True, help="Make 'fixup!' commits for 'git rebase --autosquash', and rewrite nothing.")
@click.option(
    "--whole-file",
    is_flag=True,
    help="Put all hunks of a file into the last commit that changes it, whatever they are.",
)
@click.option("--allow-pushed", is_flag=True, help="Rewrite commits that were pushed, too.")
@split_options.writing_options
def absorb(*, revisions: str | None, repo: str | None, commit: str | None, allow_pushed: bool, **given: Any) -> int:
    """Put each hunk into the commit of the current branch that it belongs to; what has no sure target stays.

    It may go into the commits since BASE; without it, into those that were not pushed. With PATHs, hunks of these alone
    are absorbed.
    """
    if commit is not None and (given["staged"] or given["fixup"]):
        raise split_options.Misuse(
            "'--from' absorbs what is committed, so '--staged' and '--fixup' cannot be used with it"
        )
    root, repository = split_options.find_repository(repo)
    given["paths"] = split_options.limit_to_paths(given["paths"], repo)
    if root is not None:
        split_options.refuse_in_jj("--from", given=commit is not None, reason="run 'jj absorb --from REV'")
        split_options.refuse_in_jj("--staged", given=given["staged"], reason="it has no index")
        split_options.refuse_in_jj("PATH", given=given["paths"] is not None, reason="'jj absorb PATH' takes them")
        flow = partial(absorb_change, root, revisions, allow_pushed=allow_pushed)
        return split_options.run_flow(repository, flow, **given)
    if commit is not None:
        commits = read_range_below(repository, commit, revisions, allow_pushed=allow_pushed)
        return split_options.run_flow(repository, partial(absorb_commit, repository, commits), **given)
    if revisions is None:
        commits = find_unpushed_range(repository)
    else:
        commits = read_named_range(repository, revisions, allow_pushed=allow_pushed)
    if commits.above:
        raise SplitError(f"'{revisions}' does not reach up to HEAD", hint="name the commit before: 'main..'")
    return split_options.run_flow(repository, partial(absorb_hunks, repository, commits), **given)


@click.command(cls=split_options.SplitCommand, epilog=split_options.STATUSES)
@click.argument("revisions", metavar="REV|BASE..")
@split_options.repository_option
@click.option("--allow-merges", is_flag=True, help="Make merges part of the new commits.")
@click.option("--allow-pushed", is_flag=True, help="Rewrite commits that were pushed, too.")
@click.option("--branches", is_flag=True, help="Make a branch for each commit, as a stack.")
@split_options.planning_options
@split_options.message_options
@split_options.writing_options
def range_(*, revisions: str, repo: str | None, allow_merges: bool, allow_pushed: bool, **given: Any) -> int:
    """Cut the commit REV in several, or all commits of the current branch since BASE anew; what is not committed stays.

    BASE..END ends at the commit END. Commits above are kept as they are, on new parents.
    """
    root, repository = split_options.find_repository(repo)
    if root is not None:
        split_options.refuse_in_jj("--allow-merges", given=allow_merges, reason="changes that are merges stay")
        split_options.refuse_in_jj("--branches", given=given["branches"], reason="'jj git push --change' names them")
        return split_options.run_flow(
            repository, partial(cut_changes, root, revisions, allow_pushed=allow_pushed), **given
        )
    commits = read_named_range(repository, revisions, allow_merges=allow_merges, allow_pushed=allow_pushed)
    return split_options.run_flow(repository, partial(cut_range, repository, commits), **given)
