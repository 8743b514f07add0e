"""The `pre-push` hook: checks the messages of the commits that a push would publish."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
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

    ref: str
    commit: str
    replaced: str


class _Unpublished(NamedTuple):
    """Revisions that stand for the pushed commits which no remote is known to have, and the parents of each."""

    revisions: list[str]
    parents: dict[str, list[str]]


def main(argv: Sequence[str] | None = None) -> int:
    """Check what git names on standard input: return 0 good, 1 if a message is rejected, 2 unreadable."""
    if argv is None:
        run_hook(main)
    try:
        return _check()
    except SmartcommitError as error:
        print(format_error(error), file=sys.stderr)
        return 2


def _check() -> int:
    pushes = _read_pushes()
    unpublished = _find_unpublished(pushes)
    if not unpublished.parents:
        return 0
    directory = os.getcwd()
    place = locate()
    if place is not None:  # a bare repository has no working tree
        directory = place.worktree
    settings = load(directory)
    style = find_style(sys.stderr)
    checked, rejected = 0, []
    rules = make_rules(settings, before=unpublished.revisions, finished=True)
    if rules.level("claims") != ERROR:
        # Claims that only warn stop no push, and comparing a long history takes most of the time.
        rules.levels = {**rules.levels, "claims": OFF}
    for commit, verdict in check_range(unpublished.revisions, rules):
        checked += 1
        if not verdict.refused:
            continue
        rejected.append(commit)
        if len(rejected) <= _REPORTS_SHOWN:
            sys.stderr.write(format_text(commit, verdict.lines, verdict.violations, style))
    if not rejected:
        return 0
    count = "1 message" if checked == 1 else f"{checked} messages"
    print(f"smartcommit: nothing was pushed: {len(rejected)} of {count} rejected", file=sys.stderr)
    advice = "push as it is with 'git push --no-verify'"
    if place is not None:
        advice = f"{_explain_rewording(pushes, unpublished.parents, rejected)}, or {advice}"
    print(f"smartcommit: {advice}", file=sys.stderr)
    return 1


def _read_pushes() -> list[_Push]:
    """Return what is pushed where it is judged, from the variables of pre-commit or else from standard input."""
    if not os.environ.get(_REMOTE_BRANCH, "refs/heads/").startswith(_JUDGED_REFS):
        return []
    commit = os.environ.get(_TO) or os.environ.get(_BRANCH)
    if commit:
        return [_Push(os.environ.get(_BRANCH, ""), commit, os.environ.get(_FROM, ""))]
    pushes = []
    # Each line is `<local ref> <local object> <remote ref> <remote object>`. Source: githooks(5), "pre-push".
    for line in sys.stdin.buffer.read().decode("utf-8", "replace").split("\n"):
        fields = line.split(" ")
        if len(fields) != 4:
            continue
        local_ref, local_object, remote_ref, remote_object = fields
        is_deleted = _is_null(local_object)
        if not is_deleted and remote_ref.startswith(_JUDGED_REFS):
            pushes.append(_Push(local_ref, local_object, remote_object))
    return pushes


def _is_null(name: str) -> bool:
    """Whether git writes this object name where there is no object."""
    return not name.strip("0")


def _find_unpublished(pushes: Sequence[_Push]) -> _Unpublished:
    """Return what of the pushed commits no remote is known to have; one process.

    What the remote has may be missing here, if somebody else has pushed it.
    """
    parents: dict[str, list[str]] = {}
    boundary = []
    ends = [push.commit for push in pushes]
    ends += [f"^{push.replaced}" for push in pushes if not _is_null(push.replaced)]
    # They are input, since their number has no limit.
    options = ("--ignore-missing", "--not", "--remotes", "--not", "--stdin")
    listing = b""
    if pushes:
        command = ("rev-list", "--topo-order", "--boundary", "--parents", *options)
        listing = run(command, stdin="\n".join(ends).encode()).stdout
    for line in listing.decode("ascii").split("\n")[:-1]:
        commit, *above = line.split()
        if commit.startswith("-"):
            boundary.append(f"^{commit[1:]}")
        else:
            parents[commit] = above
    all_parents = set().union(*parents.values())
    tips = [commit for commit in parents if commit not in all_parents]
    return _Unpublished([*tips, *boundary], parents)


def _explain_rewording(
    pushes: Sequence[_Push], unpublished: Mapping[str, Sequence[str]], rejected: Sequence[str]
) -> str:
    """Return how to reword the commits whose names begin as one of `rejected`, of those that are pushed."""
    # The newest comes first.
    *_, oldest = (commit for commit in unpublished if commit.startswith(tuple(rejected)))
    parents = unpublished[oldest]
    if not parents and run(("rev-parse", "--is-shallow-repository")).stdout == b"true\n":
        return "this clone has no commit below: reword after 'git fetch --unshallow'"
    command = "git rebase -i"
    if any(len(above) > 1 for above in unpublished.values()):
        # Without -r, merges are dropped, and what they merge is copied, which may be published.
        command += " -r"
    command += f" {parents[0][:12]}" if parents else " --root"
    pushed_refs = {push.ref for push in pushes}
    # Each line is `*` for the branch that is checked out, or a blank, and the branch.
    holders = run(("branch", "--no-column", "--format=%(HEAD)%(refname)", f"--contains={oldest}")).stdout
    branches = holders.decode("utf-8", "replace").split("\n")
    for branch in branches:
        if branch.startswith("*") and not pushed_refs.isdisjoint({"HEAD", branch[1:]}):
            return f"reword with '{command}'"
    for branch in branches:
        if branch[1:] in pushed_refs:
            name = shlex.quote(printable(branch[1:].removeprefix("refs/heads/")))
            return f"reword with '{command} {name}'"
    return "reword the commits on a branch and push that"
