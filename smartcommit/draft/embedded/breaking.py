"""Whether a change may break those who use the project: a public definition, option or parameter goes away."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, SideNames, list_hunks
from smartcommit.change.text import read_lines
from smartcommit.draft.embedded.view import ChangeView
from smartcommit.patterns import compile_on_use

# Kinds of symbols that others do not use by their names.
_UNUSED_KINDS = {"key", "section", "test", "target", "module", "resource"}
# Words in a definition by which it is public, and by which it is not, and the endings of files where only the first
# are public.
_PUBLIC_WORDS, _PRIVATE_WORDS = {"pub", "public", "export", "open"}, {"private", "internal", "protected", "fileprivate"}
_CLOSED_ENDINGS = {
    "rs", "java", "cs", "swift", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "php",
}  # fmt: skip
_OPTION = compile_on_use(r"(?<![\w-])--[a-z][a-z0-9-]{2,40}")
# Lines that declare an option: one that is only mentioned was there before.
_DECLARATION = compile_on_use(
    r"add_argument\(|\.option\(|click\.option|typer\.Option|Flags\(\)|Arg::new|\blong\s*=|^flags:"
)
# The same if the option is on the next line.
_OPEN_DECLARATION = compile_on_use(r"(?i)(?:argument|option|arg|flag)\w*\(\Z")


def may_break(view: ChangeView) -> bool:
    """Whether the source of a change loses a public definition, an option or a parameter, as far as lines show."""
    source = [file for file in view.core if file.kind == filetypes.SOURCE]
    if not source:
        return False
    kept = SideNames(view.change.files, "added")
    for file in source:
        gone = [*file.symbols.removed, *(before for before, _ in file.symbols.renamed)]
        for symbol in gone:
            if (
                symbol.kind not in _UNUSED_KINDS
                and not kept.have(symbol.name)
                and _is_public(symbol.name, symbol.line, file)
            ):
                return True
    for file, edit in view.literals:
        if (
            edit.kind == "parameter"
            and edit.old
            and file.kind == filetypes.SOURCE
            and _is_public(edit.place, edit.line, file)
        ):
            return True
    return _loses_option(source)


def _is_public(name: str, line: str, file: FileFacts) -> bool:
    """Whether the definition of `name` on `line` can be used in other projects, by the customs of its language."""
    ending = posixpath.splitext(file.path)[1].decode("ascii", "replace")[1:].lower()
    words = line.split("(", maxsplit=1)[0].split()
    if name.startswith(("_", "#")) or not _PRIVATE_WORDS.isdisjoint(words):
        return False
    if ending == "go":
        return name[:1].isupper()
    return ending not in _CLOSED_ENDINGS or not _PUBLIC_WORDS.isdisjoint(words)


def _loses_option(files: Sequence[FileFacts]) -> bool:
    """Whether removed lines declare an option that the added ones do not mention."""
    hunks = list_hunks(files)
    declared: set[str] = set()
    previous = ""
    for line in read_lines(hunks, "removed"):
        if "--" in line and (_DECLARATION.search(line) or _OPEN_DECLARATION.search(previous)):
            declared.update(_OPTION.findall(line))
        previous = line
    return bool(declared) and not declared.issubset(_OPTION.findall("\n".join(read_lines(hunks, "added"))))
