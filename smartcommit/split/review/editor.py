"""Edit a message in the user's editor."""

from __future__ import annotations

import signal
import subprocess

from smartcommit import state_files
from smartcommit.errors import GitError, SplitError
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import WHITESPACE, Cleaning, clean, repair
from smartcommit.signals import discard_signals
from smartcommit.split.review.render import diff_lines
from smartcommit.split.review.session import Session

# Editors know a message by this name and git's cut line by its form. Nothing above it is a comment, so that a line
# which begins with `#` stays.
NAME = "COMMIT_EDITMSG"
_NOTE = """\
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
# Everything below it will be ignored.
"""
# Ctrl-C and Ctrl-\ in an editor are the editor's, not ours. Source: git's editor.c.
_KEYS = (signal.SIGINT, signal.SIGQUIT)


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


def edit_file(repository: Repository, path: str, terminal: int) -> None:
    """Let the person at the open file `terminal` edit `path`, and wait until the editor is closed.

    The editor is the one that `git var GIT_EDITOR` names, its words split by the shell.

    Raises: GitError when there is none, or it ends with another status than 0.
    """
    editor = repository.run("var", "GIT_EDITOR").decode("utf-8", "surrogateescape").rstrip("\n")
    if editor == ":":  # git's way of saying that nobody edits
        return
    status = _run(["sh", "-c", f'{editor} "$@"', editor, path], repository.worktree, terminal)
    if status != 0:
        raise GitError(f"the editor '{editor}' ended with status {status}", status=status)


def _run(command: list[str], directory: str, terminal: int) -> int:
    with (
        discard_signals(_KEYS, include_ignored=True),
        subprocess.Popen(command, cwd=directory, stdin=terminal, stdout=terminal, stderr=terminal) as process,
    ):
        return process.wait()
