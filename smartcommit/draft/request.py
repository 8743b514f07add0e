"""The input for a draft, shared by all engines."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.config import Settings, follows_history, make_rules, wants_model
from smartcommit.draft.conform import find_ticket
from smartcommit.draft.corrections import load_corrections
from smartcommit.draft.embedded import drafter
from smartcommit.git.diff import FileDiff
from smartcommit.git.repo import Repository, Trees
from smartcommit.message.rules import Habits, Rules
from smartcommit.message.trailers import Trailer
from smartcommit.record import Record


class DraftRequest(Record):
    """Everything a draft is made from: the change, and the project's history and rules.

    `draft` is the embedded drafter's message. `instructions` are the user's about this change, and `guidance` is what
    the user and the project ask of every message; both are for a model. `ticket` is the trailer that the project
    requires, empty if the branch names no ticket.
    """

    __slots__ = (
        "branch",
        "change",
        "context",
        "diffs",
        "draft",
        "guidance",
        "history",
        "instructions",
        "language",
        "rules",
        "ticket",
    )

    def __init__(  # noqa: PLR0913
        self,
        *,
        context: Trees,
        diffs: Sequence[FileDiff],
        change: ChangeFacts,
        history: History,
        rules: Rules,
        draft: str,
        branch: str = "",
        instructions: str = "",
        guidance: str = "",
        language: str | None = None,
        ticket: Trailer | None = None,
    ) -> None:
        self.context = context
        self.diffs = diffs
        self.change = change
        self.history = history
        self.rules = rules
        self.draft = draft
        self.branch = branch
        self.instructions = instructions
        self.guidance = guidance
        self.language = language
        self.ticket = ticket

    @property
    def draft_type(self) -> str:
        """The type of the embedded drafter's message."""
        return self.draft.partition(":")[0].partition("(")[0].rstrip("!")

    @property
    def scattered(self) -> bool:
        """Whether no single scope covers the change: it spans several top-level directories, and the draft has none."""
        tops = {file.path.split(b"/", 1)[0] for file in self.change.core if b"/" in file.path}
        return len(tops) > 1 and "(" not in self.draft.split(":", 1)[0] and len(self.change.core) > 2


def read_request(
    repository: Repository, base: str, target: str | None, settings: Settings, *, instructions: str = ""
) -> DraftRequest | None:
    """Read the change from `base` to `target` (None: the index) and all its draft needs; None if nothing changed."""
    diffs, submodules = drafter.read(repository, base, target)
    if not diffs:
        return None
    change = ChangeFacts(diffs)
    # If two trees are compared, they may be unrelated to HEAD.
    history = History.load(repository, "HEAD" if target is None else base)
    rules = make_rules(settings)
    if follows_history(settings):
        rules.adopt(Habits(history.types, history.spellings))
    corrections = load_corrections(repository, settings)
    branch, ticket = "", None
    if rules.ticket or wants_model(settings):
        branch = repository.branch() or ""
    if rules.ticket:
        ticket = find_ticket(branch, rules.ticket)
    return DraftRequest(
        context=Trees(repository, base, target),
        diffs=diffs,
        change=change,
        history=history,
        rules=rules,
        draft=drafter.draft_from(change, history, settings, submodules=submodules, corrections=corrections),
        branch=branch,
        instructions=instructions,
        language=settings.text("language"),
        ticket=ticket,
    )
