"""Estimates how likely two parts of a change belong to one commit, by a small neural network over features of the pair.

The weights in `weights.json` are fitted by `training/split.py`. Only the change itself is examined: what past commits
changed together made large changes worse.
"""

from __future__ import annotations

import json
import math
import operator
import os
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, compress
from typing import TypedDict, TypeVar

from smartcommit.change import filetypes
from smartcommit.change.edits import Edit
from smartcommit.change.pairing import count_common_ends, is_respelled
from smartcommit.change.reading import list_edits
from smartcommit.change.symbols import find_symbol_changes
from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINES_COMPARED,
    TOKEN,
    HunkText,
    Lines,
    find_words,
    read_hunk,
    split_identifier,
)
from smartcommit.change.uses import Use
from smartcommit.git.diff import FileDiff
from smartcommit.split.embedded.pieces import has_same_text

# Number of a part's files whose definitions are examined: a part may be a whole folder.
_FILES_DEFINING = 4
# In characters: shorter lines (such as a closing bracket), words and file names are often equal by chance.
_SHORTEST_LINE = 5
_SHORTEST_WORD = 3
_SHORTEST_STEM = 4
_STEM = 5  # by which a word is known in its other forms

_QUOTED = re.compile(r"[\"'`]([^\"'`\s]{4,60})[\"'`]")
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
_TEST_AFFIX = re.compile(r"^tests?_|[_.-]?tests?$|[_.-]?spec$")

# A path, or a name, as it is written in a list of files, a link or a command.
_WRITTEN = re.compile(r"[\w-]+(?:[./][\w-]+)*")
# A name of several words, which stands for little else than a file.
_TELLING = re.compile(r"\w[-_]\w|[a-z][A-Z]")
# Names of files that are in many folders; others are known by their names if these are long enough.
_COMMON_STEMS = {
    "__init__", "base", "chart", "common", "config", "conftest", "core", "default", "index", "lib", "main", "mod",
    "package", "readme", "settings", "setup", "test", "tests", "types", "util", "utils", "values",
}  # fmt: skip
_SHORTEST_FILE = 7
_SHORTEST_TELLING = 6

Item = TypeVar("Item", str, int)
Vector = Mapping[str, float]
Features = dict[str, float]
Pair = tuple[int, int]
# Lines of a hunk that are paired, and tokens in a row that are replaced on one of them.
_LINES_PAIRED = 40
_TOKENS_REPLACED = 8
# Changed lines of a file that are read for the edit that they all are.
_LINES_OF_ACT = 60
# Different replacements that files can have in common; a sign such as `=` is by chance.
_REPLACEMENTS = 3
_NAMED = re.compile(r"[^\W\d]{3}")
# The full digest of a commit, to which a version is pinned.
_DIGEST = re.compile(r"[0-9a-f]{40}\b")
_PINNED = "pinned to digests"
# A version of three numbers, with dots or as C has it: `API_VERSION(4, 2, 0)`.
_FULL_VERSION = re.compile(
    r"(?<![\w.])v?(\d+\.\d+\.\d+(?:[-a-z](?:[-.\w]*\w)?)?)(?!\w|\.\d)|(?i:version)\W{0,2}(\d+, ?\d+, ?\d+)\b"
)
# Changed lines of a file that a version on them says enough of.
_LINES_OF_RELEASE = 150
# Files that list what is used: the same is replaced in several for one reason.
_LISTS = {filetypes.CI, filetypes.CONFIGURATION, filetypes.BUILD, filetypes.MANIFEST}
# Edits that say the same in unrelated files: a value that is set, a link, a version.
_ALIKE_BY_CHANCE = {"value", "link"}
# Sweeps: what each file has of them is another word, or another type.
_SPELLING = ("spelling",)
_LAYOUT = ("layout",)
_TYPED = ("typed",)
# Of these edits, files have in common whether something came, went or changed.
_BY_ACT = {"import", "directive", "annotation"}
_COMMENTS = {"comment", "docstring", "documentation", "extended", "words"}
# A type of a parameter, `: str`, or of what is returned, `-> None`.
_TYPE = re.compile(r"(?:->|:)\s*\S")
# What a formatter changes in an example in a comment.
_MARKS = re.compile(r"[\s/!*#,]+")
# What stands for lines that are not told one by one.
_UNTOLD = {"x", "lines"}
_KINDS = (
    filetypes.DOCUMENTATION, filetypes.TESTS, filetypes.CI, filetypes.MANIFEST, filetypes.CONFIGURATION,
    filetypes.BUILD,
)  # fmt: skip
_HAS_KINDS = {f"has_{kind}": kind for kind in _KINDS}
# Features that are the same for many pairs of a change, so that what they add to the units of the network is kept.
_SHARED = (
    "folders", "parts", "same_kind", "test_source", "changelog", "both_modified", "both_added", "both_deleted",
    *_HAS_KINDS,
)  # fmt: skip


