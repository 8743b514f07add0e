"""The commits that a model had handed in before it was cut off: a plan that can be carried out as any other."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit import state_files
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.plan import CommitDict, plan_of

FILE = "partial-plan.json"


class Partial:
    """Keeps what there is after every commit, so that nothing is lost whatever ends the work.

    `path` is where it is kept, None before the first commit and once the work is done.
    """

    def __init__(self, analyzer: GitAnalyzer, engine: str) -> None:
        self.path: str | None = None
        self._analyzer = analyzer
        self._engine = engine

    def keep(self, commits: Sequence[CommitDict]) -> None:
        """Keep `commits`; all other units stay uncommitted in this plan."""
        analyzer = self._analyzer
        plan = plan_of(analyzer.snapshot, commits, analyzer.pieces.units, engine=self._engine)
        if state_files.save(analyzer.repository.git_dir, FILE, plan.to_json().encode()):
            self.path = state_files.path(analyzer.repository.git_dir, FILE)

    def drop(self) -> None:
        """Forget it: the whole plan is there."""
        if self.path is not None:
            state_files.drop(self._analyzer.repository.git_dir, FILE)
            self.path = None
