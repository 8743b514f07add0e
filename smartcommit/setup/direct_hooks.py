"""Git hooks that run smartcommit without a framework: small shell scripts that keep the hooks they replace."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file, run
from smartcommit.state_files import replace_file

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
_RUN_BESIDE = """\
if test -x "$0{kept}"; then
    "$0{kept}" "$@" || exit
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
if test -x "$python"; then
    exec "$python" -I -S -c {code} "$@"
fi
echo "smartcommit: $python is gone, {missed}; run 'smartcommit install' again" >&2
"""
# Neither `site` nor the environment's variables are needed, and the standard library comes first.
_CODE = "import sys; sys.path += {paths}; from {module} import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class HookDirectory:
    """A directory with git hooks. In a `shared` one each hook runs the repository's own first."""

    path: str
    shared: bool = False

    def install(self, names: Sequence[str], forwarded: Iterable[str] = ()) -> list[str]:
        """Install the hooks `names`, keep those that were here, and return the names of the kept ones.

        Those `forwarded`, in a shared directory, only run the repository's own.

        Raise OSError if the directory cannot be written, SmartcommitError if a hook cannot be kept.
        """
        kept = []
        os.makedirs(self.path, exist_ok=True)
        for name in dict.fromkeys((*names, *forwarded)):
            path = os.path.join(self.path, name)
            foreign = os.path.lexists(path) and not is_ours(path)
            if foreign and os.path.lexists(path + KEPT):
                raise SmartcommitError(
                    f"cannot keep '{path}': '{name}{KEPT}' has the hook that was kept before",
                    hint="remove the one that you do not need",
                )
            # A full disk must not leave the repository without its hook.
            replace_file(path + _NEW, self._script(name, forwards=name not in names), mode=0o777)
            if foreign:
                os.rename(path, path + KEPT)
            elif _is_edited(path):
                _put_aside(path)
            os.replace(path + _NEW, path)
            if os.path.lexists(path + KEPT):
                kept.append(name)
        return kept

    def _script(self, name: str, *, forwards: bool) -> bytes:
        parts = [_RUN_BESIDE.format(kept=KEPT)]
        if self.shared:
            parts.append(_RUN_LOCAL.format(name=name, mark=shlex.quote(_MARK)))
        if not forwards:
            if name == "prepare-commit-msg":
                parts.append(DRAFT_NOTHING)
            code = _CODE.format(paths=_list_paths(), module=MODULES[name])
            quoted = shlex.quote(code)
            parts.append(_RUN_SMARTCOMMIT.format(python=shlex.quote(sys.executable), code=quoted, missed=_MISSED[name]))
        return _add_head("".join(parts).encode())

    def uninstall(self) -> list[str]:
        """Remove our hooks, restore those they replaced, and return the names of ours.

        pre-commit keeps a hook that it finds under another name; there ours is replaced too.

        Raise OSError if the directory cannot be written, SmartcommitError if an edited hook cannot be kept.
        """
        removed = []
        for name in GIT_HOOKS:
            for path in (os.path.join(self.path, name), os.path.join(self.path, name + _LEGACY)):
                if is_ours(path):
                    _restore(path, os.path.join(self.path, name + KEPT))
                    removed.append(name)
            kept = os.path.join(self.path, name + KEPT)
            if os.path.lexists(kept) and not os.path.lexists(os.path.join(self.path, name)):
                # An installation was killed before it wrote our hook.
                os.rename(kept, os.path.join(self.path, name))
                removed.append(name)
        return removed

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
            return _MARK.encode() in file.read(4096)
    except OSError:
        return False


def _add_head(body: bytes) -> bytes:
    """Return a script of ours, whose checksum shows whether somebody has edited it."""
    return b"#!/bin/sh\n%b\n# sha256: %b\n%b" % (_MARK.encode(), hashlib.sha256(body).hexdigest().encode(), body)


def _is_edited(path: str) -> bool:
    """Whether the hook at `path`, if there is one, is no longer as we wrote it."""
    content = read_file(path)
    return content is not None and content != _add_head(content.split(b"\n", 3)[-1])


def _put_aside(path: str) -> None:
    if os.path.lexists(path + _EDITED):
        raise SmartcommitError(
            f"'{path}' was edited and cannot be kept: '{os.path.basename(path)}{_EDITED}' exists already",
            hint="remove the one that you do not need",
        )
    os.rename(path, path + _EDITED)


def _restore(path: str, kept: str) -> None:
    if _is_edited(path):
        _put_aside(path)
    if os.path.lexists(kept):
        os.replace(kept, path)
    elif os.path.lexists(path):
        os.unlink(path)


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
    if _is_below(path, os.path.realpath(repository.worktree)):
        raise SmartcommitError(
            f"core.hooksPath is set to '{path}', in the working tree, but these hooks would work on this machine alone",
            hint=f"add these lines to the hooks there: {DOCS}/installing.md#beside-other-hooks",
        )
    raise SmartcommitError(
        f"core.hooksPath is set to '{path}', which is not this repository's",
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

    def install(self, names: Sequence[str]) -> HookDirectory:
        """Install the hooks `names`, in a new directory if none is set; return the directory of the hooks.

        Raise SmartcommitError if it is set for all users, or relative to each repository.
        """
        scopes = self._read_scopes()
        present = scopes.get("global")
        self._check_path(scopes)
        directory = self._hooks(present or self.default)
        if directory.shared:
            # Forward every hook: git looks for none in the repository itself any more.
            directory.install(names, GIT_HOOKS)
        else:
            directory.install(names)
        if present is None:
            run(("config", "--global", self.key, self.default))
        return directory

    def _check_path(self, scopes: Mapping[str, str]) -> None:
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

    def uninstall(self) -> HookDirectory | None:
        """Undo `install` and return the directory that the hooks were in, None if there were none."""
        present = self.read()
        if present is None or not os.path.isabs(present):
            return None
        directory = self._hooks(present)
        if not directory.uninstall():
            return None
        if os.path.realpath(present) == os.path.realpath(self.default):
            self._remove_default(directory)
        return directory

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


def _config_directory(name: str) -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "smartcommit", name)


def all_repositories() -> GlobalSetting:
    """The hooks of every repository of this user."""
    return GlobalSetting("core.hooksPath", _config_directory("hooks"), shared=True)


def new_repositories() -> GlobalSetting:
    """The hooks that `git init` and `git clone` copy into a new repository."""
    return GlobalSetting("init.templateDir", _config_directory("template"), folder="hooks")
