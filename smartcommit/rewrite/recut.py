"""`range`: commits of the current branch are cut anew; the last tree of them stays the same, and so do those above."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from smartcommit.change.facts import ChangeFacts
from smartcommit.config import make_rules
from smartcommit.draft.embedded.intent import find_shown
from smartcommit.errors import SplitError
from smartcommit.git.diff import ABSENT
from smartcommit.git.fast_import import BlobPack, Edit, Identity, NewCommit, WrittenCommit
from smartcommit.git.hunks import ChangeUnits, Unit, cut_files, group_by_file
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_jj_snapshot
from smartcommit.jj.run import find_jj_repository, read_change_at_work
from smartcommit.message.characters import printable
from smartcommit.message.header import Header, parse_loose_header
from smartcommit.rewrite.branches import find_moves
from smartcommit.rewrite.commits import CommitRange
from smartcommit.rewrite.in_jj import JjPublisher, make_range, read_author, read_range
from smartcommit.rewrite.owners import LOOSE, Ownership
from smartcommit.rewrite.past import move_above, take_past_snapshot
from smartcommit.rewrite.regroup import mark_file_ends, regroup
from smartcommit.rewrite.successors import OldCommits, Successor
from smartcommit.secrets.scan import SuspectFile
from smartcommit.signals import exit_on_signals
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.apply import Chain, Prepared, prepare
from smartcommit.split.engine import describe, make_plan
from smartcommit.split.file_states import Steps
from smartcommit.split.flow import ChangePlanner, Flow, GitPublisher, Publisher
from smartcommit.split.outcome import Out, SplitResult
from smartcommit.split.plan import PlannedCommit, SplitPlan, clean_message
from smartcommit.split.source import AUTO, MODEL, EngineOptions, Source, SplitOptions
from smartcommit.split.words import Words
from smartcommit.terminal import Terminal

# How a plan says that its hunks are cut where lines of several old commits meet.
ENGINE = "range"
# What the type of a message counts, where all words of it count 1.
_SAME_TYPE = 0.5


def cut_range(
    repository: Repository, commits: CommitRange, *, options: SplitOptions, terminal: Terminal | None, complain: Out
) -> SplitResult:
    """Replace `commits` by better ones; the other arguments and the result are as for `flow.split`."""
    with take_past_snapshot(repository, commits.base, commits.head, tip=commits.tip) as snapshot:
        if options.branches and snapshot.branch is None:
            raise SplitError("HEAD is on no branch to name others after", hint="run 'git switch -c NAME' first")
        source = Source(snapshot, (), options, terminal, complain=complain)
        publisher = GitPublisher(partial(find_moves, stacked=options.branches))
        return _make_flow(source, commits, publisher).run()


def cut_changes(
    root: str, name: str, *, allow_pushed: bool, options: SplitOptions, terminal: Terminal | None, complain: Out
) -> SplitResult:
    """Replace the changes of the range `name` by better ones; the other arguments and the result are as for a split."""
    change = read_change_at_work(root)
    store = find_jj_repository(root)
    old = read_range(root, name, allow_pushed=allow_pushed)
    commits = make_range(store, old)
    with exit_on_signals(), take_jj_snapshot(store, commits.head, commits.base, branch=None) as snapshot:
        identify = partial(read_author, snapshot, change)
        source = Source(snapshot, (), options, terminal, complain=complain, identify=identify)
        return _make_flow(source, commits, JjPublisher(source, change, old=old)).run()


def _make_flow(source: Source, commits: CommitRange, publisher: Publisher) -> Flow:
    before = []
    if commits.base is not None:
        before.append(f"{commits.base}..{commits.head}")
    choice, written = source.options.choice, source.options.plan
    if written is not None:
        is_regrouped = written.engine == ENGINE
    else:
        # If the user asks for a certain division, it does not matter where the old commits ended.
        is_regrouped = choice.count is None and choice.strategy == AUTO and choice.engine != MODEL
    rules = make_rules(source.settings, finished=True, before=before)
    is_regrouped = is_regrouped and not commits.has_merges
    old = OldCommits(source.snapshot.repository, commits, rules, is_regrouped=is_regrouped)
    unchanged = "nothing to change: the commits stay as they are"
    if old.is_single and choice.count is None:
        unchanged = "nothing to change: the commit stays whole; '--count 2' cuts it"
    words = Words(source, publisher.name_commit, rules=old.rules, kept=old.kept_texts, nothing=unchanged)
    command = f"git smart-commit range {commits.name}"
    if commits.has_merges:
        command += " --allow-merges"
    return Flow(source, RangePlanner(source, words, old), words, RangeWriter(source, old).write, publisher, command)


class RangeReader(ChangeReader):
    """The change between the ends of a range; its hunks are cut where those of several kept commits meet."""

    def __init__(self, source: Source, ownership: Ownership) -> None:
        super().__init__(source.snapshot, source.settings)
        self._ownership = ownership

    @cached_property
    def owned(self) -> ChangeUnits:
        return self._ownership.divide(self.files)

    @cached_property
    def hunks(self) -> ChangeUnits:
        cut = cut_files(self.files, self.contents)
        return self.owned.join(cut.select(cut.texts.keys() - self.owned.texts.keys()))

    def select(self, change: ChangeUnits, suspects: Sequence[SuspectFile]) -> ChangeUnits:
        """Return all of `change`, the executor's state as well: it is committed already."""
        return change

    def cut_as(self, plan: SplitPlan) -> ChangeUnits:
        return self._ownership.weave(super().cut_as(plan))


