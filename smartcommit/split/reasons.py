"""Why the changes of a commit are together, in one line, as far as names and paths show it.

It is found in the change alone, so that it holds for every plan, whoever made or edited it.
"""

from __future__ import annotations

import operator
import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from itertools import chain, compress
from typing import NamedTuple

from smartcommit.change import filetypes
from smartcommit.change.imports import ImportedFiles
from smartcommit.change.languages import IMPORT_WORDS, find_language
from smartcommit.change.text import find_names, read_hunk, split_identifier
from smartcommit.change.tokens import find_prose
from smartcommit.change.wording import format_count, has_secret, join_safe, make_printable
from smartcommit.git.diff import FileDiff
from smartcommit.git.hunks import Unit, group_by_file
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.embedded.similarity import Part, read_part
from smartcommit.split.plan import SplitPlan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Units of a plan and files of a commit that are read, and the reasons and the names in one that are given.
_UNITS = 1000
_FILES = 40
_REASONS = 3
_NAMES = 3
# Characters of the line, of a name or path in it, and of a name that is a common word if it is shorter.
_LINE = 300
_NAME = 40
_SHORTEST = 4

# Words that stand in any code or data, and folders that any project has: files share them by chance.
_CHANCE = IMPORT_WORDS | list_words(
    "abstract after against alias args array attributes back before between body bool boolean build case catch char "
    "class Clone clone content continue data Debug default derive description double elif else enum error expect "
    "expected extends False false field fields final float format func function given here href http https id "
    "implements import include instanceof integer interface Into into invalid items just label like list long make "
    "matching name None none null number object Ok only Option other override params Path path private properties "
    "property protected public required Result result return Self should Some some source String string struct switch "
    "test text that their them then there they this throw throws title True true type undefined unwrap value values "
    "Vec version void when where which while will with write your"
)
_FOLDERS = list_words(
    "app apps base benches cargo client cmd common components config core demo docs events examples github internal "
    "json lib libs list modules package packages pages pkg public scripts server services shared src templates test "
    "tests toml tools unit util utils web www"
)
# Names of files that say nothing of what they are about.
_COMMON_STEMS = {"__init__", "index", "init", "lib", "main", "mod", "types", "util", "utils"}
# A member of the same object, which may have the name of another one's.
_OWN_MEMBER = compile_on_use(r"\b(?:self|this)\.\w+")
# What only its own file or class can use.
_PRIVATE = compile_on_use(r"\s*(?:defp|private|fileprivate)\s(?!set\b)")
# What a path or a route has in it, and a name of code has not.
_PATH_SIGNS = {"-", "/"}

Parts = Sequence[Part]
# By the positions of the files that use and define something.
Uses = Mapping[tuple[int, int], str]


class Reason(NamedTuple):
    """What is said, and the positions of the files that it explains."""

    text: str
    files: Set[int]


def explain_plan(plan: SplitPlan) -> list[str]:
    """Return for each commit why it is one; nothing for a plan that says so of each hunk, or that is too large."""
    if plan.evidence or len(plan.units) > _UNITS:
        return [""] * len(plan.commits)
    diffs: list[FileDiff] = []
    commits = []
    for commit in plan.commits:
        start = len(diffs)
        diffs += group_by_file(commit.units)[:_FILES]
        commits.append(range(start, len(diffs)))
    parts = [read_part([diff]) for diff in diffs]
    uses = _find_uses(parts, diffs)
    # A key of data may be in any other file.
    defined = set(chain.from_iterable(part.defined for part in parts if find_language(part.path).name))
    names = [_list_names(parts[files.start : files.stop], defined) for files in commits]
    users = Counter(chain.from_iterable(names))
    formatted = {file for file, diff in enumerate(diffs) if filetypes.classify_diff(diff) in filetypes.FORMATTING}
    paths = Counter[str]()
    for files in commits:
        paths.update(frozenset[str]().union(*(parts[file].path_words for file in files)))
    lines = []
    for number, (commit, files) in enumerate(zip(plan.commits, commits, strict=True)):
        alone = {name for name in names[number] if users[name] == 1}
        places = {word for word in paths if paths[word] == 1} if len(commits) > 1 else set[str]()
        found = _list_reasons(commit.units, parts, files, alone=alone, uses=uses, formatted=formatted)
        reasons = _choose_reasons(parts, files, found, places)
        for user, definer in sorted(uses):
            if user in files and definer < files.start:
                other = next(place for place, others in enumerate(commits, start=1) if definer in others)
                reasons.append(f"{_name_files(parts, [user])} {uses[user, definer]} in commit {other}")
                break
        if not reasons and len(commits) > 1:
            reasons = [_say_alone(parts, files.start, diffs[files.start])]
        if commit.source:
            reasons.insert(0, f"{commit.source} speaks of it")
        lines.append(make_printable("; ".join(reasons), _LINE) if reasons else "")
    return lines


