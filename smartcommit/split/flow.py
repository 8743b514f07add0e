"""Runs one split, from snapshot to commits; shared by the command and the hook.

A `Flow` is put together of a source (`split.source`), a planner, words (`split.words`), a writer and a publisher.
`rewrite` has others of these, for commits that exist and for jj.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from smartcommit import state_files
from smartcommit.change.wording import format_count
from smartcommit.draft.request import make_purpose
from smartcommit.errors import AgentError, Cancelled, LLMError, SplitError
from smartcommit.git.hunks import Unit, group_by_path
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.journal import RefMove
from smartcommit.git.transaction.recover import refuse_if_interrupted
from smartcommit.jj.run import is_workspace
from smartcommit.message.characters import printable
from smartcommit.secrets.scan import SuspectFile
from smartcommit.signals import exit_on_signals
from smartcommit.split import engine, ignoring
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.apply import Prepared, prepare
from smartcommit.split.checkout import check_commits
from smartcommit.split.engine import describe
from smartcommit.split.index_rest import check_staged
from smartcommit.split.outcome import CANCELLED, DONE, Out, SplitResult
from smartcommit.split.plan import PlannedCommit, SplitPlan, list_units, place_units
from smartcommit.split.plan_file import describe_plan, print_plan
from smartcommit.split.review.questions import choose_plan, review, wants_all, wants_ignored
from smartcommit.split.review.render import FILES
from smartcommit.split.review.session import Session, refine
from smartcommit.split.source import EMBEDDED, MODEL, EngineOptions, Source, SplitOptions
from smartcommit.split.unwanted import take_screened_snapshot
from smartcommit.split.words import Words, Write, cut_lines
from smartcommit.state_files import replace_file
from smartcommit.terminal import Terminal, format_error
from smartcommit.waiting import announce_if_slow

# The reviewed plan of a split that failed.
_REVIEWED = "reviewed-plan.json"
# Takes another snapshot, of the working tree as it is by then.
Retake = Callable[[], tuple[Snapshot, Sequence[SuspectFile]]]
# Returns how other refs move with commits, and what the user is told of it.
FindMoves = Callable[[Prepared], tuple[list[RefMove], list[str]]]


class PlanMaker(Protocol):
    """Makes plans, or None if there is nothing to commit: new ones, and those of plan files; raises what stops it."""

    @property
    def reader(self) -> ChangeReader: ...
    def make(self, choice: EngineOptions) -> SplitPlan | None: ...
    def read(self, written: SplitPlan) -> SplitPlan | None: ...


class Publisher(Protocol):
    """Makes commits the user's, and returns them as they are then; says how to undo that, and what it would do."""

    @property
    def undo_hint(self) -> str: ...
    def publish(self, prepared: Prepared) -> Prepared: ...
    def name_commit(self, commit: str) -> str: ...
    def describe_move(self, prepared: Prepared) -> str: ...


def split(repository: Repository, *, options: SplitOptions, terminal: Terminal | None, complain: Out) -> SplitResult:
    """Split the working tree's changes, as `options` say.

    The user reviews the plan at `terminal`. Without one the plan is applied with the option `yes`, and otherwise only
    made. `complain` is called with progress and warnings, one or more lines at a time. SIGTERM and SIGHUP raise
    SystemExit after cleaning up.

    Raise one of EXPECTED if a model that was asked for failed, or if git or the repository's state stops it.
    """
    if options.yes or not (options.dry_run or options.json or options.show_prompt):
        check_not_jj(repository.worktree)
    refuse_if_interrupted(repository)

    def take(stack: ExitStack) -> tuple[Snapshot, Sequence[SuspectFile]]:
        """Take a snapshot that lasts as long as `stack`, in the place of the one before."""
        stack.close()
        return stack.enter_context(take_screened_snapshot(repository, options))

    with exit_on_signals(), ExitStack() as stack:
        with announce_if_slow("reading the changes", None if options.silent else complain):
            snapshot, suspects = take(stack)
        if terminal is not None and options.plan is None and wants_all(suspects, terminal):
            options = replace(options, include_secrets=True, include_suspects=True)
            snapshot, suspects = take(stack)
        is_all = not options.staged and options.plan is None and options.paths is None
        source = Source(snapshot, suspects, options, terminal, complain=complain)
        return make_flow(source, retake=partial(take, stack) if is_all else None).run()


