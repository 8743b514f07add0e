"""Real pre-commit and prek in consumer repositories, with our hooks' environment built once per test run."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.installation import export
from tests.support.repository import IDENTITY, Repo

CONFIG = ".pre-commit-config.yaml"
PRE_COMMIT = (sys.executable, "-m", "pre_commit")
PREK = (str(Path(sys.executable).with_name("prek")),)
IDS = ("prepare-commit-msg", "commit-msg", "split")


class Framework:
    """A program that runs hooks by `.pre-commit-config.yaml`: pre-commit or prek.

    `hooks` is a git repository that holds the checkout as it stands, in one commit.
    """

    def __init__(self, command: tuple[str, ...], hooks: Repo) -> None:
        self.command = command
        self.hooks = hooks

    def entry(self, *ids: str) -> str:
        """Our entry for a configuration's `repos:`, with the hooks `ids` (default: all three)."""
        lines = [
            f"-   repo: {self.hooks.path}",
            f"    rev: {self.hooks.git('rev-parse', 'HEAD').strip()}",
            "    hooks:",
        ]
        return "\n".join([*lines, *(f"    -   id: {name}" for name in ids or IDS)]) + "\n"

    def configure(self, repo: Repo, *ids: str, top: str = "", more: str = "") -> None:
        """Commit a configuration with our hooks `ids`, `top` before `repos:` and `more` behind our entry."""
        repo.write(CONFIG, f"{top}repos:\n{self.entry(*ids)}{more}")
        # A pathspec commits the configuration alone, whatever is staged.
        repo.git("add", CONFIG)
        repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "chore: configure hooks", "--", CONFIG)

    def install(self, repo: Repo, *types: str) -> None:
        """Install git hooks of `types` (default: the configuration's own list, else pre-commit)."""
        done = self.run(repo, "install", *(f"--hook-type={name}" for name in types))
        assert done.returncode == 0, done.stdout

    def run(
        self, repo: Repo, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the framework in `repo`, without a terminal; standard error is part of `stdout`."""
        return subprocess.run(
            [*self.command, *arguments],
            cwd=repo.path,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            start_new_session=True,  # no controlling terminal, whoever runs the tests
        )


def build(checkout: Path, root: Path, program: tuple[str, ...], *, prepare: str) -> None:
    """Fill `root` with the repository `hooks` and with the home of `program`, our hooks' environment in it.

    `prepare` is the program's command that builds environments.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    hooks = Repo.init(root / "hooks")
    export(checkout, hooks.path)
    hooks.git("add", "-A")
    hooks.git("commit", "-q", "-m", "chore: export the checkout", env=IDENTITY)
    consumer = Repo.init(root / "consumer")
    consumer.write(CONFIG, f"repos:\n{Framework((), hooks).entry()}")
    done = subprocess.run([*program, prepare], cwd=consumer.path, env={**environment, **homes(root)}, check=False)
    assert done.returncode == 0, f"{program} {prepare}"


def homes(root: Path) -> dict[str, str]:
    """The variables that make either program find what `build` made in `root`."""
    return {"PRE_COMMIT_HOME": str(root / "pre-commit"), "PREK_HOME": str(root / "prek")}
