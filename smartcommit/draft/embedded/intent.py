"""Statements that the author made before the commit: the name of the branch, the task at hand, a comment that is done.

The lines of a change show what was done, and seldom why. What they cannot show has often been typed already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from smartcommit.change.text import split_identifier
from smartcommit.change.wording import make_printable
from smartcommit.draft.embedded.classify import class_of
from smartcommit.draft.embedded.view import ChangeView, Kind, Purpose, Statement
from smartcommit.message.verbs import VERBS
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# Words of a branch that name a type, and the class of that type.
_TYPES = {
    "fix": "fix", "fixes": "fix", "bugfix": "fix", "hotfix": "fix", "bug": "fix", "feat": "feat", "feature": "feat",
    "features": "feat", "enh": "feat", "enhancement": "feat", "chore": "chore", "doc": "docs", "docs": "docs",
    "documentation": "docs", "refactor": "refactor", "refactoring": "refactor", "perf": "perf", "test": "test",
    "tests": "test", "ci": "ci", "build": "build", "style": "style",
}  # fmt: skip
# Types that stand behind what they are about: `error-messages-fix`.
_TYPES_AT_END = {"fix", "bugfix", "fixes", "docs", "tests"}
# Branches that say nothing: those that everybody has, and those that programs make.
_SILENT = compile_on_use(
    r"(?i)(?:[\w.]+[-/])?(?:patch|pr|branch)[-_]?\d+\Z|(?:main|master|trunk|dev|devel|develop|development|next|stable"
    r"|staging|production|release|wip|tmp|temp|test|tests|updates?|changes?|fix|fixes|cleanup|v?\d[\w.]*)(?:[-_.]?\d[\w.]*)?\Z"
    r"|(?:dependabot|renovate|snyk|backport|auto|automated|automation|revert|release|releases|changeset-release"
    r"|release-please|pre-commit-ci|imgbot|greenkeeper|copilot|claude|codex|cursor|devin|l10n|weblate|translations?)[-_/]"
)
# Parts of a name that are tickets or mean that there is none, and such a prefix of the last part.
_TICKET = r"(?:issues?[-_]?|bug[-_]?|ticket[-_]?|gh[-_]?|pr[-_]?)?#?\d{2,}|[A-Za-z]{1,10}-\d{2,}|noid|nojira|no-ticket"
_IS_TICKET = compile_on_use(rf"(?:{_TICKET})\Z|(?:issues?|tasks?|tickets?|qa)\Z", 2)
_STARTS_WITH_TICKET = compile_on_use(rf"(?:{_TICKET})[-_]+(?=\D)", 2)
# What counts attempts, at the end of a name.
_COUNTER = compile_on_use(r"(?i)(?:v?\d{1,2}|wip|tmp|draft|attempt\d*|again|take|noid|\d{4,}|[0-9a-f]{7,})\Z")
_SEPARATORS = compile_on_use(r"[-_\s.+,]+")
_NAME = compile_on_use(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
# Words that tell changes apart no better than any others.
_COMMON = {
    "a", "add", "all", "an", "and", "are", "as", "at", "be", "by", "for", "from", "if", "in", "into", "is", "it",
    "make", "more", "new", "no", "not", "of", "on", "only", "or", "remove", "support", "that", "the", "to", "update",
    "use", "via", "when", "with",
}  # fmt: skip
# Characters of a word by which it is known in its other forms: `column` and `columns`, `validate` and `validation`.
_STEM = 5
# Maximum characters of a name that is read, and words of a summary that it becomes.
_NAME_LENGTH, _MOST_WORDS = 120, 12
# Priors of names of two and three words: of those of which the change shows few words, some, and most.
_PRIORS = {2: (0.26, 0.3, 0.42), 3: (0.3, 0.42, 0.55)}
_LEAST_SHOWN, _MOST_SHOWN = 0.33, 0.67
# How likely the type that a branch names is that of its first commit, and of a later one.
_TYPE_OF_FIRST, _TYPE_OF_NEXT = 0.7, 0.5


class BranchName(Record):
    """What the name of a branch says: the class of a type, or None, and its words as they are spelled."""

    type: str | None
    words: tuple[str, ...]


def read_branch_name(name: str) -> BranchName:
    """Return what the branch `name` says without names of people, tickets and counters."""
    if len(name) > _NAME_LENGTH or _SILENT.match(name):
        return BranchName(None, ())
    kind = None
    parts: list[str] = []
    *folders, last = name.split("/")
    for folder in folders:
        kind = kind or _TYPES.get(folder.lower())
    if _SILENT.match(last) or _IS_TICKET.match(last):
        return BranchName(kind, ())
    match = _STARTS_WITH_TICKET.match(last)
    if match:
        last = last[match.end() :]
    words = [word for word in _SEPARATORS.split(last) if word]
    if len(words) == 1:
        words = _split_camel_case(words[0])
    kind, words = _cut_type(kind, words)
    while words and _COUNTER.match(words[-1]):
        words.pop()
    return BranchName(kind, tuple(words[:_MOST_WORDS]))


def _split_camel_case(word: str) -> list[str]:
    """Return the words of a name such as `fixOutputDir`; a name of one word is not split."""
    parts = split_identifier(word)
    return list(parts) if len(parts) > 1 and word != word.lower() else [word]


def _cut_type(kind: str | None, words: list[str]) -> tuple[str | None, list[str]]:
    """Return the type that the first, the second or the last of `words` names, unless it is `kind`, and the others."""
    lowered = [word.lower() for word in words]
    if len(words) > 1 and lowered[0] in _TYPES:
        return kind or _TYPES[lowered[0]], words[1:]
    # The name or the initials of a person come first.
    if len(words) > 3 and lowered[1] in ("fix", "feat", "chore") and lowered[0] not in _COMMON:
        return kind or _TYPES[lowered[1]], words[2:]
    if len(words) > 1 and lowered[-1] in _TYPES_AT_END:
        return kind or _TYPES[lowered[-1]], words[:-1]
    return kind, words


def say_branch(view: ChangeView) -> Iterator[Statement]:
    """Yield what the name of the branch says, if the change shows enough of its words."""
    name = read_branch_name(view.purpose.branch)
    if len(name.words) < 2:
        return
    spellings = _count_spellings(view)
    telling = [word for word in name.words if word.lower() not in _COMMON]
    if not telling or _contradicts(view, name.words[0].lower()):
        return
    stems = _list_stems(spellings)
    shown = sum(map(stems.__contains__, map(_stem, telling))) / len(telling)
    text = _write_summary(name, spellings)
    yield Statement([text], _rate(view, name, shown), 1.0)


def _rate(view: ChangeView, name: BranchName, shown: float) -> Kind:
    """Return the kind of a statement by how much a branch's name says, and whether it is about this commit of it."""
    prior = 0.5
    if len(name.words) < 4:
        prior = _PRIORS[len(name.words)][(shown > _LEAST_SHOWN) + (shown > _MOST_SHOWN)]
    if view.purpose.is_continued:
        prior *= 0.4
    return Kind(prior, source="the branch", is_whole=True)


