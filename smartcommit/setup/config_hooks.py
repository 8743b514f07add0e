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
from smartcommit.setup.git_hooks import CONFIGURABLE, list_settings, read_version
from smartcommit.setup.hook_scripts import MODULES, write_command

_PREFIX = "smartcommit-"
_COMMANDS = rf"^hook\.{_PREFIX}.*\.command$"


def is_supported() -> bool:
    return read_version() >= CONFIGURABLE


class ConfigHooks:
    """Our hooks in the configuration of a repository, which all its worktrees share, or else in that of the user."""

    def __init__(self, repository: Repository | None = None) -> None:
        self._repository = repository
        self._scope, self._directory = "global", os.sep
        if repository is not None:
            self._scope, self._directory = "local", repository.worktree

    def list_installed(self) -> list[str]:
        return list(self._find_files())

    def install(self, names: Sequence[str]) -> list[str]:
        """Set the hooks `names` and again those that were here; raise SmartcommitError if that is not possible."""
        if not is_supported():
            raise SmartcommitError("git before 2.54 runs no hooks of its configuration", hint="update git")
        named = os.environ.get("GIT_CONFIG_GLOBAL", "")
        if self._repository is None and os.path.exists(named) and not os.path.isfile(named):
            # git would replace even /dev/null, if it may.
            raise SmartcommitError(f"'{named}' is not a file", hint="see GIT_CONFIG_GLOBAL in git(1)")
        for name in MODULES:
            if name in names or name in self._find_files():
                command = write_command(name, everywhere=self._repository is None)
                for key, value in (("command", command), ("event", name)):
                    self._run(f"--{self._scope}", "--replace-all", f"hook.{_PREFIX}{name}.{key}", value)
        path = self._find_files()[names[0]]
        said = [f"installed {' and '.join(names)} in '{path}', which git 2.54 and later reads"]
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
            if scope == self._scope and name in MODULES and MODULES[name] in command:
                files[name] = os.path.join(self._directory, path)
        return files

    def _run(self, *arguments: str) -> bytes:
        if self._repository is not None:
            return self._repository.run("config", *arguments, expected=(0, 1))
        return run(("config", *arguments), directory=os.sep, expected=(0, 1)).stdout
