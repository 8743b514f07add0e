"""Plans and diffs as safe lines for a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import NamedTuple

from smartcommit.change.wording import format_count
from smartcommit.git.diff import Hunk, LineNumbers
from smartcommit.git.hunks import ChangeUnits, Contents, Text, Unit, group_by_path
from smartcommit.message.characters import printable
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.plan import Issue, PlannedCommit, SplitPlan, list_left_out, list_open
from smartcommit.split.reasons import count_parts, explain_plan

# Files that are listed for one commit, or of one kind.
FILES = 20
# Lines that are shown of one hunk, and of all hunks of a commit.
HUNK_LINES = 120
COMMIT_LINES = 4000
# Characters that are shown of one line.
LINE_WIDTH = 400
# Unchanged lines that are shown before and after a hunk, as by git.
CONTEXT = 3

# Kinds of lines: the first three are the lines of a file.
UNCHANGED = "unchanged"
REMOVED = "removed"
ADDED = "added"
SUBJECT = "subject"
TEXT = "text"
HUNK = "hunk"
POSITION = "position"
NOTE = "note"
# The terminal's colors, as SGR parameters.
CODES = {SUBJECT: "1", TEXT: "", HUNK: "1;36", POSITION: "36", NOTE: "2", UNCHANGED: "", REMOVED: "31", ADDED: "32"}
SIGNS = {UNCHANGED: " ", REMOVED: "-", ADDED: "+"}

HIDDEN = "not included: untracked files (status.showUntrackedFiles is 'no'; run 'git add FILE' to include one)"

# What stands behind a title that says little more than where the change is.
OPEN = "  (open)"

_KINDS = {"A": "new", "D": "deleted", "R": "renamed", "C": "copied", "T": "of another type"}

# The unchanged lines before a hunk, and those after it.
Surroundings = tuple[Sequence[bytes], Sequence[bytes]]


class Line(NamedTuple):
    """A line of one of these kinds as safe text; a line of a file has its number before and after the change."""

    kind: str
    text: str
    old: int | None = None
    new: int | None = None

    @property
    def printed(self) -> str:
        """The text after the sign of its kind."""
        return SIGNS.get(self.kind, "") + self.text


def show_plan(plan: SplitPlan) -> str:
    """Return the plan as it is shown: its commits with their files, and what stays uncommitted."""
    units_of_file = group_by_path(plan.change.units)
    what = "the staged change" if plan.staged else "the change"
    if len(plan.commits) == 1 and not plan.skipped:
        heading = f"{what} stays together: one commit"
    else:
        whose = "part of " if plan.skipped else ""
        heading = f"{whose}{what} becomes {format_count(len(plan.commits), 'commit')}"
    lines = [heading, *show_open(plan.commits)]
    count = count_parts(plan)
    if count > 1:
        lines.append(f"{count} parts of it use nothing of each other: '--count {count}' divides them")
    for number, (commit, why) in enumerate(zip(plan.commits, explain_plan(plan), strict=True), start=1):
        lines += ["", f"{number:2}. {show_title(commit)}", *_list_files(commit.units, units_of_file)]
        if why:
            lines.append(f"      why: {why}")
    left_out = [*show_warnings(plan.warnings), *show_left_out(plan)]
    for shown in (left_out, list(show_skipped(plan)), list(show_issues(plan.issues))):
        if shown:
            lines += ["", *shown]
    return "\n".join(lines) + "\n"


def show_title(commit: PlannedCommit) -> str:
    return printable(commit.subject) + OPEN * commit.open


def show_open(commits: Sequence[PlannedCommit]) -> Iterator[str]:
    """Show which titles wait for a person, if any do."""
    numbers = list_open(commits)
    if numbers:
        noun = "title" if len(numbers) == 1 else "titles"
        yield f"{noun} left open: no. {', '.join([str(number) for number in numbers])}"


def count_lines(units: Iterable[Unit]) -> tuple[int, int]:
    added = deleted = 0
    for unit in units:
        if unit.kind == "file":
            added += unit.change.added or 0
            deleted += unit.change.deleted or 0
            continue
        for hunk in unit.hunks:
            added += hunk.new_count
            deleted += hunk.old_count
    return added, deleted


def _list_files(units: Sequence[Unit], units_of_file: Mapping[bytes, Sequence[Unit]]) -> Iterator[str]:
    """Yield the files of a commit's `units`, with how many of all units of the file these are."""
    files = group_by_path(units)
    for path, own in islice(files.items(), FILES):
        change = own[0].change
        line = f"      {change.status} "
        if change.old_path is not None:
            line += f"{_show_path(change.old_path)} -> "
        line += _show_path(path)
        if len(own) < len(units_of_file[path]):
            line += f" ({len(own)} of {len(units_of_file[path])} hunks)"
        yield line
    if len(files) > FILES:
        yield f"      and {format_count(len(files) - FILES, 'more file')}"


