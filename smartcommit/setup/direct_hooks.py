"""Git hooks that run smartcommit without a framework: small shell scripts that keep the hooks they replace."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup import hook_files

# The hooks that smartcommit has, each with its module.
MODULES = {
    "prepare-commit-msg": "smartcommit_hooks.prepare_commit_msg",
    "commit-msg": "smartcommit_hooks.commit_msg",
}
# What a commit goes without if the hook cannot run.
_MISSED = {"prepare-commit-msg": "no draft", "commit-msg": "message not checked"}
_MARK = "# Installed by 'smartcommit install'; 'smartcommit uninstall' restores what was here before."
# A hook that was here before is kept under this name, and one that pre-commit found under the other.
KEPT = ".before-smartcommit"
_LEGACY = ".legacy"
_NEW = ".new"
# A hook of ours that somebody has edited is kept under this name, which git does not run.
_EDITED = ".edited"
# Hooks that git must still find if it looks for none in the repository itself; not `proc-receive`, `push-to-checkout`
# and `fsmonitor-watchman`, which change what git does by being there. Source: githooks(5) of git 2.54.
GIT_HOOKS = (
    "applypatch-msg", "commit-msg", "post-applypatch", "post-checkout", "post-commit", "post-index-change",
    "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit",
    "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "reference-transaction",
    "sendemail-validate", "update",
)  # fmt: skip
# The hook that was here before; pre-commit may have renamed ours.
_RUN_BESIDE = """\
own="${{0%{legacy}}}{kept}"
if test -x "$own"; then
    "$own" "$@" || exit
fi
"""
# A hook directory for all repositories hides the hooks of each, so these are run from there.
_RUN_LOCAL = """\
common=.git
if test -n "$GIT_DIR" || ! test -d .git; then common="$(git rev-parse --git-common-dir)"; fi
hook="$common/hooks/{name}"
if test -x "$hook"; then
    if grep -q -s -F {mark} "$hook"; then exec "$hook" "$@"; fi
    "$hook" "$@" || exit
fi
"""
# When `smartcommit_hooks.prepare_commit_msg` has nothing to do: starting Python takes longer than most commits.
DRAFT_NOTHING = """\
if test "$GIT_EDITOR" = :; then exit 0; fi
case "$2" in merge|squash|commit) exit 0 ;; esac
"""
_RUN_SMARTCOMMIT = """\
python={python}
gone="is gone"
if test -x "$python"; then
    "$python" -I -S -c {code} "$@" && exit
    status=$?
    if "$python" -I -S -c "" 2>/dev/null; then exit $status; fi
    gone="does not start"
fi
echo "smartcommit: $python $gone, {missed}; run 'smartcommit install' again" >&2
"""
# Neither `site` nor the environment's variables are needed, and the standard library comes first. A package that is
# gone, in part or in whole, must not stop a commit. An import that fails names the file that lacks what is imported, if
# there is one: that is a bug, except in the `__init__.py` of a package that lacks a module.
_CODE = """\
import sys
sys.path += {paths}
try:
    from {module} import main
    status = main()
except ImportError as error:
    if error.path and not error.path.endswith("__init__.py"):
        raise
    status = 0
    print("smartcommit: its package is gone ({missed}); install it and run 'smartcommit install'", file=sys.stderr)
sys.exit(status)
"""
# How often a hook is read again that another program changes at the same time.
_ATTEMPTS = 10


@dataclass(slots=True)
class Changes:
    """What was done to the hooks in the directory `path`: names of hooks, and of the files that `edited` ones became.

    `kept` hooks run before ours, and `idle` ones would if they were executable. `left` are those that were kept before
    and not restored, because another hook is there now.
    """

    path: str
    installed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether a hook of ours was removed or another one restored."""
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

    folder = _config_directory() if repository is None else os.path.join(repository.common_dir, "smartcommit")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return hold(os.path.join(folder, "hooks.lock"), what="the installation of hooks")


