"""Checks a message against a project's rules, and corrects a header where that is possible."""

from __future__ import annotations

from smartcommit.message.characters import escape, find_unsafe, is_plain
from smartcommit.message.header import Scan, is_name, to_imperative
from smartcommit.message.parse import parse
from smartcommit.message.rules import ALLOW, ERROR, OFF, Violation
from smartcommit.message.trailers import find_separator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from smartcommit.message.parse import Parsed
    from smartcommit.message.rules import Rules

    Search = Callable[[str, str], bool]

FORM = "type(scope)!: summary"
# What the project's own history can excuse.
_HABITUAL = {"header-form", "type-unknown", "scope-form", "scope-case"}
# Letters of a type that a project might want.
_LONGEST_TYPE = 20


def check(parsed: Parsed, rules: Rules, *, search: Search | None = None) -> list[Violation]:
    """Return the violations in a message in the order of its lines, except those whose level is off.

    `search(pattern, text)` returns whether the project's ticket pattern matches; the caller provides it, because a
    pattern from a repository must not run in a backtracking engine.
    """
    violations = _check_header(parsed, rules)
    violations += parsed.violations
    violations += _check_characters(parsed)
    violations += _check_line_lengths(parsed, rules)
    violations += _check_required(parsed, rules)
    if rules.attribution != ALLOW:
        from smartcommit.message.attribution import check_attribution  # few projects ask for it

        violations += check_attribution(parsed, rules)
    if rules.ticket and search is not None and not search(rules.ticket, "\n".join(parsed.lines)):
        violations.append(_describe_missing_ticket(parsed, rules.ticket))
    kept = [violation for violation in violations if rules.level(violation.code) != OFF]
    return sorted(kept, key=Violation.position)


def find_errors(text: str, rules: Rules, *, search: Search | None = None) -> list[Violation]:
    """Return the violations that make `commit-msg` reject the message `text`; `search` is as for `check`."""
    return select_errors(check(parse(text), rules, search=search), rules)


def select_errors(violations: Iterable[Violation], rules: Rules) -> list[Violation]:
    """Return those of `violations` whose level is ERROR."""
    return [violation for violation in violations if rules.level(violation.code) == ERROR]


def _check_header(parsed: Parsed, rules: Rules) -> list[Violation]:
    header = parsed.message.header
    if (
        header is not None
        and header.type in rules.types
        and (header.scope is None or is_name(header.scope))
        and (header.scope is None or not rules.scopes or header.scope in rules.scopes)
        and len(header.summary) <= rules.summary_limit
        and not rules.imperative
    ):
        return []
    violations = check_header(parsed.lines[0], rules)
    if rules.find_habits is not None and any(violation.code in _HABITUAL for violation in violations):
        rules.adopt(rules.find_habits())
        return check_header(parsed.lines[0], rules)
    return violations


def _check_characters(parsed: Parsed) -> list[Violation]:
    if is_plain("".join(parsed.lines)):
        return []
    violations = []
    for number, line in enumerate(parsed.lines):
        position = find_unsafe(line)
        if position >= 0:
            text = f"invisible or control character {escape(line[position])}"
            violations.append(Violation("character", number, position, text, expected="visible text"))
    return violations


def _check_line_lengths(parsed: Parsed, rules: Rules) -> list[Violation]:
    """Check the lines of the description, except those that cannot be shortened: lines with a URL, and trailers."""
    limit = rules.line_limit
    violations: list[Violation] = []
    if limit is None:
        return violations
    for number, line in enumerate(parsed.lines[1 : parsed.trailers_at], 1):
        if len(line) > limit and "://" not in line:
            text = f"the line is {len(line)} code points long"
            violations.append(Violation("line-length", number, limit, text, expected=f"at most {rules.line_limit}"))
    return violations


def _check_required(parsed: Parsed, rules: Rules) -> list[Violation]:
    message = parsed.message
    wanted = set(rules.required)
    if "plan" in wanted:
        wanted |= {"constraints", "tasks"}
    missing = []
    if "description" in wanted and not message.description:
        missing.append(("the description", "why the change was made, after a blank line"))
    if "constraints" in wanted and message.constraints is None:
        missing.append(("the section 'Constraints:'", "'Constraints: none', or items"))
    if "tasks" in wanted and message.tasks is None:
        missing.append(("the section 'Tasks [ ]:'", "tasks as '- [ ] summary: details'"))
    last = max(len(parsed.lines) - 2, 0)
    violations = [Violation("section-missing", last, 0, f"{what} is missing", expected=how) for what, how in missing]
    if rules.sign_off and not any(trailer.key.lower() == "signed-off-by" for trailer in message.trailers):
        expected = "'Signed-off-by: NAME <ADDRESS>' at the end, as 'git commit -s' adds it"
        violations.append(Violation("sign-off", last, 0, "the sign-off is missing", expected=expected))
    return violations


def _describe_missing_ticket(parsed: Parsed, pattern: str) -> Violation:
    """Return the violation of a message without a match for `pattern`, at the trailer that was left empty, if any."""
    expected = f"a match for '{pattern}'"
    for number in range(parsed.trailers_at, len(parsed.lines)):
        line = parsed.lines[number].rstrip()
        if find_separator(line) == len(line) - 1 > 0:
            return Violation("ticket", number, len(line), f"the ticket after '{line}' is missing", expected=expected)
    return Violation("ticket", 0, 0, "no ticket found", expected=expected)


