"""`smartcommit demo` and `smartcommit execute demo`: the tools at work in a scratch repository."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from smartcommit.errors import SmartcommitError
from smartcommit.git.run import run
from smartcommit.setup.install import MANIFEST
from smartcommit.setup.precommit_config import NAME
from smartcommit.signals import own_session
from smartcommit.terminal import printable

# Without a checkout the hooks are this installation's own scripts: the manifest's hooks, but for where they come from.
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
print("the editor opens on:\\n")
print(open(sys.argv[1], encoding="utf-8").read())
"""
# Stands for a coding agent: reads the prompt, and does what the task's title says.
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
# What a person's own settings must not decide here.
FOREIGN = ("GIT_", "PRE_COMMIT", "SMARTCOMMIT_")
HISTORY = (
    (
        "feat(cart): add up prices",
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": '''\
"""A shopping cart."""


class Cart:
    def __init__(self):
        self.prices = []

    def add(self, price):
        self.prices.append(price)

    def total(self):
        return sum(self.prices)
''',
        },
    ),
    (
        "build: list the requirements",
        {"requirements.txt": "requests==2.31.0\nrich==13.7.0\n"},
    ),
    (
        "docs: describe the cart",
        {"README.md": "# Shop\n\nA cart adds up prices.\n"},
    ),
    (
        "ci: run the tests",
        {
            ".github/workflows/test.yml": """\
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
""",
        },
    ),
)

FEATURE = {
    "src/shop/cart.py": HISTORY[0][1]["src/shop/cart.py"]
    + '''
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
    ".github/workflows/test.yml": HISTORY[3][1][".github/workflows/test.yml"].replace('"3.11"', '"3.11", "3.13"'),
}


@click.command()
@click.option("--from", "source", metavar="PATH", help="The checkout of smartcommit to take the hooks from.")
@click.option("--keep", is_flag=True, help="Keep the scratch repository.")
def command(source: str | None, keep: bool) -> int:
    """Make a scratch repository and show the hooks at work in it."""
    source = source or (os.getcwd() if os.path.isfile(MANIFEST) else None)
    if source is not None and not os.path.isfile(os.path.join(source, MANIFEST)):
        raise SmartcommitError(f"'{source}' is not a checkout of smartcommit: it has no '{MANIFEST}'")
    folder = os.path.realpath(tempfile.mkdtemp(prefix="smartcommit-demo-"))
    try:
        _Demo(folder).show(source)
        if keep:
            click.echo(f"\nkept: {printable(folder)}")
    finally:
        if not keep:
            shutil.rmtree(folder)
    return 0


class _Demo:
    """One showing in `folder`, which holds the project `shop`, the hooks' repository and pre-commit's home."""

    def __init__(self, folder: str) -> None:
        self._hooks = os.path.join(folder, "hooks")
        editor = Path(folder, "editor.py")
        editor.write_text(EDITOR)
        self._stage = DemoShell(
            os.path.join(folder, "shop"),
            GIT_EDITOR=shlex.join([sys.executable, str(editor)]),
            PRE_COMMIT_HOME=os.path.join(folder, "pre-commit"),
        )

    def show(self, source: str | None) -> None:
        """Show everything, with the hooks from the checkout `source` or else from this installation.

        Raises: SmartcommitError when a command ends otherwise than it should.
        """
        stage = self._stage
        for message, files in HISTORY:
            stage.commit(message, files)
        self._install(source)
        stage.title("A draft: 'git commit' opens the editor on a message")
        stage.write(FEATURE)
        stage.do("git add src tests")
        stage.do("git commit")
        stage.do("git log --max-count=1 --format=%B")
        stage.title("A check: a message that breaks the rules is refused")
        stage.write(MIXED)
        stage.do("git add README.md")
        stage.do("git commit -m 'oops, forgot the docs'", status=1)
        stage.title("A split: a mixed change becomes atomic commits")
        stage.do("git add --all")
        stage.do("git status --short")
        stage.do("pre-commit run --verbose split")
        stage.do("git log --stat --format=%n%s -4")

    def _install(self, source: str | None) -> None:
        stage = self._stage
        stage.title("Two commands bring the hooks into a repository")
        if source is not None:
            rev = snapshot(source, self._hooks)
            stage.do(f"smartcommit init --repo {shlex.quote(self._hooks)} --rev {rev}")
        else:
            click.echo("There is no checkout here, so the hooks are those of this installation.")
            scripts = Path(sys.executable).parent.as_posix()
            stage.write({NAME: LOCAL_CONFIG.format(scripts=scripts)})
            stage.do("pre-commit install")
        stage.do(f"git add {NAME}")
        stage.do("git commit --message 'chore: install the commit hooks'")


@click.command()
@click.option("--keep", is_flag=True, help="Keep the scratch repository.")
def demo(*, keep: bool) -> int:
    """Show runs in a scratch repository, by an agent that is a script and no model."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="smartcommit-demo-"))
    try:
        _show(folder)
        if keep:
            click.echo(f"\nkept: {folder}")
    finally:
        if not keep:
            shutil.rmtree(folder)
    return 0


def _show(folder: str) -> None:
    agent = Path(folder, "agent.py")
    agent.write_text(AGENT)
    stage = DemoShell(os.path.join(folder, "greetings"), SMARTCOMMIT_AGENT=shlex.join([sys.executable, str(agent)]))
    stage.commit("chore: begin", {"README.md": "# Greetings\n", **PLANS})
    stage.title("Success: two tasks, two commits, each with the work and the plan's state")
    stage.do("smartcommit execute new success.md")
    stage.do("smartcommit execute run success")
    stage.do("git log --stat --format=%n%s -2")
    stage.title("A flaky agent: the second attempt goes on where the first one stopped")
    stage.do("smartcommit execute new flaky.md")
    stage.do("smartcommit execute run flaky")
    stage.title("Failure: nothing is committed, and the work stays for a look")
    stage.do("smartcommit execute new fail.md")
    stage.do("smartcommit execute run failure --attempts 2", status=1)
    stage.do("smartcommit execute show failure")
    stage.do("git status --short")


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


def copy(checkout: str, target: str) -> None:
    """Copy what git would keep of `checkout`, tracked or new but not ignored, as it stands in the working tree.

    Raises: GitError when `checkout` is not a repository; OSError when a file cannot be copied.
    """
    listing = run(("ls-files", "-z", "--cached", "--others", "--exclude-standard"), directory=checkout).stdout
    for name in dict.fromkeys(os.fsdecode(listing).split("\0")):
        source = os.path.join(checkout, name)
        if name and (os.path.islink(source) or os.path.isfile(source)):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copy2(source, os.path.join(target, name), follow_symlinks=False)


def snapshot(checkout: str, target: str) -> str:
    """Make the new folder `target` a repository with `checkout` in one commit, and return that commit.

    Raises: as `copy`.
    """
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
