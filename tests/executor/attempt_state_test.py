"""What a later run makes of what an earlier one left: it goes on with its own work, and with nothing else."""

import shutil
from pathlib import Path

import pytest

from tests.executor.conftest import KILLS, TOKEN, Run
from tests.support.agents import WORKS, committed_plan, events, plan_in, work
from tests.support.repository import Repo


@pytest.mark.parametrize("ending", ["sys.exit(1)", KILLS])
def test_what_was_changed_before_a_dirty_run_is_not_committed_by_the_next(project: Repo, run: Run, ending: str) -> None:
    plan_in(project, "first")
    project.write("base.txt", "mine\n")
    script = f'write("half"); write("base.txt", "both"); {ending}'
    run(script, "run", "--allow-dirty", "--attempts", "1", status=1)
    said = run(WORKS, "resume", status=1).err
    assert "changes that do not belong to this plan: 'base.txt', 'half'\n" in said
    project.git("checkout", "base.txt")
    (project.path / "half").unlink()
    run(WORKS, "resume")
    assert sorted(work(project)) == ["base.txt", "t01"]


AMENDS = 'git("commit", "-q", "--amend", "-m", "feat: take back")'
TAKES_BACK = {
    "resets": 'git("reset", "-q", "--hard", "HEAD~1")',
    "amends": AMENDS,
    "squashes": f'git("reset", "-q", "--soft", "HEAD~2"); {AMENDS}',
    "commits again": 'git("reset", "-q", "HEAD~1"); git("add", "t01"); git("commit", "-qm", "feat: mine")',
}


@pytest.mark.parametrize("ending", ["sys.exit(1)", "pass", KILLS])
@pytest.mark.parametrize("takes", TAKES_BACK.values(), ids=TAKES_BACK)
def test_commits_that_an_agent_took_back_are_noticed(project: Repo, run: Run, takes: str, ending: str) -> None:
    project.commit("chore: more")
    plan_in(project, "first", "second")
    project.write(
        ".git/hooks/post-commit",
        "#!/bin/sh\ncase $(git log -1 --format=%s) in *t01*) git rev-parse HEAD > ../lost;; esac\n",
        executable=True,
    )
    done = run(f'{WORKS}\nif task == "t02":\n {takes}\n {ending}', status=1)
    lost = (project.path / "../lost").read_text().strip()
    assert len(done.prompts) == 2
    for _ in range(2):
        said = run(WORKS, "resume", status=1).err
        hint = f"HEAD was at {lost[:12]}\nhint: run 'git stash -u' and 'git reset --hard {lost[:12]}' to restore them"
        assert f"commits were removed during the run: {hint}" in said
    project.git("stash", "-u")
    project.git("reset", "--hard", lost)
    run(WORKS, "resume")
    assert sorted(work(project)) == ["base.txt", "t01", "t02"]
    assert project.subjects()[2:] == ["feat: add t01", "feat: add t02"]


@pytest.mark.parametrize("ending", ["sys.exit(1)", "pass", KILLS])
@pytest.mark.parametrize("option", ["-b", "--orphan"])
def test_nothing_is_committed_to_an_agents_own_branch(project: Repo, run: Run, option: str, ending: str) -> None:
    plan_in(project, "first")
    run(f'git("checkout", "-q", "{option}", "other"); {ending}', "run", "--attempts", "1", status=1)
    said = "started on the branch 'main', but the branch 'other' is checked out\nhint: run 'git checkout main'"
    assert said in run(WORKS, "resume", status=1).err
    project.git("checkout", "main")
    run(WORKS, "resume")
    assert project.subjects("--all") == ["chore: base", "feat: add t01"]
    assert sorted(work(project)) == ["base.txt", "t01"]


def test_a_commit_that_a_person_amends_after_a_kill_is_not_gone_on_from(project: Repo, run: Run) -> None:
    plan_in(project, "first", "second")
    run(f'if task == "t02": write("t02", "half"); {KILLS}\n{WORKS}')
    lost = project.git("rev-parse", "HEAD").strip()
    project.git("commit", "-q", "--amend", "-m", "feat: add the first")
    assert f"'git reset --hard {lost[:12]}' to restore them" in run(WORKS, "resume", status=1).err
    assert project.subjects() == ["chore: base", "feat: add the first"]
    assert (project.path / "t02").read_text() == "half"


def test_a_commit_that_a_person_makes_after_a_kill_is_kept(project: Repo, run: Run) -> None:
    """Whoever made it: a secret in it is told once, and the user decides."""
    plan_in(project, "first")
    run(f'write("half"); {KILLS}')
    mine = project.commit("feat: mine", {"mine.txt": TOKEN})
    refused = run(WORKS, "resume", status=1)
    assert "'mine.txt' contains a secret (github token)" in refused.err
    assert f"in commit {mine[:12]}; run 'git reset --soft" in refused.err
    assert refused.prompts == []
    said = run('git("reset", "-q", "--soft", "HEAD~1")', "resume", status=1).err
    assert f"commits were removed during the run: HEAD was at {mine[:12]}" in said
    project.git("reset", "-q", "--hard", mine)
    run(WORKS, "resume")
    assert project.subjects() == ["chore: base", "feat: mine", "feat: add t01"]


@pytest.mark.parametrize("content", ["{", "edited", "as it was", None])
def test_a_plan_that_differs_since_a_kill_is_not_gone_on_with(project: Repo, run: Run, content: str | None) -> None:
    folder = plan_in(project, "first", "second")
    path = Path(folder.path("plan.json"))
    original = path.read_text()
    run(KILLS)
    if content is None:
        shutil.rmtree(project.path / ".smartcommit")
    elif content != "as it was":
        path.write_text(content.replace("edited", original.replace('"second"', '"another"')))
        refused = run(WORKS, "resume", status=1)
        assert f"'{folder.place}' " in refused.err
        assert refused.prompts == []
        path.rename(project.path / "../aside")
    assert "t01 was interrupted; starting it again" in run(WORKS, "resume").out
    plan = committed_plan(project, folder)
    assert [(task.title, task.attempts) for task in plan.tasks] == [("first", 1), ("second", 1)]
    assert content is None or "task_interrupted" in events(folder)


def test_another_plan_waits_for_the_one_that_was_cut_off(project: Repo, run: Run) -> None:
    one, _ = plan_in(project, "first", name="one"), plan_in(project, "first", name="two")
    run(KILLS, "run", "one")
    refused = run(WORKS, "run", "two", status=1)
    said = f"a run of plan '{one.name}' was interrupted\nhint: run 'smartcommit execute resume {one.name}' first"
    assert said in refused.err
    assert (refused.prompts, project.subjects()) == ([], ["chore: base"])
    run(WORKS, "resume")
    run('write("other")', "run", "two")
    assert committed_plan(project, one).status == "completed"


def test_a_plan_that_failed_and_was_deleted_or_cannot_be_read_is_not_asked_for(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first", name="gone")
    run("sys.exit(1)", "run", "--attempts", "1", status=1)
    shutil.rmtree(folder.path())
    broken = plan_in(project, "first", name="broken")
    plan_in(project, "first", name="whole")
    broken.write("plan.json", b"{")
    assert f"'{broken.place}' is not JSON\n" in run().err
    assert project.subjects() == ["chore: base", "feat: add t01"]
