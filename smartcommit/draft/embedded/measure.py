"""What is measured of a change to choose its type and the verb of its summary: sizes, kinds of files, and words."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse
from operator import attrgetter

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, decode_lines, list_hunks, list_lines, list_paths, values_of
from smartcommit.git.diff import Hunk
from smartcommit.patterns import compile_on_use

_BRANCH = compile_on_use(r"\A(?:\}?\s*else )?(?:if|elif|unless|match|switch|when)\b")
_FAILURE = compile_on_use(r"(?i)(?:\b|_)(?:try|except|catch|raise|throw|err\(|errors?)")
_REPAIR = compile_on_use(
    r"(?i)(?:\b|_)(?:fix|bug|regress|workaround|edge case|panic|crash|overflow|invalid|missing|fall ?back|escape"
    r"|incorrect|wrong|avoid|ensure|leak|race)"
)
_OPTION = compile_on_use(r"--[a-z][a-z-]{2,}")
# Lines of source that are measured.
_LINES = 500
# Files, hunks of each, and lines that are searched for words, and the words that count.
_FILES_READ, _HUNKS_READ, _LINES_READ, _WORDS_COUNTED = 60, 80, 300, 150
# Sizes are measured by the steps that they reach.
_STEPS = (1, 2, 3, 5, 8, 15, 30, 60, 120, 250, 500)
_SIZED_KINDS = (
    filetypes.TESTS, filetypes.DOCUMENTATION, filetypes.CI, filetypes.MANIFEST, filetypes.CONFIGURATION,
    filetypes.SOURCE,
)  # fmt: skip
_COMMENT = compile_on_use(r"\A(?:#|//|/?\*|--|\"\"\"|<!--)")
# Hunks whose replaced lines are compared, and the lines of one.
_EDIT_HUNKS, _EDIT_LINES = 200, 12
_TOKEN = compile_on_use(r"\w+|[^\w\s]")
_CAMEL = compile_on_use(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = compile_on_use(r"[A-Za-z]{2,20}")


def has_source(change: ChangeFacts) -> bool:
    """Whether the change is about source."""
    return filetypes.SOURCE in values_of(change.core, "kind")


# The same measures tell the type and then the verb.
@lru_cache(maxsize=1)
def measure(change: ChangeFacts) -> Mapping[str, float]:
    """Return the measures of `change` by their names in the data file, most of them between 0 and about 1.5."""
    core = change.core
    added = sum(map(attrgetter("lines_added"), core))
    removed = sum(map(attrgetter("lines_removed"), core))
    measures = {
        "bias": 1.0,
        "a": math.log1p(added) / 6,
        "d": math.log1p(removed) / 6,
        "g": added / (added + removed + 1),
        "n": math.log1p(len(change.files)) / 4,
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
    measures |= _measure_sizes(change)
    measures |= _measure_files(change)
    measures |= _measure_edits(core)
    for mark, words in (_group_words(core) | _group_words_beside(change)).items():
        for word in words:
            measures[mark + word] = 1.5 / math.sqrt(len(words))
    return measures


def _measure_sizes(change: ChangeFacts) -> dict[str, float]:
    """Return 1 for each step that the counts of files and lines reach, in all and for kinds of files."""
    core = change.core
    added = sum(map(attrgetter("lines_added"), core))
    removed = sum(map(attrgetter("lines_removed"), core))
    counts = {"+": added, "-": removed, "lines": added + removed, "files": len(change.files), "core": len(core)}
    for kind in _SIZED_KINDS:
        files = change.of_kind(kind)
        counts[f"+{kind}"] = sum(map(attrgetter("lines_added"), files))
        counts[f"-{kind}"] = sum(map(attrgetter("lines_removed"), files))
    measures = {f"growth {5 * added // (added + removed + 1)}": 1.0, "net": max(-1.0, min(1.0, (added - removed) / 40))}
    for name, count in counts.items():
        for step in _STEPS:
            if count >= step:
                measures[f"{name} >= {step}"] = 1.0
    return measures


def _measure_files(change: ChangeFacts) -> dict[str, float]:
    """Return measures of the kinds of files together, of what happened to each, and of the names in them."""
    core = change.core
    measures = {f"kinds:{'+'.join(sorted(change.kinds))}": 1.0}
    if len(core) == 1:
        measures[f"file:{posixpath.basename(core[0].path).decode('utf-8', 'replace').lower()}"] = 1.0
    for file in change.files[:_FILES_READ]:
        measures[f"{file.kind}:{file.nature}"] = 1.0
    symbols: Counter[str] = Counter()
    for file in change.of_kind(filetypes.SOURCE):
        for verb in ("added", "removed", "touched"):
            symbols.update(f"{verb} {symbol.kind}" for symbol in getattr(file.symbols, verb))
        symbols.update(f"changed {before.kind}" for before, _ in file.symbols.changed)
    for name, count in symbols.items():
        measures[f"symbols {name}"] = 1.0
        measures[f"number of symbols {name}"] = math.log1p(count) / 3
    return measures


def _measure_edits(files: Sequence[FileFacts]) -> dict[str, float]:
    """Return which kinds of edits the hunks hold, as shares and as facts: lines more or less, and parts of lines."""
    edits: Counter[str] = Counter()
    for hunk in list_hunks(files[:_FILES_READ])[:_EDIT_HUNKS]:
        edits.update(_list_edits(hunk))
    measures = {}
    for name, count in edits.items():
        measures[f"edit {name}"] = count / edits.total()
        measures[f"any edit {name}"] = 1.0
        if len(edits) == 1:
            measures[f"all edits {name}"] = 1.0
    return measures


def _list_edits(hunk: Hunk) -> list[str]:
    """Return the kind of a hunk, or the kinds of the replacements in one that has as many lines after as before."""
    if not hunk.removed:
        return ["new lines"]
    if not hunk.added:
        return ["gone lines"]
    if len(hunk.added) > len(hunk.removed):
        return ["more lines"]
    if len(hunk.added) < len(hunk.removed) or len(hunk.added) > _EDIT_LINES:
        return ["fewer lines"]
    return list(map(_classify_edit, decode_lines(hunk.removed), decode_lines(hunk.added)))


def _classify_edit(before: str, after: str) -> str:
    """Return what was replaced in one line: a number, a word, a sign, or several; or what was inserted or cut."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    shortest = min(len(old), len(new))
    start = 0
    while start < shortest and old[start] == new[start]:
        start += 1
    end = 0
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if not start + end:
        return "line"
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    if not gone or not come:
        return "insertion" if come else "cut"
    if len(gone) > 1 or len(come) > 1:
        return "phrase"
    return _classify_token(gone[0], come[0])


