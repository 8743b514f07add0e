"""What a configuration of commitlint asks of messages, as settings of ours.

Source: commitlint.js.org, "Configuration" and "Rules", and the packages @commitlint/resolve-extends and
@commitlint/rules 20. Nothing is executed: of modules only what is written out as a literal is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

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
from smartcommit.setup.other_tools.found_rules import (
    ANGULAR_TYPES,
    CONVENTIONAL_TYPES,
    MODULE_ENDINGS,
    Conventions,
    parse_configuration,
    read_count,
    read_text,
    show,
)
from smartcommit.setup.other_tools.literals import SPREAD, UNKNOWN
from smartcommit.setup.other_tools.prompts import take_prompt
from smartcommit.setup.other_tools.yaml_data import as_mapping

_CAPITALS = ["sentence-case", "start-case", "pascal-case", "upper-case"]
_ANGULAR: dict[str, object] = {
    "body-leading-blank": [1, "always"],
    "footer-leading-blank": [1, "always"],
    "header-max-length": [2, "always", 72],
    "scope-case": [2, "always", "lower-case"],
    "subject-case": [2, "never", _CAPITALS],
    "subject-empty": [2, "never"],
    "subject-exclamation-mark": [2, "never"],
    "subject-full-stop": [2, "never", "."],
    "type-case": [2, "always", "lower-case"],
    "type-empty": [2, "never"],
    "type-enum": [2, "always", list(ANGULAR_TYPES)],
}
_CONVENTIONAL: dict[str, object] = {
    "body-leading-blank": [1, "always"],
    "body-max-line-length": [2, "always", 100],
    "footer-leading-blank": [1, "always"],
    "footer-max-line-length": [2, "always", 100],
    "header-max-length": [2, "always", 100],
    "header-trim": [2, "always"],
    "subject-case": [2, "never", _CAPITALS],
    "subject-empty": [2, "never"],
    "subject-full-stop": [2, "never", "."],
    "type-case": [2, "always", "lower-case"],
    "type-empty": [2, "never"],
    "type-enum": [2, "always", list(CONVENTIONAL_TYPES)],
}
PRESETS: Mapping[str, dict[str, object]] = {
    "@commitlint/config-conventional": _CONVENTIONAL,
    "@commitlint/config-angular": _ANGULAR,
    "@commitlint/config-angular-type-enum": {"type-enum": [2, "always", list(ANGULAR_TYPES)]},
}
# Limits for configurations that extend others: how many are read, and how many levels deep.
_FILES_READ, _LEVELS_EXTENDED = 20, 8
_ENDINGS = ("", ".js", ".json")
# What separates several scopes if no rule says otherwise.
_DELIMITERS = ["/", "\\", ","]
# Keys of a configuration that ask nothing of messages.
_HARMLESS = {"$schema", "defaultIgnores", "extends", "formatter", "helpUrl", "parserPreset", "prompt", "rules"}
_PARSERS = ("conventional-changelog-conventionalcommits", "conventional-changelog-angular")
_COMPUTED = "it is not written out in the configuration"
_NO_SETTING = "there is no setting for it"


def read_commitlint(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read the configuration of the file `name` in `directory`: its preset at least, if it is no literal."""
    if name in ("package.json", "package.yaml"):
        content = as_mapping(content.get("commitlint"))
    if not content and name.endswith(MODULE_ENDINGS):
        text = read_text(os.path.join(directory, name))
        content = {"extends": [preset for preset in PRESETS if preset in text][:1]}
        found.missed.append(f"{name}: its rules are not written out as an object")
    rules = _Resolver(found, directory).resolve(content, directory, 0)
    _name_unread(found, content)
    if rules:
        _Translation(found, rules).run()
    take_prompt(found, content.get("prompt"))