class Regression(TypedDict):
    """A fitted logistic regression: the weight of each feature by its name."""

    bias: float
    weights: dict[str, float]


class Network(TypedDict):
    """A fitted network with one hidden layer of rectified linear units.

    `weights` has the weight of each feature in each unit, by the feature's name, and `units` the bias of each unit.
    `output` has the weight of each unit in the log-odds, and `bias` theirs.
    """

    weights: dict[str, list[float]]
    units: list[float]
    output: list[float]
    bias: float


class Weights(TypedDict):
    """The content of `weights.json`: the networks, the regressions, and the thresholds for joining parts.

    `parts` is for the features of Comparison, and `confidence` for those of a level.
    """

    parts: Network
    confidence: Regression
    levels: dict[str, float]


@dataclass(slots=True)
class Part:
    """What is compared of a part of a change, by the path of its first file and by the lines of all.

    `stem` is the bare name without affixes of tests. `names` are those on changed lines, and `words` counts the words
    in them; one side has those `changed` more often than the other, only added lines those that are `new`, only removed
    ones those `gone`. `files` are what may be names of files that came to its lines, or went from them. `hunks` and
    `lines` are the logarithms of how many there are. `act` is the edit that the file consists of; empty if there are
    several. `page` is the path of a document that exists in several languages, without its own; empty if there is none.
    `signs` are what hardly two commits have in common: some of `edits`, and the rest in words.
    """

    path: bytes
    kind: str
    status: str
    folder: str
    folders: list[str]
    name: str
    suffix: str
    stem: str
    path_words: frozenset[str]
    names: frozenset[str]
    changed: frozenset[str]
    new: frozenset[str]
    gone: frozenset[str]
    defined: frozenset[str]
    quoted: frozenset[str]
    versions: frozenset[str]
    words: Counter[str]
    removed: frozenset[str]
    added: frozenset[str]
    is_layout: bool
    is_entry: bool
    act: tuple[str, ...]
    edits: frozenset[str]
    signs: frozenset[str]
    page: bytes
    files: frozenset[str]
    hunks: float
    lines: float


def read_part(diffs: Sequence[FileDiff]) -> Part:
    """Return the part of a change that consists of `diffs`, at least one; the first one's path counts."""
    hunks = diffs[0].hunks
    if len(diffs) > 1 or not hunks:
        return _read_part(diffs)
    # Cached on the first hunk: a plan is explained by the parts that were compared, and again at each step of a review.
    kept, ranges = vars(hunks[0]), [hunk.numbers for hunk in hunks]
    if kept.get("_ranges") != ranges:
        kept.update(_ranges=ranges, _part=_read_part(diffs))
    part: Part = kept["_part"]
    return part


