"""The `pre-push` hook: checks the messages of the commits that a push would publish."""

from __future__ import annotations

import os
import shlex
import sys
from typing import NamedTuple

from smartcommit.config import load, make_rules
from smartcommit.errors import SmartcommitError
from smartcommit.git.query import locate
from smartcommit.git.run import run
from smartcommit.message.characters import printable
from smartcommit.message.report import find_style, format_text
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
# The variables that pre-commit sets for its hooks, which do not get git's standard input. If a whole history is pushed,
# only those of the branches are set. Source: pre-commit 4.7, `hook_impl` and `run`.
_FROM = "PRE_COMMIT_FROM_REF"
_TO = "PRE_COMMIT_TO_REF"
_BRANCH = "PRE_COMMIT_LOCAL_BRANCH"
_REMOTE_BRANCH = "PRE_COMMIT_REMOTE_BRANCH"


class _Push(NamedTuple):
    """What is pushed: the local ref, its commit, and the commit that the remote has in its place."""

    name: str
    commit: str
    replaced: str


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
    pushes = _read_pushes()
    revisions = _find_unpublished(pushes)
    if not revisions:
        return 0
    directory = os.getcwd()
    place = locate()
    if place is not None:  # a bare repository has no working tree
        directory = place.worktree
    settings = load(directory)
    style = find_style(sys.stderr)
    checked, rejected = 0, []
    rules = make_rules(settings, before=revisions, finished=True)
    if rules.level("claims") != ERROR:
        # Claims that only warn stop no push, and comparing a long history takes most of the time.
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
    hint = _explain_rewording(pushes, revisions, rejected) if place is not None else ""
    print(f"smartcommit: {hint}push as it is with 'git push --no-verify'", file=sys.stderr)
    return 1


def _read_pushes() -> list[_Push]:
    end = os.environ.get(_TO) or os.environ.get(_BRANCH)
    if not os.environ.get(_REMOTE_BRANCH, "refs/heads/").startswith(_JUDGED_REFS):
        return []
    if end:
        return [_Push(os.environ.get(_BRANCH, ""), end, os.environ.get(_FROM, ""))]
    pushes = []
    for line in sys.stdin.buffer.read().decode("utf-8", "replace").split("\n"):
        fields = line.split(" ")
        if len(fields) != 4:
            continue
        # Source: githooks(5), "pre-push".
        local_ref, local_object, remote_ref, remote_object = fields
        is_deleted = _is_null(local_object)
        if not is_deleted and remote_ref.startswith(_JUDGED_REFS):
            pushes.append(_Push(local_ref, local_object, remote_object))
    return pushes


def _is_null(name: str) -> bool:
    """Whether git writes this object name where there is no object."""
    return not name.strip("0")


def _find_unpublished(pushes: Sequence[_Push]) -> list[str]:
    """Return the revisions that stand for the pushed commits which no remote is known to have; none if all are.

    What the remote has may be missing here, if somebody else has pushed it.
    """
    if not pushes:
        return []
    names = [push.commit for push in pushes]
    names += [f"^{push.replaced}" for push in pushes if not _is_null(push.replaced)]
    # The names are input, since their number has no limit.
    options = ("--ignore-missing", "--not", "--remotes", "--not", "--stdin")
    listing = run(("rev-list", "--boundary", "--parents", *options), stdin="\n".join(names).encode()).stdout
    commits = []
    boundary = []
    parents: set[str] = set()
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


def _explain_rewording(pushes: Sequence[_Push], revisions: Sequence[str], rejected: Sequence[str]) -> str:
    """Return how to reword the commits `rejected` of what is pushed, up to "or "."""
    listing = run(("rev-list", "--topo-order", "--reverse", "--parents", *revisions)).stdout.decode("ascii")
    commits = [line.split() for line in listing.split("\n")[:-1]]
    first, *parents = next(commit for commit in commits if commit[0].startswith(tuple(rejected)))
    if not parents and run(("rev-parse", "--is-shallow-repository")).stdout == b"true\n":
        return "this clone has no commit below: reword after 'git fetch --unshallow', or "
    command = "git rebase -i"
    if any(len(commit) > 2 for commit in commits):
        # Without -r, merges are dropped, and what they merge is copied, which may be published.
        command += " -r"
    command += f" {parents[0][:12]}" if parents else " --root"
    names = {push.name for push in pushes}
    advice = "reword the commits on a branch and push that, or "
    holders = run(("branch", "--no-column", "--format=%(HEAD)%(refname)", f"--contains={first}")).stdout
    for line in holders.decode("utf-8", "replace").split("\n"):
        if line.startswith("*") and not names.isdisjoint({"HEAD", line[1:]}):
            return f"reword with '{command}', or "
        if line[1:] in names:
            branch = shlex.quote(printable(line[1:].removeprefix("refs/heads/")))
            advice = f"reword with '{command} {branch}', or "
    return advice
