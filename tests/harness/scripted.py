"""Claude Code, scripted: what it documents about its hooks, tools and answers, and no model.

It reads the settings as the product does, starts the hooks whose matcher fits with the documented JSON, and takes only
answers that fit the documented schema: anything else is an error here, where the product would go on.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]

EVENTS = {
    "start": "SessionStart", "before": "PreToolUse", "after": "PostToolUse", "stop": "Stop", "end": "SessionEnd",
}  # fmt: skip
FILES = (".claude/settings.json", ".claude/settings.local.json")
FIELDS = {
    "continue": bool, "stopReason": str, "suppressOutput": bool, "systemMessage": str, "decision": str, "reason": str,
    "hookSpecificOutput": dict,
}  # fmt: skip
# Fields of `hookSpecificOutput`, beside `hookEventName`.
SPECIFIC: Mapping[str, Mapping[str, type]] = {
    "SessionStart": {"additionalContext": str},
    "PreToolUse": {"permissionDecision": str, "permissionDecisionReason": str, "additionalContext": str},
    "PostToolUse": {"additionalContext": str},
}


class Answer(NamedTuple):
    """What the hooks of an event say: why the tool must not run or the turn not end, and what the model is told."""

    refusal: str | None = None
    context: str = ""


class Ran(NamedTuple):
    """How a shell command ended; `refusal` is set where the hooks did not let it start."""

    refusal: str | None
    status: int
    stdout: str
    stderr: str


def check_fields(value: object, fields: Mapping[str, type]) -> Json:
    """A JSON object that has no fields but `fields`, of these types."""
    assert isinstance(value, dict), f"not an object: {value!r}"
    for name, content in value.items():
        assert name in fields, f"unknown field {name}: {value}"
        assert isinstance(content, fields[name]), f"{name} is not a {fields[name].__name__}: {value}"
    return value


class Claude:
    """A session; `edit`, `write`, `read` and `shell` are tools that a model would call."""

    product = "claude"

    def __init__(self, root: Path, session: str) -> None:
        self.root = root
        self.session = session
        self.calls = 0
        self.started: list[str] = []

    def find_handlers(self, event: str, subject: str) -> Iterator[tuple[str, float]]:
        """The commands that are configured for an event of a tool, and their time limits."""
        seen = set()
        for path in (Path(os.environ["HOME"]) / FILES[0], *(self.root / name for name in FILES)):
            settings = json.loads(path.read_text()) if path.exists() else {}
            for group in settings.get("hooks", {}).get(event, []):
                if event != "Stop" and subject not in group.get("matcher", subject).split("|"):
                    continue
                for hook in group["hooks"]:
                    assert hook["type"] == "command"
                    assert "if" not in hook, "the permission rule sees less than the command"
                    if hook["command"] not in seen:
                        seen.add(hook["command"])
                        yield hook["command"], hook.get("timeout", 600)

    def describe(self, event: str, fields: Json) -> Json:
        """The JSON of an event; `fields` has `tool`, `input`, `response`, `call`, `active` where they apply."""
        payload: Json = {"session_id": self.session, "transcript_path": "/t.jsonl", "cwd": str(self.root)}
        payload |= {"hook_event_name": event, "permission_mode": "default"}
        if event == "SessionStart":
            payload |= {"source": fields["source"]}
        elif event == "SessionEnd":
            payload |= {"reason": "other"}
        elif event == "Stop":
            payload |= {"stop_hook_active": fields["active"], "last_assistant_message": "Done."}
        else:
            payload |= {"tool_name": fields["tool"], "tool_input": fields["input"], "tool_use_id": fields["call"]}
        if event == "PostToolUse":
            payload |= {"tool_response": fields["response"]}
        return payload

    def read_answer(self, event: str, ended: subprocess.CompletedProcess[str]) -> Answer:
        assert ended.returncode == 0, ended.stderr
        if not ended.stdout.strip():
            return Answer()
        answer = check_fields(json.loads(ended.stdout), FIELDS)
        assert answer.get("continue", True), "nothing here may stop the agent"
        specific = answer.get("hookSpecificOutput", {})
        if specific:
            check_fields(specific, {"hookEventName": str, **SPECIFIC[event]})
            assert specific["hookEventName"] == event
        assert specific.get("permissionDecision", "deny") == "deny", "nothing else is decided"
        refusal = specific.get("permissionDecisionReason")
        if answer.get("decision") == "block":
            assert event == "Stop"
            refusal = answer["reason"]
        assert refusal is None or refusal.strip()
        return Answer(refusal, specific.get("additionalContext", ""))

    def fire(self, purpose: str, subject: str = "", **fields: Any) -> Answer:
        """Start the hooks of an event, one after another, and join their answers."""
        refusal: str | None = None
        context = ""
        event = EVENTS[purpose]
        for command, timeout in self.find_handlers(event, subject):
            assert 1 <= timeout <= 600, f"not a sensible time limit: {timeout}"
            self.started.append(event)
            ended = subprocess.run(
                ["sh", "-c", command], cwd=self.root, env={**os.environ, "CLAUDECODE": "1"},
                input=json.dumps(self.describe(event, fields)), capture_output=True, text=True, timeout=timeout,
                check=False,
            )  # fmt: skip
            answer = self.read_answer(event, ended)
            refusal = refusal or answer.refusal
            context += answer.context
        assert len(context) < 9000, "the product would cut it"
        return Answer(refusal, context)

    def start(self, source: str = "startup") -> Answer:
        return self.fire("start", source, source=source)

    def end(self) -> Answer:
        return self.fire("end")

    def stop(self, *, active: bool = False) -> str | None:
        """End the turn; returns what the model is told if it may not."""
        return self.fire("stop", active=active).refusal

    def call(self, tool: str, arguments: Json, work: Callable[[], Json]) -> tuple[str | None, str]:
        """Call a tool between its two events; returns why it was refused, and what is told after it."""
        self.calls += 1
        call = {"tool": tool, "input": arguments, "call": f"call-{self.calls}"}
        refusal = self.fire("before", tool, **call).refusal
        if refusal is not None:
            return refusal, ""
        return None, self.fire("after", tool, **call, response=work()).context

    def edit(self, name: str, old: str, new: str, meanwhile: Callable[[], None] | None = None) -> None:
        """Replace the only `old` of a file; `meanwhile` happens between the event and the tool."""
        path = self.root / name

        def work() -> Json:
            if meanwhile is not None:
                meanwhile()
            before = path.read_text()
            assert before.count(old) == 1, (name, old)
            path.write_text(before.replace(old, new))
            texts = {"oldString": old, "newString": new, "originalFile": before}
            return {"filePath": str(path), **texts, "structuredPatch": []}

        refusal, _ = self.call("Edit", {"file_path": str(path), "old_string": old, "new_string": new}, work)
        assert refusal is None, refusal

    def write(self, name: str, content: str) -> None:
        path = self.root / name

        def work() -> Json:
            kind = "update" if path.exists() else "create"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            return {"type": kind, "filePath": str(path), "content": content}

        refusal, _ = self.call("Write", {"file_path": str(path), "content": content}, work)
        assert refusal is None, refusal

    def read(self, name: str) -> None:
        path = str(self.root / name)
        self.call("Read", {"file_path": path}, lambda: {"type": "text", "file": {"filePath": path, "content": ""}})

    def shell(self, command: str) -> Ran:
        ran = Ran(None, -1, "", "")

        def work() -> Json:
            nonlocal ran
            done = subprocess.run(
                ["bash", "-c", command], cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=60, check=False, env={**os.environ, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.session},
            )  # fmt: skip
            ran = Ran(None, done.returncode, done.stdout, done.stderr)
            return {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False, "isImage": False}

        refusal, _ = self.call("Bash", {"command": command}, work)
        return ran._replace(refusal=refusal)
