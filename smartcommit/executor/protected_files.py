"""Files that decide what git runs and ignores, such as configuration and hooks: an agent may not change them.

They are read before each agent and compared after it, before any other process of ours: git runs a command that
`core.fsmonitor` names as soon as it is asked for the status.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress

from smartcommit import state_files
from smartcommit.errors import GitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run

# Files and directories, each with what identifies the content of the files there, without those that do not exist.
Protected = dict[str, dict[str, list[str]]]
# Number of files in a directory that are read.
_FILES_READ = 1000
_CONFIGURATION = ("config", "config.worktree")
_INCLUDE = re.compile(rb"include\.path|includeif\..*\.path")
# Keys that git itself writes when it tracks a branch or adds a submodule, git-lfs whenever it runs, and editors and
# GitHub's `gh` for themselves. None of them changes what a commit contains, or runs in one. Others of a branch or a
# remote do: `mergeOptions`, `receivepack`.
_HARMLESS = re.compile(
    r"branch\..*\.(remote|merge|rebase|vscode-merge-base|gh-merge-base|github-pr-owner-number)|remote\..*\.gh-resolved"
    r"|submodule\..*\.url|submodule\.(.*\.)?active|lfs\.repositoryformatversion"
)


def list_protected(repository: Repository) -> list[str]:
    paths = _list_configuration(repository)
    # What leads git to another repository: a `.git` that is no directory, and `commondir`, where it can be added.
    link = os.path.join(repository.worktree, ".git")
    if os.path.islink(link) or os.path.isfile(link):
        paths.append(link)
    paths += [os.path.join(repository.git_dir, name) for name in ("commondir", "info/sparse-checkout")]
    paths += [os.path.join(repository.common_dir, "info", name) for name in ("attributes", "exclude")]
    top = os.path.realpath(repository.worktree)
    place = repository.hooks_path()
    hooks = os.path.realpath(place)
    if os.path.islink(place):
        paths.append(place)
    if hooks == os.sep:  # core.hooksPath is empty
        return paths
    common = os.path.realpath(repository.common_dir)
    if not f"{hooks}/".startswith(f"{top}/") or f"{hooks}/".startswith(f"{common}/"):
        return [*paths, hooks, hooks + state_files.KEPT_HOOKS]
    # Hooks that are tracked in the working tree, and new ones there, are the agent's work.
    names = repository.run("ls-files", "--others", "-z", "--", os.path.relpath(hooks, top))
    return paths + [os.path.join(top, os.fsdecode(name)) for name in names.split(b"\0")[:-1]]


def read_protected(paths: Sequence[str]) -> Protected:
    return {path: dict(_read_files(path)) for path in paths}


def find_changed(protected: Protected) -> list[str]:
    changed: list[str] = []
    for path, before in protected.items():
        after = dict(_read_files(path))
        changed += [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return changed


def _list_configuration(repository: Repository) -> list[str]:
    """Return the files of git's configuration, and those that they include, whether or not that holds now."""
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


def _read_files(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each file at or below `path`, and what identifies its content; links are not followed."""
    names = [path]
    if os.path.isdir(path) and not os.path.islink(path):
        names = []
        for place, _, found in os.walk(path):
            # git's samples never run.
            names += [os.path.join(place, name) for name in found if not name.endswith(".sample")]
    for name in names[:_FILES_READ]:
        with suppress(OSError):  # there is none
            yield name, _identify(name)


def _identify(path: str) -> list[str]:
    """Return what identifies a file: its mode and a digest, of a configuration those of its decisive entries."""
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return [oct(mode), os.readlink(path)]
    if not stat.S_ISREG(mode):
        return [oct(mode)]
    if os.path.basename(path) in _CONFIGURATION:
        with suppress(GitError):  # it is no configuration
            decisive = [oct(mode)]
            for entry in _list_entries(path):
                key = os.fsdecode(entry.partition(b"\n")[0])
                if not _HARMLESS.fullmatch(key):
                    decisive.append(f"{key} {hashlib.sha256(entry).hexdigest()}")
            return decisive
    with open(path, "rb") as file:
        return [oct(mode), hashlib.file_digest(file, "sha256").hexdigest()]


def _list_entries(path: str) -> list[bytes]:
    command = ("config", "--file", path, "--no-includes", "-z", "--list")
    return run(command, directory=os.sep).stdout.split(b"\0")[:-1]
