"""Answers of models of ten families, each through the whole way of a draft; what is used and with how many requests."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from smartcommit.draft.request import DraftRequest
from smartcommit.git.repo import Repository
from smartcommit.llm import client
from smartcommit.message.parse import parse
from tests.support.repository import Repo
from tests.support.scripted_client import ask, read_staged

ANSWERS = Path(__file__).parent / "answers"
# What each answer comes to: its message or the embedded draft as it should be, a text that nobody meant, or no message
# although there is one.
RIGHT, WRONG, UNUSED = "right", "wrong", "unused"


def load_requests(root: Path) -> dict[str, DraftRequest]:
    """The request for each of the changes, staged in a repository of its own."""
    requests = {}
    for name, change in json.loads((ANSWERS / "changes.json").read_text()).items():
        repo = Repo.init(root / name)
        before = {path: texts[0] for path, texts in change["files"].items() if texts[0] is not None}
        repo.commit(files=before)
        for path, (_, after) in change["files"].items():
            if after is None:
                repo.git("rm", "-q", "--", path)
            else:
                repo.stage({path: after})
        requests[name] = read_staged(Repository.find(str(repo.path)))
    return requests


def judge(row: dict[str, Any], request: DraftRequest) -> tuple[str, int, str]:
    """What the answer in `row` comes to, the requests that it takes, and the draft."""
    draft, requests = ask(request, row["message"] if "message" in row else row["output"])
    text = draft.text or ""
    expected = row["expected"]
    if draft.engine == "embedded":
        return RIGHT if expected is None else UNUSED, requests, text
    if expected is None:
        return WRONG, requests, text
    return RIGHT if is_expected(text, expected) else WRONG, requests, text


def is_expected(text: str, expected: dict[str, Any]) -> bool:
    message = parse(text.removesuffix("\n")).message
    header = message.header
    assert header is not None
    body = " ".join(text.partition("\n")[2].split())
    body = re.sub(r" ?BREAKING CHANGE: .*", "", body)
    described = expected["description"] is None or body in [" ".join(one.split()) for one in expected["description"]]
    return (
        header.type in expected["types"]
        and (header.scope or "") in expected["scopes"]
        and header.summary in expected["summaries"]
        and described
    )


def load_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ANSWERS / "answers.jsonl").read_text().splitlines()]
