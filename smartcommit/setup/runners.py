"""Finds what runs our hooks in a repository, among all that git would run."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from smartcommit.errors import ConfigError
from smartcommit.git.repo import Repository
from smartcommit.setup.frameworks import find_program, list_origins
from smartcommit.setup.git_hooks import DIRECT, FRAMEWORKS, HUSKY, LEFTHOOK, OTHER, Entry, GitHooks, read_start
from smartcommit.setup.hook_scripts import MODULES, explain_damage
from smartcommit.setup.precommit_config import NAME, PREK_NAME, list_hooks, read_configurations

CONFIGURED = "git config"
_LEFTHOOK_NAMES = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml")
# How the call of a hook for all repositories is known, which does nothing where the repository's own runs ours.
_EVERYWHERE = "everywhere=True"


@dataclass(frozen=True, slots=True)
class Runner:
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
        if entry.idle is None or entry.blocked is not None:
            found += _interpret(hooks.repository, hook, entry)
    for runner in found:
        if runner.key is None and runner.problem is None and not runner.everywhere:
            return [other for other in found if not other.everywhere]
    return found


def find_idle(hooks: GitHooks, hook: str) -> Entry | None:
    """Return a hook of git's configuration that would run our hook `hook` if nothing kept it from that."""
    for entry in hooks.list_entries(hook):
        if entry.scope is not None and entry.idle is not None and _is_called(hook, entry.text):
            return entry
    return None


def find_configured(repository: Repository) -> dict[str, dict[str, bool]]:
    """Return our hooks in the configurations of pre-commit and prek, by the name of the file.

    Each id is given with whether the hook's stages let it run.

    Raise ConfigError if such a file is not valid.
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


def _interpret(repository: Repository, hook: str, entry: Entry) -> Iterator[Runner]:
    """Yield a runner if an entry runs our hook, with what is wrong with it."""
    if entry.scope is not None:
        yield from _read_configured(hook, entry)
        return
    runner = Runner(entry.name, entry.path)
    if entry.blocked is not None:
        problem = f"'{entry.blocked}' is not executable, so git ignores it"
        runner = Runner(entry.name, entry.blocked, problem, f"run 'chmod +x {shlex.quote(entry.blocked)}'")
    if entry.name == DIRECT:
        yield _check_installation(runner, entry.text)
    elif entry.name in FRAMEWORKS:
        if _is_configured(repository, hook, entry.name):
            gone = not shutil.which(find_program(entry.text, entry.name) or entry.name) and not shutil.which(entry.name)
            problem = f"{entry.name} is gone, so every commit fails"
            yield _add_problem(runner, problem if gone else None, f"install {entry.name} again")
    elif _is_called(hook, entry.text):
        name = entry.name if entry.name == HUSKY else OTHER
        yield _check_call(replace(runner, name=name), hook, f"'{entry.path}'", entry.text)
    elif entry.name == LEFTHOOK:
        for name in _LEFTHOOK_NAMES:
            path = os.path.join(repository.worktree, name)
            text = read_start(path) or ""
            if _is_called(hook, text):
                yield _check_call(replace(runner, path=path), hook, f"'{path}'", text)


def _read_configured(hook: str, entry: Entry) -> Iterator[Runner]:
    """Yield a runner if a hook of git's configuration runs ours."""
    key = f"hook.{entry.name}"
    runner = Runner(CONFIGURED, entry.path, key=key, scope=entry.scope)
    if MODULES[hook] in entry.text:
        yield _check_installation(runner, entry.text)
    elif _is_called(hook, entry.text):
        yield _check_call(runner, hook, f"{key}.command", entry.text)


def _is_configured(repository: Repository, hook: str, framework: str) -> bool:
    configured: dict[str, dict[str, bool]] = {}
    with suppress(ConfigError):
        configured = find_configured(repository)
    return configured.get(find_file(repository, framework), {}).get(hook, False)


def _check_installation(runner: Runner, text: str) -> Runner:
    """Return `runner`, whose `text` `smartcommit install` has written, with what is wrong with it."""
    runner = replace(runner, everywhere=_EVERYWHERE in text)
    return _add_problem(runner, explain_damage(text), "run 'smartcommit install' again")


def _check_call(runner: Runner, hook: str, place: str, text: str) -> Runner:
    """Return `runner` with what is wrong if `text`, which is in `place`, calls our command by its name alone."""
    command = f"smartcommit-{hook}"
    if f"/{command}" in text or command not in text or shutil.which(command):
        return runner
    return _add_problem(runner, f"{place} calls '{command}', which is not on PATH", "run 'pipx install .'")


def _add_problem(runner: Runner, problem: str | None, hint: str) -> Runner:
    if problem is None or runner.problem is not None:
        return runner
    return replace(runner, problem=problem, hint=hint)


def _is_called(hook: str, text: str) -> bool:
    calls = [f"smartcommit-{hook}", MODULES[hook]]
    if hook == "commit-msg":
        calls.append("smartcommit check")
    return any(call in text for call in calls)
