"""A word on what takes long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds after which a person begins to wonder.
DELAY = 2.0


@contextmanager
def announce_if_slow(what: str, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Have `tell`, if there is one, say `what` is being done, should that take longer than DELAY."""
    if tell is None:
        yield
        return
    timer = threading.Timer(DELAY, tell, (f"{what} ...",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # a line that is just being written comes before what follows
