"""Files that decide what git and jj run and ignore, such as configuration and hooks: an agent may not change them.

They are read before each agent and compared after it, before any other process of ours: git runs a command that
`core.fsmonitor` names as soon as it is asked for the status.
"""

from __future__ import annotations

import base64
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from smartcommit import state_files
from smartcommit.errors import GitError, TaskPlanError, explain_os_error
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.git.repo import Repository
from smartcommit.git.run import run

_SAVED = "executor-protected"
# Bytes of a file that can be put back, and number of files in a directory that are read.
_SIZE_LIMIT = 1 << 20
_FILES_READ = 1000
_CONFIGURATION = ("config", "config.worktree")
_INCLUDE = re.compile(rb"include\.path|includeif\..*\.path")
# Keys that git itself writes when it tracks a branch or adds a submodule, and git-lfs whenever it runs. None of them
# changes what a commit contains, or runs in one. Others of a branch or a remote do: `mergeOptions`, `receivepack`.
_HARMLESS = re.compile(
    rb"branch\..*\.(remote|merge|rebase)|submodule\..*\.url|submodule\.(.*\.)?active|lfs\.repositoryformatversion"
)
# The same for a remote that is added.
_OF_NEW_REMOTE = re.compile(rb"(remote\..*)\.(url|fetch)")


@dataclass(frozen=True, slots=True)
class _File:
    """A file: its mode, its size, and the start of its content; for a link the target."""

    mode: int
    size: int
    content: bytes


def list_protected(repository: Repository) -> list[str]:
    """Return the files and directories of `repository` that an agent may not change.

    That takes up to two processes, and one for each file of the configuration.
    """
    paths = _list_configuration(repository)
    # What leads git to another repository: a `.git` that is no directory, and `commondir`, where it can be added.
    link = os.path.join(repository.worktree, ".git")
    if os.path.islink(link) or os.path.isfile(link):
        paths.append(link)
    paths.append(os.path.join(repository.git_dir, "commondir"))
    paths.append(os.path.join(repository.git_dir, "info", "sparse-checkout"))
    paths += [os.path.join(repository.common_dir, "info", name) for name in ("attributes", "exclude")]
    top = os.path.realpath(repository.worktree)
    place = repository.hooks_path()
    hooks = os.path.realpath(place)
    if os.path.islink(place):
        paths.append(place)
    if hooks == os.sep:  # core.hooksPath is empty
        return paths
    if not _is_below(hooks, top) or _is_below(hooks, os.path.realpath(repository.common_dir)):
        return [*paths, hooks, hooks + state_files.KEPT_HOOKS]
    # Hooks that are tracked in the working tree, and new ones there, are the agent's work.
    found = repository.run("ls-files", "--others", "-z", "--", os.path.relpath(hooks, top))
    return paths + [os.path.join(top, os.fsdecode(name)) for name in found.split(b"\0")[:-1]]


class ProtectedFiles:
    """The files that were `found` at `paths`, also in directories there.

    What they are changed to is kept in the directory `private`.
    """

    def __init__(
        self, private: PlanFolder, paths: Sequence[str] = (), found: Mapping[str, _File] | None = None
    ) -> None:
        self._private = private
        self._paths = paths
        self._found = found or {}

    @classmethod
    def read(cls, private: PlanFolder, paths: Sequence[str]) -> ProtectedFiles:
        """Return the files at `paths` as they are now."""
        return cls(private, paths, _read_all(paths))

    def save(self, state_directory: str) -> None:
        """Save them for the next run, in case this one is killed."""
        entries = []
        for path, file in self._found.items():
            entries.append([path, file.mode, file.size, base64.b64encode(file.content).decode()])
        state_files.save_json(state_directory, _SAVED, [list(self._paths), entries])

    @classmethod
    def load(cls, private: PlanFolder, state_directory: str) -> ProtectedFiles:
        """Return what was saved, no files if there is nothing."""

        def read(saved: Any) -> ProtectedFiles:
            paths, entries = saved
            found = {}
            for path, mode, size, content in entries:
                found[path] = _File(mode, size, base64.b64decode(content))
            return cls(private, paths, found)

        return state_files.load_json(state_directory, _SAVED, read) or cls(private)

    def restore(self) -> list[str]:
        """Put back the files that were changed, and return what was done, in words.

        Raise TaskPlanError, naming the file, if one cannot be put back.
        """
        now = _read_all(self._paths)
        done = []
        for path in sorted({*self._found, *now}):
            before, after = self._found.get(path), now.get(path)
            if before != after and not _is_harmless(path, before, after):
                done.append(self._put_back(path, before, after))
        return done

    def _put_back(self, path: str, before: _File | None, after: _File | None) -> str:
        text = f"'{path}' was changed while the agent ran"
        try:
            if before is not None and before.size > len(before.content):
                raise OSError("too large")
            if after is not None:
                kept = self._keep(os.path.basename(path), after.content)
                os.unlink(path)
                text += f" (to '{kept}')"
            if before is not None:
                _write(path, before)
        except OSError as error:
            raise TaskPlanError(
                f"{text}, and cannot be put back: {explain_os_error(error)}", hint="restore it, then resume"
            ) from None
        return f"{text}, and was put back"

    def _keep(self, name: str, content: bytes) -> str:
        """Keep what a file was changed to, beside what files of that name were before, and return where."""
        place, number = f"replaced/{name}", 1
        while (found := _read(self._private.path(place))) is not None and found.content != content:
            number += 1
            place = f"replaced/{name}.{number}"
        self._private.write(place, content)
        return self._private.path(place)


