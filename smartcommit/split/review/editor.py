"""Edit a message in the user's editor."""

from __future__ import annotations

from smartcommit import state_files
from smartcommit.errors import GitError, SplitError
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import WHITESPACE, Cleaning, clean, repair
from smartcommit.processes.run import open_editor
from smartcommit.split.review.render import diff_lines
from smartcommit.split.review.session import Session

# Editors recognize a message by this name and git's scissors line by its form. Nothing before that is a comment, so
# that a line which starts with `#` stays.
NAME = "COMMIT_EDITMSG"
_NOTE = """\
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
# Everything below it will be ignored.
"""


def reword(session: Session, number: int, repository: Repository, terminal: int) -> bool:
    """Let the user edit the message of commit `number`; return whether it changed.

    Raise GitError if the editor fails, and SplitError if the file cannot be written or read, or the text breaks a rule;
    then the next edit of this commit opens that text.
    """
    lines = diff_lines(number, session.units_of(number), session.context)
    below = "".join(f"{line.printed}\n" for line in lines)
    text = _edit_message(repository, session.text_to_edit(number), below, terminal)
    if text is None:
        return False
    try:
        session.set_message(number, text)
    except SplitError as error:
        raise SplitError(str(error), hint=f"edit commit {number} again; the rejected text was kept") from error
    return True


def _edit_message(repository: Repository, message: str, below: str, terminal: int) -> str | None:
    """Let the user edit `message`, with `below` after a scissors line; return None if nothing changed.

    The text is cleaned up as by git, except that there are no comments.
    """
    path = state_files.path(repository.git_dir, NAME)
    before = message.encode("utf-8", "surrogateescape")
    note = f"\n{_NOTE}{below}".encode("utf-8", "surrogateescape")
    if not state_files.save(repository.git_dir, NAME, before + note):
        raise SplitError(f"cannot write '{path}'")
    _edit_file(repository, path, terminal)
    after = state_files.load(repository.git_dir, NAME)
    if after is None:
        raise SplitError(f"cannot read '{path}'")
    state_files.drop(repository.git_dir, NAME)
    if after == before + note:
        return None
    cleaned = clean(after, Cleaning(WHITESPACE, cut=True)).text
    return None if cleaned == before else repair(cleaned).decode()


def _edit_file(repository: Repository, path: str, terminal: int) -> None:
    """Open `path` in the editor that `git var GIT_EDITOR` names, on the open file `terminal`, and wait for it."""
    editor = repository.run("var", "GIT_EDITOR").decode("utf-8", "surrogateescape").rstrip("\n")
    if editor == ":":  # for git, this means not to edit
        return
    status = open_editor(editor, path, directory=repository.worktree, terminal=terminal)
    if status != 0:
        raise GitError(f"editor '{editor}' exited with status {status}", status=status)
