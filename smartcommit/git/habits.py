"""The types and scopes that a project's last commits use, read for a message that breaks the default rules.

Also whether they use any: jj's editor is set for all repositories of a user, and refuses nothing in those that do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from smartcommit.git.query import ask, make_log_command
from smartcommit.message.header import Scan, is_name, is_word
from smartcommit.message.rules import DEFAULT_TYPES, Habits

_COMMITS_READ = 400
# A type is a habit if so many commits, authored on so many days, have it. One commit or one day is not enough, since
# those commits may have skipped the check with `--no-verify`.
_COMMITS_OF_HABIT = 5
_DAYS_OF_HABIT = 3
_SECONDS_OF_DAY = 24 * 60 * 60
# The last commits that show whether a project uses conventional headers.
_COMMITS_JUDGED = 50
# With fewer commits nothing shows it.
_COMMITS_NEEDED = 5


def read_habits(directory: str | None = None, before: Sequence[str] = ()) -> Habits:
    """Return what the last commits use up to HEAD, or to where `before` begins; three processes at most."""
    revisions = ["HEAD"]
    if before:
        _, listing = ask(("rev-list", "--boundary", "--end-of-options", *before, "--"), directory=directory)
        lines = listing.decode().split("\n")
        revisions = [line[1:] for line in lines if line.startswith("-")]
    types = []
    spellings = []
    for entry in _read_log(revisions, directory):
        time, _, subject = entry.partition(" ")
        scan = Scan(subject)
        if scan.colon is None:
            continue
        if scan.type.isalpha() and scan.type.isascii():
            types.append((scan.type.lower(), find_day(time)))
        # An area stands where others have the type in `net/http: x`.
        is_area = is_word(scan.type) and scan.type.lower() not in DEFAULT_TYPES
        scope = scan.scope or (scan.type if is_area else "")
        if scope and not is_name(scope):
            spellings.append(scope)
    _, shallow = ask(("rev-parse", "--is-shallow-repository"), directory=directory)
    return Habits(find_used_types(types), frozenset(spellings), complete=shallow.strip() != b"true")


def is_conventional(directory: str | None = None, revision: str = "HEAD") -> bool:
    """Whether at least half of the last commits up to `revision` begin with a usual type; False if they are few."""
    entries = [item for item in _read_log([revision], directory, count=_COMMITS_JUDGED) if item]
    conventional = 0
    for entry in entries:
        scan = Scan(entry.partition(" ")[2])
        if scan.colon is not None and scan.type.lower() in DEFAULT_TYPES:
            conventional += 1
    return len(entries) >= _COMMITS_NEEDED and 2 * conventional >= len(entries)


def _read_log(revisions: Sequence[str], directory: str | None, count: int = _COMMITS_READ) -> list[str]:
    """Return of each commit when it was authored, in seconds, and after a space its subject."""
    if not revisions:
        return []
    _, log = ask(make_log_command("%at %s", "--no-merges", last=count, revisions=revisions), directory=directory)
    return log.decode("utf-8", "replace").split("\0")


def find_day(time: str) -> int:
    """Return the day of a time as git prints it in seconds, counted from 1970; 0 if it is not one."""
    return int(time) // _SECONDS_OF_DAY if time.isdecimal() else 0


def find_used_types(given: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return the types that are a habit, the most frequent first; `given` are those of past commits, and their days."""
    counts: dict[str, int] = {}
    days: dict[str, set[int]] = {}
    for name, day in given:
        counts[name] = counts.get(name, 0) + 1
        days.setdefault(name, set()).add(day)
    used = [name for name, count in counts.items() if count >= _COMMITS_OF_HABIT and len(days[name]) >= _DAYS_OF_HABIT]
    return tuple(sorted(used, key=lambda name: (-counts[name], name)))
