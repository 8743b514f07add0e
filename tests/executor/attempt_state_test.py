"""What a later run makes of what an earlier one left: it goes on with its own work, and with nothing else."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.executor import run as runs
from smartcommit.executor.plan_dir import PlanFolder
from tests.executor.conftest import Execute, process
from tests.support.agents import WORKS, Agent, committed_plan, plan_in, work
from tests.support.repository import Repo

Make = Callable[..., Agent]
Shown = pytest.CaptureFixture[str]
# Kills the executor, and waits to be ended itself.
KILLS = "os.kill(int(open('../pid').read()), signal.SIGKILL); time.sleep(600)"


def kill(repo: Repo, agent: Agent, *arguments: str) -> None:
    """A run that its agent kills."""
    with process(repo, agent, *arguments, script="open('../pid', 'w').write(str(os.getpid()))") as run:
        assert run.wait(60) == -signal.SIGKILL


def test_a_dirty_run_that_is_completed_leaves_nothing_to_go_on_with(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    plan_in(based, "first", "second")
    agent = make_agent('open("base.txt", "a").write("more")')
    based.write("base.txt", "mine\n")
    assert execute(agent, "run", "--allow-dirty") == 0
    assert runs.load(str(based.path / ".git")) is None
    assert execute(agent) == 1
    assert "no plan to run" in capsys.readouterr().err
    assert based.subjects() == ["chore: base"]


@pytest.mark.parametrize("ending", ["sys.exit(1)", KILLS])
def test_what_was_changed_before_a_dirty_run_is_not_committed_by_the_next(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown, ending: str
) -> None:
    plan_in(based, "first")
    based.write("base.txt", "mine\n")
    agent = make_agent(f'write("half"); write("base.txt", "both"); {ending}')
    arguments = ("run", "--allow-dirty", "--attempts", "1")
    if ending == KILLS:
        kill(based, agent, *arguments)
    else:
        assert execute(agent, *arguments) == 1
    assert execute(make_agent(), "resume") == 1
    assert "changes that do not belong to this plan: 'base.txt', 'half'\n" in capsys.readouterr().err
    based.git("checkout", "base.txt")
    (based.path / "half").unlink()
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(based)) == ["base.txt", "t01"]


TAKES_BACK = 'if task == "t02" and call == 1: git("reset", "-q", "--hard", "HEAD~1"); '


@pytest.mark.parametrize("ending", ["sys.exit(1)", "pass", KILLS])
def test_commits_that_an_agent_took_back_are_missed_however_it_ends(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown, ending: str
) -> None:
    plan_in(based, "first", "second")
    based.write(
        ".git/hooks/post-commit",
        "#!/bin/sh\ncase $(git log -1 --format=%s) in *t01*) git rev-parse HEAD > ../lost;; esac\n",
        executable=True,
    )
    agent = make_agent(f"if call == 2: sys.exit(2)\n{TAKES_BACK}{ending}\n{WORKS}")
    if ending == KILLS:
        kill(based, agent)
    else:
        assert execute(agent) == 1
        assert "commits were removed during the run" in capsys.readouterr().err
    lost = (based.path / "../lost").read_text().strip()
    assert (len(agent.prompts), based.subjects()) == (2, ["chore: base"])
    for _ in range(2):
        assert execute(make_agent(), "resume") == 1
        hint = f"HEAD was at {lost[:12]}\nhint: run 'git stash -u' and 'git reset --hard {lost[:12]}' to restore them"
        assert hint in capsys.readouterr().err
    based.git("stash", "-u")
    based.git("reset", "--hard", lost)
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(based)) == ["base.txt", "t01", "t02"]
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


@pytest.mark.parametrize("ending", ["sys.exit(1)", "pass", KILLS])
def test_nothing_is_committed_to_a_branch_that_an_agent_changed_to(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown, ending: str
) -> None:
    plan_in(based, "first")
    agent = make_agent(f'git("checkout", "-q", "-b", "other"); {ending}')
    if ending == KILLS:
        kill(based, agent)
    else:
        assert execute(agent, "run", "--attempts", "1") == 1
    capsys.readouterr()
    assert execute(make_agent(), "resume") == 1
    assert (
        "started on the branch 'main', but the branch 'other' is checked out\nhint: run 'git checkout main'"
        in capsys.readouterr().err
    )
    based.git("checkout", "main")
    assert execute(make_agent(), "resume") == 0
    assert based.git("log", "--format=%s", "main..other") == ""
    assert sorted(work(based)) == ["base.txt", "t01"]


def test_an_agent_that_detaches_head_is_told_so(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    agent = make_agent(
        f'if attempt == 1: git("checkout", "-q", "--detach")\nelse: git("checkout", "-q", "main"); {WORKS}'
    )
    assert execute(agent) == 0
    assert "a detached HEAD is checked out instead of the branch 'main'" in agent.prompts[1]


def test_what_a_person_does_to_the_history_after_a_failure_is_theirs(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first", "second")
    agent = make_agent(f'if task == "t02": sys.exit(1)\n{WORKS}')
    assert execute(agent, "run", "--attempts", "1") == 1
    based.git("checkout", "-q", "-b", "mine")
    based.git("commit", "-q", "--amend", "-m", "feat: add the first")
    assert execute(make_agent(), "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add the first", "feat: add t02"]


AMENDS = 'git("commit", "-q", "--amend", "-m", "feat: take back")'


def test_a_commit_that_a_person_amends_after_a_kill_is_not_gone_on_from(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    plan_in(based, "first", "second")
    kill(based, make_agent(f'if task == "t02": write("t02", "half"); {KILLS}\n{WORKS}'))
    lost = based.git("rev-parse", "HEAD").strip()
    based.git("commit", "-q", "--amend", "-m", "feat: add the first")
    assert execute(make_agent(), "resume") == 1
    assert f"'git reset --hard {lost[:12]}' to restore them" in capsys.readouterr().err
    assert based.subjects() == ["chore: base", "feat: add the first"]
    assert (based.path / "t02").read_text() == "half"
    based.git("stash", "-u")
    based.git("reset", "-q", "--hard", lost)
    assert execute(make_agent(), "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


@pytest.mark.parametrize(
    "ending",
    [
        AMENDS,
        f"{AMENDS}; sys.exit(1)",
        f'git("reset", "-q", "--soft", "HEAD~2"); {AMENDS}; {KILLS}',
        f'git("reset", "-q", "HEAD~1"); git("add", "t01"); git("commit", "-qm", "feat: mine"); {KILLS}',
        f'git("checkout", "-q", "--orphan", "other"); git("commit", "-qm", "feat: mine"); {KILLS}',
    ],
)
def test_an_agent_that_amends_a_commit_stops_the_run(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown, ending: str
) -> None:
    based.commit("chore: more")
    plan_in(based, "first", "second")
    agent = make_agent(f'if task == "t02": {ending}\n{WORKS}')
    if KILLS in ending:
        kill(based, agent)
    else:
        assert execute(agent, "run", "--attempts", "1") == 1
    capsys.readouterr()
    assert execute(make_agent(), "resume") == 1
    hint = capsys.readouterr().err
    assert "git reset --hard" in hint or "git checkout main" in hint


@pytest.fixture
def unsigned(based: Repo, make_agent: Make, execute: Execute) -> PlanFolder:
    """A plan whose run was stopped at the commit of its first task, which can be made now."""
    folder = plan_in(based, "first", "second")
    based.git("config", "commit.gpgSign", "true")
    based.git("config", "gpg.program", "false")
    assert execute(make_agent()) == 1
    based.git("config", "--unset", "commit.gpgSign")
    return folder


@pytest.mark.parametrize("path", ["mine.txt", "base.txt"])
def test_a_commit_that_is_made_late_takes_nothing_of_a_person(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown, unsigned: PlanFolder, path: str
) -> None:
    based.write(path, "mine\n")
    assert execute(make_agent(), "resume") == 1
    assert f"changes that do not belong to this plan: '{path}'\n" in capsys.readouterr().err
    assert based.subjects() == ["chore: base"]
    based.git("stash", "-u", "--", path)
    late = make_agent()
    assert execute(late, "resume") == 0
    assert sorted(work(based)) == ["base.txt", "t01", "t02"]
    assert len(late.prompts) == 1


def test_what_a_person_changes_in_a_plan_after_a_stop_is_kept(
    based: Repo, make_agent: Make, execute: Execute, unsigned: PlanFolder
) -> None:
    path = Path(unsigned.path("plan.json"))
    path.write_text(path.read_text().replace('"second"', '"another"'))
    agent = make_agent()
    assert execute(agent, "resume") == 0
    assert "## Task t02: another" in agent.prompts[0]
    assert committed_plan(based, unsigned).tasks[1].title == "another"


@pytest.mark.parametrize("content", ["not json", "edited", None])
def test_what_a_killed_run_left_of_the_plan_is_not_gone_on_with(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown, content: str | None
) -> None:
    folder = plan_in(based, "first", "second")
    path = Path(folder.path("plan.json"))
    original = path.read_text()
    kill(based, make_agent(KILLS))
    if content is None:
        shutil.rmtree(based.path / ".smartcommit")
    else:
        path.write_text(original.replace('"second"', '"another"') if content == "edited" else content)
        agent = make_agent()
        assert execute(agent, "resume") == 1
        assert f"'{folder.place}' was changed by the agent, or since" in capsys.readouterr().err
        assert agent.prompts == []
        path.rename(based.path / "../aside")
    assert execute(make_agent(), "resume") == 0
    assert [task.title for task in committed_plan(based, folder).tasks] == ["first", "second"]
    assert f"'{folder.place}' was deleted; restored it" in capsys.readouterr().out


def test_nothing_is_said_of_a_plan_that_is_as_it_was(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    folder = plan_in(based, "first")
    kill(based, make_agent(KILLS))
    assert execute(make_agent(), "resume", folder.name) == 0
    assert "plan.json" not in capsys.readouterr().out


def test_another_plan_waits_for_the_one_that_was_cut_off(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    one, _ = plan_in(based, "first", name="one"), plan_in(based, "first", name="two")
    kill(based, make_agent(KILLS), "run", "one")
    agent = make_agent()
    assert execute(agent, "run", "two") == 1
    assert f"a run of plan '{one.name}' was interrupted\nhint: run 'smartcommit execute resume {one.name}' first" in (
        capsys.readouterr().err
    )
    assert (agent.prompts, based.subjects()) == ([], ["chore: base"])
    assert execute(agent, "resume") == 0
    assert execute(make_agent('write("other")'), "run", "two") == 0
    assert committed_plan(based, one).status == "completed"


def test_status_says_of_a_run_that_is_over_how_it_ended(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    folder = plan_in(based, "first", "second")
    task = "task t01 first, attempt 1: "
    for agent, said in (
        (make_agent(KILLS), "interrupted"),
        (make_agent("sys.exit(1)"), "failed"),
        (make_agent('write(".git/refs/heads/main.lock")'), "interrupted before"),
    ):
        with process(
            based, agent, "run", "--attempts", "1", script="open('../pid', 'w').write(str(os.getpid()))"
        ) as run:
            assert run.wait(60) != 0
        assert execute(agent, "status") == 0
        assert f"no plan is running\nplan '{folder.name}': 0/2 tasks completed\n{task}{said}" in (
            capsys.readouterr().out
        )


def test_a_plan_that_failed_and_was_deleted_is_not_asked_for_any_more(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    folder = plan_in(based, "first", name="gone")
    assert execute(make_agent("sys.exit(1)"), "run", "--attempts", "1") == 1
    shutil.rmtree(folder.path())
    capsys.readouterr()
    assert execute(make_agent(), "status") == 0
    assert capsys.readouterr().out == "no plan is running\n"
    plan_in(based, "first", name="new")
    assert execute(make_agent()) == 0
    assert based.subjects() == ["chore: base", "feat: add t01"]


def test_a_plan_that_cannot_be_read_does_not_keep_another_from_being_run(
    based: Repo, make_agent: Make, execute: Execute, capsys: Shown
) -> None:
    broken = plan_in(based, "first", name="broken")
    plan_in(based, "first", name="whole")
    broken.write("plan.json", b"{")
    assert execute(make_agent()) == 0
    assert f"'{broken.place}' is not JSON\n" in capsys.readouterr().err
    assert based.subjects() == ["chore: base", "feat: add t01"]
