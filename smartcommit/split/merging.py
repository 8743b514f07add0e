"""The message of commits that become one, worded by a model: it writes text, and has no say about hunks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from smartcommit.agent.tool import read_arguments, tool
from smartcommit.draft.submit import SubmitMessageArgs, message_of
from smartcommit.errors import LLMError, ToolRetry
from smartcommit.llm.client import LLMClient
from smartcommit.message.parse import Message
from smartcommit.message.rules import Rules
from smartcommit.split.merge import joined_message
from smartcommit.waiting import Deadline


class MergeCommitsArgs(BaseModel):
    commit: SubmitMessageArgs


@tool(MergeCommitsArgs)
def merge_commits(args: MergeCommitsArgs, **_: Any) -> Message:
    """Give the one message for all of these commits, which become a single one."""
    return message_of(args.commit)


class Merger:
    """Words the message of commits that become one by a model, and without it where it fails.

    `accept` gives the text of a message that passes the `rules`.
    """

    def __init__(self, client: LLMClient, deadline: Deadline, accept: Callable[[Message], str], rules: Rules) -> None:
        self._client = client
        self._deadline = deadline
        self._accept = accept
        self._rules = rules

    def word(self, messages: list[str]) -> str:
        """One message for `messages`."""
        told = json.dumps(messages, ensure_ascii=False, indent=1)
        asked = [
            {"role": "system", "content": "You write the message of one git commit. Answer by the tool."},
            {"role": "user", "content": f"These commits become one, since they share changes:\n{told}"},
        ]
        try:
            call, _ = self._client.call_with_tool(asked, merge_commits, deadline=self._deadline)
            if call is not None:
                return self._accept(merge_commits(read_arguments(merge_commits, call.arguments)))
        except (LLMError, ToolRetry):
            pass
        return joined_message(messages, self._rules)
