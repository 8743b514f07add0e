"""Hook `prepare-commit-msg`: `git commit` opens its editor on a drafted message.

Only where git says nothing about a message does it draft: any source it names (`-m`, `--amend`, a merge, a pick of a
rebase) ends the hook before it has imported or started anything. One thing is asked first where an editor opens on a
message from the command line: whether that may be refined. It never blocks a commit.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from smartcommit.errors import SmartcommitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.message.cleanup import Cleaning

# git's names for where a message comes from. Source: githooks(5), "prepare-commit-msg".
SOURCES = ("message", "template", "merge", "squash", "commit")
# A message file holds a diff under `git commit -v`; reading a larger one would take longer than the draft is worth.
SIZE_LIMIT = 1 << 26


def main(argv: Sequence[str] | None = None) -> int:
    """Draft into the message file named first; returns 0, for no draft is no reason to refuse a commit.

    Only an interrupt (where there is a terminal, Ctrl-C is read from it while a model is asked) ends it otherwise: 130.
    """
    arguments = sys.argv[1:] if argv is None else argv
    refining = not wanted(arguments, os.environ)
    if refining and not may_refine(arguments, os.environ):
        return 0
    try:
        _prepare(arguments[0] if arguments else None, refining=refining)
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except SmartcommitError as error:
        _say(str(error))
    except OSError as error:
        place = f"'{error.filename}': " if error.filename else ""
        _say(place + str(error.strerror).lower())
    except Exception as error:  # the one top-level handler
        _say(_failure(error))
    return 0


def wanted(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether a message may be drafted: an editor opens, and there is no source but a template.

    git gives the source as the second argument. pre-commit and prek give only files there and the source in a variable,
    which they leave set for whatever runs inside their hooks: then a source is seen where there is none, and nothing
    is drafted.
    """
    return environment.get("GIT_EDITOR") != ":" and _source(arguments, environment) in ("", "template")


def may_refine(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether an editor opens on a message from the command line, and some setting speaks of refining those."""
    if environment.get("GIT_EDITOR") == ":" or _source(arguments, environment) != "message":
        return False
    # No other path of a message that is given starts anything.
    from smartcommit.git.query import ask

    return "SMARTCOMMIT_REFINE_MESSAGE" in environment or ask(("config", "smartcommit.refineMessage"))[0] == 0


def _source(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    if len(arguments) > 1 and ("PRE_COMMIT" not in environment or arguments[1] in SOURCES):
        return arguments[1]
    return environment.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")


def _prepare(name: str | None, *, refining: bool) -> None:
    # Loading what follows is part of the time that a commit waits.
    since = time.monotonic()
    # Drafting needs most of smartcommit; the paths that draft nothing, a rebase's picks above all, load none of it.
    from smartcommit.config import load
    from smartcommit.draft.message_file import prepare, refine
    from smartcommit.git.repo import Repository
    from smartcommit.message.cleanup import awaits_draft, find_cleaning
    from smartcommit.state_files import replace_file

    repository = Repository.find()
    settings = load(repository.worktree)
    if not settings.flag("draft") or (refining and not settings.flag("refine-message")):
        return
    # A `files:` at the top of the user's configuration filters the message file out: then no name is given.
    path = os.path.realpath(name or os.path.join(repository.git_dir, "COMMIT_EDITMSG"))
    content = _read(path)
    cleaning = find_cleaning(content, settings.git, editor=True)
    if refining:
        refined = refine(repository, settings, content, cleaning, since=since)
        if refined is not None:
            replace_file(path, refined)
        return
    if not awaits_draft(content, cleaning.comment):
        return
    prepared, remark = _recall(repository.git_dir, content, cleaning)
    if prepared is None:
        prepared = prepare(repository, settings, content, cleaning, since=since, remarks=[remark] if remark else ())
    if prepared is not None:
        replace_file(path, prepared)
    if remark:
        _mention(repository.git_dir, remark, cleaning)


def _recall(git_dir: str, content: bytes, cleaning: Cleaning) -> tuple[bytes | None, str | None]:
    """`content` with the text that commit-msg refused, where this is another attempt at the same commit.

    That is better than any draft, for a person wrote it. Where it cannot be offered, None and a line that says where it
    is kept, until that has been shown.
    """
    from smartcommit import refused, state_files
    from smartcommit.message.characters import printable

    kept = state_files.load(git_dir, state_files.REFUSED)
    if kept is None:
        return None, None
    prepared = _insert_kept(kept, content, cleaning) if refused.is_retried(git_dir) else None
    if prepared is not None or refused.is_mentioned(git_dir):
        return prepared, None
    return (
        None,
        f"smartcommit: a refused message is kept in '{printable(state_files.path(git_dir, state_files.REFUSED))}'",
    )


def _insert_kept(kept: bytes, content: bytes, cleaning: Cleaning) -> bytes | None:
    """`content` with the text `kept` before it; None where it is not in the commit encoding.

    Trailers that git has put into `content` again (`--signoff`) are left to it.
    """
    from smartcommit.draft.message_file import insert
    from smartcommit.message.cleanup import decode
    from smartcommit.message.trailers import find_trailers

    # As a comment its first line would be lost.
    kept = b" " + kept if kept.startswith(cleaning.comment) else kept
    try:
        lines = decode(kept, cleaning.encoding).split("\n")
        present = set(decode(content, cleaning.encoding).split("\n"))
    except ValueError:
        return None
    begin, end = find_trailers(lines, cleaning.comment.decode("utf-8", "replace"))
    lines[begin:end] = [line for line in lines[begin:end] if line not in present]
    return insert("\n".join(lines).rstrip("\n"), content, comment=cleaning.comment, encoding=cleaning.encoding)


def _mention(git_dir: str, remark: str, cleaning: Cleaning) -> None:
    """Note that the user was shown `remark`, on standard error where it cannot stand in the message file."""
    from smartcommit import refused
    from smartcommit.message.cleanup import STRIP

    if cleaning.mode != STRIP:
        print(remark, file=sys.stderr)
    refused.note_mention(git_dir)


def _read(path: str) -> bytes:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise SmartcommitError(f"'{path}' is not a file")
    if status.st_size > SIZE_LIMIT:
        raise SmartcommitError(f"'{path}' is larger than {SIZE_LIMIT >> 20} MiB")
    with open(path, "rb") as file:
        return file.read()


def _failure(error: Exception) -> str:
    """What to say of a bug, whose traceback goes to a log in the git directory."""
    from smartcommit import state_files
    from smartcommit.git.query import locate

    place = locate()
    log = state_files.keep_traceback(place[0]) if place is not None else None
    details = str(error) if log is None else f"see '{log}'"
    return f"this is a bug in smartcommit ({type(error).__name__}): {details}"


def _say(reason: str) -> None:
    from smartcommit.message.characters import printable

    print(f"smartcommit: no draft: {printable(reason)}", file=sys.stderr)
