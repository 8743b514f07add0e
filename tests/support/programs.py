"""Folders of programs for PATH."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

# What git and the programs that install hooks need themselves.
BASICS = ("bash", "cat", "env", "git", "ps", "sed", "sh", "tee", "touch", "uname")


def linked(folder: Path, *programs: str | Path) -> Path:
    """`folder` with a link to each of `programs`: a path, or a name on PATH, which may be missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in programs:
        found = shutil.which(program)
        if found is not None:
            (folder / Path(program).name).symlink_to(found)
    return folder


def scripted(folder: Path, scripts: Mapping[str, str]) -> Path:
    """`folder` with a program for each of `scripts`, lines of a shell."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, script in scripts.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return folder


def counting(root: Path, name: str) -> Path:
    """A folder with a program `name` that notes every start as a line of `root/calls` and runs the real one."""
    (root / "calls").write_text("")
    return scripted(root / "bin", {name: f'echo >> "{root}/calls"\nexec "{shutil.which(name)}" "$@"'})


def only(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Make PATH of `folders` and of a folder with git and a shell beside the first one, and of nothing else."""
    basics = folders[0].parent / "basics"
    if not basics.exists():
        linked(basics, *BASICS)
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, (*folders, basics))))
