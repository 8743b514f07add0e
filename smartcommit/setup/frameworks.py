"""Our hooks by pre-commit or prek: an entry in the configuration, and the git hooks that the framework installs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import yaml

from smartcommit import DOCS, __version__
from smartcommit.errors import ConfigError, GitError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.hook_scripts import GENERATED, find_assigned
from smartcommit.setup.hooks_owner import OWN, explain_path, find_hooks_path, is_below
from smartcommit.setup.pieces import PieceRecord, read
from smartcommit.setup.precommit_config import (
    MESSAGE_TYPES,
    NAME,
    PREK_NAME,
    TYPES_KEY,
    UnsupportedLayout,
    find_address,
    is_same_address,
    list_hooks,
    parse,
    plan_insertions,
    remove,
)

# The variable in an installed git hook that holds the program to run.
_PROGRAMS = {"pre-commit": "INSTALL_PYTHON", "prek": "PREK"}
# Where the hooks are published.
MANIFEST = ".pre-commit-hooks.yaml"
PUBLISHED = "https://github.com/smartcommit/smartcommit"
RELEASE = f"v{__version__}"
# The name on the package index.
DISTRIBUTION = "smartcommit-hooks"
_LINES = f"{DOCS}/installing.md#with-pre-commit-or-prek"
# What pre-commit installs if a configuration lists no hook types.
_DEFAULT_TYPES = ["pre-commit"]


class Framework(NamedTuple):
    """pre-commit or prek, and the path of its program."""

    name: str
    program: str

    def run(self, repository: Repository, *arguments: str) -> list[str]:
        """Run the program and return the lines of both outputs; raise SmartcommitError if it fails."""
        done = subprocess.run(
            [self.program, *arguments],
            cwd=repository.worktree,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        lines = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
        if done.returncode:
            reason = (lines or [f"status {done.returncode}"])[-1]
            raise SmartcommitError(f"'{self.name} {arguments[0]}' failed: {reason}")
        return lines


class PreCommitHooks:
    """Our hooks in the configuration of pre-commit, taken from `repo` at `rev`, and the git hooks that it needs."""

    def __init__(
        self, repository: Repository, record: PieceRecord, repo: str | None = None, rev: str | None = None
    ) -> None:
        self._repository, self._record = repository, record
        self._repo, self._rev = repo, rev
        self._path = os.path.join(repository.worktree, NAME)
        self._folder = os.path.join(repository.common_dir, "hooks")

    @property
    def recorded(self) -> bool:
        """Whether it was `install` that added our hooks to the configuration, or installed git hooks for it."""
        return self._record.find(self._path) is not None or bool(self._list_recorded_types())

    def list_installed(self) -> list[str]:
        """Return the names of the hooks that `install` has made pre-commit or prek run."""
        if not self.recorded:
            return []
        there = list_types(self._repository, "pre-commit") + list_types(self._repository, "prek")
        return [
            name for name in MESSAGE_TYPES if name in there and self._record.find(self._find_hook(name)) is not None
        ]

    def install(self, _names: Sequence[str]) -> list[str]:
        """Add our hooks to the configuration, have the framework install git hooks, and return what was done.

        Raise SmartcommitError, with nothing changed, if the framework would not run them or the configuration cannot be
        edited.
        """
        self._refuse()
        text = read(self._path)
        data = parse(text or "")
        origins = list_origins(self._repository, self._repo)
        there = find_address(data, origins)
        repo, rev = find_origin()
        if self._repo is not None and self._rev is not None:
            repo, rev = self._repo, self._rev
            if there is not None and not is_same_address(there, repo):
                raise ConfigError(
                    f"'{NAME}' has these hooks from '{there}'", hint="change 'repo' and 'rev' there by hand"
                )
        framework = find_framework(self._repository)
        installed = list_types(self._repository, framework.name)
        try:
            recorded = self._list_recorded_types()
            # What an earlier command has installed is not where other hooks ran before.
            before = [kind for kind in installed if kind not in recorded]
            pieces = plan_insertions(text or "", repo, rev, origins=origins, installed=before)
        except UnsupportedLayout as error:
            hint = f"add the lines of {_LINES} by hand, then run this command again"
            raise ConfigError(f"cannot edit '{NAME}' safely: {error}", hint=hint) from error
        if pieces:
            self._record.insert(self._path, pieces)
        data = parse(read(self._path) or "")
        hooks = ", ".join(list_hooks(data, origins))
        missing = [kind for kind in data.get(TYPES_KEY) or _DEFAULT_TYPES if kind not in installed]
        if not pieces and not missing:
            return [f"nothing to do: '{NAME}' has {hooks} already, and they are installed"]
        for kind in missing:
            self._record.note(self._find_hook(kind))
        said = framework.run(self._repository, "install")
        if pieces:
            said.insert(0, f"{'created' if text is None else 'updated'} '{NAME}': {hooks}")
            said.append(f"next: git add {NAME}  ({framework.name} does not run while this file has unstaged changes)")
        if pieces and os.path.isabs(repo):
            said.append(
                f"the hooks come from '{repo}', which others cannot reach: --repo and --rev name another source"
            )
        return said

    def uninstall(self) -> list[str]:
        """Take everything back that `install` did, and return what was done."""
        entry, text = self._record.find(self._path), read(self._path)
        types = self._list_recorded_types()
        there = list_types(self._repository, "pre-commit") + list_types(self._repository, "prek")
        said: list[str] = []
        if unneeded := [f"--hook-type={kind}" for kind in types if kind in there]:
            said += find_framework(self._repository).run(self._repository, "uninstall", *unneeded)
        for kind in types:
            self._record.forget(self._find_hook(kind))
        if entry is None or text is None:
            self._record.forget(self._path)
            return said
        rest, left = remove(text, entry.pieces)
        if left and find_address(parse(rest), list_origins(self._repository)) is not None:
            return [*said, f"our lines in '{NAME}' were edited: remove them by hand"]
        self._record.restore(self._path, rest)
        if rest != text:
            said.append(f"removed our lines from '{NAME}'")
        return said

    def _refuse(self) -> None:
        """Raise SmartcommitError if the framework would not read `.pre-commit-config.yaml` or not install git hooks."""
        found = find_hooks_path(self._repository)
        if found.path != os.path.realpath(found.usual) or found.owner != OWN:
            raise SmartcommitError(
                f"{explain_path(self._repository, found)}, so pre-commit cannot install hooks",
                hint="run 'smartcommit install' without --pre-commit, or remove that",
            )
        if os.path.lexists(os.path.join(self._repository.worktree, PREK_NAME)):
            raise ConfigError(f"prek reads '{PREK_NAME}' here, not '{NAME}'", hint=f"add the lines of {_LINES} to it")
        if not is_below(os.path.realpath(self._path), os.path.realpath(self._repository.worktree)):
            raise ConfigError(f"'{NAME}' is a symlink to a file outside this repository", hint="edit that file by hand")
        if os.path.lexists(self._path) and not os.path.isfile(self._path):
            raise ConfigError(f"'{NAME}' is not a file", hint="remove or rename it")

    def _list_recorded_types(self) -> list[str]:
        """Return the types of the git hooks that `install` has made the framework install."""
        names = sorted(os.listdir(self._folder)) if os.path.isdir(self._folder) else []
        return [name for name in names if self._record.find(self._find_hook(name)) is not None]

    def _find_hook(self, kind: str) -> str:
        return os.path.join(self._folder, kind)


def find_framework(repository: Repository) -> Framework:
    """Return the framework on PATH whose git hooks are installed, else any.

    The two are never mixed: each keeps the git hooks of the other and runs them first, so every hook would run twice.
    Raise SmartcommitError if it is not on PATH.
    """
    used = [name for name in _PROGRAMS if list_types(repository, name)]
    found = []
    for name in used or _PROGRAMS:
        path = shutil.which(name)
        if path is not None:
            found.append(Framework(name, os.path.abspath(path)))
    # A pre-commit beside our interpreter may be on PATH only because smartcommit depends on it.
    found.sort(key=lambda each: os.path.dirname(each.program) == os.path.dirname(sys.executable))
    if not found:
        name = (used or ["pre-commit or prek"])[0]
        raise SmartcommitError(f"{name} is not on PATH", hint=f"install {name}")
    return found[0]


def list_types(repository: Repository, name: str) -> list[str]:
    """Return the types of the git hooks that the framework `name` has installed."""
    mark = f"{GENERATED}{name}:"
    return [kind for kind, content in _read_hooks(repository) if mark in content]


def find_program(text: str, name: str) -> str | None:
    """Return the program that an installed git hook of the framework `name` runs, None if it names none."""
    return find_assigned(text, _PROGRAMS[name])


def _read_hooks(repository: Repository) -> list[tuple[str, str]]:
    """Return the type and the start of each git hook, sorted by type."""
    folder = os.path.join(repository.common_dir, "hooks")
    hooks = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        # git runs neither `commit-msg.sample` nor `commit-msg.legacy`, a hook that was moved aside.
        if "." not in name and os.path.isfile(path):
            with open(path, "rb") as file:
                hooks.append((name, file.read(4096).decode("utf-8", "replace")))
    return hooks


def find_origin() -> tuple[str, str]:
    """Return the repository and revision of this installation's hooks, as recorded by pip, or the published ones."""
    try:
        return read_origin(metadata.distribution(DISTRIBUTION).read_text("direct_url.json"))
    except metadata.PackageNotFoundError:  # run from the sources, without an installation
        return PUBLISHED, RELEASE


