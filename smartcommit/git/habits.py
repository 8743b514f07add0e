"""The types and scopes that a project's last commits use, read for a message that breaks the default rules."""

from __future__ import annotations

from smartcommit.git.query import ask
from smartcommit.message.checks import is_one_edit_away
from smartcommit.message.header import Scan, is_name
from smartcommit.message.rules import DEFAULT_TYPES, Habits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMITS = 400
# A type one letter away from a default one is a misspelling unless so many commits have it: some projects write `doc`.
_OWN_WORD = 3


def read_habits(directory: str | None = None, before: str | None = None) -> Habits:
    """Return what the last commits of the repository at `directory` use, up to HEAD or to where `before` begins.

    `before` is a range of commits, which cannot excuse themselves. Runs at most three short git processes.
    """
    revisions = ["HEAD"]
    if before is not None:
        revisions = _find_boundary(before, directory)
    types = []
    spellings = []
    for subject in _read_subjects(revisions, directory):
        scan = Scan(subject)
        if scan.colon is None or not scan.type.isalpha() or not scan.type.isascii():
            continue
        types.append(scan.type.lower())
        if scan.scope and not is_name(scan.scope):
            spellings.append(scan.scope)
    _, shallow = ask(("rev-parse", "--is-shallow-repository"), directory=directory)
    return Habits(find_used_types(types), spellings, complete=shallow.strip() != b"true")


def _find_boundary(revisions: str, directory: str | None) -> list[str]:
    """Return the commits after which the range `revisions` begins."""
    _, listing = ask(("rev-list", "--boundary", "--end-of-options", revisions, "--"), directory=directory)
    commits = []
    for line in listing.decode().splitlines():
        if line.startswith("-"):
            commits.append(line[1:])
    return commits


def _read_subjects(revisions: Sequence[str], directory: str | None) -> list[str]:
    if not revisions:
        return []
    form = ("-z", "--format=%s", "--encoding=UTF-8", "--no-show-signature")
    command = ("log", f"-{_COMMITS}", "--no-merges", *form, "--end-of-options", *revisions, "--")
    _, log = ask(command, directory=directory)
    return log.decode("utf-8", "replace").split("\0")


def find_used_types(given: Sequence[str]) -> tuple[str, ...]:
    """Return the types beside the default ones among `given`, the types of past commits; the most frequent first."""
    counts: dict[str, int] = {}
    for name in given:
        counts[name] = counts.get(name, 0) + 1
    others = []
    for name, count in counts.items():
        misspelled = count < _OWN_WORD and any(is_one_edit_away(name, usual) for usual in DEFAULT_TYPES)
        if name not in DEFAULT_TYPES and not misspelled:
            others.append(name)
    return tuple(sorted(others, key=lambda name: (-counts[name], name)))
