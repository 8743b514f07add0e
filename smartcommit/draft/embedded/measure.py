"""Measures of a change that choose its type: sizes, kinds of files, and words."""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, find_kinds, list_hunks, list_paths
from smartcommit.change.text import FILES_SAMPLED, LINES_SAMPLED, find_words, read_lines
from smartcommit.git.diff import Hunk
from smartcommit.patterns import compile_on_use

_COMMENT = compile_on_use(r"\A(?:#|//|/?\*|--|\"\"\"|<!--)")
_WORDS_COUNTED = 150  # of one group
_LINES_OF_PROSE = 75  # of documents and comments that are read for their words
# Sizes are measured by the number of these steps that they reach.
_STEPS = (1, 2, 3, 5, 8, 15, 30, 60, 120, 250, 500)
# How many lines are added for each that is removed beside mostly new names.
_MOSTLY_NEW = 3
# Divisors that bring most measures between 0 and about 1.
_LOG_OF_LINES = 6  # of 400
_LOG_OF_FILES = 4  # of 50
_LOG_OF_SYMBOLS = 3  # of 20
_NET_LINES = 40
# The measures of the words of a group make a vector of this length, however many words there are.
_LENGTH_OF_GROUP = 1.5
_SIZED_KINDS = (
    filetypes.TESTS, filetypes.DOCUMENTATION, filetypes.CI, filetypes.MANIFEST, filetypes.CONFIGURATION,
    filetypes.SOURCE,
)  # fmt: skip


def has_source(change: ChangeFacts) -> bool:
    return filetypes.SOURCE in find_kinds(change.core)


def measure(change: ChangeFacts) -> Mapping[str, float]:
    """Return the measures of `change` by their names in the data file, most of them between 0 and about 1.5."""
    core = change.core
    added = sum([file.lines_added for file in core])
    removed = sum([file.lines_removed for file in core])
    # Of lines, measures called by letters are of the core; others, called by words, are of its source.
    measures = {
        "bias": 1.0,
        "a": math.log1p(added) / _LOG_OF_LINES,
        "d": math.log1p(removed) / _LOG_OF_LINES,
        "g": added / (added + removed + 1),
        "n": math.log1p(len(change.files)) / _LOG_OF_FILES,
    }
    for kind in change.kinds:
        measures[f"kind:{kind}"] = 1.0
        if len(change.kinds) == 1:
            measures[f"only:{kind}"] = 1.0
    for file in core:
        measures[f"core:{file.kind}"] = 1.0
        nature = f"nature:{file.nature}"
        measures[nature] = measures.get(nature, 0.0) + 1 / len(core)
    if has_source(change):
        measures |= measure_source(change)
    # 1 for each step that the counts of files and lines reach, in all and for kinds of files.
    counts = {"+": added, "-": removed, "lines": added + removed, "files": len(change.files), "core": len(core)}
    for kind in _SIZED_KINDS:
        files = change.of_kind(kind)
        counts[f"+{kind}"] = sum([file.lines_added for file in files])
        counts[f"-{kind}"] = sum([file.lines_removed for file in files])
    measures[f"growth {5 * added // (added + removed + 1)}"] = 1.0
    measures["net"] = max(-1.0, min(1.0, (added - removed) / _NET_LINES))
    for name, count in counts.items():
        for step in _STEPS:
            if count >= step:
                measures[f"{name} >= {step}"] = 1.0
    measures |= _measure_files(change)
    for mark, words in (_group_words(core) | _group_words_beside(change)).items():
        for word in words:
            # A new name with the word `et` must not replace the measure `net`: its mark is `n`.
            measures.setdefault(mark + word, _LENGTH_OF_GROUP / math.sqrt(len(words)))
    return measures


def _measure_files(change: ChangeFacts) -> dict[str, float]:
    core = change.core
    measures = {f"kinds:{'+'.join(sorted(change.kinds))}": 1.0}
    if len(core) == 1:
        measures[f"file:{posixpath.basename(core[0].path).decode('utf-8', 'replace').lower()}"] = 1.0
    for file in change.files[:FILES_SAMPLED]:
        measures[f"{file.kind}:{file.nature}"] = 1.0
    symbols: Counter[str] = Counter()
    for file in change.of_kind(filetypes.SOURCE):
        symbols.update([f"added {symbol.kind}" for symbol in file.symbols.added])
        symbols.update([f"removed {symbol.kind}" for symbol in file.symbols.removed])
        symbols.update([f"touched {symbol.kind}" for symbol in file.symbols.touched])
        symbols.update([f"changed {before.kind}" for before, _ in file.symbols.changed])
    for name, count in symbols.items():
        measures[f"symbols {name}"] = 1.0
        measures[f"number of symbols {name}"] = math.log1p(count) / _LOG_OF_SYMBOLS
    return measures


