"""A scratch repository in which commands are shown as a person would type them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from smartcommit.errors import SmartcommitError
from smartcommit.signals import own_session
from smartcommit.terminal import printable

# Run by this interpreter and found first on PATH, so that nothing depends on what else is there.
PROGRAMS = {
    "pre-commit": [sys.executable, "-P", "-m", "pre_commit"],
    "smartcommit": [sys.executable, "-P", "-c", "import sys; from smartcommit.cli import main; sys.exit(main())"],
}
# What a person's own settings must not decide here.
FOREIGN = ("GIT_", "PRE_COMMIT", "SMARTCOMMIT_")


class DemoShell:
    """A new repository in `directory`; `environment` is added to what its commands get.

    The programs are scripts in the folder `bin` beside it.
    """

    def __init__(self, directory: str, **environment: str) -> None:
        self._directory = directory
        programs = os.path.join(os.path.dirname(directory), "bin")
        # None leaves it to click, which colours terminals only.
        self._color = False if "NO_COLOR" in os.environ else None
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN) and name != "SKIP"},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_NAME": "Demo" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "demo@example.invalid" for who in ("AUTHOR", "COMMITTER")},
            "PATH": os.pathsep.join((programs, os.environ.get("PATH", os.defpath))),
            "PYTHONUNBUFFERED": "1",
            **environment,
        }
        os.makedirs(programs)
        for name, command in PROGRAMS.items():
            script = Path(programs, name)
            script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
        os.makedirs(directory)
        self._run(["git", "init", "--quiet", "--initial-branch=main"])

    def title(self, text: str) -> None:
        """Print the title of what comes next."""
        click.echo()
        click.echo(click.style(f"== {text}", bold=True), color=self._color)

    def write(self, files: Mapping[str, str]) -> None:
        """Write `files` into the repository."""
        for name, content in files.items():
            path = Path(self._directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def commit(self, message: str, files: Mapping[str, str]) -> None:
        """Write and commit `files` without showing it."""
        self.write(files)
        self._run(["git", "add", "--all"])
        self._run(["git", "commit", "--quiet", "--message", message])

    def do(self, line: str, *, status: int = 0) -> None:
        """Show the command `line` and what it prints; it must end with `status`.

        Raises: SmartcommitError when it ends otherwise.
        """
        click.echo(click.style(f"\n$ {printable(line)}", fg="cyan"), color=self._color)
        ended = self._run(shlex.split(line), show=True)
        if ended != status:
            raise SmartcommitError(f"'{line}' ended with status {ended} instead of {status}")

    def _run(self, command: Sequence[str], *, show: bool = False) -> int:
        # In a session of its own the hooks find no terminal, so they ask nothing and print here.
        with own_session(
            command, directory=self._directory, environment=self._environment, output=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if show:
                    click.echo(printable(line.decode("utf-8", "replace").rstrip("\r\n"), keep="\t"))
            return process.wait()
