"""What a project already asks of commit messages: the configuration of other tools, and the tickets of its history."""

from __future__ import annotations

import configparser
import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import yaml

from smartcommit.git.habits import read_habits
from smartcommit.git.repo import Repository
from smartcommit.message.header import is_name
from smartcommit.message.rules import DEFAULT_TYPES

# Bytes of a configuration that are read.
_LIMIT = 1 << 18
# Commits whose tickets count, and how many must name one to make it a rule.
_COMMITS, _TICKETS = 200, 0.9
_TICKET = re.compile(r"\b([A-Z][A-Z0-9]{1,9})-\d+\b")
# The types of @commitlint/config-conventional, and so of the presets of semantic-release and conventional-changelog.
_ANGULAR = ("build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
_COCOGITTO = ("feat", "fix", "style", "build", "refactor", "docs", "perf", "test", "chore", "ci", "revert")
_COMMITIZEN = ("feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "bump")


@dataclass(slots=True)
class Conventions:
    """The rules of a project, as settings of ours: empty or None where it says nothing.

    `sources` are the files, or `history`, that they were read from.
    """

    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    summary_limit: int | None = None
    line_limit: int | None = None
    ticket: str | None = None
    sources: list[str] = field(default_factory=list)

    def to_policy(self) -> str:
        """Return the text of a `.smartcommit` with these rules, empty if there are none."""
        values: dict[str, object] = {
            "types": " ".join(order_types(self.types)),
            "scopes": " ".join(self.scopes),
            "summaryLimit": self.summary_limit,
            "lineLimit": self.line_limit,
            "ticket": self.ticket and f'"{self.ticket}"',
        }
        lines = [f"\t{name} = {value}\n" for name, value in values.items() if value]
        if not lines:
            return ""
        return "".join(["[smartcommit]\n", *lines])


def order_types(types: Iterable[str]) -> list[str]:
    """Return `types` with the default ones first, in their order: the first that fits a change is drafted."""
    given = dict.fromkeys(types)
    return [name for name in DEFAULT_TYPES if name in given] + [name for name in given if name not in DEFAULT_TYPES]


def find_conventions(repository: Repository) -> Conventions:
    """Return what the project asks of messages, by the first tool that says so and by its last commits.

    No configuration is executed: of one in JavaScript only the preset that it names is used.

    Raise GitError if git fails.
    """
    found = Conventions()
    for names, read in READERS.items():
        for name in names:
            text = _read(os.path.join(repository.worktree, name))
            if text and read(found, name, text):
                found.sources.append(name)
                break
        if found.sources:
            break
    found.ticket = find_ticket_pattern(repository)
    if found.ticket:
        found.sources.append("the history")
    if found.sources and not found.types:
        # A policy decides alone, so it must have the types that the history uses.
        found.types = (*DEFAULT_TYPES, *read_habits(repository.worktree).types)
    return found


def find_ticket_pattern(repository: Repository) -> str | None:
    """Return a pattern for the tickets that nearly all of the last commits name, such as `ABC-[0-9]+`; else None."""
    if repository.head() is None:
        return None
    log = repository.run("log", f"-{_COMMITS}", "--no-merges", "-z", "--format=%B", "--no-show-signature")
    messages = log.decode("utf-8", "replace").split("\0")
    projects: Counter[str] = Counter()
    for message in messages:
        projects.update(set(_TICKET.findall(message)))
    for project, count in projects.most_common(1):
        if count >= max(10, _TICKETS * len(messages)):
            return f"{project}-[0-9]+"
    return None


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LIMIT)
    except OSError:
        return ""


def _parse(name: str, text: str) -> dict[str, Any]:
    """Return the mapping that a configuration holds, empty if it holds none or is not valid."""
    try:
        content = tomllib.loads(text) if name.endswith(".toml") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _names(values: object) -> tuple[str, ...]:
    """Return those of `values` that can be types or scopes of ours."""
    if isinstance(values, str):
        values = values.replace(",", " ").split()
    if not isinstance(values, (list, tuple, dict)):
        return ()
    return tuple(value for value in values if isinstance(value, str) and is_name(value))


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, (int, str)) and str(value).isdigit() and int(value) > 0 else None


