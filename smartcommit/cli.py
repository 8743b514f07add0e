"""The command-line interface: a click group with lazily loaded commands."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence

import click

from smartcommit import __version__
from smartcommit.coding_agent import is_agent_at_work
from smartcommit.errors import SmartcommitError, describe_error
from smartcommit.terminal import accept_any_text, format_error

# Commands are imported when they are used: importing all of them would take ten times as long as click does.
COMMANDS = {
    "absorb": "put changes into the earlier commits that they belong to",
    "agents": "install hooks and a skill for coding agents",
    "check": "check commit messages against the project's rules",
    "config": "show every setting and where its value comes from",
    "demo": "show the hooks in action in a scratch repository",
    "doctor": "report what the hooks do here, what is wrong, and how to fix it",
    "draft": "draft a commit message for the staged changes",
    "execute": "run a coding agent on a plan, one commit per task",
    "install": "install the hooks in this repository",
    "jj-editor": "draft and check the descriptions that jj opens in an editor",
    "mcp": "serve the commit planner to MCP clients",
    "model": "find models, and print the settings that choose them",
    "plan": "manage a plan in the description of a jj change",
    "range": "cut the commits of the current branch anew",
    "recover": "finish or roll back a split that was interrupted by a crash",
    "session": "commit only what a coding agent's session has changed",
    "split": "split the working tree's changes into atomic commits",
    "undo": "undo the last split, absorb or range",
    "uninstall": "undo 'smartcommit install'",
}

# The commands as the help shows them.
GROUPS = {
    "Every day": ("install", "draft", "split", "absorb", "range", "undo", "model"),
    "A team": ("check", "config"),
    "Coding agents and plans": ("agents", "session", "plan", "execute", "mcp", "jj-editor"),
    "Help": ("demo", "doctor", "recover", "uninstall"),
}

# New objects after which Python looks for garbage. By default it is 700: a large change makes millions of objects and
# next to no garbage, and a third of a split's time would go into that.
_GARBAGE_THRESHOLD = 100_000

# Words that other programs have for a command.
_MEANT = {"init": "install", "lint": "check", "status": "doctor"}

# Commands in the module of another one, each by the names of the module and of the function.
_SHARED = {
    "absorb": ("rewriting", "absorb"),
    "mcp": ("plan", "mcp"),
    "range": ("rewriting", "range_"),
    "recover": ("split", "recover"),
    "undo": ("split", "undo"),
    "uninstall": ("install", "uninstall"),
}

# The commands of `git smart-commit`, which splits where none of them is named.
REWRITING = ("absorb", "range", "undo", "recover")


def load_command(name: str) -> click.Command:
    module, function = _SHARED.get(name, (name.replace("-", "_"), "command"))
    command = getattr(importlib.import_module(f"smartcommit.commands.{module}"), function)
    assert isinstance(command, click.Command)
    return command


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return load_command(name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing:
            import difflib

            near = [_MEANT[name]] if name in _MEANT else difflib.get_close_matches(name, COMMANDS, n=1)
            if near:
                ctx.fail(f"No such command '{name}'. Did you mean '{near[0]}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does; click would import all of them and cut their sentences off."""
        width = max(len(command) for command in COMMANDS)
        for title, names in GROUPS.items():
            rows = []
            for name in names:
                text = COMMANDS[name]
                rows.append((name.ljust(width), f"{text[0].upper()}{text[1:]}."))
            with formatter.section(title):
                formatter.write_dl(rows)


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 success, 1 rejected or failed, 2 usage error, 130 interrupted; some commands have others.",
)
@click.version_option(__version__, message="smartcommit %(version)s")
def group() -> None:
    """Draft and check commit messages, and split changes into atomic commits."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `smartcommit` and return its exit status: 0 passed, 1 rejected or failed, 2 usage, 130 interrupted."""
    gc.set_threshold(_GARBAGE_THRESHOLD)
    accept_any_text()
    if is_agent_at_work():
        os.environ["NO_COLOR"] = "1"
    try:
        status = group.main(arguments, prog_name="smartcommit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SmartcommitError as error:
        click.echo(format_error(error), err=True)
        return 1
    except OSError as error:
        click.echo(format_error(SmartcommitError(describe_error(error))), err=True)
        return 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    finally:
        gc.freeze()  # or Python would look once more when it ends
    return status or 0


def git_smart_commit(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] not in REWRITING:
        words.insert(0, "split")
    return main(words)
