"""Whether a change is of the kind that its message says: the type, and promises of tests, documents and CI."""

from __future__ import annotations

from collections.abc import Iterator

from smartcommit.change import filetypes
from smartcommit.claims.evidence import ChangedPath, ChangeEvidence
from smartcommit.claims.mentions import Statement
from smartcommit.message.header import parse_loose_header
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Paths that may hold tests, documents and the like, whatever their kind.
_TEST_PATH = compile_on_use(r"test|spec|bench|mock|fixture|snap|fuzz|codecov|coverage|example")
_DOC_PATH = compile_on_use(r"doc|readme|example|guide|tutorial|changelog|\.md|www|site|license|contribut")
_CI_PATH = compile_on_use(r"\bci\b|github|gitlab|script|workflow|docker|lint|\.sh|make|tool|pipeline|action")
# The endings of documents.
_DOCUMENT = (".md", ".mdx", ".rst", ".adoc", ".txt")
_TEST_LINE = compile_on_use(
    r"\b(?:assert\w*|expect|describe|it|test|should\w*)\b\s*[(!.]|#\[(?:\w+::)?test|\bdef test_|func Test"
    r"|\bTEST(?:_F|_P)?\(|@(?:Parameterized)?Test|cfg\(test|\b[Tt]ests?\b|mock|bench|fixture|snapshot|coverage|fuzz"
)
_COMMENT = compile_on_use(
    r"^\s*(?:#(?!include|define|if|endif|else)|//|/\*|\*|--|;|<!--|\"\"\"|'''|%|>>>|\.\.\.|iex>|@(?:module)?doc)"
    r"|\"\"\"|'''|<!--|/\*\*"
)
_CODE = compile_on_use(r"[;{}=<>]|\w\.\w|\w\(|\)$|:$|,$|\]$")
_WORDS = compile_on_use(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}")
_DEFINITION = compile_on_use(
    r"^\s*(?:(?:pub|public|private|protected|export|default|async|static|override|final|abstract|internal|suspend)\s+)*"
    r"(?:def|fn|func|fun|function|class|struct|enum|trait|interface|impl|module|defp?|test)\s+\w"
)
# Share of the lines below which a change of code is not one of tests, or of documents.
_FEW_TESTS, _FEW_DOCUMENTS = 0.1, 0.2

_AUXILIARY = r"(?:\s+(?:have|has|had)\s+been|\s+(?:is|are|was|were))"
_DONE = r"(?:added|updated|extended|adjusted|adapted|included|expanded|improved|documented|fixed)"
_DO = (
    r"(?:add|adds|added|adding|include|includes|including|write|extend|extends|expand|update|updates|updated|updating|"
    r"with)"
)
_KINDS = (
    r"(?:(?:unit|regression|integration|e2e|end-to-end|new|more|some|basic|missing|the|a|an|corresponding|relevant)"
    r"\s+)*"
)
_TESTS = rf"{_KINDS}(?:tests?|test[- ]cases?|specs?)"
_DOCUMENTS = rf"{_KINDS}(?:documentation|docs?|readme)"
_CI = rf"{_KINDS}(?:CI|GitHub Actions?)(?:\s+(?:workflows?|config\w*|pipeline|jobs?))?|{_KINDS}workflows?"
_TEST_PROMISE = compile_on_use(rf"(?i)\b{_DO}\s+{_TESTS}\b(?![-_.(/])|\b{_TESTS}{_AUXILIARY}\s+(?:also\s+)?{_DONE}\b")
_DOC_PROMISE = compile_on_use(
    rf"(?i)\b(?:update|updates|updated|updating|extend|improve)\s+{_DOCUMENTS}\b(?![-_.(/])|\b{_DOCUMENTS}{_AUXILIARY}\s+"
    rf"(?:also\s+)?{_DONE}\b|\bdocument(?:ed|s)?\s+(?:this|it|that)?\s*(?:also\s+)?in\s+{_DOCUMENTS}\b"
)
_CI_PROMISE = compile_on_use(rf"(?i)\b(?:update|updates|updated|updating|adjust|extend)\s+(?:{_CI})\b(?![-_.(/])")
_TEST_TRACE = compile_on_use(r"(?i)test|spec|assert|expect|should|verify|mock|fixture|bench|example")
_DOC_TRACE = compile_on_use(r"(?i)doc|readme|comment|description|help|guide|usage")
_CI_TRACE = compile_on_use(r"(?i)\bci\b|github|workflow|action|pipeline|travis|jenkins|runs-on")
# What is promised, words one of which says so, how it is promised, and what of it a change has.
_PROMISES = (
    ("test", ("test", "spec"), _TEST_PROMISE, _TEST_TRACE),
    ("documentation", ("doc", "readme"), _DOC_PROMISE, _DOC_TRACE),
    ("CI", ("ci", "workflow", "action"), _CI_PROMISE, _CI_TRACE),
)