def show_notes(plan: SplitPlan) -> list[str]:
    return [*show_warnings(plan.warnings), *show_left_out(plan), *show_issues(plan.issues)]


def show_left_out(plan: SplitPlan) -> Iterator[str]:
    """Show what `plan` leaves uncommitted without a warning, with the reason."""
    if plan.hides_untracked:
        yield HIDDEN
    others = dict.fromkeys(plan.left_out)
    for warning in plan.warnings:
        others.pop(warning.path, None)
    paths = list(others)
    for path in paths[:FILES]:
        if path.endswith(b"/"):
            reason = "nested git repository; run 'git submodule add' to include it"
        else:
            reason = "outside the sparse checkout; run 'git add --sparse FILE' to include it"
        yield f"not included: {_show_path(path)} ({reason})"
    if len(paths) > FILES:
        yield f"not included: {len(paths) - FILES} more"


def show_warnings(warnings: Sequence[SuspectFile]) -> Iterator[str]:
    """Show each file in `warnings`, and how to include those that are left out."""
    for warning in warnings[:FILES]:
        name = _show_path(warning.path)
        if warning.left_out:
            yield f"not included: {name} ({warning.reason})"
        else:
            yield f"warning: {name} {warning.reason}"
    if len(warnings) > FILES:
        yield f"warning: {len(warnings) - FILES} more like these"
    flags = set()
    for warning in list_left_out(warnings):
        flags.add("--include-secrets" if warning.is_secret else "--include-suspects")
    if flags:
        yield f"to commit these too, use 'git smart-commit {' '.join(sorted(flags))}'"


def show_staged_only(paths: Sequence[bytes]) -> Iterator[str]:
    """Show the `paths` whose staged content was replaced by the working tree's, if there are any."""
    if paths:
        names = [_show_path(path) for path in paths[:FILES]]
        if len(paths) > FILES:
            names.append(f"{len(paths) - FILES} more")
        yield f"staged content replaced by the working tree's: {', '.join(names)}"


def show_skipped(plan: SplitPlan) -> Iterator[str]:
    units = []
    for unit in plan.skipped:
        if not any(warning.has(unit.change.path) for warning in plan.warnings):
            units.append(unit)
    for unit in units[:FILES]:
        yield f"skipped: {printable(unit.id)}"
    if len(units) > FILES:
        yield f"skipped: {len(units) - FILES} more"


def show_issues(issues: Sequence[Issue]) -> Iterator[str]:
    for issue in issues[:FILES]:
        text = issue.message
        if issue.path:
            text = f"{issue.path}: {text}"
        yield f"noticed: {printable(text)}"


def _show_path(path: bytes) -> str:
    return printable(os.fsdecode(path))


def list_message_lines(message: str, why: str) -> list[Line]:
    """Show the message, with its first line as the subject, why the commit is one, and an empty line."""
    subject, *others = message.rstrip("\n").split("\n")
    lines = [Line(SUBJECT, safe(subject)), *(Line(TEXT, safe(line)) for line in others)]
    if why:
        lines += [Line(TEXT, ""), Line(NOTE, f"why: {why}")]
    return [*lines, Line(TEXT, "")]


def list_diff_lines(number: int, units: Sequence[Unit], context: HunkContext) -> Iterator[Line]:
    """Show what the units of commit `number` change, in at most COMMIT_LINES; the third one is called `NUMBER.3`."""
    lines_left = COMMIT_LINES
    for position, unit in enumerate(units, start=1):
        for line in list_unit_lines(unit, f"{number}.{position}", context, limit=HUNK_LINES):
            if lines_left == 0:
                yield Line(NOTE, f"{format_count(len(units) - position, 'more hunk')}")
                return
            lines_left -= 1
            yield line


