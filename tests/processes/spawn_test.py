"""Short processes without `subprocess`: what they print, and the bounds of that."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from smartcommit.processes.spawn import ProcessEnd, read_head, run_and_read
from tests.support.processes import gone
from tests.support.table import rows


def read(*command: str, **options: Any) -> ProcessEnd:
    bounds = {"limit": 5, "timeout": 60, "memory": None, "watch": lambda: None, **options}
    return read_head(command, os.environ, **bounds)


@rows(
    ("script", "options", "status", "output", "errors", "complete"),
    ("cat; echo out; echo err >&2; exit 3", {}, 3, b"out\n", b"err\n", True),
    ("printf 12345; kill -9 $$", {}, -9, b"12345", b"", True),
    ("exec yes", {}, -9, b"y\ny\ny", b"", False),
    ("echo on; exec sleep 600", {"timeout": 0.5}, -9, b"on\n", b"", False),
    ("exec 2>&-; sleep 0.2; echo late", {"timeout": None}, 0, b"late\n", b"", True),
    ("head -c 70000 /dev/zero >&2", {}, 0, b"", b"\0" * (1 << 16), True),
)
def test_a_process_is_read_up_to_its_bounds(
    script: str, options: dict[str, Any], status: int, output: bytes, errors: bytes, complete: bool
) -> None:
    assert read("sh", "-c", script, **options) == ProcessEnd(status, output[:5], errors, complete)


def test_memory_is_limited() -> None:
    ended = read(sys.executable, "-IS", "-c", "input = bytearray(1 << 28)", memory=1 << 26)
    assert (ended.status, b"MemoryError" in ended.errors) == (1, True)


def test_who_watches_ends_the_process(tmp_path: Path) -> None:
    def watch() -> None:
        if (tmp_path / "pid").exists():
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        read("sh", "-c", f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; exec sleep 600", watch=watch)
    assert gone(int((tmp_path / "pid").read_text()))


def test_of_a_question_the_output_and_the_status_are_read() -> None:
    assert run_and_read(("sh", "-c", "cat; echo out; echo err >&2; exit 3")) == (3, b"out\n")
    descriptors = os.listdir("/proc/self/fd")
    with pytest.raises(FileNotFoundError):
        run_and_read(("./absent",))
    assert os.listdir("/proc/self/fd") == descriptors
