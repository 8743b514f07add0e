"""What definitions take and calls hand over: how many parameters more there are, and how many values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from smartcommit.change.languages import Language
from smartcommit.change.text import HunkText, Lines, squeeze

# What a constructor is called if not as its class.
_CONSTRUCTORS = ("__init__", "constructor", "__construct")


def squeeze_parameters(line: str) -> str:
    """Return what follows the name on a line that defines a function, without spaces."""
    return squeeze(line.partition("(")[2])


def read_arguments(line: str, name: str, opener: str = "(") -> list[str]:
    """Return what stands in the parentheses behind `name`, without spaces."""
    depth, arguments = 0, [""]
    for sign in line.partition(name + opener)[2]:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += sign.strip()
    return [item for item in arguments if item]


def count_values(lines: Lines, calls: Sequence[str]) -> int:
    """Return how many values the first of `lines` with one of `calls` hands to that; 0 if they have names."""
    for line in lines.read():
        for call in calls:
            if call in line and (call != "{" or line.startswith("{")):
                values = read_arguments(line[line.index(call) :], call[:-1], call[-1])
                return 0 if any(":" in value for value in values) else len(values)
    return 0


def list_grown(text: HunkText, language: Language) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the symbol around a hunk, and how many parameters more it has, if it is on these lines that they stand."""
    symbol = language.read_symbol(text.context)
    if symbol is None or not language.name:
        return
    removed, added = text.removed.read(), text.added.read()
    if language.name == "go" and symbol[1] == "struct":
        yield symbol, len(added) - len(removed)
    elif text.context.endswith("("):
        if all(line.endswith(",") for line in (*removed, *added)):
            yield symbol, len(added) - len(removed)
        return
    names = (symbol[0], *_CONSTRUCTORS)
    grown = count_grown("\n".join(removed), "\n".join(added), names)
    if grown:
        yield symbol, grown


def count_grown(before: str, after: str, names: Iterable[str]) -> int:
    """Return how many parameters more the first of `names` with some has in the second text."""
    for name in names:
        if f"{name}(" in before and f"{name}(" in after:
            return len(read_arguments(after, name)) - len(read_arguments(before, name))
    return 0
