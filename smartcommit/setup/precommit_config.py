"""Our entry in `.pre-commit-config.yaml`: added and removed, every other byte kept.

Lines are added to and removed from a plain block list; in any other layout the user gets the lines to paste. The edited
text is parsed again and must mean what was intended, or nothing is changed.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import yaml

from smartcommit.errors import ConfigError
from smartcommit.setup.other_tools.yaml_data import as_list, as_mapping, read_yaml

NAME = ".pre-commit-config.yaml"
TYPES_KEY = "default_install_hook_types"
STAGES_KEY = "default_stages"
MESSAGE_TYPES = ("prepare-commit-msg", "commit-msg")
IDS = (*MESSAGE_TYPES, "split")
# What stands in place of a repository for hooks of the configuration's own.
LOCAL = "local"
_UNUSUAL = "the layout is not recognized"
# Group 1 ends before the dash, and the match ends with the first character of the item.
_ITEM = re.compile(r"( *)- {1,8}\S")
_COMMENT = re.compile(r"^\s*#.*", re.MULTILINE)
_EMPTY_LIST = re.compile(r"(repos:) *\[ *\]")
# The names are group 2.
_FLOW_LIST = re.compile(r"([^#]*?\[\s*)(.*?)(\s*\].*)")


class UnsupportedLayout(ConfigError):
    """The file is valid, but its lines cannot be edited safely."""


class _Columns(NamedTuple):
    """The columns of an entry's dash and keys, and of its hooks' dashes and keys; by default pre-commit's own."""

    dash: int = 0
    key: int = 4
    hook_dash: int = 4
    hook_key: int = 8


def paste(repo: str, rev: str, types: Sequence[str] = MESSAGE_TYPES, stages: Sequence[str] = ()) -> str:
    """Return a whole file with our entry alone; also what to paste where the file cannot be extended.

    `types` are the hook types to install, and `stages` become `default_stages`, if there are any.
    """
    top = [f"{TYPES_KEY}: [{', '.join(types)}]"]
    if stages:
        top.append(format_stages(stages))
    return "\n".join([*top, "repos:", *_entry_lines(repo, rev)]) + "\n"


def format_stages(stages: Sequence[str]) -> str:
    """Return the line that sets `default_stages`."""
    return f"{STAGES_KEY}: [{', '.join(stages)}]"


def paste_toml(repo: str, rev: str) -> str:
    """Return our entry for `prek.toml`; it can stand at the end of any such file."""
    hooks = ", ".join(f'{{ id = "{name}" }}' for name in IDS)
    # A JSON string is a TOML string as long as no surrogates are escaped in it.
    quote = partial(json.dumps, ensure_ascii=False)
    return f"[[repos]]\nrepo = {quote(repo)}\nrev = {quote(rev)}\nhooks = [{hooks}]\n"


def extend(text: str, repo: str, rev: str, stages: Sequence[str] = ()) -> str:
    """Return `text` with our entry and the hook types it needs; `text` itself where both are there.

    `stages` become `default_stages`, which must not be there. An existing entry of `repo` stays as it is, whatever its
    `rev` and hooks. Raise ConfigError if `text` is not valid YAML, UnsupportedLayout if its lines cannot be edited
    safely.
    """
    newline = _newline(text)
    if is_blank(text):
        if text and not text.endswith("\n"):
            text += newline
        return text + paste(repo, rev).replace("\n", newline)
    data = _parse(text)
    expected = dict(data)
    lines = text.split(newline)
    if not _hooks_of(data, repo):
        entries = data.get("repos")
        if not isinstance(entries, list):
            raise UnsupportedLayout("missing 'repos' list")
        expected["repos"] = [*entries, *yaml.safe_load("\n".join(_entry_lines(repo, rev)))]
        _insert_entry(lines, entries, repo, rev)
    if types := missing_types(data, repo):
        listed = data.get(TYPES_KEY)
        if TYPES_KEY in data and not isinstance(listed, list):
            raise UnsupportedLayout(f"'{TYPES_KEY}' is not a list")
        expected[TYPES_KEY] = [*(listed or ()), *types]
        _insert_types(lines, listed, types)
    if stages:
        expected[STAGES_KEY] = list(stages)
        _insert_stages(lines, expected[TYPES_KEY], stages)
    return _join(lines, newline, expected)


