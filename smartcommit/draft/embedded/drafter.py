"""The built-in drafter: writes a conventional message from facts, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, ChangeFacts, find_kinds
from smartcommit.change.history import History
from smartcommit.change.public_names import removes_public
from smartcommit.change.text import read_lines
from smartcommit.change.wording import choose_fitting, find_secret_values, format_count, make_printable, repeats, vary
from smartcommit.config import Settings, find_summary_limit, follows_history
from smartcommit.draft.embedded import changelogs, intent, whole_files
from smartcommit.draft.embedded.classify import find_class, list_types, rate_feature, rate_types
from smartcommit.draft.embedded.judge import Judge, list_statements
from smartcommit.draft.embedded.scope import choose_scope
from smartcommit.draft.embedded.versions import adapt_bumps, say_recurring
from smartcommit.draft.embedded.view import ChangeView, Purpose, Statement
from smartcommit.draft.request import NO_BODY, SHORT, SHORT_BODY
from smartcommit.draft.result import Draft
from smartcommit.message.header import Header
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.patterns import compile_on_use

# Kinds of files that belong together in one concern.
_DOCUMENTS = (filetypes.DOCUMENTATION,)
_TESTS = (filetypes.TESTS,)
_CONCERNS = (
    (filetypes.SOURCE,), (filetypes.CI,), (filetypes.BUILD, filetypes.MANIFEST, filetypes.LOCK),
    (filetypes.CONFIGURATION,), _DOCUMENTS, _TESTS, (filetypes.GENERATED, filetypes.ASSET),
)  # fmt: skip
_ONLY_NUMBER = compile_on_use(r"update \d+ files\Z")
_POINTS = 6  # in a list of what else changed: the others are only counted
_NAMES_TOLD = 4  # in a fact
# Longer headers are cut in listings, so a shorter sentence is preferred where there is one.
HEADER_WIDTH = 72
LINE_WIDTH = 72
# Number of summaries with a capital letter that make it a habit.
_LEAST_CAPITALS = 5


def draft(
    change: ChangeFacts,
    history: History,
    settings: Settings,
    *,
    submodules: Mapping[bytes, Sequence[str]] | None = None,
    purpose: Purpose | None = None,
) -> Draft:
    """Draft a message for `change`, which has at least one file.

    The text has a header and, if it helps, a description, and ends with one newline. `submodules` holds, by path, the
    subjects of the commits that an updated submodule has gained, the newest first. No process is started.
    """
    limit = find_summary_limit(settings)
    types = settings.words("types") or DEFAULT_TYPES
    if follows_history(settings):
        types = list_types(change, history)
    secret = list_secret_values(change)
    view = ChangeView(change, submodules=submodules, purpose=purpose)
    rated = rate_types(change, history, types, is_partial=view.purpose.is_partial)
    chances = intent.weigh_type(rated, view.purpose, types, changelogs.find_told(change))
    judge = Judge(view, _list_adapted(view, history, secret), chances, rate_feature(rated))
    chosen_type = judge.choose_type()
    scope = choose_scope(change, history, settings.words("scopes") or None, chosen_type=chosen_type)
    if scope and follows_history(settings):
        scope = history.spell_scope(scope, change.paths)
    header, kind = Header(chosen_type, "", scope=scope), find_class(chosen_type)
    texts = [vary(text, kind) for text in judge.chosen.texts]
    if all(len(text) > limit for text in texts):
        # What is always true is short.
        texts = [vary(text, kind) for text in whole_files.list_names(view)]
    header.summary = choose_fitting(texts, HEADER_WIDTH - len(str(header)), limit)
    others = [point for point in _list_points(view) if point[0] not in header.summary]
    candidates = [vary(text, kind) for text in judge.list_candidates()]
    if _begins_with_capitals(history):
        header.summary = _capitalize(header.summary)
        candidates = [_capitalize(text) for text in candidates]
    body = _write_body(others, settings.words("style"), secret)
    made = Draft(f"{header}\n{body}", weak=judge.is_weak, open=judge.is_open, sure=judge.strength)
    made.candidates = tuple(dict.fromkeys(candidates))
    said = judge.find_said()
    if said is not None and (made.weak or said is judge.chosen):
        made.source = said.kind.source
    made.second_type = judge.find_second_type(header.type)
    if made.weak:
        made.breaking = removes_public(change)
        made.facts = tuple(_list_facts(change))
    return made


def list_secret_values(change: ChangeFacts) -> list[str]:
    """Return the values on lines that mention a secret, which a message must not repeat: it stays in the history."""
    values: dict[str, None] = {}
    for file in change.files:
        for side in ("removed", "added"):
            values.update(dict.fromkeys(find_secret_values(read_lines(file.diff.hunks, side))))
    return list(values)


def _begins_with_capitals(history: History) -> bool:
    """Whether most summaries of the project begin with a capital letter; names do not count."""
    capital = small = 0
    for commit in history.commits:
        word = commit.summary.partition(" ")[0]
        if commit.has_header and not commit.upkeep and word.isalpha():
            capital += word.istitle()
            small += word.islower()
    return capital >= _LEAST_CAPITALS and capital >= 3 * small


def _capitalize(summary: str) -> str:
    """Return `summary` with a capital letter, unless it begins with a name such as `iOS` or `read_all`."""
    word, space, rest = summary.partition(" ")
    if not (word.isalpha() and word.islower()):
        return summary
    return word.capitalize() + space + rest


def _list_adapted(view: ChangeView, history: History, secret: Sequence[str]) -> list[Statement]:
    """Return all statements on a change that repeat nothing `secret`, those on versions in the project's form."""
    statements = [*say_recurring(view, history), *list_statements(view)]
    kept = []
    for statement in statements:
        if view.purpose.is_continued and intent.is_repeated(statement, history):
            continue
        if not repeats(statement.text, secret):
            statement.texts = adapt_bumps(statement.texts, history)
            kept.append(statement)
    return kept or statements[-1:]


