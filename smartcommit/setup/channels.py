"""The ways in which our hooks get into a repository: one is installed, and all others are uninstalled.

Each way can list, install and uninstall our hooks, and says what it has done in sentences without their end. If it
cannot install them, it raises SmartcommitError with nothing changed. Uninstalling takes back what was installed, to the
byte, and does nothing if nothing was. Only a holder of the lock calls the last two.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.direct_hooks import DirectHooks
from smartcommit.setup.git_hooks import (
    CONFIGURABLE,
    DIRECT,
    FRAMEWORKS,
    TRACKED,
    GitHooks,
    find_hooks_path,
    is_below,
    list_settings,
    read_version,
)
from smartcommit.setup.hook_scripts import GENERATED, MODULES, write_command
from smartcommit.setup.pieces import PieceRecord, cut, read, read_content
from smartcommit.setup.pre_commit import PreCommitHooks
from smartcommit.setup.runners import CONFIGURED, find_runners

_PREFIX = "smartcommit-"
_COMMANDS = rf"^hook\.{_PREFIX}.*\.command$"
LINES = {
    "prepare-commit-msg": """\
if command -v smartcommit-prepare-commit-msg >/dev/null; then
  smartcommit-prepare-commit-msg "$@" || exit
else
  echo "smartcommit is not on PATH: no draft" >&2
fi
""",
    "commit-msg": """\
if command -v smartcommit-commit-msg >/dev/null; then
  smartcommit-commit-msg "$1" || exit
else
  echo "smartcommit is not on PATH: message not checked" >&2
fi
""",
}
_BEGIN, _END = "# smartcommit: begin\n", "# smartcommit: end\n"
# The first lines of a script, below which ours go: comments, and the line by which husky 8 runs a script once more.
_TOP = re.compile(r"(?:[ \t]*(?:#.*)?(?:\n|\Z)|\. .*husky\.sh.*(?:\n|\Z))*")
_SHELLS = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?(?:ba|da|k|z|a)?sh\b")
# Programs that write their hooks again, and with them any file that they have once written.
_GENERATORS = (b"lefthook", b"overcommit", b"husky.local.sh", f"{GENERATED}pre".encode())
# The ways, named as the options of `smartcommit install`.
FILES, CONFIG, ADD_LINES, PRE_COMMIT = "files", "config", "add-lines", "pre-commit"


def is_supported() -> bool:
    return read_version() >= CONFIGURABLE


class ConfigHooks:
    """Our hooks in the configuration of a repository, which all its worktrees share, or else in that of the user.

    git 2.54 and later runs the shell text `hook.<name>.command` for each event of `hook.<name>.event`, before the hook
    of its hook directory; an event without a command is an error that stops every commit. So the command is set first,
    and the event removed first. Source: git-hook(1), githooks(5) and hook.c of git 2.55.
    """

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


class LineHooks:
    """Lines that call our hooks, in the hooks of a working tree such as those of husky, if git looks for hooks there.

    They look for the commands on PATH, since every clone has these files, and a commit without the commands passes. Our
    lines come first in a script: its own last status must stay the hook's.
    """

    def __init__(self, repository: Repository, record: PieceRecord) -> None:
        self._record = record
        self._top = os.path.realpath(repository.worktree)
        self._found = find_hooks_path(repository)

    def list_installed(self) -> list[str]:
        """Return the names of the hooks that have our lines, whoever added them."""
        installed = []
        for name, path in self._list_paths(MODULES):
            if _BEGIN in (read(path) or ""):
                installed.append(name)
        return installed

    def install(self, names: Sequence[str]) -> list[str]:
        """Add our lines to the hooks `names`; or raise SmartcommitError, with nothing changed."""
        paths = self._list_paths(names)
        if not paths:
            raise SmartcommitError(
                "git looks for no hooks in this working tree", hint="run 'smartcommit install' without --add-lines"
            )
        for name, path in paths:
            self._refuse(name, path)
        said = []
        for name, path in paths:
            text = read(path)
            if _BEGIN not in (text or ""):
                self._record.insert(path, [_make_piece(text, name)], mode=0o777)
                said.append(f"added lines to '{os.path.relpath(path, self._top)}'")
        return said or ["these hooks have our lines already"]

    def uninstall(self) -> list[str]:
        """Remove our lines and the files that were made for them."""
        said = []
        for name, path in self._list_paths(MODULES):
            text = read(path) or ""
            if _BEGIN not in text or not is_below(os.path.realpath(path), self._top):
                self._record.forget(path)
                continue
            pieces = [(0, _write_block(name))]
            entry = self._record.find(path)
            if entry is not None:
                pieces = list(entry.pieces)
            # Lines that somebody else has added are the same.
            rest, _ = cut(text, pieces)
            if _BEGIN in rest:
                said.append(f"our lines in '{os.path.relpath(path, self._top)}' were edited: remove them by hand")
                continue
            self._record.restore(path, rest)
            said.append(f"removed our lines from '{os.path.relpath(path, self._top)}'")
        return said

    def _list_paths(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the hooks `names`, each with the file for its lines; none if git looks elsewhere for hooks."""
        if self._found.owner != TRACKED:
            return []
        folder = self._found.path
        if os.path.basename(folder) == "_":
            # husky generates this directory, and its hooks run those of the directory above.
            folder = os.path.dirname(folder)
        paths = []
        for name in names:
            paths.append((name, os.path.join(folder, name)))
        return paths

    def _refuse(self, name: str, path: str) -> None:
        """Raise SmartcommitError if the hook `path` cannot have our lines."""
        content = read_content(path)
        problem = None
        if os.path.lexists(path) and not os.path.isfile(path):
            problem = "is not a file"
        elif content.startswith(b"#!") and not _SHELLS.match(content):
            problem = "is not a shell script"
        elif not is_below(os.path.realpath(path), self._top):
            problem = "is a symbolic link to a file outside this repository"
        elif any(program in read_content(os.path.join(self._found.path, name)) for program in _GENERATORS):
            problem = "is written again by the program that made it"
        if problem is not None:
            hint = f"see {DOCS}/installing.md#beside-other-hooks"
            raise SmartcommitError(f"'{path}' {problem}, so no lines were added", hint=hint)


def _make_piece(text: str | None, name: str) -> tuple[int, str]:
    """Return where to insert what into the script `text`, None for a new one: our lines below its first ones."""
    if text is None:
        return 0, "#!/bin/sh\n" + _write_block(name)
    found = _TOP.match(text)
    place = found.end() if found else 0
    if text[:place] and not text[:place].endswith("\n"):
        return place, "\n" + _write_block(name)
    return place, _write_block(name)


def _write_block(name: str) -> str:
    return _BEGIN + LINES[name] + _END


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
        said += self._ways[way].install(list(filter(wanted.__contains__, MODULES)))
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
