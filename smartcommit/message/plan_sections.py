"""Parses and prints the `Constraints:` and `Tasks [ ]:` sections.

Source: the commit planner's structure format. An indented line below an item continues it, unless it is an item itself.
"""

from __future__ import annotations

from smartcommit.message.rules import Violation
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Position = tuple[int, int]

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


def find_sections(lines: Sequence[str], *, is_plan: bool = False) -> dict[int, str]:
    """Return CONSTRAINTS or TASKS for the number of each line that is the heading of a section, even a misspelled one.

    Those who do not know the grammar write any list below `Tasks:` or `Constraints:`. Such a line is a heading only in
    a plan: the caller says that it is one, or it has a heading as only plans do, which is `Tasks [ ]:`, `Constraints:
    none`, or one above a known prefix.
    """
    found = {}
    for number in range(1, len(lines)):
        if lines[number][:1] not in ("C", "c", "T", "t"):
            continue
        heading = lines[number].lower().rstrip()
        if heading == "tasks:":
            found[number] = TASKS
        elif _is_tasks_heading(heading):
            found[number], is_plan = TASKS, True
        elif heading.startswith("constraints:") or heading == "constraints":
            found[number] = CONSTRAINTS
            is_plan = is_plan or heading == "constraints: none" or _has_known_prefix(lines, number + 1)
    if is_plan:
        return found
    return {}


def _is_tasks_heading(heading: str) -> bool:
    """Whether `heading`, in lower case, has a checkbox; with another mark than `x`, prose may not follow it."""
    word, _, rest = heading.partition("[")
    box, bracket, rest = rest.partition("]")
    return word == "tasks " and bracket != "" and (box in ("", " ", "x") or (len(box) == 1 and rest in ("", ":")))


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


def print_constraints(items: Sequence[str]) -> list[str]:
    """Return the lines of the section."""
    if not items:
        return ["Constraints: none"]
    return ["Constraints:", *(f"- {item}" for item in items)]


def print_tasks(tasks: Sequence[Task], *, finished: bool) -> list[str]:
    """Return the lines of the section; `finished` is the state in the heading."""
    lines = [_tasks_heading(finished)]
    for level, task in walk(tasks):
        line = f"{'  ' * level}- [{_mark(task.completed)}] {task.summary}"
        if task.details:
            line += f": {task.details}"
        lines.append(line)
    return lines


def _tasks_heading(finished: bool) -> str:
    return "Tasks [X]:" if finished else "Tasks [ ]:"


def _mark(completed: bool) -> str:
    return "x" if completed else " "


def _split_indent(line: str) -> tuple[str, str]:
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)], text


class _Reader:
    """A reader of one section: the violations found so far, and whether the next line may continue the last one."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.continued = False

    def _add(self, code: str, at: Position, text: str, expected: str = "", *, fix: str | None = None) -> None:
        violation = Violation(code, *at, text, expected=expected)
        if fix is not None:
            violation.replacement = [fix]
        self.violations.append(violation)


class ConstraintsReader(_Reader):
    """Reads the lines after `Constraints:` into `items` and `violations`."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__()
        self.items: list[str] = []
        self._number = number
        rest = line.partition(":")[2].strip()
        self._none = rest.lower() == "none"
        canonical = "Constraints: none" if self._none else "Constraints:"
        if rest and not self._none:
            expected = "'none', or one item per line below"
            self._add("constraints-heading", (number, 12), "text after 'Constraints:'", expected)
        elif line != canonical:
            self._add("constraints-heading", (number, 0), f"the heading is not '{canonical}'", fix=canonical)

    def take(self, line: str, number: int) -> bool:
        """Read one line; return False if it does not belong to the section."""
        indent, text = _split_indent(line)
        if not text.startswith(("- ", "* ")) and text not in ("-", "*"):
            if self.continued and indent:
                self.items[-1] += " " + text
                return True
            return False
        item = text[2:].strip()
        fixed = self._fix_prefix(item)
        place = (number, line.find(item))
        if line != f"- {item}":
            self._add(
                "constraints-item",
                (number, 0),
                "the item does not start with '- ' in the first column",
                fix=f"- {fixed}",
            )
        if fixed != item:
            self._add("constraints-case", place, "the prefix has the wrong case", fix=f"- {fixed}")
        elif not item.startswith(tuple(f"{prefix} " for prefix in PREFIXES)):
            expected = "one of " + ", ".join(f"'{prefix}'" for prefix in PREFIXES) + ", followed by what is ruled out"
            self._add("constraints-prefix", place, "the item does not start with a known prefix", expected)
        self.items.append(fixed)
        self.continued = True
        return True

    def close(self) -> list[str]:
        """End the section and return its items."""
        if self._none and self.items:
            self._add("constraints-none", (self._number, 13), "'none' is followed by items", fix="Constraints:")
        elif not self._none and not self.items:
            expected = "'Constraints: none', or items"
            self._add("constraints-empty", (self._number, 12), "the section has no items", expected)
        return self.items

    def _fix_prefix(self, item: str) -> str:
        for prefix in PREFIXES:
            if item[: len(prefix)].lower() == prefix.lower():
                return prefix + item[len(prefix) :]
        return item


