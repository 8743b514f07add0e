"""Tells headers that git has written, of merges, reverts and squashed merges, from imitations.

git wrote a header if the commit that has it is what the header says: a merge has several parents, a revert names a
commit with the subject that it quotes, and a squashed merge lists commits. A merge that was picked is known by the name
that `cherry-pick -x` adds. While a message is edited, that commit is the one that git rewrites (`--amend`, `reword`) or
repeats (`-C`, a pick), if it is one of these.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence

from smartcommit import state_files
from smartcommit.git.query import ask, make_log_command
from smartcommit.message.header import FIXUPS, GIT_FORMS, SQUASHED
from smartcommit.message.trailers import PICKED
from smartcommit.processes.runner import is_amending
from smartcommit.record import Record

_REVERTS = "This reverts commit "
# The first words of the lines that a squashed merge has for each commit.
_LISTED = "commit Author: Date:"
# Seconds that the clock of whoever committed may be behind that of the author.
_SKEW = 86400
# git's names for the source of a message that was typed, or given with -m or -F. Source: githooks(5).
_TYPED = ("", "message", "template")
# Seconds for which the date of such a message counts as now.
_NEW = 2
# Commits with the same header among which the repeated one is looked for.
_REACH = 1000
# Names in one command line.
_NAMES = 400


class Named(Record):
    """A commit that a message names as a proof of its header.

    That is its object name, the subject that it must have, and what it proves, such as "a revert".
    """

    commit: str
    subject: str
    what: str


def find_named(message: bytes) -> Named | None:
    """Return the commit that has to exist if git wrote the header of `message`: the reverted or the picked one."""
    subject, _, body = message.decode("utf-8", "surrogateescape").partition("\n")
    if subject.startswith("Merge "):
        named = Named(body.rpartition(PICKED)[2].partition(")")[0], subject, "a merge")
    elif subject.startswith(("Revert ", "Reapply ")):
        quoted = subject.partition(' "')[2].removesuffix('"')
        if subject.startswith("Reapply "):
            quoted = f'Revert "{quoted}"'
        commit = body.partition(_REVERTS)[2].partition(".")[0].partition(",")[0].strip()
        named = Named(commit, quoted, "a revert")
    else:
        return None
    if len(named.commit) not in (40, 64) or named.commit.strip("0123456789abcdef"):
        return None
    return named


def read_named(commits: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return the number of parents and the first line of those of `commits` that exist; a process for hundreds.

    It is the first line that git quotes, where a subject may have several.
    """
    names, commits_read = list(commits), {}
    for start in range(0, len(names), _NAMES):
        revisions = names[start : start + _NAMES]
        _, log = ask(make_log_command("%H%n%P%n%B", "--no-walk=unsorted", "--ignore-missing", revisions=revisions))
        for entry in log.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            commit, parents, subject, *_ = entry.split("\n")
            commits_read[commit] = len(parents.split()), subject
    return commits_read


def find_origin(message: bytes, parents: int, found: Mapping[str, tuple[int, str]]) -> str | None:
    """Return what git made when it wrote the header of a commit, such as "a merge"; None if that is not proven.

    `found` is what `read_named` returns for the commit that the message names.
    """
    if parents > 1:
        return "a merge"
    # Only ASCII matters here, and Latin-1 has a character for every byte. Source: squash_message in builtin/merge.c.
    title, *lines = message.decode("latin-1").split("\n")
    words = [line.partition(" ")[0] for line in lines if line and not line.startswith(("    ", "Merge: ", "#"))]
    if title == SQUASHED and _LISTED in " ".join(words):
        return "a squashed merge"
    named = find_named(message)
    if named is None:
        return None
    named_parents, subject = found.get(named.commit, (0, None))
    if subject != named.subject or (named.what == "a merge" and named_parents < 2):
        return None
    return named.what


