"""`smartcommit install` beside hooks of others: in git's configuration, or by lines in tracked hooks."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.setup import hook_lines
from tests.conftest import ROOT
from tests.support.components import component
from tests.support.installation import Installation
from tests.support.kills import Kills
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.workspace import on_path

SAYS = "#!/bin/sh\necho {word} >> {log}\n"


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


def own_hooks(repo: Repo, log: Path) -> None:
    write_hook(repo.path / ".git/hooks/commit-msg", SAYS.format(word="own", log=log))


def tracked_hooks(repo: Repo, log: Path) -> None:
    write_hook(repo.path / ".githooks/commit-msg", SAYS.format(word="own", log=log))
    repo.git("config", "core.hooksPath", ".githooks")


def husky(repo: Repo, log: Path) -> None:
    """What husky 9 leaves: a generated folder whose hooks run those of the folder above, if there are any."""
    repo.write(".husky/commit-msg", f"echo own >> {log}\n")
    for name in ("prepare-commit-msg", "commit-msg"):
        script = f'#!/bin/sh\ntest -f .husky/{name} || exit 0\nexport PATH="node_modules/.bin:$PATH"\n'
        write_hook(repo.path / ".husky/_" / name, script + f'sh -e .husky/{name} "$@"\n')
    repo.git("config", "core.hooksPath", ".husky/_")


def shared_hooks(repo: Repo, log: Path) -> None:
    write_hook(repo.path.parent / "shared/commit-msg", SAYS.format(word="own", log=log))
    repo.git("config", "core.hooksPath", str(repo.path.parent / "shared"))


def linked_hooks(repo: Repo, log: Path) -> None:
    """A directory of hooks elsewhere, to which `.git/hooks` is a link."""
    write_hook(repo.path.parent / "shared/commit-msg", SAYS.format(word="own", log=log))
    shutil.rmtree(repo.path / ".git/hooks")
    (repo.path / ".git/hooks").symlink_to("../../shared")


def lefthook(repo: Repo, log: Path) -> None:
    repo.write("lefthook.yml", f"commit-msg:\n  commands:\n    own:\n      run: echo own >> {log}\n")
    run_beside_python(repo, "lefthook", "install")


def pre_commit(repo: Repo, log: Path) -> None:
    configure(repo, log)
    run_beside_python(repo, "pre-commit", "install", "--hook-type", "commit-msg")


def prek(repo: Repo, log: Path) -> None:
    configure(repo, log)
    run_beside_python(repo, "prek", "install", "--hook-type", "commit-msg")


def configure(repo: Repo, log: Path) -> None:
    hook = f"{{id: own, name: own, language: system, entry: sh -c 'echo own >> {log}', stages: [commit-msg]}}"
    repo.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n  - {hook}\n")
    repo.git("add", ".pre-commit-config.yaml")
    repo.commit("ci: configure pre-commit")


def run_beside_python(repo: Repo, name: str, *arguments: str) -> None:
    subprocess.run([Path(sys.executable).with_name(name), *arguments], cwd=repo.path, check=True, capture_output=True)


OWNERS = (own_hooks, tracked_hooks, husky, shared_hooks, linked_hooks, lefthook, pre_commit, prek)


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
@pytest.mark.parametrize("owner", OWNERS)
def test_hooks_of_others_run_as_before_beside_ours(
    place: Repo, tmp_path: Path, owner: Callable[[Repo, Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    owner(place, log)
    before = snapshot(place)
    assert main(["install"]) == main(["install"]) == 0
    assert f"installed prepare-commit-msg and commit-msg in '{place.path}/.git/config'" in capsys.readouterr().out
    changed = {name for name, state in snapshot(place).items() if before.get(name) != state}
    assert changed == {".git/config"}
    place.stage({"guide.md": "# Guide\n"})
    made = commit(place, GIT_EDITOR="true")
    assert made.returncode == 0, made.stderr
    assert place.message().strip() == "docs: add guide.md"
    assert log.read_text() == "own\n"
    refused = commit(place, "--allow-empty", "-m", "nonsense")
    assert refused.returncode == 1
    assert refused.stderr.count(b"Your message was saved") == 1
    assert log.read_text() == "own\nown\n"
    place.git("config", "hook.smartcommit-commit-msg.enabled", "false")
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 0
    assert main(["uninstall"]) == 0
    (place.path / "guide.md").unlink()
    assert snapshot(place) == before


@pytest.mark.components
@pytest.mark.usefixtures("new_git")
def test_hooks_change_places_and_never_run_twice(place: Repo, tmp_path: Path) -> None:
    own_hooks(place, tmp_path / "log")
    before = snapshot(place)
    for number, option in enumerate(("--files", "--config", "--files", "--config")):
        assert main(["install", option]) == 0
        refused = commit(place, "--allow-empty", "-m", f"nonsense {number}")
        assert refused.stderr.count(b"Your message was saved") == 1
    assert (tmp_path / "log").read_text() == "own\n" * 4
    assert main(["uninstall"]) == 0
    assert snapshot(place) == before


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


@pytest.mark.parametrize("options", [["--files"], ["--add-lines"]])
def test_nothing_is_written_where_git_looks_for_no_hooks(
    place: Repo, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    """git runs hooks of the root if the path is empty, as in the shell of Gemini CLI."""
    place.git("config", "core.hooksPath", "")
    before = snapshot(place)
    assert main(["install", *options]) == 1
    assert snapshot(place) == before


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
def test_a_killed_command_leaves_a_configuration_that_works(place: Repo, tmp_path: Path) -> None:
    kills = Kills(place.path, tmp_path / "copies", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    before = (place.path / ".git/config").read_bytes()
    for killed in ("install --config", "uninstall"):
        for step in count(1, choose(fast=2, full=1)):
            copy = kills.copy(f"{killed} {step}")
            if killed == "uninstall":
                assert kills.run_together(copy, ["install", "--config"]) == [0]
            (status,) = kills.run_together(copy, killed.split(), step=step)
            assert commit(Repo(copy), "--allow-empty", "-m", "feat: add a").returncode == 0, step
            assert kills.run_together(copy, ["uninstall"]) == [0], (copy.parent / "shown").read_text()
            assert (copy / ".git/config").read_bytes() == before
            assert set(os.listdir(copy / ".git/smartcommit")) <= {"hooks.lock"}
            assert not (copy / ".git/config.lock").exists()
            shutil.rmtree(copy.parent)
            if status != -signal.SIGKILL:
                break
        assert step > 3
    kills.close()


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
def test_a_program_that_is_gone_stops_no_commit(place: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / 'it\'s "gone" \\ ' / "python"
    monkeypatch.setattr(sys, "executable", str(gone))
    assert main(["install", "--config"]) == 0
    done = commit(place, "--allow-empty", "-e", "-m", "nonsense", GIT_EDITOR="true")
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [
        f"smartcommit: {gone} is gone, no draft; run 'smartcommit install' again",
        f"smartcommit: {gone} is gone, message not checked; run 'smartcommit install' again",
    ]


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


def test_an_older_git_has_no_hooks_in_its_configuration(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    shim = write_hook(place.path.parent / "bin/git", "#!/bin/sh\necho git version 2.53.1\n")
    assert main(["install", "--hooks", "commit-msg"]) == 0
    before = snapshot(place)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", str(shim.parent))
        assert main(["install", "--config"]) == 1
    assert capsys.readouterr().err == (
        "smartcommit: git before 2.54 runs no hooks of its configuration\n"
        "hint: update git, or install the hooks without --config\n"
    )
    assert snapshot(place) == before


@pytest.fixture
def scripts(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our console scripts on PATH, as after an installation with pip or pipx."""
    monkeypatch.setenv("PATH", f"{installation.bin}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("scripts")
@pytest.mark.parametrize("owner", [tracked_hooks, husky])
def test_lines_are_printed_and_added_on_request(
    place: Repo, tmp_path: Path, owner: Callable[[Repo, Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    owner(place, log)
    before = snapshot(place)
    folder = ".husky" if owner is husky else ".githooks"
    if "2.39" in place.git("version"):
        assert main(["install"]) == 1
        shown = capsys.readouterr()
        for name, lines in hook_lines.LINES.items():
            assert f"'{folder}/{name}' needs these lines, at its beginning:\n{lines}" in shown.out
        assert "run 'smartcommit install --add-lines'" in shown.err
        assert snapshot(place) == before
    assert main(["install", "--add-lines"]) == main(["install", "--add-lines"]) == 0
    assert os.access(place.path / folder / "prepare-commit-msg", os.X_OK)
    place.stage({"guide.md": "# Guide\n"})
    made = commit(place, GIT_EDITOR="true")
    assert made.returncode == 0, made.stderr
    assert place.message().strip() == "docs: add guide.md"
    assert log.read_text() == "own\n"
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    assert main(["uninstall"]) == 0
    (place.path / "guide.md").unlink()
    assert snapshot(place) == before


@pytest.mark.usefixtures("scripts", "new_git")
@pytest.mark.parametrize(("way", "where"), [("--config", "config"), ("--files", "hooks")])
def test_hooks_of_an_earlier_command_give_way_to_lines_that_were_fetched(
    place: Repo, way: str, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", way]) == 0
    for name, lines in hook_lines.LINES.items():
        place.write(f".husky/{name}", f"# smartcommit: begin\n{lines}# smartcommit: end\n")
    for name in hook_lines.LINES:
        write_hook(place.path / ".husky/_" / name, f'#!/bin/sh\nsh -e .husky/{name} "$@"\n')
    place.git("config", "core.hooksPath", ".husky/_")
    capsys.readouterr()
    assert main(["install", "--add-lines"]) == 0
    shown = capsys.readouterr().out
    assert "nothing to do" not in shown
    assert f"removed the hooks from '{place.path}/.git/{where}', where an earlier command had" in shown
    assert commit(place, "--allow-empty", "-m", "nonsense").stderr.count(b"header-form") == 1


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