def shrink(text: str, repo: str, types: Sequence[str], stages: Sequence[str] = ()) -> str | None:
    """Return `text` without our entry and without `types` of the hook types; None if nothing else is left.

    `default_stages` is removed if it is `stages`. Raise ConfigError if `text` is not valid YAML, UnsupportedLayout if
    its lines cannot be edited safely.
    """
    newline = _newline(text)
    data = _parse(text)
    expected = dict(data)
    lines = text.split(newline)
    if _hooks_of(data, repo):
        expected["repos"] = [entry for entry in data["repos"] if not _is_ours(entry, repo)]
        _drop_entries(lines, data["repos"], repo)
        if not expected["repos"]:
            head = _head(lines, "repos")
            lines[head] = lines[head].replace("repos:", "repos: []", 1)
    listed = data.get(TYPES_KEY) or []
    if _list_names(listed) != listed:
        raise UnsupportedLayout(f"'{TYPES_KEY}' is not a list of names")
    # A list that has been extended since needs `pre-commit`, which is the default without a list.
    wanted = set(types)
    if not wanted.issuperset(listed):
        wanted.discard("pre-commit")
    if unneeded := wanted.intersection(listed):
        expected[TYPES_KEY] = [name for name in listed if name not in unneeded]
        if not expected[TYPES_KEY]:
            del expected[TYPES_KEY]
        _drop_types(lines, listed, unneeded)
    if stages and data.get(STAGES_KEY) == list(stages):
        del expected[STAGES_KEY]
        del lines[_head(lines, STAGES_KEY)]
    left = {line.strip() for line in lines if not line.startswith(f"{TYPES_KEY}:")}
    if left <= {"", "---", "repos: []"}:
        return None
    return _join(lines, newline, expected)


def contents(text: str, repo: str) -> tuple[list[str], list[str] | None]:
    """Return the ids of the hooks that the configuration `text` takes from `repo`, and the hook types it lists, if any.

    Raise ConfigError if `text` is not valid YAML.
    """
    if is_blank(text):
        return [], None
    data = _parse(text)
    listed = data.get(TYPES_KEY)
    if not isinstance(listed, list):
        listed = None
    return _hooks_of(data, repo), listed


def list_hooks(configuration: str | dict[str, Any], origins: Sequence[str]) -> dict[str, bool]:
    """Return the ids of our hooks in a configuration, given as YAML or as data, and whether their stages let them run.

    They come from one of `origins` or a fork, or are local hooks that call our commands. Raise ConfigError if it is not
    valid YAML.
    """
    if isinstance(configuration, str):
        configuration = parse(configuration)
    found: dict[str, bool] = {}
    for entry, hook in list_entries(configuration):
        name = find_name(entry, hook, origins)
        if name is None:
            continue
        stages = hook.get("stages")
        if entry.get("repo") == LOCAL:
            # Our manifest has stages, which take precedence over these; a local hook has no manifest.
            stages = stages or configuration.get(STAGES_KEY)
        runs = name not in MESSAGE_TYPES or not isinstance(stages, list) or not stages or name in stages
        found[name] = found.get(name, False) or runs
    return found


def find_address(configuration: dict[str, Any], origins: Sequence[str]) -> str | None:
    """Return the repository that a configuration takes our hooks from, LOCAL for local hooks, None without any."""
    for entry, hook in list_entries(configuration):
        address = entry.get("repo")
        if find_name(entry, hook, origins) is not None and isinstance(address, str):
            return address
    return None


