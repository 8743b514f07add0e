"""Statements on dependencies: other versions, and what is required from now on or no longer."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from smartcommit.change import filetypes
from smartcommit.change.bumps import HASH_LENGTH, VERSION, Bump, is_number, list_required, read_bump
from smartcommit.change.facts import FileFacts, find_kinds, find_natures, is_of_ci, list_hunks
from smartcommit.change.filetypes import is_changelog
from smartcommit.change.history import History
from smartcommit.change.text import (
    LINE_BYTES,
    LINES_COMPARED,
    count_indent,
    has_digit,
    mentions,
    read_hunk,
    read_line,
    read_lines,
)
from smartcommit.change.wording import drop_references, join_names, join_safe, make_printable, safe_path
from smartcommit.draft.embedded.classify import find_class
from smartcommit.draft.embedded.view import FILES_EXAMINED, ChangeView, Kind, Statement, weigh_beside
from smartcommit.draft.embedded.whole_files import NAMES_LISTED, file_names, omit_locks
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use, list_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side
    from smartcommit.git.diff import Hunk

_UPKEEP_TYPES = ("deps", "chore", "build", "ci")
_BUMP = Kind(0.85, is_whole=True, types=_UPKEEP_TYPES)
_BUMPS = Kind(0.7, is_whole=True, types=_UPKEEP_TYPES)
_BUMP_BESIDE = Kind(0.4, is_whole=True, types=_UPKEEP_TYPES)
_DEPENDENCY = Kind(0.8)
# What names no dependency, such as `bump versions in pom.xml`, is said unless anything else is known.
_VERSIONS = Kind(0.6, is_whole=True)
_REGISTRIES = {"docker.io", "gcr.io", "ghcr.io", "mcr.microsoft.com", "public.ecr.aws", "quay.io", "registry.k8s.io"}
# The artifact of Maven that at most two whole elements part from its version.
_ARTIFACT = compile_on_use(rb"(?s:.*)<artifactId>([\w.-]{1,100})</artifactId>.*(?:\n.*</.*){0,2}\Z")
# What a lock file of Rust, Python or PHP, of npm or of yarn has above the version of a package.
_LOCKED = compile_on_use(
    rb"(?:\s*\"?name\"?(?: =|:) |\s+\"[^\"]*node_modules/|(?=\S.*@.+:\Z))"
    rb"\"?((?:@?[\w.-]+/)?[\w.-]+)(?:\",?|\": \{|@.+:)\Z"
)
_KEY = compile_on_use(r"[\"']?\s*[:=]")
_TABLE = compile_on_use(r"\s+[\"'\[]*([\w-]{1,40})[\"'\]]* ?[=:] ?[{(]\s*\Z")
# What stands before the owner in the path of a module.
_HOST = compile_on_use(r"\A[\w-]+(?:\.[\w-]+)+/(?=.*/)")
_VERSION_LENGTH = 20  # of one that is said alone
# Hunks of a file that are read.
_HUNKS_READ = 200
# Lines with a version and the name of what has it.
_NAMED = tuple(compile_on_use(pattern) for pattern in (
    r"(?i)^FROM\s+(?:--\S+\s+)?([\w./-]+)[:@]",
    r"<(?:PackageReference|PackageVersion|PackageDownload)\s+(?:Include|Update)=\"([^\"]+)\"",
    r"<([\w.-]+?)[.-]?[vV]ersion>",
    r"\.add_(?:\w+_)?dependency\(?\s*[\"']([\w-]+)[\"']",
    r"^gem\s+[\"']([\w-]+)[\"']",
    r"^\{:(\w+),\s*\"[^\"]*\d",
    r"^(?:require\s+)?((?:[\w-]+\.)+[\w-]+/[\w./-]+)\s+v\d",
    r"^(go|toolchain|ruby|node|python|rust)\s+[\"']?v?(?:go)?\d",
    r"^([\w.-]+) \([\d.]",
    r"^(?:(?:ARG|ENV|export)\s+)?[\"']?([\w@/][\w@/.-]*?)[\"']?\s*[:=]\s*\{?\s*(?:(?:version|ref|tag|rev)\s*[:=]\s*)?[\"']?(?:[\^~>=<]|v?\d)",
    r"^(?:-\s*)?[\"']?([\w.\[\]-]+?)\s*(?:==|>=|~=|<=|<|>)\s*v?\d",
    r"[\"'](?:npm:|github:)?([\w@/.:-]+?)[@:]v?\d[\w.-]*(?:@sha256:\w+)?[\"']",
    r"/([a-z]+)-v?\d[\w.]*(?:-\w+)?\.(?:zip|tar\.gz|tgz)\b",
    r"\b(?:image|docker|container)\b[^\n]{0,80}?([\w./-]+):v?\d",
    r"([\w./-]+)@(?:v?\d|[0-9a-f]{40})",
))  # fmt: skip
# Names that are those of the version itself, or of a section, and not of a dependency.
_NO_NAMES = list_words(
    "version revision rev tag ref from image commit sha checksum integrity resolved hash digest url appversion "
    "value install_info limit size width height timeout dependencies require package packages default with "
    "__version__ localhost"
)
# Kinds of files that may hold versions of dependencies.
_VERSIONED = (
    filetypes.MANIFEST, filetypes.CI, filetypes.BUILD, filetypes.CONFIGURATION, filetypes.SOURCE, filetypes.LOCK,
)  # fmt: skip
# Files that hold only a version, with the name of what has it.
_VERSION_FILES = {
    b".go-version": "go", b".java-version": "java", b".node-version": "node", b".nvmrc": "node",
    b".python-version": "python", b".ruby-version": "ruby", b".terraform-version": "terraform",
}  # fmt: skip
# What a manifest requires of the language or of tools, beside keys that end with "version".
_PLATFORMS = list_words(
    "dart flutter go node npm php pnpm python python_requires requires-python ruby rust sdk toolchain vscode yarn"
)
_HASH = compile_on_use(r"integrity|resolved|checksum|sha\d+|hash|digest|\burl\b")
_SUFFIX = compile_on_use(r"(?<=.)(?:[_.-]?version|Version|_VERSION)\Z")
_REQUIRES = compile_on_use(r"[\"'=^~> @v:]\d+\.\d|\*[\"']|workspace\s*=\s*true|\bversion\b")

# A summary on another version, and ours. So many past ones of a form, and half of all, make it the project's own.
_PAST_BUMP = compile_on_use(r"(?i)(bump|update|upgrade) (?:\S+ ){0,3}?(from v?\d\S* )?to (v?)\d\S*\Z")
_OWN_VERB = "bump "
_OWN_BUMP = compile_on_use(rf"{_OWN_VERB}(?P<name>.+?) (?:from (?P<old>\S+) )?to (?P<new>\d\S*)(?P<where> in .+)?\Z")
_LEAST_TIMES = 3
_LEAST_SHARE = 0.6
# What stands for a version in a summary that recurs, and verbs of those that are about one change.
_ANY_VERSION = "\0"
_POINTED = compile_on_use(r"\d+(?:\.\w+)+")
_OF_ONE_CHANGE = {"add", "correct", "delete", "drop", "fix", "improve", "introduce", "remove", "rename", "support"}
_TYPES_OF_ONE_CHANGE = {"feat", "fix", "perf", "refactor"}


def say_versions(view: ChangeView) -> Iterator[Statement]:
    """Yield what is new if only versions changed: the project's own, those in lock files, or some without names."""
    files = omit_locks(view.about)
    # Beside other files that have to be explained, it follows from them.
    if find_kinds(files) == {filetypes.LOCK} and view.share_of_core == 1.0:
        text = "update locked dependencies"
        if len(files) == 1:
            text = f"update {safe_path(files[0].path)}"
        yield Statement([text], _VERSIONS, 1.0)
    versions = {bump.new for bump in list_bumps(files)}
    bumped = [file for file in files if not (is_changelog(file.path) or _repeats_version(file, versions))]
    if not all(file.bumped for file in bumped) or not bumped or find_natures(files) == {"comments"}:
        return
    if len(bumped) < len(files) and not any(bump.own for bump in list_bumps(bumped)):
        return
    for bump in list_bumps(files):
        if bump.own:
            old, new = make_printable(bump.old), make_printable(bump.new)
            verb = "set version back" if bump.is_lower else "bump version"
            texts = [f"{verb} from {old} to {new}", f"{verb} to {new}"]
            yield Statement(texts, _BUMP, view.share_of_core)
            return
    first, *others = dict.fromkeys(list_bumps(files))
    texts = [f"{_choose_verb([first, *others], 'change')} versions in {file_names(files)}"]
    if not others and len(files) == 1:
        old, new = make_printable(first.old), make_printable(first.new)
        text = f"{_choose_verb([first])} a version in {file_names(files)}"
        texts = [f"{text} from {old} to {new}", text]
    are_all_up = not any(bump.is_lower for bump in (first, *others))
    if others and are_all_up and len(files) == 1 and files[0].path.endswith(b".pre-commit-config.yaml"):
        texts = ["update pre-commit hooks"]
    yield Statement(texts, _VERSIONS, view.share_of_core)


