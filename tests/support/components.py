"""Programs that some tests need beside Python and git. `.ci/components` builds them once per machine."""

import os
import shutil
from pathlib import Path

import pytest

# Read before any test gets a home of its own.
ROOT = Path(os.environ.get("SMARTCOMMIT_COMPONENTS", Path.home() / ".cache" / "smartcommit-components"))
IN_CI = os.environ.get("CI") == "true"
# What a component is built from if no registry has it: only some machines have the archive, beside the checkout.
ARCHIVES = {"git-2.55": Path(__file__).parents[3] / "shared/components/git-2.55.0.tar.xz"}


def component(name: str, program: str = "") -> str:
    """Return the path of a program of the component `name`, by default the one of the same name.

    Where it is missing, the test is skipped on a developer's machine and fails in CI. Without the archive that a
    component is built from it is skipped in CI as well.
    """
    built = ROOT / name / "bin" / (program or name)
    if built.exists():
        return str(built)
    found = shutil.which(name)
    if found and not program:
        return found
    missing = f"{name} is missing: run '.ci/components {ROOT}'"
    archive = ARCHIVES.get(name)
    if archive is not None and not archive.exists():
        pytest.skip(f"{name} is missing, and so is the archive to build it from: '{archive}'")
    if IN_CI:
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)