def list_origins(repository: Repository, repo: str | None = None) -> list[str]:
    """Return the addresses that our hooks may come from: `repo`, what an earlier run used, and the usual ones."""
    origins = [PUBLISHED, find_origin()[0]]
    entry = PieceRecord(repository.common_dir).find(os.path.join(repository.worktree, NAME))
    for _, piece in entry.pieces if entry is not None else ():
        origins += [str(yaml.safe_load(address)) for address in re.findall(r"repo: (\"[^\"]*\"|[^\r\n{,]*)", piece)]
    if repo is not None:
        origins.append(repo)
    return origins


def read_origin(direct_url: str | None) -> tuple[str, str]:
    """Return the repository and revision in pip's `direct_url.json`, or the published ones. Source: PEP 610."""
    origin = json.loads(direct_url or "{}")
    url = origin.get("url", "")
    if "vcs_info" in origin:
        return url, origin["vcs_info"]["commit_id"]
    if url.startswith("file:"):
        return _find_last_commit(url2pathname(urlsplit(url).path)) or (PUBLISHED, RELEASE)
    return PUBLISHED, RELEASE


def _find_last_commit(path: str) -> tuple[str, str] | None:
    """Return the checkout at `path` and its last commit, None if it is not a checkout of smartcommit."""
    if not os.path.exists(os.path.join(path, ".git")) or not os.path.isfile(os.path.join(path, MANIFEST)):
        return None
    try:
        return path, run(("rev-parse", "--verify", "HEAD"), directory=path).stdout.decode().strip()
    except GitError:
        return None
