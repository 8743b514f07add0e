"""Finds the header that the author of a wrong first line meant.

No proposal is better than a wrong one. There is one if the line names a type, in any of the ways that people do
(`[fix] x`, `Fix - x`, `fixes: x`, a slip of one letter), and if nothing else has to be guessed: there is
none for a word that is no type, or for a type without a summary.
"""

from __future__ import annotations

from smartcommit.message.header import Header, find_any, is_name, parse_header, split_mark
from smartcommit.message.header_checks import count_shared, find_header_violations, has_full_stop
from smartcommit.message.rules import EMOJI, FORBID, LOWER_CASE, LOWER_FIRST, REQUIRE, UPPER_FIRST, Rules
from smartcommit.message.verbs import find_usual_verb, find_verb, list_stems, state_imperative, to_imperative
from smartcommit.record import Record

# Rows of words for the same type: each stands for the first in its row that a project has.
_SYNONYMS = (
    ("feat", "feature", "features"),
    ("fix", "bugfix", "bugfixes", "hotfix", "hotfixes", "bug", "bugs"),
    ("docs", "doc", "document", "documentation"),
    ("refactor", "refact", "refac"),
    ("perf", "performance"),
    ("test", "tests"),
    ("style", "lint", "format"),
    ("build", "deps", "dependencies"),
)
# Words one letter away from a type that are themselves names of parts and tools.
_WORDS_NEAR_TYPES = {
    "best", "core", "dock", "dots", "fit", "fox", "guild", "heat", "hint", "int", "jest", "line", "link", "list", "lit",
    "mint", "mix", "nest", "perl", "perm", "rest", "six", "text", "vest", "west",
}  # fmt: skip
# Types that are no English words, so that what follows one without a colon is the summary.
_COINED = ("feat", "perf", "docs", "ci", "chore", "fix")
# Types that a sentence states by its verb, as in `Fixed the parser`; `Test data` and `Build on Windows` state none.
_STATED = {"fix", "bugfix", "hotfix", "refactor", "revert", "docs", "doc"}
# What may be of any kind, so that a verb does not state the type.
_UNSURE = {
    "and", "build", "changelog", "ci", "dependencies", "deps", "docs", "documentation", "formatting", "indentation",
    "lint", "linter", "linting", "lints", "readme", "readme.md", "spelling", "style", "test", "tests", "typo", "typos",
    "warning", "warnings", "whitespace",
}  # fmt: skip
# What people call the first commit of all.
_BEGINNINGS = ("initial commit", "initial import", "initial version", "first commit", "first version")
# Words that cannot begin a summary: the type before them is a word of a sentence.
_INSIDE = {"a", "an", "and", "are", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "was", "with"}
# What follows an emoji that has a plain form, too.
_VARIATION = "\ufe0f"
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SEPARATORS = ":;|=>-\u2013\u2014"
# Maximum characters of a type, a scope and what people put before them.
_START_CHARACTERS = 200
# Words that look like the key of a ticket but are not, as in UTF-8.
NO_TICKETS = ("UTF", "SHA", "ISO", "RFC", "MD", "CVE", "HTTP", "TLS", "AES", "RSA")


class FixedHeader(Record):
    """What a wrong first line means; `is_sure` if only case, spaces or the position of the `!` were wrong."""

    line: str
    is_sure: bool


