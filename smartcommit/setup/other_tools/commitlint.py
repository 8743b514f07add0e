"""What a configuration of commitlint asks of messages, as settings of ours.

Source: commitlint.js.org, "Configuration" and "Rules", and the package @commitlint/rules 20. Nothing is executed unless
the user says so: JavaScript is searched for the name of a preset, and what is written elsewhere is named.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from smartcommit.errors import SmartcommitError
from smartcommit.message.rules import (
    DELIMITERS,
    ERROR,
    FORBID,
    LOWER_CASE,
    LOWER_FIRST,
    OFF,
    REQUIRE,
    UPPER_FIRST,
    WARNING,
    WORD,
)
from smartcommit.setup.other_tools.found_rules import ANGULAR_TYPES, CONVENTIONAL_TYPES, Conventions, read_text, show
from smartcommit.setup.other_tools.yaml_data import as_mapping

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
# Keys of a configuration that ask nothing of messages.
_HARMLESS = {"$schema", "defaultIgnores", "extends", "formatter", "helpUrl", "prompt", "rules"}
_PARSERS = ("conventional-changelog-conventionalcommits", "conventional-changelog-angular")
# What separates several scopes if no rule says otherwise.
_DELIMITERS = ["/", "\\", ","]
_NO_SETTING = "there is no setting for it"
_FORM = "headers have the form 'type(scope)!: summary' here"
_REASONS = {
    "type-empty": _FORM,
    "subject-empty": _FORM,
    "type-case": "types are lower case here",
    "subject-full-stop": "it is a full stop here",
    "footer-leading-blank": "trailers are what git reads as such, in a paragraph of their own",
}
# Lines of bodies and of trailers have one level, that of the first.
_LIMITS = (
    ("header-max-length", "headerLimit", "header-length"),
    ("subject-max-length", "summaryLimit", "summary-length"),
    ("body-max-line-length", "lineLimit", "line-length"),
    ("footer-max-line-length", "trailerLimit", "line-length"),
)
# What holds without a setting: git removes space around a header, or our own check refuses it.
_HELD_HERE = ("header-trim",)
# Values of a rule that are shown if it is not taken over.
_VALUES_SHOWN = 10


def read_commitlint(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read the configuration of the file `name` in `directory`; of one in JavaScript only which preset it names."""
    if name in ("package.json", "package.yaml"):
        content = as_mapping(content.get("commitlint"))
    if name.endswith(MODULE_ENDINGS):
        text = read_text(os.path.join(directory, name))
        content = {"extends": [preset for preset in PRESETS if preset in text][:1]}
        found.missed.append(f"{name}: its rules are code; {_ASK}")
    rules: dict[str, object] = {}
    extends = content.get("extends")
    for extended in extends if isinstance(extends, list) else [extends]:
        if isinstance(extended, str) and extended in PRESETS:
            rules |= PRESETS[extended]
        elif extended is not None:
            found.missed.append(f"extends {show(extended)}: it is no preset that is known; {_ASK}")
    take_configuration(found, content, rules | as_mapping(content.get("rules")))


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
        raise SmartcommitError(
            "commitlint printed no configuration", hint="run 'npx commitlint --print-config json' to see why"
        )
    found.sources.append("commitlint --print-config")
    take_configuration(found, content, as_mapping(content["rules"]))


def take_configuration(found: Conventions, content: Mapping[str, object], rules: Mapping[str, object]) -> None:
    """Take over `rules`, and name what else the configuration `content` asks of messages."""
    if content.get("defaultIgnores") is False:
        found.missed.append("defaultIgnores: merges and reverts that git itself writes are never checked here")
    parser = content.get("parserPreset")
    if as_mapping(parser).get("name", parser) not in (None, *_PARSERS):
        found.missed.append(f"parserPreset: {_FORM}")
    for key, value in content.items():
        if value and key not in _HARMLESS and key != "parserPreset":
            found.missed.append(f"{show(key)}: {_NO_SETTING}")
    if rules:
        _Translation(found, rules).run()


