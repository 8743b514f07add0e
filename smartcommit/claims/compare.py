"""Compares what a message says with what its change shows."""

from __future__ import annotations

import re

from smartcommit.claims.evidence import fold
from smartcommit.claims.kinds import check_promises, check_type
from smartcommit.claims.mentions import Statement, find_mentions, is_identifier
from smartcommit.message.rules import Violation
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from smartcommit.claims.evidence import ChangeEvidence, Side
    from smartcommit.claims.mentions import Mention, Sentence
    from smartcommit.message.parse import Parsed

CODE = "claims"
# What git writes is not compared: the title of a revert says what the other commit did.
_WRITTEN_BY_GIT = ("Revert ", "Reapply ", "Merge ")

# Characters of a name that is looked for; a shorter one is found anywhere.
_SHORTEST = 3
_PIECE = compile_on_use(r"[\w$-]+")
_VERSION = compile_on_use(
    r"(?i)(?:\bto|\b(?:bump|upgrad|updat|releas|version|prepar)\w*|->|→)\s+(?:\w+\s+)??v?(\d+\.\d+(?:\.\d+)*)(?![\w-]|\.\w)"
)

# Verbs in the imperative; `drop` is left out, because what runs also drops things.
_ADD, _REMOVE = ("add", "introduce", "create"), ("remove", "delete")
# Files that say what is left out elsewhere, so that a line more removes something.
_LISTS = ("ignore", "exclude", "attributes", ".rc")
# Lines of one side from which on a tenth of them on the other is too few.
_MANY, _FEW = 4, 10
_OBJECT_END = compile_on_use(r"(?i)\b(?:for|from|to|in|on|with|when|by|if|and|as|so|of|since|via)\b|[,;:(]")


def find_violations(parsed: Parsed, change: ChangeEvidence) -> list[Violation]:
    """Return what the message says and the change does not show; empty where that cannot be known."""
    if not change.complete or not change.paths or parsed.lines[0].startswith(_WRITTEN_BY_GIT):
        return []
    statement = Statement(parsed.lines[: parsed.trailers_at])
    checks = [check_type, _check_names]
    if change.is_readable:
        checks += [_check_operations, _check_versions, check_promises]
    found: dict[str, Violation] = {}
    for check in checks:
        for offset, text, expected in check(statement, change):
            line, column = statement.place(offset)
            found.setdefault(text, Violation(CODE, line, column, text, expected=expected))
    return sorted(found.values(), key=Violation.position)


def _check_names(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    for mention in statement.list_mentions():
        # Of files that git does not print, the paths are known.
        if (mention.is_path or change.is_readable) and not _is_shown(mention, change):
            what = "path" if mention.is_path else "name"
            text = f"'{mention.words}' is in no line or path of the change"
            yield mention.offset, text, f"the {what} of what changes, as it is written there"


def _is_shown(mention: Mention, change: ChangeEvidence) -> bool:
    """Whether the change has the last word of a mention, and each that could be nothing but an identifier."""
    if mention.is_path:
        return fold(mention.words.rstrip("/").rpartition("/")[2]) in change.whole_text
    is_shown = True
    for piece in _PIECE.findall(mention.words):
        name = fold(piece)
        if len(name) >= _SHORTEST:
            is_shown = name.removesuffix("s") in change.whole_text
            if not is_shown and is_identifier(piece):
                break
    return is_shown


def _check_operations(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    for sentence in statement.list_sentences():
        # A body tells of steps that the whole does not show, and of what runs.
        if sentence.in_header:
            reason = _contradict_verb(sentence, change)
            if reason:
                word = sentence.text.split(maxsplit=1)[0].lower()
                yield sentence.offset, f"says '{word}', but {reason}", "the verb for what the change does"


def _contradict_verb(sentence: Sentence, change: ChangeEvidence) -> str:
    if sentence.verb in _ADD:
        return _oppose(sentence.text, change, side="added", other="removed")
    if sentence.verb in _REMOVE and not all(path.path.endswith(_LISTS) for path in change.paths):
        return _oppose(sentence.text, change, side="removed", other="added")
    return ""


def _oppose(text: str, change: ChangeEvidence, *, side: Side, other: Side) -> str:
    """Return why nothing was done to one `side`, as the sentence says, but to the `other`."""
    count, against = len(change.lines[side]), len(change.lines[other])
    if not count:
        return f"no line is {side}"
    if against >= _MANY and count * _FEW <= against:
        return f"nearly all lines are {other}"
    for mention in find_mentions(_OBJECT_END.split(text, maxsplit=1)[0]):
        name = fold(mention.words)
        if name in change.texts[other] and name not in change.texts[side]:
            return f"'{mention.words}' is only {other}"
    return ""


def _check_versions(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    """Yield the versions in the header that are in no line, where it says that one changes."""
    for match in _VERSION.finditer(statement.header):
        numbers = match[1]
        if not re.search(rf"(?<![\d.]){re.escape(numbers.removesuffix('.0'))}(?!\d)", change.whole_text):
            yield match.start(1), f"'{numbers}' is in no line or path of the change", "the version that changes"
