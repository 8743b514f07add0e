"""The words and phrases of a change: where each occurs in it, and how the project's past summaries use them."""

from __future__ import annotations

import math
import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter, itemgetter

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.filetypes import is_changelog, is_changelog_fragment
from smartcommit.change.history import History, PastCommit
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import FileText, find_names, read_hunk, split_identifier
from smartcommit.change.wording import drop_references, make_printable, split_name
from smartcommit.git.diff import Hunk
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use

Phrase = tuple[str, ...]

# Limits for reading a change: files, hunks of each, lines of each side of a hunk, lines in all, symbols of a file.
_FILES_READ, _HUNKS_READ, _LINES_OF_SIDE, _LINES_IN_ALL, _SYMBOLS_READ = 20, 40, 40, 600, 20
# Maximum words of a phrase, and of a part of one.
_WORDS_OF_PHRASE, _WORDS_OF_PART = 4, 3
_TOKEN = compile_on_use(r"[A-Za-z][A-Za-z0-9]{0,30}(?:[-'][A-Za-z0-9]{1,30})*|\d[A-Za-z0-9]{0,30}|[^\sA-Za-z]")
_CAPITALS = compile_on_use(r"\b[A-Z]{2,}[0-9]*\b")
_SUMMARY_WORD = compile_on_use(r"[a-z0-9_]+")
# The minimum share of letters and blanks in prose: a line with a smaller share is code.
_LETTERS = 0.85
# Words that a phrase cannot contain.
_FUNCTION_WORDS = {
    "one", "two", "three", "all", "any", "each", "every", "other", "same", "such", "both",
    "to", "for", "in", "the", "and", "of", "from", "a", "an", "with", "on", "when", "not", "that", "is", "by", "as",
    "it", "are", "be", "this", "or", "at", "if", "no", "into", "its", "has", "have", "will", "was", "which", "you",
    "your", "we", "i", "can", "t", "s", "they", "he", "she", "but", "so", "then", "there", "here", "where", "what",
    "how", "why", "these", "those", "than", "their", "our", "his", "her", "them", "were", "been", "had", "do",
    "does", "did", "could", "should", "would", "may", "might", "must", "shall", "just", "also", "only", "until",
    "unless", "while", "because", "after", "before", "during", "between", "against", "under", "over", "within",
    "without", "per", "via", "using", "used",
}  # fmt: skip
# Words that a phrase cannot begin with, or cannot end with.
_NO_FIRST = {
    "cancel", "hide", "get", "set", "is", "has", "new", "non", "make", "on", "un", "pre", "re", "then", "else",
}  # fmt: skip
_NO_LAST = {
    "new", "old", "default", "invalid", "custom", "multiple", "more", "other", "same", "missing", "single",
    "current", "all", "any", "each", "every", "such", "both", "first", "last", "next", "previous", "get", "set",
    "non", "pre", "post", "re", "un", "sub",
}  # fmt: skip
# Words of code that say nothing on their own.
_GENERIC = {
    "self", "this", "return", "const", "let", "var", "func", "function", "fn", "def", "class", "struct", "import",
    "export", "from", "true", "false", "null", "none", "nil", "string", "int", "bool", "str", "args", "kwargs",
    "err", "ctx", "impl", "pub", "mut", "ref", "async", "await", "void", "static", "final", "public", "private",
    "test", "tests", "describe", "expect", "assert", "should", "name", "value", "data", "type", "types", "key",
    "item", "items", "result", "results", "src", "lib", "main", "index", "mod", "init", "utils", "util", "helpers",
    "helper", "common", "core", "base", "code", "object", "method", "field",
}  # fmt: skip
# Places of prose, whose phrases are words even where a name has the same, and of symbols, whose names are exact.
_PROSE = {"+prose", "-prose", "+text", "-text", "documents", "changelog"}
_SYMBOLS = {"defined", "removed name", "enclosing", "edited"}
# Verbs that are nouns just as often.
_NOUNS = {
    "retry", "reset", "test", "file", "list", "filter", "cache", "log", "link", "format", "default", "build",
    "scope", "release", "import", "output", "report", "store", "sort", "process", "match", "limit", "hook",
    "upgrade", "check", "merge", "request", "guard", "type", "change", "version", "export", "split", "load",
}  # fmt: skip


