"""Parses tasks from the checklist in a Markdown document."""

from __future__ import annotations

import re
from typing import Any

# A fence, which may start an item. Source: CommonMark, fenced code blocks.
_FENCE = re.compile(r"(?:(?:[-*+]|\d{1,4}[.)]) +)?(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"# +(.+?)[ #]*$")
# The check box, if there is one, and the text.
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+]|\d{1,4}[.)]) +(?:\[([ xX])\] +)?(.*)$")
_CHECK = re.compile(r"[Cc]heck: *`?([^`]+?)`?$")
_INTRODUCTION_LIMIT = 4000
_TAB_WIDTH = 4


class Checklist:
    """The checklist in a document: `name` and `description` of the plan, and its `tasks`, if there are any.

    A top-level item is a task, `- [ ] title: description`. Items below it are its acceptance criteria, other text is
    its description, also what is between fences, and `Check: command` names a command that must pass.
    """

    def __init__(self, text: str) -> None:
        self.name = ""
        self._tasks: list[_Task] = []
        self._introduction: list[str] = []
        self._level: int | None = None
        # The open fence.
        self._fence = ""
        for line in text.splitlines():
            self._take(line.expandtabs(_TAB_WIDTH).rstrip())

    @property
    def tasks(self) -> list[dict[str, Any]]:
        return [task.fields(f"t{number:02d}") for number, task in enumerate(self._tasks, 1)]

    @property
    def description(self) -> str:
        return "\n".join(self._introduction).strip()[:_INTRODUCTION_LIMIT]

    def _take(self, line: str) -> None:
        text = line.lstrip()
        depth = len(line) - len(text)
        item, fence = _ITEM.match(line), _FENCE.match(text)
        is_below = bool(line) and depth > (self._level or 0)
        if self._fence or fence:
            self._quote(line, is_below=is_below)
            if fence and not self._fence:
                self._fence = fence[1]
            elif text.startswith(self._fence):
                self._fence = ""
        elif item and item[1] and (self._level is None or depth <= self._level):
            self._level = depth
            self._tasks.append(_Task(item))
        elif self._tasks:
            if is_below:
                self._tasks[-1].add(text, item)
        elif not self.name and (heading := _HEADING.match(line)):
            self.name = heading[1]
        else:
            self._introduction.append(line)

    def _quote(self, line: str, *, is_below: bool) -> None:
        if not self._tasks:
            self._introduction.append(line)
        elif is_below:
            self._tasks[-1].description.append(line)


class _Task:
    """A task, with the lines of its texts; they are joined at the end, since there may be very many."""

    def __init__(self, item: re.Match[str]) -> None:
        title, _, details = item[2].partition(": ")
        self._title = title.strip()
        self._status = "completed"
        if item[1] == " ":
            self._status = "pending"
        self.description: list[str] = []
        if details.strip():
            self.description.append(details.strip())
        self._criteria: list[list[str]] = []
        self._checks: list[str] = []

    def add(self, text: str, item: re.Match[str] | None) -> None:
        if item:
            text = item[2]
        if check := _CHECK.match(text):
            self._checks.append(check[1])
        elif item:
            self._criteria.append([text])
        elif self._criteria:
            self._criteria[-1].append(text)
        else:
            self.description.append(text)

    def fields(self, name: str) -> dict[str, Any]:
        fields = {
            "id": name,
            "title": self._title,
            "description": "\n".join(self.description),
            "acceptanceCriteria": list(map(" ".join, self._criteria)),
            "status": self._status,
        }
        if self._checks:
            fields["check"] = _join_checks(self._checks)
        return fields


def _join_checks(checks: list[str]) -> str:
    """Return one command for all, each in a subshell, since a command may change the directory."""
    if len(checks) == 1:
        return checks[0]
    return " && ".join(f"( {check} )" for check in checks)
