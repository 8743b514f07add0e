"""Which settings the rules of commitlint become, and that both agree on messages."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.setup.other_tools import Conventions, find_conventions
from tests.support.repository import Repo
from tests.support.table import rows
from tests.support.verdicts import (
    CONFIGURATIONS,
    RECORDED,
    ask_commitlint,
    find_reason,
    find_rules,
    list_messages,
    list_refused,
)

ROOT = Path(__file__).parents[2]
# How many of the messages both judge alike; `docs/checking.md` has these figures.
AGREED = {
    "config-conventional": 284,
    "config-angular": 280,
    "rules of its own": 281,
    "rules without a preset": 280,
}


def find(repo: Repo, rules: str, **others: str) -> Conventions:
    repo.write(".commitlintrc.json", "{" + ", ".join([f'"rules": {{{rules}}}', *others.values()]) + "}")
    return find_conventions(Repository.find(str(repo.path)))


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_both_agree_but_for_what_differs_on_purpose(repo: Repo, name: str) -> None:
    recorded = json.loads(RECORDED.read_text())
    messages = recorded["messages"]
    assert messages == list_messages()
    ours = list_refused(messages, find_rules(name, repo.path))
    reasons: Counter[str] = Counter()
    for message, rules, codes in zip(messages, recorded[name], ours, strict=True):
        if bool(rules) != bool(codes):
            reason = find_reason(message, rules.split(), codes)
            assert reason, (message, rules, codes)
            reasons[reason] += 1
    agreed = len(messages) - reasons.total()
    assert agreed == AGREED[name], reasons
    table = (ROOT / "docs" / "checking.md").read_text()
    assert (
        f"| `{name}` | {agreed} of {len(messages)} |" in table or f"| {name} | {agreed} of {len(messages)} |" in table
    )


@rows("name", CONFIGURATIONS)
def test_what_is_recorded_is_what_commitlint_says(name: str) -> None:
    recorded = json.loads(RECORDED.read_text())
    assert list(map(" ".join, ask_commitlint(name, recorded["messages"]))) == recorded[name]


@pytest.mark.parametrize(
    ("rules", "values", "levels"),
    [
        ('"subject-case": [2, "always", "sentence-case"]', {"summaryCase": "upper-first"}, {"summary-case": "error"}),
        ('"subject-case": [1, "always", ["lower-case"]]', {"summaryCase": "lower-case"}, {"summary-case": "warning"}),
        ('"subject-full-stop": [2, "always", "."]', {"fullStop": "require"}, {"summary-stop": "error"}),
        ('"scope-empty": [2, "never"]', {"scope": "require"}, {"scope-missing": "error"}),
        ('"scope-empty": [1, "always"]', {"scope": "forbid"}, {"scope-forbidden": "warning"}),
        ('"scope-case": [2, "always", "lower-case"]', {}, {"scope-case": "error", "scope-form": "off"}),
        ('"type-empty": [0], "subject-empty": [0]', {}, {"header-form": "off", "header-space": "off"}),
        ('"type-enum": [0], "type-case": [0]', {}, {"type-unknown": "off", "type-case": "off"}),
        ('"body-leading-blank": [0]', {}, {"body-blank": "off"}),
        ('"body-empty": [2, "never"]', {"required": "description"}, {"section-missing": "error"}),
        ('"signed-off-by": [2, "always"]', {"signOff": "require"}, {"sign-off": "error"}),
        ('"subject-max-length": [1, "always", 50]', {"summaryLimit": 50}, {"summary-length": "warning"}),
        ('"header-max-length": [1, "always", 50]', {"headerLimit": 50}, {"summary-length": "off"}),
        ('"header-max-length": [2, "always", 1e999]', {}, {"summary-length": "off"}),
        ('"footer-max-line-length": [2, "always", 90]', {"trailerLimit": 90}, {"line-length": "error"}),
        ('"body-max-line-length": [0, "always", 90]', {}, {}),
    ],
)
def test_a_rule_becomes_a_setting_with_its_level(
    repo: Repo, rules: str, values: dict[str, object], levels: dict[str, str]
) -> None:
    found = find(repo, rules)
    assert found.values == values
    assert found.levels.items() >= levels.items()
    assert found.missed == []
    repo.write("policy", found.to_policy())
    assert repo.git("config", "-f", "policy", "--list")


@pytest.mark.parametrize(
    ("rules", "missed"),
    [
        ('"subject-case": [2, "always", "start-case"]', "subject-case always start-case"),
        ('"subject-case": [2, "never", ["upper-case"]]', "subject-case never upper-case"),
        ('"subject-full-stop": [2, "never", "!"]', "subject-full-stop never !"),
        ('"subject-exclamation-mark": [2, "never"]', "subject-exclamation-mark never"),
        ('"scope-case": [2, "always", "pascal-case"]', "scope-case always pascal-case"),
        ('"scope-enum": [2, "never", ["api"]]', "scope-enum never api"),
        ('"scope-enum": [2, "always", ["api", "two words"]]', "scope-enum two words"),
        ('"scope-delimiter-style": [2, "always", [","]]', "scope-delimiter-style always ,"),
        ('"type-enum": [2, "always", ["feat", "Fix", 7]]', "type-enum Fix 7"),
        ('"type-enum": [2, "never", ["feat"]]', "type-enum never feat"),
        ('"header-min-length": [2, "always", 10]', "header-min-length always 10"),
        ('"subject-empty": [2, "always"]', "subject-empty always"),
        ('"type-empty": [2, "always"], "subject-empty": [2, "never"]', "type-empty always"),
        ('"body-empty": [2, "always"]', "body-empty always"),
        ('"references-empty": [1, "never"]', "references-empty never"),
        ('"footer-leading-blank": [1, "always"]', "footer-leading-blank always"),
        ('"type-enum": "no"', "type-enum"),
    ],
)
def test_what_is_not_taken_over_is_named(repo: Repo, rules: str, missed: str) -> None:
    found = find(repo, f'"body-leading-blank": [2, "always"], {rules}')
    assert [line.partition(":")[0] for line in found.missed] == [missed]


def test_a_short_text_that_holds_an_endless_structure_is_not_followed(repo: Repo) -> None:
    doubled = "".join(f"a{level}: &a{level} [*a{level - 1}, *a{level - 1}]\n" for level in range(1, 60))
    rules = ("subject-case", "subject-full-stop", "type-enum", "scope-enum", "scope-case", "header-max-length")
    lines = "".join(f"  {name}: [2, always, *a59]\n" for name in rules)
    repo.write(".commitlintrc.yml", f"a0: &a0 [x]\n{doubled}extends: *a59\nrules:\n  body-empty: *a59\n{lines}")
    assert "(no text)" in str(find_conventions(Repository.find(str(repo.path))).missed)


def test_of_a_module_that_is_computed_the_preset_is_taken_over(repo: Repo) -> None:
    repo.write("commitlint.config.cjs", "module.exports = extend(require('@commitlint/config-angular'), './rules');\n")
    found = find_conventions(Repository.find(str(repo.path)))
    assert found.values == {"headerLimit": 72, "summaryCase": "lower-first", "fullStop": "forbid"}
    assert found.missed[0].startswith(
        "commitlint.config.cjs: its rules are code; 'npx commitlint --print-config json >"
    )
    assert found.sources == ["commitlint.config.cjs"]


def test_what_a_configuration_has_beside_rules_is_named(repo: Repo) -> None:
    repo.write(
        ".commitlintrc.json",
        json.dumps(
            {
                "extends": ["@commitlint/config-conventional", "./more", "@team/rules", 7],
                "plugins": ["a"],
                "helpUrl": "https://example.org",
                "rules": {"body-max-line-length": [0]},
            }
        ),
    )
    found = find_conventions(Repository.find(str(repo.path)))
    assert [line.partition(":")[0] for line in found.missed] == [
        "extends ./more", "extends @team/rules", "extends 7", "plugins",
        "footer-leading-blank always",
    ]  # fmt: skip
    assert found.values["headerLimit"] == 100
