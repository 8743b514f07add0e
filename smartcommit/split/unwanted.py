"""A snapshot without what nobody may have meant to commit: secrets, byproducts, conflicts.

Byproducts are what programs and people leave behind: output of builds, logs, backups and scratch files. A name proves
little, since projects use the same names on purpose. What decides is the rest of the repository: tracked files of the
same form in the folder, the source or manifest that a file is built from, and files that mention it.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from smartcommit.git.diff import REGULAR, FileChange, list_changes
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_head
from smartcommit.git.snapshot import Compose, Pathspecs, Snapshot, take_snapshot
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.files import (
    BUILT_BESIDE,
    COMPILED,
    CONTENT,
    IS_BUILT,
    IS_SCRATCH,
    IS_TEMPORARY,
    PACKED,
    SCRATCH_AT_TOP,
    SOURCE,
    UNNAMED,
    UNUSUAL,
    WRITTEN,
    Form,
    find_form,
    is_any_above,
)
from smartcommit.secrets.scan import Finding, find_passwords, scan, scan_conflicts, scan_names
from smartcommit.split.plan import SuspectFile

_TEMPORARY = Form(IS_TEMPORARY, UNUSUAL, compile_on_use(r"(?s).*"))
_TEMPORARY_PATH = compile_on_use(
    r"(?is)(?:\.?tmp|temp|scratch)/.*|(?:.*/)?coverage/(?:.*/)?[^/]+\.(?:html|css|js|json|xml|png|info)"
)
# Names that an executable may have; its content decides.
_EXECUTABLE = Form(IS_BUILT, CONTENT, compile_on_use(r"[^.]+|.*\.(?:exe|out|bin|elf|test|run|\w*[\d_]\w*)"))
# Of Linux, Windows and macOS.
_MAGIC = (b"\x7fELF", b"MZ", b"\xfe\xed\xfa", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
# Folders in which files of such names are meant, and those in which packed scripts are.
_MEANT_FOLDER = compile_on_use(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|test-?data|fixtures?|__fixtures__|examples?|samples?|demos?|docs?|corpus"
    r"|documentation|templates?|skel(?:eton)?|snapshots|__snapshots__|__mocks__|data|resources|vendor(?:ed)?|external"
    r"|third[-_]?party|migrations?|seeds?|bench(?:es|marks?)?|prebuilts?|firmware|redist)/"
)
_VENDORED = compile_on_use(r"(?i)(?:^|/)(?:libs?|plugins?)/")
# Folders of output; not within source, where such a folder is a package.
_OUTPUT = compile_on_use(
    r"((?:(?!(?:src|lib|cmd|internal|pkg|scripts?|tools|tests?|test-?data|fixtures?|vendor(?:ed)?|third[-_]?party|docs?"
    r"|include|crates)/)[^/]+/)*?)(?:build|dist|out|output|target|_build|bin|obj|release)/"
)
# Output that is kept, by a line of .gitattributes or an exception in .gitignore.
_FOLDER = "(build|dist|out|output|target|bin|release)"
_KEPT = f"^!([^ ]*/)?{_FOLDER}(/|$)|^/?([^ ]*/)?{_FOLDER}/.*(generated|-diff|-text|binary)"
_MANIFESTS = {b"Makefile", b"Cargo.toml", b"tsconfig.json", b"gulpfile.js"}.union(*BUILT_BESIDE.values())
# What is before the ending of a file that was made from the one beside it, and the endings of its source.
_MADE = compile_on_use(r"(?i)[-_.](?:min|backup|bak|orig|(?:backup|base|local|remote)[_.]\d+)(?=\.\w+\Z)")
_SOURCES = (".js", ".ts", ".mjs", ".jsx", ".tsx", ".coffee", ".css", ".scss", ".sass", ".less")
# What tools write into the files that they make; a minified file has long lines.
_MARKS = compile_on_use(
    rb"sourceMappingURL=|__webpack_require__|webpackJsonp|webpackChunk|@generated|System\.register\(|\(\(\)=>\{|!function\("
    rb"|defineProperty\(exports, \"__esModule\"|var __create = Object\.create|\(function\(\)\{function r\(e,n,t\)"
)
_LINE_LENGTH = 300
# What programs begin with that dump a database, and data in it: a project may keep its schema.
_DUMP = compile_on_use(
    rb"-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin|Adminer|HeidiSQL|Dump)\b|PRAGMA foreign_keys=OFF;|/\*!\d{5} SET |PGDMP"
)
_DATA = compile_on_use(rb"(?im)^(?:insert into|copy [^;]* from stdin)|^PGDMP")
# What is declared in languages in which a file is used by that, and not by its own name.
_DECLARING = (".java", ".kt", ".cs", ".swift", ".scala", ".go", ".c", ".cc", ".cpp")
_DECLARED = compile_on_use(
    rb"(?m)^(?:[a-z]+ )*(?:func(?: \([^)\n]*\))?|type|var|const|class|interface|object|struct|enum|record|trait)"
    rb" (\w{2,60})|^[\w*]+ [\w* ]*?\b(\w{2,60})\([^;\n]*\)\s*\{"
)
# Bounds of the search for mentions: seconds, bytes, and names that a file declares.
_SECONDS, _BYTES_OF_MENTIONS, _NAMES_SEARCHED = 5.0, 1 << 20, 50
# Folders that fit into one command line.
_FOLDERS = 400
_Names = dict[bytes, set[bytes]]


@contextmanager
def take_screened_snapshot(
    repository: Repository,
    *,
    staged: bool,
    apart: Collection[bytes],
    planned: Collection[str],
    include_secrets: bool,
    compose: Compose | None = None,
    paths: Pathspecs | None = None,
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """Yield a snapshot as `take_snapshot` does, and its suspect files.

    All are to be left out, except for those in `planned`, or if `include_secrets` is set. Untracked ones are not in the
    snapshot then; what is in a folder that a program made is not even read.
    """
    left_out: dict[bytes, SuspectFile] = {}
    is_meant = _choose_meant(planned, include_all=include_secrets)

    def leave_out(head: str | None, untracked: Sequence[bytes]) -> Collection[bytes]:
        if not include_secrets:
            for finding in scan_names(repository, head or repository.empty_tree, untracked):
                # A file may have been renamed, which only a snapshot shows.
                if finding.path.endswith(b"/") and not is_meant(finding.path):
                    left_out[finding.path] = SuspectFile(finding.path, finding.reason, left_out=True)
        return left_out

    while True:
        with take_snapshot(
            repository, staged=staged, apart=apart, leave_out=leave_out, compose=compose, paths=paths
        ) as snapshot:
            suspects = find_suspects(snapshot, planned, include_all=include_secrets)
            untracked = frozenset(snapshot.untracked)
            known = len(left_out)
            for suspect in suspects:
                if suspect.left_out and suspect.path in untracked:
                    left_out[suspect.path] = suspect
            if len(left_out) == known:
                yield snapshot, [*left_out.values(), *suspects]
                return
        # Take another snapshot: the objects of this one must not get into the object database.


def find_suspects(snapshot: Snapshot, planned: Collection[str], *, include_all: bool) -> list[SuspectFile]:
    """Return the suspect files of `snapshot`; all are to be left out but those in `planned`, unless `include_all`."""
    repository, since = snapshot.repository, snapshot.since
    changes = list_changes(repository, since, snapshot.target, counts=False)
    reasons: dict[bytes, str] = {}
    _add_reasons(reasons, scan(repository, since, changes))
    clean = []
    for change in changes:
        if not is_any_above(change.path, reasons):
            clean.append(change)
    _add_reasons(reasons, scan_conflicts(repository, clean))
    _add_reasons(reasons, _find_byproducts(repository, since, snapshot.target, clean))
    _add_reasons(reasons, find_passwords(repository, clean))
    is_meant = _choose_meant(planned, include_all=include_all)
    suspects = []
    for path, reason in reasons.items():
        suspects.append(SuspectFile(path, reason, left_out=not is_meant(path)))
    return suspects


def _add_reasons(reasons: dict[bytes, str], findings: Iterable[Finding]) -> None:
    for finding in findings:
        reasons.setdefault(finding.path, finding.reason)


def _choose_meant(planned: Collection[str], *, include_all: bool) -> Callable[[bytes], bool]:
    """Return whether a path, or one below it, is meant to be committed."""
    meant = set(map(os.fsencode, planned))

    def is_meant(path: bytes) -> bool:
        return include_all or any(is_any_above(each, [path]) for each in meant)

    return is_meant


class _Candidate(NamedTuple):
    path: bytes
    form: Form
    content: bytes


def _find_byproducts(repository: Repository, base: str, target: str, changes: Sequence[FileChange]) -> list[Finding]:
    """Return the new files of `changes`, from tree `base` to `target`, that were left behind; four processes."""
    new: dict[bytes, FileChange] = {}
    forms: dict[bytes, Form] = {}
    for change in changes:
        if change.status == "A" and change.new_mode in REGULAR:
            new[change.path] = change
            form = _find_form(change.path)
            if form is not None:
                forms[change.path] = form
    if not forms:
        return []
    tracked, present = _read_names(repository, base, new, forms)
    for path in list(forms):
        if _has_like(path, forms[path], tracked, present):
            del forms[path]
    contents = read_blobs(repository, [new[path].new_id for path in forms])
    candidates = list(map(_Candidate, forms, forms.values(), contents))
    mentioned = _find_mentioned(repository, target, candidates)
    found = []
    for candidate in candidates:
        if _is_left_behind(candidate, tracked, present, mentioned):
            found.append(Finding(candidate.path, candidate.form.reason))
    if any(_find_output(finding.path) for finding in found) and _keeps_output(repository, target):
        found = [finding for finding in found if not _find_output(finding.path)]
    return found


def _read_names(
    repository: Repository, base: str, new: Iterable[bytes], paths: Iterable[bytes]
) -> tuple[_Names, _Names]:
    """Return the names that tree `base` has around `paths`, and these with those of the `new` files; one process."""
    folders = {b""}
    for path in paths:
        output = _find_output(path)
        folders.update((posixpath.dirname(path), output, posixpath.dirname(output)))
    names: Sequence[bytes | str] = ["-r"]
    if len(folders) < _FOLDERS:
        names = ["--", *((folder or b".") + b"/" for folder in sorted(folders))]
    tracked = _group(repository.run("ls-tree", "-z", "--name-only", base, *names).split(b"\0")[:-1])
    present = _group(new)
    for folder in folders:
        present[folder] |= tracked[folder]
    return tracked, present


def _group(paths: Iterable[bytes]) -> _Names:
    names: _Names = defaultdict(set)
    for path in paths:
        folder, name = posixpath.split(path)
        names[folder].add(name)
    return names


def _find_form(path: bytes) -> Form | None:
    """Return the form of a new file that is perhaps left behind."""
    text = os.fsdecode(path)
    folder, name = posixpath.split(text.lower())
    if _find_output(path):
        for form in (PACKED, COMPILED):
            if form.pattern.fullmatch(name):
                return form
    if _TEMPORARY_PATH.fullmatch(text):
        return _TEMPORARY
    found = find_form(path)
    if found is None and not folder and SCRATCH_AT_TOP.pattern.fullmatch(name):
        found = SCRATCH_AT_TOP
    elif found is None and _EXECUTABLE.pattern.fullmatch(name):
        found = _EXECUTABLE
    if found is None or _MEANT_FOLDER.search(text) or (found.reason == IS_BUILT and _VENDORED.search(text)):
        return None
    # A package of such a name has sources of such names.
    is_package = found.reason == IS_SCRATCH and found.pattern.fullmatch(posixpath.basename(folder) + ".py")
    return None if is_package else found


def _find_output(path: bytes) -> bytes:
    """Return the folder of output that `path` is in, empty if it is in none."""
    found = _OUTPUT.match(os.fsdecode(path))
    return os.fsencode(found[0][:-1]) if found else b""


def _has_like(path: bytes, form: Form, tracked: _Names, present: _Names) -> bool:
    """Whether the folder of a new file, or that of output above it, is tracked with files of the same form."""
    output = _find_output(path)
    # GitHub runs what is beside an action.
    if output and not present[posixpath.dirname(output)].isdisjoint((b"action.yml", b"action.yaml")):
        return True
    folder, name = posixpath.split(path)
    ending = posixpath.splitext(name)[1]
    for other in tracked[folder] | (tracked[output] if output else set()):
        lowered = os.fsdecode(other).lower()
        if other.endswith(ending) and form.pattern.fullmatch(lowered) and not (output and WRITTEN.fullmatch(lowered)):
            return form is not _EXECUTABLE
    return False


def _is_left_behind(candidate: _Candidate, tracked: _Names, present: _Names, mentioned: Collection[bytes]) -> bool:
    """Whether the repository shows that nobody meant to commit a new file."""
    path, form, content = candidate
    folder, name = posixpath.split(os.fsdecode(path))
    if form is _EXECUTABLE:
        return content.startswith(_MAGIC)
    if form.evidence == UNNAMED:
        return path not in mentioned or _is_dump(content)
    if form.evidence == SOURCE:
        stem = _MADE.sub("", name)
        endings = _SOURCES if form.reason == IS_BUILT else ()
        sources = {stem, *(posixpath.splitext(stem)[0] + ending for ending in endings)}
        return not tracked[os.fsencode(folder)].isdisjoint(map(os.fsencode, sources))
    is_long = len(content) > _LINE_LENGTH * (content.count(b"\n") + 1)
    if is_long or _MARKS.search(content) or _is_dump(content) or form.evidence == UNUSUAL:
        return True
    beside = present[posixpath.dirname(_find_output(path))]
    return form is COMPILED and not WRITTEN.fullmatch(name.lower()) and not _MANIFESTS.isdisjoint(beside)


def _is_dump(content: bytes) -> bool:
    return _DUMP.search(content[:1000]) is not None and _DATA.search(content) is not None


def _keeps_output(repository: Repository, target: str) -> bool:
    """Whether git's own files say that output is kept although it is generated; one process."""
    options = ("--no-literal-pathspecs", "grep", "-q", "-E", "-e", _KEPT)
    paths = (":(top,glob)**/.gitattributes", ":(top,glob)**/.gitignore")
    return repository.ended(*options, target, "--", *paths, expected=(0, 1)).returncode == 0


