"""`Source`: the change of one split, and the options that say what its user wants of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from smartcommit import config
from smartcommit.coding_agent import is_agent_at_work
from smartcommit.config import Settings, wants_model
from smartcommit.git.fast_import import Identity, read_identity
from smartcommit.git.snapshot import Pathspecs, Snapshot
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.outcome import Out
from smartcommit.split.plan import SplitPlan
from smartcommit.split.review.render import show_warnings
from smartcommit.terminal import Terminal

AUTO, EMBEDDED, MODEL = ENGINES = ("auto", "embedded", "model")


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How to split a change: with which of ENGINES, and into what.

    `strategy` and `count` are for the embedded splitter; a model is given the count too. `instructions` are the user's,
    and only a model can follow them.
    """

    engine: str = AUTO
    strategy: str = AUTO
    count: int | None = None
    instructions: str = ""

    def asks_model(self, settings: Settings) -> bool:
        if self.engine == AUTO and self.strategy == AUTO:
            return wants_model(settings)
        return self.engine == MODEL


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What a caller can ask for besides the split itself.

    `choice` says how to make a plan, which is applied without a review with `yes`. With `staged` only what is staged
    is committed. `plan` is a plan file's content to apply, `save_plan` the path of a file to write the plan to, and
    `plan_files` are all files that contain plans or will. `show_prompt` prints what a model would be
    sent. `check` is a shell command that must succeed on every commit. `include_secrets` also commits files with
    secrets, and `include_suspects` what else would be left out. `ticket` is the ticket of all commits, and `sign_off`
    adds `Signed-off-by` to them although the policy does not require it. `run_hooks` names the hooks that are run on
    each message; if None, the settings do. With a `message` all is one commit. What is absorbed goes into commits for
    `git rebase --autosquash` with `fixup`, and by files alone with `whole_file`. Of a range, each commit but the last
    one gets a branch of its own with `branches`. Nothing is committed but what is at `paths`.
    """

    choice: EngineOptions = field(default_factory=EngineOptions)
    yes: bool = False
    staged: bool = False
    show_prompt: bool = False
    plan: SplitPlan | None = None
    save_plan: str | None = None
    plan_files: Sequence[str] = ()
    check: str | None = None
    include_secrets: bool = False
    include_suspects: bool = False
    ticket: str | None = None
    sign_off: bool = False
    run_hooks: Sequence[str] | None = None
    fixup: bool = False
    whole_file: bool = False
    message: str | None = None
    branches: bool = False
    paths: Pathspecs | None = None
    dry_run: bool = False
    json: bool = False
    quiet: bool = False

    @property
    def silent(self) -> bool:
        return self.quiet or self.json

    @property
    def planned_paths(self) -> set[str]:
        if self.plan is None:
            return set()
        return {os.fsdecode(unit.change.path) for unit in self.plan.units}

    @property
    def takes_staged(self) -> bool:
        """Whether only what is staged is committed: a plan that was made for it is not for other changes."""
        return self.staged or (self.plan is not None and self.plan.staged)


class Source:
    """A snapshot with the `suspects` in it, files that nobody may have meant to commit, and who asks for a split of it.

    `identify` returns who commits (default: whom git names). `progress` is `complain`, or None if the user wants to
    read nothing of it.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        suspects: Sequence[SuspectFile],
        options: SplitOptions,
        terminal: Terminal | None,
        *,
        complain: Out,
        identify: Callable[[], Identity] | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.suspects = tuple(suspects)
        self.options = options
        self.terminal = terminal
        self.complain = complain
        self.progress = None if options.silent else complain
        given = {"split-hooks": options.run_hooks}
        self.settings = config.load(snapshot.repository.worktree, arguments=given, listing=snapshot.config)
        self.for_agent = is_agent_at_work(self.settings.text("coding-agent"))
        self._identify = identify

    @cached_property
    def identity(self) -> Identity:
        """Who commits; raise GitError if git does not know."""
        if self._identify is not None:
            return self._identify()
        return read_identity(self.snapshot.repository, self.snapshot.config)

    @property
    def is_session(self) -> bool:
        """Whether the change is what a coding agent's session has made."""
        return self.snapshot.composed is not None and self.options.paths is None

    def warn(self) -> None:
        """Print the warnings if no plan is shown that has them."""
        for line in show_warnings(self.suspects):
            self.complain(line)

    def unless_quiet(self, lines: list[str]) -> list[str]:
        if self.options.quiet:
            return []
        return lines
