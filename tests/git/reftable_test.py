"""What holds of splits and hooks holds under a later git with its references in a reftable, too."""

import json
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit, main
from smartcommit.split.outcome import DONE
from smartcommit.verdict import find_git_operation
from tests.git import transaction_refs_test as refs
from tests.git import transaction_test as files
from tests.split import situations_test as situations
from tests.support.commands import Command
from tests.support.repository import Repo
from tests.support.splitting import assert_sound

pytestmark = [pytest.mark.components, pytest.mark.usefixtures("reftable")]


@pytest.mark.parametrize("word", ["--yes", "undo"])
def test_a_split_and_its_undo_end_without_complaint(based: Repo, word: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert files.has_reftable(based)
    based.write("new.txt", "x\n")
    for each in ("--yes", "undo")[: 1 + (word == "undo")]:
        assert git_smart_commit([each, "--repo", str(based.path)]) == DONE
    assert capfd.readouterr().err == ""
    assert_sound(based)


@pytest.mark.parametrize("name", ["detached", "bisecting", "submodule_moved_on", "hostile_settings"])
def test_undo_restores_head_and_index(based: Repo, name: str) -> None:
    situations.test_every_situation_is_split_without_a_loss(based, name, "auto")


def test_a_linked_worktree_is_split_on_its_own_branch(based: Repo, tmp_path: Path) -> None:
    situations.test_a_linked_worktree_is_split_on_its_own_branch(based, tmp_path)


def test_another_branch_at_the_same_commit_refuses_the_split(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("switch", "-q", "-c", "side")
    files.test_what_another_process_does_meanwhile_refuses_the_split(based, monkeypatch, arguments, "another branch")


@pytest.mark.parametrize("fault", ["journal written", "refs moved", "index installed"])
def test_a_killed_split_is_old_or_complete_and_recovers(based: Repo, fault: str) -> None:
    files.test_a_killed_split_is_old_or_complete_and_recovers(based, fault, "after")


def test_a_lock_that_a_killed_git_left_is_named(based: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    files.test_a_lock_of_a_killed_git_is_named_in_errors(based, "branch", capfd)


@pytest.mark.parametrize("operation", ["merge", "cherry-pick", "revert"])
def test_an_operation_in_progress_is_refused_and_named(based: Repo, operation: str, tmp_path: Path) -> None:
    situations.test_an_operation_in_progress_is_refused_and_named(based, operation, tmp_path)


def test_the_message_of_a_revert_is_known_as_gits(based: Repo) -> None:
    based.git("update-ref", "REVERT_HEAD", "HEAD")
    assert find_git_operation(str(based.path / ".git")) == "a revert"


@pytest.mark.parametrize("cause", ["hook", "moved"])
def test_a_ref_that_cannot_move_refuses_everything(based: Repo, cause: str) -> None:
    refs.test_a_ref_that_cannot_move_refuses_everything(refs.make_branch(based), cause)


def test_refs_move_and_undo_moves_them_back(based: Repo) -> None:
    refs.test_refs_move_and_undo_moves_them_back(refs.make_branch(based), "loose")


# The repository is made with what the first one sets.
@pytest.mark.usefixtures("reftable", "inside")
@pytest.mark.parametrize("place", ["repository", "worktree", "unborn"])
def test_hooks_are_installed_found_and_removed(
    place: str, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smartcommit: Command
) -> None:
    if place != "unborn":
        repo.commit("feat: begin", {"a.py": "def a():\n    return 1\n"})
    if place == "worktree":
        repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
        repo = Repo(tmp_path / "linked")
    common = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip())
    assert files.has_reftable(Repo(common.parent))
    monkeypatch.chdir(repo.path)
    smartcommit("install")
    report = json.loads(smartcommit("doctor", "--json").out)
    found = [finding for finding in report["findings"] if finding["part"] == "hooks"]
    assert [finding["state"] for finding in found] == ["ok", "ok"], found
    for hook, finding in zip(("prepare-commit-msg", "commit-msg"), found, strict=True):
        assert finding["text"].startswith(f"{hook}, installed by 'smartcommit install', ")
    assert report["versions"]["git"] == "2.55.0"
    repo.stage({"new.py": "def new():\n    return 2\n"})
    repo.git("commit", "-q", env={"GIT_EDITOR": "true"})
    assert "new" in repo.message()
    assert repo.message().startswith(("feat", "chore"))
    assert repo.run("commit", "-q", "--allow-empty", "-m", "oops").returncode == 1
    assert main(["uninstall"]) == 0
    assert not (common / "hooks/commit-msg").exists()
    assert repo.run("commit", "-q", "--allow-empty", "-m", "oops").returncode == 0
