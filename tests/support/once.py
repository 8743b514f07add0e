"""What is built once per test run and shared by its workers."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


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
