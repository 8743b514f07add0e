"""Parses a whole message: header, description, constraints, tasks, trailers.

`parse` accepts any text; `print_message` writes the canonical form and checks that it parses as the same message, so
that no field can inject structure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smartcommit.message import plan_sections
from smartcommit.message.header import Header, parse_header
from smartcommit.message.rules import Violation
from smartcommit.message.trailers import Trailer, find_trailers, is_blank, parse_trailers
from smartcommit.record import Record

_BREAKING = ("BREAKING CHANGE", "BREAKING-CHANGE")
_BREAKING_PARAGRAPH = ("BREAKING CHANGE: ", "BREAKING-CHANGE: ")


class Message(Record):
    """The content of a message.

    `header` is None if the first line is not a valid header. `constraints` is None if there is no such section, and
    empty if it says `none`; `tasks` is None if there is no such section, and `finished` is the state in its heading.
    Items and tasks are one line each.
    """

    header: Header | None
    description: str = ""
    constraints: list[str] | None = None
    tasks: list[plan_sections.Task] | None = None
    finished: bool = False
    trailers: Sequence[Trailer] = ()

    @property
    def breaking(self) -> bool:
        """Whether the header has a `!`, or a trailer or a paragraph begins with BREAKING CHANGE."""
        if self.header is not None and self.header.breaking:
            return True
        if any(trailer.key in _BREAKING for trailer in self.trailers):
            return True
        return any(paragraph.startswith(_BREAKING_PARAGRAPH) for paragraph in self.description.split("\n\n"))


class Parsed(Record):
    """A parsed text: its unchanged `lines`, its content, and what is wrong with its structure.

    `trailers_at` is the line of the first trailer, or the number of lines if there are none.
    """

    lines: list[str]
    message: Message
    violations: list[Violation]
    trailers_at: int


def parse(text: str, *, comment: str = "#", is_plan: bool = False) -> Parsed:
    """Parse `text`; git finds trailers by the string `comment`, and `is_plan` is as for `find_sections`."""
    lines = text.split("\n")
    sections = plan_sections.find_sections(lines, is_plan=is_plan)
    start, end = find_trailers(lines, comment)
    start = _skip_sections(lines, sections, start, end, comment=comment)
    # git takes a heading among trailers for one of them.
    block = [lines[number] for number in range(start, end) if number not in sections]
    body = _Body(lines, sections, start)
    message = Message(
        parse_header(lines[0]),
        description=body.description,
        constraints=body.constraints,
        tasks=body.tasks,
        finished=body.finished,
        trailers=tuple(parse_trailers(block, comment)),
    )
    # Comments that git has kept above a message are all to be deleted.
    if len(lines) > 1 and not is_blank(lines[1]) and not lines[0].startswith("# "):
        body.violations.append(_missing_blank("body-blank", lines, 1, "the line after the header is not blank"))
    body.violations.sort(key=Violation.position)
    return Parsed(lines, message, body.violations, start)


def print_message(message: Message, *, comment: str = "#", tail: Sequence[str] = ()) -> str:
    """Return the canonical text of `message`, which ends with one line feed and parses as `message`.

    `tail` holds the lines of the trailers, if they should keep another form, such as folded lines. Raise ValueError if
    a field would be parsed as something else, or has a line that begins with `comment`, which git may drop.
    """
    if message.header is None:
        raise ValueError("a message needs a header")
    blocks = [str(message.header)]
    if message.description:
        blocks.append(message.description)
    if message.constraints is not None:
        items = [f"\n- {item}" for item in message.constraints]
        blocks.append("Constraints:" + ("".join(items) or " none"))
    if message.tasks is not None:
        blocks.append("\n".join(plan_sections.print_tasks(message.tasks, finished=message.finished)))
    if tail or message.trailers:
        blocks.append("\n".join(tail or [str(trailer) for trailer in message.trailers]))
    text = "\n\n".join(blocks) + "\n"
    parsed = parse(text, comment=comment)
    wanted = {**message.as_dict(), "trailers": tuple(message.trailers)}
    for field, value in parsed.message.as_dict().items():
        if value != wanted[field]:
            raise ValueError(f"the {field} would be parsed as something else")
    for line in parsed.lines:
        if comment and line.startswith(comment):
            raise ValueError(f"a line begins with '{comment}', which git treats as a comment")
    return text


def add_trailers(message: str, trailers: Sequence[Trailer]) -> str:
    """Return `message`, which ends in one newline, with those of `trailers` that it lacks, as git adds them.

    They come last. One that `message` has without a value is replaced.
    """
    parsed = parse(message.removesuffix("\n"), comment="")
    missing, empty = [], set()
    for trailer in trailers:
        if trailer not in parsed.message.trailers:
            missing.append(trailer)
            empty.add(f"{trailer.key}:")
    if not missing:
        return message
    body, block = parsed.lines[: parsed.trailers_at], parsed.lines[parsed.trailers_at :]
    block = [line for line in block if line.rstrip() not in empty]
    while body and not body[-1]:
        del body[-1]
    if block and find_trailers(["", *block, ""], "", breaking=False)[0] != 1:
        # git would not see trailers next to `BREAKING CHANGE: text`.
        body, block = [*body, "", *block], []
    block += [str(item) for item in missing]
    return "\n".join([*body, "", *block]) + "\n"


def _skip_sections(lines: list[str], sections: Mapping[int, str], start: int, end: int, *, comment: str) -> int:
    """Return where the trailers begin in the last paragraph, `lines[start:end]`, or the number of lines.

    git treats `Constraints: none` as a trailer, so `git cherry-pick -x` adds its line directly after it: what follows a
    section in this paragraph is parsed as a separate paragraph.
    """
    number = start
    while number < end and number in sections:
        reader = _new_reader(sections[number], lines[number], number)
        number += 1
        while number < end and reader.take(lines[number], number):
            number += 1
    if number == start:
        return start
    begin, _ = find_trailers(["", *lines[number:end], ""], comment)
    if begin != 1:
        return len(lines)
    return number


def _new_reader(kind: str, line: str, number: int) -> plan_sections.ConstraintsReader | plan_sections.TasksReader:
    if kind == plan_sections.CONSTRAINTS:
        return plan_sections.ConstraintsReader(line, number)
    return plan_sections.TasksReader(line, number)


class _Body:
    """Everything after the header, read line by line; the trailers begin at line `trailers_at`."""

    def __init__(self, lines: list[str], sections: Mapping[int, str], trailers_at: int) -> None:
        self.constraints: list[str] | None = None
        self.tasks: list[plan_sections.Task] | None = None
        self.finished = False
        self.violations: list[Violation] = []
        self._lines = lines
        self._reader: plan_sections.ConstraintsReader | plan_sections.TasksReader | None = None
        self._seen: list[str] = []
        self._stray = False
        description: list[str] = []
        for number in range(1, len(lines)):
            line = lines[number]
            if number in sections:
                self._open(sections[number], line, number, in_trailers=number > trailers_at)
            elif self._reader is None and not self._seen and number < trailers_at:
                description.append(line)
            elif is_blank(line):
                if self._reader is not None:
                    self._reader.continued = False
            elif self._reader is None or not self._reader.take(line, number):
                if number >= trailers_at:
                    self._close()
                elif not self._stray:
                    text = "text after a section is neither an item nor a trailer"
                    place = "the description before the sections, and trailers in a paragraph of their own at the end"
                    self._add("section-text", number, text, place)
                    self._stray = True
        self._close()
        self.description = "\n".join(description).strip("\n")

    def _open(self, kind: str, line: str, number: int, *, in_trailers: bool) -> None:
        self._close()
        if kind in self._seen:
            self._add("section-duplicate", number, f"duplicate section '{kind.capitalize()}'", "each section only once")
        elif kind == plan_sections.CONSTRAINTS and self._seen:
            expected = "'Constraints:' before 'Tasks [ ]:'"
            self._add("section-order", number, "'Constraints:' comes after the tasks", expected)
        elif in_trailers:
            self._add("section-order", number, "section among the trailers", "sections before the trailers")
        if number > 1 and not is_blank(self._lines[number - 1]) and not in_trailers:
            violation = _missing_blank("section-blank", self._lines, number, "missing blank line before a section")
            self.violations.append(violation)
        self._seen.append(kind)
        self._stray = False
        self._reader = _new_reader(kind, line, number)

    def _close(self) -> None:
        if isinstance(self._reader, plan_sections.ConstraintsReader):
            self.constraints = [*(self.constraints or []), *self._reader.close()]
        elif isinstance(self._reader, plan_sections.TasksReader):
            self.tasks = [*(self.tasks or []), *self._reader.close()]
            self.finished = self._reader.finished
        if self._reader is not None:
            self.violations += self._reader.violations
        self._reader = None

    def _add(self, code: str, number: int, text: str, expected: str) -> None:
        self.violations.append(Violation(code, number, 0, text, expected=expected))


def _missing_blank(code: str, lines: list[str], number: int, text: str) -> Violation:
    return Violation(code, number, 0, text, expected="a blank line", replacement=["", lines[number]])
