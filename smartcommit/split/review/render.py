"""Plans and diffs as safe lines for a terminal."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from smartcommit.change.wording import counted
from smartcommit.git.diff import FileChange
from smartcommit.git.hunks import Unit
from smartcommit.split.plan import SplitPlan
from smartcommit.split.screen import SuspectFile
from smartcommit.split.syntax import States
from smartcommit.terminal import printable

# Files that are listed for one commit; the subject says the rest.
FILES = 20
# A hunk is shown with so many lines, each with so many characters, and a commit with so many lines in all.
HUNK_LINES = 120
LINE_WIDTH = 400
COMMIT_LINES = 4000

SUBJECT, TEXT, HUNK, REMOVED, ADDED, NOTE = "subject", "text", "hunk", "removed", "added", "note"
# The terminal's colours, as SGR parameters.
CODES = {SUBJECT: "1", TEXT: "", HUNK: "36", REMOVED: "31", ADDED: "32", NOTE: "2"}

Line = tuple[str, str]
_KINDS = {"A": "new", "D": "deleted", "R": "renamed", "C": "copied", "T": "of another type"}


def show_plan(plan: SplitPlan, units: Sequence[Unit], states: Sequence[States] = ()) -> str:
    """The commits of `plan` with their files; `units` are all of the change, `states` what is known of each commit."""
    parts = Counter(unit.change.path for unit in units)
    lines = [_heading(plan)]
    for number, commit in enumerate(plan.commits, start=1):
        between = states[number - 1] if states else {}
        lines += ["", f"{number:2}. {printable(commit.subject)}", *_files(commit.units, parts)]
        lines += [f"      {_name(path)} does not parse here" for path, sound in between.items() if sound is False]
    if any(states):
        lines += ["", _show_states(states)]
    if plan.left_out or plan.warnings:
        lines += ["", *show_warnings(plan.warnings), *show_left_out(plan)]
    if plan.skipped:
        lines += ["", *show_skipped(plan.skipped)]
    if plan.issues:
        lines += ["", *show_issues(plan.issues)]
    return "\n".join(lines) + "\n"


def _heading(plan: SplitPlan) -> str:
    what = "what is staged" if plan.staged else "the change"
    if len(plan.commits) == 1 and not plan.skipped:
        return f"{what} stays together: one commit"
    part = "part of " if plan.skipped else ""
    return f"{part}{what} becomes {counted(len(plan.commits), 'commit')}"


def _files(units: Sequence[Unit], parts: Counter[bytes]) -> Iterator[str]:
    taken = Counter(unit.change.path for unit in units)
    changes = {unit.change.path: unit.change for unit in units}
    for path, change in list(changes.items())[:FILES]:
        share = f" ({taken[path]} of {parts[path]} parts)" if taken[path] < parts[path] else ""
        source = f"{_name(change.old_path)} -> " if change.old_path is not None else ""
        yield f"      {change.status} {source}{_name(path)}{share}"
    if len(changes) > FILES:
        yield f"      and {len(changes) - FILES} more files"


def _show_states(states: Sequence[States]) -> str:
    found = Counter(sound for between in states for sound in between.values())
    return f"files between commits: {found[True]} parse, {found[False]} do not, {found[None]} not checked"


def show_left_out(plan: SplitPlan) -> Iterator[str]:
    """A line for each path that `plan` leaves uncommitted without a warning, with the reason."""
    warned = {warning.path for warning in plan.warnings}
    paths = [path for path in plan.left_out if path not in warned]
    for path in paths[:FILES]:
        reason = "a repository of its own: run 'git submodule add' to keep it" if path.endswith(b"/") else "not added"
        yield f"left out: {_name(path)} ({reason})"
    if len(paths) > FILES:
        yield f"left out: {len(paths) - FILES} more"


def show_warnings(warnings: Sequence[SuspectFile]) -> Iterator[str]:
    """A line for each file in `warnings`, and how to include those that are left out."""
    for warning in warnings[:FILES]:
        if warning.left_out:
            yield f"left out: {_name(warning.path)} ({warning.reason})"
        else:
            yield f"warning: {_name(warning.path)} {warning.reason}"
    if len(warnings) > FILES:
        yield f"warning: {counted(len(warnings) - FILES, 'more file')} like these"
    if any(warning.left_out for warning in warnings):
        yield "to commit these files, run 'git add' on them first, or use 'git smart-commit --include-secrets'"


def show_staged_only(paths: Sequence[bytes]) -> Iterator[str]:
    """A line for the `paths` whose staged content gave way to the working tree's, if there are any."""
    if paths:
        more = [f"{len(paths) - FILES} more"] if len(paths) > FILES else []
        yield f"staged only: {', '.join([*map(_name, paths[:FILES]), *more])}, now as in the working tree"


