"""Words for a message: safe names, sentences in the imperative, texts that fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from smartcommit.terminal import printable

NAME_LIMIT = 50

# The first word of a test's title or of a changelog entry, and the imperative it stands for.
_VERBS = (
    "accept", "add", "allow", "apply", "avoid", "bump", "cache", "call", "catch", "change", "check", "clarify",
    "clean", "clear", "close", "compute", "convert", "copy", "correct", "create", "declare", "default", "define",
    "delete", "deny", "deprecate", "detect", "disable", "display", "drop", "emit", "enable", "ensure", "escape",
    "exclude", "exit", "expand", "expose", "extend", "extract", "fail", "fall", "fetch", "filter", "find", "fix",
    "flush", "follow", "force", "format", "generate", "give", "guard", "handle", "hide", "honor", "honour", "ignore",
    "implement", "import", "improve", "include", "inherit", "initialise", "initialize", "insert", "install",
    "introduce", "invalidate", "invoke", "keep", "limit", "link", "list", "load", "log", "look", "make", "mark",
    "match", "merge", "migrate", "move", "normalise", "normalize", "omit", "open", "output", "override", "parse",
    "pass", "persist", "pick", "poll", "prefer", "prepend", "preserve", "prevent", "print", "process", "produce",
    "propagate", "provide", "publish", "quote", "raise", "read", "recognise", "recognize", "redirect", "reduce",
    "refactor", "refuse", "reject", "release", "reload", "remove", "rename", "render", "replace", "report", "require",
    "reset", "resolve", "respect", "respond", "restore", "restrict", "retry", "return", "reuse", "revert", "rewrite",
    "run", "save", "scope", "select", "send", "serialise", "serialize", "serve", "set", "show", "simplify", "skip",
    "sort", "split", "start", "stop", "store", "strip", "support", "suppress", "switch", "throw", "treat", "trim",
    "truncate", "try", "turn", "update", "upgrade", "use", "validate", "verify", "wait", "warn", "wrap", "write",
    "yield",
)  # fmt: skip
_IRREGULAR = {
    "made": "make", "kept": "keep", "sent": "send", "wrote": "write", "ran": "run", "threw": "throw", "found": "find",
    "gave": "give", "hid": "hide", "has": "have", "does": "do", "doesn't": "do not", "don't": "do not",
}  # fmt: skip


def _forms() -> dict[str, str]:
    forms = dict(_IRREGULAR)
    for verb in _VERBS:
        stem = verb[:-1] if verb.endswith("e") else verb
        third = verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"
        third = verb + "es" if verb.endswith(("s", "sh", "ch", "x", "ss")) else third
        past = verb[:-1] + "ied" if third.endswith("ies") else stem + "ed"
        doubled = verb + verb[-1]
        for form in (verb, third, past, stem + "ing", doubled + "ed", doubled + "ing"):
            forms.setdefault(form, verb)
    return forms


_FORMS = _forms()
_TITLE_NOISE = re.compile(
    r"\s*\((?:[\w./-]{0,60}#\d+|(?:by|thanks) @[\w-]+)[^()]{0,80}\)|\s*\[#\d+\](?:\([^()]{0,200}\))?|:\w+:`[^`]*`$"
)
_MARKUP = re.compile(r"\[([^\]]{1,120})\]\([^()]{0,200}\)|\*\*|``")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def safe(text: str, limit: int = NAME_LIMIT) -> str:
    """`text` on one line, without control or bidirectional characters, and at most `limit` characters long."""
    shown = printable(" ".join(text[: 4 * limit].split())) or "a blank name"
    if len(shown) <= limit:
        return shown
    keep = (limit - 3) // 2
    return f"{shown[:keep]}...{shown[len(shown) - (limit - 3 - keep) :]}"


def safe_name(path: bytes) -> str:
    """The last component of `path`, safe to print."""
    return safe(path.rstrip(b"/").rpartition(b"/")[2].decode("utf-8", "surrogateescape"))


def safe_path(path: bytes, limit: int = NAME_LIMIT) -> str:
    """`path`, safe to print; a long one keeps its start and its end."""
    return safe(path.decode("utf-8", "surrogateescape"), limit)


def imperative(title: str, *, base: bool = True) -> str | None:
    """A title like `should reject X`, `rejects X` or `Rejected X` as an instruction, or None where it is none.

    Without `base` a title that starts with the bare verb is none either: in `test_run_stops`, `run` is a subject.
    """
    text = _MARKUP.sub(lambda found: found[1] or "", _TITLE_NOISE.sub("", title[:400]))
    words = safe(text, 200).rstrip(" .;:,").split(" ")
    while words and words[0].lower() in ("should", "it", "must", "can", "will", "correctly", "properly", "now"):
        words.pop(0)
    if words[:1] == ["not"]:
        words[:1] = ["do", "not"]
    if not words or not words[0].strip():
        return None
    first = words[0].lower()
    if first in ("do", "does") and words[1:2] == ["not"] and len(words) > 2:
        return " ".join(["do not", _FORMS.get(words[2], words[2]), *words[3:]])
    if first not in _FORMS or len(words) < 3 or (first in _VERBS and not base):
        return None
    return " ".join([_FORMS[first], *words[1:]])


def words_of_name(name: str) -> str:
    """A test's name in words: `test_rejects_empty_host`, `TestRejectsEmptyHost` and `rejects empty host` are one."""
    if " " in name:
        return name
    bare = re.sub(r"^(?:test_?|Test_?)", "", name)
    return " ".join(_CAMEL.sub(" ", bare).replace("_", " ").lower().split())


def join(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{'es' if noun.endswith(('s', 'sh', 'ch')) else 's'}"


def fitting(candidates: Sequence[str], preferred: int, limit: int) -> str:
    """The first candidate of at most `preferred` characters, else of at most `limit`, else the last one, cut."""
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