def _repeats_version(file: FileFacts, versions: Set[str]) -> bool:
    """Whether each line that came to a document has one of `versions`."""
    lines = read_lines(file.diff.hunks, "added") if file.kind == filetypes.DOCUMENTATION else []
    for line in lines:
        if not any(found[0].lstrip("v") in versions for found in VERSION.finditer(line)):
            return False
    return bool(lines)


def list_bumps(files: Sequence[FileFacts]) -> list[Bump]:
    bumps: list[Bump] = []
    for file in files:
        bumps += file.versions
    return bumps


def say_bumps(view: ChangeView) -> Iterator[Statement]:
    """Yield `bump X from A to B`, by the manifests, or by the lock files alone if no manifest changed."""
    versioned = []
    for file in view.files[:FILES_EXAMINED]:
        # `go.sum` follows from `go.mod`.
        is_derived = file.path.endswith((b"go.sum", b"go.work.sum"))
        if file.nature == "modified" and file.kind in _VERSIONED and not is_derived:
            versioned.append(file)
    files = omit_locks(versioned)
    found: dict[str, list[Bump]] = {}
    tables: set[str] = set()
    explained = others = 0
    for file in files:
        lines, more = _find_named(file, found, tables)
        explained += lines
        others += more
    if not found or (len(found) > NAMES_LISTED and others > len(found)):
        return
    bumped = [file for file in view.change.files if file.bumped]
    share = explained / (explained + others + weigh_beside(view.change, [*files, *bumped]))
    if find_kinds(files) == {filetypes.LOCK}:
        share = 1.0 if find_kinds(view.core) == {filetypes.LOCK} else share
        if len(found) > NAMES_LISTED:
            # Of many packages most follow from one, and which one is not known.
            share = 0.5
    # What a workflow alone has may be another version than the project's.
    where = f" in {file_names(files)}" if all(is_of_ci(file) for file in files) else ""
    statement = _say_bump(found, share, where, are_all=not others)
    if tables.issuperset(found) and others:
        # Beside other edits, which version of what has a table is a detail.
        statement.kind = _BUMP_BESIDE
    yield statement


