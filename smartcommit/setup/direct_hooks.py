"""Git hooks that run smartcommit without a framework: small shell scripts that run the hooks they replace first.

Each hook that was there is kept by its own name in a directory beside the hook directory. It may go by its name, look
for files beside it, begin at a path relative to itself, or be a relative link. So that directory is as deep as the hook
directory, and has links to what is there.

A hook that is kept has both names until ours takes its place: a command that is killed leaves one that runs. Our lock
keeps our own processes apart, but pre-commit, lefthook or a person does not take it: so a file replaces only what was
read. If another program was faster, the command ends with an error.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import NamedTuple

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.files import link, read_content
from smartcommit.git.lockfile import retry_with_backoff, sync
from smartcommit.git.repo import Repository
from smartcommit.setup import hook_scripts as scripts
from smartcommit.setup.git_hooks import OWN, TRACKED, advise_path, find_hooks_path, find_lefthook

_NEW = ".new"
# The ending of the name under which a hook of ours that somebody has edited is kept.
EDITED = ".edited"
# What hooks of pre-commit and prek contain.
_GENERATED = f"{scripts.GENERATED}pre".encode()
# The option with which they run the hook that they have renamed.
_RUNS_LEGACY = b"--hook-dir"
# git's own examples, which no hook calls.
_EXAMPLE = ".sample"
# Seconds in which another program writes a hook that it has created.
_PATIENCE = 2.0


class DirectHooks:
    """Our hooks in the hook directory of a repository, in place of those that were there, which ours run first."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._hooks_path = find_hooks_path(repository)
        # Where they were installed, even if `core.hooksPath` was set since.
        self.folder = self._hooks_path.path
        if self._hooks_path.owner != OWN:
            self.folder = self._hooks_path.usual

    def list_installed(self) -> list[str]:
        installed = []
        for name in scripts.MODULES:
            path = os.path.join(self.folder, name)
            if scripts.is_ours(path) or scripts.is_ours(path + scripts.LEGACY):
                installed.append(name)
        return installed

    def find_owner(self, names: Sequence[str]) -> str | None:
        """Return what shows that the hooks `names` of this repository are somebody else's, None if nothing does."""
        if self._hooks_path.owner != OWN:
            return f"git looks for hooks in '{self._hooks_path.path}'"
        if find_lefthook(self._repository.worktree):
            return "lefthook moves hooks away that are not its own"
        for name in names:
            hook = os.path.join(self.folder, name)
            if find_kept(hook) is not None or (os.path.lexists(hook) and not scripts.is_ours(hook)):
                return f"this repository has a {name} hook already"
        return None

    def install(self, names: Sequence[str]) -> list[str]:
        """Install the hooks `names` and keep those that were here; raise SmartcommitError if one cannot be kept."""
        if find_lefthook(self._repository.worktree):
            raise SmartcommitError(
                "lefthook moves hooks away that are not its own, so ours would not stay here",
                hint=f"add these lines to its configuration: {DOCS}/installing.md#lines-for-everybody",
            )
        if self._hooks_path.owner != OWN:
            path = self._hooks_path.path
            problem = f"git looks for hooks in '{path}', which is not this repository's"
            if self._hooks_path.owner == TRACKED:
                problem = f"git looks for hooks in '{path}', in the working tree, where hooks of your own do not belong"
            raise SmartcommitError(problem, hint=advise_path(self._repository, path))
        os.makedirs(self.folder, exist_ok=True)
        reports = [f"installed in '{self.folder}': {', '.join(names)}"]
        for name in names:
            path = os.path.join(self.folder, name)
            _sweep(path)
            _install_one(path, scripts.write_hook(name, self.folder))
            _sweep(path)
            kept = find_kept(path)
            if kept is None:
                continue
            if os.access(kept, os.X_OK):
                reports.append(f"your own {name} was kept as '{kept}' and runs first")
            else:
                reports.append(f"your own {name} was kept as '{kept}', but does not run: it is not executable")
        _drop_links(self.folder)
        return reports

    def uninstall(self) -> list[str]:
        """Remove our hooks, also where pre-commit has put them, and restore those they replaced."""
        reports = []
        if self.list_installed():
            reports.append(f"removed the hooks from '{self.folder}'")
        for name in scripts.MODULES:
            path = os.path.join(self.folder, name)
            _sweep(path)
            if _uninstall_one(path):
                reports.append(f"your own {name} is back")
            _sweep(path)
            kept = find_kept(path)
            if kept is not None:
                reports.append(f"your own '{kept}' stays under this name: there is another {name} now")
        _drop_links(self.folder)
        return reports


def find_kept(path: str) -> str | None:
    kept = scripts.find_place(path)
    if os.path.lexists(kept) and not _is_link_back(kept, os.path.dirname(path)):
        return kept
    return None


def _install_one(path: str, script: bytes) -> None:
    """Put our `script` in the place of the hook `path`, which is kept if it is not ours."""
    place = _find_target(path)
    before = _read(place)
    if before is not None and before.content == script and os.access(place, os.X_OK):
        return
    new = path + _NEW
    new_files = [new]
    # A full disk must not leave the repository without its hook.
    _create(new, script)
    try:
        if before is not None and scripts.has_mark(before.content):
            new_files += _keep_edited(place, before)
        elif before is not None:
            new_files.append(_keep(path, place))
        _replace(place, new, before)
    except (SmartcommitError, OSError):
        for name in new_files:
            os.unlink(name)
        raise


