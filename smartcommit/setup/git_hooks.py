"""Finds what git would run for each of its events, in its order, by reading alone.

git 2.54 and later runs the hooks of its configuration first, then the one in its hook directory, which may run others.
Source: git-hook(1), githooks(5) and hook.c of git 2.55.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from smartcommit.git.query import parse_boolean
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_head, run
from smartcommit.setup.hook_scripts import GENERATED, LEGACY, is_ours
from smartcommit.setup.kept_hooks import find_place

DIRECT, HUSKY, LEFTHOOK, OTHER = "smartcommit install", "husky", "lefthook", "another hook"
FRAMEWORKS = ("pre-commit", "prek")
# The first git that runs hooks of the configuration, and the first that knows `hook.<event>.enabled`.
CONFIGURABLE, EVENT_SWITCHES = (2, 54), (2, 55)
# What keeps git from running an entry.
DISABLED, EVENT_DISABLED, IGNORED, BLOCKED = "disabled", "event disabled", "ignored by this git", "not executable"
EVENTS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-rewrite",
    "applypatch-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit",
    "p4-prepare-changelist", "post-applypatch", "post-checkout", "post-index-change", "post-merge", "post-receive",
    "post-update", "pre-applypatch", "pre-auto-gc", "pre-push", "pre-rebase", "pre-receive", "proc-receive",
    "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
)  # fmt: skip
_ENTIRE = "Entire"
# What the hooks of other programs contain.
_SIGNS = {
    **{f"{GENERATED}{name}:": name for name in FRAMEWORKS},
    "Entire CLI hooks": _ENTIRE,
    "SIMPLE_GIT_HOOKS": "simple-git-hooks",
    "vercommit": "overcommit",
    "git lfs ": "git-lfs",
    "lefthook": LEFTHOOK,
}
# Bytes of the configuration, or of a hook, that are read, and how many hooks may run one another.
BYTES_READ, _HOOKS_FOLLOWED = 1 << 20, 6


class Entry(NamedTuple):
    """One thing that git runs for an event.

    `name` is that of a hook in git's configuration, set in `scope` and in the file `path`, if any, or of the program
    that made the hook `path`, which the hook `caller` runs, if any. `idle` is what keeps git from running it, and
    `blocked` the file that is not executable. `text` is the command, or the start of the file.
    """

    name: str
    path: str
    scope: str | None = None
    caller: str | None = None
    idle: str | None = None
    blocked: str | None = None
    text: str = ""


class HookConfiguration:
    """The hooks of git's configuration: their commands, which are switched on or off, and who runs for each event.

    The hooks of an event are in git's order, each with its scope and its file. `enabled` has the names of events, too.
    """

    def __init__(self) -> None:
        self.commands: dict[str, str] = {}
        self.enabled: dict[str, bool] = {}
        self.events: dict[str, dict[str, tuple[str, str]]] = {}

    def add(self, place: tuple[str, str], key: str, value: str) -> None:
        """Take the next key of the configuration, whatever it is."""
        name, _, variable = key.removeprefix("hook.").rpartition(".")
        enabled = parse_boolean(value)
        if name and variable == "command":
            self.commands[name] = value
        elif name and variable == "event":
            # An empty one removes the hook from all events, and another one puts it last.
            for other, names in self.events.items():
                if value in ("", other):
                    names.pop(name, None)
            if value:
                self.events.setdefault(value, {})[name] = place
        elif name and variable == "enabled" and enabled is not None:
            self.enabled[name] = enabled

    def is_silenced(self, event: str) -> bool:
        """Whether `hook.<event>.enabled` keeps the hooks of the configuration from running: it names no hook."""
        named = event in self.commands or any(event in names for names in self.events.values())
        return not named and not self.enabled.get(event, True)


class GitHooks:
    """The hooks of a repository: those of git's configuration, and those in the directory where git looks for them."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.directory = repository.hooks_path()
        self.configuration = read_configuration(repository)
        self._version: tuple[int, int] | None = None
        self._entries: dict[str, list[Entry]] = {}

    @property
    def version(self) -> tuple[int, int]:
        """The first two numbers of git's version; one process, once."""
        if self._version is None:
            self._version = read_version()
        return self._version

    def list_events(self) -> list[str]:
        """Return the events for which there is any entry, those of a commit first."""
        return [event for event in dict.fromkeys((*EVENTS, *self.configuration.events)) if self.list_entries(event)]

    def list_entries(self, event: str) -> list[Entry]:
        """Return what git runs for `event`, in its order, and what it would run if nothing kept it from it."""
        if event not in self._entries:
            files = list_files(self.repository, event, self.directory)
            self._entries[event] = [*self._list_configured(event), *files]
        return self._entries[event]

    def _list_configured(self, event: str) -> Iterator[Entry]:
        for name, (scope, path) in self.configuration.events.get(event, {}).items():
            idle = None
            if self.version < CONFIGURABLE:
                idle = IGNORED
            elif not self.configuration.enabled.get(name, True):
                idle = DISABLED
            elif self.version >= EVENT_SWITCHES and self.configuration.is_silenced(event):
                idle = EVENT_DISABLED
            yield Entry(name, path, scope, idle=idle, text=self.configuration.commands.get(name, ""))


