"""Write the manual pages in `docs/man` from the help of the commands: `python docs/make_manual.py`.

git opens one for `git smart-commit --help`. The commands of `smartcommit` have none: `-h` says the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import click
from click_man.core import generate_man_page

from smartcommit import __version__
from smartcommit.cli import COMMANDS, REWRITING, group, load_command

TARGET = Path(__file__).with_name("man")
# In place of the date, which would change each time.
VERSION = f"smartcommit {__version__}"
# What click-man writes of each command; there is no such page.
REFERENCE = re.compile(r"See \\fBsmartcommit-(\S+)\(1\)\\fP for full documentation on .*")


def write_pages(folder: Path) -> None:
    """Write the pages of `smartcommit` and `git smart-commit`."""
    folder.mkdir(parents=True, exist_ok=True)
    group.short_help = "draft and check commit messages, and split changes"
    for name, summary in COMMANDS.items():
        command = load_command(name)
        command.short_help = summary
        # The group loads them when they are used, and the page lists what is loaded.
        group.add_command(command, name)
    for name, command in {"smartcommit": group, "git-smart-commit": group.commands["split"]}.items():
        page = generate_man_page(click.Context(command, info_name=name), version=__version__, date=VERSION)
        if name == "git-smart-commit":
            page += ".SH COMMANDS\n" + "".join(f".TP\n\\fB{word}\\fP\n{COMMANDS[word]}\n" for word in REWRITING)
        folder.joinpath(f"{name}.1").write_text(REFERENCE.sub(r"See \\fBsmartcommit \1 \\-\\-help\\fP.", page), "utf-8")


if __name__ == "__main__":
    write_pages(TARGET)
