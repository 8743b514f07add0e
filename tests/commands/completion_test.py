"""The completion of command lines, as a shell asks for it."""

import os
import subprocess

import pytest

from tests.support.installation import Installation
from tests.support.repository import Repo


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_and_options_are_completed(installation: Installation, repo: Repo, shell: str) -> None:
    for line, word in {"smartcommit draf": "draft", "smartcommit range --br": "--branches"}.items():
        number = line.split(" ")[-1] if shell == "fish" else str(line.count(" "))
        environment = {**os.environ, "_SMARTCOMMIT_COMPLETE": f"{shell}_complete", "COMP_WORDS": line}
        done = subprocess.run(
            [installation.script("smartcommit")], cwd=repo.path, env={**environment, "COMP_CWORD": number},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (word in done.stdout, done.stderr) == (True, "")
