"""Where git looks for the hooks of a repository, and what it would run for each event, in its order, by reading alone.

git 2.54 and later runs the hooks of its configuration first, then the one in its hook directory, which may run others.
Source: git-hook(1), githooks(5) and hook.c of git 2.55.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from smartcommit import DOCS
from smartcommit.git.query import parse_boolean
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.hook_scripts import GENERATED, LEGACY, find_place, is_ours
from smartcommit.setup.pieces import read_start

# A directory in the git directory is for this clone alone, one in the working tree is tracked and shared with others.
OWN = "own"
TRACKED = "tracked"
FOREIGN = "foreign"
# What made a hook, as far as it matters.
DIRECT = "smartcommit install"
HUSKY = "husky"
LEFTHOOK = "lefthook"
OTHER = "another hook"
FRAMEWORKS = ("pre-commit", "prek")
# Where lefthook looks for its configuration.
_LEFTHOOK_NAMES = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml")
# The first git that runs hooks of the configuration.
CONFIGURABLE = (2, 54)
# What keeps git from running an entry.
DISABLED = "disabled"
IGNORED = "ignored by this git"
BLOCKED = "not executable"
# How many hooks may run one another.
_HOOKS_FOLLOWED = 6


class HooksPath(NamedTuple):
    """The directory in which git looks for hooks, without links, whose it is, and the usual one of the repository."""

    path: str
    owner: str
    usual: str


class HookEntry(NamedTuple):
    """One thing that git runs for an event.

    `name` is that of a hook in git's configuration, set in `scope` and in the file `path`, if any, or of the program
    that made the hook `path`. `idle` is what keeps git from running it, and `blocked` the file that is not executable.
    `text` is the command, or the start of the file.
    """

    name: str
    path: str
    scope: str | None = None
    idle: str | None = None
    blocked: str | None = None
    text: str = ""


class ConfigEntry(NamedTuple):
    """One value of git's configuration; `path` is the file that has it, empty if that is an option or a variable."""

    scope: str
    path: str
    key: str
    value: str


def list_settings(listing: bytes) -> Iterator[ConfigEntry]:
    """Yield what `git config -z --show-scope --show-origin` lists."""
    fields = os.fsdecode(listing).split("\0")
    for scope, origin, entry in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        kind, _, path = origin.partition(":")
        if kind != "file":
            path = ""
        path = path.replace("/", os.sep)
        key, _, value = entry.partition("\n")
        yield ConfigEntry(scope, path, key, value)


class GitHooks:
    """The hooks of a repository: those of git's configuration, and those in the directory where git looks for them.

    Making one runs git, which reads its configuration; raise GitError if it cannot.
    """

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.directory = repository.hooks_path()
        self._commands: dict[str, str] = {}
        self._enabled: dict[str, bool] = {}
        # The hooks of each event in git's order, each with the entry that puts it there.
        self._configured: dict[str, dict[str, ConfigEntry]] = {}
        self._read_configuration()
        self._version = read_version() if self._configured else (0, 0)

    def list_entries(self, event: str) -> list[HookEntry]:
        entries = []
        for name, setting in self._configured.get(event, {}).items():
            idle = None
            if self._version < CONFIGURABLE:
                idle = IGNORED
            elif not self._enabled.get(name, True):
                idle = DISABLED
            text = self._commands.get(name, "")
            entries.append(HookEntry(name, setting.path, setting.scope, idle=idle, text=text))
        return entries + list_files(event, self.directory)

    def _read_configuration(self) -> None:
        listing = self.repository.run(
            "config", "-z", "--show-scope", "--show-origin", "--get-regexp", r"^hook\..*\.", expected=(0, 1)
        )
        for entry in list_settings(listing):
            name, _, variable = entry.key.removeprefix("hook.").rpartition(".")
            if variable == "command":
                self._commands[name] = entry.value
            elif variable == "event":
                self._add_event(name, entry)
            elif variable == "enabled":
                self._enabled[name] = parse_boolean(entry.value) is not False

    def _add_event(self, name: str, entry: ConfigEntry) -> None:
        """Make the hook `name` the last one of the event in `entry`; an empty event removes it from all of them."""
        for event, hooks in self._configured.items():
            if entry.value in ("", event):
                hooks.pop(name, None)
        if not entry.value:
            return
        if entry.path:
            entry = entry._replace(path=os.path.join(self.repository.worktree, entry.path))
        self._configured.setdefault(entry.value, {})[name] = entry


