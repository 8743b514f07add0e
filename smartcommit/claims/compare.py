"""Compares what a message says with what its change shows.

Five checks look at the type of the header, the names and paths, the verb, a version, and what is promised of tests or
documents. Each yields what the change does not show, and nothing where that could be in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.claims.evidence import ChangeEvidence, fold
from smartcommit.claims.mentions import Mention, MessageText, find_mentions, is_identifier
from smartcommit.message.header import parse_loose_header
from smartcommit.message.parse import Parsed
from smartcommit.message.rules import Violation
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.claims.evidence import Side

# What git writes is not compared: the title of a revert says what the other commit did.
_WRITTEN_BY_GIT = ("Revert ", "Reapply ", "Merge ")

_NAME = compile_on_use(r"[\w$-]+")
# Fewer characters than these are found in some other word of any change.
_SHORTEST_NAME = 3
# The version of `bump the parser to 1.2`, `release 1.2` or `1.1 -> 1.2`.
_VERSION = compile_on_use(
    r"(?i)(?:\bto|\b(?:bump|upgrad|updat|releas|version|prepar)\w*|->|→)\s+(?:\w+\s+)??v?(\d+\.\d+(?:\.\d+)*)(?![\w-]|\.\w)"
)

# Verbs in the imperative; `drop` is left out, because what runs also drops things.
_ADD = ("add", "introduce", "create")
_REMOVE = ("remove", "delete")
# Endings of files that list what to leave out, as `.gitignore`: there a line more removes something.
_IGNORE_LISTS = ("ignore", "exclude", "attributes", ".rc")
# `add` is contradicted if the added lines are at most this share of the removed ones; `remove` likewise.
_HARDLY_ANY = 0.1
# What ends the object of the verb, so that `add _parse for old_parse` adds `_parse` alone.
_OBJECT_END = compile_on_use(r"(?i)\b(?:for|from|to|in|on|with|when|by|if|and|as|so|of|since|via)\b|[,;:(]")

_DOCUMENT_ENDINGS = (".md", ".mdx", ".rst", ".adoc", ".txt")
# A comment or docstring, or three words and nothing that only code has, as a line of prose.
_COMMENT_OR_WORDS = compile_on_use(
    r"^\s*(?:#(?!include|define|if|endif|else)|//|/\*|\*|--|;|%|>>>)|\"\"\"|'''|<!--|/\*\*|@\w*doc"
    r"|^(?!.*(?:[;{}=<>]|\w\.\w|\w\(|\)$|:$|,$|\]$)).*[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}"
)
_DEFINITION = compile_on_use(
    r"^\s*(?:(?:pub|public|private|protected|export|default|async|static|override|final|abstract|internal|suspend)\s+)*"
    r"(?:def|fn|func|fun|function|class|struct|enum|trait|interface|impl|module|defp?|test)\s+\w"
)


class _TypeSigns(Record):
    """What a change has if one of the types `names` fits it; any of these is enough.

    A file of one of `kinds`, a path in which `paths` is found, or `lines` found in at least this `share` of the changed
    lines. `reason` says what is missing, with the paths that change in place of `{}`.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    paths: re.Pattern[str]
    lines: re.Pattern[str]
    share: float
    reason: str


_TYPES = (
    _TypeSigns(
        ("test", "tests"), kinds=(filetypes.TESTS,), share=0.1, reason="no test changes, only {}",
        paths=compile_on_use(r"test|spec|bench|mock|fixture|snap|fuzz|codecov|coverage|example"),
        lines=compile_on_use(r"(?i)test|assert|expect\(|should|mock|bench|fixture|snapshot|coverage|fuzz"),
    ),
    _TypeSigns(
        ("docs", "doc"), kinds=(filetypes.DOCUMENTATION,), share=0.2,
        reason="no document changes, only {}, and hardly any comment",
        paths=compile_on_use(r"doc|readme|example|guide|tutorial|changelog|\.md|www|site|license|contribut"),
        lines=_COMMENT_OR_WORDS,
    ),
    _TypeSigns(
        ("ci",), share=0.1, reason="no file of CI changes, only {}",
        kinds=(filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.MANIFEST, filetypes.LOCK),
        paths=compile_on_use(r"\bci\b|github|gitlab|script|workflow|docker|lint|\.sh|make|tool|pipeline|action"),
        lines=compile_on_use(r"\bci\b|github|gitlab|workflow|pipeline"),
    ),
)  # fmt: skip

