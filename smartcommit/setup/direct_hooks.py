"""Git hooks that run smartcommit without a framework: small shell scripts that keep the hooks they replace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup import hook_files, kept_hooks
from smartcommit.setup.hook_scripts import GENERATED, LEGACY, MODULES, has_mark, is_ours, is_unedited, write_hook
from smartcommit.setup.hooks_owner import OWN, TRACKED, explain_path, find_hooks_path
from smartcommit.setup.kept_hooks import find_kept
from smartcommit.setup.user_hooks import find_folder

_NEW = ".new"
# Lines by which hooks of pre-commit and prek are recognized.
_GENERATED = f"{GENERATED}pre".encode()
# The option with which they run the hook that they have renamed.
_RUNS_LEGACY = b"--hook-dir"
# A hook of ours that somebody has edited is kept under this name, which git does not run.
_EDITED = ".edited"
# How often a hook is read again if another program changes it at the same time.
_ATTEMPTS = 10


@dataclass(slots=True)
class Changes:
    """What was done to the hooks in the directory `path`: names of hooks, and of the files that `edited` ones became.

    `kept` hooks run before ours, and `idle` ones would if they were executable. `left` are those that were kept before
    and not restored, because another hook is there now.
    """

    path: str
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)

    @property
    def undone(self) -> bool:
        """Whether an installation was undone: a hook of ours was removed, or another one restored."""
        return bool(self.removed or self.restored)

    def note_edited(self, aside: str | None) -> None:
        """Record the path under which a hook was kept, if it is one that was edited."""
        if aside is not None and aside.endswith(_EDITED):
            self.edited.append(os.path.basename(aside))


def hold_lock(repository: Repository | None = None) -> AbstractContextManager[None]:
    """Hold the lock under which hooks are changed: those of `repository`, or of what the user has set for all.

    Raise LockedError if another process holds it for long.
    """
    if os.name == "nt":  # there are no such locks
        return nullcontext()
    from smartcommit.file_lock import hold

    lock = find_folder("hooks.lock")
    if repository is not None:
        lock = os.path.join(repository.common_dir, "smartcommit", "hooks.lock")
    os.makedirs(os.path.dirname(lock), mode=0o700, exist_ok=True)
    return hold(lock, what="the installation of hooks")


@dataclass(frozen=True, slots=True)
class HookDirectory:
    """A directory with git hooks; only a holder of the lock changes it (`hold_lock`)."""

    path: str

    def install(self, names: Sequence[str]) -> Changes:
        """Install the hooks `names`, and keep those that were here.

        Raise OSError if the directory cannot be written, SmartcommitError if a hook cannot be kept.
        """
        changes = Changes(self.path)
        os.makedirs(self.path, exist_ok=True)
        for name in names:
            self._install_one(name, write_hook(name, self.path), changes)
        kept_hooks.drop_links(self.path)
        return changes

    def _install_one(self, name: str, script: bytes, changes: Changes) -> None:
        path = os.path.join(self.path, name)
        self._sweep(name)
        try:
            for _ in range(_ATTEMPTS):
                place = _find_place(path)
                if self._try_install(place, script, changes):
                    break
        finally:
            self._sweep(name)
        if hook_files.read_content(place) != script:
            raise _explain_change(path, "install")
        kept = find_kept(path) or ""
        if _GENERATED in hook_files.read_content(kept):
            # pre-commit makes a hook executable by its name, which may have been that of ours by then.
            os.chmod(kept, os.stat(kept).st_mode | 0o111)
        if os.access(kept, os.X_OK):
            changes.kept.append(name)
        elif kept:
            changes.idle.append(name)

    def _try_install(self, path: str, script: bytes, changes: Changes) -> bool:
        """Return whether `script` is at `path`, and otherwise leave everything as it was."""
        seen = hook_files.read(path)
        if seen is not None and seen.executable and seen.content == script:
            return True
        # A full disk must not leave the repository without its hook.
        hook_files.write_executable(path + _NEW, script)
        aside = _put_aside(path, seen)
        if hook_files.replace(path, path + _NEW, seen):
            changes.note_edited(aside)
            return True
        os.unlink(path + _NEW)
        if aside is not None:
            os.unlink(aside)
        return False

    def uninstall(self) -> Changes:
        """Remove our hooks and restore those they replaced.

        pre-commit keeps a hook that it finds under another name; there ours is replaced too.

        Raise OSError if the directory cannot be written, SmartcommitError if an edited hook cannot be kept.
        """
        changes = Changes(self.path)
        for name in MODULES:
            self._sweep(name)
            path = os.path.join(self.path, name)
            for place in (path, path + LEGACY):
                self._uninstall_one(place, name, changes)
            if find_kept(path) is not None:
                changes.left.append(name)
        kept_hooks.drop_links(self.path)
        return changes

    def _uninstall_one(self, path: str, name: str, changes: Changes) -> None:
        hook = os.path.join(self.path, name)
        for _ in range(_ATTEMPTS):
            seen = hook_files.read(path)
            kept = find_kept(hook)
            if seen is None:
                # An installation was killed, or somebody has deleted our hook.
                if path.endswith(LEGACY) or kept is None:
                    return
                if hook_files.replace(path, kept, None):
                    changes.restored.append(name)
                    return
                continue
            if not has_mark(seen.content):
                return
            aside = _put_aside(path, seen)
            if kept is not None:
                done = hook_files.replace(path, kept, seen)
            else:
                done = hook_files.remove(path, seen, f"{path}{_NEW}.{os.getpid()}")
            if done:
                self._sweep(name)
                changes.removed.append(name)
                changes.note_edited(aside)
                if kept is not None:
                    changes.restored.append(name)
                return
            if aside is not None:
                os.unlink(aside)
        raise _explain_change(path, "uninstall")

    def _sweep(self, name: str) -> None:
        """Delete what a command that was killed left of the hook `name`: a script of ours, or a hook's second name."""
        path = os.path.join(self.path, name)
        kept = kept_hooks.find_place(path)
        # Each further name of a hook, with the hook.
        asides = [(kept, path), (path + _EDITED, path), (path + LEGACY + _EDITED, path + LEGACY)]
        if _GENERATED in hook_files.read_content(path):
            asides.append((kept, path + LEGACY))
        contents = [b""]
        for aside, hook in asides:
            content, present = hook_files.read_content(aside), hook_files.read_content(hook)
            contents += [content, present]
            if content and (content == present or (aside == kept and has_mark(content))):
                os.unlink(aside)
        for place in _list_beginning([path + _NEW, path + LEGACY + _NEW, kept + hook_files.SPARE]):
            content = hook_files.read_content(place)
            if os.path.isfile(place) and (content in contents or has_mark(content)):
                os.unlink(place)

    def list_installed(self) -> list[str]:
        """Return the names of our hooks here."""
        return [name for name in MODULES if is_ours(os.path.join(self.path, name))]


