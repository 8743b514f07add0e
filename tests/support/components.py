"""Real programs that tests need beside Python, built once on a machine by `.ci/components`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# Read before any test gets a home of its own.
ROOT = Path(os.environ.get("SMARTCOMMIT_COMPONENTS", Path.home() / ".cache" / "smartcommit-components"))


def component(name: str, program: str = "") -> str:
    """The path of the program of a component, by default one of its name.

    A machine that lacks it fails the test, for a skip would hide it.
    """
    built = ROOT / name / "bin" / (program or name)
    found = str(built) if built.exists() else None if program else shutil.which(name)
    assert found, f"{name} is not here: run .ci/components"
    return found
