"""A message of a planned commit in a person's editor."""

from __future__ import annotations

import os

from smartcommit import store
from smartcommit.errors import SplitError
from smartcommit.git.editor import edit_file
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import WHITESPACE, Cleaning, clean, repair

# Editors know a message by this name and git's cut line by its form. Nothing above it is a comment, so that a line
# which begins with `#` stays.
NAME = "COMMIT_EDITMSG"
_NOTE = """\
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
# Everything below it will be ignored.
"""


def reworded(repository: Repository, message: str, below: str, terminal: int) -> str | None:
    """What a person at the open file `terminal` makes of `message`, with `below` shown under a cut line.

    None where nothing was changed. The text is cleaned as git cleans it, but for comments: there are none.

    Raises: GitError when the editor fails; SplitError when the file cannot be written or read.
    """
    path = store.path(repository.git_dir, NAME)
    before = message.encode("utf-8", "surrogateescape")
    note = f"\n{_NOTE}{below}".encode("utf-8", "surrogateescape")
    if not store.save(repository.git_dir, NAME, before + note):
        raise SplitError(f"cannot write '{path}'")
    edit_file(repository, path, terminal)
    after = store.load(repository.git_dir, NAME)
    if after is None:
        raise SplitError(f"cannot read '{os.path.basename(path)}'")
    store.drop(repository.git_dir, NAME)
    if after == before + note:
        return None
    cleaned = clean(after, Cleaning(WHITESPACE, cut=True)).text
    return None if cleaned == before else repair(cleaned).decode()
