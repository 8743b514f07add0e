"""Hook id `commit-msg`: refuses a message that breaks the project's rules, judging what git will record."""

from __future__ import annotations

import os
import sys

from smartcommit import state_files
from smartcommit.check import Verdict, by_proof, by_state, judge_file
from smartcommit.config import load, rules_of
from smartcommit.errors import SmartcommitError
from smartcommit.git.grep import matches
from smartcommit.git.query import locate
from smartcommit.message.cleanup import find_cleaning
from smartcommit.message.report import Style, format_text
from smartcommit.terminal import error_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Judge the message file named first, or git's own where none is named: 0 good, 1 refused, 2 unreadable."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        return _check(arguments[0] if arguments else None)
    except SmartcommitError as error:
        print(error_text(error), file=sys.stderr)
        return 2


def _check(name: str | None) -> int:
    place = locate()
    if place is None:
        raise SmartcommitError("not in the working tree of a git repository", hint="run 'git status' to see why")
    git_dir, top = place
    path = name or message_file(git_dir)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise SmartcommitError(f"cannot read '{path}': {(error.strerror or 'error').lower()}") from None
    settings = load(top)
    cleaning = find_cleaning(data, settings.git, editor=os.environ.get("GIT_EDITOR") != ":")
    state = by_state(git_dir) or by_proof(git_dir, data)
    verdict = judge_file(data, cleaning, rules_of(settings), state=state, search=matches)
    if verdict.placed:
        style = Style(colour=sys.stderr.isatty() and not os.environ.get("NO_COLOR"))
        sys.stderr.write(format_text(path, verdict.lines, verdict.placed, style))
    if not verdict.refused:
        _settle(git_dir)
        return 0
    _keep(git_dir, verdict)
    return 1


def message_file(git_dir: str) -> str:
    """The message file of the commit being made, which a user's top-level `files:` in pre-commit can hide from us."""
    merging = os.environ.get("GIT_REFLOG_ACTION", "").startswith("merge ")
    return os.path.join(git_dir, "MERGE_MSG" if merging else "COMMIT_EDITMSG")


def _settle(git_dir: str) -> None:
    """Drop a text that was refused before, if this commit is another attempt at the same one."""
    if state_files.load(git_dir, state_files.REFUSED) is not None:
        from smartcommit import refused  # most commits follow none that was refused

        refused.settle(git_dir)


def _keep(git_dir: str, verdict: Verdict) -> None:
    """Keep the refused text for the next attempt and say where; an empty text does not replace another one."""
    from smartcommit import refused

    if verdict.text.strip() and refused.keep(git_dir, verdict.text):
        sys.stderr.write(
            "Your message was saved: the next 'git commit' of this change opens with it, or run\n"
            f'  git commit -e -F "$(git rev-parse --git-path smartcommit/{state_files.REFUSED})"\n'
        )
