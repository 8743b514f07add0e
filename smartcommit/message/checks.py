"""Checks a message against a project's rules, and corrects a header where that is possible."""

from __future__ import annotations

from smartcommit.message.characters import escape, find_unsafe, is_plain
from smartcommit.message.header import Header, Scan, imperative, is_name, parse_header
from smartcommit.message.rules import OFF, Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from smartcommit.message.parse import Parsed
    from smartcommit.message.rules import Rules

FORM = "type(scope)!: summary"
# What people write for a type that has another name here.
_SYNONYMS = {
    "feature": "feat", "features": "feat", "bugfix": "fix", "hotfix": "fix", "bug": "fix", "doc": "docs",
    "documentation": "docs", "refact": "refactor", "refactoring": "refactor", "style": "lint", "format": "lint",
    "perf": "refactor", "performance": "perf", "tests": "test", "test": "chore", "deps": "build",
}  # fmt: skip


def check(parsed: Parsed, rules: Rules, *, search: Callable[[str, str], bool] | None = None) -> list[Violation]:
    """The violations of a message, in the order of its lines, without those whose level is off.

    `search(pattern, text)` tells whether the project's ticket pattern occurs; the caller decides how, since a pattern
    from a repository never runs in a backtracking engine here.
    """
    violations = _check_header(parsed, rules)
    violations += parsed.violations
    violations += _check_characters(parsed)
    violations += _check_lines(parsed, rules)
    violations += _check_required(parsed, rules)
    if rules.ticket and search is not None and not search(rules.ticket, "\n".join(parsed.lines)):
        violations.append(Violation("ticket", 0, 0, "no ticket is named", expected=f"a match of '{rules.ticket}'"))
    kept = [violation for violation in violations if rules.level(violation.code) != OFF]
    return sorted(kept, key=lambda violation: (violation.line, violation.column))


def _check_header(parsed: Parsed, rules: Rules) -> list[Violation]:
    header = parsed.message.header
    if (
        header is not None
        and header.type in rules.types
        and (header.scope is None or not rules.scopes or header.scope in rules.scopes)
        and len(header.summary) <= rules.summary_limit
        and not rules.imperative
    ):
        return []
    return check_header(parsed.lines[0], rules)


def _check_characters(parsed: Parsed) -> list[Violation]:
    if is_plain("".join(parsed.lines)):
        return []
    violations = []
    for number, line in enumerate(parsed.lines):
        position = find_unsafe(line)
        if position >= 0:
            text = f"the invisible or controlling character {escape(line[position])}"
            violations.append(Violation("character", number, position, text, expected="text that can be seen"))
    return violations


def _check_lines(parsed: Parsed, rules: Rules) -> list[Violation]:
    """Lines of the description that are too long; those with a URL and trailers cannot be helped."""
    if rules.line_limit is None:
        return []
    return [
        Violation(
            "line-length",
            number,
            rules.line_limit,
            f"the line has {len(line)} code points",
            expected=f"at most {rules.line_limit}",
        )
        for number, line in enumerate(parsed.lines[1 : parsed.trailers_at], 1)
        if len(line) > rules.line_limit and "://" not in line
    ]


def _check_required(parsed: Parsed, rules: Rules) -> list[Violation]:
    message = parsed.message
    wanted = set(rules.required)
    if "plan" in wanted:
        wanted |= {"constraints", "tasks"}
    missing = []
    if "description" in wanted and not message.description:
        missing.append(("the description", "why the change was made, below a blank line"))
    if "constraints" in wanted and message.constraints is None:
        missing.append(("the section 'Constraints:'", "'Constraints: none', or items"))
    if "tasks" in wanted and message.tasks is None:
        missing.append(("the section 'Tasks [ ]:'", "tasks as '- [ ] summary: details'"))
    last = max(len(parsed.lines) - 2, 0)
    return [Violation("section-missing", last, 0, f"{what} is missing", expected=how) for what, how in missing]


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