def _read_part(diffs: Sequence[FileDiff]) -> Part:
    folder, name = posixpath.split(diffs[0].change.path.decode("utf-8", "replace"))
    hunks = list(chain.from_iterable(diff.hunks for diff in diffs))
    texts = [read_hunk(hunk) for hunk in hunks[:HUNKS_COMPARED]]
    removed, added = [text.removed for text in texts], [text.added for text in texts]
    before, after = _count_names(removed), _count_names(added)
    old, new = list(_read(removed)), list(_read(added))
    old_text, new_text = "\n".join(old), "\n".join(new)
    both = before + after
    words: Counter[str] = Counter()
    for identifier, count in both.items():
        for word in split_identifier(identifier):
            if _is_long(word):
                words[word] += count
    paths = b"\n".join(diff.change.path for diff in diffs).decode("utf-8", "replace")
    # Hunk by hunk: a line that moved past others is no layout.
    is_layout = bool(old) and all(map(has_same_text, hunks))
    edits, is_replaced = _list_edits(texts)
    act = _find_act(diffs, edits if is_replaced else frozenset())
    is_style = len(diffs) == 1 and filetypes.classify_diff(diffs[0]) == "style"
    if is_style or (is_layout and not act):
        act = _LAYOUT
    kind = filetypes.classify_path(diffs[0].change.path)
    is_entry = filetypes.is_changelog(diffs[0].change.path) or filetypes.is_changelog_fragment(diffs[0].change.path)
    # Documents and tests have versions of anything.
    if len(old) + len(new) > _LINES_OF_RELEASE or (not is_entry and kind in (filetypes.DOCUMENTATION, filetypes.TESTS)):
        versions = frozenset[str]()
    else:
        versions = _list_versions(new_text) - _list_versions(old_text)
    return Part(
        path=diffs[0].change.path,
        kind=kind,
        status=diffs[0].change.status,
        folder=folder,
        folders=[part for part in folder.split("/") if part],
        name=name,
        suffix=posixpath.splitext(name)[1],
        stem=_TEST_AFFIX.sub("", name.lower().split(".")[0]),
        path_words=frozenset(word for word in find_words([paths]) if _is_long(word)),
        names=frozenset(both),
        changed=frozenset((before - after) + (after - before)),
        new=frozenset(after.keys() - before.keys()),
        gone=frozenset(before.keys() - after.keys()),
        defined=_defined_names(diffs),
        quoted=frozenset(_QUOTED.findall(f"{old_text}\n{new_text}")),
        versions=frozenset(_VERSION.findall(new_text)).difference(_VERSION.findall(old_text)),
        words=words,
        removed=_normalize_lines(old),
        added=_normalize_lines(new),
        is_layout=is_layout,
        is_entry=is_entry,
        act=act,
        edits=edits,
        signs=versions.union(_list_signs(kind, edits)),
        page=filetypes.find_translated(diffs[0].change.path)[0] if kind == filetypes.DOCUMENTATION else b"",
        files=_list_written(old) ^ _list_written(new) if diffs[0].change.status == "M" else frozenset(),
        hunks=math.log1p(len(texts)),
        lines=math.log1p(sum(hunk.old_count for hunk in hunks) + sum(hunk.new_count for hunk in hunks)),
    )


