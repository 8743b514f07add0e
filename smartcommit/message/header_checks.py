"""Finds what is wrong with a header by a project's rules, without looking for what was meant."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.message.header import Scan, is_name, is_word, split_mark, split_scopes
from smartcommit.message.rules import (
    ANY_CASE,
    DELIMITERS,
    FORBID,
    LOWER_CASE,
    LOWER_FIRST,
    REQUIRE,
    UPPER_FIRST,
    WORD,
    Rules,
    Violation,
)
from smartcommit.message.verbs import to_imperative

FORM = "type(scope)!: summary"
# Maximum letters of an unknown type or scope that a hint offers to add to the project's.
_NAME_LETTERS = 20


def find_header_violations(line: str, rules: Rules) -> list[Violation]:
    """Return the violations in the header `line` whose level is not off, none of them with a corrected line."""
    mark = ""
    if rules.header_form.startswith("{emoji} "):
        mark, line = split_mark(line)
    violations = _HeaderCheck(line, rules).run()
    for violation in violations:
        violation.column += len(mark)
    return violations


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
        self._check_end()
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
        elif self._line.startswith("# "):
            self._add("header-form", 0, "the header is a comment", "the comments above the message deleted")
        elif scan.misplaced is not None:
            expected = f"'{FORM}', where type is one of {listed}"
            self._add("header-form", _find_departure(scan.type, types), "the line does not start with a type", expected)
        elif not scan.type:
            self._add("header-form", 0, "missing type", listed)
        else:
            text, advice = "unknown type", ""
            # Types that are set nowhere are set all at once.
            others = () if self._rules.types_set else types
            if is_name(scan.type):
                advice = _advise_name("types", self._rules.types_place, scan.type, others)
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
        scope, rules = scan.scope, self._rules
        start = len(scan.type) + 1
        if not scope and rules.scope == REQUIRE:
            listed = ", ".join(rules.scopes) or "'type(scope): summary'"
            self._add("scope-missing", start - 1, "missing scope", listed)
        elif scope is not None and rules.scope == FORBID:
            self._add("scope-forbidden", start - 1, "the header has a scope", "'type: summary'")
        elif scope is not None and not rules.allows_scope(scope):
            advice = _advise_form(scope, rules)
            for part in rules.list_scopes(scope):
                start = self._line.find(part, start)
                if not part or not rules.allows_scope(part):
                    self._check_spelling(part, start, advice)
                start += len(part)

    def _check_spelling(self, scope: str, start: int, advice: str) -> None:
        """Check one scope that begins at `start`; `advice` is the command that allows its spelling."""
        rules = self._rules
        lower = scope if rules.allows_word(scope) else scope.lower()
        if not scope:
            self._add("scope-form", start, "empty scope", "a noun, or no parentheses")
        elif scope != lower and (is_name(lower) or rules.is_off("scope-form")) and not rules.is_off("scope-case"):
            upper = start + count_shared(scope, lower)
            self._add("scope-case", upper, "the scope is not lower case", f"'{lower}'", advice=advice)
        elif not is_name(lower) and not rules.allows_word(scope) and not rules.is_off("scope-form"):
            wrong = next(length for length in range(len(scope)) if not is_name(scope[: length + 1]))
            expected = "a lower-case letter, then letters, digits and dashes"
            self._add("scope-form", start + wrong, "the scope is not a single noun", expected, advice=advice)
        elif rules.scopes and scope not in rules.scopes:
            advice = _advise_name("scopes", rules.scopes_place, scope)
            self._add("scope-unknown", start, "unknown scope", ", ".join(rules.scopes), advice=advice)

    def _check_summary(self, scan: Scan) -> None:
        line, rules = self._line, self._rules
        assert scan.colon is not None
        summary = line[scan.summary :].rstrip()
        if not summary:
            self._add("summary-empty", len(line), "missing summary", "one space, then what the change does")
            return
        # Without a type, the colon may be that of an emoji's code.
        if scan.type and (scan.summary != scan.colon + 2 or summary[0].isspace()):
            self._add("header-space", scan.colon + 1, "the colon must be followed by exactly one space", "one space")
        if len(summary) > rules.summary_limit:
            text = (
                f"the summary is {len(summary)} code points long, {len(summary) - rules.summary_limit} over the limit"
            )
            self._add("summary-length", scan.summary + rules.summary_limit, text, f"at most {rules.summary_limit}")
        start = scan.summary + rules.find_words(summary)
        summary = line[start:].rstrip()
        if rules.imperative and to_imperative(summary) is not None:
            text = "the summary is not in the imperative mood"
            self._add("summary-imperative", start, text, f"'{to_imperative(summary)}'")
        if rules.summary_case != ANY_CASE:
            self._check_case(summary, start)

    def _check_case(self, summary: str, start: int) -> None:
        case, first = self._rules.summary_case, summary[0]
        if case == LOWER_FIRST and first.isupper():
            self._add("summary-case", start, "the summary begins with a capital letter", "a lower-case letter")
        elif case == UPPER_FIRST and first.islower():
            self._add("summary-case", start, "the summary begins with a lower-case letter", "a capital letter")
        elif case == LOWER_CASE and first.lower() != first.upper():
            plain = remove_quotes(summary)
            upper = count_shared(plain, plain.lower())
            if upper < len(plain):
                self._add("summary-case", start + upper, "the summary is not lower case", "lower-case letters")

    def _check_end(self) -> None:
        line, limit, wanted = self._line.rstrip(), self._rules.header_limit, self._rules.full_stop
        if limit is not None and len(line) > limit:
            text = f"the header is {len(line)} code points long, {len(line) - limit} over the limit"
            self._add("header-length", limit, text, f"at most {limit}")
        stopped = has_full_stop(line)
        if wanted == FORBID and stopped:
            self._add("summary-stop", len(line) - 1, "the summary ends with a full stop", "no full stop")
        elif wanted == REQUIRE and line[-1:] not in ("", ":") and not stopped:
            self._add("summary-stop", len(line), "the summary does not end with a full stop", "a full stop")

    def _add(self, code: str, column: int, text: str, expected: str, *, advice: str = "") -> None:
        if not self._rules.is_off(code):
            self._violations.append(Violation(code, 0, column, text, expected=expected, advice=advice))


def has_full_stop(text: str) -> bool:
    """Whether `text` ends with a full stop, which an ellipsis is not."""
    return text.endswith(".") and not text.endswith("...")


def remove_quotes(text: str) -> str:
    """Return `text` with spaces for what is in quotes, such as names in code, which keep their case."""
    for mark in ("`", '"', "'"):
        parts = text.split(mark)
        for place in range(1, len(parts) - 1, 2):
            parts[place] = " " * len(parts[place])
        text = mark.join(parts)
    return text


def _advise_name(setting: str, place: str | None, name: str, others: Sequence[str] = ()) -> str:
    """Return the command that adds `name` to the list of a `setting`, with `others`; empty if no command can."""
    if place is None or not is_word(name) or len(name) > _NAME_LETTERS:
        return ""
    # Entries add up, so that commands for several names can all be run.
    value = f"'{' '.join(others)} {name}'" if others else name
    return f"git config {place} --add smartcommit.{setting} {value}"


def _advise_form(scope: str, rules: Rules) -> str:
    """Return the command that allows scopes spelled as `scope` is; empty if no command can."""
    parts = split_scopes(scope)
    if rules.scope_form_place is None or not all(is_word(part) for part in parts):
        return ""
    forms = []
    for name, marks in DELIMITERS.items():
        if any(mark in scope for mark in marks):
            forms.append(name)
    if rules.scopes and not set(parts).issubset(rules.scopes):
        return ""
    if not rules.scopes and not all(is_name(part) for part in parts):
        forms.append(WORD)
    # Entries add up.
    return f"git config {rules.scope_form_place} --add smartcommit.scopeForm {','.join(forms)}"


def _find_departure(text: str, types: Sequence[str]) -> int:
    """Return the offset of the first character with which `text` can no longer become one of `types`."""
    return max([count_shared(text, name) for name in types], default=0)


def count_shared(a: str, b: str) -> int:
    """Return how many letters both begin with."""
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length
