"""What other tools' configuration says about messages."""

from __future__ import annotations

import json

import pytest

from smartcommit.git.repo import Repository
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.setup.other_tools import find_conventions, read_yaml
from tests.support.repository import Repo

ANGULAR = "feat fix revert perf refactor ci test build docs chore style"
COMMITIZEN = "feat fix revert perf refactor ci test build docs chore style bump"
# What config-conventional asks beside its types.
CONVENTIONAL = (
    "headerLimit = 100|lineLimit = 100|trailerLimit = 100|summaryCase = lower-first|fullStop = forbid"
    "|errors = line-length|warnings = body-blank|off = scope-form scope-case"
)
PRESET = "export default {extends: ['@commitlint/config-conventional']}"


# Each mapping has the entries of another one twice.
MERGED = "rules:\n  a0: &a0 {k: v}\n"
for _number in range(1, 60):
    MERGED += f"  a{_number}: &a{_number} {{<<: [*a{_number - 1}, *a{_number - 1}]}}\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            ".commitlintrc.yml",
            "rules:\n  type-enum: [2, always, [docs, feat, wip]]\n  scope-enum: [1, always, [api, web]]\n"
            "  header-max-length: [2, always, 72]\n  body-max-line-length: [0, always, 80]\n",
            "types = feat docs wip|scopes = api web|headerLimit = 72|warnings = scope-unknown"
            "|off = scope-form scope-case",
        ),
        (
            "package.json",
            json.dumps({"commitlint": {"extends": ["@commitlint/config-conventional"]}}),
            f"types = {ANGULAR}|{CONVENTIONAL}",
        ),
        (
            "package.json",
            json.dumps({"\U0001f600": 1, "commitlint": {"rules": {"type-enum": [2, "always", ["feat"]]}}}, indent="\t"),
            "types = feat|off = scope-form scope-case summary-length",
        ),
        (
            ".commitlintrc.json",
            '\ufeff{"rules": {"type-enum": [2, "always", ["feat"]]}}\r\n',
            "types = feat|off = scope-form scope-case summary-length",
        ),
        ("commitlint.config.mjs", PRESET, f"types = {ANGULAR}|{CONVENTIONAL}"),
        ("pyproject.toml", '[tool.commitizen]\nname = "cz_conventional_commits"\nmessage_length_limit = 80\n',
         f"types = {COMMITIZEN}|headerLimit = 80|off = scope-form scope-case"),
    ],
)  # fmt: skip
def test_the_rules_of_other_tools_are_proposed(repo: Repo, name: str, text: str, expected: str) -> None:
    repo.write(name, text)
    found = find_conventions(Repository.find(str(repo.path)))
    assert found.sources == [name]
    assert found.to_policy() == "".join(["[smartcommit]\n", *(f"\t{line}\n" for line in expected.split("|"))])
    # git reads what is proposed.
    repo.write("policy", found.to_policy())
    assert repo.git("config", "-f", "policy", "--list").startswith("smartcommit.types=")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".commitlintrc.yml", "[" * 100_000),
        (".commitlintrc.json", "{"),
        ("package.json", "[]"),
        ("package.json", '{"commitlint": "no", "release": 1}'),
        ("pyproject.toml", "[tool]\ncommitizen = 1\n"),
        ("pyproject.toml", "tool = 1\n"),
        (".commitlintrc.yml", 'rules: {type-enum: [2, always, !!int ""]}'),
        (".commitlintrc.yml", "rules: {type-enum: [2, always, !!bool x]}"),
        (".commitlintrc.yml", "rules: {type-enum: [2, always, !!timestamp x]}"),
        (".commitlintrc.yml", 'rules: {type-enum: [2, always, "\\UFFFFFFFF"]}'),
        (".commitlintrc.yml", "rules: {type-enum: [2, always, [feat]]}\n" + "# too long\n" * 10_000),
        (".commitlintrc.json", '{"extends": ["./\\u0000", "\\ud800"]}'),
        ("cz.toml", f"[tool.commitizen]\n{'a.' * 100_000}b = 1\n"),
        ("commitlint.config.js", "module.exports = {}"),
        ("cz.json", '{"commitizen": {"name": "cz_customize"}}'),
        ("commitlint.config.js", "module.exports = require('./shared')"),
    ],
)
def test_what_is_not_understood_is_not_proposed(repo: Repo, name: str, text: str) -> None:
    repo.write(name, text)
    assert find_conventions(Repository.find(str(repo.path))).to_policy() == ""


def test_mappings_that_merge_each_other_do_not_grow() -> None:
    data, _ = read_yaml(MERGED)
    assert data["rules"]["a59"] == {"k": "v"}


def test_a_proposal_keeps_the_types_of_the_history(repo: Repo) -> None:
    repo.commit_daily("deps: bump SHOP-1", days=12)
    assert find_conventions(Repository.find(str(repo.path))).to_policy() == (
        f'[smartcommit]\n\ttypes = {" ".join(DEFAULT_TYPES)} deps\n\tticket = "SHOP-[0-9]+"\n'
    )


@pytest.mark.parametrize(("named", "expected"), [(19, 'ticket = "SHOP-[0-9]+"'), (15, "")])
def test_tickets_that_nearly_all_commits_name_are_proposed(repo: Repo, named: int, expected: str) -> None:
    for number in range(20):
        ticket = f"\n\nRefs: SHOP-{number}" if number < named else ""
        repo.commit(f"feat: add {number}{ticket}")
    assert expected in find_conventions(Repository.find(str(repo.path))).to_policy()
    assert bool(expected) == bool(find_conventions(Repository.find(str(repo.path))).ticket)
