"""Plans in jj: a change per task, with the mark of its task, and nothing of what is refused."""

import json
import os
import random
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client

from tests.conftest import ROOT
from tests.executor.conftest import KILLS, SECRET, TOKEN, Run
from tests.jj.split_test import wait_for_jj
from tests.mcp.planner_test import talk
from tests.support.agents import WORKS, Agent
from tests.support.commands import Command
from tests.support.kills import KILLED, Kills
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.workspace import Workspace

pytestmark = pytest.mark.components
PLAN = "feat(shop): add a cart\n\nConstraints: none\n\nTasks [ ]:\n- [ ] add items: of any kind\n- [ ] add a total\n"
FINISHED = PLAN.replace("[ ]", "[x]").replace("Tasks [x]", "Tasks [X]")
BASE, ITEMS, TOTAL = (
    ("chore: base", ["base"]),
    ("feat: add add-items", ["add-items"]),
    ("feat: add add-a-total", ["add-a-total"]),
)
UNDO = """import shlex
steps = re.search("run '(jj op restore .*)' and then '(jj restore .*)', which", prompt)
for step in steps.groups() if steps else []: subprocess.run(shlex.split(step), check=True)
"""


@pytest.fixture(params=["--colocate", "--no-colocate"])
def work(
    request: pytest.FixtureRequest, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workspace:
    """A workspace with a plan, in which the current directory is; `workspace` puts jj on PATH."""
    made = Workspace.init(tmp_path / "work", request.param)
    (made.path / "base").write_text("base\n")
    made.describe("chore: base")
    made.jj("new")
    made.describe(PLAN)
    monkeypatch.chdir(made.path)
    return made


def line(work: Workspace) -> list[tuple[str, list[str]]]:
    """The header and the files of each change, and at the end those that are not in one yet."""
    template = (
        '"[" ++ json(self.description().first_line()) ++ "," ++ json(self.diff().files().map(|f| f.path())) ++ "]\\n"'
    )
    listing = work.jj("log", "--reversed", "--no-graph", "-r", "::@ ~ root()", "-T", template)
    return [(header, sorted(files)) for header, files in map(json.loads, listing.splitlines())]


def objects(work: Workspace) -> str:
    store = work.jj("git", "root", "--ignore-working-copy").strip()
    return (
        Repo(work.path)
        .run("--git-dir", store, "cat-file", "--batch-all-objects", "--batch")
        .stdout.decode(errors="replace")
    )


def test_a_client_makes_a_plan_that_is_run_checked_and_split(work: Workspace, run: Run, smartcommit: Command) -> None:
    work.describe("")

    async def plan(client: Client) -> None:
        tasks = [{"summary": "add items", "details": "of any kind"}, {"summary": "add a total"}]
        goal = {"type": "feat", "scope": "shop", "summary": "add a cart"}
        for tool, arguments in (("start_planning", goal), ("set_tasks", {"tasks": tasks})):
            assert not (await client.call_tool(tool, arguments)).is_error

    talk(work, plan, era="auto")
    done = run('write(task); suggest("feat: add items") if task == "add-items" else print("done")')
    assert ["of any kind" in prompt for prompt in done.prompts] == [True, False]
    header = "feat(shop): add a total"
    assert line(work) == [
        BASE,
        ("feat: add items", ["add-items"]),
        (header, ["add-a-total"]),
        ("feat(shop): add a cart", []),
    ]
    assert work.description == FINISHED
    if (work.path / ".git").exists():
        assert Repo(work.path).subjects()[-1] == header
    (work.path / "README.md").write_text("# Shop\n")
    (work.path / "add-items").write_text("other\n")
    smartcommit("split", "--yes")
    assert (len(line(work)), line(work)[-1]) == (6, ("feat(shop): add a cart", []))
    assert "6 changes checked, 0 exempt, 0 rejected" in smartcommit("check", "--jj", "all()").err


def test_what_is_refused_is_kept_nowhere_and_the_next_attempt_is_told(work: Workspace, run: Run) -> None:
    refused = run(f'{SECRET}write("conf", secret)', "run", "--attempts", "1", status=1)
    assert "'conf' contains a secret (github token); remove it, or list the file in .gitignore" in refused.err
    assert "smartcommit execute resume @" in refused.err
    done = run(f'if "contains a secret" in prompt: os.remove("conf")\n{WORKS}', "resume")
    assert line(work) == [BASE, ITEMS, TOTAL, ("feat(shop): add a cart", [])]
    assert TOKEN not in objects(work)
    assert len(done.prompts) == 2


COMMITS = {
    "jj": 'write("w"); subprocess.run(["jj", "commit", "--quiet", "-m", "feat: mine"], check=True); write("v")',
    "git": 'write("w"); git("add", "w"); git("commit", "-qm", "feat: mine"); write("v")',
}


@pytest.mark.parametrize("ending", ["", KILLS])
@pytest.mark.parametrize("kind", COMMITS)
def test_commits_of_an_agent_are_undone_and_files_stay(work: Workspace, run: Run, kind: str, ending: str) -> None:
    if kind == "git" and not (work.path / ".git").exists():
        return
    told = run(f"{COMMITS[kind]}; {ending}", "run", "--attempts", "1", status=1).err
    if ending and kind == "jj":
        told = run(WORKS, "resume", status=1).err
    if told:
        assert "the change with the plan was committed or edited; run 'jj op restore " in told
        (work.path / "v").write_text("edited since\n")
        work.jj("status")
        for step in told.split("'")[1:4:2]:
            work.jj(*shlex.split(step)[1:])
            assert (work.path / "v").read_text() == "edited since\n"
    # Nothing has told jj of git's commit before the next attempt.
    done = run(f"{UNDO}{WORKS}", "resume")
    assert ("and is back in its place" in done.prompts[0]) == bool(told and not ending)
    assert not told or "op restore" not in done.prompts[0]
    first, *made, plan = line(work)
    assert (first, len(made), plan) == (BASE, 2, ("feat(shop): add a cart", []))
    assert "feat: mine" not in [header for header, _ in made]
    assert {"v", "w", "add-a-total"} <= {*made[0][1], *made[1][1]}


def test_an_agents_marks_count_for_nothing_and_what_jj_leaves_out_fails_it(work: Workspace, run: Run) -> None:
    marked = FINISHED.replace("Tasks [X]", "Tasks [ ]")
    marks = f'subprocess.run(["jj", "describe", "--quiet", "--stdin"], input={marked!r}, text=True, check=True)'
    done = run(
        f'write("big", "x" * 3000000) if attempt == 1 else os.path.exists("big") and os.remove("big")\n{marks}; {WORKS}'
    )
    assert ["jj does not record 'big': see its settings" in prompt for prompt in done.prompts] == [
        False,
        True,
        False,
        True,
    ]
    assert line(work) == [BASE, ITEMS, TOTAL, ("feat(shop): add a cart", [])]


def test_another_change_with_a_plan_is_run_by_its_name(work: Workspace, run: Run) -> None:
    name = work.jj("log", "--no-graph", "-r", "@", "-T", "change_id.short()")
    work.jj("new", "@-")
    (work.path / "mine").write_text("mine\n")
    assert "'nosuch' names neither a plan in this tree nor one change" in run(WORKS, "run", "nosuch", status=1).err
    run(WORKS, "run", name)
    assert line(work) == [BASE, ITEMS, TOTAL, ("feat(shop): add a cart", [])]
    assert "mine" in work.jj("log", "--no-graph", "-r", "heads(all())", "-T", "self.diff().files().map(|f| f.path())")
    (work.path / "more").write_text("more\n")
    work.describe(PLAN)
    assert "changes that do not belong to this plan: 'more'\nhint: run 'smartcommit split'" in run(WORKS, status=1).err


def test_a_run_killed_at_any_step_loses_nothing_and_does_no_task_twice(
    work: Workspace, tmp_path: Path, make_agent: Callable[..., Agent]
) -> None:
    agent = make_agent('write(task, "half"); write(task, f"whole of {task}"); suggest(f"feat: add {task}")')
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SMARTCOMMIT_AGENT": str(agent.path)}
    kills = Kills(work.path, tmp_path / "killed", environment)
    chance, steps = random.Random(1), 400
    try:
        for number in range(repeat(fast=3, full=10)):
            place = Workspace(kills.copy(str(number)))
            step = chance.randrange(1, steps)
            status = kills.run(place.path, "run", step=step)
            if status == 0:
                steps = step
            else:
                assert status == KILLED
            wait_for_jj(place)
            assert kills.run(place.path, "run") == 0, (step, (place.path / "../shown").read_text())
            assert line(place) == [BASE, ITEMS, TOTAL, ("feat(shop): add a cart", [])], step
            assert place.description == FINISHED
            assert (place.path / "add-items").read_text() == "whole of add-items"
    finally:
        kills.close()
