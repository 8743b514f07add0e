"""Git hooks in git's configuration, which run beside those in any directory and change no file of a hook.

git 2.54 and later runs the shell text `hook.<name>.command` for each event of `hook.<name>.event`, before the hook of
its hook directory; an event without a command is an error that stops every commit. So the command is set first, and
the event removed first. Source: git-hook(1), githooks(5) and hook.c of git 2.55.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.git_hooks import CONFIGURABLE, read_version
from smartcommit.setup.hook_scripts import MODULES, write_command

PREFIX = "smartcommit-"
_COMMANDS = rf"^hook\.{PREFIX}.*\.command$"


def is_supported() -> bool:
    """Whether the git on PATH runs hooks of the configuration."""
    return read_version() >= CONFIGURABLE


@dataclass(frozen=True, slots=True)
class ConfigHooks:
    """Our hooks in the configuration of a repository, which all its worktrees share, or else in that of the user.

    Only a holder of the lock changes them (`direct_hooks.hold_lock`).
    """

    repository: Repository | None = None

    def list_installed(self) -> dict[str, str]:
        """Return our hooks by their names, each with the file that it is in."""
        installed = {}
        for name, (path, command) in self._read_commands().items():
            if name in MODULES and MODULES[name] in command:
                installed[name] = path
        return installed

    def install(self, names: Sequence[str]) -> str:
        """Set the hooks `names` and again those that were here, and return the file that they are in.

        Raise SmartcommitError if there is a hook of such a name that is not ours, or if the file cannot be written.
        """
        installed = self.list_installed()
        for name, (path, _) in self._read_commands().items():
            if name in names and name not in installed:
                raise SmartcommitError(
                    f"'{path}' has a hook '{PREFIX}{name}' already, which smartcommit has not written",
                    hint=f"remove it: git config -f '{path}' --remove-section hook.{PREFIX}{name}",
                )
        for name in MODULES:
            if name in names or name in installed:
                command = write_command(name, everywhere=self.repository is None)
                self._set(f"hook.{PREFIX}{name}.command", command)
                self._set(f"hook.{PREFIX}{name}.event", name)
        return self.list_installed()[names[0]]

    def uninstall(self) -> list[str]:
        """Remove our hooks, with what switched them off, and return the files that they were in.

        What else is in a file stays; an empty file is deleted. Raise SmartcommitError if one cannot be written.
        """
        changed = {}
        for name, path in self.list_installed().items():
            for key in ("event", "command", "enabled"):
                run(("config", "-f", path, "--unset-all", f"hook.{PREFIX}{name}.{key}"), expected=(0, 5))
            changed[path] = name
        for path in changed:
            if os.path.getsize(path) == 0 and not os.path.islink(path):
                os.unlink(path)
        return list(changed)

    def _read_commands(self) -> dict[str, tuple[str, str]]:
        """Return the file and the command of each hook that has a name of ours, also from files that are included."""
        command = ("config", "-z", "--show-origin", "--show-scope", "--get-regexp", _COMMANDS)
        if self.repository is None:
            scope, directory = b"global", os.sep
            listing = run(command, directory=directory, expected=(0, 1)).stdout
        else:
            scope, directory = b"local", self.repository.worktree
            listing = self.repository.run(*command, expected=(0, 1))
        fields = listing.split(b"\0")
        commands = {}
        for found, origin, entry in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            key, _, text = os.fsdecode(entry).partition("\n")
            if found == scope:
                name = key.removeprefix(f"hook.{PREFIX}").removesuffix(".command")
                commands[name] = (os.path.join(directory, os.fsdecode(origin).removeprefix("file:")), text)
        return commands

    def _set(self, key: str, value: str) -> None:
        """Give `key` this one value."""
        arguments = ("config", "--replace-all", key, value)
        if self.repository is not None:
            self.repository.run(*arguments)
            return
        named = os.environ.get("GIT_CONFIG_GLOBAL")
        if named is not None and os.path.exists(named) and not os.path.isfile(named):
            # git would replace even /dev/null, if it may.
            raise SmartcommitError(f"'{named}' is not a file", hint="see GIT_CONFIG_GLOBAL in git(1)")
        run(("config", "--global", *arguments[1:]), directory=os.sep)
