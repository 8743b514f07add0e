"""A change as a model first sees it: every file counted, the beginning of the diff, the rest behind tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from smartcommit.agent.results import LINE, cut, start_of
from smartcommit.change.exposure import why_hidden
from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.history import History
from smartcommit.change.wording import safe, safe_path
from smartcommit.git.diff import Hunk

# Of the room there is, what the list of files may take; what it leaves belongs to the hunks.
_FILES_SHARE = 0.4
# Characters that one file's hunks may take while others wait.
_FILE_SHARE = 0.5
_NAMES = 6
STATUS = {"A": "added", "D": "deleted", "M": "changed", "R": "renamed", "C": "copied", "T": "changed in type"}


def summarise(change: ChangeFacts, history: History, *, branch: str, draft: str, room: int) -> str:
    """The change in at most about `room` characters, whatever its size. `draft` is the embedded drafter's message."""
    parts = [
        f"Branch: {safe(branch, 100)}" if branch else "",
        _totals(change),
        *_listing(change, int(room * _FILES_SHARE)),
        "",
        "A draft by rules:",
        draft.rstrip("\n"),
        "",
        *habits(history),
    ]
    head = "\n".join(part for index, part in enumerate(parts) if part or index)
    return "\n".join([head, "The change:", *_hunks(change, max(1000, room - len(head)))])


def hunk_text(file: FileFacts) -> Iterator[str]:
    """The lines of a file's hunks, as a diff without context."""
    for hunk in file.diff.hunks:
        yield from hunk_lines(hunk)


def hunk_lines(hunk: Hunk) -> Iterator[str]:
    """The lines of one hunk, as a diff without context."""
    yield f"@@ line {hunk.new_start} @@ {start_of(hunk.context, LINE)}".rstrip()
    for sign, lines in (("-", hunk.removed), ("+", hunk.added)):
        yield from (sign + start_of(line, 2 * LINE) for line in lines)


def shown(file: FileFacts) -> bool:
    """Whether the content of a file may be looked at."""
    return why_hidden(file.path) is None


def _totals(change: ChangeFacts) -> str:
    added = sum(file.lines_added for file in change.files)
    removed = sum(file.lines_removed for file in change.files)
    unread = sum(not file.diff.complete for file in change.files)
    note = f", {unread} files not read to their end" if unread else ""
    return f"Files changed: {len(change.files)} (+{added} -{removed} lines{note})"


def _listing(change: ChangeFacts, room: int) -> list[str]:
    """A line a file; where they do not fit, the first of them and the others counted by folder."""
    lines = [_file_line(file) for file in change.files]
    kept = cut(lines, room)
    rest = change.files[len(kept) :]
    if not rest:
        return kept
    kept = cut(lines, room // 2)
    rest = change.files[len(kept) :]
    folders = Counter(file.path.rpartition(b"/")[0].split(b"/", 2)[0] for file in rest)
    counted = [
        f"{safe_path(folder) if folder else 'top level'} ({number})" for folder, number in folders.most_common(30)
    ]
    others = sum(number for _, number in folders.most_common()[30:])
    more = [f"elsewhere ({others})"] if others else []
    return [*kept, f"and {len(rest)} more files: {', '.join([*counted, *more])}"]


def _file_line(file: FileFacts) -> str:
    change = file.diff.change
    moved = f" (was {safe_path(change.old_path, 120)})" if change.old_path else ""
    facts = [
        f"{STATUS.get(change.status, 'changed')} {safe_path(change.path, 160)}{moved}",
        f"{file.kind}, {file.nature}, +{file.lines_added} -{file.lines_removed}",
    ]
    reason = why_hidden(change.path)
    if reason:
        return "; ".join([*facts, f"not shown: {reason}"])
    for word, symbols in (
        ("adds", file.symbols.added),
        ("removes", file.symbols.removed),
        ("changes", [after for _, after in file.symbols.changed]),
        ("touches", file.symbols.touched),
    ):
        if symbols:
            facts.append(f"{word} {', '.join(safe(symbol.name, 60) for symbol in symbols[:_NAMES])}")
    facts += [f"renames {safe(a.name, 60)} to {safe(b.name, 60)}" for a, b in file.symbols.renamed[:_NAMES]]
    return "; ".join(facts)


def habits(history: History) -> Sequence[str]:
    """The last summaries, for their style."""
    subjects = [commit.summary for commit in history.commits if not commit.upkeep][:5]
    if not subjects:
        return ()
    return ["Summaries of the last commits, for their style only:", *(f"  {safe(text, 100)}" for text in subjects), ""]


def _hunks(change: ChangeFacts, room: int) -> Iterator[str]:
    core = {id(file) for file in change.core}
    files = [file for file in (*change.core, *(f for f in change.files if id(f) not in core)) if shown(file)]
    left = room
    for index, file in enumerate(files):
        lines = list(hunk_text(file))
        if not lines:
            continue
        if left < 200:
            yield f"[{len(files) - index} more files; get_diff shows them]"
            return
        kept = cut(lines, int(left * _FILE_SHARE) if index < len(files) - 1 else left)
        note = [f"[{len(lines) - len(kept)} more lines; get_diff shows them]"] if len(kept) < len(lines) else []
        section = [f"--- {safe_path(file.path, 160)}", *kept, *note]
        left -= sum(len(line) + 1 for line in section)
        yield from section
