"""The roles of places within strings: texts for people, values in a text, and words that are others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from smartcommit.change.commands import compare_commands
from smartcommit.change.conditions import is_logged
from smartcommit.change.edits import ASSIGNING, CALL, NOT_CALLS, Edit, Spot, name_value
from smartcommit.change.pairing import count_common_ends, is_respelled
from smartcommit.change.text import LINK
from smartcommit.change.tokens import CLOSING, OPENING, STRING, Token, is_balanced, list_texts, split_entries, write
from smartcommit.change.wording import join_names
from smartcommit.patterns import compile_on_use, list_words

# The words of a string and the signs between them, and such a word that says something: with a digit, as `hunter22`,
# or behind one of the signs, as in `key=hunter`, it may be a secret.
_PART_OF_STRING = compile_on_use(r"\w+(?:[.-]\w+)*|\W")
_WORD_OF_STRING = compile_on_use(r"(?=.{3,31}\Z)[^\W\d]+(?:[.-][^\W\d]+)*\Z")
_BEFORE_SECRETS = {"=", ":", "@"}
# A text that is a list: the classes of an element, of which half have a sign at least, and words between commas.
_CLASS = compile_on_use(r"[a-z\d!@*\[][\w:./%#!*&>=()\[\]-]*\Z")
_SIGN_OF_CLASS = compile_on_use(r"[\w\]][:-](?=[\w\[])")
_CLASSES = list_words("class className styles")
_ATTRIBUTE_OF_CLASSES = compile_on_use(r"class(?:Name)? ?= ?[\"']([^\"']*)[\"']\Z")
_LISTED = compile_on_use(r"(?=.*[A-Za-z])[\w./:@*-]+(?: [\w./:@*-]+){0,2}\Z")
_WORDS_SAID = 3
# Keys whose values are texts for people, and what texts are passed to.
_TEXTS = list_words("description help message title label placeholder summary desc note hint error")
_PASSED = ((compile_on_use(r"(?i).*(?:error|errorf|exception|bail|fail|panic)!?\Z"), "error"),
    (compile_on_use(r"(?i).*warn(?:ing)?\Z"), "warning"))  # fmt: skip
# Versions are said as bumps.
VERSION = compile_on_use(r"[\^~>=<]*v?\d[\w.+-]*\Z|[0-9a-f]{7,64}\Z")
# How each language writes values into a text, and what that is called.
_FORMATTED = (
    ("python", compile_on_use(r"[rR]?[fF][rR]?[\"'].*\{"), "f-strings"),
    ("javascript", compile_on_use(r"`.*\$\{"), "template literals"),
    ("rust", compile_on_use(r"\".*\{"), "inline format arguments"),
)
# Values in a text, and those whose names say what they are; a name of an error says less.
_VALUES = {
    "python": compile_on_use(r"\{([^{}]*)\}"), "javascript": compile_on_use(r"\$\{([^{}]*)\}"),
    "ruby": compile_on_use(r"#\{([^{}]*)\}"), "elixir": compile_on_use(r"#\{([^{}]*)\}"),
    "swift": compile_on_use(r"\\\(([^()]*)\)"), "perl": compile_on_use(r"([$@](?:\w+|!))"),
    "jvm": compile_on_use(r"\$\{?([\w.]+)"), "dart": compile_on_use(r"\$\{?([\w.]+)"),
    "php": compile_on_use(r"(\$\w+(?:->\w+)*)"),
}  # fmt: skip
_PLAIN_VALUE = compile_on_use(r"\$?[A-Za-z_][\w.]*(?:->\w+)*\Z|\$!\Z")
_ERRORS = list_words(
    "e ex err error errors exc exception cause $e $ex $exception $! e.message err.message error.message"
)
_INTERPOLATED = compile_on_use(r"\{([A-Za-z_]\w*)")


def read_formatted(spot: Spot) -> Iterator[Edit]:
    """A text with the values in it that stood beside it before: `"{}".format(name)` that became `f"{name}"`."""
    sides = [token.text for token in (*spot.old, *spot.new)]
    if spot.language.name == "python" and len(sides) == 2 and f"f{sides[0]}" == sides[1]:
        yield spot.make("used", "text", "f-strings")
    if len(spot.new) != 1 or len(spot.old) < 3 or STRING not in [token.kind for token in spot.old]:
        return
    text = spot.new[0].text
    names = set(_INTERPOLATED.findall(text))
    stood_beside = names and names <= {token.text for token in spot.old}
    for language, pattern, noun in _FORMATTED:
        if language == spot.language.name and pattern.match(text) and stood_beside:
            yield spot.make("used", "text", noun)


def read_listed(spot: Spot) -> Iterator[Edit]:
    """Words that came to a text that is a list, or went from it: classes of an element, labels between commas."""
    if spot.moved:
        line, moved = spot.text.strip(" \t`").split(), write(spot.moved).split()
        are_classes = set(moved) < set(line) and _are_classes([line], "") and _are_classes([moved * 2], "")
        for word in moved if are_classes and len(moved) <= _WORDS_SAID else ():
            # A line of a text on several ones.
            yield spot.make_moved("class", word)
        return
    if [token.kind for token in (*spot.old, *spot.new)] != [STRING, STRING]:
        return
    old, new = spot.old[0].text.strip("\"'`"), spot.new[0].text.strip("\"'`")
    key = spot.key if spot.previous in ASSIGNING else ""
    role, sides = "class", [old.split(), new.split()]
    if not _are_classes(sides, key):
        role, sides = "item", [_split_list(old), _split_list(new)]
    words, others = sides
    gone = [word for word in words if word not in others]
    come = [word for word in others if word not in words]
    if role == "class" and key in _CLASSES and max(len(gone), len(come)) > _WORDS_SAID:
        yield spot.make("styles", old, new)
        return
    if not words or not others or len(gone) == len(words) or max(len(gone), len(come)) > _WORDS_SAID:
        return
    holder = "" if key in ("class", "className") else key.rpartition(".")[2]
    if len(gone) == len(come) == 1:
        yield spot.make(role, gone[0], come[0], holder)
        return
    for word in (*gone, *come):
        sides_of_word = (word, "") if word in gone else ("", word)
        edit = spot.make(role, *sides_of_word, holder)
        edit.lines /= len(gone) + len(come)
        yield edit


def _are_classes(sides: Sequence[Sequence[str]], key: str) -> bool:
    words = sides[0]
    others = chain.from_iterable(sides)
    signs = sum(_SIGN_OF_CLASS.search(word) is not None for word in words)
    are_signed = len(words) > 1 and 2 * signs >= len(words)
    return (key in _CLASSES or are_signed) and all(_CLASS.match(word) for word in others)


def list_classes(attribute: str) -> list[str]:
    """Return the few words of an attribute with the classes of an element; none if it is another one."""
    found = _ATTRIBUTE_OF_CLASSES.match(attribute)
    words = found[1].split() if found else []
    return words if len(words) <= _WORDS_SAID else []


def _split_list(text: str) -> list[str]:
    """Return the words between the commas of a text; none if it may be a sentence, or numbers."""
    words = [word.strip() for word in text.split(",")]
    are_apart = ", " not in text or (len(words) > 2 and not any(" " in word for word in words))
    is_list = len(words) > 1 and are_apart and all(_LISTED.match(word) for word in words)
    return [_quote(word) for word in words] if is_list else []


def _quote(words: str) -> str:
    return f'"{words}"' if " " in words else words


def read_context(spot: Spot) -> Iterator[Edit]:
    """Values that the text of an error or of a log has from now on, in it or beside it."""
    kinds = [token.kind for token in (*spot.old[:1], *spot.new[:1])]
    noun = _find_noun(spot) if kinds == [STRING, STRING] and is_balanced(spot.new) else ""
    if not noun:
        return
    before, after = (_list_values(side, spot.language.name) for side in (spot.old, spot.new))
    come = [value for value in after if value not in before]
    if not set(before) <= set(after):
        return
    if come:
        # Only names are repeated.
        causes = [value for value in come if value in _ERRORS]
        shown = [value for value in come if value not in _ERRORS] or ["the cause"]
        if causes and noun == "log":
            shown = [*shown[: len(come) - len(causes)], "the error"]
        is_short = len(come) <= _WORDS_SAID and all(_PLAIN_VALUE.match(value) for value in come)
        yield spot.make("context", "", join_names(shown) if is_short else "context", f"{noun} message")
    elif (before or list_texts(spot.old[1:]) == ["+"]) and list_texts(spot.new[1:2]) == [","] and noun == "log":
        yield spot.make("used", "text", "a log template")


def _find_noun(spot: Spot) -> str:
    """Return what a text is that a place begins with; empty if it is neither of an error nor of a log."""
    if spot.holder.kind == CALL and spot.previous == "(":
        name = spot.holder.name
        if is_logged(name) or name.startswith("console."):
            return "log"
        # The first argument of `fprintf` says where the text goes.
        return next((noun for pattern, noun in _PASSED if pattern.match(name)), "")
    if list_texts(spot.before[-2:]) == ["stderr", ","]:
        return "error"
    return "error" if spot.previous in ("raise", "throw", "die", "fail") else ""


def _list_values(side: Sequence[Token], language: str) -> list[str]:
    """Return what is written into a text, or stands beside it."""
    found: list[str] = []
    pattern = _VALUES.get(language, _VALUES["python"])
    for part in split_entries(side):
        text = "".join(token.text for token in part if token.kind == STRING)
        is_plain = language in ("python", "csharp") and not text.startswith(("f", "F", "$"))
        found += [] if is_plain else [value.partition(":")[0].strip() for value in pattern.findall(text)]
        rest = write([token for token in part if token.kind != STRING]).strip("+%. ")
        found += [rest] if rest else []
    return [value for value in found if value]


def read_script(spot: Spot) -> Iterator[Edit]:
    """A command in a string: a script of a package."""
    if [token.kind for token in (*spot.old, *spot.new)] == [STRING, STRING] and spot.holder.name == "scripts":
        for edit in compare_commands(*(side[0].text[1:-1].replace('\\"', "'") for side in (spot.old, spot.new))):
            yield spot.make(edit.role, edit.old, edit.new, edit.holder)


def read_text(spot: Spot) -> Iterator[Edit]:
    """Texts: a word that is spelled otherwise, or other words."""
    if spot.moved or {token.kind for token in (*spot.old, *spot.new)} != {STRING}:
        return
    # Adjacent texts are one.
    old, new = write(spot.old), write(spot.new)
    words = [word.strip(".,:;!?()'\"`") for word in new.split()]
    plain = sum(word.isalpha() for word in words)
    is_text = old.count(" ") > 1 or (spot.holder.kind in (CALL, "") and old.count(" "))
    if is_respelled(old, new):
        yield spot.make("spelling", old, new)
    elif plain >= 3 and 2 * plain > len(words) and is_text and {"SELECT", "FROM", "&&"}.isdisjoint(words):
        if LINK.sub("", old) == LINK.sub("", new):
            yield spot.make("link", old, new)
            return
        # The value of a key for texts, or what is passed to an error.
        end = len(spot.before)
        while end and (spot.before[end - 1].kind == STRING or spot.before[end - 1].text == "("):
            end -= 1
        is_value = end > 0 and spot.before[end - 1].text in ASSIGNING
        key = name_value(spot.before, end - 1).rpartition(".")[2] if is_value else ""
        nouns = [key] if key.lower() in _TEXTS else []
        for holder in spot.holders:
            options = [token.text[1:-1] for token in spot.before[holder.position + 1 : holder.position + 2]]
            if nouns and options and options[0].startswith("--"):
                nouns[0] = f"{key} of {options[0]}"
            nouns += [noun for pattern, noun in _PASSED if holder.kind == CALL and pattern.match(holder.name)]
        yield spot.make("message", old, new, [*nouns, "message"][0])


def read_part_of_string(spot: Spot) -> Iterator[Edit]:
    """A word of a string in the place of another one, or a call around a value in it, as in `${trim(name)}`."""
    sides = spot.old, spot.new
    if any(len(tokens) != 1 or tokens[0].kind != STRING for tokens in sides):
        return
    old, new = _PART_OF_STRING.findall(spot.old[0].text), _PART_OF_STRING.findall(spot.new[0].text)
    start, end = count_common_ends(old, new)
    # A string that goes on, on another line, may begin or end with what differs.
    before, behind = old[:start], old[len(old) - end :]
    inner, outer = old[start : len(old) - end], new[start : len(new) - end]
    gone, come = "".join(inner), "".join(outer)
    text = "".join(before)
    if text.rfind("{") > text.rfind("}"):
        caller = find_wrapping(inner, outer)
        if caller:
            edit = spot.make("wrapped", "", caller, gone)
            edit.names = frozenset(caller.split("."))
            yield edit
            return
    are_words = all(_WORD_OF_STRING.match(word) and not VERSION.match(word) for word in (gone, come))
    if are_words and _BEFORE_SECRETS.isdisjoint(before[-1:]) and behind[:1] != ["@"]:
        yield spot.make("word", gone, come)


def find_wrapping(inner: Sequence[str], outer: Sequence[str]) -> str:
    """Return the name of the function whose call is all of `outer` and has `inner` as an argument; else nothing.

    Both are texts of tokens, or of parts of a string.
    """
    outer = outer[list(outer[:1]) == ["new"] :]
    opened = outer.index("(") if "(" in outer else len(outer)
    names, signs = outer[:opened:2], set(outer[1:opened:2])
    is_path = all(name.replace(".", "").isidentifier() for name in names) and signs <= {".", "::"}
    if not inner or not names or outer[-1:] != [")"] or not is_path or names[0] in NOT_CALLS:
        return ""
    arguments: list[list[str]] = [[]]
    depth = 0
    for text in outer[opened + 1 : -1]:
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
        if depth < 0:
            return ""  # another call follows, as in `g(x) + h(y)`
        if text == "," and not depth:
            arguments.append([])
        elif text.strip():
            arguments[-1].append(text)
    bare = [text for text in inner if text.strip()]
    is_all = bare == [text for text in outer[opened + 1 : -1] if text.strip()]
    return "".join(outer[:opened]) if is_all or bare in arguments else ""
