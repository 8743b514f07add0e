"""Why the changes of a commit are together, in one line, as far as names and paths show it.

It is found in the change alone, so that it holds for every plan, whoever made or edited it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, permutations

from smartcommit.change import filetypes
from smartcommit.change.languages import find_language
from smartcommit.change.text import HUNKS_COMPARED, TOKEN, read_hunk, split_identifier
from smartcommit.change.wording import format_count, has_secret, join_safe, make_printable, mentions_secret
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit, group_by_file
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.embedded.similarity import Part, read_part
from smartcommit.split.plan import SplitPlan, list_groups

# Units of a plan and files of a commit that are read, and the reasons and the names in one that are given.
_UNITS, _FILES, _REASONS, _NAMES = 1000, 40, 2, 3
# Characters of the line, of a name or path in it, and of a name that is a common word if it is shorter.
_LINE, _NAME, _SHORTEST = 160, 40, 4
# Replaced lines of a hunk in which the same edit is looked for, and what stands between what went and what came.
_LINES_PAIRED, _TO = 20, " to "
_VERBS = {filetypes.DOCUMENTATION: "describes"}

Parts = Sequence[Part]


def explain_plan(plan: SplitPlan) -> list[str]:
    """Return for each commit why it is one; nothing for a plan that says so of each hunk, or that is too large."""
    if plan.evidence or len(plan.units) > _UNITS:
        return [""] * len(plan.commits)
    groups, found = list_groups(plan.commits), []
    parts: list[Parts] = []
    definers: dict[str, int] = {}
    for number, units in enumerate(groups, start=1):
        parts.append([read_part([diff]) for diff in group_by_file(units)[:_FILES]])
        for part in parts[-1]:
            for name in part.defined & part.new:
                definers.setdefault(name, number)
    defined = set(chain.from_iterable(item.defined for item in chain.from_iterable(parts)))
    names = [_list_names(own, defined) for own in parts]
    having = Counter(chain.from_iterable(names))
    for number, own in enumerate(parts):
        alone = {name for name in names[number] if having[name] == 1}
        reasons = [*islice(_list_reasons(groups[number], own, alone), _REASONS), *_say_needs(own, definers, number + 1)]
        if not reasons and len(own) > 1:
            reasons = [_say_place(own)]
        elif not reasons and alone != names[number]:
            reasons = ["one file"]
        elif not reasons and len(groups) > 1:
            reasons = ["no name in common with the others"]
        if plan.commits[number].source:
            reasons.insert(0, f"{plan.commits[number].source} speaks of it")
        found.append(make_printable("; ".join(reasons), _LINE) if reasons else "")
    return found


def _count_changed(parts: Parts) -> Counter[str]:
    """Return in how many of `parts` each name is on changed lines of one side."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part.new | part.gone)
    return counts


def _list_names(parts: Parts, defined: set[str]) -> set[str]:
    """Return the names on changed lines that are no common words: those that the change defines, and compounds."""
    names = set()
    for name in _count_changed(parts):
        if len(name) >= _SHORTEST and (name in defined or len(split_identifier(name)) > 1):
            names.add(name)
    return names


def _list_reasons(units: Sequence[Unit], parts: Parts, alone: set[str]) -> Iterator[str]:
    """Yield what holds a commit together, the strongest first; the names in `alone` are in no other commit."""
    if all(part.is_layout for part in parts):
        yield "only white space differs"
    if len(parts) > 1:
        edits = _say_edits(group_by_file(units)[:_FILES])
        for source in (_say_bonds(units), _say_uses(parts), edits, _say_names(parts, alone)):
            yield from islice(source, 1)


def _say_bonds(units: Sequence[Unit]) -> Iterator[str]:
    for linked in find_inseparable(units):
        paths = dict.fromkeys(unit.change.path.decode("utf-8", "replace") for unit in linked)
        if len(paths) > 1:
            yield f"{_join(paths)} cannot be separated"


def _say_uses(parts: Parts) -> Iterator[str]:
    """Yield what has tests, which files use the definitions of others, and which only name others."""
    pairs, tested = [], {}
    for user, other in permutations(parts, 2):
        if user.kind != filetypes.TESTS or user.stem != other.stem:
            pairs.append((user, other))
        elif other.kind == filetypes.SOURCE:
            tested[other.name] = other
    if tested:
        yield f"tests of {_join(tested)}"
    for user, other in pairs:
        names = sorted((other.defined & other.new & user.names) - user.defined)
        if names and find_language(other.path).name:
            yield f"{_join([user.name])} {_VERBS.get(user.kind, 'uses')} {_join(names)} of {_join([other.name])}"
    for user, other in pairs:
        if len(other.stem) >= _SHORTEST and other.stem in user.lower:
            yield f"{_join([user.name])} {_VERBS.get(user.kind, 'uses')} {_join([other.name])}"


def _say_edits(diffs: Sequence[FileDiff]) -> Iterator[str]:
    counts = Counter(chain.from_iterable(_list_edits(diff) for diff in diffs))
    edit, count = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    files = format_count(count, "file")
    # Only names are repeated.
    if count > 1 and edit.replace(_TO, "_").isidentifier():
        yield f"same edit in {files}: {_join([edit])}"
    elif count > 1:
        yield f"same edit in {files}"


def _list_edits(diff: FileDiff) -> set[str]:
    """Return what replaces what on the lines of a file that are replaced one by one."""
    found = set()
    for hunk in diff.hunks[:HUNKS_COMPARED]:
        for before, after in read_hunk(hunk).pairs(_LINES_PAIRED) or ():
            old, new = TOKEN.findall(before), TOKEN.findall(after)
            while old and new and old[0] == new[0]:
                del old[0], new[0]
            while old and new and old[-1] == new[-1]:
                del old[-1], new[-1]
            if old and new and not mentions_secret(after):
                found.add(f"{''.join(old)}{_TO}{''.join(new)}")
    return found


def _say_names(parts: Parts, alone: set[str]) -> Iterator[str]:
    """Yield the names that most files share and no other commit has; one that a single file defines is used."""
    counts, defining = _count_changed(parts), Counter(chain.from_iterable(part.defined for part in parts))
    names = [name for name in alone if counts[name] > 1 and defining[name] != 1]
    if names:
        yield f"names shared: {_join(sorted(names, key=lambda name: (-counts[name], name)))}"


def _say_needs(parts: Parts, definers: Mapping[str, int], number: int) -> Iterator[str]:
    """Yield the names that commit `number` uses and the first of those before it defines that have any of them."""
    needed: dict[int, list[str]] = {}
    used = set(chain.from_iterable(part.new for part in parts))
    for name in sorted(used & definers.keys()):
        if definers[name] < number and len(split_identifier(name)) > 1:
            needed.setdefault(definers[name], []).append(name)
    if needed:
        first = min(needed)
        yield f"{_VERBS.get(parts[0].kind, 'needs')} {_join(needed[first])} of commit {first}"


def _say_place(parts: Parts) -> str:
    first = parts[0]
    if any((part.folder, part.kind) != (first.folder, first.kind) for part in parts):
        return "alike in words and paths"
    return f"same kind of file in {_join([first.folder or 'the top folder'])}"


def _join(names: Iterable[str]) -> str:
    shown = []
    for name in islice(names, _NAMES):
        # A token looks like a name.
        shown.append("a secret" if has_secret(name) else name)
    return join_safe(list(dict.fromkeys(shown)), _NAME)
