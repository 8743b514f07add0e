"""Replays a repository's own history: `python benchmarks/history.py`, run in that repository.

Drafts are made for each commit with a header 'type(scope): summary', and splits for two to four commits of one author
in a row, folded together; those in which several commits changed the same file are also listed apart. The scores say
how near they are to what people recorded. The baselines need no judgement. Nothing is changed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from itertools import cycle, pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any, Generic, TypeVar

import click

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from smartcommit.change.history import History  # noqa: E402
from smartcommit.change.wording import format_count  # noqa: E402
from smartcommit.config import Settings, load, make_rules  # noqa: E402
from smartcommit.draft import engine as drafting  # noqa: E402
from smartcommit.draft.request import read_request  # noqa: E402
from smartcommit.errors import SmartcommitError  # noqa: E402
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, Hunk, list_changes, read_diffs  # noqa: E402
from smartcommit.git.hunks import Unit  # noqa: E402
from smartcommit.git.objects import read_objects  # noqa: E402
from smartcommit.git.query import make_log_command  # noqa: E402
from smartcommit.git.repo import Repository  # noqa: E402
from smartcommit.git.snapshot import Snapshot  # noqa: E402
from smartcommit.git.transaction.journal import make_split_run  # noqa: E402
from smartcommit.message.characters import printable  # noqa: E402
from smartcommit.message.checks import is_accepted  # noqa: E402
from smartcommit.message.header import Header, is_name, parse_loose_header  # noqa: E402
from smartcommit.settings import PROVIDERS  # noqa: E402
from smartcommit.split import engine as splitting  # noqa: E402
from smartcommit.split.analyzer import ChangeReader  # noqa: E402
from smartcommit.split.plan import SplitPlan  # noqa: E402
from smartcommit.split.source import EngineOptions  # noqa: E402
from smartcommit.waiting import Deadline  # noqa: E402

# Folded changes have as many commits as these, in turn, at most so many files, and so many changed lines.
SIZES = (2, 2, 2, 3, 3, 4)
FILES = 25
LINES = range(4, 601)
PATCH_LIMIT = 16 << 20
# Headers with these types say what git or a tool did.
_NO_CONCERN = ("merge", "release", "revert")

# A changed line: its path, `+` in the new text or `-` in the old one, and its number there, from 1.
Line = tuple[bytes, str, int]


@dataclass(frozen=True, slots=True)
class RecordedCommit:
    """A commit with one parent and a conventional header, whose type is in lower case; `author` is an address."""

    oid: str
    parent: str
    author: str
    header: Header


@dataclass(frozen=True, slots=True)
class FoldedChange:
    """The change that `commits`, which follow each other, make together; the oldest is the first.

    `lines` has every changed line with the position of the commit that changed it.
    """

    commits: tuple[RecordedCommit, ...]
    lines: dict[Line, int]

    @property
    def divides_file(self) -> bool:
        """Whether several of the commits changed the same file."""
        having: dict[bytes, set[int]] = {}
        for (path, _, _), commit in self.lines.items():
            having.setdefault(path, set()).add(commit)
        return any(len(commits) > 1 for commits in having.values())

    @property
    def base(self) -> str:
        """The commit before the change."""
        return self.commits[0].parent

    @property
    def target(self) -> str:
        """The commit after the change."""
        return self.commits[-1].oid


@contextmanager
def copy_git_dir(repository: Repository) -> Iterator[Repository]:
    """Yield the repository with a temporary git directory, which has the same objects, references and configuration.

    What smartcommit saves there is not the user's. Source: gitrepository-layout(5), `commondir`.
    """
    with tempfile.TemporaryDirectory(prefix="smartcommit-history-") as folder:
        Path(folder, "commondir").write_bytes(os.fsencode(repository.common_dir))
        head = repository.head() or repository.null_id
        Path(folder, "HEAD").write_text(f"{head}\n", encoding="ascii")
        copy = Repository(
            worktree=repository.worktree,
            git_dir=folder,
            common_dir=repository.common_dir,
            object_format=repository.object_format,
        ).pinned()
        if os.path.isdir(os.path.join(repository.common_dir, "reftable")):
            # git counts this as the directory of a worktree, whose HEAD is in a reftable of its own.
            os.mkdir(os.path.join(folder, "reftable"))
            copy.run("update-ref", "--no-deref", "HEAD", head)
        yield copy


def read_commits(repository: Repository, last: int) -> list[RecordedCommit]:
    """Return those of the `last` commits of HEAD that have one parent and a conventional header, newest first.

    Raise GitError if git fails, SmartcommitError if there are none.
    """
    output = repository.run(*make_log_command("%H%x01%P%x01%ae%x01%s", "--no-merges", last=last))
    commits = []
    for record in filter(None, output.decode("utf-8", "replace").split("\0")):
        oid, parent, author, line = record.split("\x01", 3)
        header = read_header(line)
        if parent and header is not None:
            commits.append(RecordedCommit(oid, parent, author, header))
    if not commits:
        raise SmartcommitError(
            f"no commit with a header 'type(scope): summary' among the last {format_count(last, 'commit')}",
            hint="give a larger number with --last",
        )
    return commits


def read_header(line: str) -> Header | None:
    """Return the header in `line` in the project's own spelling, without the number of a pull request at its end."""
    header = parse_loose_header(line)
    if header is None or not is_name(header.type.lower()):
        return None
    header.type = header.type.lower()
    words, _, number = header.summary.rpartition(" (#")
    if words and number.endswith(")"):
        header.summary = words
    return header