class Comparison:
    """Compares the parts of one change in pairs.

    Rare words and names count more, and the similarity of a pair is set against that of the other pairs of its parts.
    So a feature of a pair depends on the whole change.
    """

    def __init__(self, parts: Sequence[Part], uses: Iterable[Use] = ()) -> None:
        self._parts = parts
        self._needs: Counter[tuple[bool, int, int]] = Counter()
        self._together = _pair_tests(parts) | _pair_named(parts) | _pair_samples(parts)
        self._following = _pair_columns(parts)
        for use in uses:
            self._needs[use.is_sure, min(use.user, use.definer), max(use.user, use.definer)] += 1
        self._needed: dict[int, frozenset[int]] = defaultdict(frozenset)
        for is_sure, one, other in self._needs:
            if is_sure:
                self._needed[one] |= {other}
                self._needed[other] |= {one}
                self._together.add((one, other))
        self._words = weigh_words([part.words for part in parts])
        self._changed = weigh_words([Counter(part.changed) for part in parts])
        self._paths = weigh_words([Counter(part.path_words) for part in parts])
        self._in_folder = Counter(part.folder for part in parts)
        self._names_of_two = _list_of_two([part.names for part in parts])
        self._words_of_two = _list_of_two([frozenset(part.words) for part in parts])
        self._new = Counter(chain.from_iterable(part.new for part in parts))
        self._quoted = Counter(chain.from_iterable(part.quoted for part in parts))
        self._common_words: dict[Pair, float] = {}
        self._common_new: dict[Pair, float] = {}
        self._best_words, self._mean_words, self._mean_new = ([0.0] * len(parts) for _ in range(3))
        for one, other in combinations(range(len(parts)), 2):
            words = self._common_words[one, other] = cosine(self._words[one], self._words[other])
            new = self._common_new[one, other] = math.log1p(_count_common(parts[one].new, parts[other].new))
            for place in (one, other):
                self._best_words[place] = max(self._best_words[place], words)
                self._mean_words[place] += words / (len(parts) - 1)
                self._mean_new[place] += new / (len(parts) - 1)
            if _are_one_edit(parts[one], parts[other]):
                self._together.add((one, other))
        self._stems = [_stem_words([*part.words, *part.path_words]) for part in parts]
        self._having = Counter(chain.from_iterable(self._stems))
        self._network = load_weights()["parts"]
        self._own = dict(self._network["weights"])
        shared = {name: self._own.pop(name) for name in _SHARED}
        units = self._network["units"]
        self._add_shared = cache(lambda *values: _add(units, dict(zip(_SHARED, values, strict=True)), shared))

    def features(self, one: int, other: int) -> Features:
        """Return the features of the parts at two positions, the smaller one first, by their names."""
        a, b = self._parts[one], self._parts[other]
        same_folder = a.folder == b.folder
        kinds = {a.kind, b.kind}
        short, long = sorted((a.stem, b.stem), key=len)
        words, new = self._common_words[one, other], self._common_new[one, other]
        return {
            "words": words,
            "best_words": sum(words / (self._best_words[place] or 1.0) for place in (one, other)) / 2,
            "over_words": words - (self._mean_words[one] + self._mean_words[other]) / 2,
            "new": new,
            "over_new": new - (self._mean_new[one] + self._mean_new[other]) / 2,
            "rare_new": _weigh_common(a.new, b.new, self._new),
            "new_use": math.log1p(_count_common(a.new, b.names) + _count_common(b.new, a.names)),
            "gone": math.log1p(_count_common(a.gone, b.gone)),
            "only_these": math.log1p(_count_common(self._names_of_two[one], self._names_of_two[other])),
            "changed": cosine(self._changed[one], self._changed[other]),
            "same_changed": _share_common(a.changed, b.changed),
            "quoted": _weigh_common(a.quoted, b.quoted, self._quoted),
            "version": not a.versions.isdisjoint(b.versions),
            "path_words": cosine(self._paths[one], self._paths[other]),
            "near": _nearness(a, b),
            "same_folder": same_folder,
            "in_folder": same_folder * math.log(2 * self._in_folder[a.folder]),
            "folders": math.log(len(self._in_folder)),
            # In names so short it may be chance.
            "stem_in": len(short) >= _SHORTEST_STEM and short in long,
            "sibling": _are_siblings(a, b),
            "same_added": _share_common(a.added, b.added),
            "def_use": math.log1p(_count_common(a.defined, b.names) + _count_common(b.defined, a.names)),
            "def_def": math.log1p(_count_common(a.defined, b.defined)),
            "test_source": kinds == {filetypes.TESTS, filetypes.SOURCE},
            "same_kind": len(kinds) == 1,
            "same_suffix": a.suffix == b.suffix,
            "both_modified": a.status == b.status == "M",
            "least_lines": min(a.lines, b.lines),
            "most_lines": max(a.lines, b.lines),
            "least_hunks": min(a.hunks, b.hunks),
            "parts": math.log(len(self._parts)),
            "common_words": math.log1p(len(a.words.keys() & b.words.keys())),
            "words_of_two": math.log1p(_count_common(self._words_of_two[one], self._words_of_two[other])),
            "moved": math.log1p(_count_common(a.added, b.removed) + _count_common(b.added, a.removed)),
            "same_removed": _share_common(a.removed, b.removed),
            "common_needs": math.log1p(_count_common(self._needed[one], self._needed[other])),
            "same_edits": math.log1p(_count_common(a.edits, b.edits)),
            "share_edits": _share_common(a.edits, b.edits),
            "both_added": a.status == b.status == "A",
            "both_deleted": a.status == b.status == "D",
            "changelog": a.is_entry or b.is_entry,
            "needs": math.log1p(self._needs[True, one, other]),
            "may_need": math.log1p(self._needs[False, one, other]),
            "sole_need": 1 in (len(self._needed[one]), len(self._needed[other])) and self._needs[True, one, other] > 0,
            **{name: kind in kinds for name, kind in _HAS_KINDS.items()},
        }

    def probability(self, one: int, other: int) -> float:
        """Return how likely the parts at two positions, the smaller one first, belong to one commit, from 0 to 1."""
        if (one, other) in self._together:
            return 1.0
        features = self.features(one, other)
        shared = self._add_shared(*[features[name] for name in _SHARED])
        return _rate(_add(shared, features, self._own), self._network)

    def follow(self, one: int, other: int) -> float:
        """Return the probability, or 1 for a new file that says too little to be compared but goes with the other."""
        return 1.0 if (one, other) in self._following else self.probability(one, other)

    def rate_entry(self, one: int, other: int) -> float:
        """Return how well two parts fit, one an entry of a changelog: by words that few parts have, and code first."""
        if self._parts[one].is_entry and self._parts[other].is_entry:
            return -1.0
        rate = math.fsum([1 / self._having[stem] for stem in self._stems[one] & self._stems[other]])
        if filetypes.SOURCE in (self._parts[one].kind, self._parts[other].kind):
            rate += 1.0
        return rate + self.probability(one, other)