@dataclass(frozen=True, slots=True)
class HookDirectory:
    """A directory with git hooks. In a `shared` one each hook runs the repository's own first.

    It is changed by a holder of the lock alone (`hold_lock`).
    """

    path: str
    shared: bool = False

    def install(self, names: Sequence[str], forwarded: Iterable[str] = ()) -> Changes:
        """Install the hooks `names`, and keep those that were here.

        Those `forwarded`, in a shared directory, only run the repository's own.

        Raise OSError if the directory cannot be written, SmartcommitError if a hook cannot be kept.
        """
        changes = Changes(self.path)
        os.makedirs(self.path, exist_ok=True)
        for name in dict.fromkeys((*names, *forwarded)):
            self._install_one(name, self._script(name, forwards=name not in names), changes)
        return changes

    def _install_one(self, name: str, script: bytes, changes: Changes) -> None:
        path = os.path.join(self.path, name)
        self._sweep(name)
        try:
            for _ in range(_ATTEMPTS):
                if self._try_install(path, script, changes):
                    break
        finally:
            self._sweep(name)
        if hook_files.read_content(path) != script:
            raise _explain_change(path, "install")
        changes.installed.append(name)
        if os.access(path + KEPT, os.X_OK):
            changes.kept.append(name)
        elif os.path.lexists(path + KEPT):
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

    def _script(self, name: str, *, forwards: bool) -> bytes:
        parts = [_RUN_BESIDE.format(legacy=_LEGACY, kept=KEPT)]
        if self.shared:
            parts.append(_RUN_LOCAL.format(name=name, mark=shlex.quote(_MARK)))
        if not forwards:
            if name == "prepare-commit-msg":
                parts.append(DRAFT_NOTHING)
            missed = _MISSED[name]
            code = shlex.quote(_CODE.format(paths=_list_paths(), module=MODULES[name], missed=missed))
            parts.append(_RUN_SMARTCOMMIT.format(python=shlex.quote(sys.executable), code=code, missed=missed))
        return _add_head("".join(parts).encode())

    def uninstall(self) -> Changes:
        """Remove our hooks and restore those they replaced.

        pre-commit keeps a hook that it finds under another name; there ours is replaced too.

        Raise OSError if the directory cannot be written, SmartcommitError if an edited hook cannot be kept.
        """
        changes = Changes(self.path)
        for name in GIT_HOOKS:
            self._sweep(name)
            path = os.path.join(self.path, name)
            for place in (path, path + _LEGACY):
                self._uninstall_one(place, name, changes)
            if os.path.lexists(path + KEPT):
                changes.left.append(name)
        return changes

    def _uninstall_one(self, path: str, name: str, changes: Changes) -> None:
        kept = os.path.join(self.path, name + KEPT)
        for _ in range(_ATTEMPTS):
            seen = hook_files.read(path)
            if seen is None:
                # An installation was killed, or somebody has deleted our hook.
                if path.endswith(_LEGACY) or not os.path.lexists(kept):
                    return
                if hook_files.move(kept, path):
                    changes.restored.append(name)
                    return
                continue
            if not _has_mark(seen.content):
                return
            aside = _put_aside(path, seen)
            back = os.path.lexists(kept)
            if back:
                done = hook_files.replace(path, kept, seen)
            else:
                done = hook_files.remove(path, seen, f"{path}{_NEW}.{os.getpid()}")
            if done:
                self._sweep(name)
                changes.removed.append(name)
                changes.note_edited(aside)
                if back:
                    changes.restored.append(name)
                return
            if aside is not None:
                os.unlink(aside)
        raise _explain_change(path, "uninstall")

    def _sweep(self, name: str) -> None:
        """Delete what a command that was killed left of the hook `name`: a script of ours, or a hook's second name."""
        path = os.path.join(self.path, name)
        asides = ((path + KEPT, path), (path + _EDITED, path), (path + _LEGACY + _EDITED, path + _LEGACY))
        contents = [b""]
        for aside, hook in asides:
            content = hook_files.read_content(aside)
            contents += [content, hook_files.read_content(hook)]
            if content and (content == contents[-1] or (aside == path + KEPT and _has_mark(content))):
                os.unlink(aside)
        for entry in os.listdir(self.path) if os.path.isdir(self.path) else ():
            place = os.path.join(self.path, entry)
            if entry.startswith((name + _NEW, name + _LEGACY + _NEW, name + KEPT + hook_files.SPARE)):
                content = hook_files.read_content(place)
                if os.path.isfile(place) and (content in contents or _has_mark(content)):
                    os.unlink(place)

    def list_edited(self) -> list[str]:
        """Return the names under which edited hooks were kept here."""
        return sorted(name for name in os.listdir(self.path) if name.endswith(_EDITED))

    def list_installed(self) -> list[str]:
        """Return the names of our hooks here."""
        return [name for name in GIT_HOOKS if is_ours(os.path.join(self.path, name))]


