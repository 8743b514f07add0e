"""Clients of a model that answer by a script, without a server."""

import json
import os
import shutil
from collections.abc import Sequence
from typing import Any

from smartcommit.config import load
from smartcommit.draft.engine import answer
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.draft.result import Draft
from smartcommit.git.repo import Repository
from smartcommit.llm.api import OPENAI, ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline

MODEL = "scripted"


class ScriptedClient(LLMClient):
    """Answers each request with the next of `messages`, the last one again and again.

    A message is a text or the message of an answer as the OpenAI API has it.
    """

    def __init__(self, config: ApiConfig, messages: Sequence[object]) -> None:
        super().__init__(config)
        self.payloads: list[Json] = []
        self._messages = messages

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        deadline.check()
        self.payloads.append(payload)
        self.usage.requests += 1
        message = self._messages[min(len(self.payloads), len(self._messages)) - 1]
        if isinstance(message, str):
            message = {"role": "assistant", "content": message}
        body: Json = {"choices": [{"message": message, "finish_reason": "stop"}]}
        return self._dialect.assemble([json.dumps(body).encode()])


def calling(arguments: object) -> Json:
    """A message that submits a draft; text stands for the arguments as it is."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "id0", "type": "function", "function": {"name": "submit_message", "arguments": written}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def read_staged(repository: Repository, **settings: str) -> DraftRequest:
    environment = {"SMARTCOMMIT_PROVIDER": OPENAI, "SMARTCOMMIT_MODEL": MODEL, **settings}
    environment.setdefault("SMARTCOMMIT_API_BASE", "http://127.0.0.1:9/v1")
    chosen = load(repository.worktree, environment=environment)
    request = read_request(repository, repository.head() or repository.empty_tree, None, chosen)
    assert request is not None
    return request


def forget_drafts(request: DraftRequest) -> None:
    shutil.rmtree(os.path.join(request.context.repository.git_dir, "smartcommit"), ignore_errors=True)


def ask(request: DraftRequest, *messages: object, seconds: float = 60) -> tuple[Draft, int]:
    """The draft for `request` by a model that answers with `messages`, and the number of requests that it took."""
    forget_drafts(request)
    made: list[ScriptedClient] = []

    def build(config: ApiConfig) -> Any:
        made.append(ScriptedClient(config, messages))
        return made[0]

    draft = answer(request, deadline=Deadline(seconds), terminal=None, client=build)
    return draft, len(made[0].payloads)
