"""`smartcommit demo`: the hooks at work in a scratch repository, shown by the commands a person would type."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from smartcommit.errors import SmartcommitError
from smartcommit.setup import checkout, example
from smartcommit.setup.hookconfig import NAME
from smartcommit.terminal import printable

# How our programs are started: by this interpreter, so that nothing depends on PATH.
PROGRAMS = {
    "pre-commit": [sys.executable, "-P", "-m", "pre_commit"],
    "smartcommit": [sys.executable, "-P", "-c", "import sys; from smartcommit.cli import main; sys.exit(main())"],
}
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
# What a person's own settings must not decide here.
FOREIGN = ("GIT_", "PRE_COMMIT", "SMARTCOMMIT_")
EDITOR = """\
import sys
print("the editor opens on:\\n")
print(open(sys.argv[1], encoding="utf-8").read())
"""


@click.command()
@click.option("--from", "source", metavar="PATH", help="The checkout of smartcommit to take the hooks from.")
@click.option("--keep", is_flag=True, help="Keep the scratch repository.")
def command(source: str | None, keep: bool) -> int:
    """Make a scratch repository and show the hooks at work in it."""
    source = source or (os.getcwd() if os.path.isfile(checkout.MANIFEST) else None)
    if source is not None and not os.path.isfile(os.path.join(source, checkout.MANIFEST)):
        raise SmartcommitError(f"'{source}' is not a checkout of smartcommit: it has no '{checkout.MANIFEST}'")
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
        self._shop = os.path.join(folder, "shop")
        self._hooks = os.path.join(folder, "hooks")
        # None leaves it to click, which colours terminals only.
        self._color = False if "NO_COLOR" in os.environ else None
        editor = Path(folder, "editor.py")
        editor.write_text(EDITOR)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(FOREIGN) and name != "SKIP"},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": shlex.join([sys.executable, str(editor)]),
            **{f"GIT_{who}_NAME": "Demo" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "demo@example.invalid" for who in ("AUTHOR", "COMMITTER")},
            "PRE_COMMIT_HOME": os.path.join(folder, "pre-commit"),
            "PYTHONUNBUFFERED": "1",
        }

    def show(self, source: str | None) -> None:
        """Show everything, with the hooks from the checkout `source` or else from this installation.

        Raises: SmartcommitError when a command ends otherwise than it should.
        """
        self._make_project()
        self._install(source)
        self._title("A draft: 'git commit' opens the editor on a message")
        self._write(example.FEATURE)
        self._do("git add src tests")
        self._do("git commit")
        self._do("git log --max-count=1 --format=%B")
        self._title("A check: a message that breaks the rules is refused")
        self._write(example.MIXED)
        self._do("git add README.md")
        self._do("git commit -m 'oops, forgot the docs'", status=1)
        self._title("A split: a mixed change becomes atomic commits")
        self._do("git add --all")
        self._do("git status --short")
        self._do("pre-commit run --verbose split")
        self._do("git log --stat --format=%n%s -4")

    def _make_project(self) -> None:
        os.makedirs(self._shop)
        self._run(["git", "init", "--quiet", "--initial-branch=main"])
        for message, files in example.HISTORY:
            self._write(files)
            self._run(["git", "add", "--all"])
            self._run(["git", "commit", "--quiet", "--message", message])

    def _install(self, source: str | None) -> None:
        self._title("Two commands bring the hooks into a repository")
        if source is not None:
            rev = checkout.snapshot(source, self._hooks)
            self._do(f"smartcommit init --repo {shlex.quote(self._hooks)} --rev {rev}")
        else:
            click.echo("There is no checkout here, so the hooks are those of this installation.")
            scripts = Path(sys.executable).parent.as_posix()
            self._write({NAME: LOCAL_CONFIG.format(scripts=scripts)})
            self._do("pre-commit install")
        self._do(f"git add {NAME}")
        self._do("git commit --message 'chore: install the commit hooks'")

    def _title(self, text: str) -> None:
        click.echo()
        click.echo(click.style(f"== {text}", bold=True), color=self._color)

    def _write(self, files: Mapping[str, str]) -> None:
        for name, content in files.items():
            path = Path(self._shop, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def _do(self, line: str, *, status: int = 0) -> None:
        """Show the command `line` and what it prints; it must end with `status`."""
        click.echo(click.style(f"\n$ {printable(line)}", fg="cyan"), color=self._color)
        words = shlex.split(line)
        ended = self._run([*PROGRAMS.get(words[0], words[:1]), *words[1:]], show=True)
        if ended != status:
            raise SmartcommitError(f"'{line}' ended with status {ended} instead of {status}")

    def _run(self, command: Sequence[str], *, show: bool = False) -> int:
        # In a session of its own the hooks find no terminal, so they ask nothing and print here.
        with subprocess.Popen(
            command,
            cwd=self._shop,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    if show:
                        click.echo(printable(line.decode("utf-8", "replace").rstrip("\r\n"), keep="\t"))
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode
