"""What each new commit takes over from old ones: author, date, message, and credit to others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from smartcommit.errors import SplitError
from smartcommit.git.fast_import import NewCommit
from smartcommit.git.repo import Repository
from smartcommit.message.checks import drop_autosquash_title, find_autosquash_target
from smartcommit.message.parse import add_trailers, parse
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer
from smartcommit.rewrite.commits import CommitRange, OldCommit
from smartcommit.rewrite.fitting import KeptMessage, find_kept_message
from smartcommit.rewrite.origins import Origins, read_origins
from smartcommit.rewrite.owners import LOOSE, Ownership
from smartcommit.split.plan import PlannedCommit, clean_message

_CREDIT = "Co-authored-by"


@dataclass(frozen=True, slots=True)
class Successor:
    """What a planned commit takes over from old ones.

    It may continue the commit `old`: then its message is that one's. `author` is as in Identity, and `message` names
    the other authors as co-authors.
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


class OldCommits:
    """The commits of a range, what is kept of their messages by `rules`, and the owners of their lines.

    The messages are kept if the range is one commit, or if it `is_regrouped`: if the new commits continue old ones.
    `messages` has what is kept of each, and `kept_texts` those that stay as they are; both have None for all others.
    """

    def __init__(self, repository: Repository, commits: CommitRange, rules: Rules, *, is_regrouped: bool) -> None:
        self.rules = rules
        self.range = commits
        self.commits = commits.commits
        self.is_single = len(self.commits) == 1
        self.messages: list[KeptMessage | None] = [None] * len(self.commits)
        if is_regrouped or self.is_single:
            self._find_messages()
        self.kept_texts: list[str | None] = []
        for message in self.messages:
            text = None
            if message is not None and not message.lacks_type:
                text = clean_message(message.text)
            self.kept_texts.append(text)
        # With merges nobody knows where lines come from.
        origins = Origins((), {})
        if not commits.has_merges:
            origins = read_origins(repository, commits.oids, renames=False)
        owners: list[int] = []
        for number, message in enumerate(self.messages):
            target = self._find_target(number)
            if message is not None:
                owners.append(number)
            elif target is not None:
                owners.append(owners[target])  # the lines of a fixup
            else:
                owners.append(LOOSE)
        self.ownership = Ownership(repository, origins, owners)

    def _find_messages(self) -> None:
        """Fill `messages`; an `amend!` commit has the message of the one that it amends."""
        self.messages = [find_kept_message(commit.text, self.rules) for commit in self.commits]
        for number, commit in enumerate(self.commits):
            target = self._find_target(number)
            if commit.title.startswith("amend! ") and target is not None and self.messages[target] is not None:
                text = "\n".join(drop_autosquash_title(commit.text.split("\n")))
                self.messages[target] = find_kept_message(text, self.rules) or self.messages[target]

    def _find_target(self, number: int) -> int | None:
        """Return the commit that the one at this position is a fixup for, None if it is none."""
        wanted = find_autosquash_target(self.commits[number].title)
        if wanted is not None:
            for place, commit in enumerate(self.commits[:number]):
                if commit.title == wanted or commit.oid.startswith(wanted.strip() or "-"):
                    return place
        return None

    def find_successors(self, planned: Sequence[PlannedCommit]) -> list[Successor]:
        successors = []
        continued: set[int] = set()
        for commit in planned:
            parts = self.ownership.count_commits(commit.units)
            if not parts:
                # Lines of merges: nobody knows whose they are.
                for number, merged in enumerate(self.commits):
                    if len(merged.parents) < 2:
                        parts[number] = 1
            old = None
            for number, _ in Counter(self.ownership.find_owner(unit) for unit in commit.units).most_common():
                is_free = number != LOOSE and number not in continued
                if is_free and self.kept_texts[number] == clean_message(commit.message):
                    old = number
                    continued.add(number)
                    break
            successors.append(self._make_successor(clean_message(commit.message), old, parts))
        return successors

    def _make_successor(self, message: str, old: int | None, parts: Counter[int]) -> Successor:
        """Return what a new commit takes over that continues the commit `old`, if any.

        `parts` counts its lines of each old commit. The author is that of most lines, with the newest date of all that
        went in; all other authors get credit.
        """
        commits = self.commits
        if old is not None and set(parts) == {old}:
            return Successor(commits[old], commits[old].author, message)
        lines: Counter[bytes] = Counter()
        people: dict[bytes, bytes] = {}
        dates = []
        credited: list[bytes] = []
        for number in sorted(parts):
            person, date = _split_author(commits[number])
            people.setdefault(_read_address(person), person)
            lines[_read_address(person)] += parts[number]
            dates.append((int(date.split()[0]), date))
            if number == old:
                continue
            for trailer in parse(commits[number].text.removesuffix("\n"), comment="").message.trailers:
                if trailer.key.lower() == _CREDIT.lower():
                    credited.append(trailer.value.encode("utf-8", "surrogateescape"))
        author = max(lines, key=lambda address: lines[address])
        trailers: dict[Trailer, None] = {}
        for person in (*people.values(), *credited):
            if _read_address(person) != author:
                trailers[Trailer(_CREDIT, person.decode("utf-8", "surrogateescape"))] = None
        _, newest = max(dates)
        continued = None if old is None else commits[old]
        return Successor(continued, people[author] + b" " + newest, add_trailers(message, list(trailers)))


def _split_author(commit: OldCommit) -> tuple[bytes, bytes]:
    """Return the person, `Name <email>`, and the date of the author; raise SplitError if git could not read them."""
    match = re.fullmatch(rb"(.*<.*>) (-?\d+ [+-]\d+)", commit.author, re.S)
    if match is None:
        author = commit.author.decode("utf-8", "replace")
        reason = f"the author of {commit.oid[:10]} has no address or no date: '{author}'"
        raise SplitError(reason, hint="name later commits, after it")
    return match[1], match[2]


def _read_address(person: bytes) -> bytes:
    return person.rpartition(b"<")[2].rstrip(b"> ").lower()