def show_skipped(units: Sequence[Unit]) -> Iterator[str]:
    """A line for each of the `units` that stay uncommitted."""
    for unit in units[:FILES]:
        yield f"skipped: {printable(unit.id)}"
    if len(units) > FILES:
        yield f"skipped: {len(units) - FILES} more"


def show_issues(issues: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """A line for each thing that a model noticed."""
    for issue in issues[:FILES]:
        place = f"{issue['path']}: " if issue["path"] else ""
        yield f"noticed: {printable(place + issue['message'])}"


def _name(path: bytes) -> str:
    return printable(os.fsdecode(path))


def message_lines(message: str) -> Iterator[Line]:
    """The message, its first line as the subject."""
    for number, line in enumerate(message.rstrip("\n").split("\n")):
        yield (TEXT if number else SUBJECT), _safe(line)


def diff_lines(number: int, units: Sequence[Unit]) -> Iterator[Line]:
    """What the units of commit `number` change, at most COMMIT_LINES; the third one is called `NUMBER.3`."""
    left = COMMIT_LINES
    for position, unit in enumerate(units, start=1):
        for line in unit_lines(unit, f"{number}.{position}"):
            if left == 0:
                yield NOTE, f"{len(units) - position} more hunks"
                return
            left -= 1
            yield line


def unit_lines(unit: Unit, name: str) -> Iterator[Line]:
    """What `unit` changes, below a line with its `name`."""
    yield HUNK, f"[{name}] {_safe(unit.id)}{_counts(unit.change) if unit.kind == 'file' else ''}"
    yield from ((NOTE, note) for note in _notes(unit))
    lines = [line for hunk in unit.hunks for line in _hunk(hunk.removed, hunk.added)]
    yield from lines[:HUNK_LINES]
    if len(lines) > HUNK_LINES:
        yield NOTE, f"{len(lines) - HUNK_LINES} more lines"


def _hunk(removed: Iterable[bytes], added: Iterable[bytes]) -> Iterator[Line]:
    yield from ((REMOVED, f"-{_content(line)}") for line in removed)
    yield from ((ADDED, f"+{_content(line)}") for line in added)


def _notes(unit: Unit) -> Iterator[str]:
    change = unit.change
    if unit.kind == "file" and change.status in _KINDS:
        source = f" from {_safe(os.fsdecode(change.old_path))}" if change.old_path is not None else ""
        yield f"{_KINDS[change.status]}{source}"
    if unit.kind != "text" and change.status not in "AD" and change.old_mode != change.new_mode:
        yield f"mode {change.old_mode} becomes {change.new_mode}"
    if unit.kind == "file" and change.binary:
        yield "binary"
    elif not unit.complete:
        yield "too large to show in full"


def _counts(change: FileChange) -> str:
    return "" if change.binary else f" (+{change.added} -{change.deleted})"


def _content(line: bytes) -> str:
    return _safe(line[: 4 * LINE_WIDTH].decode("utf-8", "surrogateescape"))


def _safe(text: str) -> str:
    shown = printable(text[:LINE_WIDTH], keep="\t")
    return shown if len(text) <= LINE_WIDTH else shown + "..."
