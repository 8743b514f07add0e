"""The commands on Windows: a real one (`pytest -m windows`), or the one that `.ci/components` builds under wine.

They are those of the wheel that is installed there, by their names on PATH.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.windows,
    pytest.mark.skipif(os.name != "nt", reason="this is not Windows; tests/wine_test.py runs them under wine"),
]

MAIN = "import sys; from smartcommit.cli import main; sys.exit(main())"
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
    return run(folder, "smartcommit", *arguments, status=status)


def write_program(path: Path, *lines: str, python: Path = Path(sys.executable)) -> str:
    """Write a program in Python; return the command line for it, as a shell and git's configuration have it."""
    path.write_text("\n".join(["import sys", "from pathlib import Path", *lines]), "utf-8")
    return shlex.join([python.as_posix(), path.as_posix()])


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


@pytest.fixture
def repo(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit and no change; `core.autocrlf` is the parameter, or what Git for Windows sets."""
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
    git(folder, "config", "core.autocrlf", getattr(request, "param", "true"))
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


def test_what_needs_posix_is_refused_in_a_line(repo: Path) -> None:
    for words in (("execute", "list"), ("session", "status"), ("agents", "status"), ("plan", "show")):
        assert "does not run on Windows yet" in smartcommit(repo, *words, status=1)


def test_the_first_screen_of_the_readme_works(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = repo / ".git" / "hooks"
    assert f"installed in '{hooks}'" in smartcommit(repo, "install", "--files")
    editor = write_program(repo.parent / "editor.py", "print(Path(sys.argv[1]).read_text('utf-8'))")
    monkeypatch.setenv("GIT_EDITOR", editor)
    write(repo, {"guide.md": "# Guide\n"})
    git(repo, "add", "--all")
    assert "docs: add guide.md" in git(repo, "commit").partition("#")[0]
    assert git(repo, "log", "-1", "--format=%s") == "docs: add guide.md\n"
    write(repo, EDITED)
    refused = git(repo, "commit", "--all", "--message", "Added c to the module.", status=1)
    assert "header-form" in refused
    assert re.search(r"did you mean: \w+: add", refused)
    before = read_state(repo)
    git(repo, "smart-commit", "--strategy", "file", "--yes")
    assert git(repo, "rev-list", "--count", "HEAD").strip() == "5"
    assert git(repo, "status", "--porcelain") == ""
    git(repo, "smart-commit", "undo")
    assert read_state(repo) == before
    assert "removed the hooks" in smartcommit(repo, "uninstall")
    git(repo, "commit", "--quiet", "--all", "--message", "Added stuff.")


def test_the_demo_runs(repo: Path) -> None:
    printed = smartcommit(repo, "demo")
    assert "feat(cart): add format_price" in printed
    assert "undone: HEAD is back" in printed
    assert "\\x0d" not in printed


def test_a_push_of_a_bad_message_is_refused(repo: Path) -> None:
    git(repo, "init", "--quiet", "--bare", "../remote.git")
    git(repo, "remote", "add", "origin", (repo.parent / "remote.git").as_posix())
    smartcommit(repo, "install", "--files", "--pre-push")
    git(repo, "push", "--quiet", "origin", "main")
    git(repo, "commit", "--quiet", "--allow-empty", "--no-verify", "--message", "Added stuff.")
    assert "header-form" in git(repo, "push", "--quiet", "origin", "main", status=1)


def test_a_hook_that_was_there_runs_first_and_comes_back(repo: Path) -> None:
    own = b"#!/bin/sh\necho our own hook >&2\n"
    write(repo, {".git/hooks/commit-msg": own, ".git/hooks/helper": b"x\n"})
    smartcommit(repo, "install", "--files")
    assert "our own hook" in git(repo, "commit", "--allow-empty", "--message", "feat: add c")
    smartcommit(repo, "uninstall")
    assert (repo / ".git/hooks/commit-msg").read_bytes() == own
    assert sorted(path.name for path in (repo / ".git/hooks").iterdir()) == ["commit-msg", "helper"]


@pytest.mark.skipif(shutil.which("pre-commit") is None, reason="pre-commit is not on PATH")
def test_pre_commit_runs_the_hooks(repo: Path) -> None:
    # An environment of its own would be built from the package index.
    hooks = []
    for name in ("prepare-commit-msg", "commit-msg"):
        hooks.append(f"{{id: {name}, name: {name}, entry: smartcommit-{name}, language: system, stages: [{name}]}}")
    lines = f"repos:\n-   repo: local\n    hooks: [{', '.join(hooks)}]\n"
    write(repo, {".pre-commit-config.yaml": lines})
    printed = smartcommit(repo, "install", "--pre-commit")
    assert "pre-commit installed at" in printed
    assert "run by pre-commit" in printed
    assert (repo / ".pre-commit-config.yaml").read_text("utf-8").startswith("default_install_hook_types: ")
    git(repo, "add", "--all")
    assert "header-form" in git(repo, "commit", "--message", "Added stuff.", status=1)
    git(repo, "commit", "--message", "build: run hooks")
    smartcommit(repo, "uninstall")
    assert (repo / ".pre-commit-config.yaml").read_bytes() == lines.encode()


@pytest.mark.skipif(
    not Path(sys.executable).with_name("python313._pth").exists(), reason="this Python cannot be copied"
)
def test_an_interpreter_may_be_in_any_folder(repo: Path, tmp_path: Path) -> None:
    folder = Path(sys.executable).parent
    copy = shutil.copytree(folder, tmp_path / "O'Neil\u00e4s Programs" / "python")
    (copy / "python313._pth").write_text(f"python313.zip\n.\n{folder.parent / 'site'}\nimport site\n", "utf-8")
    run(repo, str(copy / "python.exe"), "-c", MAIN, "install", "--files")
    hook = (repo / ".git/hooks/commit-msg").read_bytes()
    assert "O'\"'\"'Neil\u00e4s Programs".encode() in hook
    assert b"\r" not in hook
    assert "header-form" in git(repo, "commit", "--allow-empty", "--message", "Added stuff.", status=1)


def test_a_model_may_be_a_program(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repo, EDITED)
    git(repo, "add", "--all")
    answer = '{"type": "feat", "summary": "add c, a second function"}'
    monkeypatch.setenv("SMARTCOMMIT_COMMAND", write_program(repo.parent / "model.py", f"print({answer!r})"))
    monkeypatch.setenv("SMARTCOMMIT_ALLOW_REMOTE", "true")
    monkeypatch.setenv("SMARTCOMMIT_DEADLINE", "300")
    assert "feat: add c, a second function" in smartcommit(repo, "draft", "--engine", "command")


def test_hooks_change_the_messages_of_a_split(repo: Path) -> None:
    write(repo, {".git/hooks/commit-msg": b'#!/bin/sh\n{ echo; echo "Ticket: 7"; } >>"$1"\n', "node_modules/x": b"x\n"})
    write(repo, {**EDITED, ".gitignore": b"node_modules\n"})
    smartcommit(repo, "split", "--engine", "embedded", "--yes", "--run-hooks", "commit-msg")
    assert "Ticket: 7" in git(repo, "log", "-1", "--format=%B")


def test_paths_may_be_typed_as_windows_writes_them(repo: Path) -> None:
    write(repo, EDITED)
    arguments = ["--engine", "embedded", "--save-plan", "lib\\plan.json", "lib\\b.py"]
    assert '"path": "lib/b.py"' in smartcommit(repo, "split", "--json", *arguments)
    assert b'"path": "lib/b.py"' in (repo / "lib/plan.json").read_bytes()
    smartcommit(repo, "split", "--plan", "lib\\plan.json", "--yes", "lib\\b.py")
    assert git(repo, "status", "--porcelain") == " M README.md\n M a.py\n?? lib/plan.json\n"


@pytest.mark.parametrize("name", ["A.py", "aux", "con.txt", "trailing.", "a:b"])
def test_names_that_windows_cannot_have_beside_others_lose_nothing(repo: Path, name: str) -> None:
    entry = git(repo, "rev-parse", "HEAD:lib/b.py").strip()
    listed = git(repo, "ls-tree", "HEAD") + f"100644 blob {entry}\t{name}\n"
    made = subprocess.run(["git", "mktree"], cwd=repo, input=listed.encode(), capture_output=True, check=True)
    tree = made.stdout.decode().strip()
    commit = git(repo, "commit-tree", "-p", "HEAD", "-m", "chore: made elsewhere", tree).strip()
    git(repo, "update-ref", "HEAD", commit)
    write(repo, EDITED)
    before = read_state(repo)
    smartcommit(repo, "split", "--engine", "embedded", "--yes")
    assert read_state(repo)[2] == before[2]
    smartcommit(repo, "undo")
    assert read_state(repo) == before


def test_a_change_is_drafted(repo: Path) -> None:
    write(repo, {"README.md": "# A\n\nHow to use it.\n"})
    git(repo, "add", "--all")
    assert smartcommit(repo, "draft").startswith("docs: ")


@pytest.mark.parametrize("repo", ["true", "false"], ids=["autocrlf", "no-autocrlf"], indirect=True)
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
