"""What the hook of a coding agent costs for each event, in milliseconds of cpu, beside `python -I -S -c pass`.

    python benchmarks/agent_hook.py [--runs N]

Installs the hooks for Claude Code into a repository in which a person and a session work, and starts the installed
command as the harness does. Prints the medians.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "hooks")]

from smartcommit.cli import main as smartcommit  # noqa: E402
from tests.harness import situation  # noqa: E402
from tests.harness.scripted_test import Play  # noqa: E402
from tests.support.repository import IDENTITY  # noqa: E402


def cpu(call: Callable[[], object]) -> float:
    """Milliseconds of cpu that the processes took which `call` started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({**IDENTITY, "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"})
        repo = situation.build(Path(folder), alone=False)
        os.chdir(repo.path)
        repo.write(".git/info/exclude", ".claude/\n")
        assert smartcommit(["agents", "install", "claude", "--project"]) == 0
        play = Play(repo, situation.SESSION)
        play.hooks = json.loads((repo.path / ".claude/settings.local.json").read_text())["hooks"]
        play.fire("SessionStart", source="startup")
        texts = {"file_path": str(repo.path / "own.py"), "old_string": "own = 1", "new_string": "own = 2"}
        edit = {"tool_name": "Edit", "tool_input": texts, "tool_use_id": "1"}
        plain = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "2"}
        around = {"tool_name": "Bash", "tool_input": {"command": "git commit --no-verify"}, "tool_use_id": "3"}
        sweeping = {"tool_name": "Bash", "tool_input": {"command": "git add -A"}, "tool_use_id": "4"}
        done = {"stdout": "", "stderr": ""}
        calls: dict[str, Callable[[], object]] = {
            "python -I -S -c pass": lambda: subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True),
            "before an edit": lambda: play.fire("PreToolUse", **edit),
            "after an edit": lambda: play.fire("PostToolUse", **edit, tool_response={}),
            "before a command": lambda: play.fire("PreToolUse", **plain),
            "after a command": lambda: play.fire("PostToolUse", **plain, tool_response=done),
            "a bypass refused": lambda: play.fire("PreToolUse", **around),
            "a sweep refused": lambda: play.fire("PreToolUse", **sweeping),
            "the end of a turn": lambda: play.fire("Stop", stop_hook_active=False),
        }
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(options.runs):
            for name, call in calls.items():
                taken[name].append(cpu(call))
        for name, times in taken.items():
            print(f"{name:24} {statistics.median(times):6.0f} ms")
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
