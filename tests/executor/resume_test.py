"""What a later run makes of what an earlier one left: it goes on with its own work, and with nothing else."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from smartcommit.executor import state
from tests.executor.conftest import Execute, process
from tests.support.agents import Agent, plan_in, work
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
    assert state.load(str(based.path / ".git")) is None
    assert execute(agent) == 1
    assert "there is no plan to run" in capsys.readouterr().err
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
    assert "changes that are not this plan's: 'base.txt'\n" in capsys.readouterr().err
    based.git("checkout", "base.txt")
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(based)) == ["base.txt", "half", "t01"]
