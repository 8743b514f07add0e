"""What a call of the planner's tools costs: jj processes, and time beside a bare `jj log`.

    PYTHONPATH=. python benchmarks/planner.py [--runs N] [--files N]

Needs jj on PATH. Each tool is called in turn with a bare `jj log` of the same repository, and the medians of the times
and of the paired ratios are printed. The repository holds FILES files, which is what a snapshot looks at.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from smartcommit.jj.models import TaskItem, ToolResponse
from smartcommit.jj.tools import Planner
from tests.support.programs import counting
from tests.support.repository import Repo


def repository(root: Path, files: int) -> Path:
    """A jj repository with `files` committed files."""
    path = root / "repository"
    subprocess.run(["jj", "git", "init", str(path)], check=True, capture_output=True)
    Repo(path).write_many(files)
    subprocess.run(["jj", "commit", "-m", "chore: base"], cwd=path, check=True, capture_output=True)
    return path


def calls(tools: Planner) -> dict[str, Callable[[], ToolResponse]]:
    """Each tool with arguments that make it write, in an order that can be repeated."""
    turn = iter(range(1_000_000))
    return {
        "start_planning": lambda: tools.start_planning("feat", f"goal {next(turn)}", confirm=True),
        "get_plan": tools.get_plan,
        "update_goal": lambda: tools.update_goal(summary=f"goal {next(turn)}"),
        "update_description": lambda: tools.update_description(f"why {next(turn)}"),
        "get_constraints": tools.get_constraints,
        "set_constraints": lambda: tools.set_constraints([f"Never: {next(turn)}"]),
        "get_tasks": tools.get_tasks,
        "set_tasks": lambda: tools.set_tasks([TaskItem(f"task {next(turn)}"), TaskItem("last")]),
        "mark_task": lambda: tools.mark_task("task", completed=True),
        "finish_job": tools.finish_job,
        "unfinish_job": tools.unfinish_job,
        "verify_plan": tools.verify_plan,
    }


def prepare(tools: Planner, name: str) -> None:
    """Bring the plan into the state that tool `name` needs; not measured."""
    tools.start_planning("feat", "goal", confirm=True)
    tools.set_tasks([TaskItem("task"), TaskItem("last")])
    if name in ("finish_job", "unfinish_job"):
        tools.mark_task("task")
        tools.mark_task("last")
    if name == "unfinish_job":
        tools.finish_job()


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--files", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        path = repository(root, options.files)
        tools = Planner(str(path))
        log = ["jj", "log", "-R", str(path), "--no-pager", "-r", "@", "--no-graph", "-T", "description"]
        functions = calls(tools)
        plain, counted = os.environ["PATH"], f"{counting(root, 'jj')}{os.pathsep}{os.environ['PATH']}"
        for name, function in functions.items():
            times, bare = [], []
            for _ in range(options.runs):
                prepare(tools, name)
                bare.append(seconds(lambda: subprocess.run(log, check=True, capture_output=True)))
                times.append(seconds(function))
            prepare(tools, name)
            (root / "calls").write_text("")
            os.environ["PATH"] = counted
            response = function()
            os.environ["PATH"] = plain
            assert response.status == "success", response.action_taken
            processes = (root / "calls").read_text().count("\n")
            ratio = statistics.median(ours / theirs for ours, theirs in zip(times, bare, strict=True))
            print(
                f"{name:20s} {processes} jj processes {1000 * statistics.median(times):6.1f} ms, "
                f"bare jj log {1000 * statistics.median(bare):6.1f} ms, ratio {ratio:4.2f}"
            )


if __name__ == "__main__":
    main()
