"""`smartcommit init`: the hooks in a repository's pre-commit configuration, and installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence

import click

from smartcommit.commands.doctor_findings import report_briefly
from smartcommit.commands.policy import offer_policy
from smartcommit.errors import ConfigError, SmartcommitError, describe_error
from smartcommit.git.repo import Repository
from smartcommit.setup import direct_hooks, install
from smartcommit.setup.install import RELEASE, Record, find_origin
from smartcommit.setup.installed_hooks import PREK_TOML
from smartcommit.setup.precommit_config import (
    IDS,
    MESSAGE_TYPES,
    NAME,
    TYPES_KEY,
    UnsupportedLayout,
    contents,
    extend,
    is_blank,
    paste,
    paste_toml,
    shrink,
)
from smartcommit.state_files import replace_file
from smartcommit.terminal import printable

# What pre-commit installs if a configuration lists no hook types.
DEFAULT_TYPES = ("pre-commit",)


@click.command()
@click.option("--repo", help="Repository to install the hooks from (default: where this command was installed from).")
@click.option("--rev", help=f"Revision of that repository (default: the installed one, or {RELEASE}).")
@click.option("--remove", is_flag=True, help="Remove the hooks and undo everything init changed.")
def command(repo: str | None, rev: str | None, remove: bool) -> int:
    """Install the hooks in this repository, through pre-commit or prek."""
    repository = Repository.find()
    revision = RELEASE
    if not repo:
        repo, revision = find_origin()
    rev = rev or revision
    try:
        with direct_hooks.hold_lock(repository):
            changed = _remove(repository, repo) if remove else _install(repository, repo, rev)
        if not remove:
            if changed:
                offer_policy(repository)
            report_briefly(repository)
    except UnsupportedLayout as error:
        hint = "remove the smartcommit lines by hand"
        if not remove:
            hint = "add these lines by hand, then run init again"
            click.echo(printable(paste(repo, rev), keep="\n"), nl=False)
        raise ConfigError(f"cannot edit '{NAME}' safely: {error}", hint=hint) from error
    except OSError as error:
        raise SmartcommitError(describe_error(error)) from error
    return 0


def _install(repository: Repository, repo: str, rev: str) -> bool:
    """Add and install the hooks; return whether there was something to do."""
    install.refuse_hooks_path(repository)
    _refuse_direct_hooks(repository)
    _refuse_prek_toml(repository, repo, rev)
    before = _read(repository)
    _, listed = contents(before or "", repo)
    framework = install.find_framework(repository)
    if not is_blank(before or ""):
        framework.validate(repository)
    after = extend(before or "", repo, rev)
    hooks, types = contents(after, repo)
    missing = _without(types or DEFAULT_TYPES, install.installed(repository, framework.name))
    if after == before and not missing:
        _print(f"nothing to do: {', '.join(hooks)} already configured in '{NAME}' and installed")
        return False
    added = _without(types or (), listed or ())
    _save_record(repository, Record(repo=repo, before=before, after=after, types=added, installed=missing))
    if after != before:
        _write(repository, after)
        _print(f"{'created' if before is None else 'updated'} '{NAME}': {', '.join(hooks)}")
    if absent := _without(IDS, hooks):
        _print(f"your entry does not list {' or '.join(absent)}; add the id to enable the hook")
    for line in framework.install(repository):
        _print(line)
    if framework.bundled:
        _print(f"no pre-commit or prek on PATH: the git hooks run the pre-commit of {sys.executable}")
    if after != before:
        _print(f"next: git add {NAME}  ({framework.name} does not run while this file has unstaged changes)")
        if os.path.isabs(repo):
            _print(
                f"the hooks come from the local directory '{repo}'; to share them, run init with --repo and a "
                "location others can reach"
            )
    _print("undo: smartcommit init --remove")
    return True


def _without(names: Iterable[str], dropped: Collection[str]) -> list[str]:
    return [name for name in names if name not in dropped]


def _save_record(repository: Repository, record: Record) -> None:
    """Save what will be changed, together with what earlier runs changed."""
    old = Record.load(repository)
    if old is not None:
        record.types += _without(old.types, record.types)
        record.installed += _without(old.installed, record.installed)
        if record.before == old.after:
            record.before = old.before
    record.save(repository)


def _refuse_direct_hooks(repository: Repository) -> None:
    """Raise SmartcommitError if `smartcommit install` was run here: pre-commit would run those hooks, too."""
    if direct_hooks.find_installed_hooks(repository).list_installed():
        raise SmartcommitError(
            "'smartcommit install' has installed these hooks here",
            hint="keep them, or run 'smartcommit uninstall' first",
        )


def _refuse_prek_toml(repository: Repository, repo: str, rev: str) -> None:
    """Print the lines to add and raise ConfigError if there is a `prek.toml`, which prek reads instead."""
    if os.path.lexists(os.path.join(repository.worktree, PREK_TOML)):
        click.echo(printable(paste_toml(repo, rev), keep="\n"), nl=False)
        types = " ".join(f"--hook-type {name}" for name in MESSAGE_TYPES)
        raise ConfigError(
            f"prek reads '{PREK_TOML}' here, and init edits '{NAME}' only",
            hint=f"add these lines to it, then run 'prek install {types}'",
        )


def _remove(repository: Repository, repo: str) -> bool:
    """Undo what `_install` did; return whether there was something to do."""
    before, record = _read(repository), Record.load(repository)
    if record is not None:
        repo = record.repo
    hooks, types = contents(before or "", repo)
    if not hooks and record is None:
        _print(f"nothing to do: no smartcommit hooks in '{NAME}'")
        return False
    framework = install.find_framework(repository)
    after = _restore(before, repo, record)
    if after != before:
        _write(repository, after)
        _print(f"removed '{NAME}'" if after is None else f"removed the smartcommit hooks from '{NAME}'")
    if record is not None:
        types = record.installed
    elif after is not None:
        types = None
        _print(f"kept '{TYPES_KEY}' and the installed git hooks: no record of who added them")
    there = install.installed(repository, framework.name)
    if unneeded := [name for name in types or () if name in there]:
        for line in framework.uninstall(repository, unneeded):
            _print(line)
    Record.forget(repository)
    return True


def _restore(text: str | None, repo: str, record: Record | None) -> str | None:
    """Return the configuration `text` without what init added, or as it was before if it has not changed since."""
    types: Sequence[str] = ()
    if record is not None and text == record.after:
        text = record.before
    elif record is not None:
        types = record.types
    if text is None or not contents(text, repo)[0]:
        return text
    return shrink(text, repo, types)


def _path(repository: Repository) -> str:
    """Return the configuration's path; raise ConfigError if it is a symlink out of the repository."""
    path = os.path.join(repository.worktree, NAME)
    top = os.path.realpath(repository.worktree)
    if os.path.commonpath((top, os.path.realpath(path))) != top:
        raise ConfigError(f"'{NAME}' is a symlink to a file outside this repository", hint="edit that file by hand")
    return path


def _read(repository: Repository) -> str | None:
    """Return the configuration, None if there is none; raise ConfigError unless it is a file in UTF-8."""
    path = _path(repository)
    if not os.path.lexists(path):
        return None
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConfigError(f"'{NAME}' is not a file", hint="remove or rename it")
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"'{NAME}' is not valid UTF-8") from error


def _write(repository: Repository, text: str | None) -> None:
    path = _path(repository)
    if text is None:
        os.unlink(path)
    else:
        replace_file(path, text.encode())


def _print(line: str) -> None:
    click.echo(printable(line))