def _name_unread(found: Conventions, content: Mapping[str, object]) -> None:
    """Name what a configuration has beside rules and asks something of messages."""
    if content.get("defaultIgnores") is False:
        found.missed.append("defaultIgnores: merges and reverts that git itself writes are never checked here")
    parser = content.get("parserPreset")
    options = as_mapping(as_mapping(parser).get("parserOpts"))
    if parser not in (None, *_PARSERS) and set(options) != {"issuePrefixes"}:
        found.missed.append("parserPreset: headers have the form 'type(scope)!: summary' here")
    for key in content:
        if key == SPREAD:
            found.missed.append(f"other settings: {_COMPUTED}")
        elif key not in _HARMLESS:
            reason = _NO_SETTING
            if content[key] is UNKNOWN:
                reason = _COMPUTED
            found.missed.append(f"{key}: {reason}")


class _Resolver:
    """Merges what a configuration extends, in commitlint's order; what cannot be read is named in `found`."""

    def __init__(self, found: Conventions, directory: str) -> None:
        self._found = found
        self._root = os.path.realpath(directory)
        self._files = 0

    def resolve(self, content: Mapping[str, object], directory: str, depth: int) -> dict[str, object]:
        """Return the rules of `content`, a configuration in `directory`, with those that it extends."""
        rules: dict[str, object] = {}
        extends = content.get("extends")
        if not isinstance(extends, list):
            extends = [extends]
        for name in extends:
            if isinstance(name, str):
                rules |= self._extend(name, directory, depth)
            elif name is not None:
                self._found.missed.append(f"extends: {_COMPUTED}")
        own = content.get("rules")
        if isinstance(own, dict):
            rules |= {str(key): value for key, value in own.items()}
        elif own is not None:
            self._found.missed.append(f"rules: {_COMPUTED}")
        return rules

    def _extend(self, name: str, directory: str, depth: int) -> dict[str, object]:
        if name in PRESETS:
            return PRESETS[name]
        path = ""
        self._files += 1
        if name.startswith(".") and depth < _LEVELS_EXTENDED and self._files <= _FILES_READ:
            path = self._find_file(os.path.join(directory, name))
        content = parse_configuration(path, read_text(path))
        if not content:
            self._found.missed.append(
                f"extends {name}: it is neither a known preset nor a file whose rules can be read"
            )
            return {}
        return self.resolve(content, os.path.dirname(path), depth + 1)

    def _find_file(self, path: str) -> str:
        """Return the path of the file that `path` names without its ending, empty if it is not in the working tree."""
        for ending in _ENDINGS:
            with suppress(ValueError):  # no path has a NUL byte
                real = os.path.realpath(path + ending)
                if os.path.isfile(real) and real.startswith(self._root + os.sep):
                    return real
        return ""


@dataclass(slots=True)
class _Rule:
    """A rule of commitlint: its level of ours, whether it says `never`, and its value."""

    level: str
    never: bool
    value: object


def _read_rule(entry: object) -> _Rule | None:
    """Return the rule that `entry` sets; None if it is not written out, or is no rule."""
    if not isinstance(entry, list) or not 1 <= len(entry) <= 3 or entry[0] not in (0, 1, 2):
        return None
    level, when, value = [*entry, None, None][:3]
    if level != 0 and (when not in ("always", "never", None) or value is UNKNOWN):
        return None
    return _Rule((OFF, WARNING, ERROR)[level], when == "never", value)


