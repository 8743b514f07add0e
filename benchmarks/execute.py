"""What a task of a plan costs beside its agent: git processes, and time beside a bare `git add -A && git commit`.

    PYTHONPATH=. python benchmarks/execute.py [--tasks N] [--files N]

An agent that only writes a file works on a plan of TASKS tasks in a repository of FILES files. The time a task takes,
less the agent's own, is printed beside that of the bare commands in a copy of the repository, one after the other. git
processes are those that find `git` on PATH, for a task that succeeds at once, hooks left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from smartcommit.config import Settings
from smartcommit.executor.agents import CommandAgent
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.executor import Executor
from smartcommit.executor.output import OutputCapture
from smartcommit.executor.plan_dir import create, new_plan
from smartcommit.executor.run import Run
from smartcommit.git.repo import Repository
from tests.support.programs import counting
from tests.support.repository import IDENTITY, Repo


class Writer(CommandAgent):
    """An agent that takes no time worth measuring: it writes one file for each task."""

    def run(self, prompt: str, output: OutputCapture, run: Run) -> None:
        name = prompt.partition("## Task ")[2].partition(":")[0]
        Path(run.directory, f"new-{name}").write_text(name)
        output.feed(f"SUGGESTED_COMMIT_MESSAGE: feat: add {name}\n".encode())


class Clock:
    """Notes how long each task takes, and how many processes of git it starts."""

    def __init__(self, calls: Path) -> None:
        self._calls = calls
        self._begun = 0.0
        self.seconds: list[float] = []
        self.processes: list[int] = []

    def tell(self, lines: Sequence[str]) -> None:
        """Look for the begin and the end of a task in what a run prints."""
        for line in lines:
            if line.startswith("task "):
                self._begun = time.perf_counter()
            elif line.startswith("  committed "):
                self.seconds.append(time.perf_counter() - self._begun)
                self.processes.append(self._calls.read_text().count("\n"))
                self._calls.write_text("")


def run_plan(path: Path, tasks: int, clock: Clock) -> None:
    """Run a plan of `tasks` tasks, watched by `clock`."""
    titles = [{"id": f"t{number}", "title": f"add {number}"} for number in range(1, tasks + 1)]
    folder = create(str(path), new_plan(str(path), f"plan-{tasks}", tasks=titles))
    run = Run(str(path), "benchmark")
    backend = PlanBackend(run, Repository.find(str(path)), folder)
    Executor(run, backend, Writer(["writer"]), Settings(), tell=clock.tell).run()


def bare(repo: Repo, tasks: int) -> list[float]:
    """Seconds of `git add -A && git commit` for a new file each."""
    seconds = []
    for number in range(tasks):
        repo.write(f"new-{number}", "x")
        begun = time.perf_counter()
        repo.git("add", "-A")
        repo.git("commit", "-qm", f"feat: add {number}")
        seconds.append(time.perf_counter() - begun)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--files", type=int, default=1000)
    options = parser.parse_args()
    os.environ.update(IDENTITY, GIT_CONFIG_GLOBAL=os.devnull)
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        repo = Repo.init(root / "repository")
        repo.write_many(options.files)
        repo.git("add", "-A")
        repo.commit()
        path = repo.path
        shutil.copytree(path, root / "copy", symlinks=True)
        timed = Clock(root / "calls")
        (root / "calls").write_text("")
        run_plan(path, options.tasks, timed)
        alone = bare(Repo(root / "copy"), options.tasks)
        os.environ["PATH"] = f"{counting(root, 'git')}{os.pathsep}{os.environ['PATH']}"
        counted = Clock(root / "calls")
        run_plan(path, options.tasks + 1, counted)
    ours, theirs = statistics.median(timed.seconds), statistics.median(alone)
    # The first task's count holds what the run itself begins with.
    print(f"{max(counted.processes[1:])} git processes a task, {counted.processes[0]} with the run's beginning")
    print(f"{1000 * ours:.1f} ms a task, bare {1000 * theirs:.1f} ms, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
