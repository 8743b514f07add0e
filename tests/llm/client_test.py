"""The client against a scripted server, in both dialects."""

import json
import os
import socket
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from smartcommit.agent.tool import inline
from smartcommit.errors import (
    ConfigError,
    LLMConnectError,
    LLMError,
    LLMPromptTooLong,
    LLMReplyError,
    LLMStatusError,
    LLMTimeout,
)  # fmt: skip
from smartcommit.llm.api import NO_SCHEMA, NO_SYSTEM, ApiConfig, ToolCall, choose_output
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline
from tests.support import model_server as server
from tests.support.model_server import ModelServer, Step, serve
from tests.support.table import rows


class SayArgs(BaseModel):
    """Say something."""

    text: str


def say(args: SayArgs, **_: object) -> str:
    return args.text


SPEC = {
    "type": "function",
    "function": {"name": "say", "description": "", "parameters": inline(SayArgs.model_json_schema(), {})},
}
say._tool_spec = SPEC  # type: ignore[attr-defined]
HELLO = [{"role": "user", "content": "hello"}]


def connect(running: ModelServer, *script: Step, **options: Any) -> LLMClient:
    """A client of a server that answers by `script`, and has not been asked yet."""
    running.script[:] = script
    running.asked.clear()
    return LLMClient(running.config(**options))


def ask(model: ModelServer, *script: Step, tools: bool = False, seconds: float = 30, **options: Any) -> tuple[Any, Any]:
    """The client and its answer to one question."""
    client = connect(model, *script, **options)
    return client, client.chat(HELLO, [SPEC] if tools else (), deadline=Deadline(seconds))


def test_a_streamed_text_arrives_whole(model: ModelServer) -> None:
    client, data = ask(model, server.says("feat: add a thing ✓ to everything", counted=40))
    assert client._extract_text_content(data) == "feat: add a thing ✓ to everything"
    assert (client.usage.prompt, client.usage.output, client.usage.requests) == (40, 5, 1)


def test_all_calls_of_one_reply_are_found(model: ModelServer) -> None:
    client, data = ask(model, server.calls(("say", {"text": "a"}), ("say", {"text": "b"})), tools=True)
    calls = client.extract_tool_calls(data)
    assert [(call.name, call.arguments) for call in calls] == [("say", {"text": "a"}), ("say", {"text": "b"})]
    ids = [call.call_id for call in calls]
    assert ids == ([None, None] if model.dialect == "ollama" else ["id0", "id1"])


@rows("ids", ["x", "x"], [None, None], [7, ""])
def test_ids_that_cannot_be_answered_are_replaced(ids: list[object]) -> None:
    with serve("openai") as model:
        client, data = ask(model, server.calls(("say", {"text": "a"}), ("say", {"text": "b"}), ids=ids), tools=True)
    first, second = (call.call_id for call in client.extract_tool_calls(data))
    assert len({first, second, None, ""}) == 4
    formatted = client._format_assistant_tool_call(data)
    assert [call["id"] for call in formatted["tool_calls"]] == [first, second]


@rows("arguments", {"text": "a"}, '{"text": "a"}', json.dumps('{"text": "a"}'))
def test_arguments_are_read_in_every_form(model: ModelServer, arguments: object) -> None:
    client, data = ask(model, server.calls(("say", arguments)), tools=True)
    assert [call.arguments for call in client.extract_tool_calls(data)] == [{"text": "a"}]


def test_arguments_that_are_no_json_are_kept_for_the_answer_and_never_sent_back(model: ModelServer) -> None:
    client, data = ask(model, server.calls(("say", '{"text": ')), tools=True)
    (call,) = client.extract_tool_calls(data)
    assert call.arguments == '{"text": '
    sent = client._format_assistant_tool_call(data)["tool_calls"][0]["function"]["arguments"]
    assert sent == ({} if model.dialect == "ollama" else "{}")


