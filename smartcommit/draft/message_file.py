"""The draft in the message file of a commit, and completing its header."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.config import Settings, make_rules
from smartcommit.draft.corrections import save_draft, settle_draft
from smartcommit.draft.engine import answer, draft_embedded, time_limit
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.draft.result import Draft
from smartcommit.errors import SmartcommitError
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository, Trees
from smartcommit.message import header_proposals
from smartcommit.message.characters import printable
from smartcommit.message.cleanup import STRIP, Cleaning
from smartcommit.message.header import parse_header
from smartcommit.message.header_checks import find_header_violations
from smartcommit.message.rules import ERROR
from smartcommit.message.trailers import find_trailers
from smartcommit.terminal import Terminal
from smartcommit.verdict import check_file
from smartcommit.waiting import Deadline


def prepare(
    repository: Repository,
    settings: Settings,
    content: bytes,
    cleaning: Cleaning,
    *,
    head: str | None,
    terminal: Terminal | None,
    since: float | None = None,
) -> bytes | None:
    """Return `content`, the bytes of the message file, with a draft before it; None if there is nothing to draft.

    The draft is for the index, on top of the commit `head` if there is one, and the user can interrupt the wait
    from `terminal`. The time limit starts at `since` on the monotonic clock, by default now. The draft is kept, to
    learn from what is committed in its place.

    Raise GitError if git fails, ConfigError if a rule cannot be applied.
    """
    settle_draft(repository, settings, head)
    request = _read_request_for_index(repository, settings, head)
    made = Draft("")
    comments: list[str] = []
    if request is not None:
        made = _draft(request, content, cleaning, terminal=terminal, since=since)
        if _may_stay_open(made, settings, cleaning) and _is_completed(repository, settings, content, cleaning):
            # Whoever writes the summary corrects nothing in the one that was left out.
            made.uncorrected = f"{(made.uncorrected or made.text).partition(': ')[0]}: "
            made.text, comments = _open_summary(made, settings, cleaning)
        else:
            comments = made.comments
    if cleaning.mode != STRIP:
        # With any other cleanup mode, comments would be recorded.
        comments = []
    if request is not None and made.text:
        save_draft(repository, settings, made.uncorrected or made.text, head=head, paths=request.change.paths)
        return insert(made.text, content, cleaning, comments)
    if not comments:
        return None
    lines = b"\n"
    for comment in comments:
        lines += cleaning.comment + b" " + comment.encode() + b"\n"
    return lines + content


def prepare_for_change(
    change: Trees,
    settings: Settings,
    content: bytes,
    cleaning: Cleaning,
    *,
    editor: str,
    terminal: Terminal | None,
    since: float | None = None,
) -> bytes | None:
    """Return `content` with a draft for `change` before it, which is opened in `editor` and then checked, or None.

    The other arguments are as for `prepare`; the draft is not kept.

    Raise GitError if git fails, ConfigError if a rule cannot be applied.
    """
    from smartcommit.draft.editing import is_edited  # only of a weak draft

    request = read_request(change.repository, change.base, change.target, settings)
    if request is None:
        return None
    made = _draft(request, content, cleaning, terminal=terminal, since=since)
    text, comments = made.text, made.comments
    if _may_stay_open(made, settings, cleaning) and is_edited(settings.git, {**os.environ, "GIT_EDITOR": editor}):
        text, comments = _open_summary(made, settings, cleaning)
    return insert(text, content, cleaning, comments)


def _may_stay_open(made: Draft, settings: Settings, cleaning: Cleaning) -> bool:
    """Return whether the editor may open with only `type(scope): ` and comments instead of the whole draft.

    It may not if git keeps comments.
    """
    if not made.weak or made.header is None or settings.flag("whole-drafts"):
        return False
    return cleaning.mode == STRIP


def _is_completed(repository: Repository, settings: Settings, content: bytes, cleaning: Cleaning) -> bool:
    """Return whether a person will complete the message, and our `commit-msg` hook will check it.

    Without git's comments in `content`, the draft is for another program's message box.
    """
    if not any(line.startswith(cleaning.comment) for line in content.split(b"\n")):
        return False
    from smartcommit.draft.editing import is_checked, is_edited  # only of a weak draft

    return is_edited(settings.git) and is_checked(repository, settings.git)


def _open_summary(made: Draft, settings: Settings, cleaning: Cleaning) -> tuple[str, list[str]]:
    """Return the draft without its summary, and the comments that offer headers to choose from.

    The description is left out, too, unless the project has required parts. Trailers stay.
    """
    from smartcommit.message.choices import write_choices  # as above

    header = made.header
    assert header is not None, "a draft without a header has no summary"
    lines = made.text.split("\n")
    rest = lines[1:]
    if not settings.words("required"):
        begin, end = find_trailers(lines)
        rest = lines[begin:end]
        if rest:
            rest.insert(0, "")
    header.summary = ""
    mark = cleaning.comment.decode("utf-8", "replace")
    choices = write_choices(list(map(printable, made.list_headers())), mark)
    return "\n".join((str(header), *rest)), [*made.fact_comments, *choices, *made.comments]


def prepare_unattended(
    repository: Repository,
    settings: Settings,
    content: bytes,
    cleaning: Cleaning,
    *,
    head: str | None,
    terminal: Terminal | None,
    since: float | None = None,
) -> tuple[bytes | None, list[str]]:
    """Return `content` with a draft before it that git can record unseen, and remarks that are safe to print.

    Return None instead if there is nothing to draft. The other arguments are as for `prepare`; no comment is added,
    since git may record it, and the draft is not kept, since nobody judges it.

    Raise SmartcommitError if the draft needs a person, GitError if git fails, ConfigError if a rule cannot be applied.
    """
    # `--cleanup` is not known here, and git takes the first candidate of `core.commentChar = auto`.
    cleaning.comment = cleaning.comment or b"#"
    request = _read_request_for_index(repository, settings, head)
    if request is None:
        return None, []
    made = _draft(request, content, cleaning, terminal=terminal, since=since)
    whole = None
    if made.text:
        whole = insert(made.text, content, cleaning)
    if whole is None:
        raise SmartcommitError(made.reason or "its first line would be a comment")
    rules = make_rules(settings, finished=True)
    for one in check_file(whole, cleaning, rules, search=matches).violations:
        if one.level == ERROR:
            raise SmartcommitError(f"it needs a person: {one.text}")
    return whole, made.comments


def _read_request_for_index(repository: Repository, settings: Settings, head: str | None) -> DraftRequest | None:
    return read_request(repository, head or repository.empty_tree, None, settings, head=head)


def _draft(
    request: DraftRequest, content: bytes, cleaning: Cleaning, *, terminal: Terminal | None, since: float | None
) -> Draft:
    """Return a draft that passes when it is inserted before `content`."""

    def passes(text: str) -> bool:
        whole = insert(text, content, cleaning)
        if whole is None:
            return False
        # A draft already has the ticket of the branch, or an empty place for one, so the branch need not be read.
        verdict = check_file(whole, cleaning, request.rules)
        # With an unknown encoding every message is rejected, which is not the draft's fault.
        return not verdict.refused or all(one.code == "encoding" for one in verdict.violations)

    deadline = Deadline(time_limit(request.settings), since=since)
    return answer(request, deadline=deadline, terminal=terminal, passes=passes)


def complete_header(
    repository: Repository, settings: Settings, line: str, *, change: Trees | None = None
) -> str | None:
    """Return the header `line`, which has no type, with the type and the scope of a draft for `change`, or the index.

    The words stay as they are, unless the project requires the imperative. Return None if nothing is changed, or if the
    result would break the project's rules.

    Raise GitError if git fails.
    """
    change = change or Trees(repository, repository.head() or repository.empty_tree)
    request = read_request(change.repository, change.base, change.target, settings)
    if request is None:
        return None
    drafted = parse_header(draft_embedded(request).text.partition("\n")[0])
    if drafted is None:
        return None
    header = header_proposals.complete_header(line, drafted, request.rules)
    if header is None:
        return None
    if not find_header_violations(str(header), request.rules):
        return str(header)
    fixed = header_proposals.fix_header(str(header), request.rules)
    return fixed and fixed[0]


def insert(text: str, content: bytes, cleaning: Cleaning, remarks: Sequence[str] = ()) -> bytes | None:
    """Return `content` with the draft `text` before it; None if the draft is empty or its header would be a comment.

    A blank line separates them, for which line breaks at the start of `content` are used, so that trailers stay one
    blank line away. Characters that the commit encoding does not support become `?`. `remarks`, lines that are safe to
    print, follow the draft as comments; pass them only if git removes comments.
    """
    codec = _find_codec(cleaning.encoding or "utf-8")
    comment = cleaning.comment
    lines = [line.encode(codec, "replace") for line in text.strip("\n").split("\n")]
    if not lines[0].strip() or lines[0].startswith(comment):
        return None
    for number, line in enumerate(lines[1:], 1):
        lines[number] = _indent_if_special(line, comment)
    if remarks:
        lines.append(b"")
    for remark in remarks:
        lines.append(comment + b" " + remark.encode(codec, "replace"))
    draft = b"\n".join(lines)
    breaks = len(content) - len(content.lstrip(b"\n"))
    missing = 1
    if content:
        missing = max(0, 2 - breaks)
    return draft + b"\n" * missing + content


def _indent_if_special(line: bytes, comment: bytes) -> bytes:
    """Indent `line` if git would otherwise remove it as a comment, or truncate the message at it."""
    if line.startswith((comment, b"diff --git")):
        return (b"\t" if comment.startswith(b" ") else b" ") + line
    return line


def _find_codec(encoding: str) -> str:
    """Return `encoding` if Python supports it and it encodes ASCII as ASCII, which git needs; else "ascii"."""
    probe = "feat: x\n"
    try:
        if probe.encode(encoding, "replace") == probe.encode():
            return encoding
    except (LookupError, UnicodeError, ValueError):
        pass
    return "ascii"
