"""Installs the git hooks by pre-commit or prek, and records what `--remove` restores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from urllib.parse import urlsplit
from urllib.request import url2pathname

from smartcommit import DOCS, __version__, state_files
from smartcommit.errors import ConfigError, GitError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.setup.hook_scripts import GENERATED, find_assigned
from smartcommit.setup.precommit_config import NAME

# The variable in an installed git hook that holds the program to run, and the arguments of that program.
_PROGRAMS = {"pre-commit": ("INSTALL_PYTHON", ["-mpre_commit"]), "prek": ("PREK", [])}
# Where the hooks are published.
MANIFEST = ".pre-commit-hooks.yaml"
PUBLISHED = "https://github.com/smartcommit/smartcommit"
RELEASE = f"v{__version__}"
# The name on the package index.
DISTRIBUTION = "smartcommit-hooks"
RECORD_NAME = "init.json"
# Seconds that a repository may take to list its references.
_TIMEOUT = 60
_GIVE_REV = "give a revision with '--rev'"


@dataclass(frozen=True, slots=True)
class Framework:
    """pre-commit or prek, and the `command` that runs it.

    `bundled` is set for the pre-commit that was installed as a dependency of smartcommit. One that works `apart` does
    not see the user's configuration of git: it would refuse our `core.hooksPath` there.
    """

    name: str
    command: tuple[str, ...]
    bundled: bool = False
    apart: bool = False

    def works(self) -> bool:
        """Whether the command runs: a version manager's shim may stand for a program that is not installed."""
        try:
            done = subprocess.run(
                [*self.command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
        except OSError:
            return False
        return done.returncode == 0

    def validate(self, repository: Repository) -> None:
        """Raise ConfigError unless the repository's configuration is valid."""
        status, output = self._run(repository, "validate-config", NAME)
        if status:
            reason = (output or [f"status {status}"])[-1].lstrip("=> |^")
            raise ConfigError(
                f"'{NAME}' is not valid: {reason}", hint=f"run '{self.name} validate-config {NAME}' to see where"
            )

    def install(self, repository: Repository) -> list[str]:
        """Install the hook types that the configuration lists and return the output lines."""
        return self._run_checked(repository, "install")

    def uninstall(self, repository: Repository, types: Sequence[str]) -> list[str]:
        """Remove the git hooks of `types`, restore those they replaced, and return the output lines."""
        return self._run_checked(repository, "uninstall", *(f"--hook-type={name}" for name in types))

    def _run_checked(self, repository: Repository, *arguments: str) -> list[str]:
        status, output = self._run(repository, *arguments)
        if status:
            reason = (output or [f"status {status}"])[-1]
            raise SmartcommitError(f"'{self.name} {arguments[0]}' failed: {reason}")
        return output

    def _run(self, repository: Repository, *arguments: str) -> tuple[int, list[str]]:
        """Return the exit status and the lines of both outputs that are not blank."""
        environment = dict(os.environ)
        if self.apart:
            environment["GIT_CONFIG_GLOBAL"] = os.devnull
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=repository.worktree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        return done.returncode, [line for line in lines if line.strip()]


def find_framework(repository: Repository) -> Framework:
    """Return the framework whose git hooks are installed, else what PATH has, else the bundled pre-commit.

    The two are never mixed: each keeps the git hooks of the other and runs them first, so every hook would run twice.
    Raise SmartcommitError if prek's git hooks are installed and prek does not run.
    """
    used = next((name for name in ("prek", "pre-commit") if list_installed(repository, name)), None)
    if used is None:
        candidates = _on_path(tuple(_PROGRAMS))
    else:
        candidates = _on_path((used,)) + _recorded(repository, used)
    for framework in candidates:
        if framework.works():
            return framework
    if used == "prek":
        raise SmartcommitError("these git hooks were installed by prek, but prek is not on PATH", hint="install prek")
    return Framework("pre-commit", (sys.executable, "-m", "pre_commit"), bundled=True)


def list_installed(repository: Repository, name: str) -> list[str]:
    """Return the types of the git hooks that the framework `name` has installed."""
    mark = f"{GENERATED}{name}:".encode()
    return [kind for kind, content in _git_hooks(repository) if mark in content]


def refuse_hooks_path(repository: Repository, shared: str) -> None:
    """Raise SmartcommitError if `core.hooksPath` is set: pre-commit installs into the git directory only.

    That may be the directory `shared`, whose hooks run those of each repository.
    """
    scope, path = _read_hooks_path(repository)
    if not path or os.path.realpath(path) == os.path.realpath(shared):
        return
    option = ""
    if scope in ("system", "global", "worktree"):
        option = f"--{scope} "
    raise SmartcommitError(
        f"core.hooksPath is set to '{path}', so pre-commit cannot install hooks",
        hint=f"run 'git config {option}--unset-all core.hooksPath' and try again, or keep it and add these lines to "
        f"the hooks there: {DOCS}/installing.md#beside-other-hooks",
    )


def set_apart(framework: Framework, repository: Repository, shared: str) -> Framework:
    """Return the framework, working apart if `core.hooksPath` is the directory `shared`."""
    _, path = _read_hooks_path(repository)
    return replace(framework, apart=bool(path) and os.path.realpath(path) == os.path.realpath(shared))


def _read_hooks_path(repository: Repository) -> tuple[str, str]:
    """Return the scope and the value of `core.hooksPath`, empty if it is not set."""
    options = ("-z", "--show-scope", "--type=path", "--get", "core.hooksPath")
    found = os.fsdecode(repository.run("config", *options, expected=(0, 1)))
    scope, _, path = found.rstrip("\0").partition("\0")
    return scope, path


def _on_path(names: Sequence[str]) -> list[Framework]:
    """Return those of `names` that are on PATH, in this order.

    A pre-commit beside our interpreter comes last: it may be on PATH only because smartcommit depends on it.
    """
    found = []
    last = []
    for name in names:
        path = shutil.which(name)
        if path is None:
            continue
        path = os.path.abspath(path)
        if name == "pre-commit" and os.path.dirname(path) == os.path.dirname(sys.executable):
            last.append(Framework(name, (path,)))
        else:
            found.append(Framework(name, (path,)))
    return found + last


def _recorded(repository: Repository, name: str) -> list[Framework]:
    """Return the framework `name` as its installed git hooks run it, from a virtual environment for example."""
    _, arguments = _PROGRAMS[name]
    found = []
    for _, content in _git_hooks(repository):
        program = find_program(content.decode("utf-8", "replace"), name)
        if program:
            found.append(Framework(name, (program, *arguments)))
    return found


def find_program(text: str, name: str) -> str | None:
    """Return the program that an installed git hook of the framework `name` runs, None if it names none."""
    variable, _ = _PROGRAMS[name]
    return find_assigned(text, variable)


def _git_hooks(repository: Repository) -> list[tuple[str, bytes]]:
    """Return the type and the first bytes of each git hook, sorted by type."""
    folder = os.path.join(repository.common_dir, "hooks")
    if not os.path.isdir(folder):
        return []
    hooks = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        # git runs neither `commit-msg.sample` nor `commit-msg.legacy`, a hook that was moved aside.
        if "." not in name and os.path.isfile(path):
            with open(path, "rb") as file:
                hooks.append((name, file.read(4096)))
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
    record = Record.load(repository)
    if record is not None:
        origins.append(record.repo)
    if repo is not None:
        origins.append(repo)
    return origins


def find_revision(repo: str, directory: str) -> str:
    """Return a revision of `repo` to check out: the release that is installed if it is there, else its last commit.

    `directory` is what a relative path begins at. Raise ConfigError if `repo` cannot be asked.
    """
    if repo == PUBLISHED:
        return RELEASE
    tag = f"refs/tags/{RELEASE}"
    try:
        done = run(
            ("ls-remote", "--", repo, "HEAD", tag), directory=directory, environment={"GIT_TERMINAL_PROMPT": "0"},
            timeout=_TIMEOUT,
        )  # fmt: skip
    except GitError as error:
        raise ConfigError(f"cannot tell which revision of '{repo}' to use: {error}", hint=_GIVE_REV) from error
    found = {}
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        commit, _, name = line.partition("\t")
        found[name] = commit
    if tag in found:
        return RELEASE
    if "HEAD" not in found:
        raise ConfigError(f"'{repo}' has no commits", hint=_GIVE_REV)
    return found["HEAD"]


def read_origin(direct_url: str | None) -> tuple[str, str]:
    """Return the repository and revision in pip's `direct_url.json`, or the published ones. Source: PEP 610."""
    origin = json.loads(direct_url or "{}")
    url = origin.get("url", "")
    if "vcs_info" in origin:
        return url, origin["vcs_info"]["commit_id"]
    if url.startswith("file:"):
        return _last_commit(url2pathname(urlsplit(url).path)) or (PUBLISHED, RELEASE)
    return PUBLISHED, RELEASE


def _last_commit(path: str) -> tuple[str, str] | None:
    """Return the checkout at `path` and its last commit, None if it is not a checkout of smartcommit."""
    if not os.path.exists(os.path.join(path, ".git")) or not os.path.isfile(os.path.join(path, MANIFEST)):
        return None
    try:
        return path, run(("rev-parse", "--verify", "HEAD"), directory=path).stdout.decode().strip()
    except GitError:
        return None


@dataclass(slots=True)
class Record:
    """What `init` changed in a repository; all its worktrees share the record, as they share the hooks.

    `before` is the configuration as it was, None if there was no file, and `after` what `init` made of it. `types` are
    the hook types that it added there, `stages` the `default_stages`, and `installed` the types of hooks that it
    installed.
    """

    repo: str
    before: str | None
    after: str
    types: list[str] = field(default_factory=list)
    installed: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, repository: Repository) -> Record | None:
        """Return the record of this repository, None if there is none that can be read."""
        return state_files.load_json(repository.common_dir, RECORD_NAME, lambda fields: cls(**fields))

    def save(self, repository: Repository) -> bool:
        """Save the record; return False if the git directory cannot be written."""
        return state_files.save_json(repository.common_dir, RECORD_NAME, asdict(self))

    @staticmethod
    def forget(repository: Repository) -> None:
        """Delete the record, if there is one."""
        state_files.drop(repository.common_dir, RECORD_NAME)