def _classify_token(gone: str, come: str) -> str:
    if gone.isdigit() and come.isdigit():
        return "number"
    if gone.lower() == come.lower():
        return "case"
    return "word" if gone[0].isalnum() or come[0].isalnum() else "sign"


def measure_source(change: ChangeFacts) -> dict[str, float]:
    """Return the measures of the source that `change` is about, each between 0 and about 1.5."""
    files = [file for file in change.core if file.kind == filetypes.SOURCE]
    added = sum(map(attrgetter("lines_added"), files))
    removed = sum(map(attrgetter("lines_removed"), files))
    names_added = names_removed = signatures = 0
    for file in files:
        for symbol in file.symbols.added:
            names_added += symbol.kind not in ("key", "test")
        names_removed += len(file.symbols.removed)
        signatures += len(file.symbols.changed)
    lines = _lines(files, "added")
    options = set(_OPTION.findall("\n".join(lines))) - set(_OPTION.findall("\n".join(_lines(files, "removed"))))
    files_added = list(map(attrgetter("nature"), files)).count("added")
    statuses = values_of(files, "diff.change.status")
    return {
        "lines added": math.log1p(added) / 6,
        "lines removed": math.log1p(removed) / 6,
        "growth": added / (added + removed + 1),
        "only removals": float(added == 0),
        "only new names": float(removed == 0 and names_added > 0),
        "only new files": float(files_added == len(files)),
        # A small edit is usually a fix; a small new file is not.
        "tiny": float(added + removed <= 2 and files_added < len(files)),
        "names added": _upto(4, names_added),
        "names removed": _upto(4, names_removed),
        "signatures": _upto(3, signatures),
        "options": _upto(2, len(options)),
        "guards": min(1.0, sum((_share(_BRANCH, lines), _share(_FAILURE, lines), _share(_REPAIR, lines))) / 2),
        "files": _upto(10, len(files)),
        "files added": _upto(2, files_added),
        "only moves": float(statuses == {"R"}),
        "moves": float("R" in statuses),
        "tests": float(filetypes.TESTS in change.kinds),
        "documentation": float(filetypes.DOCUMENTATION in change.kinds),
        "manifest": float(filetypes.MANIFEST in change.kinds),
        "ci": float(filetypes.CI in change.kinds),
    }


