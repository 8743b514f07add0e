"""`smartcommit install`: our hooks in a repository; and `uninstall`, which undoes it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import escape, glob

import click

from smartcommit import state_files
from smartcommit.commands.doctor import report_briefly
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.setup.channels import CONFIG, FILES, PRE_COMMIT, Channels, hold_lock
from smartcommit.setup.hook_scripts import MODULES, USUAL
from smartcommit.setup.pre_commit import Origin, UnsupportedLayout
from smartcommit.terminal import format_error

_NEXT = """\
next: git commit               opens your editor on a draft of what is staged
      git smart-commit         splits a mixed change into commits
      git smart-commit undo    takes them back
"""


@click.command()
@click.option(
    "--hooks",
    "names",
    type=click.Choice(list(MODULES)),
    multiple=True,
    help="Hook to install; repeat it for several (default: prepare-commit-msg and commit-msg).",
)
@click.option("--pre-push", is_flag=True, help="Also check the messages of commits before they are pushed.")
@click.option(
    "--config", "channel", flag_value=CONFIG, help="Install them in git's configuration (git 2.54 and later)."
)
@click.option("--files", "channel", flag_value=FILES, help="Install them as files where git looks for hooks.")
@click.option("--pre-commit", "channel", flag_value=PRE_COMMIT, help="Install them by pre-commit or prek.")
@click.option("--repo", help="Repository from which pre-commit takes them (default: where this command came from).")
@click.option("--rev", help="Revision of that repository.")
def command(*, names: tuple[str, ...], pre_push: bool, channel: str | None, repo: str | None, rev: str | None) -> int:
    """Install the git hooks in this repository.

    Without an option, they are files in '.git/hooks', or, with git 2.54 and later, in git's configuration if the hooks
    of this repository are somebody else's; hooks that are there already run as before. Where they are installed in
    another way, that stays, or is replaced by the one that an option names.
    """
    if (repo is None) != (rev is None) or (repo is not None and channel != PRE_COMMIT):
        raise click.UsageError("--repo and --rev belong together, and to --pre-commit")
    chosen = list(names or USUAL)
    if pre_push and "pre-push" not in chosen:
        chosen.append("pre-push")
    repository = Repository.find()
    with hold_lock(repository.common_dir):
        channels = Channels(repository, Origin(repo, rev) if repo and rev else None)
        try:
            print_report(channels.install(channel, chosen))
        except UnsupportedLayout as error:
            click.echo(format_error(error), err=True)
            print_report(error.lines)
            return 1
    print_report(["undo: smartcommit uninstall"])
    report_briefly(repository)
    if channels.framework.list_installed():
        click.echo("the hooks' environment is built now, once, which can take two minutes")
        print_report(channels.framework.build_environment())
    click.echo(_NEXT, nl=False)
    return 0


@click.command()
def uninstall() -> None:
    """Remove what `smartcommit install` installed, and restore what was there before."""
    repository = Repository.find()
    with hold_lock(repository.common_dir):
        done = Channels(repository).uninstall()
        remaining = []
        # Linked worktrees have files of their own.
        for git_dir in [repository.common_dir, *glob(os.path.join(escape(repository.common_dir), "worktrees", "*"))]:
            remaining += state_files.remove_all(git_dir)
    print_report(done or ["nothing to do: 'smartcommit install' installed no hooks here"])
    print_report(remaining)


def print_report(lines: Iterable[str]) -> None:
    """Print what was done or refused, which may quote names of files and a program's output."""
    for line in lines:
        click.echo(printable(line, keep="\n"))
