"""Our entry in `.pre-commit-config.yaml`: what to insert where, so that every other byte stays.

Lines are added to a block list and elements to one in flow style. The edited text is parsed again and must mean what
was intended, or nothing is changed.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import yaml

from smartcommit.errors import ConfigError
from smartcommit.setup.git_hooks import read_start
from smartcommit.setup.other_tools.found_rules import as_list, as_mapping, read_yaml
from smartcommit.setup.pieces import Piece, cut, insert

# prek reads its own file instead of pre-commit's, if it is there.
NAME, PREK_NAME = ".pre-commit-config.yaml", "prek.toml"
TYPES_KEY, STAGES_KEY = "default_install_hook_types", "default_stages"
MESSAGE_TYPES = ("prepare-commit-msg", "commit-msg")
# The hook types that git runs for each commit.
AT_COMMIT = ("pre-commit", *MESSAGE_TYPES, "post-commit")
IDS = (*MESSAGE_TYPES, "split")
# What stands in place of a repository for hooks of the configuration's own.
_LOCAL = "local"
_UNUSUAL = "the layout is not recognized"
_COMMENT = re.compile(r"^\s*#.*", re.MULTILINE)
_REPOS = "repos:"
_REVISION = r"(?<=rev: )[^,\r\n]*"


class UnsupportedLayout(ConfigError):
    """The file is valid, but its lines cannot be edited safely."""


def paste(repo: str, rev: str, types: Sequence[str] = MESSAGE_TYPES) -> str:
    """Return a whole file with our entry alone, which has git hooks of `types` installed."""
    return f"{_write_types(types)}\n{_REPOS}\n" + "\n".join(_write_entry(repo, rev, 0, 4)) + "\n"


def plan_insertions(
    text: str, repo: str, rev: str, *, origins: Sequence[str], installed: Sequence[str] = ()
) -> list[Piece]:
    """Return what to insert into `text` so that it has our hooks and the hook types that they need.

    An entry of ours, which comes from one of `origins`, stays as it is. `default_stages` keep hooks without stages from
    running at the new types: they go on running where they do now, by the listed types and those `installed`. Raise
    ConfigError if `text` is not valid YAML, UnsupportedLayout if its lines cannot be edited safely.
    """
    newline = _find_newline(text)
    data, root = _parse(text)
    if root is None:
        lines = paste(repo, rev).removesuffix("\n").split("\n")
        first, *rest = [line + newline for line in lines]
        if text and not text.endswith("\n"):
            first = newline + first
        return [(len(text), piece) for piece in (first, rest[0], "".join(rest[1:]))]
    if root.flow_style:
        raise UnsupportedLayout("the top level is not a block-style mapping")
    nodes = {key.value: value for key, value in root.value if isinstance(key, yaml.ScalarNode)}
    start, indent = root.start_mark.index, newline + " " * root.start_mark.column
    expected = dict(data)
    pieces: list[Piece] = []
    if find_address(data, origins) is None:
        repos = nodes.get("repos")
        if not isinstance(repos, yaml.SequenceNode):
            raise UnsupportedLayout("missing 'repos' list")
        entry = {"repo": repo, "rev": rev, "hooks": [{"id": name} for name in IDS]}
        expected["repos"] = [*data["repos"], entry]
        # A JSON string is a YAML string.
        hooks, quote = ", ".join(f"{{id: {name}}}" for name in IDS), partial(json.dumps, ensure_ascii=False)
        element = f"{{repo: {quote(repo)}, rev: {quote(rev)}, hooks: [{hooks}]}}"
        pieces.append(_append(text, repos, element, partial(_write_entry, repo, rev)))
    types, listed = _list_missing_types(data, origins, installed), data.get(TYPES_KEY)
    stages = _find_needed_stages(data, origins, types, installed)
    if types:
        expected[TYPES_KEY] = [*as_list(listed), *types]
        node = nodes.get(TYPES_KEY)
        if node is None:
            pieces.append((start, _write_types(types) + indent))
        elif isinstance(node, yaml.SequenceNode):
            pieces.append(_append(text, node, ", ".join(types), partial(_write_items, types)))
        else:
            raise UnsupportedLayout(f"'{TYPES_KEY}' is not a list")
    if stages:
        expected[STAGES_KEY] = stages
        pieces.append((start, format_stages(stages) + indent))
    _verify(insert(text, pieces)[0], expected)
    return pieces


def remove(text: str, pieces: Sequence[Piece]) -> tuple[str, list[str]]:
    """Return `text` without these pieces of `plan_insertions`, and those that somebody has edited.

    Another revision in our entry is no edit. What is left is a configuration, or blank.
    """
    pieces = [(place, _find_updated(text, piece)) for place, piece in pieces]
    entries = [(place, piece) for place, piece in pieces if piece.strip() != _REPOS]
    # Somebody may have added entries to a list that we began.
    for chosen in (pieces, entries):
        rest, left = cut(text, chosen)
        with suppress(ConfigError):
            if is_blank(rest) or isinstance(parse(rest).get("repos"), list):
                return rest, left
    return text, [piece for _, piece in pieces]


def _find_updated(text: str, piece: str) -> str:
    """Return a piece as it is in `text` if `pre-commit autoupdate` has changed its revision."""
    revision = re.search(_REVISION, piece)
    if revision is None:
        return piece
    before, after = piece[: revision.start()], piece[revision.end() :]
    found = re.findall(re.escape(before) + _REVISION + re.escape(after), text)
    return found[0] if len(found) == 1 else piece


def format_stages(stages: Sequence[str]) -> str:
    """Return the line that sets `default_stages`."""
    return f"{STAGES_KEY}: [{', '.join(stages)}]"


def read_configurations(directory: str) -> dict[str, dict[str, Any]]:
    """Return the configurations of pre-commit and prek in a directory, by the names of the files.

    Raise ConfigError if one of them is not valid.
    """
    found = {}
    text = read_start(os.path.join(directory, NAME))
    if text is not None:
        found[NAME] = parse(text)
    text = read_start(os.path.join(directory, PREK_NAME))
    if text is not None:
        try:
            found[PREK_NAME] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ConfigError(f"'{PREK_NAME}' is not valid TOML: {error}") from error
    return found


def list_hooks(configuration: dict[str, Any], origins: Sequence[str]) -> dict[str, bool]:
    """Return the ids of our hooks in a configuration, and whether their stages let them run.

    They come from one of `origins` or a fork, or are local hooks that call our commands.
    """
    found: dict[str, bool] = {}
    for entry, hook in _list_entries(configuration):
        name = _find_name(entry, hook, origins)
        if name is None:
            continue
        stages = hook.get("stages")
        if entry.get("repo") == _LOCAL:
            # Our manifest has stages, which take precedence over these; a local hook has no manifest.
            stages = stages or configuration.get(STAGES_KEY)
        runs = name not in MESSAGE_TYPES or not isinstance(stages, list) or not stages or name in stages
        found[name] = found.get(name, False) or runs
    return found


def find_address(configuration: dict[str, Any], origins: Sequence[str]) -> str | None:
    """Return the repository that a configuration takes our hooks from, None without any."""
    for entry, hook in _list_entries(configuration):
        address = entry.get("repo")
        if _find_name(entry, hook, origins) is not None and isinstance(address, str):
            return address
    return None


def list_stageless(configuration: dict[str, Any], origins: Sequence[str]) -> list[str]:
    """Return the ids of hooks of others for which the configuration sets no stages; ours come from `origins`.

    They run at the stages of their manifest, else for every git hook that is installed. Source: pre-commit 4.7,
    `repository._hook`.
    """
    found = []
    for entry, hook in _list_entries(configuration):
        name = hook.get("id")
        if isinstance(name, str) and not hook.get("stages") and _find_name(entry, hook, origins) is None:
            found.append(name)
    return [] if configuration.get(STAGES_KEY) else found


def is_same_address(url: Any, other: str) -> bool:
    """Whether two addresses of repositories differ in their end alone."""
    return _normalize(url) == _normalize(other)


def is_blank(text: str) -> bool:
    """Whether there is nothing but comments in `text`."""
    return not _COMMENT.sub("", text).strip()


def parse(text: str) -> dict[str, Any]:
    """Return the configuration `text` as data, in whatever layout; raise ConfigError if it is not valid YAML."""
    return _parse(text)[0]


def _parse(text: str) -> tuple[dict[str, Any], yaml.MappingNode | None]:
    """Return the configuration `text` as data and the node at its top, None if there is nothing but comments."""
    if is_blank(text):
        return {}, None
    try:
        data, root = read_yaml(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
        raise ConfigError(f"'{NAME}' is not valid YAML{place}: {problem}") from error
    if isinstance(root, yaml.SequenceNode):
        raise ConfigError(f"'{NAME}' uses pre-commit's old list format", hint="run 'pre-commit migrate-config' first")
    if not isinstance(root, yaml.MappingNode):
        raise UnsupportedLayout("the top level is not a block-style mapping")
    return dict(data), root


def _verify(text: str, expected: object) -> None:
    """Raise UnsupportedLayout unless the edited `text` means what is `expected`."""
    try:
        as_intended = parse(text) == expected
    except (ConfigError, RecursionError):  # a value can contain itself, by an alias
        as_intended = False
    if not as_intended:
        raise UnsupportedLayout(_UNUSUAL)


def _list_entries(configuration: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield every hook of a configuration after the entry of `repos` that it is in."""
    for entry in as_list(configuration.get("repos")):
        for hook in as_list(as_mapping(entry).get("hooks")):
            if isinstance(hook, dict):
                yield entry, hook


