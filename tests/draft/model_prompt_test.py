"""What a model is told first: every file counted, within the room there is, naming tools that exist."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from smartcommit.agent.git_tools import TOOLS
from smartcommit.agent.tool import name_of
from smartcommit.config import Settings
from smartcommit.draft.model import preview, prompt
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.draft.submit import Evidence, MessageGate
from smartcommit.git.repo import Repository
from smartcommit.llm.api import ApiConfig
from smartcommit.message.rules import Rules
from tests.conftest import ROOT
from tests.support.repository import Repo

CONFIG = ApiConfig("ollama", "m", "http://localhost:11434")
PROMPT = ROOT / "smartcommit/agent/prompts/draft.md"
SUBMIT = MessageGate(Rules(), Evidence(), lambda text: True).tool


def task_of(repo: Repo, **policy: str) -> DraftRequest:
    repository = Repository.find(str(repo.path))
    settings = Settings(policy=[(f"smartcommit.{name}", value) for name, value in policy.items()], environment={})
    task = read_request(repository, repository.head() or repository.empty_tree, None, settings)
    assert task is not None
    return task


def told(task: DraftRequest, config: ApiConfig = CONFIG) -> str:
    return str(prompt(task, config)[1]["content"])


def test_every_tool_that_the_prompt_names_exists_with_these_arguments() -> None:
    named = re.findall(r"\b([a-z]+_[a-z_]+)\(([^)]*)\)", PROMPT.read_text())
    assert named
    tools = {name_of(tool): tool._tool_spec["function"]["parameters"] for tool in (*TOOLS, SUBMIT)}  # type: ignore[attr-defined]
    for name, arguments in named:
        assert name in tools, f"the prompt names {name}"
        assert set(arguments.replace(" ", "").split(",")) <= set(tools[name]["properties"])


def test_the_instructions_name_the_projects_own_types_scopes_and_limit(repo: Repo) -> None:
    repo.stage({"a.py": "a = 1\n"})
    system = prompt(task_of(repo, types="feat bug", scopes="herd barn", summarylimit="40"), CONFIG)[0]["content"]
    assert "one of: feat, bug." in system
    assert "herd, barn" in system
    assert "at most 40 characters" in system
    assert "$" not in system


def test_five_thousand_files_are_all_counted_in_a_bounded_prompt(repo: Repo) -> None:
    repo.stage({f"part{number % 40}/file{number}.py": f"x = {number}\n" for number in range(5000)})
    text = told(task_of(repo))
    assert len(text) < 25_000
    assert "Files changed: 5000 (+5000 -0 lines)" in text
    listed = len(re.findall(r"^added part", text, re.MULTILINE))
    (rest,) = re.findall(r"^and (\d+) more files: (.*)$", text, re.MULTILINE)
    assert listed + int(rest[0]) == 5000
    assert sum(map(int, re.findall(r"\((\d+)\)", rest[1]))) == int(rest[0])


@pytest.mark.parametrize("context", [2048, 4096, 8192, 16384])
def test_the_prompt_is_no_larger_than_the_context_asked_for(repo: Repo, context: int) -> None:
    repo.stage({f"file{number}.py": "value = 'something'\n" * 200 for number in range(200)})
    text = told(task_of(repo), ApiConfig("ollama", "m", "http://localhost", context=context))
    assert len(text) < max(4500, context * 3)


def test_nothing_is_cut_in_the_middle_of_a_character(repo: Repo) -> None:
    repo.stage({"a.txt": "日本語" * 200_000 + "\n", "ü" * 100 + ".txt": "é\n"})
    assert "\ufffd" not in told(task_of(repo))


def test_the_preview_holds_the_whole_first_request(repo: Repo) -> None:
    repo.stage({"a.py": "password = 'correct-horse-9'\n"})
    shown = preview(task_of(repo), CONFIG)
    assert "submit_message" in shown
    assert "search_codebase" in shown
    assert "correct-horse-9" not in shown


MEASURE = """
import sys
sys.path[:0] = [{root!r}]
from tests.draft.model_prompt_test import task_of, told
from tests.support.repository import Repo
from pathlib import Path
length = len(told(task_of(Repo(Path({repo!r})))))
# The peak of this program alone: ru_maxrss begins with that of the process which started it.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(length, peak.split()[1])
"""


@pytest.mark.parametrize("megabytes", [1, 10, 100])
def test_a_large_diff_takes_little_memory_and_a_bounded_prompt(repo: Repo, megabytes: int) -> None:
    line = b"value = 'something that stands here'\n"
    repo.stage({f"part{n}.txt": line * (1_000_000 // len(line)) for n in range(megabytes)})
    code = MEASURE.format(root=str(ROOT), repo=str(repo.path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    length, kilobytes = map(int, done.stdout.split())
    assert length < 25_000
    assert kilobytes < 300_000
