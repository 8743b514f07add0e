"""Running plans in tests, in this process and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.conftest import ROOT
from tests.support.agents import WORKS, Agent
from tests.support.repository import Repo

Execute = Callable[..., int]


@pytest.fixture
def make_agent(tmp_path: Path) -> Callable[..., Agent]:
    """Makes agents from scripts."""
    made: list[Agent] = []

    def make(script: str = WORKS) -> Agent:
        made.append(Agent(tmp_path / f"agent{len(made)}", script))
        return made[-1]

    return make


@pytest.fixture
def execute(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Execute:
    """`smartcommit execute`, run in the repository with one commit; the agent is the first argument."""
    monkeypatch.chdir(based.path)

    def run(agent: Agent, *arguments: str) -> int:
        monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
        return main(["execute", *(arguments or ("run",))])

    return run


def process(repo: Repo, agent: Agent, *arguments: str, script: str = "") -> subprocess.Popen[bytes]:
    """The same as a process, after Python `script`, in a session of its own and with Ctrl-C as on a terminal."""
    ctrl_c = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"import os, signal, sys\nfrom smartcommit.cli import main\n{ctrl_c}\n{script}\nsys.exit(main(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-c", code, "execute", *(arguments or ("run",)), "--agent", str(agent.path)],
        cwd=repo.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, env=environment(),
    )  # fmt: skip


def environment() -> dict[str, str]:
    """What finds this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}
