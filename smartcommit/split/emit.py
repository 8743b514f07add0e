"""What a model emits for a split: each commit is validated at once, and collected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import BaseModel, Field, model_validator

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.draft.classify import plain_type
from smartcommit.draft.conform import accepted, one_line, ticket_of
from smartcommit.draft.submit import Evidence, MessageGate, SubmitMessageArgs, message_of
from smartcommit.errors import ToolRetry
from smartcommit.git.hunks import Unit, diffs_of
from smartcommit.message.rules import Rules
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.gitignore import vetted
from smartcommit.split.hunk_ids import Names, assigned
from smartcommit.split.plan import CommitDict
from smartcommit.split.prompt import text_of
from smartcommit.split.tools import SplitContext

# Ids that a model may name at once; a change that has more is shown to it by files.
_IDS = 1000
# Characters of the change that messages are held against.
_EVIDENCE = 4 << 20
_SEVERAL = re.compile(r"[,;&+]|\band\b")


class Issue(BaseModel):
    """Something wrong that was noticed on the way: it is shown to a person, and never committed."""

    message: str = Field(max_length=500, description="what is wrong, with the line")
    path: str = Field("", max_length=400, description="the file it is in")

    def post_process(self) -> None:
        self.message, self.path = one_line(self.message), one_line(self.path)


class Commit(SubmitMessageArgs):
    """One commit: a message in parts, and the ids of its hunks."""

    hunks: list[str] = Field(max_length=_IDS, description="ids from the list of hunks, each as it stands there")
    issues: list[Issue] = Field(
        default_factory=list, max_length=20, description="bugs and suspicious code seen in these hunks; mostly none"
    )

    def post_process(self) -> None:
        """Bring what is shown to a person onto one line each."""
        for issue in self.issues:
            issue.post_process()


class EmitCommitArgs(BaseModel):
    commit: Commit

    @model_validator(mode="before")
    @classmethod
    def _without_its_wrapping(cls, given: object) -> object:
        """Small models give the parts of the commit as the arguments."""
        return {"commit": given} if isinstance(given, dict) and "commit" not in given else given

    def post_process(self) -> None:
        self.commit.post_process()


class FinalizeCommitsArgs(BaseModel):
    gitignore: list[str] = Field(
        default_factory=list, max_length=50, description="patterns for files that should never be committed"
    )
    skipped_hunks: list[str] = Field(
        default_factory=list, max_length=_IDS, description="ids of hunks that are to stay uncommitted"
    )

    def post_process(self) -> None:
        """Leave out suggestions that are none."""
        self.gitignore = vetted(self.gitignore)


class CommitCollector:
    """Where a model hands in its commits: hunks are held against the change, messages against the project's rules.

    `new_gate` makes a gate for one message, at which the model may correct what is rejected a few times.
    """

    def __init__(self, names: Names, rules: Rules, history: History, new_gate: Callable[[], MessageGate]) -> None:
        self.names = names
        self._rules = rules
        self._history = history
        self._new_gate = new_gate
        self._gate = new_gate()

    def take(self, listed: Sequence[str], commits: Sequence[CommitDict]) -> list[Unit]:
        """The units that `listed` names, none of which is in `commits` yet, in the order of the change.

        Raises: ToolRetry when there are none, one is named twice, unknown or in a commit, or units are parted that
        belong together.
        """
        if not listed:
            raise ToolRetry("no hunks are named: list the ids of those that belong to this commit")
        units = self.names.find(listed)
        ids = [unit.id for unit in units]
        twice = self.names.of(name for name in ids if ids.count(name) > 1)
        if twice:
            raise ToolRetry(f"'{twice[0]}' is named twice")
        taken = assigned(commits, ids)
        if taken:
            told = (f"'{name}' is already in {taken[self.names.hunk_map[name].id]}" for name in self.names.of(taken))
            raise ToolRetry("; ".join(told))
        self._check_whole(units)
        return self._in_order(units)

    def entry(self, commit: Commit, commits: Sequence[CommitDict]) -> CommitDict:
        """The commit as it is planned, beside the `commits` that are there, with a message that passes.

        Raises: ToolRetry as `take`, or with what is wrong with the message.
        """
        units = self.take(commit.hunks, commits)
        if _SEVERAL.search(commit.scope.strip()):
            raise ToolRetry(f"the scope '{commit.scope}' is not one noun: emit a commit for each, or leave it empty")
        message = message_of(commit)
        assert message.header is not None
        message.header.type = self._plain_type(units) or message.header.type
        text = self._gate.accept(message)
        self._gate = self._new_gate()
        issues = [issue.model_dump() for issue in commit.issues if issue.message]
        return {"message": text, "hunks": [unit.id for unit in units], **({"issues": issues} if issues else {})}

    def check_final(self, skipped: Sequence[str], commits: Sequence[CommitDict]) -> None:
        """Hold `commits`, and the hunks that are to be `skipped`, against the change.

        Raises: ToolRetry when there is no commit, or a hunk is in none and not skipped; as `take` for what is skipped.
        """
        if not commits:
            raise ToolRetry("nothing was emitted yet: call emit_commit for each commit first")
        placed = {hunk for commit in commits for hunk in commit["hunks"]}
        placed |= {unit.id for unit in self.take(skipped, commits)} if skipped else set()
        unassigned = self.names.without(placed)
        if unassigned:
            raise ToolRetry(f"these hunks are in no commit and not skipped: {unassigned}")

    def _plain_type(self, units: Sequence[Unit]) -> str | None:
        """The type by the decision matrix, where the hunks leave no doubt."""
        return plain_type(ChangeFacts(diffs_of(units)), self._history, self._rules.types)

    def _check_whole(self, units: Sequence[Unit]) -> None:
        chosen = {unit.id for unit in units}
        for together in find_inseparable(list(self.names.hunk_map.values())):
            unit = next((unit for unit in together if unit.id in chosen), None)
            missing = [other.id for other in together if other.id not in chosen]
            if unit is not None and missing:
                (name,) = self.names.of([unit.id])
                with_it = ", ".join(f"'{other}'" for other in self.names.of(missing)[:20])
                raise ToolRetry(f"'{name}' cannot be committed or skipped without {with_it}: name them together")

    def _in_order(self, units: Sequence[Unit]) -> list[Unit]:
        chosen = {unit.id for unit in units}
        return [unit for unit in self.names.hunk_map.values() if unit.id in chosen]


def evidence_of(analyzer: SplitContext, wish: str = "") -> Evidence:
    """What messages may name: everything in the change, the branch, and what a person said."""
    lines = "\n".join(_within(_EVIDENCE, (line for unit in analyzer.pieces.units for line in text_of(unit))))
    changed = (path for change in analyzer.get_changed_files() for path in (change.path, change.old_path or b""))
    paths = "\n".join(path.decode("utf-8", "replace") for path in changed)
    evidence = Evidence(lines, paths, analyzer.snapshot.branch or "", wish)
    evidence.examples += [commit.summary for commit in analyzer.history.commits[:5]]
    return evidence


def _within(room: int, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def counter_of(analyzer: SplitContext, evidence: Evidence) -> CommitCollector:
    """Where the commits of this change are handed in."""
    return CommitCollector(analyzer.names, analyzer.rules, analyzer.history, new_gate(analyzer, evidence))


def new_gate(analyzer: SplitContext, evidence: Evidence) -> Callable[[], MessageGate]:
    """A function that makes a gate for one message of this change."""
    rules = analyzer.rules
    ticket = ticket_of(analyzer.snapshot.branch or "", rules)
    return lambda: MessageGate(rules, evidence, lambda text: accepted(text, rules), ticket)
