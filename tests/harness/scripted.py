"""Coding agents' harnesses, scripted: what each product documents about its hooks, tools and answers, and no model.

Each reads the configuration files as its product does, starts the hooks whose matcher fits with the documented JSON,
and takes only answers that fit the documented schema: anything else is an error here, where the product would go on.
"""

# The tables of a product are what its class is for; nothing changes them.
# ruff: noqa: RUF012

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]


class Handler(NamedTuple):
    """A configured command: what a shell runs, after how many seconds it is killed, and which event names it."""

    command: str
    timeout: float
    event: str
    environment: Mapping[str, str] = {}


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


class Harness:
    """What the products have in common; `edit`, `write`, `read` and `shell` are tools that a model would call."""

    product = ""
    # The events, by what they are for.
    events: Mapping[str, str] = {}
    # The names of the tools, and of their arguments in the order path, old text, new text.
    names: Mapping[str, str] = {}
    arguments: Mapping[str, tuple[str, ...]] = {}
    # What the product sets in the environment of the shell tool; `{session}` stands for the session's id.
    shell_environment: Mapping[str, str] = {}
    hook_environment: Mapping[str, str] = {}
    absolute = True

    def __init__(self, root: Path, session: str, environment: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.session = session
        self.environment = dict(os.environ if environment is None else environment)
        self.calls = 0
        self.started: list[str] = []

    # Configuration and answers: each product's own.

    def find_handlers(self, event: str, subject: str) -> Iterator[Handler]:
        raise NotImplementedError

    def describe(self, event: str, fields: Json) -> Json:
        """The JSON of an event; `fields` has `tool`, `input`, `response`, `call`, `active` where they apply."""
        raise NotImplementedError

    def read_answer(self, handler: Handler, ended: subprocess.CompletedProcess[str]) -> Answer:
        raise NotImplementedError

    # What a session consists of.

    def fire(self, purpose: str, subject: str = "", **fields: Any) -> Answer:
        """Start the hooks of an event, one after another, and join their answers."""
        refusal: str | None = None
        context = ""
        for handler in self.find_handlers(self.events[purpose], subject):
            assert 1 <= handler.timeout <= 600, f"not a sensible time limit: {handler}"
            self.started.append(handler.event)
            answer = self.read_answer(handler, self.run_hook(handler, self.describe(handler.event, fields)))
            refusal = refusal or answer.refusal
            context += answer.context
        assert len(context) < 9000, "the product would cut it"
        return Answer(refusal, context)

    def run_hook(self, handler: Handler, payload: Json) -> subprocess.CompletedProcess[str]:
        added = {
            name: value.format(root=self.root, session=self.session) for name, value in self.hook_environment.items()
        }
        return subprocess.run(
            ["sh", "-c", handler.command],
            cwd=self.root,
            env={**self.environment, **added, **handler.environment},
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            timeout=handler.timeout,
            check=False,
        )

    def start(self, source: str = "startup") -> Answer:
        return self.fire("start", source, source=source)

    def end(self) -> Answer:
        return self.fire("end", "")

    def stop(self, *, active: bool = False) -> str | None:
        """End the turn; returns what the model is told if it may not."""
        return self.fire("stop", "", active=active).refusal

    def call(self, tool: str, arguments: Json, work: Callable[[], Any]) -> tuple[str | None, Any]:
        """Call a tool between its two events; returns why it was refused, or what `work` returned."""
        self.calls += 1
        name = self.names[tool]
        call = {"tool": name, "input": arguments, "call": f"call-{self.calls}"}
        refusal = self.fire("before", name, **call).refusal
        if refusal is not None:
            return refusal, None
        response = work()
        self.fire("after", name, **call, response=self.respond(tool, arguments, response))
        return None, response

    def respond(self, tool: str, arguments: Json, response: Any) -> Any:
        return str(response)

    def locate(self, name: str) -> str:
        return str(self.root / name) if self.absolute else name

    def edit(self, name: str, old: str, new: str, meanwhile: Callable[[], None] | None = None) -> None:
        """Replace the only `old` of a file; `meanwhile` happens between the event and the tool."""

        def work() -> str:
            if meanwhile is not None:
                meanwhile()
            before = (self.root / name).read_text()
            assert before.count(old) == 1, (name, old)
            (self.root / name).write_text(before.replace(old, new))
            return before

        refusal, _ = self.call("edit", self.describe_edit(name, old, new), work)
        assert refusal is None, refusal

    def write(self, name: str, content: str) -> None:
        def work() -> str | None:
            path = self.root / name
            before = path.read_text() if path.exists() else None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            return before

        refusal, _ = self.call("write", self.describe_write(name, content), work)
        assert refusal is None, refusal

    def read(self, name: str) -> None:
        (argument,) = self.arguments["read"]
        refusal, _ = self.call("read", {argument: self.locate(name)}, (self.root / name).read_text)
        assert refusal is None, refusal

    def shell(self, command: str) -> Ran:
        added = {name: value.format(session=self.session) for name, value in self.shell_environment.items()}

        def work() -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                ["bash", "-c", command],
                cwd=self.root,
                env={**self.environment, **added},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )

        refusal, done = self.call("shell", {"command": command}, work)
        if refusal is not None:
            return Ran(refusal, -1, "", "")
        return Ran(None, done.returncode, done.stdout, done.stderr)

    def describe_edit(self, name: str, old: str, new: str) -> Json:
        path, before, after = self.arguments["edit"]
        return {path: self.locate(name), before: old, after: new}

    def describe_write(self, name: str, content: str) -> Json:
        path, text = self.arguments["write"]
        return {path: self.locate(name), text: content}


