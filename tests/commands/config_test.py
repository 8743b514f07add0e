"""`smartcommit config`, `smartcommit doctor`, and the documentation of settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from smartcommit.cli import main
from smartcommit.config import KEYS
from tests.conftest import ROOT
from tests.support import model_server as server
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo

YES = server.calls(("answer", {"word": "yes"}))


@pytest.fixture(autouse=True)
def inside(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(repo.path)
    # Nobody's own Ollama takes part.
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    return repo


@pytest.fixture(params=server.DIALECTS)
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve(request.param, YES) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


def test_each_setting_is_shown_with_its_source(
    inside: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inside.git("config", "smartcommit.model", "from-git")
    inside.write(".smartcommit", "[smartcommit]\n\ttypes = feat fix\n")
    monkeypatch.setenv("SMARTCOMMIT_DEADLINE", "7")
    assert main(["config"]) == 0
    shown = {line.split()[0]: line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()}
    assert set(shown) == {key.git_name for key in KEYS}
    assert shown["smartcommit.model"] == "from-git  (git config)"
    assert shown["smartcommit.deadline"] == "7  (SMARTCOMMIT_DEADLINE)"
    assert shown["smartcommit.types"] == "feat fix  (.smartcommit)"
    assert shown["smartcommit.provider"] == "auto  (default)"
    assert shown["smartcommit.header"] == "-  (default)"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_key_is_never_shown(inside: Repo, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    inside.git("config", "smartcommit.apiKey", "sesame")
    assert main(["config", *options]) == 0
    shown = capsys.readouterr().out
    assert "sesame" not in shown
    assert "(hidden)" in shown
    if options:
        assert json.loads(shown)["smartcommit.apiKey"]["source"] == "git config"


@pytest.mark.parametrize("key", [key for key in KEYS if not key.policy], ids=lambda key: key.name)
def test_a_tracked_file_sets_nothing_of_a_person(inside: Repo, capsys: pytest.CaptureFixture[str], key: object) -> None:
    name = key.git_name.partition(".")[2]  # type: ignore[attr-defined]
    inside.commit("base", {".smartcommit": f"[smartcommit]\n\t{name} = 1\n"})
    assert main(["config", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)[key.git_name]  # type: ignore[attr-defined]
    assert found["source"] == "default"


def test_the_documentation_lists_every_setting_and_no_other() -> None:
    text = (ROOT / "docs" / "settings.md").read_text()
    assert set(re.findall(r"^\| `(smartcommit\.\w+)`", text, re.MULTILINE)) == {key.git_name for key in KEYS}
    for key in KEYS:
        assert f"`{key.variable}`" in text


def test_without_a_model_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "no model configured" in capsys.readouterr().out


def test_a_model_that_calls_tools_is_found_well(model: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "ok     the server has this model" in shown
    assert "ok     the model supports tool calls" in shown


@pytest.mark.parametrize(
    ("script", "environment", "status", "said"),
    [
        ([server.says("yes"), server.says("no"), server.says('{"word": "yes"}')], {}, 0, "asked for JSON instead"),
        ([server.says("no")], {}, 1, "supports neither tool calls nor JSON answers"),
        ([server.refuses(401)], {}, 1, "smartcommit.apiKey"),
        ([YES], {"SMARTCOMMIT_MODEL": "other"}, 1, "model 'other' not found on the server; available: scripted"),
        ([YES], {"SMARTCOMMIT_MODEL": ""}, 1, "no model configured"),
        ([YES], {"SMARTCOMMIT_API_BASE": "http://127.0.0.1:1"}, 1, "connection refused"),
        ([YES], {"SMARTCOMMIT_API_BASE": "ftp://x"}, 1, "not an HTTP URL"),
        ([YES], {"SMARTCOMMIT_API_BASE": "http://models.example.invalid"}, 1, "allowRemote true"),
    ],
)
def test_what_is_wrong_is_said_and_how_to_mend_it(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    script: list[server.Step], environment: dict[str, str], status: int, said: str,
) -> None:  # fmt: skip
    model.script[:] = script
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["doctor"]) == status
    assert said in capsys.readouterr().out