def find_repeated(header: str, git_dir: str) -> str | None:
    """Return what `find_origin` does for the commit that git is rewriting or repeating, if that has this header.

    It is found by its author, whom git exports to the hooks: `--amend`, `-C`, `-c`, `reword` and picks keep the author.
    """
    date = os.environ.get("GIT_AUTHOR_DATE", "")
    seconds = date.removeprefix("@").partition(" ")[0]
    if not seconds.isdecimal():
        return None
    author = f"{os.environ.get('GIT_AUTHOR_NAME')}\n{os.environ.get('GIT_AUTHOR_EMAIL')}\n{date.removeprefix('@')}"
    # `prepare-commit-msg` keeps the source of the message. A note with another date is about another message.
    note = os.fsdecode(state_files.load(git_dir, state_files.SOURCE) or b"").rstrip("\n")
    source = "unknown"
    if note.startswith(f"{date} from "):
        source = note.removeprefix(f"{date} from ").rstrip()
    if source.startswith("commit "):
        commit = source.removeprefix("commit ")
        repeated = _list_commits(header, None, (), commit, last=1)
        origin = _find_origin_of_any(repeated)
        if origin is not None or not repeated:
            return origin
        # It is itself a copy of the commit that proves the header, with its author, whom `--reset-author` replaces.
        _, log = ask(make_log_command("%an%n%ae%n%ad", "--date=raw", last=1, revisions=[commit]))
        author = log.decode("utf-8", "surrogateescape").removesuffix("\0")
        seconds = author.rpartition("\n")[2].partition(" ")[0]
    if source in _TYPED and not os.path.exists(os.path.join(git_dir, "rebase-merge")):
        # What is new has the author of HEAD too if HEAD was made in this very second.
        amending = is_amending()
        if amending is False or (amending is None and time.time() - int(seconds) < _NEW):
            return None
        return _find_origin_of_any(_list_commits(header, author, (), "HEAD", last=1))
    # What was committed before it was authored cannot be it, so the walk is short for a message that is new.
    since = f"--since=@{max(int(seconds) - _SKEW, 0)} +0000"
    options = ("--all", "--reflog", "--fixed-strings", f"--grep={header}", since)
    return _find_origin_of_any(_list_commits(header, author, options, "HEAD"))


def is_own_in_history(header: str) -> bool:
    """Whether git wrote `header` for one of HEAD's recent commits, as `find_origin` knows it."""
    if not header.startswith(GIT_FORMS):
        return False
    options = ("--fixed-strings", f"--grep={header}")
    return _find_origin_of_any(_list_commits(header, None, options, "HEAD")) is not None


def _list_commits(
    header: str, author: str | None, options: Iterable[str], revision: str, *, last: int = _REACH
) -> list[tuple[bytes, int]]:
    """Return the message and the number of parents of each commit of `git log` with this header, of `author` if any."""
    _, log = ask(make_log_command("%an%n%ae%n%ad%n%P%n%B", "--date=raw", *options, last=last, revisions=[revision]))
    commits = []
    for entry in log.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        *recorded, parents, message = entry.split("\n", 4)
        if author in (None, "\n".join(recorded)) and message.partition("\n")[0] == header:
            commits.append((message.encode("utf-8", "surrogateescape"), len(parents.split())))
    return commits


def _find_origin_of_any(commits: Sequence[tuple[bytes, int]]) -> str | None:
    subject = os.fsdecode(commits[0][0].partition(b"\n")[0]) if commits else ""
    if subject.startswith(FIXUPS):
        while subject.startswith(FIXUPS):
            subject = subject.partition(" ")[2]
        # Its target can be gone from HEAD's history, as a merge is after a rebase.
        options = ("--all", "--reflog", "--fixed-strings", f"--grep={subject}")
        return "a fixup" if _list_commits(subject, None, options, "HEAD") else None
    named = (find_named(message) for message, _ in commits)
    commits_read = read_named(one.commit for one in named if one is not None)
    origins = (find_origin(message, parents, commits_read) for message, parents in commits)
    return next((origin for origin in origins if origin), None)