@cache
def load_weights() -> Weights:
    with open(os.path.join(os.path.dirname(__file__), "weights.json"), encoding="utf-8") as file:
        weights: Weights = json.load(file)
    return weights


def activate(features: Features, network: Network) -> float:
    return _rate(_add(network["units"], features, network["weights"]), network)


def _add(units: Sequence[float], features: Features, weights: Mapping[str, Sequence[float]]) -> list[float]:
    """Return `units` with the features in `weights` added to them."""
    found = [features[weight] for weight in weights]
    rows = [units, *compress(weights.values(), found)]
    values = [1.0, *(float(item) for item in found if item)]
    # Python's own loops are slow, and this takes most of the time of a comparison.
    return [sum(map(operator.mul, column, values)) for column in zip(*rows, strict=True)]


def _rate(units: Sequence[float], network: Network) -> float:
    score = network["bias"]
    for value, weight in zip(units, network["output"], strict=True):
        if value > 0:
            score += value * weight
    return apply_logistic(score)


def apply_logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(score, -700.0)))  # exp overflows beyond 709


def weigh_words(parts: Sequence[Mapping[str, int]]) -> list[Vector]:
    """Return each part's words as a vector of length 1, weighted by tf-idf with logarithmic counts."""
    frequency = Counter(chain.from_iterable(parts))
    vectors: list[Vector] = []
    for part in parts:
        weights = {}
        for word, count in part.items():
            weights[word] = (1 + math.log(count)) * math.log((len(parts) + 1) / frequency[word])
        length = math.hypot(*weights.values()) or 1.0
        for word in weights:
            weights[word] /= length
        vectors.append(weights)
    return vectors


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of the angle between two vectors of length 1."""
    # The order of the common words varies, and with it the last digit of the sum.
    return math.fsum(a[word] * b[word] for word in a.keys() & b.keys())


def _pair_tests(parts: Sequence[Part]) -> set[Pair]:
    """Return each part of tests with the source that has its name, if there is one alone."""
    sources: dict[str, list[int]] = defaultdict(list)
    for place, part in enumerate(parts):
        if part.kind == filetypes.SOURCE:
            sources[part.stem].append(place)
    pairs = set()
    for place, part in enumerate(parts):
        named = sources.get(part.stem, ())
        if part.kind == filetypes.TESTS and len(named) == 1:
            pairs.add((min(place, *named), max(place, *named)))
    return pairs


def _pair_named(parts: Sequence[Part]) -> set[Pair]:
    """Return each part that adds or removes a file with those that from now on, or no longer, say its name.

    A folder that is named so is new, or gone, unless files in it are only changed: its files go together.
    """
    named: dict[str, set[int]] = defaultdict(set)
    folders: dict[str, set[int]] = defaultdict(set)
    kept = set()
    for place, part in enumerate(parts):
        if part.status in ("A", "D"):
            for name in _list_own_names(part):
                named[name].add(place)
            for name in part.folders:
                if len(name) >= _SHORTEST_TELLING and _TELLING.search(name):
                    folders[name].add(place)
        else:
            kept.update(part.folders)
    pairs = set()
    for place, part in enumerate(parts):
        for name in part.files & named.keys():
            if len(named[name]) == 1:
                (other,) = named[name]
                pairs.add((min(place, other), max(place, other)))
        for name in part.files & folders.keys() - kept:
            pairs.update(combinations(sorted(folders[name]), 2))
    return pairs


def _pair_columns(parts: Sequence[Part]) -> set[Pair]:
    """Return each new file whose name has a new name of source that the rest of it is called after, as migrations do.

    `add_backup_limit_to_server_settings.php` goes with `ServerSetting.php`, which has `backup_limit` as well.
    """
    pairs = set()
    for place, part in enumerate(parts):
        named = {name for name in part.new if "_" in name and name in part.stem} if part.status == "A" else set()
        for other_place, other in enumerate(parts) if named else ():
            is_named = other.kind == filetypes.SOURCE and other.status == "M" and len(other.stem) >= _SHORTEST_STEM
            rests = [part.stem.replace(name, "").replace("_", "") for name in named & other.new]
            if is_named and any(other.stem.replace("_", "") in rest for rest in rests):
                pairs.add((min(place, other_place), max(place, other_place)))
    return pairs


def _pair_samples(parts: Sequence[Part]) -> set[Pair]:
    """Return the new files of each folder of tests that have unlike endings: what one test reads, or expects."""
    folders: dict[str, list[int]] = defaultdict(list)
    for place, part in enumerate(parts):
        folders[part.folder].append(place)
    pairs: set[Pair] = set()
    for places in folders.values():
        files = [parts[place] for place in places]
        # What is named as a test reads none of the others.
        are_new = all(file.status == "A" and file.kind == filetypes.TESTS for file in files)
        are_new = are_new and not any(_TEST_AFFIX.search(file.name.lower().split(".")[0]) for file in files)
        if are_new and len({file.suffix for file in files}) > 1:
            pairs.update(combinations(places, 2))
    return pairs


def _list_own_names(part: Part) -> Iterator[str]:
    """Yield how others write the name of a part's file: with its folder, or alone if it stands for nothing else."""
    stem = part.name.partition(".")[0]
    if part.folders:
        yield f"{part.folders[-1]}/{part.name}"
        yield f"{part.folders[-1]}/{stem}"
    if stem.lower() not in _COMMON_STEMS:
        if len(part.name) >= _SHORTEST_FILE and part.name != stem:
            yield part.name
        if len(stem) >= _SHORTEST_TELLING and _TELLING.search(stem):
            yield stem


