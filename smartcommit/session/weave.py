"""One file's lines in HEAD and in the working tree, and whose change each difference is.

A weave has the lines of both versions in one order: lines that are kept, lines of HEAD that are deleted, and lines that
are new. Each deletion and each new line belongs to a change, and a change to a session, or to nobody, or to nobody
alone (UNCLEAR). What is not proven to be a session's is nobody's.

The first line stands for the mode of the file, so that making, deleting and chmod are changes like others; a link, and
a file that is not text, has one more line.
"""

from __future__ import annotations

from smartcommit.record import Record
from smartcommit.session.alignment import (
    CONTEXT,
    Block,
    Zone,
    count_common_end,
    count_common_start,
    find_blocks,
    find_zones,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Owners that are no session: a session's id has printable characters.
NOBODY, UNCLEAR = "", "\0"
_MODE = b"\0mode "


class Content(Record):
    """A file as git would record it: the mode, as git's octal text, and the bytes of the blob."""

    mode: str
    data: bytes


def list_lines(content: Content | None) -> list[bytes]:
    """Return the lines of a weave for `content`; none if there is no such file."""
    if content is None:
        return []
    mode = _MODE + content.mode.encode()
    if content.mode == "120000" or b"\0" in content.data:
        return [mode, content.data]
    if b"\r" not in content.data:
        return [mode, *content.data.splitlines(keepends=True)]
    # Those of bytes would end a line at a lone CR too.
    lines = [line + b"\n" for line in content.data.split(b"\n")]
    last = lines.pop()[:-1]
    if last:
        lines.append(last)
    return [mode, *lines]


def join_lines(lines: Sequence[bytes]) -> Content | None:
    """Return the content that has `lines`, which `is_content` accepts."""
    if not lines:
        return None
    return Content(lines[0].removeprefix(_MODE).decode(), b"".join(lines[1:]))


def is_content(lines: Sequence[bytes]) -> bool:
    """Whether these are the lines of a content: one mode, and only the last line without a newline."""
    if not lines:
        return True
    if not lines[0].startswith(_MODE):
        return False
    if not all(line.endswith(b"\n") for line in lines[1:-1]):
        return False
    return len(lines) == 2 or not any(b"\0" in line for line in lines[1:])


class Change(Record):
    """One change: `owner` is a session, NOBODY or UNCLEAR; it was found after a shell command of `shell`, if any."""

    owner: str
    shell: str = ""


class Entry:
    """A line of the weave, never changed: in HEAD, in the working tree, or in both; `change` is 0 for the last."""

    __slots__ = ("change", "in_head", "is_live", "text")

    def __init__(self, text: bytes, in_head: bool, is_live: bool, change: int) -> None:
        self.text = text
        self.in_head = in_head
        self.is_live = is_live
        self.change = change

    @property
    def is_kept(self) -> bool:
        """Whether the line is in HEAD and in the working tree."""
        return self.in_head and self.is_live


class Run:
    """Successive entries of one kind and one change; `texts` are those that are not in the working tree."""

    __slots__ = ("change", "count", "in_head", "is_live", "texts")

    def __init__(
        self, count: int, change: int, *, in_head: bool, is_live: bool, texts: list[bytes] | None = None
    ) -> None:
        self.count = count
        self.in_head = in_head
        self.is_live = is_live
        self.change = change
        self.texts = texts or []

    def is_like(self, other: Run | Entry) -> bool:
        """Whether `other` is of the same kind and change."""
        kind = (self.change, self.in_head, self.is_live)
        return kind == (other.change, other.in_head, other.is_live)

    def with_next(self, other: Run) -> Run:
        """Return this run with the entries of `other`, which is like it, at its end."""
        count, texts = self.count + other.count, self.texts + other.texts
        return Run(count, self.change, in_head=self.in_head, is_live=self.is_live, texts=texts)

    def part(self, first: int, last: int) -> Run:
        """Return the entries from `first` to `last`."""
        return Run(last - first, self.change, in_head=self.in_head, is_live=self.is_live, texts=self.texts[first:last])


class Weave:
    """The weave of one file.

    `lines` are those of the working tree when it was last looked at, and `gone` has the texts of uncommitted lines that
    were removed, without blanks, each with its owners. `revision` counts the steps that changed something.
    """

    def __init__(self, head: Sequence[bytes] = ()) -> None:
        self.lines: list[bytes] = list(head)
        self.runs: list[Run] = []
        if head:
            self.runs.append(Run(len(head), 0, in_head=True, is_live=True))
        self.changes: dict[int, Change] = {}
        self.next_change = 1
        self.gone: dict[bytes, set[str]] = {}
        self.revision = 0

    def list_entries(self) -> list[Entry]:
        """Return all lines, in order."""
        return _expand(self.runs, self.lines)

    def head_lines(self) -> list[bytes]:
        """Return the lines of HEAD."""
        return [entry.text for entry in self.list_entries() if entry.in_head]

    @property
    def is_committed(self) -> bool:
        """Whether nothing differs from HEAD."""
        return all(run.change == 0 for run in self.runs)

    def owner_of(self, entry: Entry) -> str:
        """Return whose the change of `entry`, which is not kept, is."""
        return self.changes[entry.change].owner

    def step(self, lines: Sequence[bytes], owner: str, *, shell: str = "", remember: bool = True) -> None:
        """Take over that `owner` has changed the file to `lines`.

        The change was found after a shell command of the session `shell`, if any. Unless `remember`, texts that vanish
        are expected to come back.
        """
        _Step(self, owner, shell, remember).take(lines)

    def add_change(self, owner: str, shell: str = "") -> int:
        """Return the number of a new change."""
        number = self.next_change
        self.next_change += 1
        self.changes[number] = Change(owner, shell)
        return number

    def mark_unclear(self, numbers: Iterable[int]) -> None:
        """Make changes unclear, each as a whole: no half of a change is committed."""
        for number in numbers:
            if number and self.changes[number].owner != NOBODY:
                self.changes[number] = Change(UNCLEAR, self.changes[number].shell)

    def is_foreign(self, entry: Entry, owner: str) -> bool:
        """Whether the change of `entry` is not that of `owner`."""
        return entry.change != 0 and self.changes[entry.change].owner != owner

    def removes_only_fresh(self, lines: Sequence[bytes], first: int) -> bool:
        """Whether a step to `lines` would remove only lines that nobody brought, since the change `first`."""
        live = [entry for entry in self.list_entries() if entry.is_live]
        for start, end, _, _ in find_blocks(self.lines, lines):
            for entry in live[start:end]:
                if not entry.in_head and (entry.change < first or self.owner_of(entry) != NOBODY):
                    return False
        return True

    def rebase(self, head: Sequence[bytes]) -> None:
        """Take over that HEAD has `head` now: what it has is committed, what it lacks is not."""
        entries = self.list_entries()
        known = self._find_commit(entries, head)
        if known is not None:
            self.commit(known)
            return
        unclear = self.add_change(UNCLEAR)
        result: list[Entry] = []
        position = 0
        for zone in find_zones([entry.text for entry in entries], head):
            if zone.ambiguous:
                self.mark_unclear(entry.change for entry in entries[zone.start : zone.end])
            for start, end, first, last in zone.blocks:
                result += map(_commit, entries[position:start])
                for entry in entries[start:end]:
                    if entry.is_live:
                        result.append(Entry(entry.text, False, True, unclear if entry.in_head else entry.change))
                result += [Entry(text, True, False, unclear) for text in head[first:last]]
                position = end
        result += map(_commit, entries[position:])
        self._replace(self.restore_lines(result))

    def _find_commit(self, entries: Sequence[Entry], head: Sequence[bytes]) -> set[int] | None:
        """Return the entries whose commit makes `head`, if it is all of them, none, or what one session may commit."""
        everything = {number for number, entry in enumerate(entries) if entry.change}
        candidates = [set(), everything]
        for owner in {change.owner for change in self.changes.values()} - {NOBODY, UNCLEAR}:
            candidates.append(self.select(owner))
        for chosen in candidates:
            if compose(entries, chosen) == head:
                return chosen
        return None

    def restore_lines(self, entries: list[Entry], first: int = 0) -> list[Entry]:
        """Return `entries` where a line that came back to its place, by the change `first` or later, is no change."""
        result: list[Entry] = []
        region: list[Entry] = []
        for entry in entries:
            if not entry.is_kept:
                region.append(entry)
                continue
            if region:
                result += self._restore_region(region, first)
                region = []
            result.append(entry)
        return result + self._restore_region(region, first)

    def _restore_region(self, region: list[Entry], oldest: int) -> list[Entry]:
        """Do so between two kept lines."""
        deleted = [place for place, entry in enumerate(region) if entry.in_head]
        added = [place for place, entry in enumerate(region) if entry.is_live]
        old = [region[place].text for place in deleted]
        new = [region[place].text for place in added]
        if set(old).isdisjoint(new):
            return region
        zones = find_zones(old, new)
        owners = {self.owner_of(entry) for entry in region}
        if len(owners) > 1 and any(zone.ambiguous for zone in zones):
            self.mark_unclear(entry.change for entry in region)
        blocks = _list_blocks(zones)
        kept = set(added)
        for _, _, first, last in blocks:
            kept.difference_update(added[first:last])
        if any(region[place].change < oldest for place in kept):
            # They stood there before: what has changed is what another put between, or took away.
            self.mark_unclear(entry.change for entry in region)
            return region
        result: list[Entry] = []
        position = 0
        for start, end, first, last in blocks:
            result += [Entry(text, True, True, 0) for text in old[position:start]]
            result += [region[place] for place in sorted(deleted[start:end] + added[first:last])]
            position = end
        return result + [Entry(text, True, True, 0) for text in old[position:]]

    def select(self, session: str) -> set[int]:
        """Return the numbers of the entries that are the session's and that a commit can contain without others'.

        A change of which a part is left out is left out as a whole.
        """
        entries = self.list_entries()
        own: set[int] = set()
        left: set[int] = set()
        for number, entry in enumerate(entries):
            if entry.change:
                (left if self.is_foreign(entry, session) else own).add(number)
        while own:
            broken = {entries[number].change for number in left}
            dropped = {number for number in own if entries[number].change in broken}
            dropped |= _find_enclosed(entries, own)
            dropped |= _find_counterparts(entries, own)
            if not dropped:
                return own if is_content(compose(entries, own)) else set()
            own -= dropped
            left |= dropped
        return own

    def commit(self, chosen: set[int]) -> None:
        """Take over that the entries `chosen`, and no others, were committed."""
        result = []
        for number, entry in enumerate(self.list_entries()):
            if number not in chosen:
                result.append(entry)
            elif entry.is_live:
                result.append(_commit(entry))
        self._replace(result)

    def disown(self, alive: set[str]) -> bool:
        """Give the changes of all other sessions than those `alive` to nobody; return whether there were any."""
        found = False
        for number, change in self.changes.items():
            if change.owner not in alive | {NOBODY, UNCLEAR}:
                self.changes[number] = Change(NOBODY, change.shell)
                found = True
        return found

    def assign(self, chosen: set[int], owner: str) -> None:
        """Make the entries `chosen` one change of `owner`."""
        number = self.add_change(owner)
        result = []
        for place, entry in enumerate(self.list_entries()):
            result.append(Entry(entry.text, entry.in_head, entry.is_live, number) if place in chosen else entry)
        self._replace(result)

    def _replace(self, entries: list[Entry]) -> None:
        self.runs = _compress(entries)
        self.drop_unused()

    def drop_unused(self) -> None:
        """Forget the changes of which nothing is left."""
        used = {run.change for run in self.runs}
        self.changes = {number: change for number, change in self.changes.items() if number in used}


def compose(entries: Sequence[Entry], chosen: set[int]) -> list[bytes]:
    """Return the lines of HEAD with the changes `chosen`, numbers of entries."""
    lines = []
    for number, entry in enumerate(entries):
        if entry.in_head != (number in chosen):
            lines.append(entry.text)
    return lines


def _find_enclosed(entries: Sequence[Entry], own: set[int]) -> set[int]:
    """Return which of `own` stand between lines of others with no line of HEAD between: they have no place in HEAD."""
    enclosed: set[int] = set()
    run: list[int] = []
    for number in range(len(entries) + 1):
        if number < len(entries) and not entries[number].in_head:
            run.append(number)
            continue
        others = [place for place in run if place not in own]
        if others:
            enclosed.update(place for place in run if place in own and others[0] < place < others[-1])
        run = []
    return enclosed


def _find_counterparts(entries: Sequence[Entry], own: set[int]) -> set[int]:
    """Return which of `own` remove a line that others bring near by, or bring one that others remove.

    A commit would lack a line that is in HEAD and in the working tree, or have it twice. Brackets and the like are
    everywhere: they count only between the same kept lines.
    """
    found: set[int] = set()
    for numbers in (range(len(entries)), range(len(entries) - 1, -1, -1)):
        kept = 0
        seen: dict[tuple[bytes, bool], tuple[int, int]] = {}
        for number in numbers:
            entry = entries[number]
            kept += entry.is_kept
            if number not in own:
                if entry.change:
                    seen[entry.text, entry.in_head] = (number, kept)
                continue
            other = seen.get((entry.text, not entry.in_head))
            if other is None:
                continue
            is_near = abs(number - other[0]) <= CONTEXT and not _is_common(entry.text)
            if is_near or other[1] == kept:
                found.add(number)
    return found


def _commit(entry: Entry) -> Entry:
    """Return an entry that HEAD has now."""
    return entry if entry.in_head else Entry(entry.text, True, True, 0)


def _list_blocks(zones: Iterable[Zone]) -> list[Block]:
    blocks: list[Block] = []
    for zone in zones:
        blocks += zone.blocks
    return blocks


def _expand(runs: Iterable[Run], lines: Sequence[bytes]) -> list[Entry]:
    """Return the entries of `runs`, whose live lines are `lines`."""
    entries: list[Entry] = []
    position = 0
    for run in runs:
        texts: Sequence[bytes] = run.texts
        if run.is_live:
            texts = lines[position : position + run.count]
            position += run.count
        entries += [Entry(text, run.in_head, run.is_live, run.change) for text in texts]
    return entries


def _compress(entries: Iterable[Entry]) -> list[Run]:
    runs: list[Run] = []
    for entry in entries:
        last = runs[-1] if runs else None
        if last is None or not last.is_like(entry):
            last = Run(0, entry.change, in_head=entry.in_head, is_live=entry.is_live)
            runs.append(last)
        last.count += 1
        if not entry.is_live:
            last.texts.append(entry.text)
    return runs


class _Window:
    """The part of a weave around the live lines `start` to `end`; it begins and ends at a kept line, or at the ends.

    `first` and `last` are its live lines, `before` and `after` the runs around it.
    """

    def __init__(self, weave: Weave, start: int, end: int) -> None:
        first = last = None
        position = 0
        for run in weave.runs:
            if run.in_head and run.is_live:
                final = position + run.count - 1
                if position <= start:
                    first = min(start, final)
                if last is None and final >= end - 1:
                    last = max(position, end - 1)
            position += run.count * run.is_live
        self.first, self.last = 0, position
        self.before: list[Run] = []
        self.after: list[Run] = []
        inside = weave.runs
        # The end is cut off first, so that the numbers of lines hold.
        if last is not None:
            inside, self.after = _split_runs(inside, last, after=True)
            self.last = last + 1
        if first is not None:
            self.before, inside = _split_runs(inside, first, after=False)
            self.first = first
        self.lines = weave.lines[self.first : self.last]
        self.entries = _expand(inside, self.lines)


def _split_runs(runs: Sequence[Run], line: int, *, after: bool) -> tuple[list[Run], list[Run]]:
    """Return `runs` up to the kept live line `line`, and from it on; with `after`, it is the last of the former."""
    position = 0
    for number, run in enumerate(runs):
        if run.is_live:
            if line < position + run.count:
                cut = line - position + after
                upper = [*runs[:number], run.part(0, cut)]
                lower = [run.part(cut, run.count), *runs[number + 1 :]]
                return [run for run in upper if run.count], [run for run in lower if run.count]
            position += run.count
    return list(runs), []


class _Step:
    """One step of a weave, with what the decisions on its blocks share."""

    def __init__(self, weave: Weave, owner: str, shell: str, remember: bool) -> None:
        self.weave = weave
        self.owner = owner
        self.shell = shell
        self.remember = remember
        self.entries: list[Entry] = []
        # Where the live lines stand among the entries.
        self.places: list[int] = []
        # Texts that come and that nobody else may have had, and texts that come and go: a move.
        self.copied: set[bytes] = set()
        self.moved: set[bytes] = set()
        self.move = 0

    def take(self, lines: Sequence[bytes]) -> None:
        weave = self.weave
        above = count_common_start(weave.lines, lines)
        most = min(len(weave.lines), len(lines)) - above
        below = count_common_end(weave.lines, lines, most)
        if above == len(weave.lines) == len(lines):
            return
        # Up to CONTEXT entries around a change have a say.
        start = max(above - CONTEXT - 1, 0)
        end = min(len(weave.lines) - below + CONTEXT + 1, len(weave.lines))
        window = _Window(weave, start, end)
        new = lines[window.first : len(lines) - (len(weave.lines) - window.last)]
        self.entries = window.entries
        self.places = [place for place, entry in enumerate(self.entries) if entry.is_live]
        first = weave.next_change
        entries = self._change(window, find_zones(window.lines, new), new)
        entries = weave.restore_lines(entries, first)
        weave.lines = list(lines)
        weave.runs = _join_runs([*window.before, *_compress(entries), *window.after])
        weave.revision += 1
        weave.drop_unused()

    def _change(self, window: _Window, zones: Sequence[Zone], new: Sequence[bytes]) -> list[Entry]:
        """Return the entries after all blocks."""
        blocks = _list_blocks(zones)
        came: set[bytes] = set()
        went: list[Entry] = []
        for start, end, first, last in blocks:
            came.update(new[first:last])
            went += [self.entries[place] for place in self.places[start:end]]
        tainted = self._note_removed(went, came)
        self.copied |= came & self._list_deleted(window)
        self.moved = came & {entry.text for entry in went}
        if self.moved:  # the two ends of a move are one change
            self.move = self.weave.add_change(self.owner, self.shell)
        result: list[Entry] = []
        position = 0
        for zone in zones:
            doubt = False
            if zone.ambiguous:
                around = self._list_around(zone)
                doubt = any(self._is_foreign(entry) for entry in around)
                if doubt:
                    tainted.update(entry.change for entry in around)
            for block in zone.blocks:
                start, end = self._find_place(block)
                result += self.entries[position:start]
                result += self._change_block(block, self.entries[start:end], new[block[2] : block[3]], doubt)
                position = end
        result += self.entries[position:]
        if came:
            tainted |= self._find_brought_back(came, result, window)
        self.weave.mark_unclear(tainted)
        return result

    def _note_removed(self, went: Iterable[Entry], came: set[bytes]) -> set[int]:
        """Remember which uncommitted texts vanish, set `copied`, and return the changes of which a part vanishes."""
        tainted = set()
        foreign = set()
        for entry in went:
            if entry.in_head:
                continue
            text = _squeeze(entry.text)
            if self._is_foreign(entry):
                foreign.add(text)
                tainted.add(entry.change)
            if self.remember:
                self.weave.gone.setdefault(text, set()).add(self.weave.owner_of(entry))
        for text in came:
            known = _squeeze(text)
            if known in foreign or self.weave.gone.get(known, set()) - {self.owner}:
                self.copied.add(text)
        return tainted

    def _list_deleted(self, window: _Window) -> set[bytes]:
        """Return the lines of HEAD that others have deleted; brackets and the like only near by."""
        deleted = {entry.text for entry in self.entries if not entry.is_live and self._is_foreign(entry)}
        for run in (*window.before, *window.after):
            if run.texts and self.weave.changes[run.change].owner != self.owner:
                deleted.update(text for text in run.texts if not _is_common(text))
        return deleted

    def _list_around(self, zone: Zone) -> list[Entry]:
        """Return the entries between the certain pairs around a zone."""
        first = self.places[zone.start - 1] + 1 if zone.start else 0
        last = self.places[zone.end] if zone.end < len(self.places) else len(self.entries)
        return self.entries[first:last]

    def _find_place(self, block: Block) -> tuple[int, int]:
        """Return which entries a block replaces."""
        start, end = block[:2]
        if start < end:
            return self.places[start], self.places[end - 1] + 1
        # It inserts: after the deleted lines that follow the line before.
        place = self.places[end] if end < len(self.places) else len(self.entries)
        return (self.places[start - 1] + 1 if start else 0), place

    def _change_block(self, block: Block, inside: Sequence[Entry], new: Sequence[bytes], doubt: bool) -> list[Entry]:
        """Return what becomes of the entries `inside` that a block replaces by `new`."""
        gone = {entry.text for entry in inside if entry.is_live}
        if new and any(self._is_foreign(entry) for entry in inside):
            # It replaces lines of another, or stands where another deleted some.
            doubt = True
        if not self.copied.isdisjoint(new) or not self.copied.isdisjoint(gone):
            doubt = True
        if not doubt and self.owner != NOBODY:
            doubt = self._has_twin(block)
        if not self.moved.isdisjoint(new) or not self.moved.isdisjoint(gone):
            number = self.move
            if doubt:
                self.weave.changes[number] = Change(UNCLEAR, self.shell)
        else:
            number = self.weave.add_change(UNCLEAR if doubt else self.owner, self.shell)
        result = []
        for entry in inside:
            if entry.in_head:
                result.append(Entry(entry.text, True, False, number if entry.is_live else entry.change))
        result += [Entry(text, False, True, number) for text in new]
        return result

    def _has_twin(self, block: Block) -> bool:
        """Whether a line of a block, or beside it, is also near by as another's: which copy is that of HEAD?"""
        start, end = block[:2]
        first, last = self._find_place(block)
        twins = set()
        for entry in self.entries[max(0, first - CONTEXT) : last + CONTEXT]:
            if not entry.in_head and self._is_foreign(entry):
                twins.add(entry.text)
        if not twins:
            return False
        for place in self.places[max(0, start - 1) : end + 1]:
            entry = self.entries[place]
            if entry.text in twins and not self._is_foreign(entry):
                return True
        return False

    def _find_brought_back(self, came: set[bytes], entries: Sequence[Entry], window: _Window) -> set[int]:
        """Return the deletions of others whose lines are among those that came."""
        found = set()
        for entry in entries:
            if entry.in_head and not entry.is_live and entry.text in came and self._is_foreign(entry):
                found.add(entry.change)
        for run in (*window.before, *window.after):
            if not came.isdisjoint(run.texts) and self.weave.changes[run.change].owner != self.owner:
                found.add(run.change)
        return found

    def _is_foreign(self, entry: Entry) -> bool:
        return self.weave.is_foreign(entry, self.owner)


def _squeeze(text: bytes) -> bytes:
    """Return `text` without blanks: who writes a removed line again may have indented it. Brackets stay as they are."""
    return text if _is_common(text) else b"".join(text.split())


def _is_common(text: bytes) -> bool:
    """Whether a line is so short that others are like it: blank, a bracket."""
    return len(b"".join(text.split())) <= 3


def _join_runs(runs: Iterable[Run]) -> list[Run]:
    """Return `runs` where successive ones of one kind and change are one."""
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is not None and last.is_like(run):
            joined[-1] = last.with_next(run)
        else:
            joined.append(run)
    return joined