def fix_header(line: str, rules: Rules) -> FixedHeader | None:
    """Return the header that `line` means, None if `line` is right or no proposal passes."""
    if _is_too_long(line, rules):
        return None
    mark = ""
    if rules.header_form.startswith("{emoji} "):
        mark, line = split_mark(line)
    text, ticket = _strip_marks(line)
    header = _read_title(text, rules) or _read_header(text, rules) or _read_emoji(mark or line, text, rules)
    if header is None:
        return None
    # It is sure if only the form is wrong of parts that stand in their own words before a colon.
    head, colon, _ = line.partition(":")
    name, opening, scope = head.replace("!", "").strip().partition("(")
    is_sure = ticket is None and colon != "" and name.strip().lower() in rules.types
    if opening and not scope.endswith(")"):
        is_sure = False
    if header.scope is not None and _is_ticket(header.scope) and not rules.allows_scope(header.scope):
        ticket, header.scope, is_sure = header.scope, None, False
    elif header.scope is not None:
        # Of several, none can be chosen, and a change of all parts has no scope.
        spelled = _spell_scopes(header.scope, rules)
        is_same = spelled == header.scope or _spell_plainly(spelled or "") == header.scope.strip().lower()
        is_sure = is_sure and spelled is not None and is_same
        header.scope = spelled or None
    if ticket is not None:
        _add_ticket(header, ticket, rules)
    summary = adapt_summary(header.summary, rules)
    # No word but a verb at the start may get another case.
    if header.summary[:1] != summary[:1] and find_usual_verb(header.summary.partition(" ")[0].lower()) is None:
        is_sure = False
    if rules.summary_case == LOWER_CASE and header.summary[1:] != header.summary[1:].lower():
        is_sure = False
    header.summary = summary
    fixed = str(header)
    # Whether the scope can be one is for the rules to say.
    plain = Header(header.type, header.summary)
    if fixed == line or parse_header(str(plain)) is None or find_header_violations(fixed, rules):
        return None
    return FixedHeader(mark + fixed, is_sure)


def adapt_summary(summary: str, rules: Rules) -> str:
    """Return `summary` in the mood, the case and with the full stop that `rules` ask for, as far as that is possible.

    A first word that has a capital further on, such as `GitHub` or `API`, keeps its own.
    """
    if rules.imperative:
        summary = to_imperative(summary) or summary
    first, _, _ = summary.partition(" ")
    if rules.summary_case == LOWER_FIRST and first[1:] == first[1:].lower():
        summary = summary[:1].lower() + summary[1:]
    elif rules.summary_case == UPPER_FIRST and first == first.lower():
        summary = summary[:1].upper() + summary[1:]
    elif rules.summary_case == LOWER_CASE:
        summary = summary.lower()
    if rules.full_stop == FORBID and has_full_stop(summary):
        summary = summary.rstrip(". ")
    elif rules.full_stop == REQUIRE and summary[-1:].isalnum():
        summary += "."
    return summary


def _is_too_long(line: str, rules: Rules) -> bool:
    """Whether the summary of any proposal for `line` would be over the limit, which takes no time to find."""
    return len(line) > rules.summary_limit + _START_CHARACTERS


def complete_header(line: str, drafted: Header, rules: Rules) -> Header | None:
    """Return the header for `line`, which has no type, with the type and the scope of a draft, or None.

    The words stay as they are but for the form of a verb. They must begin with one, unless only the type is missing, or
    the scope of the draft stands in its place.
    """
    if _is_too_long(line, rules):
        return None
    text, ticket = _strip_marks(line)
    head, colon, rest = text.partition(":")
    header = Header(drafted.type, rest.strip(), scope=drafted.scope)
    verb = find_verb(head)
    if colon and (not head or head.startswith("(")):
        header.scope = head.replace("!", "").strip("() ") or drafted.scope
        header.breaking = "!" in head
    elif colon and " " not in head and verb is not None and header.summary[:1].isalpha():
        header.summary = f"{verb} {header.summary}"
    elif verb is not None and _is_sentence(text):
        header.summary = state_imperative(text) or text
    elif not colon or head.strip().lower() != drafted.scope:
        return None
    if ticket is not None:
        _add_ticket(header, ticket, rules)
    return header if header.summary else None


def find_release(line: str) -> str | None:
    """Return the version if `line` names nothing else: `Version 0.4.0`, `Release v1.2`, `1.2.3`."""
    *before, number = line.strip().lower().split() or [""]
    number = number.rstrip(".!").removeprefix("v")
    if before not in ([], ["version"], ["release"], ["released"]) or "." not in number or not number[0].isdecimal():
        return None
    if not number.replace(".", "").replace("-", "").isalnum():
        return None
    return number


