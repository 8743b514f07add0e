"""HTTP requests with a wall-clock deadline, and their retries while a server is busy.

A socket's timeout is not a deadline, because every byte received restarts it. So the exchange runs on a daemon thread,
and the caller waits on a queue until the deadline; a thread that is abandoned ends with the process.
"""

from __future__ import annotations

import os
import queue
import threading
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import requests

from smartcommit.errors import LLMConnectError, LLMError, LLMReplyError, LLMStatusError, LLMTimeout
from smartcommit.llm.api import ApiConfig, Dialect, Json, Usage
from smartcommit.llm.server_errors import is_loading, is_prompt_too_long, read_error
from smartcommit.waiting import Deadline

# Maximum bytes of a response (most have a few kilobytes), and bytes that are read at once.
RESPONSE_BYTES = 4 << 20
_BYTES_AT_ONCE = 4096
# What the system says of a connection that the other side has reset.
_RESET = "Connection reset"
# Variables that name the certificates of authorities, the first that is set.
_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
# Words of OpenSSL, what they mean for a host, and what to do about it.
_TLS_FAULTS = (
    ("expired", "the certificate of '{}' has expired", "renew it, or correct the date of this machine"),
    (
        "mismatch",
        "the certificate of '{}' is for another name",
        "set smartcommit.apiBase to the name in the certificate",
    ),
    ("VERIFY_FAILED", "the certificate of '{}' is not trusted", "set SSL_CERT_FILE to its CA certificate"),
    ("NO_CERTIFICATE", "cannot check the certificate of '{}'", "set SSL_CERT_FILE to a file with certificates"),
)


# Status codes of a busy server, and how often it is asked again: as long as there is time if it is loading the model.
_BUSY = (429, 500, 502, 503, 504, 529)
_RETRIES = 2
# Seconds before a busy server is asked again, the first time and at most, unless it says when.
_FIRST_DELAY, _LONGEST_DELAY = 0.5, 2.0
# Characters of a server's text that are shown.
_CHARACTERS_QUOTED = 200
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
    """A response whose status and headers have arrived; its methods wait for the body."""

    status: int
    headers: Mapping[str, str]
    _source: _Exchange
    _deadline: Deadline

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it arrives.

        Raise LLMReplyError if it is incomplete or longer than RESPONSE_BYTES, LLMTimeout at the deadline.
        """
        length = 0
        try:
            while (chunk := self._source.next(self._deadline)) is not None:
                length += len(chunk)
                if length > RESPONSE_BYTES:
                    raise LLMReplyError(f"the response is larger than {RESPONSE_BYTES >> 20} MiB")
                yield chunk
        finally:
            self._source.stop()

    def lines(self) -> Iterator[bytes]:
        """Yield the body line by line, without line endings and byte order mark. Raise the same errors as `chunks`."""
        begun: list[bytes] = []
        for chunk in self._unmarked_chunks():
            end, *others = chunk.split(b"\n")
            begun.append(end)
            for start in others:
                yield b"".join(begun).removesuffix(b"\r")
                begun = [start]
        if rest := b"".join(begun):
            yield rest

    def _unmarked_chunks(self) -> Iterator[bytes]:
        chunks = self.chunks()
        yield next(chunks, b"").removeprefix(BOM_UTF8)
        yield from chunks

    def read(self, limit: int = 1 << 16) -> bytes:
        """Return up to `limit` bytes of the body, fewer if it is incomplete. Raise LLMTimeout at the deadline."""
        body = b""
        try:
            for chunk in self.chunks():
                body += chunk
                if len(body) >= limit:
                    break
        except LLMReplyError:
            return body[:limit]
        return body[:limit]


def exchange(url: str, body: bytes | None, *, headers: Mapping[str, str], deadline: Deadline, loopback: bool) -> Answer:
    """POST `body` to `url`, or GET it if `body` is None; return once the headers have arrived.

    Proxies and certificates come from the environment as usual (`HTTPS_PROXY`, `NO_PROXY`, `REQUESTS_CA_BUNDLE`,
    `SSL_CERT_FILE`), except that `loopback` connects directly. Redirects are not followed: they could send the change
    and the key elsewhere.

    Raise LLMConnectError if the server cannot be reached or redirects, LLMTimeout at the deadline.
    """
    source = _Exchange(url, body, dict(headers), timeout=deadline.remaining, loopback=loopback)
    status, answered = source.begin(deadline)
    if 300 <= status < 400:
        source.stop()
        target = urlsplit(urljoin(url, answered.get("location", ""))).netloc.rpartition("@")[2]
        raise LLMConnectError(
            f"the server redirects to '{target}'; redirects are not followed",
            hint="set smartcommit.apiBase to the final address",
        )
    return Answer(status, answered, source, deadline)


def ask_server(config: ApiConfig, dialect: Dialect, body: bytes, *, deadline: Deadline, usage: Usage) -> Json:
    """Return the server's complete answer to `body`; ask again while it is busy, if there is time for that.

    Each request is counted in `usage`. Raise LLMStatusError if the server refuses, or the errors of `exchange` and of
    `Dialect.assemble`.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers.update(config.make_headers())
    url = config.url(dialect.path)
    attempt = 0
    refusal: LLMStatusError | None = None
    while True:
        usage.requests += 1
        try:
            answer = exchange(url, body, headers=headers, deadline=deadline, loopback=config.loopback)
            if answer.status == 200:
                return dialect.assemble(answer.lines())
        except LLMTimeout:
            if refusal is None:
                raise
            # The time went by while the server was busy, which says nothing about its speed.
            raise refusal from None
        refusal = _read_refusal(answer, config)
        delay = _retry_delay(answer, attempt)
        if answer.status not in _BUSY or is_prompt_too_long(refusal) or delay >= deadline.remaining:
            raise refusal
        if attempt >= _RETRIES and not is_loading(refusal):
            raise refusal
        deadline.wait(delay)
        attempt += 1


