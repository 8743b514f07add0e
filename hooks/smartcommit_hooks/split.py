"""The `split` hook: splits staged changes, only when run explicitly as `pre-commit run split`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from smartcommit.errors import SmartcommitError, SplitError
from smartcommit.git.query import ask
from smartcommit.processes.runner import Invocation, find_invocation
from smartcommit.terminal import Terminal, accept_any_text, format_error

# For somebody who runs the command without pre-commit or prek.
_NO_RUNNER = SplitError(
    "'smartcommit-split' is what 'pre-commit run split' starts; by itself it does nothing",
    hint="run 'git smart-commit', or 'git smart-commit --staged' to split only what is staged",
)


def main() -> int:
    """Split the staged changes if the runner's command line names this hook; otherwise pass at once."""
    accept_any_text()
    invocation = find_invocation("split")
    # git sets this for the hooks of a commit, which must not move HEAD.
    if "GIT_INDEX_FILE" in os.environ:
        if invocation is not None and invocation.named:
            _explain("nothing was split, because a commit is being made; run 'git smart-commit' instead")
        return 0
    if invocation is None and "PRE_COMMIT" not in os.environ:
        print(format_error(_NO_RUNNER), file=sys.stderr)
        return 1
    if invocation is None:
        _explain("cannot tell whether 'split' was requested, so nothing was split; run 'git smart-commit' instead")
    if invocation is None or not invocation.named:
        return 0
    try:
        if invocation.choosing:
            # The hook does not get the names of the chosen files, and would split the others too.
            raise SplitError(
                f"'{invocation.choosing[0]}' cannot limit a split; nothing was changed",
                hint="stage only what you want to split, then run 'pre-commit run split' without it",
            )
        return _split_on_terminal(invocation)
    except SmartcommitError as error:
        # The runner shows standard error below the hook's name, because the hook fails.
        print(format_error(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _explain(line: str) -> None:
    """Print a line on the terminal: the runner shows what a hook prints only if it fails."""
    terminal = Terminal.open()
    if terminal is None:
        print(line)
        return
    with terminal:
        terminal.write(f"\n{line}\n")


def _split_on_terminal(invocation: Invocation) -> int:
    """Split, with results and questions on the controlling terminal; if there is none, ask nothing."""
    from smartcommit.split.review.questions import open_terminal  # slow, and most runs of this hook pass at once

    terminal = open_terminal(None)
    if terminal is None:
        return _split(invocation, None, print)
    with terminal:
        # The runner has printed the hook's name without a line feed.
        terminal.write("\n")
        return _split(invocation, terminal, lambda line: terminal.write(line + "\n"))


def _split(invocation: Invocation, terminal: Terminal | None, out: Callable[[str], None]) -> int:
    staged = not invocation.all_files
    if staged and not _has_staged_changes():
        out("nothing staged; run 'git add -A && pre-commit run split', or 'git smart-commit' to split everything")
        # The runner shows what a hook prints only if it fails.
        return 0 if terminal is not None else 1
    # These imports are slow, and most runs of this hook pass at once.
    from smartcommit.git.repo import Repository
    from smartcommit.split.flow import split
    from smartcommit.split.outcome import EXPECTED, NOTHING, print_result, report_error
    from smartcommit.split.source import SplitOptions

    if staged:
        # Without `--all-files` the runner has stashed the unstaged changes, and restores them afterwards.
        out("splitting staged changes; unstaged changes are left alone")
    before = _read_unstaged()
    try:
        options = SplitOptions(yes=terminal is None, staged=staged)
        result = split(Repository.find(), options=options, terminal=terminal, complain=out)
        print_result(result, out, out)
    except EXPECTED as error:
        return report_error(error, out)
    if result.status == 0 and _read_unstaged() != before:
        # The runner compares `git diff` before and after, and does not expect that a hook commits.
        out("split complete; 'Failed' below only means that files which were modified are now committed")
    if result.status not in (0, NOTHING):
        return result.status
    if terminal is None and _has_staged_changes():
        # The runner shows what a hook prints only if it fails.
        out("some staged changes were not committed, see above; they are still staged")
        return 1
    return 0


def _has_staged_changes() -> bool:
    return ask(("diff", "--cached", "--quiet", "--ignore-submodules=none"))[0] == 1


def _read_unstaged() -> bytes:
    return ask(("diff", "--raw", "-z", "--ignore-submodules"))[1]
