"""Judges what to say: which summary is true and good enough, when to leave it open, and when a change is a fix.

The figures were read off drafts of public projects that a strict reader had judged against diff and author.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import list_hunks
from smartcommit.change.sentences import NAMES_LISTED, name_sentences
from smartcommit.change.text import is_import, read_lines
from smartcommit.change.titles import list_titles
from smartcommit.draft.embedded.classify import class_of
from smartcommit.draft.embedded.describe import choose_verb_of_files
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.draft.embedded.summarize import RankedSummary
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# The share of the statements of each kind that a reader kept, or edited by a word or two, if they explain all lines.
PRIORS = {
    "changelog": 0.9, "changelog version": 0.85, "changelog many": 0.5, "test title": 0.75, "test titles": 0.48,
    "bump": 0.85, "bump many": 0.7, "dependency": 0.8, "workflow": 0.85, "rename file": 0.8, "move file": 0.75,
    "deleted file": 0.85, "added file": 0.85, "extraction": 0.75, "rename": 0.85, "use instead": 0.6,
    "repeated replacement": 0.45, "argument": 0.8, "parameter": 0.75, "default": 0.85, "value": 0.8, "type": 0.65,
    "item": 0.8, "option": 0.7, "replace": 0.65, "key": 0.7, "step": 0.75, "annotation": 0.65, "row": 0.7,
    "heading": 0.75, "import": 0.45, "import gone": 0.85, "call": 0.5, "deprecation": 0.7, "symbol added": 0.25,
    "pin": 0.8, "condition": 0.65, "job": 0.8, "migration": 0.85, "wrap": 0.65, "guard": 0.35, "field": 0.65,
    "licence": 0.9, "new test": 0.65, "symbol removed": 0.7, "error": 0.35, "case": 0.65, "command": 0.65,
}  # fmt: skip
_UNKNOWN_PRIOR = 0.5
# What the prior of a new name gains by each point above 0.5 of the chance that the change is a feature.
_WORTH_OF_FEATURE = 0.6
# Strengths from which on a statement is said: at all, in a change of many files, and in place of a certain summary.
_SAY, _SAY_OF_MANY, _SAY_INSTEAD = 0.38, 0.6, 0.8
# A change of so many files is rarely said by what one of them shows; from so many on a statement has to explain more.
_MANY_FILES, _SEVERAL_FILES = 9, 6
# Kinds of statements that are about the whole change, however many files it has.
_WHOLE = ("changelog", "bump", "workflow")
# Score from which on a composed summary is said, if it says what was added or removed. Of those with other verbs
# readers kept one in ten, whatever their score.
_SAY_COMPOSED = 1400
# Strength from which on a statement is said where a whole header is needed.
_SAY_PLAINLY = 0.25
# Kinds of statements that tell the type.
_TELL_TYPE = {"workflow", "extraction", "rename", "changelog", "option"}
# How likely a reader keeps a certain summary, and a composed one.
_SURE_CERTAIN, _SURE_COMPOSED = 0.65, 0.6
# How likely `fix` must be for the type: with a sign of a defect, and without one.
_FIX_WITH_SIGN, _FIX_ALONE = 0.25, 0.3
# Signs of a defect, each with the share of changes with it that their authors called a fix among those drafted as one.
SIGNS_OF_DEFECT = {
    "changelog": 1.0, "small guard": 0.96, "one new test": 0.87, "test of a refusal": 0.85, "new tests": 0.74,
}  # fmt: skip
# What tests of mended defects expect.
_REFUSES = compile_on_use(r"(?:do not|reject|ignore|throw|raise|fail|prevent|avoid|preserve|keep|skip|handle)\b")
# Lines that a change with a small guard may add.
_GUARD_LINES = 8
_GUARD = compile_on_use(
    r"\b(?:if|unless|guard|elif)\b.*(?:null|None|nil|undefined|\bnot\b|!|is_some|is_none|[Ee]mpty|len\(|length)"
    r"|\?\?|\?\.|\btry\b|\bexcept\b|\bcatch\b"
)
# Kinds of statements that rule a fix out if they explain nearly all lines, and the types that such changes have.
_COSMETIC = {
    "import", "import gone", "rename", "extraction", "move file", "rename file", "annotation", "deleted file",
    "symbol removed", "migration",
}  # fmt: skip
_REPLACEMENTS = {"replace", "repeated replacement", "use instead"}
# Shares of the changed lines that a statement explains.
_ALL, _NEARLY_ALL, _MUCH = 0.9, 0.8, 0.4
_COSMETIC_TYPES = {"refactor", "chore", "style"}
_ADDING_VERBS = ("add", "allow", "introduce", "support")
_UPKEEP_TYPES = {"deps", "chore", "build", "ci"}
# Above this chance a type is likely.
_LIKELY_TYPE = 0.5
# Below this chance the first type is not sure, and the second one is offered beside it if it has this one.
_SURE_TYPE, _SECOND_TYPE = 0.65, 0.15
_CANDIDATES = 3
_ADDS_OR_REMOVES = compile_on_use(r"(?:add|remove) (?!support\b)")
_NAME = compile_on_use(r"[\w.-]{4,}")
_COMMON = {"from", "with", "instead", "files", "update", "replace", "remove", "support"}


class Judgement(Record):
    """What is said of a change.

    `summaries` are those to say, the best first, one of which is short. `is_own` says that the first one is a
    statement, which may be as long as the project allows. The other fields are as in `Draft`.
    """

    summaries: Sequence[str]
    sure: float
    candidates: Sequence[str]
    weak: bool = False
    is_own: bool = False


class Judge:
    """Decides about one change, by its statements and by how likely each type is, the likeliest first."""

    def __init__(self, view: ChangeView, statements: Sequence[Statement], chances: Mapping[str, float]) -> None:
        self.view = view
        self.chances = chances
        self.statements = sorted(statements, key=self._rate, reverse=True)
        self._signs = list_signs(view, statements)

    def choose_type(self) -> str:
        """Return the likeliest type, but `fix` only with a sign of a defect or if it is likely enough.

        A statement that explains nearly everything and tells its type decides.
        """
        told = self._find_told_type()
        if told is not None:
            return told
        drafted = next(iter(self.chances))
        if len(self.chances) == 1:
            return drafted
        fix = self._add_chances("fix")
        if self._signs and fix >= _FIX_WITH_SIGN and any(file.kind == filetypes.SOURCE for file in self.view.core):
            return next(name for name in self.chances if class_of(name) == "fix")
        kind = class_of(drafted)
        # What the same code does is tested as before.
        is_untrue = kind == "refactor" and self._changes_tests()
        if kind == "fix":
            is_untrue = fix < _FIX_ALONE or self._is_cosmetic()
        return self._find_other_type(kind) if is_untrue else drafted

    def _find_other_type(self, kind: str) -> str:
        """Return the likeliest type of another class than `kind`, for a cosmetic change one that such changes have."""
        others = [name for name in self.chances if class_of(name) != kind]
        if self._is_cosmetic():
            others = [name for name in others if name in _COSMETIC_TYPES] or others
        return (others or list(self.chances))[0]

    def _changes_tests(self) -> bool:
        """Whether tests expect something new, or something else if the type is not likely."""
        tests = self.view.change.of_kind(filetypes.TESTS)
        if list_titles(tests):
            return True
        likely = next(iter(self.chances.values())) >= _LIKELY_TYPE
        return not likely and any(file.nature == "modified" for file in tests)

    def _is_cosmetic(self) -> bool:
        """Whether the code does the same as before: it was renamed or moved, or has another form in many files."""
        for best in self.statements[:1]:
            if best.kind in _COSMETIC:
                return best.share >= _NEARLY_ALL
            return best.repeated and best.kind in _REPLACEMENTS and best.share >= _MUCH
        return False

    def _find_told_type(self) -> str | None:
        """Return the type that the best statement tells by itself, if the project has it."""
        for best in self.statements[:1]:
            if best.share < _ALL and best.kind != "workflow":
                continue
            allowed = {best.type or ""}
            if best.kind == "bump":
                allowed = _UPKEEP_TYPES
            elif best.kind not in _TELL_TYPE:
                continue
            if best.kind == "changelog" and find_verb(best.text) in _ADDING_VERBS:
                allowed = {"feat"}
            for name in self.chances:
                if class_of(name) in allowed:
                    return name
        return None

    def find_second_type(self, chosen: str) -> str | None:
        """Return the likeliest other type where `chosen` is not sure, else None."""
        if self.chances.get(chosen, 0.0) < _SURE_TYPE:
            for name, chance in self.chances.items():
                if name != chosen and chance >= _SECOND_TYPE:
                    return name
        return None

    def says_all(self) -> bool:
        """Whether a statement explains so much that it is said in place of what is usual."""
        return bool(self.statements) and self._rate(self.statements[0]) >= _SAY_INSTEAD

    def choose(self, ranked: Sequence[RankedSummary]) -> Judgement:
        """Return what to say of the change; `ranked` are its composed summaries, the best first."""
        strength = self._rate_best()
        offered = [statement.text for statement in self.statements]
        plain = [summary.text for summary in ranked]
        if ranked[0].form == "certain" and strength < _SAY_INSTEAD:
            return Judgement(plain, _SURE_CERTAIN, select_different([plain[0], *offered]))
        others = select_different([*offered[:2], *plain[:12], *offered[2:]])
        if self.statements and strength >= self._find_needed_strength():
            return Judgement([offered[0], *plain], strength, others, is_own=True)
        composed = self._choose_composed(ranked[0])
        if composed is not None:
            return Judgement([composed, *plain], _SURE_COMPOSED, select_different([composed, *others]))
        plainest = offered[:1] if strength >= _SAY_PLAINLY else []
        if not plainest and len(self.view.change.core) > NAMES_LISTED:
            # What is composed tells of a few of these files only.
            plain = list(name_sentences(self.view.change.core, choose_verb_of_files(self.view.change.core)))
        return Judgement([*plainest, *plain], strength, others, weak=True, is_own=bool(plainest))

    def _find_needed_strength(self) -> float:
        best = self.statements[0]
        if self._has_many_files() and not (best.kind.startswith(_WHOLE) or best.repeated):
            return _SAY_OF_MANY
        return _SAY

    def _has_many_files(self) -> bool:
        return len(self.view.change.files) >= _MANY_FILES

    def _rate_best(self) -> float:
        """Return how likely a reader keeps the best statement as the summary of this change; 0 without one."""
        if not self.statements:
            return 0.0
        best, change = self.statements[0], self.view.change
        strength = self._rate(best)
        if best.kind == "replace" and any(file.bumped for file in change.files if file not in change.core):
            strength *= 0.6
        if len(change.files) >= _SEVERAL_FILES and best.share < 0.8 and not best.kind.startswith((*_WHOLE, "test")):
            strength *= 0.75
        if self._has_many_files() and best.kind.startswith("test title"):
            strength *= 0.6
        return strength

    def _choose_composed(self, first: RankedSummary) -> str | None:
        """Return the best composed summary if its form and score say that a reader keeps it, else None."""
        if first.form != "plain 0" or not _ADDS_OR_REMOVES.match(first.text) or self._has_many_files():
            return None
        return first.text if first.score >= _SAY_COMPOSED else None

    def _rate(self, statement: Statement) -> float:
        """Return how likely a reader keeps the statement; a new name is worth saying if the change is a feature."""
        prior = None
        if statement.kind == "symbol added":
            certainty = max(0.0, self._add_chances("feat") - 0.5)
            prior = PRIORS[statement.kind] + _WORTH_OF_FEATURE * certainty
        return rate(statement, prior)

    def _add_chances(self, kind: str) -> float:
        """Return how likely any of the types of this class is."""
        return sum(chance for name, chance in self.chances.items() if class_of(name) == kind)


def rate(statement: Statement, prior: float | None = None) -> float:
    """Return how likely a reader keeps the statement, from 0 to 1, before the rest of the change is looked at.

    `prior` replaces the one of its kind.
    """
    if statement.kind.startswith("test title") and statement.share < 0.5:
        return 0.0
    long = max(0, len(statement.text.split()) - 9)
    explained: float = min(1.0, statement.share) ** 0.8
    if prior is None:
        prior = PRIORS.get(statement.kind, _UNKNOWN_PRIOR)
    return prior * explained - 0.02 * long


def list_signs(view: ChangeView, statements: Sequence[Statement]) -> set[str]:
    """Return the signs in a change, of SIGNS_OF_DEFECT, that something was wrong before."""
    signs = set()
    for statement in statements:
        if statement.kind.startswith("changelog") and (statement.type == "fix" or statement.text.startswith("fix ")):
            signs.add("changelog")
    if any(statement.kind.startswith("test title") and _REFUSES.match(statement.text) for statement in statements):
        signs.add("test of a refusal")
    if not _edits_source_alone(view):
        return signs
    tests = list_titles([file for file in view.change.files if file.kind == filetypes.TESTS])
    if tests:
        signs.add("one new test" if len(tests) == 1 else "new tests")
    hunks = list_hunks(view.core)
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
