"""The project's own form of headers: those that it writes again and again for the same paths, and those on versions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from operator import attrgetter

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import PATHS_COMPARED, History, PastCommit
from smartcommit.change.wording import drop_references
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# A header recurs if at least so many past changes of the same paths have it, and at least this share of them.
LEAST_TIMES, LEAST_SHARE = 3, 0.6
_VERSION = compile_on_use(r"v?\d+(?:\.\d+)+(?:[-+.]?[A-Za-z0-9]+)*|\bv\d+\b")
# Other values that differ from change to change, and are not known.
_UNKNOWN = compile_on_use(r"\d|@\w|\[bot\]")
# What stands between the old and the new version; between others, `and`, is what no change tells.
_BETWEEN = compile_on_use(r"\s*(?:to|->|=>|\.{2,3}|-|\u2192)\s*")
_ADDING, _REMOVING = {"add", "introduce", "support"}, {"delete", "drop", "remove"}


class RecurringHeader(Record):
    """A header that recurs: its type, its scope as it was written, and the summary with the versions of this change.

    `has_version` is false for one that says nothing of this change alone.
    """

    type: str
    scope: str | None
    summary: str
    has_version: bool


def find_recurring(change: ChangeFacts, history: History) -> RecurringHeader | None:
    """Return the header that the project always gives to changes of exactly these paths, or None."""
    wanted = set(change.paths)
    groups: dict[tuple[str, str | None, str], list[PastCommit]] = defaultdict(list)
    similar = 0
    for commit in history.commits if len(wanted) <= PATHS_COMPARED else ():
        if commit.type and len(commit.paths) == len(wanted) and wanted.issuperset(commit.paths):
            similar += 1
            groups[commit.type, commit.spelling, _VERSION.sub("\0", drop_references(commit.summary))].append(commit)
    for (type_, scope, template), commits in groups.items():
        if len(commits) >= max(LEAST_TIMES, LEAST_SHARE * similar) and not _UNKNOWN.search(template):
            past = drop_references(commits[0].summary)
            summary = _fill(past, change)
            if summary is not None and not _contradicts(summary, change):
                return RecurringHeader(type_, scope, summary, "\0" in template)
    return None


def _contradicts(summary: str, change: ChangeFacts) -> bool:
    """Whether `summary` says that something comes, and lines only go, or the reverse."""
    verb = find_verb(summary)
    come = any(map(attrgetter("lines_added"), change.files))
    gone = any(map(attrgetter("lines_removed"), change.files))
    return (verb in _ADDING and gone and not come) or (verb in _REMOVING and come and not gone)


def _fill(past: str, change: ChangeFacts) -> str | None:
    """Return the `past` summary with the versions of this change, old and new or only the new one; None if unknown.

    They are the project's own or those of a dependency that the summary names.
    """
    places = _VERSION.findall(past)
    pairs = set()
    for file in change.files:
        for bump in file.versions:
            if bump.own or (bump.name is not None and bump.name.lower() in past.lower()):
                pairs.add((bump.old, bump.new))
    if not places:
        return past
    if len(pairs) != 1 or len(places) > 2:
        return None
    if len(places) == 2 and not _BETWEEN.fullmatch(past.partition(places[0])[2].partition(places[1])[0]):
        return None
    values = iter(pairs.pop()[-len(places) :])
    return _VERSION.sub(lambda place: "v" * place[0].startswith("v") + next(values).removeprefix("v"), past)


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