def count_parts(plan: SplitPlan) -> int:
    """Return in how many parts the only commit falls that use nothing which the other ones define; else 1."""
    if len(plan.commits) != 1 or len(plan.units) > _FILES:
        return 1
    parts, whole = [], []
    for unit in plan.commits[0].units:
        if unit.change.status == "M":
            parts += [read_part([FileDiff(unit.change, [copy(hunk)])]) for hunk in unit.hunks[:_FILES]]
        else:
            whole.append(read_part([FileDiff(unit.change, [copy(hunk) for hunk in unit.hunks])]))
    defined = set(chain.from_iterable(part.defined for part in parts))
    # A method that is called, or declared in an interface, is defined in no line.
    named = defined | _list_names([*parts, *whole], set())
    groups: list[frozenset[str]] = []
    for part in [*parts, *whole]:
        # A test asks for a route by its path, and defines nothing that the server uses.
        names = part.names & named | {name for name in part.files if not _PATH_SIGNS.isdisjoint(name)}
        apart = [group for group in groups if group.isdisjoint(names)]
        groups = [*apart, names.union(*(group for group in groups if group not in apart))]
    return max(1, len([group for group in groups if not group.isdisjoint(defined)]))


def _find_uses(parts: Parts, diffs: Sequence[FileDiff]) -> Uses:
    """Return how files use and describe others, by what they import and what these define: `uses x of y.py`.

    A name counts that is no common word, and that one file alone defines or declares; a move has it in both files.
    """
    places: dict[bytes, list[int]] = {}
    definers: dict[str, list[int]] = {}
    for place, part in enumerate(parts):
        places.setdefault(part.path, []).append(place)
        declared = part.defined.union(_list_members(diffs[place]))
        for name in [name for name in declared if _is_compound(name)]:
            definers.setdefault(name, []).append(place)
    files = ImportedFiles(places)
    uses: dict[tuple[int, int], str] = {}
    for user, part in enumerate(parts):
        verb = "describes"
        used: dict[int, set[str]] = {}
        if part.kind != filetypes.DOCUMENTATION or find_language(part.path).name:
            verb = "uses"
            for path in _list_imported_paths(diffs[user], files, is_test=part.kind == filetypes.TESTS):
                if len(places[path]) == 1:
                    used.setdefault(places[path][0], set())
        code = (
            part.new
            if verb == "describes"
            else frozenset(find_names(_OWN_MEMBER.sub("", "\n".join(_list_code(diffs[user])))))
        )
        for name in part.new & code & definers.keys():
            definer, *others = definers[name]
            known = find_language(parts[definer].path)
            is_readable = verb == "describes" or known is find_language(part.path)
            if parts[definer].kind == filetypes.TESTS and (part.kind != filetypes.TESTS or name != parts[definer].stem):
                continue  # only tests use what tests define, and of these others use the class they are named after
            if parts[definer].kind in (filetypes.BUILD, filetypes.CONFIGURATION):
                continue  # a program reads its settings by their keys
            is_defined = name in parts[definer].defined and not _is_private(diffs[definer], name)
            if not others and definer != user and is_defined and known.name and is_readable:
                used.setdefault(definer, set()).add(name)
        for definer, names in used.items():
            shown = f"{_join(sorted(names))} of " if names else ""
            # Code reads no documentation, but for lists of its pages.
            is_page = parts[definer].kind == filetypes.DOCUMENTATION and not find_language(parts[definer].path).name
            said = "names" if verb == "uses" and is_page else verb
            uses[user, definer] = f"{said} {shown}{_name_files(parts, [definer])}"
    return uses


