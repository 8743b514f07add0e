"""Compares what a message says with what its change shows."""

from __future__ import annotations

import re

from smartcommit.change import filetypes
from smartcommit.claims.evidence import fold
from smartcommit.claims.mentions import Statement, find_mentions, is_identifier
from smartcommit.message.header import parse_loose_header
from smartcommit.message.rules import Violation
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from smartcommit.claims.evidence import ChangeEvidence, Side
    from smartcommit.claims.mentions import Mention
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
_ADD = ("add", "introduce", "create")
_REMOVE = ("remove", "delete")
# Files that say what is left out elsewhere, so that a line more removes something.
_LISTS = ("ignore", "exclude", "attributes", ".rc")
# Lines of one side from which on too few on the other tell.
_MANY = 4
# The share of too few lines: a tenth.
_FEW = 10
_OBJECT_END = compile_on_use(r"(?i)\b(?:for|from|to|in|on|with|when|by|if|and|as|so|of|since|via)\b|[,;:(]")

# The endings of documents.
_DOCUMENT = (".md", ".mdx", ".rst", ".adoc", ".txt")
_COMMENT = compile_on_use(
    r"^\s*(?:#(?!include|define|if|endif|else)|//|/\*|\*|--|;|%|>>>)|\"\"\"|'''|<!--|/\*\*|@\w*doc"
)
_CODE = compile_on_use(r"[;{}=<>]|\w\.\w|\w\(|\)$|:$|,$|\]$")
_WORDS = compile_on_use(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}")
_DEFINITION = compile_on_use(
    r"^\s*(?:(?:pub|public|private|protected|export|default|async|static|override|final|abstract|internal|suspend)\s+)*"
    r"(?:def|fn|func|fun|function|class|struct|enum|trait|interface|impl|module|defp?|test)\s+\w"
)


def _is_prose(line: str) -> bool:
    if _COMMENT.search(line):
        return True
    return _WORDS.search(line) is not None and not _CODE.search(line)


# What a type says, and what has some of it: kinds of files, other paths, and lines, of which this share is enough.
_TYPES = (
    (("test", "tests"), {filetypes.TESTS},
     compile_on_use(r"test|spec|bench|mock|fixture|snap|fuzz|codecov|coverage|example"),
     compile_on_use(r"(?i)test|assert|expect\(|should|mock|bench|fixture|snapshot|coverage|fuzz").search, 0.1,
     "no test changes, only {}"),
    (("docs", "doc"), {filetypes.DOCUMENTATION},
     compile_on_use(r"doc|readme|example|guide|tutorial|changelog|\.md|www|site|license|contribut"), _is_prose, 0.2,
     "no document changes, only {}, and hardly any comment"),
    (("ci",), {filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.MANIFEST, filetypes.LOCK},
     compile_on_use(r"\bci\b|github|gitlab|script|workflow|docker|lint|\.sh|make|tool|pipeline|action"),
     compile_on_use(r"\bci\b|github|gitlab|workflow|pipeline").search, 0.1, "no file of CI changes, only {}"),
)  # fmt: skip
# What is promised: words one of which says so, verbs and names that promise it, and what of it a change has.
_PROMISES = (
    ("test", ("test", "spec"), r"add(?:s|ed|ing)?|includ(?:e|es|ing)|write|extends?|expand|updat(?:e|es|ed|ing)|with",
     r"tests?|test[- ]cases?|specs?", "test|spec|assert|expect|should|verify|mock|fixture|bench|example"),
    ("documentation", ("doc", "readme"),
     r"updat(?:e|es|ed|ing)|extend|improve|document(?:s|ed)?(?:\s+(?:this|it|that))?\s+in",
     r"documentation|docs?|readme", "doc|readme|comment|description|help|guide|usage"),
    ("CI", ("ci", "workflow", "action"), r"updat(?:e|es|ed|ing)|adjust|extend",
     r"(?:CI|GitHub Actions?)(?:\s+(?:workflows?|config\w*|pipeline|jobs?))?|workflows?",
     r"\bci\b|github|workflow|action|pipeline|travis|jenkins|runs-on"),
)  # fmt: skip
_ADJECTIVES = (
    r"(?:(?:unit|regression|integration|e2e|end-to-end|new|more|some|basic|missing|the|a|an|corresponding|relevant)"
    r"\s+)*"
)
# The verb before the name, or `the docs are updated`.
_PROMISE = (
    r"(?i)\b(?:{verbs})\s+{names}\b(?![-_(/]|\.\w)|\b{names}(?:\s+(?:have|has|had)\s+been|\s+(?:is|are|was|were))\s+"
    r"(?:also\s+)?(?:added|updated|extended|adjusted|adapted|included|expanded|improved|documented|fixed)\b"
)


