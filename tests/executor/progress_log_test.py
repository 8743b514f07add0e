"""The log of events."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.agents import events, log_of, plan_in, private
from tests.support.repository import Repo


def test_an_event_is_a_line_of_json_with_time_kind_and_data(based: Repo) -> None:
    folder = plan_in(based)
    log_of(folder).add("task_failed", task_id="t01", attempt=1, absent=None)
    line = json.loads(Path(folder.path("progress.log")).read_text())
    assert set(line) == {"timestamp", "event", "data"}
    assert line["data"] == {"task_id": "t01", "attempt": 1}


def test_what_others_have_written_is_kept_outside_the_tree_and_not_for_ever(based: Repo) -> None:
    folder = plan_in(based)
    log = log_of(folder)
    for number in range(300):
        log.add("task_failed", task_id="t01", texts={"reason": f"naïve\nreason {number}"})
    assert "reason" not in Path(folder.path("progress.log")).read_text()
    details = Path(private(folder).path("details.log"))
    assert details == based.path / f".git/smartcommit/plans/{folder.name}/details.log"
    assert details.read_text().count("\n") == 200
    assert log_of(folder).last_failure("t01") == "naïve\nreason 299"
    details.unlink()
    assert log_of(folder).last_failure("t01") == ""


def test_lines_that_are_no_events_stay(based: Repo) -> None:
    folder = plan_in(based)
    given = b'{"event": "plan_started", "data": {}}\nnoise\n\n[1]\n{"event": 1}\n\xff\n{"torn": '
    folder.write("progress.log", given)
    log_of(folder).add("plan_cancelled")
    assert Path(folder.path("progress.log")).read_bytes().startswith(given + b"\n{")
    assert events(folder) == ["plan_started", "plan_cancelled"]


def test_only_the_last_events_of_a_kind_are_taken_back(based: Repo) -> None:
    folder = plan_in(based)
    log = log_of(folder)
    for event in ("task_completed", "task_started", "task_completed", "plan_completed"):
        log.add(event)
    log.remove_last("task_completed", "plan_completed")
    assert events(folder) == ["task_completed", "task_started"]


def test_the_last_failure_counts_until_the_task_is_completed(based: Repo) -> None:
    log = log_of(plan_in(based))
    assert log.last_failure("t01") == ""
    log.add("task_failed", task_id="t01", texts={"reason": "one"})
    log.add("task_failed", task_id="t02", texts={"reason": "two"})
    log.add("plan_cancelled", last_task_id="t01")
    assert log.last_failure("t01") == "one"
    log.add("task_completed", task_id="t01")
    assert log.last_failure("t01") == ""