def _list_configuration(repository: Repository) -> list[str]:
    """Return the files of git's configuration in `repository`, and those that they include.

    Included files are listed though their condition does not hold, such as a branch, or they do not exist yet.
    """
    paths = [os.path.join(repository.common_dir, "config"), os.path.join(repository.git_dir, "config.worktree")]
    for path in paths:
        if os.path.islink(path) and (target := os.path.realpath(path)) not in paths:
            paths.append(target)
        if not os.path.isfile(path):
            continue
        for entry in _list_entries(path):
            key, _, value = entry.partition(b"\n")
            if _INCLUDE.fullmatch(key):
                name = os.path.join(os.path.dirname(path), os.path.expanduser(os.fsdecode(value)))
                # One name for each file, since files may include each other.
                name = os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))
                if name not in paths and not os.path.isdir(name):
                    paths.append(name)
    return paths


def _is_below(path: str, directory: str) -> bool:
    return f"{path}/".startswith(f"{directory}/")


def _read_all(paths: Sequence[str]) -> dict[str, _File]:
    found = {}
    for path in paths:
        for name in _list_files(path):
            file = _read(name)
            if file is not None:
                found[name] = file
    return found


def _list_files(path: str) -> Iterator[str]:
    if os.path.islink(path) or not os.path.isdir(path):
        yield path
        return
    count = 0
    for place, _, names in os.walk(path):
        for name in names:
            # git's samples never run.
            if not name.endswith(".sample") and count < _FILES_READ:
                count += 1
                yield os.path.join(place, name)


def _read(path: str) -> _File | None:
    """Return the file at `path`, None if there is none; of what is no file, such as a pipe, only the mode."""
    content = b""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            content = os.fsencode(os.readlink(path))
        elif stat.S_ISREG(found.st_mode):
            with open(path, "rb") as file:
                content = file.read(_SIZE_LIMIT)
    except OSError:
        return None
    return _File(found.st_mode, found.st_size, content)


def _write(path: str, file: _File) -> None:
    if stat.S_ISLNK(file.mode):
        os.symlink(file.content, path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    state_files.replace_file(path, file.content)
    os.chmod(path, stat.S_IMODE(file.mode))


def _is_harmless(path: str, before: _File | None, after: _File | None) -> bool:
    """Whether two versions of git's configuration differ in harmless keys alone."""
    if before is None or after is None or os.path.basename(path) not in _CONFIGURATION or before.mode != after.mode:
        return False
    try:
        old, new = _list_decisive(before.content), _list_decisive(after.content)
    except GitError:
        return False
    known = {entry.partition(b"\n")[0].rpartition(b".")[0] for entry in old}
    return old == [entry for entry in new if not _is_of_new_remote(entry, known)]


def _is_of_new_remote(entry: bytes, known: set[bytes]) -> bool:
    found = _OF_NEW_REMOTE.fullmatch(entry.partition(b"\n")[0])
    return found is not None and found[1] not in known


def _list_decisive(configuration: bytes) -> list[bytes]:
    """Return the entries of a configuration without the harmless ones. Raise GitError if git cannot read it."""
    entries = _list_entries("-", configuration)
    return [entry for entry in entries if not _HARMLESS.fullmatch(entry.partition(b"\n")[0])]


def _list_entries(path: str, content: bytes = b"") -> list[bytes]:
    """Return the entries of the configuration at `path`, or in `content` if that is `-`, without what it includes."""
    command = ("config", "--file", path, "--no-includes", "-z", "--list")
    return run(command, directory=os.sep, stdin=content).stdout.split(b"\0")[:-1]
