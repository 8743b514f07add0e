"""Runs one split, from snapshot to commits; shared by the command and the hook."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import find_spec

from smartcommit import config, state_files
from smartcommit.change.history import History
from smartcommit.change.wording import counted
from smartcommit.config import Settings, rules_of
from smartcommit.errors import (
    AgentError,
    Cancelled,
    ConfigError,
    LLMError,
    SmartcommitError,
    SplitError,
    SplitPlanOutdated,
)
from smartcommit.git import transaction
from smartcommit.git.fast_import import Identity, read_identity
from smartcommit.git.hunks import ChangeUnits, Unit, read_units
from smartcommit.git.query import parse_config
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.jj.run import is_workspace
from smartcommit.signals import exit_on_signals
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.apply import Prepared, prepare
from smartcommit.split.cut import reapply_cuts
from smartcommit.split.engine import EMBEDDED, MODEL, EngineOptions, PlanResult, by_model, criticise, make, show_prompt
from smartcommit.split.exec_check import check_commits
from smartcommit.split.gitignore import missing
from smartcommit.split.messages import check_message, message_for
from smartcommit.split.plan import CommitDict, SplitPlan, WrittenPlan, apart, commits_to_dicts
from smartcommit.split.review.render import show_left_out, show_plan, show_skipped, show_staged_only, show_warnings
from smartcommit.split.review.session import Describe, Session, refined
from smartcommit.split.review.text import ReplanRequested, Review, ReviewCallbacks, TextReview
from smartcommit.split.screen import SuspectFile, screened
from smartcommit.state_files import replace_file
from smartcommit.terminal import Terminal, error_text, printable
from smartcommit.waiting import announce_if_slow

DONE, NOTHING, MODEL_FAILED, GIT_FAILED, CANCELLED, USAGE = 0, 1, 2, 3, 4, 64

# The reviewed plan of a split that failed.
_REVIEWED = "reviewed-plan.json"

Out = Callable[[str], None]

EXPECTED = (SmartcommitError, OSError, MemoryError)


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """What a caller may ask for beyond the split itself.

    `choice` says how a plan is made, `model` and `api_base` which model is asked. `plan` is a written plan to carry
    out, `save_plan` the path of a file to write the plan to, and `plan_files` names all the files that plans are in or
    will be. `show_prompt` prints what a model would be sent. `check` is a command for the shell that must succeed on
    every commit. With `include_secrets` untracked files that look like secrets or build artifacts are committed too.
    """

    choice: EngineOptions = field(default_factory=EngineOptions)
    model: str | None = None
    api_base: str | None = None
    show_prompt: bool = False
    plan: WrittenPlan | None = None
    save_plan: str | None = None
    plan_files: Sequence[str] = ()
    check: str | None = None
    include_secrets: bool = False
    dry_run: bool = False
    json: bool = False
    quiet: bool = False

    @property
    def silent(self) -> bool:
        """Whether nothing but errors, or JSON, is to be printed."""
        return self.quiet or self.json


def split(
    repository: Repository,
    *,
    staged: bool,
    yes: bool,
    terminal: Terminal | None,
    out: Out,
    complain: Out | None = None,
    wanted: SplitOptions | None = None,
) -> int:
    """Split the working tree's changes, or what is `staged`, and return the exit status.

    A person at `terminal` reviews the plan. Without one the plan is carried out where `yes` says so, and
    printed otherwise. A written plan for what is staged is carried out on that, `staged` or not. `out` gets what to
    print, a text of one or more lines at a time, and `complain` (default: `out`) what went wrong. Statuses: 0 done,
    1 nothing to split, 2 a model that was wanted failed, 3 refused by git or by the repository's state, 4 cancelled.
    SIGTERM and SIGHUP raise SystemExit once all is put in order.
    """
    complain = complain or out
    try:
        wanted = wanted or SplitOptions()
        if yes or not (wanted.dry_run or wanted.json or wanted.show_prompt):
            check_not_jj(repository.worktree)
        transaction.check_settled(repository)
        staged = staged or (wanted.plan is not None and wanted.plan.staged)
        with exit_on_signals(), ExitStack() as stack:
            with announce_if_slow("looking at the change", None if wanted.silent else complain):
                left = apart(repository.worktree, wanted.plan_files, wanted.plan)
                snapshot, warnings = stack.enter_context(
                    screened(
                        repository, staged=staged, apart=left, include_secrets=wanted.include_secrets,
                        planned=wanted.plan.paths if wanted.plan is not None else (),
                    )
                )  # fmt: skip
            return _Flow(snapshot, warnings, wanted, terminal, out=out, complain=complain).run(yes=yes)
    except EXPECTED as error:
        return fail(error, complain)


def check_not_jj(directory: str) -> None:
    """Commits that git makes beside jj leave the description of jj's change, and a plan in it, behind on a sibling.

    Raises: SplitError in a jj repository, with jj's own way.
    """
    if is_workspace(directory):
        raise SplitError(
            "this is a jj repository, and commits made by git would leave jj's change behind",
            hint="run 'jj split -m MESSAGE FILESET...' for each part; what remains keeps its description",
        )


def fail(error: SmartcommitError | OSError | MemoryError, complain: Out) -> int:
    """Say what went wrong and return the status: a wrong setting is a matter of usage, all else of git's repository."""
    if isinstance(error, MemoryError):
        error = SplitError("out of memory", hint="allow the process more memory, see 'ulimit -v'")
    if isinstance(error, OSError):
        error = SplitError(f"'{error.filename}': {error.strerror}" if error.filename else str(error))
    complain(error_text(error))
    for kind, status in (((LLMError, AgentError), MODEL_FAILED), (ConfigError, USAGE), (Cancelled, CANCELLED)):
        if isinstance(error, kind):
            return status
    return GIT_FAILED


