"""Literal edits in lines that only came or only went: imports, annotations, keys, items, rows, steps and calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from smartcommit.change import filetypes
from smartcommit.change.edits import NOT_CALLS, Block, LiteralEdit, is_balanced, is_value, read_edits, strip_quotes
from smartcommit.change.replaced_tokens import COMMAND, KEYED, SHELL_ENDINGS, find_replaced
from smartcommit.change.text import FileText, is_import, list_imported
from smartcommit.git.diff import FileDiff
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side

# Lines of a block in which an annotation, a call, a field or an entry is named: in a longer one it is a detail.
_LINES_OF_CODE = 3
_CODE = {filetypes.SOURCE, filetypes.TESTS}
# Keys that say nothing without what is in them.
_GENERIC = {
    "env", "with", "if", "run", "name", "type", "id", "description", "uses", "properties", "items", "default", "title",
    "key", "value", "required",
}  # fmt: skip
_COMMON_FIELDS = {"type", "name", "id", "return", "case", "default"}
# Kinds and endings of files in whose collections keys stand before values.
_ENTRY_KINDS = {filetypes.SOURCE, filetypes.BUILD, filetypes.CONFIGURATION}
_ENTRY_ENDINGS = {"py", "js", "ts", "tsx", "jsx", "mts", "rb", "lua", "mjs", "cjs", "php", "go", "rs"}
# Maximum characters of a value to mention.
_VALUE_LENGTH = 30
# Minimum characters of the name of a function: a shorter one says nothing.
_CALL_LENGTH = 4

_KEY = compile_on_use(r"(?:-\s+)?[\"']?([A-Za-z_][\w./-]{0,50})[\"']?\s*(?::(?!//|:)|=(?!=))\s*(.*?)\s*,?\Z")
_YAML_ITEM = compile_on_use(r"-\s+[\"']?([^\"':{}\[\]#]{2,50}?)[\"']?(?:\s+#.*)?\Z")
_ITEM = compile_on_use(r"(\"[^\"]{2,60}\"|'[^']{2,60}'|[A-Z][A-Za-z0-9_]{2,40}),?(?:\s+(?:#|//).*)?\Z")
_LIST = compile_on_use(
    r"(?:\w+\s+){0,4}[\"']?([A-Za-z_][\w.-]*)[\"']?\s*(?::[\w\[\], .|]{0,40}=|[:=])\s*(?:new\s+)?(?:\w+)?[\[({]\s*\Z"
)
_STEP = compile_on_use(r"-\s+name:\s*[\"']?(.+?)[\"']?\Z")
_ANNOTATION = compile_on_use(
    r"(@[A-Za-z_][\w.]*|#\[(?:[^\]\n]{2,24}\]|[a-z_:]+(?=[\]( ]))|\[\[?[A-Z][A-Za-z]+(?=[\](]))"
)
_CALL = compile_on_use(
    r"(?:await\s+|return\s+await\s+|yield\s+|defer\s+|_\s*=\s*)?([A-Za-z_][\w$]*(?:(?:\.|::|->)[A-Za-z_][\w$]*)*!?)\(.*\)[;,?]*\Z"
)
_GUARD = compile_on_use(r"(?:if|guard)\s+(\(?.{3,60}?\)?)\s*(?::|\{|then)?\Z")
_LEAVING = compile_on_use(r"(return|continue|break)\b")
_ACTS = {"return": "return early", "continue": "skip", "break": "stop"}
_FIELD = compile_on_use(
    r"(?:(?:pub(?:\([^)]*\))?|public|readonly|private|protected|export|static|final|internal)\s+)*"
    r"(\w+)\??:\s*[\w<>\[\]|&?, .:'\"()=]+[;,]\Z"
)
_RUST_FIELD = compile_on_use(
    r"(?:pub(?:\([^)]*\))?\s+)?(\w+):\s*(?:&|[A-Z]|[iuf]\d+\b|bool\b|usize\b)[\w<>\[\], &:']*,\Z"
)
_GO_FIELD = compile_on_use(r"([A-Z]\w+)\s+[\w.*\[\]]+\s+`")
_FIELD_VALUE = compile_on_use(r"\w+:\s*(true|false|\d[\d_.]*|'[^']{1,20}'|\"[^\"]{1,20}\"),\Z")
_ENTRY = compile_on_use(r"[\"']?([\w.-]{3,40})[\"']?\s*([:=]>?)\s*(.{1,80}?),\Z")
_ATTRIBUTE = compile_on_use(r"((?:\w+(?:\.|->)){1,4}\w+)\s*=\s*([^=\s].{0,40}?);?\Z")
# The constant that a branch is for, in languages with `case` and in Rust.
_CASE = compile_on_use(r"case\s+([\w.:\"'-]{2,60}?)(?:\(.{0,60}?\))?(?:\s*\{)?\s*:")
_RUST_CASE = compile_on_use(r"((?:[A-Z]\w*::)+\w+)\s*(?:\(.{0,40}?\)|\{.{0,40}?\})?\s*=>")
_ALIAS = compile_on_use(r"alias\s+(?:-[gs]\s+)?([\w.:-]{1,40})=")
_COMMAND = compile_on_use(COMMAND + r" ([\w@./:<>=\"' -]{2,48})\Z")
_CELL = compile_on_use(r"\|\s*(?:\|\s*)?(?:\*\*)?\[?`?([^\]|`*]{2,40})`?\]?[^|]*\|")
_DOCUMENT_ITEM = compile_on_use(
    r"[-*+]\s+(?:\*\*)?(?:\[`?([^\]`]{2,50})`?\]\(|`([^`]{2,40})`|([A-Z][\w.+ -]{1,30}?)(?:\s[-–:(]|:|\Z))"
)
_RULE = compile_on_use(r"[-:|\s]+\Z")
# Kinds of edits to which the lines below them belong if these are indented more.
_HOLDERS = {"case", "guard", "key", "setting", "step"}


class LineBlock:
    """A block of a file that came or went, while its lines are read one after the other."""

    def __init__(self, block: Block, file: FileText, side: Side) -> None:
        self.lines = block.lines
        self.context = block.context
        self.file = file
        self.side = side
        # The indentation of the lines that are named: what is indented more is part of those.
        self.indent = block.indent
        # Lines that open what the next ones are in, which are explained with it.
        self.opening = 0
        self.found: list[LiteralEdit] = []

    def make(self, kind: str, word: str, *, name: str | None = None, place: str = "", line: str) -> LiteralEdit:
        """Return an edit of the direction of the block."""
        old, new = (word, "") if self.side == "removed" else ("", word)
        return LiteralEdit(kind, old, new, name, False, place, 1, line, self.context)


def find_in_block(block: Block, file: FileText, side: Side) -> list[LiteralEdit]:
    """Return what the lines of a block are that came (side "added") or went, as far as a sentence could name it."""
    reader = LineBlock(block, file, side)
    holder: LiteralEdit | None = None
    for position, (indent, line) in enumerate(block.lines):
        if holder is not None and indent > reader.indent:
            # The line belongs to the key, step or condition above.
            holder.lines += 1
            continue
        holder = None
        for read in _READERS:
            found = read(reader, position, line)
            if found is not None:
                reader.found += found
                if found:
                    found[0].lines += reader.opening
                    reader.opening = 0
                    holder = found[-1] if found[-1].kind in _HOLDERS else None
                break
    return reader.found


# Each reader returns None if a line is not for it, and an empty list if a line is, but says nothing. Most ask for a
# character of their lines first: each pattern takes long to compile, and one block needs few of them.
def _read_import(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    names = list_imported(line, block.file)
    if not names:
        return [] if is_import(line) else None
    kind = "include" if line.startswith("#") else "import"
    if names[0] == line:
        kind = "item"
    found = []
    for name in names:
        edit = block.make(kind, name, line=line)
        edit.lines = 1 / len(names)
        found.append(edit)
    return found


def _read_annotation(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    found = _ANNOTATION.match(line) if line.startswith(("@", "#[", "[")) else None
    if not found or block.file.kind not in _CODE:
        return None
    if len(block.lines) > _LINES_OF_CODE:
        return []
    text = found[1]
    for start, end in (("#[", "]"), ("[[", "]]"), ("[", "]")):
        if text.startswith(start):
            text = text if text.endswith(end) else text + end
            break
    return [block.make("annotation", text, line=line)]


def _read_document(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    if not block.file.is_document:
        return None
    cell, item = _CELL.match(line), _DOCUMENT_ITEM.match(line)
    text = ""
    if cell:
        text = cell[1].strip()
    elif item:
        text = item[item.lastindex or 0]
    if not text or _RULE.match(text):
        return []
    return [block.make("row", text, line=line)]


def _read_step(block: LineBlock, position: int, line: str) -> list[LiteralEdit] | None:
    if block.file.kind != filetypes.CI or block.lines[position][0] != block.indent:
        return None
    found = _STEP.match(line)
    return [block.make("step", found[1], line=line)] if found else None


def _read_item(block: LineBlock, position: int, line: str) -> list[LiteralEdit] | None:
    found = _YAML_ITEM.match(line) if block.file.ending in KEYED else None
    if found is None and (line[0] in "\"'" or line[0].isupper()):
        found = _ITEM.match(line)
    if found is None:
        return None
    opener = block.lines[position - 1][1] if position else block.context
    is_prose = block.file.kind in _CODE and found[1].count(" ") > 1
    if is_prose or is_import(opener):
        return []
    owner = _LIST.search(block.context) if block.file.ending not in ("yml", "yaml") else None
    return [block.make("item", strip_quotes(found[1]), place=owner[1] if owner else "", line=line)]


def _read_key(block: LineBlock, position: int, line: str) -> list[LiteralEdit] | None:
    found = _KEY.match(line) if block.file.ending in KEYED else None
    if not found or block.lines[position][0] != block.indent:
        return None
    if line.startswith("-") or any(text.startswith("[") for _, text in block.lines[:position]):
        # It is part of an entry or a section that came or went, beside others with such a key.
        return []
    key, value = found[1], found[2].strip(" ,")
    if key in _GENERIC:
        if not value and position + 1 < len(block.lines):
            # What is in it says more.
            block.indent = max(block.indent, block.lines[position + 1][0])
            block.opening += 1
        return []
    if block.side == "added" and _is_short_value(value):
        return [block.make("setting", strip_quotes(value), name=key, line=line)]
    return [block.make("key", key, line=line)]


def _read_alias(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    found = _ALIAS.match(line) if block.file.ending in SHELL_ENDINGS else None
    return [block.make("alias", found[1], line=line)] if found else None


def _read_command(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    """Read a command of a script, a workflow or an image."""
    if block.file.ending not in SHELL_ENDINGS and block.file.kind not in (filetypes.CI, filetypes.BUILD):
        return None
    found = _COMMAND.match(line)
    return [block.make("command", f"{found[1]} {found[2]}", line=line)] if found else None


def _read_case(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    """Read the start of a branch for one constant."""
    if block.file.kind != filetypes.SOURCE:
        return None
    found: re.Match[str] | None = None
    if block.file.ending == "rs":
        found = _RUST_CASE.match(line)
    elif line.startswith("case"):
        found = _CASE.match(line)
    return [block.make("case", found[1].strip("\"'"), line=line)] if found else None


def _is_short_value(value: str) -> bool:
    return 0 < len(value) <= _VALUE_LENGTH and is_value(value) and not value.startswith("$")


def _read_guard(block: LineBlock, position: int, line: str) -> list[LiteralEdit] | None:
    """Read a condition on which a function or a loop is left, in two or three lines."""
    if block.side == "removed" or position or not 2 <= len(block.lines) <= _LINES_OF_CODE:
        return None
    if block.file.kind != filetypes.SOURCE or not line.startswith(("if", "guard")):
        return None
    found, leaving = _GUARD.match(line), _LEAVING.match(block.lines[1][1])
    if not found or not leaving:
        return None
    condition = found[1]
    if condition.startswith("(") and condition.endswith(")") and is_balanced(condition[1:-1]):
        condition = condition[1:-1]
    if not is_balanced(condition):
        return None
    return [block.make("guard", condition, name=_ACTS[leaving[1]], line=line)]


def _read_field(block: LineBlock, position: int, line: str) -> list[LiteralEdit] | None:
    """Read a field of a type, or a property with a value."""
    if block.side == "removed" or block.file.kind != filetypes.SOURCE or len(block.lines) > _LINES_OF_CODE:
        return None
    ending = block.file.ending
    found: re.Match[str] | None = None
    if ending in ("ts", "tsx", "mts", "kt"):
        found = _FIELD.match(line)
    elif ending == "rs":
        found = _RUST_FIELD.match(line)
    elif ending == "go":
        found = _GO_FIELD.match(line)
    if not found or found[1] in _COMMON_FIELDS or "=>" in line:
        return None
    value = _FIELD_VALUE.match(line)
    if value and block.lines[position][0] != block.indent:
        return []
    if value:
        return [block.make("value", strip_quotes(value[1]), name=found[1], line=line)]
    return [block.make("field", found[1], line=line)]


def _read_entry(block: LineBlock, position: int, line: str) -> list[LiteralEdit] | None:
    """Read a key with its value in a collection."""
    if block.file.kind not in _ENTRY_KINDS or len(block.lines) > _LINES_OF_CODE:
        return None
    found = _ENTRY.match(line) if block.file.ending in _ENTRY_ENDINGS and line.endswith(",") else None
    if not found or block.lines[position][0] != block.indent:
        return None
    if block.side == "added" and _is_short_value(found[3]):
        return [block.make("value", strip_quotes(found[3]), name=found[1], line=line)]
    is_argument = block.file.ending == "py" and found[2] == "="
    return [block.make("argument" if is_argument else "item", found[1], line=line)]


def _read_attribute(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    """Read the assignment of a value to an attribute."""
    if block.side == "removed" or block.file.kind != filetypes.SOURCE or len(block.lines) > _LINES_OF_CODE:
        return None
    found = _ATTRIBUTE.match(line) if "=" in line else None
    if not found or not _is_short_value(found[2]):
        return None
    return [block.make("value", strip_quotes(found[2]), name=found[1], line=line)]


def _read_call(block: LineBlock, _: int, line: str) -> list[LiteralEdit] | None:
    found = _CALL.match(line) if "(" in line else None
    if not found or found[1] in NOT_CALLS or len(block.lines) > _LINES_OF_CODE:
        return None
    if block.file.kind not in _CODE:
        return None
    name = found[1].removeprefix("self.").removeprefix("this.")
    if len(re.split(r"\.|::|->", name)[-1]) < _CALL_LENGTH:
        return None
    return [block.make("call", name, line=line)]


def list_literals(diff: FileDiff) -> list[LiteralEdit]:
    """Return what came, went or was replaced in the lines of a file, as far as a sentence could name it."""
    file = FileText(diff.change.path)
    edits = read_edits(diff)
    found: list[LiteralEdit] = []
    for replaced in edits.replaced:
        found += find_replaced(replaced, file)
    for block in edits.came:
        found += find_in_block(block, file, "added")
    for block in edits.went:
        found += find_in_block(block, file, "removed")
    return found


_READERS: Sequence[Callable[[LineBlock, int, str], list[LiteralEdit] | None]] = (
    _read_import, _read_annotation, _read_document, _read_step, _read_alias, _read_command, _read_item,
    _read_key, _read_guard, _read_case, _read_field, _read_entry, _read_attribute, _read_call,
)  # fmt: skip
