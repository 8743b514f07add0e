"""The summary of a draft: candidates that are true of the change, ranked by fitted weights."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import chain
from operator import attrgetter

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, values_of
from smartcommit.change.history import History
from smartcommit.change.recurring import adapt_bumps
from smartcommit.change.sentences import file_names, name_symbols, says_where
from smartcommit.change.sides import SideNames
from smartcommit.change.text import split_identifier
from smartcommit.change.vocabulary import Phrase, Vocabulary, read_vocabulary
from smartcommit.draft.embedded.describe import certain_sentences, own_sentences, sentences, summaries
from smartcommit.draft.embedded.measure import has_source
from smartcommit.message.header import Header
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# Number of phrases that sentences are made of, and of places that they can name.
_PHRASES_USED, _PLACES_NAMED = 10, 3
# Subtracted for each word of a phrase, so that a word must add this much; about half of the score that drafts have.
_COST_OF_WORD = 0.1
# By how much a sentence must score better than the first plain one, in the unit of the weights.
_MARGIN = 100
# Minimum conventional commits that show how a project words its summaries.
_LEAST_CONVENTIONAL = 20
# Number of plain sentences that are candidates, and of words in a usual summary.
_PLAIN_CANDIDATES, _USUAL_WORDS = 8, 6.4
_UNKNOWN_VERB = 0.004
_SENTENCE_CHARACTERS = 90
_WORD = compile_on_use(r"[a-z0-9_]+")
_NAME = compile_on_use(r"\w+")
_EXTENSION = compile_on_use(r"(?<=\w)\.[A-Za-z]{1,5}\b")
# How often summaries have the words that are not from the change.
_COMMON = {
    "to": 0.15, "for": 0.14, "in": 0.12, "and": 0.08, "the": 0.06, "support": 0.05, "with": 0.04, "of": 0.04,
    "when": 0.04, "on": 0.04, "not": 0.04, "from": 0.035, "a": 0.03, "test": 0.03, "tests": 0.03, "variable": 0.03,
    "is": 0.02, "by": 0.02, "instead": 0.02, "option": 0.02, "section": 0.02,
}  # fmt: skip
_RARE = 0.003
# Places of phrases that were only added, and of those that were only removed.
_NEW = {"+name", "in +name", "+prose", "+text", "defined", "in defined", "defined heading"}
_GONE = {"-name", "in -name", "-prose", "-text", "removed name", "in removed name", "removed name heading"}
_NEUTRAL = {"whole", "test name", "documents", "changelog", "folder"}
# Places of a phrase that only new tests name.
_OF_TESTS = {"test name", "whole"}
_DEFINED = {"defined", "defined heading"}
_REMOVED = {"removed name", "removed name heading"}
# Places that make words a phrase.
_NAMED = {"whole", "defined heading", "removed name heading"}


class Candidate:
    """A summary, the form that it is made by, and the phrase that it is about, if it is made of one."""

    def __init__(self, text: str, form: str, phrase: Phrase = ()) -> None:
        self.text = text
        self.form = form
        self.phrase = phrase
        self.measures: dict[str, float] = {}


class Evidence(Record):
    """What is known of a change before its summary is chosen.

    `removed` and `added` have the names of its two sides, `scope` the words of its scope, `verbs` tells how likely each
    verb is, and `plain` has the sentences that its names make, the best first.
    """

    change: ChangeFacts
    vocabulary: Vocabulary
    removed: SideNames
    added: SideNames
    scope: frozenset[str]
    verbs: Mapping[str, float]
    plain: Sequence[str]


# The form of summaries in a project whose language is not known.
UNSCORED = "unscored"


class RankedSummary(Record):
    """A summary, the form it is made by, "certain" if it says all that happened, and its score in the weights' unit."""

    text: str
    form: str
    score: float


