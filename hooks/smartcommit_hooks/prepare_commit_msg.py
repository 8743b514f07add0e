"""The `prepare-commit-msg` hook: writes a drafted message into the commit message file.

It drafts only if git has no message: if git names a source (`-m`, `--amend`, a merge, a pick of a rebase), the hook
keeps that for `commit-msg`, and imports nothing else, except in a rebase that squashes. `git commit --no-edit` without
a message records the draft as it is. Hooks of `smartcommit install` do not start Python where there is nothing to
draft: what they test, `smartcommit.setup.hook_scripts.DRAFT_NOTHING`, must agree with `wanted`. The hook never blocks a
commit.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from smartcommit import state_files
from smartcommit.errors import SmartcommitError, describe_error
from smartcommit_hooks import run_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.config import Settings
    from smartcommit.git.query import Place
    from smartcommit.git.repo import Repository
    from smartcommit.message.cleanup import Cleaning
    from smartcommit.terminal import Terminal

# git's names for where a message comes from. Source: githooks(5), "prepare-commit-msg".
SOURCES = ("message", "template", "merge", "squash", "commit")
# Bytes; `git commit -v` puts a diff into the file, and reading a larger one takes longer than a draft is worth.
SIZE_LIMIT = 1 << 26


def main(argv: Sequence[str] | None = None) -> int:
    """Draft into the message file named first; return 0 even if there is no draft, and 130 if interrupted."""
    if argv is None:
        return run_hook(main)
    source = _find_source(argv, os.environ)
    failure = "no draft"
    try:
        _keep_source(argv, os.environ, source)
        if source == "message" and argv:
            failure = "comments may become the message"
            _uncover_header(argv[0])
        elif wanted(argv, os.environ):
            _prepare(next(iter(argv), None), is_template=source == "template")
    except KeyboardInterrupt:
        _say(f"{failure}: interrupted")
        return 130
    except Exception as error:  # even a bug must not block the commit
        _say(f"{failure}: {_explain(error)}")
    return 0


def wanted(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Return whether a message should be drafted: there is no source, or a template on which an editor opens.

    With `GIT_EDITOR=:` no editor opens; `git commit --no-edit` alone has no source then. git passes the source as the
    second argument, pre-commit and prek in a variable, which stays set for a git inside their hooks.
    """
    source = _find_source(arguments, environment)
    return source == "" or (source == "template" and _has_editor(environment))


def _has_editor(environment: Mapping[str, str]) -> bool:
    """Whether git opens an editor; if not, it tells its hooks so."""
    return environment.get("GIT_EDITOR") != ":"