def check_header(line: str, rules: Rules) -> list[Violation]:
    """Return the violations in the header `line`; all of them have the same corrected line."""
    violations = _HeaderCheck(line, rules).run()
    if not violations:
        return []
    from smartcommit.message.proposals import fix_header  # most lines need none

    fix = fix_header(line, rules)
    if fix is not None:
        for violation in violations:
            violation.replacement, violation.sure = [fix[0]], fix[1]
    return violations


def breaks_header_rule(line: str, rules: Rules) -> bool:
    """Return whether `check_header` finds a violation, without looking for corrections."""
    return bool(_HeaderCheck(line, rules).run())


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
        types, listed = self._rules.types, self._rules.list_types()
        if scan.type in types:
            if scan.misplaced is not None:
                self._report_shape(scan, scan.misplaced)
        elif scan.misplaced is None and scan.type.lower() in types:
            self._add("type-case", 0, "the type has the wrong case", f"'{scan.type.lower()}'")
        elif self._line[:1] in (" ", "\t"):
            self._add("header-form", 0, "space before the type", "the type at the start of the line")
        elif scan.misplaced is not None:
            expected = f"'{FORM}', where type is one of {listed}"
            self._add("header-form", _find_departure(scan.type, types), "the line does not start with a type", expected)
        elif not scan.type:
            self._add("header-form", 0, "missing type", listed)
        else:
            text, advice = "unknown type", _advise_type(scan.type, self._rules)
            if self._rules.habits_off is not None:
                text += f" ({self._rules.habits_off} sets no types, and keeps out those from the history)"
            self._add("type-unknown", _find_departure(scan.type, types), text, listed, advice=advice)

    def _report_shape(self, scan: Scan, position: int) -> None:
        line = self._line
        if scan.bang is not None and line.startswith("(", position):
            self._add("header-form", position, "the scope comes after the '!'", "the scope first: 'type(scope)!:'")
        elif scan.bang is not None:
            self._add("header-form", position, "missing colon", "':' after the '!'")
        elif scan.scope is not None:
            self._add("header-form", position, "missing colon", "'!' or ':' after the scope")
        elif line.startswith("(", len(scan.type)):
            self._add("header-form", position, "missing ')' after the scope", "')'")
        else:
            self._add("header-form", position, "missing colon", "'(', '!' or ':' after the type")

    def _check_scope(self, scan: Scan) -> None:
        scope, scopes = scan.scope, self._rules.scopes
        if scope is None or self._rules.knows_spelling(scope):
            return
        start = len(scan.type) + 1
        if not scope:
            self._add("scope-form", start, "empty scope", "a noun, or no parentheses")
        elif is_name(scope.lower()) and scope != scope.lower():
            upper = start + _shared_length(scope, scope.lower())
            self._add("scope-case", upper, "the scope is not lower case", f"'{scope.lower()}'")
        elif not is_name(scope):
            wrong = next(length for length in range(len(scope)) if not is_name(scope[: length + 1]))
            expected = "a lower-case letter, then letters, digits and dashes"
            self._add("scope-form", start + wrong, "the scope is not a single noun", expected)
        elif scopes and scope not in scopes:
            self._add("scope-unknown", start, "unknown scope", ", ".join(scopes))

    def _check_summary(self, scan: Scan) -> None:
        line, rules = self._line, self._rules
        assert scan.colon is not None
        summary = line[scan.summary :].rstrip()
        if not summary:
            self._add("summary-empty", len(line), "missing summary", "one space, then what the change does")
            return
        if scan.summary != scan.colon + 2 or summary[0].isspace():
            self._add("header-space", scan.colon + 1, "the colon must be followed by exactly one space", "one space")
        if len(summary) > rules.summary_limit:
            text = (
                f"the summary is {len(summary)} code points long, {len(summary) - rules.summary_limit} over the limit"
            )
            self._add("summary-length", scan.summary + rules.summary_limit, text, f"at most {rules.summary_limit}")
        if rules.imperative and to_imperative(summary) is not None:
            text = "the summary is not in the imperative mood"
            self._add("summary-imperative", scan.summary, text, f"'{to_imperative(summary)}'")

    def _add(self, code: str, column: int, text: str, expected: str, *, advice: str = "") -> None:
        self._violations.append(Violation(code, 0, column, text, expected=expected, advice=advice))


def _advise_type(name: str, rules: Rules) -> str:
    """Return the command that adds the type `name` to the project's; empty if no command can."""
    if rules.types_place is None or not is_name(name) or len(name) > _LONGEST_TYPE:
        return ""
    if rules.types_set:
        return f"git config {rules.types_place} --add smartcommit.types {name}"
    return f"git config {rules.types_place} smartcommit.types '{' '.join(rules.types)} {name}'"


def _find_departure(text: str, types: Sequence[str]) -> int:
    """Return the offset of the first character with which `text` can no longer become one of `types`."""
    return max([_shared_length(text, name) for name in types], default=0)


def _shared_length(a: str, b: str) -> int:
    """Return how many characters `a` and `b` have in common at their start."""
    length = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        length += 1
    return length
