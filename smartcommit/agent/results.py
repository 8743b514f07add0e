"""Tool results that are too large for a conversation: kept outside, and asked about by their id."""

from __future__ import annotations

# Characters of a result that a model sees at once.
SHOWN = 6000
# Characters of a line: a minified file has one of a megabyte.
LINE = 400


class Results:
    """The results of one loop by id, `r1` and so on."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def keep(self, text: str) -> str:
        """Keep `text`; its id."""
        known = next((name for name, kept in self._texts.items() if kept == text), None)
        name = known or f"r{len(self._texts) + 1}"
        self._texts[name] = text
        return name

    def get(self, name: str) -> str | None:
        """The text that was kept under `name`."""
        return self._texts.get(name)

    @property
    def names(self) -> list[str]:
        return list(self._texts)

    def shown(self, text: str) -> str:
        """`text`, or as many of its lines as fit, and how to see the others."""
        if len(text) <= SHOWN:
            return text
        name = self.keep(text)
        lines = text.split("\n")
        kept = cut(lines, SHOWN)
        return "\n".join([*kept, f"[{len(kept)} of {len(lines)} lines; query_tool_result shows the others, id {name}]"])


def start_of(line: bytes, limit: int) -> str:
    """The text of a line, or of its first `limit` bytes without the part of a character that these may end in."""
    text = line[:limit].decode("utf-8", "replace")
    return text if len(line) <= limit else text.rstrip("\ufffd")


def cut(lines: list[str], limit: int) -> list[str]:
    """The first lines that have `limit` characters together, each at most LINE long; at least one."""
    kept: list[str] = []
    length = 0
    for line in lines:
        shown = line if len(line) <= LINE else f"{line[:LINE]} [{len(line) - LINE} more characters]"
        length += len(shown) + 1
        if kept and length > limit:
            break
        kept.append(shown)
    return kept
