"""Headers that a project writes again and again for changes of the same paths, with other values.

A template is what such headers have in common, and a slot is where they differ. A slot is filled from the diff of the
new change; if the diff does not tell what belongs there, the template is not used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from smartcommit.change.facts import ChangeFacts, list_hunks
from smartcommit.change.history import PATHS_COMPARED, History, PastCommit
from smartcommit.change.text import LINES_COMPARED, read_hunk
from smartcommit.change.wording import drop_references
from smartcommit.git.diff import Hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from smartcommit.change.text import Side

# A header is a template if at least so many past changes of the same paths have it, and at least this share of them.
LEAST_TIMES, LEAST_SHARE = 3, 0.6
# Separators between an old value and a new one.
_ARROWS = (" to ", " -> ", " → ")

_VALUE = compile_on_use(
    r"v?\d+(?:\.\d+)+(?:[-+.]?[A-Za-z0-9]+)*|\bv\d+\b"  # a version
    r"|\d{4}-\d{2}-\d{2}"  # a date
    r"|@?[A-Za-z0-9][\w-]*\[bot\]|@[A-Za-z0-9][\w-]*"  # a person
    r"|(?<![\w.])\d+(?![\w.])"  # a number
)
_SLOT = compile_on_use(rf"(?<=\badd )[\w-]+(?= as a contributor)|{_VALUE.pattern}")
_DATE = compile_on_use(r"\d{4}-\d{2}-\d{2}\Z")
_VERSION = compile_on_use(r"(?:v?\d+(?:\.\d+)+\S*|v\d+)\Z")
# A login name in all-contributors' configuration file.
_LOGIN = compile_on_use(r'"login": "([\w-]+)"')


class RecurringHeader(Record):
    """A header that recurs: its type, its scope as it was written, and the summary with its slots filled.

    `has_slots` is false for one that says nothing of this change alone.
    """

    type: str
    scope: str | None
    summary: str
    has_slots: bool


def find_recurring(change: ChangeFacts, history: History) -> RecurringHeader | None:
    """Return the header that the project always gives to such changes, or None without one or with an open slot."""
    similar = _find_similar(change.paths, history)
    groups: dict[tuple[str, str | None, str], list[PastCommit]] = defaultdict(list)
    for commit in similar:
        if commit.type:
            groups[commit.type, commit.spelling, _make_template(commit.summary)].append(commit)
    for (type_, scope, _), commits in groups.items():
        if len(commits) >= max(LEAST_TIMES, LEAST_SHARE * len(similar)):
            past = drop_references(commits[0].summary)
            summary = _fill(past, change)
            if summary is not None:
                return RecurringHeader(type_, scope, summary, _SLOT.search(past) is not None)
    return None


def _find_similar(paths: Sequence[bytes], history: History) -> list[PastCommit]:
    """Return the past changes of exactly these paths, the newest first."""
    wanted = set(paths)
    if len(wanted) > PATHS_COMPARED:
        return []
    similar = []
    for commit in history.commits:
        if len(commit.paths) == len(wanted) and wanted.issuperset(commit.paths):
            similar.append(commit)
    return similar


def _make_template(summary: str) -> str:
    return _SLOT.sub("\0", drop_references(summary))


def _fill(summary: str, change: ChangeFacts) -> str | None:
    """Return the past `summary` with the values of this change in its slots, or None if one is unknown."""
    slots = list(_SLOT.finditer(summary))
    if not slots:
        return summary
    shapes = list(map(_shape, map(itemgetter(0), slots)))
    versions = iter(_choose_versions(shapes.count("version"), change, summary))
    others = _choose_others(slots, shapes, change)
    filled = ""
    end = 0
    for slot, shape in zip(slots, shapes, strict=True):
        if shape == "version":
            value = _with_prefix_of(slot[0], next(versions, ""))
        else:
            value = next(others[shape], "")
        if not value:
            return None
        filled += summary[end : slot.start()] + value
        end = slot.end()
    return filled + summary[end:]


def _choose_others(
    slots: Sequence[re.Match[str]], shapes: Sequence[str], change: ChangeFacts
) -> dict[str, Iterator[str]]:
    """Return the values for the slots of each shape: the new one, or in `5 to 6` the old and the new one."""
    old, new = _find_values_of_one_side(change)
    chosen = {}
    for shape in shapes:
        places = [slot for slot, other in zip(slots, shapes, strict=True) if other == shape]
        values = [_choose_only(shape, new)]
        if len(places) > 1:
            between = places[0].string[places[0].end() : places[1].start()]
            values.insert(0, _choose_only(shape, old) if between in _ARROWS else "")
        chosen[shape] = iter(values)
    return chosen


def _shape(value: str) -> str:
    if _DATE.match(value):
        return "date"
    if _VERSION.match(value):
        return "version"
    if value.isdigit():
        return "number"
    return "person" if value.startswith("@") else "name"


def _choose_versions(slots: int, change: ChangeFacts, summary: str) -> Sequence[str]:
    """Return the versions for so many slots: the new one, or the old and the new one; empty if they are unknown.

    They are the project's own or those of a dependency that `summary` names.
    """
    pairs = set()
    for file in change.files:
        for bump in file.versions:
            if bump.own or (bump.name is not None and bump.name.lower() in summary.lower()):
                pairs.add((bump.old, bump.new))
    if len(pairs) != 1 or slots > 2:
        return ()
    return pairs.pop()[-slots:]


def _with_prefix_of(before: str, version: str) -> str:
    """Return `version` with a `v` if the version `before` has one, else without; an empty one stays empty."""
    bare = version.removeprefix("v")
    return f"v{bare}" if bare and before.startswith("v") else bare


def _choose_only(shape: str, values: Iterable[str]) -> str:
    """Return the value of this shape if there is only one, else an empty text."""
    found = [value for value in values if _shape(value) == shape]
    if len(found) != 1:
        return ""
    return found[0]


def _find_values_of_one_side(change: ChangeFacts) -> tuple[dict[str, None], dict[str, None]]:
    """Return the values that only removed lines have, and those that only added lines have."""
    hunks = list_hunks(change.files)
    old, new = dict.fromkeys(_find_values(hunks, "removed")), dict.fromkeys(_find_values(hunks, "added"))
    for value in list(old):
        if value in new:
            del old[value], new[value]
    return old, new


def _find_values(hunks: Iterable[Hunk], side: Side) -> Iterator[str]:
    for hunk in hunks:
        for line in read_hunk(hunk).side(side).read(LINES_COMPARED):
            yield from _LOGIN.findall(line)
            yield from _VALUE.findall(line)


_BUMP = compile_on_use(r"(?i)(bump|update|upgrade) (?:\S+ ){0,3}?(from v?\d\S* )?to (v?)\d\S*\Z")
_OWN_VERB = "bump "
_OWN_BUMP = compile_on_use(rf"{_OWN_VERB}(?P<name>.+?) (?:from (?P<old>\S+) )?to (?P<new>\d\S*)\Z")


def adapt_bumps(sentences: Sequence[str], history: History) -> list[str]:
    """Return sentences on changed versions in the project's form: `update x to v2` for `bump x from 1 to 2`.

    They stay unchanged unless at least LEAST_TIMES past summaries on versions, and half of them, have the same form.
    """
    if not any(sentence.startswith(_OWN_VERB) for sentence in sentences):
        return list(sentences)
    forms: Counter[tuple[str, bool, str]] = Counter()
    for commit in history.commits:
        found = _BUMP.match(drop_references(commit.summary))
        if found:
            forms[found[1].lower(), bool(found[2]), found[3]] += 1
    if not forms:
        return list(sentences)
    (verb, has_old, sign), count = forms.most_common(1)[0]
    if count < LEAST_TIMES or 2 * count < forms.total():
        return list(sentences)
    return [_adapt_bump(sentence, verb, sign, has_old=has_old) for sentence in sentences]


def _adapt_bump(sentence: str, verb: str, sign: str, *, has_old: bool) -> str:
    found = _OWN_BUMP.match(sentence)
    if not found:
        return sentence
    old = f" from {sign}{found['old']}" if has_old and found["old"] else ""
    return f"{verb} {found['name']}{old} to {sign}{found['new']}"
