"""The answer in what a program prints: as it is, or in the JSON that coding agents print for scripts.

Sources: `claude -p`, `cursor-agent -p` and `qwen` with `--output-format json` or `stream-json`, `gemini -o json`,
`codex exec --json`, `opencode run --format json`; each as an object, a list of events, or an event per line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from smartcommit.errors import LLMReplyError
from smartcommit.llm.json_repair import as_object, is_shallow
from smartcommit.secrets.scan import redact

# Types of an event or of an item in it that hold what the model says, apart from its thoughts.
_SAID = ("agent_message", "assistant_message", "assistant", "message", "text")
# Characters of an error that are shown.
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
            # Some errors before it were only tries.
            answer, error = said, None
        error = _read_error(event) or error
    if error is not None:
        raise LLMReplyError(f"the program failed: {redact(' '.join(error.split()))[:_REASON_CHARACTERS]}")
    return answer or printed


def _list_events(printed: str) -> Sequence[Mapping[str, object]]:
    """Return the events in `printed`: the last object alone, if it is the only one; empty if there is other text."""
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
    """Whether an object is of such a program rather than a model's."""
    kind = str(event.get("type"))
    if kind == "result" or "." in kind or "sessionID" in event or isinstance(event.get("msg"), dict):
        return True
    return ("response" in event or "error" in event) and ("stats" in event or "session_id" in event)


def _read_final(event: Mapping[str, object]) -> str | None:
    """Return the whole answer if `event` has it, as the last one of most programs does."""
    shaped = event.get("structured_output")
    if isinstance(shaped, dict):
        return json.dumps(shaped, ensure_ascii=False)
    for key in ("result", "response"):
        if isinstance(event.get(key), str):
            return str(event[key])
    return None


def _read_text(event: Mapping[str, object]) -> str:
    """Return what the model says in one event, empty if it is about anything else."""
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
    """Return why a program has no answer, None if it has or if it goes on."""
    if event.get("is_error") is True:
        return str(event.get("result") or event.get("subtype"))
    error = event.get("error")
    if event.get("type") == "error":
        error = error or event.get("message")
    if isinstance(error, dict):
        error = error.get("message") or error
    return str(error) if error else None
