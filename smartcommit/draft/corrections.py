"""How a person corrects drafts, learned from drafted and committed messages, which are kept in the git directory.

Nothing is sent anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from smartcommit import state_files
from smartcommit.change.facts import ChangeFacts
from smartcommit.change.wording import choose_fitting
from smartcommit.config import Settings
from smartcommit.draft.habits import Habit, Pair, Replacement, correct_summary, find_habits
from smartcommit.draft.result import Draft
from smartcommit.errors import GitError
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, read_head
from smartcommit.message.header import Header
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "drafts.json"
# Number of pairs of messages that are kept, characters of each message, and number of paths of a draft.
_PAIRS_KEPT, _CHARACTERS_KEPT, _PATHS_KEPT = 200, 2000, 100
# Number of commits before HEAD that may have been made from a draft.
_COMMITS_SEARCHED = 50
# Bytes that are read of a commit: its message and paths.
_COMMIT_BYTES_READ = 1 << 20


class Corrections(Record):
    """A person's corrections of drafts: `pairs` of a drafted and a committed message, the oldest first."""

    pairs: Sequence[Pair] = ()

    @cached_property
    def habits(self) -> dict[str, dict[str, Habit]]:
        """What this person keeps changing: for each of `habits.PARTS` its habits, by what they replace."""
        return find_habits(self.pairs)

    def correct(self, header: Header, types: Sequence[str]) -> list[Replacement]:
        """Give `header` the type and the scope that this person replaces the drafted ones with; return these."""
        replaced = []
        habit = self.habits["type"].get(header.type)
        if habit is not None and habit.committed in types:
            header.type = habit.committed
            replaced.append(habit.make_replacement())
        habit = self.habits["scope"].get(header.scope or "")
        if habit is not None:
            header.scope = habit.committed or None
            replaced.append(habit.make_replacement())
        return replaced

    def correct_summary(self, header: Header, change: ChangeFacts, limit: int) -> list[Replacement]:
        """Give the summary of `change` the verb and the words that this person replaces its own with; return these.

        It is cut to `limit` characters.
        """
        names = _list_names(change) if self.habits["word"] else set()
        summary, replaced = correct_summary(header.summary, self.habits, names)
        header.summary = choose_fitting([summary], limit, limit)
        return replaced

    @property
    def drops_body(self) -> bool:
        """Whether this person removes the bodies of drafts."""
        return bool(self.habits["body"])


def _list_names(change: ChangeFacts) -> set[str]:
    """Return the names in code that a summary of `change` can mention: symbols, and what has a version."""
    names = set()
    for file in change.files:
        symbols = file.symbols
        for symbol in chain(symbols.added, symbols.removed, symbols.touched, *symbols.renamed, *symbols.changed):
            names.add(symbol.name)
        for bump in file.versions:
            names.add(bump.name or "")
    return names


class _Pending(Record):
    """A draft on top of the commit `head`, with its first paths, until it is known what became of it.

    `followed` has the values of the replacements in it.
    """

    head: str
    text: str
    paths: list[str]
    followed: Sequence[Sequence[str]] = ()


class _Kept(Record):
    """The content of the file."""

    pairs: list[Pair]
    pending: _Pending | None

    def save(self, git_dir: str) -> None:
        pairs = []
        for pair in self.pairs[-_PAIRS_KEPT:]:
            pairs.append((pair.drafted, pair.committed, pair.commit, _list_values(pair.followed)))
        content = {"pairs": pairs, "pending": self.pending and self.pending.as_dict()}
        state_files.save_json(git_dir, NAME, content)


def _load(git_dir: str) -> _Kept:
    """Return what is kept; nothing if the file is missing or damaged."""
    return state_files.load_json(git_dir, NAME, _read_kept) or _Kept([], None)


def _read_kept(content: Any) -> _Kept:
    pairs = []
    for drafted, committed, *more in content["pairs"]:
        # Earlier versions kept the two messages only.
        commit, followed = more or ("", ())
        pairs.append(Pair(str(drafted), str(committed), str(commit), _read_replacements(followed)))
    return _Kept(pairs, content["pending"] and _Pending(**content["pending"]))


def _list_values(followed: Iterable[Replacement]) -> list[tuple[str, str, str]]:
    return [(one.part, one.drafted, one.written) for one in followed]


def _read_replacements(values: Iterable[Sequence[str]]) -> list[Replacement]:
    return [Replacement(str(part), str(drafted), str(written)) for part, drafted, written in values]


def load_corrections(repository: Repository, settings: Settings, head: str | None = None) -> Corrections:
    """Return what is kept in `repository`, the last draft included; nothing if `smartcommit.learn` is off.

    `head` is the commit of HEAD if it is known, which saves a process.
    """
    if not settings.flag("learn"):
        return Corrections()
    if _load(repository.git_dir).pending is not None:
        settle_draft(repository, settings, head or repository.head())
    return Corrections(_load(repository.git_dir).pairs)


def save_draft(
    repository: Repository, settings: Settings, made: Draft, *, head: str | None, paths: Iterable[bytes]
) -> None:
    """Keep the draft `made` of a commit of `paths` that is about to be made on top of `head`."""
    if settings.flag("learn"):
        kept = _load(repository.git_dir)
        text = made.text[:_CHARACTERS_KEPT]
        kept.pending = _Pending(head or "", text, _list_first(paths), _list_values(made.followed))
        kept.save(repository.git_dir)


def settle_draft(repository: Repository, settings: Settings, head: str | None) -> None:
    """Pair the last draft with the message of the commit that was made from it, if any; then forget the draft.

    The commit was made from it if it has the draft's parent and paths. Runs one git process if a draft is pending and
    HEAD has moved by one commit since, up to three if by more.
    """
    if not settings.flag("learn"):
        return
    kept = _load(repository.git_dir)
    pending = kept.pending
    if pending is None or (head or "") == pending.head:
        return
    try:
        found = _read_commit(repository.worktree, "HEAD")
        if found is not None and found[1] != pending.head:
            # Drafts are settled by the next draft, and none is made for a commit with a message of its own.
            found = _read_commit(repository.worktree, _find_child(repository.worktree, pending.head))
        if found is not None:
            commit, parents, message, paths = found
            if parents == pending.head and _list_first(paths) == pending.paths:
                committed = message.decode("utf-8", "replace")[:_CHARACTERS_KEPT]
                kept.pairs.append(Pair(pending.text, committed, commit, _read_replacements(pending.followed)))
    except (GitError, ValueError):
        # In a partial clone git cannot always tell what a commit changed.
        pass
    kept.pending = None
    kept.save(repository.git_dir)


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
