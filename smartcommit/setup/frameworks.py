"""Our hooks by pre-commit or prek: an entry in the configuration, and the git hooks that the framework installs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from urllib.parse import urlsplit
from urllib.request import url2pathname

from smartcommit import DOCS, __version__
from smartcommit.errors import ConfigError, GitError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.git_hooks import EVENTS, FRAMEWORKS, find_hooks_path, is_below, read_start
from smartcommit.setup.hook_scripts import GENERATED
from smartcommit.setup.pieces import PieceRecord, read
from smartcommit.setup.precommit_config import (
    MESSAGE_TYPES,
    NAME,
    PREK_NAME,
    TYPES_KEY,
    UnsupportedLayout,
    find_address,
    list_hooks,
    parse,
    plan_insertions,
    remove,
)

# Where the hooks are published.
MANIFEST = ".pre-commit-hooks.yaml"
PUBLISHED = "https://github.com/smartcommit/smartcommit"
RELEASE = f"v{__version__}"
# The name on the package index.
DISTRIBUTION = "smartcommit-hooks"
_LINES = f"{DOCS}/installing.md#with-pre-commit-or-prek"
# What pre-commit installs if a configuration lists no hook types.
_DEFAULT_TYPES = ["pre-commit"]


class PreCommitHooks:
    """Our hooks in the configuration of pre-commit, taken from `origin`, and the git hooks that it needs.

    An `origin` is a repository and a revision; without one, it is where this command was installed from.
    """

    def __init__(self, repository: Repository, record: PieceRecord, origin: tuple[str, str] | None = None) -> None:
        self._repository, self._record, self._origin = repository, record, origin
        self._path = os.path.join(repository.worktree, NAME)

    def list_installed(self) -> list[str]:
        """Return the names of the hooks that `install` has made pre-commit or prek run."""
        recorded = self._list_recorded_types()
        if self._record.find(self._path) is not None:
            recorded = list(MESSAGE_TYPES)
        there = list_types(self._repository)
        return [name for name in MESSAGE_TYPES if name in there and name in recorded]

    def install(self, _names: Sequence[str]) -> list[str]:
        """Add our hooks to the configuration, have the framework install git hooks, and return what was done.

        Raise SmartcommitError, with nothing changed, if the framework would not run them or the configuration cannot be
        edited.
        """
        self._refuse()
        text = read(self._path)
        there, (repo, rev) = find_address(parse(text or "")), self._origin or find_origin()
        if self._origin is not None and there not in (None, repo):
            hint = "change 'repo' and 'rev' there by hand"
            raise ConfigError(f"'{NAME}' has these hooks from '{there}'", hint=hint)
        program = find_program(self._repository)
        installed, recorded = list_types(self._repository, os.path.basename(program)), self._list_recorded_types()
        # What an earlier command has installed is not where other hooks ran before.
        before = sorted(set(installed).difference(recorded))
        try:
            pieces = plan_insertions(text or "", repo, rev, before)
        except UnsupportedLayout as error:
            hint = f"add the lines of {_LINES} by hand, then run this command again"
            raise ConfigError(f"cannot edit '{NAME}' safely: {error}", hint=hint) from error
        if pieces:
            self._record.insert(self._path, pieces)
        data = parse(read(self._path) or "")
        hooks = ", ".join(list_hooks(data))
        missing = [kind for kind in data.get(TYPES_KEY) or _DEFAULT_TYPES if kind not in installed]
        if not pieces and not missing:
            return [f"nothing to do: '{NAME}' has {hooks} already, and they are installed"]
        for kind in missing:
            self._record.note(self._find_hook(kind))
        said = self._run(program, "install")
        if pieces:
            said.insert(0, f"our lines are in '{NAME}': {hooks}")
            said.append(f"next: git add {NAME}  (pre-commit and prek do not run while this file has unstaged changes)")
        if pieces and os.path.isabs(repo):
            said.append(f"the hooks come from '{repo}': to share them, name another source by --repo and --rev")
        return said

    def uninstall(self) -> list[str]:
        there, said = list_types(self._repository), []
        recorded = self._list_recorded_types()
        if unneeded := [f"--hook-type={kind}" for kind in recorded if kind in there]:
            said += self._run(find_program(self._repository), "uninstall", *unneeded)
        for kind in recorded:
            self._record.forget(self._find_hook(kind))
        entry, text = self._record.find(self._path), read(self._path) or ""
        if entry is None:
            return said
        rest = remove(text, entry.pieces)
        if rest is not None:
            self._record.restore(self._path, rest)
            said.append(f"removed our lines from '{NAME}'")
        elif find_address(parse(text)) is not None:
            said.append(f"our lines in '{NAME}' were edited: remove them by hand")
        else:
            self._record.forget(self._path)
        return said

    def _refuse(self) -> None:
        """Raise SmartcommitError if the framework would not read `.pre-commit-config.yaml` or not install git hooks."""
        found, top = find_hooks_path(self._repository), os.path.realpath(self._repository.worktree)
        if found.path != found.usual:
            raise SmartcommitError(
                f"git looks for hooks in '{found.path}', where pre-commit cannot install any",
                hint="run 'smartcommit install' without --pre-commit, or unset core.hooksPath",
            )
        if os.path.lexists(os.path.join(self._repository.worktree, PREK_NAME)):
            raise ConfigError(f"prek reads '{PREK_NAME}' here, not '{NAME}'", hint=f"add the lines of {_LINES} to it")
        outside = not is_below(os.path.realpath(self._path), top)
        if outside or (os.path.lexists(self._path) and not os.path.isfile(self._path)):
            raise ConfigError(f"'{NAME}' is not a file in this repository", hint="remove or rename it")

    def _list_recorded_types(self) -> list[str]:
        """Return the types of the git hooks that `install` has made the framework install."""
        return [kind for kind in EVENTS if self._record.find(self._find_hook(kind)) is not None]

    def _find_hook(self, kind: str) -> str:
        return os.path.join(self._repository.common_dir, "hooks", kind)

    def _run(self, program: str, *arguments: str) -> list[str]:
        """Run the framework and return the lines of both outputs; raise SmartcommitError if it fails."""
        done = subprocess.run(
            [program, *arguments],
            cwd=self._repository.worktree,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        if done.returncode:
            reason = (lines or [f"status {done.returncode}"])[-1]
            raise SmartcommitError(f"'{os.path.basename(program)} {arguments[0]}' failed: {reason}")
        return lines


def find_program(repository: Repository) -> str:
    """Return the path of the framework on PATH whose git hooks are installed, else of any.

    The two are never mixed: each keeps the git hooks of the other and runs them first, so every hook would run twice.
    Raise SmartcommitError if it is not on PATH.
    """
    used = [name for name in FRAMEWORKS if list_types(repository, name)]
    found = []
    for name in used or FRAMEWORKS:
        path = shutil.which(name)
        if path is not None:
            found.append(os.path.abspath(path))
    # A pre-commit beside our interpreter may be on PATH only because smartcommit depends on it.
    found.sort(key=os.path.join(os.path.dirname(sys.executable), "pre-commit").__eq__)
    if not found:
        name = (used or ["pre-commit or prek"])[0]
        raise SmartcommitError(f"{name} is not on PATH", hint=f"install {name}")
    return found[0]


def list_types(repository: Repository, *names: str) -> list[str]:
    """Return the types of the git hooks that the frameworks `names` have installed, by default any."""
    found = []
    for kind in EVENTS:
        text = read_start(os.path.join(repository.common_dir, "hooks", kind)) or ""
        if text.partition(GENERATED)[2].partition(":")[0] in (names or FRAMEWORKS):
            found.append(kind)
    return found


def find_origin() -> tuple[str, str]:
    """Return the repository and revision of this installation's hooks, as recorded by pip, or the published ones."""
    try:
        return read_origin(metadata.distribution(DISTRIBUTION).read_text("direct_url.json"))
    except metadata.PackageNotFoundError:  # run from the sources, without an installation
        return PUBLISHED, RELEASE


def read_origin(direct_url: str | None) -> tuple[str, str]:
    """Return the repository and revision in pip's `direct_url.json`, or the published ones. Source: PEP 610.

    Of a checkout of smartcommit, it is the last commit.
    """
    origin = json.loads(direct_url or "{}")
    url = origin.get("url", "")
    if "vcs_info" in origin:
        return url, origin["vcs_info"]["commit_id"]
    path = url2pathname(urlsplit(url).path)
    if url.startswith("file:") and os.path.isfile(os.path.join(path, MANIFEST)):
        try:
            return path, run(
                ("-C", path, f"--git-dir={path}/.git", "rev-parse", "--verify", "HEAD")
            ).stdout.decode().strip()
        except GitError:
            pass
    return PUBLISHED, RELEASE
