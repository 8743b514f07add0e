"""`Words`: what the messages of a split say, and what the user is told of it."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from functools import cached_property

from smartcommit.claims.compare import find_violations
from smartcommit.claims.ranges import read_changes
from smartcommit.config import make_rules
from smartcommit.draft.tickets import find_ticket, fit_ticket
from smartcommit.errors import ConfigError, SplitError
from smartcommit.git.fast_import import Identity
from smartcommit.git.grep import matches
from smartcommit.message.characters import printable
from smartcommit.message.checks import find_errors
from smartcommit.message.parse import add_trailers, parse
from smartcommit.message.rules import ERROR, Rules, fill_message
from smartcommit.message.trailers import Trailer
from smartcommit.split.apply import Prepared
from smartcommit.split.message_hooks import MessageHooks, has_gerrit_hook
from smartcommit.split.outcome import NOTHING, SplitResult
from smartcommit.split.plan import SplitPlan, clean_message, list_left_out
from smartcommit.split.review import render
from smartcommit.split.source import Source

# What to do about the message of a plan that breaks a rule.
_EDITING = "save the plan with '--save-plan FILE', edit it and apply it with '--plan FILE', or change the policy"
# Lines of a plan for a coding agent.
_AGENT_LINES = 12

Write = Callable[[SplitPlan, Identity], Prepared]


class Words:
    """The words of a split of `source`; `name_commit` returns how a commit is called, and `rules` are for its message.

    Messages that are `kept` stay as they are. `nothing` says what it means that there is nothing to commit.
    """

    def __init__(
        self,
        source: Source,
        name_commit: Callable[[str], str],
        *,
        rules: Rules | None = None,
        kept: Container[str | None] = (),
        nothing: str = "",
    ) -> None:
        self._source = source
        self._name_commit = name_commit
        self._kept = kept
        self._nothing = nothing
        self.rules = rules or make_rules(source.settings, finished=True)

    def complete(self, message: str) -> str:
        """Return `message` with the trailers that the project or the user wants in every commit."""
        source = self._source
        trailers = []
        pattern, form, name = self.rules.ticket, self.rules.header_form, ""
        if source.options.ticket or (pattern and not matches(pattern, message)):
            trailers.append(self._ticket)
        if trailers and "{ticket}" in form and self._ticket.value:
            name = trailers.pop().value
        if self.rules.sign_off or source.options.sign_off:
            trailers.append(Trailer("Signed-off-by", source.identity.sign_off))
        return add_trailers(fill_message(message, form, name), trailers)

    def complete_plan(self, plan: SplitPlan) -> SplitPlan:
        """Return `plan` with complete messages, and with the warnings about this change."""
        commits = []
        for commit in plan.commits:
            message = commit.message
            if clean_message(message) not in self._kept:
                message = self.complete(message)
            commits.append(replace(commit, message=message))
        alternative = plan.alternative
        if alternative is not None:
            alternative = self.complete_plan(alternative)
        return replace(plan, commits=tuple(commits), warnings=self._source.suspects, alternative=alternative)

    @cached_property
    def _ticket(self) -> Trailer:
        """The ticket that the project requires: as given, named by the branch, or asked for; empty if unknown."""
        source, pattern = self._source, self.rules.ticket or ""
        name = source.options.ticket
        if name is None:
            ticket = find_ticket(source.snapshot.branch or "", pattern, self.rules.header_form)
            if ticket.value or source.terminal is None:
                return ticket
            name = source.terminal.ask(f"ticket of these commits, which matches '{printable(pattern)}': ")
            if not name:
                return ticket
        fitting = fit_ticket(name, pattern, self.rules.header_form)
        if fitting is None:
            raise ConfigError(
                f"the ticket '{name}' does not match '{pattern}'", hint="give it as the project writes it"
            )
        return fitting

    def check(self, plan: SplitPlan, *, advice: str = _EDITING) -> None:
        """Raise SplitError, with `advice` unless its ticket is missing, if `commit-msg` would reject a message."""
        for commit in plan.commits:
            for broken in find_errors(commit.message, self.rules, search=matches):
                if broken.code == "ticket":
                    advice = "give the ticket of these commits with '--ticket ID', or name the branch after it"
                raise SplitError(
                    f"the message '{commit.subject}' breaks rule '{broken.code}': {broken.text}",
                    hint=f"nothing was changed; {advice}",
                )

    @cached_property
    def _hooks(self) -> MessageHooks:
        """The hooks that are run on each message: those of the setting, or without one Gerrit's."""
        repository, settings = self._source.snapshot.run.repository, self._source.settings
        wanted = settings.words("split-hooks")
        if settings.source("split-hooks") == "default" and has_gerrit_hook(repository, self._source.snapshot.config):
            wanted = ("commit-msg",)
        return MessageHooks(repository, wanted)

    def announce(self) -> list[str]:
        return [f"the hook '{name}' will be run on each message" for name in self._hooks.names]

    def finish(self, plan: SplitPlan, write: Write) -> SplitPlan:
        """Return the plan with what the repository's own hooks make of its messages; `write` makes commits for them."""
        if not self._hooks.names:
            return plan
        unsigned = replace(self._source.identity, signed=False)
        return self._hooks.run(write(plan, unsigned), unsigned, self.rules, self._source.complain)

    def compare(self, prepared: Prepared) -> list[str]:
        """Return what messages that somebody gave say and their commits do not show; complain of it.

        Raise SplitError if the rules forbid such a claim, and GitError if git fails; one process at most.
        """
        source, snapshot = self._source, prepared.snapshot
        claims: list[str] = []
        if source.options.plan is None and source.options.message is None:
            return claims
        for_agent = source.for_agent or source.is_session
        rules = make_rules(source.settings, finished=True, for_agent=for_agent)
        if rules.is_off("claims"):
            return claims
        messages = {}
        for written, planned in zip(prepared.commits, prepared.plan.commits, strict=True):
            messages[written.commit] = planned
        tip = prepared.commits[-1].commit
        revisions = f"{snapshot.base}..{tip}" if snapshot.base else tip
        for commit, change in read_changes(revisions, environment=snapshot.repository.environment):
            planned = messages[commit]
            for violation in find_violations(parse(planned.message.rstrip("\n")), change):
                about = f"'{planned.subject}': {violation.text}"
                if rules.level(violation.code) == ERROR:
                    raise SplitError(f"the message {about}", hint="correct the message: the change does not show it")
                claims.append(about)
                source.complain(printable(f"warning: {about}"))
        return claims

    def introduce(self, plan: SplitPlan) -> str:
        return "\n".join([*self.announce(), ""])

    def show(self, plan: SplitPlan) -> str:
        return render.show_plan(plan)

    def list_created(self, prepared: Prepared) -> list[str]:
        """Return the name of the commit that has the changes of each commit of the plan."""
        return [commit.commit for commit in prepared.commits]

    def report(self, prepared: Prepared) -> list[str]:
        plan = prepared.plan
        lines = []
        for written, title, planned in zip(prepared.commits, prepared.titles, plan.commits, strict=True):
            lines.append(f"{self._name_commit(written.commit)} {printable(title)}{render.OPEN * planned.open}")
        lines += render.show_left_out(plan)
        lines += [*render.show_skipped(plan), *render.show_staged_only(prepared.staged_only)]
        if self._source.for_agent:
            lines = cut_lines(lines)
        if len(prepared.commits) == 1 and not plan.skipped:
            lines.append("one commit: the change stays together")
        return [*lines, *render.show_open(plan.commits), *prepared.notes]

    def report_nothing(self) -> SplitResult:
        source = self._source
        source.warn()
        if self._nothing:
            return SplitResult(NOTHING, source.unless_quiet([self._nothing]))
        lines = ["nothing to commit"]
        if source.snapshot.staged and not list_left_out(source.suspects):
            lines = ["nothing staged"]
        if source.snapshot.hides_untracked:
            lines.append(render.HIDDEN)
        return SplitResult(NOTHING, source.unless_quiet(lines))


def cut_lines(lines: Sequence[str]) -> list[str]:
    """Return the first of `lines`, and how many more there are: what a coding agent reads fills its context."""
    if len(lines) <= _AGENT_LINES:
        return list(lines)
    return [*lines[:_AGENT_LINES], f"... and {len(lines) - _AGENT_LINES} more lines; '--json' prints all"]
