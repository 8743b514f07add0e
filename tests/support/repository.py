"""Real repositories for tests."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

# What holds in a repository does so with either format of its references, so that one is the caller's to choose.
REF_FORMAT = "GIT_DEFAULT_REF_FORMAT"

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
}


class Repo:
    """A real git repository; `git` runs a command there and returns its standard output."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def init(cls, path: Path, *options: str) -> Repo:
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", "-b", "main", *options, str(path)], check=True)
        return cls(path)

    def run(
        self, *arguments: str | bytes, env: Mapping[str, str] | None = None, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.path,
            env={**os.environ, **(env or {})},
            input=stdin,
            capture_output=True,
            check=False,
        )

    def git(self, *arguments: str | bytes, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> str:
        done = self.run(*arguments, env=env, stdin=stdin)
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode("utf-8", "surrogateescape")

    def write(self, name: str | bytes, content: str | bytes = "", *, executable: bool = False) -> Path:
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if executable:
            path.chmod(0o755)
        return path

    def stage(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            self.write(name, content)
        self.git("--literal-pathspecs", "add", "--", *files)

    def commit(self, message: str = "chore: base", files: Mapping[str, str | bytes] | None = None) -> str:
        """Commit `files` (or the staged change) past every hook; returns the commit's object name."""
        self.stage(files or {})
        self.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def trust_index(self) -> None:
        """Let the index know files that were copied as those that were added. Source: gitformat-index(5), version 2."""
        path = self.path / ".git/index"
        data, place = bytearray(path.read_bytes()[:-20]), 12
        for _ in range(int.from_bytes(data[8:12])):
            size = int.from_bytes(data[place + 60 : place + 62]) & 0xFFF
            found = (self.path / os.fsdecode(bytes(data[place + 62 : place + 62 + size]))).lstat()
            times = (*divmod(found.st_ctime_ns, 10**9), *divmod(found.st_mtime_ns, 10**9))
            struct.pack_into(">6I", data, place, *times, found.st_dev & 0xFFFFFFFF, found.st_ino & 0xFFFFFFFF)
            place += (70 + size) // 8 * 8
        path.write_bytes(data + hashlib.sha1(data).digest())

    def commit_daily(self, header: str, days: int, *, a_day: int = 1) -> None:
        """Commit past every hook on each of the last `days`, `a_day` times, as if authored then."""
        for number in range(days * a_day):
            time = f"{1_700_000_000 + number // a_day * 86_400} +0000"
            self.git(
                "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", f"{header} {number}",
                env={"GIT_AUTHOR_DATE": time},
            )  # fmt: skip

    def write_many(self, count: int) -> None:
        for number in range(count):
            self.write(f"folder{number % 50}/file{number}", f"{number}\n")

    def message(self, revision: str = "HEAD") -> str:
        return self.git("log", "-1", "--format=%B", revision)

    def subjects(self, revisions: str = "HEAD") -> list[str]:
        return self.git("log", "--reverse", "--format=%s", revisions).splitlines()

    def state(self) -> tuple[str, str, bytes]:
        return (
            self.git("status", "--porcelain=v2", "-z", "--untracked-files=all"),
            self.run("rev-parse", "--verify", "-q", "HEAD").stdout.decode(),
            self.run("ls-files", "--stage", "--debug", "-z").stdout,
        )

    def editor(self, script: str) -> str:
        """A value for GIT_EDITOR that runs shell `script` with the message file as `$1`."""
        path = self.path.parent / "editor.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)


_MADE: dict[tuple[object, ...], Path] = {}


def list_tree(root: Path) -> dict[str, tuple[int, bytes]]:
    """Mode, and content or target, of all that is below a folder."""
    found = {}
    for path in root.rglob("*"):
        content = b""
        if path.is_symlink():
            content = os.fsencode(os.readlink(path))
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(root))] = (path.lstat().st_mode, content)
    return found


def copy_made(factory: pytest.TempPathFactory, path: Path, build: Callable[[Repo], object]) -> Repo:
    """A copy at `path` of a repository that `build` has made once, for this git and its format of references.

    To start git takes longer than most of what the tests do with it.
    """
    key = (build, shutil.which("git"), os.environ.get(REF_FORMAT))
    if key not in _MADE:
        made = Repo.init(factory.mktemp("made") / "repo")
        build(made)
        _MADE[key] = made.path
    shutil.rmtree(path, ignore_errors=True)
    repo = Repo(shutil.copytree(_MADE[key], path, symlinks=True))
    if (path / ".git/index").exists():
        repo.trust_index()
    return repo
