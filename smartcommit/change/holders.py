"""What a place in a file is part of: calls, lists, mappings, types, imports, from the inside outward.

A holder is known by its opening bracket and by the tokens before that. A row of `_HOLDERS` says which.
"""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.change.languages import Language
from smartcommit.change.tokens import NAME, STRING, Token, list_texts, write
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

# Kinds of holders. A block holds statements, and a group is a part of an expression.
CALL = "call"
PARAMETERS = "parameters"
LIST = "list"
MAPPING = "mapping"
TYPE = "type"
IMPORT = "import"
CONDITION = "condition"
BLOCK = "block"
GROUP = "group"
INDEX = "index"
OPENING = ("(", "[", "{")
CLOSING = (")", "]", "}")
ASSIGNING = {"=", ":", ":=", "=>", "+=", "?="}
# Words before a parenthesis that call nothing.
NOT_CALLS = list_words(
    "if elif elsif while unless until switch match when catch for foreach return and or not in is with else "
    "except await yield lambda typeof assert case throw new function func fn fun def async of as sizeof "
    "delete deriving var const type let"
)
_TYPES = (
    r"(?:class|struct|enum|interface|trait|record|type|message|table|union|object|protocol|service|input|extension|actor|newtype|data"
    r"|TABLE|data class)"
)
# By the bracket, what the line has before it, and the kind; the first group is the name, else what has the value.
_HOLDERS = tuple(
    (opener, compile_on_use(rf"(?:{pattern})\Z"), kind)
    for opener, pattern, kind in (
        ("({", r"(?:import|from|use|pub use|using)\b.*|export(?: type)?", IMPORT),
        ("{", rf"(?!.*\b(?:def|func|fn|fun|function)\b)(?:.*\s)?{_TYPES}\s+([\w.$]+).*", TYPE),
        ("(", r"(?i:create\s+(?:or replace\s+)?table\s+(?:if not exists\s+)?([\w.\"`]+))", TYPE),
        (
            "(",
            r".*\b(?:def|func|fn|fun|function\*?|sub|proc|macro|defp)\s+(?:\([^)]*\)\s*)?([\w.$!?]+)(?:\s*<.*>)?",
            PARAMETERS,
        ),
        ("(", r".*\b(?:func|function)\s*|(?:constructor)|(?i:param)", PARAMETERS),
        ("(", r".*\b(deriving)\b.*", LIST),
        ("(", r".*(?:=|:|>) ?(?:\w+\.)?(?:Seq|List|Set|Array|(?:mutable)?[lL]istOf|setOf|arrayOf|asList)", LIST),
        ("(", r"(?:.*[^\w.$>]|)(?:if|elif|elsif|while|unless|until|switch|when|catch|for|foreach|match)", CONDITION),
        ("(", r"(?:.*[^\w.$>:-]|.*[)\]]\.)?((?:[@\w$]+(?:\.|::|->|\?\.))*[@\w$!?-]+)(?:<.*>)?", CALL),
        ("(", r".*(?:=|\bin|\breturn|:=)", LIST),
        ("(", r".*", GROUP),
        ("[", r"|.*(?:!|[^\w)\]\"'])", LIST),
        ("[", r".*\b(?:return|in|case|yield|and|or|not|with .*;)\s?", LIST),
        ("[", r".*", INDEX),
        ("{", r"|(?:.*\W|)return|.*(?:(?<![=<>!])=|:|[(,\[?&]|\|\||\.\.\.)", MAPPING),
        ("{", r"(?:.*(?:=|return|&|\()\s*)?((?:\w+(?:::|\.))*[A-Z]\w*|(?<=[=&] )[\w.]+)(?:<.*>)?", MAPPING),
        ("{", r".*\}", LIST),
        ("{", r".*", BLOCK),
    )
)
# Commands of CMake whose first argument, or the one behind `APPEND`, names what has the others.
_OF_CMAKE = compile_on_use(r"(?i)(?:set|list|add_(?:library|executable)|target_\w+)\Z")
# Words between the sign of an assignment and a value.
_BEFORE_VALUES = {"new", "with", "const", "await"}
# Types that Go writes behind a name.
_PLAIN_TYPES = list_words("int int8 int16 int32 int64 uint uint8 uint32 uint64 float32 float64 string bool byte rune")


class Holder(Record):
    """What holds a place: its kind, its name as it is written, or an empty one, and the position of its bracket."""

    kind: str
    name: str = ""
    position: int = -1


