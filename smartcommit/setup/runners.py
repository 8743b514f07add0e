"""Finds what runs our hooks in a repository, among all that git would run."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import NamedTuple

from smartcommit.errors import ConfigError
from smartcommit.git.repo import Repository
from smartcommit.setup.frameworks import find_program, list_origins
from smartcommit.setup.git_hooks import DIRECT, FRAMEWORKS, HUSKY, LEFTHOOK, OTHER, Entry, GitHooks, read_start
from smartcommit.setup.hook_scripts import MODULES, explain_damage
from smartcommit.setup.precommit_config import NAME, PREK_NAME, list_hooks, read_configurations

CONFIGURED = "git config"
_LEFTHOOK_NAMES = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml")


class Runner(NamedTuple):
    """What runs one of our hooks: its name, the file that names our hook, and why that does not work, with a hint.

    For a hook of git's configuration, `key` is its name there, such as `hook.x`, and `scope` is where it is set; the
    file is empty if that is an option or a variable. `everywhere` is set for one of `smartcommit install --global`.
    """

    name: str
    path: str
    problem: str | None = None
    hint: str | None = None
    key: str | None = None
    scope: str | None = None
    everywhere: bool = False


def find_runners(hooks: GitHooks, hook: str) -> list[Runner]:
    """Return what runs our hook `hook`, a name of MODULES, when git runs its hook of that name."""
    found: list[Runner] = []
    for entry in hooks.list_entries(hook):
        runner = _interpret(hooks.repository, hook, entry)
        if runner is not None and (entry.idle is None or entry.blocked is not None):
            found.append(runner)
    # A hook of all repositories does nothing where the repository's own runs ours.
    if any(runner.key is None and runner.problem is None for runner in found):
        return [runner for runner in found if not runner.everywhere]
    return found


def find_idle(hooks: GitHooks, hook: str) -> Entry | None:
    """Return a hook of git's configuration that would run our hook `hook` if nothing kept it from that."""
    for entry in hooks.list_entries(hook):
        if entry.scope is not None and entry.idle is not None and _is_called(hook, entry.text):
            return entry
    return None


def find_configured(repository: Repository) -> dict[str, dict[str, bool]]:
    """Return our hooks in the configurations of pre-commit and prek, by the name of the file.

    Each id is given with whether the hook's stages let it run. Raise ConfigError if such a file is not valid.
    """
    origins = list_origins(repository)
    found = {}
    for name, configuration in read_configurations(repository.worktree).items():
        found[name] = list_hooks(configuration, origins)
    return {name: ids for name, ids in found.items() if ids}


def find_file(repository: Repository, framework: str) -> str:
    """Return the name of the configuration that pre-commit or prek reads, whether or not it is there."""
    if framework == "prek" and os.path.lexists(os.path.join(repository.worktree, PREK_NAME)):
        return PREK_NAME
    return NAME


def _interpret(repository: Repository, hook: str, entry: Entry) -> Runner | None:
    """Return the runner if an entry runs our hook, with what is wrong with it."""
    if entry.name == DIRECT or (entry.scope is not None and MODULES[hook] in entry.text):
        runner = _make(entry, explain_damage(entry.text), "run 'smartcommit install' again")
    elif entry.name not in FRAMEWORKS or entry.scope is not None:
        found = _read_call(repository, hook, entry)
        if found is None:
            return None
        runner = found
    elif _is_configured(repository, hook, entry.name):
        gone = not shutil.which(find_program(entry.text, entry.name) or entry.name) and not shutil.which(entry.name)
        problem = f"{entry.name} is gone, so every commit fails" if gone else None
        runner = _make(entry, problem, f"install {entry.name} again")
    else:
        return None
    if entry.blocked is not None:
        runner = _make(
            entry._replace(name=runner.name, path=entry.blocked),
            f"'{entry.blocked}' is not executable, so git ignores it",
            f"run 'chmod +x {shlex.quote(entry.blocked)}'",
        )
    if entry.scope is not None:
        everywhere = "everywhere=True" in entry.text
        return runner._replace(name=CONFIGURED, key=f"hook.{entry.name}", scope=entry.scope, everywhere=everywhere)
    return runner


def _read_call(repository: Repository, hook: str, entry: Entry) -> Runner | None:
    """Return the runner if an entry, or the configuration of lefthook for it, calls our command."""
    path, text = entry.path, entry.text
    if entry.name == LEFTHOOK and not _is_called(hook, text):
        paths = [os.path.join(repository.worktree, name) for name in _LEFTHOOK_NAMES]
        path = next((each for each in paths if _is_called(hook, read_start(each) or "")), path)
        text = read_start(path) or ""
    elif entry.name != HUSKY:
        entry = entry._replace(name=OTHER)
    if not _is_called(hook, text):
        return None
    command, place = f"smartcommit-{hook}", f"'{path}'"
    if entry.scope is not None:
        place = "its command in git's configuration"
    missing = command in text and f"/{command}" not in text and not shutil.which(command)
    problem = f"{place} calls '{command}', which is not on PATH" if missing else None
    return _make(entry._replace(path=path), problem, "run 'pipx install .'")


def _make(entry: Entry, problem: str | None, hint: str) -> Runner:
    return Runner(entry.name, entry.path, problem, hint if problem else None)


def _is_configured(repository: Repository, hook: str, framework: str) -> bool:
    try:
        return find_configured(repository).get(find_file(repository, framework), {}).get(hook, False)
    except ConfigError:
        return False


def _is_called(hook: str, text: str) -> bool:
    called = f"smartcommit-{hook}" in text or MODULES[hook] in text
    return called or (hook == "commit-msg" and "smartcommit check" in text)
