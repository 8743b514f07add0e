"""Reads the answer in the output of a program: plain text, or the JSON that coding agents print for scripts.

Sources: `claude -p`, `cursor-agent -p` and `qwen` with `--output-format json` or `stream-json`, `gemini -o json`,
`codex exec --json`, `opencode run --format json`; each as an object, a list of events, or an event per line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from smartcommit.errors import LLMReplyError
from smartcommit.llm.loose_json import as_object, is_shallow
from smartcommit.secrets.scan import redact

# Types of events, or of items in events, with what the model says except for its thoughts.
_SAID = ("agent_message", "assistant_message", "assistant", "message", "text")
# Maximum characters of an error that are shown.
_REASON_CHARACTERS = 200


def read_output(printed: str) -> str:
    """Return the model's answer in `printed`. Raise LLMReplyError if the events say that there is none."""
    answer, error = "", ""
    for event in _list_events(printed):
        said = _read_text(event)
        if said:
            # Earlier errors did not keep the program from answering.
            answer, error = answer + said if event.get("delta") is True else said, ""
        error = _read_error(event) or error
    if error:
        raise LLMReplyError(f"the program failed: {redact(' '.join(error.split()))[:_REASON_CHARACTERS]}")
    return answer or printed


def _list_events(printed: str) -> Sequence[Mapping[str, object]]:
    """Return the events in `printed`, in order: one object, a list, or an object per line; empty if there are none."""
    try:
        found = json.loads(printed)
    except (ValueError, RecursionError):
        # Some programs print a line or two of their own before the events.
        found = [as_object(line) for line in printed.split("\n") if line.lstrip().startswith("{")]
    events = found if isinstance(found, list) else [found]
    if not all(isinstance(event, dict) and is_shallow(event) for event in events):
        return ()
    return events if any(map(_is_event, events)) else ()


def _is_event(event: Mapping[str, object]) -> bool:
    """Whether an object comes from a coding agent and not from the model itself."""
    kind = str(event.get("type"))
    if kind == "result" or "." in kind or "sessionID" in event or isinstance(event.get("msg"), dict):
        return True
    return ("response" in event or "error" in event) and ("stats" in event or "session_id" in event)


def _read_text(event: Mapping[str, object]) -> str:
    """Return what the model says in an event, the whole answer in the last one of most programs; else nothing."""
    if isinstance(event.get("structured_output"), dict):
        return json.dumps(event["structured_output"], ensure_ascii=False)
    texts = [event.get("result"), event.get("response")]
    for item in (event.get("item"), event.get("part"), event.get("msg"), event):
        is_said = isinstance(item, dict) and (item.get("type") or item.get("item_type")) in _SAID
        if isinstance(item, dict) and is_said and event.get("role") != "user":
            texts += map(item.get, ("text", "content", "message"))
    return next((text for text in texts if isinstance(text, str)), "")


def _read_error(event: Mapping[str, object]) -> str:
    """Return the error that an event reports, empty if there is none."""
    error = event.get("error")
    if event.get("is_error") is True:
        error = event.get("result") or event.get("subtype")
    elif event.get("type") == "error":
        error = error or event.get("message")
    if isinstance(error, dict):
        error = error.get("message") or error
    return str(error or "")
