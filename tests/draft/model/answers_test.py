"""The answers beside this file, each on the whole way to a draft: how many are used as they are meant."""

from __future__ import annotations

import json
import re
from collections import Counter
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
# The least share of messages that are used as they are meant, the largest share of those that are not, and the most
# answers without a message that are used.
LEAST_RIGHT, MOST_WRONG, MOST_JUNK = 0.92, 0.03, 2
COMMAND = {"SMARTCOMMIT_PROVIDER": "command", "SMARTCOMMIT_COMMAND": "/bin/cat", "SMARTCOMMIT_ALLOW_REMOTE": "true"}


class Requests:
    """Requests for drafts of the changes, staged in repositories below `root`, by name and settings."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._made: dict[tuple[str, bool], DraftRequest] = {}
        self._changes = json.loads((ANSWERS / "changes.json").read_text())

    def make(self, name: str, *, command: bool) -> DraftRequest:
        path = self._root / name
        if not path.exists():
            self._stage(Repo.init(path), self._changes[name]["files"])
        if (name, command) not in self._made:
            settings = COMMAND if command else {}
            self._made[name, command] = read_staged(Repository.find(str(path)), **settings)
        return self._made[name, command]

    def _stage(self, repo: Repo, files: dict[str, tuple[str | None, str | None]]) -> None:
        repo.commit(files={path: before for path, (before, _) in files.items() if before is not None})
        repo.stage({path: after for path, (_, after) in files.items() if after is not None})
        for path, (_, after) in files.items():
            if after is None:
                repo.git("rm", "-q", "--", path)


@pytest.fixture
def requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Requests:
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    # The same examples for the same change take no further processes.
    found: dict[int, Examples] = {}

    def find_once(repository: Repository, history: History, change: ChangeFacts, *, deadline: Deadline) -> Examples:
        if id(change) not in found:
            found[id(change)] = find_examples(repository, history, change, deadline=deadline)
        return found[id(change)]

    monkeypatch.setattr("smartcommit.draft.model.drafter.find_examples", find_once)
    return Requests(tmp_path)


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
    assert header is not None
    body = squeeze(re.sub(r"\n*BREAKING CHANGE: .*", "", text.partition("\n")[2], flags=re.DOTALL))
    if expected["description"] is not None and body not in map(squeeze, expected["description"]):
        return False
    named = header.type in expected["types"] and (header.scope or "") in expected["scopes"]
    return named and header.summary in expected["summaries"]


def squeeze(text: str) -> str:
    return " ".join(re.sub(r"(?m)^\* ", "- ", text).split())


def test_answers_are_used_as_they_are_meant(requests: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    failed: list[str] = []
    for line in (ANSWERS / "answers.jsonl").read_text().splitlines():
        row = json.loads(line)
        request = requests.make(row["change"], command="output" in row)
        if "output" in row:
            made, asked = ask_program(request, row["output"], monkeypatch)
        else:
            made, asked = ask(request, row["message"])
        used, expected = made.engine != "embedded", row["expected"]
        text = made.text or ""
        if expected is None:
            outcome = "junk used" if used else "junk left"
        elif not used:
            outcome = "unused"
        else:
            outcome = "right" if is_meant(text, expected) else "wrong"
        counts[outcome] += 1
        if outcome == "right" and asked > 1:
            counts["asked again"] += 1
        if outcome not in ("right", "junk left") or (outcome == "right" and asked > 1):
            failed.append(f"{row['id']} {row['form']}: {outcome} after {asked}: {text!r}")
    messages = counts["right"] + counts["wrong"] + counts["unused"]
    told = "\n".join([str(counts), *failed])
    assert counts["right"] >= LEAST_RIGHT * messages, told
    assert counts["wrong"] <= MOST_WRONG * messages, told
    assert counts["junk used"] <= MOST_JUNK, told
    assert counts["asked again"] == 0, told
