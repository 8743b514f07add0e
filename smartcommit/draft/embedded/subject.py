"""The subject of a change by mass: what most of its new lines are, named in its own words.

What follows from it, such as its tests, its import or its entry in a list, is no second subject.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, FileFacts, list_hunks
from smartcommit.change.filetypes import is_changelog_fragment
from smartcommit.change.languages import find_language
from smartcommit.change.pairing import count_common_ends
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINES_COMPARED,
    read_hunk,
    read_lines,
    says_nothing,
    split_identifier,
)
from smartcommit.change.tokens import find_prose
from smartcommit.change.wording import (
    format_count,
    imperative,
    join_names,
    join_safe,
    make_printable,
    may_be_secret,
    safe_name,
)
from smartcommit.draft.embedded.own_words import name_topic
from smartcommit.draft.embedded.view import UPKEEP, ChangeView, Kind, Statement, count_lines
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.files import may_hold_secrets

# By kind of the files: a new file of source is the likelier a summary, the likelier the change is a feature (`judge`).
NEW_FILE = Kind(0.45)
NEW_TEST_FILE = Kind(0.6, types=("test",))
_OTHER_FILE = Kind(0.5)
_WORKFLOW_FILE = Kind(0.85, is_whole=True, types=("ci",))
_REASON = Kind(0.5)
_MOST = 0.5  # the share of the lines from which on new files are the subject
_BESIDE = 0.25  # that of one of several, beside the largest
_WORKFLOW = compile_on_use(rb"\.github/workflows/[^/]{1,100}\.ya?ml\Z")
_WORKFLOW_NAME = compile_on_use(r"name:\s*[\"']?([^\"'#{}$]{2,50}?)[\"']?\s*(?:#.*)?\Z")
_TITLE = compile_on_use(r"#\s+(\S.{2,60}?)\s*#*\Z")
# What makes the name of a test of that of what it tests, and names that say nothing alone.
_OF_TEST = compile_on_use(r"(?i)(?:\A|(?<=[a-z\d])|[._-])(?:tests?|specs?|e2e|unit|it)(?=[A-Z._-]|\Z)[._-]?")
_PLAIN = {"index", "main", "mod", "lib", "init", "utils", "util", "common", "helpers", "types", "test", "tests", "all"}
# Endings and folders of files that follow from others.
_SIDE_ENDINGS = (b".css", b".scss", b".less", b".keep", b".gitkeep")
_SIDE_FOLDER = compile_on_use(rb"(?:\A|/)(?:demos?|examples?|fixtures?|playground|samples?|testdata)/")
# A replacement that recurs, what moved, and the fewest lines of that.
_REPLACEMENT = Kind(0.5)
_MOVED = Kind(0.6, types=UPKEEP)
_LEAST_MOVED = 3
# A name with the path or the version that belongs to it, and other characters; most characters of one that is said.
_TOKENS = compile_on_use(r"[\w$-]+(?:[./@:]+[\w$-]+)*|\s+|.")
_WORD = compile_on_use(r"(?=.*[^\W\d_])[\w$-]{2,}")
_WORD_LENGTH = 40
_TYPES = ("class", "struct", "interface", "trait", "enum", "type", "table")
# A line that makes an error with one text, and its text: a sentence without values.
_RAISES = compile_on_use(
    r"(?i)\b(?:raise|throw|panic!?|errors?\.new|errorf?|bail!|anyhow!|fail|die|abort)\b[^\"'`]{0,60}"
    r"(?:\"([^\"{}%$\\]{12,70})\"|'([^'{}%$\\]{12,70})'|`([^`{}%$\\]{12,70})`)"
)
_MARKS = " \t#/*;-<!"
_COMMENT_WORDS = (4, 12)


def say_subject(view: ChangeView) -> Iterator[Statement]:
    """Yield what new files are or define that have most of the lines of a change."""
    files = [file for file in view.core if file.nature == "added" and _can_be_subject(file)]
    lines = {id(file): count_lines([file]) for file in files}
    files.sort(key=lambda file: -lines[id(file)])
    if not files:
        return
    named = [file for file in files if lines[id(file)] >= _BESIDE * lines[id(files[0])]][: NAMES_LISTED + 1]
    # Documents follow from anything else.
    is_document = named[0].kind == filetypes.DOCUMENTATION
    total = count_lines([file for file in view.core if is_document or file.kind != filetypes.DOCUMENTATION])
    if len(named) > NAMES_LISTED or sum(lines.values()) < _MOST * total:
        return
    share = min(1.0, sum([lines[id(file)] for file in named]) / total)
    names = list(dict.fromkeys(_name_file(file) for file in named))
    kinds = {file.kind for file in named}
    tested = [_find_tested(file) for file in named]
    if kinds == {filetypes.TESTS} and all(tested):
        yield Statement([f"add tests for {join_names(list(dict.fromkeys(tested)))}"], NEW_TEST_FILE, share)
    elif all(_WORKFLOW.match(file.path) for file in named):
        yield Statement([f"add {join_names(names)} workflow{'s' * (len(names) > 1)}"], _WORKFLOW_FILE, share)
    else:
        kind = NEW_FILE if filetypes.SOURCE in kinds else _OTHER_FILE
        yield Statement([f"add {join_names(names)}"], kind, share)


def _can_be_subject(file: FileFacts) -> bool:
    is_side = file.path.endswith(_SIDE_ENDINGS) or _SIDE_FOLDER.search(file.path) or is_changelog_fragment(file.path)
    return file.kind not in DERIVED and not is_side and bool(file.diff.hunks)


def _name_file(file: FileFacts) -> str:
    """Return what a new file is, in its own words: the title of a document, a type that it defines, or its name."""
    name = file_names([file])
    stem = safe_name(file.path).partition(".")[0]
    lines = read_lines(file.diff.hunks, "added", LINES_COMPARED)
    if _WORKFLOW.match(file.path):
        title = _find_first(_WORKFLOW_NAME, lines)
        return name_topic(title) if title and title.lower() != stem.lower() else posixpath.splitext(name)[0]
    if file.kind == filetypes.DOCUMENTATION and name.endswith(".md") and stem.lower() != "readme":
        title = _find_first(_TITLE, lines[:20])
        if " " in title:
            return f'"{title}"'
    is_type = stem.isalnum() and len(split_identifier(stem)) > 1 and stem[:1].isupper()
    if file.kind == filetypes.SOURCE:
        return _find_definition(file.symbols.added, stem) or (stem if is_type else name)
    return name


def _find_tested(file: FileFacts) -> str:
    """Return what the tests in a file are of by its name, as `hosts` by `test_hosts.py`, or an empty text."""
    name = safe_name(file.path).rpartition(".")[0]
    tested = _OF_TEST.sub("", name)
    return tested if len(tested) > 2 and tested != name and tested.lower() not in _PLAIN else ""


def _find_first(pattern: object, lines: Sequence[str]) -> str:
    for line in lines:
        found = pattern.match(line)  # type: ignore[attr-defined]
        if found:
            return make_printable(found[1].strip())
    return ""


def _find_definition(symbols: Sequence[Symbol], stem: str) -> str:
    """Return the name of the definition that a file is for: that with its name, or the only type, or the only one."""
    public = [symbol for symbol in symbols if not symbol.name.startswith("_") and symbol.kind not in ("key", "section")]
    words = "".join(split_identifier(stem))
    for symbol in public:
        if "".join(split_identifier(symbol.name)) == words and len(words) > 3:
            return make_printable(symbol.name)
    for chosen in ([symbol for symbol in public if symbol.kind in _TYPES], public):
        if len(chosen) == 1 and (chosen[0].kind in _TYPES or len(split_identifier(chosen[0].name)) > 1):
            return make_printable(chosen[0].name)
    return ""


def say_removed_workflows(view: ChangeView) -> Iterator[Statement]:
    """Yield which workflows were removed, unless others were added: both at once may be a move."""
    files = [file for file in view.core if _WORKFLOW.match(file.path)]
    if "added" not in {file.nature for file in files}:
        for file in files:
            if file.nature == "deleted":
                name = posixpath.splitext(safe_name(file.path))[0]
                yield Statement([f"remove {name} workflow"], _WORKFLOW_FILE, view.share(count_lines([file])))


def say_reasons(view: ChangeView) -> Iterator[Statement]:
    """Yield the only new error, in its words, and the only new comment that says as an instruction what is done."""
    errors: dict[str, float] = {}
    comments: dict[str, float] = {}
    before = "\n".join(view.removed)
    for file in view.core:
        if file.nature == "modified" and file.kind == filetypes.SOURCE:
            for hunk in file.diff.hunks[:HUNKS_COMPARED]:
                lines, prose = read_hunk(hunk).added.read(LINES_COMPARED), find_prose(hunk, find_language(file.path))[1]
                # Half of the lines are enough: the others are usually its condition, or hand something on.
                share = view.share(len([line for line in lines if not says_nothing(line)])) ** 0.5
                errors.update(dict.fromkeys(_find_errors(lines, before), share))
                comments.update(dict.fromkeys(_find_comments(lines, prose), share))
    if len(errors) == 1:
        text, share = errors.popitem()
        yield Statement([f'report "{text}"'], _REASON, share)
    if len(comments) == 1:
        text, share = comments.popitem()
        # "Throwing X would break callers" is about the throwing, and no instruction.
        if text.partition(" ")[0].endswith("ing"):
            return
        said = imperative(text.partition(". ")[0])
        is_whole = said is not None and said not in before and said.count("(") == said.count(")")
        if said and is_whole and _COMMENT_WORDS[0] <= len(said.split()) <= _COMMENT_WORDS[1]:
            yield Statement([said], _REASON, share)


def say_replacement(view: ChangeView) -> Iterator[Statement]:
    """Yield the name or value that took the place of another one in several lines."""
    counts: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], dict[bytes, FileFacts]] = {}
    for file in view.core:
        is_read = file.nature in ("modified", "comments") and not may_hold_secrets(file.path)
        for hunk in file.diff.hunks[:HUNKS_COMPARED] if is_read else ():
            for before, after in read_hunk(hunk).pairs(LINES_COMPARED) or ():
                old, new = _TOKENS.findall(before), _TOKENS.findall(after)
                start, end = count_common_ends(old, new)
                if len(old) == len(new) == start + end + 1 and _WORD.match(old[start]) and _WORD.match(new[start]):
                    counts[old[start], new[start]] += 1
                    places.setdefault((old[start], new[start]), {})[file.path] = file
    for (gone, come), count in counts.most_common(1):
        is_safe = not may_be_secret(gone) and not may_be_secret(come)
        if count > 1 and is_safe and max(len(gone), len(come)) <= _WORD_LENGTH:
            text = f"replace {make_printable(gone)} with {make_printable(come)}"
            where = file_names(list(places[gone, come].values()))
            yield Statement([f"{text} in {where}", text], _REPLACEMENT, view.share(count))


def say_moved(view: ChangeView) -> Iterator[Statement]:
    """Yield which definitions went from one file and came to another with most of their lines."""
    sources: dict[str, FileFacts] = {}
    for file in view.core:
        sources.update(dict.fromkeys([symbol.name for symbol in file.symbols.removed], file))
    for file in view.core:
        names: dict[str, None] = {}
        for symbol in file.symbols.added:
            # A heading of dots names nothing.
            if sources.get(symbol.name, file) is not file and any(char.isalnum() for char in symbol.name):
                names[symbol.name] = None
        gone = set(read_lines(list_hunks([sources[name] for name in names]), "removed", LINES_COMPARED))
        come = [line for line in read_lines(file.diff.hunks, "added", LINES_COMPARED) if not says_nothing(line)]
        kept = [line for line in come if line in gone]
        if names and len(kept) >= _LEAST_MOVED and 2 * len(kept) >= len(come):
            listed = join_safe(names) if len(names) <= NAMES_LISTED else f"{format_count(len(names), 'definition')}"
            yield Statement([f"move {listed} to {file_names([file])}"], _MOVED, view.share(2 * len(kept)))


def _find_errors(lines: Sequence[str], before: str) -> Iterator[str]:
    for line in lines:
        found = _RAISES.search(line)
        text = found[found.lastindex or 0] if found else ""
        if " " in text.strip() and text == text.rstrip() and text not in before:
            yield text.rstrip(".")


def _find_comments(lines: Sequence[str], prose: Sequence[bool]) -> Iterator[str]:
    """Yield the comments that are lines of their own; adjacent lines are one."""
    comment = ""
    for line, is_prose in zip((*lines, ""), (*prose[: len(lines)], False), strict=False):
        if is_prose and line:
            comment = f"{comment} {line.strip(_MARKS)}".strip()
        elif comment:
            yield comment
            comment = ""
