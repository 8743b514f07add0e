"""HTTP requests with a wall-clock deadline, and their retries while a server is busy.

A socket's timeout is not a deadline, because every byte received restarts it. So the exchange runs on a daemon thread,
and the caller waits on a queue until the deadline; a thread that is abandoned ends with the process.
"""

from __future__ import annotations

import os
import queue
import re
import threading
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from smartcommit.errors import LLMConnectError, LLMError, LLMReplyError, LLMStatusError, LLMTimeout
from smartcommit.llm.api import CHARACTERS_QUOTED, RESPONSE_BYTES, ApiConfig, Json, Usage
from smartcommit.llm.quirks import is_prompt_too_long, mentions, read_error
from smartcommit.waiting import Deadline

# Bytes of a response that are read at once.
_BYTES_AT_ONCE = 4096
# Bytes of a refusal that are read.
_REFUSAL_BYTES = 1 << 16
# Variables that name the certificates of authorities, the first that is set.
_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
# What OpenSSL says of a certificate.
_VERIFICATION = re.compile(r"certificate verify failed: ([^(]{1,200})")
# Status codes of a busy server, and how often it is asked again: as long as there is time if it is loading the model.
_BUSY = (429, 500, 502, 503, 504, 529)
_RETRIES = 2
# Seconds before a busy server is asked again, unless it says when.
_FIRST_DELAY = 0.5
# The longest delay: each is twice the last one.
_LONGEST_DELAY = 2.0
_KEY_HINT = "set smartcommit.apiKey or SMARTCOMMIT_API_KEY"
# What to do about a status.
_HINTS = {
    401: _KEY_HINT,
    403: _KEY_HINT,
    404: "set smartcommit.model to a model that the server has, and smartcommit.apiBase to its address",
    429: "wait until the limit is over, or choose another model with 'smartcommit model'",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer; `content` is what was made of the lines of the body, or its start unless all went well."""

    status: int
    headers: Mapping[str, str]
    content: Any


def exchange(
    config: ApiConfig, path: str, body: bytes | None, assemble: Callable[[Iterable[bytes]], Any], *, deadline: Deadline
) -> Answer:
    """POST `body` to `path` of the server, or GET that if `body` is None; return what `assemble` makes of the answer.

    Proxies and certificates come from the environment as usual (`HTTPS_PROXY`, `NO_PROXY`, `REQUESTS_CA_BUNDLE`,
    `SSL_CERT_FILE`), except that a server on this machine is reached directly. Redirects are not followed: they could
    send the change and the key elsewhere.

    Raise LLMConnectError if the server cannot be reached or redirects, LLMReplyError if the answer is incomplete or
    longer than RESPONSE_BYTES, LLMTimeout at the deadline, or the errors of `assemble`.
    """
    answers: queue.SimpleQueue[Answer | Exception] = queue.SimpleQueue()
    stopped = threading.Event()

    def run() -> None:
        try:
            with requests.Session() as session:
                session.trust_env = not config.loopback
                with _send(session, config, path, body, seconds=deadline.remaining) as response:
                    answers.put(_read(response, assemble, stopped))
        except Exception as error:  # every error is raised in the waiting thread
            answers.put(error)

    threading.Thread(target=run, name="smartcommit-llm", daemon=True).start()
    try:
        answer = deadline.take(answers)
    finally:  # also on Ctrl-C the thread must end
        stopped.set()
    if isinstance(answer, Exception):
        # The timeout of requests ends with the deadline, and may be noticed first.
        deadline.check()
        raise _translate(answer, config.host)
    if 300 <= answer.status < 400:
        target = urlsplit(urljoin(config.make_url(path), answer.headers.get("location", ""))).netloc.rpartition("@")[2]
        raise LLMConnectError(
            f"the server redirects to '{target}'; redirects are not followed",
            hint="set smartcommit.apiBase to the final address",
        )
    return answer


def _send(
    session: requests.Session, config: ApiConfig, path: str, body: bytes | None, *, seconds: float
) -> requests.Response:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return session.request(
        "GET" if body is None else "POST",
        config.make_url(path),
        data=body,
        headers={**headers, **config.make_headers()},
        # Otherwise requests takes credentials from ~/.netrc.
        auth=lambda request: request,
        stream=True,
        allow_redirects=False,
        timeout=max(0.1, seconds),
        verify=next((os.environ[name] for name in _AUTHORITIES if os.environ.get(name)), True),
    )


def _read(response: requests.Response, assemble: Callable[[Iterable[bytes]], Any], stopped: threading.Event) -> Answer:
    if response.status_code == 200:
        return Answer(200, response.headers, assemble(_read_lines(response, stopped)))
    start = bytearray()
    with suppress(requests.exceptions.RequestException):  # it is incomplete
        for chunk in response.iter_content(_BYTES_AT_ONCE):
            start += chunk
            if len(start) >= _REFUSAL_BYTES or stopped.is_set():
                break
    return Answer(response.status_code, response.headers, bytes(start))


def _read_lines(response: requests.Response, stopped: threading.Event) -> Iterator[bytes]:
    """Yield the body line by line, without line endings and byte order mark."""
    begun: list[bytes] = []
    mark = BOM_UTF8
    length = 0
    for chunk in response.iter_content(_BYTES_AT_ONCE):
        if stopped.is_set():
            return
        length += len(chunk)
        if length > RESPONSE_BYTES:
            raise LLMReplyError(f"the response is larger than {RESPONSE_BYTES >> 20} MiB")
        end, *others = chunk.removeprefix(mark).split(b"\n")
        mark = b""
        begun.append(end)
        for start in others:
            yield b"".join(begun).removesuffix(b"\r")
            begun = [start]
    if any(begun):
        yield b"".join(begun)


def ask_server(
    config: ApiConfig,
    path: str,
    body: bytes,
    assemble: Callable[[Iterable[bytes]], Json],
    *,
    deadline: Deadline,
    usage: Usage,
) -> Json:
    """Return what `assemble` makes of the lines that answer `body`; ask again while the server is busy, in time.

    Each request is counted in `usage`. Raise LLMStatusError if the server refuses, or the errors of `exchange` and of
    `assemble`.
    """
    attempt = 0
    refusal: LLMStatusError | None = None
    while True:
        usage.requests += 1
        try:
            answer = exchange(config, path, body, assemble, deadline=deadline)
        except LLMTimeout:
            if refusal is None:
                raise
            # The time went by while the server was busy, which says nothing about its speed.
            raise refusal from None
        if answer.status == 200:
            data: Json = answer.content
            return data
        reason = config.hide_secrets(read_error(answer.content))
        text = f"'{config.host}' answered {answer.status}"
        if reason:
            text += f": {reason[:CHARACTERS_QUOTED]}"
        refusal = LLMStatusError(text, status=answer.status, text=reason, hint=_HINTS.get(answer.status))
        delay = min(_FIRST_DELAY * 2.0 ** min(attempt, _RETRIES), _LONGEST_DELAY)
        wanted = answer.headers.get("retry-after", "")
        if wanted.isascii() and wanted.replace(".", "", 1).isdigit():
            delay = float(wanted)
        if answer.status not in _BUSY or is_prompt_too_long(refusal) or delay >= deadline.remaining:
            raise refusal
        # llama.cpp says so until it can answer.
        loads = answer.status == 503 and mentions(refusal, "loading")
        if attempt >= _RETRIES and not loads:
            raise refusal
        deadline.wait(delay)
        attempt += 1


def _translate(error: BaseException, host: str) -> BaseException:
    """Return `error` as one of our own, without the address, which may contain a password."""
    failures = requests.exceptions
    words = str(error)
    if isinstance(error, failures.ChunkedEncodingError):
        return LLMReplyError("incomplete response from the server")
    if isinstance(error, failures.SSLError):
        text, reason = f"no secure connection to '{host}'", _VERIFICATION.search(words)
        if reason is not None:
            text += f": {reason[1].strip()}"
        hint = "check smartcommit.apiBase, and name the CA certificate of a server of your own by SSL_CERT_FILE"
        return LLMConnectError(text, hint=hint)
    # Subclasses first: most of these are connection errors.
    if "CA certificate bundle" in words:
        hint = f"correct or unset {', '.join(_AUTHORITIES)}"
        return LLMConnectError("cannot read the file with certificates", hint=hint)
    if "SOCKS" in words:
        hint = (
            "run \"pip install 'requests[socks]'\" where smartcommit is installed, or unset the variable that names it"
        )
        return LLMConnectError(f"cannot reach the proxy for '{host}' by SOCKS", hint=hint)
    if isinstance(error, failures.ProxyError):
        return LLMConnectError(f"cannot reach the proxy for '{host}'", hint="check HTTPS_PROXY and NO_PROXY")
    if isinstance(error, failures.Timeout):
        return LLMConnectError(f"'{host}' does not answer")
    if isinstance(error, failures.ConnectionError) and "Connection aborted" in words:
        # It was reached, so to start the server would be no help.
        hint = "see what the server, or a proxy before it, has logged"
        return LLMConnectError(f"the connection to '{host}' was closed before it answered", hint=hint)
    if isinstance(error, failures.ConnectionError):
        refused = ": connection refused" if "Connection refused" in words else ""
        hint = "start the server, or set smartcommit.apiBase to its address"
        return LLMConnectError(f"cannot reach '{host}'{refused}", hint=hint)
    if isinstance(error, (failures.RequestException, OSError, ValueError)):
        return LLMError(f"request to '{host}' failed ({type(error).__name__})")
    return error
