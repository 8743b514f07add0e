"""Whether a change adds, removes, renames or replaces what its message says."""

from __future__ import annotations

from collections.abc import Iterator

from smartcommit.claims.evidence import ChangeEvidence, fold
from smartcommit.claims.mentions import Sentence, Statement
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.claims.evidence import Side

# Verbs in the imperative; `drop` is left out, because what runs also drops things.
_ADD, _REMOVE = ("add", "introduce", "create"), ("remove", "delete")
# Files that say what is left out elsewhere, so that a line more removes something.
_LISTS = ("ignore", "exclude", "attributes", ".rc")
# Lines of one side from which on a tenth of them on the other is too few.
_MANY, _FEW = 4, 10

_OBJECT = compile_on_use(r"\W*\w+\s+(.*)")
_OBJECT_WORD = compile_on_use(r"[A-Za-z][\w-]{2,}")
_OBJECT_END = compile_on_use(
    r"(?i)\b(?:for|from|to|in|on|with|when|by|if|and|as|at|so|into|where|instead|that|which|of|per|during|using|via|"
    r"before|after)\b|[,;:.(]"
)
_NOT_OBJECTS = frozenset({
    "the", "and", "some", "more", "all", "any", "this", "that", "these", "those", "support", "new", "old", "unused",
    "unnecessary", "missing", "extra", "option", "options",
})  # fmt: skip
_NAME = r"[`'\"]?([A-Za-z_$@.-][\w$.:/@#-]*\w)(?:\(\))?[`'\"]?"
# Words that a sentence has which names both, because compiling the patterns takes longer than all else.
_TO = ("replac", "renam", "convert", "migrat", "switch", "chang", "mov", "from ")
_NOT = (" instead of ", " rather than ", " in place of ", " over ")
# What is gone and what has come, in the order in which a sentence names them.
_OLD_FIRST = (
    compile_on_use(
        r"(?i)\b(?:replac|renam|convert|migrat|switch|chang|mov)\w*\s+(?:\w+\s+)??(?:from\s+)?"
        rf"{_NAME}\s+(?:to|with|by|into|->|=>|→)\s+{_NAME}"
    ),
    compile_on_use(rf"(?i)\bfrom\s+{_NAME}\s+to\s+{_NAME}"),
)
_NEW_FIRST = (
    compile_on_use(
        rf"(?i)\b(?:use|uses|using|prefer)\s+{_NAME}\s+(?:instead of|rather than|in place of|over)\s+{_NAME}"
    ),
)


def check_operations(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    """Yield where the opposite of what the message says happens."""
    for sentence in statement.list_sentences():
        # A body tells of steps that the whole does not show, and of what runs.
        if sentence.in_header:
            reason = _contradict_verb(sentence, change)
            if reason:
                word = sentence.text.split(maxsplit=1)[0].lower()
                yield sentence.offset, f"says '{word}', but {reason}", "the verb for what the change does"
        yield from _check_swap(sentence, change)


def _contradict_verb(sentence: Sentence, change: ChangeEvidence) -> str:
    if sentence.verb in _ADD:
        return _oppose(sentence.text, change, side="added", other="removed")
    if sentence.verb in _REMOVE and not all(path.path.endswith(_LISTS) for path in change.paths):
        return _oppose(sentence.text, change, side="removed", other="added")
    return ""


def _oppose(text: str, change: ChangeEvidence, *, side: Side, other: Side) -> str:
    """Return why nothing was done to one `side`, as the sentence says, but to the `other`."""
    count, against = len(change.lines(side)), len(change.lines(other))
    if not count:
        return f"no line is {side}"
    if against >= _MANY and count * _FEW <= against:
        return f"nearly all lines are {other}"
    opposed = ""
    for word in _list_objects(text):
        if _find_stem(word) in change.text(side):
            return ""
        if not opposed and _find_stem(word) in change.text(other):
            opposed = word
    return f"'{opposed}' is only {other}" if opposed else ""


def _list_objects(sentence: str) -> list[str]:
    """Return the words of what the verb's object is."""
    match = _OBJECT.match(sentence)
    if match is None:
        return []
    phrase = _OBJECT_END.split(match[1], maxsplit=1)[0]
    return [word for word in _OBJECT_WORD.findall(phrase) if word.lower() not in _NOT_OBJECTS]


def _find_stem(word: str) -> str:
    """Return what is searched for a word: itself without its ending."""
    word = fold(word)
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _check_swap(sentence: Sentence, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    text = sentence.text.lower()
    for signs, patterns, is_new_first in ((_TO, _OLD_FIRST, False), (_NOT, _NEW_FIRST, True)):
        if not any(map(text.__contains__, signs)):
            continue
        for pattern in patterns:
            for match in pattern.finditer(sentence.text):
                old, new = match[1], match[2]
                if is_new_first:
                    old, new = new, old
                if _is_swapped(fold(old), fold(new), change):
                    words = " ".join(match[0].split())
                    reason = f"says '{words}', but the change replaces '{new}' with '{old}'"
                    yield sentence.offset + match.start(), reason, "the names the other way round"


def _is_swapped(old: str, new: str, change: ChangeEvidence) -> bool:
    """Whether `old` came, `new` went, and neither the other way round."""
    if old in new or new in old:
        return False
    came, went = change.text("added"), change.text("removed")
    return came.count(old) > went.count(old) and came.count(new) < went.count(new)
