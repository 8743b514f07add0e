"""How a person corrects drafts, learned from drafted and committed messages, which are kept in the git directory.

Nothing is sent anywhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from smartcommit import state_files
from smartcommit.config import Settings
from smartcommit.errors import GitError
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import NO_LAZY_FETCH, read_head
from smartcommit.message.header import Header, parse_header
from smartcommit.message.verbs import find_verb
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
# How often a correction has to be made before it counts as a habit.
_LEAST_FOR_HABIT = 3


class Corrections(Record):
    """A person's corrections of drafts: `pairs` of a drafted and a committed message, the oldest first."""

    pairs: Sequence[tuple[str, str]] = ()

    def correct(self, header: Header, types: Sequence[str]) -> None:
        """Give `header` the type and the scope that this person usually replaces the drafted ones with."""
        replacement = self.find_habits("type").get(header.type)
        if replacement in types:
            header.type = replacement or header.type
        if header.scope is not None:
            header.scope = self.find_habits("scope").get(header.scope, header.scope) or None

    def prefer_verbs(self, verbs: dict[str, float]) -> None:
        """Make the verbs that this person replaces others with the likeliest of `verbs`, which holds logarithms."""
        for drafted, committed in self.find_habits("verb").items():
            verbs[committed] = max(verbs.values()) + 1.0
            verbs[drafted] = min(verbs.get(drafted, 0.0), verbs[committed] - 1.0)

    def replace_verbs(self, summaries: Sequence[str]) -> list[str]:
        """Return `summaries` with the verbs that this person puts in place of those that they begin with."""
        habits = self.find_habits("verb")
        replaced = []
        for summary in summaries:
            first, space, rest = summary.partition(" ")
            replaced.append(habits.get(first, first) + space + rest)
        return replaced

    def find_habits(self, part: str) -> dict[str, str]:
        """Return what this person mostly replaces a drafted `type`, `scope` or `verb` with, at least three times.

        The replacement is empty if they remove the scope. What they add where a draft has none depends on the change,
        and so does what they begin a summary with in place of a verb.
        """
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for drafted, committed in self.pairs:
            before, after = split_header(drafted), split_header(committed)
            if before is None or after is None:
                continue
            if before[part] and (after[part] or part == "scope"):
                counts[before[part]][after[part]] += 1
        habits = {}
        for drafted, replacements in counts.items():
            committed, count = replacements.most_common(1)[0]
            if committed != drafted and count >= _LEAST_FOR_HABIT and 2 * count > replacements.total():
                habits[drafted] = committed
        return habits


def split_header(message: str) -> dict[str, str] | None:
    """Return `type`, `scope` and `verb` of a message, each empty if it has none; None without a conventional header."""
    header = parse_header(message.split("\n", 1)[0])
    if header is None:
        return None
    return {"type": header.type, "scope": header.scope or "", "verb": find_verb(header.summary) or ""}


class _Pending(Record):
    """A draft on top of the commit `head`, with its first paths, until it is known what became of it."""

    head: str
    text: str
    paths: list[str]


class _Kept(Record):
    """The content of the file."""

    pairs: list[tuple[str, str]]
    pending: _Pending | None

    def save(self, git_dir: str) -> None:
        content = {"pairs": self.pairs[-_PAIRS_KEPT:], "pending": self.pending and self.pending.as_dict()}
        state_files.save_json(git_dir, NAME, content)


def _load(git_dir: str) -> _Kept:
    """Return what is kept; nothing if the file is missing or damaged."""
    return state_files.load_json(git_dir, NAME, _read_kept) or _Kept([], None)


def _read_kept(content: Any) -> _Kept:
    pairs = [(str(drafted), str(committed)) for drafted, committed in content["pairs"]]
    return _Kept(pairs, content["pending"] and _Pending(**content["pending"]))


def load_corrections(repository: Repository, settings: Settings) -> Corrections:
    """Return what is kept in `repository`; nothing if `smartcommit.learn` is off."""
    if not settings.flag("learn"):
        return Corrections()
    return Corrections(_load(repository.git_dir).pairs)


def save_draft(
    repository: Repository, settings: Settings, text: str, *, head: str | None, paths: Iterable[bytes]
) -> None:
    """Keep the draft `text` of a commit of `paths` that is about to be made on top of `head`."""
    if settings.flag("learn"):
        kept = _load(repository.git_dir)
        kept.pending = _Pending(head or "", text[:_CHARACTERS_KEPT], _list_first(paths))
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
        if found is not None and found[0] != pending.head:
            # Drafts are settled by the next draft, and none is made for a commit with a message of its own.
            found = _read_commit(repository.worktree, _find_child(repository.worktree, pending.head))
        if found is not None:
            parents, message, paths = found
            if parents == pending.head and _list_first(paths) == pending.paths:
                kept.pairs.append((pending.text, message.decode("utf-8", "replace")[:_CHARACTERS_KEPT]))
    except (GitError, ValueError):
        # In a partial clone git cannot always tell what a commit changed.
        pass
    kept.pending = None
    kept.save(repository.git_dir)


def _read_commit(directory: str, revision: str) -> tuple[str, bytes, list[bytes]] | None:
    """Return the parents, the message and the changed paths of a commit, None if that is too much to read."""
    output, complete = read_head(
        log_command("%P%x00%B%x00", "-M", "--name-only", last=1, revisions=[revision]),
        limit=_COMMIT_BYTES_READ,
        directory=directory,
        environment=NO_LAZY_FETCH,
    )  # fmt: skip
    if not complete:
        return None
    parents, message, *paths = output.split(b"\0")
    names = [path.removeprefix(b"\n") for path in paths if path.strip()]
    return parents.decode(), message, names


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
    for line in output.decode().splitlines():
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
