"""What a change does, in words: one sentence in the imperative, and a list of what else changed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from smartcommit.change import kinds
from smartcommit.change.edits import edit_sentences
from smartcommit.change.facts import Change, FileFacts
from smartcommit.change.symbols import Symbol
from smartcommit.change.titles import titles
from smartcommit.change.versions import Bump
from smartcommit.change.wording import counted, join, safe, safe_name, safe_path

# Names that a sentence lists; more are counted.
NAMED = 3
# Points that a list of what else changed has; more are counted.
POINTS = 6
# Kinds of files that belong together in one concern.
_CONCERNS = (
    (kinds.SOURCE,),
    (kinds.CI,),
    (kinds.BUILD, kinds.MANIFEST, kinds.LOCK),
    (kinds.CONFIGURATION,),
    (kinds.DOCUMENTATION,),
    (kinds.TESTS,),
    (kinds.GENERATED, kinds.ASSET),
)


def summaries(change: Change, submodules: Mapping[bytes, Sequence[str]] | None = None) -> list[str]:
    """Sentences that say what the change does, the best first; never empty, each on one line of safe text.

    `submodules` holds, by path, the subjects of the commits that a moved submodule has gained.
    """
    subjects = (submodules or {}).get(change.files[0].path, ()) if len(change.files) == 1 else ()
    if subjects:
        name = safe_path(change.files[0].path)
        return [f"update {name}: {safe(subjects[0], 60)}", f"update {name}"] if len(subjects) == 1 else [
            f"update {name} by {counted(len(subjects), 'commit')}"
        ]  # fmt: skip
    return [*titles(change), *sentences(change.core)]


def points(change: Change, submodules: Mapping[bytes, Sequence[str]] | None = None) -> list[str]:
    """What else changed, a sentence each: empty where the change has one concern, which the summary names."""
    gained = [safe(subject, 68) for file in change.files for subject in (submodules or {}).get(file.path, ())]
    if gained and len(change.files) == 1:
        return _bounded(gained, "commit") if len(gained) > 1 else []
    groups = [files for concern in _CONCERNS if (files := change.of_kind(*concern))]
    covered = {id(file) for file in change.core}
    rest = [[file for file in files if id(file) not in covered] for files in groups]
    others = [files for files in rest if files and not _follows(files, change)]
    return _bounded([sentences(change.core)[0], *(sentences(files)[0] for files in others)], "concern") if others else []


def _follows(files: Sequence[FileFacts], change: Change) -> bool:
    """Whether these files only go with the change of the others: tests and documentation of source, locks, images."""
    kind = files[0].kind
    if change.core[0].kind == kinds.SOURCE and kind in (kinds.TESTS, kinds.DOCUMENTATION):
        return True
    return all(file.kind in (kinds.LOCK, kinds.GENERATED, kinds.ASSET) for file in files)


def _bounded(items: Sequence[str], noun: str) -> list[str]:
    if len(items) <= POINTS:
        return list(items)
    return [*items[: POINTS - 1], f"{counted(len(items) - POINTS + 1, f'more {noun}')}"]


def sentences(files: Sequence[FileFacts]) -> list[str]:
    """Sentences for files that belong together, the best first; the last one is short and always true."""
    return [*_by_nature(files), *_by_versions(files), *_by_content(files), *_by_names(files, "update")]


def _by_nature(files: Sequence[FileFacts]) -> Iterator[str]:
    natures = {file.nature for file in files}
    if natures == {"added"}:
        yield from _by_names(files, "add")
    elif natures == {"deleted"}:
        yield from _by_names(files, "remove")
    elif natures == {"moved"} or natures == {"copied"}:
        yield from _moves(files, "copy" if natures == {"copied"} else "move")
    elif natures == {"mode"}:
        yield from _modes(files)
    elif natures == {"link"}:
        yield from _links(files)
    elif natures == {"submodule"}:
        yield from _submodules(files)
    elif natures == {"line endings"}:
        ending = "CRLF" if any(line.endswith(b"\r") for hunk in files[0].diff.hunks for line in hunk.added) else "LF"
        yield f"convert line endings of {_names(files)} to {ending}"
    elif natures <= {"whitespace", "line endings"}:
        yield f"adjust whitespace in {_names(files)}"
    elif natures == {"comments"}:
        yield f"update comments in {_names(files)}"
    elif natures == {"type"}:
        yield f"change the file type of {_names(files)}"


def _by_names(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """`add a.py, b.py and c.py`, `add 12 files to docs`, `add 12 files`."""
    folder = _common_folder([file.path for file in files])
    preposition = {"add": "to", "remove": "from"}.get(verb, "in")
    if len(files) <= NAMED:
        yield f"{verb} {join(_distinct(files))}"
    if len(files) > 1 and folder:
        yield f"{verb} {counted(len(files), 'file')} {preposition} {safe_path(folder)}"
    yield f"{verb} {counted(len(files), 'file')}" if len(files) > 1 else f"{verb} {safe_name(files[0].path)}"


def _names(files: Sequence[FileFacts]) -> str:
    if len(files) <= NAMED:
        return join(_distinct(files))
    folder = _common_folder([file.path for file in files])
    return f"{counted(len(files), 'file')} in {safe_path(folder)}" if folder else counted(len(files), "file")


def _distinct(files: Sequence[FileFacts]) -> list[str]:
    """The files' names, with their folders where the bare names would be the same."""
    names = [safe_name(file.path) for file in files]
    return names if len(set(names)) == len(names) else [safe_path(file.path) for file in files]


