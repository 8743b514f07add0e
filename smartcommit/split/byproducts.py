"""Recognizes files that programs and people leave behind: output of builds, logs, backups and scratch files.

A name proves little, since projects use the same names on purpose. What decides is the rest of the repository: tracked
files of the same form in the folder, the source or manifest that a file is built from, and files that mention it.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from smartcommit.git.diff import REGULAR, FileChange
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_head
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.files import IS_BUILT, IS_TEMPORARY, WRITTEN
from smartcommit.secrets.scan import Finding

_IS_SCRATCH = "looks like a scratch file, which no other file mentions"
# What may decide about a file besides its name and its siblings.
_ALONE, _SOURCE, _CONTENT, _DUMP, _MENTION = range(5)
_CODE = (
    r"(?:py|js|ts|mjs|cjs|rb|sh|bash|ps1|bat|php|pl|lua|r|jl|sql|java|kt|go|rs|c|cc|cpp|cs|swift|scala|ex|exs"
    r"|dart|zig|nim|erl|clj|ml|groovy|hs|html|css|json|csv|xml|ya?ml|txt|ipynb)"
)
# The reason, what decides, and the name in lower case.
_FORMS = (
    (
        IS_BUILT, _ALONE,
        r".*\.(?:[mc]?js|css|d\.ts|wasm)\.map|.*\.(?:bundle|chunk)\.(?:[mc]?js|css)"
        r"|.*[.-](?=[a-f]*\d)[0-9a-f]{8,20}\.(?:chunk\.)?(?:m?js|css)",
    ),
    (IS_BUILT, _SOURCE, r".*[.-]min\.(?:[mc]?js|css)"),
    (IS_BUILT, _CONTENT, r"(?:.*[.-])?bundle\.(?:[mc]?js|css)"),
    (
        IS_TEMPORARY, _ALONE,
        r".*\.(?:log(?:\.\d+)?|bak\d*|backup|old|tmp|temp|pid|prof|dmp|sqlite3?(?:-\w+)?|heapsnapshot|cpuprofile|hprof|lcov)"
        r"|cover(?:age)?\.(?:xml|out|info|txt)|\.coverage|lcov\.info|erl_crash\.dump|dump\.rdb",
    ),
    (IS_TEMPORARY, _DUMP, r"core"),
    (
        _IS_SCRATCH, _MENTION,
        rf"(?:(?:scratch(?:pad|file)?|tmp|temp|junk|wip|throwaway|untitled|asdf\w*|qwerty|blah\w*|(?:delete|remove)[-_]?me)"
        r"(?:[-_ ]?\d{1,4})?|(?:tmp|scratch|junk|untitled|throwaway)[-_]\w+"
        r"|\w+[-_](?:tmp|scratch|junk|wip|backup|copy\d?|old|throwaway)|x{2,}|a{3,}|test[-_]?\d{1,4}"
        r"|(?:copy of|new) .+|.+ copy(?: \d+)?|.+ \(\d{1,2}\)|(?:my|quick)[-_]?test\d*"
        rf"|(?:notes?|todo)[-_](?:todo|notes?|to[-_]?self|tmp|temp|scratch|me|wip))\.(?:{_CODE}|md)",
    ),
)  # fmt: skip
_PATTERNS = tuple((reason, needs, compile_on_use(pattern)) for reason, needs, pattern in _FORMS)
# The same for names that are a scratch file only at the top level.
_AT_THE_TOP = compile_on_use(rf"(?:foo|bar|baz|foobar|debug|playground|try(?:out)?|experiment|repro)\d{{0,3}}\.{_CODE}")
_TEMPORARY_PATH = compile_on_use(
    r"(?is)(?:\.?tmp|temp|scratch)/.*|coverage/(?:.*/)?[^/]+\.(?:html|css|js|json|xml|png|info)"
)
_ANY = compile_on_use(r"(?s).*")
# Folders in which files of such names are meant.
_MEANT_FOLDER = compile_on_use(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|test-?data|fixtures?|__fixtures__|examples?|samples?|demos?|docs?|documentation"
    r"|templates?|skel(?:eton)?|snapshots|__snapshots__|__mocks__|data|resources|vendor(?:ed)?|third[-_]?party|external"
    r"|migrations|corpus)/"
)
_VENDORED = compile_on_use(r"(?i)(?:^|/)(?:libs?|plugins?)/")
# Folders of output; not within source, where such a folder is a package.
_OUTPUT = compile_on_use(
    r"((?:(?!(?:src|lib|cmd|internal|pkg|scripts?|tools|tests?|test-?data|fixtures?|vendor(?:ed)?|third[-_]?party|docs?"
    r"|include|crates)/)[^/]+/)*?)(?:build|dist|out|output|target|_build|bin|obj|release)/"
)
_PACKED = compile_on_use(
    r".*\.(?:whl|egg|tgz|tar\.\w{2,4}|zip|jar|war|ear|exe|dll|so(?:\.[\d.]+)?|dylib|a|o|obj|lib|class|pdb|wasm|apk|aab"
    r"|ipa|dmg|deb|rpm|msi|bin|elf|hex|nupkg|gem|crate|rlib|rmeta|d|pyc)|cmakecache\.txt|cmake_install\.cmake|\.ninja_(?:log|deps)"
)
_COMPILED = compile_on_use(r".*\.(?:[mc]?js|css|html|map|d\.ts|d\.[mc]ts)")
_OUTPUT_STEM = compile_on_use(
    r"(?:bundle|main|app|index|all|out|output|vendors?|common|runtime|polyfills|scripts?|styles?|site|chunk|(?:.*\.)?min)(?:[-.].*)?"
)
_MANIFESTS = frozenset((
    b"package.json", b"tsconfig.json", b"Makefile", b"CMakeLists.txt", b"meson.build", b"Cargo.toml", b"pom.xml",
    b"build.gradle", b"build.gradle.kts", b"setup.py", b"pyproject.toml", b"pubspec.yaml", b"build.sbt", b"gulpfile.js",
))  # fmt: skip
_ACTIONS = frozenset((b"action.yml", b"action.yaml"))
_SOURCES = (b"js", b"ts", b"mjs", b"jsx", b"tsx", b"coffee", b"css", b"scss", b"sass", b"less")
# The same in a line of .gitattributes, or after the sign of an exception in .gitignore.
_KEPT = compile_on_use(rb"^!?/?((?:[\w.-]+/)*?(?:build|dist|out|output|target|bin|release))(?:/|[ \t]|$)", re.MULTILINE)
# What tools write into the files that they make.
_MARKS = (
    b"sourceMappingURL=", b"__webpack_require__", b"webpackJsonp", b"webpackChunk", b"@generated", b"System.register(",
    b'Object.defineProperty(exports, "__esModule"', b"var __create = Object.create", b"(function(){function r(e,n,t)",
    b"(()=>{", b"!function(",
)  # fmt: skip
# A minified file has long lines.
_LINE_LENGTH = 300
# Languages in which a file is used by the name of what it declares.
_DECLARING = (".java", ".kt", ".cs", ".swift", ".scala", ".go")
_SECONDS, _BYTES_OF_MENTIONS = 5.0, 1 << 20
# More folders with such files than anybody overlooks.
_FOLDERS = 400


class _Candidate(NamedTuple):
    """A new file that has one of the forms."""

    change: FileChange
    reason: str
    needs: int
    form: re.Pattern[str]

    @property
    def path(self) -> bytes:
        return self.change.path


class _Files:
    """What the folders of candidates have: the tracked files and the new ones, by folder."""

    def __init__(self, repository: Repository, base: str, new: Iterable[bytes], folders: Collection[bytes]) -> None:
        self.tracked = _list_folders(repository, base, folders)
        self.new: dict[bytes, set[bytes]] = {}
        for path in new:
            folder, name = posixpath.split(path)
            self.new.setdefault(folder, set()).add(name)

    def has(self, folder: bytes, names: Collection[bytes]) -> bool:
        """Whether a folder has a file of one of these names."""
        present = self.tracked.get(folder, set()) | self.new.get(folder, set())
        return not present.isdisjoint(names)


def find_byproducts(repository: Repository, base: str, target: str, changes: Sequence[FileChange]) -> list[Finding]:
    """Return the new files among `changes`, from tree `base` to tree `target`, that were left behind.

    Three processes at most, and none if no name has a form that may be left behind. Raise GitError if git fails.
    """
    new = [change for change in changes if change.status == "A" and change.new_mode in REGULAR]
    candidates = list(filter(None, map(_find_candidate, new)))
    if not candidates:
        return []
    folders: set[bytes] = set()
    for candidate in candidates:
        folder = posixpath.dirname(candidate.path)
        folders.update((folder, posixpath.join(folder, b"src")))
        if output := _find_output(candidate.path):
            folders.update((output, posixpath.dirname(output)))
    if len(folders) > _FOLDERS:
        return []
    files = _Files(repository, base, (change.path for change in new), folders)
    left = [candidate for candidate in candidates if not _has_like(candidate, files)]
    kept = _find_kept(repository, target) if any(_find_output(candidate.path) for candidate in left) else None
    left = [candidate for candidate in left if kept is None or not kept.search(candidate.path)]
    contents = dict(zip(left, _judge_contents(repository, left), strict=True))
    mentioned = _find_mentioned(repository, target, [each.path for each in left if each.needs == _MENTION])
    found = []
    for candidate in left:
        if _is_left_behind(candidate, files, contents[candidate], mentioned):
            found.append(Finding(candidate.path, candidate.reason))
    return found


def _find_candidate(change: FileChange) -> _Candidate | None:
    """Return the form that the name of a new file has, or None."""
    name = os.fsdecode(posixpath.basename(change.path)).lower()
    if _find_output(change.path):
        for form, needs in ((_PACKED, _ALONE), (_COMPILED, _CONTENT)):
            if form.fullmatch(name):
                return _Candidate(change, IS_BUILT, needs, form)
    path = os.fsdecode(change.path)
    if _TEMPORARY_PATH.fullmatch(path):
        return _Candidate(change, IS_TEMPORARY, _ALONE, _ANY)
    if _MEANT_FOLDER.search(path):
        return None
    is_vendored = _VENDORED.search(path) is not None
    for reason, needs, form in _PATTERNS:
        if form.fullmatch(name) and not (is_vendored and reason == IS_BUILT):
            return _Candidate(change, reason, needs, form)
    if b"/" not in change.path and _AT_THE_TOP.fullmatch(name):
        return _Candidate(change, _IS_SCRATCH, _MENTION, _AT_THE_TOP)
    return None


def _find_output(path: bytes) -> bytes:
    """Return the folder of output that `path` is in, empty if it is in none."""
    found = _OUTPUT.match(os.fsdecode(path))
    return os.fsencode(found[0][:-1]) if found else b""


def _has_like(candidate: _Candidate, files: _Files) -> bool:
    """Whether the folder of a new file, or that of output above it, is tracked with files of the same form."""
    output = _find_output(candidate.path)
    if output and files.has(posixpath.dirname(output), _ACTIONS):
        return True
    folder, name = posixpath.split(candidate.path)
    known = set(files.tracked.get(folder, ()))
    if output:
        known.update(files.tracked.get(output, ()))
    ending = posixpath.splitext(name)[1]
    for other in known:
        lowered = os.fsdecode(other).lower()
        if other.endswith(ending) and candidate.form.fullmatch(lowered) and not WRITTEN.fullmatch(lowered):
            return True
    return False


def _is_left_behind(candidate: _Candidate, files: _Files, seen: _Content, mentioned: Collection[bytes]) -> bool:
    """Whether the repository shows that nobody meant to commit a new file."""
    folder, name = posixpath.split(candidate.path)
    lowered = os.fsdecode(name).lower()
    has_usual_name = _OUTPUT_STEM.fullmatch(lowered.partition(".")[0]) is not None
    if candidate.needs == _MENTION:
        return candidate.path not in mentioned
    if candidate.needs == _DUMP:
        return seen.is_dump
    if candidate.form is _COMPILED and not WRITTEN.fullmatch(lowered):
        above = posixpath.dirname(_find_output(candidate.path))
        return seen.is_made or has_usual_name or files.has(above, _MANIFESTS)
    if candidate.needs != _SOURCE:
        return seen.is_made or candidate.needs == _ALONE
    sources = [re.sub(rb"[.-]min\.\w+$", b"." + ending, name) for ending in _SOURCES]
    if not files.tracked.get(folder, set()).isdisjoint(sources):
        return True
    has_source = files.has(folder, sources) or files.has(posixpath.join(folder, b"src"), sources)
    return not seen.is_published and (has_source or has_usual_name)


class _Content(NamedTuple):
    """What the content of a file shows: that a tool made it, that others publish it, or that a process crashed."""

    is_made: bool = False
    is_published: bool = False
    is_dump: bool = False


def _judge_contents(repository: Repository, candidates: Sequence[_Candidate]) -> list[_Content]:
    """Return what the contents of `candidates` show, as far as that matters; one process at most."""
    read = [each for each in candidates if each.needs in (_SOURCE, _CONTENT, _DUMP)]
    blobs = read_blobs(repository, [each.change.new_id for each in read])
    judged = {each.path: _judge_content(content) for each, content in zip(read, blobs, strict=True)}
    return [judged.get(each.path, _Content()) for each in candidates]


def _judge_content(content: bytes) -> _Content:
    lines = content.count(b"\n") + 1
    is_made = len(content) > _LINE_LENGTH * lines or any(mark in content for mark in _MARKS)
    is_published = content.lstrip().startswith((b"/*!", b"/**", b"//!")) or b"@license" in content[:400]
    return _Content(is_made, is_published, content.startswith(b"\x7fELF"))


def _find_kept(repository: Repository, target: str) -> re.Pattern[bytes] | None:
    """Return a pattern of the paths that git's own files say are kept although they are generated; one process."""
    done = repository.ended(
        "--no-literal-pathspecs", "grep", "-h", "-E", "-e", "^![^ ]|linguist-generated|-diff|-text|binary", target,
        "--", ":(top).gitattributes", ":(top).gitignore", expected=(0, 1),
    )  # fmt: skip
    folders = _KEPT.findall(done.stdout)
    return re.compile(b"|".join(rb"\A" + re.escape(folder) + b"/" for folder in folders)) if folders else None


