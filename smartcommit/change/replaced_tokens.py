"""Literal edits in replaced lines: arguments, items, conditions and other tokens that came, went or differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smartcommit.change import filetypes
from smartcommit.change.edits import (
    CLOSING,
    NAME,
    NOT_CALLS,
    OPENING,
    LiteralEdit,
    Replacement,
    find_opening,
    is_balanced,
    is_definition,
    is_value,
    join_tokens,
    split_at_commas,
    strip_quotes,
    tells_alone,
)
from smartcommit.change.text import ALPHANUMERIC, FileText, is_import
from smartcommit.patterns import compile_on_use

# Endings of scripts whose lines are commands, and the start of a line that runs a common one.
SHELL_ENDINGS = {"sh", "bash", "zsh", "fish"}
COMMAND = (
    r"(?:RUN |-?\s*run: )?((?:sudo |\./)?(?:git|npm|npx|pnpm|yarn|bun|deno|node|corepack|pip|uv|poetry|pdm|tox|nox"
    r"|pytest|python3?|cargo|rustup|go|make|cmake|docker|helm|kubectl|apt|apt-get|apk|brew|gem|bundle|mvn|dotnet|mkdir"
    r"|rm|cp|mv|chmod|\w+\.sh))(?=\s)"
)
# Maximum characters of an argument with its value, a wrapped expression, and a condition.
_ARGUMENT_LENGTH, _WRAPPED_LENGTH, _CONDITION_LENGTH = 28, 40, 60
# Maximum characters and tokens of a literal that is replaced.
_LITERAL_LENGTH, _LITERAL_TOKENS = 45, 5
# Items that one sentence can list.
_ITEMS = 3

_EXPRESSION = compile_on_use(r"&?\*?[\w.$]+(?:\([\w.$, ]*\))?\??\Z")
_CONDITION = compile_on_use(r"(?:\}?\s*else\s+)?(?:if|elif|while|unless|return|&&)\b")
_OPTION = compile_on_use(r"--[a-z][\w-]+\Z|-[a-zA-Z]\w*\Z")
_VERSION = compile_on_use(r"[\"'@^~=<>]*v?\d+(?:\.[\w*-]+)*[\"']?\Z|[\"']?[0-9a-f]{7,64}[\"']?\Z")
_POINTED = compile_on_use(r"\d\.\d")
_STARTS_WHOLE = compile_on_use(r"[\w\"'@$&*-]")
_ENDS_WHOLE = compile_on_use(r".*[\w)\"'\]]\Z")
_LINE_OF_COMMAND = compile_on_use(COMMAND)
_FILE_OF_WORDS = compile_on_use(rb"(?:^|/)(?:CODEOWNERS|\.gitattributes)\Z")
_WORD_OF_LINE = compile_on_use(r"[\"'@A-Za-z][\w@./:<>=\"',~^*-]{1,40}\Z")
# Tokens of a word of a command, such as `a.b/c@1.2`.
_WORD_TOKENS = 6
_COMMAND_WORD = compile_on_use(r"[a-z][a-z0-9_-]*\Z")
# Words of a command that are named, and tokens after which one begins.
_COMMAND_WORDS = 3
_COMMAND_STARTS = {"|", "&&", "||", ";", ":", "(", "`", "-", "RUN", "=", "{", "}"}
# Endings of files that hold keys and values.
KEYED = {
    "yml", "yaml", "toml", "ini", "cfg", "conf", "json", "json5", "jsonc", "properties", "editorconfig", "env",
}  # fmt: skip
# Maximum characters of a value, and of two literals.
_VALUE_LENGTH, _PAIR_LENGTH = 48, 48
# Signs between a name and its value.
_ASSIGNING = {"=", ":", ":=", "+="}
# Keys whose values say nothing without what was there before.
_UNTELLING = {"name", "run", "description", "title", "if"}
# Keys of versions and hashes: what is said of them is said as a bump.
VERSIONED = {
    "revision", "rev", "version", "ref", "tag", "sha", "commit", "hash", "appversion", "sha256", "digest", "checksum",
    "integrity", "resolved", "uses", "image",
}  # fmt: skip
# Values in lists of what a release changes, which say what the rest of the change does.
_KINDS_OF_CHANGES = {"added", "changed", "deprecated", "fixed", "removed", "security"}
# What may follow a value: the end of the expression, a block or a comment.
_ENDING = {",", ")", ";", "}", "]", "{", "#", "/"}
# Endings of the source in which a colon stands before values.
_COLON_ENDINGS = {"js", "ts", "tsx", "jsx", "py", "lua", "dart", "rb", "mjs", "cjs", "mts", "vue", "svelte"}
# Those of them in which it also stands before types.
_TYPED_ENDINGS = {"py", "ts", "tsx", "mts", "pyi", "rs", "kt", "swift", "scala"}
# Maximum characters of a type.
_TYPE_LENGTH = 36
# Maximum tokens of a value.
_VALUE_TOKENS = 6
_NUMBER = compile_on_use(r"(?:[a-z]+-)?[v^~<>= ]{0,4}\d+(?:\.[\w*]+)*(?:[-+][\w.]+)?\Z")
# A type that is no value: a simple one, or one with parameters or alternatives.
_TYPE = compile_on_use(
    r"&?(?:str|int|bool|float|bytes|string|number|boolean|usize|[iuf]\d+|[A-Z][\w.]*\??)\Z"
    r"|[\w.&' ]+(?:<.+>|\[.+\]|\|.+)\??\Z"
)
# The name before a type and a value.
_TYPED_KEY = compile_on_use(r"(\w+)\s*:\s*[\w\[\]| .]+=")


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


def _find_listed(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the arguments, parameters or items that came or went between brackets."""
    tokens = replaced.tokens
    if tokens.come and tokens.gone:
        return []
    moved = tokens.come or tokens.gone
    position = find_opening(tokens.before)
    if position < 1 or not is_balanced(moved):
        return []
    starts = moved[0] == "," or tokens.before[-1] in (*OPENING, ",") or moved[-1] == ","
    ends = moved[-1] == "," or not tokens.after or tokens.after[0] in (*CLOSING, ",")
    pieces = split_at_commas(moved)
    if not starts or not ends or not 0 < len(pieces) <= _ITEMS:
        return []
    sign, owner = tokens.before[position], tokens.before[position - 1]
    if sign == "(" and NAME.match(owner) and owner not in NOT_CALLS:
        return _list_arguments(replaced, owner, pieces)
    return _list_items(replaced, position, pieces)