def fold_commits(repository: Repository, commits: Sequence[RecordedCommit]) -> Iterator[FoldedChange]:
    """Yield changes that commits of one author in a row make together; no commit is in two of them.

    Those that are too large, or in which a commit left no line, are omitted. `commits` are as from `read_commits`.
    """
    sizes = cycle(SIZES)
    size = next(sizes)
    row: list[RecordedCommit] = []
    for commit in commits:
        if row and (row[-1].parent != commit.oid or row[-1].author != commit.author):
            row = []
        row.append(commit)
        if len(row) == size:
            change = _fold(repository, tuple(reversed(row)))
            if change is not None:
                yield change
            row, size = [], next(sizes)


def _fold(repository: Repository, commits: tuple[RecordedCommit, ...]) -> FoldedChange | None:
    if any(commit.header.type in _NO_CONCERN for commit in commits):
        return None
    folded = FoldedChange(commits, {})
    changes = list_changes(repository, folded.base, folded.target, renames=False)
    changed = sum((change.added or 0) + (change.deleted or 0) for change in changes)
    if len(changes) > FILES or changed not in LINES or not all(map(_is_text, changes)):
        return None
    origins = find_origins(repository, folded.base, [commit.oid for commit in commits])
    for diff in read_diffs(repository, folded.base, folded.target, changes, limit=PATCH_LIMIT):
        for line in list_lines(diff.change.path, diff.hunks):
            # A line that one commit removed and another added again is not part of the change.
            if line in origins:
                folded.lines[line] = origins[line]
    if len(set(folded.lines.values())) < len(commits):
        return None
    return folded


def list_lines(path: bytes, hunks: Iterable[Hunk]) -> Iterator[Line]:
    """Yield the changed lines of a file's hunks."""
    for hunk in hunks:
        for number in range(hunk.old_start, hunk.old_start + hunk.old_count):
            yield path, "-", number
        for number in range(hunk.new_start, hunk.new_start + hunk.new_count):
            yield path, "+", number


def _is_text(change: FileChange) -> bool:
    return not change.binary and {change.old_mode, change.new_mode} <= {ABSENT, *REGULAR}


def find_origins(repository: Repository, base: str, commits: Sequence[str]) -> dict[Line, int]:
    """Return the position of the commit that removed each line of the old texts, or added each line of the new ones.

    The `commits` follow each other, and the first one follows `base`. Raise GitError if git fails.
    """
    steps: list[list[FileDiff]] = []
    first: dict[bytes, FileChange] = {}
    for parent, commit in pairwise([base, *commits]):
        changes = list_changes(repository, parent, commit, renames=False)
        steps.append(read_diffs(repository, parent, commit, changes, limit=PATCH_LIMIT))
        for change in changes:
            first.setdefault(change.path, change)
    texts = _number_lines(repository, first)
    origins: dict[Line, int] = {}
    for position, diffs in enumerate(steps):
        for diff in diffs:
            lines = texts[diff.change.path]
            for number in _apply(diff, lines, position):
                origins[diff.change.path, "-", number] = position
    for path, lines in texts.items():
        for number, (sign, position) in enumerate(lines, start=1):
            if sign == "+":
                origins[path, sign, number] = position
    return origins


