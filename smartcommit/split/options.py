"""What a caller can ask of a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from smartcommit.git.snapshot import Pathspecs
from smartcommit.split.engine import EngineOptions
from smartcommit.split.plan_file import WrittenPlan


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What a caller can ask for besides the split itself.

    `choice` says how to make a plan. `plan` is a plan file's content to apply, `save_plan` the path of a file to write
    the plan to, and `plan_files` are all files that contain plans or will. `show_prompt` prints what a model would be
    sent. `check` is a shell command that must succeed on every commit.
    `include_secrets` commits files that look like secrets or build artifacts, or have conflict markers, too. `ticket`
    is the ticket of all commits, and `sign_off` adds `Signed-off-by` to them although the policy does not require it.
    `run_hooks` names the hooks that are run on each message; if None, the settings do. With a `message` all is
    one commit. What is absorbed goes into commits for `git rebase --autosquash` with `fixup`.
    Of a range, each commit but the last one gets a branch of its own with `branches`. Nothing is committed but what is
    at `paths`.
    """

    choice: EngineOptions = field(default_factory=EngineOptions)
    show_prompt: bool = False
    plan: WrittenPlan | None = None
    save_plan: str | None = None
    plan_files: Sequence[str] = ()
    check: str | None = None
    include_secrets: bool = False
    ticket: str | None = None
    sign_off: bool = False
    run_hooks: Sequence[str] | None = None
    fixup: bool = False
    message: str | None = None
    branches: bool = False
    paths: Pathspecs | None = None
    dry_run: bool = False
    json: bool = False
    quiet: bool = False

    @property
    def silent(self) -> bool:
        """Whether to print only errors, or JSON."""
        return self.quiet or self.json

    @property
    def planned_paths(self) -> set[str]:
        """The paths that the plan file changes."""
        return self.plan.paths if self.plan is not None else set()