def _find_name(entry: dict[str, Any], hook: dict[str, Any], origins: Sequence[str]) -> str | None:
    """Return which of our hooks `hook` of `entry` is, None if it is none of them.

    It comes from one of `origins` or a fork, or calls our command.
    """
    address = entry.get("repo")
    known = _normalize(address).endswith("/smartcommit") or any(is_same_address(address, each) for each in origins)
    if hook.get("id") in IDS and known:
        return str(hook["id"])
    line = hook.get("entry")
    if isinstance(line, str):
        called = line.partition(" ")[0].rpartition("/")[2]
        name = called.removeprefix("smartcommit-")
        if name in IDS and called != name:
            return name
    return None


def _find_needed_stages(
    data: dict[str, Any], origins: Sequence[str], added: Sequence[str], installed: Sequence[str]
) -> list[str]:
    """Return the `default_stages` with which hooks without stages run where they do now, none if there is no need."""
    if set(added) <= {"pre-commit", *installed} or STAGES_KEY in data or not list_stageless(data, origins):
        return []
    return list(dict.fromkeys(("pre-commit", *as_list(data.get(TYPES_KEY)), *installed, "manual")))


def _list_missing_types(data: dict[str, Any], origins: Sequence[str], installed: Sequence[str]) -> list[str]:
    """Return the hook types that the configuration needs beyond those it lists.

    Without a list pre-commit installs `pre-commit` alone; a list that we start names it if hooks of others run then.
    """
    ours, listed = list_hooks(data, origins) or IDS, data.get(TYPES_KEY)
    missing = [name for name in MESSAGE_TYPES if name in ours and name not in as_list(listed)]
    others = any(_find_name(entry, hook, origins) is None for entry, hook in _list_entries(data))
    if listed is None and missing and others and "pre-commit" in (installed or ("pre-commit",)):
        missing.insert(0, "pre-commit")
    return missing