def _apply(diff: FileDiff, lines: list[tuple[str, int]], position: int) -> Iterator[int]:
    """Change `lines` as the commit at `position` did; yield the numbers of the old lines that it removed."""
    for hunk in reversed(diff.hunks):
        start = hunk.old_start - min(hunk.old_count, 1)
        end = start + hunk.old_count
        for sign, number in lines[start:end]:
            if sign == "-":
                yield number
        lines[start:end] = [("+", position)] * hunk.new_count


def _number_lines(repository: Repository, first: dict[bytes, FileChange]) -> dict[bytes, list[tuple[str, int]]]:
    """Return for each line of the old texts `-` and its number; later, a line that is added is `+` and its commit."""
    texts: dict[bytes, list[tuple[str, int]]] = {path: [] for path in first}
    old = [change for change in first.values() if change.old_mode in REGULAR]
    for change, content in zip(old, read_objects(repository, [change.old_id for change in old]), strict=True):
        count = content.count(b"\n") + (content[-1:] not in (b"", b"\n"))
        for number in range(1, count + 1):
            texts[change.path].append(("-", number))
    return texts


NAME = "smartcommit"
COMMON = "most common type and scope"


@dataclass(frozen=True, slots=True)
class DraftScore:
    """The score of a draft, or the average of several: each but `seconds` from 0 to 1.

    `type` and `scope` are 1 if they are those that were recorded, and `valid` if `commit-msg` accepts the draft.
    `edit_distance` is the share of the characters of the header that would have to be changed to make it the recorded
    one. `seconds` is how long it took, None for a baseline.
    """

    name: str
    type: float
    scope: float
    edit_distance: float
    valid: float
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SplitScore:
    """The score of a split, or the average of several: each but `seconds` from 0 to 1.

    `balanced` is the mean, over the recorded commits, of the share of their lines that are in the commit matched to
    them, and `exact` is 1 if the change is split as it was recorded. `seconds` is as for a draft.
    """

    name: str
    balanced: float
    exact: float
    seconds: float | None = None


Score = TypeVar("Score", DraftScore, SplitScore)


@dataclass(frozen=True, slots=True)
class Results(Generic[Score]):
    """The scores of drafts or splits and of baselines; `fallbacks` has the model's failures."""

    count: int
    scores: tuple[Score, ...]
    fallbacks: tuple[str, ...]


# What a person would get without any judgement.
SPLIT_BASELINES: dict[str, Callable[[Line], Hashable]] = {
    "one commit": lambda line: None,
    "a commit per file": lambda line: line[0],
    "a commit per directory": lambda line: os.path.dirname(line[0]),
}


def replay_drafts(repository: Repository, commits: Iterable[RecordedCommit], settings: Settings) -> Results[DraftScore]:
    """Draft the message of each commit that changes something, as if it had just been staged on its parent.

    Raise GitError if git fails, ConfigError if a rule cannot be applied, SmartcommitError if nothing was changed.
    """
    rules = make_rules(settings)
    drafts, common, fallbacks = [], [], []
    for commit in commits:
        began = time.perf_counter()
        deadline = Deadline(drafting.find_time_limit(settings))
        request = read_request(repository, commit.parent, commit.oid, settings)
        if request is None:
            continue
        made = drafting.answer(request, deadline=deadline, terminal=None)
        seconds = time.perf_counter() - began
        if made.reason is not None:
            fallbacks.append(made.reason)
        text = made.text
        drafted = read_header(text.partition("\n")[0])
        score = score_draft(NAME, commit.header, drafted, valid=is_accepted(text, rules))
        drafts.append(replace(score, seconds=seconds))
        habit = _find_common_header(repository, commit)
        common.append(score_draft(COMMON, commit.header, habit, valid=is_accepted(f"{habit}\n", rules)))
    if not drafts:
        raise SmartcommitError("these commits change nothing", hint="give a larger number with --last")
    return Results(len(drafts), (average(drafts), average(common)), tuple(fallbacks))


def _find_common_header(repository: Repository, commit: RecordedCommit) -> Header:
    """Return the most common type and scope before `commit`, and a summary that names its first file."""
    types, scopes = Counter[str](), Counter[str | None]()
    for earlier in History.load(repository, commit.parent).commits:
        if earlier.type is not None:
            types[earlier.type] += 1
            scopes[earlier.scope] += 1
    (kind, _), *_ = types.most_common(1) or [("feat", 0)]
    (scope, _), *_ = scopes.most_common(1) or [(None, 0)]
    changes = list_changes(repository, commit.parent, commit.oid, renames=False, counts=False)
    summary = "update"
    if changes:
        summary += f" {os.path.basename(os.fsdecode(changes[0].path))}"
    return Header(kind, summary, scope=scope)


