"""Finds what runs our hooks in a repository, by reading what git would run."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from smartcommit.errors import ConfigError
from smartcommit.git.repo import Repository
from smartcommit.setup.frameworks import find_program, list_origins
from smartcommit.setup.git_hooks import (
    DIRECT,
    FRAMEWORKS,
    HUSKY,
    LEFTHOOK,
    OTHER,
    Entry,
    GitHooks,
    list_files,
    read_start,
)
from smartcommit.setup.hook_scripts import MODULES, find_assigned
from smartcommit.setup.other_tools.yaml_data import as_list
from smartcommit.setup.precommit_config import NAME, list_hooks

CONFIGURED = "git config"
# prek's own configuration file, which it reads instead of pre-commit's.
PREK_TOML = "prek.toml"
_LEFTHOOK_NAMES = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml")
# How a shell quotes an apostrophe within apostrophes.
_QUOTE = shlex.quote("'")[1:-1]
# How the call of a hook for all repositories is known, which does nothing where the repository's own runs ours.
_EVERYWHERE = "everywhere=True"
_REPEAT = "run 'smartcommit install' again, with the options that you gave it"
# Where an installed hook has the paths of its installation.
_PATHS = re.compile(r"sys\.path \+= (\[.*?\])(?:; from |\n)")


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


def find_runners(repository: Repository, hook: str, hooks: GitHooks | None = None) -> list[Runner]:
    """Return what runs our hook `hook`, a name of MODULES, when git runs its hook of that name.

    `hooks` are those of the repository, if they have been read.
    """
    hooks = hooks or GitHooks(repository)
    found = _find_in(repository, hook, hooks.list_entries(hook))
    for runner in found:
        if runner.key is None and runner.problem is None and not runner.everywhere:
            return [other for other in found if not other.everywhere]
    return found


def list_idle(hooks: GitHooks, hook: str) -> list[Entry]:
    """Return the hooks of git's configuration that would run our hook `hook`, and that something keeps from it."""
    found = []
    for entry in hooks.list_entries(hook):
        if entry.scope is not None and entry.idle is not None and _is_called(hook, entry.text):
            found.append(entry)
    return found


def find_file_runners(repository: Repository, hook: str, directory: str) -> list[Runner]:
    """Return what would run our hook `hook` if git looked for hooks in `directory`."""
    return _find_in(repository, hook, list_files(repository, hook, directory))


def _find_in(repository: Repository, hook: str, entries: Iterable[Entry]) -> list[Runner]:
    found: list[Runner] = []
    for entry in entries:
        if entry.scope is not None:
            found += _read_configured(hook, entry)
        else:
            found += _read_file(repository, hook, entry)
    return found


def find_configured(repository: Repository) -> dict[str, dict[str, bool]]:
    """Return our hooks in the configurations of pre-commit and prek, by the name of the file.

    Each id is given with whether the hook's stages let it run.

    Raise ConfigError if such a file is not valid.
    """
    found = {}
    text = read_start(os.path.join(repository.worktree, NAME))
    if text:
        found[NAME] = list_hooks(text, list_origins(repository))
    text = read_start(os.path.join(repository.worktree, PREK_TOML))
    if text:
        try:
            found[PREK_TOML] = list_hooks(tomllib.loads(text), list_origins(repository))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ConfigError(f"'{PREK_TOML}' is not valid TOML: {error}") from error
    return {name: ids for name, ids in found.items() if ids}


def find_file(repository: Repository, framework: str) -> str:
    """Return the name of the configuration that pre-commit or prek reads, whether or not it is there."""
    if framework == "prek" and os.path.lexists(os.path.join(repository.worktree, PREK_TOML)):
        return PREK_TOML
    return NAME


