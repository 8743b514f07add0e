"""The policy file: what is wrong with it is said with the keys that there are."""

import pytest

from smartcommit import config
from smartcommit.config import Settings, find_summary_limit, load
from smartcommit.errors import ConfigError
from smartcommit.message.rules import SUMMARY_LIMIT
from smartcommit.settings import KEYS
from tests.support.repository import Repo
from tests.support.table import rows


@rows(
    ("policy", "key"),
    ("[smartcommit]\n\tsumaryLimit = 10\n", "smartcommit.sumarylimit"),
    ("# ours\n[smartcommit] line-limit = 80\n", "smartcommit.line-limit"),
    ("[smartcommit]\n\tImperativ\n", "smartcommit.imperativ"),
    ("[smartcommit]\n\ttypes = feat\n\tcake = yes\n", "smartcommit.cake"),
    ("[smartcomit]\n\ttypes = feat\n", "smartcomit.types"),
    ('[smartcommit "x"]\n\ttypes = a\n', "smartcommit.x.types"),
)
@pytest.mark.parametrize("committed", [False, True], ids=["in the tree", "in HEAD"])
def test_an_unknown_key_of_a_policy_is_an_error_with_the_keys_that_there_are(
    repo: Repo, policy: str, key: str, *, committed: bool
) -> None:
    path = repo.write(".smartcommit", policy)
    name = ".smartcommit"
    if committed:
        repo.commit("feat: base", {".smartcommit": policy})
        path.unlink()
        name = "HEAD:.smartcommit"
    with pytest.raises(ConfigError) as raised:
        load(str(repo.path))
    assert str(raised.value) == f"unknown key '{key}' in '{name}'"
    assert str(raised.value.hint).startswith("change or remove it; the keys are smartcommit.")


@rows(
    ("name", "value", "expected"),
    ("types", "", "names made of lower-case letters"),
    ("types", "feat Fix", "names made of lower-case letters"),
    ("scopes", ", ,", "names made of letters"),
    ("scopes", "api a+b", "names made of letters"),
    ("summaryLimit", "0", "an integer from 1"),
    ("summaryLimit", "1000000000", "an integer from 1"),
    ("summaryLimit", "\u0661", "an integer from 1"),
    ("scope", "perhaps", "one of allow, require, forbid"),
    ("off", "imperative cake", "one or more of "),
    ("imperative", "perhaps", "true or false"),
    ("headerForm", "{type}: {ticket}", "'{type}({scope}): {ticket} {summary}' or the like"),
    ("headerForm", f"{{type}}({{scope}}): {{summary}}{' x' * 50}", "'{type}({scope}): {ticket} {summary}' or the"),
    ("coauthors", "<ada@example.com>", "people such as"),
    ("coauthors", f"{'A' * 200} <a@b>", "people such as"),
    ("exemptAuthors", "x" * 201, "at most 20 lines"),
    ("instructions", "ring \x07", "a printable text"),
)
def test_a_value_that_is_none_is_an_error_with_what_is_expected(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError, match="invalid value") as raised:
        Settings(policy=[(f"smartcommit.{name.lower()}", value)])
    assert str(raised.value.hint).startswith(f"set it to {expected}")


@rows(
    ("name", "value", "lines"),
    ("coauthors", "A <a@b>\nC <c@d>", ("A <a@b>", "C <c@d>")),
    ("exempt-authors", "bob\n *[bot] \n", ("bob", "*[bot]")),
    ("issue-pattern", "a TODO\na print\na TODO", ("a TODO", "a print")),
)
def test_a_variable_has_one_value_on_each_line(name: str, value: str, lines: tuple[str, ...]) -> None:
    key = next(key for key in KEYS if key.name == name)
    assert Settings(environment={key.variable: value}).value(name) == lines


@rows(
    ("summary", "header", "limit"),
    (None, None, SUMMARY_LIMIT),
    ("50", None, 50),
    (None, "60", 60),
    ("50", "60", 50),
)
def test_a_summary_has_its_own_limit_or_that_of_the_header(summary: str | None, header: str | None, limit: int) -> None:
    given = {"SMARTCOMMIT_SUMMARY_LIMIT": summary, "SMARTCOMMIT_HEADER_LIMIT": header}
    environment = {name: value for name, value in given.items() if value is not None}
    assert find_summary_limit(Settings(environment=environment)) == limit


def test_a_key_is_known_however_it_is_capitalized(repo: Repo) -> None:
    repo.write(".smartcommit", "[SmartCommit]\n\tSUMMARYLIMIT = 10\n")
    assert load(str(repo.path)).number("summary-limit") == 10


def test_a_policy_beside_plans_holds_where_the_working_tree_lacks_it(repo: Repo) -> None:
    repo.commit("feat: base", {".smartcommit/policy": "[smartcommit]\n\tsummaryLimit = 10\n"})
    (repo.path / ".smartcommit/policy").unlink()
    assert load(str(repo.path)).number("summary-limit") == 10


def test_half_of_a_policy_in_head_that_is_not_valid_is_not_applied(repo: Repo) -> None:
    repo.commit("feat: base", {".smartcommit": "[smartcommit]\n\tsummaryLimit = 10\n\tbroken [\n"})
    (repo.path / ".smartcommit").unlink()
    assert load(str(repo.path)).number("summary-limit") is None


@rows(
    ("version", "has"),
    ("2.44.9", False), ("2.45.0", True), ("2.46.0.rc1", True), ("2.50.1 (Apple Git-155)", True), ("3.0.0", True),
    ("unknown", False),
)  # fmt: skip
def test_a_git_since_2_45_has_strings_for_comments(monkeypatch: pytest.MonkeyPatch, version: str, *, has: bool) -> None:
    monkeypatch.setattr(config, "ask", lambda arguments: (0, f"git version {version}\n".encode()))
    assert config._has_comment_strings() is has
