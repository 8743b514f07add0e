"""Our hooks beside other programs that own git's hooks, by the lines that the documentation gives."""

import os
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.commands.doctor_test import diagnose, runners
from tests.conftest import ROOT
from tests.support import programs
from tests.support.commands import Command
from tests.support.components import component
from tests.support.documentation import find_blocks
from tests.support.installation import Installation
from tests.support.repository import Repo

PATH = ROOT / "docs" / "installing.md"
PAGE = PATH.read_text()
(PKL,), (_, TOML) = (find_blocks(PATH, language) for language in ("pkl", "toml"))
_, YAML = find_blocks(PATH, "yaml")
HOOKS = ["prepare-commit-msg", "commit-msg"]


@pytest.fixture
def scripts(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our console scripts on PATH, as after an installation with pip or pipx."""
    monkeypatch.setenv("PATH", f"{installation.bin}{os.pathsep}{os.environ['PATH']}")


def drafts_and_refuses(repo: Repo) -> None:
    repo.stage({"docs/guide.md": "# Guide\n"})
    made = repo.run("commit", env={"GIT_EDITOR": repo.editor('cp "$1" ../opened')})
    assert made.returncode == 0, made.stderr
    opened = (repo.path.parent / "opened").read_text()
    assert re.match(r"docs(\(.+\))?: \S", opened)
    assert repo.message().strip() == opened.partition("\n\n")[0]
    head = repo.git("rev-parse", "HEAD")
    repo.stage({"docs/guide.md": "# The guide\n"})
    refused = repo.run("commit", "-m", "oops")
    assert refused.returncode != 0, refused.stderr
    assert repo.git("rev-parse", "HEAD") == head


def use_husky(repo: Repo) -> None:
    """The documented hooks for `.husky`, run as husky runs them: by `sh -e`, from a folder it generates."""
    recipes = re.findall(r"`\.husky/([a-z-]+)`:\n\n  ```sh\n(.*?)  ```", PAGE, re.DOTALL)
    assert [name for name, _ in recipes] == ["prepare-commit-msg", "commit-msg"]
    for name, lines in recipes:
        repo.write(f".husky/{name}", textwrap.dedent(lines) + "echo reached >>../trace\n")
        repo.write(f".husky/_/{name}", '#!/bin/sh\n. "${0%/*}/h"\n', executable=True)
    repo.write(".husky/_/h", 'export PATH="node_modules/.bin:$PATH"\nsh -e "${0%/*}/../${0##*/}" "$@"\n')
    repo.git("config", "core.hooksPath", ".husky/_")


def use_lefthook(repo: Repo) -> None:
    """The configuration that the documentation gives for lefthook, installed by it."""
    (block,) = re.findall(r"`lefthook.yml`:\n\n  ```yaml\n(.*?)  ```", PAGE, re.DOTALL)
    repo.write("lefthook.yml", textwrap.dedent(block))
    subprocess.run([Path(sys.executable).with_name("lefthook"), "install"], cwd=repo.path, check=True)


def passes_and_says_so(repo: Repo) -> None:
    """A commit without our commands on PATH is made, with one line from each hook."""
    repo.stage({"a.txt": "a\n"})
    made = repo.run("commit", "-m", "oops")
    assert made.returncode == 0, made.stderr
    said = (made.stdout + made.stderr).decode()
    assert said.count("smartcommit is not on PATH: no draft\n") == 1
    assert said.count("smartcommit is not on PATH: message not checked\n") == 1
    assert "not found" not in said


@pytest.mark.usefixtures("scripts")
def test_lefthook_calls_the_scripts_in_a_worktree_with_a_blank_in_its_path(repo: Repo, tmp_path: Path) -> None:
    use_lefthook(repo)
    repo.git("add", "lefthook.yml")
    repo.commit("ci: configure lefthook")
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "a worktree"))
    linked = Repo(tmp_path / "a worktree")
    made = linked.run("commit", "--allow-empty", "-m", "feat: x")
    assert made.returncode == 0, made.stderr
    assert linked.run("commit", "--allow-empty", "-m", "oops").returncode != 0


def use_hk(repo: Repo) -> None:
    """The steps as hk renders them: it takes the indentation of the closing quotes off, and fills in the arguments."""
    found = re.findall(r'\["([a-z-]+-msg)"\].*?check = """\n(.*?)"""', PKL.text, re.DOTALL)
    scripts = {}
    for name, text in found:
        script = textwrap.dedent(text)
        scripts[name] = script.replace("{{commit_msg_file}}", "$1").replace("{{source}}", "$2")
    write_hooks(repo, scripts)


def use_mise(repo: Repo) -> None:
    write_hooks(repo, {name: task["run"] for name, task in tomllib.loads(TOML.text)["tasks"].items()})


def write_hooks(repo: Repo, scripts: Mapping[str, str]) -> None:
    assert list(scripts) == HOOKS
    for name, script in scripts.items():
        assert "{{" not in script
        repo.write(f".git/hooks/{name}", f"#!/bin/sh -e\n{script}", executable=True)


@pytest.fixture(params=[use_husky, use_lefthook, use_hk, use_mise])
def hooked(request: pytest.FixtureRequest, repo: Repo) -> Repo:
    request.param(repo)
    return repo


def assert_reached(repo: Repo, times: int) -> None:
    """Assert that what follows our lines in a hook of husky has run so often."""
    if (repo.path / ".husky").exists():
        assert (repo.path.parent / "trace").read_text() == "reached\n" * times


@pytest.mark.usefixtures("scripts")
def test_the_lines_draft_and_refuse(hooked: Repo, smartcommit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts_and_refuses(hooked)
    # Below a refusal nothing runs.
    assert_reached(hooked, 3)
    monkeypatch.chdir(hooked.path)
    runner = "another hook"
    for path, name in {".husky": "husky", "lefthook.yml": "lefthook"}.items():
        if (hooked.path / path).exists():
            runner = name
    assert runners(smartcommit) == {"prepare-commit-msg": [runner], "commit-msg": [runner]}


def test_the_lines_let_commits_pass_without_them(
    hooked: Repo, smartcommit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.only(monkeypatch, tmp_path / "empty")
    passes_and_says_so(hooked)
    assert_reached(hooked, 2)
    monkeypatch.chdir(hooked.path)
    assert "calls 'smartcommit-commit-msg', which is not on PATH" in diagnose(smartcommit, status=1)[1]


@pytest.mark.components
@pytest.mark.usefixtures("scripts")
def test_mise_drafts_and_refuses(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    mise = component("mise")
    monkeypatch.setenv("PATH", os.path.dirname(mise), prepend=os.pathsep)
    repo.commit("feat: base", {"mise.toml": TOML.text})
    subprocess.run([mise, "trust", "-q", "mise.toml"], cwd=repo.path, check=True)
    (command,) = re.findall(r"`mise (generate [^`]+)`", PAGE)
    for name in HOOKS:
        subprocess.run([mise, *command.replace("commit-msg", name).split()], cwd=repo.path, check=True)
    drafts_and_refuses(repo)


def test_lazygit_fills_in_a_draft(repo: Repo, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
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