def rank_summaries(
    change: ChangeFacts,
    history: History,
    header: Header,
    *,
    verbs: Mapping[str, float],
    submodules: Mapping[bytes, Sequence[str]] | None = None,
) -> list[RankedSummary]:
    """Return summaries for a change whose type and scope `header` has, the best first; the last one is always short.

    `verbs` and `submodules` are as for `describe.summaries`.
    """
    if not needs_choice(change, history):
        certain = adapt_bumps(summaries(change, submodules), history)
        form = "certain" if certain_sentences(change.core) or change.only_submodules else UNSCORED
        return [RankedSummary(text, form, 0.0) for text in certain]
    evidence = find_evidence(change, history, header, verbs)
    weights = load_summary_weights()
    scores = {}
    forms = {}
    for candidate in list_candidates(evidence, rate_words(evidence.vocabulary, weights)):
        scores[candidate.text] = _weigh(candidate.measures, weights.forms)
        forms[candidate.text] = candidate.form
    least = scores[evidence.plain[0]] + _MARGIN
    ranked = []
    for text in sorted(scores, key=scores.__getitem__, reverse=True):
        if scores[text] > least or text in evidence.plain:
            ranked.append(RankedSummary(text, forms[text], scores[text]))
    shortest = evidence.plain[-1]
    return [*ranked, RankedSummary(shortest, "plain", scores.get(shortest, 0.0))]


def _weigh(measures: Mapping[str, float], weights: Mapping[str, int]) -> float:
    """Return the sum of `measures` by their weights; one that has none does not count."""
    total = 0.0
    for name, value in measures.items():
        total += weights.get(name, 0) * value
    return total


def needs_choice(change: ChangeFacts, history: History) -> bool:
    """Whether the summary has to be chosen: the change is not of one nature, and the project's language is known."""
    return (
        not change.only_submodules
        and history.conventional >= _LEAST_CONVENTIONAL
        and not certain_sentences(change.core)
    )


def find_evidence(change: ChangeFacts, history: History, header: Header, verbs: Mapping[str, float]) -> Evidence:
    """Return what is known of a change whose type and scope `header` has; `verbs` are as `score_verbs` gives them."""
    highest = max(verbs.values(), default=0.0)
    shares = {}
    for verb, score in verbs.items():
        shares[verb] = math.exp(score - highest)
    total = sum(shares.values())
    for verb in shares:
        shares[verb] /= total
    vocabulary = read_vocabulary(change, history, header.scope)
    scope = frozenset(split_identifier(header.scope or ""))
    return Evidence(
        change=change,
        vocabulary=vocabulary,
        removed=SideNames(change.files, "removed"),
        added=SideNames(change.files, "added"),
        scope=scope,
        verbs=shares,
        plain=sentences(change.core),
    )


def list_candidates(evidence: Evidence, chances: Mapping[str, float]) -> list[Candidate]:
    """Return all sentences that can be said of the change, with their measures; `chances` are those of its words."""
    found: dict[str, Candidate] = {}
    for number, text in enumerate(evidence.plain[:_PLAIN_CANDIDATES]):
        found.setdefault(text, Candidate(text, f"plain {number}"))
    for text, source in own_sentences(evidence.change):
        found.setdefault(text, Candidate(text, source))
    for candidate in _compose(evidence, chances):
        found.setdefault(candidate.text, candidate)
    first = evidence.plain[0]
    chosen = []
    for text, candidate in found.items():
        if len(text) <= _SENTENCE_CHARACTERS or text == first:
            _measure(candidate, evidence, chances)
            chosen.append(candidate)
    return chosen


def rate_words(vocabulary: Vocabulary, weights: SummaryWeights) -> dict[str, float]:
    """Return for each word of a change how likely a person's summary has it."""
    chances = {}
    for word, measures in vocabulary.words.items():
        score = weights.words.get(word, 0) + _weigh(measures, weights.word_measures)
        chances[word] = 1 / (1 + math.exp(-score / 100))
    return chances