def _choose_verb(bumps: Iterable[Bump], verb_of_both: str = "change the versions of") -> str:
    lowered = [bump.is_lower for bump in bumps]
    if all(lowered):
        return "downgrade"
    return verb_of_both if any(lowered) else "bump"


def _say_bump(bumps: Mapping[str, Sequence[Bump]], share: float, where: str, *, are_all: bool) -> Statement:
    names = list(dict.fromkeys([make_printable(_drop_registry(name)) for name in bumps]))
    # One is read with and without its `@` where a line has its path.
    names = [name for name in names if f"@{name}" not in names]
    # In a lock file, one name may have two versions.
    first, *others = chain.from_iterable(bumps.values())
    verb = _choose_verb([first, *others])
    old, new = make_printable(first.old), make_printable(first.new)
    versions = f" from {old} to {new}"
    if len(first.old) == HASH_LENGTH:
        versions = f" to {new[:7]}"
    same = others == [first] * len(others)
    if same:
        # These are keys of Rust's own version.
        names = [name for name in names if name not in ("channel", "toolchain")] or names
    if len(names) <= NAMES_LISTED:
        text = f"{verb} {join_names(names)}"
        texts = [text + where]
        if same:
            shorter = [f"{text} to {new}{where}"] if len(new) <= _VERSION_LENGTH else []
            texts = [text + versions + where, *shorter, *texts]
        if len(names) > 1:
            bare = [_HOST.sub("", name) for name in names]
            texts += [f"{verb} {join_names(bare)}{where}", *_sum_up(names, verb, are_all=are_all)]
        return Statement(texts, _BUMP, share)
    if same:
        return Statement([f"{verb} {_find_owner(names) or len(names)} packages{versions}"], _BUMP, share)
    return Statement(_sum_up(names, verb, are_all=are_all), _BUMPS, share)


