"""What is to be drafted, read once for every engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.config import Settings, rules_of
from smartcommit.draft import embedded
from smartcommit.draft.conform import ticket_of
from smartcommit.git.diff import FileDiff
from smartcommit.git.query import ask
from smartcommit.git.repo import Context, Repository, Trees
from smartcommit.llm.provider import wants_model
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What is to be drafted: the change, the project's habits and rules, and what its author gave along.

    `draft` is the embedded drafter's message; `wish` is what a person wrote about the message they want; `ticket` is
    the trailer that the project asks for, where the branch names one.
    """

    context: Context
    diffs: Sequence[FileDiff] = field(repr=False)
    change: ChangeFacts
    history: History
    rules: Rules
    draft: str
    branch: str = ""
    wish: str = ""
    language: str | None = None
    ticket: Trailer | None = None

    @property
    def scattered(self) -> bool:
        """Whether no one scope covers the change: its core lies in several top folders, and its draft has no scope."""
        tops = {file.path.split(b"/", 1)[0] for file in self.change.core if b"/" in file.path}
        return len(tops) > 1 and "(" not in self.draft.split(":", 1)[0] and len(self.change.core) > 2


def read_request(
    repository: Repository, base: str, target: str | None, settings: Settings, *, wish: str = ""
) -> DraftRequest | None:
    """The change from `base` to `target` (None: the index) and what a draft of it needs; None where nothing changed.

    Raises: GitError when git fails.
    """
    diffs, submodules = embedded.read(repository, base, target)
    if not diffs:
        return None
    # Where two trees are compared, HEAD need not have anything to do with them.
    history = History.load(repository, "HEAD" if target is None else base)
    rules = rules_of(settings)
    branch = _branch(repository) if rules.ticket or wants_model(settings) else ""
    return DraftRequest(
        Trees(repository, base, target),
        diffs,
        ChangeFacts(diffs),
        history,
        rules,
        embedded.draft_from(diffs, history, settings, submodules=submodules),
        branch=branch,
        wish=wish,
        language=settings.text("language"),
        ticket=ticket_of(branch, rules),
    )


def _branch(repository: Repository) -> str:
    status, answer = ask(("symbolic-ref", "--short", "-q", "HEAD"), directory=repository.worktree)
    return os.fsdecode(answer).strip() if status == 0 else ""
