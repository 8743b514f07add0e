"""The packages that manifests declare, and the lines that import them."""

from __future__ import annotations

from collections.abc import Iterator

from smartcommit.change.imported_files import find_language, list_quoted
from smartcommit.change.text import find_names
from smartcommit.patterns import compile_on_use

# `"name": "^1"`, `name = "1"`, `name>=1`, `gem "name"`, `example.com/name v1.0.0`, `"vendor/name": "^1"`.
_DECLARED = compile_on_use(
    r"(?:-\s+|gem\s+|require\s+|import\s+)?[\"']?(@?[A-Za-z][\w./@-]*)[\"']?\s*(?:[:=<>~!^,;\[ ]|$)"
)
# Keys of manifests, and words of their sections, that name no package.
_KEYS = {
    "name", "version", "description", "license", "type", "main", "module", "scripts", "dependencies", "edition",
    "authors", "keywords", "files", "exports", "import", "require", "types", "default", "build", "test", "path", "git",
    "features", "readme", "homepage", "repository", "engines", "node", "bin", "go", "toolchain", "replace", "exclude",
}  # fmt: skip
_WORDS = compile_on_use(r"[\w.]+")


def read_package(line: str) -> str | None:
    """Return the name of the package that `line` of a manifest declares, None if it declares none."""
    found = _DECLARED.match(line)
    if not found or found[1].lower() in _KEYS:
        return None
    return _normalize(found[1])


def last_name(package: str) -> str:
    """Return the last identifier in the name of a package, which a line that imports it has; it may be empty."""
    names = find_names(package)
    # A module of Go ends in its version.
    if len(names) > 1 and names[-1][1:].isdigit():
        names.pop()
    return names[-1] if names else ""


def list_imported_packages(line: str, path: bytes) -> Iterator[str]:
    """Yield what the packages could be called that `line` in the file at `path` imports."""
    language = find_language(path)
    if language is None or not (language.imports_on(line) or language.qualifies):
        return
    if language.separator == "/":
        for text in list_quoted(line):
            parts = text.removeprefix("package:").split("/")
            for end in range(1, len(parts) + 1):
                yield _normalize("/".join(parts[:end]))
    else:
        for word in _WORDS.findall(line):
            yield _normalize(word.partition(".")[0])


def _normalize(name: str) -> str:
    return name.lower().replace("-", "_")
