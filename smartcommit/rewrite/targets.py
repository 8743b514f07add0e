"""Finds the commit of a range that each hunk of a change belongs to, with the reason and how sure that is.

A hunk that replaces lines of one commit, or stands between them, belongs to that commit. Others are given a target only
if what they import, restore or use says so, if the hunks that use what they define have one, or if lines of the last
commit are near. No hunk goes to a commit before what it uses was added, or before what it removes was used last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from smartcommit.change.languages import find_language
from smartcommit.change.symbols import find_symbol_changes
from smartcommit.change.text import HUNKS_COMPARED, HunkText, find_names, is_import, read_hunk, split_identifier
from smartcommit.change.uses import Use, list_uses
from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import ChangeUnits, Unit, group_by_file
from smartcommit.message.checks import find_autosquash_target
from smartcommit.patterns import compile_on_use
from smartcommit.rewrite.origins import BASE, LineHistory, Origins, count_lines

# Lines above and below a hunk that are near.
_NEAR = 3
# Characters of a line or a name that tells something: shorter ones are everywhere.
_LINE_LENGTH = 13
_NAME_LENGTH = 6
# So many lines that go in one place and come in another were moved; fewer may be the same by chance.
_LINES_MOVED = 3
# How often a hunk belongs to the only commit that changed its file, if it edits lines of that: there is no better sign.
_BEST = 0.98
# How often a definition belongs to the commit whose hunk uses it; what is used less surely lends no target.
_USED = 0.9
# Kinds of symbols that no line uses by their names.
_NOT_USED_BY_NAME = ("key", "section", "test")
_VERSION = compile_on_use(r"\d+(?:\.\d+)+")
# Why a file's change stays, by git's letter for it.
_WHOLE_FILE = {"A": "a new file", "D": "a deleted file", "R": "a renamed file", "T": "a file of another type"}


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a unit belongs: `target` is the position of a commit in the range, None if the unit stays where it is.

    `reason` says why. `confidence` is how often such a reason was right in fixup commits of public projects, from 0 to
    1, and 0 without a target.
    """

    unit: Unit
    target: int | None
    reason: str
    confidence: float


def find_targets(
    change: ChangeUnits, origins: Origins, titles: Sequence[str], *, by_rebase: bool = False, whole_file: bool = False
) -> list[Placement]:
    """Return where each unit of `change`, which follows the last commit of the range, belongs; in their order.

    The `titles` of the commits say which of them are fixups of others. If the units will be moved by `git rebase`
    (`by_rebase`), no later commit may change a line next to theirs. With `whole_file` only the file of a unit matters.
    """
    finder = _Finder(change, origins, titles, by_rebase=by_rebase)
    placements = [finder.place(unit, whole_file=whole_file) for unit in change.units]
    if not whole_file:
        _refuse_moves(placements)
        _refuse_outliers(placements)
        _follow_uses(placements, finder)
    return placements


def _let_stay(unit: Unit, reason: str) -> Placement:
    return Placement(unit, None, reason, 0.0)


