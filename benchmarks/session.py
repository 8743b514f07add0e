"""What a notice of an edit costs a coding agent, as a cpu ratio to `python -c pass`.

    python benchmarks/session.py [--lines N] [--runs N]

Makes a repository with a file of many lines, and notes edits at random lines in it: before each edit and after it, each
in a new interpreter as a harness's hook starts it. Prints the median of the paired ratios, and milliseconds of cpu that
a notice takes by itself.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
# A notice in an interpreter without site packages; the repository is known, as it is to a hook that has asked git.
NOTICE = """
import sys
import time
sys.path[:0] = [{root!r}]
start = time.process_time()
from smartcommit.git.repo import Repository
from smartcommit.session.edits import Replacement
from smartcommit.session.ledger import Ledger
event, old, new = sys.argv[1:]
repository = Repository({worktree!r}, {worktree!r} + "/.git", {worktree!r} + "/.git", "sha1")
with Ledger(repository) as ledger:
    if event == "before":
        ledger.before_edit("session", b"file", new)
    else:
        ledger.after_edit("session", b"file", new, Replacement(old, new))
print(time.process_time() - start)
"""


def cpu(command: list[str]) -> tuple[float, str]:
    """Seconds of cpu that `command` took, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


def make_repository(path: Path, lines: list[str]) -> Path:
    """A repository that has committed a file of `lines`."""
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    (path / "file").write_text("".join(lines))
    subprocess.run(["git", "add", "file"], cwd=path, check=True)
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *identity, "commit", "-q", "-m", "feat: x"], cwd=path, check=True)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=31)
    options = parser.parse_args()
    chosen = random.Random(1)
    lines = [f"line {number} of the file, and some text\n" for number in range(options.lines)]
    base = [sys.executable, "-I", "-S", "-c", "pass"]
    ratios: dict[str, list[float]] = {"before": [], "after": []}
    seconds: dict[str, list[float]] = {"before": [], "after": []}
    with tempfile.TemporaryDirectory() as directory:
        worktree = make_repository(Path(directory) / "repository", lines)
        script = NOTICE.format(root=str(ROOT), worktree=str(worktree))
        for run in range(options.runs):
            place = chosen.randrange(options.lines)
            old, new = lines[place], f"edit {run}\n"
            for event in ("before", "after"):
                if event == "after":
                    lines[place] = new
                    (worktree / "file").write_text("".join(lines))
                # Times of files are not finer than this on every system.
                time.sleep(0.01)
                taken, printed = cpu([sys.executable, "-I", "-S", "-c", script, event, old, new])
                ratios[event].append(taken / cpu(base)[0])
                seconds[event].append(float(printed))
    for event in ("before", "after"):
        own = statistics.median(seconds[event]) * 1000
        ratio = statistics.median(ratios[event])
        print(
            f"{event:6s} an edit, {options.lines:,} lines: {ratio:5.2f} of 'python -c pass', {own:5.1f} ms with imports"
        )


if __name__ == "__main__":
    main()
