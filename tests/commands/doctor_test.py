"""`smartcommit doctor`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from smartcommit.cli import main
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
