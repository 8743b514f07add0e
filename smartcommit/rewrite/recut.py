"""`--range`: the commits of the current branch are cut anew; its last tree stays the same."""

from __future__ import annotations

from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_committed_snapshot
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.rewrite.commits import CommitRange
from smartcommit.signals import exit_on_signals
from smartcommit.split.flow import Flow, check_not_jj
from smartcommit.split.options import SplitOptions
from smartcommit.split.outcome import EXPECTED, Out, report_error, show_untidy
from smartcommit.terminal import Terminal


def cut_range(
    repository: Repository,
    commits: CommitRange,
    *,
    yes: bool,
    terminal: Terminal | None,
    out: Out,
    complain: Out,
    options: SplitOptions,
) -> int:
    """Replace `commits` by better ones, and return the exit status; arguments and statuses are as for `flow.split`."""
    try:
        check_not_jj(repository.worktree)
        check_recovered(repository)
        with exit_on_signals(), take_committed_snapshot(repository, commits.base) as snapshot:
            if snapshot.head != commits.head:
                raise SplitPlanOutdated("HEAD has moved in the meantime", hint="run the command again")
            status = RangeFlow(snapshot, commits, options, terminal, out=out, complain=complain).run(yes=yes)
            for line in show_untidy(snapshot.run.warnings):
                complain(line)
            return status
    except EXPECTED as error:
        return report_error(error, complain)


class RangeFlow(Flow):
    """A range of commits that is cut anew."""

    def __init__(
        self,
        snapshot: Snapshot,
        commits: CommitRange,
        options: SplitOptions,
        terminal: Terminal | None,
        *,
        out: Out,
        complain: Out,
    ) -> None:
        super().__init__(snapshot, (), options, terminal, out=out, complain=complain)
        self._commits = commits