# What may stand before the noun of a promise, as in `add the missing unit tests`.
_ADJECTIVES = (
    r"(?:(?:unit|regression|integration|e2e|end-to-end|new|more|some|basic|missing|the|a|an|corresponding|relevant)"
    r"\s+)*"
)


def _compile_promise(verbs: str, nouns: str) -> re.Pattern[str]:
    """Return the pattern of one of `verbs` before one of `nouns` (`update the docs`), or of `the docs are updated`."""
    names = f"{_ADJECTIVES}(?:{nouns})"
    return compile_on_use(
        rf"(?i)\b(?:{verbs})\s+{names}\b(?![-_(/]|\.\w)|"
        rf"\b{names}(?:\s+(?:have|has|had)\s+been|\s+(?:is|are|was|were))\s+"
        r"(?:also\s+)?(?:added|updated|extended|adjusted|adapted|included|expanded|improved|documented|fixed)\b"
    )


class _Promise(Record):
    """That a message promises files of a `kind`, called `name` in reports, and what a change has that keeps this.

    `promise` is what a message says, `trace` what a path or line shows. Only a message with one of `hints` can match
    `promise`, which takes longer to compile than everything else here.
    """

    name: str
    kind: str
    hints: tuple[str, ...]
    promise: re.Pattern[str]
    trace: re.Pattern[str]


_PROMISES = (
    _Promise(
        "test", kind=filetypes.TESTS, hints=("test", "spec"),
        promise=_compile_promise(
            r"add(?:s|ed|ing)?|includ(?:e|es|ing)|write|extends?|expand|updat(?:e|es|ed|ing)|with",
            r"tests?|test[- ]cases?|specs?",
        ),
        trace=compile_on_use("(?i)test|spec|assert|expect|should|verify|mock|fixture|bench|example"),
    ),
    _Promise(
        "documentation", kind=filetypes.DOCUMENTATION, hints=("doc", "readme"),
        promise=_compile_promise(
            r"updat(?:e|es|ed|ing)|extend|improve|document(?:s|ed)?(?:\s+(?:this|it|that))?\s+in",
            r"documentation|docs?|readme",
        ),
        trace=compile_on_use("(?i)doc|readme|comment|description|help|guide|usage"),
    ),
    _Promise(
        "CI", kind=filetypes.CI, hints=("ci", "workflow", "action"),
        promise=_compile_promise(
            r"updat(?:e|es|ed|ing)|adjust|extend",
            r"(?:CI|GitHub Actions?)(?:\s+(?:workflows?|config\w*|pipeline|jobs?))?|workflows?",
        ),
        trace=compile_on_use(r"(?i)\bci\b|github|workflow|action|pipeline|travis|jenkins|runs-on"),
    ),
)  # fmt: skip


class _Finding(Record):
    """What is wrong at the place `offset` of a message, in words, and what should be there instead."""

    offset: int
    text: str
    expected: str


def find_violations(parsed: Parsed, change: ChangeEvidence) -> list[Violation]:
    """Return what the message says and the change does not show; empty where that cannot be known."""
    if not change.complete or not change.paths or parsed.lines[0].startswith(_WRITTEN_BY_GIT):
        return []
    message = MessageText(parsed.lines[: parsed.trailers_at])
    checks = [_check_type, _check_names]
    if change.is_readable:
        checks += [_check_operations, _check_versions, _check_promises]
    violations: dict[str, Violation] = {}
    for check in checks:
        for finding in check(message, change):
            if finding.text in violations:  # a name that is said twice is reported once
                continue
            line, column = message.to_line_and_column(finding.offset)
            violations[finding.text] = Violation("claims", line, column, finding.text, expected=finding.expected)
    return sorted(violations.values(), key=Violation.position)


def _check_names(message: MessageText, change: ChangeEvidence) -> Iterator[_Finding]:
    for mention in message.list_mentions():
        # Of files that git does not print, the paths are known.
        if not (mention.is_path or change.is_readable) or _is_shown(mention, change):
            continue
        text = f"'{mention.words}' is in no line or path of the change"
        what = "path" if mention.is_path else "name"
        yield _Finding(mention.offset, text, f"the {what} of what changes, as it is written there")


def _is_shown(mention: Mention, change: ChangeEvidence) -> bool:
    """Whether the change has the last name of a mention, such as `run` in `app.run`, and each that is an identifier."""
    if mention.is_path:
        return fold(mention.words.rstrip("/").rpartition("/")[2]) in change.whole_text
    names = [name for name in _NAME.findall(mention.words) if len(fold(name)) >= _SHORTEST_NAME]
    required = [name for name in names[:-1] if is_identifier(name)] + names[-1:]
    return all(fold(name).removesuffix("s") in change.whole_text for name in required)


