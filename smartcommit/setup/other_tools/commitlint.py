"""What a configuration of commitlint asks of messages, as settings of ours.

Source: commitlint.js.org, "Configuration" and "Rules", and the package @commitlint/rules 20. Nothing is executed unless
the user says so: JavaScript is searched for the name of a preset, and what is written elsewhere is named.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from smartcommit.errors import SmartcommitError
from smartcommit.message.header import is_name, is_word
from smartcommit.message.rules import ERROR, OFF, WARNING
from smartcommit.setup.other_tools.found_rules import (
    ANGULAR_TYPES,
    CONVENTIONAL_TYPES,
    Conventions,
    as_list,
    as_mapping,
    parse_configuration,
    show,
)

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
_ASK = "'smartcommit policy --run-commitlint' asks commitlint itself, which runs that"
# Seconds for commitlint to start and print its configuration.
_PATIENCE = 60
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
    _take_configuration(found, content, rules | as_mapping(content.get("rules")))


def run_commitlint(found: Conventions, directory: str) -> None:
    """Ask the commitlint of the project in `directory`, or the one on PATH, for its configuration, which it executes.

    Raise SmartcommitError if there is none, or it does not print one.
    """
    program = shutil.which("commitlint", path=os.path.join(directory, "node_modules", ".bin"))
    program = program or shutil.which("commitlint")
    if program is None:
        raise SmartcommitError("cannot find commitlint", hint="install it in the project, as with 'npm install'")
    command = [program, "--print-config", "json"]
    try:
        done = subprocess.run(
            command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
        content = as_mapping(json.loads(done.stdout))
    except (OSError, ValueError, RecursionError, subprocess.TimeoutExpired):
        content = {}
    if "rules" not in content:
        hint = "run 'npx commitlint --print-config json' to see why"
        raise SmartcommitError("commitlint printed no configuration", hint=hint)
    found.sources.append("commitlint --print-config")
    _take_configuration(found, content, as_mapping(content["rules"]))


def _take_configuration(found: Conventions, content: Mapping[str, object], rules: Mapping[str, object]) -> None:
    """Take over `rules`, and name what else the configuration `content` asks of messages."""
    for key, value in content.items():
        if value and key not in _HARMLESS:
            found.missed.append(f"{show(key)}: there is no setting for it")
    if rules:
        _take_rules(found, rules)


class _Rule(NamedTuple):
    """A rule of commitlint: its level of ours, whether it holds always or never, and its value."""

    level: str = OFF
    when: str = "always"
    value: object = None


def _take_rules(found: Conventions, entries: Mapping[str, object]) -> None:
    """Take over rules of commitlint, each once, and name those that have no setting."""
    rules: dict[str, _Rule] = {}
    for name, entry in entries.items():
        rule = _read_rule(entry)
        if rule is None:
            found.missed.append(f"{show(name)}: it is no rule that can be read")
        else:
            rules[name] = rule
    _take_types(found, rules)
    found.accept_any_scope()
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
    """Return the rule that `entry` sets; None if it is none."""
    level, when, value = [*as_list(entry)[:3], None, None, None][:3]
    if level not in (0, 1, 2) or (level and when not in ("always", "never", None)):
        return None
    return _Rule((OFF, WARNING, ERROR)[level], when or "always", value)


def _list_cases(value: object) -> set[str | None]:
    """Return the cases that a rule names, in one spelling."""
    value = as_mapping(value).get("cases", value)
    cases: set[str | None] = set()
    for entry in as_list(value) or [value]:
        name = show(entry).replace("lowerCase", "lower-case").removesuffix("-case").removesuffix("case")
        cases.add(f"{name}-case")
    return cases