class _Translation:
    """Turns the merged rules of commitlint into settings of `found`."""

    def __init__(self, found: Conventions, rules: Mapping[str, object]) -> None:
        self._found = found
        self._rules: dict[str, _Rule] = {}
        for name, entry in rules.items():
            rule = _read_rule(entry)
            if rule is not None:
                self._rules[name] = rule
            elif name == SPREAD:
                found.missed.append(f"other rules: {_COMPUTED}")
            else:
                found.missed.append(f"{name}: {_COMPUTED}")

    def run(self) -> None:
        self._take_form()
        self._take_types()
        self._take_scopes()
        self._take_lengths()
        self._take_body_blank()
        for name, rule in self._rules.items():
            if rule.level != OFF and name not in _HELD_HERE and not self._take_setting(name, rule):
                self._miss(name, rule)

    def _pop(self, name: str) -> _Rule:
        """Return the rule `name` and count it as read; it is off if it is not there."""
        return self._rules.pop(name, _Rule(OFF, never=False, value=None))

    def _miss(self, name: str, rule: _Rule) -> None:
        """Name what a rule asks and there is no setting for."""
        words = [name, "always"]
        if rule.never:
            words[1] = "never"
        values = rule.value
        if not isinstance(values, list):
            values = [values]
        words += [show(value) for value in values[:_VALUES_SHOWN] if value is not None]
        self._found.missed.append(f"{' '.join(words)}: {_REASONS.get(name, _NO_SETTING)}")

    def _take_setting(self, name: str, rule: _Rule) -> bool:
        """Take over a rule that is one of our settings, and return whether it is."""
        value = rule.value
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
        if "type-empty" not in self._rules and "subject-empty" not in self._rules:
            return
        levels = set()
        for name in ("type-empty", "subject-empty"):
            rule = self._pop(name)
            if rule.level != OFF and not rule.never:
                self._miss(name, rule)
                rule.level = OFF
            levels.add(rule.level)
        strictest = next(level for level in (ERROR, WARNING, OFF) if level in levels)
        for code in ("header-form", "header-space", "summary-empty"):
            self._found.levels[code] = strictest

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
        style, case = self._pop("scope-delimiter-style"), self._rules.get("scope-case")
        if style.level != OFF and style.never:
            self._miss("scope-delimiter-style", style)
        elif style.level != OFF:
            self._take_delimiters("scope-delimiter-style", style.value or _DELIMITERS, WORD)
            found.levels["scope-form"] = style.level
        if case is not None and not case.never and _list_cases(_unwrap(case.value, "cases")) == {"kebab-case"}:
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
        found = self._found
        whole, subject = self._pop("header-max-length"), self._pop("subject-max-length")
        body, footer = self._pop("body-max-line-length"), self._pop("footer-max-line-length")
        limited = self._take_limit(whole, "headerLimit", "header-length") and whole.level == ERROR
        if not self._take_limit(subject, "summaryLimit", "summary-length") and not limited:
            found.levels["summary-length"] = OFF
        if body.level != OFF and footer.level not in (body.level, OFF):
            found.missed.append(f"footer-max-line-length as {footer.level}: it has the level of body-max-line-length")
            footer.level = body.level
        self._take_limit(body, "lineLimit", "line-length")
        self._take_limit(footer, "trailerLimit", "line-length")

    def _take_limit(self, rule: _Rule, name: str, code: str) -> bool:
        """Take over a length, and return whether there is one."""
        limit = read_count(rule.value)
        if rule.level == OFF or limit is None:
            return False
        self._found.values[name] = limit
        self._found.levels[code] = rule.level
        return True

    def _take_body_blank(self) -> None:
        """Take over that a blank line follows the header; without the rule, ours holds."""
        if "body-leading-blank" not in self._rules:
            return
        rule = self._pop("body-leading-blank")
        if rule.level != OFF and rule.never:
            self._miss("body-leading-blank", rule)
        else:
            self._found.levels["body-blank"] = rule.level


def _unwrap(value: object, key: str) -> object:
    """Return what an object with options beside it has under `key`, or the value itself."""
    if isinstance(value, dict):
        return value.get(key)
    return value


def _list_cases(value: object) -> set[str]:
    """Return the cases that a rule names, in one spelling."""
    if not isinstance(value, list):
        value = [value]
    cases = set()
    for entry in value:
        name = show(entry).replace("lowerCase", "lower-case").removesuffix("-case").removesuffix("case")
        cases.add(f"{name}-case")
    return cases


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
# What holds without a setting: git removes space around a header, or our own check refuses it.
_HELD_HERE = ("header-trim",)
_REASONS = {
    "type-empty": "headers have the form 'type(scope)!: summary' here",
    "subject-empty": "headers have the form 'type(scope)!: summary' here",
    "type-case": "types are lower case here",
    "subject-full-stop": "it is a full stop here",
    "footer-leading-blank": "trailers are what git reads as such, in a paragraph of their own",
}
# Values of a rule that are shown if it is not taken over.
_VALUES_SHOWN = 10
