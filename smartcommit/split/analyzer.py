"""`GitAnalyzer`: one change that is to be split, as the tools, the loop and the review of it see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from smartcommit.change.history import History
from smartcommit.config import Settings, make_rules
from smartcommit.git.diff import FileChange
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.rules import Rules
from smartcommit.split.apply import Prepared, prepare
from smartcommit.split.messages import Join, join_by_strength, merge_overlapping, message_for
from smartcommit.split.model.hunk_ids import Names
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.unwanted import add_patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.client import LLMClient
    from smartcommit.split.model.tools import ModelPlan, ModelRequest


class GitAnalyzer:
    """A snapshot, its change in units, and the settings for its commits.

    `base` and `target` are the trees that a model's tools look at. If a model cuts a unit, `change` has its halves.
    What is `withheld` is in no commit, and not part of `change`.
    """

    def __init__(
        self, snapshot: Snapshot, change: ChangeUnits, settings: Settings, *, withheld: ChangeUnits | None = None
    ) -> None:
        self.snapshot = snapshot
        self.change = change
        self.settings = settings
        self.withheld = withheld or ChangeUnits([], [], {})

    @property
    def repository(self) -> Repository:
        return self.snapshot.repository

    @property
    def base(self) -> str:
        return self.snapshot.since

    @property
    def target(self) -> str | None:
        return self.snapshot.target

    @property
    def whole(self) -> ChangeUnits:
        """The change with what is withheld of it."""
        return self.change.join(self.withheld)

    @cached_property
    def history(self) -> History:
        """The project's earlier commits."""
        return History.load(self.repository, self.snapshot.base or "HEAD")

    @cached_property
    def rules(self) -> Rules:
        """The rules for messages."""
        return make_rules(self.settings)

    @cached_property
    def names(self) -> Names:
        """The ids of the units as a model sees them."""
        return Names(self.change.units)

    def describe(self, units: Sequence[Unit]) -> str:
        """Return a message for the commit of `units`."""
        return message_for(units, self.history, self.settings)

    def get_changed_files(self) -> list[FileChange]:
        """Return what changed, file by file."""
        return [diff.change for diff in self.change.diffs]

    def build_diff_summary(self, room: int) -> str:
        """Return the change as a model first sees it, in about `room` characters; no hunk is missing from the list."""
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.split.model.prompt import summarize

        return summarize(self.names, self.history, room=room)

    def classify_changes(self, client: LLMClient, request: ModelRequest) -> ModelPlan:
        """Return what a model plans for the change."""
        from smartcommit.split.model.splitter import classify_changes

        return classify_changes(self, client, request)

    def merge_overlapping_commits(
        self, commits: Sequence[PlannedCommit], join: Join | None = None
    ) -> list[PlannedCommit]:
        """Return `commits` with those merged that share a hunk; `join` makes one message of theirs."""
        return merge_overlapping(commits, join or partial(join_by_strength, rules=self.rules))

    def execute_commits(self, plan: SplitPlan, identity: Identity, *, check: Callable[[Prepared], None]) -> Prepared:
        """Create the commits of `plan`, all of them or none; what is in none of them stays uncommitted.

        If `check`, which sees them last, raises an error, nothing is changed.

        Raise SplitError if the plan is not for this change, TreeMismatch if the commits do not add up to it, and
        GitError.
        """
        prepared = prepare(self.snapshot, plan, self.change, identity)
        check(prepared)
        prepared.publish()
        return prepared

    def update_gitignore(self, lines: Sequence[str]) -> list[str]:
        """Append what is missing of `lines` to the top level's `.gitignore`, and return it; nothing is staged."""
        return add_patterns(self.repository.worktree, lines)
