"""What `prepare-commit-msg` writes where git has no message: a draft, or the message that was refused before.

The hook imports this only once it will draft: it needs most of smartcommit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from smartcommit import state_files
from smartcommit.coding_agent import find_session
from smartcommit.config import Settings
from smartcommit.draft.message_file import insert, prepare, prepare_unattended
from smartcommit.draft.request import read_request
from smartcommit.errors import SmartcommitError
from smartcommit.git.query import Place
from smartcommit.git.repo import Repository
from smartcommit.message import cleanup
from smartcommit.message.cleanup import Cleaning
from smartcommit.message.trailers import find_trailers
from smartcommit_hooks import opens_editor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.terminal import Terminal


def prepare_content(
    place: Place, settings: Settings, content: bytes, *, is_template: bool, terminal: Terminal | None, since: float
) -> bytes | None:
    """Return the content of the message file with a draft, or with the message that was refused; None if it stays.

    If git opens no editor, a draft is recorded as it is, and what else would be a comment in the file is printed. Raise
    SmartcommitError if there is no draft.
    """
    has_editor = opens_editor(os.environ)
    cleaning = cleanup.find_cleaning(content, settings.git, editor=has_editor)
    if cleaning.editor:
        # An editor that does nothing (`GIT_EDITOR=:`) is no request to record a draft.
        is_awaited = has_editor and cleanup.awaits_draft(content, cleaning.comment)
    else:
        # git may record comments, so even they are a message.
        is_awaited = cleanup.awaits_draft(content, b"")
    if not is_awaited:
        return None
    if _is_retried(place.git_dir):
        if not cleaning.editor:
            raise SmartcommitError("the message that was refused is saved; 'git commit' opens it")
        rejected = _insert_rejected(place.git_dir, content, cleaning)
        if rejected is not None:
            return rejected
    message = cleanup.strip_space(cleanup.cut_at_scissors(content, cleaning.comment), cleaning.comment).text
    # With a draft, fields of a template that are left as they are would be recorded; git alone aborts.
    if is_template and not cleanup.is_left_empty(message, cleanup.STRIP):
        return None
    repository = Repository.at(place)
    head = place.head or repository.empty_tree
    request = read_request(repository, head, None, settings, find_said=lambda paths: _find_said(repository, paths))
    if request is None:
        return None
    if cleaning.editor:
        return prepare(request, content, cleaning, terminal=terminal, since=since)
    prepared, remarks = prepare_unattended(request, content, cleaning, terminal=terminal, since=since)
    for remark in remarks:
        print(remark, file=sys.stderr)
    return prepared


def _find_said(repository: Repository, paths: Sequence[bytes]) -> Mapping[str, str]:
    """Return what the coding agent was asked for that commits; of a person's commit, no session is looked for."""
    if find_session() is None:
        return {}
    from smartcommit.session.task import find_said

    return find_said(repository, paths)


def _is_retried(git_dir: str) -> bool:
    """Whether the commit being made is another attempt at one whose message was refused; few commits follow one."""
    if state_files.load(git_dir, state_files.REFUSED) is None:
        return False
    from smartcommit.refused import is_retried

    return is_retried(git_dir)


def _insert_rejected(git_dir: str, content: bytes, cleaning: Cleaning) -> bytes | None:
    """Return `content` with the text that commit-msg rejected, and why, before it.

    None if that text is gone, or not in the commit encoding. Trailers that git has added to `content` again
    (`--signoff`) are dropped from it.
    """
    rejected = state_files.load(git_dir, state_files.REFUSED)
    if rejected is None:
        return None
    if rejected.startswith(cleaning.comment):
        rejected = b" " + rejected  # else git would drop its first line as a comment
    try:
        lines = cleanup.decode(rejected, cleaning.encoding).split("\n")
        present = set(cleanup.decode(content, cleaning.encoding).split("\n"))
    except ValueError:
        return None
    begin, end = find_trailers(lines, cleaning.comment.decode("utf-8", "replace"))
    lines[begin:end] = [line for line in lines[begin:end] if line not in present]
    from smartcommit.refused import load_report

    remarks = []
    report = load_report(git_dir)
    if report and cleaning.mode == cleanup.STRIP:  # with any other mode, comments would be recorded
        remarks = ["smartcommit: this message was refused:", *report]
    text = "\n".join(lines).rstrip("\n")
    return insert(text, content, cleaning, remarks)