def is_ours(path: str) -> bool:
    """Whether the file at `path` is one of our hooks."""
    try:
        with open(path, "rb") as file:
            return _has_mark(file.read(4096))
    except OSError:
        return False


def _has_mark(content: bytes) -> bool:
    return _MARK.encode() in content[:4096]


def _add_head(body: bytes) -> bytes:
    """Return a script of ours, whose checksum shows whether somebody has edited it."""
    return b"#!/bin/sh\n%b\n# sha256: %b\n%b" % (_MARK.encode(), hashlib.sha256(body).hexdigest().encode(), body)


def _put_aside(path: str, seen: hook_files.HookFile | None) -> str | None:
    """Give a hook that is not ours, or that was edited, the further name under which it is kept, and return that name.

    Return None for one of ours as we wrote it. Raise SmartcommitError if the name is taken.
    """
    if seen is None or seen.content == _add_head(seen.content.split(b"\n", 3)[-1]):
        return None
    aside = path + (_EDITED if _has_mark(seen.content) else KEPT)
    if hook_files.duplicate(path, aside):
        return aside
    if not os.path.lexists(aside):
        return None  # the hook has just gone
    name, hint = os.path.basename(aside), "remove the one that you do not need"
    if aside.endswith(_EDITED):
        raise SmartcommitError(f"'{path}' was edited and cannot be kept: '{name}' exists already", hint=hint)
    raise SmartcommitError(f"cannot keep '{path}': '{name}' has the hook that was kept before", hint=hint)


def _explain_change(path: str, command: str) -> SmartcommitError:
    return SmartcommitError(
        f"another program has changed '{path}' at the same time",
        hint=f"wait until it has ended, then run 'smartcommit {command}' again",
    )


def _list_paths() -> list[str]:
    """Return where the interpreter finds this installation and what it depends on."""
    standard = sysconfig.get_path("stdlib")
    found = []
    for name in ("smartcommit", "smartcommit_hooks"):
        spec = find_spec(name)
        assert spec is not None, "it is part of this installation"
        found.append(os.path.dirname(os.path.dirname(os.path.abspath(spec.origin or ""))))
    for path in sys.path:
        if os.path.isdir(path) and path not in (standard, os.path.join(standard, "lib-dynload")):
            found.append(os.path.abspath(path))
    return list(dict.fromkeys(found))


def find_repository_hooks(repository: Repository) -> HookDirectory:
    """Return where git looks for the hooks of this repository alone.

    Raise SmartcommitError if that is a directory of the working tree, which other people share, or of all repositories.
    """
    path = _find_hooks_path(repository)
    if _is_below(path, os.path.realpath(repository.common_dir)):
        return HookDirectory(path)
    reason = f"core.hooksPath is set to '{path}'"
    if not repository.run("config", "--get", "core.hooksPath", expected=(0, 1)):
        reason = f"'{os.path.join(repository.common_dir, 'hooks')}' is a symbolic link to '{path}'"
    if _is_below(path, os.path.realpath(repository.worktree)):
        raise SmartcommitError(
            f"{reason}, in the working tree, but these hooks would work on this machine alone",
            hint=f"add these lines to the hooks there: {DOCS}/installing.md#beside-other-hooks",
        )
    raise SmartcommitError(
        f"{reason}, which is not this repository's",
        hint="run 'smartcommit install --global' to install the hooks for every repository",
    )


def find_installed_hooks(repository: Repository) -> HookDirectory:
    """Return where `install` put the hooks of this repository, even if `core.hooksPath` was set since."""
    path = _find_hooks_path(repository)
    if _is_below(path, os.path.realpath(repository.common_dir)):
        return HookDirectory(path)
    return HookDirectory(os.path.join(os.path.realpath(repository.common_dir), "hooks"))


