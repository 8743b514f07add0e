"""The description of a change as text: what of it is a plan, and the text of a plan, proved to read back as it.

Pure: no jj, no files. What a plan is, the grammar and rules of `smartcommit.message` decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from smartcommit.message.checks import check, check_header, find_errors, select_errors
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, Parsed, parse, print_message
from smartcommit.message.rules import Rules, Violation
from smartcommit.message.sections import heading
from smartcommit.message.trailers import find_trailers

# jj has no comment character of git's kind in a description: a line that begins with '#' is text like any other.
NO_COMMENT = ""
Search = Callable[[str, str], bool]


class EditRejected(Exception):
    """A call that is against the rules; nothing was changed. `question` is what would have to be confirmed."""

    def __init__(self, reason: str, *, question: str | None = None) -> None:
        super().__init__(reason)
        self.question = question


@dataclass(slots=True)
class ParsedDescription:
    """A description as the planner reads it.

    `message` is None where there is none, or where `problems` says why the text cannot be worked with. `tail` holds the
    lines of the trailers as they stand: folded ones, and those of git's that are no trailers, are kept to the letter.
    """

    text: str
    message: Message | None = None
    problems: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)

    @property
    def malformed(self) -> bool:
        """Whether there is text that is no plan: then it is read-only."""
        return self.message is None and bool(self.text.strip())


def read(text: str, rules: Rules) -> ParsedDescription:
    """Take a description apart; whatever the rules refuse, or printing would lose, makes it malformed.

    What a project requires beyond that (sections, a ticket) may come later and is judged by `unmet`.
    """
    if not text.strip():
        return ParsedDescription(text)
    parsed = parse(text, comment=NO_COMMENT)
    problems = _errors(check(parsed, _while_working(rules)), rules)
    tail = _tail(parsed)
    if not problems and not _is_kept(parsed, tail):
        problems = ["line 1: writing it again would lose some of the text"]
    return ParsedDescription(text, None if problems else parsed.message, problems, tail)


def write(message: Message, tail: Sequence[str], rules: Rules) -> str:
    """The description that holds `message`, its trailers written as in `tail`, proved to read back as it.

    Raises: Refused, naming what is wrong.
    """
    assert message.header is not None
    problems = _errors(check_header(str(message.header), rules), rules)
    if problems:
        raise EditRejected(f"nothing was written: {'; '.join(problems)}")
    try:
        text = print_message(message, comment=NO_COMMENT, tail=tail)
        text.encode()
    except UnicodeEncodeError:
        raise EditRejected("nothing was written: there is half a character that no file can hold") from None
    except ValueError as error:
        raise EditRejected(f"nothing was written: {error}") from None
    problems = read(text, rules).problems
    if problems:
        raise EditRejected(f"nothing was written: {'; '.join(problems)}")
    return text


def unmet(text: str, rules: Rules, *, search: Search | None = None) -> list[str]:
    """What the project's `commit-msg` hook would refuse in `text`; `search` is as for `smartcommit.message.rules`."""
    return list(map(_told, find_errors(text, rules, search=search)))


def compose(header: Header, *, description: str, constraints: str, tasks: str) -> str:
    """A description from the fields of a form, whose items stand one a line; bullets and boxes may be left out."""
    items = [line.strip().removeprefix("- ") for line in constraints.splitlines() if line.strip()]
    blocks = [str(scoped(header)), description.replace("\r\n", "\n").strip()]
    blocks.append("\n".join(["Constraints:", *(f"- {item}" for item in items)]) if items else "Constraints: none")
    lines = [line.rstrip() for line in tasks.splitlines() if line.strip()]
    if lines:
        blocks.append("\n".join(["Tasks [ ]:", *map(_boxed, lines)]))
    return "\n\n".join(block for block in blocks if block) + "\n"


def unfenced(text: str) -> str:
    """The text that a model wrote, without the fence of a code block around it."""
    lines = text.strip().split("\n")
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return "\n".join(lines).strip("\n") + "\n"


def scoped(header: Header) -> Header:
    """The header with its scope in lower case and no blanks around its parts."""
    return Header(
        header.type.strip(),
        header.summary.strip(),
        scope=(header.scope or "").strip().lower() or None,
        breaking=header.breaking,
    )


def _tail(parsed: Parsed) -> list[str]:
    """The lines of the trailers; none where a section stands among them, which the canonical form moves above them."""
    _, end = find_trailers(parsed.lines, NO_COMMENT)
    tail = parsed.lines[parsed.trailers_at : end]
    return [] if any(heading(line) for line in tail) else tail


def _is_kept(parsed: Parsed, tail: Sequence[str]) -> bool:
    """Whether printing keeps every letter: blanks and letter case are all that the canonical form may change."""
    try:
        printed = print_message(parsed.message, comment=NO_COMMENT, tail=tail)
    except ValueError:
        return False
    return "".join(printed.split()).casefold() == "".join("".join(parsed.lines).split()).casefold()


def _boxed(line: str) -> str:
    text = line.lstrip(" ")
    indent = line[: len(line) - len(text)]
    return line if text.startswith("- [") else f"{indent}- [ ] {text.removeprefix('- ')}"


def _errors(violations: Sequence[Violation], rules: Rules) -> list[str]:
    return list(map(_told, select_errors(violations, rules)))


def _told(violation: Violation) -> str:
    expected = f" (expected {violation.expected})" if violation.expected else ""
    return f"line {violation.line + 1}: {violation.code}: {violation.text}{expected}"


def _while_working(rules: Rules) -> Rules:
    return Rules(
        types=rules.types,
        scopes=rules.scopes,
        summary_limit=rules.summary_limit,
        line_limit=rules.line_limit,
        imperative=rules.imperative,
        levels=rules.levels,
    )
