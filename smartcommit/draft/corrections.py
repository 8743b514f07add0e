"""How a person corrects drafts, learned from drafted and committed messages, which are kept in the git directory.

Nothing is sent anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from smartcommit import state_files
from smartcommit.change.wording import choose_fitting
from smartcommit.config import Settings
from smartcommit.draft.result import Draft
from smartcommit.errors import GitError
from smartcommit.git.query import log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, read_head
from smartcommit.message.header import Header, parse_header
from smartcommit.message.trailers import find_trailers
from smartcommit.message.verbs import find_base
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "drafts.json"
# The parts of a message that habits are about.
PARTS = ("type", "scope", "verb", "body")
# The value of the part "body" in a message that has one.
BODY = "drafted"
# How often the same correction has to be made before it counts as a habit, and in how many of the last drafts with a
# value, since people change their minds.
_LEAST_FOR_HABIT, _DRAFTS_COUNTED = 2, 3
# Number of pairs of messages that are kept, characters of each message, and number of paths of a draft.
_PAIRS_KEPT, _CHARACTERS_KEPT, _PATHS_KEPT = 200, 2000, 100
# Bytes that are read of a commit: its message and paths.
_COMMIT_BYTES_READ = 1 << 20


class Pair(Record):
    """A message as it was drafted before corrections, and the one that was committed in its place as `commit`."""

    drafted: str
    committed: str
    commit: str


class Pending(Record):
    """A draft on top of the commit `head`, with its first paths, until it is known what became of it."""

    head: str
    text: str
    paths: list[str]


class Habit(Record):
    """A correction that a person makes often: where a draft says `drafted`, they write `committed`, or nothing.

    They did so in `commits`, the oldest first, out of `drafts` that were counted.
    """

    drafted: str
    committed: str
    drafts: int
    commits: Sequence[str]


class Corrections(Record):
    """A person's corrections of drafts: `pairs` of a drafted and a committed message, the oldest first."""

    pairs: Sequence[Pair] = ()
    pending: Pending | None = None

    @cached_property
    def habits(self) -> dict[str, dict[str, Habit]]:
        """What this person keeps changing: for each of PARTS its habits, by what they replace.

        What a person adds where a draft has nothing depends on the change and is never a habit.
        """
        # What became of each value of a part, and in which commit.
        cases: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for pair in self.pairs:
            for part, drafted, committed in _compare(pair):
                if drafted:
                    cases[part, drafted].append((committed, pair.commit))
        habits: dict[str, dict[str, Habit]] = defaultdict(dict)
        for (part, drafted), found in cases.items():
            counted = found[-_DRAFTS_COUNTED:]
            outcomes: dict[str, list[str]] = defaultdict(list)
            for committed, commit in counted:
                outcomes[committed].append(commit)
            committed, commits = max(outcomes.items(), key=lambda outcome: len(outcome[1]))
            if committed != drafted and len(commits) >= _LEAST_FOR_HABIT:
                habits[part][drafted] = Habit(drafted, committed, len(counted), commits)
        return habits

    def correct(self, header: Header, body: str, types: Sequence[str], limit: int) -> Draft:
        """Return the draft as this person would write it: with another type, scope or verb, or without its body.

        The type stays one of `types`, and the summary is cut to `limit` characters.
        """
        uncorrected = f"{header}\n{body}"
        habit = self.habits["type"].get(header.type)
        if habit is not None and habit.committed in types:
            header.type = habit.committed
        habit = self.habits["scope"].get(header.scope or "")
        if habit is not None:
            header.scope = habit.committed or None
        verb, space, rest = header.summary.partition(" ")
        habit = self.habits["verb"].get(verb.lower())
        if habit is not None:
            header.summary = choose_fitting([habit.committed + space + rest], limit, limit)
        if self.habits["body"]:
            body = ""
        return Draft(f"{header}\n{body}", uncorrected=uncorrected)


def _compare(pair: Pair) -> Iterator[tuple[str, str, str]]:
    drafted = pair.drafted
    if drafted.rstrip().endswith(":"):
        # The summary was left open.
        drafted = f"{drafted.rstrip()} -"
    before, after = parse_header(drafted.partition("\n")[0]), parse_header(pair.committed.partition("\n")[0])
    if before is None or after is None:
        return
    yield "type", before.type, after.type
    yield "scope", before.scope or "", after.scope or ""
    yield "body", _find_body(drafted), _find_body(pair.committed)
    verb, _, rest = before.summary.partition(" ")
    other, _, other_rest = after.summary.partition(" ")
    # In another sentence, another verb is no correction.
    words, others = set(rest.split()), set(other_rest.split())
    is_kept = 2 * len(words & others) >= max(len(words), len(others))
    if find_base(verb.lower()) and is_kept and other.isalpha():
        yield "verb", verb.lower(), other.lower()


def _find_body(message: str) -> str:
    """Return BODY if there is more than a header and trailers, else an empty text."""
    lines = message.split("\n")
    start, _ = find_trailers(lines)
    if any(lines[1:start]):
        return BODY
    return ""


def load_corrections(repository: Repository, settings: Settings, head: str | None = None) -> Corrections:
    """Return what is kept in `repository`, the last draft with its commit; nothing if `smartcommit.learn` is off.

    `head` is the commit of HEAD if it is known, which saves a process.
    """
    if not settings.flag("learn"):
        return Corrections()
    kept = state_files.load_json(repository.git_dir, NAME, _read) or Corrections()
    if kept.pending is None:
        return kept
    return _settle(kept.pairs, kept.pending, repository.worktree, head or repository.head() or "")


def _read(content: Any) -> Corrections:
    pairs = [Pair(**pair) for pair in content["pairs"]]
    return Corrections(pairs, content["pending"] and Pending(**content["pending"]))


def save_draft(
    repository: Repository, corrections: Corrections, text: str, *, head: str | None, paths: Iterable[bytes]
) -> None:
    """Keep the draft `text` of a commit of `paths` that is about to be made on top of `head`, and `corrections`."""
    pairs = list(map(Pair.as_dict, corrections.pairs[-_PAIRS_KEPT:]))
    pending = Pending(head or "", text[:_CHARACTERS_KEPT], _list_first(paths))
    state_files.save_json(repository.git_dir, NAME, {"pairs": pairs, "pending": pending.as_dict()})


def _settle(pairs: Sequence[Pair], pending: Pending, directory: str, head: str) -> Corrections:
    """Return `pairs`, with the pending draft and the commit `head` if that has its parent and paths; one process."""
    if head == pending.head:
        return Corrections(pairs, pending)
    try:
        output, complete = read_head(
            log_command("%P%x00%B%x00", "-M", "--name-only", last=1, revisions=[head]),
            limit=_COMMIT_BYTES_READ,
            directory=directory,
            environment=NO_LAZY_FETCH,
        )
    except GitError:
        # In a partial clone git cannot always tell what a commit changed.
        return Corrections(pairs)
    parents, message, *lines = output.split(b"\0")
    paths = [path.removeprefix(b"\n") for path in lines if path.strip()]
    if not complete or parents.decode() != pending.head or _list_first(paths) != pending.paths:
        return Corrections(pairs)
    committed = message.decode("utf-8", "replace")[:_CHARACTERS_KEPT]
    return Corrections([*pairs, Pair(pending.text, committed, head)])


def _list_first(paths: Iterable[bytes]) -> list[str]:
    return [path.decode("utf-8", "backslashreplace") for path in sorted(paths)[:_PATHS_KEPT]]


def forget(repository: Repository) -> None:
    state_files.drop(repository.git_dir, NAME)
