"""What a project can ask of a message: codes with their levels and reasons, and `Rules`."""

from __future__ import annotations

from smartcommit.message.types import DEFAULT_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ERROR, WARNING, OFF = "error", "warning", "off"
SUMMARY_LIMIT = 120
# What `required` can name; `plan` stands for both sections.
REQUIRABLE = ("description", "constraints", "tasks", "plan")

# Each code with its level and its one reason. A code never changes its meaning.
CODES: Mapping[str, tuple[str, str]] = {
    "empty": (ERROR, "a commit without a message tells nobody anything"),
    "encoding": (ERROR, "nobody can read text whose charset is unknown or wrong"),
    "character": (ERROR, "what cannot be seen can mislead whoever reads the history"),
    "header-form": (ERROR, "tools and people find type, scope and summary by the form of the first line"),
    "header-space": (ERROR, "one space behind the colon is part of the form"),
    "type-unknown": (ERROR, "a type outside the project's list has no agreed meaning"),
    "type-case": (ERROR, "types are compared letter by letter"),
    "scope-form": (ERROR, "a scope is one lower-case noun; a change that needs two is two commits"),
    "scope-case": (ERROR, "scopes are compared letter by letter"),
    "scope-unknown": (ERROR, "the project lists its scopes"),
    "summary-empty": (ERROR, "the summary is what every log shows"),
    "summary-length": (ERROR, "a summary that is cut off in every log tells less than a short one"),
    "summary-imperative": (ERROR, "a summary is an instruction that someone else could follow"),
    "body-blank": (ERROR, "git takes everything up to the first blank line for the subject"),
    "line-length": (WARNING, "long lines are hard to read where git indents them"),
    "section-blank": (ERROR, "a blank line keeps a section apart from prose and trailers"),
    "section-duplicate": (ERROR, "two sections of a kind have no agreed order"),
    "section-order": (ERROR, "the order is constraints, tasks, trailers"),
    "section-text": (ERROR, "prose below a section would be read as part of it"),
    "section-missing": (ERROR, "the project requires it"),
    "constraints-heading": (ERROR, "the heading is literal"),
    "constraints-item": (ERROR, "indented items are a trailer to git, which rewrites them"),
    "constraints-prefix": (ERROR, "a constraint says what is ruled out"),
    "constraints-case": (ERROR, "the prefixes are literal"),
    "constraints-none": (ERROR, "a section has items or none, not both"),
    "constraints-empty": (ERROR, "an empty section does not say whether something is missing"),
    "tasks-heading": (ERROR, "the heading is literal"),
    "tasks-case": (WARNING, "the heading has a capital X, a task a small x"),
    "tasks-item": (ERROR, "a task is '- [ ] summary: details'"),
    "tasks-indent": (ERROR, "the level of a task is two spaces a step"),
    "tasks-depth": (ERROR, "a deeper tree is several plans"),
    "tasks-id": (ERROR, "a task is found again by its summary"),
    "tasks-parent": (ERROR, "only leaf tasks contain work, so a parent is done when its children are"),
    "tasks-state": (ERROR, "a finished heading promises that everything below is done"),
    "tasks-empty": (ERROR, "an empty section promises work that nobody can find"),
    "ticket": (ERROR, "the project ties every commit to a ticket"),
    "autosquash": (ERROR, "a fixup that was never squashed is no finished history"),
}


class Rules:
    """What one project asks of a message. Lengths are in code points.

    `types` stand in the order of the decision matrix. Without `scopes` any is allowed. `line_limit` of None leaves the
    description's lines alone. `required` names parts of REQUIRABLE. `ticket` is a POSIX extended pattern that some line
    must match. `levels` overrides the level of codes.
    """

    __slots__ = ("imperative", "levels", "line_limit", "required", "scopes", "summary_limit", "ticket", "types")

    def __init__(
        self,
        *,
        types: Sequence[str] = DEFAULT_TYPES,
        scopes: Sequence[str] = (),
        summary_limit: int = SUMMARY_LIMIT,
        line_limit: int | None = None,
        required: Sequence[str] = (),
        imperative: bool = False,
        ticket: str | None = None,
        levels: Mapping[str, str] | None = None,
    ) -> None:
        self.types = tuple(types)
        self.scopes = tuple(scopes)
        self.summary_limit = summary_limit
        self.line_limit = line_limit
        self.required = tuple(required)
        self.imperative = imperative
        self.ticket = ticket
        self.levels = dict(levels or {})

    def level(self, code: str) -> str:
        """ERROR, WARNING or OFF."""
        return self.levels.get(code, CODES[code][0])
