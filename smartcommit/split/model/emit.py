"""What a model emits for a split: each commit is validated at once, and collected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, model_validator

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.public_names import removes_public
from smartcommit.change.wording import format_count
from smartcommit.draft.embedded.classify import find_plain_type
from smartcommit.draft.model.answer import resolve_type
from smartcommit.draft.model.host_effects import Grounds
from smartcommit.draft.model.submit import Evidence, MessageGate, SubmitMessageArgs, build_message
from smartcommit.draft.plain_text import join_lines
from smartcommit.errors import ToolRetry
from smartcommit.git.hunks import Unit, group_by_file
from smartcommit.message.characters import is_plain
from smartcommit.message.checks import is_accepted
from smartcommit.split.analyzer import GitAnalyzer, find_assigned
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.model.prompt import text_of
from smartcommit.split.plan import Issue, PlannedCommit, clean_message, list_ids, list_units

# Number of ids that a model may name at once; a change with more hunks is shown to it file by file.
_IDS_NAMED = 1000
# Lines of the change that messages are checked against.
_EVIDENCE_LINES = 50_000
_SEVERAL = re.compile(r"[,;&+]|\band\b")
# Limits of what is suggested for `.gitignore`: characters of a pattern, and number of patterns.
_PATTERN_CHARACTERS = 120
_PATTERNS_SUGGESTED = 20
# Comments, and exceptions that undo other patterns, are not suggestions.
_BEGINNINGS = ("#", "!")
# What a pattern has that does not match all names, or all with a dot.
_NAMED = re.compile(r"[^*?/.]")
# What a command of a shell has, and no pattern that a person would write.
_COMMAND = re.compile(r"[`;|&<>]|\$[({]|\s-")


def select_patterns(lines: Iterable[str]) -> list[str]:
    """Return the patterns among `lines`, each once, that can be suggested: short and plain, and nothing for a shell."""
    patterns = []
    for line in dict.fromkeys(line.strip() for line in lines):
        is_short = len(line) <= _PATTERN_CHARACTERS and is_plain(line)
        if is_short and not line.startswith(_BEGINNINGS) and _NAMED.search(line) and not _COMMAND.search(line):
            patterns.append(line)
    return patterns[:_PATTERNS_SUGGESTED]


_ON_ONE_LINE = AfterValidator(join_lines)
_SELECTED = AfterValidator(select_patterns)


class NoticedIssue(BaseModel):
    """An `Issue` as a model reports it."""

    message: Annotated[str, Field(max_length=500, description="what is wrong, with the line number"), _ON_ONE_LINE]
    path: Annotated[str, Field(max_length=400, description="the file it is in"), _ON_ONE_LINE] = ""


class Commit(SubmitMessageArgs):
    """One commit: a message in parts, and the ids of its hunks."""

    hunks: list[str] = Field(max_length=_IDS_NAMED, description="hunk ids, exactly as listed")
    issues: list[NoticedIssue] = Field(
        default_factory=list, max_length=20, description="bugs and suspicious code found in these hunks; usually empty"
    )


class EmitCommitArgs(BaseModel):
    commit: Commit

    @model_validator(mode="before")
    @classmethod
    def _add_wrapping(cls, given: object) -> object:
        """Small models give the parts of the commit as the arguments."""
        return {"commit": given} if isinstance(given, dict) and "commit" not in given else given


def describe_commit(args: EmitCommitArgs) -> str:
    return f"{build_message(args.commit).header}, {format_count(len(args.commit.hunks), 'hunk')}"


SAMPLE_OUTPUT = {
    "commits": [
        {"type": "fix", "scope": "login", "summary": "refuse an empty password", "description": "",
         "hunks": ["src/login.py::1", "tests/login_test.py::1"]},
        {"type": "docs", "scope": "", "summary": "describe the settings", "description": "", "hunks": ["README.md::2"]},
    ],
    "gitignore": [],
}  # fmt: skip


class ProposeCommitsArgs(BaseModel):
    commits: list[Commit] = Field(min_length=1, max_length=40, description="each hunk must be in exactly one of them")
    gitignore: Annotated[list[str], Field(max_length=20), _SELECTED] = []

    @model_validator(mode="before")
    @classmethod
    def _add_wrapping(cls, given: object) -> object:
        """Models often give a single commit as the arguments."""
        return {"commits": [given]} if isinstance(given, dict) and "commits" not in given else given


class FinalizeCommitsArgs(BaseModel):
    gitignore: Annotated[
        list[str], Field(max_length=50, description="patterns for files that should never be committed"), _SELECTED
    ] = []
    skipped_hunks: list[str] = Field(
        default_factory=list, max_length=_IDS_NAMED, description="ids of hunks to leave uncommitted"
    )


class CommitCollector:
    """Checks the commits that a model emits: their hunks against the change, their messages against the rules.

    `commits` are those that it has made of the change; units in none of them are skipped. `issues` are problems in the
    files that it reported, and `gitignore` patterns that it suggests.
    """

    def __init__(self, analyzer: GitAnalyzer, instructions: str = "") -> None:
        self.analyzer = analyzer
        self.names = analyzer.names
        self.rules = analyzer.rules
        self.evidence = collect_evidence(analyzer, instructions)
        self.commits: list[PlannedCommit] = []
        self.issues: list[Issue] = []
        self.gitignore: list[str] = []
        self._gate = self._make_gate()

    def _make_gate(self) -> MessageGate:
        """Return a gate for one message, which lets the model correct a rejected message a few times."""
        return MessageGate(self.rules, self.evidence, lambda text: is_accepted(text, self.rules))

    def take(self, listed: Sequence[str], commits: Sequence[PlannedCommit]) -> list[Unit]:
        """Return the units that `listed` names, in the order of the change.

        Raise ToolRetry if it is empty, names an unknown unit or one in `commits`, or separates units that must stay
        together.
        """
        if not listed:
            raise ToolRetry("no hunks given: list the ids of the hunks that belong in this commit")
        units = self.names.find(listed)
        owners = find_assigned(commits, units)
        if owners:
            places = [
                f"'{name}' is already in {owners[self.names.hunk_map[name].id]}" for name in self.names.of(owners)
            ]
            raise ToolRetry("; ".join(places))
        chosen = set(list_ids(units))
        for together in find_inseparable(list(self.names.hunk_map.values())):
            hunks = set(list_ids(together))
            missing = hunks - chosen
            if missing and missing != hunks:
                name = self.names.of(hunks & chosen)[0]
                with_it = ", ".join(f"'{item}'" for item in self.names.of(missing)[:20])
                raise ToolRetry(f"'{name}' cannot be committed or skipped without {with_it}: list them together")
        return [self.names.hunk_map[item] for item in self.names.of(chosen)]

    def entry(self, commit: Commit, commits: Sequence[PlannedCommit]) -> PlannedCommit:
        """Return the commit as it is planned, next to the existing `commits`, with a message that passes.

        Hunks that are in one of these stay there, unless nothing else is listed. Raise ToolRetry as `take` does, or
        with what is wrong with the message.
        """
        listed = self.names.find(commit.hunks)
        assigned = find_assigned(commits, listed)
        free = self.names.of(set(list_ids(listed)) - assigned.keys())
        units = self.take(free or commit.hunks, commits)
        if _SEVERAL.search(commit.scope.strip()):
            raise ToolRetry(
                f"the scope '{commit.scope}' is not a single noun: emit one commit per scope, or leave it empty"
            )
        message = build_message(commit)
        header, types = message.header, self.rules.types
        assert header is not None
        # The decision matrix settles the type where the hunks are clear.
        plain = find_plain_type(ChangeFacts(group_by_file(units)), self.analyzer.history, types)
        header.type = plain or resolve_type(header.type, types) or header.type
        text = self._gate.accept(message)
        self._gate = self._make_gate()
        self.issues += [Issue(issue.message, issue.path) for issue in commit.issues if issue.message]
        return PlannedCommit(clean_message(text), tuple(units))

    def check_final(self, skipped: Sequence[str], commits: Sequence[PlannedCommit]) -> None:
        """Raise ToolRetry if there is no commit, or a hunk is neither in one nor `skipped`; also as `take` does."""
        if not commits:
            raise ToolRetry("no commits emitted yet: emit each commit first")
        placed = set(list_ids(list_units(commits)))
        if skipped:
            placed.update(list_ids(self.take(skipped, commits)))
        unassigned = self.names.without(placed)
        if unassigned:
            raise ToolRetry(f"these hunks are neither in a commit nor skipped: {unassigned}")


def collect_evidence(analyzer: GitAnalyzer, instructions: str = "") -> Evidence:
    """Return what messages may mention: everything in the change, the branch, and the user's instructions."""
    lines = "\n".join(islice(chain.from_iterable(text_of(unit) for unit in analyzer.change.units), _EVIDENCE_LINES))
    paths = []
    for diff in analyzer.change.diffs:
        paths += [diff.change.path, diff.change.old_path or b""]
    changed = b"\n".join(paths).decode("utf-8", "replace")
    branch = analyzer.snapshot.branch or ""
    facts = ChangeFacts(group_by_file(analyzer.change.units))
    evidence = Evidence(
        lines, changed, branch, instructions, grounds=Grounds(branch, instructions, removes_public(facts))
    )
    evidence.examples += [commit.summary for commit in analyzer.history.commits[:5]]
    return evidence
