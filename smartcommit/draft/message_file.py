"""The draft in the message file of a commit, and refining a message given with `-m`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

from smartcommit.check import autosquash_target, by_state, judge_file
from smartcommit.config import Settings, rules_of
from smartcommit.draft.engine import EMBEDDED, Draft, draft, patience_of
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import wants_model
from smartcommit.message.characters import printable
from smartcommit.message.cleanup import STRIP, Cleaning, decode, editable
from smartcommit.message.trailers import find_trailers
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What a cherry-pick and a rebase leave in the git directory while they go on; by_state knows the others.
_SEQUENCES = ("CHERRY_PICK_HEAD", "sequencer", "rebase-merge", "rebase-apply")


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
    rules = rules_of(settings)

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


def refine(
    repository: Repository, settings: Settings, content: bytes, cleaning: Cleaning, *, since: float | None = None
) -> bytes | None:
    """`content`, the bytes of the message file, with the given text refined and kept below it in comments.

    None where it is to stay as it is: no model is configured, comments would be recorded, or the message is not one
    that somebody wrote for this change alone. Where the model fails, a comment says so.

    Raises: GitError when git fails; ConfigError when a rule cannot be applied.
    """
    if not wants_model(settings) or cleaning.mode != STRIP or _is_replayed(repository, os.environ):
        return None
    end = _end(content, cleaning.comment)
    given, rest = content[:end], content[end:]
    try:
        seed = decode(given, cleaning.encoding).strip()
    except ValueError:
        return None
    if not seed or autosquash_target(seed.split("\n", 1)[0]) is not None:
        return None

    def with_draft(text: str, remarks: Sequence[str] = ()) -> bytes | None:
        return insert(text, rest, comment=cleaning.comment, encoding=cleaning.encoding, remarks=remarks)

    made = drafted(repository, settings, cleaning, with_draft, since=since, wish=seed)
    if made.engine != EMBEDDED and made.text is not None:
        kept = [printable(line) for line in seed.split("\n")]
        return with_draft(made.text, [f"smartcommit: refined by {printable(made.engine)}; given was:", *kept])
    if not made.reason or not made.changed:
        return None
    said = f" smartcommit: not refined: {printable(made.reason)}".encode()
    return given.rstrip(b"\n") + b"\n\n" + cleaning.comment + said + b"\n\n" + rest


def _end(content: bytes, comment: bytes) -> int:
    """Where the text that was given ends: at git's first comment, or the trailers that stand before it."""
    lines = editable(content, comment).split(b"\n")
    end = next((number for number, line in enumerate(lines) if line.startswith(comment)), len(lines))
    begin, behind = find_trailers([line.decode("latin-1") for line in lines[:end]], comment.decode("latin-1"))
    end = begin if begin < behind else end
    return min(len(content), sum(len(line) + 1 for line in lines[:end]))


def _is_replayed(repository: Repository, environment: Mapping[str, str]) -> bool:
    """Whether this commit takes another one's place, or repeats one.

    Amending shows only in the author's date, which git exports and takes over from the commit that is amended.
    """
    if by_state(repository.git_dir) is not None:
        return True
    if any(os.path.exists(os.path.join(repository.git_dir, name)) for name in _SEQUENCES):
        return True
    authored = environment.get("GIT_AUTHOR_DATE", "").lstrip("@").split(" ", 1)[0]
    head = repository.head()
    return head is not None and repository.run("log", "-1", "--format=%at", head).decode().strip() == authored


def insert(
    text: str, content: bytes, *, comment: bytes, encoding: str | None = None, remarks: Sequence[str] = ()
) -> bytes | None:
    """`content` with the draft `text` before it; None where the draft is empty or its header would be a comment.

    A blank line separates the draft from what follows; where `content` opens with the needed line ends they are used,
    so a trailer block stays one blank line away. `encoding` is the commit encoding, None for UTF-8; what it cannot hold
    becomes `?`. `remarks` follow the draft as comment lines, each a line of safe text; they are only for files whose
    comments git drops.
    """
    codec = "utf-8" if encoding is None else _codec(encoding)
    header, *body = [line.encode(codec, "replace") for line in text.strip("\n").split("\n")]
    if not header.strip() or header.startswith(comment):
        return None
    lines = [header, *(_kept(line, comment) for line in body)]
    if remarks:
        lines += [b"", *(comment + b" " + remark.encode(codec, "replace") for remark in remarks)]
    draft = b"\n".join(lines)
    opening = len(content) - len(content.lstrip(b"\n"))
    return draft + b"\n" * (max(0, 2 - opening) if content else 1) + content


def _kept(line: bytes, comment: bytes) -> bytes:
    """`line`, indented where git would otherwise drop it as a comment or cut the message off at it."""
    if line.startswith((comment, b"diff --git")):
        return (b"\t" if comment.startswith(b" ") else b" ") + line
    return line


def _codec(encoding: str) -> str:
    """`encoding` where Python knows it and it writes ASCII as git needs it, else ASCII."""
    probe = "feat: x\n"
    try:
        known = probe.encode(encoding, "replace") == probe.encode()
    except (LookupError, UnicodeError, ValueError):
        known = False
    return encoding if known else "ascii"