def _is_private(diff: FileDiff, name: str) -> bool:
    """Whether a changed line defines `name` for its file or its class alone."""
    for hunk in diff.hunks:
        for line in (*read_hunk(hunk).added.read(), *read_hunk(hunk).removed.read()):
            symbol = find_language(diff.change.path).read_symbol(line) if _PRIVATE.match(line) else None
            if symbol is not None and symbol[0] == name:
                return True
    return False


def _list_code(diff: FileDiff) -> Iterator[str]:
    """Yield the added lines, or those of a deleted file, that are no comments, which may name anything."""
    side: Side = "removed" if diff.change.status == "D" else "added"
    for hunk in diff.hunks:
        is_prose = find_prose(hunk, find_language(diff.change.path), side)
        yield from compress(read_hunk(hunk).side(side).read(), map(operator.not_, is_prose))


def _list_imported_paths(diff: FileDiff, files: ImportedFiles, *, is_test: bool) -> Iterator[bytes]:
    """Yield those of `files` that added lines of code name."""
    for line in _list_code(diff):
        if not files.names.isdisjoint(find_names(line)):
            yield from (path for path in files.find(line, diff.change.path) if _is_named(path, line, is_test))


def _is_named(path: bytes, line: str, is_test: bool) -> bool:
    """Whether a line has the name or the folder of a file that is no code: a word of it may mean anything."""
    folder, name = posixpath.split(path.decode("utf-8", "replace"))
    if find_language(path).name:
        return True
    if folder and (f"/{folder}" in line or f"{folder}/" in line):
        return True
    # `**/package.json` may be any, and tests write a `pyproject.toml` of their own.
    return name in line and f"*/{name}" not in line and (not is_test or f"{posixpath.basename(folder)}/{name}" in line)


def _list_members(diff: FileDiff) -> Iterator[str]:
    """Yield what lines of a file declare in the middle of a type, as an interface what another file implements."""
    members = find_language(diff.change.path).members
    if members is None:
        return
    for hunk in diff.hunks:
        for line in read_hunk(hunk).added.read():
            declared = members.match(line)
            if declared:
                yield from [name for name in declared.groups() if name]


def _say_alone(parts: Parts, file: int, diff: FileDiff) -> str:
    """Return what is known of the only file of a commit; a name counts wherever it is on a changed line."""
    if sum(parts[file].path == other.path for other in parts) > 1:
        hunks = [read_part([FileDiff(diff.change, [copy(hunk)])]) for hunk in diff.hunks[:_FILES]]
        names = {place: _list_names([part], set()) for place, part in enumerate(hunks)}
        shared = list(_find_shared(names))[:_NAMES]
        return f"part of one file, whose hunks share {_join(shared)}" if shared else "part of one file"
    return "no name in common with the others" if _has_no_name_of(parts, file, range(len(parts))) else "one file"


def _choose_reasons(parts: Parts, files: Sequence[int], reasons: Iterable[Reason], places: Set[str]) -> list[str]:
    """Return the first `reasons` that explain more files, weak ones for others, and which files nothing explains."""
    chosen: list[str] = []
    left = set(files)
    # Weak reasons are looked for when it is known for which files.
    for reason in chain(reasons, _list_weak_reasons(parts, files, places, left) if len(files) > 1 else ()):
        if len(chosen) < _REASONS and not left.isdisjoint(reason.files):
            chosen.append(reason.text)
            left -= reason.files
    if not chosen:
        return ["no reason found"] if len(files) > 1 else []
    for said, is_said in (("no name in common", True), ("not explained", False)):
        named = [file for file in sorted(left) if _has_no_name_of(parts, file, files) is is_said]
        if named:
            chosen.append(f"{said}: {_name_files(parts, named)}")
    return chosen


def _has_no_name_of(parts: Parts, file: int, others: Iterable[int]) -> bool:
    """Whether nothing on the changed lines of a file, or in its name, is on those of the others, or in their names."""
    for one, other in ((parts[file], parts[place]) for place in others if place != file):
        if not one.names.isdisjoint(other.names) or _is_named_by(one, other) or _is_named_by(other, one):
            return False
    return True


