"""What a model is told when it is to split a change."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from smartcommit.change.history import History
from smartcommit.draft.model import vocabulary
from smartcommit.llm.api import Json
from smartcommit.llm.config import ApiConfig
from smartcommit.message.rules import Rules

# The texts lie beside each other as files, so that they can be read and changed as such.
AGENTIC_SYSTEM_PROMPT = Template(files("smartcommit.agent").joinpath("prompts/split.md").read_text("utf-8"))
REVIEW_SYSTEM_PROMPT = Template(files("smartcommit.agent").joinpath("prompts/review.md").read_text("utf-8"))

# Characters of a summary at least and at most, and tokens that its tools and instructions need beside it.
_ROOM = (4000, 24_000)
_BESIDE = 4500
_WISH = 4000


def room_of(config: ApiConfig) -> int:
    """The characters that the summary of a change may have."""
    least, most = _ROOM
    return max(least, min(most, (config.context - config.output - _BESIDE) * 2))


def list_room_of(config: ApiConfig) -> int:
    """The characters that the list of hunks may have: it is said again, as far as it is open, after each commit."""
    return max(_ROOM[0] // 2, config.context - config.output - _BESIDE)


def opening(
    system: Template,
    summary: str,
    rules: Rules,
    history: History,
    *,
    language: str | None = None,
    wish: str = "",
    issues: Sequence[str] = (),
) -> list[Json]:
    """The messages that a conversation begins with.

    `wish` is what a person said about the commits, and `issues` what is to be looked out for.
    """
    told = f"The author says about the commits, and this is to be followed:\n{wish[:_WISH]}\n\n" if wish else ""
    listed = "\n".join(f"- {issue}" for issue in issues)
    sought = f"\n\nThe project wants these told as issues where they occur in the change:\n{listed}" if listed else ""
    return [
        {"role": "system", "content": system.substitute(vocabulary(rules, history, language)).strip()},
        {"role": "user", "content": told + summary + sought},
    ]
