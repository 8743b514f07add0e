"""What several commands need: a group of options, and a refusal on Windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from smartcommit.errors import SmartcommitError
from smartcommit.files import IS_WINDOWS

# A click option, which is put on a function or another option's result.
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def refuse_on_windows(what: str) -> None:
    """Raise SmartcommitError on Windows for `what`, such as "the executor"."""
    if IS_WINDOWS:
        raise SmartcommitError(f"{what} does not run on Windows yet", hint="use it in WSL")


def combine(*options: Decorator) -> Decorator:
    """Return a decorator that adds all of `options` to a command, whose help shows them in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