def list_entries(configuration: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield every hook of a configuration after the entry of `repos` that it is in."""
    for entry in as_list(configuration.get("repos")):
        for hook in as_list(as_mapping(entry).get("hooks")):
            if isinstance(hook, dict):
                yield entry, hook


def find_name(entry: dict[str, Any], hook: dict[str, Any], origins: Sequence[str]) -> str | None:
    """Return which of our hooks `hook` of `entry` is, None if it is none of them.

    It comes from one of `origins` or a fork, or calls our command.
    """
    fork = _normalize(entry.get("repo")).endswith("/smartcommit")
    if hook.get("id") in IDS and (fork or any(_is_ours(entry, origin) for origin in origins)):
        return str(hook["id"])
    line = hook.get("entry")
    if isinstance(line, str):
        called = line.partition(" ")[0].rpartition("/")[2]
        name = called.removeprefix("smartcommit-")
        if name in IDS and called != name:
            return name
    return None


def is_blank(text: str) -> bool:
    """Whether there is nothing but comments in `text`."""
    return not _COMMENT.sub("", text).strip()


def parse(text: str) -> dict[str, Any]:
    """Return the configuration `text` as data, in whatever layout; raise ConfigError if it is not valid YAML."""
    if is_blank(text):
        return {}
    return _construct(text)[0]


def _parse(text: str) -> dict[str, Any]:
    """Do the same for a layout whose lines can be edited; raise UnsupportedLayout for any other."""
    data, editable = _construct(text)
    if not editable:
        raise UnsupportedLayout("the top level is not a block-style mapping")
    return data


def _construct(text: str) -> tuple[dict[str, Any], bool]:
    """Return the data in `text`, and whether its top level is a mapping in block style."""
    try:
        data, root = read_yaml(text)
    except yaml.MarkedYAMLError as error:
        place = ""
        if error.problem_mark:
            place = f" in line {error.problem_mark.line + 1}"
        raise ConfigError(f"'{NAME}' is not valid YAML{place}: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        problem, _, _ = str(error).partition("\n")
        raise ConfigError(f"'{NAME}' is not valid YAML: {problem}") from error
    if isinstance(root, yaml.SequenceNode):
        raise ConfigError(f"'{NAME}' uses pre-commit's old list format", hint="run 'pre-commit migrate-config' first")
    if not isinstance(root, yaml.MappingNode):
        return {}, False
    return dict(data), not root.flow_style


def _join(lines: list[str], newline: str, expected: object) -> str:
    """Return the text of the edited `lines`, which must mean `expected`."""
    text = newline.join(lines)
    try:
        as_intended = _parse(text) == expected
    except (ConfigError, RecursionError):  # a value can contain itself, by an alias
        as_intended = False
    if not as_intended:
        raise UnsupportedLayout(_UNUSUAL)
    return text


def _newline(text: str) -> str:
    if "\r\n" in text:
        return "\r\n"
    return "\n"


def is_same_address(url: Any, other: str) -> bool:
    """Whether two addresses of repositories differ in their end alone."""
    return _normalize(url) == _normalize(other)


def _is_ours(entry: Any, repo: str) -> bool:
    return isinstance(entry, dict) and is_same_address(entry.get("repo"), repo)


def _normalize(url: Any) -> str:
    # The text of a list can be endless, if it contains itself or many times another.
    if isinstance(url, str):
        return url.rstrip("/").removesuffix(".git")
    return ""


def _hooks_of(data: dict[str, Any], repo: str) -> list[str]:
    """Return the ids of the hooks that the configuration `data` takes from `repo`."""
    ids: list[str] = []
    for entry, hook in list_entries(data):
        name = hook.get("id")
        if _is_ours(entry, repo) and isinstance(name, str):
            ids.append(name)
    return ids


def _list_names(value: object) -> list[str]:
    """Return the names in the list `value`; what is no list of names is for pre-commit to refuse."""
    return [name for name in as_list(value) if isinstance(name, str)]


def missing_types(data: dict[str, Any], repo: str) -> list[str]:
    """Return the hook types that the configuration needs beyond those it lists.

    Without a list pre-commit installs `pre-commit` alone; a list that we start must name it if other hooks run then.
    """
    ours = _hooks_of(data, repo) or IDS
    listed = data.get(TYPES_KEY)
    missing = [name for name in MESSAGE_TYPES if name in ours and name not in _list_names(listed)]
    if listed is None and missing and _runs_before_commit(data, repo):
        missing.insert(0, "pre-commit")
    return missing


def _runs_before_commit(data: dict[str, Any], repo: str) -> bool:
    # A hook without `stages` may have some in its repository's manifest; it is taken to run before a commit.
    default = _list_names(data.get(STAGES_KEY)) or ["pre-commit"]
    for entry, hook in list_entries(data):
        stages = _list_names(hook.get("stages")) or default
        if not _is_ours(entry, repo) and not {"pre-commit", "commit"}.isdisjoint(stages):
            return True
    return False


def _entry_lines(repo: str, rev: str, columns: _Columns | None = None) -> list[str]:
    dash, key, hook_dash, hook_key = columns or _Columns()
    hook = _dash(hook_dash, hook_key)
    return [
        f"{_dash(dash, key)}repo: {_scalar(repo)}",
        f"{' ' * key}rev: {_scalar(rev)}",
        f"{' ' * key}hooks:",
        *(f"{hook}id: {name}" for name in IDS),
    ]


def _dash(dash: int, key: int) -> str:
    return " " * dash + "-".ljust(key - dash)


def _scalar(value: str) -> str:
    """Return `value` as YAML reads it back, quoted only where necessary."""
    return yaml.safe_dump(value, allow_unicode=True, width=1 << 20).removesuffix("...\n").rstrip("\n")


def _head(lines: list[str], key: str) -> int:
    """Return the number of the line that begins with the top-level `key`."""
    for number, line in enumerate(lines):
        if line.startswith(f"{key}:"):
            return number
    raise UnsupportedLayout(_UNUSUAL)


def _find_items(lines: list[str], key: str, count: int) -> list[slice]:
    """Return the lines of each of the `count` items of the block list below `key`.

    Comments that directly follow an item and are indented deeper than its dash belong to it.
    """
    head = _head(lines, key)
    value = lines[head].removeprefix(f"{key}:").strip()
    if value.startswith("["):
        raise UnsupportedLayout("'repos' is in flow style")
    if value and not value.startswith("#"):
        raise UnsupportedLayout(_UNUSUAL)
    items: list[slice] = []
    dash = 0
    for number, line in enumerate(lines[head + 1 :], head + 1):
        text = line.lstrip(" ")
        column = len(line) - len(text)
        comment = text.startswith("#")
        if not items and not comment:
            dash = column
        if items and column > dash and text:
            if not comment or items[-1].stop == number:
                items[-1] = slice(items[-1].start, number + 1)
        elif _ITEM.match(line) and column == dash:
            items.append(slice(number, number + 1))
        elif text and not comment:
            break
    if not items or len(items) != count:
        raise UnsupportedLayout(_UNUSUAL)
    return items


def _insert_entry(lines: list[str], entries: list[Any], repo: str, rev: str) -> None:
    if not entries:
        head = _head(lines, "repos")
        lines[head] = _EMPTY_LIST.sub(r"\1", lines[head])
        lines[head + 1 : head + 1] = _entry_lines(repo, rev)
        return
    last = _find_items(lines, "repos", len(entries))[-1]
    added = _entry_lines(repo, rev, _columns_of(lines[last]))
    if len(entries) > 1 and not lines[last.start - 1].strip():
        added.insert(0, "")
    lines[last.stop : last.stop] = added


def _drop_entries(lines: list[str], entries: list[Any], repo: str) -> None:
    items = _find_items(lines, "repos", len(entries))
    for place in reversed(range(len(entries))):
        if not _is_ours(entries[place], repo):
            continue
        start, end = items[place].start, items[place].stop
        # Of the blank lines on both sides of the entry only one stays, and none if a comment follows the last one.
        is_last = place == len(entries) - 1
        if not lines[start - 1].strip() and (is_last or not "".join(lines[end : end + 1]).strip()):
            start -= 1
        del lines[start:end]


def _columns_of(entry: list[str]) -> _Columns:
    """Return the columns of an entry's lines; its hooks may be in flow style."""
    dash, key = _item_columns(entry[0])
    for line, below in itertools.pairwise(entry):
        if line[key:].rstrip() == "hooks:" and _ITEM.match(below):
            return _Columns(dash, key, *_item_columns(below))
    return _Columns(dash, key, key, 2 * key - dash)


def _item_columns(line: str) -> tuple[int, int]:
    """Return the columns of the dash and of the content in the first line of an item."""
    match = _ITEM.match(line)
    assert match is not None
    return match.end(1), match.end() - 1


def _insert_types(lines: list[str], listed: list[str] | None, types: list[str]) -> None:
    if listed is None:
        first = 0
        while is_blank(lines[first]) or lines[first].startswith("---"):
            first += 1
        lines.insert(first, f"{TYPES_KEY}: [{', '.join(types)}]")
        return
    head = _head(lines, TYPES_KEY)
    if match := _FLOW_LIST.match(lines[head]):
        before, names, after = match.groups()
        if names:
            names += ", "
        lines[head] = f"{before}{names}{', '.join(types)}{after}"
        return
    last = _find_items(lines, TYPES_KEY, len(listed))[-1]
    indentation = _dash(*_item_columns(lines[last.start]))
    lines[last.stop : last.stop] = [indentation + name for name in types]


def _insert_stages(lines: list[str], listed: list[str], stages: Sequence[str]) -> None:
    """Add `default_stages` below the hook types, which are `listed`."""
    after = _head(lines, TYPES_KEY) + 1
    if not _FLOW_LIST.match(lines[after - 1]):
        after = _find_items(lines, TYPES_KEY, len(listed))[-1].stop
    lines.insert(after, format_stages(stages))


def _drop_types(lines: list[str], listed: list[str], unneeded: set[str]) -> None:
    head = _head(lines, TYPES_KEY)
    if match := _FLOW_LIST.match(lines[head]):
        before, names, after = match.groups()
        kept = [name for name in names.split(",") if name.strip(" '\"") not in unneeded]
        lines[head] = f"{before}{','.join(kept).lstrip()}{after}"
    else:
        items = _find_items(lines, TYPES_KEY, len(listed))
        for place in reversed(range(len(listed))):
            if listed[place] in unneeded:
                del lines[items[place]]
    if unneeded.issuperset(listed):
        del lines[head]
