"""What a project already asks of commit messages: the configuration of other tools, and the tickets of its history.

Of commitlint it becomes settings of ours, and what has none is named. Nothing is executed: in JavaScript only the name
of a preset is looked for. Source: commitlint.js.org, "Configuration" and "Rules", and the
package @commitlint/rules 20.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from smartcommit.git.habits import read_habits
from smartcommit.git.query import log_command
from smartcommit.git.repo import Repository
from smartcommit.message.header import is_name, is_word
from smartcommit.message.rules import CODES, DEFAULT_TYPES, ERROR, OFF, WARNING
from smartcommit.setup.pieces import read_start

# The types of @commitlint/config-angular, and those of config-conventional, which other tools share.
ANGULAR_TYPES = ("build", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
CONVENTIONAL_TYPES = (*ANGULAR_TYPES, "chore")
# Tools do not look at a scope, so it can be anything.
_ANY_SCOPE = {"scope-form": OFF, "scope-case": OFF}
# Maximum characters of a configuration in YAML, which takes some 15 microseconds each.
_YAML_CHARACTERS_READ = 1 << 16
# Maximum dots in a line of TOML, because parsing a key takes time quadratic in the number of its parts.
_DOTS_IN_LINE = 500
# Maximum number of names that are taken over from a list.
_NAMES_TAKEN = 500
MODULE_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_CAPITALS = ["sentence-case", "start-case", "pascal-case", "upper-case"]
_COMMON: dict[str, object] = {
    "body-leading-blank": [1, "always"],
    "footer-leading-blank": [1, "always"],
    "subject-case": [2, "never", _CAPITALS],
    "subject-empty": [2, "never"],
    "subject-full-stop": [2, "never", "."],
    "type-case": [2, "always", "lower-case"],
    "type-empty": [2, "never"],
}
PRESETS: Mapping[str, dict[str, object]] = {
    "@commitlint/config-conventional": {
        **_COMMON,
        "body-max-line-length": [2, "always", 100],
        "footer-max-line-length": [2, "always", 100],
        "header-max-length": [2, "always", 100],
        "type-enum": [2, "always", list(CONVENTIONAL_TYPES)],
    },
    "@commitlint/config-angular": {
        **_COMMON,
        "header-max-length": [2, "always", 72],
        "scope-case": [2, "always", "lower-case"],
        "subject-exclamation-mark": [2, "never"],
        "type-enum": [2, "always", list(ANGULAR_TYPES)],
    },
}
# commitlint runs what we do not, and prints what we read.
_ASK = "'npx commitlint --print-config json >.commitlintrc.json' writes all rules where they are read"
# Keys of a configuration that ask nothing of messages, or are read elsewhere.
_HARMLESS = {"$schema", "defaultIgnores", "extends", "formatter", "helpUrl", "parserPreset", "prompt", "rules"}
# Values of a rule that are shown if it is not taken over.
_VALUES_SHOWN = 10
# Lines of bodies and of trailers have one level, that of the first.
_LIMITS = (
    ("header-max-length", "headerLimit", "header-length"),
    ("subject-max-length", "summaryLimit", "summary-length"),
    ("body-max-line-length", "lineLimit", "line-length"),
    ("footer-max-line-length", "trailerLimit", "line-length"),
)
# The rules that have one of ours: when each holds, the values it can have, a setting with its value, and codes.
_SETTINGS = (
    ("type-empty", "never", (None,), "", "", "header-form header-space"),
    ("subject-empty", "never", (None,), "", "", "summary-empty"),
    ("subject-case", "never", ("sentence-case",), "summaryCase", "lower-first", "summary-case"),
    ("subject-case", "always", ("sentence-case",), "summaryCase", "upper-first", "summary-case"),
    ("subject-case", "always", ("lower-case",), "summaryCase", "lower-case", "summary-case"),
    ("subject-full-stop", "never", (None, "."), "fullStop", "forbid", "summary-stop"),
    ("subject-full-stop", "always", (None, "."), "fullStop", "require", "summary-stop"),
    ("scope-case", "always", ("lower-case",), "", "", "scope-case"),
    ("scope-empty", "never", (None,), "scope", "require", "scope-missing"),
    ("scope-empty", "always", (None,), "scope", "forbid", "scope-forbidden"),
    ("body-empty", "never", (None,), "required", "description", "section-missing"),
    ("body-leading-blank", "always", (None,), "", "", "body-blank"),
    ("signed-off-by", "always", (None, "Signed-off-by:", "Signed-off-by"), "signOff", "require", "sign-off"),
    ("header-trim", "always", (None,), "", "", ""),  # git removes space around a header
)
# Number of commits that are searched for tickets, and the share that must name one to make it a rule.
_COMMITS_READ, _SHARE_WITH_TICKETS = 200, 0.9
_TICKET = re.compile(r"\b([A-Z][A-Z0-9]{1,9})-\d+\b")
# Where each tool is configured, in its own order.
_COMMITLINT = (
    "package.json", "package.yaml", ".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml",
    *map(".commitlintrc".__add__, MODULE_ENDINGS), *map("commitlint.config".__add__, MODULE_ENDINGS),
)  # fmt: skip
_COMMITIZEN = ("pyproject.toml", ".cz.toml", "cz.toml", ".cz.json", "cz.json", ".cz.yaml", "cz.yaml")


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

    def take_limit(self, value: object, setting: str, code: str, level: str = ERROR) -> bool:
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
    """Return the mapping in TOML, JSON or YAML, or none; JSON is tried first, since it may have tabs."""
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
    """Return the data in any YAML and the node at its top, None if there is none; raise YAMLError at once otherwise."""
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


def read_commitlint(found: Conventions, name: str, text: str) -> None:
    """Read the configuration in the file `name`; of one in JavaScript only which preset it names."""
    content = parse_configuration(name, text)
    if name in ("package.json", "package.yaml"):
        content = as_mapping(content.get("commitlint"))
    if name.endswith(MODULE_ENDINGS):
        content = {}
        for preset in PRESETS:
            if preset in text:
                content.setdefault("extends", preset)
        found.missed.append(f"{name}: its rules are code; {_ASK}")
    rules: dict[str, object] = {}
    extends = content.get("extends")
    for extended in as_list(extends) or [extends]:
        if isinstance(extended, str) and extended in PRESETS:
            rules |= PRESETS[extended]
        elif extended:
            found.missed.append(f"extends {show(extended)}: it is no preset that is known; {_ASK}")
    rules |= as_mapping(content.get("rules"))
    _name_others(found, content)
    if rules:
        _take_rules(found, rules)


def _name_others(found: Conventions, content: Mapping[str, object]) -> None:
    for key, value in content.items():
        if value and key not in _HARMLESS:
            found.missed.append(f"{show(key)}: there is no setting for it")


class _Rule(NamedTuple):
    """A rule of commitlint: its level of ours, whether it holds always or never, and its value."""

    level: str = OFF
    when: str = "always"
    value: object = None


def _take_rules(found: Conventions, entries: Mapping[str, object]) -> None:
    rules: dict[str, _Rule] = {}
    for name, entry in entries.items():
        rule = _read_rule(entry)
        if rule is None:
            found.missed.append(f"{show(name)}: it is no rule that can be read")
        else:
            rules[name] = rule
    _take_types(found, rules)
    found.levels |= _ANY_SCOPE
    scopes = rules.get("scope-enum", _Rule())
    if scopes.level != OFF and scopes.when == "always":
        options = as_mapping(scopes.value)
        form = "a scope is made of letters, digits and any of '-_./@'"
        found.scopes = found.take_names(options.get("scopes", scopes.value), is_word, "scope-enum", form)
        found.levels["scope-unknown"] = scopes.level
        rules.pop("scope-enum")
    for name, setting, code in _LIMITS:
        rule = rules.pop(name, _Rule())
        if rule.level != OFF:
            found.take_limit(rule.value, setting, code, rule.level)
    # Our own limit of a summary holds beside one of the whole header that is an error.
    if "summary-length" not in found.levels and found.levels.get("header-length") != ERROR:
        found.levels["summary-length"] = OFF
    for name, rule in rules.items():
        if not _take_setting(found, name, rule) and rule.level != OFF:
            values = [show(value) for value in as_list(rule.value) or [rule.value] if value is not None]
            words = " ".join([name, rule.when, *values[:_VALUES_SHOWN]])
            found.missed.append(f"{words}: there is no setting for it")


def _take_types(found: Conventions, rules: dict[str, _Rule]) -> None:
    listed, case = rules.get("type-enum", _Rule()), rules.get("type-case", _Rule())
    found.levels |= {"type-unknown": OFF, "type-case": case.level}
    if listed.level != OFF and listed.when == "always":
        form = "a type is made of lower-case letters, digits and dashes"
        found.types = found.take_names(listed.value, is_name, "type-enum", form)
        rules.pop("type-enum")
    if found.types:
        found.levels |= {"type-unknown": listed.level, "type-case": ERROR}
    if case.when == "always" and _list_cases(case.value) == {"lower-case"}:
        rules.pop("type-case", None)


def _take_setting(found: Conventions, name: str, rule: _Rule) -> bool:
    """Take over a rule that is one of our settings, or switches a code off, and return whether it is."""
    values = {rule.value if isinstance(rule.value, str) else None}
    if name in ("subject-case", "scope-case"):
        values = _list_cases(rule.value)
        if rule.when == "never" and "sentence-case" in values and values.issubset(_CAPITALS):
            # Each of the other cases begins with a capital letter as well.
            values = {"sentence-case"}
    for known, when, possible, setting, value, codes in _SETTINGS:
        is_off = rule.level == OFF and not setting
        fits = rule.level != OFF and when == rule.when and len(values) == 1 and values.issubset(possible)
        if known == name and (is_off or fits):
            found.levels |= dict.fromkeys(codes.split(), rule.level)
            if setting:
                found.values[setting] = value
            return True
    return False


def _read_rule(entry: object) -> _Rule | None:
    level, when, value = [*as_list(entry)[:3], None, None, None][:3]
    if level not in (0, 1, 2) or (level and when not in ("always", "never", None)):
        return None
    return _Rule((OFF, WARNING, ERROR)[level], when or "always", value)


def _list_cases(value: object) -> set[str | None]:
    value = as_mapping(value).get("cases", value)
    cases: set[str | None] = set()
    for entry in as_list(value) or [value]:
        name = show(entry).replace("lowerCase", "lower-case").removesuffix("-case").removesuffix("case")
        cases.add(f"{name}-case")
    return cases


def find_conventions(repository: Repository) -> Conventions:
    """Return what the first tool and the last commits ask of messages."""
    found = _find_rules(repository.worktree)
    found.ticket = find_ticket_pattern(repository)
    if found.ticket:
        found.sources.append("the history")
    if found.sources and not found.types:
        # A policy decides alone, so it must have the types that the history uses.
        found.types = (*DEFAULT_TYPES, *read_habits(repository.worktree).types)
    return found


def _find_rules(directory: str) -> Conventions:
    """Return what the first file says that can be read, and what those before it say that cannot."""
    missed: list[str] = []
    for name in (*_COMMITLINT, *_COMMITIZEN):
        text = (read_start(os.path.join(directory, name)) or "").removeprefix("\ufeff")
        found = Conventions(missed=missed)
        if text and name in _COMMITLINT:
            read_commitlint(found, name, text)
        elif text:
            read_commitizen(found, name, text)
        if not found.is_empty():
            found.sources.append(name)
            return found
    return Conventions(missed=missed)


def find_ticket_pattern(repository: Repository) -> str | None:
    """Return a pattern for the tickets that nearly all of the last commits name, such as `ABC-[0-9]+`; else None."""
    if repository.head() is None:
        return None
    log = repository.run(*log_command("%B", "--no-merges", last=_COMMITS_READ))
    messages = log.decode("utf-8", "replace").split("\0")
    projects: Counter[str] = Counter()
    for message in messages:
        projects.update(set(_TICKET.findall(message)))
    for project, count in projects.most_common(1):
        if count >= max(10, _SHARE_WITH_TICKETS * len(messages)):
            return f"{project}-[0-9]+"
    return None


def read_commitizen(found: Conventions, name: str, text: str) -> None:
    """Read a configuration of commitizen. Source: commitizen-tools.github.io, "Configuration"."""
    content = parse_configuration(name, text)
    if name.endswith(".toml"):
        content = as_mapping(content.get("tool"))
    settings = as_mapping(content.get("commitizen"))
    rules = settings.get("name", "cz_conventional_commits")
    if settings and rules == "cz_conventional_commits":
        found.types = (*CONVENTIONAL_TYPES, "bump")
        found.levels |= _ANY_SCOPE
        if not found.take_limit(settings.get("message_length_limit"), "headerLimit", "header-length"):
            found.levels["summary-length"] = OFF
    elif settings:
        found.missed.append(f"{name}: the rules '{show(rules)}' are its own")
