"""What an edit is, where it stands, and what holds it: calls, lists, mappings, types, imports, from the inside outward.

A holder is known by its opening bracket and by the tokens before that. A row of `_HOLDERS` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from smartcommit.change.languages import Language
from smartcommit.change.tokens import (
    CLOSING,
    NAME,
    OPENING,
    STRING,
    Token,
    find_open,
    list_names,
    list_texts,
    read_syntax,
    unquote,
    write,
)
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
ASSIGNING = {"=", ":", ":=", "=>", "+=", "?="}
# Words before a parenthesis that call nothing.
NOT_CALLS = list_words(
    "if elif elsif while unless until switch match when catch for foreach return and or not in is with else "
    "except await yield lambda typeof assert case throw new function func fn fun def async of as sizeof "
    "delete deriving var const type let"
)
_TYPES = (
    r"(?:class|struct|enum|interface|trait|record|type|message|table|union|object|protocol|service|input|extension"
    r"|actor|newtype|data|TABLE|data class)"
)
# By the bracket, what the line has before it, and the kind, each with an example; the first one that matches counts.
# The first group is the name, else what has the value.
_HOLDERS = tuple(
    (opener, compile_on_use(rf"(?:{pattern})\Z"), kind)
    for opener, pattern, kind in (
        # `from a import (`, `import {`, `export type {`
        ("({", r"(?:import|from|use|pub use|using)\b.*|export(?: type)?", IMPORT),
        # `public class Cart extends Base {`, but not `def class_of(x) {`
        ("{", rf"(?!.*\b(?:def|func|fn|fun|function)\b)(?:.*\s)?{_TYPES}\s+([\w.$]+).*", TYPE),
        # `def total(`, `func (c *Cart) total(`, `fn total<T>(`
        (
            "(",
            r".*\b(?:def|func|fn|fun|function\*?|sub|proc|macro|defp)\s+(?:\([^)]*\)\s*)?([\w.$!?]+)(?:\s*<.*>)?",
            PARAMETERS,
        ),
        # `CREATE TABLE IF NOT EXISTS carts (`
        ("(", r"(?i:create\s+(?:or replace\s+)?table\s+(?:if not exists\s+)?([\w.\"`]+))", TYPE),
        # `x = function (`, `constructor(`, `param(` of PowerShell
        ("(", r".*\b(?:func|function)\s*|(?:constructor)|(?i:param)", PARAMETERS),
        # `data Cart = Cart deriving (`
        ("(", r".*\b(deriving)\b.*", LIST),
        # `val names = listOf(`, `names: List(`
        ("(", r".*(?:=|:|>) ?(?:\w+\.)?(?:Seq|List|Set|Array|(?:mutable)?[lL]istOf|setOf|arrayOf|asList)", LIST),
        # `} else if (`, `switch (`
        ("(", r"(?:.*[^\w.$>]|)(?:if|elif|elsif|while|unless|until|switch|when|catch|for|foreach|match)", CONDITION),
        # `x = cart.items.add(`, `Vec::new(`, `get(a).find(`, `.find(` on a line of its own
        ("(", r"(?:.*[^\w.$>:-]|.*[)\]]\.|\??\.)?((?:[@\w$]+(?:\.|::|->|\?\.))*[@\w$!?-]+)(?:<.*>)?", CALL),
        # `names = (`, `for x in (`, `return (`
        ("(", r".*(?:=|\bin|\breturn|:=)", LIST),
        # `[` that begins a line, `vec![`, `names = [`, but not `names[`
        ("[", r"|.*(?:!|[^\w)\]\"'])", LIST),
        # `return [`, `x not in [`
        ("[", r".*\b(?:return|in|case|yield|and|or|not|with .*;)\s?", LIST),
        ("[", r".*", INDEX),
        # `{` that begins a line, `return {`, `x = {`, `call({`, `Partial<{`, `...{`
        ("{", r"|(?:.*\W|)return|.*(?:(?<![=<>!])=|:|[(,\[?&<]|\|\||\.\.\.)", MAPPING),
        # `x := []string{`, `map[string]bool{`, but not `func names() []string {`
        ("{", r"(?!.*\bfunc\b).*(?<![\w)])\[\d*\][*\w.]+", LIST),
        ("{", r"(?!.*\bfunc\b).*\bmap ?\[\w+\][*\w.\[\]]+", MAPPING),
        # `return Cart {`, `x := &shop.Cart{`
        ("{", r"(?:.*(?:=|return|&|\()\s*)?((?:\w+(?:::|\.))*[A-Z]\w*|(?<=[=&] )[\w.]+)(?:<.*>)?", MAPPING),
        # `[]struct{ a int }{`
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
OTHER = "other"
LONGEST = 48  # characters of an argument, an item or a value
_SET_LENGTH = 30  # characters of a value that is set
_ENTRIES_COUNTED = 20
# By the kind of a holder, the role of what came to it or went from it.
ROLES = {CALL: "argument", PARAMETERS: "parameter", LIST: "item", MAPPING: "key", TYPE: "field"}
# How keys are called by the key that they are below.
NOUNS = {"jobs": "job", "services": "service", "scripts": "script", "volumes": "volume", "on": "trigger"}
# Keys that name the object that has them.
_NAMING = ("name", "title", "label", "id", "key")
# The name of an option, of Perl.
_OPTION = compile_on_use(r"[\"'](\w[\w-]+)")
# What stands before the name in a parameter.
_BEFORE_PARAMETER = {"*", "**", "&", "...", "mut", "final", "const", "readonly", "private", "public"}


class Holder(Record):
    """What holds a place: its kind, its name as it is written, or an empty one, and the position of its bracket."""

    kind: str
    name: str = ""
    position: int = -1


def find_holders(tokens: Sequence[Token], lines: Sequence[str], language: Language) -> list[Holder]:
    """Return what the place behind `tokens` is part of, the outermost first; `lines` are the texts of their lines."""
    found: list[Holder] = []
    for position in find_open(tokens):
        holder = _describe(tokens, position, lines, language)
        if holder.kind == CALL and found and found[-1].kind == TYPE and language.name in ("", "go"):
            # A field with arguments, of GraphQL, or a method of an interface.
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
    return Holder(GROUP, "", position)


def read_path(tokens: Sequence[Token], end: int) -> str:
    """Return the name that ends at `end` with the names that it is reached by: `os.path.join`, `std::fs::read`."""
    start = end
    while start >= 2 and tokens[start - 1].text in (".", "::", "->", "?.", "\\") and not tokens[start].gap:
        if tokens[start - 2].kind != NAME or tokens[start - 1].gap:
            break
        start -= 2
    return "".join(list_texts(tokens[start : end + 1]))


def find_path_end(tokens: Sequence[Token], start: int) -> int:
    """Return where the path ends that begins with the name at `start`."""
    end = start
    while end + 2 < len(tokens) and tokens[end + 1].text in (".", "?.") and tokens[end + 2].kind == NAME:
        end += 2
    return end


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
    if tokens[sign - 1].text in ("+", "?", ":"):
        sign -= 1  # outside of code `+=` is two signs, and `?=` and `:=` of a Makefile are
    if sign < 1:
        return ""
    key = tokens[sign - 1]
    if tokens[sign].text == "=>" and key.kind != STRING and list_texts(tokens[sign - 2 : sign - 1]) != [":"]:
        return ""  # a parameter, or a case
    if key.kind == STRING:
        return key.text.strip("\"'`")
    start, depth = sign, 0
    while start and tokens[start - 1].line == key.line:
        text = tokens[start - 1].text
        # What is between brackets is part of the name or of its type: `tags: Tuple[str, ...] =`.
        if not depth and text in ("(", ",", "{", ";"):
            break
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            depth -= 1
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
    return _read_key(tokens, sign - 1) if key.kind == NAME else ""


def _read_key(tokens: Sequence[Token], end: int) -> str:
    """Return the path that ends at `end`, or a name with dashes, as `force-mount` of an element in Vue."""
    start = end
    while start >= 2 and tokens[start - 1].text == "-" and tokens[start - 2].kind == NAME:
        if tokens[start].gap or tokens[start - 1].gap:
            break
        start -= 2
    return "".join(list_texts(tokens[start : end + 1])) if start < end else read_path(tokens, end)


class Edit(Record):
    """One edit: its role, and what went and came as it is written, of which one can be empty.

    `holder` names what it is part of, `place` the definition around it, `lines` is the number of changed lines that it
    explains, `text` the line. `names` are those in what came, or else in what went; `gone` and `come` are bare tokens.
    """

    role: str
    old: str
    new: str
    holder: str = ""
    place: str = ""
    lines: float = 1
    text: str = ""
    names: frozenset[str] = frozenset()
    gone: str = ""
    come: str = ""

    @property
    def act(self) -> str:
        if self.old and self.new:
            return "changed"
        return "came" if self.new else "went"


Edits = list[Edit]


class Around(Record):
    """What is around a hunk: its language, the definition that it is in with its kind, lines of one side, and below."""

    language: Language
    place: str
    kind: str
    texts: Sequence[str]
    below: Sequence[str] = ()


class Spot(Record):
    """A place in which two versions of lines differ: the tokens up to it, that went, that came, and that follow."""

    before: Sequence[Token]
    old: Sequence[Token]
    new: Sequence[Token]
    after: Sequence[Token]
    around: Around
    lines: float = 1

    @cached_property
    def holders(self) -> Sequence[Holder]:
        return find_holders(self.before, self.around.texts, self.language)

    @property
    def moved(self) -> Sequence[Token]:
        """The tokens that only came, or only went."""
        return () if self.old and self.new else self.old or self.new

    @property
    def previous(self) -> str:
        return self.before[-1].text if self.before else ""

    @cached_property
    def second_previous(self) -> str:
        return self.before[-2].text if len(self.before) > 1 else ""

    @property
    def following(self) -> str:
        return self.after[0].text if self.after else ""

    @property
    def holder(self) -> Holder:
        return self.holders[-1] if self.holders else Holder("")

    @property
    def language(self) -> Language:
        return self.around.language

    @property
    def is_code(self) -> bool:
        return read_syntax(self.language).is_code

    @property
    def line(self) -> int:
        """The number of the line on which it begins."""
        for token in (*self.new, *self.old, *self.before[-1:]):
            return token.line
        return 0

    @property
    def text(self) -> str:
        texts = self.around.texts
        return texts[self.line] if self.line < len(texts) else ""

    @property
    def key(self) -> str:
        """What is assigned to by the sign before it; empty if nothing stands before that."""
        return name_value(self.before, len(self.before) - 1) if self.before else ""

    @cached_property
    def head(self) -> Sequence[Token]:
        """The tokens of its line up to it."""
        line = self.line
        return [token for token in self.before if token.line == line]

    @property
    def import_role(self) -> str:
        """The role of a name in a list of imports, which `export { a } from` and `pub use` export as well."""
        line = self.before[self.holder.position].line if self.holder.kind == IMPORT else self.line
        first = next((token.text for token in self.before if token.line == line), "")
        return "export" if first in ("export", "pub") else "import"

    def widen(self, start: int, end: int) -> Spot:
        """Return the place together with what stands before it from `start`, and the first `end` tokens behind it."""
        old, new = [[*self.before[start:], *side, *self.after[:end]] for side in (self.old, self.new)]
        return Spot(self.before[:start], old, new, self.after[end:], self.around, self.lines)

    def make(self, role: str, old: str, new: str, holder: str = "") -> Edit:
        names, sides = list_names(self.new or self.old), (write(self.old), write(self.new))
        place = (self.holder.kind == PARAMETERS and self.holder.name) or self.around.place
        return Edit(role, old, new, holder, place, self.lines, self.text, names, *sides)

    def make_moved(self, role: str, text: str, holder: str = "") -> Edit:
        """Return an edit of what only came, or only went."""
        old, new = ("", text) if self.new else (text, "")
        return self.make(role, old, new, holder)


def find_module(tokens: Sequence[Token]) -> str:
    """Return the module that a line imports from, or an empty text."""
    for place, token in enumerate(tokens[:-1], 1):
        if token.text == "from":
            is_quoted = tokens[place].kind == STRING
            return tokens[place].text.strip("\"'`") if is_quoted else read_path(tokens, find_path_end(tokens, place))
    return ""


def find_defined(language: Language, lines: Sequence[str]) -> str:
    """Return the name of what is defined on the next lines, below annotations."""
    for text in lines[:12]:
        symbol = language.read_symbol(text)
        if symbol:
            return symbol[0]
        if text.strip() and text.strip()[0] not in "@#[/*)-":
            return language.read_member(text)
    return ""


def make_entries(spot: Spot, role: str, parts: Sequence[Sequence[Token]]) -> Edits:
    """Return an edit for each entry that came or went; none if one is too long or says nothing."""
    found: Edits = []
    for part in parts if len(parts) <= _ENTRIES_COUNTED else ():
        is_arm = len(part) > 2 and part[1].text == "=>" and spot.language.name in ("rust", "jvm", "csharp")
        is_keyed = (
            len(part) > 2
            and part[1].text in (":", "=>")
            and not is_arm
            and part[0].text[-1] != ":"
            and role in ("item", "key")
        )
        text = write_entry(part, "key" if is_keyed else role, spot.language.name)
        value = write(part[2:] or part[1:])
        # What begins with `?` is a part of the entry before.
        if not text or part[0].text[0] in "@#?":
            return []
        # A word and its value, as `gzip on`.
        is_directive = len(part) == 2 and role == "key" and not spot.language.name
        is_set = is_directive or (len(part) > 2 and part[1].text == "=")
        can_set = bool(spot.new) and len(value) <= _SET_LENGTH and value[:1] not in ("{", "[", "(")
        option = _OPTION.match(part[0].text) if spot.holder.name == "GetOptions" else None
        if option:
            edit = spot.make_moved("option", f"--{option[1]}")
        elif spot.holder.name == "on" or (is_keyed and spot.holder.name in NOUNS):
            edit = spot.make_moved("definition", text, NOUNS[spot.holder.name])
        elif can_set and (is_keyed or (role == "key" and is_set)):
            edit = spot.make("setting", "", unquote(value), text)
        elif role == "argument" and is_set and not spot.language.name:
            edit = spot.make_moved("key", part[0].text, spot.holder.name)
        else:
            # A parameter of a class in Kotlin or Scala that is a field of it.
            is_field = part[0].text in ("val", "var") or "::" in list_texts(part[:2])
            role = "field" if is_field else role
            edit = spot.make_moved("key" if is_keyed else role, text, spot.holder.name)
        edit.lines, edit.names = spot.lines / len(parts), list_names(part)
        found.append(edit)
    return found


def write_entry(part: Sequence[Token], role: str, language: str) -> str:
    """Return an entry as a sentence names it, or an empty text if it cannot."""
    texts, text = list_texts(part), write(part)
    if role == "parameter":
        return _name_parameter(part, is_first=language == "go")
    if role in ("key", "field"):
        for place, token in enumerate(part):
            if token.text in (":", "=", "=>", "::") and place and not find_open(part[:place]):
                # A field of GraphQL can have arguments before its type.
                return texts[0] if texts[1] == "(" else name_value(part, place)
        if texts[1:2] == ["{"] and not language:
            return texts[0]  # a block of configuration
        is_typed = role == "field" and language in ("sql", "go") and len(part) > 1
        if is_typed or (len(part) == 2 and not language):
            text = texts[0]
        return unquote(text) if (len(part) < 3 or is_typed) and part[0].kind in (NAME, STRING) else ""
    if texts[0] == "{":
        # `{ id: 'DISCORD', name: 'Discord' }`
        values: dict[str, str] = {}
        for key, sign, value in zip(part, part[1:], part[2:], strict=False):
            if sign.text in (":", "=") and value.kind == STRING:
                values.setdefault(key.text.strip("\"'"), value.text.strip("\"'`"))
        if role == "argument" and len(text) <= _SET_LENGTH:
            return text
        is_first = len(part) > 2 and part[1].kind == STRING and part[2].text == ","
        return unquote(part[1].text) if is_first else next((values[key] for key in _NAMING if key in values), "")
    if len(text) > LONGEST:
        # `name=value` is named by its name.
        return texts[0] if texts[1:2] and texts[1] in ("=", ":") and part[0].kind == NAME else ""
    return unquote(text)


def _name_parameter(part: Sequence[Token], *, is_first: bool) -> str:
    """Return the name in `name: Type`, `name = value`, `name Type` or `Type name`; empty if it is unclear."""
    while part and part[0].text in _BEFORE_PARAMETER:
        part = part[1:]
    for place, token in enumerate(part):
        if token.text in (":", "=") and place:
            return part[place - 1].text.rstrip("?") if part[place - 1].kind == NAME else ""
    names = [token.text for token in part if token.kind == NAME]
    return names[-1] if names and part[-1].kind == NAME and not is_first else "".join(names[:1])
