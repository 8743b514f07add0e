"""Reads the answer in the output of a program: plain text, or the JSON that coding agents print for scripts.

Sources: `claude -p`, `cursor-agent -p` and `qwen` with `--output-format json` or `stream-json`, `gemini -o json`,
`codex exec --json`, `opencode run --format json`; each as an object, a list of events, or an event per line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from smartcommit.errors import LLMReplyError
from smartcommit.llm.json_repair import as_object, is_shallow
from smartcommit.secrets.scan import redact

# Types of events, or of items in events, with what the model says except for its thoughts.
_SAID = ("agent_message", "assistant_message", "assistant", "message", "text")
# Maximum characters of an error that are shown.
_REASON_CHARACTERS = 200


def read_output(printed: str) -> str:
    """Return the model's answer in `printed`. Raise LLMReplyError if the events say that there is none."""
    answer, error = "", None
    for event in _list_events(printed):
        said = _read_final(event)
        if said is None:
            said = _read_text(event)
            if said and event.get("delta") is True:
                said = answer + said
        if said:
            # Earlier errors did not keep the program from answering.
            answer, error = said, None
        error = _read_error(event) or error
    if error is not None:
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
    if not any(map(_is_event, events)):
        return ()
    return events


def _is_event(event: Mapping[str, object]) -> bool:
    """Whether an object comes from a coding agent and not from the model itself."""
    kind = str(event.get("type"))
    if kind == "result" or "." in kind or "sessionID" in event or isinstance(event.get("msg"), dict):
        return True
    return ("response" in event or "error" in event) and ("stats" in event or "session_id" in event)


def _read_final(event: Mapping[str, object]) -> str | None:
    """Return the whole answer if `event` has it, as the last event of most programs does, else None."""
    shaped = event.get("structured_output")
    if isinstance(shaped, dict):
        return json.dumps(shaped, ensure_ascii=False)
    for key in ("result", "response"):
        if isinstance(event.get(key), str):
            return str(event[key])
    return None


def _read_text(event: Mapping[str, object]) -> str:
    """Return what the model says in an event, empty if the event is about something else."""
    if event.get("role") == "user":
        return ""
    for item in (event.get("item"), event.get("part"), event.get("msg"), event):
        if not isinstance(item, dict) or (item.get("type") or item.get("item_type")) not in _SAID:
            continue
        for key in ("text", "content", "message"):
            if isinstance(item.get(key), str):
                return str(item[key])
    return ""


def _read_error(event: Mapping[str, object]) -> str | None:
    """Return the error that an event reports, or None."""
    if event.get("is_error") is True:
        return str(event.get("result") or event.get("subtype"))
    error = event.get("error")
    if event.get("type") == "error":
        error = error or event.get("message")
    if isinstance(error, dict):
        error = error.get("message") or error
    return str(error) if error else None
