"""Which engine is chosen, and how long it may take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from smartcommit.config import Settings, wants_model
from smartcommit.draft.engine import time_limit
from smartcommit.draft.result import Draft
from smartcommit.errors import ConfigError
from smartcommit.llm.provider import api_config, choose_preset, find_base


def settings(**environment: str) -> Settings:
    return Settings(environment={f"SMARTCOMMIT_{name}": value for name, value in environment.items()})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, False),
        ({"MODEL": "m"}, True),
        ({"PROVIDER": "auto", "MODEL": "m"}, True),
        ({"PROVIDER": "embedded", "MODEL": "m"}, False),
        ({"PROVIDER": "ollama"}, True),
        ({"PROVIDER": "openai"}, True),
    ],
)
def test_a_model_is_asked_only_where_one_is_configured(given: dict[str, str], wanted: bool) -> None:
    assert wants_model(settings(**given)) is wanted


@pytest.mark.parametrize(
    ("given", "provider", "base"),
    [
        ({}, "ollama", "http://127.0.0.1:11434"),
        ({"API_BASE": "http://h:1"}, "ollama", "http://h:1"),
        ({"API_BASE": "http://h:1/v1"}, "openai", "http://h:1/v1"),
        ({"API_BASE": "http://h:1/v1/"}, "openai", "http://h:1/v1/"),
        ({"PROVIDER": "ollama", "API_BASE": "http://h:1/v1"}, "ollama", "http://h:1/v1"),
        ({"PROVIDER": "openai"}, "openai", "https://api.openai.com/v1"),
    ],
)
def test_the_address_tells_the_dialect_unless_it_is_named(given: dict[str, str], provider: str, base: str) -> None:
    chosen = settings(**given)
    assert (choose_preset(chosen), find_base(chosen, {})) == (provider, base)


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("localhost:80", "http://localhost:80"),
        ("http://other:9", "http://other:9"),
        ("https://other", "https://other:11434"),
    ],
)
def test_ollamas_own_variable_is_heeded(host: str, base: str) -> None:
    assert find_base(settings(), {"OLLAMA_HOST": host}) == base


def test_a_provider_without_a_model_is_an_error_with_a_hint() -> None:
    with pytest.raises(ConfigError) as caught:
        api_config(settings(PROVIDER="ollama"))
    assert caught.value.hint is not None
    assert "smartcommit.model" in caught.value.hint


@pytest.mark.parametrize("name", ["PROVIDER", "LANGUAGE", "DEADLINE", "CONTEXT", "ALLOW_REMOTE"])
def test_a_value_of_the_wrong_kind_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"for SMARTCOMMIT_{name}$"):
        settings(**{name: "!"})


@pytest.mark.parametrize(
    ("home", "name"), [("PRE_COMMIT_HOME", "patch17-{pid}"), ("PREK_HOME", "patches/17-{pid}.patch")]
)
def test_a_draft_may_take_longer_where_no_work_is_held_back(tmp_path: Path, home: str, name: str) -> None:
    under = {"PRE_COMMIT": "1", "XDG_CACHE_HOME": str(tmp_path / "cache"), home: str(tmp_path)}
    assert time_limit(settings(), {}) == 20
    assert time_limit(settings(), under) == 20
    place = tmp_path / name.format(pid=os.getppid())
    place.parent.mkdir(exist_ok=True)
    place.touch()
    assert time_limit(settings(), under) == 10
    assert time_limit(settings(DEADLINE="7"), under) == 7


def test_remarks_are_one_safe_line_each() -> None:
    comments = Draft("x", "embedded", reason="bad\nnews \x1b[31m", remarks=("a\nb",)).comments
    assert comments == ["smartcommit: drafted without a model: bad news \\x1b[31m", "smartcommit: a b"]
