"""Where plans live, and what never follows a link or gets into a commit."""

import json
import os
from pathlib import Path

import pytest

from smartcommit.config import load
from smartcommit.errors import TaskPlanError
from smartcommit.executor.plan_dir import PLANS, PlanFolder, ProgressLog, create, find, list_folders, new_plan
from tests.support.agents import plan_in
from tests.support.repository import Repo


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
def test_what_is_no_plain_file_is_neither_read_nor_written(based: Repo, tmp_path: Path, name: str) -> None:
    folder = plan_in(based)
    path, outside = Path(folder.path(name)), tmp_path / "outside"
    outside.write_text("precious")
    for make, said in (
        (lambda: path.symlink_to(outside), "is a symbolic link"),
        (lambda: os.mkfifo(path), "is not a regular file"),
    ):
        path.unlink(missing_ok=True)
        make()
        for use in (lambda: folder.read(name), lambda: folder.write(name, b""), lambda: folder.open_log(name, 1)):
            with pytest.raises(TaskPlanError, match=said):
                use()
    path.unlink()
    with path.open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(TaskPlanError, match="is larger than 4 MiB"):
        folder.read(name)
    assert outside.read_text() == "precious"


def test_an_event_is_a_line_of_json_beside_others_and_a_completion_is_taken_back(based: Repo) -> None:
    folder = plan_in(based)
    given = b'{"event": "plan_started", "data": {}}\nnoise\n\n[1]\n\xff\n{"torn": '
    folder.write("progress.log", given)
    log = ProgressLog(folder)
    for event in ("task_completed", "task_started", "task_completed", "plan_completed"):
        log.add(event, task_id="t01")
    log.revert_completion()
    content = Path(folder.path("progress.log")).read_bytes()
    assert content.startswith(given + b"\n{")
    added = [json.loads(line) for line in content[len(given) :].splitlines() if line]
    assert [line["event"] for line in added] == ["task_completed", "task_started"]
    assert all(set(line) == {"timestamp", "event", "data"} and line["data"] == {"task_id": "t01"} for line in added)


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
