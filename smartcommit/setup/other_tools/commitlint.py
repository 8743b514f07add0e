"""What a configuration of commitlint asks of messages, as settings of ours.

Source: commitlint.js.org, "Configuration" and "Rules", and the packages @commitlint/resolve-extends and
@commitlint/rules 20. Nothing is executed: of modules only what is written out as a literal is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from smartcommit.message.rules import ERROR, FORBID, LOWER_CASE, LOWER_FIRST, OFF, REQUIRE, UPPER_FIRST, WARNING
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
# Configurations that are read because others extend them, and how deep.
_FILES_READ, _DEPTH = 20, 8
_ENDINGS = ("", ".js", ".json")
# Keys of a configuration that ask nothing of messages.
_HARMLESS = {"$schema", "defaultIgnores", "extends", "formatter", "helpUrl", "parserPreset", "prompt", "rules"}
_PARSERS = ("conventional-changelog-conventionalcommits", "conventional-changelog-angular")
_COMPUTED = "it is not written out in the configuration"
_NO_SETTING = "there is no setting for it"


def read_commitlint(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read the configuration of the file `name` in `directory`: its preset at least, if it is no literal."""
    if name in ("package.json", "package.yaml"):
        inner = content.get("commitlint")
        content = inner if isinstance(inner, dict) else {}
    if not content and name.endswith(MODULE_ENDINGS):
        text = read_text(os.path.join(directory, name))
        content = {"extends": [preset for preset in PRESETS if preset in text][:1]}
        found.missed.append(f"{name}: its rules are not written out as an object")
    rules = _Resolver(found, directory).resolve(content, directory, 0)
    _name_unread(found, content)
    if rules:
        _Translation(found, rules).run()


def _name_unread(found: Conventions, content: Mapping[str, object]) -> None:
    """Name what a configuration has beside rules and asks something of messages."""
    if content.get("defaultIgnores") is False:
        found.missed.append("defaultIgnores: merges and reverts that git itself writes are never checked here")
    parser = content.get("parserPreset")
    options = parser.get("parserOpts") if isinstance(parser, dict) else None
    if parser not in (None, *_PARSERS) and not (isinstance(options, dict) and set(options) == {"issuePrefixes"}):
        found.missed.append("parserPreset: headers have the form 'type(scope)!: summary' here")
    for key in content:
        if key == SPREAD:
            found.missed.append(f"other settings: {_COMPUTED}")
        elif key not in _HARMLESS:
            found.missed.append(f"{key}: {_COMPUTED if content[key] is UNKNOWN else _NO_SETTING}")


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
        for name in extends if isinstance(extends, list) else [extends]:
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
        if name.startswith(".") and depth < _DEPTH and self._files <= _FILES_READ:
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
            else:
                found.missed.append(f"{'other rules' if name == SPREAD else name}: {_COMPUTED}")

    def run(self) -> None:
        self._take_form()
        self._take_types()
        self._take_scopes()
        self._take_lengths()
        for name, take in _TAKEN.items():
            rule = self._rules.pop(name, None)
            if rule is not None:
                take(self._found, rule)
        for name, rule in self._rules.items():
            if rule.level != OFF:
                self._found.missed.append(f"{name}: {_NO_SETTING}")

    def _pop(self, name: str) -> _Rule:
        """Return the rule `name` and count it as read; it is off if it is not there."""
        return self._rules.pop(name, _Rule(OFF, never=False, value=None))

    def _take_form(self) -> None:
        """Take over how much a header without a type or a subject matters, if that is said."""
        if "type-empty" not in self._rules and "subject-empty" not in self._rules:
            return
        levels = set()
        for name in ("type-empty", "subject-empty"):
            rule = self._pop(name)
            if rule.level != OFF and not rule.never:
                self._found.missed.append(f"{name} always: headers have the form 'type(scope)!: summary' here")
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
            found.missed.append(f"type-enum never: {_NO_SETTING}")
        if not found.types:
            listed.level = OFF
        found.levels["type-unknown"] = listed.level
        found.levels["type-case"] = case.level if listed.level == OFF else ERROR
        if case.level != OFF and (case.never or _list_cases(case.value) != {"lower-case"}):
            found.missed.append(f"type-case {_show_cases(case)}: types are lower case here")

    def _take_scopes(self) -> None:
        found, listed = self._found, self._pop("scope-enum")
        case, empty = self._pop("scope-case"), self._pop("scope-empty")
        found.accept_any_scope()
        if listed.level != OFF and listed.never:
            found.missed.append(f"scope-enum never: {_NO_SETTING}")
        elif listed.level != OFF:
            found.take_scopes(_unwrap(listed.value, "scopes"), "scope-enum")
            found.levels["scope-unknown"] = listed.level
        cases = _unwrap(case.value, "cases")
        if case.level != OFF and not case.never and _list_cases(cases) == {"lower-case"}:
            found.levels["scope-case"] = case.level
        elif case.level != OFF:
            found.missed.append(f"scope-case {_show_cases(case)}: {_NO_SETTING}")
        if empty.level != OFF:
            found.values["scope"] = REQUIRE if empty.never else FORBID
            found.levels["scope-missing" if empty.never else "scope-forbidden"] = empty.level

    def _take_lengths(self) -> None:
        found = self._found
        whole, subject = self._pop("header-max-length"), self._pop("subject-max-length")
        body, footer = self._pop("body-max-line-length"), self._pop("footer-max-line-length")
        limited = _take_limit(found, whole, "headerLimit", "header-length") and whole.level == ERROR
        if not _take_limit(found, subject, "summaryLimit", "summary-length") and not limited:
            found.levels["summary-length"] = OFF
        if body.level != OFF and footer.level not in (body.level, OFF):
            found.missed.append(f"footer-max-line-length as {footer.level}: it has the level of body-max-line-length")
            footer.level = body.level
        _take_limit(found, body, "lineLimit", "line-length")
        _take_limit(found, footer, "trailerLimit", "line-length")


