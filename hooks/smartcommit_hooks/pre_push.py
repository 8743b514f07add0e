"""The `pre-push` hook: checks the messages of the commits that a push would publish."""

from __future__ import annotations

import os
import shlex
import sys

from smartcommit.config import load, make_rules
from smartcommit.errors import SmartcommitError
from smartcommit.git.query import locate
from smartcommit.git.run import run
from smartcommit.message.characters import printable
from smartcommit.message.report import Style, format_text
from smartcommit.message.rules import ERROR, OFF
from smartcommit.range_check import check_range
from smartcommit.terminal import format_error
from smartcommit_hooks import run_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Branches, tags and Gerrit's reviews: what is pushed elsewhere, as notes and stashes are, was written otherwise.
_JUDGED_REFS = ("refs/heads/", "refs/tags/", "refs/for/")
# Maximum number of refused commits whose reports are printed.
_REPORTS_SHOWN = 10
# What a hook of pre-commit gets in place of standard input, and if a whole history is pushed, only the last of them.
# Source: pre-commit 4.7, `hook_impl` and `run`.
_FROM = "PRE_COMMIT_FROM_REF"
_TO = "PRE_COMMIT_TO_REF"
_BRANCH = "PRE_COMMIT_LOCAL_BRANCH"
_REMOTE_BRANCH = "PRE_COMMIT_REMOTE_BRANCH"


def main(argv: Sequence[str] | None = None) -> int:
    """Check what git names on standard input: return 0 good, 1 if a message is rejected, 2 unreadable."""
    if argv is None:
        return run_hook(main)
    try:
        return _check()
    except SmartcommitError as error:
        print(format_error(error), file=sys.stderr)
        return 2


def _check() -> int:
    names, local, remote = _read_ends()
    revisions = _find_unpublished(local, remote)
    if not revisions:
        return 0
    directory = os.getcwd()
    place = locate()
    if place is not None:  # a bare repository has no working tree
        directory = place.worktree
    settings = load(directory)
    style = Style(colour=sys.stderr.isatty() and not os.environ.get("NO_COLOR"))
    checked, rejected = 0, []
    rules = make_rules(settings, before=revisions, finished=True)
    if rules.level("claims") != ERROR:
        # Warnings stop no push, and to compare a long history takes most of the time.
        rules.levels = {**rules.levels, "claims": OFF}
    for name, verdict in check_range(revisions, rules):
        checked += 1
        if verdict.refused:
            rejected.append(name)
        if verdict.refused and len(rejected) <= _REPORTS_SHOWN:
            sys.stderr.write(format_text(name, verdict.lines, verdict.violations, style))
    if not rejected:
        return 0
    count = "1 message" if checked == 1 else f"{checked} messages"
    print(f"smartcommit: nothing was pushed: {len(rejected)} of {count} rejected", file=sys.stderr)
    hint = _explain_rewording(names, revisions, rejected) if place is not None else ""
    print(f"smartcommit: {hint}push as it is with 'git push --no-verify'", file=sys.stderr)
    return 1


def _read_ends() -> tuple[list[str], list[str], list[str]]:
    """Return the names of what is to be pushed, its commits, and those that the remote has in their place."""
    end = os.environ.get(_TO) or os.environ.get(_BRANCH)
    if not os.environ.get(_REMOTE_BRANCH, "refs/heads/").startswith(_JUDGED_REFS):
        return [], [], []
    if end:
        return [os.environ.get(_BRANCH, "")], [end], [os.environ.get(_FROM, "")]
    names, local, remote = [], [], []
    for line in sys.stdin.buffer.read().decode("utf-8", "replace").split("\n"):
        # <local ref> SP <local object> SP <remote ref> SP <remote object>; a ref has no spaces.
        fields = line.split(" ")
        # What has no object is to be deleted.
        if len(fields) != 4 or not fields[1].strip("0") or not fields[2].startswith(_JUDGED_REFS):
            continue
        names.append(fields[0])
        local.append(fields[1])
        remote.append(fields[3])
    return names, local, remote


def _find_unpublished(local: Sequence[str], remote: Sequence[str]) -> list[str]:
    """Return the revisions that stand for the commits of `local` which no remote is known to have; none if all are.

    A commit of `remote` may be missing here, if somebody else has pushed it.
    """
    if not local:
        return []
    names = [*local, *(f"^{commit}" for commit in remote if commit.strip("0"))]
    # As input, since their number has no limit.
    known = ("--ignore-missing", "--not", "--remotes", "--not", "--stdin")
    listing = run(("rev-list", "--boundary", "--parents", *known), stdin="\n".join(names).encode()).stdout
    commits, boundary, parents = [], [], set()
    for line in listing.decode("ascii").split("\n")[:-1]:
        commit, *above = line.split()
        if commit.startswith("-"):
            boundary.append(f"^{commit[1:]}")
        else:
            commits.append(commit)
            parents.update(above)
    tips = [commit for commit in commits if commit not in parents]
    if not tips:
        return []
    return [*tips, *boundary]


def _explain_rewording(names: Sequence[str], revisions: Sequence[str], rejected: Sequence[str]) -> str:
    """Return how to reword the commits `rejected` of what is pushed by these `names`, up to "or "."""
    listing = run(("rev-list", "--topo-order", "--reverse", "--parents", *revisions)).stdout.decode("ascii")
    commits = [line.split() for line in listing.split("\n")[:-1]]
    first, *parents = next(commit for commit in commits if commit[0].startswith(tuple(rejected)))
    if not parents and run(("rev-parse", "--is-shallow-repository")).stdout == b"true\n":
        return "this clone has no commit below: reword after 'git fetch --unshallow', or "
    command = "git rebase -i"
    if any(len(commit) > 2 for commit in commits):
        # Without it merges become copies of what they merge, which may be published.
        command += " -r"
    command += f" {parents[0][:12]}" if parents else " --root"
    advice = "reword the commits on a branch and push that, or "
    holders = run(("branch", "--no-column", "--format=%(HEAD)%(refname)", f"--contains={first}")).stdout
    for line in holders.decode("utf-8", "replace").split("\n"):
        if line.startswith("*") and not {"HEAD", line[1:]}.isdisjoint(names):
            return f"reword with '{command}', or "
        if line[1:] in names:
            branch = shlex.quote(printable(line[1:].removeprefix("refs/heads/")))
            advice = f"reword with '{command} {branch}', or "
    return advice
