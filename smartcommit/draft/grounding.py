"""Whether what a message names is there: a model invents names, numbers and tickets as readily as it finds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_FILE = re.compile(
    r"(?<![\w./@-])(?:[\w-]{1,60}/){1,12}[\w.-]{1,80}|(?<![\w./@-])[\w-]{2,60}\.[a-z][a-z0-9]{0,4}(?![\w.])"
)
_NUMBER = re.compile(r"(?<![\w.#-])v?(\d+(?:\.\d+)+|\d{2,})(?![\w])")
_ISSUE = re.compile(r"(?<![\w/])(?:#\d{1,8}|[A-Z][A-Z0-9]{1,9}-\d{1,8})(?![\w])")
_WORD = re.compile(r"\w+")
# What a message must not claim where nothing in the change speaks of it.
_CLAIMS = ("performance", "faster", "security", "vulnerabilit", "memory leak", "race condition", "deadlock")
# So many words in a row are taken over from an example, not found again by chance.
_GRAM = 6


class Evidence:
    """What a model was shown: `texts` of this change, and `examples` of others, which only teach style."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.examples: list[str] = []

    def problems(self, text: str) -> list[str]:
        """What `text` says that nothing speaks for, each as a model is told it."""
        known = "\n".join(self.texts)
        lowered = known.lower()
        found = [f"'{name}' occurs nowhere in the change" for name in _names(text) if not _occurs(name, known)]
        found += [
            f"nothing in the change speaks of '{claim}'"
            for claim in _CLAIMS
            if claim in text.lower() and claim not in lowered
        ]
        copied = self._copied(text, known)
        return [*dict.fromkeys(found), *([f"'{copied}' is copied from another commit"] if copied else [])]

    def _copied(self, text: str, known: str) -> str | None:
        grams = {gram for example in self.examples for gram in _grams(example)}
        copied = [gram for gram in _grams(text) if gram in grams]
        if not copied:
            return None
        # This may be megabytes of text, so it is searched as one string.
        own = f" {' '.join(_WORD.findall(known.lower()))} "
        return next((gram for gram in copied if f" {gram} " not in own), None)


def watched(function: Callable[..., str], evidence: Evidence) -> Callable[..., str]:
    """A tool whose results count as what the model was shown."""
    into = evidence.texts if function._tool_evidence else evidence.examples  # type: ignore[attr-defined]

    @wraps(function)
    def tool(args: Any, **kwargs: Any) -> str:
        result = function(args, **kwargs)
        into.append(result)
        return result

    return tool


def _names(text: str) -> Iterator[str]:
    bare = _QUOTED.sub(" ", text)
    yield from (found[1] for found in _QUOTED.finditer(text))
    yield from (found[0].rstrip(".") for found in _FILE.finditer(bare) if _is_file(found[0]))
    yield from (found[1] for found in _NUMBER.finditer(bare))
    yield from (found[0] for found in _ISSUE.finditer(bare))


def _is_file(name: str) -> bool:
    """Whether a word is a path rather than `read/write` or `e.g.`."""
    return "." in name.strip(".")[1:-1] or name.count("/") > 1


def _occurs(name: str, known: str) -> bool:
    plain = name.strip().removesuffix("()").strip("\"'")
    return plain in known or plain.removeprefix("./") in known


def _grams(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    return (" ".join(words[start : start + _GRAM]) for start in range(len(words) - _GRAM + 1))
