"""A draft through each preset, from a stub that insists on what the provider's documentation or issues say."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from smartcommit.config import Settings, load
from smartcommit.draft.result import Draft
from smartcommit.errors import ConfigError
from smartcommit.git.repo import Repository
from smartcommit.llm import provider
from smartcommit.llm.api import OLLAMA
from smartcommit.llm.discovery import find_candidates
from smartcommit.llm.provider import PRESETS, make_api_config
from smartcommit.settings import PROVIDERS
from tests.support import model_server as server
from tests.support.drafts import draft_staged
from tests.support.model_server import Handler, ModelServer, serve
from tests.support.repository import Repo
from tests.support.table import rows

ARGUMENTS = {"type": "feat", "summary": "paint stripes"}
MESSAGE = "feat: paint stripes\n"
KEY = "sesame-key"

# What a stub says about a request: a status and an error if it refuses it, None if it answers.
Refusal = tuple[int, object] | None
Check = Callable[[Any, Mapping[str, str]], Refusal]


def answer(handler: Handler) -> None:
    """Call submit_message if it is offered, and write its arguments as JSON otherwise."""
    payload = handler.model.questions[-1].payload
    offered = [tool["function"]["name"] for tool in payload.get("tools", ())]
    if "submit_message" in offered:
        server.calls(("submit_message", ARGUMENTS))(handler)
    else:
        server.says(json.dumps(ARGUMENTS))(handler)


def insists(check: Check, then: server.Step = answer) -> server.Step:
    """Refuse what `check` refuses, and answer everything else by `then`."""

    def step(handler: Handler) -> None:
        asked = handler.model.questions[-1]
        refused = check(asked.payload, asked.headers)
        if refused is None:
            then(handler)
        else:
            handler.whole(*refused)

    return step


def has_bearer(headers: Mapping[str, str]) -> Refusal:
    if headers.get("Authorization") != f"Bearer {KEY}":
        return 401, {"error": {"message": "no key"}}
    return None


# The parameters that a provider refuses, with its words.
REFUSED = {
    "openai": {
        "max_tokens": "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'.",
        "chat_template_kwargs": "Unknown parameter: 'chat_template_kwargs'.",
    },
    # It is ignored there; being asked for it is what costs a turn.
    "anthropic": {"response_format": "asked for a response format, which is ignored"},
    "groq": {"response_format": "This model does not support response format `json_schema`"},
    "deepseek": {
        "tool_choice": "Thinking mode does not support this tool_choice",
        "response_format": "This response_format type is unavailable now",
    },
    "vllm": {"tools": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'},
}
LOCAL = ("ollama", "lmstudio", "llamacpp", "vllm")


def check(name: str, payload: Any, headers: Mapping[str, str]) -> Refusal:
    """What the provider `name` refuses of a request."""
    for field, text in REFUSED.get(name, {}).items():
        if field in payload:
            return 400, {"error": {"message": text}}
    if name == "mistral":
        return check_mistral(payload) or has_bearer(headers)
    if name == "azure" and (headers.get("api-key") != KEY or "Authorization" in headers):
        return 401, {"error": {"message": "Access denied due to invalid subscription key"}}
    if name == "lmstudio" and not isinstance(payload.get("tool_choice", ""), str):
        return 400, {"error": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}
    if name == "llamacpp" and "max_tokens" not in payload:
        return 400, {"error": {"message": "it would write until its context is full"}}
    return None if name in (*LOCAL, "azure") else has_bearer(headers)


def check_mistral(payload: Any) -> Refusal:
    known = {
        "model", "messages", "stream", "max_tokens", "temperature", "tools", "tool_choice", "parallel_tool_calls",
        "response_format",
    }  # fmt: skip
    for name in sorted(set(payload) - known):
        detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
        return 422, {"object": "error", "message": {"detail": detail}}
    for message in payload["messages"]:
        for call in message.get("tool_calls", ()):
            if len(call["id"]) != 9 or not call["id"].isalnum():
                text = f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9."
                return 400, {"object": "error", "message": text}
    return None


def stream_calls(handler: Handler, names: Sequence[str], *, first: bytes = b"") -> None:
    """Stream calls of the tools `names`, all under the index 0, after `first`."""
    handler.begin()
    handler.put(first)
    for name in names:
        arguments = json.dumps(ARGUMENTS if name == "submit_message" else {})
        call = {"index": 0, "id": f"id-{name}", "type": "function", "function": {"name": name, "arguments": arguments}}
        handler.put(server.event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
    handler.put(server.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
    handler.put(b"data:[DONE]\n\n")  # some servers put no blank there


def calls_under_one_index(handler: Handler) -> None:
    """Two calls at once, as Gemini streams them: the same index, and ids of their own."""
    stream_calls(handler, ["list_changed_files", "submit_message"])


def comments_first(handler: Handler) -> None:
    """Comments before the stream, as OpenRouter sends them while it waits for a model."""
    stream_calls(handler, ["submit_message"], first=b": OPENROUTER PROCESSING\n\n" * 3)


def writes_the_call(handler: Handler) -> None:
    """A call in the text, as LM Studio passes on what it cannot parse."""
    call = {"name": "submit_message", "arguments": ARGUMENTS}
    server.says(f"<tool_call>{json.dumps(call)}</tool_call>")(handler)


# How a preset's stub answers, unless by `answer`.
STEPS: dict[str, server.Step] = {
    "gemini": calls_under_one_index, "openrouter": comments_first, "lmstudio": writes_the_call,
}  # fmt: skip


@pytest.fixture
def stub(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A stub at the address of the preset `name`."""
    row = PRESETS[name]
    with serve(row.dialect) as running:
        monkeypatch.setitem(provider.PRESETS, name, replace(row, base=running.base))
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{running.port}")
        yield running


