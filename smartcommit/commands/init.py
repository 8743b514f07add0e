"""`smartcommit init`: the hooks in a repository's pre-commit configuration, and installed."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import click

from smartcommit.commands.doctor_findings import report_briefly
from smartcommit.commands.policy import offer_policy
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup import direct_hooks, frameworks, user_hooks
from smartcommit.setup.config_hooks import ConfigHooks
from smartcommit.setup.frameworks import RELEASE, Record, find_origin, list_origins
from smartcommit.setup.hook_stages import (
    count_runs,
    describe_repetition,
    explain_remedy,
    find_needed_stages,
    list_stageless,
    parse_file,
)
from smartcommit.setup.other_tools.yaml_data import as_list
from smartcommit.setup.precommit_config import (
    IDS,
    LOCAL,
    MESSAGE_TYPES,
    NAME,
    STAGES_KEY,
    TYPES_KEY,
    UnsupportedLayout,
    contents,
    extend,
    find_address,
    format_stages,
    is_blank,
    is_same_address,
    missing_types,
    parse,
    paste,
    paste_toml,
    shrink,
)
from smartcommit.setup.runners import PREK_TOML
from smartcommit.state_files import replace_file
from smartcommit.terminal import printable

# What pre-commit installs if a configuration lists no hook types.
DEFAULT_TYPES = ("pre-commit",)


@click.command()
@click.option("--repo", help="Repository to install the hooks from (default: where this command was installed from).")
@click.option("--rev", help=f"Revision of that repository (default: the installed one; with --repo {RELEASE} or HEAD).")
@click.option("--remove", is_flag=True, help="Remove the hooks and undo everything init changed.")
def command(repo: str | None, rev: str | None, remove: bool) -> int:
    """Install the hooks in this repository, through pre-commit or prek."""
    repository = Repository.find()
    try:
        if remove:
            with direct_hooks.hold_lock(repository):
                _remove(repository, repo)
            return 0
        source = _find_source(repository, repo, rev)
        with direct_hooks.hold_lock(repository):
            changed = _install(repository, *source)
        if changed:
            offer_policy(repository)
        report_briefly(repository)
    except UnsupportedLayout as error:
        hint = "remove the smartcommit lines by hand"
        if not remove:
            hint = "add these lines by hand, then run init again"
            _print_lines(repository, *source)
        raise ConfigError(f"cannot edit '{NAME}' safely: {error}", hint=hint) from error
    return 0


def _find_source(repository: Repository, repo: str | None, rev: str | None) -> tuple[str, str]:
    """Return the repository and the revision to install the hooks from: by default those of an entry that is there.

    Raise ConfigError if the configuration has our hooks from elsewhere, or if there is no revision.
    """
    there = _find_entry(repository, repo)
    if there == LOCAL:
        raise ConfigError(
            f"'{NAME}' runs these hooks as local hooks",
            hint="keep them, and run 'pre-commit install', or remove them first",
        )
    if there is None:
        origin, revision = find_origin()
        if repo is None:
            return origin, rev or revision
        return repo, rev or frameworks.find_revision(repo, repository.worktree)
    if repo is not None and not is_same_address(there, repo):
        raise ConfigError(
            f"'{NAME}' has these hooks from '{there}'",
            hint="change 'repo' and 'rev' of that entry by hand, or run "
            f"'smartcommit init --remove --repo {shlex.quote(there)}' first",
        )
    return there, rev or RELEASE


def _find_entry(repository: Repository, repo: str | None) -> str | None:
    """Return the address that the configuration takes our hooks from, None without our hooks.

    `repo` is where they may come from, too.
    """
    return find_address(parse(_read(repository) or ""), list_origins(repository, repo))


def _find_stages(repository: Repository, text: str, repo: str, framework: str) -> list[str]:
    """Return the `default_stages` that other hooks in the configuration `text` need, so that they run no more often."""
    data = parse(text)
    there = frameworks.list_installed(repository, framework)
    record = Record.load(repository)
    if record is not None:
        # What an earlier run has installed is not where the hooks ran before.
        there = _without(there, record.installed)
    return find_needed_stages(data, list_origins(repository, repo), added=missing_types(data, repo), installed=there)


def _print_lines(repository: Repository, repo: str, rev: str) -> None:
    """Print the lines to add to a configuration that cannot be edited, and say what happens without one of them."""
    text = _read(repository) or ""
    data = parse(text)
    types = [*as_list(data.get(TYPES_KEY)), *missing_types(data, repo)]
    stages = _find_stages(repository, text, repo, frameworks.find_framework(repository).name)
    click.echo(printable(paste(repo, rev, [str(name) for name in types], stages), keep="\n"), nl=False)
    if stages:
        _warn_of_repetition(data, list_origins(repository, repo), types)


def _warn_of_repetition(data: dict[str, Any], origins: Sequence[str], types: Sequence[str]) -> None:
    """Say on standard error which hooks run how often where `default_stages` are not set."""
    hooks = list_stageless(data, origins)
    click.echo(printable(f"without '{STAGES_KEY}', {describe_repetition(hooks, count_runs(types))}"), err=True)


def _install(repository: Repository, repo: str, rev: str) -> bool:
    """Add and install the hooks; return whether there was something to do."""
    frameworks.refuse_hooks_path(repository, user_hooks.find_folder())
    _refuse_direct_hooks(repository)
    _refuse_prek_toml(repository, repo, rev)
    before = _read(repository)
    _, listed = contents(before or "", repo)
    framework = _find_framework(repository)
    if not is_blank(before or ""):
        framework.validate(repository)
    stages = _find_stages(repository, before or "", repo, framework.name)
    after = extend(before or "", repo, rev, stages)
    hooks, types = contents(after, repo)
    missing = _without(types or DEFAULT_TYPES, frameworks.list_installed(repository, framework.name))
    if after == before and not missing:
        _print(f"nothing to do: {', '.join(hooks)} already configured in '{NAME}' and installed")
        return False
    added = _without(types or (), listed or ())
    record = Record(repo=repo, before=before, after=after, types=added, installed=missing, stages=stages)
    _save_record(repository, record)
    if after != before:
        _write(repository, after)
        _print(f"{'created' if before is None else 'updated'} '{NAME}': {', '.join(hooks)}")
    if stages:
        _print(f"set '{format_stages(stages)}': hooks without stages would also run at the other hook types")
    if absent := _without(IDS, hooks):
        _print(f"your entry does not list {' or '.join(absent)}; add the id to enable the hook")
    for line in framework.install(repository):
        _print(line)
    if framework.bundled:
        _print(f"no pre-commit or prek on PATH: the git hooks run the pre-commit of {sys.executable}")
    if after != before:
        _explain_sharing(repo, framework)
    _print("undo: smartcommit init --remove")
    return True


def _explain_sharing(repo: str, framework: frameworks.Framework) -> None:
    """Say what remains to be done for a changed configuration, here and for others."""
    _print(f"next: git add {NAME}  ({framework.name} does not run while this file has unstaged changes)")
    if os.path.isabs(repo):
        _print(
            f"the hooks come from '{repo}', which others cannot reach; to share them, run 'smartcommit init --remove', "
            "then 'smartcommit init --repo ADDRESS'"
        )


def _find_framework(repository: Repository) -> frameworks.Framework:
    framework = frameworks.find_framework(repository)
    return frameworks.set_apart(framework, repository, user_hooks.find_folder())


def _without(names: Iterable[str], dropped: Collection[str]) -> list[str]:
    return [name for name in names if name not in dropped]


def _save_record(repository: Repository, record: Record) -> None:
    """Save what will be changed, together with what earlier runs changed."""
    old = Record.load(repository)
    if old is not None:
        record.types += _without(old.types, record.types)
        record.installed += _without(old.installed, record.installed)
        record.stages = record.stages or old.stages
        if record.before == old.after:
            record.before = old.before
    record.save(repository)


def _refuse_direct_hooks(repository: Repository) -> None:
    """Raise SmartcommitError if `smartcommit install` was run here: pre-commit would run those hooks, too."""
    if ConfigHooks(repository).list_installed() or direct_hooks.find_installed_hooks(repository).list_installed():
        raise SmartcommitError(
            "'smartcommit install' has installed these hooks here",
            hint="keep them, or run 'smartcommit uninstall' first",
        )


def _refuse_prek_toml(repository: Repository, repo: str, rev: str) -> None:
    """Print the lines to add and raise ConfigError if there is a `prek.toml`, which prek reads instead."""
    if os.path.lexists(os.path.join(repository.worktree, PREK_TOML)):
        click.echo(printable(paste_toml(repo, rev), keep="\n"), nl=False)
        types = " ".join(f"--hook-type {name}" for name in MESSAGE_TYPES)
        hint = f"add these lines to it, then run 'prek install {types}'"
        data = parse_file(os.path.join(repository.worktree, PREK_TOML))
        origins, there = list_origins(repository, repo), frameworks.list_installed(repository, "prek")
        runs = count_runs({*DEFAULT_TYPES, *MESSAGE_TYPES, *there})
        if hooks := list_stageless(data, origins):
            hint += f"; {explain_remedy(data, origins, there, PREK_TOML)}, or {describe_repetition(hooks, runs)}"
        raise ConfigError(f"prek reads '{PREK_TOML}' here, and init edits '{NAME}' only", hint=hint)


def _remove(repository: Repository, repo: str | None) -> None:
    """Undo what `_install` did; `repo` is where the hooks come from if there is no record."""
    before, record = _read(repository), Record.load(repository)
    if record is not None:
        repo = record.repo
    repo = repo or _find_entry(repository, None) or find_origin()[0]
    hooks, types = contents(before or "", repo)
    if not hooks and record is None:
        _print(f"nothing to do: no smartcommit hooks in '{NAME}'")
        return
    framework = _find_framework(repository)
    after = _restore(before, repo, record)
    if after != before:
        _write(repository, after)
        _print(f"removed '{NAME}'" if after is None else f"removed the smartcommit hooks from '{NAME}'")
    if record is not None:
        types = record.installed
    elif after is not None:
        types = None
        kept = f"'{TYPES_KEY}'"
        if STAGES_KEY in parse(after):
            kept += f", '{STAGES_KEY}'"
        _print(f"kept {kept} and the installed git hooks: no record of who added them")
    there = frameworks.list_installed(repository, framework.name)
    if unneeded := [name for name in types or () if name in there]:
        for line in framework.uninstall(repository, unneeded):
            _print(line)
    Record.forget(repository)


def _restore(text: str | None, repo: str, record: Record | None) -> str | None:
    """Return the configuration `text` without what init added, or as it was before if it has not changed since."""
    types: Sequence[str] = ()
    stages: Sequence[str] = ()
    if record is not None and text == record.after:
        text = record.before
    elif record is not None:
        types, stages = record.types, record.stages
    if text is None or not contents(text, repo)[0]:
        return text
    return shrink(text, repo, types, stages)


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