def _find_mentioned(repository: Repository, target: str, candidates: Sequence[_Candidate]) -> set[bytes]:
    """Return the paths that another file of `target` mentions, or may mention, where that decides; a process."""
    patterns: dict[bytes, str] = {}
    for candidate in candidates:
        if candidate.form.evidence == UNNAMED:
            patterns[candidate.path] = _match_mentions(candidate)
    if not patterns:
        return set()
    output, complete = read_head(
        (
            "--no-literal-pathspecs", "grep", "-I", "-h", "-o", "-E", "--no-color", "--threads=1",
            *map("-e{}".format, patterns.values()), target, "--", ":(top)",
            *map(b":(top,exclude,literal)%b".__mod__, patterns),
        ),
        limit=_BYTES_OF_MENTIONS, directory=repository.worktree, environment=repository.environment, expected=(0, 1),
        timeout=_SECONDS,
    )  # fmt: skip
    text = os.fsdecode(output)
    found = set()
    for path, pattern in patterns.items():
        if not complete or re.search(pattern, text, re.MULTILINE):
            found.add(path)
    return found


def _match_mentions(candidate: _Candidate) -> str:
    """Return a pattern, both for git and for Python, of what mentions a file."""
    name = os.fsdecode(posixpath.basename(candidate.path))
    stem, ending = posixpath.splitext(name)
    word = _escape(stem)
    pattern = (
        rf"(^|[^A-Za-z0-9_-]){_escape(name)}($|[^A-Za-z0-9_])"
        rf"|(import|mod|use) +([A-Za-z0-9_.:]*[.:])?{word}($|[^A-Za-z0-9_-])|from +([A-Za-z0-9_.]*\.)?{word} +import"
        rf"|(import|from|require|require_relative|include|load)[ (]*[\"']([^\"']*/)?{word}[\"']"
    )
    if ending in _DECLARING:
        declared = {_escape(stem[:1].upper() + stem[1:])}
        for found in _DECLARED.finditer(candidate.content):
            declared.add((found[1] or found[2]).decode())
        names = "|".join(sorted(declared - {"main", "init"})[:_NAMES_SEARCHED])
        pattern += rf"|(^|[^A-Za-z0-9_])({names})($|[^A-Za-z0-9_])"
    return pattern


def _escape(text: str) -> str:
    return re.sub(r"([.\\+*?()|{}^$\[\]])", r"\\\1", text)