def make(repo: Repo, name: str, **environment: str) -> Draft:
    """The draft for the staged change in `repo`, by the preset `name`."""
    repository = Repository.find(str(repo.path))
    given = {"SMARTCOMMIT_PROVIDER": name, "SMARTCOMMIT_MODEL": "m", "SMARTCOMMIT_ALLOW_REMOTE": "true", **environment}
    settings = load(repository.worktree, environment={**os.environ, **given})
    return draft_staged(repository, settings)


def test_every_provider_has_a_row() -> None:
    assert set(PRESETS) == set(PROVIDERS) - {"auto", "embedded", "command"}


@pytest.mark.parametrize("name", PRESETS)
def test_a_draft_costs_no_request_for_a_known_quirk(staged: Repo, stub: ModelServer, name: str) -> None:
    refused: list[object] = []

    def note(payload: Any, headers: Mapping[str, str]) -> Refusal:
        found = check(name, payload, headers)
        refused.extend(filter(None, [found]))
        return found

    stub.script[:] = [insists(note, STEPS.get(name, answer))]
    made = make(staged, name, SMARTCOMMIT_API_KEY=KEY)
    assert (made.text, made.engine, made.reason) == (MESSAGE, "m", None)
    # Whether vLLM was started with a parser for tools cannot be known before.
    assert len(refused) <= (name == "vllm"), refused


@rows("name", "openai", "mistral", "deepseek")
def test_the_same_quirks_are_learned_at_an_unknown_address(staged: Repo, name: str) -> None:
    with serve("openai", insists(partial(check, name))) as running:
        made = make(staged, "openai", SMARTCOMMIT_API_BASE=running.base, SMARTCOMMIT_API_KEY=KEY)
    assert (made.text, made.reason) == (MESSAGE, None)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Your organization must be verified to stream this model.", "stream"),
        ("stream_options is not supported", "stream_options"),
    ],
)
def test_a_server_without_streaming_is_asked_for_a_whole_answer(staged: Repo, text: str, field: str) -> None:
    def check(payload: Any, headers: Mapping[str, str]) -> Refusal:
        return (400, {"error": {"message": text}}) if payload.get(field) else None

    def then(handler: Handler) -> None:
        if handler.model.questions[-1].payload.get("stream"):
            answer(handler)
        else:
            server.says_at_once(json.dumps({"name": "submit_message", "arguments": ARGUMENTS}))(handler)

    with serve("openai", insists(check, then)) as running:
        made = make(staged, "openai", SMARTCOMMIT_API_BASE=running.base)
    assert (made.text, made.reason) == (MESSAGE, None)
    assert len(running.questions) == 2


@rows("status", 400, 500)
def test_a_server_without_a_system_role_gets_it_in_the_first_message(staged: Repo, status: int) -> None:
    def check(payload: Any, headers: Mapping[str, str]) -> Refusal:
        roles = [message["role"] for message in payload["messages"]]
        return (status, {"error": {"message": "System role not supported"}}) if "system" in roles else None

    with serve("openai", insists(check)) as running:
        made = make(staged, "llamacpp", SMARTCOMMIT_API_BASE=running.base)
    assert (made.text, made.reason) == (MESSAGE, None)
    first = running.questions[-1].payload["messages"][0]
    assert first["role"] == "user"
    assert "zebra.py" in first["content"]


def test_what_could_draft_is_found_first_what_stays_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for preset in PRESETS.values():
        for variable in preset.key_variables:
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    (tmp_path / "llm").write_text("#!/bin/sh\n")
    (tmp_path / "llm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with serve(OLLAMA) as running:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{running.port}")
        running.names = ["glm:cloud", "nomic-embed-text", *(f"m{number}" for number in range(12))]
        here, *elsewhere = find_candidates()[10:]
    assert (here.name, here.description) == ("m10", "ollama, on this machine")
    assert [(each.name, each.description, each.list_settings().get("allow-remote")) for each in elsewhere] == [
        ("glm:cloud", "ollama, sends the change through Ollama to its cloud", "true"),
        ("groq", "GROQ_API_KEY is set, sends the change to api.groq.com", "true"),
        ("llm", "sends the change to the provider of its model", "true"),
    ]


