"""Running plans in tests, in this process and as a process of its own."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.agents import WORKS, Agent
from tests.support.commands import Command
from tests.support.repository import Repo

# In an agent's script: kills the executor, and waits to be ended itself.
KILLS = "os.kill(int(open('../pid').read()), signal.SIGKILL); time.sleep(600)"
# A token, and how agents say it without saying it.
TOKEN = "ghp_" + "a1B2" * 9
SECRET = 'secret = "gh" + "p_" + "a1B2" * 9\n'


@dataclass
class Done:
    agent: Agent
    out: str
    err: str

    @property
    def prompts(self) -> list[str]:
        return self.agent.prompts


Run = Callable[..., Done]
Copies = Callable[[str], Repo]


@pytest.fixture
def make_agent(tmp_path: Path) -> Callable[..., Agent]:
    made: list[Agent] = []

    def make(script: str = WORKS) -> Agent:
        made.append(Agent(tmp_path / f"agent{len(made)}", script))
        return made[-1]

    return make


@pytest.fixture
def run(make_agent: Callable[..., Agent], monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> Run:
    """Runs `smartcommit execute` by an agent or its script, in the current directory; it must exit with `status`.

    An agent that kills the executor runs in a process of its own.
    """

    def execute(agent: Agent | str = WORKS, *arguments: str, status: int = 0) -> Done:
        if isinstance(agent, str):
            agent = make_agent(agent)
        if KILLS in agent.path.read_text():
            with process(Repo(Path.cwd()), agent, *arguments) as killed:
                assert killed.wait(60) == -signal.SIGKILL
            return Done(agent, "", "")
        monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
        return Done(agent, *smartcommit("execute", *(arguments or ("run",)), status=status))

    return execute


@pytest.fixture
def project(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(based.path)
    return based


@pytest.fixture
def copy(project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copies:
    """Makes copies of that repository, each of which becomes the current directory."""

    def make(name: str) -> Repo:
        place = tmp_path / "copies" / name / "repo"
        shutil.copytree(project.path, place, symlinks=True)
        monkeypatch.chdir(place)
        return Repo(place)

    return make


def process(repo: Repo, agent: Agent, *arguments: str, script: str = "") -> subprocess.Popen[bytes]:
    """The same as a process, after Python `script`, in a session of its own and with Ctrl-C as on a terminal.

    Its id is in `../pid`.
    """
    code = (
        "import os, signal, sys\nfrom smartcommit.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\nopen('../pid', 'w').write(str(os.getpid()))\n"
        f"{script}\nsys.exit(main(sys.argv[1:]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, "execute", *(arguments or ("run",)), "--agent", str(agent.path)],
        cwd=repo.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, env=environment(),
    )  # fmt: skip


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}
