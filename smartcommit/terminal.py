"""What a person sees: safe text, and the controlling terminal where there is one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

# Characters that change how a terminal shows what stands around them, or show nothing at all, beside the control
# characters: zero-width and word joiners, bidirectional marks and overrides, line and paragraph separators, tags.
_UNSAFE = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip


def printable(text: str, *, keep: str = "") -> str:
    """`text` with every character that could command a terminal or hide in it written as an escape.

    Characters in `keep` (say a newline) pass. A byte that was not UTF-8 (a lone surrogate) shows as `\\xNN`.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in keep or not _unsafe(ord(c)) else _escape(ord(c)) for c in text)


def _unsafe(code: int) -> bool:
    return any(low <= code <= high for low, high in _UNSAFE)


def _escape(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


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
