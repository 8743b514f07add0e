"""Storage for tool results that are too large for the conversation, addressed by id."""

from __future__ import annotations

from smartcommit.secrets.scan import cut_text

# Characters of a result that a model sees at once.
SHOWN = 6000
# Characters of a line: a minified file has a single line of a megabyte.
LINE = 400


class Results:
    """The long results of one loop by id: `r1`, `r2` and so on."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def keep(self, text: str) -> str:
        """Keep `text` and return its id."""
        for name, kept in self._texts.items():
            if kept == text:
                return name
        name = f"r{len(self._texts) + 1}"
        self._texts[name] = text
        return name

    def get(self, name: str) -> str | None:
        """Return the text that was kept under the id `name`."""
        return self._texts.get(name)

    @property
    def names(self) -> list[str]:
        """All ids so far."""
        return list(self._texts)

    def shorten(self, text: str) -> str:
        """Return `text`, or as many of its first lines as fit and a note on how to see the others."""
        if len(text) <= SHOWN:
            return text
        name = self.keep(text)
        lines = text.split("\n")
        kept = take_lines(lines, SHOWN)
        return "\n".join(
            [*kept, f"[showing {len(kept)} of {len(lines)} lines; use query_tool_result with id {name} for the rest]"]
        )


def decode_start(line: bytes, limit: int) -> str:
    """Return `line` as text, or its first `limit` bytes without a character or word that they cut in half."""
    if len(line) <= limit:
        return line.decode("utf-8", "replace")
    start = line[:limit].decode("utf-8", "replace").rstrip("\ufffd")
    return cut_text(start + chr(line[limit]), len(start))


def take_lines(lines: list[str], limit: int) -> list[str]:
    """Return the first lines of together at most `limit` characters, but at least one; each is cut after LINE."""
    kept: list[str] = []
    length = 0
    for line in lines:
        shown = line
        if len(line) > LINE:
            shown = cut_text(line, LINE)
            shown = f"{shown} [{len(line) - len(shown)} more characters]"
        length += len(shown) + 1
        if kept and length > limit:
            break
        kept.append(shown)
    return kept