def _find_hooks_path(repository: Repository) -> str:
    """Return the directory in which git looks for hooks, without symbolic links."""
    path = os.fsdecode(repository.run("rev-parse", "--git-path", "hooks")).rstrip("\n")
    return os.path.realpath(os.path.join(repository.worktree, path))


def _is_below(path: str, directory: str) -> bool:
    return os.path.commonpath([path, directory]) == directory


@dataclass(frozen=True, slots=True)
class GlobalSetting:
    """A setting of the user's git with a directory that has hooks.

    `key` is its name, `default` the directory that is created and set if there is none, and `folder` the part of it
    that has the hooks.
    """

    key: str
    default: str
    folder: str = ""
    shared: bool = False

    def read(self) -> str | None:
        """Return the directory that is set in any of the user's files, also in included ones, or None."""
        return self._read_scopes().get("global")

    def _read_scopes(self) -> dict[str, str]:
        """Return the directory that is set in each scope of `git config --show-scope`, but in no repository."""
        options = ("-z", "--show-scope", "--type=path", "--get-all", self.key)
        found = run(("config", *options), directory=os.sep, expected=(0, 1)).stdout
        fields = os.fsdecode(found).split("\0")
        return dict(zip(fields[::2], fields[1::2], strict=False))

    def install(self, names: Sequence[str]) -> Changes:
        """Install the hooks `names`, in a new directory if none is set.

        Raise SmartcommitError if it is set for all users, or relative to each repository.
        """
        self.check()
        present = self.read()
        directory = self._hooks(present or self.default)
        # Forward every hook: git looks for none in the repository itself any more.
        changes = directory.install(names, GIT_HOOKS if directory.shared else ())
        if present is None:
            run(("config", "--global", self.key, self.default))
        return changes

    def check(self) -> None:
        """Raise SmartcommitError if hooks cannot be installed in the directory that is set."""
        scopes = self._read_scopes()
        hint = f"add these lines to the hooks there: {DOCS}/installing.md#beside-other-hooks"
        own, shared = scopes.get("global"), scopes.get("system")
        if own is None and shared is not None:
            # A setting of the user would turn those hooks off.
            raise SmartcommitError(f"{self.key} is set to '{shared}' for all users of this machine", hint=hint)
        if own is not None and not os.path.isabs(own):
            raise SmartcommitError(f"{self.key} is set to '{own}', which each repository has for itself", hint=hint)

    def is_installed(self) -> bool:
        """Whether the directory that is set has hooks of ours."""
        present = self.read()
        return present is not None and bool(self._hooks(present).list_installed())

    def uninstall(self) -> Changes | None:
        """Undo `install` and return what was done, None if no directory is set that it could have used."""
        present = self.read()
        if present is None or not os.path.isabs(present):
            return None
        directory = self._hooks(present)
        changes = directory.uninstall()
        if changes.any and os.path.realpath(present) == os.path.realpath(self.default):
            self._remove_default(directory)
        return changes

    def _remove_default(self, directory: HookDirectory) -> None:
        """Remove what `install` created and set, unless the user has put hooks there."""
        edited = directory.list_edited()
        if len(os.listdir(directory.path)) > len(edited):
            return
        # Edited hooks do not run, but as long as the setting is there git looks for no others.
        run(("config", "--global", "--unset", self.key))
        if edited:
            return
        os.rmdir(directory.path)
        if self.folder:
            with suppress(OSError):  # it is a template directory, which can have more than hooks
                os.rmdir(self.default)

    def _hooks(self, path: str) -> HookDirectory:
        created = os.path.realpath(path) == os.path.realpath(self.default)
        return HookDirectory(os.path.normpath(os.path.join(path, self.folder)), shared=self.shared and created)


def _config_directory(name: str = "") -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "smartcommit", name)


def all_repositories() -> GlobalSetting:
    """The hooks of every repository of this user."""
    return GlobalSetting("core.hooksPath", _config_directory("hooks"), shared=True)


def new_repositories() -> GlobalSetting:
    """The hooks that `git init` and `git clone` copy into a new repository."""
    return GlobalSetting("init.templateDir", _config_directory("template"), folder="hooks")
