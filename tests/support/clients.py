"""Real clients of coding agents, and a model on loopback that tells them what to do by a script.

`.ci/components` installs the clients. Nothing of theirs leaves the machine: whatever is not on loopback goes to a proxy
that is not there.
"""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.components import component
from tests.support.model_server import Handler

Json = dict[str, Any]
# The tool that the model calls, with its arguments.
Call = tuple[str, Json | str]
_NOWHERE = "http://127.0.0.1:9"
# How variables begin that tell of another client, in which the tests may run, of its model, or of CI.
_FOREIGN = ("AI_AGENT", "ANTHROPIC", "CI", "CLAUDE", "CODEX", "COPILOT", "GEMINI", "OPENAI", "OPENCODE", "QWEN")
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


@dataclass(frozen=True)
class Client:
    """How a product is run without a person: `{url}` is the model's address, `{prompt}` and `{folder}` what they say.

    `edit` and `shell` are its tools, and `read` has to come before an edit; `files` are its settings, below the home
    directory. It may run git's `hooks`, and say when its session `ends`.
    """

    product: str
    command: Sequence[str]
    edit: Callable[[str, str, str], Call]
    shell: Callable[[str], Call]
    read: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    hooks: bool = True
    ends: bool = True


def _replace(tool: str, path: str, old: str, new: str, **more: Any) -> Callable[[str, str, str], Call]:
    return lambda name, before, after: (tool, {path: name, old: before, new: after, **more})


def _run(tool: str, **more: Any) -> Callable[[str], Call]:
    return lambda command: (tool, {"command": command, "description": "run", **more})


def _patch(name: str, before: str, after: str) -> Call:
    lines = f"*** Update File: {os.path.basename(name)}\n@@\n-{before}+{after}"
    return "apply_patch", f"*** Begin Patch\n{lines}*** End Patch\n"