def measure_source(change: ChangeFacts) -> dict[str, float]:
    """Return the measures of the source that `change` is about, each between 0 and about 1.5."""
    files = [file for file in change.core if file.kind == filetypes.SOURCE]
    added = sum([file.lines_added for file in files])
    removed = sum([file.lines_removed for file in files])
    names_added = names_removed = signatures = 0
    for file in files:
        names_added += len([symbol for symbol in file.symbols.added if symbol.kind not in ("key", "test")])
        names_removed += len(file.symbols.removed)
        signatures += len(file.symbols.changed)
    files_added = [file.nature for file in files].count("added")
    statuses = {file.status for file in files}
    return {
        "lines added": math.log1p(added) / _LOG_OF_LINES,
        "lines removed": math.log1p(removed) / _LOG_OF_LINES,
        "growth": added / (added + removed + 1),
        "only removals": float(added == 0),
        "only new names": float(removed == 0 and names_added > 0),
        # Not fitted: it decides only where nothing is known of the project.
        "mostly new names": float(names_added > 0 and added >= _MOSTLY_NEW * removed),
        "only new files": float(files_added == len(files)),
        # A small edit is usually a fix; a small new file is not.
        "tiny": float(added + removed <= 2 and files_added < len(files)),
        "names added": min(1.0, names_added / 4),
        "names removed": min(1.0, names_removed / 4),
        "signatures": min(1.0, signatures / 3),
        "files": min(1.0, len(files) / 10),
        "files added": min(1.0, files_added / 2),
        "only moves": float(statuses == {"R"}),
        "moves": float("R" in statuses),
    }


def _group_words(files: Sequence[FileFacts]) -> dict[str, list[str]]:
    """Return the words only of added lines (`+`) or removed ones (`-`), of paths (`/`), of new and touched names."""
    files = files[:FILES_SAMPLED]
    added_names: list[str] = []
    touched_names: list[str] = []
    for file in files:
        added_names += [symbol.name for symbol in file.symbols.added]
        touched_names += [symbol.name for symbol in file.symbols.touched]
    hunks = list_hunks(files)
    after = find_words(read_lines(hunks, "added", LINES_SAMPLED))
    before = find_words(read_lines(hunks, "removed", LINES_SAMPLED))
    return {
        "+": [word for word in after if word not in before][:_WORDS_COUNTED],
        "-": [word for word in before if word not in after][:_WORDS_COUNTED],
        "/": list(_find_words_of_paths(files)),
        "n": list(find_words(added_names)),
        "t": list(find_words(touched_names)),
    }


def _group_words_beside(change: ChangeFacts) -> dict[str, list[str]]:
    """Return words of what stands beside the core: new tests, added documentation and paths; and of new comments."""
    core = change.core
    core_paths = set(list_paths(core))
    beside = [file for file in change.files if file.path not in core_paths][:FILES_SAMPLED]
    tests: list[str] = []
    documents: list[Hunk] = []
    for file in beside:
        if file.kind == filetypes.TESTS:
            tests += [symbol.name for symbol in file.symbols.added]
        elif file.kind == filetypes.DOCUMENTATION:
            documents += file.diff.hunks
    lines = read_lines(list_hunks(core[:FILES_SAMPLED]), "added", LINES_SAMPLED)
    comments = [line for line in lines if _COMMENT.search(line)]
    return {
        "test ": list(find_words(tests[:_WORDS_COUNTED])),
        "prose ": list(find_words(read_lines(documents, "added", _LINES_OF_PROSE)))[:_WORDS_COUNTED],
        "beside ": list(_find_words_of_paths(beside)),
        "comment ": list(find_words(comments[:_LINES_OF_PROSE]))[:_WORDS_COUNTED],
    }


def _find_words_of_paths(files: Sequence[FileFacts]) -> dict[str, None]:
    return find_words([b"\n".join(list_paths(files)).decode("utf-8", "replace")])
