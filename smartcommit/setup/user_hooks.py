"""Our hooks in every repository of the user: in git's configuration, or else in a directory that git looks into.

git before 2.54 runs no hooks of its configuration. There `core.hooksPath` names a directory of ours, and git looks for
hooks nowhere else: so it has one for each event, which runs that of the repository.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from smartcommit import DOCS
from smartcommit.errors import SmartcommitError
from smartcommit.git.run import run
from smartcommit.setup.config_hooks import ConfigHooks, is_supported
from smartcommit.setup.git_hooks import EVENTS
from smartcommit.setup.hook_files import read_content
from smartcommit.setup.hook_scripts import MODULES, is_unedited, write_shared_hook
from smartcommit.state_files import replace_file

_KEY = "core.hooksPath"
# git runs `fsmonitor-watchman` only where core.fsmonitor has its path.
FORWARDED = tuple(event for event in EVENTS if event != "fsmonitor-watchman")


def find_folder(name: str = "hooks") -> str:
    """Return the directory of the hooks, or another one beside it, whether or not it is there."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "smartcommit", name)


def list_installed() -> list[str]:
    """Return the names of our hooks that the git on PATH runs in every repository of this user."""
    if has_folder():
        return list(MODULES)
    if is_supported():
        return list(ConfigHooks().list_installed())
    return []


def has_folder() -> bool:
    """Whether git looks for hooks in our directory."""
    return _is_ours(_read_setting().get("global"))


def check_folder() -> None:
    """Raise SmartcommitError if git looks for hooks in another directory, which ours would turn off."""
    found = _read_setting()
    hint = f"add these lines to the hooks there: {DOCS}/installing.md#lines-for-everybody"
    own, shared = found.get("global"), found.get("system")
    if own is not None and not _is_ours(own):
        raise SmartcommitError(f"{_KEY} is set to '{own}'", hint=hint)
    if own is None and shared is not None:
        raise SmartcommitError(f"{_KEY} is set to '{shared}' for all users of this machine", hint=hint)


def install_folder(names: Sequence[str]) -> str:
    """Write a hook for each event, of which `names` run ours, make git look there, and return the directory.

    Raise SmartcommitError if somebody has edited such a file, OSError if one cannot be written.
    """
    folder = find_folder()
    for name in FORWARDED:
        path = os.path.join(folder, name)
        if os.path.lexists(path) and not is_unedited(read_content(path)):
            raise SmartcommitError(f"'{path}' is not as smartcommit wrote it", hint="move it away and try again")
    os.makedirs(folder, exist_ok=True)
    for name in FORWARDED:
        replace_file(os.path.join(folder, name), write_shared_hook(name, forwards=name not in names), mode=0o777)
    if not has_folder():
        run(("config", "--global", _KEY, folder))
    return folder


def uninstall_folder() -> list[str] | None:
    """Remove the setting and our hooks; return the files of others that stay, None if there was nothing of ours.

    Raise SmartcommitError if the setting cannot be removed: git would look for no hooks of a repository then.
    """
    folder = find_folder()
    if not has_folder() and not os.path.isdir(folder):
        return None
    os.makedirs(folder, exist_ok=True)
    if has_folder():
        run(("config", "--global", "--unset-all", _KEY), expected=(0, 5))
    if has_folder():
        raise SmartcommitError(
            f"{_KEY} is still set to '{folder}', so hooks of repositories do not run",
            hint=f"remove it from the file that 'git config --show-origin {_KEY}' names",
        )
    for name in os.listdir(folder):
        if is_unedited(read_content(os.path.join(folder, name))):
            os.unlink(os.path.join(folder, name))
    left = sorted(os.listdir(folder))
    with suppress(OSError):  # it is not empty
        os.rmdir(folder)
    return left


def _read_setting() -> dict[str, str]:
    """Return the directory that is set in each scope of `git config --show-scope`, but in no repository."""
    options = ("-z", "--show-scope", "--type=path", "--get-all", _KEY)
    found = run(("config", *options), directory=os.sep, expected=(0, 1)).stdout
    fields = os.fsdecode(found).split("\0")
    return dict(zip(fields[::2], fields[1::2], strict=False))


def _is_ours(path: str | None) -> bool:
    return path is not None and os.path.realpath(path) == os.path.realpath(find_folder())
