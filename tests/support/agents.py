"""Scripted coding agents, and plans for them."""

import json
import sys
from pathlib import Path
from typing import Any

from smartcommit.executor import run as runs
from smartcommit.executor.plan import TaskPlan
from smartcommit.executor.plan_dir import PlanFolder, create, find_private_folder, new_plan
from smartcommit.git.repo import Repository
from tests.support.repository import Repo

# What every script begins with: `task` and `attempt` are those of the prompt, `call` counts the calls of all attempts.
_HEAD = """\
import os, re, subprocess, sys, time, signal
folder = {folder!r}
prompt = sys.stdin.read()
task = re.search("^## Task (.*?): ", prompt, re.MULTILINE)[1]
attempt = int(re.search("^Attempt ([0-9]+) of", prompt, re.MULTILINE)[1])
call = len(os.listdir(folder))
open(f"{{folder}}/{{call:03}}", "w").write(prompt)
def write(name, text="content\\n"):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    open(name, "w").write(text)
def suggest(text):
    print("SUGGESTED_COMMIT_MESSAGE:", text, flush=True)
def git(*arguments):
    subprocess.run(["git", *arguments], check=True, stdout=subprocess.DEVNULL)
"""
# Writes a file named for the task, and suggests a message for it.
WORKS = 'write(task); suggest(f"feat: add {task}")'


class Agent:
    """An executable that runs a Python script in place of a coding agent, and keeps the prompts that it is given."""

    def __init__(self, root: Path, script: str = WORKS) -> None:
        self._prompts = root / "prompts"
        self._prompts.mkdir(parents=True)
        self.path = root / "agent"
        self.path.write_text(f"#!{sys.executable} -IS\n{_HEAD.format(folder=str(self._prompts))}{script}\n")
        self.path.chmod(0o755)

    @property
    def prompts(self) -> list[str]:
        return [path.read_text() for path in sorted(self._prompts.iterdir())]


def plan_in(repo: Repo, *titles: str, name: str = "plan", **fields: Any) -> PlanFolder:
    """A plan with a task for each title, made as `execute new` makes one; `fields` are of the plan."""
    tasks = [{"id": f"t{number:02}", "title": title} for number, title in enumerate(titles or ("first", "second"), 1)]
    plan = new_plan(str(repo.path), name, **{"tasks": tasks, **fields})
    folder = create(str(repo.path), plan)
    runs.approve(Repository.find(str(repo.path)).git_dir, plan.list_checks())
    return folder


def committed_plan(repo: Repo, folder: PlanFolder, revision: str = "HEAD") -> TaskPlan:
    return TaskPlan.model_validate_json(repo.git("cat-file", "blob", f"{revision}:{folder.place}"))


def find_last_failure(repo: Repo) -> str:
    attempt = runs.load(str(repo.path / ".git"))
    return attempt.failure


def output_log(folder: PlanFolder) -> Path:
    return Path(find_private_folder(f"{folder.worktree}/.git", folder.name).path("output.log"))


def events(folder: PlanFolder) -> list[str]:
    return [json.loads(line)["event"] for line in Path(folder.path("progress.log")).read_text().splitlines()]


def work(repo: Repo, revision: str = "HEAD") -> dict[str, str]:
    names = repo.git("ls-tree", "-r", "-z", "--name-only", revision).split("\0")[:-1]
    return {name: repo.git("show", f"{revision}:{name}") for name in names if not name.startswith(".smartcommit/")}