_PROVIDER = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "{url}/v1", "apiKey": "x"}}
_OPENCODE = {"model": "x/x", "provider": {"x": {**_PROVIDER, "models": {"x": {"tool_call": True}}}}}
_CODEX = """\
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
[projects."{folder}"]
trust_level = "trusted"
"""
CLIENTS = (
    Client(
        "claude", ("-p", "{prompt}", "--dangerously-skip-permissions", "--model", "sonnet"),
        _replace("Edit", "file_path", "old_string", "new_string"), _run("Bash"),
        environment={
            "ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "x", "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    Client(
        "codex",
        ("exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "{prompt}"),
        _patch, lambda command: ("exec_command", {"cmd": command}),
        environment={"OPENAI_API_KEY": "x"}, files={".codex/config.toml": _CODEX},
    ),
    Client(
        "gemini", ("-p", "{prompt}", "--yolo", "-m", "gemini-2.5-flash"),
        _replace("replace", "file_path", "old_string", "new_string", instruction="change it"),
        _run("run_shell_command"),
        environment={
            "GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        files={".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'},
        hooks=False,
    ),
    Client(
        "copilot", ("--trust-folder", "-p", "{prompt}", "--allow-all-tools", "--allow-all-paths", "--no-auto-update"),
        _replace("edit", "path", "old_str", "new_str"), _run("bash"),
        environment={
            "COPILOT_PROVIDER_BASE_URL": "{url}/v1", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_MODEL": "gpt-5",
            "COPILOT_PROVIDER_API_KEY": "x", "COPILOT_OFFLINE": "true",
        },
    ),
    Client(
        "qwen", ("-p", "{prompt}", "--yolo", "--auth-type", "openai"),
        _replace("edit", "file_path", "old_string", "new_string"), _run("run_shell_command", is_background=False),
        read="read_file", ends=False,
        environment={"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "scripted"},
    ),
    Client(
        "opencode", ("run", "{prompt}"), _replace("edit", "filePath", "oldString", "newString"), _run("bash"),
        environment={
            "OPENCODE_CONFIG_CONTENT": json.dumps(_OPENCODE), "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "npm_config_fetch_retries": "0",
        },
    ),
)  # fmt: skip


@dataclass
class ScriptedModel:
    """A model that makes `calls`, one after the other; `results` are what they have given, as the client tells it."""

    calls: Sequence[Call]
    results: Sequence[str] = ()

    def answer(self, handler: Handler) -> None:
        """Answer in the API that is asked, with events; this is a step for `model_server.serve`."""
        path = handler.path.partition("?")[0]
        for end, api in _APIS.items():
            if path.endswith(end):
                handler.begin()
                for event in api(self, handler.asked.payload):
                    name = f"event: {event['type']}\n" if "type" in event else ""
                    handler.put(f"{name}data: {json.dumps(event)}\n\n".encode())
                return
        handler.whole(200, {})

    def find_call(self, results: Sequence[str]) -> Call | None:
        """Return what to do after `results`, None if that was all. A client may ask the same twice."""
        if len(results) > len(self.results):
            self.results = results
        if len(results) < len(self.calls):
            return self.calls[len(results)]
        return None


def _answer_messages(model: ScriptedModel, payload: Json) -> list[Json]:
    """Anthropic's API. Source: its reference of Messages, "Streaming"."""
    results = []
    for message in payload["messages"]:
        for part in message["content"]:
            if isinstance(part, dict) and part["type"] == "tool_result":
                results.append(json.dumps(part.get("content")))
    call = model.find_call(results) if payload.get("tools") else None
    block: Json = {"type": "text", "text": ""}
    delta: Json = {"type": "text_delta", "text": "done"}
    if call is not None:
        block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    usage = {"input_tokens": 1, "output_tokens": 1}
    start = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": [], "usage": usage}
    stop = {"stop_reason": "end_turn" if call is None else "tool_use"}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]


def _answer_responses(model: ScriptedModel, payload: Json) -> list[Json]:
    """OpenAI's newer API. Source: its reference of Responses, "Streaming"."""
    results = [json.dumps(item.get("output")) for item in payload["input"] if item["type"].endswith("_output")]
    call, number = model.find_call(results), len(results)
    item: Json = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    if call is not None and isinstance(call[1], str):
        item = {"type": "custom_tool_call", "call_id": f"c{number}", "name": call[0], "input": call[1]}
    elif call is not None:
        item = {"type": "function_call", "call_id": f"c{number}", "name": call[0], "arguments": json.dumps(call[1])}
    item.update(id=f"i{number}", status="completed")
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}},
    ]


def _answer_chat(model: ScriptedModel, payload: Json) -> list[Json]:
    """OpenAI's older API, which the others speak too. Source: its reference of Chat, "Streaming"."""
    results = [json.dumps(message["content"]) for message in payload["messages"] if message["role"] == "tool"]
    call = model.find_call(results) if payload.get("tools") else None
    delta: Json = {"role": "assistant", "content": "done"}
    if call is not None:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        tool = {"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}
        delta = {"role": "assistant", "content": None, "tool_calls": [tool]}
    stop = "stop" if call is None else "tool_calls"
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": _USAGE},
    ]


def _answer_content(model: ScriptedModel, payload: Json) -> list[Json]:
    """Gemini's API. Source: its reference of `streamGenerateContent`."""
    results = []
    for content in payload["contents"]:
        for part in content["parts"]:
            if "functionResponse" in part:
                results.append(json.dumps(part["functionResponse"]["response"]))
    call = model.find_call(results) if payload.get("tools") else None
    part = {"text": "done"} if call is None else {"functionCall": {"name": call[0], "args": call[1]}}
    return [{"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}]


_APIS = {
    "/messages": _answer_messages,
    "/responses": _answer_responses,
    "/chat/completions": _answer_chat,
    ":streamGenerateContent": _answer_content,
}


def start(client: Client, prompt: str, port: int, folder: Path, output: Path) -> subprocess.Popen[bytes]:
    """Start `client` in `folder` with `prompt`; it asks the model at `port`, and what it prints is in `output`."""
    values = {"{url}": f"http://127.0.0.1:{port}", "{prompt}": prompt, "{folder}": str(folder)}

    def fill(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, value)
        return text

    (Path.home() / ".bash_profile").write_text(f"export PATH='{os.environ['PATH']}'\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    environment |= {"HTTP_PROXY": _NOWHERE, "HTTPS_PROXY": _NOWHERE, "NO_PROXY": "127.0.0.1,localhost"}
    environment |= {name: fill(value) for name, value in client.environment.items()}
    for name, text in client.files.items():
        path = Path.home() / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(fill(text))
    with output.open("wb") as printed:
        return subprocess.Popen(
            [component("clients", client.product), *map(fill, client.command)],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed,
            start_new_session=True,
        )  # fmt: skip