def _list_arguments(replaced: Replacement, owner: str, pieces: Sequence[Sequence[str]]) -> list[LiteralEdit]:
    if is_definition(replaced.line):
        names = list(filter(None, map(_name_parameter, pieces)))
        if len(names) < len(pieces):
            return []
        return replaced.make_each("parameter", names, place=owner.rpartition(".")[2])
    words = list(filter(None, map(_write_argument, pieces)))
    if len(words) < len(pieces):
        return []
    # `#[derive(A)]` passes nothing to a function.
    kind = "item" if replaced.line.startswith("#[") else "argument"
    return replaced.make_each(kind, words, place=owner)


def _name_parameter(piece: Sequence[str]) -> str:
    """Return the name in `name: Type`, `name = value`, `name Type` or `Type name`; empty if it is unclear."""
    for sign in (":", "="):
        if sign in piece[1:]:
            name = piece[piece.index(sign, 1) - 1]
            return name if NAME.match(name) else ""
    name = piece[-1]
    return name if len(piece) <= 2 and NAME.match(name) else ""


def _write_argument(piece: Sequence[str]) -> str:
    """Return an argument or item as it is written, without the value if that is long; empty if it says nothing."""
    text = join_tokens(piece)
    if not tells_alone(text):
        return ""
    if len(piece) >= 3 and piece[1] == "=" and NAME.match(piece[0]):
        return text if len(text) <= _ARGUMENT_LENGTH else piece[0]
    if len(piece) >= 3 and piece[1] == ":":
        return strip_quotes(piece[0]) if NAME.match(piece[0]) or piece[0][0] in "\"'" else ""
    if len(text) <= _VALUE_LENGTH and (is_value(text) or NAME.match(text) or _EXPRESSION.match(text)):
        return strip_quotes(text)
    return ""


