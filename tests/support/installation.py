"""A plain installation of the checkout, made once per test run and shared by its workers."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest


class Installation:
    """An environment that holds smartcommit alone; what it depends on comes from the environment the tests run in."""

    def __init__(self, root: Path) -> None:
        self.bin = root / "bin"
        self.python = self.bin / "python"

    def script(self, name: str) -> str:
        """The path of a console script."""
        path = self.bin / name
        assert path.exists(), f"no console script {name}"
        return str(path)


def build(checkout: Path, factory: pytest.TempPathFactory) -> Installation:
    """Install `checkout` plainly. Workers of one run share the result."""
    shared = factory.getbasetemp().parent if "gw" in factory.getbasetemp().name or _xdist() else factory.getbasetemp()
    root = shared / "installation"
    with (shared / "installation.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / "done").exists():
            _install(checkout, shared / "source", root)
            (root / "done").touch()
    return Installation(root)


def export(checkout: Path, target: Path) -> Path:
    """Copy what git would keep of `checkout` (tracked, and new but not ignored), so that nothing stale is built."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=checkout, check=True, capture_output=True,
    ).stdout  # fmt: skip
    for name in listing.decode().split("\0"):
        if name and (checkout / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, target / name)
    return target


def _xdist() -> bool:
    import os

    return "PYTEST_XDIST_WORKER" in os.environ


def _install(checkout: Path, source: Path, root: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "--python", str(root / "bin" / "python"), "install", "--no-deps", "--no-build-isolation",
         "--no-index", str(export(checkout, source))],
        check=True,
    )  # fmt: skip
    # A path line, not an import line: it adds the packages smartcommit depends on and loads nothing.
    site = next(root.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