def find_violations(parsed: Parsed, change: ChangeEvidence) -> list[Violation]:
    """Return what the message says and the change does not show; empty where that cannot be known."""
    if not change.complete or not change.paths or parsed.lines[0].startswith(_WRITTEN_BY_GIT):
        return []
    statement = Statement(parsed.lines[: parsed.trailers_at])
    checks = [_check_type, _check_names]
    if change.is_readable:
        checks += [_check_operations, _check_versions, _check_promises]
    violations: dict[str, Violation] = {}
    for check in checks:
        for offset, text, expected in check(statement, change):
            line, column = statement.place(offset)
            violations.setdefault(text, Violation(CODE, line, column, text, expected=expected))
    return sorted(violations.values(), key=Violation.position)


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
        if not sentence.in_header:
            continue
        reason = ""
        if sentence.verb in _ADD:
            reason = _oppose(sentence.text, change, side="added", other="removed")
        elif sentence.verb in _REMOVE and not all(path.path.endswith(_LISTS) for path in change.paths):
            reason = _oppose(sentence.text, change, side="removed", other="added")
        if reason:
            word = sentence.text.split(maxsplit=1)[0].lower()
            yield sentence.offset, f"says '{word}', but {reason}", "the verb for what the change does"


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


def _check_type(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    parsed = parse_loose_header(statement.first_line)
    if parsed is None:
        return
    kinds: set[str] = set()
    for path in change.paths:
        kinds |= path.list_kinds()
    reason = _contradict_type(parsed.type.lower(), kinds, change)
    if reason:
        yield 0, f"says '{parsed.type}', but {reason}", "the type of what changes"


def _contradict_type(name: str, kinds: set[str], change: ChangeEvidence) -> str:
    if name in ("feat", "perf", "refactor"):
        if kinds == {filetypes.CI}:
            return "nothing but CI changes"
        if kinds == {filetypes.DOCUMENTATION} and all(path.path.endswith(_DOCUMENT) for path in change.paths):
            return "nothing but documents change"
    if not change.is_readable:
        return ""
    if name == "style" and _count_definitions(change.lines["added"]) > _count_definitions(change.lines["removed"]):
        return "a definition is added"
    for names, fitting, paths, is_such, share, reason in _TYPES:
        if name in names and not kinds & fitting and not paths.search(change.path_text):
            count = len([line for line in change.changed_lines if is_such(line)])
            if count < len(change.changed_lines) * share:
                described = f"'{change.paths[0].path}'"
                if len(change.paths) > 1:
                    described += f" and {len(change.paths) - 1} more"
                return reason.format(described)
    return ""


def _count_definitions(lines: Sequence[str]) -> int:
    return len([line for line in lines if _DEFINITION.match(line)])


def _check_promises(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    """Yield what a sentence says of tests, documents or CI where nothing of them is in the change."""
    text = statement.text.lower()
    for what, signs, verbs, nouns, trace in _PROMISES:
        # Compiling the patterns takes longer than all else.
        if not any(sign in text for sign in signs):
            continue
        match = re.search(_PROMISE.format(verbs=verbs, names=f"{_ADJECTIVES}(?:{nouns})"), statement.text)
        changed = "\n".join([change.path_text, *change.changed_lines])
        if match is None or re.search(trace, changed, re.IGNORECASE):
            continue
        if what != "documentation" or not any(filetypes.DOCUMENTATION in path.list_kinds() for path in change.paths):
            reason = f"says '{' '.join(match[0].split())}', but no {what} changes"
            yield match.start(), reason, f"no word of it, or the {what} in this commit"
