"""Programs that some tests need beside Python and git. `.ci/components` builds them once per machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

# Read before any test gets a home of its own.
ROOT = Path(os.environ.get("SMARTCOMMIT_COMPONENTS", Path.home() / ".cache" / "smartcommit-components"))
IN_CI = os.environ.get("CI") == "true"


def component(name: str, program: str = "") -> str:
    """Return the path of a program of the component `name`, by default the one of the same name.

    Where it is missing, the test is skipped on a developer's machine and fails in CI.
    """
    built = ROOT / name / "bin" / (program or name)
    if built.exists():
        return str(built)
    found = shutil.which(name)
    if found and not program:
        return found
    missing = f"{name} is missing: run '.ci/components {ROOT}'"
    if IN_CI:
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)