class RangePlanner:
    """Makes a plan that keeps the commits whose messages fit, and divides the rest; None if all would stay."""

    def __init__(self, source: Source, words: Words, old: OldCommits) -> None:
        self.reader = RangeReader(source, old.ownership)
        self._words = words
        self._old = old
        self._planner = ChangePlanner(source, words, self.reader)
        self._can_choose = source.terminal is not None

    def make(self, choice: EngineOptions) -> SplitPlan | None:
        if self._old.is_single:
            plan = self._planner.make(choice)
            if plan is None or (len(plan.commits) == 1 and not self._can_choose):
                return None
            return self._words.complete_plan(self._keep_message(plan))
        if choice.engine == MODEL or not any(self._old.messages):
            return self._unless_unchanged(self._planner.make(choice))
        return self._unless_unchanged(self._words.complete_plan(self._regroup()))

    def read(self, written: SplitPlan) -> SplitPlan | None:
        return self._unless_unchanged(self._planner.read(written))

    def _unless_unchanged(self, plan: SplitPlan | None) -> SplitPlan | None:
        """Return `plan` unless it is empty, or makes the old commits again, each of the same units."""
        old = self._old
        if plan is None or not plan.commits:
            return None
        if old.range.has_merges or plan.skipped:
            return plan
        changed = [item for item in range(len(old.commits)) if old.ownership.list_diffs(item)]
        if len(changed) != len(plan.commits):
            return plan
        for number, successor, planned in zip(changed, old.find_successors(plan.commits), plan.commits, strict=True):
            commit = old.commits[number]
            if successor.old is not commit or successor.author != commit.author or not successor.keeps_message:
                return plan
            if {old.ownership.find_owner(unit) for unit in planned.units} != {number}:
                return plan
        return None

    def _keep_message(self, plan: SplitPlan) -> SplitPlan:
        """Return `plan` of a single commit, where the part that fits the old message best gets it.

        That is the one whose change shows most words of it; of several, the one with most lines.
        """
        if self._old.messages[0] is None:
            return plan
        title = self._old.commits[0].title
        header = parse_loose_header(title) or Header("", title)

        def rate(commit: PlannedCommit) -> tuple[float, int]:
            rating = find_shown(f"{header.scope or ''} {header.summary}", ChangeFacts(group_by_file(commit.units)))
            drafted = parse_loose_header(commit.subject)
            if drafted is not None and drafted.type == header.type:
                rating += _SAME_TYPE
            return rating, self._old.ownership.count_commits(commit.units).total()

        commits = list(plan.commits)
        best = max(commits, key=rate)
        message = clean_message(self._find_message(0, best.units))
        commits[commits.index(best)] = replace(best, message=message, open=False)
        alternative = None
        if plan.alternative is not None:
            alternative = self._keep_message(plan.alternative)
        return replace(plan, commits=tuple(commits), alternative=alternative)

    def _regroup(self) -> SplitPlan:
        """Return a plan whose commits keep the old messages, except for what has no old commit."""
        reader = self.reader
        change, groups = regroup(reader, reader.owned, self._old.ownership)
        titles_taken: Counter[str] = Counter()
        commits = []
        for group, units in zip(groups, mark_file_ends(groups), strict=True):
            if group.owner == LOOSE:
                commits.append(replace(describe(reader, units, titles_taken), units=tuple(group.units)))
            else:
                message = self._find_message(group.owner, units)
                commits.append(PlannedCommit(clean_message(message), tuple(group.units)))
        return make_plan(reader, change, commits, engine=ENGINE)

    def _find_message(self, old: int, units: Sequence[Unit]) -> str:
        """Return the message of a commit of `units` that continues the commit `old`, with a type if that lacks one."""
        message = self._old.messages[old]
        assert message is not None
        if not message.lacks_type:
            return message.text
        draft = describe(self.reader, units).message
        header = parse_loose_header(draft.partition("\n")[0])
        if header is None:
            return draft
        return message.complete(header, self._old.rules) or draft


