"""`smartcommit init`: the hooks in a repository's pre-commit configuration, and installed."""

from __future__ import annotations

import os
import sys

import click

from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup import install
from smartcommit.setup.install import RELEASE, Framework, Record, find_origin
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

# prek's own configuration file, which it reads instead of pre-commit's.
PREK_TOML = "prek.toml"
# What pre-commit installs where a configuration lists no hook types.
DEFAULT_TYPES = ("pre-commit",)


@click.command()
@click.option("--repo", help="Where pre-commit gets the hooks from (default: where this command was installed from).")
@click.option("--rev", help=f"Which revision of them (default: the installed one, or {RELEASE}).")
@click.option("--remove", is_flag=True, help="Undo what init did.")
def command(repo: str | None, rev: str | None, remove: bool) -> int:
    """Install the hooks in this repository, through pre-commit or prek."""
    repository = Repository.find()
    place, revision = (repo, RELEASE) if repo else find_origin()
    repo, rev = place, rev or revision
    try:
        if remove:
            _remove(repository, repo)
        else:
            _install(repository, repo, rev)
    except UnsupportedLayout as error:
        hint = "take our lines out of it by hand" if remove else "put these lines into it by hand, then run init again"
        if not remove:
            click.echo(printable(paste(repo, rev), keep="\n"), nl=False)
        raise ConfigError(f"'{NAME}' cannot be changed safely: {error}", hint=hint) from error
    except OSError as error:
        raise SmartcommitError(f"'{error.filename}': {(error.strerror or str(error)).lower()}") from error
    return 0


def _install(repository: Repository, repo: str, rev: str) -> None:
    install.refuse_hooks_path(repository)
    _refuse_prek_toml(repository, repo, rev)
    before = _read(repository)
    _, listed = contents(before or "", repo)
    found = install.find_framework(repository)
    if not is_blank(before or ""):
        found.validate(repository)
    after = extend(before or "", repo, rev)
    hooks, types = contents(after, repo)
    there = install.installed(repository, found.name)
    missing = [name for name in types or DEFAULT_TYPES if name not in there]
    if after == before and not missing:
        _say(f"nothing to do: {', '.join(hooks)} are configured in '{NAME}' and installed")
        return
    added = [name for name in types or () if name not in (listed or ())]
    _record(repository, Record(repo=repo, before=before, after=after, types=added, installed=missing))
    if after != before:
        _write(repository, after)
        _say(f"{'created' if before is None else 'extended'} '{NAME}': {', '.join(hooks)}")
    if absent := [name for name in IDS if name not in hooks]:
        _say(f"your entry has no {' and no '.join(absent)}; add the id where you want the hook")
    _install_hooks(repository, found)
    if after != before:
        _say(f"next: git add {NAME}  ({found.name} refuses to run while it is changed and not staged)")
        if os.path.isabs(repo):
            _say(
                f"the hooks come from the folder '{repo}': name a place that others reach with --repo, if they need it"
            )
    _say("undo: smartcommit init --remove")


def _record(repository: Repository, record: Record) -> None:
    """Keep what is about to be done, together with what earlier runs did."""
    old = Record.load(repository)
    if old is not None:
        record.types += [name for name in old.types if name not in record.types]
        record.installed += [name for name in old.installed if name not in record.installed]
        if record.before == old.after:
            record.before = old.before
    record.save(repository)


def _refuse_prek_toml(repository: Repository, repo: str, rev: str) -> None:
    """Print the lines to add where prek would not read the file that init writes.

    Raises: ConfigError when there is a `prek.toml`.
    """
    if os.path.lexists(os.path.join(repository.worktree, PREK_TOML)):
        click.echo(printable(paste_toml(repo, rev), keep="\n"), nl=False)
        types = " ".join(f"--hook-type {name}" for name in MESSAGE_TYPES)
        raise ConfigError(
            f"prek reads '{PREK_TOML}' here, and init edits '{NAME}' only",
            hint=f"add these lines to it, then run 'prek install {types}'",
        )


def _install_hooks(repository: Repository, found: Framework) -> None:
    for line in found.install(repository):
        _say(line)
    if found.bundled:
        _say(f"no pre-commit or prek on PATH: the git hooks run the pre-commit of {sys.executable}")


def _remove(repository: Repository, repo: str) -> None:
    before, record = _read(repository), Record.load(repository)
    if record is not None:
        repo = record.repo
    hooks, types = contents(before or "", repo)
    if not hooks and record is None:
        _say(f"nothing to do: '{NAME}' has no hooks of ours")
        return
    found = install.find_framework(repository)
    after = _without(before, repo, record)
    if after != before:
        _write(repository, after)
        _say(f"removed '{NAME}'" if after is None else f"took our hooks out of '{NAME}'")
    if record is not None:
        types = record.installed
    elif after is not None:
        types = None
        _say(f"kept '{TYPES_KEY}' and the git hooks: who added them is not recorded here")
    there = install.installed(repository, found.name)
    if unneeded := [name for name in types or () if name in there]:
        for line in found.uninstall(repository, unneeded):
            _say(line)
    Record.forget(repository)


def _without(text: str | None, repo: str, record: Record | None) -> str | None:
    """The configuration `text` without what init added: as it was before, where nobody has changed it since."""
    types = record.types if record is not None else ()
    if record is not None and text == record.after:
        text, types = record.before, ()
    if text is None or not contents(text, repo)[0]:
        return text
    return shrink(text, repo, types)


def _path(repository: Repository) -> str:
    """The configuration's path.

    Raises: ConfigError when it is a link that leads out of the repository, to a file that others may use too.
    """
    path = os.path.join(repository.worktree, NAME)
    top = os.path.realpath(repository.worktree)
    if os.path.commonpath((top, os.path.realpath(path))) != top:
        raise ConfigError(f"'{NAME}' is a link to a file outside this repository", hint="change that file by hand")
    return path


def _read(repository: Repository) -> str | None:
    """The configuration, None where there is none.

    Raises: ConfigError when it is not a file in UTF-8; OSError when it cannot be read.
    """
    path = _path(repository)
    if not os.path.lexists(path):
        return None
    if os.path.exists(path) and not os.path.isfile(path):
        raise ConfigError(f"'{NAME}' is not a file", hint="remove it, or move it away")
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"'{NAME}' is not in UTF-8") from error


def _write(repository: Repository, text: str | None) -> None:
    path = _path(repository)
    if text is None:
        os.unlink(path)
    else:
        replace_file(path, text.encode())


def _say(line: str) -> None:
    click.echo(printable(line))
