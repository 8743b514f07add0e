"""Statements on names: an identifier renamed throughout, and options added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.edits import is_word
from smartcommit.change.facts import FileFacts, list_hunks
from smartcommit.change.text import read_lines
from smartcommit.change.wording import join_safe, make_printable, pluralize
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Options that one sentence names.
_OPTIONS_NAMED = 2
# Share of the change that a new option explains: the rest is mostly what it does.
_SHARE_OF_OPTION = 0.6
_OPTION = compile_on_use(r"(?<![\w-])--[a-z][a-z0-9-]{2,40}")
# Lines that declare an option: one that is only mentioned was there before.
_DECLARATION = compile_on_use(
    r"add_argument\(|\.option\(|click\.option|typer\.Option|Flags\(\)|Arg::new|\blong\s*=|^flags:"
)
# The same if the option is on the next line.
_OPEN_DECLARATION = compile_on_use(r"(?i)(?:argument|option|arg|flag)\w*\(\Z")


def say_options(view: ChangeView) -> Iterator[Statement]:
    """Yield `add --dry-run option` for options that new lines of the source declare."""
    names = list_options([file for file in view.core if file.kind == filetypes.SOURCE], "added")
    if 0 < len(names) <= _OPTIONS_NAMED:
        noun = pluralize("option", len(names))
        yield Statement(f"add {join_safe(names)} {noun}", "option", names[0], _SHARE_OF_OPTION, "feat")


def list_options(files: Sequence[FileFacts], side: Side) -> list[str]:
    """Return the options that lines of one side declare, and the other side does not mention."""
    hunks = list_hunks(files)
    found: dict[str, None] = {}
    previous = ""
    for line in read_lines(hunks, side):
        if "--" in line and (_DECLARATION.search(line) or _OPEN_DECLARATION.search(previous)):
            found.update(dict.fromkeys(_OPTION.findall(line)))
        previous = line
    if not found:
        return []
    others = set(_OPTION.findall("\n".join(read_lines(hunks, "removed" if side == "added" else "added"))))
    return [name for name in found if name not in others]


def say_renames(view: ChangeView) -> Iterator[Statement]:
    """Yield `rename A to B` for the identifier that is replaced most often if a definition is renamed so."""
    pairs: dict[tuple[str, str], float] = {}
    for _, edit in view.literals:
        if edit.kind == "word" and is_word(edit.old) and is_word(edit.new):
            pairs[edit.old, edit.new] = pairs.get((edit.old, edit.new), 0) + edit.lines
    if not pairs:
        return
    old, new = max(pairs, key=pairs.__getitem__)
    renamed = set()
    for file in view.change.files:
        for before, after in file.symbols.renamed:
            renamed.add((before.name, after.name))
    if (old.rpartition(".")[2], new.rpartition(".")[2]) in renamed:
        text = f"rename {make_printable(old, 60)} to {make_printable(new, 60)}"
        yield Statement(text, "rename", new, view.share(pairs[old, new]), "refactor")
