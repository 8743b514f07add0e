"""The rules that a project was found to have, and reading the files of somebody else that they stand in."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import yaml

from smartcommit.message.rules import CODES, DEFAULT_TYPES, ERROR, OFF, WARNING

# The types of @commitlint/config-angular, and those of config-conventional, which other tools share.
ANGULAR_TYPES = ("build", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
CONVENTIONAL_TYPES = (*ANGULAR_TYPES, "chore")
# Maximum characters of a configuration in YAML, which takes some 15 microseconds each.
_YAML_CHARACTERS_READ = 1 << 16
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
        # The first type that fits a change is drafted.
        types = sorted(self.types, key=[*DEFAULT_TYPES, *self.types].index)
        values: dict[str, object] = {"types": " ".join(dict.fromkeys(types)), "scopes": " ".join(self.scopes)}
        values |= self.values
        for name, level in (("errors", ERROR), ("warnings", WARNING), ("off", OFF)):
            values[name] = " ".join(code for code in CODES if self.levels.get(code) == level != CODES[code][0])
        if self.ticket:
            values["ticket"] = f'"{self.ticket}"'
        lines = [f"\t{name} = {value}\n" for name, value in values.items() if value]
        if not lines:
            return ""
        return "".join(["[smartcommit]\n", *lines])

    def is_empty(self) -> bool:
        return not (self.types or self.scopes or self.values or self.levels)

    def accept_any_scope(self) -> None:
        """Take over that a scope can be anything, as with tools that do not look at it."""
        self.levels |= {"scope-form": OFF, "scope-case": OFF}

    def take_limit(self, value: object, setting: str, code: str, level: str = ERROR) -> bool:
        """Take over a length, and return whether `value` is one."""
        text = show(value)
        if isinstance(value, bool) or not text.isdecimal() or not 1 <= int(text[:10]) < 10**9:
            return False
        self.values[setting] = int(text)
        self.levels.setdefault(code, level)
        return True

    def take_names(self, values: object, fits: Callable[[str], bool], name: str, form: str) -> tuple[str, ...]:
        """Return what of `values`, a list or words of `name`, `fits`; the rest is missed, since it lacks the `form`."""
        if isinstance(values, str):
            values = values.replace(",", " ").split()
        if not isinstance(values, (list, tuple, dict)):
            return ()
        names, others = [], []
        for value in list(values)[:_NAMES_TAKEN]:
            if isinstance(value, str) and fits(value):
                names.append(value)
            else:
                others.append(show(value))
        if others:
            self.missed.append(f"{name} {' '.join(others)}: {form}")
        return tuple(dict.fromkeys(names))


def show(value: object) -> str:
    """Return `value` for a person to recognize; in YAML a short text can be a structure without an end."""
    return str(value)[:100] if isinstance(value, (str, int, float)) else "(no text)"


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def parse_configuration(name: str, text: str) -> dict[str, object]:
    """Return the mapping that the configuration `text` holds, empty if it holds none or is not valid.

    It is TOML by the end of `name`, else JSON or YAML. YAML has no tabs where JSON is often indented by them, so JSON
    is tried first.
    """
    with suppress(ValueError, yaml.YAMLError, RecursionError):
        if not name.endswith(".toml"):
            with suppress(ValueError):
                return as_mapping(json.loads(text))
            if len(text) <= _YAML_CHARACTERS_READ:
                return as_mapping(read_yaml(text)[0])
        elif all(line.count(".") <= _DOTS_IN_LINE for line in text.split("\n")):
            return tomllib.loads(text)
    return {}


def read_yaml(text: str | bytes) -> tuple[Any, yaml.Node | None]:
    """Return the data in YAML that somebody else wrote, and the node at its top, which is None if there is none.

    Whatever is in it, there is data or an error within a moment. Raise YAMLError if it is not valid.
    """
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            return None, None
        return loader.construct_document(root), root
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        # PyYAML raises them for values that do not fit their tags, such as `!!bool x`.
        raise yaml.YAMLError("a value does not fit its tag") from error
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error
