"""Tasks from the checklist in a Markdown document, without a model."""

from __future__ import annotations

import re
from typing import Any

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r"# +(.+?)[ #]*$")
_ITEM = re.compile(r"([ \t]{0,40})(?:[-*+]|\d{1,4}[.)]) +(.*)$")
_BOX = re.compile(r"\[([ xX])\] +(.*)$")
_CHECK = re.compile(r"[Cc]heck: *`?([^`]+?)`?$")
_INTRODUCTION = 4000


class Checklist:
    """What was read: `name` and `description` of the plan, and `tasks` as a plan has them; none where there is no list.

    An item at the list's own level is a task, `- [ ] title: description`. Items below it are its acceptance criteria,
    other text its description, and an item `Check: command` the command that must pass.
    """

    def __init__(self, text: str) -> None:
        self.name = ""
        self.tasks: list[dict[str, Any]] = []
        self._introduction: list[str] = []
        self._level: int | None = None
        fence = ""
        for line in text.expandtabs(4).splitlines():
            mark = _FENCE.match(line)
            if mark and (not fence or line.strip() == fence):
                fence = "" if fence else mark[1]
                continue
            if not fence:
                self._read(line.rstrip())

    @property
    def description(self) -> str:
        """The text above the first task, in short."""
        return "\n".join(self._introduction).strip()[:_INTRODUCTION]

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
            task["check"] = check[1]
        elif item is not None:
            task["acceptanceCriteria"].append(item)
        elif task["acceptanceCriteria"]:
            task["acceptanceCriteria"][-1] += f" {text}"
        else:
            task["description"] = f"{task['description']}\n{text}".strip()