def list_unit_lines(unit: Unit, name: str, context: HunkContext, *, limit: int) -> Iterator[Line]:
    """Show up to `limit` lines of what `unit` changes, after one with its `name` and notes."""
    title = f"[{name}] {safe(unit.id)}"
    if unit.kind == "file" and not unit.change.binary:
        title += f" (+{unit.change.added} -{unit.change.deleted})"
    yield Line(HUNK, title)
    change = unit.change
    if unit.kind == "file" and change.status in _KINDS:
        origin = "" if change.old_path is None else f" from {safe(os.fsdecode(change.old_path))}"
        yield Line(NOTE, _KINDS[change.status] + origin)
    if unit.kind != "text" and change.status not in "AD" and change.old_mode != change.new_mode:
        yield Line(NOTE, f"mode {change.old_mode} -> {change.new_mode}")
    if unit.kind == "file" and change.binary:
        yield Line(NOTE, "binary")
    elif not unit.complete:
        yield Line(NOTE, "too large to show in full")
    lines = list_hunk_lines(unit, context)
    yield from islice(lines, limit)
    lines_left = len(list(lines))
    if lines_left:
        yield Line(NOTE, format_count(lines_left, "more line"))


def list_hunk_lines(unit: Unit, context: HunkContext) -> Iterator[Line]:
    """Show the lines of each hunk between unchanged ones, after a line that says where, unless all of a file is new."""
    for hunk in unit.hunks:
        before, after = context.surround(unit.change.path, hunk)
        old = hunk.old_lines.start + 1 - len(before)
        new = hunk.new_lines.start + 1 - len(before)
        if unit.change.status not in "AD":
            around = len(before) + len(after)
            old_range = _format_range(old, len(hunk.removed) + around)
            new_range = _format_range(new, len(hunk.added) + around)
            section = hunk.context
            if any(line.startswith(section) for line in before):
                section = b""  # the line that opens the function is shown below
            yield Line(POSITION, f"@@ -{old_range} +{new_range} @@ {show_content(section)}".rstrip())
        olds, news = count(old), count(new)
        for line in before:
            yield Line(UNCHANGED, show_content(line), next(olds), next(news))
        for line in hunk.removed:
            yield Line(REMOVED, show_content(line), next(olds), None)
        for line in hunk.added:
            yield Line(ADDED, show_content(line), None, next(news))
        for line in after:
            yield Line(UNCHANGED, show_content(line), next(olds), next(news))


class HunkContext:
    """Finds the unchanged lines around the hunks of `change`, up to the hunks beside.

    `contents` are those of the files of the change, also of the renamed ones, which are not divided.
    """

    def __init__(self, change: ChangeUnits, contents: Contents | None = None) -> None:
        self._change = change
        self._contents = contents or {}
        # By the path of a file, and the numbers of a hunk.
        self._surroundings: dict[bytes, dict[LineNumbers, Surroundings]] = {}

    def surround(self, path: bytes, hunk: Hunk) -> Surroundings:
        """Return up to CONTEXT lines before and after a hunk; there are none in a file that is new or gone."""
        file = self._change.files.get(path)
        if file is None or (file.text is None and path not in self._contents):
            return (), ()
        if path not in self._surroundings:
            found = self._surroundings[path] = {}
            text = file.text or Text(*self._contents[path], file.diff.hunks)
            # What is between the hunks.
            starts = [0, *(replacement.end for replacement in text.replacements)]
            ends = [*(replacement.start for replacement in text.replacements), len(text.base)]
            gaps = [text.base[start:end] for start, end in zip(starts, ends, strict=True)]
            for each, before, after in zip(file.diff.hunks, gaps, gaps[1:], strict=False):
                found[each.numbers] = _split_lines(before)[-CONTEXT:], _split_lines(after)[:CONTEXT]
        return self._surroundings[path].get(hunk.numbers, ((), ()))


def _split_lines(content: bytes) -> list[bytes]:
    return content.removesuffix(b"\n").split(b"\n") if content else []


def _format_range(first: int, count: int) -> str:
    """Return how git writes a range of lines after `@@`: of an empty one it names the line before."""
    if count == 1:
        return str(first)
    return f"{first if count else first - 1},{count}"


def show_content(line: bytes) -> str:
    return safe(line[: 4 * LINE_WIDTH].decode("utf-8", "surrogateescape"))


def safe(text: str) -> str:
    """Return the beginning of `text`, escaped, with its tabs."""
    shown = printable(text[:LINE_WIDTH], keep="\t")
    if len(text) > LINE_WIDTH:
        shown += "..."
    return shown