class TasksReader(_Reader):
    """Reads the lines after `Tasks [ ]:` into `tasks` and `violations`; `finished` is the state in the heading."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__()
        box, bracket, rest = line.partition("]")
        self.finished = bracket != "" and "x" in box.lower().removeprefix("tasks")
        self._number = number
        root = Task("")
        self.tasks = root.children
        self._path = [root]
        # The number and text of each task's line, by the task's identity.
        self._lines: dict[int, tuple[int, str]] = {}
        canonical = _tasks_heading(self.finished)
        rest = rest.removeprefix(":").strip()
        if rest:
            self._add("tasks-heading", (number, line.find(rest)), "text after the heading", "one task per line below")
        elif line == "Tasks [x]:":
            self._add("tasks-case", (number, 7), "the heading of a finished plan needs a capital X", fix=canonical)
        elif line != canonical:
            self._add("tasks-heading", (number, 0), f"the heading is not '{canonical}'", fix=canonical)

    def take(self, line: str, number: int) -> bool:
        """Read one line; return False if it does not belong to the section."""
        indent, text = _split_indent(line)
        if not text.startswith(("- [", "* [")):
            if self.continued and indent and not text.startswith(("- ", "* ")):
                self._extend(self._path[-1], text)
                return True
            if not text.startswith(("- ", "* ")):
                return False
            text = f"- [ ] {text[2:].strip()}"
            self._add("tasks-item", (number, len(indent)), "the item has no checkbox", fix=indent + text)
        self._check_item(line, number, text)
        box, content = _split_box(text)
        level = self._check_level(line, number, indent)
        self._append(level, content, completed=box in ("x", "X"), place=(number, line))
        self.continued = True
        return True

    def close(self) -> list[Task]:
        """End the section and return its tasks."""
        self._check_states()
        self._check_ids(self.tasks)
        number, expected = self._number, "'Tasks [ ]:'"
        if self.finished and not self.tasks:
            self._add("tasks-state", (number, 7), "the heading says finished, but there are no tasks", expected)
        elif self.finished and not all(task.completed for _, task in walk(self.tasks)):
            self._add("tasks-state", (number, 7), "the heading says finished, but a task is still open", expected)
        elif not self.tasks:
            expected = "one '- [ ] summary: details' per line"
            self._add("tasks-empty", (number, 0), "the section has no tasks", expected)
        return self.tasks

    def _check_item(self, line: str, number: int, text: str) -> None:
        indent, _ = _split_indent(line)
        box, content = _split_box(text)
        column, mark = len(indent), _mark(box in ("x", "X"))
        fixed = f"{indent}- [{mark}] {content}"
        if box not in ("", "x", "X"):
            self._add("tasks-item", (number, column + 3), "the checkbox is neither open nor done", "'[ ]' or '[x]'")
        elif text == f"- [X] {content}" and content:
            self._add("tasks-case", (number, column + 3), "a completed task needs a lower-case x", fix=fixed)
        elif not content:
            self._add("tasks-item", (number, len(line)), "the task has no text", "'summary: details'")
        elif text != f"- [{mark}] {content}":
            self._add("tasks-item", (number, column), f"the item is not '- [{mark}] ' followed by text", fix=fixed)

    def _check_level(self, line: str, number: int, indent: str) -> int:
        """Return the level that an item counts as, whatever its indentation."""
        level = len(indent.replace("\t", "  ")) // 2
        allowed = min(len(self._path), LEVELS) - 1
        rest = line[len(indent) :]
        if indent != "  " * level:
            fixed = "  " * min(level, allowed) + rest
            self._add("tasks-indent", (number, 0), "the indentation is not two spaces per level", fix=fixed)
        elif level >= LEVELS:
            self._add("tasks-depth", (number, 2 * LEVELS), f"more than {LEVELS} levels of tasks", "a flatter list")
        elif level > allowed:
            self._add(
                "tasks-indent", (number, 2 * allowed), "skipped a level of indentation", fix="  " * allowed + rest
            )
        return min(level, allowed)

    def _append(self, level: int, content: str, *, completed: bool, place: tuple[int, str]) -> None:
        summary, _, details = content.partition(": ")
        task = Task(summary.strip(), details=details.strip(), completed=completed)
        self._path[level].children.append(task)
        self._path[level + 1 :] = [task]
        self._lines[id(task)] = place
        if content and not task.slug:
            expected = "a word to form its id from"
            self._add("tasks-id", (place[0], 0), "the task summary has no letter or digit", expected)

    def _extend(self, task: Task, text: str) -> None:
        if task.details:
            task.details += " " + text
        else:
            summary, _, details = f"{task.summary} {text}".partition(": ")
            task.summary, task.details = summary, details

    def _check_states(self) -> None:
        for _, task in walk(self.tasks):
            done = all(child.completed for child in task.children)
            if task.children and task.completed != done:
                number, line = self._lines[id(task)]
                box = line.find("[")
                fixed = f"{line[:box]}[{_mark(done)}]{line[line.find(']') + 1 :]}"
                self._add(
                    "tasks-parent", (number, box), "the state of a parent task does not match its children", fix=fixed
                )

    def _check_ids(self, tasks: Sequence[Task]) -> None:
        seen: set[str] = set()
        for task in tasks:
            if task.slug and task.slug in seen:
                number, line = self._lines[id(task)]
                indent, _ = _split_indent(line)
                self._add(
                    "tasks-id", (number, len(indent)), f"two sibling tasks have the id '{task.slug}'", "another summary"
                )
            seen.add(task.slug)
            self._check_ids(task.children)


def _split_box(item: str) -> tuple[str, str]:
    """Return what is in the checkbox of `item`, which begins with `- [`, and the text after it."""
    box, bracket, content = item[3:].partition("]")
    if not bracket:
        return "?", item.strip()
    return box.strip(), content.strip()
