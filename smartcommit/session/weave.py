"""One file's lines in HEAD and in the working tree, and whose change each difference is.

A weave has the lines of both versions in one order: lines that are kept, lines of HEAD that are deleted, and lines that
are new. Each deletion and each new line belongs to a change. A change belongs to a session, or to nobody (NOBODY), or
several had a part in it (UNCLEAR). What is not proven to be a session's is nobody's.

If HEAD has `a b c`, one session makes `b` an `x`, and another adds `d`, the weave is `a`, `b` (deleted by change 1),
`x` (new by change 1), `c`, `d` (new by change 2).

The first line stands for the mode of the file, so that creating and deleting it and chmod are changes like others. A
link, or a file that is not text, has one more line: all of its content.

The lines of a replacement are committed together, since half of one would lose what HEAD has. A session may make a
replacement in several steps, which become one change. A line without content (blank, a bracket, what HEAD has several
times) does not show whose a change is, since such lines stand everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from io import BytesIO

from smartcommit.record import Record
from smartcommit.session.alignment import MARKS, ChangedBlock, find_blocks, has_content

# Owners that are no session: a session's id has printable characters.
NOBODY = ""
UNCLEAR = "\0"
_MODE = b"\0mode "
# A line that HEAD has so often says nothing of its own; twice may be a block that somebody has copied.
_SEVERAL = 3
# Entries between two lines that count as near by.
_NEAR = 24
# Turns what stands between words into blanks.
_BLANKS = bytes.maketrans(MARKS, b" " * len(MARKS))


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
    return [mode, *BytesIO(content.data)]


def join_lines(lines: Sequence[bytes]) -> Content | None:
    if not lines:
        return None
    return Content(lines[0].removeprefix(_MODE).decode(), b"".join(lines[1:]))


def is_content(lines: Sequence[bytes]) -> bool:
    """Whether these are the lines of a content: one mode, and only the last line without a newline."""
    return not lines or (lines[0].startswith(_MODE) and list_lines(join_lines(lines)) == lines)


class LineChange(Record):
    """One change: `owner` is a session, NOBODY or UNCLEAR; it was found after a shell command of `shell`, if any."""

    owner: str
    shell: str = ""


class WeaveLine:
    """A line that is `in_head`, in the working tree (`is_live`), or in both; it is never changed.

    `change` is the number of the change that it belongs to, and 0 if it is in both.
    """

    __slots__ = ("change", "in_head", "is_live", "text")

    def __init__(self, text: bytes, in_head: bool, is_live: bool, change: int) -> None:
        self.text = text
        self.in_head = in_head
        self.is_live = is_live
        self.change = change

    @property
    def is_kept(self) -> bool:
        return self.in_head and self.is_live


class Weave:
    """The weave of one file.

    `entries` are all its lines, in order, and `changes` what their numbers of changes stand for. `gone` has the texts
    of uncommitted lines that were removed, without blanks, each with its owners. `revision` counts the steps that
    changed something.
    """

    def __init__(self, head: Sequence[bytes] = ()) -> None:
        self.entries = _keep(head)
        self.changes: dict[int, LineChange] = {}
        self.next_change = 1
        self.gone: dict[bytes, set[str]] = {}
        self.revision = 0

    @property
    def lines(self) -> list[bytes]:
        return [entry.text for entry in self.entries if entry.is_live]

    def head_lines(self) -> list[bytes]:
        return compose(self.entries, set())

    def owner_of(self, entry: WeaveLine) -> str:
        return self.changes[entry.change].owner

    def step(self, lines: Sequence[bytes], owner: str, *, shell: str = "", remember: bool = True) -> None:
        """Make the working tree's lines `lines`: what differs from those before is a change of `owner`.

        It was found after a shell command of the session `shell`, if any. Unless `remember`, texts that vanish are
        expected to come back.
        """
        if lines == self.lines:
            return
        first = self.next_change
        step = _Step(self, owner, shell, remember)
        changed = step.make_entries(lines)
        self.revision += 1
        result = []
        for entry in self._restore_lines(changed, first):
            number = step.follow(entry.change)
            result.append(WeaveLine(entry.text, entry.in_head, entry.is_live, number))
        self._replace(result)

    def add_change(self, owner: str, shell: str = "") -> int:
        number = self.next_change
        self.next_change += 1
        self.changes[number] = LineChange(owner, shell)
        return number

    def mark_unclear(self, entries: Iterable[WeaveLine]) -> None:
        """Make the changes of `entries` unclear, each as a whole: no half of a change is committed."""
        for entry in entries:
            if entry.change and self.owner_of(entry) != NOBODY:
                self.changes[entry.change] = LineChange(UNCLEAR, self.changes[entry.change].shell)

    def is_foreign(self, entry: WeaveLine, owner: str) -> bool:
        return entry.change != 0 and self.changes[entry.change].owner != owner

    def find_common(self) -> set[bytes]:
        """Return the texts that HEAD has so often that they say nothing of their own."""
        counts: dict[bytes, int] = {}
        common = set()
        for line in self.head_lines():
            text = line.strip()
            counts[text] = counts.get(text, 0) + 1
            if counts[text] == _SEVERAL:
                common.add(text)
        return common

    def removes_only_fresh(self, lines: Sequence[bytes], first: int) -> bool:
        """Whether a step to `lines` would remove only lines that nobody brought, since the change `first`."""
        live = [entry for entry in self.entries if entry.is_live]
        for start, end, _, _ in find_blocks(self.lines, lines):
            for entry in live[start:end]:
                if not entry.in_head and (entry.change < first or self.owner_of(entry) != NOBODY):
                    return False
        return True

    def rebase(self, head: Sequence[bytes]) -> None:
        """Make HEAD's lines `head`, after commits: what they have is committed, all else is not."""
        known = self._find_commit(head)
        if known is not None:
            self.commit(known)
            return
        self._change_head(head, UNCLEAR, list(range(len(self.entries))), [_commit(entry) for entry in self.entries])

    def uncommit(self, head: Sequence[bytes], owner: str) -> None:
        """Make HEAD's lines `head`, after commits of `owner` were undone: their lines are changes of `owner` again."""
        places = [place for place, entry in enumerate(self.entries) if entry.in_head]
        self._change_head(head, owner, places, self.entries)

    def _change_head(self, head: Sequence[bytes], owner: str, places: list[int], settled: Sequence[WeaveLine]) -> None:
        """Compare the entries at `places` with `head`: those that differ are changes of `owner`.

        All others become as in `settled`, which has an entry for each one of the weave.
        """
        result: list[WeaveLine] = []
        position = 0
        blocks = find_blocks([self.entries[place].text for place in places], head)
        common = self.find_common()
        went, came = set[bytes](), set[bytes]()
        for start, end, first, last in blocks:
            went.update(self.entries[place].text for place in places[start:end])
            came.update(text for text in head[first:last] if has_content(text, common))
        removers = self._find_removers(blocks, places, owner, common)
        # The two ends of a move are one change, as those of a step.
        moved, move = went & came, self.add_change(owner)
        for start, end, first, last in blocks:
            begin = stop = len(self.entries)
            if start < end:
                begin, stop = places[start], places[end - 1] + 1
            elif start < len(places):
                begin = stop = places[start]
            result += settled[position:begin]
            number = move
            if moved.isdisjoint({*head[first:last], *(self.entries[place].text for place in places[start:end])}):
                number = self.add_change(owner)
            if first < last:
                number = self._join_removed(self.entries[begin:stop], number)
            replaced = []
            for text in head[first:last]:
                waiting = removers.get(text) or [number]
                replaced.append(WeaveLine(text, True, False, waiting.pop(0)))
            for entry in self.entries[begin:stop]:
                if entry.is_kept:
                    result += [*replaced, WeaveLine(entry.text, False, True, number)]
                    replaced = []
                elif entry.is_live:
                    result.append(entry)
            result += replaced
            position = stop
        self._replace(self._restore_lines([*result, *settled[position:]], 0))

    def _find_removers(
        self, blocks: Sequence[ChangedBlock], places: list[int], owner: str, common: Collection[bytes]
    ) -> dict[bytes, list[int]]:
        """Return the changes of others that removed lines which HEAD loses, by the lines: they may only have moved."""
        removers: dict[bytes, list[int]] = {}
        for start, end, _, _ in () if owner == UNCLEAR else blocks:
            for place in places[start:end]:
                entry = self.entries[place]
                if not entry.is_live and self.is_foreign(entry, owner) and has_content(entry.text, common):
                    removers.setdefault(entry.text, []).append(entry.change)
        return removers

    def _join_removed(self, entries: Sequence[WeaveLine], number: int) -> int:
        """Return the change of the lines that HEAD gets back in the place of `entries`.

        That is the one by which its owner removed such lines before, or else the new one, `number`. It is unclear if
        lines were removed by others.
        """
        owner = self.changes[number].owner
        is_half = False
        for entry in entries:
            if not entry.in_head or entry.is_live:
                continue
            if self.owner_of(entry) == owner:
                number = entry.change
            else:
                is_half = True
        if is_half:
            self.changes[number] = LineChange(UNCLEAR)
        return number

    def _find_commit(self, head: Sequence[bytes]) -> set[int] | None:
        """Return the entries whose commit makes `head`, if it is all of them, none, or what one session may commit."""
        everything = {number for number, entry in enumerate(self.entries) if entry.change}
        candidates = [set(), everything]
        candidates += [self.select(owner) for owner in self.list_owners() - {NOBODY, UNCLEAR}]
        for chosen in candidates:
            if compose(self.entries, chosen) == head:
                return chosen
        return None

    def _restore_lines(self, entries: list[WeaveLine], first: int) -> list[WeaveLine]:
        """Return `entries` where a line that came back to its place, by the change `first` or later, is no change."""
        common = self.find_common()
        result: list[WeaveLine] = []
        region: list[WeaveLine] = []
        newest = 0
        for entry in [*entries, WeaveLine(b"", True, True, 0)]:
            if not entry.is_kept:
                region.append(entry)
                newest = max(newest, entry.change)
                continue
            if newest >= first:
                region = self._restore_region(region, first, common)
            result += region
            result.append(entry)
            region, newest = [], 0
        return result[:-1]

    def _restore_region(self, region: list[WeaveLine], oldest: int, common: set[bytes]) -> list[WeaveLine]:
        """Return a region without kept lines, in which lines that came back are kept again."""
        deleted = [place for place, entry in enumerate(region) if entry.in_head]
        added = [place for place, entry in enumerate(region) if not entry.in_head]
        old = [region[place].text for place in deleted]
        new = [region[place].text for place in added]
        if set(old).isdisjoint(new):
            return region
        blocks = find_blocks(old, new)
        kept = set(added)
        for _, _, first, last in blocks:
            kept.difference_update(added[first:last])
        for place in kept:
            if region[place].change < oldest and has_content(region[place].text, common):
                # They stood there before: what has changed is what another put between, or took away.
                if len({self.owner_of(item) for item in region}) > 1:
                    self.mark_unclear(region)
                return region
        result: list[WeaveLine] = []
        position = 0
        for start, end, first, last in blocks:
            result += _keep(old[position:start])
            result += [region[item] for item in sorted(deleted[start:end] + added[first:last])]
            position = end
        return result + _keep(old[position:])

    def find_replacing(self) -> set[int]:
        """Return the changes that replace lines: they delete some and add some."""
        deleting = {entry.change for entry in self.entries if entry.in_head}
        adding = {entry.change for entry in self.entries if not entry.in_head}
        return deleting & adding

    def select(self, session: str) -> set[int]:
        """Return the places of the session's entries that a commit can have; of a replacement, all or none."""
        changed = {number for number, entry in enumerate(self.entries) if entry.change}
        own = {number for number in changed if self.owner_of(self.entries[number]) == session}
        common = self.find_common()
        replacing = self.find_replacing()
        broken: set[int] = set()
        dropped = own
        while dropped:
            dropped = _find_enclosed(self.entries, own, common) | _find_counterparts(self.entries, own, common)
            for number in dropped:
                broken.add(self.entries[number].change)
            for number in own:
                if self.entries[number].change in broken & replacing:
                    dropped.add(number)
            own = own - dropped
        return own if is_content(compose(self.entries, own)) else set()

    def commit(self, chosen: set[int]) -> None:
        """Make the entries at the places `chosen` lines of HEAD: they were committed, and no others."""
        result = []
        for number, entry in enumerate(self.entries):
            if number not in chosen:
                result.append(entry)
            elif entry.is_live:
                result.append(_commit(entry))
        self._replace(result)

    def has_had(self, lines: Iterable[bytes], session: str) -> bool:
        """Whether the lines with content among `lines` are here, or were the session's alone."""
        common = self.find_common()
        known = {*self.lines, *self.head_lines()}
        for line in lines:
            if line not in known and has_content(line, common) and self.gone.get(_squeeze(line)) != {session}:
                return False
        return True

    def list_owners(self) -> set[str]:
        """Return the sessions, NOBODY and UNCLEAR, if they have changes here."""
        return {change.owner for change in self.changes.values()}

    def assign(self, chosen: set[int], owner: str) -> None:
        """Make the entries at the places `chosen` one change of `owner`."""
        number = self.add_change(owner)
        result = list(self.entries)
        for place in chosen:
            entry = result[place]
            result[place] = WeaveLine(entry.text, entry.in_head, entry.is_live, number)
        self._replace(result)

    def _replace(self, entries: list[WeaveLine]) -> None:
        self.entries = entries
        used = {entry.change for entry in entries}
        for number in self.changes.keys() - used:
            del self.changes[number]


