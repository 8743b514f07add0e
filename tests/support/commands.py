"""Commands of smartcommit, run in the process of a test."""

from collections.abc import Callable
from typing import NamedTuple


class Shown(NamedTuple):
    out: str
    err: str


# Runs `smartcommit ARGUMENTS`, which must exit with `status`, by default 0, None for any; returns what it shows.
Command = Callable[..., Shown]