def _sum_up(names: Sequence[str], verb: str, *, are_all: bool) -> list[str]:
    """Return sentences with the owner, if that is one, and with the number if all lines were read.

    Languages and tools do not count.
    """
    number = len([name for name in names if name not in _PLATFORMS])
    counted = f"{verb} dependencies".replace("bump", "update")
    if are_all and number > 1:
        counted = f"{verb} {number} dependencies"
    owner = _find_owner(names)
    return [f"{verb} {owner} dependencies", counted] if owner else [counted]


def _find_owner(names: Sequence[str]) -> str:
    """Return what the names of modules or of scoped packages begin with, or an empty text."""
    owner = posixpath.commonpath([name.strip("/") for name in names])
    return owner if "/" in owner or owner.startswith("@") else ""


def _drop_registry(name: str) -> str:
    """Return a dependency's name as people write it: without the registry or the group, or the file of a workflow."""
    name = name.removesuffix(".git").partition("/.github/")[0]
    group, _, artifact = name.rpartition(":")
    if "." in group:
        return artifact
    registry, _, path = name.partition("/")
    if registry in _REGISTRIES:
        return path.rpartition("/")[2]
    return name


def say_requirements(view: ChangeView) -> Iterator[Statement]:
    """Yield `add X dependency`, `remove X dependency` or `replace X with Y` by the lines of manifests."""
    manifests = []
    share = 1.0 if find_kinds(view.files) <= {filetypes.MANIFEST, filetypes.LOCK} else 0.3
    for file in view.files:
        is_manifest = file.kind == filetypes.MANIFEST or file.path.endswith((b".gradle", b".gradle.kts"))
        if is_manifest and file.nature == "modified":
            manifests.append(file)
            if file.versions or file.path.endswith(b"go.mod"):
                share *= 0.4
    come, went = _list_requirements(manifests, "added"), _list_requirements(manifests, "removed")
    # One in place of another may be a part of its name, as `kotlin-test` of `kotlin-test-junit`.
    is_other = len(come) == len(went) == 1 and come != went
    new = _list_only(come, [] if is_other else read_lines(list_hunks(manifests), "removed"))
    old = _list_only(went, [] if is_other else read_lines(list_hunks(manifests), "added"))
    for verb, names, others in (("add", new, old), ("remove", old, new)):
        noun = "dependency" if len(names) == 1 else "dependencies"
        if 0 < len(names) <= NAMES_LISTED and not others:
            yield Statement([f"{verb} {join_safe(names, 50)} {noun}"], _DEPENDENCY, share)
    if len(new) == len(old) == 1 and share == 1.0:
        yield Statement([f"replace {join_safe(old)} with {join_safe(new)}"], _DEPENDENCY, share)


def _list_only(names: Iterable[str], lines: Sequence[str]) -> list[str]:
    """Return the `names` that the `lines` of the other side do not mention, in whatever form."""
    text = "\n".join(lines)
    return [_drop_registry(name) for name in names if not mentions(text, name)]


def _list_requirements(files: Sequence[FileFacts], side: Side) -> dict[str, None]:
    names: dict[str, None] = {}
    for line in read_lines(list_hunks(files), side):
        name = _find_name(line)
        if not name or name.lower() in _PLATFORMS or name.lower().endswith("version"):
            continue
        found = list(VERSION.finditer(line))
        is_other = bool(found) and all(is_number(match) for match in found)
        if not is_other and "// indirect" not in line and _REQUIRES.search(line):
            names[name] = None
    return names


def _find_named(file: FileFacts, found: dict[str, list[Bump]], tables: set[str]) -> tuple[int, int]:
    """Add the dependencies whose version changed in `file`; return how many lines that are, and how many others.

    Lines with hashes do not count. What is named by the table that it is in is in `tables` as well.
    """
    of_file = _VERSION_FILES.get(file.path.rpartition(b"/")[2])
    explained = others = 0
    for hunk in list_required(file.diff)[:_HUNKS_READ]:
        pairs = read_hunk(hunk).pairs(LINES_COMPARED)
        if pairs is None:
            others += max(len(hunk.removed), len(hunk.added))
        for before, after in pairs or ():
            if before == after:
                continue
            bump = read_bump(before, after)
            name = bump and (of_file or _find_name(after) or _find_artifact(hunk, file.kind))
            if bump and not name and file.kind != filetypes.LOCK:
                name = _find_table(hunk, after)
                tables.update([name] if name else [])
            # `||` is in a range of supported versions.
            if not bump or not name or "||" in after:
                others += bump is not None or _HASH.search(after) is None
                continue
            explained += 1
            found.setdefault(_SUFFIX.sub("", name), []).append(bump)
    return explained, others


