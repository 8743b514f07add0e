"""What a project may set in its tracked file `.smartcommit`: types, scopes, limits. On the hooks' hot path.

The file is in git's configuration syntax, so git reads it. The working tree's top-level file counts, else the one in
HEAD. Where `.smartcommit` is a folder (task plans live there), the file is `.smartcommit/policy`.
"""

from __future__ import annotations

import os

from smartcommit.config import Settings
from smartcommit.errors import ConfigError
from smartcommit.git.query import ask, parse_config
from smartcommit.message.rules import ERROR, OFF, SUMMARY_LIMIT, WARNING, Rules
from smartcommit.message.types import DEFAULT_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = (".smartcommit", ".smartcommit/policy")


def load(
    directory: str, *, arguments: Mapping[str, object] | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """The settings that hold in the working tree whose top level is `directory`; two short git processes.

    Raises: ConfigError when git's configuration or `.smartcommit` cannot be read or holds a value of the wrong kind.
    """
    status, listing = ask(("config", "-z", "--list"), directory=directory)
    if status not in (0, 1):
        raise ConfigError("git's configuration cannot be read", hint="run 'git config --list' to see why")
    entries = [entry for entry in parse_config(listing) if entry[0] != "core.commentstring" or _knows_comment_strings()]
    return Settings(git=entries, policy=tracked(directory), arguments=arguments, environment=environment)


def tracked(directory: str) -> list[tuple[str, str | None]]:
    """The entries of the project's policy file, empty where there is none.

    Raises: ConfigError when there is one and git cannot read it.
    """
    for name in NAMES:
        if os.path.isfile(os.path.join(directory, name)):
            status, listing = ask(("config", "-f", name, "-z", "--list"), directory=directory)
            if status != 0:
                raise ConfigError(
                    f"'{name}' is not in git's configuration syntax",
                    hint=f"run 'git config -f {name} --list' to see why",
                )
            return parse_config(listing)
    status, listing = ask(("config", "--blob", "HEAD:.smartcommit", "-z", "--list"), directory=directory)
    return parse_config(listing) if status == 0 else []


def _knows_comment_strings() -> bool:
    """Whether this git heeds core.commentString, which came with 2.45."""
    _, version = ask(("version",))
    numbers = version.decode("ascii", "replace").removeprefix("git version ").split(".")
    return len(numbers) > 1 and all(n.isdigit() for n in numbers[:2]) and (int(numbers[0]), int(numbers[1])) >= (2, 45)


def rules_of(settings: Settings) -> Rules:
    """The rules that `settings` ask for."""
    levels = {}
    for name, level in (("errors", ERROR), ("warnings", WARNING), ("off", OFF)):
        levels.update(dict.fromkeys(settings.words(name), level))
    return Rules(
        types=settings.words("types") or DEFAULT_TYPES,
        scopes=settings.words("scopes"),
        summary_limit=settings.number("summary-limit") or SUMMARY_LIMIT,
        line_limit=settings.number("line-limit"),
        required=settings.words("required"),
        imperative=settings.flag("imperative"),
        ticket=settings.text("ticket"),
        levels=levels,
    )
