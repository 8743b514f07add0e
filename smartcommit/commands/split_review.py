"""The review of a split, in the form that the terminal and the installation allow."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec

from smartcommit import policy
from smartcommit.change.history import History
from smartcommit.config import Settings
from smartcommit.git.hunks import ChangeUnits, Unit, read_units
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.cut import reapply_cuts
from smartcommit.split.messages import message_for
from smartcommit.split.plan import SplitPlan
from smartcommit.split.review.session import Describe, Session, refined
from smartcommit.split.review.text import Review, ReviewCallbacks, TextReview
from smartcommit.terminal import Terminal


def review_interactively(
    plan: SplitPlan,
    snapshot: Snapshot,
    settings: Settings,
    terminal: Terminal,
    *,
    offers: ReviewCallbacks | None = None,
) -> tuple[SplitPlan, ChangeUnits] | None:
    """What a person at `terminal` makes of `plan`, with the pieces it is in; None where it is not to be carried out.

    Whatever the plan was made of, the person can handle every hunk.

    Raises: _Reclassify, where `offers` has it; GitError.
    """
    pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
    pieces = reapply_cuts(pieces, (unit.fingerprint for unit in plan.units))
    session = Session(
        refined(plan, pieces), pieces, rules=policy.rules_of(settings), describe=_describe(snapshot, settings)
    )
    form = _form(settings)
    agreed = form(session, terminal, snapshot.repository, offers or ReviewCallbacks()).run()
    return (session.plan, session.pieces) if agreed else None


def _form(settings: Settings) -> type[Review]:
    """The panes where they are installed, wanted and can be shown, else text."""
    shown = os.environ.get("TERM", "dumb") != "dumb" and None not in (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if settings.text("review") == "text" or not shown or find_spec("textual") is None:
        return TextReview
    from smartcommit.split.tui import TwoPaneReview  # takes a second to load, and is an extra

    return TwoPaneReview


def _describe(snapshot: Snapshot, settings: Settings) -> Describe:
    """The embedded drafter, which reads the history when the first message is asked of it."""
    history = cache(lambda: History.load(snapshot.repository, snapshot.base or "HEAD"))

    def describe(units: Sequence[Unit]) -> str:
        return message_for(units, history(), settings)

    return describe
