"""Our hooks beside other programs that own git's hooks, by the lines that the README gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.installation import Installation
from tests.support.precommit import Framework
from tests.support.repository import Repo

README = (ROOT / "README.md").read_text()


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


def test_a_hook_that_was_there_runs_first(repo: Repo, precommit: Framework) -> None:
    precommit.configure(repo)
    repo.write(".git/hooks/commit-msg", "#!/bin/sh\necho first >>trace\n", executable=True)
    precommit.install(repo, "prepare-commit-msg", "commit-msg")
    drafts_and_refuses(repo)
    assert (repo.path / "trace").read_text() == "first\nfirst\n"


@pytest.mark.usefixtures("scripts")
def test_a_folder_of_hooks_calls_the_scripts(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", ".husky")
    calls = re.findall(r"`(smartcommit-([a-z-]+) \"\$[@1]\")`", README)
    assert [name for _, name in calls] == ["prepare-commit-msg", "commit-msg"]
    for line, name in calls:
        repo.write(f".husky/{name}", f"#!/bin/sh\n{line}\n", executable=True)
    drafts_and_refuses(repo)


@pytest.mark.usefixtures("scripts")
def test_lefthook_calls_the_scripts(repo: Repo) -> None:
    (block,) = re.findall(r"  ```yaml\n(  prepare-commit-msg:.*?)  ```", README, re.DOTALL)
    repo.write("lefthook.yml", re.sub("(?m)^  ", "", block))
    subprocess.run([Path(sys.executable).with_name("lefthook"), "install"], cwd=repo.path, check=True)
    drafts_and_refuses(repo)
