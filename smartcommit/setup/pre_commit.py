"""Our hooks by pre-commit or prek: an entry in the configuration, and the git hooks that the framework installs.

Only our lines are added to `.pre-commit-config.yaml`, if it is laid out as pre-commit's sample is. The edited text is
parsed again and must mean what was intended. Otherwise nothing is changed, and the person gets the lines.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import metadata
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import yaml

from smartcommit import DOCS, __version__
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.json_text import as_list
from smartcommit.setup.git_hooks import FRAMEWORKS, find_hooks_path, is_below
from smartcommit.setup.hook_scripts import GENERATED, MODULES, USUAL
from smartcommit.setup.pieces import Insertion, Piece, PieceRecord, cut, find_newline, insert, read, read_start

NAME = ".pre-commit-config.yaml"
# prek reads its own file instead of pre-commit's, if it is there.
PREK_NAME = "prek.toml"
TYPES_KEY = "default_install_hook_types"
STAGES_KEY = "default_stages"
IDS = (*MODULES, "split")
# What stands in place of a repository for hooks of the configuration's own.
_LOCAL = "local"
_COMMENT = re.compile(r"^\s*#.*", re.MULTILINE)
# `repos:` and its entries as pre-commit's sample has them, to the last line that is indented or begins with a dash.
_ENTRIES = re.compile(
    r"^repos:[ \t]*(?:#.*)?\r?\n(?:[ \t\r]*(?:#.*)?\n)*(?P<indent> *)(?P<mark>- +)\S.*\n?"
    r"(?:(?:[ \t\r]*\n|#.*\n)*[ -].*\n?)*",
    re.MULTILINE,
)
# `default_install_hook_types: [a, b` up to the bracket, where more can be listed.
_LISTED_TYPES = re.compile(rf"^{TYPES_KEY}: *\[[^\[\]#]*(?=\])", re.MULTILINE)
_REVISION = re.compile(r"(?<= rev: ).*")
# Where the hooks are published.
MANIFEST = ".pre-commit-hooks.yaml"
PUBLISHED = "https://github.com/smartcommit/smartcommit"
RELEASE = f"v{__version__}"
# The name on the package index.
DISTRIBUTION = "smartcommit-hooks"
# What pre-commit installs if a configuration lists no hook types.
_DEFAULT_TYPES = ["pre-commit"]
# All that it knows.
_TYPES = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-rewrite",
    "post-checkout", "post-merge", "pre-push", "pre-rebase",
)  # fmt: skip


class Origin(NamedTuple):
    """Where pre-commit takes hooks from."""

    repo: str
    rev: str


class UnsupportedLayout(ConfigError):
    """The file is valid, but not laid out as pre-commit's sample is. It lacks `lines`."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(
            f"cannot edit '{NAME}' safely: it is not laid out as pre-commit's sample is",
            hint="add these lines by hand, then run this command again:",
        )
        self.lines = lines


def paste(repo: str, rev: str, names: Sequence[str] = USUAL) -> str:
    return "\n".join([_write_list(TYPES_KEY, names), "repos:", *_write_entry(repo, rev, names), ""])


def plan_insertions(
    text: str, repo: str, rev: str, installed: Sequence[str] = (), *, names: Sequence[str] = USUAL
) -> list[Insertion]:
    """Return what to insert into `text` so that it has our hooks `names` and the hook types that they need.

    An entry of ours stays as it is. `default_stages` keep hooks without stages from running at the new types: they go
    on running where they do now, by the listed types and those `installed`. Raise ConfigError if `text` is not valid
    YAML, UnsupportedLayout if its lines cannot be edited safely.
    """
    newline = find_newline(text)
    if not _COMMENT.sub("", text).strip():
        begin = newline if text and not text.endswith("\n") else ""
        return [(len(text), begin + paste(repo, rev, names).replace("\n", newline))]
    data = parse(text)
    keys = _list_missing_keys(data, installed, names)
    lines = [_write_list(key, values) for key, values in keys.items()]
    wanted = {**data, **keys}
    is_absent = find_address(data) is None
    if is_absent:
        hooks = [{"id": name} for name in (*names, "split")]
        wanted["repos"] = [*as_list(data.get("repos")), {"repo": repo, "rev": rev, "hooks": hooks}]
        lines += ["repos:", *_write_entry(repo, rev, names)]
    pieces: list[Insertion] = []
    above = dict(keys)
    listed, entries = _LISTED_TYPES.search(text), _ENTRIES.search(text)
    if TYPES_KEY in keys and listed is not None:
        types = above.pop(TYPES_KEY)[len(as_list(data.get(TYPES_KEY))) :]
        pieces.append((listed.end(), f", {', '.join(types)}"))
    if entries is not None:
        pieces.append((entries.start(), "".join(_write_list(*item) + newline for item in above.items())))
        if is_absent:
            entry = newline.join(_write_entry(repo, rev, names, indent=entries["indent"], mark=entries["mark"]))
            is_open = not entries[0].endswith("\n")
            pieces.append((entries.end(), newline + entry if is_open else entry + newline))
    with suppress(ConfigError, RecursionError):  # a value can contain itself, by an alias
        if parse(insert(text, pieces)[0]) == wanted:
            return [piece for piece in pieces if piece[1]]
    raise UnsupportedLayout(lines)


