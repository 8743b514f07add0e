"""What each new commit takes over from old ones: author, date, message, and credit to others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from smartcommit.errors import SplitError
from smartcommit.git.fast_import import NewCommit
from smartcommit.message.parse import add_trailers, parse
from smartcommit.message.trailers import Trailer
from smartcommit.rewrite.commits import OldCommit
from smartcommit.rewrite.owners import LOOSE, Ownership
from smartcommit.split.plan import PlannedCommit, clean_message

_CREDIT = "Co-authored-by"


@dataclass(frozen=True, slots=True)
class Successor:
    """A planned commit with what it has from old ones.

    It continues the commit `old`, whose message it has, or none. `author` is as in Identity, and `message` the message
    with credit to the other authors.
    """

    old: OldCommit | None
    author: bytes
    message: str

    @property
    def continued(self) -> str | None:
        """The object name of the commit that it continues."""
        return None if self.old is None else self.old.oid

    @property
    def keeps_message(self) -> bool:
        """Whether the message is that of the old commit, as git recorded it."""
        return self.old is not None and clean_message(self.old.text) == self.message

    def make_commit(self, commit: NewCommit) -> NewCommit:
        """Return `commit` with the author, and with the message as it was recorded if it is still the same."""
        if self.old is not None and self.keeps_message:
            return replace(commit, author=self.author, message=self.old.message, encoding=self.old.encoding)
        return replace(commit, author=self.author, message=self.message)


def find_successors(
    planned: Sequence[PlannedCommit], commits: Sequence[OldCommit], kept: Sequence[str | None], ownership: Ownership
) -> list[Successor]:
    """Return what each planned commit takes over; `kept` has the message that is kept of each old one.

    The author is that of most lines, with the newest date of all that went in; all other authors get credit.
    """
    successors = []
    taken: set[int] = set()
    for commit in planned:
        parts = ownership.count_commits(commit.units)
        owners = Counter(ownership.find(unit) for unit in commit.units)
        if not parts:
            # Lines of merges: nobody knows whose they are.
            for number, merged in enumerate(commits):
                if len(merged.parents) < 2:
                    parts[number] = 1
        old = None
        for number, _ in owners.most_common():
            if number != LOOSE and number not in taken and kept[number] == clean_message(commit.message):
                old = number
                taken.add(number)
                break
        successors.append(_make_successor(commit, old, parts, commits))
    return successors


def _make_successor(
    planned: PlannedCommit, old: int | None, parts: Counter[int], commits: Sequence[OldCommit]
) -> Successor:
    message = clean_message(planned.message)
    if old is not None and set(parts) == {old}:
        return Successor(commits[old], commits[old].author, message)
    lines: Counter[bytes] = Counter()
    people: dict[bytes, bytes] = {}
    dates = []
    credited: list[bytes] = []
    for number in sorted(parts):
        person, date = _split_author(commits[number])
        people.setdefault(_address(person), person)
        lines[_address(person)] += parts[number]
        dates.append((int(date.split()[0]), date))
        if number == old:
            continue
        for trailer in parse(commits[number].text.removesuffix("\n"), comment="").message.trailers:
            if trailer.key.lower() == _CREDIT.lower():
                credited.append(trailer.value.encode("utf-8", "surrogateescape"))
    author = max(lines, key=lambda address: lines[address])
    trailers: dict[Trailer, None] = {}
    for person in (*people.values(), *credited):
        if _address(person) != author:
            trailers[Trailer(_CREDIT, person.decode("utf-8", "surrogateescape"))] = None
    _, newest = max(dates)
    continued = None if old is None else commits[old]
    return Successor(continued, people[author] + b" " + newest, add_trailers(message, list(trailers)))


def _split_author(commit: OldCommit) -> tuple[bytes, bytes]:
    """Return the person, `Name <email>`, and the date of the author; raise SplitError if git could not read them."""
    found = re.fullmatch(rb"(.*<.*>) (-?\d+ [+-]\d+)", commit.author, re.S)
    if found is None:
        author = commit.author.decode("utf-8", "replace")
        reason = f"the author of {commit.oid[:10]} has no address or no date: '{author}'"
        raise SplitError(reason, hint="name later commits, after it")
    return found[1], found[2]


def _address(person: bytes) -> bytes:
    return person.rpartition(b"<")[2].rstrip(b"> ").lower()
