"""Statements about whole files: renamed, moved, added or removed, and lines that moved from one to another.

If the same happened to all files, `sentences.nature_sentences` says so.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, FileFacts, values_of
from smartcommit.change.sentences import NAMES_LISTED, file_names, move_sentences
from smartcommit.change.text import (
    FILES_SAMPLED,
    HUNKS_COMPARED,
    LINES_COMPARED,
    is_import,
    read_hunk,
    read_lines,
    says_nothing,
)
from smartcommit.change.titles import is_workflow
from smartcommit.change.wording import format_count, join_safe, pluralize
from smartcommit.draft.embedded.statements.view import ChangeView, Statement, count_lines
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Files of a change in which moved lines are looked for.
_FILES_FOLLOWED = 60
# Kinds of files that usually change because others do.
_FOLLOWING = DERIVED | {filetypes.TESTS}
# Minimum share of the removed or of the added lines that have to be moved ones for a statement about moving.
_LEAST_MOVED = 0.5
# Minimum characters of a file's name for lines that contain it to refer to the file.
_LEAST_STEM = 4
_COPYRIGHT = compile_on_use(r"(?i)copyright|\u00a9|\(c\)")
_YEARS = compile_on_use(r"\b((?:19|20)\d\d)(?:\s?(?:-|\u2013|to)\s?((?:19|20)\d\d|present))?")
# Maximum removed lines, and added lines, of a file that are compared.
_LINES_READ = 1000
# Minimum characters of a line that is followed: shorter ones occur in many files.
_LEAST_CHARACTERS = 13
# Minimum lines between two files that count as moved: fewer may be the same by chance.
_LEAST_LINES = 5


def say_renames(view: ChangeView) -> Iterator[Statement]:
    """Yield which files were renamed or moved if others were edited too, such as those that import them.

    Several files have to be moved to the same folder.
    """
    moved: list[FileFacts] = []
    folders: set[bytes] = set()
    for file in view.core:
        if file.diff.change.status == "R":
            moved.append(file)
            folders.add(posixpath.dirname(file.path))
    if not moved or len(moved) == len(view.core) or (len(moved) > 1 and (len(folders) > 1 or folders == {b""})):
        return
    old = [_stem(file.diff.change.old_path or file.path) for file in moved]
    share = _explain(view, old, [_stem(file.path) for file in moved])
    text = next(move_sentences(moved, "move"))
    kind = "move file"
    if text.startswith("rename"):
        kind = "rename file"
    yield Statement(text, kind, file_names(moved, whole=True), share, "refactor")


def say_removed(view: ChangeView) -> Iterator[Statement]:
    """Yield which files were removed if others were edited too, unless their lines were moved to another file."""
    removed: list[FileFacts] = []
    others: list[FileFacts] = []
    for file in view.core:
        if file.nature == "deleted" and not is_workflow(file.path):
            removed.append(file)
        else:
            others.append(file)
    if not 0 < len(removed) <= NAMES_LISTED or not others or not values_of(others, "diff.change.status") <= {"M", "D"}:
        return
    for number in _follow(view).sources:
        if view.change.files[number] in removed:
            return
    share = _explain(view, [_stem(file.path) for file in removed], [], removed)
    names = file_names(removed, whole=True)
    yield Statement(f"remove {names}", "deleted file", names, share)


def _stem(path: bytes) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].decode("utf-8", "replace")


def _explain(view: ChangeView, old: Sequence[str], new: Sequence[str], gone: Sequence[FileFacts] = ()) -> float:
    """Return the share of the changed lines that follow from the renaming or removal of files.

    These are imports, the lines of the files `gone`, and lines that mentioned one of the stems `old`. In hunks with
    such lines, those that mention one of `new` follow as well.
    """
    files = [file for file in view.change.files if file.kind not in _FOLLOWING] or view.core
    unexplained = 0
    for file in files[:_FILES_FOLLOWED]:
        if file in gone:
            continue
        for hunk in file.diff.hunks[:HUNKS_COMPARED]:
            reading = read_hunk(hunk)
            before = reading.removed.read(LINES_COMPARED)
            removed = _count_unrelated(before, old)
            follows = removed < _count_unrelated(before, [])
            added = _count_unrelated(reading.added.read(LINES_COMPARED), new if follows else [])
            unexplained += max(removed, added)
    return max(0.0, 1 - unexplained / count_lines(files[:_FILES_FOLLOWED]))


def _count_unrelated(lines: Sequence[str], stems: Sequence[str]) -> int:
    """Return how many lines say something, import nothing, and mention none of `stems`."""
    known = [stem for stem in stems if len(stem) >= _LEAST_STEM]
    count = 0
    for line in lines:
        if not says_nothing(line) and not is_import(line) and not any(map(line.__contains__, known)):
            count += 1
    return count


def say_moved_lines(view: ChangeView) -> Iterator[Statement]:
    """Yield what was extracted or moved to another file, or which files were split or merged."""
    flow = _follow(view)
    if flow.moved < _LEAST_MOVED * max(1, min(flow.gone, flow.come)):
        return
    files = view.change.files
    share = flow.moved / max(flow.gone, flow.come)
    sources = [files[number] for number in flow.sources]
    targets = [files[number] for number in flow.targets]
    if len(sources) == len(targets) == 1:
        yield from _say_moved(sources[0], targets[0], share)
    elif len(sources) == 1 and values_of(targets, "nature") == {"added"}:
        old = file_names(sources, whole=True)
        yield Statement(f"split {old} into {_name_parts(targets)}", "extraction", old, share, "refactor")
    elif len(targets) == 1 and values_of(sources, "nature") == {"deleted"}:
        new = file_names(targets, whole=True)
        yield Statement(f"merge {_name_parts(sources)} into {new}", "extraction", new, share, "refactor")


def _name_parts(files: Sequence[FileFacts]) -> str:
    """Return the names of files, or their number if there are too many or one is an `__init__.py`."""
    count = format_count(len(files), "file")
    if len(files) > NAMES_LISTED:
        return count
    for file in files:
        if file.path.endswith(b"__init__.py"):
            return count
    return file_names(files, whole=True)


def _follow(view: ChangeView) -> _LineFlow:
    return _read_flow(view.change.files[:_FILES_FOLLOWED])


def _say_moved(source: FileFacts, target: FileFacts, share: float) -> Iterator[Statement]:
    """Yield what was moved from one file to another: the names of a few definitions, and the file."""
    is_new = target.nature == "added"
    verb = "move"
    if is_new and source.nature != "deleted":
        verb = "extract"
    old, new = file_names([source], whole=True), file_names([target], whole=True)
    moved = []
    outer = []
    for symbol in source.symbols.removed:
        if symbol.kind != "key" and symbol in target.symbols.added:
            moved.append(symbol)
            if not symbol.line[:1].isspace():
                outer.append(symbol)
    outer = outer or moved
    if 0 < len(outer) <= NAMES_LISTED:
        noun = ""
        if values_of(outer, "kind") == {"section"}:
            noun = f" {pluralize('section', len(outer))}"
        names = join_safe([symbol.name for symbol in outer])
        yield Statement(f"{verb} {names}{noun} to {new}", "extraction", names, share, "refactor")
    if source.nature == "deleted":
        text = f"merge {old} into {new}"
        if is_new:
            text = f"move {old} to {new}"
        yield Statement(text, "extraction", new, share, "refactor")
    elif is_new:
        yield Statement(f"extract {new} from {old}", "extraction", new, 0.9 * share, "refactor")


def say_copyright(view: ChangeView) -> Iterator[Statement]:
    """Yield that only the years of copyright notices were edited, with the new year if all have the same."""
    years = set()
    for file in view.core:
        for hunk in file.diff.hunks[:HUNKS_COMPARED]:
            pairs = read_hunk(hunk).pairs(LINES_COMPARED)
            if not pairs:
                return
            for before, after in pairs:
                if not _COPYRIGHT.search(after) or _YEARS.sub("", before) != _YEARS.sub("", after):
                    return
                years.update(_YEARS.findall(after)[-1:])
    last = {ends[1] or ends[0] for ends in years}
    if len(last) == 1 and last != {"present"}:
        yield Statement(f"update copyright year to {last.pop()}", "licence", "year", 1.0)
    elif years:
        yield Statement("update copyright years", "licence", "years", 1.0)


class _LineFlow(Record):
    """How many lines were moved from which files to which others.

    The keys of `counts` are pairs of a source and a target, as indices in the list of files. `gone` and `come` are the
    numbers of all removed and all added lines, of those that are long enough to be followed.
    """

    counts: Counter[tuple[int, int]]
    gone: int
    come: int

    @property
    def sources(self) -> list[int]:
        """The indices of the files that lines were moved from."""
        return sorted(set(map(itemgetter(0), self.counts)))

    @property
    def targets(self) -> list[int]:
        """The indices of the files that lines were moved to."""
        return sorted(set(map(itemgetter(1), self.counts)))

    @property
    def moved(self) -> int:
        """Number of lines that were moved."""
        return self.counts.total()


def _read_flow(files: Sequence[FileFacts]) -> _LineFlow:
    """Return how many lines were moved between `files`, leaving out pairs of files with only a few such lines."""
    sources: dict[str, int] = {}
    counts: Counter[tuple[int, int]] = Counter()
    gone = come = 0
    files = files[:FILES_SAMPLED]
    most_lost = max((file.lines_removed for file in files), default=0)
    most_gained = max((file.lines_added for file in files), default=0)
    if min(most_lost, most_gained) < _LEAST_LINES:
        # Too little for several lines of one file to have gone to another.
        return _LineFlow(counts, gone, come)
    for number, file in enumerate(files):
        lines = _read_telling(file, "removed")
        gone += len(lines)
        for line in lines:
            sources.setdefault(line, number)
    for number, file in enumerate(files):
        lines = _read_telling(file, "added")
        come += len(lines)
        for line in dict.fromkeys(lines):
            source = sources.get(line, number)
            if source != number:
                counts[source, number] += 1
    for pair in [pair for pair, count in counts.items() if count < _LEAST_LINES]:
        del counts[pair]
    return _LineFlow(counts, gone, come)


def _read_telling(file: FileFacts, side: Side) -> list[str]:
    """Return the lines of one side that are long enough to be followed, without imports."""
    lines = read_lines(file.diff.hunks[:HUNKS_COMPARED], side, _LINES_READ)
    return [line for line in lines if len(line) >= _LEAST_CHARACTERS and not is_import(line)]