def test_names_and_ids_of_any_length_are_cut(model: ModelServer) -> None:
    step = server.calls(("n" * 1_000_000, {}), ids=["i" * 1_000_000])
    client, data = ask(model, step, tools=True)
    (call,) = client.extract_tool_calls(data)
    assert call.name == "n" * 64
    assert call.call_id == (None if model.dialect == "ollama" else "call00001")
    assert len(json.dumps(client._format_assistant_tool_call(data))) < 1000


def test_an_answer_is_worked_on_up_to_a_limit(model: ModelServer) -> None:
    client, data = ask(model, server.says_at_once("<think|" * 180_000))
    assert len(client._extract_text_content(data)) == 1 << 16
    large = {"text": "x" * 40_000}
    client, data = ask(model, server.calls(("say", large), ("say", large), ("say", {"text": "a"})), tools=True)
    assert [call.arguments for call in client.extract_tool_calls(data)] == [
        large,
        json.dumps(large)[:100],
        {"text": "a"},
    ]


@rows("depth", 100, 490, 950, 1000, 100_000)
def test_json_that_is_nested_too_deeply_is_none(model: ModelServer, depth: int) -> None:
    if model.dialect == "ollama":
        with pytest.raises(LLMReplyError, match="nested too deeply"):
            ask(model, server.nests("say", depth), tools=True)
    else:
        client, data = ask(model, server.nests("say", depth), tools=True)
        assert [type(call.arguments) for call in client.extract_tool_calls(data)] == [str]


@rows(
    ("content", "text", "calls"),
    ('<tool_call>{"name": "say", "arguments": {"text": "a"}}</tool_call>', "", [{"text": "a"}]),
    ('{"name": "rm", "arguments": {}}', '{"name": "rm", "arguments": {}}', []),
    ("<think>a</think>b", "b", []),
)
def test_calls_are_found_without_thoughts(model: ModelServer, content: str, text: str, calls: list[object]) -> None:
    client, data = ask(model, server.says(content, thinking="a field of their own"), tools=True)
    assert client._extract_text_content(data) == text
    assert [call.arguments for call in client.extract_tool_calls(data)] == calls


WORDINGS = (
    "litellm.UnsupportedParamsError: openai does not support parameters: ['{}'], for model=m.",
    "Unrecognized request argument supplied: {}",
    "{}: Extra inputs are not permitted",
    "property '{}' is unsupported",
    "unknown field `{}`",
    "Parameter {} is not allowed here.",
)


def refuses_named(wording: str, *names: str, status: int = 400) -> Step:
    """A server that refuses each of these parameters as long as it is sent."""

    def step(handler: server.Handler) -> None:
        payload = handler.model.questions[-1].payload
        for name in names:
            if name in payload:
                server.refuses(status, wording.format(name))(handler)
                return
        server.says("b")(handler)

    return step


def refuses_by_field(handler: server.Handler) -> None:
    """A server that names what it refuses in a field of its error alone."""
    if "max_tokens" in handler.model.questions[-1].payload:
        handler.whole(400, {"error": {"message": "Unsupported parameter", "param": "max_tokens"}})
    else:
        server.says("b")(handler)


def test_a_parameter_that_a_server_refuses_in_any_words_is_left_out() -> None:
    limits = ("max_tokens", "max_completion_tokens")
    rows = [("openai", "by a field", refuses_by_field)]
    for wording in WORDINGS:
        for names in (limits[:1], limits, ("stream_options",), ("stream_options", *limits)):
            rows.append(("openai", f"{wording} {names}", refuses_named(wording, *names)))
        for names in (("think",), ("keep_alive",), ("truncate", "shift"), ("keep_alive", "think")):
            rows.append(("ollama", f"{wording} {names}", refuses_named(wording, *names)))
    rows.append(("openai", "500", refuses_named(WORDINGS[0], *limits, status=500)))
    rows.append(("openai", "other spelling", refuses_named("maxTokens is not supported", "max_tokens")))
    rows.append(("ollama", "thinking", refuses_named('"m" does not support thinking', "think")))
    failed = []
    for dialect, name, step in rows:
        with serve(dialect, step) as model:
            client = LLMClient(model.config())
            try:
                data = client.chat(HELLO, deadline=Deadline(30))
            except LLMStatusError as error:
                failed.append(f"{dialect}, {name}: {error}")
            else:
                assert client.extract_text_content(data) == "b"
                first, last = model.questions[0].payload, model.questions[-1].payload
                assert last.get("max_completion_tokens", first.get("max_tokens")) == first.get("max_tokens")
    assert failed == []


