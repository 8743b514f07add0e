"""Runs one split, from snapshot to commits; shared by the command and the hook."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain

from smartcommit import config, state_files
from smartcommit.change.wording import format_count
from smartcommit.coding_agent import UNKNOWN, find_coding_agent
from smartcommit.config import make_rules
from smartcommit.draft.conform import find_ticket, fit_ticket
from smartcommit.errors import AgentError, Cancelled, ConfigError, GitError, LLMError, SplitError
from smartcommit.git.fast_import import Identity, read_identity
from smartcommit.git.grep import matches
from smartcommit.git.hunks import ChangeUnits, Unit
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.jj.run import is_workspace
from smartcommit.message.rules import ASSISTED_BY, ERROR
from smartcommit.message.trailers import Trailer
from smartcommit.signals import exit_on_signals
from smartcommit.split import engine
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.apply import Prepared, prepare
from smartcommit.split.checkout import check_commits
from smartcommit.split.debug_prints import find_debug_prints
from smartcommit.split.engine import EMBEDDED, MODEL, EngineOptions, SplitOptions, describe
from smartcommit.split.message_hooks import MessageHooks, add_change_ids, find_gerrit_hook
from smartcommit.split.messages import add_trailers, check_message, find_claims
from smartcommit.split.outcome import CANCELLED, DONE, NOTHING, Out, SplitResult
from smartcommit.split.plan import PlannedCommit, SplitPlan, SuspectFile, list_left_out
from smartcommit.split.plan_file import PlanResult, WrittenPlan, list_plan_files
from smartcommit.split.review.hunk_rows import read_moved_texts
from smartcommit.split.review.questions import ask_for_number, ask_for_other, choose_review, wants_all
from smartcommit.split.review.render import (
    HIDDEN,
    show_left_out,
    show_plan,
    show_skipped,
    show_staged_only,
    show_warnings,
)
from smartcommit.split.review.session import Session, refine
from smartcommit.split.review.text import ReplanRequested, ReviewCallbacks
from smartcommit.split.unwanted import drop_tracked, list_missing, take_screened_snapshot
from smartcommit.state_files import replace_file
from smartcommit.terminal import Terminal, format_error, printable
from smartcommit.waiting import announce_if_slow

# Lines of a plan for a coding agent, and of the output of a command that failed.
_AGENT_LINES, _OUTPUT_LINES = 12, 8
# The reviewed plan of a split that failed.
_REVIEWED = "reviewed-plan.json"


def split(
    repository: Repository,
    *,
    staged: bool,
    yes: bool,
    terminal: Terminal | None,
    complain: Out,
    options: SplitOptions,
) -> SplitResult:
    """Split the working tree's changes, or only what is `staged`.

    The user reviews the plan at `terminal`. Without one the plan is applied if `yes`, and otherwise only made. A plan
    file for staged changes is applied to these even without `staged`. `complain` is called with progress and warnings,
    one or more lines at a time. SIGTERM and SIGHUP raise SystemExit after cleaning up.

    Raise one of EXPECTED if a model that was asked for failed, or if git or the repository's state stops it.
    """
    if yes or not (options.dry_run or options.json or options.show_prompt):
        check_not_jj(repository.worktree)
    check_recovered(repository)
    staged = staged or (options.plan is not None and options.plan.plan.staged)
    planned = options.planned_paths
    taking = partial(
        take_screened_snapshot, repository, staged=staged, planned=planned, paths=options.paths,
        apart=list_plan_files(repository.worktree, options.plan_files, planned),
    )  # fmt: skip
    with exit_on_signals(), ExitStack() as stack:
        with announce_if_slow("reading the changes", None if options.silent else complain):
            snapshot, suspects = stack.enter_context(taking(include_secrets=options.include_secrets))
        if terminal is not None and options.plan is None and wants_all(suspects, terminal):
            stack.pop_all().close()
            snapshot, suspects = stack.enter_context(taking(include_secrets=True))
        return Flow(snapshot, suspects, options, terminal, complain=complain).run(yes=yes)


def check_not_jj(directory: str) -> None:
    """Raise SplitError in a jj repository: commits made with git would leave jj's change and its plan behind."""
    if is_workspace(directory):
        raise SplitError(
            "this is a jj repository: commits made with git would leave jj's change behind",
            hint="run 'smartcommit split', which leaves it to jj to make the commits",
        )


