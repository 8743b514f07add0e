"""The sections `Constraints:` and `Tasks [ ]:`: reading their lines, and printing them.

Source: the commit planner's structure format. A line that is indented below an item and is no item itself continues it.
"""

from __future__ import annotations

from smartcommit.message.rules import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PREFIXES = ("Do not:", "Never:", "Avoid:", "Decide against:", "Must not:", "Cannot:", "Forbidden:")
LEVELS = 4
CONSTRAINTS = "constraints"
TASKS = "tasks"


class Task:
    """A node of the task tree: `summary: details`, its state and its children. Only leaf nodes contain work."""

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
        """The id among siblings, from the summary; empty where the summary has neither letter nor digit."""
        return slug(self.summary)

    def __repr__(self) -> str:
        return f"Task({self.summary!r}, details={self.details!r}, completed={self.completed}, children={self.children})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and (self.summary, self.details, self.completed, self.children) == (
            other.summary,
            other.details,
            other.completed,
            other.children,
        )

    def __hash__(self) -> int:
        return hash((self.summary, self.details))


def slug(summary: str) -> str:
    """The letters and digits of `summary` after NFKC and case folding, other runs as one dash: `Fix the API` to
    `fix-the-api`.
    """
    if not summary.isascii():
        import unicodedata  # an extension module, needed for no message in ASCII

        summary = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", summary).casefold())
    return "-".join("".join(c if c.isalnum() else " " for c in summary.casefold()).split())


def walk(tasks: Sequence[Task], level: int = 0) -> Iterator[tuple[int, Task]]:
    """Every task with its level, from 0, parents before children."""
    for task in tasks:
        yield level, task
        yield from walk(task.children, level + 1)


def heading(line: str) -> str | None:
    """Which section `line` opens, exactly or misspelt: CONSTRAINTS, TASKS or None."""
    if line[:1] not in ("C", "c", "T", "t"):
        return None
    folded = line.lower().rstrip()
    if line.startswith("Constraints:") or folded in ("constraints:", "constraints: none", "constraints"):
        return CONSTRAINTS
    if line.startswith("Tasks [") or folded.startswith(("tasks [ ]", "tasks [x]", "tasks []")) or folded == "tasks:":
        return TASKS
    return None


def print_constraints(items: Sequence[str]) -> list[str]:
    """The lines of the section; `none` is literal."""
    return ["Constraints:", *(f"- {item}" for item in items)] if items else ["Constraints: none"]


def print_tasks(tasks: Sequence[Task], *, finished: bool) -> list[str]:
    """The lines of the section; `finished` is the state in the heading."""
    lines = [f"Tasks [{'X' if finished else ' '}]:"]
    for level, task in walk(tasks):
        text = f"{task.summary}: {task.details}" if task.details else task.summary
        lines.append(f"{'  ' * level}- [{'x' if task.completed else ' '}] {text}")
    return lines


class _Reader:
    """What both sections' readers share: the violations found so far, and whether the last line can be continued."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.continued = False

    def _add(self, code: str, at: tuple[int, int], text: str, expected: str = "", *, fix: str | None = None) -> None:
        replacement = None if fix is None else [fix]
        self.violations.append(Violation(code, *at, text, expected=expected, replacement=replacement))


class ConstraintsReader(_Reader):
    """Reads the lines below `Constraints:`; `items` and `violations` grow with each."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__()
        self.items: list[str] = []
        self._number = number
        rest = line.partition(":")[2].strip()
        self._none = rest.lower() == "none"
        canonical = "Constraints: none" if self._none else "Constraints:"
        if rest and not self._none:
            self._add(
                "constraints-heading", (number, 12), "text behind 'Constraints:'", "'none', or one item a line below"
            )
        elif line != canonical:
            self._add("constraints-heading", (number, 0), f"the heading is not '{canonical}'", fix=canonical)

    def take(self, line: str, number: int) -> bool:
        """Read one line; False where it does not belong to the section."""
        text = line.lstrip(" \t")
        if not text.startswith(("- ", "* ")) and text not in ("-", "*"):
            if self.continued and line[:1] in (" ", "\t"):
                self.items[-1] += " " + text
                return True
            return False
        item = text[2:].strip()
        fixed = self._fix_prefix(item)
        if line != f"- {item}":
            column = 0 if line[:1] in (" ", "\t") else len(line) - len(text)
            self._add("constraints-item", (number, column), "an item is not '- ' at the line's start", fix=f"- {fixed}")
        if fixed != item:
            self._add(
                "constraints-case", (number, line.find(item)), "the prefix is in another letter case", fix=f"- {fixed}"
            )
        elif not item.startswith(tuple(f"{prefix} " for prefix in PREFIXES)):
            expected = "one of " + ", ".join(f"'{prefix}'" for prefix in PREFIXES) + " and what is ruled out"
            self._add(
                "constraints-prefix", (number, max(line.find(item), 0)), "the item has none of the prefixes", expected
            )
        self.items.append(fixed)
        self.continued = True
        return True

    def close(self) -> list[str]:
        """End the section; its items."""
        if self._none and self.items:
            self._add("constraints-none", (self._number, 13), "'none' stands above items", fix="Constraints:")
        elif not self._none and not self.items:
            self._add(
                "constraints-empty", (self._number, 12), "the section has no items", "'Constraints: none', or items"
            )
        return self.items

    def _fix_prefix(self, item: str) -> str:
        for prefix in PREFIXES:
            if item[: len(prefix)].lower() == prefix.lower():
                return prefix + item[len(prefix) :]
        return item


