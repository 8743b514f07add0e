"""How long a draft takes when its model misbehaves, beside the deadline: `python benchmarks/draft.py`.

Each row runs the hook, plainly installed, on a repository of its own against a scripted server on loopback, and prints
the wall clock of the whole process. Status 1 if one takes more than half a second longer than the deadline.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from tests.support import model_server as server  # noqa: E402
from tests.support.installation import install  # noqa: E402
from tests.support.model_server import serve  # noqa: E402
from tests.support.repository import Repo  # noqa: E402

GOOD = server.calls(("submit_message", {"type": "feat", "summary": "paint stripes"}))
STEPS = {
    "answers": GOOD,
    "hangs": server.hangs,
    "trickles": server.trickles,
    "endless": server.endless,
    "cut": server.cut,
    "401": server.refuses(401),
    "429, an hour": server.refuses(429, "later", ("Retry-After", "3600")),
    "500": server.refuses(500),
    "html": server.page(),
    "thoughts only": server.says("", thinking="hm"),
    "prose": server.says("I would add a thing."),
    "unknown tool": server.calls(("rm", {"path": "/"})),
}
SLACK = 0.5


def main() -> int:
    """Print a row a misbehaviour and dialect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deadline", type=int, default=3, help="seconds a draft may take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        install(ROOT, Path(folder))
        options.hook = str(Path(folder, "environment", "bin", "smartcommit-prepare-commit-msg"))
        late = 0
        for name in (*STEPS, "refused"):
            for dialect in server.DIALECTS:
                late |= row(Path(folder), name, dialect, options)
        large(Path(folder), options)
    return int(late)


def row(folder: Path, name: str, dialect: str, options: argparse.Namespace) -> bool:
    """Whether a draft came late."""
    repo = prepared(folder / f"{dialect} {name}", {"zebra.py": "def stripes():\n    return 7\n"})
    with serve(dialect, STEPS.get(name, GOOD)) as model:
        environment = model.environment(SMARTCOMMIT_DEADLINE=str(options.deadline))
        if name == "refused":
            environment["SMARTCOMMIT_API_BASE"] = "http://127.0.0.1:1/v1"
        seconds, header = timed(repo, options.hook, environment)
    print(f"{dialect:8} {name:14} {seconds:6.2f} s  {len(model.questions):3} requests  {header}", flush=True)
    return seconds > options.deadline + SLACK


def large(folder: Path, options: argparse.Namespace) -> None:
    """Rows for large changes, with the most memory that the hook took."""
    line = "value = 'something that stands here'\n"
    changes = {}
    for megabytes in (1, 10, 100):
        changes[f"{megabytes} MB"] = {f"part{n}.txt": line * (1_000_000 // len(line)) for n in range(megabytes)}
    changes["5,000 files"] = {f"d{n % 40}/f{n}.py": f"x = {n}\n" for n in range(5000)}
    for name, files in changes.items():
        repo = prepared(folder / name, files)
        with serve("ollama", GOOD) as model:
            seconds, header = timed(repo, options.hook, model.environment(SMARTCOMMIT_DEADLINE="60"))
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
        sent = len(model.questions[0].body) if model.questions else 0
        print(
            f"{name:23} {seconds:6.2f} s  {memory:4.0f} MB at most so far  {sent / 1000:.0f} kB sent  {header}",
            flush=True,
        )


def prepared(path: Path, files: dict[str, str]) -> Repo:
    """A repository with `files` staged and a message file that awaits a draft."""
    repo = Repo.init(path)
    repo.stage(files)
    repo.write(".git/COMMIT_EDITMSG", "\n# Please enter the commit message\n")
    return repo


def timed(repo: Repo, hook: str, environment: dict[str, str]) -> tuple[float, str]:
    """Seconds of the hook's whole process, and the header it wrote."""
    started = time.perf_counter()
    subprocess.run(
        [hook, ".git/COMMIT_EDITMSG"], cwd=repo.path, check=True, start_new_session=True,
        env={**os.environ, "GIT_EDITOR": "vi", **environment},
    )  # fmt: skip
    seconds = time.perf_counter() - started
    return seconds, (repo.path / ".git/COMMIT_EDITMSG").read_text().split("\n", 1)[0]


if __name__ == "__main__":
    sys.exit(main())
