"""Subcommands of a group that share options, and what is done with what their functions return."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

Function = Callable[..., Any]


def subcommand(
    group: click.Group, name: str, run: Callable[..., int], *options: Callable[[Function], Function]
) -> Callable[[Function], click.Command]:
    """Make a subcommand of a function: `run` gets that function and the values of `options` and of its own."""

    def decorate(function: Function) -> click.Command:
        @wraps(function)
        def call(**given: Any) -> int:
            return run(function, **given)

        decorated: Function = call
        for option in reversed(options):
            decorated = option(decorated)
        return group.command(name=name)(decorated)

    return decorate
