"""A model server on loopback that answers by a script, in either dialect, and keeps every byte it was sent."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from smartcommit.llm.api import OLLAMA, ApiConfig

Step = Callable[["Handler"], None]
DIALECTS = ("ollama", "openai")


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def payload(self) -> Any:
        return json.loads(self.body)


@dataclass
class ModelServer:
    """A server whose `script` has a step for each request; its last one answers all further ones."""

    dialect: str
    port: int = 0
    script: list[Step] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    # The models that it lists, instead of its own.
    names: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}{'/v1' if self.dialect == 'openai' else ''}"

    @property
    def questions(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.method == "POST"]

    def config(self, **options: Any) -> ApiConfig:
        return ApiConfig(self.dialect, options.pop("model", "scripted"), options.pop("base", self.base), **options)

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "SMARTCOMMIT_PROVIDER": self.dialect,
            "SMARTCOMMIT_MODEL": "scripted",
            "SMARTCOMMIT_API_BASE": self.base,
            **more,
        }


class Handler(BaseHTTPRequestHandler):
    model: ModelServer
    asked: Asked
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._record(b"")
        if self.model.dialect == OLLAMA:
            names = self.model.names or ["scripted:latest"]
            self.whole(200, {"models": [{"name": name} for name in names]})
        else:
            names = self.model.names or ["scripted"]
            self.whole(200, {"data": [{"id": name} for name in names]})

    def do_POST(self) -> None:
        self._record(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        number = len(self.model.questions) - 1
        try:
            self.model.script[min(number, len(self.model.script) - 1)](self)
        except OSError:
            self.close_connection = True

    def _record(self, body: bytes) -> None:
        self.asked = Asked(self.command, self.path, dict(self.headers), body)
        self.model.asked.append(self.asked)

    def whole(self, status: int, body: object, headers: Sequence[tuple[str, str]] = (), kind: str = "json") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("Content-Type", f"application/{kind}"), ("Content-Length", str(len(data))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def begin(self) -> None:
        self.close_connection = True
        self.send_response(200)
        kind = "application/x-ndjson" if self.model.dialect == OLLAMA else "text/event-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()

    def put(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is logged."""


