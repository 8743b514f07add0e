"""`smartcommit demo` and `smartcommit execute demo`: the tools at work in a scratch repository."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from smartcommit.errors import SmartcommitError
from smartcommit.git.run import run
from smartcommit.setup.install import MANIFEST
from smartcommit.setup.precommit_config import NAME
from smartcommit.signals import start_in_own_session
from smartcommit.terminal import printable

# Without a checkout the hooks of the manifest are this installation's own scripts.
LOCAL_CONFIG = """\
default_install_hook_types: [prepare-commit-msg, commit-msg]
repos:
- repo: local
  hooks:
  - &hook
    id: prepare-commit-msg
    name: draft the commit message
    entry: {scripts}/smartcommit-prepare-commit-msg
    language: system
    stages: [prepare-commit-msg]
    always_run: true
  - <<: *hook
    id: commit-msg
    name: check the commit message
    entry: {scripts}/smartcommit-commit-msg
    stages: [commit-msg]
  - <<: *hook
    id: split
    name: split into atomic commits
    entry: {scripts}/smartcommit-split
    stages: [pre-commit, manual]
    pass_filenames: false
"""
EDITOR = """\
import sys
print("the editor opens with:\\n")
print(open(sys.argv[1], encoding="utf-8").read())
"""
# Takes the place of a coding agent: reads the prompt, and does what the task's title says.
AGENT = """\
import re, sys
from pathlib import Path
prompt = sys.stdin.read()
title = re.search("^## Task .*?: (.*)$", prompt, re.MULTILINE)[1]
print("reading the task:", title)
Path("greet.py").touch()
if "always fails" in title:
    print("TASK_FAILED: the interface it needs does not exist")
    sys.exit()
if "at first" in title and "Previous attempts failed" not in prompt:
    print("writing greet.py, and stopping half way")
    Path("greet.py").write_text("def greet(name")
    sys.exit(1)
name = title.split()[1]
written = Path("greet.py").read_text().partition("def greet(name")[0]
Path("greet.py").write_text(f"{written}def {name}():\\n    return '{name}'\\n")
print("writing greet.py")
if "message" not in title:
    print(f"SUGGESTED_COMMIT_MESSAGE: feat: add {name} to the greetings")
"""
PLANS = {
    "success.md": "# Success\n\n- [ ] Add hello\n- [ ] Add goodbye, without a message\n",
    "flaky.md": "# Flaky\n\n- [ ] Add welcome, which fails at first\n",
    "fail.md": "# Failure\n\n- [ ] Add farewell, which always fails\n",
}
# Run by this interpreter and found first on PATH, so that nothing depends on what else is there.
PROGRAMS = {
    "pre-commit": [sys.executable, "-P", "-m", "pre_commit"],
    "smartcommit": [sys.executable, "-P", "-c", "import sys; from smartcommit.cli import main; sys.exit(main())"],
}
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
WORKFLOW = """\
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11"]
    steps:
      - uses: actions/checkout@v4
      - run: python -m unittest
"""
HISTORY = {
    "feat(cart): add up prices": {"src/shop/__init__.py": "", "src/shop/cart.py": CART},
    "build: list the requirements": {"requirements.txt": "requests==2.31.0\nrich==13.7.0\n"},
    "docs: describe the cart": {"README.md": "# Shop\n\nA cart adds up prices.\n"},
    "ci: run the tests": {".github/workflows/test.yml": WORKFLOW},
}
FEATURE = {
    "src/shop/cart.py": f'''\
{CART}
    def discount(self, percent):
        """The total after a discount."""
        return self.total() * (100 - percent) / 100
''',
    "tests/test_cart.py": """\
import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_discount(self):
        cart = Cart()
        cart.add(200)
        self.assertEqual(cart.discount(10), 180)
