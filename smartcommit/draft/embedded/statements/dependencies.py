"""Statements on dependencies: other versions, and what is required from now on or no longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.edits import LiteralEdit
from smartcommit.change.facts import FileFacts, values_of
from smartcommit.change.sentences import NAMES_LISTED
from smartcommit.change.versions import VersionChanges, find_named_versions, find_requirements, is_versioned
from smartcommit.change.wording import join_names, join_safe, make_printable
from smartcommit.draft.embedded.statements.view import FILES_EXAMINED, ChangeView, Statement, count_lines, weigh_beside

_COMMIT_LENGTH = 40
# Languages whose new version is the subject of a change if two files require it.
_LANGUAGES = {"go", "node", "python", "ruby", "rust", "rust-version", "toolchain"}
# Files of which the whole text is read, for names above their versions; each takes a process.
_TEXTS_READ = 2
_REGISTRIES = {"docker.io", "gcr.io", "ghcr.io", "mcr.microsoft.com", "public.ecr.aws", "quay.io", "registry.k8s.io"}


def say_bumps(view: ChangeView) -> Iterator[Statement]:
    """Yield `bump X from A to B`, by the manifests, or by the lock files alone if no manifest changed."""
    versioned = [file for file in view.change.files[:FILES_EXAMINED] if is_versioned(file)]
    files = [file for file in versioned if file.kind != filetypes.LOCK] or versioned
    found: dict[str, LiteralEdit] = {}
    holders: Counter[str] = Counter()
    explained = others = texts = 0
    for file in files:
        changes = find_named_versions(file)
        if _needs_text(view, file, changes) and texts < _TEXTS_READ:
            texts += 1
            changes = find_named_versions(file, view.read_new_text(file))
        explained += changes.explained
        others += changes.others + changes.unnamed
        for edit in changes.edits:
            found.setdefault(edit.name or "", edit)
            holders[edit.name or ""] += 1
    bumped = [file for file in view.change.files if file.bumped]
    beside = weigh_beside(view.change, [*files, *bumped])
    for name in sorted(_LANGUAGES.intersection(found)):
        if holders[name] > 1:
            # What else was edited in these files follows from the new version of the language.
            text, kind = _bump([found[name]])
            lines = count_lines(files)
            yield Statement(text, kind, name, lines / (lines + beside), "deps")
    if not found or (len(found) > NAMES_LISTED and others > len(found)):
        return
    share = explained / (explained + others + beside)
    if values_of(files, "kind") == {filetypes.LOCK}:
        # Few packages are all there is to say; of many most follow from one, and which one is not known.
        share = 1.0 if len(found) <= NAMES_LISTED else 0.5
    edits = list(found.values())
    text, kind = _bump(edits)
    yield Statement(text, kind, _shorten(edits[0].name or ""), share, "deps")


def _needs_text(view: ChangeView, file: FileFacts, changes: VersionChanges) -> bool:
    """Whether lines that changed may hold versions whose names stand above them."""
    return changes.unnamed > 0 and file.kind != filetypes.SOURCE and view.can_read


def _bump(edits: Sequence[LiteralEdit]) -> tuple[str, str]:
    """Return a sentence on changed versions, and its kind."""
    names = [make_printable(_shorten(edit.name or "")) for edit in edits]
    old, new = make_printable(edits[0].old), make_printable(edits[0].new)
    same = len({(edit.old, edit.new) for edit in edits}) == 1
    versions = f" from {old} to {new}"
    if len(edits[0].old) == _COMMIT_LENGTH:
        versions = f" to {new[:7]}"
    if len(names) == 2 and not same:
        return f"bump {names[0]} to {new} and {names[1]} to {make_printable(edits[1].new)}", "bump"
    if len(names) <= NAMES_LISTED:
        return f"bump {join_names(names)}{versions if same else ''}", "bump"
    if same:
        return f"bump {len(names)} packages{versions}", "bump"
    return f"bump {len(names)} dependencies", "bump many"


def _shorten(name: str) -> str:
    """Return a dependency's name as people write it: without the registry, or the file of a reusable workflow."""
    name = name.removeprefix("github.com/").removesuffix(".git").partition("/.github/")[0]
    registry, _, path = name.partition("/")
    if registry in _REGISTRIES:
        return path.rpartition("/")[2]
    return name


def say_requirements(view: ChangeView) -> Iterator[Statement]:
    """Yield `add X dependency`, `remove X dependency` or `replace X with Y` by the lines of manifests."""
    manifests = [file for file in view.change.of_kind(filetypes.MANIFEST) if file.nature == "modified"]
    gained: dict[str, None] = {}
    lost: dict[str, None] = {}
    for file in manifests:
        come, went = find_requirements(file)
        gained.update(dict.fromkeys(come))
        lost.update(dict.fromkeys(went))
    new = [_shorten(name) for name in gained if name not in lost]
    old = [_shorten(name) for name in lost if name not in gained]
    only = view.change.kinds <= {filetypes.MANIFEST, filetypes.LOCK}
    share = 1.0 if only else 0.3
    if any(file.versions or file.path.endswith(b"go.mod") for file in manifests):
        share *= 0.4
    if 0 < len(new) <= NAMES_LISTED and not old:
        yield Statement(f"add {_name_dependencies(new)}", "dependency", new[0], share, "build")
    elif 0 < len(old) <= NAMES_LISTED and not new:
        yield Statement(f"remove {_name_dependencies(old)}", "dependency", old[0], share, "build")
    elif len(new) == len(old) == 1 and only:
        yield Statement(f"replace {join_safe(old)} with {join_safe(new)}", "dependency", new[0], share, "build")


def _name_dependencies(names: Sequence[str]) -> str:
    return f"{join_names(list(map(make_printable, names)))} {'dependency' if len(names) == 1 else 'dependencies'}"