def _find_mentioned(repository: Repository, target: str, paths: Sequence[bytes]) -> set[bytes]:
    """Return those of `paths` that another file of the tree `target` mentions, or may mention; one process at most."""
    if not paths:
        return set()
    patterns = {path: _match_mentions(os.fsdecode(posixpath.basename(path))) for path in paths}
    output, complete = read_head(
        (
            "--no-literal-pathspecs", "grep", "-I", "-h", "-o", "-E", "--no-color", "--threads=1",
            *(f"-e{pattern}" for pattern in patterns.values()), target, "--", ":(top)",
            *(b":(top,exclude,literal)" + path for path in paths),
        ),
        limit=_BYTES_OF_MENTIONS, directory=repository.worktree, environment=repository.environment, expected=(0, 1),
        timeout=_SECONDS,
    )  # fmt: skip
    if not complete:
        return set(paths)
    text = os.fsdecode(output)
    return {path for path, pattern in patterns.items() if re.search(pattern, text, re.MULTILINE)}


def _match_mentions(name: str) -> str:
    """Return a pattern, both for git and for Python, of what mentions the file of this name."""
    stem, ending = posixpath.splitext(name)
    known, word = _escape(name), _escape(stem)
    pattern = (
        rf"(^|[^A-Za-z0-9_-]){known}($|[^A-Za-z0-9_])"
        rf"|(import|mod) +[A-Za-z0-9_.:]*{word}($|[^A-Za-z0-9_-])|from +[A-Za-z0-9_.]*{word} +import"
        rf"|(import|from|require|require_relative|include|load)[ (]*[\"']([^\"']*/)?{word}[\"']"
    )
    if ending in _DECLARING:
        pattern += rf"|(^|[^A-Za-z0-9_]){_escape(stem[:1].upper() + stem[1:])}($|[^A-Za-z0-9_])"
    return pattern


def _escape(text: str) -> str:
    return re.sub(r"([.\\+*?()|{}^$\[\]])", r"\\\1", text)


def _list_folders(repository: Repository, base: str, folders: Collection[bytes]) -> Mapping[bytes, set[bytes]]:
    """Return what is tracked in each of `folders`, by its path; one process."""
    names = [(folder or b".") + b"/" for folder in sorted(folders)]
    listing = repository.run("ls-tree", "-z", "--name-only", base, "--", *names)
    found: dict[bytes, set[bytes]] = {}
    for path in listing.split(b"\0")[:-1]:
        folder, name = posixpath.split(path)
        found.setdefault(folder, set()).add(name)
    return found
