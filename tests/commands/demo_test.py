"""`smartcommit demo`, as a user runs it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from smartcommit.commands.demo import snapshot
from tests.conftest import ROOT
from tests.support.installation import Installation
from tests.support.repository import Repo


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def demo(installation: Installation, cwd: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(
        [installation.script("smartcommit"), "demo", *options],
        cwd=cwd,
        env={**os.environ, "GIT_INDEX_FILE": "/nonexistent", "PRE_COMMIT_HOME": "/nonexistent", "SKIP": "commit-msg"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
def test_it_shows_a_draft_a_refusal_and_a_split_from_this_checkout(
    installation: Installation, temporary: Path, tmp_path: Path
) -> None:
    status, shown = demo(installation, tmp_path, "--from", str(ROOT))
    assert status == 0, shown
    shows_everything(shown)
    assert "$ smartcommit init --repo " in shown
    assert "pre-commit installed at .git/hooks/commit-msg" in shown
    assert list(temporary.iterdir()) == []


def test_without_a_checkout_it_shows_what_is_installed(
    installation: Installation, temporary: Path, tmp_path: Path
) -> None:
    status, shown = demo(installation, tmp_path, "--keep")
    assert status == 0, shown
    shows_everything(shown)
    assert "Not running from a checkout, so this demo uses the installed hooks." in shown
    (kept,) = temporary.iterdir()
    assert f"scratch repository kept in {kept}" in shown
    repo = Repo(kept / "shop")
    assert repo.git("status", "--porcelain") == ""
    assert len(repo.subjects()) >= 8


def shows_everything(shown: str) -> None:
    assert "\x1b" not in shown
    assert "Traceback" not in shown
    assert re.search(
        r"^the editor opens with:\n\nfeat\(cart\): .+\n(.*\n)*?# Please enter the commit message", shown, re.M
    )
    assert re.search(r"^check the commit message\.+Failed$", shown, re.M)
    assert "  oops, forgot the docs\n" in shown
    split = shown[shown.index("$ pre-commit run --verbose split") :]
    made = re.findall(r"^[0-9a-f]{10} (\w+)(?:\(.+\))?!?: ", split, re.M)
    assert len(made) >= 2
    assert set(made) <= {"feat", "fix", "refactor", "ci", "build", "docs", "chore", "lint"}


def test_a_folder_without_our_hooks_is_refused(installation: Installation, temporary: Path, tmp_path: Path) -> None:
    status, shown = demo(installation, tmp_path, "--from", str(tmp_path))
    assert status == 1
    assert shown == (f"smartcommit: '{tmp_path}' is not a smartcommit checkout: '.pre-commit-hooks.yaml' not found\n")
    assert list(temporary.iterdir()) == []


def test_the_working_tree_counts_not_what_is_committed(repo: Repo, tmp_path: Path) -> None:
    repo.commit("chore: base", {"kept.txt": "old\n", "gone.txt": "", ".gitignore": "*.log\n"})
    repo.write("kept.txt", "new\n")
    repo.write("sub/added name.sh", "#!/bin/sh\n", executable=True)
    repo.write("noise.log", "noise\n")
    repo.write("tracked.log")
    (repo.path / "link").symlink_to("kept.txt")
    (repo.path / "gone.txt").unlink()
    repo.git("add", "--force", "tracked.log")
    before = repo.state()
    commit = snapshot(str(repo.path), str(tmp_path / "copy"))
    copy = Repo(tmp_path / "copy")
    assert copy.git("rev-parse", "HEAD").strip() == commit
    assert copy.git("ls-tree", "-r", "--name-only", "HEAD").splitlines() == [
        ".gitignore",
        "kept.txt",
        "link",
        "sub/added name.sh",
        "tracked.log",
    ]
    assert copy.git("show", "HEAD:kept.txt") == "new\n"
    assert copy.git("ls-tree", "HEAD", "link").startswith("120000 ")
    assert copy.git("ls-tree", "HEAD", "sub/added name.sh").startswith("100755 ")
    assert repo.state() == before
