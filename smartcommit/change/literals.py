"""Literal edits of the lines of a file: arguments, items, values, words, keys, calls and others.

In lines that replace others, the tokens around the place in which they differ tell what came, went or was replaced.
In lines that only came, or only went, the form of the line does; `_FORMS` lists the forms.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from operator import itemgetter

from smartcommit.change import filetypes
from smartcommit.change.edits import LiteralEdit, is_versioned, strip_quotes, tells_alone
from smartcommit.change.languages import find_language
from smartcommit.change.pairing import Block, Replacement, pair_file
from smartcommit.change.text import FileText, is_import
from smartcommit.git.diff import FileDiff
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from smartcommit.change.text import Side

# Kinds of files whose lines are code, and in whose collections keys stand before values.
_CODE = {filetypes.SOURCE, filetypes.TESTS}
_WITH_ENTRIES = {filetypes.SOURCE, filetypes.BUILD, filetypes.CONFIGURATION}
# Kinds of files whose values may be versions.
_WITH_VERSIONS = {filetypes.MANIFEST, filetypes.BUILD, filetypes.CI}
# Endings of files that hold keys and values, of source in which a colon stands before values, and of that with entries.
_KEYED = {
    "yml", "yaml", "toml", "ini", "cfg", "conf", "json", "json5", "jsonc", "properties", "editorconfig", "env",
}  # fmt: skip
_WITH_COLONS = {"js", "ts", "tsx", "jsx", "dart", "rb", "mjs", "cjs", "mts", "vue", "svelte"}
_ENTRY_ENDINGS = {"py", "js", "ts", "tsx", "jsx", "mts", "rb", "lua", "mjs", "cjs", "php", "go", "rs"}
# Maximum characters of an argument with its value, of other arguments and values, and of a value that is an item.
_ARGUMENT_LENGTH, _VALUE_LENGTH, _ITEM_LENGTH = 28, 48, 30
# Maximum characters of a condition, of a literal, and of two that replace each other; and tokens of one.
_CONDITION_LENGTH, _LITERAL_LENGTH, _PAIR_LENGTH, _LITERAL_TOKENS = 60, 45, 48, 6
# Items that one sentence can list.
_ITEMS = 3
# Lines of a block in which an annotation, a call or an entry is named: in a longer one it is a detail.
_LINES_OF_CODE = 3
# Minimum characters of the name of a function: a shorter one says nothing.
_CALL_LENGTH = 4
# What looks like a call, but is part of the language, or an assertion.
_NOT_CALLS = {
    "if", "for", "while", "switch", "return", "assert", "print", "catch", "elif", "super", "expect", "Some", "Ok",
    "Err", "and", "or", "not", "in", "format", "require", "println!", "vec!", "assert!", "assert_eq!", "foreach",
    "with", "function", "match", "case", "else", "except", "await", "yield", "func", "fn", "def", "lambda", "typeof",
    "sizeof",
}  # fmt: skip
# Keys that say nothing without what is in them, and those whose values say nothing without what was there before.
_GENERIC = {
    "env", "with", "if", "run", "name", "type", "id", "description", "uses", "properties", "items", "default", "title",
    "key", "value", "required",
}  # fmt: skip
_UNTELLING = {"name", "run", "description", "title", "if"}
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
# Signs between a name and its value, what else may precede a collection, and what may follow a value.
_ASSIGNING = {"=", ":", ":=", "+="}
_BEFORE_COLLECTION = {*_ASSIGNING, "in", "return", "of", "=>"}
_DECLARING = {"const", "let", "var"}
_ENDING = {*_CLOSING, ",", ";", "{", "#", "/"}
# Signs that are written without a space before them, and without one after them.
_JOINED_TO_PREVIOUS = {",", ";", ":", ")", "]", "}", ".", "=", "?.", "?", "->", ".."}
_JOINED_TO_NEXT = {"(", "[", "{", "!", "~", "@", ".", "=", "?.", "$", "->", "..", "..."}
# Kinds of edits to which the lines below them belong if these are indented more.
_HOLDERS = {"case", "key", "setting"}

# A name with the names that it is reached by: `os.path`, `std::fs`, `x-api-key`.
_NAME = compile_on_use(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::|->|-)[\w$]+)*[!?]?\Z")
_VALUE = compile_on_use(
    r"(?:\"[^\"]*\"|'[^']*'|`[^`]*`|-?[\d.]+\w*|true|false|True|False|null|None|nil|@?[A-Za-z_$][\w$.:>-]*)\Z"
)
_EXPRESSION = compile_on_use(r"&?\*?[\w.$]+(?:\([\w.$, ]*\))?\??\Z")
# A definition with its parameters; names such as `func` and `sub` are not, nor is `export const store = create(a, {`.
_DEFINITION = compile_on_use(
    r"(?:(?:@\w+|public|private|protected|internal|fileprivate|static|async|export|default|declare|inline|virtual|override"
    r"|open|final|abstract|operator|suspend|infix|mutating|local|const|unsafe|pub(?:\([^)]*\))?|extern(?:\s+\"[^\"]*\")?)\s+)*"
    r"(?:(?:def|func|fn|fun|function\*?|sub|proc|macro)\s+[\w$<(]|constructor\s*\()"
    r"|(?:public|private|protected|static|async|export|inline|virtual|override)\b(?!.*=\s*(?:\w+\s+)*[\w.]+\().*\{\Z"
)
# Lines that pass nothing to a function: `#[derive(A)]`, `class A(B)`, `INSERT INTO a (b)`.
_LISTING = compile_on_use(r"(?i)#\[|(?:(?:export|abstract|final|public)\s+)*class\s|(?:insert|create|select|values)\s")
_CONDITION = compile_on_use(r"(?:\}?\s*else\s+)?(?:if|elif|while|unless|return|&&)\b")
_VERSION = compile_on_use(r"[\"'@^~=<>]*v?\d+(?:\.[\w*-]+)*[\"']?\Z|[\"']?[0-9a-f]{7,64}[\"']?\Z")
_REQUIREMENT = compile_on_use(r"(?:[a-z]+-)?[v^~<>= ]{0,4}\d+(?:\.[\w*]+)*(?:[-+][\w.]+)?\Z")
# The name before a type and a value: `limit: int = 3` and, in Go, `limit uint = 3`.
_TYPED_KEY = compile_on_use(
    r"(?:(?:const|var)\s+)?(\w+)(?:\s*:\s*[\w\[\]| .]+=|\s+(?:u?int\d*|float\d+|string|bool|byte|rune)\s*=)"
)
_YAML_ITEM = compile_on_use(r"-\s+[\"']?([^\"':{}\[\]#]{2,50}?)[\"']?(?:\s+#.*)?\Z")
_ITEM = compile_on_use(r"(\"[^\"]{2,60}\"|'[^']{2,60}'|[A-Z][A-Za-z0-9_]{2,40}),?(?:\s+(?:#|//).*)?\Z")
# A colon within quotes is part of a key, as in `"lint:fix"`.
_KEY = compile_on_use(r"(?:-\s+)?([\"']?)([A-Za-z_][\w./:-]{0,50}?)\1\s*(?::(?!//|:)|=(?!=))\s*(.*?)\s*,?\Z")


class _Form(Record):
    """A form of lines that only came or only went, and the kind of the edit that such a line is.

    The first group of `pattern` that matches is the name. If another one is a short value that came, the edit is of
    kind `valued`; with an empty kind nothing else is said. Lines have the form in files of `kinds` with `endings`, if
    there are any, where they have the `sign`.
    """

    kind: str
    pattern: re.Pattern[str]
    sign: str
    kinds: Set[str]
    endings: Set[str] = frozenset()
    valued: str = ""
    # In a block of any length, and indented like its other lines.
    is_outer: bool = False


_FORMS = (
    _Form(
        "alias", compile_on_use(r"alias\s+(?:-[gs]\s+)?([\w.:-]{1,40})="), "=", frozenset(),
        {"sh", "bash", "zsh", "fish"}, is_outer=True,
    ),
    _Form(
        "annotation",
        compile_on_use(r"(@[A-Za-z_][\w.]*|#\[(?:[^\]\n]{2,24}\]|[a-z_:]+(?=[\]( ]))|\[\[?[A-Z][A-Za-z]+(?=[\](]))"),
        "", _CODE,
    ),
    _Form(
        "case",
        compile_on_use(
            r"case\s+[\"']?([\w.:-]{2,60}?)[\"']?(?:\(.{0,60}?\))?(?:\s*\{)?\s*:"
            r"|((?:[A-Z]\w*::)+\w+)\s*(?:\(.{0,40}?\)|\{.{0,40}?\})?\s*=>"
        ),
        ":", {filetypes.SOURCE}, is_outer=True,
    ),
    _Form("argument", compile_on_use(r"(\w{3,40})\s*=\s*(.{1,80}?),\Z"), "=", _WITH_ENTRIES, {"py"}, "value"),
    _Form(
        "item", compile_on_use(r"[\"']?([\w.-]{3,40})[\"']?\s*(?::|=>?)\s*(.{1,80}?),\Z"), ",", _WITH_ENTRIES,
        _ENTRY_ENDINGS, "value",
    ),
    _Form(
        "", compile_on_use(r"((?:\w+(?:\.|->)){1,4}\w+)\s*=\s*([^=\s].{0,40}?);?\Z"), "=", {filetypes.SOURCE},
        valued="value",
    ),
    _Form(
        "call",
        compile_on_use(
            r"(?:await\s+|return\s+await\s+|yield\s+|defer\s+|_\s*=\s*)?(?:self\.|this\.)?"
            r"([A-Za-z_][\w$]*(?:(?:\.|::|->)[A-Za-z_][\w$]*)*!?)\(.*\)[;,?]*\Z"
        ),
        "(", _CODE,
    ),
)  # fmt: skip
# Lines of tables and lists in documents.
_ROW = _Form(
    "row",
    compile_on_use(
        r"\|\s*(?:\|\s*)?(?:\*\*)?\[?`?([^\]|`*]{2,40})`?\]?[^|]*\|"
        r"|[-*+]\s+(?:\*\*)?(?:\[`?([^\]`]{2,50})`?\]\(|`([^`]{2,40})`|([A-Z][\w.+ -]{1,30}?)(?:\s[-–:(]|:|\Z))"
    ),
    "", frozenset(), is_outer=True,
)  # fmt: skip


def list_literals(diff: FileDiff) -> list[LiteralEdit]:
    """Return what came, went or was replaced in the lines of a file, as far as a sentence could name it."""
    file = FileText(diff.change.path)
    paired = pair_file(diff)
    found: list[LiteralEdit] = []
    for replaced in paired.replaced:
        found += _find_replaced(replaced, file)
    for block in paired.came:
        found += _BlockReader(block, file, "added").read()
    for block in paired.went:
        found += _BlockReader(block, file, "removed").read()
    return found


def key_tells_alone(key: str) -> bool:
    """Whether a sentence can say the new value of `key` without the old one."""
    return key not in _UNTELLING


def _find_replaced(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    if is_import(replaced.line):
        return []
    if file.kind == filetypes.DOCUMENTATION and file.is_document:
        return _find_word(replaced, file)
    if replaced.tokens.moved:
        return _find_listed(replaced) or _find_pin(replaced) or _find_condition(replaced)
    return _find_value(replaced, file) or _find_word(replaced, file)


def _find_listed(replaced: Replacement) -> list[LiteralEdit]:
    before, moved, after = replaced.tokens.before, replaced.tokens.moved, replaced.tokens.after
    position = _find_opening(before)
    if position < 1 or not _is_balanced(moved):
        return []
    starts = moved[0] == "," or before[-1] in (*_OPENING, ",") or moved[-1] == ","
    ends = moved[-1] == "," or not after or after[0] in (*_CLOSING, ",")
    pieces = _split_at_commas(moved)
    if not starts or not ends or not 0 < len(pieces) <= _ITEMS:
        return []
    owner = before[position - 1]
    kind, place = "item", ""
    if before[position] == "(" and _NAME.match(owner) and owner not in _NOT_CALLS:
        place = owner
        if _DEFINITION.match(replaced.line):
            kind, place = "parameter", owner.rpartition(".")[2]
        elif not _LISTING.match(replaced.line):
            kind = "argument"
    elif owner in _BEFORE_COLLECTION:
        place = _name_collection(replaced, position)
    else:
        return []
    write = _name_parameter if kind == "parameter" else _write_argument
    words = list(map(write, pieces))
    if not all(words):
        return []
    return _make_each(replaced, kind, words, place)


def _name_parameter(piece: Sequence[str]) -> str:
    """Return the name in `name: Type`, `name = value`, `name Type` or `Type name`; empty if it is unclear."""
    for sign in (":", "="):
        if sign in piece[1:]:
            return _match_name(piece[piece.index(sign, 1) - 1])
    return _match_name(piece[-1]) if len(piece) <= 2 else ""


def _match_name(token: str) -> str:
    if _NAME.match(token):
        return token
    return ""


def _write_argument(piece: Sequence[str]) -> str:
    """Return an argument or item as it is written, without the value if that is long; empty if it says nothing."""
    text = _join_tokens(piece)
    if not tells_alone(text):
        return ""
    if len(piece) >= 3 and piece[1] == "=" and _NAME.match(piece[0]) and len(text) > _ARGUMENT_LENGTH:
        return piece[0]
    if len(piece) >= 3 and piece[1] == "=" and _NAME.match(piece[0]):
        return text
    if len(piece) >= 3 and piece[1] == ":":
        return _name_key(piece[0])
    if len(text) <= _VALUE_LENGTH and (_VALUE.match(text) or _NAME.match(text) or _EXPRESSION.match(text)):
        return strip_quotes(text)
    return ""


def _name_key(token: str) -> str:
    if token[0] in "\"'":
        return strip_quotes(token)
    return _match_name(token)


def _name_collection(replaced: Replacement, position: int) -> str:
    """Return the key or variable, and what that is in, to which the collection is assigned that opens at `position`."""
    before = replaced.tokens.before
    if position < 2 or before[position - 1] not in _ASSIGNING:
        return ""
    name = _find_typed_key(replaced, before[position - 1]) or _name_key(before[position - 2])
    outer = _find_opening(before[: position - 2])
    if name and outer > 1 and before[outer] == "{" and before[outer - 1] in _ASSIGNING:
        return f"{name} of {_name_key(before[outer - 2])}".removesuffix(" of ")
    return name


def _find_pin(replaced: Replacement) -> list[LiteralEdit]:
    before, come = replaced.tokens.before, replaced.tokens.come
    if not before or not "".join(come).startswith("@sha256:"):
        return []
    image = before[-1]
    if before[-2:-1] == [":"] and len(before) > 3:
        image = before[-3]
    return _make_each(replaced, "pin", [strip_quotes(image)])


def _find_condition(replaced: Replacement) -> list[LiteralEdit]:
    come = replaced.tokens.come
    if not come or come[0] not in ("&&", "and") or not _CONDITION.match(replaced.line) or not _is_balanced(come):
        return []
    text = _join_tokens(come[1:])
    if not 0 < len(text) <= _CONDITION_LENGTH:
        return []
    return _make_each(replaced, "condition", [text])


def _find_value(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    key = _find_key(replaced, file)
    old, new = _join_tokens(replaced.tokens.gone), _join_tokens(replaced.tokens.come)
    if not key or len(new) > _VALUE_LENGTH:
        return []
    if file.ending in _KEYED:
        old, new = old.strip("\"'"), new.strip("\"'")
    old, new = strip_quotes(old), strip_quotes(new)
    if not new or new in (key, old):
        return []
    if file.kind in _WITH_VERSIONS and "." in old and _REQUIREMENT.match(old) and _REQUIREMENT.match(new):
        # It is said as a bump: `ubuntu-22.04` to `ubuntu-24.04`.
        return []
    if not key_tells_alone(key) and len(old + new) > _PAIR_LENGTH:
        return []
    return [_make(replaced, "value", old, new, name=key)]


def _find_key(replaced: Replacement, file: FileText) -> str:
    """Return the name that the replaced tokens are the value of; empty if they are none, or a version."""
    tokens = replaced.tokens
    before, after = tokens.before, tokens.after
    if len(before) < 2 or before[-1] not in _ASSIGNING or (after and after[0] not in _ENDING):
        return ""
    # With a sign between them, these are several keys with their values.
    if max(len(tokens.gone), len(tokens.come)) > _LITERAL_TOKENS or not _ASSIGNING.isdisjoint(
        (*tokens.gone, *tokens.come)
    ):
        return ""
    is_plain = before[-1] != ":" or file.ending in _KEYED or before[-2][0] in "'\""
    if not is_plain and (file.ending not in _WITH_COLONS or not _VALUE.match(_join_tokens(tokens.come))):
        # It is a type, or a part of an expression.
        return ""
    key = _find_typed_key(replaced, before[-1]) or _match_name(strip_quotes(before[-2]))
    # A version is said as a bump.
    if key in _DECLARING or is_versioned(key) or key.lower().endswith("version"):
        return ""
    return key


def _find_typed_key(replaced: Replacement, sign: str) -> str:
    """Return the name before a type and the `sign` before a value; empty if there is no type."""
    found = _TYPED_KEY.match(replaced.line)
    if sign == "=" and found:
        return found[1]
    return ""


def _find_word(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the token that was replaced, unless it is a version, which is said as a bump, or a part of prose."""
    if len(replaced.tokens.gone) != 1 or len(replaced.tokens.come) != 1:
        return []
    old, new = replaced.tokens.gone[0], replaced.tokens.come[0]
    if max(len(old), len(new)) > _LITERAL_LENGTH or not tells_alone(old) or not tells_alone(new):
        return []
    if _VERSION.match(old) and _VERSION.match(new):
        return []
    quoted = old[0] in "\"'" and new[0] in "\"'"
    bare, bare_new = strip_quotes(old), strip_quotes(new)
    if bare == bare_new or (quoted and (" " in old or " " in new or (bare == old and bare_new == new))):
        return []
    # Two plain words of prose are a matter of style.
    if file.is_document and (old.lower() == new.lower() or (_is_plain_word(old) and _is_plain_word(new))):
        return []
    return [_make(replaced, "word", bare, bare_new)]


