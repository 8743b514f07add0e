"""Extracts the symbols a change adds, removes, renames or modifies.

One small table of line patterns per family of languages. A line is cut after LINE_CHARACTERS before it is matched, so
that the time is linear in the input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

# Characters of a line that are read.
LINE_CHARACTERS = 400
# Lines of each side of a file that are read: the rest of a generated file tells nothing new.
LINES_READ = 4000

Found = tuple[str, str]
Reader = Callable[[str], Found | None]


class Symbol:
    """A name defined by a line; `kind` is the term of its language: function, class, test, section.

    Two of the same name and kind are equal, wherever they are.
    """

    __slots__ = ("hunk", "kind", "line", "name")

    def __init__(self, name: str, kind: str, line: str, hunk: int) -> None:
        self.name = name
        self.kind = kind
        self.line = line
        self.hunk = hunk

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and (self.name, self.kind) == (other.name, other.kind)

    def __hash__(self) -> int:
        return hash((self.name, self.kind))


class SymbolChanges(Record):
    """What happened to the symbols of a file, each in one field only. Those in `touched` enclose changed lines."""

    added: tuple[Symbol, ...] = ()
    removed: tuple[Symbol, ...] = ()
    renamed: tuple[tuple[Symbol, Symbol], ...] = ()
    changed: tuple[tuple[Symbol, Symbol], ...] = ()
    touched: tuple[Symbol, ...] = ()


def _table(*rows: tuple[str, str]) -> Reader:
    """Return a reader that takes the kind from the first pattern that matches, and the name from its last group.

    Patterns are compiled when they are first used: a change has files of few languages.
    """
    compiled: list[tuple[re.Pattern[str], str]] = []

    def read(line: str) -> Found | None:
        if not compiled:
            compiled.extend((re.compile(pattern), kind) for pattern, kind in rows)
        for pattern, kind in compiled:
            found = pattern.match(line)
            if found:
                return found[found.lastindex or 0], kind
        return None

    return read


def _first(*readers: Reader) -> Reader:
    def read(line: str) -> Found | None:
        for reader in readers:
            found = reader(line)
            if found:
                return found
        return None

    return read


_MODIFIERS = {
    "public", "private", "protected", "internal", "static", "final", "abstract", "override", "virtual", "async",
    "synchronized", "default", "native", "sealed", "partial", "extern", "unsafe", "readonly", "get", "set",
}  # fmt: skip
_NOT_NAMES = {
    "if", "for", "while", "switch", "catch", "return", "else", "do", "new", "throw", "await", "function", "sizeof",
}  # fmt: skip
_IDENTIFIER = compile_on_use(r"[A-Za-z_$][\w$]*\Z")


def _method(line: str) -> Found | None:
    """Java and C#: a modifier, a type, a name and a parenthesis."""
    words = line.partition("(")[0].split()
    if "(" not in line or len(words) < 3 or words[0] not in _MODIFIERS or "=" in words or "new" in words:
        return None
    # `Name<T>` has parameters of types.
    name = words[-1].partition("<")[0]
    if not _IDENTIFIER.match(name):
        return None
    return name, "method"


def _script_method(line: str) -> Found | None:
    """JavaScript: an indented name before a parenthesis, on a line that opens a block."""
    words = line.partition("(")[0].split()
    if not line[:1].isspace() or "(" not in line or not line.rstrip().endswith("{") or not words:
        return None
    name = words[-1].lstrip("*#")
    if name in _NOT_NAMES or not _IDENTIFIER.match(name) or not _MODIFIERS.issuperset(words[:-1]):
        return None
    return name, "method"


def _c_function(line: str) -> Found | None:
    """C: a type and a name before a parenthesis, from the first column, and no call or assignment."""
    head, parenthesis, rest = line.partition("(")
    words = head.replace("*", " ").replace("&", " ").split()
    if not parenthesis or line[:1].isspace() or len(words) < 2 or rest.rstrip().endswith(";"):
        return None
    name = words[-1].rpartition("::")[2]
    if "=" in head or words[0] in _NOT_NAMES:
        return None
    if not _IDENTIFIER.match(name) or not _IDENTIFIER.match(words[0].strip(":<>,")):
        return None
    return name, "function"


