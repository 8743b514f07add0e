"""Runs of commands in processes that are killed, or that run at the same time, each in a copy of one repository.

As a program it loads everything once and forks for each run. It reads jobs as JSON, a line each: the `place` of a copy,
the `runs` that begin at the same time, each the arguments of `smartcommit` or of pre-commit, and the step at which each
kills itself (0: none; -1: none either, but the steps are listed beside the copy). It prints how they ended.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

KILLED = -signal.SIGKILL
# What a command does to the world, as Python announces it beforehand. The look-up of a system call precedes its use.
_STEPS = (
    "os.rename", "os.remove", "os.link", "subprocess.Popen", "os.posix_spawn", "os.kill", "os.killpg", "os.mkdir",
    "ctypes.dlsym",
)  # fmt: skip


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
        place = self._root / name / "repo"
        shutil.copytree(self._base, place, symlinks=True)
        return place

    def run(self, place: Path, *arguments: str, step: int = 0) -> int:
        """The status of a run of the executor, negative for the signal that ended it."""
        return self.run_together(place, ["execute", *arguments], step=step)[0]

    def run_together(self, place: Path, *runs: Sequence[str], step: int = 0) -> list[int]:
        """The statuses of commands that begin at the same time, as `run` has them."""
        self._process.stdin.write(json.dumps({"place": str(place), "runs": runs, "step": step}) + "\n")
        self._process.stdin.flush()
        answer: list[int] = json.loads(self._process.stdout.readline())
        return answer

    def list_steps(self, name: str, arguments: Sequence[str]) -> list[str]:
        """What a command does at each of its steps, in a copy of its own."""
        place = self.copy(name)
        assert self.run_together(place, arguments, step=-1) == [0]
        return (place.parent / "steps").read_text().splitlines()

    def close(self) -> None:
        self._process.communicate()


def _serve() -> None:
    # Loaded once, for every fork.
    import pre_commit.commands.install_uninstall

    import smartcommit.commands.execute
    import smartcommit.commands.install
    import smartcommit.session.commits

    assert pre_commit
    assert smartcommit
    for line in sys.stdin:
        job = json.loads(line)
        reader, writer = os.pipe()
        children = []
        for arguments in job["runs"]:
            children.append(os.fork())
            if children[-1] == 0:
                os.close(writer)
                os.read(reader, 1)  # ends when all have been started
                os._exit(_run(job, arguments))
        os.close(reader)
        os.close(writer)
        statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(statuses), flush=True)


def _run(job: dict[str, Any], arguments: list[str]) -> int:
    from pre_commit.main import main as run_pre_commit

    from smartcommit.cli import main

    os.setsid()
    os.chdir(job["place"])
    Path("../pid").write_text(str(os.getpid()))
    with open("../shown", "ab") as shown:
        os.dup2(shown.fileno(), 1)
        os.dup2(shown.fileno(), 2)
    with open("../steps", "w") as listing:
        if job["step"]:
            sys.addaudithook(_Countdown(job["step"], listing).see)
        status = run_pre_commit(arguments[1:]) if arguments[0] == "pre-commit" else main(arguments)
    sys.stdout.flush()
    return status


class _Countdown:
    def __init__(self, step: int, listing: TextIO) -> None:
        self._left = step
        self._listing = listing

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in _STEPS:
            self._left -= 1
            print(event, *map(repr, arguments[:2]), file=self._listing, flush=True)
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    _serve()
