"""The channels by which our hooks get into a repository: one is installed, and all others are uninstalled.

Each channel can list, install and uninstall our hooks, and says what it has done in sentences without their end. If it
cannot install them, it raises SmartcommitError with nothing changed. Uninstalling takes back what was installed, to the
byte, and does nothing if nothing was. Only a holder of the lock calls the last two.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from glob import escape, glob
from typing import NamedTuple

from smartcommit import DOCS, state_files
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup import git_hooks
from smartcommit.setup.direct_hooks import DirectHooks
from smartcommit.setup.hook_scripts import MODULES, USUAL, is_ours, write_command
from smartcommit.setup.pieces import PieceRecord
from smartcommit.setup.pre_commit import Origin, PreCommitHooks
from smartcommit.setup.runners import CONFIGURED, find_runners, is_called

_PREFIX = "smartcommit-"
_COMMANDS = rf"^hook\.{_PREFIX}.*\.command$"
# What was installed, and how, which `doctor` compares with what is there.
RECORD = "hooks.json"
# The channels, named as the options of `smartcommit install`.
FILES = "files"
CONFIG = "config"
PRE_COMMIT = "pre-commit"


class ConfigHooks:
    """Our hooks in the configuration of a repository, which all its worktrees share.

    git 2.54 and later runs the shell text `hook.<name>.command` for each event of `hook.<name>.event`, before the hook
    of its hook directory; an event without a command is an error that stops every commit. So the command is set first,
    and the event removed first. Source: git-hook(1), githooks(5) and hook.c of git 2.55.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def list_installed(self) -> list[str]:
        return list(self._find_files())

    def install(self, names: Sequence[str]) -> list[str]:
        """Set the hooks `names` and again those that were here; raise SmartcommitError if that is not possible."""
        if git_hooks.read_version() < git_hooks.CONFIGURABLE:
            raise SmartcommitError("git before 2.54 runs no hooks of its configuration", hint="update git")
        for name in MODULES:
            if name in names or name in self._find_files():
                for key, value in (("command", write_command(name)), ("event", name)):
                    self._run("--local", "--replace-all", f"hook.{_PREFIX}{name}.{key}", value)
        path = self._find_files()[names[0]]
        said = [f"installed in '{path}', which git 2.54 and later reads: {', '.join(names)}"]
        for name in names:
            key = f"hook.{_PREFIX}{name}.enabled"
            if self._run("--type=bool", "--get", key) == b"false\n":
                said.append(f"{name} does not run: it is switched off by {key}")
        return said

    def uninstall(self) -> list[str]:
        """Remove our hooks, with what switched them off, and a file that is empty then."""
        files = self._find_files()
        for name, path in files.items():
            for key in ("event", "command", "enabled"):
                run(("config", "-f", path, "--unset-all", f"hook.{_PREFIX}{name}.{key}"), expected=(0, 5))
        said = []
        for path in dict.fromkeys(files.values()):
            if os.path.getsize(path) == 0 and not os.path.islink(path):
                os.unlink(path)
            said.append(f"removed the hooks from '{path}'")
        return said

    def _find_files(self) -> dict[str, str]:
        """Return our hooks by their names, each with the file that it is in, which may be included."""
        listing = self._run("-z", "--show-origin", "--show-scope", "--get-regexp", _COMMANDS)
        files = {}
        for scope, path, key, command in git_hooks.list_settings(listing):
            name = key.removeprefix(f"hook.{_PREFIX}").removesuffix(".command")
            if scope == "local" and name in MODULES and MODULES[name] in command:
                files[name] = os.path.join(self._repository.worktree, path)
        return files

    def _run(self, *arguments: str) -> bytes:
        return self._repository.run("config", *arguments, expected=(0, 1))


