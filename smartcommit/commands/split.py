"""`smartcommit split`, also `git smart-commit`: the change becomes atomic commits, all of them or none; and its end.

`undo` takes a split, absorb or range back, and `recover` finishes or rolls back what a crash interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from smartcommit.commands import split_options
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.journal import SplitRun
from smartcommit.git.transaction.recover import check_unlocked
from smartcommit.git.transaction.recover import recover as finish_or_roll_back
from smartcommit.git.transaction.undo import undo as take_back
from smartcommit.jj.run import lock
from smartcommit.message.characters import printable
from smartcommit.split.flow import split
from smartcommit.split.ignoring import read_addition
from smartcommit.split.outcome import DONE, SplitResult, print_result


@click.command(
    cls=split_options.SplitCommand,
    epilog=f"See also: git smart-commit absorb, range, undo and recover, each with --help.\n\n{split_options.STATUSES}",
)
@split_options.paths_argument
@split_options.repository_option
@click.option("--staged", is_flag=True, help="Split only the staged changes and leave the rest alone.")
@click.option("--include-secrets", is_flag=True, help="Also commit files that are or have secrets.")
@click.option(
    "--include-suspects",
    is_flag=True,
    help="Also commit build artifacts, scratch files, logs, large files and conflict markers.",
)
@split_options.planning_options
@split_options.message_options
@split_options.writing_options
def command(*, repo: str | None, **given: Any) -> int:
    """Split uncommitted changes into atomic commits: all of them are created, or none.

    With PATHs only what they match is committed; the rest stays as it is, in the index and the working tree.
    """
    for name in ("include_secrets", "include_suspects"):
        if given["plan"] is not None and given[name]:
            raise split_options.Misuse(
                f"'--plan' says what is committed, so '--{name.replace('_', '-')}' has no effect"
            )
    root, repository = split_options.find_repository(repo)
    given["paths"] = split_options.limit_to_paths(given["paths"], repo)
    if root is None:
        return split_options.run_flow(repository, partial(split, repository), **given)
    split_options.refuse_in_jj("--staged", given=given["staged"], reason="it has no index")
    split_options.refuse_in_jj(
        "PATH", given=given["paths"] is not None, reason="'jj split PATH' makes a change of them"
    )
    from smartcommit.rewrite.in_jj import split_change

    return split_options.run_flow(repository, partial(split_change, root), **given)


@click.command(cls=split_options.SplitCommand, epilog=split_options.STATUSES)
@split_options.repository_option
@split_options.quiet_option
@click.option("--list", "shown", is_flag=True, help="List what can be undone, the last first; change nothing.")
def undo(*, repo: str | None, quiet: bool, shown: bool) -> int:
    """Undo the last split, absorb or range: restore HEAD and the index, leave files alone."""
    root, repository = split_options.find_repository(repo)
    if shown:
        split_options.refuse_in_jj("--list", given=root is not None, reason="'jj op log' lists its operations")
        for entry in reversed(journal.read_all(repository)):
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.time / 1e9))
            before = entry.old[:10] if entry.old else "no commits"
            click.echo(printable(f"{when}  {entry.branch or 'detached HEAD'}: {before} -> {entry.new[:10]}"))
        return DONE
    warnings: Sequence[str] = ()
    if root is not None:
        from smartcommit.jj.moves import undo_split

        with lock(root):
            operation = undo_split(root)
        result = f"jj is back at operation {operation[:12]}, files are unchanged"
    else:
        name = added = None
        journals = journal.read_all(repository)
        if journals:
            name = journals[-1].name
            added = read_addition(SplitRun(repository, name))
        entry, warnings = take_back(repository, name=name)
        result = "HEAD has no commits again"
        if entry.old:
            result = f"HEAD is back at {entry.old[:10]}"
        if entry.keeps_index:
            result += ", index and files are unchanged"
        elif added is not None and added.take_back():
            result += ", the index and .gitignore are restored, other files are unchanged"
        else:
            result += ", the index is restored, files are unchanged"
    lines = [] if quiet else [f"undone: {result}"]
    print_result(
        SplitResult(DONE, lines, warnings=warnings, done="the split was undone"), click.echo, split_options.complain
    )
    return DONE


@click.command(
    cls=split_options.SplitCommand,
    epilog="Exit status: 0 success or nothing to recover, 3 git error, 4 cancelled, 64 usage error.",
)
@split_options.repository_option
@split_options.quiet_option
def recover(*, repo: str | None, quiet: bool) -> int:
    """Finish or roll back a split, absorb or range that was interrupted by a crash."""
    _, repository = split_options.find_repository(repo)
    recovered, warnings = finish_or_roll_back(repository)
    lines = []
    for name, is_in_effect in recovered:
        lines.append(f"split {name}: {'completed' if is_in_effect else 'rolled back'}")
    if not recovered:
        lines.append("nothing to recover")
    if quiet:
        lines = []
    print_result(SplitResult(DONE, lines, warnings=warnings, done="recovered"), click.echo, split_options.complain)
    check_unlocked(repository)
    return DONE
