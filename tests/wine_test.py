"""The set for Windows, under the wine that `.ci/components` prepares."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDER = Path(os.environ.get("SMARTCOMMIT_COMPONENTS", Path.home() / ".cache/smartcommit-components"), "windows")


@pytest.mark.components
@pytest.mark.slow
@pytest.mark.skipif(
    "SMARTCOMMIT_WINDOWS" not in os.environ, reason="set SMARTCOMMIT_WINDOWS=1 for a Windows under wine"
)
def test_the_set_for_windows_passes(tmp_path: Path) -> None:
    # The conftest is for POSIX, and that Windows has no extras that the rest of the tests need.
    arguments = ["-q", "--noconftest", "-p", "no:cacheprovider", "-m", "windows", "tests/windows_test.py"]
    command = [FOLDER / "bin/windows", "python", "-m", "pytest", *arguments]
    environment = {**os.environ, "TMP": f"Z:{tmp_path}", "TEMP": f"Z:{tmp_path}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:]
    assert "skipped" not in done.stdout