def _read_configured(hook: str, entry: Entry) -> Iterator[Runner]:
    """Yield a runner if a hook of git's configuration runs ours, and nothing keeps git from running it."""
    if entry.idle is not None:
        return
    runner = Runner(CONFIGURED, entry.path, key=f"hook.{entry.name}", scope=entry.scope)
    if MODULES[hook] in entry.text:
        yield _check_installation(runner, entry.text)
    elif _is_called(hook, entry.text):
        yield _check_call(runner, hook, f"{runner.key}.command", entry.text)


def _read_file(repository: Repository, hook: str, entry: Entry) -> Iterator[Runner]:
    """Yield a runner for each way in which a file that git runs, or would run, runs our hook."""
    for runner in _interpret(repository, hook, entry):
        if entry.blocked is None:
            yield runner
            continue
        problem = f"'{entry.blocked}' is not executable, so git ignores it"
        yield Runner(runner.name, entry.blocked, problem, f"run 'chmod +x {shlex.quote(entry.blocked)}'")


def _interpret(repository: Repository, hook: str, entry: Entry) -> Iterator[Runner]:
    if entry.name == DIRECT:
        yield _check_installation(Runner(DIRECT, entry.path), entry.text)
    elif entry.name in FRAMEWORKS:
        yield from _read_framework(repository, hook, entry)
    elif _is_called(hook, entry.text):
        name = OTHER
        if entry.name == HUSKY:
            name = HUSKY
        yield _check_call(Runner(name, entry.path), hook, f"'{entry.path}'", entry.text)
    elif entry.name == LEFTHOOK:
        for name in _LEFTHOOK_NAMES:
            configuration = os.path.join(repository.worktree, name)
            text = read_start(configuration) or ""
            if _is_called(hook, text):
                yield _check_call(Runner(LEFTHOOK, configuration), hook, f"'{configuration}'", text)


def _read_framework(repository: Repository, hook: str, entry: Entry) -> Iterator[Runner]:
    name = entry.name
    configured: dict[str, dict[str, bool]] = {}
    with suppress(ConfigError):
        configured = find_configured(repository)
    if not configured.get(find_file(repository, name), {}).get(hook):
        return
    program = find_program(entry.text, name)
    if shutil.which(program or name) or shutil.which(name):
        yield Runner(name, entry.path)
    else:
        yield Runner(name, entry.path, f"{name} is gone, so every commit fails", f"install {name} again")


def _check_installation(runner: Runner, text: str) -> Runner:
    """Return `runner`, whose `text` `smartcommit install` has written, with what is wrong with it."""
    runner = replace(runner, everywhere=_EVERYWHERE in text)
    problem = _find_missing(text)
    if problem is None:
        return runner
    return replace(runner, problem=problem, hint=_REPEAT)


def _check_call(runner: Runner, hook: str, place: str, text: str) -> Runner:
    """Return `runner` with what is wrong if `text`, which is in `place`, calls our command by its name alone."""
    command = f"smartcommit-{hook}"
    if f"/{command}" in text or command not in text or shutil.which(command):
        return runner
    return replace(runner, problem=f"{place} calls '{command}', which is not on PATH", hint="run 'pipx install .'")


def _is_called(hook: str, text: str) -> bool:
    calls = [f"smartcommit-{hook}", MODULES[hook]]
    if hook == "commit-msg":
        calls.append("smartcommit check")
    return any(call in text for call in calls)


def _find_missing(text: str) -> str | None:
    """Return what a hook of `smartcommit install` needs and does not find, None if all is there."""
    python = find_assigned(text, "python") or ""
    if not os.access(python, os.X_OK):
        return f"'{python}', which runs the hook, is gone"
    listed = _PATHS.search(text.replace(_QUOTE, "'"))
    paths: object = None
    if listed is not None:
        with suppress(ValueError, SyntaxError):
            paths = ast.literal_eval(listed[1])
    for path in as_list(paths):
        if os.path.isdir(os.path.join(str(path), "smartcommit")):
            return None
    return "smartcommit is no longer where the hook looks for it"
