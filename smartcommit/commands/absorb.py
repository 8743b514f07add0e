"""`smartcommit absorb`, also `git smart-commit --absorb`: hunks go into the earlier commits that they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import click

from smartcommit.commands import split

# The options of a split that mean something here; the others are refused, and not listed.
_OPTIONS = (
    "repo", "staged", "revisions", "allow_pushed", "fixup", "plan", "save_plan", "check", "dry_run", "json", "yes",
    "quiet", "undo", "recover", "help",
)  # fmt: skip
# What some of them mean for a change that is absorbed.
_TEXTS = {
    "staged": "Absorb only the staged changes.",
    "revisions": "Consider the commits since BASE; without it, those that were not pushed.",
    "fixup": "Make 'fixup!' commits for 'git rebase --autosquash', and rewrite nothing.",
    "check": "Run CMD on every commit that is rewritten, and change nothing if it fails on any of them.",
}
_HELP = "Put each hunk into the commit of the current branch that it belongs to; what has no sure target stays."


class _AbsorbCommand(split.SplitCommand):
    """A split that is always given `--absorb`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if {"--undo", "--recover"}.isdisjoint(args):
            args = ["--absorb", *args]
        return super().parse_args(ctx, args)


def _list_options() -> Iterator[click.Parameter]:
    for option in map(copy, split.command.params):
        assert isinstance(option, click.Option)
        option.hidden = option.name not in _OPTIONS
        option.help = _TEXTS.get(option.name or "", option.help)
        yield option


command = _AbsorbCommand(
    "absorb", params=list(_list_options()), callback=split.command.callback, help=_HELP, epilog=split.STATUSES
)