def check_not_jj(directory: str) -> None:
    """Raise SplitError in a jj repository: commits made with git would leave jj's change and its plan behind."""
    if is_workspace(directory):
        raise SplitError(
            "this is a jj repository: commits made with git would leave jj's change behind",
            hint="run 'smartcommit split', which leaves it to jj to make the commits",
        )


def make_flow(
    source: Source,
    publisher: Publisher | None = None,
    *,
    said: Mapping[str, str] | None = None,
    retake: Retake | None = None,
) -> Flow:
    """Return the flow that splits an uncommitted change, published by git unless another `publisher` is given.

    `said` is what the author said of the change, by its origin; `retake` is as in Flow.
    """
    publisher = publisher or GitPublisher()
    words = Words(source, publisher.name_commit)
    snapshot, settings = source.snapshot, source.settings
    purpose = make_purpose(snapshot.repository, settings, snapshot.branch or "", base=snapshot.base, said=said or {})
    planner = ChangePlanner(source, words, ChangeReader(snapshot, settings, purpose))
    command = "git smart-commit --staged" if snapshot.staged else "git smart-commit"
    return Flow(source, planner, words, partial(prepare, snapshot), publisher, command, retake=retake)


@dataclass
class Flow:
    """One split, put together of its parts.

    `command` is what makes its commits on the command line. `claims` are what messages say and their commits do not
    show, once these were written. `retake` is there if the change is all of the working tree.
    """

    source: Source
    planner: PlanMaker
    words: Words
    write: Write
    publisher: Publisher
    command: str
    claims: list[str] = field(default_factory=list)
    retake: Retake | None = None

    def run(self) -> SplitResult:
        return replace(self._run(), warnings=self.source.snapshot.run.warnings)

    def _run(self) -> SplitResult:
        source, options, terminal = self.source, self.source.options, self.source.terminal
        if options.show_prompt:
            source.warn()
            prompt = engine.show_prompt(self.planner.reader, options.choice, source.suspects)
            if prompt is None:
                return self.words.report_nothing()
            return SplitResult(DONE, [prompt])
        plan = self.plan()
        if plan is None:
            return self.words.report_nothing()
        self._save(plan)
        if terminal is None:
            # The plan is final, or shown to a person, unless it is printed to be edited.
            if options.yes or not options.json or (options.dry_run and options.plan is not None):
                self.words.check(plan)
            if not options.yes:
                if source.snapshot.composed is not None:
                    check_staged(source.snapshot.composed, plan)
                return self._show(plan)
            source.warn()
            return self._execute(plan)
        _ = source.identity  # raises what would stop the commits before the user works on them
        with ExitStack() as on_cancel:
            plan = self._offer_patterns(plan, terminal, on_cancel)
            reviewed = self._review(plan, terminal)
            if reviewed is None:
                return SplitResult(CANCELLED, source.unless_quiet(["cancelled: nothing was changed"]))
            on_cancel.pop_all()
        self._save(reviewed)
        with ExitStack() as on_failure:
            on_failure.callback(self._keep, reviewed)
            return self._execute(reviewed, on_failure)

    def plan(self) -> SplitPlan | None:
        """Return the plan that the options ask for, or None if there is nothing to commit; raise what stops it."""
        options = self.source.options
        if options.plan is not None:
            return self.planner.read(options.plan)
        return self.planner.make(options.choice)

    def prepare(self, plan: SplitPlan) -> Prepared:
        """Write the commits of the plan, and run what the options ask to run on each; raise what stops it."""
        plan = self.words.finish(plan, self.write)
        prepared = self.write(plan, self.source.identity)
        self.claims += self.words.compare(prepared)
        source = self.source
        if source.options.check is not None:
            report = source.progress or (lambda line: None)
            check_commits(prepared, source.options.check, report=report, complain=source.complain)
        return prepared

    def _execute(self, plan: SplitPlan, on_failure: ExitStack | None = None) -> SplitResult:
        """Create the commits, after which there is nothing to do `on_failure`."""
        source, publisher = self.source, self.publisher
        with self._announce_writing(plan):
            prepared = publisher.publish(self.prepare(plan))
        if on_failure is not None:
            on_failure.pop_all()
        lines = [*self.words.report(prepared), publisher.undo_hint]
        if plan.gitignore:
            lines.append(f"suggested for .gitignore: {printable(', '.join(plan.gitignore))}")
        document = None
        if source.options.json:
            document = describe_plan(prepared.plan, self.words.list_created(prepared))
        return SplitResult(DONE, source.unless_quiet(lines), document, done="the commits were created")

    def _announce_writing(self, plan: SplitPlan) -> AbstractContextManager[None]:
        # A check reports each commit itself.
        report = None if self.source.options.check is not None else self.source.progress
        return announce_if_slow(f"creating {format_count(len(plan.commits), 'commit')}", report)

    def _show(self, plan: SplitPlan) -> SplitResult:
        """Return the plan and, for a dry run, the commits it would make; the check still runs."""
        source, options = self.source, self.source.options
        prepared = None
        if options.dry_run or options.check is not None:
            with self._announce_writing(plan):
                prepared = self.prepare(plan)
            if options.dry_run:
                plan = prepared.plan
        if options.json:
            return SplitResult(DONE, plan=describe_plan(plan))
        shown = self.words.show(plan)
        if prepared is not None and options.dry_run:
            lines = [shown, f"nothing was changed; --yes would {self.publisher.describe_move(prepared)}"]
            return SplitResult(DONE, source.unless_quiet(lines))
        if source.for_agent:
            shown = "\n".join(cut_lines(shown.split("\n")))
        last = "nothing was changed; run again with '--yes' to create these commits"
        return SplitResult(CANCELLED, [shown, *self.words.announce(), last])

    def _offer_patterns(self, plan: SplitPlan, terminal: Terminal, on_cancel: ExitStack) -> SplitPlan:
        """Return `plan`, with what a model suggests for `.gitignore` as a part of the change if the user agrees.

        It is written to the working tree, and taken back `on_cancel`, or when the split is undone.
        """
        source = self.source
        if self.retake is None or not plan.gitignore or not ignoring.can_add(source.snapshot, plan):
            return plan
        if not wants_ignored(plan.gitignore, terminal):
            return replace(plan, gitignore=())
        added = ignoring.add(source.snapshot.repository.worktree, plan.gitignore)
        on_cancel.callback(added.take_back)
        self._go_on_with(*self.retake())
        added.note(source.snapshot.run)
        reader = self.planner.reader
        change = reader.select(reader.cut_as(plan), source.suspects)
        groups = place_units(plan, change.units)
        commits = []
        new = [unit for unit in change.units if unit.change.path == ignoring.PATH]
        if new and not any(new[0] in group for group in groups):
            commits.append(self._describe(new))
        for commit, units in zip(plan.commits, groups, strict=True):
            if units:
                commits.append(replace(commit, units=tuple(units)))
        renewed = engine.make_plan(reader, change, commits, engine=plan.engine, issues=plan.issues)
        paths_left = group_by_path(list_units(plan.commits)).keys() - group_by_path(list_units(commits))
        for path in sorted(paths_left)[:FILES]:
            terminal.write(f"not included: {printable(os.fsdecode(path))} (ignored by now)\n")
        return replace(renewed, warnings=source.suspects, usage=plan.usage)

    def _go_on_with(self, snapshot: Snapshot, suspects: Sequence[SuspectFile]) -> None:
        """Let all parts that know a snapshot know this one instead."""
        self.source.snapshot, self.source.suspects = snapshot, tuple(suspects)
        reader = ChangeReader(snapshot, self.source.settings, self.planner.reader.purpose)
        self.planner = ChangePlanner(self.source, self.words, reader)
        self.write = partial(prepare, snapshot)

    def _review(self, plan: SplitPlan, terminal: Terminal) -> SplitPlan | None:
        """Return what the user makes of the plan, or None if they quit."""
        source, reader = self.source, self.planner.reader
        terminal.write(self.words.introduce(plan))
        if plan.alternative is not None:
            chosen = choose_plan(plan, plan.alternative, terminal)
            if chosen is None:
                return None
            plan = chosen
        choice = source.options.choice
        notes = self.words.announce()
        if plan.failure is not None:
            notes.append(plan.failure)
        said = "\n".join(notes)
        while True:
            # A person may divide what the plan has whole.
            plan = refine(plan, reader.cut_as(plan))
            session = Session(plan, rules=self.words.rules, describe=self._describe, contents=reader.contents)
            can_replan = bool(plan.usage) and plan.engine != EMBEDDED
            repository = source.snapshot.repository
            if review(session, terminal, repository, source.settings, can_replan=can_replan, said=said):
                # The user has decided on the number of commits.
                return replace(session.plan, confidence=None, alternative=None)
            if not session.wish:
                return None
            plan, said = session.plan, ""
            instructions = "\n".join(part for part in (choice.instructions, session.wish) if part)
            try:
                plan = self.planner.make(replace(choice, engine=MODEL, instructions=instructions)) or plan
            except (LLMError, AgentError, Cancelled) as error:
                said = format_error(error)
                terminal.write(f"{said}\n")

    def _describe(self, units: Sequence[Unit]) -> PlannedCommit:
        commit = describe(self.planner.reader, units)
        return replace(commit, message=self.words.complete(commit.message))

    def _save(self, plan: SplitPlan) -> None:
        path = self.source.options.save_plan
        if path is not None:
            replace_file(path, print_plan(plan).encode())

    def _keep(self, plan: SplitPlan) -> None:
        """Save the reviewed plan, which cannot be applied: the user has worked on it."""
        git_dir = self.source.snapshot.repository.git_dir
        if state_files.save(git_dir, _REVIEWED, print_plan(plan).encode()):
            command = f"{self.command} --plan {shlex.quote(state_files.find_path(git_dir, _REVIEWED))}"
            if self.source.options.paths is not None:
                command += f" -- {shlex.join(self.source.options.paths.words)}"
            self.source.complain(f"your plan was saved; to apply it: {command}")