def _is_named_by(part: Part, other: Part) -> bool:
    """Whether changed lines of another file have the name of a file, or all words of it or of its package's folder."""
    for name in (part.stem, *part.folders[-1:]):
        if _is_compound(name) and _drop_short(split_identifier(name)) <= other.words.keys():
            return True
    return any(part.name in line for line in other.added | other.removed)


def _list_names(parts: Parts, defined: Set[str]) -> set[str]:
    """Return the names on changed lines that are no common words: those that the change defines, and compounds."""
    names = chain.from_iterable(part.new | part.gone for part in parts)
    return {name for name in names if len(name) >= _SHORTEST and (name in defined or _is_compound(name))}


def _is_compound(name: str) -> bool:
    return len(split_identifier(name)) > 1


def _list_reasons(
    units: Sequence[Unit], parts: Parts, files: Sequence[int], *, alone: Set[str], uses: Uses, formatted: Set[int]
) -> Iterator[Reason]:
    """Yield what holds a commit together, the strongest first; the names in `alone` are in no other commit."""
    if all(parts[file].is_layout for file in files):
        yield Reason("only white space differs", set(files))
    elif len(formatted & set(files)) > 1:
        yield Reason(f"only reformatted: {_name_files(parts, sorted(formatted & set(files)))}", formatted)
    for linked in find_inseparable(units):
        paths = {unit.change.path for unit in linked}
        yield Reason(
            f"{_join(sorted(path.decode('utf-8', 'replace') for path in paths))} cannot be separated",
            {file for file in files if len(paths) > 1 and parts[file].path in paths},
        )
    yield from _say_tests(parts, files)
    yield from _say_uses(parts, files, uses)
    edits = _find_shared({file: parts[file].edits | _find_moved(parts[file]) for file in files})
    said = "same edit"
    for having in dict.fromkeys(edits.values()):
        yield Reason(f"{said} in {format_count(len(having), 'file')}", having)
        said = "another edit"
    for sign, having in _find_shared({file: parts[file].signs - parts[file].edits for file in files}).items():
        yield Reason(f"{_join([sign])} in {format_count(len(having), 'file')}", having)
    changed = {file: parts[file].new | parts[file].gone for file in files}
    yield from _say_shared("names shared", {file: alone & changed[file] for file in files})
    # Any two fragments of a changelog name the same package.
    told = [file for file in files if not filetypes.is_changelog_fragment(parts[file].path)]
    for verb, lines in (
        ("added", {file: parts[file].added - parts[file].removed for file in told}),
        ("removed", {file: parts[file].removed - parts[file].added for file in told}),
    ):
        for line, having in _find_shared(lines).items():
            if len(set(find_names(line))) > 1 and not _CHANCE.issuperset(find_names(line)):
                yield Reason(f"'{_join([line])}' {verb} in {format_count(len(having), 'file')}", having)
    for having in _find_shared({file: {" ".join(parts[file].act)} - {""} for file in files}).values():
        yield Reason(f"same kind of edit in {format_count(len(having), 'file')}", having)


def _list_weak_reasons(parts: Parts, files: Sequence[int], places: Set[str], left: Set[int]) -> Iterator[Reason]:
    """Yield what may hold the files that are `left` to a commit; no path of another one has words in `places`."""
    shared = frozenset[str]().union(*(parts[file].path_words for file in left)) & places - _FOLDERS
    yield from _say_shared("paths share", {file: _drop_short(shared & parts[file].path_words) for file in files})
    first = parts[files[0]]
    if all((parts[file].folder, parts[file].kind) == (first.folder, first.kind) for file in files):
        yield Reason(f"same kind of file in {_join([first.folder or 'the top folder'])}", set(files))
    words = frozenset[str]().union(*(parts[file].names for file in left)) - _CHANCE
    having: dict[int, set[str]] = {}
    for file in files:
        words -= frozenset() if find_language(parts[file].path).name else parts[file].defined
        # `zoom_test.go` is about `zoom`.
        having[file] = {*parts[file].names, *_drop_short(split_identifier(parts[file].stem))} - _FOLDERS
    yield from _say_shared("words shared", {file: _drop_short(words & having[file]) for file in files})