def _compose(evidence: Evidence, chances: Mapping[str, float]) -> Iterator[Candidate]:
    """Yield sentences of a verb that is true, a phrase, and the place of the change."""
    places = _find_places(evidence.change.core)
    for phrase in _select(_rank_phrases(evidence, chances)):
        said = evidence.vocabulary.spell(phrase)
        files = evidence.vocabulary.files[phrase] - {-1}
        for verb, form, preposition in _true_verbs(evidence, phrase):
            yield Candidate(f"{verb} {said}", form, phrase)
            for place, covered in places:
                if preposition and files == covered and _differ(phrase, place, evidence.scope):
                    yield Candidate(f"{verb} {said} {preposition} {place}", f"{form} at", phrase)


def _find_places(files: Sequence[FileFacts]) -> list[tuple[str, set[int]]]:
    """Return the places that can be named, each with the numbers of its files."""
    places = []
    if len(files) == 2:
        places.append((file_names(files), {0, 1}))
    for number, file in enumerate(files[:_PLACES_NAMED]):
        places.append((file_names([file]), {number}))
        enclosing = list(filter(says_where, file.symbols.touched))
        if len(enclosing) == 1 and not file.symbols.added:
            places.append((name_symbols(enclosing)[0], {number}))
    return places


def _differ(phrase: Phrase, place: str, scope: Set[str]) -> bool:
    """Whether the place says more than the phrase and the scope."""
    names = _NAME.findall(_EXTENSION.sub("", place))
    words = set(chain.from_iterable(map(split_identifier, names)))
    wholes = set(map(str.lower, names))
    repeated = wholes.intersection((*phrase, "".join(phrase)))
    return not repeated and words.isdisjoint(phrase) and not words <= scope


def _rank_phrases(evidence: Evidence, chances: Mapping[str, float]) -> list[Phrase]:
    """Return the phrases of names and headings, and those that occur twice or in past summaries, the best first.

    One word is a phrase only if it is a whole name.
    """
    scores = {}
    vocabulary = evidence.vocabulary
    for phrase, places in vocabulary.phrases.items():
        named = "whole" in places
        if len(phrase) > 1:
            named = places.total() > 1 or phrase in vocabulary.known or not places.keys().isdisjoint(_NAMED)
        if named:
            scores[phrase] = 0.0
            for word in phrase:
                scores[phrase] += chances.get(word, _RARE) - _COST_OF_WORD
            if evidence.scope.issuperset(phrase):
                scores[phrase] -= 0.15
    return sorted(scores, key=lambda phrase: (-scores[phrase], phrase))


def _select(ranked: Sequence[Phrase]) -> list[Phrase]:
    """Return the best phrases; of those that are parts of each other at most three."""
    selected: list[Phrase] = []
    for phrase in ranked:
        words = set(phrase)
        alike = [other for other in selected if words.issubset(other) or words.issuperset(other)]
        if len(alike) < 3:
            selected.append(phrase)
        if len(selected) == _PHRASES_USED:
            break
    return selected


def _true_verbs(evidence: Evidence, phrase: Phrase) -> Iterator[tuple[str, str, str]]:
    """Yield the verbs that are true of `phrase`, each with its form and the preposition of a place."""
    places = evidence.vocabulary.phrases[phrase].keys()
    is_new = places <= _NEW | _NEUTRAL and not evidence.removed.have_part(phrase)
    is_defined = is_new and not places.isdisjoint(_DEFINED)
    if values_of(evidence.change.core, "nature") == {"added"}:
        # A new file of another kind is called by its name.
        is_file = "stem" in places and has_source(evidence.change) and not evidence.removed.have_part(phrase)
        if is_defined or is_file:
            yield "add", "add", ""
        return
    is_gone = _is_removed(places, evidence) and not evidence.added.have_part(phrase)
    if not (is_defined or is_gone or places <= _OF_TESTS):
        yield "update", "update", "in"
    if _adds_tests(evidence.change.core):
        yield "add tests for", "add tests", "in"
    if is_defined:
        yield "add", "add", "to"
    if is_gone:
        yield "remove", "remove", "from"


