"""Real jj workspaces for tests."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

from tests.support.components import component


class Workspace:
    """A real jj workspace; `jj` runs a command there and returns its standard output."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def init(cls, path: Path, *options: str) -> Workspace:
        path.mkdir(parents=True)
        made = cls(path)
        made.jj("git", "init", *(options or ("--no-colocate",)), ".")
        return made

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [component("jj"), "--color", "never", *arguments],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    def jj(self, *arguments: str, stdin: str = "") -> str:
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, f"jj {arguments}: {done.stderr}"
        return done.stdout

    def describe(self, text: str) -> None:
        self.jj("describe", "--stdin", stdin=text)

    @property
    def description(self) -> str:
        return self.jj("log", "--ignore-working-copy", "-r", "@", "--no-graph", "-T", "self.description()")

    @property
    def operation(self) -> str:
        return self.jj("op", "log", "--ignore-working-copy", "--no-graph", "-n1", "-T", "id")

    def versions(self) -> int:
        """How many visible commits the change has; more than one means that it is divergent."""
        change = self.jj("log", "--ignore-working-copy", "-r", "@", "--no-graph", "-T", "change_id")
        return len(self.jj("log", "--no-graph", "-r", f"change_id({change})", "-T", 'commit_id ++ "\\n"').split())

    def configure(self, *settings: str) -> None:
        for setting in settings:
            name, _, value = setting.partition("=")
            self.jj("config", "set", "--repo", name, value)


def impostor(folder: Path, script: str) -> Path:
    """A program named `jj` in `folder` that runs Python `script`, with the real one's path as REAL."""
    folder.mkdir(exist_ok=True)
    program = folder / "jj"
    program.write_text(f"#!{sys.executable}\nimport os, sys, json\nREAL = {component('jj')!r}\n{script}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


def recorder(folder: Path) -> tuple[Path, Path]:
    """A folder with a `jj` that notes its arguments and runs the real one, and the file of notes, one call a line."""
    notes = folder / "calls"
    script = (
        f"open({str(notes)!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\nos.execv(REAL, [REAL, *sys.argv[1:]])\n"
    )
    folder.mkdir(exist_ok=True)
    return impostor(folder, script), notes


def on_path(folder: Path | str) -> str:
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
