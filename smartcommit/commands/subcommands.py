"""Options that commands share, and subcommands of a group that do one thing with what their functions return."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from smartcommit.errors import SmartcommitError
from smartcommit.files import IS_WINDOWS

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


def refuse_on_windows(what: str) -> None:
    if IS_WINDOWS:
        raise SmartcommitError(f"{what} does not run on Windows yet", hint="use it in WSL")


def combine(*options: Decorator) -> Decorator:
    """Return a decorator that adds all of `options` to a command, in this order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def subcommand(
    group: click.Group, name: str, run: Callable[..., int], *options: Decorator
) -> Callable[[Function], click.Command]:
    """Make a subcommand of a function: `run` gets that function and the values of `options` and of its own."""

    def decorate(function: Function) -> click.Command:
        @wraps(function)
        def call(**given: Any) -> int:
            return run(function, **given)

        return group.command(name=name)(combine(*options)(call))

    return decorate