def test_what_was_not_sent_is_not_left_out() -> None:
    for dialect, status, text in (
        ("openai", 400, "the model 'think-max' has no chat_template_kwargs"),
        ("openai", 400, "no keep_alive here"),
        ("ollama", 404, "model 'think-7b' not found"),
    ):
        with serve(dialect, server.refuses(status, text)) as model:
            with pytest.raises(LLMStatusError):
                LLMClient(model.config()).chat(HELLO, deadline=Deadline(30))
            assert len(model.questions) == 1


def test_a_prompt_that_the_server_cut_is_noticed(model: ModelServer) -> None:
    client = connect(model, server.says("b", counted=20), server.says("b", counted=40))
    with pytest.raises(LLMPromptTooLong, match="to 20 tokens"):
        client.chat([{"role": "user", "content": "word " * 1000}], deadline=Deadline(30))
    # A letter beyond ASCII has three bytes, and not the six of its escape.
    client.chat([{"role": "user", "content": "描" * 100}], deadline=Deadline(30))


FAILURES: list[tuple[Step, type[LLMError], int]] = [
    (server.refuses(400, "This model's maximum context length is 4096 tokens."), LLMPromptTooLong, 1),
    (server.refuses(400, "request exceeds the available context size, try increasing it"), LLMPromptTooLong, 1),
    (server.refuses(400, "prompt is too long: 210000 tokens > 200000 maximum"), LLMPromptTooLong, 1),
    (server.refuses(400, "The input exceeds the maximum number of tokens allowed (1048576)."), LLMPromptTooLong, 1),
    (server.refuses(401, "no such key"), LLMStatusError, 1),
    (server.refuses(403), LLMStatusError, 1),
    (server.refuses(404, "model 'scripted' not found"), LLMStatusError, 1),
    (server.busy(429), LLMStatusError, 3),
    (server.busy(500), LLMStatusError, 3),
    (server.busy(503), LLMStatusError, 3),
    (server.refuses(429, "later", ("Retry-After", "3600")), LLMStatusError, 1),
    (server.refuses(529, "overloaded", ("Retry-After", "30.5")), LLMStatusError, 1),
    (server.refuses(413, "Request too large for model `m`"), LLMPromptTooLong, 1),
    (server.refuses(429, "Request too large for m: Limit 30000, Requested 34472."), LLMPromptTooLong, 1),
    (server.page(413), LLMPromptTooLong, 1),
    (server.page(200), LLMReplyError, 1),
    (server.page(404), LLMStatusError, 1),
    (server.whole([1, 2]), LLMReplyError, 1),
    (server.whole({"choices": []}), LLMReplyError, 1),
    (server.whole({"choices": [{"delta": {"content": "b"}, "finish_reason": "stop"}]}), LLMReplyError, 1),
    (server.whole({"choices": [{"message": None, "finish_reason": "stop"}]}), LLMReplyError, 1),
    (server.endless, LLMReplyError, 1),
    (server.cut, LLMReplyError, 1),
    (server.unfinished, LLMReplyError, 1),
    (server.fails_midway, LLMStatusError, 1),
]


@rows(("step", "error", "requests"), *FAILURES)
def test_every_failure_has_its_error(model: ModelServer, step: Step, error: type[LLMError], requests: int) -> None:
    with pytest.raises(error):
        ask(model, step)
    assert len(model.questions) == requests


