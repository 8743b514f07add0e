"""A snapshot without its suspects, files that nobody may have meant to commit: secrets, conflicts and leftovers.

Leftovers are what programs and people leave behind: output of builds, logs, backups, temporary files. A name proves
little, since projects use the same names on purpose. What decides is the rest of the repository: tracked files of the
same form in the folder, and files that mention it. Only the folder of a build, such as `node_modules`, is recognized by
the paths in it and beside it (`secrets.files`), before a snapshot is taken, so that its many files are not even read.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from smartcommit.git.diff import REGULAR, FileChange, list_changes
from smartcommit.git.objects import read_objects
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_head
from smartcommit.git.snapshot import Compose, Snapshot, take_snapshot
from smartcommit.git.status import SHORTEN
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.files import (
    IS_BUILT,
    IS_SCRATCH,
    IS_TEMPORARY,
    SCRATCH_AT_TOP,
    UNNAMED,
    UNUSUAL,
    Form,
    find_form,
    is_any_above,
)
from smartcommit.secrets.scan import SuspectFile, find_passwords, scan, scan_conflicts, scan_names
from smartcommit.split.plan_file import list_plan_files
from smartcommit.split.source import SplitOptions

_TEMPORARY = Form(IS_TEMPORARY, UNUSUAL, compile_on_use(r"(?s).*"))
_TEMPORARY_PATH = compile_on_use(
    r"(?is)(?:\.?tmp|temp|scratch)/.*|(?:.*/)?coverage/(?:.*/)?[^/]+\.(?:html|css|js|json|xml|png|info)"
)
# Names that an executable may have; its content decides.
_EXECUTABLE = Form(IS_BUILT, UNUSUAL, compile_on_use(r"[^.]+|.*\.(?:exe|out|bin|elf|test|run|\w*[\d_]\w*)"))
# The first bytes of an executable on Linux, on Windows, and on macOS.
_MAGIC = (b"\x7fELF", b"MZ", b"\xfe\xed\xfa", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
# Folders whose files are meant to be there, whatever their names.
_MEANT_FOLDER = compile_on_use(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|test-?data|fixtures?|__fixtures__|examples?|samples?|demos?|docs?|corpus"
    r"|documentation|templates?|skel(?:eton)?|snapshots|__snapshots__|__mocks__|data|resources|vendor(?:ed)?|external"
    r"|third[-_]?party|migrations?|seeds?|bench(?:es|marks?)?|prebuilts?|firmware|redist)/"
)
_IS_OVERLONG = f"is left out: its path is too long for git; to include it, {SHORTEN}"
# Seconds that the search for mentions may take, and bytes that it may find.
_SECONDS = 5.0
_BYTES_OF_MENTIONS = 1 << 20
# Folders, and patterns of mentions, that fit into one command line.
_WORDS = 400


@contextmanager
def take_screened_snapshot(
    repository: Repository, options: SplitOptions, *, compose: Compose | None = None
) -> Iterator[tuple[Snapshot, list[SuspectFile]]]:
    """Yield a snapshot as `take_snapshot` does, without files that are plans, and its suspect files.

    All are to be left out, except for those in a plan, and what the user includes. Untracked ones are not in the
    snapshot then; what is in a folder that a program made is not even read.
    """
    left_out: dict[bytes, SuspectFile] = {}
    apart = list_plan_files(repository.worktree, options.plan_files, options.planned_paths)

    def leave_out(head: str | None, untracked: Sequence[bytes]) -> Collection[bytes]:
        for finding in scan_names(repository, head or repository.empty_tree, untracked):
            # A file may have been renamed, which only a snapshot shows.
            if finding.path.endswith(b"/"):
                suspect = _apply_options(finding, options)
                if suspect.left_out:
                    left_out[finding.path] = suspect
        return left_out

    while True:  # until no untracked file of the snapshot is suspect
        with take_snapshot(
            repository,
            staged=options.takes_staged and compose is None,
            apart=apart,
            leave_out=leave_out,
            compose=compose,
            paths=options.paths,
        ) as snapshot:
            suspects = find_suspects(snapshot, options)
            untracked = frozenset(snapshot.untracked)
            known = len(left_out)
            for suspect in suspects:
                if suspect.left_out and suspect.path in untracked:
                    left_out[suspect.path] = suspect
            if len(left_out) == known:
                overlong = [SuspectFile(path, _IS_OVERLONG, left_out=False) for path in snapshot.overlong]
                yield snapshot, [*left_out.values(), *suspects, *overlong]
                return
        # In this one, objects of suspect files wait to get into the object database.


def find_suspects(snapshot: Snapshot, options: SplitOptions) -> list[SuspectFile]:
    """Return the suspect files of `snapshot`: left out are all but those in a plan, and what the user includes."""
    repository, since = snapshot.repository, snapshot.since
    changes = list_changes(repository, since, snapshot.target, counts=False)
    suspects = {suspect.path: suspect for suspect in scan(repository, since, changes)}
    clean = [change for change in changes if not is_any_above(change.path, suspects)]
    others = (
        *find_passwords(repository, clean),
        *scan_conflicts(repository, clean),
        *_find_executables(repository, clean),
        *_find_leftovers(repository, since, snapshot.target, clean),
    )
    for suspect in others:
        suspects.setdefault(suspect.path, suspect)
    return [_apply_options(suspect, options) for suspect in suspects.values()]


def _apply_options(suspect: SuspectFile, options: SplitOptions) -> SuspectFile:
    is_meant = options.include_secrets if suspect.is_secret else options.include_suspects
    is_planned = any(suspect.has(os.fsencode(path)) for path in options.planned_paths)
    return replace(suspect, left_out=not (is_meant or is_planned))


def _find_executables(repository: Repository, changes: Sequence[FileChange]) -> Iterator[SuspectFile]:
    """Yield the new files of `changes` that a compiler made; one process."""
    new: dict[bytes, str] = {}
    for change in changes:
        if change.status == "A" and change.new_mode in REGULAR and _find_form(change.path) is _EXECUTABLE:
            new[change.path] = change.new_id
    for path, content in zip(new, read_objects(repository, list(new.values())), strict=True):
        if content.startswith(_MAGIC):
            yield SuspectFile(path, _EXECUTABLE.reason)


def _find_leftovers(
    repository: Repository, base: str, target: str, changes: Sequence[FileChange]
) -> Iterator[SuspectFile]:
    """Yield the new files of `changes`, from tree `base` to `target`, that are leftovers; two processes."""
    forms: dict[bytes, Form] = {}
    for change in changes:
        form = _find_form(change.path)
        if change.status == "A" and change.new_mode in REGULAR and form not in (None, _EXECUTABLE):
            forms[change.path] = form
    if not forms:
        return
    folders = sorted({posixpath.dirname(path) for path in forms})
    options: list[bytes | str] = ["-r"]
    if len(folders) < _WORDS:
        options = ["--", *((folder or b".") + b"/" for folder in folders)]
    tracked: dict[bytes, list[bytes]] = defaultdict(list)
    for path in repository.run("ls-tree", "-z", "--name-only", base, *options).split(b"\0")[:-1]:
        folder, name = posixpath.split(path)
        tracked[folder].append(name)
    unnamed = []
    for path, form in forms.items():
        folder, name = posixpath.split(path)
        alike = [other for other in tracked[folder] if other.endswith(posixpath.splitext(name)[1])]
        # What has the form of tracked files beside it is meant.
        if any(form.pattern.fullmatch(os.fsdecode(other).lower()) for other in alike):
            continue
        if form.evidence == UNNAMED:
            unnamed.append(path)
        else:
            yield SuspectFile(path, form.reason)
    for path in _list_unmentioned(repository, target, unnamed):
        yield SuspectFile(path, forms[path].reason)


def _find_form(path: bytes) -> Form | None:
    """Return the form of a new file that is perhaps a leftover, None if its path speaks against that."""
    text = os.fsdecode(path)
    folder, name = posixpath.split(text.lower())
    if _TEMPORARY_PATH.fullmatch(text):
        return _TEMPORARY
    form = find_form(path)
    if form is None and not folder and SCRATCH_AT_TOP.pattern.fullmatch(name):
        form = SCRATCH_AT_TOP
    elif form is None and _EXECUTABLE.pattern.fullmatch(name):
        form = _EXECUTABLE
    if form is None or _MEANT_FOLDER.search(text):
        return None
    # A package of such a name has sources of such names.
    if form.reason == IS_SCRATCH and form.pattern.fullmatch(posixpath.basename(folder) + ".py"):
        return None
    return form


def _list_unmentioned(repository: Repository, target: str, paths: Sequence[bytes]) -> list[bytes]:
    """Return those of `paths` that surely no other file of `target` mentions; one process."""
    if not paths or len(paths) > _WORDS:
        return []
    patterns = [_match_mentions(path) for path in paths]
    output, complete = read_head(
        (
            "--no-literal-pathspecs", "grep", "-I", "-h", "-o", "-E", "--no-color", "--threads=1",
            *(f"-e{pattern}" for pattern in patterns), target, "--", ":(top)",
            *(b":(top,exclude,literal)%b".__mod__(path) for path in paths),
        ),
        limit=_BYTES_OF_MENTIONS, directory=repository.worktree, environment=repository.environment, expected=(0, 1),
        timeout=_SECONDS,
    )  # fmt: skip
    if not complete:
        return []
    text = os.fsdecode(output)
    searched = zip(paths, patterns, strict=True)
    return [path for path, pattern in searched if not re.search(pattern, text, re.MULTILINE)]


def _match_mentions(path: bytes) -> str:
    """Return a pattern, both for git and for Python, of what mentions a file."""
    name = os.fsdecode(posixpath.basename(path))
    stem, _ = posixpath.splitext(name)
    word = _escape(stem)
    return (
        rf"(^|[^A-Za-z0-9_-]){_escape(name)}($|[^A-Za-z0-9_])"
        rf"|(import|mod|use) +([A-Za-z0-9_.:]*[.:])?{word}($|[^A-Za-z0-9_-])|from +([A-Za-z0-9_.]*\.)?{word} +import"
        rf"|(import|from|require|require_relative|include|load)[ (]*[\"']([^\"']*/)?{word}[\"']"
    )


def _escape(text: str) -> str:
    return re.sub(r"([.\\+*?()|{}^$\[\]])", r"\\\1", text)
