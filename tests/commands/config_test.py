"""`smartcommit config`: what holds, and where it comes from."""

from __future__ import annotations

import json
import os

import pytest

from smartcommit.cli import main
from smartcommit.config import Settings
from smartcommit.draft.corrections import save_draft
from smartcommit.draft.result import Draft
from smartcommit.git.repo import Repository
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.settings import KEYS
from tests.support.repository import Repo


@pytest.fixture(autouse=True)
def inside(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(repo.path)
    # Nobody's own Ollama takes part.
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    return repo


def show(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What is shown of each setting, by its name."""
    assert main(["config"]) == 0
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()}


def read(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    assert main(["config", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert isinstance(rows, dict)
    return rows


def test_each_setting_is_shown_with_its_source(
    inside: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inside.git("config", "smartcommit.model", "from-git")
    inside.git("config", "--global", "smartcommit.model", "overridden")
    inside.git("config", "--global", "smartcommit.errors", "ticket")
    inside.git("config", "--add", "smartcommit.errors", "line-length")
    inside.git("config", "smartcommit.issuePattern", "mine")
    inside.write(".smartcommit", "[smartcommit]\n\ttypes = feat fix\n\tissuePattern = ours\n")
    monkeypatch.setenv("SMARTCOMMIT_DEADLINE", "7")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "smartcommit.attempts")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "2")
    shown = show(capsys)
    assert set(shown) == {key.git_name for key in KEYS}
    user = os.path.expanduser("~/.gitconfig")
    assert shown["smartcommit.model"] == "from-git  (git config, local: .git/config)"
    assert shown["smartcommit.errors"] == f"ticket line-length  (git config, global: {user}, local: .git/config)"
    assert shown["smartcommit.attempts"] == "2  (git config, the command line or GIT_CONFIG_COUNT)"
    assert shown["smartcommit.deadline"] == "7  (SMARTCOMMIT_DEADLINE)"
    assert shown["smartcommit.types"] == "feat fix  (.smartcommit)"
    assert shown["smartcommit.issuePattern"] == "mine ours  (git config, local: .git/config, .smartcommit)"
    assert shown["smartcommit.provider"] == "auto  (default)"
    assert shown["smartcommit.header"] == "-  (default)"
    row = read(capsys)["smartcommit.model"]
    assert row == {
        "value": "from-git", "effective": "from-git", "source": "git config", "places": ["local: .git/config"],
    }  # fmt: skip


@pytest.mark.parametrize("committed", [False, True], ids=["a folder of plans", "in HEAD"])
def test_the_policy_file_is_named_where_it_is(
    inside: Repo, capsys: pytest.CaptureFixture[str], *, committed: bool
) -> None:
    name = ".smartcommit/policy"
    if committed:
        inside.commit("chore: base", {".smartcommit": "[smartcommit]\n\tsummaryLimit = 40\n"})
        (inside.path / ".smartcommit").unlink()
        name = "HEAD:.smartcommit"
    else:
        inside.write(name, "[smartcommit]\n\tsummaryLimit = 40\n")
    assert show(capsys)["smartcommit.summaryLimit"] == f"40  ({name})"


def test_without_a_value_what_holds_is_shown(inside: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    inside.commit_daily("deps: bump", days=5)
    inside.commit("typo: one that got through")
    inside.git("config", "smartcommit.provider", "groq")
    inside.git("config", "smartcommit.model", "gpt-oss-20b")
    shown = show(capsys)
    assert shown["smartcommit.types"] == f"{' '.join(DEFAULT_TYPES)} deps  (default, and from the history: deps)"
    assert shown["smartcommit.summaryLimit"] == "120  (default)"
    assert shown["smartcommit.apiBase"] == "https://api.groq.com/openai/v1  (default)"
    rows = read(capsys)
    assert rows["smartcommit.types"]["value"] is None
    assert rows["smartcommit.attempts"]["value"] == 5
    assert rows["smartcommit.draft"]["value"] is True


@pytest.mark.parametrize(
    "address", ["http://me:sesame@models.example/v1", "http://sesame@[::1", "me:sesame@x", "http://x/sesame@y"]
)
def test_a_password_in_an_address_is_never_shown(
    inside: Repo, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    inside.git("config", "smartcommit.apiBase", address)
    for options in ([], ["--json"]):
        assert main(["config", *options]) == 0
        assert "sesame" not in capsys.readouterr().out


def test_a_key_in_the_query_of_an_address_is_never_shown(inside: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    address = "https://models.example/v1?api-version=2024-02-01&key=sesame&sesame#sesame"
    inside.git("config", "smartcommit.apiBase", address)
    shown = "https://models.example/v1?(hidden)"
    assert read(capsys)["smartcommit.apiBase"]["value"] == shown
    assert main(["config"]) == 0
    assert "sesame" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["command", "agent", "instructions"])
def test_a_key_in_a_command_is_never_shown(inside: Repo, capsys: pytest.CaptureFixture[str], name: str) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    inside.git("config", f"smartcommit.{name}", f"llm --key {token} --model small")
    for options in ([], ["--json"]):
        assert main(["config", *options]) == 0
        shown = capsys.readouterr().out
        assert token[4:20] not in shown
        assert "--model small" in shown


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_key_is_never_shown(inside: Repo, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    inside.git("config", "smartcommit.apiKey", "sesame")
    assert main(["config", *options]) == 0
    shown = capsys.readouterr().out
    assert "sesame" not in shown
    assert "(hidden)" in shown
    if options:
        assert json.loads(shown)["smartcommit.apiKey"]["source"] == "git config"


def test_what_was_learned_is_shown_with_its_commits_and_forgotten(
    inside: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    inside.commit("base", {"a.py": "1\n"})
    repository = Repository.find()
    for number, header in enumerate(["feat: introduce x", "feat: add x", "feat: introduce x"]):
        text = "feat(api): add x\n\n- update y\n"
        save_draft(repository, Settings(environment={}), Draft(text), head=repository.head(), paths=[b"a.py"])
        last = inside.commit(header, {"a.py": f"{number} + 1\n"})[:7]
        capsys.readouterr()
        assert main(["config"]) == 0
    assert capsys.readouterr().out.splitlines()[len(KEYS) :] == [
        f"learned scope: api -> none (3 of 3 drafts, last in {last})",
        f"learned verb: add -> introduce (2 of 3 drafts, last in {last})",
        f"learned body: drafted -> none (3 of 3 drafts, last in {last})",
    ]
    assert main(["config", "--forget"]) == 0
    assert main(["config"]) == 0
    assert "learned" not in capsys.readouterr().out


@pytest.mark.parametrize("key", [key for key in KEYS if not key.policy], ids=lambda key: key.name)
def test_a_tracked_file_sets_nothing_of_a_person(inside: Repo, capsys: pytest.CaptureFixture[str], key: object) -> None:
    name = key.git_name.partition(".")[2]  # type: ignore[attr-defined]
    inside.commit("base", {".smartcommit": f"[smartcommit]\n\t{name} = 1\n"})
    assert main(["config", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[key.git_name]  # type: ignore[attr-defined]
    assert found["source"] == "default"
