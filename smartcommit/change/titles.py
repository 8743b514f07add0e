"""Sentences that the change itself brings along: a changelog entry, a news fragment, the title of a new test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, FileFacts, text_of
from smartcommit.change.wording import imperative, words_of_name

_CHANGELOG = re.compile(rb"(?i)(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)(?:\.\w+)?$")
_FRAGMENT = re.compile(
    rb"(?i)(?:^|/)(?:\.changeset|newsfragments|news|changelog\.d|changes|changelog/unreleased)/[^/]+$"
)
_BULLET = re.compile(r"(?:[-*+]|\d+\.)\s+(\S.*)")


def titles(change: ChangeFacts) -> list[str]:
    """What the change says about itself, as instructions; empty where it says nothing, or more than one thing."""
    own = list(_changelog_entries(change))
    if len(own) == 1:
        return own
    tests = list(_test_titles(change))
    return tests if len(tests) == 1 and _has_source(change) else []


def _has_source(change: ChangeFacts) -> bool:
    return any(file.kind == filetypes.SOURCE for file in change.core)


def _changelog_entries(change: ChangeFacts) -> Iterator[str]:
    if len(change.files) < 2:
        return
    for file in change.files:
        if file.nature == "added" and _FRAGMENT.search(file.path):
            texts = [" ".join(line for line in _added(file) if line)]
        elif _CHANGELOG.search(file.path):
            texts = list(_entries(_added(file)))
        else:
            continue
        yield from filter(None, map(imperative, texts))


def _entries(lines: Iterable[str]) -> Iterator[str]:
    """The points of a list, each with the lines that continue it."""
    entry = ""
    for line in lines:
        found = _BULLET.match(line)
        if found or not line or line.startswith(("#", "=", "--", "..", ":")):
            if entry:
                yield entry
            entry = found[1] if found else ""
        elif entry:
            entry += " " + line
    if entry:
        yield entry


def _test_titles(change: ChangeFacts) -> Iterator[str]:
    for file in change.of_kind(filetypes.TESTS, filetypes.SOURCE):
        for symbol in file.symbols.added:
            title = words_of_name(symbol.name)
            sentence = imperative(title, base=title == symbol.name) if symbol.kind == "test" else None
            if sentence:
                yield sentence


def _added(file: FileFacts) -> Iterator[str]:
    return text_of([line for hunk in file.diff.hunks for line in hunk.added], 200)