class Vocabulary:
    """The words of a change and its phrases.

    `words` holds for each word its measures, by their names in the data file; `phrases` the places where each phrase
    occurs, and how often; `names` the identifiers that phrases are read from; `files` the numbers of the files that
    have a phrase. `known` holds the phrases that past summaries
    have, `capitals` the words that are written in capitals. `reading` is the number of the file that is being read.
    """

    def __init__(self) -> None:
        self.words: dict[str, dict[str, float]] = defaultdict(dict)
        self.phrases: dict[Phrase, Counter[str]] = defaultdict(Counter)
        self.names: dict[Phrase, dict[str, str]] = defaultdict(dict)
        self.files: dict[Phrase, set[int]] = defaultdict(set)
        self.known: set[Phrase] = set()
        self.capitals: set[str] = set()
        self.reading = -1

    def add_name(self, name: str, place: str) -> None:
        """Note the words of a name that occurs at `place`, and the phrases that it spells."""
        parts = split_identifier(name)
        self.add_words([name], place)
        phrase = _drop_verbs(parts)
        if _is_noun_phrase(phrase):
            self._add_phrase(phrase, place)
            if len(phrase) > 1 or phrase == parts:
                self.phrases[phrase]["whole"] = 1
            if phrase == parts or place in _SYMBOLS:
                self.names[phrase].setdefault(place, name)
        # The last word of a name is its noun, and those before it say which one: its end is a phrase too.
        for start in range(1, len(parts)):
            part = parts[start:]
            if part != phrase and _is_noun_phrase(part):
                self._add_phrase(part, f"in {place}")

    def add_text(self, text: str, place: str) -> None:
        """Note the words of prose that stands at `place`, and its phrases."""
        self.add_words(find_names(text), place)
        if sum(map(str.isalpha, text)) + text.count(" ") < _LETTERS * len(text):
            return
        run: list[str] = []
        for token in chain(_TOKEN.findall(text), (".",)):
            word = token.lower()
            if word[-1].isalpha() and word not in _FUNCTION_WORDS and not _is_verb(word) and "'" not in word:
                run.append(word)
                continue
            for part in _parts(run):
                if _is_noun_phrase(part):
                    self._add_phrase(part, place)
            run = []

    def _add_phrase(self, phrase: Phrase, place: str) -> None:
        self.phrases[phrase][place] += 1
        self.files[phrase].add(self.reading)

    def spell(self, phrase: Phrase) -> str:
        """Return a phrase as it is written in a sentence: the name that it is read from, or the words of prose."""
        places = self.names.get(phrase, {})
        for place, name in places.items():
            if place in _SYMBOLS:
                return make_printable(name, 40)
        if places and _PROSE.isdisjoint(self.phrases[phrase]):
            return make_printable(next(iter(places.values())), 40)
        words = []
        for word in phrase:
            words.append(word.upper() if word in self.capitals else word)
        return " ".join(words)

    def add_words(self, names: Iterable[str], place: str) -> None:
        """Note the words of `names`, whole and in parts, as occurring at `place`."""
        for name in names:
            for word, form in _forms(name):
                measures = self.words[word]
                measures[place] = measures[form] = 1.0


@lru_cache(maxsize=4096)
def _forms(name: str) -> Sequence[tuple[str, str]]:
    """Return each word that `name` can be said by, with its form: the name itself, or part of a compound."""
    parts = split_identifier(name)
    if len(parts) == 1:
        return [(parts[0], "plain"), (parts[0], "capitals" if name.isupper() else "small")]
    return [(name.lower(), "compound"), *[(part, "part") for part in parts]]


def read_vocabulary(change: ChangeFacts, history: History, scope: str | None) -> Vocabulary:
    """Return the words and phrases of a change that has `scope`; what is read of it is bounded."""
    vocabulary = Vocabulary()
    core = change.core[:_FILES_READ]
    counter = _Counter()
    for number, file in enumerate(core):
        vocabulary.reading = number
        _read_path(vocabulary, file, alone=len(change.core) == 1)
        _read_symbols(vocabulary, file)
        _read_lines(vocabulary, file, number, counter)
    vocabulary.reading = -1
    covered = set(map(id, core))
    for file in change.files[: 2 * _FILES_READ]:
        if id(file) not in covered:
            _read_follower(vocabulary, file)
    counter.measure(vocabulary, len(core))
    _ask_history(vocabulary, change, history)
    for word in split_identifier(scope or ""):
        if word in vocabulary.words:
            vocabulary.words[word]["scope"] = 1.0
    _complete(vocabulary)
    return vocabulary


