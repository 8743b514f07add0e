"""`smartcommit demo`: the hooks and a split at work in a scratch repository."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from smartcommit.errors import SmartcommitError
from smartcommit.message.characters import printable
from smartcommit.processes import Feed
from smartcommit.processes.run import run_in_session

EDITOR = "import sys; print('the editor opens with:\\n'); print(open(sys.argv[1], encoding='utf-8').read())"
# What is shown is this installation, whatever else is on PATH.
PROGRAM = (sys.executable, "-P", "-c", "import sys; from smartcommit.cli import main; sys.exit(main())")
GIT_PROGRAM = (*PROGRAM[:-1], PROGRAM[-1].replace("main", "git_smart_commit"))
# A user's own settings must not change what is shown.
FOREIGN = ("GIT_", "PRE_COMMIT", "SMARTCOMMIT_", "SKIP")
CART = '''\
"""A shopping cart."""


class Cart:
    def __init__(self):
        self.prices = []

    def add(self, price):
        self.prices.append(price)

    def total(self):
        return sum(self.prices)
'''
FORMAT = '''\


def format_price(cents):
    """A price as a customer reads it."""
    return "%d.%d EUR" % (cents // 100, cents % 100)
'''
DISCOUNT = '''\

    def discount(self, percent):
        """The total after a discount."""
        return self.total() * (100 - percent) // 100
'''
HISTORY = {
    "feat(cart): add up prices": {"shop/__init__.py": "", "shop/cart.py": CART},
    "build: list the requirements": {"requirements.txt": "requests==2.31.0\nrich==13.7.0\n"},
    "docs: describe the cart": {"README.md": "# Shop\n\nA cart adds up prices.\n"},
}
FORMATTED = {"shop/cart.py": CART + FORMAT}
DESCRIBED = {"README.md": "# Shop\n\nA cart adds up prices and formats them.\n"}
# Two hunks of one file that have nothing to do with each other, and another file.
MIXED = {
    "shop/cart.py": CART + DISCOUNT + FORMAT.replace("%d.%d", "%d.%02d"),
    "requirements.txt": "requests==2.32.3\nrich==13.7.0\n",
}
# What is shown under each title: files are written, commands are run, and one after `!` must fail.
HOOKS = {
    "Install: one command writes the git hooks": ("smartcommit install",),
    "Draft: 'git commit' opens the editor with a message already written": (FORMATTED, "git add --all", "git commit"),
    "Check: a message that breaks the rules is rejected": (
        DESCRIBED,
        "git add --all",
        "! git commit -m 'Describe how prices are formatted'",
        "git commit -m 'docs: describe how prices are formatted'",
    ),
    "Split: a mixed change becomes atomic commits, even within a file": (
        MIXED,
        "git diff --unified=0",
        "git smart-commit --strategy hunk --yes",
        "git log --stat --format=%n%s -3",
    ),
    "Undo: the commits are gone, and the change is back as it was": ("git smart-commit undo", "git status --short"),
}
NEXT_STEPS = """
Next, in a repository of your own:
  smartcommit install   installs the hooks; with --pre-commit by pre-commit or prek
  smartcommit model     finds models: Ollama, a server with the OpenAI API, or a coding agent
"""


@click.command()
def command() -> None:
    """Show the hooks and a split in a scratch repository."""
    with tempfile.TemporaryDirectory(prefix="smartcommit-demo-") as folder:
        shell = _DemoShell(os.path.realpath(folder))
        for message, files in HISTORY.items():
            shell.write(files)
            shell.run(["git", "add", "--all"])
            shell.run(["git", "commit", "--quiet", "--message", message])
        for title, steps in HOOKS.items():
            click.echo(f"\n== {title}")
            for step in steps:
                if isinstance(step, str):
                    shell.show(step)
                else:
                    shell.write(step)
    click.echo(NEXT_STEPS, nl=False)


class _DemoShell:
    """A new repository in `folder`, and commands that run there apart from the user's own settings."""

    def __init__(self, folder: str) -> None:
        self._directory = Path(folder, "shop")
        self._directory.mkdir()
        program = Path(folder, "git-smart-commit")
        program.write_bytes(f'#!/bin/sh\nexec {shlex.join(GIT_PROGRAM)} "$@"\n'.encode())
        program.chmod(0o755)
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        self._environment.update(
            {
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_EDITOR": shlex.join([sys.executable, "-c", EDITOR]),
                "PATH": os.pathsep.join((folder, os.environ.get("PATH", os.defpath))),
                # What is printed is read as UTF-8; on Windows it would be in a code page.
                "PYTHONIOENCODING": "utf-8",
                "PYTHONUNBUFFERED": "1",
            }
        )
        self.run(["git", "init", "--quiet", "--initial-branch=main"])
        self.run(["git", "config", "user.name", "Demo"])
        self.run(["git", "config", "user.email", "demo@example.invalid"])

    def write(self, files: Mapping[str, str]) -> None:
        for name, content in files.items():
            path = self._directory / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content.encode())

    def show(self, line: str) -> None:
        """Show the command `line` and its output; raise SmartcommitError unless it succeeds, or fails after `! `."""
        command = line.removeprefix("! ")
        click.echo(f"\n$ {command}")
        output = bytearray()
        status = self.run(shlex.split(command), output.extend)
        text = output.decode("utf-8", "replace").replace("\r\n", "\n")
        click.echo(printable(text, keep="\t\n"), nl=False)
        expected = 0 if line == command else 1
        if status != expected:
            raise SmartcommitError(f"'{command}' exited with status {status}")

    def run(self, command: Sequence[str], feed: Feed = lambda output: None) -> int:
        if command[0] == "smartcommit":
            command = [*PROGRAM, *command[1:]]
        # In a separate session the hooks find no terminal, so they ask nothing and print here.
        return run_in_session(command, directory=str(self._directory), environment=self._environment, feed=feed)