@dataclass(frozen=True, slots=True)
class SplitResults:
    """The scores of the splits of all changes, and of those in which several commits changed the same file."""

    all: Results[SplitScore]
    divided: Results[SplitScore]


def replay_splits(repository: Repository, changes: Iterable[FoldedChange], settings: Settings) -> SplitResults:
    """Split each of the changes; nothing is committed. There are no scores if there are no changes.

    Raise GitError if git fails.
    """
    scores: list[dict[str, SplitScore]] = []
    divided: list[dict[str, SplitScore]] = []
    fallbacks = []
    for change in changes:
        began = time.perf_counter()
        made = _split(repository, change, settings)
        seconds = time.perf_counter() - began
        if made.failure is not None:
            fallbacks.append(made.failure)
        score = score_split(NAME, change.lines, _group_lines(made, change.lines))
        found = {NAME: replace(score, seconds=seconds)}
        for name, group in SPLIT_BASELINES.items():
            groups = dict(zip(change.lines, map(group, change.lines), strict=True))
            found[name] = score_split(name, change.lines, groups)
        scores.append(found)
        if change.divides_file:
            divided.append(found)
    return SplitResults(_average_splits(scores, fallbacks), _average_splits(divided, ()))


def _average_splits(scores: Sequence[Mapping[str, SplitScore]], fallbacks: Sequence[str]) -> Results[SplitScore]:
    """Return the averages of the scores of each name."""
    averages = []
    for name in scores[0] if scores else ():
        averages.append(average([found[name] for found in scores]))
    return Results(len(scores), tuple(averages), tuple(fallbacks))


def _split(repository: Repository, change: FoldedChange, settings: Settings) -> SplitPlan:
    with make_split_run(repository) as run:
        snapshot = Snapshot(
            repository=repository,
            run=run,
            index=run.before,
            staged=True,
            head=change.base,
            base=change.base,
            branch=None,
            target=change.target,
            staged_tree=change.target,
            untracked=(),
            removed=frozenset(),
            hides_untracked=False,
            config=(),
        )
        reader = ChangeReader(snapshot, settings)
        made = splitting.make(reader, EngineOptions(), terminal=None, report=_ignore)
    assert made is not None, "a folded change has lines"
    return made


def _ignore(line: str) -> None:
    """Do not print where an unfinished plan is: it is removed with the temporary git directory."""


def _group_lines(plan: SplitPlan, lines: Iterable[Line]) -> dict[Line, int]:
    """Return the number of the planned commit of each line that is in one."""
    by_path: dict[bytes, list[Line]] = {}
    for line in lines:
        by_path.setdefault(line[0], []).append(line)
    groups = {}
    for number, commit in enumerate(plan.commits):
        for unit in commit.units:
            for line in _list_lines(unit, by_path):
                groups[line] = number
    return groups


def _list_lines(unit: Unit, by_path: dict[bytes, list[Line]]) -> Iterator[Line]:
    if unit.kind != "file":
        yield from list_lines(unit.change.path, unit.hunks)
        return
    for path in unit.paths:
        yield from by_path.get(path, ())


def score_draft(name: str, recorded: Header, drafted: Header | None, *, valid: bool) -> DraftScore:
    """Return the score of a draft, whose header is None if it has none."""
    return DraftScore(
        name,
        type=drafted is not None and drafted.type == recorded.type,
        scope=drafted is not None and drafted.scope == recorded.scope,
        edit_distance=edit_distance(str(drafted or ""), str(recorded)),
        valid=valid,
    )


def edit_distance(first: str, second: str) -> float:
    """Return the Levenshtein distance of two texts, divided by the length of the longer one."""
    row = list(range(len(second) + 1))
    for number, character in enumerate(first, start=1):
        diagonal, row[0] = row[0], number
        for position, other in enumerate(second, start=1):
            replaced = diagonal + (character != other)
            diagonal = row[position]
            row[position] = min(replaced, diagonal + 1, row[position - 1] + 1)
    return row[-1] / max(len(first), len(second), 1)