@contextmanager
def serve(dialect: str, *script: Step, certificate: Path | None = None) -> Iterator[ModelServer]:
    """A running server with `script`; whatever hangs in it is let go at the end.

    With `certificate`, a file that holds its key too, it speaks TLS.
    """
    model = ModelServer(dialect, script=list(script))
    handler = type("Scripted", (Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    # A client that leaves at its deadline is what is tested here, and no error.
    server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
    server.daemon_threads = True
    server.block_on_close = False
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def says(content: str | None = "", *, thinking: str = "", counted: int = 0) -> Step:
    return lambda handler: _stream(handler, content, (), thinking=thinking, counted=counted)


def calls(*made: tuple[str, object], ids: Sequence[object] | None = None) -> Step:
    """Tool calls, each a name and its arguments (text stands as it is); `ids` are the server's, None for none."""
    return lambda handler: _stream(handler, "", made, ids=ids)


def whole(body: object, status: int = 200) -> Step:
    return lambda handler: handler.whole(status, body)


def says_at_once(content: str, *, before: bytes = b"") -> Step:
    def step(handler: Handler) -> None:
        message = {"role": "assistant", "content": content}
        ollama = handler.model.dialect == OLLAMA
        body = {"message": message, "done": True} if ollama else {"choices": [{"message": message}]}
        handler.whole(200, before + json.dumps(body).encode())

    return step


def nests(name: str, depth: int) -> Step:
    nested = '{"path":' * depth + "1" + "}" * depth

    def step(handler: Handler) -> None:
        if handler.model.dialect != OLLAMA:
            _stream(handler, "", [(name, nested)])
            return
        call = f'{{"function":{{"name":"{name}","arguments":{nested}}}}}'
        handler.begin()
        handler.put(f'{{"message":{{"role":"assistant","tool_calls":[{call}]}},"done":true}}\n'.encode())

    return step


def refuses(status: int, text: str = "", *headers: tuple[str, str]) -> Step:
    def step(handler: Handler) -> None:
        error: object = text if handler.model.dialect == OLLAMA else {"message": text, "code": status}
        handler.whole(status, {"error": error}, headers)

    return step


def busy(status: int = 503) -> Step:
    return refuses(status, "server busy", ("Retry-After", "0"))


def page(status: int = 200) -> Step:
    return lambda handler: handler.whole(status, b"<html><body>Sign in</body></html>", kind="html")


def redirects(target: str) -> Step:
    return lambda handler: handler.whole(307, {}, (("Location", target),))


def hangs(handler: Handler) -> None:
    handler.close_connection = True
    handler.model.over.wait()


def trickles(handler: Handler) -> None:
    handler.begin()
    while not handler.model.over.wait(0.05):
        handler.put(b" ")


def endless(handler: Handler) -> None:
    handler.begin()
    chunk = _chunk(handler.model.dialect, "word " * 2000)
    while not handler.model.over.is_set():
        handler.put(chunk)


def cut(handler: Handler) -> None:
    handler.begin()
    handler.put(_chunk(handler.model.dialect, "feat: add")[:-9])


def unfinished(handler: Handler) -> None:
    handler.begin()
    handler.put(_chunk(handler.model.dialect, "feat: add a thing"))


def fails_midway(handler: Handler) -> None:
    handler.begin()
    handler.put(_chunk(handler.model.dialect, "feat: "))
    if handler.model.dialect == OLLAMA:
        handler.put(b'{"error":"out of memory"}\n')
    else:
        handler.put(b'data: {"error":{"message":"out of memory"}}\n\n')


def _stream(
    handler: Handler,
    content: str | None,
    made: Sequence[tuple[str, object]],
    *,
    thinking: str = "",
    ids: Sequence[object] | None = None,
    counted: int = 0,
) -> None:
    handler.begin()
    dialect = handler.model.dialect
    if thinking:
        handler.put(_chunk(dialect, "", thinking))
    for start in range(0, len(content or ""), 7):
        handler.put(_chunk(dialect, (content or "")[start : start + 7]))
    for index, (name, arguments) in enumerate(made):
        given: object = None if dialect == OLLAMA else f"id{index}"
        if ids is not None:
            given = ids[index]
        for piece in _call_chunks(dialect, index, name, arguments, given=given):
            handler.put(piece)
    if dialect == OLLAMA:
        handler.put(_line({"message": {"role": "assistant", "content": content and ""}, "done": True,
                           "done_reason": "stop", "prompt_eval_count": counted, "eval_count": 5}))  # fmt: skip
    else:
        handler.put(event({"choices": [{"delta": {"content": None}, "finish_reason": "stop"}]}))
        handler.put(event({"choices": [], "usage": {"prompt_tokens": counted, "completion_tokens": 5}}))
        handler.put(b"data: [DONE]\n\n")


def _chunk(dialect: str, content: str, thinking: str = "") -> bytes:
    if dialect == OLLAMA:
        message = {"role": "assistant", "content": content}
        if thinking:
            message["thinking"] = thinking
        return _line({"model": "scripted", "message": message, "done": False})
    delta = {"content": content}
    if thinking:
        delta["reasoning_content"] = thinking
    return event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def _call_chunks(dialect: str, index: int, name: str, arguments: object, *, given: object) -> Iterator[bytes]:
    if dialect == OLLAMA:
        call: dict[str, object] = {"function": {"index": index, "name": name, "arguments": arguments}}
        if given:
            call["id"] = given
        yield _line({"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False})
        return
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    for part, piece in enumerate([text[:5], text[5:]]):
        call = {"index": index, "function": {"arguments": piece}}
        if part == 0:
            call = {"index": index, "id": given, "type": "function", "function": {"arguments": piece, "name": name}}
        yield event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]})


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
