"""The ways to install our hooks, beside everything that may own a repository's hooks, with old git and new.

One property holds for each way beside each owner: a commit is drafted and checked once, the owner's hook runs as often
as before, and uninstalling gives back every byte.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.support import programs
from tests.support.components import component
from tests.support.installation import Installation
from tests.support.kills import Kills
from tests.support.precommit import CONFIG, Framework
from tests.support.profile import choose, repeat
from tests.support.repository import Repo, list_tree

OLD, NEW = "the system's git", "git 2.55"
WAYS = ("--files", "--config", "--pre-commit")
SAYS = "#!/bin/sh\necho own >>'{log}'\n"


@pytest.fixture(params=[OLD, pytest.param(NEW, marks=pytest.mark.components)])
def git(
    request: pytest.FixtureRequest, installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    names = (Path(sys.executable).with_name(name) for name in ("pre-commit", "prek"))
    programs_folder = programs.linked(tmp_path / "programs", *names)
    folders = [str(installation.bin), str(programs_folder), os.environ["PATH"]]
    if request.param == NEW:
        folders.insert(0, str(Path(component("git-2.55", "git")).parent))
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    return str(request.param)


@pytest.fixture
def place(inside: Repo) -> Repo:
    inside.commit("chore: base", {"README.md": "# A\n"})
    return inside


def write_hook(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)
    return path


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """What the working tree has, and git's configuration and hooks."""
    found = list_tree(folder)
    return {name: found[name] for name in found if not re.match(r"\.git/(?!config|hooks)", name)}


def nobody(_repo: Repo, _log: Path) -> None:
    pass


def own_hook(repo: Repo, log: Path) -> None:
    write_hook(repo.path / ".git/hooks/commit-msg", SAYS.format(log=log))


def tracked_hooks(repo: Repo, log: Path) -> None:
    write_hook(repo.path / ".githooks/commit-msg", SAYS.format(log=log))
    repo.git("config", "core.hooksPath", ".githooks")


def husky(repo: Repo, log: Path) -> None:
    """What husky 9 leaves: a generated folder whose hooks run those of the folder above, if there are any."""
    repo.write(".husky/commit-msg", f"echo own >>'{log}'\n")
    for name in ("prepare-commit-msg", "commit-msg"):
        script = f'#!/bin/sh\ntest -f .husky/{name} || exit 0\nexport PATH="node_modules/.bin:$PATH"\n'
        write_hook(repo.path / ".husky/_" / name, script + f'sh -e .husky/{name} "$@"\n')
    repo.git("config", "core.hooksPath", ".husky/_")


def shared_hooks(repo: Repo, log: Path) -> None:
    write_hook(repo.path.parent / "shared/commit-msg", SAYS.format(log=log))
    repo.git("config", "core.hooksPath", str(repo.path.parent / "shared"))


def linked_hooks(repo: Repo, log: Path) -> None:
    write_hook(repo.path.parent / "shared/commit-msg", SAYS.format(log=log))
    shutil.rmtree(repo.path / ".git/hooks")
    (repo.path / ".git/hooks").symlink_to("../../shared")


def lefthook(repo: Repo, log: Path) -> None:
    repo.write("lefthook.yml", f"commit-msg:\n  commands:\n    own:\n      run: echo own >>'{log}'\n")
    run_beside_python(repo, "lefthook", "install")


def pre_commit(repo: Repo, log: Path) -> None:
    configure(repo, log)
    run_beside_python(repo, "pre-commit", "install", "--hook-type", "commit-msg")


def with_prek(repo: Repo, log: Path) -> None:
    configure(repo, log)
    run_beside_python(repo, "prek", "install", "--hook-type", "commit-msg")


def configure(repo: Repo, log: Path) -> None:
    """A hook of pre-commit that has no stages, so it would run for each type of git hook."""
    entry = f"sh -c 'echo own >>{log}'"
    hook = f'{{id: own, name: own, language: system, entry: "{entry}", always_run: true}}'
    repo.write(CONFIG, f"# ours\nrepos:\n- repo: local\n  hooks:\n  - {hook}  # last")
    repo.git("add", CONFIG)
    repo.commit("ci: configure pre-commit")


def run_beside_python(repo: Repo, name: str, *arguments: str) -> None:
    subprocess.run([Path(sys.executable).with_name(name), *arguments], cwd=repo.path, check=True, capture_output=True)


