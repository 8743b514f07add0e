"""What is found in an agent's output, and how little of it is kept."""

import shutil
from pathlib import Path

import pytest

from smartcommit.executor import output as outputs
from smartcommit.executor.output import ATTEMPT_LIMIT, LINE_LIMIT, MESSAGE_LIMIT, OutputCapture
from tests.support.agents import plan_in
from tests.support.repository import Repo
from tests.support.table import rows

MARK = "SUGGESTED_COMMIT_MESSAGE:"
MANY = "x\n" * 5000


def extracted(text: str | bytes) -> str:
    capture = OutputCapture()
    capture.feed(text.encode() if isinstance(text, str) else text)
    capture.flush()
    return capture.extract_commit_message()


@rows(
    ("text", "found"),
    (f"{MARK} feat: add a flag\n", "feat: add a flag"),
    (f"{MARK}feat: add a flag", "feat: add a flag"),
    (f"{MARK} feat: old\n{MARK} feat: new\n", "feat: new"),
    (f"{MARK} feat: a\n\nwhy\n\nRefs: #1\n", "feat: a\n\nwhy\n\nRefs: #1"),
    (f"{MARK}\nfeat: a\n\nwhy\n", "feat: a\n\nwhy"),
    (f"{MARK}\n```\nfeat: a\n\nwhy\n```\nDone.\n", "feat: a\n\nwhy"),
    (f"```\n{MARK} feat: a\n```\nAll criteria are met.\n", "feat: a"),
    (f"{MARK} feat: a\nTASK_FAILED: no\n", "feat: a"),
    (f"{MARK} feat: a\r\n\r\nwhy\r\n", "feat: a\n\nwhy"),
    (f"\x1b[1m{MARK}\x1b[0m feat: a\n", "feat: a"),
    (f"50%\r100%\r{MARK} feat: a\n", "feat: a"),
    (f"{'x' * 100_000}\n{MARK} feat: a\n", "feat: a"),
    (f"{'x' * 3 * LINE_LIMIT}\n{MARK} feat: a\n", "feat: a"),
    (f"{MARK} feat: old\n{MARK}\n", ""),
    (f"{MARK}  \n \n", ""),
    (f"{MARK} feat: {'x' * 100_000}\n", ""),
    (f"   {MARK} <your descriptive commit message>\n", ""),
    (f"{MARK} feat: a\n{MARK} <your descriptive commit message>\n", "feat: a"),
    (f"say {MARK} feat: a\n", ""),
    (f"{MARK} feat: a\n" + "x\n" * 100, ""),
    (f"{MARK} feat: a\n```\n" + "x\n" * 98, "feat: a"),
    ("nothing\n", ""),
    ("", ""),
    (MARK.encode() + b" feat: \xff\n", "feat: �"),
)
@rows("limit", ATTEMPT_LIMIT, 0)
def test_the_last_suggestion_counts(text: str | bytes, found: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "ATTEMPT_LIMIT", limit)
    assert extracted(text) == found


@rows("size", 1, 7, 4096)
def test_pieces_of_any_size_make_the_same_lines(size: int) -> None:
    text = f"début\n{MARK} fix: a naïve thing\n\nbecause\n".encode()
    capture = OutputCapture()
    for start in range(0, len(text), size):
        capture.feed(text[start : start + size])
    assert capture.extract_commit_message() == "fix: a naïve thing\n\nbecause"
    assert capture.list_last_lines() == ["début", f"{MARK} fix: a naïve thing", "", "because"]


def test_a_suggestion_ends_with_the_message_that_holds_it() -> None:
    capture = OutputCapture()
    capture.add_text(f"done\n{MARK} feat: a\n\nwhy")
    capture.add_text("One more thing.")
    capture.feed(b"> Bash: make test\n")
    assert capture.extract_commit_message() == "feat: a\n\nwhy"


@rows(
    ("text", "reason"),
    ("TASK_FAILED: criterion 2 is not met\n", "criterion 2 is not met"),
    ("TASK_FAILED: no parser\nI looked everywhere.\n", "no parser"),
    ("TASK_FAILED:\nno parser\n", "no reason given"),
    (f"TASK_FAILED: {'x' * LINE_LIMIT}\n", "x" * MESSAGE_LIMIT),
    ("TASK_FAILED: first\nTASK_FAILED: second\n", "second"),
    (f"{MARK} feat: a\nTASK_FAILED: not all of it\n", "not all of it"),
    (f"TASK_FAILED: no parser\n{MARK} <your descriptive commit message>\n", "no parser"),
    (f"TASK_FAILED: no parser\nNow I have found it.\n{MARK} feat: a\n", ""),
    (f"TASK_FAILED: no parser\n{MARK}\n\nfeat: a\n", ""),
    ("no TASK_FAILED: here\n", ""),
    ("TASK_FAILED: no parser\n" + MANY, "no parser"),
    (f"TASK_FAILED: no parser\n{MANY}{MARK} feat: a\n", ""),
    (f"TASK_FAILED: no parser\n{MARK} feat: a\n{MANY}", ""),
    (f"TASK_FAILED: first\n{MANY}TASK_FAILED: second\nx\n", "second"),
)
@rows("limit", ATTEMPT_LIMIT, 0)
def test_an_agent_admits_failure_by_its_last_word_and_not_by_a_status(
    text: str, reason: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "ATTEMPT_LIMIT", limit)
    capture = OutputCapture()
    capture.feed(text.encode())
    assert capture.admitted == reason


def test_of_a_flood_only_the_end_of_each_piece_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an agent says, the work for what is beyond the limit does not grow with the number of its lines."""
    monkeypatch.setattr(outputs, "ATTEMPT_LIMIT", 200)
    seen: list[str] = []
    capture = OutputCapture(seen=seen.extend)
    for number in range(50):
        capture.feed(b"y\n" * 1000 + b"piece %d\n" % number)
    assert seen == [*["y"] * 1000, *(f"piece {number}" for number in range(50))]
    assert capture.list_last_lines() == [*["y"] * 39, "piece 49"]


def test_the_log_frames_each_attempt_and_does_not_grow_for_ever(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "ATTEMPT_LIMIT", 1000)
    monkeypatch.setattr(outputs, "LOG_LIMIT", 3000)
    folder = plan_in(based)
    path = Path(folder.path("output.log"))
    seen: list[str] = []
    capture = OutputCapture(seen=seen.extend)
    with capture.keep(folder, "task t01, attempt 1"):
        capture.feed(b"hello\nhalf")
    first, *lines, last = path.read_text().splitlines()
    assert first.startswith("=== task t01, attempt 1, 20")
    assert lines == seen == ["hello", "half"]
    assert last.startswith("=== task t01, attempt 1 succeeded, ")
    sizes = []
    for attempt in range(1, 7):
        capture = OutputCapture()
        with capture.keep(folder, f"task t01, attempt {attempt}"):
            capture.feed(b"x" * 99 + b"\n" + b"y\n" * 2000)
        sizes.append(path.stat().st_size)
    assert max(sizes) <= 3000 + 1100
    assert "[the rest of this attempt is not kept]\n" in path.read_text()


def test_an_agent_that_removes_the_folder_of_the_log_gets_no_new_one(based: Repo) -> None:
    folder = plan_in(based)
    capture = OutputCapture()
    with capture.keep(folder, "task t01"):
        shutil.rmtree(folder.path())
        capture.feed(b"said after that\n")
    assert not Path(folder.path()).exists()
    assert capture.list_last_lines() == ["said after that"]