def _list_written(lines: Iterable[str]) -> frozenset[str]:
    """Return what may be names of files on lines, each with and without its folder and its ending."""
    found = set()
    for path in set(_WRITTEN.findall("\n".join(lines))):
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0]
        found |= {name, stem}
        if folder:
            parent = folder.rpartition("/")[2]
            found |= {f"{parent}/{name}", f"{parent}/{stem}"}
    return frozenset(found)


def _are_one_edit(a: Part, b: Part) -> bool:
    """Whether both are nothing but one edit or have one that says enough, or are one page in two languages."""
    if a.act and a.act == b.act:
        return True
    if a.page and a.page == b.page and a.path != b.path and a.status == b.status:
        return True
    common = a.signs & b.signs
    if a.kind == b.kind == filetypes.MANIFEST:
        # Two lists of dependencies have many of what one of them needs, in the same version.
        common &= a.edits | {_PINNED}
    # Where much is replaced in both, two commits may have had a part in it.
    return _PINNED in common or (bool(common) and min(len(a.edits), len(b.edits)) <= _REPLACEMENTS)


def _list_signs(kind: str, edits: Iterable[str]) -> Iterator[str]:
    """Yield those of the edits of a file of this kind that are seldom made in two commits, whatever else it has.

    A name of several words is replaced, or anything in a list of what is used; or versions are pinned, each its own.
    """
    for edit in edits:
        old, new = edit.split("\n")
        names = [name for name in old.split() if len(name) >= _SHORTEST_TELLING and _TELLING.search(name)]
        if _DIGEST.match(new) and not _DIGEST.match(old):
            yield _PINNED
        elif _NAMED.search(old) and _NAMED.search(new) and (names or kind in _LISTS):
            yield edit


