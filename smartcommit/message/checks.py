"""Checks a message against a project's rules, and corrects a header where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from smartcommit.message.characters import escape, find_unsafe
from smartcommit.message.header import FIXUPS
from smartcommit.message.header_checks import find_header_violations
from smartcommit.message.parse import Parsed, parse
from smartcommit.message.rules import ALLOW, ERROR, OFF, Rules, Violation
from smartcommit.message.trailers import find_separator, find_trailers, parse_trailers

Search = Callable[[str, str], bool]

# Codes of violations that are allowed if the project's history has the same.
_HABITUAL = {"header-form", "type-unknown", "scope-form", "scope-case"}
_AUTOSQUASH = (*FIXUPS, "amend! ")


def check(parsed: Parsed, rules: Rules, *, search: Search | None = None) -> list[Violation]:
    """Return the violations in a message in the order of its lines, except those whose level is off.

    `search(pattern, text)` returns whether the project's ticket pattern matches; the caller provides it, because a
    pattern from a repository must not run in a backtracking engine.
    """
    violations = check_header(parsed.lines[0], rules)
    if rules.find_habits is not None and any(violation.code in _HABITUAL for violation in violations):
        rules.adopt(rules.find_habits())
        violations = check_header(parsed.lines[0], rules)
    # A `\\n` in the header was meant to end it before another one, an item or a trailer.
    first, *rest = parsed.lines[0].split("\\n")
    if "" in rest[:-1] or any(part.startswith(("- ", "* ")) or find_separator(part) > 0 for part in rest):
        expected = "a '-m' for each paragraph, or '-F FILE'"
        violations.append(Violation("line-break", 0, len(first), "'\\n' is no end of a line", expected=expected))
    violations += parsed.violations
    violations += _check_lines(parsed, rules)
    violations += _check_required(parsed, rules)
    if rules.attribution != ALLOW:
        from smartcommit.message.attribution import check_attribution  # few projects ask for it

        violations += check_attribution(parsed)
    if rules.ticket and search is not None and not search(rules.ticket, "\n".join(parsed.lines)):
        violations.append(_describe_missing_ticket(parsed, rules.ticket))
    reported = [violation for violation in violations if rules.level(violation.code) != OFF]
    return sorted(reported, key=Violation.position)


def find_errors(text: str, rules: Rules, *, search: Search | None = None) -> list[Violation]:
    """Return the violations that make `commit-msg` reject the message `text`; `search` is as for `check`."""
    return select_errors(check(parse(text), rules, search=search), rules)


def is_accepted(text: str, rules: Rules) -> bool:
    """Whether `text` breaks no rule that is an error. It may lack its ticket, for which nothing searches here."""
    return not find_errors(text.removesuffix("\n"), rules)


def select_errors(violations: Iterable[Violation], rules: Rules) -> list[Violation]:
    return [violation for violation in violations if rules.level(violation.code) == ERROR]


def _check_lines(parsed: Parsed, rules: Rules) -> list[Violation]:
    """Find characters that nobody sees, and below the header lines that are too long; a URL cannot be shortened."""
    violations = []
    for number, line in enumerate(parsed.lines):
        position = find_unsafe(line)
        if position >= 0:
            text = f"invisible or control character {escape(line[position])}"
            violations.append(Violation("character", number, position, text, expected="visible text"))
        limit = rules.line_limit if number < parsed.trailers_at else rules.trailer_limit
        if number > 0 and limit is not None and len(line) > limit and "://" not in line:
            text = f"the line is {len(line)} code points long"
            violations.append(Violation("line-length", number, limit, text, expected=f"at most {limit}"))
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
        missing.append(("the section 'Constraints:'", "'Constraints: none', or items such as '- Never: TEXT'"))
    if "tasks" in wanted and message.tasks is None:
        missing.append(("the section 'Tasks [ ]:'", "tasks as '- [ ] summary: details'"))
    last = max(len(parsed.lines) - 2, 0)
    violations = [Violation("section-missing", last, 0, f"{what} is missing", expected=how) for what, how in missing]
    # To git, `BREAKING CHANGE: text` is no trailer.
    begin, end = find_trailers(parsed.lines, breaking=False)
    signers = [trailer for trailer in parse_trailers(parsed.lines[begin:end]) if trailer.key.lower() == "signed-off-by"]
    if rules.sign_off and not signers:
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
    violations = find_header_violations(line, rules)
    if not violations:
        return []
    from smartcommit.message.header_proposals import fix_header  # most lines need none

    fix = fix_header(line, rules)
    if fix is not None:
        for violation in violations:
            violation.replacement, violation.sure = [fix.line], fix.is_sure
    return violations


def find_autosquash_target(subject: str) -> str | None:
    """Return the subject that a `fixup!`, `squash!` or `amend!` names, or None for any other `subject`."""
    if not subject.startswith(_AUTOSQUASH):
        return None
    while subject.startswith(_AUTOSQUASH):
        subject = subject.partition(" ")[2]
    return subject


def drop_autosquash_title(lines: Sequence[str]) -> list[str]:
    """Return the message with which an `amend!` replaces its target's: what is below the first blank line."""
    body = list(lines[1:])
    while body and not body[0]:
        del body[0]
    return body
