"""The built-in drafter: writes a conventional message from facts, without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.history import History
from smartcommit.change.recurring import adapt_bumps, find_recurring
from smartcommit.change.text import read_lines
from smartcommit.change.wording import choose_fitting, find_secret_values, repeats, vary
from smartcommit.config import Settings, find_summary_limit, follows_history
from smartcommit.draft.corrections import Corrections
from smartcommit.draft.embedded.breaking import may_break
from smartcommit.draft.embedded.classify import choose_scope, class_of, rate_types
from smartcommit.draft.embedded.describe import certain_sentences, list_facts, points, summaries
from smartcommit.draft.embedded.judge import Judge
from smartcommit.draft.embedded.statements.collect import list_statements
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.draft.guidance import NO_BODY, SHORT, SHORT_BODY
from smartcommit.draft.habits import DROPPED_BODY
from smartcommit.draft.result import Draft
from smartcommit.message.header import Header
from smartcommit.message.rules import DEFAULT_TYPES

# Longer headers are cut in listings, so a shorter sentence is preferred where there is one.
HEADER_WIDTH = 72
LINE_WIDTH = 72


def draft(
    change: ChangeFacts,
    history: History,
    settings: Settings,
    *,
    submodules: Mapping[bytes, Sequence[str]] | None = None,
    corrections: Corrections | None = None,
    read_text: Callable[[FileFacts], str] | None = None,
) -> Draft:
    """Draft a message for `change`, which has at least one file.

    The text has a header and, if it helps, a description, and ends with one newline. `submodules` holds, by path, the
    subjects of the commits that an updated submodule has gained, the newest first. `corrections` are what this person
    made of earlier drafts. No process is started, unless `read_text` starts one; it is as for `ChangeView`.
    """
    corrections = corrections or Corrections()
    limit = find_summary_limit(settings)
    types = _list_types(history, settings)
    view = ChangeView(change, read_text)
    secret = list_secret_values(change)
    statements = _list_adapted(view, history, secret)
    judge = Judge(view, statements, rate_types(change, history, types))
    header = _start_header(judge.choose_type(), change, history, settings)
    recurring = find_recurring(change, history)
    if recurring is not None and not recurring.has_slots and judge.has_strong_statement():
        # What this change shows is more reliable than the summary of similar ones.
        recurring = None
    if recurring is not None and recurring.type in types and len(recurring.summary) <= limit:
        header.type, header.summary = recurring.type, recurring.summary
        if follows_history(settings) or recurring.scope in settings.words("scopes"):
            header.scope = recurring.scope
        followed = [*corrections.correct(header, types), *corrections.correct_summary(header, change, limit)]
        return Draft(f"{header}\n", followed=followed)
    followed = corrections.correct(header, types)
    plain = adapt_bumps(summaries(change, submodules), history)
    certain = change.only_submodules or bool(certain_sentences(change.core))
    judgement = judge.choose_summaries(
        [text for text in plain if not repeats(text, secret)] or plain[-1:], certain=certain
    )
    kind = class_of(header.type)
    sentences = [vary(text, kind) for text in judgement.summaries]
    preferred = HEADER_WIDTH - len(str(header))
    if judgement.is_statement:
        preferred = limit
    header.summary = choose_fitting(sentences, preferred, limit)
    followed += corrections.correct_summary(header, change, limit)
    chosen = _choose_points(list(points(change, submodules)), settings.words("style"), secret)
    if chosen and corrections.drops_body:
        followed.append(DROPPED_BODY)
        chosen = []
    return Draft(
        f"{header}\n{_write_body(chosen)}",
        weak=judgement.weak,
        sure=judgement.sure,
        candidates=tuple(dict.fromkeys(vary(text, kind) for text in judgement.candidates)),
        second_type=judge.find_second_type(header.type),
        breaking=judgement.weak and may_break(view),
        facts=tuple(list_facts(change)) if judgement.weak else (),
        followed=followed,
    )


def list_secret_values(change: ChangeFacts) -> list[str]:
    """Return the values on lines that mention a secret, which a message must not repeat: it stays in the history."""
    values: dict[str, None] = {}
    for file in change.files:
        for side in ("removed", "added"):
            values.update(dict.fromkeys(find_secret_values(read_lines(file.diff.hunks, side))))
    return list(values)


def _list_types(history: History, settings: Settings) -> Sequence[str]:
    """Return the types that a draft may have."""
    if follows_history(settings):
        return tuple(dict.fromkeys((*DEFAULT_TYPES, *history.types)))
    return settings.words("types") or DEFAULT_TYPES


def _start_header(chosen_type: str, change: ChangeFacts, history: History, settings: Settings) -> Header:
    """Return a header with the type and the scope of `change`, and an empty summary."""
    scope = choose_scope(change, history, settings.words("scopes") or None, chosen_type=chosen_type)
    if scope and follows_history(settings):
        scope = history.spell_scope(scope, change.paths)
    return Header(chosen_type, "", scope=scope)


def _list_adapted(view: ChangeView, history: History, secret: Sequence[str]) -> list[Statement]:
    """Return all statements on a change that repeat nothing `secret`, those on versions in the project's form."""
    statements = list_statements(view)
    adapted = adapt_bumps([statement.text for statement in statements], history)
    for statement, text in zip(statements, adapted, strict=True):
        statement.text = text
    return [statement for statement in statements if not repeats(statement.text, secret)]


def _choose_points(
    found: Sequence[Sequence[str]], style: Sequence[str], secret: Sequence[str]
) -> Sequence[Sequence[str]]:
    """Return as many points that repeat nothing `secret` as the style of the project's descriptions allows."""
    found = [point for point in found if not repeats(" ".join(point), secret)]
    if NO_BODY in style:
        return []
    if SHORT_BODY in style:
        return found[:SHORT]
    return found


def _write_body(chosen: Sequence[Sequence[str]]) -> str:
    """Return the points as a list after an empty line; each point has its sentences, the best first."""
    if not chosen:
        return ""
    lines = [f"- {choose_fitting(point, LINE_WIDTH - 2, LINE_WIDTH - 2)}\n" for point in chosen]
    return "\n" + "".join(lines)
