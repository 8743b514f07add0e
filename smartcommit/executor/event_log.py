"""The events of a plan's runs: `progress.log`, one JSON object a line.

It is committed with the work, so no event names the commit that holds it: `parent` is the commit before. The file is
replaced as a whole at each event; it stays small, and neither a crash nor an agent that changes it can tear it.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any

from smartcommit.executor.plan_dir import PROGRESS, PlanFolder, read
from smartcommit.secret_scan import redact

Event = dict[str, Any]
# Characters of a reason that are logged: the end, where it stands.
_REASON_LIMIT = 8000


class ProgressLog:
    """The log of the plan in `folder`; what was logged before is kept, also lines that are no events."""

    def __init__(self, folder: PlanFolder) -> None:
        self._folder = folder
        path = folder.path(PROGRESS)
        content = read(path, folder.worktree) if os.path.lexists(path) else b""
        self._lines = content.decode("utf-8", "surrogateescape").split("\n")
        if not self._lines[-1]:
            self._lines.pop()

    def add(self, event: str, **data: object) -> None:
        """Log `event` with its `data`; what is None is left out.

        Raises: TaskPlanError when the log cannot be written.
        """
        entry = {
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": event,
            "data": {name: value for name, value in data.items() if value is not None},
        }
        self._lines.append(json.dumps(entry, ensure_ascii=False))
        self._write()

    def take_back(self, *events: str) -> None:
        """Remove the last events, as far as they are of these kinds: what they announced did not happen."""
        while (last := self.last()) is not None and last["event"] in events:
            self._lines.pop()
        self._write()

    def events(self) -> list[Event]:
        """All events, oldest first."""
        return [event for line in self._lines if (event := _event(line)) is not None]

    def last(self) -> Event | None:
        """The last event, None where the last line is none."""
        return _event(self._lines[-1]) if self._lines else None

    def last_failure(self, task_id: str) -> str:
        """Why the task failed last; empty where it did not, or was started over since."""
        for event in reversed(self.events()):
            if event["data"].get("task_id") == task_id and event["event"] in ("task_failed", "task_completed"):
                return str(event["data"].get("reason", "")) if event["event"] == "task_failed" else ""
        return ""

    def message_reason(self, task_id: str) -> str:
        """Why the commit of the task has not the message that the agent suggested; empty where it has."""
        for event in reversed(self.events()):
            if event["data"].get("task_id") == task_id and event["event"] == "task_completed":
                return str(event["data"].get("message_reason", ""))
        return ""

    def _write(self) -> None:
        text = "".join(f"{line}\n" for line in self._lines)
        self._folder.write(PROGRESS, text.encode("utf-8", "surrogateescape"))


def redact_reason(reason: str) -> str:
    """A reason as it may stand in a file that is committed: without secrets, and its end only."""
    return redact(reason[-_REASON_LIMIT:])


def _event(line: str) -> Event | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    known = isinstance(event, dict) and isinstance(event.get("event"), str) and isinstance(event.get("data", {}), dict)
    return {"data": {}, **event} if known else None
