"""Folders of programs for PATH."""

import os
import shutil
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


def counting(root: Path, name: str) -> Path:
    """A folder with a program `name` that notes every start as a line of `root/calls` and runs the real one."""
    folder = root / "bin"
    folder.mkdir()
    program = folder / name
    program.write_text(f'#!/bin/sh\necho >> "{root}/calls"\nexec "{shutil.which(name)}" "$@"\n')
    program.chmod(0o755)
    (root / "calls").write_text("")
    return folder


def only(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Make PATH of `folders` and of a folder with git and a shell beside the first one, and of nothing else."""
    basics = folders[0].parent / "basics"
    if not basics.exists():
        linked(basics, *BASICS)
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, (*folders, basics))))