class _Finder:
    """Places units of a change, each by itself, by what the commits of the range did."""

    def __init__(self, change: ChangeUnits, origins: Origins, titles: Sequence[str], *, by_rebase: bool) -> None:
        self._change = change
        self._origins = origins
        self._titles = [find_autosquash_target(title) or title for title in titles]
        self._by_rebase = by_rebase
        self._versions = range(len(origins.diffs))

    def place(self, unit: Unit, *, whole_file: bool) -> Placement:
        obstacle = self._find_form(unit)
        if obstacle:
            return _let_stay(unit, obstacle)
        history = self._origins.find(unit.change.path)
        if not whole_file:
            return self._check(self._place_lines(unit, unit.hunks[0], history))
        if not history.changes:
            return _let_stay(unit, "none of these commits changes the file")
        return Placement(unit, max(history.changes), "this commit is the last one that changes the file", 1.0)

    def can_take(self, unit: Unit, commit: int) -> bool:
        """Whether `unit` can become a part of `commit`, if something else says that it belongs there."""
        return not self._find_form(unit) and self._check(Placement(unit, commit, "", _USED)).target is not None

    def _find_form(self, unit: Unit) -> str:
        """Return what `unit` is if it is not lines in a file that was text in all commits, else nothing."""
        change = unit.change
        if change.status != "M":
            return _WHOLE_FILE.get(change.status, "more than an edit of lines")
        if unit.kind == "mode" or change.old_mode != change.new_mode:
            return "a change of the file's mode"
        if self._change.files[change.path].text is None or len(unit.hunks) != 1:
            return "not lines of text"
        if not self._origins.find(change.path).is_text:
            return "the file was not text in all these commits"
        return ""

    def _get_base(self, path: bytes) -> bytes:
        text = self._change.files[path].text
        assert text is not None
        return text.base

    def can_place(self, unit: Unit, commit: int) -> bool:
        """Whether the file has the lines of `unit`, or a line beside its place, from `commit` on."""
        history = self._origins.find(unit.change.path)
        if history.changes and history.find_entry(commit) is None:
            return False
        (hunk,) = unit.hunks
        return history.find_place(hunk.old_lines, commit) is not None

    def list_origins(self, unit: Unit) -> list[int]:
        """Return the commits that inserted the lines that `unit` removes."""
        if len(unit.hunks) != 1:
            return []
        (hunk,) = unit.hunks
        return self._origins.find(unit.change.path).list_origins(hunk.old_lines)

    def _place_lines(self, unit: Unit, hunk: Hunk, history: LineHistory) -> Placement:
        origins = self.list_origins(unit)
        commits = sorted({*origins} - {BASE})
        if len({self._titles[commit] for commit in commits}) > 1:
            return _let_stay(unit, "it changes lines of several commits")
        changing = list(history.changes)
        if commits:
            target = commits[-1]
            if BASE not in origins:
                confidence = _BEST if changing == commits else 0.92
                return Placement(unit, target, "it changes lines of this commit", confidence)
            if changing[-1] == target:
                return Placement(unit, target, "it changes lines of this commit and older ones", 0.93)
        # The origins of the lines above and below, the nearest ones first.
        last = count_lines(self._get_base(unit.change.path))
        top, bottom = hunk.old_lines.start, hunk.old_lines.stop
        above = history.list_origins(range(max(top - _NEAR, 0), top))[::-1]
        below = history.list_origins(range(bottom, min(bottom + _NEAR, last)))
        if not origins and above and below and above[0] == below[0] and above[0] != BASE:
            return Placement(unit, above[0], "it stands between lines of this commit", 0.95)
        placement = self._find_user(unit, hunk) or self._find_remover(unit, hunk)
        return placement or self._guess(unit, above, below)

    def _find_user(self, unit: Unit, hunk: Hunk) -> Placement | None:
        """Return the first commit that uses in the same file what the hunk imports, which only imports."""
        language = find_language(unit.change.path)
        lines = [line for line in read_hunk(hunk).added.read() if line]
        names: set[str] = set()
        for line in lines:
            names.update(language.list_imported(line))
        if hunk.removed or not names or not all(is_import(line) for line in lines):
            return None
        for commit in self._versions:
            for text in self._read_texts(commit, unit.change.path):
                used = sorted(names & text.added.spoken)
                if used:
                    return Placement(unit, commit, f"it imports '{used[0]}', which this commit uses", 0.95)
        return None

    def _find_remover(self, unit: Unit, hunk: Hunk) -> Placement | None:
        """Return the commit that removed what the hunk inserts in the same file."""
        text = read_hunk(hunk)
        wanted = {item for item in text.added.read() if _is_telling(item)} - set(text.removed.read())
        for commit in self._versions:
            removed: set[str] = set()
            for other in self._read_texts(commit, unit.change.path):
                removed.update(other.removed.read())
            if wanted and wanted <= removed:
                return Placement(unit, commit, "it restores lines that this commit removed", 0.95)
        return None

    def _guess(self, unit: Unit, above: Sequence[int], below: Sequence[int]) -> Placement:
        """Return the commit that alone brought in names that `unit` uses, or the last one if its lines are near."""
        (hunk,) = unit.hunks
        if not hunk.added:
            return _let_stay(unit, "it removes lines from before these commits")
        placements = []
        for commit in self._origins.find(unit.change.path).changes:
            names = self._list_brought(unit, commit)
            if names and self.can_place(unit, commit):
                reason = f"it uses '{names[0]}', which this commit brought in"
                placements.append(Placement(unit, commit, reason, 0.85))
        if len(placements) > 1:
            return _let_stay(unit, "it uses names of several commits")
        if placements:
            return placements[0]
        # At the border of a commit's lines, most insertions are something new.
        is_at_border = not hunk.removed and {*above[:1], *below[:1]} != {BASE}
        if {*above, *below} - {BASE} == {self._versions[-1]} and not is_at_border:
            return Placement(unit, self._versions[-1], "it is near lines of this commit, the last one", 0.9)
        return _let_stay(unit, "nothing shows which commit it belongs to")

    def _check(self, placement: Placement) -> Placement:
        """Return `placement`, or that the unit stays because of what its target or a later commit lacks."""
        if placement.target is None:
            return placement
        obstacle = self._find_obstacle(placement.unit, placement.target)
        return _let_stay(placement.unit, obstacle) if obstacle else placement

    def _find_obstacle(self, unit: Unit, target: int) -> str | None:
        """Return why `unit` cannot be part of the commit `target`, None if it can."""
        text = read_hunk(unit.hunks[0])
        if not self.can_place(unit, target):
            return "the commit it belongs to has no place for it"
        if self._raises_again(unit, target):
            return "it raises a version that the commit has raised already"
        for name in sorted(text.added.spoken - text.removed.spoken):
            if min(self._definers.get(name, [target])) > target:
                return f"it uses '{name}', which a later commit adds"
        gone = _list_removed(unit)
        for commit in self._versions[target + 1 :]:
            for later in self._read_texts(commit):
                used = sorted(gone & later.removed.spoken)
                if used:
                    return f"it removes '{used[0]}', which a later commit still uses"
        (hunk,) = unit.hunks
        history = self._origins.find(unit.change.path)
        if self._by_rebase and not history.is_apart(hunk.old_lines, target):
            return "a later commit changes a line next to it, so a rebase would conflict: leave out '--fixup'"
        return None

    def _raises_again(self, unit: Unit, commit: int) -> bool:
        """Whether a version goes up in a line where `commit` has raised it, as for the next release."""
        text = read_hunk(unit.hunks[0])
        new = _read_versions(text.added.read())
        for shape, version in _read_versions(text.removed.read()).items():
            if new.get(shape, ()) > version:
                for other in self._read_texts(commit, unit.change.path):
                    old = _read_versions(other.removed.read())
                    if old.get(shape, version) < version:
                        return True
        return False

    @cached_property
    def _definers(self) -> dict[str, list[int]]:
        """The commits that add a definition of each telling name."""
        definers: dict[str, list[int]] = {}
        for commit in self._versions:
            for diff in self._origins.diffs[commit]:
                for symbol in find_symbol_changes(diff, with_touched=False).added:
                    if _is_distinct(symbol.name):
                        definers.setdefault(symbol.name, []).append(commit)
        return definers

    def _list_brought(self, unit: Unit, commit: int) -> list[str]:
        """Return the telling names on changed lines that this commit of the range alone brought in."""
        text = read_hunk(unit.hunks[0])
        names = []
        for name in sorted(text.added.spoken - text.removed.spoken):
            is_brought = self._bringers.get(name) == [commit] and _is_distinct(name)
            if is_brought and not self._is_older(unit.change.path, name):
                names.append(name)
        return names

    def _is_older(self, path: bytes, name: str) -> bool:
        """Whether a line of the file from before the range has the name."""
        history = self._origins.find(path)
        for number, line in enumerate(self._get_base(path).split(b"\n")):
            has_name = name.encode() in line and name in find_names(line.decode("utf-8", "replace"))
            if has_name and history.list_origins(range(number, number + 1)) == [BASE]:
                return True
        return False

    @cached_property
    def _bringers(self) -> dict[str, list[int]]:
        """The commits that added lines with each name and removed none."""
        bringers: dict[str, list[int]] = {}
        for commit in self._versions:
            added: set[str] = set()
            removed: set[str] = set()
            for text in self._read_texts(commit):
                added |= text.added.spoken
                removed |= text.removed.spoken
            for name in added - removed:
                bringers.setdefault(name, []).append(commit)
        return bringers

    def _read_texts(self, commit: int, path: bytes | None = None) -> Iterator[HunkText]:
        for diff in self._origins.diffs[commit]:
            if path is None or diff.change.path == path:
                yield from (read_hunk(hunk) for hunk in diff.hunks[:HUNKS_COMPARED])


