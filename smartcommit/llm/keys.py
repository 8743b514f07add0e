"""Keys in the system's keyring, where the package `keyring` is installed."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from importlib.util import find_spec

from smartcommit.errors import LLMTimeout
from smartcommit.waiting import Deadline

# The name under which keys are stored, each for a host.
SERVICE = "smartcommit"
# Seconds: a locked keyring asks its user, who may not be there.
_TIMEOUT = 5.0


def ask_keyring(host: str, deadline: Deadline) -> str | None:
    """Return the key that `keyring set smartcommit HOST` has stored for a server.

    Return None if there is none, if the package is not installed, or if it does not answer within _TIMEOUT seconds.
    Raise LLMTimeout if `deadline` comes first, or Cancelled from its tick.
    """
    if find_spec("keyring") is None:
        return None
    answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_ask, args=(host, answers), name="smartcommit-keyring", daemon=True).start()
    try:
        return Deadline(_TIMEOUT, tick=lambda left: deadline.check()).take(answers)
    except LLMTimeout:
        if deadline.remaining:
            return None
        raise LLMTimeout(
            f"the keyring did not answer within {deadline.seconds:g} s",
            hint="unlock it, or set SMARTCOMMIT_API_KEY",
        ) from None


def _ask(host: str, answers: queue.SimpleQueue[str | None]) -> None:
    import keyring
    from keyring.errors import KeyringError

    answer = None
    try:
        # Without a key the server says that it needs one. What else backends raise comes from D-Bus or from files.
        with suppress(KeyringError, OSError, RuntimeError, ValueError):
            answer = keyring.get_password(SERVICE, host)
    finally:
        answers.put(answer)