def _stem_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset([word[:_STEM] for word in find_words(texts) if _is_long(word)])


def _list_versions(text: str) -> frozenset[str]:
    found = (dotted or ".".join(re.findall(r"\d+", numbers)) for dotted, numbers in _FULL_VERSION.findall(text))
    return frozenset(f"version {version}" for version in found)


def _find_act(diffs: Sequence[FileDiff], replaced: frozenset[str]) -> tuple[str, ...]:
    """Return the edit that a modified file consists of; `replaced` is what replaces what if its lines are replaced."""
    lines = sum(hunk.old_count + hunk.new_count for hunk in diffs[0].hunks)
    if len(diffs) > 1 or diffs[0].change.status != "M" or lines > _LINES_OF_ACT:
        return ()
    acts: set[tuple[str, ...]] = set()
    telling: set[tuple[str, ...]] = set()
    are_names = 0 < len(replaced) <= _REPLACEMENTS and all(map(_NAMED.search, replaced))
    for edit in list_edits(diffs[0]):
        act = _name_act(edit)
        acts.add(act)
        if act != _LAYOUT and act[:1] != ("import",):
            telling.add(act)
        # Two edits are not one, whatever the rest of the file is, which is not read then.
        if not act or (len(telling) > 1 and not are_names):
            return ()
    # Misspelt words are often corrected along with spaces, and types are imported for annotations.
    if len(acts) > 1:
        acts.discard(_LAYOUT)
    if _TYPED in acts:
        acts = {act for act in acts if act[0] != "import"}
    # What replaces what is the same in an import and in a call, although these are different edits.
    if are_names and any(act[2:] for act in acts):
        return tuple(sorted(replaced))
    return acts.pop() if len(acts) == 1 else ()


def _name_act(edit: Edit) -> tuple[str, ...]:
    """Return the edit as other files may have it: of a sweep without its texts; empty if it says too little."""
    role, old, new = edit.role, edit.old, edit.new
    if role in _COMMENTS and _MARKS.sub("", old) == _MARKS.sub("", new):
        # Who corrects words removes double blanks too; where blanks divide other words, a formatter did.
        return _SPELLING if old.split() == new.split() else _LAYOUT
    # In prose a hyphen is part of no option.
    is_prose = role in _COMMENTS and is_respelled(old.replace("-", " "), new.replace("-", " "))
    if is_prose or role in ("spelling", "repeated"):
        return _SPELLING
    if role == "layout":
        return _LAYOUT
    if role in _ALIKE_BY_CHANCE or not _UNTOLD.isdisjoint((old, new)):
        return ()
    if edit.act == "came" and (role in ("returned", "type") or (role == "other" and _TYPE.match(new))):
        return _TYPED
    return (role, edit.act) if role in _BY_ACT else (role, old, new)


