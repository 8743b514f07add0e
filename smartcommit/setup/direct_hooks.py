"""Git hooks that run smartcommit without a framework: small shell scripts that keep the hooks they replace."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence

from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.setup import hook_files, kept_hooks
from smartcommit.setup.hook_scripts import GENERATED, LEGACY, MODULES, has_mark, is_ours, is_unedited, write_hook
from smartcommit.setup.hooks_owner import OWN, explain_path, find_hooks_path, refuse_folder
from smartcommit.setup.kept_hooks import find_kept

_NEW = ".new"
# Lines by which hooks of pre-commit and prek are recognized.
_GENERATED = f"{GENERATED}pre".encode()
# The option with which they run the hook that they have renamed.
_RUNS_LEGACY = b"--hook-dir"
# How often a hook is read again if another program changes it at the same time.
_ATTEMPTS = 10


class DirectHooks:
    """Our hooks in the hook directory of a repository, in place of those that were there, which ours run first."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._found = find_hooks_path(repository)
        # Where they were installed, even if `core.hooksPath` was set since.
        self._folder = self._found.path
        if self._found.owner != OWN:
            self._folder = self._found.usual

    def list_installed(self) -> list[str]:
        """Return the names of our hooks here."""
        installed = []
        for name in MODULES:
            path = os.path.join(self._folder, name)
            if is_ours(path) or is_ours(path + LEGACY):
                installed.append(name)
        return installed

    def find_owner(self, names: Sequence[str]) -> str | None:
        """Return what shows that the hooks `names` of this repository are somebody else's, None if nothing does."""
        if self._found.owner != OWN:
            return explain_path(self._repository, self._found)
        for name in names:
            hook = os.path.join(self._folder, name)
            if find_kept(hook) is not None or (os.path.lexists(hook) and not is_ours(hook)):
                return f"this repository has a {name} hook already"
        return None

    def install(self, names: Sequence[str]) -> list[str]:
        """Install the hooks `names`, keep those that were here, and return what was done.

        Raise OSError if the directory cannot be written; SmartcommitError if a hook cannot be kept, or if git looks for
        hooks in a directory of the working tree, which other people share, or of all repositories.
        """
        refuse_folder(self._repository, self._found)
        os.makedirs(self._folder, exist_ok=True)
        said = [f"installed {' and '.join(names)} in '{self._folder}'"]
        for name in names:
            said += self._install_one(name, write_hook(name, self._folder))
        kept_hooks.drop_links(self._folder)
        return said

    def _install_one(self, name: str, script: bytes) -> list[str]:
        """Install one hook, and return what became of the one that was there."""
        path = os.path.join(self._folder, name)
        self._sweep(name)
        try:
            for _ in range(_ATTEMPTS):
                place = _find_place(path)
                if self._try_install(place, script):
                    break
        finally:
            self._sweep(name)
        if hook_files.read_content(place) != script:
            raise _explain_change(path)
        kept = find_kept(path)
        if kept is None:
            return []
        if _GENERATED in hook_files.read_content(kept):
            # pre-commit makes a hook executable by its name, which may have been that of ours by then.
            os.chmod(kept, os.stat(kept).st_mode | 0o111)
        if os.access(kept, os.X_OK):
            return [f"your own {name} was kept as '{kept}' and runs first"]
        return [f"your own {name} was kept as '{kept}', but does not run: it is not executable"]

    def _try_install(self, path: str, script: bytes) -> bool:
        """Return whether `script` is at `path`, and otherwise leave everything as it was."""
        seen = hook_files.read(path)
        if seen is not None and seen.executable and seen.content == script:
            return True
        # A full disk must not leave the repository without its hook.
        hook_files.write_executable(path + _NEW, script)
        aside = _put_aside(path, seen)
        if hook_files.replace(path, path + _NEW, seen):
            return True
        os.unlink(path + _NEW)
        if aside is not None:
            os.unlink(aside)
        return False

    def uninstall(self) -> list[str]:
        """Remove our hooks, restore those they replaced, and return what was done.

        pre-commit keeps a hook that it finds under another name; there ours is replaced too.

        Raise OSError if the directory cannot be written, SmartcommitError if somebody has edited a hook of ours.
        """
        said = [f"removed the hooks from '{self._folder}'"] if self.list_installed() else []
        for name in MODULES:
            self._sweep(name)
            path = os.path.join(self._folder, name)
            for place in (path, path + LEGACY):
                if self._uninstall_one(place, path):
                    said.append(f"your own {name} is back")
            kept = find_kept(path)
            if kept is not None:
                said.append(f"your own '{kept}' stays under this name: there is another {name} now")
        kept_hooks.drop_links(self._folder)
        return said

    def _uninstall_one(self, path: str, hook: str) -> bool:
        """Remove ours at `path`, and return whether the one that was at `hook` is back there."""
        for _ in range(_ATTEMPTS):
            seen, kept = hook_files.read(path), find_kept(hook)
            if seen is None:
                # An installation was killed, or somebody has deleted our hook.
                if path != hook or kept is None:
                    return False
            elif not has_mark(seen.content):
                return False
            else:
                _refuse_edited(path, seen)
                if kept is None and hook_files.remove(path, seen, f"{path}{_NEW}.{os.getpid()}"):
                    return False
            if kept is not None and hook_files.replace(path, kept, seen):
                self._sweep(os.path.basename(hook))
                return True
        raise _explain_change(path)

    def _sweep(self, name: str) -> None:
        """Delete what a command that was killed left of the hook `name`: a script of ours, or a hook's second name."""
        path = os.path.join(self._folder, name)
        kept = kept_hooks.find_place(path)
        present = [hook_files.read_content(path)]
        if _GENERATED in present[0]:
            present.append(hook_files.read_content(path + LEGACY))
        content = hook_files.read_content(kept)
        if content and (content in present or has_mark(content)):
            os.unlink(kept)
        starts = glob.escape(path)
        for place in glob.glob(f"{starts}{_NEW}*") + glob.glob(f"{starts}{LEGACY}{_NEW}*"):
            left = hook_files.read_content(place)
            if os.path.isfile(place) and (left in (b"", content, *present) or has_mark(left)):
                os.unlink(place)


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
    """Give a hook that is not ours the further name under which it is kept, and return that name.

    Raise SmartcommitError if the name is taken, or if it is one of ours that somebody has edited.
    """
    if seen is None:
        return None
    if has_mark(seen.content):
        _refuse_edited(path, seen)
        return None
    hook = path.removesuffix(LEGACY)
    kept = kept_hooks.keep(hook, path)
    if kept is None and os.path.lexists(path):
        raise SmartcommitError(
            f"cannot keep '{path}': '{find_kept(hook)}' has the hook that was kept before",
            hint="remove the one that you do not need",
        )
    return kept


def _refuse_edited(path: str, seen: hook_files.HookFile) -> None:
    if not is_unedited(seen.content):
        raise SmartcommitError(
            f"'{path}' is not as smartcommit wrote it",
            hint=f"move it away, with 'mv {path} {path}.mine' for example, and try again",
        )


def _explain_change(path: str) -> SmartcommitError:
    return SmartcommitError(
        f"another program has changed '{path}' at the same time",
        hint="wait until it has ended, then run this command again",
    )
