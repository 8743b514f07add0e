"""`smartcommit demo`: the hooks at work in a scratch repository, shown by the commands a person would type."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from smartcommit.commands.stage import DemoShell
from smartcommit.errors import SmartcommitError
from smartcommit.setup import checkout, example
from smartcommit.setup.precommit_config import NAME
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
        for message, files in example.HISTORY:
            stage.commit(message, files)
        self._install(source)
        stage.title("A draft: 'git commit' opens the editor on a message")
        stage.write(example.FEATURE)
        stage.do("git add src tests")
        stage.do("git commit")
        stage.do("git log --max-count=1 --format=%B")
        stage.title("A check: a message that breaks the rules is refused")
        stage.write(example.MIXED)
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
            rev = checkout.snapshot(source, self._hooks)
            stage.do(f"smartcommit init --repo {shlex.quote(self._hooks)} --rev {rev}")
        else:
            click.echo("There is no checkout here, so the hooks are those of this installation.")
            scripts = Path(sys.executable).parent.as_posix()
            stage.write({NAME: LOCAL_CONFIG.format(scripts=scripts)})
            stage.do("pre-commit install")
        stage.do(f"git add {NAME}")
        stage.do("git commit --message 'chore: install the commit hooks'")