def _list_missing_keys(data: dict[str, Any], installed: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the lists that the configuration needs for our hooks to run, and for others to run where they do now."""
    listed = as_list(data.get(TYPES_KEY))
    ours = list_hooks(data) or names
    others = [hook for entry, hook in _list_entries(data) if _find_name(entry, hook) is None]
    types = [name for name in MODULES if name in ours and name not in listed]
    if not types:
        return {}
    # The default type is lost once others are listed.
    if others and data.get(TYPES_KEY) is None and "pre-commit" in (installed or _DEFAULT_TYPES):
        types.insert(0, "pre-commit")
    keys = {TYPES_KEY: [*listed, *types]}
    # A hook without stages runs for each git hook that is installed. Source: pre-commit 4.7, `repository._hook`.
    is_new = not set(types) <= {"pre-commit", *installed}
    if is_new and STAGES_KEY not in data and not all(hook.get("stages") for hook in others):
        keys[STAGES_KEY] = list(dict.fromkeys(("pre-commit", *listed, *installed, "manual")))
    return keys


def remove(text: str, pieces: Sequence[Piece]) -> str | None:
    """Return `text` without `pieces`, None if somebody has edited our entry; another revision is no edit."""
    rest, missing = cut(text, [(place, _find_updated(text, piece)) for place, piece in pieces])
    try:
        data = parse(rest)
    except ConfigError:
        return None
    if (data and not isinstance(data.get("repos"), list)) or (missing and find_address(data) is not None):
        return None
    return rest


def _find_updated(text: str, piece: str) -> str:
    """Return a piece as it is in `text` if `pre-commit autoupdate` has changed its revision."""
    revision = _REVISION.search(piece)
    if revision is None:
        return piece
    matches = re.findall(f"{re.escape(piece[: revision.start()])}.*{re.escape(piece[revision.end() :])}", text)
    return matches[0] if len(matches) == 1 else piece


def read_configurations(directory: str) -> dict[str, dict[str, Any]]:
    """Return the configurations of pre-commit and prek by their files; raise ConfigError if one is not valid."""
    configurations = {}
    text = read_start(os.path.join(directory, NAME))
    if text is not None:
        configurations[NAME] = parse(text)
    text = read_start(os.path.join(directory, PREK_NAME))
    if text is not None:
        try:
            configurations[PREK_NAME] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ConfigError(f"'{PREK_NAME}' is not valid TOML: {error}") from error
    return configurations


def list_hooks(configuration: dict[str, Any]) -> list[str]:
    names = []
    for entry, hook in _list_entries(configuration):
        name = _find_name(entry, hook)
        stages = hook.get("stages")
        if entry.get("repo") == _LOCAL:
            # Our manifest has stages, which take precedence over these; a local hook has no manifest.
            stages = stages or configuration.get(STAGES_KEY)
        if name is not None and (name not in MODULES or not as_list(stages) or name in as_list(stages)):
            names.append(name)
    return names


def find_address(configuration: dict[str, Any]) -> str | None:
    for entry, hook in _list_entries(configuration):
        if _find_name(entry, hook) is not None:
            return str(entry.get("repo"))
    return None


def parse(text: str) -> dict[str, Any]:
    """Return the configuration `text` as data, in whatever layout; raise ConfigError if it is not valid YAML."""
    try:
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        place = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"'{NAME}' is not valid YAML{place}: {error.problem}") from error
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        # PyYAML raises most of them for values that do not fit their tags, such as `!!bool x`.
        raise ConfigError(f"'{NAME}' is not valid YAML: a character or value is not possible") from error
    except RecursionError as error:
        raise ConfigError(f"'{NAME}' is not valid YAML: it is nested too deeply") from error
    if isinstance(data, list):
        raise ConfigError(f"'{NAME}' uses pre-commit's old list format", hint="run 'pre-commit migrate-config' first")
    if not isinstance(data, dict | None):
        raise ConfigError(f"'{NAME}' is not a mapping")
    return data or {}


def _list_entries(configuration: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for entry in as_list(configuration.get("repos")):
        if isinstance(entry, dict):
            for hook in as_list(entry.get("hooks")):
                if isinstance(hook, dict):
                    yield entry, hook


def _find_name(entry: dict[str, Any], hook: dict[str, Any]) -> str | None:
    """Return which of our hooks `hook` of `entry` is, None if it is none of them.

    It comes from a repository of our name, or from any that has several of our hooks, or calls our command.
    """
    address, name, line = entry.get("repo"), hook.get("id"), hook.get("entry")
    if name in IDS and isinstance(address, str) and address != _LOCAL:
        several = [each for each in entry["hooks"] if isinstance(each, dict) and each.get("id") in IDS]
        if address.rstrip("/").removesuffix(".git").endswith("/smartcommit") or len(several) > 1:
            return str(name)
    if isinstance(line, str):
        called = line.partition(" ")[0].rpartition("/")[2]
        if called.startswith("smartcommit-") and called.removeprefix("smartcommit-") in IDS:
            return called.removeprefix("smartcommit-")
    return None


def _write_entry(repo: str, rev: str, names: Sequence[str], *, indent: str = "", mark: str = "-   ") -> list[str]:
    inner = indent + " " * len(mark)
    lines = [f"{indent}{mark}repo: {_write_scalar(repo)}", f"{inner}rev: {_write_scalar(rev)}", f"{inner}hooks:"]
    return lines + [f"{inner}{mark}id: {name}" for name in (*names, "split")]


def _write_list(key: str, values: Sequence[object]) -> str:
    return f"{key}: [{', '.join(str(value) for value in values)}]"


def _write_scalar(value: str) -> str:
    """Return `value` as YAML reads it back, quoted only where necessary."""
    return yaml.safe_dump(value, allow_unicode=True, width=1 << 20).removesuffix("...\n").rstrip("\n")


class PreCommitHooks:
    """Our hooks in the configuration of pre-commit, from a repository and a revision, and the git hooks it needs."""

    def __init__(self, repository: Repository, record: PieceRecord, origin: Origin | None = None) -> None:
        self._repository = repository
        self._record = record
        self._origin = origin
        self._path = os.path.join(repository.worktree, NAME)

    def list_installed(self) -> list[str]:
        """Return the names of the hooks that `install` has made pre-commit or prek run."""
        is_edited = self._record.find(self._path) is not None
        names = list(MODULES) if is_edited else self._list_recorded_types()
        return [name for name in list_types(self._repository) if name in MODULES and name in names]

    def install(self, names: Sequence[str]) -> list[str]:
        """Add our hooks to the configuration and have the framework install git hooks; or raise SmartcommitError."""
        self._check_file(names)
        repo, rev = self._origin or find_origin()
        program = find_program(self._repository)
        installed = list_types(self._repository, _name(program))
        # What an earlier command has installed is not where other hooks ran before.
        before = sorted(set(installed).difference(self._list_recorded_types()))
        pieces = plan_insertions(read(self._path) or "", repo, rev, before, names=names)
        if pieces:
            self._record.insert(self._path, pieces)
        data = parse(read(self._path) or "")
        hooks = ", ".join(list_hooks(data))
        missing = [kind for kind in data.get(TYPES_KEY) or _DEFAULT_TYPES if kind not in installed]
        if not pieces and not missing:
            return [f"nothing to do: '{NAME}' has {hooks} already, and they are installed"]
        for kind in missing:
            self._record.note(self._find_hook(kind))
        output = self._run(program, "install")
        if not pieces:
            return output
        next_step = f"next: git add {NAME}  (pre-commit and prek do not run while this file has unstaged changes)"
        output = [f"our lines are in '{NAME}': {hooks}", *output, next_step]
        if os.path.isabs(repo):
            output.append(f"the hooks come from '{repo}': to share them, name another source by --repo and --rev")
        return output

    def build_environment(self) -> list[str]:
        """Have the framework build the environment of our hooks, for which the first commit would wait."""
        try:
            self._run(find_program(self._repository), "install-hooks")
        except SmartcommitError as error:
            return [f"it is not built yet, and the first commit will try again: {error}"]
        return ["the environment is built"]

    def uninstall(self) -> list[str]:
        output: list[str] = []
        recorded = self._list_recorded_types()
        installed = list_types(self._repository)
        if unneeded := [f"--hook-type={kind}" for kind in recorded if kind in installed]:
            output += self._run(find_program(self._repository), "uninstall", *unneeded)
        for kind in recorded:
            self._record.forget(self._find_hook(kind))
        entry = self._record.find(self._path)
        if entry is None:
            return output
        text = read(self._path) or ""
        rest = remove(text, entry.pieces)
        if rest is not None:
            self._record.restore(self._path, rest)
            if rest != text:
                output.append(f"removed our lines from '{NAME}'")
        elif find_address(parse(text)) is not None:
            output.append(f"our lines in '{NAME}' were edited: remove them by hand")
        else:
            self._record.forget(self._path)
        return output

    def _check_file(self, names: Sequence[str]) -> None:
        """Raise SmartcommitError if `.pre-commit-config.yaml` cannot get the hooks `names`, or they would not run."""
        hooks_path = find_hooks_path(self._repository)
        if hooks_path.path != hooks_path.usual:
            raise SmartcommitError(
                f"git looks for hooks in '{hooks_path.path}', where pre-commit cannot install any",
                hint="run 'smartcommit install' without --pre-commit, or unset core.hooksPath",
            )
        if os.path.lexists(os.path.join(self._repository.worktree, PREK_NAME)):
            hint = f"add the lines of {DOCS}/installing.md#with-pre-commit-or-prek to it"
            raise ConfigError(f"prek reads '{PREK_NAME}' here, not '{NAME}'", hint=hint)
        is_inside = is_below(os.path.realpath(self._path), os.path.realpath(self._repository.worktree))
        if not is_inside or (os.path.lexists(self._path) and not os.path.isfile(self._path)):
            raise ConfigError(f"'{NAME}' is not a file in this repository", hint="remove or rename it")
        data = parse(read(self._path) or "")
        address = find_address(data)
        if self._origin is not None and address not in (None, self._origin.repo):
            hint = "change 'repo' and 'rev' there by hand"
            raise ConfigError(f"'{NAME}' has these hooks from '{address}'", hint=hint)
        if address is not None and "pre-push" in names and "pre-push" not in list_hooks(data):
            hint = "add '- id: pre-push' to it by hand, then run this command again"
            raise ConfigError(f"'{NAME}' has our entry without pre-push", hint=hint)

    def _list_recorded_types(self) -> list[str]:
        return [kind for kind in _TYPES if self._record.find(self._find_hook(kind)) is not None]

    def _find_hook(self, kind: str) -> str:
        return os.path.join(self._repository.common_dir, "hooks", kind)

    def _run(self, program: str, *arguments: str) -> list[str]:
        """Run the framework and return the lines of both outputs; raise SmartcommitError if it fails."""
        done = subprocess.run(
            [program, *arguments], cwd=self._repository.worktree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        if done.returncode:
            reason = (lines or [f"status {done.returncode}"])[-1]
            raise SmartcommitError(f"'{_name(program)} {arguments[0]}' failed: {reason}")
        return lines


def _name(program: str) -> str:
    return os.path.splitext(os.path.basename(program))[0]


def find_program(repository: Repository) -> str:
    """Return the path of the framework on PATH whose git hooks are installed, else of any.

    The two are never mixed: each keeps the git hooks of the other and runs them first, so every hook would run twice.
    Raise SmartcommitError if it is not on PATH.
    """
    used = [name for name in FRAMEWORKS if list_types(repository, name)]
    paths = []
    for name in used or FRAMEWORKS:
        path = shutil.which(name)
        if path is not None:
            paths.append(os.path.abspath(path))
    # A pre-commit beside our interpreter may be on PATH only because smartcommit depends on it.
    beside = os.path.join(os.path.dirname(sys.executable), "pre-commit")
    paths.sort(key=lambda path: path == beside)
    if not paths:
        name = (used or ["pre-commit or prek"])[0]
        raise SmartcommitError(f"{name} is not on PATH", hint=f"install {name}")
    return paths[0]


def list_types(repository: Repository, *names: str) -> list[str]:
    """Return the types of the git hooks that the frameworks `names` have installed, by default any."""
    kinds = []
    for kind in _TYPES:
        text = read_start(os.path.join(repository.common_dir, "hooks", kind)) or ""
        if text.partition(GENERATED)[2].partition(":")[0] in (names or FRAMEWORKS):
            kinds.append(kind)
    return kinds


def find_origin() -> Origin:
    try:
        return read_origin(metadata.distribution(DISTRIBUTION).read_text("direct_url.json"))
    except metadata.PackageNotFoundError:  # run from the sources, without an installation
        return Origin(PUBLISHED, RELEASE)


def read_origin(direct_url: str | None) -> Origin:
    """Return the origin in pip's `direct_url.json`, of a checkout its last commit. Source: PEP 610."""
    recorded = json.loads(direct_url or "{}")
    url = recorded.get("url", "")
    if "vcs_info" in recorded:
        return Origin(url, recorded["vcs_info"]["commit_id"])
    path = url2pathname(urlsplit(url).path)
    if url.startswith("file:") and os.path.isfile(os.path.join(path, MANIFEST)):
        done = run(("-C", path, f"--git-dir={path}/.git", "rev-parse", "--verify", "HEAD"), expected=(0, 128))
        if done.returncode == 0:
            return Origin(path, done.stdout.decode().strip())
    return Origin(PUBLISHED, RELEASE)
