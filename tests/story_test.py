"""The way from a plan to a push in docs/agents.md: every command of it, in a clone that can be pushed."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from smartcommit.commands import demo
from tests.conftest import ROOT
from tests.support.agents import Agent
from tests.support.components import component
from tests.support.documentation import find_blocks, run_shell, to_pattern
from tests.support.installation import Installation
from tests.support.repository import Repo

PAGE = ROOT / "docs" / "agents.md"
(CHECKLIST,) = find_blocks(PAGE, "markdown")
(EDITS,) = find_blocks(PAGE, "diff")
CONSOLES = find_blocks(PAGE, "console")
GIT, JJ = "From a plan to a push", "From a plan to a push in jj"
# These follow what the person has edited; without '--yes', they show a plan, and exit with a status of their own.
PLANNED = {"git smart-commit": 4, "smartcommit split --yes": 0}
FORMAT = '''

def format_price(cents):
    """A price as a customer reads it.

    >>> format_price(1205)
    '12.05 EUR'
    """
    return "%d.%02d EUR" % (cents // 100, cents % 100)
'''
EDIT = {"type": "tool_use", "name": "Edit", "input": {"file_path": "shop/cart.py"}}
# Does the first task, and nothing in the second one.
CLAUDE = f"""
import json
def say(part):
    print(json.dumps({{"type": "assistant", "message": {{"content": [part]}}}}), flush=True)
def tell(text):
    say({{"type": "text", "text": text}})
if call == 0:
    say({json.dumps(EDIT)})
    open("shop/cart.py", "a").write({FORMAT!r})
    tell("SUGGESTED_COMMIT_MESSAGE: feat(cart): format prices")
else:
    tell("README.md says so already.")
print(json.dumps({{"type": "result"}}))
"""


@pytest.fixture
def remote(repo: Repo, tmp_path: Path, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The bare repository of the demo's project; our commands are on PATH, and a script in place of `claude`."""
    for message, files in demo.HISTORY.items():
        repo.commit(message, files)
    bare = Repo.init(tmp_path / "remote", "--bare")
    repo.git("push", "-q", str(bare.path), "main")
    agent = Agent(tmp_path / "agent", CLAUDE)
    agent.path.rename(agent.path.with_name("claude"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(agent.path.parent), str(installation.bin), os.environ["PATH"]]))
    return bare


def run(command: str, directory: Path) -> str:
    """Run a command of a shell, which must end as it should, and return what it prints."""
    done = run_shell(command, directory)
    assert done.returncode == PLANNED.get(command, 0), done.stdout
    return done.stdout.rstrip("\n")


def follow(chapter: str, clone: Path) -> None:
    """Run every command of a chapter, and compare what it prints with what is shown."""
    for block in CONSOLES:
        if block.chapter != chapter:
            continue
        for command, shown in block.commands:
            if command in PLANNED:
                subprocess.run(["git", "apply"], cwd=clone, input=EDITS.text, text=True, check=True)
            printed = run(command, clone)
            assert re.fullmatch(to_pattern(shown), printed), f"{command}\n{printed}"


def test_what_is_told_leads_from_a_plan_to_a_push(remote: Repo, tmp_path: Path) -> None:
    run(f"git clone -q {remote.path} shop", tmp_path)
    clone = Repo(tmp_path / "shop")
    clone.write("prices.md", CHECKLIST.text)
    follow(GIT, clone.path)
    assert remote.subjects("main")[3:] == [
        "docs: plan how prices are shown",
        "feat(cart): format prices",
        "[rafa] Complete task t02: Describe the cart",
        "build: bump requests from 2.31.0 to 2.32.3",
        "test: add tests for cart",
    ]
    assert clone.git("status", "--porcelain") == ""


@pytest.fixture
def jj(monkeypatch: pytest.MonkeyPatch) -> None:
    """jj on PATH, with a git that it can clone and push with: 2.41 or newer."""
    folders = [os.path.dirname(component("jj")), os.path.dirname(component("git-2.55", "git"))]
    monkeypatch.setenv("PATH", os.pathsep.join([*folders, os.environ["PATH"]]))


@pytest.mark.components
@pytest.mark.usefixtures("jj")
@pytest.mark.parametrize("shared", ["--colocate", "--no-colocate"])
def test_in_jj_it_leads_there_as_well(remote: Repo, tmp_path: Path, shared: str) -> None:
    run(f"jj git clone --quiet {shared} {remote.path} shop", tmp_path)
    clone = tmp_path / "shop"
    follow(JJ, clone)
    assert remote.subjects("main")[3:] == [
        "feat(cart): format prices", "build: bump requests from 2.31.0 to 2.32.3", "test: add tests for cart",
    ]  # fmt: skip
    assert run("jj log --no-graph -r 'main..@' -T 'if(empty, \"empty\") ++ description'", clone) == "empty"
    assert "test_cents_have_two_digits" in (clone / "tests/test_cart.py").read_text()


@pytest.mark.components
@pytest.mark.usefixtures("jj", "remote")
def test_the_page_on_the_planner_is_enough_to_run_a_plan_in_a_fresh_repository(tmp_path: Path) -> None:
    (block,) = [
        one for one in find_blocks(ROOT / "docs" / "planner.md", "console") if one.chapter == "Running the plan"
    ]
    # The agent writes into this directory.
    first, *others = [command for command, _ in block.commands]
    shown = run("\n".join([first, "mkdir shop", *others]), tmp_path)
    assert "plan completed" in shown
    assert "2 changes checked, 0 exempt, 0 rejected" in shown