def _refuse_moves(placements: list[Placement]) -> None:
    """Let units stay between which lines move, unless they belong to one commit."""
    added: list[set[str]] = []
    # The positions of the units that remove a line, by the line.
    removers: dict[str, list[int]] = {}
    for position, placement in enumerate(placements):
        gone: set[str] = set()
        come: set[str] = set()
        for hunk in placement.unit.hunks[:HUNKS_COMPARED]:
            text = read_hunk(hunk)
            gone.update(item for item in text.removed.read() if _is_telling(item))
            come.update(item for item in text.added.read() if _is_telling(item))
        added.append(come - gone)
        for line in gone - come:
            removers.setdefault(line, []).append(position)
    for taker, come in enumerate(added):
        givers = Counter(chain.from_iterable(removers.get(line, ()) for line in come))
        for giver, count in givers.items():
            if count >= _LINES_MOVED and placements[giver].target != placements[taker].target:
                for position in (giver, taker):
                    placements[position] = _let_stay(placements[position].unit, "it moves lines")


def _refuse_outliers(placements: list[Placement]) -> None:
    """Let a unit stay if most of the change belongs to another commit, unless the evidence is the best there is.

    In public histories the authors put more than a third of such hunks where the rest of the fix went.
    """
    targets = Counter(placement.target for placement in placements if placement.target is not None)
    if not targets:
        return
    ((target, count),) = targets.most_common(1)
    if 2 * count <= targets.total():
        return
    reason = "most of the change belongs to another commit, and this may too"
    for position, placement in enumerate(placements):
        if placement.target not in (None, target) and placement.confidence < _BEST:
            placements[position] = _let_stay(placement.unit, reason)


