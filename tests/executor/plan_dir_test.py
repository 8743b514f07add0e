"""Where plans live, and what never follows a link or gets into a commit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from smartcommit.config import load
from smartcommit.errors import TaskPlanError
from smartcommit.executor.output import OutputCapture
from smartcommit.executor.plan_dir import PLANS, PlanFolder, create, find, list_folders, new_plan
from tests.support.agents import log_of, plan_in
from tests.support.repository import Repo


def test_locks_and_halves_of_files_are_kept_out_of_commits(based: Repo) -> None:
    folder = plan_in(based)
    for name in ("run.lock", "plan.json.17.new"):
        folder.write(name, b"x")
    based.git("add", "-A")
    assert sorted(based.git("diff", "--cached", "--name-only").split()) == [
        ".smartcommit/.gitignore", f"{PLANS}/{folder.name}/plan.json",
    ]  # fmt: skip


def test_the_ignored_names_of_others_stay(based: Repo) -> None:
    based.write(".smartcommit/.gitignore", "mine\n*.lock")
    plan_in(based)
    assert (based.path / ".smartcommit/.gitignore").read_text() == "mine\n*.lock\n*.new\n"


def test_a_policy_beside_the_plans_is_still_read(based: Repo) -> None:
    plan_in(based)
    based.write(".smartcommit/policy", "[smartcommit]\n\ttypes = feat\n")
    assert load(str(based.path)).words("types") == ("feat",)


def test_a_policy_file_in_the_folders_place_is_named_with_the_way_out(based: Repo) -> None:
    based.write(".smartcommit", "[smartcommit]\n")
    with pytest.raises(TaskPlanError) as refused:
        plan_in(based)
    assert "'.smartcommit' is a file" in str(refused.value)
    based.git("add", "-A")
    for command in refused.value.hint.partition("'")[2].partition("'")[0].split(" && "):  # type: ignore[union-attr]
        if command.startswith("git "):
            based.git(*command.split()[1:])
        else:
            (based.path / command.split()[1]).mkdir()
    assert plan_in(based).load().status == "not_started"
    assert (based.path / ".smartcommit/policy").read_text() == "[smartcommit]\n"


@pytest.mark.parametrize("linked", [".smartcommit", ".smartcommit/plans"])
def test_a_folder_that_is_a_link_is_not_written_behind(based: Repo, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (based.path / linked).parent.mkdir(exist_ok=True)
    (based.path / linked).symlink_to(outside)
    with pytest.raises(TaskPlanError, match="is a symbolic link"):
        plan_in(based)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", ["plan.json", "progress.log", "output.log"])
def test_a_pipe_in_a_files_place_is_refused_and_not_waited_at(based: Repo, name: str) -> None:
    folder = plan_in(based)
    path = Path(folder.path(name))
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(TaskPlanError, match="is not a regular file"):
        OutputCapture(folder).begin("t01", 1) if name == "output.log" else folder.write(name, b"")
    with pytest.raises(TaskPlanError, match="is not a regular file"):
        folder.read(path.name)


@pytest.mark.parametrize("name", ["plan.json", "progress.log"])
def test_a_file_that_is_a_link_is_neither_read_nor_written(based: Repo, tmp_path: Path, name: str) -> None:
    folder = plan_in(based)
    outside = tmp_path / "outside"
    outside.write_text("precious")
    Path(folder.path(name)).unlink(missing_ok=True)
    Path(folder.path(name)).symlink_to(outside)
    with pytest.raises(TaskPlanError, match="is a symbolic link"):
        folder.load() if name == "plan.json" else log_of(folder)
    with pytest.raises(TaskPlanError, match="is a symbolic link"):
        folder.write(name, b"x")
    assert outside.read_text() == "precious"


def test_names_are_kept_apart_and_found(based: Repo) -> None:
    first, second = plan_in(based, name="Add: the API!"), plan_in(based, name="add the api")
    assert [folder.name.partition("-")[2] for folder in (first, second)] == ["add-the-api", "add-the-api-2"]
    top = str(based.path)
    for wanted in (first.load().id, first.name, "add-the-api", f"{PLANS}/{first.name}", first.path("plan.json")):
        assert find(top, wanted).name == first.name
    with pytest.raises(TaskPlanError, match="'api' matches no plan; available plans: '"):
        find(top, "api")


def test_two_plans_of_one_name_are_both_named(based: Repo) -> None:
    top = str(based.path)
    for number in (1, 2):
        plan = new_plan(top, "x", tasks=[{"id": "t01", "title": "a"}])
        plan.id, plan.name = f"same{number}", "twin"
        create(top, plan)
    with pytest.raises(
        TaskPlanError, match="'twin' matches several plans; available plans: 'same1-twin', 'same2-twin'"
    ):
        find(top, "twin")


def test_a_folder_without_a_plan_is_none(based: Repo) -> None:
    based.write(f"{PLANS}/abc-empty/output.log")
    assert list_folders(str(based.path)) == []
    with pytest.raises(TaskPlanError, match="cannot read"):
        PlanFolder(str(based.path), "abc-empty").load()


@pytest.mark.parametrize("name", ["plan.json", "progress.log"])
def test_a_file_that_is_far_too_large_is_not_taken_in(based: Repo, name: str) -> None:
    folder = plan_in(based)
    with open(folder.path(name), "wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(TaskPlanError, match="is larger than 16 MiB"):
        folder.load() if name == "plan.json" else log_of(folder)
