"""A point in time by which something must be over, passed down explicitly to whatever waits."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import TypeVar

from smartcommit.errors import LLMTimeout

# Seconds between two looks at the terminal while something is waited for.
_TICK = 0.05

Item = TypeVar("Item")


class Deadline:
    """A wall-clock bound, in seconds from now, or from `since` on the monotonic clock.

    `tick` is called with the seconds left, several times a second, while something is waited for; it may raise, which
    ends the waiting (`smartcommit.errors.Cancelled`).
    """

    __slots__ = ("_end", "seconds", "tick")

    def __init__(
        self, seconds: float, *, since: float | None = None, tick: Callable[[float], None] | None = None
    ) -> None:
        self.seconds = seconds
        self.tick = tick
        self._end = (time.monotonic() if since is None else since) + seconds

    @property
    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Look at the terminal and the clock.

        Raises: LLMTimeout when no time is left.
        """
        if self.tick is not None:
            self.tick(self.remaining)
        if not self.remaining:
            raise LLMTimeout(f"no answer within {self.seconds:g} s")

    def take(self, source: queue.SimpleQueue[Item]) -> Item:
        """The next item of `source`, which another thread fills.

        Raises: LLMTimeout when none comes in time.
        """
        while True:
            self.check()
            try:
                return source.get(timeout=min(_TICK, self.remaining) if self.tick else self.remaining)
            except queue.Empty:
                continue

    def wait(self, seconds: float) -> None:
        """Let `seconds` pass.

        Raises: LLMTimeout at once when they would pass the deadline.
        """
        if seconds >= self.remaining:
            raise LLMTimeout(f"no answer within {self.seconds:g} s")
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.check()
            time.sleep(min(_TICK, left))