def _find_source(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    if len(arguments) > 1 and ("PRE_COMMIT" not in environment or arguments[1] in SOURCES):
        return arguments[1]
    return environment.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")


def _keep_source(arguments: Sequence[str], environment: Mapping[str, str], source: str) -> None:
    """Keep for `commit-msg`, which git does not tell, where the message is from (`smartcommit.git.own_headers`)."""
    date = environment.get("GIT_AUTHOR_DATE")
    if not date or not arguments:
        return
    commit = environment.get("PRE_COMMIT_COMMIT_OBJECT_NAME", "")
    if len(arguments) > 2 and "PRE_COMMIT" not in environment:
        commit = arguments[2]
    line = f"{date} from {source} {commit}\n"
    state_files.save(os.path.dirname(os.path.abspath(arguments[0])), state_files.SOURCE, os.fsencode(line))


def _uncover_header(path: str) -> None:
    """Remove the comments above what a rebase squashes if git would record them: it runs no `commit-msg` there."""
    folder = os.path.dirname(path)
    squash_message = os.path.join(folder, "SQUASH_MSG")
    if not os.path.exists(squash_message) or not os.path.exists(os.path.join(folder, "rebase-merge")):
        return
    from smartcommit.config import load
    from smartcommit.git.query import locate
    from smartcommit.message.cleanup import STRIP, find_cleaning

    content = _read(path)
    place = locate()
    # What was given with -m instead is the user's.
    if place is None or not content.startswith(_read(squash_message).rstrip(b"\n")):
        return
    settings = load(place.worktree)
    cleaning = find_cleaning(content, settings.git, editor=True)
    comment = cleaning.comment
    if dict(settings.git).get("core.commentchar") == "auto":
        # git chooses another character for its comments, because of these.
        comment = b"#"
    elif cleaning.mode == STRIP:
        return
    # '#12' is no comment of git's.
    starts = (b"", comment, comment + b" ")
    # There are several where a conflict has interrupted the squash, or `fixup -c` skips a message.
    paragraphs = content.split(b"\n\n")
    for number, paragraph in enumerate(paragraphs):
        if any(line[: len(comment) + 1] not in starts for line in paragraph.split(b"\n")):
            if number:
                state_files.replace_file(path, b"\n\n".join(paragraphs[number:]).lstrip(b"\n"))
            return


def _prepare(name: str | None, *, is_template: bool) -> None:
    # The user waits for these imports too.
    since = time.monotonic()
    # Drafting needs most of smartcommit; without a draft, above all in a rebase, none of it is imported.
    from contextlib import nullcontext

    from smartcommit.config import load, wants_model
    from smartcommit.git.repo import find_place
    from smartcommit.terminal import Terminal
    from smartcommit.waiting import hold_keyboard

    place = find_place(with_head=True)
    settings = load(place.worktree, in_head=place.has_policy)
    if not settings.flag("draft"):
        return
    # A `files:` at the top of the user's configuration filters the message file out: then there is no name.
    path = os.path.realpath(name or os.path.join(place.git_dir, "COMMIT_EDITMSG"))
    # From here on Ctrl-C ends the wait for a model, and not the commit.
    terminal = Terminal.open() if wants_model(settings) else None
    with terminal or nullcontext(), hold_keyboard(terminal):
        _draft_into(path, place, settings, is_template=is_template, terminal=terminal, since=since)


def _draft_into(
    path: str, place: Place, settings: Settings, *, is_template: bool, terminal: Terminal | None, since: float
) -> None:
    """Draft into the file at `path`, or put the message that was refused there; raise SmartcommitError if neither can.

    If git opens no editor, a draft is recorded as it is, and what else would be a comment in the file is printed.
    """
    from smartcommit.draft.message_file import prepare, prepare_unattended
    from smartcommit.draft.request import read_request
    from smartcommit.git.repo import Repository
    from smartcommit.message.cleanup import (
        STRIP,
        awaits_draft,
        cut_at_scissors,
        find_cleaning,
        is_left_empty,
        strip_space,
    )
    from smartcommit.refused import is_retried

    content = _read(path)
    cleaning = find_cleaning(content, settings.git, editor=_has_editor(os.environ))
    if cleaning.editor:
        # An editor that does nothing (`GIT_EDITOR=:`) is no request to record a draft.
        is_awaited = _has_editor(os.environ) and awaits_draft(content, cleaning.comment)
    else:
        # git may record comments, so even they are a message.
        is_awaited = awaits_draft(content, b"")
    if not is_awaited:
        return
    if is_retried(place.git_dir):
        if not cleaning.editor:
            raise SmartcommitError("the message that was refused is saved; 'git commit' opens it")
        rejected = _insert_rejected(place.git_dir, content, cleaning)
        if rejected is not None:
            state_files.replace_file(path, rejected)
            return
    message = strip_space(cut_at_scissors(content, cleaning.comment), cleaning.comment).text
    # With a draft, fields of a template that are left as they are would be recorded; git alone aborts.
    if is_template and not is_left_empty(message, STRIP):
        return
    repository = Repository.at(place)
    head = place.head or repository.empty_tree
    request = read_request(repository, head, None, settings, find_said=lambda paths: _find_said(repository, paths))
    if request is None:
        return
    if cleaning.editor:
        prepared = prepare(request, content, cleaning, terminal=terminal, since=since)
    else:
        prepared, remarks = prepare_unattended(request, content, cleaning, terminal=terminal, since=since)
        for remark in remarks:
            print(remark, file=sys.stderr)
    if prepared is not None:
        state_files.replace_file(path, prepared)


def _find_said(repository: Repository, paths: Sequence[bytes]) -> Mapping[str, str]:
    """Return what the coding agent was asked for that commits; of a person's commit, no session is looked for."""
    from smartcommit.coding_agent import find_session

    if find_session() is None:
        return {}
    from smartcommit.session.task import find_said

    return find_said(repository, paths)


def _insert_rejected(git_dir: str, content: bytes, cleaning: Cleaning) -> bytes | None:
    """Return `content` with the text that commit-msg rejected, and why, before it.

    None if that text is gone, or not in the commit encoding. Trailers that git has added to `content` again
    (`--signoff`) are dropped from it.
    """
    from smartcommit import refused
    from smartcommit.draft.message_file import insert
    from smartcommit.message.cleanup import STRIP, decode
    from smartcommit.message.trailers import find_trailers

    rejected = state_files.load(git_dir, state_files.REFUSED)
    if rejected is None:
        return None
    if rejected.startswith(cleaning.comment):
        rejected = b" " + rejected  # else git would drop its first line as a comment
    try:
        lines = decode(rejected, cleaning.encoding).split("\n")
        present = set(decode(content, cleaning.encoding).split("\n"))
    except ValueError:
        return None
    begin, end = find_trailers(lines, cleaning.comment.decode("utf-8", "replace"))
    lines[begin:end] = [line for line in lines[begin:end] if line not in present]
    remarks = []
    report = refused.load_report(git_dir)
    if report and cleaning.mode == STRIP:  # with any other mode, comments would be recorded
        remarks = ["smartcommit: this message was refused:", *report]
    text = "\n".join(lines).rstrip("\n")
    return insert(text, content, cleaning, remarks)


def _read(path: str) -> bytes:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise SmartcommitError(f"'{path}' is not a file")
    if status.st_size > SIZE_LIMIT:
        raise SmartcommitError(f"'{path}' is larger than {SIZE_LIMIT >> 20} MiB")
    with open(path, "rb") as file:
        return file.read()


def _explain(error: Exception) -> str:
    if isinstance(error, OSError):
        return describe_error(error)
    if isinstance(error, ModuleNotFoundError):
        return f"the module '{error.name}' is gone; install smartcommit again"
    git_dir = None
    if not isinstance(error, SmartcommitError):
        from smartcommit.git.query import locate

        place = locate()
        git_dir = None if place is None else place.git_dir
    return str(state_files.explain_failure(error, git_dir))


def _say(line: str) -> None:
    from smartcommit.message.characters import printable

    print(f"smartcommit: {printable(line)}", file=sys.stderr)