def _read_refusal(answer: Answer, config: ApiConfig) -> LLMStatusError:
    reason = config.hide_secrets(read_error(answer.read()))
    text = f"'{config.host}' answered {answer.status}"
    if reason:
        text += f": {reason[:_CHARACTERS_QUOTED]}"
    return LLMStatusError(text, status=answer.status, text=reason, hint=_HINTS.get(answer.status))


def _retry_delay(answer: Answer, attempt: int) -> float:
    """Return the seconds to wait before the next attempt, as the server asks or growing exponentially."""
    seconds = answer.headers.get("retry-after", "")
    if seconds.isascii() and seconds.replace(".", "", 1).isdigit():
        return float(seconds)
    return min(_FIRST_DELAY * 2.0 ** min(attempt, _RETRIES), _LONGEST_DELAY)


class _Exchange:
    """The thread that talks to the server. It puts status and headers, chunks of the body, and None; or an error."""

    def __init__(
        self, url: str, body: bytes | None, headers: dict[str, str], *, timeout: float, loopback: bool
    ) -> None:
        self._url = url
        self._body = body
        self._headers = headers
        self._timeout = timeout
        self._loopback = loopback
        self._queue: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="smartcommit-llm", daemon=True).start()

    def begin(self, deadline: Deadline) -> tuple[int, Mapping[str, str]]:
        try:
            head = self._take(deadline)
        except BaseException:  # also on Ctrl-C the thread must end
            self.stop()
            raise
        assert isinstance(head, tuple)
        return head

    def next(self, deadline: Deadline) -> bytes | None:
        chunk = self._take(deadline)
        assert chunk is None or isinstance(chunk, bytes)
        return chunk

    def stop(self) -> None:
        """Make the thread end at the next chunk."""
        self._stopped.set()

    def _take(self, deadline: Deadline) -> object:
        item = deadline.take(self._queue)
        if isinstance(item, BaseException):
            # The timeout of requests ends with the deadline, and may be noticed first.
            deadline.check()
            raise _translate(item, urlsplit(self._url).netloc.rpartition("@")[2])
        return item

    def _run(self) -> None:
        try:
            with requests.Session() as session:
                session.trust_env = not self._loopback
                response = session.request(
                    "GET" if self._body is None else "POST",
                    self._url,
                    data=self._body,
                    headers=self._headers,
                    # Otherwise requests takes credentials from ~/.netrc.
                    auth=lambda request: request,
                    stream=True,
                    allow_redirects=False,
                    timeout=max(0.1, self._timeout),
                    verify=_find_authorities(self._url),
                )
                with response:
                    self._queue.put((response.status_code, response.headers))
                    for chunk in response.iter_content(_BYTES_AT_ONCE):
                        if self._stopped.is_set():
                            return
                        self._queue.put(chunk)
            self._queue.put(None)
        except Exception as error:  # every error is raised in the waiting thread
            self._queue.put(error)


