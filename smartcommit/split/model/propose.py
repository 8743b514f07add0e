"""Splits in a single reply, for models without tool calls.

Deprecated: one answer with the whole plan is the largest output there is, and the first to fail. A model that can call
tools emits one commit at a time (`smartcommit.split.model.splitter`); do not add anything here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import wraps
from typing import Any, TypeVar

from pydantic import BaseModel, Field, model_validator

from smartcommit.agent.loop import explain_end
from smartcommit.agent.tool import name_of, read_arguments, spec_of, tool
from smartcommit.errors import NoTerminalCall, ToolRetry
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.split.model.emit import Commit
from smartcommit.split.model.tools import ModelRequest
from smartcommit.split.unwanted import select_patterns

SAMPLE_OUTPUT = {
    "commits": [
        {"type": "fix", "scope": "login", "summary": "refuse an empty password", "description": "",
         "hunks": ["src/login.py::1", "tests/login_test.py::1"]},
        {"type": "docs", "scope": "", "summary": "describe the settings", "description": "", "hunks": ["README.md::2"]},
    ],
    "gitignore": [],
}  # fmt: skip
# Answers that a model may give: the first one, and one that corrects it.
_ANSWERS_ASKED = 2

Result = TypeVar("Result")


class ProposeCommitsArgs(BaseModel):
    commits: list[Commit] = Field(min_length=1, max_length=40, description="each hunk must be in exactly one of them")
    gitignore: list[str] = Field(default_factory=list, max_length=20)

    @model_validator(mode="before")
    @classmethod
    def _add_wrapping(cls, given: object) -> object:
        """Models often give a single commit as the arguments."""
        return {"commits": [given]} if isinstance(given, dict) and "commits" not in given else given

    def post_process(self) -> None:
        for commit in self.commits:
            commit.post_process()
        self.gitignore = select_patterns(self.gitignore)


# Deprecated, as this whole module is.
@tool(ProposeCommitsArgs)
def propose_commits(args: ProposeCommitsArgs, **_: Any) -> ProposeCommitsArgs:
    """Propose all commits at once."""
    return args


def propose(
    client: LLMClient,
    messages: Sequence[Json],
    take: Callable[[ProposeCommitsArgs], Result],
    *,
    hunks: Sequence[str],
    types: Sequence[str],
    request: ModelRequest,
) -> Result:
    """Ask for the whole plan, and return the result of `take` for it; if that raises ToolRetry, ask once more.

    `hunks` and `types` are those that the model can name. Raise NoTerminalCall if there is no usable plan.
    """
    tool_for_all = _restrict(hunks, types)
    sample = json.dumps(SAMPLE_OUTPUT, ensure_ascii=False)
    wanted = (
        f"No tools are available. Return all commits at once, in the format of this plan for another change: {sample}"
    )
    asked = [*messages, {"role": "user", "content": wanted}]
    for answer in range(1, _ANSWERS_ASKED + 1):
        request.log(f"[{answer}/{_ANSWERS_ASKED}] propose_commits")
        call, data = client.call_with_tool(asked, tool_for_all, deadline=request.deadline)
        said = client.extract_text_content(data)
        rejection = ""
        if call is not None:
            try:
                return take(propose_commits(read_arguments(propose_commits, call.arguments)))
            except ToolRetry as refusal:
                rejection = str(refusal)
                request.log(f"[{answer}/{_ANSWERS_ASKED}] propose_commits rejected: {rejection[:300]}")
            said = said or json.dumps(call.arguments, ensure_ascii=False)
        reason, hint = explain_end(client, data, name_of(propose_commits), turns=answer, rejection=rejection)
        asked += [
            {"role": "assistant", "content": said[:8000] or "..."},
            {"role": "user", "content": f"Rejected: {(rejection or reason)[:2000]}. Return the whole plan again."},
        ]
    raise NoTerminalCall(reason, hint=hint)


def _restrict(hunks: Sequence[str], types: Sequence[str]) -> Callable[..., ProposeCommitsArgs]:
    """Return the tool with a schema that allows no other names: a server that enforces it needs no second try."""

    @wraps(propose_commits)
    def restricted(args: ProposeCommitsArgs, **kwargs: Any) -> ProposeCommitsArgs:
        return propose_commits(args, **kwargs)

    spec = deepcopy(spec_of(propose_commits))
    parts = spec["function"]["parameters"]["properties"]["commits"]["items"]["properties"]
    parts["type"]["enum"] = list(types)
    parts["hunks"]["items"]["enum"] = list(hunks)
    parts["hunks"]["minItems"] = 1
    vars(restricted)["_tool_spec"] = spec
    return restricted