class _Rule(NamedTuple):
    """A rule of commitlint: its level of ours, whether it says `never`, and its value."""

    level: str = OFF
    never: bool = False
    value: object = None


class _Setting(NamedTuple):
    """A setting of ours, if any, and the code that a rule of commitlint with one of `values` is for."""

    rule: str
    never: bool
    values: Sequence[object]
    name: str
    value: str
    code: str


_STOPS, _SIGN_OFFS = (None, "."), (None, "Signed-off-by:", "Signed-off-by")
_SETTINGS = (
    _Setting("subject-case", True, [{"sentence-case"}], "summaryCase", LOWER_FIRST, "summary-case"),
    _Setting("subject-case", False, [{"sentence-case"}], "summaryCase", UPPER_FIRST, "summary-case"),
    _Setting("subject-case", False, [{"lower-case"}], "summaryCase", LOWER_CASE, "summary-case"),
    _Setting("subject-full-stop", True, _STOPS, "fullStop", FORBID, "summary-stop"),
    _Setting("subject-full-stop", False, _STOPS, "fullStop", REQUIRE, "summary-stop"),
    _Setting("scope-case", False, [{"lower-case"}], "", "", "scope-case"),
    _Setting("scope-empty", True, [None], "scope", REQUIRE, "scope-missing"),
    _Setting("scope-empty", False, [None], "scope", FORBID, "scope-forbidden"),
    _Setting("body-empty", True, [None], "required", "description", "section-missing"),
    _Setting("signed-off-by", False, _SIGN_OFFS, "signOff", REQUIRE, "sign-off"),
)