def _find_authorities(url: str) -> str | bool:
    """Return the file or directory with the certificates to trust, True for the usual ones.

    Raise LLMConnectError if there is none where the environment names one.
    """
    for name in _AUTHORITIES:
        path = os.environ.get(name)
        if path and url.lower().startswith("https:") and not os.path.exists(path):
            raise LLMConnectError(
                f"cannot read the certificates in '{path}': no such file or directory", hint=f"correct or unset {name}"
            )
        if path:
            return path
    return True


def _translate(error: BaseException, host: str) -> BaseException:
    """Return `error` as one of our own, without the address, which may contain a password."""
    failures = requests.exceptions
    words = str(error)
    if isinstance(error, failures.ChunkedEncodingError):
        if _RESET in words:
            return LLMReplyError(f"the connection to '{host}' was reset during the answer")
        return LLMReplyError("incomplete response from the server")
    if isinstance(error, failures.SSLError):
        return _explain_tls(words, host)
    refused = ": connection refused" if "Connection refused" in words else ""
    ended = "was reset" if _RESET in words else "was closed"
    is_connection = isinstance(error, failures.ConnectionError)
    # Subclasses first: most of these are connection errors.
    for applies, text, hint in (
        ("SOCKS" in words, f"cannot reach the proxy for '{host}' by SOCKS", _explain_socks()),
        (
            isinstance(error, failures.ProxyError),
            f"cannot reach the proxy for '{host}'",
            "check HTTPS_PROXY and NO_PROXY",
        ),
        (isinstance(error, failures.Timeout), f"'{host}' does not answer", None),
        # It was reached, so to start the server would be no help.
        (
            is_connection and "Connection aborted" in words,
            f"the connection to '{host}' {ended} before it answered",
            "see what the server, or a proxy before it, has logged",
        ),
        (
            is_connection,
            f"cannot reach '{host}'{refused}",
            "start the server, or set smartcommit.apiBase to its address",
        ),
    ):
        if applies:
            return LLMConnectError(text, hint=hint)
    if isinstance(error, (failures.RequestException, OSError, ValueError)):
        return LLMError(f"request to '{host}' failed ({type(error).__name__})")
    return error


def _explain_socks() -> str:
    """Return what to do if a proxy of the environment cannot be used because it speaks SOCKS."""
    names = []
    for name, value in os.environ.items():
        if name.lower().endswith("_proxy") and value.lower().startswith("socks"):
            names.append(name)
    unset = " and ".join(sorted(names)) or "the variable that names it"
    return f"run \"pip install 'requests[socks]'\" where smartcommit is installed, or unset {unset}"


def _explain_tls(words: str, host: str) -> LLMConnectError:
    """Return why there is no encrypted connection to `host`, from the `words` of OpenSSL."""
    for word, text, hint in _TLS_FAULTS:
        if word in words:
            return LLMConnectError(text.format(host), hint=hint)
    return LLMConnectError(
        f"'{host}' does not answer over HTTPS",
        hint="set smartcommit.apiBase to an address with http://, if it is local",
    )
