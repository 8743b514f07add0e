"""Judges what to say: which summary is true and good enough, when to leave it open, and when a change is a fix.

The figures were read off drafts of public projects that a strict reader had judged against diff and author.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.text import is_import, read_lines
from smartcommit.draft.embedded.classify import class_of
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.draft.embedded.summarize import RankedSummary
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# The share of the statements of each kind that a reader kept, or edited by a word or two, if they explain all lines.
PRIORS = {
    "changelog": 0.9, "changelog many": 0.5, "test title": 0.75, "test titles": 0.48, "bump": 0.85, "bump many": 0.7,
    "dependency": 0.8, "workflow": 0.85, "rename file": 0.8, "move file": 0.75, "deleted file": 0.85,
    "added file": 0.85, "extraction": 0.75, "rename": 0.85, "use instead": 0.6, "repeated replacement": 0.65,
    "argument": 0.8, "parameter": 0.75, "default": 0.85, "value": 0.8, "type": 0.65, "item": 0.8, "option": 0.7,
    "replace": 0.55, "key": 0.7, "step": 0.75, "annotation": 0.65, "row": 0.7, "heading": 0.75, "import": 0.45,
    "import gone": 0.85, "call": 0.6, "deprecation": 0.7, "symbol added": 0.25, "pin": 0.8, "condition": 0.65,
    "wrap": 0.65, "guard": 0.35, "field": 0.65, "licence": 0.9, "new test": 0.65, "symbol removed": 0.7, "error": 0.35,
}  # fmt: skip
_UNKNOWN_PRIOR = 0.5
# Strengths from which on a statement is said: at all, in a change of many files, and in place of a certain summary.
_SAY, _SAY_OF_MANY, _SAY_INSTEAD = 0.38, 0.6, 0.8
# A change of so many files is rarely said by what one of them shows; from so many on a statement has to explain more.
_MANY_FILES, _SEVERAL_FILES = 9, 6
# Kinds of statements that are about the whole change, however many files it has.
_WHOLE = ("changelog", "bump", "workflow")
# Scores from which on a composed summary is said: of source, of one or two other files, and of a likely feature.
_SAY_COMPOSED, _SAY_BESIDE, _SAY_FEATURE = 1800, 1400, 1500
_LIKELY_FEATURE = 0.75
# What a composed summary loses if it says "support", which half of the time is untrue.
_COST_OF_SUPPORT = 700
# How likely a reader keeps a certain summary, a composed one, and that of a likely feature.
_SURE_CERTAIN, _SURE_COMPOSED, _SURE_FEATURE = 0.85, 0.5, 0.55
# How likely `fix` must be for the type: with a sign of a defect, and without one.
_FIX_WITH_SIGN, _FIX_ALONE = 0.25, 0.4
# Signs of a defect, each with the share of changes with it that their authors called a fix among those drafted as one.
SIGNS_OF_DEFECT = {"changelog": 1.0, "one new test": 0.91, "small guard": 0.92}
# Lines that a change with a small guard may add.
_GUARD_LINES = 8
_GUARD = compile_on_use(
    r"\b(?:if|unless|guard|elif)\b.*(?:null|None|nil|undefined|\bnot\b|!|is_some|is_none|[Ee]mpty|len\(|length)"
    r"|\?\?|\?\.|\btry\b|\bexcept\b|\bcatch\b"
)
# Kinds of statements that rule a fix out if they explain nearly all lines, and the types that such changes have.
_COSMETIC = {"import", "import gone", "rename", "extraction", "move file", "rename file", "annotation"}
_COSMETIC_TYPES = {"refactor", "chore", "style"}
# Below this chance the first type is not sure, and the second one is offered beside it if it has this one.
_SURE_TYPE, _SECOND_TYPE = 0.65, 0.15
_CANDIDATES = 3
# Sentences on spelling and links are fixes of what they name; any other "fix X" says that X was broken.
_FIXES = compile_on_use(r"(?:fix|correct) (?!typos?\b|links?\b|spelling\b)")
_SUPPORTS = compile_on_use(r"(?:add )?support\b")
_ADDS = compile_on_use(r"(?:add|support)\b")
_NAME = compile_on_use(r"[\w.-]{4,}")
_COMMON = {"from", "with", "instead", "files", "update", "replace", "remove", "support"}


class Judgement(Record):
    """What is said of a change.

    `summaries` are those to say, the best first, one of which is short. `weak`, `sure`, `candidates` and `second_type`
    are as in `Draft`. `own` says that the first summary is the change's own or a whole truth, which may be long.
    """

    summaries: Sequence[str]
    weak: bool
    sure: float
    candidates: Sequence[str]
    own: bool = False


def list_signs(view: ChangeView, statements: Sequence[Statement]) -> set[str]:
    """Return the signs in a change, of SIGNS_OF_DEFECT, that something was wrong before."""
    signs = set()
    for statement in statements:
        if statement.kind.startswith("changelog") and (statement.type == "fix" or statement.text.startswith("fix ")):
            signs.add("changelog")
    core = view.core
    if not _edits_source_alone(view):
        return signs
    if sum(statement.kind == "test title" for statement in statements) == 1:
        signs.add("one new test")
    hunks = [hunk for file in core for hunk in file.diff.hunks]
    added = read_lines(hunks, "added", _GUARD_LINES + 1)
    removed = read_lines(hunks, "removed", _GUARD_LINES + 1)
    if len(added) <= _GUARD_LINES and _count_guards(added) > _count_guards(removed):
        signs.add("small guard")
    return signs


def _edits_source_alone(view: ChangeView) -> bool:
    """Whether source was edited and nothing new defined, so that only what was there can have been mended."""
    for file in view.core:
        if file.nature == "added":
            return False
        for symbol in file.symbols.added:
            if symbol.kind not in ("key", "section", "test"):
                return False
    return any(file.kind == filetypes.SOURCE for file in view.core)


def _count_guards(lines: Sequence[str]) -> int:
    return sum(_GUARD.search(line) is not None for line in lines if not is_import(line))


def judge_type(
    chances: Mapping[str, float], statements: Sequence[Statement], signs: set[str], view: ChangeView
) -> str:
    """Return the type: the likeliest, but `fix` only with a sign of a defect or if it is likely enough.

    A statement that explains nearly everything and tells its type decides.
    """
    drafted = next(iter(chances))
    best = max(statements, key=rate, default=None)
    if best is not None and best.type and (best.share >= 0.9 or best.kind == "workflow"):
        named = [name for name in chances if class_of(name) == best.type]
        if named and best.kind in ("workflow", "extraction", "rename", "changelog", "option"):
            return named[0]
    if len(chances) == 1:
        return drafted
    fix = _chance_of("fix", chances)
    if signs and fix >= _FIX_WITH_SIGN and any(file.kind == filetypes.SOURCE for file in view.core):
        return next(name for name in chances if class_of(name) == "fix")
    if class_of(drafted) != "fix":
        return drafted
    is_cosmetic = best is not None and best.kind in _COSMETIC and best.share >= 0.8
    if fix >= _FIX_ALONE and not is_cosmetic:
        return drafted
    others = [name for name in chances if class_of(name) != "fix"]
    if is_cosmetic:
        others = [name for name in others if name in _COSMETIC_TYPES] or others
    return others[0] if others else drafted


def find_second_type(chosen: str, chances: Mapping[str, float]) -> str | None:
    """Return the likeliest other type where `chosen` is not sure, else None."""
    if chances.get(chosen, 0.0) >= _SURE_TYPE:
        return None
    for name, chance in chances.items():
        if name != chosen and chance >= _SECOND_TYPE:
            return name
    return None


def _chance_of(kind: str, chances: Mapping[str, float]) -> float:
    return sum(chance for name, chance in chances.items() if class_of(name) == kind)


def rate(statement: Statement) -> float:
    """Return how likely a reader keeps the statement, from 0 to 1, before the rest of the change is looked at."""
    if statement.kind.startswith("test title") and statement.share < 0.5:
        return 0.0
    long = max(0, len(statement.text.split()) - 9)
    return PRIORS.get(statement.kind, _UNKNOWN_PRIOR) * min(1.0, statement.share) ** 0.8 - 0.02 * long


def says_all(statements: Sequence[Statement]) -> bool:
    """Whether a statement explains so much that it is said in place of what is usual."""
    return any(rate(statement) >= _SAY_INSTEAD for statement in statements)


def judge(
    view: ChangeView,
    statements: Sequence[Statement],
    ranked: Sequence[RankedSummary],
    chosen_type: str,
    chances: Mapping[str, float],
    signs: set[str],
) -> Judgement:
    """Return what to say of a change, which has `chosen_type`, by its statements and by its ranked summaries."""
    best = sorted(statements, key=rate, reverse=True)
    strength = _rate_in_change(best[0], view) if best else 0.0
    offered = [statement.text for statement in best]
    plain = [_soften(summary.text) for summary in ranked]
    if ranked[0].form == "certain" and strength < _SAY_INSTEAD:
        texts = [summary.text for summary in ranked]
        return Judgement(texts, False, _SURE_CERTAIN, select_different([texts[0], *offered]))
    others = select_different([*offered[:2], *plain[:12], *offered[2:]])
    needed = _SAY
    if len(view.change.files) >= _MANY_FILES and best and not (best[0].kind.startswith(_WHOLE) or best[0].repeated):
        needed = _SAY_OF_MANY
    if strength >= needed:
        return Judgement([*offered[:1], *plain], False, strength, others, own=True)
    said = _choose_composed(view, ranked, chosen_type, chances, signs)
    if said is not None:
        sure = _SURE_FEATURE if class_of(chosen_type) == "feat" else _SURE_COMPOSED
        return Judgement([said, *plain], False, sure, select_different([said, *others]))
    plainest = offered[:1] if strength > 0.25 else []
    return Judgement([*plainest, *plain], True, strength, others, own=bool(plainest))


def _rate_in_change(statement: Statement, view: ChangeView) -> float:
    """Return how likely a reader keeps the statement as the summary of this change."""
    strength = rate(statement)
    number = len(view.change.files)
    if statement.kind == "replace" and any(file.bumped for file in view.change.files if file not in view.core):
        strength *= 0.6
    if number >= _SEVERAL_FILES and statement.share < 0.8 and not statement.kind.startswith((*_WHOLE, "test")):
        strength *= 0.75
    if number >= _MANY_FILES and statement.kind.startswith("test title"):
        strength *= 0.6
    return strength


def _choose_composed(
    view: ChangeView,
    ranked: Sequence[RankedSummary],
    chosen_type: str,
    chances: Mapping[str, float],
    signs: set[str],
) -> str | None:
    """Return the first ranked summary if its score says that a reader keeps it, else None."""
    first = ranked[0]
    text, score = first.text, first.score
    if _FIXES.match(text) and not (class_of(chosen_type) == "fix" and signs):
        text, score = _soften(text), score - 400
    is_feature = class_of(chosen_type) == "feat" and _chance_of("feat", chances) >= _LIKELY_FEATURE
    if is_feature and _ADDS.match(text) and score >= _SAY_FEATURE:
        return text
    if _SUPPORTS.match(text):
        score -= _COST_OF_SUPPORT
    few = len(view.change.files) < _MANY_FILES
    beside = len(view.change.files) <= 2 and view.core[0].kind in (
        filetypes.DOCUMENTATION, filetypes.CI, filetypes.TESTS,
    )  # fmt: skip
    if few and score >= (_SAY_BESIDE if beside else _SAY_COMPOSED):
        return text
    return None


def _soften(text: str) -> str:
    """Return a summary without the claim that what it names was broken."""
    found = _FIXES.match(text)
    return f"update {text[found.end():]}" if found else text


def select_different(texts: Sequence[str]) -> list[str]:
    """Return the first summaries that share less than half of their names with each one before."""
    kept: list[str] = []
    seen: list[set[str]] = []
    for text in texts:
        names = set(map(str.lower, _NAME.findall(text))) - _COMMON
        if all(len(names & other) < 0.5 * max(1, min(len(names), len(other))) for other in seen):
            kept.append(text)
            seen.append(names)
        if len(kept) == _CANDIDATES:
            break
    return kept
