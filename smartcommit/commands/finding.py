"""A finding of `smartcommit doctor`."""

from __future__ import annotations

from dataclasses import dataclass

from smartcommit.terminal import printable

# Characters of a text that are shown: it may quote any name.
_CHARACTERS_SHOWN = 2000
OK, NOTE, WARNING, ERROR = "ok", "note", "warning", "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: the part of the setup, a state, a sentence, and how to change it.

    Something is broken if the state is ERROR; WARNING is for what works otherwise than one might expect.
    """

    part: str
    state: str
    text: str
    hint: str | None = None

    def format(self) -> str:
        """Return it as one or two lines that are safe to print."""
        lines = f"{self.state:7}  {printable(self.text[:_CHARACTERS_SHOWN])}"
        if self.hint:
            lines += f"\n         hint: {printable(self.hint[:_CHARACTERS_SHOWN])}"
        return lines
