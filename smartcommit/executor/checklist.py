"""Parses tasks from the checklist in a Markdown document."""

from __future__ import annotations

import re
from typing import Any

# A fence in an item is indented to the item's text, or starts it. Source: CommonMark, fenced code blocks.
_FENCE = re.compile(r"([ \t]{0,40})(?:(?:[-*+]|\d{1,4}[.)]) +)?(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"# +(.+?)[ #]*$")
# The check box, if there is one, and the text.
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+]|\d{1,4}[.)]) +(?:\[([ xX])\] +)?(.*)$")
_CHECK = re.compile(r"[Cc]heck: *`?([^`]+?)`?$")
# The first line of front matter, and the lines that end it. Source: the manuals of Jekyll, Pandoc and Hugo.
_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}
_INTRODUCTION_LIMIT = 4000
_TAB_WIDTH = 4


class Checklist:
    """The checklist in a document: `name` and `description` of the plan, and its `tasks`, if there are any.

    A top-level item is a task, `- [ ] title: description`. Items below it are its acceptance criteria, other text is
    its description, with fenced text kept verbatim, and `Check: command` names a command that must pass.
    """

    def __init__(self, text: str) -> None:
        self.name = ""
        self._tasks: list[_Task] = []
        self._introduction: list[str] = []
        self._level: int | None = None
        self._fence: _Fence | None = None
        for line in _skip_front_matter(text.splitlines()):
            self._take(line)

    @property
    def tasks(self) -> list[dict[str, Any]]:
        """The tasks in order, with the keys of `plan.json`."""
        return [task.fields(f"t{number:02d}") for number, task in enumerate(self._tasks, 1)]

    @property
    def description(self) -> str:
        """The text before the first task, truncated."""
        return "\n".join(self._introduction).strip()[:_INTRODUCTION_LIMIT]

    def _take(self, line: str) -> None:
        plain = line.expandtabs(_TAB_WIDTH).rstrip()
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
        depth = len(line) - len(line.lstrip())
        if item and item[1] and (self._level is None or depth <= self._level):
            self._level = depth
            self._tasks.append(_Task(item))
        elif self._tasks:
            if line and depth > (self._level or 0):
                self._tasks[-1].add(line.strip(), item)
        elif not self.name and (heading := _HEADING.match(line)):
            self.name = heading[1]
        else:
            self._introduction.append(line)


def _skip_front_matter(lines: list[str]) -> list[str]:
    """Return the lines of a document without the metadata at its start: YAML, or TOML between two lines `+++`."""
    ends = _FRONT_MATTER.get(lines[0].rstrip(), ()) if lines else ()
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in ends:
            return lines[number:]
    return lines


class _Task:
    """A task, with the lines of its texts; they are joined at the end, since there may be very many."""

    def __init__(self, item: re.Match[str]) -> None:
        title, _, details = item[2].partition(": ")
        self._title = title.strip()
        self._status = "pending" if item[1] == " " else "completed"
        self.description: list[str] = []
        if details.strip():
            self.description.append(details.strip())
        self._criteria: list[list[str]] = []
        self._checks: list[str] = []

    def add(self, text: str, item: re.Match[str] | None) -> None:
        """Add a line below the task, which may be an `item`."""
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
        """Return the task with the id `name` and the keys of `plan.json`."""
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


class _Fence:
    """An open fence: `depth` is the indentation of its first line, in columns."""

    def __init__(self, mark: re.Match[str]) -> None:
        self.depth = len(mark[1])
        self._mark = mark[2]
        self._column = mark.start(2)

    def is_closed_by(self, line: str) -> bool:
        line = line.strip()
        return line.startswith(self._mark) and not line.strip(self._mark[0])

    def content(self, line: str) -> str:
        """Return `line` without the indentation of the fence; further tabs stay tabs."""
        column = 0
        for place, character in enumerate(line):
            if column >= self._column or character not in " \t":
                return line[place:]
            column += _TAB_WIDTH - column % _TAB_WIDTH if character == "\t" else 1
        return ""


def _join_checks(checks: list[str]) -> str:
    """Return one command for all, each in a subshell, since a command may change the directory."""
    if len(checks) == 1:
        return checks[0]
    return " && ".join(f"( {check} )" for check in checks)