def read_commitlint(found: Conventions, name: str, text: str) -> bool:
    """Read a configuration of commitlint. Source: commitlint.js.org, "Rules"."""
    content = _parse(name, text)
    if name == "package.json":
        content = content.get("commitlint") or {}
    rules = content.get("rules") if isinstance(content, dict) else None
    extends = json.dumps(content.get("extends", "")) if isinstance(content, dict) else ""
    if "conventional" in extends or "angular" in extends:
        found.types, found.summary_limit, found.line_limit = _ANGULAR, 100, 100
    if isinstance(rules, dict):
        found.types = _names(_commitlint_value(rules, "type-enum")) or found.types
        found.scopes = _names(_commitlint_value(rules, "scope-enum"))
        found.summary_limit = _number(_commitlint_value(rules, "header-max-length")) or found.summary_limit
        found.line_limit = _number(_commitlint_value(rules, "body-max-line-length")) or found.line_limit
    return bool(found.types or found.scopes or found.summary_limit or found.line_limit)


def _commitlint_value(rules: Mapping[str, object], name: str) -> object:
    """Return the value of the rule `name` if it is on: commitlint gives a level, `always` and the value."""
    rule = rules.get(name)
    if isinstance(rule, list) and len(rule) == 3 and rule[0] and rule[1] == "always":
        return rule[2]
    return None


def read_preset(found: Conventions, name: str, text: str) -> bool:
    """Read the preset that a configuration in JavaScript, or one of semantic-release, names."""
    if name == "package.json" and not isinstance(_parse(name, text).get("release"), dict):
        return False
    if name != "package.json" and "release" not in name and "conventional" not in text and "angular" not in text:
        return False
    found.types = _ANGULAR
    return True


def read_changelog(found: Conventions, name: str, text: str) -> bool:
    """Read the types of conventional-changelog. Source: its "Conventional Changelog Configuration Spec"."""
    entries = _parse(name, text).get("types")
    if isinstance(entries, list):
        found.types = _names([entry.get("type") for entry in entries if isinstance(entry, dict)])
    return bool(found.types)


def read_commitizen(found: Conventions, name: str, text: str) -> bool:
    """Read a configuration of commitizen, whose own rules are those of Conventional Commits."""
    content = _parse(name, text)
    tool = content.get("tool") if name.endswith(".toml") else content
    settings = tool.get("commitizen") if isinstance(tool, dict) else None
    if not isinstance(settings, dict) or settings.get("name", "cz_conventional_commits") != "cz_conventional_commits":
        return False
    found.types = _COMMITIZEN
    found.summary_limit = _number(settings.get("message_length_limit"))
    return True


def read_cocogitto(found: Conventions, name: str, text: str) -> bool:
    """Read a configuration of cocogitto. Source: docs.cocogitto.io, "Configuration"."""
    content = _parse(name, text)
    found.types = tuple(dict.fromkeys((*_COCOGITTO, *_names(content.get("commit_types")))))
    found.scopes = _names(content.get("scopes"))
    return True


def read_gitlint(found: Conventions, name: str, text: str) -> bool:
    """Read a configuration of gitlint. Source: jorisroovers.com/gitlint, "Configuration" and "Contrib rules"."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return False
    title = "contrib-title-conventional-commits"
    contrib = parser.get("general", "contrib", fallback="")
    if title in parser or title in contrib or "CT1" in contrib:
        found.types = _names(parser.get(title, "types", fallback="")) or _ANGULAR
    found.summary_limit = _number(parser.get("title-max-length", "line-length", fallback=None))
    found.line_limit = _number(parser.get("body-max-line-length", "line-length", fallback=None))
    return bool(found.types or found.summary_limit or found.line_limit)


Reader = Callable[[Conventions, str, str], bool]
# Where each tool is configured, in its own order, and how that is read; the tools that check messages come first.
READERS: dict[Sequence[str], Reader] = {
    (
        "package.json", ".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml",
    ): read_commitlint,
    tuple(map(".".join, product((".commitlintrc", "commitlint.config"), ("js", "cjs", "mjs", "ts")))): read_preset,
    ("pyproject.toml", ".cz.toml", "cz.toml", ".cz.json", "cz.json", ".cz.yaml", "cz.yaml"): read_commitizen,
    ("cog.toml",): read_cocogitto,
    (".gitlint",): read_gitlint,
    (".versionrc", ".versionrc.json"): read_changelog,
    (".releaserc", ".releaserc.json", ".releaserc.yaml", ".releaserc.yml", "release.config.js", "package.json"):
        read_preset,
}  # fmt: skip
