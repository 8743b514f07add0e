"""What is remembered of servers: by address and model, for a while, and of a few."""

from dataclasses import replace
from pathlib import Path

import pytest

from smartcommit import state_files
from smartcommit.llm import quirks
from smartcommit.llm.api import COMMAND, NO_SCHEMA, NO_TOOLS, SLOW, ApiConfig
from smartcommit.llm.quirks import FILE, recall, remember
from tests.support.table import rows

HERE = ApiConfig("ollama", "m", "http://me:sesame@localhost:11434")


def test_limits_belong_to_a_server_and_a_model(tmp_path: Path) -> None:
    remember(str(tmp_path), HERE, {NO_TOOLS, NO_SCHEMA})
    assert recall(str(tmp_path), HERE) == {NO_TOOLS, NO_SCHEMA}
    assert recall(str(tmp_path), ApiConfig("ollama", "other", HERE.base)) == set()
    assert recall(str(tmp_path), ApiConfig("ollama", "m", "http://localhost:1")) == set()
    command = ApiConfig(COMMAND, "llm", "", command=("llm", "-m", "a", "\udcff"))
    remember(str(tmp_path), command, {SLOW})
    assert recall(str(tmp_path), command) == {SLOW}
    assert recall(str(tmp_path), replace(command, command=("llm", "-m", "b"))) == set()


def test_what_a_preset_says_is_not_remembered(tmp_path: Path) -> None:
    preset = replace(HERE, quirks=frozenset({NO_TOOLS}))
    remember(str(tmp_path), preset, {NO_TOOLS, NO_SCHEMA})
    assert recall(str(tmp_path), preset) == {NO_SCHEMA}


def test_what_is_not_a_limit_any_more_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(str(tmp_path), HERE, {NO_TOOLS, NO_SCHEMA})
    remember(str(tmp_path), HERE, {NO_SCHEMA})
    assert recall(str(tmp_path), HERE) == {NO_SCHEMA}
    # A server is tried again after a month.
    monkeypatch.setattr(quirks, "_SECONDS_REMEMBERED", 0)
    assert recall(str(tmp_path), HERE) == set()


def test_the_file_names_no_server_and_stays_small(tmp_path: Path) -> None:
    for number in range(60):
        remember(str(tmp_path), ApiConfig("ollama", f"m{number}", HERE.base), {NO_TOOLS})
    kept = state_files.load(str(tmp_path), FILE) or b""
    assert b"sesame" not in kept
    assert b"localhost" not in kept
    assert len(kept) < 3000
    assert recall(str(tmp_path), ApiConfig("ollama", "m59", HERE.base)) == {NO_TOOLS}


@rows("content", "", "[]", "{", '{"x": 7}', '{"x": {"quirks": 7, "found": "y"}}', "null")
def test_a_file_that_cannot_be_read_is_empty(tmp_path: Path, content: str) -> None:
    state_files.save(str(tmp_path), FILE, content.encode())
    assert recall(str(tmp_path), HERE) == set()
    remember(str(tmp_path), HERE, {NO_TOOLS})
    assert recall(str(tmp_path), HERE) == {NO_TOOLS}
