"""What a person sees: safe text, and the controlling terminal where there is one."""

from __future__ import annotations

import os

from smartcommit.message.characters import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from smartcommit.errors import SmartcommitError

__all__ = ["Terminal", "printable"]

_HEIGHT = 24
# Characters of an error that are shown: it may quote what somebody else wrote, however long.
_LONGEST = 2000


def error_text(error: SmartcommitError) -> str:
    """An expected error as a person sees it: what failed, and below it the hint."""
    text = str(error)
    lines = [f"smartcommit: {printable(text[:_LONGEST])}{'...' if len(text) > _LONGEST else ''}"]
    if error.hint:
        lines.append(f"hint: {printable(error.hint)}")
    return "\n".join(lines)


class Terminal:
    """The controlling terminal, open for reading and writing; a context manager.

    Under pre-commit standard output is a private terminal shown after the hook, so whether a person is there is decided
    by `/dev/tty` alone.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def open(cls) -> Terminal | None:
        """The terminal, or None where there is none or where this process is not in its foreground group."""
        try:
            descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        except OSError:
            return None
        try:
            # A background process that reads the terminal is stopped by SIGTTIN: then nobody is asked.
            foreground = os.tcgetpgrp(descriptor) == os.getpgrp()
        except OSError:
            foreground = False
        if not foreground:
            os.close(descriptor)
            return None
        return cls(descriptor)

    @property
    def descriptor(self) -> int:
        """The open file, owned by this object."""
        return self._descriptor

    @property
    def height(self) -> int:
        """The lines of its window, 24 where it does not tell."""
        try:
            return os.get_terminal_size(self._descriptor).lines or _HEIGHT
        except OSError:
            return _HEIGHT

    def write(self, text: str) -> None:
        """Print `text`, which must be safe already (`printable`)."""
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(self._descriptor, data) :]

    def ask(self, question: str) -> str | None:
        """The line a person answers, without its end; None when the terminal is closed instead."""
        self.write(question)
        answer = b""
        while not answer.endswith(b"\n"):
            piece = os.read(self._descriptor, 1024)
            if not piece:
                return None
            answer += piece
        return answer.decode("utf-8", "replace").strip()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)
