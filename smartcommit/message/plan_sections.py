"""Parses and prints the `Constraints:` and `Tasks [ ]:` sections.

Source: the commit planner's structure format. An indented line below an item continues it, unless it is an item itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.message.rules import Violation
from smartcommit.record import Record

PREFIXES = ("Do not:", "Never:", "Avoid:", "Decide against:", "Must not:", "Cannot:", "Forbidden:")
LEVELS = 4
CONSTRAINTS = "constraints"
TASKS = "tasks"


class Task(Record):
    """A node of the task tree: `summary: details`, its state and its children. Only leaves contain work."""

    __slots__ = ("children", "completed", "details", "summary")

    def __init__(
        self, summary: str, *, details: str = "", completed: bool = False, children: Sequence[Task] = ()
    ) -> None:
        self.summary = summary
        self.details = details
        self.completed = completed
        self.children = list(children)

    @property
    def slug(self) -> str:
        """The id among siblings, made from the summary; empty if the summary has no letter or digit."""
        return slug(self.summary)


def slug(summary: str) -> str:
    """Return the letters and digits of `summary` after NFKC and case folding, with dashes between: `fix-the-api`."""
    if not summary.isascii():
        import unicodedata  # an extension module, never needed for ASCII

        summary = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", summary).casefold())
    summary = summary.casefold()
    for character in set(summary):
        if not character.isalnum():
            summary = summary.replace(character, " ")
    return "-".join(summary.split())


def walk(tasks: Sequence[Task], level: int = 0) -> Iterator[tuple[int, Task]]:
    """Yield every task with its level, from 0, parents before children."""
    for task in tasks:
        yield level, task
        yield from walk(task.children, level + 1)


def find_current(tasks: Sequence[Task]) -> str:
    """Return the summary of the first task without children that is not complete; empty if there is none."""
    for _, task in walk(tasks):
        if not task.children and not task.completed:
            return task.summary
    return ""


def find_sections(lines: Sequence[str], *, is_plan: bool) -> dict[int, str]:
    """Return CONSTRAINTS or TASKS for the number of each line that is the heading of a section, even a misspelled one.

    Those who do not know the grammar write any list below `Tasks:` or `Constraints:`. Such a line is a heading only in
    a plan: the caller says that it is one, or it has a heading as only plans do, which is `Tasks [ ]:`, `Constraints:
    none`, or one above a known prefix.
    """
    sections = {}
    for number in range(1, len(lines)):
        if lines[number][:1] not in ("C", "c", "T", "t"):
            continue
        heading = lines[number].lower().rstrip()
        if heading == "tasks:":
            sections[number] = TASKS
        elif heading.startswith("tasks ["):
            # With another mark than `x`, prose may not follow the box.
            box, bracket, rest = heading.removeprefix("tasks [").partition("]")
            if bracket and (box in ("", " ", "x") or (len(box) == 1 and rest in ("", ":"))):
                sections[number], is_plan = TASKS, True
        elif heading.startswith("constraints:") or heading == "constraints":
            sections[number] = CONSTRAINTS
            is_plan = is_plan or heading == "constraints: none" or _has_known_prefix(lines, number + 1)
    return sections if is_plan else {}


def _has_known_prefix(lines: Sequence[str], start: int) -> bool:
    """Whether an item of the list that begins at the line `start` has a prefix of a constraint, in any case."""
    prefixes = tuple(prefix.lower() for prefix in PREFIXES)
    for number in range(start, len(lines)):
        indent, text = _split_indent(lines[number])
        if text.startswith(("- ", "* ")):
            if text[2:].lower().lstrip().startswith(prefixes):
                return True
        elif text.strip() and not indent:
            return False
    return False


def print_tasks(tasks: Sequence[Task], *, finished: bool) -> list[str]:
    lines = [_make_tasks_heading(finished)]
    for level, task in walk(tasks):
        line = f"{'  ' * level}- [{_mark(task.completed)}] {task.summary}"
        if task.details:
            line += f": {task.details}"
        lines.append(line)
    return lines


def _make_tasks_heading(finished: bool) -> str:
    return "Tasks [X]:" if finished else "Tasks [ ]:"


def _mark(completed: bool) -> str:
    return "x" if completed else " "


def _split_indent(line: str) -> tuple[str, str]:
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)], text


class _SectionReader:
    """A reader of one section: the violations found so far, and whether the next line may continue the last one."""

    def __init__(self, number: int) -> None:
        self.violations: list[Violation] = []
        self.continued = False
        self._heading = number

    def _add(
        self, code: str, text: str, expected: str = "", *, column: int = 0, number: int | None = None,
        fix: str | None = None,
    ) -> None:  # fmt: skip
        """Report what is wrong at a line, by default the heading; `fix` is the line as it should be."""
        if number is None:
            number = self._heading
        replacement = [fix] if fix is not None else None
        self.violations.append(Violation(code, number, column, text, expected=expected, replacement=replacement))

    def _check_heading(self, code: str, line: str, canonical: str, *, rest: str, expected: str) -> None:
        """Report a heading that is not `canonical`, or has the text `rest` after it."""
        if rest:
            self._add(code, f"text after '{canonical}'", expected, column=line.find(rest))
        elif line != canonical:
            self._add(code, f"the heading is not '{canonical}'", fix=canonical)


class ConstraintsReader(_SectionReader):
    """Reads the lines after `Constraints:` into `items` and `violations`."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__(number)
        self.items: list[str] = []
        rest = line.partition(":")[2].strip()
        self._none = rest.lower() == "none"
        canonical = "Constraints:"
        if self._none:
            canonical, rest = "Constraints: none", ""
        expected = "'none', or one item per line below"
        self._check_heading("constraints-heading", line, canonical, rest=rest, expected=expected)

    def take(self, line: str, number: int) -> bool:
        """Read one line; return False if it does not belong to the section."""
        indent, text = _split_indent(line)
        if not text.startswith(("- ", "* ")) and text not in ("-", "*"):
            if self.continued and indent:
                self.items[-1] += " " + text
                return True
            return False
        item = fixed = text[2:].strip()
        for prefix in PREFIXES:
            if item.lower().startswith(prefix.lower()):
                fixed = prefix + item[len(prefix) :]
        column = line.find(item)
        if line != f"- {item}":
            reason = "the item does not start with '- ' in the first column"
            self._add("constraints-item", reason, number=number, fix=f"- {fixed}")
        if fixed != item:
            reason = "the prefix has the wrong case"
            self._add("constraints-case", reason, number=number, column=column, fix=f"- {fixed}")
        elif not item.startswith(tuple(f"{prefix} " for prefix in PREFIXES)):
            expected = "one of " + ", ".join(f"'{prefix}'" for prefix in PREFIXES) + ", followed by what is ruled out"
            reason = "the item does not start with a known prefix"
            self._add("constraints-prefix", reason, expected, number=number, column=column)
        self.items.append(fixed)
        self.continued = True
        return True

    def close(self) -> list[str]:
        if self._none and self.items:
            self._add("constraints-none", "'none' is followed by items", column=13, fix="Constraints:")
        elif not self._none and not self.items:
            self._add("constraints-empty", "the section has no items", "'Constraints: none', or items", column=12)
        return self.items


