"""What the user is shown: errors, output in any encoding, and questions on the controlling terminal."""

from __future__ import annotations

import io
import os
import sys

from smartcommit.files import IS_WINDOWS
from smartcommit.message.characters import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from smartcommit.errors import SmartcommitError

# An error may quote any text, however long.
_CHARACTERS_SHOWN = 2000


def format_error(error: SmartcommitError) -> str:
    """Return an expected error as the user sees it: what failed, and the hint on another line."""
    text = str(error)
    if len(text) > _CHARACTERS_SHOWN:
        text = text[:_CHARACTERS_SHOWN] + "..."
    lines = [f"smartcommit: {printable(text)}"]
    if error.hint:
        lines.append(f"hint: {printable(error.hint)}")
    return "\n".join(lines)


def accept_any_text() -> None:
    """Let standard output print `\\u65e5` for a character that its encoding lacks, as standard error does."""
    # On Windows the default is surrogateescape, which fails at what a code page lacks.
    default = "surrogateescape" if IS_WINDOWS else "strict"
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == default:
        sys.stdout.reconfigure(errors="backslashreplace")


class Terminal:
    """The controlling terminal, open for reading and writing; a context manager.

    `descriptor` is None on Windows, where a console is opened by name, and standard output tells its size.
    """

    def __init__(self, descriptor: int | None) -> None:
        self.descriptor = descriptor
        if descriptor is None:
            # These take and give UTF-8, whatever the code page of the console.
            self._input = open("CONIN$", "rb", buffering=0)  # noqa: SIM115 (`__exit__` closes it)
            self._output = open("CONOUT$", "wb", buffering=0)  # noqa: SIM115
        else:
            self._input = self._output = open(descriptor, "r+b", buffering=0, closefd=False)  # noqa: SIM115

    @staticmethod
    def open() -> Terminal | None:
        """Return the terminal; None if there is none, or if this process is not in its foreground group."""
        try:
            if IS_WINDOWS:
                return Terminal(None)
            # Below pre-commit, standard output is a private terminal that is shown after the hook.
            descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        except OSError:
            return None
        try:
            # A background process that reads the terminal is stopped by SIGTTIN.
            foreground = os.tcgetpgrp(descriptor) == os.getpgrp()
        except OSError:
            foreground = False
        if not foreground:
            os.close(descriptor)
            return None
        return Terminal(descriptor)

    @property
    def height(self) -> int:
        return self._read_size().lines

    @property
    def width(self) -> int:
        return self._read_size().columns

    def _read_size(self) -> os.terminal_size:
        """Return the size; a terminal that does not know its own has 80 columns and 24 lines."""
        try:
            columns, lines = os.get_terminal_size(1 if self.descriptor is None else self.descriptor)
        except OSError:
            columns = lines = 0
        return os.terminal_size((columns or 80, lines or 24))

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[self._output.write(data) :]

    def ask(self, question: str) -> str | None:
        """Return the line that the user answers, without its end; None if the terminal is closed."""
        self.write(question)
        answer = b""
        while not answer.endswith(b"\n"):
            data = self._input.read(1024)
            if not data:
                return None
            answer += data
        return answer.decode("utf-8", "replace").strip()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._input.close()
        self._output.close()
        if self.descriptor is not None:
            os.close(self.descriptor)