def _lines(files: Iterable[FileFacts], side: str) -> list[str]:
    return list(decode_lines(list_lines(list_hunks(files), side), _LINES))


def _share(pattern: re.Pattern[str], lines: Sequence[str]) -> float:
    matching = list(filter(pattern.search, lines))
    return min(1.0, 4 * len(matching) / max(3, len(lines)))


def _upto(most: int, number: int) -> float:
    return min(most, number) / most


def _group_words(files: Sequence[FileFacts]) -> dict[str, list[str]]:
    """Return the words only of added lines (`+`) or removed ones (`-`), of paths (`/`), of new and touched names."""
    files = files[:_FILES_READ]
    new: list[bytes] = []
    old: list[bytes] = []
    added_names: list[str] = []
    touched_names: list[str] = []
    for file in files:
        hunks = file.diff.hunks[:_HUNKS_READ]
        new += list_lines(hunks, "added")
        old += list_lines(hunks, "removed")
        added_names += map(attrgetter("name"), file.symbols.added)
        touched_names += map(attrgetter("name"), file.symbols.touched)
    after, before = _find_words(decode_lines(new, _LINES_READ)), _find_words(decode_lines(old, _LINES_READ))
    return {
        "+": list(filterfalse(before.__contains__, after))[:_WORDS_COUNTED],
        "-": list(filterfalse(after.__contains__, before))[:_WORDS_COUNTED],
        "/": list(_find_words([b"\n".join(list_paths(files)).decode("utf-8", "replace")])),
        "n": list(_find_words(added_names)),
        "t": list(_find_words(touched_names)),
    }


def _group_words_beside(change: ChangeFacts) -> dict[str, list[str]]:
    """Return words of what stands beside the core: new tests, added documentation and paths; and of new comments."""
    core = change.core
    core_paths = set(map(attrgetter("path"), core))
    beside = [file for file in change.files if file.path not in core_paths][:_FILES_READ]
    tests: list[str] = []
    prose: list[bytes] = []
    for file in beside:
        if file.kind == filetypes.TESTS:
            tests += map(attrgetter("name"), file.symbols.added)
        elif file.kind == filetypes.DOCUMENTATION:
            prose += list_lines(file.diff.hunks[:_HUNKS_READ], "added")
    lines = list_lines(list_hunks(core[:_FILES_READ]), "added")
    comments = list(filter(_COMMENT.search, decode_lines(lines, _LINES_READ)))
    return {
        "test ": list(_find_words(tests[:_WORDS_COUNTED])),
        "prose ": list(_find_words(decode_lines(prose, _LINES_READ // 4)))[:_WORDS_COUNTED],
        "beside ": list(_find_words([b"\n".join(list_paths(beside)).decode("utf-8", "replace")])),
        "comment ": list(_find_words(comments[: _LINES_READ // 4]))[:_WORDS_COUNTED],
    }


def _find_words(texts: Iterable[str]) -> dict[str, None]:
    """Return the words of `texts` and of the compound names in them, in their order."""
    return dict.fromkeys(_WORD.findall(_CAMEL.sub(" ", "\n".join(texts)).lower()))
