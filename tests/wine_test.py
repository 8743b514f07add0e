"""The set for Windows, under the wine that `.ci/components` prepares."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.installation import build_wheel

FOLDER = Path(os.environ.get("SMARTCOMMIT_COMPONENTS", Path.home() / ".cache/smartcommit-components"), "windows")


@pytest.mark.components
@pytest.mark.slow
@pytest.mark.skipif(
    "SMARTCOMMIT_WINDOWS" not in os.environ, reason="set SMARTCOMMIT_WINDOWS=1 for a Windows under wine"
)
def test_the_set_for_windows_passes(tmp_path: Path) -> None:
    python = [FOLDER / "bin/windows", "python", "-m"]
    install = [*python, "pip", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"]
    subprocess.run([*install, build_wheel(ROOT, tmp_path)], check=True)
    # The conftest is for POSIX, and that Windows has no extras that the rest of the tests need.
    arguments = ["-q", "--noconftest", "-p", "no:cacheprovider", "-m", "windows", "tests/windows_test.py"]
    done = subprocess.run([*python, "pytest", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:]
    assert "skipped" not in done.stdout