def read_version() -> tuple[int, int]:
    """Return the first two numbers of git's version, zeros if it has none."""
    found = re.match(r"git version (\d{1,9})\.(\d{1,9})", run(("version",)).stdout.decode("utf-8", "replace"))
    if found is None:
        return 0, 0
    return int(found[1]), int(found[2])


def read_configuration(repository: Repository) -> HookConfiguration:
    """Return the hooks in git's configuration; one process. Raise GitError if git cannot read that."""
    output, complete = read_head(
        (*repository.options, "config", "-z", "--show-scope", "--show-origin", "--get-regexp", r"^hook\."),
        limit=BYTES_READ,
        directory=repository.worktree,
        environment=repository.environment,
        expected=(0, 1),
    )
    fields = os.fsdecode(output).split("\0")
    if not complete:
        fields.pop()
    found = HookConfiguration()
    for scope, origin, entry in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        key, _, value = entry.partition("\n")
        kind, _, path = origin.partition(":")
        found.add((scope, os.path.join(repository.worktree, path) if kind == "file" else ""), key, value)
    return found


def list_files(repository: Repository, event: str, directory: str) -> list[Entry]:
    """Return the hook of `event` in `directory` and those that it runs, in the order in which they run."""
    return list(_follow(event, Entry("", os.path.join(directory, event)), set()))


def _follow(event: str, entry: Entry, seen: set[str], *, as_script: bool = False) -> Iterator[Entry]:
    """Yield the file of `entry`, as far as that is known, and those that it runs; a shell reads it if `as_script`."""
    path, blocked = entry.path, entry.blocked
    text, real = read_start(path), os.path.realpath(path)
    if text is None or real in seen or len(seen) >= _HOOKS_FOLLOWED:
        return
    seen.add(real)
    if blocked is None and not as_script and not os.access(path, os.X_OK):
        blocked = path
    name = _identify(path, text, event)
    called = Entry("", "", caller=path, blocked=blocked)
    if name in FRAMEWORKS:
        yield from _follow(event, called._replace(path=path + LEGACY), seen)
    elif name == DIRECT:
        # pre-commit may have renamed ours.
        yield from _follow(event, called._replace(path=find_place(path.removesuffix(LEGACY))), seen)
    if _is_shim(path, text):
        script = os.path.normpath(os.path.join(os.path.dirname(path), os.pardir, event))
        yield from _follow(event, called._replace(path=script), seen, as_script=True)
    else:
        yield Entry(name, path, None, entry.caller, BLOCKED if blocked else None, blocked, text)
    if name == _ENTIRE:
        yield from _follow(event, called._replace(path=f"{path}.pre-entire"), seen)


def _identify(path: str, text: str, event: str) -> str:
    """Return the name of the program that made a hook."""
    if is_ours(path):
        return DIRECT
    folders = os.path.dirname(path).split(os.sep)
    # The hooks that people edit are in the directory above the one that husky generates.
    if _is_shim(path, text) or (".husky" in folders and folders[-1] != "_"):
        return HUSKY
    if event == "commit-msg" and "Change-Id" in text and "Gerrit" in text:
        return "Gerrit"
    return next((name for sign, name in _SIGNS.items() if sign in text), OTHER)


def _is_shim(path: str, text: str) -> bool:
    """Whether husky generated a hook, which runs the one of the directory above."""
    return os.path.basename(os.path.dirname(path)) == "_" and '/h"' in text


def read_start(path: str) -> str | None:
    """Return the start of a file, None if it cannot be read."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return file.read(BYTES_READ).decode("utf-8", "replace")
    except OSError:
        return None
