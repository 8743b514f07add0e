"""Values, defaults and types that differ in replaced lines."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.change import filetypes
from smartcommit.change.code_tokens import NAME, find_opening, is_definition, is_value, join_tokens, strip_quotes
from smartcommit.change.edited_lines import Replacement
from smartcommit.change.edits import LiteralEdit
from smartcommit.change.text import FileText
from smartcommit.patterns import compile_on_use

# Endings of files that hold keys and values.
KEYED = {
    "yml", "yaml", "toml", "ini", "cfg", "conf", "json", "json5", "jsonc", "properties", "editorconfig", "env",
}  # fmt: skip
# Maximum characters of a value, and of two literals.
VALUE_LENGTH, PAIR_LENGTH = 48, 48
# Signs between a name and its value.
ASSIGNING = {"=", ":", ":=", "+="}
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
TYPED_KEY = compile_on_use(r"(\w+)\s*:\s*[\w\[\]| .]+=")


def find_value(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
    """Return the value that a key, a parameter or a variable has now."""
    key = _find_key(replaced)
    old, new = join_tokens(replaced.tokens.gone), join_tokens(replaced.tokens.come)
    if not key or len(new) > VALUE_LENGTH or not _may_be_value(replaced, file, new):
        return []
    if file.ending in KEYED:
        old, new = old.strip("\"'"), new.strip("\"'")
    old, new = strip_quotes(old), strip_quotes(new)
    if not new or new in (key, old) or new in _KINDS_OF_CHANGES or _is_bump(key, old, new, file):
        return []
    if not key_tells_alone(key) and len(old + new) > PAIR_LENGTH:
        return []
    kind = "default" if is_definition(replaced.line) else "value"
    return [replaced.make(kind, old, new, name=key, place=_find_function(replaced))]


def find_type(replaced: Replacement, file: FileText) -> list[LiteralEdit]:
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
    if not tokens.gone or not tokens.come or len(before) < 2 or before[-1] not in ASSIGNING:
        return ""
    if max(len(tokens.gone), len(tokens.come)) > _VALUE_TOKENS or (after and after[0] not in _ENDING):
        return ""
    if not ASSIGNING.isdisjoint((*tokens.gone, *tokens.come)):
        # These are several keys with their values.
        return ""
    key = strip_quotes(before[-2])
    typed = TYPED_KEY.match(replaced.line) if before[-1] == "=" and ":" in replaced.line else None
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