class TasksReader(_SectionReader):
    """Reads the lines after `Tasks [ ]:` into `tasks` and `violations`; `finished` is the state in the heading."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__(number)
        box, bracket, rest = line.partition("]")
        self.finished = bracket != "" and "x" in box.lower().removeprefix("tasks")
        root = Task("")
        self.tasks = root.children
        self._path = [root]
        # The number and text of each task's line, by the task's identity.
        self._lines: dict[int, tuple[int, str]] = {}
        canonical = _make_tasks_heading(self.finished)
        if line == "Tasks [x]:":
            reason = "the heading of a finished plan needs a capital X"
            self._add("tasks-case", reason, column=7, fix=canonical)
        else:
            rest = rest.removeprefix(":").strip()
            self._check_heading("tasks-heading", line, canonical, rest=rest, expected="one task per line below")

    def take(self, line: str, number: int) -> bool:
        """Read one line; return False if it does not belong to the section."""
        indent, text = _split_indent(line)
        if not text.startswith(("- [", "* [")):
            if self.continued and indent and not text.startswith(("- ", "* ")):
                last = self._path[-1]
                if last.details:
                    last.details += " " + text
                else:
                    last.summary, _, last.details = f"{last.summary} {text}".partition(": ")
                return True
            if not text.startswith(("- ", "* ")):
                return False
            text = f"- [ ] {text[2:].strip()}"
            reason = "the item has no checkbox"
            self._add("tasks-item", reason, number=number, column=len(indent), fix=indent + text)
        box, bracket, content = text[3:].partition("]")
        box, content = box.strip(), content.strip()
        if not bracket:
            box, content = "?", text.strip()
        self._check_item(line, number, text, box=box, content=content)
        level = self._check_level(line, number, indent)
        summary, _, details = content.partition(": ")
        task = Task(summary.strip(), details=details.strip(), completed=box in ("x", "X"))
        self._path[level].children.append(task)
        self._path[level + 1 :] = [task]
        self._lines[id(task)] = number, line
        if content and not task.slug:
            reason = "the task summary has no letter or digit"
            self._add("tasks-id", reason, "a word to form its id from", number=number)
        self.continued = True
        return True

    def close(self) -> list[Task]:
        for _, task in walk(self.tasks):
            ended = all(child.completed for child in task.children)
            if task.children and task.completed != ended:
                number, line = self._lines[id(task)]
                box = line.find("[")
                fixed = f"{line[:box]}[{_mark(ended)}]{line[line.find(']') + 1 :]}"
                reason = "the state of a parent task does not match its children"
                self._add("tasks-parent", reason, number=number, column=box, fix=fixed)
        self._check_ids(self.tasks)
        done = self.tasks and all(task.completed for _, task in walk(self.tasks))
        if self.finished and not done:
            self._add("tasks-state", "the heading says finished, but not every task is done", "'Tasks [ ]:'", column=7)
        elif not self.tasks:
            self._add("tasks-empty", "the section has no tasks", "one '- [ ] summary: details' per line")
        return self.tasks

    def _check_item(self, line: str, number: int, text: str, *, box: str, content: str) -> None:
        indent, _ = _split_indent(line)
        mark = _mark(box in ("x", "X"))
        column, fixed = len(indent), f"{indent}- [{mark}] {content}"
        if box not in ("", "x", "X"):
            reason = "the checkbox is neither open nor done"
            self._add("tasks-item", reason, "'[ ]' or '[x]'", number=number, column=column + 3)
        elif text == f"- [X] {content}" and content:
            reason = "a completed task needs a lower-case x"
            self._add("tasks-case", reason, number=number, column=column + 3, fix=fixed)
        elif not content:
            self._add("tasks-item", "the task has no text", "'summary: details'", number=number, column=len(line))
        elif text != f"- [{mark}] {content}":
            reason = f"the item is not '- [{mark}] ' followed by text"
            self._add("tasks-item", reason, number=number, column=column, fix=fixed)

    def _check_level(self, line: str, number: int, indent: str) -> int:
        """Return the level that an item counts as, whatever its indentation."""
        level = len(indent.replace("\t", "  ")) // 2
        allowed = min(len(self._path), LEVELS) - 1
        fixed = "  " * min(level, allowed) + line[len(indent) :]
        if indent != "  " * level:
            self._add("tasks-indent", "the indentation is not two spaces per level", number=number, fix=fixed)
        elif level >= LEVELS:
            reason = f"more than {LEVELS} levels of tasks"
            self._add("tasks-depth", reason, "a flatter list", number=number, column=2 * LEVELS)
        elif level > allowed:
            reason = "skipped a level of indentation"
            self._add("tasks-indent", reason, number=number, column=2 * allowed, fix=fixed)
        return min(level, allowed)

    def _check_ids(self, tasks: Sequence[Task]) -> None:
        seen: set[str] = set()
        for task in tasks:
            if task.slug and task.slug in seen:
                number, line = self._lines[id(task)]
                reason = f"two sibling tasks have the id '{task.slug}'"
                self._add("tasks-id", reason, "another summary", number=number, column=len(_split_indent(line)[0]))
            seen.add(task.slug)
            self._check_ids(task.children)
