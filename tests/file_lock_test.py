"""A lock has one holder at a time, and is free when that is gone."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from smartcommit.errors import LockedError, SmartcommitError
from smartcommit.file_lock import HeldLock
from tests.conftest import ROOT

HOLDER = """
import sys
from smartcommit.file_lock import HeldLock
with HeldLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """A process that holds `path` until its standard input is closed, or it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout.readline() == "held\n"
    return process


def test_another_process_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as process:
        with pytest.raises(LockedError, match=f"is locked by process {process.pid}"), HeldLock(str(path), patience=0):
            pass
        process.communicate()
    with HeldLock(str(path), patience=0):
        pass


def test_a_killed_holder_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as process:
        process.kill()
        process.wait()
        with HeldLock(str(path), patience=0):
            pass


def test_threads_take_their_turns(tmp_path: Path) -> None:
    path, inside, most = str(tmp_path / "lock"), [0], [0]

    def work() -> None:
        for _ in range(20):
            with HeldLock(path):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(SmartcommitError, match="cannot open the lock") as caught,
        HeldLock(str(tmp_path / "missing" / "lock")),
    ):
        pass
    assert not isinstance(caught.value, LockedError)