def _find_artifact(hunk: Hunk, kind: str) -> str | None:
    if kind == filetypes.LOCK:
        above = _LOCKED.match(b"".join(hunk.before[-1:])[:LINE_BYTES])
    else:
        above = _ARTIFACT.match(b"\n".join(hunk.before))
    return above and above[1].decode("utf-8", "replace")


def _find_table(hunk: Hunk, line: str) -> str | None:
    """Return the key of the table that has a version or a hash, as `c = {` in one of several parsers by their names."""
    if _KEY.split(line, maxsplit=1)[0].strip("\"'").lower() not in _NO_NAMES:
        return None
    least = min([count_indent(added) for added in hunk.added], default=0)
    for above in reversed(hunk.before) if least else ():
        found = _TABLE.match(read_line(above)) if count_indent(above) < least else None
        if found:
            least = count_indent(above)
            if found[1].lower() not in _NO_NAMES:
                return str(found[1])
    return None


def _find_name(line: str) -> str | None:
    for pattern in _NAMED:
        found = pattern.search(line)
        if found:
            name = found[1].split("[")[0].strip("./")
            # What follows an address is a port.
            is_none = name.lower() in _NO_NAMES or "://" in name
            if not is_none and not name.isdigit() and len(name) > 1:
                return name
    return None


def say_recurring(view: ChangeView, history: History) -> Iterator[Statement]:
    """Yield the summary that the project gives again and again to changes of exactly these paths.

    A version in it is that of this change, if the file with the version has nothing else. What says that something
    comes, goes or is mended may not hold again, whether by its verb or by its type.
    """
    wanted, similar = set(view.change.paths), 0
    counts: Counter[tuple[str, str]] = Counter()
    for commit in history.commits:
        if commit.type and wanted == set(commit.paths):
            similar += 1
            counts[find_class(commit.type), drop_references(_POINTED.sub(_ANY_VERSION, commit.summary))] += 1
    versions = {bump.new for bump in list_bumps(view.files) if not bump.is_lower}
    are_alone = all(file.bumped for file in view.files if file.versions)
    for (kind, form), count in counts.items():
        number = form.count(_ANY_VERSION)
        is_known = number == 0 or (number == len(versions) == 1 and are_alone)
        is_of_one = kind in _TYPES_OF_ONE_CHANGE or find_verb(form) in _OF_ONE_CHANGE
        if count < max(_LEAST_TIMES, _LEAST_SHARE * similar) or not is_known or is_of_one:
            continue
        if " " in form and not has_digit(form):
            text = make_printable(form.replace(_ANY_VERSION, next(iter(versions), "")), 100)
            yield Statement([text], Kind(0.8, is_whole=True, types=(kind,)), 1.0)


def adapt_bumps(sentences: Sequence[str], history: History) -> list[str]:
    """Return sentences on changed versions in the project's form: `update x to v2` for `bump x from 1 to 2`.

    They stay unchanged unless at least _LEAST_TIMES past summaries on versions, and half of them, have the same form.
    """
    if not any(sentence.startswith(_OWN_VERB) for sentence in sentences):
        return list(sentences)
    forms: Counter[tuple[str, bool, str]] = Counter()
    for commit in history.commits:
        found = _PAST_BUMP.match(drop_references(commit.summary))
        if found:
            forms[found[1].lower(), bool(found[2]), found[3]] += 1
    if not forms:
        return list(sentences)
    (verb, has_old, sign), count = forms.most_common(1)[0]
    if count < _LEAST_TIMES or 2 * count < forms.total():
        return list(sentences)
    adapted = []
    for sentence in sentences:
        own = _OWN_BUMP.match(sentence)
        old = f" from {sign}{own['old']}" if own and has_old and own["old"] else ""
        where = own["where"] or "" if own else ""
        adapted.append(f"{verb} {own['name']}{old} to {sign}{own['new']}{where}" if own else sentence)
    return adapted
