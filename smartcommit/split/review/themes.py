"""The colors of the panes on dark and light terminals."""

from __future__ import annotations

from textual.theme import Theme

DARK = "textual-dark"
# textual's own light theme has a gray background, on which added and removed lines are hard to read.
LIGHT = Theme(
    name="light", primary="#0550ae", secondary="#57606a", accent="#8250df", success="#1a7f37", warning="#9a6700",
    error="#cf222e", foreground="#1f2328", background="#ffffff", surface="#ffffff", panel="#dfe7f0", dark=False,
    variables={"footer-background": "#eaeef2", "footer-key-foreground": "#0550ae"},
)  # fmt: skip


def has_light_background(colors: str) -> bool:
    """Whether a terminal that sets COLORFGBG to `colors` has dark text on a light background."""
    return colors.rpartition(";")[2] in ("7", "15")
