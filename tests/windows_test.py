"""The commands on Windows: a real one (`pytest -m windows`), or the one that `.ci/components` builds under wine.

They are those of the wheel that is installed there, by their names on PATH.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
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
# What may be in a working tree beside the usual change: content before and after, by path; None is no file.
STATES: dict[str, tuple[bytes | None, bytes | None]] = {
    "line feeds.py": (b"def a():\n    return 1\n", b"def a():\n    return 3\n"),
    "carriage returns.py": (b"def b():\n    return 1\n", b"def b():\r\n    return 3\r\n"),
    "both line ends.py": (b"def c():\n    return 1\n", b"def c():\r\n    return 3\n\r\n"),
    "no last line end.py": (b"def d():\n    return 1\n", b"def d():\r\n    return 3"),
    "new.txt": (None, b"new\r\n"),
    "empty": (None, b""),
    "deleted/a.py": (b"D = 1\n", None),
    "moved.py": (b"M = 1\n", None),
    "moved/to.py": (None, b"M = 1\n"),
    "logo.bin": (None, bytes(range(256))),
    "with a space.txt": (None, b"x\n"),
    "\u00e4\u65e5.txt": (None, b"x\n"),
    "it's.txt": (None, b"x\n"),
    f"{'d' * 60}/{'e' * 60}/f.txt": (None, b"x\n"),
    "a folder/a.py": (b"A = 1\n", None),
    "a folder": (None, b"x\n"),
}
# Runs a command that ends at once, as by TerminateProcess, when it is about to do what the first argument names.
KILLED = """\
import os, sys
words = sys.argv.pop(1)
def see(event, arguments):
    if event in ("open", "os.remove", "os.rename", "subprocess.Popen") and words in str(arguments[:2]):
        os.kill(os.getpid(), 9)
sys.addaudithook(see)
from smartcommit.cli import main
sys.exit(main())
"""


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


def read_state(folder: Path) -> tuple[bytes, bytes, dict[str, bytes]]:
    """The branch, the index, and the files of the working tree."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return (folder / ".git/refs/heads/main").read_bytes(), (folder / ".git/index").read_bytes(), files


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A repository that each test copies: to start git takes longer than most of what the tests do with it."""
    folder = tmp_path_factory.mktemp("made") / "it's a repository"
    home = folder.with_name("Zo\u00eb O'Neil")
    home.mkdir()
    monkeypatch = pytest.MonkeyPatch()
    for name, value in {
        "HOME": str(home), "USERPROFILE": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": home.name, "GIT_AUTHOR_EMAIL": "zoe@example.invalid", "GIT_EDITOR": "true",
        "GIT_COMMITTER_NAME": home.name, "GIT_COMMITTER_EMAIL": "zoe@example.invalid",
        "TEMP": str(home), "TMP": str(home),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "core.autocrlf", "true")
    write(folder, FILES)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "chore: base")
    yield folder
    monkeypatch.undo()


@pytest.fixture
def repo(made: Path, tmp_path: Path) -> Path:
    """A repository with a commit and no change, and with the `core.autocrlf` that Git for Windows sets."""
    return Path(shutil.copytree(made, tmp_path / made.name))


def test_a_command_without_work_ends_well(repo: Path) -> None:
    for words in ("config", "doctor", "check --range HEAD", "recover", "--version"):
        smartcommit(repo, *words.split())


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
    # As the stub that opens the Store once Python is gone: a program of that name that only says something and fails.
    shutil.copy(str(shutil.which("git")), copy / "python.exe")
    assert "does not start" in git(repo, "commit", "--allow-empty", "--message", "Added stuff.")


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


def test_names_that_windows_cannot_have_beside_others_lose_nothing(repo: Path) -> None:
    entry = git(repo, "rev-parse", "HEAD:lib/b.py").strip()
    listed = git(repo, "ls-tree", "HEAD")
    for name in ("A.py", "aux", "con.txt", "trailing.", "a:b"):
        listed += f"100644 blob {entry}\t{name}\n"
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


def test_a_path_that_is_too_long_is_named_with_what_helps(repo: Path) -> None:
    folder = "/".join(["d" * 60] * 5)
    extended = Path(f"\\\\?\\{repo / folder}".replace("/", "\\"))
    extended.mkdir(parents=True)
    (extended / "f.txt").write_bytes(b"x\n")
    write(repo, EDITED)
    for command in ("split", "absorb"):
        printed = smartcommit(repo, command, "--dry-run")
        assert printed.count(f"warning: {folder}/ is left out: its path is too long for git") == 1
        assert printed.count("run 'git config core.longPaths true'") == 1
    write(extended.parents[3], {"f" * 210: b"x\n"})
    assert "hint: run 'git config core.longPaths true'" in smartcommit(repo, "split", "--yes", status=3)


def test_a_change_is_drafted(repo: Path) -> None:
    # No code page has all of these letters.
    write(repo, {"\u00e4\u65e5.md": "# A\n\nHow to use it.\n"})
    git(repo, "add", "--all")
    assert smartcommit(repo, "draft").startswith("docs: add ")


@pytest.mark.parametrize("automatic", ["true", "false"], ids=["autocrlf", "no-autocrlf"])
def test_a_split_loses_nothing_and_its_undo_is_exact(repo: Path, automatic: str) -> None:
    git(repo, "config", "core.autocrlf", automatic)
    write(repo, {path: before for path, (before, _) in STATES.items() if before is not None})
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "chore: states")
    write(repo, EDITED)
    git(repo, "add", "README.md")
    write(repo, {path: after for path, (_, after) in STATES.items()})
    before = read_state(repo)
    smartcommit(repo, "split", "--engine", "embedded", "--yes")
    assert int(git(repo, "rev-list", "--count", "HEAD")) > 5
    assert git(repo, "log", "-1", "--format=%an") == "Zo\u00eb O'Neil\n"
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


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("split", "write-tree"), ("split", "fast-import"), ("split", "journal"), ("split", "update-ref"),
        ("split", "index.lock"), ("split", "published"), ("undo", "journal"), ("undo", "update-ref"),
        ("undo", "index.lock"), ("undo", "backup"),
    ],
)  # fmt: skip
def test_what_was_killed_is_recovered(repo: Path, command: str, words: str) -> None:
    write(repo, EDITED)
    before = read_state(repo)
    arguments = ["split", "--engine", "embedded", "--yes"]
    if command == "undo":
        smartcommit(repo, *arguments)
        arguments = ["undo"]
    run(repo, sys.executable, "-c", KILLED, words, *arguments, status=9)
    smartcommit(repo, "recover")
    if read_state(repo)[0] != before[0]:
        smartcommit(repo, "undo")
    assert read_state(repo) == before
