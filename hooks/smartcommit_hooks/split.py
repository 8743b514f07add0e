"""The hook id `split`: acts only when it is named, as in `pre-commit run split`."""

from __future__ import annotations

import os
import sys

from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.git.query import ask
from smartcommit.hook_runner import Invocation, find
from smartcommit.terminal import Terminal, error_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> int:
    """Split what is staged where the runner's command line names this hook; otherwise pass at once."""
    # git sets it for the hooks of a commit: one that moved HEAD under `git commit` would break the commit.
    if "GIT_INDEX_FILE" in os.environ:
        return 0
    invocation = find("split")
    if invocation is None:
        print("cannot see whether 'split' was asked for, so nothing was split; run 'git smart-commit'")
    if invocation is None or not invocation.named:
        return 0
    try:
        _refuse_choice(invocation)
        return _on_terminal(invocation)
    except SmartcommitError as error:
        # The runner shows standard error below the hook's name, because the hook fails.
        print(error_text(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _refuse_choice(invocation: Invocation) -> None:
    """Raises: SplitError where files were chosen: the hook is not passed them, and would split the others too."""
    if invocation.choosing:
        raise SplitError(
            f"'{invocation.choosing[0]}' cannot limit a split; nothing was changed",
            hint="stage only what you want to split, then run 'pre-commit run split' without it",
        )


def _on_terminal(invocation: Invocation) -> int:
    """Split, with results and questions on the controlling terminal; without one nobody is asked."""
    terminal = Terminal.open()
    if terminal is None:
        return _split(invocation, None, print)
    with terminal:
        # The runner has written the hook's name and waits on that line.
        terminal.write("\n")
        return _split(invocation, terminal, lambda line: terminal.write(line + "\n"))


def _split(invocation: Invocation, terminal: Terminal | None, out: Callable[[str], None]) -> int:
    everything = invocation.all_files
    if not everything and not _staged():
        out("nothing is staged; run 'git add -A && pre-commit run split', or 'git smart-commit' for everything")
        return 0
    # What splitting needs is heavy, and most runs of this hook pass at once.
    from smartcommit.git.repo import Repository
    from smartcommit.split.flow import NOTHING, split

    if not everything:
        # Without `--all-files` the runner has stashed what is not staged, and puts it back afterwards.
        out("splitting what is staged; unstaged work stays as it is")
    before = _unstaged()
    status = split(Repository.find(), staged=not everything, yes=terminal is None, terminal=terminal, out=out)
    if status == 0 and _unstaged() != before:
        # The runner compares `git diff` before and after, and cannot know that committing was asked for.
        out("the split is done; 'Failed' below only means that files which were modified are committed now")
    return 0 if status == NOTHING else status


def _staged() -> bool:
    return ask(("diff", "--cached", "--quiet", "--ignore-submodules=none"))[0] == 1


def _unstaged() -> bytes:
    return ask(("diff", "--raw", "-z", "--ignore-submodules"))[1]