class GitPublisher:
    """Moves HEAD to the commits, and other refs as `find_moves` says."""

    undo_hint = "to undo: git smart-commit undo"

    def __init__(self, find_moves: FindMoves = lambda prepared: ([], [])) -> None:
        self._find_moves = find_moves

    def publish(self, prepared: Prepared) -> Prepared:
        moves, notes = self._find_moves(prepared)
        prepared.publish(moves)
        return replace(prepared, notes=(*prepared.notes, *notes))

    def name_commit(self, commit: str) -> str:
        return commit[:10]

    def describe_move(self, prepared: Prepared) -> str:
        old, new = prepared.snapshot.head, prepared.all_commits[-1]
        if old is None:
            return f"make {new} the first HEAD"
        return f"move HEAD from {old} to {new}"


class ChangePlanner:
    """Makes the plan that the options ask for: with an engine, for one commit, or of a plan file."""

    def __init__(self, source: Source, words: Words, reader: ChangeReader) -> None:
        self.reader = reader
        self._source = source
        self._words = words

    def make(self, choice: EngineOptions) -> SplitPlan | None:
        source, message = self._source, self._source.options.message
        # A model's own progress is logged.
        asks_model = message is None and choice.asks_model(source.settings)
        with announce_if_slow("planning", None if asks_model else source.progress):
            if message is not None:
                plan = engine.make_single(self.reader, message, source.suspects)
            else:
                plan = engine.make(
                    self.reader, choice,
                    terminal=source.terminal, report=self._complain_safely, log=self._log, suspects=source.suspects,
                )  # fmt: skip
        if plan is None or not plan.commits:
            return None
        if plan.failure is not None:
            self._complain_safely(plan.failure)
        if choice.count is not None and len(plan.commits) < choice.count and plan.engine == EMBEDDED:
            parts = format_count(len(plan.commits), "part")
            source.complain(f"cannot make {format_count(choice.count, 'commit')}: the change has {parts} to separate")
        if plan.usage and source.progress is not None:
            requests = format_count(plan.usage["requests"], "request")
            source.progress(f"{requests}, {plan.usage['prompt']} input tokens, {plan.usage['output']} output tokens")
        return self._words.complete_plan(plan)

    def read(self, written: SplitPlan) -> SplitPlan | None:
        source, snapshot = self._source, self._source.snapshot
        change = self.reader.divide_as(written)
        if not change.units:
            return None
        plan = written.bind(change, base=snapshot.base, target=snapshot.target, staged=snapshot.staged)
        warnings = []
        for suspect in source.suspects:
            is_skipped = any(suspect.has(item.change.path) for item in plan.skipped)
            warnings.append(replace(suspect, left_out=suspect.left_out or is_skipped))
        source.suspects = tuple(warnings)
        return self._words.complete_plan(replace(plan, hides_untracked=snapshot.hides_untracked))

    def _log(self, line: str) -> None:
        # On a terminal a single line shows what is being done.
        if self._source.terminal is None and self._source.progress is not None:
            self._source.progress(printable(line))

    def _complain_safely(self, line: str) -> None:
        self._source.complain(printable(line))
