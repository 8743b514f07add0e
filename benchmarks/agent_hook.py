"""What a coding agent's hook costs before a shell command, as cpu ratios to `python -c pass` of the same environment.

    python benchmarks/agent_hook.py [--runs N] [--slowest N]

Installs the hooks for Claude Code into a repository in which a person and a session work, and starts the installed
command as the harness does, for each command of `tests/harness/guard_cases.py`. Prints the medians of the paired
ratios, and each command that is refused or passed wrongly.
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
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "hooks")]

from smartcommit.cli import main as smartcommit  # noqa: E402
from tests.harness import guard_situation as situation  # noqa: E402
from tests.harness.guard_cases import AROUND, HARMLESS, HARMLESS_ALONE, SWEEPING, Case  # noqa: E402
from tests.harness.scripted import Claude, Handler, Json  # noqa: E402
from tests.support.repository import IDENTITY, Repo  # noqa: E402


def cpu(command: str, cwd: Path, stdin: str) -> tuple[float, str]:
    """Seconds of cpu that a shell took for `command`, children included, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["sh", "-c", command], cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(handler: Handler, payload: Json, cwd: Path, runs: int) -> tuple[float, str]:
    """The median of paired ratios of a hook to the empty interpreter, and the hook's answer."""
    base = f"exec {sys.executable} -c pass"
    ratios = []
    for _ in range(runs):
        seconds, printed = cpu(handler.command, cwd, json.dumps(payload))
        ratios.append(seconds / cpu(base, cwd, "")[0])
    return statistics.median(ratios), printed


def prepare(root: Path, *, alone: bool) -> tuple[Repo, Claude]:
    """A repository with the hooks, in which the session has written its lines."""
    repo = situation.build(root)
    os.chdir(repo.path)
    repo.write(".git/info/exclude", ".claude/\n")
    assert smartcommit(["agents", "install", "claude", "--project"]) == 0
    harness = Claude(repo.path, "benchmark")
    harness.start()
    harness.edit("own.py", "own = 1\n", situation.STAGED["own.py"])
    repo.git("add", "own.py")
    for name, content in (situation.OWN if alone else situation.PERSONS).items():
        if not alone:
            repo.write(name, content)
        elif (repo.path / name).exists():
            harness.edit(name, (repo.path / name).read_text(), content)
        else:
            harness.write(name, content)
    return repo, harness


def judge(
    name: str, cases: Sequence[Case], place: tuple[Repo, Claude], *, refused: bool, options: argparse.Namespace
) -> None:
    repo, harness = place
    (handler,) = harness.find_handlers("PreToolUse", "Bash")
    found = []
    for case in cases:
        payload = harness.describe("PreToolUse", {"tool": "Bash", "input": {"command": case.command}, "call": "c"})
        ratio, printed = measure(handler, payload, repo.path, options.runs)
        found.append((ratio, case.command))
        if ('"deny"' in printed) != refused:
            print(f"  wrong: {case}")
    found.sort(reverse=True)
    median = statistics.median(ratio for ratio, _ in found)
    over = sum(ratio > 1.5 for ratio, _ in found)
    print(f"{name}: {len(found)} commands, median {median:.2f}, over 1.5: {over}, most {found[0][0]:.2f}")
    for ratio, command in found[: options.slowest]:
        print(f"  {ratio:.2f} {command!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--slowest", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({**IDENTITY, "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"})
        beside = prepare(Path(folder, "beside"), alone=False)
        judge("around the hooks", AROUND, beside, refused=True, options=options)
        judge("sweeping", SWEEPING, beside, refused=True, options=options)
        judge("harmless", HARMLESS, beside, refused=False, options=options)
        alone = prepare(Path(folder, "alone"), alone=True)
        judge("harmless, alone", HARMLESS_ALONE, alone, refused=False, options=options)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
