"""`smartcommit install` beside hooks of others: in git's configuration, or by lines in tracked hooks."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.setup import hook_lines
from tests.conftest import ROOT
from tests.support.components import component
from tests.support.repository import Repo
from tests.support.workspace import on_path


@pytest.fixture
def new_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """A git on PATH that runs hooks of its configuration."""
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))


@pytest.fixture
def place(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a first commit, as the current directory."""
    repo.commit("chore: base", {"README.md": "# A\n"})
    monkeypatch.chdir(repo.path)
    return repo


def write_hook(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)
    return path


def snapshot(repo: Repo) -> dict[str, tuple[int, bytes]]:
    """Mode and content of the configuration, of every hook and of every file in the working tree."""
    found = {}
    for path in sorted(repo.path.rglob("*")):
        name = path.relative_to(repo.path)
        if path.is_file() and (name.parts[0] != ".git" or name.parts[1] in ("config", "hooks")):
            found[str(name)] = (stat.S_IMODE(path.lstat().st_mode), path.read_bytes())
    return found


def commit(repo: Repo, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return repo.run("commit", *arguments, env=environment)


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_a_hook_that_is_switched_off_is_named(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(place)
    place.git("config", "hook.smartcommit-commit-msg.enabled", "no")
    assert main(["install", "--config"]) == 0
    said = "commit-msg does not run: it is switched off by hook.smartcommit-commit-msg.enabled\n"
    assert capsys.readouterr().out.count("switched off") == 1
    assert main(["install", "--config"]) == 0
    assert said in capsys.readouterr().out
    assert main(["uninstall"]) == 0
    assert snapshot(place) == before


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_a_hook_that_was_switched_off_since_stays_off(place: Repo) -> None:
    config = place.path / ".git/config"
    before = config.read_text()
    assert main(["install", "--config"]) == 0
    place.git("config", "hook.smartcommit-commit-msg.enabled", "false")
    for _ in range(2):
        assert main(["install", "--config"]) == 0
        assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 0
        assert config.read_text().count("enabled = false") == 1
    with config.open("a") as file:
        file.write("\tmore = a\\\n  b\n# mine\n[user] # mine\n\tname = B\n")
    assert main(["uninstall"]) == 0
    assert config.read_text() == (
        f'{before}[hook "smartcommit-commit-msg"]\n\tmore = a\\\n  b\n# mine\n[user] # mine\n\tname = B\n'
    )


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_an_edited_hook_is_removed_and_what_is_beside_it_stays(place: Repo) -> None:
    assert main(["install", "--config"]) == 0
    command = place.git("config", "hook.smartcommit-commit-msg.command")
    place.git("config", "hook.smartcommit-commit-msg.command", "exit 0\n" + command)
    with (place.path / ".git/config").open("a") as file:
        file.write("# mine\n[user]\n\tname = B\n")
    assert main(["uninstall"]) == 0
    config = (place.path / ".git/config").read_text()
    assert config.endswith("# mine\n[user]\n\tname = B\n")
    assert "command" not in config
    assert "event" not in config


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_one_hook_alone_is_configured_and_the_other_added(place: Repo, tmp_path: Path) -> None:
    assert main(["install", "--config", "--hooks", "commit-msg"]) == 0
    assert place.run("hook", "list", "prepare-commit-msg").returncode == 1
    assert main(["install", "--config", "--hooks", "prepare-commit-msg"]) == 0
    for name in ("prepare-commit-msg", "commit-msg"):
        assert place.git("hook", "list", name) == f"smartcommit-{name}\n"


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
@pytest.mark.parametrize("then", ["", "[user]\n\tname = B\n"])
@pytest.mark.parametrize("end", ["\n", "\n\tmore = a\\\n  b\n", "\n[alias]\n\tst = status # short\n"])
def test_the_configuration_is_restored_byte_for_byte(place: Repo, end: str, then: str) -> None:
    config = place.path / ".git/config"
    content = config.read_text().rstrip("\n") + end
    config.write_text(content)
    assert main(["install", "--config"]) == 0
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    with config.open("a") as file:
        file.write(then)
    assert main(["uninstall"]) == 0
    assert config.read_text() == content + then


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
@pytest.mark.parametrize("end", ["", "\n\n", '\n# [hook "smartcommit-commit-msg"]', "\n\tmore = a\\\n  b"])
def test_every_line_of_the_configuration_stays(place: Repo, end: str) -> None:
    config = place.path / ".git/config"
    config.write_text(config.read_text().rstrip("\n") + end)
    before = place.git("config", "--local", "--list")
    lines = config.read_text().split("\n")
    assert main(["install", "--config"]) == 0
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    assert main(["uninstall"]) == 0
    assert place.git("config", "--local", "--list") == before
    assert [line for line in config.read_text().split("\n") if line in lines and line] == list(filter(None, lines))


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_a_configuration_that_git_has_locked_stays(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    lock = place.path / ".git/config.lock"
    lock.touch()
    before = snapshot(place)
    assert main(["install", "--config"]) == 1
    assert "could not lock config file .git/config" in capsys.readouterr().err
    assert lock.read_bytes() == b""
    assert snapshot(place) == before
    assert os.listdir(place.path / ".git/smartcommit") == ["hooks.lock"]


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_hooks_in_an_included_file_are_removed_and_those_of_others_stay(
    place: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "--config"]) == 0
    included = place.path / ".git/more"
    shutil.copy(place.path / ".git/config", included)
    assert main(["uninstall"]) == 0
    place.git("config", "include.path", "more")
    capsys.readouterr()
    assert main(["uninstall"]) == 0
    assert f"removed the hooks from '{included}'" in capsys.readouterr().out
    assert "smartcommit" not in included.read_text()
    place.git("config", "--unset", "include.path")
    place.git("config", "hook.smartcommit-commit-msg.command", "mine")
    before = snapshot(place)
    assert main(["install", "--config"]) == 1
    assert "which smartcommit has not written" in capsys.readouterr().err
    assert main(["uninstall"]) == 0
    assert snapshot(place) == before


@pytest.mark.parametrize("top", ["", "#!/bin/sh", "#!/usr/bin/env bash\n# what it does\n\n", "\n", "x=1"])
@pytest.mark.parametrize("rest", ["", "exit 3", "cat <<E\n# smartcommit: end\nE\nexit 3\n"])
def test_lines_leave_a_script_as_it_was(place: Repo, top: str, rest: str) -> None:
    hook = write_hook(place.path / ".githooks/commit-msg", top if not rest else f"{top}\n{rest}")
    place.git("config", "core.hooksPath", ".githooks")
    content = hook.read_bytes()
    assert main(["install", "--add-lines", "--hooks", "commit-msg"]) == 0
    written = hook.read_bytes()
    assert hook_lines.LINES["commit-msg"].encode() in written
    assert written.startswith(b"#!") == top.startswith("#!")
    # Without the commands on PATH, what the script returns is what it returned before.
    done = subprocess.run(["sh", str(hook), "m"], env={"PATH": "/nowhere:/bin"}, capture_output=True, check=False)
    assert done.returncode == (3 if rest else 0)
    assert main(["uninstall"]) == 0
    assert hook.read_bytes() == content


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/usr/bin/env python3\n", "is not a shell script"),
        ('#!/bin/sh\nlefthook run "commit-msg"\n', "is written again by the program that made it"),
    ],
)
def test_lines_are_added_to_no_script_that_would_not_run_them(
    place: Repo, script: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hook = write_hook(place.path / ".githooks/commit-msg", script)
    place.git("config", "core.hooksPath", ".githooks")
    before = snapshot(place)
    assert main(["install", "--add-lines"]) == 1
    assert f"'{hook}' {said}" in capsys.readouterr().err
    assert snapshot(place) == before


def test_lines_run_once_in_a_script_that_husky_8_runs_again(place: Repo, tmp_path: Path) -> None:
    again = 'test -n "$again" || { export again=1; sh -e "$0" "$@"; exit $?; }\n'
    write_hook(place.path / ".husky/_/husky.sh", again)
    hook = write_hook(
        place.path / ".husky/commit-msg", '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\ntrue\n'
    )
    place.git("config", "core.hooksPath", ".husky")
    assert main(["install", "--add-lines", "--hooks", "commit-msg"]) == 0
    done = commit(place, "--allow-empty", "-m", "oops", PATH=f"{ROOT}:/usr/bin:/bin")
    assert done.stderr.count(b"smartcommit is not on PATH") == 1
    assert hook.read_text().count("smartcommit: begin") == 1


def test_lines_need_hooks_in_the_working_tree(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--add-lines"]) == 1
    assert "git looks for no hooks in this working tree" in capsys.readouterr().err


def test_the_page_has_the_lines_that_are_added() -> None:
    page = (ROOT / "docs/installing.md").read_text()
    for lines in hook_lines.LINES.values():
        assert "".join(f"  {line}\n" for line in lines.splitlines()) in page