def _list_items(replaced: Replacement, position: int, pieces: Sequence[Sequence[str]]) -> list[LiteralEdit]:
    """Return the items of a list or the like; empty if the bracket is another one, such as that of an index."""
    before = replaced.tokens.before
    if before[position - 1] not in (*_ASSIGNING, "in", "return", "of", "=>"):
        return []
    name = _name_collection(before, position)
    typed = _TYPED_KEY.match(replaced.line) if before[position - 1] == "=" and ":" in replaced.line else None
    if typed:
        name = typed[1]
    outer = find_opening(before[: max(0, position - 2)])
    if name and outer > 0 and before[outer] == "{":
        holder = _name_collection(before, outer)
        name = f"{name} of {holder}" if holder else name
    words = list(filter(None, map(_write_argument, pieces)))
    if len(words) < len(pieces):
        return []
    if any("=" in word for word in words):
        return _list_settings(replaced, words, name)
    return replaced.make_each("item", words, place=name)


def _name_collection(before: Sequence[str], position: int) -> str:
    """Return the key or variable to which the collection is assigned that opens at `position`; empty if none."""
    if position < 2 or before[position - 1] not in _ASSIGNING:
        return ""
    name = before[position - 2]
    return strip_quotes(name) if NAME.match(name) or name[0] in "'\"" else ""


def _list_settings(replaced: Replacement, words: Sequence[str], place: str) -> list[LiteralEdit]:
    if len(words) > 1:
        return []
    key, _, value = words[0].partition("=")
    value = strip_quotes(value.strip())
    if replaced.tokens.come:
        return [replaced.make("value", "", value, name=key.strip(), place=place)]
    return [replaced.make("value", value, "", name=key.strip(), place=place)]


