"""The rules of the header: where it breaks, what was expected there, and the corrected line where there is one."""

from __future__ import annotations

from smartcommit.message.header import Header, Scan, is_name, parse_header
from smartcommit.message.imperative import imperative
from smartcommit.message.violation import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.message.rules import Rules

FORM = "type(scope)!: summary"
# What people write for a type that has another name here.
_SYNONYMS = {
    "feature": "feat", "features": "feat", "bugfix": "fix", "hotfix": "fix", "bug": "fix", "doc": "docs",
    "documentation": "docs", "refact": "refactor", "refactoring": "refactor", "style": "lint", "format": "lint",
    "perf": "refactor", "performance": "perf", "tests": "test", "test": "chore", "deps": "build",
}  # fmt: skip


def check_header(line: str, rules: Rules) -> list[Violation]:
    """Every broken rule of the header `line`, which stands in line 0; all share one correction of the whole line."""
    violations = _HeaderCheck(line, rules).run()
    mended = mend_header(line, rules) if violations else None
    if mended is not None:
        for violation in violations:
            violation.replacement, violation.sure = [mended[0]], mended[1]
    return violations


def mend_header(line: str, rules: Rules) -> tuple[str, bool] | None:
    """The header that was meant, and whether that is sure; None where nothing likely passes the rules.

    Sure is what is mechanical: letter case, blanks, the place of the `!`. A misspelt type or a missing colon is not.
    """
    loose = _read_loosely(line)
    if loose is None:
        return None
    sure = loose.type in rules.types
    if not sure:
        name = _nearest_type(loose.type, rules.types)
        if name is None:
            return None
        loose.type = name
    if ":" not in line:
        sure = False
    if rules.imperative:
        loose.summary = imperative(loose.summary) or loose.summary
    mended = str(loose)
    if mended == line or parse_header(mended) is None or _HeaderCheck(mended, rules).run():
        return None
    return mended, sure


class _HeaderCheck:
    def __init__(self, line: str, rules: Rules) -> None:
        self._line = line
        self._rules = rules
        self._violations: list[Violation] = []

    def run(self) -> list[Violation]:
        scan = Scan(self._line)
        self._check_type(scan)
        if scan.misplaced is None:
            self._check_scope(scan)
            self._check_summary(scan)
        return self._violations

    def _check_type(self, scan: Scan) -> None:
        line, types = self._line, self._rules.types
        known = scan.type in types
        if scan.misplaced is not None:
            if known:
                self._report_shape(scan, scan.misplaced)
            elif line[:1] in (" ", "\t"):
                self._add("header-form", 0, "a blank stands before the type", "the type at the line's start")
            else:
                expected = f"'{FORM}', the type one of {', '.join(types)}"
                self._add("header-form", _departure(scan.type, types), "the line does not begin with a type", expected)
        elif not known:
            if scan.type.lower() in types:
                self._add("type-case", 0, "the type is in another letter case", f"'{scan.type.lower()}'")
            elif line[:1] in (" ", "\t"):
                self._add("header-form", 0, "a blank stands before the type", "the type at the line's start")
            elif not scan.type:
                self._add("header-form", 0, "the type is missing", ", ".join(types))
            else:
                self._add("type-unknown", _departure(scan.type, types), "no such type", ", ".join(types))

    def _report_shape(self, scan: Scan, position: int) -> None:
        line = self._line
        if scan.bang is not None and line.startswith("(", position):
            self._add("header-form", position, "the scope stands behind the '!'", "the scope first: 'type(scope)!:'")
        elif scan.bang is not None:
            self._add("header-form", position, "the colon is missing", "':' behind the '!'")
        elif scan.scope is not None:
            self._add("header-form", position, "the colon is missing", "'!' or ':' behind the scope")
        elif line.startswith("(", len(scan.type)):
            self._add("header-form", position, "the scope does not end here", "')'")
        else:
            self._add("header-form", position, "the colon is missing", "'(', '!' or ':' behind the type")

    def _check_scope(self, scan: Scan) -> None:
        scope, scopes = scan.scope, self._rules.scopes
        if scope is None:
            return
        start = len(scan.type) + 1
        if not scope:
            self._add("scope-form", start, "the scope is empty", "a noun, or no brackets")
        elif is_name(scope.lower()) and scope != scope.lower():
            self._add("scope-case", start + _first_upper(scope), "the scope is not in lower case", f"'{scope.lower()}'")
        elif not is_name(scope):
            wrong = (
                next((i for i in range(1, len(scope)) if not is_name(scope[: i + 1])), 0) if is_name(scope[0]) else 0
            )
            expected = "a lower-case letter, then letters, digits and dashes"
            self._add("scope-form", start + wrong, "the scope is no single noun", expected)
        elif scopes and scope not in scopes:
            self._add("scope-unknown", start, "no such scope", ", ".join(scopes))

    def _check_summary(self, scan: Scan) -> None:
        line, rules = self._line, self._rules
        assert scan.colon is not None
        summary = line[scan.summary :].rstrip()
        if not summary:
            self._add("summary-empty", len(line), "the summary is missing", "one space and what the change does")
            return
        if scan.summary != scan.colon + 2 or summary[0].isspace():
            self._add("header-space", scan.colon + 1, "the colon is not followed by one space", "one space")
        if len(summary) > rules.summary_limit:
            text = f"the summary has {len(summary)} code points, {len(summary) - rules.summary_limit} too many"
            self._add("summary-length", scan.summary + rules.summary_limit, text, f"at most {rules.summary_limit}")
        if rules.imperative and imperative(summary) is not None:
            self._add(
                "summary-imperative", scan.summary, "the summary is not in the imperative", f"'{imperative(summary)}'"
            )

    def _add(self, code: str, column: int, text: str, expected: str) -> None:
        self._violations.append(Violation(code, 0, column, text, expected=expected))


def _read_loosely(line: str) -> Header | None:
    """The parts of a header whose blanks, letter case, `!` and colon may stand wrong."""
    text = line.strip()
    head, colon, summary = text.partition(":")
    if not colon:
        head, _, summary = text.partition(" ")
    breaking = "!" in head
    head = head.replace("!", "").strip()
    name, bracket, scope = head.partition("(")
    if bracket and not scope.endswith(")"):
        return None
    scope = scope.removesuffix(")").strip().lower()
    return Header(name.strip().lower(), summary.strip(), scope=scope if scope else None, breaking=breaking)


def _nearest_type(name: str, types: Sequence[str]) -> str | None:
    """The one type that `name` misspells by one letter or a transposition, or names by another word."""
    near = [candidate for candidate in types if _is_slip(name, candidate)]
    if len(near) == 1:
        return near[0]
    synonym = _SYNONYMS.get(name)
    return synonym if synonym in types else None


def _is_slip(a: str, b: str) -> bool:
    if abs(len(a) - len(b)) > 1 or len(a) < 2:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest, other = a[start:], b[start:]
    if len(a) == len(b):
        return rest[1:] == other[1:] or (rest[2:] == other[2:] and rest[:2] == other[1::-1])
    return rest[1:] == other or rest == other[1:]


def _departure(text: str, types: Sequence[str]) -> int:
    """The offset of the first character with which `text` can become none of `types`."""
    best = 0
    for name in types:
        shared = 0
        while shared < min(len(text), len(name)) and text[shared] == name[shared]:
            shared += 1
        best = max(best, shared)
    return best


def _first_upper(text: str) -> int:
    return next(position for position, character in enumerate(text) if character != character.lower())
