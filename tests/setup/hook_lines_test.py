"""The lines of the page for hooks that a project tracks."""

import pytest

from smartcommit.cli import main
from smartcommit.setup.hook_scripts import MODULES
from tests.conftest import ROOT
from tests.setup.channels_test import commit_drafted, count_checks, git, place, write_hook
from tests.support.documentation import find_blocks
from tests.support.repository import Repo

__all__ = ["git", "place"]


@pytest.mark.usefixtures("git")
def test_the_lines_for_everybody_run_our_hooks_where_they_are(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [block.text for block in find_blocks(ROOT / "docs" / "installing.md", "sh") if "command -v" in block.text]
    assert len(lines) == len(MODULES)
    for name, text in zip(MODULES, lines, strict=True):
        write_hook(place.path / ".githooks" / name, f"#!/bin/sh\n{text}\nexit 0\n")
    place.git("config", "core.hooksPath", ".githooks")
    commit_drafted(place)
    assert count_checks(place) == 1
    assert main(["install"]) == 1
    assert "already runs prepare-commit-msg here, by '.githooks/prepare-commit-msg'" in capsys.readouterr().err
    elsewhere = {"PATH": "/usr/bin:/bin"}
    done = place.run("commit", "--allow-empty", "-m", "oops", env=elsewhere)
    assert (done.returncode, done.stderr.count(b"smartcommit is not on PATH")) == (0, 2)
    remote = Repo.init(place.path.parent / "remote.git", "--bare")
    push = ("push", str(remote.path), "HEAD:refs/heads/main")
    assert b"1 of 3 messages rejected" in place.run(*push).stderr
    done = place.run(*push, env=elsewhere)
    assert (done.returncode, done.stderr.count(b"smartcommit is not on PATH")) == (0, 1)
