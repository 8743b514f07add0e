"""Runs of plans in processes that are killed, each in a copy of one repository, and then gone on with.

As a program it loads everything once and forks for each run. It reads jobs as JSON, a line each: the `place` of a copy,
the `arguments` of `smartcommit`, and the step at which the run kills itself (0: none). It prints how each ended.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

# What the executor does to the world, as Python announces it beforehand.
_STEPS = ("os.rename", "os.remove", "subprocess.Popen", "os.posix_spawn", "os.kill", "os.killpg", "os.mkdir")


class Kills:
    """Copies of the repository `base`, and one process that runs all jobs."""

    def __init__(self, base: Path, root: Path, environment: dict[str, str]) -> None:
        self.environment = environment
        self._base = base
        self._root = root
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.support.kills"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def copy(self, name: str) -> Path:
        """A fresh copy of the repository, in a folder of its own."""
        place = self._root / name / "repo"
        shutil.copytree(self._base, place, symlinks=True)
        return place

    def run(self, place: Path, *arguments: str, step: int = 0) -> int:
        """The status of a run, negative for the signal that ended it."""
        job = {"place": str(place), "arguments": ["execute", *arguments], "step": step}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def _serve() -> None:
    import smartcommit.commands.execute  # loaded once, for every fork
    from smartcommit.commands import execute_view  # noqa: F401

    assert smartcommit.commands.execute
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_run(job))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(job: dict[str, Any]) -> int:
    from smartcommit.cli import main

    os.setsid()
    os.chdir(job["place"])
    Path("../pid").write_text(str(os.getpid()))
    with open("../shown", "ab") as shown:
        os.dup2(shown.fileno(), 1)
        os.dup2(shown.fileno(), 2)
    if job["step"]:
        sys.addaudithook(_Countdown(job["step"]).see)
    status = main(job["arguments"])
    sys.stdout.flush()
    return status


class _Countdown:
    def __init__(self, step: int) -> None:
        self._left = step

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in _STEPS:
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    _serve()