_TEST_TITLE = _table(
    (r"\s*(?:it|test|specify|scenario)(?:\.\w{1,20})?\(\s*(?:'([^']+)'|\"([^\"]+)\"|`([^`]+)`)", "test")
)
_PYTHON = _table(
    (r"\s*(?:async\s+)?def\s+(test_\w+)", "test"),
    (r"(?:async\s+)?def\s+(\w+)", "function"),
    (r"\s+(?:async\s+)?def\s+(\w+)", "method"),
    (r"\s*class\s+(\w+)", "class"),
    (r"([A-Z][A-Z0-9_]{2,})\s*(?::|=(?!=))", "constant"),
)
_SCRIPT = _first(
    _TEST_TITLE,
    _table(
        (r"\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)", "function"),
        (r"\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+([\w$]+)", "class"),
        (r"\s*(?:export\s+)?(?:declare\s+)?interface\s+([\w$]+)", "interface"),
        (r"\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+([\w$]+)", "enum"),
        (r"\s*export\s+(?:declare\s+)?type\s+([\w$]+)", "type"),
        (r"(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>)", "function"),
        (r"export\s+(?:const|let|var)\s+([\w$]+)", "constant"),
    ),
    _script_method,
)
_GO = _table(
    (r"func\s+(Test\w+)", "test"),
    (r"func\s+\([^)]*\)\s*(\w+)", "method"),
    (r"func\s+(\w+)", "function"),
    (r"type\s+(\w+)\s+interface\b", "interface"),
    (r"type\s+(\w+)\s+struct\b", "struct"),
    (r"type\s+(\w+)", "type"),
    (r"(?:const|var)\s+(\w+)", "constant"),
)
_RUST_VISIBLE = r"\s*(?:pub(?:\([^)]*\))?\s+)?"
_RUST = _table(
    (r"\s*(?:async\s+)?fn\s+(test_\w+)", "test"),
    (_RUST_VISIBLE + r"(?:(?:const|async|unsafe|default|extern)\s+(?:\"[^\"]*\"\s+)?)*fn\s+(\w+)", "function"),
    (_RUST_VISIBLE + r"struct\s+(\w+)", "struct"),
    (_RUST_VISIBLE + r"enum\s+(\w+)", "enum"),
    (_RUST_VISIBLE + r"(?:unsafe\s+)?trait\s+(\w+)", "trait"),
    (_RUST_VISIBLE + r"mod\s+(tests?)\b", "test"),
    (_RUST_VISIBLE + r"mod\s+(\w+)", "module"),
    (_RUST_VISIBLE + r"type\s+(\w+)", "type"),
    (_RUST_VISIBLE + r"(?:const|static)\s+([A-Z]\w*)", "constant"),
    (r"\s*macro_rules!\s*(\w+)", "macro"),
)
_JVM_WORDS = (
    r"\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|override|inline|suspend|"
    r"readonly|case|implicit|annotation|export|fileprivate|mutating|@\w+)\s+)*"
)
_JVM = _first(
    _table(
        (_JVM_WORDS + r"(?:class|object|record)\s+(\w+)", "class"),
        (_JVM_WORDS + r"interface\s+(\w+)", "interface"),
        (_JVM_WORDS + r"enum\s+(?:class\s+)?(\w+)", "enum"),
        (_JVM_WORDS + r"(?:trait|protocol)\s+(\w+)", "trait"),
        (_JVM_WORDS + r"(?:struct|actor|extension)\s+(\w+)", "struct"),
        (_JVM_WORDS + r"(?:fun|func|def)\s+(?:<[^>]*>\s*)?(?:[\w<>]+\.)?(\w+)", "function"),
    ),
    _method,
)
_C = _first(
    _table(
        (r"#\s*define\s+(\w+)", "macro"),
        (r"(?:typedef\s+)?struct\s+(\w+)\s*\{?$", "struct"),
        (r"(?:typedef\s+)?enum\s+(?:class\s+)?(\w+)", "enum"),
        (r"\s*class\s+(\w+)", "class"),
        (r"namespace\s+(\w+)", "namespace"),
    ),
    _c_function,
)
_RUBY = _first(
    _TEST_TITLE,
    _table(
        (r"\s*it\s+(?:'([^']+)'|\"([^\"]+)\")", "test"),
        (r"\s*def\s+(?:self\.)?(\w+[?!]?)", "method"),
        (r"\s*class\s+([\w:]+)", "class"),
        (r"\s*module\s+([\w:]+)", "module"),
    ),
)
_PHP = _table(
    (_JVM_WORDS + r"function\s+&?(\w+)", "function"),
    (_JVM_WORDS + r"(?:class|trait)\s+(\w+)", "class"),
    (_JVM_WORDS + r"interface\s+(\w+)", "interface"),
    (_JVM_WORDS + r"enum\s+(\w+)", "enum"),
)
_SHELL = _table((r"\s*(?:function\s+)?([\w-]+)\s*\(\)", "function"), (r"\s*function\s+([\w-]+)", "function"))
_LUA = _table((r"\s*(?:local\s+)?function\s+([\w.:]+)", "function"), (r"([\w.]+)\s*=\s*function\b", "function"))
_ELIXIR = _table((r"\s*defp?\s+(\w+)", "function"), (r"\s*defmodule\s+([\w.]+)", "module"))
_TERRAFORM = _table(
    (r"(?:resource|data)\s+\"[^\"]*\"\s+\"([^\"]+)\"", "resource"),
    (r"variable\s+\"([^\"]+)\"", "variable"),
    (r"output\s+\"([^\"]+)\"", "output"),
    (r"module\s+\"([^\"]+)\"", "module"),
)
_SQL = _table(
    (r"(?i)\s*create\s+(?:or\s+replace\s+)?(?:table|view|index)\s+(?:if\s+not\s+exists\s+)?([\w.]+)", "table")
)
_PROTO = _table((r"\s*(?:message|service|enum)\s+(\w+)", "message"), (r"\s*rpc\s+(\w+)", "method"))
_MAKE = _table((r"([\w.-]+)\s*:(?![=:])", "target"))
_HEADING = _table((r"#{1,6}\s+(\S.*)", "section"), (r"={1,5}\s+(\S.*)", "section"))
_KEYS = _table(
    (r"\[+([^\]]+)\]", "section"),
    (
        r"\s*(?:-\s+)?[\"']?(?!(?:name|run|uses|with|on|env|if|to|type|version|id|key|value|path|args|default|description)\b[\"']?\s*[:=])([A-Za-z_@][\w@/.-]*)[\"']?\s*[:=](?!\S*//)",
        "key",
    ),
)

