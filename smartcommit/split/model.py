"""A split by a model, from the first question to commits in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from smartcommit.errors import AgentError, Cancelled, LLMError
from smartcommit.git.hunks import ChangeUnits, list_units
from smartcommit.llm.api import Json
from smartcommit.llm.client import LLMClient
from smartcommit.llm.config import ApiConfig
from smartcommit.split.analyzer import GitAnalyzer
from smartcommit.split.critique import critique_and_revise
from smartcommit.split.plan import CommitDict
from smartcommit.split.prompt import list_room_of
from smartcommit.split.sequence import in_order
from smartcommit.split.summary import size_of_list
from smartcommit.waiting import Deadline


def split(
    analyzer: GitAnalyzer,
    client: LLMClient,
    *,
    deadline: Deadline,
    wish: str = "",
    keep: Callable[[Sequence[CommitDict]], None] = lambda commits: None,
    log: Callable[[str], None] = lambda line: None,
) -> tuple[list[CommitDict], list[str]]:
    """The commits of a change in their order, and patterns that the model would ignore; units in none are skipped.

    All questions share the `deadline`. `keep` gets the commits after each that was emitted. Once the commits are there,
    a second look that is not had, or not waited for, changes nothing.

    Raises: LLMError or AgentError when the model does not come to an end in time; Cancelled.
    """
    commits, gitignore = analyzer.classify_changes(client, deadline=deadline, wish=wish, keep=keep, log=log)
    if len(commits) > 1:
        try:
            commits = critique_and_revise(analyzer, client, commits, deadline=deadline, log=log)
        except (LLMError, Cancelled) as error:
            log(f"not reviewed: {error}")
    return in_order(commits, analyzer.pieces, analyzer.rules), gitignore


def preview(analyzer: GitAnalyzer, config: ApiConfig, wish: str = "") -> str:
    """Exactly what a model would be sent first, as JSON; nothing is sent."""
    client = _Preview(config)
    with suppress(_Unsent):
        analyzer.classify_changes(client, deadline=Deadline(1), wish=wish)
    return client.shown


def coarsen_to_context(pieces: ChangeUnits, config: ApiConfig) -> ChangeUnits:
    """`pieces` in hunks, or in whole files where a model could not be told of all hunks.

    Raises: AgentError when even the files are too many.
    """
    if size_of_list(pieces.units) <= list_room_of(config):
        return pieces
    return check_fits_context(ChangeUnits(pieces.diffs, list_units(pieces.diffs, ()), {}), config)


def check_fits_context(pieces: ChangeUnits, config: ApiConfig) -> ChangeUnits:
    """`pieces` as they are.

    Raises: AgentError when they are too many for a model to be told of.
    """
    if size_of_list(pieces.units) > list_room_of(config):
        raise AgentError(f"the model cannot be told of {len(pieces.units)} parts at once")
    return pieces


class _Unsent(Exception):
    """The question was shown instead."""


class _Preview(LLMClient):
    """A client that keeps what it would send first."""

    shown = ""

    def chat(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, deadline: Deadline, force: bool = False
    ) -> Json:
        self.shown = self.preview(messages, tools)
        raise _Unsent
