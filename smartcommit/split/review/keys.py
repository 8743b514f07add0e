"""The keys of the panes, and how they are named."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from smartcommit.split.review.hunk_view import HunkView
from smartcommit.split.review.row_list import RowList

# Those with a description are named at the bottom, the first ones in any case.
APP_KEYS: list[BindingType] = [
    Binding("y", "agree", "commit", tooltip="create these commits"),
    Binding("q,ctrl+c", "leave", "quit", tooltip="quit without committing"),
    Binding("e", "title", "title", tooltip="edit the title of the commit in place"),
    Binding("g", "move", "move", tooltip="move the hunk, the file or what is marked to another commit"),
    Binding("u", "undo", "undo", tooltip="undo the last step"),
    Binding("n,]", "hunk(1)", "next", tooltip="to the next hunk"),
    Binding("f", "fold", "fold", tooltip="fold or unfold the commit or the hunk"),
    Binding("m", "merge", "merge", tooltip="merge (squash) the marked commits, or others, into this one"),
    Binding("d", "delete", "delete", tooltip="delete the commit; its changes stay uncommitted"),
    Binding("x", "split", "split", tooltip="split the commit"),
    Binding("s", "cut", "cut", tooltip="cut the hunk in two at the cursor"),
    Binding("space", "mark", "mark", tooltip="mark the hunk, file or commit, to move or merge several"),
    Binding("tab", "app.focus_next", "panes", tooltip="switch panes"),
    Binding("p,[", "hunk(-1)", tooltip="to the previous hunk"),
    Binding("escape", "unmark", tooltip="unmark everything"),
    Binding("F", "fold_all", tooltip="fold or unfold all commits or hunks"),
    Binding("<", "move_by(-1)", tooltip="move the hunk to the previous commit"),
    Binding(">", "move_by(1)", tooltip="move the hunk to the next commit"),
    Binding("E", "message", tooltip="edit the message in your editor"),
    Binding("K", "reorder(-1)", tooltip="move the commit up"),
    Binding("J", "reorder(1)", tooltip="move the commit down"),
    Binding("c", "critique", tooltip="ask the model to review the commits"),
    Binding("r", "reclassify", tooltip="split again, following your instructions"),
    Binding("t", "theme", tooltip="switch between dark and light"),
    Binding("?", "keys", tooltip="show these keys"),
]
_NAMES = {
    "ctrl+c": "Ctrl-C", "space": "Space", "tab": "Tab", "escape": "Esc", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
}  # fmt: skip


def list_keys() -> list[tuple[str, str, str]]:
    """Return every key that does something, as it is shown, with its action and what it does."""
    keys = []
    for binding in (*APP_KEYS, *RowList.BINDINGS, *HunkView.BINDINGS):
        assert isinstance(binding, Binding)
        names = [_NAMES.get(key, key) for key in binding.key.split(",")]
        keys.append((", ".join(names), binding.action, binding.tooltip))
    return keys


def list_bar_keys() -> list[tuple[str, str, str]]:
    """Return the keys that the line at the bottom names, each with a word for it and its action."""
    keys = []
    for binding in APP_KEYS:
        assert isinstance(binding, Binding)
        if binding.description:
            key = binding.key.split(",")[0]
            keys.append((_NAMES.get(key, key), binding.description, binding.action.removeprefix("app.")))
    return keys