def read_json(path: Path) -> Json:
    return json.loads(path.read_text()) if path.exists() else {}


def match_names(matcher: str | None, subject: str) -> bool:
    """Claude Code's and Codex's rule: all, exact alternatives, or a regular expression that is searched."""
    if matcher in (None, "", "*"):
        return True
    assert matcher is not None
    if re.fullmatch(r"[A-Za-z0-9_|]+", matcher):
        return subject in matcher.split("|")
    return re.search(matcher, subject) is not None


COMMON = {"continue": bool, "stopReason": str, "suppressOutput": bool, "systemMessage": str}
DECISION = {"decision": str, "reason": str, "hookSpecificOutput": dict}


class Claude(Harness):
    """Claude Code."""

    product = "claude"
    events = {
        "start": "SessionStart",
        "before": "PreToolUse",
        "after": "PostToolUse",
        "stop": "Stop",
        "end": "SessionEnd",
    }
    names = {"edit": "Edit", "write": "Write", "read": "Read", "shell": "Bash"}
    arguments = {
        "edit": ("file_path", "old_string", "new_string"),
        "write": ("file_path", "content"),
        "read": ("file_path",),
    }
    shell_environment = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "{session}",
        "AI_AGENT": "claude-code_2.1.330_agent",
        "GIT_EDITOR": "true",
    }
    hook_environment = {"CLAUDE_PROJECT_DIR": "{root}", "CLAUDECODE": "1"}
    files = (".claude/settings.json", ".claude/settings.local.json")
    home = ".claude/settings.json"
    # Fields of `hookSpecificOutput`, beside `hookEventName`.
    specific: Mapping[str, Mapping[str, type]] = {
        "SessionStart": {"additionalContext": str},
        "PreToolUse": {
            "permissionDecision": str,
            "permissionDecisionReason": str,
            "updatedInput": dict,
            "additionalContext": str,
        },
        "PostToolUse": {"additionalContext": str},
        "Stop": {"additionalContext": str},
    }

    def list_files(self) -> Iterator[Path]:
        yield Path(self.environment["HOME"]) / self.home
        for name in self.files:
            yield self.root / name

    def find_handlers(self, event: str, subject: str) -> Iterator[Handler]:
        seen = set()
        for path in self.list_files():
            for group in read_json(path).get("hooks", {}).get(event, []):
                if event != "Stop" and not match_names(group.get("matcher"), subject):
                    continue
                for hook in group["hooks"]:
                    assert hook["type"] == "command"
                    assert "if" not in hook, "the permission rule sees less than the command"
                    if hook["command"] not in seen:
                        seen.add(hook["command"])
                        yield Handler(hook["command"], hook.get("timeout", 600), event)

    def describe(self, event: str, fields: Json) -> Json:
        payload: Json = {
            "session_id": self.session,
            "transcript_path": str(self.root.parent / "transcript.jsonl"),
            "cwd": str(self.root),
            "hook_event_name": event,
        }
        if event == "SessionStart":
            payload |= {"source": fields["source"]}
        elif event == "SessionEnd":
            payload |= {"reason": "other"}
        elif event == "Stop":
            payload |= {
                "permission_mode": "default",
                "stop_hook_active": fields["active"],
                "last_assistant_message": "Done.",
            }
        else:
            payload |= {
                "permission_mode": "default",
                "tool_name": fields["tool"],
                "tool_input": fields["input"],
                "tool_use_id": fields["call"],
            }
        if event == "PostToolUse":
            payload |= {"tool_response": fields["response"]}
        return payload

    def respond(self, tool: str, arguments: Json, response: Any) -> Any:
        if tool == "shell":
            return {"stdout": response.stdout, "stderr": response.stderr, "interrupted": False, "isImage": False}
        if tool == "read":
            return {"type": "text", "file": {"filePath": arguments["file_path"], "content": response}}
        if tool == "write":
            kind = "create" if response is None else "update"
            return {"type": kind, "filePath": arguments["file_path"], "content": arguments["content"]}
        return {
            "filePath": arguments["file_path"],
            "oldString": arguments["old_string"],
            "newString": arguments["new_string"],
            "originalFile": response,
            "structuredPatch": [],
        }

    def read_answer(self, handler: Handler, ended: subprocess.CompletedProcess[str]) -> Answer:
        if ended.returncode == 2:
            assert ended.stderr.strip(), "no reason"
            return Answer(refusal=ended.stderr)
        assert ended.returncode == 0, ended.stderr
        if not ended.stdout.strip():
            return Answer()
        return self.read_output(handler.event, json.loads(ended.stdout))

    def read_output(self, event: str, value: object) -> Answer:
        answer = check_fields(value, {**COMMON, **DECISION})
        assert answer.get("continue", True), "nothing here may stop the agent"
        specific = answer.get("hookSpecificOutput")
        if specific is not None:
            check_fields(specific, {"hookEventName": str, **self.specific.get(event, {})})
            assert specific["hookEventName"] == event
        specific = specific or {}
        assert specific.get("permissionDecision", "deny") == "deny", "the guard decides nothing else"
        refusal = None
        if specific.get("permissionDecision") == "deny":
            refusal = specific["permissionDecisionReason"]
        if answer.get("decision") == "block":
            assert event in ("Stop", "PreToolUse")
            refusal = answer["reason"]
        assert refusal is None or refusal.strip()
        return Answer(refusal, specific.get("additionalContext", ""))