def compose(entries: Sequence[WeaveLine], chosen: set[int]) -> list[bytes]:
    """Return the lines that HEAD has once the entries at the places `chosen` are committed."""
    return [entry.text for number, entry in enumerate(entries) if entry.in_head != (number in chosen)]


def _find_enclosed(entries: Sequence[WeaveLine], own: set[int], common: Collection[bytes]) -> set[int]:
    """Return which of `own` stand between lines of others, with no line of HEAD beside: they have no place in HEAD."""
    enclosed: set[int] = set()
    between: set[int] = set()
    is_after_others = False
    for number, entry in enumerate(entries):
        if entry.in_head:
            is_after_others = False
            between.clear()
        elif number in own:
            if is_after_others:
                between.add(number)
        elif has_content(entry.text, common):
            enclosed |= between
            is_after_others = True
    return enclosed


def _find_counterparts(entries: Sequence[WeaveLine], own: set[int], common: Collection[bytes]) -> set[int]:
    """Return which of `own` remove a line that others bring near by, or bring one that others remove.

    A commit would lack a line that is in HEAD and in the working tree, or have it twice. Lines without content are
    everywhere: they count only between the same kept lines.
    """
    found: set[int] = set()
    for numbers in (range(len(entries)), range(len(entries) - 1, -1, -1)):
        kept = 0
        seen: dict[tuple[bytes, bool], tuple[int, int]] = {}
        for number in numbers:
            entry = entries[number]
            if entry.is_kept:
                kept += 1
            if not entry.change:
                continue
            if number not in own:
                seen[entry.text, entry.in_head] = (number, kept)
                continue
            other = seen.get((entry.text, not entry.in_head))
            if other is None:
                continue
            is_near = abs(number - other[0]) <= _NEAR and has_content(entry.text, common)
            if is_near or other[1] == kept:
                found.add(number)
    return found


