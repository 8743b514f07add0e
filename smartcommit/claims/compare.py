"""Compares what a message says with what its change shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.claims.evidence import ChangedPath, ChangeEvidence, fold
from smartcommit.claims.mentions import ADD, PATH, REMOVE, RENAME, Mention, Operation, Statement
from smartcommit.message.header import parse_loose_header
from smartcommit.message.rules import Violation
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.message.parse import Parsed

CODE = "claims"
SHORTEST = 3
_WORD = compile_on_use(r"[A-Za-z][\w-]{2,}")
_PIECE = compile_on_use(r"[\w$-]+")


def find_violations(parsed: Parsed, change: ChangeEvidence) -> list[Violation]:
    """Return what the message says and the change does not show; empty where that cannot be known."""
    if not change.complete or not change.paths:
        return []
    statement = Statement(parsed.lines, parsed.trailers_at)
    found = list(_check_kind(parsed.lines[0], change))
    if change.is_readable:
        found += _check_operations(statement, change)
        found += _check_mentions(statement, change)
        found += _check_versions(statement, change)
        if not found:
            found += _check_words(statement, change)
    return sorted(found, key=Violation.position)


# --- kinds

_TEST_PATH = compile_on_use(r"test|spec|bench|mock|fixture|snap|fuzz|codecov|coverage|example")
_TEST_LINE = compile_on_use(
    r"\b(?:assert\w*|expect|describe|it|test|should\w*)\b\s*[(!.]|#\[(?:\w+::)?test|\bdef test_|func Test"
    r"|\bTEST(?:_F|_P)?\(|@(?:Parameterized)?Test|cfg\(test|\b[Tt]ests?\b|mock|bench|fixture|snapshot|coverage|fuzz"
)
_DOC_PATH = compile_on_use(r"doc|readme|example|guide|tutorial|changelog|\.md|www|site|license|contribut|comment|typo")
_COMMENT = compile_on_use(
    r"^\s*(?:#(?!include|define|if|endif|else)|//|/\*|\*|--|;|<!--|\"\"\"|'''|%)|\"\"\"|'''|<!--|/\*\*"
)
_CODE = compile_on_use(r"[;{}=<>]|\w\(|\)$|:$|,$|=>|\]$")
_CI_PATH = compile_on_use(r"\bci\b|github|script|workflow|docker|lint|\.sh|make|tool")
_BUILD_PATH = compile_on_use(r"github|script|docker|make|tool|build|config|cmake|pack")
_MADE = {filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.MANIFEST, filetypes.LOCK}


def _is_prose(line: str) -> bool:
    if _COMMENT.search(line):
        return True
    return len(re.findall(r"[A-Za-z]{2,}", line)) >= 3 and not _CODE.search(line)


def _check_kind(header: str, change: ChangeEvidence) -> Iterator[Violation]:
    parsed = parse_loose_header(header)
    if parsed is None:
        return
    kind = parsed.type.lower()
    kinds = {path.kind for path in change.paths}
    for path in change.paths:
        if path.old:
            kinds.add(ChangedPath("", path.old, None, unread=False).kind)
    reason = ""
    paths = change.path_text
    lines = change.lines("added") + change.lines("removed")
    readable = change.is_readable
    if kind in ("test", "tests"):
        if filetypes.TESTS not in kinds and not _TEST_PATH.search(paths) and readable:
            if sum(bool(_TEST_LINE.search(line)) for line in lines) < len(lines) * 0.1:
                reason = "no test changes"
    elif kind in ("docs", "doc"):
        if filetypes.DOCUMENTATION not in kinds and not _DOC_PATH.search(paths) and readable:
            if sum(map(_is_prose, lines)) < len(lines) * 0.5:
                reason = "no documentation and few comments change"
    elif kind == "ci":
        if not kinds & _MADE and not _CI_PATH.search(paths):
            reason = "no file of continuous integration changes"
    elif kind in ("build", "deps"):
        if not kinds & {*_MADE, filetypes.GENERATED} and not _BUILD_PATH.search(paths):
            reason = "no file of the build changes"
    elif kind in ("feat", "perf", "refactor"):
        if kinds <= {filetypes.CI}:
            reason = "nothing but continuous integration changes"
        elif kinds <= {filetypes.DOCUMENTATION} and all(path.path.endswith((".md", ".mdx", ".rst", ".adoc", ".txt")) for path in change.paths):
            reason = "nothing but documentation changes"
        elif kinds <= {filetypes.TESTS} and kind != "refactor":
            reason = "nothing but tests changes"
    elif kind == "style":
        if kinds <= {filetypes.CI} or kinds <= {filetypes.LOCK}:
            reason = "no code changes"
    if reason:
        yield Violation(CODE, 0, 0, f"says '{parsed.type}', but {reason}", expected="a type that fits the change")


# --- operations

_STOP = frozenset("the a an and or of some more all any this that these those support new old unused unnecessary missing"
                  " extra option options for".split())
_PHRASE_END = compile_on_use(
    r"(?i)\b(?:for|from|to|in|on|with|when|by|if|and|as|at|so|into|where|instead|that|which|of|per|during|using|via|"
    r"before|after)\b|[,;:.(]"
)


def _list_words(phrase: str) -> list[str]:
    words = []
    for word in _WORD.findall(_PHRASE_END.split(phrase, 1)[0]):
        if word.lower() not in _STOP:
            words.append(word)
    return words


def _find_stem(word: str) -> str:
    word = fold(word)
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _check_operations(statement: Statement, change: ChangeEvidence) -> Iterator[Violation]:
    for operation in statement.operations():
        reason = ""
        if operation.kind == ADD:
            reason = _oppose(operation, change, "added")
        elif operation.kind == REMOVE:
            reason = _oppose(operation, change, "removed")
        elif operation.result:
            reason = _find_swap(operation, change)
        if reason:
            line, column = statement.place(operation.offset)
            yield Violation(CODE, line, column, f"says '{operation.verb.lower()}', but {reason}",
                            expected="what the change does")


def _oppose(operation: Operation, change: ChangeEvidence, side) -> str:
    other = "removed" if side == "added" else "added"
    same, against = len(change.lines(side)), len(change.lines(other))
    statuses = "AC" if side == "added" else "D"
    if not same and against:
        return f"nothing is {side}"
    if against > 3 and same * 10 <= against:
        return f"nearly all lines are {other}"
    here = change.text(side) + fold("\n".join(path.path for path in change.paths if path.status in statuses))
    there = change.text(other)
    words = _list_words(operation.target)
    opposed = [word for word in words if _find_stem(word) in there]
    if opposed and not any(_find_stem(word) in here for word in words):
        return f"'{opposed[0]}' is only {other}"
    return ""


def _find_swap(operation: Operation, change: ChangeEvidence) -> str:
    olds = [m for m in _names_in(operation.target)]
    news = [m for m in _names_in(operation.result)]
    added = change.text("added") + fold("\n".join(path.path for path in change.paths))
    removed = change.text("removed") + fold("\n".join(path.old or "" for path in change.paths))
    for old in olds[:1]:
        for new in news[:1]:
            if old not in removed and new not in added and old in added and new in removed:
                return "the change does the opposite"
    return ""


def _names_in(phrase: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(phrase) if word.lower() not in _STOP]


# --- names

def _check_mentions(statement: Statement, change: ChangeEvidence) -> Iterator[Violation]:
    seen = set()
    for mention in statement.mentions():
        if mention.words in seen:
            continue
        seen.add(mention.words)
        if not _is_shown(mention, change):
            line, column = statement.place(mention.offset)
            yield Violation(CODE, line, column, f"'{mention.words}' is in no line or path of the change",
                            expected="names that the change has")


def _is_shown(mention: Mention, change: ChangeEvidence) -> bool:
    pieces = []
    for piece in _PIECE.findall(mention.words):
        if len(fold(piece)) >= SHORTEST:
            pieces.append(fold(piece))
    if not pieces:
        return True
    text = change.everything
    if mention.kind == PATH:
        return fold(mention.words.rstrip("/").rpartition("/")[2]) in text
    return any(piece in text or (piece.endswith("s") and piece[:-1] in text) for piece in pieces)


# --- versions
_FROM_TO = compile_on_use(r"(?i)\bfrom\s+v?(\d+(?:\.\d+)+[\w.-]*)\s+to\s+v?(\d+(?:\.\d+)+[\w.-]*)")


def _check_versions(statement: Statement, change: ChangeEvidence) -> Iterator[Violation]:
    for match in _FROM_TO.finditer(statement.text):
        old, new = (fold(match[n].rstrip(".-")) for n in (1, 2))
        added, removed = change.text("added"), change.text("removed")
        line, column = statement.place(match.start())
        if new not in added and old not in removed:
            yield Violation(CODE, line, column, f"'{match[0]}' is not what the change does")


def _check_words(statement: Statement, change: ChangeEvidence) -> Iterator[Violation]:
    return iter(())