def _follow_uses(placements: list[Placement], finder: _Finder) -> None:
    """Give a definition the target of the hunks that use it, and let what cannot be without others stay with them."""
    files = [group_by_file([placement.unit]) for placement in placements]
    # Each says at which positions a unit is that uses something, and one that adds or removes what is used.
    uses = [use for use in list_uses(files) if use.is_sure]
    while _lend_targets(uses, placements, finder):
        pass
    changed = True
    while changed:
        changed = False
        for use in uses:
            user, definer = placements[use.user], placements[use.definer]
            if use.side == "added":
                if user.target is not None and (definer.target is None or definer.target > user.target):
                    reason = f"it uses what '{definer.unit.id}' adds, which is not there then"
                    placements[use.user] = _let_stay(user.unit, reason)
                    changed = True
            elif definer.target is not None:
                is_later = user.target is not None and user.target > definer.target
                if user.target is None or (is_later and {*finder.list_origins(user.unit)} != {user.target}):
                    reason = f"it removes what '{user.unit.id}' still uses then"
                    placements[use.definer] = _let_stay(definer.unit, reason)
                    changed = True


def _lend_targets(uses: Sequence[Use], placements: list[Placement], finder: _Finder) -> bool:
    """Give each hunk that edits no lines of the range the first target of those that use what it adds.

    Return whether any got another target.
    """
    targets: dict[int, int] = {}
    for use in uses:
        user = placements[use.user]
        if use.side == "added" and user.target is not None and user.confidence >= _USED:
            targets[use.definer] = min(targets.get(use.definer, user.target), user.target)
    changed = False
    for position, target in targets.items():
        definer = placements[position]
        # Others may use what is removed from before the range.
        is_free = {*finder.list_origins(definer.unit)} <= {BASE} and not _list_removed(definer.unit)
        is_later = definer.target is None or definer.target > target
        if is_free and is_later and finder.can_take(definer.unit, target):
            placements[position] = Placement(definer.unit, target, "a hunk of this commit uses what it adds", _USED)
            changed = True
    return changed


def _list_removed(unit: Unit) -> set[str]:
    symbols = find_symbol_changes(group_by_file([unit])[0], with_touched=False)
    gone = list(symbols.removed)
    gone += [before for before, _ in symbols.renamed]
    return {symbol.name for symbol in gone if symbol.kind not in _NOT_USED_BY_NAME}


def _is_telling(line: str) -> bool:
    return len(line) >= _LINE_LENGTH and not is_import(line)


def _is_distinct(name: str) -> bool:
    return len(name) >= _NAME_LENGTH or len(split_identifier(name)) > 1


def _read_versions(lines: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the only version of each line that calls it one, by the line without it."""
    versions = {}
    for line in lines:
        matches = _VERSION.findall(line)
        if len(matches) == 1 and "version" in line.lower():
            versions[line.replace(matches[0], "#")] = tuple(int(part) for part in matches[0].split("."))
    return versions
