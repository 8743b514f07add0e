"""A conversation with a model, kept to be read and to be played again without one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from smartcommit.errors import LLMReplyError
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.llm.config import OLLAMA, ApiConfig
from smartcommit.secret_scan import redacted
from smartcommit.waiting import Deadline


def dump(config: ApiConfig, messages: Sequence[Json]) -> bytes:
    """The conversation as it was sent: without secrets, and without the server's address and key."""
    kept = {"provider": config.provider, "model": config.model, "messages": redacted(list(messages))}
    return json.dumps(kept, indent=1, ensure_ascii=False).encode("utf-8", "replace")


class Replay(LLMClient):
    """A client that gives the recorded answers again, in their order, and sends nothing."""

    def __init__(self, transcript: bytes) -> None:
        kept = json.loads(transcript)
        super().__init__(ApiConfig(kept["provider"], kept["model"], "http://localhost"))
        self._answers = iter([message for message in kept["messages"] if message["role"] == "assistant"])

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        deadline.check()
        message = next(self._answers, None)
        if message is None:
            raise LLMReplyError("the transcript has no further answer")
        message = dict(message)
        return {"message": message} if self.config.provider == OLLAMA else {"choices": [{"message": message}]}