def _normalize(url: Any) -> str:
    # The text of a list can be endless, if it contains itself or many times another.
    if isinstance(url, str):
        return url.rstrip("/").removesuffix(".git")
    return ""


def _find_newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _write_types(types: Sequence[str]) -> str:
    return f"{TYPES_KEY}: [{', '.join(types)}]"


def _write_entry(repo: str, rev: str, dash: int, key: int) -> list[str]:
    """Return the lines of our entry, with its dash and its keys at these columns."""
    hook = _dash(key, 2 * key - dash)
    return [
        f"{_dash(dash, key)}repo: {_write_scalar(repo)}",
        f"{' ' * key}rev: {_write_scalar(rev)}",
        f"{' ' * key}hooks:",
        *(f"{hook}id: {name}" for name in IDS),
    ]


def _write_items(values: Sequence[str], dash: int, key: int) -> list[str]:
    return [_dash(dash, key) + value for value in values]


def _write_scalar(value: str) -> str:
    """Return `value` as YAML reads it back, quoted only where necessary."""
    return yaml.safe_dump(value, allow_unicode=True, width=1 << 20).removesuffix("...\n").rstrip("\n")


def _dash(dash: int, key: int) -> str:
    return " " * dash + "-".ljust(key - dash)


def _append(text: str, node: yaml.SequenceNode, element: str, write: Callable[[int, int], list[str]]) -> Piece:
    """Return where to insert what, so that a list has one more element, or the lines that `write` gives its columns."""
    if node.flow_style:
        if not node.value:
            return node.end_mark.index - 1, element
        return node.value[-1].end_mark.index, f", {element}"
    last, newline = node.value[-1], _find_newline(text)
    dash, key = _find_columns(text, last)
    lines = "".join(line + newline for line in write(dash, key))
    if len(node.value) > 1 and text[: last.start_mark.index - key].endswith(2 * newline):
        lines = newline + lines
    # Comments below the last element that are indented deeper belong to it.
    rest = re.compile(rf".*(?:\n {{{dash + 1},}}#.*)*\n?").match(text, len(text[: _find_end(last)].rstrip()))
    place = rest.end() if rest else len(text)
    if text[:place].endswith("\n"):
        return place, lines
    return place, newline + lines.removesuffix(newline)


def _find_columns(text: str, item: yaml.Node) -> tuple[int, int]:
    """Return the columns of the dash of an element of a block list and of its content."""
    dash = text.rfind("-", 0, item.start_mark.index)
    return dash - (text.rfind("\n", 0, dash) + 1), item.start_mark.column


def _find_end(node: yaml.Node) -> int:
    """Return where the last value in `node` ends: a block list or mapping seems to end where the next thing begins."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        node = node.value[-1]
        if isinstance(node, tuple):
            node = node[1]
    return int(node.end_mark.index)
