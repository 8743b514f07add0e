"""Chooses the type and the summary of a draft, and says when the summary is too weak to be written.

`draft.message_file` leaves a weak summary to the user's editor, and a plan of a split marks its commit as open. The
numbers come from drafts of commits in public projects, each compared with the diff and with the author's message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from smartcommit.change import filetypes
from smartcommit.change.facts import find_kinds, list_paths
from smartcommit.change.public_names import list_new_public_names
from smartcommit.change.wording import has_secret
from smartcommit.draft.embedded import (
    changelogs,
    definitions,
    documents,
    intent,
    own_words,
    sayings,
    shared,
    versions,
    whole_files,
)
from smartcommit.draft.embedded.classify import find_class, rate_feature
from smartcommit.draft.embedded.intent import LEAST_OFFERED
from smartcommit.draft.embedded.view import ORIGINS, ChangeView, Kind, Statement
from smartcommit.draft.embedded.whole_files import MANY_FILES
from smartcommit.patterns import compile_on_use, list_words

# What makes statements, those first that win where others are as strong.
_SOURCES: Sequence[Callable[[ChangeView], Iterator[Statement]]] = (
    intent.say_words,
    intent.say_branch,
    whole_files.say_nature,
    versions.say_bumps,
    versions.say_versions,
    versions.say_requirements,
    whole_files.say_removed,
    whole_files.say_converted,
    whole_files.say_subject,
    whole_files.say_moved,
    sayings.say_edits,
    shared.say_shared,
    shared.say_lines,
    shared.say_translations,
    shared.say_elsewhere,
    documents.say_sections,
    definitions.say_definitions,
    own_words.say_new_tests,
    changelogs.say_entries,
    own_words.say_tests,
    own_words.say_errors,
    own_words.say_reasons,
    definitions.say_places,
    whole_files.say_names,
)
_SHORTEST = 8  # characters of a statement: a shorter one says nothing
_LONGEST = 110  # a longer one fits in no header
# Minimum strength of a summary.
_LEAST_STRENGTH = 0.335
# The prior from which on a statement says more than where the change is.
_TELLING_PRIOR = 0.2
# The share of the change from which on a statement is its summary, however weak.
_MOST_OF_CHANGE = 0.5
# The share from which on a statement is a weak summary, and that of each of two together, which say most.
_PART_OF_CHANGE = 0.33
_PART_OF_PAIR = 0.1
# That from which on two together are stated.
_MOST_OF_PAIR = 0.7
_PAIR = Kind(prior=0.0)
# The prior from which on a statement is a summary although it says less of the change, and the share that it has then.
_SUMMARY_PRIOR = 0.75
_LEAST_OF_SUMMARY = 0.35
# Most characters of two statements in one sentence.
_PAIR_LENGTH = 60
# Minimum strength of what the author said, to be offered before what the change shows.
_LEAST_SAID = 0.25
_FEATURE_WEIGHT = 0.7  # of the chance that the change is a feature, in the prior of a new name
_LEAST_FEATURE = 0.2  # the chance above which it counts
_PRIOR_OF_BEST_NEW = 0.45  # at least, where no other statement is as strong, whatever the change is
_STRENGTH_OF_NEW = 0.69  # the most that it is worth: what a branch says comes before
_GROWTH = 0.8  # of the strength of a statement with its share of the change
# In a change of so few files and lines, what the best statement leaves out is little, if no other one says it: its
# share counts for less then.
_FILES_OF_SMALL = 2
_LINES_OF_SMALL = 8
_GROWTH_OF_SMALL = 0.5
_PART_OF_SMALL = 0.2
_WORDS = 9  # after which the strength falls
_COST_OF_WORD = 0.02
# Factors of strength in a change of many files.
_OF_MANY = 0.63  # for what is only part of it
_TITLE_OF_MANY = 0.5  # for the title of a test
# Least share of the words of a test's title that the source has.
_LEAST_OF_TITLE = 0.5
_ALL_OF_CHANGE = 0.9  # the share of the lines from which on a statement is true of all the change
_ALL_BUT_DETAILS = 0.8
_SURE_TYPE = 0.65  # the chance from which on a type is sure
_SECOND_TYPE = 0.15  # the chance of another type that is offered if it is not
# Lines up to which an edit is the whole change, and the share of the likeliest type's chance from which on what is new
# makes a feature: of larger ones, and of such edits and public definitions.
_LINES_OF_EDIT = 5
_LEAST_OF_LIKELIEST = 0.9
_LEAST_OF_EDIT = 0.05
_CANDIDATES = 3
# Types that what is said does not change if the change is in such files alone.
_KINDS_OF_TYPES = {"docs": {filetypes.DOCUMENTATION}, "test": {filetypes.TESTS}}
# Summaries that name no more than the files or their number.
_UPDATES = compile_on_use(r"update [\w./-]+\.\w{1,5}(?:(?:, | and )[\w./-]+\.\w{1,5})*\Z")
# Tokens have digits: of other statements no pattern of secrets is compiled.
_DIGIT = compile_on_use(r"\d")
# In how many files something is.
_PLACES = compile_on_use(r" (?:in|to|from) (\d+) files\b.*")
_NAME = compile_on_use(r"[\w.-]{4,}")
_NAMING = compile_on_use(r"(?:add|remove|rename|replace|move|use) ")
_PREPOSITION = compile_on_use(r" (?:to|from|in|of|on|with|for) ")
# Words that do not make two summaries similar.
_COMMON = list_words("call check early files from handle instead pass remove rename replace return support update with")


def list_statements(view: ChangeView) -> list[Statement]:
    """Return the statements of all sources, unranked; several can have the same text."""
    found: list[Statement] = []
    shares: dict[str, float] = {}
    for source in _SOURCES:
        for statement in source(view):
            if len(view.about) > len(view.core):
                statement.texts = [_drop_count(text, len(view.about)) for text in statement.texts]
            text = " ".join(statement.text.split())
            if _DIGIT.search(text) and has_secret(text):
                continue  # a heading or a name can be a token as well
            if statement.kind.is_whole or (_SHORTEST <= len(text) <= _LONGEST and "\ufffd" not in text):
                statement.texts = [text, *statement.texts[1:]]
                found.append(statement)
                if not statement.kind.is_whole:
                    shares[text] = max(statement.share, shares.get(text, 0.0))
    for statement in found:
        if not statement.kind.is_whole:
            statement.share = max(statement.share, shares.get(statement.text, 0.0))
    return found


def _drop_count(text: str, files: int) -> str:
    """Return a statement without the number of files that it is true of, if only some of all were read."""
    place = _PLACES.search(text)
    return text if place is None or int(place[1]) == files else text[: place.start()]


class Judge:
    """Chooses the type and the summary of one change.

    `statements` has the strongest one first. `chances` says how likely each type is, the one to draft first, and
    `feature` how likely a feature is by the change alone: what the author said makes no new name a better summary.
    """

    def __init__(
        self, view: ChangeView, statements: Sequence[Statement], chances: Mapping[str, float], feature: float = 1.0
    ) -> None:
        self.view = view
        self.chances = chances
        self.feature = feature
        self.statements = sorted(statements, key=self._rank, reverse=True)

    @cached_property
    def strength(self) -> float:
        """How likely a reader is to keep the best statement, from 0 to 1."""
        best = self.statements[0]
        prior = max(best.kind.prior, _PRIOR_OF_BEST_NEW) if best.kind.is_new else best.kind.prior
        is_small = len(self.view.change.files) <= _FILES_OF_SMALL and self.view.lines <= _LINES_OF_SMALL
        if is_small and not (best.kind.is_title or self._can_say_rest(best, _PART_OF_SMALL)):
            return self._rate(best, prior, _GROWTH_OF_SMALL)
        return self._rate(best, prior, _GROWTH)

    @cached_property
    def is_weak(self) -> bool:
        """Whether the best statement is not likely enough to be kept, or tells a detail of the change."""
        best = self.statements[0]
        kind = best.kind
        is_summary = kind.is_whole or kind.is_title or kind.source or kind.prior >= _SUMMARY_PRIOR
        is_part = best.share < _LEAST_OF_SUMMARY or not (is_summary or self.reach(best) >= _MOST_OF_CHANGE)
        return self.strength < _LEAST_STRENGTH or is_part

    @cached_property
    def chosen(self) -> Statement:
        """The strongest statement, or if that is weak, one or two that say most of the change, or else where it is."""
        if not self.is_weak:
            return self.statements[0]
        telling = []
        for statement in self.statements:
            is_telling = statement.kind.prior >= _TELLING_PRIOR and not statement.kind.is_title
            if is_telling and self.reach(statement) > _PART_OF_PAIR:
                telling.append(statement)
        for statement in telling:
            if self.reach(statement) >= _MOST_OF_CHANGE:
                return statement
        parts = telling
        if self.view.lines > _LINES_OF_SMALL and find_kinds(self.view.core) != {filetypes.DOCUMENTATION}:
            # Of more code, what is done in one place is a detail, but for a name that comes or goes.
            parts = [statement for statement in telling if _NAMING.match(statement.text)]
        for statements, least in (
            (_pair(telling), _MOST_OF_PAIR),
            (_pair(parts), _MOST_OF_CHANGE),
            (parts, _PART_OF_CHANGE),
        ):
            best = max(statements, key=self.reach, default=None)
            if best is not None and self.reach(best) >= least:
                return best
        return self._find_place()

    def _find_place(self) -> Statement:
        """Return the strongest statement that is true of all the change, or else the strongest one."""
        for statement in self.statements:
            # A few words of a branch, and titles of tests, are only offered.
            is_offered = statement.kind.source == ORIGINS["branch-names"] and statement.kind.prior <= LEAST_OFFERED
            if self.reach(statement) >= _ALL_OF_CHANGE and not (is_offered or statement.kind.is_title):
                return statement
        return self.statements[0]

    @property
    def is_open(self) -> bool:
        """Whether what is said is weak, and less than most of the change, or half of it if the rest is elsewhere."""
        chosen = self.chosen
        reach = self.reach(chosen)
        if not self.is_weak or (chosen.kind.prior >= _TELLING_PRIOR and reach > _MOST_OF_CHANGE):
            return False
        if reach >= _MOST_OF_PAIR and chosen.kind is _PAIR:
            return False
        is_half = chosen.kind.prior >= _TELLING_PRIOR and reach >= _MOST_OF_CHANGE
        return not (is_half and self.view.is_in_one_place and not self._can_say_rest(chosen))

    def _can_say_rest(self, chosen: Statement, part: float = _PART_OF_CHANGE) -> bool:
        """Whether another statement, with other names, says such a `part` of the change as well."""
        files = _find_names(b"\n".join(list_paths(self.view.core)).decode("utf-8", "replace"))
        names = _find_names(chosen.text) - files
        for other in self.statements:
            is_telling = other.kind.prior >= _TELLING_PRIOR and self.reach(other) >= part
            others = _find_names(other.text) - files
            # What has all of its names, or some of these alone, may be the same.
            is_half = self.reach(other) >= self.reach(chosen) and not (names <= others or others <= names)
            if is_telling and (is_half or names.isdisjoint(others)):
                return True
        return False

    def reach(self, statement: Statement) -> float:
        """Return which share of the whole change a statement explains."""
        beside = 1.0 if statement.kind.is_whole else self.view.share_of_core
        return min(1.0, statement.share) * beside

    def _rank(self, statement: Statement) -> tuple[bool, float]:
        """Return what statements are sorted by: sentences of the author go before what the change shows."""
        strength = self.rate(statement)
        return statement.kind.is_sentence and strength >= _LEAST_STRENGTH, strength

    def rate(self, statement: Statement) -> float:
        """Return how likely a reader is to keep a statement: by its kind, its share of the change, and its length."""
        return self._rate(statement, statement.kind.prior, _GROWTH)

    def _rate(self, statement: Statement, prior: float, growth: float) -> float:
        kind, files = statement.kind, len(self.view.change.files)
        if kind.is_new:
            prior += _FEATURE_WEIGHT * max(0.0, min(rate_feature(self.chances), self.feature) - _LEAST_FEATURE)
        strength: float = prior * min(1.0, statement.share) ** growth
        strength -= _COST_OF_WORD * max(0, len(statement.text.split()) - _WORDS)
        if kind.is_title and statement.share < _LEAST_OF_TITLE:
            return 0.0
        if kind.is_title and files >= MANY_FILES:
            strength *= _TITLE_OF_MANY
        if kind.is_whole:
            return strength
        strength *= self.view.share_of_core**growth
        if files >= MANY_FILES and statement.share < _ALL_BUT_DETAILS:
            strength *= _OF_MANY
        return min(strength, _STRENGTH_OF_NEW) if kind.is_new else strength

    def list_candidates(self) -> list[str]:
        """Return the strongest statements that share less than half of their words with each one before them.

        What the author said comes first. Statements that only count or name files or dependencies are left out, unless
        there is no other.
        """
        said = self.find_said()
        texts = [statement.text for statement in self.statements]
        if said is not None:
            texts.insert(0, said.text)
        kept: list[str] = []
        seen: list[set[str]] = []
        for text in [text for text in texts if not _only_counts(text)] or [self.chosen.text]:
            names = _find_names(text)
            if all(len(names & other) < 0.5 * max(1, min(len(names), len(other))) for other in seen):
                kept.append(text)
                seen.append(names)
        return kept[:_CANDIDATES]

    def find_said(self) -> Statement | None:
        """Return the strongest statement that the author made, or None if none is strong enough to be offered first."""
        for statement in self.statements:
            if statement.kind.source and self.rate(statement) >= _LEAST_SAID:
                return statement
        return None

    def choose_type(self) -> str:
        """Return the likeliest type among those that the summary implies, or else the likeliest of all."""
        best, likeliest = self.chosen, next(iter(self.chances))
        kinds = find_kinds(self.view.core)
        has_only_such_files = kinds <= _KINDS_OF_TYPES.get(find_class(likeliest), set())
        # What only this project calls so says more than that something went.
        is_own = find_class(likeliest) == "other" and not best.kind.is_whole
        if self.is_open or is_own or (has_only_such_files and best.kind.types != ("style",)):
            return likeliest
        least = 0.0
        is_edit = self.view.lines <= _LINES_OF_EDIT and filetypes.SOURCE in kinds
        types = best.kind.types
        # A statement that says of nothing but public definitions that they are new.
        verb, _, names = best.text.partition(" ")
        new = set(names.replace(" and ", ", ").split(", ")) if verb == "add" else set()
        if find_class(likeliest) == "fix" and new and new <= list_new_public_names(self.view.core):
            types, is_edit = ("feat",), True
        if not best.kind.is_whole:
            # What comes may be for a fix, as the rest of the change, the branch and the project's habits say.
            least = (_LEAST_OF_EDIT if is_edit else _LEAST_OF_LIKELIEST) * self.chances[likeliest]
        for name, chance in self.chances.items():
            kind = find_class(name)
            is_likely = kind != "feat" or chance >= least
            has_tests = kind != "test" or filetypes.TESTS in kinds or name == likeliest
            if is_likely and has_tests and kind in types:
                return name
        return likeliest

    def find_second_type(self, chosen: str) -> str | None:
        """Return the likeliest other type, or None if `chosen` is sure or no other one is likely."""
        if self.chances.get(chosen, 0.0) < _SURE_TYPE:
            for name, chance in self.chances.items():
                if name != chosen and chance >= _SECOND_TYPE:
                    return name
        return None


def _only_counts(text: str) -> bool:
    """Whether a statement only counts or names files or dependencies."""
    if text.startswith("update ") and "." in text and _UPDATES.match(text):
        return True
    words = text.split(" ")
    return len(words) > 2 and words[1].isdecimal() and words[2].startswith(("file", "dependenc"))


def _find_names(text: str) -> set[str]:
    return set(_NAME.findall(text.lower())) - _COMMON


def _pair(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield each two of `statements` that have no name in common as one: a title, but seldom the summary."""
    for pair in combinations(statements, 2):
        first, second = sorted(pair, key=lambda statement: statement.share, reverse=True)
        text, (verb, _, rest) = first.texts[-1], second.texts[-1].partition(" ")
        is_same_verb = text.startswith(f"{verb} ") and not _PREPOSITION.search(text)
        # In `add a and b to d` nobody knows that `a` is not added to d.
        if is_same_verb and not _PREPOSITION.search(rest):
            text = f"{text.replace(' and ', ', ')}{', ' if ' and ' in rest else ' and '}{rest}"
        else:
            text = f"{text} and {second.texts[-1]}"
        is_short = len(text) <= _PAIR_LENGTH and " more" not in text
        if is_short and _find_names(first.text).isdisjoint(_find_names(second.text)):
            yield Statement([text], _PAIR, first.share + second.share)