def _is_plain_word(text: str) -> bool:
    return text.isalpha() and text.islower()


def _make(
    replaced: Replacement, kind: str, old: str, new: str, *, name: str | None = None, place: str = ""
) -> LiteralEdit:
    edit = LiteralEdit(kind, old, new, name, place, replaced.lines, replaced.line, replaced.context)
    if not new:
        edit.line = replaced.old_line
    return edit


def _make_each(replaced: Replacement, kind: str, words: Sequence[str], place: str = "") -> list[LiteralEdit]:
    """Return an edit for each of the words that came, or went, in one place; each explains a part of the lines."""
    found = []
    for word in words:
        if replaced.tokens.come:
            edit = _make(replaced, kind, "", word, place=place)
        else:
            edit = _make(replaced, kind, word, "", place=place)
        edit.lines /= len(words)
        found.append(edit)
    return found


class _BlockReader:
    """Reads the lines of a block that only came (side "added") or went, one after the other."""

    def __init__(self, block: Block, file: FileText, side: Side) -> None:
        self._lines = block.lines
        self._context = block.context
        self._file = file
        self._language = find_language(file.path)
        self._side = side
        # The indentation of the lines that are named: what is indented more is part of those.
        self._indent = block.indent
        # Lines that open what the next ones are in, which are explained with it.
        self._opening = 0

    def read(self) -> list[LiteralEdit]:
        found: list[LiteralEdit] = []
        holder: LiteralEdit | None = None
        for position, (indent, line) in enumerate(self._lines):
            if holder is not None and indent > self._indent:
                # The line belongs to the key or case above.
                holder.lines += 1
                continue
            edits = self._read_line(position, line)
            holder = None
            if edits:
                edits[0].lines += self._opening
                self._opening = 0
                found += edits
            if edits and edits[-1].kind in _HOLDERS:
                holder = edits[-1]
        return found

    def _read_line(self, position: int, line: str) -> list[LiteralEdit]:
        file = self._file
        if is_import(line) or (self._language.name == "go" and self._language.imports_on(line)):
            return []
        if file.is_document:
            return self._read_form(_ROW, line)
        item = key = None
        if file.ending in _KEYED:
            item, key = _YAML_ITEM.match(line), _KEY.match(line)
        if item is None and (line[0] in "\"'" or line[0].isupper()):
            item = _ITEM.match(line)
        if item is not None:
            return self._read_item(position, item[1], line)
        if key and self._lines[position][0] == self._indent:
            return self._read_key(position, key[2], key[3].strip(" ,"), line)
        for form in _FORMS:
            found = self._read_form(form, line)
            if found:
                return found
        return []

    def _make(self, kind: str, word: str, line: str, *, name: str | None = None) -> LiteralEdit:
        edit = LiteralEdit(kind, "", word, name, "", 1, line, self._context)
        if self._side == "removed":
            edit.old, edit.new = word, ""
        return edit

    def _read_item(self, position: int, text: str, line: str) -> list[LiteralEdit]:
        is_prose = self._file.kind in _CODE and text.count(" ") > 1
        if is_prose or is_import([self._context, *map(itemgetter(1), self._lines)][position]):
            return []
        return [self._make("item", strip_quotes(text), line)]

    def _read_key(self, position: int, key: str, value: str, line: str) -> list[LiteralEdit]:
        if line.startswith("-") or any(text.startswith("[") for _, text in self._lines[:position]):
            # It is part of an entry or a section that came or went, beside others with such a key.
            return []
        if key in _GENERIC:
            if not value and position + 1 < len(self._lines):
                # What is in it says more.
                self._indent = max(self._indent, self._lines[position + 1][0])
                self._opening += 1
            return []
        if self._side == "added" and _is_short_value(value):
            return [self._make("setting", strip_quotes(value), line, name=key)]
        return [self._make("key", key, line)]

    def _read_form(self, form: _Form, line: str) -> list[LiteralEdit]:
        is_detail = len(self._lines) > _LINES_OF_CODE and not form.is_outer
        if is_detail or form.sign not in line or (form.kinds and self._file.kind not in form.kinds):
            return []
        found = None
        if not form.endings or self._file.ending in form.endings:
            found = form.pattern.match(line)
        if not found:
            return []
        name, *values = filter(None, found.groups())
        if form.valued and self._side == "added" and _is_short_value(values[0]):
            return [self._make(form.valued, strip_quotes(values[0]), line, name=name)]
        if form.kind == "call" and (name in _NOT_CALLS or len(name.rpartition(".")[2]) < _CALL_LENGTH):
            return []
        if form.kind == "annotation":
            name += "]" * (name.count("[") - name.count("]"))
        if not form.kind:
            return []
        return [self._make(form.kind, name.strip(), line)]


def _is_short_value(value: str) -> bool:
    return 0 < len(value) <= _ITEM_LENGTH and _VALUE.match(value) is not None and not value.startswith("$")


def _is_balanced(tokens: Sequence[str]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth < 0:
            return False
    return depth == 0


def _join_tokens(tokens: Sequence[str]) -> str:
    text = previous = ""
    for token in tokens:
        is_joined = token in _JOINED_TO_PREVIOUS or previous in _JOINED_TO_NEXT or text in ("", "&", "*")
        if not is_joined and not (token in ("(", "[") and (previous[-1].isalnum() or previous[-1] == "_")):
            text += " "
        text += token
        previous = token
    return text


def _find_opening(tokens: Sequence[str]) -> int:
    """Return the position of the innermost bracket that is open at the end of `tokens`, or -1."""
    depth = 0
    for position in range(len(tokens) - 1, -1, -1):
        depth += (tokens[position] in _CLOSING) - (tokens[position] in _OPENING)
        if depth < 0:
            return position
    return -1


def _split_at_commas(tokens: Sequence[str]) -> list[list[str]]:
    """Return the tokens between commas outside of brackets; no part is empty."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in (*_OPENING, "<")) - (token in (*_CLOSING, ">"))
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return list(filter(None, parts))