def _is_sentence(text: str) -> bool:
    """Whether `text` is words, several and no title of git's, the first of which stands alone."""
    first, _, rest = text.partition(" ")
    return first.isalpha() and bool(rest.strip()) and first != "Merge"


def _read_title(text: str, rules: Rules) -> Header | None:
    """Return the header for what git and people call a revert and the first commit; None for anything else."""
    plain = text.lower().rstrip(".! ")
    if plain in _BEGINNINGS and "chore" in rules.types:
        return Header("chore", plain)
    if text.startswith('Revert "') and text.endswith('"') and "revert" in rules.types:
        return Header("revert", text[len('Revert "') : -1])
    return None


def _read_emoji(line: str, text: str, rules: Rules) -> Header | None:
    """Return the header of `text`, which names no type, with the type of the emoji that `line` begins with."""
    mark = line.strip().partition(" ")[0].replace(_VARIATION, "")
    if text.partition(" ")[0].endswith(":"):
        return None
    for kind, marks in EMOJI.items():
        if kind in rules.types and mark in marks.replace(_VARIATION, "").split():
            return Header(kind, state_imperative(text) or text)
    return None


def _read_header(text: str, rules: Rules) -> Header | None:
    """Return the header in `text`, which begins with its type; None if that is no type, or something cannot be read."""
    name, rest = _split_type(text)
    scope, breaking, rest = _split_scope(rest)
    summary = rest.lstrip(":" if rest.startswith(":") else _SEPARATORS).strip()
    if not summary or summary[0] in _CLOSING:
        return None
    if rest[0] in _SEPARATORS or scope is not None or text[0] in _CLOSING:
        kind = _find_type(name, rules, near=":" in text)
    else:
        kind, summary = _read_sentence(text, name.lower(), summary, rules)
    if kind is None:
        return None
    return Header(kind, summary, scope=scope, breaking=breaking)


def _read_sentence(text: str, name: str, summary: str, rules: Rules) -> tuple[str | None, str]:
    """Return the type, or None, and the summary of a line that begins with the word `name`, without a colon."""
    is_verb = find_usual_verb(name) is not None
    if is_verb and not _UNSURE.isdisjoint(text.lower().split()[1:]):
        return None, summary
    # What follows a type without a colon may be the end of a sentence.
    first = summary.partition(" ")[0].lower()
    begins = name in _COINED and first not in _INSIDE and not first.startswith("#")
    if name in rules.types and (begins or find_usual_verb(first) is not None):
        return name, summary
    if is_verb and _is_sentence(text):
        # `Fixed the parser` states its type.
        kind = _find_type(name, rules, near=False)
        if kind in _STATED:
            return kind, state_imperative(text) or text
    return None, summary


def _split_scope(text: str) -> tuple[str | None, bool, str]:
    """Return the scope that follows the type, in brackets or after a slash, whether there is a `!`, and the rest."""
    breaking, scope = False, None
    rest = text.strip()
    while rest.startswith("!") or (scope is None and rest[:1] in ("/", *_CLOSING)):
        if rest.startswith("!"):
            breaking, rest = True, rest[1:]
        elif rest.startswith("/"):
            end = find_any(rest, "!:")
            scope, rest = rest[1:end], rest[end:]
        else:
            scope, rest = _split_brackets(rest)
        rest = rest.lstrip()
    return scope, breaking, rest


def _split_type(text: str) -> tuple[str, str]:
    """Return the word at the start of `text` that may be its type, without brackets, and the rest."""
    if text[:1] in _CLOSING:
        return _split_brackets(text)
    end = find_any(text, " ([{<!:;|/=")
    return text[:end].strip("*_`"), text[end:]


def _split_brackets(text: str) -> tuple[str, str]:
    """Return what is in the brackets at the start of `text`, doubled or not closed before a colon, and what follows."""
    opening, closing = text[0], _CLOSING[text[0]]
    body = text.lstrip(opening)
    inside, found, rest = body.partition(closing)
    if not found or ": " in inside:
        inside, colon, rest = body.partition(":")
        return inside.strip(), colon + rest
    return inside.strip("*_` "), rest.lstrip(closing)


