"""Statements about documents: their new sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, find_kinds
from smartcommit.change.filetypes import is_changelog
from smartcommit.change.reading import DOCUMENTS
from smartcommit.change.text import HUNKS_COMPARED, LINES_COMPARED, read_hunk, read_line, says_nothing
from smartcommit.change.wording import join_names, join_safe, pluralize
from smartcommit.draft.embedded.view import ChangeView, Kind, Statement
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names
from smartcommit.patterns import compile_on_use

_SECTIONS = Kind(0.65, types=("docs",))
_RELEASE = compile_on_use(
    r"(?i)\W*(?:(?:version|release)\s+)?(v?\d+\.\d+(?:[\w.+-]*\w)?)(?:\Z|[\])(:]| [-\u2013\u2014] | \(|\W+\d{4}-)"
)
_LENGTH = 40  # of a heading that is named


def _decode(lines: Sequence[bytes]) -> list[str]:
    return [read_line(line) for line in lines]


def say_sections(view: ChangeView) -> Iterator[Statement]:
    """Yield the new sections of documents, with the share of the lines that these have."""
    if find_kinds(view.core) != {filetypes.DOCUMENTATION}:
        return
    from smartcommit.change.documents import list_headings, quote_title  # most changes are of code

    new: dict[str, None] = {}
    holders: list[FileFacts] = []
    lines = 0
    for file in view.core:
        # A comment of a program below `docs/` is no heading.
        if file.nature != "modified" or not file.path.lower().endswith(DOCUMENTS):
            continue
        hunks = file.diff.hunks[:HUNKS_COMPARED]
        gone: set[str] = set()
        for hunk in hunks:
            gone.update([heading.lower() for heading in list_headings(read_hunk(hunk).removed.read())])
        for hunk in hunks:
            # What is indented is code, and so is what stands in a block of it.
            before, added = _decode(hunk.before), _decode(hunk.added)[:LINES_COMPARED]
            above = list_headings(before)
            # Which section a line is in is told by the last heading above it.
            current = ["", *above][-1]
            headings = list_headings([*before, *added])[len(above) :]
            for line in added:
                if headings and headings[0] in line:
                    current = headings.pop(0)
                    # In place of another heading, it may be the same section.
                    if current.lower() not in gone and not list_headings(read_hunk(hunk).removed.read()):
                        new[current] = None
                        if file not in holders:
                            holders.append(file)
                lines += current in new and not says_nothing(line.strip())
    if holders and all(is_changelog(file.path) for file in holders):
        releases = [found[1] for heading in new if (found := _RELEASE.match(heading))]
        if 0 < len(releases) <= NAMES_LISTED:
            yield Statement([f"add changelog for {join_names(releases)}"], _SECTIONS, view.share(lines))
        # `Added` and its like say nothing alone.
        if releases or all(" " not in heading for heading in new):
            return
    if 0 < len(new) <= NAMES_LISTED:
        titles = [quote_title(heading) for heading in new]
        text = f"add {join_safe(titles, _LENGTH)} {pluralize('section', len(new))}"
        yield Statement([f"{text} to {file_names(holders)}", text], _SECTIONS, view.share(lines))