class Channels:
    """All channels for one repository; its `framework` takes our hooks from the repository and revision `origin`."""

    def __init__(self, repository: Repository, origin: Origin | None = None) -> None:
        self._repository = repository
        self._files = DirectHooks(repository)
        self.framework = PreCommitHooks(repository, PieceRecord(repository.common_dir), origin)
        # Uninstalling begins with what runs the others.
        self._channels: dict[str, PreCommitHooks | ConfigHooks | DirectHooks] = {
            PRE_COMMIT: self.framework,
            CONFIG: ConfigHooks(repository),
            FILES: self._files,
        }

    def install(self, channel: str | None, names: Sequence[str]) -> list[str]:
        """Install the hooks `names`, with those that were installed by another channel, and return what was done.

        Without a `channel`, it is the one that is there, or else the one that changes nothing of other people's hooks.
        Raise SmartcommitError if something else runs our hooks, or if they cannot be installed so.
        """
        installed = {name: hooks.list_installed() for name, hooks in self._channels.items()}
        self._refuse_twice(names, installed)
        said: list[str] = []
        if channel is None:
            channel, said = self._choose_channel(names, installed)
        wanted = set(names).union(*installed.values())
        said += self._channels[channel].install([module for module in MODULES if module in wanted])
        for other, hooks in self._channels.items():
            if other != channel:
                said += hooks.uninstall()
        for name in USUAL:
            if name in wanted and name not in names:
                said.append(f"{name} stays: to be without it, run 'smartcommit uninstall' and this command again")
        places = {}
        for name in wanted:
            places[name] = os.path.relpath(os.path.join(self._files.folder, name), self._repository.common_dir)
        state_files.save_json(self._repository.common_dir, RECORD, {"channel": channel, "places": places})
        return said

    def _choose_channel(self, names: Sequence[str], installed: dict[str, list[str]]) -> tuple[str, list[str]]:
        """Return the channel for the hooks `names`, and why if that needs to be said."""
        for channel, installed_names in installed.items():
            if installed_names:
                return channel, []
        owner = self._files.find_owner(names)
        if owner is not None and git_hooks.read_version() >= git_hooks.CONFIGURABLE:
            return CONFIG, [f"{owner}, so its hooks stay as they are"]
        return FILES, []

    def uninstall(self) -> list[str]:
        said = []
        for hooks in self._channels.values():
            said += hooks.uninstall()
        return said

    def _refuse_twice(self, names: Sequence[str], installed: dict[str, list[str]]) -> None:
        """Raise SmartcommitError if something that `install` has not made runs our hooks here: they would run twice."""
        hooks = git_hooks.GitHooks(self._repository)
        for name in names:
            for runner in find_runners(hooks, name):
                is_ours = runner.name in git_hooks.FRAMEWORKS and name in installed[PRE_COMMIT]
                if runner.name not in (git_hooks.DIRECT, CONFIGURED) and not is_ours:
                    place = runner.path
                    if git_hooks.is_below(place, self._repository.worktree):
                        place = os.path.relpath(place, self._repository.worktree)
                    raise SmartcommitError(
                        f"{runner.name} already runs {name} here, by '{place}'",
                        hint="keep that, or remove our hooks from it first",
                    )


class LostHook(NamedTuple):
    """A hook that was installed and does not run any more: what has become of it, and what helps."""

    name: str
    text: str
    hint: str


def find_lost(hooks: git_hooks.GitHooks) -> Iterator[LostHook]:
    repository = hooks.repository
    record = state_files.load_json(repository.common_dir, RECORD, dict) or {}
    channel = record.get("channel")
    for hook, place in record.get("places", {}).items():
        # What is switched off, or does not work, is said of what runs it.
        if hook not in MODULES or any(is_called(hook, entry.text) for entry in hooks.list_entries(hook)):
            continue
        if find_runners(hooks, hook):
            continue
        path = os.path.normpath(os.path.join(repository.common_dir, place))
        moved = [name for name in glob(f"{escape(path)}*") if is_ours(name)]
        text, hint = f"'{path}' is gone", "run 'smartcommit install' again"
        if channel != FILES:
            text = f"it was installed by 'smartcommit install --{channel}', and is gone"
        elif os.path.realpath(hooks.directory) != os.path.realpath(os.path.dirname(path)):
            text = f"git looks for hooks in '{hooks.directory}', so '{path}' does not run"
            hint = git_hooks.advise_path(repository, hooks.directory)
        elif git_hooks.find_lefthook(repository.worktree):
            text = f"lefthook has moved '{path}' away"
            hint = f"add lines to its configuration: {DOCS}/installing.md#lines-for-everybody"
        elif moved:
            text = f"'{path}' was moved to '{moved[0]}'"
        yield LostHook(hook, text, hint)


def hold_lock(directory: str) -> AbstractContextManager[None]:
    """Hold the lock under which hooks are changed; raise LockedError if another process holds it for long."""
    from smartcommit.file_lock import HeldLock

    lock = state_files.find_path(directory, "hooks.lock")
    os.makedirs(os.path.dirname(lock), mode=0o700, exist_ok=True)
    return HeldLock(lock, what="the installation of hooks")
