"""Drafts for a change in a repository: by the engine that the settings choose, and by the embedded drafter alone."""

from smartcommit.config import Settings
from smartcommit.draft.conform import Passes
from smartcommit.draft.engine import answer, draft_embedded
from smartcommit.draft.request import read_request
from smartcommit.draft.result import Draft
from smartcommit.git.repo import Repository
from smartcommit.waiting import Deadline


def draft(repository: Repository, base: str, target: str | None, settings: Settings) -> str | None:
    """The embedded drafter's text for the change from `base` to `target` (None: the index), None if nothing changed.

    It may break the project's rules.
    """
    request = read_request(repository, base, target, settings)
    return None if request is None else draft_embedded(request).text


def draft_staged(
    repository: Repository,
    settings: Settings,
    *,
    seconds: float = 60,
    instructions: str = "",
    passes: Passes | None = None,
) -> Draft:
    request = read_request(
        repository, repository.head() or repository.empty_tree, None, settings, instructions=instructions
    )
    assert request is not None
    return answer(request, deadline=Deadline(seconds), terminal=None, passes=passes)