def _check_operations(message: MessageText, change: ChangeEvidence) -> Iterator[_Finding]:
    """Yield the verb of the header if the lines contradict it, as in `add a cache` where lines are only removed."""
    for sentence in message.list_sentences():
        # A body tells of steps that the whole does not show, and of what runs.
        if not sentence.in_header:
            continue
        reason = None
        if sentence.verb in _ADD:
            reason = _contradict_operation(sentence.text, change, side="added", other="removed")
        elif sentence.verb in _REMOVE and not all(path.endswith(_IGNORE_LISTS) for path in change.paths):
            reason = _contradict_operation(sentence.text, change, side="removed", other="added")
        if reason is not None:
            text = f"says '{sentence.word.lower()}', but {reason}"
            yield _Finding(sentence.word_offset, text, "the verb for what the change does")


def _contradict_operation(text: str, change: ChangeEvidence, *, side: Side, other: Side) -> str | None:
    """Return why a sentence cannot be true that says what was done to the lines of one `side`; None if it can."""
    count, other_count = len(change.lines[side]), len(change.lines[other])
    if not count:
        return f"no line is {side}"
    if count <= other_count * _HARDLY_ANY:
        return f"nearly all lines are {other}"
    for mention in find_mentions(_OBJECT_END.split(text, maxsplit=1)[0]):
        name = fold(mention.words)
        if name in change.texts[other] and name not in change.texts[side]:
            return f"'{mention.words}' is only {other}"
    return None


def _check_versions(message: MessageText, change: ChangeEvidence) -> Iterator[_Finding]:
    """Yield the versions in the header that are in no line, where it says that one changes."""
    for match in _VERSION.finditer(message.header):
        version = match[1]
        pattern = rf"(?<![\d.]){re.escape(version)}(?!\d)"
        short = version.removesuffix(".0")
        if short != version:
            # 4.5.0 is also written as 4.5, and 3.0 as v3, but a 3 alone may count anything.
            start = r"(?<![\d.])" if "." in short else "v"
            pattern += rf"|{start}{re.escape(short)}(?!\.?\d)"
        if not re.search(pattern, change.whole_text):
            text = f"'{version}' is in no line or path of the change"
            yield _Finding(match.start(1), text, "the version that changes")


def _check_type(message: MessageText, change: ChangeEvidence) -> Iterator[_Finding]:
    header = parse_loose_header(message.first_line)
    if header is not None and (reason := _contradict_type(header.type.lower(), change)):
        yield _Finding(0, f"says '{header.type}', but {reason}", "the type of what changes")


def _contradict_type(name: str, change: ChangeEvidence) -> str | None:
    """Return what speaks against the type `name`, None if nothing does."""
    paths = change.paths
    if name in ("feat", "perf", "refactor"):
        if change.kinds == {filetypes.CI}:
            return "nothing but CI changes"
        if change.kinds == {filetypes.DOCUMENTATION} and all(path.endswith(_DOCUMENT_ENDINGS) for path in paths):
            return "nothing but documents change"
    if not change.is_readable:
        return None
    if name == "style" and _count_definitions(change.lines["added"]) > _count_definitions(change.lines["removed"]):
        return "a definition is added"
    signs = next((signs for signs in _TYPES if name in signs.names), None)
    if signs is None or not change.kinds.isdisjoint(signs.kinds) or signs.paths.search(change.path_text):
        return None
    matching = [line for line in change.changed_lines if signs.lines.search(line)]
    if len(matching) >= len(change.changed_lines) * signs.share:
        return None
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return signs.reason.format(f"'{paths[0]}'{more}")


def _count_definitions(lines: Sequence[str]) -> int:
    return len([line for line in lines if _DEFINITION.match(line)])


def _check_promises(message: MessageText, change: ChangeEvidence) -> Iterator[_Finding]:
    """Yield what a sentence says of tests, documents or CI where nothing of them is in the change."""
    text = message.text.lower()
    for row in _PROMISES:
        if row.kind in change.kinds or not any(hint in text for hint in row.hints):
            continue
        match = row.promise.search(message.text)
        if match is None or row.trace.search("\n".join([change.path_text, *change.changed_lines])):
            continue
        said = " ".join(match[0].split())
        reason = f"says '{said}', but no {row.name} changes"
        yield _Finding(match.start(), reason, f"no word of it, or the {row.name} in this commit")