# Here the lines that belong to a name are not indented.
_FLAT = (_HEADING, _KEYS, _MAKE, _SQL)
_READERS: dict[str, Reader] = {}
for _extensions, _family in (
    ("py pyi pyx", _PYTHON),
    ("js jsx ts tsx mjs cjs mts cts vue svelte", _SCRIPT),
    ("go", _GO),
    ("rs", _RUST),
    ("java cs kt kts scala swift dart groovy", _JVM),
    ("c h cc cpp cxx hh hpp m mm", _C),
    ("rb rake", _RUBY),
    ("php", _PHP),
    ("sh bash zsh", _SHELL),
    ("lua", _LUA),
    ("ex exs", _ELIXIR),
    ("tf hcl", _TERRAFORM),
    ("sql", _SQL),
    ("proto", _PROTO),
    ("mk", _MAKE),
    ("md mdx markdown adoc", _HEADING),
    ("toml ini cfg conf yml yaml json jsonc properties", _KEYS),
):
    _READERS.update(dict.fromkeys(_extensions.split(), _family))


def symbol_changes(diff: FileDiff, *, with_touched: bool = True) -> SymbolChanges:
    """Return what `diff` does to the symbols of its file; empty if its language is unknown or nothing was read.

    Without `with_touched`, nothing is touched, which takes less time.
    """
    reader = _reader(diff.change.path)
    if reader is None:
        return SymbolChanges()
    removed = _find_symbols(reader, _numbered_lines(diff.hunks, "removed"))
    added = _find_symbols(reader, _numbered_lines(diff.hunks, "added"))
    changed = []
    for key in list(removed):
        if key in added:
            before, after = removed.pop(key), added.pop(key)
            if _squeezed(before.line) != _squeezed(after.line):
                changed.append((before, after))
    touched: dict[Found, Symbol] = {}
    if with_touched:
        touched = _find_symbols(reader, _enclosing_lines(reader, diff.hunks))
    return SymbolChanges(
        renamed=tuple(_take_renames(removed, added)),
        removed=tuple(removed.values()),
        added=tuple(added.values()),
        changed=tuple(changed),
        touched=tuple(touched.values()),
    )


