"""Git hooks in git's configuration, which run beside those in any directory and change no file of a hook.

git 2.54 and later runs the shell text `hook.<name>.command` for each event of `hook.<name>.event`, before the hook of
its hook directory; an event without a command is an error that stops every commit. So the command is set first, and
the event removed first. Source: git-hook(1), githooks(5) and hook.c of git 2.55.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.git_hooks import CONFIGURABLE, read_version
from smartcommit.setup.hook_scripts import MODULES, write_command

_PREFIX = "smartcommit-"
_COMMANDS = rf"^hook\.{_PREFIX}.*\.command$"


def is_supported() -> bool:
    """Whether the git on PATH runs hooks of the configuration."""
    return read_version() >= CONFIGURABLE


class ConfigHooks:
    """Our hooks in the configuration of a repository, which all its worktrees share, or else in that of the user."""

    def __init__(self, repository: Repository | None = None) -> None:
        self.repository = repository

    def list_installed(self) -> list[str]:
        """Return the names of our hooks here."""
        return list(self._find_files())

    def install(self, names: Sequence[str]) -> list[str]:
        """Set the hooks `names` and again those that were here, and return what was done.

        Raise SmartcommitError if git is too old, if there is a hook of such a name that is not ours, or if the file
        cannot be written.
        """
        if not is_supported():
            raise SmartcommitError("git before 2.54 runs no hooks of its configuration", hint="update git")
        there = self._find_files()
        for name, (path, _) in self._read_commands().items():
            if name in names and name not in there:
                raise SmartcommitError(
                    f"'{path}' has a hook '{_PREFIX}{name}' already, which smartcommit has not written",
                    hint=f"remove it: git config -f '{path}' --remove-section hook.{_PREFIX}{name}",
                )
        for name in MODULES:
            if name in names or name in there:
                self._set(f"hook.{_PREFIX}{name}.command", write_command(name, everywhere=self.repository is None))
                self._set(f"hook.{_PREFIX}{name}.event", name)
        path = self._find_files()[names[0]]
        said = [f"installed {' and '.join(names)} in '{path}', which git 2.54 and later reads"]
        for name in names:
            key = f"hook.{_PREFIX}{name}.enabled"
            if self._run("--type=bool", "--get", key) == b"false\n":
                said.append(f"{name} does not run: it is switched off by {key}")
        return said

    def uninstall(self) -> list[str]:
        """Remove our hooks, with what switched them off, and return what was done.

        What else is in a file stays; an empty file is deleted. Raise SmartcommitError if one cannot be written.
        """
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
        """Return our hooks by their names, each with the file that it is in."""
        files = {}
        for name, (path, command) in self._read_commands().items():
            if name in MODULES and MODULES[name] in command:
                files[name] = path
        return files

    def _read_commands(self) -> dict[str, tuple[str, str]]:
        """Return the file and the command of each hook that has a name of ours, also from files that are included."""
        fields = self._run("-z", "--show-origin", "--show-scope", "--get-regexp", _COMMANDS).split(b"\0")
        scope, directory = b"global", os.sep
        if self.repository is not None:
            scope, directory = b"local", self.repository.worktree
        commands = {}
        for found, origin, entry in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            key, _, text = os.fsdecode(entry).partition("\n")
            if found == scope:
                name = key.removeprefix(f"hook.{_PREFIX}").removesuffix(".command")
                commands[name] = (os.path.join(directory, os.fsdecode(origin).removeprefix("file:")), text)
        return commands

    def _set(self, key: str, value: str) -> None:
        """Give `key` this one value."""
        if self.repository is not None:
            self.repository.run("config", "--replace-all", key, value)
            return
        named = os.environ.get("GIT_CONFIG_GLOBAL")
        if named is not None and os.path.exists(named) and not os.path.isfile(named):
            # git would replace even /dev/null, if it may.
            raise SmartcommitError(f"'{named}' is not a file", hint="see GIT_CONFIG_GLOBAL in git(1)")
        run(("config", "--global", "--replace-all", key, value), directory=os.sep)

    def _run(self, *arguments: str) -> bytes:
        """Return what `git config` prints; nothing if a key is not set."""
        if self.repository is not None:
            return self.repository.run("config", *arguments, expected=(0, 1))
        return run(("config", *arguments), directory=os.sep, expected=(0, 1)).stdout