def _is_removed(places: Set[str], evidence: Evidence) -> bool:
    """Whether the change removes what is named at `places`: its definition, or its mentions by only cutting prose."""
    if not places <= _GONE | _NEUTRAL:
        return False
    core = evidence.change.core
    only_cuts = not has_source(evidence.change) and not any(map(attrgetter("lines_added"), core))
    defines = any(map(attrgetter("symbols.removed"), core))
    return not places.isdisjoint(_REMOVED) or (only_cuts and not defines and not places.isdisjoint(_GONE))


def _adds_tests(files: Sequence[FileFacts]) -> bool:
    """Whether the files are of tests, have new ones, and grow."""
    if values_of(files, "kind") != {filetypes.TESTS} or "test" not in _kinds_added(files):
        return False
    grows: bool = sum(map(attrgetter("lines_added"), files)) > sum(map(attrgetter("lines_removed"), files))
    return grows


def _kinds_added(files: Sequence[FileFacts]) -> set[str]:
    """Return the kinds of the symbols that were added."""
    return values_of(chain.from_iterable(map(attrgetter("symbols.added"), files)), "kind")


def _measure(candidate: Candidate, evidence: Evidence, chances: Mapping[str, float]) -> None:
    """Give `candidate` its measures: how much of it is likely to be in a person's summary, its form and its phrase."""
    # The weights are fitted to the words of names, and to files without extensions.
    text = _EXTENSION.sub("", candidate.text)
    if candidate.phrase:
        text = text.replace(evidence.vocabulary.spell(candidate.phrase), " ".join(candidate.phrase), 1)
    words = _WORD.findall(text.replace("_", " ").lower()) or [""]
    likely = [chances.get(word, _COMMON.get(word, _RARE)) for word in words]
    verb = find_verb(candidate.text)
    if verb:
        likely[0] = max(likely[0], min(0.6, evidence.verbs.get(verb, _UNKNOWN_VERB)))
    content = [chance for word, chance in zip(words[1:], likely[1:], strict=True) if word not in _COMMON]
    expected = 2 * sum(likely) / (len(words) + _USUAL_WORDS)
    form = candidate.form
    candidate.measures |= {
        "expected": expected, "sum": sum(likely), "words": float(len(words)), "verb": likely[0],
        "least": min(content, default=0.0), "most": max(content, default=0.0),
        f"form {form.removesuffix(' at')}": 1.0, "at": float(form.endswith(" at")),
        "cut": float("..." in candidate.text),
    }  # fmt: skip
    if form.startswith("plain"):
        candidate.measures["expected plain"] = expected
    elif candidate.phrase:
        candidate.measures |= _measure_phrase(candidate.phrase, evidence)
    else:
        candidate.measures |= {"expected own": expected, "words own": float(len(words))}


def _measure_phrase(phrase: Phrase, evidence: Evidence) -> dict[str, float]:
    places = evidence.vocabulary.phrases[phrase]
    return {
        **dict.fromkeys(map("at {}".format, places), 1.0),
        "phrase words": float(len(phrase)), "count": min(5, places.total()) / 5,
        "known": float(phrase in evidence.vocabulary.known), "scope": float(evidence.scope.issuperset(phrase)),
    }  # fmt: skip


class SummaryWeights(Record):
    """The fitted weights of summaries, as `training/summaries.py` writes them.

    `words` and `word_measures` tell how likely a word of a change is to be in its summary; `forms` rank sentences.
    """

    words: Mapping[str, int]
    word_measures: Mapping[str, int]
    forms: Mapping[str, int]


@cache
def load_summary_weights() -> SummaryWeights:
    """Read the data file once, when the first change is summarized."""
    with open(os.path.join(os.path.dirname(__file__), "summaries.json"), encoding="utf-8") as file:
        return SummaryWeights(**json.load(file))
