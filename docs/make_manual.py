"""Write the manual pages in `docs/man` from the help of the commands: `python docs/make_manual.py`."""

from __future__ import annotations

from pathlib import Path

from click_man.core import write_man_pages

from smartcommit import __version__
from smartcommit.cli import COMMANDS, group, load_command

TARGET = Path(__file__).with_name("man")
# In place of the date, which would change each time.
VERSION = f"smartcommit {__version__}"


def write_pages(folder: Path) -> None:
    """Write a page for `smartcommit`, for each of its commands, and for `git smart-commit`."""
    folder.mkdir(parents=True, exist_ok=True)
    group.short_help = "draft and check commit messages, and split changes"
    for name, summary in COMMANDS.items():
        command = load_command(name)
        command.short_help = summary
        # The group loads them when they are used, and the pages list what is loaded.
        group.add_command(command, name)
    pages = {"smartcommit": group, "git-smart-commit": group.commands["split"]}
    for name, command in pages.items():
        write_man_pages(name, command, version=__version__, target_dir=str(folder), date=VERSION)


if __name__ == "__main__":
    write_pages(TARGET)
