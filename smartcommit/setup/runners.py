"""Finds what runs our hooks in a repository, among all that git would run."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import NamedTuple

from smartcommit.errors import ConfigError
from smartcommit.files import read_content
from smartcommit.git.repo import Repository
from smartcommit.setup.git_hooks import DIRECT, FRAMEWORKS, HUSKY, LEFTHOOK, OTHER, GitHooks, HookEntry, find_lefthook
from smartcommit.setup.hook_scripts import MODULES, find_python, is_unedited
from smartcommit.setup.pieces import read_start
from smartcommit.setup.pre_commit import NAME, PREK_NAME, list_hooks, read_configurations

CONFIGURED = "git config"


class Runner(NamedTuple):
    """What runs one of our hooks: its name, the file that names our hook, and why that does not work, with a hint.

    For a hook of git's configuration, `key` is its name there, such as `hook.x`, and `scope` is where it is set; the
    file is empty if that is an option or a variable.
    """

    name: str
    path: str
    problem: str | None = None
    hint: str | None = None
    key: str | None = None
    scope: str | None = None


def find_runners(hooks: GitHooks, hook: str) -> list[Runner]:
    """Return what runs our hook `hook`, a name of MODULES, when git runs its hook of that name."""
    runners: list[Runner] = []
    for entry in hooks.list_entries(hook):
        runner = _interpret(hooks.repository, hook, entry)
        if runner is not None and (entry.idle is None or entry.blocked is not None):
            runners.append(runner)
    return runners


def _interpret(repository: Repository, hook: str, entry: HookEntry) -> Runner | None:
    runner = Runner(entry.name, entry.path)
    if entry.name == DIRECT or (entry.scope is not None and MODULES[hook] in entry.text):
        python = find_python(entry.text)
        if not os.access(python, os.X_OK):
            problem = f"'{python}', which runs the hook, is gone"
            runner = runner._replace(problem=problem, hint="run 'smartcommit install' again")
        elif entry.name == DIRECT and not is_unedited(read_content(entry.path)):
            problem = f"'{entry.path}' is not as smartcommit wrote it"
            hint = "run 'smartcommit install', which writes it anew and keeps this one beside it"
            runner = runner._replace(problem=problem, hint=hint)
    elif entry.name in FRAMEWORKS and entry.scope is None:
        if not _is_configured(repository, hook, entry.name):
            return None
    else:
        called = _read_call(repository, hook, entry)
        if called is None:
            return None
        runner = called
    if entry.blocked is not None:
        problem = f"'{entry.blocked}' is not executable, so git ignores it"
        runner = Runner(runner.name, entry.blocked, problem, f"run 'chmod +x {shlex.quote(entry.blocked)}'")
    if entry.scope is not None:
        return runner._replace(name=CONFIGURED, key=f"hook.{entry.name}", scope=entry.scope)
    return runner


def _read_call(repository: Repository, hook: str, entry: HookEntry) -> Runner | None:
    """Return the runner if an entry, or the configuration of lefthook for it, calls our command."""
    name, path, text = OTHER, entry.path, entry.text
    if entry.name in (HUSKY, LEFTHOOK):
        name = entry.name
    if name == LEFTHOOK:
        for lefthook_path in find_lefthook(repository.worktree):
            content = read_start(lefthook_path) or ""
            if not is_called(hook, text) and is_called(hook, content):
                path, text = lefthook_path, content
    if not is_called(hook, text):
        return None
    command = f"smartcommit-{hook}"
    if command not in text or f"/{command}" in text or shutil.which(command):
        return Runner(name, path)
    return Runner(name, path, f"'{path or entry.name}' calls '{command}', which is not on PATH", "run 'pipx install .'")


def _is_configured(repository: Repository, hook: str, framework: str) -> bool:
    name = NAME
    if framework == "prek" and os.path.lexists(os.path.join(repository.worktree, PREK_NAME)):
        name = PREK_NAME
    try:
        return hook in list_hooks(read_configurations(repository.worktree).get(name, {}))
    except ConfigError:
        return False


def is_called(hook: str, text: str) -> bool:
    called = f"smartcommit-{hook}" in text or MODULES[hook] in text
    return called or (hook == "commit-msg" and "smartcommit check" in text)
