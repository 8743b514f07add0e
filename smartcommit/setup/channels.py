"""The ways in which our hooks get into a repository: one is installed, and all others are uninstalled.

Each way can list, install and uninstall our hooks, and says what it has done in sentences without their end. If it
cannot install them, it raises SmartcommitError with nothing changed. Uninstalling takes back what was installed, to the
byte, and does nothing if nothing was. Only a holder of the lock calls the last two.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.direct_hooks import DirectHooks
from smartcommit.setup.git_hooks import (
    CONFIGURABLE,
    DIRECT,
    FRAMEWORKS,
    GitHooks,
    list_settings,
    read_version,
)
from smartcommit.setup.hook_scripts import MODULES, USUAL, write_command
from smartcommit.setup.pieces import PieceRecord
from smartcommit.setup.pre_commit import PreCommitHooks
from smartcommit.setup.runners import CONFIGURED, find_runners

_PREFIX = "smartcommit-"
_COMMANDS = rf"^hook\.{_PREFIX}.*\.command$"
# The ways, named as the options of `smartcommit install`.
FILES, CONFIG, PRE_COMMIT = "files", "config", "pre-commit"


def is_supported() -> bool:
    return read_version() >= CONFIGURABLE


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
        if not is_supported():
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
        listed = self._run("-z", "--show-origin", "--show-scope", "--get-regexp", _COMMANDS)
        files = {}
        for scope, path, key, command in list_settings(listed):
            name = key.removeprefix(f"hook.{_PREFIX}").removesuffix(".command")
            if scope == "local" and name in MODULES and MODULES[name] in command:
                files[name] = os.path.join(self._repository.worktree, path)
        return files

    def _run(self, *arguments: str) -> bytes:
        return self._repository.run("config", *arguments, expected=(0, 1))


class Channels:
    """All ways for one repository; pre-commit is to take our hooks from the repository and revision `origin`."""

    def __init__(self, repository: Repository, origin: tuple[str, str] | None = None) -> None:
        self._repository = repository
        self._files = DirectHooks(repository)
        self._framework = PreCommitHooks(repository, PieceRecord(repository.common_dir), origin)
        # Uninstalling begins with what runs the others.
        self._ways: dict[str, PreCommitHooks | ConfigHooks | DirectHooks] = {
            PRE_COMMIT: self._framework,
            CONFIG: ConfigHooks(repository),
            FILES: self._files,
        }

    def install(self, way: str | None, names: Sequence[str]) -> list[str]:
        """Install the hooks `names`, with those that were installed in another way, and return what was done.

        Without a `way`, it is the one that is there, or else the one that changes nothing of other people's hooks.
        Raise SmartcommitError if something else runs our hooks, or if they cannot be installed so.
        """
        installed, said = {}, []
        for each, channel in self._ways.items():
            installed[each] = channel.list_installed()
            if way is None and installed[each]:
                way = each
        self._refuse_twice(names, installed)
        if way is None:
            way = FILES
            owner = self._files.find_owner(names)
            if owner is not None and is_supported():
                way = CONFIG
                said.append(f"{owner}, so its hooks stay as they are")
        wanted = set(names).union(*installed.values())
        said += self._ways[way].install([module for module in MODULES if module in wanted])
        for each, channel in self._ways.items():
            if each != way:
                said += channel.uninstall()
        for name in USUAL:
            if name in wanted and name not in names:
                said.append(f"{name} stays: to be without it, run 'smartcommit uninstall' and this command again")
        return said

    def uses_framework(self) -> bool:
        return bool(self._framework.list_installed())

    def build_environment(self) -> list[str]:
        """Have the framework build the environment of our hooks, for which the first commit would wait."""
        return self._framework.build_environment()

    def uninstall(self) -> list[str]:
        said = []
        for channel in self._ways.values():
            said += channel.uninstall()
        return said

    def _refuse_twice(self, names: Sequence[str], installed: dict[str, list[str]]) -> None:
        """Raise SmartcommitError if something that `install` has not made runs our hooks here: they would run twice."""
        hooks = GitHooks(self._repository)
        for name in names:
            for runner in find_runners(hooks, name):
                is_ours = runner.name in FRAMEWORKS and name in installed[PRE_COMMIT]
                if runner.name not in (DIRECT, CONFIGURED) and not is_ours:
                    place = os.path.relpath(runner.path, self._repository.worktree)
                    raise SmartcommitError(
                        f"{runner.name} already runs {name} here, by '{place}'",
                        hint="keep that, or remove our hooks from it first",
                    )


def hold_lock(directory: str) -> AbstractContextManager[None]:
    """Hold the lock under which hooks are changed; raise LockedError if another process holds it for long."""
    from smartcommit.file_lock import hold

    lock = state_files.path(directory, "hooks.lock")
    os.makedirs(os.path.dirname(lock), mode=0o700, exist_ok=True)
    return hold(lock, what="the installation of hooks")
