"""The commands on Windows: a real one (`pytest -m windows`), or the one that `.ci/components` builds under wine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.windows,
    pytest.mark.skipif(os.name != "nt", reason="this is not Windows; tests/wine_test.py runs them under wine"),
]

ROOT = Path(__file__).parent.parent
PATHS = [str(ROOT), str(ROOT / "hooks")]
MAIN = f"import sys; sys.path[:0] = {PATHS}; from smartcommit.cli import main; sys.exit(main())"
FILES = {"a.py": "def a():\n    return 1\n", "README.md": "# A\n", "lib/b.py": "B = 1\n"}
EDITED = {
    "a.py": "def a():\n    return 1\n\n\ndef c():\n    return 2\n", "README.md": "# A\n\nHow to use it.\n",
    "lib/b.py": "B = 1\nC = 2\n",
}  # fmt: skip
# What may be in a working tree beside the usual change, as content by path; None deletes.
SITUATIONS: dict[str, Mapping[str, bytes | None]] = {
    "line feeds": {"a.py": b"def a():\n    return 3\n"},
    "carriage returns": {"a.py": b"def a():\r\n    return 3\r\n"},
    "both line ends": {"a.py": b"def a():\r\n    return 3\n\r\n"},
    "no last line end": {"a.py": b"def a():\r\n    return 3"},
    "a new file": {"new.txt": b"new\r\n"},
    "an empty file": {"empty": b""},
    "a deleted file": {"lib/b.py": None},
    "a moved file": {"lib/b.py": None, "lib/moved.py": b"B = 1\n"},
    "a binary file": {"logo.bin": bytes(range(256))},
    "a space": {"with a space.txt": b"x\n"},
    "other letters": {"\u00e4\u65e5.txt": b"x\n"},
    "an apostrophe": {"it's.txt": b"x\n"},
    "a long path": {f"{'d' * 60}/{'e' * 60}/f.txt": b"x\n"},
    "a file for a folder": {"lib/b.py": None, "lib": b"x\n"},
}


def run(folder: Path, *command: str, status: int = 0) -> str:
    """Run `command`; return what it prints. A status other than `status`, or a traceback, fails."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    printed = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert (done.returncode, "Traceback" in printed) == (status, False), printed
    return printed


def git(folder: Path, *arguments: str, status: int = 0) -> str:
    return run(folder, "git", *arguments, status=status)


def smartcommit(folder: Path, *arguments: str, status: int = 0) -> str:
    return run(folder, sys.executable, "-c", MAIN, *arguments, status=status)


def write(folder: Path, files: Mapping[str, str | bytes | None]) -> None:
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def read_state(folder: Path) -> tuple[str, str, dict[str, bytes]]:
    """HEAD, the index, and the files of the working tree."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return git(folder, "rev-parse", "HEAD"), git(folder, "ls-files", "--stage"), files


@pytest.fixture(params=["true", "false"], ids=["autocrlf", "no-autocrlf"])
def repo(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {
        "HOME": str(home), "USERPROFILE": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Ada Author", "GIT_AUTHOR_EMAIL": "ada@example.invalid", "GIT_EDITOR": "true",
        "GIT_COMMITTER_NAME": "Ada Author", "GIT_COMMITTER_EMAIL": "ada@example.invalid",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    folder = tmp_path / "it's a repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "core.autocrlf", request.param)
    write(folder, FILES)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "chore: base")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [["config"], ["doctor"], ["check", "--range", "HEAD"], ["recover"], ["--version"]],
    ids=" ".join,
)
def test_a_command_without_work_ends_well(repo: Path, arguments: list[str]) -> None:
    smartcommit(repo, *arguments)


@pytest.mark.parametrize(
    "arguments", [["execute", "list"], ["session", "status"], ["agents", "status"], ["plan", "show"]], ids=" ".join
)
def test_what_needs_posix_is_refused_in_a_line(repo: Path, arguments: list[str]) -> None:
    assert "does not run on Windows yet" in smartcommit(repo, *arguments, status=1)


@pytest.mark.parametrize("arguments", [["--files"], ["--files", "--pre-push"]], ids=" ".join)
def test_git_runs_the_hooks(repo: Path, arguments: list[str]) -> None:
    smartcommit(repo, "install", *arguments)
    write(repo, EDITED)
    assert "header-form" in git(repo, "commit", "--quiet", "--all", "--message", "Added stuff.", status=1)
    git(repo, "commit", "--quiet", "--all", "--message", "feat: add c")
    assert git(repo, "log", "-1", "--format=%s").strip() == "feat: add c"
    assert "removed the hooks" in smartcommit(repo, "uninstall")
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "Added stuff.")


def test_a_change_is_drafted(repo: Path) -> None:
    write(repo, {"README.md": "# A\n\nHow to use it.\n"})
    git(repo, "add", "--all")
    assert smartcommit(repo, "draft").startswith("docs: ")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_split_loses_nothing_and_its_undo_is_exact(repo: Path, situation: str) -> None:
    write(repo, EDITED)
    git(repo, "add", "README.md")
    write(repo, SITUATIONS[situation])
    before = read_state(repo)
    smartcommit(repo, "split", "--engine", "embedded", "--yes")
    assert git(repo, "rev-list", "--count", "HEAD").strip() != "1"
    assert git(repo, "diff", "HEAD", "--stat", "--ignore-cr-at-eol") == ""
    assert read_state(repo)[2] == before[2]
    printed = smartcommit(repo, "undo")
    assert "cannot tidy up" not in printed
    assert read_state(repo) == before


def test_a_command_runs_on_each_commit(repo: Path) -> None:
    write(repo, EDITED)
    printed = smartcommit(repo, "split", "--engine", "embedded", "--yes", "--exec", "test -e a.py")
    assert ": passed" in printed
    smartcommit(repo, "undo")
    smartcommit(repo, "split", "--engine", "embedded", "--yes", "--exec", "exit 3", status=3)


def test_commits_that_exist_are_cut_anew_and_absorb(repo: Path) -> None:
    write(repo, EDITED)
    git(repo, "commit", "--quiet", "--all", "--message", "chore: work")
    before = read_state(repo)
    smartcommit(repo, "range", "HEAD~1..", "--yes")
    assert git(repo, "rev-list", "--count", "HEAD").strip() != "2"
    smartcommit(repo, "undo")
    assert read_state(repo) == before
    write(repo, {"a.py": EDITED["a.py"].replace("2", "3")})
    before = read_state(repo)
    smartcommit(repo, "absorb", "--yes")
    smartcommit(repo, "undo")
    assert read_state(repo) == before


@pytest.mark.parametrize("delay", [0.2, 0.5, 0.8, 1.1, 1.5, 2.0, 2.5, 3.0])
@pytest.mark.parametrize("command", ["split", "undo"])
def test_what_was_killed_is_recovered(repo: Path, command: str, delay: float) -> None:
    write(repo, EDITED)
    before = read_state(repo)
    if command == "undo":
        smartcommit(repo, "split", "--engine", "embedded", "--yes")
    arguments = ["undo"] if command == "undo" else ["split", "--engine", "embedded", "--yes"]
    words = [sys.executable, "-c", MAIN, *arguments]
    with subprocess.Popen(words, cwd=repo, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.kill()
    smartcommit(repo, "recover")
    if git(repo, "rev-parse", "HEAD") != before[0]:
        smartcommit(repo, "undo")
    assert read_state(repo) == before