@rows(
    ("steps", "error", "said"),
    ([server.hangs], LLMTimeout, r"within 0\.5 s"),
    ([server.trickles], LLMTimeout, r"within 0\.5 s"),
    # What it said before is told.
    ([server.busy(503), server.hangs], LLMStatusError, "answered 503: server busy"),
)
def test_a_slow_server_is_left_at_the_deadline(
    model: ModelServer, steps: list[Step], error: type[LLMError], said: str
) -> None:
    with pytest.raises(error, match=said):
        ask(model, *steps, seconds=0.5)
    assert len(model.questions) == len(steps)


@rows("status", 429, 503, 529)
def test_a_busy_server_is_told_in_its_own_words(model: ModelServer, status: int) -> None:
    step = server.refuses(status, "Rate limit of key k-4711 reached.\n Try again in 1 min.", ("Retry-After", "60"))
    with pytest.raises(LLMStatusError) as caught:
        ask(model, step, key="k-4711")
    reason = f"answered {status}: Rate limit of key (key) reached. Try again in 1 min."
    assert str(caught.value) == f"'127.0.0.1:{model.port}' {reason}"
    assert "k-4711" not in repr(model.config(key="k-4711"))


def test_a_server_that_loads_its_model_is_asked_until_it_is_ready(model: ModelServer) -> None:
    loading = server.refuses(503, "Loading model", ("Retry-After", "0"))
    client, data = ask(model, *[loading] * 9, server.says("b"))
    assert client._extract_text_content(data) == "b"
    with pytest.raises(LLMStatusError, match="answered 503: Loading model"):
        ask(model, server.refuses(503, "Loading model"), seconds=1)


@rows(
    ("body", "said"),
    ([{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}], "API key not valid."),
    ({"error": {"message": "API key not valid."}}, "API key not valid."),
    ({"error": "API key not valid."}, "API key not valid."),
    ({"detail": [{"loc": ["body", "seed"], "msg": "Field required"}]}, "body.seed: Field required"),
    ({"type": "error", "error": {"type": "authentication_error", "message": "Not valid."}}, "Not valid."),
    ("API key not valid.", "API key not valid."),
)
def test_an_error_is_read_in_every_form(model: ModelServer, body: object, said: str) -> None:
    with pytest.raises(LLMStatusError) as caught:
        ask(model, server.whole(body, 400))
    assert str(caught.value).endswith(f"answered 400: {said}")


PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "feat: thoughts"}]},
    {"type": "text", "text": "feat: "},
    {"type": "text", "text": "b"},
]


def streams_parts(last: dict[str, object]) -> Step:
    """An answer of Mistral's models that think, in a stream that ends with the choice `last`."""

    def step(handler: server.Handler) -> None:
        handler.begin()
        for part in PARTS:
            handler.put(server.event({"choices": [{"delta": {"content": [part]}, "finish_reason": None}]}))
        handler.put(server.event({"choices": [last | {"finish_reason": "stop"}]}))

    return step


@rows(
    "step",
    server.whole({"choices": [{"message": {"role": "assistant", "content": PARTS}}]}),
    server.whole({"choices": [{"message": {"content": PARTS}, "delta": None, "finish_reason": "stop"}]}),
    streams_parts({"delta": {"content": ""}}),
    # The whole message again.
    streams_parts({"message": {"content": PARTS}}),
)
def test_an_answer_in_parts_is_their_text_without_thoughts(step: Step) -> None:
    with serve("openai", step) as model:
        client = LLMClient(model.config())
        data = client.chat(HELLO, deadline=Deadline(30))
    assert client.extract_text_content(data) == "feat: b"


def test_a_refused_connection_is_told_without_name_and_password() -> None:
    config = ApiConfig("ollama", "m", "http://me:sesame@127.0.0.1:1")
    with pytest.raises(LLMConnectError, match="connection refused") as caught:
        LLMClient(config).chat(HELLO, deadline=Deadline(30))
    assert "sesame" not in f"{caught.value} {caught.value.hint}"


