"""The rules that a project was found to have, and reading the configuration files that they stand in."""

from __future__ import annotations

import configparser
import json
import os
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import yaml

from smartcommit.message.header import is_name, is_word
from smartcommit.message.rules import CODES, DEFAULT_TYPES, ERROR, OFF, WARNING
from smartcommit.setup.other_tools.yaml_data import as_mapping, read_yaml

# The types of @commitlint/config-angular, and those of config-conventional, which other tools share.
ANGULAR_TYPES = ("build", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
CONVENTIONAL_TYPES = (*ANGULAR_TYPES, "chore")
# Characters of a configuration that is read, and of one in YAML, which takes some 15 microseconds each.
_CHARACTERS_READ, _YAML_CHARACTERS_READ = 1 << 18, 1 << 16
# Maximum dots in a line of TOML, because parsing a key takes time quadratic in the number of its parts.
_DOTS_IN_LINE = 500
# Maximum number of names that are taken over from a list.
_NAMES_TAKEN = 500


@dataclass(slots=True)
class Conventions:
    """The rules of a project, as settings of ours: empty or None where it says nothing.

    `values` are settings by their names in `.smartcommit`, and `levels` those of codes. `missed` says, a line each,
    what was not taken over. `sources` are the files, or `the history`, that the rules were read from.
    """

    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    ticket: str | None = None
    values: dict[str, str | int] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def to_policy(self) -> str:
        """Return the text of a `.smartcommit` with these rules, empty if there are none."""
        values: dict[str, object] = {"types": " ".join(order_types(self.types)), "scopes": " ".join(self.scopes)}
        values |= self.values
        for name, level in (("errors", ERROR), ("warnings", WARNING), ("off", OFF)):
            values[name] = " ".join(code for code in CODES if self.levels.get(code) == level != CODES[code][0])
        if self.ticket:
            values["ticket"] = f'"{self.ticket}"'
        lines = [f"\t{name} = {value}\n" for name, value in values.items() if value]
        return "".join(["[smartcommit]\n", *lines]) if lines else ""

    def is_empty(self) -> bool:
        """Whether no rule was found."""
        return not (self.types or self.scopes or self.values or self.levels)

    def accept_any_scope(self) -> None:
        """Take over that a scope can be anything, as with tools that do not look at it."""
        self.levels |= {"scope-form": OFF, "scope-case": OFF}

    def take_types(self, values: object, name: str) -> None:
        """Take over the types in `values`, a list or words of `name`; those that cannot be ours are missed."""
        self.types, others = _divide(values, is_name)
        if others:
            self.missed.append(f"{name} {' '.join(others)}: a type is made of lower-case letters, digits and dashes")

    def take_scopes(self, values: object, name: str) -> None:
        """Take over the scopes in `values`, a list or words of `name`; those that cannot be ours are missed."""
        self.scopes, others = _divide(values, is_word)
        if others:
            self.missed.append(f"{name} {' '.join(others)}: a scope is made of letters, digits and any of '-_./@'")

    def take_limit(self, value: object, setting: str, code: str, level: str = ERROR) -> bool:
        """Take over a length, and return whether `value` is one."""
        limit = read_count(value)
        if limit is None:
            return False
        self.values[setting] = limit
        self.levels.setdefault(code, level)
        return True


def _divide(values: object, fits: Callable[[str], bool]) -> tuple[tuple[str, ...], list[str]]:
    """Return those of `values` that `fits` is true for, and the others as they can be shown."""
    if isinstance(values, str):
        values = values.replace(",", " ").split()
    if not isinstance(values, (list, tuple, dict)):
        return (), []
    names: dict[str, None] = {}
    others = []
    for value in list(values)[:_NAMES_TAKEN]:
        if isinstance(value, str) and fits(value):
            names[value] = None
        else:
            others.append(show(value))
    return tuple(names), others


def show(value: object) -> str:
    """Return `value` for a person to recognize; in YAML a short text can be a structure without an end."""
    return str(value)[:100] if isinstance(value, (str, int, float)) else "(no text)"


def order_types(types: Iterable[str]) -> list[str]:
    """Return `types` with the default ones first, in their order: the first that fits a change is drafted."""
    given = dict.fromkeys(types)
    usual = [name for name in DEFAULT_TYPES if name in given]
    return list(dict.fromkeys((*usual, *given)))


def read_count(value: object) -> int | None:
    """Return `value` as a number of at least 1, None if it is none."""
    text = "" if isinstance(value, bool) else show(value)
    return int(text) or None if text.isdecimal() and len(text) < 10 else None


def read_text(path: str) -> str:
    """Return the text of the file at `path`, empty if it cannot be read or is too long; a part would mean less."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            text = file.read(_CHARACTERS_READ + 1)
    except (OSError, ValueError):
        return ""
    return text if len(text) <= _CHARACTERS_READ else ""


def parse_configuration(name: str, text: str) -> dict[str, object]:
    """Return the mapping that the configuration `text` holds, empty if it holds none or is not valid.

    It is TOML or the sections of gitlint by the end of `name`, else JSON or YAML. YAML has no tabs where JSON is often
    indented by them, so JSON is tried first.
    """
    try:
        if name.endswith(".toml"):
            if any(line.count(".") > _DOTS_IN_LINE for line in text.split("\n")):
                return {}
            return tomllib.loads(text)
        if name.endswith(".gitlint"):
            parser = configparser.ConfigParser(interpolation=None, strict=False)
            parser.read_string(text)
            return {section: dict(parser[section]) for section in parser}
        with suppress(ValueError):
            return as_mapping(json.loads(text))
        return as_mapping(read_yaml(text)[0]) if len(text) <= _YAML_CHARACTERS_READ else {}
    except (ValueError, configparser.Error, yaml.YAMLError, RecursionError):
        return {}