""",
}
MIXED = {
    "README.md": "# Shop\n\nA cart adds up prices and knows discounts:\n\n    cart.discount(10)\n",
    "requirements.txt": "requests==2.32.3\nrich==13.7.0\n",
    ".github/workflows/test.yml": WORKFLOW.replace('"3.11"', '"3.11", "3.13"'),
}
# What is shown under each title: files are written, commands are run, and one after `!` must fail.
HOOKS = {
    "Draft: 'git commit' opens the editor with a message already written": (
        FEATURE,
        "git add src tests",
        "git commit",
        "git log --max-count=1 --format=%B",
    ),
    "Check: a message that breaks the rules is rejected": (
        MIXED,
        "git add README.md",
        "! git commit -m 'oops, forgot the docs'",
    ),
    "Split: a mixed change becomes atomic commits": (
        "git add --all",
        "git status --short",
        "pre-commit run --verbose split",
        "git log --stat --format=%n%s -4",
    ),
}
EXECUTION = {
    "Success: two tasks, two commits, each with the work and the plan's state": (
        "smartcommit execute new success.md",
        "smartcommit execute run success",
        "git log --stat --format=%n%s -2",
    ),
    "Flaky agent: the second attempt continues where the first one stopped": (
        "smartcommit execute new flaky.md",
        "smartcommit execute run flaky",
    ),
    "Failure: nothing is committed, and the work is left in the tree to inspect": (
        "smartcommit execute new fail.md",
        "! smartcommit execute run failure --attempts 2",
        "smartcommit execute show failure",
        "git status --short",
    ),
}


@click.command()
@click.option("--from", "source", metavar="PATH", help="Use the hooks from this smartcommit checkout.")
@click.option("--keep", is_flag=True, help="Keep the scratch repository.")
def command(*, source: str | None, keep: bool) -> int:
    """Show the hooks in action in a scratch repository."""
    if source is None and os.path.isfile(MANIFEST):
        source = os.getcwd()
    if source is not None and not os.path.isfile(os.path.join(source, MANIFEST)):
        raise SmartcommitError(f"'{source}' is not a smartcommit checkout: '{MANIFEST}' not found")
    with _scratch_folder(keep=keep) as folder:
        shell = DemoShell(folder, "shop", script=EDITOR, variable="GIT_EDITOR")
        for message, files in HISTORY.items():
            shell.commit(message, files)
        shell.title("Install: two commands add the hooks to a repository")
        if source is not None:
            hooks = os.path.join(folder, "hooks")
            shell.show(f"smartcommit init --repo {shlex.quote(hooks)} --rev {snapshot(source, hooks)}")
        else:
            click.echo("Not running from a checkout, so this demo uses the installed hooks.")
            shell.write({NAME: LOCAL_CONFIG.format(scripts=Path(sys.executable).parent.as_posix())})
            shell.show("pre-commit install")
        shell.show(f"git add {NAME}")
        shell.show("git commit --message 'chore: install the commit hooks'")
        shell.play(HOOKS)
    return 0


@click.command()
@click.option("--keep", is_flag=True, help="Keep the scratch repository.")
def demo(*, keep: bool) -> int:
    """Show successful and failing runs in a scratch repository, with a script as the agent (no model needed)."""
    with _scratch_folder(keep=keep) as folder:
        shell = DemoShell(folder, "greetings", script=AGENT, variable="SMARTCOMMIT_AGENT")
        shell.commit("chore: initial commit", {"README.md": "# Greetings\n", **PLANS})
        shell.play(EXECUTION)
    return 0


@contextmanager
def _scratch_folder(*, keep: bool) -> Iterator[str]:
    folder = os.path.realpath(tempfile.mkdtemp(prefix="smartcommit-demo-"))
    try:
        yield folder
        if keep:
            click.echo(f"\nscratch repository kept in {printable(folder)}")
    finally:
        if not keep:
            shutil.rmtree(folder)


class DemoShell:
    """A new repository `name` in `folder`, and commands that run there apart from the user's own settings.

    `variable` names the environment variable through which they find `script`, a Python program.
    """

    def __init__(self, folder: str, name: str, *, script: str, variable: str) -> None:
        self._directory = Path(folder, name)
        # None leaves it to click, which colours terminals only.
        self._color = False if "NO_COLOR" in os.environ else None
        programs = Path(folder, "bin")
        programs.mkdir()
        for program, command in PROGRAMS.items():
            path = programs / program
            path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
            path.chmod(0o755)
        Path(folder, "script.py").write_text(script, encoding="utf-8")
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Demo",
            "GIT_AUTHOR_EMAIL": "demo@example.invalid",
            "GIT_COMMITTER_NAME": "Demo",
            "GIT_COMMITTER_EMAIL": "demo@example.invalid",
            "PATH": os.pathsep.join((str(programs), os.environ.get("PATH", os.defpath))),
            "PRE_COMMIT_HOME": os.path.join(folder, "pre-commit"),
            "PYTHONUNBUFFERED": "1",
            variable: shlex.join([sys.executable, os.path.join(folder, "script.py")]),
        }
        self._directory.mkdir()
        self._run(["git", "init", "--quiet", "--initial-branch=main"])

    def play(self, steps: Mapping[str, Sequence[str | Mapping[str, str]]]) -> None:
        """Write the files and show the commands under each title."""
        for title, things in steps.items():
            self.title(title)
            for thing in things:
                if isinstance(thing, str):
                    self.show(thing)
                else:
                    self.write(thing)

    def title(self, text: str) -> None:
        """Print the title of what comes next."""
        click.echo()
        click.echo(click.style(f"== {text}", bold=True), color=self._color)

    def write(self, files: Mapping[str, str]) -> None:
        """Write `files` into the repository."""
        for name, content in files.items():
            path = self._directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def commit(self, message: str, files: Mapping[str, str]) -> None:
        """Write and commit `files` without showing it."""
        self.write(files)
        self._run(["git", "add", "--all"])
        self._run(["git", "commit", "--quiet", "--message", message])

    def show(self, line: str) -> None:
        """Show the command `line` and its output; raise SmartcommitError unless it succeeds, or fails after `! `."""
        status = int(line.startswith("! "))
        line = line.removeprefix("! ")
        click.echo(click.style(f"\n$ {printable(line)}", fg="cyan"), color=self._color)
        ended = self._run(shlex.split(line), show=True)
        if ended != status:
            raise SmartcommitError(f"'{line}' exited with status {ended}, expected {status}")

    def _run(self, command: Sequence[str], *, show: bool = False) -> int:
        # In a separate session the hooks find no terminal, so they ask nothing and print here.
        with start_in_own_session(
            command, directory=str(self._directory), environment=self._environment, output=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if show:
                    click.echo(printable(line.decode("utf-8", "replace").rstrip("\r\n"), keep="\t"))
            return process.wait()


def copy(checkout: str, target: str) -> None:
    """Copy the files of `checkout` that git tracks or would add, as they are in the working tree.

    Raise GitError if `checkout` is not a repository, OSError if a file cannot be copied.
    """
    listing = run(("ls-files", "-z", "--cached", "--others", "--exclude-standard"), directory=checkout).stdout
    for name in dict.fromkeys(os.fsdecode(listing).split("\0")):
        source = os.path.join(checkout, name)
        if name and (os.path.islink(source) or os.path.isfile(source)):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copy2(source, os.path.join(target, name), follow_symlinks=False)


def snapshot(checkout: str, target: str) -> str:
    """Create the repository `target` with a copy of `checkout` in one commit, and return that commit."""
    os.makedirs(target)
    copy(checkout, target)
    person = ("-c", "user.name=smartcommit", "-c", "user.email=smartcommit@example.invalid")
    for command in (
        ("init", "-q"),
        ("add", "--force", "--all"),
        (*person, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--no-gpg-sign", "-m", "chore: copy the checkout"),
    ):
        run(command, directory=target)
    return run(("rev-parse", "HEAD"), directory=target).stdout.decode().strip()