def _read_path(vocabulary: Vocabulary, file: FileFacts, *, alone: bool) -> None:
    folder, name = posixpath.split(file.path.decode("utf-8", "replace"))
    stem = name.lstrip(".").split(".")[0]
    vocabulary.add_name(stem, "stem")
    if alone:
        vocabulary.add_words([stem], "only stem")
    if folder:
        vocabulary.add_name(posixpath.basename(folder), "folder")


def _read_symbols(vocabulary: Vocabulary, file: FileFacts) -> None:
    symbols = file.symbols
    edited = [*map(itemgetter(1), symbols.changed), *map(itemgetter(1), symbols.renamed)]
    groups: tuple[tuple[str, Sequence[Symbol]], ...] = (
        ("defined", symbols.added), ("removed name", symbols.removed), ("enclosing", symbols.touched),
        ("edited", edited),
    )  # fmt: skip
    for place, found in groups:
        for symbol in found[:_SYMBOLS_READ]:
            if symbol.kind == "test":
                vocabulary.add_text(split_name(symbol.name), "test name")
            elif " " in symbol.name:
                vocabulary.add_text(symbol.name, f"{place} heading")
            else:
                vocabulary.add_name(symbol.name, place)
                vocabulary.add_words([symbol.name], f"only {place}" if len(found) == 1 else place)


class _Counter:
    """How often, and in which files and hunks, the names of the changed lines occur."""

    def __init__(self) -> None:
        self.added: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.files: dict[str, set[int]] = defaultdict(set)
        self.hunks: Counter[str] = Counter()
        self.hunks_read = self.lines_read = 0

    def read(self, hunk: Hunk, file: int) -> tuple[list[str], list[str]]:
        """Count the names of a hunk and return its first lines, the added ones and the removed ones."""
        text = read_hunk(hunk)
        lines = text.added.read(_LINES_OF_SIDE), text.removed.read(_LINES_OF_SIDE)
        self.lines_read += len(lines[0]) + len(lines[1])
        self.hunks_read += 1
        names: dict[str, None] = {}
        for counts, side in ((self.added, text.added), (self.removed, text.removed)):
            found = side.names(_LINES_OF_SIDE)
            counts.update(found)
            names |= dict.fromkeys(found)
        self.hunks.update(names.keys())
        for name in names:
            self.files[name].add(file)
        return lines

    def measure(self, vocabulary: Vocabulary, files: int) -> None:
        """Note for each word of the changed lines on which sides and how often it occurs, and the phrases of names."""
        totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
        for name in self.hunks:
            added, removed = self.added[name], self.removed[name]
            share_of_files, share_of_hunks = len(self.files[name]) / files, self.hunks[name] / self.hunks_read
            for word, form in _forms(name):
                vocabulary.words[word][form] = 1.0
                total = totals[word]
                total[0] += added
                total[1] += removed
                total[2] = max(total[2], share_of_files)
                total[3] = max(total[3], share_of_hunks)
            if len(split_identifier(name)) > 1:
                self._add_name(vocabulary, name)
        vocabulary.reading = -1
        for word, (times_added, times_removed, of_files, of_hunks) in totals.items():
            side = "both"
            if not times_removed:
                side = "added"
            elif not times_added:
                side = "removed"
            count = math.log1p(times_added + times_removed) / 3
            vocabulary.words[word] |= {
                side: 1.0, "growing": float(times_added > times_removed > 0), "count": count,
                "count squared": count * count, "files": of_files, "hunks": of_hunks,
            }  # fmt: skip

    def _add_name(self, vocabulary: Vocabulary, name: str) -> None:
        for counts, place in ((self.added, "+name"), (self.removed, "-name")):
            if counts[name]:
                for vocabulary.reading in self.files[name]:
                    vocabulary.add_name(name, place)


def _read_lines(vocabulary: Vocabulary, file: FileFacts, number: int, counter: _Counter) -> None:
    """Read the changed lines of a file: its names, and the prose of documents, comments and texts."""
    text = FileText(file.path)
    for hunk in file.diff.hunks[:_HUNKS_READ]:
        if counter.lines_read > _LINES_IN_ALL:
            return
        is_first = counter.hunks_read == 0
        sides = counter.read(hunk, number)
        if is_first and sides[0]:
            vocabulary.add_words(find_names(sides[0][0]), "first line")
        vocabulary.add_words(find_names(read_hunk(hunk).context), "context")
        for sign, lines in zip("+-", sides, strict=True):
            for line in lines:
                kind, texts = text.find_prose(line)
                for found in texts:
                    vocabulary.add_text(found, sign + kind)


