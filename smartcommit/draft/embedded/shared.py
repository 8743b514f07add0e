"""Statements about one name that the files of a change have in common: it is new in each of them, or gone from each.

In a split, where another commit defines a name, they say that this one tests, documents or uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, FileFacts, find_kinds, list_hunks
from smartcommit.change.text import (
    HUNKS_COMPARED,
    Lines,
    find_names,
    is_import,
    read_hunk,
    read_lines,
    says_nothing,
    split_identifier,
)
from smartcommit.change.tokens import find_prose
from smartcommit.change.wording import join_safe, make_printable, mentions_secret
from smartcommit.draft.embedded.own_words import list_test_names
from smartcommit.draft.embedded.view import UPKEEP, ChangeView, Kind, Statement, read_telling
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# What is said of the name itself, such as that a parameter is new, says more.
_ADDED = Kind(prior=0.3)
# What a few files use is seldom what a change of them is about.
_USED = Kind(prior=0.15)
_ADDED_TO_MANY = Kind(prior=0.6)
_REPLACED = Kind(prior=0.6, types=UPKEEP)
# A call that comes or goes all over may be anything.
_CALLED = Kind(prior=0.6)
_CALL = compile_on_use(r"\w[!?]?\(")
_TRANSLATED = Kind(prior=0.65)
_TESTED = Kind(prior=0.65, types=("test",))
_DESCRIBED = Kind(prior=0.65, types=("docs",))
# The least share of the files of a change that have a name in common, and how many of three or more have it at least.
_LEAST_COVERAGE = 0.6
_FEWEST_FILES = 3
# From how many files on a name is the subject of a change, and from which share of its files on.
_MANY_FILES = 4
_SUBJECT_COVERAGE = 0.8
# The share of the lines that such a name explains at least, if all files have it: few of them have the name.
_SHARE_OF_SUBJECT = 0.75
# A longer name leaves no room for the files.
_NAME_LENGTH = 40
# Shorter names of one word, such as `self`, are in any code.
_SHORTEST_WORD = 5
_WORDS_OF_IMPORTS = {"import", "include", "require", "using", "const", "export", "typing", "static"}
# `parse2` and `parse_` are the same name.
_LOOSE = compile_on_use(r"[\d_]+")
_PACKAGE = compile_on_use(r"(?:[\"']|\A(?:from|import|use|pub use) )(\w+)")
# A key with its value, on a line of its own.
_KEY = compile_on_use(r"(?m)^[\"']?([\w.:-]+?)[\"']?\s*(?:=>|[:=])")
_COUNTED = compile_on_use(r" (?:in|to) \d+ files\b.*")
_NO_DEFINITIONS = {"key", "section", "test"}
# How many times as many lines come as go in tests that are new rather than adapted.
_MOSTLY_NEW = 3
_SIDES: tuple[tuple[Side, Side], ...] = (("added", "removed"), ("removed", "added"))


class _SharedName(Record):
    """A name that came to files or went from them, and the `share` of the change that it explains."""

    name: str
    files: Sequence[FileFacts]
    share: float
    is_subject: bool = False


def say_shared(view: ChangeView) -> Iterator[Statement]:
    """Yield the name of which most lines tell, of those that came to most files, and of those that went from them."""
    silent = (*DERIVED, filetypes.DOCUMENTATION, filetypes.TESTS)
    files = [file for file in view.core if file.diff.hunks and file.kind not in silent]
    is_told = False
    around = [_list_names_around(file) for file in files] if len(files) > 1 else []
    for side, other in _SIDES if len(files) > 1 else ():
        defined: set[str] = set()
        for file in view.change.files:
            defined.update(
                [symbol.name for symbol in getattr(file.symbols, side) if symbol.kind not in _NO_DEFINITIONS]
            )
        holders: dict[str, list[FileFacts]] = {}
        kept: set[str] = set()
        for file, beside in zip(files, around, strict=True):
            names, others = _list_names(file, side), _list_names(file, other) | beside
            names -= set(list_test_names(file))
            kept |= others
            for name in names - others:
                holders.setdefault(name, []).append(file)
        kept = {_LOOSE.sub("", name).lower() for name in kept}
        if side == "removed" and is_told:
            return  # what came says what is done instead
        shared = []
        least = min(len(files), max(_FEWEST_FILES, _LEAST_COVERAGE * len(files)))
        for name, having in holders.items():
            if len(having) < least or len(name) > _NAME_LENGTH or name in view.renamed:
                continue
            is_kept = _LOOSE.sub("", name).lower() in kept
            if is_kept and not (name[:1].isupper() and _are_imports(having, side, name)):
                continue
            if name in defined and (len(defined) > NAMES_LISTED or name in view.helpers):
                continue  # it is one of many, or is there for the others
            if _is_telling(name, having, side, is_defined=name in defined):
                shared.append(_weigh(name, having, side, view, coverage=len(having) / len(files)))
        best = max(shared, key=lambda item: (item.share, item.name), default=None)
        if best and side == "removed" and best.name not in defined and best.name in view.kept_names:
            continue
        statement = best and _say_name(best, side, is_defined=best.name in defined)
        if best and statement:
            statement.texts = list(dict.fromkeys(_drop_count(text, best, side, view) for text in statement.texts))
            is_told = _are_imports(best.files, side, best.name)
            yield statement


def _is_telling(name: str, files: Sequence[FileFacts], side: Side, *, is_defined: bool) -> bool:
    """Return whether a name is of several words, or a word that is a type or imported, and not any word."""
    if len(split_identifier(name)) > 1:
        return True
    if len(name) < _SHORTEST_WORD or name in _WORDS_OF_IMPORTS:
        return False
    return (is_defined and name[:1].isupper()) or _are_imports(files, side, name)


def _weigh(name: str, files: Sequence[FileFacts], side: Side, view: ChangeView, *, coverage: float) -> _SharedName:
    share = view.share(sum([_count_lines(file, {name}) for file in files]))
    if side == "removed" and len(split_identifier(name)) == 1:
        return _SharedName(name, files, coverage)
    if len(files) >= _MANY_FILES and coverage >= _SUBJECT_COVERAGE:
        return _SharedName(name, files, max(share, _SHARE_OF_SUBJECT * coverage), is_subject=True)
    return _SharedName(name, files, share)


def _are_imports(files: Sequence[FileFacts], side: Side, name: str) -> bool:
    for file in files:
        language = file.language
        imported: list[str] = []
        for hunk in file.diff.hunks[:HUNKS_COMPARED]:
            for line in read_hunk(hunk).side(side).having({name}):
                # A command that calls `require` imports nothing; and of a path the folders are not imported, but for
                # the package that it begins with.
                if language.name and is_import(line):
                    imported += language.list_imported(line)
                    imported += _PACKAGE.findall(line)
        if name not in imported:
            return False
    return True


def say_lines(view: ChangeView) -> Iterator[Statement]:
    """Yield the line that was added, or removed, all over while hardly another one changed."""
    for side, other in _SIDES if len(view.core) > 1 else ():
        counts: Counter[str] = Counter()
        having: dict[str, list[FileFacts]] = {}
        lines = others = 0
        for file in view.core:
            told = [line for line in read_lines(file.diff.hunks, side) if not says_nothing(line)]
            counts.update(told)
            lines += len(told)
            others += len(read_lines(file.diff.hunks, other))
            for line in dict.fromkeys(told):
                having.setdefault(line, []).append(file)
        line, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
        is_all_over = count >= _SUBJECT_COVERAGE * (lines + others) and len(having.get(line, ())) >= _FEWEST_FILES
        if is_all_over and len(line) <= _NAME_LENGTH and find_names(line) and not mentions_secret(line):
            verb, preposition = ("add", "to") if side == "added" else ("remove", "from")
            quote = next((mark for mark in "'\"`" if mark not in line), "")
            text = f"{verb} {quote}{make_printable(line, _NAME_LENGTH)}{quote} {preposition} {file_names(having[line])}"
            yield Statement([text], _CALLED if _CALL.search(line) else _REPLACED, count / (lines + others))


def say_translations(view: ChangeView) -> Iterator[Statement]:
    """Yield the texts that came to all translations, or went from them, if there is nothing else."""
    files = [file for file in view.core if file in view.change.translations]
    if not files or len(files) < len(view.core):
        return
    for side, other in _SIDES:
        counts: Counter[str] = Counter()
        for file in files:
            keys, others = (_KEY.findall("\n".join(read_lines(file.diff.hunks, each))) for each in (side, other))
            counts.update(set(keys) - set(others))
        names = [name for name, count in sorted(counts.items()) if count == len(files)]
        if 0 < len(names) <= NAMES_LISTED:
            verb, preposition = ("add", "to") if side == "added" else ("remove", "from")
            text = f"{verb} {join_safe([make_printable(name, _NAME_LENGTH) for name in names])}"
            share = view.share(len(files) * len(names))
            yield Statement([f"{text} {preposition} {len(files)} locales", text], _TRANSLATED, share)


def say_elsewhere(view: ChangeView) -> Iterator[Statement]:
    """Yield what other commits of a plan define that the tests, documents or code here are about."""
    kinds = find_kinds(view.core)
    names = view.purpose.elsewhere
    is_new_page = kinds == {filetypes.DOCUMENTATION} and any(file.nature == "added" for file in view.core)
    if not names or kinds <= DERIVED or len(kinds) > 1 or is_new_page:
        return  # a new page is about more than what it mentions
    counts: Counter[str] = Counter()
    for file in view.core:
        here = _list_names(file, "added") - _list_names(file, "removed") - _list_names_around(file)
        for name in [name for name in sorted(here & names) if len(split_identifier(name)) > 1]:
            counts[name] += _count_lines(file, {name})
    for name, lines in counts.most_common(1):
        having = [file for file in view.core if name in _list_names(file, "added")]
        shown, share = make_printable(name, _NAME_LENGTH), view.share(lines)
        added = sum(file.lines_added for file in view.core)
        removed = sum(file.lines_removed for file in view.core)
        if kinds == {filetypes.DOCUMENTATION}:
            yield Statement([f"document {shown}"], _DESCRIBED, share)
        elif kinds == {filetypes.TESTS} and added >= _MOSTLY_NEW * removed:
            yield Statement([f"add tests for {shown}", f"test {shown}"], _TESTED, share)
        else:
            yield Statement([f"use {shown} in {file_names(having)}", f"use {shown}"], _ADDED, share)


def _drop_count(text: str, shared: _SharedName, side: Side, view: ChangeView) -> str:
    """Return a text without the number of files with a name, if code of others has it as well."""
    others = [file for file in view.change.files if file.language.name and file not in shared.files]
    is_elsewhere = any(shared.name in _list_names(file, side) for file in others)
    return _COUNTED.sub("", text) if is_elsewhere else text


def _say_name(shared: _SharedName, side: Side, *, is_defined: bool) -> Statement | None:
    """Return what is said of a name; None if the rest of the files may still have it, or have had it before."""
    name, shown, where = shared.name, make_printable(shared.name, _NAME_LENGTH), file_names(shared.files)
    added = _ADDED_TO_MANY if shared.is_subject else _ADDED
    if is_defined and side == "added":
        return Statement([f"add {shown}"], added, shared.share)
    if is_defined:
        return Statement([f"remove {shown}"], _REPLACED, shared.share)
    if side == "removed" and not _are_imports(shared.files, side, name):
        return None
    if side == "removed":
        return Statement([f"stop using {shown} in {where}"], _REPLACED, shared.share)
    lines: list[str] = []
    for hunk in list_hunks(shared.files):
        lines += read_hunk(hunk).side(side).having({name})
    if all(is_import(line) for line in lines):
        for file in shared.files:
            if any(read_telling(file, hunk, side) for hunk in file.diff.hunks):
                return None  # it is for what else changed
        return Statement([f"import {shown} in {where}"], _REPLACED, shared.share)
    declaration = compile_on_use(rf"\W*(?:option\W+)?{name}\W{{0,2}}[:=\s]")
    is_imported = _are_imports(shared.files, side, name)
    # `<Fields :rows="rows" />` declares nothing that was imported.
    if not is_imported and any(declaration.match(line) for line in lines):
        texts = [f"add {shown} to {where}", f"add {shown}"]
        if len(shared.files) > NAMES_LISTED:
            texts.reverse()  # their number says little of what is new in most of them
        return Statement(texts, added, shared.share)
    used = _USED if len(shared.files) < _MANY_FILES and not is_imported else added
    return Statement([f"use {shown} in {where}"], used, shared.share)


def _list_names(file: FileFacts, side: Side) -> set[str]:
    """Return the names in the code of one side."""
    names: set[str] = set()
    for hunk in file.diff.hunks[:HUNKS_COMPARED]:
        flags = find_prose(hunk, file.language, side)
        for line, is_prose in zip(read_hunk(hunk).side(side).read(), flags, strict=False):
            names.update(() if is_prose else find_names(line))
    return names


def _list_names_around(file: FileFacts) -> frozenset[str]:
    """Return the names in the lines around the hunks of a file that stayed."""
    hunks = file.diff.hunks[:HUNKS_COMPARED]
    around: dict[bytes, None] = {}
    for hunk in hunks:
        around.update(dict.fromkeys((*hunk.before, *hunk.after)))
    for hunk in hunks:
        for added in hunk.added:
            around.pop(added, None)
    return Lines(list(around)).spoken


def _count_lines(file: FileFacts, names: Collection[str]) -> int:
    """Return how many telling lines the hunks have that have one of `names` on a changed line."""
    lines = 0
    for hunk in file.diff.hunks[:HUNKS_COMPARED]:
        reading = read_hunk(hunk)
        if not (reading.added.spoken | reading.removed.spoken).isdisjoint(names):
            lines += max(len(read_telling(file, hunk, "removed")), len(read_telling(file, hunk, "added")))
    return lines
