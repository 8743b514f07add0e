"""What commands share: options, subcommands that print what their functions return, and a refusal on Windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from smartcommit.errors import SmartcommitError
from smartcommit.files import IS_WINDOWS

# A click option, which is put on a function or another option's result.
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def refuse_on_windows(what: str) -> None:
    """Raise SmartcommitError on Windows for `what`, such as "the executor"."""
    if IS_WINDOWS:
        raise SmartcommitError(f"{what} does not run on Windows yet", hint="use it in WSL")


def combine(*options: Decorator) -> Decorator:
    """Return a decorator that adds all of `options` to a command, in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def subcommand(
    group: click.Group, name: str, run: Callable[..., int], *options: Decorator
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that adds a function to `group` as the subcommand `name`, which has `options` besides its own.

    It is called by `run`, which gets the function and the values of all options, and returns the exit status.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        # This also copies `__click_params__`, where click keeps the options that the function has already.
        @wraps(function)
        def call(**given: Any) -> int:
            return run(function, **given)

        return group.command(name=name)(combine(*options)(call))

    return decorate
