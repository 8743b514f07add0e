"""Chooses the type and the summary of a draft, and decides when the summary is too weak to be written.

The numbers come from drafts of commits in public projects, each compared with the diff and with the author's message. A
summary counts as kept if a strict reader would have kept it, or edited a word or two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import list_hunks, values_of
from smartcommit.change.sentences import NAMES_LISTED
from smartcommit.change.text import is_import, read_lines
from smartcommit.change.titles import list_titles
from smartcommit.draft.embedded.classify import class_of
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# The share of the statements of each kind that were kept, among those that explain all changed lines.
PRIORS = {
    "changelog": 0.9, "changelog many": 0.5, "test title": 0.75, "test titles": 0.48,
    "bump": 0.85, "bump many": 0.7, "dependency": 0.8, "workflow": 0.85, "rename file": 0.8, "move file": 0.75,
    "deleted file": 0.85, "extraction": 0.75, "rename": 0.85,
    "argument": 0.8, "parameter": 0.75, "default": 0.85, "value": 0.8, "type": 0.65,
    "item": 0.8, "replace": 0.65, "key": 0.7, "step": 0.75, "annotation": 0.65, "row": 0.7,
    "heading": 0.75, "import": 0.45, "import gone": 0.85, "call": 0.5, "symbol added": 0.25,
    "pin": 0.8, "condition": 0.65, "job": 0.8, "wrap": 0.65, "guard": 0.35, "field": 0.65,
    "licence": 0.9, "new test": 0.65, "symbol removed": 0.7, "case": 0.65, "command": 0.65,
}  # fmt: skip
_UNKNOWN_PRIOR = 0.5
# How much the prior of a new name rises with the chance above 0.5 that the change is a feature.
_FEATURE_WEIGHT = 0.6
# Minimum strength of a statement: usually, in a change of many files, and in place of a certain summary.
_LEAST_STRENGTH, _LEAST_OF_MANY, _LEAST_OVER_CERTAIN = 0.38, 0.6, 0.8
# Numbers of files from which on what one of them shows is rarely the summary, and from which on it has to explain more.
_MANY_FILES, _SEVERAL_FILES = 9, 6
# Factors of a statement's strength: for a replaced token beside new versions, for a part of a change of several files,
# and for the title of a test in one of many.
_BESIDE_BUMPS, _OF_PART, _TITLE_OF_MANY = 0.6, 0.75, 0.6
# Kinds of statements that are about the whole change, however many files it has.
_WHOLE = ("changelog", "bump", "workflow")
# Minimum strength of a statement that is used where the summary cannot be left open.
_LEAST_IF_NEEDED = 0.25
# Kinds of statements that determine the type.
_TELL_TYPE = {"workflow", "extraction", "rename", "changelog"}
# How the strength of a statement grows with its share of the change, and the least share of the files that a certain
# summary is about: below it, the summary is a detail.
_GROWTH, _LEAST_OF_CERTAIN = 0.8, 0.4
# How likely a reader is to keep a certain summary, and a plain one.
_SURE_CERTAIN, _SURE_PLAIN = 0.65, 0.6
# Minimum chance of `fix` for the type: with a sign of a defect, and without one.
_FIX_WITH_SIGN, _FIX_ALONE = 0.2, 0.3
# What tests of defects that were fixed expect.
_REFUSES = compile_on_use(r"(?:do not|reject|ignore|throw|raise|fail|prevent|avoid|preserve|keep|skip|handle)\b")
# Maximum lines that a change with a small guard adds.
_GUARD_LINES = 8
_GUARD = compile_on_use(
    r"\b(?:if|unless|guard|elif)\b.*(?:null|None|nil|undefined|\bnot\b|!|is_some|is_none|[Ee]mpty|len\(|length)"
    r"|\?\?|\?\.|\btry\b|\bexcept\b|\bcatch\b"
)
# Kinds of statements that rule out a fix if they explain nearly all lines.
_COSMETIC = {
    "import", "import gone", "rename", "extraction", "move file", "rename file", "annotation", "deleted file",
    "symbol removed",
}  # fmt: skip
# The types of changes in which the code does the same as before.
_COSMETIC_TYPES = {"refactor", "chore", "style"}
# Shares of the changed lines that a statement explains.
_ALL, _NEARLY_ALL, _MUCH = 0.9, 0.8, 0.4
_ADDING_VERBS = ("add", "allow", "introduce", "support")
_UPKEEP_TYPES = {"deps", "chore", "build", "ci"}
# Above this chance a type is likely.
_LIKELY_TYPE = 0.5
# The chance from which on a type is sure; if it is not, another type with at least the second chance is offered too.
_SURE_TYPE, _SECOND_TYPE = 0.65, 0.15
_CANDIDATES = 3
_ADDS_OR_REMOVES = compile_on_use(r"(?:add|remove) (?!support\b)")
# Summaries that name no more than the files or their number.
_COUNTS = compile_on_use(r"\w+ \d+ (?:files?|dependenc)|update [\w./-]+\.\w{1,5}\Z")
_NAME = compile_on_use(r"[\w.-]{4,}")
# Words that do not make two summaries similar.
_COMMON = {"from", "with", "instead", "files", "update", "replace", "remove", "support"}


class Judgement(Record):
    """The summaries chosen for a change.

    `summaries` has the best one first; at least one is short. If `is_statement`, the first one is a statement, which
    may be as long as the project allows. The other fields are those of `Draft`.
    """

    summaries: Sequence[str]
    sure: float
    candidates: Sequence[str]
    weak: bool = False
    is_statement: bool = False


class Judge:
    """Chooses the type and the summary of one change.

    `chances` says how likely each type is, the likeliest first.
    """

    def __init__(self, view: ChangeView, statements: Sequence[Statement], chances: Mapping[str, float]) -> None:
        self.view = view
        self.chances = chances
        self.statements = sorted(statements, key=self._rate, reverse=True)
        self._has_sign_of_defect = has_sign_of_defect(view, statements)

    def choose_type(self) -> str:
        """Return the type that the best statement determines, or else the likeliest one that the change allows.

        It is `fix` only if that is likely enough, for which less is needed if there is a sign of a defect.
        """
        told = self._find_told_type()
        if told is not None:
            return told
        drafted = next(iter(self.chances))
        if len(self.chances) == 1:
            return drafted
        fix = self._add_chances("fix")
        if self._has_sign_of_defect and fix >= _FIX_WITH_SIGN and filetypes.SOURCE in values_of(self.view.core, "kind"):
            return next(name for name in self.chances if class_of(name) == "fix")
        kind = class_of(drafted)
        if kind == "fix" and (fix < _FIX_ALONE or self._is_cosmetic()):
            return self._find_other_type(kind)
        # A refactoring changes no behaviour, so its tests stay as they are.
        if kind == "refactor" and self._changes_tests():
            return self._find_other_type(kind)
        return drafted

    def _find_other_type(self, kind: str) -> str:
        """Return the likeliest type of another class than `kind`; for a cosmetic change, one of _COSMETIC_TYPES."""
        others = [name for name in self.chances if class_of(name) != kind]
        if self._is_cosmetic():
            for name in others:
                if name in _COSMETIC_TYPES:
                    return name
        return (others or list(self.chances))[0]

    def _changes_tests(self) -> bool:
        """Whether there are new tests or, if no type is likely, tests that were edited."""
        tests = self.view.change.of_kind(filetypes.TESTS)
        if list_titles(tests):
            return True
        likely = next(iter(self.chances.values())) >= _LIKELY_TYPE
        return not likely and "modified" in values_of(tests, "nature")

    def _is_cosmetic(self) -> bool:
        """Whether the code does the same as before: it was renamed, moved, or rewritten alike in many files."""
        for best in self.statements[:1]:
            if best.kind in _COSMETIC:
                return best.share >= _NEARLY_ALL
            return best.repeated and best.kind == "replace" and best.share >= _MUCH
        return False

    def _find_told_type(self) -> str | None:
        """Return the type that the best statement determines, or None if it determines none that the project has."""
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
        """Return the likeliest other type, or None if `chosen` is sure or no other one is likely."""
        if self.chances.get(chosen, 0.0) < _SURE_TYPE:
            for name, chance in self.chances.items():
                if name != chosen and chance >= _SECOND_TYPE:
                    return name
        return None

    def has_strong_statement(self) -> bool:
        """Whether a statement explains so much that it replaces a summary that is certain or usual."""
        return bool(self.statements) and self._rate(self.statements[0]) >= _LEAST_OVER_CERTAIN

    def choose_summaries(self, plain: Sequence[str], *, certain: bool) -> Judgement:
        """Choose among the statements and the sentences `plain`, which has the best one first.

        If `certain`, that one says all that happened.
        """
        strength = self._rate_best()
        offered = [statement.text for statement in self.statements]
        if certain and strength < _LEAST_OVER_CERTAIN:
            is_side_fact = self.view.share_of_core < _LEAST_OF_CERTAIN
            return Judgement(plain, _SURE_CERTAIN, select_different([plain[0], *offered]), weak=is_side_fact)
        entries = [statement.text for statement in self.statements if statement.kind.startswith("changelog")]
        others = select_different([*entries[:2], *offered[:2], *plain, *offered[2:]])
        if self.statements and strength >= self._find_needed_strength():
            return Judgement([offered[0], *plain], strength, others, is_statement=True)
        if self._says_all(plain[0]):
            return Judgement(plain, _SURE_PLAIN, select_different([plain[0], *others]))
        if strength >= _LEAST_IF_NEEDED:
            return Judgement([offered[0], *plain], strength, others, weak=True, is_statement=True)
        return Judgement(plain, strength, others, weak=True)

    def _find_needed_strength(self) -> float:
        best = self.statements[0]
        if self._has_many_files() and not (best.kind.startswith(_WHOLE) or best.repeated):
            return _LEAST_OF_MANY
        return _LEAST_STRENGTH

    def _has_many_files(self) -> bool:
        return len(self.view.change.files) >= _MANY_FILES

    def _rate_best(self) -> float:
        """Return how likely a reader is to keep the best statement as the summary of this change; 0 without one."""
        if not self.statements:
            return 0.0
        best, change = self.statements[0], self.view.change
        strength = self._rate(best)
        if best.kind == "replace" and any(file.bumped for file in change.files if file not in change.core):
            strength *= _BESIDE_BUMPS
        if not best.kind.startswith(_WHOLE):
            strength *= self.view.share_of_core**_GROWTH
        is_part = len(change.files) >= _SEVERAL_FILES and best.share < _NEARLY_ALL
        if is_part and not best.kind.startswith((*_WHOLE, "test")):
            strength *= _OF_PART
        if self._has_many_files() and best.kind.startswith("test title"):
            strength *= _TITLE_OF_MANY
        return strength

    def _says_all(self, sentence: str) -> bool:
        """Whether a sentence such as "add X" says all that happened: few files, all of them new or gone."""
        core = self.view.change.core
        if self._has_many_files() or len(core) > NAMES_LISTED:
            return False
        return values_of(core, "nature") in ({"added"}, {"deleted"}) and bool(_ADDS_OR_REMOVES.match(sentence))

    def _rate(self, statement: Statement) -> float:
        """Return how likely a reader is to keep the statement; a new name counts for more in a feature."""
        prior = None
        if statement.kind == "symbol added":
            certainty = max(0.0, self._add_chances("feat") - 0.5)
            prior = PRIORS[statement.kind] + _FEATURE_WEIGHT * certainty
        return rate(statement, prior)

    def _add_chances(self, kind: str) -> float:
        """Return the chance that the type is one of the class `kind`."""
        return sum(chance for name, chance in self.chances.items() if class_of(name) == kind)


def rate(statement: Statement, prior: float | None = None) -> float:
    """Return how likely a reader is to keep the statement, from 0 to 1, whatever else the change holds.

    `prior` replaces the one of its kind.
    """
    if statement.kind.startswith("test title") and statement.share < 0.5:
        return 0.0
    long = max(0, len(statement.text.split()) - 9)
    explained: float = min(1.0, statement.share) ** _GROWTH
    if prior is None:
        prior = PRIORS.get(statement.kind, _UNKNOWN_PRIOR)
    return prior * explained - 0.02 * long


def has_sign_of_defect(view: ChangeView, statements: Sequence[Statement]) -> bool:
    """Whether a change has a sign that something was wrong before.

    Each sign is noted with the share of fixes, by their authors' types, among the changes with it that `rate_types`
    takes for fixes.
    """
    for statement in statements:
        # An entry in the changelog: 1.0.
        if statement.kind.startswith("changelog") and (statement.type == "fix" or statement.text.startswith("fix ")):
            return True
        # A test that something is refused or handled: 0.85.
        if statement.kind.startswith("test title") and _REFUSES.match(statement.text):
            return True
    if not _only_edits_source(view):
        return False
    # One new test: 0.87; several: 0.74.
    if list_titles(view.change.of_kind(filetypes.TESTS)):
        return True
    # A small guard: 0.96.
    hunks = list_hunks(view.core)
    added = read_lines(hunks, "added", _GUARD_LINES + 1)
    removed = read_lines(hunks, "removed", _GUARD_LINES + 1)
    return len(added) <= _GUARD_LINES and _count_guards(added) > _count_guards(removed)


def _only_edits_source(view: ChangeView) -> bool:
    """Whether source was edited and nothing new was defined, so that only existing code can have been fixed."""
    for file in view.core:
        if file.nature == "added":
            return False
        for symbol in file.symbols.added:
            if symbol.kind not in ("key", "section", "test"):
                return False
    return filetypes.SOURCE in values_of(view.core, "kind")


def _count_guards(lines: Sequence[str]) -> int:
    count = 0
    for line in lines:
        if not is_import(line) and _GUARD.search(line):
            count += 1
    return count


def select_different(texts: Sequence[str]) -> list[str]:
    """Return the first few summaries that share less than half of their words with each one before them.

    Those that only count or name files or dependencies are left out, unless there is no other.
    """
    kept: list[str] = []
    seen: list[set[str]] = []
    for text in [text for text in texts if not _COUNTS.match(text)] or texts[:1]:
        names = set(map(str.lower, _NAME.findall(text))) - _COMMON
        if all(len(names & other) < 0.5 * max(1, min(len(names), len(other))) for other in seen):
            kept.append(text)
            seen.append(names)
        if len(kept) == _CANDIDATES:
            break
    return kept
