"""Collects all statements about a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from smartcommit.draft.embedded.statements import dependencies, files, literals, symbols, titles
from smartcommit.draft.embedded.statements.view import ChangeView, Statement

# Minimum and maximum characters of a statement: a shorter one says nothing, a longer one fits in no header.
_SHORTEST, _LONGEST = 8, 110

_SOURCES: Sequence[Callable[[ChangeView], Iterator[Statement]]] = (
    dependencies.say_bumps,
    dependencies.say_requirements,
    files.say_copyright,
    files.say_moved_lines,
    files.say_removed,
    files.say_renames,
    literals.say_literals,
    symbols.say_definitions,
    symbols.say_new_test,
    symbols.say_renames,
    titles.say_entries,
    titles.say_headings,
    titles.say_tests,
    titles.say_workflows,
)


def list_statements(view: ChangeView) -> list[Statement]:
    """Return the statements of all sources, unranked. Of those with the same text, the first is kept."""
    found: dict[str, Statement] = {}
    for source in _SOURCES:
        for statement in source(view):
            text = " ".join(statement.text.split())
            if _SHORTEST <= len(text) <= _LONGEST and "\ufffd" not in text:
                statement.text = text
                found.setdefault(text, statement)
    return list(found.values())