def _add_ticket(header: Header, ticket: str, rules: Rules) -> None:
    """Put `ticket` at the end of the summary, unless the project keeps tickets in a line of their own."""
    if rules.ticket is None or ":" not in rules.ticket:
        header.summary += f" ({ticket})"


def _spell_plainly(scope: str) -> str:
    return scope.strip().lower().replace(" ", "-").replace("_", "-")


def _spell_scopes(scope: str, rules: Rules) -> str | None:
    """Return `scope`, or each of several, as the project spells it; None if it cannot be a scope."""
    if rules.scope == FORBID:
        return None
    parts = rules.list_scopes(scope)
    spelled = [_spell_scope(part, rules) for part in parts]
    if None in spelled:
        return None
    for part, name in zip(parts, spelled, strict=True):
        scope = scope.replace(part, name or "", 1)
    return scope


def _spell_scope(scope: str, rules: Rules) -> str | None:
    """Return `scope` as the project lists it, as it is if that breaks no rule, or else as a noun in lower case."""
    plain = _spell_plainly(scope)
    for listed in rules.scopes:
        if scope == listed or plain == _spell_plainly(listed):
            return listed
    if rules.allows_scope(scope):
        return scope
    if rules.is_off("scope-form") and (rules.is_off("scope-case") or scope == scope.lower()):
        return scope
    return plain if is_name(plain or "x") else None


def _strip_marks(text: str) -> tuple[str, str | None]:
    """Return `text` without emoji, bullets, quotes, `WIP` and a ticket before it, and the ticket, or None."""
    ticket = None
    before, text = "", text.replace("\t", " ")
    while text != before:
        before = text = text.strip()
        if text[:1] in ("'", '"', "`") and text[-1:] == text[0] and len(text) > 2:
            text = text[1:-1]
        text = text.removeprefix("- ").removeprefix("* ")
        code, colon, rest = text[1:].partition(":")
        if text.startswith(":") and colon and code.replace("_", "").isalnum():
            text = rest
        elif text and not text[0].isascii() and not text[0].isalnum():
            text = text[1:]
        mark, rest = _split_type(text)
        if _is_ticket(mark) or mark.upper() == "WIP":
            text = rest.lstrip(f" {_SEPARATORS}")
        if _is_ticket(mark):
            ticket = ticket or mark
    return text, ticket


def _is_ticket(word: str) -> bool:
    """Whether `word` names a ticket, as in `ABC-12` or `#12`."""
    project, _, number = word.rpartition("-")
    if word.startswith("#"):
        return word[1:].isdecimal()
    return number.isdecimal() and project.isalnum() and project.isupper() and project not in NO_TICKETS


def _find_type(name: str, rules: Rules, *, near: bool) -> str | None:
    """Return the type of the project that `name` means: itself, another word or form of it, or, if `near`, a slip."""
    plain = name.lower()
    if plain in rules.types:
        return plain
    for word in (plain, *list_stems(plain)):
        if word in rules.types:
            return word
        for row in _SYNONYMS:
            if word in row:
                return next((item for item in row if item in rules.types), None)
    if not near or len(plain) < 2 or "!" in plain or plain in _WORDS_NEAR_TYPES or plain in rules.scopes:
        return None
    candidates = [other for other in rules.types if len(other) > 2 and is_one_edit_away(plain, other)]
    return candidates[0] if len(candidates) == 1 else None


def is_one_edit_away(a: str, b: str) -> bool:
    """Whether adding, removing, replacing or swapping one letter turns `a` into `b`, if they differ at all."""
    start = count_shared(a, b)
    rest_a, rest_b = a[start:], b[start:]
    swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
    return swapped or rest_a[1:] == rest_b[1:] or rest_a[1:] == rest_b or rest_a == rest_b[1:]
