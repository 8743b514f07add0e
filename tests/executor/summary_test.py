"""The summary of a run: which tasks changed nothing, what is left uncommitted, and what can be pushed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.conftest import Execute
from tests.support.agents import WORKS, Agent, plan_in
from tests.support.components import component
from tests.support.repository import Repo
from tests.support.workspace import Workspace, on_path

Make = Callable[..., Agent]
Summarize = Callable[..., str]
PLAN = "feat: add two files\n\nTasks [ ]:\n- [ ] first\n- [ ] second\n"


@pytest.fixture
def summarize(execute: Execute, capsys: pytest.CaptureFixture[str]) -> Summarize:
    """Runs a plan by an agent, and returns what is printed below the commits."""

    def run(agent: Agent, *arguments: str) -> str:
        execute(agent, *arguments)
        _, _, summary = capsys.readouterr().out.partition("completed (")
        return re.sub(r".*\n(  \w{12} .*\n)*", "", summary, count=1)

    return run


@pytest.fixture
def remote(based: Repo) -> Repo:
    """A bare repository that the one with one commit is pushed to."""
    bare = Repo.init(based.path.parent / "remote", "--bare")
    based.git("remote", "add", "origin", str(bare.path))
    based.git("push", "-q", "-u", "origin", "main")
    return bare


def test_tasks_that_changed_nothing_are_named(based: Repo, make_agent: Make, summarize: Summarize) -> None:
    plan_in(based, "works", "does nothing", "commits")
    agent = make_agent(
        f'if task != "t02": {WORKS.replace("; ", "; suggest(task); ")}\n'
        'if task == "t03": git("add", task); git("commit", "-q", "-m", "feat: add it")'
    )
    assert summarize(agent) == "nothing was changed in task t02 does nothing\n"


def test_tasks_that_changed_nothing_are_named_where_plans_are_ignored(
    based: Repo, make_agent: Make, summarize: Summarize
) -> None:
    based.commit("chore: ignore plans", {".gitignore": ".smartcommit\n"})
    plan_in(based, "works", "does nothing")
    agent = make_agent('if task == "t01": write(task)')
    assert summarize(agent) == "nothing was changed in task t02 does nothing\n"


def test_what_a_failed_task_left_is_listed_without_the_plan(
    based: Repo, make_agent: Make, summarize: Summarize
) -> None:
    plan_in(based, "first")
    agent = make_agent('write("base.txt"); write("new/file \\x1b"); sys.exit(1)')
    assert summarize(agent, "run", "--attempts", "1") == (
        "left uncommitted: 'base.txt', 'new/file \\x1b'; make commits of it with 'git smart-commit'\n"
    )


def test_nothing_is_listed_of_a_run_that_could_not_start(
    based: Repo, remote: Repo, make_agent: Make, summarize: Summarize
) -> None:
    plan_in(based, "first")
    based.commit("feat: add a file", {"file": ""})
    based.write("dirty")
    assert summarize(make_agent()) == ""


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ("", "2 commits that origin/main does not have; run 'git push'"),
        ("checkout -q -b topic", "2 commits that origin does not have; run 'git push -u origin topic'"),
        ("checkout -q -b topic origin/main", "2 commits that origin does not have; run 'git push -u origin topic'"),
        (
            "checkout -q -b a$b; config push.default current",
            "2 commits that origin does not have; run 'git push -u origin 'a$b''",
        ),
        ("remote rename origin other", "2 commits that other/main does not have; run 'git push'"),
        (
            "commit -q --allow-empty -m other; push -q; reset -q --hard HEAD~1",
            "2 commits that origin/main does not have; it has 1 commit more, so run 'git pull --rebase' and 'git push'",
        ),
        ("checkout -q --detach", None),
        ("remote remove origin", None),
    ],
)  # fmt: skip
def test_what_can_be_pushed_is_counted_with_the_command(
    based: Repo, remote: Repo, make_agent: Make, summarize: Summarize, commands: str, said: str | None
) -> None:
    for command in filter(None, commands.split("; ")):
        based.git(*command.split())
    plan_in(based, "first", "second")
    assert summarize(make_agent()) == (f"to push: {said}\n" if said else "")
    if said is None:
        return
    for command in said.partition(" run '")[2][:-1].split("' and '"):
        subprocess.run(["sh", "-c", command], cwd=based.path, check=True, capture_output=True)
    branch = based.git("branch", "--show-current").strip()
    assert remote.subjects(branch)[-2:] == ["feat: add t01", "feat: add t02"]


@pytest.fixture
def pushed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A bare repository that has the bookmark `main` of a jj workspace; the plan's change is on top of it."""
    # jj pushes with git 2.41 or newer.
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))
    bare = Repo.init(workspace.path.parent / "remote", "--bare")
    workspace.jj("commit", "-m", "chore: base")
    workspace.jj("bookmark", "create", "main", "-r", "@-")
    workspace.jj("git", "remote", "add", "origin", str(bare.path))
    workspace.jj("git", "push", "--bookmark", "main")
    return bare


@pytest.mark.usefixtures("based")
@pytest.mark.parametrize("tracked", [True, False])
def test_in_jj_the_bookmark_is_moved_or_one_is_made(
    workspace: Workspace, pushed: Repo, make_agent: Make, summarize: Summarize, monkeypatch: pytest.MonkeyPatch,
    *, tracked: bool,
) -> None:  # fmt: skip
    said = "run 'jj bookmark move main --to @-' and 'jj git push'"
    if not tracked:
        workspace.jj("bookmark", "forget", "main")
        said = "run 'jj git push --change @-'"
    workspace.describe(PLAN)
    monkeypatch.chdir(workspace.path)
    assert summarize(make_agent(), "run", "@") == f"to push: 2 changes that no remote has; {said}\n"
    for command in re.findall("'([^']+)'", said):
        workspace.jj(*command.split()[1:])
    branch = "main" if tracked else "push-*"
    (branch,) = pushed.git("for-each-ref", "--format=%(refname)", f"refs/heads/{branch}").split()
    assert pushed.subjects(branch)[-2:] == ["feat: add first", "feat: add second"]


@pytest.mark.usefixtures("based")
def test_in_jj_empty_tasks_are_named_and_what_is_left_is_listed(
    workspace: Workspace, make_agent: Make, summarize: Summarize, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.describe(PLAN)
    monkeypatch.chdir(workspace.path)
    agent = make_agent('if task == "second": write("a/b"); write("it\'s"); sys.exit(1)')
    assert summarize(agent, "run", "@", "--attempts", "1") == (
        "nothing was changed in task first first\n"
        "left in the working-copy commit: 'a/b', 'it's'; make changes of it with 'smartcommit split'\n"
    )