def _list_beginning(starts: Sequence[str]) -> list[str]:
    """Return the paths of all files that begin with one of `starts`."""
    found = []
    for folder in {os.path.dirname(start) for start in starts}:
        if not os.path.isdir(folder):
            continue
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if path.startswith(tuple(starts)):
                found.append(path)
    return found


def _find_place(path: str) -> str:
    """Return where our hook for `path` belongs: where pre-commit or prek runs it, if the hook at `path` is theirs.

    They rename a hook of ours that they find at `path`, over the one that they have renamed before.
    """
    seen = hook_files.read(path)
    if seen is None or has_mark(seen.content):
        return path
    runs_legacy = seen.executable and _GENERATED in seen.content and _RUNS_LEGACY in seen.content
    if runs_legacy or is_ours(path + LEGACY):
        return path + LEGACY
    return path


def _put_aside(path: str, seen: hook_files.HookFile | None) -> str | None:
    """Give a hook that is not ours, or that was edited, the further name under which it is kept, and return that name.

    Return None for one of ours as we wrote it. Raise SmartcommitError if the name is taken.
    """
    if seen is None or is_unedited(seen.content):
        return None
    hint = "remove the one that you do not need"
    if has_mark(seen.content):
        aside = path + _EDITED
        if hook_files.duplicate(path, aside):
            return aside
        if os.path.lexists(aside):
            name = os.path.basename(aside)
            raise SmartcommitError(f"'{path}' was edited and cannot be kept: '{name}' exists already", hint=hint)
        return None  # the hook has just gone
    hook = path.removesuffix(LEGACY)
    kept = kept_hooks.keep(hook, path)
    if kept is None and os.path.lexists(path):
        raise SmartcommitError(
            f"cannot keep '{path}': '{find_kept(hook)}' has the hook that was kept before", hint=hint
        )
    return kept


def _explain_change(path: str, command: str) -> SmartcommitError:
    return SmartcommitError(
        f"another program has changed '{path}' at the same time",
        hint=f"wait until it has ended, then run 'smartcommit {command}' again",
    )


def find_repository_hooks(repository: Repository) -> HookDirectory:
    """Return where git looks for the hooks of this repository alone.

    Raise SmartcommitError if that is a directory of the working tree, which other people share, or of all repositories.
    """
    found = find_hooks_path(repository)
    if found.owner == OWN:
        return HookDirectory(found.path)
    reason = explain_path(repository, found)
    if found.owner == TRACKED:
        raise SmartcommitError(
            f"{reason}, in the working tree, where hooks for this machine alone do not belong",
            hint="run 'smartcommit install --add-lines' to add lines for everybody to the hooks there",
        )
    raise SmartcommitError(
        f"{reason}, which is not this repository's",
        hint=f"add these lines to the hooks there: {DOCS}/installing.md#lines-for-everybody",
    )


def find_owner(repository: Repository, names: Iterable[str]) -> str | None:
    """Return what shows that the hooks `names` of this repository are somebody else's, None if nothing does."""
    found = find_hooks_path(repository)
    if found.owner != OWN:
        return explain_path(repository, found)
    for name in names:
        hook = os.path.join(found.path, name)
        if find_kept(hook) is not None or (os.path.lexists(hook) and not is_ours(hook)):
            return f"this repository has a {name} hook already"
    return None


def find_installed_hooks(repository: Repository) -> HookDirectory:
    """Return where `install` put the hooks of this repository, even if `core.hooksPath` was set since."""
    found = find_hooks_path(repository)
    if found.owner == OWN:
        return HookDirectory(found.path)
    return HookDirectory(found.usual)