def find_open(tokens: Sequence[Token]) -> list[int]:
    """Return the positions of the brackets that are open at the end of `tokens`, the outermost first."""
    opened: list[int] = []
    for position, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(position)
        elif token.text in CLOSING and opened:
            opened.pop()
    return opened


def find_holders(tokens: Sequence[Token], lines: Sequence[str], language: Language) -> list[Holder]:
    """Return what the place behind `tokens` is part of, the outermost first; `lines` are the texts of their lines."""
    found: list[Holder] = []
    for position in find_open(tokens):
        holder = _describe(tokens, position, lines, language)
        if holder.kind == CALL and found and found[-1].kind == TYPE and not language.name:
            # A field with arguments, of GraphQL.
            holder.kind = PARAMETERS
        found.append(holder)
    return found


def _describe(tokens: Sequence[Token], position: int, lines: Sequence[str], language: Language) -> Holder:
    start = position
    while start and tokens[start - 1].line == tokens[position].line:
        start -= 1
    head, opener = write(tokens[start:position]), tokens[position].text
    symbol = language.read_symbol(lines[tokens[position].line]) if language.name else None
    for openers, pattern, kind in _HOLDERS:
        found = pattern.match(head) if opener in openers else None
        if found is None or (kind == CALL and found[1] in NOT_CALLS):
            continue
        name = found[1] or "" if pattern.groups else ""
        if kind == CALL and not language.name and _OF_CMAKE.match(name):
            names = [token.text for token in tokens[position + 1 : position + 3] if token.text != "APPEND"]
            return Holder(LIST, names[0] if names else "", position)
        if kind == CALL and symbol and symbol[0] == name and "=" not in head:
            return Holder(PARAMETERS, name, position)
        if kind == BLOCK:
            if not language.name and head:
                # A block of configuration: `resource "x" "y" {`, `location / {`.
                return Holder(MAPPING, "" if set(head) & set("={(") else head.replace('"', ""), position)
            name = symbol[0] if symbol else ""
        if kind in (LIST, MAPPING):
            name = find_assigned(tokens, position) or name
        return Holder(kind, name.strip('"`'), position)
    return Holder(GROUP)


def read_path(tokens: Sequence[Token], end: int) -> str:
    """Return the name that ends at `end` with the names that it is reached by: `os.path.join`, `std::fs::read`."""
    start = end
    while start >= 2 and tokens[start - 1].text in (".", "::", "->", "?.", "\\") and not tokens[start].gap:
        if tokens[start - 2].kind != NAME or tokens[start - 1].gap:
            break
        start -= 2
    return "".join(list_texts(tokens[start : end + 1]))


def find_assigned(tokens: Sequence[Token], position: int) -> str:
    """Return the key, variable or constant that what begins at `position` is the value of, or an empty text."""
    end = position - 1
    # `new Set([`, `frozenset({`, `vec![`, `= with pkgs; [`, `Type[]{`: what is around the bracket.
    while end >= 0 and tokens[end].text not in ASSIGNING:
        is_name = tokens[end].kind == NAME and (tokens[end + 1].kind != NAME or tokens[end].text in _BEFORE_VALUES)
        if not is_name and tokens[end].text not in ("(", ".", "::", "[", "]", "&", "<", ">", ";"):
            return ""
        end -= 1
        if position - end > 8 or (end >= 0 and tokens[end].line < tokens[position].line):
            return ""
    return name_value(tokens, end) if end > 0 else ""


def name_value(tokens: Sequence[Token], sign: int) -> str:
    """Return the name before the `sign` of an assignment, without its type; empty if there is none."""
    sign -= set(tokens[sign - 1].text) == {"+"}
    key = tokens[sign - 1]
    if key.kind == STRING:
        return key.text.strip("\"'`")
    start = sign - 1
    while start and tokens[start - 1].line == key.line and tokens[start - 1].text not in ("(", ",", "{", ";"):
        start -= 1
    if tokens[sign].text in ("=", ":="):
        # `name: Type = value`
        for place in range(start + 1, sign):
            if (
                tokens[place].text == ":"
                and tokens[place - 1].kind == NAME
                and len(find_open(tokens[start:place])) == 0
            ):
                return read_path(tokens, place - 1)
        if key.text == "]":
            return write(tokens[start:sign]) if sign - start <= 6 else ""
        if key.text in _PLAIN_TYPES and sign - start > 1 and tokens[sign - 2].kind == NAME:
            return tokens[sign - 2].text
    return read_path(tokens, sign - 1) if key.kind == NAME else ""
