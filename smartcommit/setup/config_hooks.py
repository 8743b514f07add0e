"""Git hooks in git's configuration, which run beside those in any directory and change no file of a hook.

git 2.54 and later runs the shell text `hook.<name>.command` for each event of `hook.<name>.event`, before the hook of
its hook directory; an event without a command is an error that stops every commit. So a configuration file is changed
as a whole, under git's own lock. Source: git-hook(1), githooks(5) and hook.c of git 2.55.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.errors import SmartcommitError, name_file
from smartcommit.git.lockfile import FileLock
from smartcommit.git.query import parse_config
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup import hook_files
from smartcommit.setup.git_hooks import CONFIGURABLE, read_version
from smartcommit.setup.hook_scripts import MODULES, write_command

PREFIX = "smartcommit-"
# What a section of ours says in its first line if removing it alone would not restore the file.
_NEW_FILE, _OPEN_LINE = " ; the file was new", " ; no line feed was before"
# A section as we write it, and the lines that somebody has added to it, if they are more than comments.
_SECTION = rb'^%b([^\n]*)\n\tcommand = "[^\n]*"\n\tevent = %b\n(?=(?:[ \t\r]*(?:[#;][^\n]*)?\n)*([^\n]*))'
_NO_KEY = re.compile(rb"\s*(?:[\[#;]|\Z)")
_COMMANDS = r"^hook\..*\.command$"
# How often a configuration is read again that another program changes at the same time.
_ATTEMPTS = 10


def is_supported() -> bool:
    """Whether the git on PATH runs hooks of the configuration."""
    return read_version() >= CONFIGURABLE


@dataclass(frozen=True, slots=True)
class ConfigHooks:
    """Our hooks in the configuration file `path`, whose new content is prepared in the file `spare`.

    They run `everywhere` if the file is the user's. Only a holder of the lock changes them (`direct_hooks.hold_lock`).
    """

    path: str
    spare: str
    everywhere: bool = False

    def list_installed(self) -> list[str]:
        """Return the names of our hooks in this file itself, and not in one that it includes."""
        return _list_ours(self.path)

    def install(self, names: Sequence[str]) -> None:
        """Add the hooks `names`, and write again those that were here.

        Raise SmartcommitError if the file cannot be changed, or has a hook of such a name that is not ours.
        """
        installed = self.list_installed()
        for section in _read_commands(self.path):
            name = section.removeprefix(PREFIX)
            if section == PREFIX + name and name in names and name not in installed:
                raise SmartcommitError(
                    f"'{self.path}' has a hook '{section}' already, which smartcommit has not written",
                    hint=f"remove it: git config -f '{self.path}' --remove-section hook.{section}",
                )
        self._change([name for name in MODULES if name in names or name in installed])

    def uninstall(self) -> list[str]:
        """Remove our hooks and return their names; the rest of the file stays as it is, byte for byte.

        Raise SmartcommitError if the file cannot be changed.
        """
        installed = self.list_installed()
        self._sweep()
        if installed:
            self._change(())
        return installed

    def _change(self, names: Sequence[str]) -> None:
        """Make `names` the hooks of ours in this file, in one step."""
        if os.path.lexists(self.path) and not os.path.isfile(self.path):
            raise SmartcommitError(f"'{self.path}' is not a file", hint="see GIT_CONFIG_GLOBAL in git(1)")
        os.makedirs(os.path.dirname(self.spare), mode=0o700, exist_ok=True)
        for _ in range(_ATTEMPTS):
            self._sweep()
            try:
                seen = _read(self.path)
                content = self._remove_sections(seen, installing=bool(names))
                content = _add_sections(content, names, everywhere=self.everywhere)
                if content == seen or self._replace(seen, content):
                    return
            finally:
                self._sweep()
        raise SmartcommitError(f"another program changes '{self.path}'", hint="wait until it has ended, and try again")

    def _remove_sections(self, seen: bytes | None, *, installing: bool) -> bytes | None:
        """Return the content `seen` as it was before our sections were added, None if there was no file.

        Keys that somebody has added to them stay if they are `installing` again, comments always.
        """
        if seen is None:
            return None
        content, remark = seen, b""
        for name in reversed(MODULES):
            head = _write_head(name, "")
            found = re.search(_SECTION % (re.escape(head), name.encode()), content, re.MULTILINE)
            if found is None:
                continue
            top, rest, remark = content[: found.start()], content[found.end() :], found[1]
            if installing and not _NO_KEY.match(found[2]):
                top += head + b"\n"
            elif not installing:
                rest = _drop_keys(rest)
            if remark == _OPEN_LINE.encode() and not rest:
                top = top.removesuffix(b"\n")
            content = top + rest
        if not content and remark == _NEW_FILE.encode():
            return None
        return self._remove_edited(content)

    def _remove_edited(self, content: bytes) -> bytes:
        """Return `content` without the commands and events of ours that somebody has edited."""
        hook_files.write_executable(self.spare, content)
        for name in _list_ours(self.spare):
            for key in ("command", "event"):
                run(("config", "-f", self.spare, "--unset-all", f"hook.{PREFIX}{name}.{key}"), expected=(0, 5))
        return _read(self.spare) or b""

    def _replace(self, seen: bytes | None, content: bytes | None) -> bool:
        """Give the file its new content, or delete it; return False if `seen` is not its content any more."""
        with suppress(FileNotFoundError):
            os.unlink(self.spare)
        hook_files.write_executable(self.spare, content or b"")
        mode = 0o644 if seen is None else stat.S_IMODE(os.stat(self.path).st_mode)
        os.chmod(self.spare, mode)
        lock = FileLock(self.path)
        try:
            os.makedirs(os.path.dirname(os.path.realpath(self.path)), exist_ok=True)
            lock.take(self.spare)
        except OSError as error:
            name_file(error, self.path)
            raise
        if _read(self.path) != seen:
            lock.release(self.spare)
            return False
        if content is None:
            os.unlink(self.path)
            lock.release(self.spare)
        else:
            lock.install()
        return True

    def _sweep(self) -> None:
        """Delete what a command that was killed left, and what this one needs no longer."""
        FileLock(self.path).release(self.spare)
        for path in (self.spare, f"{self.spare}.lock", f"{self.spare}.copied"):
            with suppress(FileNotFoundError):
                os.unlink(path)


def of_repository(repository: Repository) -> ConfigHooks:
    """Return our hooks in the configuration of `repository`, which all its worktrees share."""
    folder = os.path.join(repository.common_dir, "smartcommit")
    return ConfigHooks(os.path.join(repository.common_dir, "config"), os.path.join(folder, "config.new"))


def of_user(folder: str) -> ConfigHooks:
    """Return our hooks in the configuration of the user, whose files of ours are in `folder`."""
    return ConfigHooks(_find_user_file(), os.path.join(folder, "config.new"), everywhere=True)


def _find_user_file() -> str:
    """Return the file that `git config --global` writes. Source: git_global_config and git-config(1), FILES."""
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    if named is not None:
        return os.path.abspath(os.path.expanduser(named))
    usual = os.path.expanduser("~/.gitconfig")
    other = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git", "config")
    if not os.path.exists(usual) and os.path.exists(other):
        return other
    return usual


def find_elsewhere(repository: Repository | None = None) -> list[str]:
    """Return the files with hooks of ours that `uninstall` does not write: included ones, say.

    They are for `repository`, or for all of the user's.
    """
    command = ("config", "-z", "--show-origin", "--show-scope", "--get-regexp", _COMMANDS)
    if repository is None:
        directory, own, scopes = os.sep, _find_user_file(), ["global"]
        listing = run(command, directory=directory, expected=(0, 1)).stdout
    else:
        directory, own, scopes = repository.worktree, of_repository(repository).path, ["local", "worktree"]
        listing = repository.run(*command, expected=(0, 1))
    fields = os.fsdecode(listing).split("\0")
    found = []
    for scope, origin, entry in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        path = os.path.join(directory, origin.removeprefix("file:"))
        ours = any(module in entry.partition("\n")[2] for module in MODULES.values())
        if ours and scope in scopes and os.path.realpath(path) != os.path.realpath(own):
            found.append(path)
    return list(dict.fromkeys(found))


def _list_ours(path: str) -> list[str]:
    """Return the names of our hooks in a configuration file."""
    commands = _read_commands(path)
    return [name for name in MODULES if MODULES[name] in commands.get(PREFIX + name, "")]


def _read_commands(path: str) -> dict[str, str]:
    """Return the command of each hook in a configuration file, without those it includes."""
    if not os.path.isfile(path):
        return {}
    listing = run(("config", "-f", path, "-z", "--get-regexp", _COMMANDS), expected=(0, 1)).stdout
    commands = {}
    for key, value in parse_config(listing):
        commands[key.removeprefix("hook.").removesuffix(".command")] = value or ""
    return commands


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _drop_keys(content: bytes) -> bytes:
    """Return `content`, the rest of a section and what follows it, without the keys of that section."""
    kept = []
    lines = content.split(b"\n")
    while lines and not lines[0].lstrip().startswith(b"["):
        line = lines.pop(0)
        if line.lstrip().startswith((b"#", b";")) or not line.strip():
            kept.append(line)
            continue
        while lines and line.removesuffix(b"\r").endswith(b"\\"):
            line = lines.pop(0)
    return b"\n".join(kept + lines)


def _add_sections(content: bytes | None, names: Sequence[str], *, everywhere: bool) -> bytes | None:
    """Return `content` with a section for each of the hooks `names` at its end."""
    if not names:
        return content
    remark = ""
    if content is None:
        remark = _NEW_FILE
    elif content and (not content.endswith(b"\n") or content.endswith(b"\\\n")):
        # A backslash before the line feed continues a value.
        content, remark = content + b"\n", _OPEN_LINE
    parts = [content or b""]
    for name in names:
        command = write_command(name, everywhere=everywhere)
        for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
            command = command.replace(sign, escape)
        lines = f'\n\tcommand = "{command}"\n\tevent = {name}\n'
        parts.append(_write_head(name, remark) + os.fsencode(lines))
        remark = ""
    return b"".join(parts)


def _write_head(name: str, remark: str) -> bytes:
    """Return the first line of our section for the hook `name`, without the line feed."""
    return f'[hook "{PREFIX}{name}"]{remark}'.encode()
