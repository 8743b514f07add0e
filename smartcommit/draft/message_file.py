"""The message file with a draft in it, as `commit-msg` will let it through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from smartcommit import policy
from smartcommit.check import judge_file
from smartcommit.config import Settings
from smartcommit.draft.engine import Draft, draft, patience_of
from smartcommit.draft.insert import insert
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import STRIP, Cleaning
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline


def prepare(
    repository: Repository,
    settings: Settings,
    content: bytes,
    cleaning: Cleaning,
    *,
    since: float | None = None,
    remarks: Sequence[str] = (),
) -> bytes | None:
    """`content`, the bytes of the message file, with a draft before it; None where there is nothing to draft.

    What is being committed is read from the index, and a person at the terminal can cut the waiting short. The time a
    draft may take is counted from `since` on the monotonic clock, by default from now. `remarks`, each a line of safe
    text, are added as comments where git drops comments, with a draft or without one.

    Raises: GitError when git fails; ConfigError when a rule cannot be applied.
    """

    def with_draft(text: str, comments: Sequence[str] = ()) -> bytes | None:
        return insert(text, content, comment=cleaning.comment, encoding=cleaning.encoding, remarks=comments)

    made = drafted(repository, settings, cleaning, with_draft, since=since)
    comments: list[str] = []
    # With any other cleanup a comment of ours would be recorded.
    if cleaning.mode == STRIP:
        comments += made.comments if made.changed else ()
        comments += remarks
    if made.text is not None:
        return with_draft(made.text, comments)
    said = b"".join(cleaning.comment + b" " + comment.encode() + b"\n" for comment in comments)
    return b"\n" + said + content if said else None


def drafted(
    repository: Repository,
    settings: Settings,
    cleaning: Cleaning,
    with_draft: Callable[[str], bytes | None],
    *,
    since: float | None = None,
    wish: str = "",
) -> Draft:
    """The draft for the index being committed. `with_draft` gives the message file with a text in it.

    Raises: GitError when git fails; ConfigError when a rule cannot be applied.
    """
    rules = policy.rules_of(settings)

    def passes(text: str) -> bool:
        whole = with_draft(text)
        if whole is None:
            return False
        verdict = judge_file(whole, cleaning, rules, search=matches)
        # In a charset that nobody knows no message passes, a person's neither: that is not the draft's fault.
        return not verdict.refused or all(one.violation.code == "encoding" for one in verdict.placed)

    terminal = Terminal.open()
    with terminal or nullcontext():
        return draft(
            repository,
            repository.head() or repository.empty_tree,
            None,
            settings,
            deadline=Deadline(patience_of(settings), since=since),
            terminal=terminal,
            passes=passes,
            wish=wish,
        )
