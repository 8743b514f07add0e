"""The recipes of docs/recipes.md: their shell lines as git's hooks, and mise itself."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.coexistence_test import drafts_and_refuses, passes_and_says_so
from tests.conftest import ROOT
from tests.support import programs
from tests.support.components import component
from tests.support.documentation import find_blocks
from tests.support.installation import Installation
from tests.support.repository import Repo

PAGE = ROOT / "docs" / "recipes.md"
(PKL,), (TOML,), (YAML,) = (find_blocks(PAGE, language) for language in ("pkl", "toml", "yaml"))
HOOKS = ["prepare-commit-msg", "commit-msg"]


def lines_of_hk() -> dict[str, str]:
    """The steps as hk renders them: it takes the indentation of the closing quotes off, and fills in the arguments."""
    found = re.findall(r'\["([a-z-]+-msg)"\].*?check = """\n(.*?)"""', PKL.text, re.DOTALL)
    scripts = {}
    for name, text in found:
        script = textwrap.dedent(text)
        scripts[name] = script.replace("{{commit_msg_file}}", "$1").replace("{{source}}", "$2")
    return scripts


def lines_of_mise() -> dict[str, str]:
    return {name: task["run"] for name, task in tomllib.loads(TOML.text)["tasks"].items()}


@pytest.fixture(params=[lines_of_hk, lines_of_mise])
def hooked(request: pytest.FixtureRequest, repo: Repo) -> Repo:
    scripts: Mapping[str, str] = request.param()
    assert list(scripts) == HOOKS
    for name, script in scripts.items():
        assert "{{" not in script
        repo.write(f".git/hooks/{name}", f"#!/bin/sh -e\n{script}", executable=True)
    return repo


@pytest.fixture
def scripts(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our console scripts on PATH, as after an installation with pip or pipx."""
    monkeypatch.setenv("PATH", f"{installation.bin}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("scripts")
def test_the_lines_draft_and_refuse(hooked: Repo) -> None:
    drafts_and_refuses(hooked)


def test_the_lines_let_commits_pass_without_the_scripts(
    hooked: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.only(monkeypatch, tmp_path / "empty")
    passes_and_says_so(hooked)


@pytest.mark.components
@pytest.mark.usefixtures("scripts")
def test_mise_drafts_and_refuses(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    mise = component("mise")
    monkeypatch.setenv("PATH", os.path.dirname(mise), prepend=os.pathsep)
    repo.commit("feat: base", {"mise.toml": TOML.text})
    subprocess.run([mise, "trust", "-q", "mise.toml"], cwd=repo.path, check=True)
    (command,) = re.findall(r"`mise (generate [^`]+)`", PAGE.read_text())
    for name in HOOKS:
        subprocess.run([mise, *command.replace("commit-msg", name).split()], cwd=repo.path, check=True)
    drafts_and_refuses(repo)


def test_the_command_of_lazygit_fills_in_what_is_drafted(
    repo: Repo, installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{installation.bin}{os.pathsep}{os.environ['PATH']}")
    (command,) = yaml.safe_load(YAML.text)["customCommands"]
    (prompt,) = command["prompts"]
    (program,) = re.findall(r'\{\{ runCommand "([^"]+)" \}\}', prompt["initialValue"])
    repo.stage({"guide.md": "# Guide\n"})
    drafted = subprocess.check_output(program.split(), cwd=repo.path, text=True)
    commit = command["command"].replace("{{ .Form.Message | quote }}", '"$1"')
    assert "{{" not in commit
    subprocess.run(["sh", "-c", commit, "sh", drafted.strip()], cwd=repo.path, check=True)
    assert repo.message().strip() == "docs: add guide.md"
