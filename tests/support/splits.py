"""Splits by a scripted model: what it may say, and how a split with it ends."""

import json
from dataclasses import dataclass
from typing import Any

from smartcommit.git.repo import Repository
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support import model_server as server
from tests.support.model_server import ModelServer, Step
from tests.support.repository import Repo
from tests.support.splitting import split

FINALIZE = server.calls(("finalize_commits", {"gitignore": [], "skipped_hunks": []}))


@dataclass(frozen=True, slots=True)
class Ended:
    """How a split ended: its status, what it printed, and what it complained of."""

    status: int
    printed: str
    complained: str

    @property
    def plan(self) -> Any:
        return json.loads(self.printed)


def commit(*hunks: str, kind: str = "feat", summary: str = "set the values", **more: object) -> tuple[str, object]:
    """A call that emits one commit."""
    return "emit_commit", {"commit": {"type": kind, "summary": summary, "hunks": list(hunks), **more}}


def emit(*hunks: str, **parts: Any) -> Step:
    """The model emits one commit."""
    return server.calls(commit(*hunks, **parts))


def finalize(**arguments: object) -> Step:
    """The model ends its work."""
    return server.calls(("finalize_commits", {"gitignore": [], **arguments}))


def run(
    repo: Repo,
    model: ModelServer | None,
    *script: Step,
    choice: EngineOptions | None = None,
    yes: bool = True,
    **more: Any,
) -> Ended:
    """Split `repo` as the command does, with the server's `script`; the environment names the server."""
    if model is not None:
        model.script[:] = script
        model.asked.clear()
    printed: list[str] = []
    complained: list[str] = []
    status = split(
        Repository.find(str(repo.path)),
        staged=more.pop("staged", False),
        yes=yes,
        terminal=more.pop("terminal", None),
        out=printed.append,
        complain=complained.append,
        options=SplitOptions(choice=choice or EngineOptions(engine="model"), **more),
    )
    return Ended(status, "\n".join(printed), "\n".join(complained))


def results(model: ModelServer) -> list[str]:
    """Every result of a tool that the model was told, in order."""
    found: dict[str, None] = {}
    for asked in model.questions:
        found.update((m["content"], None) for m in asked.payload["messages"] if m["role"] == "tool")
    return list(found)


def told(model: ModelServer, request: int) -> str:
    """All that the messages of one request say."""
    return "\n".join(str(message.get("content")) for message in model.questions[request].payload["messages"])
