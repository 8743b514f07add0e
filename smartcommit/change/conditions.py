"""Reads what changed in conditions: parts of them, comparisons, and conditions around what was there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from smartcommit.change.edits import ASSIGNING, CALL, CONDITION, LIST, MAPPING, Edit, Spot
from smartcommit.change.text import drop_parentheses
from smartcommit.change.tokens import CLOSING, OPENING, Token, is_balanced, list_texts, unquote, write
from smartcommit.change.wording import mentions_secret
from smartcommit.patterns import compile_on_use, list_words

_CONDITION_LENGTH = 50
COMPARISONS = list_words("== != === !== < > <= >= =~ !~ is eq ne lt gt le ge ~=")
_JOINING = {"&&", "||", "and", "or"}
# A name, a number or a simple call that is a whole side of a comparison.
_SIDE = r"([\w$]+(?:(?:\.|->|::)[\w$]+)*(?:\([\w.]*\))?{})"
_LEFT_SIDE = compile_on_use(
    r"(?:\A|[(\[{,;!]|&&|\|\||\b(?:if|elif|elsif|while|unless|until|guard|return|and|or|not|when|assert)\b) ?"
    + _SIDE.format("|")
    + r"\Z"
)
_RIGHT_SIDE = compile_on_use(
    r"-?" + _SIDE.format("") + r"(?:\Z| ?(?:[)\]}:;,{?]|&&|\|\||(?:and|or|else|then|do|throw)\b))"
)
_OPERATORS = list_words("+ - * / % .. << >> & | ^ ?? || ** // += -= and or &&")
_CONDITIONAL_WORDS = ("if", "while", "unless", "until", "&&", "||", "and ", "or ")  # one of them is in each
_CONDITIONAL = compile_on_use(
    r"(?:\} ?)?(?:else )?(?:\{ ?[#@:]?)?(?:if|#if|elif|elsif|while|unless|until)\b(?!.*(?:\bthen\b|(?<!\$)\{))(?!.*:\Z)"
    r"|&&|\|\||and |or "
)
# A condition at the head of a block, which binds no name.
CHECK = compile_on_use(r"if ?((?!let\b)(?!.*(?:;|:=|[^=!<>]=[^=>]|\|\||\bor\b)).{1,50}?) ?(?:\{|:|then)\Z")

_TESTED = compile_on_use(
    r"\(?(?:not |! ?)(?P<no>[\w$.]+(?:\([^()]*\))?)\)?\Z"
    r"|\(?(?P<none>[\w$.>-]+) ?(?:===?|is) ?(?P<null>None|null|nil|undefined|NULL|nullptr)\)?\Z"
    r"|\(?(?P<empty>[\w$.>-]+?)(?:\.is_none\(\)|\.is_empty\(\)|\.isEmpty\(\)|\.empty\?|\.nil\?|\.length ?===? ?0)\)?\Z"
)
# Names of what is true or false.
_ASKING = compile_on_use(r"(?:[iI]s|[hH]as|[cC]an|[sS]hould|[wW]as|[nN]eeds|[sS]upports)(?=[A-Z_]|\Z)|\w+(?:ed|able)\Z")
_ACTS = {"return": "return early", "continue": "skip the rest", "next": "skip the rest", "break": "stop"}
# A condition around a statement that was there before, also of a shell.
GUARDED = compile_on_use(r"if\b ?(?:\[\[? ?)?(.{1,80}?)(?: ?\]\]?)?;? ?(?:\{|:|then|)\Z")
# What one statement does: it sets something, or calls something.
_SET = compile_on_use(
    r"(?:self\.|this\.)?(?P<name>[A-Za-z_$@](?:[\w$.>\[\]'\"-]*[\w\]])?) ?= ?(?P<value>[^=>~ ].*?);?\Z"
)
# A variable of a shell in quotes.
_VARIABLE = compile_on_use(r"\"\$\{?(\w+)[^}\"]*\}?\"")
_CALL = compile_on_use(
    r"(?:await |yield )?(?:self\.|this\.)?(?P<name>(?:[\w$@]+(?:\.|::|->|\?\.))*[\w$]{4,}[!?]?)\(.*\)[;?]*\Z"
)
# Calls that say nothing of what is done.
ASSERTING = compile_on_use(
    r"(?:assert|expect|print|(?:it|test|describe|context|before|after)(?:Each|All)?(?:\.\w+)?\Z|console\.|log\b|fmt\.S?Print|require\.|super\b|System\.out|t\.)|.*Error"
)
# Those that were left from a search for errors.
PRINTING = compile_on_use(r"(?:console\.\w+|print|dbg!|var_dump|fmt\.Print\w*)\Z")
_LOGGING = compile_on_use(r"(?i)(?:.*[._])?(?:s?log|logger|logging)\b")
_BEFORE_VALUE = {*ASSIGNING, *OPENING, ",", "return", "=>"}
_NONE = {"nil", "null", "None", "undefined", "0", '""', "''"}
_SAID_LENGTH = 64
_VALUE_LENGTH = 24


def unwrap(text: str) -> str:
    """Return a condition without the parentheses around all of it, and without a negation in front."""
    return drop_parentheses(text).removeprefix("not ").removeprefix("!")


def say_guard(test: str, leaving: str, *, is_negated: bool) -> str:
    """Return what a condition at the head of a function does, in words; empty if its code is unclear."""
    return say_when(_ACTS.get(leaving, "fail"), test, is_negated=is_negated, without="without")


def say_when(act: str, test: str, *, is_negated: bool = False, without: str = "") -> str:
    """Return an act with its condition; empty if its code is unclear. `without` is said of what may be missing."""
    when, unless = ("unless", "if") if is_negated else ("if", "unless")
    test = drop_parentheses(test.strip())
    if test == "err != nil":
        return ""  # every call of Go is followed by it
    found = _TESTED.match(test)
    if found and found["empty"]:
        null = {".nil?": "nil", ".is_none()": "None"}.get(test[found.end("empty") :].rstrip(" )"), "empty")
        return f"{act} {when} {found['empty']} is {null}"
    if found and found["none"]:
        return f"{act} {when} {found['none']} is {found['null']}"
    if found:
        is_asked = is_negated or "(" in found["no"] or _ASKING.match(found["no"].rpartition(".")[2])
        return f"{act} {unless if is_asked or not without else without} {found['no']}"
    is_code = test.count("(") != test.count(")") or any(sign in test for sign in ("{", ";", " = ", ":="))
    return "" if is_code else f"{act} {when} {test}"


def say_conditional(test: str, statement: str, *, only: str = "") -> str:
    """Return what a statement does under a condition, in words; empty if one of them is unclear or too long."""
    test = _VARIABLE.sub(r"\1", drop_parentheses(test.strip()))
    statement = statement.removeprefix("_ = ")  # Go leaves a result out by that
    made = _SET.match(statement)
    acts: list[str] = []
    if made:
        name, value = made["name"], made["value"]
        left, _, right = test.replace("===", "==").replace(" is ", " == ").partition(" == ")
        is_default = (left == name and right in _NONE) or test in (f"!{name}", f"not {name}")
        if is_default and not only and len(value) <= _VALUE_LENGTH:
            return f"default {name} to {value}"
        acts = [f"set {name} to {value}"] * (len(value) <= _VALUE_LENGTH and not only) + [f"set {name}"]
    elif (called := _CALL.match(statement)) and not (ASSERTING.match(called["name"]) or is_logged(called["name"])):
        acts = [f"call {called['name']}"]
    for act in acts:
        said = say_when(f"{act}{only}", test)
        if 0 < len(said) <= _SAID_LENGTH:
            return said
    return ""


def is_logged(call: str) -> bool:
    """Whether a call, or the name of what it calls, writes to a log."""
    return _LOGGING.match(call.partition("(")[0]) is not None


def is_in_condition(spot: Spot) -> bool:
    """Whether the place is in the condition of a statement, and in no list or function within that."""
    kinds = [holder.kind for holder in spot.holders]
    if CONDITION in kinds:
        return not {LIST, MAPPING, "block"} & set(kinds[kinds.index(CONDITION) :])
    head = write(spot.head)
    return any(word in head for word in _CONDITIONAL_WORDS) and _CONDITIONAL.match(head) is not None


def read_choice(spot: Spot) -> Iterator[Edit]:
    """A value that depends on a condition from now on, or no longer does: `x` that became `a ? x : b`."""
    whole = _widen(spot)
    sides = _split_choice(whole.old), _split_choice(whole.new)
    choice, kept = sides[1] or sides[0], list_texts(whole.old if sides[1] else whole.new)
    # The value of a lambda has a colon before it as well.
    if (sides[0] and sides[1]) or choice is None or not kept or "lambda" in list_texts(whole.head):
        return
    condition, yes, no = choice
    if kept not in (list_texts(yes), list_texts(no)):
        return
    is_first = kept == list_texts(yes)
    other = write(no if is_first else yes)
    key = whole.key if whole.previous in ASSIGNING else ""
    if key:
        act = f"set {key} to {other}"
    elif whole.previous == "return":
        act = f"return {other}"
    else:
        act = f"pass {other} to {whole.holder.name}" if whole.holder.kind == CALL else f"use {other}"
    said = say_when(act, write(condition), is_negated=is_first)
    if 0 < len(said) <= _SAID_LENGTH and len(other) <= _VALUE_LENGTH:
        yield spot.make("done", *("", said) if sides[1] else (said, ""))


def _widen(spot: Spot) -> Spot:
    """Return the place with all of the value that it is in."""
    start, end, depth = len(spot.before), 0, 0
    while start and (depth or spot.before[start - 1].text not in _BEFORE_VALUE):
        start -= 1
        depth += (spot.before[start].text in CLOSING) - (spot.before[start].text in OPENING)
    for token in spot.after:
        if token.line != spot.line or (not depth and token.text in (",", ";", *CLOSING)):
            break
        end += 1
        depth += (token.text in OPENING) - (token.text in CLOSING)
    return spot.widen(start, end)


def _split_choice(tokens: Sequence[Token]) -> Sequence[Sequence[Token]] | None:
    """Return the condition of `c ? a : b`, or of `a if c else b`, and what it chooses from; one may be outside."""
    signs = (("?", ":"), ("if", "else"))
    for first, second in signs:
        depth = 0
        places: list[int] = []
        for place, token in enumerate(tokens):
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if not depth and token.text == (first, second)[len(places) % 2]:
                places.append(place)
        if len(places) == 2:
            parts = tokens[: places[0]], tokens[places[0] + 1 : places[1]], tokens[places[1] + 1 :]
            return parts if first == "?" else (parts[1], parts[0], parts[2])
    return None


def _is_asked(spot: Spot) -> bool:
    """Whether the place is in what a value is chosen by, `a ? b : c`, or in the guard of a case, `x if a => b`."""
    behind = write([token for token in spot.after if token.line == spot.line])
    is_guard = "if" in list_texts(spot.head) and "=>" in behind
    return is_guard or (spot.holder.kind != CALL and " ? " in behind and " : " in behind)


def _find_decided(spot: Spot) -> str:
    """Return the key or variable whose value asks what came to it, or went from it; empty if it may be no question."""
    whole = _widen(spot)
    following = [token.text for token in spot.after if token.line == spot.line]
    is_choice = "?" in following or ("if" in list_texts(spot.head) and "else" in following)
    is_asked = is_choice or not COMPARISONS.isdisjoint(list_texts(spot.moved)) or spot.moved[1].text in ("!", "not")
    # `a && a.b`
    is_same = list_texts(spot.after[:2]) == [spot.moved[0].text, "."]
    is_asked = is_asked or (is_same and list_texts(spot.moved[1:]) in (["&&"], ["and"]))
    return whole.key if whole.previous in ASSIGNING and is_asked else ""


def read_condition(spot: Spot) -> Iterator[Edit]:
    """A part of a condition that came or went, or a condition or a comparison that changed."""
    head = CHECK.match(write(spot.moved)) if not spot.head else None
    if spot.is_code and head and spot.moved[-1].line == spot.moved[0].line:
        # A condition around what was there before.
        yield spot.make_moved("check", unwrap(head[1]))
        return
    moved, changed = list(spot.moved), list_texts([*spot.old, *spot.new])
    joints = [token.text for token in moved[:1] + moved[-1:] if token.text in _JOINING]
    is_conditional = is_in_condition(spot)
    decided = _find_decided(spot) if joints and len(moved) > 1 and not is_conditional else ""
    # `x or []` is a value with its default.
    is_returned = joints and spot.head and spot.head[0].text == "return" and spot.following not in ("[", "{")
    in_condition = is_conditional or is_returned or bool(decided) or (joints and _is_asked(spot))
    if in_condition and joints and is_balanced(moved):
        part = moved[1:] if moved[0].text in _JOINING else moved[:-1]
        text = write(part)
        edit = spot.make_moved("condition", "a check")
        if len(text) <= _CONDITION_LENGTH and not {"||", "or", "{"} & set(list_texts(part)):
            is_check = joints[0] in ("&&", "and")
            edit = spot.make_moved("check", unwrap(text)) if is_check else spot.make_moved("alternative", text)
        edit.place = decided or edit.place
        yield edit
    elif in_condition and len(changed) != 2 and not set(changed) - COMPARISONS - _JOINING - {"!", "not", "(", ")"}:
        yield spot.make("condition", "condition", "condition")
    elif len(spot.old) == len(spot.new) == 1 and spot.is_code:
        sides = set(changed)
        is_generic = "<" in sides and not spot.old[0].gap
        if sides == {"if", "unless"} or (sides <= _JOINING and is_conditional):
            yield spot.make("condition", *changed)
        elif sides <= COMPARISONS and not is_generic:
            left = _LEFT_SIDE.search(write(spot.head))
            right = _RIGHT_SIDE.match(write([token for token in spot.after if token.line == spot.line]))
            if left and right and not mentions_secret(spot.text):
                sign = changed[1]
                yield spot.make("compared", changed[0], sign, f"{left[1]} {sign} {right[1]}".lstrip())
            else:
                yield spot.make("comparison", *changed)
        elif sides <= _OPERATORS:
            yield spot.make("operator", *changed)


def read_labels(spot: Spot) -> Iterator[Edit]:
    """Values that a case of a switch has beside others: `case "a", "b":`, or `a|b)` in a shell."""
    head, moved = list_texts(spot.head), list(spot.moved)
    is_case = head[:1] in (["case"], ["when"]) and spot.following in (":", ",", "then", "->", "=>", "")
    is_arm = spot.language.name == "rust" and "=>" in write(spot.after)
    is_arm = is_arm or (spot.language.name == "shell" and spot.following == ")" and not spot.holders)
    if not moved or moved[0].text not in (("|",) if is_arm else (",", "|")) or not (is_case or is_arm):
        return
    labels: list[list[Token]] = []
    for token in moved:
        if token.text in (",", "|"):
            labels.append([])
        else:
            labels[-1].append(token)
    for label in labels:
        edit = spot.make_moved("case", unquote(write(label)))
        edit.lines = spot.lines / len(labels)
        yield edit
