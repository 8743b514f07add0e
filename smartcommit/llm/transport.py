"""One HTTP exchange under a wall-clock deadline.

A socket's timeout is no deadline: each byte that trickles in starts it anew. So the exchange runs on a daemon thread,
and the caller waits on a queue for as long as the deadline lets it; what is left behind then ends with the process.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator, Mapping
from urllib.parse import urljoin, urlsplit

import requests

from smartcommit.errors import LLMConnectError, LLMError, LLMReplyError
from smartcommit.waiting import Deadline

# An answer of ours has a few kilobytes; a stream that goes on is no answer.
LIMIT = 4 << 20
_PIECE = 4096


class Answer:
    """A response whose head has come; `lines` and `read` wait for the rest."""

    def __init__(self, status: int, headers: Mapping[str, str], source: _Exchange, deadline: Deadline) -> None:
        self.status = status
        self.headers = headers
        self._source = source
        self._deadline = deadline

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes.

        Raises: LLMReplyError when it breaks off or does not end; LLMTimeout at the deadline.
        """
        length = 0
        try:
            while (piece := self._source.next(self._deadline)) is not None:
                length += len(piece)
                if length > LIMIT:
                    raise LLMReplyError(f"the server's answer is longer than {LIMIT >> 20} MiB")
                yield piece
        finally:
            self._source.stop()

    def lines(self) -> Iterator[bytes]:
        """The body line by line, without line ends; errors as `pieces`."""
        begun: list[bytes] = []
        for piece in self.pieces():
            end, *others = piece.split(b"\n")
            begun.append(end)
            for start in others:
                yield b"".join(begun).removesuffix(b"\r")
                begun = [start]
        if rest := b"".join(begun):
            yield rest

    def read(self, limit: int = 1 << 16) -> bytes:
        """The first bytes of the body, as far as they come."""
        body = b""
        try:
            for piece in self.pieces():
                body += piece
                if len(body) >= limit:
                    break
        except LLMReplyError:
            return body[:limit]
        return body[:limit]


def exchange(url: str, body: bytes | None, *, headers: Mapping[str, str], deadline: Deadline, loopback: bool) -> Answer:
    """Post `body` to `url`, or get it where there is none; the answer's head has come when this returns.

    Proxies and certificates come from the environment as everywhere (`HTTPS_PROXY`, `NO_PROXY`, `REQUESTS_CA_BUNDLE`,
    `SSL_CERT_FILE`), except that this machine is reached directly. No redirect is followed: it could carry the change,
    and the key, elsewhere.

    Raises: LLMConnectError when the server cannot be reached or sends us elsewhere; LLMTimeout at the deadline.
    """
    source = _Exchange(url, body, dict(headers), timeout=deadline.remaining, loopback=loopback)
    status, answered = source.begin(deadline)
    if 300 <= status < 400:
        source.stop()
        target = urlsplit(urljoin(url, answered.get("location", ""))).netloc.rpartition("@")[2]
        raise LLMConnectError(
            f"the server redirects to '{target}', which is not followed",
            hint="set smartcommit.apiBase to the server that answers",
        )
    return Answer(status, answered, source, deadline)


class _Exchange:
    """The thread that talks to the server: it puts the head, then pieces of the body, then None; or an error."""

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
        except BaseException:
            self.stop()
            raise
        assert isinstance(head, tuple)
        return head

    def next(self, deadline: Deadline) -> bytes | None:
        piece = self._take(deadline)
        assert piece is None or isinstance(piece, bytes)
        return piece

    def stop(self) -> None:
        """Let the thread end with the next byte that comes."""
        self._stopped.set()

    def _take(self, deadline: Deadline) -> object:
        item = deadline.take(self._queue)
        if isinstance(item, BaseException):
            # The timeout of requests ends with the deadline, and can be noticed first.
            deadline.check()
            raise _named(item, urlsplit(self._url).netloc.rpartition("@")[2])
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
                    # Without one of ours, requests would look up a name and password in ~/.netrc.
                    auth=lambda request: request,
                    stream=True,
                    allow_redirects=False,
                    timeout=max(0.1, self._timeout),
                    verify=os.environ.get("REQUESTS_CA_BUNDLE")
                    or os.environ.get("CURL_CA_BUNDLE")
                    or os.environ.get("SSL_CERT_FILE")
                    or True,
                )
                with response:
                    self._queue.put((response.status_code, response.headers))
                    for piece in response.iter_content(_PIECE):
                        if self._stopped.is_set():
                            return
                        self._queue.put(piece)
            self._queue.put(None)
        except Exception as error:  # whatever it is, it belongs to the thread that waits
            self._queue.put(error)


def _named(error: BaseException, host: str) -> BaseException:
    """The error as ours: by its kind, and without the address, which can hold a password."""
    failures = requests.exceptions
    if isinstance(error, failures.ChunkedEncodingError):
        return LLMReplyError("the server's answer was cut off")
    refused = ": connection refused" if "Connection refused" in str(error) else ""
    # The narrower kinds first: all of them are connection errors too.
    for kind, text, hint in (
        (failures.SSLError, f"the certificate of '{host}' is not trusted", "name its authority in SSL_CERT_FILE"),
        (failures.ProxyError, f"the proxy before '{host}' cannot be reached", "see HTTPS_PROXY and NO_PROXY"),
        (failures.Timeout, f"'{host}' does not answer", None),
        (
            failures.ConnectionError,
            f"cannot reach '{host}'{refused}",
            "start the server, or set smartcommit.apiBase to where it listens",
        ),
    ):
        if isinstance(error, kind):
            return LLMConnectError(text, hint=hint)
    if isinstance(error, (failures.RequestException, OSError, ValueError)):
        return LLMError(f"the exchange with '{host}' failed ({type(error).__name__})")
    return error
