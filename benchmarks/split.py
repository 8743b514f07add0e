"""What a split costs: git processes, time beside git's own ways, and memory: `python benchmarks/split.py`.

Every hunk becomes a commit, from the command line and plainly installed. Beside it stand `git add` and `git commit` for
every hunk, and a bare `git fast-import` of the very commits that the split made. Status 1 where a split takes more git
processes than 19, is less than 8 times faster than add and commit, or takes more than 300 MB for one file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from tests.support.installation import install  # noqa: E402
from tests.support.repository import IDENTITY, Repo  # noqa: E402

PROCESSES, FASTER, MEGABYTES = 19, 8.0, 300
HUNKS = 5  # of each file that is changed, where there are many
GAP = 8  # lines that part two hunks

Split = Callable[..., tuple[float, float]]


def main() -> int:
    """Print a row a measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hunks", type=int, default=1000, help="commits to compare git's own ways with")
    parser.add_argument("--largest", type=int, default=5000, help="commits of the largest split")
    parser.add_argument("--one-file", type=int, default=8000, help="commits of the largest split of one file")
    options = parser.parse_args()
    os.environ.update(IDENTITY)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install(ROOT, folder)
        program = str(folder / "environment" / "bin" / "smartcommit")
        many = [processes(folder, program, hunks) for hunks in (1, 10, 100, options.hunks)]
        faster = beside_git(folder, program, options.hunks)
        memory(folder, program, options.largest)
        megabytes = one_file(folder, program, options.one_file)
    return int(max(many) > PROCESSES or faster < FASTER or megabytes > MEGABYTES)


def text(number: int, hunks: int, *, parts: int = HUNKS) -> str:
    """A file of `parts` with its first `hunks` hunks changed."""
    ages = ["new"] * hunks + ["old"] * (parts - hunks)
    gap = "same\n" * GAP
    return "".join(f"file {number} part {part} is {age}\n{gap}" for part, age in enumerate(ages))


def changed(path: Path, hunks: int, *, files: int = 0) -> Repo:
    """A repository with `hunks` hunks to commit, five a file, among `files` files that stay."""
    repo = Repo.init(path)
    count = -(-hunks // HUNKS)
    names = {f"d{number % 50}/f{number}.txt": number for number in range(count)}
    others = {f"same/{number % 50}/f{number}.txt": f"{number}\n" for number in range(files)}
    for name, content in {**{name: text(number, 0) for name, number in names.items()}, **others}.items():
        repo.write(name, content)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "chore: base")
    for name, number in names.items():
        repo.write(name, text(number, min(HUNKS, hunks - number * HUNKS)))
    return repo


def split(program: str, repo: Repo, **environment: str) -> tuple[float, float]:
    """Seconds that the split took, and megabytes of its largest process."""
    command = [program, "split", "--yes", "--quiet", "--engine", "embedded", "--strategy", "hunk"]
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=repo.path, env={**os.environ, **environment}) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return time.perf_counter() - started, usage.ru_maxrss / 1000


def processes(folder: Path, program: str, hunks: int) -> int:
    """Print and return how many git processes a split of so many hunks starts."""
    repo = changed(folder / f"count{hunks}", hunks)
    trace = folder / f"trace{hunks}"
    split(program, repo, GIT_TRACE2_EVENT=str(trace), GIT_TRACE2_EVENT_NESTING="1")
    # What git starts itself has a session below that of its parent.
    ours = [line for line in trace.read_text().splitlines() if '"event":"start"' in line and "/" not in line[:60]]
    print(f"{hunks:6} hunks  {commits(repo):6} commits  {len(ours):3} git processes", flush=True)
    return len(ours)


def beside_git(folder: Path, program: str, hunks: int) -> float:
    """Print how git's own ways compare, and return how many times slower add and commit is."""
    repo = changed(folder / "ours", hunks)
    ours, _ = split(program, repo)
    theirs = changed(folder / "theirs", hunks)
    began = time.perf_counter()
    for number in range(hunks):
        file, part = divmod(number, HUNKS)
        name = f"d{file % 50}/f{file}.txt"
        theirs.write(name, text(file, part + 1))
        theirs.git("add", name)
        theirs.git("commit", "-qm", f"chore: change part {part} of file {file}")
    slow = time.perf_counter() - began
    assert repo.git("rev-parse", "HEAD^{tree}") == theirs.git("rev-parse", "HEAD^{tree}")
    assert commits(repo) == commits(theirs) == hunks
    stream = repo.run("fast-export", "main").stdout
    bare = Repo.init(folder / "bare")
    began = time.perf_counter()
    bare.git("fast-import", "--quiet", stdin=stream)
    bottom = time.perf_counter() - began
    print(f"{hunks:6} commits: split {ours:.2f} s, add and commit {slow:.2f} s, bare fast-import {bottom:.2f} s")
    print(
        f"        {slow / ours:.1f} times faster than add and commit; {ours / bottom:.1f} times fast-import", flush=True
    )
    return slow / ours


def memory(folder: Path, program: str, largest: int) -> None:
    """Print time and memory by the size of the change, and by that of the repository."""
    rows = [(largest // 4, 0), (largest // 2, 0), (largest, 0), (largest // 4, 20_000)]
    base = 0.0
    for hunks, files in rows:
        repo = changed(folder / "memory", hunks, files=files)
        base = measure(program, repo, f"{hunks:6} hunks among {files:6} other files", base)[0]


def one_file(folder: Path, program: str, largest: int) -> float:
    """Print time and memory for one file by its hunks, and return the megabytes of the largest."""
    first = 0.0
    for hunks in (largest // 4, largest // 2, largest):
        repo = Repo.init(folder / "file")
        repo.commit("chore: base", {"f.txt": text(0, 0, parts=hunks)})
        content = repo.write("f.txt", text(0, hunks, parts=hunks))
        versions = hunks * content.stat().st_size / 1e6
        first, megabytes = measure(
            program, repo, f"{hunks:6} hunks of one file, {versions:6.0f} MB in all versions", first
        )
    return megabytes


def measure(program: str, repo: Repo, what: str, first: float) -> tuple[float, float]:
    """Split and remove `repo`, print a row, and return the megabytes of the `first` split and of this one."""
    seconds, megabytes = split(program, repo)
    first = first or megabytes
    made = commits(repo)
    print(
        f"{what}  {made:6} commits  {seconds:6.2f} s  {megabytes:5.0f} MB  {megabytes / first:.2f} times the first",
        flush=True,
    )
    shutil.rmtree(repo.path)
    return first, megabytes


def commits(repo: Repo) -> int:
    """The commits above the first."""
    return int(repo.git("rev-list", "--count", "HEAD")) - 1


if __name__ == "__main__":
    sys.exit(main())