def _contradicts(view: ChangeView, verb: str) -> bool:
    """Whether a change does the opposite of what a name says that begins with `verb`."""
    if verb in ("remove", "drop", "delete"):
        return not view.removed
    return verb in ("add", "introduce") and not view.added


def _write_summary(name: BranchName, spellings: Counter[str]) -> str:
    """Return the words as a summary, an with names as the change spells them."""
    words = list(name.words)
    starts_with_verb = words[0].lower() in VERBS
    known = _choose_spellings(spellings)
    written: list[str] = []
    place = 0
    while place < len(words):
        for end in range(min(len(words), place + 5), place, -1):
            spelling = known.get("".join(words[place:end]).lower())
            # `get or throw` may be a name, and `return promise` an instruction.
            is_instruction = place == 0 and starts_with_verb and end < 3
            if spelling is not None and not is_instruction and words[place].lower() not in _COMMON:
                break
        else:
            end, spelling = place + 1, words[place]
            if spelling[1:] == spelling[1:].lower():
                spelling = spelling.lower()
        written.append(spelling or "")
        place = end
    if not starts_with_verb and name.type == "feat":
        written.insert(0, "add")
    return make_printable(" ".join(written), 110)


def _count_spellings(view: ChangeView) -> Counter[str]:
    """Return how often each name stands in the changed lines and paths."""
    texts = [*view.added, *view.removed, *(file.path.decode("utf-8", "replace") for file in view.change.files)]
    return Counter(_NAME.findall("\n".join(texts)))


def _choose_spellings(spellings: Counter[str]) -> dict[str, str]:
    """Return the most usual spelling of each compound name and abbreviation, by its letters in lower case."""
    known: dict[str, str] = {}
    for name, _ in spellings.most_common():
        if name[1:] != name[1:].lower() and not ("_" in name and name == name.upper()):
            known.setdefault(name.replace("_", "").replace(".", "").lower(), name)
    return known


def _list_stems(names: Iterable[str]) -> set[str]:
    stems: set[str] = set()
    for name in names:
        stems.add(_stem(name))
        stems.update(map(_stem, split_identifier(name)))
    return stems


def _stem(word: str) -> str:
    return word.lower().rstrip("s")[:_STEM]


def weigh_type(chances: Mapping[str, float], purpose: Purpose) -> dict[str, float]:
    """Return the `chances` of types, the likeliest first, with what the name of the branch says.

    A type that the facts make sure stays.
    """
    kind = read_branch_name(purpose.branch).type
    named = [name for name in chances if class_of(name) == kind]
    if not named or len(chances) == 1:
        return dict(chances)
    weight = _TYPE_OF_NEXT if purpose.is_continued else _TYPE_OF_FIRST
    weighed = {name: chance * (1 - weight) for name, chance in chances.items()}
    weighed[named[0]] += weight
    return {name: weighed[name] for name in sorted(weighed, key=weighed.__getitem__, reverse=True)}
