"""Literal edits in replaced lines: arguments, items, values, conditions and other tokens that came, went or differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smartcommit.change import filetypes
from smartcommit.change.edited_lines import Replacement
from smartcommit.change.edits import LiteralEdit
from smartcommit.change.text import FileText, is_import
from smartcommit.patterns import compile_on_use

# Endings of files that hold keys and values.
KEYED = {
    "yml", "yaml", "toml", "ini", "cfg", "conf", "json", "json5", "jsonc", "properties", "editorconfig", "env",
}  # fmt: skip
# Endings of scripts whose lines are commands, and the start of a line that runs a common one.
SHELL_ENDINGS = {"sh", "bash", "zsh", "fish"}
COMMAND = (
    r"(?:RUN |-?\s*run: )?((?:sudo |\./)?(?:git|npm|npx|pnpm|yarn|bun|deno|node|corepack|pip|uv|poetry|pdm|tox|nox"
    r"|pytest|python3?|cargo|rustup|go|make|cmake|docker|helm|kubectl|apt|apt-get|apk|brew|gem|bundle|mvn|dotnet|mkdir"
    r"|rm|cp|mv|chmod|\w+\.sh))(?=\s)"
)
# What looks like a call, but is part of the language, or an assertion.
NOT_CALLS = {
    "if", "for", "while", "switch", "return", "assert", "print", "catch", "elif", "super", "expect", "Some", "Ok",
    "Err", "and", "or", "not", "in", "format", "require", "println!", "vec!", "assert!", "assert_eq!", "foreach",
    "with", "function", "match", "case", "else", "await", "yield", "func", "fn", "def", "lambda", "typeof", "sizeof",
}  # fmt: skip
# Keys whose values say nothing without what was there before.
_UNTELLING = {"name", "run", "description", "title", "if"}
# Keys of versions and hashes: what is said of them is said as a bump.
_VERSIONED = {
    "revision", "rev", "version", "ref", "tag", "sha", "commit", "hash", "appversion", "sha256", "digest", "checksum",
    "integrity", "resolved", "uses", "image",
}  # fmt: skip
# Values in lists of what a release changes, which say what the rest of the change does.
_KINDS_OF_CHANGES = {"added", "changed", "deprecated", "fixed", "removed", "security"}
_ASSIGNING = {"=", ":", ":=", "+="}
# What may follow a value: the end of the expression, a block or a comment.
_ENDING = {",", ")", ";", "}", "]", "{", "#", "/"}
# Endings of the source in which a colon stands before values.
_COLON_ENDINGS = {"js", "ts", "tsx", "jsx", "py", "lua", "dart", "rb", "mjs", "cjs", "mts", "vue", "svelte"}
# Those of them in which it also stands before types.
_TYPED_ENDINGS = {"py", "ts", "tsx", "mts", "pyi", "rs", "kt", "swift", "scala"}
# Maximum characters of a value, an argument with its value, a wrapped expression, a condition, and of two literals.
_VALUE_LENGTH, _ARGUMENT_LENGTH, _WRAPPED_LENGTH, _CONDITION_LENGTH, _PAIR_LENGTH = 48, 28, 40, 60, 48
# Maximum characters of a type.
_TYPE_LENGTH = 36
# Maximum tokens of a value.
_VALUE_TOKENS = 6
# Maximum characters and tokens of a literal that is replaced.
_LITERAL_LENGTH, _LITERAL_TOKENS = 45, 5
# Items that one sentence can list.
_ITEMS = 3

_NAME = compile_on_use(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::|->|-)[\w$]+)*[!?]?\Z")
_VALUE = compile_on_use(
    r"(?:\"[^\"]*\"|'[^']*'|`[^`]*`|-?[\d.]+\w*|true|false|True|False|null|None|nil|@?[A-Za-z_$][\w$.:>-]*)\Z"
)
_EXPRESSION = compile_on_use(r"&?\*?[\w.$]+(?:\([\w.$, ]*\))?\??\Z")
_ONE_WORD = compile_on_use(r"[\w@./:+*%^~-]{1,40}\Z")
_DEFINITION = compile_on_use(
    r"\b(?:def|func|fn|fun|function|sub|proc|constructor|macro)\b"
    r"|^(?:public|private|protected|static|async|export|inline|virtual|override)\b.*\{\Z"
)
_CONDITION = compile_on_use(r"(?:\}?\s*else\s+)?(?:if|elif|while|unless|return|&&)\b")
_OPTION = compile_on_use(r"--[a-z][\w-]+\Z|-[a-zA-Z]\w*\Z")
_VERSION = compile_on_use(r"[\"'@^~=<>]*v?\d+(?:\.[\w*-]+)*[\"']?\Z|[\"']?[0-9a-f]{7,64}[\"']?\Z")
_NUMBER = compile_on_use(r"(?:[a-z]+-)?[v^~<>= ]{0,4}\d+(?:\.[\w*]+)*(?:[-+][\w.]+)?\Z")
# A type that is no value: a simple one, or one with parameters or alternatives.
_TYPE = compile_on_use(
    r"&?(?:str|int|bool|float|bytes|string|number|boolean|usize|[iuf]\d+|[A-Z][\w.]*\??)\Z"
    r"|[\w.&' ]+(?:<.+>|\[.+\]|\|.+)\??\Z"
)
_POINTED = compile_on_use(r"\d\.\d")
_TYPED_KEY = compile_on_use(r"(\w+)\s*:\s*[\w\[\]| .]+=")
_STARTS_WHOLE = compile_on_use(r"[\w\"'@$&*-]")
_ENDS_WHOLE = compile_on_use(r".*[\w)\"'\]]\Z")
_LETTER = compile_on_use(r"\w")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
# Signs that are written without a space before them, and without one after them.
_JOINED_TO_PREVIOUS = {",", ";", ":", ")", "]", "}", ".", "=", "?.", "?", "->", ".."}
_JOINED_TO_NEXT = {"(", "[", "{", "!", "~", "@", ".", "=", "?.", "$", "->", "..", "..."}
_LINE_OF_COMMAND = compile_on_use(COMMAND)
_FILE_OF_WORDS = compile_on_use(rb"(?:^|/)(?:CODEOWNERS|\.gitattributes)\Z")
_WORD_OF_LINE = compile_on_use(r"[\"'@A-Za-z][\w@./:<>=\"',~^*-]{1,40}\Z")
# Tokens of a word of a command, such as `a.b/c@1.2`.
_WORD_TOKENS = 6
_COMMAND_WORD = compile_on_use(r"[a-z][a-z0-9_-]*\Z")
# Words of a command that are named, and tokens after which one begins.
_COMMAND_WORDS = 3
_COMMAND_STARTS = {"|", "&&", "||", ";", ":", "(", "`", "-", "RUN", "=", "{", "}"}


def find_replaced(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the literals in which replaced lines differ; empty if no sentence could name them."""
    if file.kind == filetypes.DOCUMENTATION and file.is_document:
        return _find_word(replaced, file)
    if is_import(replaced.line):
        return _find_import(replaced)
    for find in _FINDERS:
        found = find(replaced, file)
        if found:
            return found
    return []