def _take_limit(found: Conventions, rule: _Rule, name: str, code: str) -> bool:
    """Take over a length, and return whether there is one."""
    limit = read_count(rule.value)
    if rule.level == OFF or limit is None:
        return False
    found.values[name] = limit
    found.levels[code] = rule.level
    return True


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


def _show_cases(rule: _Rule) -> str:
    when = "never" if rule.never else "always"
    return f"{when} {' '.join(sorted(_list_cases(rule.value)))}"


def _take_summary_case(found: Conventions, rule: _Rule) -> None:
    """Take over the case of the subject. A subject in sentence case is one that begins with a capital letter."""
    if rule.level == OFF:
        return
    cases, wanted = _list_cases(rule.value), None
    if rule.never and "sentence-case" in cases and cases.issubset(_CAPITALS):
        # Each of the other cases begins with a capital letter as well.
        wanted = LOWER_FIRST
    elif not rule.never and cases == {"sentence-case"}:
        wanted = UPPER_FIRST
    elif not rule.never and cases == {"lower-case"}:
        wanted = LOWER_CASE
    if wanted is None:
        found.missed.append(f"subject-case {_show_cases(rule)}: {_NO_SETTING}")
        return
    found.values["summaryCase"] = wanted
    found.levels["summary-case"] = rule.level


def _take_full_stop(found: Conventions, rule: _Rule) -> None:
    if rule.level != OFF and rule.value in (None, "."):
        found.values["fullStop"] = FORBID if rule.never else REQUIRE
        found.levels["summary-stop"] = rule.level
    elif rule.level != OFF:
        found.missed.append(f"subject-full-stop {show(rule.value)}: it is a full stop here")


def _take_body_blank(found: Conventions, rule: _Rule) -> None:
    if rule.never and rule.level != OFF:
        found.missed.append(f"body-leading-blank never: {_NO_SETTING}")
    else:
        found.levels["body-blank"] = rule.level


def _take_footer_blank(found: Conventions, rule: _Rule) -> None:
    if rule.level != OFF:
        found.missed.append("footer-leading-blank: trailers are what git reads as such, in a paragraph of their own")


def _take_body(found: Conventions, rule: _Rule) -> None:
    if rule.level != OFF and rule.never:
        found.values["required"] = "description"
        found.levels["section-missing"] = rule.level
    elif rule.level != OFF:
        found.missed.append(f"body-empty always: {_NO_SETTING}")


def _take_sign_off(found: Conventions, rule: _Rule) -> None:
    if rule.level != OFF and not rule.never and rule.value in (None, "Signed-off-by:", "Signed-off-by"):
        found.values["signOff"] = REQUIRE
        found.levels["sign-off"] = rule.level
    elif rule.level != OFF:
        found.missed.append(f"signed-off-by: {_NO_SETTING}")


def _ignore(found: Conventions, rule: _Rule) -> None:
    """Do nothing: git removes space around a header, or our own check refuses it."""


_TAKEN: Mapping[str, Callable[[Conventions, _Rule], None]] = {
    "subject-case": _take_summary_case,
    "subject-full-stop": _take_full_stop,
    "body-leading-blank": _take_body_blank,
    "footer-leading-blank": _take_footer_blank,
    "body-empty": _take_body,
    "signed-off-by": _take_sign_off,
    "header-trim": _ignore,
}
