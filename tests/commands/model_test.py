"""`smartcommit model`: what it finds, and what it says about that."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from smartcommit.llm import provider
from smartcommit.llm.provider import PRESETS
from tests.support import model_server as server
from tests.support import programs
from tests.support.commands import Command
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo

GOOD = server.calls(("submit_message", {"type": "fix", "summary": "reject invalid ports"}))

LAST = "run the commands below one of them; 'smartcommit doctor' tries it"


@pytest.fixture(autouse=True)
def bare(inside: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A machine without servers, keys and known commands: only git is on PATH."""
    monkeypatch.setenv("PATH", str(programs.linked(tmp_path / "programs", "git", "sh", "cat")))
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    for name, preset in PRESETS.items():
        for variable in preset.key_variables:
            monkeypatch.delenv(variable, raising=False)
        if preset.base is not None and preset.base.startswith("http:"):
            monkeypatch.setitem(provider.PRESETS, name, replace(preset, base="http://127.0.0.1:1/v1"))
    return inside


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve("ollama", GOOD) as running:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{running.port}")
        yield running


@pytest.fixture
def lmstudio(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve("openai", GOOD) as running:
        monkeypatch.setitem(provider.PRESETS, "lmstudio", replace(PRESETS["lmstudio"], base=running.base))
        yield running


def test_nothing_there_is_an_error_with_a_hint(smartcommit: Command) -> None:
    assert "no model found on this machine" in smartcommit("model", status=1).err


def test_what_is_found_is_listed_with_the_commands_that_choose_it(
    ollama: ModelServer, lmstudio: ModelServer, smartcommit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "sesame")
    programs.scripted(Path(os.environ["PATH"]), {"claude": "exit 1"})
    assert smartcommit("model").out.splitlines() == [
        "scripted:latest: ollama, on this machine",
        "  git config --global smartcommit.provider ollama",
        "  git config --global smartcommit.model scripted:latest",
        "scripted: lmstudio, on this machine",
        "  git config --global smartcommit.provider lmstudio",
        "  git config --global smartcommit.model scripted",
        "gemini: GEMINI_API_KEY is set, sends the change to generativelanguage.googleapis.com",
        "  git config --global smartcommit.provider gemini",
        "  git config --global smartcommit.allowRemote true",
        "  git config --global smartcommit.model NAME",
        "claude -p: sends the change to Anthropic",
        "  git config --global smartcommit.provider command",
        "  git config --global smartcommit.command 'claude -p'",
        "  git config --global smartcommit.allowRemote true",
        LAST,
    ]
    assert not ollama.questions
    assert not lmstudio.questions


def test_the_doctor_says_the_same_and_writes_nothing(ollama: ModelServer, bare: Repo, smartcommit: Command) -> None:
    shown = smartcommit("doctor").out
    assert (
        "ok       scripted:latest could draft: ollama, on this machine; run 'smartcommit model' to choose it" in shown
    )
    assert "smartcommit" not in bare.git("config", "--list")


def test_cloud_models_come_last_and_other_kinds_not_at_all(ollama: ModelServer, smartcommit: Command) -> None:
    ollama.names = ["glm-4.6:cloud", "nomic-embed-text:latest", "qwen3:8b"]
    assert smartcommit("model").out.splitlines() == [
        "qwen3:8b: ollama, on this machine",
        "  git config --global smartcommit.provider ollama",
        "  git config --global smartcommit.model qwen3:8b",
        "glm-4.6:cloud: ollama, sends the change through Ollama to its cloud",
        "  git config --global smartcommit.provider ollama",
        "  git config --global smartcommit.model glm-4.6:cloud",
        "  git config --global smartcommit.allowRemote true",
        LAST,
    ]


def test_another_machine_is_not_looked_at(smartcommit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "models.example.invalid")
    assert "no model found" in smartcommit("model", status=1).err


def test_what_an_earlier_choice_has_set_is_removed(ollama: ModelServer, bare: Repo, smartcommit: Command) -> None:
    bare.git("config", "--global", "smartcommit.apiBase", "http://127.0.0.1:1/v1")
    for line in smartcommit("model").out.splitlines():
        if line.startswith("  git config"):
            bare.git(*line.split()[1:])
    shown = bare.git("config", "--global", "--get-regexp", "^smartcommit").splitlines()
    assert shown == ["smartcommit.provider ollama", "smartcommit.model scripted:latest"]
    assert "ok       the model supports tool calls" in smartcommit("doctor").out