def check_type(header: str, change: ChangeEvidence) -> str:
    """Return why the type of the header does not fit the change, or an empty text."""
    parsed = parse_loose_header(header)
    if parsed is None:
        return ""
    reason = ""
    name = parsed.type.lower()
    kinds: set[str] = set()
    for path in change.paths:
        kinds.update(map(path.classify, path.list_names()))
    if name in ("test", "tests"):
        reason = _contradict_tests(kinds, change)
    elif name in ("docs", "doc"):
        reason = _contradict_documents(kinds, change)
    elif name == "ci":
        made = {filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.MANIFEST, filetypes.LOCK}
        if not kinds & made and not _CI_PATH.search(change.path_text):
            reason = "no file of CI changes"
    elif name == "style":
        reason = _contradict_style(change)
    elif name in ("feat", "perf", "refactor"):
        reason = _contradict_code(kinds, change)
    return f"says '{parsed.type}', but {reason}" if reason else ""


def _contradict_tests(kinds: set[str], change: ChangeEvidence) -> str:
    if not change.is_readable:
        return ""
    lines = change.changed_lines
    found = len(list(filter(_TEST_LINE.search, lines)))
    if filetypes.TESTS not in kinds and not _TEST_PATH.search(change.path_text) and found < len(lines) * _FEW_TESTS:
        return f"no test changes, only '{change.paths[0].path}'{_and_more(change)}"
    return ""


def _contradict_documents(kinds: set[str], change: ChangeEvidence) -> str:
    if not change.is_readable or filetypes.DOCUMENTATION in kinds or _DOC_PATH.search(change.path_text):
        return ""
    lines = change.changed_lines
    if sum(map(_is_prose, lines)) < len(lines) * _FEW_DOCUMENTS:
        return f"no document changes, only '{change.paths[0].path}'{_and_more(change)}, and hardly any comment"
    return ""


def _contradict_style(change: ChangeEvidence) -> str:
    if not change.is_readable:
        return ""
    added = list(filter(_DEFINITION.match, change.lines("added")))
    removed = list(filter(_DEFINITION.match, change.lines("removed")))
    return "a definition is added" if len(added) > len(removed) else ""


def _contradict_code(kinds: set[str], change: ChangeEvidence) -> str:
    if kinds == {filetypes.CI}:
        return "nothing but CI changes"
    if kinds == {filetypes.DOCUMENTATION} and all(path.path.endswith(_DOCUMENT) for path in change.paths):
        return "nothing but documents change"
    return ""


def _and_more(change: ChangeEvidence) -> str:
    if len(change.paths) == 1:
        return ""
    return f" and {len(change.paths) - 1} more"


def _is_prose(line: str) -> bool:
    if _COMMENT.search(line):
        return True
    return _WORDS.search(line) is not None and not _CODE.search(line)


def check_promises(statement: Statement, change: ChangeEvidence) -> Iterator[tuple[int, str, str]]:
    """Yield what a sentence says of tests, documents or CI where nothing of them is in the change."""
    text = statement.text.lower()
    for what, signs, promise, trace in _PROMISES:
        # Compiling the patterns takes longer than all else.
        if not any(map(text.__contains__, signs)):
            continue
        match = promise.search(statement.text)
        if match and not _has_trace(change, what, trace):
            words = " ".join(match[0].split())
            yield (
                match.start(),
                f"says '{words}', but no {what} changes",
                f"no word of it, or the {what} in this commit",
            )


def _has_trace(change: ChangeEvidence, what: str, trace: re.Pattern[str]) -> bool:
    if what == "documentation" and filetypes.DOCUMENTATION in map(ChangedPath.classify, change.paths):
        return True
    return any(map(trace.search, (change.path_text, *change.changed_lines)))
