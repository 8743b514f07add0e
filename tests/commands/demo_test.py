"""`smartcommit demo`, as a user runs it."""

import html
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.installation import Installation


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def demo(installation: Installation, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        [installation.script("smartcommit"), "demo"],
        cwd=cwd,
        env={**os.environ, "GIT_INDEX_FILE": "/nonexistent", "PRE_COMMIT_HOME": "/nonexistent", "SKIP": "commit-msg"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_it_shows_every_step_and_leaves_nothing(installation: Installation, temporary: Path, tmp_path: Path) -> None:
    status, shown = demo(installation, tmp_path)
    assert status == 0, shown
    assert "\x1b" not in shown
    assert "Traceback" not in shown
    assert re.search(
        r"^the editor opens with:\n\nfeat\(cart\): .*\n(.*\n)*?# Please enter the commit message", shown, re.M
    )
    assert re.search(r"\n  Describe how prices are formatted\n  \^+\n", shown)
    assert "\n  did you mean: docs: describe how prices are formatted\n" in shown
    split = shown[shown.index("$ git smart-commit --strategy hunk --yes") : shown.index("$ git log")]
    made = re.findall(r"^[0-9a-f]{10} (\w+)(?:\(.+\))?: ", split, re.M)
    assert made[0] == "build"
    assert len(made) == 3
    # The picture in the README has the same headers.
    drawn = html.unescape((ROOT / "docs" / "demo.svg").read_text()).replace("\xa0", " ")
    headers = re.findall(r">(?:[0-9a-f]{10} |\[main \w+\] )?((?:feat|fix|build)(?:\(cart\))?: [^<]+)</text>", drawn)
    assert len(headers) == 5
    assert [header for header in headers if header not in shown] == []
    assert "\nundone: HEAD is back at " in shown
    assert shown.index("\nundone: ") < shown.index(" M requirements.txt\n M shop/cart.py\n")
    assert re.findall(r"^  smartcommit (\w+)", shown, re.M) == ["install", "model"]
    assert list(temporary.iterdir()) == []
