"""Regular expressions that are compiled when they are first used.

To compile all those that a draft may need takes longer than to draft, and one change needs few of them.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr


class _Pattern:
    """Has the attributes of `re.compile(source, flags)`, which is called for the first of them."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        method = getattr(re.compile(self.pattern, self._flags), name)
        # Python calls this only for what is missing, so that further uses cost no more than those of a real pattern.
        setattr(self, name, method)
        return method


def list_words(text: str) -> frozenset[str]:
    """Return the words of a text as a set: of many, a set of strings would take a page."""
    return frozenset(text.split())


def compile_on_use(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return `re.compile(source, flags)`, compiled when it is first used; the functions of `re` do not take it."""
    return _Pattern(source, flags)  # type: ignore[return-value]