def _keep(texts: Iterable[bytes]) -> list[WeaveLine]:
    return [WeaveLine(text, True, True, 0) for text in texts]


def _commit(entry: WeaveLine) -> WeaveLine:
    return entry if entry.in_head else WeaveLine(entry.text, True, True, 0)


class _Step:
    """One step of a weave, in which `owner` changes lines, with what the decisions on the changed blocks share."""

    def __init__(self, weave: Weave, owner: str, shell: str, remember: bool) -> None:
        self.weave = weave
        self.owner = owner
        self.shell = shell
        self.remember = remember
        self.common = weave.find_common()
        self.lines = weave.lines
        # Where the live lines stand among the entries.
        self.places = [place for place, entry in enumerate(weave.entries) if entry.is_live]
        # Texts that come and that another has had, and texts that come and go: a move.
        self.copied: set[bytes] = set()
        self.moved: set[bytes] = set()
        self.move = 0
        self.replacing = weave.find_replacing()
        # Changes that became a part of another one.
        self.joined: dict[int, int] = {}

    def make_entries(self, new: Sequence[bytes]) -> list[WeaveLine]:
        """Return the entries of the weave after a step to the lines `new`."""
        entries = self.weave.entries
        blocks: list[ChangedBlock] = []
        for block in find_blocks(self.lines, new):
            blocks.append(self._slide(block, new, blocks[-1][1] if blocks else 0))
        came: set[bytes] = set()
        went: list[WeaveLine] = []
        for start, end, first, last in blocks:
            came.update(item for item in new[first:last] if self._has_content(item))
            went += [entries[place] for place in self.places[start:end]]
        self._note_removed(went, came)
        self.moved = came.intersection(item.text for item in went)
        if self.moved:  # the two ends of a move are one change
            self.move = self.weave.add_change(self.owner, self.shell)
        result: list[WeaveLine] = []
        position = 0
        for block in blocks:
            start, end = self._find_place(block)
            result += entries[position:start]
            result += self._change_block(block, new[block[2] : block[3]])
            position = end
        return result + entries[position:]

    def _note_removed(self, went: Iterable[WeaveLine], came: set[bytes]) -> None:
        """Remember which uncommitted texts vanish, and find those that come again."""
        gone = self.weave.gone
        halved = []
        for entry in went:
            if entry.in_head:
                continue
            if self.remember and self._has_content(entry.text):
                gone.setdefault(_squeeze(entry.text), set()).add(self.weave.owner_of(entry))
            # One that HEAD has several times may be all that has replaced a line.
            if self._is_foreign(entry) and entry.change in self.replacing and has_content(entry.text):
                halved.append(entry)
        self.weave.mark_unclear(halved)
        for text in came:
            if gone.get(_squeeze(text), set()) - {self.owner}:
                self.copied.add(text)

    def _slide(self, block: ChangedBlock, new: Sequence[bytes], top: int) -> ChangedBlock:
        """Return `block` moved up to where it does not part lines of others, if it only adds or only removes lines.

        Where a line is added above another's block that begins with the same line, the comparison finds it within that
        block. It is not moved above the line `top`.
        """
        start, end, first, last = block
        if start < end and first < last:
            return block
        while end > top and self._is_foreign_line(end - 1):
            text = new[last - 1] if first < last else self.lines[end - 1]
            if start - 1 <= top or self.lines[start - 1] != text:
                return block
            start, end, first, last = start - 1, end - 1, first - 1, last - 1
        if any(self._is_foreign_line(item) for item in range(start, end)):
            return block
        return start, end, first, last

    def _is_foreign_line(self, number: int) -> bool:
        return self._is_foreign(self.weave.entries[self.places[number]])

    def _find_place(self, block: ChangedBlock) -> tuple[int, int]:
        start, end = block[:2]
        if start < end:
            return self.places[start], self.places[end - 1] + 1
        # New lines come after the deleted ones that follow the line before.
        first, last = 0, len(self.weave.entries)
        if start > 0:
            first = self.places[start - 1] + 1
        if end < len(self.places):
            last = self.places[end]
        return first, last

    def _change_block(self, block: ChangedBlock, new: Sequence[bytes]) -> list[WeaveLine]:
        first, last = self._find_place(block)
        inside = self.weave.entries[first:last]
        number = self.move
        if self.moved.isdisjoint({*new, *self.lines[block[0] : block[1]]}):
            number = self.weave.add_change(self.owner, self.shell)
        unclear = number
        mixed = self._find_mixed(inside, new)
        if mixed and self.owner != NOBODY:
            unclear = self.weave.add_change(UNCLEAR, self.shell)
            live = [entry for entry in inside if entry.is_live]
            replaced = [entry for entry in live if entry.in_head or entry.change in self.replacing]
            if replaced and any(self._has_content(item) for item in mixed):
                self.weave.changes[number] = LineChange(UNCLEAR, self.shell)
                self.weave.mark_unclear(replaced)
        result = []
        for entry in inside:
            self._join(entry, number)
            if entry.is_kept:
                result.append(WeaveLine(entry.text, True, False, number))
            elif entry.in_head:
                result.append(entry)
        for text in new:
            result.append(WeaveLine(text, False, True, unclear if text in mixed else number))
        return result

    def _join(self, entry: WeaveLine, number: int) -> None:
        """Let the change `number` take in an earlier one of the same owner, if it goes on with that one's `entry`."""
        if self.owner == NOBODY or entry.is_kept or self._is_foreign(entry):
            return
        earlier, later = self.follow(entry.change), self.follow(number)
        if earlier != later and (entry.in_head or entry.change in self.replacing):
            self.joined[earlier] = later
            if self.weave.changes[earlier].owner == UNCLEAR:
                self.weave.changes[later] = self.weave.changes[earlier]

    def follow(self, number: int) -> int:
        """Return the change that the one with this number has become a part of, or itself."""
        while number in self.joined:
            number = self.joined[number]
        return number

    def _find_mixed(self, inside: Sequence[WeaveLine], new: Sequence[bytes]) -> set[bytes]:
        """Return which of the lines `new` may be another's: those that he had, or that are like one that goes here.

        Two lines are alike if they share a short word or a part of a longer one, or if one contains the other, blanks
        apart. Lines without content are so if a line beside them is, or if the same is another's here.
        """
        others = [entry.text for entry in inside if entry.is_live and self._is_foreign(entry)]
        words: set[bytes] = set()
        parts = []
        for other in others:
            if self._has_content(other):
                words |= _list_word_parts(other)
                parts.append(_squeeze(other))
        mixed = set()
        for text in new:
            if not self._has_content(text):
                continue
            squeezed = _squeeze(text)
            is_part = any(part in squeezed or squeezed in part for part in parts)
            if is_part or text in self.copied or not words.isdisjoint(_list_word_parts(text)):
                mixed.add(text)
        same = {_squeeze(other) for other in others}
        for text in new:
            if not self._has_content(text) and (mixed or _squeeze(text) in same):
                mixed.add(text)
        return mixed

    def _has_content(self, text: bytes) -> bool:
        return has_content(text, self.common)

    def _is_foreign(self, entry: WeaveLine) -> bool:
        return self.weave.is_foreign(entry, self.owner)


def _list_word_parts(text: bytes) -> set[bytes]:
    """Return all three bytes that follow each other in a word, and shorter words: an edit may change each word."""
    parts: set[bytes] = set()
    for word in text.translate(_BLANKS).split():
        parts.update(word[place : place + 3] for place in range(max(1, len(word) - 2)))
    return parts


def _squeeze(text: bytes) -> bytes:
    """Return `text` without blanks: who writes a removed line again may have indented it."""
    return b"".join(text.split())
