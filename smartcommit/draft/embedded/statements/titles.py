"""Statements in the change's own words: from changelogs, tests, documentation and workflows."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from smartcommit.change import changelogs, filetypes, titles
from smartcommit.change.facts import FileFacts, list_hunks, values_of
from smartcommit.change.sentences import NAMES_LISTED, file_names
from smartcommit.change.text import LINES_COMPARED, find_words, read_hunk
from smartcommit.change.wording import format_count, join_names, pluralize, safe_name
from smartcommit.draft.embedded.statements.view import ChangeView, Statement, count_lines

# Maximum entries and titles to quote from: among more, none says what the change is about. Titles that are quoted.
_ENTRIES_QUOTED, _TITLES_QUOTED, _TITLES_SAID = 3, 6, 2
# Maximum characters of an entry in a summary.
_LONGEST_ENTRY = 100
# Minimum letters of a word that is compared with the source, and the number of its first letters that are compared.
_WORD_LETTERS, _STEM_LETTERS = 4, 6


def say_entries(view: ChangeView) -> Iterator[Statement]:
    """Yield the new entries of changelogs, or the start of one that is too long."""
    if changelogs.are_all(view.change.files):
        return
    entries = changelogs.list_entries(view.change)
    if len(entries) > _ENTRIES_QUOTED:
        return
    kind = "changelog" if len(entries) == 1 else "changelog many"
    for entry in entries:
        text = changelogs.cut(entry.text, _LONGEST_ENTRY)
        if text:
            yield Statement(text, kind, text, 1.0, entry.type)


def say_tests(view: ChangeView) -> Iterator[Statement]:
    """Yield what new tests expect, if source changed.

    The share of such a statement is the share of its words that occur in the changed lines of the source.
    """
    if filetypes.SOURCE not in values_of(view.core, "kind"):
        return
    files = [file for file in view.change.files if file.nature == "modified" or file.kind == filetypes.TESTS]
    found = titles.list_titles(files)
    if not 0 < len(found) <= _TITLES_QUOTED:
        return
    known = _read_stems(view.core)
    shares = {}
    for text in filter(None, map(titles.instruct, found)):
        stems = _find_stems([text.partition(" ")[2]])
        shares[text] = len(stems & known) / max(1, len(stems))
    kind = "test title" if len(found) == 1 else "test titles"
    for text in sorted(shares, key=shares.__getitem__, reverse=True)[:_TITLES_SAID]:
        yield Statement(text, kind, text, shares[text])


def _read_stems(files: Sequence[FileFacts]) -> set[str]:
    """Return the starts of the words in the changed lines of `files`."""
    lines: list[str] = []
    for hunk in list_hunks(files):
        reading = read_hunk(hunk)
        lines += reading.removed.read(LINES_COMPARED)
        lines += reading.added.read(LINES_COMPARED)
        if len(lines) >= LINES_COMPARED:
            break
    return _find_stems(lines)


def _find_stems(lines: Sequence[str]) -> set[str]:
    return {word.rstrip("s")[:_STEM_LETTERS] for word in find_words(lines) if len(word) >= _WORD_LETTERS}


def say_headings(view: ChangeView) -> Iterator[Statement]:
    """Yield which one or two sections a document gains."""
    if values_of(view.core, "kind") != {filetypes.DOCUMENTATION} or changelogs.are_all(view.change.files):
        return
    found: dict[str, FileFacts] = {}
    for file in view.core:
        if file.nature == "modified":
            found.update(dict.fromkeys(titles.list_headings(file), file))
    if len(set(map(id, found.values()))) != 1 or len(found) > 2:
        return
    file = next(iter(found.values()))
    share = 0.8 * view.share(count_lines([file]))
    names, place = join_names(list(found)), file_names([file], whole=True)
    yield Statement(f"add {names} {pluralize('section', len(found))} to {place}", "heading", names, share)


def say_workflows(view: ChangeView) -> Iterator[Statement]:
    """Yield which workflows and jobs were added, or which were removed: both at once may be a move."""
    files = [file for file in view.core if titles.is_workflow(file.path)]
    gained: dict[str, int] = {}
    lost: dict[str, int] = {}
    for file in files:
        if file.nature == "modified":
            for hunk in file.diff.hunks:
                gained.update(titles.list_jobs(hunk, hunk.added))
                lost.update(titles.list_jobs(hunk, hunk.removed))
    natures = values_of(files, "nature")
    for file in files:
        share = view.share(count_lines([file]))
        if file.nature == "added" and not lost and "deleted" not in natures:
            yield _say_workflow("add", titles.find_workflow_name(file) or _stem(file), share)
        elif file.nature == "deleted" and not gained and "added" not in natures:
            yield _say_workflow("remove", _stem(file), share)
    if natures == {"modified"}:
        where = safe_name(files[0].path) if len(files) == 1 else format_count(len(files), "workflow")
        if gained and not lost:
            yield _say_jobs("add", f"to {where}", gained, view)
        elif lost and not gained:
            yield _say_jobs("remove", f"from {where}", lost, view)


def _stem(file: FileFacts) -> str:
    return posixpath.splitext(safe_name(file.path))[0]


def _say_workflow(verb: str, name: str, share: float) -> Statement:
    text = f"{verb} {name}"
    if not name.lower().endswith("workflow"):
        text += " workflow"
    return Statement(text, "workflow", name, share, "ci")


def _say_jobs(verb: str, where: str, jobs: Mapping[str, int], view: ChangeView) -> Statement:
    said = format_count(len(jobs), "job")
    if len(jobs) <= NAMES_LISTED:
        said = f"{join_names(list(jobs))} {pluralize('job', len(jobs))}"
    share = view.share(sum(jobs.values()))
    return Statement(f"{verb} {said} {where}", "job", next(iter(jobs)), share, "ci")
