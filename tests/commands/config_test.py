"""`smartcommit config`: what holds, and where it comes from."""

import json

import pytest

from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.settings import KEYS, Key
from tests.support.commands import Command
from tests.support.repository import Repo
from tests.support.table import rows

pytestmark = pytest.mark.usefixtures("inside")


def show(smartcommit: Command) -> dict[str, str]:
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in smartcommit("config").out.splitlines()}


def read(smartcommit: Command) -> dict[str, dict[str, object]]:
    rows = json.loads(smartcommit("config", "--json").out)
    assert isinstance(rows, dict)
    return rows


def test_settings_are_shown_with_a_source(inside: Repo, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    inside.git("config", "smartcommit.model", "from-git")
    inside.git("config", "--global", "smartcommit.errors", "ticket")
    inside.git("config", "--add", "smartcommit.errors", "line-length")
    inside.git("config", "smartcommit.issuePattern", "mine")
    inside.write(".smartcommit", "[smartcommit]\n\ttypes = feat fix\n\tissuePattern = ours\n")
    monkeypatch.setenv("SMARTCOMMIT_DEADLINE", "7")
    shown = show(smartcommit)
    assert set(shown) == {key.git_name for key in KEYS}
    assert shown["smartcommit.model"] == "from-git  (git config)"
    assert shown["smartcommit.errors"] == "ticket line-length  (git config)"
    assert shown["smartcommit.deadline"] == "7  (SMARTCOMMIT_DEADLINE)"
    assert shown["smartcommit.types"] == "feat fix  (.smartcommit)"
    assert shown["smartcommit.issuePattern"] == "mine ours  (git config and .smartcommit)"
    assert shown["smartcommit.provider"] == "auto  (default)"
    assert shown["smartcommit.header"] == "-  (default)"
    row = read(smartcommit)["smartcommit.model"]
    assert row == {"value": "from-git", "effective": "from-git", "source": "git config"}


@pytest.mark.parametrize("committed", [False, True], ids=["a folder of plans", "in HEAD"])
def test_the_policy_file_is_named_where_it_is(inside: Repo, smartcommit: Command, *, committed: bool) -> None:
    name = ".smartcommit/policy"
    if committed:
        inside.commit("chore: base", {".smartcommit": "[smartcommit]\n\tsummaryLimit = 40\n"})
        (inside.path / ".smartcommit").unlink()
        name = "HEAD:.smartcommit"
    else:
        inside.write(name, "[smartcommit]\n\tsummaryLimit = 40\n")
    assert show(smartcommit)["smartcommit.summaryLimit"] == f"40  ({name})"


def test_without_a_value_what_holds_is_shown(inside: Repo, smartcommit: Command) -> None:
    inside.commit_daily("deps: bump", days=5)
    inside.commit("typo: one that got through")
    shown = show(smartcommit)
    assert shown["smartcommit.types"] == f"{' '.join(DEFAULT_TYPES)} deps  (default, and from the history: deps)"
    assert shown["smartcommit.summaryLimit"] == "120  (default)"
    assert shown["smartcommit.headerForm"] == "{type}({scope}): {summary}  (default)"
    rows = read(smartcommit)
    assert rows["smartcommit.types"]["value"] is None
    assert rows["smartcommit.attempts"]["value"] == 5
    assert rows["smartcommit.draft"]["value"] is True


TOKEN = "ghp_" + "a1B2c3D4e5" * 4


@rows(
    ("name", "value", "shown"),
    ("apiKey", "sesame", "(hidden)"),
    ("apiBase", "http://me:sesame@models.example/v1", "(hidden)"),
    ("apiBase", "http://sesame@[::1", "(hidden)"),
    ("apiBase", "me:sesame@x", "(hidden)"),
    ("apiBase", "http://x/sesame@y", "(hidden)"),
    ("apiBase", "https://x/v1?api-version=2024-02-01&key=sesame&sesame#sesame", "(hidden)"),
    *((name, f"llm --key {TOKEN} --model small", "--model small") for name in ("command", "agent", "instructions")),
)
def test_a_secret_is_never_shown(inside: Repo, smartcommit: Command, name: str, value: str, shown: str) -> None:
    inside.git("config", f"smartcommit.{name}", value)
    for options in ([], ["--json"]):
        printed = smartcommit("config", *options).out
        assert shown in printed
        assert "sesame" not in printed
        assert TOKEN[4:20] not in printed
    inside.git("config", "--unset", f"smartcommit.{name}")


@rows("key", *[key for key in KEYS if not key.policy])
def test_a_tracked_file_sets_nothing_of_a_person(inside: Repo, smartcommit: Command, key: Key) -> None:
    name = key.git_name.partition(".")[2]
    inside.write(".smartcommit", f"[smartcommit]\n\t{name} = 1\n")
    assert read(smartcommit)[key.git_name]["source"] == "default"