def _list_points(view: ChangeView) -> list[Sequence[str]]:
    """Return what else changed, each point in its forms, the best first. Empty if there is one concern."""
    found: list[Sequence[str]] = []
    change = view.change
    if change.only_submodules:
        for subject in view.submodules.get(view.about[0].path, ()):
            if subject.strip():
                found.append([make_printable(subject, LINE_WIDTH - 4)])
        return _limit_points(found, "commit") if len(found) > 1 else []
    covered = {id(file) for file in change.core}
    for concern in _CONCERNS:
        files = [file for file in change.of_kind(*concern) if id(file) not in covered]
        # Tests and documentation accompany source, and locks and images anything.
        follows = change.core[0].kind == filetypes.SOURCE and concern in (_DOCUMENTS, _TESTS)
        if files and not follows and not find_kinds(files) <= DERIVED:
            part = ChangeView(change, part=files)
            texts = Judge(part, list_statements(part), {"": 1.0}).chosen.texts
            if not _ONLY_NUMBER.match(texts[0]):
                found.append(texts)
    return _limit_points(found, "concern")


def _limit_points(points: list[Sequence[str]], noun: str) -> list[Sequence[str]]:
    if len(points) <= _POINTS:
        return points
    return [*points[: _POINTS - 1], [format_count(len(points) - _POINTS + 1, f"more {noun}")]]


def _list_facts(change: ChangeFacts) -> Iterator[str]:
    """Yield what happened, each fact one short line: how many files, and which names came and went."""
    counts = Counter([file.status for file in change.files])
    parts = []
    for status, verb in (("M", "changed"), ("A", "added"), ("D", "removed"), ("R", "renamed")):
        if counts[status]:
            parts.append(f"{counts[status]} {verb}")
    if len(change.files) > 1 and parts:
        yield f"{format_count(len(change.files), 'file')}: {', '.join(parts)}"
    for side in ("added", "removed"):
        names: dict[str, None] = {}
        for file in change.core:
            for symbol in getattr(file.symbols, side):
                names[make_printable(symbol.name, 40)] = None
        more = ""
        if len(names) > _NAMES_TOLD:
            more = f" and {len(names) - _NAMES_TOLD} more"
        if names:
            yield f"{side}: {', '.join(list(names)[:_NAMES_TOLD])}{more}"


def _write_body(points: Sequence[Sequence[str]], style: Sequence[str], secret: Sequence[str]) -> str:
    """Return the points as a list after an empty line; each point has its sentences, the best first.

    They repeat nothing `secret`, and are no more than the style of the project's descriptions allows.
    """
    chosen = [point for point in points if not repeats(" ".join(point), secret)]
    if SHORT_BODY in style:
        chosen = chosen[:SHORT]
    if not chosen or NO_BODY in style:
        return ""
    lines = [f"- {choose_fitting(point, LINE_WIDTH - 2, LINE_WIDTH - 2)}\n" for point in chosen]
    return "\n" + "".join(lines)
