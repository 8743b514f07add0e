"""`smartcommit jj-editor`: drafts and checks descriptions around the user's editor, as jj's setting `ui.editor`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

import click

from smartcommit.errors import SmartcommitError
from smartcommit.git.query import ask
from smartcommit.jj.description_file import SUFFIX
from smartcommit.jj.run import NoWorkspace, find_root
from smartcommit.message.characters import printable
from smartcommit.processes.run import open_editor
from smartcommit.processes.runner import read_process

# How this command is known among the words of an editor's command, which must not open itself.
_NAME = "jj-editor"


@click.command()
@click.argument("file")
@click.option("--editor", metavar="COMMAND", help="Editor to open, by default the one of VISUAL, EDITOR or git.")
def command(*, file: str, editor: str | None) -> int:
    """Edit FILE for jj, which starts this as its `ui.editor`.

    An empty description is drafted before the editor opens, and what was written is checked afterwards. jj records
    nothing unless the exit status is 0. Any file but a description is only opened.
    """
    opened = _find_editor(editor)
    process = read_process(os.getppid())
    caller = process[1][1:] if process is not None else []
    root = _find_root(caller) if file.endswith(SUFFIX) else None
    if root is None:
        return open_editor(opened, file)
    # What drafts need is heavy, and jj opens other files as well.
    from smartcommit.commands.description_edit import DescriptionEdit

    edit = DescriptionEdit(root, file, caller)
    if opened != ":":
        # For git, this means not to edit: nobody would see the draft.
        edit.draft(opened)
        status = open_editor(opened, file)
        if status != 0:
            return status
    return edit.check()


def _find_editor(given: str | None) -> str:
    for editor in (given, os.environ.get("VISUAL"), os.environ.get("EDITOR")):
        if editor and _NAME not in editor:
            return editor
    status, answer = ask(("var", "GIT_EDITOR"))
    editor = os.fsdecode(answer).rstrip("\n")
    if status != 0 or not editor or _NAME in editor:
        raise SmartcommitError("no editor to open", hint="set VISUAL or EDITOR to the command of your editor")
    return editor


def _find_root(caller: Sequence[str]) -> str | None:
    """Return the root of the workspace that jj works on, by its arguments; None, and say so, if there is none."""
    directory = "."
    for option, value in pairwise(caller):
        if option in ("-R", "--repository"):
            directory = value
    try:
        return find_root(directory)
    except NoWorkspace as error:
        click.echo(f"smartcommit: not checked: {printable(str(error))}", err=True)
        return None