def _find_target(path: str) -> str:
    """Return where our hook for `path` belongs: where pre-commit or prek runs it, if the hook at `path` is theirs.

    They rename a hook of ours that they find at `path`, over the one that they have renamed before.
    """
    hook = _read(path)
    if hook is None or scripts.has_mark(hook.content):
        return path
    if (_GENERATED in hook.content and _RUNS_LEGACY in hook.content) or scripts.is_ours(path + scripts.LEGACY):
        return path + scripts.LEGACY
    return path


def _keep(path: str, place: str) -> str:
    """Give the hook at `place` also the name by which `path` is kept; raise SmartcommitError if that is taken."""
    folder, kept = os.path.dirname(path), scripts.find_place(path)
    if find_kept(path) is not None:
        raise SmartcommitError(
            f"cannot keep '{path}': '{kept}' has the hook that was kept before",
            hint="remove the one that you do not need",
        )
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    for name in os.listdir(folder):
        beside = os.path.join(folder, name)
        if beside != path and not name.endswith(_EXAMPLE) and not scripts.is_ours(beside):
            with suppress(FileExistsError):
                link(_find_link_target(beside), scripts.find_place(beside))
    if os.path.islink(kept):  # ours to the hook itself, from when another one was kept
        os.unlink(kept)
    _link(place, kept)
    return kept


def _link(place: str, kept: str) -> None:
    """Give the hook at `place` the name `kept` too."""
    try:
        os.link(place, kept, follow_symlinks=False)
        return
    except OSError as error:
        if error.errno == errno.EXDEV:  # the hook directory is mounted: no hook could be moved back
            raise
    # There are no hard links. Half a copy would be taken for the hook.
    try:
        shutil.copy2(place, kept, follow_symlinks=False)
        if not os.path.islink(kept):
            sync(kept)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(kept)
        raise


def _uninstall_one(path: str) -> bool:
    """Remove ours for `path`, and return whether the hook that was there is back."""
    is_back = False
    # pre-commit may have renamed ours just now: it will write to `path` then, whatever is there.
    places = [place for place in (path, path + scripts.LEGACY) if scripts.is_ours(place)]
    if not places and find_kept(path) is not None:
        places = [path]
    for place in places:
        hook = _read(place)
        kept = find_kept(path)
        if hook is not None and not scripts.has_mark(hook.content):
            continue
        if hook is not None:
            _keep_edited(place, hook)
        if kept is not None:
            _replace(place, kept, hook)
            is_back = True
        elif hook is not None and _identify(place) == hook.identity:
            os.unlink(place)
    return is_back


def _sweep(path: str) -> None:
    """Remove what a command that was killed has left of the hook `path`: ours, or the second name of what is there."""
    new, kept = path + _NEW, find_kept(path)
    if os.path.isfile(new) and (scripts.is_ours(new) or not read_content(new)):
        os.unlink(new)
    if kept is None:
        return
    is_copy = read_content(kept) == read_content(path) != b""
    if is_copy or scripts.is_ours(kept) or _identify(kept) in (_identify(path), _identify(path + scripts.LEGACY)):
        os.unlink(kept)


def _keep_edited(path: str, hook: HookFile) -> list[str]:
    """Give a hook of ours that somebody has edited another name too; return that, if it was edited."""
    if scripts.is_unedited(hook.content):
        return []
    names = (f"{path}{EDITED}{number or ''}" for number in count())
    kept = next(name for name in names if not os.path.lexists(name))
    _link(path, kept)
    return [kept]


def _drop_links(folder: str) -> None:
    """Remove our links to what is in the hook directory `folder`, and the directory of kept hooks if it is empty."""
    beside = scripts.find_kept_folder(folder)
    if not os.path.isdir(beside) or os.path.islink(beside):
        return
    names = os.listdir(beside)
    for name in names:
        if not _is_link_back(os.path.join(beside, name), folder):
            return
    for name in names:
        os.unlink(os.path.join(beside, name))
    with suppress(OSError):  # a hook was kept just now
        os.rmdir(beside)


def _is_link_back(place: str, folder: str) -> bool:
    """Whether `place` is our link to the file of the same name in the hook directory."""
    path = os.path.join(folder, os.path.basename(place))
    return os.path.islink(place) and os.readlink(place) == _find_link_target(path)


def _find_link_target(path: str) -> str:
    """Return what a link in the directory of kept hooks has to contain to lead to `path` in the hook directory."""
    folder, name = os.path.split(path)
    return os.path.join(os.pardir, os.path.basename(os.path.realpath(folder)), name)


class HookFile(NamedTuple):
    """A hook as it was read: `identity` changes if another file takes its place or if it is written.

    A link has no content, whatever it leads to.
    """

    identity: tuple[int, ...]
    content: bytes


def _read(path: str) -> HookFile | None:
    """Return the hook at `path`, None if there is nothing. Raise SmartcommitError if it is empty: it is being written.

    pre-commit, prek and lefthook create a hook and write it then.
    """
    for _ in retry_with_backoff(_PATIENCE):
        identity = _identify(path)
        if identity is None:
            return None
        if os.path.islink(path):
            return HookFile(identity, b"")
        content = read_content(path)
        if content or not os.path.isfile(path):
            return HookFile(identity, content)
    raise SmartcommitError(f"'{path}' is empty: another program may be writing it", hint="try again, or remove it")


def _identify(path: str) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def _create(path: str, content: bytes) -> None:
    """Write a new executable file and wait until it is on disk. Raise FileExistsError if the name is taken."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: str, new: str, before: HookFile | None) -> None:
    """Put the file `new` in the place of what was `before` at `path`; raise SmartcommitError if that was changed."""
    if _identify(path) != (before and before.identity):
        raise SmartcommitError(
            f"another program has changed '{path}' at the same time",
            hint="wait until it has ended, then run this command again",
        )
    os.replace(new, path)
