"""The roles of places in which lines differ: by what holds a place and the tokens around it.

A role is certain, or it is OTHER, of which nothing is said. `_READERS` has a function for each; the first that knows an
edit wins. They stand in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from smartcommit.change.bumps import is_versioned
from smartcommit.change.calls import (
    find_called,
    is_path,
    read_callee,
    read_method,
    read_operand,
    read_other_call,
    read_result,
    read_word_of_call,
    read_wrapped,
)
from smartcommit.change.conditions import (
    COMPARISONS,
    is_in_condition,
    read_choice,
    read_condition,
    read_labels,
    say_guard,
)
from smartcommit.change.edits import (
    ASSIGNING,
    CALL,
    IMPORT,
    LIST,
    LONGEST,
    MAPPING,
    NOT_CALLS,
    OTHER,
    PARAMETERS,
    ROLES,
    TYPE,
    Edit,
    Edits,
    Spot,
    find_defined,
    find_module,
    make_entries,
    name_value,
    read_path,
    write_entry,
)
from smartcommit.change.strings import (
    VERSION,
    list_classes,
    read_context,
    read_formatted,
    read_listed,
    read_part_of_string,
    read_script,
    read_text,
)
from smartcommit.change.text import is_import
from smartcommit.change.tokens import (
    CLOSING,
    NAME,
    NUMBER,
    OPENING,
    SIGN,
    STRING,
    Token,
    find_open,
    is_balanced,
    list_names,
    list_texts,
    split_entries,
    unquote,
    write,
)
from smartcommit.change.wording import join_names
from smartcommit.patterns import compile_on_use, list_words

# A value with its default in a template: of Helm, or of Jinja.
_DEFAULTED = compile_on_use(
    r"([\w$][\w.$]*|(?:\.\w+)+) ?\| ?default(?: |\() ?([\w.$]+|'[^'\\]*'|\"[^\"\\]*\")(?:(?:, ?\w+)? ?\))?"
)
# A tag of a field of Go.
_TAG = compile_on_use(r'(\w+):"([^"]*)"')
# What a test compares something with.
_EXPECTING = compile_on_use(r"(?:.*\.)?(?:to(?:Be|Equal|StrictEqual|Match|Contain|HaveLength)|equals?|eql?)\Z")
_NEGATED = compile_on_use(r"\.not\b|\b(?:not_to|to_not)\b")
# Entries that one sentence can list, and that it can count; tokens of an entry that changed in part.
_ENTRIES = 3
_ENTRY_TOKENS = 12
_ARITHMETIC = {"*", "/", "+", "-"}
# What a column of SQL can be.
_OF_COLUMN = list_words("NOT NULL UNIQUE PRIMARY KEY")
# What happens to a row if the one that it refers to goes.
_OF_REFERENCE = compile_on_use(
    r"(?i)(?:on (?:delete|update) (?:cascade|restrict|no action|set (?:null|default))(?: |\Z))+\Z"
)
# Words of SQL that say what a statement does, and those that may stand behind one of them.
_OF_STATEMENTS = list_words("ALTER CREATE DELETE DROP FROM INDEX INSERT INTO SELECT TABLE VIEW")
_DECLARED_VALUE = compile_on_use(r"\s*va[lr] (\w+)")
_OF_HEAD = list_words("CONCURRENTLY DISTINCT EXISTS IF IGNORE MATERIALIZED NOT OR REPLACE TEMPORARY UNIQUE UNLOGGED")
# Languages with the type before the name, and what is a type there beyond doubt.
_TYPES_FIRST = {"c", "csharp", "dart", "jvm", "protobuf"}
_TYPE_NAME = compile_on_use(
    r"(?:\w+(?:::|\.))*(?:(?:[us]?int|s?fixed|float)\d*|long|short|byte|char|double|bool|boolean|string|bytes|num|unsigned"
    r"|\w+_t|[A-Z]\w*[a-z]\w*)(?:<[\w<>, ?.]*>)?[?*&]*\Z"
)
_LITERALS = list_words("true false True False null None nil undefined NULL")
# Words before a declared name.
MODIFIERS = list_words(
    "pub public private protected internal final const readonly static async abstract export override virtual "
    "mut unsafe volatile transient inline lateinit sealed open suspend explicit constexpr default "
    "synchronized fileprivate mutating let var val local weak lazy required optional repeated extern noexcept "
    "implicit declare"
)
# Keys whose values are commands.
_COMMANDS = {"run", "script", "command"}
# A value that a sentence can repeat: a literal, a name, or what is made of such.
_PLAIN = compile_on_use(
    r"-?[\d.]\S*\Z|#\w+\Z|[a-zA-Z]?\"[^\"{}$]*\"\Z|[a-zA-Z]?'[^'{}$]*'\Z|`[^`${}]*`\Z|\[[\w \"',.-]*\]\Z|\{\}\Z"
    r"|(?:new |const |&)*[\w$.:]+(?:\([\w \"',.:=-]*\))?\Z|[\w.]+ ?[*/+-] ?[\w.]+\Z"
)
# The start of an element that is open, with its name, and an attribute with a value or without.
_OPEN_TAG = compile_on_use(r"(?:\A|[\s({>])< ?([A-Za-z][\w.:-]*)(?:\s[^<>]*)?\Z")
_ATTRIBUTE = compile_on_use(r"([@:\w][\w.:@-]*)(?: ?= ?(?:\"[^\"]*\"|'[^']*'|\{[^{}]*\}))?(?=\s|\Z)")
# An attribute whose value says when, or for what, an element is there: of Vue, Alpine and Angular.
_DIRECTIVE = compile_on_use(r"(?:v|x)-(?:if|else-if|show|for)=|@\w")
# A variable of the environment that code reads.
_WORDS_OF_HEAD = 3  # `DROP INDEX` and what is between these and the name
# Behind a key that is a parameter: `function f({ name }) {`.
_TAKEN_APART = compile_on_use(r"\}\s*(?:\)\s*(?:=>|\{|:)|=(?!=))")
ENVIRONMENT = compile_on_use(
    r"(?:process\.env\.|import\.meta\.env\.|\b(?:os\.environ(?:\.get)?|getenv|os\.(?:Getenv|LookupEnv)|env::var|ENV(?:\.fetch)?)[(\[][\"'])"
    r"([A-Z][A-Z0-9_]*)\b"
)
# A node of a query, with what captures it.
_NODE = compile_on_use(r"\(?(\w+|\"[^\"]+\")\)?(?: @[\w.]+)+\Z")
# A line that handles errors.
_CATCH = compile_on_use(r"\s*(?:\} ?)?(?:except|catch|rescue)\b")
_DECLARED = compile_on_use(r"(?:[\w$]+(?:<[^=]*>|\[\])?[\s*&]+)*(~?[\w$]+)\s*(?:<.*>)?\s*[?!]?(?:[(=:;{,]|\Z| \w+;?\Z)")


def read_spot(spot: Spot) -> Edits:
    for reader in _READERS:
        found = list(reader(spot))
        if found:
            return found
    return [spot.make(OTHER, write(spot.old), write(spot.new))]


def _read_attribute(spot: Spot) -> Iterator[Edit]:
    """An attribute of an element of markup."""
    head = write(spot.head)
    found = _OPEN_TAG.search(head) if "<" in head else None
    if found is None:
        return
    moved = write(spot.moved)
    is_value = len(spot.old) == len(spot.new) == 1 and spot.previous == "=" and spot.new[0].kind == STRING
    if is_value and spot.second_previous and not is_versioned(spot.second_previous):
        yield spot.make("value", unquote(spot.old[0].text), unquote(spot.new[0].text), spot.second_previous)
    attributes = _ATTRIBUTE.findall(moved)
    if attributes and not _ATTRIBUTE.sub("", moved).strip():
        if len(attributes) == 1 and len(moved) <= LONGEST and _DIRECTIVE.match(moved):
            attributes = [moved]
        classes = list_classes(moved) if len(attributes) == 1 else []
        for name in classes or attributes:
            yield spot.make_moved("class" if classes else "attribute", name, "" if classes else found[1])


def _read_import(spot: Spot) -> Iterator[Edit]:
    """Names that a list of imports has, and the modules that they are of."""
    language, text = spot.language, spot.text.strip()
    in_list = spot.holder.kind == IMPORT or (text.endswith("},") and is_import(text))
    if not language.name or not (in_list or is_import(text)):
        return
    module = find_module([*spot.head, *spot.new, *spot.after])
    parts = split_entries(spot.moved)
    if spot.moved and (in_list or "import" in list_texts(spot.head)) and all(len(part) in (1, 3) for part in parts):
        for part in parts[:_ENTRIES]:
            edit = spot.make_moved(spot.import_role, write(part), module)
            edit.lines, edit.names = spot.lines / len(parts), frozenset([part[-1].text])
            yield edit
        return
    imported = language.list_imported(text)
    if spot.old and spot.new and module and list_names((*spot.old, *spot.new)).isdisjoint(imported):
        old = find_module([*spot.head, *spot.old, *spot.after]) or unquote(write(spot.old))
        yield spot.make("import-source", old, module, ", ".join(imported[:_ENTRIES]))
    elif len(spot.old) == len(spot.new) == 1:
        yield spot.make("import", unquote(write(spot.old)), unquote(write(spot.new)))
    elif spot.moved and spot.moved[0].text == "." and spot.head and is_path(spot.moved[1:]):
        # Another module: `import Data.Map.Strict` for `import Data.Map`.
        paths = [read_path(side, len(side) - 1) for side in ([*spot.before, *spot.old], [*spot.before, *spot.new])]
        yield spot.make("import", *paths)


def _read_optional(spot: Spot) -> Iterator[Edit]:
    """What may be missing from now on: the field of `phone?: string`, the result of `get(): String?`, `a` of `a?.b`."""
    old, new = write(spot.old), write(spot.new)
    is_safe = new == "&" and spot.following == "." and spot.language.name == "ruby"
    if is_safe or (new == "?." and old in (".", "")):
        yield spot.make("missing", old, new, read_operand(spot.before) if spot.before else "")
    elif new == f"{old}?." and spot.following == "[":
        yield spot.make("missing", old, new, read_path([*spot.before, *spot.old], len(spot.before)))
    if not spot.is_code or old.rstrip("?") != new.rstrip("?"):
        return
    sides = ("", "?") if new.endswith("?") else ("?", "")
    symbol = spot.language.read_symbol(spot.text)
    if spot.following == ":":
        yield spot.make("optional", *sides, new.rstrip("?") or spot.previous)
    elif spot.previous in (":", "->") and spot.second_previous != ")":
        yield spot.make("optional", *sides, spot.key)
    elif symbol and symbol[1] in ("function", "method") and ")" in list_texts(spot.head):
        yield spot.make("nullable", *sides, symbol[0])


def _read_error(spot: Spot) -> Iterator[Edit]:
    """An error that is returned instead of a panic, or gains a cause or a context; a value of the environment."""
    old, new = list_texts(spot.old), list_texts(spot.new)
    is_caused = old == ["err"] and new[-2:] == ["err", ")"] and spot.head and spot.head[0].text == "return"
    text = write(spot.new)
    environment = ENVIRONMENT.search(text) if "env" in text.lower() else None
    if old[:2] in ([".", "unwrap"], [".", "expect"]) and new == ["?"]:
        yield spot.make("propagated", "unwrap", "?")
    elif is_caused or (new[:2] in ([".", "context"], [".", "with_context"]) and not old):
        yield spot.make("context", "", "context", "error")
    elif environment and len(old) <= 1:
        yield spot.make("environment", "", environment[1])


def _read_caught(spot: Spot) -> Iterator[Edit]:
    """An error that is handled beside others, or instead of another."""
    if not spot.is_code or not _CATCH.match(spot.text):
        return
    old = [token.text for token in spot.old if token.text[:1].isupper()]
    new = [token.text for token in spot.new if token.text[:1].isupper()]
    come, gone = [name for name in new if name not in old], [name for name in old if name not in new]
    if come or gone:
        yield spot.make("caught", join_names(gone or [""]), join_names(come or [""]))


def _read_renamed(spot: Spot) -> Iterator[Edit]:
    """What the line defines has another name."""
    if len(spot.old) != 1 or len(spot.new) != 1 or spot.old[0].kind != NAME:
        return
    language, text, new = spot.language, spot.text, spot.new[0].text
    symbol = language.read_symbol(text) if language.name else None
    in_type = spot.around.place[:1].isupper() and spot.holder.kind in ("", TYPE)
    if (symbol and symbol[0] == new) or (in_type and language.read_member(text) == new):
        yield spot.make("rename", spot.old[0].text, new)


def _read_modifier(spot: Spot) -> Iterator[Edit]:
    """Words before a declared name, or behind its parameters: `pub`, `final`, `async`, `const`, `UNIQUE`."""
    changed = list_texts([*spot.old, *spot.new])
    is_column = spot.language.name == "sql" and spot.holder.kind == TYPE
    if is_column and spot.moved and _OF_COLUMN.issuperset(changed):
        yield spot.make_moved("modifier", write(spot.moved), spot.head[0].text if spot.head else "")
    words = [token.text for token in (*spot.head, *spot.moved) if token.kind == NAME]
    if not spot.language.name and words[:1] == ["function"] and spot.following == "{" and words[-1:] == changed:
        # A modifier of Solidity is a function of its own.
        yield spot.make_moved("annotation", changed[0], words[1])
        return
    if spot.language.name == "protobuf" and changed == ["[", "deprecated", "=", "true", "]"] and spot.new:
        yield from [spot.make("deprecated", "", token.text) for token in spot.head[-3:-2]]
    if spot.language.name == "sql" and spot.moved and _OF_REFERENCE.match(write(spot.moved)) and spot.head:
        is_named = is_column and spot.head[0].text.upper() not in ("CONSTRAINT", "FOREIGN")
        yield spot.make_moved("keyword", write(spot.moved), spot.head[0].text if is_named else "the foreign key")
    if not spot.is_code or not MODIFIERS.issuperset(changed):
        return
    called = find_called(spot.before) if spot.following in ("{", ";", "=>", "=", "->", ":", "") else ""
    if called:
        yield spot.make("modifier", write(spot.old), write(spot.new), called)
    elif not spot.head or spot.head[-1].text in MODIFIERS | {"@"}:
        found = _DECLARED.match(write([token for token in spot.after if token.line == spot.after[0].line]))
        # `let` for `var` says something; either alone is another form of the statement, as is `const` of JavaScript.
        forms = {"let", "var", "val"}
        if spot.language.name == "javascript" and spot.following != "enum":
            forms.add("const")
        is_telling = not spot.moved or forms.isdisjoint(changed)
        if found and found[1] not in MODIFIERS and len(changed) <= 3 and is_telling:
            yield spot.make("modifier", write(spot.old), write(spot.new), found[1])


def _read_capture(spot: Spot) -> Iterator[Edit]:
    """A capture behind a node, in a query of tree-sitter."""
    moved = list_texts(spot.moved)
    if len(moved) != 1 or moved[0][0] != "@" or spot.language.name:
        return
    node = _NODE.search(write(spot.before))
    if node:
        yield spot.make_moved("captured", node[1], moved[0])


def _read_keyword(spot: Spot) -> Iterator[Edit]:
    """Words in the head of a statement of SQL: `DROP INDEX IF EXISTS x`."""
    words = [text.upper() for text in list_texts(spot.moved)]
    line = [token.text.upper() for token in (*spot.head, *spot.after) if token.line == spot.line]
    size = 1 if line[:1] == ["SELECT"] else 4
    statement = [word for word in line[:size] if word in _OF_STATEMENTS]
    is_head = len(statement) == 2 or statement == ["SELECT"]
    is_head = is_head and len(spot.head) <= _WORDS_OF_HEAD and not spot.holders
    if spot.language.name == "sql" and words and is_head and _OF_HEAD.issuperset(words):
        yield spot.make_moved("keyword", " ".join(words), " ".join(statement))


def _read_shorthand(spot: Spot) -> Iterator[Edit]:
    """A key of the same name as its value that gets another one: `{ name }` that became `{ name: name || "x" }`."""
    moved, text = list(spot.moved), write(spot.moved[1:])
    is_key = bool(spot.new) and len(moved) > 1 and moved[0].text == ":" and spot.holder.kind in (MAPPING, CALL)
    if not is_key or spot.before[-1].kind != NAME or spot.language.name != "javascript" or not is_balanced(moved):
        return
    if _TAKEN_APART.search(write([token for token in spot.after if token.line == spot.line])):
        return
    if moved[1].text == spot.previous and [token.text for token in moved[2:3]] in (["||"], ["??"]):
        yield spot.make_moved("default", write(moved[3:]), spot.previous)
    elif (
        len(moved) > 2
        and len(text) <= LONGEST
        and spot.following in (",", "}", "")
        and spot.second_previous in ("{", ",")
    ):
        yield spot.make("value", spot.previous, unquote(text), spot.previous)


def _read_tags(spot: Spot) -> Iterator[Edit]:
    """A tag of a field of Go: `json:"name"`."""
    marks = [token.text[:1] for token in (*spot.old, *spot.new)]
    # `Name string` stands before the tag of a field.
    is_field = spot.holder.kind not in (CALL, MAPPING) and spot.previous not in (*ASSIGNING, "(", ",", "return")
    if spot.language.name != "go" or set(marks) != {"`"} or not is_field:
        return
    old, new = (dict(_TAG.findall(write(side))) for side in (spot.old, spot.new))
    changed = [tag for tag in {**old, **new} if old.get(tag) != new.get(tag)]
    for tag in changed if len(changed) == 1 else ():
        text = f'{tag}:"{new[tag]}"' if tag in new else tag
        yield spot.make("tag", "" if tag in new else text, text if tag in new else "")


def _read_default(spot: Spot) -> Iterator[Edit]:
    """What a value is if it is missing: `x or {}`, `x ?? 1`, `x || "a"`."""
    moved, before = spot.moved, spot.before
    previous = spot.previous if spot.moved else ""
    texts = [f"{previous} {write(side)}".strip() for side in (spot.old, spot.new)]
    found = _DEFAULTED.search(texts[1])
    if found and texts[0] in (found[1], texts[1].replace(found[0], found[1], 1)):
        yield spot.make("default", "", found[2], found[1])
        return
    ends = spot.following in (*CLOSING, ",", ";", "") or spot.after[0].line != spot.line
    leaving = list_texts(spot.new[2:3]) if list_texts(spot.new[:2]) == ["?", ":"] else []
    declared = _DECLARED_VALUE.match(spot.text) if leaving in (["return"], ["throw"], ["continue"], ["break"]) else None
    if declared:
        yield spot.make("guard", "", say_guard(f"not {declared[1]}", leaving[0], is_negated=False))
        return
    if len(spot.old) == len(spot.new) == 1 and spot.previous in ("or", "??", "||") and ends:
        if not is_in_condition(spot) and before[1:]:
            yield spot.make("default", spot.old[0].text, spot.new[0].text, read_operand(before[:-1]))
        return
    if len(spot.old) == 1 and list_texts(spot.new[:2]) == [f"{spot.old[0].text}?", "??"] and _find_sign(spot):
        # `a: json["a"] as String? ?? ""` for `a: json["a"] as String`, of Dart
        yield spot.make("default", "", write(spot.new[2:]), name_value(before, _find_sign(spot)))
        return
    if len(moved) < 2 or not is_balanced(moved) or not ends:
        return
    word, value = moved[0].text, write(moved[1:])
    if spot.holder.kind == PARAMETERS and word == "=":
        yield spot.make_moved("default", value, name_value([*before, moved[0]], len(before)))
    elif word == "=" and spot.is_code and spot.head and spot.new:
        # A field or a variable that is declared with a value from now on.
        yield spot.make("value", "no value", value, name_value([*before, moved[0]], len(before)))
    elif spot.holder.kind == TYPE and word == "DEFAULT" and spot.head:
        yield spot.make_moved("default", value, spot.head[0].text)
    elif word in ("or", "??", "||") and before and not is_in_condition(spot):
        # What follows `or` may be another condition.
        is_value = before[-1].kind == NAME and COMPARISONS.isdisjoint(list_texts(moved))
        if moved[1].text == "throw":
            yield spot.make_moved("guard", say_guard(f"not {read_operand(before)}", "throw", is_negated=False))
        elif is_value or word == "??" or len(moved) == 2:
            yield spot.make_moved("default", value, read_operand(before))


def _read_member(spot: Spot) -> Iterator[Edit]:
    """A member of a union or a set of flags: `type A = "b" | "c"`."""
    moved = list(spot.moved)
    if len(moved) != 2 or "|" not in list_texts(moved):
        return
    place = len(spot.before) - 1
    while place > 0 and (spot.before[place].text == "|" or spot.before[place].kind in (NAME, STRING)):
        place -= 1
    member = moved[moved[0].text == "|"]
    if place > 0 and spot.before[place].text == "=" and member.kind in (NAME, STRING):
        yield spot.make_moved("item", member.text, name_value(spot.before, place))


def _read_returned(spot: Spot) -> Iterator[Edit]:
    """The type that a function is declared to return."""
    moved, symbol = list(spot.moved), spot.language.read_symbol(spot.text)
    ends = spot.is_code and spot.following in ("{", ":", "=>", "=", ";", "")
    if ends and len(moved) > 1 and moved[0].text in (":", "->") and spot.previous == ")" and symbol:
        yield spot.make_moved("returned", write(moved[1:]), symbol[0])
    is_one_line = bool(spot.new) and spot.new[0].line == spot.new[-1].line
    is_result = list_texts(spot.before[-2:]) in ([")", ":"], [")", "->"])
    if ends and symbol and spot.old and is_one_line and is_result:
        yield spot.make("returned", write(spot.old), write(spot.new), symbol[0])


def _read_type(spot: Spot) -> Iterator[Edit]:
    """The type of a parameter, a field or a column that changed."""
    language, start, end = spot.language.name, len(spot.before), 0
    if not spot.is_code or not start or language == "ruby" or not is_balanced(spot.new) or not is_balanced(spot.old):
        return
    kinds = [holder.kind for holder in spot.holders]
    are_numbers = {token.kind for token in (*spot.old, *spot.new)} == {NUMBER} and not spot.moved
    if (
        language == "sql"
        and kinds[-2:] == [TYPE, CALL]
        and len(spot.head) == 3
        and are_numbers
        and spot.following == ")"
    ):
        # The length of a text.
        old, new = (f"{spot.head[1].text}({write(side)})" for side in (spot.old, spot.new))
        yield spot.make("type", old, new, spot.head[0].text)
        return
    moved = list_texts(spot.moved)
    is_annotation = language == "python" and moved[:1] == [":"] and len(moved) > 1 and "=" not in moved
    # A variable that is declared begins its line: `a[1:b]` and `{a: b}` have no types.
    is_variable = not spot.holders and is_path(spot.head) and spot.following in ("=", "")
    if is_annotation and (is_variable or spot.holder.kind == PARAMETERS):
        yield spot.make_moved("annotated", write(spot.moved[1:]), spot.previous)
        return
    while start and spot.before[start - 1].text not in (":", ",", "=", *OPENING, *CLOSING) and spot.previous != ":":
        start -= 1
    after = [token for token in spot.after if token.line == spot.line]
    while end < len(after) and after[end].text not in (",", "=", ";", "{", *CLOSING):
        end += 1
    name, whole = "", spot.widen(start, end)
    following = after[end].text if end < len(after) else ""
    # Far below its bracket, an entry of a literal looks like a field.
    is_declared = spot.holder.kind in (PARAMETERS, TYPE) or following == "=" or (language == "python" and not following)
    sign = spot.before[start - 1] if start > 1 else None
    is_typed = (
        sign is not None and sign.text == ":" and sign.line == spot.line and "lambda" not in list_texts(spot.head)
    )
    if is_typed and is_declared and language and spot.holder.kind not in (MAPPING, CALL):
        name = name_value(spot.before, start - 1)
    elif spot.holder.kind == TYPE and spot.before[-1].kind == NAME and language in ("sql", "go"):
        name, whole = spot.before[-1].text, spot
    elif language in _TYPES_FIRST and after and after[0].kind == NAME:
        is_first = spot.previous in ("(", ",") or MODIFIERS.issuperset(list_texts(spot.head))
        ends = list_texts(after[1:2]) in ([], ["="], [";"], [","], [")"], ["{"])
        are_types = all(_TYPE_NAME.match(write(side)) for side in (spot.old, spot.new))
        name, whole = (after[0].text, spot) if is_first and ends and are_types else ("", whole)
    old, new = write(whole.old), write(whole.new)
    can_say = old and len(old + new) <= LONGEST and new and {"(", "{", '"', "'"}.isdisjoint(new)
    if name and name not in MODIFIERS and can_say:
        yield spot.make("type", old, new, name.rstrip("?"))


def _read_pinned(spot: Spot) -> Iterator[Edit]:
    """A version that is required exactly from now on: `=1.2` for `1.2` or `^1.2`."""
    if len(spot.old) == len(spot.new) == 1 and spot.previous in ASSIGNING:
        old, new = spot.old[0].text.strip("\"'"), spot.new[0].text.strip("\"'")
        version = new.lstrip("=")
        is_same = version == old.lstrip("^~><= ") or not old.startswith("=")
        if version[:1].isdigit() and new not in (version, old) and is_same:
            yield spot.make("pinned", old, version, spot.key)


def _read_value(spot: Spot) -> Iterator[Edit]:
    """A value of a key, a constant or a field that changed."""
    language = spot.language.name
    # `10 * time.Second` for `10` is another value, too.
    is_other = spot.new and (spot.old or spot.new[0].text in _ARITHMETIC)
    sign = _find_sign(spot) if is_other and spot.new[0].line == spot.new[-1].line else 0
    key = name_value(spot.before, sign) if sign else ""
    if not key or key in _COMMANDS or is_versioned(key):
        return
    if spot.head and spot.head[0].text == "let" and not spot.is_code:
        return  # a function, of OCaml
    if spot.before[sign].text == "=>" and language in ("rust", "jvm", "csharp"):
        return  # what a case gives
    is_key = not spot.is_code or spot.before[sign - 1].kind == STRING or spot.holder.kind == MAPPING
    if spot.before[sign].text == ":" and not is_key and language not in ("", "ruby"):
        # What follows is a type.
        return
    head = [*spot.before[sign + 1 :]]
    rest: list[Token] = []
    for token in spot.after:
        depth = len(find_open([*head, *spot.new, *rest]))
        if not depth and (token.text in (",", ";", *CLOSING) or token.line != spot.new[-1].line):
            break
        rest.append(token)
    old, new = [*head, *spot.old, *rest], [*head, *spot.new, *rest]
    text, text_gone = write(new), write(old)
    # What has a key of its own is no value.
    has_key = not spot.is_code and new[0].text not in OPENING and ":" in list_texts(new)
    is_plain = not spot.is_code or text.isalnum() or _PLAIN.match(text)
    if has_key or not is_plain or not is_balanced(new) or not is_balanced(old) or len(text) > LONGEST:
        return
    if spot.holder.kind == CALL and spot.holder.position < sign and spot.before[sign].text == "=":
        yield spot.make("argument", f"{key}={text_gone}", f"{key}={text}", spot.holder.name)
    elif key in ("name", "title") and not language:
        yield spot.make("name", text_gone.strip("\"'"), text.strip("\"'"))
    else:
        yield spot.make("value", unquote(text_gone), unquote(text), key)


def _find_sign(spot: Spot) -> int:
    """Return the position of the sign of the assignment in whose value the place is, or 0.

    A value may be made of others: `x = const Duration(minutes: 1)`.
    """
    depth, is_made = 0, False
    for place in range(len(spot.before) - 1, max(0, len(spot.before) - 9), -1):
        token, name = spot.before[place], spot.before[place - 1]
        if token.text == "(" and not depth and not is_made and name.text[:1].isupper() and not name.text.isupper():
            is_made = True
            continue
        depth += (token.text in CLOSING) - (token.text in OPENING)
        is_above = token.line < spot.line and place < len(spot.before) - 1
        if depth < 0 or is_above or (token.text in (",", ";", "?", "&&", "||") and not depth):
            return 0
        if token.text in ASSIGNING and not depth and not (is_made and token.text == ":"):
            return place
    return 0


def _read_directive(spot: Spot) -> Iterator[Edit]:
    """The value behind a word: `targetSdk 35`, `worker_processes 4;`, `#define LIMIT 4`."""
    words = [word for word in list_texts(spot.head) if word != "#define"]
    if [word.lower() for word in words[:2]] in (["option", "("], ["set", "("]) and not spot.language.name:
        # A variable of CMake, and an option with its description.
        is_described = words[3:] and words[3][0] == '"'
        is_value = spot.following == ")" and len(words) == (4 if is_described else 3)
        is_value = is_value and len(spot.old) == len(spot.new) == 1 and not VERSION.match(spot.new[0].text)
        if is_value:
            yield spot.make("value", unquote(spot.old[0].text), unquote(spot.new[0].text), words[2])
        return
    is_ended = spot.following == ";" and not spot.is_code
    is_one = 0 < len(words) <= 1 + is_ended and len(spot.old) == len(spot.new) == 1 and spot.head[0].kind == NAME
    ends = spot.following in (";", "}", "") or spot.after[0].line != spot.line
    if not is_one or not ends or (not is_ended and spot.new[0].kind in (NAME, SIGN)) or not words[0].isidentifier():
        return
    old, new = unquote(spot.old[0].text), unquote(spot.new[0].text)
    if " " not in new and words[0] not in NOT_CALLS | MODIFIERS | {"break", "continue", "raise", "abort"}:
        yield spot.make("value", old, new, " ".join(words))


def _read_entry(spot: Spot) -> Iterator[Edit]:
    """What came to a list, a call or another holder, or went from it, as whole entries."""
    moved = list(spot.moved)
    is_select = not spot.holder.kind and "SELECT" in write(spot.before).upper().split()
    listed = "" if spot.holder.kind or spot.is_code else _find_listed(spot)
    role = "item" if is_select or listed else ROLES.get(spot.holder.kind)
    signs = [token.text for token in (*moved, *spot.after) if token.text in ("{", ";")]
    if moved and signs[:1] == ["{"] and spot.language.endings == "css scss less" and spot.holder.kind != CALL:
        # A selector of a rule that has others.
        if "," in (moved[0].text, moved[-1].text) and is_balanced(moved):
            yield spot.make_moved("item", write(moved).strip(", "))
        return
    if not moved or role is None or not is_balanced(moved):
        return
    if spot.holder.name in ("derive", "deriving"):
        yield spot.make_moved("derive", write(moved).strip(", "), _find_deriving(spot))
        return
    if role == "parameter" and spot.language.name == "go" and is_path(moved[1:]) and moved[0].text == ",":
        # `a string` that became `a, b string`.
        yield spot.make_moved(role, write(moved[1:]), spot.holder.name)
        return
    starts = moved[0].text == "," or spot.previous in (*OPENING, ",", ";") or moved[-1].text == ","
    ends = moved[-1].text == "," or spot.following in (*CLOSING, ",", "") or (is_select and moved[0].text == ",")
    if starts and ends:
        for edit in make_entries(spot, role, split_entries(moved)):
            edit.holder = listed or edit.holder
            yield edit
    elif role in ("item", "argument") and _is_apart(spot) and all(token.kind != SIGN for token in moved):
        # In lists without commas, blanks or lines stand between items.
        yield from make_entries(spot, role, [[token] for token in moved] if role == "item" else [moved])


def _is_apart(spot: Spot) -> bool:
    """Whether no commas stand between what a list has: in data, and in languages such as Nix and CMake."""
    listed = list_texts([*spot.before[spot.holder.position + 1 :], *spot.moved])
    is_list = spot.holder.kind == LIST and "nix" in spot.language.endings and spot.following not in (".", ",")
    # In Julia a list may have a loop, and in CMake a word such as CACHE says what follows.
    are_items = NOT_CALLS.isdisjoint(listed) and not any(text == "," or text.isupper() for text in listed)
    return are_items and (is_list or not spot.is_code)


def _find_listed(spot: Spot) -> str:
    """Return the key whose value is a list of single words without quotes, as `labels: bug,wontfix`; else nothing."""
    sign = next((place for place, token in enumerate(spot.head) if token.text in ASSIGNING), 0)
    line = [token.text for token in (*spot.head[sign + 1 :], *spot.moved)]
    are_words = sign > 0 and set(line[1::2]) == {","}
    return name_value(spot.head, sign) if are_words else ""


def _find_deriving(spot: Spot) -> str:
    """Return the type that derives: it is defined below in Rust, and above or on the same line in Haskell."""
    symbol = spot.language.read_symbol(spot.text)
    if spot.holder.name == "deriving":
        return symbol[0] if symbol else spot.around.place
    return find_defined(spot.language, spot.around.below)


def _read_replaced_entry(spot: Spot) -> Iterator[Edit]:
    """An argument, an item or a parameter that another one replaced."""
    role, language = ROLES.get(spot.holder.kind, ""), spot.language.name
    is_plain = not spot.is_code and role == "item"
    if spot.holder.name.endswith("property") and spot.language.name == "c" and len(spot.old) == len(spot.new) == 1:
        # What a property of Objective-C is, which ends its line.
        names = [token.text for token in spot.after if token.kind == NAME and token.line == spot.line]
        yield spot.make("modifier", spot.old[0].text, spot.new[0].text, names[-1] if names else "")
        return
    starts = is_plain or spot.previous in (*OPENING, ",")
    ends = is_plain or spot.following in (*CLOSING, ",", "", ":", "=")
    is_whole = starts and ends and is_balanced(spot.old) and is_balanced(spot.new) and not spot.moved
    parts = split_entries(spot.new)
    # `"--log", "debug"` is one flag, `"--log", "--debug"` are two.
    flags = [unquote(part[0].text).startswith("-") for part in parts]
    is_flag = role == "item" and flags == [True, False]
    if role not in ("argument", "item", "parameter") or not is_whole or (len(parts) != 1 and not is_flag):
        return
    if role == "item" and spot.is_code and ":" in list_texts(spot.new[1:2]):
        return  # the type of a parameter of `x = (a: T) => b`
    if role == "parameter" and list_texts(spot.new)[-len(spot.old) :] == list_texts(spot.old):
        return  # `*Cart` became `cart *Cart`
    old, new = write_entry(spot.old, role, language), " ".join(write_entry(part, role, language) for part in parts)
    flag = spot.second_previous.strip("\"'") if spot.previous == "," else ""
    if spot.holder.name in ("derive", "deriving"):
        yield spot.make("derive", old, new, _find_deriving(spot))
    if old == new and role == "parameter" and spot.old[-1].text == spot.new[-1].text == new:
        yield spot.make("type", write(spot.old[:-1]), write(spot.new[:-1]), new)
    if not old or not new or old == new or spot.text.lstrip()[:1] == "#":
        return
    if role == "item" and flag.startswith("-") and not new.startswith("-"):
        yield spot.make("value", old, new, flag)
    elif role == "argument" and _EXPECTING.match(spot.holder.name) and not _NEGATED.search(spot.text):
        yield spot.make("expected", old, new)
    elif role in ("argument", "parameter") or any(char.isalpha() for char in old + new):
        yield spot.make(role, old, new, spot.holder.name)


def _read_part(spot: Spot) -> Iterator[Edit]:
    """A part of an argument or an item that changed: all of it did."""
    start, end = len(spot.before), 0
    while start and spot.before[start - 1].text not in (*OPENING, ",", *CLOSING):
        start -= 1
    while end < len(spot.after) and not (spot.after[end].text in (",", *CLOSING) and is_balanced(spot.after[:end])):
        end += 1
    head, rest = spot.before[start:], spot.after[:end]
    is_reference = list_texts(spot.moved) == ["&"] and not head and spot.language.name == "rust"
    if is_reference and spot.holder.kind == CALL and len(write(rest)) > LONGEST:
        yield spot.make_moved("borrowed", "an argument", spot.holder.name)
        return
    if spot.is_code and spot.previous not in ASSIGNING and 0 < len(head) + end <= _ENTRY_TOKENS:
        whole = spot.widen(start, end)
        yield from read_wrapped(whole)
        yield from _read_replaced_entry(whole)


def _read_word(spot: Spot) -> Iterator[Edit]:
    """One name or literal in the place of another."""
    texts = {*list_texts(spot.old), *list_texts(spot.new)}
    kinds = {token.kind for token in (*spot.old, *spot.new)}
    is_single = len(spot.old) == len(spot.new) == 1 and kinds <= {NAME, STRING}
    is_name = is_single or (is_path(spot.old) and is_path(spot.new))
    literals = set() if texts == {"NULL", "nullptr"} else _LITERALS
    if not is_name or texts & (literals | MODIFIERS | NOT_CALLS | COMPARISONS):
        return
    old, new = unquote(write(spot.old)), unquote(write(spot.new))
    is_pattern = STRING in kinds and spot.new[0].text[0] == "/"
    is_said_otherwise = is_pattern or (VERSION.match(old) and VERSION.match(new))
    is_short = max(len(old), len(new)) <= LONGEST and not set(" {}\"'`$") & set(old + new)
    if old != new and is_short and not is_said_otherwise:
        yield spot.make("word", old, new)


_READERS: Sequence[Callable[[Spot], Iterator[Edit]]] = (
    read_listed,
    read_script,
    _read_attribute,
    read_context,
    read_formatted,
    read_text,
    _read_import,
    _read_optional,
    _read_error,
    _read_caught,
    _read_renamed,
    _read_modifier,
    _read_capture,
    _read_keyword,
    read_word_of_call,
    read_wrapped,
    read_method,
    read_result,
    read_labels,
    _read_shorthand,
    _read_tags,
    _read_default,
    _read_member,
    _read_returned,
    read_choice,
    read_condition,
    _read_type,
    read_callee,
    read_other_call,
    _read_pinned,
    _read_value,
    _read_directive,
    _read_entry,
    _read_replaced_entry,
    _read_part,
    _read_word,
    read_part_of_string,
)
