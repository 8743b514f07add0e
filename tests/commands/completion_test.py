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


def complete(installation: Installation, repo: Repo, line: str, shell: str) -> list[str]:
    """What click's function for `shell` gets at the end of the command line: types and words."""
    name, *words = line.split(" ")
    number = words[-1] if shell == "fish" else str(len(words))
    variable = f"_{name.replace('-', '_').upper()}_COMPLETE"
    environment = {**os.environ, variable: f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": number}
    done = subprocess.run(
        [installation.script(name)], cwd=repo.path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    lines = list(filter(None, done.stdout.splitlines()))
    if shell == "zsh":
        return [f"{kind},{word}" for kind, word in zip(lines[::3], lines[1::3], strict=True)]
    return [each.partition("\t")[0] for each in lines]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_options_values_and_paths_are_completed(installation: Installation, repo: Repo, shell: str) -> None:
    table = {
        "git-smart-commit ": ["plain,absorb", "plain,range", "plain,recover", "plain,undo"],
        "git-smart-commit r": ["plain,range", "plain,recover"],
        "git-smart-commit --st": ["plain,--staged", "plain,--strategy"],
        "git-smart-commit --strategy h": ["plain,hunk"],
        "git-smart-commit --yes r": ["file,r"],
        "git-smart-commit -- r": ["file,r"],
        "git-smart-commit absorb --fi": ["plain,--fixup"],
        "git-smart-commit undo --st": [],
        "smartcommit draf": ["plain,draft"],
        "smartcommit und": ["plain,undo"],
        "smartcommit range --br": ["plain,--branches"],
    }
    if shell != "bash":  # how words are printed depends on the shell, which ones does not
        table = {line: table[line] for line in ("git-smart-commit r", "git-smart-commit -- r", "smartcommit draf")}
    assert {line: complete(installation, repo, line, shell) for line in table} == table


@pytest.mark.skipif(not GIT_COMPLETION.exists(), reason="git's completion is not installed")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("git smart-commit --st", ["--staged", "--strategy"]),
        ("git -C . smart-commit --engine emb", ["embedded"]),
        ("git smart-commit ab", ["absorb"]),
    ],
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
