"""`smartcommit model`: what it finds, what it says without a terminal, and what it asks and writes on one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.llm import provider
from smartcommit.llm.provider import PRESETS
from tests.support import model_server as server
from tests.support.installation import Installation
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo
from tests.support.tty import run_on_terminal

GOOD = server.calls(("submit_message", {"type": "fix", "summary": "reject invalid ports"}))


@pytest.fixture(autouse=True)
def bare(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A machine without servers, keys and known commands: only git is on PATH."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "sh", "cat"):
        found = next(Path(folder) / name for folder in os.environ["PATH"].split(":") if (Path(folder) / name).exists())
        (programs / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    for name, preset in PRESETS.items():
        for variable in preset.key_variables:
            monkeypatch.delenv(variable, raising=False)
        if preset.base is not None and preset.base.startswith("http:"):
            monkeypatch.setitem(provider.PRESETS, name, replace(preset, base="http://127.0.0.1:1/v1"))
    monkeypatch.chdir(repo.path)
    return repo


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


def write_claude(folder: str) -> None:
    program = Path(folder) / "claude"
    program.write_text('#!/bin/sh\ncat >/dev/null\necho \'{"type": "fix", "summary": "reject invalid ports"}\'\n')
    program.chmod(0o755)


def test_nothing_there_is_an_error_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model"]) == 1
    assert "no model found on this machine" in capsys.readouterr().err


def test_what_is_found_is_listed_with_the_commands_that_choose_it(
    ollama: ModelServer, lmstudio: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "sesame")
    write_claude(os.environ["PATH"])
    assert main(["model"]) == 0
    assert capsys.readouterr().out.splitlines() == [
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
    ]
    assert not ollama.questions
    assert not lmstudio.questions


def test_the_doctor_says_the_same_and_writes_nothing(
    ollama: ModelServer, bare: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert (
        "ok       scripted:latest could draft: ollama, on this machine; run 'smartcommit model' to choose it" in shown
    )
    assert "smartcommit" not in bare.git("config", "--list")


def test_cloud_models_come_last_and_other_kinds_not_at_all(
    ollama: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.names = ["glm-4.6:cloud", "nomic-embed-text:latest", "qwen3:8b"]
    assert main(["model", "--local"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "qwen3:8b: ollama, on this machine",
        "  git config --local smartcommit.provider ollama",
        "  git config --local smartcommit.model qwen3:8b",
        "glm-4.6:cloud: ollama, sends the change through Ollama to its cloud",
        "  git config --local smartcommit.provider ollama",
        "  git config --local smartcommit.model glm-4.6:cloud",
        "  git config --local smartcommit.allowRemote true",
    ]


def test_another_machine_is_not_looked_at(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "models.example.invalid")
    assert main(["model"]) == 1
    assert "no model found" in capsys.readouterr().err


def ask(installation: Installation, repo: Repo, *options: str, answers: str, last: str = "") -> tuple[str, int]:
    """What `smartcommit model` shows on a terminal, and its exit status.

    The answer to its last question is typed when that is asked: keys that are typed while a model works are lost.
    """
    command = [str(installation.script("smartcommit")), "model", *options]
    return run_on_terminal(
        command, cwd=repo.path, answers=answers,
        shown_then=("Run these commands", lambda terminal: os.write(terminal, last.encode())),
    )  # fmt: skip


def list_global(repo: Repo) -> list[str]:
    return repo.run("config", "--global", "--get-regexp", "^smartcommit").stdout.decode().splitlines()


def test_the_choice_is_tried_and_written(
    installation: Installation, bare: Repo, ollama: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMARTCOMMIT_MODEL", "another")
    bare.git("config", "--global", "smartcommit.apiBase", "http://127.0.0.1:1/v1")
    shown, status = ask(installation, bare, answers="1\n", last="y\n")
    assert status == 0, shown
    assert " 1  scripted:latest  ollama, on this machine" in shown
    assert "the model answered in " in shown
    assert list_global(bare) == [
        "smartcommit.provider ollama", "smartcommit.model scripted:latest",
    ]  # fmt: skip
    assert shown.rstrip().endswith("scripted:latest drafts from now on; 'smartcommit doctor' checks it")


@pytest.mark.usefixtures("ollama")
def test_settings_can_be_written_for_one_repository(installation: Installation, bare: Repo) -> None:
    shown, status = ask(installation, bare, "--local", answers="1\n", last="y\n")
    assert status == 0, shown
    assert bare.git("config", "--local", "smartcommit.provider").strip() == "ollama"
    assert not list_global(bare)


@pytest.mark.parametrize("answers", ["\n", "0\n", "1\n", "x\n"])
def test_nothing_is_written_unless_the_user_agrees(
    installation: Installation, bare: Repo, ollama: ModelServer, answers: str
) -> None:
    shown, status = ask(installation, bare, answers=answers, last="n\n")
    assert status == 0
    assert "nothing was changed" in shown
    assert not list_global(bare)


def test_a_model_that_fails_is_told_before_anything_is_written(
    installation: Installation, bare: Repo, ollama: ModelServer
) -> None:
    ollama.script[:] = [server.refuses(500, "out of memory")]
    shown, _ = ask(installation, bare, answers="1\n", last="n\n")
    assert "that failed: " in shown
    assert "out of memory" in shown
    assert "Run these commands anyway? [y/N]" in shown


def test_a_command_that_sends_is_asked_about_first(installation: Installation, bare: Repo) -> None:
    write_claude(os.environ["PATH"])
    shown, _ = ask(installation, bare, answers="1\nn\n")
    assert "Your changes would be sent to Anthropic. Allow that? [y/N]" in shown
    assert "nothing was changed" in shown
    shown, status = ask(installation, bare, answers="1\ny\n", last="y\n")
    assert status == 0
    assert "the model answered in " in shown
    assert bare.git("config", "--global", "smartcommit.command").strip() == "claude -p"
    assert bare.git("config", "--global", "smartcommit.allowRemote").strip() == "true"


def test_a_service_whose_key_is_there_is_asked_for_its_models(
    installation: Installation, bare: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    # Nobody listens there, so that nothing leaves the machine.
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    shown, _ = ask(installation, bare, answers="1\ny\ngpt-5\n", last="n\n")
    assert "Your changes would be sent to api.openai.com. Allow that? [y/N]" in shown
    assert "cannot reach the proxy for 'api.openai.com'" in shown
    assert "that failed: " in shown
    assert "  git config --global smartcommit.model gpt-5" in shown
    assert "  git config --global smartcommit.allowRemote true" in shown
    assert "sesame" not in shown
    assert list_global(bare) == []
