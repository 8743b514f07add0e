"""The completion of command lines, as a shell asks for it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.installation import Installation
from tests.support.repository import Repo

GIT_COMPLETION = Path("/usr/share/bash-completion/completions/git")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("git-smart-commit --st", ["--staged", "--strategy"]),
        ("git-smart-commit --strategy h", ["hunk"]),
        ("smartcommit draf", ["draft"]),
        ("smartcommit und", ["undo"]),
        ("git-smart-commit absorb --fi", ["--fixup"]),
    ],
)
def test_options_values_and_commands_are_completed(
    installation: Installation, repo: Repo, words: str, found: list[str]
) -> None:
    name = words.partition(" ")[0]
    environment = {
        **os.environ,
        f"_{name.replace('-', '_').upper()}_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(
        [installation.script(name)], cwd=repo.path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == found


@pytest.mark.skipif(not GIT_COMPLETION.exists(), reason="git's completion is not installed")
@pytest.mark.parametrize(
    ("line", "found"),
    [("git smart-commit --st", ["--staged", "--strategy"]), ("git -C . smart-commit --engine emb", ["embedded"])],
)
def test_the_function_in_the_manual_completes_what_git_runs(
    installation: Installation, repo: Repo, line: str, found: list[str]
) -> None:
    page = (ROOT / "docs/installing.md").read_text()
    (function,) = re.findall(r"```bash\n(_git_smart_commit.*?)```", page, re.DOTALL)
    script = f"""
        source {GIT_COMPLETION}
        {function}
        COMP_WORDS=({line}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMP_LINE='{line}' COMP_POINT={len(line)}
        __git_wrap__git_main
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    folder = Path(installation.script("git-smart-commit")).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=repo.path, env=environment, capture_output=True, text=True, check=False
    )
    assert [word.strip() for word in done.stdout.splitlines()] == found, done.stderr


def test_a_command_that_is_nearly_one_is_suggested(installation: Installation, repo: Repo) -> None:
    done = subprocess.run(
        [installation.script("smartcommit"), "drfat"], cwd=repo.path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "Error: No such command 'drfat'. Did you mean 'draft'?"