OWNERS = (nobody, own_hook, tracked_hooks, husky, shared_hooks, linked_hooks, lefthook, pre_commit, with_prek)
# Which of the ways work beside whom: with an older git the second list; `None` is `install` without an option.
IN_GIT_FOLDER: tuple[set[str | None], set[str | None]] = ({None, "--config", "--files"}, {None, "--files"})
POSSIBLE: dict[Callable[[Repo, Path], None], tuple[set[str | None], set[str | None]]] = {
    tracked_hooks: ({None, "--config"}, set()),
    husky: ({None, "--config"}, set()),
    shared_hooks: ({None, "--config"}, set()),
    linked_hooks: ({None, "--config"}, set()),
    # It moves hooks away that are not its own.
    lefthook: ({None, "--config", "--pre-commit"}, {"--pre-commit"}),
}


def install_args(way: str | None, framework: Framework) -> list[str]:
    arguments = ["install", *([way] if way else [])]
    if way == "--pre-commit":
        arguments += ["--repo", str(framework.hooks.path), "--rev", framework.hooks.git("rev-parse", "HEAD").strip()]
    return arguments


def commit_drafted(repo: Repo) -> None:
    repo.stage({"guide.md": "# Guide\n"})
    made = repo.run("commit", env={"GIT_EDITOR": "true"})
    assert made.returncode == 0, made.stderr + made.stdout
    assert repo.message().strip() == "docs: add guide.md"


def count_checks(repo: Repo) -> int:
    done = repo.run("commit", "--allow-empty", "-m", "nonsense")
    assert done.returncode == 1
    return (done.stdout + done.stderr).count(b"Your message was saved")


