"""A plan of many kinds of units, with and without a repository that it fits."""

from __future__ import annotations

from smartcommit.git.hunks import ChangeUnits
from smartcommit.split.plan import PlannedCommit, SplitPlan
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of
from tests.support.situations_split import HOSTILE_NAMES, SITUATIONS

BASE, TARGET = "1" * 40, "2" * 40


def hostile_pieces(repo: Repo) -> ChangeUnits:
    """Two hunks of one file, and new files whose names are hard to write down."""
    SITUATIONS["two_far_hunks"](repo)
    for name in HOSTILE_NAMES:
        repo.write(name, "x\n")
    return pieces_of(repo)


def plan_of(pieces: ChangeUnits) -> SplitPlan:
    half = len(pieces.units) // 2
    commits = (
        PlannedCommit("feat: add é\n\n- one\n", tuple(pieces.units[:half])),
        PlannedCommit("chore: rest\n", tuple(pieces.units[half:-1])),
    )
    skipped = (pieces.units[-1],)
    return SplitPlan(
        BASE, TARGET, staged=False, engine="embedded", commits=commits, left_out=(b"n\xff/",), skipped=skipped,
        confidence=0.71,
    )  # fmt: skip
