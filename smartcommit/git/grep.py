"""Searching text with untrusted patterns: by git, so that none of them runs in a backtracking engine of ours.

The C library expands a bounded repetition into that many copies, and nested ones multiply: `((a{99}){99}){99}` takes
gigabytes. Such a pattern is refused before git sees it, and git's memory is limited for all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smartcommit.errors import ConfigError, GitError

# Bytes that git may allocate for a search; it reads whole files into memory.
MEMORY = 512 << 20
# Seconds a search may take; a line of a message takes microseconds.
_SEARCH_SECONDS = 5.0
# Characters and classes that repetitions may expand to; 5,000 copies of one letter already take 200 MB.
_COPIES_ALLOWED = 1000
# An escaped character, a bracket expression, a bounded repetition, or any other character.
_PATTERN_PART = r"(?s)\\.|\[\^?\]?[^\]]*\]|\{(?P<low>\d{0,6})(?:,(?P<high>\d{0,6}))?\}|."


def check_pattern(pattern: str) -> None:
    """Raise GitError if bounded repetitions of a POSIX extended pattern expand to more than _COPIES_ALLOWED."""
    import re

    limit = len(pattern) + _COPIES_ALLOWED
    # The size of each open group, the whole pattern being the first, and of what a repetition would repeat here.
    sizes = [0]
    repeated = 0
    for part in re.finditer(_PATTERN_PART, pattern):
        if part["low"] is not None:
            times = max(int(part["low"] or 0), int(part["high"] or 0), 1)
            sizes[-1] += repeated * (times - 1)
            repeated *= times
        elif part[0] == "(":
            # An empty group is copied too.
            sizes.append(1)
        elif part[0] == ")" and len(sizes) > 1:
            repeated = sizes.pop()
            sizes[-1] += repeated
        elif part[0] not in "*+?":
            repeated = 1
            sizes[-1] += 1
        if sizes[-1] > limit:
            raise GitError(
                f"its repetitions expand to more than {_COPIES_ALLOWED} copies; use fewer or smaller ones", status=2
            )


def search_text(
    pattern: str, text: bytes, options: Sequence[str], *, limit: int, timeout: float, watch: Callable[[], None]
) -> tuple[bytes, bool]:
    """Return what `git grep` prints of `text`, at most `limit` bytes, and whether that is all. A pattern may fail."""
    # Few projects set a pattern, and this is the hook's hot path.
    import tempfile

    from smartcommit.git.run import read_head

    check_pattern(pattern)
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/text", "wb") as file:
            file.write(text)
        return read_head(
            ("grep", "--no-index", "--text", "--threads=1", *options, "-E", "-e", pattern, "--", "text"),
            limit=limit,
            directory=directory,
            expected=(0, 1),
            timeout=timeout,
            memory=MEMORY,
            watch=watch,
        )


def matches(pattern: str, text: str) -> bool:
    """Whether some line of `text` matches `pattern`. Raise ConfigError if it is invalid or takes too much."""
    content = text.encode("utf-8", "surrogateescape")
    try:
        names, complete = search_text(pattern, content, ["-l"], limit=100, timeout=_SEARCH_SECONDS, watch=lambda: None)
        if not complete:
            raise GitError(f"'git grep' timed out after {_SEARCH_SECONDS:g} s", status=124)
    except GitError as error:
        raise ConfigError(
            f"invalid ticket pattern '{pattern}': {error}",
            hint="set smartcommit.ticket to a valid POSIX extended regular expression",
        ) from error
    return bool(names)
