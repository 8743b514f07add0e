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
from smartcommit_hooks import opens_editor, run_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.config import Settings
    from smartcommit.git.query import Place
    from smartcommit.terminal import Terminal

# git's names for where a message comes from. Source: githooks(5), "prepare-commit-msg".
SOURCES = ("message", "template", "merge", "squash", "commit")
# Bytes; `git commit -v` puts a diff into the file, and reading a larger one takes longer than a draft is worth.
SIZE_LIMIT = 1 << 26


def main(argv: Sequence[str] | None = None) -> int:
    """Draft into the message file named first; return 0 even if there is no draft, and 130 if interrupted."""
    if argv is None:
        run_hook(main)
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
    return source == "" or (source == "template" and opens_editor(environment))


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
    # The user waits for these imports too. Without a draft, above all in a rebase, nothing of them is needed.
    since = time.monotonic()
    from smartcommit.config import load, wants_model
    from smartcommit.git.repo import find_place

    place = find_place(with_head=True)
    settings = load(place.worktree, in_head=place.has_policy)
    if not settings.flag("draft"):
        return
    # A `files:` at the top of the user's configuration filters the message file out: then there is no name.
    path = os.path.realpath(name or os.path.join(place.git_dir, "COMMIT_EDITMSG"))
    if not wants_model(settings):
        _write_draft(place, settings, path, is_template=is_template, since=since)
        return
    from contextlib import nullcontext

    from smartcommit.terminal import Terminal
    from smartcommit.waiting import hold_keyboard

    # From here on Ctrl-C ends the wait for a model, and not the commit.
    with Terminal.open() or nullcontext() as terminal, hold_keyboard(terminal):
        _write_draft(place, settings, path, is_template=is_template, since=since, terminal=terminal)


def _write_draft(
    place: Place, settings: Settings, path: str, *, is_template: bool, since: float, terminal: Terminal | None = None
) -> None:
    from smartcommit_hooks.drafting import prepare_content  # most of smartcommit

    content = prepare_content(place, settings, _read(path), is_template=is_template, terminal=terminal, since=since)
    if content is not None:
        state_files.replace_file(path, content)


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
    # What Python raises where files of the package are missing, cut off or zero.
    if isinstance(error, (ImportError, SyntaxError, EOFError)) or "marshal data" in str(error):
        return f"its package is gone or damaged: {error}; install smartcommit again"
    git_dir = None
    if not isinstance(error, SmartcommitError):
        from smartcommit.git.query import locate

        place = locate()
        git_dir = None if place is None else place.git_dir
    return str(state_files.explain_bug(error, git_dir))


def _say(line: str) -> None:
    from smartcommit.message.characters import printable

    print(f"smartcommit: {printable(line)}", file=sys.stderr)
