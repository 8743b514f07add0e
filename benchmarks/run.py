"""One table of what smartcommit costs beside what one would use instead: `python benchmarks/run.py`.

Everything is cpu time with that of child processes, as a ratio, so that a busy machine changes it little; each run is
paired with one of what it is compared with, and the median of the pairs is printed. Milliseconds are the ratio times
what `python -c pass` takes on this machine. Peers are installed from their package indexes, with npm for commitlint;
those that cannot be installed are named below the table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from benchmarks.check import PEERS, cpu, environment, export, ratio  # noqa: E402
from benchmarks.split import HUNKS, changed, text  # noqa: E402
from tests.support.precommit import CONFIG, PRE_COMMIT, PREK, Framework  # noqa: E402
from tests.support.repository import IDENTITY, Repo  # noqa: E402

MESSAGE = "feat(api): add the thing\n\nWhy it was needed.\n"
COMMITLINT = ("@commitlint/cli", "@commitlint/config-conventional")
CONVENTIONAL = """\
repos:
-   repo: local
    hooks:
    -   id: conventional-pre-commit
        name: conventional-pre-commit
        language: python
        entry: conventional-pre-commit
        additional_dependencies: [conventional-pre-commit]
        stages: [commit-msg]
"""
# How each peer checks a range; the others check one message at a time.
RANGES = {
    "gitlint": ["gitlint", "--contrib", "CT1", "--commits", "{first}..HEAD"],
    "cz check": ["cz", "check", "--rev-range", "{first}..HEAD"],
}


class Machine:
    """The programs that are measured, each installed in a folder of its own below `root`."""

    def __init__(self, root: Path, runs: int) -> None:
        self.root = root
        self.runs = runs
        self.missing: list[str] = []
        self.hooks = Repo.init(root / "hooks")
        shutil.copytree(export(root / "exported"), self.hooks.path, dirs_exist_ok=True)
        self.hooks.git("add", "-A")
        self.hooks.commit("chore: release")
        self.ours = environment(root / "ours", str(root / "exported"))
        self.peers: dict[str, Path] = {}
        for name, (package, _) in PEERS.items():
            self._install(name, package)
        self._install_commitlint()
        self.unit = self._measure_unit()

    def _measure_unit(self) -> float:
        """Return the median cpu time of `python -c pass`, in milliseconds."""
        command = [str(self.ours / "python"), "-c", "pass"]
        cpu(command, self.root)
        return 1000 * statistics.median(cpu(command, self.root) for _ in range(10 * self.runs))

    def _install(self, name: str, package: str) -> None:
        try:
            self.peers[name] = environment(self.root / f"peer {name}", package)
        except subprocess.CalledProcessError:
            self.missing.append(name)

    def _install_commitlint(self) -> None:
        folder = self.root / "commitlint"
        folder.mkdir()
        npm = ["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", *COMMITLINT]
        try:
            subprocess.run(npm, cwd=folder, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.missing.append("commitlint")
            return
        settings = 'export default { extends: ["@commitlint/config-conventional"] };\n'
        (folder / "commitlint.config.mjs").write_text(settings)
        self.peers["commitlint"] = folder / "node_modules/.bin"

    def command(self, peer: str, words: list[str]) -> list[str]:
        """The command of a peer, `words`, with the path of its program."""
        settings = []
        if peer == "commitlint":
            settings = ["--config", str(self.root / "commitlint/commitlint.config.mjs")]
        return [str(self.peers[peer] / words[0]), *settings, *words[1:]]

    def our(self, *words: str) -> list[str]:
        """A command of this checkout."""
        return [str(self.ours / words[0]), *words[1:]]

    def compare(self, command: list[str], cwd: Path) -> float:
        """The median of the paired ratios of `command` to `python -c pass`."""
        return ratio(command, [str(self.ours / "python"), "-c", "pass"], cwd, self.runs)

    def print_row(self, what: str, who: str, units: float) -> None:
        """Print a row of the table."""
        print(f"| {what} | {who} | {units:.1f} | {units * self.unit:.0f} |", flush=True)


def measure_message(machine: Machine) -> None:
    """Print what the check of one valid message costs."""
    what = "check a message"
    repo = Repo.init(machine.root / "message")
    repo.commit("feat: begin")
    repo.write("message", MESSAGE)
    repo.write("plain", MESSAGE.partition("\n")[0] + "\n")
    subprocess.run(machine.our("smartcommit", "install"), cwd=repo.path, check=True, capture_output=True)
    ways = {
        "**smartcommit**, the hook of `smartcommit install`": [str(repo.path / ".git/hooks/commit-msg"), "message"],
        "**smartcommit**, the hook of `smartcommit install`, one plain line": [
            str(repo.path / ".git/hooks/commit-msg"),
            "plain",
        ],
        "**smartcommit**, the command": machine.our("smartcommit-commit-msg", "message"),
    }
    for name, (_, words) in PEERS.items():
        if name in machine.peers:
            ways[name] = machine.command(name, [word.format(file="message") for word in words])
    if "commitlint" in machine.peers:
        ways["commitlint"] = machine.command("commitlint", ["commitlint", "--edit", "message"])
    for name, command in ways.items():
        machine.print_row(what, name, machine.compare(command, repo.path))


def measure_range(machine: Machine, commits: int) -> None:
    """Print what the check of a range costs, in what each message adds."""
    what = f"check a range of {commits:,} commits"
    repo = Repo.init(machine.root / "range")
    first = repo.commit("feat: begin")
    stream = []
    for number in range(commits):
        message = f"fix(part-{number % 9}): correct case {number}\n\nIt was wrong before.\n".encode()
        stream.append(b"commit refs/heads/main\ncommitter A <a@b.c> %d +0000\n" % (1_700_000_000 + number))
        parent = f"from {first}\n".encode() if number == 0 else b""
        stream.append(b"data %d\n" % len(message) + message + b"\n" + parent)
    repo.git("fast-import", "--quiet", stdin=b"".join(stream))
    ways = {"**smartcommit**": machine.our("smartcommit", "check", "--range", f"{first}..HEAD")}
    for name, words in RANGES.items():
        if name in machine.peers:
            ways[name] = machine.command(name, [word.format(first=first) for word in words])
    if "commitlint" in machine.peers:
        ways["commitlint"] = machine.command("commitlint", ["commitlint", "--from", first])
    for name, command in ways.items():
        machine.print_row(what, name, machine.compare(command, repo.path))


def install_framework(machine: Machine, repo: Repo, command: tuple[str, ...]) -> None:
    """Configure and install both message hooks with pre-commit or prek."""
    framework = Framework(command, machine.hooks)
    framework.configure(repo, "prepare-commit-msg", "commit-msg")
    framework.install(repo, "prepare-commit-msg", "commit-msg")
    framework.run(repo, "install-hooks")


def install_conventional(repo: Repo) -> None:
    """Install conventional-pre-commit with pre-commit."""
    repo.commit("chore: configure", {CONFIG: CONVENTIONAL})
    subprocess.run(
        [*PRE_COMMIT, "install", "--hook-type", "commit-msg", "--install-hooks"],
        cwd=repo.path, check=True, capture_output=True,
    )  # fmt: skip


def measure_commits(machine: Machine) -> None:
    """Print what hooks add to the cpu time of a commit, with a message given and with a drafted one."""
    ways: dict[str, Callable[[Repo], object]] = {
        "**smartcommit** by `smartcommit install`": lambda repo: subprocess.run(
            machine.our("smartcommit", "install"), cwd=repo.path, check=True, capture_output=True
        ),
        "**smartcommit** by prek": lambda repo: install_framework(machine, repo, PREK),
        "**smartcommit** by pre-commit": lambda repo: install_framework(machine, repo, PRE_COMMIT),
        "conventional-pre-commit by pre-commit": install_conventional,
    }
    if "commitlint" in machine.peers:
        line = " ".join(machine.command("commitlint", ["commitlint", "--edit"]))
        ways["commitlint in a plain hook"] = lambda repo: repo.write(
            ".git/hooks/commit-msg", f'#!/bin/sh\nexec {line} "$1"\n', executable=True
        )
    bare = Repo.init(machine.root / "bare")
    bare.commit()
    for number, (name, install) in enumerate(ways.items()):
        repo = Repo.init(machine.root / f"way{number}")
        repo.commit()
        try:
            install(repo)
        except (AssertionError, subprocess.CalledProcessError):
            machine.missing.append(name)
            continue
        machine.print_row("a commit, `-m`", name, add_to_commit(machine, repo, bare, "-m", "feat: add it"))
        if "smartcommit" in name:
            added = add_to_commit(machine, repo, bare, "-m", "feat: add it", "-m", "Why it was needed.")
            machine.print_row("a commit, `-m` twice", name, added)
            machine.print_row("a commit, drafted", name, add_to_commit(machine, repo, bare))


def add_to_commit(machine: Machine, repo: Repo, bare: Repo, *options: str) -> float:
    """What the hooks of `repo` add to the cpu time of a commit in `bare`, in units of `python -c pass`."""
    command = ["git", "-c", "core.editor=true", "commit", "-q"]
    before = int(repo.git("rev-list", "--count", "HEAD"))
    added = []
    for number in range(before, before + machine.runs + 1):
        for one in (repo, bare):
            one.stage({f"src/part{number}.py": f"def count{number}():\n    return {number}\n"})
        with_hooks = cpu([*command, *options], repo.path)
        alone = cpu([*command, *(options or ("-m", "feat: add it"))], bare.path)
        unit = cpu([str(machine.ours / "python"), "-c", "pass"], bare.path)
        added.append((with_hooks - alone) / unit)
    made = int(repo.git("rev-list", "--count", "HEAD")) - before
    assert made == machine.runs + 1, "a commit was refused"
    return statistics.median(added[1:])


def measure_drafts(machine: Machine) -> None:
    """Print what a draft without a model costs, by the size of the change."""
    for count in (1, 10, 100, 1000):
        repo = Repo.init(machine.root / f"draft{count}")
        repo.commit("feat: begin", {"README.md": "# It\n"})
        repo.stage({f"src/d{n % 40}/part{n}.py": f"def count{n}():\n    return {n}\n" for n in range(count)})
        repo.write(".git/COMMIT_EDITMSG", "\n# Please enter the commit message\n")
        command = ["sh", "-c", 'cp .git/COMMIT_EDITMSG m && exec "$@"', "sh"]
        command += machine.our("smartcommit-prepare-commit-msg", "m")
        what = "draft a change of 1 file" if count == 1 else f"draft a change of {count:,} files"
        machine.print_row(what, "**smartcommit**", machine.compare(command, repo.path))


def measure_split(machine: Machine, hunks: int) -> None:
    """Print what a split into commits costs beside `git add` and `git commit` for each."""
    ours = changed(machine.root / "split", hunks)
    theirs = changed(machine.root / "by hand", hunks)
    command = machine.our("smartcommit", "split", "--yes", "--quiet", "--engine", "embedded", "--strategy", "hunk")
    taken = cpu(command, ours.path)
    by_hand = 0.0
    for number in range(hunks):
        file, part = divmod(number, HUNKS)
        name = f"d{file % 50}/f{file}.txt"
        theirs.write(name, text(file, part + 1))
        by_hand += cpu(["git", "add", name], theirs.path)
        by_hand += cpu(["git", "commit", "-qm", f"chore: change part {part} of file {file}"], theirs.path)
    assert ours.git("rev-parse", "HEAD^{tree}") == theirs.git("rev-parse", "HEAD^{tree}")
    share = taken / by_hand
    print(f"\nMaking {hunks} commits of a change takes {share:.2f} of what `git add` and `git commit` for each take.")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=15, help="pairs of runs of each row")
    parser.add_argument("--commits", type=int, default=500, help="commits of the range that is checked")
    parser.add_argument("--hunks", type=int, default=400, help="commits that the split makes")
    options = parser.parse_args()
    os.environ.update(IDENTITY, GIT_CONFIG_GLOBAL=os.devnull)
    with tempfile.TemporaryDirectory() as directory:
        machine = Machine(Path(directory), options.runs)
        print("| what | who | cpu, in units of `python -c pass` | ms |\n|---|---|---|---|")
        measure_commits(machine)
        measure_message(machine)
        measure_range(machine, options.commits)
        measure_drafts(machine)
        measure_split(machine, options.hunks)
    if machine.missing:
        print(f"\nNot installed here: {', '.join(machine.missing)}.")


if __name__ == "__main__":
    main()
