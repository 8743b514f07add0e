"""How a person corrects drafts, learned from drafted and committed messages, which are kept in the git directory.

Nothing is sent anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter

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
# How often the same correction has to be made before it counts as a habit, and the number of the last drafts with a
# value that are counted, since people change their minds.
_LEAST_FOR_HABIT, _DRAFTS_COUNTED = 2, 4
# Number of pairs of messages that are kept, characters of each message, and number of paths of a draft.
_PAIRS_KEPT, _CHARACTERS_KEPT, _PATHS_KEPT = 200, 2000, 100
# Number of commits before HEAD that may have been made from a draft.
_COMMITS_SEARCHED = 50
# Bytes that are read of a commit: its message and paths.
_COMMIT_BYTES_READ = 1 << 20


class Pair(Record):
    """A message as it was drafted before corrections, and the one that was committed in its place as `commit`."""

    drafted: str
    committed: str
    commit: str


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

    @cached_property
    def habits(self) -> dict[str, dict[str, Habit]]:
        """What this person keeps changing: for each of PARTS its habits, by what they replace."""
        return _find_habits(self.pairs)

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


def _find_habits(pairs: Sequence[Pair]) -> dict[str, dict[str, Habit]]:
    """Return the habits of each of PARTS by what they replace.

    A correction is a habit if it was made at least twice, and in more than half of the last drafts with that value.
    What a person adds where a draft has nothing depends on the change and is never a habit.
    """
    # What became of each value of a part, and in which commit.
    cases: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for pair in pairs:
        for part, drafted, committed in _compare(pair):
            if drafted:
                cases[part, drafted].append((committed, pair.commit))
    habits: dict[str, dict[str, Habit]] = {part: {} for part in PARTS}
    for (part, drafted), found in cases.items():
        habit = _find_habit(drafted, found[-_DRAFTS_COUNTED:])
        if habit is not None:
            habits[part][drafted] = habit
    return habits


def _find_habit(drafted: str, cases: Sequence[tuple[str, str]]) -> Habit | None:
    """Return what a value is replaced by in most of the `cases`, or None; of two corrections, the newer one wins."""
    outcomes = list(map(itemgetter(0), cases))
    for committed in dict.fromkeys(reversed(outcomes)):
        if committed == drafted:
            continue
        first = outcomes.index(committed)
        # Other corrections before the first of these have been given up, so they do not count.
        drafts = outcomes[:first].count(drafted) + len(outcomes) - first
        commits = [commit for outcome, commit in cases if outcome == committed]
        if len(commits) >= _LEAST_FOR_HABIT and 2 * len(commits) > drafts:
            return Habit(drafted, committed, drafts, commits)
    return None


def _compare(pair: Pair) -> Iterator[tuple[str, str, str]]:
    """Yield the parts that can be compared, each with its value as drafted and as committed."""
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
    return BODY if any(lines[1:start]) else ""


class _Pending(Record):
    """A draft on top of the commit `head`, with its first paths, until it is known what became of it."""

    head: str
    text: str
    paths: list[str]


class _Kept(Record):
    """The content of the file."""

    pairs: list[Pair]
    pending: _Pending | None

    def save(self, git_dir: str) -> None:
        pairs = list(map(Pair.as_dict, self.pairs[-_PAIRS_KEPT:]))
        state_files.save_json(git_dir, NAME, {"pairs": pairs, "pending": self.pending and self.pending.as_dict()})


def _load(git_dir: str) -> _Kept:
    """Return what is kept; nothing if the file is missing or damaged."""
    return state_files.load_json(git_dir, NAME, _read_kept) or _Kept([], None)


def _read_kept(content: Any) -> _Kept:
    pairs = [Pair(**pair) for pair in content["pairs"]]
    return _Kept(pairs, content["pending"] and _Pending(**content["pending"]))


def load_corrections(repository: Repository, settings: Settings, head: str | None = None) -> Corrections:
    """Return what is kept in `repository`, the last draft included; nothing if `smartcommit.learn` is off.

    `head` is the commit of HEAD if it is known, which saves a process.
    """
    if not settings.flag("learn"):
        return Corrections()
    kept = _load(repository.git_dir)
    if kept.pending is not None:
        _settle(kept, repository.worktree, head or repository.head())
    return Corrections(kept.pairs)


def save_draft(
    repository: Repository, settings: Settings, text: str, *, head: str | None, paths: Iterable[bytes]
) -> None:
    """Keep the draft `text` of a commit of `paths` that is about to be made on top of `head`."""
    if settings.flag("learn"):
        kept = _load(repository.git_dir)
        kept.pending = _Pending(head or "", text[:_CHARACTERS_KEPT], _list_first(paths))
        kept.save(repository.git_dir)


def settle_draft(repository: Repository, settings: Settings, head: str | None) -> None:
    """Keep with the last draft the message of the commit that was made from it, if any; then forget the draft."""
    if settings.flag("learn"):
        kept = _load(repository.git_dir)
        if kept.pending is not None and _settle(kept, repository.worktree, head):
            kept.save(repository.git_dir)


def _settle(kept: _Kept, directory: str, head: str | None) -> bool:
    """Pair the pending draft with the message of the commit that was made from it; return whether HEAD has moved.

    The commit was made from it if it has the draft's parent and paths. Runs one git process if HEAD has moved by one
    commit since, three if by more.
    """
    pending = kept.pending
    if pending is None or (head or "") == pending.head:
        return False
    kept.pending = None
    try:
        found = _read_commit(directory, "HEAD")
        if found is not None and found[1] != pending.head:
            # Drafts are settled by the next draft, and none is made for a commit with a message of its own.
            found = _read_commit(directory, _find_child(directory, pending.head))
    except (GitError, ValueError):
        # In a partial clone git cannot always tell what a commit changed.
        return True
    if found is not None:
        commit, parents, message, paths = found
        if parents == pending.head and _list_first(paths) == pending.paths:
            kept.pairs.append(Pair(pending.text, message.decode("utf-8", "replace")[:_CHARACTERS_KEPT], commit))
    return True


def _read_commit(directory: str, revision: str) -> tuple[str, str, bytes, list[bytes]] | None:
    """Return the name, the parents, the message and the changed paths of a commit, None if that is too much to read."""
    output, complete = read_head(
        log_command("%H %P%x00%B%x00", "-M", "--name-only", last=1, revisions=[revision]),
        limit=_COMMIT_BYTES_READ,
        directory=directory,
        environment=NO_LAZY_FETCH,
    )  # fmt: skip
    if not complete:
        return None
    start, message, *paths = output.split(b"\0")
    commit, _, parents = start.decode().partition(" ")
    names = [path.removeprefix(b"\n") for path in paths if path.strip()]
    return commit, parents, message, names


def _find_child(directory: str, parent: str) -> str:
    """Return which of HEAD's last commits was made on top of `parent`, which is empty before the first commit.

    Raise ValueError if there is none.
    """
    output, _ = read_head(
        ("rev-list", "--first-parent", "--parents", f"--max-count={_COMMITS_SEARCHED}", "HEAD"),
        limit=_COMMIT_BYTES_READ,
        directory=directory,
        environment=NO_LAZY_FETCH,
    )
    for line in output.decode().split("\n"):
        commit, _, parents = line.partition(" ")
        if parents == parent:
            return commit
    raise ValueError(f"none of the last {_COMMITS_SEARCHED} commits was made on top of '{parent}'")


def _list_first(paths: Iterable[bytes]) -> list[str]:
    """Return the first of `paths`, enough to recognize a commit."""
    return [path.decode("utf-8", "backslashreplace") for path in sorted(paths)[:_PATHS_KEPT]]


def forget(repository: Repository) -> None:
    """Delete what is kept in `repository`."""
    state_files.drop(repository.git_dir, NAME)