class TasksReader(_Reader):
    """Reads the lines below `Tasks [ ]:`; `tasks`, `finished` and `violations` grow with each."""

    def __init__(self, line: str, number: int) -> None:
        super().__init__()
        self.tasks: list[Task] = []
        self.finished = "x" in line[: line.find("]") + 1].lower().removeprefix("tasks")
        self._number = number
        self._path: list[Task] = []
        # Where each task stands, by identity: its line's number and text.
        self._places: dict[int, tuple[int, str]] = {}
        canonical = f"Tasks [{'X' if self.finished else ' '}]:"
        rest = line[line.find("]") + 1 :].removeprefix(":").strip() if "]" in line else ""
        if rest:
            self._add("tasks-heading", (number, line.find(rest)), "text behind the heading", "one task a line below")
        elif line == "Tasks [x]:":
            self._add("tasks-case", (number, 7), "a finished heading has a capital X", fix=canonical)
        elif line != canonical:
            self._add("tasks-heading", (number, 0), f"the heading is not '{canonical}'", fix=canonical)

    def take(self, line: str, number: int) -> bool:
        """Read one line; False where it does not belong to the section."""
        text = line.lstrip(" \t")
        indent = line[: len(line) - len(text)]
        if not text.startswith(("- [", "* [")):
            if self.continued and indent and not text.startswith(("- ", "* ")):
                self._continue(text)
                return True
            if not text.startswith(("- ", "* ")):
                return False
            text = f"- [ ] {text[2:].strip()}"
            self._add("tasks-item", (number, len(indent)), "an item has no check box", fix=indent + text)
        box, content = text[3 : text.find("]")] if "]" in text else "?", text[text.find("]") + 1 :].strip()
        completed = box.strip().lower() == "x"
        self._check_item(line, number, text, box=box, content=content)
        level = self._level(line, number, indent)
        self._append(level, content, completed=completed, place=(number, line))
        self.continued = True
        return True

    def close(self) -> list[Task]:
        """End the section; its tasks."""
        self._check_states()
        self._check_ids(self.tasks)
        open_tasks = any(not task.completed for _, task in walk(self.tasks))
        if self.finished and not self.tasks:
            self._add(
                "tasks-state", (self._number, 7), "the heading says finished, and there is no task", "'Tasks [ ]:'"
            )
        elif self.finished and open_tasks:
            self._add("tasks-state", (self._number, 7), "the heading says finished above an open task", "'Tasks [ ]:'")
        elif not self.tasks:
            self._add(
                "tasks-empty", (self._number, 0), "the section has no tasks", "one '- [ ] summary: details' a line"
            )
        return self.tasks

    def _check_item(self, line: str, number: int, text: str, *, box: str, content: str) -> None:
        column = len(line) - len(line.lstrip(" \t"))
        indent = line[:column]
        mark = "x" if box.strip().lower() == "x" else " "
        fixed = f"{indent}- [{mark}] {content}"
        if box.strip() not in ("", "x", "X") or "]" not in text:
            self._add("tasks-item", (number, column + 3), "a check box is neither open nor done", "'[ ]' or '[x]'")
        elif text == f"- [X] {content}" and content:
            self._add("tasks-case", (number, column + 3), "a done task has a small x", fix=fixed)
        elif not content:
            self._add("tasks-item", (number, len(line)), "a task has no text", "'summary: details'")
        elif text != f"- [{mark}] {content}":
            self._add("tasks-item", (number, column), f"an item is not '- [{mark}] ' and its text", fix=fixed)

    def _level(self, line: str, number: int, indent: str) -> int:
        level = len(indent.replace("\t", "  ")) // 2
        allowed = min(len(self._path), LEVELS - 1)
        rest = line[len(indent) :]
        if indent != "  " * level:
            fixed = "  " * min(level, allowed) + rest
            self._add("tasks-indent", (number, 0), "the indentation is not two spaces a level", fix=fixed)
        elif level >= LEVELS:
            self._add("tasks-depth", (number, 2 * LEVELS), f"tasks go {LEVELS} levels deep at most", "a flatter list")
        elif level > allowed:
            self._add("tasks-indent", (number, 2 * allowed), "the level jumps", fix="  " * allowed + rest)
        return min(level, allowed)

    def _append(self, level: int, content: str, *, completed: bool, place: tuple[int, str]) -> None:
        summary, _, details = content.partition(": ")
        task = Task(summary.strip(), details=details.strip(), completed=completed)
        (self._path[level - 1].children if level else self.tasks).append(task)
        self._path[level:] = [task]
        self._places[id(task)] = place
        if content and not task.slug:
            self._add(
                "tasks-id", (place[0], 0), "a task's summary has neither letter nor digit", "a word that can be its id"
            )

    def _continue(self, text: str) -> None:
        task = self._path[-1]
        if task.details:
            task.details += " " + text
        else:
            summary, _, details = f"{task.summary} {text}".partition(": ")
            task.summary, task.details = summary, details

    def _check_states(self) -> None:
        for _, task in walk(self.tasks):
            done = all(child.completed for child in task.children)
            if task.children and task.completed != done:
                number, line = self._places[id(task)]
                box = line.find("[")
                fixed = f"{line[:box]}[{'x' if done else ' '}]{line[line.find(']') + 1 :]}"
                self._add("tasks-parent", (number, box), "a parent's state is not its children's", fix=fixed)

    def _check_ids(self, tasks: Sequence[Task]) -> None:
        seen: set[str] = set()
        for task in tasks:
            if task.slug and task.slug in seen:
                number, line = self._places[id(task)]
                column = len(line) - len(line.lstrip(" \t"))
                self._add("tasks-id", (number, column), f"two siblings have the id '{task.slug}'", "another summary")
            seen.add(task.slug)
            self._check_ids(task.children)