def find_hooks_path(repository: Repository) -> HooksPath:
    """Return where git looks for the hooks of `repository`; one process."""
    path = os.path.realpath(repository.hooks_path())
    common = os.path.realpath(repository.common_dir)
    owner = FOREIGN
    if is_below(path, common):
        owner = OWN
    elif is_below(path, os.path.realpath(repository.worktree)):
        owner = TRACKED
    return HooksPath(path, owner, usual=os.path.join(common, "hooks"))


def advise_path(repository: Repository, path: str) -> str:
    """Return what to do where git looks for hooks in `path`, a directory in which we install none."""
    if os.path.isdir(path):
        return f"add these lines to the hooks there: {DOCS}/installing.md#lines-for-everybody"
    setting = repository.run("config", "--show-scope", "--get", "core.hooksPath", expected=(0, 1)).decode()
    scope = setting.partition("\t")[0] or "local"
    return f"that directory does not exist: create it, or run 'git config --{scope} --unset core.hooksPath'"


def is_below(path: str, directory: str) -> bool:
    """Whether `path` is `directory` or in it; both are absolute, without links."""
    return f"{path}{os.sep}".startswith(os.path.join(directory, ""))


def read_version() -> tuple[int, int]:
    match = re.match(r"git version (\d{1,9})\.(\d{1,9})", run(("version",)).stdout.decode("utf-8", "replace"))
    if match is None:
        return 0, 0
    return int(match[1]), int(match[2])


def find_lefthook(worktree: str) -> list[str]:
    """Return the files of lefthook's configuration in a working tree."""
    paths = [os.path.join(worktree, name) for name in _LEFTHOOK_NAMES]
    return [path for path in paths if os.path.exists(path)]


def list_files(event: str, directory: str) -> list[HookEntry]:
    return list(_follow(event, HookEntry("", os.path.join(directory, event)), set()))


def _follow(event: str, entry: HookEntry, seen: set[str], *, as_script: bool = False) -> Iterator[HookEntry]:
    """Yield the file of `entry`, as far as that is known, and those that it runs; a shell reads it if `as_script`."""
    path, blocked = entry.path, entry.blocked
    text = read_start(path)
    real = os.path.realpath(path)
    if text is None or real in seen or len(seen) >= _HOOKS_FOLLOWED:
        return
    seen.add(real)
    if blocked is None and not as_script and not os.access(path, os.X_OK):
        blocked = path
    name = _identify(path, text)
    called = HookEntry("", "", blocked=blocked)
    if name in FRAMEWORKS:
        yield from _follow(event, called._replace(path=path + LEGACY), seen)
    elif name == DIRECT:
        # pre-commit may have renamed ours.
        yield from _follow(event, called._replace(path=find_place(path.removesuffix(LEGACY))), seen)
    if _is_shim(path, text):
        script = os.path.normpath(os.path.join(os.path.dirname(path), os.pardir, event))
        yield from _follow(event, called._replace(path=script), seen, as_script=True)
        return
    idle = None if blocked is None else BLOCKED
    yield HookEntry(name, path, None, idle, blocked, text)


def _identify(path: str, text: str) -> str:
    if is_ours(path):
        return DIRECT
    folders = os.path.dirname(path).split(os.sep)
    # The hooks that people edit are in the directory above the one that husky generates.
    if _is_shim(path, text) or (".husky" in folders and folders[-1] != "_"):
        return HUSKY
    for name in FRAMEWORKS:
        if f"{GENERATED}{name}:" in text:
            return name
    if "lefthook" in text:
        return LEFTHOOK
    return OTHER


def _is_shim(path: str, text: str) -> bool:
    return os.path.basename(os.path.dirname(path)) == "_" and '/h"' in text