def strip_quotes(token: str) -> str:
    """Return a literal without its quotes if it is one word."""
    if len(token) > 2 and token[0] == token[-1] and token[0] in "\"'" and _ONE_WORD.match(token[1:-1]):
        return token[1:-1]
    return token


def is_value(text: str) -> bool:
    """Whether `text` is a string, a number, a constant or a name."""
    return _VALUE.match(text) is not None


def is_definition(line: str) -> bool:
    """Whether `line` defines a function, in any of the usual languages."""
    return _DEFINITION.search(line) is not None


def is_balanced(tokens: Sequence[str]) -> bool:
    """Whether every bracket in `tokens`, or in a text, is closed in them."""
    depth = 0
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth < 0:
            return False
    return depth == 0


def tells_alone(key: str) -> bool:
    """Whether a sentence can say the new value of `key` without the old one."""
    return key not in _UNTELLING


def join_tokens(tokens: Sequence[str]) -> str:
    """Return tokens as they are written in code."""
    text = previous = ""
    for token in tokens:
        if text and text not in ("&", "*") and _needs_space(previous, token):
            text += " "
        text += token
        previous = token
    return text


def _needs_space(previous: str, token: str) -> bool:
    if token in _JOINED_TO_PREVIOUS or previous in _JOINED_TO_NEXT:
        return False
    return not (token in ("(", "[") and _LETTER.match(previous[-1]))