class Codex(Claude):
    """Codex: Claude Code's events and answers, but any field that it does not know makes the hook fail."""

    product = "codex"
    names = {"edit": "apply_patch", "write": "apply_patch", "shell": "Bash"}
    shell_environment = {"CODEX_CI": "1", "CODEX_THREAD_ID": "{session}"}
    hook_environment = {}
    files = (".codex/hooks.json",)
    home = ".codex/hooks.json"
    # What `matcher` may call the tool that edits.
    aliases = ("Edit", "Write")
    absolute = False

    def find_handlers(self, event: str, subject: str) -> Iterator[Handler]:
        for path in self.list_files():
            for group in read_json(path).get("hooks", {}).get(event, []):
                subjects = (subject, *self.aliases) if subject == "apply_patch" else (subject,)
                matcher = group.get("matcher")
                if event != "Stop" and not any(match_names(matcher, each) for each in subjects):
                    continue
                for hook in group["hooks"]:
                    assert hook["type"] == "command"
                    yield Handler(hook["command"], hook.get("timeout", 600), event)

    def describe(self, event: str, fields: Json) -> Json:
        payload = super().describe(event, fields)
        payload |= {"model": "gpt-5", "permission_mode": "default", "transcript_path": None}
        if not event.startswith("Session"):
            payload |= {"turn_id": "turn-1"}
        return payload

    def respond(self, tool: str, arguments: Json, response: Any) -> Any:
        if tool == "shell":
            return response.stdout + response.stderr
        return "Success. Updated the following files:"

    def describe_edit(self, name: str, old: str, new: str) -> Json:
        """A patch whose lines of context are the ones around the only `old`."""
        lines = (self.root / name).read_text().splitlines()
        removed, added = old.splitlines(), new.splitlines()
        (place,) = [place for place in range(len(lines)) if removed and lines[place : place + len(removed)] == removed]
        before, after = lines[max(0, place - 3) : place], lines[place + len(removed) :][:3]
        body = [f" {line}" for line in before]
        body += [f"-{line}" for line in removed]
        body += [f"+{line}" for line in added]
        body += [f" {line}" for line in after]
        return self.describe_patch([f"*** Update File: {name}", "@@", *body])

    def describe_write(self, name: str, content: str) -> Json:
        return self.describe_patch([f"*** Add File: {name}", *(f"+{line}" for line in content.splitlines())])

    def describe_patch(self, body: list[str]) -> Json:
        return {"command": "\n".join(["*** Begin Patch", *body, "*** End Patch", ""])}

    def read(self, name: str) -> None:
        """Codex reads files by its shell."""
        assert self.shell(f"cat {name}").refusal is None

    def read_output(self, event: str, value: object) -> Answer:
        assert isinstance(value, dict)
        assert event in ("PreToolUse", "PostToolUse", "Stop") or not value.keys() & {"decision", "reason"}
        assert event != "Stop" or "hookSpecificOutput" not in value
        assert not value.keys() & {"stopReason", "suppressOutput"}, "a failed hook"
        assert value.get("reason") is None or value.get("decision") == "block", "a failed hook"
        assert "defer" not in json.dumps(value)
        return super().read_output(event, value)


HARNESSES: tuple[type[Harness], ...] = (Claude, Codex)
