"""A message of a planned commit in a person's editor."""

from __future__ import annotations

from smartcommit import state_files
from smartcommit.errors import SplitError
from smartcommit.git.editor import edit_file
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import WHITESPACE, Cleaning, clean, repair
from smartcommit.split.painting import diff_lines
from smartcommit.split.review.session import Session

# Editors know a message by this name and git's cut line by its form. Nothing above it is a comment, so that a line
# which begins with `#` stays.
NAME = "COMMIT_EDITMSG"
_NOTE = """\
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
# Everything below it will be ignored.
"""


def reword(session: Session, number: int, repository: Repository, terminal: int) -> bool:
    """Let a person edit the message of commit `number`; whether something was changed.

    Raises: as `reworded`; SplitError when the text breaks a rule; the next edit of this commit opens it again.
    """
    below = "".join(f"{text}\n" for _, text in diff_lines(number, session.units_of(number)))
    text = reworded(repository, session.text_to_edit(number), below, terminal)
    if text is None:
        return False
    try:
        session.set_message(number, text)
    except SplitError as error:
        raise SplitError(str(error), hint=f"edit commit {number} again: the refused text is kept") from error
    return True


def reworded(repository: Repository, message: str, below: str, terminal: int) -> str | None:
    """What a person at the open file `terminal` makes of `message`, with `below` shown under a cut line.

    None where nothing was changed. The text is cleaned as git cleans it, but for comments: there are none.

    Raises: GitError when the editor fails; SplitError when the file cannot be written or read.
    """
    path = state_files.path(repository.git_dir, NAME)
    before = message.encode("utf-8", "surrogateescape")
    note = f"\n{_NOTE}{below}".encode("utf-8", "surrogateescape")
    if not state_files.save(repository.git_dir, NAME, before + note):
        raise SplitError(f"cannot write '{path}'")
    edit_file(repository, path, terminal)
    after = state_files.load(repository.git_dir, NAME)
    if after is None:
        raise SplitError(f"cannot read '{path}'")
    state_files.drop(repository.git_dir, NAME)
    if after == before + note:
        return None
    cleaned = clean(after, Cleaning(WHITESPACE, cut=True)).text
    return None if cleaned == before else repair(cleaned).decode()
