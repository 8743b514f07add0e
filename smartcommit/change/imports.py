"""What a line names of other files: imports, includes, the paths of resources, and the packages of manifests.

Only files of the change can be found, so that nothing else has to be read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from smartcommit.change import filetypes
from smartcommit.change.languages import find_language, read_language
from smartcommit.change.text import find_names
from smartcommit.patterns import compile_on_use

Parts = tuple[str, ...]
# `"name": "^1"`, `name = "1"`, `name>=1`, `gem "name"`, `example.com/name v1.0.0`, `"vendor/name": "^1"`, and of a
# JVM or of .NET `implementation("name:part:1")`, `<groupId>name</groupId>` and `<PackageReference Include="name">`.
_DECLARED = compile_on_use(
    r"(?:-\s+|require\s+|import\s+|<groupId>|<PackageReference\s+Include=|\w+[\s(]\s*(?=[\"']))?[\"']?"
    r"(@?[A-Za-z][\w./@-]*?)(?:\.workspace)?[\"']?\s*(?:[:=<>~!^,;\[ ]|$)"
)
# Keys of manifests, and words of their sections, that name no package.
_KEYS = {
    "name", "version", "description", "license", "type", "main", "module", "scripts", "dependencies", "edition",
    "authors", "keywords", "files", "exports", "import", "require", "types", "default", "build", "test", "path", "git",
    "features", "readme", "homepage", "repository", "engines", "node", "bin", "go", "toolchain", "replace", "exclude",
}  # fmt: skip
_WORDS = compile_on_use(r"[\w.]+")
_TOKEN = compile_on_use(r"[\w$@~.\\/:#-]{2,200}")
_QUOTED = compile_on_use(r"['\"<`]([^'\"<>`\s]{2,200})['\">`]")
# What stands for a folder in a path, as `${here}/` and `<rootDir>/`, and what ends the name of a module or an object.
_VARIABLE = compile_on_use(r"(?:\$\{\w+\}|\$\w+|\$\([^()]*\)|<\w+>)/")
_CALLED = compile_on_use(r":\w+$|\.o$")
_FROM = compile_on_use(r"from\s+(\.*)([\w.]*)\s+import\s+\(?([\w\s,]*)")
_BRACES = compile_on_use(r"([\w:]+)::\{([^{}]*)")
_RUST_MODULE = compile_on_use(r".*\bmod\s+(\w+)\s*;")
# Folders that names of modules leave out, with all above them.
_ROOTS = {
    "src", "lib", "main", "include", "java", "kotlin", "scala", "python", "php", "lua", "test", "tests", "commonMain",
    "commonTest",
}  # fmt: skip
# Files that a folder is known by.
_ENTRIES = ("action.yml", "action.yaml", "main.tf")
# What stands for the root of a project in a path: `@/views/cart`, `~/views/cart`.
_ALIASES = ("@/", "~/", "#/", "/")
# Kinds of files whose names alone, as `package.json`, tell nothing about which of them is meant.
_COMMON_KINDS = {
    filetypes.MANIFEST, filetypes.LOCK, filetypes.BUILD, filetypes.CI, filetypes.CONFIGURATION, filetypes.DOCUMENTATION,
}  # fmt: skip


class ImportedFiles:
    """The files at some paths, to be found by what lines call them."""

    def __init__(self, paths: Iterable[bytes]) -> None:
        self._files: dict[str, list[_File]] = {}
        for path in paths:
            file = _read_file(path)
            for name in file.names:
                self._files.setdefault(name, []).append(file)

    @property
    def names(self) -> Set[str]:
        return self._files.keys()

    def find(self, line: str, user: bytes) -> set[bytes]:
        """Return the paths of the files that `line`, without indentation, names in the file at `user`.

        What can stand for several files by the end of their paths stands for none, but for all of a Go package.
        """
        paths: set[bytes] = set()
        for reference in _read_references(line, user):
            exact, similar = [], []
            for name in reference.names:
                for file in self._files.get(name, ()):
                    if reference.is_exactly(file):
                        exact.append(file)
                    elif reference.may_be(file):
                        similar.append(file)
            if exact or len({file.module for file in similar}) <= 1:
                paths.update([file.path for file in exact or similar])
        return paths - {user}


class _File:
    """A changed file: the `parts` of its path and of its `module`, which is the path without ending, or the folder.

    `package` is the module without the folders above those where the language's modules start, which are its `root`.
    A file `is_entry` if others name its folder.
    """

    __slots__ = ("folder", "is_common", "is_entry", "language", "module", "names", "package", "parts", "path", "root")

    def __init__(self, path: bytes) -> None:
        self.path = path
        self.language = find_language(path)
        self.parts = tuple(path.decode("utf-8", "replace").split("/"))
        kind = filetypes.classify_path(path)
        self.is_common = not self.language.name and kind in _COMMON_KINDS
        self.is_entry = kind in (filetypes.MANIFEST, filetypes.BUILD) or self.parts[-1] in _ENTRIES
        self.folder: Parts = self.parts[:-1]
        self.root: Parts = self.folder[: _count_outside(self.parts)]
        stem = self.parts[-1].partition(".")[0] or self.parts[-1]
        if not self.language.name:
            stem = stem.removeprefix("_")  # `shared/row` is the partial template `shared/_row.html.erb`
        self.module: Parts = (*self.folder, stem)
        if stem in self.language.indexes or self.language.name == "go":
            self.module = self.folder
        self.package = self.module[_count_outside(self.module) :]
        self.names = set()
        telling = {stem, *self.module[-1:]}
        if self.is_entry:
            telling.update(self.folder[-1:])
        for part in telling:
            self.names.update(find_names(part)[-1:])


# Most files can be named on both sides of a change, and name others on many lines.
_read_file = lru_cache(maxsize=1 << 15)(_File)


class _Reference(NamedTuple):
    """What a file at `user` calls another one: the parts of a path, or of a module's name with `is_module`.

    With `is_anchored` the parts begin at the top of the tree. An import can leave out the ending of a path.
    """

    parts: Parts
    user: _File
    is_anchored: bool = False
    is_module: bool = False
    is_import: bool = True

    @property
    def names(self) -> set[str]:
        names: set[str] = set()
        for part in self.parts[-2:]:
            names.update(find_names(part.partition(".")[0])[-1:])
        return names

    def is_exactly(self, file: _File) -> bool:
        if self.is_module:
            return self.is_anchored and self._is_code(file) and self.parts == file.module
        places = [self.parts]
        if not self.is_anchored:
            places.append(_join(self.user.folder, self.parts))
        if file.parts in places or (file.is_entry and file.folder in places):
            return True
        return self.is_anchored and self._is_code(file) and self._without_ending() == file.module

    def may_be(self, file: _File) -> bool:
        if self.is_anchored or not self.parts:
            return False
        if not self.is_import or not self._is_code(file):
            return self._ends_path(file)
        if self.is_module:
            common = _count_common(self.parts, file.package)
            if common == len(self.parts):
                return common > 1 or len(file.package) == 1 or file.module[:-1] == self.user.folder
            # The first folders of a package can be left out in the tree.
            return common == len(file.package) and self.user.language.name in ("jvm", "php")
        if self.user.language.name == "go":
            return bool(file.module) and _ends_with(self.parts, file.module[-2:])
        if self.user.language.name == "c":
            return _ends_with(file.parts, self.parts)
        module = self._without_ending()
        return self._ends_path(file) or module == file.package or (len(module) > 1 and _ends_with(file.module, module))

    def _ends_path(self, file: _File) -> bool:
        if len(self.parts) == 1 and (file.is_common or file.language.name):
            return False
        if "." not in self.parts[-1]:
            # The name of a template leaves out the endings.
            return not file.language.name and not file.is_common and _ends_with(file.module, self.parts)
        return _ends_with(file.parts, self.parts)

    def _is_code(self, file: _File) -> bool:
        """Whether the file is imported as this one imports others; a manifest names modules of any language."""
        return bool(file.language.name) and (file.language is self.user.language or not self.user.language.name)

    def _without_ending(self) -> Parts:
        """Return the parts as a module: TypeScript imports `x.ts` as `x` and as `x.js`."""
        *folders, name = self.parts
        stem = name.rpartition(".")[0]
        if self.user.language.name in ("javascript", "dart") and read_language(name.lower()).name:
            return (*folders, stem)
        return self.parts


@lru_cache(maxsize=1 << 12)
def _read_references(line: str, path: bytes) -> Sequence[_Reference]:
    """Return what `line` in the file at `path` calls files that may be in the change."""
    user = _read_file(path)
    language = user.language
    references: list[_Reference] = []
    is_import = language.list_imports(line)
    if language.separator != "/":
        if is_import or language.qualifies:
            references += _READERS.get(language.name, _list_modules)(line, user)
        is_import = False
    is_relative = bool(language.name) and "require_relative" in line
    # Outside of code, and in scripts, paths need no quotes. A variable stands for this folder, or in code for any.
    is_quoted = bool(language.name) and language.name != "shell" and not line.startswith("//go:embed")
    if is_quoted:
        tokens = _QUOTED.findall(_VARIABLE.sub("~/", line))
    else:
        tokens = _TOKEN.findall(_VARIABLE.sub("./", line.replace("\\", "/")))
    for token in tokens:
        # Configuration names modules by points, or a package on a line of its own, and lists of sources name objects.
        is_module = "." in token or line.strip(",'\"") == token
        if is_module and "/" not in token and language.name in ("", "python", "php"):
            module = tuple(_CALLED.sub("", token).split("."))
            references.append(_Reference(module, user, is_anchored=len(module) == 1, is_module=True))
        parts = tuple([part for part in token.partition("?")[0].split("/") if part])
        if "://" in token or not parts:
            continue
        if "/" in token and token.endswith(".o"):
            source = _join(user.folder, (*parts[:-1], parts[-1].removesuffix(".o")))
            references.append(_Reference(source, user, is_anchored=True, is_module=True))
        if is_relative or token.startswith("."):
            references.append(_Reference(_join(user.folder, parts), user, is_anchored=True))
        if not is_quoted and token.startswith("./"):
            references.append(_Reference(parts[1:], user, is_import=False))
        elif token.startswith((*_ALIASES, "package:")):
            references.append(_Reference(parts[token[0] != "/" :], user))
        elif not token.startswith("."):
            references.append(_Reference(parts, user, is_import=is_import))
    return references


def _list_modules(line: str, user: _File) -> Iterator[_Reference]:
    """Java, PHP, Lua: names of modules; those of Java and PHP may go on with a name in the module."""
    for token in _TOKEN.findall(line):
        parts = tuple([part for part in token.split(user.language.separator) if part])
        shortest = len(parts) if user.language.name == "lua" else 2
        for end in range(min(shortest, len(parts)), len(parts) + 1):
            yield _Reference(parts[:end], user, is_module=True)


def _list_python_modules(line: str, user: _File) -> Iterator[_Reference]:
    """`import a.b`, `from a.b import c`, where `c` can be a module too, and the same with points before it."""
    match = _FROM.match(line)
    if not match:
        for token in _TOKEN.findall(line):
            yield _Reference(tuple(token.split(".")), user, is_module=True)
        return
    start: Parts = ()
    if match[1]:
        start = user.folder[: len(user.folder) - len(match[1]) + 1]
    module = (*start, *[part for part in match[2].split(".") if part])
    yield _Reference(module, user, is_anchored=bool(match[1]), is_module=True)
    for name in match[3].replace(",", " ").split():
        yield _Reference((*module, name), user, is_anchored=bool(match[1]), is_module=True)


def _list_rust_modules(line: str, user: _File) -> Iterator[_Reference]:
    """`mod a;`, and the modules on the way of a path such as `crate::a::b::Name`."""
    declared = _RUST_MODULE.match(line)
    if declared:
        yield _Reference((*user.module, declared[1]), user, is_anchored=True, is_module=True)
        return
    paths = [token for token in _TOKEN.findall(line) if "::" in token]
    for prefix, names in _BRACES.findall(line):
        paths += [f"{prefix}::{name.strip()}" for name in names.split(",")]
    starts = {"crate": user.root, "self": user.module, "super": user.module[:-1]}
    for path in paths:
        first, *parts = [part for part in path.split("::") if part]
        start = starts.get(first, (*user.module, first))
        for end in range(len(parts) + 1):
            yield _Reference((*start, *parts[:end]), user, is_anchored=True, is_module=True)


_READERS = {"python": _list_python_modules, "rust": _list_rust_modules}


def _count_outside(path: Parts) -> int:
    """Return how many of the folders of a path are above where the names of modules start."""
    outside = 0
    for place, part in enumerate(path[:-1], start=1):
        if part in _ROOTS:
            outside = place
    return outside


def _join(folder: Parts, parts: Parts) -> Parts:
    return tuple(posixpath.normpath("/".join((*folder, *parts))).split("/"))


def _count_common(one: Parts, other: Parts) -> int:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _ends_with(parts: Parts, end: Parts) -> bool:
    return bool(end) and parts[-len(end) :] == end


def read_package(line: str) -> str | None:
    """Return the name of the package that `line` of a manifest declares, None if it declares none."""
    match = _DECLARED.match(line)
    if not match or match[1].lower() in _KEYS:
        return None
    return _normalize(match[1])


def list_imported_packages(line: str, path: bytes) -> Iterator[str]:
    """Yield what the packages could be called that `line` in the file at `path` imports."""
    language = find_language(path)
    if not language.list_imports(line) and not language.qualifies:
        return
    separator, names = ".", _WORDS.findall(line)
    if language.separator == "/":
        separator, names = "/", _QUOTED.findall(line)
    for name in names:
        parts = name.removeprefix("package:").split(separator)
        for end in range(1, len(parts) + 1):
            yield _normalize(separator.join(parts[:end]))


def _normalize(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")