@pytest.mark.slow
def test_each_way_works_beside_each_owner_and_is_undone_to_the_byte(
    tmp_path: Path,
    git: str,
    precommit: Framework,
    prek: Framework,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = []
    for owner in OWNERS:
        possible = POSSIBLE.get(owner, IN_GIT_FOLDER)[git == OLD]
        if owner not in POSSIBLE:
            possible = {*possible, "--pre-commit"}
        for way in (None, *WAYS):
            folder = tmp_path / f"{owner.__name__}{way}"
            repo = Repo.init(folder / "repo")
            repo.commit("chore: base", {"README.md": "# A\n"})
            monkeypatch.chdir(repo.path)
            owner(repo, folder / "log")
            framework = prek if owner is with_prek else precommit
            before = snapshot(repo.path)
            try:
                if way in possible:
                    works(repo, folder / "log", install_args(way, framework), owner)
                    assert main(["uninstall"]) == 0
                else:
                    assert main(install_args(way, framework)) == 1, "is possible"
                (repo.path / "guide.md").unlink(missing_ok=True)
                changed = {name for name, state in before.items() if snapshot(repo.path).get(name) != state}
                assert (changed, set(snapshot(repo.path)) - set(before)) == (set(), set())
            except AssertionError as error:
                failed.append(f"{owner.__name__} {way}: {error}\n{capsys.readouterr()}")
            shutil.rmtree(folder)
    assert not failed, "\n".join(failed)


def works(repo: Repo, log: Path, arguments: list[str], owner: Callable[[Repo, Path], None]) -> None:
    """Installing twice, a commit that is drafted and one that is refused; the owner's hook runs once for each."""
    assert main(arguments) == main(arguments) == 0
    repo.git("add", "-A")
    repo.git("commit", "--allow-empty", "--no-verify", "-q", "-m", "chore: commit what was installed")
    log.unlink(missing_ok=True)
    commit_drafted(repo)
    assert count_checks(repo) == 1
    runs = log.read_text() if log.exists() else ""
    assert runs == ("" if owner is nobody else "own\n" * 2)


@pytest.fixture
def copies(place: Repo, git: str, tmp_path: Path) -> Iterator[Kills]:
    """Runs in copies of a repository whose own hook writes `own` into the file `log` beside it."""
    write_hook(place.path / ".git/hooks/commit-msg", SAYS.format(log="../log"))
    place.commit("chore: configure", {CONFIG: "repos:\n- repo: meta\n  hooks: [{id: identity}]\n"})
    # No environment is built: other tests do that, and it takes most of the time.
    own = {"PYTHONPATH": os.pathsep.join(sys.path), "GIT_ALLOW_PROTOCOL": "none"}
    kills = Kills(place.path, tmp_path / "copies", {**os.environ, **own})
    yield kills
    kills.close()


def ways_of(git: str) -> list[str]:
    return [way for way in WAYS if way != "--config" or git == NEW]


def ways_new_to(git: str) -> list[str]:
    """The ways that no older git has shown to be safe: nothing of the others depends on its version."""
    return ["--config"] if git == NEW else ways_of(git)


def runs_own_hook(copy: Path) -> bool:
    """Whether a commit in the repository `copy` runs the user's own hook, once."""
    log = copy.parent / "log"
    log.unlink(missing_ok=True)
    Repo(copy).git("add", "-A")
    # pre-commit has no hooks to run, and this is no test of ours.
    done = Repo(copy).run("commit", "--allow-empty", "-m", "feat: add a", env={"SKIP": "prepare-commit-msg,commit-msg"})
    assert done.returncode == 0, done.stderr
    return log.exists() and log.read_text() == "own\n"


def test_a_command_that_is_killed_at_any_step_can_be_repeated_and_undone(copies: Kills, git: str) -> None:
    failed = []
    for way in ways_new_to(git):
        for killed in (["install", way], ["uninstall"]):
            for step in count(choose(fast=3, full=2), choose(fast=7, full=3)):
                copy = copies.copy(f"{killed[0]}{step}{way}")
                before = snapshot(copy)
                if killed == ["uninstall"]:
                    assert copies.run_together(copy, ["install", way]) == [0]
                (status,) = copies.run_together(copy, killed, step=step)
                found = [way == "--pre-commit" or runs_own_hook(copy)]
                found.append(copies.run_together(copy, killed) == [0])
                found.append(copies.run_together(copy, ["uninstall"]) == [0])
                found.append(snapshot(copy) == before)
                if found != [True] * 4:
                    failed.append(f"{way} {killed} {step}: {found} {(copy.parent / 'shown').read_text()}")
                shutil.rmtree(copy.parent)
                if status != -signal.SIGKILL:
                    break
    assert not failed, "\n".join(failed)


PRE_COMMIT = ["pre-commit", "install", "--hook-type", "commit-msg"]


def test_commands_at_the_same_time_do_not_lose_a_hook(copies: Kills, git: str) -> None:
    failed = []
    for number in range(repeat(fast=2, full=4)):
        for way in ways_new_to(git):
            install = ["install", way]
            pairs = [(install, install), (install, ["uninstall"]), (["uninstall"], ["uninstall"])]
            if way in ("--files", "--config"):
                pairs += [(install, PRE_COMMIT), (["uninstall"], PRE_COMMIT)]
            for together in pairs:
                copy = copies.copy(f"{number}{way}")
                before = snapshot(copy)
                if together[0] == ["uninstall"]:
                    assert copies.run_together(copy, install) == [0]
                statuses = copies.run_together(copy, *together)
                found = [statuses == [0, 0] or PRE_COMMIT in together]
                found.append(way == "--pre-commit" or runs_own_hook(copy))
                found.append(copies.run_together(copy, ["uninstall"]) == [0])
                if PRE_COMMIT not in together:
                    found.append(snapshot(copy) == before)
                if not all(found):
                    failed.append(f"{way} {together}: {found} {(copy.parent / 'shown').read_text()}")
                shutil.rmtree(copy.parent)
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize(
    "commands",
    [
        (PRE_COMMIT, ["install"], PRE_COMMIT, ["install"], PRE_COMMIT, ["uninstall"], PRE_COMMIT),
        (["install"], PRE_COMMIT, ["uninstall"], PRE_COMMIT, ["install"], PRE_COMMIT),
    ],
)
def test_installing_pre_commit_again_and_again_keeps_every_hook(copies: Kills, commands: tuple[list[str], ...]) -> None:
    copy = copies.copy("again")
    for command in commands:
        assert copies.run_together(copy, command) == [0], (copy.parent / "shown").read_text()
        assert runs_own_hook(copy), command
    assert copies.run_together(copy, ["uninstall"]) == [0]
    legacy = copy / ".git/hooks/commit-msg.legacy"
    assert legacy.read_text() == SAYS.format(log="../log")
    assert not (copy / ".git/hooks.before-smartcommit").exists()


def test_one_way_takes_the_place_of_another(place: Repo, git: str, tmp_path: Path, precommit: Framework) -> None:
    """Nothing runs twice, and at the end everything is as before."""
    own_hook(place, tmp_path / "log")
    before = snapshot(place.path)
    ways = ways_of(git)
    for way in (*ways, *reversed(ways)):
        assert main(install_args(way, precommit)) == 0, way
        place.git("add", "-A")
        assert count_checks(place) == 1, way
    assert (tmp_path / "log").read_text() == "own\n" * 2 * len(ways)
    assert main(["uninstall"]) == 0
    assert snapshot(place.path) == before


def test_worktrees_share_the_hooks(place: Repo, git: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "none")  # no environment is built
    before = snapshot(place.path)
    place.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    monkeypatch.chdir(tmp_path / "other")
    for way in ways_of(git):
        assert main(["install", way]) == 0
        assert main(["uninstall"]) == 0
    assert main(["install"]) == 0
    assert count_checks(place) == count_checks(Repo(tmp_path / "other")) == 1
    monkeypatch.chdir(place.path)
    assert main(["uninstall"]) == 0
    assert snapshot(place.path) == before
