"""`progress.log`, the events of a plan's runs.

The log is committed with the work, so no event names the commit that contains it: `parent` is the one before. The file
is replaced as a whole at each event; it stays small, and neither a crash nor an agent that changes it can corrupt it.

What agents, hooks and checks say is not in it: a hook that rejects a word would reject every later commit as well,
since its own output quotes that word. These texts are in `details.log`, outside the working tree.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from smartcommit.executor.plan_dir import DETAILS, PROGRESS, PlanFolder
from smartcommit.executor.task_message import CommitMessage
from smartcommit.secrets.scan import redact

Event = dict[str, Any]
# Characters at the end of a reason that are kept, and number of events whose texts are.
_REASON_LIMIT = 8000
_EVENTS_DETAILED = 200


class ProgressLog:
    """The log of the plan in `folder`, with its texts in `private`; existing lines stay, even if they are no events.

    Events that are timed say how long ago the attempt `started`.
    """

    def __init__(self, folder: PlanFolder, private: PlanFolder) -> None:
        self._folder = folder
        self._private = private
        self._lines = folder.read_lines(PROGRESS)
        self.started = time.monotonic()

    def add(
        self, event: str, *, texts: Mapping[str, str] | None = None, is_timed: bool = False, **data: object
    ) -> None:
        """Log `event` with its `data`, without what is None, and keep its `texts`, which others have written.

        Raise TaskPlanError if the log cannot be written.
        """
        timestamp = datetime.now(UTC).isoformat(timespec="milliseconds")
        if texts:
            details = self._private.read_lines(DETAILS)[1 - _EVENTS_DETAILED :]
            kept = _print_event(timestamp, event, {"task_id": data.get("task_id"), **texts})
            self._private.write_lines(DETAILS, [*details, kept])
        if is_timed:
            data["duration_ms"] = round(1000 * (time.monotonic() - self.started))
        data = {name: value for name, value in data.items() if value is not None}
        self._lines.append(_print_event(timestamp, event, data))
        self._folder.write_lines(PROGRESS, self._lines)

    def remove_last(self, *events: str) -> None:
        """Remove the last events as long as they are of these kinds, since what they announced did not happen."""
        while (last := _parse_events(self._lines[-1:])) and last[0]["event"] in events:
            self._lines.pop()
        self._folder.write_lines(PROGRESS, self._lines)

    def events(self) -> list[Event]:
        """Return all events, oldest first."""
        return _parse_events(self._lines)

    def last_failure(self, task_id: str) -> str:
        """Return why the task failed last, empty if it did not, was completed since, or failed in another clone."""
        return self._find_text(task_id, "task_failed", "reason")

    def message_reason(self, task_id: str) -> str:
        """Return why the task's commit does not have the message that the agent suggested, empty if it does."""
        return self._find_text(task_id, "task_completed", "message_reason")

    def _find_text(self, task_id: str, event: str, name: str) -> str:
        """Return a text of the task's last attempt, empty if that did not end in `event` or was in another clone."""
        ends = [one for one in self.events() if one["event"] in ("task_failed", "task_completed")]
        last = [one for one in ends if one["data"].get("task_id") == task_id][-1:]
        if not last or last[0]["event"] != event:
            return ""
        # The last one first: a task can have two events in the same millisecond.
        for kept in reversed(_parse_events(self._private.read_lines(DETAILS))):
            known = kept["event"], kept.get("timestamp"), kept["data"].get("task_id")
            if known == (event, last[0].get("timestamp"), task_id):
                return str(kept["data"].get(name, ""))
        return ""


def _print_event(timestamp: str, event: str, data: Mapping[str, object]) -> str:
    return json.dumps({"timestamp": timestamp, "event": event, "data": data}, ensure_ascii=False)


def _parse_events(lines: Sequence[str]) -> list[Event]:
    """Return the events in `lines`, without the lines that are none."""
    events = []
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            continue
        if isinstance(event.setdefault("data", {}), dict):
            events.append(event)
    return events


def redact_reason(reason: str) -> str:
    """Return the end of a reason, without secrets, which the next agent is told."""
    if len(reason) <= _REASON_LIMIT:
        return redact(reason)
    # The first word is cut in half, and half a secret would not be recognized.
    _, _, end = reason[-_REASON_LIMIT:].partition(" ")
    return redact(end)


def get_rejection(message: CommitMessage) -> dict[str, str]:
    """Return the texts about a suggested message that was not used, or not as a whole."""
    kept = {"rejected_message": redact_reason(message.rejected or ""), "message_reason": redact_reason(message.reason)}
    return {name: text for name, text in kept.items() if text}
