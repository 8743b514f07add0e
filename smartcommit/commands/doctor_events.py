"""What `smartcommit doctor` says of everything that git runs, above all of the hooks in git's configuration."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

from smartcommit.commands.finding import ERROR, NOTE, WARNING, Finding
from smartcommit.setup.git_hooks import (
    CONFIGURABLE,
    DIRECT,
    EVENT_DISABLED,
    EVENT_SWITCHES,
    EVENTS,
    IGNORED,
    Entry,
    GitHooks,
    Place,
)
from smartcommit.setup.runners import CONFIGURED, Runner, list_idle
from smartcommit.terminal import printable

# Maximum characters of a name that are shown, and number of entries of an event, or of findings of a kind.
_NAME_CHARACTERS, _ENTRIES_SHOWN = 60, 10


def describe_events(hooks: GitHooks) -> Iterator[str]:
    """Yield a line for each event for which git runs anything, with all that it runs, in its order; safe to print."""
    for event in hooks.list_events():
        running = [entry for entry in hooks.list_entries(event) if entry.idle is None]
        described = [_describe_entry(entry, hooks.repository.worktree) for entry in running[:_ENTRIES_SHOWN]]
        if len(described) > 1:
            described = [f"{number}. {text}" for number, text in enumerate(described, 1)]
        if len(running) > _ENTRIES_SHOWN:
            described.append(f"and {len(running) - _ENTRIES_SHOWN} more")
        if described:
            yield printable(f"runs     {_shorten(event)}: {' '.join(described)}")


def _describe_entry(entry: Entry, worktree: str) -> str:
    if entry.scope is not None:
        return f"{_shorten(entry.name)} (git config, {entry.scope})"
    path = entry.path
    if path.startswith(worktree + os.sep):
        path = os.path.relpath(path, worktree)
    return f"{path} ({entry.name})"


def list_events(hooks: GitHooks) -> dict[str, list[dict[str, str | None]]]:
    """Return the entries of each event for JSON, with those that do not run."""
    listed = {}
    for event in hooks.list_events():
        entries = []
        for entry in hooks.list_entries(event):
            fields = {name: getattr(entry, name) for name in ("name", "path", "scope", "caller", "idle")}
            entries.append(fields)
        listed[event] = entries
    return listed


def describe_manner(hook: str, runner: Runner) -> str:
    """Return how our hook comes to run, as a part of a sentence."""
    if runner.name == DIRECT:
        return f"installed by '{DIRECT}'"
    if runner.key == _name_own(hook):
        return f"installed by '{DIRECT}' in git's configuration ({runner.scope})"
    return f"run by {name_runner(runner)}"


def name_runner(runner: Runner) -> str:
    """Return the name of what runs a hook, as a part of a sentence."""
    if runner.key is None:
        return runner.name
    return f"{_shorten(runner.key)} of {CONFIGURED} ({runner.scope})"


def explain_disabling(hook: str, runners: Sequence[Runner]) -> str | None:
    """Return how to switch off one of `runners` here, None if none of them is in git's configuration."""
    keys = [runner.key for runner in runners if runner.key is not None]
    if not keys:
        return None
    key = _name_own(hook)
    if key not in keys:
        key = keys[0]
    return _explain_switch(key, on=False)


def _name_own(hook: str) -> str:
    """Return the name of our hook in git's configuration."""
    return f"hook.smartcommit-{hook}"


def _explain_switch(key: str, *, on: bool) -> str:
    return f"run 'git config {shlex.quote(f'{key}.enabled')} {str(on).lower()}'"


def find_idle(hooks: GitHooks, missing: Sequence[str]) -> Iterator[Finding]:
    """Yield why those of our hooks in git's configuration do not run that nothing else runs, the hooks `missing`."""
    for hook in missing:
        for entry in list_idle(hooks, hook)[:1]:
            key = f"hook.{entry.name}"
            if entry.idle == IGNORED:
                text = f"{hook} is in git's configuration, as {_shorten(key)}, which {_name_version(hooks)} ignores"
                yield Finding("hooks", WARNING, text, "update git, or run 'smartcommit install'")
                continue
            if entry.idle == EVENT_DISABLED:
                key = f"hook.{hook}"
            text = f"{hook} does not run here: {_shorten(key)}.enabled is false"
            yield Finding("hooks", NOTE, text, _explain_switch(key, on=True))


def _name_version(hooks: GitHooks) -> str:
    major, minor = hooks.version
    return f"git {major}.{minor}"


def find_configured_problems(hooks: GitHooks) -> Iterator[Finding]:
    """Yield what is wrong with the hooks in git's configuration."""
    configuration = hooks.configuration
    if configuration.events and hooks.version < CONFIGURABLE:
        names = list(configuration.list_places())
        text = f"{_name_version(hooks)} ignores the hooks of its configuration ({_join(names)}); git 2.54 runs them"
        yield Finding("hooks", NOTE, text)
        return
    yield from list(_find_fatal(hooks))[:_ENTRIES_SHOWN]


def _find_fatal(hooks: GitHooks) -> Iterator[Finding]:
    """Yield a finding for each hook of the configuration at which git ends before it runs any hook."""
    configuration = hooks.configuration
    for name, place in configuration.list_places().items():
        section, shown = shlex.quote(f"hook.{name}"), f"hook.{_shorten(name)}"
        if name in EVENTS and hooks.version >= EVENT_SWITCHES:
            text = f"{shown} in git's configuration has the name of an event, so every commit fails"
            yield Finding("hooks", ERROR, text, _explain_change(place, f"--rename-section {section} hook.my-{name}"))
        elif name not in configuration.commands and configuration.enabled.get(name, True):
            text = f"{shown}.event is set in git's configuration, but not {shown}.command, so every commit fails"
            yield Finding("hooks", ERROR, text, _explain_change(place, f"--remove-section {section}"))


def _explain_change(place: Place, change: str) -> str:
    if not place.path:
        return "it is set with 'git -c', or by a variable such as GIT_CONFIG_COUNT"
    return f"run 'git config -f {shlex.quote(place.path)} {change}'"


def _join(names: Sequence[str]) -> str:
    """Return the first of `names` for a sentence."""
    shown = ", ".join(map(_shorten, names[:_ENTRIES_SHOWN]))
    if len(names) > _ENTRIES_SHOWN:
        shown += f" and {len(names) - _ENTRIES_SHOWN} more"
    return shown


def _shorten(name: str) -> str:
    if len(name) > _NAME_CHARACTERS:
        return name[:_NAME_CHARACTERS] + "..."
    return name