def score_split(name: str, lines: Mapping[Line, int], groups: Mapping[Line, Hashable]) -> SplitScore:
    """Return the score of a split.

    `lines` has the recorded commit of each changed line, and `groups` the commit that it was split into; a line that is
    left out has none. Groups are matched to commits one to one, so that the accuracy is largest. Source: the evaluation
    of Flexeme (Partachi et al., FSE 2020).
    """
    sizes = Counter(lines.values())
    shared: dict[Hashable, Counter[int]] = {}
    for line, commit in lines.items():
        if line in groups:
            shared.setdefault(groups[line], Counter())[commit] += 1
    # The best sum for each set of commits that are matched already.
    best = {frozenset[int](): 0.0}
    for counts in shared.values():
        for matched, total in list(best.items()):
            for commit in counts.keys() - matched:
                wider = matched | {commit}
                best[wider] = max(best.get(wider, 0.0), total + counts[commit] / sizes[commit])
    balanced = max(best.values()) / len(sizes)
    return SplitScore(name, balanced, exact=balanced == 1 and len(shared) == len(sizes))


def average(scores: Sequence[Score]) -> Score:
    """Return the means of one or more scores of one name, and the median of their seconds."""
    averages: dict[str, Any] = {}
    for field in fields(scores[0])[1:]:
        values = [getattr(score, field.name) for score in scores]
        if None not in values:
            averages[field.name] = median(values) if field.name == "seconds" else mean(values)
    return replace(scores[0], **averages)


Item = TypeVar("Item")
Found = TypeVar("Found")
AnyResults = Results[DraftScore] | Results[SplitScore]


@click.command()
@click.option("--last", type=click.IntRange(min=1), default=100, show_default=True, help="Commits to replay.")
@click.option(
    "--engine", type=click.Choice(PROVIDERS), default="embedded", show_default=True, help="Engine to measure."
)
@click.option("--model", help="Model to use.")
@click.option("--api-base", help="Address of the model server.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, last: int, engine: str, model: str | None, api_base: str | None, as_json: bool) -> None:
    """Draft and split this repository's last commits again, and compare the result with what was recorded."""
    found = Repository.find()
    settings = load(found.worktree, arguments={"provider": engine, "model": model, "api-base": api_base})
    with copy_git_dir(found) as repository:
        commits = read_commits(repository, last)
        changes = list(fold_commits(repository, commits))
        drafts = _watch(commits, "drafts", lambda items: replay_drafts(repository, items, settings))
        splits = _watch(changes, "splits", lambda items: replay_splits(repository, items, settings))
    if as_json:
        click.echo(
            json.dumps(
                {
                    "drafts": _to_object(drafts),
                    "splits": _to_object(splits.all),
                    "splits_within_files": _to_object(splits.divided),
                },
                indent=2,
            )
        )
        return
    _print_table(f"drafts of {format_count(drafts.count, 'commit')}", drafts)
    click.echo()
    if splits.all.count:
        _print_table(f"splits of {format_count(splits.all.count, 'folded change')}", splits.all)
        if splits.divided.count:
            click.echo()
            _print_table(f"{splits.divided.count} of them within a file", splits.divided)
    else:
        click.echo("no splits: no commits of one author in a row that can be folded together; try more with --last")


def _watch(items: Sequence[Item], label: str, replay: Callable[[Iterable[Item]], Found]) -> Found:
    """Replay `items` beneath a progress bar, if a person is watching."""
    if not sys.stderr.isatty():
        return replay(items)
    with click.progressbar(items, label=label, file=sys.stderr) as bar:
        return replay(bar)


def _to_object(results: AnyResults) -> dict[str, object]:
    scores = list(map(dataclasses.asdict, results.scores))
    return {"count": results.count, "scores": scores, "fallbacks": dict(Counter(results.fallbacks))}


def _print_table(title: str, results: AnyResults) -> None:
    rows = []
    for score in results.scores:
        rows.append(dataclasses.asdict(score))
    columns = list(rows[0])[1:]
    width = max(len(title), *(len(row["name"]) for row in rows))
    click.echo("  ".join([title.ljust(width), *(column.replace("_", " ") for column in columns)]))
    for row in rows:
        cells = [row["name"].ljust(width)]
        for column in columns:
            cells.append(_format(row[column]).rjust(len(column)))
        click.echo("  ".join(cells))
    for reason, number in Counter(results.fallbacks).items():
        click.echo(f"{number} of {results.count} made without the model: {printable(reason)}")


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    command()
