"""Statements on files as wholes: added, removed, moved, made executable, or of other modes, links and submodules.

New files that have most of the lines are the subject of a change, in their own words: what follows from them, such as
their tests, their import or their entry in a list, is no second one. The names of files are written here as well.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import DERIVED, FileFacts, find_kinds, find_natures, list_hunks, list_paths
from smartcommit.change.filetypes import (
    FORMATTING,
    changed_lines,
    is_changelog,
    is_changelog_fragment,
    is_expected_output,
)
from smartcommit.change.symbols import Symbol
from smartcommit.change.text import LINES_COMPARED, find_names, read_line, read_lines, split_identifier
from smartcommit.change.wording import (
    format_count,
    join_names,
    join_safe,
    make_printable,
    pluralize,
    safe_name,
    safe_path,
)
from smartcommit.draft.embedded.view import UPKEEP, ChangeView, Kind, Statement, count_lines, read_telling
from smartcommit.git.diff import LINK_MODE
from smartcommit.patterns import compile_on_use, list_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

_NATURE = Kind(0.8, is_whole=True)
_MOVED_FILES = Kind(prior=0.8, is_whole=True, types=("refactor", "chore", "build", "test"))
# A few new files are the summary if no other statement is strong, and the names of files if there is none at all.
_NEW_FILES = Kind(0.385, is_whole=True)
_NAMES = Kind(0.1, is_whole=True)
# What follows from something else, as a changelog, has no more to say; most commits of it are called so.
_ROUTINE = Kind(0.25, is_whole=True)
_REMOVED_FILE = Kind(0.75, types=UPKEEP)
_CONVERTED = Kind(0.7, is_whole=True, types=UPKEEP)
_NEW_FILE = Kind(0.45, is_new=True)  # of source
_NEW_TEST_FILE = Kind(0.6, types=("test",))
_OTHER_FILE = Kind(0.5)
_NEW_FOLDER = Kind(0.6, is_whole=True)
_WORKFLOW_FILE = Kind(0.85, is_whole=True, types=("ci",))
# What moved, and the fewest lines of that.
_MOVED = Kind(0.6, types=UPKEEP)
_LEAST_MOVED = 3
# Number of names that a sentence lists; if there are more, it gives their number.
NAMES_LISTED = 3
# Number of files of a change from which on the names of new ones are not the summary.
MANY_FILES = 9
# Files that occur in every folder: their names mean little without the folder's.
_COMMON_NAMES = {
    b"index", b"main", b"mod", b"lib", b"__init__", b"__main__", b"readme", b"init", b"package", b"makefile",
    b"snakefile", b"jenkinsfile",
}  # fmt: skip
# The file that makes a folder a Python package.
_PACKAGE = b"__init__.py"
_MOST = 0.5  # the share of the lines from which on new files are the subject
_NEARLY_ALL = 0.8  # that from which on a new folder is: what uses it is beside it
_BESIDE = 0.25  # that of one of several, beside the largest
_WORKFLOW = compile_on_use(rb"\.github/workflows/[^/]{1,100}\.ya?ml\Z")
_WORKFLOW_NAME = compile_on_use(r"name:\s*[\"']?([^\"'#{}$]{2,50}?)[\"']?\s*(?:#.*)?\Z")
_TITLE = compile_on_use(r"#\s+(\S.{2,60}?)\s*#*\Z")
# What makes the name of a test of that of what it tests, and names that say nothing alone.
_OF_TEST = compile_on_use(r"(?i)(?:\A|(?<=[a-z\d])|[._-])(?:tests?|specs?|e2e|unit|it)(?=[A-Z._-]|\Z)[._-]?")
_PLAIN = {"index", "main", "mod", "lib", "init", "utils", "util", "common", "helpers", "types", "test", "tests", "all"}
# Endings and folders of files that follow from others.
_SIDE_ENDINGS = (b".css", b".scss", b".less", b".keep", b".gitkeep")
_SIDE_FOLDER = compile_on_use(rb"(?:\A|/)(?:demos?|examples?|fixtures?|playground|samples?|testdata)/")
_TYPES = ("class", "struct", "interface", "trait", "enum", "type", "table")
# Beside functions, these are what those take and return.
_SHAPES = {"interface", "type"}
_EXPORTED = ("export ", "pub ")
# Roles of what a list loses.
_LISTED = {"item", "key", "include"}
# Endings of files in formats that are converted to each other.
_FORMATS = (
    list_words("js jsx ts tsx mjs cjs mts cts"), list_words("yml yaml json jsonc json5 toml ini cfg"),
    list_words("css scss sass less"), list_words("png svg webp jpg jpeg gif avif"), list_words("c cc cpp cxx"),
    list_words("h hpp"), list_words("md mdx rst adoc txt yml yaml"),  # a template of issues may become a form
)  # fmt: skip


def say_nature(view: ChangeView) -> Iterator[Statement]:
    """Yield what happened to all files, if that does not depend on their contents."""
    files = omit_locks(view.about)
    natures = find_natures(files)
    texts = list(_list_nature_texts(files))
    gained = view.submodules.get(files[0].path, ())
    if view.change.only_submodules and len(files) == 1 and gained:
        name = f"submodule {safe_path(files[0].path)}"
        told = f": {make_printable(gained[0], 60)}" if len(gained) == 1 else f" by {len(gained)} commits"
        texts = [f"update {name}{told}", f"update {name}"]
    if not texts:
        return
    kind, share = _NATURE, view.share_of_core
    if natures <= {"moved", "copied"}:
        kind = _MOVED_FILES
    if len(files) > NAMES_LISTED and natures in ({"added"}, {"deleted"}):
        texts = list_names(view)
    if natures == {"added"} and not view.change.only_submodules:
        kind = _NEW_FILES
        if len(files) > NAMES_LISTED or len(view.change.files) >= MANY_FILES:
            kind = _NAMES
    yield Statement(texts, kind, share)


def _list_nature_texts(files: Sequence[FileFacts]) -> Iterator[str]:
    """Yield sentences on what happened to all of `files`, the best first; nothing if that depends on their contents."""
    natures, names = find_natures(files), file_names(files)
    nature = next(iter(natures)) if len(natures) == 1 else ""
    if nature in ("moved", "copied"):
        yield from _move_sentences(files, "move" if nature == "moved" else "copy")
    elif {file.status for file in files} == {"R"}:
        for sentence in _move_sentences(files, "move"):
            yield f"{sentence} and edit {'it' if len(files) == 1 else 'them'}"
    elif nature in ("added", "deleted"):
        yield from name_sentences(files, "add" if nature == "added" else "remove", files)
    elif nature == "mode":
        are_executable = {file.diff.change.new_mode == "100755" for file in files}
        if len(are_executable) == 1:
            yield f"make {names} {'executable' if are_executable.pop() else 'not executable'}"
        yield f"change the mode of {names}"
    elif nature == "link":
        yield from _say_links(files)
    elif nature == "submodule":
        yield from _say_submodules(files)
    elif nature == "line endings":
        ending = "CRLF" if b"\r" in b"".join(changed_lines(files[0].diff)[1]) else "LF"
        yield f"convert line endings of {names} to {ending}"
    elif nature == "type":
        yield f"change the file type of {names}"
    elif nature == "final newline":
        yield f"change the final newline of {names}"
    elif natures <= FORMATTING:
        yield f"{'reformat' if 'style' in natures else 'adjust whitespace in'} {names}"
    elif {"comments"} < natures <= FORMATTING | {"comments"}:
        yield f"update comments and whitespace in {names}"


def _say_links(files: Sequence[FileFacts]) -> Iterator[str]:
    change, name = files[0].diff.change, safe_name(files[0].path)
    target = "".join(read_lines(files[0].diff.hunks, "added")[-1:])
    if len(files) > 1:
        yield f"update {format_count(len(files), 'link')}"
    elif change.status == "D":
        yield f"remove link {name}"
    elif change.new_mode != LINK_MODE:
        yield f"replace link {name} with a file"
    elif target:
        yield f"link {name} to {make_printable(target)}"
    yield "update links"


def _say_submodules(files: Sequence[FileFacts]) -> Iterator[str]:
    statuses = {file.status for file in files}
    change, name = files[0].diff.change, safe_path(files[0].path)
    verb = "update"
    if statuses == {"A"}:
        verb = "add"
    elif statuses == {"D"}:
        verb = "remove"
    elif statuses == {"T"}:
        yield f"change the file type of {file_names(files)}"
    elif statuses == {"M"} and len(files) == 1:
        yield f"{verb} submodule {name} from {change.old_id[:7]} to {change.new_id[:7]}"
    if len(files) == 1:
        yield f"{verb} submodule {name}"
    yield f"{verb} {format_count(len(files), 'submodule')}"


def say_names(view: ChangeView) -> Iterator[Statement]:
    """Yield which files changed: always true, and never more than that."""
    files = view.files[: NAMES_LISTED + 1]
    is_routine = len(files) <= NAMES_LISTED and all(
        file.kind in DERIVED or is_changelog(file.path) or is_expected_output(file.path) for file in files
    )
    yield Statement(list_names(view), _ROUTINE if is_routine else _NAMES, 1.0)


def list_names(view: ChangeView) -> list[str]:
    # What other files have more of is no place of the change.
    files = omit_locks(view.about if view.share_of_core >= _MOST else view.files)
    natures = find_natures(files)
    verb = "update"
    new = [file for file in files if file.nature == "added"]
    # A single new file is said by a statement of its own.
    if len(new) > 1 and natures <= {"added", "modified"} and 2 * count_lines(new) > count_lines(files):
        verb, natures, files = "add", {"added"}, new
    elif natures == {"added"}:
        verb = "add"
    elif natures == {"deleted"}:
        verb = "remove"
    # What is counted are all files to which this happened, not only those that the change is about.
    counted = [file for file in view.files if verb == "update" or file.nature in natures]
    sentences = list(name_sentences(files, verb, counted))
    others = [file for file in files if file.nature not in ("added", "deleted")]
    if verb == "update" and new and len(others) + len(new) == len(files) > len(new) and len(files) <= NAMES_LISTED:
        sentences.insert(0, f"update {file_names(others)} and add {file_names(new)}")
    return sentences


def say_removed(view: ChangeView) -> Iterator[Statement]:
    """Yield which files were removed beside others that were edited, unless their lines were moved to another file.

    Of workflows the rest does not matter, unless others were added: both at once may be a move.
    """
    removed = [file for file in view.core if file.nature == "deleted"]
    workflows = [file for file in removed if _WORKFLOW.match(file.path)]
    share = view.share(count_lines(removed))
    if workflows and not any(file.nature == "added" and _WORKFLOW.match(file.path) for file in view.core):
        names = [posixpath.splitext(safe_name(file.path))[0] for file in workflows]
        text = f"remove {join_names(names)} {pluralize('workflow', len(names))}"
        yield Statement([text], _WORKFLOW_FILE, view.share(count_lines(workflows)))
    are_others_edited = len(removed) < len(view.core) and {file.status for file in view.core} <= {"M", "D"}
    paths = dict.fromkeys(posixpath.dirname(file.path) for file in removed)
    folders = dict.fromkeys(safe_name(path) for path in paths)
    gone = set()
    for _, edit in view.edits:
        # Entries of a table far above look like variables; those of functions are no entries.
        if edit.act == "went" and (edit.role in _LISTED or (edit.role == "variable" and not edit.place)):
            gone.add(edit.old.strip("\"'"))
    below = tuple(path + b"/" for path in paths)
    is_kept = any(file.nature != "deleted" and file.path.startswith(below) for file in view.change.files)
    if len(removed) > NAMES_LISTED >= len(folders) and gone.issuperset(folders) and not is_kept:
        # What the names of folders stand for went from where it is listed as well.
        yield Statement([f"remove {join_names(list(folders))}"], _REMOVED_FILE, share)
    if not 0 < len(removed) <= NAMES_LISTED or not are_others_edited:
        return
    lines = set(read_lines(list_hunks(removed), "removed"))
    if 2 * len(lines & set(view.added)) <= len(lines):
        yield Statement([f"remove {file_names(removed)}"], _REMOVED_FILE, share)


def say_converted(view: ChangeView) -> Iterator[Statement]:
    """Yield which files came in place of others of their names, with another ending."""
    removed: dict[bytes, list[FileFacts]] = {}
    for file in view.change.files:
        if file.nature == "deleted":
            removed.setdefault(posixpath.splitext(file.path)[0], []).append(file)
    old, new, endings = [], [], set()
    for file in view.change.files:
        stem, ending = posixpath.splitext(file.path)
        gone = removed.get(stem, ())
        if file.nature == "added" and ending and len(gone) == 1 and _is_converted(gone[0], file):
            old += gone
            new.append(file)
            endings.add(safe_path(ending[1:]))
    if len(endings) == 1:
        share = count_lines([*old, *new]) / max(1, count_lines(view.change.files))
        yield Statement([f"convert {file_names(old)} to {endings.pop()}"], _CONVERTED, share)


def _is_converted(old: FileFacts, new: FileFacts) -> bool:
    """Whether two files of one name are the same in two forms: their formats are of one family, or most words equal."""
    endings = {posixpath.splitext(file.path)[1][1:].decode("utf-8", "replace") for file in (old, new)}
    if old.kind != new.kind:
        return False
    if any(endings <= family for family in _FORMATS):
        return True
    gone = set(find_names("\n".join(read_lines(old.diff.hunks, "removed", LINES_COMPARED))))
    come = set(find_names("\n".join(read_lines(new.diff.hunks, "added", LINES_COMPARED))))
    return 2 * len(gone & come) > max(len(gone), len(come))


def say_subject(view: ChangeView) -> Iterator[Statement]:
    """Yield what new files are or define that have most of the lines of a change."""
    lines: dict[int, int] = {}
    files = []
    for file in view.core:
        if file.nature != "added" or not file.diff.hunks:
            continue
        is_side = file.path.endswith(_SIDE_ENDINGS) or _SIDE_FOLDER.search(file.path) or file.kind in DERIVED
        if not is_side and not is_expected_output(file.path) and not is_changelog_fragment(file.path):
            files.append(file)
            lines[id(file)] = count_lines([file])
    files.sort(key=lambda file: -lines[id(file)])
    if not files:
        yield from _say_folder(view)
        return
    named = [file for file in files if lines[id(file)] >= _BESIDE * lines[id(files[0])]][: NAMES_LISTED + 1]
    # Documents follow from anything else, unless they are many and have most of the lines.
    is_document = named[0].kind == filetypes.DOCUMENTATION
    documents = [file for file in view.core if file.kind == filetypes.DOCUMENTATION]
    is_document = is_document or (len(documents) > NAMES_LISTED and count_lines(documents) > sum(lines.values()))
    total = count_lines([file for file in view.core if is_document or file not in documents])
    if len(named) > NAMES_LISTED:
        yield from _say_folder(view)
    if len(named) > NAMES_LISTED or sum(lines.values()) < _MOST * total:
        return
    share = min(1.0, sum([lines[id(file)] for file in named]) / total)
    are_workflows = all(_WORKFLOW.match(file.path) for file in named)
    names: list[str] = []
    for file in named:
        # Beside files, the title of a workflow would not be known as one.
        name = file_names([file]) if _WORKFLOW.match(file.path) and not are_workflows else _name_file(file)
        if name not in names:
            names.append(name)
    for file in view.change.files:
        if any(symbol.name in names for symbol in file.symbols.removed):
            return  # it was moved from there
    kinds = {file.kind for file in named}
    tested = []
    for file in named:
        # What the tests are of by the name of the file, as `hosts` by `test_hosts.py`.
        name = safe_name(file.path).rpartition(".")[0]
        bare = _OF_TEST.sub("", name)
        if len(bare) > 2 and bare != name and bare.lower() not in _PLAIN:
            tested.append(bare)
    if kinds == {filetypes.TESTS} and len(tested) == len(named):
        yield Statement([f"add tests for {join_names(list(dict.fromkeys(tested)))}"], _NEW_TEST_FILE, share)
    elif are_workflows:
        yield Statement([f"add {join_names(names)} {pluralize('workflow', len(names))}"], _WORKFLOW_FILE, share)
    else:
        kind = _NEW_FILE if filetypes.SOURCE in kinds else _OTHER_FILE
        yield Statement([f"add {join_names(names)}"], kind, share)


def _say_folder(view: ChangeView) -> Iterator[Statement]:
    """Yield the folder of new files if it is new as well, since what describes or builds it as a whole is new."""
    files = [file for file in view.change.files if file.nature == "added"]
    folder = _common_folder(files) if len(files) > NAMES_LISTED else b""
    begins = False
    for file in files:
        place, name = posixpath.split(file.path)
        is_of_folder = file.kind == filetypes.MANIFEST or name.partition(b".")[0].lower() in _COMMON_NAMES
        begins = begins or (place == folder and is_of_folder)
    if not folder or not begins:
        return
    share = count_lines(files) / max(1, count_lines(view.change.files))
    # Tests and documents of what was changed beside them follow from that.
    follows = filetypes.SOURCE in find_kinds(view.change.files) - find_kinds(files)
    if share >= _NEARLY_ALL and not follows:
        yield Statement([f"add {safe_path(folder)}"], _NEW_FOLDER, share)


def _name_file(file: FileFacts) -> str:
    """Return what a new file is, in its own words: the title of a document, a type that it defines, or its name."""
    name = file_names([file])
    stem = safe_name(file.path).partition(".")[0]
    lines = read_lines(file.diff.hunks, "added", LINES_COMPARED)
    if _WORKFLOW.match(file.path):
        # Jobs and steps have names as well.
        own = [read_line(line) for line in file.diff.hunks[0].added if line.startswith(b"name:")]
        title = _find_first(_WORKFLOW_NAME, own)
        return _name_topic(title) if title and title.lower() != stem.lower() else posixpath.splitext(name)[0]
    # Files such as SECURITY.md and AGENTS.md are known by their names.
    is_known = stem.lower() == "readme" or (stem.isupper() and stem.replace("_", "").isalpha())
    if file.kind == filetypes.DOCUMENTATION and name.endswith(".md") and not is_known:
        title = _find_first(_TITLE, lines[:20])
        if " " in title:
            return f'"{title}"'
    # `HostTests.Reads#Host.g.cs` defines no `HostTests`.
    is_type = stem.isalnum() and len(split_identifier(stem)) > 1 and stem[:1].isupper() and name.count(".") == 1
    if file.kind == filetypes.SOURCE:
        # `lib.rs`, `index.ts` and `__init__.py` are the folder, but for one that only has the source.
        folders = [folder for folder in file.path.split(b"/")[:-1] if folder not in (b"src", b"lib")]
        folder = safe_name(folders[-1]) if folders and stem in ("lib", "mod", "index", "__init__") else ""
        symbols: Sequence[Symbol] = file.symbols.added
        if file.language.name == "go":
            # Names with a small letter are of the package alone.
            symbols = [symbol for symbol in symbols if not symbol.name[:1].islower()] or symbols
        return _find_definition(symbols, stem) or folder or (stem if is_type else name)
    return name


def _find_first(pattern: Pattern[str], lines: Sequence[str]) -> str:
    for line in lines:
        found = pattern.match(line)
        if found:
            return make_printable(found[1].strip())
    return ""


def _name_topic(heading: str) -> str:
    """Return a heading as a sentence mentions it: `nightly workflow` for `Nightly workflow`."""
    words = heading.split()
    if len(words) > 1 and words[0][1:].islower() and not any(word[:1].isupper() for word in words[1:]):
        words[0] = words[0].lower()
    return " ".join(words)


def _find_definition(symbols: Sequence[Symbol], stem: str) -> str:
    """Return the name of the definition that a file is for: that with its name, or the only type, or the only one."""
    public = [symbol for symbol in symbols if not symbol.name.startswith("_") and symbol.kind not in ("key", "section")]
    exported = [symbol for symbol in public if symbol.line.lstrip().startswith(_EXPORTED)]
    words = "".join(split_identifier(stem))
    for symbol in public:
        if "".join(split_identifier(symbol.name)) == words and len(words) > 3:
            return make_printable(symbol.name)
    public = exported or public
    types = [symbol for symbol in public if symbol.kind in _TYPES]
    if {symbol.kind for symbol in types} <= _SHAPES and len(public) > len(types):
        types = []
    for chosen in (types, public):
        if len(chosen) == 1 and (chosen[0].kind in _TYPES or len(split_identifier(chosen[0].name)) > 1):
            return make_printable(chosen[0].name)
    return ""


def say_moved(view: ChangeView) -> Iterator[Statement]:
    """Yield which definitions went from one file and came to another with most of their lines."""
    sources: dict[str, FileFacts] = {}
    for file in view.core:
        sources.update(dict.fromkeys([symbol.name for symbol in file.symbols.removed], file))
    for file in view.core:
        names: dict[str, None] = {}
        for symbol in file.symbols.added:
            # A heading of dots names nothing.
            if sources.get(symbol.name, file) is not file and any(char.isalnum() for char in symbol.name):
                names[symbol.name] = None
        gone = set(read_lines(list_hunks([sources[name] for name in names]), "removed", LINES_COMPARED))
        come: list[str] = []
        for hunk in file.diff.hunks if names else ():
            come += read_telling(file, hunk, "added", LINES_COMPARED)
        kept = [line for line in come if line in gone]
        if names and len(kept) >= _LEAST_MOVED and 2 * len(kept) >= len(come):
            listed = join_safe(names) if len(names) <= NAMES_LISTED else format_count(len(names), "definition")
            yield Statement([f"move {listed} to {file_names([file])}"], _MOVED, view.share(2 * len(kept)))


def omit_locks(files: Sequence[FileFacts]) -> Sequence[FileFacts]:
    """Return `files` without lock files, unless there are no others."""
    return [file for file in files if file.kind != filetypes.LOCK] or files


def name_sentences(files: Sequence[FileFacts], verb: str, counted: Sequence[FileFacts]) -> Iterator[str]:
    """Yield what happened by file names: `add a.py, b.py and c.py`, `add 12 files to docs`, `add 12 files`.

    The names are those of `files`, and the number that of `counted`.
    """
    if len(files) <= NAMES_LISTED:
        yield f"{verb} {join_names(_unique_names(files))}"
        bare = list(dict.fromkeys(safe_name(file.path) for file in files))
        if len(bare) == len(files) > 1:
            yield f"{verb} {join_names(bare)}"
    if len(files) == 1:
        return
    number = format_count(len(counted), "file")
    folder = _common_folder(counted)
    if folder:
        preposition = {"add": "to", "remove": "from"}.get(verb, "in")
        yield f"{verb} {number} {preposition} {safe_path(folder)}"
    yield f"{verb} {number}"


def file_names(files: Sequence[FileFacts]) -> str:
    """Return the names of a few files, or the number of many and the folder they share."""
    if len(files) <= NAMES_LISTED:
        return join_names(_unique_names(files))
    number = format_count(len(files), "file")
    folder = _common_folder(files)
    return f"{number} in {safe_path(folder)}" if folder else number


def _unique_names(files: Sequence[FileFacts]) -> list[str]:
    """Return the files' names, with the folder if a name is a common one, or their paths if two have the same name.

    A file that only makes its folder a package is left out beside others.
    """
    paths = [path for path in list_paths(files) if posixpath.basename(path) != _PACKAGE] or list_paths(files)
    names = []
    for path in paths:
        folder, name = posixpath.split(path)
        is_common = name.split(b".")[0].lower() in _COMMON_NAMES or folder.startswith(b".")
        if folder and is_common and not folder.startswith(b".github"):
            name = posixpath.join(posixpath.basename(folder), name)
        names.append(safe_path(name))
    if len(set(names)) == len(names):
        return names
    parts = [path.split(b"/") for path in paths]
    size = max(map(len, parts))
    while len({tuple(part[1 - size :]) for part in parts}) == len(parts):
        size -= 1
    return [safe_path(b"/".join(part[-size:])) for part in parts]


def _common_folder(files: Sequence[FileFacts]) -> bytes:
    return posixpath.commonpath([posixpath.dirname(file.path) for file in files])


def _move_sentences(files: Sequence[FileFacts], verb: str) -> Iterator[str]:
    """Yield where files went that git sees as renamed or copied, the best sentence first; the last has their number."""
    targets = {posixpath.dirname(file.path) for file in files}
    target = ""
    if len(targets) == 1 and b"" not in targets:
        target = f"{safe_path(targets.pop())}/"
    number = format_count(len(files), "file")
    if len(files) == 1:
        change = files[0].diff.change
        old, new = change.old_path or change.path, change.path
        if posixpath.dirname(old) == posixpath.dirname(new):
            yield f"{verb.replace('move', 'rename')} {safe_name(old)} to {safe_name(new)}"
        elif posixpath.basename(old) == posixpath.basename(new):
            yield f"{verb} {safe_name(old)} to {target or 'the top level'}"
            yield f"{verb} {safe_name(old)} to {posixpath.basename(target[:-1]) or 'the top level'}"
        else:
            yield f"{verb} {safe_path(old)} to {safe_path(new)}"
        yield f"{verb} {safe_name(old)}"
        return
    if target and len(files) <= NAMES_LISTED:
        yield f"{verb} {join_names(_unique_names(files))} to {target}"
    elif target:
        yield f"{verb} {number} to {target}"
    yield f"{verb} {number}"
