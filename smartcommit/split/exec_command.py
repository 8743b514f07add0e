"""`--exec`: run a command on each commit in a temporary checkout."""

from __future__ import annotations

from collections.abc import Callable

from smartcommit.errors import GitError, SplitError
from smartcommit.git.fast_import import WrittenCommit
from smartcommit.split.apply import Prepared
from smartcommit.split.checkout import Checkout, temporary_checkout
from smartcommit.terminal import printable

_DAMAGED = "nothing was changed; make sure that the command does not modify '.git' in its working directory"

Report = Callable[[str], None]


def check_commits(prepared: Prepared, command: str, *, report: Report, complain: Report) -> None:
    """Run the shell `command` on each commit, checked out in a temporary directory.

    `report` is called for each that passes, and `complain` with the end of the output for each that fails.

    Raise SplitError if it fails on a commit.
    """
    snapshot = prepared.snapshot
    failed = 0
    total = len(prepared.commits)
    with temporary_checkout(snapshot) as checkout:
        for number, (made, title) in enumerate(zip(prepared.commits, prepared.titles, strict=True), start=1):
            name = f"{number}/{total} {printable(title)}"
            _check_out(checkout, made, command, damaged=number > 1)
            status, output = checkout.run(["sh", "-c", command])
            if status == 0:
                report(f"{name}: passed")
            else:
                failed += 1
                complain("\n".join([f"{name}: failed with status {status}", *output]))
    if failed:
        raise SplitError(
            f"'{command}' failed on {failed} of {total} commits",
            hint="nothing was changed; merge commits that depend on each other, or run without '--exec'",
        )


def _check_out(checkout: Checkout, made: WrittenCommit, command: str, *, damaged: bool) -> None:
    """Check out a commit in the directory, which the command may have `damaged` before."""
    try:
        checkout.switch(made.commit)
    except GitError as error:
        hint = _DAMAGED if damaged else "nothing was changed"
        raise SplitError(f"cannot check out a commit for '{command}': {error}", hint=hint) from None
