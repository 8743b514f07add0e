"""`GitAnalyzer`: one change that is to be split, as the tools, the loop and the review of it see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from smartcommit.change.history import History
from smartcommit.config import Settings, rules_of
from smartcommit.git.diff import FileChange
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import ChangeUnits
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.message.rules import Rules
from smartcommit.split import gitignore
from smartcommit.split.apply import Prepared, prepare
from smartcommit.split.hunk_ids import Names
from smartcommit.split.messages import joined_message, merge_overlapping
from smartcommit.split.plan import CommitDict, SplitPlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.client import LLMClient
    from smartcommit.waiting import Deadline


class GitAnalyzer:
    """A snapshot, the units that it was taken apart into, and the settings that hold for its commits.

    Each method is the front of a module. `base` and `target` are the trees that the tools of a model look at. Where a
    model cuts a unit, `pieces` has its halves then.
    """

    def __init__(self, snapshot: Snapshot, pieces: ChangeUnits, settings: Settings) -> None:
        self.snapshot = snapshot
        self.pieces = pieces
        self.settings = settings

    @property
    def repository(self) -> Repository:
        return self.snapshot.repository

    @property
    def base(self) -> str:
        return self.snapshot.since

    @property
    def target(self) -> str | None:
        return self.snapshot.target

    @cached_property
    def history(self) -> History:
        """The project's habits."""
        return History.load(self.repository, self.snapshot.base or "HEAD")

    @cached_property
    def rules(self) -> Rules:
        """What the project asks of a message."""
        return rules_of(self.settings)

    @cached_property
    def names(self) -> Names:
        """What a model calls the units."""
        return Names(self.pieces.units)

    def get_changed_files(self) -> list[FileChange]:
        """What changed, file by file."""
        return [diff.change for diff in self.pieces.diffs]

    def build_diff_summary(self, room: int) -> str:
        """The change as a model first sees it, in about `room` characters; the list of hunks is always whole."""
        # What a model needs is heavy, and most changes are split without one.
        from smartcommit.split.prompt import summarise

        return summarise(self.names, self.history, room=room)

    def classify_changes(
        self,
        client: LLMClient,
        *,
        deadline: Deadline,
        wish: str = "",
        keep: Callable[[Sequence[CommitDict]], None] = lambda commits: None,
        log: Callable[[str], None] = lambda line: None,
    ) -> tuple[list[CommitDict], list[str]]:
        """The commits that a model makes of the change, and what it would ignore.

        Raises: as `smartcommit.split.model.classify_changes`.
        """
        from smartcommit.split.model import classify_changes

        return classify_changes(self, client, deadline=deadline, wish=wish, keep=keep, log=log)

    def merge_overlapping_commits(
        self, commits: Sequence[CommitDict], word: Callable[[list[str]], str] | None = None
    ) -> list[CommitDict]:
        """`commits`, with those that share a hunk as one, whose message `word` makes of theirs."""
        return merge_overlapping(commits, word or (lambda messages: joined_message(messages, self.rules)))

    def execute_commits(
        self,
        commits: Sequence[CommitDict],
        identity: Identity,
        *,
        plan: SplitPlan,
        check: Callable[[Prepared], None] = lambda prepared: None,
    ) -> Prepared:
        """Make `commits` the user's, all of them or none; what is in none of them stays uncommitted.

        `plan` says what they were made for. `check` sees them last: what it raises leaves everything as it was.

        Raises: as `smartcommit.split.apply.prepare` and `smartcommit.git.transaction.publish`.
        """
        planned = plan.with_commits(commits, self.pieces.units)
        prepared = prepare(self.snapshot, planned, self.pieces, identity)
        check(prepared)
        prepared.publish()
        return prepared

    def update_gitignore(self, lines: Sequence[str]) -> list[str]:
        """Append to the top level's `.gitignore` what it lacks of `lines`, and return that; nothing is staged.

        Raises: as `smartcommit.split.gitignore.add`.
        """
        return gitignore.add(self.repository.worktree, lines)
