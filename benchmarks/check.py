"""What judging a message costs, as cpu ratios to `python -c pass` of the same environment.

    python benchmarks/check.py [--peers] [--runs N]

Makes an environment with a plain installation of this checkout (and, with --peers, of other validators), runs each
command in turn with the empty interpreter, and prints the median of the paired ratios. Then how the cost grows with the
message, and what a range of 50,000 commits costs.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
VALID = (
    "feat(api): add the thing\n\nWhy it was needed.\n\nConstraints:\n- Never: log a key\n\nSigned-off-by: A <a@b.c>\n"
)
INVALID = "Added the thing\nwithout a blank line\n\nConstraints:\n- never: log a key\n"
POLICY = "[smartcommit]\n\ttypes = feat fix docs chore\n\tsummaryLimit = 100\n"
PEERS = {
    "conventional-pre-commit": ("conventional-pre-commit", ["conventional-pre-commit", "{file}"]),
    "gitlint": ("gitlint-core[trusted-deps]", ["gitlint", "--contrib", "CT1", "--msg-filename", "{file}"]),
    "commit-check": ("commit-check", ["commit-check", "--message", "{file}"]),
    "cz check": ("commitizen", ["cz", "check", "--commit-msg-file", "{file}"]),
}


def cpu(command: list[str], cwd: Path) -> float:
    """Seconds of cpu that `command` and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(command: list[str], base: list[str], cwd: Path, runs: int) -> float:
    """The median of paired cpu ratios of `command` to `base`."""
    cpu(command, cwd)
    return statistics.median(cpu(command, cwd) / cpu(base, cwd) for _ in range(runs))


def environment(root: Path, *packages: str) -> Path:
    """A new environment under `root` with `packages`; its folder of programs."""
    subprocess.run([sys.executable, "-m", "venv", str(root)], check=True)
    pip = [str(root / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # The script template of older pips loads `re` by itself; environments of pre-commit have a new one.
    subprocess.run([*pip, "--upgrade", "pip"], check=True)
    subprocess.run([*pip, *packages], check=True)
    return root / "bin"


def export(target: Path) -> Path:
    """The checkout's tracked files, so that nothing left over is installed."""
    target.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], cwd=target, input=archive, check=True)
    return target


def repository(path: Path) -> Path:
    """A repository with a policy file, a commit, and the messages to judge."""
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *identity, "commit", "-q", "--allow-empty", "-m", "feat: x"], cwd=path, check=True)
    (path / ".smartcommit").write_text(POLICY)
    for name, text in (("valid", VALID), ("invalid", INVALID)):
        (path / name).write_text(text)
    return path


def compare(bin_: Path, repo: Path, runs: int, peers: Path | None) -> None:
    """Print the ratio of our hook and of each peer, on a valid and on an invalid message."""
    python = [str(bin_ / "python"), "-c", "pass"]
    for name in ("valid", "invalid"):
        print(f"commit-msg, {name:8s} {ratio([str(bin_ / 'smartcommit-commit-msg'), name], python, repo, runs):6.2f}")
    for peer, (_, command) in PEERS.items() if peers else ():
        assert peers is not None
        for name in ("valid", "invalid"):
            words = [word.format(file=name) for word in command]
            base = [str(peers / "python"), "-c", "pass"]
            print(f"{peer}, {name:8s} {ratio([str(peers / words[0]), *words[1:]], base, repo, runs):6.2f}")


def growth(bin_: Path, repo: Path) -> None:
    """Print seconds for large messages and for ones of twice the size."""
    shapes = {
        "lines": lambda n: "feat: x\n\n" + "a line of ordinary length for a person to read\n" * n,
        "subject": lambda n: "feat: " + "x" * n + "\n",
        "parentheses": lambda n: "feat" + "(" * n + "\n",
        "tasks": lambda n: "feat: x\n\nTasks [ ]:\n" + "".join(f"- [ ] task {i}\n" for i in range(n)),
        "unprintable": lambda n: "feat: x\n\n" + "\x1b\n" * n,
    }
    for (shape, make), size in zip(shapes.items(), (100_000, 10_000_000, 50_000, 50_000, 50_000), strict=True):
        seconds = []
        for factor in (1, 2):
            (repo / "large").write_text(make(size * factor))
            start = time.perf_counter()
            subprocess.run([str(bin_ / "smartcommit-commit-msg"), "large"], cwd=repo, capture_output=True, check=False)
            seconds.append(time.perf_counter() - start)
        print(f"{size:>10,} {shape:12s} {seconds[0]:5.2f} s, twice as many {seconds[1] / seconds[0]:4.2f} times")


def history(bin_: Path, path: Path, count: int) -> None:
    """Print messages a second and peak memory of `smartcommit check --range` over `count` commits."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    stream = []
    for number in range(count):
        body = "It was wrong since then.\nNow it is not."
        message = f"fix(part-{number % 9}): mend case {number}\n\n{body}\n\nRefs: #{number}\n".encode()
        head = f"commit refs/heads/main\ncommitter A <a@b.c> {1_700_000_000 + number} +0000\ndata {len(message)}\n"
        stream.append(head.encode() + message + b"\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=b"".join(stream), check=True)
    command = [str(bin_ / "smartcommit"), "check", "--range", "main"]
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=path, env={**os.environ, "GIT_TRACE2_EVENT": str(path / "trace")}) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    logs = (path / "trace").read_text().count('"event":"cmd_name"')
    speed = f"{count / seconds:,.0f} messages a second, {usage.ru_maxrss // 1024} MB, {logs} git processes"
    print(f"range of {count:,}: {speed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", action="store_true", help="install and measure other validators too")
    parser.add_argument("--runs", type=int, default=21)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        bin_ = environment(root / "ours", str(export(root / "source")))
        peers = environment(root / "peers", *(package for package, _ in PEERS.values())) if options.peers else None
        repo = repository(root / "repository")
        compare(bin_, repo, options.runs, peers)
        growth(bin_, repo)
        history(bin_, root / "history", 50_000)


if __name__ == "__main__":
    main()