def _are_siblings(a: Part, b: Part) -> bool:
    """Whether the paths differ in one folder only, as those of translations or of similar packages do."""
    one, other = a.folders, b.folders
    if a.name != b.name or len(one) != len(other):
        return False
    return sum(first != second for first, second in zip(one, other, strict=True)) == 1


def _nearness(a: Part, b: Part) -> float:
    """Return the share of the folders, from the root down, that lead to both parts."""
    common = 0
    for folder, other in zip(a.folders, b.folders, strict=False):
        if folder != other:
            break
        common += 1
    return (common + 1) / (max(len(a.folders), len(b.folders)) + 1)


def _list_of_two(parts: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return for each part its names, or words, that exactly one other part also has."""
    having = Counter(chain.from_iterable(parts))
    of_two = frozenset(name for name in having if having[name] == 2)
    return [of_two.__and__(part) for part in parts]


def _read(sides: Iterable[Lines]) -> Iterator[str]:
    for side in sides:
        yield from side.read(LINES_COMPARED)


def _count_names(sides: Iterable[Lines]) -> Counter[str]:
    """Return how often each name occurs in the first lines of each of `sides`."""
    names: Counter[str] = Counter()
    for side in sides:
        names.update(name for name in side.names(LINES_COMPARED) if _is_long(name))
    return names


def _is_long(word: str) -> bool:
    return len(word) >= _SHORTEST_WORD


def _list_edits(texts: Iterable[HunkText]) -> tuple[frozenset[str], bool]:
    """Return what replaces what on lines that have few replaced tokens in a row, and whether all lines are such."""
    edits = set()
    is_replaced = True
    for text in texts:
        found = 0
        for before, after in text.pairs(_LINES_PAIRED) or ():
            old, new = TOKEN.findall(before), TOKEN.findall(after)
            start, end = count_common_ends(old, new)
            gone, come = old[start : len(old) - end], new[start : len(new) - end]
            if 0 < max(len(gone), len(come)) <= _TOKENS_REPLACED:
                edits.add("\n".join((" ".join(gone), " ".join(come))))
                found += 1
        is_replaced = is_replaced and found == text.hunk.old_count == text.hunk.new_count
    return frozenset(edits), is_replaced


def _normalize_lines(lines: Iterable[str]) -> frozenset[str]:
    """Return `lines` with single spaces, unless they are short."""
    return frozenset(" ".join(line.split()) for line in lines if len(line) >= _SHORTEST_LINE)


def _defined_names(diffs: Sequence[FileDiff]) -> frozenset[str]:
    if filetypes.classify_path(diffs[0].change.path) == filetypes.LOCK:
        return frozenset()
    names: set[str] = set()
    for diff in diffs[:_FILES_DEFINING]:
        if diff.hunks:
            symbols = find_symbol_changes(diff)
            names.update(item.name for item in (*symbols.added, *symbols.removed))
            for _, after in symbols.changed:
                names.add(after.name)
    return frozenset(names)


def _count_common(one: frozenset[Item], other: frozenset[Item]) -> int:
    # Most pairs have nothing in common, and that is found without making a set.
    if one.isdisjoint(other):
        return 0
    return len(one & other)


def _weigh_common(one: frozenset[str], other: frozenset[str], having: Mapping[str, int]) -> float:
    """Return the logarithm of the number of members of both sets; those that more parts have count less."""
    if one.isdisjoint(other):
        return 0.0
    # The order of a set of strings varies, and with it the last digit of the sum.
    return math.log1p(math.fsum(2 / having[item] for item in one & other))


def _share_common(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the members of both sets as a share of those of either (the Jaccard index)."""
    if one.isdisjoint(other):
        return 0.0
    return len(one & other) / len(one | other)
