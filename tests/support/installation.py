"""A plain installation of the checkout, and what else is built once per test run and shared by its workers."""

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.git.run import run
from tests.support.repository import Repo

PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
OFFLINE = ("--no-deps", "--no-index")


class Installation:
    """An environment that holds smartcommit alone; what it depends on comes from the environment the tests run in."""

    def __init__(self, root: Path) -> None:
        self.bin = root / "bin"
        self.python = self.bin / "python"

    def script(self, name: str) -> str:
        path = self.bin / name
        assert path.exists(), f"no console script {name}"
        return str(path)

    def add_hooks(self, repo: Repo, *events: str) -> None:
        for event in events:
            script = self.script(f"smartcommit-{event}")
            repo.write(f".git/hooks/{event}", f'#!/bin/sh\nexec "{script}" "$@"\n', executable=True)


def list_kept(checkout: Path) -> list[str]:
    """The files that git would keep of `checkout`; a source distribution is listed as if it were a new repository."""
    listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if (checkout / ".git").exists():
        listing = run(listed, directory=str(checkout)).stdout
    else:
        with tempfile.TemporaryDirectory() as empty:
            run(("init", "-q", "--bare", empty))
            where = ("--git-dir", empty, "--work-tree", str(checkout))
            listing = run((*where, *listed), directory=str(checkout)).stdout
    return list(dict.fromkeys(filter(None, os.fsdecode(listing).split("\0"))))


def export(checkout: Path, target: Path) -> Path:
    """Copy what git would keep of `checkout`, as it is in the working tree, so that nothing stale is built."""
    for name in list_kept(checkout):
        source = checkout / name
        if source.is_symlink() or source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
    return target


def build_wheel(checkout: Path, folder: Path) -> Path:
    """Build the wheel of `checkout` in `folder`, with the setuptools of the environment the tests run in."""
    source = export(checkout, folder / "source")
    subprocess.run([*PIP, "wheel", *OFFLINE, "--no-build-isolation", "-w", str(folder), str(source)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(checkout: Path, root: Path) -> None:
    environment = root / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    subprocess.run([*PIP, "--python", str(python), "install", *OFFLINE, str(build_wheel(checkout, root))], check=True)
    # A path line, not an import line: it adds the packages smartcommit depends on and loads nothing.
    site = next(environment.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")


def once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """The folder `name` of this test run, filled by `build` in the first worker that asks for it."""
    base = factory.getbasetemp()
    # A worker's folder lies in the run's.
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with root.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = root.with_suffix(".done")
        if not done.exists():
            # What a worker that failed has left behind would hide its reason from the next one.
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            build(root)
            done.touch()
    return root
