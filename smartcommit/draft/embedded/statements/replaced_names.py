"""Statements on names: an identifier renamed or replaced throughout, a part of names replaced, options added."""

from __future__ import annotations

import re
from collections.abc import Iterator

from smartcommit.change import filetypes
from smartcommit.change.edits import is_word
from smartcommit.change.facts import list_hunks
from smartcommit.change.text import count_common_ends, read_lines
from smartcommit.change.wording import join_safe, make_printable, pluralize
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.patterns import compile_on_use

# Lines in which a part of names has to be replaced, and characters of that part.
_LINES_REPLACED, _PART_LENGTH = 3, 3
# Options that one sentence names.
_OPTIONS_NAMED = 2
# Share of the change that a new option explains: the rest is mostly what it does.
_SHARE_OF_OPTION = 0.6
_PART = compile_on_use(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|[^A-Za-z0-9]")
_OPTION = compile_on_use(r"(?<![\w-])--[a-z][a-z0-9-]{2,40}")
# Lines that declare an option: one that is only mentioned was there before.
_DECLARATION = compile_on_use(
    r"add_argument\(|\.option\(|click\.option|typer\.Option|Flags\(\)|Arg::new|\blong\s*=|^flags:"
)
# The same if the option is on the next line.
_OPEN_DECLARATION = compile_on_use(r"(?i)(?:argument|option|arg|flag)\w*\(\Z")


def say_options(view: ChangeView) -> Iterator[Statement]:
    """Yield `add --dry-run option` for options that new lines of the source declare."""
    hunks = list_hunks([file for file in view.core if file.kind == filetypes.SOURCE])
    found: dict[str, None] = {}
    previous = ""
    for line in read_lines(hunks, "added"):
        if "--" in line and (_DECLARATION.search(line) or _OPEN_DECLARATION.search(previous)):
            found.update(dict.fromkeys(_OPTION.findall(line)))
        previous = line
    if not found:
        return
    gone = set(_OPTION.findall("\n".join(read_lines(hunks, "removed"))))
    names = [name for name in found if name not in gone]
    if 0 < len(names) <= _OPTIONS_NAMED:
        noun = pluralize("option", len(names))
        yield Statement(f"add {join_safe(names)} {noun}", "option", names[0], _SHARE_OF_OPTION, "feat")


def say_renames(view: ChangeView) -> Iterator[Statement]:
    """Yield `rename A to B` for the identifier that is replaced most often if a definition is renamed so."""
    pairs: dict[tuple[str, str], float] = {}
    for _, edit in view.literals:
        if edit.kind == "word" and is_word(edit.old) and is_word(edit.new):
            pairs[edit.old, edit.new] = pairs.get((edit.old, edit.new), 0) + edit.lines
    if not pairs:
        return
    old, new = max(pairs, key=pairs.__getitem__)
    lines = pairs[old, new]
    shown, shown_new = make_printable(old, 60), make_printable(new, 60)
    renamed = set()
    for file in view.change.files:
        for before, after in file.symbols.renamed:
            renamed.add((before.name, after.name))
    if (old.rpartition(".")[2], new.rpartition(".")[2]) in renamed:
        yield Statement(f"rename {shown} to {shown_new}", "rename", new, view.share(lines), "refactor")
    elif lines >= 2:
        yield Statement(f"use {shown_new} instead of {shown}", "use instead", new, view.share(lines))


def say_replaced_parts(view: ChangeView) -> Iterator[Statement]:
    """Yield `replace OLD with NEW` for the part of names and values that is replaced most often."""
    lines: dict[tuple[str, str], float] = {}
    files: dict[tuple[str, str], set[bytes]] = {}
    for file, edit in view.literals:
        if edit.kind != "word" or " " in edit.old or " " in edit.new:
            continue
        pair = _find_replaced_part(edit.old, edit.new)
        if min(map(len, pair)) >= _PART_LENGTH:
            lines[pair] = lines.get(pair, 0) + edit.lines
            files.setdefault(pair, set()).add(file.path)
    if lines and max(lines.values()) >= _LINES_REPLACED:
        old, new = max(lines, key=lines.__getitem__)
        text = f"replace {make_printable(old)} with {make_printable(new)}"
        share, repeated = view.share(lines[old, new]), len(files[old, new]) > 2
        yield Statement(text, "repeated replacement", new, share, repeated=repeated)


def _find_replaced_part(old: str, new: str) -> tuple[str, str]:
    """Return the parts of two names between what they have in common at both ends, plain words in lower case.

    A number says nothing alone: then these are the whole names.
    """
    before, after = _PART.findall(old), _PART.findall(new)
    start, end = count_common_ends(before, after)
    pair = "".join(before[start : len(before) - end]), "".join(after[start : len(after) - end])
    if pair[0].isdigit() or pair[1].isdigit():
        return old, new
    if pair[0].lower() != pair[1].lower() and all(re.fullmatch(r"[A-Z]?[a-z]+", part) for part in pair):
        return pair[0].lower(), pair[1].lower()
    return pair
