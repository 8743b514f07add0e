"""Text helpers for messages: safe names, imperative verbs, lists, truncation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from smartcommit.change.text import split_identifier
from smartcommit.message.characters import printable
from smartcommit.message.verbs import VERBS, find_base
from smartcommit.patterns import compile_on_use

NAME_LIMIT = 50
# Words on lines that may contain a secret. A message must not repeat one, since it stays when the line is removed.
_TELLS_SECRET = compile_on_use(
    r"(?i)passw|passphrase|passcode|pass\b|pwd|secret|token(?!s|iz|_count)|credential|auth(?!or)|cookie|session_?id|bearer"
    r"|(?:api|access|private|account|signing|encryption|license)[_ -]?key|\b(?:dsn|pin|seed|salt)\b|://[^/\s]{0,100}@"
    # `?key=x`, `-u bob:x`, `mysql -px`, `bob:x@host`, `login("x1")`
    r"|[?&;\"'][\w ]{0,20}(?:key|sig|signature|code|pw)=|\s(?:-u|--user)[ =]?[^\s:]{1,50}:\S|\bmysql\w*\s.{0,80}-p\w"
    r"|\b(?!npm:|jsr:|workspace:)[\w.-]{1,40}:[^\s:/@\"']{1,60}@(?!sha256)"
    r"|(?:log|sign)_?in\b.{0,80}?[\"': =](?=\d*[a-z])\w*\d"
)
# Such lines have one of these: the pattern takes long to compile and to search, and few lines need it.
_MARKS_OF_SECRETS = (
    "pass", "pwd", "secret", "token", "credential", "auth", "cookie", "session", "bearer", "key", "dsn", "pin", "seed",
    "salt", "@", "sig=", "signature=", "code=", "pw=", "-u", "mysql", "login", "log_in", "signin", "sign_in",
)  # fmt: skip
# A value on such a line: a word in quotes that is assigned or has a digit, or a last one with a digit, as in `.env`.
_SECRET_VALUE = compile_on_use(
    r"[=:]\s*[\"'`]([^\"'`\s]+)[\"'`]|[\"'`]([^\"'`\s]*\d[^\"'`\s]*)[\"'`]|[=:]\s*([^\s\"'`()\[\]{}]*\d[^\s\"'`()\[\]{}]*)\Z"
)
# Minimum letters and digits of it: a shorter one is in too many words.
_VALUE_LENGTH = 6
# Minimum characters of a value that may be a key, whatever the line says.
_KEY_LENGTH = 12

# In an entry of a changelog: what is in brackets, what refers to an issue, a commit or an author there, and what
# begins a credit.
_BRACKETS = compile_on_use(r"(\s*)(?:\(([^()\[\]]{0,120})\)|\[([^()\[\]]{0,120})\])(?=(\W*\Z|[,.;:])?)")
_REFERENCE = compile_on_use(
    r"(?i)[\w./-]*[#!]\d+|gh-\d+|@[\w-]+|(?=[a-f]*\d)[0-9a-f]{7,40}|https?://\S+|(?!UTF|SHA|ISO|AES|RFC|CVE)[A-Z]{2,9}-\d+"
)
_REFERRING = {
    "", "-", "and", "by", "close", "closed", "closes", "commit", "fix", "fixed", "fixes", "in", "issue", "issues", "of",
    "pr", "pull", "ref", "refs", "request", "see", "thanks", "to", "via",
}  # fmt: skip
_CREDIT = compile_on_use(r"(?i)\s*(?:thanks|thank you|contributed|reported|h/t|by [A-Z@])")
# A link alone in brackets, a role of Sphinx or MyST for an issue or an author, a bare link.
_LINK_IN_BRACKETS = compile_on_use(r"\s*\((?:\[[^\[\]]{0,60}\]\([^()\s]{0,200}\)[,\s]*){1,4}\)")
_ROLE_OF_ISSUE = compile_on_use(
    r"(?::(?:gh|issue|pr|pull|user|bug|commit)\w{0,12}:|\{(?:gh|issue|pr|pull|user|bug|commit)\w{0,12}\})`[^`]{0,80}`"
    r"|<https?://[^\s>]{1,200}>`?_{0,2}"
)
_SOME_ISSUE = "#0"
# What a sentence does not end with.
_LOOSE_ENDS = " .;:,-\u2013\u2014(["
_REFERENCES = compile_on_use(r"\s*\((?:[\w./-]*#\d+(?:,\s*)?)+\)\s*\Z")
_MARKUP = compile_on_use(r"\[([^\[\]]{0,120})\]\([^()\s]{0,200}\)|\*\*|``")

# What a summary says in place of a verb that its type has said already, by the class of the type.
_VARIED = {
    "fix": (("fix", "correct"),),
    "refactor": (("refactor", "rework"),),
    "test": (("test", "cover"),),
    "style": (("style", "format"),),
    "perf": (("improve performance of", "speed up"), ("optimize", "speed up"), ("optimise", "speed up")),
    "ci": (("update ci", "update the pipeline"),),
}
# What is not put right but prevented.
_PREVENTED = {
    "being", "crash", "crashes", "crashing", "deadlock", "failing", "hanging", "leak", "leaking", "leaks", "overflow",
    "panic", "panicking", "panics", "race", "regression",
}  # fmt: skip

# What an instruction may begin with, and lose its sense without.
_ADVERBS = {"always", "never", "only"}


def make_printable(text: str, limit: int = NAME_LIMIT) -> str:
    """Return `text` on one line of at most `limit` characters, without control or bidirectional characters."""
    if len(text) > 4 * limit:
        from smartcommit.secrets.redaction import cut_text  # few names are long, and secrets have many patterns

        text = cut_text(text, 4 * limit)
    shown = printable(" ".join(text.split())) or "a blank name"
    if len(shown) > limit:
        from smartcommit.secrets.redaction import redact  # as above

        # Half a secret would not be recognized later.
        shown = redact(shown)
    if len(shown) <= limit:
        return shown
    keep = (limit - 3) // 2
    return f"{shown[:keep]}...{shown[len(shown) - (limit - 3 - keep) :]}"


def mentions_secret(line: str) -> bool:
    lowered = line.lower()
    return any(mark in lowered for mark in _MARKS_OF_SECRETS) and _TELLS_SECRET.search(line) is not None


def find_secret_values(lines: Iterable[str]) -> list[str]:
    """Return the values on lines that mention a secret: letters and digits alone, in lower case, as `repeats` wants."""
    values: dict[str, None] = {}
    for line in lines:
        if mentions_secret(line):
            for match in _SECRET_VALUE.finditer(line):
                value = _squeeze(match[match.lastindex or 0])
                if len(value) >= _VALUE_LENGTH:
                    values[value] = None
    return list(values)


def repeats(text: str, values: Iterable[str]) -> bool:
    """Whether `text` has one of `values`, or the words that one is made of."""
    squeezed = _squeeze(text)
    return any(value in squeezed for value in values)


def _squeeze(text: str) -> str:
    return "".join([char for char in text.lower() if char.isalnum()])


def may_be_secret(line: str) -> bool:
    """Whether the line mentions a secret, or has a word that looks like one."""
    return mentions_secret(line) or has_secret(line)


def has_secret(line: str) -> bool:
    """Whether the line has a word that looks like a secret."""
    if all(len(word) < _KEY_LENGTH for word in line.split()):
        return False
    from smartcommit.secrets.redaction import redact  # as above

    return redact(line) != line


def safe_name(path: bytes) -> str:
    return make_printable(path.rstrip(b"/").rpartition(b"/")[2].decode("utf-8", "surrogateescape"))


def safe_path(path: bytes, limit: int = NAME_LIMIT) -> str:
    """Return `path`, safe to print; of a long one, the start and the end."""
    return make_printable(path.decode("utf-8", "surrogateescape"), limit)


def imperative(title: str, *, base: bool = True) -> str | None:
    """Return a title like `should reject X`, `rejects X` or `Rejected X` as an instruction, or None if it is not one.

    Without `base`, a title that begins with the bare verb is not one either: in `test_run_stops`, `run` is a noun.
    """
    words = make_printable(drop_credits(title), 200).split(" ")
    while words and words[0].lower() in ("should", "it", "must", "can", "will", "correctly", "properly", "now"):
        words.pop(0)
    if words[:1] == ["not"]:
        if words[1:2] and words[1].endswith("ed") and words[1] not in VERBS:
            return None  # what is `not defined` is so, and nobody shall not define it
        words[:1] = ["do", "not"]
    if not words or not words[0].strip():
        return None
    first = words[0].lower()
    if first in ("do", "does") and words[1:2] == ["not"] and len(words) > 2:
        return " ".join(["do not", find_base(words[2]) or words[2], *words[3:]])
    if first in _ADVERBS:
        rest = imperative(" ".join(words[1:]), base=base)
        return rest and f"{first} {rest}"
    verb = find_base(first)
    if verb is None or len(words) < 3 or (first in VERBS and not base):
        return None
    return " ".join([verb, *words[1:]])


def drop_credits(entry: str) -> str:
    """Return an entry of a changelog, or a title, without markup and without the issues, links and authors it names."""
    text = _MARKUP.sub(r"\1", _LINK_IN_BRACKETS.sub("", _ROLE_OF_ISSUE.sub(_SOME_ISSUE, entry[:400])))
    for _ in range(2):
        text = _BRACKETS.sub(_drop_reference, text)
    words = text.rstrip(_LOOSE_ENDS).split(" ")
    if len(words) > 1 and _is_reference(words[-1]):
        while words and (_is_reference(words[-1]) or words[-1].lower().strip("(,") in _REFERRING):
            words.pop()
    return " ".join(words).replace(f"{_SOME_ISSUE} ", "").rstrip(_LOOSE_ENDS)


def _drop_reference(brackets: re.Match[str]) -> str:
    """Return what is in brackets with them, unless it only refers to something; empty ones belong to a call."""
    space, *inner, end = brackets.groups()
    text = inner[0] or inner[1] or ""
    if not text.strip():
        return "" if space and end is not None else brackets[0]
    words = re.split(r"[\s,;&|+<>]+", text)
    others = [word for word in words if not _is_reference(word)]
    is_reference = len(others) < len(words) and all(word.lower() in _REFERRING for word in others)
    return "" if is_reference or _CREDIT.match(text) else brackets[0]


def _is_reference(word: str) -> bool:
    return _REFERENCE.fullmatch(word.strip(",.!:`*_\\")) is not None


def vary(summary: str, kind: str) -> str:
    """Return `summary` without repeating what a type of the class `kind` says: `correct X`, not `fix: fix X`."""
    for said, other in _VARIED.get(kind, ()):
        head, rest = summary[: len(said)], summary[len(said) :]
        if head.lower() != said or rest[:1].isalnum() or rest[:1] in ("_", "-", "."):
            continue
        verb = other
        if said == "fix" and not _PREVENTED.isdisjoint(rest.split()):
            verb = "prevent"
        return (verb.capitalize() if head[0].isupper() else verb) + rest
    return summary


def split_name(name: str) -> str:
    """Return a test's name as words: `rejects empty host` for `test_rejects_empty_host` or `TestRejectsEmptyHost`.

    Abbreviations stay as they are: `HTTP host` for `TestHTTPHost`.
    """
    bare = re.sub(r"^(?:test_?|Test_?)", "", name)
    words = []
    for word in split_identifier(bare):
        is_short = len(word) > 1 and word.upper() in bare and not bare.isupper()
        words.append(word.upper() if is_short else word)
    return " ".join(words)


def drop_references(summary: str) -> str:
    """Return a past summary without the numbers of issues or pull requests at its end, such as `(#12)`."""
    return _REFERENCES.sub("", summary) if "#" in summary else summary


def join_names(names: Sequence[str]) -> str:
    """Return `a`, `a and b`, or `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def format_count(number: int, noun: str) -> str:
    return f"{number} {pluralize(noun, number)}"


def choose_fitting(candidates: Sequence[str], preferred: int, limit: int) -> str:
    """Return the first candidate of at most `preferred` characters, else of at most `limit`, else the last one, cut."""
    for bound in (min(preferred, limit), limit):
        for text in candidates:
            if len(text) <= bound:
                return text
    words = candidates[-1][:limit].split(" ")
    if len(words) > 1:
        words.pop()
    while len(words) > 1 and words[-1] in ("and", "to", "from", "in", "of", "by", "the", "with", "instead", ""):
        words.pop()
    return " ".join(words).rstrip(" ,:;.-(") or "update"[:limit]


def pluralize(noun: str, number: int) -> str:
    if number == 1:
        return noun
    ending = "es" if noun.endswith(("s", "sh", "ch")) else "s"
    return f"{noun}{ending}"


def join_safe(names: Iterable[str], limit: int = 60) -> str:
    return join_names([make_printable(name, limit) for name in names])
