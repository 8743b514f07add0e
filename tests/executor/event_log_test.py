"""The log of events."""

from __future__ import annotations

import json
from pathlib import Path

from smartcommit.executor.event_log import ProgressLog
from tests.support.agents import events, plan_in
from tests.support.repository import Repo


def test_an_event_is_a_line_of_json_with_time_kind_and_data(based: Repo) -> None:
    folder = plan_in(based)
    ProgressLog(folder).add("task_failed", task_id="t01", reason="naïve\nreason", absent=None)
    line = json.loads(Path(folder.path("progress.log")).read_text())
    assert set(line) == {"timestamp", "event", "data"}
    assert line["data"] == {"task_id": "t01", "reason": "naïve\nreason"}


def test_lines_that_are_no_events_stay(based: Repo) -> None:
    folder = plan_in(based)
    given = b'{"event": "plan_started", "data": {}}\nnoise\n\n[1]\n{"event": 1}\n\xff\n{"torn": '
    folder.write("progress.log", given)
    ProgressLog(folder).add("plan_cancelled")
    assert Path(folder.path("progress.log")).read_bytes().startswith(given + b"\n{")
    assert events(folder) == ["plan_started", "plan_cancelled"]


def test_only_the_last_events_of_a_kind_are_taken_back(based: Repo) -> None:
    folder = plan_in(based)
    log = ProgressLog(folder)
    for event in ("task_completed", "task_started", "task_completed", "plan_completed"):
        log.add(event)
    log.remove_last("task_completed", "plan_completed")
    assert events(folder) == ["task_completed", "task_started"]


def test_the_last_failure_counts_until_the_task_is_completed(based: Repo) -> None:
    log = ProgressLog(plan_in(based))
    assert log.last_failure("t01") == ""
    log.add("task_failed", task_id="t01", reason="one")
    log.add("task_failed", task_id="t02", reason="two")
    log.add("plan_cancelled", last_task_id="t01")
    assert log.last_failure("t01") == "one"
    log.add("task_completed", task_id="t01")
    assert log.last_failure("t01") == ""