def _find_option(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return an option of a command line, with its value, that came or went."""
    tokens = replaced.tokens
    moved = tokens.come or tokens.gone
    if (tokens.come and tokens.gone) or not 1 <= len(moved) <= 3 or not _OPTION.match(moved[0]):
        return []
    return replaced.make_each("argument", [join_tokens(moved)], place=_find_command(tokens.before))


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
        return replaced.make_each("argument", [text], place=_find_command(tokens.before))
    return replaced.make_each("item", [text]) if _FILE_OF_WORDS.search(file.path) else []


def _find_pin(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the image that is now pinned to a digest."""
    tokens = replaced.tokens
    if tokens.gone or not tokens.before or not "".join(tokens.come).startswith("@sha256:"):
        return []
    image = tokens.before[-1]
    if tokens.before[-2:-1] == [":"] and len(tokens.before) > 3:
        image = tokens.before[-3]
    return replaced.make_each("pin", [strip_quotes(image)])


def _find_condition(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return a condition that has to be met as well now."""
    tokens = replaced.tokens
    come = tokens.come
    if tokens.gone or not _CONDITION.match(replaced.line) or not is_balanced(come):
        return []
    if come[0] not in ("&&", "and"):
        return []
    text = join_tokens(come[1:])
    return replaced.make_each("condition", [text]) if 0 < len(text) <= _CONDITION_LENGTH else []


def _find_call(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the method that is now called on what stood there, or not any more: `.strip()`."""
    tokens = replaced.tokens
    moved = tokens.come or tokens.gone
    if (tokens.come and tokens.gone) or len(moved) < 4 or moved[0] not in (".", "?.") or moved[2] != "(":
        return []
    name = moved[1]
    if not NAME.match(name) or moved[-1] not in (")", "?") or not is_balanced(moved) or moved.count("(") > 1:
        return []
    return replaced.make_each("call", [name])


def _find_wrap(replaced: Replacement, _: FileText) -> list[LiteralEdit]:
    """Return the function that now takes what stood in its place: `old` is that, `new` the function."""
    gone, come = replaced.tokens.gone, replaced.tokens.come
    if not gone or not len(gone) + 3 <= len(come) <= len(gone) + 8:
        return []
    taken = list(come[2 : 2 + len(gone)])
    if come[1] != "(" or come[-1] != ")" or not NAME.match(come[0]) or taken != list(gone):
        return []
    wrapped = join_tokens(gone)
    if come[0] in NOT_CALLS or len(wrapped) > _WRAPPED_LENGTH or not ALPHANUMERIC.search(wrapped):
        return []
    return [replaced.make("wrap", wrapped, come[0])]


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
    return [replaced.make("word", old, new)]


def _is_whole(tokens: Sequence[str], text: str) -> bool:
    """Whether tokens, which are written as `text`, are a whole expression."""
    if not is_balanced(tokens) or "\\" in text:
        return False
    return _STARTS_WHOLE.match(text) is not None and _ENDS_WHOLE.match(text) is not None


def _find_token(replaced: Replacement, old: str, new: str, file: FileText) -> list[LiteralEdit]:
    """Return the token that was replaced, unless it is a version, which is said as a bump, or a part of prose."""
    if max(len(old), len(new)) > _LITERAL_LENGTH or not tells_alone(old) or not tells_alone(new):
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
    return [replaced.make("word", bare, bare_new)]


def _is_plain_word(text: str) -> bool:
    return text.isalpha() and text.islower()


def _find_import(replaced: Replacement) -> list[LiteralEdit]:
    """Return the names that are imported now, or not any more, or from elsewhere."""
    tokens = replaced.tokens
    if len(tokens.gone) == len(tokens.come) == 1:
        old, new = strip_quotes(tokens.gone[0]), strip_quotes(tokens.come[0])
        kind = "import source" if tokens.come[0][0] in "\"'" else "import"
        return [replaced.make(kind, old, new)]
    if tokens.gone and tokens.come:
        return []
    names = list(filter(NAME.match, tokens.come or tokens.gone))
    if not 0 < len(names) <= _ITEMS or "as" in names:
        return []
    return replaced.make_each("import", names)


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
    if not key_tells_alone(key) and len(old + new) > _PAIR_LENGTH:
        return []
    kind = "default" if is_definition(replaced.line) else "value"
    return [replaced.make(kind, old, new, name=key, place=_find_function(replaced))]


def _find_type(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the type that a parameter, a field or a variable has now."""
    key = _find_key(replaced)
    if not key or replaced.tokens.before[-1] != ":" or file.ending not in _TYPED_ENDINGS:
        return []
    old, new = _join_type(replaced.tokens.gone), _join_type(replaced.tokens.come)
    if max(len(old), len(new)) > _TYPE_LENGTH or not _TYPE.match(old) or not _TYPE.match(new):
        return []
    return [replaced.make("type", old, new, name=key)]


def key_tells_alone(key: str) -> bool:
    """Whether a sentence can say the new value of `key` without the old one."""
    return key not in _UNTELLING


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
    if not _ASSIGNING.isdisjoint((*tokens.gone, *tokens.come)):
        # These are several keys with their values.
        return ""
    key = strip_quotes(before[-2])
    typed = _TYPED_KEY.match(replaced.line) if before[-1] == "=" and ":" in replaced.line else None
    if typed:
        key = typed[1]
    if not NAME.match(key) or key in ("const", "let", "var") or key.lower() in VERSIONED:
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
    says_version = key.lower().endswith("version") or min(old.count("."), new.count(".")) > 1
    may_require = "." in old and file.kind in (filetypes.MANIFEST, filetypes.BUILD, filetypes.CI)
    if not says_version and not may_require:
        return False
    return _NUMBER.match(old) is not None and _NUMBER.match(new) is not None


def _find_function(replaced: Replacement) -> str:
    """Return the function that the line defines; empty if it defines none."""
    before = replaced.tokens.before
    position = find_opening(before)
    if position < 1 or before[position] != "(" or not is_definition(replaced.line):
        return ""
    return before[position - 1] if NAME.match(before[position - 1]) else ""


_FINDERS: Sequence[Callable[[Replacement, FileText], list[LiteralEdit]]] = (
    _find_listed, _find_option, _find_pin, _find_condition, _find_call, _find_wrap, _find_type, _find_value,
    _find_word_of_line, _find_word,
)  # fmt: skip