def _numbered_lines(hunks: Iterable[Hunk], side: Literal["removed", "added"]) -> Iterator[tuple[int, bytes]]:
    """Yield each line of one side with the number of its hunk."""
    for number, hunk in enumerate(hunks):
        for line in getattr(hunk, side):
            yield number, line


def _enclosing_lines(reader: Reader, hunks: Iterable[Hunk]) -> Iterator[tuple[int, bytes]]:
    """Yield the line that git names as the context of a hunk, if the changed lines can belong to it."""
    for number, hunk in enumerate(hunks):
        if reader in _FLAT or _is_indented(hunk):
            yield number, hunk.context


def _is_indented(hunk: Hunk) -> bool:
    """Whether any changed line is indented: a line in the first column is beside the symbol above it, not in it."""
    return any(line[:1].isspace() and not line.isspace() for line in (*hunk.removed, *hunk.added))


def _reader(path: bytes) -> Reader | None:
    name = path.decode("utf-8", "replace").lower().rpartition("/")[2]
    if name in ("makefile", "gnumakefile"):
        return _MAKE
    return _READERS.get(name.rpartition(".")[2]) if "." in name else None


def _find_symbols(reader: Reader, lines: Iterable[tuple[int, bytes]]) -> dict[Found, Symbol]:
    symbols: dict[Found, Symbol] = {}
    for hunk, raw in islice(lines, LINES_READ):
        line = raw[:LINE_CHARACTERS].decode("utf-8", "replace").rstrip()
        found = reader(line)
        if found:
            symbols.setdefault(found, Symbol(*found, line, hunk))
    return symbols


def _take_renames(removed: dict[Found, Symbol], added: dict[Found, Symbol]) -> Iterator[tuple[Symbol, Symbol]]:
    """Remove and yield the pairs of one hunk whose lines differ in the name only.

    Lines of keys, sections and tests have too little besides the name to recognize a rename.
    """
    shapes: dict[tuple[int, str, str], list[Found]] = {}
    for key, symbol in added.items():
        if symbol.kind not in ("key", "section", "test"):
            shapes.setdefault(_shape(symbol), []).append(key)
    for key, before in list(removed.items()):
        matches = shapes.get(_shape(before), [])
        if len(matches) == 1 and matches[0] in added:
            del removed[key]
            yield before, added.pop(matches[0])


def _shape(symbol: Symbol) -> tuple[int, str, str]:
    return symbol.hunk, symbol.kind, _squeezed(symbol.line.replace(symbol.name, "\0", 1))


def _squeezed(line: str) -> str:
    return "".join(line.split())


def read_symbols(path: bytes, content: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, kind and name of each symbol that a file defines; nothing if its language is unknown."""
    reader = _reader(path)
    if reader is None:
        return
    for number, line in enumerate(islice(content.split("\n"), LINES_READ), 1):
        found = reader(line[:LINE_CHARACTERS].rstrip())
        if found:
            yield number, found[1], found[0]