def _check_messages(plan: SplitPlan, settings: Settings) -> None:
    """Hold the messages of `plan` against the project's rules, as nobody will look at them."""
    rules = config.rules_of(settings)
    for commit in plan.commits:
        check_message(commit.message, rules)


def discard_output() -> None:
    """Discard standard output, with what its buffer still holds: at exit Python would fail to write it once more."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


class _Flow:
    """One split of one snapshot, from its pieces to the commits."""

    def __init__(
        self,
        snapshot: Snapshot,
        warnings: Sequence[SuspectFile],
        wanted: SplitOptions,
        terminal: Terminal | None,
        *,
        out: Out,
        complain: Out,
    ) -> None:
        self._snapshot = snapshot
        self._warnings = warnings
        self._wanted = wanted
        self._terminal = terminal
        self._out = out
        self._complain = complain
        self._tell = None if wanted.silent else complain

    def run(self, *, yes: bool) -> int:
        snapshot, wanted = self._snapshot, self._wanted
        listing = parse_config(snapshot.repository.run("config", "-z", "--list"))
        given = {"model": wanted.model, "api-base": wanted.api_base}
        settings = Settings(git=listing, policy=config.tracked(snapshot.repository.worktree), arguments=given)
        if wanted.show_prompt:
            self._warn()
            shown = show_prompt(snapshot, settings, wanted.choice)
            return self._nothing() if shown is None else self._print(shown)
        planner = SplitPlanner(
            snapshot, self._warnings, settings, wanted.choice,
            terminal=self._terminal, complain=self._complain, silent=wanted.silent,
        )  # fmt: skip
        made = planner.make() if wanted.plan is None else planner.read(wanted.plan)
        if made is None:
            return self._nothing()
        terminal = None if yes or wanted.json or wanted.dry_run else self._terminal
        self._save(made)
        if terminal is None and (yes or not wanted.json):
            _check_messages(made.plan, settings)
        identity = read_identity(snapshot.repository, listing)
        if terminal is not None:
            agreed = planner.reviewed(made, terminal)
            if agreed is None:
                self._say("cancelled: nothing was changed")
                return CANCELLED
            self._save(agreed)
            with self._kept(agreed):
                return self._execute(agreed, identity, settings, terminal)
        return self._execute(made, identity, settings) if yes else self._show(made, identity)

    @contextmanager
    def _kept(self, agreed: PlanResult) -> Iterator[None]:
        """Keep the plan that was agreed on where it cannot be applied: the user has worked on it."""
        try:
            yield
        except BaseException:
            git_dir = self._snapshot.repository.git_dir
            content = f"{agreed.plan.to_json(states=agreed.states)}\n".encode()
            if state_files.save(git_dir, _REVIEWED, content):
                place = shlex.quote(state_files.path(git_dir, _REVIEWED))
                self._complain(f"your plan was saved; to apply it: git smart-commit --plan {place}")
            raise

    def _show(self, made: PlanResult, identity: Identity) -> int:
        """Print the plan and what would come of it, in the form that is wanted; a check is run all the same."""
        prepared = None
        if self._wanted.dry_run or self._wanted.check is not None:
            with self._writing(made):
                prepared = prepare(self._snapshot, made.plan, made.pieces, identity)
            self._check(prepared)
        if self._wanted.json:
            return self._print(made.plan.to_json(states=made.states))
        shown = show_plan(made.plan, made.pieces.units, made.states)
        if prepared is not None and self._wanted.dry_run:
            self._show_dry_run(prepared, shown)
            return DONE
        self._out(f"{shown}\nnothing was changed: add '--yes' to make these commits")
        return CANCELLED

    def _execute(
        self, made: PlanResult, identity: Identity, settings: Settings, terminal: Terminal | None = None
    ) -> int:
        if terminal is None:
            self._warn()
        analyzer = GitAnalyzer(self._snapshot, made.pieces, settings)
        commits = commits_to_dicts(made.plan.commits)
        with self._writing(made):
            prepared = analyzer.execute_commits(commits, identity, plan=made.plan, check=self._check)
        try:
            self._report(prepared, made)
        except OSError as error:
            discard_output()
            self._complain(f"the commits were made, but that cannot be printed: {error.strerror}")
        if not self._wanted.json:
            # pre-commit, where it staged this, will put the rest of the working tree back over it.
            offer(analyzer, made.plan.gitignore, None if self._snapshot.staged else terminal, self._say)
        return DONE

    def _writing(self, made: PlanResult) -> AbstractContextManager[None]:
        # A check tells of each commit itself.
        tell = None if self._wanted.check is not None else self._tell
        return announce_if_slow(f"writing {counted(len(made.plan.commits), 'commit')}", tell)

    def _check(self, prepared: Prepared) -> None:
        if self._wanted.check is not None:
            tell = self._tell or (lambda line: None)
            check_commits(prepared, self._wanted.check, tell=tell, complain=self._complain)

    def _nothing(self) -> int:
        tell = self._complain if self._wanted.json else self._say
        tell("nothing is staged" if self._snapshot.staged else "there is nothing to split")
        self._warn()
        return NOTHING

    def _warn(self) -> None:
        """Print the warnings where no plan is shown that has them."""
        for line in show_warnings(self._warnings):
            self._complain(line)

    def _print(self, text: str) -> int:
        self._out(text)
        return DONE

    def _save(self, made: PlanResult) -> None:
        if self._wanted.save_plan is not None:
            replace_file(self._wanted.save_plan, f"{made.plan.to_json(states=made.states)}\n".encode())

    def _show_dry_run(self, prepared: Prepared, shown: str) -> None:
        old, new = self._snapshot.base, prepared.commits[-1].commit
        moved = f"move HEAD from {old} to {new}" if old else f"make {new} the first HEAD"
        self._say(f"{shown}\nnothing was changed; --yes would {moved}")

    def _report(self, prepared: Prepared, made: PlanResult) -> None:
        if self._wanted.json:
            oids = [written.commit for written in prepared.commits]
            self._out(prepared.plan.to_json(states=made.states, made=oids))
            return
        for written, commit in zip(prepared.commits, prepared.plan.commits, strict=True):
            self._say(f"{written.commit[:10]} {printable(commit.subject)}")
        plan = prepared.plan
        for line in (
            *show_left_out(plan), *show_skipped(plan.skipped), *show_staged_only(prepared.staged_only)
        ):  # fmt: skip
            self._say(line)
        if len(prepared.commits) == 1 and not prepared.plan.skipped:
            self._say("one commit: the change stays together")
        self._say("to take it back: git smart-commit --undo")

    def _say(self, line: str) -> None:
        if not self._wanted.quiet and not self._wanted.json:
            self._out(line)


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


def review_interactively(
    plan: SplitPlan,
    snapshot: Snapshot,
    settings: Settings,
    terminal: Terminal,
    *,
    offers: ReviewCallbacks | None = None,
) -> tuple[SplitPlan, ChangeUnits] | None:
    """What a person at `terminal` makes of `plan`, with the pieces it is in; None where it is not to be carried out.

    Whatever the plan was made of, the person can handle every hunk.

    Raises: ReplanRequested, where `offers` has it; GitError.
    """
    pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
    pieces = reapply_cuts(pieces, (unit.fingerprint for unit in plan.units))
    session = Session(refined(plan, pieces), pieces, rules=rules_of(settings), describe=_describe(snapshot, settings))
    form = _form(settings)
    agreed = form(session, terminal, snapshot.repository, offers or ReviewCallbacks()).run()
    return (session.plan, session.pieces) if agreed else None


def _form(settings: Settings) -> type[Review]:
    """The panes where they are installed, wanted and can be shown, else text."""
    shown = os.environ.get("TERM", "dumb") != "dumb" and None not in (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if settings.text("review") == "text" or not shown or find_spec("textual") is None:
        return TextReview
    from smartcommit.split.review.tui import TwoPaneReview

    return TwoPaneReview


def _describe(snapshot: Snapshot, settings: Settings) -> Describe:
    """The embedded drafter, which reads the history when the first message is asked of it."""
    history = cache(lambda: History.load(snapshot.repository, snapshot.base or "HEAD"))

    def describe(units: Sequence[Unit]) -> str:
        return message_for(units, history(), settings)

    return describe