class Flow:
    """One split of one snapshot; `suspects` are files that nobody may have meant to commit.

    A subclass can make another plan (`plan`), other commits of it (`write`), and publish them elsewhere (`publish`).
    """

    def __init__(
        self,
        snapshot: Snapshot,
        suspects: Sequence[SuspectFile],
        options: SplitOptions,
        terminal: Terminal | None,
        *,
        complain: Out,
    ) -> None:
        self._snapshot = snapshot
        self._suspects = tuple(suspects)
        self._options = options
        self._terminal = terminal
        self._complain = complain
        self._progress = None if options.silent else complain
        given = {"split-hooks": options.run_hooks}
        self._settings = config.load(snapshot.repository.worktree, arguments=given, listing=snapshot.config)
        self._analyzer = GitAnalyzer(snapshot, self._settings)
        self._rules = make_rules(self._settings, finished=True)
        self._agent = find_coding_agent(self._settings.text("coding-agent"))
        # What messages say and their commits do not show.
        self.claims: list[str] = []

    def run(self, *, yes: bool) -> SplitResult:
        """Run the split to its end."""
        return replace(self._run(yes=yes), warnings=self._snapshot.run.warnings)

    def _run(self, *, yes: bool) -> SplitResult:
        options = self._options
        if options.show_prompt:
            return self._show_prompt()
        made = self.plan()
        if made is None:
            return self._report_nothing()
        self._save(made)
        tried = options.dry_run and options.plan is not None
        if self._terminal is None and (yes or tried or not options.json):
            # The user will not review the messages.
            self.check_messages(made)
        if self._terminal is not None:
            return self._review_and_execute(made, self.identity, self._terminal)
        if yes:
            return self._execute(made, self.identity)
        return self._show(made, self.identity)

    def plan(self) -> PlanResult | None:
        """Return the plan that the options ask for, or None if there is nothing to commit; raise what stops it."""
        options = self._options
        if options.plan is not None:
            return self._read(options.plan)
        if options.message is not None:
            return self._make_single(options.message)
        return self._make(options.choice)

    def check_messages(self, made: PlanResult, **advice: str) -> None:
        """Raise SplitError, with `advice` if given, if a message of the plan breaks one of the project's rules."""
        for commit in made.plan.commits:
            check_message(commit.message, self._rules, **advice)

    def prepare(self, made: PlanResult, identity: Identity) -> Prepared:
        """Write the commits of the plan, run what the options ask to run on each, and return them to be published.

        Raise what stops it; nothing of the user's has changed.
        """
        finished = self._finish(made)
        prepared = self.write(finished.plan, made.change, identity)
        self._compare(prepared)
        self._check(prepared)
        return prepared

    def write(self, plan: SplitPlan, change: ChangeUnits, identity: Identity) -> Prepared:
        """Write and verify the commits of `plan`; raise as `apply.prepare` does."""
        return prepare(self._snapshot, plan, change, identity)

    def publish(self, prepared: Prepared) -> Prepared:
        """Make the commits the user's, and return them; raise as `transaction.publish` does."""
        prepared.publish()
        return prepared

    def name_commit(self, commit: str) -> str:
        """Return how the commit is called in the report."""
        return commit[:10]

    @property
    def command(self) -> str:
        """The command for these commits, without options on the plan."""
        return "git smart-commit --staged" if self._snapshot.staged else "git smart-commit"

    def _repeat(self, options: str) -> str:
        """Return the command for these commits with more `options`."""
        words = [self.command, options]
        if self._options.paths is not None:
            words += ["--", shlex.join(self._options.paths.words)]
        return " ".join(words)

    @property
    def _is_session(self) -> bool:
        """Whether the change is what a coding agent's session has made."""
        return self._snapshot.composed is not None and self._options.paths is None

    def show(self, made: PlanResult) -> str:
        """Return the plan in words for the user."""
        return show_plan(made.plan, made.change.units, made.states)

    @property
    def undo_hint(self) -> str:
        """How to undo the commits, in words for the user."""
        return "to undo: git smart-commit undo"

    def describe_move(self, prepared: Prepared) -> str:
        """Return what publishing would do."""
        old, new = self._snapshot.head, prepared.commits[-1].commit
        return f"move HEAD from {old} to {new}" if old else f"make {new} the first HEAD"

    def _compare(self, prepared: Prepared) -> None:
        """Compare the messages that somebody gave with their commits; raise SplitError if the rules forbid a claim."""
        if self._options.plan is None and self._options.message is None:
            return
        for_agent = self._agent is not None or self._is_session
        rules = make_rules(self._settings, finished=True, for_agent=for_agent)
        for subject, violation in find_claims(prepared, rules):
            about = f"'{subject}': {violation.text}"
            if violation.level == ERROR:
                raise SplitError(f"the message {about}", hint="correct the message: the change does not show it")
            self.claims.append(about)
            self._complain_safely(f"warning: {about}")

    @cached_property
    def identity(self) -> Identity:
        """Who commits; raise GitError if git does not know."""
        return read_identity(self._snapshot.repository, self._snapshot.config)

    @cached_property
    def _hooks(self) -> MessageHooks:
        """The repository's own hooks that the user wants to be run."""
        return MessageHooks(self._snapshot.run.repository, self._settings.words("split-hooks"))

    @cached_property
    def _gerrit_hook(self) -> str | None:
        """The text of Gerrit's hook if each commit gets a Change-Id without running it."""
        if "commit-msg" in self._hooks.names:
            return None
        return find_gerrit_hook(self._snapshot.run.repository, self._snapshot.config)

    def _announce_hooks(self) -> list[str]:
        """Return lines that say what the repository's own hooks will do to the messages."""
        lines = [f"the hook '{name}' will be run on each message" for name in self._hooks.names]
        if self._gerrit_hook is not None:
            lines.append("each commit will get a Change-Id, as from Gerrit's hook")
        return lines

    def _finish(self, made: PlanResult) -> PlanResult:
        """Return the plan with what the repository's own hooks make of its messages."""
        plan = made.plan
        if self._hooks.names:
            unsigned = replace(self.identity, signed=False)
            drafts = self.write(plan, made.change, unsigned)
            plan = self._hooks.run(drafts, unsigned, self._rules, self._complain)
        if self._gerrit_hook is not None:
            plan = add_change_ids(plan, self._gerrit_hook, self._snapshot.config, self.identity)
        if plan == made.plan:
            return made
        return replace(made, plan=plan)

    @cached_property
    def _ticket(self) -> Trailer:
        """The ticket that the project requires: as given, named by the branch, or asked for; empty if unknown."""
        pattern = self._rules.ticket or ""
        name = self._options.ticket
        if name is None:
            found = find_ticket(self._snapshot.branch or "", pattern)
            if found.value or self._terminal is None:
                return found
            name = self._terminal.ask(f"ticket of these commits, which matches '{printable(pattern)}': ")
            if not name:
                return found
        fitting = fit_ticket(name, pattern)
        if fitting is None:
            raise ConfigError(
                f"the ticket '{name}' does not match '{pattern}'", hint="give it as the project writes it"
            )
        return fitting

    def _complete(self, message: str) -> str:
        """Return `message` with the trailers that the project or the user wants in every commit."""
        trailers = []
        pattern = self._rules.ticket
        if self._options.ticket or (pattern and not matches(pattern, message)):
            trailers.append(self._ticket)
        if self._rules.sign_off or self._options.sign_off:
            trailers.append(Trailer("Signed-off-by", self.identity.sign_off))
        if self._agent not in (None, UNKNOWN) and self._rules.attribution == ASSISTED_BY:
            trailers.append(Trailer("Assisted-by", self._agent))
        return add_trailers(message, trailers)

    def _complete_plan(self, plan: SplitPlan) -> SplitPlan:
        """Return `plan` with complete messages, and with the warnings about this change."""
        commits = []
        for commit in plan.commits:
            commits.append(replace(commit, message=self._complete(commit.message)))
        return replace(plan, commits=tuple(commits), warnings=self._suspects)

    def _show_prompt(self) -> SplitResult:
        self._warn()
        prompt = engine.show_prompt(self._analyzer, self._options.choice, self._suspects)
        return self._report_nothing() if prompt is None else SplitResult(DONE, [prompt])

    def _read(self, written: WrittenPlan) -> PlanResult | None:
        """Return the plan of a plan file, or None if nothing changed; raise as `WrittenPlan.bind` does."""
        snapshot = self._snapshot
        change = self._analyzer.divide_as(written)
        if not change.units:
            return None
        plan = written.bind(change.units, base=snapshot.base, target=snapshot.target, staged=snapshot.staged)
        warnings = []
        for suspect in self._suspects:
            is_skipped = any(map(suspect.has, plan.skipped))
            warnings.append(replace(suspect, left_out=suspect.left_out or is_skipped))
        self._suspects = tuple(warnings)
        plan = replace(plan, hides_untracked=snapshot.hides_untracked)
        return PlanResult(self._complete_plan(plan), change)

    def _make(self, choice: EngineOptions) -> PlanResult | None:
        """Return the plan that the engine makes, or None if there is nothing to commit."""
        asked = choice.asks_model(self._settings)
        with announce_if_slow("planning", None if asked else self._progress):
            self._leave_out_debug_prints()
            made = engine.make(
                self._analyzer, choice,
                terminal=self._terminal, report=self._complain_safely, log=self._log, suspects=self._suspects,
            )  # fmt: skip
        if made is None or not made.plan.commits:
            return None
        if made.failure is not None:
            self._complain_safely(made.failure)
        if choice.count is not None and len(made.plan.commits) < choice.count and made.plan.engine == EMBEDDED:
            parts = format_count(len(made.plan.commits), "part")
            self._complain(f"cannot make {format_count(choice.count, 'commit')}: the change has {parts} to separate")
        if made.usage and self._progress is not None:
            requests = format_count(made.usage["requests"], "request")
            self._progress(f"{requests}, {made.usage['prompt']} input tokens, {made.usage['output']} output tokens")
        return replace(made, plan=self._complete_plan(made.plan))

    def _make_single(self, message: str) -> PlanResult | None:
        """Return the plan of one commit with `message`, or None if there is nothing to commit."""
        self._leave_out_debug_prints()
        made = engine.make_single(self._analyzer, message, self._suspects)
        if made is None:
            return None
        return replace(made, plan=self._complete_plan(made.plan))

    def _leave_out_debug_prints(self) -> None:
        """Add hunks to the suspects that are debug prints, if the change is one of the index or working tree."""
        snapshot = self._snapshot
        if self._options.include_secrets or snapshot.is_committed or self._is_session:
            return
        known = {suspect.path for suspect in self._suspects}
        diffs = [diff for diff in self._analyzer.files.diffs if diff.change.path not in known]
        self._suspects += tuple(find_debug_prints(snapshot.repository, diffs))

    def _log(self, line: str) -> None:
        # On a terminal a single line shows what is being done.
        if self._terminal is None and self._progress is not None:
            self._progress(printable(line))

    def _complain_safely(self, line: str) -> None:
        self._complain(printable(line))

    def _review_and_execute(self, made: PlanResult, identity: Identity, terminal: Terminal) -> SplitResult:
        for line in self._announce_hooks():
            terminal.write(f"{line}\n")
        agreed = self._choose(made, terminal)
        if agreed is not None:
            agreed = self._review(agreed, terminal)
        if agreed is None:
            return SplitResult(CANCELLED, self._unless_quiet(["cancelled: nothing was changed"]))
        self._save(agreed)
        return self._execute(agreed, identity, terminal)

    def _choose(self, made: PlanResult, terminal: Terminal) -> PlanResult | None:
        """Return `made`, or its alternative if the user prefers that one, or None if they quit.

        If there is no alternative, the user is not asked.
        """
        if made.alternative is None:
            return made
        if made.plan.other is not None:
            terminal.write(f"{show_plan(replace(made.plan, other=None), made.change.units)}\n")
            chosen = ask_for_other(made.plan.other, terminal)
        else:
            chosen = ask_for_number(made, made.alternative, terminal)
        if chosen is None:
            return None
        if chosen:
            return replace(made.alternative, plan=self._complete_plan(made.alternative.plan))
        return made

    def _review(self, made: PlanResult, terminal: Terminal) -> PlanResult | None:
        """Return what the user makes of the plan, or None if they quit."""
        notes = self._announce_hooks()
        if made.failure is not None:
            notes.append(made.failure)
        said = "\n".join(notes)
        choice = self._options.choice
        while True:
            try:
                return self._review_once(made, terminal, said)
            except ReplanRequested as again:
                made, said = replace(made, plan=again.plan), ""
                instructions = "\n".join(filter(None, (choice.instructions, again.instructions)))
                try:
                    made = self._make(replace(choice, engine=MODEL, instructions=instructions)) or made
                except (LLMError, AgentError, Cancelled) as error:
                    said = format_error(error)
                    terminal.write(f"{said}\n")

    def _review_once(self, made: PlanResult, terminal: Terminal, said: str) -> PlanResult | None:
        """Return what the user makes of the plan, hunk by hunk, or None if they quit; may raise ReplanRequested."""
        analyzer = self._analyzer
        change = analyzer.cut_as(made.plan)
        moved = read_moved_texts(analyzer.repository, change)

        def describe_again(units: Sequence[Unit]) -> str:
            return self._complete(describe(analyzer, units))

        def criticize(commits: Sequence[PlannedCommit]) -> str:
            said = engine.criticize(analyzer, session.change, commits, terminal=self._terminal)
            return said or "the model found no problems with these commits"

        session = Session(refine(made.plan, change), change, rules=self._rules, describe=describe_again, moved=moved)
        callbacks = ReviewCallbacks(said=said)
        if made.usage and made.plan.engine != EMBEDDED:
            callbacks = replace(callbacks, critique=criticize, reclassify=True)
        review = choose_review(self._settings)(session, terminal, self._snapshot.repository, callbacks)
        if not review.run():
            return None
        # The user has decided on the number of commits.
        return PlanResult(replace(session.plan, confidence=None, other=None), session.change)

    def _keep(self, agreed: PlanResult) -> None:
        """Save the reviewed plan, which cannot be applied: the user has worked on it."""
        git_dir = self._snapshot.repository.git_dir
        if state_files.save(git_dir, _REVIEWED, _encode(agreed)):
            place = shlex.quote(state_files.path(git_dir, _REVIEWED))
            self._complain(f"your plan was saved; to apply it: {self._repeat(f'--plan {place}')}")

    def _show(self, made: PlanResult, identity: Identity) -> SplitResult:
        """Return the plan and, for a dry run, the commits it would make; the check still runs."""
        prepared = None
        if self._options.dry_run or self._options.check is not None:
            with self._announce_writing(made):
                prepared = self.prepare(made, identity)
            if self._options.dry_run:
                made = replace(made, plan=prepared.plan)
        if self._options.json:
            return SplitResult(DONE, plan=made.describe())
        shown = self.show(made)
        if prepared is not None and self._options.dry_run:
            lines = [shown, f"nothing was changed; --yes would {self.describe_move(prepared)}"]
            return SplitResult(DONE, self._unless_quiet(lines))
        last = "nothing was changed; run again with '--yes' to create these commits"
        if self._agent is not None:
            shown, last = "\n".join(_cut_lines(shown.split("\n"))), f"next: {self._repeat('--yes')}"
        return SplitResult(CANCELLED, [shown, *self._announce_hooks(), last])

    def _execute(self, made: PlanResult, identity: Identity, terminal: Terminal | None = None) -> SplitResult:
        """Create the commits; if that fails, save a plan that was reviewed at `terminal`."""
        if terminal is None:
            self._warn()
        with ExitStack() as on_failure, self._announce_writing(made):
            if terminal is not None:
                on_failure.callback(self._keep, made)
            prepared = self.prepare(made, identity)
            prepared = self.publish(prepared)
            on_failure.pop_all()
        lines = self.report(prepared)
        patterns = self.list_patterns(made.plan.gitignore)
        if patterns:
            lines.append(f"suggested for .gitignore: {printable(', '.join(patterns))}")
        # pre-commit restores the unstaged changes afterwards, and would overwrite the file.
        addable = [] if self._snapshot.staged else patterns
        plan = None
        if self._options.json:
            plan = replace(made, plan=prepared.plan).describe(self.list_created(prepared))
        return SplitResult(DONE, self._unless_quiet(lines), plan, addable, done="the commits were created")

    def _announce_writing(self, made: PlanResult) -> AbstractContextManager[None]:
        # A check reports each commit itself.
        report = None if self._options.check is not None else self._progress
        return announce_if_slow(f"creating {format_count(len(made.plan.commits), 'commit')}", report)

    def _check(self, prepared: Prepared) -> None:
        if self._options.check is not None:
            report = self._progress or (lambda line: None)
            complain = self._complain
            if self._agent is not None:
                complain = partial(_complain_briefly, complain)
            check_commits(prepared, self._options.check, report=report, complain=complain)

    def _report_nothing(self) -> SplitResult:
        lines = ["nothing to split"]
        if self._snapshot.staged and not list_left_out(self._suspects):
            lines = ["nothing staged"]
        if self._snapshot.hides_untracked:
            lines.append(HIDDEN)
        self._warn()
        return SplitResult(NOTHING, self._unless_quiet(lines))

    def _warn(self) -> None:
        """Print the warnings if no plan is shown that has them."""
        for line in show_warnings(self._suspects):
            self._complain(line)

    def _save(self, made: PlanResult) -> None:
        if self._options.save_plan is not None:
            replace_file(self._options.save_plan, _encode(made))

    def list_created(self, prepared: Prepared) -> list[str]:
        """Return the name of the commit that has the changes of each commit of the plan."""
        return [written.commit for written in prepared.commits]

    def report(self, prepared: Prepared) -> list[str]:
        """Return what was done, in words for the user."""
        plan = prepared.plan
        lines = []
        for written, title in zip(prepared.commits, prepared.titles, strict=True):
            lines.append(f"{self.name_commit(written.commit)} {printable(title)}")
        lines += chain(show_left_out(plan), show_skipped(plan), show_staged_only(prepared.staged_only))
        if self._agent is not None:
            lines = _cut_lines(lines)
        if len(prepared.commits) == 1 and not plan.skipped:
            lines.append("one commit: the change stays together")
        return [*lines, self.undo_hint]

    def list_patterns(self, patterns: Sequence[str]) -> list[str]:
        """Return the suggested `patterns` that `.gitignore` lacks."""
        worktree = self._snapshot.repository.worktree
        # The snapshot's own repository reads a copy of the index, which is gone by now. The commits are made: a failure
        # must not hide that.
        with suppress(GitError, OSError):
            new = list_missing(worktree, patterns)
            return drop_tracked(Repository.find(worktree), new) if new else []
        return []

    def _unless_quiet(self, lines: list[str]) -> list[str]:
        return [] if self._options.quiet else lines


def _encode(made: PlanResult) -> bytes:
    """Return the content of a plan file, which people edit."""
    return f"{json.dumps(made.describe(), indent=2)}\n".encode()


def _cut_lines(lines: Sequence[str]) -> list[str]:
    """Return the first of `lines`, and how many more there are: what a coding agent reads fills its context."""
    if len(lines) <= _AGENT_LINES:
        return list(lines)
    return [*lines[:_AGENT_LINES], f"... and {len(lines) - _AGENT_LINES} more lines; '--json' prints all"]


def _complain_briefly(complain: Out, text: str) -> None:
    """Print the first line of `text`, which says what failed, and the end of the output below it."""
    first, *output = text.split("\n")
    complain("\n".join([first, *output[-_OUTPUT_LINES:]]))
