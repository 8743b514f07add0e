"""`range`: the commits of the current branch are cut anew; its last tree stays the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from smartcommit.change.wording import format_count
from smartcommit.config import Settings, make_rules
from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.diff import ABSENT
from smartcommit.git.fast_import import BlobPack, Edit, Identity, NewCommit, WrittenCommit
from smartcommit.git.hunks import ChangeUnits, Unit, can_be_cut, cut_files
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_committed_snapshot
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.message.checks import drop_autosquash_title, find_autosquash_target
from smartcommit.message.header import parse_loose_header
from smartcommit.rewrite.branches import copy_notes, list_branches, move_branches, name_branches
from smartcommit.rewrite.commits import CommitRange
from smartcommit.rewrite.fitting import KeptMessage, find_kept_message
from smartcommit.rewrite.origins import Origins, read_origins
from smartcommit.rewrite.owners import Ownership
from smartcommit.rewrite.regroup import (
    Group,
    add_divided,
    arrange,
    describe_parents,
    find_edited,
    join_edits,
    list_kept,
    mend_broken,
    replace_files,
    select_loose,
)
from smartcommit.rewrite.successors import Successor, find_successors
from smartcommit.rewrite.woven import LOOSE, group_by_path
from smartcommit.signals import exit_on_signals
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.apply import Chain, Prepared, prepare
from smartcommit.split.embedded.similarity import Habits
from smartcommit.split.embedded.splitter import DivideOptions, divide
from smartcommit.split.engine import (
    AUTO,
    EMBEDDED,
    MODEL,
    EngineOptions,
    SplitOptions,
    describe,
    describe_all,
    make_plan,
)
from smartcommit.split.file_states import Checker, Steps
from smartcommit.split.flow import Flow, check_not_jj
from smartcommit.split.outcome import NOTHING, SplitResult
from smartcommit.split.plan import PlannedCommit, SplitPlan, clean_message
from smartcommit.split.plan_file import PlanResult, WrittenPlan
from smartcommit.terminal import printable


def cut_range(
    repository: Repository, commits: CommitRange, *, yes: bool, options: SplitOptions, **console: Any
) -> SplitResult:
    """Replace `commits` by better ones; the other arguments and the result are as for `flow.split`."""
    check_not_jj(repository.worktree)
    check_recovered(repository)
    with exit_on_signals(), take_committed_snapshot(repository, commits.base) as snapshot:
        if snapshot.head != commits.head:
            raise SplitPlanOutdated("HEAD has moved in the meantime", hint="run the command again")
        return RangeFlow(snapshot, (), options, commits=commits, **console).run(yes=yes)


class RangeAnalyzer(GitAnalyzer):
    """The change between the ends of a range; its hunks are cut where those of several kept commits meet."""

    def __init__(self, snapshot: Snapshot, settings: Settings, ownership: Ownership) -> None:
        super().__init__(snapshot, settings)
        self._ownership = ownership

    @cached_property
    def owned(self) -> ChangeUnits:
        """The whole change in files, and in hunks where several kept commits changed one; two processes."""
        return self._ownership.divide(self.files)

    @cached_property
    def hunks(self) -> ChangeUnits:
        """The whole change in hunks; one process."""
        paths = {diff.change.path for diff in self.files.diffs if can_be_cut(diff)} - self.owned.texts.keys()
        return replace_files(self.owned, cut_files(self.repository, self.files, paths), paths)

    def withhold(self, whole: ChangeUnits, is_withheld: Callable[[bytes], bool]) -> None:
        """Make commits of all units of `whole`, those of the executor's state as well: they are committed already."""
        self.use(whole)

    def cut_as(self, plan: SplitPlan | WrittenPlan) -> ChangeUnits:
        """Return the whole change in hunks, cut where `plan` has cuts."""
        return self._ownership.weave(super().cut_as(plan))


