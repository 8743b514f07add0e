"""The roles of places around calls: what is called, awaited or kept, and calls around what stood alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change.edits import LONGEST, NOT_CALLS, PARAMETERS, Edit, Spot, find_path_end, read_path
from smartcommit.change.strings import find_wrapping
from smartcommit.change.tokens import NAME, STRING, Token, count_open, find_open, is_balanced, list_texts, write
from smartcommit.change.wording import mentions_secret
from smartcommit.patterns import compile_on_use

# What only holds a value.
_VARIANT = compile_on_use(r"(?:Some|Ok|Err|None|Box|Just|Right|Left)\Z")
# A name of a path with the sign behind it.
_STEP = compile_on_use(r"[^.:]+(?:\.|:+)?")
_MEMBER_SIGNS = (".", "?.", "::", "->")
# An argument that is a single word.
_GIVEN = compile_on_use(r"\((?::?[a-z_]{2,20}|'[a-z_]{2,20}'|\"[a-z_]{2,20}\")\)")
# Methods that Scala calls without parentheses.
_CALLED_BARE = compile_on_use(r"(?:trim|strip|distinct|sorted|reverse|flatten|to[A-Z]\w+|headOption|lastOption)\Z")
# What stands before the name of a function that is defined.
_DEFINING = (["def"], ["func"], ["fn"], ["function"])


def read_word_of_call(spot: Spot) -> Iterator[Edit]:
    """Words around a call: a test that is skipped, as in `it.skip("...")`, a call that is awaited, and one `try`."""
    moved = list_texts(spot.moved)
    title = next((token.text for token in spot.after if token.kind == STRING), "")
    if moved in ([".", "skip"], [".", "todo"]) and title and spot.following == "(":
        yield spot.make_moved("skip", "skip", title if len(title) <= LONGEST else "a test")
    elif moved in ([".", "await"], ["await", "."]):
        yield spot.make_moved("await", "await", find_called(spot.before))
    elif moved == ["await"]:
        yield spot.make_moved("await", "await", read_path(spot.after, find_path_end(spot.after, 0)))
    elif moved[:4] in (["[", "weak", "self", "]"], ["[", "unowned", "self", "]"]) and spot.previous == "{":
        yield spot.make_moved("modifier", moved[1], "self")
    elif moved == ["try"] and not spot.head and spot.language.name == "jvm":
        yield spot.make("layout", "x", "x")


def find_called(tokens: Sequence[Token]) -> str:
    """Return the name before the parentheses that end `tokens`, or an empty text."""
    opened = find_open(tokens[:-1])
    is_call = bool(opened) and tokens[-1].text == ")" and tokens[opened[-1] - 1].kind == NAME
    return read_path(tokens, opened[-1] - 1) if is_call else ""


def read_wrapped(spot: Spot) -> Iterator[Edit]:
    """A call around what stood alone, or the other way around."""
    # Of `f(x)` that became `g(f(x))`, the bracket at the end is the same.
    end = spot.after[: max(0, count_open(spot.old))]
    old, new = [*spot.old, *end], [*spot.new, *end]
    caller = find_wrapping(list_texts(old), list_texts(new))
    called_before = find_wrapping(list_texts(new), list_texts(old))
    is_member = spot.previous in (".", "?.", "::", "->")
    if (caller or called_before) and is_balanced(old) and not is_member:
        inner = write(old if caller else new)
        if len(inner) > LONGEST:
            yield spot.make("call", called_before, caller)
        else:
            yield spot.make("wrapped", called_before, caller, inner)


def read_method(spot: Spot) -> Iterator[Edit]:
    """A method that is called on what stood alone, `x.trim()` for `x`, or a call of what was only named."""
    texts = list_texts(spot.moved)
    while texts[-1:] == ["?"]:
        texts.pop()
    if not spot.is_code or not spot.before or len(texts) < 2 or spot.following == "(":
        return
    operand, language = read_operand(spot.before), spot.language
    is_bare = language.calls_bare or (language.name == "jvm" and _CALLED_BARE.match(texts[1]))
    if len(texts) == 2 and texts[0] == "." and is_bare:
        yield spot.make_moved("method", texts[1], operand)
    is_between = texts[-1] in _MEMBER_SIGNS and spot.previous in _MEMBER_SIGNS and find_open(spot.moved[:-2]) == [1]
    if is_between and spot.before[1:]:
        # `Post.all()` that became `Post.recent().all()`
        given = write(spot.moved[1:-1])
        if not _GIVEN.fullmatch(given) or mentions_secret(spot.text):
            given = ""
        yield spot.make_moved("method", texts[0] + given, read_operand(spot.before[:-1]))
    if texts[-1] != ")":
        return
    symbol = language.read_symbol(spot.text) if language.name else None
    is_defined = symbol is not None and symbol[0] == spot.previous
    has_function = spot.following == "{" and language.name in ("jvm", "swift") and not symbol
    if has_function and texts[0] == "(" and len(texts) > 2 and operand != "init":
        # `launch(Dispatchers.IO) {` for `launch {`
        yield spot.make_moved("argument", write(spot.moved[1:-1]), operand)
        return
    if texts == ["(", ")"] and operand and operand not in NOT_CALLS and not is_defined:
        yield spot.make_moved("called", "()", operand)
    is_one = texts[0] in (".", "?.") and texts[2:3] == ["("] and find_open(spot.moved[: len(texts) - 1]) == [2]
    if is_one:
        yield spot.make_moved("method" if operand else "call", texts[1], operand)


def read_result(spot: Spot) -> Iterator[Edit]:
    """A value that is kept from now on: `x.trim()` that became `x = x.trim()`."""
    texts, name = list_texts(spot.moved), spot.previous
    is_kept = texts == ["=", name] and list_texts(spot.head) == [name] and spot.is_code
    value = [*spot.moved[1:], *[token for token in spot.after if token.line == spot.line]] if is_kept else []
    end = find_path_end(value, 0) if value else 0
    if end and list_texts(value[end + 1 : end + 2]) in ([], ["("]):
        yield spot.make_moved("result", read_path(value, end))


def read_callee(spot: Spot) -> Iterator[Edit]:
    """A call of something else with the same arguments."""
    if len(spot.moved) == 2 and spot.moved[0].text == "." and spot.before and spot.before[-1].kind == NAME:
        # `Response(` that became `Response.build(`.
        spot = spot.widen(len(spot.before) - 1, 0)
    elif spot.moved[1:] and spot.moved[-1].text == "." and spot.after and spot.after[0].kind == NAME:
        # `shop.add(` that became `shop.cart.add(`.
        spot = spot.widen(len(spot.before), 1)
    sides = [side[list_texts(side[:1]) == ["await"] :] for side in (spot.old, spot.new)]
    end = 0
    while list_texts(spot.after[end : end + 1]) == ["."] and end + 2 < len(spot.after):
        end += 2
    if list_texts(spot.after[end : end + 1]) == ["("] and all(is_path(side) for side in sides):
        behind = spot.after[:end]
        yield from _compare_called(spot, [[*side, *behind] for side in sides])


def read_other_call(spot: Spot) -> Iterator[Edit]:
    """A call of something else with other arguments: `x.split(",")` that became `x.list_parts()`."""
    sides = []
    for side in (spot.old, spot.new):
        opened = list_texts(side).index("(") if "(" in list_texts(side) else 0
        whole = [*side, *spot.after[: max(0, count_open(side))]]
        if not opened or not is_path(side[:opened]) or not is_balanced(whole) or whole[-1].text != ")":
            return
        if find_open(whole[:-1]) != [opened]:
            return  # what is called on the result differs, too
        sides.append(side[:opened])
    if not _VARIANT.match(write(sides[1])) and list_texts(spot.head[-1:]) != ["new"]:
        yield from _compare_called(spot, sides)


def _compare_called(spot: Spot, sides: Sequence[Sequence[Token]]) -> Iterator[Edit]:
    """Yield that something else is called, of which the `sides` are the ends of the names."""
    paths = [read_path([*spot.before, *side], len(spot.before) + len(side) - 1) for side in sides]
    parts, others = [_STEP.findall(path) for path in paths]
    while len(parts) > 1 and len(others) > 1 and parts[0] == others[0] and parts[0][0].islower():
        parts, others = parts[1:], others[1:]
    if [part.replace("?", "") for part in others] == parts and spot.language.name == "swift":
        # `self` may be gone in a function that captures it weakly.
        yield spot.make("layout" if parts[0] == "self." else "missing", "", "?", "".join(parts).rpartition(".")[0])
        return
    is_defined = spot.holder.kind == PARAMETERS or list_texts(spot.head[-1:]) in _DEFINING
    if spot.is_code and not is_defined and parts != others and NOT_CALLS.isdisjoint(paths):
        yield spot.make("callee", "".join(parts), "".join(others))


def read_operand(tokens: Sequence[Token]) -> str:
    """Return the value that ends `tokens`: a name, with what it is reached by, and an index or a call behind it."""
    opened = find_open(tokens[:-1]) if tokens[-1].text in ("]", ")") else [len(tokens)]
    if tokens[-1].text.endswith("?"):
        return ""
    end = opened[-1] - 1 if opened else -1
    return read_path(tokens, end) + write(tokens[end + 1 :]) if end >= 0 and tokens[end].kind == NAME else ""


def is_path(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a name with those that it is reached by."""
    signs = set(list_texts(tokens[1::2]))
    return len(tokens) % 2 == 1 and all(token.kind == NAME for token in tokens[::2]) and signs <= {".", "::", "->"}
