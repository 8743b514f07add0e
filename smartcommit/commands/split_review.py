"""The review of a split, in the form that the terminal and the installation allow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from smartcommit import policy
from smartcommit.change.history import History
from smartcommit.config import Settings
from smartcommit.git.hunks import Pieces, Unit, read_pieces
from smartcommit.git.snapshot import Snapshot
from smartcommit.split.messages import message_for
from smartcommit.split.plan import SplitPlan
from smartcommit.split.review import Offers, TextReview
from smartcommit.split.session import Describe, Session, refined
from smartcommit.terminal import Terminal


def reviewed(
    plan: SplitPlan, snapshot: Snapshot, settings: Settings, terminal: Terminal, *, offers: Offers | None = None
) -> tuple[SplitPlan, Pieces] | None:
    """What a person at `terminal` makes of `plan`, with the pieces it is in; None where it is not to be carried out.

    Whatever the plan was made of, the person can handle every hunk.

    Raises: _Reclassify, where `offers` has it; GitError.
    """
    pieces = read_pieces(snapshot.repository, snapshot.since, snapshot.target, cut=True)
    session = Session(
        refined(plan, pieces), pieces, rules=policy.rules_of(settings), describe=_describe(snapshot, settings)
    )
    offers = offers or Offers()
    agreed = TextReview(session, terminal, snapshot.repository, offers).run()
    return (session.plan, pieces) if agreed else None


def _describe(snapshot: Snapshot, settings: Settings) -> Describe:
    """The embedded drafter, which reads the history when the first message is asked of it."""
    history = cache(lambda: History.load(snapshot.repository, snapshot.base or "HEAD"))

    def describe(units: Sequence[Unit]) -> str:
        return message_for(units, history(), settings)

    return describe
