"""The ways in which our hooks get into a repository: one is installed, and all others are uninstalled.

Each way can list, install and uninstall our hooks, and says what it has done in sentences without their end. If it
cannot install them, it raises SmartcommitError with nothing changed. Uninstalling takes back what was installed, to the
byte, and does nothing if nothing was. Only a holder of the lock calls the last two.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup.config_hooks import ConfigHooks, is_supported
from smartcommit.setup.direct_hooks import DirectHooks
from smartcommit.setup.git_hooks import DIRECT, FRAMEWORKS, GitHooks
from smartcommit.setup.hook_lines import LineHooks
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.setup.pieces import PieceRecord
from smartcommit.setup.pre_commit import PreCommitHooks
from smartcommit.setup.runners import CONFIGURED, find_runners

# The ways, named as the options of `smartcommit install`.
FILES, CONFIG, ADD_LINES, PRE_COMMIT = "files", "config", "add-lines", "pre-commit"


class Channels:
    """All ways for one repository; pre-commit is to take our hooks from the repository and revision `origin`."""

    def __init__(self, repository: Repository, origin: tuple[str, str] | None = None) -> None:
        self._repository = repository
        record = PieceRecord(repository.common_dir)
        self._files = DirectHooks(repository)
        # Uninstalling begins with what runs the others.
        self._ways: dict[str, PreCommitHooks | ConfigHooks | LineHooks | DirectHooks] = {
            PRE_COMMIT: PreCommitHooks(repository, record, origin),
            CONFIG: ConfigHooks(repository),
            ADD_LINES: LineHooks(repository, record),
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
        said += self._ways[way].install([name for name in MODULES if name in wanted])
        for each, channel in self._ways.items():
            if each != way:
                said += channel.uninstall()
        return said

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
                way = ADD_LINES
                if runner.name in FRAMEWORKS:
                    way = PRE_COMMIT
                if runner.name not in (DIRECT, CONFIGURED) and name not in installed[way]:
                    place = os.path.relpath(runner.path, self._repository.worktree)
                    raise SmartcommitError(
                        f"{runner.name} already runs {name} here, by '{place}'",
                        hint="keep that, or remove our hooks from it first",
                    )


def find_user_folder() -> str:
    return os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")


def hold_lock(directory: str) -> AbstractContextManager[None]:
    """Hold the lock under which hooks are changed; raise LockedError if another process holds it for long."""
    if os.name == "nt":  # there are no such locks
        return nullcontext()
    from smartcommit.file_lock import hold

    lock = os.path.join(directory, "smartcommit", "hooks.lock")
    os.makedirs(os.path.dirname(lock), mode=0o700, exist_ok=True)
    return hold(lock, what="the installation of hooks")