class RangeWriter:
    def __init__(self, source: Source, old: OldCommits) -> None:
        self._source = source
        self._old = old

    def write(self, plan: SplitPlan, identity: Identity) -> Prepared:
        """Write and verify the commits of `plan`; raise as `apply.prepare` does, or SplitError if it skips lines."""
        if plan.skipped:
            raise SplitError(
                f"'{plan.skipped[0].id}' is in no commit, but it is committed already",
                hint="put it into one of the commits; to take it out of the branch, run 'git revert'",
            )
        old = self._old
        successors = old.find_successors(plan.commits)
        pairs = zip(plan.commits, successors, strict=True)
        commits = tuple(replace(commit, message=successor.message) for commit, successor in pairs)
        plan = replace(plan, commits=commits, change=old.ownership.weave(plan.change))
        make_chain = partial(self._make_chain, successors)
        prepared = prepare(self._source.snapshot, plan, identity, make_chain=make_chain)
        prepared = move_above(prepared, old.range, identity)
        return replace(prepared, notes=(*self._list_gone(prepared), *prepared.notes))

    def _make_chain(self, successors: Sequence[Successor], plan: SplitPlan, steps: Steps, blobs: BlobPack) -> Chain:
        """Return the commits of `plan`; the first ones are kept as they are, as long as they are the same."""
        old = self._old
        onto = old.range.base
        # What the commits so far have at each path.
        entries: dict[bytes, Edit] = {}
        for unit in plan.units:
            if unit.change.old_path is None:
                entries[unit.change.path] = Edit(unit.change.path, unit.change.old_mode, unit.change.old_id)
        kept_commits: list[tuple[WrittenCommit, str]] = []
        commits: list[NewCommit] = []
        for planned, successor in zip(plan.commits, successors, strict=True):
            edits = []
            for edit in steps.edits(planned.units, blobs):
                if entries.get(edit.path) != edit:
                    entries[edit.path] = edit
                    edits.append(edit)
            if not edits:
                raise SplitError(
                    f"'{planned.subject}' would change nothing, since a commit before it replaces its lines",
                    hint="move it before that commit, or merge the two",
                )
            parents: tuple[str | int, ...] = ()
            if commits:
                parents = (len(commits) - 1,)
            elif onto is not None:
                parents = (onto,)
            same = successor.old
            if not commits and same is not None and self._is_same(successor, edits, parents):
                kept_commits.append((WrittenCommit(same.oid, same.tree), same.title))
                onto = same.oid
                continue
            commits.append(successor.make_commit(NewCommit("", parents, edits)))
        return Chain(onto, commits, kept_commits, [successor.continued for successor in successors], old.range.oids)

    def _is_same(self, successor: Successor, edits: Sequence[Edit], parents: Sequence[str | int]) -> bool:
        """Whether a commit of these edits on `parents` would be the old one again."""
        old = successor.old
        if old is None or old.parents != parents or old.author != successor.author or not successor.keeps_message:
            return False
        diffs = self._old.ownership.list_diffs(self._old.commits.index(old))
        entries = {diff.change.path: (diff.change.new_mode, diff.change.new_id) for diff in diffs}
        for edit in edits:
            mode, oid = entries.pop(edit.path, ("", ""))
            if edit.mode != mode or (mode != ABSENT and edit.oid != oid):
                return False
        return not entries

    def _list_gone(self, prepared: Prepared) -> Iterator[str]:
        """Yield which of the old commits none continues, in words for the user."""
        old = self._old
        owners = {old.ownership.find_owner(unit) for unit in prepared.plan.units}
        # Lines without owner that took the place of all its lines may have gone on with its message.
        titles = Counter([commit.message.partition("\n")[0] for commit in prepared.plan.commits])
        # Of commits with the same title, those that have lines left go on first.
        for number in sorted(range(len(old.commits)), key=lambda number: number not in owners):
            commit, message = old.commits[number], old.messages[number]
            if message is None:
                continue
            title = message.text.partition("\n")[0]
            titles[title] -= 1
            if number not in owners and titles[title] < 0:
                yield f"'{printable(commit.title)}' is gone: no line of it is left"
        if old.is_single and old.messages[0] is None:
            yield f"'{printable(old.commits[0].title)}' is gone: it says nothing, or breaks a rule"
