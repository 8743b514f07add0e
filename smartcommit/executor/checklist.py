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
        self.tasks: list[dict[str, Any]] = []
        self._introduction: list[str] = []
        self._checks: list[str] = []
        self._level: int | None = None
        self._fence: _Fence | None = None
        for line in text.splitlines():
            self._take(line)

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
        if not self.tasks:
            self._introduction.append(text)
        elif depth > (self._level or 0):
            self._describe(text)

    def _read(self, line: str) -> None:
        item = _ITEM.match(line)
        box = _BOX.match(item[2]) if item else None
        depth = len(item[1]) if item else len(line) - len(line.lstrip())
        if box and (self._level is None or depth <= self._level):
            self._level = depth
            self._add(box)
        elif self.tasks and line and depth > (self._level or 0):
            self._detail(line.strip(), (box[2] if box else item[2]) if item else None)
        elif not self.tasks:
            heading = _HEADING.match(line)
            if heading and not self.name:
                self.name = heading[1]
            else:
                self._introduction.append(line)

    def _add(self, box: re.Match[str]) -> None:
        title, _, details = box[2].partition(": ")
        self._checks = []
        self.tasks.append(
            {
                "id": f"t{len(self.tasks) + 1:02d}",
                "title": title.strip(),
                "description": details.strip(),
                "acceptanceCriteria": [],
                "status": "pending" if box[1] == " " else "completed",
            }
        )

    def _detail(self, text: str, item: str | None) -> None:
        task = self.tasks[-1]
        check = _CHECK.match(item if item is not None else text)
        if check:
            self._checks.append(check[1])
            task["check"] = _joined(self._checks)
        elif item is not None:
            task["acceptanceCriteria"].append(item)
        elif task["acceptanceCriteria"]:
            task["acceptanceCriteria"][-1] += f" {text}"
        else:
            self._describe(text)

    def _describe(self, text: str) -> None:
        task = self.tasks[-1]
        task["description"] = f"{task['description']}\n{text}" if task["description"] else text


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
