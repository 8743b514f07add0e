"""The set for Windows, under the wine that `.ci/components` prepares."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import components
from tests.support.installation import build_wheel

FOLDER = components.ROOT / "windows"
# How pytest shows each failure: its test, then the report.
_FAILURE = re.compile(r"^_{3,} ([^\n]+) _{3,}\n(.*?)(?=^_{3,} [^\n]+ _{3,}\n|^=+ short)", re.M | re.S)
# Under wine one start of some thousand fails, whatever the program (STATUS_INTERNAL_ERROR); on Windows none does.
_NOT_STARTED = re.compile("WinError 1359|'git': internal error")


def run_tests(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


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
    arguments = ["-q", "--noconftest", "-p", "no:cacheprovider", "-m", "windows"]
    done = run_tests([*python, "pytest", *arguments, "tests/windows_test.py"])
    failures = _FAILURE.findall(done.stdout)
    if failures and all(_NOT_STARTED.search(report) for _, report in failures):
        done = run_tests([*python, "pytest", *arguments, *(f"tests/windows_test.py::{test}" for test, _ in failures)])
    assert done.returncode == 0, done.stdout[-8000:]
    assert "skipped" not in done.stdout