def _read_follower(vocabulary: Vocabulary, file: FileFacts) -> None:
    """Read what accompanies the core of the change: names of tests, and documentation."""
    for symbol in file.symbols.added[:_SYMBOLS_READ]:
        if symbol.kind == "test":
            vocabulary.add_text(split_name(symbol.name), "test name")
    place = "tests"
    if file.kind == filetypes.DOCUMENTATION:
        place = "documents"
        if is_changelog(file.path) or is_changelog_fragment(file.path):
            place = "changelog"
    for hunk in file.diff.hunks[:10]:
        for line in read_hunk(hunk).added.read(20):
            if place == "tests":
                vocabulary.add_words(find_names(line), place)
            else:
                vocabulary.add_text(line, place)


def _ask_history(vocabulary: Vocabulary, change: ChangeFacts, history: History) -> None:
    """Note which words and phrases the past summaries have, and those of the commits most like the change."""
    texts = list(map(_past_summary, history.commits))
    used: Counter[str] = Counter()
    for text in texts:
        used.update(set(_SUMMARY_WORD.findall(text)))
    near: dict[str, float] = defaultdict(float)
    for summary, weight in history.similar_summaries(change.paths):
        for word in set(_SUMMARY_WORD.findall(summary.lower())):
            near[word] += weight
    for word, measures in vocabulary.words.items():
        known = math.log1p(used[word]) / 3
        measures |= {"known": known, "known squared": known * known, "near": min(1.5, near[word])}
    capitals = Counter(_CAPITALS.findall("\n".join(map(attrgetter("summary"), history.commits))))
    for word, measures in vocabulary.words.items():
        if 2 * capitals[word.upper()] > used[word] or ("capitals" in measures and "small" not in measures):
            vocabulary.capitals.add(word)
    everything = "\n".join(texts)
    for phrase in vocabulary.phrases:
        if len(phrase) > 1 and " ".join(phrase) in everything:
            vocabulary.known.add(phrase)


def _past_summary(commit: PastCommit) -> str:
    if not commit.type or commit.upkeep:
        return ""
    return drop_references(commit.summary).lower()


def _complete(vocabulary: Vocabulary) -> None:
    """Add the measures that follow from others, and drop the words that nothing can be said of."""
    for word in list(vocabulary.words):
        if len(word) < 2 or word in _FUNCTION_WORDS:
            del vocabulary.words[word]
            continue
        measures = vocabulary.words[word]
        if "plain" in measures:
            measures.pop("part", None)
        measures["bias"] = 1.0
        measures["short"] = float(len(word) <= 3)
        measures["digit"] = float(not word.isalpha())
        for first, second in PRODUCTS:
            measures[f"{first} * {second}"] = measures.get(first, 0.0) * measures.get(second, 0.0)


PRODUCTS = (
    ("compound", "added"), ("compound", "enclosing"), ("stem", "known"), ("scope", "stem"), ("hunks", "added"),
    ("added", "part"), ("removed", "part"),
)  # fmt: skip


def _drop_verbs(words: Phrase) -> Phrase:
    """Return the noun phrase of a name such as `get_user_name` or `test_user_name`."""
    while len(words) > 1 and (words[0] in _NO_FIRST or words[0] in ("test", "tests") or _is_verb(words[0])):
        words = words[1:]
    return words


def _parts(words: Sequence[str]) -> Iterator[Phrase]:
    for length in range(1, _WORDS_OF_PART + 1):
        for start in range(len(words) - length + 1):
            yield tuple(words[start : start + length])


@lru_cache(maxsize=4096)
def _is_verb(word: str) -> bool:
    verb = find_verb(word)
    return verb is not None and verb not in _NOUNS


@lru_cache(maxsize=8192)
def _is_noun_phrase(words: Phrase) -> bool:
    """Whether `words` can be the object of a sentence, as far as a list of words can tell."""
    if not 0 < len(words) <= _WORDS_OF_PHRASE or len(set(words)) < len(words):
        return False
    if words[0] in _NO_FIRST or words[-1] in _NO_LAST or words[-1].endswith(("ly", "ed")):
        return False
    for word in words:
        if word in _FUNCTION_WORDS or not 1 < len(word) <= 24 or sum(map(str.isdigit, word)) > 2:
            return False
        if find_verb(word) == word and _is_verb(word):
            return False
    alone = words[0]
    return len(words) > 1 or not (alone in _GENERIC or len(alone) < 3 or alone.endswith(("ing", "ed")))