def _make(
    replaced: Replacement, kind: str, old: str, new: str, *, name: str | None = None, place: str = ""
) -> LiteralEdit:
    line = replaced.line if new else replaced.old_line
    return LiteralEdit(kind, old, new, name, False, place, replaced.lines, line, replaced.context)


def _make_each(replaced: Replacement, kind: str, words: Sequence[str], *, place: str = "") -> list[LiteralEdit]:
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


def _find_listed(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the arguments, parameters or items that came or went between brackets."""
    tokens = replaced.tokens
    if tokens.come and tokens.gone:
        return []
    moved = tokens.come or tokens.gone
    position = _find_opening(tokens.before)
    if position < 1 or not is_balanced(moved):
        return []
    starts = moved[0] == "," or tokens.before[-1] in (*_OPENING, ",") or moved[-1] == ","
    ends = moved[-1] == "," or not tokens.after or tokens.after[0] in (*_CLOSING, ",")
    pieces = _split_at_commas(moved)
    if not starts or not ends or not 0 < len(pieces) <= _ITEMS:
        return []
    sign, owner = tokens.before[position], tokens.before[position - 1]
    if sign == "(" and _NAME.match(owner) and owner not in NOT_CALLS:
        return _list_arguments(replaced, owner, pieces)
    return _list_items(replaced, position, pieces)


def _list_arguments(replaced: Replacement, owner: str, pieces: Sequence[Sequence[str]]) -> list[LiteralEdit]:
    if is_definition(replaced.line):
        names = list(filter(None, map(_name_parameter, pieces)))
        if len(names) < len(pieces):
            return []
        return _make_each(replaced, "parameter", names, place=owner.rpartition(".")[2])
    words = list(filter(None, map(_write_argument, pieces)))
    if len(words) < len(pieces):
        return []
    # `#[derive(A)]` passes nothing to a function.
    kind = "item" if replaced.line.startswith("#[") else "argument"
    return _make_each(replaced, kind, words, place=owner)


def _name_parameter(piece: Sequence[str]) -> str:
    """Return the name in `name: Type`, `name = value`, `name Type` or `Type name`; empty if it is unclear."""
    for sign in (":", "="):
        if sign in piece[1:]:
            name = piece[piece.index(sign, 1) - 1]
            return name if _NAME.match(name) else ""
    name = piece[-1]
    return name if len(piece) <= 2 and _NAME.match(name) else ""


def _write_argument(piece: Sequence[str]) -> str:
    """Return an argument or item as it is written, without the value if that is long; empty if it is an expression."""
    text = join_tokens(piece)
    if len(piece) >= 3 and piece[1] == "=" and _NAME.match(piece[0]):
        return text if len(text) <= _ARGUMENT_LENGTH else piece[0]
    if len(piece) >= 3 and piece[1] == ":":
        return strip_quotes(piece[0]) if _NAME.match(piece[0]) or piece[0][0] in "\"'" else ""
    if len(text) <= _VALUE_LENGTH and (is_value(text) or _NAME.match(text) or _EXPRESSION.match(text)):
        return strip_quotes(text)
    return ""


def _list_items(replaced: Replacement, position: int, pieces: Sequence[Sequence[str]]) -> list[LiteralEdit]:
    """Return the items of a list or the like; empty if the bracket is another one, such as that of an index."""
    before = replaced.tokens.before
    if before[position - 1] not in (*_ASSIGNING, "in", "return", "of", "=>"):
        return []
    name = _name_collection(before, position)
    typed = _TYPED_KEY.match(replaced.line)
    if typed and before[position - 1] == "=":
        name = typed[1]
    outer = _find_opening(before[: max(0, position - 2)])
    if name and outer > 0 and before[outer] == "{":
        holder = _name_collection(before, outer)
        name = f"{name} of {holder}" if holder else name
    words = list(filter(None, map(_write_argument, pieces)))
    if len(words) < len(pieces):
        return []
    if any("=" in word for word in words):
        return _list_settings(replaced, words, name)
    return _make_each(replaced, "item", words, place=name)


def _name_collection(before: Sequence[str], position: int) -> str:
    """Return the key or variable to which the collection is assigned that opens at `position`; empty if none."""
    if position < 2 or before[position - 1] not in _ASSIGNING:
        return ""
    name = before[position - 2]
    return strip_quotes(name) if _NAME.match(name) or name[0] in "'\"" else ""


def _list_settings(replaced: Replacement, words: Sequence[str], place: str) -> list[LiteralEdit]:
    if len(words) > 1:
        return []
    key, _, value = words[0].partition("=")
    value = strip_quotes(value.strip())
    if replaced.tokens.come:
        return [_make(replaced, "value", "", value, name=key.strip(), place=place)]
    return [_make(replaced, "value", value, "", name=key.strip(), place=place)]


def _find_option(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return an option of a command line, with its value, that came or went."""
    tokens = replaced.tokens
    moved = tokens.come or tokens.gone
    if (tokens.come and tokens.gone) or not 1 <= len(moved) <= 3 or not _OPTION.match(moved[0]):
        return []
    return _make_each(replaced, "argument", [join_tokens(moved)], place=_find_command(tokens.before))


def _find_command(before: Sequence[str]) -> str:
    """Return the command that has the tokens `before` so far, with its subcommands: `cargo test`; empty if unclear."""
    start = len(before)
    while start > 0 and before[start - 1] not in _COMMAND_STARTS:
        start -= 1
    words = []
    for word in before[start : start + _COMMAND_WORDS]:
        if not _COMMAND_WORD.match(word):
            break
        words.append(word)
    return " ".join(words)


def _find_word_of_line(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return a word that came or went in a command, or in a line of a file of words such as `.gitattributes`."""
    tokens = replaced.tokens
    moved = tokens.come or tokens.gone
    if (tokens.come and tokens.gone) or not tokens.before or len(moved) > _WORD_TOKENS or replaced.lines > 1:
        return []
    text = "".join(moved)
    if not _WORD_OF_LINE.match(text) or file.kind == filetypes.DOCUMENTATION:
        return []
    if _LINE_OF_COMMAND.match(replaced.line):
        return _make_each(replaced, "argument", [text], place=_find_command(tokens.before))
    return _make_each(replaced, "item", [text]) if _FILE_OF_WORDS.search(file.path) else []


def _find_pin(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the image that is now pinned to a digest."""
    tokens = replaced.tokens
    if tokens.gone or not tokens.before or not "".join(tokens.come).startswith("@sha256:"):
        return []
    image = tokens.before[-1]
    if tokens.before[-2:-1] == [":"] and len(tokens.before) > 3:
        image = tokens.before[-3]
    return _make_each(replaced, "pin", [strip_quotes(image)])


def _find_condition(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return a condition that has to be met as well now."""
    tokens = replaced.tokens
    come = tokens.come
    if tokens.gone or not _CONDITION.match(replaced.line) or not is_balanced(come):
        return []
    if come[0] not in ("&&", "and"):
        return []
    text = join_tokens(come[1:])
    return _make_each(replaced, "condition", [text]) if 0 < len(text) <= _CONDITION_LENGTH else []


def _find_call(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the method that is now called on what stood there, or not any more: `.strip()`."""
    tokens = replaced.tokens
    moved = tokens.come or tokens.gone
    if (tokens.come and tokens.gone) or len(moved) < 4 or moved[0] not in (".", "?.") or moved[2] != "(":
        return []
    name = moved[1]
    if not _NAME.match(name) or moved[-1] not in (")", "?") or not is_balanced(moved) or moved.count("(") > 1:
        return []
    return _make_each(replaced, "call", [name])


def _find_wrap(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the function that now takes what stood in its place: `old` is that, `new` the function."""
    gone, come = replaced.tokens.gone, replaced.tokens.come
    if not gone or not len(gone) + 3 <= len(come) <= len(gone) + 8:
        return []
    taken = list(come[2 : 2 + len(gone)])
    if come[1] != "(" or come[-1] != ")" or not _NAME.match(come[0]) or taken != list(gone):
        return []
    wrapped = join_tokens(gone)
    if come[0] in NOT_CALLS or len(wrapped) > _WRAPPED_LENGTH or not _LETTER.search(wrapped):
        return []
    return [_make(replaced, "wrap", wrapped, come[0])]


def _find_value(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the value that a key, a parameter or a variable has now."""
    key = _find_key(replaced)
    old, new = join_tokens(replaced.tokens.gone), join_tokens(replaced.tokens.come)
    if not key or len(new) > _VALUE_LENGTH or not _may_be_value(replaced, file, new):
        return []
    if file.ending in KEYED:
        old, new = old.strip("\"'"), new.strip("\"'")
    old, new = strip_quotes(old), strip_quotes(new)
    if not new or new in (key, old) or new in _KINDS_OF_CHANGES or _is_bump(key, old, new, file):
        return []
    if not tells_alone(key) and len(old + new) > _PAIR_LENGTH:
        return []
    kind = "default" if is_definition(replaced.line) else "value"
    return [_make(replaced, kind, old, new, name=key, place=_find_function(replaced))]


def _find_type(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the type that a parameter, a field or a variable has now."""
    key = _find_key(replaced)
    if not key or replaced.tokens.before[-1] != ":" or file.ending not in _TYPED_ENDINGS:
        return []
    old, new = _join_type(replaced.tokens.gone), _join_type(replaced.tokens.come)
    if max(len(old), len(new)) > _TYPE_LENGTH or not _TYPE.match(old) or not _TYPE.match(new):
        return []
    return [_make(replaced, "type", old, new, name=key)]


def _join_type(tokens: Sequence[str]) -> str:
    """Return a type as it is written: `Option<String>`."""
    return "".join(tokens).replace(",", ", ").replace("|", " | ")


def _find_key(replaced: Replacement) -> str:
    """Return the name that the replaced tokens are the value or the type of; empty if they are none, or a version."""
    tokens = replaced.tokens
    before, after = tokens.before, tokens.after
    if not tokens.gone or not tokens.come or len(before) < 2 or before[-1] not in _ASSIGNING:
        return ""
    if max(len(tokens.gone), len(tokens.come)) > _VALUE_TOKENS or (after and after[0] not in _ENDING):
        return ""
    key = strip_quotes(before[-2])
    typed = _TYPED_KEY.match(replaced.line)
    if before[-1] == "=" and typed:
        key = typed[1]
    if not _NAME.match(key) or key in ("const", "let", "var") or key.lower() in _VERSIONED:
        return ""
    return key


def _may_be_value(replaced: Replacement, file: FileText, new: str) -> bool:
    """Whether `new` is a value rather than a type, or a part of an expression."""
    before = replaced.tokens.before
    if before[-1] != ":" or file.ending in KEYED:
        return True
    if is_definition(replaced.line) or file.ending not in _COLON_ENDINGS:
        return False
    if file.ending in ("py", "pyi"):
        # A bare name before a colon has a type, and a quoted one a value.
        return before[-2][0] in "'\""
    return file.ending not in _TYPED_ENDINGS or is_value(new)


def _is_bump(key: str, old: str, new: str, file: FileText) -> bool:
    """Whether a value is the version of something, which is said as a bump."""
    if not _NUMBER.match(old) or not _NUMBER.match(new):
        return False
    if key.lower().endswith("version") or min(old.count("."), new.count(".")) > 1:
        return True
    return "." in old and file.kind in (filetypes.MANIFEST, filetypes.BUILD, filetypes.CI)


def _find_function(replaced: Replacement) -> str:
    """Return the function that the line defines; empty if it defines none."""
    before = replaced.tokens.before
    position = _find_opening(before)
    if position < 1 or before[position] != "(" or not is_definition(replaced.line):
        return ""
    return before[position - 1] if _NAME.match(before[position - 1]) else ""


def _find_word(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the token or the few tokens that were replaced."""
    gone, come = replaced.tokens.gone, replaced.tokens.come
    if not gone or not come:
        return []
    if len(gone) == len(come) == 1:
        return _find_token(replaced, gone[0], come[0], file)
    # What stands on several lines is more than one thing.
    if file.is_document or replaced.lines > 1 or max(len(gone), len(come)) > _LITERAL_TOKENS or "=" in gone:
        return []
    old, new = join_tokens(gone), join_tokens(come)
    if len(old) + len(new) > _PAIR_LENGTH or (" " in old and " " in new):
        return []
    if not all(map(_is_whole, (gone, come), (old, new))):
        return []
    return [_make(replaced, "word", old, new)]


def _is_whole(tokens: Sequence[str], text: str) -> bool:
    """Whether tokens, which are written as `text`, are a whole expression."""
    if not is_balanced(tokens) or "\\" in text:
        return False
    return _STARTS_WHOLE.match(text) is not None and _ENDS_WHOLE.match(text) is not None


def _find_token(replaced: Replacement, old: str, new: str, file: FileText) -> list[LiteralEdit]:
    """Return the token that was replaced, unless it is a version, which is said as a bump, or a part of prose."""
    if max(len(old), len(new)) > _LITERAL_LENGTH or not _LETTER.search(old) or not _LETTER.search(new):
        return []
    if _VERSION.match(old) and _VERSION.match(new):
        return []
    if file.kind == filetypes.MANIFEST and _POINTED.search(old) and _POINTED.search(new):
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


def _find_import(replaced: Replacement) -> list[LiteralEdit]:
    """Return the names that are imported now, or not any more, or from elsewhere."""
    tokens = replaced.tokens
    if len(tokens.gone) == len(tokens.come) == 1:
        old, new = strip_quotes(tokens.gone[0]), strip_quotes(tokens.come[0])
        kind = "import source" if tokens.come[0][0] in "\"'" else "import"
        return [_make(replaced, kind, old, new)]
    if tokens.gone and tokens.come:
        return []
    names = list(filter(_NAME.match, tokens.come or tokens.gone))
    if not 0 < len(names) <= _ITEMS or "as" in names:
        return []
    return _make_each(replaced, "import", names)


_FINDERS: Sequence[Callable[[Replacement, FileText], list[LiteralEdit]]] = (
    _find_listed, _find_option, _find_pin, _find_condition, _find_call, _find_wrap, _find_type, _find_value,
    _find_word_of_line, _find_word,
)  # fmt: skip


def _find_opening(tokens: Sequence[str]) -> int:
    """Return the position of the innermost bracket that is open at the end of `tokens`, or -1."""
    depth = 0
    for position in range(len(tokens) - 1, -1, -1):
        if tokens[position] in _CLOSING:
            depth += 1
        elif tokens[position] in _OPENING:
            if depth == 0:
                return position
            depth -= 1
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