def _find_moved(part: Part) -> Set[str]:
    """Return the lines of a file that only have another order, as one text."""
    return {"\n".join(sorted(part.added))} if part.added and part.added == part.removed else set()


def _drop_short(names: Iterable[str]) -> set[str]:
    return {name for name in names if len(name) >= _SHORTEST}


def _find_shared(having: Mapping[int, Set[str]]) -> dict[str, frozenset[int]]:
    """Return what two files or more have, with these; first what most have."""
    files: dict[str, set[int]] = {}
    for file, items in having.items():
        for item in items:
            files.setdefault(item, set()).add(file)
    ranked = sorted(files, key=lambda item: (-len(files[item]), item))
    return {item: frozenset(files[item]) for item in ranked if len(files[item]) > 1}


def _say_shared(said: str, having: Mapping[int, Set[str]]) -> Iterator[Reason]:
    """Yield the first names that files share, with the files that have one of them."""
    shown = list(_find_shared(having))[:_NAMES]
    if shown:
        yield Reason(f"{said}: {_join(shown)}", {file for file in having if not having[file].isdisjoint(shown)})


def _say_tests(parts: Parts, files: Collection[int]) -> Iterator[Reason]:
    """Yield which sources have tests of their name; more is not known where their lines do not show it."""
    tested: dict[int, set[int]] = {}
    for test in files:
        sources = [source for source in files if source != test and _is_named_after(parts[test], parts[source])]
        # Of sources of one name, it is about that in the nearest folder.
        folders = []
        for source in sources:
            common = posixpath.commonprefix([f"{parts[test].folder}/", f"{parts[source].folder}/"])
            folders.append(common.rpartition("/")[0])
        for source, folder in zip(sources, folders, strict=True):
            if len(folder) == max(map(len, folders)):
                tested.setdefault(source, set()).add(test)
    if tested:
        yield Reason(f"tests named after {_name_files(parts, tested)}", set(tested).union(*tested.values()))


def _is_named_after(test: Part, source: Part) -> bool:
    """Whether a file has tests of another one by its name."""
    is_source = source.kind == filetypes.SOURCE and find_language(source.path).name != ""
    # Two files of one name, as `usings.cs`, need not be about each other.
    has_other_name = posixpath.basename(test.path) != posixpath.basename(source.path)
    # Any folder can have an `index.tsx`.
    is_near = test.stem not in _COMMON_STEMS or test.folder.partition("/__tests__")[0] == source.folder
    return test.kind == filetypes.TESTS and is_source and test.stem == source.stem and has_other_name and is_near


def _say_uses(parts: Parts, files: Collection[int], uses: Uses) -> Iterator[Reason]:
    """Yield which files use or describe another one; those that do so in the same way together."""
    users: dict[tuple[int, str], list[int]] = {}
    for user, definer in sorted(uses):
        if user in files and definer in files:
            users.setdefault((definer, uses[user, definer]), []).append(user)
    for (definer, use), user_numbers in sorted(users.items(), key=lambda item: -len(item[1])):
        verb, _, rest = use.partition(" ")
        if len(user_numbers) > 1:
            verb = verb.removesuffix("s")
        yield Reason(f"{_name_files(parts, user_numbers)} {verb} {rest}", {definer, *user_numbers})


def _name_files(parts: Parts, files: Iterable[int]) -> str:
    """Return the names of files, and the paths of those whose name another one has."""
    paths = {part.path for part in parts}
    having = Counter(path.rpartition(b"/")[2] for path in paths)
    names = []
    for file in files:
        path = parts[file].path
        is_alone = having[path.rpartition(b"/")[2]] == 1
        names.append(parts[file].name if is_alone else path.decode("utf-8", "replace"))
    return _join(names)


def _join(names: Iterable[str]) -> str:
    shown = list(dict.fromkeys(names))
    for place, name in enumerate(shown):
        if has_secret(name):  # a token looks like a name
            shown[place] = "a secret"
    if len(shown) > _NAMES:
        shown[_NAMES - 1 :] = [f"{len(shown) - _NAMES + 1} more"]
    return join_safe(shown, _NAME)