def closes(handler: server.Handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def test_a_connection_that_was_closed_is_said_to_be(model: ModelServer) -> None:
    text = f"the connection to '127.0.0.1:{model.port}' was closed before it answered"
    with pytest.raises(LLMError, match=text) as caught:
        ask(model, closes)
    assert "start the server" not in str(caught.value.hint)


def test_a_proxy_by_socks_is_named_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    config = ApiConfig("openai", "m", "https://models.example.invalid/v1", allow_remote=True)
    with pytest.raises(LLMConnectError, match="SOCKS") as caught:
        LLMClient(config).chat(HELLO, deadline=Deadline(30))
    assert "pip install 'requests[socks]'" in str(caught.value.hint)


def test_a_name_and_password_of_the_machine_are_not_sent(model: ModelServer) -> None:
    path = Path(os.environ["HOME"], ".netrc")
    path.write_text("machine 127.0.0.1 login me password sesame\n")
    path.chmod(0o600)
    ask(model, server.says("b"))
    assert "Authorization" not in model.questions[0].headers


def test_another_machine_needs_to_be_allowed() -> None:
    config = ApiConfig("openai", "m", "https://models.example.invalid/v1")
    client = LLMClient(config)
    with pytest.raises(LLMConnectError, match="not allowed") as caught:
        client.chat(HELLO, deadline=Deadline(30))
    assert caught.value.hint is not None
    assert "smartcommit.allowRemote" in caught.value.hint
    assert client.usage.requests == 0


@rows("target", "http://127.0.0.1:9/", "http://elsewhere.example.invalid/v1", "/other")
def test_no_redirect_is_followed(model: ModelServer, target: str) -> None:
    with pytest.raises(LLMConnectError, match="redirects"):
        ask(model, server.redirects(target))
    assert len(model.asked) == 1


def test_this_machine_is_reached_past_a_proxy(model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    client, data = ask(model, server.says("b"))
    assert client._extract_text_content(data) == "b"


def test_another_machine_is_reached_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve("openai", server.says("b")) as proxy:
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        config = ApiConfig("openai", "m", "http://models.example.invalid/v1", allow_remote=True)
        data = LLMClient(config).chat(HELLO, deadline=Deadline(30))
        (asked,) = proxy.questions
    assert asked.path == "http://models.example.invalid/v1/chat/completions"
    assert data["choices"][0]["message"]["content"] == "b"


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate for 'localhost' with its key; the one without is 'shown.pem' beside it."""
    path, shown = tmp_path / "certificate.pem", tmp_path / "shown.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", str(path), "-out", str(shown)],
        check=True, capture_output=True,
    )  # fmt: skip
    path.write_text(path.read_text() + shown.read_text())
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    return path


def test_a_certificate_is_trusted_if_its_issuer_is_named(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve("openai", server.says("b"), certificate=certificate) as model:
        client = LLMClient(model.config(base=f"https://localhost:{model.port}/v1"))
        with pytest.raises(LLMConnectError, match=r"no secure connection to 'localhost:.*self-signed certificate"):
            client.chat(HELLO, deadline=Deadline(30))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.parent / "shown.pem"))
        assert client._extract_text_content(client.chat(HELLO, deadline=Deadline(30))) == "b"


@rows(
    ("host", "authority", "reason"),
    ("127.0.0.1", "shown.pem", "no secure connection to '127.0.0.1:.*mismatch"),
    ("localhost", "nowhere.pem", "cannot read the file with certificates"),
    ("localhost", "empty.pem", "no secure connection to 'localhost:.*'"),
)
def test_what_is_wrong_with_a_certificate_is_told(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, host: str, authority: str, reason: str
) -> None:
    (certificate.parent / "empty.pem").touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.parent / authority))
    with serve("openai", server.says("b"), certificate=certificate) as model:
        client = LLMClient(model.config(base=f"https://{host}:{model.port}/v1"))
        with pytest.raises(LLMConnectError, match=reason) as caught:
            client.chat(HELLO, deadline=Deadline(30))
    assert caught.value.hint


@rows("key", "k-47\n11", "k-4711\u20ac")
def test_a_key_that_cannot_be_sent_is_an_error_that_does_not_show_it(model: ModelServer, key: str) -> None:
    with pytest.raises(LLMError) as caught:
        LLMClient(model.config(key=key)).chat(HELLO, deadline=Deadline(30))
    assert "47" not in str(caught.value).replace(str(model.port), "")


@rows(
    ("base", "here"),
    ("http://localhost:11434", True),
    ("http://127.8.9.1", True),
    ("http://[::1]:80", True),
    ("http://127.0.0.1.example.invalid", False),
    ("http://localhost@example.invalid", False),
    ("http://10.0.0.1", False),
)
def test_this_machine_is_known_by_its_address(base: str, here: bool) -> None:
    assert ApiConfig("ollama", "m", base).loopback is here


@rows(
    ("name", "cloud"),
    ("gpt-oss:120b-cloud", True),
    ("glm-4.6:cloud", True),
    ("GLM-4.6:Cloud", True),
    ("cloud:7b", False),
    ("qwen3:8b", False),
)
def test_a_cloud_model_of_a_local_server_is_asked_if_allowed(model: ModelServer, name: str, cloud: bool) -> None:
    client = connect(model, server.says("yes"), model=name)
    if cloud:
        with pytest.raises(LLMConnectError, match=f"'{name}' is a cloud model"):
            client.chat(HELLO, deadline=Deadline(30))
        assert model.asked == []
        client = LLMClient(model.config(model=name, allow_remote=True))
    assert client.extract_text_content(client.chat(HELLO, deadline=Deadline(30))) == "yes"


@rows("base", "", "localhost:11434", "file:///etc/passwd", "http://[", "http://h:99999")
def test_an_address_that_is_no_http_url_is_refused(base: str) -> None:
    with pytest.raises(ConfigError, match="not an HTTP URL"):
        ApiConfig("ollama", "m", base)


def test_a_forced_call_is_asked_for_by_the_word_required() -> None:
    with serve("openai", server.calls(("say", {"text": "a"}))) as model:
        client = LLMClient(model.config())
        call, _ = client.call_with_tool(HELLO, say, deadline=Deadline(30))
        assert model.questions[0].payload["tool_choice"] == "required"
    assert call == ToolCall("say", {"text": "a"}, "id0")


@rows(
    "content",
    '{"text": "a"}', '```json\n{"text": "a"}\n```', 'Here it is: {"text": "a"} and that is all',
     '{"name": "say", "arguments": {"text": "a"}}',
)  # fmt: skip
def test_who_makes_no_call_is_asked_for_json_of_that_shape(model: ModelServer, content: str) -> None:
    client = connect(model, server.says("I would rather talk"), server.says(content))
    call, data = client.call_with_tool(HELLO, say, deadline=Deadline(30))
    assert (call.name, call.arguments) == ("say", {"text": "a"})
    payload = model.questions[1].payload
    shape = payload["format"] if model.dialect == "ollama" else payload["response_format"]["json_schema"]["schema"]
    assert shape["properties"] == {"text": {"type": "string"}}
    assert "tools" not in payload
    assert client._format_assistant_tool_call(data)["tool_calls"]


def test_an_object_of_other_fields_beside_as_much_text_is_no_answer(model: ModelServer) -> None:
    client = connect(model, server.says("I would rather talk"), server.says('{"other": "a"} and as much of text'))
    call, _ = client.call_with_tool(HELLO, say, deadline=Deadline(30))
    assert call is None


def test_who_takes_no_schema_is_told_it_in_words(model: ModelServer) -> None:
    client = connect(
        model, server.refuses(400, "tools are not supported"), server.says(""),
        server.refuses(400, "response_format is not supported" if model.dialect == "openai" else "bad format"),
        server.says('{"text": "a"}'),
    )  # fmt: skip
    call, _ = client.call_with_tool(HELLO, say, deadline=Deadline(30))
    assert call is not None
    assert '"properties"' in model.questions[3].payload["messages"][-1]["content"]


def test_results_are_answered_in_the_form_of_the_dialect(model: ModelServer) -> None:
    result = LLMClient(model.config())._format_tool_result(ToolCall("say", {}, "id7"), "done")
    if model.dialect == "ollama":
        assert result == {"role": "tool", "tool_name": "say", "content": "done", "tool_call_id": "id7"}
    else:
        assert result == {"role": "tool", "tool_call_id": "id7", "content": "done"}


def test_arguments_are_summed_up_on_one_short_line() -> None:
    client = LLMClient(ApiConfig("ollama", "m", "http://localhost"))
    assert client._summarize_args({"path": "a.py", "n": 3}) == "path='a.py', n=3"
    assert client._summarize_args("x" * 60) == "x" * 60
    assert client._summarize_args("line\n  line " * 40) == "line " * 11 + "li..."


def test_a_server_without_tools_is_told_of_calls_and_results_in_words(model: ModelServer) -> None:
    client = connect(model, server.says('{"text": "b"}'))
    call = {"id": "id1", "type": "function", "function": {"name": "say", "arguments": "{}"}}
    past = [
        {"role": "system", "content": "be brief"},
        *HELLO,
        {"role": "assistant", "content": "I look.", "tool_calls": [call, call]},
        {"role": "tool", "tool_call_id": "id1", "content": "done"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "id1", "content": "done again"},
    ]
    client.ask_json(past, [SPEC], deadline=Deadline(30))
    *sent, last = [(message["role"], message["content"]) for message in model.questions[-1].payload["messages"]]
    assert sent == [
        ("system", "be brief"), ("user", "hello"), ("assistant", "I look. (calls say, say)"), ("user", "done"),
        ("assistant", "(calls say)"),
    ]  # fmt: skip
    assert last[0] == "user"
    assert last[1].startswith("done again\n\nAnswer with nothing but")


def test_what_is_previewed_is_what_is_sent(model: ModelServer) -> None:
    client = connect(model, server.says("b"))
    messages = [{"role": "user", "content": "password = 'correct-horse-9'"}]
    shown = json.loads(client.show(client.build_payload(messages, [SPEC])))
    client.chat(messages, [SPEC], deadline=Deadline(30))
    assert shown == model.questions[0].payload
    assert "correct-horse" not in json.dumps(shown)


def test_ollama_keeps_the_model_with_one_context_size_for_every_prompt() -> None:
    with serve("ollama", server.says("b")) as model:
        client = LLMClient(model.config(context=8192))
        for words in (1, 2000):
            client.chat([{"role": "user", "content": "word " * words}], deadline=Deadline(30))
            client.config = replace(client.config, context=4096)
        payloads = [asked.payload for asked in model.questions]
    assert [payload["options"]["num_ctx"] for payload in payloads] == [8192, 8192]
    assert (payloads[0]["keep_alive"], payloads[0]["truncate"]) == ("30m", False)


def test_one_of_two_tools_is_chosen_by_a_schema(model: ModelServer) -> None:
    client = connect(model, server.says('{"text": "a"}'), server.says('{"look": true}'))
    look = {"type": "function", "function": {"name": "look", "description": "See more.", "parameters": {}}}
    calls = []
    for _ in range(2):
        calls += client.extract_tool_calls(client.ask_json(HELLO, [SPEC, look], deadline=Deadline(30)))
    assert [(call.name, call.arguments) for call in calls] == [("say", {"text": "a"}), ("look", {})]
    payload = model.questions[0].payload
    shape = payload["format"] if model.dialect == "ollama" else payload["response_format"]["json_schema"]["schema"]
    assert [choice["required"] for choice in shape["anyOf"]] == [["text"], ["look"]]
    # Two messages of the user in a row are rejected by some templates.
    assert [message["role"] for message in payload["messages"]] == ["user"]


def test_a_call_that_could_not_be_parsed_is_asked_for_in_words_once(model: ModelServer) -> None:
    failed = server.refuses(400, "Failed to call a function. Please adjust your prompt.")
    client = connect(model, failed, server.says('{"text": "a"}'), quirks=frozenset({NO_SCHEMA}))
    (call,) = client.extract_tool_calls(client.ask_json(HELLO, [SPEC], deadline=Deadline(30), may_call=True))
    assert call.arguments == {"text": "a"}
    assert client.quirks == {NO_SCHEMA}
    assert ["tools" in asked.payload for asked in model.questions] == [True, False]


def test_the_message_of_the_system_is_joined_with_the_users_if_there_is_one() -> None:
    with serve("openai", server.says("b")) as model:
        client = LLMClient(model.config(quirks=frozenset({NO_SYSTEM})))
        for messages in (HELLO, [*HELLO, *HELLO], [{"role": "system", "content": "be brief"}, *HELLO]):
            client.chat(messages, deadline=Deadline(30))
        sent = [asked.payload["messages"] for asked in model.questions]
    assert sent == [HELLO, [*HELLO, *HELLO], [{"role": "user", "content": "be brief\n\nhello"}]]


THOUGHTS = {"reasoning_content": "hm", "reasoning_details": [{"type": "reasoning.encrypted", "data": "AbC9" * 30}]}
SIGNATURE = {"google": {"thought_signature": "xY3z" * 40}}


def reasons(handler: server.Handler) -> None:
    """A call with thoughts in the fields of DeepSeek, OpenRouter and Gemini."""
    call = {"id": "c1", "type": "function", "function": {"name": "say", "arguments": '{"text": "a"}'}}
    message = {"role": "assistant", "content": None, **THOUGHTS, "tool_calls": [{**call, "extra_content": SIGNATURE}]}
    handler.whole(200, {"choices": [{"message": message, "finish_reason": "tool_calls"}]})


def test_thoughts_stay_in_the_conversation_as_the_server_gave_them() -> None:
    with serve("openai", reasons, server.says("b")) as model:
        client = LLMClient(model.config())
        data = client.chat(HELLO, [SPEC], deadline=Deadline(30))
        (call,) = client.extract_tool_calls(data)
        messages = [*HELLO, client._format_assistant_tool_call(data), client._format_tool_result(call, "done")]
        client.chat(messages, [SPEC], deadline=Deadline(30))
        sent = model.questions[1].payload["messages"][1]
    assert {key: sent[key] for key in THOUGHTS} == THOUGHTS
    assert sent["tool_calls"][0]["extra_content"] == SIGNATURE


def test_a_model_that_only_thought_has_more_room_and_is_told_not_to_think(model: ModelServer) -> None:
    client = connect(model, server.says("", thinking="hm"), server.says("b"))
    for _ in range(2):
        client.chat(HELLO, deadline=Deadline(30))
    first, second = (asked.payload for asked in model.questions)
    if model.dialect == "ollama":
        assert (first["options"]["num_predict"], second["options"]["num_predict"]) == (1024, 8192)
        assert first["think"] is second["think"] is False
    else:
        assert (first["max_tokens"], second["max_tokens"]) == (1024, 8192)
        assert "chat_template_kwargs" not in first
        assert second["chat_template_kwargs"] == {"enable_thinking": False}


@rows(
    ("name", "limit"),
    ("o3-mini", 8192), ("gpt-5.1", 8192), ("openai/gpt-oss:20b", 8192), ("deepseek-r1:8b", 8192), ("qwen3:8b", 1024),
     ("gpt-4o", 1024), ("gemini-2.5-flash", 8192), ("phi4-reasoning", 8192),
)  # fmt: skip
def test_models_that_think_have_room_for_it(name: str, limit: int) -> None:
    assert choose_output(name) == limit


def test_a_byte_order_mark_before_an_answer_is_no_part_of_it(model: ModelServer) -> None:
    client, data = ask(model, server.says_at_once("b", before=b"\xef\xbb\xbf"))
    assert client.extract_text_content(data) == "b"