class RangeFlow(Flow):
    """A range of commits that is cut anew."""

    def __init__(self, snapshot: Snapshot, *arguments: Any, commits: CommitRange, **named: Any) -> None:
        super().__init__(snapshot, *arguments, **named)
        self._range = commits
        self._commits = commits.commits
        if commits.base is not None:
            self._rules = make_rules(self._settings, finished=True, before=f"{commits.base}..{commits.head}")
        self._messages = self._find_messages()
        self._ownership = Ownership(snapshot.repository, self._read_origins(), self._find_owners())
        self._analyzer = self._ranged = RangeAnalyzer(snapshot, self._settings, self._ownership)
        self._successors: list[Successor] = []
        # What the user is told afterwards.
        self._notes: list[str] = []

    @property
    def command(self) -> str:
        """The command that makes these commits, without options on the plan."""
        merges = " --allow-merges" if self._range.has_merges else ""
        base = (self._range.base or "")[:12]
        return f"git smart-commit range {base}..{merges}"

    def _find_messages(self) -> list[KeptMessage | None]:
        """Return what is kept of the message of each old commit."""
        choice = self._options.choice
        if self._range.has_merges or choice.count or choice.strategy != AUTO or choice.engine == MODEL:
            # Where the commits ended does not matter then.
            return [None] * len(self._commits)
        messages = [find_kept_message(commit.text, self._rules) for commit in self._commits]
        for number, commit in enumerate(self._commits):
            target = self._find_target(number)
            if commit.title.startswith("amend! ") and target is not None and messages[target] is not None:
                text = "\n".join(drop_autosquash_title(commit.text.split("\n")))
                messages[target] = find_kept_message(text, self._rules) or messages[target]
        return messages

    def _find_target(self, number: int) -> int | None:
        """Return the commit that the one at this position is a fixup for, None if it is none."""
        wanted = find_autosquash_target(self._commits[number].title)
        if wanted is not None:
            for place, commit in enumerate(self._commits[:number]):
                if commit.title == wanted or commit.oid.startswith(wanted.strip() or "-"):
                    return place
        return None

    def _find_owners(self) -> list[int]:
        """Return for each old commit the one that is kept with its lines."""
        owners = []
        for number, message in enumerate(self._messages):
            target = self._find_target(number)
            if message is not None:
                owners.append(number)
            elif target is not None:
                owners.append(owners[target])
            else:
                owners.append(LOOSE)
        return owners

    def _read_origins(self) -> Origins:
        """Return where the lines come from; with merges nobody knows."""
        if self._range.has_merges:
            return Origins((), (), {})
        return read_origins(self._snapshot.repository, self._range.oids, renames=False)

    @cached_property
    def _kept_texts(self) -> list[str | None]:
        """The message that each old commit keeps as it is, None if it gets another one."""
        texts: list[str | None] = []
        for message in self._messages:
            if message is None or message.lacks_type:
                texts.append(None)
            else:
                texts.append(clean_message(message.text))
        return texts

    def plan(self) -> PlanResult | None:
        """Return the plan that the options ask for, or None if the commits would stay as they are."""
        if self._options.branches and self._snapshot.branch is None:
            raise SplitError("HEAD is on no branch to name others after", hint="run 'git switch -c NAME' first")
        made = super().plan()
        if made is None:
            return None
        successors = find_successors(made.plan.commits, self._commits, self._kept_texts, self._ownership)
        if self._is_unchanged(made.plan, successors):
            return None
        return made

    def _is_unchanged(self, plan: SplitPlan, successors: Sequence[Successor]) -> bool:
        """Whether the plan makes the old commits again, each of the same units."""
        if self._range.has_merges:
            return False
        old = list(filter(self._ownership.list_diffs, range(len(self._commits))))
        if plan.skipped or len(old) != len(successors):
            return False
        for number, successor, planned in zip(old, successors, plan.commits, strict=True):
            owners = set(map(self._ownership.find, planned.units))
            same_author = successor.author == self._commits[number].author
            if successor.old != number or owners != {number} or not same_author:
                return False
            if not successor.keeps_message(self._commits):
                return False
        return True

    def _make(self, choice: EngineOptions) -> PlanResult | None:
        if choice.engine == MODEL or not any(self._messages):
            return super()._make(choice)
        made = self._regroup()
        if not made.plan.commits:
            return None
        return replace(made, plan=self._complete_plan(made.plan))

    def _regroup(self) -> PlanResult:
        """Return the plan that keeps the commits whose messages fit, and divides the rest."""
        analyzer, ownership = self._ranged, self._ownership
        change = analyzer.owned
        kept = list_kept(change, ownership)
        loose: list[Group] = []
        rest = select_loose(change, ownership)
        if rest.units:
            habits = Habits(analyzer.history.commits, frozenset(group_by_path(rest.units)))
            division = divide(analyzer.repository, rest, DivideOptions(), habits=habits)
            change, loose = add_divided(change, ownership, division.change, division.groups)
            loose = join_edits(kept, loose, find_edited(change, ownership, kept))
        analyzer.use(change)
        woven = ownership.weave(change)
        checker = Checker(woven)
        groups = mend_broken(arrange([*kept.values(), *loose], ownership), checker, ownership)
        described = list(zip(groups, describe_parents(groups), strict=True))
        drafts = iter(describe_all(analyzer, [units for group, units in described if group.owner == LOOSE]))
        commits = []
        for group, units in described:
            message = next(drafts) if group.owner == LOOSE else self._find_message(group.owner, units)
            commits.append(PlannedCommit(clean_message(message), tuple(group.units)))
        return PlanResult(make_plan(analyzer, commits, engine=EMBEDDED), woven, checker=checker)

    def _find_message(self, old: int, units: Sequence[Unit]) -> str:
        """Return the message of a commit of `units` that continues an old one, with a type if that lacks one."""
        message = self._messages[old]
        assert message is not None
        if not message.lacks_type:
            return message.text
        draft = describe(self._analyzer, units)
        header = parse_loose_header(draft.partition("\n")[0])
        if header is None:
            return draft
        return message.complete(header, self._rules) or draft

    def _complete_plan(self, plan: SplitPlan) -> SplitPlan:
        """Return `plan` with complete messages; those that are kept stay as they are."""
        commits = list(super()._complete_plan(plan).commits)
        for place, commit in enumerate(plan.commits):
            if clean_message(commit.message) in self._kept_texts:
                commits[place] = commit
        return replace(plan, commits=tuple(commits))

    def write(self, plan: SplitPlan, change: ChangeUnits, identity: Identity) -> Prepared:
        """Write and verify the commits of `plan`; raise as `apply.prepare` does, or SplitError if it skips lines."""
        if plan.skipped:
            raise SplitError(
                f"'{plan.skipped[0].id}' is in no commit, but it is committed already",
                hint="put it into one of the commits; to take it out of the branch, run 'git revert'",
            )
        self._successors = find_successors(plan.commits, self._commits, self._kept_texts, self._ownership)
        commits = []
        for commit, successor in zip(plan.commits, self._successors, strict=True):
            commits.append(replace(commit, message=successor.message))
        plan = replace(plan, commits=tuple(commits))
        return prepare(self._snapshot, plan, self._ownership.weave(change), identity, make_chain=self._make_chain)

    def _make_chain(self, plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Chain:
        """Return the commits of `plan`; the first ones are kept as they are, as long as they are the same."""
        onto = self._range.base
        entries: dict[bytes, Edit] = {}
        for unit in plan.units:
            if unit.change.old_path is None:
                entries[unit.change.path] = Edit(unit.change.path, unit.change.old_mode, unit.change.old_id)
        kept: list[tuple[WrittenCommit, str]] = []
        commits: list[NewCommit] = []
        for planned, successor in zip(plan.commits, self._successors, strict=True):
            edits = []
            for edit in steps.edits(planned.units, blobs):
                if entries.get(edit.path) != edit:
                    entries[edit.path] = edit
                    edits.append(edit)
            parents: tuple[str | int, ...] = ()
            if commits:
                parents = (len(commits) - 1,)
            elif onto is not None:
                parents = (onto,)
            if not commits and self._is_same(successor, edits, parents):
                assert successor.old is not None
                old = self._commits[successor.old]
                kept.append((WrittenCommit(old.oid, old.tree), old.title))
                onto = old.oid
                continue
            commits.append(successor.make_commit(self._commits, NewCommit("", parents, edits)))
        return Chain(onto, commits, kept)

    def _is_same(self, successor: Successor, edits: Sequence[Edit], parents: Sequence[str | int]) -> bool:
        """Whether a commit of these edits on `parents` would be the old one again."""
        if successor.old is None or not successor.keeps_message(self._commits):
            return False
        old = self._commits[successor.old]
        if old.parents != parents or old.author != successor.author:
            return False
        entries = {}
        for diff in self._ownership.list_diffs(successor.old):
            entries[diff.change.path] = (diff.change.new_mode, diff.change.new_id)
        for edit in edits:
            mode, oid = entries.pop(edit.path, ("", ""))
            if edit.mode != mode or (mode != ABSENT and edit.oid != oid):
                return False
        return not entries

    def publish(self, prepared: Prepared) -> Prepared:
        """Make the commits the user's, and move or create branches with them; raise as `transaction.publish` does."""
        branches = list_branches(self._snapshot.run.repository)
        successors = self._list_successors(prepared)
        replaced = set(self._range.oids) - _list_oids(prepared)
        moves, notes = move_branches(self._snapshot, branches, successors, replaced)
        self._notes += notes
        if self._options.branches and self._snapshot.branch is not None:
            names = name_branches(self._snapshot.branch, prepared.titles, {branch.name for branch in branches})
            for name, made in zip(names, prepared.commits, strict=False):
                moves.append((f"refs/heads/{name}", None, made.commit))
                self._notes.append(f"branch '{name}' is at {made.commit[:10]}")
        prepared.publish([*moves, *copy_notes(self._snapshot, successors)])
        return prepared

    def _list_successors(self, prepared: Prepared) -> dict[str, str]:
        """Return the new name of each old commit that is continued."""
        found = {}
        for successor, made in zip(self._successors, prepared.commits, strict=True):
            if successor.old is not None:
                found[self._commits[successor.old].oid] = made.commit
        return found

    def report(self, prepared: Prepared) -> list[str]:
        lines = super().report(prepared)
        left = _list_oids(prepared)
        owners = set(map(self._ownership.find, prepared.plan.units))
        signed = 0
        for number, commit in enumerate(self._commits):
            if self._messages[number] is not None and number not in owners:
                self._notes.append(f"'{printable(commit.title)}' is gone: no line of it is left")
            signed += commit.signed and commit.oid not in left
        if signed and not self.identity.signed:
            self._notes.append(f"{format_count(signed, 'signature')} dropped: 'commit.gpgSign' is not set")
        return [*lines, *self._notes]

    def _report_nothing(self) -> SplitResult:
        return SplitResult(NOTHING, self._unless_quiet(["nothing to change: the commits stay as they are"]))


def _list_oids(prepared: Prepared) -> set[str]:
    return {made.commit for made in prepared.commits}
