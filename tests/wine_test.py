"""The set for Windows, under the wine that `.ci/components` prepares."""

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import components
from tests.support.installation import build_wheel

FOLDER = components.ROOT / "windows"


@pytest.mark.components
@pytest.mark.slow
@pytest.mark.skipif(
    not (FOLDER / "bin/windows").exists(), reason="no Windows: SMARTCOMMIT_WINDOWS=1 .ci/components FOLDER builds one"
)
def test_the_set_for_windows_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = [FOLDER / "bin/windows", "python", "-m"]
    install = [*python, "pip", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"]
    subprocess.run([*install, build_wheel(ROOT, tmp_path)], check=True)
    # Its pytest cannot use a folder in memory. The conftest is for POSIX, and it has no extras that the others need.
    monkeypatch.delenv("PYTEST_DEBUG_TEMPROOT", raising=False)
    arguments = ["-q", "--noconftest", "-p", "no:cacheprovider", "-m", "windows", "tests/windows_test.py"]
    done = subprocess.run([*python, "pytest", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:]
    assert "skipped" not in done.stdout
