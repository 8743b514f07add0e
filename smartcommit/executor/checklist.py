"""Tasks from the checklist in a Markdown document, without a model."""

from __future__ import annotations

import re
from typing import Any

# Below an item fences stand at its text's column, or begin that text. Source: CommonMark, fenced code blocks.
_FENCE = re.compile(r"([ \t]{0,40})(?:(?:[-*+]|\d{1,4}[.)]) +)?(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"# +(.+?)[ #]*$")
_ITEM = re.compile(r"([ \t]{0,40})(?:[-*+]|\d{1,4}[.)]) +(.*)$")
_BOX = re.compile(r"\[([ xX])\] +(.*)$")
_CHECK = re.compile(r"[Cc]heck: *`?([^`]+?)`?$")
_INTRODUCTION = 4000
_TAB = 4


class Checklist:
    """What was read: `name` and `description` of the plan, and `tasks` as a plan has them; none where there is no list.

    An item at the list's own level is a task, `- [ ] title: description`. Items below it are its acceptance criteria,
    other text its description, fenced text word for word, and an item `Check: command` a command that must pass.
    """

    def __init__(self, text: str) -> None:
        self.name = ""
        self._tasks: list[_Task] = []
        self._introduction: list[str] = []
        self._level: int | None = None
        self._fence: _Fence | None = None
        for line in text.splitlines():
            self._take(line)

    @property
    def tasks(self) -> list[dict[str, Any]]:
        """The fields of the tasks, in their order."""
        return [task.fields(f"t{number:02d}") for number, task in enumerate(self._tasks, 1)]

    @property
    def description(self) -> str:
        """The text above the first task, in short."""
        return "\n".join(self._introduction).strip()[:_INTRODUCTION]

    def _take(self, line: str) -> None:
        plain = line.expandtabs(_TAB).rstrip()
        mark = _FENCE.match(plain)
        if self._fence is not None:
            self._quote(self._fence.content(line), self._fence.depth)
            if self._fence.is_closed_by(plain):
                self._fence = None
        elif mark:
            self._fence = _Fence(mark)
            self._quote(plain[mark.start(2) :], self._fence.depth)
        else:
            self._read(plain)

    def _quote(self, text: str, depth: int) -> None:
        if not self._tasks:
            self._introduction.append(text)
        elif depth > (self._level or 0):
            self._tasks[-1].description.append(text)

    def _read(self, line: str) -> None:
        item = _ITEM.match(line)
        box = _BOX.match(item[2]) if item else None
        depth = len(item[1]) if item else len(line) - len(line.lstrip())
        if box and (self._level is None or depth <= self._level):
            self._level = depth
            self._tasks.append(_Task(box))
        elif self._tasks and line and depth > (self._level or 0):
            self._tasks[-1].take(line.strip(), (box[2] if box else item[2]) if item else None)
        elif not self._tasks:
            heading = _HEADING.match(line)
            if heading and not self.name:
                self.name = heading[1]
            else:
                self._introduction.append(line)


class _Task:
    """A task, with the lines of its texts; they are joined when all is read, since there may be very many."""

    def __init__(self, box: re.Match[str]) -> None:
        title, _, details = box[2].partition(": ")
        self._title = title.strip()
        self._status = "pending" if box[1] == " " else "completed"
        self.description = [details.strip()] if details.strip() else []
        self._criteria: list[list[str]] = []
        self._checks: list[str] = []

    def take(self, text: str, item: str | None) -> None:
        """Take in a line below the task; `item` is its text where it is an item."""
        check = _CHECK.match(item if item is not None else text)
        if check:
            self._checks.append(check[1])
        elif item is not None:
            self._criteria.append([item])
        else:
            (self._criteria[-1] if self._criteria else self.description).append(text)

    def fields(self, name: str) -> dict[str, Any]:
        """The task as a plan has it, with the id `name`."""
        return {
            "id": name,
            "title": self._title,
            "description": "\n".join(self.description),
            "acceptanceCriteria": [" ".join(lines) for lines in self._criteria],
            "status": self._status,
            **({"check": _joined(self._checks)} if self._checks else {}),
        }


class _Fence:
    """Fenced text that is open: `depth` is the indentation of its first line, in columns."""

    def __init__(self, mark: re.Match[str]) -> None:
        self.depth = len(mark[1])
        self._mark = mark[2]
        self._column = mark.start(2)

    def is_closed_by(self, line: str) -> bool:
        line = line.strip()
        return line.startswith(self._mark) and not line.strip(self._mark[0])

    def content(self, line: str) -> str:
        """`line` without the indentation that the fence has too; its other tabs stay tabs."""
        column = 0
        for place, character in enumerate(line):
            if column >= self._column or character not in " \t":
                return line[place:]
            column += _TAB - column % _TAB if character == "\t" else 1
        return ""


def _joined(checks: list[str]) -> str:
    """One command for all; each in a shell of its own, since one may change the directory."""
    return checks[0] if len(checks) == 1 else " && ".join(f"( {check} )" for check in checks)
