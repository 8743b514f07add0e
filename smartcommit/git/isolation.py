"""Keeps what git starts for the user apart from the private environment of our own git processes.

git starts clean filters wherever it reads the working tree or writes an index. In an environment with a private index
and object directory they would see an index that is not the user's, and what they store would be lost. Hooks by
configuration would as well; git has them since 2.54, and `core.hooksPath` does not switch them off.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from smartcommit.git.repo import Repository
from smartcommit.git.run import make_environment

# git runs a filter with the shell. This turns the environment into the caller's; it has no `%`, which git would expand.
_PROLOGUE = 'eval "$SMARTCOMMIT_RESTORE"; '
# What git sets for its children, because of the options that we pass.
_SET_BY_GIT = ("GIT_CONFIG_PARAMETERS", "GIT_LITERAL_PATHSPECS", "GIT_PAGER")

# git's settings, as `parse_config` returns them.
Config = Sequence[tuple[str, str | None]]


def isolate(repository: Repository, config: Config) -> Repository:
    """Return `repository` for git processes whose environment is private; clean filters get that of the user."""
    filters = {}
    for key, value in dict(config).items():
        section, _, variable = _split(key)
        if section == "filter" and variable in ("clean", "process") and value:
            filters[key] = _PROLOGUE + value
    isolated = _override(switch_hooks_off(repository, config), filters).extended(SMARTCOMMIT_RESTORE="")
    private, caller = make_environment(isolated.environment), repository.make_caller_environment()
    commands = []
    for name in sorted({*private, *caller, *_SET_BY_GIT}):
        if name not in caller:
            commands.append(f"unset {name}")
        elif name in _SET_BY_GIT or private.get(name) != caller[name]:
            commands.append(f"export {name}={shlex.quote(caller[name])}")
    return isolated.extended(SMARTCOMMIT_RESTORE="; ".join(commands))


def switch_hooks_off(repository: Repository, config: Config) -> Repository:
    settings = {}
    for key, _ in config:
        section, name, variable = _split(key)
        if section == "hook" and variable == "event":
            settings[f"hook.{name}.enabled"] = "false"
    return _override(repository, settings)


def _split(key: str) -> tuple[str, str, str]:
    section, _, rest = key.partition(".")
    subsection, _, variable = rest.rpartition(".")
    return section, subsection, variable


def _override(repository: Repository, settings: Mapping[str, str]) -> Repository:
    # In the argument of `-c` a name cannot contain an equals sign, and the caller's `-c` outweighs GIT_CONFIG_COUNT.
    options, environment = [], {}
    for number, (key, value) in enumerate(settings.items(), start=len(repository.options)):
        variable = f"SMARTCOMMIT_SETTING_{number}"
        options.append(f"--config-env={key}={variable}")
        environment[variable] = value
    return repository.extended(*options, **environment)


def hide_prologue(text: str) -> str:
    """Return `text`, a message of an isolated git, with the commands of filters as they are configured."""
    return text.replace(_PROLOGUE, "")
