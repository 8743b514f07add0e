"""The answers beside this file, each on the whole way to a draft: how many are used as they are meant."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.draft.engine import answer
from smartcommit.draft.model.examples import Examples, find_examples
from smartcommit.draft.request import DraftRequest
from smartcommit.draft.result import Draft
from smartcommit.git.repo import Repository
from smartcommit.llm import client
from smartcommit.message.parse import parse
from smartcommit.waiting import Deadline
from tests.support.repository import IDENTITY, Repo
from tests.support.scripted_client import ask, forget_drafts, read_staged

ANSWERS = Path(__file__).parent / "answers"
# Answers that are not used as they are meant, or used although they are no message.
MISSED = {
    "llama-15", "qwen-05", "mistral-07", "mistral-16", "deepseek-09", "phi-08", "gpt-12", "claude-15", "gemini-15",
    "command-r-10", "command-r-12", "fresh-17", "fresh-31", "fresh-48", "fresh-51", "fresh-59",
}  # fmt: skip
COMMAND = {"SMARTCOMMIT_PROVIDER": "command", "SMARTCOMMIT_COMMAND": "/bin/cat", "SMARTCOMMIT_ALLOW_REMOTE": "true"}


@pytest.fixture
def requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, bool], DraftRequest]:
    """The requests for drafts of the changes, staged in repositories, by name and by whether a program is the model."""
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    # The same examples for the same change take no further processes.
    kept: dict[int, Examples] = {}

    def find_once(repository: Repository, history: History, change: ChangeFacts, *, deadline: Deadline) -> Examples:
        if id(change) not in kept:
            kept[id(change)] = find_examples(repository, history, change, deadline=deadline)
        return kept[id(change)]

    monkeypatch.setattr("smartcommit.draft.model.drafter.find_examples", find_once)
    found: dict[tuple[str, bool], DraftRequest] = {}
    for name, change in json.loads((ANSWERS / "changes.json").read_text()).items():
        repo = Repo.init(tmp_path / name)
        repo.commit(files={path: before for path, (before, _) in change["files"].items() if before is not None})
        repo.stage({path: after for path, (_, after) in change["files"].items() if after is not None})
        for path, (_, after) in change["files"].items():
            if after is None:
                repo.git("rm", "-q", "--", path)
        repository = Repository.find(str(repo.path))
        found[name, False] = read_staged(repository)
        found[name, True] = read_staged(repository, **COMMAND)
    return found


def ask_program(request: DraftRequest, printed: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Draft, int]:
    """The draft for `request` by a program that prints `printed`, and how often it was run."""
    runs: list[str] = []

    def run(command: object, text: str, *, deadline: Deadline) -> str:
        runs.append(text)
        return printed.strip()

    monkeypatch.setattr(client, "run_program", run)
    forget_drafts(request)
    return answer(request, deadline=Deadline(60), terminal=None), len(runs)


def is_meant(text: str, expected: dict[str, Any]) -> bool:
    """Whether the draft `text` is a message that is `expected`, but for white space, bullets and breaking changes."""
    message = parse(text.removesuffix("\n")).message
    header = message.header
    body = squeeze(re.sub(r"\n*BREAKING CHANGE: .*", "", text.partition("\n")[2], flags=re.DOTALL))
    if expected["description"] is not None and body not in map(squeeze, expected["description"]):
        return False
    named = header.type in expected["types"] and (header.scope or "") in expected["scopes"]
    return named and header.summary in expected["summaries"]


def squeeze(text: str) -> str:
    return " ".join(re.sub(r"(?m)^\* ", "- ", text).split())


def test_what_is_meant_is_used(requests: dict[tuple[str, bool], DraftRequest], monkeypatch: pytest.MonkeyPatch) -> None:
    failed: dict[str, str] = {}
    for line in (ANSWERS / "answers.jsonl").read_text().splitlines():
        row = json.loads(line)
        request = requests[row["change"], "output" in row]
        if "output" in row:
            made, asked = ask_program(request, row["output"], monkeypatch)
        else:
            made, asked = ask(request, row["message"])
        used, expected = made.engine != "embedded", row["expected"]
        is_right = not used
        if expected is not None:
            is_right = used and asked == 1 and is_meant(made.text, expected)
        if not is_right:
            failed[row["id"]] = f"{row['form']}, after {asked}: {made.text!r}"
    assert failed.keys() == MISSED, failed
