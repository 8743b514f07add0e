"""Our hooks in git's configuration: what is beside them stays, as git writes and reads it."""

import os
import shutil
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.setup.channels_test import place, snapshot
from tests.support.repository import Repo

pytestmark = [pytest.mark.components, pytest.mark.usefixtures("later_git")]
__all__ = ["place"]


def test_a_hook_that_is_switched_off_stays_off(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    config = place.path / ".git/config"
    before = config.read_text()
    place.git("config", "hook.smartcommit-commit-msg.enabled", "no")
    for _ in range(2):
        assert main(["install", "--config"]) == 0
        said = "commit-msg does not run: it is switched off by hook.smartcommit-commit-msg.enabled\n"
        assert capsys.readouterr().out.count(said) == 1
        assert place.run("commit", "--allow-empty", "-m", "nonsense").returncode == 0
    with config.open("a") as file:
        file.write("[user] # mine\n\tname = B\n")
    assert main(["uninstall"]) == 0
    assert config.read_text() == before + "[user] # mine\n\tname = B\n"


def test_one_hook_alone_is_configured_and_the_other_added(place: Repo, tmp_path: Path) -> None:
    assert main(["install", "--config", "--hooks", "commit-msg"]) == 0
    assert place.run("hook", "list", "prepare-commit-msg").returncode == 1
    assert main(["install", "--config", "--hooks", "prepare-commit-msg"]) == 0
    for name in ("prepare-commit-msg", "commit-msg"):
        assert place.git("hook", "list", name) == f"smartcommit-{name}\n"


def test_a_configuration_that_git_has_locked_stays(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    lock = place.path / ".git/config.lock"
    lock.touch()
    before = snapshot(place.path)
    assert main(["install", "--config"]) == 1
    assert "could not lock config file .git/config" in capsys.readouterr().err
    assert lock.read_bytes() == b""
    assert snapshot(place.path) == before
    assert os.listdir(place.path / ".git/smartcommit") == ["hooks.lock"]


def test_hooks_in_an_included_file_are_removed(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--config"]) == 0
    included = place.path / ".git/more"
    shutil.copy(place.path / ".git/config", included)
    assert main(["uninstall"]) == 0
    place.git("config", "include.path", "more")
    capsys.readouterr()
    assert main(["uninstall"]) == 0
    assert f"removed the hooks from '{included}'" in capsys.readouterr().out
    assert "smartcommit" not in included.read_text()