class _Translation:
    """Takes over rules of commitlint, each once; what is left in the end has no setting."""

    def __init__(self, found: Conventions, rules: Mapping[str, object]) -> None:
        self._found = found
        self._rules: dict[str, _Rule] = {}
        for name, entry in rules.items():
            rule = _read_rule(entry)
            if rule is None:
                found.missed.append(f"{show(name)}: it is no rule that can be read")
            else:
                self._rules[str(name)] = rule

    def run(self) -> None:
        """Take over all rules."""
        self._take_form()
        self._take_types()
        self._take_scopes()
        self._take_lengths()
        for name, rule in self._rules.items():
            if rule.level != OFF and name not in _HELD_HERE and not self._take_setting(name, rule):
                self._miss(name, rule)

    def _pop(self, name: str) -> _Rule:
        """Return the rule `name` and count it as read; it is off if it is not there."""
        return self._rules.pop(name, _Rule())

    def _miss(self, name: str, rule: _Rule) -> None:
        values = rule.value if isinstance(rule.value, list) else [rule.value]
        shown = [show(value) for value in values[:_VALUES_SHOWN] if value is not None]
        words = " ".join([name, "never" if rule.never else "always", *shown])
        self._found.missed.append(f"{words}: {_REASONS.get(name, _NO_SETTING)}")

    def _take_setting(self, name: str, rule: _Rule) -> bool:
        """Take over a rule that is one of our settings, and return whether it is."""
        value = rule.value
        if name == "body-leading-blank" and not rule.never:
            self._found.levels["body-blank"] = rule.level
            return True
        if name in ("subject-case", "scope-case"):
            value = _list_cases(_unwrap(value, "cases"))
            if rule.never and "sentence-case" in value and value.issubset(_CAPITALS):
                # Each of the other cases begins with a capital letter as well.
                value = {"sentence-case"}
        for setting in _SETTINGS:
            if setting.rule == name and setting.never == rule.never and value in setting.values:
                if setting.name:
                    self._found.values[setting.name] = setting.value
                self._found.levels[setting.code] = rule.level
                return True
        return False

    def _take_form(self) -> None:
        """Take over how much a header without a type or a subject matters, if that is said."""
        levels = []
        for name in ("type-empty", "subject-empty"):
            if name in self._rules:
                rule = self._pop(name)
                levels.append(rule.level if rule.never else OFF)
                if rule.level != OFF and not rule.never:
                    self._miss(name, rule)
        if levels:
            strictest = next(level for level in (ERROR, WARNING, OFF) if level in levels)
            self._found.levels |= dict.fromkeys(("header-form", "header-space", "summary-empty"), strictest)
        if self._rules.get("body-leading-blank", _Rule(ERROR)).level == OFF:
            self._found.levels["body-blank"] = OFF

    def _take_types(self) -> None:
        found, listed, case = self._found, self._pop("type-enum"), self._pop("type-case")
        if listed.level != OFF and not listed.never:
            found.take_types(listed.value, "type-enum")
        elif listed.level != OFF:
            self._miss("type-enum", listed)
        found.levels |= {"type-unknown": OFF, "type-case": case.level}
        if found.types:
            found.levels |= {"type-unknown": listed.level, "type-case": ERROR}
        if case.level != OFF and (case.never or _list_cases(case.value) != {"lower-case"}):
            self._miss("type-case", case)

    def _take_scopes(self) -> None:
        found, listed = self._found, self._pop("scope-enum")
        found.accept_any_scope()
        self._take_delimiters("scope-enum", as_mapping(listed.value).get("delimiters"))
        style, case = self._pop("scope-delimiter-style"), self._rules.get("scope-case", _Rule())
        if style.level != OFF and style.never:
            self._miss("scope-delimiter-style", style)
        elif style.level != OFF:
            self._take_delimiters("scope-delimiter-style", style.value or _DELIMITERS, WORD)
            found.levels["scope-form"] = style.level
        if not case.never and _list_cases(_unwrap(case.value, "cases")) == {"kebab-case"}:
            self._take_delimiters("scope-case", as_mapping(case.value).get("delimiters") or _DELIMITERS)
            found.levels |= {"scope-form": self._pop("scope-case").level, "scope-case": case.level}
        if listed.level != OFF and listed.never:
            self._miss("scope-enum", listed)
        elif listed.level != OFF:
            found.take_scopes(_unwrap(listed.value, "scopes"), "scope-enum")
            found.levels["scope-unknown"] = listed.level

    def _take_delimiters(self, name: str, values: object, *forms: str) -> None:
        """Take over what the rule `name` lets stand between several scopes, and the further `forms` of a scope."""
        if not isinstance(values, list) or not values:
            return
        taken = [form for form, marks in DELIMITERS.items() if not set(marks).isdisjoint(map(show, values))]
        if taken:
            self._found.values["scopeForm"] = " ".join((*taken, *forms))
        others = [show(value) for value in values if show(value) not in _DELIMITERS]
        if others:
            self._found.missed.append(f"{name} delimiters {' '.join(others)}: {_NO_SETTING}")

    def _take_lengths(self) -> None:
        levels = self._found.levels
        for name, setting, code in _LIMITS:
            rule = self._pop(name)
            if rule.level != OFF:
                self._found.take_limit(rule.value, setting, code, rule.level)
        # Our own limit of a summary holds beside one of the whole header that is an error.
        if "summary-length" not in levels and levels.get("header-length") != ERROR:
            levels["summary-length"] = OFF


def _read_rule(entry: object) -> _Rule | None:
    """Return the rule that `entry` sets; None if it is none."""
    if not isinstance(entry, list) or not 1 <= len(entry) <= 3 or entry[0] not in (0, 1, 2):
        return None
    level, when, value = [*entry, None, None][:3]
    if level != 0 and when not in ("always", "never", None):
        return None
    return _Rule((OFF, WARNING, ERROR)[level], when == "never", value)


def _unwrap(value: object, key: str) -> object:
    """Return what an object with options beside it has under `key`, or the value itself."""
    return value.get(key) if isinstance(value, dict) else value


def _list_cases(value: object) -> set[str]:
    """Return the cases that a rule names, in one spelling."""
    cases = set()
    for entry in value if isinstance(value, list) else [value]:
        name = show(entry).replace("lowerCase", "lower-case").removesuffix("-case").removesuffix("case")
        cases.add(f"{name}-case")
    return cases
