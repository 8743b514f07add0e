"""A client that repeats the answers of a transcript."""

from __future__ import annotations

import json

from smartcommit.errors import LLMReplyError
from smartcommit.llm.api import ApiConfig, Json
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline


class Replay(LLMClient):
    def __init__(self, transcript: bytes) -> None:
        kept = json.loads(transcript)
        super().__init__(ApiConfig(kept["provider"], kept["model"], "http://localhost"))
        self._answers = iter([message for message in kept["messages"] if message["role"] == "assistant"])

    def _send(self, payload: Json, deadline: Deadline) -> Json:
        deadline.check()
        message = next(self._answers, None)
        if message is None:
            raise LLMReplyError("no more answers in the transcript")
        return {"choices": [{"message": dict(message)}]}
