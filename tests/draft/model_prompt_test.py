"""What a model is told first: every file counted, within the room there is, naming tools that exist."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from smartcommit.agent.tool import name_of, spec_of
from smartcommit.config import Settings
from smartcommit.draft.engine import draft_embedded
from smartcommit.draft.model.drafter import read_examples, show_prompt
from smartcommit.draft.model.prompt import Prompt, make_prompt
from smartcommit.draft.model.submit import Evidence, MessageGate
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.git.repo import Repository
from smartcommit.llm.api import ApiConfig
from smartcommit.llm.client import LLMClient
from smartcommit.message.rules import Rules
from smartcommit.waiting import Deadline
from tests.conftest import ROOT
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.table import rows

CONFIG = ApiConfig("ollama", "m", "http://localhost:11434")
PROMPT = ROOT / "smartcommit/draft/model/draft.md"
TOOLS_PROMPT = ROOT / "smartcommit/draft/model/draft_tools.md"
SUBMIT = MessageGate(Rules(), Evidence(), lambda text: True).tool()


def task_of(repo: Repo, **policy: str) -> DraftRequest:
    repository = Repository.find(str(repo.path))
    settings = Settings(policy=[(f"smartcommit.{name}", value) for name, value in policy.items()], environment={})
    task = read_request(repository, repository.head() or repository.empty_tree, None, settings)
    assert task is not None
    return task


def prompt(task: DraftRequest, config: ApiConfig = CONFIG) -> Prompt:
    return make_prompt(task, draft_embedded(task), read_examples(task, Deadline(60)), LLMClient(config))


def told(task: DraftRequest, config: ApiConfig = CONFIG) -> str:
    return str(prompt(task, config).messages()[1]["content"])


def test_every_field_and_tool_that_the_prompt_names_exists() -> None:
    fields = re.findall(r"^- ([a-z_]+): ", PROMPT.read_text(), re.MULTILINE)
    assert fields == list(spec_of(SUBMIT)["function"]["parameters"]["properties"])
    assert re.findall(r"\b[a-z]+_[a-z_]+\b", TOOLS_PROMPT.read_text()) == [name_of(SUBMIT)]


def test_what_the_instructions_say_of_a_field_is_not_said_again(repo: Repo) -> None:
    repo.stage({"a.py": "a = 1\n"})
    task = task_of(repo)
    shown = show_prompt(task, draft_embedded(task), LLMClient(CONFIG))
    assert shown.count("what is not obvious") == 1
    assert "description" not in json.loads(shown)["format"]["anyOf"][0]["properties"]["summary"]


def test_the_instructions_name_the_projects_own_types_scopes_and_limit(repo: Repo) -> None:
    repo.stage({"a.py": "a = 1\n"})
    system = prompt(task_of(repo, types="feat bug", scopes="herd barn", summarylimit="40")).instructions
    assert "one of feat, bug\n" in system
    assert "herd, barn" in system
    assert "at most 40 characters" in system
    assert "$" not in system


def test_five_thousand_files_are_all_counted_in_a_bounded_prompt(repo: Repo) -> None:
    repo.stage({f"part{number % 40}/file{number}.py": f"x = {number}\n" for number in range(5000)})
    text = told(task_of(repo))
    assert len(text) < 25_000
    assert "Files changed: 5000 (+5000 -0 lines)" in text
    listed = len(re.findall(r"^added part", text, re.MULTILINE))
    (rest,) = re.findall(r"^and (\d+) more files$", text, re.MULTILINE)
    assert listed + int(rest) == 5000


def test_a_file_is_listed_with_what_happens_to_its_definitions(repo: Repo) -> None:
    zebra = "def hide():\n    return 1\n\n\ndef graze():\n    return 2\n\n\ndef run(fast):\n    return fast\n"
    repo.commit("feat: base", {"zebra.py": zebra, "old.txt": "one\ntwo\nthree\nfour\n"})
    repo.stage({
        "zebra.py": zebra.replace("hide", "seek").replace("return 2", "return 3").replace("run(fast)", "run(slow)"),
        "lion.py": "def hunt():\n    return 1\n",
        ".env": "KEY=1\n",
    })  # fmt: skip
    repo.git("mv", "old.txt", "new.txt")
    listed = told(task_of(repo)).partition("Files changed: 4 (+6 -3 lines)\n")[2].split("\n")[:5]
    assert listed == [
        "added .env; configuration, added, +1 -0; not shown: may contain secrets",
        "added lion.py; source, added, +2 -0; adds hunt",
        "renamed new.txt (was old.txt); configuration, moved, +0 -0",
        "changed zebra.py; source, modified, +3 -3; changes run; touches graze; renames hide to seek",
        "Type and scope by rules: fix",
    ]


@pytest.mark.parametrize("context", [2048, 16384])
def test_the_prompt_is_no_larger_than_the_context_asked_for(repo: Repo, context: int) -> None:
    repo.stage({f"file{number}.py": "value = 'something'\n" * 200 for number in range(200)})
    text = told(task_of(repo), ApiConfig("ollama", "m", "http://localhost", context=context))
    assert len(text) < max(4500, context * 3)


def test_nothing_is_cut_in_the_middle_of_a_character(repo: Repo) -> None:
    repo.stage({"a.txt": "日本語" * 200_000 + "\n", "ü" * 100 + ".txt": "é\n"})
    assert "\ufffd" not in told(task_of(repo))


def test_the_preview_holds_the_whole_first_request(repo: Repo) -> None:
    repo.stage({"a.py": "password = 'correct-horse-9'\n"})
    task = task_of(repo)
    shown = show_prompt(task, draft_embedded(task), LLMClient(CONFIG))
    assert "look_closer" in shown
    assert "correct-horse-9" not in shown
    repo.stage({"b.py": "value = 7\n" * 9000})
    task = task_of(repo)
    shown = show_prompt(task, draft_embedded(task), LLMClient(CONFIG))
    assert "search_codebase" in shown


CODE = [f"    total_{number} = measure(total_{number}, limit=size)" for number in range(1500)]


def stage_edits(repo: Repo, edits: int, *, history: bool = True) -> None:
    """Stage a change of so many lines removed and as many added, in places as a person would."""
    is_new = repo.run("rev-parse", "-q", "--verify", "HEAD").returncode != 0
    if is_new and history:
        for number in range(12):
            body = f"Herds of more than {number} zebras were counted twice."
            lines = "".join(f"stripes_{number}_{line} = paint(line)\n" for line in range(6))
            repo.commit(f"fix(herd): count the stripes of herd {number}\n\n{body}", {f"src/herd{number}.py": lines})
    if is_new:
        repo.commit("feat(herd): measure herds", {"src/herd.py": "\n".join(CODE) + "\n"})
    changed = list(CODE)
    for edit in range(edits):
        # Four lines in a row, then the next place.
        place = 20 + edit // 4 * 12 + edit % 4
        changed[place] = changed[place].replace("size", "width")
    repo.stage({"src/herd.py": "\n".join(changed) + "\n"})


@pytest.mark.parametrize("history", [True, False])
@rows(
    ("provider", "lines", "share"),
    ("ollama", 2, 0.5), ("ollama", 6, 0.5), ("ollama", 60, 0.6), ("ollama", 600, 0.7),
    ("openai", 2, 0.5), ("openai", 6, 0.5), ("openai", 60, 0.6), ("openai", 600, 0.7),
)  # fmt: skip
def test_most_of_the_prompt_is_the_change(repo: Repo, provider: str, lines: int, share: float, history: bool) -> None:
    stage_edits(repo, lines // 2, history=history)
    client = LLMClient(ApiConfig(provider, "m", "http://localhost/v1"))
    task = task_of(repo)
    shown = json.loads(show_prompt(task, draft_embedded(task), client))
    size = sum(len(message["content"]) for message in shown["messages"]) + len(json.dumps(shown.get("tools", "")))
    # The change is its lines, those around them, and what is known of them.
    assert len(prompt(task, client.config).change) / size >= share
    assert client.usage.requests == 0


def test_a_small_change_is_shown_with_its_surroundings_and_a_large_one_with_three_lines(repo: Repo) -> None:
    stage_edits(repo, 1)
    shown = prompt(task_of(repo)).change
    assert (shown.count("\n     total_"), shown.count("\n@@ ")) == (40, 1)
    repo.commit("chore: keep")
    repo.stage({"src/herd.py": "\n".join(line.replace("_7", "_70") for line in CODE)})
    lines = prompt(task_of(repo)).change.split("\n")
    at = lines.index("-    total_7 = measure(total_7, limit=size)")
    assert [line[0] for line in lines[at - 4 : at + 5]] == list("@   -+   ")


def test_hunks_whose_context_meets_are_shown_as_one(repo: Repo) -> None:
    lines = [f"line {number}" for number in range(30)]
    repo.commit("feat: count", {"a.txt": "\n".join(lines) + "\n"})
    lines[10] = "other"
    del lines[13]
    lines.insert(15, "new")
    repo.stage({"a.txt": "\n".join(lines) + "\n"})
    shown = prompt(task_of(repo)).change.partition("--- a.txt\n")[2].split("\n")
    assert shown[0] == "@@ line 11 @@ line 9"
    unchanged = [line[1:] for line in shown[1:] if line[0] == " "]
    assert unchanged == [f"line {n}" for n in range(30) if n not in (10, 13)]
    assert [line for line in shown[1:] if line[0] != " "] == ["-line 10", "+other", "-line 13", "+new"]


def test_examples_are_the_nearest_of_the_project(repo: Repo) -> None:
    stage_edits(repo, 300)
    for number in range(20):
        repo.git("commit", "-q", "--allow-empty", "--only", "-m", f"docs(site): tell of page {number}")
    examples = prompt(task_of(repo)).examples
    assert examples.count("fix(herd): count the stripes of herd") >= 4
    assert "\n+stripes_11_5 = paint(line)\n=> fix(herd): count the stripes of herd 11" in examples
    assert "zebras were counted twice." in examples
    assert '"summary": "make the number of attempts configurable"' in examples
    assert "docs(site)" not in examples


def test_examples_show_no_file_that_is_hidden_and_no_number_of_a_pull_request(repo: Repo) -> None:
    secret = "token = one\nsecret = two\nkey = three\n"
    repo.commit("feat: paint (#7)", {".env": secret, "package-lock.json": secret, "a.py": "one_paint = 1\n" * 4})
    repo.stage({"a.py": "one_paint = 2\n" * 300})
    examples = prompt(task_of(repo)).examples
    assert "+one_paint = 1" in examples
    assert "secret" not in examples
    assert "#7" not in examples


def test_the_number_of_processes_grows_with_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []

    def counted(start: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **options: Any) -> Any:
            started.append(args)
            return start(*args, **options)

        return count

    stage_edits(repo, 10)
    repo.stage({f"src/new{number}.py": "x = 1\n" for number in range(100)})
    task = task_of(repo)
    monkeypatch.setattr(subprocess, "Popen", counted(subprocess.Popen))
    monkeypatch.setattr(os, "posix_spawnp", counted(os.posix_spawnp))
    prompt(task)
    assert len(started) == 1


MEASURE = """
import sys
sys.path[:0] = [{root!r}]
from tests.draft.model_prompt_test import task_of, told
from tests.support.repository import Repo
from tests.support.table import rows
from pathlib import Path
length = len(told(task_of(Repo(Path({repo!r})))))
# The peak of this program alone: ru_maxrss begins with that of the process which started it.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(length, peak.split()[1])
"""


@pytest.mark.parametrize("megabytes", [choose(fast=20, full=100)])
def test_a_large_diff_takes_little_memory_and_a_bounded_prompt(repo: Repo, megabytes: int) -> None:
    line = b"value = 'something that stands here'\n"
    repo.stage({f"part{n}.txt": line * (1_000_000 // len(line)) for n in range(megabytes)})
    code = MEASURE.format(root=str(ROOT), repo=str(repo.path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    length, kilobytes = map(int, done.stdout.split())
    assert length < 25_000
    assert kilobytes < 300_000
