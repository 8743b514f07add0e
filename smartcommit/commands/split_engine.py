"""The plan of a split, made by whichever engine is asked, and made anew as long as a person wants another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from smartcommit.commands.split_review import review_interactively
from smartcommit.config import Settings
from smartcommit.errors import AgentError, Cancelled, LLMError, SplitPlanOutdated
from smartcommit.git.hunks import read_units
from smartcommit.git.snapshot import Snapshot
from smartcommit.progress import announce_if_slow
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.cut import reapply_cuts
from smartcommit.split.engine import EMBEDDED, MODEL, EngineOptions, PlanResult, by_model, criticise, make
from smartcommit.split.gitignore import missing
from smartcommit.split.plan import CommitDict, SplitPlan
from smartcommit.split.review.text import ReplanRequested, ReviewCallbacks
from smartcommit.split.screen import SuspectFile
from smartcommit.split.written import WrittenPlan
from smartcommit.terminal import Terminal, error_text, printable


class SplitPlanner:
    """Makes the plan for one snapshot, with `warnings` in it. `complain` is told how it came about; with `silent`, only
    what went wrong.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        warnings: Sequence[SuspectFile],
        settings: Settings,
        choice: EngineOptions,
        *,
        terminal: Terminal | None,
        complain: Callable[[str], None],
        silent: bool,
    ) -> None:
        self._snapshot = snapshot
        self._warnings = tuple(warnings)
        self._settings = settings
        self._choice = choice
        self._terminal = terminal
        self._complain = complain
        self._silent = silent

    def read(self, written: WrittenPlan) -> PlanResult | None:
        """What the plan says that was `written` down, None where nothing changed.

        Raises: as `WrittenPlan.bound`; SplitPlanOutdated too when it is not for what is staged, and only that is split.
        """
        snapshot = self._snapshot
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=written.is_cut)
        pieces = reapply_cuts(pieces, (unit.fingerprint for unit in written.units))
        if not pieces.units:
            return None
        if snapshot.staged and not written.staged:
            raise SplitPlanOutdated("the plan was made for all changes", hint="leave '--staged' out")
        plan = written.bound(pieces.units, base=snapshot.base, target=snapshot.target)
        return PlanResult(replace(plan, warnings=self._warnings), pieces)

    def make(self, choice: EngineOptions | None = None) -> PlanResult | None:
        """The plan that the engine makes, None where nothing changed.

        Raises: as `smartcommit.split.engine.make`.
        """
        choice = choice or self._choice
        asked = by_model(choice, self._settings)
        if choice.wish and not asked:
            self._complain("only a model can follow --critique")
        # On a terminal one line says what is being done.
        shown = self._complain if self._terminal is None and not self._silent else lambda line: None
        with announce_if_slow("planning", None if asked or self._silent else self._complain):
            made = make(
                self._snapshot,
                self._settings,
                choice,
                terminal=self._terminal,
                tell=self._tell,
                log=lambda line: shown(printable(line)),
            )
        if made is None:
            return None
        if made.reason:
            self._tell(_without(made))
        if made.usage and not self._silent:
            self._complain("{requests} requests, {prompt} tokens read, {output} written".format(**made.usage))
        return replace(made, plan=replace(made.plan, warnings=self._warnings))

    def reviewed(self, made: PlanResult, terminal: Terminal) -> PlanResult | None:
        """What a person at `terminal` makes of the plan, None where it is not to be carried out.

        Raises: GitError.
        """
        said = _without(made) if made.reason else ""
        while True:
            try:
                offers = replace(self._offers(made), said=said)
                agreed = review_interactively(made.plan, self._snapshot, self._settings, terminal, offers=offers)
                return None if agreed is None else PlanResult(*agreed)
            except ReplanRequested as again:
                made, said = self._again(again.wish, replace(made, plan=again.plan), terminal)

    def _again(self, wish: str, before: PlanResult, terminal: Terminal) -> tuple[PlanResult, str]:
        """Another plan by the model, or the one `before` and why it stays."""
        wishes = "\n".join(part for part in (self._choice.wish, wish) if part)
        try:
            return self.make(replace(self._choice, engine=MODEL, wish=wishes)) or before, ""
        except (LLMError, AgentError, Cancelled) as error:
            said = error_text(error)
            terminal.write(f"{said}\n")
            return before, said

    def _offers(self, made: PlanResult) -> ReviewCallbacks:
        """A model can be asked again where it was one that made the plan."""
        if not made.usage or made.plan.engine == EMBEDDED:
            return ReviewCallbacks()
        return ReviewCallbacks(critique=partial(self._critique, made.plan), reclassify=True)

    def _critique(self, plan: SplitPlan, commits: Sequence[CommitDict]) -> str:
        said = criticise(self._snapshot, self._settings, commits, plan=plan, terminal=self._terminal)
        return said or "the model has nothing to say against these commits"

    def _tell(self, line: str) -> None:
        self._complain(printable(line))


def _without(made: PlanResult) -> str:
    return f"split without the model: {made.reason}"


def offer(analyzer: GitAnalyzer, lines: Sequence[str], terminal: Terminal | None, say: Callable[[str], None]) -> None:
    """Show what `.gitignore` lacks of the suggested `lines`, and add it where a person at `terminal` wants that.

    Raises: as `GitAnalyzer.update_gitignore`.
    """
    new = missing(analyzer.repository.worktree, lines)
    if not new:
        return
    say(f"suggested for .gitignore: {printable(', '.join(new))}")
    if terminal is not None:
        answer = terminal.ask("add these lines to .gitignore? [y/N] ")
        if answer is not None and answer.lower() in ("y", "yes"):
            analyzer.update_gitignore(new)