def _common_folder(paths: Sequence[bytes]) -> bytes:
    return posixpath.commonpath([posixpath.dirname(path) for path in paths]) if paths else b""


def _moves(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    targets = {posixpath.dirname(file.path) for file in files}
    target = safe_path(next(iter(targets))) + "/" if len(targets) == 1 and b"" not in targets else None
    if len(files) == 1:
        change = files[0].diff.change
        old, new = change.old_path or change.path, change.path
        if posixpath.dirname(old) == posixpath.dirname(new):
            yield f"{'rename' if verb == 'move' else verb} {safe_name(old)} to {safe_name(new)}"
        elif posixpath.basename(old) == posixpath.basename(new):
            yield f"{verb} {safe_name(old)} to {target or 'the top level'}"
        else:
            yield f"{verb} {safe_path(old)} to {safe_path(new)}"
    elif target:
        yield f"{verb} {_names(files)} to {target}" if len(files) <= NAMED else f"{verb} {len(files)} files to {target}"
    yield f"{verb} {counted(len(files), 'file')}"


def _modes(files: Sequence[FileFacts]) -> Iterator[str]:
    executable = {file.diff.change.new_mode == "100755" for file in files}
    if len(executable) == 1:
        yield f"make {_names(files)} {'executable' if executable == {True} else 'not executable'}"
    yield f"change the mode of {_names(files)}"


def _links(files: Sequence[FileFacts]) -> Iterator[str]:
    if len(files) == 1:
        change, name = files[0].diff.change, safe_name(files[0].path)
        lines = [line for hunk in files[0].diff.hunks for line in hunk.added]
        target = safe(lines[-1].decode("utf-8", "surrogateescape")) if lines else ""
        if change.new_mode != kinds.LINK_MODE:
            yield f"remove link {name}" if change.status == "D" else f"replace link {name} with a file"
        elif not target:
            yield f"update link {name}"
        elif change.old_mode == kinds.LINK_MODE:
            yield f"point {name} to {target}"
        else:
            yield f"{'link' if change.status == 'A' else 'replace'} {name} {'to' if change.status == 'A' else 'with a link to'} {target}"
    yield f"update {counted(len(files), 'link')}"


def _submodules(files: Sequence[FileFacts]) -> Iterator[str]:
    verbs = {{"A": "add", "D": "remove"}.get(file.diff.change.status, "update") for file in files}
    verb = verbs.pop() if len(verbs) == 1 else "update"
    if len(files) == 1:
        change, name = files[0].diff.change, safe_path(files[0].path)
        if verb == "update" and change.old_mode == change.new_mode:
            yield f"update submodule {name} from {change.old_id[:7]} to {change.new_id[:7]}"
        yield f"{verb} submodule {name}"
    yield f"{verb} {counted(len(files), 'submodule')}"


def _by_versions(files: Sequence[FileFacts]) -> Iterator[str]:
    if all(file.kind == kinds.LOCK for file in files):
        yield "update locked dependencies" if len(files) > 1 else f"update {safe_name(files[0].path)}"
        return
    if not all(file.bumped or file.kind == kinds.LOCK for file in files):
        return
    moved = list(dict.fromkeys(bump for file in files for bump in file.bumps))
    own = [bump for bump in moved if bump.own]
    named = [bump for bump in moved if bump.name]
    if own:
        yield f"bump version from {safe(own[0].old)} to {safe(own[0].new)}"
        yield f"bump version to {safe(own[0].new)}"
    elif named:
        yield from _bumps(named)
    elif moved:
        yield f"bump versions in {_names(files)}"


def _bumps(moved: Sequence[Bump]) -> Iterator[str]:
    names = list(dict.fromkeys(safe(bump.name or "") for bump in moved))
    if len(names) == 1:
        short = len(moved[0].old) < 40 and len(moved[0].new) < 40
        if short:
            yield f"bump {names[0]} from {safe(moved[0].old)} to {safe(moved[0].new)}"
            yield f"bump {names[0]} to {safe(moved[0].new)}"
        yield f"bump {names[0]}"
    elif len(names) <= NAMED:
        yield f"bump {join(names)}"
    yield f"bump {counted(len(names), 'dependency').replace('dependencys', 'dependencies')}"


def _by_content(files: Sequence[FileFacts]) -> Iterator[str]:
    yield from edit_sentences(files)
    added = _symbols(files, "added")
    removed = _symbols(files, "removed")
    renamed = [pair for file in files for pair in file.symbols.renamed]
    if len(renamed) == 1 and not added and not removed:
        before, after = renamed[0]
        yield f"rename {_quoted(before)} to {_quoted(after)}"
    where = f" {'to' if added else 'from'} {_names(files)}" if len(files) <= NAMED else ""
    chosen = _weightiest(added or removed)
    if chosen:
        verb = "add" if added else "remove"
        if len(chosen) <= NAMED:
            yield f"{verb} {_list(chosen)}{where}"
            yield f"{verb} {_list(chosen)}"
        yield f"{verb} {_list(chosen[:1])} and {len(chosen) - 1} more{where}" if len(chosen) > 1 else f"{verb} {_list(chosen)}"
    changed = [after for file in files for _, after in file.symbols.changed]
    touched = _weightiest(list(dict.fromkeys([*changed, *_symbols(files, "touched")])))
    if touched and len(touched) <= NAMED:
        yield f"update {_list(touched)} in {_names(files)}"
        yield f"update {_list(touched)}"


def _symbols(files: Sequence[FileFacts], which: str) -> list[Symbol]:
    return [symbol for file in files for symbol in getattr(file.symbols, which)]


_WEIGHT = ("class", "struct", "interface", "trait", "enum", "type", "module", "function", "method", "macro", "table", "target")


def _weightiest(symbols: Sequence[Symbol]) -> list[Symbol]:
    """The symbols of the weightiest kind among them: a class says more than its methods."""
    if not symbols:
        return []
    best = min(_WEIGHT.index(symbol.kind) if symbol.kind in _WEIGHT else len(_WEIGHT) for symbol in symbols)
    return [symbol for symbol in symbols if best == len(_WEIGHT) or symbol.kind == _WEIGHT[best]]


def _list(symbols: Sequence[Symbol]) -> str:
    names = join([_quoted(symbol) for symbol in symbols])
    kind = symbols[0].kind
    if kind in ("section", "test", "option", "variable", "output", "resource", "target") and len({s.kind for s in symbols}) == 1:
        return f"{names} {kind}{'s' if len(symbols) > 1 else ''}"
    return names


def _quoted(symbol: Symbol) -> str:
    return safe(symbol.name.strip("\"'`* "), 40) or "a name"
