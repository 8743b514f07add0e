"""The line at the bottom that names keys, as many as there is room for."""

from __future__ import annotations

from collections.abc import Iterator

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

# The last one is always shown.
HELP = ("?", "keys", "keys")
SPACE = 2


class KeyBar(Widget):
    """Keys with what they do, the most important ones first; a click is as good as the key."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"keys--key"}  # noqa: RUF012 (textual's own form)
    DEFAULT_CSS = """
    KeyBar {
        height: 1; dock: bottom; background: $footer-background; color: $footer-foreground;
        & > .keys--key { color: $footer-key-foreground; text-style: bold; }
    }
    """

    def __init__(self, keys: list[tuple[str, str, str]]) -> None:
        """`keys` has the key, a word for what it does, and the name of the action of the app."""
        super().__init__()
        self._keys = keys

    def list_shown(self) -> Iterator[tuple[int, str, str, str]]:
        """Yield the keys that there is room for, each after the column in which it begins."""
        left = self.size.width - _width(HELP)
        column = 0
        for key in self._keys:
            if left < _width(key) + SPACE:
                break
            yield column, *key
            left -= _width(key) + SPACE
            column += _width(key) + SPACE
        yield column, *HELP

    def render_line(self, y: int) -> Strip:
        segments: list[Segment] = []
        key_style = self.get_component_rich_style("keys--key", partial=True)
        for _, key, word, _ in self.list_shown():
            segments += [Segment(key, key_style), Segment(f" {word}  ")]
        segments = list(Segment.apply_style(segments, self.rich_style))
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    async def on_click(self, event: events.Click) -> None:
        for column, key, word, action in self.list_shown():
            if column <= event.x < column + len(f"{key} {word}"):
                await self.run_action(f"app.{action}")


def _width(key: tuple[str, str, str]) -> int:
    return len(f"{key[0]} {key[1]}")