def settings(**environment: str) -> Settings:
    return Settings(environment={f"SMARTCOMMIT_{name}": value for name, value in environment.items()})


VARIABLES = {
    "OPENAI_API_KEY": "openai-key", "ANTHROPIC_API_KEY": "anthropic-key", "GOOGLE_API_KEY": "google-key",
    "AZURE_OPENAI_API_KEY": "azure-key",
}  # fmt: skip
REMOTE = {"ALLOW_REMOTE": "true", "MODEL": "m"}
AT_AZURE = "https://zoo.openai.azure.com"


@rows(
    ("given", "key"),
    ({"PROVIDER": "openai", **REMOTE}, "openai-key"),
    ({"PROVIDER": "anthropic", **REMOTE}, "anthropic-key"),
    ({"PROVIDER": "gemini", **REMOTE}, "google-key"),
    ({"PROVIDER": "azure", "API_BASE": f"{AT_AZURE}/openai/v1", **REMOTE}, "azure-key"),
    ({"PROVIDER": "openai", "API_KEY": "own", **REMOTE}, "own"),
    ({"PROVIDER": "openai", "API_KEY": " own\n", **REMOTE}, "own"),
    ({"PROVIDER": "openai", "MODEL": "m"}, None),
    ({"PROVIDER": "openai", "API_BASE": "https://elsewhere.example/v1", **REMOTE}, None),
    ({"PROVIDER": "openai", "API_BASE": "https://api.openai.com/v1/", **REMOTE}, "openai-key"),
    ({"PROVIDER": "groq", **REMOTE}, None),
    ({"API_BASE": "https://api.openai.com/v1", **REMOTE}, None),
)
def test_a_key_in_the_environment_goes_to_its_provider_alone(given: dict[str, str], key: str | None) -> None:
    assert make_api_config(settings(**given), VARIABLES).key == key


@rows(
    ("base", "url"),
    (f"{AT_AZURE}/openai/v1", f"{AT_AZURE}/openai/v1/chat"),
    (f"{AT_AZURE}/openai/deployments/d?api-version=2025-01-01-preview",
     f"{AT_AZURE}/openai/deployments/d/chat?api-version=2025-01-01-preview"),
)  # fmt: skip
def test_a_deployment_at_azure_keeps_its_version(base: str, url: str) -> None:
    config = make_api_config(settings(PROVIDER="azure", API_BASE=base, **REMOTE), VARIABLES)
    assert config.make_url("/chat") == url
    assert config.make_headers() == {"api-key": "azure-key"}


def test_azure_without_an_address_is_an_error_with_a_hint() -> None:
    with pytest.raises(ConfigError, match="needs the address of your resource") as caught:
        make_api_config(settings(PROVIDER="azure", **REMOTE))
    assert "smartcommit.apiBase https://NAME.openai.azure.com" in (caught.value.hint or "")


@rows(
    ("base", "dialect", "quirks"),
    ("https://generativelanguage.googleapis.com/v1beta/openai", "openai", PRESETS["gemini"].quirks),
    ("https://api.deepseek.com", "openai", PRESETS["deepseek"].quirks),
    ("http://127.0.0.1:1234", OLLAMA, frozenset()),
)
def test_a_known_address_needs_no_provider(base: str, dialect: str, quirks: frozenset[str]) -> None:
    config = make_api_config(settings(API_BASE=base, **REMOTE), {})
    assert (config.provider, config.quirks) == (dialect, quirks)


def test_headers_of_the_user_are_sent_and_never_shown(staged: Repo) -> None:
    headers = "X-Team: zoo\nAuthorization: Basic c2VzYW1l"
    with serve("openai", server.refuses(403, "no access for Basic c2VzYW1l")) as running:
        made = make(
            staged, "openai", SMARTCOMMIT_API_BASE=running.base, SMARTCOMMIT_API_KEY=KEY, SMARTCOMMIT_HEADER=headers
        )
    sent = running.questions[0].headers
    assert (sent["X-Team"], sent["Authorization"]) == ("zoo", "Basic c2VzYW1l")
    assert "answered 403: no access for (key)" in str(made.reason)


@rows("header", "X-Team", "X Team: zoo", ": zoo", "X-Team:", "X-Team: zoo\x07", "X-Team: zoö")
def test_a_header_that_cannot_be_sent_is_refused(header: str) -> None:
    with pytest.raises(ConfigError, match="for SMARTCOMMIT_HEADER"):
        settings(HEADER=header)
